//! Causes of failures as text.

use std::collections::BTreeSet;

use crate::check::report::{CaseFacts, Cause, CausePair, CheckReport, Outcome, ShownResult, TestedImplementation};

use crate::command::terminal;

/// Lines for the causes of an implementation, unless all are asked for.
const MOST_LINES: usize = 20;

/// Columns of a line; terminals are at least as wide as people read.
const COLUMNS: usize = 100;

/// Characters of a sentence in a line, with room for an indent and for a sign that it goes on.
const WIDTH: usize = COLUMNS - 6;

/// Lines of a sentence.
const MOST_OF_SENTENCE: usize = 3;

/// The first causes that fail the run, in full if all of them have room, and how many there are besides.
pub(super) fn brief(report: &CheckReport, tested: &TestedImplementation) -> String {
    let causes: Vec<&Cause> = tested.causes.iter().filter(|cause| cause.unexpected > 0).collect();
    let in_full: Vec<String> = causes.iter().map(|cause| block(report, tested, cause, true)).collect();
    let (known, cases) = tested.known_counts();
    let room = MOST_LINES - usize::from(known > 0);
    let mut text = if in_full.iter().map(|block| line_count(block)).sum::<usize>() <= room {
        in_full.concat()
    } else if causes.iter().any(|cause| cause.pair.is_some()) {
        // Each cause has its condition and its pair before any has more.
        causes.iter().map(|cause| summary(tested, cause)).collect::<String>() + "--all shows each with its cases\n"
    } else {
        first_causes(&causes, room, |cause| block(report, tested, cause, false))
    };
    if known > 0 {
        let (known, cases) = (counted(known, "known cause"), counted(cases, "case"));
        text += &format!("{known}, {cases}, as expected (--all)\n");
    }
    text
}

/// A cause in a few lines: its condition, and its pair or the command that repeats it.
fn summary(tested: &TestedImplementation, cause: &Cause) -> String {
    let shown = match &cause.pair {
        Some(pair) => format!("  pair:     {}\n", terminal::single_line(&pair.line())),
        None => repeat_line(cause.repeat.as_deref()),
    };
    headline(tested, cause) + &shown
}

/// The first causes within the number of lines, one at least, and how many there are besides.
fn first_causes(causes: &[&Cause], room: usize, block: impl Fn(&Cause) -> String) -> String {
    let mut text = String::new();
    let mut used = 1;
    for (shown, cause) in causes.iter().enumerate() {
        let block = block(cause);
        used += line_count(&block);
        if shown > 0 && used > room {
            let cases: u64 = causes[shown..].iter().map(|cause| cause.all_failures()).sum();
            let more = counted(causes.len() - shown, "more cause");
            return format!("{text}and {more}, {}: --all\n", counted(cases as usize, "case"));
        }
        text += &block;
    }
    text
}

/// All causes, each with all its cases.
pub(super) fn full(report: &CheckReport, tested: &TestedImplementation) -> String {
    let mut text = String::new();
    for cause in &tested.causes {
        text += &headline(tested, cause);
        text += &cause.pair.as_ref().map(pair_lines).unwrap_or_default();
        let mut told = BTreeSet::new();
        for result in tested.results.iter().filter(|result| cause.cases.contains(&result.id)) {
            text += &case(report, tested, &result.shown_for_cause(cause), &mut told);
        }
    }
    text
}

/// A cause with the case that shows it; in full with what is expected and what was found.
fn block(report: &CheckReport, tested: &TestedImplementation, cause: &Cause, in_full: bool) -> String {
    let Some(example) = tested.example(cause).map(|example| example.shown_for_cause(cause)) else {
        return headline(tested, cause);
    };
    let size = report.cases.iter().find(|case| case.id == cause.example).map(|case| case.size);
    let size = size.map(|size| format!(" ({size} bytes)")).unwrap_or_default();
    let id = terminal::single_line(&cause.example);
    let mut text = headline(tested, cause);
    if in_full {
        text += &format!("  smallest: {id}{size}: {}\n", detail(&example));
        text += &validation_line(report, tested, &cause.example);
        text += &locations(&example);
    } else {
        let what = detail(&example);
        let what = what.lines().map(str::trim).collect::<Vec<_>>().join("; ");
        text += &format!("{}\n", shortened(&format!("  smallest: {id}{size}: {what}"), COLUMNS));
    }
    if matches!(*example.outcome, Outcome::AdapterError { .. }) {
        text += "  `heapsmith adapter test` finds out more\n";
    }
    text += &cause.pair.as_ref().map(pair_lines).unwrap_or_default();
    if let Some(dump) = &cause.reduced {
        text += &format!("  reduced:  {} ({})\n", terminal::single_line(&dump.file), dump.size());
    }
    text + &repeat_line(cause.repeat.as_deref())
}

