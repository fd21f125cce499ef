//! The bytes of the target that a conversion synthesises because the source has none. They are counted before any is
//! synthesised, because a claim of a few bytes may stand for any number of them: a length, a class with a thousand
//! fields, a chain of superclasses that is listed for each class.

use std::collections::HashMap;

use crate::error::LowerError;
use crate::family::HeapRequirements;
use crate::model::{Address, Class, Contents, Hierarchy, Object, ObjectKind, PiecewiseContents};

use super::classes::{ClassIndex, ObjectClass};
use super::layouts::{SyntheticLayouts, class_place};
use super::lengths::LengthEstimate;

/// Bytes that a conversion may synthesise unless its options say otherwise.
pub const BUDGET: u64 = 1 << 30;

/// The bytes to be synthesised for the objects of a source, as far as they depend on all objects.
#[derive(Debug, Default)]
pub(super) struct SynthesisNeeds {
    /// The instances of each class without field values, and the number of references that they list.
    instances: HashMap<ObjectClass, (u64, u64)>,
    /// Bytes of elements and of primitive contents.
    contents: u64,
}

impl SynthesisNeeds {
    /// Adds an object that lists this number of references besides its class.
    pub(super) fn add_object(
        &mut self,
        object: &Object,
        own: &ObjectClass,
        listed: u64,
        needs: &HeapRequirements,
        lengths: &LengthEstimate,
    ) {
        let bytes = match (object.kind, &object.contents) {
            _ if !needs.positions => return,
            (
                ObjectKind::Instance,
                Contents::Fields(_) | Contents::Raw(_) | Contents::Long(PiecewiseContents::Raw(_)),
            ) => return,
            (ObjectKind::Instance, _) => {
                let (instances, references) = self.instances.entry(own.clone()).or_default();
                (*instances, *references) = (*instances + 1, references.saturating_add(listed));
                return;
            }
            (ObjectKind::ObjectArray, _) => {
                let length =
                    object.length.unwrap_or_else(|| lengths.array_length(object, listed).map_or(0, |fits| fits.length));
                length.saturating_sub(listed).saturating_mul(reference_width(needs))
            }
            (
                ObjectKind::PrimitiveArray(_),
                Contents::Primitives(_) | Contents::Long(PiecewiseContents::Primitives(_)),
            ) => return,
            (ObjectKind::PrimitiveArray(element), _) => {
                let of_size = || lengths.array_length(object, 0).map_or(0, |fits| fits.length);
                object.length.unwrap_or_else(of_size).saturating_mul(element.size())
            }
        };
        self.contents = self.contents.saturating_add(bytes);
    }

    /// Checks the bytes against the budget.
    pub(super) fn check(
        &self,
        classes: &ClassIndex,
        layouts: &SyntheticLayouts,
        needs: &HeapRequirements,
        budget: u64,
    ) -> Result<(), LowerError> {
        let width = reference_width(needs);
        let mut bytes = self.contents;
        for (own, (instances, references)) in self.instances.iter().filter(|_| needs.positions) {
            let all =
                class_place(classes, own).map_or(0, |class| layouts.instance_bytes(class)).saturating_mul(*instances);
            bytes = bytes.saturating_add(all.saturating_sub(references.saturating_mul(width)));
        }
        if needs.positions {
            // A name and a type for each field.
            let fields = (0..classes.table.len())
                .fold(0, |sum: u64, class| sum.saturating_add(layouts.synthesised_fields(class)));
            bytes = bytes.saturating_add(fields.saturating_mul(width + 1));
        }
        bytes = bytes.saturating_add(superclass_lists(&classes.table, |class| classes.index(class), needs));
        check_budget(bytes, budget)
    }
}

/// Bytes of the lists of superclasses in a target with these needs, of classes that do not list their references.
fn superclass_lists(classes: &[Class], place: impl Fn(Address) -> Option<usize>, needs: &HeapRequirements) -> u64 {
    let Some(entry) = needs.superclass_lists else { return 0 };
    let depths = Hierarchy::new(classes, place).depths();
    let listing = classes.iter().zip(depths).filter(|(class, _)| class.references.is_none() && class.statics.is_some());
    listing.fold(0, |sum: u64, (_, depth)| sum.saturating_add(depth.saturating_mul(entry)))
}

/// Checks the superclasses that the target lists for each class against a budget of bytes.
///
/// # Errors
/// [`LowerError::Budget`].
pub fn check_superclass_lists(classes: &[Class], needs: &HeapRequirements, budget: u64) -> Result<(), LowerError> {
    let by_address: HashMap<_, _> = classes.iter().enumerate().map(|(index, class)| (class.address, index)).collect();
    check_budget(superclass_lists(classes, |class| by_address.get(&class).copied(), needs), budget)
}

/// Checks a number of bytes against a budget.
pub(super) fn check_budget(bytes: u64, budget: u64) -> Result<(), LowerError> {
    if bytes > budget { Err(LowerError::Budget { bytes, budget }) } else { Ok(()) }
}

/// Bytes of a reference in the target.
pub(super) fn reference_width(needs: &HeapRequirements) -> u64 {
    [1, 2, 4].into_iter().find(|bytes| needs.largest < 1 << (8 * bytes)).unwrap_or(8)
}
