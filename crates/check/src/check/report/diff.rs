//! The difference of two reports: causes that are new, gone or changed.

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use schemars::JsonSchema;
use serde::Serialize;

use crate::check::report::{CaseResult, Cause, CheckReport, Outcome, SCHEMA, TestedImplementation, markdown};
use heapsmith_core::error::Error;

/// Version of the schema of a [`ReportDiff`].
const VERSION: u32 = 6;
/// The part of their cases that causes of different names share, if they are the same.
const COMMON: f64 = 0.5;

/// What has changed from one report to another.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct ReportDiff {
    /// Version of this report's schema.
    pub schema: u32,
    /// Whether nothing is worse: no cause is new, no case fails that passed, and every case and implementation of the old report
    /// was judged again.
    pub fine: bool,
    /// The implementations of both reports, in the order of the new one.
    pub implementations: Vec<TestedDiff>,
    /// Implementations of the new report alone.
    pub added: Vec<String>,
    /// Implementations of the old report alone.
    pub removed: Vec<String>,
}

/// What has changed for an implementation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct TestedDiff {
    /// What it is called in the new report.
    pub label: String,
    /// What it is called in the old one.
    pub before: String,
    /// Causes that the old report has not.
    pub new: Vec<Cause>,
    /// Causes that the new report has no more.
    pub gone: Vec<Cause>,
    /// Causes of both, with other cases.
    pub changed: Vec<ChangedCause>,
    /// Number of cases that the old report has a verdict on and the new one has not: they were skipped, or are not in it.
    pub unjudged: u64,
}

/// A cause that both reports have, and that has other cases.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct ChangedCause {
    /// The cause, as the new report has it.
    pub cause: Cause,
    /// What it is called in the old one, where that is something else.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// Cases that it did not have, although the old report has them.
    pub more: Vec<String>,
    /// Cases that it has no more, although the new report has them.
    pub fewer: Vec<String>,
    /// How many of its cases only one of the reports has.
    pub other_cases: u64,
}

/// Compares two reports, cause by cause. Implementations are paired by their labels, else by their names, where only one of each
/// report has it; and those that are left, where each report has one.
///
/// # Errors
/// If one of them is of another schema than this version writes, or no implementation of the one is one of the other.
pub fn diff(old: &CheckReport, new: &CheckReport) -> Result<ReportDiff, Error> {
    if let Some(other) = [old, new].into_iter().find(|report| report.schema != SCHEMA) {
        return Err(Error::Usage(format!(
            "a report of schema {}, where this version reads {SCHEMA}; run `heapsmith check` again",
            other.schema
        )));
    }
    let mut told = ReportDiff { schema: VERSION, ..ReportDiff::default() };
    let mut left: Vec<&TestedImplementation> = old.implementations.iter().collect();
    let mut pairs: Vec<(Option<&TestedImplementation>, &TestedImplementation)> = Vec::new();
    for tested in &new.implementations {
        let before =
            left.iter().position(|before| before.label == tested.label).or_else(|| find_same_name(&left, tested));
        pairs.push((before.map(|before| left.remove(before)), tested));
    }
    let mut unpaired = pairs.iter_mut().filter(|(before, _)| before.is_none());
    if let (Some((before, _)), None, [_]) = (unpaired.next(), unpaired.next(), &left[..]) {
        *before = left.pop();
    }
    for (before, tested) in pairs {
        match before {
            Some(before) => told.implementations.push(diff_implementation(before, tested)),
            None => told.added.push(tested.label.clone()),
        }
    }
    told.removed = left.into_iter().map(|tested| tested.label.clone()).collect();
    if told.implementations.is_empty() {
        return Err(Error::Usage(format!(
            "nothing to compare: no implementation of the old report ({}) is in the new one ({}); name reports of the same \
             implementations",
            join_labels(&told.removed),
            join_labels(&told.added)
        )));
    }
    told.fine = told.removed.is_empty() && told.implementations.iter().all(TestedDiff::is_fine);
    Ok(told)
}

fn join_labels(labels: &[String]) -> String {
    if labels.is_empty() { "none".to_owned() } else { labels.join(", ") }
}

/// The only implementation of this name, in any version.
fn find_same_name(left: &[&TestedImplementation], tested: &TestedImplementation) -> Option<usize> {
    let name = &tested.declared.as_ref()?.name;
    let mut same = left
        .iter()
        .enumerate()
        .filter(|(_, before)| before.declared.as_ref().is_some_and(|declared| declared.name == *name));
    same.next().map(|(place, _)| place).filter(|_| same.next().is_none())
}

