//! The kinds of dump that grow in one thing: each has been too much for some parser.

use std::sync::Arc;

use crate::check::judge::counts_of;
use crate::check::protocol::ObjectCounts;
use crate::check::scaling::grown::{GrownHeap, object_address};
use heapsmith_core::error::Error;
use heapsmith_core::family::WriteRequest;
use heapsmith_core::format::{Family, Format, Lowering};
use heapsmith_core::generate::from_seed;
use heapsmith_core::hprof::lower::SegmentCut;
use heapsmith_core::hprof::{LowerOptions, Profile};
use heapsmith_core::model::{
    Address, ByteLen, Contents, Field, FieldType, HeapSource, Object, ObjectKind, PrimitiveType, Root, RootKind,
    Serial, StackFrame, StackTrace, Static, Thread, Value,
};

/// A kind of dump.
#[derive(Clone, Copy)]
pub(super) struct ScalingShape {
    /// The name.
    pub(super) name: &'static str,
    /// The unit of growth.
    pub(super) unit: &'static str,
    /// The least number that is tried.
    pub(super) first: u64,
    /// Whether a format can show it.
    is_in: fn(Family) -> bool,
    /// The writer of its heap, if it is not the format's usual one.
    written: Option<fn() -> Result<Lowering, Error>>,
    grow: fn(&mut GrownHeap, u64),
}

/// A dump of a kind.
#[derive(Clone, Debug)]
pub struct ScalingDump {
    /// The kind.
    pub name: &'static str,
    /// The bytes.
    pub bytes: Vec<u8>,
    /// The number of classes and objects.
    pub counts: ObjectCounts,
}

/// Objects of the small heap that every dump has.
const SMALL: usize = 30;

impl ScalingShape {
    /// Every kind.
    pub(super) const ALL: [ScalingShape; 10] = [
        shape("many-threads", "threads, each with a stack trace and two roots", in_hprof, grow_threads),
        shape("deep-superclasses", "superclasses of one instance's class", has_superclasses, grow_superclasses),
        shape("many-classes", "classes, each with an instance", in_any, grow_classes),
        ScalingShape {
            written: Some(segment_per_object),
            ..shape("many-segments", "segments of one object", in_hprof, grow_small_objects)
        },
        ScalingShape {
            first: 8192,
            ..shape("large-primitive-array", "elements of an int[]", in_hprof, grow_int_array)
        },
        ScalingShape {
            first: 8192,
            ..shape("large-object-array", "elements of an Object[]", in_any, grow_object_array)
        },
        shape("many-names", "static fields, each with a name of its own", in_hprof, grow_static_fields),
        shape("linked-list", "objects, each referring to the next", in_any, grow_linked_list),
        shape("one-target", "objects that refer to the same one", in_any, grow_references_to_one),
        shape("small-objects", "objects without references", in_any, grow_small_objects),
    ];

    /// The kinds that a format can show.
    pub(super) fn for_family(family: Family) -> impl Iterator<Item = &'static ScalingShape> {
        ScalingShape::ALL.iter().filter(move |shape| (shape.is_in)(family))
    }

    /// A dump with `count` of the growing thing.
    ///
    /// # Errors
    /// If it cannot be written, which would be a defect.
    pub(super) fn dump(&self, format: Format, count: u64) -> Result<ScalingDump, Error> {
        let usual = || Lowering::new(format, &WriteRequest::default());
        let lowering = self.written.map_or_else(usual, |written| written())?;
        let small = from_seed(&lowering.generate_options(SMALL, None), 1);
        let carried = lowering.carry(&mut (&mut &small as &mut dyn HeapSource))?.into_only_heap()?;
        let mut grown = GrownHeap::new(small);
        (self.grow)(&mut grown, count);
        let counts = grown.counts(counts_of(&mut &carried)?);
        let mut bytes = Vec::new();
        lowering.write(&mut (&mut grown as &mut dyn HeapSource), &mut bytes)?;
        Ok(ScalingDump { name: self.name, bytes, counts })
    }
}

const fn shape(
    name: &'static str,
    unit: &'static str,
    is_in: fn(Family) -> bool,
    grow: fn(&mut GrownHeap, u64),
) -> ScalingShape {
    ScalingShape { name, unit, first: 256, is_in, written: None, grow }
}

fn in_any(_: Family) -> bool {
    true
}

fn in_hprof(family: Family) -> bool {
    family == Family::HPROF
}

fn has_superclasses(family: Family) -> bool {
    family != Family::CLASSIC
}

/// The lowering of the only known writer that ends a segment after each object.
fn segment_per_object() -> Result<Lowering, Error> {
    let profile = Profile::named("sa").unwrap_or_else(|| Profile::default_profile());
    let framing = profile.framings.iter().find(|framing| framing.cut == SegmentCut::Each);
    Ok(LowerOptions::default().with_profile(profile.name)?.framing(framing).into())
}

fn reference(name: &str) -> Field {
    Field { name: name.into(), kind: FieldType::Object }
}

fn int(name: &str) -> Field {
    Field { name: name.into(), kind: FieldType::Primitive(PrimitiveType::Int) }
}

fn int_value(number: u64) -> Value {
    Value::primitive(PrimitiveType::Int, number)
}

fn instance(class: Address, values: Vec<Value>, bare: Object) -> Object {
    Object { class: Some(class), contents: Contents::Fields(values), ..bare }
}

