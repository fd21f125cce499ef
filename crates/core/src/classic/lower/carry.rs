//! The facts of a heap that a profile's dump records: model to model, no spelling.

use foldhash::{HashMap, HashMapExt};

use crate::error::{Error, LowerError};
use crate::lower::ClassPlacement;
use crate::model::{
    Address, ByteLen, Class, Contents, FieldType, Hierarchy, Name, Object, ObjectKind, Pieces, PiecewiseContents,
    PrimitiveType, WordSize, array_size,
};

use super::LowerOptions;
use super::profiles::{ClassReferences, NullSpelling, Profile};

/// Carries one heap's classes and objects for one profile.
pub(super) struct Carrier<'c> {
    classes: &'c [Class],
    by_address: HashMap<Address, usize>,
    hierarchy: Hierarchy,
    /// By class; those that the heap does not know are worked out from the fields.
    instance_sizes: Vec<Option<ByteLen>>,
    /// Bytes of a word.
    word: u64,
    by_name: HashMap<&'c Name, Vec<usize>>,
    profile: &'static Profile,
    order: ClassPlacement,
}

/// The facts that a record holds.
pub(super) struct CarriedEntry {
    pub(super) address: Address,
    pub(super) size: ByteLen,
    pub(super) name: Name,
    /// All references that are listed, a class block included.
    pub(super) references: CarriedReferences,
    /// Null references that are not.
    pub(super) dropped: u64,
}

/// References that are listed.
#[derive(Clone)]
pub(super) enum CarriedReferences {
    Held(Vec<Address>),
    /// Too many to be held.
    Long(Pieces<Address>),
}

impl CarriedReferences {
    /// The references that are held.
    pub(super) fn held(&self) -> &[Address] {
        match self {
            CarriedReferences::Held(listed) => listed,
            CarriedReferences::Long(_) => &[],
        }
    }

    /// The references as the contents of an object or class in memory.
    pub(super) fn hold(&self) -> Result<Vec<Address>, Error> {
        match self {
            CarriedReferences::Held(listed) => Ok(listed.clone()),
            CarriedReferences::Long(listed) => listed.collect(),
        }
    }

    /// The number of references, and of those that are null.
    pub(super) fn count(&self) -> Result<(u64, u64), Error> {
        Ok(match self {
            CarriedReferences::Held(listed) => {
                (listed.len() as u64, listed.iter().filter(|reference| reference.is_null()).count() as u64)
            }
            CarriedReferences::Long(listed) => (listed.count(), listed.nulls()?),
        })
    }
}

impl<'c> Carrier<'c> {
    pub(super) fn new(classes: &'c [Class], word: WordSize, options: &LowerOptions) -> Carrier<'c> {
        let mut by_name: HashMap<&Name, Vec<usize>> = HashMap::new();
        for (index, class) in classes.iter().enumerate() {
            by_name.entry(&class.name).or_default().push(index);
        }
        let by_address: HashMap<_, _> =
            classes.iter().enumerate().map(|(index, class)| (class.address, index)).collect();
        let hierarchy = Hierarchy::new(classes, |class| by_address.get(&class).copied());
        let word = word.bytes() as u64;
        Carrier {
            classes,
            instance_sizes: hierarchy.instance_sizes(classes, word),
            hierarchy,
            word,
            by_address,
            by_name,
            profile: options.profile,
            order: options.profile.order(options),
        }
    }

    /// The classes by their place in the dump; those of one place keep the table's order.
    pub(super) fn class_order(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.classes.len()).collect();
        order.sort_by_key(|&index| self.stands_after(index));
        order
    }

    /// The number of objects before a class.
    pub(super) fn stands_after(&self, index: usize) -> u64 {
        self.order.place(self.classes[index].after_objects)
    }

