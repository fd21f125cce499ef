//! The judgement of answers: from a reply to a verdict.

mod adapter_fault;
mod answers;
mod broken_records;
mod changed;
mod closure;
mod consequences;
mod counts;
mod declared_loss;
pub(super) mod decoder_answer;
mod digest;
mod dump;
mod holder;
mod invented;
mod large;
mod limits;
mod listing;
mod others;
mod readings;
mod relocated;
mod rewording;
mod skipped_records;
mod tally;

use std::collections::BTreeSet;

use crate::corpus::{Case, CaseVerdict, RightAnswer};
use heapsmith_core::compare::{Facet, FacetDifference};
use heapsmith_core::digest::FacetSelection;
use heapsmith_core::error::Error;
use heapsmith_core::format::DumpFile;
use heapsmith_core::hprof::ReadOptions;
use heapsmith_core::input::Input;
use heapsmith_core::model::Address;
use heapsmith_core::validate::{Severity, ValidateOptions, validate};

pub(super) use adapter_fault::{find_adapter_fault, find_missing_count};
pub(super) use answers::read as read_answers;
pub(super) use closure::judge_closure;
pub(super) use counts::{counts_of, number_of, strings};
pub(super) use large::judge_large;
pub(super) use limits::limit_subject;
pub(super) use others::other_facts;
pub(super) use rewording::adopt_wording;
pub(super) use tally::{ClassTally, ObjectTally};

use crate::check::declarations::Declares;
use crate::check::declarations::READINGS;
use crate::check::declarations::with_counted_roots;
use crate::check::protocol::Accepted;
use crate::check::protocol::CountKind;
use crate::check::protocol::Hello;
use crate::check::protocol::Level;
use crate::check::report::Outcome;
use crate::check::report::PassingReadings;
use crate::check::subject::AnswerFile;
use crate::check::subject::LONG;
use crate::check::subject::QuestionFiles;
use crate::check::subject::Reply;
use crate::check::subject::Session;
use crate::check::subject::Subject;
use crate::check::subject::cut;
use crate::check::task::Task;
use crate::check::task::TaskOperation;
use crate::check::task::first_heap;

use readings::{JudgedScope, RightHeaps};

/// The judgement of an answer: the outcome, and its facts. It is made here, and read elsewhere.
#[derive(Clone, Debug)]
pub(super) struct AnswerJudgement {
    outcome: Outcome,
    /// Every fact that is wrong.
    differing: Vec<WrongFact>,
    /// The offset that a refusal names.
    offset: Option<u64>,
    /// Facets that were not judged.
    omitted: Vec<Facet>,
    /// The readings under which an answer is right, where it shows some: each entry is enough.
    follows: Vec<PassingReadings>,
}

/// A mismatch between an answer and what is right: at least one wrong fact.
#[derive(Clone, Debug)]
pub(super) struct Mismatch {
    /// There is a first one.
    facts: Vec<WrongFact>,
    /// The facets of these facts; empty where they are not known.
    differing: FacetSelection,
}

/// A wrong fact.
#[derive(Clone, Debug)]
pub(super) struct WrongFact {
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
    /// The fact from which it only follows.
    pub(super) follows: Option<String>,
    /// Whether it is known already from which fact it follows, or that it follows from none.
    pub(super) is_settled: bool,
}

/// The name in place of a fact that could be neither confirmed nor refuted.
const UNDECIDED: &str = "undecided";

impl Mismatch {
    /// Graphs that could not be compared: they may be the same under other addresses, or not.
    fn undecided(steps: u64) -> Mismatch {
        let found = format!("not decided up to renaming within {steps} steps");
        Mismatch::number(UNDECIDED.to_owned(), String::new(), found)
    }

    /// An answer that cannot be read as one.
    fn answer(expected: &str, found: String) -> Mismatch {
        Mismatch::number("answer".to_owned(), expected.to_owned(), found)
    }

    /// A wrong number.
    fn number(fact: String, expected: String, found: String) -> Mismatch {
        WrongFact {
            fact,
            facet: None,
            address: None,
            expected,
            found,
            count: 1,
            at: Vec::new(),
            follows: None,
            is_settled: false,
        }
        .into()
    }

