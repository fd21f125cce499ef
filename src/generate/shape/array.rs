//! `array:BYTES`: one array of bytes. `classes:N`: that many classes, each with one instance, and an array that refers
//! to these.

use super::structure::{Body, Counts, Kind, Of, OwnClass, Run, Structure, int, of_kind, only};

#[derive(Debug)]
pub(super) struct Array {
    bytes: u64,
}

impl Array {
    pub(super) fn new(bytes: u64) -> Array {
        Array { bytes }
    }
}

impl Structure for Array {
    fn classes(&self) -> Vec<OwnClass> {
        Vec::new()
    }

    fn kinds(&self) -> Vec<Kind> {
        vec![Kind { of: Of::Known("[B"), body: Body::Bytes(self.bytes) }]
    }

    fn runs(&self) -> Vec<Run> {
        vec![Run::held(0, 1)]
    }

    fn reference(&self, _: u64, _: u64) -> Option<u64> {
        None
    }

    fn in_degree(&self, _: u64) -> u64 {
        0
    }

    fn dominator(&self, _: u64) -> Option<u64> {
        None
    }

    fn retained(&self, _: u64) -> Counts {
        only(1)
    }

    fn distance(&self, _: u64) -> u64 {
        0
    }

    fn class_holder(&self, _: u64) -> u64 {
        0
    }
}

#[derive(Debug)]
pub(super) struct Classes {
    classes: u64,
}

impl Classes {
    pub(super) fn new(classes: u64) -> Classes {
        Classes { classes }
    }
}

const ARRAY: usize = 0;
const INSTANCE: usize = 1;

impl Structure for Classes {
    fn classes(&self) -> Vec<OwnClass> {
        (0..self.classes).map(|class| OwnClass::new(&format!("Class{class}"), vec![int("value")])).collect()
    }

    fn kinds(&self) -> Vec<Kind> {
        let array = Kind { of: Of::Known("[Ljava/lang/Object;"), body: Body::Elements(self.classes) };
        vec![array, Kind { of: Of::InTurn(1), body: Body::Fields }]
    }

    fn runs(&self) -> Vec<Run> {
        vec![Run::held(ARRAY, 1), Run::held(INSTANCE, self.classes)]
    }

    fn reference(&self, object: u64, place: u64) -> Option<u64> {
        (object == 0).then_some(1 + place)
    }

    fn in_degree(&self, object: u64) -> u64 {
        u64::from(object > 0)
    }

    fn dominator(&self, object: u64) -> Option<u64> {
        (object > 0).then_some(0)
    }

    fn retained(&self, object: u64) -> Counts {
        match object {
            0 => [1, self.classes, 0, 0, 0, 0],
            _ => of_kind(INSTANCE, 1),
        }
    }

    fn distance(&self, object: u64) -> u64 {
        u64::from(object > 0)
    }

    fn class_holder(&self, class: u64) -> u64 {
        1 + class
    }
}
