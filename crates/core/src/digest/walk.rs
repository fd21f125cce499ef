//! Every canonical record of a heap, one after the other.

use crate::compare::Facet;
use crate::compare::facts::{Described, EntryReferences, FactWalk, GetFact};
use crate::error::Error;
use crate::model::{Address, HeapSource, Object};

use super::canonical::CanonicalRecords;
use super::fields::ByteSink;
use super::selection::FacetSelection;
use super::surroundings;

/// The place where a record belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DigestPlace {
    /// A class or an object, at its address.
    Entry(Address),
    /// A root, at the address of the object that it keeps.
    Root(Address),
    /// Anything without an address.
    Other,
}

/// The numbers of classes, objects and roots of a heap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct HeapCounts {
    pub(super) classes: u64,
    pub(super) objects: u64,
    pub(super) roots: Option<u64>,
}

/// A sink of one record at a time.
pub(super) trait Restart: ByteSink {
    /// Forgets the record so far.
    fn restart(&mut self);
}

impl Restart for Vec<u8> {
    fn restart(&mut self) {
        self.clear();
    }
}

/// Writes the records over each of several selections, and calls `done` after each record with the place of its
/// selection in the list. A record into which no facet went is none.
pub(super) fn walk<S: Restart>(
    source: &mut dyn HeapSource,
    selections: &[FacetSelection],
    sink: &mut S,
    mut done: impl FnMut(usize, DigestPlace, FacetSelection, &mut S) -> Result<(), Error>,
) -> Result<HeapCounts, Error> {
    let all = selections.iter().fold(FacetSelection::default(), |mut all, selection| {
        all.insert_all(*selection);
        all
    });
    let mut canonical = CanonicalRecords::new(source.classes(), all);
    let mut finish = |which, place, told: FacetSelection, sink: &mut S| {
        let result = if told.is_empty() { Ok(()) } else { done(which, place, told, sink) };
        sink.restart();
        result
    };
    let (facts, around) = (source.facts(), source.surroundings());
    for (which, &wanted) in selections.iter().enumerate() {
        let mut result = Ok(());
        surroundings::write_others(facts, around, wanted, sink, |told, sink| {
            let finished = finish(which, DigestPlace::Other, told, sink);
            result = std::mem::replace(&mut result, Ok(())).and(finished);
        });
        result?;
        for root in around.roots.iter().flatten().filter(|_| has_roots(wanted)) {
            let told = surroundings::root(root, wanted, sink);
            finish(which, DigestPlace::Root(root.object), told, sink)?;
        }
        for class in source.classes() {
            let told = canonical.class(class, wanted, sink)?;
            finish(which, DigestPlace::Entry(class.address), told, sink)?;
        }
    }
    let mut counts = HeapCounts {
        classes: source.classes().len() as u64,
        objects: 0,
        roots: around.roots.as_ref().map(|roots| roots.len() as u64),
    };
    let of_objects: Vec<(usize, FacetSelection)> =
        selections.iter().copied().enumerate().filter(|(_, wanted)| !wanted.and(object_facets()).is_empty()).collect();
    source.visit_objects(&mut |object| {
        counts.objects += 1;
        of_objects.iter().try_for_each(|&(which, wanted)| {
            let told = canonical.object(object, wanted, sink)?;
            finish(which, DigestPlace::Entry(object.address), told, sink)
        })
    })?;
    Ok(counts)
}

/// Whether roots have records.
fn has_roots(wanted: FacetSelection) -> bool {
    [Facet::Roots, Facet::RootObjects].into_iter().any(|facet| wanted.contains(facet))
}

/// The facets that records of objects have.
fn object_facets() -> FacetSelection {
    struct ObjectFacets(FacetSelection);

    impl FactWalk<Object> for ObjectFacets {
        fn unkeyed_fact(&mut self, facet: Facet, _: impl GetFact<Object>) {
            self.0.insert(facet);
        }

        fn references(&mut self, facet: Facet, _: impl for<'e> Fn(&'e Object) -> Option<EntryReferences<'e>>) {
            self.0.insert(facet);
        }
    }

    let mut facets = ObjectFacets(FacetSelection::from_iter([Facet::Address]));
    Object::walk(&mut facets);
    facets.0
}
