//! Strings with the same characters.

use std::hash::BuildHasher as _;

use foldhash::HashMap;
use foldhash::fast::RandomState;
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;

use crate::error::Error;
use crate::model::{Contents, HeapSource, Object, ObjectKind, PiecewiseContents, PrimitiveType};

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
    string: u32,
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

    /// Whether the array is exactly the text: all of an array of `char`, or of `byte` in ISO 8859-1.
    pub(super) fn is_plain(&self, text: &StringGroup) -> bool {
        let (_, part) = self.characters.strings[text.string as usize];
        let array = &self.characters.arrays[text.array as usize];
        self.characters.parts[part as usize].is_all_of(array.length())
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

/// Reads the texts of some arrays, in a visit that ends when all are found.
pub(super) fn read_texts(
    source: &mut dyn HeapSource,
    graph: &EntryGraph,
    wanted: &[u32],
) -> Result<HashMap<u32, String>, Error> {
    let mut found = HashMap::default();
    let mut entry = graph.class_count() as u32;
    let visited = source.visit_objects(&mut |object| {
        if wanted.contains(&entry) {
            found.insert(entry, decode_text(object)?);
            if found.len() == wanted.len() {
                return Err(Error::Usage(String::new()));
            }
        }
        entry += 1;
        Ok(())
    });
    if found.len() < wanted.len() {
        visited?;
    }
    Ok(found)
}

/// The number of characters of a text that are shown.
const SHOWN: usize = 60;

/// The first characters of an array: UTF-16 of one of `char`, ISO 8859-1 of one of `byte`.
fn decode_text(object: &Object) -> Result<String, Error> {
    let bytes = match &object.contents {
        Contents::Primitives(bytes) => bytes[..bytes.len().min(2 * SHOWN)].to_vec(),
        Contents::Long(PiecewiseContents::Primitives(bytes)) => bytes.first(2 * SHOWN)?,
        _ => Vec::new(),
    };
    let pairs = bytes.as_chunks::<2>().0;
    let units: Vec<u16> = match object.kind {
        ObjectKind::PrimitiveArray(PrimitiveType::Char) => pairs.iter().map(|pair| u16::from_be_bytes(*pair)).collect(),
        _ => bytes.iter().map(|byte| u16::from(*byte)).collect(),
    };
    let text: String = String::from_utf16_lossy(&units).chars().take(SHOWN).collect();
    Ok(text)
}
