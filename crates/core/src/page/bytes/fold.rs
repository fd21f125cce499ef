//! The fields of a record, as many as a page can show.

use std::collections::VecDeque;

use crate::annotation::{Annotation, value_shown};
use crate::error::{DecodeError, Error};
use crate::format::DumpFile;
use crate::page::shortened;

use super::BEFORE;
use super::survey::{DumpSurvey, decode_error};

/// Fields of a record: the first and the last ones. What stands between them is counted.
const FIRST: usize = 60;
const LAST: usize = 4;

/// Bytes of a field.
const MOST_BYTES: usize = 64;

/// Characters of a meaning.
const MOST_OF_MEANING: usize = 300;

/// Characters of a class in the line of its record.
const MOST_OF_CLASS: usize = 120;

/// The fields of a record, or of what stands before the first or after the last one.
#[derive(Default)]
pub(super) struct FoldedRecord {
    pub(super) record: Option<u64>,
    pub(super) offset: u64,
    pub(super) length: u64,
    pub(super) first: Vec<FieldRow>,
    pub(super) last: VecDeque<FieldRow>,
    /// Fields between the first and the last ones, and their bytes.
    pub(super) left_out: u64,
    pub(super) left_out_bytes: u64,
    /// The class that its fields name, if they do.
    pub(super) class: Option<String>,
    /// Whether reading stops in it.
    pub(super) is_broken: bool,
}

/// A field.
pub(super) struct FieldRow {
    pub(super) offset: u64,
    pub(super) hex: String,
    /// Bytes of it, and those that are not shown.
    pub(super) length: u64,
    pub(super) more: u64,
    pub(super) name: &'static str,
    pub(super) value: String,
    pub(super) meaning: String,
    pub(super) is_wrong: bool,
}

impl FoldedRecord {
    fn begin(field: &Annotation<'_>) -> FoldedRecord {
        FoldedRecord { record: field.record, offset: field.offset, ..FoldedRecord::default() }
    }

    fn add(&mut self, field: &Annotation<'_>) {
        self.length = (field.offset - self.offset) + field.bytes.len() as u64;
        self.is_broken |= field.breaks.is_some();
        if self.class.is_none() && field.meaning.starts_with("class \"") {
            self.class = Some(shortened(&field.meaning, MOST_OF_CLASS).into_owned());
        }
        if self.first.len() < FIRST {
            self.first.push(FieldRow::from_annotation(field));
            return;
        }
        self.last.push_back(FieldRow::from_annotation(field));
        if self.last.len() > LAST
            && let Some(row) = self.last.pop_front()
        {
            self.left_out += 1;
            self.left_out_bytes += row.length;
        }
    }

    /// The name of its place in the page.
    pub(super) fn anchor(&self) -> String {
        match self.record {
            Some(record) => format!("r{record}"),
            None if self.offset == 0 => "header".to_owned(),
            None => "end".to_owned(),
        }
    }

    /// A name for fields that no line of a record names.
    pub(super) fn title(&self) -> &'static str {
        match self.record {
            _ if self.is_broken => "reading stops here",
            None if self.offset == 0 => "header",
            None => "end of the dump",
            Some(_) => "record",
        }
    }

    /// The offset of the end.
    pub(super) fn end_offset(&self) -> u64 {
        self.offset + self.length
    }
}

impl FieldRow {
    fn from_annotation(field: &Annotation<'_>) -> FieldRow {
        let length = field.bytes.len();
        let shown = &field.bytes[..length.min(MOST_BYTES)];
        let hex: Vec<String> = shown.iter().map(|byte| format!("{byte:02x}")).collect();
        FieldRow {
            offset: field.offset,
            hex: hex.join(" "),
            length: length as u64,
            more: (length - shown.len()) as u64,
            name: field.name,
            value: field.value.map(value_shown).unwrap_or_default(),
            meaning: shortened(&field.meaning, MOST_OF_MEANING).into_owned(),
            is_wrong: field.breaks.is_some(),
        }
    }
}

/// Fields as they come, put together by record.
pub(super) struct RecordFolder<F> {
    open: Option<FoldedRecord>,
    put: F,
}

impl<F: FnMut(FoldedRecord) -> Result<(), Error>> RecordFolder<F> {
    pub(super) fn new(put: F) -> RecordFolder<F> {
        RecordFolder { open: None, put }
    }

    pub(super) fn add(&mut self, field: &Annotation<'_>) -> Result<(), Error> {
        if self.open.as_ref().is_some_and(|fold| fold.record != field.record) {
            self.finish()?;
        }
        self.open.get_or_insert_with(|| FoldedRecord::begin(field)).add(field);
        Ok(())
    }

    pub(super) fn finish(&mut self) -> Result<(), Error> {
        self.open.take().map_or(Ok(()), &mut self.put)
    }
}

/// The records before the one in which reading stops, then that, and the error.
pub(super) fn read_up_to_error(
    dump: &DumpFile,
    survey: &DumpSurvey,
) -> Result<(Vec<FoldedRecord>, Option<DecodeError>), Error> {
    let mut last = VecDeque::new();
    let mut folds = RecordFolder::new(|fold| {
        last.push_back(fold);
        if last.len() as u64 > BEFORE + 1 {
            last.pop_front();
        }
        Ok(())
    });
    let from = survey.records.saturating_sub(BEFORE);
    let visited = dump.annotate(&mut |field| match field.record {
        Some(record) if record < from => folds.finish(),
        _ => folds.add(&field),
    });
    let error = decode_error(visited)?;
    folds.finish()?;
    Ok((last.into(), error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_many_fields_the_first_and_the_last_are_kept_and_the_others_counted() {
        let mut fold = FoldedRecord { offset: 100, ..FoldedRecord::default() };
        for n in 0..1000 {
            let meaning = "x".repeat(1000);
            fold.add(&Annotation {
                offset: 100 + 100 * n,
                bytes: &[7; 100],
                record: Some(5),
                name: "reference",
                value: Some(n as i64),
                meaning,
                breaks: None,
            });
        }
        assert_eq!((fold.length, fold.end_offset()), (100_000, 100_100));
        assert_eq!((fold.first.len(), fold.last.len(), fold.left_out, fold.left_out_bytes), (60, 4, 936, 93_600));
        assert_eq!((fold.first[59].value.as_str(), fold.last[0].value.as_str()), ("59", "996"));
        let row = &fold.first[0];
        assert_eq!((row.hex.len(), row.more, row.meaning.chars().count()), (3 * 64 - 1, 36, 301));
    }
}