/// The pair of dumps that shows a cause: the difference, what is wrong of the one that fails, and the files.
fn pair_lines(pair: &CausePair) -> String {
    let mut text = format!("  pair:     {}\n", terminal::single_line(&pair.line()));
    let wrong = pair.wrong.lines().map(str::trim).collect::<Vec<_>>().join("; ");
    text += &format!("  fails:    {}\n", terminal::single_line(&wrong));
    if let Some(files) = pair.files() {
        text += &format!("  dumps:    {}\n", terminal::single_line(&files));
    }
    text + &pair
        .repeat
        .as_ref()
        .map(|repeat| format!("  both:     {}\n", terminal::single_line(repeat)))
        .unwrap_or_default()
}

/// The verdict of `validate` on a dump about which implementations disagree.
fn validation_line(report: &CheckReport, tested: &TestedImplementation, id: &str) -> String {
    let case = report.cases.iter().find(|case| case.id == id).filter(|_| !tested.compared.is_empty());
    let line = |case: &CaseFacts| format!("  dump:     {}; {}", case.verdict, terminal::single_line(&case.summary));
    case.map(|case| format!("{}\n", shortened(&line(case), COLUMNS))).unwrap_or_default()
}

/// The verdict of a cause, its number of cases, and its sentence.
fn headline(tested: &TestedImplementation, cause: &Cause) -> String {
    let verdict = tested.example(cause).map_or("fail", |example| match example.outcome() {
        outcome if outcome.is_pass() => "unexpected pass",
        outcome => outcome.name(),
    });
    let word = if cause.unexpected > 0 { verdict.to_owned() } else { format!("{verdict}, as expected") };
    let text = wrapped(&format!("{word}, {}: {}", cause.count(), terminal::single_line(&cause.sentence)));
    // Colours take no room, so they come after the wrapping.
    match text.strip_prefix(verdict) {
        Some(rest) if cause.unexpected > 0 => format!("{}{rest}\n", terminal::bad(verdict)),
        _ => format!("{text}\n"),
    }
}

/// A case of a cause: what happened, and where. The lines after the first one of a message, such as a stack, are shown once.
fn case(
    report: &CheckReport,
    tested: &TestedImplementation,
    shown: &ShownResult<'_>,
    told: &mut BTreeSet<String>,
) -> String {
    let result = shown.result;
    let size = report.cases.iter().find(|case| case.id == result.id).map(|case| case.size);
    let size = size.map(|size| format!(" ({size} bytes)")).unwrap_or_default();
    let head = format!("  {}{size}: ", terminal::single_line(&result.id));
    match &result.expected {
        Some(expected) if !result.is_unexpected() => {
            format!("{head}expected: {}\n", terminal::single_line(&expected.reason))
        }
        _ => {
            let validated = validation_line(report, tested, &result.id);
            let mut what = detail(shown);
            if let Some((first, rest)) = what.split_once("\n    ").filter(|_| has_message(shown))
                && !told.insert(rest.to_owned())
            {
                what = format!("{first} (the rest as above)");
            }
            format!("{head}{what}\n") + &validated + &locations(shown) + &repeat_line(result.repeat.as_deref())
        }
    }
}

/// The outcome of a case in words. A line of a message from elsewhere does not begin like one of ours.
fn detail(shown: &ShownResult<'_>) -> String {
    match (&*shown.outcome, &shown.result.expected) {
        (outcome, Some(expected)) if outcome.is_pass() => {
            format!("it passes, and was expected to fail: {}", terminal::single_line(&expected.reason))
        }
        (outcome, _) if !has_message(shown) => outcome.detail(),
        (outcome, _) => outcome.detail().replace('\n', "\n    "),
    }
}

/// Whether the text comes from the program that was asked.
fn has_message(shown: &ShownResult<'_>) -> bool {
    !matches!(*shown.outcome, Outcome::Fail { .. } | Outcome::Disagree(_))
}