    /// The facts in the record of the class at this place.
    pub(super) fn class(&self, index: usize) -> Result<CarriedEntry, LowerError> {
        let class = &self.classes[index];
        let mut references = match &class.references {
            Some(listed) => listed.clone(),
            None if class.statics.is_none() => {
                return Err(LowerError::Unknown { what: "what it refers to", address: class.address });
            }
            None => self.class_references(index),
        };
        if self.profile.class_references == ClassReferences::BlocksFirst && self.order != ClassPlacement::AsHeap {
            references.sort_by_key(|reference| !self.by_address.contains_key(reference));
        }
        let dropped = self.drop_nulls(&mut references);
        Ok(CarriedEntry {
            address: class.address,
            size: checked_size(class.class_object_size, class.address)?,
            name: class.name.clone(),
            references: CarriedReferences::Held(references),
            dropped,
        })
    }

    pub(super) fn object(&self, object: &Object) -> Result<CarriedEntry, Error> {
        let class = object.class.or(object.class_word.filter(|_| object.kind == ObjectKind::Instance));
        let name = match (&object.class_name, class.and_then(|class| self.class_at(class))) {
            (Some(name), _) => name.clone(),
            (None, Some(class)) => class.name.clone(),
            (None, None) => self.array_name(object)?,
        };
        let mut references = match &object.contents {
            Contents::Fields(_) => {
                let place = object.class.and_then(|class| self.by_address.get(&class)).copied();
                CarriedReferences::Held(self.hierarchy.layout_order(self.classes, place, object))
            }
            Contents::Elements(elements) if self.profile.reverses_elements => {
                CarriedReferences::Held(elements.iter().rev().copied().collect())
            }
            Contents::References(listed) | Contents::Elements(listed) => CarriedReferences::Held(listed.clone()),
            Contents::Long(PiecewiseContents::Elements(elements)) if self.profile.reverses_elements => {
                CarriedReferences::Long(elements.reversed())
            }
            Contents::Long(PiecewiseContents::References(listed) | PiecewiseContents::Elements(listed)) => {
                CarriedReferences::Long(listed.clone())
            }
            Contents::Primitives(_) | Contents::Long(PiecewiseContents::Primitives(_)) => {
                CarriedReferences::Held(Vec::new())
            }
            Contents::Unknown if matches!(object.kind, ObjectKind::PrimitiveArray(_)) => {
                CarriedReferences::Held(Vec::new())
            }
            Contents::Raw(_) | Contents::Long(PiecewiseContents::Raw(_)) | Contents::Unknown => {
                return Err(LowerError::Unknown { what: "what it refers to", address: object.address }.into());
            }
        };
        let dropped = match &mut references {
            CarriedReferences::Held(references) => self.drop_nulls(references),
            CarriedReferences::Long(references) if self.profile.nulls == NullSpelling::Counted => {
                let all = references.count();
                *references = references.without_nulls()?;
                all - references.count()
            }
            CarriedReferences::Long(_) => 0,
        };
        if self.profile.class_blocks {
            let named = self.by_name.get(&name).and_then(|found| found.first());
            let block = class.or(named.map(|&index| self.classes[index].address));
            let block = known(block, "the class", object.address)?;
            match &mut references {
                CarriedReferences::Held(references) => references.insert(0, block),
                CarriedReferences::Long(references) => {
                    *references = Pieces::from(vec![block]).followed_by(references.clone())
                }
            }
        }
        let size = object.size.or_else(|| self.worked_out_size(object, class));
        Ok(CarriedEntry {
            address: object.address,
            size: checked_size(size, object.address)?,
            name,
            references,
            dropped,
        })
    }

    /// The size of an object whose own is unknown: that of its class's instances, or of its elements with a header.
    fn worked_out_size(&self, object: &Object, class: Option<Address>) -> Option<ByteLen> {
        let element = match object.kind {
            ObjectKind::Instance => return self.instance_sizes[*self.by_address.get(&class?)?],
            ObjectKind::ObjectArray => self.word,
            ObjectKind::PrimitiveArray(element) => element.size(),
        };
        Some(ByteLen(array_size(object.length?.saturating_mul(element), self.word)))
    }

