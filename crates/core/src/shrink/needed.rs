//! The classes that something needs.

use std::collections::{HashMap, HashSet};

use crate::model::{Address, Class, Heap, Name, Object, ObjectKind, PrimitiveType};

/// Indexes of the classes that no object, subclass, array class or stack frame needs.
#[doc(hidden)]
pub fn unneeded_classes(heap: &Heap) -> Vec<usize> {
    let mut needed = NeededClasses::new(&heap.classes);
    for object in &heap.objects {
        needed.mark_object(object);
    }
    let frames = heap.surroundings.traces.iter().flatten().flat_map(|trace| trace.frames.iter());
    frames.filter_map(|frame| frame.class).for_each(|class| needed.address(class));
    needed.close();
    (0..heap.classes.len()).filter(|&index| !needed.marked[index]).collect()
}

/// The classes that stay when some leave, and their subclasses with them.
#[doc(hidden)]
pub fn without_subclasses(classes: &[Class], dropped: &[usize]) -> Vec<bool> {
    let mut stays = vec![true; classes.len()];
    dropped.iter().for_each(|&index| stays[index] = false);
    loop {
        let gone: HashSet<Address> =
            classes.iter().zip(&stays).filter(|(_, stays)| !**stays).map(|(class, _)| class.address).collect();
        let is_orphan = |class: &Class| class.superclass.is_some_and(|superclass| gone.contains(&superclass));
        let orphans: Vec<usize> = (0..classes.len()).filter(|&i| stays[i] && is_orphan(&classes[i])).collect();
        if orphans.is_empty() {
            return stays;
        }
        orphans.into_iter().for_each(|index| stays[index] = false);
    }
}

struct NeededClasses<'h> {
    classes: &'h [Class],
    by_address: HashMap<Address, Vec<usize>>,
    by_name: HashMap<Name, Vec<usize>>,
    marked: Vec<bool>,
    /// Marked, and not followed yet.
    open: Vec<usize>,
    /// Names that were looked up, so that each is only once.
    asked: HashSet<Name>,
}

impl<'h> NeededClasses<'h> {
    fn new(classes: &'h [Class]) -> NeededClasses<'h> {
        let (mut by_address, mut by_name) = (HashMap::<_, Vec<usize>>::new(), HashMap::<_, Vec<usize>>::new());
        for (index, class) in classes.iter().enumerate() {
            by_address.entry(class.address).or_default().push(index);
            by_name.entry(class.name.to_jvm_form()).or_default().push(index);
        }
        let marked = vec![false; classes.len()];
        NeededClasses { classes, by_address, by_name, marked, open: Vec::new(), asked: HashSet::new() }
    }

    fn mark_object(&mut self, object: &Object) {
        object.class.into_iter().chain(object.class_word).for_each(|class| self.address(class));
        if let Some(name) = &object.class_name {
            self.name(name.to_jvm_form());
        }
        if let ObjectKind::PrimitiveArray(element) = object.kind {
            self.name(Name::from_text(&format!("[{}", element.signature())));
        }
    }

    fn address(&mut self, address: Address) {
        let found = self.by_address.get(&address).cloned().unwrap_or_default();
        found.into_iter().for_each(|index| self.mark(index));
    }

    /// Classes of this name, under any loader: an array does not say which one its component has.
    fn name(&mut self, name: Name) {
        if self.asked.insert(name.clone()) {
            let found = self.by_name.get(&name).cloned().unwrap_or_default();
            found.into_iter().for_each(|index| self.mark(index));
        }
    }

    fn mark(&mut self, index: usize) {
        if !std::mem::replace(&mut self.marked[index], true) {
            self.open.push(index);
        }
    }

    /// Superclasses, and what arrays are arrays of.
    fn close(&mut self) {
        while let Some(index) = self.open.pop() {
            let class = &self.classes[index];
            if let Some(superclass) = class.superclass {
                self.address(superclass);
            }
            let name = class.name.to_jvm_form();
            match name.as_bytes() {
                [b'[', b'L', component @ .., b';'] => self.name(Name::from_bytes(component)),
                [b'[', component @ ..] => {
                    self.name(Name::from_bytes(component));
                    let primitive = PrimitiveType::ALL.into_iter().find(|p| component == [p.signature() as u8]);
                    primitive.into_iter().for_each(|primitive| self.name(Name::from_text(primitive.keyword())));
                }
                _ => {}
            }
        }
    }
}
