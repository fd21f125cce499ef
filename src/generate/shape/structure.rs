//! What a shape is made of, and the closed forms of its graph: what each shape's own file fills in.
//!
//! The objects of a shape have numbers from 0 on, in the order of their addresses. Object 0 is its *head*, which what holds the
//! shape refers to. References to class objects are no part of these closed forms, but for [`Structure::class_holder`].

use std::fmt::Debug;
use std::panic::RefUnwindSafe;

use crate::model::{Field, FieldType, PrimitiveType};

/// How many kinds of objects a shape has, at most.
pub(super) const KINDS: usize = 6;
/// How many objects of each kind.
pub(super) type Counts = [u64; KINDS];

/// The graph of a shape, as functions of the numbers of its objects.
pub(super) trait Structure: Debug + Send + Sync + RefUnwindSafe {
    /// The classes that the shape alone has.
    fn classes(&self) -> Vec<OwnClass>;

    /// The kinds of its objects. All of a kind are of one size.
    fn kinds(&self) -> Vec<Kind>;

    /// Its objects in the order of their numbers.
    fn runs(&self) -> Vec<Run>;

    /// The number of the object that a reference leads to; `None`, if it is null. References are those of a class's own fields, or
    /// of the elements. Those of one place in the units of a run are all null, or none is.
    fn reference(&self, object: u64, place: u64) -> Option<u64>;

    /// How many elements of an array are null.
    fn nulls(&self, _array: u64) -> u64 {
        0
    }

    /// What an object's `int` field holds, or its bytes repeat.
    fn value(&self, object: u64) -> u64 {
        object
    }

    /// How many references of the shape's objects lead to an object.
    fn in_degree(&self, object: u64) -> u64;

    /// The immediate dominator: the last object that every way from the head goes through. `None` for the head.
    fn dominator(&self, object: u64) -> Option<u64>;

    /// How many objects of each kind are dominated by an object, itself among them.
    fn retained(&self, object: u64) -> Counts;

    /// References on a shortest way from the head.
    fn distance(&self, object: u64) -> u64;

    /// The object before an object on a shortest way from the head.
    fn predecessor(&self, object: u64) -> Option<u64> {
        self.dominator(object)
    }

    /// Whether every object leads to every other one; else, none of two leads to the other and back.
    fn is_one_component(&self) -> bool {
        false
    }

    /// The object that immediately dominates the class object of one of [`Structure::classes`], if nothing but the shape's objects
    /// refers to that.
    fn class_holder(&self, class: u64) -> u64;
}

/// A class that a shape alone has.
#[derive(Clone, Debug)]
pub(super) struct OwnClass {
    /// Its name without the package; that of the elements, if it is one of arrays.
    pub(super) name: String,
    pub(super) fields: Vec<Field>,
    pub(super) is_array: bool,
}

/// Objects of one class and size.
#[derive(Clone, Copy, Debug)]
pub(super) struct Kind {
    pub(super) of: Of,
    pub(super) body: Body,
}

/// The class of a kind.
#[derive(Clone, Copy, Debug)]
pub(super) enum Of {
    /// The one of this place among those of the shape.
    Own(usize),
    /// The first object of the kind has the first class of the shape, and so on; before it are that many objects.
    InTurn(u64),
    /// One that every heap has.
    Known(&'static str),
    /// That of the characters of a string.
    Characters,
}

/// What is in an object of a kind.
#[derive(Clone, Copy, Debug)]
pub(super) enum Body {
    /// The fields of its class.
    Fields,
    /// That many references.
    Elements(u64),
    /// That many bytes.
    Bytes(u64),
    /// The key that an entry of a cache has, in as many characters.
    Key(u64),
}

/// Units of objects: each has one of each of these kinds, in turn.
#[derive(Clone, Debug)]
pub(super) struct Run {
    pub(super) unit: Vec<usize>,
    pub(super) count: u64,
    /// Whether the objects are held in memory: they are few, or large.
    pub(super) is_held: bool,
}

impl Run {
    /// Units of one object.
    pub(super) fn of(kind: usize, count: u64) -> Run {
        Run { unit: vec![kind], count, is_held: false }
    }

    /// Objects that are held in memory.
    pub(super) fn held(kind: usize, count: u64) -> Run {
        Run { is_held: true, ..Run::of(kind, count) }
    }

    /// How many objects it has.
    pub(super) fn objects(&self) -> u64 {
        self.count * self.unit.len() as u64
    }
}

impl OwnClass {
    pub(super) fn new(name: &str, fields: Vec<Field>) -> OwnClass {
        OwnClass { name: name.to_owned(), fields, is_array: false }
    }

    /// The class of arrays of another one.
    pub(super) fn array_of(name: &str) -> OwnClass {
        OwnClass { is_array: true, ..OwnClass::new(name, Vec::new()) }
    }
}

impl Kind {
    /// Instances of a class of the shape.
    pub(super) fn instance(class: usize) -> Kind {
        Kind { of: Of::Own(class), body: Body::Fields }
    }

    /// Arrays of a class of the shape.
    pub(super) fn array(class: usize, length: u64) -> Kind {
        Kind { of: Of::Own(class), body: Body::Elements(length) }
    }
}

pub(super) fn reference(name: &str) -> Field {
    Field { name: name.into(), kind: FieldType::Object }
}

pub(super) fn int(name: &str) -> Field {
    Field { name: name.into(), kind: FieldType::Primitive(PrimitiveType::Int) }
}

/// The bytes that fields take.
pub(super) fn bytes_of(fields: &[Field], word: u64) -> u64 {
    let bytes = |field: &Field| match field.kind {
        FieldType::Object => word,
        FieldType::Primitive(kind) => kind.size(),
    };
    fields.iter().map(bytes).sum()
}

/// That many of the first kind.
pub(super) fn only(count: u64) -> Counts {
    of_kind(0, count)
}

/// That many of a kind.
pub(super) fn of_kind(kind: usize, count: u64) -> Counts {
    std::array::from_fn(|place| if place == kind { count } else { 0 })
}
