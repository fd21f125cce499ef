//! A decoder that is a closure: run over cases in the process of its own tests.
//!
//! The decoder has no limits of time or memory: one that hangs blocks the test. [`super::check`] runs a separate program with
//! both limits.

mod explained;
mod hosted;
mod outcome;

use std::collections::BTreeMap;
use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use crate::check::expected::{ExpectedFailure, ExpectedFailures, ObservedResult};
use crate::check::experiment::Observation;
use crate::check::judge::decoder_answer::{DecoderAnswer, DecoderExit};
use crate::check::judge::{AnswerJudgement, judge_closure, other_facts};
use crate::check::report::{CaseResult, Cause, Expectation, Outcome, Suspect};
use crate::check::sources::case_from_bytes;
use crate::check::subject::QuestionFiles;
use crate::check::task::{CaseChoice, CaseSource, case_rules};
use crate::check::verdict::{CaseJudgement, DecidedVerdicts, decide_verdicts};
use crate::corpus::Case;
use heapsmith_core::error::Error;
use heapsmith_core::format::Family;

pub use hosted::check_closure;
pub use outcome::{DecoderReport, FailedCase, Failures, SkippedCase};

/// Checks your decoder from a test: `decoder` gets the path of each dump of the corpus and returns what it read, or an error
/// if it refuses the dump. The corpus has invalid dumps as well, which a correct decoder refuses; ambiguous dumps have more
/// than one correct result.
///
/// The answer is anything that becomes a [`DecoderAnswer`]: `()` where only reading and refusing count, [`ObjectCounts`], a listing,
/// or a whole [`Heap`](heapsmith_core::Heap). A panic is caught and is a failure of that case. The name of
/// the file says nothing about the case, and the file is deleted after the call.
///
/// [`ObjectCounts`]: super::protocol::ObjectCounts
///
/// # Example
///
/// ```
/// use std::error::Error;
/// use std::fs;
/// use std::path::Path;
///
/// use heapsmith::format::Family;
/// use heapsmith::{check_decoder, read};
///
/// // In your crate: #[test] fn the_corpus_is_read_correctly() -> Result<(), heapsmith::check::Failures> {
/// let decoder = |path: &Path| -> Result<_, Box<dyn Error>> { Ok(read(fs::read(path)?)?) }; // your parser
/// check_decoder(decoder).format(Family::PHD).filter("spelled").run()?;
/// # Ok::<(), heapsmith::check::Failures>(())
/// ```
#[must_use = "nothing is checked before `run` or `assert`"]
pub fn check_decoder<'d, A: Into<DecoderAnswer>, E: Display>(
    mut decoder: impl FnMut(&Path) -> Result<A, E> + 'd,
) -> CheckDecoder<'d> {
    CheckDecoder {
        decoder: Box::new(move |path| decoder(path).map(Into::into).map_err(|e| e.to_string())),
        choice: CaseChoice::default(),
        expected: ExpectedFailures::default(),
        trials: 0,
        wrong: None,
    }
}

type DecoderFn<'d> = dyn FnMut(&Path) -> Result<DecoderAnswer, String> + 'd;

/// A decoder, and the cases that it is checked with. [`check_decoder`] makes it.
pub struct CheckDecoder<'d> {
    decoder: Box<DecoderFn<'d>>,
    choice: CaseChoice,
    expected: ExpectedFailures,
    /// The most dumps that are made to explain failures.
    trials: u64,
    /// The error of a malformed filter.
    wrong: Option<Error>,
}

impl std::fmt::Debug for CheckDecoder<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CheckDecoder").field("choice", &self.choice).finish_non_exhaustive()
    }
}

