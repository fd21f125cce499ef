//! What can be seen of a failure, without what differs from dump to dump.

use std::borrow::Cow;
use std::collections::BTreeSet;

use crate::check::report::place::find_place;
use crate::check::report::template::template;
use crate::check::report::{
    CaseResult, Disagreement, MISREAD_SIGN, NOTHING, OtherFact, Outcome, Suspect, Symptom, VERDICT,
};
use heapsmith_core::compare::Facet;
use heapsmith_core::format::rule;

/// What stands before the colon of a symptom that is no fact.
pub(in crate::check) const NO_FACTS: [&str; 4] = ["refused", "crash", "answer", "adapter error"];

/// How a symptom begins of a dump that is accepted although it is to be refused, and of one that is read another way than
/// declared.
pub(in crate::check) const ACCEPTED: &str = "accepted";
pub(in crate::check) const READING: &str = "reading ";

/// What comes before the colon where an answer is right only in a process of its own.
const ALONE: &str = "right only when asked alone";

/// How a number is wrong that was read without its sign, or with one.
pub(in crate::check) const SIGN: &str = "sign misread";

/// What comes before the rule that a written dump breaks.
pub(in crate::check) const BREAKS: &str = "breaks ";

/// What can be seen of a failure: each fact that is wrong and follows from no other, with the kind of difference; or what
/// a refusal says, and where a program ended.
pub(in crate::check) fn symptoms_of(result: &CaseResult) -> BTreeSet<String> {
    let Some(first) = symptom_of(result) else { return BTreeSet::new() };
    let others = result.others.iter().filter(|other| other.follows.is_none());
    std::iter::once(first).chain(others.map(of_other)).chain(result.disagreements.iter().map(of_disagreement)).collect()
}

/// Whether a symptom is a fact that is told wrong, and not a message or a place in a program.
pub(in crate::check) fn is_fact(symptom: &str) -> bool {
    let kind = symptom.split_once(": ").map(|(kind, _)| kind);
    kind.is_some_and(|kind| !NO_FACTS.contains(&kind) && !kind.starts_with(ALONE) && !kind.starts_with(ACCEPTED))
}

/// Which of the other facts of a failure is one of these symptoms, if the one that is shown of it is not.
pub(in crate::check) fn other_fact(result: &CaseResult, symptoms: &[Symptom]) -> Option<usize> {
    let is_one = |what: &str| symptoms.iter().any(|symptom| symptom.what == what);
    let is_of_another =
        matches!(result.outcome(), Outcome::Fail { .. }) && symptom_of(result).is_none_or(|first| !is_one(&first));
    let mut others = result.others.iter();
    others.position(|other| is_of_another && other.follows.is_none() && is_one(&of_other(other)))
}

fn of_other(OtherFact { fact, expected, found, .. }: &OtherFact) -> String {
    of_fact(fact, expected, found)
}

/// What the outcome itself says, which is shown of a case.
pub(in crate::check) fn symptom_of(result: &CaseResult) -> Option<String> {
    Some(match result.outcome() {
        Outcome::Fail { fact, expected, found, .. } => of_fact(fact, expected, found),
        Outcome::WrongVerdict { expected, found } if expected == "refuse" => accepted(result, found),
        Outcome::WrongVerdict { found, .. } => describe_end(result.outcome()).unwrap_or_else(|| template(found)),
        Outcome::Crash { .. } | Outcome::OutOfMemory { .. } | Outcome::AdapterError { .. } => {
            describe_end(result.outcome())?
        }
        Outcome::Hang { .. } => "hang".to_owned(),
        Outcome::PassAlone { how } => format!("{ALONE}: {}", template(how)),
        Outcome::Disagree(about) => of_disagreement(about),
        Outcome::Pass { .. } | Outcome::Agree { .. } if result.expected.is_some() => {
            "passes, although a failure is expected".to_owned()
        }
        Outcome::Pass { .. } | Outcome::Agree { .. } | Outcome::Skip { .. } => return None,
    })
}

