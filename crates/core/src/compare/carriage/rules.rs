//! The rules by which dumps change facts. A rule removes from a fact what the change loses; applied to both sides, it
//! makes them equal.

use std::collections::HashMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::model::{
    Address, ByteLen, Class, Contents, IdentityHash, Name, NameForms, Object, ObjectKind, PiecewiseContents, Root,
    RootKind, RootObjects, RootWriter, StackFrame, Surroundings,
};

use super::{Carriage, CarriageColumn, Facet};

/// A known change. `specs/facets.toml` says what each does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[allow(missing_docs, reason = "the table says what each does, and a test holds it to that")]
#[cfg_attr(feature = "schemas", schemars(rename = "Rule"))]
pub enum ChangeRule {
    Renumbered,
    NameForm,
    SizesInWords,
    Rounded,
    FieldBytes,
    Derived,
    Reordered,
    ArrayClass,
    ClassByName,
    #[serde(rename = "low-15-bits")]
    Low15Bits,
    ZeroIsNone,
    PrimitiveArrays,
    ArrayClassFirst,
    Counted,
    AsReferences,
    PlainRoots,
    HotspotRoots,
    #[serde(rename = "hotspot-8-roots")]
    Hotspot8Roots,
    ThreadRoots,
    AgentRoots,
    ArtRoots,
    PrimitiveMirrors,
    OwnLog,
    Nameless,
    BareThreads,
    Swapped,
    AsSpelled,
    Android,
}

impl fmt::Display for ChangeRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

impl ChangeRule {
    /// Whether the rule leaves nothing that could be compared.
    pub fn drops_fact(self) -> bool {
        matches!(
            self,
            ChangeRule::Derived
                | ChangeRule::Reordered
                | ChangeRule::OwnLog
                | ChangeRule::Android
                | ChangeRule::Counted
                | ChangeRule::Swapped
                | ChangeRule::AsSpelled
        )
    }

    /// The writer whose kinds of root the rule keeps.
    fn root_writer(self) -> Option<RootWriter> {
        match self {
            ChangeRule::HotspotRoots => Some(RootWriter::HotSpot),
            ChangeRule::Hotspot8Roots => Some(RootWriter::HotSpot8),
            ChangeRule::ThreadRoots => Some(RootWriter::Sa),
            ChangeRule::AgentRoots => Some(RootWriter::Agent),
            ChangeRule::ArtRoots => Some(RootWriter::Art),
            _ => None,
        }
    }
}

/// The rules of a kind of dump, applied to parts of a heap.
impl CarriageColumn {
    /// Applies the rules to a class's name.
    pub(in crate::compare) fn change_name(&self, name: &Name) -> Name {
        if self.has_rule(ChangeRule::NameForm) { canonical_name(name) } else { name.clone() }
    }

    /// The changed name of each class.
    pub(in crate::compare) fn changed_names(&self, classes: &[Class]) -> HashMap<Address, Name> {
        let mut forms = NameForms::new(if self.has_rule(ChangeRule::NameForm) { canonical_name } else { Name::clone });
        classes.iter().map(|class| (class.address, forms.convert(&class.name))).collect()
    }

    /// Applies the rules to a class.
    pub(in crate::compare) fn change_class(&self, class: &mut Class) {
        class.name = self.change_name(&class.name);
        class.hash = self.change_hash(class.hash);
        if self.has_rule(ChangeRule::Rounded) {
            class.instance_size = class.instance_size.map(round_size);
        }
    }

