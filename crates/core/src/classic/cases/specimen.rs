//! A small heap with every fact that classic text can record, built by hand.

use crate::generate::Library;
use crate::model::{
    Address, ByteLen, Class, Contents, Facts, Field, FieldType, Heap, Name, Object, ObjectKind, PoolEntry,
    PrimitiveType, Static, Value, WordSize,
};

/// The characters that names of the specimen have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Letters {
    /// ASCII.
    Plain,
    /// Characters of ISO 8859-1, for EBCDIC.
    Latin1,
    /// NUL and characters beyond the Basic Multilingual Plane too, which the dialects store in two ways.
    All,
}

/// The addresses of classes and objects. With 32 bits they are in the upper half of the address space.
struct SpecimenAddresses {
    classes: u64,
    objects: u64,
}

impl SpecimenAddresses {
    fn for_word_size(word: WordSize) -> SpecimenAddresses {
        match word {
            WordSize::Bits32 => SpecimenAddresses { classes: 0x0043_6e00, objects: 0xd7c0_1000 },
            WordSize::Bits64 => SpecimenAddresses { classes: 0x0000_0000_0043_6e00, objects: 0xffff_8abc_def0_1000 },
        }
    }

    fn class(&self, n: u64) -> Address {
        Address(self.classes + 0x100 * n)
    }

    fn object(&self, n: u64) -> Address {
        Address(self.objects + 0x40 * n)
    }
}

const OBJECT: u64 = 0;
const STRING: u64 = 1;
const LOADER: u64 = 2;
const BASE: u64 = 3;
const LEAF: u64 = 4;
const ODD: u64 = 5;
const RUNNABLE: u64 = 6;
/// The classes of arrays, after one that nothing names: the eight primitive ones, then those of references.
const ARRAYS: u64 = 8;
const OBJECTS: u64 = 16;
const STRINGS: u64 = 17;
const INTS_OF_INTS: u64 = 18;
const CUBE: u64 = 19;
const STRINGS_OF_STRINGS: u64 = 20;
/// The other classes that every program has.
/// That of `java/lang/Class` is 21.
const CLASS_LOADER: u64 = 22;
const THREAD: u64 = 23;

/// The classes that every program has, instances, arrays of every kind and of arrays, nulls in each of them, and references
/// of classes of every kind.
pub(super) fn specimen(word: WordSize, letters: Letters) -> Heap {
    let ground = SpecimenAddresses::for_word_size(word);
    Heap {
        facts: Facts {
            word_size: Some(word),
            version_text: Some("J2RE 9 heapsmith specimen (JIT enabled)".into()),
            ..Facts::default()
        },
        classes: classes(&ground, letters),
        objects: objects(&ground, word),
        ..Heap::default()
    }
}

fn classes(ground: &SpecimenAddresses, letters: Letters) -> Vec<Class> {
    let (object, at) = (ground.class(OBJECT), |n| ground.object(n));
    let named = |name: Name, fields: &[&str]| Class {
        name,
        superclass: Some(object),
        loader: Some(Address::NULL),
        statics: Some(Vec::new()),
        fields: Some(fields.iter().map(|name| Field { name: (*name).into(), kind: FieldType::Object }).collect()),
        ..Class::default()
    };
    let of_library = |name: &str| Class { fields: Some(library_fields(name)), ..named(name.into(), &[]) };
    let fixed = |name: &str, to| Static { name: name.into(), value: Value::reference(to) };
    let odd = match letters {
        Letters::Plain => "pkg/Other",
        Letters::Latin1 => "pkg/\u{dc}b\u{e9}r$1[\u{a2}\u{ac}^",
        Letters::All => "pkg/\u{dc}n\u{131}\u{1f600}\u{0}",
    };
    let own = [
        Class { superclass: Some(Address::NULL), ..named("java/lang/Object".into(), &[]) },
        of_library("java/lang/String"),
        Class { superclass: Some(ground.class(CLASS_LOADER)), ..named("pkg/Loader".into(), &[]) },
        Class {
            statics: Some(vec![
                fixed("first", at(4)),
                fixed("none", Address::NULL),
                Static { name: "COUNT".into(), value: Value::primitive(PrimitiveType::Int, 7) },
                fixed("last", at(0)),
            ]),
            protection_domain: Some(at(3)),
            constant_pool: Some(vec![PoolEntry { index: 7, value: Value::reference(at(0)) }]),
            interfaces: Some(vec![ground.class(RUNNABLE)]),
            loader: Some(at(2)),
            ..named("pkg/Base".into(), &["next", "text", "other"])
        },
        Class {
            superclass: Some(ground.class(BASE)),
            loader: Some(at(2)),
            ..named("pkg/Leaf$$Lambda/0x00007f6d9c007228".into(), &["own"])
        },
        named(Name::from_text(odd), &[]),
        named("java/lang/Runnable".into(), &[]),
        named("pkg/Constants".into(), &[]),
    ];
    let arrays = PrimitiveType::ALL.map(|kind| format!("[{}", kind.signature())).into_iter();
    let of_references = ["[Ljava/lang/Object;", "[Ljava/lang/String;", "[[I", "[[[I", "[[Ljava/lang/String;"];
    let arrays = arrays.chain(of_references.map(str::to_owned)).map(|name| named(name.as_str().into(), &[]));
    let others = ["java/lang/Class", "java/lang/ClassLoader", "java/lang/Thread", "java/lang/System"].map(of_library);
    let sized = |(class, n): (Class, u64)| Class {
        address: ground.class(n),
        class_object_size: Some(ByteLen(if n < ARRAYS { 112 + 8 * n } else { 104 })),
        ..class
    };
    own.into_iter().chain(arrays).chain(others).zip(0..).map(sized).collect()
}

