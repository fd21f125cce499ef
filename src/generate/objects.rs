//! The objects of a heap: first their addresses, then their contents.

use crate::draw::Draw;
use crate::model::{Address, ObjectKind, step};

use super::addresses::Ground;
use super::classes::{Classes, LOADER, Role};
use super::collections;
use super::oddity::Oddity;
use super::options::{GenerateOptions, Mixed, Naming};
use super::ownership::Owners;
use super::program;
use super::references::{ANYTHING, POPULAR, takes_anything};

/// Planned objects, without contents.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) addresses: Vec<Address>,
    pub(super) shapes: Vec<Shape>,
    pub(super) owners: Owners,
    /// Objects with many references to them, the most popular first.
    pub(super) popular: Vec<Address>,
    /// Requested objects without room.
    pub(super) missing: Missing,
}

/// Objects that options ask for and the heap has no room for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Missing {
    pub(super) loaders: u64,
    pub(super) threads: u64,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    pub(super) class: usize,
    pub(super) kind: ObjectKind,
    pub(super) length: u64,
    pub(super) size: u64,
    pub(super) part: Part,
}

/// The purpose of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// Nothing in particular.
    Any,
    /// The characters of a string.
    Text,
    /// The characters of the name of the thread with this number, from 1.
    Name(u32),
    /// The characters of a word that many strings share.
    Word(u8),
    /// A string; its characters are the next object, if there is one.
    String,
    /// A thread; its name, or the name's characters, is the next object.
    Thread,
    /// A class loader.
    Loader,
    /// The array that refers to the other objects of a block.
    Holder,
}

impl Part {
    /// Whether the object holds characters.
    pub(super) fn is_text(self) -> bool {
        matches!(self, Part::Text | Part::Name(_) | Part::Word(_))
    }
}

/// The number of objects that a thread needs.
pub(super) fn objects_of_thread(options: &GenerateOptions) -> usize {
    if options.library.has_character_names() { 2 } else { 3 }
}

/// Blocks whose objects may be drawn instead.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SpareBlocks {
    pub(super) count: usize,
    /// The number of objects in each block.
    pub(super) objects: usize,
}

/// The purposes of the first objects of every heap: as many class loaders and threads as fit, and the number of those
/// that do not.
fn first_parts(options: &GenerateOptions, room: usize, draw: &mut dyn Draw) -> (Vec<Part>, Missing) {
    if options.oddities.has(Oddity::NoLibraryObjects) {
        return (Vec::new(), Missing::default());
    }
    let loaders = (options.loaders as usize).min(room);
    let mut parts = vec![Part::Loader; loaders];
    let asked = options.threads.draw(draw);
    let threads = asked.min(((room - loaders) / objects_of_thread(options)) as u64);
    for number in 1..=threads as u32 {
        match options.library.has_character_names() {
            true => parts.extend([Part::Thread, Part::Name(number)]),
            false => parts.extend([Part::Thread, Part::String, Part::Name(number)]),
        }
    }
    let missing = Missing { loaders: u64::from(options.loaders) - loaders as u64, threads: asked - threads };
    (parts, missing)
}

pub(super) fn thread_name(number: u32, options: &GenerateOptions) -> String {
    if options.names == Naming::Program { program::thread_name(number) } else { format!("thread-{number}") }
}

/// Plans the drawn objects, with as many objects of spare blocks as loaders and threads need.
pub(super) fn plan(
    options: &GenerateOptions,
    classes: &Classes,
    blocks: SpareBlocks,
    ground: &mut Ground,
    draw: &mut dyn Draw,
) -> Plan {
    let room = options.objects + blocks.count * blocks.objects;
    let mut missing = Missing::default();
    let first = |options: &GenerateOptions, draw: &mut dyn Draw| {
        let (parts, none) = first_parts(options, room, draw);
        missing = none;
        let more = parts.len().saturating_sub(options.objects).div_ceil(blocks.objects.max(1));
        (parts, options.objects + more * blocks.objects)
    };
    let mut plan = plan_after(first, options, classes, ground, draw);
    plan.missing = missing;
    ground.part();
    plan.owners = Owners::draw(options, classes, &plan, draw);
    plan.popular = plan.addresses.iter().copied().take(POPULAR).collect();
    plan
}

