//! The readings that an implementation follows: declared ones, and those inferred from all answers of a run.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use crate::check::declarations::ambiguities;
use crate::check::report::{FollowedReading, Outcome, PassingReadings};

/// Infers the readings that an implementation follows, and fails answers that are right under other readings only. The
/// combination under which most answers are right holds; of several, the one with the most defaults.
pub(super) fn enforce_common_reading<'r>(
    declared: &BTreeMap<String, String>,
    results: impl Iterator<Item = (&'r mut Outcome, &'r [PassingReadings])>,
) -> Vec<FollowedReading> {
    let mut passed: Vec<(&mut Outcome, &[PassingReadings])> =
        results.filter(|(outcome, follows)| outcome.is_pass() && !follows.is_empty()).collect();
    let all: Vec<&[PassingReadings]> = passed.iter().map(|(_, follows)| *follows).collect();
    let mut held: Vec<FollowedReading> = declared
        .iter()
        .map(|(reading, choice)| FollowedReading {
            reading: reading.clone(),
            choice: choice.clone(),
            declared: true,
            cases: None,
        })
        .collect();
    held.extend(infer_readings(&all));
    for (outcome, follows) in &mut passed {
        if let Some(wrong) = find_conflict(&held, follows) {
            **outcome = wrong;
        }
    }
    held.sort_by(|a, b| a.reading.cmp(&b.reading));
    held
}

/// The readings inferred from answers. Each answer has one or more lists of readings under which it is right.
fn infer_readings(answers: &[&[PassingReadings]]) -> Vec<FollowedReading> {
    let named: BTreeSet<&str> = answers.iter().flat_map(|follows| follows.iter()).flat_map(reading_names).collect();
    let open: Vec<_> = ambiguities().into_iter().filter(|ambiguity| named.contains(ambiguity.name)).collect();
    // By place among what is open, with a bit for each choice.
    let masks = |PassingReadings(follows): &PassingReadings| -> Vec<(usize, u32)> {
        let of = |(place, ambiguity): (usize, &&heapsmith_core::family::case::Ambiguity)| {
            let choices = follows.get(ambiguity.name)?.iter().filter_map(|choice| ambiguity.choice(choice));
            Some((place, choices.fold(0, |mask, choice| mask | 1 << choice)))
        };
        open.iter().enumerate().filter_map(of).collect()
    };
    let answers: Vec<Vec<Vec<(usize, u32)>>> =
        answers.iter().map(|follows| follows.iter().map(masks).collect()).collect();
    let is_right =
        |choices: &[usize], masks: &[(usize, u32)]| masks.iter().all(|(place, mask)| mask >> choices[*place] & 1 == 1);
    let score = |choices: &[usize]| {
        let right = answers.iter().filter(|lists| lists.iter().any(|masks| is_right(choices, masks))).count();
        (right, choices.iter().filter(|choice| **choice == 0).count())
    };
    // The choices under which an answer is right, whatever is read otherwise. One that is right under all of them shows none.
    let shown = |lists: &Vec<Vec<(usize, u32)>>, place: usize| {
        let all = (1_u32 << open[place].choices.len()) - 1;
        let mask_of =
            |masks: &Vec<(usize, u32)>| masks.iter().find(|(at, _)| *at == place).map_or(all, |(_, mask)| *mask);
        let right = lists.iter().map(mask_of).fold(0, |right, mask| right | mask);
        (right != all).then_some(right)
    };
    // From what most answers show, each reading for itself, to where no change of one or two makes more of them right.
    let count = |place: usize, choice: usize| {
        answers.iter().filter(|lists| shown(lists, place).is_some_and(|right| right >> choice & 1 == 1)).count()
    };
    let mut choices: Vec<usize> = open
        .iter()
        .enumerate()
        .map(|(place, ambiguity)| {
            let all = 0..ambiguity.choices.len();
            all.max_by_key(|choice| (count(place, *choice), Reverse(*choice))).unwrap_or_default()
        })
        .collect();
    let mut best = score(&choices);
    loop {
        let mut better = None;
        for one in 0..open.len() {
            for other in one..open.len() {
                for (a, b) in choice_pairs(open[one].choices.len(), open[other].choices.len()) {
                    let mut changed = choices.clone();
                    (changed[other], changed[one]) = (b, a);
                    let reached = score(&changed);
                    if reached > best {
                        (best, better) = (reached, Some(changed));
                    }
                }
            }
        }
        match better {
            Some(better) => choices = better,
            None => break,
        }
    }
    let is_shown = |place: usize| answers.iter().any(|lists| shown(lists, place).is_some());
    let held =
        open.iter().enumerate().filter(|(place, _)| is_shown(*place)).map(|(place, ambiguity)| FollowedReading {
            reading: ambiguity.name.to_owned(),
            choice: ambiguity.choices[choices[place]].name.to_owned(),
            declared: false,
            cases: Some(count(place, choices[place]) as u64),
        });
    held.collect()
}

