//! The structure of a shape, and the closed forms of its graph: each shape's own file implements them.
//!
//! The objects of a shape have numbers from 0 on, in the order of their addresses. Object 0 is its *head*, to which the
//! root leads. References to class objects are no part of these closed forms, but for [`ShapeStructure::class_holder`].

use std::fmt::Debug;
use std::panic::RefUnwindSafe;

use crate::model::{Field, FieldType, PrimitiveType};

/// The most kinds of objects in a shape.
pub(in crate::generate) const KINDS: usize = 6;
/// The number of objects of each kind.
pub(in crate::generate) type KindCounts = [u64; KINDS];

/// Characters of a key, and bytes of a value.
pub(in crate::generate) const KEY: u64 = 16;

/// The graph of a shape, as functions of the numbers of its objects.
pub(in crate::generate) trait ShapeStructure: Debug + Send + Sync + RefUnwindSafe {
    /// The shape's own classes.
    fn classes(&self) -> Vec<OwnClass>;

    /// The kinds of its objects; all objects of a kind have one size.
    fn kinds(&self) -> Vec<ShapeObjects>;

    /// The runs of its objects, in the order of their numbers.
    fn runs(&self) -> Vec<UnitRun>;

    /// The target of a reference; `None` if it is null. References are those of a class's own fields, or of the
    /// elements. Those at one place in the units of a run are all null, or none is.
    fn reference(&self, object: u64, place: u64) -> Option<u64>;

    /// The number of null elements in an array.
    fn nulls(&self, _array: u64) -> u64 {
        0
    }

    /// The value of an object's `int` field, or the value that its bytes repeat.
    fn value(&self, object: u64) -> u64 {
        object
    }

    /// The number of references from the shape's objects to an object.
    fn in_degree(&self, object: u64) -> u64;

    /// The immediate dominator: the last object on every path from the head. `None` for the head.
    fn dominator(&self, object: u64) -> Option<u64>;

    /// The number of objects of each kind that an object dominates, itself included.
    fn retained(&self, object: u64) -> KindCounts;

    /// The length of a shortest path from the head, in references.
    fn distance(&self, object: u64) -> u64;

    /// The object before an object on a shortest path from the head.
    fn predecessor(&self, object: u64) -> Option<u64> {
        self.dominator(object)
    }

    /// Whether every object can be reached from every other; if not, no two objects reach each other.
    fn is_one_component(&self) -> bool {
        false
    }

    /// The immediate dominator of the class object of one of [`ShapeStructure::classes`], if only the shape's objects refer
    /// to it.
    fn class_holder(&self, class: u64) -> u64;
}

/// A class of the shape's own.
#[derive(Clone, Debug)]
pub(in crate::generate) struct OwnClass {
    /// The name without the package; of a class of arrays, that of the elements.
    pub(in crate::generate) name: String,
    pub(in crate::generate) fields: Vec<Field>,
    pub(in crate::generate) is_array: bool,
}

/// Objects of one class and size.
#[derive(Clone, Copy, Debug)]
pub(in crate::generate) struct ShapeObjects {
    pub(in crate::generate) of: KindClass,
    pub(in crate::generate) body: KindBody,
}

/// The class of a kind.
#[derive(Clone, Copy, Debug)]
pub(in crate::generate) enum KindClass {
    /// The shape's own class at this place.
    Own(usize),
    /// One own class for each object: the first object of the kind has the first class, and so on; that many objects
    /// come before it.
    InTurn(u64),
    /// A class of every heap.
    Known(&'static str),
    /// The class of character arrays of strings.
    Characters,
}

/// The contents of an object of a kind.
#[derive(Clone, Copy, Debug)]
pub(in crate::generate) enum KindBody {
    /// The fields of its class.
    Fields,
    /// That many references.
    Elements(u64),
    /// That many bytes.
    Bytes(u64),
    /// The key of a cache's entry, in that many characters.
    Key(u64),
}

/// Units of objects: each has one object of each of these kinds, in order.
#[derive(Clone, Debug)]
pub(in crate::generate) struct UnitRun {
    pub(in crate::generate) unit: Vec<usize>,
    pub(in crate::generate) count: u64,
    /// Whether the objects are held in memory: they are few, or large.
    pub(in crate::generate) is_held: bool,
}

impl UnitRun {
    /// Units of one object each.
    pub(in crate::generate) fn new(kind: usize, count: u64) -> UnitRun {
        UnitRun { unit: vec![kind], count, is_held: false }
    }

    /// Objects that are held in memory.
    pub(in crate::generate) fn held(kind: usize, count: u64) -> UnitRun {
        UnitRun { is_held: true, ..UnitRun::new(kind, count) }
    }

    /// The number of objects.
    pub(in crate::generate) fn objects(&self) -> u64 {
        self.count * self.unit.len() as u64
    }
}

impl OwnClass {
    pub(in crate::generate) fn new(name: &str, fields: Vec<Field>) -> OwnClass {
        OwnClass { name: name.to_owned(), fields, is_array: false }
    }

    /// The class of arrays of a class.
    pub(in crate::generate) fn array_of(name: &str) -> OwnClass {
        OwnClass { is_array: true, ..OwnClass::new(name, Vec::new()) }
    }
}

impl ShapeObjects {
    /// Instances of a class of the shape.
    pub(in crate::generate) fn instance(class: usize) -> ShapeObjects {
        ShapeObjects { of: KindClass::Own(class), body: KindBody::Fields }
    }

    /// Arrays of a class of the shape.
    pub(in crate::generate) fn array(class: usize, length: u64) -> ShapeObjects {
        ShapeObjects { of: KindClass::Own(class), body: KindBody::Elements(length) }
    }
}

pub(in crate::generate) fn reference_field(name: &str) -> Field {
    Field { name: name.into(), kind: FieldType::Object }
}

pub(in crate::generate) fn int_field(name: &str) -> Field {
    Field { name: name.into(), kind: FieldType::Primitive(PrimitiveType::Int) }
}

/// Counts with that many objects of the first kind.
pub(in crate::generate) fn first_kind_only(count: u64) -> KindCounts {
    counts_of_kind(0, count)
}

/// Counts with that many objects of one kind.
pub(in crate::generate) fn counts_of_kind(kind: usize, count: u64) -> KindCounts {
    std::array::from_fn(|place| if place == kind { count } else { 0 })
}
