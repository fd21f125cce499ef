//! Differential runs: several implementations are asked about the same dumps, and compared. No answer counts as right.
//!
//! ```text
//! dump ─▶ each implementation ─PeerReply─▶ ResponderTable (each two of them: ResponderPair)
//!      ─▶ Disagreement: a fact, and who says what
//! ```

mod difference;
mod disagreement_oracle;
mod listings;
mod numbers;
mod pair;
mod peer_reply;
mod responder_table;
mod round;

use std::collections::{BTreeMap, BTreeSet};

use peer_reply::KINDS;
use round::{ComparedReplies, DifferentialRound, compare_replies, limit_subjects};

use crate::check::evidence::disagreement_evidence;
use crate::check::expected::ObservedResult;
use crate::check::introduction::reported_declaration;
use crate::check::repeat;
use crate::check::report::{CaseFacts, CaseResult, Compared, Outcome, TestedImplementation, list_in_words};
use crate::check::run::{
    CheckProgress, Counters, Peer, RunContext, RunResult, TaskBatches, run_side_by_side, skip_after_failures,
    skip_after_hangs, split_into_batches,
};
use crate::check::task::Task;
use heapsmith_core::error::Error;

pub(super) use disagreement_oracle::DisagreementOracle;

/// The kind in reports, in the place of adapters and decoders.
pub(super) const KIND: &str = "among";

/// A run of implementations that are asked about the same dumps.
pub(super) struct DifferentialRun<'r> {
    parties: &'r [Peer<'r>],
    shared: RunContext<'r>,
    label: String,
    tasks: Vec<Task>,
}

impl<'r> DifferentialRun<'r> {
    pub(super) fn new(parties: &'r [Peer<'r>], shared: RunContext<'r>, tasks: Vec<Task>) -> DifferentialRun<'r> {
        let label = list_in_words(&parties.iter().map(|party| &*party.label).collect::<Vec<_>>());
        DifferentialRun { parties, shared, label, tasks }
    }

    /// Number of its tasks.
    pub(super) fn task_count(&self) -> u64 {
        self.batches().iter().map(|(_, tasks)| tasks.len() as u64).sum()
    }

