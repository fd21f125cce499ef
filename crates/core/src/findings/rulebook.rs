//! Parts of a rule book. The books are in `specs/`, and made into Rust by `build.rs`.

use std::collections::HashMap;
use std::fmt;
use std::sync::LazyLock;

use serde::Serialize;

use crate::error::RuleId;

use super::{Exemption, Section, Severity};

/// A rule of a format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// Stable id.
    pub id: &'static str,
    /// The kind of statement.
    pub kind: RuleKind,
    /// The severity of breaking it (rules of the bytes only).
    pub severity: Option<Severity>,
    /// Whether the rest of a dump that breaks it cannot be read.
    pub stops: bool,
    /// The rule, in a sentence or two.
    pub statement: &'static str,
    /// The rule's sources: documents with sections, or implementations.
    pub source: &'static [&'static str],
    /// The documents' wording where it differs from the statement.
    pub documents: Option<&'static str>,
    /// Versions of the format that it holds for.
    pub versions: &'static [u32],
    /// Writer profiles that follow it (writer rules only).
    pub profiles: &'static [&'static str],
    /// Errata that it settles.
    pub errata: &'static [&'static str],
    /// The reach that judging the rule takes, or the rule's subject.
    pub scope: RuleScope,
    /// The facets that a reader gets wrong that does not follow it: names, or `all`. Empty where no byte relies on it.
    pub facets: &'static [&'static str],
    /// Whether it says that a number has a sign, or has none. A reader that does not follow it is wrong by a power of two.
    pub is_sign: bool,
    /// The rule that a reader keeps by the same test (rules of the bytes only). A reader without this test accepts dumps that break
    /// either rule.
    pub same_test: Option<&'static str>,
    /// The kinds of record, and parts of the header and of the end, that it speaks of (rules of the bytes only).
    pub records: &'static [&'static str],
    /// The cases that it need not have.
    pub exempt: &'static [Exemption],
    /// The release that introduced it.
    pub since: &'static str,
}

impl Rule {
    /// Whether no document and no implementation has it: it is a choice of this project's.
    pub fn is_project_choice(&self) -> bool {
        self.source.iter().all(|source| *source == "ours")
    }
}

/// Kinds of rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RuleKind {
    /// Can be judged from the bytes of a dump.
    Bytes,
    /// A choice of a named writer.
    Writer,
    /// The meaning of bytes.
    Reader,
}

/// The subject of a rule, or the reach that judging it takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RuleScope {
    /// A single pass over the dump with constant state.
    Pass,
    /// An index of the whole graph.
    Graph,
    /// A record (writers and readers).
    Record,
    /// The header (writers and readers).
    Header,
    /// The file as a whole (writers and readers).
    File,
}

/// A document or implementation that rules cite.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleSource {
    /// Short key.
    pub key: &'static str,
    /// Full title.
    pub title: &'static str,
}

/// A misleading place or a silence of the documents, or a quirk of implementations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Erratum {
    /// Id in its rule book.
    pub id: &'static str,
    /// The misleading or missing statement, and the fact.
    pub statement: &'static str,
}

/// A place in a document or implementation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct Citation {
    /// Full title of the document or implementation.
    pub title: &'static str,
    /// The place in it, if one is named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<&'static str>,
}

impl fmt::Display for Citation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.title)?;
        self.place.map_or(Ok(()), |place| write!(f, ": {place}"))
    }
}

/// The rules of one format.
#[derive(Debug)]
pub struct Rulebook {
    /// Format name.
    pub format: &'static str,
    /// Sources.
    pub source: &'static [RuleSource],
    /// Rules.
    pub rule: &'static [Rule],
    /// Errata.
    pub erratum: &'static [Erratum],
    /// The statements of the documents.
    pub section: &'static [Section],
    severities: LazyLock<Severities>,
}

type Severities = HashMap<&'static str, Severity>;

impl Rulebook {
    /// A book. `severities` is [`severities`] of the same rules.
    pub(crate) const fn new(
        format: &'static str,
        source: &'static [RuleSource],
        rule: &'static [Rule],
        erratum: &'static [Erratum],
        section: &'static [Section],
        severities: fn() -> Severities,
    ) -> Rulebook {
        Rulebook { format, source, rule, erratum, section, severities: LazyLock::new(severities) }
    }

    /// The rule of this id.
    pub fn rule(&self, id: &str) -> Option<&'static Rule> {
        self.rule.iter().find(|rule| rule.id == id)
    }

    /// The sources of a rule, with their titles in the place of their keys.
    pub fn citations(&self, rule: &Rule) -> Vec<Citation> {
        let cited = |text: &&'static str| {
            let (key, place) = text.split_once(", ").map_or((*text, None), |(key, place)| (key, Some(place)));
            let title = self.source.iter().find(|source| source.key == key).map_or(key, |source| source.title);
            Citation { title, place }
        };
        rule.source.iter().map(cited).collect()
    }

    /// The errata that a rule settles.
    pub fn errata(&self, rule: &Rule) -> impl Iterator<Item = &'static Erratum> {
        rule.errata.iter().filter_map(|id| self.erratum.iter().find(|erratum| erratum.id == *id))
    }

    /// The statements of the documents for which a rule stands: section and ordinal.
    pub fn statements_of(&self, rule: &Rule) -> impl Iterator<Item = (&'static str, usize)> {
        let all = self.section.iter().flat_map(|section| {
            let numbered = section.statements.iter().enumerate();
            numbered.map(move |(index, statement)| (section.name, index + 1, statement))
        });
        all.filter(|(_, _, statement)| statement.rules.contains(&rule.id)).map(|(name, ordinal, _)| (name, ordinal))
    }

    /// The severity of a rule of the bytes.
    pub(crate) fn severity(&self, id: RuleId) -> Severity {
        self.severities.get(id.0).copied().unwrap_or(Severity::Error)
    }
}

/// The severities of rules of the bytes.
pub(crate) fn severities(rules: &'static [Rule]) -> Severities {
    rules.iter().filter_map(|rule| Some((rule.id, rule.severity?))).collect()
}
