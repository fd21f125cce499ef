//! The file of expected failures after a run: new failures are appended, and what no longer applies is listed with its lines.

use std::collections::BTreeMap;

use glob::Pattern;
use serde::Deserialize;
use toml::Spanned;

use crate::check::expected::{ExpectedFailure, ExpectedFailures, ObservedResult, is_id};
use crate::check::report::{CheckReport, Disagreement, Outcome};
use heapsmith_core::error::Error;

/// The reason of new entries.
const NEW: &str = "not looked into yet";

const HEAD: &str = "\
# Failures that are known: `heapsmith check --expected THIS`. A failure that no entry describes fails the run, and so does
# a case that is listed by its id and passes; `--update-expected` appends new failures and names the lines to delete.

";

/// A file of expected failures after a run: its text only grows.
#[derive(Debug)]
pub struct ExpectedUpdate {
    /// The text of the file, and the entries of new failures below it.
    pub text: String,
    /// The entries of that text.
    pub expected: ExpectedFailures,
    /// Cases that entries list by their ids and that pass, or fail otherwise, in order of their lines. An entry of which this is so for
    /// all cases is one.
    pub outdated: Vec<OutdatedLine>,
    /// Entries that describe nothing of the run, which says something of a whole run alone.
    pub idle: Vec<OutdatedLine>,
}

/// A line of a file of expected failures that no longer applies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutdatedLine {
    /// Its number, from 1.
    pub line: usize,
    /// The entry or case that it begins, what was found, and what to do.
    pub message: String,
}

impl ExpectedUpdate {
    /// The file with `text` after a run. Failures that no entry describes are appended, in one entry for each implementation, verdict,
    /// fact and rule.
    ///
    /// # Errors
    /// If the text is no file of expected failures, or has its entries in a form to which none can be appended.
    pub fn after_run(text: &str, report: &CheckReport) -> Result<ExpectedUpdate, Error> {
        let old = ExpectedFailures::parse(text)?;
        let (outdated, idle) = outdated_lines(text, &old, report)?;
        let mut text = if text.trim().is_empty() { HEAD.to_owned() } else { text.to_owned() };
        let new = ExpectedFailures { expect: new_entries(&old, report) };
        if !new.is_empty() {
            while !text.ends_with("\n\n") {
                text.push('\n');
            }
            text += &toml::to_string_pretty(&new).map_err(|e| Error::Usage(format!("writing new entries: {e}")))?;
        }
        let expected = ExpectedFailures::parse(&text).map_err(|e| {
            Error::Usage(format!("no entries can be appended to it; write those that it has as [[expect]] tables: {e}"))
        })?;
        Ok(ExpectedUpdate { text, expected, outdated, idle })
    }
}

/// The failures that no entry describes: those of one implementation, verdict, fact and rule in one entry.
fn new_entries(expected: &ExpectedFailures, report: &CheckReport) -> Vec<ExpectedFailure> {
    let facts = report.rules_of_cases();
    let mut new: BTreeMap<_, Vec<String>> = BTreeMap::new();
    for tested in &report.implementations {
        for result in tested.results.iter().filter(|result| result.outcome().is_failure()) {
            let rules = facts.get(result.id.as_str()).copied().unwrap_or_default();
            let seen = ObservedResult::from_result(&tested.label, result, rules);
            if expected.expectation(seen).is_some() {
                continue;
            }
            let fact = match result.outcome() {
                Outcome::Fail { fact, .. } | Outcome::Disagree(Disagreement { fact, .. }) => Some(fact.as_str()),
                _ => None,
            };
            let alike = (tested.label.as_str(), result.outcome().name(), fact, seen.rule);
            new.entry(alike).or_default().push(Pattern::escape(&result.id));
        }
    }
    let list = |pattern: Option<&str>| pattern.map(Pattern::escape).into_iter().collect();
    let entry = |((label, verdict, fact, rule), cases)| ExpectedFailure {
        implementation: Some(Pattern::escape(label)),
        reason: NEW.to_owned(),
        verdicts: list(Some(verdict)),
        facts: list(fact),
        rules: list(rule),
        cases,
        ..ExpectedFailure::default()
    };
    new.into_iter().map(entry).collect()
}

/// The places of what entries say.
#[derive(Deserialize)]
struct FileSpans {
    #[serde(default)]
    expect: Vec<Spanned<EntrySpans>>,
}

#[derive(Deserialize)]
struct EntrySpans {
    #[serde(default)]
    cases: Vec<Spanned<String>>,
}

