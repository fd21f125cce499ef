//! The histogram of a generated heap's dump, in closed form: as quick for any size.

use std::collections::HashMap;

use serde::Serialize;

use crate::error::Error;
use crate::family::Lowering;
use crate::generate::ProceduralHeap;
use crate::model::blocks::FilledBlocks;
use crate::model::{Address, Contents, Heap, HeapSource};

use super::counts::EntryTotals;
use super::graph::{EdgeOptions, EntryGraph};
use super::output::{ClassRow, EntryCounts};

/// The classes and objects of a generated heap's dump, counted without a visit of all objects: those in blocks are as many as
/// there are blocks of their shape.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct GeneratedHistogram {
    /// How many there are of each kind.
    pub entries: EntryCounts,
    /// Objects by the name of their class, in the order of the names.
    pub histogram: Vec<ClassRow>,
}

impl GeneratedHistogram {
    /// The histogram of the dump that a writer makes of a heap. Memory is that of the heap, and of one block of each shape.
    ///
    /// # Errors
    /// If the heap holds what the dump cannot say.
    pub fn new(heap: &ProceduralHeap, lowering: &Lowering) -> Result<GeneratedHistogram, Error> {
        let mut sample = heap.drawn().clone();
        let mut multiples: HashMap<Address, u64> = HashMap::new();
        for blocks in heap.all_blocks() {
            // Each shape comes once in these.
            for block in 0..blocks.count().min(blocks.period()) {
                let count = blocks.blocks_of(blocks.shape_of(block));
                let objects = FilledBlocks::new(blocks).fill(block).to_vec();
                multiples.extend(objects.iter().map(|object| (object.address, count)));
                sample.objects.extend(objects);
            }
        }
        let mut carried: Heap = lowering.carry(&mut (&mut sample as &mut dyn HeapSource))?.into_only_heap()?;
        // References do not count here, and may be very many.
        carried.objects.iter_mut().for_each(|object| object.contents = Contents::Unknown);
        let graph = EntryGraph::from_source(&mut carried, EdgeOptions::default())?;
        let mut totals = EntryTotals::new(&graph);
        for entry in graph.class_count() as u32..graph.len() as u32 {
            let objects = multiples.get(&graph.address(entry)).copied().unwrap_or(1);
            totals.add_objects(&graph.types()[graph.type_number(entry) as usize], objects);
        }
        Ok(GeneratedHistogram { entries: totals.counts, histogram: totals.histogram(graph.names(), None) })
    }
}
