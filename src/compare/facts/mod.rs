//! The facts of a heap, one row each. Writing and reading listings, comparing, digests, and counting facets are each a
//! [`Walk`] over these rows.
//!
//! The rows of an entry stand in its [`Described::walk`]. Facts come in the order of their numbers in digests, keys in
//! their order in a listing.

/// A row for a fact that is a field of the entry, with its key.
macro_rules! fact {
    ($walk:ident, $facet:expr, $($field:tt).+, $key:expr) => {
        $walk.fact($facet, $key, |entry| &entry.$($field).+, |entry| &mut entry.$($field).+)
    };
}

/// A row for a key of a field that may be known.
macro_rules! field {
    ($walk:ident, $($field:tt).+, $key:expr) => {
        $walk.field($key, |entry| &entry.$($field).+, |entry| &mut entry.$($field).+)
    };
}

/// A row for a key of a name.
macro_rules! name {
    ($walk:ident, $($field:tt).+, $key:expr) => {
        $walk.name($key, |entry| &entry.$($field).+, |entry| &mut entry.$($field).+)
    };
}

/// A row for a key of a name that may be unknown.
macro_rules! known_name {
    ($walk:ident, $($field:tt).+, $key:expr) => {
        $walk.known_name($key, |entry| &entry.$($field).+, |entry| &mut entry.$($field).+)
    };
}

/// A row for a key of a field that is always known.
macro_rules! always {
    ($walk:ident, $($field:tt).+, $key:expr) => {
        $walk.always($key, |entry| &entry.$($field).+, |entry| &mut entry.$($field).+)
    };
}

mod class;
mod event;
mod head;
mod items;
mod keyed;
mod object;
mod surroundings;
mod value;

use std::sync::LazyLock;

use serde::de::DeserializeOwned;

use crate::error::Error;
use crate::model::long::Pieces;
use crate::model::{Address, IdentityHash, Name, Value};

use super::facet::Facet;
use super::spelling::{Hex, Text};

pub use head::Head;
pub(crate) use items::Items;
pub use keyed::{Keyed, Place};
pub(crate) use value::{Fact, Told};

/// A name that no text gives.
static NO_NAME: LazyLock<Name> = LazyLock::new(Name::default);

/// An entry of a heap, or a part of one, described by rows.
pub trait Described: Clone + Default + 'static {
    /// The kinds of line that list it, each with its name in the schema, empty for parts of other lines, and a
    /// description.
    const LINES: Lines = &[("", "")];

    /// An entry of a kind of line of which nothing is known yet.
    fn blank(_line: u8) -> Self {
        Self::default()
    }

    /// Calls `walk` with each row.
    fn walk(walk: &mut impl Walk<Self>);

    /// Checks an entry that was read row by row.
    ///
    /// # Errors
    /// If its facts contradict each other.
    fn check(&self) -> Result<(), String> {
        Ok(())
    }
}

/// A type that is read from a listing's text, with the schema of that text.
#[cfg(feature = "schemas")]
pub trait Spelled: DeserializeOwned + schemars::JsonSchema {}
#[cfg(feature = "schemas")]
impl<T: DeserializeOwned + schemars::JsonSchema> Spelled for T {}

/// A type that is read from a listing's text.
#[cfg(not(feature = "schemas"))]
pub trait Spelled: DeserializeOwned {}
#[cfg(not(feature = "schemas"))]
impl<T: DeserializeOwned> Spelled for T {}

/// Kinds of line: their names and descriptions.
pub(crate) type Lines = &'static [(&'static str, &'static str)];

/// A function that reads a fact of an entry.
pub trait Get<E>: for<'e> Fn(&'e E) -> Option<Fact<'e>> {}
impl<E, F: for<'e> Fn(&'e E) -> Option<Fact<'e>>> Get<E> for F {}

/// A function that sets a part of an entry, or says why it cannot.
pub trait Set<E, T>: Fn(&mut E, T) -> Result<(), String> {}
impl<E, T, F: Fn(&mut E, T) -> Result<(), String>> Set<E, T> for F {}

