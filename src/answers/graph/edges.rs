//! Which references count: those of specs/answers.md, and what analysers say otherwise.

use crate::model::{Class, ObjectKind, PrimitiveType, Value};
use crate::setters::setters;

/// Which references count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Edges {
    /// Whether the referents of soft, weak, phantom and final references do. Without them, what is reachable is what a
    /// program reaches without such a reference.
    pub referents: bool,
    /// Whether an object refers to its class.
    pub classes: bool,
    /// Whether an array does, where objects do.
    pub array_classes: bool,
    /// What a class refers to.
    pub of_classes: OfClasses,
    /// Whether a class refers to the class `java.lang.Class`, too.
    pub class_of_classes: bool,
    /// Whether the locals of a thread are held by its object, in the place of a root of each: so it retains them.
    pub locals: bool,
    /// Whether classes without a loader are kept as if roots of the kind sticky-class named them: those of arrays of primitive
    /// types, and where the dump has no root of that kind, all that are no arrays.
    pub boot_classes: bool,
    /// Whether class objects are entries. If not, nothing leads to them or from them, roots that name them keep nothing, and what
    /// the static field of any class refers to is kept as if a root named it.
    pub class_objects: bool,
}

/// What a class refers to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum OfClasses {
    /// All that its record has.
    #[default]
    All,
    /// Its superclass, its loader, and the values of its static fields.
    SuperclassLoaderStatics,
    /// Its loader, and the values of its static fields.
    LoaderStatics,
}

impl Default for Edges {
    fn default() -> Edges {
        Edges {
            referents: false,
            classes: true,
            array_classes: true,
            of_classes: OfClasses::All,
            class_of_classes: false,
            locals: false,
            boot_classes: false,
            class_objects: true,
        }
    }
}

setters! {
    impl Edges {
        set referents: bool;
        set classes: bool;
        set array_classes: bool;
        set of_classes: OfClasses;
        set class_of_classes: bool;
        set locals: bool;
        set boot_classes: bool;
        set class_objects: bool;
    }
}

impl Edges {
    /// Whether an object refers to its class.
    pub(super) fn has_class_of(&self, kind: ObjectKind) -> bool {
        self.classes && self.class_objects && (self.array_classes || kind == ObjectKind::Instance)
    }

    /// Whether a class is kept although no root names it.
    pub(super) fn keeps(&self, class: &Class, has_sticky: bool) -> bool {
        let name = class.name.to_java_form();
        let element = name.as_bytes().strip_suffix(b"[]");
        let is_of_primitives = PrimitiveType::ALL.iter().any(|kind| element == Some(kind.keyword().as_bytes()));
        let has_loader = class.loader.is_some_and(|loader| !loader.is_null());
        self.boot_classes && !has_loader && (is_of_primitives || !has_sticky && element.is_none())
    }

    /// The addresses to which a class refers, null not among them.
    pub(super) fn of_class(&self, class: &Class) -> impl Iterator<Item = u64> {
        let (has_superclass, has_all) =
            (self.of_classes != OfClasses::LoaderStatics, self.of_classes == OfClasses::All);
        let single = [class.superclass.filter(|_| has_superclass), class.loader];
        let rest = [class.signers, class.protection_domain].into_iter().filter(move |_| has_all);
        let lists = class.interfaces.iter().chain(&class.references).filter(move |_| has_all).flatten().copied();
        let values = class.statics.iter().flatten().map(|field| field.value);
        let pool = class.constant_pool.iter().filter(move |_| has_all).flatten().map(|entry| entry.value);
        let held = values.chain(pool).filter_map(Value::as_reference);
        single.into_iter().chain(rest).flatten().chain(lists).chain(held).filter(|to| !to.is_null()).map(|to| to.0)
    }
}
