//! Sizes as the builder works them out, and the settings with which most of them are those of the heap.

use crate::builder::{HeapSettings, InstanceSizeRule};
use crate::model::{ByteLen, Contents, FieldType, Object, ObjectKind, WordSize};

use super::table::HeapTable;

/// The fields of a class's objects, in all.
#[derive(Clone, Copy, Debug, Default)]
struct FieldTotals {
    references: u64,
    /// Bytes of the primitive ones.
    bytes: u64,
}

impl FieldTotals {
    fn bytes(self, reference: u64) -> u64 {
        self.references.saturating_mul(reference).saturating_add(self.bytes)
    }
}

/// The sizes that are automatic.
#[derive(Clone, Debug)]
pub(super) struct AutomaticSizes {
    pub(super) settings: HeapSettings,
    totals: Vec<FieldTotals>,
}

/// The most objects that are looked at for the settings.
const SAMPLE: usize = 10_000;

impl AutomaticSizes {
    /// The sizes with the settings that fit the most classes and objects; of equal ones the first.
    pub(super) fn fitted(table: &HeapTable<'_>) -> AutomaticSizes {
        let mut totals = vec![FieldTotals::default(); table.heap.classes.len()];
        for &class in table.hierarchy.downward() {
            let mut total = table.hierarchy.superclass(class).map(|above| totals[above]).unwrap_or_default();
            for field in table.heap.classes[class].fields.iter().flatten() {
                match field.kind {
                    FieldType::Object => total.references += 1,
                    FieldType::Primitive(kind) => total.bytes += kind.size(),
                }
            }
            totals[class] = total;
        }
        let words = match table.heap.facts.word_size {
            Some(word) => vec![word],
            None => vec![WordSize::Bits64, WordSize::Bits32],
        };
        let bare = HeapSettings::default().world(false).java_names(table.has_java_names);
        let mut sizes = AutomaticSizes { settings: bare, totals };
        let mut best = None;
        for word in words {
            for compressed in [false, true] {
                for instance_sizes in [InstanceSizeRule::Footprint, InstanceSizeRule::Fields] {
                    let settings = bare.word(word).instance_sizes(instance_sizes);
                    sizes.settings = settings.compressed_references(compressed && word == WordSize::Bits64);
                    let fitting = sizes.count_fitting(table);
                    if best.is_none_or(|(most, _)| fitting > most) {
                        best = Some((fitting, sizes.settings));
                    }
                }
            }
        }
        sizes.settings = best.map_or(sizes.settings, |(_, settings)| settings);
        sizes
    }

    fn count_fitting(&self, table: &HeapTable<'_>) -> usize {
        let is_instance = |class: &usize| table.kind(*class) == ObjectKind::Instance;
        let classes = (0..table.heap.classes.len()).filter(is_instance);
        let classes = classes.filter(|&class| {
            table.heap.classes[class].instance_size == Some(self.instance_size(ObjectKind::Instance, class))
        });
        let objects = table.heap.objects.iter().take(SAMPLE);
        let objects = objects.filter(|object| {
            let class = object.class.and_then(|class| table.class_at(class));
            object.size == Some(self.object_size(object, class))
        });
        classes.count() + objects.count()
    }

    /// The size of a class's instances, whose kind its name says.
    pub(super) fn instance_size(&self, kind: ObjectKind, class: usize) -> ByteLen {
        let totals = self.totals[class];
        ByteLen(match (kind, self.settings.instance_sizes) {
            (ObjectKind::Instance, InstanceSizeRule::Footprint) => {
                self.settings.instance_bytes(totals.bytes(self.settings.reference_bytes()))
            }
            (ObjectKind::Instance, InstanceSizeRule::Fields) => totals.bytes(self.settings.word.bytes() as u64),
            (_, InstanceSizeRule::Footprint) => self.settings.instance_bytes(0),
            (_, InstanceSizeRule::Fields) => 0,
        })
    }

    /// Whether nothing is known of an object but its class and its contents, or what follows from them.
    pub(super) fn is_bare(&self, table: &HeapTable<'_>, object: &Object, class: usize) -> bool {
        object.hash.is_none()
            && object.class_word.is_none()
            && object.class_name.is_none()
            && object.size.is_none_or(|size| size == self.object_size(object, Some(class)))
            && object.trace.is_none_or(|trace| table.is_empty_trace(trace))
    }

    /// The size of an object on the heap.
    pub(super) fn object_size(&self, object: &Object, class: Option<usize>) -> ByteLen {
        ByteLen(match (object.kind, &object.contents) {
            (ObjectKind::Instance, Contents::Raw(bytes)) => self.settings.instance_bytes(bytes.len() as u64),
            (ObjectKind::Instance, _) => {
                let totals = class.map(|class| self.totals[class]).unwrap_or_default();
                self.settings.instance_bytes(totals.bytes(self.settings.reference_bytes()))
            }
            (kind, _) => self.settings.array_bytes(kind, object.length.unwrap_or_default()),
        })
    }
}
