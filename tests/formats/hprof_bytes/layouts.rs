//! Field values where an instance is short, a class has many fields, or there are many classes.

use heapsmith::model::{Contents, FieldType, Heap, PrimitiveType};
use hex_literal::hex;
use pretty_assertions::assert_eq;

use super::dump::{END, file, heap, segment};

/// A class with fields of these type codes, under a superclass, with identifiers of 2 bytes.
fn class(at: u16, superclass: u16, codes: &[u8]) -> Vec<u8> {
    let mut class = vec![0x20];
    class.extend(at.to_be_bytes());
    class.extend(hex!("00000001"));
    class.extend(superclass.to_be_bytes());
    class.extend(hex!("0000 0000 0000 0000 0000 00000000 0000 0000"));
    class.extend((codes.len() as u16).to_be_bytes());
    for code in codes {
        class.extend([0, 9, *code]);
    }
    class
}

fn instance(class: u16, values: &[u8]) -> Vec<u8> {
    let mut instance = hex!("21 0001 00000001").to_vec();
    instance.extend(class.to_be_bytes());
    instance.extend((values.len() as u32).to_be_bytes());
    instance.extend(values);
    instance
}

/// Bytes of a type with identifiers of 2 bytes.
fn size(code: u8) -> usize {
    [2, 0, 1, 2, 4, 8, 1, 2, 4, 8][usize::from(code) - 2]
}

fn type_of(code: u8) -> FieldType {
    use PrimitiveType::{Boolean, Byte, Char, Double, Float, Int, Long, Short};
    match code {
        2 => FieldType::Object,
        code => FieldType::Primitive([Boolean, Char, Float, Double, Byte, Short, Int, Long][usize::from(code) - 4]),
    }
}

/// Bytes that tell every place and have their upper bits set.
fn bytes(length: usize) -> Vec<u8> {
    (0..length).map(|at| 0x80 | (at % 127) as u8).collect()
}

/// The values of fields of these types, one after the other.
fn check(contents: &Contents, codes: &[u8], bytes: &[u8]) {
    let Contents::Fields(values) = contents else { panic!("{contents:?} for {codes:?}") };
    let mut rest = bytes;
    let mut expected = Vec::new();
    for &code in codes {
        let (field, after) = rest.split_at(size(code));
        let digits: String = field.iter().map(|b| format!("{b:02x}")).collect();
        expected.push((type_of(code), u64::from_str_radix(&digits, 16).expect("digits")));
        rest = after;
    }
    assert!(rest.is_empty());
    let found: Vec<_> = values.iter().map(|value| (value.kind, value.bits)).collect();
    assert_eq!(found, expected);
}

fn heap_of(sub_records: &[Vec<u8>]) -> Heap {
    heap(&file(2, &[&segment(&[&sub_records.concat()]), &END]))
}

#[test]
fn an_instance_may_have_any_few_bytes() {
    // Every list of up to three types: 1 to 24 bytes, with each type in each place.
    let codes = [2u8, 4, 5, 6, 7, 8, 9, 10, 11];
    let one = codes.iter().map(|&a| vec![a]);
    let two = codes.iter().flat_map(|&a| codes.map(|b| vec![a, b]));
    let three = codes.iter().flat_map(|&a| codes.map(|b| codes.map(|c| vec![a, b, c]))).flatten();
    let lists: Vec<Vec<u8>> = [vec![]].into_iter().chain(one).chain(two).chain(three).collect();
    let all_of = |at: usize| bytes(lists[at].iter().map(|&code| size(code)).sum());
    let sub_records = (0..lists.len()).flat_map(|at| {
        let number = at as u16 + 1;
        [class(number, 0, &lists[at]), instance(number, &all_of(at))]
    });
    // Enough classes, too, that no small table has all of them.
    let heap = heap_of(&sub_records.collect::<Vec<_>>());
    assert_eq!(heap.objects.len(), 1 + 9 + 81 + 729);
    for (at, object) in heap.objects.iter().enumerate() {
        check(&object.contents, &lists[at], &all_of(at));
    }
}

#[test]
fn a_class_and_those_above_it_may_have_any_number_of_fields() {
    let cycle = |count: usize, from: usize| -> Vec<u8> {
        (0..count).map(|at| [2, 11, 4, 5, 10, 8, 9, 6, 7][(from + at) % 9]).collect()
    };
    for (own, above, top) in [
        (63, 0, 0),
        (64, 0, 0),
        (65, 0, 0),
        (40, 24, 0),
        (40, 25, 0),
        (1, 64, 0),
        (1, 65, 0),
        (0, 65, 0),
        (2, 0, 65),
        (2, 65, 2),
        (64, 1, 0),
        (3, 3, 58),
        (3, 3, 59),
        (1000, 1000, 1000),
    ] {
        let (own, above, top) = (cycle(own, 0), cycle(above, 4), cycle(top, 7));
        let all = [&own[..], &above, &top].concat();
        let values = bytes(all.iter().map(|&code| size(code)).sum());
        let classes = [class(1, 2, &own), class(2, 3, &above), class(3, 0, &top)];
        for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0]] {
            let mut sub_records: Vec<_> = order.map(|at| classes[at].clone()).to_vec();
            sub_records.push(instance(1, &values));
            sub_records.push(instance(1, &values[1..]));
            let heap = heap_of(&sub_records);
            check(&heap.objects[0].contents, &all, &values);
            assert_eq!(heap.objects[1].contents, Contents::Raw(values[1..].to_vec()));
        }
    }
}

#[test]
fn an_unknown_class_stays_unknown_however_often_it_is_asked_for() {
    let known = class(5, 0, &[4]);
    let instances = [instance(0, &[1]), instance(5, &[1]), instance(6, &[1]), instance(6, &[1]), instance(5, &[1])];
    let heap = heap_of(&[vec![known], instances.to_vec()].concat());
    let is_raw: Vec<_> = heap.objects.iter().map(|object| matches!(object.contents, Contents::Raw(_))).collect();
    assert_eq!(is_raw, [true, false, true, true, false]);
}
