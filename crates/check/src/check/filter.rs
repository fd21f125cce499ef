//! Filters: the cases that a run is confined to.

use std::fmt;
use std::str::FromStr;

use glob::Pattern;

use heapsmith_core::error::{Error, did_you_mean};
use heapsmith_core::format::Family;

/// A filter of cases: a part of an id, a pattern of ids, or a pattern of rules that cases are about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Filter {
    text: String,
    by: FilterKind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum FilterKind {
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
            Some(rule) => FilterKind::Rules(pattern(rule)?),
            None if text.contains(['*', '?', '[']) => FilterKind::Ids(pattern(text)?),
            None => FilterKind::Part,
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
    fn case_part(&self) -> &str {
        match self.by {
            FilterKind::Rules(_) => &self.text,
            _ => self.text.split(':').next().unwrap_or_default(),
        }
    }

    /// Whether it says what is to be done, too.
    fn has_task(&self) -> bool {
        self.case_part().len() < self.text.len()
    }

    /// The error of a filter that no case matches, with a suggestion.
    fn no_match_error(&self, ids: &[String]) -> Error {
        let rules = || Family::ALL.into_iter().flat_map(|family| family.book().rule.iter().map(|rule| rule.id));
        let (near, next) = match &self.by {
            FilterKind::Rules(pattern) => {
                (did_you_mean(pattern.as_str(), rules()), "`heapsmith explain --list` shows the rules")
            }
            _ => (
                did_you_mean(self.case_part(), ids.iter().map(String::as_str)),
                "`heapsmith corpus list` shows the cases",
            ),
        };
        Error::Usage(format!("no case matches the filter {:?}; {next}{near}", self.text))
    }

    fn takes(&self, id: &str, is_one: bool, rules: &[String]) -> bool {
        match &self.by {
            FilterKind::Part if is_one => id == self.case_part(),
            FilterKind::Part if self.has_task() => id.ends_with(self.case_part()),
            FilterKind::Part => id.contains(self.case_part()),
            FilterKind::Ids(_) => Pattern::new(self.case_part()).is_ok_and(|pattern| pattern.matches(id)),
            FilterKind::Rules(pattern) => rules.iter().any(|rule| pattern.matches(rule)),
        }
    }
}

/// Retains the cases that one of the filters takes; all of them without filters.
///
/// # Errors
/// If no filter takes any of them.
pub(super) fn retain_cases(filters: &[Filter], sources: &mut Vec<impl Filtered>) -> Result<(), Error> {
    let Some(first) = filters.first() else { return Ok(()) };
    let ids: Vec<String> = sources.iter().map(Filtered::id).collect();
    let filters: Vec<(&Filter, bool)> =
        filters.iter().map(|filter| (filter, ids.iter().any(|id| id == filter.case_part()))).collect();
    let mut is_taken = sources.iter().zip(&ids).map(|(source, id)| {
        let rules = source.rules();
        filters.iter().any(|(filter, is_one)| filter.takes(id, *is_one, &rules))
    });
    let taken: Vec<bool> = is_taken.by_ref().collect();
    if !taken.is_empty() && !taken.contains(&true) {
        return Err(first.no_match_error(&ids));
    }
    let mut taken = taken.into_iter();
    sources.retain(|_| taken.next().unwrap_or_default());
    Ok(())
}

/// A case to which filters apply.
pub(super) trait Filtered {
    /// The case's id.
    fn id(&self) -> String;

    /// The rules that it is about.
    fn rules(&self) -> Vec<String>;
}

/// Whether a task is taken by a filter that names the operation, too, or by one of the case alone.
pub(super) struct TaskFilter<'f> {
    filter: &'f Filter,
    is_one: bool,
}

impl<'f> TaskFilter<'f> {
    /// The filters for tasks, by the id of each with that of its case; none where no filter names an operation.
    pub(super) fn all(filters: &'f [Filter], tasks: &[(&str, String)]) -> Vec<TaskFilter<'f>> {
        if !filters.iter().any(Filter::has_task) {
            return Vec::new();
        }
        let is_one = |filter: &Filter| {
            tasks.iter().any(|(task, case)| if filter.has_task() { *task == filter.text } else { *case == filter.text })
        };
        filters.iter().map(|filter| TaskFilter { filter, is_one: is_one(filter) }).collect()
    }

    /// Whether it takes a task, by its id and its case.
    pub(super) fn takes(&self, task: &str, case: &impl Filtered) -> bool {
        let Filter { text, by } = self.filter;
        match by {
            _ if !self.filter.has_task() => self.filter.takes(&case.id(), self.is_one, &case.rules()),
            FilterKind::Part if self.is_one => task == text,
            FilterKind::Part => task.contains(text),
            FilterKind::Ids(pattern) | FilterKind::Rules(pattern) => pattern.matches(task),
        }
    }
}