    /// A wrong fact of a facet.
    fn facet(facet: Facet, address: Option<String>, expected: String, found: String, count: u64) -> Mismatch {
        WrongFact {
            fact: facet.to_string(),
            facet: Some(facet),
            address,
            expected,
            found,
            count,
            at: Vec::new(),
            follows: None,
            is_settled: false,
        }
        .into()
    }

    /// A mismatch of several facts; `None` without any.
    fn from_facts(all: impl IntoIterator<Item = WrongFact>) -> Option<Mismatch> {
        let mut all = all.into_iter();
        let first = Mismatch::from(all.next()?);
        Some(all.fold(first, Mismatch::with_fact))
    }

    /// Its first fact.
    fn into_first(mut self) -> WrongFact {
        self.facts.swap_remove(0)
    }

    /// Adds another wrong fact.
    fn with_fact(mut self, other: WrongFact) -> Mismatch {
        self.differing = self.differing.facets().chain(other.facet).collect();
        self.facts.push(other);
        self
    }

    /// Forgets the facets, where it is not known which of them are wrong.
    fn with_unknown_facets(self) -> Mismatch {
        Mismatch { differing: FacetSelection::default(), ..self }
    }

    /// Whether it could not be found out that it is wrong.
    fn is_undecided(&self) -> bool {
        self.facts[0].fact == UNDECIDED
    }
}

impl From<WrongFact> for Mismatch {
    fn from(first: WrongFact) -> Mismatch {
        let differing = first.facet.into_iter().collect();
        Mismatch { facts: vec![first], differing }
    }
}

impl From<FacetDifference> for WrongFact {
    fn from(d: FacetDifference) -> WrongFact {
        WrongFact {
            fact: d.facet.to_string(),
            facet: Some(d.facet),
            address: d.address,
            expected: d.left,
            found: d.right,
            count: d.count,
            at: d.addresses.into_iter().filter(|at| !d.repeated.contains(at)).collect(),
            follows: None,
            is_settled: false,
        }
    }
}

impl AnswerJudgement {
    /// An outcome without facts: of a question that was not asked, or whose answer was not looked at.
    pub(super) fn from_outcome(outcome: Outcome) -> AnswerJudgement {
        AnswerJudgement { outcome, differing: Vec::new(), offset: None, omitted: Vec::new(), follows: Vec::new() }
    }

    /// The judgement with a reply that came after the answer. A failure of the answer itself has precedence.
    pub(super) fn with_late_reply(self, reply: Reply) -> AnswerJudgement {
        match reply.after_answer() {
            Some(after) if !self.outcome.is_failure() => AnswerJudgement::from_outcome(after),
            _ => self,
        }
    }

    pub(super) fn outcome(&self) -> &Outcome {
        &self.outcome
    }

    /// Every fact that is wrong.
    pub(super) fn differing(&self) -> &[WrongFact] {
        &self.differing
    }

    /// The offset that a refusal names.
    pub(super) fn offset(&self) -> Option<u64> {
        self.offset
    }

    /// Facets that were not judged.
    pub(super) fn omitted(&self) -> &[Facet] {
        &self.omitted
    }

    /// The readings under which the answer is right, where it shows some: each entry is enough.
    pub(super) fn readings(&self) -> &[PassingReadings] {
        &self.follows
    }

    /// Joins the readings of an answer that is right for two reasons: those of either are enough, and where one reason
    /// needs no reading, none is shown.
    fn merge_readings(self, other: &AnswerJudgement) -> AnswerJudgement {
        let is_shown = !self.follows.is_empty() && !other.follows.is_empty();
        let follows = if is_shown { [&self.follows[..], &other.follows].concat() } else { Vec::new() };
        AnswerJudgement { follows, ..self }
    }

    fn from_mismatch(wrong: Mismatch) -> AnswerJudgement {
        if wrong.is_undecided() {
            return AnswerJudgement::from_outcome(Outcome::skip(wrong.into_first().found, None));
        }
        let differing: Vec<WrongFact> = wrong.facts.into_iter().map(shorten_fact).collect();
        AnswerJudgement {
            outcome: differing[0].outcome(),
            differing,
            ..AnswerJudgement::from_outcome(Outcome::Pass { reading: None })
        }
    }

