//! The forms of shapes: one row for each.

use std::sync::Arc;

use crate::model::{Address, RootKind};

use super::structure::ShapeStructure;
use super::{AT, COLON, Shape, array, clique, dag, leak, list, power_law, tree};

/// A form of shapes; [`ShapeForm::FORMS`] is the table of all.
#[derive(Debug)]
pub struct ShapeForm {
    /// The form's name in options.
    pub name: &'static str,
    /// The form's parameters, such as `ARITY,DEPTH`.
    pub parameters: &'static str,
    /// A summary in a line.
    pub summary: &'static str,
    /// The properties of its graph, in a line.
    pub graph: &'static str,
    /// The kind of root that holds it by default.
    pub(super) root: RootKind,
    /// The greatest value of each parameter; 0 where there is no parameter. The least is 1.
    pub(super) most: [u64; 2],
    /// The number of objects, if that fits into 64 bits.
    pub(super) objects: fn([u64; 2]) -> Option<u64>,
    pub(super) make: fn([u64; 2]) -> Arc<dyn ShapeStructure>,
}

/// The most objects of a shape.
pub(super) const OBJECTS: u64 = 1 << 40;
/// The most elements of an array of references: a segment of an HPROF dump has less than 4 GiB.
const ELEMENTS: u64 = 1 << 28;

/// A reference of JNI, whose number is that of the shape.
const JNI: RootKind = RootKind::JniGlobal(Address(0));

impl ShapeForm {
    /// Every form.
    pub const FORMS: [ShapeForm; 9] = [
        ShapeForm {
            name: "list",
            parameters: "N",
            summary: "N objects, each of which refers to the next",
            graph: "each dominates the next",
            root: JNI,
            most: [OBJECTS, 0],
            objects: |[objects, _]| Some(objects),
            make: |[objects, _]| Arc::new(list::ListShape::new(objects)),
        },
        ShapeForm {
            name: "tree",
            parameters: "ARITY,DEPTH",
            summary: "a tree, each object of which refers to ARITY others, DEPTH levels below the first",
            graph: "each dominates what is below it",
            root: JNI,
            most: [1000, OBJECTS],
            objects: |[arity, depth]| tree::TreeShape::objects(arity, depth),
            make: |[arity, depth]| Arc::new(tree::TreeShape::new(arity, depth)),
        },
        ShapeForm {
            name: "dag",
            parameters: "WIDTH,DEPTH",
            summary: "DEPTH layers of WIDTH objects, each of which refers to two of the next layer, and an array of the first layer",
            graph: "with a WIDTH of 2 or more, the array alone dominates all",
            root: JNI,
            most: [ELEMENTS, OBJECTS],
            objects: |[width, depth]| width.checked_mul(depth)?.checked_add(1),
            make: |[width, depth]| Arc::new(dag::DagShape::new(width, depth)),
        },
        ShapeForm {
            name: "ring",
            parameters: "N",
            summary: "N objects, each of which refers to the next, and the last to the first",
            graph: "one strongly connected component; each but the last dominates the next",
            root: JNI,
            most: [OBJECTS, 0],
            objects: |[objects, _]| Some(objects),
            make: |[objects, _]| Arc::new(list::RingShape::new(objects)),
        },
        ShapeForm {
            name: "power-law",
            parameters: "N",
            summary: "a binary tree of N objects, each of which refers to one above it, so that a few have very many referrers",
            graph: "one component; each dominates what is below it in the tree; the share of objects with d referrers or more falls with 1 / d",
            root: JNI,
            most: [OBJECTS, 0],
            objects: |[objects, _]| Some(objects),
            make: |[objects, _]| Arc::new(power_law::PowerLawShape::new(objects)),
        },
        ShapeForm {
            name: "clique",
            parameters: "N",
            summary: "N objects, each with an array that refers to all others",
            graph: "one component; the first one's array dominates all others",
            root: JNI,
            most: [1 << 16, 0],
            objects: |[members, _]| Some(2 * members),
            make: |[members, _]| Arc::new(clique::CliqueShape::new(members)),
        },
        ShapeForm {
            name: "array",
            parameters: "BYTES",
            summary: "one array of BYTES bytes",
            graph: "an object without references",
            root: JNI,
            most: [i32::MAX as u64, 0],
            objects: |_| Some(1),
            make: |[bytes, _]| Arc::new(array::ArrayShape::new(bytes)),
        },
        ShapeForm {
            name: "classes",
            parameters: "N",
            summary: "N classes, each with an instance, and an array of these; in memory, as all classes are",
            graph: "the array dominates all instances",
            root: JNI,
            most: [1 << 20, 0],
            objects: |[classes, _]| classes.checked_add(1),
            make: |[classes, _]| Arc::new(array::ClassesShape::new(classes)),
        },
        ShapeForm {
            name: "leak",
            parameters: "N",
            summary: "a cache of N entries, each with a string as its key and 64 bytes as its value, which a static field holds",
            graph: "a hash table: the table dominates its chains, each entry the rest of its chain",
            root: RootKind::StickyClass,
            most: [OBJECTS / 8, 0],
            objects: |[entries, _]| entries.checked_mul(4)?.checked_add(2),
            make: |[entries, _]| Arc::new(leak::LeakShape::new(entries)),
        },
    ];

    /// The form's spelling, with its parameters.
    pub fn spelling(&self) -> String {
        format!("{}{COLON}{}", self.name, self.parameters)
    }

    /// The spelling of each form.
    pub(in crate::generate) fn spellings() -> Vec<String> {
        ShapeForm::FORMS.iter().map(ShapeForm::spelling).collect()
    }

    /// A regular expression of all spellings.
    pub(in crate::generate) fn pattern() -> String {
        let names = ShapeForm::FORMS.map(|form| form.name).join("|");
        let roots = Shape::roots().flatten().collect::<Vec<_>>().join("|");
        format!("^({names}):[0-9_e]+([,:][0-9_e]+)?({AT}({roots}))?$")
    }

    /// The number of parameters.
    pub(super) fn arity(&self) -> usize {
        self.most.iter().filter(|most| **most > 0).count()
    }
}
