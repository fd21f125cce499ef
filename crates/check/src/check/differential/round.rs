//! A round: one dump, about which every implementation is asked.

use std::collections::BTreeSet;
use std::time::Instant;

use crate::check::differential::difference::Responder;
use crate::check::differential::peer_reply::{ACCEPTED, PeerReply, REFUSED, ReplyEnding, SKIPPED};
use crate::check::differential::responder_table::ResponderTable;
use crate::check::judge::limit_subject;
use crate::check::report::{Disagreement, DisagreementSide, Outcome, VERDICT, list_in_words};
use crate::check::run::{Peer, exhausted_time_limit};
use crate::check::streamed_dump::DumpOrigin;
use crate::check::subject::{LONG, QuestionFiles, Session, Subject, cut};
use crate::check::task::Task;
use crate::check::tasks::{known_skip_reason, why_not_large};
use crate::corpus::Case;
use heapsmith_core::compare::Facet;
use heapsmith_core::error::Error;

/// A round: sessions of all implementations, which are asked one after the other.
pub(super) struct DifferentialRound<'r> {
    parties: &'r [Peer<'r>],
    /// The subjects under the limits of the dumps; or the reasons for which they are not asked.
    subjects: &'r [Result<Subject, String>],
    sessions: Vec<Box<dyn Session + Send + 'r>>,
    /// The tasks that each implementation was asked, by their places among all.
    asked: Vec<Vec<usize>>,
}

/// The replies to a dump, compared.
#[derive(Clone)]
pub(super) struct ComparedReplies {
    pub(super) outcome: Outcome,
    /// The disagreements besides the first.
    pub(super) others: Vec<Disagreement>,
    /// The facet that the outcome is about.
    pub(super) facet: Option<Facet>,
    /// The kind of each reply.
    pub(super) kinds: Vec<&'static str>,
    /// Facets that no two of them were compared on.
    pub(super) omitted: Vec<Facet>,
    pub(super) milliseconds: f64,
    pub(super) peak_memory: Option<u64>,
    /// Whether each is asked once more, alone.
    pub(super) is_doubtful: bool,
    /// Whether one took as long as a question may, for nothing.
    pub(super) was_in_vain: bool,
}

/// The replies of all implementations, before they are compared.
pub(super) struct PeerReplies {
    format: heapsmith_core::format::Format,
    said: Vec<PeerReply>,
    milliseconds: f64,
    peak_memory: Option<u64>,
    is_doubtful: bool,
    was_in_vain: bool,
}

/// The subjects under the limits of a dump; or the reasons for which they are not asked about it.
pub(super) fn limit_subjects(parties: &[Peer<'_>], task: &Task) -> Result<Vec<Result<Subject, String>>, Error> {
    let case = task.source.validated_case()?;
    let streamed = task.source.streamed(&case);
    let limited = |party: &Peer<'_>| match &streamed {
        Some(streamed) => limit_subject(party.subject, party.hello(), streamed, &task.operation),
        None => Ok(party.subject.clone()),
    };
    Ok(parties.iter().map(limited).collect())
}

impl<'r> DifferentialRound<'r> {
    pub(super) fn new(parties: &'r [Peer<'r>], subjects: &'r [Result<Subject, String>]) -> DifferentialRound<'r> {
        let of = |(party, limited): (&'r Peer<'r>, &'r Result<Subject, String>)| {
            limited.as_ref().unwrap_or(party.subject).open_session(party.hello())
        };
        let sessions = parties.iter().zip(subjects).map(of).collect();
        DifferentialRound { parties, subjects, sessions, asked: vec![Vec::new(); parties.len()] }
    }

    /// Asks all about a dump, whose place among the tasks is `index`. `None` if the run is to stop.
    ///
    /// # Errors
    /// If the case cannot be made, files cannot be written, or a program cannot be started.
    pub(super) fn ask(&mut self, task: &Task, index: usize) -> Result<Option<PeerReplies>, Error> {
        let heard = self.ask_every_peer(task, index);
        // What is read of files ends with a signal, so that what came of it says nothing.
        if self.parties.iter().any(|party| party.subject.stop.is_asked()) { Ok(None) } else { heard }
    }

