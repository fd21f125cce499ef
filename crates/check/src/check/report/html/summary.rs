//! The top of the page: the result of each implementation, and the causes to look at first.

use crate::check::report::html::causes::CauseSection;
use crate::check::report::{CheckReport, Outcome, TestedImplementation};

/// The most causes at the top of the page.
const MOST_NAMED: usize = 4;

/// The row of an implementation.
pub(super) struct SummaryLine<'a> {
    pub(super) tested: &'a TestedImplementation,
    /// The number of cases under each heading.
    pub(super) counts: Vec<u64>,
    /// The numbers of causes: unexpected and known.
    pub(super) causes: [usize; 2],
    pub(super) omitted: Vec<String>,
    pub(super) readings: Vec<String>,
    pub(super) seconds: Option<String>,
}

/// The verdicts that occur, in the order of tables; passes are always among them.
pub(super) fn headings(report: &CheckReport) -> Vec<&'static str> {
    let occurs = |name: &str| report.implementations.iter().any(|tested| tally_count(tested, name) > 0);
    let is_among = report.implementations.iter().any(|tested| !tested.compared.is_empty());
    let (all, first) =
        if is_among { (&Outcome::AMONG[..], Outcome::AMONG[0]) } else { (&Outcome::NAMES[..], Outcome::NAMES[0]) };
    all.iter().copied().filter(|name| *name == first || occurs(name)).collect()
}

fn tally_count(tested: &TestedImplementation, name: &str) -> u64 {
    tested.tally.get(name).copied().unwrap_or_default()
}

impl<'a> SummaryLine<'a> {
    pub(super) fn from_tested(
        report: &CheckReport,
        tested: &'a TestedImplementation,
        headings: &[&str],
    ) -> SummaryLine<'a> {
        let times = report.run.as_ref().and_then(|run| run.milliseconds.get(&tested.label));
        let (known, _) = tested.known_counts();
        SummaryLine {
            tested,
            counts: headings.iter().map(|name| tally_count(tested, name)).collect(),
            causes: [tested.causes.len() - known, known],
            readings: tested.other_readings(),
            omitted: tested.omitted.iter().map(ToString::to_string).collect(),
            seconds: times.map(|times| format!("{:.1}", times.values().sum::<f64>() / 1000.0)),
        }
    }
}

/// The causes at the top of the page.
pub(super) struct TopCauses<'a> {
    /// The largest unexpected causes, or else known ones.
    pub(super) causes: Vec<NamedCause<'a>>,
    /// Whether there are others.
    pub(super) is_cut: bool,
    /// The command that repeats the first.
    pub(super) repeat: Option<&'a str>,
}

/// A cause by its sentence.
pub(super) struct NamedCause<'a> {
    pub(super) anchor: String,
    pub(super) label: &'a str,
    pub(super) sentence: String,
    pub(super) count: String,
}

impl<'a> TopCauses<'a> {
    pub(super) fn from_sections(sections: &[CauseSection<'a>]) -> TopCauses<'a> {
        let cards = || sections.iter().flat_map(|section| section.cards.iter().map(move |card| (section.label, card)));
        let is_known = cards().all(|(_, card)| card.known);
        let mut cards: Vec<_> = cards().filter(|(_, card)| card.known == is_known).collect();
        cards.sort_by_key(|(_, card)| std::cmp::Reverse(card.cause.all_failures()));
        let named = cards.iter().take(MOST_NAMED);
        TopCauses {
            causes: named
                .map(|(label, card)| NamedCause {
                    anchor: card.anchor.clone(),
                    label,
                    sentence: card.sentence.clone(),
                    count: card.cause.count(),
                })
                .collect(),
            is_cut: cards.len() > MOST_NAMED,
            repeat: cards.first().and_then(|(_, card)| card.cause.repeat.as_deref()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_verdicts_that_occur_have_a_column() {
        let mut tested = TestedImplementation::default();
        tested.tally.insert("crash".to_owned(), 2);
        tested.tally.insert("hang".to_owned(), 0);
        let report = CheckReport { implementations: vec![tested], ..CheckReport::default() };
        let headings = headings(&report);
        assert_eq!(headings, ["pass", "crash"]);
        assert_eq!(SummaryLine::from_tested(&report, &report.implementations[0], &headings).counts, [0, 2]);
    }
}
