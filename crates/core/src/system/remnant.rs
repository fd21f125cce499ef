//! Temporary files and folders that could not be removed.

use std::fmt;
use std::path::Path;

/// A temporary file or folder that could not be removed, or something that was put into one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remnant {
    /// Its path. Of one that is very long the middle is missing.
    pub path: String,
    /// The reason why it is left: the system's error.
    pub reason: String,
}

impl Remnant {
    pub fn new(path: &Path, reason: impl fmt::Display) -> Remnant {
        Remnant { path: shortened(&path.to_string_lossy()), reason: reason.to_string() }
    }
}

impl fmt::Display for Remnant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is left and has to be removed by hand: {}", self.path, self.reason)
    }
}

/// A text of which the middle is left out if it is long.
fn shortened(text: &str) -> String {
    const SHOWN: usize = 400;
    let count = text.chars().count();
    if count <= 2 * SHOWN {
        return text.to_owned();
    }
    let start: String = text.chars().take(SHOWN).collect();
    let end: String = text.chars().skip(count - SHOWN).collect();
    format!("{start}...{end}")
}