/// The first outcome of a case that was asked again, its other differences, and their place in the dump.
fn locations(shown: &ShownResult<'_>) -> String {
    let (result, mut text) = (shown.result, String::new());
    if let Some(first) = &result.first {
        let detail = first.detail().replace('\n', " ");
        let colon = if detail.is_empty() { "" } else { ": " };
        text += &format!("  at first: {}{colon}{detail}\n", first.name());
    }
    for line in shown.other_fact_lines() {
        text += &format!("  {}\n", shortened(&terminal::single_line(&line), COLUMNS - 2));
    }
    if let Some(evidence) = result.evidence.as_ref().filter(|evidence| !evidence.fields.is_empty()) {
        let record = evidence.record.map(|record| format!(", record {record}")).unwrap_or_default();
        let wrong: Vec<String> =
            evidence.fields.iter().filter(|field| field.wrong).take(4).map(|field| field.bytes.clone()).collect();
        let bytes = if wrong.is_empty() { String::new() } else { format!(": {}", wrong.join(" ")) };
        text += &format!("  bytes:    offset {:#x}{record}{}\n", evidence.offset, terminal::single_line(&bytes));
    }
    if let Some(rule) = result.evidence.as_ref().and_then(|evidence| evidence.rule.as_ref()) {
        text += &format!("  rule:     {}\n", terminal::single_line(rule));
    }
    text
}

fn repeat_line(command: Option<&str>) -> String {
    command.map(|command| format!("  repeat:   {}\n", terminal::single_line(command))).unwrap_or_default()
}

/// A number of things.
fn counted(number: usize, what: &str) -> String {
    if number == 1 { format!("1 {what}") } else { format!("{number} {what}s") }
}

/// The number of lines that a text takes; those that are longer than the terminal is wide take several.
fn line_count(text: &str) -> usize {
    text.lines().map(|line| line.chars().count().div_ceil(COLUMNS).max(1)).sum()
}

/// A line that is not longer than this.
fn shortened(line: &str, most: usize) -> String {
    match line.char_indices().nth(most) {
        Some(_) => line.chars().take(most - 1).chain(['…']).collect(),
        None => line.to_owned(),
    }
}

/// A sentence in a few lines.
fn wrapped(text: &str) -> String {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let last = lines.last_mut().map_or(0, |line| line.chars().count());
        if last > 0 && last + 1 + word.chars().count() > WIDTH {
            lines.push(String::new());
        }
        if let Some(line) = lines.last_mut() {
            let blank = if line.is_empty() { "" } else { " " };
            *line = shortened(&format!("{line}{blank}{word}"), WIDTH);
        }
    }
    if lines.len() > MOST_OF_SENTENCE {
        lines.truncate(MOST_OF_SENTENCE);
        lines.last_mut().map(|line| line.push_str(" …")).unwrap_or_default();
    }
    lines.join("\n    ")
}

#[cfg(test)]
mod tests {
    use crate::check::CaseResult;

    use super::*;

    #[test]
    fn a_sentence_is_wrapped_and_cut() {
        assert_eq!(wrapped("two words"), "two words");
        let long = ["eleven long"; 40].join(" ");
        let text = wrapped(&long);
        assert_eq!(text.lines().count(), 3);
        assert!(text.ends_with(" …") && text.lines().all(|line| line.chars().count() <= COLUMNS));
        assert!(wrapped(&"x".repeat(500)).ends_with('…'));
    }

    #[test]
    fn limits_causes_to_twenty_lines_and_counts_the_rest() {
        let cause = |n: usize| Cause {
            sentence: format!("Tells other hash {n}."),
            unexpected: if n < 30 { 1 } else { 0 },
            cases: vec![n.to_string(), format!("{n}b")],
            repeat: Some("heapsmith check".to_owned()),
            ..Cause::default()
        };
        let tested = TestedImplementation { causes: (0..31).map(cause).collect(), ..TestedImplementation::default() };
        let text = brief(&CheckReport::default(), &tested);
        assert!(text.lines().count() <= 20, "{text}");
        assert!(text.contains("more causes, ") && text.contains(" cases: --all\n"), "{text}");
        assert!(text.ends_with("1 known cause, 2 cases, as expected (--all)\n"), "{text}");
    }

    #[test]
    fn a_stack_is_shown_once() {
        let crash =
            |id: &str, first: &str| CaseResult::new(id, Outcome::Crash { how: format!("{first}\nat one\nat two") });
        let results = vec![crash("a", "index 5"), crash("b", "index 7")];
        let cause = Cause { cases: vec!["a".to_owned(), "b".to_owned()], unexpected: 2, ..Cause::default() };
        let tested = TestedImplementation { causes: vec![cause], results, ..TestedImplementation::default() };
        let text = full(&CheckReport::default(), &tested);
        assert_eq!((text.matches("at one").count(), text.matches("at two").count()), (1, 1), "{text}");
        assert!(text.contains("  b: index 7 (the rest as above)\n"), "{text}");
    }

    #[test]
    fn counts_long_line_as_several() {
        assert_eq!((line_count("a\nb\n"), line_count(&"x".repeat(201)), line_count("\n")), (2, 3, 1));
    }
}
