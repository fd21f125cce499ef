//! The judgement of answers: from a reply to a verdict.

mod answers;
mod changed;
mod closure;
mod counts;
pub(super) mod decoder_answer;
mod digest;
mod dump;
mod follows;
mod holder;
mod invented;
mod large;
mod limits;
mod listing;
mod lost;
mod moved;
mod others;
mod passed_over;
mod readings;
mod same;
mod skipped;
mod tally;

use std::collections::BTreeSet;

use crate::compare::{Facet, FacetDifference};
use crate::corpus::{Answer, Case, Verdict};
use crate::digest::Selection;
use crate::error::Error;
use crate::format::DumpFile;
use crate::hprof::Reading;
use crate::input::Input;
use crate::model::Address;
use crate::validate::{Severity, ValidateOptions, validate};

pub(super) use answers::read as read_answers;
pub(super) use closure::judge_closure;
pub(super) use counts::{counts as counts_of, of as number_of, strings};
pub(super) use large::judge_large;
pub(super) use limits::under_limits;
pub(super) use others::others;
pub(super) use same::in_words_of;
pub(super) use tally::{OfClass, Tally};

use crate::check::declarations::Declares;
use crate::check::declarations::READINGS;
use crate::check::declarations::as_counted;
use crate::check::protocol::Accepted;
use crate::check::protocol::Count;
use crate::check::protocol::Hello;
use crate::check::protocol::Level;
use crate::check::report::Follows;
use crate::check::report::Outcome;
use crate::check::subject::AnswerFile;
use crate::check::subject::Files;
use crate::check::subject::LONG;
use crate::check::subject::Reply;
use crate::check::subject::Session;
use crate::check::subject::Subject;
use crate::check::subject::cut;
use crate::check::task::Operation;
use crate::check::task::Task;
use crate::check::task::first_heap;

use readings::{Rights, Scope};

/// The judgement of an answer: the outcome, and its facts.
#[derive(Clone, Debug)]
pub(super) struct Judgement {
    pub(super) outcome: Outcome,
    /// Every fact that is wrong.
    pub(super) differing: Vec<Differing>,
    /// The offset that a refusal names.
    pub(super) offset: Option<u64>,
    /// Facets that were not judged.
    pub(super) omitted: Vec<Facet>,
    /// The readings under which an answer is right, where it shows some: each entry is enough.
    pub(super) follows: Vec<Follows>,
}

/// A mismatch between an answer and what is right: at least one wrong fact.
#[derive(Clone, Debug)]
pub(super) struct Wrong {
    /// There is a first one.
    facts: Vec<Differing>,
    /// The facets of these facts; empty where they are not known.
    differing: Selection,
}

/// A wrong fact.
#[derive(Clone, Debug)]
pub(super) struct Differing {
    /// Its name: a facet, a count, or `answer`.
    pub(super) fact: String,
    pub(super) facet: Option<Facet>,
    pub(super) address: Option<String>,
    pub(super) expected: String,
    pub(super) found: String,
    pub(super) count: u64,
    /// Addresses where the fact is wrong, as far as they are known; of many the first. Without those where the answer
    /// has the right value and another one besides.
    pub(super) at: Vec<Address>,
    /// Whether all places are known.
    pub(super) is_whole: bool,
    /// The fact from which it only follows.
    pub(super) follows: Option<String>,
    /// Whether it is known already from which fact it follows, or that it follows from none.
    pub(super) is_settled: bool,
    /// Whether it is wrong in other classes and objects than all the other facts that follow from nothing.
    pub(super) is_apart: bool,
}

/// The name in place of a fact that could be neither confirmed nor refuted.
const UNDECIDED: &str = "undecided";

impl Wrong {
    /// Graphs that could not be compared: they may be the same under other addresses, or not.
    fn undecided(steps: u64) -> Wrong {
        let found = format!("not decided up to renaming within {steps} steps");
        Wrong::number(UNDECIDED.to_owned(), String::new(), found)
    }

    /// An answer that cannot be read as one.
    fn answer(expected: &str, found: String) -> Wrong {
        Wrong::number("answer".to_owned(), expected.to_owned(), found)
    }

    /// A wrong number.
    fn number(fact: String, expected: String, found: String) -> Wrong {
        Differing {
            fact,
            facet: None,
            address: None,
            expected,
            found,
            count: 1,
            at: Vec::new(),
            is_whole: true,
            follows: None,
            is_settled: false,
            is_apart: false,
        }
        .into()
    }

