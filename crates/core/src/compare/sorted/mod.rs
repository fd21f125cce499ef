//! The objects of a heap by address, in bounded memory: an external merge sort with the feature `sorting`, a sort in
//! memory without it.

#[cfg(feature = "sorting")]
mod disk;
#[cfg(not(feature = "sorting"))]
mod held;
mod sorter;

use std::borrow::Cow;
use std::collections::HashMap;

use crate::error::Error;
use crate::model::{
    Address, Class, Contents, HashRegime, Heap, HeapSource, IdentityHash, Name, Object, PiecewiseContents, VisitObjects,
};

use super::carriage::ClassFirst;

#[cfg(feature = "sorting")]
use disk::{AddressOrder, EntryMerge, EntryRuns, StoredOrder};
#[cfg(not(feature = "sorting"))]
use held::{AddressOrder, EntryMerge, EntryRuns, StoredOrder};
pub(crate) use sorter::{AscendingEntries, SortEntry, Sorter, visit_sorted};

/// The approximate number of bytes of objects that each side holds in memory; more objects go to temporary files.
pub const MEMORY: usize = 128 << 20;

/// Conventions of a whole heap, which a single object does not show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct HeapConventions {
    /// Whether identity hashes of 32 bits are recorded.
    pub(super) hashes: bool,
    /// Whether null references are listed.
    pub(super) nulls: bool,
    /// Whether arrays list their class first.
    pub(super) class_first: ClassFirst,
}

impl HeapConventions {
    fn from_classes(source_regime: Option<HashRegime>, classes: &[Class]) -> HeapConventions {
        let listed = |class: &Class| class.references.as_deref().is_some_and(lists_null);
        HeapConventions {
            hashes: source_regime == Some(HashRegime::WhereUsed32) || classes.iter().any(|class| is_32_bit(class.hash)),
            nulls: classes.iter().any(listed),
            class_first: ClassFirst::default(),
        }
    }

    /// The conventions of a source whose objects ascend; `None` for another one.
    ///
    /// # Errors
    /// If reading the source fails.
    pub(super) fn from_ascending(source: &mut dyn HeapSource) -> Result<Option<HeapConventions>, Error> {
        let mut habits = HeapConventions::from_classes(source.facts().hash_regime, source.classes());
        let names = names(source.classes());
        let (mut last, mut ascends) = (Address::NULL, true);
        let read = source.visit_objects(&mut |object| {
            ascends = last <= object.address;
            last = object.address;
            // Only an error ends a visit. Of this one no more is needed than that.
            if ascends { habits.observe(object, &names) } else { Err(Error::Usage(String::new())) }
        });
        if !ascends {
            return Ok(None);
        }
        read.map(|()| Some(habits))
    }

    fn observe(&mut self, object: &Object, names: &HashMap<Address, Name>) -> Result<(), Error> {
        self.class_first.observe(object, names)?;
        self.hashes |= is_32_bit(object.hash);
        self.nulls |= match &object.contents {
            Contents::References(listed) => lists_null(listed),
            Contents::Long(PiecewiseContents::References(listed)) => !self.nulls && listed.nulls()? > 0,
            _ => false,
        };
        Ok(())
    }
}

fn names(classes: &[Class]) -> HashMap<Address, Name> {
    classes.iter().map(|class| (class.address, class.name.clone())).collect()
}

fn is_32_bit(hash: Option<IdentityHash>) -> bool {
    matches!(hash, Some(IdentityHash::Bits32(_)))
}

fn lists_null(listed: &[Address]) -> bool {
    listed.iter().any(|reference| reference.is_null())
}

/// The objects of a heap, sorted by address; those of one address stay in file order.
pub(super) enum SortedObjects<'h> {
    /// The objects of a heap in memory.
    Borrowed(std::vec::IntoIter<&'h Object>),
    /// Few enough to be held.
    Held(std::vec::IntoIter<Object>),
    /// Objects in runs.
    Merged(EntryMerge<Object>),
}

/// A heap read once: its sorted objects, their conventions and their order.
pub(super) struct SortedSide<'h> {
    pub(super) objects: SortedObjects<'h>,
    pub(super) habits: HeapConventions,
    /// The order of the objects in the file.
    pub(super) order: FileOrder,
}

impl<'h> SortedSide<'h> {
    pub(super) fn from_heap(heap: &'h Heap) -> SortedSide<'h> {
        let mut habits = HeapConventions::from_classes(heap.facts.hash_regime, &heap.classes);
        let names = names(&heap.classes);
        // Contents of a heap in memory need not be read.
        heap.objects.iter().for_each(|object| habits.observe(object, &names).unwrap_or_default());
        let mut objects: Vec<&Object> = heap.objects.iter().collect();
        objects.sort_by_key(|object| object.address);
        let order = FileOrder::Listed(heap.objects.iter().map(|object| object.address).collect());
        SortedSide { objects: SortedObjects::Borrowed(objects.into_iter()), habits, order }
    }

    /// Reads a source within this amount of memory.
    ///
    /// # Errors
    /// If reading fails, or a temporary file.
    pub(super) fn from_source(source: &mut dyn HeapSource, memory: usize) -> Result<SortedSide<'static>, Error> {
        let mut habits = HeapConventions::from_classes(source.facts().hash_regime, source.classes());
        let names = names(source.classes());
        let mut sorter = Sorter::new(memory);
        let order = FileOrder::from_source(source, memory, &mut |object| {
            habits.observe(object, &names)?;
            sorter.push(object.clone())
        })?;
        let objects = match sorter.finish()? {
            AscendingEntries::Held(objects) => SortedObjects::Held(objects),
            AscendingEntries::Merged(merge) => SortedObjects::Merged(merge),
        };
        Ok(SortedSide { objects, habits, order })
    }
}

