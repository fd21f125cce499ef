//! Experiments with programs whose mistakes are known: a condition on the dump, worked out by the decoder's records.

use std::sync::atomic::{AtomicU64, Ordering};

use super::{
    AskedCase, ExperimentBudget, ExplainedCause, Explanations, Observation, ProbeOracle, RecordedExplanation,
    explain_by_experiment,
};
use crate::check::effort::Effort;
use crate::check::report::{CaseResult, Outcome};
use crate::check::sources::case_from_bytes;
use crate::corpus::{Case, cases};
use heapsmith_core::error::{DecodeError, Error};
use heapsmith_core::format::Family;
use heapsmith_core::interrupt::Stop;
use heapsmith_core::phd::{Decoder, Record};

/// A condition on a dump, and what is seen where it holds.
type MistakenCondition = (fn(&[u8]) -> bool, &'static str);

/// A program that is wrong where one of these conditions holds, each with what is seen then.
struct MistakenProgram {
    mistakes: &'static [MistakenCondition],
    asked: AtomicU64,
}

impl MistakenProgram {
    fn new(mistakes: &'static [MistakenCondition]) -> MistakenProgram {
        MistakenProgram { mistakes, asked: AtomicU64::new(0) }
    }

    fn outcome(&self, dump: &[u8]) -> Outcome {
        match self.mistakes.iter().find(|(holds, _)| holds(dump)) {
            Some((_, message)) => {
                Outcome::WrongVerdict { expected: "accept".to_owned(), found: format!("refused: {message}") }
            }
            None => Outcome::Pass { reading: None },
        }
    }
}

impl ProbeOracle for MistakenProgram {
    fn observe(&self, dump: &[u8]) -> Result<Observation, Error> {
        self.asked.fetch_add(1, Ordering::Relaxed);
        Ok(Observation::from_result(&CaseResult::new("dump", self.outcome(dump))))
    }
}

/// The valid PHDs of the corpus that are no longer than this.
fn small_cases() -> Vec<Case> {
    let all = cases().expect("the corpus");
    let is_small = |case: &Case| case.format.family() == Family::PHD && case.bytes.len() < 450;
    all.into_iter().filter(|case| is_small(case) && case.breaks.is_none()).collect()
}

fn results(program: &MistakenProgram, cases: &[Case]) -> Vec<CaseResult> {
    cases.iter().map(|case| CaseResult::new(&case.id, program.outcome(&case.bytes))).collect()
}

fn asked<'r>(results: &'r [CaseResult], cases: &[Case]) -> Vec<AskedCase<'r>> {
    results.iter().zip(cases.iter().cloned()).map(|(result, case)| AskedCase { result, case }).collect()
}

fn explained(program: &MistakenProgram, trials: u64) -> Vec<ExplainedCause> {
    let cases = small_cases();
    let results = results(program, &cases);
    assert!(results.iter().any(|result| result.outcome().is_failure()), "the corpus shows the mistake");
    let stop = Stop::default();
    let effort = Effort::new(&stop);
    let mut budget = ExperimentBudget::new(&effort, trials, &|_| {});
    explain_by_experiment(asked(&results, &cases), program, &mut budget).expect("it can be asked")
}

