//! `list:N`: objects of which each refers to the next. `ring:N`: the last one refers to the first.

use super::structure::{
    KindCounts, OwnClass, ShapeObjects, ShapeStructure, UnitRun, first_kind_only, int_field, reference_field,
};

#[derive(Debug)]
pub(super) struct ListShape {
    objects: u64,
}

impl ListShape {
    pub(super) fn new(objects: u64) -> ListShape {
        ListShape { objects }
    }
}

fn node() -> Vec<OwnClass> {
    vec![OwnClass::new("Node", vec![reference_field("next"), int_field("value")])]
}

impl ShapeStructure for ListShape {
    fn classes(&self) -> Vec<OwnClass> {
        node()
    }

    fn kinds(&self) -> Vec<ShapeObjects> {
        vec![ShapeObjects::instance(0)]
    }

    fn runs(&self) -> Vec<UnitRun> {
        vec![UnitRun::new(0, self.objects - 1), UnitRun::new(0, 1)]
    }

    fn reference(&self, object: u64, _: u64) -> Option<u64> {
        (object + 1 < self.objects).then_some(object + 1)
    }

    fn in_degree(&self, object: u64) -> u64 {
        u64::from(object > 0)
    }

    fn dominator(&self, object: u64) -> Option<u64> {
        object.checked_sub(1)
    }

    fn retained(&self, object: u64) -> KindCounts {
        first_kind_only(self.objects - object)
    }

    fn distance(&self, object: u64) -> u64 {
        object
    }

    fn class_holder(&self, _: u64) -> u64 {
        0
    }
}

#[derive(Debug)]
pub(super) struct RingShape {
    objects: u64,
}

impl RingShape {
    pub(super) fn new(objects: u64) -> RingShape {
        RingShape { objects }
    }
}

impl ShapeStructure for RingShape {
    fn classes(&self) -> Vec<OwnClass> {
        node()
    }

    fn kinds(&self) -> Vec<ShapeObjects> {
        vec![ShapeObjects::instance(0)]
    }

    fn runs(&self) -> Vec<UnitRun> {
        vec![UnitRun::new(0, self.objects)]
    }

    fn reference(&self, object: u64, _: u64) -> Option<u64> {
        Some(if object + 1 == self.objects { 0 } else { object + 1 })
    }

    fn in_degree(&self, _: u64) -> u64 {
        1
    }

    fn dominator(&self, object: u64) -> Option<u64> {
        object.checked_sub(1)
    }

    fn retained(&self, object: u64) -> KindCounts {
        first_kind_only(self.objects - object)
    }

    fn distance(&self, object: u64) -> u64 {
        object
    }

    fn is_one_component(&self) -> bool {
        true
    }

    fn class_holder(&self, _: u64) -> u64 {
        0
    }
}
