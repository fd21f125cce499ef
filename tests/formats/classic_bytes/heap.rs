//! A small heap with a place for every choice of a writer, and the ways between heaps, steps and text.

use heapsmith::classic::lower::{self, LowerOptions};
use heapsmith::classic::{DecodeStep, Decoder, Encoding, Profile, Record, lift};
use heapsmith::error::{DecodeError, Error};
use heapsmith::model::{
    Address, ByteLen, Class, Contents, Facts, Field, FieldType, Heap, Name, Object, ObjectKind, PoolEntry,
    PrimitiveType, Static, Value, WordSize,
};

pub(crate) fn reference(to: u64) -> Value {
    Value::reference(Address(to))
}

fn int(value: u64) -> Value {
    Value::primitive(PrimitiveType::Int, value)
}

fn addresses(list: &[u64]) -> Vec<Address> {
    list.iter().copied().map(Address).collect()
}

fn class(address: u64, size: u64, name: &str, superclass: u64) -> Class {
    Class {
        address: Address(address),
        name: name.into(),
        superclass: Some(Address(superclass)),
        interfaces: Some(Vec::new()),
        loader: Some(Address::NULL),
        protection_domain: Some(Address::NULL),
        class_object_size: Some(ByteLen(size)),
        statics: Some(Vec::new()),
        constant_pool: Some(Vec::new()),
        fields: Some(Vec::new()),
        ..Class::default()
    }
}

fn field(name: &str, kind: FieldType) -> Field {
    Field { name: name.into(), kind }
}

fn object(address: u64, size: u64, class: u64, kind: ObjectKind, contents: Contents) -> Object {
    Object { class: Some(Address(class)), size: Some(ByteLen(size)), contents, ..Object::new(Address(address), kind) }
}

/// Six classes and six objects; the one with the highest address stands first, and a class stands between objects.
pub(crate) fn small(word: WordSize) -> Heap {
    use ObjectKind::{Instance, ObjectArray, PrimitiveArray};
    let ints = FieldType::Primitive(PrimitiveType::Int);
    let statics = |values: &[Value]| {
        let named =
            values.iter().enumerate().map(|(at, &value)| Static { name: format!("s{at}").as_str().into(), value });
        Some(named.collect())
    };
    let parent = Class {
        interfaces: Some(addresses(&[0x9100])),
        loader: Some(Address(0x1180)),
        protection_domain: Some(Address(0x1100)),
        statics: statics(&[reference(0x1040), int(7), reference(0)]),
        constant_pool: Some(vec![
            PoolEntry { index: 1, value: reference(0x1080) },
            PoolEntry { index: 2, value: int(3) },
        ]),
        fields: Some(vec![field("a", FieldType::Object), field("n", ints)]),
        ..class(0x9200, 96, "pkg/Foo", 0x9000)
    };
    let sub = Class {
        fields: Some(vec![field("b", FieldType::Object), field("c", FieldType::Object)]),
        after_objects: Some(2),
        ..class(0x9300, 80, "pkg/Sub", 0x9200)
    };
    Heap {
        facts: Facts {
            word_size: Some(word),
            version_text: Some("JRE 1.8.0 Linux amd64-64 (build 1.8.0_232-b09)".into()),
            ..Facts::default()
        },
        classes: vec![
            class(0x9000, 64, "java/lang/Object", 0),
            class(0x9100, 40, "java/lang/Runnable", 0),
            parent,
            sub,
            class(0x9400, 32, "[I", 0x9000),
            class(0x9500, 32, "[Lpkg/Foo;", 0x9000),
        ],
        objects: vec![
            // The fields of the superclass are laid out first, and stand last here.
            object(
                0x1180,
                32,
                0x9300,
                Instance,
                Contents::Fields(vec![reference(0x1040), reference(0), reference(0x1080), int(5)]),
            ),
            object(0x1000, 24, 0x9200, Instance, Contents::Fields(vec![reference(0x1180), int(1)])),
            object(0x1040, 32, 0x9400, PrimitiveArray(PrimitiveType::Int), Contents::Primitives(vec![0; 16])),
            object(0x1080, 32, 0x9500, ObjectArray, Contents::Elements(addresses(&[0x1000, 0, 0x1180]))),
            Object {
                class_name: Some("[[I".into()),
                class: None,
                class_word: Some(Address(0x9400)),
                ..object(0x1100, 24, 0, ObjectArray, Contents::Elements(addresses(&[0x1040, 0])))
            },
            object(0x1140, 16, 0x9000, Instance, Contents::Fields(Vec::new())),
        ],
        ..Heap::default()
    }
}

/// A heap with one class and one object of it, whose type has this name.
pub(crate) fn named(name: &Name) -> Heap {
    let class = Class { name: name.clone(), ..class(0x2000, 8, "", 0) };
    let fields = Contents::Fields(Vec::new());
    Heap {
        classes: vec![class],
        objects: vec![object(0x1000, 8, 0x2000, ObjectKind::Instance, fields)],
        ..Heap::default()
    }
}

pub(crate) fn options(profile: &str, encoding: Encoding) -> LowerOptions {
    let profile = Profile::named(profile).expect("a profile");
    LowerOptions::default().profile(profile).encoding(encoding)
}

pub(crate) fn written(heap: &Heap, options: &LowerOptions) -> Result<Vec<u8>, Error> {
    lower::to_bytes(heap, options)
}

pub(crate) fn read(text: &[u8]) -> (Heap, Result<(), DecodeError>) {
    let (heap, _, ended) = lift::heap(|| Ok(Decoder::new(text)?)).expect("a classic heap dump");
    (heap, ended)
}

/// The heap of a dump that is whole.
pub(crate) fn whole(text: &[u8]) -> Heap {
    let (heap, ended) = read(text);
    ended.expect("a whole dump");
    heap
}

/// What a text is made of, as its records say: kind, address, size, type, references.
pub(crate) fn records(decoder: &mut Decoder<impl std::io::Read>) -> (Vec<String>, Result<u64, DecodeError>) {
    let mut records: Vec<String> = Vec::new();
    let ended = decoder.visit::<DecodeError, _>(|step| {
        match step {
            DecodeStep::Record(at, record) => {
                let what = match record {
                    Record::Space(_) => "space".to_owned(),
                    Record::Version(line) => format!("version {}", line.version().escape_ascii()),
                    Record::Comment(line) => format!("comment {}", line.content().escape_ascii()),
                    Record::Breakdown(_, c) => {
                        format!("breakdown {} {} {} {}", c.classes, c.objects, c.object_arrays, c.primitive_arrays)
                    }
                    Record::Eof(_, t) => format!("totals {} {} {}", t.objects, t.references, t.nulls),
                    Record::Entry(entry) => {
                        let kind = entry.kind.word().escape_ascii();
                        let (address, size) = (entry.address.value, entry.size.value);
                        let name = entry.name.escape_ascii();
                        format!("{address:x} {size} {kind} {name}{}", shown(entry.references.values))
                    }
                };
                records.push(format!("{}: {what}", at.position));
            }
            DecodeStep::More(_, references) => {
                let last = records.last_mut().expect("a record before");
                last.push_str(&shown(references.values));
            }
        }
        Ok(())
    });
    (records, ended)
}

fn shown(values: &[u64]) -> String {
    values.iter().map(|value| format!(" {value:x}")).collect()
}
