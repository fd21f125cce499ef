//! `clique:N`: members, each with an array that refers to all others. Object 2i is member i, and 2i + 1 its array.

use super::structure::{KindCounts, OwnClass, ShapeObjects, ShapeStructure, UnitRun, reference_field};

#[derive(Debug)]
pub(super) struct CliqueShape {
    members: u64,
}

impl CliqueShape {
    pub(super) fn new(members: u64) -> CliqueShape {
        CliqueShape { members }
    }
}

const MEMBER: usize = 0;
const ARRAY: usize = 1;

impl ShapeStructure for CliqueShape {
    fn classes(&self) -> Vec<OwnClass> {
        vec![OwnClass::new("Member", vec![reference_field("others")]), OwnClass::array_of("Member")]
    }

    fn kinds(&self) -> Vec<ShapeObjects> {
        vec![ShapeObjects::instance(MEMBER), ShapeObjects::array(ARRAY, self.members - 1)]
    }

    fn runs(&self) -> Vec<UnitRun> {
        vec![UnitRun { unit: vec![MEMBER, ARRAY], count: self.members, is_held: false }]
    }

    fn reference(&self, object: u64, place: u64) -> Option<u64> {
        let member = object / 2;
        Some(match object % 2 {
            0 => object + 1,
            _ => 2 * if place < member { place } else { place + 1 },
        })
    }

    fn in_degree(&self, object: u64) -> u64 {
        if object.is_multiple_of(2) { self.members - 1 } else { 1 }
    }

    fn dominator(&self, object: u64) -> Option<u64> {
        match object {
            0 => None,
            object if object % 2 == 1 => Some(object - 1),
            // The first one's array refers to all.
            _ => Some(1),
        }
    }

    fn retained(&self, object: u64) -> KindCounts {
        let (members, arrays) = match object {
            0 => (self.members, self.members),
            1 => (self.members - 1, self.members),
            object => (1 - object % 2, 1),
        };
        [members, arrays, 0, 0, 0, 0]
    }

    fn distance(&self, object: u64) -> u64 {
        match object {
            0 | 1 => object,
            object => 2 + object % 2,
        }
    }

    fn is_one_component(&self) -> bool {
        self.members > 1
    }

    fn class_holder(&self, class: u64) -> u64 {
        class
    }
}
