//! What is kept of strings and of the arrays that can hold their characters, while objects are visited.

use foldhash::HashMap;
use sha2::{Digest as _, Sha256};

use crate::error::Error;
use crate::model::{Address, Class, Contents, FieldType, Long, Name, Object, ObjectKind, PrimitiveType};

/// The strings of a heap, and its arrays of `char` and of `byte`, in the order of the dump.
#[derive(Clone, Debug, Default)]
pub(in crate::answers) struct Characters {
    parts: HashMap<Address, Vec<usize>>,
    pub(in crate::answers) strings: Vec<(u32, Part)>,
    pub(in crate::answers) arrays: Vec<CharacterArray>,
}

/// The fields of a string that say which part of its array it is, and how that is to be read; zeros for those that its class
/// does not have.
pub(in crate::answers) type Part = [u64; 3];

/// An array that can hold characters.
#[derive(Clone, Copy, Debug)]
pub(in crate::answers) struct CharacterArray {
    pub(in crate::answers) entry: u32,
    pub(in crate::answers) kind: ObjectKind,
    /// 128 bits of the SHA-256 of its elements.
    pub(in crate::answers) hash: [u8; 16],
    /// Bytes of its elements.
    pub(in crate::answers) bytes: u64,
}

/// The fields of which a [`Part`] consists, where they are no references.
const PART: [&str; 3] = ["coder", "count", "offset"];

impl Characters {
    /// Nothing so far, of a heap with these classes.
    pub(super) fn of(classes: &[Class]) -> Characters {
        let (string, said) = (Name::from_text("java/lang/String"), PART.map(Name::from_text));
        let strings = classes.iter().filter(|class| class.name.to_jvm_form() == string);
        let parts = strings.map(|class| {
            let fields = class.fields.iter().flatten().enumerate();
            let says = fields.filter(|(_, field)| field.kind != FieldType::Object && said.contains(&field.name));
            (class.address, says.map(|(place, _)| place).collect())
        });
        Characters { parts: parts.collect(), ..Characters::default() }
    }

    /// Whether the instances of a class are strings.
    pub(super) fn is_string(&self, class: Address) -> bool {
        self.parts.contains_key(&class)
    }

    /// Takes in the next object.
    #[inline]
    pub(super) fn add(&mut self, entry: u32, object: &Object, is_string: bool) -> Result<(), Error> {
        match object.kind {
            ObjectKind::PrimitiveArray(PrimitiveType::Byte | PrimitiveType::Char) => self.array(entry, object),
            ObjectKind::Instance if is_string => {
                if let Some(places) = object.class.and_then(|class| self.parts.get(&class)) {
                    let mut part = Part::default();
                    if let Contents::Fields(values) = &object.contents {
                        let found = places.iter().filter_map(|place| values.get(*place));
                        part.iter_mut().zip(found).for_each(|(part, value)| *part = value.bits);
                    }
                    self.strings.push((entry, part));
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn array(&mut self, entry: u32, object: &Object) -> Result<(), Error> {
        let (mut hash, mut bytes) = (Sha256::new(), 0);
        match &object.contents {
            Contents::Primitives(all) => {
                hash.update(all);
                bytes = all.len() as u64;
            }
            Contents::Long(Long::Primitives(all)) => all.visit(|piece| {
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
