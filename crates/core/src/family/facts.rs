//! The facts of a family that are the same for all its dumps.

use crate::compare::Facet;
use crate::compare::carriage::Carriage;
use crate::findings::Rulebook;

use super::{Family, Setting};

/// The facts of a family that are the same for all its dumps.
#[derive(Debug)]
pub struct FamilyFacts {
    /// The family's name, in lower case.
    pub name: &'static str,
    /// The family's name as a heading.
    pub title: &'static str,
    /// The suffix of the family's files.
    pub suffix: &'static str,
    /// The versions that can be written, ascending: their numbers follow the family's name in names of formats. A single 0
    /// stands for a family whose name is that of its only format.
    pub versions: &'static [u8],
    /// The beginning of the family's dumps in words, for messages, with an article.
    pub start: &'static str,
    /// The shortest dumps that can be read, where no writer writes them.
    pub shortest: &'static [&'static [u8]],
    /// The rule book.
    pub book: &'static Rulebook,
    /// Whether a record says how far it is from the one before, and not at which address.
    pub tells_distances: bool,
    /// The carriage of each facet by kind of dump: a key such as `phd6/openj9`, and the carriage.
    pub carries: &'static [(Facet, &'static [(&'static str, Carriage)])],
    /// The settings that a dump of the family may be asked to have.
    pub settings: &'static [Setting],
    /// A second name of a profile, under which it can be asked for as well.
    pub alias: fn(&str) -> Option<&'static str>,
    /// The kinds of record, and the parts of the header and of the end, of which its rules speak; what no
    /// field decides is of the first one, and the last one is the place where the data end.
    pub parts: fn() -> Vec<&'static str>,
}

/// The facts one by one.
impl Family {
    /// See [`FamilyFacts::name`].
    pub fn name(self) -> &'static str {
        self.facts().name
    }

    /// See [`FamilyFacts::title`].
    pub fn title(self) -> &'static str {
        self.facts().title
    }

    /// See [`FamilyFacts::suffix`].
    pub fn suffix(self) -> &'static str {
        self.facts().suffix
    }

    /// See [`FamilyFacts::versions`].
    pub fn versions(self) -> &'static [u8] {
        self.facts().versions
    }

    /// See [`FamilyFacts::book`].
    pub fn book(self) -> &'static Rulebook {
        self.facts().book
    }

    /// See [`FamilyFacts::carries`].
    pub fn carries(self) -> &'static [(Facet, &'static [(&'static str, Carriage)])] {
        self.facts().carries
    }

    /// See [`FamilyFacts::settings`].
    pub fn settings(self) -> &'static [Setting] {
        self.facts().settings
    }

    /// See [`FamilyFacts::alias`].
    pub fn alias(self, profile: &str) -> Option<&'static str> {
        (self.facts().alias)(profile)
    }

    /// See [`FamilyFacts::parts`].
    pub fn parts(self) -> Vec<&'static str> {
        (self.facts().parts)()
    }
}
