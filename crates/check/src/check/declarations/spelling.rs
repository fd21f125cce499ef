//! Readings of booleans and names that adapters of any format declare, two each, like those of a format.

use std::char::REPLACEMENT_CHARACTER;
use std::collections::HashMap;

use heapsmith_core::compare::Facet;
use heapsmith_core::family::case::{Ambiguity, ReadingChoice, ReadingHeap};
use heapsmith_core::model::{Contents, EventKind, FieldType, Heap, Name, ObjectKind, PrimitiveType, Value};

/// The name of the ambiguity of booleans.
pub(in crate::check) const BOOLEANS: &str = "booleans";
/// The name of the ambiguity of names.
pub(in crate::check) const NAMES: &str = "names";

/// The two ambiguities, in the order in which they are applied, after those of the format.
pub(in crate::check) const GENERAL: &[Ambiguity] = &[
    Ambiguity {
        name: BOOLEANS,
        about: "A boolean that is neither 0 nor 1",
        rule: "hprof.boolean.value",
        choices: &[ReadingChoice::new("bytes", "its byte"), ReadingChoice::new("0/1", "1")],
        facets: &[Facet::FieldValues, Facet::Statics, Facet::ConstantPool, Facet::PrimitiveContents],
        means: ReadingHeap::Heap {
            same: |_, heap, _, _| !has_odd_booleans(heap),
            apply: |_, heap, _| normalise_booleans(heap),
        },
    },
    Ambiguity {
        name: NAMES,
        about: "A name, or the text of a string, whose bytes are not the modified UTF-8 of a text",
        rule: "hprof.text.encoding",
        choices: &[
            ReadingChoice::new("bytes", "its bytes"),
            ReadingChoice::new("text", "text, with replacements for what is none"),
        ],
        facets: &[
            Facet::ClassName,
            Facet::Fields,
            Facet::Statics,
            Facet::VersionText,
            Facet::Threads,
            Facet::StackTraces,
            Facet::Regions,
            Facet::Strings,
            Facet::Events,
            Facet::StringText,
        ],
        means: ReadingHeap::Heap {
            same: |_, heap, _, _| !has_other_bytes(heap),
            apply: |_, heap, _| convert_names_to_text(heap),
        },
    },
];

fn is_odd_boolean(value: &Value) -> bool {
    value.kind == FieldType::Primitive(PrimitiveType::Boolean) && value.bits > 1
}

fn has_odd_booleans(heap: &Heap) -> bool {
    heap.classes.iter().any(|class| {
        let of_statics = class.statics.iter().flatten().map(|field| &field.value);
        of_statics.chain(class.constant_pool.iter().flatten().map(|entry| &entry.value)).any(is_odd_boolean)
    }) || heap.objects.iter().any(|object| match (&object.contents, object.kind) {
        (Contents::Fields(values), _) => values.iter().any(is_odd_boolean),
        (Contents::Primitives(bytes), ObjectKind::PrimitiveArray(PrimitiveType::Boolean)) => {
            bytes.iter().any(|byte| *byte > 1)
        }
        _ => false,
    })
}

/// Sets each boolean that is neither 0 nor 1 to 1.
pub(in crate::check) fn normalise_booleans(heap: &mut Heap) {
    let mend = |value: &mut Value| {
        if is_odd_boolean(value) {
            value.bits = 1;
        }
    };
    for class in &mut heap.classes {
        class.statics.iter_mut().flatten().for_each(|field| mend(&mut field.value));
        class.constant_pool.iter_mut().flatten().for_each(|entry| mend(&mut entry.value));
    }
    for object in &mut heap.objects {
        match (&mut object.contents, object.kind) {
            (Contents::Fields(values), _) => values.iter_mut().for_each(mend),
            (Contents::Primitives(bytes), ObjectKind::PrimitiveArray(PrimitiveType::Boolean)) => {
                bytes.iter_mut().for_each(|byte| *byte = (*byte).min(1));
            }
            _ => {}
        }
    }
}

/// Every name of a heap.
pub(in crate::check) fn all_names(heap: &Heap) -> impl Iterator<Item = &Name> {
    let Heap { facts, classes, objects, surroundings } = heap;
    let of_classes = classes.iter().flat_map(|class| {
        let of_fields = class.fields.iter().flatten().map(|field| &field.name);
        let of_statics = class.statics.iter().flatten().map(|field| &field.name);
        std::iter::once(&class.name).chain(of_fields).chain(of_statics)
    });
    let of_frames = surroundings.traces.iter().flatten().flat_map(|trace| trace.frames.iter());
    let of_events = surroundings.events.iter().flatten().filter_map(|event| match &event.kind {
        EventKind::Text(_, text) => Some(text),
        _ => None,
    });
    of_classes
        .chain(&facts.version_text)
        .chain(objects.iter().flat_map(|object| object.class_name.iter().chain(&object.text)))
        .chain(surroundings.threads.iter().flatten().filter_map(|thread| thread.name.as_ref()))
        .chain(of_frames.flat_map(|frame| [&frame.method, &frame.signature].into_iter().chain(&frame.source)))
        .chain(surroundings.regions.iter().flatten().map(|region| &region.name))
        .chain(of_events)
}

