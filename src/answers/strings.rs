//! Strings with the same characters.

use foldhash::HashMap;
use sha2::{Digest as _, Sha256};

use crate::error::Error;
use crate::model::{Class, Contents, FieldType, HeapSource, Long, Name, Object, ObjectKind, PrimitiveType};

use super::graph::Graph;

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

/// The type of an array's elements, and 128 bits of the SHA-256 of its bytes.
type Characters = (PrimitiveType, [u8; 16]);

/// The fields of a string that say which part of its array it is, and how that is to be read.
type Part = Vec<u64>;

impl Strings {
    /// Of a heap whose objects are visited once more. `None` where no string has characters.
    pub(super) fn of(source: &mut dyn HeapSource, graph: &Graph) -> Result<Option<Strings>, Error> {
        let string = Name::from_text("java.lang.String");
        let Some(string) = graph.names().iter().position(|name| *name == string) else { return Ok(None) };
        let is_string =
            |entry: u32| graph.kind(entry) == Some(ObjectKind::Instance) && graph.name(entry) == Some(string as u32);
        // The one array of characters that a string refers to.
        let array_of = |entry: u32| {
            let is_text = |to: &u32| {
                let kind = graph.kind(*to);
                [PrimitiveType::Byte, PrimitiveType::Char]
                    .into_iter()
                    .any(|t| kind == Some(ObjectKind::PrimitiveArray(t)))
            };
            graph.references(entry).find(is_text)
        };
        let mut is_wanted = vec![false; graph.len()];
        let strings = (graph.classes() as u32..graph.len() as u32).filter(|entry| is_string(*entry));
        let mut any = false;
        for array in strings.filter_map(array_of) {
            (is_wanted[array as usize], any) = (true, true);
        }
        if !any {
            return Ok(None);
        }
        let parts = PartFields::of(source.classes());
        let mut characters: HashMap<u32, (Characters, u64)> = HashMap::default();
        let mut listed: Vec<(u32, u32, Part)> = Vec::new();
        let mut entry = graph.classes() as u32;
        source.visit_objects(&mut |object| {
            if is_wanted[entry as usize] {
                if let Some(hashed) = hashed(object)? {
                    characters.insert(entry, hashed);
                }
            } else if is_string(entry)
                && let Some(array) = array_of(entry)
            {
                listed.push((entry, array, parts.of_object(object)));
            }
            entry += 1;
            Ok(())
        })?;
        let mut found = Strings { strings: 0, texts: Vec::new() };
        let mut known: HashMap<(Characters, Part), usize> = HashMap::default();
        for (entry, array, part) in listed {
            let Some((characters, bytes)) = characters.get(&array).copied() else { continue };
            found.strings += 1;
            // Older strings have an offset and a count, newer ones a coder, which is 0 for ISO 8859-1.
            let is_plain = part.len() < 2 && part.iter().all(|value| *value == 0);
            let text = *known.entry((characters, part)).or_insert_with(|| {
                found.texts.push(Text { count: 0, first: entry, array, bytes, is_plain });
                found.texts.len() - 1
            });
            found.texts[text].count += 1;
        }
        Ok((found.strings > 0).then_some(found))
    }
}

/// The characters of an array, and its bytes, where the dump has them.
fn hashed(object: &Object) -> Result<Option<(Characters, u64)>, Error> {
    let ObjectKind::PrimitiveArray(kind) = object.kind else { return Ok(None) };
    let (mut hash, mut count) = (Sha256::new(), 0);
    match &object.contents {
        Contents::Primitives(bytes) => {
            hash.update(bytes);
            count = bytes.len() as u64;
        }
        Contents::Long(Long::Primitives(bytes)) => bytes.visit(|piece| {
            hash.update(piece);
            count += piece.len() as u64;
            Ok::<(), Error>(())
        })?,
        _ => return Ok(None),
    }
    let mut short = [0; 16];
    short.copy_from_slice(&hash.finalize()[..16]);
    Ok(Some(((kind, short), count)))
}

/// Which fields of a string say what part of its array it is, and how that is to be read.
struct PartFields(HashMap<crate::model::Address, Vec<usize>>);

impl PartFields {
    fn of(classes: &[Class]) -> PartFields {
        let string = Name::from_text("java/lang/String");
        let said = ["coder", "count", "offset"].map(Name::from_text);
        let strings = classes.iter().filter(|class| class.name.to_jvm_form() == string);
        let fields = strings.map(|class| {
            let fields = class.fields.iter().flatten().enumerate();
            let says = fields.filter(|(_, field)| field.kind != FieldType::Object && said.contains(&field.name));
            (class.address, says.map(|(place, _)| place).collect())
        });
        PartFields(fields.collect())
    }

    fn of_object(&self, object: &Object) -> Part {
        let places = object.class.and_then(|class| self.0.get(&class)).into_iter().flatten();
        let Contents::Fields(values) = &object.contents else { return Part::new() };
        places.filter_map(|place| values.get(*place)).map(|value| value.bits).collect()
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
