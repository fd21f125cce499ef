//! The objects: first where they are, then what they hold.

use crate::model::{
    Address, ByteLen, Class, Contents, Field, FieldType, Name, Object, ObjectKind, PrimitiveType, Root, RootKind,
    Serial, StackFrame, StackTrace, Thread, Value,
};

use super::addresses::Ground;
use super::classes::{Classes, LOADER, LOADERS, Role, hash};
use super::library::Library;
use super::oddity::{Oddities, Oddity};
use super::options::{AddressSpace, GenerateOptions};
use super::values::{contents, value_of};
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
    part: Part,
}

/// What an object is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    /// Nothing in particular.
    Any,
    /// The characters of a string.
    Text,
    /// Those of the name of the thread of this number, from 1.
    Name(u32),
    /// A string; its characters are the next object, if there is one.
    String,
    /// A thread; its name, or the characters of it, are the next object.
    Thread,
    /// A class loader.
    Loader,
    /// The array that holds a block together.
    Holder,
}

impl Part {
    /// Characters.
    fn is_text(self) -> bool {
        matches!(self, Part::Text | Part::Name(_))
    }
}

/// The first objects of every heap that is large enough: class loaders and threads.
fn first_parts(options: &GenerateOptions, draw: &mut dyn Draw) -> Vec<Part> {
    if options.oddities.has(Oddity::NoLibraryObjects) {
        return Vec::new();
    }
    let mut parts = vec![Part::Loader; LOADERS];
    for number in 1..=draw.between(1, 3) as u32 {
        let thread: &[Part] = match options.library.has_character_names() {
            true => &[Part::Thread, Part::Name(number)],
            false => &[Part::Thread, Part::String, Part::Name(number)],
        };
        if parts.len() + thread.len() <= options.objects {
            parts.extend(thread);
        }
    }
    parts
}

fn thread_name(number: u32) -> String {
    format!("thread-{number}")
}

pub(super) fn plan(options: &GenerateOptions, classes: &Classes, ground: &mut Ground, draw: &mut dyn Draw) -> Plan {
    plan_after(first_parts, options, classes, ground, draw)
}

/// How many elements the array has that holds a block together, besides the block's other objects.
pub(super) const HELD: usize = 2;

/// The objects of a block that is repeated: first an array that holds the others and [`HELD`] blocks more, so that all
/// blocks are reached; none is a loader or a thread.
pub(super) fn plan_block(
    options: &GenerateOptions,
    classes: &Classes,
    ground: &mut Ground,
    draw: &mut dyn Draw,
) -> Plan {
    plan_after(|_, _| vec![Part::Holder], options, classes, ground, draw)
}

fn plan_after(
    first: impl FnOnce(&GenerateOptions, &mut dyn Draw) -> Vec<Part>,
    options: &GenerateOptions,
    classes: &Classes,
    ground: &mut Ground,
    draw: &mut dyn Draw,
) -> Plan {
    let plain = classes.of(|role| role == Role::Plain);
    let primitive = classes.of(|role| matches!(role, Role::PrimitiveArray(_)));
    let arrays = classes.of(|role| role == Role::ObjectArray);
    let string = classes.named("java/lang/String");
    let text = classes.named(&format!("[{}", options.library.text_element().signature()));
    let word = options.word.bytes() as u64;
    let odd = options.oddities;
    let in_turn = draw.between(5, 8).min(plain.len() as u64) as usize;
    let mut plan = Plan { addresses: Vec::new(), shapes: Vec::new() };
    let first = first(options, draw);
    for index in 0..options.objects {
        let before = plan.shapes.last().map(|shape| shape.part);
        let part = match first.get(index) {
            Some(&part) => part,
            None if before == Some(Part::String) => Part::Text,
            None => Part::Any,
        };
        // A string's characters follow it.
        let has_room = index + 1 < options.objects && !odd.has(Oddity::NoLibraryObjects);
        let (class, length, part) = match part {
            Part::Loader => (classes.named(LOADER), 0, part),
            Part::Thread => (classes.named("java/lang/Thread"), 0, part),
            Part::String => (string, 0, part),
            Part::Text => (text, draw.between(1, 24), part),
            Part::Holder => (classes.named(ANYTHING), (options.objects - 1 + HELD) as u64, part),
            Part::Name(number) => (text, thread_name(number).len() as u64, part),
            Part::Any if index == first.len() && odd.has(Oddity::HugeArrays) => {
                (*draw.pick(&primitive), huge_length(draw), part)
            }
            Part::Any => match draw.below(8) {
                0..=3 if odd.has(Oddity::ClassesInTurn) => (plain[index % in_turn], 0, part),
                0..=3 => (recent(&plain, &plan, draw), 0, part),
                4 if has_room => (string, 0, Part::String),
                4 => (recent(&plain, &plan, draw), 0, part),
                5..=6 => (*draw.pick(&primitive), primitive_length(odd, draw), part),
                _ => (*draw.pick(&arrays), element_count(draw), part),
            },
        };
        let (kind, size) = match classes.planned[class].role {
            Role::PrimitiveArray(element) => {
                (ObjectKind::PrimitiveArray(element), footprint(word, length * element.size(), draw))
            }
            Role::ObjectArray => (ObjectKind::ObjectArray, footprint(word, length * word, draw)),
            Role::Plain | Role::Library | Role::Bodiless => (ObjectKind::Instance, classes.instance_size(class)),
        };
        plan.addresses.push(ground.allot(size, draw));
        let is_zero = odd.has(Oddity::ZeroSizes) && kind != ObjectKind::Instance && draw.one_in(3);
        plan.shapes.push(Shape { class, kind, length, size: if is_zero { 0 } else { size }, part });
    }
    plan
}

