//! Classes and objects.

use crate::model::{Address, Class, Contents, IdentityHash, Name, Object, ObjectKind, Value};

use super::super::carriage::Carriage;
use super::super::facet::Facet;
use super::super::listing::{FieldEntry, PoolItem, StaticEntry};
use super::{Diff, HeapSide as Side, show};

impl Diff<'_> {
    pub(super) fn class(&mut self, at: Address, l: &Class, r: &Class) {
        let at = Some(at);
        self.fact(Facet::ClassName, at, Some(&l.name), Some(&r.name), |n: &&Name| n.to_string());
        for (facet, l, r) in [
            (Facet::Superclass, l.superclass, r.superclass),
            (Facet::Loader, l.loader, r.loader),
            (Facet::Signers, l.signers, r.signers),
            (Facet::ProtectionDomain, l.protection_domain, r.protection_domain),
        ] {
            self.fact(facet, at, l, r, Address::to_string);
        }
        let interface = ("interface", Address::to_string);
        self.sequence(Facet::Interfaces, at, l.interfaces.as_deref(), r.interfaces.as_deref(), interface);
        self.fact(Facet::InstanceSize, at, l.instance_size, r.instance_size, |s| s.to_string());
        self.fact(Facet::ClassObjectSize, at, l.class_object_size, r.class_object_size, |s| s.to_string());
        let field = ("field", |field: &_| show::line(&FieldEntry::from(field)));
        self.sequence(Facet::Fields, at, l.fields.as_deref(), r.fields.as_deref(), field);
        let entry = ("static field", |entry: &_| show::line(&StaticEntry::from(entry)));
        self.sequence(Facet::Statics, at, l.statics.as_deref(), r.statics.as_deref(), entry);
        let entry = ("entry", |entry: &_| show::line(&PoolItem::from(entry)));
        self.sequence(Facet::ConstantPool, at, l.constant_pool.as_deref(), r.constant_pool.as_deref(), entry);
        self.fact(Facet::ClassSerial, at, l.serial, r.serial, |serial| serial.0.to_string());
        self.fact(Facet::ClassTrace, at, l.trace, r.trace, |serial| serial.0.to_string());
        self.hash(at, l.hash, r.hash);
        self.references(Facet::ClassReferences, at, l.references.clone(), r.references.clone());
    }

    pub(super) fn object(&mut self, at: Address, l: &Object, r: &Object) {
        let at = Some(at);
        let is_array = l.kind != ObjectKind::Instance;
        if !is_array || l.class.or(r.class).is_some() {
            self.fact(Facet::Class, at, l.class, r.class, Address::to_string);
        }
        // The class word of an instance is its class.
        if l.kind == ObjectKind::ObjectArray {
            self.fact(Facet::ClassWord, at, l.class_word, r.class_word, Address::to_string);
        }
        if is_array {
            self.fact(Facet::ArrayLength, at, l.length, r.length, u64::to_string);
        }
        if is_array || l.size.or(r.size).is_some() {
            self.fact(Facet::ObjectSize, at, l.size, r.size, |s| s.to_string());
        }
        // Where a record names the class, the other side's table of classes does as well.
        if l.class_name.is_some() || r.class_name.is_some() {
            let names = [self.left.class_name(l).cloned(), self.right.class_name(r).cloned()];
            let [l, r] = names;
            self.fact(Facet::ClassName, at, l, r, Name::to_string);
        }
        self.hash(at, l.hash, r.hash);
        self.fact(Facet::ObjectTrace, at, l.trace, r.trace, |serial| serial.0.to_string());
        let compared = match l.kind {
            ObjectKind::Instance => self.field_values(at, l, r),
            ObjectKind::ObjectArray => self.elements(at, l, r),
            ObjectKind::PrimitiveArray(element) => self.primitive_contents(at, element.size() as usize, l, r),
        };
        if !compared && !matches!(l.kind, ObjectKind::PrimitiveArray(_)) {
            self.references(Facet::References, at, references(l), references(r));
        }
    }

    /// A hash of 32 bits is the one fact whose absence says something, in a heap that tells such hashes at all: the
    /// object was never asked for it.
    fn hash(&mut self, at: Option<Address>, l: Option<IdentityHash>, r: Option<IdentityHash>) {
        let bits16 = |hash| match hash {
            Some(IdentityHash::Bits16(bits)) => Some(bits),
            _ => None,
        };
        let bits32 = |side: &Side, hash| match hash {
            Some(IdentityHash::Bits32(bits)) => Some(Some(bits)),
            None if side.habits.hashes => Some(None),
            _ => None,
        };
        self.fact(Facet::Hash16, at, bits16(l), bits16(r), |bits| format!("{bits:#06x}"));
        let (l, r) = (bits32(&self.left, l), bits32(&self.right, r));
        self.fact(Facet::Hash32, at, l, r, |hash| hash.map_or("no hash".to_owned(), |bits| format!("{bits:#010x}")));
    }

    /// Field values, or the bytes of those without a layout; whether they were compared.
    fn field_values(&mut self, at: Option<Address>, l: &Object, r: &Object) -> bool {
        let Some((l, r)) = self.both(Facet::FieldValues, inside(l), inside(r)) else { return false };
        let values = |values: &[Value]| format!("{} values", values.len());
        let bytes = |bytes: &[u8]| format!("{} bytes that no class lays out", bytes.len());
        if l != r {
            self.differs(Facet::FieldValues, at, || match (&l, &r) {
                (Inside::Values(l), Inside::Values(r)) => show::first_difference(l, r, "value", show::value),
                (Inside::Bytes(l), Inside::Bytes(r)) => show::first_difference(l, r, "byte", |b| format!("{b:#04x}")),
                (Inside::Values(l), Inside::Bytes(r)) => (values(l), bytes(r)),
                (Inside::Bytes(l), Inside::Values(r)) => (bytes(l), values(r)),
            });
        }
        true
    }

    /// Elements of an object array; whether they were compared.
    fn elements(&mut self, at: Option<Address>, l: &Object, r: &Object) -> bool {
        let Some((l, r)) = self.both(Facet::Elements, elements(l), elements(r)) else { return false };
        if l != r {
            self.differs(Facet::Elements, at, || show::first_difference(l, r, "element", Address::to_string));
        }
        true
    }

    /// Elements of a primitive array; whether they were compared.
    fn primitive_contents(&mut self, at: Option<Address>, size: usize, l: &Object, r: &Object) -> bool {
        let facet = Facet::PrimitiveContents;
        let Some((l, r)) = self.both(facet, primitives(l), primitives(r)) else { return false };
        if l != r {
            self.differs(facet, at, || {
                let [l, r]: [Vec<&[u8]>; 2] = [l, r].map(|bytes| bytes.chunks(size).collect());
                let hex = |bytes: &&[u8]| bytes.iter().fold("0x".to_owned(), |text, b| text + &format!("{b:02x}"));
                show::first_difference(&l, &r, "element", hex)
            });
        }
        true
    }

    fn references(&mut self, facet: Facet, at: Option<Address>, l: Option<Vec<Address>>, r: Option<Vec<Address>>) {
        let sorted = |references: &Vec<Address>| {
            let mut sorted = references.clone();
            sorted.sort_unstable();
            sorted
        };
        let show = |references: &Vec<Address>| show::references(references);
        let (mut l, mut r) = (l, r);
        if self.carried.is_some_and(|column| column.carriage(Facet::NullReferences) == Carriage::None) {
            // Objects that a dump pads with nulls, or takes them from, have the same references.
            [&mut l, &mut r].into_iter().flatten().for_each(|listed| listed.retain(|reference| !reference.is_null()));
        }
        let lists = |side: &Side, listed: &Option<Vec<Address>>| {
            side.habits.nulls || listed.iter().flatten().any(|reference| reference.is_null())
        };
        let (left_lists, right_lists) = (lists(&self.left, &l), lists(&self.right, &r));
        if left_lists != right_lists
            && let (Some(l), Some(r)) = (&mut l, &mut r)
        {
            // Only one of the two dumps lists null references.
            let count = |lists: bool, listed: &[Address]| {
                lists.then(|| listed.iter().filter(|reference| reference.is_null()).count())
            };
            let nulls = (count(left_lists, l), count(right_lists, r));
            if nulls.0.or(nulls.1) != Some(0) {
                self.fact(Facet::NullReferences, at, nulls.0, nulls.1, usize::to_string);
            }
            [l, r].into_iter().for_each(|listed| listed.retain(|reference| !reference.is_null()));
        }
        let (ls, rs) = (l.as_ref().map(sorted), r.as_ref().map(sorted));
        let same = ls == rs;
        self.fact(facet, at, ls, rs, show);
        if same {
            self.fact(Facet::ReferenceOrder, at, l, r, show);
        }
    }
}

fn references(object: &Object) -> Option<Vec<Address>> {
    match object.contents {
        Contents::References(_) | Contents::Fields(_) | Contents::Elements(_) => Some(object.references().collect()),
        Contents::Primitives(_) | Contents::Raw(_) | Contents::Unknown => None,
    }
}

/// What is told of an instance's fields.
#[derive(PartialEq)]
enum Inside<'o> {
    Values(&'o [Value]),
    Bytes(&'o [u8]),
}

fn inside(object: &Object) -> Option<Inside<'_>> {
    match &object.contents {
        Contents::Fields(values) => Some(Inside::Values(values)),
        Contents::Raw(bytes) => Some(Inside::Bytes(bytes)),
        _ => None,
    }
}

fn elements(object: &Object) -> Option<&[Address]> {
    match &object.contents {
        Contents::Elements(elements) => Some(elements),
        _ => None,
    }
}

fn primitives(object: &Object) -> Option<&[u8]> {
    match &object.contents {
        Contents::Primitives(bytes) => Some(bytes),
        _ => None,
    }
}
