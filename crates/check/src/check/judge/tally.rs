//! Tallies of objects, one by one, so that no heap is held.

use std::collections::{BTreeMap, HashMap};

use crate::check::index::ClassNames;
use crate::check::protocol::ObjectCounts;
use heapsmith_core::answers::ObjectSizes;
use heapsmith_core::compare::listing::Hex;
use heapsmith_core::error::Error;
use heapsmith_core::model::{
    Address, Contents, HeapSource, Name, Object, ObjectKind, PiecewiseContents, PrimitiveType,
};

/// The counts over the objects of a heap so far.
#[derive(Debug)]
pub(in crate::check) struct ObjectTally {
    instances: u64,
    object_arrays: u64,
    primitive_arrays: u64,
    references: u64,
    /// Unknown where the values of some object are.
    fields: Option<u64>,
    elements: Option<u64>,
    sizes: ObjectSizes,
    /// Objects by kind, class and class word.
    by_class: HashMap<(ObjectKind, Option<Address>, Option<Address>), ClassTally>,
    by_name: BTreeMap<Name, ClassTally>,
}

/// The objects of a class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::check) struct ClassTally {
    pub(in crate::check) objects: u64,
    /// The bytes of those whose size the dump records.
    pub(in crate::check) bytes: u64,
    /// Objects whose size it does not record.
    pub(in crate::check) unsized_objects: u64,
}

impl ClassTally {
    fn add(&mut self, other: ClassTally) {
        self.objects += other.objects;
        self.bytes = self.bytes.saturating_add(other.bytes);
        self.unsized_objects += other.unsized_objects;
    }
}

impl ObjectTally {
    /// Counts the objects of a heap.
    pub(in crate::check) fn from_heap(source: &mut dyn HeapSource) -> Result<ObjectTally, Error> {
        let mut tally = ObjectTally {
            instances: 0,
            object_arrays: 0,
            primitive_arrays: 0,
            references: 0,
            fields: Some(0),
            elements: Some(0),
            sizes: ObjectSizes::from_source(source),
            by_class: HashMap::new(),
            by_name: BTreeMap::new(),
        };
        source.visit_objects(&mut |object| tally.add(object))?;
        Ok(tally)
    }

    fn add(&mut self, object: &Object) -> Result<(), Error> {
        match object.kind {
            ObjectKind::Instance => self.instances += 1,
            ObjectKind::ObjectArray => self.object_arrays += 1,
            ObjectKind::PrimitiveArray(_) => self.primitive_arrays += 1,
        }
        self.references += object.references().filter(|address| !address.is_null()).count() as u64;
        let mut sum = Some(0_u64);
        match (object.kind, &object.contents) {
            (ObjectKind::Instance, Contents::Fields(values)) => {
                sum = sum.map(|sum| values.iter().fold(sum, |sum, value| sum.wrapping_add(value.bits)));
            }
            (ObjectKind::ObjectArray | ObjectKind::PrimitiveArray(_), Contents::Elements(list)) => {
                sum = sum.map(|sum| list.iter().fold(sum, |sum, to| sum.wrapping_add(to.0)));
            }
            (ObjectKind::PrimitiveArray(kind), Contents::Primitives(bytes)) => {
                let mut elements = ElementSum::from_kind(kind);
                elements.add(bytes);
                sum = Some(elements.sum);
            }
            (kind, Contents::Long(long)) => sum = self.add_long(kind, long)?,
            _ => sum = None,
        }
        let total = if object.kind == ObjectKind::Instance { &mut self.fields } else { &mut self.elements };
        *total = total.zip(sum).map(|(total, sum)| total.wrapping_add(sum));
        let size = self.sizes.object_size(object);
        let one = ClassTally { objects: 1, bytes: size.unwrap_or(0), unsized_objects: size.is_none().into() };
        match &object.class_name {
            Some(name) if !matches!(object.kind, ObjectKind::PrimitiveArray(_)) => {
                self.by_name.entry(name.to_java_form()).or_default().add(one);
            }
            _ => self.by_class.entry((object.kind, object.class, object.class_word)).or_default().add(one),
        }
        Ok(())
    }

    /// Counts the references of contents that are not held; the sum of their elements, where these are known.
    fn add_long(&mut self, kind: ObjectKind, long: &PiecewiseContents) -> Result<Option<u64>, Error> {
        let mut sum = 0_u64;
        if let Some(addresses) = long.addresses() {
            let references = &mut self.references;
            addresses.visit(|piece| {
                *references += piece.iter().filter(|address| !address.is_null()).count() as u64;
                sum = piece.iter().fold(sum, |sum, to| sum.wrapping_add(to.0));
                Ok::<(), Error>(())
            })?;
        }
        Ok(match (kind, long) {
            (ObjectKind::PrimitiveArray(kind), PiecewiseContents::Primitives(bytes)) => {
                let mut elements = ElementSum::from_kind(kind);
                bytes.visit(|piece| {
                    elements.add(piece);
                    Ok::<(), Error>(())
                })?;
                Some(elements.sum)
            }
            (ObjectKind::ObjectArray | ObjectKind::PrimitiveArray(_), PiecewiseContents::Elements(_)) => Some(sum),
            _ => None,
        })
    }

    /// The counts, with those of what a heap has beside its objects.
    pub(in crate::check) fn counts(&self, source: &dyn HeapSource) -> ObjectCounts {
        ObjectCounts {
            classes: Some(source.classes().len() as u64),
            instances: Some(self.instances),
            object_arrays: Some(self.object_arrays),
            primitive_arrays: Some(self.primitive_arrays),
            references: Some(self.references),
            roots: source.surroundings().roots.as_ref().map(|roots| roots.len() as u64),
            field_sum: self.fields.map(Hex),
            element_sum: self.elements.map(Hex),
            ..ObjectCounts::default()
        }
    }

    /// Objects, and their bytes, by the name of their class in the form of Java source.
    pub(in crate::check) fn histogram(&self, source: &dyn HeapSource) -> BTreeMap<Name, ClassTally> {
        let names = ClassNames::from_classes(source.classes());
        let mut histogram = self.by_name.clone();
        for ((kind, class, class_word), of_class) in &self.by_class {
            let object = Object { class: *class, class_word: *class_word, ..Object::new(Address::NULL, *kind) };
            if let Some(name) = names.class_name(&object) {
                histogram.entry(name).or_default().add(*of_class);
            }
        }
        // A name without characters is none.
        histogram.retain(|name, _| !name.as_bytes().is_empty());
        histogram
    }
}

/// The sum of an array's elements, whose bytes come in pieces of any length.
struct ElementSum {
    size: u32,
    /// Bytes of the last element so far.
    read: u32,
    sum: u64,
}

impl ElementSum {
    fn from_kind(kind: PrimitiveType) -> ElementSum {
        ElementSum { size: kind.size() as u32, read: 0, sum: 0 }
    }

    fn add(&mut self, bytes: &[u8]) {
        for byte in bytes {
            let place = self.size - 1 - self.read;
            self.sum = self.sum.wrapping_add(u64::from(*byte) << (8 * place));
            self.read = (self.read + 1) % self.size;
        }
    }
}
