//! Expected failures: known defects of an implementation, which do not fail a run.

mod update;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

use glob::Pattern;
use serde::{Deserialize, Serialize};

use crate::check::causes::list_causes;
use crate::check::report::{CaseResult, CheckReport, Disagreement, Expectation, Outcome, Suspect};
use crate::check::sources::{parse_random_id, random_id};
use crate::check::task::CaseChoice;
use heapsmith_core::error::{Error, did_you_mean};
use heapsmith_core::input::{LONGEST_TEXT, read_text};

pub use update::{ExpectedUpdate, OutdatedLine};

/// A file of expected failures, in TOML: `[[expect]]` tables.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct ExpectedFailures {
    /// The entries.
    #[serde(default)]
    pub expect: Vec<ExpectedFailure>,
}

/// Failures with one reason. In patterns, `*`, `?` and `[...]` are as in a shell. A failure has to match a pattern of
/// each list; an empty list matches everything.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct ExpectedFailure {
    /// Pattern of the label of the implementation; absent for all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub implementation: Option<String>,
    /// The reason.
    pub reason: String,
    /// An issue, or a page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
    /// Patterns of verdicts: `fail`, `wrong-verdict`, `crash`, `hang`, `out-of-memory`, `adapter-error`, `pass-alone`, `disagree`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub verdicts: Vec<String>,
    /// Patterns of the wrong fact where the verdict is `fail`, or of the disputed fact where it is `disagree`: a facet,
    /// a count, or `answer`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub facts: Vec<String>,
    /// Patterns of rules: that which the evidence names or, where it names none, those that the case keeps, breaks or
    /// shows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<String>,
    /// Patterns of the failure's detail in the report.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub details: Vec<String>,
    /// Case ids, or patterns of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cases: Vec<String>,
    /// Patterns of case ids that are excepted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub except: Vec<String>,
}

/// A result, to be matched with expected failures.
#[derive(Clone, Copy, Debug)]
pub(super) struct ObservedResult<'r> {
    /// The label of the implementation.
    pub(super) label: &'r str,
    /// Case id.
    pub(super) id: &'r str,
    /// Its outcome.
    pub(super) outcome: &'r Outcome,
    /// The rule that the evidence names.
    pub(super) rule: Option<&'r str>,
    /// The suspects. The one that the report names can depend on the other cases of a run.
    pub(super) suspects: &'r [Suspect],
    /// The rules of the case.
    pub(super) rules: &'r [String],
}

impl<'r> ObservedResult<'r> {
    pub(super) fn from_result(label: &'r str, result: &'r CaseResult, rules: &'r [String]) -> ObservedResult<'r> {
        let rule = result.evidence.as_ref().and_then(|evidence| evidence.rule.as_deref());
        ObservedResult { label, id: &result.id, outcome: result.outcome(), rule, suspects: &result.suspects, rules }
    }
}

impl ExpectedFailure {
    /// Whether it expects this result, if that is a failure. A pass it expects to be one where it has the case's id.
    fn expects(&self, seen: ObservedResult<'_>) -> bool {
        if !self.is_about(seen.label) || matches_any(&self.except, seen.id) {
            return false;
        }
        match seen.outcome {
            outcome if outcome.is_failure() => self.describes(seen),
            outcome if outcome.is_pass() => self.lists_id(seen.id),
            _ => false,
        }
    }

    fn describes(&self, seen: ObservedResult<'_>) -> bool {
        let fact = match seen.outcome {
            Outcome::Fail { fact, .. } | Outcome::Disagree(Disagreement { fact, .. }) => fact,
            _ => "",
        };
        let is_open = |patterns: &[String], text: &str| patterns.is_empty() || matches_any(patterns, text);
        is_open(&self.verdicts, seen.outcome.name())
            && is_open(&self.facts, fact)
            && is_open(&self.cases, seen.id)
            && is_open(&self.details, &seen.outcome.detail())
            && (self.rules.is_empty()
                || seen.suspects.iter().any(|suspect| matches_any(&self.rules, &suspect.rule))
                || match seen.rule {
                    Some(rule) => matches_any(&self.rules, rule),
                    None => seen.rules.iter().any(|rule| matches_any(&self.rules, rule)),
                })
    }

