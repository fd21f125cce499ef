//! HPROF dumps spelled byte by byte, with their heaps worked out by hand.
//!
//! Most have identifiers of 4 bytes and hold the class 1000 of the name "A", whose records stand here once.

mod broken;
mod contents;
mod heaps;
mod names;
mod objects;
mod records;
mod roots;
mod segments;

use crate::format::Format;
use crate::model::{
    Address, ByteLen, Class, Contents, Event, EventKind, Facts, Field, FieldType, Heap, LoadClass, Name, Object,
    ObjectKind, PrimitiveType, Root, RootKind, Serial, Static, Surroundings, TextId, Value,
};

use super::{Answer, Case, Verdict, bytes};

/// "JAVA PROFILE 1.0.2" and its zero byte, identifiers of 4 bytes, a time stamp of 0: 31 bytes.
const HEADER: &str = "4a4156412050524f46494c4520 312e302e32 00 00000004 0000000000000000";
/// The same with 1.0.1.
const HEADER_1: &str = "4a4156412050524f46494c4520 312e302e31 00 00000004 0000000000000000";
/// The same with 1.0.3.
const HEADER_3: &str = "4a4156412050524f46494c4520 312e302e33 00 00000004 0000000000000000";

/// The string 1, "A": 14 bytes.
const TEXT_A: &str = "01 00000000 00000005 00000001 41";
/// The class 1000 is loaded under the serial number 1, with the name 1: 25 bytes.
const LOAD_A: &str = "02 00000000 00000010 00000001 00001000 00000000 00000001";
/// The CLASS DUMP of class 1000 without a superclass, loader or field: 43 bytes.
const DUMP_A: &str =
    "20 00001000 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000 0000 0000 0000";
/// An INSTANCE DUMP of class 1000 at 2000, without values: 17 bytes.
const OBJECT: &str = "21 00002000 00000000 00001000 00000000";
/// HEAP DUMP END: 9 bytes.
const END: &str = "2c 00000000 00000000";

pub(super) fn cases() -> Vec<Case> {
    [
        records::cases(),
        names::cases(),
        segments::cases(),
        heaps::cases(),
        objects::cases(),
        contents::cases(),
        roots::cases(),
        broken::cases(),
    ]
    .concat()
}

/// A valid case from hexadecimal digits, with its number of records and sub-records.
fn valid(id: &str, summary: &str, hex: &[&str], records: u64, told: Told) -> Case {
    Case {
        id: format!("hprof-spelled-{id}"),
        summary: summary.to_owned(),
        format: Format::HPROF,
        heap: None,
        recipe: "spelled by hand".to_owned(),
        bytes: bytes(hex),
        verdict: Verdict::Valid,
        keeps: Vec::new(),
        breaks: None,
        shows: Vec::new(),
        records_due: records,
        answers: vec![Answer::Reads("as written", Box::new(told.0))],
    }
}

/// A dump that breaks a rule at an offset, behind so many sound records and sub-records.
fn refused(id: &str, summary: &str, hex: &[&str], records: u64, rule: &'static str, offset: u64) -> Case {
    Case {
        verdict: Verdict::Invalid,
        breaks: Some((rule, offset)),
        answers: vec![Answer::Refuses("the rule is broken")],
        ..valid(id, summary, hex, records, told())
    }
}

/// A heap that is told item by item, in the order of the file.
#[derive(Clone, Debug)]
struct Told(Heap);

/// Nothing yet, in a dump with the header [`HEADER`].
fn told() -> Told {
    Told(Heap {
        facts: Facts {
            timestamp: Some(0),
            header_version: Some("1.0.2".into()),
            identifier_size: Some(ByteLen(4)),
            ..Facts::default()
        },
        surroundings: Surroundings {
            roots: Some(Vec::new()),
            threads: Some(Vec::new()),
            traces: Some(Vec::new()),
            regions: Some(Vec::new()),
            events: Some(Vec::new()),
            times: Some((0, 0)),
        },
        ..Heap::default()
    })
}

/// [`TEXT_A`] and [`LOAD_A`].
fn told_a() -> Told {
    told().text(1, "A").load(1, 0x1000, 1)
}

