//! Parts that all written forms share: the overall result, the example of a cause, and texts that are cut.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use crate::check::report::symptom::other_fact;
use crate::check::report::{
    CaseFacts, CaseResult, Cause, CheckReport, Compared, Disagreement, Expectation, OtherFact, Outcome, Symptom,
    TestedImplementation,
};

/// The cases of a report by id.
pub(super) type CasesById<'a> = BTreeMap<&'a str, &'a CaseFacts>;

/// The cases of a report by id.
pub(super) fn cases_by_id(report: &CheckReport) -> CasesById<'_> {
    report.cases.iter().map(|case| (case.id.as_str(), case)).collect()
}

/// The verdict in place of a pass that was expected to fail.
pub(super) const UNEXPECTED_PASS: &str = "unexpected-pass";

/// The most facts in a line.
const MOST_FACTS: usize = 8;

/// The overall result of a report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OverallResult {
    /// Results that fail the run.
    pub unexpected: u64,
    /// The number of their causes.
    pub causes: usize,
    /// Implementations with failures that are expected.
    pub known: usize,
    /// All implementations.
    pub implementations: usize,
    /// Whether implementations were compared with each other.
    pub among: bool,
}

impl CheckReport {
    /// The number of cases in words, and the number of dumps where some are converted or written as well.
    pub(super) fn size(&self) -> String {
        if let Some(campaign) = &self.chosen.campaign {
            return format!("{} cases of a campaign", campaign.cases);
        }
        let dumps: BTreeSet<&str> = self.cases.iter().filter_map(|case| case.id.split(':').next()).collect();
        match (self.cases.len(), dumps.len()) {
            (cases, dumps) if cases == dumps => format!("{cases} cases"),
            (cases, dumps) => format!("{cases} cases of {dumps} dumps"),
        }
    }

    /// The overall result.
    pub fn overall(&self) -> OverallResult {
        let results = self.implementations.iter().flat_map(|tested| &tested.results);
        let causes = self.implementations.iter().flat_map(|tested| &tested.causes);
        OverallResult {
            unexpected: match &self.chosen.campaign {
                Some(campaign) => campaign.unexpected,
                None => results.filter(|result| result.is_unexpected()).count() as u64,
            },
            causes: causes.filter(|cause| cause.unexpected > 0).count(),
            known: self.implementations.iter().filter(|tested| tested.expectations.failed > 0).count(),
            implementations: self.implementations.len(),
            among: self.implementations.iter().any(|tested| !tested.compared.is_empty()),
        }
    }
}

impl fmt::Display for OverallResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let OverallResult { unexpected, causes, known, implementations, among } = *self;
        match (unexpected, known) {
            (0, 0) if among => f.write_str("no disagreements")?,
            (results, _) if among => {
                write!(f, "{} unexpected, {}", pluralize(results, "disagreement"), pluralize(causes as u64, "cause"))?;
            }
            (0, 0) => f.write_str("no failures")?,
            (0, _) => f.write_str("0 regressions")?,
            (results, _) => {
                write!(f, "{}, {}", pluralize(results, "unexpected result"), pluralize(causes as u64, "cause"))?;
            }
        }
        match (known, implementations) {
            (0, _) => Ok(()),
            _ if among => f.write_str("; others are known"),
            (1, 1) => f.write_str("; the implementation has known defects"),
            (1, all) => write!(f, "; 1 of {all} implementations has known defects"),
            (known, all) => write!(f, "; {known} of {all} implementations have known defects"),
        }
    }
}

impl TestedImplementation {
    /// The result that shows a cause: that of its case with the smallest dump.
    pub fn example(&self, cause: &Cause) -> Option<&CaseResult> {
        self.results.iter().find(|result| result.id == cause.example)
    }

    /// The reasons for which cases of a cause are expected to fail, with the number of cases: the commonest first.
    pub fn reasons(&self, cause: &Cause) -> Vec<(&Expectation, usize)> {
        let ids: BTreeSet<&str> = cause.cases.iter().map(String::as_str).collect();
        let mut counts: BTreeMap<(&str, Option<&str>), (&Expectation, usize)> = BTreeMap::new();
        for result in self.results.iter().filter(|result| ids.contains(result.id.as_str())) {
            if let Some(reason) = &result.expected {
                counts.entry((&reason.reason, reason.link.as_deref())).or_insert((reason, 0)).1 += 1;
            }
        }
        let mut reasons: Vec<_> = counts.into_values().collect();
        reasons.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        reasons
    }

    /// The number of causes with expected failures only, and the number of their cases.
    pub fn known_counts(&self) -> (usize, usize) {
        let known = self.causes.iter().filter(|cause| cause.unexpected == 0);
        let cases: BTreeSet<&String> = known.clone().flat_map(|cause| &cause.cases).collect();
        (known.count(), cases.len())
    }
}

impl Compared {
    /// The number of its replies by kind, in words.
    pub fn words(&self) -> String {
        let counts: Vec<String> =
            self.said.iter().filter(|(_, count)| **count > 0).map(|(kind, count)| format!("{kind} {count}")).collect();
        if counts.is_empty() { "not asked".to_owned() } else { counts.join(", ") }
    }
}

