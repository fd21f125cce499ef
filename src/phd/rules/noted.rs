//! What the first pass notes of references and class words, so that a dump without a mistake in them is decoded once.

use foldhash::{HashSet, HashSetExt};

use crate::error::DecodeError;
use crate::model::{Address, AddressSet, Entered, Sweep};

use super::super::decode::Located;
use super::super::lift::{Resolved, Resolver};
use super::super::record::Record;

/// Where the references and class words of all records lead. What of them leads nowhere is not told: the second pass does that.
#[derive(Debug)]
pub(super) struct Noted {
    targets: Vec<u64>,
    sweep: Sweep,
    /// `None` once they were too many.
    class_words: Option<HashSet<Address>>,
    /// Some that were noted lately: most objects are of few classes.
    lately: Box<[Option<Address>; Noted::LATELY]>,
    most: u64,
}

impl Noted {
    const LATELY: usize = 2048;
    /// 2^64 divided by the golden ratio: the upper bits of a multiple tell numbers apart that are alike (Fibonacci hashing).
    const MIX: u64 = 0x9e37_79b9_7f4a_7c15;
    /// References that are kept until they are noted together. A look at a place of memory that is not in a cache takes as long as
    /// several records, and several of them at once take little longer than one.
    const KEPT: usize = 1024;
    /// Bytes for addresses: those of a heap of half a gigabyte whose objects lie side by side, for any dump; and more for a longer one, one
    /// byte for 12 of its bytes.
    const BYTES: u64 = 8 << 20;
    const OF_BYTES: u64 = 12;
    /// The most class words: more than a dump has classes.
    const CLASS_WORDS: usize = 1 << 17;

    /// Nothing so far of a dump of that many bytes, if they are known; its addresses may take so much memory.
    pub(super) fn new(length: Option<u64>, most: u64) -> Noted {
        Noted {
            targets: Vec::with_capacity(Noted::KEPT),
            sweep: Sweep::new((Noted::BYTES + length.unwrap_or(0) / Noted::OF_BYTES).min(most)),
            class_words: Some(HashSet::new()),
            lately: Box::new([None; Noted::LATELY]),
            most,
        }
    }

    /// Notes where a record is and where it leads.
    ///
    /// # Errors
    /// If references that are not held cannot be read.
    #[inline]
    pub(super) fn enter(
        &mut self,
        located: Located<'_, '_>,
        resolved: &Resolved,
        resolver: &Resolver,
    ) -> Result<Entered, DecodeError> {
        if let Some(word) = resolved.class_word {
            let slot = &mut self.lately[(word.0.wrapping_mul(Noted::MIX) >> 48) as usize % Noted::LATELY];
            if *slot != Some(word) {
                *slot = Some(word);
                self.class_word(word);
            }
        }
        let address = resolved.address;
        let entered = match located.record {
            Record::Class(_) => self.sweep.enter_aside(address.0),
            _ => self.sweep.enter(address.0),
        };
        let Some(references) = located.record.references() else { return Ok(entered) };
        // There is one at the record's own address, which stands for null.
        let target = |units| match resolver.offset(address, units) {
            Address::NULL => address.0,
            Address(target) => target,
        };
        if self.targets.len() + references.len() > Noted::KEPT {
            self.refer(located.offset);
        }
        if located.long.is_none() && references.len() <= Noted::KEPT {
            references.map_into(&mut self.targets, target);
            return Ok(entered);
        }
        let Noted { targets, sweep, .. } = self;
        located.references(references, |units| {
            targets.push(target(units));
            if targets.len() == Noted::KEPT {
                sweep.refer(targets);
                targets.clear();
            }
        })?;
        Ok(entered)
    }

    fn refer(&mut self, read: u64) {
        self.sweep.allow((Noted::BYTES + read / Noted::OF_BYTES).min(self.most));
        self.sweep.refer(&self.targets);
        self.targets.clear();
    }

    #[cold]
    fn class_word(&mut self, word: Address) {
        if let Some(words) = &mut self.class_words {
            words.insert(word);
            if words.len() > Noted::CLASS_WORDS {
                self.class_words = None;
            }
        }
    }

    /// Whether every reference leads to a record, now that all are known, and every class word to a class. `false`, too, where that is not
    /// known.
    pub(super) fn leads_somewhere(&mut self, is_class: impl Fn(&Address) -> bool) -> bool {
        self.refer(0);
        self.class_words.take().is_some_and(|words| words.iter().all(is_class)) && self.sweep.is_closed()
    }

    /// The addresses of the records.
    pub(super) fn into_addresses(self) -> AddressSet {
        self.sweep.into_set()
    }
}