    fn ask_every_peer(&mut self, task: &Task, index: usize) -> Result<Option<PeerReplies>, Error> {
        let case = task.source.validated_case()?;
        let (mut heard, started) = (PeerReplies::new(case.format), Instant::now());
        for party in 0..self.parties.len() {
            let Some(said) = self.ask_peer(party, task, &case, index, &mut heard)? else { return Ok(None) };
            heard.said.push(said);
        }
        heard.milliseconds = started.elapsed().as_secs_f64() * 1e3;
        Ok(Some(heard))
    }

    fn ask_peer(
        &mut self,
        place: usize,
        task: &Task,
        case: &Case,
        index: usize,
        heard: &mut PeerReplies,
    ) -> Result<Option<PeerReply>, Error> {
        let party = &self.parties[place];
        if party.subject.stop.is_asked() {
            return Ok(None);
        }
        if let Err(how) = &party.hello {
            return Ok(Some(PeerReply::Ended(ReplyEnding { kind: "adapter-error", how: how.clone() })));
        }
        let subject = match &self.subjects[place] {
            Ok(subject) => subject,
            Err(reason) => return Ok(Some(PeerReply::Nothing(reason.clone()))),
        };
        if let Some(reason) = known_skip_reason(subject, party.hello(), task, case) {
            return Ok(Some(PeerReply::Nothing(reason.text)));
        }
        let streamed = task.source.streamed(case);
        let files = match streamed.as_ref().map(|streamed| streamed.from) {
            Some(DumpOrigin::Own(own)) => QuestionFiles::link_user_dump(own, task.answer_suffix())?,
            _ => QuestionFiles::write(task, case)?,
        };
        if let Some(streamed) = &streamed
            && let Some(reason) = why_not_large(subject, party.hello(), streamed, &files)?
        {
            return Ok(Some(PeerReply::Nothing(reason)));
        }
        let started = Instant::now();
        let session = &mut self.sessions[place];
        let reply = session.ask(task, case, &files)?;
        self.asked[place].push(index);
        heard.peak_memory = heard.peak_memory.max(session.peak_memory());
        heard.is_doubtful |= reply.may_be_accidental(session.was_first());
        heard.was_in_vain |= exhausted_time_limit(&reply, started.elapsed(), subject.budget.time_for(files.size));
        Ok(PeerReply::from_reply(reply, subject, party.hello(), &files))
    }

    /// Ends all processes. Returns the places of tasks whose answers are doubtful.
    pub(super) fn finish(mut self) -> BTreeSet<usize> {
        let mut doubtful = BTreeSet::new();
        for (session, asked) in self.sessions.iter_mut().zip(&self.asked) {
            doubtful.extend(session.finish().into_iter().filter_map(|(question, _)| asked.get(question).copied()));
        }
        doubtful
    }

    /// Ends all processes after one dump. A failure after the answer replaces the answer.
    pub(super) fn finish_alone(mut self, heard: &mut PeerReplies) {
        for (session, said) in self.sessions.iter_mut().zip(&mut heard.said) {
            let after = session.finish().into_iter().find_map(|(_, reply)| reply.after_answer());
            let ended = after.map(|outcome| ReplyEnding { kind: outcome.name(), how: outcome.detail() });
            if let (Some(ended), PeerReply::Accepted(_) | PeerReply::Nothing(_)) = (ended, &*said) {
                *said = PeerReply::Ended(ended);
            }
        }
        heard.is_doubtful = false;
    }
}

