//! The rows of classes.

use crate::model::{Class, Field, FieldType, PoolEntry, Static, Value};

use super::super::facet::Facet;
use super::super::listing::{Hex, Text, TypedValue};
use super::{Described, Fact, Key, Presence, References, Walk, key};

impl Described for Class {
    const LINES: &'static [(&'static str, &'static str)] = &[("ClassLine", "A class.")];

    fn blank(_: u8) -> Class {
        Class::default()
    }

    fn walk(walk: &mut impl Walk<Class>) {
        let w = walk;
        fn listed(class: &Class) -> Option<References<'_>> {
            class.references.as_deref().map(References::Listed)
        }
        w.always(key("address", "Address of the class object, in bytes."), |c| &c.address, |c| &mut c.address);
        w.place();
        w.references(Facet::NullReferences, listed);
        w.told(Facet::Kind, |_| Some(Fact::Kind(b'c')));
        w.told(Facet::ClassName, |c| Some(Fact::Name(&c.name)));
        // Not always: a line without it is of a class whose name is empty.
        w.key(
            key("name", "Class name."),
            |c| Some(Fact::Name(&c.name)),
            |c, name: Text| {
                c.name = name.into();
                Ok(())
            },
        );
        w.fact(
            Facet::Superclass,
            key("super", "Superclass; `0x0` for none."),
            |c| &c.superclass,
            |c| &mut c.superclass,
        );
        let interfaces = key("interfaces", "Interfaces that the class itself declares.");
        w.fact(Facet::Interfaces, interfaces, |c| &c.interfaces, |c| &mut c.interfaces);
        let about = "Class loader; `0x0` for the boot loader.";
        w.fact(Facet::Loader, key("loader", about), |c| &c.loader, |c| &mut c.loader);
        w.fact(Facet::Signers, key("signers", "Signers."), |c| &c.signers, |c| &mut c.signers);
        let domain = key("protection_domain", "Protection domain.");
        w.fact(Facet::ProtectionDomain, domain, |c| &c.protection_domain, |c| &mut c.protection_domain);
        let size = key("instance_size", "Size of the class's instances in bytes.");
        w.fact(Facet::InstanceSize, size, |c| &c.instance_size, |c| &mut c.instance_size);
        let size = key("class_size", "Size of the class object in bytes.");
        w.fact(Facet::ClassObjectSize, size, |c| &c.class_object_size, |c| &mut c.class_object_size);
        let fields = key("fields", "Instance fields that the class itself declares, in layout order.");
        w.fact(Facet::Fields, fields, |c| &c.fields, |c| &mut c.fields);
        w.fact(Facet::Statics, key("statics", "Static fields with their values."), |c| &c.statics, |c| &mut c.statics);
        let pool = key("constant_pool", "Entries of the constant pool.");
        w.fact(Facet::ConstantPool, pool, |c| &c.constant_pool, |c| &mut c.constant_pool);
        w.references(Facet::ClassReferences, listed);
        w.fact(Facet::ClassSerial, key("serial", "Class serial number."), |c| &c.serial, |c| &mut c.serial);
        let trace = key("trace", "Serial of the stack trace of the class's loading.");
        w.fact(Facet::ClassTrace, trace, |c| &c.trace, |c| &mut c.trace);
        w.hash(|c| c.hash);
        w.hash_keys(|c| c.hash, |c| &mut c.hash);
        w.references(Facet::ReferenceOrder, listed);
        w.field(key("refs", "References in file order."), |c| &c.references, |c| &mut c.references);
    }
}

impl Described for Field {
    const LINES: &'static [(&'static str, &'static str)] =
        &[("FieldEntry", "An instance field as its class declares it.")];

    fn blank(_: u8) -> Field {
        Field { name: Default::default(), kind: FieldType::Object }
    }

    fn walk(walk: &mut impl Walk<Field>) {
        walk.always(key("name", "Field name."), |f| &f.name, |f| &mut f.name);
        walk.always(key("type", "Field type."), |f| &f.kind, |f| &mut f.kind);
    }
}

impl Described for Static {
    const LINES: &'static [(&'static str, &'static str)] = &[("StaticEntry", "A static field.")];

    fn blank(_: u8) -> Static {
        Static { name: Default::default(), value: Value::reference(Default::default()) }
    }

    fn walk(walk: &mut impl Walk<Static>) {
        walk.always(key("name", "Field name."), |s| &s.name, |s| &mut s.name);
        value(walk, "Field type.", |s| &s.value, |s| &mut s.value);
    }

    fn check(&self) -> Result<(), String> {
        TypedValue::from(self.value).value().map(|_| ())
    }
}

impl Described for PoolEntry {
    const LINES: &'static [(&'static str, &'static str)] = &[("PoolItem", "An entry of a constant pool.")];

    fn blank(_: u8) -> PoolEntry {
        PoolEntry { index: 0, value: Value::reference(Default::default()) }
    }

    fn walk(walk: &mut impl Walk<PoolEntry>) {
        walk.always(key("index", "Index into the class file's constant pool."), |p| &p.index, |p| &mut p.index);
        value(walk, "Type of the value.", |p| &p.value, |p| &mut p.value);
    }

    fn check(&self) -> Result<(), String> {
        TypedValue::from(self.value).value().map(|_| ())
    }
}

/// The keys of a value: its type, and its bits.
fn value<E>(
    walk: &mut impl Walk<E>,
    about: &'static str,
    get: impl Fn(&E) -> &Value,
    slot: impl Fn(&mut E) -> &mut Value,
) {
    walk.always(key("type", about), |e| &get(e).kind, |e| &mut slot(e).kind);
    walk.key(
        Key { presence: Presence::Always, ..key("value", "Bits of the value.") },
        |e| Some(Fact::Bits(get(e).bits)),
        |e, bits: Hex| {
            slot(e).bits = bits.0;
            Ok(())
        },
    );
}