pub(super) fn fill(options: &GenerateOptions, classes: &Classes, plan: &mut Plan, draw: &mut dyn Draw) -> Vec<Object> {
    let mut objects = Vec::with_capacity(plan.shapes.len());
    let odd = options.oddities;
    for (index, &shape) in plan.shapes.iter().enumerate() {
        let contents = match shape.kind {
            ObjectKind::Instance if shape.part == Part::Any => {
                let layout = classes.layout(shape.class).into_iter();
                let value = |field: &Field| {
                    shadow(field, index, plan, classes)
                        .unwrap_or_else(|| value(field.kind, index, plan, classes, odd, draw))
                };
                Contents::Fields(layout.map(value).collect())
            }
            ObjectKind::Instance => Contents::Fields(known(index, plan, classes)),
            ObjectKind::ObjectArray if shape.part == Part::Holder => {
                let others = plan.addresses[1..].iter().copied();
                Contents::Elements(std::iter::repeat_n(Address::NULL, HELD).chain(others).collect())
            }
            ObjectKind::ObjectArray => {
                let fits = elements_of(shape.class, classes);
                Contents::Elements((0..shape.length).map(|_| element(index, &fits, plan, classes, draw)).collect())
            }
            ObjectKind::PrimitiveArray(element) => match shape.part {
                Part::Text => {
                    let letters = (0..shape.length).map(|_| draw.between(b'a'.into(), b'z'.into()) as u8);
                    characters(element, &letters.collect::<Vec<u8>>())
                }
                Part::Name(number) => characters(element, thread_name(number).as_bytes()),
                _ => contents(element, shape.length, odd, draw),
            },
        };
        objects.push(Object {
            class: Some(classes.planned[shape.class].address),
            size: Some(ByteLen(shape.size)),
            hash: hash(options.hashes, odd, draw),
            length: (shape.kind != ObjectKind::Instance).then_some(shape.length),
            contents,
            ..Object::new(plan.addresses[index], shape.kind)
        });
    }
    objects
}

