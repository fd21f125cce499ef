//! From an answer to a verdict.

mod closure;
mod counts;
mod digest;
mod dump;
mod holder;
mod invented;
mod listing;
mod same;

use std::collections::BTreeSet;

use crate::compare::Facet;
use crate::corpus::{Answer, Case, Verdict};
use crate::error::Error;
use crate::format::DumpFile;
use crate::hprof::Reading;
use crate::input::Input;
use crate::model::Heap;

pub(super) use closure::judge_closure;
pub(super) use counts::{counts as counts_of, histogram_of, strings};

use super::protocol::{Accepted, Count, Hello, Level};
use super::report::Outcome;
use super::subject::{AnswerFile, Files, LONG, Reply, Session, Subject, cut};
use super::task::{Operation, Task};

/// A verdict, and what it is about.
#[derive(Clone, Debug)]
pub(super) struct Judgement {
    pub(super) outcome: Outcome,
    /// The facet that is wrong, for its place in the dump.
    pub(super) facet: Option<Facet>,
    /// The offset that a refusal names.
    pub(super) offset: Option<u64>,
    /// Facets that were not judged.
    pub(super) omitted: Vec<Facet>,
}

/// What is wrong with an answer.
#[derive(Clone, Debug)]
pub(super) struct Wrong {
    fact: String,
    facet: Option<Facet>,
    address: Option<String>,
    expected: String,
    found: String,
    count: u64,
}

/// What stands for a fact where nobody can say whether it is wrong.
const UNDECIDED: &str = "undecided";

impl Wrong {
    /// Graphs that may be the same under other addresses, or not.
    fn undecided(steps: u64) -> Wrong {
        let found = format!("not decided up to renaming within {steps} steps");
        Wrong::number(UNDECIDED.to_owned(), String::new(), found)
    }

    /// Something that is no answer.
    fn answer(expected: &str, found: String) -> Wrong {
        Wrong { fact: "answer".to_owned(), facet: None, address: None, expected: expected.to_owned(), found, count: 1 }
    }

    /// A number that is another.
    fn number(fact: String, expected: String, found: String) -> Wrong {
        Wrong { fact, facet: None, address: None, expected, found, count: 1 }
    }

    /// A fact of a facet.
    fn facet(facet: Facet, address: Option<String>, expected: String, found: String, count: u64) -> Wrong {
        Wrong { fact: facet.to_string(), facet: Some(facet), address, expected, found, count }
    }
}

impl Judgement {
    fn of(outcome: Outcome) -> Judgement {
        Judgement { outcome, facet: None, offset: None, omitted: Vec::new() }
    }

    fn wrong(wrong: Wrong) -> Judgement {
        if wrong.fact == UNDECIDED {
            return Judgement::of(Outcome::Skip { reason: wrong.found, link: None });
        }
        let Wrong { fact, facet, address, expected, found, count } = wrong;
        // Names in a listing may have any length.
        let [fact, expected, found] = [fact, expected, found].map(|text| cut(&text, LONG).replace('\n', "\\n"));
        let outcome = Outcome::Fail { fact, address, expected, found, count };
        Judgement { facet, ..Judgement::of(outcome) }
    }
}

/// Who answered, and how.
pub(super) struct Asked<'a> {
    pub(super) subject: &'a Subject,
    pub(super) hello: Option<&'a Hello>,
    pub(super) task: &'a Task,
    pub(super) case: &'a Case,
    pub(super) files: &'a Files,
    /// Facets that are not judged.
    pub(super) left_out: &'a BTreeSet<Facet>,
}

