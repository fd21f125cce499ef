//! The objects of a heap: first their addresses, then their contents.

use crate::draw::Draw;
use crate::model::{Address, ObjectKind, PrimitiveType};

use super::addresses::AddressAllocator;
use super::classes::{ANYTHING, ClassPlan, ClassRole, LOADER};
use super::collections;
use super::names::thread_name;
use super::oddity::Oddity;
use super::options::{GenerateOptions, MixedKind};
use super::ownership::draw_owners;
use super::plan::{HELD, MissingObjects, ObjectPlan, ObjectPurpose, Owners, POPULAR, PlannedObject};
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
fn first_purposes(options: &GenerateOptions, room: usize, draw: &mut dyn Draw) -> (Vec<ObjectPurpose>, MissingObjects) {
    if options.oddities.has(Oddity::NoLibraryObjects) {
        return (Vec::new(), MissingObjects::default());
    }
    let loaders = (options.loaders as usize).min(room);
    let mut parts = vec![ObjectPurpose::Loader; loaders];
    let asked = options.threads.draw(draw);
    let threads = asked.min(((room - loaders) / options.objects_of_thread()) as u64);
    for number in 1..=threads as u32 {
        match options.library.has_character_names() {
            true => parts.extend([ObjectPurpose::Thread, ObjectPurpose::Name(number)]),
            false => parts.extend([ObjectPurpose::Thread, ObjectPurpose::String, ObjectPurpose::Name(number)]),
        }
    }
    let missing = MissingObjects { loaders: u64::from(options.loaders) - loaders as u64, threads: asked - threads };
    (parts, missing)
}

/// Plans the drawn objects, with as many objects of spare blocks as loaders and threads need.
pub(super) fn plan_objects(
    options: &GenerateOptions,
    classes: &ClassPlan,
    blocks: SpareBlocks,
    ground: &mut AddressAllocator,
    draw: &mut dyn Draw,
) -> ObjectPlan {
    let room = options.objects + blocks.count * blocks.objects;
    let mut missing = MissingObjects::default();
    let first = |options: &GenerateOptions, draw: &mut dyn Draw| {
        let (parts, none) = first_purposes(options, room, draw);
        missing = none;
        let more = parts.len().saturating_sub(options.objects).div_ceil(blocks.objects.max(1));
        (parts, options.objects + more * blocks.objects)
    };
    let mut plan = plan_after(first, options, classes, ground, draw);
    plan.missing = missing;
    ground.move_apart();
    plan.owners = draw_owners(options, classes, &plan, draw);
    plan.popular = plan.addresses.iter().copied().take(POPULAR).collect();
    plan
}