/// The number of references to other blocks in the array of a block.
pub(super) const HELD: usize = 2;

/// Plans the objects of a repeated block: first an array that refers to the others, or to those that have no owner, and
/// to [`HELD`] more blocks, so that all blocks are reachable. It has no loaders and threads.
pub(super) fn plan_block(
    options: &GenerateOptions,
    classes: &Classes,
    ground: &mut Ground,
    popular: &[Address],
    draw: &mut dyn Draw,
) -> Plan {
    let mut plan = plan_after(|_, _| (vec![Part::Holder], options.objects), options, classes, ground, draw);
    if options.has_owners() {
        plan.owners = Owners::draw(options, classes, &plan, draw);
        plan.popular = popular.to_vec();
        // The array is shorter than it could have been.
        let length = (plan.owners.left.len() + HELD) as u64;
        let spare = (plan.shapes[0].length - length) * classes.reference / 8 * 8;
        plan.shapes[0].length = length;
        plan.shapes[0].size -= spare;
        plan.addresses[1..].iter_mut().for_each(|address| address.0 -= spare);
        ground.give_back(spare);
    }
    plan
}

fn plan_after(
    first: impl FnOnce(&GenerateOptions, &mut dyn Draw) -> (Vec<Part>, usize),
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
    let mut plan = Plan {
        addresses: Vec::new(),
        shapes: Vec::new(),
        owners: Owners::default(),
        popular: Vec::new(),
        missing: Missing::default(),
    };
    let (first, objects) = first(options, draw);
    for index in 0..objects {
        let before = plan.shapes.last().map(|shape| shape.part);
        let part = match first.get(index) {
            Some(&part) => part,
            None if before == Some(Part::String) && options.common_strings.draw(draw) => {
                Part::Word(program::word(draw))
            }
            None if before == Some(Part::String) => Part::Text,
            None => Part::Any,
        };
        // A string's characters follow it.
        let has_room = index + 1 < objects && !odd.has(Oddity::NoLibraryObjects);
        let (class, length, part) = match part {
            Part::Loader => (classes.named(LOADER), 0, part),
            Part::Thread => (classes.named("java/lang/Thread"), 0, part),
            Part::String => (string, 0, part),
            Part::Text => (text, options.string_lengths.draw(draw), part),
            Part::Holder => (classes.named(ANYTHING), (options.objects - 1 + HELD) as u64, part),
            Part::Name(number) => (text, thread_name(number, options).len() as u64, part),
            Part::Word(word) => (text, program::text_of(word).len() as u64, part),
            Part::Any if index == first.len() && odd.has(Oddity::HugeArrays) => {
                (*draw.pick(&primitive), huge_length(draw), part)
            }
            Part::Any => match options.mix.draw(draw) {
                Mixed::Instance if odd.has(Oddity::ClassesInTurn) => (plain[index % in_turn], 0, part),
                Mixed::String if has_room => (string, 0, Part::String),
                Mixed::Instance | Mixed::String => (used(&plain, &plan, classes, options, draw), 0, part),
                Mixed::PrimitiveArray => (*draw.pick(&primitive), primitive_length(options, draw), part),
                Mixed::ObjectArray if options.collections.draw(draw) => {
                    (classes.named(ANYTHING), element_count(options, draw), part)
                }
                Mixed::ObjectArray => (*draw.pick(&arrays), element_count(options, draw), part),
            },
        };
        let (kind, size) = match classes.planned[class].role {
            Role::PrimitiveArray(element) => {
                (ObjectKind::PrimitiveArray(element), footprint(word, length * element.size(), draw))
            }
            Role::ObjectArray => (ObjectKind::ObjectArray, footprint(word, length * classes.reference, draw)),
            Role::Plain | Role::Library | Role::Bodiless => (ObjectKind::Instance, classes.instance_size(class)),
        };
        plan.addresses.push(ground.allot(size, draw));
        let is_zero = odd.has(Oddity::ZeroSizes) && kind != ObjectKind::Instance && draw.one_in(3);
        plan.shapes.push(Shape { class, kind, length, size: if is_zero { 0 } else { size }, part });
    }
    plan
}

