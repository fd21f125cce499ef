//! Strings and the arrays that can hold their characters, collected while objects are visited.

use foldhash::HashMap;
use sha2::{Digest as _, Sha256};

use crate::error::Error;
use crate::model::string_text::{StringFields, StringPart, Utf16Order};
use crate::model::{Address, Class, Contents, Object, ObjectKind, PiecewiseContents, PrimitiveType};

/// The strings of a heap, and its arrays of `char` and of `byte`, in the order of the dump.
#[derive(Clone, Debug, Default)]
pub(in crate::answers) struct Characters {
    /// The places of the fields of strings, by class.
    fields: HashMap<Address, StringFields>,
    /// The byte order that the heap tells.
    pub(in crate::answers) order: Utf16Order,
    /// The entry of each string with the place of its part in `parts`.
    pub(in crate::answers) strings: Vec<(u32, u32)>,
    pub(in crate::answers) arrays: Vec<CharacterArray>,
    /// Distinct parts: mostly one or two, but there may be as many as strings.
    pub(in crate::answers) parts: Vec<StringPart>,
    known: HashMap<StringPart, u32>,
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

impl Characters {
    /// An empty collection for a heap with these classes.
    pub(super) fn for_classes(classes: &[Class]) -> Characters {
        let order = Utf16Order::told_by(classes).unwrap_or_default();
        let mut characters = Characters { order, ..Characters::default() };
        for class in classes {
            if let Some(fields) = StringFields::of_class(class) {
                characters.fields.entry(class.address).or_insert(fields);
            }
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
                if let Some(fields) = object.class.and_then(|class| self.fields.get(&class)) {
                    let part = self.intern_part(fields.part(object));
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
