//! Field values through a hierarchy of classes, and what is left raw.

use heapsmith::model::{Address, ByteLen, Contents, FieldType, Object, ObjectKind, PrimitiveType, Serial, Value};
use hex_literal::hex;
use pretty_assertions::assert_eq;

use super::dump::{END, file, heap, heaps, segment};

/// Class 0x11 with a field of each type, under 0x12 with three, under 0x13 with none, under 0x14 with two.
const HIERARCHY: [&[u8]; 4] = [
    &hex!(
        "20 00000011 00000001 00000012 00000000 00000000 00000000 00000000 00000000 00000000 0000 0000"
        "0009 00000001 0b 00000002 02 00000003 04 00000004 05 00000005 06 00000006 07 00000007 08"
        "00000008 09 00000009 0a"
    ),
    &hex!(
        "20 00000012 00000001 00000013 00000000 00000000 00000000 00000000 00000000 00000000 0000"
        "0001 00000001 0b 0102030405060708" // statics take no part
        "0003 00000001 04 00000001 02 00000001 05"
    ),
    &hex!("20 00000013 00000001 00000014 00000000 00000000 00000000 00000000 00000000 00000000 0000 0000 0000"),
    &hex!(
        "20 00000014 00000001 00000000 00000000 00000000 00000000 00000000 00000000 00000000 0000 0000"
        "0002 00000001 0a 00000002 08"
    ),
];

/// Its own 34 bytes, then 7, none and 5.
const INSTANCE: [u8; 63] = hex!(
    "21 00000100 00000001 00000011 0000002e"
    "8000000000000001" // long
    "81828384"         // object
    "01"               // boolean
    "fffe"             // char
    "ffc00000"         // float
    "fff8000000000000" // double
    "80"               // byte
    "8002"             // short
    "80000003"         // int
    "00 00000014 0041" // 0x12: boolean, object, char
    "7fffffff ff"      // 0x14: int, byte
);

fn values() -> Vec<Value> {
    use PrimitiveType::{Boolean, Byte, Char, Double, Float, Int, Long, Short};
    let primitive = |kind, bits| Value { kind: FieldType::Primitive(kind), bits };
    let object = |bits| Value { kind: FieldType::Object, bits };
    vec![
        primitive(Long, 0x8000_0000_0000_0001),
        object(0x8182_8384),
        primitive(Boolean, 1),
        primitive(Char, 0xfffe),
        primitive(Float, 0xffc0_0000),
        primitive(Double, 0xfff8_0000_0000_0000),
        primitive(Byte, 0x80),
        primitive(Short, 0x8002),
        primitive(Int, 0x8000_0003),
        primitive(Boolean, 0),
        object(0x14),
        primitive(Char, 0x41),
        primitive(Int, 0x7fff_ffff),
        primitive(Byte, 0xff),
    ]
}

/// The contents of the only object.
fn contents(records: &[&[u8]]) -> Contents {
    let mut heap = heap(&file(4, records));
    assert_eq!(heap.objects.len(), 1);
    heap.objects.remove(0).contents
}

#[test]
fn an_instance_has_the_fields_of_its_class_first_and_of_the_root_last() {
    let [c1, c2, c3, c4] = HIERARCHY;
    let heap = heap(&file(4, &[&segment(&[c1, c2, c3, c4, &INSTANCE]), &END]));
    let expected = Object {
        class: Some(Address(0x11)),
        trace: Some(Serial(1)),
        contents: Contents::Fields(values()),
        ..Object::new(Address(0x100), ObjectKind::Instance)
    };
    assert_eq!(heap.objects, [expected]);
}

#[test]
fn identifiers_in_fields_are_as_wide_as_the_header_says() {
    // A class with an object, a byte and an object.
    for (size, class, instance, first, second) in [
        (
            1,
            &hex!("20 11 00000001 00 00 00 00 00 00 00000000 0000 0000 0003 01 02 02 08 03 02")[..],
            &hex!("21 21 00000001 11 00000003 a1 ff b1")[..],
            0xa1,
            0xb1,
        ),
        (
            2,
            &hex!(
                "20 0011 00000001 0000 0000 0000 0000 0000 0000 00000000 0000 0000"
                "0003 0001 02 0002 08 0003 02"
            ),
            &hex!("21 0021 00000001 0011 00000005 a1a2 ff b1b2"),
            0xa1a2,
            0xb1b2,
        ),
        (
            8,
            &hex!(
                "20 0000000000000011 00000001 0000000000000000 0000000000000000 0000000000000000"
                "0000000000000000 0000000000000000 0000000000000000 00000000 0000 0000"
                "0003 0000000000000001 02 0000000000000002 08 0000000000000003 02"
            ),
            &hex!("21 0000000000000021 00000001 0000000000000011 00000011 a1a2a3a4a5a6a7a8 ff b1b2b3b4b5b6b7b8"),
            0xa1a2_a3a4_a5a6_a7a8,
            0xb1b2_b3b4_b5b6_b7b8,
        ),
    ] {
        let heap = heap(&file(size, &[&segment(&[class, instance]), &END]));
        let Contents::Fields(values) = &heap.objects[0].contents else { panic!("{:?}", heap.objects) };
        let bits: Vec<u64> = values.iter().map(|value| value.bits).collect();
        assert_eq!(bits, [first, 0xff, second], "I = {size}");
        assert_eq!(heap.objects[0].references().collect::<Vec<_>>(), [Address(first), Address(second)]);
    }
}

