//! The classes of the Java library, where a heap has them as the builder makes them.

use foldhash::{HashSet, HashSetExt};

use crate::builder::{CLASS_BYTES, HeapBuilder};
use crate::generate::Library;
use crate::heap_file::LIBRARIES;
use crate::model::{Address, Class, HeapSource, Name, ObjectKind, RootKind};

use super::names::{ArrayElementClass, array_class, array_element};
use super::sizes::AutomaticSizes;
use super::table::HeapTable;

/// The library whose heaps have the classes of a heap by themselves.
#[derive(Clone, Debug)]
pub(super) struct LibraryWorld {
    pub(super) library: Library,
    /// The classes of the heap that need no declaration.
    pub(super) classes: HashSet<usize>,
}

impl LibraryWorld {
    /// The library that has the most of the heap's classes, if one has all that its heaps begin with.
    pub(super) fn recognise(table: &HeapTable<'_>, sizes: &AutomaticSizes) -> Option<LibraryWorld> {
        if !has_roots_of_classes(table) {
            return None;
        }
        let used = used_classes(table);
        let mut best: Option<LibraryWorld> = None;
        let default = |library: &Library| *library != Library::default();
        let mut libraries = LIBRARIES.map(|(_, library)| library);
        libraries.sort_by_key(default);
        for world in libraries.into_iter().filter_map(|library| of_library(table, sizes, &used, library)) {
            if best.as_ref().is_none_or(|best| world.classes.len() > best.classes.len()) {
                best = Some(world);
            }
        }
        best
    }
}

/// Whether all classes of the boot loader are roots, as in a heap with the library's classes, or roots are not known.
fn has_roots_of_classes(table: &HeapTable<'_>) -> bool {
    let Some(roots) = &table.heap.surroundings.roots else { return true };
    let sticky = roots.iter().filter(|root| root.kind == RootKind::StickyClass);
    let sticky: HashSet<Address> = sticky.map(|root| root.object).collect();
    (0..table.heap.classes.len())
        .all(|class| !is_boot_instance(table, class) || sticky.contains(&table.heap.classes[class].address))
}

/// Whether a class is one of those that the builder makes roots.
pub(super) fn is_boot_instance(table: &HeapTable<'_>, class: usize) -> bool {
    table.heap.classes[class].loader.unwrap_or_default().is_null() && table.kind(class) == ObjectKind::Instance
}

/// The classes of all objects, of the elements of arrays, and those above any class: whatever uses them brings them along.
fn used_classes(table: &HeapTable<'_>) -> Vec<usize> {
    let mut used = vec![false; table.heap.classes.len()];
    for object in &table.heap.objects {
        let mut class = match object.kind {
            ObjectKind::Instance => object.class.and_then(|class| table.class_at(class)),
            _ => array_class(table, object),
        };
        while let Some(place) = class {
            class = match array_element(table, place) {
                _ if std::mem::replace(&mut used[place], true) => None,
                Some(ArrayElementClass::Class(element)) => Some(element),
                Some(ArrayElementClass::Primitive(_)) | None => None,
            };
        }
    }
    for class in 0..used.len() {
        if let Some(above) = table.hierarchy.superclass(class) {
            used[above] = true;
        }
    }
    (0..used.len()).filter(|class| used[*class]).collect()
}

fn of_library(table: &HeapTable<'_>, sizes: &AutomaticSizes, used: &[usize], library: Library) -> Option<LibraryWorld> {
    let string = table.class_named(&"java/lang/String".into())?;
    let mut builder = HeapBuilder::new(sizes.settings.world(true).library(library).java_names(false));
    if let Some(traces) = &table.heap.surroundings.traces {
        let empty = builder.empty_trace();
        traces.iter().find(|trace| trace.serial == empty && trace.thread.0 == 0 && trace.frames.is_empty())?;
    }
    let begun = builder.class_count();
    let catalogue: HashSet<Name> = library.catalogue().iter().map(|class| class.name.into()).collect();
    for class in used.iter().chain([&string]).filter(|class| catalogue.contains(table.name(**class))) {
        let name = table.name(*class).to_java_form().to_text()?;
        builder.class_named(&name).ok()?;
    }
    let built = builder.build_source().ok()?;
    let mut classes = HashSet::new();
    for (number, class) in built.classes().iter().enumerate() {
        let is_here = table.has_class_named(&class.name);
        let own = table.class_named(&class.name).filter(|own| agrees(table, *own, class, built.classes()));
        match own {
            Some(own) => drop(classes.insert(own)),
            // The heap would have a class too many.
            None if number < begun || !is_here => return None,
            None => {}
        }
    }
    Some(LibraryWorld { library, classes })
}

/// Whether all that is known of a class of the heap is so in the class that is built.
fn agrees(table: &HeapTable<'_>, own: usize, built: &Class, all: &[Class]) -> bool {
    let class = &table.heap.classes[own];
    let above = |address: Address| all.iter().find(|class| class.address == address).map(|class| &class.name);
    let own_above = |address: Address| table.class_at(address).map(|class| table.name(class));
    let is_null = |address: Option<Address>| address.unwrap_or_default().is_null();
    let has_superclass = class.superclass.is_none_or(|own| match built.superclass {
        Some(built) if built.is_null() => own.is_null(),
        Some(built) => own_above(own).is_some() && own_above(own) == above(built),
        None => false,
    });
    let is_none_or = |known: Option<bool>| known.unwrap_or(true);
    table.has_usual_form(own)
        && has_superclass
        && is_null(class.loader)
        && is_null(class.signers)
        && is_null(class.protection_domain)
        && class.hash.is_none()
        && class.interfaces.as_ref().is_none_or(Vec::is_empty)
        && class.references.as_ref().is_none_or(Vec::is_empty)
        && class.constant_pool.as_ref().is_none_or(Vec::is_empty)
        && class.class_object_size.is_none_or(|stated| stated.0 == CLASS_BYTES)
        && class.trace.is_none_or(|trace| table.is_empty_trace(trace))
        && is_none_or(class.instance_size.map(|size| Some(size) == built.instance_size))
        && is_none_or(class.fields.as_ref().map(|fields| Some(fields) == built.fields.as_ref()))
        && is_none_or(class.statics.as_ref().map(|statics| Some(statics) == built.statics.as_ref()))
}
