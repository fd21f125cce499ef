//! Strings and the arrays that can hold their characters, collected while objects are visited.

use foldhash::HashMap;
use sha2::{Digest as _, Sha256};

use crate::error::Error;
use crate::model::{Address, Class, Contents, FieldType, Name, Object, ObjectKind, PiecewiseContents, PrimitiveType};

/// The strings of a heap, and its arrays of `char` and of `byte`, in the order of the dump.
#[derive(Clone, Debug, Default)]
pub(in crate::answers) struct Characters {
    /// The places of the fields of a [`StringPart`] among the values of an instance, by class of strings.
    fields: HashMap<Address, [Option<usize>; 3]>,
    /// The entry of each string with the place of its part in `parts`.
    pub(in crate::answers) strings: Vec<(u32, u32)>,
    pub(in crate::answers) arrays: Vec<CharacterArray>,
    /// Distinct parts: mostly one or two, but there may be as many as strings.
    pub(in crate::answers) parts: Vec<StringPart>,
    known: HashMap<StringPart, u32>,
}

/// The fields of a string that say which part of its array it is, and its encoding, as far as its class has them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(in crate::answers) struct StringPart {
    coder: Option<u64>,
    count: Option<u64>,
    offset: Option<u64>,
}

impl StringPart {
    /// Whether the part is a whole array of that many elements, decoded by its element type alone. ART keeps twice the
    /// count, plus a bit for the encoding (runtime/mirror/string.h), so that the count may be larger.
    pub(in crate::answers) fn is_all_of(&self, length: u64) -> bool {
        self.coder.unwrap_or(0) == 0 && self.offset.unwrap_or(0) == 0 && self.count.is_none_or(|count| count >= length)
    }
}

/// An array that can hold characters.
#[derive(Clone, Copy, Debug)]
pub(in crate::answers) struct CharacterArray {
    pub(in crate::answers) entry: u32,
    pub(in crate::answers) kind: ObjectKind,
    /// The first 128 bits of the SHA-256 of its elements.
    pub(in crate::answers) hash: [u8; 16],
    /// The length of its elements in bytes.
    pub(in crate::answers) bytes: u64,
}

impl CharacterArray {
    /// The number of elements.
    pub(in crate::answers) fn length(&self) -> u64 {
        if self.kind == ObjectKind::PrimitiveArray(PrimitiveType::Char) { self.bytes / 2 } else { self.bytes }
    }
}

/// The fields of a [`StringPart`], unless they are references.
const PART: [&str; 3] = ["coder", "count", "offset"];

impl Characters {
    /// An empty collection for a heap with these classes.
    pub(super) fn for_classes(classes: &[Class]) -> Characters {
        let mut characters = Characters::default();
        let string = Name::from_text("java/lang/String");
        for class in classes.iter().filter(|class| class.name.to_jvm_form() == string) {
            let place = |name: &str| {
                let name = Name::from_text(name);
                class.fields.iter().flatten().position(|field| field.kind != FieldType::Object && field.name == name)
            };
            characters.fields.entry(class.address).or_insert_with(|| PART.map(place));
        }
        characters
    }

    /// Whether the instances of a class are strings.
    pub(super) fn is_string(&self, class: Address) -> bool {
        self.fields.contains_key(&class)
    }

    /// Adds the next object.
    #[inline]
    pub(super) fn add(&mut self, entry: u32, object: &Object, is_string: bool) -> Result<(), Error> {
        match object.kind {
            ObjectKind::PrimitiveArray(PrimitiveType::Byte | PrimitiveType::Char) => self.add_array(entry, object),
            ObjectKind::Instance if is_string => {
                if let Some(places) = object.class.and_then(|class| self.fields.get(&class)) {
                    let values = if let Contents::Fields(values) = &object.contents { &values[..] } else { &[] };
                    let [coder, count, offset] = places.map(|place| values.get(place?).map(|value| value.bits));
                    let part = self.intern_part(StringPart { coder, count, offset });
                    self.strings.push((entry, part));
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// The place of a part in `parts`, where it is added if it is new.
    fn intern_part(&mut self, part: StringPart) -> u32 {
        *self.known.entry(part).or_insert_with(|| {
            self.parts.push(part);
            self.parts.len() as u32 - 1
        })
    }

    fn add_array(&mut self, entry: u32, object: &Object) -> Result<(), Error> {
        let (mut hash, mut bytes) = (Sha256::new(), 0);
        match &object.contents {
            Contents::Primitives(all) => {
                hash.update(all);
                bytes = all.len() as u64;
            }
            Contents::Long(PiecewiseContents::Primitives(all)) => all.visit(|piece| {
                hash.update(piece);
                bytes += piece.len() as u64;
                Ok::<(), Error>(())
            })?,
            _ => return Ok(()),
        }
        let mut array = CharacterArray { entry, kind: object.kind, hash: [0; 16], bytes };
        array.hash.copy_from_slice(&hash.finalize()[..16]);
        self.arrays.push(array);
        Ok(())
    }
}
