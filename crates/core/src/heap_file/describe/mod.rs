//! A dump as a heap file (docs/heap-file.md): what [`HeapBuilder`](crate::builder::HeapBuilder) would be told to build it again.
//!
//! Without `exact`, whatever the builder makes by itself is left to it: addresses and orders, the library's classes, and the
//! objects that Strings, boxed values, collections and threads consist of. A short form is chosen only where the builder, asked for
//! it, makes just what the heap has (`LayoutOracle`), so that the heap comes back up to renaming. What is left out of the file is
//! counted in the comment at the head. With `exact` each class and object is a node of its own.

mod around;
mod boxes;
mod class;
mod collections;
mod names;
mod object;
mod oracle;
mod part;
mod sizes;
mod table;
mod texts;
mod threads;
mod uses;
mod world;

use std::io::Write;
use std::rc::Rc;

use foldhash::{HashMap, HashMapExt};

use crate::error::Error;
use crate::heap_file::notation::{NodeText, spell_text};
use crate::model::{Address, Dump, Event, Heap};
use crate::setters;

use around::LeftOut;
use boxes::RecognisedBoxes;
use collections::RecognisedCollections;
use names::{HeapNames, is_object_name};
use oracle::LayoutOracle;
use sizes::AutomaticSizes;
use table::{FieldSlot, HeapTable};
use texts::RecognisedTexts;
use threads::RecognisedThreads;
use uses::ReferenceUses;
use world::LibraryWorld;

/// The options of [`describe`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct DescribeOptions {
    /// Whether addresses, orders, serial numbers and the log are written, so that a writer gives back the same bytes.
    pub exact: bool,
    /// The object or class from which on the heap is described. `None`: all of it.
    pub from: Option<Address>,
    /// The class whose objects are described, by its name in either form. `None`: all.
    pub class: Option<String>,
    /// The most references that are followed from there. `None`: all that is reachable.
    pub depth: Option<u64>,
}

setters! {
    impl DescribeOptions {
        set exact: bool;
        option from: Address;
        option class: String;
        option depth: u64;
    }
}

/// Writes the heap file of a dump, and gives its length in bytes.
///
/// # Errors
/// If a heap file cannot say something of the dump, the part that is asked for does not exist, or writing fails.
pub fn describe(dump: &Dump, options: &DescribeOptions, out: &mut dyn Write) -> Result<u64, Error> {
    let mut bytes = 0;
    let is_part = options.from.is_some() || options.class.is_some();
    for (number, heap) in dump.heaps.iter().enumerate() {
        if number > 0 {
            out.write_all(b"\n").map_err(write_error)?;
            bytes += 1;
        }
        let tail = if number + 1 == dump.heaps.len() && !is_part { dump.tail.as_slice() } else { &[] };
        if is_part {
            let part = part::choose(heap, options)?;
            let comments = part.comments(heap);
            bytes += HeapDescriber::new(&part.heap, options.exact)?.write(tail, &comments, out)?;
        } else {
            bytes += HeapDescriber::new(heap, options.exact)?.write(tail, &[], out)?;
        }
    }
    Ok(bytes)
}

fn write_error(error: std::io::Error) -> Error {
    Error::io("writing the heap file", error)
}

/// A heap on its way to a heap file.
struct HeapDescriber<'h> {
    heap: &'h Heap,
    table: HeapTable<'h>,
    sizes: AutomaticSizes,
    names: HeapNames,
    /// The library whose classes are there by themselves, if they are.
    world: Option<LibraryWorld>,
    texts: RecognisedTexts,
    boxes: RecognisedBoxes,
    collections: RecognisedCollections,
    threads: RecognisedThreads,
    /// The number of ThreadLocals so far, from which the builder works out the hash of the next one.
    thread_locals: u32,
    slots: HashMap<usize, Rc<[FieldSlot]>>,
    exact: bool,
    /// Whether the order of the file is kept: parts of a heap begin at a place in it.
    ordered: bool,
}

