//! Reduction of a cause: the smallest dump that shows it.

use std::num::NonZeroUsize;
use std::time::Duration;

use sha2::{Digest, Sha256};

use crate::check::report::symptom::symptoms_of;
use crate::check::report::{CaseResult, Cause, DUMPS, ReducedDump};
use crate::check::sources::{apply_edit, case_from_bytes, compress_case};
use crate::check::task::{CaseSource, Task, first_heap};
use crate::corpus::Case;
use crate::reduce::{ReduceOptions, ReduceProgress, reduce};
use heapsmith_core::bytes::hexadecimal;
use heapsmith_core::error::Error;
use heapsmith_core::interrupt::Stop;

/// The time after which no further dump is tried: a program that hangs would take hours.
const LONGEST: Duration = Duration::from_secs(300);

/// Whether a case shows what is looked for. It is asked from several threads.
pub(super) type CasePredicate<'q> = dyn Fn(Case) -> Result<bool, Error> + Sync + 'q;

/// The symptoms that smaller dumps have to show, and the ways to ask.
pub(super) trait SymptomOracle {
    /// The symptoms that it looks for.
    fn symptoms(&self) -> Vec<String>;

    /// Asks about many dumps.
    fn predicate(&self, second: RetryProcess) -> Box<CasePredicate<'_>>;

    /// Asks about a dump in a process of its own.
    ///
    /// # Errors
    /// If a program cannot be started, or the dump cannot be written.
    fn shows_alone(&self, case: Case) -> Result<bool, Error>;
}

/// The process of the second question about a dump that showed the symptom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RetryProcess {
    /// Another process than the first time, which is asked about other dumps as well.
    InCompany,
    /// A process of its own, whose start takes most of the time where it is a virtual machine.
    Alone,
}

/// The options of a reduction.
pub(super) struct CauseReducer<'s> {
    /// The request to stop.
    pub(super) stop: &'s Stop,
    /// The most dumps that are tried.
    pub(super) trials: u64,
    /// The number of dumps at a time.
    pub(super) jobs: usize,
    /// The listener, which is called with the number of dumps tried.
    pub(super) tried: &'s (dyn Fn(u64) + Sync),
}

/// The smallest dump of a cause.
pub(super) struct ReducedExample {
    /// The dump as a case.
    pub(super) case: Case,
    /// The report's entry; it has no file yet.
    pub(super) told: ReducedDump,
    /// Whether it was reduced; if not, its dump alone does not show the cause.
    pub(super) is_reduced: bool,
}

impl CauseReducer<'_> {
    /// Reduces the dump of a failure; without an oracle, the dump stays as it is. A dump that an edit damages, or that
    /// is compressed, is reduced before that, and each smaller one is damaged and compressed again.
    ///
    /// # Errors
    /// If cases cannot be made, files cannot be written, or a program cannot be started.
    pub(super) fn reduce_example(
        &self,
        task: &Task,
        result: &CaseResult,
        cause: &Cause,
        question: Option<&dyn SymptomOracle>,
    ) -> Result<ReducedExample, Error> {
        let case = task.source.case()?;
        let ((base, edit), is_compressed) = match &task.source {
            CaseSource::Drawn(drawn) => (drawn.undamaged()?, drawn.is_compressed()),
            _ => ((case.clone(), None), false),
        };
        let shows = match question {
            Some(question) => question.symptoms(),
            None => symptoms_of(result).into_iter().collect(),
        };
        let options = ReduceOptions::default()
            .trials(self.trials)
            .time(LONGEST)
            .jobs(NonZeroUsize::new(self.jobs).unwrap_or(NonZeroUsize::MIN))
            .stop(self.stop.clone());
        let reduced = question.filter(|_| self.trials > 0).map(|question| {
            let edited = |dump: &[u8]| {
                let base = case_from_bytes("dump", dump.to_vec())?;
                let edited = match edit {
                    Some(edit) => apply_edit(edit, &base)?,
                    None => Some(base),
                };
                Ok(if is_compressed { edited.map(compress_case) } else { edited })
            };
            let of = |second, before: u64| {
                let seen = question.predicate(second);
                let tried = |progress: ReduceProgress<'_>| {
                    if let ReduceProgress::Tried(count) = progress {
                        (self.tried)(before + count);
                    }
                };
                let shows = |dump: &[u8]| match edited(dump) {
                    Ok(case) => case.map_or(Ok(false), &seen),
                    Err(Error::Decode(_) | Error::Usage(_)) => Ok(false),
                    Err(e) => Err(e),
                };
                let reduced = reduce(base.bytes.clone(), &shows, &options, &tried)?;
                let smallest = edited(&reduced.bytes)?.unwrap_or_else(|| case.clone());
                Ok((smallest, before + reduced.trials))
            };
            let (smallest, trials) = of(RetryProcess::InCompany, 0)?;
            if question.shows_alone(smallest.clone())? {
                return Ok((smallest, trials));
            }
            // It depends on the dumps that a process was asked about before.
            of(RetryProcess::Alone, trials)
        });
        let (case, trials, is_reduced) = match reduced {
            Some(Ok((case, trials))) => (case, trials, true),
            // It shows it only in company, or what is right of it is more than what is read of it.
            None | Some(Err(Error::Usage(_) | Error::Decode(_))) => (case, 0, false),
            Some(Err(e)) => return Err(e),
        };
        let heap = case_from_bytes("dump", case.bytes.clone()).ok();
        let told = ReducedDump {
            shows,
            rule: cause.rule.clone(),
            file: String::new(),
            bytes: case.bytes.len() as u64,
            objects: heap.as_ref().and_then(first_heap).map(|heap| heap.objects.len() as u64),
            sha256: hexadecimal(&Sha256::digest(&case.bytes)),
            trials,
            of: result.id.clone(),
        };
        Ok(ReducedExample { case, told, is_reduced })
    }
}

/// The path of a reduced dump below the folder of a campaign or report: number and cause.
pub(super) fn dump_path(number: usize, cause: &str, suffix: &str) -> String {
    let plain: String =
        cause.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' }).collect();
    let words: Vec<&str> = plain.split('-').filter(|word| !word.is_empty()).take(8).collect();
    let name: String = words.join("-").chars().take(60).collect();
    format!("{DUMPS}/{number:03}-{name}.{suffix}")
}
