//! What all written forms have in common: which results are to be read, by what they have in common.

use std::collections::BTreeMap;

use super::{CaseFacts, CaseResult, Outcome, Report, Tested};

/// Results of one implementation with one wrong fact and one rule.
pub(super) struct Group<'a> {
    /// The wrong fact, or the verdict where no fact is wrong.
    pub(super) fact: &'a str,
    /// The rule, if there is one.
    pub(super) rule: Option<&'a str>,
    /// The results, by id.
    pub(super) results: Vec<&'a CaseResult>,
}

/// The cases of a report by id.
pub(super) type Cases<'a> = BTreeMap<&'a str, &'a CaseFacts>;

/// The cases of a report by id.
pub(super) fn cases(report: &Report) -> Cases<'_> {
    report.cases.iter().map(|case| (case.id.as_str(), case)).collect()
}

/// What is to be read of an implementation: failures, and passes that nobody expects; those that fail the run first,
/// then the larger groups.
pub(super) fn groups<'a>(tested: &'a Tested, cases: &Cases<'a>) -> Vec<Group<'a>> {
    let mut found: BTreeMap<(bool, &str, Option<&str>), Vec<&CaseResult>> = BTreeMap::new();
    for result in tested.results.iter().filter(|result| is_told(result)) {
        let key = (!result.is_unexpected(), fact(result), rule(result, cases));
        found.entry(key).or_default().push(result);
    }
    let mut groups: Vec<(bool, Group<'a>)> = found
        .into_iter()
        .map(|((expected, fact, rule), mut results)| {
            results.sort_by(|a, b| a.id.cmp(&b.id));
            (expected, Group { fact, rule, results })
        })
        .collect();
    // The sort is stable: groups of one size stay in the order of facts and rules.
    groups.sort_by_key(|(expected, group)| (*expected, std::cmp::Reverse(group.results.len())));
    groups.into_iter().map(|(_, group)| group).collect()
}

/// Whether a result is worth an entry of its own.
pub(super) fn is_told(result: &CaseResult) -> bool {
    result.outcome.is_failure() || result.is_unexpected()
}

/// The wrong fact, or what else is the matter.
pub(super) fn fact(result: &CaseResult) -> &str {
    match &result.outcome {
        Outcome::Fail { fact, .. } => fact,
        outcome if outcome.is_pass() && result.is_unexpected() => UNEXPECTED_PASS,
        outcome => outcome.name(),
    }
}

/// What a pass is called that is expected to be a failure.
pub(super) const UNEXPECTED_PASS: &str = "unexpected-pass";

/// The rule of a result: that of its evidence, else the first of its case.
pub(super) fn rule<'a>(result: &'a CaseResult, cases: &Cases<'a>) -> Option<&'a str> {
    let shown = result.evidence.as_ref().and_then(|evidence| evidence.rule.as_deref());
    shown.or_else(|| cases.get(result.id.as_str())?.rules.first().map(String::as_str))
}

/// How many results of each group can be told in full, so that all of them together are not more than `budget`, and
/// no group has more than `most`.
pub(super) fn share(sizes: &[usize], most: usize, budget: usize) -> Vec<usize> {
    let mut shares = vec![0; sizes.len()];
    let mut left = budget;
    // A result for each group, then another: no group is silent because another is large.
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

/// A text of at most `most` characters, and how many were left out.
pub(super) fn cut(text: &str, most: usize) -> (&str, usize) {
    match text.char_indices().nth(most) {
        Some((end, _)) => (&text[..end], text[end..].chars().count()),
        None => (text, 0),
    }
}

/// A link that may be followed: only `http` and `https`.
pub(super) fn followed(link: &str) -> Option<&str> {
    let scheme = link.split_once("://").map(|(scheme, _)| scheme.to_ascii_lowercase());
    matches!(scheme.as_deref(), Some("http" | "https")).then_some(link)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_group_is_told_before_any_is_told_twice() {
        assert_eq!(share(&[300, 1, 5], 200, 1000), [200, 1, 5]);
        assert_eq!(share(&[300, 1, 5], 200, 6), [3, 1, 2]);
        assert_eq!(share(&[3, 3, 3], 200, 2), [1, 1, 0]);
        assert_eq!(share(&[], 200, 2), [0; 0]);
    }

    #[test]
    fn texts_are_cut_between_characters() {
        assert_eq!(cut("a𝄞b𝄞", 2), ("a𝄞", 2));
        assert_eq!(cut("a𝄞", 2), ("a𝄞", 0));
    }

    #[test]
    fn only_pages_are_followed() {
        assert_eq!(followed("https://example.org/1"), Some("https://example.org/1"));
        assert_eq!(followed("HTTP://example.org/1"), Some("HTTP://example.org/1"));
        for link in ["javascript:alert(1)", "javascript://example.org/%0aalert(1)", "data:text/html,x", "//e.org", ""] {
            assert_eq!(followed(link), None, "{link}");
        }
    }
}