/// The lines that no longer apply: of cases that were run, and of entries that describe none.
fn outdated_lines(
    text: &str,
    expected: &ExpectedFailures,
    report: &CheckReport,
) -> Result<(Vec<OutdatedLine>, Vec<OutdatedLine>), Error> {
    let spans: FileSpans = toml::from_str(text).map_err(|e| Error::Usage(e.to_string()))?;
    let line = |start: usize| text[..start].matches('\n').count() + 1;
    let rules = report.rules_of_cases();
    let (mut outdated, mut idle) = (Vec::new(), Vec::new());
    for (entry, spans) in expected.expect.iter().zip(&spans.expect) {
        let (entry_line, reason) = (line(spans.span().start), &entry.reason);
        let cases = &spans.get_ref().cases;
        let results: Vec<ListedCase<'_>> =
            cases.iter().map(|pattern| ListedCase::find(pattern.get_ref(), entry, report, &rules)).collect();
        if !cases.is_empty() && results.iter().all(|case| !case.changed.is_empty() && case.unchanged.is_empty()) {
            let message = format!("no case of the entry {reason:?} fails as it says; delete the entry");
            outdated.push(OutdatedLine { line: entry_line, message });
            continue;
        }
        let before = outdated.len();
        for (pattern, case) in cases.iter().zip(results).filter(|(_, case)| !case.changed.is_empty()) {
            let todo = match case.unchanged.as_slice() {
                [] => format!("delete the case from the entry {reason:?}"),
                labels => format!("the entry {reason:?} still applies to {}; split it", labels.join(", ")),
            };
            let message = format!("{:?} {}; {todo}", pattern.get_ref(), case.changed.join(", "));
            outdated.push(OutdatedLine { line: line(pattern.span().start), message });
        }
        if outdated.len() == before && entry.is_idle(report, &rules) {
            let message = format!("no failure of this run is one that the entry {reason:?} describes");
            idle.push(OutdatedLine { line: entry_line, message });
        }
    }
    Ok((outdated, idle))
}

/// The results of a case that an entry lists by its id.
#[derive(Default)]
struct ListedCase<'r> {
    /// The implementations that fail it as expected, or were not asked.
    unchanged: Vec<&'r str>,
    /// The results of the others.
    changed: Vec<String>,
}

impl<'r> ListedCase<'r> {
    /// The results of the case that `pattern` is the id of; none where it is a pattern of many.
    fn find(
        pattern: &str,
        entry: &ExpectedFailure,
        report: &'r CheckReport,
        rules: &BTreeMap<&str, &[String]>,
    ) -> ListedCase<'r> {
        let mut case = ListedCase::default();
        for tested in report.implementations.iter().filter(|tested| entry.is_about(&tested.label)) {
            for result in tested.results.iter().filter(|result| is_id(pattern, &result.id)) {
                let rules = rules.get(result.id.as_str()).copied().unwrap_or_default();
                let is_expected = entry.expects(ObservedResult::from_result(&tested.label, result, rules));
                match result.outcome() {
                    outcome if outcome.is_pass() => case.changed.push(format!("passes ({})", tested.label)),
                    outcome if outcome.is_failure() && !is_expected => {
                        case.changed.push(format!("fails otherwise ({}: {})", tested.label, outcome.name()));
                    }
                    _ => case.unchanged.push(&tested.label),
                }
            }
        }
        case
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::expected::tests::report;
    use crate::check::report::CaseResult;

    fn crash() -> Outcome {
        Outcome::Crash { how: "ended by SIGSEGV".to_owned() }
    }

    fn fail(fact: &str) -> Outcome {
        let (expected, found) = ("1".to_owned(), "2".to_owned());
        Outcome::Fail { fact: fact.to_owned(), address: None, expected, found, count: 1 }
    }

    fn pass() -> Outcome {
        Outcome::Pass { reading: None }
    }

    fn lines(listed: &[OutdatedLine]) -> Vec<(usize, &str)> {
        listed.iter().map(|OutdatedLine { line, message }| (*line, message.as_str())).collect()
    }

