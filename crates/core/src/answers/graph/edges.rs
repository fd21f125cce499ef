//! The references that count as edges: those of specs/answers.md, and the variations of known analysers.

use crate::model::{Class, ObjectKind, PrimitiveType, Value};
use crate::setters::setters;

/// Options that choose which references count as edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct EdgeOptions {
    /// Whether the referents of soft, weak, phantom and final references count. If not, only what is strongly reachable
    /// is reachable.
    pub referents: bool,
    /// Whether an object refers to its class.
    pub classes: bool,
    /// Whether an array refers to its class, where objects do.
    pub array_classes: bool,
    /// The references of a class that count.
    pub of_classes: ClassEdges,
    /// Whether a class also refers to the class `java.lang.Class`.
    pub class_of_classes: bool,
    /// Whether a thread object refers to the thread's locals, which are then no roots of their own: so it retains them.
    pub locals: bool,
    /// Whether classes without a loader are kept like roots of the kind sticky-class: classes of primitive arrays, and
    /// where the dump has no root of that kind, all classes but those of arrays.
    pub boot_classes: bool,
    /// Whether class objects are entries. If not, no reference leads to or from them, roots that name them keep
    /// nothing, and targets of any class's static fields are kept like roots.
    pub class_objects: bool,
}

/// The references of a class that count as edges.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ClassEdges {
    /// Everything that its record lists.
    #[default]
    All,
    /// The superclass, the loader, and the values of static fields.
    SuperclassLoaderStatics,
    /// The loader, and the values of static fields.
    LoaderStatics,
}

impl Default for EdgeOptions {
    fn default() -> EdgeOptions {
        EdgeOptions {
            referents: false,
            classes: true,
            array_classes: true,
            of_classes: ClassEdges::All,
            class_of_classes: false,
            locals: false,
            boot_classes: false,
            class_objects: true,
        }
    }
}

setters! {
    impl EdgeOptions {
        set referents: bool;
        set classes: bool;
        set array_classes: bool;
        set of_classes: ClassEdges;
        set class_of_classes: bool;
        set locals: bool;
        set boot_classes: bool;
        set class_objects: bool;
    }
}

impl EdgeOptions {
    /// Whether an object refers to its class.
    pub(super) fn refers_to_class(&self, kind: ObjectKind) -> bool {
        self.classes && self.class_objects && (self.array_classes || kind == ObjectKind::Instance)
    }

    /// Whether a class is kept without a root that names it.
    pub(super) fn keeps(&self, class: &Class, has_sticky: bool) -> bool {
        let name = class.name.to_java_form();
        let element = name.as_bytes().strip_suffix(b"[]");
        let is_of_primitives = PrimitiveType::ALL.iter().any(|kind| element == Some(kind.keyword().as_bytes()));
        let has_loader = class.loader.is_some_and(|loader| !loader.is_null());
        self.boot_classes && !has_loader && (is_of_primitives || !has_sticky && element.is_none())
    }

    /// The addresses that a class refers to, without null.
    pub(super) fn class_references(&self, class: &Class) -> impl Iterator<Item = u64> {
        let (has_superclass, has_all) =
            (self.of_classes != ClassEdges::LoaderStatics, self.of_classes == ClassEdges::All);
        let single = [class.superclass.filter(|_| has_superclass), class.loader];
        let rest = [class.signers, class.protection_domain].into_iter().filter(move |_| has_all);
        let lists = class.interfaces.iter().chain(&class.references).filter(move |_| has_all).flatten().copied();
        let values = class.statics.iter().flatten().map(|field| field.value);
        let pool = class.constant_pool.iter().filter(move |_| has_all).flatten().map(|entry| entry.value);
        let held = values.chain(pool).filter_map(Value::as_reference);
        single.into_iter().chain(rest).flatten().chain(lists).chain(held).filter(|to| !to.is_null()).map(|to| to.0)
    }
}
