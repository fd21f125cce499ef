//! The causes of an implementation's failures, each with the case that shows it.

use std::collections::{BTreeMap, BTreeSet};

use crate::check::report::evidence::Evidence;
use crate::check::report::group::Cases;
use crate::check::report::html::Kind;
use crate::check::report::html::bytes::Bytes;
use crate::check::report::html::graph::Graph;
use crate::check::report::html::rows::Rows;
use crate::check::report::html::said::{Linked, Said, gist, short};
use crate::check::report::{CaseFacts, CaseResult, Cause, Report, Tested, group};
use crate::page::RuleText;

/// Causes of the whole page, shared by implementations; the others are counted.
const MOST_CAUSES: usize = 300;

/// The most elements of the page for bytes and pictures; further causes have neither.
const MOST_ELEMENTS: usize = 6000;

/// Other cases of a cause by id.
const MOST_CASES: usize = 300;

/// Symptoms of a cause.
const MOST_SYMPTOMS: usize = 8;

/// Reasons for which its cases are expected to fail.
const MOST_REASONS: usize = 10;

/// Characters of a sentence.
const MOST_OF_SENTENCE: usize = 400;

/// The causes of an implementation.
pub(super) struct Section<'a> {
    pub(super) index: usize,
    pub(super) label: &'a str,
    pub(super) cards: Vec<Card<'a>>,
    /// Causes without a card.
    pub(super) left_out: usize,
    /// The first card with a case of a row of the matrix, by row.
    pub(super) firsts: BTreeMap<usize, String>,
}

/// A cause.
pub(super) struct Card<'a> {
    pub(super) anchor: String,
    pub(super) cause: &'a Cause,
    pub(super) sentence: String,
    /// Whether all its failures are expected.
    pub(super) known: bool,
    /// The verdicts of its cases, the commonest first.
    pub(super) kinds: Vec<Kind>,
    /// The rows of the matrix in which its cases are counted.
    pub(super) rows: String,
    pub(super) symptoms: Vec<String>,
    pub(super) reasons: Vec<Linked<'a>>,
    pub(super) rule: Option<RuleText>,
    pub(super) example: Option<Example<'a>>,
    /// Ids of the other cases, and how many there are besides.
    pub(super) others: String,
    pub(super) more: usize,
}

/// The case that shows a cause.
pub(super) struct Example<'a> {
    pub(super) case: Option<&'a CaseFacts>,
    pub(super) result: &'a CaseResult,
    pub(super) gist: String,
    pub(super) said: Said,
    pub(super) first: Option<(&'static str, String)>,
    pub(super) also: Vec<String>,
    pub(super) evidence: Option<&'a Evidence>,
    pub(super) bytes: Option<Bytes>,
    pub(super) graph: Option<Graph>,
    /// Whether there is more to see than the page shows.
    pub(super) cut: bool,
}

/// The causes of a report, by implementation; those without any have no section.
pub(super) fn sections<'a>(report: &'a Report, cases: &Cases<'a>, rows: &Rows) -> Vec<Section<'a>> {
    let sizes: Vec<usize> = report.implementations.iter().map(|tested| tested.causes.len()).collect();
    let shown = group::share(&sizes, MOST_CAUSES, MOST_CAUSES);
    let in_full = in_full(report, &shown);
    let implementations = report.implementations.iter().zip(shown).enumerate();
    let sections = implementations.map(|(index, (tested, shown))| {
        let verdicts: BTreeMap<&str, Kind> =
            tested.results.iter().filter_map(|result| Some((&*result.id, Kind::of(result)?))).collect();
        let causes = tested.causes.iter().take(shown).enumerate();
        let cards: Vec<Card<'a>> = causes
            .map(|(number, cause)| Card {
                anchor: format!("c{}-{}", index + 1, number + 1),
                kinds: kinds(cause, &verdicts),
                rows: rows_of(cause, cases, rows),
                example: tested
                    .example(cause)
                    .map(|result| Example::of(result, cause, cases, in_full.contains(&(number, index)))),
                ..Card::of(tested, cause)
            })
            .collect();
        let left_out = tested.causes.len() - cards.len();
        Section { index, label: &tested.label, firsts: firsts(tested, &cards, cases, rows), cards, left_out }
    });
    sections.filter(|section| !section.cards.is_empty()).collect()
}

impl Section<'_> {
    /// The number of causes in words.
    pub(super) fn count(&self) -> String {
        let (known, all) = (self.cards.iter().filter(|card| card.known).count(), self.cards.len() + self.left_out);
        let causes = group::counted(all as u64, "cause");
        if known == 0 { causes } else { format!("{causes}, {known} known") }
    }
}