    /// Applies the rules to an object; `names` has the names of the heap's classes, `class_first` whether arrays list
    /// their class first.
    ///
    /// # Errors
    /// If contents that are not held cannot be read.
    pub(in crate::compare) fn change_object(
        &self,
        object: &mut Object,
        names: &HashMap<Address, Name>,
        class_first: bool,
    ) -> Result<(), Error> {
        object.hash = self.change_hash(object.hash);
        object.class_name = object.class_name.as_ref().map(|name| self.change_name(name));
        let is_instance = object.kind == ObjectKind::Instance;
        if class_first && object.kind == ObjectKind::ObjectArray {
            remove_array_class(object)?;
        }
        if self.has_rule(ChangeRule::ArrayClass) && !is_instance {
            object.class_name = array_name(object, names);
            (object.class, object.class_word) = (None, None);
        }
        if self.has_rule(ChangeRule::ClassByName) {
            let class = object.class.and_then(|class| names.get(&class));
            object.class_name = object.class_name.take().or_else(|| class.cloned());
            object.class = None;
        }
        if self.has_rule(ChangeRule::SizesInWords) {
            object.size = object.size.filter(|_| !is_instance).map(round_size);
        }
        if self.has_rule(ChangeRule::PrimitiveArrays) && object.kind == ObjectKind::ObjectArray {
            object.length = None;
        }
        if self.has_rule(ChangeRule::AsReferences) {
            match &mut object.contents {
                Contents::Elements(elements) => object.contents = Contents::References(std::mem::take(elements)),
                Contents::Long(PiecewiseContents::Elements(elements)) => {
                    object.contents = Contents::Long(PiecewiseContents::References(elements.clone()));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Whether the classes of primitive types, and what stands at their addresses, are left out of comparisons.
    pub(in crate::compare) fn leaves_out_primitives(&self) -> bool {
        self.has_rule(ChangeRule::PrimitiveMirrors)
    }

    /// Applies the rules to roots, threads and everything else besides classes and objects; `objects` describes the
    /// objects of roots.
    pub(in crate::compare) fn change_surroundings(&self, surroundings: &mut Surroundings, objects: &RootObjects) {
        if let Some(roots) = &mut surroundings.roots {
            let tell = |roots: &mut Vec<Root>| {
                self.rules()
                    .filter_map(ChangeRule::root_writer)
                    .for_each(|writer| *roots = writer.recorded_roots(roots, objects));
            };
            // The roots that a writer leaves out are removed before another one could make them unknown roots; and unknown
            // roots are recorded in its form.
            tell(roots);
            if self.has_rule(ChangeRule::PlainRoots) {
                let android = roots.iter_mut().filter(|root| root.kind.is_android());
                android.for_each(|root| root.kind = RootKind::Unknown);
                tell(roots);
            }
        }
        if self.leaves_out_primitives() {
            for trace in surroundings.traces.iter_mut().flatten() {
                let known = |frame: &StackFrame| frame.class.filter(|class| !objects.is_primitive(*class));
                trace.frames = trace.frames.iter().map(|f| StackFrame { class: known(f), ..f.clone() }).collect();
            }
        }
        if self.has_rule(ChangeRule::Nameless) || self.has_rule(ChangeRule::BareThreads) {
            let of_roots: Vec<_> = surroundings
                .roots
                .iter()
                .flatten()
                .filter_map(|root| match root.kind {
                    RootKind::ThreadObject(thread, _) => Some(thread),
                    _ => None,
                })
                .collect();
            if let Some(threads) = &mut surroundings.threads {
                threads.retain(|thread| of_roots.contains(&thread.serial));
                threads.iter_mut().for_each(|thread| thread.name = None);
                let traced = !self.has_rule(ChangeRule::BareThreads);
                threads.iter_mut().for_each(|thread| thread.trace = thread.trace.filter(|_| traced));
            }
        }
    }

    fn change_hash(&self, hash: Option<IdentityHash>) -> Option<IdentityHash> {
        if self.has_rule(ChangeRule::Low15Bits) {
            let bits = match hash {
                Some(IdentityHash::Bits16(bits)) => bits,
                Some(IdentityHash::Bits32(bits)) => bits as u16,
                None => 0,
            };
            return Some(IdentityHash::Bits16(bits & 0x7fff));
        }
        hash.filter(|hash| *hash != IdentityHash::Bits32(0) || !self.has_rule(ChangeRule::ZeroIsNone))
    }

    /// Whether a rule leaves nothing of a facet that could be compared.
    pub(in crate::compare) fn is_silent_on(&self, facet: Facet) -> bool {
        match self.carriage(facet) {
            Carriage::None => true,
            Carriage::Changed(rule) => rule.drops_fact(),
            Carriage::Exact => false,
        }
    }
}

/// The spelling in which names are compared.
fn canonical_name(name: &Name) -> Name {
    name.to_java_form().to_modified_utf8()
}

fn round_size(size: ByteLen) -> ByteLen {
    size.rounded_up(4)
}

/// The name of an array's class in the form of Java source: that of its class, or that of its component followed by
/// `[]`.
#[doc(hidden)]
pub fn array_name(object: &Object, names: &HashMap<Address, Name>) -> Option<Name> {
    if let ObjectKind::PrimitiveArray(element) = object.kind {
        return Some(Name::from_text(&format!("{}[]", element.keyword())));
    }
    let own = object.class_name.as_ref().or_else(|| names.get(&object.class?)).map(Name::to_java_form);
    own.or_else(|| {
        let component = names.get(&object.class_word?)?.to_java_form();
        Some(Name::from_bytes([component.as_bytes(), b"[]"].concat()))
    })
}

/// Removes an array's own class from the front of its references.
fn remove_array_class(object: &mut Object) -> Result<(), Error> {
    match &mut object.contents {
        Contents::References(references) if !references.is_empty() => {
            (object.class, object.class_word) = (Some(references.remove(0)), None);
        }
        Contents::Long(PiecewiseContents::References(references)) if references.count() > 0 => {
            (object.class, object.class_word) = (references.first(1)?.first().copied(), None);
            *references = references.without_first(1);
        }
        _ => {}
    }
    Ok(())
}

/// Whether the arrays of a heap follow the convention of J9 in PHD version 4: the class word names the innermost
/// component and the first reference is the array's own class. A single such array may simply hold its own class; it is
/// a convention only if all arrays have it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ClassFirst {
    arrays: u64,
    others: u64,
}

impl ClassFirst {
    /// Adds an object.
    ///
    /// # Errors
    /// If contents that are not held cannot be read.
    pub(crate) fn observe(&mut self, object: &Object, names: &HashMap<Address, Name>) -> Result<(), Error> {
        if object.kind != ObjectKind::ObjectArray {
            return Ok(());
        }
        let first = match &object.contents {
            Contents::References(references) => references.first().copied(),
            Contents::Long(PiecewiseContents::References(references)) => references.first(1)?.first().copied(),
            _ => None,
        };
        let names = (object.class_word.and_then(|word| names.get(&word)), first.and_then(|first| names.get(&first)));
        match names {
            (Some(word), Some(first)) if is_array_of(first, word) => self.arrays += 1,
            _ => self.others += 1,
        }
        Ok(())
    }

    /// Whether it is the heap's convention.
    pub(crate) fn holds(self) -> bool {
        self.arrays > 0 && self.others == 0
    }
}

/// Whether a name is that of an array whose innermost component has the other name.
fn is_array_of(array: &Name, component: &Name) -> bool {
    let (array, component) = (array.to_java_form(), component.to_java_form());
    let mut element = array.as_bytes();
    while let Some(shorter) = element.strip_suffix(b"[]") {
        element = shorter;
    }
    element.len() < array.as_bytes().len() && element == component.as_bytes()
}
