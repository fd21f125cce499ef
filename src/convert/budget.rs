//! The bytes of the target that a conversion synthesises because the source has none. They are counted before any is
//! synthesised, because a claim of a few bytes may stand for any number of them: a length, a class with a thousand
//! fields, a chain of superclasses that is listed for each class.

use std::collections::HashMap;

use crate::error::LowerError;
use crate::family::Needs;
use crate::model::{Address, Class, Contents, Hierarchy, Long, Object, ObjectKind};

use super::classes::{Classes, Own};
use super::layouts::{Layouts, place};
use super::lengths::Lengths;

/// Bytes that a conversion may synthesise unless its options say otherwise.
pub const BUDGET: u64 = 1 << 30;

/// The bytes to be synthesised for the objects of a source, as far as they depend on all objects.
#[derive(Debug, Default)]
pub(super) struct Wanted {
    /// The instances of each class without field values, and the number of references that they list.
    instances: HashMap<Own, (u64, u64)>,
    /// Bytes of elements and of primitive contents.
    contents: u64,
}

impl Wanted {
    /// Adds an object that lists this number of references besides its class.
    pub(super) fn object(&mut self, object: &Object, own: &Own, listed: u64, needs: &Needs, lengths: &Lengths) {
        let bytes = match (object.kind, &object.contents) {
            _ if !needs.positions => return,
            (ObjectKind::Instance, Contents::Fields(_) | Contents::Raw(_) | Contents::Long(Long::Raw(_))) => return,
            (ObjectKind::Instance, _) => {
                let (instances, references) = self.instances.entry(own.clone()).or_default();
                (*instances, *references) = (*instances + 1, references.saturating_add(listed));
                return;
            }
            (ObjectKind::ObjectArray, _) => {
                let length =
                    object.length.unwrap_or_else(|| lengths.of_array(object, listed).map_or(0, |fits| fits.length));
                length.saturating_sub(listed).saturating_mul(reference(needs))
            }
            (ObjectKind::PrimitiveArray(_), Contents::Primitives(_) | Contents::Long(Long::Primitives(_))) => return,
            (ObjectKind::PrimitiveArray(element), _) => {
                let of_size = || lengths.of_array(object, 0).map_or(0, |fits| fits.length);
                object.length.unwrap_or_else(of_size).saturating_mul(element.size())
            }
        };
        self.contents = self.contents.saturating_add(bytes);
    }

    /// Checks the bytes against the budget.
    pub(super) fn check(
        &self,
        classes: &Classes,
        layouts: &Layouts,
        needs: &Needs,
        budget: u64,
    ) -> Result<(), LowerError> {
        let width = reference(needs);
        let mut bytes = self.contents;
        for (own, (instances, references)) in self.instances.iter().filter(|_| needs.positions) {
            let all = place(classes, own).map_or(0, |class| layouts.bytes(class)).saturating_mul(*instances);
            bytes = bytes.saturating_add(all.saturating_sub(references.saturating_mul(width)));
        }
        if needs.positions {
            // A name and a type for each field.
            let fields = (0..classes.table.len()).fold(0, |sum: u64, class| sum.saturating_add(layouts.own(class)));
            bytes = bytes.saturating_add(fields.saturating_mul(width + 1));
        }
        bytes = bytes.saturating_add(superclass_lists(&classes.table, |class| classes.index(class), needs));
        within(bytes, budget)
    }
}

/// Bytes of the lists of superclasses in a target with these needs, of classes that do not list their references.
fn superclass_lists(classes: &[Class], place: impl Fn(Address) -> Option<usize>, needs: &Needs) -> u64 {
    let Some(entry) = needs.superclass_lists else { return 0 };
    let depths = Hierarchy::new(classes, place).depths();
    let listing = classes.iter().zip(depths).filter(|(class, _)| class.references.is_none() && class.statics.is_some());
    listing.fold(0, |sum: u64, (_, depth)| sum.saturating_add(depth.saturating_mul(entry)))
}

/// Checks the superclasses that the target lists for each class against a budget of bytes.
///
/// # Errors
/// [`LowerError::Budget`].
pub fn check_superclass_lists(classes: &[Class], needs: &Needs, budget: u64) -> Result<(), LowerError> {
    let by_address: HashMap<_, _> = classes.iter().enumerate().map(|(index, class)| (class.address, index)).collect();
    within(superclass_lists(classes, |class| by_address.get(&class).copied(), needs), budget)
}

/// Checks a number of bytes against a budget.
pub(super) fn within(bytes: u64, budget: u64) -> Result<(), LowerError> {
    if bytes > budget { Err(LowerError::Budget { bytes, budget }) } else { Ok(()) }
}

/// Bytes of a reference in the target.
pub(super) fn reference(needs: &Needs) -> u64 {
    [1, 2, 4].into_iter().find(|bytes| needs.largest < 1 << (8 * bytes)).unwrap_or(8)
}
