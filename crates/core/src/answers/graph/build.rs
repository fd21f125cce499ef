//! Building the graph of a heap in one visit of its objects.

use std::hash::BuildHasher as _;
use std::mem;

use foldhash::HashMap;
use foldhash::fast::RandomState;
use hashbrown::HashTable;

use crate::compare::carriage::array_name;
use crate::error::Error;
use crate::model::{
    Address, Class, Contents, FieldType, HeapSource, Name, NameForms, Object, ObjectKind, PiecewiseContents,
    RecentCache, Root, RootKind, Serial,
};

use super::characters::Characters;
use super::entry_index::EntryIndex;
use super::referent_fields::ReferentFields;
use super::sizes::ObjectSizes;
use super::{EdgeOptions, EntryGraph, EntryHead, EntryType, GraphRoot};

impl GraphRoot {
    /// Whether the root keeps its object alive. Android's dumps list unreachable objects as roots of a kind of their
    /// own, and a thread may take the place of its locals' roots.
    pub fn keeps(&self) -> bool {
        self.thread.is_none() && !RootKind::FORMS[self.kind].kind.is_a(RootKind::Unreachable)
    }
}

impl EntryGraph {
    /// Builds the graph of a heap in one visit of its objects.
    ///
    /// # Errors
    /// If the heap has more than 2^32 - 17 classes, objects and references together, or if reading its objects fails.
    pub fn from_source(source: &mut dyn HeapSource, edges: EdgeOptions) -> Result<EntryGraph, Error> {
        let mut builder = GraphBuilder::new(source, edges);
        let listed = (0..).zip(source.classes()).try_for_each(|(number, class)| builder.add_class(number, class));
        listed?;
        source.visit_objects(&mut |object| builder.add_object(object))?;
        builder.graph.places = EntryIndex::new(&builder.graph.addresses, builder.graph.classes);
        Ok(builder.resolve(source))
    }
}

/// A graph under construction, whose references are still addresses.
struct GraphBuilder {
    graph: EntryGraph,
    targets: Vec<u64>,
    referents: ReferentFields,
    sizes: ObjectSizes,
    classes: HashMap<Address, u32>,
    java: std::collections::HashMap<Address, Name>,
    by_name: HashMap<Name, u32>,
    /// The traits of each class of objects.
    of_classes: Vec<ObjectClassTraits>,
    /// The places in `of_classes`, by class key.
    by_class: HashTable<u32>,
    state: RandomState,
    /// The type of each place in `of_classes` and size.
    by_size: HashMap<(usize, Option<u64>), u32>,
    /// The places of classes that objects had recently, by [`class_hint`]: consecutive objects often have one class.
    lately: RecentCache<usize, CLASSES>,
    /// The class `java.lang.Class`, where classes refer to it.
    class_of_classes: Option<Address>,
}

/// The properties that all objects of a class share.
struct ObjectClassTraits {
    key: ClassKey,
    /// The type of the objects without its size; that of instances has the size of their class.
    of: EntryType,
    /// The numbers of recently used types, by size.
    lately: [u32; SIZES],
    /// The index of the referent field, where referents do not count as references.
    weak: Option<usize>,
    is_string: bool,
    /// Whether objects refer to a class that the dump does not have.
    is_dangling: bool,
}

/// The number of classes that are cached.
const CLASSES: usize = 256;
/// The number of sizes that are cached for each class: arrays of one class have many, most of them small.
const SIZES: usize = 8;

/// A first key to look up an object's class: equal for objects of one class, and mostly different for others.
#[inline]
fn class_hint(object: &Object) -> Address {
    match object.kind {
        ObjectKind::PrimitiveArray(element) => Address(element as u64),
        ObjectKind::Instance | ObjectKind::ObjectArray => object.class.or(object.class_word).unwrap_or_default(),
    }
}

/// The fields of an object that determine its class.
type ClassKey = (ObjectKind, Option<Address>, Option<Address>, Option<Name>);

/// A number that no type has: there are fewer.
const NO_TYPE: u32 = u32::MAX;

