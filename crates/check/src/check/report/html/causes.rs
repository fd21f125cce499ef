//! The causes of an implementation's failures, each with the case that shows it.

use std::collections::{BTreeMap, BTreeSet};

use crate::check::report::evidence::Evidence;
use crate::check::report::group::CasesById;
use crate::check::report::html::ResultKind;
use crate::check::report::html::bytes::EvidenceTable;
use crate::check::report::html::graph::NeighbourPicture;
use crate::check::report::html::outcome_text::{LinkedReason, OutcomeText, gist, short};
use crate::check::report::html::rows::MatrixRows;
use crate::check::report::{CaseFacts, CaseResult, Cause, CheckReport, TestedImplementation, group};
use heapsmith_core::page::RuleDescription;

/// Causes of the whole page, shared by implementations; the others are counted.
const MOST_CAUSES: usize = 300;

/// The most elements of the page for bytes and pictures; further causes have neither.
const MOST_ELEMENTS: usize = 3600;

/// Other cases of a cause by id.
const MOST_CASES: usize = 300;

/// Symptoms of a cause.
const MOST_SYMPTOMS: usize = 8;

/// Reasons for which its cases are expected to fail.
const MOST_REASONS: usize = 10;

/// Characters of a sentence.
const MOST_OF_SENTENCE: usize = 400;

/// The causes of an implementation.
pub(super) struct CauseSection<'a> {
    pub(super) index: usize,
    pub(super) label: &'a str,
    pub(super) cards: Vec<CauseCard<'a>>,
    /// Causes without a card.
    pub(super) left_out: usize,
    /// The first card with a case of a row of the matrix, by row.
    pub(super) firsts: BTreeMap<usize, String>,
}

/// A cause.
pub(super) struct CauseCard<'a> {
    pub(super) anchor: String,
    pub(super) cause: &'a Cause,
    pub(super) sentence: String,
    /// Whether all its failures are expected.
    pub(super) known: bool,
    /// The verdicts of its cases, the commonest first.
    pub(super) kinds: Vec<ResultKind>,
    /// The rows of the matrix in which its cases are counted.
    pub(super) rows: String,
    pub(super) symptoms: Vec<String>,
    pub(super) reasons: Vec<LinkedReason<'a>>,
    pub(super) rule: Option<RuleDescription>,
    pub(super) example: Option<CauseExample<'a>>,
    /// Ids of the other cases, and how many there are besides.
    pub(super) others: String,
    pub(super) more: usize,
}

/// The case that shows a cause.
pub(super) struct CauseExample<'a> {
    pub(super) case: Option<&'a CaseFacts>,
    pub(super) result: &'a CaseResult,
    pub(super) gist: String,
    pub(super) said: OutcomeText,
    pub(super) first: Option<(&'static str, String)>,
    pub(super) also: Vec<String>,
    pub(super) evidence: Option<&'a Evidence>,
    pub(super) bytes: Option<EvidenceTable>,
    pub(super) graph: Option<NeighbourPicture>,
    /// Whether there is more to see than the page shows.
    pub(super) cut: bool,
}

/// The causes of a report, by implementation; those without any have no section.
pub(super) fn sections<'a>(report: &'a CheckReport, cases: &CasesById<'a>, rows: &MatrixRows) -> Vec<CauseSection<'a>> {
    let sizes: Vec<usize> = report.implementations.iter().map(|tested| tested.causes.len()).collect();
    let shown = group::share_budget(&sizes, MOST_CAUSES, MOST_CAUSES);
    let in_full = causes_in_full(report, &shown);
    let implementations = report.implementations.iter().zip(shown).enumerate();
    let sections = implementations.map(|(index, (tested, shown))| {
        let verdicts: BTreeMap<&str, ResultKind> =
            tested.results.iter().filter_map(|result| Some((&*result.id, ResultKind::from_result(result)?))).collect();
        let causes = tested.causes.iter().take(shown).enumerate();
        let cards: Vec<CauseCard<'a>> = causes
            .map(|(number, cause)| CauseCard {
                anchor: format!("c{}-{}", index + 1, number + 1),
                kinds: kinds_of_cause(cause, &verdicts),
                rows: rows_of_cause(cause, cases, rows),
                example: tested
                    .example(cause)
                    .map(|result| CauseExample::from_result(result, cause, cases, in_full.contains(&(number, index)))),
                ..CauseCard::from_cause(tested, cause)
            })
            .collect();
        let left_out = tested.causes.len() - cards.len();
        CauseSection { index, label: &tested.label, firsts: first_cards(tested, &cards, cases, rows), cards, left_out }
    });
    sections.filter(|section| !section.cards.is_empty()).collect()
}

impl CauseSection<'_> {
    /// The number of causes in words.
    pub(super) fn count(&self) -> String {
        let (known, all) = (self.cards.iter().filter(|card| card.known).count(), self.cards.len() + self.left_out);
        let causes = group::pluralize(all as u64, "cause");
        if known == 0 { causes } else { format!("{causes}, {known} known") }
    }
}

