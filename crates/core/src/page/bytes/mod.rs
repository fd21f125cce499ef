//! A dump's bytes as a page: every record folded up, its fields with their bytes, values and meanings, a picture of how the
//! bytes divide over kinds of record, and, of a dump that cannot be read to its end, the field at which reading stops.
//!
//! The dump is read two or three times: for the kinds of its records and the lines that name them; if it cannot be read to its
//! end, for the fields before the error; and for the fields of the records that the page has. Of these, one record is held at a
//! time, and of each record and field no more than a page can show.

mod columns;
mod fold;
mod picture;
mod survey;

use std::io;

use askama::Template;
use fold::{FoldedRecord, RecordFolder};
use picture::{BytePicture, grouped};
use survey::{DumpSurvey, PartKinds, RecordHeading};

use crate::error::{DecodeError, Error};
use crate::format::DumpFile;
use crate::setters::setters;

use super::{Inline, RuleDescription, TextEscaper};

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("script.js");

/// The records that a page has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BytePageOptions {
    /// The first is the one that has the byte at this offset, or else the next one.
    pub from: u64,
    /// The number of records, at most [`MOST_RECORDS`]. A dump that cannot be read to its end has a few before the
    /// error besides.
    pub records: u64,
}

setters! {
    impl BytePageOptions {
        set from: u64;
        set records: u64;
    }
}

impl Default for BytePageOptions {
    fn default() -> BytePageOptions {
        BytePageOptions { from: 0, records: 1000 }
    }
}

/// Records of a page, at most: a browser takes seconds to open more.
pub const MOST_RECORDS: u64 = 50_000;

/// Records before the one that cannot be read.
const BEFORE: u64 = 8;

/// Writes the page. Gives back the error of a dump that cannot be read to its end: the page begins with it then.
///
/// # Errors
/// If the dump cannot be read because of the machine, or `out` takes no more.
pub fn write(dump: &DumpFile, options: BytePageOptions, out: &mut dyn io::Write) -> Result<Option<DecodeError>, Error> {
    let survey = DumpSurvey::from_dump(dump, options)?;
    let (tail, error) = if survey.is_cut { fold::read_up_to_error(dump, &survey)? } else { (Vec::new(), None) };
    let mut list = RecordListWriter { out, survey: &survey, records: 0, start: None, end: 0 };
    list.render(&PageStart::new(dump, options, &survey, tail.last(), error.as_ref()))?;
    let [first, last] = [survey.window.first(), survey.window.last()].map(|line| line.map(|line| line.record));
    let mut is_done = false;
    let mut folds = RecordFolder::new(|fold| list.write_record(&fold));
    let visited = dump.annotate(&mut |field| match field.record {
        Some(record) if last.is_none_or(|last| record > last) => {
            is_done = true;
            folds.finish()?;
            // Only ends the visit.
            Err(Error::Usage(String::new()))
        }
        Some(record) if first.is_some_and(|first| record < first) => folds.finish(),
        _ => folds.add(&field),
    });
    match visited {
        Err(_) if is_done => {}
        Err(Error::Decode(error)) if !error.is_machine_fault() => folds.finish()?,
        visited => visited.and_then(|()| folds.finish())?,
    }
    tail.iter().try_for_each(|fold| list.write_record(fold))?;
    list.write_gap(survey.records)?;
    list.render(&PageEnd { script: Inline::script(SCRIPT), version: env!("CARGO_PKG_VERSION") })?;
    Ok(error)
}

/// The part of the page before the list of records.
#[derive(Template)]
#[template(path = "start.html")]
struct PageStart<'a> {
    style: Inline,
    script: Inline,
    name: &'a str,
    format: String,
    length: String,
    records: String,
    shown: String,
    is_whole: bool,
    picture: BytePicture,
    /// The error at which reading stops.
    error: Option<&'a DecodeError>,
    rule: Option<RuleDescription>,
    /// The record with it.
    fold: Option<&'a FoldedRecord>,
}

