//! Questions about one dump, several times.

use std::time::Instant;

use crate::check::judge::number_of;
use crate::check::protocol::{Accepted, Count, Counts, Hello};
use crate::check::report::Outcome;
use crate::check::scaling::ScalingOptions;
use crate::check::scaling::report::Size;
use crate::check::scaling::shapes::{Dump, Shape};
use crate::check::subject::{Files, Kind, Reply, Session, Subject};
use crate::check::task::{Operation, Source, Task};
use crate::corpus::Case;
use crate::error::Error;
use crate::format::Format;
use crate::model::Heap;

/// The number of questions about each dump. Disturbances make a time longer: the least counts.
const TIMES: usize = 3;

/// The implementation that is asked.
pub(super) struct Asker<'r> {
    pub(super) subject: &'r Subject,
    pub(super) hello: Option<&'r Hello>,
    pub(super) options: &'r ScalingOptions,
}

/// The result of reading a dump.
pub(super) enum Read {
    /// Read, at this cost.
    Rightly(Size),
    /// Not read, in a process of its own either: the dump's length, and the outcome.
    Failed(u64, Outcome),
    /// Not asked, or not answered with a reason.
    Skipped(String),
    /// The run is to stop.
    Stopped,
}

/// The judged answer to one question.
enum Answer {
    Right(Size),
    Wrong(Outcome),
    Skipped(String),
    Stopped,
}

impl Asker<'_> {
    /// A session. Nothing is started before the first question.
    pub(super) fn open(&self) -> Box<dyn Session + '_> {
        self.subject.open(self.hello)
    }

    /// The milliseconds of an answer after which dumps do not grow any more.
    pub(super) fn enough(&self) -> f64 {
        self.options.enough.as_secs_f64() * 1e3
    }

    /// Asks about the dump of a kind that has that many, several times if that is quick.
    pub(super) fn read(
        &self,
        session: &mut dyn Session,
        format: Format,
        shape: &Shape,
        count: u64,
    ) -> Result<Read, Error> {
        let Dump { bytes, counts, .. } = shape.dump(format, count)?;
        let size = bytes.len() as u64;
        let (id, summary) = (format!("{}-{count}", shape.name), format!("{count} {}", shape.unit));
        let case = Case::valid(id.clone(), format, summary.clone(), summary, bytes, Heap::default());
        let source = Source::Random(id.as_str().into(), [format.family()].into(), 0, 0);
        let asked = Asked { task: Task { id, source, operation: Operation::Parse, renames: false }, case, counts };
        let mut least: Option<Size> = None;
        for _ in 0..TIMES {
            let cost = match self.twice(session, &asked)? {
                Answer::Right(cost) => cost,
                Answer::Wrong(outcome) => return Ok(Read::Failed(size, outcome)),
                Answer::Skipped(reason) => return Ok(Read::Skipped(reason)),
                Answer::Stopped => return Ok(Read::Stopped),
            };
            least = Some(least.map_or(cost, |least| least.least(&cost)));
            if cost.milliseconds >= self.enough() {
                break;
            }
        }
        Ok(Read::Rightly(Size { count, bytes: size, ..least.unwrap_or_default() }))
    }

    /// Asks; after a failure once more, in a process of its own.
    fn twice(&self, session: &mut dyn Session, asked: &Asked) -> Result<Answer, Error> {
        match self.once(session, asked)? {
            Answer::Wrong(_) => self.once(self.open().as_mut(), asked),
            answer => Ok(answer),
        }
    }

    fn once(&self, session: &mut dyn Session, asked: &Asked) -> Result<Answer, Error> {
        if self.subject.stop.is_asked() {
            return Ok(Answer::Stopped);
        }
        let files = Files::write(&asked.task, &asked.case)?;
        let started = Instant::now();
        let reply = session.ask(&asked.task, &asked.case, &files)?;
        let milliseconds = started.elapsed().as_secs_f64() * 1e3;
        let cost = Size { milliseconds, peak_memory: session.peak_memory(), ..Size::default() };
        Ok(self.judged(reply, cost, &asked.counts))
    }

    fn judged(&self, reply: Reply, cost: Size, due: &Counts) -> Answer {
        Answer::Wrong(match reply {
            Reply::Accepted(accepted) => match self.wrong_count(&accepted, due) {
                Some(outcome) => outcome,
                None => return Answer::Right(cost),
            },
            Reply::Skipped(reason, _) => return Answer::Skipped(reason),
            Reply::Interrupted | Reply::Doubted => return Answer::Stopped,
            // It does not say beforehand what it reads.
            Reply::Refused(message, _) if self.subject.kind != Kind::Adapter => {
                return Answer::Skipped(format!("refused: {message}"));
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
    fn wrong_count(&self, accepted: &Accepted, due: &Counts) -> Option<Outcome> {
        let (told, hello) = (accepted.counts.as_ref()?, self.hello?);
        let declared = Count::ALL.into_iter().filter(|count| hello.counts.contains(count));
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
struct Asked {
    task: Task,
    case: Case,
    counts: Counts,
}
