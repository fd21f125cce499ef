//! Collections of the Java library, laid out as its classes do it when the entries are put in one by one.
//!
//! The algorithms are those of `java.util` since JDK 8 (HashMap.java, LinkedHashMap.java, ConcurrentHashMap.java,
//! ArrayList.java, ThreadLocal.java of 17.0.15 and 25.0.2), as far as they decide where an entry lies.

use crate::model::PrimitiveType;

use super::error::BuildError;
use super::input::{BuiltValue, FieldInput, ReferenceTarget};
use super::object::{BuiltContents, ObjectBuilder};
use super::{ClassId, HeapBuilder, ObjectId};

/// A collection whose layout is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CollectionLayout {
    /// `HashMap`, or `LinkedHashMap`, whose entries are linked in their order.
    Map {
        is_linked: bool,
    },
    ConcurrentMap,
    List,
    /// `HashSet`, or `LinkedHashSet`: the keys of a map.
    Set {
        is_linked: bool,
    },
}

/// The layout of each class.
const LAYOUTS: [(&str, CollectionLayout); 6] = [
    ("java/util/HashMap", CollectionLayout::Map { is_linked: false }),
    ("java/util/LinkedHashMap", CollectionLayout::Map { is_linked: true }),
    ("java/util/concurrent/ConcurrentHashMap", CollectionLayout::ConcurrentMap),
    ("java/util/ArrayList", CollectionLayout::List),
    ("java/util/HashSet", CollectionLayout::Set { is_linked: false }),
    ("java/util/LinkedHashSet", CollectionLayout::Set { is_linked: true }),
];

/// The first table of a HashMap, in entries.
const FIRST_TABLE: usize = 16;
/// The number of entries in a chain from which on Java makes a tree of it.
const TREE_FROM: usize = 8;
/// The smallest table in which a chain becomes a tree; a smaller one grows in its place.
const TREE_TABLE: usize = 64;
/// The first array of an ArrayList.
const FIRST_ELEMENTS: usize = 10;

/// An entry of a map: its key, its value, and the hash as the map keeps it.
#[derive(Clone, Copy, Debug)]
struct MapEntry {
    hash: u32,
    key: ReferenceTarget,
    value: ReferenceTarget,
}

/// An entry of a map, or an element of a set, as a caller writes it.
#[derive(Clone, Debug)]
pub(crate) struct EntryInput {
    pub(crate) key: FieldInput,
    /// The value; null for an element of a set.
    pub(crate) value: FieldInput,
    /// What `hashCode` of the key gives, where that does not follow from the key.
    pub(crate) hash: Option<i32>,
}

/// A hash as maps keep it: the upper half is mixed into the lower one (`HashMap.hash`). Applied twice it gives the hash itself.
pub(crate) fn spread_hash(hash: u32) -> u32 {
    hash ^ (hash >> 16)
}

/// The hash as a ConcurrentHashMap keeps it: negative ones mark special nodes.
const CONCURRENT_BITS: u32 = 0x7fff_ffff;

/// Chains of entries, by their numbers: the table of a map.
#[derive(Debug)]
struct ChainTable {
    chains: Vec<Vec<usize>>,
}

impl ChainTable {
    fn new(length: usize) -> ChainTable {
        ChainTable { chains: vec![Vec::new(); length] }
    }

    fn chain(&mut self, hash: u32) -> &mut Vec<usize> {
        let place = hash as usize & (self.chains.len() - 1);
        &mut self.chains[place]
    }

    /// Doubles the table as `HashMap.resize` does: a chain is split, and both parts keep its order.
    fn double(&mut self, entries: &[MapEntry]) {
        let mut doubled = ChainTable::new(2 * self.chains.len());
        for entry in self.chains.iter().flatten() {
            doubled.chain(entries[*entry].hash).push(*entry);
        }
        *self = doubled;
    }

