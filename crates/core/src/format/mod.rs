//! The formats: the one list of them, and which one a dump is in.

mod dump_file;
mod opened_heap;
mod target;

use std::str::FromStr;

use crate::error::{Error, RuleId, unknown};
use crate::findings::{Citation, Rule, Rulebook, Severity};
use crate::phd::Version;
use crate::{classic, hprof, phd};

pub use crate::family::{
    DumpOutline, DumpPart, Family, FileSource, Format, ListedPart, Lower, Lowering, RecordField, RecordLine,
    RecordSelector, Records, WholeFile, selector_number, word_of_new_heap,
};
pub use dump_file::{DumpFile, damaged_family, family_of, is_dump, records};
pub use opened_heap::{OpenedHeap, choose_heap, locate};
#[doc(hidden)]
pub use target::TEXTS;
pub use target::{DumpTarget, profiles, text};

impl Family {
    /// IBM/OpenJ9 portable heap dump.
    pub const PHD: Family = phd::family::FAMILY;
    /// HPROF.
    pub const HPROF: Family = hprof::family::FAMILY;
    /// Classic text.
    pub const CLASSIC: Family = classic::family::FAMILY;

    /// Every family. The first one's decoder is asked about what resembles none of them.
    pub const ALL: [Family; 3] = [Family::PHD, Family::HPROF, Family::CLASSIC];

    /// First bytes that are enough to recognise a family.
    pub const START: usize = 4096;

    /// The family of a dump that begins like this; `None` if it begins like none of them. Names of files say nothing.
    pub fn from_start(start: &[u8]) -> Option<Family> {
        Family::ALL.into_iter().find(|family| family.is_start(start))
    }

    /// The family of a dump that begins like this, or the one that a start resembles more, so that its decoder can say what is
    /// wrong with it.
    pub fn guess(start: &[u8]) -> Family {
        let resembled = || Family::ALL.into_iter().find(|family| family.resembles(start));
        Family::from_start(start).or_else(resembled).unwrap_or(Family::ALL[0])
    }

    /// The family of this name.
    pub fn from_name(name: &str) -> Option<Family> {
        Family::ALL.into_iter().find(|family| family.name() == name)
    }

    /// Every family's name, as a text names alternatives.
    pub fn names() -> String {
        alternatives(&Family::ALL.map(Family::name))
    }
}

impl Format {
    /// PHD version 4.
    pub const PHD4: Format = phd::family::format(Version::V4);
    /// PHD version 5.
    pub const PHD5: Format = phd::family::format(Version::V5);
    /// PHD version 6.
    pub const PHD6: Format = phd::family::format(Version::V6);
    /// HPROF, in the header version that the writer chooses.
    pub const HPROF: Format = hprof::family::FORMAT;
    /// Classic text.
    pub const CLASSIC: Format = classic::family::FORMAT;

    /// Every format and version that can be written.
    pub fn all() -> impl Iterator<Item = Format> + Clone {
        Family::ALL
            .into_iter()
            .flat_map(|family| family.versions().iter().map(move |&version| Format::new(family, version)))
    }

    /// The suffix of the format's files: with the version where the family has several.
    pub fn suffix(self) -> String {
        match self.family().versions() {
            [_] => self.family().suffix().to_owned(),
            _ => self.to_string(),
        }
    }

    /// Every format's name, as a text names alternatives.
    pub fn names() -> String {
        alternatives(&Format::all().map(|format| format.to_string()).collect::<Vec<_>>())
    }
}

fn alternatives(names: &[impl AsRef<str>]) -> String {
    let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    match names.split_last() {
        Some((last, [])) => (*last).to_owned(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
        None => String::new(),
    }
}

impl FromStr for Format {
    type Err = Error;

    fn from_str(name: &str) -> Result<Format, Error> {
        Format::all().find(|format| format.to_string() == name).ok_or_else(|| {
            let names: Vec<String> = Format::all().map(|format| format.to_string()).collect();
            unknown("format", name, names.iter().map(String::as_str), &format!("choose one of {}", names.join(", ")))
        })
    }
}

/// The rule book of a family, from `specs/`.
pub fn rulebook(family: Family) -> &'static Rulebook {
    family.book()
}

/// The rule of this id, from the rule book that the id's first part names.
pub fn rule(id: &str) -> Option<&'static Rule> {
    book_of(id)?.rule(id)
}

/// The sources of a rule: their titles, each with the place in it.
pub fn sources(rule: &Rule) -> Vec<Citation> {
    book_of(rule.id).map_or_else(Vec::new, |book| book.citations(rule))
}

/// The severity of a rule of the bytes.
pub fn severity(id: RuleId) -> Severity {
    book_of(id.0).map_or(Severity::Error, |book| book.severity(id))
}

fn book_of(id: &str) -> Option<&'static Rulebook> {
    let (family, _) = id.split_once('.')?;
    Family::from_name(family).map(rulebook)
}
