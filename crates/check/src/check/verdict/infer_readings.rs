//! The readings that an implementation follows: declared ones, and those inferred from all answers of a run.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::check::declarations::ambiguities;
use crate::check::verdict::outcome::Outcome;

/// A reading that an implementation follows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Held")]
pub struct FollowedReading {
    /// What is left open by the bytes: a name of specs/adapter.md.
    pub reading: String,
    /// The choice.
    pub choice: String,
    /// Whether it was declared; or else it was found out.
    pub declared: bool,
    /// In how many cases it was found out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cases: Option<u64>,
}

/// Readings under which an answer is right: what is left open, and the choices.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
#[schemars(rename = "Follows")]
pub struct PassingReadings(pub BTreeMap<String, Vec<String>>);

/// The readings inferred from answers, each of which has one or more lists of readings under which it is right. The
/// combination under which most answers are right holds; of several, the one with the most defaults.
pub(super) fn infer_readings(answers: &[&[PassingReadings]]) -> Vec<FollowedReading> {
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
pub(super) fn find_conflict(held: &[FollowedReading], follows: &[PassingReadings]) -> Option<Outcome> {
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

/// Whether a passing answer is right under the reading that holds, and under none of those by which another one conflicts with it.
pub(super) fn is_witness(held: &FollowedReading, conflicting: &[PassingReadings], other: &[PassingReadings]) -> bool {
    let choices = |PassingReadings(follows): &PassingReadings| follows.get(&held.reading).cloned().unwrap_or_default();
    let refused: BTreeSet<String> = conflicting.iter().flat_map(choices).collect();
    !other.is_empty()
        && other
            .iter()
            .map(choices)
            .all(|choices| choices.contains(&held.choice) && !choices.iter().any(|choice| refused.contains(choice)))
}

/// The reading about which an outcome is a conflict.
pub(super) fn conflicting_reading<'h>(outcome: &Outcome, held: &'h [FollowedReading]) -> Option<&'h FollowedReading> {
    let Outcome::Fail { fact, .. } = outcome else { return None };
    let name = fact.strip_prefix(OF_READING)?;
    held.iter().find(|held| held.reading == name)
}

/// The first word of the fact of a failure about a reading.
const OF_READING: &str = "reading ";

/// Whether an outcome is the failure of an answer that is right under these readings, and follows others than the rest.
pub(super) fn is_conflict(outcome: &Outcome, follows: &[PassingReadings]) -> bool {
    !follows.is_empty() && matches!(outcome, Outcome::Fail { fact, .. } if fact.starts_with(OF_READING))
}
