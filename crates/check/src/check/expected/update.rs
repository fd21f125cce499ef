//! The file of expected failures after a run, with all that people wrote into it.

use std::collections::BTreeMap;

use glob::Pattern;
use toml_edit::{Array, ArrayOfTables, DocumentMut, Item, RawString, Table, Value, value};

use crate::check::expected::{ExpectedFailure, ExpectedFailures, ObservedResult};
use crate::check::report::{CheckReport, Disagreement, Outcome};
use heapsmith_core::error::Error;

/// The reason of new entries.
const NEW: &str = "not looked into yet";

const HEAD: &str = "\
# Failures that are known: `heapsmith check --expected THIS`. A failure that no entry describes fails the run, and so does
# a case that is listed by its id and passes; `--update-expected` brings the file up to date.

";

/// What new failures have in common that come in one entry: implementation, verdict, fact, rule.
type Kind = (String, String, Option<String>, Option<String>);

/// The file after a run.
#[derive(Debug)]
pub struct Update {
    /// Its text.
    pub text: String,
    /// What it says.
    pub expected: ExpectedFailures,
}

impl Update {
    /// What would have had to be expected of a run. Entries, comments and patterns stay as they are; the ids of cases that
    /// pass, or fail otherwise, leave them, and an entry whose last case has left goes. New failures come in entries of their
    /// own, one for each verdict, fact and rule. Of cases that were not run nothing changes.
    ///
    /// # Errors
    /// If the text is no file of expected failures.
    pub fn of(text: &str, report: &CheckReport) -> Result<Update, Error> {
        let expected = ExpectedFailures::parse(text)?;
        let mut document: DocumentMut = text.parse().map_err(|e| Error::Usage(format!("{e}")))?;
        let empty = ArrayOfTables::new();
        let old = document.get("expect").and_then(Item::as_array_of_tables).unwrap_or(&empty);
        let mut tables = ArrayOfTables::new();
        // What stands above entries that go, and is not about them alone.
        let mut above = String::new();
        for (table, entry) in old.iter().zip(&expected.expect) {
            let kept = kept(table, entry, report);
            if kept.is_empty() {
                above.push_str(paragraphs(prefix(table)));
            }
            for mut table in kept {
                push_below(&mut above, &mut table);
                tables.push(table);
            }
        }
        for (kind, cases) in new(&expected, report) {
            let known = tables.iter_mut().find(|table| is_of_kind(table, &kind));
            match known {
                Some(table) => list(table, "cases").extend(cases),
                None => {
                    let mut table = entry_of(&kind, &cases);
                    push_below(&mut above, &mut table);
                    tables.push(table);
                }
            }
        }
        document.remove("expect");
        if !tables.is_empty() {
            document.insert("expect", Item::ArrayOfTables(tables));
        }
        let body = match document.to_string() {
            body if above.is_empty() => body,
            body if body.trim().is_empty() => above,
            body => format!("{}\n\n{}", body.trim_end(), above.trim_start()),
        };
        let text = if text.trim().is_empty() { format!("{HEAD}{}", body.trim_start()) } else { body };
        let expected = ExpectedFailures::parse(&text)?;
        Ok(Update { text, expected })
    }
}

/// What stands above an entry.
fn prefix(table: &Table) -> &str {
    table.decor().prefix().and_then(RawString::as_str).unwrap_or_default()
}

/// The paragraphs of what stands above an entry, but for the last, which is about the entry.
fn paragraphs(prefix: &str) -> &str {
    prefix.rfind("\n\n").map_or("", |end| &prefix[..end + 2])
}

/// Puts an entry below what stands there.
fn push_below(above: &mut String, table: &mut Table) {
    if !above.is_empty() {
        let below = prefix(table).trim_start_matches('\n');
        let prefix = format!("{above}{below}");
        table.decor_mut().set_prefix(prefix);
        above.clear();
    }
}

