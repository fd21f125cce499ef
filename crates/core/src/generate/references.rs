//! Targets of references.

use crate::draw::Draw;
use crate::model::Address;

use super::classes::{ClassPlan, ClassRole};
use super::options::{AddressSpace, GenerateOptions, Lengths, Share};
use super::plan::ObjectPlan;

/// Draws the target of a reference: often a neighbour, sometimes the object itself, a class or nothing. `nulls` is the
/// share of nulls.
pub(super) fn draw_target(
    from: usize,
    plan: &ObjectPlan,
    classes: &ClassPlan,
    options: &GenerateOptions,
    nulls: Option<Share>,
    draw: &mut dyn Draw,
) -> Address {
    let count = plan.addresses.len() as u64;
    if options.dangling.draw(draw) {
        return dangling_address(options, draw);
    }
    let kind = match nulls {
        Some(nulls) if nulls.draw(draw) => return Address::NULL,
        // What is left of the sixteenths.
        Some(_) => draw.between(4, 15),
        None => draw.below(16),
    };
    match kind {
        0..=3 => Address::NULL,
        _ if options.has_owners() => draw_shared(plan, classes, options, draw),
        4..=9 => {
            let low = from.saturating_sub(4) as u64;
            plan.addresses[(low + draw.below((count - low).min(9))) as usize]
        }
        10 => plan.addresses[from],
        11 => draw.pick(&classes.planned).address,
        _ => *draw.pick(&plan.addresses),
    }
}

/// Draws the target of a reference that does not own: a popular object, seldom a class, or any object.
fn draw_shared(plan: &ObjectPlan, classes: &ClassPlan, options: &GenerateOptions, draw: &mut dyn Draw) -> Address {
    if !plan.popular.is_empty() && options.popular.draw(draw) {
        let (first, last) = (MOST_POPULAR, MOST_POPULAR + plan.popular.len() as u64 - 1);
        let rank = Lengths::Power(first, last).draw(draw) - first;
        return plan.popular[rank as usize];
    }
    if draw.one_in(12) { draw.pick(&classes.planned).address } else { *draw.pick(&plan.addresses) }
}

/// The share of the most popular object in all references to popular ones is one in this number; that of the others is
/// less.
const MOST_POPULAR: u64 = 8;

/// The objects that the elements of an array may refer to.
#[derive(Clone, Copy)]
pub(super) enum AllowedElements {
    Anything,
    /// Objects of a class and its subclasses.
    Of(usize),
    /// Arrays of objects.
    Arrays,
    Nothing,
}

impl AllowedElements {
    /// Whether an object of a class may be an element.
    fn fits(self, class: usize, classes: &ClassPlan) -> bool {
        match self {
            AllowedElements::Anything => true,
            AllowedElements::Of(component) => classes.extends(class, component),
            AllowedElements::Arrays => classes.planned[class].role == ClassRole::ObjectArray,
            AllowedElements::Nothing => false,
        }
    }
}

pub(super) fn allowed_elements(array: usize, classes: &ClassPlan) -> AllowedElements {
    let name = classes.planned[array].name.as_str();
    match name {
        _ if classes.takes_anything(array) => AllowedElements::Anything,
        "[[Ljava/lang/Object;" => AllowedElements::Arrays,
        // An array of a primitive type has no subclass.
        _ if name.starts_with("[[") => AllowedElements::Of(classes.index_of(&name[1..])),
        _ => {
            // That of the same loader stands before the class of its arrays.
            let component = name.trim_start_matches("[L").trim_end_matches(';');
            let component = (0..array).rev().find(|&index| classes.planned[index].name == component);
            component.map_or(AllowedElements::Nothing, AllowedElements::Of)
        }
    }
}

/// Draws an element that the array may hold.
pub(super) fn draw_element(
    from: usize,
    fits: AllowedElements,
    plan: &ObjectPlan,
    classes: &ClassPlan,
    options: &GenerateOptions,
    draw: &mut dyn Draw,
) -> Address {
    let nulls = options.null_elements.or(options.nulls);
    if matches!(fits, AllowedElements::Anything) {
        return draw_target(from, plan, classes, options, nulls, draw);
    }
    if options.dangling.draw(draw) {
        return dangling_address(options, draw);
    }
    let start = draw.below(plan.shapes.len() as u64) as usize;
    let is_null = match nulls {
        Some(nulls) => nulls.draw(draw),
        None => draw.one_in(4),
    };
    if is_null {
        return Address::NULL;
    }
    // The next that fits, among some.
    let next = (0..plan.shapes.len().min(16)).map(|step| (start + step) % plan.shapes.len());
    let found = next.into_iter().find(|&index| fits.fits(plan.shapes[index].class, classes));
    found.map_or(Address::NULL, |index| plan.addresses[index])
}

/// An address below those of all objects; if addresses are numbers, above them.
fn dangling_address(options: &GenerateOptions, draw: &mut dyn Draw) -> Address {
    match options.addresses {
        AddressSpace::Numbers => Address(u64::from(u8::MAX)),
        _ => Address(8 * draw.between(1, 0x1ff)),
    }
}
