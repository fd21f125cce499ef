//! The run of one implementation.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use crate::check::evidence::{evidence, suspects};
use crate::check::expected::ObservedResult;
use crate::check::introduction::{ask_hello, label, reported_declaration, unique_label};
use crate::check::judge::{
    AnswerJudgement, AnsweredTask, judge, judge_large, left_out_facets, limit_subject, other_facts,
};
use crate::check::protocol::Hello;
use crate::check::repeat::{case_command, row_command};
use crate::check::report::{CaseFacts, CaseResult, Outcome, TestedImplementation};
use crate::check::run::batches::{Counters, TaskBatches, run_side_by_side, split_into_batches};
use crate::check::run::equal_ends::{FirstEnds, SoundEnd, describe_stop, is_sound, spread_places};
use crate::check::run::judged_answer::{
    AnswerSlot, JudgedAnswer, exhausted_time_limit, skip_after_failures, skip_after_hangs,
};
use crate::check::run::{CheckProgress, RunContext};
use crate::check::streamed_dump::{DumpOrigin, StreamedDump};
use crate::check::subject::{MadeDump, QuestionFiles, Reply, Session, Subject};
use crate::check::task::{CaseSource, Task, TaskOperation, case_rules};
use crate::check::tasks::{asked_case, retain_tasks, skip_reason, subject_tasks, why_not_large};
use crate::check::verdict::{DecidedVerdicts, Verdict, decide_verdicts};
use crate::corpus::Case;
use heapsmith_core::error::Error;

/// The run of one implementation.
pub(in crate::check) struct ImplementationRun<'r> {
    subject: &'r Subject,
    shared: RunContext<'r>,
    label: String,
    pub(in crate::check) hello: Result<Option<Hello>, String>,
    /// Whether it has answered something.
    has_answered: AtomicBool,
    tasks: Vec<Task>,
}

/// One of several implementations.
pub(in crate::check) struct Peer<'r> {
    pub(in crate::check) subject: &'r Subject,
    /// Its declaration; or how it failed to give one.
    pub(in crate::check) hello: Result<Option<Hello>, String>,
    pub(in crate::check) label: String,
}

impl Peer<'_> {
    pub(in crate::check) fn hello(&self) -> Option<&Hello> {
        self.hello.as_ref().ok().and_then(Option::as_ref)
    }
}

/// The result of an implementation's run.
#[derive(Default)]
pub(in crate::check) struct RunResult {
    pub(in crate::check) tested: TestedImplementation,
    pub(in crate::check) facts: Vec<CaseFacts>,
    pub(in crate::check) milliseconds: BTreeMap<String, f64>,
    pub(in crate::check) peak_memory: BTreeMap<String, u64>,
    pub(in crate::check) tasks: Vec<Task>,
}

impl<'r> ImplementationRun<'r> {
    pub(in crate::check) fn new(
        subject: &'r Subject,
        shared: RunContext<'r>,
        sources: &[CaseSource],
        others: &[ImplementationRun<'_>],
    ) -> Result<ImplementationRun<'r>, Error> {
        let choice = &shared.options.choice;
        let hello = ask_hello(subject)?;
        let told = hello.as_ref().ok().and_then(Option::as_ref);
        let mut tasks = subject_tasks(subject, told, sources, shared.options.operations);
        retain_tasks(&choice.filters, &mut tasks);
        let label = unique_label(label(subject, told), |label| others.iter().any(|other| other.label == label));
        let one = ImplementationRun { subject, shared, label, hello, has_answered: AtomicBool::new(false), tasks };
        if one.hello().is_some() {
            one.record_answered()?;
        }
        Ok(one)
    }

