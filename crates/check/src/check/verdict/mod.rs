//! Verdicts: the one place where they are made.
//!
//! ```text
//! answers to a case ─▶ CaseJudgement ─┐
//! answers to a case ─▶ CaseJudgement ─┼─ decide_verdicts ─▶ a Verdict for each, and the readings that all have in common
//! a shard's record  ─▶ CaseJudgement ─┘
//! ```
//!
//! A judgement is of one case alone. Whether an answer is right can depend on all others, since an implementation follows one
//! reading of ambiguous bytes: so verdicts are made when all judgements are there, and nothing changes them afterwards.

mod infer_readings;
mod outcome;

use std::collections::BTreeMap;

pub use infer_readings::{FollowedReading, PassingReadings};
pub use outcome::{Disagreement, DisagreementSide, Outcome};

/// The judgement of a case by its own answers.
#[derive(Clone, Debug)]
pub(in crate::check) struct CaseJudgement {
    outcome: Outcome,
    /// The outcome in company, where the case was asked again and that is another.
    first: Option<Outcome>,
    /// The readings under which the answer is right, where it shows some: each entry is enough.
    readings: Vec<PassingReadings>,
}

impl CaseJudgement {
    /// The judgement of a case that was asked once, or not at all.
    pub(in crate::check) fn new(outcome: Outcome, readings: Vec<PassingReadings>) -> CaseJudgement {
        CaseJudgement { outcome, first: None, readings }
    }

    /// The judgement of a case that was asked in a process that served other cases as well, and then alone. The answer
    /// alone counts; but what a process keeps from one dump to the next is not right either.
    pub(in crate::check) fn from_retry(
        in_company: Option<Outcome>,
        alone: Outcome,
        readings: Vec<PassingReadings>,
    ) -> CaseJudgement {
        let Some(first) = in_company.filter(|first| first.name() != alone.name()) else {
            return CaseJudgement::new(alone, readings);
        };
        // That a case hung in company may be the machine's doing, and nothing else is.
        let remembers =
            matches!(first, Outcome::Crash { .. } | Outcome::OutOfMemory { .. } | Outcome::AdapterError { .. });
        match alone {
            Outcome::Pass { .. } if remembers => {
                let how = format!("{}: {}", first.name(), first.detail());
                CaseJudgement { outcome: Outcome::PassAlone { how }, first: Some(first), readings }
            }
            // A question that is skipped when it is asked again was asked all the same.
            Outcome::Skip { .. } if remembers => CaseJudgement::new(first, readings),
            alone => CaseJudgement { outcome: alone, first: Some(first), readings },
        }
    }

    /// The judgement from which a recorded verdict was decided: without what the other cases of that report had to say.
    pub(in crate::check) fn from_record(
        outcome: &Outcome,
        first: Option<&Outcome>,
        readings: &[PassingReadings],
    ) -> CaseJudgement {
        let outcome = match infer_readings::is_conflict(outcome, readings) {
            true => Outcome::Pass { reading: None },
            false => outcome.clone(),
        };
        CaseJudgement { outcome, first: first.cloned(), readings: readings.to_vec() }
    }

    /// The outcome, which is the verdict unless the other cases show other readings.
    pub(in crate::check) fn outcome(&self) -> &Outcome {
        &self.outcome
    }

    /// The readings that a passing answer shows.
    fn shown_readings(&self) -> &[PassingReadings] {
        if self.outcome.is_pass() { &self.readings } else { &[] }
    }
}

/// The verdict of a case. Only [`decide_verdicts`] makes one, and none is changed.
#[derive(Clone, Debug)]
pub(in crate::check) struct Verdict(CaseJudgement);

impl Verdict {
    /// The verdict of a case that stands alone.
    pub(in crate::check) fn from_lone_case(outcome: Outcome) -> Verdict {
        decide(CaseJudgement::new(outcome, Vec::new()), &[])
    }

    pub(in crate::check) fn outcome(&self) -> &Outcome {
        &self.0.outcome
    }

    /// The outcome; the one in company, where that is another; and the readings under which the answer is right.
    pub(in crate::check) fn into_parts(self) -> (Outcome, Option<Outcome>, Vec<PassingReadings>) {
        let CaseJudgement { outcome, first, readings } = self.0;
        (outcome, first, readings)
    }
}

