//! Damaged HPROF dumps: every named edit, made in a golden dump.

use crate::corrupt::hprof::{EDITS, Map};
use crate::corrupt::{Edit, Edited};
use crate::error::Error;
use crate::format::Format;
use crate::hprof::{IdSize, Tag, rules};
use crate::model::{
    Address, AllocationSites, ByteLen, Class, Contents, ControlSettings, Event, EventKind, Frame, FrameId, Heap,
    HeapSummary, LoadClass, Name, Object, ObjectKind, PrimitiveType, Root, RootKind, Serial, StackTrace, TextId, Trace,
};

use super::hprof_golden::base;
use super::{Case, damaged_case};

pub(super) fn cases() -> Result<Vec<Case>, Error> {
    let (bytes, heap) = base("hotspot-25", 0, IdSize::Eight)?;
    let map = Map::of(bytes)?;
    let made = EDITS.iter().filter_map(|edit| Some(case(edit, &map, edit.apply(&map)?, heap.clone())));
    Ok(made.collect())
}

fn case(edit: &'static Edit<Map>, map: &Map, edited: Edited, heap: Heap) -> Case {
    let stops = STOPS.contains(&edit.rule);
    damaged_case(Format::HPROF, "hprof-hotspot-25-8", edit, edited, stops, || expected(edit, map, heap))
}

/// Rules at which reading stops.
const STOPS: [crate::error::RuleId; 9] = [
    rules::FILE_TRUNCATED,
    rules::HEADER_MAGIC,
    rules::HEADER_TEXT_MODE,
    rules::HEADER_VERSION,
    rules::HEADER_ID_SIZE,
    rules::RECORD_LENGTH,
    rules::SUB_RECORD_TAG,
    rules::SUB_RECORD_OVERRUN,
    rules::TYPE_CODE,
];

/// The heap that a tolerant reader finds after an edit, worked out from the heap before it.
fn expected(edit: &Edit<Map>, map: &Map, mut heap: Heap) -> Heap {
    let serial = |n| Serial(map.free(n) as u32);
    let first_text = TextId(value(map, Tag::LOAD_CLASS, "class name string id"));
    let first_class = Serial(value(map, Tag::LOAD_CLASS, "class serial number") as u32);
    let load = |serial| LoadClass { serial, class: Address(map.free(0)), trace: Serial(0), name: first_text };
    let frame = |method, line| Frame {
        id: FrameId(map.free(0)),
        method: TextId(method),
        signature: TextId(0),
        source: TextId(0),
        class: first_class,
        line,
    };
    let free = Address(map.free(0));
    let first = heap.objects.iter().find(|object| object.kind == ObjectKind::Instance).cloned();
    let first_class_of = first.as_ref().and_then(|object| object.class).unwrap_or_default();
    let some_object = first.as_ref().map(|object| object.address).unwrap_or_default();
    let array_class = heap.objects.iter().find(|object| object.kind == ObjectKind::ObjectArray).and_then(|o| o.class);
    match edit.name {
        "add-an-array-without-identifier" => heap.objects.push(bytes(Address(0))),
        "add-an-unknown-record" => front(&mut heap, EventKind::Unknown { tag: 0x2a, body: b"?".to_vec() }),
        "add-a-string-of-other-bytes" => {
            front(&mut heap, EventKind::Text(TextId(map.free(0)), Name::from_bytes([0xff])));
        }
        "add-a-frame-without-method" => front(&mut heap, EventKind::Frame(frame(map.free(1), 1))),
        "repeat-a-string-identifier" => {
            let id = TextId(value(map, Tag::STRING_IN_UTF8, "string id"));
            front(&mut heap, EventKind::Text(id, "other".into()));
        }
        "load-a-class-of-serial-0" => front(&mut heap, EventKind::LoadClass(load(Serial(0)))),
        "load-a-class-without-dump" => front(&mut heap, EventKind::LoadClass(load(serial(1)))),
        "dump-a-class-without-load" => {
            let null = Some(Address::NULL);
            heap.classes.push(Class {
                address: free,
                superclass: null,
                loader: null,
                signers: null,
                protection_domain: null,
                instance_size: Some(ByteLen(0)),
                statics: Some(Vec::new()),
                constant_pool: Some(Vec::new()),
                fields: Some(Vec::new()),
                trace: Some(Serial(0)),
                after_objects: Some(heap.objects.len() as u64),
                ..Class::default()
            });
        }
        "unload-an-unknown-class" => front(&mut heap, EventKind::UnloadClass(serial(0))),
        "set-line-0" => front(&mut heap, EventKind::Frame(frame(0, 0))),
        "name-an-unknown-frame" => {
            let trace = Trace { serial: serial(0), thread: Serial(0), frames: vec![FrameId(map.free(1))] };
            front(&mut heap, EventKind::Trace(trace));
            let told = StackTrace { serial: serial(0), thread: Serial(0), frames: [].into() };
            heap.surroundings.traces.get_or_insert_default().insert(0, told);
        }
        "name-an-unknown-trace" => heap.objects.push(Object { trace: Some(serial(1)), ..bytes(free) }),
        "name-an-unknown-thread" => root(&mut heap, some_object, RootKind::NativeStack(serial(0))),
        "set-a-reserved-flag-of-sites" => {
            let totals = HeapSummary::default();
            let sites = AllocationSites { flags: 8, cutoff: 0, totals, sites: Vec::new() };
            front(&mut heap, EventKind::AllocationSites(sites));
        }
        "set-a-reserved-control-flag" => {
            front(&mut heap, EventKind::ControlSettings(ControlSettings { flags: 4, depth: 0 }));
        }
        "lower-the-version" => heap.facts.header_version = Some("1.0.1".into()),
        "add-a-root-of-nothing" => root(&mut heap, free, RootKind::StickyClass),
        "repeat-a-class" => {
            let after_objects = Some(heap.objects.len() as u64);
            heap.classes.extend(heap.classes.first().map(|class| Class { after_objects, ..class.clone() }));
        }
        "lose-a-superclass" | "close-the-superclass-chain" => {
            let damaged = map.record_of(edit).and_then(|class| heap.classes.iter_mut().find(|c| c.address == class));
            if let Some(class) = damaged {
                let own = edit.name == "close-the-superclass-chain";
                class.superclass = Some(if own { class.address } else { free });
            }
        }
        "misstate-an-instance-size" => {
            if let Some(class) = heap.classes.first_mut() {
                class.instance_size = class.instance_size.map(|size| ByteLen(size.0 + 1));
            }
        }
        "lengthen-an-instance" => {
            let length = map.field("number of bytes that follow", |_| true).map_or(0, |field| field.value);
            heap.objects.push(instance(free, first_class_of, vec![0; length as usize + 1]));
        }
        "name-a-class-of-no-array" => heap.objects.push(object_array(free, first_class_of, Vec::new())),
        "set-a-boolean-to-2" => {
            let kind = ObjectKind::PrimitiveArray(PrimitiveType::Boolean);
            let contents = Contents::Primitives(vec![2]);
            heap.objects.push(Object { kind, length: Some(1), contents, ..bytes(free) });
        }
        "repeat-an-object" => heap.objects.push(bytes(some_object)),
        "lose-a-class" => heap.objects.push(instance(free, Address(map.free(1)), Vec::new())),
        "let-a-reference-dangle" => {
            let class = array_class.unwrap_or_default();
            heap.objects.push(object_array(free, class, vec![Address(map.free(1))]));
        }
        "use-android-in-1-0-2" => root(&mut heap, some_object, RootKind::InternedString),
        // The others change nothing that a heap tells.
        _ => {}
    }
    heap
}

