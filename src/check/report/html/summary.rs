//! What an implementation is and how it did, as a card with a bar.

use crate::check::report::{Outcome, Report, Tested};

/// Width of a bar in its own units.
const WIDTH: f64 = 1000.0;

/// What a verdict that is there at all takes of the bar at least, so that one failure in thousands is seen.
const LEAST: f64 = 8.0;

/// An implementation.
pub(super) struct Card<'a> {
    pub(super) tested: &'a Tested,
    pub(super) segments: Vec<Segment>,
    /// Cases that were not skipped.
    pub(super) asked: u64,
    pub(super) passed: u64,
    pub(super) unexpected: usize,
    /// Numbers of the table, in the order of [`Outcome::NAMES`].
    pub(super) counts: Vec<u64>,
    pub(super) omitted: Vec<String>,
    pub(super) readings: Vec<String>,
    pub(super) seconds: Option<String>,
}

/// A part of a bar.
pub(super) struct Segment {
    pub(super) name: &'static str,
    pub(super) count: u64,
    pub(super) x: String,
    pub(super) width: String,
}

impl<'a> Card<'a> {
    pub(super) fn of(report: &Report, tested: &'a Tested) -> Card<'a> {
        let counts: Vec<u64> =
            Outcome::NAMES.iter().map(|name| tested.tally.get(*name).copied().unwrap_or_default()).collect();
        let number = |name: &str| tested.tally.get(name).copied().unwrap_or_default();
        let (total, skipped): (u64, u64) = (counts.iter().sum(), number("skip"));
        let times = report.run.as_ref().and_then(|run| run.milliseconds.get(&tested.label));
        Card {
            tested,
            segments: segments(&counts),
            asked: total.saturating_sub(skipped),
            passed: number("pass"),
            unexpected: tested.results.iter().filter(|result| result.is_unexpected()).count(),
            counts,
            readings: tested.other_readings(),
            omitted: tested.omitted.iter().map(ToString::to_string).collect(),
            seconds: times.map(|times| format!("{:.1}", times.values().sum::<f64>() / 1000.0)),
        }
    }
}

/// The verdicts that there are, side by side over the whole width.
fn segments(counts: &[u64]) -> Vec<Segment> {
    let total: u64 = counts.iter().sum();
    let present = counts.iter().filter(|count| **count > 0).count();
    // Each has its least; what is left is shared by number.
    let shared = (WIDTH - LEAST * present as f64).max(0.0);
    let mut x = 0.0;
    let mut segments = Vec::new();
    for (name, count) in Outcome::NAMES.into_iter().zip(counts.iter().copied()).filter(|(_, count)| *count > 0) {
        let width = LEAST + shared * (count as f64 / total as f64);
        segments.push(Segment { name, count, x: format!("{x:.1}"), width: format!("{width:.1}") });
        x += width;
    }
    segments
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_failure_among_thousands_is_seen_and_the_bar_is_full() {
        let segments = segments(&[100_000, 0, 1, 0, 0, 0, 0, 0, 1]);
        let widths: Vec<f64> = segments.iter().map(|s| s.width.parse().expect("a number")).collect();
        assert_eq!(segments.iter().map(|s| s.name).collect::<Vec<_>>(), ["pass", "fail", "adapter-error"]);
        assert!(widths.iter().all(|width| *width >= 8.0));
        assert!((widths.iter().sum::<f64>() - 1000.0).abs() < 0.2);
    }
}
