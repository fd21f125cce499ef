//! The rules that hashes, class words, names, lengths and sizes rely on.

use crate::model::{Address, PrimitiveType, WordSize};
use crate::phd::record::{ClassRecord, ObjectArray, Record, StoredHash};
use crate::phd::rules::pass::is_plain_ascii;
use crate::phd::rules::{
    ARRAY_INSTANCE_SIZE, ARRAY_LENGTH_UNSIGNED, CLASS_CACHE_ROUND_ROBIN, CLASS_CACHE_UNTOUCHED, CLASS_INSTANCE_SIZE,
    CLASS_NAME, CLASS_NAME_ENCODING, CLASS_POSITION, GRAPH_SUPERCLASS, HASH_16_BIT_VALUE, HASH_COMPUTED,
    HASH_EVERY_RECORD, HASH_WHERE_USED, OBJECT_ARRAY_CLASS_WORD, OBJECT_ARRAY_FIELD_ORDER, OBJECT_ARRAY_LENGTH,
    OBJECT_ARRAY_TRUE_LENGTH, PRIMITIVE_ARRAY_TYPE_CODES, SHORT_OBJECT_CACHE_SLOT, WORDS_WORD,
};
use crate::phd::wire::record_flag;

use super::{DependencyPass, PlacedRecord, TAG, is_high};

/// The class cache of a reader that lets object arrays write to it.
#[derive(Default)]
pub(super) struct CacheWithArrays {
    slots: [Address; 4],
    next: usize,
}

impl CacheWithArrays {
    fn push(&mut self, class: Address) {
        self.slots[self.next & 3] = class;
        self.next = (self.next + 1) & 3;
    }
}

impl DependencyPass<'_> {
    pub(super) fn hash(&mut self, place: &PlacedRecord<'_, '_>) {
        let at = place.field_range("hash");
        match place.record.hash() {
            StoredHash::Bits16(hash) => {
                self.report(place, HASH_EVERY_RECORD, at.clone());
                if hash > 0x7fff {
                    self.report(place, HASH_16_BIT_VALUE, at);
                }
            }
            StoredHash::Bits32(_) => self.report(place, HASH_WHERE_USED, at),
            StoredHash::Absent => {
                // A flag that announces the hash of another kind of record, or seems to.
                const SEEMING: u8 = record_flag::HASHED | record_flag::HASH_FOLLOWS | record_flag::CLASS_HASH_FOLLOWS;
                if place.record.flags().is_some_and(|(flags, _)| flags & SEEMING != 0) {
                    self.report(place, HASH_WHERE_USED, place.field_range("flags"));
                }
                if !self.j9 {
                    self.report(place, HASH_COMPUTED, TAG);
                }
            }
        }
    }

    /// The class word of an object or object array, and the class cache.
    pub(super) fn class_word(&mut self, place: &PlacedRecord<'_, '_>) {
        let Some(class) = place.resolved.class_word else { return };
        match place.record {
            Record::Short(r) => {
                if place.resolved.empty_slot {
                    self.report(place, SHORT_OBJECT_CACHE_SLOT, TAG);
                }
                // Where all slots are alike, it does not matter which is which.
                if self.resolver.cache().iter().any(|slot| *slot != class) {
                    self.report(place, CLASS_CACHE_ROUND_ROBIN, TAG);
                }
                if self.arrays_cached.slots[usize::from(r.slot & 3)] != class {
                    self.report(place, CLASS_CACHE_UNTOUCHED, TAG);
                }
            }
            _ => {
                self.arrays_cached.push(class);
                self.word(place, "class word", class);
            }
        }
        if matches!(place.record, Record::ObjectArray(_)) {
            self.report(place, OBJECT_ARRAY_CLASS_WORD, place.field_range("class word"));
        }
    }

    /// A word of 8 bytes relies on its width, one of 4 only where it has a sign bit.
    fn word(&mut self, place: &PlacedRecord<'_, '_>, name: &str, word: Address) {
        if self.layout.word == WordSize::Bits64 || is_high(word) {
            self.report(place, WORDS_WORD, place.field_range(name));
        }
    }

    pub(super) fn class(&mut self, place: &PlacedRecord<'_, '_>, class: &ClassRecord<'_>) {
        self.word(place, "superclass word", Address(class.superclass));
        if class.superclass == 0 {
            self.report(place, GRAPH_SUPERCLASS, place.field_range("superclass word"));
        }
        if class.instance_size != 0 {
            self.report(place, CLASS_INSTANCE_SIZE, place.field_range("instance size"));
        }
        if class.name.contains(&b'/') || class.name.starts_with(b"[") {
            self.report(place, CLASS_NAME, place.field_range("name"));
        }
        if !is_plain_ascii(&class.name) {
            self.report(place, CLASS_NAME_ENCODING, place.field_range("name"));
        }
        if self.has_objects {
            self.report(place, CLASS_POSITION, TAG);
        }
    }

    pub(super) fn object_array(&mut self, place: &PlacedRecord<'_, '_>, array: &ObjectArray<'_>) {
        self.array_size(place);
        let Some(length) = array.length else { return };
        let references = array.references.len() as u64;
        let at = place.field_range("true length");
        if u64::from(length) != references {
            self.report(place, OBJECT_ARRAY_TRUE_LENGTH, at.clone());
        } else if references > 0 {
            self.report(place, OBJECT_ARRAY_LENGTH, at.clone());
        }
        if array.size_words.is_some_and(|words| words != length) {
            self.report(place, OBJECT_ARRAY_FIELD_ORDER, at.start..at.end + 4);
        }
    }

    pub(super) fn primitive_array(&mut self, place: &PlacedRecord<'_, '_>, element: PrimitiveType, length: u64) {
        self.array_size(place);
        // Every order of the types that suggests itself begins with boolean.
        if element != PrimitiveType::Boolean {
            let at = if matches!(place.record, Record::PrimitiveArray(_)) { TAG } else { place.field_range("flags") };
            self.report(place, PRIMITIVE_ARRAY_TYPE_CODES, at);
        }
        let at = place.field_range("length");
        if i32::try_from(length).is_ok() && length >> (8 * at.len() - 1) != 0 {
            self.report(place, ARRAY_LENGTH_UNSIGNED, at);
        }
    }

    /// An array's instance size; before version 6 the end of the record, where a reader of S0 expects one.
    fn array_size(&mut self, place: &PlacedRecord<'_, '_>) {
        if let Some(last) = place.fields.0.last() {
            let at = last.at.clone();
            self.report(place, ARRAY_INSTANCE_SIZE, at);
        }
    }
}
