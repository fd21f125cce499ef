//! The first reading of a dump: kinds of records, how the bytes divide over them, and the lines that name the records
//! of the page.

use std::collections::VecDeque;

use crate::error::{DecodeError, Error};
use crate::format::{DumpFile, ListedPart, RecordLine};
use crate::page::shortened;

use super::columns::Columns;
use super::{BEFORE, BytePageOptions, MOST_RECORDS};

/// Characters of what a line says of its record.
const MOST_OF_LINE: usize = 160;

/// A record in a line.
pub(super) struct RecordHeading {
    pub(super) record: u64,
    pub(super) offset: u64,
    /// Index of its kind.
    pub(super) kind: usize,
    /// Whether it is a part of another record, which its format's list shows by an indent.
    pub(super) is_inside: bool,
    pub(super) address: Option<String>,
    pub(super) about: String,
}

impl RecordHeading {
    /// Whether it has the name of a class, such as `class "A"`, already.
    pub(super) fn names_class(&self, class: &str) -> bool {
        self.about.contains(class.trim_start_matches("class "))
    }
}

/// Results of the first reading.
#[derive(Default)]
pub(super) struct DumpSurvey {
    pub(super) kinds: PartKinds,
    pub(super) columns: Columns,
    /// The number of records that could be read.
    pub(super) records: u64,
    /// The offset of the first of them.
    pub(super) first: Option<u64>,
    /// Bytes that could be read.
    pub(super) read: u64,
    /// Bytes of the dump, where that is known.
    pub(super) length: u64,
    /// Whether the dump cannot be read to its end.
    pub(super) is_cut: bool,
    /// The records of the page, which follow each other, and where the last one ends.
    pub(super) window: Vec<RecordHeading>,
    pub(super) window_end: u64,
    /// The last records.
    last: VecDeque<RecordLine>,
    tail: Vec<RecordHeading>,
    /// Whether where the last record ends has yet to be seen.
    is_open: bool,
    /// Kind and offset of the part that is open.
    open: Option<(usize, u64)>,
}

impl DumpSurvey {
    /// Reads a dump as far as it can be read.
    pub(super) fn from_dump(dump: &DumpFile, options: BytePageOptions) -> Result<DumpSurvey, Error> {
        let mut survey = DumpSurvey::default();
        survey.part(PartKinds::HEADER, 0);
        let mut end = 0;
        let listed = dump.records().and_then(|records| {
            records.list(&mut |listed| {
                let (offset, length) = match listed {
                    ListedPart::Record(line) => {
                        let place = (line.offset, line.length);
                        survey.record(line, options);
                        place
                    }
                    ListedPart::Other { offset, length, what } => {
                        survey.end_last_record(offset, options);
                        let kind = survey.kinds.index_of(what);
                        survey.part(kind, offset);
                        (offset, length)
                    }
                };
                end = end.max(offset.saturating_add(length));
                Ok(())
            })
        });
        let error = decode_error(listed)?;
        survey.finish(end, error.as_ref(), options);
        let input = dump.input();
        let is_plain = !input.is_generated() && !input.is_compressed();
        survey.length = if is_plain { input.length().max(survey.read) } else { survey.read };
        survey.columns.reach(survey.length);
        Ok(survey)
    }

