//! Collections that are written by their contents: those that the builder lays out as the heap has them.

use std::rc::Rc;

use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};

use crate::builder::{
    BuildError, CollectionLayout, EntryInput, FieldInput, ObjectId, box_class, boxed_hash, spread_hash,
};
use crate::model::{Address, Contents, FieldType, IdentityHash, PrimitiveType, Value};

use super::oracle::{LayoutOracle, MatchedObject};
use super::table::{FieldKey, FieldSlot, HeapTable};
use super::texts::{RecognisedTexts, StringLayout};

/// A collection as a heap file has it.
#[derive(Clone, Debug)]
pub(super) struct CollectionForm {
    /// The kind of its node.
    pub(super) node: &'static str,
    pub(super) entries: Vec<EntryForm>,
    /// The places of its values that do not follow from its contents.
    pub(super) given: Vec<usize>,
}

/// An entry of a map, or an element.
#[derive(Clone, Copy, Debug)]
pub(super) struct EntryForm {
    pub(super) key: Address,
    /// The value of a map's entry.
    pub(super) value: Option<Address>,
    /// The hash of the key, where it does not follow from the key.
    pub(super) hash: Option<i32>,
}

/// The collections of a heap, and the objects that they consist of.
#[derive(Debug, Default)]
pub(super) struct RecognisedCollections {
    forms: HashMap<usize, CollectionForm>,
    parts: HashSet<usize>,
}

impl RecognisedCollections {
    pub(super) fn new<'t, 'h>(oracle: &mut LayoutOracle<'t, 'h>, texts: &RecognisedTexts) -> RecognisedCollections {
        let table = oracle.table;
        let layouts: Vec<Option<CollectionLayout>> =
            (0..table.heap.classes.len()).map(|class| oracle.builder.layout_of_class(oracle.class_id(class))).collect();
        let mut collections = RecognisedCollections::default();
        if layouts.iter().all(Option::is_none) {
            return collections;
        }
        let mut reader = CollectionReader { layout: texts.layout(), fields: FieldReader::new(table) };
        let layout_of = |object: usize| layouts[table.class_at(table.heap.objects[object].class?)?];
        // The maps of sets are parts of those.
        let is_set = |layout: CollectionLayout| matches!(layout, CollectionLayout::Set { .. });
        for sets in [true, false] {
            for object in 0..table.heap.objects.len() {
                let layout = layout_of(object).filter(|layout| is_set(*layout) == sets);
                let Some(layout) = layout.filter(|_| !collections.parts.contains(&object)) else { continue };
                if let Some((form, matched)) = reader.recognise(oracle, object, layout) {
                    collections.parts.extend(matched.parts);
                    collections.forms.insert(object, form);
                }
            }
        }
        collections
    }

    /// The form of a collection that is written by its contents.
    pub(super) fn form(&self, object: usize) -> Option<&CollectionForm> {
        self.forms.get(&object)
    }

    /// Whether an object is part of a collection.
    pub(super) fn is_part(&self, object: usize) -> bool {
        self.parts.contains(&object)
    }

    /// The keys whose hashes follow from them.
    pub(super) fn keys(&self) -> impl Iterator<Item = Address> {
        self.forms.values().flat_map(|form| &form.entries).filter(|entry| entry.hash.is_none()).map(|entry| entry.key)
    }
}

/// Reads fields by their names.
pub(super) struct FieldReader<'t, 'h> {
    pub(super) table: &'t HeapTable<'h>,
    slots: HashMap<usize, Rc<[FieldSlot]>>,
}

impl<'t, 'h> FieldReader<'t, 'h> {
    pub(super) fn new(table: &'t HeapTable<'h>) -> FieldReader<'t, 'h> {
        FieldReader { table, slots: HashMap::new() }
    }

    fn slots(&mut self, class: usize) -> Rc<[FieldSlot]> {
        Rc::clone(self.slots.entry(class).or_insert_with(|| self.table.slots(class).into()))
    }

    /// The value of an object's field.
    pub(super) fn value(&mut self, object: usize, name: &str) -> Option<Value> {
        let object = &self.table.heap.objects[object];
        let class = self.table.class_at(object.class?)?;
        let Contents::Fields(values) = &object.contents else { return None };
        let is_named = |slot: &FieldSlot| matches!(&slot.key, FieldKey::Property(key) if key == name);
        values.get(self.slots(class).iter().position(is_named)?).copied()
    }

    /// The reference in an object's field.
    pub(super) fn reference(&mut self, object: usize, name: &str) -> Option<Address> {
        let value = self.value(object, name)?;
        (value.kind == FieldType::Object).then_some(Address(value.bits))
    }

    /// The object that an object's field refers to.
    pub(super) fn object(&mut self, object: usize, name: &str) -> Option<usize> {
        let to = self.reference(object, name)?;
        self.table.object_at(to)
    }

