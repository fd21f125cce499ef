//! The class table: what every JVM has, and random classes on top.

use crate::model::{
    Address, ByteLen, Class, Field, FieldType, HashRegime, IdentityHash, Name, PrimitiveType, Static, Value, WordSize,
};

use super::addresses::Ground;
use super::options::GenerateOptions;
use crate::draw::Draw;

/// Classes with their addresses, before their statics are known.
#[derive(Debug)]
pub(super) struct Classes {
    pub(super) planned: Vec<Planned>,
    word: WordSize,
}

/// A class that was decided on.
#[derive(Debug)]
pub(super) struct Planned {
    pub(super) address: Address,
    pub(super) name: String,
    pub(super) superclass: Option<usize>,
    pub(super) interfaces: Vec<usize>,
    pub(super) fields: Vec<FieldType>,
    pub(super) role: Role,
    /// Which of the class loaders defined it; `None` is the boot loader.
    pub(super) loader: Option<usize>,
}

/// What a class can be used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// Has instances.
    Plain,
    /// An interface or the class of a primitive type: no instances.
    Bodiless,
    /// Class of primitive arrays.
    PrimitiveArray(PrimitiveType),
    /// Class of object arrays.
    ObjectArray,
}

/// Index of `java/lang/Object` in every plan.
const OBJECT: usize = 0;
/// Number of class-loader objects, the first objects of every heap that is large enough.
pub(super) const LOADERS: usize = 2;

impl Classes {
    pub(super) fn plan(options: &GenerateOptions, ground: &mut Ground, draw: &mut dyn Draw) -> Classes {
        let mut classes = Classes { planned: Vec::new(), word: options.word };
        let mut add = |classes: &mut Classes, draw: &mut dyn Draw, name: &str, superclass, role, fields| {
            let address = ground.allot(64, draw);
            // The same number of draws, whatever the names.
            let latin1 = |c: char| if options.latin1_names && u32::from(c) > 0xff { 'x' } else { c };
            let planned = Planned {
                address,
                name: name.chars().map(latin1).collect(),
                superclass,
                interfaces: Vec::new(),
                fields,
                role,
                loader: None,
            };
            classes.planned.push(planned);
        };

        add(&mut classes, draw, "java/lang/Object", None, Role::Plain, Vec::new());
        for name in ["boolean", "char", "float", "double", "byte", "short", "int", "long", "void"] {
            add(&mut classes, draw, name, None, Role::Bodiless, Vec::new());
        }
        for element in PrimitiveType::ALL {
            let name = format!("[{}", element.signature());
            add(&mut classes, draw, &name, Some(OBJECT), Role::PrimitiveArray(element), Vec::new());
        }
        let text = vec![FieldType::Object, FieldType::Primitive(PrimitiveType::Int)];
        add(&mut classes, draw, "java/lang/String", Some(OBJECT), Role::Plain, text);
        add(&mut classes, draw, "java/lang/Thread", Some(OBJECT), Role::Plain, vec![FieldType::Object]);
        add(&mut classes, draw, "java/lang/ClassLoader", Some(OBJECT), Role::Plain, vec![FieldType::Object; 2]);
        add(&mut classes, draw, "java/lang/Runnable", Some(OBJECT), Role::Bodiless, Vec::new());
        for name in ["[Ljava/lang/Object;", "[Ljava/lang/String;", "[[I", "[[Ljava/lang/Object;"] {
            add(&mut classes, draw, name, Some(OBJECT), Role::ObjectArray, Vec::new());
        }
        let every_type = PrimitiveType::ALL.into_iter().map(FieldType::Primitive).collect();
        add(&mut classes, draw, "pkg/EveryType", Some(OBJECT), Role::Plain, every_type);
        let runnable = classes.named("java/lang/Runnable");
        for index in 0..draw.between(4, 12) {
            let name = class_name(index, draw);
            let plain: Vec<usize> =
                classes.planned.iter().enumerate().filter(|(_, c)| c.role == Role::Plain).map(|(i, _)| i).collect();
            let superclass = if draw.one_in(2) { *draw.pick(&plain) } else { OBJECT };
            let fields = field_types(draw);
            add(&mut classes, draw, &name, Some(superclass), Role::Plain, fields);
            if let Some(class) = classes.planned.last_mut() {
                class.loader = draw.one_in(2).then(|| draw.below(LOADERS as u64) as usize);
                if draw.one_in(3) {
                    class.interfaces.push(runnable);
                }
            }
            if draw.one_in(3) {
                let loader = classes.planned.last().and_then(|c| c.loader);
                add(&mut classes, draw, &format!("[L{name};"), Some(OBJECT), Role::ObjectArray, Vec::new());
                if let Some(class) = classes.planned.last_mut() {
                    class.loader = loader;
                }
            }
        }
        classes
    }

    /// The indexes of the classes with this role.
    pub(super) fn of(&self, wanted: impl Fn(Role) -> bool) -> Vec<usize> {
        (0..self.planned.len()).filter(|&index| wanted(self.planned[index].role)).collect()
    }