/// Roots, threads and their stack traces. The first trace has no thread and no frames: what is allocated nowhere in
/// particular names it.
pub(super) fn roots(
    options: &GenerateOptions,
    planned: &Classes,
    plan: &Plan,
    classes: &[Class],
    draw: &mut dyn Draw,
) -> (Vec<Root>, Vec<Thread>, Vec<StackTrace>) {
    let sticky = classes.iter().map(|class| Root { object: class.address, kind: RootKind::StickyClass, after: None });
    let mut roots: Vec<Root> = sticky.collect();
    let jni_references = if options.addresses == AddressSpace::Memory { 1 << 20 } else { 1 << 5 };
    let (mut threads, mut traces) = (Vec::new(), Vec::new());
    let objects = plan.parts(Part::Thread);
    if objects.is_empty() {
        return (roots, threads, traces);
    }
    let (first_thread, first_trace) = options.library.first_serials();
    traces.push(StackTrace { serial: Serial(first_trace), thread: Serial(0), frames: [].into() });
    let plain = planned.of(|role| role == Role::Plain);
    // Unknown, and native. That a method is compiled (-2) the hprof agent alone says.
    let lines: &[i32] =
        if options.library == Library::Jdk6 { &[1, 42, 65_535, -1, -2, -3] } else { &[1, 42, 65_535, -1, -3] };
    let every = options.oddities.has(Oddity::EveryRoot);
    let last = objects.len() as u32;
    for (object, number) in objects.into_iter().zip(1_u32..) {
        let (thread, trace) = (Serial(first_thread + number - 1), Serial(first_trace + number));
        threads.push(Thread {
            serial: thread,
            object,
            name: Some(Name::from_text(&thread_name(number))),
            trace: Some(trace),
        });
        let frames = (0..draw.between(every.into(), 3)).map(|depth| StackFrame {
            method: Name::from_text(&format!("m{depth}")),
            signature: Name::from_text("()V"),
            source: draw.one_in(2).then(|| Name::from_text("Source.java")),
            class: Some(classes[*draw.pick(&plain)].address),
            line: *draw.pick(lines),
        });
        let frames: Vec<StackFrame> = frames.collect();
        let depth = frames.len() as u64;
        let of = if options.library.has_traces_of_threads() { thread } else { Serial(0) };
        traces.push(StackTrace { serial: trace, thread: of, frames: frames.into() });
        // A thread that is over is no root; the hprof agent alone tells of it.
        if options.library == Library::Jdk6 && number == last && number > 1 {
            continue;
        }
        roots.push(Root { object, kind: RootKind::ThreadObject(thread, trace), after: None });
        for number in 0..if every { 7 } else { draw.below(6) } {
            let frame = if depth == 0 || draw.one_in(3) { -1 } else { draw.below(depth) as i32 };
            let kind = match if every { number } else { draw.below(3) } {
                0 => RootKind::JniGlobal(Address(draw.below(jni_references) * 8)),
                1 => RootKind::JniLocal(thread, frame),
                // A local of a Java frame has one, at whatever depth.
                2 if depth > 0 => RootKind::JavaFrame(thread, draw.below(depth) as i32),
                2 => RootKind::JniLocal(thread, frame),
                3 => RootKind::NativeStack(thread),
                4 => RootKind::ThreadBlock(thread),
                5 => RootKind::MonitorUsed,
                _ => RootKind::Unknown,
            };
            roots.push(Root { object: *draw.pick(&plan.addresses), kind, after: None });
        }
    }
    (roots, threads, traces)
}

impl Plan {
    /// Whether the references of an object may be to anything.
    pub(super) fn is_free(&self, index: usize, classes: &Classes) -> bool {
        let shape = &self.shapes[index];
        shape.part == Part::Any && (shape.kind == ObjectKind::Instance || takes_anything(shape.class, classes))
    }

    /// Whether an object is characters.
    pub(super) fn is_text(&self, index: usize) -> bool {
        self.shapes[index].part.is_text()
    }

    fn parts(&self, wanted: Part) -> Vec<Address> {
        let placed = self.shapes.iter().zip(&self.addresses);
        placed.filter(|(shape, _)| shape.part == wanted).map(|(_, address)| *address).collect()
    }

    /// The object after another one, if it is the wanted part.
    fn next(&self, index: usize, is_wanted: fn(Part) -> bool) -> Address {
        let is_next = self.shapes.get(index + 1).is_some_and(|shape| is_wanted(shape.part));
        if is_next { self.addresses[index + 1] } else { Address::NULL }
    }
}

/// A class to instantiate: often one of the last few, so that class caches are hit.
fn recent(plain: &[usize], plan: &Plan, draw: &mut dyn Draw) -> usize {
    let is_plain = |shape: &&Shape| shape.kind == ObjectKind::Instance && shape.part == Part::Any;
    let last: Vec<usize> = plan.shapes.iter().rev().filter(is_plain).take(6).map(|s| s.class).collect();
    if last.is_empty() || draw.one_in(3) { *draw.pick(plain) } else { *draw.pick(&last) }
}

fn primitive_length(oddities: Oddities, draw: &mut dyn Draw) -> u64 {
    match draw.below(32) {
        0..=3 => 0,
        25 => draw.between(126, 130),
        28 => draw.between(254, 300),
        30 if oddities.has(Oddity::HugeArrays) => huge_length(draw),
        _ => draw.between(1, 24),
    }
}

