//! The names of a heap file, and what they stand for.

use std::collections::HashMap;

use crate::builder::{ObjectId, ReferenceTarget, RepeatId, ThreadId};
use crate::error::did_you_mean;
use crate::model::Address;

/// The thing that has a name.
#[derive(Clone, Copy, Debug)]
pub(super) enum Symbol {
    Object(ObjectId),
    Thread(ThreadId, ReferenceTarget),
    /// Something whose own mistake is noted already.
    Mistaken,
}

/// A member of a repeated part whose turns have names.
#[derive(Clone, Copy, Debug)]
struct RepeatedName {
    repeat: RepeatId,
    member: u32,
    /// The number in the name of the first turn.
    first: i64,
    count: u64,
}

/// The names of a heap.
#[derive(Clone, Debug, Default)]
pub(super) struct Names {
    known: HashMap<String, (Symbol, usize)>,
    /// Names of repeated parts, by the parts before and after their numbers.
    repeated: HashMap<(String, String), Vec<RepeatedName>>,
    /// The parts around the numbers of all names that repeats make.
    patterns: HashMap<(String, String), ()>,
}

impl Names {
    /// Gives a name, at the offset of its node. The error is that another thing has it, with the offset of that.
    pub(super) fn give(&mut self, name: &str, symbol: Symbol, offset: usize) -> Result<(), usize> {
        match self.known.get(name) {
            Some((_, first)) => Err(*first),
            None => {
                self.known.insert(name.to_owned(), (symbol, offset));
                Ok(())
            }
        }
    }

    /// Gives names to a member of a repeated part.
    pub(super) fn give_repeated(
        &mut self,
        (prefix, suffix): (&str, &str),
        (repeat, member): (RepeatId, u32),
        first: i64,
        count: u64,
    ) {
        let key = (prefix.to_owned(), suffix.to_owned());
        self.repeated.entry(key).or_default().push(RepeatedName { repeat, member, first, count });
    }

    /// Notes that repeats make names of these parts around a number.
    pub(super) fn add_pattern(&mut self, prefix: &str, suffix: &str) {
        self.patterns.insert((prefix.to_owned(), suffix.to_owned()), ());
    }

    pub(super) fn symbol(&self, name: &str) -> Option<Symbol> {
        self.known.get(name).map(|(symbol, _)| *symbol)
    }

    /// The target of a reference, by the text after its `@`.
    pub(super) fn target(&self, text: &str) -> Result<ReferenceTarget, String> {
        if let Some(digits) = text.strip_prefix("0x") {
            let address = u64::from_str_radix(&digits.replace('_', ""), 16);
            return address
                .map(|address| ReferenceTarget::Address(Address(address)))
                .map_err(|_| format!("@{text} is no address: expected @0x and 1 to 16 hexadecimal digits"));
        }
        let (name, may_be_missing) = text.strip_suffix('?').map_or((text, false), |name| (name, true));
        match self.symbol(name) {
            Some(Symbol::Object(object)) => return Ok(object.into()),
            Some(Symbol::Thread(_, object)) => return Ok(object),
            Some(Symbol::Mistaken) => return Ok(ReferenceTarget::Null),
            None => {}
        }
        let mut is_pattern = false;
        for (prefix, number, suffix) in numbers_of(name) {
            let key = (prefix.to_owned(), suffix.to_owned());
            is_pattern |= self.patterns.contains_key(&key);
            for repeated in self.repeated.get(&key).into_iter().flatten() {
                is_pattern = true;
                let turn = number.checked_sub(repeated.first).and_then(|turn| u64::try_from(turn).ok());
                if let Some(turn) = turn.filter(|turn| *turn < repeated.count) {
                    return Ok(ReferenceTarget::Repeated(repeated.repeat, repeated.member, turn));
                }
            }
        }
        match may_be_missing {
            true if is_pattern => Ok(ReferenceTarget::Null),
            true => Err(format!("no repeat makes names like {name}, so that @{name}? is always null")),
            false => Err(format!("@{name} is no object{}", self.near(name))),
        }
    }

    fn near(&self, name: &str) -> String {
        did_you_mean(name, self.known.keys().map(String::as_str))
    }
}

/// Each number in a name, with the parts before and after it.
fn numbers_of(name: &str) -> impl Iterator<Item = (&str, i64, &str)> {
    let is_digit = |at: usize| name.as_bytes().get(at).is_some_and(u8::is_ascii_digit);
    let starts = (0..name.len()).filter(move |at| is_digit(*at) && (*at == 0 || !is_digit(at - 1)));
    starts.flat_map(move |start| {
        let end = (start..name.len()).find(|at| !is_digit(*at)).unwrap_or(name.len());
        let digits = &name[start..end];
        let is_plain = digits.len() == 1 || !digits.starts_with('0');
        let number = digits.parse::<i64>().ok().filter(|_| is_plain);
        let positive = number.map(|number| (&name[..start], number, &name[end..]));
        // A number below zero, which the first turns may ask for.
        let negative = name[..start].strip_suffix('-').zip(number);
        let negative = negative.map(|(before, number)| (before, -number, &name[end..]));
        positive.into_iter().chain(negative)
    })
}
