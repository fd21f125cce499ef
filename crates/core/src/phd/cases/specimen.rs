//! Small heaps, built by hand.

use crate::model::{
    Address, ByteLen, Class, Contents, Facts, HashRegime, Heap, IdentityHash, Name, Object, ObjectKind, PrimitiveType,
    WordSize,
};

/// Options for a specimen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Specimen {
    pub(super) word: WordSize,
    pub(super) hashes: HashRegime,
    pub(super) letters: Letters,
}

/// The characters that names of the specimen have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Letters {
    /// ASCII.
    Plain,
    /// Characters of two, three and six bytes as well, and U+0000.
    Odd,
}

/// The address of the specimen's first object. It is below 2 GiB, so that a 32-bit dump can hold the objects.
const BASE: u64 = 0x0010_0000;

/// A heap with every kind of record, every width of gap and reference that the word size allows, class
/// cache hits and misses, hashes and nulls.
pub(super) fn specimen(wanted: Specimen) -> Heap {
    let mut heap = Heap {
        facts: Facts {
            word_size: Some(wanted.word),
            version_text: Some("heapsmith specimen".into()),
            hash_regime: Some(wanted.hashes),
            hash_randoms: Some((0x1234_5678, 0x9abc_def0)),
            ..Facts::default()
        },
        ..Heap::default()
    };
    let at = |n: u64| Address(BASE + n);
    let far = match wanted.word {
        WordSize::Bits32 => Address(0xf000_0000),
        WordSize::Bits64 => Address(0x7f00_0001_0000),
    };
    let [object, class, text, twin, ints, objects] = [0x000, 0x040, 0x080, 0x0c0, 0x100, 0x140].map(at);
    let [loader, thread, system, int, strings, ints_of_ints] = [0x180, 0x1c0, 0x200, 0x240, 0x280, 0x2c0].map(at);
    let odd = match wanted.letters {
        Letters::Plain => "pkg/Twin",
        Letters::Odd => "pkg/\u{dc}n\u{131}\u{1f600}\u{0}",
    };
    let named = |address, name: Name, superclass, instance_size, references: &[Address]| Class {
        address,
        name,
        superclass: Some(superclass),
        instance_size: Some(ByteLen(instance_size)),
        references: Some(references.to_vec()),
        ..Class::default()
    };
    heap.classes = vec![
        named(object, "java/lang/Object".into(), Address::NULL, 8, &[]),
        named(class, "java/lang/Class".into(), object, 64, &[object]),
        named(text, "java/lang/String".into(), object, 24, &[object, at(0x1000)]),
        named(twin, Name::from_text(odd), text, 24, &[object, text]),
        named(ints, "[I".into(), object, 0, &[object]),
        named(objects, "[Ljava/lang/Object;".into(), object, 0, &[object]),
        named(loader, "java/lang/ClassLoader".into(), object, 64, &[object]),
        named(thread, "java/lang/Thread".into(), object, 96, &[object]),
        named(system, "java/lang/System".into(), object, 8, &[object]),
        named(int, "int".into(), Address::NULL, 0, &[]),
        named(strings, "[Ljava/lang/String;".into(), object, 0, &[object]),
        named(ints_of_ints, "[[I".into(), object, 0, &[object]),
    ];
    heap.classes[1].hash = Some(hash(wanted, 0x0101_0101));

    let instance = |address, class, references: &[Address]| Object {
        class: Some(class),
        class_word: Some(class),
        contents: Contents::References(references.to_vec()),
        ..Object::new(address, ObjectKind::Instance)
    };
    let ints_of = |address, length: u64| Object {
        length: Some(length),
        size: Some(ByteLen((16 + 4 * length).next_multiple_of(8))),
        ..Object::new(address, ObjectKind::PrimitiveArray(PrimitiveType::Int))
    };
    // What stands where is known, so that each writer decides on class words, nulls and the order.
    let array = |address, class, length: u64, references: &[Address]| Object {
        class: Some(class),
        length: Some(length),
        size: Some(ByteLen((24 + 8 * length).next_multiple_of(8))),
        contents: Contents::Elements(
            (0..length).map(|n| references.get(n as usize).copied().unwrap_or_default()).collect(),
        ),
        ..Object::new(address, ObjectKind::ObjectArray)
    };
    let null = Address::NULL;
    let o = |n: u64| at(0x1000 + n);
    heap.objects = vec![
        instance(o(0x00), text, &[o(0x18)]),
        instance(o(0x18), text, &[]),
        instance(o(0x30), text, &[o(0x00), o(0x18), o(0x30)]),
        instance(o(0x48), text, &[o(0x00), o(0x00), o(0x18), o(0x30)]),
        instance(o(0x60), twin, &[o(0x00), o(0x248)]),
        instance(o(0x78), object, &[o(0x00), o(0x18), o(0x30), o(0x48), o(0x60), o(0x78), o(0x00), o(0x18)]),
        instance(o(0xa0), class, &[object]),
        instance(o(0xb8), twin, &[at(0x4_0000)]),
        // A gap of 400 bytes: 100 units of 4 and 50 of 8; the next of 1024: two bytes of either.
        instance(o(0x248), twin, &[far]),
        ints_of(o(0x648), 0),
        ints_of(o(0x660), 127),
        ints_of(o(0x868), 128),
        ints_of(o(0xa80), 200),
        ints_of(o(0xdc0), 40_000),
        array(at(0x4_0000), strings, 5, &[o(0x00), null, o(0x18), o(0x30)]),
        array(at(0x4_0040), ints_of_ints, 2, &[o(0x660), o(0x660)]),
        array(at(0x4_0080), objects, 40, &[]),
        instance(far, object, &[o(0x00), Address(far.0 + 8)]),
        Object { hash: Some(hash(wanted, 0x7fff_0001)), ..instance(Address(far.0 + 8), object, &[far]) },
        Object { hash: Some(hash(wanted, 0x0000_0abc)), ..ints_of(Address(far.0 + 0x20), 3) },
        Object { hash: Some(hash(wanted, 0x0000_0def)), ..ints_of(Address(far.0 + 0x40), 300) },
        Object { hash: Some(hash(wanted, 0xffff_fffe)), ..array(Address(far.0 + 0x600), objects, 4, &[far]) },
    ];
    for (element, n) in PrimitiveType::ALL.into_iter().zip(0..) {
        let address = Address(far.0 + 0x800 + 0x50 * n);
        let size = Some(ByteLen((16 + element.size() * n).next_multiple_of(8)));
        heap.objects.push(Object { kind: ObjectKind::PrimitiveArray(element), size, ..ints_of(address, n) });
    }
    if wanted.hashes == HashRegime::Every16 {
        for object in &mut heap.objects {
            object.hash.get_or_insert(IdentityHash::Bits16(0x0bad));
        }
        for class in &mut heap.classes {
            class.hash.get_or_insert(IdentityHash::Bits16(0x0c1a));
        }
    }
    heap
}

fn hash(wanted: Specimen, bits: u32) -> IdentityHash {
    match wanted.hashes {
        HashRegime::Every16 => IdentityHash::Bits16((bits & 0x7fff) as u16),
        HashRegime::WhereUsed32 => IdentityHash::Bits32(bits),
    }
}