/// The causes with bytes and pictures, by number and implementation: the first of each, then the second, as long as
/// there is room.
fn in_full(report: &Report, shown: &[usize]) -> BTreeSet<(usize, usize)> {
    let implementations = report.implementations.iter().zip(shown).enumerate();
    let causes = implementations.flat_map(|(index, (tested, shown))| {
        tested
            .causes
            .iter()
            .take(*shown)
            .enumerate()
            .map(move |(number, cause)| ((number, index), tested.example(cause)))
    });
    let costs: BTreeMap<(usize, usize), usize> =
        causes.filter_map(|(place, example)| Some((place, elements(example?.evidence.as_ref()?)))).collect();
    let mut used = 0;
    let fits = costs.into_iter().filter(|(_, elements)| {
        let is_room = used + elements <= MOST_ELEMENTS;
        used += if is_room { *elements } else { 0 };
        is_room
    });
    fits.map(|(place, _)| place).collect()
}

/// The approximate number of elements for the bytes and the picture of a cause.
fn elements(evidence: &Evidence) -> usize {
    let objects = evidence.neighbourhood.as_ref();
    let graph = objects.map_or(0, |around| 4 * around.nodes.len().min(13) + 2 * around.edges.len().min(20) + 15);
    5 * evidence.fields.len().min(12) + 10 + graph
}

/// The verdicts of a cause's cases, the commonest first.
fn kinds(cause: &Cause, verdicts: &BTreeMap<&str, Kind>) -> Vec<Kind> {
    let mut counts: BTreeMap<Kind, usize> = BTreeMap::new();
    for kind in cause.cases.iter().filter_map(|id| verdicts.get(id.as_str())) {
        *counts.entry(*kind).or_default() += 1;
    }
    let mut kinds: Vec<(Kind, usize)> = counts.into_iter().collect();
    kinds.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    kinds.into_iter().map(|(kind, _)| kind).collect()
}

/// The rows of the matrix in which the cases of a cause are counted.
fn rows_of(cause: &Cause, cases: &Cases<'_>, rows: &Rows) -> String {
    let counted: BTreeSet<usize> =
        cause.cases.iter().filter_map(|id| cases.get(id.as_str())).flat_map(|case| rows.of(case)).collect();
    counted.iter().map(usize::to_string).collect::<Vec<_>>().join(" ")
}

/// The first card with a case of a row, by row.
fn firsts(tested: &Tested, cards: &[Card<'_>], cases: &Cases<'_>, rows: &Rows) -> BTreeMap<usize, String> {
    let mut firsts = BTreeMap::new();
    for (cause, card) in tested.causes.iter().zip(cards) {
        for row in cause.cases.iter().filter_map(|id| cases.get(id.as_str())).flat_map(|case| rows.of(case)) {
            firsts.entry(row).or_insert_with(|| card.anchor.clone());
        }
    }
    firsts
}

impl<'a> Card<'a> {
    fn of(tested: &'a Tested, cause: &'a Cause) -> Card<'a> {
        let reasons = tested.reasons(cause).into_iter().take(MOST_REASONS);
        let symptoms = cause.symptoms.iter().take(MOST_SYMPTOMS);
        let symptoms = symptoms.map(|symptom| format!("{} ({})", shortened(&symptom.what), symptom.cases));
        let others: Vec<&str> = cause.other_cases().collect();
        let listed = &others[..others.len().min(MOST_CASES)];
        Card {
            anchor: String::new(),
            cause,
            sentence: shortened(&cause.sentence),
            known: cause.unexpected == 0,
            kinds: Vec::new(),
            rows: String::new(),
            reasons: reasons.map(|(expected, cases)| Linked::of(expected, cases)).collect(),
            symptoms: symptoms.collect(),
            rule: cause.rule.as_deref().and_then(RuleText::of),
            example: None,
            others: listed.join(", "),
            more: others.len() - listed.len(),
        }
    }
}

/// A sentence of limited length.
pub(super) fn shortened(text: &str) -> String {
    let (shown, left_out) = group::cut(text, MOST_OF_SENTENCE);
    format!("{shown}{}", if left_out > 0 { "…" } else { "" })
}

impl<'a> Example<'a> {
    fn of(result: &'a CaseResult, cause: &Cause, cases: &Cases<'a>, in_full: bool) -> Example<'a> {
        let example = result.shown(cause);
        let evidence = result.evidence.as_ref();
        let shown = evidence.filter(|_| in_full);
        Example {
            case: cases.get(result.id.as_str()).copied(),
            result,
            gist: gist(&example.outcome),
            said: Said::of(&example.outcome),
            first: result.first.as_ref().map(|first| (first.name(), short(&first.detail()))),
            also: example.also_wrong(),
            evidence,
            bytes: shown.and_then(Bytes::of),
            graph: shown.and_then(|evidence| evidence.neighbourhood.as_ref()).and_then(Graph::of),
            cut: shown.is_none() && evidence.is_some_and(|evidence| !evidence.fields.is_empty()),
        }
    }
}
