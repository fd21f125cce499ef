//! Filters: the cases that a run is confined to.

use std::fmt;
use std::str::FromStr;

use glob::Pattern;

use crate::error::{Error, did_you_mean};
use crate::format::Family;

use super::run::rules;
use super::task::{Source, Task};

/// A filter of cases: a part of an id, a pattern of ids, or a pattern of rules that cases are about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Filter {
    text: String,
    by: By,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum By {
    /// A whole id, or else a part of some.
    Part,
    /// A pattern of ids.
    Ids(Pattern),
    /// A pattern of rules.
    Rules(Pattern),
}

const RULE: &str = "rule=";

impl FromStr for Filter {
    type Err = Error;

    /// `rule=PATTERN`, a pattern with `*`, `?` or `[...]`, or an id or a part of one.
    fn from_str(text: &str) -> Result<Filter, Error> {
        let pattern = |text: &str| Pattern::new(text).map_err(|e| Error::Usage(format!("the pattern {text:?}: {e}")));
        let by = match text.strip_prefix(RULE) {
            Some(rule) => By::Rules(pattern(rule)?),
            None if text.contains(['*', '?', '[']) => By::Ids(pattern(text)?),
            None => By::Part,
        };
        Ok(Filter { text: text.to_owned(), by })
    }
}

impl fmt::Display for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Filter {
    /// The part of the filter about the case, without the task.
    fn case(&self) -> &str {
        match self.by {
            By::Rules(_) => &self.text,
            _ => self.text.split(':').next().unwrap_or_default(),
        }
    }

    /// Whether it says what is to be done, too.
    fn has_task(&self) -> bool {
        self.case().len() < self.text.len()
    }

    /// The error of a filter that no case matches, with a suggestion.
    fn takes_none(&self, sources: &[Source]) -> Error {
        let ids: Vec<String> = sources.iter().map(Source::id).collect();
        let rules = || Family::ALL.into_iter().flat_map(|family| family.book().rule.iter().map(|rule| rule.id));
        let (near, next) = match &self.by {
            By::Rules(pattern) => {
                (did_you_mean(pattern.as_str(), rules()), "`heapsmith explain --list` shows the rules")
            }
            _ => (did_you_mean(self.case(), ids.iter().map(String::as_str)), "`heapsmith corpus list` shows the cases"),
        };
        Error::Usage(format!("no case matches the filter {:?}; {next}{near}", self.text))
    }

    fn takes(&self, source: &Source, is_one: bool) -> bool {
        let id = source.id();
        match &self.by {
            By::Part if is_one => id == self.case(),
            By::Part if self.has_task() => id.ends_with(self.case()),
            By::Part => id.contains(self.case()),
            By::Ids(_) => Pattern::new(self.case()).is_ok_and(|pattern| pattern.matches(&id)),
            By::Rules(pattern) => match source {
                Source::Corpus(case) => rules(case).iter().any(|rule| pattern.matches(rule)),
                Source::Large(case) => case.rules.iter().any(|rule| pattern.matches(rule)),
                Source::Random(..) | Source::Own(_) | Source::Drawn(_) => false,
            },
        }
    }
}

/// Retains the cases that one of the filters takes; all of them without filters.
///
/// # Errors
/// If no filter takes any of them.
pub(super) fn of_cases(filters: &[Filter], sources: &mut Vec<Source>) -> Result<(), Error> {
    let Some(first) = filters.first() else { return Ok(()) };
    let filters: Vec<(&Filter, bool)> =
        filters.iter().map(|filter| (filter, sources.iter().any(|source| source.id() == filter.case()))).collect();
    let takes = |source: &Source| filters.iter().any(|(filter, is_one)| filter.takes(source, *is_one));
    if !sources.is_empty() && !sources.iter().any(takes) {
        return Err(first.takes_none(sources));
    }
    sources.retain(takes);
    Ok(())
}

/// Retains the tasks that one of the filters takes, if a filter names an operation.
pub(super) fn of_tasks(filters: &[Filter], tasks: &mut Vec<Task>) {
    if !filters.iter().any(Filter::has_task) {
        return;
    }
    let filters: Vec<(&Filter, bool)> = filters
        .iter()
        .map(|filter| {
            let is_one =
                |task: &Task| if filter.has_task() { task.id == filter.text } else { task.source.id() == filter.text };
            (filter, tasks.iter().any(is_one))
        })
        .collect();
    tasks.retain(|task| {
        filters.iter().any(|(filter, is_one)| match &filter.by {
            _ if !filter.has_task() => filter.takes(&task.source, *is_one),
            By::Part if *is_one => task.id == filter.text,
            By::Part => task.id.contains(&filter.text),
            By::Ids(pattern) | By::Rules(pattern) => pattern.matches(&task.id),
        })
    });
}