impl Map {
    /// The class that an edit damages, by its identifier.
    fn record_of(&self, edit: &Edit<Map>) -> Option<Address> {
        let offset = edit.apply(self)?.offset;
        let index = self.records.iter().position(|record| record.offset as u64 == offset)?;
        let field = self.field("class object id", |field| field.record == Some(index as u64))?;
        Some(Address(field.value as u64))
    }
}

/// The value of a field in the first record of a tag.
fn value(map: &Map, tag: Tag, name: &str) -> u64 {
    map.field_of(tag, name).map_or(0, |field| field.value as u64)
}

/// An event in front of all others.
fn front(heap: &mut Heap, kind: EventKind) {
    heap.surroundings.events.get_or_insert_default().insert(0, Event { time: 0, after: 0, kind });
}

/// A root behind everything.
fn root(heap: &mut Heap, object: Address, kind: RootKind) {
    let after = Some((heap.classes.len() + heap.objects.len()) as u64);
    heap.surroundings.roots.get_or_insert_default().push(Root { object, kind, after });
}

/// A byte[0].
fn bytes(address: Address) -> Object {
    Object {
        length: Some(0),
        trace: Some(Serial(0)),
        contents: Contents::Primitives(Vec::new()),
        ..Object::new(address, ObjectKind::PrimitiveArray(PrimitiveType::Byte))
    }
}

fn instance(address: Address, class: Address, raw: Vec<u8>) -> Object {
    Object {
        class: Some(class),
        trace: Some(Serial(0)),
        contents: Contents::Raw(raw),
        ..Object::new(address, ObjectKind::Instance)
    }
}

fn object_array(address: Address, class: Address, elements: Vec<Address>) -> Object {
    Object {
        class: Some(class),
        length: Some(elements.len() as u64),
        trace: Some(Serial(0)),
        contents: Contents::Elements(elements),
        ..Object::new(address, ObjectKind::ObjectArray)
    }
}
