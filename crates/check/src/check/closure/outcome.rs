//! Results of checking a decoder.

use std::fmt::{self, Debug, Display, Formatter};

use crate::check::report::{Cause, FollowedReading, Outcome};
use heapsmith_core::compare::Facet;
use heapsmith_core::error::Error;

/// The results of a decoder without unexpected failures.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct DecoderReport {
    /// Number of cases that passed.
    pub passed: usize,
    /// Cases that failed as expected.
    pub known: Vec<FailedCase>,
    /// Cases that were not judged.
    pub skipped: Vec<SkippedCase>,
    /// The readings of ambiguous bytes that it follows, as far as its answers show them.
    pub readings: Vec<FollowedReading>,
    /// Facets (kinds of fact, such as the class of an object) that were not judged in at least one case, because the answer
    /// did not record them.
    pub omitted: Vec<Facet>,
}

impl DecoderReport {
    pub(super) fn case_count(&self) -> usize {
        self.passed + self.known.len() + self.skipped.len()
    }

    pub(super) fn add_omitted(&mut self, facets: &[Facet]) {
        self.omitted.extend(facets);
        self.omitted.sort_unstable();
        self.omitted.dedup();
    }
}

/// A case that was not judged.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SkippedCase {
    /// The case's id.
    pub case: String,
    /// The reason.
    pub reason: String,
}

/// A case that failed, or that passed although it is known to fail.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct FailedCase {
    /// The case's id.
    pub case: String,
    /// The case's subject, in a line.
    pub summary: String,
    /// Ids of the rules of the format that the case tests (`specs/`).
    pub rules: Vec<String>,
    /// The failure.
    pub outcome: Outcome,
    /// The reason for which it was expected to fail, if it was.
    pub known: Option<String>,
}

impl Display for FailedCase {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.case, self.summary)?;
        match &self.outcome {
            Outcome::Fail { fact, address, expected, found, count } => {
                let at = address.as_ref().map_or_else(String::new, |address| format!(" at {address}"));
                let times = if *count > 1 { format!(" ({count} times)") } else { String::new() };
                write!(f, "\n  {fact}{at}{times}\n    expected: {expected}\n    found:    {found}")?;
            }
            Outcome::WrongVerdict { expected, found } => write!(f, "\n  expected: {expected}\n  found:    {found}")?,
            Outcome::Crash { how } => write!(f, "\n  panic: {how}")?,
            Outcome::Pass { .. } => {
                let reason = self.known.as_deref().unwrap_or_default();
                write!(
                    f,
                    "\n  unexpected pass: `.known` marks it as failing ({reason}); narrow or remove that pattern"
                )?;
            }
            other => write!(f, "\n  {}", other.detail())?,
        }
        if !self.rules.is_empty() {
            write!(f, "\n  rules: {}", self.rules.join(", "))?;
        }
        write!(f, "\n  to run only this case: .filter({:?})", self.case)
    }
}

/// The cases in which a decoder failed, or why it could not be run.
///
/// The message lists each failed case with what was expected and what was found; `Debug` is the same, so that a test may
/// end with `?`.
pub struct Failures(Box<FailuresRepr>);

enum FailuresRepr {
    Failed(Vec<FailedCase>, DecoderReport, Vec<Cause>),
    NotRun(Error),
}

/// Failed cases that a message shows.
const SHOWN: usize = 25;

impl Failures {
    pub(super) fn from_cases(failed: Vec<FailedCase>, report: DecoderReport, causes: Vec<Cause>) -> Failures {
        Failures(Box::new(FailuresRepr::Failed(failed, report, causes)))
    }

    pub(super) fn not_run(error: Error) -> Failures {
        Failures(Box::new(FailuresRepr::NotRun(error)))
    }

    /// The cases that failed.
    pub fn failed(&self) -> &[FailedCase] {
        match &*self.0 {
            FailuresRepr::Failed(failed, ..) => failed,
            FailuresRepr::NotRun(_) => &[],
        }
    }

    /// The causes of the failures, where [`explain`](super::CheckDecoder::explain) asked for them.
    pub fn causes(&self) -> &[Cause] {
        match &*self.0 {
            FailuresRepr::Failed(_, _, causes) => causes,
            FailuresRepr::NotRun(_) => &[],
        }
    }

    /// The results of the other cases, if any could be run.
    pub fn others(&self) -> Option<&DecoderReport> {
        match &*self.0 {
            FailuresRepr::Failed(_, report, _) => Some(report),
            FailuresRepr::NotRun(_) => None,
        }
    }
}

impl Display for Failures {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let (failed, others, causes) = match &*self.0 {
            FailuresRepr::NotRun(error) => return write!(f, "the decoder could not be checked: {error}"),
            FailuresRepr::Failed(failed, others, causes) => (failed, others, causes),
        };
        let cases = others.case_count() + failed.len();
        write!(f, "{} of {cases} cases failed or passed unexpectedly ({} passed, ", failed.len(), others.passed)?;
        write!(f, "{} failed as expected, {} skipped)", others.known.len(), others.skipped.len())?;
        for cause in causes.iter().take(SHOWN) {
            write!(f, "\n{}: {}", cause.count(), cause.sentence)?;
            if let Some(pair) = &cause.pair {
                let (passes, fails) = (&pair.passes.differing, &pair.fails.differing);
                write!(f, "\n  passes with {passes}, fails with {fails} at offset {:#x}: {}", pair.offset, pair.place)?;
            }
        }
        failed.iter().take(SHOWN).try_for_each(|failure| write!(f, "\n{failure}"))?;
        match failed.len().saturating_sub(SHOWN) {
            0 => Ok(()),
            more => write!(f, "\nand {more} more"),
        }
    }
}

impl Debug for Failures {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        Display::fmt(self, f)
    }
}

impl std::error::Error for Failures {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &*self.0 {
            FailuresRepr::Failed(..) => None,
            FailuresRepr::NotRun(error) => Some(error),
        }
    }
}
