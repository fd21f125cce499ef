//! The heap, free of any format: no bytes, no I/O.
//!
//! A [`Dump`] is a list of heaps (PHD and classic text hold one; HPROF may hold several). A heap is
//! a *class table plus a stream of objects*: [`HeapSource`]. [`Heap`] is the implementation that
//! keeps everything in memory; [`crate::phd::PhdSource`] reads its objects from a file each time.
//!
//! `None` always means *unknown: the dump does not say*. It never stands for a default. What is
//! known to be absent has a value of its own (a superclass that is known to be missing is
//! `Some(Address::NULL)`, an array known to be empty has the length `Some(0)`).

mod address_set;
pub mod blocks;
mod class;
mod event;
mod footprint;
mod heap;
mod hierarchy;
pub mod long;
mod memory_size;
mod name;
mod object;
#[cfg(feature = "answers")]
mod recent_cache;
mod root;
mod root_writer;
pub mod string_text;
mod value;
pub mod visit;

pub use crate::units::{Address, ByteLen, FrameId, PrimitiveType, Serial, TextId, WordSize};
pub(crate) use address_set::AddressSet;
pub use class::{Class, Field, PoolEntry, Static};
pub use event::{
    AllocationSite, AllocationSites, ControlSettings, CpuSamples, Event, EventKind, Frame, HeapSummary, LoadClass,
    StartThread, Trace,
};
pub(crate) use footprint::{array_size, field_bytes, instance_size};
pub(crate) use heap::is_ascending;
pub use heap::{
    Dump, DumpSource, Facts, HashRegime, HeaderTotals, Heap, HeapPart, HeapSource, Region, Surroundings, VisitObjects,
    VisitParts,
};
pub use hierarchy::Hierarchy;
#[doc(hidden)]
pub use hierarchy::count_step;
#[cfg(debug_assertions)]
#[doc(hidden)]
pub use hierarchy::steps_of;
pub use long::{Pieces, PiecewiseContents};
pub use name::Name;
#[doc(hidden)]
pub use name::{NameForms, NamePool};
pub use object::{Contents, Object, ObjectKind};
#[cfg(feature = "answers")]
pub(crate) use recent_cache::RecentCache;
pub use root::{Root, RootForm, RootKind, RootNumber, RootWriter, StackFrame, StackTrace, Thread};
pub use root_writer::RootObjects;
pub use value::{FieldType, IdentityHash, Value};
