//! Answers about the shapes of a generated heap in closed form, without a visit of their objects.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::compare::listing::{Hex, Text};
use crate::generate::{PlacedShape, ProceduralHeap};
use crate::model::{Address, HeapSource, Name};

/// The answers about a shape, in closed form: as quick for any size.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct ShapeAnswers {
    /// The shape, as options and recipes spell it.
    pub shape: String,
    /// The kind of the root that holds it. A dump whose format or writer does not record this kind has no root for the shape.
    pub root: &'static str,
    /// What the root names: the head, or the class whose static field refers to that.
    pub held: Hex,
    /// The first object, through which every way to the others leads.
    pub head: Hex,
    /// The last object, by address.
    pub last: Hex,
    /// Objects. Where the dump records the root, all of them are reachable, and the head retains them: these, and class objects that
    /// nothing else keeps.
    pub objects: u64,
    /// Objects by the name of their class.
    pub classes: Vec<ShapeClass>,
    /// References on a shortest way from what the root names to the last object.
    pub distance_of_last: u64,
    /// Objects of the strongly connected component of the head.
    pub component_of_head: u64,
}

/// The objects of a shape that have one class.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct ShapeClass {
    /// Its name, in the form of Java source.
    pub class: Text,
    /// How many.
    pub objects: u64,
}

impl ShapeAnswers {
    /// The answers about each shape of a heap.
    pub fn from_heap(heap: &ProceduralHeap) -> Vec<ShapeAnswers> {
        let names: BTreeMap<Address, &Name> = heap.classes().iter().map(|class| (class.address, &class.name)).collect();
        heap.shapes().map(|shape| ShapeAnswers::from_shape(shape, &names)).collect()
    }

    fn from_shape(shape: &PlacedShape, names: &BTreeMap<Address, &Name>) -> ShapeAnswers {
        let last = shape.objects().saturating_sub(1);
        let named = shape.by_class().into_iter().filter_map(|(class, (objects, _))| {
            let class = Text::from(&names.get(&class)?.to_java_form());
            Some(ShapeClass { class, objects })
        });
        ShapeAnswers {
            shape: shape.shape().to_string(),
            root: shape.shape().root().form().name,
            held: Hex(shape.root().0),
            head: Hex(shape.address(0).0),
            last: Hex(shape.address(last).0),
            objects: shape.objects(),
            classes: named.collect(),
            distance_of_last: shape.distance(last),
            component_of_head: shape.component_size(0),
        }
    }
}
