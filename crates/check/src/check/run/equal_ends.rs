//! Sound dumps that all end the same way: what works on none of them has nothing to say about the others.

use crate::check::report::symptom::describe_end;
use crate::check::report::{Outcome, STOPPED};
use crate::check::task::Task;
use crate::corpus::CaseVerdict;
use heapsmith_core::error::Error;

/// The number of sound dumps whose ends have to be equal before others are looked for: more, and a run is late to stop; fewer, and
/// one that goes on asks in vain.
const FIRST: usize = 3;

/// The most dumps that are asked about alone, for each one that has to end so: half of the corpus is damaged, and an implementation
/// reads one format of three.
const ASKED: usize = 8;

/// How a question about a sound dump ended.
pub(super) enum SoundEnd {
    /// With an answer that can be judged.
    Answered,
    /// Without one, in this way.
    Unanswered(String),
    /// With nothing that says more: it was skipped, or took too long, which has a limit of its own.
    Unknown,
}

impl SoundEnd {
    /// The end of a question about a task; unknown where its dump is not sound.
    pub(super) fn from_outcome(task: &Task, outcome: &Outcome) -> Result<SoundEnd, Error> {
        if matches!(outcome, Outcome::Skip { .. } | Outcome::Hang { .. }) || !is_sound(task)? {
            return Ok(SoundEnd::Unknown);
        }
        Ok(describe_end(outcome).map_or(SoundEnd::Answered, SoundEnd::Unanswered))
    }
}

/// Whether the dump of a task is held, and sound.
pub(super) fn is_sound(task: &Task) -> Result<bool, Error> {
    let is_known = !task.source.is_streamed() && task.source.unknown_format_reason().is_none();
    Ok(is_known && task.source.case()?.verdict == CaseVerdict::Valid)
}

/// The ends of the first sound dumps.
#[derive(Default)]
pub(super) struct FirstEnds {
    ends: Vec<String>,
    has_answer: bool,
}

impl FirstEnds {
    pub(super) fn add(&mut self, end: SoundEnd) {
        match end {
            SoundEnd::Answered => self.has_answer = true,
            SoundEnd::Unanswered(end) => self.ends.push(end),
            SoundEnd::Unknown => {}
        }
    }

    /// Whether it is known how the first of them ended.
    pub(super) fn are_known(&self) -> bool {
        self.has_answer || self.ends.len() >= FIRST
    }

    /// The way in which all of them ended.
    pub(super) fn common(self) -> Option<String> {
        let [first, others @ ..] = &*self.ends else { return None };
        let is_common = !self.has_answer && self.are_known() && others.iter().all(|end| end == first);
        is_common.then(|| first.clone())
    }
}

/// The reason for which no other case is asked.
pub(super) fn describe_stop(equal: usize, end: &str) -> String {
    format!("{STOPPED}{equal} sound dumps end the same way, and none is read: {end}")
}

/// Places among that many tasks that are spread over all of them, and so is each first part of them: the step between two is a golden
/// section of the whole, so that each place divides the widest gap. Dumps with like ids have much in common.
pub(super) fn spread_places(count: usize, equal: usize) -> impl Iterator<Item = usize> {
    let section = (count as f64 * 0.618) as usize;
    let step = (section.max(1)..).find(|step| greatest_common_divisor(*step, count) == 1).unwrap_or(1);
    (0..count).map(move |place| place * step % count).take(equal.saturating_mul(ASKED))
}

fn greatest_common_divisor(a: usize, b: usize) -> usize {
    if b == 0 { a } else { greatest_common_divisor(b, a % b) }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn places_are_spread_and_differ() {
        for count in [1, 2, 12, 97, 100, 571, 4096] {
            let all: Vec<usize> = spread_places(count, usize::MAX).collect();
            assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), count);
            assert!(all.iter().all(|place| *place < count));
        }
        assert_eq!(spread_places(0, 12).count(), 0);
        assert_eq!(spread_places(571, 12).count(), 96);
        // A block of a fifth of the run is met by the first dozen places, wherever it begins.
        for begin in 0..571 {
            let is_inside = |place: usize| (place + 571 - begin) % 571 < 115;
            assert!(spread_places(571, 12).take(12).any(is_inside), "{begin}");
        }
    }

    #[test]
    fn first_ends_are_common_if_all_are_equal_and_none_is_an_answer() {
        let common = |ends: Vec<SoundEnd>| {
            let mut first = FirstEnds::default();
            ends.into_iter().for_each(|end| first.add(end));
            first.common()
        };
        let end = |text: &str| SoundEnd::Unanswered(text.to_owned());
        assert_eq!(common(vec![end("a"), SoundEnd::Unknown, end("a"), end("a")]).as_deref(), Some("a"));
        assert_eq!(common(vec![end("a"), end("a")]), None);
        assert_eq!(common(vec![end("a"), end("a"), end("b")]), None);
        assert_eq!(common(vec![end("a"), end("a"), end("a"), SoundEnd::Answered]), None);
        assert_eq!(common(vec![]), None);
    }
}