    /// The elements of the array that an object's field refers to.
    pub(super) fn elements(&mut self, object: usize, name: &str) -> Option<&'t [Address]> {
        match &self.table.heap.objects[self.object(object, name)?].contents {
            Contents::Elements(elements) => Some(elements),
            _ => None,
        }
    }
}

/// A node of a map.
#[derive(Clone, Copy, Debug)]
struct MapNode {
    address: Address,
    hash: u32,
    key: Address,
    value: Address,
}

/// The part of a key by which maps find it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum HeapKey {
    Text(Vec<u16>),
    Boxed(PrimitiveType, u64),
    Address(Address),
}

/// Reads the contents of collections.
struct CollectionReader<'t, 'h, 'x> {
    layout: Option<&'x StringLayout>,
    fields: FieldReader<'t, 'h>,
}

impl<'t, 'h> CollectionReader<'t, 'h, '_> {
    /// The form of a collection, if what the builder makes of it is what the heap has.
    fn recognise(
        &mut self,
        oracle: &mut LayoutOracle<'t, 'h>,
        object: usize,
        layout: CollectionLayout,
    ) -> Option<(CollectionForm, MatchedObject)> {
        let (node, candidates) = match layout {
            CollectionLayout::List => ("list", vec![self.list_elements(object)?]),
            CollectionLayout::Map { is_linked } => ("map", self.map_entries(object, "value", is_linked)?),
            CollectionLayout::ConcurrentMap => ("map", self.map_entries(object, "val", false)?),
            CollectionLayout::Set { is_linked } => {
                let table = self.fields.table;
                let class = table.class_named(&"java/util/HashSet".into())?;
                let mut statics = table.heap.classes[class].statics.iter().flatten();
                // The builder gives all sets one value; it is not to be made anew for each of them.
                statics.find(|own| own.name == "PRESENT".into() && own.value.bits != 0)?;
                let map = self.fields.object(object, "map")?;
                let mut candidates = self.map_entries(map, "value", is_linked)?;
                candidates.iter_mut().flatten().for_each(|entry| entry.value = None);
                ("set", candidates)
            }
        };
        candidates.into_iter().find_map(|entries| {
            let kept = oracle.builder.built_objects();
            let made = make(oracle, object, &entries);
            let matched = made.ok().flatten().and_then(|made| oracle.compare(made, object));
            oracle.builder.forget_objects(kept);
            let matched = matched.filter(|matched| self.are_properties(object, &matched.given))?;
            let entries = entries.into_iter().map(|entry| self.without_own_hash(entry, layout)).collect();
            Some((CollectionForm { node, entries, given: matched.given.clone() }, matched))
        })
    }

    /// Whether values can be given as properties.
    fn are_properties(&mut self, object: usize, places: &[usize]) -> bool {
        let class = self.fields.table.heap.objects[object].class.and_then(|class| self.fields.table.class_at(class));
        class.is_some_and(|class| {
            let slots = self.fields.slots(class);
            places.iter().all(|place| matches!(slots[*place].key, FieldKey::Property(_)))
        })
    }

    fn list_elements(&mut self, list: usize) -> Option<Vec<EntryForm>> {
        let size = self.fields.value(list, "size")?.bits as u32 as usize;
        let elements = self.fields.elements(list, "elementData")?.get(..size)?;
        Some(elements.iter().map(|element| EntryForm { key: *element, value: None, hash: None }).collect())
    }

    /// The entries of a map in the orders in which they may have been put in, each with its hash.
    fn map_entries(&mut self, map: usize, value: &str, is_linked: bool) -> Option<Vec<Vec<EntryForm>>> {
        let mut chains = Vec::new();
        let mut count = 0;
        if !self.fields.reference(map, "table")?.is_null() {
            for head in self.fields.elements(map, "table")? {
                let mut chain = Vec::new();
                let mut next = *head;
                while !next.is_null() {
                    let (node, after) = self.map_node(next, value)?;
                    (next, count) = (after, count + 1);
                    chain.push(node);
                    // A chain that leads back into itself has no end.
                    (count <= self.fields.table.heap.objects.len()).then_some(())?;
                }
                chains.push(chain);
            }
        }
        let nodes: Vec<MapNode> = chains.iter().flatten().copied().collect();
        self.are_different_keys(&nodes)?;
        let orders = match is_linked {
            true => vec![self.linked_order(map, &nodes)?],
            false => {
                let mut by_address = nodes.clone();
                by_address.sort_by_key(|node| node.address);
                let reversed = chains.iter().flat_map(|chain| chain.iter().rev()).copied().collect();
                vec![by_address, nodes, reversed]
            }
        };
        let entry = |node: MapNode| EntryForm {
            key: node.key,
            value: Some(node.value),
            hash: Some(spread_hash(node.hash) as i32),
        };
        let mut orders: Vec<Vec<EntryForm>> =
            orders.into_iter().map(|order| order.into_iter().map(entry).collect()).collect();
        orders.dedup_by(|one, other| one.iter().map(|entry| entry.key).eq(other.iter().map(|entry| entry.key)));
        Some(orders)
    }

    /// A node, and the next one of its chain.
    fn map_node(&mut self, address: Address, value: &str) -> Option<(MapNode, Address)> {
        let node = self.fields.table.object_at(address)?;
        let hash = self.fields.value(node, "hash")?.bits as u32;
        let (key, value) = (self.fields.reference(node, "key")?, self.fields.reference(node, value)?);
        Some((MapNode { address, hash, key, value }, self.fields.reference(node, "next")?))
    }

    /// The nodes of a LinkedHashMap, in the order of their links.
    fn linked_order(&mut self, map: usize, nodes: &[MapNode]) -> Option<Vec<MapNode>> {
        let by_address: HashMap<Address, MapNode> = nodes.iter().map(|node| (node.address, *node)).collect();
        let mut order = Vec::with_capacity(nodes.len());
        let mut next = self.fields.reference(map, "head")?;
        while !next.is_null() {
            (order.len() < nodes.len()).then_some(())?;
            order.push(*by_address.get(&next)?);
            next = self.fields.reference(self.fields.table.object_at(next)?, "after")?;
        }
        (order.len() == nodes.len()).then_some(order)
    }

    /// Refuses keys of which a map would take one in the place of another.
    fn are_different_keys(&mut self, nodes: &[MapNode]) -> Option<()> {
        let mut known = HashSet::with_capacity(nodes.len());
        nodes.iter().try_for_each(|node| known.insert(self.identity(node.key)?).then_some(()))
    }

    fn identity(&mut self, key: Address) -> Option<HeapKey> {
        let table = self.fields.table;
        let Some(object) = table.object_at(key) else { return Some(HeapKey::Address(key)) };
        let Some(class) = table.heap.objects[object].class.and_then(|class| table.class_at(class)) else {
            return Some(HeapKey::Address(key));
        };
        if *table.name(class) == "java/lang/String".into() {
            // Of a String that is laid out in another way the text is not known.
            let layout = self.layout.filter(|layout| layout.class == class)?;
            return layout.units(table, &table.heap.objects[object]).map(|(units, _)| HeapKey::Text(units));
        }
        let name = table.name(class).to_java_form();
        let boxed = PrimitiveType::ALL.into_iter().find(|kind| name == box_class(*kind).into());
        let Some(kind) = boxed else { return Some(HeapKey::Address(key)) };
        let value = self.fields.value(object, "value").filter(|value| value.kind == FieldType::Primitive(kind))?;
        Some(HeapKey::Boxed(kind, value.bits))
    }

    /// The hash that the builder has of a key by itself.
    fn own_hash(&mut self, key: Address) -> Option<i32> {
        let table = self.fields.table;
        if key.is_null() {
            return Some(0);
        }
        match self.identity(key)? {
            HeapKey::Text(units) => self.layout?.asked_hash(table, &table.heap.objects[table.object_at(key)?], &units),
            HeapKey::Boxed(kind, bits) => Some(boxed_hash(kind, bits)),
            HeapKey::Address(key) => match table.heap.objects[table.object_at(key)?].hash? {
                IdentityHash::Bits32(hash) => Some(hash as i32),
                IdentityHash::Bits16(hash) => Some(hash.into()),
            },
        }
    }

    /// The entry without its hash, if that follows from its key.
    fn without_own_hash(&mut self, entry: EntryForm, layout: CollectionLayout) -> EntryForm {
        // A ConcurrentHashMap keeps 31 bits of a hash.
        let kept = if layout == CollectionLayout::ConcurrentMap { i32::MAX as u32 } else { u32::MAX };
        let is_kept = |own: i32, given: i32| spread_hash(own as u32) & kept == spread_hash(given as u32) & kept;
        let hash = entry.hash.filter(|given| !self.own_hash(entry.key).is_some_and(|own| is_kept(own, *given)));
        EntryForm { hash, ..entry }
    }
}

/// The collection that the builder makes of entries.
fn make(
    oracle: &mut LayoutOracle<'_, '_>,
    object: usize,
    entries: &[EntryForm],
) -> Result<Option<ObjectId>, BuildError> {
    let Some(class) = oracle.class_of(object) else { return Ok(None) };
    let class = oracle.class_id(class);
    let input = |address: Address| FieldInput::Reference(LayoutOracle::target(address));
    let is_map = matches!(
        oracle.builder.layout_of_class(class),
        Some(CollectionLayout::Map { .. } | CollectionLayout::ConcurrentMap)
    );
    let made = oracle.builder.object(class)?;
    let made = match is_map {
        true => made.put_entries(entries.iter().map(|entry| EntryInput {
            key: input(entry.key),
            value: input(entry.value.unwrap_or_default()),
            hash: entry.hash,
        }))?,
        false => made.add_elements(entries.iter().map(|entry| (input(entry.key), entry.hash)))?,
    };
    Ok(Some(made.id()))
}
