//! The records of a PHD in words, and as they are spelled.

use std::fmt::Display;
use std::io::Write;

use crate::error::{DecodeError, Error};
use crate::family::{ListedPart, RecordField, RecordLine, Records, flush_if_full, missing_end, write_failed};
use crate::input::InputStream;
use crate::model::{Address, Name, PrimitiveType};

use super::encode;
use super::record::{Record, StoredHash};
use super::{Decoder, Resolver};

/// A PHD at its start.
pub(super) struct PhdRecords(pub(super) Decoder<InputStream>);

impl Records for PhdRecords {
    fn copy(self: Box<Self>, out: &mut dyn Write) -> Result<Option<DecodeError>, Error> {
        let mut decoder = self.0;
        let mut buffer = Vec::new();
        encode::header(&mut buffer, decoder.header())?;
        let layout = decoder.layout();
        let ended = decoder.visit(|located| {
            encode::record(&mut buffer, layout, located.record)?;
            flush_if_full(&mut buffer, out)
        });
        let missing = missing_end(ended.map(|_| encode::end_tag(&mut buffer)))?;
        out.write_all(&buffer).map_err(write_failed)?;
        decoder.visit_trailing(|piece| out.write_all(piece).map_err(write_failed))?;
        Ok(missing)
    }

    fn list(self: Box<Self>, each: &mut dyn FnMut(ListedPart) -> Result<(), Error>) -> Result<(), Error> {
        let mut decoder = self.0;
        let mut resolver = Resolver::new(decoder.layout());
        let ended = decoder.visit(|located| {
            let resolved = resolver.resolve(located.record);
            each(ListedPart::Record(RecordLine {
                record: located.index,
                offset: located.offset,
                length: located.bytes.len() as u64,
                kind: located.record.kind().to_owned(),
                address: Some(resolved.address.to_string()),
                fields: fields(located.record, resolved.class_word),
            }))
        })?;
        each(ListedPart::Other { offset: ended.end_tag, length: 1, what: "end" })?;
        let trailing = decoder.visit_trailing::<Error, _>(|_| Ok(()))?;
        if trailing > 0 {
            each(ListedPart::Other {
                offset: ended.end_tag + 1,
                length: trailing,
                what: "trailing bytes after the end tag",
            })?;
        }
        Ok(())
    }
}

fn fields(record: &Record<'_>, class_word: Option<Address>) -> Vec<RecordField> {
    let mut fields = Vec::new();
    let mut put = |name, value: &dyn Display| fields.push(RecordField::new(name, value));
    let mut array = |element: PrimitiveType, length: u64| {
        put("element type", &element);
        put("length", &length);
    };
    match record {
        Record::Class(r) => {
            put("name", &Name::from_bytes(r.name.as_ref()).quoted());
            put("superclass", &Address(r.superclass));
            put("instance size", &r.instance_size);
        }
        Record::PrimitiveArray(r) => array(r.element, r.length),
        Record::LongPrimitiveArray(r) => array(r.element, r.length),
        Record::ObjectArray(r) => r.length.iter().for_each(|length| put("true length", length)),
        Record::Short(_) | Record::Medium(_) | Record::Long(_) => {}
    }
    class_word.iter().for_each(|class_word| put("class", class_word));
    match record.hash() {
        StoredHash::Absent => {}
        StoredHash::Bits16(hash) => put("hash", &format_args!("{hash:#06x}")),
        StoredHash::Bits32(hash) => put("hash", &format_args!("{hash:#010x}")),
    }
    record.references().iter().for_each(|references| put("references", &references.len()));
    fields
}