/// An entry after the run: for each implementation of its own, where they come out differently.
fn kept(table: &Table, entry: &ExpectedFailure, report: &CheckReport) -> Vec<Table> {
    let facts = report.rules_of_cases();
    // The ids that leave it, by implementation.
    let mut gone: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for tested in &report.implementations {
        if entry.implementation.as_ref().is_some_and(|pattern| !super::matches(pattern, &tested.label)) {
            continue;
        }
        let gone = gone.entry(&tested.label).or_default();
        for result in tested.results.iter().filter(|result| entry.lists_id(&result.id)) {
            let rules = facts.get(result.id.as_str()).copied().unwrap_or_default();
            let seen = ObservedResult::from_result(&tested.label, result, rules);
            let is_expected = result.outcome.is_failure() && entry.expects(seen);
            if !is_expected && !matches!(result.outcome, Outcome::Skip { .. }) {
                gone.push(&result.id);
            }
        }
    }
    let without = |ids: &[&str], table: &Table| {
        let mut table = table.clone();
        if !ids.is_empty() {
            let leaves = |pattern: &str| ids.iter().any(|id| super::is_id(pattern, id));
            list(&mut table, "cases").retain(|value| value.as_str().is_none_or(|pattern| !leaves(pattern)));
        }
        let is_empty = |name: &str| table.get(name).and_then(Item::as_array).is_none_or(Array::is_empty);
        // All that is left would be every case, or those of a rule.
        (ids.is_empty() || !is_empty("cases")).then_some(table)
    };
    let mut all = gone.values();
    let first = all.next().cloned().unwrap_or_default();
    if all.all(|other| *other == first) {
        return without(&first, table).into_iter().collect();
    }
    let each = gone.iter().enumerate().filter_map(|(number, (label, ids))| {
        let mut table = without(ids, table)?;
        table.insert("implementation", value(Pattern::escape(label)));
        if number > 0 {
            // What is written above it stands there once.
            table.decor_mut().set_prefix("\n");
        }
        Some(table)
    });
    each.collect()
}

/// The failures that no entry expects, by what they have in common.
fn new(expected: &ExpectedFailures, report: &CheckReport) -> BTreeMap<Kind, Vec<String>> {
    let facts = report.rules_of_cases();
    let mut new: BTreeMap<Kind, Vec<String>> = BTreeMap::new();
    for tested in &report.implementations {
        for result in tested.results.iter().filter(|result| result.outcome.is_failure()) {
            let rules = facts.get(result.id.as_str()).copied().unwrap_or_default();
            let seen = ObservedResult::from_result(&tested.label, result, rules);
            if expected.expectation(seen).is_some() {
                continue;
            }
            let fact = match &result.outcome {
                Outcome::Fail { fact, .. } | Outcome::Disagree(Disagreement { fact, .. }) => {
                    Some(Pattern::escape(fact))
                }
                _ => None,
            };
            let kind = (
                Pattern::escape(&tested.label),
                result.outcome.name().to_owned(),
                fact,
                seen.rule.map(Pattern::escape),
            );
            new.entry(kind).or_default().push(Pattern::escape(&result.id));
        }
    }
    new
}

/// Whether an entry is one that an earlier update made of such failures.
fn is_of_kind(table: &Table, kind: &Kind) -> bool {
    let made = entry_of(kind, &[]);
    let same = |name: &str| match (table.get(name), made.get(name)) {
        (Some(one), Some(other)) => one.to_string().trim() == other.to_string().trim(),
        (one, other) => one.is_none() && other.is_none(),
    };
    ["implementation", "reason", "verdicts", "facts", "rules", "details", "except"].into_iter().all(same)
}

fn entry_of((implementation, verdict, fact, rule): &Kind, cases: &[String]) -> Table {
    let mut table = Table::new();
    table.decor_mut().set_prefix("\n");
    table.insert("implementation", value(implementation));
    table.insert("reason", value(NEW));
    table.insert("verdicts", value(Array::from_iter([verdict])));
    for (name, pattern) in [("facts", fact), ("rules", rule)] {
        if let Some(pattern) = pattern {
            table.insert(name, value(Array::from_iter([pattern])));
        }
    }
    let mut listed = Array::from_iter(cases);
    listed.iter_mut().for_each(|case| case.decor_mut().set_prefix("\n    "));
    listed.set_trailing("\n");
    listed.set_trailing_comma(true);
    table.insert("cases", value(listed));
    table
}