/// The verdicts of an implementation's cases.
#[derive(Clone, Debug)]
pub(in crate::check) struct DecidedVerdicts {
    /// A verdict for each judgement, in their order.
    pub(in crate::check) verdicts: Vec<Verdict>,
    /// The readings that the implementation follows: declared ones, and those inferred from its answers.
    pub(in crate::check) readings: Vec<FollowedReading>,
}

impl DecidedVerdicts {
    /// The witness against an answer that fails because others follow another reading: the place of the first answer that does.
    pub(in crate::check) fn witness_against(&self, place: usize) -> Option<usize> {
        let Verdict(failing) = self.verdicts.get(place)?;
        let held = infer_readings::conflicting_reading(&failing.outcome, &self.readings)?;
        let is_witness = |Verdict(other): &Verdict| {
            other.outcome.is_pass() && infer_readings::is_witness(held, &failing.readings, &other.readings)
        };
        if held.declared { None } else { self.verdicts.iter().position(is_witness) }
    }
}

/// Decides the verdicts of all cases of an implementation: infers the readings that it follows from the answers that are
/// right under some of them, and fails those that are right under others only.
pub(in crate::check) fn decide_verdicts(
    declared: &BTreeMap<String, String>,
    judgements: Vec<CaseJudgement>,
) -> DecidedVerdicts {
    let shown = judgements.iter().map(CaseJudgement::shown_readings).filter(|readings| !readings.is_empty());
    let inferred = infer_readings::infer_readings(&shown.collect::<Vec<_>>());
    let declared = declared.iter().map(|(reading, choice)| FollowedReading {
        reading: reading.clone(),
        choice: choice.clone(),
        declared: true,
        cases: None,
    });
    let mut readings: Vec<FollowedReading> = declared.chain(inferred).collect();
    let verdicts = judgements.into_iter().map(|judgement| decide(judgement, &readings)).collect();
    readings.sort_by(|a, b| a.reading.cmp(&b.reading));
    DecidedVerdicts { verdicts, readings }
}