#[test]
fn accepts_classes_in_any_order_and_after_instances() {
    let [c1, c2, c3, c4] = HIERARCHY;
    let expected = Contents::Fields(values());
    assert_eq!(contents(&[&segment(&[&INSTANCE, c1, c2, c3, c4]), &END]), expected);
    assert_eq!(contents(&[&segment(&[c4, c3, &INSTANCE, c2, c1]), &END]), expected);
    assert_eq!(contents(&[&segment(&[c3]), &segment(&[c1, c4, &INSTANCE]), &segment(&[c2]), &END]), expected);
}

#[test]
fn an_instance_without_its_class_or_a_superclass_is_raw() {
    let raw = Contents::Raw(INSTANCE[17..].to_vec());
    let [c1, c2, c3, c4] = HIERARCHY;
    for classes in [vec![], vec![c2, c3, c4], vec![c1, c3, c4], vec![c1, c2, c4], vec![c1, c2, c3]] {
        assert_eq!(contents(&[&segment(&classes), &segment(&[&INSTANCE]), &END]), raw);
    }
}

#[test]
fn an_instance_with_more_or_fewer_bytes_than_its_fields_is_raw() {
    let [c1, c2, c3, c4] = HIERARCHY;
    let mut longer = [&INSTANCE[..], &[0]].concat();
    longer[16] += 1;
    let mut shorter = INSTANCE[..62].to_vec();
    shorter[16] -= 1;
    let nothing = hex!("21 00000100 00000001 00000011 00000000");
    for instance in [&longer[..], &shorter, &nothing] {
        let raw = Contents::Raw(instance[17..].to_vec());
        assert_eq!(contents(&[&segment(&[c1, c2, c3, c4, instance]), &END]), raw);
    }
    // The instance size that a class states takes no part: here it is 0 in all of them.
    let without_fields = hex!("21 00000100 00000001 00000013 00000005 00000001 02");
    let expected = [(PrimitiveType::Int, 1), (PrimitiveType::Byte, 2)]
        .map(|(kind, bits)| Value { kind: FieldType::Primitive(kind), bits });
    assert_eq!(contents(&[&segment(&[c3, c4, &without_fields]), &END]), Contents::Fields(expected.to_vec()));
}

#[test]
fn instances_of_classes_whose_superclasses_never_end_are_raw() {
    // A class of one boolean under a superclass.
    let class = |at: u8, superclass: u8| {
        let mut class = hex!(
            "20 00000000 00000001 00000000 00000000 00000000 00000000 00000000 00000000 00000001 0000 0000"
            "0001 00000001 04"
        );
        class[4] = at;
        class[12] = superclass;
        class
    };
    let instance = |of: u8, bytes: u8| {
        let mut instance = hex!("21 00000100 00000001 00000000 00000000").to_vec();
        instance[12] = of;
        instance[16] = bytes;
        instance.extend(vec![1; bytes.into()]);
        instance
    };
    let (a_b, b_c, c_a, own, d_a) = (class(1, 2), class(2, 3), class(3, 1), class(5, 5), class(4, 1));
    for of in [1, 2, 3, 4, 5] {
        for bytes in [0, 1, 2, 3, 4, 5] {
            let sub_records = [&a_b[..], &b_c, &d_a, &c_a, &own, &instance(of, bytes)];
            assert_eq!(contents(&[&segment(&sub_records), &END]), Contents::Raw(vec![1; bytes.into()]), "of {of}");
        }
    }
    // Of two CLASS DUMPs with one identifier the last counts, which here mends the circle.
    let mended = class(3, 0);
    let sub_records = [&a_b[..], &b_c, &c_a, &mended, &instance(1, 3)];
    let one = Value { kind: FieldType::Primitive(PrimitiveType::Boolean), bits: 1 };
    assert_eq!(contents(&[&segment(&sub_records), &END]), Contents::Fields(vec![one; 3]));
}

