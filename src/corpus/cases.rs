//! The cases, as recipes.

mod damaged;
mod golden;
mod hprof_damaged;
mod hprof_golden;
mod hprof_spelled;
mod spelled;

use crate::error::Error;
use crate::format::Format;
use crate::model::Heap;

use spelled::bytes;

/// A case of the corpus.
#[derive(Clone, Debug)]
pub struct Case {
    /// Stable id.
    pub id: String,
    /// What it is about, in a line.
    pub summary: String,
    /// Dump format.
    pub format: Format,
    /// Which heap of the dump the answers describe, from 0; only where there are several.
    pub heap: Option<u64>,
    /// How the dump is made.
    pub recipe: String,
    /// The dump.
    pub bytes: Vec<u8>,
    /// Whether the dump is valid.
    pub verdict: Verdict,
    /// Rules of the bytes that it keeps.
    pub keeps: Vec<&'static str>,
    /// The rule of the bytes that it breaks, and the offset of the finding.
    pub breaks: Option<(&'static str, u64)>,
    /// Rules of writers and readers that it shows.
    pub shows: Vec<&'static str>,
    /// Records before the first fatal finding.
    pub records_due: u64,
    /// Answers that are right; the first is heapsmith's own.
    pub answers: Vec<Answer>,
}

/// What a case expects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// To be read, with the listing.
    Valid,
    /// To be refused.
    Invalid,
    /// Several answers are right.
    Ambiguous,
}

/// An answer that is right.
#[derive(Clone, Debug)]
pub enum Answer {
    /// This heap, under this reading.
    Reads(&'static str, Box<Heap>),
    /// A refusal, under this reading.
    Refuses(&'static str),
}

impl Verdict {
    /// The verdict's name in the manifest.
    pub const fn name(self) -> &'static str {
        match self {
            Verdict::Valid => "valid",
            Verdict::Invalid => "invalid",
            Verdict::Ambiguous => "ambiguous",
        }
    }
}

impl Case {
    /// The name of the dump's file: its suffix is that of the format's writers.
    pub fn file(&self) -> String {
        let compressed = if self.bytes.starts_with(&[0x1f, 0x8b]) { ".gz" } else { "" };
        format!("{}.{}{compressed}", self.id, self.shelf())
    }

    /// The folder of the case's files in the corpus: its format's family.
    pub fn shelf(&self) -> &'static str {
        self.format.family().name()
    }

    /// The name of the file with an answer's listing.
    pub fn listing_file(&self, answer: usize) -> String {
        if answer == 0 { format!("{}.jsonl", self.id) } else { format!("{}.{}.jsonl", self.id, answer + 1) }
    }
}

/// Every case, by id.
///
/// # Errors
/// If a recipe fails, which the tests rule out.
pub fn cases() -> Result<Vec<Case>, Error> {
    let mut cases = golden::cases()?;
    cases.extend(damaged::cases()?);
    cases.extend(spelled::cases());
    cases.extend(hprof_golden::cases()?);
    cases.extend(hprof_damaged::cases()?);
    cases.extend(hprof_spelled::cases());
    cases.sort_by(|a, b| a.id.cmp(&b.id));
    Ok(cases)
}