impl<'h> HeapDescriber<'h> {
    fn new(heap: &'h Heap, exact: bool) -> Result<HeapDescriber<'h>, Error> {
        let table = HeapTable::new(heap)?;
        let mut sizes = AutomaticSizes::fitted(&table);
        let ordered = exact || heap.surroundings.regions.as_ref().is_some_and(|regions| !regions.is_empty());
        let world = if ordered { None } else { LibraryWorld::recognise(&table, &sizes) };
        let of_library = world.as_ref().map(|world| world.classes.clone()).unwrap_or_default();
        let names = HeapNames::new(&table, &sizes, &of_library, ordered);
        let mut describer = HeapDescriber {
            heap,
            names,
            texts: RecognisedTexts::default(),
            boxes: RecognisedBoxes::default(),
            collections: RecognisedCollections::default(),
            threads: RecognisedThreads::default(),
            thread_locals: 0,
            slots: HashMap::new(),
            exact,
            ordered,
            world,
            sizes: sizes.clone(),
            table,
        };
        if exact {
            return Ok(describer);
        }
        let (table, names) = (&describer.table, &describer.names);
        let uses = ReferenceUses::new(table);
        let mut texts = RecognisedTexts::new(table, names, &sizes, &uses);
        sizes.settings = match &describer.world {
            Some(world) => sizes.settings.world(true).library(world.library),
            None => sizes.settings.library(texts.library()),
        };
        let boxes = RecognisedBoxes::new(table, names, &sizes, &uses);
        let mut oracle = LayoutOracle::new(table, &sizes, &uses);
        let collections = RecognisedCollections::new(&mut oracle, &texts);
        let threads = match &describer.world {
            Some(_) => RecognisedThreads::new(&mut oracle, &texts),
            None => RecognisedThreads::default(),
        };
        for key in collections.keys().filter(|key| uses.is_single_value(*key)) {
            table.object_at(key).into_iter().for_each(|key| texts.put_in_place(key));
        }
        let of_threads = threads.forms.iter().filter(|form| spell_text(&form.name) == form.name);
        let of_threads: Vec<(usize, String)> =
            of_threads.filter(|form| is_object_name(&form.name)).map(|form| (form.object, form.name.clone())).collect();
        (describer.texts, describer.boxes, describer.collections) = (texts, boxes, collections);
        (describer.threads, describer.sizes) = (threads, sizes);
        describer.names.rename_objects(of_threads);
        Ok(describer)
    }

    /// Writes the heap once all of it could be said.
    fn write(mut self, tail: &[Event], comments: &[String], out: &mut dyn Write) -> Result<u64, Error> {
        let mut text = Vec::new();
        let mut lines = vec![self.summary()];
        lines.extend(comments.iter().cloned());
        lines.extend((!self.exact).then(|| LeftOut::count(&self.table, tail).comment()).flatten());
        lines.iter().try_for_each(|line| writeln!(text, "// {line}")).map_err(write_error)?;
        let mut write = |node: &NodeText| node.write(&mut text).map_err(write_error);
        write(&self.heap_node())?;
        self.header_node().iter().try_for_each(&mut write)?;
        let mut classes: Vec<usize> = (0..self.heap.classes.len()).collect();
        classes.retain(|class| self.names.is_declared(*class));
        if !self.ordered {
            // Array classes are declared by those of their elements.
            classes.sort_by_key(|class| self.table.dimensions(*class));
        }
        for class in classes {
            write(&self.class_node(class)?)?;
        }
        let mut objects: Vec<usize> = (0..self.heap.objects.len()).collect();
        if !self.ordered {
            objects.sort_by_key(|object| self.heap.objects[*object].address);
        }
        for object in objects {
            self.object_node(object)?.iter().try_for_each(&mut write)?;
        }
        self.thread_nodes()?.iter().try_for_each(&mut write)?;
        self.surrounding_nodes(tail)?.iter().try_for_each(&mut write)?;
        out.write_all(&text).map_err(write_error)?;
        Ok(text.len() as u64)
    }

    fn summary(&self) -> String {
        let of = |count: usize, one: &str, many: &str| format!("{count} {}", if count == 1 { one } else { many });
        format!(
            "{} and {}",
            of(self.heap.classes.len(), "class", "classes"),
            of(self.heap.objects.len(), "object", "objects")
        )
    }

    /// The fields of a class's objects.
    fn slots(&mut self, class: usize) -> Rc<[FieldSlot]> {
        Rc::clone(self.slots.entry(class).or_insert_with(|| self.table.slots(class).into()))
    }
}

#[cfg(test)]
mod tests;