impl Told {
    fn version(self, version: &str) -> Told {
        self.but(|heap| heap.facts.header_version = Some(version.into()))
    }

    fn but(mut self, change: impl FnOnce(&mut Heap)) -> Told {
        change(&mut self.0);
        self
    }

    fn event(self, kind: EventKind) -> Told {
        self.event_at(0, kind)
    }

    fn event_at(mut self, time: u32, kind: EventKind) -> Told {
        let after = self.entries();
        self.0.surroundings.events.get_or_insert_default().push(Event { time, after, kind });
        self
    }

    fn text(self, id: u64, text: impl Into<Name>) -> Told {
        self.event(EventKind::Text(TextId(id), text.into()))
    }

    fn load(self, serial: u32, class: u64, name: u64) -> Told {
        self.event(EventKind::LoadClass(load(serial, class, name)))
    }

    fn class(mut self, class: Class) -> Told {
        let after_objects = Some(self.0.objects.len() as u64);
        self.0.classes.push(Class { after_objects, ..class });
        self
    }

    fn object(mut self, object: Object) -> Told {
        self.0.objects.push(object);
        self
    }

    fn root(mut self, object: u64, kind: RootKind) -> Told {
        let root = Root { object: Address(object), kind, after: Some(self.entries()) };
        self.0.surroundings.roots.get_or_insert_default().push(root);
        self
    }

    fn entries(&self) -> u64 {
        (self.0.classes.len() + self.0.objects.len()) as u64
    }
}

fn load(serial: u32, class: u64, name: u64) -> LoadClass {
    LoadClass { serial: Serial(serial), class: Address(class), trace: Serial(0), name: TextId(name) }
}

/// The class of [`DUMP_A`].
fn class_a() -> Class {
    class(1, 0x1000, "A")
}

/// A class without anything.
fn class(serial: u32, address: u64, name: impl Into<Name>) -> Class {
    Class {
        address: Address(address),
        name: name.into(),
        superclass: Some(Address::NULL),
        loader: Some(Address::NULL),
        signers: Some(Address::NULL),
        protection_domain: Some(Address::NULL),
        instance_size: Some(ByteLen(0)),
        statics: Some(Vec::new()),
        constant_pool: Some(Vec::new()),
        fields: Some(Vec::new()),
        serial: Some(Serial(serial)),
        trace: Some(Serial(0)),
        ..Class::default()
    }
}

/// The object of [`OBJECT`].
fn object_of_a() -> Object {
    instance(0x2000, 0x1000, Vec::new())
}

fn instance(address: u64, class: u64, values: Vec<Value>) -> Object {
    Object {
        class: Some(Address(class)),
        trace: Some(Serial(0)),
        contents: Contents::Fields(values),
        ..Object::new(Address(address), ObjectKind::Instance)
    }
}

fn array(address: u64, element: PrimitiveType, length: u64, contents: &str) -> Object {
    Object {
        length: Some(length),
        trace: Some(Serial(0)),
        contents: Contents::Primitives(bytes(&[contents])),
        ..Object::new(Address(address), ObjectKind::PrimitiveArray(element))
    }
}

fn object_array(address: u64, class: u64, elements: &[u64]) -> Object {
    Object {
        class: Some(Address(class)),
        length: Some(elements.len() as u64),
        trace: Some(Serial(0)),
        contents: Contents::Elements(elements.iter().map(|&to| Address(to)).collect()),
        ..Object::new(Address(address), ObjectKind::ObjectArray)
    }
}

fn field(name: impl Into<Name>, kind: FieldType) -> Field {
    Field { name: name.into(), kind }
}

fn fixed(name: impl Into<Name>, value: Value) -> Static {
    Static { name: name.into(), value }
}

fn reference(to: u64) -> Value {
    Value::reference(Address(to))
}

fn int(value: u32) -> Value {
    Value::primitive(PrimitiveType::Int, value.into())
}

const INT: FieldType = FieldType::Primitive(PrimitiveType::Int);
const BYTE: FieldType = FieldType::Primitive(PrimitiveType::Byte);
