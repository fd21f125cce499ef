//! The canonical records of classes and objects.

use std::collections::HashMap;

use crate::compare::Facet;
use crate::model::{Address, Class, Contents, IdentityHash, Name, Object, ObjectKind};

use super::fields::{Parts, Record, Sink, Tag, value_length};
use super::selection::Selection;

/// What records need to know of the whole heap, and the room for references to be sorted in.
#[derive(Debug, Default)]
pub(super) struct Canonical {
    /// The name of the class at each address, where names are wanted.
    names: HashMap<Address, Name>,
    kept: Vec<Address>,
}

impl Canonical {
    pub(super) fn new(classes: &[Class], wanted: Selection) -> Canonical {
        let mut names: HashMap<Address, Name> = HashMap::new();
        if wanted.contains(Facet::ClassName) {
            for class in classes {
                // Of two classes at one address, the same one whichever comes first.
                let name = names.entry(class.address).or_insert_with(|| class.name.clone());
                if class.name < *name {
                    *name = class.name.clone();
                }
            }
        }
        Canonical { names, kept: Vec::new() }
    }

    /// Puts down the record of a class, and says which facets went in.
    pub(super) fn class<S: Sink>(&mut self, class: &Class, wanted: Selection, sink: &mut S) -> Selection {
        let mut record = Record::begin(sink, wanted, Tag::Entry, Some(class.address));
        let number = |address: Option<Address>| address.map(|address| address.0);
        let listed = class.references.as_deref();
        nulls(&mut record, listed);
        record.byte(Facet::Kind, b'c');
        record.bytes(Facet::ClassName, class.name.as_bytes());
        record.number(Facet::Superclass, number(class.superclass));
        if let Some(interfaces) = &class.interfaces {
            record.addresses(Facet::Interfaces, interfaces);
        }
        record.number(Facet::Loader, number(class.loader));
        record.number(Facet::Signers, number(class.signers));
        record.number(Facet::ProtectionDomain, number(class.protection_domain));
        record.number(Facet::InstanceSize, class.instance_size.map(|size| size.0));
        record.number(Facet::ClassObjectSize, class.class_object_size.map(|size| size.0));
        if let Some(fields) = &class.fields {
            record.measured(Facet::Fields, |sink| {
                for field in fields {
                    sink.name(&field.name);
                    sink.kind(field.kind);
                }
            });
        }
        if let Some(statics) = &class.statics {
            record.measured(Facet::Statics, |sink| {
                for entry in statics {
                    sink.name(&entry.name);
                    sink.value(&entry.value);
                }
            });
        }
        if let Some(pool) = &class.constant_pool {
            record.measured(Facet::ConstantPool, |sink| {
                for entry in pool {
                    sink.number(entry.index.into());
                    sink.value(&entry.value);
                }
            });
        }
        self.references(&mut record, Facet::ClassReferences, listed.map(|listed| listed.iter().copied()));
        record.number(Facet::ClassSerial, class.serial.map(|serial| serial.0.into()));
        record.number(Facet::ClassTrace, class.trace.map(|serial| serial.0.into()));
        hash(&mut record, class.hash);
        self.references(&mut record, Facet::ReferenceOrder, listed.map(|listed| listed.iter().copied()));
        record.told()
    }