    fn drop_nulls(&self, references: &mut Vec<Address>) -> u64 {
        if self.profile.nulls != NullSpelling::Counted {
            return 0;
        }
        let all = references.len();
        references.retain(|reference| !reference.is_null());
        (all - references.len()) as u64
    }

    /// References of a class record, from what the model knows of the class.
    fn class_references(&self, index: usize) -> Vec<Address> {
        let class = &self.classes[index];
        let known = |reference: &Address| !reference.is_null();
        let statics = class.statics.iter().flatten().filter_map(|s| s.value.as_reference());
        let loader = class.loader.into_iter().filter(known);
        let supers = || self.hierarchy.superclasses(index).into_iter();
        match self.profile.class_references {
            ClassReferences::SlotsFirst => self.slots(class).into_iter().chain(statics).collect(),
            ClassReferences::BlocksFirst => {
                let interfaces = class.interfaces.iter().flatten().copied();
                supers().chain(interfaces).chain(statics).chain(loader).collect()
            }
            ClassReferences::All => {
                let domain = class.protection_domain.into_iter().filter(known);
                let pool = class.constant_pool.iter().flatten().filter_map(|p| p.value.as_reference()).filter(known);
                statics.chain(domain).chain(pool).chain(supers()).chain(loader).collect()
            }
        }
    }

    /// The reference slots of a class object, as the heap's `java/lang/Class` declares them: a class's loader and protection
    /// domain are known, and the others are null. Where none is declared for it, the loader comes first.
    fn slots(&self, class: &Class) -> Vec<Address> {
        let of_class = self.by_name.get(&Name::from_text("java/lang/Class")).into_iter().flatten();
        let fields =
            of_class.filter_map(|&index| self.classes[index].fields.as_ref()).find(|fields| !fields.is_empty());
        let slots = fields.into_iter().flatten().filter(|field| field.kind == FieldType::Object);
        let loader = class.loader.unwrap_or_default();
        let mut has_loader = false;
        let mut slots: Vec<Address> = slots
            .map(|field| match field.name.as_bytes() {
                b"classLoader" => {
                    has_loader = true;
                    loader
                }
                b"protectionDomain" => class.protection_domain.unwrap_or_default(),
                _ => Address::NULL,
            })
            .collect();
        if !has_loader {
            slots.insert(0, loader);
        }
        slots
    }

    /// The type of an array whose record names its component at most (PHD).
    fn array_name(&self, object: &Object) -> Result<Name, LowerError> {
        if let ObjectKind::PrimitiveArray(element) = object.kind {
            return Ok(Name::from_text(&format!("[{}", element.signature())));
        }
        let word = object.class_word.filter(|_| object.kind == ObjectKind::ObjectArray);
        let component = known(word.and_then(|word| self.class_at(word)), "the class", object.address)?;
        let name = component.name.as_bytes();
        let primitive = PrimitiveType::ALL.into_iter().find(|p| p.keyword().as_bytes() == name);
        Ok(Name::from_bytes(match primitive {
            // int[][] in version 4, whose class word names the innermost component.
            Some(primitive) => vec![b'[', b'[', primitive.signature() as u8],
            None if name.starts_with(b"[") => [b"[", name].concat(),
            None => [b"[L", name, b";"].concat(),
        }))
    }

    fn class_at(&self, address: Address) -> Option<&'c Class> {
        self.by_address.get(&address).map(|&index| &self.classes[index])
    }
}

fn known<T>(fact: Option<T>, what: &'static str, address: Address) -> Result<T, LowerError> {
    fact.ok_or(LowerError::Unknown { what, address })
}

/// A size that a reader's signed number of 64 bits holds.
fn checked_size(size: Option<ByteLen>, address: Address) -> Result<ByteLen, LowerError> {
    let (what, limit) = ("the size", i64::MAX as u64);
    match known(size, what, address)? {
        ByteLen(value) if value > limit => Err(LowerError::OutOfRange { what, address, value, limit }),
        size => Ok(size),
    }
}
