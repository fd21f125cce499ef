//! A round: one dump, about which every implementation is asked.

use std::collections::BTreeSet;
use std::time::Instant;

use crate::check::among::difference::Voice;
use crate::check::among::said::{ACCEPTED, Ending, REFUSED, SKIPPED, Said};
use crate::check::among::sides::Table;
use crate::check::judge::under_limits;
use crate::check::report::{Disagreement, Outcome, Says, VERDICT, listed};
use crate::check::run::{Party, is_in_vain};
use crate::check::streamed::From as DumpFrom;
use crate::check::subject::{Files, LONG, Session, Subject, cut};
use crate::check::task::Task;
use crate::check::tasks::{why_not_large, why_not_this};
use crate::compare::Facet;
use crate::corpus::Case;
use crate::error::Error;

/// A round: sessions of all implementations, which are asked one after the other.
pub(super) struct Round<'r> {
    parties: &'r [Party<'r>],
    /// The subjects under the limits of the dumps; or the reasons for which they are not asked.
    subjects: &'r [Result<Subject, String>],
    sessions: Vec<Box<dyn Session + Send + 'r>>,
    /// The tasks that each implementation was asked, by their places among all.
    asked: Vec<Vec<usize>>,
}

/// The replies to a dump, compared.
#[derive(Clone)]
pub(super) struct Answered {
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
pub(super) struct Heard {
    format: crate::format::Format,
    said: Vec<Said>,
    milliseconds: f64,
    peak_memory: Option<u64>,
    is_doubtful: bool,
    was_in_vain: bool,
}

/// The subjects under the limits of a dump; or the reasons for which they are not asked about it.
pub(super) fn limited(parties: &[Party<'_>], task: &Task) -> Result<Vec<Result<Subject, String>>, Error> {
    let case = task.source.whatever_it_is()?;
    let streamed = task.source.streamed(&case);
    let limited = |party: &Party<'_>| match &streamed {
        Some(streamed) => under_limits(party.subject, party.hello(), streamed, &task.operation),
        None => Ok(party.subject.clone()),
    };
    Ok(parties.iter().map(limited).collect())
}

impl<'r> Round<'r> {
    pub(super) fn new(parties: &'r [Party<'r>], subjects: &'r [Result<Subject, String>]) -> Round<'r> {
        let of = |(party, limited): (&'r Party<'r>, &'r Result<Subject, String>)| {
            limited.as_ref().unwrap_or(party.subject).open(party.hello())
        };
        let sessions = parties.iter().zip(subjects).map(of).collect();
        Round { parties, subjects, sessions, asked: vec![Vec::new(); parties.len()] }
    }

    /// Asks all about a dump, whose place among the tasks is `index`. `None` if the run is to stop.
    ///
    /// # Errors
    /// If the case cannot be made, files cannot be written, or a program cannot be started.
    pub(super) fn ask(&mut self, task: &Task, index: usize) -> Result<Option<Heard>, Error> {
        let heard = self.heard(task, index);
        // What is read of files ends with a signal, so that what came of it says nothing.
        if self.parties.iter().any(|party| party.subject.stop.is_asked()) { Ok(None) } else { heard }
    }

    fn heard(&mut self, task: &Task, index: usize) -> Result<Option<Heard>, Error> {
        let case = task.source.whatever_it_is()?;
        let (mut heard, started) = (Heard::new(case.format), Instant::now());
        for party in 0..self.parties.len() {
            let Some(said) = self.ask_one(party, task, &case, index, &mut heard)? else { return Ok(None) };
            heard.said.push(said);
        }
        heard.milliseconds = started.elapsed().as_secs_f64() * 1e3;
        Ok(Some(heard))
    }

