//! The formats, and which one a dump is in: the only match over formats.

use std::fmt;
use std::str::FromStr;

use crate::error::Error;
use crate::phd::Version;

/// A dump format and its version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// IBM/OpenJ9 portable heap dump.
    Phd(Version),
}

impl Format {
    /// Every format and version that can be written.
    pub const ALL: [Format; 3] = [Format::Phd(Version::V4), Format::Phd(Version::V5), Format::Phd(Version::V6)];
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Format::Phd(version) => write!(f, "phd{}", version.number()),
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
