//! The formats, and which one a dump is in: the only match over formats.

mod heap_file;
mod lowering;
mod places;
#[cfg(any(feature = "arbitrary", feature = "check", feature = "quickcheck"))]
mod random;
mod records;
mod source;
mod target;

use std::fmt;
use std::str::FromStr;

use crate::classic;
use crate::error::Error;
use crate::hprof;
use crate::phd::{self, Version};

pub use heap_file::{HeapFile, locate, which};
pub use lowering::Lowering;
pub(crate) use lowering::Wishes;
#[cfg(any(feature = "arbitrary", feature = "check", feature = "quickcheck"))]
pub(crate) use random::Recipe;
pub use records::Records;
pub use source::{DumpFile, Source, WholeFile};
pub use target::{Target, profiles, text};

/// A dump format and its version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// IBM/OpenJ9 portable heap dump.
    Phd(Version),
    /// HPROF, in the header version that the writer chooses.
    Hprof,
    /// Classic text.
    Classic,
}

/// A dump format, whatever its version: which decoder reads it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Family {
    /// IBM/OpenJ9 portable heap dump.
    Phd,
    /// HPROF.
    Hprof,
    /// Classic text.
    Classic,
}

impl Family {
    /// Every family.
    pub const ALL: [Family; 3] = [Family::Phd, Family::Hprof, Family::Classic];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Family::Phd => "phd",
            Family::Hprof => "hprof",
            Family::Classic => "classic",
        }
    }

    /// The suffix of its files.
    pub const fn suffix(self) -> &'static str {
        match self {
            Family::Phd | Family::Hprof => self.name(),
            Family::Classic => "txt",
        }
    }

    /// First bytes that are enough to tell.
    pub const START: usize = 4096;

    /// The format of a dump that begins like this; `None` if it begins like none of them. Names of files say
    /// nothing.
    pub fn of(start: &[u8]) -> Option<Family> {
        if start.starts_with(hprof::wire::MAGIC) {
            Some(Family::Hprof)
        } else if start.get(2..).is_some_and(|rest| rest.starts_with(phd::wire::MAGIC)) {
            Some(Family::Phd)
        } else if classic::Encoding::detect(start).is_some() {
            Some(Family::Classic)
        } else {
            None
        }
    }

    /// The format that a start resembles more, so that its decoder can say what is wrong with it.
    pub fn guess(start: &[u8]) -> Family {
        let has = |word: &[u8]| start.windows(word.len()).any(|window| window == word);
        if has(b"JAVA") || has(b"PROFILE") {
            Family::Hprof
        } else if has(b"] OBJ ") || has(b"] CLS ") || has(b"// ") {
            Family::Classic
        } else {
            Family::Phd
        }
    }
}

impl Format {
    /// PHD version 4.
    pub const PHD4: Format = Format::Phd(Version::V4);
    /// PHD version 5.
    pub const PHD5: Format = Format::Phd(Version::V5);
    /// PHD version 6.
    pub const PHD6: Format = Format::Phd(Version::V6);

    /// Every format and version that can be written.
    pub const ALL: [Format; 5] = [Format::PHD4, Format::PHD5, Format::PHD6, Format::Hprof, Format::Classic];

    /// Its family.
    pub fn family(self) -> Family {
        match self {
            Format::Phd(_) => Family::Phd,
            Format::Hprof => Family::Hprof,
            Format::Classic => Family::Classic,
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Format::Phd(version) => write!(f, "phd{}", version.number()),
            Format::Hprof => f.write_str("hprof"),
            Format::Classic => f.write_str("classic"),
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
