//! The work that chains of superclasses make, in classes that are passed on the way up or down.

use heapsmith::compare::{self, compare_sources};
use heapsmith::convert::{ConvertOptions, convert};
use heapsmith::digest::{self, digest};
use heapsmith::family::{ReadOptions, WriteRequest};
use heapsmith::format::{DumpFile, Format, Lowering};
use heapsmith::input::Input;
use heapsmith::model::{
    Address, ByteLen, Class, Contents, DumpSource, Facts, Field, FieldType, Heap, HeapSource, Object, ObjectKind,
    PrimitiveType, Surroundings, WordSize, steps_of,
};
use heapsmith::validate::{ValidateOptions, validate};

/// A chain of classes, without fields but for the topmost one, and objects of the lowest one.
fn chain(classes: u64, objects: u64) -> Heap {
    let class = |n: u64| Class {
        address: Address(8 * n),
        name: format!("C{n}").as_str().into(),
        superclass: Some(Address(8 * (n - 1))),
        instance_size: Some(ByteLen(0)),
        fields: Some(if n == 1 { vec![Field::default()] } else { Vec::new() }),
        statics: Some(Vec::new()),
        ..Class::default()
    };
    let object = |n: u64| Object {
        class: Some(Address(8 * classes)),
        contents: Contents::References(vec![Address(8)]),
        ..Object::new(Address(8 * (classes + 1 + n)), ObjectKind::Instance)
    };
    Heap {
        facts: Facts { word_size: Some(WordSize::Bits64), ..Facts::default() },
        classes: (1..=classes).map(class).collect(),
        objects: (0..objects).map(object).collect(),
        surroundings: Surroundings::default(),
    }
}

fn written(heap: &mut dyn HeapSource, to: Format) -> Vec<u8> {
    let lowering = Lowering::new(to, &WriteRequest::default()).expect("a profile");
    let mut dump = Vec::new();
    convert(heap, &ConvertOptions::new(&lowering), &mut dump).expect("a dump");
    dump
}

fn opened(dump: &[u8]) -> heapsmith::format::FileSource {
    DumpFile::new(Input::from_memory("memory", dump.to_vec()), ReadOptions::default())
        .and_then(|file| file.source())
        .expect("a dump")
}

#[test]
fn steps_grow_linearly_with_superclass_chain() {
    let steps = |length: u64| {
        let mut heap = chain(length, length);
        let mut dump = Vec::new();
        let mut steps = vec![("to hprof", steps_of(|| dump = written(&mut heap, Format::HPROF)))];
        let input = Input::from_memory("memory", dump.clone());
        steps.push(("validate", steps_of(|| drop(validate(&input, ValidateOptions::default())))));
        steps.push(("open", steps_of(|| drop(opened(&dump)))));
        steps.push(("again", steps_of(|| drop(written(opened(&dump).heap(0), Format::HPROF)))));
        steps.push(("digest", steps_of(|| drop(digest(opened(&dump).heap(0), &digest::DigestOptions::default())))));
        let (mut left, mut right) = (opened(&dump), opened(&dump));
        let options = compare::CompareOptions::default();
        steps.push(("compare", steps_of(|| drop(compare_sources(left.heap(0), right.heap(0), &options)))));
        // Made-up fields.
        heap.classes.iter_mut().for_each(|class| class.fields = None);
        steps.push(("with made-up fields", steps_of(|| drop(written(&mut heap, Format::HPROF)))));
        steps
    };
    for ((what, short), (_, long)) in steps(2_000).into_iter().zip(steps(4_000)) {
        assert!(long * 2 <= short * 5, "{what}: {short} steps for 2000 classes, {long} for 4000");
    }
}

#[test]
fn walks_superclass_chain_once_whatever_the_number_of_objects() {
    for to in [Format::HPROF, Format::PHD6, Format::PHD5, Format::CLASSIC] {
        let hprof = |objects| written(&mut chain(300, objects), Format::HPROF);
        let steps = |dump: Vec<u8>| steps_of(|| drop(written(opened(&dump).heap(0), to)));
        let (few, many) = (steps(hprof(100)), steps(hprof(1_100)));
        // Some of them in each pass, of which there are less than ten.
        assert!(many - few <= 1_000 * 10 * 3, "{to}: {few} steps with 100 objects, {many} with 1100");
    }
}

#[test]
fn a_class_with_the_identifier_0_is_no_superclass() {
    let mut heap = chain(3, 2);
    heap.classes.push(Class {
        address: Address::NULL,
        fields: Some(vec![Field { kind: FieldType::Primitive(PrimitiveType::Int), ..Field::default() }]),
        ..chain(1, 0).classes.remove(0)
    });
    let dump = written(&mut heap, Format::HPROF);
    for to in [Format::HPROF, Format::PHD6, Format::PHD5, Format::PHD4, Format::CLASSIC] {
        let mut source = opened(&dump);
        let back = written(source.heap(0), to);
        let back = Heap::collect(opened(&back).heap(0)).expect("a dump");
        assert_eq!((back.classes.len(), back.objects.len()), (4, 2), "{to}");
    }
}