    /// A wrong fact of a facet.
    fn facet(facet: Facet, address: Option<String>, expected: String, found: String, count: u64) -> Wrong {
        Differing {
            fact: facet.to_string(),
            facet: Some(facet),
            address,
            expected,
            found,
            count,
            at: Vec::new(),
            is_whole: count <= 1,
            follows: None,
            is_settled: false,
            is_apart: false,
        }
        .into()
    }

    /// A mismatch of several facts; `None` without any.
    fn all(all: impl IntoIterator<Item = Differing>) -> Option<Wrong> {
        let mut all = all.into_iter();
        let first = Wrong::from(all.next()?);
        Some(all.fold(first, Wrong::and))
    }

    /// Its first fact.
    fn into_first(mut self) -> Differing {
        self.facts.swap_remove(0)
    }

    /// Adds another wrong fact.
    fn and(mut self, other: Differing) -> Wrong {
        self.differing = self.differing.facets().chain(other.facet).collect();
        self.facts.push(other);
        self
    }

    /// Forgets the facets, where it is not known which of them are wrong.
    fn of_unknown_facets(self) -> Wrong {
        Wrong { differing: Selection::default(), ..self }
    }

    /// Whether it could not be found out that it is wrong.
    fn is_undecided(&self) -> bool {
        self.facts[0].fact == UNDECIDED
    }
}

impl From<Differing> for Wrong {
    fn from(first: Differing) -> Wrong {
        let differing = first.facet.into_iter().collect();
        Wrong { facts: vec![first], differing }
    }
}

impl From<FacetDifference> for Differing {
    fn from(d: FacetDifference) -> Differing {
        Differing {
            fact: d.facet.to_string(),
            facet: Some(d.facet),
            address: d.address,
            expected: d.left,
            found: d.right,
            count: d.count,
            is_whole: d.count <= d.addresses.len().max(1) as u64,
            at: d.addresses.into_iter().filter(|at| !d.repeated.contains(at)).collect(),
            follows: None,
            is_settled: false,
            is_apart: false,
        }
    }
}

impl Judgement {
    fn of(outcome: Outcome) -> Judgement {
        Judgement { outcome, differing: Vec::new(), offset: None, omitted: Vec::new(), follows: Vec::new() }
    }

    /// Joins the readings of an answer that is right for two reasons: those of either are enough, and where one reason
    /// needs no reading, none is shown.
    fn or(self, other: &Judgement) -> Judgement {
        let is_shown = !self.follows.is_empty() && !other.follows.is_empty();
        let follows = if is_shown { [&self.follows[..], &other.follows].concat() } else { Vec::new() };
        Judgement { follows, ..self }
    }

    fn wrong(wrong: Wrong) -> Judgement {
        if wrong.is_undecided() {
            return Judgement::of(Outcome::Skip { reason: wrong.into_first().found, link: None });
        }
        let differing: Vec<Differing> = wrong.facts.into_iter().map(shortened).collect();
        Judgement { outcome: differing[0].outcome(), differing, ..Judgement::of(Outcome::Pass { reading: None }) }
    }

    /// Puts the facts that follow from nothing else first, and the outcome with them.
    fn with_causes_first(mut self, case: &Case) -> Judgement {
        if let (Outcome::Fail { .. }, Some(heap)) = (&self.outcome, first_heap(case)) {
            follows::put_causes_first(heap, &mut self.differing);
            if let Some(first) = self.differing.first() {
                self.outcome = first.outcome();
            }
        }
        self
    }
}

impl Differing {
    fn outcome(&self) -> Outcome {
        let Differing { fact, address, expected, found, count, .. } = self.clone();
        Outcome::Fail { fact, address, expected, found, count }
    }
}

/// Cuts the texts of a fact: names in a listing may have any length.
fn shortened(differing: Differing) -> Differing {
    let shorten = |text: &str| cut(text, LONG).replace('\n', "\\n");
    let [fact, expected, found] = [&differing.fact, &differing.expected, &differing.found].map(|text| shorten(text));
    Differing { fact, expected, found, ..differing }
}

