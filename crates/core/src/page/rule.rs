//! The text of a rule.

use crate::format;

/// A rule's text.
#[doc(hidden)]
pub struct RuleDescription {
    /// Its id.
    pub id: &'static str,
    /// The statement, the documents' wording where it differs, and the sources: a line each.
    pub text: String,
}

impl RuleDescription {
    /// The text of a rule of the rule books.
    #[doc(hidden)]
    pub fn from_id(id: &str) -> Option<RuleDescription> {
        let rule = format::rule(id)?;
        let documents = rule.documents.map(|documents| format!("In the documents: {documents}"));
        let sources: Vec<String> = format::sources(rule).iter().map(ToString::to_string).collect();
        let sources = (!sources.is_empty()).then(|| format!("Sources: {}", sources.join("; ")));
        let lines: Vec<String> = [Some(rule.statement.to_owned()), documents, sources].into_iter().flatten().collect();
        Some(RuleDescription { id: rule.id, text: lines.join("\n") })
    }
}