impl CheckDecoder<'_> {
    /// Restricts the cases to one format: `Family::PHD`, `HPROF` or `CLASSIC`.
    #[must_use = "nothing is checked before `run` or `assert`"]
    pub fn format(mut self, family: Family) -> Self {
        self.choice.format = Some(family);
        self
    }

    /// Restricts the cases to ids that contain this; to one case if it is its whole id. A pattern (`*`, `?` and `[...]`
    /// as in a shell) is one of whole ids, `rule=PATTERN` takes the cases that are about such rules. Several filters
    /// add up.
    #[must_use = "nothing is checked before `run` or `assert`"]
    pub fn filter(mut self, part: impl Into<String>) -> Self {
        match part.into().parse() {
            Ok(filter) => self.choice.filters.push(filter),
            Err(error) => self.wrong = self.wrong.or(Some(error)),
        }
        self
    }

    /// Adds random dumps to the corpus, from a seed.
    #[must_use = "nothing is checked before `run` or `assert`"]
    pub fn random(mut self, dumps: u64, seed: u64) -> Self {
        (self.choice.random, self.choice.seed) = (dumps, seed);
        self
    }

    /// Marks cases as known to fail: a case's id, or a pattern of ids (`*`, `?` and `[...]` as in a shell). A case that
    /// is named by its id and passes is a failure; a malformed pattern, or one that matches no case of the corpus, is
    /// an error of the run.
    #[must_use = "nothing is checked before `run` or `assert`"]
    pub fn known(mut self, pattern: impl Into<String>, reason: impl Into<String>) -> Self {
        let entry =
            ExpectedFailure { reason: reason.into(), cases: vec![pattern.into()], ..ExpectedFailure::default() };
        self.expected.expect.push(entry);
        self
    }

    /// Explains failures: makes at most this many dumps with one difference to failing ones, and calls the decoder with each. The
    /// message says then what has to be in a dump for the decoder to fail. Without it, it says which cases fail.
    #[must_use = "nothing is checked before `run` or `assert`"]
    pub fn explain(mut self, trials: u64) -> Self {
        self.trials = trials;
        self
    }

    /// Runs the decoder over the cases.
    ///
    /// # Errors
    /// The cases that failed, if any did; or why dumps could not be written.
    pub fn run(mut self) -> Result<DecoderReport, Failures> {
        if let Some(error) = self.wrong.take() {
            return Err(Failures::not_run(error));
        }
        self.expected.check().map_err(Failures::not_run)?;
        let mut report = DecoderReport::default();
        let (mut failed, mut told, mut judgements) = (Vec::new(), Vec::new(), Vec::new());
        let mut asked_cases: Vec<(Case, CaseResult)> = Vec::new();
        let (mut chosen, mut asked) = (0, 0);
        let cases = crate::corpus::cases().map_err(Failures::not_run)?;
        let ids = cases.iter().map(|case| case.id.clone()).collect();
        self.expected.check_cases(&ids, &self.choice).map_err(Failures::not_run)?;
        for source in CaseSource::corpus_and_random(cases, &self.choice).map_err(Failures::not_run)? {
            let case = source.case().map_err(Failures::not_run)?;
            chosen += 1;
            if case.heap.is_some() {
                report.skipped.push(SkippedCase { case: case.id, reason: SEVERAL_HEAPS.to_owned() });
                continue;
            }
            asked += 1;
            let answer = self.call_decoder(&case.file(), &case.bytes).map_err(Failures::not_run)?;
            let judged = judge_closure(&case, answer).map_err(Failures::not_run)?;
            report.add_omitted(judged.omitted());
            judgements.push(CaseJudgement::new(judged.outcome().clone(), judged.readings().to_vec()));
            if self.trials > 0 {
                asked_cases.push((case.clone(), closure_result(&case, &judged)));
            }
            told.push((case_rules(&case), case.id, case.summary));
        }
        let DecidedVerdicts { verdicts, readings } = decide_verdicts(&BTreeMap::new(), judgements);
        report.readings = readings;
        for ((rules, case, summary), verdict) in told.into_iter().zip(verdicts) {
            let outcome = verdict.outcome().clone();
            let case = FailedCase { case, summary, rules, outcome, known: None };
            let seen = ObservedResult {
                label: "",
                id: &case.case,
                outcome: &case.outcome,
                rule: None,
                suspects: &[],
                rules: &case.rules,
            };
            let expectation = self.expected.expectation(seen);
            let failure =
                |known: Option<Expectation>| FailedCase { known: known.map(|known| known.reason), ..case.clone() };
            match (&case.outcome, expectation) {
                (Outcome::Skip { reason, .. }, _) => {
                    report.skipped.push(SkippedCase { case: case.case.clone(), reason: reason.clone() });
                }
                (outcome, Some(known)) if outcome.is_failure() => report.known.push(failure(Some(known))),
                (_, Some(known)) => failed.push(failure(Some(known))),
                (outcome, None) if outcome.is_failure() => failed.push(failure(None)),
                (_, None) => report.passed += 1,
            }
        }
        if asked == 0 {
            let message = match chosen {
                0 => "no case matches `.format` and `.filter`; `heapsmith corpus list` prints the ids of the cases",
                _ => {
                    "every case that matches `.format` and `.filter` is a dump with several heaps, which are not asked"
                }
            };
            return Err(Failures::not_run(Error::Usage(message.to_owned())));
        }
        if failed.is_empty() {
            return Ok(report);
        }
        // Readings are decided by now, and failures that are known say nothing new.
        asked_cases.retain(|(case, result)| {
            !result.outcome().is_failure() || failed.iter().any(|one| one.case == case.id && one.known.is_none())
        });
        let causes = self.causes(&asked_cases).map_err(Failures::not_run)?;
        Err(Failures::from_cases(failed, report, causes))
    }

    /// The causes of failures, where they are asked for.
    fn causes(&mut self, asked: &[(Case, CaseResult)]) -> Result<Vec<Cause>, Error> {
        if self.trials == 0 {
            return Ok(Vec::new());
        }
        explained::explain(asked, self.trials, &mut |dump| {
            let case = match case_from_bytes("dump", dump.to_vec()) {
                Ok(case) => case,
                Err(Error::Decode(_) | Error::Usage(_)) => return Ok(Observation::Unknown),
                Err(error) => return Err(error),
            };
            let answer = self.call_decoder(&case.file(), &case.bytes)?;
            Ok(Observation::from_result(&closure_result(&case, &judge_closure(&case, answer)?)))
        })
    }

    /// Runs the decoder over the cases, and panics with the list of those that failed.
    ///
    /// # Panics
    /// If a case failed, or none could be run.
    #[track_caller]
    pub fn assert(self) {
        if let Err(failures) = self.run() {
            panic!("{failures}");
        }
    }

    fn call_decoder(&mut self, file: &str, bytes: &[u8]) -> Result<Result<DecoderAnswer, DecoderExit>, Error> {
        let files = QuestionFiles::with_bytes("heapsmith-", file, bytes, "jsonl")?;
        let decoder = &mut self.decoder;
        // What a panic left half done is the decoder's to bear: the next call is a case of its own.
        Ok(match catch_unwind(AssertUnwindSafe(|| decoder(&files.input))) {
            Ok(answer) => answer.map_err(|message| DecoderExit::Refused(files.shorten(&message))),
            Err(panic) => {
                let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
                let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
                Err(DecoderExit::Panicked(files.shorten(&text.unwrap_or_default())))
            }
        })
    }
}

fn closure_result(case: &Case, judged: &AnswerJudgement) -> CaseResult {
    let broken = case.breaks.map(|(rule, offset)| Suspect { rule: rule.to_owned(), offset, length: 1 });
    CaseResult::new(&case.id, judged.outcome().clone())
        .suspects(broken.into_iter().collect())
        .others(other_facts(judged))
}

const SEVERAL_HEAPS: &str = "the dump has several heaps, and a path does not say which one";