/// Around the greatest lengths of 2 bytes, with and without a sign.
fn huge_length(draw: &mut dyn Draw) -> u64 {
    if draw.one_in(2) { draw.between(32_766, 32_770) } else { draw.between(65_534, 80_000) }
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

fn value(
    field: FieldType,
    from: usize,
    plan: &Plan,
    classes: &Classes,
    oddities: Oddities,
    draw: &mut dyn Draw,
) -> Value {
    match field {
        FieldType::Object => Value::reference(target(from, plan, classes, draw)),
        FieldType::Primitive(kind) => value_of(kind, oddities, draw),
    }
}

/// The fields of an instance of the library: those that have a meaning here, and zeros.
fn known(index: usize, plan: &Plan, classes: &Classes) -> Vec<Value> {
    let part = plan.shapes[index].part;
    let loader = || plan.addresses.first().copied().unwrap_or_default();
    let field = |field: &Field| match (part, field.name.as_bytes(), field.kind) {
        (Part::String, b"value", _) => Value::reference(plan.next(index, Part::is_text)),
        // Characters that Android and JDK 6 count.
        (Part::String, b"count", FieldType::Primitive(kind)) => {
            let length = plan.shapes.get(index + 1).map_or(0, |shape| shape.length);
            Value::primitive(kind, length)
        }
        (Part::Thread, b"name", _) => Value::reference(plan.next(index, |part| part == Part::String || part.is_text())),
        (Part::Thread, b"contextClassLoader", _) => Value::reference(loader()),
        (Part::Thread, b"priority", FieldType::Primitive(kind)) => Value::primitive(kind, 5),
        (Part::Thread, b"tid", FieldType::Primitive(kind)) => Value::primitive(kind, index as u64),
        // The second loader asks the first one.
        (Part::Loader, b"parent", _) if index > 0 => Value::reference(loader()),
        (_, _, FieldType::Object) => Value::reference(Address::NULL),
        (_, _, FieldType::Primitive(kind)) => Value::primitive(kind, 0),
    };
    let layout = classes.layout(plan.shapes[index].class);
    layout.into_iter().map(|f| shadow(f, index, plan, classes).unwrap_or_else(|| field(f))).collect()
}

/// What ART keeps in each object: its class, and the word of its monitor, 0 where no one uses it.
fn shadow(field: &Field, index: usize, plan: &Plan, classes: &Classes) -> Option<Value> {
    match (field.name.as_bytes(), field.kind) {
        (b"shadow$_klass_", _) => Some(Value::reference(classes.planned[plan.shapes[index].class].address)),
        (b"shadow$_monitor_", FieldType::Primitive(kind)) => Some(Value::primitive(kind, 0)),
        _ => None,
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

/// What the elements of an array may be.
enum Elements {
    Anything,
    /// Objects of these classes.
    Of(Vec<usize>),
}

/// The class of arrays that take any object.
const ANYTHING: &str = "[Ljava/lang/Object;";

fn takes_anything(array: usize, classes: &Classes) -> bool {
    classes.planned[array].name == ANYTHING
}

fn elements_of(array: usize, classes: &Classes) -> Elements {
    let name = classes.planned[array].name.as_str();
    let all = 0..classes.planned.len();
    match name {
        _ if takes_anything(array, classes) => Elements::Anything,
        "[[Ljava/lang/Object;" => Elements::Of(classes.of(|role| role == Role::ObjectArray)),
        _ if name.starts_with("[[") => Elements::Of(vec![classes.named(&name[1..])]),
        _ => {
            // That of the same loader stands before the class of its arrays.
            let component = name.trim_start_matches("[L").trim_end_matches(';');
            let component = all.clone().take(array).rev().find(|&index| classes.planned[index].name == component);
            Elements::Of(all.filter(|&index| component.is_some_and(|c| classes.extends(index, c))).collect())
        }
    }
}

/// An element that the array may have.
fn element(from: usize, fits: &Elements, plan: &Plan, classes: &Classes, draw: &mut dyn Draw) -> Address {
    let Elements::Of(fits) = fits else { return target(from, plan, classes, draw) };
    let start = draw.below(plan.shapes.len() as u64) as usize;
    if draw.one_in(4) {
        return Address::NULL;
    }
    // The next that fits, among some.
    let next = (0..plan.shapes.len().min(16)).map(|step| (start + step) % plan.shapes.len());
    let found = next.into_iter().find(|&index| fits.contains(&plan.shapes[index].class));
    found.map_or(Address::NULL, |index| plan.addresses[index])
}

/// ASCII, one element a character.
fn characters(element: PrimitiveType, text: &[u8]) -> Contents {
    let size = element.size() as usize;
    Contents::Primitives(text.iter().flat_map(|byte| u64::from(*byte).to_be_bytes()[8 - size..].to_vec()).collect())
}