fn has_other_bytes(heap: &Heap) -> bool {
    let is_plain =
        |name: &Name| name.as_bytes().iter().all(|byte| (1..0x80).contains(byte)) || name.to_text().is_some();
    !all_names(heap).all(is_plain)
}

/// Turns every name into text. Decoders replace invalid bytes differently: one replacement character stands for any
/// number of them.
pub(in crate::check) fn convert_names_to_text(heap: &mut Heap) {
    change_names(heap, &mut |name| {
        if let Some(text) = lenient_text(name) {
            *name = text;
        }
    });
}

/// Brings names of the dump that mix two forms of a character to those of the right heap, where a decoder knows one form alone.
pub(in crate::check) fn in_both_forms(told: &mut Heap, dump: &Heap) {
    let mut forms = HashMap::new();
    for name in all_names(dump).filter(|name| name.to_text().is_none()) {
        let words = merged(decode_leniently(name.as_bytes(), &[lone_unit, plain]));
        let others =
            [&[lone_unit, short] as &[Form], &[plain]].map(|forms| merged(decode_leniently(name.as_bytes(), forms)));
        forms.extend(others.into_iter().filter(|other| *other != words).map(|other| (other, words.clone())));
    }
    if !forms.is_empty() {
        change_names(told, &mut |name| {
            if let Some(words) = forms.get(name) {
                *name = words.clone();
            }
        });
    }
}

/// Changes every name of a heap.
fn change_names(heap: &mut Heap, change: &mut dyn FnMut(&mut Name)) {
    let Heap { facts, classes, objects, surroundings } = heap;
    facts.version_text.iter_mut().for_each(&mut *change);
    for class in classes {
        change(&mut class.name);
        class.fields.iter_mut().flatten().for_each(|field| change(&mut field.name));
        class.statics.iter_mut().flatten().for_each(|field| change(&mut field.name));
    }
    objects.iter_mut().flat_map(|object| object.class_name.iter_mut().chain(&mut object.text)).for_each(&mut *change);
    surroundings.threads.iter_mut().flatten().filter_map(|thread| thread.name.as_mut()).for_each(&mut *change);
    surroundings.regions.iter_mut().flatten().for_each(|region| change(&mut region.name));
    for trace in surroundings.traces.iter_mut().flatten() {
        let mut frames = trace.frames.to_vec();
        for frame in &mut frames {
            [&mut frame.method, &mut frame.signature].into_iter().chain(&mut frame.source).for_each(&mut *change);
        }
        trace.frames = frames.into();
    }
    for event in surroundings.events.iter_mut().flatten() {
        if let EventKind::Text(_, text) = &mut event.kind {
            change(text);
        }
    }
}

/// A name as text with its invalid bytes replaced; `None` if no decoder replaces anything in it.
pub(in crate::check) fn lenient_text(name: &Name) -> Option<Name> {
    let text = name.to_text();
    if text.as_ref().is_some_and(|text| !text.contains(['?', REPLACEMENT_CHARACTER])) {
        return None;
    }
    Some(merged(
        text.map_or_else(|| decode_leniently(name.as_bytes(), &[lone_unit, plain]), |text| text.chars().collect()),
    ))
}

/// A text with one replacement for any number of them.
fn merged(characters: Vec<char>) -> Name {
    let mut words = String::new();
    for character in characters {
        let is_replaced = matches!(character, '?' | REPLACEMENT_CHARACTER);
        if !(is_replaced && words.ends_with(REPLACEMENT_CHARACTER)) {
            words.push(if is_replaced { REPLACEMENT_CHARACTER } else { character });
        }
    }
    Name::from_text(&words)
}

/// The units of UTF-16 that some bytes stand for in one form of text.
type Form = fn(&[u8]) -> Option<Vec<u16>>;

/// Bytes as a lenient decoder of some forms takes them.
fn decode_leniently(bytes: &[u8], forms: &[Form]) -> Vec<char> {
    let mut units = Vec::new();
    let mut rest = bytes;
    while !rest.is_empty() {
        let (taken, found) = (1..=4)
            .find_map(|length| {
                let (first, _) = rest.split_at_checked(length)?;
                Some((length, forms.iter().find_map(|form| form(first))?))
            })
            .unwrap_or((1, vec![REPLACEMENT_CHARACTER as u16]));
        units.extend(found);
        rest = &rest[taken..];
    }
    char::decode_utf16(units).map(|unit| unit.unwrap_or(REPLACEMENT_CHARACTER)).collect()
}

/// A character that modified UTF-8 has as plain UTF-8 has it.
fn short(bytes: &[u8]) -> Option<Vec<u16>> {
    (bytes.len() <= 3).then(|| plain(bytes)).flatten()
}

/// A character of plain UTF-8.
fn plain(bytes: &[u8]) -> Option<Vec<u16>> {
    std::str::from_utf8(bytes).ok().map(|text| text.encode_utf16().collect())
}

/// The unit of UTF-16 whose modified UTF-8 these bytes are, half a pair included.
fn lone_unit(bytes: &[u8]) -> Option<Vec<u16>> {
    match *bytes {
        [0xc0, 0x80] => Some(vec![0]),
        [0xed, second @ 0xa0..=0xbf, third @ 0x80..=0xbf] => {
            Some(vec![0xd000 | u16::from(second & 0x3f) << 6 | u16::from(third & 0x3f)])
        }
        _ => None,
    }
}
