//! The canonical records of what stands beside classes and objects.

use std::collections::BTreeSet;

use crate::compare::Facet;
use crate::compare::told::of_event;
use crate::model::{
    Event, EventKind, Facts, HashRegime, HeapSummary, Name, Region, Root, RootKind, StackTrace, Surroundings, Thread,
    WordSize,
};

use super::fields::{Parts, Record, Sink, Tag};
use super::selection::Selection;

/// The facets that a heap tells even where no record has a field of them: there are no roots, no object has a hash.
pub(super) fn known(facts: &Facts, around: &Surroundings) -> Selection {
    let lists = [
        (Facet::Roots, around.roots.is_some()),
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

/// Puts down the record of a root, at the object that it keeps.
pub(super) fn root<S: Sink>(root: &Root, wanted: Selection, sink: &mut S) -> Selection {
    let mut record = Record::begin(sink, wanted, Tag::Root, Some(root.object));
    record.measured(Facet::Roots, |sink| root_kind(root.kind, sink));
    record.told()
}

/// The name of the listing, and the numbers in the order of its keys.
fn root_kind(mut kind: RootKind, sink: &mut dyn Sink) {
    sink.text(kind.form().name.as_bytes());
    kind.numbers().for_each(|number| sink.number(number.get()));
}

/// Puts down a record for each fact of the whole heap, and for each thread, stack trace, region and fact of the log; `done` is
/// called behind each with the facets that went in.
pub(super) fn others<S: Sink>(
    facts: &Facts,
    around: &Surroundings,
    wanted: Selection,
    sink: &mut S,
    mut done: impl FnMut(Selection, &mut S),
) {
    let mut put = |facet: Facet, value: &dyn Fn(&mut dyn Sink)| {
        let mut record = Record::begin(sink, wanted, Tag::Other, None);
        record.measured(facet, value);
        let told = record.told();
        done(told, sink);
    };
    let numbers = [
        (Facet::WordSize, facts.word_size.map(|size: WordSize| size.bits().into())),
        (Facet::IdentifierSize, facts.identifier_size.map(|size| size.0)),
        (Facet::TimeStamp, facts.timestamp),
        (Facet::NullReferences, facts.null_references),
    ];
    for (facet, number) in numbers.into_iter().filter_map(|(facet, number)| Some((facet, number?))) {
        put(facet, &|sink| sink.number(number));
    }
    let names = [(Facet::VersionText, &facts.version_text), (Facet::HeaderVersion, &facts.header_version)];
    for (facet, name) in names.into_iter().filter_map(|(facet, name)| Some((facet, name.as_ref()?))) {
        put(facet, &|sink| sink.put(name.as_bytes()));
    }
    let totals = facts.totals.map(|totals| (totals.objects, totals.references));
    let pairs =
        [(Facet::DumpTimes, around.times), (Facet::HeaderTotals, totals), (Facet::HashRandoms, facts.hash_randoms)];
    for (facet, (first, second)) in pairs.into_iter().filter_map(|(facet, pair)| Some((facet, pair?))) {
        put(facet, &|sink| {
            sink.number(first.into());
            sink.number(second.into());
        });
    }
    for thread in around.threads.iter().flatten() {
        put(Facet::Threads, &|sink| put_thread(thread, sink));
    }
    for trace in around.traces.iter().flatten() {
        put(Facet::StackTraces, &|sink| put_trace(trace, sink));
    }
    for (index, region) in (0..).zip(around.regions.iter().flatten()) {
        put(Facet::Regions, &|sink| put_region(index, region, sink));
    }
    let events = || around.events.iter().flatten();
    if wanted.contains(Facet::Strings) {
        // Each once, however often the log repeats it.
        let texts: BTreeSet<&Name> = events().filter_map(text).collect();
        texts.into_iter().for_each(|text| put(Facet::Strings, &|sink| sink.put(text.as_bytes())));
    }
    for facet in Facet::OF_THE_LOG.into_iter().filter(|&facet| facet != Facet::Strings && wanted.contains(facet)) {
        let of_facet = events().filter(|event| of_event(event) == facet);
        for (index, event) in (0..).zip(of_facet) {
            put(facet, &|sink| {
                sink.number(index);
                put_event(&event.kind, sink);
            });
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
        EventKind::AllocationSites(sites) => {
            sink.number(sites.flags.into());
            sink.number(sites.cutoff.into());
            put_summary(&sites.totals, sink);
            for site in &sites.sites {
                sink.number(site.array.into());
                sink.number(site.class.0.into());
                sink.number(site.trace.0.into());
                sink.number(site.live_bytes.into());
                sink.number(site.live_instances.into());
                sink.number(site.allocated_bytes.into());
                sink.number(site.allocated_instances.into());
            }
        }
        EventKind::HeapSummary(summary) => put_summary(summary, sink),
        EventKind::CpuSamples(samples) => {
            sink.number(samples.total.into());
            for (samples, trace) in &samples.traces {
                sink.number((*samples).into());
                sink.number(trace.0.into());
            }
        }
        EventKind::ControlSettings(settings) => {
            sink.number(settings.flags.into());
            sink.number(settings.depth.into());
        }
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

fn put_summary(summary: &HeapSummary, sink: &mut dyn Sink) {
    sink.number(summary.live_bytes.into());
    sink.number(summary.live_instances.into());
    sink.number(summary.allocated_bytes);
    sink.number(summary.allocated_instances);
}

fn put_thread(thread: &Thread, sink: &mut dyn Sink) {
    sink.number(thread.serial.0.into());
    sink.address(thread.object);
    sink.option(thread.name.as_ref(), Parts::name);
    sink.option(thread.trace, |sink, trace| sink.number(trace.0.into()));
}

fn put_trace(trace: &StackTrace, sink: &mut dyn Sink) {
    sink.number(trace.serial.0.into());
    sink.number(trace.thread.0.into());
    for frame in trace.frames.iter() {
        sink.name(&frame.method);
        sink.name(&frame.signature);
        sink.option(frame.source.as_ref(), Parts::name);
        sink.option(frame.class, Parts::address);
        sink.signed(frame.line);
    }
}

fn put_region(index: u64, region: &Region, sink: &mut dyn Sink) {
    sink.number(index);
    sink.number(region.id.into());
    sink.name(&region.name);
    sink.number(region.after);
}