/// The fields of a class of the library.
fn library_fields(name: &str) -> Vec<Field> {
    let class = Library::J9.classes().into_iter().find(|class| class.name == name);
    class.map(|class| class.fields).unwrap_or_default()
}

fn objects(ground: &SpecimenAddresses, word: WordSize) -> Vec<Object> {
    let at = |n| ground.object(n);
    let slot = if word == WordSize::Bits64 { 8 } else { 4 };
    let instance = |n, class, fields: &[Address]| Object {
        class: Some(ground.class(class)),
        size: Some(ByteLen(slot * (2 + fields.len() as u64))),
        contents: Contents::Fields(fields.iter().map(|&to| Value::reference(to)).collect()),
        ..Object::new(at(n), ObjectKind::Instance)
    };
    let array = |n, class, elements: &[Address]| Object {
        class: Some(ground.class(class)),
        length: Some(elements.len() as u64),
        size: Some(ByteLen(16 + slot * elements.len() as u64)),
        contents: Contents::Elements(elements.to_vec()),
        ..Object::new(at(n), ObjectKind::ObjectArray)
    };
    let primitives = |n, kind: PrimitiveType, length: u64| Object {
        class: PrimitiveType::ALL.into_iter().zip(ARRAYS..).find(|(k, _)| *k == kind).map(|(_, n)| ground.class(n)),
        length: Some(length),
        size: Some(ByteLen(16 + length * kind.size())),
        contents: Contents::Primitives(vec![0; (length * kind.size()) as usize]),
        ..Object::new(at(n), ObjectKind::PrimitiveArray(kind))
    };
    let null = Address::NULL;
    // Their other fields are null and 0.
    let of_library = |n, class, name: &str, known: &[(&str, Address)]| {
        let fields = library_fields(name);
        let size: u64 = fields
            .iter()
            .map(|field| if let FieldType::Primitive(kind) = field.kind { kind.size() } else { slot })
            .sum();
        let values = fields.iter().map(|field| match field.kind {
            FieldType::Object => {
                let to = known.iter().find(|(name, _)| field.name == Name::from(*name)).map_or(null, |(_, to)| *to);
                Value::reference(to)
            }
            FieldType::Primitive(kind) => Value::primitive(kind, 0),
        });
        Object {
            class: Some(ground.class(class)),
            size: Some(ByteLen((2 * slot + size).next_multiple_of(4))),
            contents: Contents::Fields(values.collect()),
            ..Object::new(at(n), ObjectKind::Instance)
        }
    };
    let mut objects = vec![
        of_library(0, STRING, "java/lang/String", &[("value", at(1))]),
        primitives(1, PrimitiveType::Byte, 3),
        of_library(2, LOADER, "java/lang/ClassLoader", &[]),
        instance(3, OBJECT, &[]),
        instance(4, BASE, &[at(4), at(0), null]),
        instance(5, LEAF, &[at(0), at(4), null, at(3)]),
        instance(6, LEAF, &[null, null, null, null]),
        instance(7, ODD, &[]),
        array(8, OBJECTS, &[at(0), null, at(7), at(8)]),
        array(9, OBJECTS, &[]),
        array(10, STRINGS, &[null, at(0), at(0), null, null]),
        array(11, INTS_OF_INTS, &[at(12), null]),
        primitives(12, PrimitiveType::Int, 2),
        array(13, CUBE, &[at(11), at(11)]),
        array(14, STRINGS_OF_STRINGS, &[at(10)]),
        // Class objects are referred to as well, which a reader may take for class blocks.
        array(15, OBJECTS, &[ground.class(OBJECTS), ground.class(BASE)]),
        of_library(16, STRING, "java/lang/String", &[]),
        of_library(17, THREAD, "java/lang/Thread", &[("name", at(0)), ("contextClassLoader", at(2))]),
    ];
    objects.extend(PrimitiveType::ALL.into_iter().zip(20..).map(|(kind, n)| primitives(n, kind, n - 20)));
    objects
}
