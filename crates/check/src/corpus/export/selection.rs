//! The selection of cases for an export.

use std::collections::BTreeSet;

use crate::corpus::{Case, CaseVerdict, TAGS};
use heapsmith_core::error::{Error, unknown};
use heapsmith_core::format::Family;
use heapsmith_core::validate::rulebook;

/// The properties of the cases to export, and what is written of each. A case matches if, for each kind of property with values, it
/// has one of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ExportSelection {
    /// Formats: `hprof`, `phd`, `classic`, or a version of one, such as `phd6`.
    pub formats: Vec<String>,
    /// Tags ([`TAGS`]).
    pub tags: Vec<String>,
    /// Rules that the cases keep, break or show: an id, or the first parts of some.
    pub rules: Vec<String>,
    /// Whether what an analyser should find in each heap is written, too.
    pub has_analysis: bool,
}

impl ExportSelection {
    /// # Errors
    /// If there is no such format, tag or rule.
    pub(super) fn check(&self) -> Result<(), Error> {
        let formats: BTreeSet<String> = Family::ALL
            .into_iter()
            .flat_map(|family| family.formats().map(|format| format.to_string()).chain([family.name().to_owned()]))
            .collect();
        let names = formats.iter().map(String::as_str).collect();
        let all = |names: &[&str]| format!("choose one of {}", names.join(", "));
        check_known("format", &self.formats, names, &all(&Family::ALL.map(|family| family.name())))?;
        let tags: Vec<&str> = TAGS.iter().map(|tag| tag.name).collect();
        check_known("tag", &self.tags, tags.clone(), &all(&tags))?;
        let rules = || Family::ALL.into_iter().flat_map(|family| rulebook(family).rule).map(|rule| rule.id);
        for wanted in &self.rules {
            if !rules().any(|id| is_beneath(id, wanted)) {
                check_known("rule", std::slice::from_ref(wanted), rules().collect(), LIST)?;
            }
        }
        Ok(())
    }

    pub(super) fn matches(&self, case: &Case) -> bool {
        let any = |wanted: &[String], takes: &dyn Fn(&str) -> bool| {
            wanted.is_empty() || wanted.iter().any(|wanted| takes(wanted))
        };
        let format = case.format.to_string();
        let rules = || case.keeps.iter().chain(&case.shows).copied().chain(case.breaks.map(|(rule, _)| rule));
        any(&self.formats, &|wanted| wanted == format || wanted == case.format.family().name())
            && any(&self.tags, &|wanted| case.tags().any(|tag| tag == wanted))
            && any(&self.rules, &|wanted| rules().any(|id| is_beneath(id, wanted)))
    }

    /// The options that make this selection.
    pub(super) fn to_options(&self) -> Vec<String> {
        let kinds = [("format", &self.formats), ("tag", &self.tags), ("rule", &self.rules)];
        kinds
            .into_iter()
            .flat_map(|(name, values)| values.iter().map(move |value| format!("--{name} {value}")))
            .collect()
    }
}

/// The tags of a case of this kind.
pub(super) fn tags_of(kind: &str, verdict: CaseVerdict, is_compressed: bool, has_others: bool) -> Vec<String> {
    let more = is_compressed.then_some(GZIP).into_iter().chain(has_others.then_some(SEVERAL_HEAPS));
    [kind, verdict.name()].into_iter().chain(more).map(str::to_owned).collect()
}

/// Whether an id is this one, or begins with these parts.
fn is_beneath(id: &str, wanted: &str) -> bool {
    id.strip_prefix(wanted).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

fn check_known(what: &str, wanted: &[String], known: Vec<&str>, next: &str) -> Result<(), Error> {
    match wanted.iter().find(|wanted| !known.contains(&wanted.as_str())) {
        None => Ok(()),
        Some(wanted) => Err(unknown(what, wanted, known, next)),
    }
}

/// The hint where all rules are listed.
const LIST: &str = "`heapsmith explain --list` shows all";
/// The kind of cases that were added to a folder.
pub(super) const OWN: &str = "own";
const GZIP: &str = "gzip";
const SEVERAL_HEAPS: &str = "several-heaps";