    /// Whether it means the implementation of this label.
    fn is_about(&self, label: &str) -> bool {
        self.implementation.as_ref().is_none_or(|pattern| matches(pattern, label))
    }

    /// Whether it means an implementation of the report and matches no result.
    fn is_idle(&self, report: &CheckReport, rules: &BTreeMap<&str, &[String]>) -> bool {
        let mut meant = report.implementations.iter().filter(|tested| self.is_about(&tested.label)).peekable();
        meant.peek().is_some()
            && !meant.any(|tested| {
                tested.results.iter().any(|result| {
                    let rules = rules.get(result.id.as_str()).copied().unwrap_or_default();
                    self.expects(ObservedResult::from_result(&tested.label, result, rules))
                })
            })
    }

    /// Whether a case is listed by its id, and not by a pattern.
    fn lists_id(&self, id: &str) -> bool {
        self.cases.iter().any(|pattern| is_id(pattern, id))
    }

    fn patterns(&self) -> impl Iterator<Item = &String> {
        let lists = [&self.verdicts, &self.facts, &self.rules, &self.details, &self.cases, &self.except];
        lists.into_iter().flatten().chain(&self.implementation)
    }
}

/// Whether a pattern is this id, and no pattern of many.
fn is_id(pattern: &str, id: &str) -> bool {
    !pattern.contains(['*', '?']) && matches(pattern, id)
}

fn matches_any(patterns: &[String], text: &str) -> bool {
    patterns.iter().any(|pattern| matches(pattern, text))
}

fn matches(pattern: &str, text: &str) -> bool {
    pattern == text || Pattern::new(pattern).is_ok_and(|pattern| pattern.matches(text))
}

impl CheckReport {
    /// Applies expected failures anew: what they describe does not fail the run.
    pub fn apply_expected(&mut self, expected: &ExpectedFailures) {
        let rules: HashMap<&str, &[String]> = self.cases.iter().map(|case| (&*case.id, &case.rules[..])).collect();
        for tested in &mut self.implementations {
            for result in &mut tested.results {
                let rules = rules.get(&*result.id).copied().unwrap_or_default();
                result.expected = expected.expectation(ObservedResult::from_result(&tested.label, result, rules));
            }
            tested.count();
        }
        list_causes(self);
    }
}

impl ExpectedFailures {
    /// Reads a file.
    ///
    /// # Errors
    /// If it cannot be read, or is no such file.
    pub fn read(path: &Path) -> Result<ExpectedFailures, Error> {
        let text = read_text(path, LONGEST_TEXT)?;
        ExpectedFailures::parse(&text).map_err(|e| Error::Usage(format!("{}: {e}", path.display())))
    }

    fn parse(text: &str) -> Result<ExpectedFailures, Error> {
        toml::from_str::<ExpectedFailures>(text).map_err(|e| Error::Usage(e.to_string()))?.checked()
    }

    /// Reads expected failures of JSON: an object with the keys of the file.
    ///
    /// # Errors
    /// If it is none.
    pub fn from_json(text: &str) -> Result<ExpectedFailures, Error> {
        let read: ExpectedFailures =
            serde_json::from_str(text).map_err(|e| Error::Usage(format!("expected failures: {e}")))?;
        read.checked()
    }

    fn checked(self) -> Result<ExpectedFailures, Error> {
        self.check()?;
        for entry in &self.expect {
            let lacks = match (entry.verdicts.is_empty(), entry.cases.is_empty() && entry.rules.is_empty()) {
                (_, true) => "neither cases nor rules",
                (true, _) => "no verdicts; [\"fail\"] is the verdict of wrong facts, [\"*\"] is any",
                _ => continue,
            };
            return Err(Error::Usage(format!("the entry {:?} has {lacks}", entry.reason)));
        }
        Ok(self)
    }

    /// Checks that every pattern is one, and verdicts are.
    ///
    /// # Errors
    /// If a pattern is malformed, or matches no verdict.
    pub(super) fn check(&self) -> Result<(), Error> {
        for pattern in self.expect.iter().flat_map(ExpectedFailure::patterns) {
            Pattern::new(pattern).map_err(|e| Error::Usage(format!("the pattern {pattern:?}: {e}")))?;
        }
        for pattern in self.expect.iter().flat_map(|entry| &entry.verdicts) {
            let known = || Outcome::NAMES.into_iter().chain(Outcome::AMONG);
            if !known().any(|name| matches(pattern, name)) {
                let known = known().collect::<Vec<_>>().join(", ");
                return Err(Error::Usage(format!("the verdict {pattern:?} does not exist; expected one of {known}")));
            }
        }
        Ok(())
    }