/// Judges the reply to a task; `None` if the run is to stop. At the level of digests the session is asked for more where
/// one is wrong.
pub(super) fn judge(asked: &Asked<'_>, reply: Reply, session: &mut dyn Session) -> Option<Judgement> {
    Some(match reply {
        Reply::Interrupted | Reply::Doubted => return None,
        Reply::Accepted(accepted) => {
            // Whatever cannot be read of an answer is held against it: the run goes on.
            let judgement = accepted_by(asked, &accepted, session).unwrap_or_else(|e| {
                let found = asked.files.shorten(&e.to_string());
                Judgement::wrong(Wrong::answer("an answer that can be read", found))
            });
            match asked.files.answer().is_ok_and(AnswerFile::has_changed) {
                true => Judgement::of(Outcome::AdapterError { how: CHANGED.to_owned() }),
                false => judgement,
            }
        }
        Reply::Refused(message, offset) => Judgement { offset, ..Judgement::of(refused(asked.case, &message)) },
        Reply::Skipped(reason, link) => Judgement::of(Outcome::Skip { reason, link }),
        Reply::NotStarted(why) => {
            let how = format!("it cannot be started: {why}");
            Judgement::of(Outcome::AdapterError { how })
        }
        Reply::Error(how) => Judgement::of(Outcome::AdapterError { how }),
        Reply::Crash(how) => Judgement::of(Outcome::Crash { how }),
        Reply::Hang(how) => Judgement::of(Outcome::Hang { how }),
        Reply::OutOfMemory(how) => Judgement::of(Outcome::OutOfMemory { how }),
    })
}

/// An answer is complete when it is announced.
const CHANGED: &str = "the file of the answer became longer or shorter after the answer was announced as complete";

fn accepted_by(asked: &Asked<'_>, accepted: &Accepted, session: &mut dyn Session) -> Result<Judgement, Error> {
    let right = right(asked.case);
    let level = asked.hello.map_or(Level::Listing, |hello| asked.subject.level_of(hello));
    if right.is_empty() {
        if (&asked.task.operation, level) == (&Operation::Parse, Level::Listing) {
            return listing::not_refused(asked);
        }
        let found = "accepted".to_owned();
        return Ok(Judgement::of(Outcome::WrongVerdict { expected: "refuse".to_owned(), found }));
    }
    match (&asked.task.operation, level) {
        (Operation::Convert(to), _) => first_right(asked.case, &right, |heap| dump::judge(asked, heap, to, None)),
        (Operation::Encode(to), _) => {
            let holder = accepted.holder.as_deref();
            first_right(asked.case, &right, |heap| dump::judge(asked, heap, to, holder))
        }
        (Operation::Parse, Level::Verdict) => first_right(asked.case, &right, |_| Ok(Ok(()))),
        (Operation::Parse, Level::Counts) => {
            let declared = asked.hello.map(|hello| hello.counts.as_slice()).unwrap_or_default();
            let strings = match declared.contains(&Count::Strings) {
                true => {
                    let input = Input::memory(&asked.case.id, asked.case.bytes.clone());
                    counts::strings(&DumpFile::new(input, Reading::default())?)?
                }
                false => None,
            };
            first_right(asked.case, &right, |heap| Ok(counts::judge(heap, strings, declared, accepted)))
        }
        (Operation::Parse, Level::Digest) => digest::judge(asked, &right, accepted, session),
        (Operation::Parse, Level::Listing) => listing::judge(asked, &right),
    }
}

/// The heaps that are right, each with its reading.
fn right(case: &Case) -> Vec<(&str, &Heap)> {
    let reads = |answer| match answer {
        &Answer::Reads(reading, ref heap) => Some((reading, &**heap)),
        Answer::Refuses(_) => None,
    };
    case.answers.iter().filter_map(reads).collect()
}

/// The first right answer that agrees; if none does, what is wrong against the first of them.
fn first_right(
    case: &Case,
    right: &[(&str, &Heap)],
    mut differ: impl FnMut(&Heap) -> Result<Result<(), Wrong>, Error>,
) -> Result<Judgement, Error> {
    let mut first = None;
    for (reading, heap) in right {
        match differ(heap)? {
            Ok(()) => return Ok(Judgement::of(Outcome::Pass { reading: reading_of(case, reading) })),
            Err(wrong) => first = first.or(Some(wrong)),
        }
    }
    Ok(Judgement::wrong(first.unwrap_or_else(|| Wrong::answer("a heap", "nothing".to_owned()))))
}

fn refused(case: &Case, message: &str) -> Outcome {
    for answer in &case.answers {
        if let Answer::Refuses(reading) = answer {
            return Outcome::Pass { reading: reading_of(case, reading) };
        }
    }
    let found = if message.is_empty() { "refused".to_owned() } else { format!("refused: {message}") };
    Outcome::WrongVerdict { expected: "accept".to_owned(), found }
}

fn reading_of(case: &Case, reading: &str) -> Option<String> {
    (case.verdict == Verdict::Ambiguous).then(|| reading.to_owned())
}