    /// Doubles the table as `ConcurrentHashMap.transfer` does: the end of a chain that goes to one place is kept, and what
    /// stands before it is put in front, one by one.
    fn transfer(&mut self, entries: &[MapEntry]) {
        let length = self.chains.len();
        let is_high = |entry: usize| entries[entry].hash as usize & length != 0;
        let mut doubled = ChainTable::new(2 * length);
        for (place, chain) in self.chains.iter().enumerate() {
            let Some(last) = chain.last() else { continue };
            let run = chain.iter().rposition(|entry| is_high(*entry) != is_high(*last)).map_or(0, |before| before + 1);
            let (mut low, mut high) = (Vec::new(), Vec::new());
            *(if is_high(*last) { &mut high } else { &mut low }) = chain[run..].to_vec();
            for entry in &chain[..run] {
                (if is_high(*entry) { &mut high } else { &mut low }).insert(0, *entry);
            }
            doubled.chains[place] = low;
            doubled.chains[place + length] = high;
        }
        *self = doubled;
    }
}

impl HeapBuilder {
    /// Whether an object is a collection whose layout is known.
    pub(crate) fn is_collection(&self, object: ObjectId) -> bool {
        self.collection_layout(object).is_some()
    }

    /// Fills a collection without entries or elements.
    pub(crate) fn fill_empty(&mut self, object: ObjectId) -> Result<(), BuildError> {
        match self.collection_layout(object) {
            Some(CollectionLayout::List | CollectionLayout::Set { .. }) => {
                self.edit(object).elements(std::iter::empty::<FieldInput>()).map(drop)
            }
            _ => self.edit(object).entries(std::iter::empty::<(FieldInput, FieldInput)>()).map(drop),
        }
    }

    /// The layout of a collection, if it is known.
    fn collection_layout(&self, object: ObjectId) -> Option<CollectionLayout> {
        self.layout_of_class(self.objects[object.0].class)
    }

    /// The layout of the collections of a class, if it is known.
    pub(crate) fn layout_of_class(&self, class: ClassId) -> Option<CollectionLayout> {
        let name = &self.classes[class.0].name;
        LAYOUTS.iter().find(|(class, _)| *name == (*class).into()).map(|(_, layout)| *layout)
    }

    fn refuse_unknown_layout(&self, object: ObjectId) -> Result<(), BuildError> {
        if self.settings.world && !self.settings.library.has_collections() {
            return Err(BuildError::new(
                "JDK 6 lays collections out in other ways, which are not known; choose library=jdk-8 or a later one",
            ));
        }
        let known: Vec<String> = LAYOUTS.iter().map(|(class, _)| class.replace('/', ".")).collect();
        match self.collection_layout(object) {
            Some(_) => Ok(()),
            None => Err(BuildError::new(format!(
                "{} is none of the collections whose layout is known: {}",
                self.class_name(self.class_of(object)),
                known.join(", ")
            ))),
        }
    }

    /// An object of a library class that a collection consists of.
    fn part(&mut self, class: &str) -> Result<ObjectId, BuildError> {
        let class = self.class_named(class)?;
        self.new_instance(class)
    }

    fn set_int(&mut self, object: ObjectId, field: &str, value: i32) -> Result<(), BuildError> {
        self.set_value(object, field, BuiltValue::Primitive(PrimitiveType::Int, u64::from(value as u32)))
    }

    fn set_reference(&mut self, object: ObjectId, field: &str, target: ReferenceTarget) -> Result<(), BuildError> {
        self.set_value(object, field, BuiltValue::Reference(target))
    }

    /// An array of references, of a class by its name.
    fn reference_array(&mut self, class: &str, elements: Vec<ReferenceTarget>) -> Result<ObjectId, BuildError> {
        let class = self.class_named(class)?;
        Ok(self.add_object(class, BuiltContents::Elements(elements)))
    }

    /// Entries with their hashes; a key that is equal to an earlier one takes its place, as `put` does.
    fn hashed_entries(
        &mut self,
        entries: Vec<(ReferenceTarget, ReferenceTarget, Option<i32>)>,
    ) -> Result<Vec<MapEntry>, BuildError> {
        let mut hashed: Vec<MapEntry> = Vec::with_capacity(entries.len());
        let mut known: std::collections::HashMap<KeyIdentity, usize> = std::collections::HashMap::new();
        for (key, value, given) in entries {
            let hash = given.map_or_else(|| self.key_hash(key), Ok)? as u32;
            let entry = MapEntry { hash: spread_hash(hash), key, value };
            match known.get(&self.key_identity(key)) {
                Some(place) => hashed[*place].value = value,
                None => {
                    known.insert(self.key_identity(key), hashed.len());
                    hashed.push(entry);
                }
            }
        }
        Ok(hashed)
    }

