//! The rule books of all formats.

use crate::error::RuleId;
use crate::findings::{Rule, Rulebook, Severity};
use crate::format::Family;
use crate::{classic, hprof, phd};

/// The rule book of a format, from `specs/`.
pub fn rulebook(format: Family) -> &'static Rulebook {
    match format {
        Family::Phd => &phd::rules::BOOK,
        Family::Hprof => &hprof::rules::BOOK,
        Family::Classic => &classic::rules::BOOK,
    }
}

/// The rule of this id, from the rule book that the id's first part names.
pub fn rule(id: &str) -> Option<&'static Rule> {
    book_of(id)?.rule(id)
}

/// The severity of a rule of the bytes.
pub(crate) fn severity(id: RuleId) -> Severity {
    book_of(id.0).map_or(Severity::Error, |book| book.severity(id))
}

fn book_of(id: &str) -> Option<&'static Rulebook> {
    let (format, _) = id.split_once('.')?;
    Family::ALL.into_iter().map(rulebook).find(|book| book.format == format)
}
