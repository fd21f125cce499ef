//! The objects: first where they are, then what they hold.

use crate::model::{
    Address, ByteLen, Class, Contents, FieldType, Name, Object, ObjectKind, PrimitiveType, Root, RootKind, Serial,
    StackFrame, StackTrace, Thread, Value,
};

use super::addresses::Ground;
use super::classes::{Classes, LOADERS, Role, hash};
use super::options::{AddressSpace, GenerateOptions};
use crate::draw::Draw;

/// Objects that were decided on, without their contents.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) addresses: Vec<Address>,
    shapes: Vec<Shape>,
}

#[derive(Clone, Copy, Debug)]
struct Shape {
    class: usize,
    kind: ObjectKind,
    length: u64,
    size: u64,
}

/// Contents of primitive arrays are drawn up to this many bytes.
const DRAWN_CONTENTS: u64 = 4096;

pub(super) fn plan(options: &GenerateOptions, classes: &Classes, ground: &mut Ground, draw: &mut dyn Draw) -> Plan {
    let plain = classes.of(|role| role == Role::Plain);
    let primitive = classes.of(|role| matches!(role, Role::PrimitiveArray(_)));
    let arrays = classes.of(|role| role == Role::ObjectArray);
    let loader = classes.named("java/lang/ClassLoader");
    let word = options.word.bytes() as u64;
    let mut plan = Plan { addresses: Vec::new(), shapes: Vec::new() };
    for index in 0..options.objects {
        let (class, length) = match draw.below(8) {
            _ if index < LOADERS => (loader, 0),
            0..=4 => (recent(&plain, &plan, draw), 0),
            5..=6 => (*draw.pick(&primitive), primitive_length(draw)),
            _ => (*draw.pick(&arrays), element_count(draw)),
        };
        let (kind, size) = match classes.planned[class].role {
            Role::PrimitiveArray(element) => {
                (ObjectKind::PrimitiveArray(element), footprint(word, length * element.size(), draw))
            }
            Role::ObjectArray => (ObjectKind::ObjectArray, footprint(word, length * word, draw)),
            Role::Plain | Role::Bodiless => (ObjectKind::Instance, classes.instance_size(class)),
        };
        plan.addresses.push(ground.allot(size, draw));
        plan.shapes.push(Shape { class, kind, length, size });
    }
    plan
}

pub(super) fn fill(options: &GenerateOptions, classes: &Classes, plan: &mut Plan, draw: &mut dyn Draw) -> Vec<Object> {
    let mut objects = Vec::with_capacity(plan.shapes.len());
    for (index, &shape) in plan.shapes.iter().enumerate() {
        let contents = match shape.kind {
            ObjectKind::Instance => Contents::Fields(
                classes.layout(shape.class).into_iter().map(|field| value(field, index, plan, classes, draw)).collect(),
            ),
            ObjectKind::ObjectArray => {
                Contents::Elements((0..shape.length).map(|_| target(index, plan, classes, draw)).collect())
            }
            ObjectKind::PrimitiveArray(element) => contents(element, shape.length, draw),
        };
        objects.push(Object {
            class: Some(classes.planned[shape.class].address),
            size: Some(ByteLen(shape.size)),
            hash: hash(options.hashes, draw),
            length: (shape.kind != ObjectKind::Instance).then_some(shape.length),
            contents,
            ..Object::new(plan.addresses[index], shape.kind)
        });
    }
    objects
}

