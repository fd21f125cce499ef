//! `power-law:N`: a binary tree, each object of which also refers to one of its ancestors: a few have very many of
//! these references, most have few or none. The object of rank r has about N / r of them, so that the share of objects
//! with at least d of them falls with 1 / d.

use super::structure::{KindCounts, OwnClass, ShapeObjects, ShapeStructure, UnitRun, first_kind_only, reference_field};

#[derive(Debug)]
pub(super) struct PowerLawShape {
    objects: u64,
}

impl PowerLawShape {
    pub(super) fn new(objects: u64) -> PowerLawShape {
        PowerLawShape { objects }
    }
}

/// The number of ancestors of an object, whose rank counts from 1.
fn level(rank: u64) -> u64 {
    rank.ilog2().into()
}

/// The distance of an object, other than the first, to its hub: from 1 to its level.
fn rise(rank: u64) -> u64 {
    1 + rank % level(rank)
}

impl ShapeStructure for PowerLawShape {
    fn classes(&self) -> Vec<OwnClass> {
        vec![OwnClass::new("Node", vec![reference_field("left"), reference_field("right"), reference_field("hub")])]
    }

    fn kinds(&self) -> Vec<ShapeObjects> {
        vec![ShapeObjects::instance(0)]
    }

    fn runs(&self) -> Vec<UnitRun> {
        // The first; those with two objects below them, with one, and with none.
        let (two, one) = ((self.objects - 1) / 2, self.objects / 2);
        let counts = [1, two.saturating_sub(1), one.saturating_sub(two.max(1)), self.objects - one.max(1)];
        counts.into_iter().map(|count| UnitRun::new(0, count)).collect()
    }

    fn reference(&self, object: u64, place: u64) -> Option<u64> {
        let rank = object + 1;
        let to = match place {
            0 | 1 => 2 * rank + place,
            _ if object == 0 => return None,
            _ => rank >> rise(rank),
        };
        (to <= self.objects).then(|| to - 1)
    }

    fn in_degree(&self, object: u64) -> u64 {
        let rank = object + 1;
        let hub = |below: u64| {
            // Those that many levels below, of which one in a few is that far below its hub.
            let (first, end) = (rank << below, ((rank + 1) << below).min(self.objects + 1));
            let (few, rest) = (level(rank) + below, below - 1);
            let up_to = |end: u64| (end + few - 1 - rest) / few;
            up_to(end) - up_to(first)
        };
        let levels = level(self.objects) - level(rank);
        let has_rank = |below: &u64| rank << below <= self.objects;
        u64::from(object > 0) + (1..=levels).filter(has_rank).map(hub).sum::<u64>()
    }

    fn dominator(&self, object: u64) -> Option<u64> {
        Some(object.checked_sub(1)? / 2)
    }

    fn retained(&self, object: u64) -> KindCounts {
        let rank = object + 1;
        let levels = level(self.objects) - level(rank);
        let of_level = |below: u64| {
            let (first, end) = (rank << below, ((rank + 1) << below).min(self.objects + 1));
            end.saturating_sub(first)
        };
        first_kind_only((0..=levels).map(of_level).sum())
    }

    fn distance(&self, object: u64) -> u64 {
        level(object + 1)
    }

    fn is_one_component(&self) -> bool {
        // Each refers to an ancestor, from which a path leads back.
        true
    }

    fn class_holder(&self, _: u64) -> u64 {
        0
    }
}
