//! Every result that is worth reading, as an entry that can be opened.

use std::collections::BTreeMap;

use crate::check::evidence::Evidence;
use crate::check::report::group::{self, Cases, Group};
use crate::check::report::{CaseFacts, CaseResult, Outcome, Report};
use crate::validate;

use super::Kind;
use super::bytes::Bytes;
use super::graph::Graph;
use super::matrix;

/// Entries in full of one group; the others are listed by id.
const MOST_OF_GROUP: usize = 200;

/// Entries in full of the whole page, shared by implementations.
const MOST_OF_PAGE: usize = 1500;

/// Characters of a text.
const MOST_CHARACTERS: usize = 1200;

/// Characters of what two texts have in common that stay before the difference.
const BEFORE_DIFFERENCE: usize = 200;

/// The entries of an implementation.
pub(super) struct Section<'a> {
    pub(super) index: usize,
    pub(super) label: &'a str,
    pub(super) count: usize,
    pub(super) groups: Vec<Entries<'a>>,
    /// The first entry of each row of the matrix.
    pub(super) firsts: BTreeMap<String, String>,
}

/// The entries of a fact and rule.
pub(super) struct Entries<'a> {
    pub(super) fact: &'a str,
    pub(super) rule: Option<&'a str>,
    pub(super) entries: Vec<Entry<'a>>,
    pub(super) listed: Vec<Listed<'a>>,
}

/// What an entry and a line of a list both have.
pub(super) struct Listed<'a> {
    pub(super) anchor: String,
    pub(super) kind: Kind,
    pub(super) id: &'a str,
    pub(super) expected: bool,
    /// The rows of the matrix that it is counted in.
    pub(super) keys: String,
}

/// An entry in full.
pub(super) struct Entry<'a> {
    pub(super) head: Listed<'a>,
    pub(super) gist: String,
    pub(super) case: Option<&'a CaseFacts>,
    pub(super) result: &'a CaseResult,
    pub(super) said: Said,
    pub(super) first: Option<(&'static str, String)>,
    pub(super) reason: Option<Linked<'a>>,
    pub(super) evidence: Option<&'a Evidence>,
    pub(super) bytes: Option<Bytes>,
    pub(super) graph: Option<Graph>,
    pub(super) rule: Option<RuleText>,
}

/// What the outcome says: two sides, or one text.
pub(super) enum Said {
    Sides(Side, Side),
    Text(String),
    Nothing,
}

/// What is right, or what was found instead, with what differs between the two set apart.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Side {
    /// Characters left out in front, which both have.
    pub(super) skipped: usize,
    pub(super) before: String,
    pub(super) differs: String,
    pub(super) behind: String,
    pub(super) left_out: usize,
}

/// A reason with a link, which is a link only where it leads to a page.
pub(super) struct Linked<'a> {
    pub(super) reason: String,
    pub(super) href: Option<&'a str>,
    pub(super) text: Option<String>,
}

/// A rule's text.
pub(super) struct RuleText {
    pub(super) id: &'static str,
    pub(super) statement: &'static str,
    pub(super) documents: Option<&'static str>,
    pub(super) sources: Vec<String>,
}

/// The entries of a report, by implementation; those without any have no section.
pub(super) fn sections<'a>(report: &'a Report, cases: &Cases<'a>) -> Vec<Section<'a>> {
    let budget = MOST_OF_PAGE / report.implementations.len().max(1);
    let mut sections = Vec::new();
    for (index, tested) in report.implementations.iter().enumerate() {
        let groups = group::groups(tested, cases);
        let sizes: Vec<usize> = groups.iter().map(|group| group.results.len()).collect();
        let shares = group::share(&sizes, MOST_OF_GROUP, budget);
        let mut section = Section {
            index,
            label: &tested.label,
            count: sizes.iter().sum(),
            groups: Vec::new(),
            firsts: BTreeMap::new(),
        };
        let mut number = 0;
        for (group, share) in groups.into_iter().zip(shares) {
            section.add(group, share, cases, &mut number);
        }
        if section.count > 0 {
            sections.push(section);
        }
    }
    sections
}

impl<'a> Section<'a> {
    fn add(&mut self, group: Group<'a>, share: usize, cases: &Cases<'a>, number: &mut usize) {
        let mut entries = Entries { fact: group.fact, rule: group.rule, entries: Vec::new(), listed: Vec::new() };
        for (place, result) in group.results.into_iter().enumerate() {
            let Some(kind) = Kind::of(result) else { continue };
            *number += 1;
            let anchor = format!("f{}-{number}", self.index + 1);
            let case = cases.get(result.id.as_str()).copied();
            let keys = case.map(matrix::keys).unwrap_or_default();
            for key in &keys {
                self.firsts.entry(key.clone()).or_insert_with(|| anchor.clone());
            }
            let expected = result.expected.is_some() && kind != Kind::UnexpectedPass;
            let keys = keys.into_iter().collect::<Vec<_>>().join(" ");
            let head = Listed { anchor, kind, id: &result.id, expected, keys };
            if place < share {
                entries.entries.push(entry(head, result, case, group.rule));
            } else {
                entries.listed.push(head);
            }
        }
        self.groups.push(entries);
    }
}

impl Entries<'_> {
    pub(super) fn count(&self) -> usize {
        self.entries.len() + self.listed.len()
    }
}