fn diff_implementation(old: &TestedImplementation, new: &TestedImplementation) -> TestedDiff {
    let cases = [results_by_id(old), results_by_id(new)];
    let mut told = TestedDiff { label: new.label.clone(), before: old.label.clone(), ..TestedDiff::default() };
    let mut left: Vec<&Cause> = old.causes.iter().collect();
    let (known, mut unknown): (Vec<&Cause>, Vec<&Cause>) =
        new.causes.iter().partition(|cause| left.iter().any(|before| before.id == cause.id));
    for cause in known {
        // Several causes may have one name.
        let named = (0..left.len()).filter(|&at| left[at].id == cause.id);
        match named.max_by_key(|&at| (common_case_count(left[at], cause), std::cmp::Reverse(at))) {
            Some(before) => told.changed.extend(changed_cause(left.remove(before), cause, &cases)),
            None => unknown.push(cause),
        }
    }
    for cause in unknown {
        match left.iter().position(|before| has_same_cases(before, cause)) {
            Some(before) => told.changed.extend(changed_cause(left.remove(before), cause, &cases)),
            None => told.new.push(cause.clone()),
        }
    }
    told.gone = left.into_iter().cloned().collect();
    let is_judged = |result: &CaseResult| !matches!(result.outcome(), Outcome::Skip { .. });
    let [before, now] = &cases;
    let judged = before.iter().filter(|(_, result)| is_judged(result));
    told.unjudged = judged.filter(|(id, _)| !now.get(*id).is_some_and(|result| is_judged(result))).count() as u64;
    told
}

type ResultsById<'r> = BTreeMap<&'r str, &'r CaseResult>;

fn results_by_id(tested: &TestedImplementation) -> ResultsById<'_> {
    tested.results.iter().map(|result| (&*result.id, result)).collect()
}

fn has_same_cases(one: &Cause, other: &Cause) -> bool {
    let (common, fewer) = (common_case_count(one, other) as f64, one.cases.len().min(other.cases.len()) as f64);
    common >= COMMON * fewer && common > 0.0
}

/// The number of cases that both causes have.
fn common_case_count(one: &Cause, other: &Cause) -> usize {
    let of_one: BTreeSet<&String> = one.cases.iter().collect();
    other.cases.iter().filter(|case| of_one.contains(case)).count()
}

/// The change of a cause, if there is any.
fn changed_cause(old: &Cause, new: &Cause, [before, now]: &[ResultsById<'_>; 2]) -> Option<ChangedCause> {
    let [of_old, of_new] = [old, new].map(|cause| cause.cases.iter().map(String::as_str).collect::<BTreeSet<_>>());
    let only = |one: &BTreeSet<&str>, other: &BTreeSet<&str>, known: &ResultsById<'_>| -> Vec<String> {
        one.difference(other).filter(|case| known.contains_key(**case)).map(|case| (*case).to_owned()).collect()
    };
    let (more, fewer) = (only(&of_new, &of_old, before), only(&of_old, &of_new, now));
    let differing = of_old.symmetric_difference(&of_new).count() as u64;
    let name = (old.id != new.id).then(|| old.id.clone());
    let has_changed = differing > 0 || name.is_some();
    let other_cases = differing - (more.len() + fewer.len()) as u64;
    has_changed.then(|| ChangedCause { cause: new.clone(), before: name, more, fewer, other_cases })
}

impl TestedDiff {
    /// Whether nothing is worse.
    pub fn is_fine(&self) -> bool {
        self.new.is_empty() && self.unjudged == 0 && self.changed.iter().all(|changed| changed.more.is_empty())
    }

    fn is_unchanged(&self) -> bool {
        self.new.is_empty() && self.gone.is_empty() && self.changed.is_empty() && self.unjudged == 0
    }

    /// The number of cases that were judged before only, in words.
    pub fn describe_unjudged(&self) -> Option<String> {
        match self.unjudged {
            0 => None,
            1 => Some("1 case of the old report was not judged again".to_owned()),
            cases => Some(format!("{cases} cases of the old report were not judged again")),
        }
    }
}

impl ReportDiff {
    /// The summary in a line.
    pub fn headline(&self) -> String {
        let count = |of: fn(&TestedDiff) -> usize| self.implementations.iter().map(of).sum::<usize>();
        let causes = [count(|told| told.new.len()), count(|told| told.gone.len()), count(|told| told.changed.len())];
        let unjudged: u64 = self.implementations.iter().map(|told| told.unjudged).sum();
        let mut parts = Vec::new();
        if let [new, gone, changed] = causes
            && causes != [0; 3]
        {
            parts.push(format!("causes: {new} new, {gone} gone, {changed} changed"));
        }
        if unjudged > 0 {
            parts.push(format!("cases not judged again: {unjudged}"));
        }
        for (what, labels) in [("added", &self.added), ("removed", &self.removed)] {
            if !labels.is_empty() {
                parts.push(format!("implementations {what}: {}", labels.len()));
            }
        }
        if parts.is_empty() { "nothing has changed".to_owned() } else { parts.join("; ") }
    }

