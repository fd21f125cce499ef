//! `array:BYTES`: one array of bytes. `classes:N`: that many classes, each with one instance, and an array that refers
//! to these.

use super::structure::{
    KindBody, KindClass, KindCounts, OwnClass, ShapeObjects, ShapeStructure, UnitRun, counts_of_kind, first_kind_only,
    int_field,
};

#[derive(Debug)]
pub(super) struct ArrayShape {
    bytes: u64,
}

impl ArrayShape {
    pub(super) fn new(bytes: u64) -> ArrayShape {
        ArrayShape { bytes }
    }
}

impl ShapeStructure for ArrayShape {
    fn classes(&self) -> Vec<OwnClass> {
        Vec::new()
    }

    fn kinds(&self) -> Vec<ShapeObjects> {
        vec![ShapeObjects { of: KindClass::Known("[B"), body: KindBody::Bytes(self.bytes) }]
    }

    fn runs(&self) -> Vec<UnitRun> {
        vec![UnitRun::held(0, 1)]
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

    fn retained(&self, _: u64) -> KindCounts {
        first_kind_only(1)
    }

    fn distance(&self, _: u64) -> u64 {
        0
    }

    fn class_holder(&self, _: u64) -> u64 {
        0
    }
}

#[derive(Debug)]
pub(super) struct ClassesShape {
    classes: u64,
}

impl ClassesShape {
    pub(super) fn new(classes: u64) -> ClassesShape {
        ClassesShape { classes }
    }
}

const ARRAY: usize = 0;
const INSTANCE: usize = 1;

impl ShapeStructure for ClassesShape {
    fn classes(&self) -> Vec<OwnClass> {
        (0..self.classes).map(|class| OwnClass::new(&format!("Class{class}"), vec![int_field("value")])).collect()
    }

    fn kinds(&self) -> Vec<ShapeObjects> {
        let array =
            ShapeObjects { of: KindClass::Known("[Ljava/lang/Object;"), body: KindBody::Elements(self.classes) };
        vec![array, ShapeObjects { of: KindClass::InTurn(1), body: KindBody::Fields }]
    }

    fn runs(&self) -> Vec<UnitRun> {
        vec![UnitRun::held(ARRAY, 1), UnitRun::held(INSTANCE, self.classes)]
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

    fn retained(&self, object: u64) -> KindCounts {
        match object {
            0 => [1, self.classes, 0, 0, 0, 0],
            _ => counts_of_kind(INSTANCE, 1),
        }
    }

    fn distance(&self, object: u64) -> u64 {
        u64::from(object > 0)
    }

    fn class_holder(&self, class: u64) -> u64 {
        1 + class
    }
}
