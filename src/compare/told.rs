//! Which facets an entry of a heap tells.

use crate::model::{Class, Contents, Event, EventKind, Facts, IdentityHash, Object, ObjectKind, Surroundings};

use super::Facet;

/// Calls `tell` with every facet that the header tells.
pub fn of_facts(facts: &Facts, tell: &mut dyn FnMut(Facet)) {
    let told = [
        (Facet::WordSize, facts.word_size.is_some()),
        (Facet::IdentifierSize, facts.identifier_size.is_some()),
        (Facet::VersionText, facts.version_text.is_some()),
        (Facet::HeaderVersion, facts.header_version.is_some()),
        (Facet::TimeStamp, facts.timestamp.is_some()),
        (Facet::HeaderTotals, facts.totals.is_some()),
        (Facet::HashRandoms, facts.hash_randoms.is_some()),
        (Facet::NullReferences, facts.null_references.is_some()),
    ];
    each(told, tell);
}

/// The same of a class.
pub fn of_class(class: &Class, tell: &mut dyn FnMut(Facet)) {
    let lists_null = |listed: &Vec<_>| listed.contains(&crate::model::Address::NULL);
    let told = [
        (Facet::Address, true),
        (Facet::Kind, true),
        (Facet::RecordOrder, true),
        (Facet::ClassName, true),
        (Facet::Superclass, class.superclass.is_some()),
        (Facet::Interfaces, class.interfaces.is_some()),
        (Facet::Loader, class.loader.is_some()),
        (Facet::Signers, class.signers.is_some()),
        (Facet::ProtectionDomain, class.protection_domain.is_some()),
        (Facet::InstanceSize, class.instance_size.is_some()),
        (Facet::ClassObjectSize, class.class_object_size.is_some()),
        (Facet::Fields, class.fields.is_some()),
        (Facet::Statics, class.statics.is_some()),
        (Facet::ConstantPool, class.constant_pool.as_ref().is_some_and(|pool| !pool.is_empty())),
        (Facet::ClassReferences, class.references.is_some()),
        (Facet::NullReferences, class.references.as_ref().is_some_and(lists_null)),
        (Facet::ReferenceOrder, class.references.as_ref().is_some_and(|listed| listed.len() > 1)),
        (Facet::ClassSerial, class.serial.is_some()),
        (Facet::ClassTrace, class.trace.is_some()),
    ];
    each(told, tell);
    of_hash(class.hash, tell);
}

/// The same of an object.
pub fn of_object(object: &Object, tell: &mut dyn FnMut(Facet)) {
    let is_array = object.kind != ObjectKind::Instance;
    let references = object.references().take(2).count();
    let lists_null = matches!(&object.contents, Contents::References(listed) if listed.iter().any(|a| a.is_null()));
    let told = [
        (Facet::Address, true),
        (Facet::Kind, true),
        (Facet::RecordOrder, true),
        (Facet::ClassName, object.class_name.is_some()),
        (Facet::Class, object.class.is_some()),
        (Facet::ClassWord, object.class_word.is_some() && object.kind == ObjectKind::ObjectArray),
        (Facet::ObjectSize, object.size.is_some()),
        (Facet::ArrayLength, object.length.is_some() && is_array),
        (Facet::FieldValues, matches!(object.contents, Contents::Fields(_) | Contents::Raw(_))),
        (Facet::Elements, matches!(object.contents, Contents::Elements(_))),
        (Facet::PrimitiveContents, matches!(object.contents, Contents::Primitives(_))),
        (Facet::References, matches!(object.contents, Contents::References(_)) || references > 0),
        (Facet::NullReferences, lists_null),
        (Facet::ReferenceOrder, references > 1),
        (Facet::ObjectTrace, object.trace.is_some()),
    ];
    each(told, tell);
    of_hash(object.hash, tell);
}

fn of_hash(hash: Option<IdentityHash>, tell: &mut dyn FnMut(Facet)) {
    match hash {
        Some(IdentityHash::Bits16(_)) => tell(Facet::Hash16),
        Some(IdentityHash::Bits32(_)) => tell(Facet::Hash32),
        // That an object was never asked for its hash is told by a dump that tells such hashes, and is no loss.
        None => {}
    }
}

/// The same of what stands beside classes and objects, once an entry.
pub fn of_surroundings(around: &Surroundings, tell: &mut dyn FnMut(Facet)) {
    let mut many = |facet, count: usize| (0..count).for_each(|_| tell(facet));
    many(Facet::DumpTimes, usize::from(around.times.is_some()));
    many(Facet::Roots, around.roots.as_ref().map_or(0, Vec::len));
    many(Facet::RootOrder, usize::from(around.roots.as_ref().is_some_and(|roots| roots.len() > 1)));
    many(Facet::Threads, around.threads.as_ref().map_or(0, Vec::len));
    many(Facet::StackTraces, around.traces.as_ref().map_or(0, Vec::len));
    many(Facet::Regions, around.regions.as_ref().map_or(0, Vec::len));
    for event in around.events.iter().flatten() {
        tell(of_event(event));
    }
}

/// The facet that an entry of the log is filed under.
pub fn of_event(event: &Event) -> Facet {
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

fn each<const N: usize>(told: [(Facet, bool); N], tell: &mut dyn FnMut(Facet)) {
    told.into_iter().filter(|(_, is_told)| *is_told).for_each(|(facet, _)| tell(facet));
}