    /// The part of a key that `equals` compares.
    fn key_identity(&self, key: ReferenceTarget) -> KeyIdentity {
        match key {
            ReferenceTarget::Object(object) => match (self.text_of(object), self.box_of(object)) {
                (Some(units), _) => KeyIdentity::Text(units),
                (_, Some((kind, bits))) => KeyIdentity::Boxed(kind, bits),
                _ => KeyIdentity::Object(key),
            },
            _ => KeyIdentity::Object(key),
        }
    }

    /// Fills a HashMap or a LinkedHashMap.
    fn fill_map(&mut self, map: ObjectId, entries: &[MapEntry], is_linked: bool) -> Result<(), BuildError> {
        self.set_value(map, "loadFactor", BuiltValue::Primitive(PrimitiveType::Float, 0.75_f32.to_bits().into()))?;
        self.set_int(map, "size", entries.len() as i32)?;
        self.set_int(map, "modCount", entries.len() as i32)?;
        if entries.is_empty() {
            return Ok(());
        }
        let mut table = ChainTable::new(FIRST_TABLE);
        for (number, entry) in entries.iter().enumerate() {
            let chain = table.chain(entry.hash);
            chain.push(number);
            if chain.len() > TREE_FROM {
                match table.chains.len() < TREE_TABLE {
                    true => table.double(entries),
                    false => return Err(tree_refused(chain_length(&mut table, entry.hash))),
                }
            }
            if number + 1 > table.chains.len() / 4 * 3 {
                table.double(entries);
            }
        }
        self.set_int(map, "threshold", (table.chains.len() / 4 * 3) as i32)?;
        let class = if is_linked { "java.util.LinkedHashMap$Entry" } else { "java.util.HashMap$Node" };
        let nodes = self.chain_nodes(class, "value", entries, &table)?;
        let table = self.reference_array("java.util.HashMap$Node[]", heads(&table, &nodes))?;
        self.set_reference(map, "table", table.into())?;
        if is_linked {
            for pair in nodes.windows(2) {
                self.set_reference(pair[0], "after", pair[1].into())?;
                self.set_reference(pair[1], "before", pair[0].into())?;
            }
            self.set_reference(map, "head", nodes[0].into())?;
            self.set_reference(map, "tail", nodes[nodes.len() - 1].into())?;
        }
        Ok(())
    }

    /// Fills a ConcurrentHashMap.
    fn fill_concurrent_map(&mut self, map: ObjectId, entries: &mut [MapEntry]) -> Result<(), BuildError> {
        if entries.iter().any(|entry| entry.key == ReferenceTarget::Null || entry.value == ReferenceTarget::Null) {
            return Err(BuildError::new("a ConcurrentHashMap has no null keys and no null values"));
        }
        let count = entries.len() as u64;
        self.set_value(map, "baseCount", BuiltValue::Primitive(PrimitiveType::Long, count))?;
        if entries.is_empty() {
            return Ok(());
        }
        entries.iter_mut().for_each(|entry| entry.hash &= CONCURRENT_BITS);
        let mut table = ChainTable::new(FIRST_TABLE);
        for (number, entry) in entries.iter().enumerate() {
            let chain = table.chain(entry.hash);
            chain.push(number);
            if chain.len() > TREE_FROM {
                return Err(tree_refused(chain.len()));
            }
            while number + 1 >= table.chains.len() / 4 * 3 {
                table.transfer(entries);
            }
        }
        self.set_int(map, "sizeCtl", (table.chains.len() / 4 * 3) as i32)?;
        let nodes = self.chain_nodes("java.util.concurrent.ConcurrentHashMap$Node", "val", entries, &table)?;
        let table = self.reference_array("java.util.concurrent.ConcurrentHashMap$Node[]", heads(&table, &nodes))?;
        self.set_reference(map, "table", table.into())
    }

