//! `tree:ARITY,DEPTH`: every object above the last level refers to ARITY objects of the next level.

use super::structure::{KindCounts, OwnClass, ShapeObjects, ShapeStructure, UnitRun, first_kind_only, reference_field};

#[derive(Debug)]
pub(super) struct TreeShape {
    arity: u64,
    depth: u64,
    /// The number of objects above the last level.
    inner: u64,
}

impl TreeShape {
    pub(super) fn new(arity: u64, depth: u64) -> TreeShape {
        let inner = depth.checked_sub(1).and_then(|above| TreeShape::objects(arity, above)).unwrap_or(0);
        TreeShape { arity, depth, inner }
    }

    /// The number of objects in a tree of a depth.
    pub(super) fn objects(arity: u64, depth: u64) -> Option<u64> {
        if arity == 1 {
            return depth.checked_add(1);
        }
        // More levels than bits there cannot be.
        (depth < 64).then_some(())?;
        (0..depth).try_fold(1_u64, |sum, _| sum.checked_mul(arity)?.checked_add(1))
    }

    fn subtree_objects(&self, depth: u64) -> u64 {
        TreeShape::objects(self.arity, depth).unwrap_or(u64::MAX)
    }

    /// The number of levels above an object.
    fn level(&self, object: u64) -> u64 {
        if self.arity == 1 {
            return object;
        }
        (0..self.depth).take_while(|level| self.subtree_objects(*level) <= object).count() as u64
    }
}

impl ShapeStructure for TreeShape {
    fn classes(&self) -> Vec<OwnClass> {
        vec![OwnClass::new("Node", (0..self.arity).map(|child| reference_field(&format!("child{child}"))).collect())]
    }

    fn kinds(&self) -> Vec<ShapeObjects> {
        vec![ShapeObjects::instance(0)]
    }

    fn runs(&self) -> Vec<UnitRun> {
        vec![UnitRun::new(0, self.inner), UnitRun::new(0, self.subtree_objects(self.depth) - self.inner)]
    }

    fn reference(&self, object: u64, place: u64) -> Option<u64> {
        (object < self.inner).then(|| self.arity * object + 1 + place)
    }

    fn in_degree(&self, object: u64) -> u64 {
        u64::from(object > 0)
    }

    fn dominator(&self, object: u64) -> Option<u64> {
        Some(object.checked_sub(1)? / self.arity)
    }

    fn retained(&self, object: u64) -> KindCounts {
        first_kind_only(self.subtree_objects(self.depth - self.level(object)))
    }

    fn distance(&self, object: u64) -> u64 {
        self.level(object)
    }

    fn class_holder(&self, _: u64) -> u64 {
        0
    }
}
