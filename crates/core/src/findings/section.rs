//! Statements of the documents, sentence by sentence, and the rules that stand for them.

use serde::Serialize;

/// A section of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// Document and section, as rules cite them.
    pub name: &'static str,
    /// Its sentences, list items and table rows, in their order. The first has the ordinal 1.
    pub statements: &'static [Statement],
}

/// A sentence, list item or table row of a document, in this project's words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// The statement.
    pub says: &'static str,
    /// The rules that stand for it.
    pub rules: &'static [&'static str],
    /// The reason why it needs none, where it has none.
    pub without: Option<&'static str>,
}

/// A case that a rule need not have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exemption {
    /// The part that no case has in the rule.
    pub from: CaseRole,
    /// The kinds of record in which it is missing. Empty: everywhere.
    pub records: &'static [&'static str],
    /// The reason.
    pub reason: &'static str,
}

/// The part that a case has in a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "schemas", schemars(rename = "Role"))]
pub enum CaseRole {
    /// It keeps a rule of the bytes where it could break it.
    Keeps,
    /// It breaks a rule of the bytes.
    Breaks,
    /// It shows a rule of readers or writers.
    Shows,
}

impl CaseRole {
    /// Its name in cases and rule books.
    pub const fn name(self) -> &'static str {
        match self {
            CaseRole::Keeps => "keeps",
            CaseRole::Breaks => "breaks",
            CaseRole::Shows => "shows",
        }
    }
}
