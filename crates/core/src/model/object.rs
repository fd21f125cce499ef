//! Objects: the stream of a heap.

use serde::{Deserialize, Serialize};

use crate::error::Error;

use super::{Address, ByteLen, IdentityHash, Name, PiecewiseContents, PrimitiveType, Serial, Value};

/// An object: a plain instance or an array.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Object {
    /// Address of the object.
    pub address: Address,
    /// Instance, object array or primitive array.
    pub kind: ObjectKind,
    /// Address of the object's own class. For an object array this is the array class, which PHD
    /// does not record (it has a class word instead).
    pub class: Option<Address>,
    /// The class word as the record holds it: for instances the class, for PHD object arrays one of
    /// three conventions.
    pub class_word: Option<Address>,
    /// Name of the object's own class, where the record itself gives it (classic text).
    pub class_name: Option<Name>,
    /// The object's size on the heap in bytes, as the dump states it. Object arrays and primitive
    /// arrays in PHD 6: the footprint with header and padding.
    pub size: Option<ByteLen>,
    /// Identity hash.
    pub hash: Option<IdentityHash>,
    /// Number of elements of an array.
    pub length: Option<u64>,
    /// The object's fields, elements or references.
    pub contents: Contents,
    /// Serial of the allocation stack trace (HPROF).
    pub trace: Option<Serial>,
    /// The text of a `java.lang.String`, as a listing states it. No dump records it:
    /// [`StringTexts`](super::string_text::StringTexts) works it out.
    pub text: Option<Name>,
}

impl Object {
    /// An object of which only the place and kind are known.
    pub fn new(address: Address, kind: ObjectKind) -> Object {
        Object { address, kind, ..Object::default() }
    }

    /// The non-null references that the object holds, in the order of its fields or elements (or of
    /// the record, where only references are known). None of contents that are not held ([`Contents::Long`]).
    pub fn references(&self) -> impl DoubleEndedIterator<Item = Address> {
        let (listed, values): (&[Address], &[Value]) = match &self.contents {
            Contents::References(listed) | Contents::Elements(listed) => (listed, &[]),
            Contents::Fields(values) => (&[], values),
            Contents::Primitives(_) | Contents::Raw(_) | Contents::Long(_) | Contents::Unknown => (&[], &[]),
        };
        let keep_nulls = matches!(self.contents, Contents::References(_));
        listed
            .iter()
            .copied()
            .chain(values.iter().filter_map(|v| v.as_reference()))
            .filter(move |a| keep_nulls || !a.is_null())
    }
}

/// The three kinds of object that every heap-dump format tells apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum ObjectKind {
    /// A plain instance.
    #[default]
    Instance,
    /// An array of references (arrays of arrays included).
    ObjectArray,
    /// An array of primitive values.
    PrimitiveArray(PrimitiveType),
}

impl ObjectKind {
    /// The kind of the objects whose class has this name (JVM form).
    pub fn from_class_name(name: &[u8]) -> ObjectKind {
        match *name {
            [b'[', letter] => {
                let primitive = PrimitiveType::ALL.into_iter().find(|p| p.signature() as u8 == letter);
                primitive.map_or(ObjectKind::ObjectArray, ObjectKind::PrimitiveArray)
            }
            [b'[', ..] => ObjectKind::ObjectArray,
            _ => ObjectKind::Instance,
        }
    }
}

/// The inside of an object, as far as a dump records it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Contents {
    /// No contents (a primitive array in PHD).
    #[default]
    Unknown,
    /// Only references are known, without fields or positions, in file order. Null references are
    /// listed only where the file itself held one.
    References(Vec<Address>),
    /// Field values: the class's own fields first, then its superclass's, up to the root.
    Fields(Vec<Value>),
    /// The bytes of an instance's fields, where no class says how they are laid out.
    Raw(Vec<u8>),
    /// Every element of an object array by position, nulls included.
    Elements(Vec<Address>),
    /// Elements of a primitive array, big-endian.
    Primitives(Vec<u8>),
    /// Any of these that is too long to be held. A heap in memory has none: only a source whose objects stay in their
    /// dump, or are computed, hands such out.
    #[serde(skip)]
    Long(PiecewiseContents),
}

impl Contents {
    /// The contents, held in memory whatever that takes.
    ///
    /// # Errors
    /// An error of reading contents that are not held.
    pub fn hold(&self) -> Result<Contents, Error> {
        let Contents::Long(long) = self else { return Ok(self.clone()) };
        Ok(match long {
            PiecewiseContents::References(listed) => Contents::References(listed.collect()?),
            PiecewiseContents::Elements(elements) => Contents::Elements(elements.collect()?),
            PiecewiseContents::Raw(bytes) => Contents::Raw(bytes.collect()?),
            PiecewiseContents::Primitives(bytes) => Contents::Primitives(bytes.collect()?),
        })
    }
}
