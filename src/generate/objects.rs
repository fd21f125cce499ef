//! The objects of a heap: first their addresses, then their contents.

use crate::draw::Draw;
use crate::model::{Address, ObjectKind};

use super::addresses::Ground;
use super::classes::{ANYTHING, Classes, LOADER, Role};
use super::collections;
use super::names::thread_name;
use super::oddity::Oddity;
use super::options::{GenerateOptions, Mixed};
use super::ownership::draw_owners;
use super::plan::{HELD, Missing, Owners, POPULAR, Part, Plan, PlannedObject};
use super::program;

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
    let threads = asked.min(((room - loaders) / options.objects_of_thread()) as u64);
    for number in 1..=threads as u32 {
        match options.library.has_character_names() {
            true => parts.extend([Part::Thread, Part::Name(number)]),
            false => parts.extend([Part::Thread, Part::String, Part::Name(number)]),
        }
    }
    let missing = Missing { loaders: u64::from(options.loaders) - loaders as u64, threads: asked - threads };
    (parts, missing)
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
    plan.owners = draw_owners(options, classes, &plan, draw);
    plan.popular = plan.addresses.iter().copied().take(POPULAR).collect();
    plan
}

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
        plan.owners = draw_owners(options, classes, &plan, draw);
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
        plan.shapes.push(PlannedObject { class, kind, length, size: if is_zero { 0 } else { size }, part });
    }
    plan
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
    let is_plain = |shape: &&PlannedObject| shape.kind == ObjectKind::Instance && shape.part == Part::Any;
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