    /// The node of each entry, linked in its chain.
    fn chain_nodes(
        &mut self,
        class: &str,
        value: &str,
        entries: &[MapEntry],
        table: &ChainTable,
    ) -> Result<Vec<ObjectId>, BuildError> {
        let mut nodes = Vec::with_capacity(entries.len());
        for entry in entries {
            let node = self.part(class)?;
            self.set_int(node, "hash", entry.hash as i32)?;
            self.set_reference(node, "key", entry.key)?;
            self.set_reference(node, value, entry.value)?;
            nodes.push(node);
        }
        for pair in table.chains.iter().flat_map(|chain| chain.windows(2)) {
            self.set_reference(nodes[pair[0]], "next", nodes[pair[1]].into())?;
        }
        Ok(nodes)
    }

    /// Fills an ArrayList.
    fn fill_list(&mut self, list: ObjectId, mut elements: Vec<ReferenceTarget>) -> Result<(), BuildError> {
        let size = elements.len();
        self.set_int(list, "size", size as i32)?;
        self.set_int(list, "modCount", size as i32)?;
        let mut capacity = if size == 0 { 0 } else { FIRST_ELEMENTS };
        while capacity < size {
            capacity += capacity >> 1;
        }
        elements.resize(capacity, ReferenceTarget::Null);
        let array = self.reference_array("java.lang.Object[]", elements)?;
        self.set_reference(list, "elementData", array.into())
    }

    /// The value that the map of every HashSet has: that of its static field, if one is given.
    fn present(&mut self) -> Result<ReferenceTarget, BuildError> {
        if let Some(present) = self.present {
            return Ok(present);
        }
        let class = self.class_named("java.util.HashSet")?;
        let of_class = self.classes[class.0].statics.iter().find(|(own, _)| own.field.name == "PRESENT".into());
        let present = match of_class {
            Some((_, BuiltValue::Reference(given))) if *given != ReferenceTarget::Null => *given,
            Some(_) => {
                let present = self.part("java.lang.Object")?;
                self.edit_class(class).set_static("PRESENT", present)?;
                present.into()
            }
            None => self.part("java.lang.Object")?.into(),
        };
        self.present = Some(present);
        Ok(present)
    }

    /// Fills a HashSet or a LinkedHashSet: a map whose values are all the same object.
    fn fill_set(
        &mut self,
        set: ObjectId,
        elements: Vec<(ReferenceTarget, Option<i32>)>,
        is_linked: bool,
    ) -> Result<(), BuildError> {
        let present = self.present()?;
        let map = self.part(if is_linked { "java.util.LinkedHashMap" } else { "java.util.HashMap" })?;
        let entries = elements.into_iter().map(|(element, hash)| (element, present, hash)).collect();
        let entries = self.hashed_entries(entries)?;
        self.fill_map(map, &entries, is_linked)?;
        self.set_reference(set, "map", map.into())
    }

    /// The map of a thread's local values, as `ThreadLocal.set` fills it.
    pub(super) fn thread_local_map(&mut self, entries: &[(ObjectId, ReferenceTarget)]) -> Result<ObjectId, BuildError> {
        let map = self.part("java.lang.ThreadLocal$ThreadLocalMap")?;
        let mut table: Vec<Option<(u32, ObjectId)>> = vec![None; FIRST_TABLE];
        let place = |table: &mut Vec<Option<(u32, ObjectId)>>, hash: u32, entry: ObjectId| {
            let mut at = hash as usize & (table.len() - 1);
            while table[at].is_some() {
                at = (at + 1) & (table.len() - 1);
            }
            table[at] = Some((hash, entry));
        };
        for (number, (key, value)) in entries.iter().enumerate() {
            let Some(BuiltValue::Primitive(_, hash)) = self.value_of(*key, "threadLocalHashCode") else {
                return Err(BuildError::new("the key of a thread-local value is a java.lang.ThreadLocal"));
            };
            let entry = self.part("java.lang.ThreadLocal$ThreadLocalMap$Entry")?;
            self.set_reference(entry, "referent", (*key).into())?;
            self.set_reference(entry, "value", *value)?;
            place(&mut table, hash as u32, entry);
            // `rehash`: at two thirds, and then from three quarters of that on, the table is doubled.
            let threshold = table.len() * 2 / 3;
            if number > 0 && number + 1 >= threshold {
                let mut doubled = vec![None; 2 * table.len()];
                table.iter().flatten().for_each(|(hash, entry)| place(&mut doubled, *hash, *entry));
                table = doubled;
            }
        }
        self.set_int(map, "size", entries.len() as i32)?;
        self.set_int(map, "threshold", (table.len() * 2 / 3) as i32)?;
        let elements =
            table.iter().map(|entry| entry.map_or(ReferenceTarget::Null, |(_, entry)| entry.into())).collect();
        let table = self.reference_array("java.lang.ThreadLocal$ThreadLocalMap$Entry[]", elements)?;
        self.set_reference(map, "table", table.into())?;
        Ok(map)
    }
}