    /// The line of a record of the page.
    pub(super) fn line(&self, record: u64) -> Option<&RecordHeading> {
        let of = |lines: &'_ [RecordHeading]| {
            let index = record.checked_sub(lines.first()?.record)?;
            usize::try_from(index).ok().filter(|index| *index < lines.len())
        };
        of(&self.window).map(|at| &self.window[at]).or_else(|| of(&self.tail).map(|at| &self.tail[at]))
    }

    fn record(&mut self, line: RecordLine, options: BytePageOptions) {
        let kind = self.kinds.index_of(line.kind.trim_start());
        self.first.get_or_insert(line.offset);
        self.part(kind, line.offset);
        self.kinds.0[kind].records += 1;
        self.records += 1;
        self.end_last_record(line.offset, options);
        self.last.push_back(line);
        self.is_open = true;
        if self.last.len() as u64 > BEFORE {
            self.last.pop_front();
        }
    }

    /// The last record ends here: it may belong to the page.
    fn end_last_record(&mut self, end: u64, options: BytePageOptions) {
        let Some(line) = self.last.back() else { return };
        let is_room = (self.window.len() as u64) < options.records.min(MOST_RECORDS);
        let is_open = std::mem::take(&mut self.is_open);
        if is_open && is_room && end > options.from {
            let line = self.kinds.line(line);
            self.window.push(line);
            self.window_end = end;
        }
    }

    /// A part of the dump begins, and the one before it ends.
    fn part(&mut self, kind: usize, offset: u64) {
        if let Some((open, start)) = self.open.replace((kind, offset)) {
            self.kinds.0[open].bytes += offset.saturating_sub(start);
            self.columns.add(open, start, offset);
        }
    }

    fn finish(&mut self, end: u64, error: Option<&DecodeError>, options: BytePageOptions) {
        // Contents that are cut belong to a record that was listed, and may be stated to end where no bytes are.
        let start = self.open.map_or(0, |(_, start)| start);
        self.read = error.map_or(end, |error| error.offset().max(start));
        self.is_cut = error.is_some();
        let sound = end.min(self.read);
        self.end_last_record(sound, options);
        if sound < self.read && self.records > 0 {
            // The record that cannot be read begins where the last one ended.
            let kind = self.kinds.index_of(BROKEN);
            self.part(kind, sound);
        }
        self.part(PartKinds::HEADER, self.read);
        self.tail = self.last.iter().map(|line| self.kinds.line(line)).collect();
    }
}

/// The record in which reading stops, among the kinds.
const BROKEN: &str = "cannot be read";

/// Takes the dump's own error out of a result.
pub(super) fn decode_error(ended: Result<(), Error>) -> Result<Option<DecodeError>, Error> {
    match ended {
        Ok(()) => Ok(None),
        Err(Error::Decode(error)) if !error.is_machine_fault() => Ok(Some(error)),
        Err(error) => Err(error),
    }
}

/// A kind of record.
pub(super) struct KindTotals {
    pub(super) name: String,
    pub(super) records: u64,
    pub(super) bytes: u64,
}

/// The kinds of a dump's parts, in the order in which they first occur.
pub(super) struct PartKinds(pub(super) Vec<KindTotals>);

impl Default for PartKinds {
    fn default() -> PartKinds {
        PartKinds(vec![KindTotals { name: "header".to_owned(), records: 0, bytes: 0 }])
    }
}

impl PartKinds {
    /// The kind of the bytes before the first record.
    pub(super) const HEADER: usize = 0;

    /// The index of a kind.
    fn index_of(&mut self, name: &str) -> usize {
        self.0.iter().position(|kind| kind.name == name).unwrap_or_else(|| {
            self.0.push(KindTotals { name: name.to_owned(), records: 0, bytes: 0 });
            self.0.len() - 1
        })
    }

    /// Indices of the kinds, that with the most bytes first.
    pub(super) fn by_size(&self) -> Vec<usize> {
        let mut kinds: Vec<usize> = (0..self.0.len()).filter(|kind| self.0[*kind].bytes > 0).collect();
        kinds.sort_by_key(|kind| std::cmp::Reverse(self.0[*kind].bytes));
        kinds
    }

    fn line(&mut self, line: &RecordLine) -> RecordHeading {
        let fields: Vec<String> = line.fields.iter().map(ToString::to_string).collect();
        let is_inside = line.is_inside();
        RecordHeading {
            record: line.record,
            offset: line.offset,
            kind: self.index_of(line.kind.trim_start()),
            is_inside,
            address: line.address.clone(),
            about: shortened(&fields.join(", "), MOST_OF_LINE).into_owned(),
        }
    }
}
