//! The places of the records and fields of a dump.

use std::collections::HashSet;

use crate::annotation::Meanings;
use crate::error::Error;
use crate::hprof::{DecodeStep, Decoder, IdSize, RecordTag, SubRecordTag, Version, annotate, wire};

use crate::family::edit::{FieldAt, RecordTarget};

/// A valid dump with the places of its records and fields.
#[derive(Clone, Debug)]
pub struct MappedDump {
    /// The dump.
    pub bytes: Vec<u8>,
    /// Every field, in file order.
    pub fields: Vec<FieldAt>,
    /// Every record and sub-record, in file order.
    pub records: Vec<RecordAt>,
    /// The header's version.
    pub version: Version,
    /// Size of identifiers.
    pub id: IdSize,
    /// Offset of the first record.
    pub body: usize,
    /// Offset of the last heap's first dump record.
    pub heap: usize,
}

/// The place of a record or sub-record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordAt {
    /// The tag, if it is a record.
    pub tag: Option<RecordTag>,
    /// The tag, if it is a sub-record.
    pub sub_tag: Option<SubRecordTag>,
    /// Offset of its tag.
    pub offset: usize,
    /// Its length in bytes; a dump record's with its sub-records.
    pub length: usize,
}

impl RecordAt {
    /// Whether it is a dump record.
    pub fn is_dump(&self) -> bool {
        self.tag.is_some_and(RecordTag::is_dump)
    }

    /// Offset after its last byte.
    pub fn end_offset(&self) -> usize {
        self.offset + self.length
    }
}

impl MappedDump {
    /// The fields of a dump.
    ///
    /// # Errors
    /// If the dump is not valid.
    pub fn from_bytes(bytes: Vec<u8>) -> Result<MappedDump, Error> {
        let mut fields = Vec::new();
        annotate::visit_with::<_, Error, _>(&mut Decoder::new(bytes.as_slice())?, None, Meanings::Omitted, |field| {
            fields.push(FieldAt::from_annotation(&field));
            Ok(())
        })?;
        let mut decoder = Decoder::new(bytes.as_slice())?;
        let (version, id, body) = (decoder.header().version, decoder.header().id_size, decoder.header_bytes().len());
        let mut records: Vec<RecordAt> = Vec::new();
        decoder.visit::<Error, _>(|step| {
            let (tag, sub_tag, at, rest) = match &step {
                DecodeStep::Record(at, record) => (Some(record.tag()), None, at, at.rest),
                DecodeStep::Segment(at, segment) => (Some(segment.tag), None, at, segment.bytes().unwrap_or_default()),
                DecodeStep::Sub(at, sub_record) => (None, Some(sub_record.tag()), at, at.rest),
                DecodeStep::More(_) | DecodeStep::SegmentEnd(_) => return Ok(()),
            };
            let length = at.bytes.len() + rest as usize;
            records.push(RecordAt { tag, sub_tag, offset: at.offset as usize, length });
            Ok(())
        })?;
        let heap = last_heap(&records);
        Ok(MappedDump { bytes, fields, records, version, id, body, heap })
    }

    /// The first field of this name that satisfies a condition.
    pub fn field(&self, name: &str, wanted: impl Fn(&FieldAt) -> bool) -> Option<FieldAt> {
        self.fields.iter().find(|field| field.name == name && wanted(field)).copied()
    }

    /// The first field of this name in records of this tag.
    pub fn field_of(&self, tag: RecordTag, name: &str) -> Option<FieldAt> {
        self.field(name, |field| self.record(field).is_some_and(|record| record.tag == Some(tag)))
    }

    /// The first field of this name in sub-records of this tag, in the last heap.
    pub fn field_of_sub(&self, tag: SubRecordTag, name: &str) -> Option<FieldAt> {
        self.field(name, |field| self.is_in_sub_record(field, tag))
    }

    /// Whether a field belongs to a sub-record of this tag in the last heap, which sub-records are added to.
    pub fn is_in_sub_record(&self, field: &FieldAt, tag: SubRecordTag) -> bool {
        self.record(field).is_some_and(|record| record.sub_tag == Some(tag) && record.offset >= self.heap)
    }

