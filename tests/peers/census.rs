//! What is to be counted in a dump, worked out from heaps and not from bytes; and what may make a peer fail.

use std::collections::{BTreeMap, BTreeSet};

use heapsmith::hprof::wire::{HEAD, RecordTag};
use heapsmith::hprof::{DecodeStep, Decoder, SubRecord};
use heapsmith::model::{
    Contents, Dump, EventKind, FieldType, Heap, Name, ObjectKind, PrimitiveType, RootKind, TextId, Value,
};
use serde_json::{Value as Json, json};

/// A key under which the names are counted that are not UTF-8: no peer reads modified UTF-8.
pub(crate) const NOT_UTF_8: &str = "(not UTF-8)";

/// The counts of a dump, under the names that the adapters use.
pub(crate) fn census(dump: &Dump) -> Json {
    let mut classes: BTreeMap<String, u64> = BTreeMap::new();
    let (mut instances, mut object_arrays, mut primitive_arrays) = (0_u64, 0_u64, 0_u64);
    let (mut fields, mut elements) = (0_u64, 0_u64);
    let mut names = BTreeMap::new();
    for heap in &dump.heaps {
        names.extend(heap.classes.iter().map(|class| (class.address, source_form(&class.name))));
        for object in &heap.objects {
            match object.kind {
                ObjectKind::Instance => instances += 1,
                ObjectKind::ObjectArray => object_arrays += 1,
                ObjectKind::PrimitiveArray(_) => primitive_arrays += 1,
            }
            let name = match (object.kind, object.class) {
                (ObjectKind::PrimitiveArray(kind), _) => format!("{kind}[]"),
                (_, class) => class.and_then(|class| names.get(&class).cloned()).unwrap_or_default(),
            };
            *classes.entry(name).or_default() += 1;
            match (&object.contents, object.kind) {
                (Contents::Fields(values), _) => sum(&mut fields, values.iter().map(|value| value.bits)),
                (Contents::Elements(listed), _) => sum(&mut elements, listed.iter().map(|address| address.0)),
                (Contents::Primitives(bytes), ObjectKind::PrimitiveArray(kind)) => {
                    sum(&mut elements, bytes.chunks_exact(kind.size() as usize).map(bits));
                }
                _ => {}
            }
        }
    }
    let count = |of: fn(&Heap) -> usize| dump.heaps.iter().map(of).sum::<usize>();
    json!({
        "classes": classes,
        "instances": instances,
        "object_arrays": object_arrays,
        "primitive_arrays": primitive_arrays,
        "roots": count(|heap| heap.surroundings.roots.iter().flatten().count()),
        "class_dumps": count(|heap| heap.classes.len()),
        "strings": texts(dump).len(),
        "field_checksum": format!("{fields:016x}"),
        "element_checksum": format!("{elements:016x}"),
    })
}

/// What is different in a peer's answer; it need not tell everything.
pub(crate) fn differences(wanted: &Json, told: &Json) -> Vec<String> {
    let wanted = wanted.as_object().expect("an object");
    let keys = wanted.iter().filter(|(key, _)| !told[key.as_str()].is_null());
    let differ = keys.filter(|(key, value)| told[key.as_str()] != **value);
    differ.map(|(key, value)| format!("{key} {} for {value}", told[key.as_str()])).collect()
}

/// An answer with the names that are not UTF-8 under one key, whatever the peer puts in their place.
pub(crate) fn without_odd_names(mut answer: Json) -> Json {
    if let Some(classes) = answer["classes"].as_object_mut() {
        let is_odd = |name: &str| name.contains('\u{fffd}') || name == NOT_UTF_8;
        let odd: u64 = classes.iter().filter(|(name, _)| is_odd(name)).filter_map(|(_, count)| count.as_u64()).sum();
        classes.retain(|name, _| !is_odd(name));
        if odd > 0 {
            classes.insert(NOT_UTF_8.to_owned(), odd.into());
        }
    }
    answer
}

/// What a dump has that a peer may fail at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Feature {
    Android,
    ArrayWithoutClass,
    Between,
    BothKinds,
    ConstantPool,
    EmptyRecord,
    Finalizing,
    Gzip,
    HighTag,
    JniMonitor,
    LateName,
    ModifiedName,
    NarrowIds,
    NoData,
    NoEnd,
    OddBoolean,
    OldClass,
    TwoDumps,
    UnknownTag,
    Unreachable,
}

