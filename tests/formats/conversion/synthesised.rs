//! What a target cannot do without is synthesised, and the report says so.

use heapsmith::compare::{Facet, MEMORY};
use heapsmith::convert::{Conversion, ConvertOptions, convert, judge};
use heapsmith::format::{DumpFile, DumpTarget, Format, Lowering};
use heapsmith::input::Input;
use heapsmith::model::{
    Address, ByteLen, Class, Contents, Facts, Heap, Name, Object, ObjectKind, PrimitiveType, WordSize,
};
use heapsmith::{Error, read};

use super::sample::lowering;

fn class(address: u64, name: &str) -> Class {
    Class { address: Address(address), name: Name::from_text(name), ..Class::default() }
}

fn int_array(address: u64) -> Object {
    Object {
        length: Some(2),
        contents: Contents::Primitives(vec![0, 0, 0, 1, 0, 0, 0, 2]),
        ..Object::new(Address(address), ObjectKind::PrimitiveArray(PrimitiveType::Int))
    }
}

fn heap(classes: Vec<Class>, objects: Vec<Object>) -> Heap {
    let facts = Facts { word_size: Some(WordSize::Bits64), ..Facts::default() };
    Heap { facts, classes, objects, ..Heap::default() }
}

fn converted(heap: &Heap, to: &Lowering) -> Result<(Conversion, Vec<u8>), Error> {
    let mut bytes = Vec::new();
    let report = convert(&mut heap.clone(), &ConvertOptions::new(to), &mut bytes)?;
    Ok((report, bytes))
}

fn facets(report: &Conversion) -> Vec<Facet> {
    report.invented.iter().map(|invented| invented.facet).collect()
}

#[test]
fn sizes_at_the_end_of_64_bits_end_with_a_dump_or_an_error() {
    for size in [u64::MAX, u64::MAX - 3, u64::MAX - 8] {
        let large = Class { instance_size: Some(ByteLen(size)), superclass: Some(Address(0)), ..class(0x1000, "A") };
        let object = Object {
            class: Some(Address(0x1000)),
            size: Some(ByteLen(size)),
            ..Object::new(Address(0x2000), ObjectKind::Instance)
        };
        let array = Object { size: Some(ByteLen(size)), ..int_array(0x3000) };
        let heap = heap(vec![large], vec![object, array]);
        for format in Format::all() {
            let lowering = Lowering::new(format, &Default::default()).expect("a format has a default");
            if let Ok((_, bytes)) = converted(&heap, &lowering) {
                assert!(read(bytes).is_ok(), "{format} {size:#x}");
            }
            let target: DumpTarget = format.to_string().parse().expect("a target");
            judge(&mut heap.clone(), &mut heap.clone(), &target, MEMORY).expect("in memory");
        }
    }
    let text = "// Version: J2RE\n0x00002000 [18446744073709551615] OBJ A\n\t0x00002000 \n";
    let file = DumpFile::new(Input::from_memory("text", text.as_bytes().to_vec()), Default::default()).expect("a text");
    let heap = file.read().expect("readable").dump.heaps.swap_remove(0);
    for format in Format::all() {
        let _ = converted(&heap, &Lowering::new(format, &Default::default()).expect("a format has a default"));
    }
}

#[test]
fn the_class_of_a_primitive_array_is_synthesised_for_a_text_with_class_blocks() {
    let heap = heap(vec![class(0x1000, "A")], vec![int_array(0x2000)]);
    let to = lowering(&"classic/ibm-j9".parse().expect("a target"), 0);
    let (report, bytes) = converted(&heap, &to).expect("written");
    assert!(facets(&report).contains(&Facet::Address), "{report:?}");
    let back = read(bytes).expect("valid");
    assert!(back.classes.iter().any(|class| class.name == Name::from_text("[I")), "{:?}", back.classes);
}

#[test]
fn a_word_size_that_nothing_records_is_synthesised_and_reported() {
    let known = heap(vec![class(0x1000, "A")], vec![int_array(0x2000)]);
    let unknown = Heap { facts: Facts::default(), ..known.clone() };
    for to in ["phd6/openj9", "classic/openj9"] {
        let to = lowering(&to.parse().expect("a target"), 0);
        for (heap, expected) in [(&known, false), (&unknown, true)] {
            let (report, _) = converted(heap, &to).expect("written");
            assert_eq!(facets(&report).contains(&Facet::WordSize), expected, "{report:?}");
        }
    }
}
