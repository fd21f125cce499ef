//! A listing whose objects come one by one and are sorted, outside of memory if they are many.

use std::io::{BufWriter, Write};

use serde::{Deserialize, Serialize};

use crate::compare::facts::ListingHead;
use crate::compare::sorted::{SortEntry, Sorter};
use crate::error::Error;
use crate::model::{Class, Contents, Heap, Object, ObjectKind, PiecewiseContents};

use super::{Keyed, LineWriter, ListingLine, RecordPlace, head};

/// The objects of a listing that is to be written.
pub struct SortedLines {
    sorter: Sorter<PlacedObject>,
    objects: u64,
    references: u64,
}

/// An object with the place of its record.
#[derive(Serialize, Deserialize)]
struct PlacedObject {
    record: u64,
    offset: Option<u64>,
    object: Object,
}

impl SortEntry for PlacedObject {
    fn object(&self) -> &Object {
        &self.object
    }

    #[cfg(feature = "sorting")]
    fn object_mut(&mut self) -> &mut Object {
        &mut self.object
    }
}

impl std::fmt::Debug for SortedLines {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SortedLines").field("objects", &self.objects).finish_non_exhaustive()
    }
}

impl SortedLines {
    /// No objects; about this number of bytes of them is held, and more go to temporary files.
    pub fn new(memory: usize) -> SortedLines {
        SortedLines { sorter: Sorter::new(memory), objects: 0, references: 0 }
    }

    /// Adds the next object in file order.
    ///
    /// # Errors
    /// If a temporary file fails, or reading contents that are not held.
    pub fn add(&mut self, place: RecordPlace, object: &Object) -> Result<(), Error> {
        self.objects += 1;
        // Lines of primitive arrays have none, whatever a broken text lists.
        if !matches!(object.kind, ObjectKind::PrimitiveArray(_)) {
            self.references += match &object.contents {
                Contents::Long(PiecewiseContents::Elements(elements)) => elements.count() - elements.nulls()?,
                Contents::Long(PiecewiseContents::References(listed)) => listed.count(),
                _ => object.references().count() as u64,
            };
        }
        let RecordPlace { record, offset } = place;
        self.sorter.push(PlacedObject { record, offset, object: object.clone() })
    }

    /// The first line: the facts of `heap`, which has no objects of its own, and of the objects that were added.
    pub fn head(&self, heap: &Heap) -> ListingHead {
        let mut head = head(heap);
        let [_, objects, references, ..] = &mut head.counts;
        *objects = Some(self.objects);
        *references = references.map(|of_classes| of_classes + self.references);
        head
    }

    /// Writes the listing of a heap, which has no objects of its own. `classes` has the places of its classes.
    ///
    /// # Errors
    /// If writing fails, or reading temporary files or contents that are not held.
    pub fn write(
        self,
        out: &mut dyn Write,
        head: &ListingHead,
        heap: &Heap,
        classes: &[RecordPlace],
    ) -> Result<(), Error> {
        let mut classes: Vec<(&Class, RecordPlace)> = heap.classes.iter().zip(classes.iter().copied()).collect();
        classes.sort_by_key(|(class, place)| (class.address, place.record));
        let mut classes = classes.into_iter().peekable();
        let mut objects = self.sorter.finish()?;
        let mut lines = LineWriter(BufWriter::new(out));
        lines.write_line(&Keyed::without_place(head))?;
        loop {
            let next = objects.next()?;
            let key = next.as_ref().map(|placed| (placed.object.address, placed.record));
            let is_before =
                |(class, place): &(&Class, RecordPlace)| key.is_none_or(|key| (class.address, place.record) < key);
            while let Some((class, place)) = classes.next_if(is_before) {
                lines.write_line(&ListingLine::Class(Keyed::at_place(class, place)))?;
            }
            let Some(PlacedObject { record, offset, object }) = next else { break };
            lines.write_line(&ListingLine::from_object(&object, RecordPlace { record, offset }))?;
        }
        lines.write_surroundings(&heap.surroundings)?;
        lines.finish()
    }
}
