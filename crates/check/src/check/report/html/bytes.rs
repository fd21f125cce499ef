//! The fields of a dump around a wrong fact, as rows of a table.

use crate::check::report::evidence::{Evidence, EvidenceField};
use crate::check::report::group;

/// The most rows; those with wrong fields are among them.
const MOST_ROWS: usize = 12;

/// The rows before the first wrong field, where not all are shown.
const BEFORE: usize = 4;

/// Characters of a field's bytes, and of its meaning.
const MOST_CHARACTERS: usize = 200;

/// The annotated bytes of a wrong fact.
pub(super) struct EvidenceTable {
    pub(super) rows: Vec<ByteRow>,
    pub(super) before: usize,
    pub(super) after: usize,
}

/// A field.
pub(super) struct ByteRow {
    pub(super) offset: u64,
    pub(super) hex: String,
    pub(super) name: String,
    pub(super) meaning: String,
    pub(super) wrong: bool,
}

impl EvidenceTable {
    pub(super) fn from_evidence(evidence: &Evidence) -> Option<EvidenceTable> {
        let fields = &evidence.fields;
        let wrong = fields.iter().position(|field| field.wrong).unwrap_or_default();
        let before = if fields.len() > MOST_ROWS { wrong.saturating_sub(BEFORE) } else { 0 };
        let rows: Vec<ByteRow> = fields.iter().skip(before).take(MOST_ROWS).map(byte_row).collect();
        let after = fields.len() - before - rows.len();
        (!rows.is_empty()).then_some(EvidenceTable { rows, before, after })
    }
}

fn byte_row(field: &EvidenceField) -> ByteRow {
    ByteRow {
        offset: field.offset,
        hex: short(&field.bytes),
        name: short(&field.name),
        meaning: short(&field.meaning),
        wrong: field.wrong,
    }
}

fn short(text: &str) -> String {
    let (shown, left_out) = group::truncate(text, MOST_CHARACTERS);
    let ellipsis = if left_out > 0 { "…" } else { "" };
    format!("{shown}{ellipsis}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_fields_around_wrong_one() {
        let field = |n| EvidenceField { offset: n, wrong: n == 500, ..EvidenceField::default() };
        let evidence = Evidence { fields: (0..1000).map(field).collect(), ..Evidence::default() };
        let bytes = EvidenceTable::from_evidence(&evidence).expect("there are fields");
        assert_eq!((bytes.before, bytes.rows.len(), bytes.after), (496, 12, 492));
        assert!(bytes.rows[4].wrong);
    }
}