fn entry<'a>(
    head: Listed<'a>,
    result: &'a CaseResult,
    case: Option<&'a CaseFacts>,
    rule: Option<&'a str>,
) -> Entry<'a> {
    let evidence = result.evidence.as_ref();
    Entry {
        head,
        gist: gist(&result.outcome),
        case,
        result,
        said: Said::of(&result.outcome),
        first: result.first.as_ref().map(|first| (first.name(), short(&first.detail()))),
        reason: result
            .expected
            .as_ref()
            .map(|expectation| Linked::of(&expectation.reason, expectation.link.as_deref())),
        evidence,
        bytes: evidence.and_then(Bytes::of),
        graph: evidence.and_then(|evidence| evidence.neighbourhood.as_ref()).and_then(Graph::of),
        rule: rule.and_then(RuleText::of),
    }
}

/// What happened, in a few words.
fn gist(outcome: &Outcome) -> String {
    let first_line = |text: &str| {
        let line = text.lines().next().unwrap_or_default();
        let (shown, left_out) = group::cut(line, 100);
        format!("{shown}{}", if left_out > 0 { "…" } else { "" })
    };
    match outcome {
        Outcome::Pass { .. } => "passed, although it is expected to fail".to_owned(),
        Outcome::Fail { fact, address, count, .. } => {
            let at = address.as_deref().map(|address| format!(" at {address}")).unwrap_or_default();
            let more = if *count > 1 { format!(", {count} times") } else { String::new() };
            first_line(&format!("{fact}{at}{more}"))
        }
        Outcome::WrongVerdict { expected, .. } => first_line(&format!("expected to {expected}")),
        Outcome::PassAlone { how } => first_line(&format!("right only when asked alone; before, {how}")),
        Outcome::Skip { reason: how, .. }
        | Outcome::Crash { how }
        | Outcome::Hang { how }
        | Outcome::OutOfMemory { how }
        | Outcome::AdapterError { how } => first_line(how),
    }
}

impl Said {
    fn of(outcome: &Outcome) -> Said {
        match outcome {
            Outcome::Pass { .. } => Said::Nothing,
            Outcome::Fail { expected, found, .. } | Outcome::WrongVerdict { expected, found } => {
                let (expected, found) = sides(expected, found);
                Said::Sides(expected, found)
            }
            other => Said::Text(short(&other.detail())),
        }
    }
}

fn short(text: &str) -> String {
    let (shown, left_out) = group::cut(text, MOST_CHARACTERS);
    let more = if left_out > 0 { format!("… ({left_out} characters more)") } else { String::new() };
    format!("{shown}{more}")
}

/// Two texts, with what differs set apart where they have something in common.
fn sides(expected: &str, found: &str) -> (Side, Side) {
    let (a, b): (Vec<char>, Vec<char>) = (expected.chars().collect(), found.chars().collect());
    let begin = a.iter().zip(&b).take_while(|(a, b)| a == b).count();
    let rest = a.len().min(b.len()) - begin;
    let end = a.iter().rev().zip(b.iter().rev()).take(rest).take_while(|(a, b)| a == b).count();
    // A letter or two in common are chance.
    let (begin, end) = if begin + end < 4 { (0, 0) } else { (begin, end) };
    (side(&a, begin, end), side(&b, begin, end))
}

fn side(text: &[char], begin: usize, end: usize) -> Side {
    let skipped = if begin > 2 * BEFORE_DIFFERENCE { begin - BEFORE_DIFFERENCE } else { 0 };
    let stop = text.len().min(skipped + MOST_CHARACTERS);
    let part = |from: usize, to: usize| -> String {
        let (from, to) = (from.clamp(skipped, stop), to.clamp(skipped, stop));
        text[from..to].iter().collect()
    };
    let apart = begin + end > 0;
    let last = if apart { text.len() - end } else { 0 };
    Side {
        skipped,
        before: part(skipped, begin),
        differs: if apart { part(begin, last) } else { String::new() },
        behind: part(last, text.len()),
        left_out: text.len() - stop,
    }
}

impl<'a> Linked<'a> {
    fn of(reason: &str, link: Option<&'a str>) -> Linked<'a> {
        Linked { reason: short(reason), href: link.and_then(group::followed), text: link.map(short) }
    }
}

impl RuleText {
    /// The text of a rule of the rule books.
    pub(super) fn of(id: &str) -> Option<RuleText> {
        let rule = validate::rule(id)?;
        Some(RuleText {
            id: rule.id,
            statement: rule.statement,
            documents: rule.documents,
            sources: validate::sources(rule).iter().map(ToString::to_string).collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn apart(expected: &str, found: &str) -> [(String, String, String); 2] {
        let (a, b) = sides(expected, found);
        [a, b].map(|side| (side.before, side.differs, side.behind))
    }

    #[test]
    fn what_differs_is_set_apart() {
        let told = |a: &str, b: &str, c: &str| (a.to_owned(), b.to_owned(), c.to_owned());
        assert_eq!(
            apart("array of 5 ints", "array of 37 ints"),
            [told("array of ", "5", " ints"), told("array of ", "37", " ints")]
        );
        assert_eq!(apart("aaaaa", "aaaa"), [told("aaaa", "a", ""), told("aaaa", "", "")]);
        assert_eq!(apart("5", "7"), [told("", "", "5"), told("", "", "7")]);
        assert_eq!(apart("𝄞𝄞𝄞𝄞x", "𝄞𝄞𝄞𝄞"), [told("𝄞𝄞𝄞𝄞", "x", ""), told("𝄞𝄞𝄞𝄞", "", "")]);
        assert_eq!(apart("", ""), [told("", "", ""), told("", "", "")]);
    }

    #[test]
    fn a_difference_far_behind_is_shown() {
        let same = "s".repeat(100_000);
        let (a, b) = sides(&format!("{same}1{same}"), &format!("{same}2{same}"));
        assert_eq!((a.skipped, a.differs.as_str(), b.differs.as_str()), (99_800, "1", "2"));
        assert_eq!(a.left_out, 100_001 + 200 - 1200);
    }
}