/// Roots of every kind, a few threads and their stack traces.
pub(super) fn roots(
    options: &GenerateOptions,
    classes: &[Class],
    objects: &[Object],
    draw: &mut dyn Draw,
) -> (Vec<Root>, Vec<Thread>, Vec<StackTrace>) {
    let sticky = classes.iter().map(|class| Root { object: class.address, kind: RootKind::StickyClass, after: None });
    let mut roots: Vec<Root> = sticky.collect();
    let jni_references = if options.addresses == AddressSpace::Memory { 1 << 20 } else { 1 << 5 };
    let (mut threads, mut traces) = (Vec::new(), Vec::new());
    if objects.is_empty() {
        return (roots, threads, traces);
    }
    for number in 1..=draw.between(1, 3) as u32 {
        let (thread, trace) = (Serial(number), Serial(number + 1));
        let object = draw.pick(objects).address;
        threads.push(Thread {
            serial: thread,
            object,
            name: Some(Name::from_text(&format!("thread-{number}"))),
            trace: Some(trace),
        });
        let frames = (0..draw.below(4)).map(|depth| StackFrame {
            method: Name::from_text(&format!("m{depth}")),
            signature: Name::from_text("()V"),
            source: draw.one_in(2).then(|| Name::from_text("Source.java")),
            class: Some(draw.pick(classes).address),
            line: *draw.pick(&[1, 42, 65_535, -1, -2, -3]),
        });
        traces.push(StackTrace { serial: trace, thread, frames: frames.collect() });
        roots.push(Root { object, kind: RootKind::ThreadObject(thread, trace), after: None });
        for _ in 0..draw.below(6) {
            let frame = *draw.pick(&[-1, 0, 1]);
            let kind = match draw.below(7) {
                0 => RootKind::JniGlobal(Address(draw.below(jni_references) * 8)),
                1 => RootKind::JniLocal(thread, frame),
                2 => RootKind::JavaFrame(thread, frame),
                3 => RootKind::NativeStack(thread),
                4 => RootKind::ThreadBlock(thread),
                5 => RootKind::MonitorUsed,
                _ => RootKind::Unknown,
            };
            roots.push(Root { object: draw.pick(objects).address, kind, after: None });
        }
    }
    (roots, threads, traces)
}

/// A class to instantiate: often one of the last few, so that class caches are hit.
fn recent(plain: &[usize], plan: &Plan, draw: &mut dyn Draw) -> usize {
    let last: Vec<usize> =
        plan.shapes.iter().rev().filter(|s| s.kind == ObjectKind::Instance).take(6).map(|s| s.class).collect();
    if last.is_empty() || draw.one_in(3) { *draw.pick(plain) } else { *draw.pick(&last) }
}

fn primitive_length(draw: &mut dyn Draw) -> u64 {
    match draw.below(32) {
        0..=3 => 0,
        4..=24 => draw.between(1, 24),
        25..=27 => draw.between(126, 130),
        28..=29 => draw.between(254, 300),
        30 => draw.between(32_766, 32_770),
        _ => draw.between(65_534, 80_000),
    }
}

fn element_count(draw: &mut dyn Draw) -> u64 {
    match draw.below(16) {
        0..=2 => 0,
        3..=13 => draw.between(1, 12),
        14 => draw.between(13, 40),
        _ => draw.between(126, 300),
    }
}

/// Header, payload and sometimes a hash slot, a multiple of 8, at least 16.
fn footprint(word: u64, payload: u64, draw: &mut dyn Draw) -> u64 {
    let hash_slot = if draw.one_in(8) { 4 } else { 0 };
    (2 * word + payload + hash_slot).next_multiple_of(8).max(16)
}

fn value(field: FieldType, from: usize, plan: &Plan, classes: &Classes, draw: &mut dyn Draw) -> Value {
    match field {
        FieldType::Object => Value::reference(target(from, plan, classes, draw)),
        FieldType::Primitive(PrimitiveType::Boolean) => Value::primitive(PrimitiveType::Boolean, draw.below(2)),
        FieldType::Primitive(kind) => Value::primitive(kind, draw.u64()),
    }
}

/// What a reference points to: often a neighbour, sometimes itself, a class or nothing.
fn target(from: usize, plan: &Plan, classes: &Classes, draw: &mut dyn Draw) -> Address {
    let count = plan.addresses.len() as u64;
    match draw.below(16) {
        0..=3 => Address::NULL,
        4..=9 => {
            let low = from.saturating_sub(4) as u64;
            plan.addresses[(low + draw.below((count - low).min(9))) as usize]
        }
        10 => plan.addresses[from],
        11 => draw.pick(&classes.planned).address,
        _ => *draw.pick(&plan.addresses),
    }
}

fn contents(element: PrimitiveType, length: u64, draw: &mut dyn Draw) -> Contents {
    let bytes = length * element.size();
    let mut made = Vec::with_capacity(bytes as usize + 4);
    // Those of a large array are counted out: a multiplicative sequence looks random enough.
    let mut next = length as u32 | 1;
    while (made.len() as u64) < bytes {
        next = if bytes > DRAWN_CONTENTS { next.wrapping_mul(0x915f_77f5) } else { draw.u32() };
        made.extend_from_slice(&next.to_be_bytes());
    }
    made.truncate(bytes as usize);
    if element == PrimitiveType::Boolean {
        made.iter_mut().for_each(|b| *b &= 1);
    }
    Contents::Primitives(made)
}
