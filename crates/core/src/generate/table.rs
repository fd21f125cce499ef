//! The class table of a heap: the planned classes with their statics, which refer to objects and classes.

use crate::draw::Draw;
use crate::model::{Address, ByteLen, Class, FieldType, Name, PrimitiveType, Static, Value};

use super::classes::{ClassPlan, ClassRole, OBJECT};
use super::oddity::Oddity;
use super::options::{GenerateOptions, Naming};
use super::plan::ObjectPlan;
use super::program;
use super::values::{draw_hash, random_value};

impl ClassPlan {
    /// The finished class table. Statics refer to objects and classes.
    pub(super) fn finished_classes(
        &self,
        plan: &ObjectPlan,
        options: &GenerateOptions,
        draw: &mut dyn Draw,
    ) -> Vec<Class> {
        let array = plan.any_array(self).unwrap_or_default();
        (0..self.planned.len()).map(|index| self.finished_class(index, array, plan, options, draw)).collect()
    }

    /// A finished class. `array` is the target of its resolved references, where it has them.
    fn finished_class(
        &self,
        index: usize,
        array: Address,
        plan: &ObjectPlan,
        options: &GenerateOptions,
        draw: &mut dyn Draw,
    ) -> Class {
        let (planned, objects) = (&self.planned[index], &plan.addresses);
        let address_of = |index: usize| self.planned[index].address;
        let library = planned.statics.iter().map(|(field, bits)| Static {
            name: field.name.clone(),
            value: match field.kind {
                FieldType::Object => Value::reference(Address::NULL),
                FieldType::Primitive(kind) => Value::primitive(kind, *bits),
            },
        });
        // Arrays have none, and those of the library are known.
        let count = if planned.role == ClassRole::Plain && index != OBJECT { options.statics.draw(draw) } else { 0 };
        let is_program = options.names == Naming::Program;
        let own = (0..count).map(|n| {
            let value = match draw.below(4) {
                0 => Value::reference(Address::NULL),
                1 => Value::reference(address_of(draw.below(self.planned.len() as u64) as usize)),
                2 => random_value(*draw.pick(&PrimitiveType::ALL), options.oddities, draw),
                _ => Value::reference(
                    objects.get(draw.below(objects.len() as u64) as usize).copied().unwrap_or_default(),
                ),
            };
            let name = if is_program { program::static_name(n) } else { format!("s{n}") };
            Static { name: Name::from_text(&name), value }
        });
        let mut statics: Vec<Static> = library.chain(own).collect();
        if matches!(planned.role, ClassRole::Plain | ClassRole::Library | ClassRole::Bodiless)
            && planned.superclass.is_some()
            && options.resolved_references.draw(draw)
        {
            let value = Value::reference(array);
            statics.push(Static { name: Name::from_text("<resolved_references>"), value });
        }
        let has_loaders = !options.oddities.has(Oddity::NoLibraryObjects);
        let loader = planned.loader.filter(|_| has_loaders).and_then(|loader| objects.get(loader)).copied();
        let is_zero = options.oddities.has(Oddity::ZeroSizes) && draw.one_in(2);
        Class {
            address: planned.address,
            name: Name::from_text(&planned.name),
            superclass: Some(planned.superclass.map(address_of).unwrap_or_default()),
            interfaces: Some(planned.interfaces.iter().map(|&index| address_of(index)).collect()),
            loader: Some(loader.unwrap_or_default()),
            signers: Some(Address::NULL),
            protection_domain: Some(Address::NULL),
            instance_size: Some(ByteLen(if is_zero { 0 } else { self.instance_size(index) })),
            class_object_size: Some(ByteLen(64)),
            hash: draw_hash(options, draw),
            references: None,
            statics: Some(statics),
            constant_pool: Some(Vec::new()),
            fields: Some(planned.fields.clone()),
            serial: None,
            trace: None,
            after_objects: None,
        }
    }
}
