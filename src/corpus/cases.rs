//! The cases, as recipes.

mod classic_damaged;
mod classic_golden;
mod classic_spelled;
mod damaged;
mod golden;
mod hprof_damaged;
mod hprof_golden;
mod hprof_spelled;
mod spelled;

use crate::corrupt::{Edit, Edited};
use crate::error::Error;
use crate::format::Format;
use crate::model::Heap;
use crate::validate::{Severity, severity};

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
        format!("{}.{}{compressed}", self.id, self.format.family().suffix())
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

/// What the cases that are spelled by hand expect.
impl Case {
    /// What is odd about the dump, and not wrong.
    fn noted(self, rule: &'static str, offset: u64) -> Case {
        Case { breaks: Some((rule, offset)), ..self }
    }

    /// What is wrong, and tolerated by known readers.
    fn tolerated(mut self, rule: &'static str, offset: u64) -> Case {
        self.answers.push(Answer::Refuses("refused by a reader that is stricter than the known ones"));
        Case { verdict: Verdict::Ambiguous, ..self.noted(rule, offset) }
    }

    /// What is an error, and nothing to a reader that does not look.
    fn overlooked(mut self, rule: &'static str, offset: u64) -> Case {
        self.answers.insert(0, Answer::Refuses("the rule is broken"));
        Case { verdict: Verdict::Ambiguous, ..self.noted(rule, offset) }
    }

    fn showing(self, shows: &[&'static str]) -> Case {
        Case { shows: shows.to_vec(), ..self }
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
    cases.extend(classic_golden::cases()?);
    cases.extend(classic_damaged::cases()?);
    cases.extend(classic_spelled::cases());
    cases.sort_by(|a, b| a.id.cmp(&b.id));
    Ok(cases)
}

/// The case of an edit in the golden dump of this name. `stops` says whether no reader can go on behind it, and `expected`
/// gives the heap that a tolerant reader finds.
fn damaged_case<M>(
    format: Format,
    golden: &str,
    edit: &Edit<M>,
    edited: Edited,
    stops: bool,
    expected: impl FnOnce() -> Heap,
) -> Case {
    let refused = Answer::Refuses("the rule is broken");
    let reads = |reading| Answer::Reads(reading, Box::new(expected()));
    let (verdict, answers) = match severity(edit.rule) {
        Severity::Error if stops => (Verdict::Invalid, vec![refused]),
        Severity::Error => (Verdict::Ambiguous, vec![refused, reads("read by a decoder that does not check this")]),
        Severity::Warning => {
            let strict = Answer::Refuses("refused by a reader that is stricter than the known ones");
            (Verdict::Ambiguous, vec![reads("tolerated, as known readers do"), strict])
        }
        Severity::Note => (Verdict::Valid, vec![reads("as written")]),
    };
    Case {
        id: format!("{}-{}", format.family().name(), edit.name),
        summary: format!("{} ({golden})", edit.summary),
        format,
        heap: None,
        recipe: format!("the edit {} in {golden}", edit.name),
        bytes: edited.bytes,
        verdict,
        keeps: Vec::new(),
        breaks: Some((edit.rule.0, edited.offset)),
        shows: Vec::new(),
        records_due: edited.records_due,
        answers,
    }
}