    /// Checks that there are the cases that entries name: those of the corpus, and random ones as far as the choice makes them.
    ///
    /// # Errors
    /// If a case is named that does not exist, or a pattern matches none; or a recipe fails, which would be a defect.
    #[doc(hidden)]
    pub fn check_cases(&self, corpus: &BTreeSet<String>, choice: &CaseChoice) -> Result<(), Error> {
        for entry in &self.expect {
            for pattern in entry.cases.iter().chain(&entry.except) {
                // What was to be done follows the id.
                let case = pattern.split(':').next().unwrap_or_default();
                let is_known = corpus.iter().any(|id| matches(case, id) || Pattern::escape(id) == case);
                let wrong = |why: &str| {
                    let reason = &entry.reason;
                    Error::Usage(format!("the expected failure {reason:?} has the case {pattern:?}: {why}"))
                };
                if !is_known && !case.starts_with("random-") && !case.starts_with('*') {
                    let near = did_you_mean(case, corpus.iter().map(String::as_str));
                    return Err(wrong(&format!("there is none; `heapsmith corpus list` prints the ids{near}")));
                }
                if let Some((seed, number)) = parse_random_id(case)
                    && (seed, number < choice.random) == (choice.seed, true)
                {
                    let id = random_id(seed, number, &choice.families())?;
                    if id != case {
                        return Err(wrong(&format!("the dump of that seed and number is {id}")));
                    }
                }
            }
        }
        Ok(())
    }

    /// Whether nothing is expected to fail.
    pub fn is_empty(&self) -> bool {
        self.expect.is_empty()
    }

    /// The expectation that a result should fail, if there is one.
    pub(super) fn expectation(&self, seen: ObservedResult<'_>) -> Option<Expectation> {
        let entry = self.expect.iter().find(|entry| entry.expects(seen))?;
        Some(Expectation { reason: entry.reason.clone(), link: entry.link.clone() })
    }

