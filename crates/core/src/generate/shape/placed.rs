//! Addresses of the objects of a shape, and queries of its graph.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::model::{Address, ByteLen, Field};

use super::Shape;
use super::structure::{KindBody, KindClass, ShapeObjects, ShapeStructure};

/// A shape in a heap: the addresses of its objects, and the closed forms of its graph.
///
/// The objects have numbers from 0 on. Object 0 is the head: the root that holds the shape leads to it, and nothing
/// else outside of the shape refers to any of its objects. The graph is that of the references between them; besides
/// these, each object refers to its class object. Classes of the shape's own and those of the boot loader that it uses
/// are roots of the kind `sticky-class`.
///
/// ```
/// use heapsmith::generate::{GenerateOptions, ProceduralHeap, Shape};
///
/// let shape: Shape = "tree:2,20".parse()?;
/// let heap = ProceduralHeap::new(&GenerateOptions::default().shapes(vec![shape].into()), 7)?;
/// let tree = heap.shapes().next().expect("one shape");
/// assert_eq!(tree.objects(), 2_097_151);
/// assert_eq!(tree.retained(1).0, 1_048_575);
/// assert_eq!(tree.dominator(2), Some(0));
/// assert_eq!(tree.find(tree.address(99)), Some(99));
/// # Ok::<(), heapsmith::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct PlacedShape {
    pub(in crate::generate) shape: Shape,
    pub(in crate::generate) structure: Arc<dyn ShapeStructure>,
    /// The package of its own classes.
    pub(in crate::generate) package: String,
    /// The shape's own classes: the address of the first, the distance between them, and their number.
    pub(in crate::generate) classes: (u64, u64, u64),
    /// The class whose static field holds the head.
    pub(in crate::generate) holder: Option<Address>,
    pub(in crate::generate) kinds: Vec<PlacedKind>,
    pub(in crate::generate) runs: Vec<PlacedRun>,
}

/// Objects of one class and size.
#[derive(Clone, Debug)]
pub(in crate::generate) struct PlacedKind {
    pub(in crate::generate) kind: ShapeObjects,
    pub(in crate::generate) size: u64,
    /// The class, if all objects of the kind have the same one.
    pub(in crate::generate) class: Option<Address>,
    /// The fields that the class itself declares.
    pub(in crate::generate) fields: Vec<Field>,
    /// The number of references of an object, null or not.
    pub(in crate::generate) references: u64,
}

/// Units of objects that follow each other.
#[derive(Clone, Debug)]
pub(in crate::generate) struct PlacedRun {
    /// The number of the run's first object.
    pub(in crate::generate) first: u64,
    /// The kinds of a unit's objects, and the offset of each in the unit.
    pub(in crate::generate) unit: Vec<usize>,
    pub(in crate::generate) offsets: Vec<u64>,
    /// The distance between units.
    pub(in crate::generate) stride: u64,
    pub(in crate::generate) count: u64,
    pub(in crate::generate) base: u64,
    pub(in crate::generate) is_held: bool,
}

impl PlacedRun {
    /// The number after the run's last object.
    fn end_number(&self) -> u64 {
        self.first + self.count * self.unit.len() as u64
    }
}

impl PlacedShape {
    /// The shape as it was asked for.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// The number of objects.
    pub fn objects(&self) -> u64 {
        self.runs.last().map_or(0, PlacedRun::end_number)
    }

    /// The bytes of all objects.
    pub fn bytes(&self) -> u128 {
        self.retained(0).1
    }

    /// The object that the root names: the head, or the class whose static field refers to the head.
    pub fn root(&self) -> Address {
        self.holder.unwrap_or_else(|| self.address(0))
    }

    /// The class whose static field refers to the head, if the root is of the kind `sticky-class`.
    pub fn holder(&self) -> Option<Address> {
        self.holder
    }

    /// The shape's own classes, in their order.
    pub fn classes(&self) -> impl Iterator<Item = Address> + use<> {
        let (first, pitch, count) = self.classes;
        (0..count).map(move |place| Address(first + pitch * place))
    }

    /// The immediate dominator of the class object at this place among [`classes`](Self::classes), in a dump in which
    /// that is no root.
    pub fn class_dominator(&self, class: u64) -> u64 {
        self.structure.class_holder(class)
    }

    /// The address of an object.
    ///
    /// # Panics
    /// If no object has this number; so do all further functions of objects.
    pub fn address(&self, object: u64) -> Address {
        let (run, unit, place) = self.locate(object);
        Address(run.base + unit * run.stride + run.offsets[place])
    }

