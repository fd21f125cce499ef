//! `list:N`: objects of which each refers to the next. `ring:N`: the last one refers to the first.

use super::structure::{Counts, Kind, OwnClass, Run, Structure, int, only, reference};

#[derive(Debug)]
pub(super) struct List {
    objects: u64,
}

impl List {
    pub(super) fn new(objects: u64) -> List {
        List { objects }
    }
}

fn node() -> Vec<OwnClass> {
    vec![OwnClass::new("Node", vec![reference("next"), int("value")])]
}

impl Structure for List {
    fn classes(&self) -> Vec<OwnClass> {
        node()
    }

    fn kinds(&self) -> Vec<Kind> {
        vec![Kind::instance(0)]
    }

    fn runs(&self) -> Vec<Run> {
        vec![Run::of(0, self.objects - 1), Run::of(0, 1)]
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

    fn retained(&self, object: u64) -> Counts {
        only(self.objects - object)
    }

    fn distance(&self, object: u64) -> u64 {
        object
    }

    fn class_holder(&self, _: u64) -> u64 {
        0
    }
}

#[derive(Debug)]
pub(super) struct Ring {
    objects: u64,
}

impl Ring {
    pub(super) fn new(objects: u64) -> Ring {
        Ring { objects }
    }
}

impl Structure for Ring {
    fn classes(&self) -> Vec<OwnClass> {
        node()
    }

    fn kinds(&self) -> Vec<Kind> {
        vec![Kind::instance(0)]
    }

    fn runs(&self) -> Vec<Run> {
        vec![Run::of(0, self.objects)]
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

    fn retained(&self, object: u64) -> Counts {
        only(self.objects - object)
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
