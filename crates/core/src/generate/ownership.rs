//! Owners of objects. In a program's heap most objects have one reference, from a nearby object that created them and
//! keeps them.

use std::ops::Range;

use crate::draw::Draw;
use crate::model::{FieldType, ObjectKind};

use super::classes::ClassPlan;
use super::options::GenerateOptions;
use super::plan::{ObjectPlan, ObjectPurpose, Owners};

/// The number of neighbouring objects among which owners are drawn: as many as a block has.
const NEAR: usize = 32;
/// The average distance of an owner, in objects with room.
const BACK: u64 = 3;

/// Draws the owners of all objects, or none.
pub(super) fn draw_owners(
    options: &GenerateOptions,
    classes: &ClassPlan,
    plan: &ObjectPlan,
    draw: &mut dyn Draw,
) -> Owners {
    let mut owners = Owners::default();
    if options.has_owners() {
        let count = plan.shapes.len();
        (0..count).step_by(NEAR).for_each(|first| {
            draw_among(&mut owners, first..(first + NEAR).min(count), options, classes, plan, draw);
        });
    }
    owners
}

fn draw_among(
    owners: &mut Owners,
    range: Range<usize>,
    options: &GenerateOptions,
    classes: &ClassPlan,
    plan: &ObjectPlan,
    draw: &mut dyn Draw,
) {
    let mut order: Vec<usize> = range.filter(|&index| can_be_owned(index, plan)).collect();
    // What comes first in memory is the owner about as often as not.
    if draw.one_in(2) {
        order.reverse();
    }
    let mut room: Vec<(usize, usize)> = Vec::new();
    for index in order {
        // What nothing owns owns nothing, so that few objects are out of reach with it.
        if !options.owned.draw(draw) {
            continue;
        }
        let back = draw_distance(draw);
        match room.len().checked_sub(1) {
            Some(last) => {
                let slot = room.remove(last.saturating_sub(back));
                owners.owned.insert(slot, index);
            }
            None => owners.left.push(index),
        }
        room.extend(owning_items(index, classes, plan).map(|item| (index, item)));
    }
}

/// Draws a distance, greater ones exponentially rarer.
fn draw_distance(draw: &mut dyn Draw) -> usize {
    (0..NEAR).take_while(|_| !draw.one_in(BACK + 1)).count()
}

/// Whether an object may have an owner: loaders, threads and block arrays are reachable anyway, and characters belong
/// to their string.
fn can_be_owned(index: usize, plan: &ObjectPlan) -> bool {
    matches!(plan.shapes[index].part, ObjectPurpose::Any | ObjectPurpose::String)
        && !index.checked_sub(1).is_some_and(|before| plan.shapes[before].part == ObjectPurpose::Thread)
}

/// The fields and elements that may own: of an array, a quarter, since most of its elements are null.
fn owning_items(index: usize, classes: &ClassPlan, plan: &ObjectPlan) -> Box<dyn Iterator<Item = usize>> {
    let shape = &plan.shapes[index];
    match shape.kind {
        ObjectKind::Instance if shape.part == ObjectPurpose::Any => {
            let fields: Vec<usize> = classes
                .instance_fields(shape.class)
                .iter()
                .enumerate()
                .filter(|(_, field)| field.kind == FieldType::Object && !field.name.as_bytes().starts_with(b"shadow$_"))
                .map(|(item, _)| item)
                .collect();
            Box::new(fields.into_iter())
        }
        ObjectKind::ObjectArray if shape.part == ObjectPurpose::Any && classes.takes_anything(shape.class) => {
            Box::new(0..shape.length.div_ceil(4) as usize)
        }
        _ => Box::new(std::iter::empty()),
    }
}