/// Plain objects with a number each.
fn grow_small_objects(grown: &mut GrownHeap, count: u64) {
    let class = grown.add_class("scaling/Cell", grown.class_named(OBJECT), vec![int("value")], Vec::new());
    let fill = move |number, bare| instance(class, vec![int_value(number)], bare);
    grown.add_objects(count, ObjectKind::Instance, fill);
}

fn grow_threads(grown: &mut GrownHeap, count: u64) {
    let Some((thread, object)) = grown.first_thread() else { return };
    let (threads, traces) = grown.highest_serials();
    let class = object.class.unwrap_or_default();
    grown.add_objects(count, ObjectKind::Instance, move |_, bare| Object { address: bare.address, ..object.clone() });
    let frame = |line| StackFrame {
        method: "run".into(),
        signature: "()V".into(),
        source: Some("Thread.java".into()),
        class: Some(class),
        line,
    };
    let frames: Arc<[StackFrame]> = [10, 20, 30].map(frame).into();
    let surroundings = grown.surroundings();
    for number in 0..count {
        let object = object_address(number);
        let (serial, trace) = (Serial(threads + 1 + number as u32), Serial(traces + 1 + number as u32));
        surroundings.threads.get_or_insert_default().push(Thread {
            serial,
            object,
            trace: Some(trace),
            ..thread.clone()
        });
        surroundings.traces.get_or_insert_default().push(StackTrace {
            serial: trace,
            thread: serial,
            frames: frames.clone(),
        });
        let kinds = [RootKind::ThreadObject(serial, trace), RootKind::JavaFrame(serial, 0)];
        let roots = kinds.map(|kind| Root { object, kind, after: None });
        surroundings.roots.get_or_insert_default().extend(roots);
    }
}

/// Adds a chain of classes, each with a field of its own.
fn grow_superclasses(grown: &mut GrownHeap, count: u64) {
    let object = grown.class_named(OBJECT);
    let level =
        |above, number| grown.add_class(&format!("scaling/Level{number}"), above, vec![int("value")], Vec::new());
    let lowest = (0..count).fold(object, level);
    let values = (0..count).map(int_value).collect::<Vec<_>>();
    grown.add_objects(1, ObjectKind::Instance, move |_, bare| instance(lowest, values.clone(), bare));
}

fn grow_classes(grown: &mut GrownHeap, count: u64) {
    let object = grown.class_named(OBJECT);
    let class = |number| grown.add_class(&format!("scaling/Class{number}"), object, vec![int("value")], Vec::new());
    let all: Vec<Address> = (0..count).map(class).collect();
    let fill = move |number, bare| instance(all[number as usize], vec![int_value(number)], bare);
    grown.add_objects(count, ObjectKind::Instance, fill);
}

fn grow_int_array(grown: &mut GrownHeap, count: u64) {
    let class = grown.class_named("[I");
    let kind = ObjectKind::PrimitiveArray(PrimitiveType::Int);
    grown.add_objects(1, kind, move |_, bare| Object {
        class: Some(class),
        length: Some(count),
        contents: Contents::Primitives((0..count).flat_map(|number| (number as u32).to_be_bytes()).collect()),
        ..bare
    });
}

/// Adds an array that refers to few objects, so that only the array is large.
fn grow_object_array(grown: &mut GrownHeap, count: u64) {
    const TARGETS: u64 = 256;
    let class = grown.class_named("[Ljava/lang/Object;");
    grow_small_objects(grown, TARGETS);
    grown.add_objects(1, ObjectKind::ObjectArray, move |_, bare| Object {
        class: Some(class),
        length: Some(count),
        size: Some(ByteLen(16 + 8 * count)),
        contents: Contents::Elements((0..count).map(|number| object_address(number % TARGETS)).collect()),
        ..bare
    });
}

/// Adds static fields, in classes of 256, since the number of fields of a class has 16 bits.
fn grow_static_fields(grown: &mut GrownHeap, count: u64) {
    const OF_A_CLASS: u64 = 256;
    let object = grown.class_named(OBJECT);
    let field = |number| Static { name: format!("field{number}").as_str().into(), value: int_value(number) };
    for first in (0..count).step_by(OF_A_CLASS as usize) {
        let fields = (first..count.min(first + OF_A_CLASS)).map(field).collect();
        grown.add_class(&format!("scaling/Names{first}"), object, Vec::new(), fields);
    }
}

fn grow_linked_list(grown: &mut GrownHeap, count: u64) {
    let class = grown.add_class("scaling/Link", grown.class_named(OBJECT), vec![reference("next")], Vec::new());
    grown.add_objects(count, ObjectKind::Instance, move |number, bare| {
        let next = if number + 1 < count { object_address(number + 1) } else { Address::NULL };
        instance(class, vec![Value::reference(next)], bare)
    });
    if count > 0 {
        let root = Root { object: object_address(0), kind: RootKind::JniGlobal(Address(8)), after: None };
        grown.surroundings().roots.get_or_insert_default().push(root);
    }
}

fn grow_references_to_one(grown: &mut GrownHeap, count: u64) {
    grow_small_objects(grown, 1);
    let class = grown.add_class("scaling/Arrow", grown.class_named(OBJECT), vec![reference("to")], Vec::new());
    let fill = move |_, bare| instance(class, vec![Value::reference(object_address(0))], bare);
    grown.add_objects(count, ObjectKind::Instance, fill);
}

const OBJECT: &str = "java/lang/Object";
