//! The listing: a heap as JSON Lines, defined in `specs/listing.md`.
//!
//! The first line holds the dump's facts; then come classes and objects, sorted by address, with
//! their place in the file; then roots, threads, stack traces, regions and the log. Addresses, hashes and the bits of
//! values are written as hexadecimal strings; decimal numbers and values as Java has them are read, too.

mod event;
mod faults;
mod head;
mod line;
mod read;
mod root;
mod sorted;
#[cfg(test)]
mod tests;

use std::io::{BufWriter, Write};

use serde::Serialize;

use crate::error::Error;
use crate::model::string_text::with_string_texts;
use crate::model::{Address, Class, Heap, Object, Surroundings};

pub use super::facts::{Keyed, ListingHead, RecordPlace};
pub use super::spelled_value::{SpelledValue, TypedValue};
pub use super::spelling::{Bytes, ElementName, Hashes, Hex, ListedNumber, Text, TypeName};
pub use event::{EventItem, EventLine};
pub use head::head;
pub use line::ListingLine;
pub use read::{Listing, read, read_within};
pub use root::{RootLine, RootName};
pub use sorted::SortedLines;

/// Writes a listing: the head, then classes and objects by address, then the rest. `places` has the
/// places of the classes and of the objects, in the heap's order. Strings are listed with their texts.
///
/// # Errors
/// If writing fails.
pub fn write(out: &mut dyn Write, head: &ListingHead, heap: &Heap, places: &HeapPlaces) -> Result<(), Error> {
    let heap = &*with_string_texts(heap);
    let classes = heap.classes.iter().zip(&places.classes).map(|(c, p)| (c.address, *p, Ok(c)));
    let objects = heap.objects.iter().zip(&places.objects).map(|(o, p)| (o.address, *p, Err(o)));
    let mut entries: Vec<(Address, RecordPlace, Result<&Class, &Object>)> = classes.chain(objects).collect();
    entries.sort_by_key(|(address, place, _)| (*address, place.record));
    let mut lines = LineWriter(BufWriter::new(out));
    lines.write_line(&Keyed::without_place(head))?;
    for (_, place, entry) in entries {
        lines.write_line(&match entry {
            Ok(class) => ListingLine::Class(Keyed::at_place(class, place)),
            Err(object) => ListingLine::from_object(object, place),
        })?;
    }
    lines.write_surroundings(&heap.surroundings)?;
    lines.finish()
}

/// A writer of lines.
struct LineWriter<'o>(BufWriter<&'o mut dyn Write>);

impl LineWriter<'_> {
    fn write_line(&mut self, line: &impl Serialize) -> Result<(), Error> {
        serde_json::to_writer(&mut self.0, line).map_err(|e| write_error(e.into()))?;
        self.0.write_all(b"\n").map_err(write_error)
    }

    fn write_surroundings(&mut self, around: &Surroundings) -> Result<(), Error> {
        let roots = around.roots.iter().flatten().map(|root| ListingLine::Root(root.into()));
        let threads = around.threads.iter().flatten().map(|thread| ListingLine::Thread(Keyed::without_place(thread)));
        let traces = around.traces.iter().flatten().map(|trace| ListingLine::Trace(Keyed::without_place(trace)));
        let regions = around.regions.iter().flatten().map(|region| ListingLine::Region(Keyed::without_place(region)));
        roots.chain(threads).chain(traces).chain(regions).try_for_each(|line| self.write_line(&line))?;
        for event in around.events.iter().flatten() {
            let line = ListingLine::Event(Box::new(event.into()));
            (0..event.times()).try_for_each(|_| self.write_line(&line))?;
        }
        Ok(())
    }

    fn finish(mut self) -> Result<(), Error> {
        self.0.flush().map_err(write_error)
    }
}

fn write_error(error: std::io::Error) -> Error {
    Error::io("writing the listing", error)
}

/// The places of a heap's classes and objects.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HeapPlaces {
    /// The place of each class.
    pub classes: Vec<RecordPlace>,
    /// The place of each object.
    pub objects: Vec<RecordPlace>,
}

impl HeapPlaces {
    /// Record indexes in the heap's own order, without offsets.
    pub fn from_order(heap: &Heap) -> HeapPlaces {
        let objects = heap.objects.len() as u64;
        let order = RecordOrder::new(&heap.classes, objects);
        HeapPlaces { objects: (0..objects).map(|index| order.place(index)).collect(), classes: order.classes }
    }
}

/// The order of records that a heap's classes and objects stand in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordOrder {
    /// The place of each class.
    pub classes: Vec<RecordPlace>,
    /// The number of objects before each class, ascending.
    before: Vec<u64>,
}

impl RecordOrder {
    /// The order of these classes and that many objects.
    pub fn new(classes: &[Class], objects: u64) -> RecordOrder {
        let mut order: Vec<usize> = (0..classes.len()).collect();
        order.sort_by_key(|&index| classes[index].after_objects.unwrap_or(u64::MAX));
        let mut places = vec![RecordPlace::default(); classes.len()];
        let mut before = Vec::new();
        for (rank, index) in order.into_iter().enumerate() {
            let after = classes[index].after_objects.unwrap_or(u64::MAX).min(objects);
            places[index].record = after + rank as u64;
            before.push(after);
        }
        RecordOrder { classes: places, before }
    }

    /// The place of the object of this index, without an offset.
    pub fn place(&self, index: u64) -> RecordPlace {
        let classes = self.before.partition_point(|&after| after <= index) as u64;
        RecordPlace { record: index + classes, offset: None }
    }
}
