//! A cause in a sentence.

use crate::check::report::symptom::{BREAKS, NO_FACTS, of_verdict};
use crate::check::report::{Disagreement, DisagreementSide, NOTHING, Symptom, VERDICT, list_in_words};
use heapsmith_core::findings::Rule;

/// What an implementation does wrong, as far as it can be seen.
pub(super) fn sentence(symptoms: &[Symptom]) -> String {
    format!("{}.", seen(symptoms))
}

/// What an implementation does that accepts dumps which break a rule.
pub(in crate::check) fn of_acceptance(broken: &Rule) -> String {
    format!("Accepts dumps that break {}: {}", broken.id, broken.statement)
}

/// The sentence of what is seen too seldom to be listed, of which it names one: how many others there are, and how many are
/// listed.
pub(super) fn with_rest(sentence: &str, more: usize, listed: usize) -> String {
    let sentence = sentence.trim_end_matches('.');
    format!("{sentence}, and in {more} other ways that are not listed: only the {listed} commonest are.")
}

/// What implementations disagree about: the facts, and who says the same. Who is right is not said.
pub(super) fn of_disagreement(first: &Disagreement, symptoms: &[Symptom]) -> String {
    let by = |side: &DisagreementSide| list_in_words(&side.by);
    if first.fact == VERDICT {
        let sides = first.sides.iter().map(|side| format!("{} by {}", of_verdict(&side.says), by(side)));
        return format!("Disagree on whether the dump can be read: {}.", sides.collect::<Vec<_>>().join("; "));
    }
    let all = facts(symptoms.iter().filter_map(|symptom| symptom.what.split_once(": ")).map(|(fact, _)| fact));
    let sides = first.sides.iter().map(|side| match &*side.says {
        NOTHING => format!("{} (nothing is said)", by(side)),
        _ => by(side),
    });
    format!("Disagree on {all}: {}.", sides.collect::<Vec<_>>().join(" against "))
}

/// The commonest symptoms in words: facts together, or what else there is.
fn seen(symptoms: &[Symptom]) -> String {
    let Some(first) = symptoms.first() else { return "Fails".to_owned() };
    let kinds: Vec<&str> =
        symptoms.iter().filter_map(|symptom| symptom.what.split_once(": ")).map(|(kind, _)| kind).collect();
    let in_brackets = |rest: &str| if rest.is_empty() { String::new() } else { format!(" ({rest})") };
    let (kind, rest) = first.what.split_once(": ").unwrap_or((&first.what, ""));
    match kind {
        "refused" => format!("Refuses dumps{}", in_brackets(rest)),
        "crash" => crash(rest),
        "answer" if rest.starts_with(BREAKS) => format!("Writes a dump that {rest}"),
        "answer" => format!("Gives an answer that cannot be read{}", in_brackets(rest)),
        "adapter error" => format!("The adapter fails{}", in_brackets(rest)),
        "hang" => "Gives no answer in time".to_owned(),
        "out of memory" => "Takes more memory than the limit".to_owned(),
        kind if kind.starts_with("accepted") => "Accepts dumps that are to be refused".to_owned(),
        kind if kind.starts_with("right only when") => "Keeps something from one dump to the next".to_owned(),
        kind if kind.starts_with("passes") => "Passes, although a failure is expected".to_owned(),
        _ => {
            let facts = facts(kinds.into_iter().filter(|kind| !NO_FACTS.contains(kind)));
            format!("Gets {facts} wrong")
        }
    }
}

/// The first few facts, each once, and how many others there are.
fn facts<'f>(all: impl Iterator<Item = &'f str>) -> String {
    let mut facts: Vec<&str> = Vec::new();
    for fact in all {
        if !facts.contains(&fact) {
            facts.push(fact);
        }
    }
    let more = facts.len().saturating_sub(FACTS);
    facts.truncate(FACTS);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{more}", facts.join(", "))
}

/// Where a program ended; of a panic, what it says comes first.
fn crash(how: &str) -> String {
    match how.strip_prefix("panicked at ").and_then(|panic| panic.split_once(": ")) {
        Some((place, message)) if !message.is_empty() => format!("Panics: {message} ({place})"),
        _ => format!("Crashes ({how})"),
    }
}

/// The number of facts that are named.
const FACTS: usize = 3;

#[cfg(test)]
mod tests {
    use crate::check::causes::words::sentence;
    use crate::check::report::Symptom;

    #[test]
    fn sentence_begins_with_symptom() {
        let of = |what: &str| sentence(&[Symptom { what: what.to_owned(), cases: 2 }]);
        for (what, said) in [
            ("crash: panicked at src/a.rs:7:9: no such tag …", "Panics: no such tag … (src/a.rs:7:9)."),
            ("crash: java.io.EOFException at a.D.e(D.java:7)", "Crashes (java.io.EOFException at a.D.e(D.java:7))."),
            ("answer: breaks hprof.sub-record.tag", "Writes a dump that breaks hprof.sub-record.tag."),
            ("answer: line …: no JSON", "Gives an answer that cannot be read (line …: no JSON)."),
            ("class-name: wrong", "Gets class-name wrong."),
        ] {
            assert_eq!(of(what), said);
        }
    }
}
