//! The places of the records and parts of a text.

use crate::annotation::Meanings;
use crate::classic::wire::EntryRecordKind;
use crate::classic::{Charset, DecodeStep, Decoder, Encoding, Record, annotate};
use crate::error::Error;

use crate::family::edit::{EditedField, FieldAt, parse_number};

/// A valid text with the places of its records and their parts.
#[derive(Clone, Debug)]
pub struct MappedDump {
    /// The text: the dump's bytes, of an EBCDIC dump its characters in ISO 8859-1. Offsets are the same in both.
    pub text: Vec<u8>,
    /// The encoding of the dump.
    pub encoding: Encoding,
    /// Every part of every record, in file order.
    pub fields: Vec<FieldAt>,
    /// Every record, in file order.
    pub records: Vec<RecordAt>,
}

/// The kind of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClassicRecordKind {
    /// White space in front of the first one.
    Space,
    /// The version line.
    Version,
    /// An object or class.
    Entry(EntryRecordKind),
    /// Trailer 1.
    Breakdown,
    /// Trailer 2.
    Eof,
    /// Another line that begins with `//`.
    Comment,
}

/// The place of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordAt {
    /// The record's kind.
    pub kind: ClassicRecordKind,
    /// Its number, from 0.
    pub index: usize,
    /// Offset of its first byte.
    pub offset: usize,
    /// Its length in bytes, with the white space after it.
    pub length: usize,
}

impl RecordAt {
    /// Offset after its last byte.
    pub fn end_offset(&self) -> usize {
        self.offset + self.length
    }

    /// Whether it is an object or class.
    pub fn is_entry(&self) -> bool {
        matches!(self.kind, ClassicRecordKind::Entry(_))
    }
}

/// A change of a text: where, how many bytes are taken away, and what is put there.
pub(super) type TextChange = (usize, usize, Vec<u8>);

impl MappedDump {
    /// The parts of a dump.
    ///
    /// # Errors
    /// If the dump cannot be read to its end.
    pub fn from_bytes(bytes: Vec<u8>) -> Result<MappedDump, Error> {
        let mut fields = Vec::new();
        annotate::visit_with::<_, Error, _>(&mut Decoder::new(bytes.as_slice())?, Meanings::Omitted, |field| {
            fields.push(FieldAt::from_annotation(&field));
            Ok(())
        })?;
        let mut decoder = Decoder::new(bytes.as_slice())?;
        let encoding = decoder.encoding();
        let mut records: Vec<RecordAt> = Vec::new();
        decoder.visit::<Error, _>(|step| {
            let (at, kind) = match step {
                DecodeStep::Record(at, record) => (at, Some(kind(&record))),
                DecodeStep::More(at, _) => (at, None),
            };
            match (kind, records.last_mut()) {
                (Some(kind), _) => records.push(RecordAt {
                    kind,
                    index: at.index as usize,
                    offset: at.offset as usize,
                    length: at.bytes.len(),
                }),
                (None, Some(last)) => last.length += at.bytes.len(),
                (None, None) => {}
            }
            Ok(())
        })?;
        let text = translate(bytes, encoding.table());
        Ok(MappedDump { text, encoding, fields, records })
    }

    /// The first record of a kind.
    pub fn first(&self, kind: ClassicRecordKind) -> Option<RecordAt> {
        self.records.iter().find(|record| record.kind == kind).copied()
    }

    /// Objects or classes, in file order.
    pub fn entries(&self, kind: EntryRecordKind) -> impl DoubleEndedIterator<Item = RecordAt> {
        self.records.iter().filter(move |record| record.kind == ClassicRecordKind::Entry(kind)).copied()
    }

    /// The first part of this name in a record.
    pub fn field(&self, record: &RecordAt, name: &str) -> Option<FieldAt> {
        self.parts(record, name).next()
    }

