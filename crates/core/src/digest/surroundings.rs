//! The canonical records of what stands beside classes and objects.

use std::collections::BTreeSet;

use crate::compare::Facet;
use crate::compare::facts::{Described, FactWalk, GetFact, ListingHead};
use crate::compare::recorded::event_facet;
use crate::model::{Event, EventKind, Facts, HashRegime, Name, Root, RootKind, Surroundings};

use super::fields::{ByteSink, CanonicalRecord, CanonicalTag, ValueParts, push_entry};
use super::selection::FacetSelection;

/// The facets that a heap records even where no record has a field of them: there are no roots, no object has a hash.
pub(super) fn always_recorded(facts: &Facts, around: &Surroundings) -> FacetSelection {
    let lists = [
        (Facet::Roots, around.roots.is_some()),
        (Facet::RootObjects, around.roots.is_some()),
        (Facet::Threads, around.threads.is_some()),
        (Facet::StackTraces, around.traces.is_some()),
        (Facet::Regions, around.regions.is_some()),
    ];
    let hashes = facts.hash_regime.map(|regime| match regime {
        HashRegime::Every16 => Facet::Hash16,
        HashRegime::WhereUsed32 => Facet::Hash32,
    });
    let log = around.events.iter().flat_map(|_| Facet::OF_THE_LOG);
    lists.into_iter().filter(|(_, known)| *known).map(|(facet, _)| facet).chain(hashes).chain(log).collect()
}

/// Writes the record of a root, at the object that it keeps. A field of its kind alone would repeat a part of the
/// root's.
pub(super) fn root<S: ByteSink>(root: &Root, wanted: FacetSelection, sink: &mut S) -> FacetSelection {
    let wanted = wanted.without_repeated();
    let mut record = CanonicalRecord::begin(sink, wanted, CanonicalTag::Root, Some(root.object));
    record.measured(Facet::Roots, |sink| root_kind(root.kind, sink));
    record.measured(Facet::RootObjects, |sink| sink.text(root.kind.form().name.as_bytes()));
    record.facets()
}

/// The name of the listing, and the numbers in the order of its keys.
fn root_kind(mut kind: RootKind, sink: &mut dyn ByteSink) {
    sink.text(kind.form().name.as_bytes());
    kind.numbers().for_each(|number| sink.number(number.get()));
}

/// Writes a record for each fact of the whole heap, and for each thread, stack trace, region and fact of the log;
/// `done` is called after each with the facets that went in.
pub(super) fn write_others<S: ByteSink>(
    facts: &Facts,
    around: &Surroundings,
    wanted: FacetSelection,
    sink: &mut S,
    done: impl FnMut(FacetSelection, &mut S),
) {
    let head = ListingHead::from_facts(facts, around);
    let mut others = OtherRecords { head: &head, wanted, sink, done };
    ListingHead::walk(&mut others);
    for thread in around.threads.iter().flatten() {
        others.write_fact(Facet::Threads, |sink| push_entry(thread, sink));
    }
    for trace in around.traces.iter().flatten() {
        others.write_fact(Facet::StackTraces, |sink| push_entry(trace, sink));
    }
    for (index, region) in (0..).zip(around.regions.iter().flatten()) {
        others.write_fact(Facet::Regions, |sink| {
            sink.number(index);
            push_entry(region, sink);
        });
    }
    let events = || around.events.iter().flatten();
    if wanted.contains(Facet::Strings) {
        // Each once, however often the log repeats it.
        let texts: BTreeSet<&Name> = events().filter_map(text).collect();
        texts.into_iter().for_each(|text| others.write_fact(Facet::Strings, |sink| sink.push_bytes(text.as_bytes())));
    }
    for facet in Facet::OF_THE_LOG.into_iter().filter(|&facet| facet != Facet::Strings && wanted.contains(facet)) {
        let of_facet = events().filter(|event| event_facet(event) == facet);
        let each = of_facet.flat_map(|event| (0..event.times()).map(move |_| event));
        for (index, event) in (0..).zip(each) {
            others.write_fact(facet, |sink| {
                sink.number(index);
                put_event(&event.kind, sink);
            });
        }
    }
}

/// Records without an address.
struct OtherRecords<'o, S, D> {
    head: &'o ListingHead,
    wanted: FacetSelection,
    sink: &'o mut S,
    done: D,
}

impl<S: ByteSink, D: FnMut(FacetSelection, &mut S)> OtherRecords<'_, S, D> {
    fn record(&mut self, put: impl FnOnce(&mut CanonicalRecord<'_, S>)) {
        let mut record = CanonicalRecord::begin(self.sink, self.wanted, CanonicalTag::Other, None);
        put(&mut record);
        let told = record.facets();
        (self.done)(told, self.sink);
    }

    fn write_fact(&mut self, facet: Facet, value: impl Fn(&mut dyn ByteSink)) {
        self.record(|record| record.measured(facet, value));
    }
}

impl<S: ByteSink, D: FnMut(FacetSelection, &mut S)> FactWalk<ListingHead> for OtherRecords<'_, S, D> {
    fn unkeyed_fact(&mut self, facet: Facet, get: impl GetFact<ListingHead>) {
        if let Some(fact) = get(self.head) {
            self.record(|record| record.fact(facet, fact));
        }
    }
}

fn text(event: &Event) -> Option<&Name> {
    match &event.kind {
        EventKind::Text(_, text) => Some(text),
        _ => None,
    }
}

/// The facts of an entry of the log, in the order of the listing's keys.
fn put_event(kind: &EventKind, sink: &mut dyn ByteSink) {
    match kind {
        EventKind::UnloadClass(serial) => sink.number(serial.0.into()),
        EventKind::AllocationSites(sites) => push_entry(sites, sink),
        EventKind::HeapSummary(summary) => push_entry(summary, sink),
        EventKind::CpuSamples(samples) => push_entry(samples, sink),
        EventKind::ControlSettings(settings) => push_entry(settings, sink),
        EventKind::Unknown { tag, body } => {
            sink.number((*tag).into());
            sink.push_bytes(body);
        }
        EventKind::Text(..)
        | EventKind::LoadClass(_)
        | EventKind::Frame(_)
        | EventKind::Trace(_)
        | EventKind::StartThread(_)
        | EventKind::EndThread(_) => {}
    }
}