    /// The index of a class that every plan has.
    pub(super) fn named(&self, name: &str) -> usize {
        self.planned.iter().position(|c| c.name == name).unwrap_or(OBJECT)
    }

    /// Field types of an instance: the class's own fields first, then its superclasses'.
    pub(super) fn layout(&self, class: usize) -> Vec<FieldType> {
        let mut types = Vec::new();
        let mut next = Some(class);
        while let Some(index) = next {
            types.extend(&self.planned[index].fields);
            next = self.planned[index].superclass;
        }
        types
    }

    /// Size of an instance in bytes: header and fields, a multiple of 8.
    pub(super) fn instance_size(&self, class: usize) -> u64 {
        let word = self.word.bytes() as u64;
        let fields = self.layout(class).into_iter().map(|field| match field {
            FieldType::Object => word,
            FieldType::Primitive(kind) => kind.size(),
        });
        (word + fields.sum::<u64>()).next_multiple_of(8)
    }

    /// The finished table. Statics refer to objects and classes.
    pub(super) fn table(&self, objects: &[Address], options: &GenerateOptions, draw: &mut dyn Draw) -> Vec<Class> {
        (0..self.planned.len()).map(|index| self.class(index, objects, options, draw)).collect()
    }

    fn class(&self, index: usize, objects: &[Address], options: &GenerateOptions, draw: &mut dyn Draw) -> Class {
        let planned = &self.planned[index];
        let address_of = |index: usize| self.planned[index].address;
        let statics = (0..draw.below(5)).map(|n| {
            let value = match draw.below(4) {
                0 => Value::reference(Address::NULL),
                1 => Value::reference(address_of(draw.below(self.planned.len() as u64) as usize)),
                2 => Value::primitive(*draw.pick(&PrimitiveType::ALL), draw.u64()),
                _ => Value::reference(
                    objects.get(draw.below(objects.len() as u64) as usize).copied().unwrap_or_default(),
                ),
            };
            Static { name: Name::from_text(&format!("s{n}")), value }
        });
        let statics = statics.collect();
        let loader = planned.loader.and_then(|loader| objects.get(loader)).copied();
        Class {
            address: planned.address,
            name: Name::from_text(&planned.name),
            superclass: Some(planned.superclass.map(address_of).unwrap_or_default()),
            interfaces: Some(planned.interfaces.iter().map(|&index| address_of(index)).collect()),
            loader: Some(loader.unwrap_or_default()),
            signers: Some(Address::NULL),
            protection_domain: Some(Address::NULL),
            instance_size: Some(ByteLen(self.instance_size(index))),
            class_object_size: Some(ByteLen(64)),
            hash: hash(options.hashes, draw),
            references: None,
            statics: Some(statics),
            constant_pool: Some(Vec::new()),
            fields: Some(
                planned
                    .fields
                    .iter()
                    .enumerate()
                    .map(|(n, &kind)| Field { name: Name::from_text(&field_name(&planned.name, n)), kind })
                    .collect(),
            ),
            serial: None,
            trace: None,
            after_objects: None,
        }
    }
}

/// An identity hash, where the regime and the draw ask for one. Never 0, which writers drop.
pub(super) fn hash(regime: HashRegime, draw: &mut dyn Draw) -> Option<IdentityHash> {
    match regime {
        HashRegime::Every16 => Some(IdentityHash::Bits16(draw.between(1, 0x7fff) as u16)),
        HashRegime::WhereUsed32 => {
            draw.one_in(6).then(|| IdentityHash::Bits32(draw.between(1, u64::from(u32::MAX)) as u32))
        }
    }
}

/// Strings have the names that readers look for; others are the same in every class, so subclasses shadow them.
fn field_name(class: &str, index: usize) -> String {
    match (class, index) {
        ("java/lang/String", 0) => "value".to_owned(),
        ("java/lang/String", _) => "hash".to_owned(),
        _ => format!("f{index}"),
    }
}

fn class_name(index: u64, draw: &mut dyn Draw) -> String {
    match draw.below(8) {
        0 => format!("pkg/\u{dc}n\u{131}{index}"),
        1 => format!("pkg/Outer$Inner{index}"),
        2 => format!("pkg/Outer$$Lambda$14+0x00007f6d9c00{index:04x}"),
        3 => format!("pkg/\u{1f600}{index}"),
        4 => format!("pkg/Nul\u{0}{index}"),
        // The same name again, under another loader.
        5 => "pkg/Twin".to_owned(),
        _ => format!("pkg/sub/Class{index}"),
    }
}

fn field_types(draw: &mut dyn Draw) -> Vec<FieldType> {
    let count = if draw.one_in(6) { draw.between(8, 16) } else { draw.below(6) };
    (0..count)
        .map(|_| if draw.one_in(3) { FieldType::Primitive(*draw.pick(&PrimitiveType::ALL)) } else { FieldType::Object })
        .collect()
}
