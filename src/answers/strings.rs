//! Strings with the same characters.

use foldhash::HashMap;

use crate::error::Error;
use crate::model::{Contents, HeapSource, Long, Object, ObjectKind, PrimitiveType};

use super::graph::{CharacterArray, Graph, Part};

/// The strings of a heap, those with the same characters together.
#[derive(Clone, Debug)]
pub(super) struct Strings {
    /// Strings whose characters the dump has.
    pub(super) strings: u64,
    /// Each text with its strings: how often it occurs, its first string, and its bytes in an array.
    pub(super) texts: Vec<Text>,
}

/// Strings of the same characters.
#[derive(Clone, Debug)]
pub(super) struct Text {
    /// How many strings have it.
    pub(super) count: u64,
    /// The first of them.
    pub(super) first: u32,
    /// The array with the characters of that.
    pub(super) array: u32,
    /// Bytes of the array's elements.
    pub(super) bytes: u64,
    /// Whether the array is the text: one of `char`, or of `byte` in ISO 8859-1, and all of it.
    pub(super) is_plain: bool,
}

impl Strings {
    /// Of the strings and arrays of a graph. `None` where no string has characters.
    pub(super) fn of(graph: &Graph) -> Option<Strings> {
        let characters = graph.characters();
        let arrays = Arrays::of(&characters.arrays);
        // The one array of characters that a string refers to.
        let array_of = |entry: u32| graph.listed(entry).find_map(|place| arrays.find(graph.target(place)));
        let mut found = Strings { strings: 0, texts: Vec::new() };
        let mut known: HashMap<(ObjectKind, [u8; 16], Part), usize> = HashMap::default();
        for (entry, part) in &characters.strings {
            let Some(array) = array_of(*entry) else { continue };
            let Some(kind) = graph.kind(array.entry) else { continue };
            found.strings += 1;
            // Older strings have an offset and a count, newer ones a coder, which is 0 for ISO 8859-1.
            let text = *known.entry((kind, array.hash, *part)).or_insert_with(|| {
                let (first, array, bytes) = (*entry, array.entry, array.bytes);
                found.texts.push(Text { count: 0, first, array, bytes, is_plain: *part == Part::default() });
                found.texts.len() - 1
            });
            found.texts[text].count += 1;
        }
        (found.strings > 0).then_some(found)
    }
}

/// Arrays of characters, by their entries in ascending order.
struct Arrays<'a> {
    all: &'a [CharacterArray],
    /// Where those of each [`BLOCK`] of entries begin; and where the last ones end.
    starts: Vec<u32>,
}

const BLOCK: u32 = 64;

impl<'a> Arrays<'a> {
    fn of(all: &'a [CharacterArray]) -> Arrays<'a> {
        let mut starts = Vec::new();
        for (at, array) in (0..).zip(all) {
            // A block that is there has begun; those that were passed over begin where this one does.
            let blocks = (array.entry / BLOCK) as usize + 1;
            if starts.len() < blocks {
                starts.resize(blocks, at);
            }
        }
        starts.push(all.len() as u32);
        Arrays { all, starts }
    }

    fn find(&self, entry: u32) -> Option<&'a CharacterArray> {
        let block = (entry / BLOCK) as usize;
        let (from, to) = (*self.starts.get(block)? as usize, *self.starts.get(block + 1)? as usize);
        let within = &self.all[from..to];
        Some(&within[within.binary_search_by_key(&entry, |array| array.entry).ok()?])
    }
}

/// The texts of the arrays of some strings, as far as they are short, by a visit that ends when all are found.
pub(super) fn texts(source: &mut dyn HeapSource, graph: &Graph, wanted: &[u32]) -> Result<HashMap<u32, String>, Error> {
    let mut found = HashMap::default();
    let mut entry = graph.classes() as u32;
    let visited = source.visit_objects(&mut |object| {
        if wanted.contains(&entry) {
            found.insert(entry, text(object)?);
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

/// Characters of a text that are shown.
const SHOWN: usize = 60;

/// The characters of an array of `char` or `byte`: UTF-16 of either order where the bytes are that, else ISO 8859-1.
fn text(object: &Object) -> Result<String, Error> {
    let bytes = match &object.contents {
        Contents::Primitives(bytes) => bytes[..bytes.len().min(2 * SHOWN)].to_vec(),
        Contents::Long(Long::Primitives(bytes)) => bytes.first(2 * SHOWN)?,
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