impl<'a> PageStart<'a> {
    fn new(
        dump: &'a DumpFile,
        options: BytePageOptions,
        survey: &'a DumpSurvey,
        fold: Option<&'a FoldedRecord>,
        error: Option<&'a DecodeError>,
    ) -> PageStart<'a> {
        let format = dump.format().map_or_else(|_| dump.family().title().to_owned(), |format| format.to_string());
        let shown = match (survey.window.first(), survey.window.last()) {
            (Some(_), Some(_)) if survey.window.len() as u64 == survey.records => "All records are listed".to_owned(),
            (Some(first), Some(last)) => format!(
                "Records {} to {} of {} are listed, offsets {:#x} to {:#x}",
                grouped(first.record),
                grouped(last.record),
                grouped(survey.records),
                first.offset,
                survey.window_end
            ),
            _ if survey.records == 0 => "No record could be read".to_owned(),
            _ => format!("No record has a byte at offset {:#x} or after it", options.from),
        };
        PageStart {
            style: Inline::style(STYLE),
            script: Inline::script(SCRIPT),
            name: dump.input().name(),
            format,
            length: grouped(survey.length),
            records: counted(survey.records, "record"),
            is_whole: survey.window.len() as u64 == survey.records,
            shown,
            picture: BytePicture::from_survey(survey),
            error,
            rule: error.and_then(|error| RuleDescription::from_id(error.rule().0)),
            fold,
        }
    }
}

/// A number of things.
fn counted(number: u64, what: &str) -> String {
    if number == 1 { format!("1 {what}") } else { format!("{} {what}s", grouped(number)) }
}

/// A record of the list.
#[derive(Template)]
#[template(path = "record.html")]
struct PageRecord<'a> {
    fold: &'a FoldedRecord,
    line: Option<&'a RecordHeading>,
    kind: &'a str,
    colour: usize,
}

/// Records that are left out of the list.
#[derive(Template)]
#[template(path = "gap.html")]
struct PageGap {
    left_out: String,
}

/// The part of the page after the list.
#[derive(Template)]
#[template(path = "end.html")]
struct PageEnd {
    script: Inline,
    version: &'static str,
}

/// The list of records, as far as it is written.
struct RecordListWriter<'w> {
    out: &'w mut dyn io::Write,
    survey: &'w DumpSurvey,
    /// Records before this one are written or said to be left out.
    records: u64,
    /// The beginning and end of the last part that was written.
    start: Option<u64>,
    end: u64,
}

impl RecordListWriter<'_> {
    /// Writes a part of the dump that does not stand there yet, and before it how many records are left out.
    fn write_record(&mut self, fold: &FoldedRecord) -> Result<(), Error> {
        if fold.offset < self.end || Some(fold.offset) == self.start {
            return Ok(());
        }
        (self.start, self.end) = (Some(fold.offset), fold.offset + fold.length);
        if let Some(record) = fold.record {
            self.write_gap(record)?;
            self.records = record + 1;
        }
        let line = fold.record.and_then(|record| self.survey.line(record));
        let kinds = &self.survey.kinds;
        let (kind, colour) = match line {
            Some(line) => (kinds.0[line.kind].name.as_str(), kinds.colour(line.kind)),
            None => (fold.title(), kinds.colour(PartKinds::HEADER)),
        };
        self.render(&PageRecord { fold, line, kind, colour })
    }

    /// Says how many records are left out before this one.
    fn write_gap(&mut self, record: u64) -> Result<(), Error> {
        let count = record.saturating_sub(self.records);
        if count == 0 { Ok(()) } else { self.render(&PageGap { left_out: counted(count, "record") }) }
    }

    fn render(&mut self, part: &impl Template) -> Result<(), Error> {
        Template::write_into(part, self.out).map_err(|e| Error::io("writing the page", e))
    }
}