impl Cause {
    /// The number of its cases in words, and the number of expected ones, where only some are.
    pub fn count(&self) -> String {
        let cases = self.cases.len() as u64;
        let told = pluralize(self.all_failures(), "case");
        match cases.saturating_sub(self.unexpected) {
            expected if expected > 0 && self.unexpected > 0 => format!("{told}, {expected} of them expected"),
            _ => told,
        }
    }

    /// Whether this is the same mistake as another one, seen in another operation or in another part of the cases.
    pub(in crate::check) fn is_of_the_same_mistake(&self, other: &Cause) -> bool {
        (self.explained, &self.sentence, &self.rule) == (other.explained, &other.sentence, &other.rule)
    }

    /// Adds the cases of the same mistake.
    pub(in crate::check) fn add(&mut self, other: Cause) {
        for Symptom { what, cases } in other.symptoms {
            match self.symptoms.iter_mut().find(|symptom| symptom.what == what) {
                Some(symptom) => symptom.cases += cases,
                None => self.symptoms.push(Symptom { what, cases }),
            }
        }
        self.unexpected += other.unexpected;
        self.failures = self.failures.zip(other.failures).map(|(one, other)| one + other);
        let cases: BTreeSet<String> = self.cases.drain(..).chain(other.cases).collect();
        self.cases = cases.into_iter().collect();
    }

    /// The number of failures, of which the report may have only some.
    pub fn all_failures(&self) -> u64 {
        self.failures.unwrap_or(self.cases.len() as u64)
    }

    /// The cases besides the example.
    pub(super) fn other_cases(&self) -> impl Iterator<Item = &str> {
        self.cases.iter().map(String::as_str).filter(|id| *id != self.example)
    }
}

/// A result as a cause shows it: with a fact of this cause in the place of the verdict's, if that is a fact of another.
#[derive(Clone, Debug)]
pub struct ShownResult<'r> {
    /// The result, with its verdict.
    pub result: &'r CaseResult,
    /// The outcome to show.
    pub outcome: Cow<'r, Outcome>,
    /// The other wrong facts.
    others: Cow<'r, [OtherFact]>,
}

impl ShownResult<'_> {
    /// Lines about the other wrong facts, as of the result itself.
    pub fn other_fact_lines(&self) -> Vec<String> {
        other_fact_lines(&self.others, &self.result.disagreements)
    }
}

impl CaseResult {
    /// The result as a cause shows it.
    pub fn shown_for_cause(&self, cause: &Cause) -> ShownResult<'_> {
        let (mut outcome, mut others) = (Cow::Borrowed(self.outcome()), Cow::Borrowed(&*self.others));
        if let (Some(at), Outcome::Fail { fact, address, expected, found, count }) =
            (other_fact(self, &cause.symptoms), self.outcome().clone())
        {
            let first = OtherFact { fact, address, expected, found, count, follows: None };
            let OtherFact { fact, address, expected, found, count, .. } =
                std::mem::replace(&mut others.to_mut()[at], first);
            outcome = Cow::Owned(Outcome::Fail { fact, address, expected, found, count });
        }
        ShownResult { result: self, outcome, others }
    }

    /// Lines about the other wrong facts: independent ones first, then a line for each fact from which others follow.
    pub fn other_fact_lines(&self) -> Vec<String> {
        other_fact_lines(&self.others, &self.disagreements)
    }
}

fn other_fact_lines(others: &[OtherFact], disagreements: &[Disagreement]) -> Vec<String> {
    let mut by_origin: BTreeMap<Option<&str>, Vec<&OtherFact>> = BTreeMap::new();
    for other in others {
        by_origin.entry(other.follows.as_deref()).or_default().push(other);
    }
    let line = |(origin, others): (Option<&str>, Vec<&OtherFact>)| {
        let names: BTreeSet<&str> = others.iter().map(|other| other.fact.as_str()).collect();
        let mut facts: Vec<&str> = names.into_iter().collect();
        let more = facts.len().saturating_sub(MOST_FACTS);
        facts.truncate(MOST_FACTS);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let facts = facts.join(", ");
        origin.map_or_else(|| format!("also wrong: {facts}{more}"), |o| format!("follows from {o}: {facts}{more}"))
    };
    let among = disagreements.iter().map(|about| format!("also {}: {}", about.place(), about.parts()));
    by_origin.into_iter().map(line).chain(among.take(MOST_FACTS)).collect()
}

/// A number with its noun: `1 case`, `2 cases`.
pub(super) fn pluralize(number: u64, what: &str) -> String {
    if number == 1 { format!("1 {what}") } else { format!("{number} {what}s") }
}

/// The number of things of each group that can be shown, at most `most` of a group and `budget` together.
pub(super) fn share_budget(sizes: &[usize], most: usize, budget: usize) -> Vec<usize> {
    let mut shares = vec![0; sizes.len()];
    let mut left = budget;
    // One of each group, then another: no group is silent because another is large.
    for round in 0..most {
        let mut any = false;
        for (share, size) in shares.iter_mut().zip(sizes) {
            if *size > round && left > 0 {
                *share += 1;
                left -= 1;
                any = true;
            }
        }
        if !any {
            break;
        }
    }
    shares
}

