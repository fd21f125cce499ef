//! The fields of a dump around a wrong fact, as rows of a table.

use crate::check::report::evidence::{Evidence, Field};
use crate::check::report::group;

/// The most rows; those with wrong fields are among them.
const MOST_ROWS: usize = 12;

/// The rows before the first wrong field, where not all are shown.
const BEFORE: usize = 4;

/// Characters of a field's bytes, and of its meaning.
const MOST_CHARACTERS: usize = 200;

/// The annotated bytes of a wrong fact.
pub(super) struct Bytes {
    pub(super) rows: Vec<Row>,
    pub(super) before: usize,
    pub(super) after: usize,
}

/// A field.
pub(super) struct Row {
    pub(super) offset: u64,
    pub(super) hex: String,
    pub(super) name: String,
    pub(super) meaning: String,
    pub(super) wrong: bool,
}

impl Bytes {
    pub(super) fn of(evidence: &Evidence) -> Option<Bytes> {
        let fields = &evidence.fields;
        let wrong = fields.iter().position(|field| field.wrong).unwrap_or_default();
        let before = if fields.len() > MOST_ROWS { wrong.saturating_sub(BEFORE) } else { 0 };
        let rows: Vec<Row> = fields.iter().skip(before).take(MOST_ROWS).map(row).collect();
        let after = fields.len() - before - rows.len();
        (!rows.is_empty()).then_some(Bytes { rows, before, after })
    }
}

fn row(field: &Field) -> Row {
    Row {
        offset: field.offset,
        hex: short(&field.bytes),
        name: short(&field.name),
        meaning: short(&field.meaning),
        wrong: field.wrong,
    }
}

fn short(text: &str) -> String {
    let (shown, left_out) = group::cut(text, MOST_CHARACTERS);
    let ellipsis = if left_out > 0 { "…" } else { "" };
    format!("{shown}{ellipsis}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_many_fields_those_around_the_wrong_one_are_shown() {
        let field = |n| Field { offset: n, wrong: n == 500, ..Field::default() };
        let evidence = Evidence { fields: (0..1000).map(field).collect(), ..Evidence::default() };
        let bytes = Bytes::of(&evidence).expect("there are fields");
        assert_eq!((bytes.before, bytes.rows.len(), bytes.after), (496, 12, 492));
        assert!(bytes.rows[4].wrong);
    }
}