/// A task that was answered: the subject, its declarations, the case and the files.
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
    if let Reply::Accepted(_) = &reply
        && let Some(case) = skipped::shortened(asked)
    {
        return judge(&Asked { case: &case, ..*asked }, reply, session);
    }
    Some(match reply {
        Reply::Interrupted | Reply::Doubted => return None,
        Reply::Accepted(_) | Reply::Refused(..) if asked.case.takes_any_answer() => passed(None),
        Reply::Accepted(accepted) => {
            // Whatever cannot be read of an answer is held against it: the run goes on.
            let judgement = accepted_by(asked, &accepted, session).unwrap_or_else(|e| {
                let found = asked.files.shorten(&e.to_string());
                Judgement::wrong(Wrong::answer("an answer that can be read", found))
            });
            match asked.files.answer().is_ok_and(AnswerFile::has_changed) {
                true => Judgement::of(Outcome::AdapterError { how: CHANGED.to_owned() }),
                false => judgement.with_causes_first(asked.case),
            }
        }
        Reply::Refused(..) if let Some(why) = may_refuse(asked) => passed(Some(why.to_owned())),
        Reply::Refused(message, offset) => {
            Judgement { offset, ..refused(&asked.rights(Scope::Other), asked.case, &message) }
        }
        Reply::Skipped(reason, link) => Judgement::of(Outcome::Skip { reason, link }),
        Reply::NotStarted(why) => {
            let how = format!("it cannot be started: {why}");
            Judgement::of(Outcome::AdapterError { how })
        }
        Reply::Error(how) => Judgement::of(Outcome::AdapterError { how }),
        Reply::Crash(how) | Reply::Failed(how) => Judgement::of(Outcome::Crash { how }),
        Reply::Hang(how) => Judgement::of(Outcome::Hang { how }),
        Reply::OutOfMemory(how) => Judgement::of(Outcome::OutOfMemory { how }),
    })
}

