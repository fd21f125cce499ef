//! A field of a byte map in a line.

use crate::annotation::{Annotation, value_shown};
use schemars::JsonSchema;
use serde::Serialize;

use crate::command::terminal;

/// A field, as `inspect --bytes --json` prints it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct FieldLine {
    /// Offset in the decompressed dump.
    pub(crate) offset: u64,
    /// The bytes in hexadecimal.
    bytes: String,
    /// Index of the field's record, if it has one.
    pub(crate) record: Option<u64>,
    /// Field name.
    pub(crate) field: String,
    /// Its value, if it is a number.
    value: Option<i64>,
    /// What it means; of a field at which reading stops, what was expected and what was found.
    meaning: String,
    /// The rule that it breaks, if reading stops at it: it is the last field then.
    #[serde(skip_serializing_if = "Option::is_none")]
    breaks: Option<String>,
}

impl FieldLine {
    pub(crate) fn from_annotation(field: &Annotation<'_>) -> FieldLine {
        FieldLine {
            offset: field.offset,
            bytes: field.bytes.iter().map(|b| format!("{b:02x}")).collect(),
            record: field.record,
            field: field.name.to_owned(),
            value: field.value,
            meaning: field.meaning.clone(),
            breaks: field.breaks.map(|rule| rule.to_string()),
        }
    }

    /// Whether it has a byte of these.
    #[cfg(feature = "corpus")]
    pub(crate) fn overlaps(&self, offset: u64, length: u64) -> bool {
        self.offset < offset.saturating_add(length) && offset < self.offset + self.length()
    }

    /// Whether reading stops at it.
    #[cfg(feature = "corpus")]
    pub(crate) fn is_broken(&self) -> bool {
        self.breaks.is_some()
    }

    /// Its length in bytes.
    pub(crate) fn length(&self) -> u64 {
        self.bytes.len() as u64 / 2
    }

    pub(crate) fn begins_a_record(&self) -> bool {
        matches!(self.field.as_str(), "tag" | "sub-record tag" | "end tag")
    }

    /// Of the first field of a record: which kind of record that is.
    #[cfg(feature = "corpus")]
    pub(crate) fn record_kind(&self) -> String {
        // What follows is about the record itself.
        let form = self.meaning.split([',', '(']).next().unwrap_or_default();
        form.split(" of class").next().unwrap_or_default().trim().to_owned()
    }

    /// As text: a long field takes several lines, and the first names it.
    pub(crate) fn lines(&self) -> impl Iterator<Item = String> {
        let (first, rest) = self.bytes.split_at(self.bytes.len().min(PER_LINE));
        let value = self.value.map(value_shown).unwrap_or_default();
        let error = self.breaks.as_ref().map(|rule| format!("{}[{rule}]: ", terminal::bad("error")));
        let (offset, name, error, meaning) = (self.offset, &self.field, error.unwrap_or_default(), &self.meaning);
        let named = format!("{offset:08x}  {first:<PER_LINE$}  {name:<20}  {value:<12}  {error}{meaning}");
        let further = rest.as_bytes().chunks(PER_LINE).enumerate().map(move |(index, piece)| {
            let offset = offset + ((index + 1) * PER_LINE / 2) as u64;
            format!("{offset:08x}  {}", String::from_utf8_lossy(piece))
        });
        std::iter::once(named).chain(further)
    }
}

/// Hexadecimal digits in a line.
const PER_LINE: usize = 32;
