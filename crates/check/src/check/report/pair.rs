//! Pairs of dumps that show a cause.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::check::report::reduced::is_beside_report;

/// Two dumps with one difference, of which one is read rightly and one is not.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "DumpPair")]
pub struct CausePair {
    /// The place of the difference, in words.
    pub place: String,
    /// Offset of the first byte that differs, in the decompressed dumps.
    pub offset: u64,
    /// The dump whose answer is wrong.
    pub fails: PairedDump,
    /// The dump whose answer is right.
    pub passes: PairedDump,
    /// What is wrong of the answer.
    pub wrong: String,
    /// The command that asks about both dumps; absent where they were not written to a folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repeat: Option<String>,
}

/// A dump of a pair.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PairedDump {
    /// The file, below the folder of the report; empty where there is none.
    pub file: String,
    /// Its length.
    pub bytes: u64,
    /// SHA-256 of the dump.
    pub sha256: String,
    /// Its bytes in the place of the difference, in hexadecimal; the first of many.
    pub differing: String,
}

impl CausePair {
    /// The pair in a line.
    pub fn line(&self) -> String {
        let shown = |dump: &PairedDump| match dump.differing.as_str() {
            "" => "nothing".to_owned(),
            bytes => bytes.to_owned(),
        };
        let (passes, fails) = (shown(&self.passes), shown(&self.fails));
        format!("passes with {passes}, fails with {fails} at offset {:#x}: {}", self.offset, self.place)
    }

    /// Both files in a line; `None` where there are none.
    pub fn files(&self) -> Option<String> {
        let file = |dump: &PairedDump| format!("{} ({} bytes)", dump.file, dump.bytes);
        (!self.fails.file.is_empty()).then(|| format!("{} and {}", file(&self.passes), file(&self.fails)))
    }

    /// The path that leads out of the report's folder, if one does.
    pub(in crate::check) fn stray_file(&self) -> Option<&str> {
        let files = [&self.fails, &self.passes].map(|dump| dump.file.as_str());
        files.into_iter().find(|file| !file.is_empty() && !is_beside_report(file))
    }
}