    /// Puts down the record of an object, and says which facets went in.
    #[inline]
    pub(super) fn object<S: Sink>(&mut self, object: &Object, wanted: Selection, sink: &mut S) -> Selection {
        let mut record = Record::begin(sink, wanted, Tag::Entry, Some(object.address));
        let (is_object_array, listed) = match (object.kind, &object.contents) {
            (ObjectKind::Instance, Contents::References(listed)) => (false, Some(listed.as_slice())),
            (ObjectKind::ObjectArray, Contents::References(listed)) => (true, Some(listed.as_slice())),
            (kind, _) => (kind == ObjectKind::ObjectArray, None),
        };
        nulls(&mut record, listed);
        record.byte(Facet::Kind, kind(object.kind));
        if let Some(name) = self.class_name(object, wanted) {
            record.bytes(Facet::ClassName, name.as_bytes());
        }
        record.number(Facet::Class, object.class.map(|class| class.0));
        if is_object_array {
            record.number(Facet::ClassWord, object.class_word.map(|class| class.0));
        }
        record.number(Facet::ObjectSize, object.size.map(|size| size.0));
        if object.kind != ObjectKind::Instance {
            record.number(Facet::ArrayLength, object.length);
        }
        hash(&mut record, object.hash);
        let mut told_inside = false;
        match (object.kind, &object.contents) {
            (ObjectKind::Instance, Contents::Fields(values)) => {
                let length = 1 + values.iter().map(value_length).sum::<u64>();
                record.field(Facet::FieldValues, length, |sink| {
                    sink.put(b"v");
                    values.iter().for_each(|value| sink.value(value));
                });
                told_inside = record.wants(Facet::FieldValues);
            }
            (ObjectKind::Instance, Contents::Raw(bytes)) => {
                record.field(Facet::FieldValues, 1 + bytes.len() as u64, |sink| {
                    sink.put(b"r");
                    sink.put(bytes);
                });
            }
            (ObjectKind::ObjectArray, Contents::Elements(elements)) => {
                record.addresses(Facet::Elements, elements);
                told_inside = record.wants(Facet::Elements);
            }
            (ObjectKind::PrimitiveArray(_), Contents::Primitives(bytes)) => {
                record.bytes(Facet::PrimitiveContents, bytes);
            }
            _ => {}
        }
        // Field values and elements say all that references do.
        if !told_inside {
            let references = || tells_references(object).then(|| object.references());
            self.references(&mut record, Facet::References, references());
            self.references(&mut record, Facet::ReferenceOrder, references());
        }
        record.number(Facet::ObjectTrace, object.trace.map(|serial| serial.0.into()));
        record.told()
    }

    /// The name of an object's own class, unless `class` is wanted as well and the class there has that name.
    fn class_name<'n>(&'n self, object: &'n Object, wanted: Selection) -> Option<&'n Name> {
        if !wanted.contains(Facet::ClassName) {
            return None;
        }
        let by_class = wanted.contains(Facet::Class);
        let table = |class| self.names.get(&class);
        match &object.class_name {
            None if by_class => None,
            None => object.class.and_then(table),
            Some(name) if by_class => Some(name).filter(|name| object.class.and_then(table) != Some(name)),
            name => name.as_ref(),
        }
    }

    /// References without nulls: ascending, since they are a multiset, or in their own order.
    fn references<S: Sink>(
        &mut self,
        record: &mut Record<'_, S>,
        facet: Facet,
        references: Option<impl Iterator<Item = Address>>,
    ) {
        let Some(references) = references.filter(|_| record.wants(facet)) else { return };
        self.kept.clear();
        self.kept.extend(references.filter(|reference| !reference.is_null()));
        if facet != Facet::ReferenceOrder {
            self.kept.sort_unstable();
        }
        record.addresses(facet, &self.kept);
    }
}

/// How many of the listed references are null, if any is: most dumps list none.
#[inline]
fn nulls<S: Sink>(record: &mut Record<'_, S>, listed: Option<&[Address]>) {
    let nulls = listed.unwrap_or_default().iter().filter(|reference| reference.is_null()).count() as u64;
    record.number(Facet::NullReferences, Some(nulls).filter(|&nulls| nulls > 0));
}

/// No hash is no field: whether a heap keeps hashes for all objects or only for some is no fact of its own.
#[inline]
fn hash<S: Sink>(record: &mut Record<'_, S>, hash: Option<IdentityHash>) {
    match hash {
        None => {}
        Some(IdentityHash::Bits16(hash)) => record.number(Facet::Hash16, Some(hash.into())),
        Some(IdentityHash::Bits32(hash)) => record.number(Facet::Hash32, Some(hash.into())),
    }
}

fn tells_references(object: &Object) -> bool {
    matches!(
        (object.kind, &object.contents),
        (ObjectKind::Instance, Contents::References(_) | Contents::Fields(_))
            | (ObjectKind::ObjectArray, Contents::References(_) | Contents::Elements(_))
    )
}

const fn kind(kind: ObjectKind) -> u8 {
    match kind {
        ObjectKind::Instance => b'L',
        ObjectKind::ObjectArray => b'[',
        ObjectKind::PrimitiveArray(element) => element.signature() as u8,
    }
}
