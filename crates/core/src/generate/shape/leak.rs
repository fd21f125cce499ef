//! `leak:N`: a cache that is never emptied, built like a hash table: a table of chains, whose entries have a string as
//! the key and an array of bytes as the value.
//!
//! Object 0 is the cache, 1 its table, and entry `e` has the objects from 2 + 4e on: the entry itself, its key, the
//! key's characters, and its value. With C chains, entry e + C follows entry e in its chain. Every other place of the
//! table is null.

use super::structure::{
    KEY, KindBody, KindClass, KindCounts, OwnClass, ShapeObjects, ShapeStructure, UnitRun, int_field, reference_field,
};

#[derive(Debug)]
pub(super) struct LeakShape {
    entries: u64,
}

/// The most chains of a table.
const CHAINS: u64 = 1 << 27;
/// The length of a value in bytes.
const VALUE: u64 = 64;
/// Objects before the entries, and those of an entry.
const BEFORE: u64 = 2;
const OF_ENTRY: u64 = 4;

const CACHE: usize = 0;
const TABLE: usize = 1;
const ENTRY: usize = 2;

/// The classes.
const ENTRIES: usize = 1;
const TABLES: usize = 2;

impl LeakShape {
    pub(super) fn new(entries: u64) -> LeakShape {
        LeakShape { entries }
    }

    /// A power of two, so that a chain has two to four entries, unless there are very many or one.
    fn chains(&self) -> u64 {
        if self.entries < 4 { 1 } else { (1 << (self.entries / 2).ilog2()).min(CHAINS) }
    }

    /// The entry of an object, and the object's place among those of the entry.
    fn entry(&self, object: u64) -> Option<(u64, u64)> {
        let from = object.checked_sub(BEFORE)?;
        Some((from / OF_ENTRY, from % OF_ENTRY))
    }

    fn first_object(&self, entry: u64) -> u64 {
        BEFORE + OF_ENTRY * entry
    }

    /// The number of entries in the rest of a chain, from this entry on.
    fn chain_rest(&self, entry: u64) -> u64 {
        (self.entries - entry).div_ceil(self.chains())
    }
}

impl ShapeStructure for LeakShape {
    fn classes(&self) -> Vec<OwnClass> {
        let entry = vec![int_field("hash"), reference_field("key"), reference_field("value"), reference_field("next")];
        vec![
            OwnClass::new("Cache", vec![reference_field("table"), int_field("size")]),
            OwnClass::new("Entry", entry),
            OwnClass::array_of("Entry"),
        ]
    }

    fn kinds(&self) -> Vec<ShapeObjects> {
        vec![
            ShapeObjects::instance(CACHE),
            ShapeObjects::array(TABLES, 2 * self.chains()),
            ShapeObjects::instance(ENTRIES),
            ShapeObjects { of: KindClass::Known("java/lang/String"), body: KindBody::Fields },
            ShapeObjects { of: KindClass::Characters, body: KindBody::Key(KEY) },
            ShapeObjects { of: KindClass::Known("[B"), body: KindBody::Bytes(VALUE) },
        ]
    }

    fn runs(&self) -> Vec<UnitRun> {
        let entries = |count| UnitRun { unit: vec![ENTRY, ENTRY + 1, ENTRY + 2, ENTRY + 3], count, is_held: false };
        let last = self.chains();
        vec![UnitRun::held(CACHE, 1), UnitRun::held(TABLE, 1), entries(self.entries - last), entries(last)]
    }

    fn reference(&self, object: u64, place: u64) -> Option<u64> {
        let Some((entry, of)) = self.entry(object) else {
            return match object {
                0 => Some(1),
                _ => place.is_multiple_of(2).then(|| self.first_object(place / 2)),
            };
        };
        match (of, place) {
            (0, 0) => Some(object + 1),
            (0, 1) => Some(object + 3),
            (0, _) => (self.chain_rest(entry) > 1).then(|| self.first_object(entry + self.chains())),
            _ => Some(object + 1),
        }
    }

    fn nulls(&self, _: u64) -> u64 {
        self.chains()
    }

    fn value(&self, object: u64) -> u64 {
        self.entry(object).map_or(self.entries, |(entry, _)| entry)
    }

    fn in_degree(&self, object: u64) -> u64 {
        u64::from(object > 0)
    }

    fn dominator(&self, object: u64) -> Option<u64> {
        let Some((entry, of)) = self.entry(object) else { return object.checked_sub(1) };
        Some(match of {
            0 if entry < self.chains() => 1,
            0 => self.first_object(entry - self.chains()),
            3 => object - 3,
            _ => object - 1,
        })
    }

    fn retained(&self, object: u64) -> KindCounts {
        let all = |entries: u64| [0, 0, entries, entries, entries, entries];
        match self.entry(object) {
            None => {
                let mut counts = all(self.entries);
                (counts[CACHE], counts[TABLE]) = (u64::from(object == 0), 1);
                counts
            }
            Some((entry, 0)) => all(self.chain_rest(entry)),
            Some((_, 1)) => [0, 0, 0, 1, 1, 0],
            Some((_, 2)) => [0, 0, 0, 0, 1, 0],
            Some(_) => [0, 0, 0, 0, 0, 1],
        }
    }

    fn distance(&self, object: u64) -> u64 {
        match self.entry(object) {
            None => object,
            Some((entry, of)) => 2 + entry / self.chains() + [0, 1, 2, 1][of as usize],
        }
    }

    fn class_holder(&self, class: u64) -> u64 {
        match class as usize {
            ENTRIES if self.chains() == 1 => self.first_object(0),
            ENTRIES | TABLES => 1,
            _ => 0,
        }
    }
}
