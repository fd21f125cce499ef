//! The kind of record, or part of the header, at a place of a dump.

use heapsmith_core::error::Error;
use heapsmith_core::family::case::Case;
use heapsmith_core::format::{DumpFile, Family};
use heapsmith_core::hprof::ReadOptions;
use heapsmith_core::input::Input;

/// The records and parts of a dump, as far as it can be read.
pub(super) struct RecordParts {
    stretches: Vec<PartSpan>,
    first: &'static str,
    last: &'static str,
}

struct PartSpan {
    start: u64,
    end: u64,
    record: Option<u64>,
    part: Option<&'static str>,
    /// Whether reading stops in the part.
    broken: bool,
}

impl RecordParts {
    /// The records and parts of a case.
    ///
    /// # Errors
    /// If the dump in memory cannot be read, which is a defect.
    pub(super) fn from_case(case: &Case) -> Result<RecordParts, Error> {
        let family = case.format.family();
        let mut stretches: Vec<PartSpan> = Vec::new();
        let dump = DumpFile::new(Input::from_memory(&case.id, case.bytes.clone()), ReadOptions::default())?;
        let read = dump.annotate(&mut |field| {
            let part = family.part(&field);
            let (start, end) = (field.offset, field.offset + field.bytes.len() as u64);
            let broken = field.breaks.is_some();
            // A record is of one kind; outside of records, each part begins with a field of its own.
            match stretches.last_mut().filter(|last| last.record == field.record) {
                Some(last) if field.record.is_some() || part.is_none() || last.part.is_none() => {
                    last.end = end;
                    last.part = last.part.or(part);
                    last.broken |= broken;
                }
                _ => stretches.push(PartSpan { start, end, record: field.record, part, broken }),
            }
            Ok(())
        });
        match read {
            Ok(()) | Err(Error::Decode(_)) => Ok(RecordParts { stretches, ..RecordParts::empty(family) }),
            Err(error) => Err(error),
        }
    }

    fn empty(family: Family) -> RecordParts {
        let parts = family.parts();
        let part = |part: Option<&&'static str>| part.copied().unwrap_or_default();
        RecordParts { stretches: Vec::new(), first: part(parts.first()), last: part(parts.last()) }
    }

    /// The part at an offset. An offset before all fields belongs to the first part, one after all fields to the last.
    pub(super) fn part_at(&self, offset: u64) -> &'static str {
        let Some(at) = self.stretches.iter().rposition(|stretch| stretch.start <= offset) else { return self.first };
        let stretch = &self.stretches[at];
        if offset >= stretch.end && !stretch.broken { self.last } else { stretch.part.unwrap_or(self.first) }
    }

    /// Whether the dump has such a part. Every dump has a beginning and an end.
    pub(super) fn has(&self, part: &str) -> bool {
        let is_there = self.stretches.iter().any(|stretch| stretch.part == Some(part));
        part == self.first || part == self.last || is_there
    }
}