/// How a question ended without an answer that can be judged: a refusal by its message, a crash by its place, an adapter's error by
/// what it is. `None` where there is such an answer, or no end.
pub(in crate::check) fn describe_end(outcome: &Outcome) -> Option<String> {
    Some(match outcome {
        Outcome::Fail { fact, found, .. } if fact == "answer" && found.starts_with("listing, ") => {
            format!("answer: {}", of_answer(found))
        }
        Outcome::WrongVerdict { found, .. } if found.starts_with("refused") => match found.strip_prefix("refused: ") {
            Some(message) => format!("refused: {}", template(message)),
            None => found.clone(),
        },
        Outcome::Crash { how } => format!("crash: {}", find_place(how).unwrap_or_else(|| template(how))),
        Outcome::OutOfMemory { .. } => "out of memory".to_owned(),
        Outcome::AdapterError { how } => format!("adapter error: {}", of_adapter(how)),
        _ => return None,
    })
}

/// A fact, and who says the same: of those that refuse or give no answer, how.
fn of_disagreement(about: &Disagreement) -> String {
    let sides = about.sides.iter().map(|side| {
        let by = side.by.join(", ");
        match (&*about.fact == VERDICT, &*side.says) {
            (true, says) => format!("{} by {by}", of_verdict(says)),
            (false, NOTHING) => format!("nothing by {by}"),
            (false, _) => by,
        }
    });
    format!("{}: {}", kind_of(&about.fact), sides.collect::<Vec<_>>().join(" | "))
}

/// What became of a question, without what differs from dump to dump.
pub(in crate::check) fn of_verdict(says: &str) -> String {
    match says.split_once(": ") {
        Some((kind @ "crash", how)) => format!("{kind} ({})", find_place(how).unwrap_or_else(|| template(how))),
        Some((kind @ ("hang" | "out-of-memory"), _)) => kind.to_owned(),
        Some((kind, how)) => format!("{kind} ({})", template(how)),
        None => says.to_owned(),
    }
}

/// Of a histogram each class is a fact.
fn kind_of(fact: &str) -> &str {
    match fact.split_once(" of ") {
        Some(("objects", _)) => "objects by class",
        Some(("bytes", _)) => "bytes by class",
        _ => fact,
    }
}

/// A fact and the kind of difference.
fn of_fact(fact: &str, expected: &str, found: &str) -> String {
    let how = match (expected, found) {
        (_, found) if fact == "answer" => return format!("answer: {}", of_answer(found)),
        (_, found) if found.starts_with("nothing") => "missing",
        (expected, _) if expected.starts_with("nothing") => "invented",
        (_, found) if fact == Facet::Address.to_string() && found.contains(MISREAD_SIGN) => SIGN,
        _ => "wrong",
    };
    let fact = if fact.starts_with("objects of ") { kind_of(fact) } else { fact };
    format!("{fact}: {how}")
}

/// An answer that cannot be read: the rule that a dump breaks which was written, or why a listing is none.
fn of_answer(found: &str) -> String {
    match found.split_once(" at offset ") {
        Some((id, _)) if rule(id).is_some() => format!("{BREAKS}{id}"),
        _ => template(&without_key(found)),
    }
}

/// What an adapter did wrong: where it ended, or what it says.
fn of_adapter(how: &str) -> String {
    find_place(how).unwrap_or_else(|| template(&without_key(how)))
}

/// The error of a listing without the key: one mistake shows in several keys.
fn without_key(found: &str) -> Cow<'_, str> {
    let line = found.split_once(", key ").filter(|(line, _)| line.starts_with("listing, line "));
    match line.and_then(|(line, rest)| Some((line, rest.split_once(": ")?.1))) {
        Some((line, message)) => format!("{line}: {message}").into(),
        None => found.into(),
    }
}

/// What is accepted depends on the rule that the dump breaks.
fn accepted(result: &CaseResult, found: &str) -> String {
    match &*result.suspects {
        [Suspect { rule, .. }] => format!("accepted although {rule} is broken"),
        _ => format!("accepted: {}", template(found)),
    }
}

#[cfg(test)]
mod tests {
    use super::of_answer;

    #[test]
    fn one_mistake_in_several_keys_of_listings_is_one_symptom() {
        let of_key = |key: &str| of_answer(&format!("listing, line 7{key}: expected a number, found \"4g\""));
        assert_eq!(of_key(", key address"), "listing, line …: expected a number, found …");
        assert_eq!([of_key(""), of_key(", key statics[2].value")], [of_key(", key address"), of_key(", key address")]);
    }
}