/// The part of a key that `equals` compares.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum KeyIdentity {
    Text(Vec<u16>),
    Boxed(PrimitiveType, u64),
    Object(ReferenceTarget),
}

/// The first node of each chain.
fn heads(table: &ChainTable, nodes: &[ObjectId]) -> Vec<ReferenceTarget> {
    table.chains.iter().map(|chain| chain.first().map_or(ReferenceTarget::Null, |first| nodes[*first].into())).collect()
}

fn chain_length(table: &mut ChainTable, hash: u32) -> usize {
    table.chain(hash).len()
}

fn tree_refused(length: usize) -> BuildError {
    BuildError::new(format!(
        "{length} keys have hashes of one place in the table: Java makes a tree of such a chain, whose layout is not known"
    ))
}

impl ObjectBuilder<'_> {
    /// Fills a map with entries, put in one by one.
    ///
    /// # Errors
    /// If the object is no map whose layout is known, or Java would make a tree of a chain.
    pub fn entries<K: Into<FieldInput>, V: Into<FieldInput>>(
        self,
        entries: impl IntoIterator<Item = (K, V)>,
    ) -> Result<Self, BuildError> {
        let given = |(key, value): (K, V)| EntryInput { key: key.into(), value: value.into(), hash: None };
        self.put_entries(entries.into_iter().map(given))
    }

    /// Fills a map with entries, whose keys may have their hashes with them.
    pub(crate) fn put_entries(self, entries: impl IntoIterator<Item = EntryInput>) -> Result<Self, BuildError> {
        self.heap.refuse_unknown_layout(self.object)?;
        let mut targets = Vec::new();
        for EntryInput { key, value, hash } in entries {
            let key = self.heap.target(key, None)?;
            targets.push((key, self.heap.target(value, None)?, hash));
        }
        let mut entries = self.heap.hashed_entries(targets)?;
        match self.heap.collection_layout(self.object) {
            Some(CollectionLayout::Map { is_linked }) => self.heap.fill_map(self.object, &entries, is_linked)?,
            Some(CollectionLayout::ConcurrentMap) => self.heap.fill_concurrent_map(self.object, &mut entries)?,
            _ => {
                let name = self.heap.class_name(self.heap.class_of(self.object));
                return Err(BuildError::new(format!("{name} has elements and no entries")));
            }
        }
        Ok(self)
    }

    /// Fills a list or a set with elements, added one by one.
    ///
    /// # Errors
    /// If the object is no list or set whose layout is known, or Java would make a tree of a chain.
    pub fn elements<E: Into<FieldInput>>(self, elements: impl IntoIterator<Item = E>) -> Result<Self, BuildError> {
        self.add_elements(elements.into_iter().map(|element| (element.into(), None)))
    }

    /// Fills a list or a set with elements; those of a set may have their hashes with them.
    pub(crate) fn add_elements(
        self,
        elements: impl IntoIterator<Item = (FieldInput, Option<i32>)>,
    ) -> Result<Self, BuildError> {
        self.heap.refuse_unknown_layout(self.object)?;
        let mut targets = Vec::new();
        for (element, hash) in elements {
            targets.push((self.heap.target(element, None)?, hash));
        }
        match self.heap.collection_layout(self.object) {
            Some(CollectionLayout::List) => {
                if targets.iter().any(|(_, hash)| hash.is_some()) {
                    return Err(BuildError::new("a list has no hashes of its elements"));
                }
                self.heap.fill_list(self.object, targets.into_iter().map(|(element, _)| element).collect())?;
            }
            Some(CollectionLayout::Set { is_linked }) => self.heap.fill_set(self.object, targets, is_linked)?,
            _ => {
                let name = self.heap.class_name(self.heap.class_of(self.object));
                return Err(BuildError::new(format!("{name} has entries and no elements")));
            }
        }
        Ok(self)
    }
}