#[test]
fn a_class_of_an_earlier_heap_lays_out_instances_and_a_new_one_of_that_identifier_takes_its_place() {
    let [c1, c2, c3, c4] = HIERARCHY;
    let first = segment(&[c1, c2, c3, c4]);
    let dump = heaps(&file(4, &[&first, &END, &segment(&[&INSTANCE]), &END]));
    assert_eq!(dump.heaps[1].objects[0].contents, Contents::Fields(values()));
    assert_eq!((dump.heaps[0].classes.len(), dump.heaps[1].classes.len()), (4, 0));
    // Class 0x14 without its two fields, which the first heap's classes keep; and class 0x11 under it.
    let c4_anew =
        hex!("20 00000014 00000001 00000000 00000000 00000000 00000000 00000000 00000000 00000000 0000 0000 0000");
    let c1_anew =
        hex!("20 00000011 00000001 00000014 00000000 00000000 00000000 00000000 00000000 00000000 0000 0000 0000");
    let bare = hex!("21 00000100 00000001 00000011 00000000");
    let instances = [&INSTANCE[..], &bare].concat();
    let heap = |classes: &[&[u8]]| [segment(&[&classes.concat(), &instances]), END.to_vec()].concat();
    let records = [heap(&[c1, c2, c3, c4]), heap(&[&c4_anew]), heap(&[&c1_anew]), heap(&[]), heap(&[c1])];
    let dump = heaps(&file(4, &records.each_ref().map(Vec::as_slice)));
    let whole = Contents::Raw(INSTANCE[17..].to_vec());
    let (first, anew) =
        ([Contents::Fields(values()), Contents::Raw(Vec::new())], [whole, Contents::Fields(Vec::new())]);
    // Above the last one are the first heap's 0x12 and 0x13, which know its 0x14.
    for (heap, expected) in dump.heaps.iter().zip([&first, &first, &anew, &anew, &first]) {
        let contents = |object: &Object| object.contents.clone();
        assert_eq!(heap.objects.iter().map(contents).collect::<Vec<_>>(), expected);
    }
}

#[test]
fn class_keeps_every_field_of_its_dump() {
    let class = hex!(
        "20 000000a1 000000a2 000000a3 000000a4 000000a5 000000a6 000000a7 000000a8 80000009"
        "0002 8001 02 000000b1 0002 0b 8000000000000001"
        "0001 000000c1 09 8002"
        "0001 000000c2 02"
    );
    let strings = hex!("01 00000000 00000005 000000c1 73" "01 00000000 00000005 000000c2 66");
    let heap = heap(&file(4, &[&strings, &segment(&[&hex!("23 00000001 00000001 00000000 04"), &class]), &END]));
    let class = &heap.classes[0];
    assert_eq!((class.address, class.trace), (Address(0xa1), Some(Serial(0xa2))));
    assert_eq!((class.superclass, class.loader), (Some(Address(0xa3)), Some(Address(0xa4))));
    assert_eq!((class.signers, class.protection_domain), (Some(Address(0xa5)), Some(Address(0xa6))));
    assert_eq!((class.instance_size, class.after_objects), (Some(ByteLen(0x8000_0009)), Some(1)));
    let pool: Vec<_> = class.constant_pool.iter().flatten().map(|entry| (entry.index, entry.value)).collect();
    let long = Value { kind: FieldType::Primitive(PrimitiveType::Long), bits: 0x8000_0000_0000_0001 };
    assert_eq!(pool, [(0x8001, Value { kind: FieldType::Object, bits: 0xb1 }), (2, long)]);
    let statics: Vec<_> = class.statics.iter().flatten().map(|s| (s.name.as_bytes(), s.value)).collect();
    let short = Value { kind: FieldType::Primitive(PrimitiveType::Short), bits: 0x8002 };
    assert_eq!(statics, [(&b"s"[..], short)]);
    let fields: Vec<_> = class.fields.iter().flatten().map(|f| (f.name.as_bytes(), f.kind)).collect();
    assert_eq!(fields, [(&b"f"[..], FieldType::Object)]);
}

#[test]
fn arrays_keep_elements_or_length_alone() {
    let arrays: [&[u8]; 3] = [
        &hex!("22 00000100 00000002 00000003 00000011 81828384 00000000 00000001"),
        &hex!("23 00000200 00000003 00000002 05 8001 0002"),
        &hex!("c3 00000300 80000004 80000005 0b"),
    ];
    let heap = heap(&file(4, &[&segment(&arrays), &END]));
    let expected = [
        Object {
            class: Some(Address(0x11)),
            length: Some(3),
            trace: Some(Serial(2)),
            contents: Contents::Elements(vec![Address(0x8182_8384), Address(0), Address(1)]),
            ..Object::new(Address(0x100), ObjectKind::ObjectArray)
        },
        Object {
            length: Some(2),
            trace: Some(Serial(3)),
            contents: Contents::Primitives(hex!("8001 0002").to_vec()),
            ..Object::new(Address(0x200), ObjectKind::PrimitiveArray(PrimitiveType::Char))
        },
        Object {
            length: Some(0x8000_0005),
            trace: Some(Serial(0x8000_0004)),
            ..Object::new(Address(0x300), ObjectKind::PrimitiveArray(PrimitiveType::Long))
        },
    ];
    assert_eq!(heap.objects, expected);
}
