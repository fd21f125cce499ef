//! Records to the model: which heap a record belongs to, names from string ids, field values from classes.
//!
//! Two passes. A [`DumpIndex`] holds what has to be known before an object can be read (strings, classes, traces,
//! roots: its memory does not grow with the objects), so that the order of records does not matter. Then the
//! objects of a heap are read, any number of times.

mod contents;
mod index;
mod item;
mod layout;
mod names;
mod source;
mod stacks;
mod walk;

pub(super) use index::IndexBuilder;
pub use index::{DumpIndex, HeapIndex, facts};
pub use item::{ObjectBuffer, class, ids, long_object, object};
pub use layout::InstanceLayouts;
pub use names::LogIndex;
pub use source::{HprofDump, HprofHeap, Reopen, WholeDump, dump, heap};
pub use stacks::{NamedTraces, Stacks};
pub use walk::{DumpItem, HeapCounter, ItemDetail, ItemPlace, walk};
pub(super) use walk::{Walker, walk_with};
