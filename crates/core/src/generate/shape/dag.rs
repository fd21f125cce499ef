//! `dag:WIDTH,DEPTH`: layers of objects, each of which refers to two objects of the next layer, so that paths join
//! everywhere. An array, object 0, refers to the whole first layer.

use super::structure::{KindCounts, OwnClass, ShapeObjects, ShapeStructure, UnitRun, counts_of_kind, reference_field};

#[derive(Debug)]
pub(super) struct DagShape {
    width: u64,
    depth: u64,
}

impl DagShape {
    pub(super) fn new(width: u64, depth: u64) -> DagShape {
        DagShape { width, depth }
    }

    fn nodes(&self) -> u64 {
        self.width * self.depth
    }

    /// The layer of an object and its place in the layer; `None` for the array.
    fn place(&self, object: u64) -> Option<(u64, u64)> {
        let node = object.checked_sub(1)?;
        Some((node / self.width, node % self.width))
    }

    fn node(&self, layer: u64, place: u64) -> u64 {
        1 + layer * self.width + place
    }
}

const NODE: usize = 0;
const ARRAY: usize = 1;

impl ShapeStructure for DagShape {
    fn classes(&self) -> Vec<OwnClass> {
        vec![OwnClass::new("Node", vec![reference_field("left"), reference_field("right")]), OwnClass::array_of("Node")]
    }

    fn kinds(&self) -> Vec<ShapeObjects> {
        vec![ShapeObjects::instance(NODE), ShapeObjects::array(ARRAY, self.width)]
    }

    fn runs(&self) -> Vec<UnitRun> {
        vec![UnitRun::held(ARRAY, 1), UnitRun::new(NODE, self.nodes() - self.width), UnitRun::new(NODE, self.width)]
    }

    fn reference(&self, object: u64, place: u64) -> Option<u64> {
        match self.place(object) {
            None => Some(self.node(0, place)),
            Some((layer, _)) if layer + 1 == self.depth => None,
            Some((layer, of)) => Some(self.node(layer + 1, (of + place) % self.width)),
        }
    }

    fn in_degree(&self, object: u64) -> u64 {
        match self.place(object) {
            None => 0,
            Some((0, _)) => 1,
            Some(_) => 2,
        }
    }

    fn dominator(&self, object: u64) -> Option<u64> {
        // Each object can be reached through two objects that only the array dominates.
        object.checked_sub(1).map(|before| if self.width == 1 { before } else { 0 })
    }

    fn retained(&self, object: u64) -> KindCounts {
        let nodes = match self.place(object) {
            None => self.nodes(),
            Some((layer, _)) if self.width == 1 => self.depth - layer,
            Some(_) => 1,
        };
        let mut counts = counts_of_kind(NODE, nodes);
        counts[ARRAY] = u64::from(object == 0);
        counts
    }

    fn distance(&self, object: u64) -> u64 {
        self.place(object).map_or(0, |(layer, _)| 1 + layer)
    }

    fn predecessor(&self, object: u64) -> Option<u64> {
        match self.place(object)? {
            (0, _) => Some(0),
            _ => Some(object - self.width),
        }
    }

    fn class_holder(&self, class: u64) -> u64 {
        u64::from(class == NODE as u64 && self.width == 1)
    }
}
