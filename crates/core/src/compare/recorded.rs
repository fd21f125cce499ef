//! The facets that an entry of a heap records.

use std::collections::BTreeMap;

use crate::error::Error;
use crate::model::{Class, Event, EventKind, Facts, HeapSource, Object, Surroundings};

use super::Facet;
use super::facts::{Described, EntryReferences, Fact, FactWalk, GetFact, ListingHead};

/// The number of times that a heap records each facet.
#[derive(Clone, Debug, Default)]
pub struct FacetCounts(pub BTreeMap<Facet, u64>);

impl FacetCounts {
    /// Counts a whole heap.
    ///
    /// # Errors
    /// If reading the heap fails.
    pub fn from_source(source: &mut dyn HeapSource) -> Result<FacetCounts, Error> {
        let mut counts = FacetCounts::without_objects(source);
        source.visit_objects(&mut |object| counts.add_object(object))?;
        Ok(counts)
    }

    /// Counts everything but the objects.
    pub fn without_objects(source: &dyn HeapSource) -> FacetCounts {
        let mut counts = FacetCounts::default();
        let mut tell = |facet| counts.add(facet);
        header_facets(source.facts(), &mut tell);
        source.classes().iter().for_each(|class| class_facets(class, &mut tell));
        surroundings_facets(source.surroundings(), &mut tell);
        counts
    }

    /// Counts an object.
    ///
    /// # Errors
    /// If contents that are not held cannot be read.
    pub fn add_object(&mut self, object: &Object) -> Result<(), Error> {
        object_facets(object, &mut |facet| self.add(facet))
    }

    fn add(&mut self, facet: Facet) {
        *self.0.entry(facet).or_default() += 1;
    }
}

/// Calls `tell` with every facet that the header records.
pub fn header_facets(facts: &Facts, tell: &mut dyn FnMut(Facet)) {
    entry_facets(&ListingHead::from_facts(facts, &Surroundings::default()), tell);
}

/// Calls `tell` with every facet that a class records.
pub fn class_facets(class: &Class, tell: &mut dyn FnMut(Facet)) {
    [Facet::Address, Facet::RecordOrder].into_iter().for_each(&mut *tell);
    entry_facets(class, tell);
}

/// Calls `tell` with every facet that an object records.
///
/// # Errors
/// If contents that are not held cannot be read.
pub fn object_facets(object: &Object, tell: &mut dyn FnMut(Facet)) -> Result<(), Error> {
    [Facet::Address, Facet::RecordOrder].into_iter().for_each(&mut *tell);
    let mut teller = FacetTeller { entry: object, tell, failed: None };
    Object::walk(&mut teller);
    teller.failed.map_or(Ok(()), Err)
}

/// Calls `tell` with the facets of surroundings, once an entry.
pub fn surroundings_facets(around: &Surroundings, tell: &mut dyn FnMut(Facet)) {
    let mut many = |facet, count: usize| (0..count).for_each(|_| tell(facet));
    many(Facet::DumpTimes, usize::from(around.times.is_some()));
    many(Facet::Roots, around.roots.as_ref().map_or(0, Vec::len));
    many(Facet::RootOrder, usize::from(around.roots.as_ref().is_some_and(|roots| roots.len() > 1)));
    many(Facet::Threads, around.threads.as_ref().map_or(0, Vec::len));
    many(Facet::StackTraces, around.traces.as_ref().map_or(0, Vec::len));
    many(Facet::Regions, around.regions.as_ref().map_or(0, Vec::len));
    for event in around.events.iter().flatten() {
        (0..event.times()).for_each(|_| tell(event_facet(event)));
    }
}

fn entry_facets<E: Described>(entry: &E, tell: &mut dyn FnMut(Facet)) {
    E::walk(&mut FacetTeller { entry, tell, failed: None });
}

struct FacetTeller<'t, E> {
    entry: &'t E,
    tell: &'t mut dyn FnMut(Facet),
    /// The error of reading contents.
    failed: Option<Error>,
}

/// A missing hash is not counted, although it is a fact in dumps that record such hashes: it is no loss.
impl<E> FactWalk<E> for FacetTeller<'_, E> {
    fn unkeyed_fact(&mut self, facet: Facet, get: impl GetFact<E>) {
        match get(self.entry) {
            None | Some(Fact::Pool([])) => {}
            Some(_) => (self.tell)(facet),
        }
    }

    fn references(&mut self, facet: Facet, get: impl for<'e> Fn(&'e E) -> Option<EntryReferences<'e>>) {
        let Some(references) = get(self.entry) else { return };
        let is_told = match (facet, references.long_pieces()) {
            (Facet::NullReferences, _) => references.count_nulls().map(|nulls| nulls > 0),
            (_, Err(error)) => Err(error),
            (Facet::ReferenceOrder, Ok(Some(long))) => Ok(long.count() > 1),
            (Facet::ReferenceOrder, Ok(None)) => Ok(references.iter().nth(1).is_some()),
            _ if matches!(references, EntryReferences::Listed(_)) => Ok(true),
            (_, Ok(Some(long))) => Ok(long.count() > 0),
            (_, Ok(None)) => Ok(references.iter().next().is_some()),
        };
        match is_told {
            Ok(true) => (self.tell)(facet),
            Ok(false) => {}
            Err(error) => self.failed = Some(error),
        }
    }
}

/// The facet to which an event of the log belongs.
pub fn event_facet(event: &Event) -> Facet {
    match event.kind {
        EventKind::Text(..) => Facet::Strings,
        EventKind::UnloadClass(_) => Facet::Unloads,
        EventKind::AllocationSites(_) => Facet::AllocationSites,
        EventKind::HeapSummary(_) => Facet::HeapSummaries,
        EventKind::CpuSamples(_) => Facet::CpuSamples,
        EventKind::ControlSettings(_) => Facet::ControlSettings,
        EventKind::Unknown { .. } => Facet::UnknownRecords,
        // The facts of these are others', too; only place and identifiers are the log's own.
        EventKind::LoadClass(_)
        | EventKind::Frame(_)
        | EventKind::Trace(_)
        | EventKind::StartThread(_)
        | EventKind::EndThread(_) => Facet::Events,
    }
}
