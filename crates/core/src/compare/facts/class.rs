//! The rows of classes.

use crate::compare::facet::Facet;
use crate::model::{Class, Field, PoolEntry, Static};

use super::{ContentItems, Described, EntryReferences, Fact, FactWalk, LineKinds, key};

/// The description of the key of a value.
const VALUE: &str = "Bits of the value, or the value as Java has it.";

impl Described for Class {
    const LINES: LineKinds = &[("ClassLine", "A class.")];

    fn walk(walk: &mut impl FactWalk<Class>) {
        let w = walk;
        fn listed(class: &Class) -> Option<EntryReferences<'_>> {
            class.references.as_deref().map(|listed| EntryReferences::Listed(ContentItems::Held(listed)))
        }
        always!(w, address, key("address", "Address of the class object, in bytes."));
        w.place();
        w.references(Facet::NullReferences, listed);
        w.unkeyed_fact(Facet::Kind, |_| Some(Fact::Kind(b'c')));
        w.unkeyed_fact(Facet::ClassName, |c| Some(Fact::Name(&c.name)));
        name!(w, name, key("name", "Class name."));
        fact!(w, Facet::Superclass, superclass, key("super", "Superclass; `0x0` for none."));
        fact!(w, Facet::Interfaces, interfaces, key("interfaces", "Interfaces that the class itself declares."));
        fact!(w, Facet::Loader, loader, key("loader", "Class loader; `0x0` for the boot loader."));
        fact!(w, Facet::Signers, signers, key("signers", "Signers."));
        fact!(w, Facet::ProtectionDomain, protection_domain, key("protection_domain", "Protection domain."));
        fact!(w, Facet::InstanceSize, instance_size, key("instance_size", "Size of the class's instances in bytes."));
        fact!(w, Facet::ClassObjectSize, class_object_size, key("class_size", "Size of the class object in bytes."));
        let about = "Instance fields that the class itself declares, in layout order.";
        fact!(w, Facet::Fields, fields, key("fields", about));
        fact!(w, Facet::Statics, statics, key("statics", "Static fields with their values."));
        fact!(w, Facet::ConstantPool, constant_pool, key("constant_pool", "Entries of the constant pool."));
        w.references(Facet::ClassReferences, listed);
        fact!(w, Facet::ClassSerial, serial, key("serial", "Class serial number."));
        fact!(w, Facet::ClassTrace, trace, key("trace", "Serial of the stack trace of the class's loading."));
        w.hash(|c| c.hash);
        w.hash_keys(|c| c.hash, |c| &mut c.hash);
        w.references(Facet::ReferenceOrder, listed);
        field!(w, references, key("refs", "References in file order."));
    }
}

impl Described for Field {
    const LINES: LineKinds = &[("FieldEntry", "An instance field as its class declares it.")];

    fn walk(walk: &mut impl FactWalk<Field>) {
        name!(walk, name, key("name", "Field name.").written());
        always!(walk, kind, key("type", "Field type."));
    }
}

impl Described for Static {
    const LINES: LineKinds = &[("StaticEntry", "A static field.")];

    fn walk(walk: &mut impl FactWalk<Static>) {
        name!(walk, name, key("name", "Field name.").written());
        walk.typed_value(key("type", "Field type."), key("value", VALUE), |s| &s.value, |s| &mut s.value);
    }
}

impl Described for PoolEntry {
    const LINES: LineKinds = &[("PoolItem", "An entry of a constant pool.")];

    fn walk(walk: &mut impl FactWalk<PoolEntry>) {
        always!(walk, index, key("index", "Index into the class file's constant pool."));
        walk.typed_value(key("type", "Type of the value."), key("value", VALUE), |p| &p.value, |p| &mut p.value);
    }
}
