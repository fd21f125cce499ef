//! The sizes of objects, as a dump records them.

use foldhash::HashMap;

use crate::model::{Address, HeapSource, Object, ObjectKind};

/// The sizes of classes, from which those of their objects are computed where the dump does not record them.
#[derive(Clone, Debug)]
pub struct ObjectSizes {
    instances: HashMap<Address, u64>,
    /// Bytes of a reference as an element; `None` where elements do not determine an array's size.
    identifier: Option<u64>,
}

impl ObjectSizes {
    /// Collects the sizes of a heap's classes. Of several classes at one address, the first counts.
    pub fn from_source(source: &dyn HeapSource) -> ObjectSizes {
        let mut instances = HashMap::default();
        for class in source.classes() {
            if let Some(size) = class.instance_size {
                instances.entry(class.address).or_insert(size.0);
            }
        }
        ObjectSizes { instances, identifier: source.facts().identifier_size.map(|size| size.0) }
    }

    /// The size of an object in bytes, as the dump records it.
    pub fn object_size(&self, object: &Object) -> Option<u64> {
        self.object_size_with(object, |class| self.instance_size(class))
    }

    /// The size of an object, with `of_instance` for the size of an instance of a class.
    #[inline]
    pub(super) fn object_size_with(
        &self,
        object: &Object,
        of_instance: impl FnOnce(Address) -> Option<u64>,
    ) -> Option<u64> {
        let of_elements = |size: u64| object.length?.checked_mul(size);
        match (object.size, object.kind) {
            (Some(size), _) => Some(size.0),
            (None, ObjectKind::Instance) => of_instance(object.class?),
            (None, ObjectKind::ObjectArray) => of_elements(self.identifier?),
            (None, ObjectKind::PrimitiveArray(element)) => self.identifier.and_then(|_| of_elements(element.size())),
        }
    }

    /// The size of an instance in bytes, as its class records it.
    pub(super) fn instance_size(&self, class: Address) -> Option<u64> {
        self.instances.get(&class).copied()
    }
}
