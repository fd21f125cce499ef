//! The answers that an analyser should give about a heap: histogram, reachability, components, dominators, retained
//! sizes, paths.
//!
//! A heap is an [`EntryGraph`] of its classes and objects; [`Analysis`] has the answers for each of them, and [`Answers`] the
//! summary. `specs/answers.md` has the definitions.
//!
//! ```
//! use heapsmith::Heap;
//! use heapsmith::answers::{Analysis, EdgeOptions, EntryGraph};
//!
//! let heap = Heap::random(7);
//! let analysis = Analysis::new(EntryGraph::from_source(&mut &heap, EdgeOptions::default())?);
//! let root = heap.surroundings.roots.iter().flatten().next().expect("a root");
//! let entry = analysis.graph().find(root.object).expect("an entry");
//! assert_eq!(analysis.reached().expect("roots are recorded").dominator(entry), None);
//! # Ok::<(), heapsmith::Error>(())
//! ```

mod analysis;
mod counts;
mod dominators;
mod generated;
mod graph;
mod output;
mod reach;
mod retained;
mod search;
mod shapes;
mod strings;
mod summary;
#[cfg(test)]
mod tests;

pub use analysis::{Analysis, RootAnalysis};
pub use generated::GeneratedHistogram;
pub use graph::{ClassEdges, EdgeOptions, EntryGraph, GraphRoot, ObjectSizes};
pub use output::{
    Amount, Answers, ClassRow, Components, Degrees, Duplicate, EntryCounts, EntryFacts, EntryReachability, Holder,
    ReferenceCounts, Retained, RootRow, StringCounts,
};
pub use reach::RootDistances;
pub use shapes::{ShapeAnswers, ShapeClass};
pub use summary::{MOST_HOLDERS, MOST_STEPS, MOST_TEXTS, answers};

/// Version of the schemas of the answers.
pub const SCHEMA: u32 = 5;
