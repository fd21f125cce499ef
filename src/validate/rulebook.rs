//! The rule books of `specs/`, compiled in.

use std::collections::HashMap;
use std::sync::LazyLock;

use serde::Deserialize;

use crate::error::RuleId;
use crate::format::Family;

use super::Severity;

/// A rule of a format.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Rule {
    /// Stable id.
    pub id: String,
    /// What kind of statement it is.
    pub kind: RuleKind,
    /// How much breaking it matters (rules of the bytes only).
    pub severity: Option<Severity>,
    /// The rule, in a sentence or two.
    pub statement: String,
    /// Where it comes from: document and section, or implementation.
    pub source: Vec<String>,
    /// What the documents say where they differ from the statement.
    pub documents: Option<String>,
    /// Versions of the format that it holds for.
    pub versions: Vec<u32>,
    /// Writer profiles that follow it (writer rules only).
    pub profiles: Vec<String>,
    /// Errata that it settles.
    pub errata: Vec<String>,
    /// What it takes to judge it.
    pub scope: Scope,
}

/// Kinds of rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RuleKind {
    /// Can be judged from the bytes of a dump.
    Bytes,
    /// What a named writer chooses.
    Writer,
    /// How bytes are to be understood.
    Reader,
}

/// What a rule is about, or takes to be judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// One pass over the dump with constant state.
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
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Source {
    /// Short key.
    pub key: String,
    /// Full title.
    pub title: String,
}

/// The rules of one format.
#[derive(Clone, Debug, Deserialize)]
pub struct Rulebook {
    /// Format name.
    pub format: String,
    /// Sources.
    pub source: Vec<Source>,
    /// Rules.
    pub rule: Vec<Rule>,
}

impl Rulebook {
    /// The rule of this id.
    pub fn rule(&self, id: &str) -> Option<&Rule> {
        self.rule.iter().find(|rule| rule.id == id)
    }
}

/// The rule book of a format, from `specs/`.
pub fn rulebook(format: Family) -> &'static Rulebook {
    static PHD: LazyLock<Rulebook> = LazyLock::new(|| {
        toml::from_str(include_str!("../../specs/phd.toml")).expect("specs/phd.toml is checked by the tests")
    });
    static HPROF: LazyLock<Rulebook> = LazyLock::new(|| {
        toml::from_str(include_str!("../../specs/hprof.toml")).expect("specs/hprof.toml is checked by the tests")
    });
    static CLASSIC: LazyLock<Rulebook> = LazyLock::new(|| {
        toml::from_str(include_str!("../../specs/classic.toml")).expect("specs/classic.toml is checked by the tests")
    });
    match format {
        Family::Phd => &PHD,
        Family::Hprof => &HPROF,
        Family::Classic => &CLASSIC,
    }
}

/// The rule of this id, from the rule book that the id's first part names.
pub fn rule(id: &str) -> Option<&'static Rule> {
    Family::ALL
        .into_iter()
        .map(rulebook)
        .find(|book| id.strip_prefix(book.format.as_str()).is_some_and(|rest| rest.starts_with('.')))?
        .rule(id)
}

/// The severity of a rule of the bytes.
pub(crate) fn severity(id: RuleId) -> Severity {
    static SEVERITIES: LazyLock<HashMap<&'static str, Severity>> = LazyLock::new(|| {
        let rules = Family::ALL.into_iter().flat_map(|format| &rulebook(format).rule);
        rules.filter_map(|rule| Some((rule.id.as_str(), rule.severity?))).collect()
    });
    SEVERITIES.get(id.0).copied().unwrap_or(Severity::Error)
}
