//! Failures that are expected: known defects of an implementation, so that a run tells only what is new.

use std::collections::BTreeMap;
use std::path::Path;

use glob::Pattern;
use serde::{Deserialize, Serialize};

use crate::error::Error;

use super::report::{Expectation, Report};

/// The file: `[[expect]]` tables, each with the cases that fail for one reason.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExpectedFailures {
    /// The entries.
    #[serde(default)]
    pub expect: Vec<Entry>,
}

/// Cases that are expected to fail for one reason.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// Pattern of the label of the implementation; absent for all. `*`, `?` and `[...]` as in a shell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub implementation: Option<String>,
    /// Why they fail.
    pub reason: String,
    /// An issue, or a page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
    /// Patterns of rules: every case that keeps, breaks or shows such a rule.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<String>,
    /// Patterns of case ids.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cases: Vec<String>,
    /// Patterns of case ids that are none of them after all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub except: Vec<String>,
}

impl Entry {
    fn is_of(&self, label: &str) -> bool {
        self.implementation.as_ref().is_none_or(|pattern| matches(pattern, label))
    }

    fn has(&self, id: &str, rules: &[String]) -> bool {
        let by_case = self.cases.iter().any(|pattern| matches(pattern, id));
        let by_rule = self.rules.iter().any(|pattern| rules.iter().any(|rule| matches(pattern, rule)));
        (by_case || by_rule) && !self.except.iter().any(|pattern| matches(pattern, id))
    }
}

fn matches(pattern: &str, text: &str) -> bool {
    pattern == text || Pattern::new(pattern).is_ok_and(|pattern| pattern.matches(text))
}

/// What `--update-expected` writes where nobody has said why yet.
const NEW: &str = "not looked into yet";

impl Report {
    /// What is expected now is no failure of this run.
    pub fn expect(&mut self, expected: &ExpectedFailures) {
        for tested in &mut self.implementations {
            for result in &mut tested.results {
                let facts = self.cases.iter().find(|case| case.id == result.id);
                let rules = facts.map(|facts| facts.rules.as_slice()).unwrap_or_default();
                result.expected = expected.find(&tested.label, &result.id, rules);
            }
            tested.count();
        }
    }
}

impl ExpectedFailures {
    /// Reads a file.
    ///
    /// # Errors
    /// If it cannot be read, or is no such file.
    pub fn read(path: &Path) -> Result<ExpectedFailures, Error> {
        let text = std::fs::read_to_string(path).map_err(|e| Error::io(format!("reading {}", path.display()), e))?;
        let wrong = |e: &dyn std::fmt::Display| Error::Usage(format!("{}: {e}", path.display()));
        let read: ExpectedFailures = toml::from_str(&text).map_err(|e| wrong(&e))?;
        read.check().map_err(|e| wrong(&e))?;
        for entry in &read.expect {
            if entry.cases.is_empty() && entry.rules.is_empty() {
                return Err(wrong(&format!("the entry {:?} has neither cases nor rules", entry.reason)));
            }
        }
        Ok(read)
    }

    /// Whether every pattern is one.
    ///
    /// # Errors
    /// If a pattern is malformed.
    pub(super) fn check(&self) -> Result<(), Error> {
        for entry in &self.expect {
            for pattern in entry.cases.iter().chain(&entry.rules).chain(&entry.except).chain(&entry.implementation) {
                Pattern::new(pattern).map_err(|e| Error::Usage(format!("the pattern {pattern:?}: {e}")))?;
            }
        }
        Ok(())
    }

    /// Whether nothing is expected to fail.
    pub fn is_empty(&self) -> bool {
        self.expect.is_empty()
    }

    /// Why a case is expected to fail, if it is.
    pub fn find(&self, label: &str, id: &str, rules: &[String]) -> Option<Expectation> {
        let entry = self.expect.iter().find(|entry| entry.is_of(label) && entry.has(id, rules))?;
        Some(Expectation { reason: entry.reason.clone(), link: entry.link.clone() })
    }

    /// What would have had to be expected of a run: entries keep their reasons, cases that pass leave them, and new
    /// failures come in an entry of their own for each implementation. Of cases that were not run nothing changes.
    #[must_use]
    pub fn updated(&self, report: &Report) -> ExpectedFailures {
        let mut updated = self.for_each(report);
        let facts: BTreeMap<&str, &[String]> =
            report.cases.iter().map(|case| (case.id.as_str(), case.rules.as_slice())).collect();
        for tested in &report.implementations {
            let mut new = Entry {
                implementation: Some(Pattern::escape(&tested.label)),
                reason: NEW.to_owned(),
                ..Entry::default()
            };
            for result in tested.results.iter().filter(|result| result.is_unexpected()) {
                let rules = facts.get(result.id.as_str()).copied().unwrap_or_default();
                if result.outcome.is_failure() {
                    new.cases.push(Pattern::escape(&result.id));
                    continue;
                }
                for entry in updated.expect.iter_mut().filter(|entry| entry.is_of(&tested.label)) {
                    let exact = Pattern::escape(&result.id);
                    entry.cases.retain(|pattern| *pattern != exact && *pattern != result.id);
                    if entry.has(&result.id, rules) {
                        entry.except.push(exact);
                    }
                }
            }
            match updated
                .expect
                .iter_mut()
                .find(|entry| entry.reason == NEW && entry.implementation == new.implementation)
            {
                Some(entry) => entry.cases.append(&mut new.cases),
                None if !new.cases.is_empty() => updated.expect.push(new),
                None => {}
            }
        }
        for entry in &mut updated.expect {
            entry.cases.sort();
            entry.cases.dedup();
        }
        updated.expect.retain(|entry| !entry.cases.is_empty() || !entry.rules.is_empty());
        updated
    }

