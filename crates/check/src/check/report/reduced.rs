//! A dump that was reduced to show a cause.

use serde::{Deserialize, Serialize};

use heapsmith_core::owned;

/// The folder of reduced dumps.
pub(in crate::check) const DUMPS: &str = "dumps";

/// A dump that was reduced.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ReducedDump {
    /// What it shows: a symptom, as causes have them.
    pub shows: Vec<String>,
    /// The rule that it was reduced for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// The file, below the folder of the campaign or report.
    pub file: String,
    /// Its length.
    pub bytes: u64,
    /// Number of objects of its heap, where it can be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub objects: Option<u64>,
    /// SHA-256 of the dump.
    pub sha256: String,
    /// Number of dumps that were tried.
    pub trials: u64,
    /// The case that it was made of.
    pub of: String,
}

impl ReducedDump {
    /// Whether it has the path of a file beside a report, and not any other.
    pub(in crate::check) fn is_beside(&self) -> bool {
        is_beside_report(&self.file)
    }

    /// Its size in words: `120 bytes, 2 objects`.
    pub fn size(&self) -> String {
        let objects = match self.objects {
            None => String::new(),
            Some(1) => ", 1 object".to_owned(),
            Some(objects) => format!(", {objects} objects"),
        };
        format!("{} bytes{objects}", self.bytes)
    }
}

/// Whether a path is that of a dump beside a report, and not any other.
pub(in crate::check) fn is_beside_report(file: &str) -> bool {
    let name = file.strip_prefix(DUMPS).and_then(|rest| rest.strip_prefix('/'));
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.');
    name.is_some_and(|name| name.chars().all(is_plain) && !name.starts_with('.')) && owned::is_plain_relative(file)
}