    /// The object at an address.
    pub fn find(&self, address: Address) -> Option<u64> {
        self.runs.iter().find_map(|run| {
            let from = address.0.checked_sub(run.base)?;
            let (unit, offset) = (from / run.stride, from % run.stride);
            let place = run.offsets.iter().position(|at| *at == offset)?;
            (unit < run.count).then(|| run.first + unit * run.unit.len() as u64 + place as u64)
        })
    }

    /// The class of an object.
    pub fn class(&self, object: u64) -> Address {
        let placed = self.kind_of(object);
        let in_turn = |before: u64| Address(self.classes.0 + self.classes.1 * (object - before));
        match placed.kind.of {
            KindClass::InTurn(before) => in_turn(before),
            _ => placed.class.unwrap_or_default(),
        }
    }

    /// The size of an object in bytes with header and padding, as the heap has it.
    pub fn size(&self, object: u64) -> ByteLen {
        ByteLen(self.kind_of(object).size)
    }

    /// The objects that an object refers to, in the order of its fields or elements. One may come twice.
    pub fn references(&self, object: u64) -> impl Iterator<Item = u64> + '_ {
        (0..self.kind_of(object).references).filter_map(move |place| self.structure.reference(object, place))
    }

    /// The number of objects that an object refers to, each as often as it does.
    pub fn out_degree(&self, object: u64) -> u64 {
        match self.kind_of(object).kind.body {
            KindBody::Elements(length) => length - self.structure.nulls(object),
            _ => self.references(object).count() as u64,
        }
    }

    /// The number of references from the shape's objects to an object.
    pub fn in_degree(&self, object: u64) -> u64 {
        self.structure.in_degree(object)
    }

    /// The immediate dominator of an object; `None` for the head, which only the root or its class dominates.
    pub fn dominator(&self, object: u64) -> Option<u64> {
        self.structure.dominator(object)
    }

    /// The number of objects that an object dominates, itself included, and their bytes. Class objects are left out.
    pub fn retained(&self, object: u64) -> (u64, u128) {
        let counts = self.structure.retained(object);
        let each = self.kinds.iter().zip(counts);
        each.fold((0, 0), |(objects, bytes), (kind, count)| {
            (objects + count, bytes + u128::from(kind.size) * u128::from(count))
        })
    }

    /// The length of a shortest path to an object, in references, from the object that the root names.
    pub fn distance(&self, object: u64) -> u64 {
        u64::from(self.holder.is_some()) + self.structure.distance(object)
    }

    /// The object before an object on a shortest path from the head; `None` for the head.
    pub fn predecessor(&self, object: u64) -> Option<u64> {
        self.structure.predecessor(object)
    }

    /// The lowest object of an object's strongly connected component: its own number, if it is alone.
    pub fn component(&self, object: u64) -> u64 {
        if self.structure.is_one_component() { 0 } else { object }
    }

    /// The number of objects in an object's strongly connected component.
    pub fn component_size(&self, _object: u64) -> u64 {
        if self.structure.is_one_component() { self.objects() } else { 1 }
    }

    /// The number of objects of each class, and their bytes, in the order of the classes' addresses.
    pub fn by_class(&self) -> BTreeMap<Address, (u64, u128)> {
        let mut by_class: BTreeMap<Address, (u64, u128)> = BTreeMap::new();
        let mut add = |class: Address, objects: u64, size: u64| {
            let (count, bytes) = by_class.entry(class).or_default();
            *count += objects;
            *bytes += u128::from(objects) * u128::from(size);
        };
        for (placed, count) in self.kinds.iter().zip(self.structure.retained(0)) {
            match placed.class {
                Some(class) => add(class, count, placed.size),
                // Each has one instance.
                None => self.classes().for_each(|class| add(class, 1, placed.size)),
            }
        }
        by_class
    }

    /// The run of an object, the number of its unit, and its place in the unit.
    fn locate(&self, object: u64) -> (&PlacedRun, u64, usize) {
        let run = &self.runs[self.runs.partition_point(|run| run.end_number() <= object)];
        let (from, length) = (object - run.first, run.unit.len() as u64);
        (run, from / length, (from % length) as usize)
    }

    pub(in crate::generate) fn kind_of(&self, object: u64) -> &PlacedKind {
        let (run, _, place) = self.locate(object);
        &self.kinds[run.unit[place]]
    }

    /// The address that a reference holds.
    pub(in crate::generate) fn target(&self, object: u64, place: u64) -> Address {
        self.structure.reference(object, place).map_or(Address::NULL, |to| self.address(to))
    }
}

/// The size of a class object.
pub(in crate::generate) const CLASS: u64 = 64;
pub(in crate::generate) const OBJECT: &str = "java/lang/Object";
