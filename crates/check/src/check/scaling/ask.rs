//! Questions about one dump, several times.

use std::time::Instant;

use crate::check::judge::number_of;
use crate::check::protocol::{Accepted, CountKind, Hello, ObjectCounts};
use crate::check::report::Outcome;
use crate::check::scaling::ScalingOptions;
use crate::check::scaling::report::DumpCost;
use crate::check::scaling::shapes::{ScalingDump, ScalingShape};
use crate::check::subject::{QuestionFiles, Reply, Session, Subject, SubjectKind};
use crate::check::task::{CaseSource, Task, TaskOperation};
use crate::corpus::Case;
use heapsmith_core::error::Error;
use heapsmith_core::format::Format;
use heapsmith_core::model::Heap;

/// The number of questions about each dump. Disturbances make a time longer: the least counts.
const TIMES: usize = 3;

/// The implementation that is asked.
pub(super) struct Asker<'r> {
    pub(super) subject: &'r Subject,
    pub(super) hello: Option<&'r Hello>,
    pub(super) options: &'r ScalingOptions,
}

/// The result of reading a dump.
pub(super) enum ReadOutcome {
    /// Read, at this cost.
    Rightly(DumpCost),
    /// Not read, in a process of its own either: the dump's length, and the outcome.
    Failed(u64, Outcome),
    /// Not asked, or not answered with a reason.
    Skipped(String),
    /// The run is to stop.
    Stopped,
}

/// The judged answer to one question.
enum TimedAnswer {
    Right(DumpCost),
    Wrong(Outcome),
    Skipped(String),
    Stopped,
}

impl Asker<'_> {
    /// A session. Nothing is started before the first question.
    pub(super) fn open_session(&self) -> Box<dyn Session + '_> {
        self.subject.open_session(self.hello)
    }

    /// The milliseconds of an answer after which dumps do not grow any more.
    pub(super) fn enough_milliseconds(&self) -> f64 {
        self.options.enough.as_secs_f64() * 1e3
    }

    /// Asks about the dump of a kind that has that many, several times if that is quick.
    pub(super) fn read(
        &self,
        session: &mut dyn Session,
        format: Format,
        shape: &ScalingShape,
        count: u64,
    ) -> Result<ReadOutcome, Error> {
        let ScalingDump { bytes, counts, .. } = shape.dump(format, count)?;
        let size = bytes.len() as u64;
        let (id, summary) = (format!("{}-{count}", shape.name), format!("{count} {}", shape.unit));
        let case = Case::valid(id.clone(), format, summary.clone(), summary, bytes, Heap::default());
        let source = CaseSource::Random(id.as_str().into(), [format.family()].into(), 0, 0);
        let asked = ScalingQuestion {
            task: Task { id, source, operation: TaskOperation::Parse, renames: false },
            case,
            counts,
        };
        let mut least: Option<DumpCost> = None;
        for _ in 0..TIMES {
            let cost = match self.ask_with_retry(session, &asked)? {
                TimedAnswer::Right(cost) => cost,
                TimedAnswer::Wrong(outcome) => return Ok(ReadOutcome::Failed(size, outcome)),
                TimedAnswer::Skipped(reason) => return Ok(ReadOutcome::Skipped(reason)),
                TimedAnswer::Stopped => return Ok(ReadOutcome::Stopped),
            };
            least = Some(least.map_or(cost, |least| least.least(&cost)));
            if cost.milliseconds >= self.enough_milliseconds() {
                break;
            }
        }
        Ok(ReadOutcome::Rightly(DumpCost { count, bytes: size, ..least.unwrap_or_default() }))
    }

    /// Asks; after a failure once more, in a process of its own.
    fn ask_with_retry(&self, session: &mut dyn Session, asked: &ScalingQuestion) -> Result<TimedAnswer, Error> {
        match self.ask(session, asked)? {
            TimedAnswer::Wrong(_) => self.ask(self.open_session().as_mut(), asked),
            answer => Ok(answer),
        }
    }

    fn ask(&self, session: &mut dyn Session, asked: &ScalingQuestion) -> Result<TimedAnswer, Error> {
        if self.subject.stop.is_asked() {
            return Ok(TimedAnswer::Stopped);
        }
        let files = QuestionFiles::write(&asked.task, &asked.case)?;
        let started = Instant::now();
        let reply = session.ask(&asked.task, &asked.case, &files)?;
        let milliseconds = started.elapsed().as_secs_f64() * 1e3;
        let cost = DumpCost { milliseconds, peak_memory: session.peak_memory(), ..DumpCost::default() };
        Ok(self.judge_reply(reply, cost, &asked.counts))
    }

    fn judge_reply(&self, reply: Reply, cost: DumpCost, due: &ObjectCounts) -> TimedAnswer {
        TimedAnswer::Wrong(match reply {
            Reply::Accepted(accepted) => match self.wrong_count(&accepted, due) {
                Some(outcome) => outcome,
                None => return TimedAnswer::Right(cost),
            },
            Reply::Skipped(reason, _) => return TimedAnswer::Skipped(reason),
            Reply::Interrupted | Reply::Doubted => return TimedAnswer::Stopped,
            // It does not say beforehand what it reads.
            Reply::Refused(message, _) if self.subject.kind != SubjectKind::Adapter => {
                return TimedAnswer::Skipped(format!("refused: {message}"));
            }
            Reply::Refused(message, _) => {
                Outcome::WrongVerdict { expected: "accept".to_owned(), found: format!("refused: {message}") }
            }
            Reply::Crash(how) | Reply::Failed(how) => Outcome::Crash { how },
            Reply::Hang(how) => Outcome::Hang { how },
            Reply::OutOfMemory(how) => Outcome::OutOfMemory { how },
            Reply::Error(how) | Reply::NotStarted(how) => Outcome::AdapterError { how },
        })
    }

    /// The first wrong number, where numbers were asked for.
    fn wrong_count(&self, accepted: &Accepted, due: &ObjectCounts) -> Option<Outcome> {
        let (told, hello) = (accepted.counts.as_ref()?, self.hello?);
        let declared = CountKind::ALL.into_iter().filter(|count| hello.counts.contains(count));
        declared.filter_map(|count| Some((count, number_of(due, count)?, number_of(told, count)))).find_map(
            |(count, due, found)| {
                (found != Some(due)).then(|| Outcome::Fail {
                    fact: count.to_string(),
                    address: None,
                    expected: due.to_string(),
                    found: found.map_or("nothing, although it is declared".to_owned(), |found| found.to_string()),
                    count: 1,
                })
            },
        )
    }
}

/// A question about a dump of a known size.
struct ScalingQuestion {
    task: Task,
    case: Case,
    counts: ObjectCounts,
}