/// The features of a dump, of which `dump` is what a reader gets.
pub(crate) fn features(bytes: &[u8], dump: &Dump) -> BTreeSet<Feature> {
    if bytes.starts_with(&[0x1f, 0x8b]) {
        return BTreeSet::from([Feature::Gzip]);
    }
    let mut decoder = Decoder::new(bytes).expect("an HPROF dump");
    let mut found = BTreeSet::new();
    if decoder.header().id_size.bytes() < 4 {
        found.insert(Feature::NarrowIds);
    }
    let (mut kinds, mut ends, mut open, mut between) = (BTreeSet::new(), 0, false, false);
    let walked = decoder.visit::<heapsmith::error::DecodeError, _>(|step| {
        match step {
            DecodeStep::Record(at, record) => {
                let tag = record.tag();
                match tag {
                    RecordTag::HEAP_DUMP_END => {
                        ends += 1;
                        open = false;
                    }
                    _ if at.bytes.len() == HEAD && at.rest == 0 => {
                        found.insert(Feature::EmptyRecord);
                    }
                    RecordTag::STRING_IN_UTF8 | RecordTag::LOAD_CLASS if ends > 0 => {
                        found.insert(Feature::LateName);
                    }
                    _ => {}
                }
                between = open;
                if tag.form().is_none() {
                    found.insert(Feature::UnknownTag);
                    found.extend((tag.0 >= 0x80).then_some(Feature::HighTag));
                }
            }
            DecodeStep::Segment(_, segment) => {
                kinds.insert(segment.tag);
                found.extend((segment.stated == 0).then_some(Feature::EmptyRecord));
                found.extend(between.then_some(Feature::Between));
                found.extend((ends > 0).then_some(Feature::TwoDumps));
                (open, between) = (segment.tag == RecordTag::HEAP_DUMP_SEGMENT, false);
            }
            DecodeStep::Sub(_, sub_record) => {
                found.extend(sub_record.tag().is_android().then_some(Feature::Android));
                match sub_record {
                    SubRecord::Class(class) if !class.constant_pool.is_empty() => {
                        found.insert(Feature::ConstantPool);
                    }
                    SubRecord::NoDataArray(_) => {
                        found.insert(Feature::NoData);
                    }
                    SubRecord::Root(root) => match root.kind {
                        RootKind::Finalizing | RootKind::ReferenceCleanup => {
                            found.insert(Feature::Finalizing);
                        }
                        RootKind::Unreachable => {
                            found.insert(Feature::Unreachable);
                        }
                        RootKind::JniMonitor(..) => {
                            found.insert(Feature::JniMonitor);
                        }
                        _ => {}
                    },
                    _ => {}
                }
            }
            DecodeStep::More(_) | DecodeStep::SegmentEnd(_) => {}
        }
        Ok(())
    });
    walked.expect("a whole dump");
    found.extend(open.then_some(Feature::NoEnd));
    found.extend((kinds.len() > 1).then_some(Feature::BothKinds));
    found.extend(of_the_heaps(dump));
    found
}

fn of_the_heaps(dump: &Dump) -> BTreeSet<Feature> {
    let mut found = BTreeSet::new();
    for (number, heap) in dump.heaps.iter().enumerate() {
        let mut names: BTreeSet<String> = heap.classes.iter().map(|class| source_form(&class.name)).collect();
        let odd = names.remove(NOT_UTF_8);
        found.extend(odd.then_some(Feature::ModifiedName));
        for object in &heap.objects {
            if let ObjectKind::PrimitiveArray(kind) = object.kind {
                let known = names.contains(&format!("{kind}[]"));
                found.extend((!known).then_some(Feature::ArrayWithoutClass));
            } else if number > 0 && !heap.classes.iter().any(|class| Some(class.address) == object.class) {
                found.insert(Feature::OldClass);
            }
            let odd = match (&object.contents, object.kind) {
                (Contents::Fields(values), _) => values.iter().any(is_odd_boolean),
                (Contents::Primitives(bytes), ObjectKind::PrimitiveArray(PrimitiveType::Boolean)) => {
                    bytes.iter().any(|byte| *byte > 1)
                }
                _ => false,
            };
            found.extend(odd.then_some(Feature::OddBoolean));
        }
    }
    found
}

fn is_odd_boolean(value: &Value) -> bool {
    value.kind == FieldType::Primitive(PrimitiveType::Boolean) && value.bits > 1
}

fn texts(dump: &Dump) -> BTreeSet<TextId> {
    let events = dump.heaps.iter().flat_map(|heap| heap.surroundings.events.iter().flatten()).chain(&dump.tail);
    events
        .filter_map(|event| match &event.kind {
            EventKind::Text(id, _) => Some(*id),
            _ => None,
        })
        .collect()
}

fn source_form(name: &Name) -> String {
    let java = name.to_java_form();
    std::str::from_utf8(java.as_bytes()).map_or_else(|_| NOT_UTF_8.to_owned(), str::to_owned)
}

fn sum(into: &mut u64, of: impl Iterator<Item = u64>) {
    *into = of.fold(*into, u64::wrapping_add);
}

fn bits(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0, |value, byte| value << 8 | u64::from(*byte))
}