/// The causes with bytes and pictures, by number and implementation: the first of each, then the second, as long as
/// there is room; those that are known already after all others.
fn causes_in_full(report: &CheckReport, shown: &[usize]) -> BTreeSet<(usize, usize)> {
    let implementations = report.implementations.iter().zip(shown).enumerate();
    let causes = implementations.flat_map(|(index, (tested, shown))| {
        tested
            .causes
            .iter()
            .take(*shown)
            .enumerate()
            .map(move |(number, cause)| ((cause.unexpected == 0, number, index), tested.example(cause)))
    });
    let costs: BTreeMap<(bool, usize, usize), usize> =
        causes.filter_map(|(place, example)| Some((place, element_count(example?.evidence.as_ref()?)))).collect();
    let mut used = 0;
    let fits = costs.into_iter().filter(|(_, elements)| {
        let is_room = used + elements <= MOST_ELEMENTS;
        used += if is_room { *elements } else { 0 };
        is_room
    });
    fits.map(|((_, number, index), _)| (number, index)).collect()
}

/// The approximate number of elements for the bytes and the picture of a cause.
fn element_count(evidence: &Evidence) -> usize {
    let objects = evidence.neighbourhood.as_ref();
    let graph = objects.map_or(0, |around| 4 * around.nodes.len().min(13) + 2 * around.edges.len().min(20) + 15);
    5 * evidence.fields.len().min(12) + 10 + graph
}

/// The verdicts of a cause's cases, the commonest first.
fn kinds_of_cause(cause: &Cause, verdicts: &BTreeMap<&str, ResultKind>) -> Vec<ResultKind> {
    let mut counts: BTreeMap<ResultKind, usize> = BTreeMap::new();
    for kind in cause.cases.iter().filter_map(|id| verdicts.get(id.as_str())) {
        *counts.entry(*kind).or_default() += 1;
    }
    let mut kinds: Vec<(ResultKind, usize)> = counts.into_iter().collect();
    kinds.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    kinds.into_iter().map(|(kind, _)| kind).collect()
}

/// The rows of the matrix in which the cases of a cause are counted.
fn rows_of_cause(cause: &Cause, cases: &CasesById<'_>, rows: &MatrixRows) -> String {
    let counted: BTreeSet<usize> =
        cause.cases.iter().filter_map(|id| cases.get(id.as_str())).flat_map(|case| rows.rows_of_case(case)).collect();
    counted.iter().map(usize::to_string).collect::<Vec<_>>().join(" ")
}

/// The first card with a case of a row, by row.
fn first_cards(
    tested: &TestedImplementation,
    cards: &[CauseCard<'_>],
    cases: &CasesById<'_>,
    rows: &MatrixRows,
) -> BTreeMap<usize, String> {
    let mut firsts = BTreeMap::new();
    for (cause, card) in tested.causes.iter().zip(cards) {
        for row in cause.cases.iter().filter_map(|id| cases.get(id.as_str())).flat_map(|case| rows.rows_of_case(case)) {
            firsts.entry(row).or_insert_with(|| card.anchor.clone());
        }
    }
    firsts
}

impl<'a> CauseCard<'a> {
    fn from_cause(tested: &'a TestedImplementation, cause: &'a Cause) -> CauseCard<'a> {
        let reasons = tested.reasons(cause).into_iter().take(MOST_REASONS);
        let symptoms = cause.symptoms.iter().take(MOST_SYMPTOMS);
        let symptoms = symptoms.map(|symptom| format!("{} ({})", shortened(&symptom.what), symptom.cases));
        let others: Vec<&str> = cause.other_cases().collect();
        let listed = &others[..others.len().min(MOST_CASES)];
        CauseCard {
            anchor: String::new(),
            cause,
            sentence: shortened(&cause.sentence),
            known: cause.unexpected == 0,
            kinds: Vec::new(),
            rows: String::new(),
            reasons: reasons.map(|(expected, cases)| LinkedReason::from_expectation(expected, cases)).collect(),
            symptoms: symptoms.collect(),
            rule: cause.rule.as_deref().and_then(RuleDescription::from_id),
            example: None,
            others: listed.join(", "),
            more: others.len() - listed.len(),
        }
    }
}

/// A sentence of limited length.
pub(super) fn shortened(text: &str) -> String {
    let (shown, left_out) = group::truncate(text, MOST_OF_SENTENCE);
    format!("{shown}{}", if left_out > 0 { "…" } else { "" })
}

impl<'a> CauseExample<'a> {
    fn from_result(result: &'a CaseResult, cause: &Cause, cases: &CasesById<'a>, in_full: bool) -> CauseExample<'a> {
        let example = result.shown_for_cause(cause);
        let evidence = result.evidence.as_ref();
        let shown = evidence.filter(|_| in_full);
        CauseExample {
            case: cases.get(result.id.as_str()).copied(),
            result,
            gist: gist(&example.outcome),
            said: OutcomeText::from_outcome(&example.outcome),
            first: result.first.as_ref().map(|first| (first.name(), short(&first.detail()))),
            also: example.other_fact_lines(),
            evidence,
            bytes: shown.and_then(EvidenceTable::from_evidence),
            graph: shown
                .and_then(|evidence| evidence.neighbourhood.as_ref())
                .and_then(NeighbourPicture::from_neighbourhood),
            cut: shown.is_none() && evidence.is_some_and(|evidence| !evidence.fields.is_empty()),
        }
    }
}