fn set<T>(slot: &mut T, value: T) -> Result<(), String> {
    *slot = value;
    Ok(())
}

/// A walk over the rows of an entry. It uses of each row what it needs; the entry that it reads (`get`) or changes
/// (`set`) is its own.
pub trait Walk<E>: Sized {
    /// A fact without a key, under its facet.
    #[inline]
    fn told(&mut self, _facet: Facet, _get: impl Get<E>) {}

    /// References, under a facet that concerns them: their nulls, their targets, or their order.
    #[inline]
    fn references(&mut self, _facet: Facet, _get: impl for<'e> Fn(&'e E) -> Option<References<'e>>) {}

    /// An identity hash, under the facet of its width.
    #[inline]
    fn hash(&mut self, get: impl Fn(&E) -> Option<IdentityHash>) {
        self.told(Facet::Hash16, |entry| hashes(get(entry))[0]);
        self.told(Facet::Hash32, |entry| hashes(get(entry))[1]);
    }

    /// A key of a listing.
    #[inline]
    fn key<T: Spelled>(&mut self, _key: Key, _get: impl Get<E>, _set: impl Set<E, T>) {}

    /// The keys for the place of an entry in its file.
    #[inline]
    fn place(&mut self) {}

    /// A fact that is a field of the entry, with its key.
    #[inline]
    fn fact<T: Told>(
        &mut self,
        facet: Facet,
        key: Key,
        get: impl Fn(&E) -> &Option<T>,
        slot: impl Fn(&mut E) -> &mut Option<T>,
    ) {
        self.told(facet, |entry| get(entry).as_ref().map(T::fact));
        self.field(key, get, slot);
    }

    /// A key for a field of the entry.
    #[inline]
    fn field<T: Told>(&mut self, key: Key, get: impl Fn(&E) -> &Option<T>, slot: impl Fn(&mut E) -> &mut Option<T>) {
        self.key(key, |entry| get(entry).as_ref().map(T::fact), |entry, text| set(slot(entry), Some(T::read(text)?)));
    }

    /// A key for a name: empty where the dump gives it none, and then the key may be absent.
    #[inline]
    fn name(&mut self, key: Key, get: impl Fn(&E) -> &Name, slot: impl Fn(&mut E) -> &mut Name) {
        self.key(key, |entry| Some(Fact::Name(get(entry))), |entry, text: Text| set(slot(entry), text.into()));
    }

    /// A key for a name that is unknown where it is empty.
    #[inline]
    fn known_name(&mut self, key: Key, get: impl Fn(&E) -> &Option<Name>, slot: impl Fn(&mut E) -> &mut Option<Name>) {
        let read = |text: Text| Some(Name::from(text)).filter(|name| !name.as_bytes().is_empty());
        self.key(
            key,
            |entry| Some(Fact::Name(get(entry).as_ref().unwrap_or(&NO_NAME))),
            |entry, text: Text| set(slot(entry), read(text)),
        );
    }

    /// A key of every line, for a field that is always known.
    #[inline]
    fn always<T: Told>(&mut self, key: Key, get: impl Fn(&E) -> &T, slot: impl Fn(&mut E) -> &mut T) {
        self.key(key.always(), |entry| Some(get(entry).fact()), |entry, text| set(slot(entry), T::read(text)?));
    }

    /// The keys of an identity hash.
    #[inline]
    fn hash_keys(
        &mut self,
        get: impl Fn(&E) -> Option<IdentityHash>,
        slot: impl Fn(&mut E) -> &mut Option<IdentityHash>,
    ) {
        let set = |entry: &mut E, hash| match slot(entry).replace(hash) {
            None => Ok(()),
            Some(_) => Err("expected hash16 or hash32, found both".to_owned()),
        };
        self.key(
            key("hash16", "16-bit identity hash."),
            |entry| hashes(get(entry))[0],
            |entry, text: Hex| set(entry, IdentityHash::Bits16(text.narrow("hash16")?)),
        );
        self.key(
            key("hash32", "32-bit identity hash."),
            |entry| hashes(get(entry))[1],
            |entry, text: Hex| set(entry, IdentityHash::Bits32(text.narrow("hash32")?)),
        );
    }
}