fn reading_names(PassingReadings(follows): &PassingReadings) -> impl Iterator<Item = &str> {
    follows.keys().map(String::as_str)
}

fn choice_pairs(ones: usize, others: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..ones).flat_map(move |one| (0..others).map(move |other| (one, other)))
}

/// The failure of an answer that follows other readings than the rest.
fn find_conflict(held: &[FollowedReading], follows: &[PassingReadings]) -> Option<Outcome> {
    let other = |PassingReadings(follows): &PassingReadings| {
        let mut all = held.iter().filter_map(|held| Some((held, follows.get(&held.reading)?)));
        let (held, found) = all.find(|(held, choices)| !choices.contains(&held.choice))?;
        let cases = held.cases.unwrap_or_default();
        Some(Outcome::Fail {
            fact: format!("{OF_READING}{}", held.reading),
            address: None,
            expected: format!("{}, as in {cases} {}", held.choice, if cases == 1 { "case" } else { "cases" }),
            found: found.join(" or "),
            count: 1,
        })
    };
    let mut conflicts = follows.iter().map(other);
    let first = conflicts.next()??;
    conflicts.all(|other| other.is_some()).then_some(first)
}

/// The first word of the fact of a failure about a reading.
const OF_READING: &str = "reading ";

/// Takes back that an answer failed because the rest follows other readings. Whether it did.
pub(super) fn revert_reading_failure(outcome: &mut Outcome, follows: &[PassingReadings]) -> bool {
    let is_settled = matches!(outcome, Outcome::Fail { fact, .. } if fact.starts_with(OF_READING));
    if is_settled && !follows.is_empty() {
        *outcome = Outcome::Pass { reading: None };
    }
    is_settled && !follows.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn follows(readings: &[(&str, &str)]) -> PassingReadings {
        PassingReadings(
            readings.iter().map(|(name, choice)| ((*name).to_owned(), vec![(*choice).to_owned()])).collect(),
        )
    }

    fn settled(answers: &[Vec<PassingReadings>]) -> (Vec<FollowedReading>, Vec<bool>) {
        let mut outcomes = vec![Outcome::Pass { reading: None }; answers.len()];
        let held = enforce_common_reading(&BTreeMap::new(), outcomes.iter_mut().zip(answers.iter().map(Vec::as_slice)));
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

    #[test]
    fn withdraws_reading_conflict_before_more_cases() {
        let all = [follows(&[(ORDER, "file")])];
        let mut outcome = find_conflict(
            &[FollowedReading {
                reading: ORDER.to_owned(),
                choice: "index".to_owned(),
                declared: false,
                cases: Some(1),
            }],
            &all,
        )
        .expect("a conflict");
        assert!(outcome.detail().contains("index, as in 1 case\n"));
        assert!(revert_reading_failure(&mut outcome, &all) && outcome.is_pass());
        assert!(!revert_reading_failure(&mut outcome, &all));
    }
}
