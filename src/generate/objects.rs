//! The objects: first where they are, then what they hold.

use crate::draw::Draw;
use crate::model::{Address, ByteLen, Contents, Field, FieldType, Object, ObjectKind, PrimitiveType, Value};

use super::addresses::Ground;
use super::classes::{Classes, LOADER, Role, hash};
use super::oddity::Oddity;
use super::options::{GenerateOptions, Mixed};
use super::references::{ANYTHING, element, elements_of, takes_anything, target};
use super::values::{contents, value_of};

/// Objects that were decided on, without their contents.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) addresses: Vec<Address>,
    pub(super) shapes: Vec<Shape>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    pub(super) class: usize,
    kind: ObjectKind,
    length: u64,
    size: u64,
    part: Part,
}

/// What an object is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
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
    let mut parts = vec![Part::Loader; options.loaders as usize];
    for number in 1..=options.threads.draw(draw) as u32 {
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

pub(super) fn thread_name(number: u32) -> String {
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
            Part::Text => (text, options.string_lengths.draw(draw), part),
            Part::Holder => (classes.named(ANYTHING), (options.objects - 1 + HELD) as u64, part),
            Part::Name(number) => (text, thread_name(number).len() as u64, part),
            Part::Any if index == first.len() && odd.has(Oddity::HugeArrays) => {
                (*draw.pick(&primitive), huge_length(draw), part)
            }
            Part::Any => match options.mix.draw(draw) {
                Mixed::Instance if odd.has(Oddity::ClassesInTurn) => (plain[index % in_turn], 0, part),
                Mixed::String if has_room => (string, 0, Part::String),
                Mixed::Instance | Mixed::String => (recent(&plain, &plan, draw), 0, part),
                Mixed::PrimitiveArray => (*draw.pick(&primitive), primitive_length(options, draw), part),
                Mixed::ObjectArray => (*draw.pick(&arrays), element_count(options, draw), part),
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
                        .unwrap_or_else(|| value(field.kind, index, plan, classes, options, draw))
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
                Contents::Elements(
                    (0..shape.length).map(|_| element(index, &fits, plan, classes, options, draw)).collect(),
                )
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

    pub(super) fn parts(&self, wanted: Part) -> Vec<Address> {
        let placed = self.shapes.iter().zip(&self.addresses);
        placed.filter(|(shape, _)| shape.part == wanted).map(|(_, address)| *address).collect()
    }

    /// The first class loader, if there is one.
    fn loader(&self) -> Address {
        self.parts(Part::Loader).first().copied().unwrap_or_default()
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

fn primitive_length(options: &GenerateOptions, draw: &mut dyn Draw) -> u64 {
    if let Some(lengths) = &options.primitive_lengths {
        return lengths.draw(draw);
    }
    match draw.below(32) {
        0..=3 => 0,
        25 => draw.between(126, 130),
        28 => draw.between(254, 300),
        30 if options.oddities.has(Oddity::HugeArrays) => huge_length(draw),
        _ => draw.between(1, 24),
    }
}

/// Around the greatest lengths of 2 bytes, with and without a sign.
fn huge_length(draw: &mut dyn Draw) -> u64 {
    if draw.one_in(2) { draw.between(32_766, 32_770) } else { draw.between(65_534, 80_000) }
}

fn element_count(options: &GenerateOptions, draw: &mut dyn Draw) -> u64 {
    if let Some(lengths) = &options.object_lengths {
        return lengths.draw(draw);
    }
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
    options: &GenerateOptions,
    draw: &mut dyn Draw,
) -> Value {
    match field {
        FieldType::Object => Value::reference(target(from, plan, classes, options, draw)),
        FieldType::Primitive(kind) => value_of(kind, options.oddities, draw),
    }
}

/// The fields of an instance of the library: those that have a meaning here, and zeros.
fn known(index: usize, plan: &Plan, classes: &Classes) -> Vec<Value> {
    let part = plan.shapes[index].part;
    let field = |field: &Field| match (part, field.name.as_bytes(), field.kind) {
        (Part::String, b"value", _) => Value::reference(plan.next(index, Part::is_text)),
        // Characters that Android and JDK 6 count.
        (Part::String, b"count", FieldType::Primitive(kind)) => {
            let length = plan.shapes.get(index + 1).map_or(0, |shape| shape.length);
            Value::primitive(kind, length)
        }
        (Part::Thread, b"name", _) => Value::reference(plan.next(index, |part| part == Part::String || part.is_text())),
        (Part::Thread, b"contextClassLoader", _) => Value::reference(plan.loader()),
        (Part::Thread, b"priority", FieldType::Primitive(kind)) => Value::primitive(kind, 5),
        (Part::Thread, b"tid", FieldType::Primitive(kind)) => Value::primitive(kind, index as u64),
        // The second loader asks the first one, and so on.
        (Part::Loader, b"parent", _) if index > 0 => Value::reference(plan.addresses[index - 1]),
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

/// ASCII, one element a character.
fn characters(element: PrimitiveType, text: &[u8]) -> Contents {
    let size = element.size() as usize;
    Contents::Primitives(text.iter().flat_map(|byte| u64::from(*byte).to_be_bytes()[8 - size..].to_vec()).collect())
}