    /// The parts of this name in a record.
    pub fn parts(&self, record: &RecordAt, name: &str) -> impl DoubleEndedIterator<Item = FieldAt> {
        let (name, index) = (name.to_owned(), record.index as u64);
        self.fields.iter().filter(move |field| field.name == name && field.record == Some(index)).copied()
    }

    /// The text of a part.
    pub fn spelled(&self, field: &FieldAt) -> &[u8] {
        &self.text[field.offset..field.offset + field.length]
    }

    /// The type that an object or class names.
    pub fn name(&self, record: &RecordAt) -> &[u8] {
        self.field(record, "type").map_or(&[], |field| &self.text[field.offset..field.offset + field.length])
    }

    /// The characters that end a line.
    pub fn newline(&self) -> &'static [u8] {
        self.encoding.newline.text()
    }

    /// Whether the text is in EBCDIC.
    pub fn is_ebcdic(&self) -> bool {
        self.encoding.charset != Charset::Utf8
    }

    /// Whether any record has this address, or refers to it.
    pub fn knows(&self, address: u64) -> bool {
        let numbers = self.fields.iter().filter(|field| matches!(field.name, "address" | "reference"));
        numbers.clone().any(|field| field.value as u64 == address)
    }

    /// An address of 32 bits that is nothing in the dump.
    pub fn unused_address(&self) -> u64 {
        (1..0x1000_0000).map(|n| 0xffff_fff0 - 8 * n).find(|&address| !self.knows(address)).unwrap_or(8)
    }

    /// The dump with another text of a part; a number is spelled as the part's is.
    ///
    /// # Errors
    /// If the dump's encoding does not have a character: the reason.
    pub fn with_part(&self, part: &EditedField, value: &str) -> Result<Vec<u8>, String> {
        let EditedField { name, offset, length, .. } = *part;
        let old = &self.text[offset..offset + length];
        let text = match (part.value.and_then(|_| parse_number(value)), old) {
            (Some(number), [b'0', b'x', digits @ ..]) if number >= 0 => {
                format!("0x{number:0width$X}", width = digits.len())
            }
            (Some(number), [b'[', ..]) => format!("[{number}]"),
            _ => value.to_owned(),
        };
        let text = match self.encoding.charset {
            Charset::Utf8 => text.into_bytes(),
            _ => {
                let byte = |letter| u8::try_from(u32::from(letter));
                let bytes: Result<Vec<u8>, _> = text.chars().map(byte).collect();
                bytes.map_err(|_| format!("{name}: {value:?} has characters that an EBCDIC dump cannot have"))?
            }
        };
        Ok(self.changed(&[(offset, length, text)], offset).0)
    }

    /// The dump with changes of its text, and where what stood at an offset is then. Changes stand in the order of the
    /// text.
    pub(super) fn changed(&self, changes: &[TextChange], offset: usize) -> (Vec<u8>, usize) {
        let (mut text, mut from, mut moved) = (Vec::new(), 0, offset);
        for (at, removed, put) in changes {
            text.extend_from_slice(&self.text[from..*at]);
            text.extend_from_slice(put);
            from = at + removed;
            if *at < offset {
                moved = moved + put.len() - removed.min(&(offset - at));
            }
        }
        text.extend_from_slice(&self.text[from..]);
        (translate(text, self.encoding.inverse()), moved)
    }
}

fn kind(record: &Record<'_>) -> ClassicRecordKind {
    match record {
        Record::Space(_) => ClassicRecordKind::Space,
        Record::Version(_) => ClassicRecordKind::Version,
        Record::Entry(entry) => ClassicRecordKind::Entry(entry.kind),
        Record::Breakdown(..) => ClassicRecordKind::Breakdown,
        Record::Eof(..) => ClassicRecordKind::Eof,
        Record::Comment(_) => ClassicRecordKind::Comment,
    }
}

fn translate(bytes: Vec<u8>, table: Option<crate::bytes::ebcdic::TranslationTable>) -> Vec<u8> {
    match table {
        Some(table) => bytes.into_iter().map(|byte| table[usize::from(byte)]).collect(),
        None => bytes,
    }
}
