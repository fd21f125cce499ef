//! What the first pass notes of references and class words, so that a dump without a mistake in them is decoded once.

use foldhash::{HashSet, HashSetExt};

use crate::error::DecodeError;
use crate::findings::Dangling;
use crate::model::{Address, AddressSet, Entered, Lately, Sweep};

use super::super::decode::{Located, Skimmed, Targets, ToldBy};
use super::super::lift::{Resolved, Resolver};
use super::super::record::{Record, References};
use super::super::wire::Units;
use super::open::{Open, Places};

/// Class words that are kept at hand.
pub(super) const LATELY: usize = 1024;

/// Where the references and class words of all records lead. Those that lead back to nowhere are known, unless they are too many; where one
/// leads ahead to nowhere, the second pass finds all of them.
#[derive(Debug)]
pub(super) struct Noted {
    /// References that are to be noted, and the records that have them.
    targets: Vec<u64>,
    records: Places,
    sweep: Sweep,
    open: Open,
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
    /// And one byte more for each 6 of the dump: an object mostly takes 12 bytes and more there, and less than 2 here.
    const OF_BYTES: u64 = 6;
    /// The most class words: more than a dump has classes.
    const CLASS_WORDS: usize = 1 << 17;

    /// Nothing so far of a dump of that many bytes, if they are known. `most` is how many bytes of memory the sweep may take.
    pub(super) fn new(length: Option<u64>, most: u64) -> Noted {
        let mut noted = Noted {
            targets: Vec::with_capacity(Noted::KEPT),
            records: Places::new(Noted::KEPT),
            sweep: Sweep::new(0),
            open: Open::default(),
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
        if located.long.is_some() || self.targets.len() + references.len() > Noted::KEPT {
            self.make_room(located, references, target)?;
        }
        if !references.is_empty() && references.len() <= Noted::KEPT {
            self.records.push((located.offset, located.index), self.targets.len());
            references.map_into(&mut self.targets, target);
        }
        Ok(entered)
    }

    /// Notes where a record is and where it leads, of those whose tag tells where their fields are: one without null among its references,
    /// and whose class is in a slot of the cache that was filled, if it is in one.
    #[inline(always)]
    pub(super) fn skim(
        &mut self,
        record: &Skimmed<'_>,
        place: (u64, u64),
        address: Address,
        targets: &Targets,
    ) -> Entered {
        // What is in a slot of the cache was a class word before, and noted then.
        if record.class() == ToldBy::Word {
            let (lately, class_words) = (&mut self.lately, &mut self.class_words);
            let word = Address(record.class_word());
            lately.of(word, || note_word(class_words, word));
        }
        if self.targets.len() + Targets::MOST > Noted::KEPT {
            self.allow(place.0);
            self.refer(None);
        }
        let from = self.targets.len();
        targets.put(&mut self.targets);
        self.records.push_if(record.count() > 0, place, from);
        self.sweep.enter(address.0)
    }

    /// Notes where a record is that leads nowhere.
    #[inline(always)]
    pub(super) fn enter_leaf(&mut self, address: Address) -> Entered {
        self.sweep.enter(address.0)
    }

    /// Notes the references that are kept, and those of a record that has too many to keep them.
    #[cold]
    #[inline(never)]
    fn make_room(
        &mut self,
        located: Located<'_, '_>,
        references: &References<'_>,
        target: impl Fn(Units) -> u64,
    ) -> Result<(), DecodeError> {
        self.allow(located.offset);
        self.refer(None);
        if located.long.is_none() && references.len() <= Noted::KEPT {
            return Ok(());
        }
        let (place, count) = ((located.offset, located.index), located.count(references));
        located.references(references, |units| {
            if self.targets.is_empty() {
                self.records.push(place, 0);
            }
            self.targets.push(target(units));
            if self.targets.len() == Noted::KEPT {
                self.refer(Some(count));
            }
        })?;
        self.refer(Some(count));
        Ok(())
    }

    /// Notes the references that are kept. `long` is how many the record has, if they are those of a single one and perhaps not all of
    /// them.
    fn refer(&mut self, long: Option<u64>) {
        let Noted { targets, records, sweep, open, class_words, .. } = self;
        // Beside the 2 bytes that a record takes in the sweep, less than half a one.
        let most = (sweep.records() / 2).min(sweep.left());
        sweep.refer(targets, |at| {
            let target = targets[at];
            // What a class word names is a class, whose record may come last; there may be many references to it.
            if class_words.as_ref().is_some_and(|words| words.contains(&Address(target))) {
                return false;
            }
            let (place, count) = records.of(at, targets.len());
            open.add(place, long.unwrap_or(count), target, most)
        });
        targets.clear();
        records.clear();
    }

    /// No more records come.
    pub(super) fn end(&mut self) {
        self.refer(None);
    }

    /// Whether it is known of every reference whether it leads to a record, and every class word names a class.
    pub(super) fn is_told(&mut self, is_class: impl Fn(&Address) -> bool) -> bool {
        let is_told = self.sweep.is_closed() && (self.open.is_whole() || !self.sweep.awaits());
        is_told && self.class_words.take().is_some_and(|words| words.iter().all(is_class))
    }

    /// Calls `found` with each record that has references that dangle.
    pub(super) fn dangling(&self, mut found: impl FnMut(&Dangling)) {
        self.open.dangling(|target| self.sweep.is_awaited(target)).for_each(|one| found(&one));
    }

    /// The addresses of the records.
    pub(super) fn into_addresses(mut self) -> AddressSet {
        // What else is noted is not kept meanwhile.
        (self.open, self.class_words) = (Open::default(), None);
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