    /// The run of an implementation whose declaration is known.
    pub(in crate::check) fn with_hello(
        subject: &'r Subject,
        shared: RunContext<'r>,
        sources: &[CaseSource],
        hello: Option<Hello>,
    ) -> ImplementationRun<'r> {
        let tasks = subject_tasks(subject, hello.as_ref(), sources, shared.options.operations);
        let label = label(subject, hello.as_ref());
        ImplementationRun { subject, shared, label, hello: Ok(hello), has_answered: AtomicBool::new(true), tasks }
    }

    /// The implementation before it is asked, for a comparison with others.
    pub(in crate::check) fn as_peer(&self) -> Peer<'r> {
        Peer { subject: self.subject, hello: self.hello.clone(), label: self.label.clone() }
    }

    /// Records that it has answered something: a declaration or a question.
    pub(in crate::check) fn record_answered(&self) -> Result<(), Error> {
        if self.has_answered.swap(true, Ordering::Relaxed) { Ok(()) } else { self.shared.silent.record_first_answer() }
    }

    fn batches(&self) -> TaskBatches<'_> {
        split_into_batches(&self.tasks, self.shared.options.choice.shard)
    }

    /// Number of its tasks.
    pub(in crate::check) fn task_count(&self) -> u64 {
        self.batches().iter().map(|(_, tasks)| tasks.len() as u64).sum()
    }

    fn hello(&self) -> Option<&Hello> {
        self.hello.as_ref().ok().and_then(Option::as_ref)
    }

    pub(in crate::check) fn run(self) -> Result<RunResult, Error> {
        let batches = self.batches();
        (self.shared.progress)(CheckProgress::Planned(self.task_count() as usize));
        let slots: Vec<Vec<AnswerSlot>> = match &self.hello {
            Ok(_) => self.run_batches(&batches)?,
            Err(_) if self.subject.stop.is_asked() => {
                batches.iter().map(|(_, tasks)| vec![None; tasks.len()]).collect()
            }
            // It cannot be asked anything.
            Err(how) => {
                let answered = JudgedAnswer::without_question(Outcome::AdapterError { how: how.clone() });
                batches.iter().map(|(_, tasks)| vec![Some(answered.clone()); tasks.len()]).collect()
            }
        };
        let (mut answers, mut judgements) = (Vec::new(), Vec::new());
        let tasks = batches.iter().flat_map(|(_, tasks)| tasks.iter());
        let (mut in_vain, mut failed) = (0, 0);
        let max_failures = self.shared.options.max_failures.unwrap_or(usize::MAX);
        for (task, slot) in tasks.zip(slots.into_iter().flatten()) {
            let (answered, in_company) = match slot {
                // What comes after the last hang that is waited for is not told, whether it was asked or not: that is a
                // matter of chance.
                _ if in_vain >= self.shared.options.max_hangs => {
                    (JudgedAnswer::without_question(skip_after_hangs(self.shared.options.max_hangs)), None)
                }
                _ if failed >= max_failures => {
                    (JudgedAnswer::without_question(skip_after_failures(max_failures)), None)
                }
                Some(answered) if !answered.is_doubtful => (answered, None),
                slot => match self.ask_alone(task)? {
                    Some(alone) => (alone, slot),
                    // The run is to stop: what is not settled is not told.
                    None => continue,
                },
            };
            let judgement = answered.judge_case(in_company);
            let outcome = judgement.outcome();
            if outcome.is_failure() && !self.is_expected(task, outcome)? {
                in_vain += usize::from(answered.was_in_vain);
                failed += 1;
            }
            answers.push((task, answered));
            judgements.push(judgement);
        }
        let own = self.hello().map(Hello::declared_readings).unwrap_or_default();
        let decided = decide_verdicts(&own, judgements);
        let witnesses: Vec<Option<usize>> =
            (0..decided.verdicts.len()).map(|place| decided.witness_against(place)).collect();
        let DecidedVerdicts { verdicts, readings } = decided;
        let (mut results, mut all_facts, mut omitted): (Vec<CaseResult>, _, _) = (vec![], vec![], vec![]);
        let (mut milliseconds, mut peak_memory) = (BTreeMap::new(), BTreeMap::new());
        for ((task, answered), verdict) in answers.into_iter().zip(verdicts) {
            let (result, facts) = self.case_result(task, &answered.judgement, verdict)?;
            results.push(result);
            all_facts.push(facts);
            milliseconds.insert(task.id.clone(), answered.milliseconds);
            peak_memory.extend(answered.peak_memory.map(|bytes| (task.id.clone(), bytes)));
            omitted.extend(answered.judgement.omitted());
        }
        for (place, witness) in witnesses.into_iter().enumerate() {
            // Alone, it passes.
            let Some(witness) = witness else { continue };
            let row = [place.min(witness), place.max(witness)].map(|place| &*results[place].id);
            let options = &self.shared.options;
            results[place].repeat = Some(row_command(self.subject, &options.choice, &options.left_out, &row));
        }
        omitted.sort_unstable();
        omitted.dedup();
        let mut tested = TestedImplementation {
            label: self.label.clone(),
            kind: self.subject.kind.name().to_owned(),
            command: self.subject.command.clone(),
            declared: self.hello().map(|hello| reported_declaration(self.subject, hello, &self.tasks)),
            omitted,
            readings,
            results,
            ..TestedImplementation::default()
        };
        tested.count();
        Ok(RunResult { tested, facts: all_facts, milliseconds, peak_memory, tasks: self.tasks })
    }

    /// Runs batches, several at a time. The first ones run alone, until some sound dumps were asked about.
    fn run_batches(&self, batches: &TaskBatches<'_>) -> Result<Vec<Vec<AnswerSlot>>, Error> {
        let counters = [Counters::new(batches.len()), Counters::new(batches.len())];
        let counters = counters.each_ref();
        let mut slots = Vec::new();
        if self.shared.options.max_equal_ends > 0 && batches.len() > 1 && !self.shared.options.choice.large {
            let mut first = FirstEnds::default();
            for (place, (_, tasks)) in batches.iter().enumerate() {
                let answered = self.run_batch(tasks, place, counters)?;
                for (task, slot) in tasks.iter().zip(&answered) {
                    let Some(slot) = slot else { continue };
                    first.add(self.sound_end(task, slot.judgement.outcome())?);
                }
                slots.push(answered);
                if first.are_known() {
                    break;
                }
            }
            if let Some(end) = first.common()
                && let Some(stopped) = self.find_stop(batches, &slots, &end)?
            {
                return Ok(stopped);
            }
        }
        let (jobs, done) = (if self.shared.options.choice.large { 1 } else { self.shared.options.jobs }, slots.len());
        let rest: TaskBatches<'_> = batches[done..].to_vec();
        slots.extend(run_side_by_side(&rest, jobs, &|tasks, place| self.run_batch(tasks, done + place, counters))?);
        Ok(slots)
    }

    /// Asks about sound dumps all over the run, each alone: if as many as the limit end in this way and none has an answer, nothing
    /// else is asked, and each other case says so.
    fn find_stop(
        &self,
        batches: &TaskBatches<'_>,
        first: &[Vec<AnswerSlot>],
        end: &str,
    ) -> Result<Option<Vec<Vec<AnswerSlot>>>, Error> {
        let limit = self.shared.options.max_equal_ends;
        let tasks: Vec<&Task> = batches.iter().flat_map(|(_, tasks)| tasks.iter()).collect();
        let mut alone: BTreeMap<usize, JudgedAnswer> = BTreeMap::new();
        let mut equal = 0;
        for place in spread_places(tasks.len(), limit).take_while(|_| !self.subject.stop.is_asked()) {
            let task = tasks[place];
            if !is_sound(task)? {
                continue;
            }
            let Some(answered) = self.ask_alone(task)? else { return Ok(None) };
            match self.sound_end(task, answered.judgement.outcome())? {
                SoundEnd::Answered => return Ok(None),
                // Waiting has a limit of its own.
                SoundEnd::Unknown if answered.was_in_vain => return Ok(None),
                SoundEnd::Unanswered(found) if found == end => equal += 1,
                SoundEnd::Unanswered(_) | SoundEnd::Unknown => {}
            }
            alone.insert(place, JudgedAnswer { is_doubtful: false, ..answered });
            if equal == limit {
                break;
            }
        }
        if equal < limit {
            return Ok(None);
        }
        let skipped = Outcome::skip(describe_stop(equal, end), None);
        let not_asked = JudgedAnswer::without_question(skipped);
        let mut known: Vec<AnswerSlot> = first.iter().flatten().cloned().collect();
        known.resize(tasks.len(), Some(not_asked));
        for (place, answered) in alone {
            known[place] = Some(answered);
        }
        let mut known = known.into_iter();
        Ok(Some(batches.iter().map(|(_, tasks)| known.by_ref().take(tasks.len()).collect()).collect()))
    }

    /// How a question about a sound dump ended. An end that is expected is as good as an answer: it is known, and the others are
    /// asked for.
    fn sound_end(&self, task: &Task, outcome: &Outcome) -> Result<SoundEnd, Error> {
        let end = SoundEnd::from_outcome(task, outcome)?;
        let is_known = matches!(end, SoundEnd::Unanswered(_)) && self.is_expected(task, outcome)?;
        Ok(if is_known { SoundEnd::Answered } else { end })
    }

    /// Runs the tasks of a batch in one process, as far as it lives and no stop is asked for.
    fn run_batch(
        &self,
        tasks: &[Task],
        place: usize,
        [hangs, failures]: [&Counters; 2],
    ) -> Result<Vec<AnswerSlot>, Error> {
        let mut slots: Vec<AnswerSlot> = vec![None; tasks.len()];
        let limited = self.limited_subject(tasks.first());
        let subject = limited.as_ref().unwrap_or(self.subject);
        let mut session = subject.open_session(self.hello());
        // Which tasks were asked, by the number of the question.
        let mut asked = Vec::new();
        for (index, task) in tasks.iter().enumerate() {
            let max_failures = self.shared.options.max_failures.unwrap_or(usize::MAX);
            if hangs.sum_up_to(place) >= self.shared.options.max_hangs || failures.sum_up_to(place) >= max_failures {
                // Whatever comes of the batches before: the limit is reached, and this is not told any more.
                break;
            }
            let Some((answered, was_asked)) = self.ask_task(task, subject, session.as_mut())? else { break };
            if was_asked {
                asked.push(index);
            }
            let outcome = answered.judgement.outcome();
            if outcome.is_failure() && !self.is_expected(task, outcome)? {
                hangs.add(place, usize::from(answered.was_in_vain));
                // What is asked again alone may come out as no failure.
                failures.add(place, usize::from(!answered.is_doubtful));
                if !answered.is_doubtful {
                    (self.shared.progress)(CheckProgress::Failed(&self.label, &task.id, outcome));
                }
            }
            slots[index] = Some(answered);
            (self.shared.progress)(CheckProgress::Asked);
        }
        for (question, reply) in session.finish() {
            if let Some(index) = asked.get(question) {
                slots[*index] = slots[*index].take().map(|answered| answered.with_late_reply(reply));
            }
        }
        Ok(slots)
    }

    /// Asks one task; and whether it was asked at all. `None` if the run is to stop.
    fn ask_task(
        &self,
        task: &Task,
        subject: &Subject,
        session: &mut dyn Session,
    ) -> Result<Option<(JudgedAnswer, bool)>, Error> {
        if self.subject.stop.is_asked() {
            return Ok(None);
        }
        match self.ask_and_judge(task, subject, session) {
            // What is read of files ends with a signal, so that what came of it says nothing.
            _ if self.subject.stop.is_asked() => Ok(None),
            answered => answered,
        }
    }

    fn ask_and_judge(
        &self,
        task: &Task,
        subject: &Subject,
        session: &mut dyn Session,
    ) -> Result<Option<(JudgedAnswer, bool)>, Error> {
        let case = self.asked_case(task)?;
        let without_question = |outcome| Ok(Some((JudgedAnswer::without_question(outcome), false)));
        let skipped = |reason| without_question(Outcome::skip(reason, None));
        if let Some(reason) = skip_reason(self.subject, self.hello(), task, &case) {
            return without_question(reason.outcome());
        }
        let streamed = task.source.streamed(&case);
        if let Some(Err(reason)) = streamed.as_ref().map(|streamed| self.limit_subject(streamed, task)) {
            return skipped(reason);
        }
        let files = match streamed.as_ref().map(|streamed| streamed.from) {
            None => QuestionFiles::write(task, &case)?,
            Some(DumpOrigin::Own(own)) => QuestionFiles::link_user_dump(own, task.answer_suffix())?,
            Some(DumpOrigin::Case(large)) => match QuestionFiles::make_large(large, &self.subject.stop)? {
                MadeDump::Files(files) => *files,
                MadeDump::Not(reason) => return skipped(reason),
                MadeDump::Stopped => return Ok(None),
            },
        };
        if let Some(streamed) = &streamed
            && let Some(reason) = why_not_large(self.subject, self.hello(), streamed, &files)?
        {
            return skipped(reason);
        }
        let started = Instant::now();
        let reply = session.ask(task, &case, &files)?;
        let took = started.elapsed();
        let peak_memory = session.peak_memory();
        if !matches!(reply, Reply::NotStarted(_) | Reply::Interrupted) {
            self.record_answered()?;
        }
        let is_doubtful = reply.may_be_accidental(session.was_first());
        let was_in_vain = exhausted_time_limit(&reply, took, subject.budget.time_for(files.size));
        let left_out = left_out_facets(&case, &self.shared.options.left_out);
        let asked =
            AnsweredTask { subject, hello: self.hello(), task, case: &case, files: &files, left_out: &left_out };
        let judgement = match &streamed {
            None => judge(&asked, reply, session),
            Some(streamed) => judge_large(&asked, streamed, reply, session),
        };
        let Some(judgement) = judgement else { return Ok(None) };
        if let Some(kept) = self.shared.kept {
            kept.keep_answer(&self.label, &task.id, judgement.outcome(), &files)?;
        }
        let milliseconds = took.as_secs_f64() * 1e3;
        Ok(Some((JudgedAnswer { judgement, milliseconds, peak_memory, is_doubtful, was_in_vain }, true)))
    }

    /// Asks a task alone, in a process of its own, and waits for the process's end: what it says after its answer counts.
    /// `None` if the run is to stop.
    fn ask_alone(&self, task: &Task) -> Result<Option<JudgedAnswer>, Error> {
        let limited = self.limited_subject(Some(task));
        let subject = limited.as_ref().unwrap_or(self.subject);
        let mut session = subject.open_session(self.hello());
        let Some((answered, _)) = self.ask_task(task, subject, session.as_mut())? else { return Ok(None) };
        Ok(Some(match session.finish().into_iter().next() {
            Some((_, reply)) => answered.with_late_reply(reply),
            None => answered,
        }))
    }

    /// The subject under the limits of a dump that is not held.
    fn limited_subject(&self, task: Option<&Task>) -> Option<Subject> {
        let task = task.filter(|task| task.source.is_streamed())?;
        self.limit_subject(&task.source.streamed(&task.source.case().ok()?)?, task).ok()
    }

    fn limit_subject(&self, streamed: &StreamedDump<'_>, task: &Task) -> Result<Subject, String> {
        limit_subject(self.subject, self.hello(), streamed, &task.operation)
    }

    /// The case of a task as it is put to the implementation.
    fn asked_case(&self, task: &Task) -> Result<Case, Error> {
        asked_case(self.subject, self.hello(), &task.operation, task.source.validated_case()?)
    }

    fn is_expected(&self, task: &Task, outcome: &Outcome) -> Result<bool, Error> {
        if self.shared.options.expected.is_empty() {
            return Ok(false);
        }
        let case = task.source.case()?;
        let seen = ObservedResult {
            label: &self.label,
            id: &task.id,
            outcome,
            rule: None,
            suspects: &[],
            rules: &case_rules(&case),
        };
        Ok(self.shared.options.expected.expectation(seen).is_some())
    }

    fn case_result(
        &self,
        task: &Task,
        judged: &AnswerJudgement,
        verdict: Verdict,
    ) -> Result<(CaseResult, CaseFacts), Error> {
        let (case, is_held) = (self.asked_case(task)?, !task.source.is_streamed());
        let facts = self.shared.case_facts(task, &case)?;
        let outcome = verdict.outcome();
        // What is wrong of another dump than the one that was read has no place in it.
        let has_place = outcome.is_failure() && task.operation == TaskOperation::Parse && is_held;
        let evidence = if has_place { evidence(&case, outcome, judged)? } else { None };
        // The rule that a dump breaks is known, whatever was to be done with it.
        let is_accepted = matches!(outcome, Outcome::WrongVerdict { expected, .. } if expected == "refuse");
        let has_suspects = has_place || is_accepted && is_held;
        let suspects = if has_suspects { suspects(&case, outcome, judged)? } else { Vec::new() };
        let repeat = outcome
            .is_failure()
            .then(|| case_command(self.subject, &self.shared.options.choice, &self.shared.options.left_out, &task.id));
        let result = CaseResult::from_verdict(&task.id, verdict)
            .refused_at(judged.offset().filter(|_| has_place))
            .others(other_facts(judged))
            .suspects(suspects)
            .evidence(evidence)
            .repeat(repeat);
        let expected =
            self.shared.options.expected.expectation(ObservedResult::from_result(&self.label, &result, &facts.rules));
        Ok((result.expected(expected), facts))
    }
}