    /// Writes it as Markdown, for a pull request.
    ///
    /// # Errors
    /// If `out` takes no more.
    pub fn write_markdown(&self, out: &mut dyn io::Write) -> Result<(), Error> {
        let mut text = format!("## heapsmith: {}\n\n", self.headline());
        for tested in self.implementations.iter().filter(|tested| !tested.is_unchanged()) {
            text += &format!("### {}\n\n", markdown::escaped(&tested.label));
            for (what, causes) in [("new", &tested.new), ("gone", &tested.gone)] {
                for cause in causes {
                    text += &format!("- **{what}**: {}\n", cause_markdown(cause));
                }
            }
            for ChangedCause { cause, more, fewer, before, .. } in &tested.changed {
                let name = before.as_ref().map(|before| format!(", before {}", markdown::code(before)));
                text += &format!(
                    "- **changed**: {}; {} cases more, {} fewer{}\n",
                    cause_markdown(cause),
                    more.len(),
                    fewer.len(),
                    name.unwrap_or_default()
                );
            }
            if let Some(unjudged) = tested.describe_unjudged() {
                text += &format!("- {unjudged}\n");
            }
            text.push('\n');
        }
        for (what, labels) in [("added", &self.added), ("removed", &self.removed)] {
            for label in labels {
                text += &format!("Implementation {what}: {}\n\n", markdown::escaped(label));
            }
        }
        out.write_all(text.as_bytes()).map_err(|e| Error::io("writing the difference", e))
    }
}

fn cause_markdown(cause: &Cause) -> String {
    let repeat = cause.repeat.as_deref().map(|repeat| format!(", {}", markdown::code(repeat))).unwrap_or_default();
    let (id, sentence) = (markdown::code(&cause.id), markdown::escaped(&cause.sentence));
    format!("{id}: {sentence} {} cases; {}{repeat}", cause.all_failures(), markdown::code(&cause.example))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(implementations: Vec<TestedImplementation>) -> CheckReport {
        CheckReport { schema: SCHEMA, implementations, ..CheckReport::default() }
    }

    fn tested(label: &str, failed: &[&str], results: &[(&str, bool)]) -> TestedImplementation {
        let cause = Cause {
            id: "rule".to_owned(),
            cases: failed.iter().map(|case| (*case).to_owned()).collect(),
            ..Cause::default()
        };
        let skip = || Outcome::skip("not declared", None);
        let result = |&(id, is_judged): &(&str, bool)| {
            CaseResult::new(id, if is_judged { Outcome::Pass { reading: None } } else { skip() })
        };
        TestedImplementation {
            label: label.to_owned(),
            causes: if failed.is_empty() { Vec::new() } else { vec![cause] },
            results: results.iter().map(result).collect(),
            ..TestedImplementation::default()
        }
    }

    #[test]
    fn compares_single_implementations_with_other_labels() {
        let [old, new] = [tested("python3 a.py", &[], &[]), tested("python3 b.py", &["a"], &[])];
        let told = diff(&report(vec![old.clone()]), &report(vec![new.clone()])).expect("one of each");
        assert!(!told.fine && told.added.is_empty() && told.removed.is_empty(), "{told:?}");
        assert_eq!(told.headline(), "causes: 1 new, 0 gone, 0 changed");
        let other = tested("both", &[], &[]);
        let told = diff(&report(vec![other.clone(), old.clone()]), &report(vec![new.clone(), other.clone()]));
        assert_eq!(told.expect("one of each is left").implementations.len(), 2);
        // Which of two an implementation was is not known.
        let told = diff(&report(vec![other.clone(), old.clone()]), &report(vec![new.clone()]));
        let message = told.expect_err("nothing is in both").to_string();
        assert!(message.contains("both, python3 a.py") && message.contains("python3 b.py"), "{message}");
        let told = diff(&report(vec![other.clone(), old]), &report(vec![other])).expect("one is in both");
        assert!(!told.fine);
        assert_eq!(told.headline(), "implementations removed: 1");
    }

    #[test]
    fn counts_cases_that_were_not_judged_again() {
        let old = tested("a", &["c"], &[("a", true), ("b", true), ("c", true), ("d", false)]);
        let new = tested("a", &[], &[("a", true), ("b", false), ("e", true)]);
        let told = diff(&report(vec![old]), &report(vec![new])).expect("the same label");
        assert_eq!((told.fine, told.implementations[0].unjudged), (false, 2));
        assert_eq!(told.headline(), "causes: 0 new, 1 gone, 0 changed; cases not judged again: 2");
    }

    /// Several causes of one name are each compared with the one of the same cases, and one more is new.
    #[test]
    fn causes_of_one_name_are_kept_apart() {
        let cause = |cases: &[&str]| Cause {
            id: "crash: there".to_owned(),
            cases: cases.iter().map(|case| (*case).to_owned()).collect(),
            ..Cause::default()
        };
        let tested = |causes: &[&[&str]]| TestedImplementation {
            causes: causes.iter().map(|cases| cause(cases)).collect(),
            ..TestedImplementation::default()
        };
        let two = tested(&[&["a", "b"], &["c"]]);
        let swapped = diff_implementation(&two, &tested(&[&["c"], &["a", "b"]]));
        assert!(swapped.new.is_empty() && swapped.changed.is_empty() && swapped.gone.is_empty(), "{swapped:?}");
        let more = diff_implementation(&two, &tested(&[&["a", "b"], &["c"], &["d"]]));
        let new: Vec<&[String]> = more.new.iter().map(|cause| &cause.cases[..]).collect();
        assert_eq!((new, more.changed.len(), more.gone.len()), (vec![&["d".to_owned()][..]], 0, 0));
    }
}
