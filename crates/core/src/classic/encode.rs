//! Records to text. Mirrors [`super::decode`]: a record knows its own spelling.

use super::record::{EntryRecord, Record, ReferenceList, SlashLine};

/// Appends a record.
pub fn record(out: &mut Vec<u8>, record: &Record<'_>) {
    match record {
        Record::Space(text) => out.extend_from_slice(text),
        Record::Entry(entry) => self::entry(out, entry),
        Record::Version(line) | Record::Breakdown(line, _) | Record::Eof(line, _) | Record::Comment(line) => {
            self::line(out, line);
        }
    }
}

/// Appends more references of the record before.
pub fn references(out: &mut Vec<u8>, references: &ReferenceList<'_>) {
    out.extend_from_slice(references.text);
}

fn line(out: &mut Vec<u8>, line: &SlashLine<'_>) {
    out.extend_from_slice(line.text);
    out.extend_from_slice(line.after);
}

fn entry(out: &mut Vec<u8>, entry: &EntryRecord<'_>) {
    out.extend_from_slice(entry.address.text);
    out.extend_from_slice(entry.before_size);
    out.extend_from_slice(entry.size.text);
    out.extend_from_slice(entry.before_kind);
    out.extend_from_slice(entry.kind.word());
    out.extend_from_slice(entry.before_name);
    out.extend_from_slice(entry.name);
    references(out, &entry.references);
}