/// Plans the objects of a repeated block: first an array that refers to the others, or to those that have no owner, and
/// to [`HELD`] more blocks, so that all blocks are reachable. It has no loaders and threads.
pub(super) fn plan_block(
    options: &GenerateOptions,
    classes: &ClassPlan,
    ground: &mut AddressAllocator,
    popular: &[Address],
    draw: &mut dyn Draw,
) -> ObjectPlan {
    let mut plan = plan_after(|_, _| (vec![ObjectPurpose::Holder], options.objects), options, classes, ground, draw);
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
    first: impl FnOnce(&GenerateOptions, &mut dyn Draw) -> (Vec<ObjectPurpose>, usize),
    options: &GenerateOptions,
    classes: &ClassPlan,
    ground: &mut AddressAllocator,
    draw: &mut dyn Draw,
) -> ObjectPlan {
    let plain = classes.with_role(|role| role == ClassRole::Plain);
    let primitive = classes.with_role(|role| matches!(role, ClassRole::PrimitiveArray(_)));
    let arrays = classes.with_role(|role| role == ClassRole::ObjectArray);
    let string = classes.index_of("java/lang/String");
    let text = classes.index_of(&format!("[{}", options.library.text_element().signature()));
    let word = options.word.bytes() as u64;
    let odd = options.oddities;
    let in_turn = draw.between(5, 8).min(plain.len() as u64) as usize;
    let mut plan = ObjectPlan {
        addresses: Vec::new(),
        shapes: Vec::new(),
        owners: Owners::default(),
        popular: Vec::new(),
        missing: MissingObjects::default(),
    };
    let (first, objects) = first(options, draw);
    for index in 0..objects {
        let before = plan.shapes.last().map(|shape| shape.part);
        let part = match first.get(index) {
            Some(&part) => part,
            None if before == Some(ObjectPurpose::String) && options.common_strings.draw(draw) => {
                ObjectPurpose::Word(program::word(draw))
            }
            None if before == Some(ObjectPurpose::String) && options.wide_strings.draw(draw) => {
                if draw.one_in(2) {
                    ObjectPurpose::WideText
                } else {
                    ObjectPurpose::NarrowText
                }
            }
            None if before == Some(ObjectPurpose::String) => ObjectPurpose::Text,
            None => ObjectPurpose::Any,
        };
        // A string's characters follow it.
        let has_room = index + 1 < objects && !odd.has(Oddity::NoLibraryObjects);
        let (class, length, part) = match part {
            ObjectPurpose::Loader => (classes.index_of(LOADER), 0, part),
            ObjectPurpose::Thread => (classes.index_of("java/lang/Thread"), 0, part),
            ObjectPurpose::String => (string, 0, part),
            ObjectPurpose::Text | ObjectPurpose::NarrowText => (text, options.string_lengths.draw(draw), part),
            ObjectPurpose::WideText => {
                let elements = if options.library.text_element() == PrimitiveType::Byte { 2 } else { 1 };
                (text, elements * options.string_lengths.draw(draw), part)
            }
            ObjectPurpose::Holder => (classes.index_of(ANYTHING), (options.objects - 1 + HELD) as u64, part),
            ObjectPurpose::Name(number) => (text, thread_name(number, options).len() as u64, part),
            ObjectPurpose::Word(word) => (text, program::text_of(word).len() as u64, part),
            ObjectPurpose::Any if index == first.len() && odd.has(Oddity::HugeArrays) => {
                (*draw.pick(&primitive), huge_length(draw), part)
            }
            ObjectPurpose::Any => match options.mix.draw(draw) {
                MixedKind::Instance if odd.has(Oddity::ClassesInTurn) => (plain[index % in_turn], 0, part),
                MixedKind::String if has_room => (string, 0, ObjectPurpose::String),
                MixedKind::Instance | MixedKind::String => (draw_class(&plain, &plan, classes, options, draw), 0, part),
                MixedKind::PrimitiveArray => (*draw.pick(&primitive), primitive_length(options, draw), part),
                MixedKind::ObjectArray if options.collections.draw(draw) => {
                    (classes.index_of(ANYTHING), element_count(options, draw), part)
                }
                MixedKind::ObjectArray => (*draw.pick(&arrays), element_count(options, draw), part),
            },
        };
        let (kind, size) = match classes.planned[class].role {
            ClassRole::PrimitiveArray(element) => {
                (ObjectKind::PrimitiveArray(element), footprint(word, length * element.size(), draw))
            }
            ClassRole::ObjectArray => (ObjectKind::ObjectArray, footprint(word, length * classes.reference, draw)),
            ClassRole::Plain | ClassRole::Library | ClassRole::Bodiless => {
                (ObjectKind::Instance, classes.instance_size(class))
            }
        };
        plan.addresses.push(ground.allocate(size, draw));
        let is_zero = odd.has(Oddity::ZeroSizes) && kind != ObjectKind::Instance && draw.one_in(3);
        plan.shapes.push(PlannedObject { class, kind, length, size: if is_zero { 0 } else { size }, part });
    }
    plan
}

/// Draws a class to instantiate: a library class by its weight, or a random class.
fn draw_class(
    plain: &[usize],
    plan: &ObjectPlan,
    classes: &ClassPlan,
    options: &GenerateOptions,
    draw: &mut dyn Draw,
) -> usize {
    if !classes.collections.is_empty() && options.collections.draw(draw) {
        return classes.collections[collections::draw_place(draw)];
    }
    match &options.class_use {
        // The first two are those of every heap.
        Some(places) if plain.len() > 2 => plain[2 + (places.draw(draw) % (plain.len() as u64 - 2)) as usize],
        _ => draw_recent_class(plain, plan, draw),
    }
}

/// Draws a class to instantiate: often one of the last few, so that class caches are hit.
fn draw_recent_class(plain: &[usize], plan: &ObjectPlan, draw: &mut dyn Draw) -> usize {
    let is_plain = |shape: &&PlannedObject| shape.kind == ObjectKind::Instance && shape.part == ObjectPurpose::Any;
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
