//! Synthetic fields for classes whose format only lists references.
//!
//! Objects of one class list different numbers of references, and a class inherits the fields of its superclass. So a
//! class declares as many as its objects need beyond those that it inherits; what an object does not need is null.

use crate::error::LowerError;
use crate::model::{Address, Field, FieldType, Name, Object, Value};

use super::classes::Classes;

/// The fields of every class, synthetic where they are not known.
#[derive(Debug, Default)]
pub(super) struct Layouts {
    /// By class: own fields that were made up.
    own: Vec<usize>,
}

impl Layouts {
    /// `needed` has for each class of the table the most references that one of its objects lists.
    pub(super) fn new(classes: &Classes, needed: &[usize]) -> Layouts {
        let count = classes.table.len();
        let mut totals: Vec<Option<usize>> = vec![None; count];
        let mut layouts = Layouts { own: vec![0; count] };
        for class in 0..count {
            // From the topmost class whose fields are not counted yet down to this one.
            let mut chain = vec![class];
            while let Some(next) = superclass(classes, chain[chain.len() - 1]).filter(|next| !chain.contains(next)) {
                if totals[next].is_some() {
                    break;
                }
                chain.push(next);
            }
            for &at in chain.iter().rev() {
                let inherited = superclass(classes, at).and_then(|above| totals[above]).unwrap_or_default();
                let total = match &classes.table[at].fields {
                    Some(fields) => inherited + fields.iter().filter(|field| field.kind == FieldType::Object).count(),
                    None => inherited.max(needed.get(at).copied().unwrap_or_default()),
                };
                if classes.table[at].fields.is_none() {
                    layouts.own[at] = total - inherited;
                }
                totals[at] = Some(total);
            }
        }
        layouts
    }

    /// The fields that were made up for a class.
    pub(super) fn fields(&self, class: usize) -> Vec<Field> {
        (0..self.own[class]).map(|number| Field { name: synthetic(number), kind: FieldType::Object }).collect()
    }

    /// The values of an object that lists these references: in the order of its layout, the topmost class's first.
    pub(super) fn values(
        &self,
        classes: &Classes,
        object: &Object,
        references: &[Address],
    ) -> Result<Vec<Value>, LowerError> {
        let mut chain = Vec::new();
        let mut next = object.class.and_then(|class| classes.index(class));
        while let Some(class) = next.filter(|class| !chain.contains(class)) {
            chain.push(class);
            next = superclass(classes, class);
        }
        let mut left = references.iter().copied();
        let mut parts = Vec::with_capacity(chain.len());
        for &class in chain.iter().rev() {
            let synthetic = vec![FieldType::Object; self.own[class]];
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

fn superclass(classes: &Classes, class: usize) -> Option<usize> {
    classes.index(classes.table[class].superclass?)
}

/// The name of a field that was made up.
pub(super) fn synthetic(number: usize) -> Name {
    Name::from_text(&format!("reference{number}"))
}
