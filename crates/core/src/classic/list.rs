//! The records of a classic heap dump in words, and as they are spelled.

use std::io::Write;

use crate::bytes::ebcdic::MappedStream;
use crate::error::{DecodeError, Error};
use crate::family::{ListedPart, RecordField, RecordLine, Records, flush_if_full, missing_end, write_failed};
use crate::input::InputStream;
use crate::model::Address;

use super::decode::RecordSlice;
use super::wire::{Charset, EntryRecordKind};
use super::{DecodeStep, Decoder, Record, encode, lift};

/// A classic heap dump at its start.
pub(super) struct ClassicRecords(pub(super) Decoder<InputStream>);

impl Records for ClassicRecords {
    fn copy(self: Box<Self>, out: &mut dyn Write) -> Result<Option<DecodeError>, Error> {
        let mut decoder = self.0;
        let mut buffer = Vec::new();
        let mut out = MappedStream::new(out, decoder.encoding().inverse());
        let ended = decoder.visit(|step| {
            match step {
                DecodeStep::Record(_, record) => encode::record(&mut buffer, &record),
                DecodeStep::More(_, references) => encode::references(&mut buffer, &references),
            }
            flush_if_full(&mut buffer, &mut out)
        });
        let missing = missing_end(ended.map(|_| ()))?;
        out.write_all(&buffer).map_err(write_failed)?;
        Ok(missing)
    }

    fn list(self: Box<Self>, each: &mut dyn FnMut(ListedPart) -> Result<(), Error>) -> Result<(), Error> {
        let mut decoder = self.0;
        let charset = decoder.encoding().charset;
        decoder.visit(|step| match step {
            DecodeStep::Record(at, record) => each(ListedPart::Record(record_line(&at, &record, charset))),
            DecodeStep::More(..) => Ok(()),
        })?;
        Ok(())
    }
}

fn record_line(at: &RecordSlice<'_>, record: &Record<'_>, charset: Charset) -> RecordLine {
    let text = |bytes: &[u8]| lift::name(bytes, charset).quoted();
    let one = |name, bytes: &[u8]| vec![RecordField::new(name, text(bytes))];
    let (kind, address, fields) = match record {
        Record::Space(_) => ("white space", None, Vec::new()),
        Record::Version(line) => ("version", None, one("version", line.version())),
        Record::Breakdown(line, _) => ("breakdown", None, one("text", line.content())),
        Record::Eof(line, _) => ("totals", None, one("text", line.content())),
        Record::Comment(line) => ("comment", None, one("text", line.content())),
        Record::Entry(entry) => {
            let kind = if entry.kind == EntryRecordKind::Class { "class" } else { "object" };
            let more = if at.open { " and more" } else { "" };
            let fields = vec![
                RecordField::new("type", text(entry.name)),
                RecordField::new("size", entry.size.value),
                RecordField::new("references", format_args!("{}{more}", entry.references.values.len())),
            ];
            (kind, Some(Address(entry.address.value).to_string()), fields)
        }
    };
    let (record, offset, length) = (at.index, at.offset, at.bytes.len() as u64);
    RecordLine { record, offset, length, kind: kind.to_owned(), address, fields }
}