    fn ask_one(
        &mut self,
        place: usize,
        task: &Task,
        case: &Case,
        index: usize,
        heard: &mut Heard,
    ) -> Result<Option<Said>, Error> {
        let party = &self.parties[place];
        if party.subject.stop.is_asked() {
            return Ok(None);
        }
        if let Err(how) = &party.hello {
            return Ok(Some(Said::Ended(Ending { kind: "adapter-error", how: how.clone() })));
        }
        let subject = match &self.subjects[place] {
            Ok(subject) => subject,
            Err(reason) => return Ok(Some(Said::Nothing(reason.clone()))),
        };
        if let Some(reason) = why_not_this(subject, party.hello(), task, case) {
            return Ok(Some(Said::Nothing(reason)));
        }
        let streamed = task.source.streamed(case);
        let files = match streamed.as_ref().map(|streamed| streamed.from) {
            Some(DumpFrom::Own(own)) => Files::named(own, task.answer_suffix())?,
            _ => Files::write(task, case)?,
        };
        if let Some(streamed) = &streamed
            && let Some(reason) = why_not_large(subject, party.hello(), streamed, &files)?
        {
            return Ok(Some(Said::Nothing(reason)));
        }
        let started = Instant::now();
        let session = &mut self.sessions[place];
        let reply = session.ask(task, case, &files)?;
        self.asked[place].push(index);
        heard.peak_memory = heard.peak_memory.max(session.peak_memory());
        heard.is_doubtful |= reply.may_be_an_accident(session.was_first());
        heard.was_in_vain |= is_in_vain(&reply, started.elapsed(), subject.budget.time_for(files.size));
        Ok(Said::of(reply, subject, party.hello(), &files))
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
    pub(super) fn finish_alone(mut self, heard: &mut Heard) {
        for (session, said) in self.sessions.iter_mut().zip(&mut heard.said) {
            let after = session.finish().into_iter().find_map(|(_, reply)| reply.after_answer());
            let ended = after.map(|outcome| Ending { kind: outcome.name(), how: outcome.detail() });
            if let (Some(ended), Said::Accepted(_) | Said::Nothing(_)) = (ended, &*said) {
                *said = Said::Ended(ended);
            }
        }
        heard.is_doubtful = false;
    }
}

/// Compares what all said.
///
/// # Errors
/// What temporary files run into.
pub(super) fn compared(parties: &[Party<'_>], left_out: &BTreeSet<Facet>, heard: Heard) -> Result<Answered, Error> {
    let verdict = verdict(parties, &heard.said);
    let both = parties.iter().zip(&heard.said);
    let answers = both.filter_map(|(party, said)| match said {
        Said::Accepted(answer) => Some((&*party.label, Voice { hello: party.hello(), answer })),
        _ => None,
    });
    let (labels, voices) = answers.unzip();
    let table = Table::new(heard.format, labels, voices, left_out)?;
    let all = verdict.into_iter().map(|verdict| (verdict, None)).chain(table.disagreements());
    let mut all = all.collect::<Vec<_>>().into_iter();
    let (outcome, facet) = match all.next() {
        Some((first, facet)) => (Outcome::Disagree(first), facet),
        None => (agreement(parties, &heard.said), None),
    };
    Ok(Answered {
        outcome,
        others: all.map(|(other, _)| other).collect(),
        facet,
        kinds: heard.said.iter().map(Said::kind).collect(),
        omitted: table.not_compared(),
        milliseconds: heard.milliseconds,
        peak_memory: heard.peak_memory,
        is_doubtful: heard.is_doubtful,
        was_in_vain: heard.was_in_vain,
    })
}

impl Heard {
    fn new(format: crate::format::Format) -> Heard {
        let (said, milliseconds, peak_memory) = (Vec::new(), 0.0, None);
        Heard { format, said, milliseconds, peak_memory, is_doubtful: false, was_in_vain: false }
    }
}

impl Answered {
    /// A dump that was not asked about.
    pub(super) fn none(parties: usize, outcome: Outcome) -> Answered {
        Answered {
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

/// Whether some accept a dump that others refuse, or some give no answer at all. Only acceptance and refusal are answers.
fn verdict(parties: &[Party<'_>], said: &[Said]) -> Option<Disagreement> {
    let mut sides: Vec<(&str, Says)> = Vec::new();
    let mut silent = Vec::new();
    for (party, said) in parties.iter().zip(said) {
        let says = match said {
            Said::Nothing(_) => {
                silent.push(party.label.clone());
                continue;
            }
            Said::Accepted(_) => ACCEPTED.to_owned(),
            Said::Ended(Ending { kind, how }) if how.is_empty() => (*kind).to_owned(),
            Said::Ended(Ending { kind, how }) => cut(&format!("{kind}: {how}"), LONG),
        };
        match sides.iter_mut().find(|(kind, _)| *kind == said.kind()) {
            Some((_, side)) => side.by.push(party.label.clone()),
            None => sides.push((said.kind(), Says { says, by: vec![party.label.clone()] })),
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
fn agreement(parties: &[Party<'_>], said: &[Said]) -> Outcome {
    let answered = parties.iter().zip(said).filter(|(_, said)| !matches!(said, Said::Nothing(_)));
    let labels: Vec<&str> = answered.clone().map(|(party, _)| &*party.label).collect();
    if labels.len() < 2 {
        let reasons = parties.iter().zip(said).filter_map(|(party, said)| match said {
            Said::Nothing(reason) => Some(format!("{}: {reason}", party.label)),
            _ => None,
        });
        let reason = format!("fewer than two can be asked about it ({})", reasons.collect::<Vec<_>>().join("; "));
        return Outcome::Skip { reason, link: None };
    }
    let does = match answered.clone().all(|(_, said)| said.kind() == ACCEPTED) {
        true => "accept it and say the same",
        false => "refuse it",
    };
    Outcome::Agree { how: format!("{} {does}", listed(&labels)) }
}