/// The most entries and references together: with the references from objects to their classes they are counted in 32
/// bits.
const MOST: usize = u32::MAX as usize - 16;

impl ObjectClassTraits {
    /// Whether an object belongs to the class.
    #[inline]
    fn matches(&self, object: &Object) -> bool {
        let (kind, class, class_word, class_name) = &self.key;
        (*kind, *class, *class_word) == (object.kind, object.class, object.class_word)
            && *class_name == object.class_name
    }
}

impl GraphBuilder {
    fn new(source: &dyn HeapSource, edges: EdgeOptions) -> GraphBuilder {
        let classes = source.classes();
        let mut forms = NameForms::new(Name::to_java_form);
        let mut builder = GraphBuilder {
            graph: EntryGraph {
                classes: classes.len(),
                addresses: Vec::with_capacity(classes.len()),
                places: EntryIndex::default(),
                heads: vec![EntryHead::default()],
                targets: Vec::new(),
                types: Vec::new(),
                names: Vec::new(),
                edges,
                dangling: 0,
                characters: Characters::for_classes(classes),
                roots: None,
            },
            targets: Vec::new(),
            referents: if edges.referents { ReferentFields::default() } else { ReferentFields::from_classes(classes) },
            sizes: ObjectSizes::from_source(source),
            classes: HashMap::default(),
            java: std::collections::HashMap::default(),
            by_name: HashMap::default(),
            of_classes: Vec::new(),
            by_class: HashTable::new(),
            state: RandomState::default(),
            by_size: HashMap::default(),
            lately: RecentCache::new(),
            class_of_classes: None,
        };
        for (number, class) in (0..).zip(classes) {
            builder.classes.entry(class.address).or_insert(number);
            let java = forms.convert(&class.name);
            let (name, size) = (Some(builder.intern_name(&java)), class.class_object_size.map(|size| size.0));
            builder.graph.types.push(EntryType { kind: None, class: None, name, size });
            if edges.class_of_classes && builder.class_of_classes.is_none() && java.as_bytes() == b"java.lang.Class" {
                builder.class_of_classes = Some(class.address);
            }
            builder.java.entry(class.address).or_insert(java);
        }
        builder
    }

    fn intern_name(&mut self, name: &Name) -> u32 {
        if let Some(number) = self.by_name.get(name) {
            return *number;
        }
        let number = self.graph.names.len() as u32;
        self.graph.names.push(name.clone());
        self.by_name.insert(name.clone(), number);
        number
    }

    /// Adds the class of a number, which is its type's number, too.
    fn add_class(&mut self, number: u32, class: &Class) -> Result<(), Error> {
        if self.graph.edges.class_objects {
            self.graph.edges.class_references(class).for_each(|to| self.targets.push(to));
            self.class_of_classes.iter().for_each(|class| self.targets.push(class.0));
        }
        self.close_entry(class.address, number)
    }

    fn add_object(&mut self, object: &Object) -> Result<(), Error> {
        let place = self.class_place(object);
        let of_class = &self.of_classes[place];
        let (weak, is_string) = (of_class.weak, of_class.is_string);
        self.graph.dangling += u64::from(of_class.is_dangling);
        let size = self.sizes.object_size_with(object, |_| of_class.of.size);
        self.graph.characters.add(self.graph.addresses.len() as u32, object, is_string)?;
        let number = self.type_number(place, size);
        match &object.contents {
            Contents::Fields(values) => {
                for (place, value) in values.iter().enumerate() {
                    if value.kind == FieldType::Object && value.bits != 0 && Some(place) != weak {
                        self.targets.push(value.bits);
                    }
                }
            }
            Contents::Elements(listed) | Contents::References(listed) => {
                listed.iter().filter(|to| !to.is_null()).for_each(|to| self.targets.push(to.0));
            }
            Contents::Long(PiecewiseContents::Elements(listed) | PiecewiseContents::References(listed)) => listed
                .visit(|piece| {
                    piece.iter().filter(|to| !to.is_null()).for_each(|to| self.targets.push(to.0));
                    self.check_room()
                })?,
            _ => {}
        }
        self.close_entry(object.address, number)
    }

