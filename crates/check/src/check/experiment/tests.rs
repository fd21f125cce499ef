//! Experiments with programs whose mistakes are known: a condition on the dump, worked out by the decoder's records.

use std::sync::atomic::{AtomicU64, Ordering};

use super::{AskedCase, ExplainedCause, Observation, ProbeOracle, explain_by_experiment};
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
        Ok(match self.outcome(dump) {
            Outcome::Pass { .. } => Observation::Right,
            wrong => Observation::Wrong {
                symptoms: super::ordered_symptoms(&CaseResult::new("dump", wrong.clone())),
                detail: wrong.detail(),
            },
        })
    }
}

/// The valid PHDs of the corpus that are no longer than this.
fn small_cases() -> Vec<Case> {
    let all = cases().expect("the corpus");
    let is_small = |case: &Case| case.format.family() == Family::PHD && case.bytes.len() < 150;
    all.into_iter().filter(|case| is_small(case) && case.breaks.is_none()).collect()
}

fn explained(program: &MistakenProgram, trials: u64) -> Vec<ExplainedCause> {
    let cases = small_cases();
    let results: Vec<CaseResult> =
        cases.iter().map(|case| CaseResult::new(&case.id, program.outcome(&case.bytes))).collect();
    assert!(results.iter().any(|result| result.outcome().is_failure()), "the corpus shows the mistake");
    let asked = results.iter().zip(cases).map(|(result, case)| AskedCase { result, case }).collect();
    let stop = Stop::default();
    explain_by_experiment(asked, program, &Effort::new(&stop), trials).expect("it can be asked")
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

fn has_instance_size_of_5(dump: &[u8]) -> bool {
    has_record(dump, |record| matches!(record, Record::Class(class) if class.instance_size >= 5))
}

fn has_long_primitive_array(dump: &[u8]) -> bool {
    has_record(dump, |record| matches!(record, Record::LongPrimitiveArray(_)))
}

fn sentences(causes: &[ExplainedCause]) -> Vec<String> {
    causes.iter().map(|ExplainedCause { cause, .. }| format!("{} {:?}", cause.sentence, cause.rule)).collect()
}

#[test]
fn finds_the_exact_limit_of_a_number() {
    let program = MistakenProgram::new(&[(has_instance_size_of_5, "too large")]);
    let causes = explained(&program, 2000);
    let [ExplainedCause { cause, pair: Some(pair) }] = &causes[..] else {
        panic!("one with a pair: {:?}", sentences(&causes))
    };
    // No dump of the corpus has one from 1 to 7.
    assert!(cause.sentence.contains("the instance size of class is 5 or more"), "{}", cause.sentence);
    assert!(program.outcome(&pair.fails).is_failure() && program.outcome(&pair.passes).is_pass());
    assert_eq!((&*pair.pair.passes.differing, &*pair.pair.fails.differing), ("04", "05"));
    assert!(case_from_bytes("pair", pair.fails.clone()).is_ok_and(|case| case.breaks.is_none()), "it is valid");
}

#[test]
fn tells_two_mistakes_with_one_message_apart() {
    let program = MistakenProgram::new(&[(has_instance_size_of_5, "bad"), (has_long_primitive_array, "bad")]);
    let causes = explained(&program, 4000);
    let sentences = sentences(&causes);
    assert_eq!(causes.len(), 2, "{sentences:?}");
    assert!(sentences.iter().any(|sentence| sentence.contains("instance size")), "{sentences:?}");
    assert!(sentences.iter().any(|sentence| sentence.contains("long primitive array")), "{sentences:?}");
}

#[test]
fn names_no_condition_where_every_dump_fails() {
    let program = MistakenProgram::new(&[(|_| true, "no dump is read")]);
    let causes = explained(&program, 2000);
    let [ExplainedCause { cause, pair: None }] = &causes[..] else { panic!("one cause without a pair") };
    assert_eq!(cause.cases.len(), small_cases().len());
    assert!(cause.sentence.starts_with("No dump near the reduced one is read rightly"), "{}", cause.sentence);
}

#[test]
fn asks_no_more_than_the_budget_and_explains_every_failure() {
    for trials in [0, 1, 10] {
        let program = MistakenProgram::new(&[(has_instance_size_of_5, "a"), (has_long_primitive_array, "b")]);
        let causes = explained(&program, trials);
        assert!(program.asked.load(Ordering::Relaxed) <= trials);
        let failures = small_cases().iter().filter(|case| program.outcome(&case.bytes).is_failure()).count();
        assert_eq!(causes.iter().map(|explained| explained.cause.cases.len()).sum::<usize>(), failures);
    }
}

#[test]
fn says_the_same_each_time() {
    let program = MistakenProgram::new(&[(has_instance_size_of_5, "a"), (has_long_primitive_array, "b")]);
    let told = || explained(&program, 1000).into_iter().map(|explained| explained.cause).collect::<Vec<_>>();
    assert_eq!(told(), told());
}