/// Compares what all said.
///
/// # Errors
/// What temporary files run into.
pub(super) fn compare_replies(
    parties: &[Peer<'_>],
    left_out: &BTreeSet<Facet>,
    heard: PeerReplies,
) -> Result<ComparedReplies, Error> {
    let verdict = verdict_disagreement(parties, &heard.said);
    let both = parties.iter().zip(&heard.said);
    let answers = both.filter_map(|(party, said)| match said {
        PeerReply::Accepted(answer) => Some((&*party.label, Responder { hello: party.hello(), answer })),
        _ => None,
    });
    let (labels, voices) = answers.unzip();
    let table = ResponderTable::new(heard.format, labels, voices, left_out)?;
    let all = verdict.into_iter().map(|verdict| (verdict, None)).chain(table.disagreements());
    let mut all = all.collect::<Vec<_>>().into_iter();
    let (outcome, facet) = match all.next() {
        Some((first, facet)) => (Outcome::Disagree(first), facet),
        None => (agreement_outcome(parties, &heard.said), None),
    };
    Ok(ComparedReplies {
        outcome,
        others: all.map(|(other, _)| other).collect(),
        facet,
        kinds: heard.said.iter().map(PeerReply::kind).collect(),
        omitted: table.not_compared(),
        milliseconds: heard.milliseconds,
        peak_memory: heard.peak_memory,
        is_doubtful: heard.is_doubtful,
        was_in_vain: heard.was_in_vain,
    })
}

impl PeerReplies {
    fn new(format: heapsmith_core::format::Format) -> PeerReplies {
        let (said, milliseconds, peak_memory) = (Vec::new(), 0.0, None);
        PeerReplies { format, said, milliseconds, peak_memory, is_doubtful: false, was_in_vain: false }
    }
}

impl ComparedReplies {
    /// A dump that was not asked about.
    pub(super) fn without_question(parties: usize, outcome: Outcome) -> ComparedReplies {
        ComparedReplies {
            outcome,
            others: Vec::new(),
            facet: None,
            kinds: vec![SKIPPED; parties],
            omitted: Vec::new(),
            milliseconds: 0.0,
            peak_memory: None,
            is_doubtful: false,
            was_in_vain: false,
        }
    }
}

/// The disagreement of those that accept a dump with those that refuse it, or that give no answer at all. Only acceptance and
/// refusal are answers.
fn verdict_disagreement(parties: &[Peer<'_>], said: &[PeerReply]) -> Option<Disagreement> {
    let mut sides: Vec<(&str, DisagreementSide)> = Vec::new();
    let mut silent = Vec::new();
    for (party, said) in parties.iter().zip(said) {
        let says = match said {
            PeerReply::Nothing(_) => {
                silent.push(party.label.clone());
                continue;
            }
            PeerReply::Accepted(_) => ACCEPTED.to_owned(),
            PeerReply::Ended(ReplyEnding { kind, how }) if how.is_empty() => (*kind).to_owned(),
            PeerReply::Ended(ReplyEnding { kind, how }) => cut(&format!("{kind}: {how}"), LONG),
        };
        match sides.iter_mut().find(|(kind, _)| *kind == said.kind()) {
            Some((_, side)) => side.by.push(party.label.clone()),
            None => sides.push((said.kind(), DisagreementSide { says, by: vec![party.label.clone()] })),
        }
    }
    let are_answers = sides.iter().all(|(kind, _)| [ACCEPTED, REFUSED].contains(kind));
    if sides.len() < 2 && are_answers {
        return None;
    }
    let sides = sides.into_iter().map(|(_, side)| side).collect();
    Some(Disagreement { fact: VERDICT.to_owned(), address: None, count: 1, sides, silent })
}

/// The outcome of a dump without a disagreement.
fn agreement_outcome(parties: &[Peer<'_>], said: &[PeerReply]) -> Outcome {
    let answered = parties.iter().zip(said).filter(|(_, said)| !matches!(said, PeerReply::Nothing(_)));
    let labels: Vec<&str> = answered.clone().map(|(party, _)| &*party.label).collect();
    if labels.len() < 2 {
        let reasons = parties.iter().zip(said).filter_map(|(party, said)| match said {
            PeerReply::Nothing(reason) => Some(format!("{}: {reason}", party.label)),
            _ => None,
        });
        let reason = format!("fewer than two can be asked about it ({})", reasons.collect::<Vec<_>>().join("; "));
        return Outcome::skip(reason, None);
    }
    let does = match answered.clone().all(|(_, said)| said.kind() == ACCEPTED) {
        true => "accept it and say the same",
        false => "refuse it",
    };
    Outcome::Agree { how: format!("{} {does}", list_in_words(&labels)) }
}