    /// Puts the facts that follow from nothing else first, and the outcome with them.
    fn with_causes_first(mut self, case: &Case) -> AnswerJudgement {
        if let (Outcome::Fail { .. }, Some(heap)) = (&self.outcome, first_heap(case)) {
            consequences::put_causes_first(heap, &mut self.differing);
            self.restate_outcome();
        }
        self
    }

    /// Leaves out of the facets that were not judged what no answer about this case is judged by.
    fn without_file_facets(mut self, case: &Case) -> AnswerJudgement {
        if case.is_about_all_heaps() {
            self.omitted.retain(|facet| !OF_THE_FILE.contains(facet));
        }
        self
    }

    /// Sets the address of the first wrong fact, and that of the outcome with it.
    fn with_first_address(mut self, address: Option<Address>) -> AnswerJudgement {
        if let (Some(first), Some(address)) = (self.differing.first_mut(), address) {
            first.address = Some(address.to_string());
            first.at = vec![address];
            self.restate_outcome();
        }
        self
    }

    /// Makes the outcome that of the first wrong fact, if there is one.
    fn restate_outcome(&mut self) {
        if let Some(first) = self.differing.first() {
            self.outcome = first.outcome();
        }
    }
}

impl WrongFact {
    fn outcome(&self) -> Outcome {
        let WrongFact { fact, address, expected, found, count, .. } = self.clone();
        Outcome::Fail { fact, address, expected, found, count }
    }
}

/// Cuts the texts of a fact: names in a listing may have any length.
fn shorten_fact(differing: WrongFact) -> WrongFact {
    let shorten = |text: &str| cut(text, LONG).replace('\n', "\\n");
    let [fact, expected, found] = [&differing.fact, &differing.expected, &differing.found].map(|text| shorten(text));
    WrongFact { fact, expected, found, ..differing }
}

/// The facets of what a file says beside its heaps.
const OF_THE_FILE: [Facet; 11] = [
    Facet::DumpTimes,
    Facet::Threads,
    Facet::StackTraces,
    Facet::Strings,
    Facet::Unloads,
    Facet::AllocationSites,
    Facet::HeapSummaries,
    Facet::CpuSamples,
    Facet::ControlSettings,
    Facet::UnknownRecords,
    Facet::Events,
];

/// The facets that are not judged of an answer about a case, with those that are left out anyway. One who cannot say which of
/// several heaps is meant cannot say whose log is meant either.
pub(super) fn left_out_facets(case: &Case, left_out: &BTreeSet<Facet>) -> BTreeSet<Facet> {
    let of_the_file = OF_THE_FILE.into_iter().filter(|_| case.is_about_all_heaps());
    left_out.iter().copied().chain(of_the_file).collect()
}

/// A task that was answered: the subject, its declarations, the case and the files.
pub(super) struct AnsweredTask<'a> {
    pub(super) subject: &'a Subject,
    pub(super) hello: Option<&'a Hello>,
    pub(super) task: &'a Task,
    pub(super) case: &'a Case,
    pub(super) files: &'a QuestionFiles,
    /// Facets that are not judged.
    pub(super) left_out: &'a BTreeSet<Facet>,
}

/// Judges the reply to a task; `None` if the run is to stop. At the level of digests the session is asked for more where
/// one is wrong.
pub(super) fn judge(asked: &AnsweredTask<'_>, reply: Reply, session: &mut dyn Session) -> Option<AnswerJudgement> {
    if let Reply::Accepted(_) = &reply
        && let Some(case) = skipped_records::without_skipped_records(asked)
    {
        return judge(&AnsweredTask { case: &case, ..*asked }, reply, session);
    }
    Some(match reply {
        Reply::Interrupted | Reply::Doubted => return None,
        Reply::Accepted(_) | Reply::Refused(..) if asked.case.takes_any_answer() => passed(None),
        Reply::Accepted(accepted) => {
            // Whatever cannot be read of an answer is held against it: the run goes on.
            let judgement = judge_acceptance(asked, &accepted, session).unwrap_or_else(|e| {
                let found = asked.files.shorten(&e.to_string());
                AnswerJudgement::from_mismatch(Mismatch::answer("an answer that can be read", found))
            });
            match asked.files.answer().is_ok_and(AnswerFile::has_changed) {
                true => AnswerJudgement::from_outcome(Outcome::AdapterError { how: CHANGED.to_owned() }),
                false => judgement.with_causes_first(asked.case).without_file_facets(asked.case),
            }
        }
        Reply::Refused(..) if let Some(why) = permitted_refusal(asked) => passed(Some(why.to_owned())),
        Reply::Refused(message, offset) => {
            AnswerJudgement { offset, ..judge_refusal(&asked.right_heaps(JudgedScope::Other), asked.case, &message) }
        }
        Reply::Skipped(reason, link) => AnswerJudgement::from_outcome(Outcome::skip(reason, link)),
        Reply::NotStarted(why) => {
            let how = format!("it cannot be started: {why}");
            AnswerJudgement::from_outcome(Outcome::AdapterError { how })
        }
        Reply::Error(how) => AnswerJudgement::from_outcome(Outcome::AdapterError { how }),
        Reply::Crash(how) | Reply::Failed(how) => AnswerJudgement::from_outcome(Outcome::Crash { how }),
        Reply::Hang(how) => AnswerJudgement::from_outcome(Outcome::Hang { how }),
        Reply::OutOfMemory(how) => AnswerJudgement::from_outcome(Outcome::OutOfMemory { how }),
    })
}