    /// Completes an entry of a type after its references.
    fn close_entry(&mut self, address: Address, of_type: u32) -> Result<(), Error> {
        self.check_room()?;
        self.graph.addresses.push(address.0);
        self.graph.heads.last_mut().into_iter().for_each(|head| head.of_type = of_type);
        self.graph.heads.push(EntryHead { start: self.targets.len() as u32, of_type: 0 });
        Ok(())
    }

    fn check_room(&self) -> Result<(), Error> {
        if self.targets.len() + self.graph.addresses.len() > MOST {
            let message = format!("answers are for heaps of up to {MOST} classes, objects and references together");
            return Err(Error::Usage(message));
        }
        Ok(())
    }

    /// The index of an object's class in `of_classes`.
    fn class_place(&mut self, object: &Object) -> usize {
        let hint = class_hint(object);
        let lately = self.lately.get_or_find(hint, || usize::MAX);
        if self.of_classes.get(lately).is_some_and(|of| of.matches(object)) {
            return lately;
        }
        let key = (object.kind, object.class, object.class_word, object.class_name.clone());
        let (hash, known) = (self.state.hash_one(&key), &self.of_classes);
        let place = match self.by_class.find(hash, |place| known[*place as usize].key == key) {
            Some(place) => *place as usize,
            None => {
                let (place, of_class) = (known.len(), self.traits_of(object, key));
                self.of_classes.push(of_class);
                let (state, known) = (&self.state, &self.of_classes);
                self.by_class.insert_unique(hash, place as u32, |place| state.hash_one(&known[*place as usize].key));
                place
            }
        };
        self.lately.insert(hint, place);
        place
    }

    fn traits_of(&mut self, object: &Object, key: ClassKey) -> ObjectClassTraits {
        let name = match object.kind {
            ObjectKind::Instance => {
                let by_class = || self.java.get(&object.class.or(object.class_word)?).cloned();
                object.class_name.as_ref().map(Name::to_java_form).or_else(by_class)
            }
            _ => array_name(object, &self.java),
        };
        // A name without characters is none.
        let name = name.filter(|name| !name.as_bytes().is_empty()).map(|name| self.intern_name(&name));
        // Only an instance's class word is its class in every dump.
        let word = object.class_word.filter(|_| object.kind == ObjectKind::Instance);
        let named =
            object.class.or(word).filter(|class| !class.is_null() && self.graph.edges.refers_to_class(object.kind));
        let class = named.and_then(|class| self.classes.get(&class)).copied();
        let size = object.class.and_then(|class| self.sizes.instance_size(class));
        ObjectClassTraits {
            key,
            of: EntryType { kind: Some(object.kind), class, name, size },
            lately: [NO_TYPE; SIZES],
            weak: object.class.and_then(|class| self.referents.field_index(class)),
            is_string: object.class.is_some_and(|class| self.graph.characters.is_string(class)),
            is_dangling: named.is_some() && class.is_none(),
        }
    }

    /// The number of the type of a class's objects of one size.
    fn type_number(&mut self, place: usize, size: Option<u64>) -> u32 {
        let ObjectClassTraits { of, lately, .. } = &mut self.of_classes[place];
        let (types, slot) = (&mut self.graph.types, size.unwrap_or_default() as usize / 8 % SIZES);
        if types.get(lately[slot] as usize).is_some_and(|of| of.size == size) {
            return lately[slot];
        }
        let number = *self.by_size.entry((place, size)).or_insert_with(|| {
            types.push(EntryType { size, ..*of });
            types.len() as u32 - 1
        });
        lately[slot] = number;
        number
    }