    /// The identifier of the class of the first instance whose class is in the dump, and the length of its values.
    pub fn class_with_instance(&self) -> Option<(u64, usize)> {
        let ids = || self.fields.iter().filter(|field| field.name == "class object id");
        let dumped = ids().filter(|field| self.is_in_sub_record(field, SubRecordTag::CLASS_DUMP));
        let dumped: HashSet<i64> = dumped.map(|field| field.value).collect();
        let class =
            ids().find(|id| self.is_in_sub_record(id, SubRecordTag::INSTANCE_DUMP) && dumped.contains(&id.value))?;
        let length = self.field("number of bytes that follow", |field| field.record == class.record)?;
        Some((class.value as u64, length.value as usize))
    }

    /// The record of a field.
    pub fn record(&self, field: &FieldAt) -> Option<&RecordAt> {
        self.records.get(field.record? as usize)
    }

    /// The last dump record.
    pub fn last_dump(&self) -> Option<&RecordAt> {
        self.records.iter().rfind(|record| record.is_dump())
    }

    /// The chosen dump record, or else the last one.
    pub fn chosen_dump(&self, target: RecordTarget) -> Option<&RecordAt> {
        let chosen = |index: usize| self.records.get(index).filter(|record| record.is_dump());
        target.index().map_or_else(|| self.last_dump(), chosen)
    }

    /// The dump record that a sub-record is in, or that the record itself is.
    pub fn dump_of(&self, index: usize) -> Option<&RecordAt> {
        self.records.get(..=index)?.iter().rfind(|record| record.tag.is_some()).filter(|record| record.is_dump())
    }

    /// The first field of this name in the chosen record, which is a sub-record of this tag; or else in any of the last
    /// heap.
    pub fn field_of_target(&self, target: RecordTarget, tag: SubRecordTag, name: &str) -> Option<FieldAt> {
        let Some(index) = target.index() else { return self.field_of_sub(tag, name) };
        self.records.get(index).filter(|record| record.sub_tag == Some(tag))?;
        self.field(name, |field| target.has(field))
    }

    /// The field where reading stops if the last byte of a record is missing: contents are read in one go.
    pub fn last_field(&self, index: usize) -> Option<FieldAt> {
        let own = self.fields.iter().filter(|field| field.record == Some(index as u64));
        let last = own.clone().next_back()?;
        own.clone().find(|field| field.name == "element" && last.name == "element").or(Some(last)).copied()
    }

    /// An identifier, as the dump spells it.
    pub fn spelled(&self, id: u64) -> Vec<u8> {
        id.to_be_bytes()[8 - self.id.bytes()..].to_vec()
    }

    /// A number that is no identifier and no serial number of the dump: the `n`th from the top. With
    /// identifiers of 1 byte there may be none.
    pub fn unused_number(&self, n: u64) -> Option<u64> {
        let top = self.id.max().min(u64::from(u32::MAX)) - 1;
        let taken = |wanted: u64| self.fields.iter().any(|field| field.value as u64 & self.id.max() == wanted);
        (0..top).map(|below| top - below).filter(|&wanted| !taken(wanted)).nth(n as usize)
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

    /// The bytes with others added at the end of a record, and its length raised.
    pub fn with_lengthened_record(&self, record: &RecordAt, added: &[u8]) -> Vec<u8> {
        self.with_record_lengthened_at(record, record.end_offset(), added)
    }

    /// The bytes with others inserted in a record, and its length raised.
    pub fn with_record_lengthened_at(&self, record: &RecordAt, at: usize, added: &[u8]) -> Vec<u8> {
        let mut bytes = self.with_inserted(at, added);
        let length = (record.length - wire::HEAD + added.len()) as u32;
        bytes[record.offset + 5..record.offset + 9].copy_from_slice(&length.to_be_bytes());
        bytes
    }
}

/// The start of the last heap: a HEAP DUMP, or the first segment after an END.
fn last_heap(records: &[RecordAt]) -> usize {
    let (mut start, mut ended) = (0, true);
    for record in records {
        if record.tag == Some(RecordTag::HEAP_DUMP_END) {
            ended = true;
        } else if record.tag == Some(RecordTag::HEAP_DUMP) || record.is_dump() && ended {
            (start, ended) = (record.offset, record.tag == Some(RecordTag::HEAP_DUMP));
        }
    }
    start
}