    fn batches(&self) -> TaskBatches<'_> {
        split_into_batches(&self.tasks, self.shared.options.choice.shard)
    }

    fn max_failures(&self) -> usize {
        self.shared.options.max_failures.unwrap_or(usize::MAX)
    }

    /// Asks about every dump.
    ///
    /// # Errors
    /// If cases cannot be made or written, or a program cannot be started.
    pub(super) fn run(self) -> Result<RunResult, Error> {
        let batches = self.batches();
        (self.shared.progress)(CheckProgress::Planned(self.task_count() as usize));
        let [hangs, failures] = [Counters::new(batches.len()), Counters::new(batches.len())];
        let slots = run_side_by_side(&batches, self.shared.options.jobs, &|tasks, place| {
            self.ask_batch(tasks, place, [&hangs, &failures])
        })?;
        let (max_hangs, max_failures) = (self.shared.options.max_hangs, self.max_failures());
        let (mut in_vain, mut failed) = (0, 0);
        let (mut told, mut results, mut omitted) = (RunResult::default(), Vec::new(), BTreeSet::new());
        let none: BTreeMap<String, u64> = KINDS.into_iter().map(|kind| (kind.to_owned(), 0)).collect();
        let mut said = vec![none; self.parties.len()];
        let tasks = batches.iter().flat_map(|(_, tasks)| tasks.iter());
        for (task, slot) in tasks.zip(slots.into_iter().flatten()) {
            let answered = match slot {
                // Whether these were asked is a matter of chance.
                _ if in_vain >= max_hangs => {
                    ComparedReplies::without_question(self.parties.len(), skip_after_hangs(max_hangs))
                }
                _ if failed >= max_failures => {
                    ComparedReplies::without_question(self.parties.len(), skip_after_failures(max_failures))
                }
                Some(answered) if !answered.is_doubtful => answered,
                _ => match self.ask_alone(task)? {
                    Some(alone) => alone,
                    // The run is to stop: what is not settled is not told.
                    None => continue,
                },
            };
            let (result, facts) = self.case_result(task, &answered)?;
            if result.outcome().is_failure() && result.is_unexpected() {
                in_vain += usize::from(answered.was_in_vain);
                failed += 1;
            }
            told.milliseconds.insert(task.id.clone(), answered.milliseconds);
            told.peak_memory.extend(answered.peak_memory.map(|bytes| (task.id.clone(), bytes)));
            for (said, kind) in said.iter_mut().zip(&answered.kinds) {
                *said.entry((*kind).to_owned()).or_default() += 1;
            }
            omitted.extend(answered.omitted);
            results.push(result);
            told.facts.push(facts);
        }
        let all = self.parties.iter().zip(said).map(|(party, said)| Compared {
            label: party.label.clone(),
            kind: party.subject.kind.name().to_owned(),
            command: party.subject.command.clone(),
            declared: party.hello().map(|hello| reported_declaration(party.subject, hello, &self.tasks)),
            said,
        });
        told.tested = TestedImplementation {
            label: self.label.clone(),
            kind: KIND.to_owned(),
            command: repeat::subject_options(self.parties.iter().map(|party| party.subject)),
            compared: all.collect(),
            omitted: omitted.into_iter().collect(),
            results,
            ..TestedImplementation::default()
        };
        told.tested.count();
        Ok(RunResult { tasks: self.tasks, ..told })
    }

    /// Asks about the dumps of a batch, each implementation in one process as far as it lives.
    fn ask_batch(
        &self,
        tasks: &[Task],
        place: usize,
        [hangs, failures]: [&Counters; 2],
    ) -> Result<Vec<Option<ComparedReplies>>, Error> {
        let mut slots: Vec<Option<ComparedReplies>> = vec![None; tasks.len()];
        let Some(first) = tasks.first() else { return Ok(slots) };
        let (subjects, left_out) = (limit_subjects(self.parties, first)?, &self.shared.options.left_out);
        let mut round = DifferentialRound::new(self.parties, &subjects);
        for (index, task) in tasks.iter().enumerate() {
            if hangs.sum_up_to(place) >= self.shared.options.max_hangs
                || failures.sum_up_to(place) >= self.max_failures()
            {
                break;
            }
            let Some(heard) = round.ask(task, index)? else { break };
            let answered = compare_replies(self.parties, left_out, heard)?;
            if answered.outcome.is_failure() && !self.is_expected(task, &answered.outcome)? {
                hangs.add(place, usize::from(answered.was_in_vain));
                // What is asked again alone may come out as no failure.
                failures.add(place, usize::from(!answered.is_doubtful));
                if !answered.is_doubtful {
                    (self.shared.progress)(CheckProgress::Failed(&self.label, &task.id, &answered.outcome));
                }
            }
            slots[index] = Some(answered);
            (self.shared.progress)(CheckProgress::Asked);
        }
        for index in round.finish() {
            if let Some(answered) = &mut slots[index] {
                answered.is_doubtful = true;
            }
        }
        Ok(slots)
    }

    /// Asks about a dump, each implementation in a process of its own, to its end. `None` if the run is to stop.
    fn ask_alone(&self, task: &Task) -> Result<Option<ComparedReplies>, Error> {
        let (subjects, left_out) = (limit_subjects(self.parties, task)?, &self.shared.options.left_out);
        let mut round = DifferentialRound::new(self.parties, &subjects);
        let Some(mut heard) = round.ask(task, 0)? else { return Ok(None) };
        round.finish_alone(&mut heard);
        compare_replies(self.parties, left_out, heard).map(Some)
    }

    fn is_expected(&self, task: &Task, outcome: &Outcome) -> Result<bool, Error> {
        if self.shared.options.expected.is_empty() {
            return Ok(false);
        }
        let rules = self.shared.case_facts(task, &task.source.validated_case()?)?.rules;
        let seen =
            ObservedResult { label: &self.label, id: &task.id, outcome, rule: None, suspects: &[], rules: &rules };
        Ok(self.shared.options.expected.expectation(seen).is_some())
    }

    fn case_result(&self, task: &Task, answered: &ComparedReplies) -> Result<(CaseResult, CaseFacts), Error> {
        let case = task.source.validated_case()?;
        let facts = self.shared.case_facts(task, &case)?;
        let is_looked_at = !task.source.is_streamed() && task.source.unknown_format_reason().is_none();
        let evidence = match &answered.outcome {
            Outcome::Disagree(first) if is_looked_at => disagreement_evidence(&case, first, answered.facet)?,
            _ => None,
        };
        let (subjects, options) = (self.parties.iter().map(|party| party.subject), self.shared.options);
        let repeat = || repeat::differential_command(subjects, &options.choice, &options.left_out, &task.id);
        let result = CaseResult::new(&task.id, answered.outcome.clone())
            .disagreements(answered.others.clone())
            .evidence(evidence)
            .repeat(answered.outcome.is_failure().then(repeat));
        let expected = options.expected.expectation(ObservedResult::from_result(&self.label, &result, &facts.rules));
        Ok((result.expected(expected), facts))
    }
}
