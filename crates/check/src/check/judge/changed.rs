//! A heap that is read object by object and changed as it comes.

use heapsmith_core::error::Error;
use heapsmith_core::model::{Class, Facts, Heap, HeapSource, Surroundings, VisitObjects};

/// A heap whose objects are changed one by one, each as the only one of a heap without classes.
pub(super) struct ChangedSource<'s> {
    source: &'s mut dyn HeapSource,
    /// Everything but the objects, changed.
    head: Heap,
    change: &'s dyn Fn(&mut Heap),
}

impl<'s> ChangedSource<'s> {
    pub(super) fn new(source: &'s mut dyn HeapSource, change: &'s dyn Fn(&mut Heap)) -> ChangedSource<'s> {
        let mut head = Heap {
            facts: source.facts().clone(),
            classes: source.classes().to_vec(),
            surroundings: source.surroundings().clone(),
            ..Heap::default()
        };
        change(&mut head);
        ChangedSource { source, head, change }
    }

    /// Everything but the objects.
    pub(super) fn head_mut(&mut self) -> &mut Heap {
        &mut self.head
    }
}

impl HeapSource for ChangedSource<'_> {
    fn facts(&self) -> &Facts {
        &self.head.facts
    }

    fn classes(&self) -> &[Class] {
        &self.head.classes
    }

    fn surroundings(&self) -> &Surroundings {
        &self.head.surroundings
    }

    fn visit_objects(&mut self, see: &mut VisitObjects<'_>) -> Result<(), Error> {
        let mut part = Heap::default();
        self.source.visit_objects(&mut |object| {
            part.objects.clear();
            part.objects.push(object.clone());
            (self.change)(&mut part);
            part.objects.iter().try_for_each(&mut *see)
        })
    }

    fn ascends(&self) -> bool {
        self.source.ascends()
    }
}
