//! One reading for the whole of a run: where nothing is declared, it is found out from all answers.

use std::collections::BTreeMap;

use super::judge::all_ambiguities;
use super::report::{Follows, Held, Outcome};

/// Finds out which readings an implementation follows, and fails the answers that are right under others alone. Of each
/// reading the choice counts that most answers follow; of several, the one that is told first.
pub(super) fn settle<'r>(
    declared: &BTreeMap<String, String>,
    results: impl Iterator<Item = (&'r mut Outcome, &'r [Follows])>,
) -> Vec<Held> {
    let mut passed: Vec<(&mut Outcome, &[Follows])> =
        results.filter(|(outcome, follows)| outcome.is_pass() && !follows.is_empty()).collect();
    let mut counts: BTreeMap<&str, BTreeMap<&str, u64>> = BTreeMap::new();
    for (_, follows) in &passed {
        let mut shown: Vec<(&str, &str)> = Vec::new();
        for Follows(follows) in *follows {
            let choices =
                follows.iter().flat_map(|(name, choices)| choices.iter().map(move |choice| (&**name, &**choice)));
            shown.extend(choices);
        }
        shown.sort_unstable();
        shown.dedup();
        for (name, choice) in shown {
            *counts.entry(name).or_default().entry(choice).or_default() += 1;
        }
    }
    let mut held: Vec<Held> = declared
        .iter()
        .map(|(reading, choice)| Held { reading: reading.clone(), choice: choice.clone(), declared: true, cases: None })
        .collect();
    for ambiguity in all_ambiguities() {
        let Some(count) = counts.get(ambiguity.name) else { continue };
        let of = |name| count.get(name).copied().unwrap_or(0);
        // Of equal counts the last is the largest, and the first choice stands last.
        if let Some(choice) = ambiguity.choices.iter().rev().max_by_key(|choice| of(choice.name)) {
            let (reading, name) = (ambiguity.name.to_owned(), choice.name.to_owned());
            held.push(Held { reading, choice: name, declared: false, cases: Some(of(choice.name)) });
        }
    }
    for (outcome, follows) in &mut passed {
        if let Some(wrong) = conflict(&held, follows) {
            **outcome = wrong;
        }
    }
    held.sort_by(|a, b| a.reading.cmp(&b.reading));
    held
}

/// What is wrong with an answer that follows other readings than the rest.
fn conflict(held: &[Held], follows: &[Follows]) -> Option<Outcome> {
    let other = |Follows(follows): &Follows| {
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

/// How the fact of a failure begins that is about a reading.
const OF_READING: &str = "reading ";

/// The outcome of an answer before it was settled, where that made it fail.
pub(super) fn unsettled(outcome: &mut Outcome, follows: &[Follows]) -> bool {
    let is_settled = matches!(outcome, Outcome::Fail { fact, .. } if fact.starts_with(OF_READING));
    if is_settled && !follows.is_empty() {
        *outcome = Outcome::Pass { reading: None };
        return true;
    }
    false
}
