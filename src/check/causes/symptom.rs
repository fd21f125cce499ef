//! What can be seen of a failure, without what differs from dump to dump.

use std::collections::BTreeSet;

use crate::compare::Facet;
use crate::format::rule;

use super::super::among::{NOTHING, VERDICT};
use super::super::judge::MISREAD_SIGN;
use super::super::report::{CaseResult, Disagreement, OtherFact, Outcome, Suspect, Symptom};
use super::place::place;

/// What stands before the colon of a symptom that is no fact.
pub(super) const NO_FACTS: [&str; 4] = ["refused", "crash", "answer", "adapter error"];

/// How a symptom begins of a dump that is accepted although it is to be refused, and of one that is read another way than
/// declared.
pub(super) const ACCEPTED: &str = "accepted";
pub(super) const READING: &str = "reading ";

/// How a number is wrong that was read without its sign, or with one.
pub(super) const SIGN: &str = "sign misread";

/// What comes before the rule that a written dump breaks.
pub(super) const BREAKS: &str = "breaks ";

/// What can be seen of a failure: each fact that is wrong and follows from no other, with the kind of difference; or what
/// a refusal says, and where a program ended.
pub(super) fn symptoms(result: &CaseResult) -> BTreeSet<String> {
    let Some(first) = first(result) else { return BTreeSet::new() };
    let others = result.others.iter().filter(|other| other.follows.is_none());
    std::iter::once(first).chain(others.map(of_other)).chain(result.disagreements.iter().map(of_disagreement)).collect()
}

/// What can be seen of a failure besides, and may follow from its symptoms.
pub(super) fn implied(result: &CaseResult) -> BTreeSet<String> {
    result.others.iter().filter(|other| other.follows.is_some()).map(of_other).collect()
}

/// Those that are seen in other places of the dump than the others.
pub(super) fn apart(result: &CaseResult) -> BTreeSet<String> {
    let others = result.others.iter().filter(|other| other.follows.is_none() && other.apart).map(of_other);
    first(result).filter(|_| result.apart).into_iter().chain(others).collect()
}

/// Which of the other facts of a failure is one of these symptoms, if the one that is shown of it is not.
pub(super) fn other_of(result: &CaseResult, symptoms: &[Symptom]) -> Option<usize> {
    let is_one = |what: &str| symptoms.iter().any(|symptom| symptom.what == what);
    let is_of_another =
        matches!(result.outcome, Outcome::Fail { .. }) && first(result).is_none_or(|first| !is_one(&first));
    let mut others = result.others.iter();
    others.position(|other| is_of_another && other.follows.is_none() && is_one(&of_other(other)))
}

fn of_other(OtherFact { fact, expected, found, .. }: &OtherFact) -> String {
    of_fact(fact, expected, found)
}

/// What the outcome itself says, which is shown of a case.
pub(super) fn first(result: &CaseResult) -> Option<String> {
    Some(match &result.outcome {
        Outcome::Fail { fact, expected, found, .. } => of_fact(fact, expected, found),
        Outcome::WrongVerdict { expected, found } if expected == "refuse" => accepted(result, found),
        Outcome::WrongVerdict { found, .. } => match found.strip_prefix("refused: ") {
            Some(message) => format!("refused: {}", template(message)),
            None => template(found),
        },
        Outcome::Crash { how } => format!("crash: {}", place(how).unwrap_or_else(|| template(how))),
        Outcome::Hang { .. } => "hang".to_owned(),
        Outcome::OutOfMemory { .. } => "out of memory".to_owned(),
        Outcome::PassAlone { how } => format!("right only when asked alone: {}", template(how)),
        Outcome::AdapterError { how } => format!("adapter error: {}", template(how)),
        Outcome::Disagree(about) => of_disagreement(about),
        Outcome::Pass { .. } | Outcome::Agree { .. } if result.expected.is_some() => {
            "passes, although a failure is expected".to_owned()
        }
        Outcome::Pass { .. } | Outcome::Agree { .. } | Outcome::Skip { .. } => return None,
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
pub(super) fn of_verdict(says: &str) -> String {
    match says.split_once(": ") {
        Some((kind @ "crash", how)) => format!("{kind} ({})", place(how).unwrap_or_else(|| template(how))),
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
        _ => template(found),
    }
}

/// What is accepted depends on the rule that the dump breaks.
fn accepted(result: &CaseResult, found: &str) -> String {
    match &*result.suspects {
        [Suspect { rule, .. }] => format!("accepted although {rule} is broken"),
        _ => format!("accepted: {}", template(found)),
    }
}

/// A message without numbers, names and quotations: its first line that says something.
pub(super) fn template(message: &str) -> String {
    let line = message.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    let mut plain = String::new();
    let mut quote = None;
    for (at, c) in line.char_indices().take(LONGEST) {
        match (quote, c) {
            (Some(end), c) if c == end => quote = None,
            (Some(_), _) => {}
            (None, '"' | '`' | '“') => {
                quote = Some(if c == '“' { '”' } else { c });
                plain.push(VARIABLE);
            }
            (None, '\'') if begins_quotation(line, at) => {
                quote = Some(c);
                plain.push(VARIABLE);
            }
            (None, c) => plain.push(c),
        }
    }
    let words = plain.split(' ').map(|word| if is_variable(word) { without_variable(word) } else { word.to_owned() });
    let mut words: Vec<String> = words.collect();
    words.dedup_by(|a, b| a == b && a.contains(VARIABLE));
    words.join(" ")
}

/// Whether a single quotation mark has another one after it, and is no apostrophe.
fn begins_quotation(line: &str, at: usize) -> bool {
    let (before, rest) = line.split_at(at);
    !before.ends_with(char::is_alphanumeric) && rest[1..].contains('\'')
}

/// Longer messages are cut.
const LONGEST: usize = 300;
/// What stands for a number or a name.
const VARIABLE: char = '…';

/// Whether a word is a number, an address, or a name as Java has them.
fn is_variable(word: &str) -> bool {
    let is_path = word.contains('/') && word.trim_start_matches('/').contains('/');
    word.chars().any(|c| c.is_ascii_digit()) || is_path || word.matches('.').count() > 1
}

fn without_variable(word: &str) -> String {
    let inner = word.trim_matches(|c: char| c.is_ascii_punctuation());
    match (inner.is_empty(), word.find(inner)) {
        (false, Some(at)) => format!("{}{VARIABLE}{}", &word[..at], &word[at + inner.len()..]),
        _ => word.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::template;

    #[test]
    fn messages_lose_what_differs_from_dump_to_dump() {
        for (message, plain) in [
            ("unknown record type 16", "unknown record type …"),
            ("record 5 at offset 0x1f: no such tag", "record … at offset …: no such tag"),
            ("no class \"java/lang/String\" here", "no class … here"),
            ("class java/lang/String has no name", "class … has no name"),
            ("a number is due, and not '[\"A\"' here", "a number is due, and not … here"),
            ("it can't be, and won't", "it can't be, and won't"),
            ("values (1, 2, 3) are wrong", "values (…, …, …) are wrong"),
            ("\n  first\nsecond", "first"),
            ("", ""),
        ] {
            assert_eq!(template(message), plain);
        }
    }
}
