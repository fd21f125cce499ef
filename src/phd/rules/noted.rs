//! What the first pass notes of references and class words, so that a dump without a mistake in them is decoded once.

use foldhash::{HashSet, HashSetExt};

use crate::error::DecodeError;
use crate::model::{Address, AddressSet, Entered, Lately, Sweep};

use super::super::decode::Located;
use super::super::lift::{Resolved, Resolver};
use super::super::record::Record;

/// Class words that are kept at hand.
pub(super) const LATELY: usize = 1024;

/// Where the references and class words of all records lead. What of them leads nowhere is not told: the second pass does that.
#[derive(Debug)]
pub(super) struct Noted {
    targets: Vec<u64>,
    sweep: Sweep,
    /// `None` once they were too many.
    class_words: Option<HashSet<Address>>,
    /// Class words that are noted: most objects are of few classes.
    lately: Lately<(), LATELY>,
    /// Bytes that the sweep may take of any dump.
    most: u64,
}

impl Noted {
    /// References that are kept until they are noted together. A look at a place of memory that is not in a cache takes as long as
    /// several records, and several of them at once take little longer than one.
    const KEPT: usize = 1024;
    /// Bytes that the sweep may take of a dump of any length: those of a heap of half a gigabyte whose objects lie side by side.
    const BYTES: u64 = 8 << 20;
    /// And one byte more for each 12 of the dump: an object takes 12 bytes and more there, and less than 2 here.
    const OF_BYTES: u64 = 12;
    /// The most class words: more than a dump has classes.
    const CLASS_WORDS: usize = 1 << 17;

    /// Nothing so far of a dump of that many bytes, if they are known. `most` is how many bytes of memory the sweep may take.
    pub(super) fn new(length: Option<u64>, most: u64) -> Noted {
        let mut noted = Noted {
            targets: Vec::with_capacity(Noted::KEPT),
            sweep: Sweep::new(0),
            class_words: Some(HashSet::new()),
            lately: Lately::new(),
            most,
        };
        noted.allow(length.unwrap_or(0));
        noted
    }

    /// Lets the sweep take what it may of a dump of at least that many bytes.
    fn allow(&mut self, length: u64) {
        self.sweep.allow((Noted::BYTES + length / Noted::OF_BYTES).min(self.most));
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
            let Noted { lately, class_words, .. } = self;
            lately.of(word, || note_word(class_words, word));
        }
        let address = resolved.address;
        let entered = match located.record {
            Record::Class(_) => self.sweep.enter_aside(address.0),
            _ => self.sweep.enter(address.0),
        };
        let Some(references) = located.record.references() else { return Ok(entered) };
        // Null leads nowhere and is no mistake: the record's own address stands for it, where there is one.
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
        self.allow(read);
        self.sweep.refer(&self.targets);
        self.targets.clear();
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

/// Notes a class word, unless they are too many.
#[cold]
fn note_word(words: &mut Option<HashSet<Address>>, word: Address) {
    if let Some(known) = words {
        known.insert(word);
        if known.len() > Noted::CLASS_WORDS {
            *words = None;
        }
    }
}