/// Decides the verdict of a case by the readings that the implementation follows.
fn decide(judgement: CaseJudgement, followed: &[FollowedReading]) -> Verdict {
    match infer_readings::find_conflict(followed, judgement.shown_readings()) {
        Some(outcome) => Verdict(CaseJudgement { outcome, ..judgement }),
        None => Verdict(judgement),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn follows(readings: &[(&str, &str)]) -> PassingReadings {
        PassingReadings(
            readings.iter().map(|(name, choice)| ((*name).to_owned(), vec![(*choice).to_owned()])).collect(),
        )
    }

    fn passed(readings: Vec<PassingReadings>) -> CaseJudgement {
        CaseJudgement::new(Outcome::Pass { reading: None }, readings)
    }

    fn decided(judgements: Vec<CaseJudgement>) -> (Vec<FollowedReading>, Vec<Outcome>) {
        let DecidedVerdicts { verdicts, readings } = decide_verdicts(&BTreeMap::new(), judgements);
        (readings, verdicts.into_iter().map(|verdict| verdict.into_parts().0).collect())
    }

    fn settled(answers: &[Vec<PassingReadings>]) -> (Vec<FollowedReading>, Vec<bool>) {
        let (held, outcomes) = decided(answers.iter().cloned().map(passed).collect());
        (held, outcomes.iter().map(Outcome::is_pass).collect())
    }

    const ORDER: &str = "phd.element-order";

    #[test]
    fn enforces_reading_of_most_answers() {
        let answer = |choice| vec![follows(&[(ORDER, choice)])];
        let (held, passed) = settled(&[answer("index"), answer("file"), answer("index"), vec![]]);
        assert_eq!((held[0].choice.as_str(), held[0].cases), ("index", Some(2)));
        assert_eq!(passed, [true, false, true, true]);
        // Of equal counts the default holds.
        let (held, passed) = settled(&[answer("index"), answer("file")]);
        assert_eq!(held[0].choice, "file");
        assert_eq!(passed, [false, true]);
    }

    #[test]
    fn resolves_equivalent_readings_by_other_answers() {
        // Two ways to the same heap, 48 times; six answers tell which it is.
        let either = vec![
            follows(&[("phd.array-class", "first-reference"), ("phd.first-reference", "dropped")]),
            follows(&[("phd.array-class", "first-reference-removed")]),
        ];
        let mut answers = vec![either; 48];
        answers.extend(vec![vec![follows(&[("phd.first-reference", "kept")])]; 6]);
        let (held, passed) = settled(&answers);
        let choices: Vec<&str> = held.iter().map(|held| held.choice.as_str()).collect();
        assert_eq!(choices, ["first-reference-removed", "kept"]);
        assert!(passed.iter().all(|passed| *passed));
    }

    /// Right by two ways, under every choice of either reading: that names no reading, and is no vote for one.
    #[test]
    fn an_answer_that_is_right_under_every_choice_shows_no_reading() {
        let any = vec![follows(&[(ORDER, "file")]), follows(&[(ORDER, "index"), ("phd.first-reference", "dropped")])];
        let (held, passed) = settled(&vec![any.clone(); 3]);
        assert_eq!(held, []);
        assert_eq!(passed, [true; 3]);
        let mut answers = vec![any; 3];
        answers.push(vec![follows(&[(ORDER, "index")])]);
        let (held, passed) = settled(&answers);
        let held: Vec<_> = held.iter().map(|held| (held.reading.as_str(), held.choice.as_str(), held.cases)).collect();
        assert_eq!(held, [(ORDER, "index", Some(1))]);
        assert_eq!(passed, [true; 4]);
    }

    /// A shard in which one answer outvoted another, and a second shard in which more answers are like that other.
    #[test]
    fn decides_again_over_recorded_verdicts() {
        let answer = |choice| passed(vec![follows(&[(ORDER, choice)])]);
        let (held, outcomes) = decided(vec![answer("index"), answer("file"), answer("index")]);
        assert_eq!(held[0].choice, "index");
        assert!(outcomes[1].detail().contains("index, as in 2 cases\n"));
        let recorded = |(outcome, choice): (&Outcome, &str)| {
            CaseJudgement::from_record(outcome, None, &[follows(&[(ORDER, choice)])])
        };
        let mut all: Vec<CaseJudgement> = outcomes.iter().zip(["index", "file", "index"]).map(recorded).collect();
        assert!(all[1].outcome().is_pass());
        all.extend([answer("file"), answer("file")]);
        let (held, outcomes) = decided(all);
        assert_eq!((held[0].choice.as_str(), held[0].cases), ("file", Some(3)));
        let passed: Vec<bool> = outcomes.iter().map(Outcome::is_pass).collect();
        assert_eq!(passed, [false, true, false, true, true]);
        // A reading that was declared otherwise is wrong whatever the others show: it is right under no reading.
        let declared = Outcome::Fail {
            fact: format!("reading {ORDER}"),
            address: None,
            expected: "index, as it is declared".to_owned(),
            found: "file".to_owned(),
            count: 1,
        };
        assert_eq!(CaseJudgement::from_record(&declared, None, &[]).outcome(), &declared);
    }

    #[test]
    fn counts_the_answer_alone_unless_a_process_remembers() {
        let crash = || Outcome::Crash { how: "SIGSEGV".to_owned() };
        let hang = || Outcome::Hang { how: "no answer".to_owned() };
        let pass = || Outcome::Pass { reading: None };
        let skip = || Outcome::skip("busy", None);
        let alone = Outcome::PassAlone { how: "crash: SIGSEGV".to_owned() };
        let other = Outcome::Crash { how: "SIGABRT".to_owned() };
        for (in_company, asked_again, outcome, first) in [
            (None, crash(), crash(), None),
            (Some(crash()), other.clone(), other, None),
            (Some(crash()), pass(), alone, Some(crash())),
            (Some(hang()), pass(), pass(), Some(hang())),
            (Some(pass()), crash(), crash(), Some(pass())),
            (Some(crash()), skip(), crash(), None),
            (Some(hang()), skip(), skip(), Some(hang())),
        ] {
            let judgement = CaseJudgement::from_retry(in_company, asked_again, Vec::new());
            let (found, found_first, _) = decide(judgement, &[]).into_parts();
            assert_eq!((found, found_first), (outcome, first));
        }
    }
}