    #[test]
    fn appends_new_failures_and_lists_cases_that_changed() {
        let text = "# Ours.\n\n\
            [[expect]]\n\
            reason = \"known\" # to us\n\
            verdicts = [\"crash\"]\n\
            cases = [\n    # passes now\n    \"a\",\n    \"gone\", # not run\n    \"other\",\n    \"p*\",\n]\n\n\
            # The last one.\n\
            [[expect]]\nreason = \"over\"\nverdicts = [\"crash\"]\ncases = [\"a\", \"other\"]";
        let cases = [
            ("a", pass(), "x"),
            ("b[1]", crash(), "x"),
            ("other", fail("elements"), "x"),
            ("p1", pass(), "x"),
            ("p2", crash(), "x"),
            ("q", crash(), "x"),
        ];
        let mut ran = report(&cases);
        let update = ExpectedUpdate::after_run(text, &ran).expect("it is one");
        let appended = "\n\n\
            [[expect]]\nimplementation = \"tool 1.0\"\nreason = \"not looked into yet\"\nverdicts = [\"crash\"]\n\
            cases = [\n    \"b[[]1[]]\",\n    \"q\",\n]\n\n\
            [[expect]]\nimplementation = \"tool 1.0\"\nreason = \"not looked into yet\"\nverdicts = [\"fail\"]\n\
            facts = [\"elements\"]\ncases = [\"other\"]\n";
        pretty_assertions::assert_eq!(update.text, format!("{text}{appended}"));
        assert_eq!(
            lines(&update.outdated),
            [
                (8, "\"a\" passes (tool 1.0); delete the case from the entry \"known\""),
                (10, "\"other\" fails otherwise (tool 1.0: fail); delete the case from the entry \"known\""),
                (15, "no case of the entry \"over\" fails as it says; delete the entry"),
            ]
        );
        ran.apply_expected(&update.expected);
        assert!(!ran.is_clean(), "a pass is unexpected until its line is deleted");
        let by_hand = update.text.replace("    \"a\",\n", "").replace("cases = [\"a\", \"other\"]", "cases = [\"z\"]");
        let again = ExpectedUpdate::after_run(&by_hand, &ran).expect("it is one");
        ran.apply_expected(&again.expected);
        assert!(ran.is_clean());
        assert_eq!(again.text, by_hand, "nothing is new");
    }

    #[test]
    fn names_implementations_to_which_entry_still_applies() {
        let text = "[[expect]]\nimplementation = \"tool *\"\nreason = \"known\"\nverdicts = [\"crash\"]\ncases = [\"a\", \"b\"]\n";
        let mut ran = report(&[("a", crash(), "x"), ("b", crash(), "x")]);
        let mut other = ran.implementations[0].clone();
        other.label = "tool 2.0".to_owned();
        other.results[0] = CaseResult::new("a", pass());
        ran.implementations.push(other);
        let update = ExpectedUpdate::after_run(text, &ran).expect("it is one");
        let split = "\"a\" passes (tool 2.0); the entry \"known\" still applies to tool 1.0; split it";
        assert_eq!((lines(&update.outdated), update.text.as_str()), (vec![(5, split)], text));
    }

    #[test]
    fn lists_idle_entries_apart() {
        let entry = |reason: &str, of: &str| {
            format!("[[expect]]\nreason = \"{reason}\"\n{of}verdicts = [\"hang\"]\ncases = [\"p*\"]\n")
        };
        let text = entry("one", "") + &entry("another's", "implementation = \"other\"\n");
        let update = ExpectedUpdate::after_run(&text, &report(&[("p1", pass(), "x")])).expect("it is one");
        let idle = "no failure of this run is one that the entry \"one\" describes";
        assert_eq!((lines(&update.outdated), lines(&update.idle)), (vec![], vec![(1, idle)]));
    }

    #[test]
    fn begins_new_file_with_its_purpose() {
        let update = ExpectedUpdate::after_run("", &report(&[("a", crash(), "x")])).expect("it is one");
        assert!(update.text.starts_with("# Failures that are known"), "{}", update.text);
        let none = ExpectedUpdate::after_run("", &report(&[("a", pass(), "x")])).expect("it is one");
        assert_eq!(none.text, HEAD);
    }

    #[test]
    fn refuses_file_to_which_no_table_can_be_appended() {
        let text = "expect = [{ reason = \"known\", verdicts = [\"crash\"], cases = [\"b\"] }]\n";
        let error = ExpectedUpdate::after_run(text, &report(&[("a", crash(), "x")])).expect_err("an array of its own");
        assert!(error.to_string().contains("as [[expect]] tables"), "{error}");
        ExpectedUpdate::after_run(text, &report(&[("b", crash(), "x")])).expect("nothing is new");
    }
}