impl<'h> SortedObjects<'h> {
    /// The next object.
    ///
    /// # Errors
    /// If a temporary file cannot be read.
    pub(super) fn next(&mut self) -> Result<Option<Cow<'h, Object>>, Error> {
        match self {
            SortedObjects::Borrowed(objects) => Ok(objects.next().map(Cow::Borrowed)),
            SortedObjects::Held(objects) => Ok(objects.next().map(Cow::Owned)),
            SortedObjects::Merged(merge) => Ok(merge.next()?.map(Cow::Owned)),
        }
    }
}

/// The addresses of a heap's objects in file order.
pub(super) enum FileOrder {
    Listed(Vec<Address>),
    Stored(StoredOrder),
}

impl FileOrder {
    /// Calls `visit` with the objects of a source, and returns their order.
    ///
    /// # Errors
    /// If `visit` fails, or reading the source or temporary files.
    pub(super) fn from_source(
        source: &mut dyn HeapSource,
        memory: usize,
        visit: &mut VisitObjects<'_>,
    ) -> Result<FileOrder, Error> {
        let mut order = AddressOrder::new(memory / 8);
        source.visit_objects(&mut |object| {
            order.push(object.address)?;
            visit(object)
        })?;
        Ok(FileOrder::Stored(order.finish()?))
    }
    /// The addresses of objects and, at their places, of classes.
    ///
    /// # Errors
    /// If a temporary file cannot be read.
    pub(super) fn with_classes(self, classes: &[Class]) -> impl Iterator<Item = Result<Address, Error>> + use<> {
        let mut placed: Vec<(u64, Address)> =
            classes.iter().map(|class| (class.after_objects.unwrap_or(u64::MAX), class.address)).collect();
        placed.sort_by_key(|(after, _)| *after);
        let mut placed = placed.into_iter().peekable();
        let (mut index, mut order, mut next) = (0, self, None);
        std::iter::from_fn(move || {
            if next.is_none() {
                next = order.get(index).transpose();
            }
            let is_due = |(after, _): &(u64, Address)| *after <= index;
            if next.is_none() {
                return placed.next().map(|(_, address)| Ok(address));
            }
            if let Some((_, address)) = placed.next_if(is_due) {
                return Some(Ok(address));
            }
            index += 1;
            next.take()
        })
    }

    fn get(&mut self, index: u64) -> Result<Option<Address>, Error> {
        match self {
            FileOrder::Listed(addresses) => Ok(addresses.get(index as usize).copied()),
            FileOrder::Stored(stored) => stored.next(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::{GenerateOptions, Placement, from_seed};

    fn collect_all(mut objects: SortedObjects<'_>) -> Vec<Object> {
        let mut found = Vec::new();
        while let Some(object) = objects.next().expect("temporary files") {
            found.push(object.into_owned());
        }
        found
    }

    #[test]
    fn extends_run_while_entries_ascend() {
        let options = GenerateOptions { objects: 1000, placement: Placement::Mixed, ..GenerateOptions::default() };
        let mut heap = from_seed(&options, 6);
        let doubled: Vec<Object> = heap.objects.iter().step_by(5).cloned().collect();
        heap.objects.extend(doubled);
        heap.objects.sort_by_key(|object| object.address);
        // Those of one address differ, so that their order is seen.
        (0..).zip(&mut heap.objects).for_each(|(number, object)| object.length = Some(number));
        let in_order = heap.objects.clone();
        // As they are; the second half first; and a piece of the middle at the end.
        for pieces in [[0..600, 600..900, 900..1200], [600..900, 900..1200, 0..600], [0..600, 900..1200, 600..900]] {
            heap.objects = pieces.into_iter().flat_map(|piece| in_order[piece].to_vec()).collect();
            let mut expected = heap.objects.clone();
            expected.sort_by_key(|object| object.address);
            let side = SortedSide::from_source(&mut heap, 4_000).expect("temporary files");
            assert!(matches!(side.objects, SortedObjects::Merged(_)));
            assert!(collect_all(side.objects) == expected);
        }
    }

    #[test]
    fn runs_in_files_give_what_a_sort_in_memory_gives() {
        let options = GenerateOptions { objects: 3000, placement: Placement::Mixed, ..GenerateOptions::default() };
        let mut heap = from_seed(&options, 5);
        let doubled: Vec<Object> = heap.objects.iter().step_by(7).cloned().collect();
        heap.objects.extend(doubled);
        let mut expected = heap.objects.clone();
        expected.sort_by_key(|object| object.address);
        let order: Vec<Address> = {
            let order = SortedSide::from_heap(&heap).order.with_classes(&heap.classes);
            order.collect::<Result<_, _>>().expect("in memory")
        };
        // The smallest has more runs than are merged at once.
        for memory in [usize::MAX, 100_000, 4_000] {
            let side = SortedSide::from_source(&mut heap, memory).expect("temporary files");
            assert_eq!(matches!(side.objects, SortedObjects::Held(_)), memory == usize::MAX);
            assert_eq!(side.habits, SortedSide::from_heap(&heap).habits);
            assert!(collect_all(side.objects) == expected, "with {memory} bytes");
            let stored: Result<Vec<Address>, Error> = side.order.with_classes(&heap.classes).collect();
            assert_eq!(stored.expect("a temporary file"), order);
        }
    }
}