    /// The reasons of entries for an implementation of the report that match no result. They are out of date, or their
    /// cases were not run.
    pub fn unused_reasons(&self, report: &CheckReport) -> Vec<&str> {
        let rules = report.rules_of_cases();
        let idle = self.expect.iter().filter(|entry| entry.is_idle(report, &rules));
        idle.map(|entry| entry.reason.as_str()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::report::CaseFacts;
    use crate::check::report::TestedImplementation;

    fn fail(fact: &str) -> Outcome {
        let (expected, found) = ("1".to_owned(), "2".to_owned());
        Outcome::Fail { fact: fact.to_owned(), address: None, expected, found, count: 1 }
    }

    fn crash(how: &str) -> Outcome {
        Outcome::Crash { how: how.to_owned() }
    }

    fn pass() -> Outcome {
        Outcome::Pass { reading: None }
    }

    pub(super) fn report(cases: &[(&str, Outcome, &str)]) -> CheckReport {
        let results = cases.iter().map(|(id, outcome, _)| CaseResult::new(*id, outcome.clone()));
        let facts = |(id, _, rule): &(&str, Outcome, &str)| CaseFacts {
            id: (*id).to_owned(),
            rules: vec![(*rule).to_owned()],
            ..CaseFacts::default()
        };
        let tested = TestedImplementation {
            label: "tool 1.0".to_owned(),
            results: results.collect(),
            ..TestedImplementation::default()
        };
        CheckReport {
            cases: cases.iter().map(facts).collect(),
            implementations: vec![tested],
            ..CheckReport::default()
        }
    }

    /// Whether a run is clean that has one result.
    fn is_clean(entry: &str, id: &str, outcome: Outcome, rule: &str) -> bool {
        let text = format!("[[expect]]\nreason = \"known\"\n{entry}");
        let expected = ExpectedFailures::parse(&text).expect("it is one");
        let mut report = report(&[(id, outcome, rule)]);
        report.apply_expected(&expected);
        report.is_clean()
    }

    #[test]
    fn fails_run_when_expected_failure_changes() {
        let entry = "verdicts = [\"fail\"]\nfacts = [\"class-*\"]\ncases = [\"a\", \"b*\"]";
        assert!(is_clean(entry, "a", fail("class-name"), "x"));
        assert!(is_clean(entry, "bc", fail("class-name"), "x"));
        assert!(!is_clean(entry, "a", fail("elements"), "x"), "another fact");
        assert!(!is_clean(entry, "a", crash("SIGSEGV"), "x"), "another verdict");
        assert!(!is_clean(entry, "c", fail("class-name"), "x"), "another case");
        let entry = "verdicts = [\"crash\"]\ndetails = [\"*constant pool*\"]\nrules = [\"hprof.class.*\"]";
        assert!(is_clean(entry, "a", crash("at the constant pool"), "hprof.class.values"));
        assert!(!is_clean(entry, "a", crash("at a field"), "hprof.class.values"), "other words");
        assert!(!is_clean(entry, "a", crash("at the constant pool"), "hprof.text.unknown"), "another rule");
        let entry = "implementation = \"other *\"\nverdicts = [\"*\"]\ncases = [\"*\"]";
        assert!(!is_clean(entry, "a", crash(""), "x"), "another implementation");
    }

    #[test]
    fn fails_run_on_unexpected_pass_of_listed_id_but_not_pattern() {
        let entry = "verdicts = [\"*\"]\ncases = [\"a\", \"b[[]1]\", \"p*\"]\nexcept = [\"pq\"]";
        assert!(!is_clean(entry, "a", pass(), "x"));
        assert!(!is_clean(entry, "b[1]", pass(), "x"));
        assert!(is_clean(entry, "p1", pass(), "x"));
        assert!(is_clean(entry, "p1", crash(""), "x"));
        assert!(!is_clean(entry, "pq", crash(""), "x"), "an exception");
        assert!(is_clean(entry, "a", Outcome::skip("", None), "x"), "not asked");
    }

    #[test]
    fn the_document_has_every_key_and_its_example_is_a_file() {
        let document = include_str!("../../../../../docs/expected-failures.md");
        let (_, example) = document.split_once("```toml\n").expect("an example");
        let (example, _) = example.split_once("```").expect("its end");
        let entry = ExpectedFailures::parse(example).expect("a file").expect.swap_remove(0);
        // Every field of the structure is a row: this is an error where one is new.
        let ExpectedFailure { implementation, reason: _, link, verdicts, facts, rules, details, cases, except } = entry;
        assert!(
            implementation.is_some() && link.is_some() && facts.is_empty() && rules.is_empty() && except.is_empty()
        );
        assert!(matches(&verdicts[0], "crash") && matches(&details[0], "a constant pool") && cases.len() == 3);
        let rows: Vec<&str> = document.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next()).collect();
        let keys = ["implementation", "reason", "link", "verdicts", "facts", "rules", "details", "cases", "except"];
        assert_eq!(rows, keys);
    }

    #[test]
    fn refuses_ambiguous_expected_failures_file() {
        for (entry, why) in [
            ("verdicts = [\"fail\"]", "neither cases nor rules"),
            ("cases = [\"a\"]", "no verdicts"),
            ("cases = [\"a\"]\nverdicts = [\"failed\"]", "the verdict \"failed\" does not exist"),
            ("cases = [\"a[\"]\nverdicts = [\"fail\"]", "the pattern \"a[\""),
            ("cases = [\"a\"]\nverdict = [\"fail\"]", "unknown field `verdict`"),
        ] {
            let found = ExpectedFailures::parse(&format!("[[expect]]\nreason = \"known\"\n{entry}"));
            let found = found.expect_err(entry).to_string();
            assert!(found.contains(why), "{entry}: {found}");
        }
    }

    #[test]
    fn reports_idle_entries() {
        let text = "[[expect]]\nreason = \"one\"\nverdicts = [\"crash\"]\ncases = [\"p*\"]\n\
            [[expect]]\nreason = \"two\"\nverdicts = [\"hang\"]\ncases = [\"p*\"]\n\
            [[expect]]\nreason = \"other\"\nimplementation = \"other\"\nverdicts = [\"hang\"]\ncases = [\"p*\"]\n";
        let expected = ExpectedFailures::parse(text).expect("it is one");
        assert_eq!(expected.unused_reasons(&report(&[("p1", crash(""), "x"), ("p2", pass(), "x")])), ["two"]);
    }
}