    /// The finished graph, in which addresses became entries.
    fn resolve(self, source: &dyn HeapSource) -> EntryGraph {
        let GraphBuilder { mut graph, targets, .. } = self;
        graph.roots = source.surroundings().roots.as_ref().map(|roots| graph_roots(&graph, source.classes(), roots));
        let locals = thread_locals(graph.roots.as_deref().unwrap_or_default());
        // Entries take the places of addresses; locals have room in front of them.
        let before = locals.len();
        let mut places = Vec::with_capacity(before + targets.len());
        places.resize(before, 0);
        places.extend(targets.iter().map(|target| graph.referred_entry(Address(*target)).unwrap_or(DANGLING)));
        drop(targets);
        let dangling = places.iter().filter(|place| **place == DANGLING).count() as u64;
        graph.dangling += dangling;
        if dangling == 0 && locals.is_empty() {
            places.shrink_to_fit();
            graph.targets = places;
            return graph;
        }
        let (mut from, mut found) = (before, 0);
        let mut locals = locals.into_iter().peekable();
        let mut heads = mem::take(&mut graph.heads);
        for (entry, EntryHead { start, .. }) in (0..).zip(heads.iter_mut().skip(1)) {
            let to = before + *start as usize;
            for at in from..to {
                if places[at] != DANGLING {
                    places[found] = places[at];
                    found += 1;
                }
            }
            while let Some((_, local)) = locals.next_if(|(thread, _)| *thread == entry) {
                places[found] = local;
                found += 1;
            }
            (from, *start) = (to, found as u32);
        }
        places.truncate(found);
        places.shrink_to_fit();
        (graph.heads, graph.targets) = (heads, places);
        graph
    }
}

/// The entry of a dangling reference: there are fewer entries.
const DANGLING: u32 = u32::MAX;

/// The roots with the entries of their objects. A thread's local has the thread's entry, too, where the thread holds
/// it.
fn graph_roots(graph: &EntryGraph, classes: &[Class], roots: &[Root]) -> Vec<GraphRoot> {
    let mut threads: HashMap<Serial, u32> = HashMap::default();
    for root in roots.iter().filter(|_| graph.edges.locals) {
        if let (RootKind::ThreadObject(thread, _), Some(entry)) = (root.kind, graph.referred_entry(root.object)) {
            threads.entry(thread).or_insert(entry);
        }
    }
    let of_thread = |kind: RootKind| match kind {
        RootKind::JniLocal(thread, _)
        | RootKind::JavaFrame(thread, _)
        | RootKind::NativeStack(thread)
        | RootKind::ThreadBlock(thread)
        | RootKind::JniMonitor(thread, _) => threads.get(&thread).copied(),
        _ => None,
    };
    let mut rooted: Vec<GraphRoot> = Vec::with_capacity(roots.len());
    rooted.extend(roots.iter().map(|root| GraphRoot {
        kind: root.kind.index(),
        entry: graph.referred_entry(root.object),
        thread: of_thread(root.kind),
    }));
    let sticky = RootKind::StickyClass.index();
    if !graph.edges.class_objects {
        let held = classes.iter().flat_map(|class| class.statics.iter().flatten());
        let held = held.filter_map(|field| field.value.as_reference().filter(|to| !to.is_null()));
        rooted.extend(held.map(|to| GraphRoot { kind: sticky, entry: graph.referred_entry(to), thread: None }));
        return rooted;
    }
    let has_sticky = rooted.iter().any(|root| root.kind == sticky);
    let kept = classes.iter().filter(|class| graph.edges.keeps(class, has_sticky));
    rooted.extend(kept.map(|class| GraphRoot { kind: sticky, entry: graph.find(class.address), thread: None }));
    rooted
}

/// The locals that threads hold, sorted by thread.
fn thread_locals(roots: &[GraphRoot]) -> Vec<(u32, u32)> {
    let mut locals: Vec<_> = roots.iter().filter_map(|root| root.thread.zip(root.entry)).collect();
    locals.sort_by_key(|(thread, _)| *thread);
    locals
}

impl EntryGraph {
    /// The entry at an address that references lead to.
    fn referred_entry(&self, address: Address) -> Option<u32> {
        self.find(address).filter(|entry| self.is_referred(*entry))
    }

    /// Whether references lead to an entry.
    fn is_referred(&self, entry: u32) -> bool {
        self.edges.class_objects || entry as usize >= self.classes
    }
}
