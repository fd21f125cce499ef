//! Strings with the same characters.

use std::hash::BuildHasher as _;

use foldhash::HashMap;
use foldhash::fast::RandomState;
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;

use crate::compare::facts::ContentItems;
use crate::error::Error;
use crate::model::string_text::{StringPart, Utf16Order};
use crate::model::{Contents, HeapSource, Object, ObjectKind, PiecewiseContents};

use super::graph::{CharacterArray, Characters, EntryGraph};

/// The strings of a heap, those with the same characters together.
#[derive(Clone, Debug)]
pub(super) struct StringGroups<'g> {
    characters: &'g Characters,
    /// Strings whose characters the dump has.
    pub(super) strings: u64,
    /// Each text with its strings.
    pub(super) texts: Vec<StringGroup>,
}

/// Strings of the same characters. There can be as many texts as strings, so that it is small.
#[derive(Clone, Copy, Debug)]
pub(super) struct StringGroup {
    /// The number of strings with this text.
    pub(super) count: u32,
    /// The first of these strings, by its place among the graph's strings.
    pub(super) string: u32,
    /// The array with its characters, by its place among the graph's arrays.
    array: u32,
}

impl<'g> StringGroups<'g> {
    /// Groups the strings of a graph by text. `None` where no string has characters.
    pub(super) fn from_graph(graph: &'g EntryGraph) -> Option<StringGroups<'g>> {
        let characters = graph.characters();
        let arrays = CharacterArrayIndex::new(&characters.arrays);
        // The one array of characters that a string refers to.
        let array_of = |entry: u32| graph.reference_range(entry).find_map(|place| arrays.find(graph.target(place)));
        let mut found = StringGroups { characters, strings: 0, texts: Vec::new() };
        // The numbers of texts by their contents: only numbers, since there may be millions. The table has room for all: one that
        // grows would hash every text again, and texts stand elsewhere in memory.
        let (state, mut known) = (RandomState::default(), HashTable::<u32>::with_capacity(characters.strings.len()));
        let told_apart = |string: u32, array: u32| {
            let (of_array, (_, part)) = (&characters.arrays[array as usize], characters.strings[string as usize]);
            (of_array.kind, of_array.hash, part)
        };
        for (string, (entry, _)) in (0..).zip(&characters.strings) {
            let Some(array) = array_of(*entry) else { continue };
            found.strings += 1;
            // Older strings have an offset and a count, newer ones a coder, which is 0 for ISO 8859-1.
            let (key, texts) = (told_apart(string, array), &found.texts);
            let of = |text: &u32| texts.get(*text as usize).map(|text| told_apart(text.string, text.array));
            let hash = state.hash_one(key);
            match known.entry(hash, |text| of(text) == Some(key), |text| of(text).map_or(0, |key| state.hash_one(key)))
            {
                Entry::Occupied(text) => found.texts[*text.get() as usize].count += 1,
                Entry::Vacant(place) => {
                    place.insert(texts.len() as u32);
                    found.texts.push(StringGroup { count: 1, string, array });
                }
            }
        }
        (found.strings > 0).then_some(found)
    }

    /// The entry of the first string of a text.
    pub(super) fn first(&self, text: &StringGroup) -> u32 {
        self.characters.strings[text.string as usize].0
    }

    /// The entry of the array with the characters of a text.
    pub(super) fn array(&self, text: &StringGroup) -> u32 {
        self.characters.arrays[text.array as usize].entry
    }

    /// The bytes of that array's elements.
    pub(super) fn bytes(&self, text: &StringGroup) -> u64 {
        self.characters.arrays[text.array as usize].bytes
    }

    /// The part of that array.
    fn part(&self, text: &StringGroup) -> StringPart {
        self.characters.parts[self.characters.strings[text.string as usize].1 as usize]
    }
}

/// An index of the arrays of characters, which ascend by entry.
struct CharacterArrayIndex<'a> {
    all: &'a [CharacterArray],
    /// The first array of each [`BLOCK`] of entries, and the end of the last one's.
    starts: Vec<u32>,
}

const BLOCK: u32 = 64;

impl<'a> CharacterArrayIndex<'a> {
    fn new(all: &'a [CharacterArray]) -> CharacterArrayIndex<'a> {
        let mut starts = Vec::new();
        for (at, array) in (0..).zip(all) {
            // A block that is there has begun; those that were passed over begin where this one does.
            let blocks = (array.entry / BLOCK) as usize + 1;
            if starts.len() < blocks {
                starts.resize(blocks, at);
            }
        }
        starts.push(all.len() as u32);
        CharacterArrayIndex { all, starts }
    }

    /// The place of an entry's array among all.
    fn find(&self, entry: u32) -> Option<u32> {
        let block = (entry / BLOCK) as usize;
        let (from, to) = (*self.starts.get(block)? as usize, *self.starts.get(block + 1)? as usize);
        let within = self.all[from..to].binary_search_by_key(&entry, |array| array.entry).ok()?;
        Some((from + within) as u32)
    }
}

/// Reads some texts, in a visit that ends when all are found. Those that cannot be told are left out.
pub(super) fn read_texts(
    source: &mut dyn HeapSource,
    groups: &StringGroups<'_>,
    class_count: u32,
    wanted: &[&StringGroup],
) -> Result<HashMap<u32, String>, Error> {
    let mut found = HashMap::default();
    let last = wanted.iter().map(|text| groups.array(text)).max();
    let (mut entry, order) = (class_count, groups.characters.order);
    let visited = source.visit_objects(&mut |object| {
        for text in wanted.iter().filter(|text| groups.array(text) == entry) {
            if let Some(shown) = shown_text(object, groups.part(text), order)? {
                found.insert(text.string, shown);
            }
        }
        if last.is_none_or(|last| entry >= last) {
            // Only an error ends a visit.
            return Err(Error::Usage(String::new()));
        }
        entry += 1;
        Ok(())
    });
    if last.is_some_and(|last| entry < last) {
        visited?;
    }
    Ok(found)
}

/// The number of characters of a text that are shown.
const SHOWN: usize = 60;

/// The first characters of a text; `None` if it cannot be told.
fn shown_text(array: &Object, part: StringPart, order: Utf16Order) -> Result<Option<String>, Error> {
    let ObjectKind::PrimitiveArray(element) = array.kind else { return Ok(None) };
    let items = match &array.contents {
        Contents::Primitives(bytes) => ContentItems::Held(bytes),
        Contents::Long(PiecewiseContents::Primitives(bytes)) => ContentItems::Long(bytes),
        _ => return Ok(None),
    };
    let Some(range) = part.byte_range(element, items.count()) else { return Ok(None) };
    // A character has at most four bytes.
    let most = (4 * SHOWN as u64).min(range.end - range.start);
    let bytes = items.read_range(range.start, most as usize)?;
    let units = part.decode(element, &bytes, order);
    Ok(units.map(|units| String::from_utf16_lossy(&units).chars().take(SHOWN).collect()))
}