    /// The same entries; those that several of the report's implementations are meant by, and one of them passes, stand
    /// there for each.
    fn for_each(&self, report: &Report) -> ExpectedFailures {
        let mut expect = Vec::new();
        for entry in &self.expect {
            let meant: Vec<_> = report.implementations.iter().filter(|tested| entry.is_of(&tested.label)).collect();
            let passes = meant
                .iter()
                .any(|tested| tested.results.iter().any(|result| result.is_unexpected() && result.outcome.is_pass()));
            if meant.len() < 2 || !passes {
                expect.push(entry.clone());
                continue;
            }
            let one = |label: &str| Entry { implementation: Some(Pattern::escape(label)), ..entry.clone() };
            expect.extend(meant.iter().map(|tested| one(&tested.label)));
        }
        ExpectedFailures { expect }
    }

    /// The text of the file.
    pub fn text(&self) -> String {
        let head = "# Cases that are known to fail: `heapsmith check --expected THIS`. A case that is listed and passes fails the\n\
                    # run; `--update-expected` brings the list up to date.\n\n";
        format!("{head}{}", toml::to_string_pretty(self).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::super::report::{CaseFacts, CaseResult, Outcome, Tested};
    use super::*;

    fn result(id: &str, passes: bool, expected: &ExpectedFailures, rules: &[String]) -> CaseResult {
        let crash = Outcome::Crash { how: "ended by SIGSEGV".to_owned() };
        CaseResult {
            id: id.to_owned(),
            outcome: if passes { Outcome::Pass { reading: None } } else { crash },
            first: None,
            expected: expected.find("tool 1.0", id, rules),
            evidence: None,
            repeat: None,
        }
    }

    fn report(expected: &ExpectedFailures, cases: &[(&str, bool, &str)]) -> Report {
        let rules = |rule: &str| vec![rule.to_owned()];
        let mut tested = Tested { label: "tool 1.0".to_owned(), ..Tested::default() };
        tested.results = cases.iter().map(|(id, passes, rule)| result(id, *passes, expected, &rules(rule))).collect();
        let facts = |(id, _, rule): &(&str, bool, &str)| CaseFacts {
            id: (*id).to_owned(),
            rules: rules(rule),
            ..CaseFacts::default()
        };
        Report { cases: cases.iter().map(facts).collect(), implementations: vec![tested], ..Report::default() }
    }

    #[test]
    fn what_fails_as_expected_is_clean_and_what_passes_is_not() {
        let text = "[[expect]]\nimplementation = \"tool *\"\nreason = \"no ART\"\nrules = [\"hprof.android.*\"]\nexcept = [\"c\"]\n";
        let expected: ExpectedFailures = toml::from_str(text).expect("it is one");
        let android = "hprof.android.roots";
        assert!(report(&expected, &[("a", false, android), ("b", true, "x"), ("c", true, android)]).is_clean());
        assert!(!report(&expected, &[("a", true, android)]).is_clean(), "an unexpected pass");
        assert!(!report(&expected, &[("b", false, "x")]).is_clean(), "an unexpected failure");
        assert!(expected.find("other", "a", &[android.to_owned()]).is_none(), "another implementation");
    }

    #[test]
    fn an_update_makes_the_same_run_clean_and_changes_nothing_else() {
        let text =
            "[[expect]]\nreason = \"known\"\ncases = [\"a\", \"gone\", \"p*\"]\nlink = \"https://example.org/1\"\n";
        let expected: ExpectedFailures = toml::from_str(text).expect("it is one");
        let cases = [("a", true, "x"), ("b[1]", false, "x"), ("p1", true, "x"), ("p2", false, "x")];
        let updated = expected.updated(&report(&expected, &cases));
        assert_eq!(updated.expect[0].cases, ["gone", "p*"], "what was not run stays");
        assert_eq!(updated.expect[0].except, ["p1"]);
        assert_eq!(updated.expect[0].link.as_deref(), Some("https://example.org/1"));
        assert_eq!(updated.expect[1].reason, NEW);
        let again: ExpectedFailures = toml::from_str(&updated.text()).expect("what is written can be read");
        assert_eq!(again, updated);
        assert!(report(&updated, &cases).is_clean());
    }
}
