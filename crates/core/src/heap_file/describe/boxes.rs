//! Boxed values that stand as numbers where they are referred to.

use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};

use crate::builder::{box_class, is_shared_box};
use crate::generate::Library;
use crate::model::{Address, Contents, FieldType, Object, PrimitiveType};

use super::class::spell_primitive;
use super::names::HeapNames;
use super::sizes::AutomaticSizes;
use super::table::{FieldKey, FieldSlot, HeapTable};
use super::uses::ReferenceUses;

/// The boxed values of a heap that are written in the place of each reference to them.
#[derive(Debug, Default)]
pub(super) struct RecognisedBoxes {
    /// By the places of the objects.
    values: HashMap<usize, (PrimitiveType, u64)>,
}

impl RecognisedBoxes {
    pub(super) fn new(
        table: &HeapTable<'_>,
        names: &HeapNames,
        sizes: &AutomaticSizes,
        uses: &ReferenceUses,
    ) -> RecognisedBoxes {
        let of_type = |kind: PrimitiveType| {
            let class = table.class_named(&box_class(kind).replace('.', "/").as_str().into())?;
            (names.class(class).text == box_class(kind)).then(|| (class, BoxLayout { kind, slots: table.slots(class) }))
        };
        let layouts: HashMap<usize, BoxLayout> = PrimitiveType::ALL.into_iter().filter_map(of_type).collect();
        let mut order: Vec<usize> = (0..table.heap.objects.len()).collect();
        order.sort_by_key(|place| table.heap.objects[*place].address);
        let mut shared = HashSet::new();
        let mut values = HashMap::new();
        for place in order {
            let object = &table.heap.objects[place];
            let class = object.class.and_then(|class| table.class_at(class));
            let Some((class, layout)) = class.and_then(|class| Some((class, layouts.get(&class)?))) else { continue };
            let Some(bits) = layout.bits(object, sizes.settings.library) else { continue };
            if !sizes.is_bare(table, object, class) || spell_box(layout.kind, bits, false).is_none() {
                continue;
            }
            let is_alone = match is_shared_box(layout.kind, bits) {
                // Java keeps one, and so does the file.
                true => uses.are_values(object.address) && shared.insert((class, bits)),
                false => uses.is_single_value(object.address),
            };
            if is_alone {
                values.insert(place, (layout.kind, bits));
            }
        }
        RecognisedBoxes { values }
    }

    /// Whether an object is written where it is referred to.
    pub(super) fn is_in_place(&self, object: usize) -> bool {
        self.values.contains_key(&object)
    }

    /// The value in the place of a reference. Elements of an array of boxed values name its type.
    pub(super) fn spell_in_place(&self, table: &HeapTable<'_>, to: Address, is_typed: bool) -> Option<String> {
        let (kind, bits) = self.values.get(&table.object_at(to)?)?;
        spell_box(*kind, *bits, is_typed)
    }
}

/// The layout of a class of boxed values.
struct BoxLayout {
    kind: PrimitiveType,
    slots: Vec<FieldSlot>,
}

impl BoxLayout {
    /// The value of an object that has nothing else.
    fn bits(&self, object: &Object, library: Library) -> Option<u64> {
        let Contents::Fields(values) = &object.contents else { return None };
        let is_value = |slot: &FieldSlot| matches!(&slot.key, FieldKey::Property(key) if key == "value");
        let place = self.slots.iter().position(is_value)?;
        let is_expected = self.slots.iter().zip(values).enumerate().all(|(number, (slot, value))| {
            let is_class = slot.is_class && library == Library::Android;
            let rest = if is_class { object.class.unwrap_or_default().0 } else { 0 };
            slot.kind == value.kind && (number == place || value.bits == rest)
        });
        let is_own = self.slots[place].kind == FieldType::Primitive(self.kind) && self.slots.len() == values.len();
        (is_own && is_expected).then(|| values[place].bits)
    }
}

/// A boxed value as a heap file has it: with its type, unless the number says it.
fn spell_box(kind: PrimitiveType, bits: u64, is_typed: bool) -> Option<String> {
    let number = spell_primitive(kind, bits);
    if number.starts_with("(bits)") {
        return None;
    }
    let says_type = match kind {
        PrimitiveType::Boolean | PrimitiveType::Int | PrimitiveType::Double => true,
        PrimitiveType::Long => i32::try_from(bits as i64).is_err(),
        _ => false,
    };
    Some(if says_type && !is_typed { number } else { format!("({}){number}", kind.keyword()) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxed_values_have_a_type_unless_the_number_says_it() {
        for (kind, bits, spelled) in [
            (PrimitiveType::Int, 7, Some("7")),
            (PrimitiveType::Long, 7, Some("(long)7")),
            (PrimitiveType::Long, 3_000_000_000, Some("3000000000")),
            (PrimitiveType::Double, 0x4004_0000_0000_0000, Some("2.5")),
            (PrimitiveType::Float, 0x3fc0_0000, Some("(float)1.5")),
            (PrimitiveType::Char, 0x41, Some("(char)A")),
            (PrimitiveType::Boolean, 1, Some("#true")),
            (PrimitiveType::Boolean, 2, None),
            (PrimitiveType::Double, 0x7ff8_0000_0000_0001, None),
        ] {
            assert_eq!(spell_box(kind, bits, false).as_deref(), spelled, "{kind} {bits:#x}");
        }
        assert_eq!(spell_box(PrimitiveType::Int, 7, true).as_deref(), Some("(int)7"));
    }
}
