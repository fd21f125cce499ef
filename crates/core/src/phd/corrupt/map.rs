//! The places of the fields of a dump.

use crate::annotation::Meanings;
use crate::error::Error;
use crate::model::Address;
use crate::phd::{Decoder, RecordLayout, Resolver, annotate};

use crate::family::edit::FieldAt;

/// A valid dump with the places of its fields.
#[derive(Clone, Debug)]
pub struct MappedDump {
    /// The dump.
    pub bytes: Vec<u8>,
    /// Every field, in file order.
    pub fields: Vec<FieldAt>,
    /// The records' absolute addresses and class words.
    pub records: Vec<RecordAt>,
    /// The layout.
    pub layout: RecordLayout,
    /// Offset of the first record.
    pub body: usize,
    /// Offset of the end tag.
    pub end: usize,
}

/// A record's place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordAt {
    /// Record kind.
    pub kind: &'static str,
    /// Offset of its tag.
    pub offset: usize,
    /// Its length in bytes.
    pub length: usize,
    /// Its absolute address.
    pub address: Address,
    /// Its class word, directly or through the cache.
    pub class_word: Option<Address>,
    /// Number of class cache slots that were filled before it.
    pub filled: usize,
}

impl MappedDump {
    /// The fields of a dump.
    ///
    /// # Errors
    /// If the dump is not valid.
    pub fn from_bytes(bytes: Vec<u8>) -> Result<MappedDump, Error> {
        let mut fields = Vec::new();
        annotate::visit_with::<_, Error, _>(&mut Decoder::new(bytes.as_slice())?, Meanings::Omitted, |field| {
            fields.push(FieldAt::from_annotation(&field));
            Ok(())
        })?;
        let mut decoder = Decoder::new(bytes.as_slice())?;
        let (layout, body) = (decoder.layout(), decoder.header_bytes().len());
        let mut resolver = Resolver::new(layout);
        let mut records = Vec::new();
        let mut filled = 0;
        let ended = decoder.visit::<Error, _>(|located| {
            let resolved = resolver.resolve(located.record);
            records.push(RecordAt {
                kind: located.record.kind(),
                offset: located.offset as usize,
                length: located.bytes.len(),
                address: resolved.address,
                class_word: resolved.class_word,
                filled,
            });
            filled += usize::from(matches!(located.record.kind(), "medium object" | "long object"));
            Ok(())
        })?;
        Ok(MappedDump { bytes, fields, records, layout, body, end: ended.end_tag as usize })
    }

    /// The first field of this name that satisfies a condition.
    pub fn field(&self, name: &str, wanted: impl Fn(&FieldAt) -> bool) -> Option<FieldAt> {
        self.fields.iter().find(|field| field.name == name && wanted(field)).copied()
    }

    /// The record of a field.
    pub fn record(&self, field: &FieldAt) -> Option<&RecordAt> {
        self.records.get(field.record? as usize)
    }

    /// The bytes with a field replaced by an integer of its own width.
    pub fn with_value(&self, field: &FieldAt, value: i64) -> Vec<u8> {
        let mut bytes = self.bytes.clone();
        let width = field.length.min(8);
        bytes[field.offset..field.offset + width].copy_from_slice(&value.to_be_bytes()[8 - width..]);
        bytes
    }

    /// The bytes with others inserted.
    pub fn with_inserted(&self, at: usize, inserted: &[u8]) -> Vec<u8> {
        [&self.bytes[..at], inserted, &self.bytes[at..]].concat()
    }
}
