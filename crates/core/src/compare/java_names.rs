//! Heaps whose class names are all in one form, whichever form their dumps use.

use crate::error::Error;
use crate::model::{Class, Facts, HeapSource, Object, Surroundings, VisitObjects};

/// A heap with the names of its classes in the form of Java source: `java.lang.String`, `int[]`. Dumps of HotSpot have
/// `java/lang/String` and `[I`, those of the hprof agent and of Android, and many tools, the other form.
pub struct JavaNames<'s> {
    source: &'s mut dyn HeapSource,
    classes: Vec<Class>,
}

impl<'s> JavaNames<'s> {
    /// Wraps a heap.
    pub fn new(source: &'s mut dyn HeapSource) -> JavaNames<'s> {
        let named = |class: &Class| Class { name: class.name.to_java_form(), ..class.clone() };
        let classes = source.classes().iter().map(named).collect();
        JavaNames { source, classes }
    }
}

impl HeapSource for JavaNames<'_> {
    fn facts(&self) -> &Facts {
        self.source.facts()
    }

    fn classes(&self) -> &[Class] {
        &self.classes
    }

    fn surroundings(&self) -> &Surroundings {
        self.source.surroundings()
    }

    fn visit_objects(&mut self, visit: &mut VisitObjects<'_>) -> Result<(), Error> {
        self.source.visit_objects(&mut |object| match &object.class_name {
            Some(name) => visit(&Object { class_name: Some(name.to_java_form()), ..object.clone() }),
            None => visit(object),
        })
    }
}