/// The reason for which a converter may refuse a readable dump: the other format need not be able to hold its heap.
fn may_refuse(asked: &Asked<'_>) -> Option<&'static str> {
    let Operation::Convert(to) = &asked.task.operation else { return None };
    let heap = first_heap(asked.case)?;
    if dump::is_beyond_java(heap) {
        return Some("an array that is longer than Java's");
    }
    (!dump::can_hold(to, heap, &asked.case.bytes)).then_some("a heap that the other format cannot hold")
}

/// The failure of an answer that changed after it was announced.
const CHANGED: &str = "the file of the answer became longer or shorter after the answer was announced as complete";

fn accepted_by(asked: &Asked<'_>, accepted: &Accepted, session: &mut dyn Session) -> Result<Judgement, Error> {
    let level = asked.hello.map_or(Level::Listing, |hello| asked.subject.level_of(hello));
    let may_warn = asked.hello.is_some_and(|hello| hello.protocol >= 2) && asked.task.operation == Operation::Parse;
    let warnings = &accepted.warnings[..if may_warn { accepted.warnings.len() } else { 0 }];
    if !has_heap(asked.case) && warnings.is_empty() {
        if let Some(read) = passed_over::judge(asked, accepted, level, session)? {
            return Ok(read);
        }
        if (&asked.task.operation, level) == (&Operation::Parse, Level::Listing) {
            return listing::not_refused(asked);
        }
        return Ok(not_refused());
    }
    let right = match has_heap(asked.case) {
        true => judged(asked, accepted, level, session)?,
        false => listing::is_listing(asked, level)?,
    };
    let is_no_answer = !has_heap(asked.case) && matches!(right.outcome, Outcome::Fail { .. });
    let [warning, ..] = warnings else { return Ok(right) };
    if is_no_answer {
        return Ok(right);
    }
    warned(asked, warning, right)
}

/// Judges warnings: problems with the dump that the implementation reports although it accepts. A damaged dump may be
/// read as far as it goes if the damage is reported; a dump without a flaw has nothing to report.
fn warned(asked: &Asked<'_>, warning: &str, right: Judgement) -> Result<Judgement, Error> {
    if !has_heap(asked.case) {
        return Ok(passed(Some("accepted with warnings".to_owned())));
    }
    if !right.outcome.is_pass() {
        // By another reading of its bytes it is damaged.
        let is_damaged = |answer: &Answer| matches!(answer, Answer::Refuses(reading) if reading.contains('='));
        let may_be_damaged = asked.case.answers.iter().any(is_damaged);
        return Ok(if may_be_damaged { passed(Some("accepted with warnings".to_owned())) } else { right });
    }
    let input = Input::memory(&asked.case.id, asked.case.bytes.clone());
    let report = validate(&input, ValidateOptions::default())?;
    // A note is about bytes that may be as they are.
    if report.findings.iter().any(|finding| finding.severity != Severity::Note) {
        return Ok(right);
    }
    let found = format!("accepted with warnings: {}", asked.files.shorten(warning));
    Ok(Judgement::of(Outcome::WrongVerdict { expected: "accept without warnings".to_owned(), found }))
}

fn judged(asked: &Asked<'_>, accepted: &Accepted, level: Level, session: &mut dyn Session) -> Result<Judgement, Error> {
    match (&asked.task.operation, level) {
        (Operation::Convert(to) | Operation::Encode(to), _) => {
            let input = match dump::valid(asked)? {
                Ok(input) => input,
                Err(wrong) => return Ok(Judgement::wrong(wrong)),
            };
            let is_converted = matches!(asked.task.operation, Operation::Convert(_));
            let holder = accepted.holder.as_deref().filter(|_| !is_converted);
            let scope = if is_converted { Scope::Other } else { Scope::Nothing };
            let rights = asked.rights(scope).of_answer(input.length());
            rights.judge(|heap, _| dump::judge(asked, heap, to, holder, &input))
        }
        (Operation::Parse, Level::Verdict) => asked.rights(Scope::Nothing).judge(|_, _| Ok(Ok(()))),
        (Operation::Parse, Level::Counts) => {
            let declared = asked.hello.map(|hello| hello.counts.as_slice()).unwrap_or_default();
            let strings = match declared.contains(&Count::Strings) {
                true => {
                    let input = Input::memory(&asked.case.id, asked.case.bytes.clone());
                    counts::strings(&mut DumpFile::new(input, Reading::default())?.read()?.dump)
                }
                false => None,
            };
            let rights = asked.rights(Scope::Other);
            rights.judge(|heap, combination| {
                let counted = as_counted(heap, asked.declares());
                counts::judge(&mut &*counted, strings, declared, accepted, combination.has_text())
            })
        }
        (Operation::Parse, Level::Answers) => answers::judge(asked),
        (Operation::Parse, Level::Digest) => digest::judge(asked, accepted, session),
        (Operation::Parse, Level::Listing) => listing::judge(asked),
    }
}

impl<'a> Asked<'a> {
    /// The right heaps, under the readings that are declared.
    fn rights(&self, scope: Scope) -> Rights<'a> {
        let mut declared = match self.hello {
            Some(hello) => hello.declared_readings(),
            None => self.subject.declares.declared_readings(),
        };
        match (&self.task.operation, self.hello) {
            (Operation::Parse, _) => {}
            // What a parser tells in its listings says nothing of the dumps that are made.
            (Operation::Convert(to), Some(hello)) if hello.protocol >= 2 => {
                declared.extend(hello.of_dumps(self.case.format, to).readings());
            }
            _ => declared.retain(|name, _| !READINGS.contains(&name.as_str())),
        }
        Rights::new(self.case, &declared, scope)
    }

    /// The implementation's declarations about the spelling of facts in listings.
    fn declares(&self) -> &'a Declares {
        self.hello.map_or(&self.subject.declares, |hello| &hello.declares)
    }
}

/// Whether some heap is right.
fn has_heap(case: &Case) -> bool {
    case.answers.iter().any(|answer| matches!(answer, Answer::Reads(..)))
}

fn not_refused() -> Judgement {
    Judgement::of(Outcome::WrongVerdict { expected: "refuse".to_owned(), found: "accepted".to_owned() })
}

fn passed(reading: Option<String>) -> Judgement {
    Judgement::of(Outcome::Pass { reading })
}

fn refused(rights: &Rights<'_>, case: &Case, message: &str) -> Judgement {
    if let Some((reading, follows)) = rights.refusal() {
        let reading = (case.verdict == Verdict::Ambiguous).then(|| reading.to_owned());
        return Judgement { follows, ..passed(reading) };
    }
    let found = if message.is_empty() { "refused".to_owned() } else { format!("refused: {message}") };
    Judgement::of(Outcome::WrongVerdict { expected: "accept".to_owned(), found })
}