/// A text of at most `most` characters, and the number of those left out.
pub(super) fn truncate(text: &str, most: usize) -> (&str, usize) {
    match text.char_indices().nth(most) {
        Some((end, _)) => (&text[..end], text[end..].chars().count()),
        None => (text, 0),
    }
}

/// A link that may be followed: only `http` and `https`.
pub(super) fn safe_link(link: &str) -> Option<&str> {
    let scheme = link.split_once("://").map(|(scheme, _)| scheme.to_ascii_lowercase());
    matches!(scheme.as_deref(), Some("http" | "https")).then_some(link)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::report::Outcome;
    use crate::check::report::Symptom;

    #[test]
    fn shares_room_among_all_groups_first() {
        assert_eq!(share_budget(&[300, 1, 5], 200, 1000), [200, 1, 5]);
        assert_eq!(share_budget(&[300, 1, 5], 200, 6), [3, 1, 2]);
        assert_eq!(share_budget(&[3, 3, 3], 200, 2), [1, 1, 0]);
        assert_eq!(share_budget(&[], 200, 2), [0; 0]);
    }

    #[test]
    fn summarises_report_in_one_line() {
        let line = |unexpected, causes, known, implementations| {
            OverallResult { unexpected, causes, known, implementations, among: false }.to_string()
        };
        assert_eq!(line(0, 0, 0, 3), "no failures");
        assert_eq!(line(0, 0, 2, 3), "0 regressions; 2 of 3 implementations have known defects");
        assert_eq!(line(0, 0, 1, 3), "0 regressions; 1 of 3 implementations has known defects");
        assert_eq!(line(0, 0, 1, 1), "0 regressions; the implementation has known defects");
        assert_eq!(line(1, 1, 0, 1), "1 unexpected result, 1 cause");
        assert_eq!(line(9, 2, 1, 2), "9 unexpected results, 2 causes; 1 of 2 implementations has known defects");
    }

    #[test]
    fn marks_facts_that_follow_from_another() {
        let other = |fact: &str, follows: Option<&str>| OtherFact {
            fact: fact.to_owned(),
            follows: follows.map(str::to_owned),
            ..OtherFact::default()
        };
        let others = vec![
            other("loader", None),
            other("class", Some("kind")),
            other("fields", Some("kind")),
            other("hash", None),
            other("fields", Some("kind")),
        ];
        let result = CaseResult::new("", Outcome::Pass { reading: None }).others(others);
        assert_eq!(result.other_fact_lines(), ["also wrong: hash, loader", "follows from kind: class, fields"]);
    }

    #[test]
    fn texts_are_cut_between_characters() {
        assert_eq!(truncate("a𝄞b𝄞", 2), ("a𝄞", 2));
        assert_eq!(truncate("a𝄞", 2), ("a𝄞", 0));
    }

    #[test]
    fn a_case_of_two_causes_is_shown_with_the_fact_of_each() {
        let outcome = |fact: &str| Outcome::Fail {
            fact: fact.to_owned(),
            address: Some("0x8".to_owned()),
            expected: "1".to_owned(),
            found: fact.to_owned(),
            count: 2,
        };
        let other = |fact: &str, follows: Option<&str>| OtherFact {
            fact: fact.to_owned(),
            expected: "1".to_owned(),
            found: fact.to_owned(),
            follows: follows.map(str::to_owned),
            ..OtherFact::default()
        };
        let others = vec![other("record-order", Some("address")), other("hash-16", None)];
        let result = CaseResult::new("a", outcome("address")).others(others);
        let shown = |symptom: &str| {
            let symptoms = vec![Symptom { what: symptom.to_owned(), cases: 1 }];
            let shown = result.shown_for_cause(&Cause { symptoms, ..Cause::default() });
            (shown.outcome.clone().into_owned(), shown.other_fact_lines())
        };
        let follows = "follows from address: record-order";
        assert_eq!(shown("address: wrong"), (outcome("address"), vec!["also wrong: hash-16".into(), follows.into()]));
        let (first, also) = shown("hash-16: wrong");
        assert!(matches!(first, Outcome::Fail { fact, found, .. } if (&*fact, &*found) == ("hash-16", "hash-16")));
        assert_eq!(also, ["also wrong: address", follows]);
        // What only follows is of no cause.
        assert_eq!(shown("record-order: wrong").0, outcome("address"));
    }

    #[test]
    fn links_only_to_http_addresses() {
        assert_eq!(safe_link("https://example.org/1"), Some("https://example.org/1"));
        assert_eq!(safe_link("HTTP://example.org/1"), Some("HTTP://example.org/1"));
        for link in ["javascript:alert(1)", "javascript://example.org/%0aalert(1)", "data:text/html,x", "//e.org", ""] {
            assert_eq!(safe_link(link), None, "{link}");
        }
    }
}
