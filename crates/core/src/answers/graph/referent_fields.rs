//! The field of an instance that holds the referent of a `java.lang.ref.Reference`.

use foldhash::HashMap;

use crate::model::{Address, Class, Hierarchy, Name};

/// The index of the referent among the values of an instance, by class.
#[derive(Clone, Debug, Default)]
pub(super) struct ReferentFields(HashMap<Address, usize>);

impl ReferentFields {
    /// Finds the referent fields of a class table. Each of several classes named `java.lang.ref.Reference` counts.
    pub(super) fn from_classes(classes: &[Class]) -> ReferentFields {
        let mut known = HashMap::default();
        for (place, class) in classes.iter().enumerate() {
            known.entry(class.address).or_insert(place);
        }
        let hierarchy = Hierarchy::new(classes, |address| known.get(&address).copied());
        let (reference, referent) = (Name::from_text("java/lang/ref/Reference"), Name::from_text("referent"));
        let mut places: Vec<Option<usize>> = vec![None; classes.len()];
        for &place in hierarchy.downward() {
            let Some(fields) = &classes[place].fields else { continue };
            // An instance has the values of its own class first.
            let above = || Some(places[hierarchy.superclass(place)?]? + fields.len());
            places[place] = if classes[place].name.to_jvm_form() == reference {
                fields.iter().position(|field| field.name == referent)
            } else {
                above()
            };
        }
        let found = classes.iter().zip(&places).filter_map(|(class, place)| Some((class.address, (*place)?)));
        ReferentFields(found.collect())
    }

    /// The index of the referent among the values of a class's instances.
    #[inline]
    pub(super) fn field_index(&self, class: Address) -> Option<usize> {
        if self.0.is_empty() { None } else { self.0.get(&class).copied() }
    }
}
