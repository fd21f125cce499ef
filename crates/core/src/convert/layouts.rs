//! Synthetic fields for classes whose format only lists references.
//!
//! Objects of one class list different numbers of references, and a class inherits the fields of its superclass. So a
//! class declares as many as its objects need beyond those that it inherits; the rest of an object's fields are null.

use crate::error::LowerError;
use crate::model::{Address, Field, FieldType, Hierarchy, Name, Object, Value, count_step};

use super::classes::{ClassIndex, ObjectClass};

/// The fields of every class, synthesised where they are not known.
#[derive(Debug, Default)]
pub(super) struct SyntheticLayouts {
    /// The number of synthesised fields of each class.
    own: Vec<usize>,
    /// The nearest superclass of each class that has fields, known or synthesised.
    with_fields: Vec<Option<usize>>,
    /// The bytes of an instance's values, for each class.
    bytes: Vec<u64>,
}

impl SyntheticLayouts {
    /// Synthesises fields. `needed` has the most references that an object of each class lists; a reference takes
    /// `width` bytes.
    pub(super) fn new(classes: &ClassIndex, needed: &[usize], width: u64) -> SyntheticLayouts {
        let hierarchy = Hierarchy::new(&classes.table, |class| classes.index(class));
        let count = classes.table.len();
        // By class, of its instances: fields that hold references, and bytes of all fields.
        let (mut references, mut bytes) = (vec![0_usize; count], vec![0_u64; count]);
        let mut own = vec![0; count];
        for &class in hierarchy.downward() {
            let above = hierarchy.superclass(class);
            let inherited = above.map_or(0, |above| references[above]);
            let declared = match &classes.table[class].fields {
                Some(fields) => {
                    references[class] =
                        inherited + fields.iter().filter(|field| field.kind == FieldType::Object).count();
                    fields.iter().map(|field| field_width(field.kind, width)).sum()
                }
                None => {
                    references[class] = inherited.max(needed.get(class).copied().unwrap_or_default());
                    own[class] = references[class] - inherited;
                    own[class] as u64 * width
                }
            };
            bytes[class] = above.map_or(0, |above| bytes[above]).saturating_add(declared);
        }
        let has_fields = |class: usize| {
            own[class] > 0 || classes.table[class].fields.as_ref().is_some_and(|fields| !fields.is_empty())
        };
        let with_fields = hierarchy.nearest(has_fields);
        SyntheticLayouts { own, with_fields, bytes }
    }

    /// The number of fields that were synthesised for a class.
    pub(super) fn synthesised_fields(&self, class: usize) -> u64 {
        self.own[class] as u64
    }

    /// Bytes of the values of one instance.
    pub(super) fn instance_bytes(&self, class: usize) -> u64 {
        self.bytes[class]
    }

    /// The fields that were synthesised for a class.
    pub(super) fn fields(&self, class: usize) -> Vec<Field> {
        (0..self.own[class]).map(|number| Field { name: synthetic_name(number), kind: FieldType::Object }).collect()
    }

    /// The values of an object that lists these references: in the order of its layout, the topmost class's first.
    pub(super) fn values(
        &self,
        classes: &ClassIndex,
        object: &Object,
        references: &[Address],
    ) -> Result<Vec<Value>, LowerError> {
        let mut chain = Vec::new();
        let mut next = object.class.and_then(|class| classes.index(class));
        while let Some(class) = next {
            count_step();
            chain.push(class);
            next = self.with_fields[class];
        }
        let mut left = references.iter().copied();
        let mut parts = Vec::with_capacity(chain.len());
        for &class in chain.iter().rev() {
            let synthetic = std::iter::repeat_n(FieldType::Object, self.own[class]);
            let known = classes.table[class].fields.iter().flatten().map(|field| field.kind);
            let value = |kind| match kind {
                FieldType::Object => Value::reference(left.next().unwrap_or_default()),
                FieldType::Primitive(kind) => Value::primitive(kind, 0),
            };
            parts.push(known.chain(synthetic).map(value).collect::<Vec<_>>());
        }
        if left.next().is_some() {
            return Err(LowerError::Unknown { what: "the field of a reference", address: object.address });
        }
        Ok(parts.into_iter().rev().flatten().collect())
    }
}

/// Bytes of a field's value.
fn field_width(kind: FieldType, width: u64) -> u64 {
    match kind {
        FieldType::Object => width,
        FieldType::Primitive(kind) => kind.size(),
    }
}

/// The place of a class in the table.
pub(super) fn class_place(classes: &ClassIndex, own: &ObjectClass) -> Option<usize> {
    match own {
        ObjectClass::At(address) => classes.index(*address),
        ObjectClass::Named(name) => classes.find_by_name(name).and_then(|class| classes.index(class.address)),
    }
}

/// The name of a field that was synthesised.
pub(super) fn synthetic_name(number: usize) -> Name {
    Name::from_text(&format!("reference{number}"))
}
