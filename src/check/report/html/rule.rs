//! The text of a rule.

use crate::format::Family;
use crate::validate;

/// A rule's text.
pub(super) struct RuleText {
    pub(super) id: &'static str,
    /// What it says, what documents say otherwise, and where it is from: a line each.
    pub(super) text: String,
}

impl RuleText {
    /// The text of a rule of the rule books.
    pub(super) fn of(id: &str) -> Option<RuleText> {
        let rule = validate::rule(id)?;
        let book = Family::ALL.into_iter().map(validate::rulebook).find(|book| book.rule(id).is_some())?;
        let title = |key: &str| book.source.iter().find(|source| source.key == key).map(|source| source.title);
        let source = |text: &&str| {
            let (key, place) = text.split_once(", ").unwrap_or((text, ""));
            let title = title(key).unwrap_or(key);
            if place.is_empty() { title.to_owned() } else { format!("{title}: {place}") }
        };
        let documents = rule.documents.map(|documents| format!("In the documents: {documents}"));
        let sources: Vec<String> = rule.source.iter().map(source).collect();
        let sources = (!sources.is_empty()).then(|| format!("Sources: {}", sources.join("; ")));
        let lines: Vec<String> = [Some(rule.statement.to_owned()), documents, sources].into_iter().flatten().collect();
        Some(RuleText { id: rule.id, text: lines.join("\n") })
    }
}