/// The reason for which a converter may refuse a readable dump: the other format need not be able to hold its heap.
fn permitted_refusal(asked: &AnsweredTask<'_>) -> Option<&'static str> {
    let TaskOperation::Convert(to) = &asked.task.operation else { return None };
    let heap = first_heap(asked.case)?;
    if dump::is_beyond_java(heap) {
        return Some("an array that is longer than Java's");
    }
    (!dump::can_hold(to, heap, &asked.case.bytes)).then_some("a heap that the other format cannot hold")
}

/// The failure of an answer that changed after it was announced.
const CHANGED: &str = "the file of the answer became longer or shorter after the answer was announced as complete";

fn judge_acceptance(
    asked: &AnsweredTask<'_>,
    accepted: &Accepted,
    session: &mut dyn Session,
) -> Result<AnswerJudgement, Error> {
    let level = asked.hello.map_or(Level::Listing, |hello| asked.subject.effective_level(hello));
    let may_warn = asked.hello.is_some_and(|hello| hello.protocol >= 2) && asked.task.operation == TaskOperation::Parse;
    let warnings = &accepted.warnings[..if may_warn { accepted.warnings.len() } else { 0 }];
    if !has_heap(asked.case) && warnings.is_empty() {
        if let Some(read) = broken_records::judge(asked, accepted, level, session)? {
            return Ok(read);
        }
        if (&asked.task.operation, level) == (&TaskOperation::Parse, Level::Listing) {
            return listing::judge_missing_refusal(asked);
        }
        return Ok(not_refused());
    }
    let right = match has_heap(asked.case) {
        true => judge_answer(asked, accepted, level, session)?,
        false => listing::require_listing(asked, level)?,
    };
    let is_no_answer =
        !has_heap(asked.case) && matches!(right.outcome, Outcome::Fail { .. } | Outcome::AdapterError { .. });
    let [warning, ..] = warnings else { return Ok(right) };
    if is_no_answer {
        return Ok(right);
    }
    judge_warning(asked, warning, right)
}

/// Judges warnings: problems with the dump that the implementation reports although it accepts. A damaged dump may be
/// read as far as it goes if the damage is reported; a dump without a flaw has nothing to report.
fn judge_warning(asked: &AnsweredTask<'_>, warning: &str, right: AnswerJudgement) -> Result<AnswerJudgement, Error> {
    if !has_heap(asked.case) {
        return Ok(passed(Some("accepted with warnings".to_owned())));
    }
    if !right.outcome.is_pass() {
        // By another reading of its bytes it is damaged.
        let is_damaged =
            |answer: &RightAnswer| matches!(answer, RightAnswer::Refuses(reading) if reading.contains('='));
        let may_be_damaged = asked.case.answers.iter().any(is_damaged);
        return Ok(if may_be_damaged { passed(Some("accepted with warnings".to_owned())) } else { right });
    }
    let input = Input::from_memory(&asked.case.id, asked.case.bytes.clone());
    let report = validate(&input, ValidateOptions::default())?;
    // A note is about bytes that may be as they are.
    if report.findings.iter().any(|finding| finding.severity != Severity::Note) {
        return Ok(right);
    }
    let found = format!("accepted with warnings: {}", asked.files.shorten(warning));
    Ok(AnswerJudgement::from_outcome(Outcome::WrongVerdict { expected: "accept without warnings".to_owned(), found }))
}

fn judge_answer(
    asked: &AnsweredTask<'_>,
    accepted: &Accepted,
    level: Level,
    session: &mut dyn Session,
) -> Result<AnswerJudgement, Error> {
    match (&asked.task.operation, level) {
        (TaskOperation::Convert(to) | TaskOperation::Encode(to), _) => {
            let input = match dump::valid_dump(asked)? {
                Ok(input) => input,
                Err(wrong) => return Ok(AnswerJudgement::from_mismatch(wrong)),
            };
            let is_converted = matches!(asked.task.operation, TaskOperation::Convert(_));
            let holder = accepted.holder.as_deref().filter(|_| !is_converted);
            let scope = if is_converted { JudgedScope::Other } else { JudgedScope::Nothing };
            let rights = asked.right_heaps(scope).limited_by_length(input.length());
            rights.judge(|heap, _| dump::judge(asked, heap, to, holder, &input))
        }
        (TaskOperation::Parse, Level::Verdict) => asked.right_heaps(JudgedScope::Nothing).judge(|_, _| Ok(Ok(()))),
        (TaskOperation::Parse, Level::Counts) => {
            let declared = asked.hello.map(|hello| hello.counts.as_slice()).unwrap_or_default();
            let strings = match declared.contains(&CountKind::Strings) {
                true => {
                    let input = Input::from_memory(&asked.case.id, asked.case.bytes.clone());
                    counts::strings(&mut DumpFile::new(input, ReadOptions::default())?.read()?.dump)
                }
                false => None,
            };
            let rights = asked.right_heaps(JudgedScope::Other);
            rights.judge(|heap, combination| {
                let counted = with_counted_roots(heap, asked.declares());
                counts::judge(&mut &*counted, strings, declared, accepted, combination.has_text())
            })
        }
        (TaskOperation::Parse, Level::Answers) => answers::judge(asked),
        (TaskOperation::Parse, Level::Digest) => digest::judge(asked, accepted, session),
        (TaskOperation::Parse, Level::Listing) => listing::judge(asked),
    }
}

impl<'a> AnsweredTask<'a> {
    /// The right heaps, under the readings that are declared.
    fn right_heaps(&self, scope: JudgedScope) -> RightHeaps<'a> {
        let mut declared = match self.hello {
            Some(hello) => hello.declared_readings(),
            None => self.subject.declares.declared_readings(),
        };
        match (&self.task.operation, self.hello) {
            (TaskOperation::Parse, _) => {}
            // What a parser tells in its listings says nothing of the dumps that are made.
            (TaskOperation::Convert(to), Some(hello)) if hello.protocol >= 2 => {
                declared.extend(hello.dump_declares(self.case.format, to).readings());
            }
            _ => declared.retain(|name, _| !READINGS.contains(&name.as_str())),
        }
        RightHeaps::new(self.case, &declared, scope)
    }

    /// The implementation's declarations about the spelling of facts in listings.
    fn declares(&self) -> &'a Declares {
        self.hello.map_or(&self.subject.declares, |hello| &hello.declares)
    }
}

/// Whether some heap is right.
fn has_heap(case: &Case) -> bool {
    case.answers.iter().any(|answer| matches!(answer, RightAnswer::Reads(..)))
}

fn not_refused() -> AnswerJudgement {
    AnswerJudgement::from_outcome(Outcome::WrongVerdict { expected: "refuse".to_owned(), found: "accepted".to_owned() })
}

fn passed(reading: Option<String>) -> AnswerJudgement {
    AnswerJudgement::from_outcome(Outcome::Pass { reading })
}

fn judge_refusal(rights: &RightHeaps<'_>, case: &Case, message: &str) -> AnswerJudgement {
    if let Some((reading, follows)) = rights.refusal() {
        let reading = (case.verdict == CaseVerdict::Ambiguous).then(|| reading.to_owned());
        return AnswerJudgement { follows, ..passed(reading) };
    }
    let found = if message.is_empty() { "refused".to_owned() } else { format!("refused: {message}") };
    AnswerJudgement::from_outcome(Outcome::WrongVerdict { expected: "accept".to_owned(), found })
}
