//! The canonical records of what stands beside classes and objects.

use std::collections::BTreeSet;

use crate::compare::Facet;
use crate::compare::facts::{Described, Get, Head, Walk};
use crate::compare::told::of_event;
use crate::model::{Event, EventKind, Facts, HashRegime, Name, Root, RootKind, Surroundings};

use super::fields::{Parts, Record, Sink, Tag, parts};
use super::selection::Selection;

/// The facets that a heap records even where no record has a field of them: there are no roots, no object has a hash.
pub(super) fn known(facts: &Facts, around: &Surroundings) -> Selection {
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
pub(super) fn root<S: Sink>(root: &Root, wanted: Selection, sink: &mut S) -> Selection {
    let wanted = wanted.without_repeated();
    let mut record = Record::begin(sink, wanted, Tag::Root, Some(root.object));
    record.measured(Facet::Roots, |sink| root_kind(root.kind, sink));
    record.measured(Facet::RootObjects, |sink| sink.text(root.kind.form().name.as_bytes()));
    record.told()
}

/// The name of the listing, and the numbers in the order of its keys.
fn root_kind(mut kind: RootKind, sink: &mut dyn Sink) {
    sink.text(kind.form().name.as_bytes());
    kind.numbers().for_each(|number| sink.number(number.get()));
}

/// Writes a record for each fact of the whole heap, and for each thread, stack trace, region and fact of the log;
/// `done` is called after each with the facets that went in.
pub(super) fn others<S: Sink>(
    facts: &Facts,
    around: &Surroundings,
    wanted: Selection,
    sink: &mut S,
    done: impl FnMut(Selection, &mut S),
) {
    let head = Head::of(facts, around);
    let mut others = Others { head: &head, wanted, sink, done };
    Head::walk(&mut others);
    for thread in around.threads.iter().flatten() {
        others.put(Facet::Threads, |sink| parts(thread, sink));
    }
    for trace in around.traces.iter().flatten() {
        others.put(Facet::StackTraces, |sink| parts(trace, sink));
    }
    for (index, region) in (0..).zip(around.regions.iter().flatten()) {
        others.put(Facet::Regions, |sink| {
            sink.number(index);
            parts(region, sink);
        });
    }
    let events = || around.events.iter().flatten();
    if wanted.contains(Facet::Strings) {
        // Each once, however often the log repeats it.
        let texts: BTreeSet<&Name> = events().filter_map(text).collect();
        texts.into_iter().for_each(|text| others.put(Facet::Strings, |sink| sink.put(text.as_bytes())));
    }
    for facet in Facet::OF_THE_LOG.into_iter().filter(|&facet| facet != Facet::Strings && wanted.contains(facet)) {
        let of_facet = events().filter(|event| of_event(event) == facet);
        let each = of_facet.flat_map(|event| (0..event.times()).map(move |_| event));
        for (index, event) in (0..).zip(each) {
            others.put(facet, |sink| {
                sink.number(index);
                put_event(&event.kind, sink);
            });
        }
    }
}

/// Records without an address.
struct Others<'o, S, D> {
    head: &'o Head,
    wanted: Selection,
    sink: &'o mut S,
    done: D,
}

impl<S: Sink, D: FnMut(Selection, &mut S)> Others<'_, S, D> {
    fn record(&mut self, put: impl FnOnce(&mut Record<'_, S>)) {
        let mut record = Record::begin(self.sink, self.wanted, Tag::Other, None);
        put(&mut record);
        let told = record.told();
        (self.done)(told, self.sink);
    }

    fn put(&mut self, facet: Facet, value: impl Fn(&mut dyn Sink)) {
        self.record(|record| record.measured(facet, value));
    }
}

impl<S: Sink, D: FnMut(Selection, &mut S)> Walk<Head> for Others<'_, S, D> {
    fn told(&mut self, facet: Facet, get: impl Get<Head>) {
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
fn put_event(kind: &EventKind, sink: &mut dyn Sink) {
    match kind {
        EventKind::UnloadClass(serial) => sink.number(serial.0.into()),
        EventKind::AllocationSites(sites) => parts(sites, sink),
        EventKind::HeapSummary(summary) => parts(summary, sink),
        EventKind::CpuSamples(samples) => parts(samples, sink),
        EventKind::ControlSettings(settings) => parts(settings, sink),
        EventKind::Unknown { tag, body } => {
            sink.number((*tag).into());
            sink.put(body);
        }
        EventKind::Text(..)
        | EventKind::LoadClass(_)
        | EventKind::Frame(_)
        | EventKind::Trace(_)
        | EventKind::StartThread(_)
        | EventKind::EndThread(_) => {}
    }
}