impl Plan {
    /// Whether the references of an object may lead to any object.
    pub(super) fn is_free(&self, index: usize, classes: &Classes) -> bool {
        let shape = &self.shapes[index];
        shape.part == Part::Any && (shape.kind == ObjectKind::Instance || takes_anything(shape.class, classes))
    }

    /// Whether an object holds the characters of a word that many strings share.
    pub(super) fn is_word(&self, index: usize) -> bool {
        matches!(self.shapes[index].part, Part::Word(_))
    }

    /// The object that a field or element owns.
    pub(super) fn owned(&self, index: usize, item: usize) -> Option<Address> {
        self.owners.of(index, item).map(|owned| self.addresses[owned])
    }

    /// The address of an array that may hold any object, if there is one.
    pub(super) fn array(&self, classes: &Classes) -> Option<Address> {
        let any = self.shapes.iter().position(|shape| takes_anything(shape.class, classes));
        any.map(|index| self.addresses[index])
    }

    /// The objects for which no owner had room.
    pub(super) fn left(&self) -> impl Iterator<Item = Address> {
        self.owners.left.iter().map(|index| self.addresses[*index])
    }

    /// Whether an object holds characters.
    pub(super) fn is_text(&self, index: usize) -> bool {
        self.shapes[index].part.is_text()
    }

    pub(super) fn parts(&self, wanted: Part) -> Vec<Address> {
        let placed = self.shapes.iter().zip(&self.addresses);
        placed.inspect(|_| step()).filter(|(shape, _)| shape.part == wanted).map(|(_, address)| *address).collect()
    }

    /// The first class loader, if there is one: it is the first object.
    pub(super) fn loader(&self) -> Address {
        let first = self.shapes.first().filter(|shape| shape.part == Part::Loader);
        first.map_or(Address::NULL, |_| self.addresses[0])
    }

    /// The object after another one, if it has the wanted purpose; else null.
    pub(super) fn next(&self, index: usize, is_wanted: fn(Part) -> bool) -> Address {
        let is_next = self.shapes.get(index + 1).is_some_and(|shape| is_wanted(shape.part));
        if is_next { self.addresses[index + 1] } else { Address::NULL }
    }
}

/// Draws a class to instantiate: a library class by its weight, or a random class.
fn used(plain: &[usize], plan: &Plan, classes: &Classes, options: &GenerateOptions, draw: &mut dyn Draw) -> usize {
    if !classes.collections.is_empty() && options.collections.draw(draw) {
        return classes.collections[collections::place(draw)];
    }
    match &options.class_use {
        // The first two are those of every heap.
        Some(places) if plain.len() > 2 => plain[2 + (places.draw(draw) % (plain.len() as u64 - 2)) as usize],
        _ => recent(plain, plan, draw),
    }
}

/// Draws a class to instantiate: often one of the last few, so that class caches are hit.
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

/// Draws a length around the greatest numbers of 2 bytes, signed and unsigned.
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

/// Draws the size of an object: header, payload and sometimes a hash slot, a multiple of 8, at least 16.
fn footprint(word: u64, payload: u64, draw: &mut dyn Draw) -> u64 {
    let hash_slot = if draw.one_in(8) { 4 } else { 0 };
    (2 * word + payload + hash_slot).next_multiple_of(8).max(16)
}