/// A list of an entry, which has one.
fn list<'t>(table: &'t mut Table, name: &str) -> Cases<'t> {
    let item = table.entry(name).or_insert_with(|| value(Array::new()));
    Cases(item.as_array_mut())
}

/// What stands in front of a value: the end of the line before, and the lines from there.
fn line_and_rest(space: Option<&RawString>) -> (String, String) {
    let space = space.and_then(RawString::as_str).unwrap_or_default();
    let end = space.find('\n').unwrap_or(0);
    (space[..end].to_owned(), space[end..].to_owned())
}

/// Case ids in a file.
struct Cases<'t>(Option<&'t mut Array>);

impl Cases<'_> {
    fn retain(self, keep: impl Fn(&Value) -> bool) {
        let Some(array) = self.0 else { return };
        // A comment at the end of a line is stored before the next value: it belongs to the one that stays.
        let mut of_line_before: Option<String> = None;
        let mut left = Array::new();
        *left.decor_mut() = array.decor().clone();
        for value in array.iter() {
            let (line, rest) = line_and_rest(value.decor().prefix());
            if !keep(value) {
                of_line_before.get_or_insert(line);
                continue;
            }
            let mut value = value.clone();
            if let Some(line) = of_line_before.take() {
                value.decor_mut().set_prefix(format!("{line}{rest}"));
            }
            left.push_formatted(value);
        }
        let (line, rest) = line_and_rest(Some(array.trailing()));
        left.set_trailing(format!("{}{rest}", of_line_before.unwrap_or(line)));
        left.set_trailing_comma(array.trailing_comma());
        *array = left;
    }

    fn extend(self, cases: Vec<String>) {
        let Some(array) = self.0 else { return };
        for case in cases {
            let mut case = Value::from(case);
            case.decor_mut().set_prefix("\n    ");
            array.push_formatted(case);
        }
        array.set_trailing("\n");
        array.set_trailing_comma(true);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::expected::tests::report;

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

    #[test]
    fn an_update_makes_the_same_run_clean_and_leaves_what_people_wrote() {
        let text = "# Ours.\n\n\
            # The first one.\n\
            [[expect]]\n\
            reason = \"known\" # to us\n\
            link = \"https://example.org/1\"\n\
            verdicts = [\"crash\"]\n\
            cases = [\n    # passes now\n    \"a\",\n    \"gone\", # not run\n    \"other\",\n    \"p*\",\n]\n\n\
            # The last one.\n\
            [[expect]]\nreason = \"over\"\nverdicts = [\"crash\"]\ncases = [\"a\"]\n";
        let cases = [
            ("a", pass(), "x"),
            ("b[1]", crash(), "x"),
            ("other", fail("elements"), "x"),
            ("p1", pass(), "x"),
            ("p2", crash(), "x"),
            ("q", crash(), "x"),
        ];
        let mut ran = report(&cases);
        let updated = Update::of(text, &ran).expect("it is one");
        let left = "# Ours.\n\n\
            # The first one.\n\
            [[expect]]\n\
            reason = \"known\" # to us\n\
            link = \"https://example.org/1\"\n\
            verdicts = [\"crash\"]\n\
            cases = [\n    \"gone\", # not run\n    \"p*\",\n]\n\n\
            [[expect]]\nimplementation = \"tool 1.0\"\nreason = \"not looked into yet\"\nverdicts = [\"crash\"]\n\
            cases = [\n    \"b[[]1[]]\",\n    \"q\",\n]\n\n\
            [[expect]]\nimplementation = \"tool 1.0\"\nreason = \"not looked into yet\"\nverdicts = [\"fail\"]\n\
            facts = [\"elements\"]\ncases = [\n    \"other\",\n]\n";
        pretty_assertions::assert_eq!(updated.text, left);
        ran.apply_expected(&updated.expected);
        assert!(ran.is_clean());
        // What is new comes to what was new before; what is up to date stays as it is.
        let mut more = report(&[("r", crash(), "x")]);
        let again = Update::of(&updated.text, &more).expect("it is one");
        pretty_assertions::assert_eq!(again.text, left.replace("    \"q\",\n", "    \"q\",\n    \"r\",\n"));
        more.apply_expected(&again.expected);
        assert!(more.is_clean());
        pretty_assertions::assert_eq!(Update::of(&again.text, &more).expect("it is one").text, again.text);
    }

    /// A comment stays that is about more than an entry that goes.
    #[test]
    fn the_head_of_a_file_stays_when_its_first_entry_goes() {
        let entry =
            |case: &str| format!("[[expect]]\nreason = \"known\"\nverdicts = [\"crash\"]\ncases = [\"{case}\"]\n");
        let ran = report(&[("a", pass(), "x"), ("b", crash(), "x"), ("c", pass(), "x"), ("d", crash(), "x")]);
        let updated = |text: &str| Update::of(text, &ran).expect("it is one").text;
        let kept = [entry("b"), entry("d")];
        let both = format!("# Ours.\n\n# Of b.\n{}\n# Of d.\n{}", kept[0], kept[1]);
        let of_both = |first: &str, second: &str| format!("{first}# Of b.\n{}\n{second}# Of d.\n{}", kept[0], kept[1]);
        pretty_assertions::assert_eq!(updated(&of_both(&format!("# Ours.\n\n# Of a.\n{}\n", entry("a")), "")), both);
        let between = format!("# More.\n\n# Of c.\n{}\n", entry("c"));
        let more = of_both("# Ours.\n\n", "# More.\n\n");
        pretty_assertions::assert_eq!(updated(&of_both("# Ours.\n\n", &between)), more);
        // Nothing comes after it, and nothing is left at all.
        pretty_assertions::assert_eq!(updated(&format!("{both}\n{between}")), format!("{both}\n# More.\n\n"));
        let only = report(&[("a", pass(), "x")]);
        let text = format!("{HEAD}{}", entry("a"));
        pretty_assertions::assert_eq!(Update::of(&text, &only).expect("it is one").text, HEAD);
    }

    #[test]
    fn an_entry_of_two_implementations_is_cut_where_one_of_them_passes() {
        let text = "# Both.\n[[expect]]\nimplementation = \"tool *\"\nreason = \"known\"\nverdicts = [\"crash\"]\ncases = [\"a\", \"b\"]\n";
        let mut ran = report(&[("a", crash(), "x"), ("b", crash(), "x")]);
        let mut other = ran.implementations[0].clone();
        other.label = "tool 2.0".to_owned();
        other.results[0].outcome = pass();
        ran.implementations.push(other);
        let updated = Update::of(text, &ran).expect("it is one");
        let expected = "# Both.\n[[expect]]\nimplementation = \"tool 1.0\"\nreason = \"known\"\nverdicts = [\"crash\"]\ncases = [\"a\", \"b\"]\n\n\
            [[expect]]\nimplementation = \"tool 2.0\"\nreason = \"known\"\nverdicts = [\"crash\"]\ncases = [\"b\"]\n";
        pretty_assertions::assert_eq!(updated.text.replace("[ \"b\"]", "[\"b\"]"), expected);
        ran.apply_expected(&updated.expected);
        assert!(ran.is_clean());
    }

    #[test]
    fn a_file_that_was_not_there_begins_with_what_it_is() {
        let updated = Update::of("", &report(&[("a", crash(), "x")])).expect("it is one");
        assert!(updated.text.starts_with("# Failures that are known"), "{}", updated.text);
        let none = Update::of("", &report(&[("a", pass(), "x")])).expect("it is one");
        assert_eq!(none.text, HEAD);
    }
}
