//! The formats, and which one a dump is in: the only match over formats.

mod lowering;
mod source;

use std::fmt;
use std::str::FromStr;

use crate::error::Error;
use crate::hprof;
use crate::phd::{self, Version};

pub use lowering::{Lowering, Wishes};
pub use source::{DumpFile, Source, WholeFile};

/// A dump format and its version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// IBM/OpenJ9 portable heap dump.
    Phd(Version),
    /// HPROF, in the header version that the writer chooses.
    Hprof,
}

/// A dump format, whatever its version: which decoder reads it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Family {
    /// IBM/OpenJ9 portable heap dump.
    Phd,
    /// HPROF.
    Hprof,
}

impl Family {
    /// Every family.
    pub const ALL: [Family; 2] = [Family::Phd, Family::Hprof];

    /// Its name: the suffix of its files.
    pub const fn name(self) -> &'static str {
        match self {
            Family::Phd => "phd",
            Family::Hprof => "hprof",
        }
    }

    /// First bytes that are enough to tell.
    pub const START: usize = 32;

    /// The format of a dump that begins like this; `None` if it begins like none of them. Names of files say
    /// nothing.
    pub fn of(start: &[u8]) -> Option<Family> {
        if start.starts_with(hprof::wire::MAGIC) {
            Some(Family::Hprof)
        } else if start.get(2..).is_some_and(|rest| rest.starts_with(phd::wire::MAGIC)) {
            Some(Family::Phd)
        } else {
            None
        }
    }

    /// The format that a start resembles more, so that its decoder can say what is wrong with it.
    pub fn guess(start: &[u8]) -> Family {
        let has = |word: &[u8]| start.windows(word.len()).any(|window| window == word);
        if has(b"JAVA") || has(b"PROFILE") { Family::Hprof } else { Family::Phd }
    }
}

impl Format {
    /// Every format and version that can be written.
    pub const ALL: [Format; 4] =
        [Format::Phd(Version::V4), Format::Phd(Version::V5), Format::Phd(Version::V6), Format::Hprof];

    /// Its family.
    pub fn family(self) -> Family {
        match self {
            Format::Phd(_) => Family::Phd,
            Format::Hprof => Family::Hprof,
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Format::Phd(version) => write!(f, "phd{}", version.number()),
            Format::Hprof => f.write_str("hprof"),
        }
    }
}

impl FromStr for Format {
    type Err = Error;

    fn from_str(name: &str) -> Result<Format, Error> {
        Format::ALL.into_iter().find(|format| format.to_string() == name).ok_or_else(|| {
            let names: Vec<String> = Format::ALL.iter().map(Format::to_string).collect();
            Error::Usage(format!("there is no format {name:?}; there are {}", names.join(", ")))
        })
    }
}