/// A key of a listing.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// The key's name.
    pub name: &'static str,
    /// A description of its value.
    pub about: &'static str,
    /// The kinds of line that have the key, a bit for each.
    pub lines: u8,
    /// The rule for its presence.
    pub presence: Presence,
}

/// The rule for the presence of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    /// Present if its fact is known; null is the same as absent.
    Known,
    /// Present if there is something to list.
    Listed,
    /// Present in every line that is written. In a line that is read it may be absent, and null is the same as absent.
    Written,
    /// Present in every line.
    Always,
    /// Refused in every line.
    Never,
}

/// A key of lines of every kind, present if its fact is known.
pub(super) const fn key(name: &'static str, about: &'static str) -> Key {
    Key { name, about, lines: u8::MAX, presence: Presence::Known }
}

impl Key {
    /// This key, required in every line of its kinds.
    pub const fn always(self) -> Key {
        Key { presence: Presence::Always, ..self }
    }

    /// This key, written in every line of its kinds.
    pub const fn written(self) -> Key {
        Key { presence: Presence::Written, ..self }
    }

    /// This key, in lines of these kinds only.
    pub const fn of(self, lines: u8) -> Key {
        Key { lines, ..self }
    }
}

/// The references of an entry, in the order of its fields or elements, or of the record.
#[derive(Clone, Copy, Debug)]
pub enum References<'e> {
    /// References as a record lists them, nulls included.
    Listed(Items<'e, Address>),
    /// Elements by position, nulls included.
    Elements(Items<'e, Address>),
    /// The references among field values.
    Fields(&'e [Value]),
}

impl<'e> References<'e> {
    /// The references that are held in memory; null ones only where a record lists them.
    #[inline]
    pub fn iter(self) -> impl Iterator<Item = Address> + 'e {
        let (listed, values, nulls): (&[Address], &[Value], bool) = match self {
            References::Listed(Items::Held(listed)) => (listed, &[], true),
            References::Elements(Items::Held(elements)) => (elements, &[], false),
            References::Fields(values) => (&[], values, false),
            References::Listed(Items::Long(_)) | References::Elements(Items::Long(_)) => (&[], &[], false),
        };
        let values = values.iter().filter_map(|value| value.as_reference());
        listed.iter().copied().chain(values).filter(move |reference| nulls || !reference.is_null())
    }

    /// The references in pieces, if they are too long to be held; null ones only where a record lists them.
    ///
    /// # Errors
    /// If reading them fails.
    #[inline]
    pub fn long(self) -> Result<Option<Pieces<Address>>, Error> {
        match self {
            References::Listed(Items::Long(listed)) => Ok(Some(listed.clone())),
            References::Elements(Items::Long(elements)) => elements.without_nulls().map(Some),
            References::Listed(Items::Held(_)) | References::Elements(Items::Held(_)) | References::Fields(_) => {
                Ok(None)
            }
        }
    }

    /// The number of null references that a record lists.
    ///
    /// # Errors
    /// If reading them fails.
    #[inline]
    pub fn nulls(self) -> Result<u64, Error> {
        match self {
            References::Listed(listed) => listed.nulls(),
            References::Elements(_) | References::Fields(_) => Ok(0),
        }
    }
}

/// A hash as a fact of each width: 16 bits, 32 bits.
#[inline]
fn hashes<'e>(hash: Option<IdentityHash>) -> [Option<Fact<'e>>; 2] {
    match hash {
        None => [None, None],
        Some(IdentityHash::Bits16(bits)) => [Some(Fact::Hash16(bits)), None],
        Some(IdentityHash::Bits32(bits)) => [None, Some(Fact::Hash32(bits))],
    }
}