/// Whether a record is there, as the decoder finds it.
fn has_record(dump: &[u8], is_sought: impl Fn(&Record<'_>) -> bool) -> bool {
    let Ok(mut decoder) = Decoder::new(dump) else { return false };
    let mut is_there = false;
    let _end: Result<_, DecodeError> = decoder.visit(|located| {
        is_there |= is_sought(located.record);
        Ok(())
    });
    is_there
}

fn has_instance_size_of_17(dump: &[u8]) -> bool {
    has_record(dump, |record| matches!(record, Record::Class(class) if class.instance_size >= 17))
}

fn has_long_object(dump: &[u8]) -> bool {
    has_record(dump, |record| matches!(record, Record::Long(_)))
}

fn has_long_primitive_array(dump: &[u8]) -> bool {
    has_record(dump, |record| matches!(record, Record::LongPrimitiveArray(_)))
}

fn sentences(causes: &[ExplainedCause]) -> Vec<String> {
    causes.iter().map(|ExplainedCause { cause, .. }| format!("{} {:?}", cause.sentence, cause.rule)).collect()
}

#[test]
fn finds_the_exact_limit_of_a_number() {
    let program = MistakenProgram::new(&[(has_instance_size_of_17, "too large")]);
    let causes = explained(&program, 2000);
    let [ExplainedCause { cause, pair: Some(pair), .. }] = &causes[..] else {
        panic!("one with a pair: {:?}", sentences(&causes))
    };
    // No dump of the corpus has one from 17 to 23.
    assert!(cause.sentence.contains("the instance size of class is 0x11 or more"), "{}", cause.sentence);
    assert!(program.outcome(&pair.fails).is_failure() && program.outcome(&pair.passes).is_pass());
    assert_eq!((&*pair.pair.passes.differing, &*pair.pair.fails.differing), ("10", "11"));
    assert!(case_from_bytes("pair", pair.fails.clone()).is_ok_and(|case| case.breaks.is_none()), "it is valid");
}

#[test]
fn tells_two_mistakes_with_one_message_apart() {
    let program = MistakenProgram::new(&[(has_long_object, "bad"), (has_long_primitive_array, "bad")]);
    let causes = explained(&program, 4000);
    let sentences = sentences(&causes);
    assert_eq!(causes.len(), 2, "{sentences:?}");
    assert!(sentences.iter().any(|sentence| sentence.contains("long object")), "{sentences:?}");
    assert!(sentences.iter().any(|sentence| sentence.contains("long primitive array")), "{sentences:?}");
}

#[test]
fn names_no_condition_where_every_dump_fails() {
    let program = MistakenProgram::new(&[(|_| true, "no dump is read")]);
    let causes = explained(&program, 2000);
    let [ExplainedCause { cause, pair: None, .. }] = &causes[..] else { panic!("one cause without a pair") };
    assert_eq!(cause.cases.len(), small_cases().len());
    assert!(cause.sentence.starts_with("No dump near the reduced one is read rightly"), "{}", cause.sentence);
}

#[test]
fn asks_no_more_than_the_budget() {
    for trials in [0, 1, 10] {
        let program = MistakenProgram::new(&[(has_long_object, "a"), (has_long_primitive_array, "b")]);
        let causes = explained(&program, trials);
        assert!(program.asked.load(Ordering::Relaxed) <= trials);
        assert!(trials > 0 || causes.is_empty(), "{:?}", sentences(&causes));
    }
}

/// A program that is right from some question on.
struct MendedProgram(MistakenProgram, u64);

impl ProbeOracle for MendedProgram {
    fn observe(&self, dump: &[u8]) -> Result<Observation, Error> {
        let seen = self.0.observe(dump)?;
        Ok(if self.0.asked.load(Ordering::Relaxed) > self.1 { Observation::Right } else { seen })
    }
}

#[test]
fn names_no_condition_where_a_failure_is_not_seen_again() {
    let program = MendedProgram(MistakenProgram::new(&[(has_instance_size_of_17, "bad")]), 0);
    let cases = small_cases();
    let results = results(&program.0, &cases);
    let stop = Stop::default();
    let effort = Effort::new(&stop);
    let mut budget = ExperimentBudget::new(&effort, 1000, &|_| {});
    let causes = explain_by_experiment(asked(&results, &cases), &program, &mut budget).expect("it can be asked");
    let [ExplainedCause { cause, pair: None, is_steady: false, .. }] = &causes[..] else {
        panic!("one that is not steady: {:?}", sentences(&causes))
    };
    assert_eq!(cause.sentence, "Answers rightly when it is asked about the same dump again: refused: bad.");
    assert_eq!(cause.cases.len(), results.iter().filter(|result| result.outcome().is_failure()).count());
}

/// What one run of the program found is found again in another, from the dumps of the pair and the words of the condition.
#[test]
fn knows_a_recorded_cause_again() {
    let program = MistakenProgram::new(&[(has_long_object, "a"), (has_long_primitive_array, "b")]);
    let cases = small_cases();
    let results = results(&program, &cases);
    let stop = Stop::default();
    let effort = Effort::new(&stop);
    let mut budget = ExperimentBudget::new(&effort, 4000, &|_| {});
    let mut first = Explanations::default();
    let found = first.explain(asked(&results, &cases), usize::MAX, &program, &mut budget).expect("it can be asked");
    let [one, other] = &found.causes[..] else { panic!("two: {:?}", sentences(&found.causes)) };
    let mut again = Explanations::default();
    let passing: Vec<CaseResult> = results.iter().filter(|result| result.outcome().is_pass()).cloned().collect();
    let passing_cases: Vec<Case> =
        cases.iter().filter(|case| passing.iter().any(|result| result.id == case.id)).cloned().collect();
    let mut none = ExperimentBudget::new(&effort, 0, &|_| {});
    again.explain(asked(&passing, &passing_cases), 0, &program, &mut none).expect("nothing is asked");
    for ExplainedCause { cause, pair, condition, .. } in [one, other] {
        let made = pair.as_ref().expect("a pair");
        let recorded = RecordedExplanation {
            fails: made.fails.clone(),
            passes: Some(made.passes.clone()),
            condition: condition.as_deref(),
            symptoms: cause.symptoms.iter().map(|symptom| symptom.what.clone()).collect(),
            rules: Vec::new(),
        };
        again.restore(recorded).expect("dumps");
    }
    let mut budget = ExperimentBudget::new(&effort, 1000, &|_| {});
    let further = again.explain(asked(&results, &cases), 1, &program, &mut budget).expect("it can be asked");
    assert!(further.causes.is_empty(), "{:?}", sentences(&further.causes));
    for (place, cause) in [&one.cause, &other.cause].into_iter().enumerate() {
        let mut known: Vec<&String> = further.known.iter().filter(|(of, _)| *of == place).map(|(_, id)| id).collect();
        known.sort();
        assert_eq!(known, cause.cases.iter().collect::<Vec<_>>());
    }
}

#[test]
fn says_the_same_each_time() {
    let program = MistakenProgram::new(&[(has_long_object, "a"), (has_long_primitive_array, "b")]);
    let told = || explained(&program, 1000).into_iter().map(|explained| explained.cause).collect::<Vec<_>>();
    assert_eq!(told(), told());
}
