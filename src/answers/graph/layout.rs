//! Which field of an instance is the referent of a `java.lang.ref.Reference`.

use foldhash::HashMap;

use crate::model::{Address, Class, Hierarchy, Name};

/// By class, the place of the referent among the values of an instance.
#[derive(Clone, Debug, Default)]
pub(super) struct Referents(HashMap<Address, usize>);

impl Referents {
    /// Of a table of classes. Where several have the name of `java.lang.ref.Reference`, each of them counts.
    pub(super) fn of(classes: &[Class]) -> Referents {
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
        Referents(found.collect())
    }

    /// The place of the referent in an instance of a class.
    #[inline]
    pub(super) fn of_class(&self, class: Address) -> Option<usize> {
        if self.0.is_empty() { None } else { self.0.get(&class).copied() }
    }
}
