//! The facts of a heap, one row each. Writing and reading listings, comparing, digests, and counting facets are each a
//! [`FactWalk`] over these rows.
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
use super::spelled_value::SpelledValue;
use super::spelling::{ListedNumber, Text};

pub use head::ListingHead;
pub(crate) use items::ContentItems;
pub use keyed::{Keyed, RecordPlace};
pub(crate) use value::{Fact, FactValue};

/// A name that no text gives.
static NO_NAME: LazyLock<Name> = LazyLock::new(Name::default);

/// An entry of a heap, or a part of one, described by rows.
pub trait Described: Clone + Default + 'static {
    /// The kinds of line that list it, each with its name in the schema, empty for parts of other lines, and a
    /// description.
    const LINES: LineKinds = &[("", "")];

    /// An entry of a kind of line of which nothing is known yet.
    fn blank(_line: u8) -> Self {
        Self::default()
    }

    /// Calls `walk` with each row.
    fn walk(walk: &mut impl FactWalk<Self>);
}

/// A type that is read from a listing's text, with the schema of that text.
#[cfg(feature = "schemas")]
pub trait ListingValue: DeserializeOwned + schemars::JsonSchema {}
#[cfg(feature = "schemas")]
impl<T: DeserializeOwned + schemars::JsonSchema> ListingValue for T {}

/// A type that is read from a listing's text.
#[cfg(not(feature = "schemas"))]
pub trait ListingValue: DeserializeOwned {}
#[cfg(not(feature = "schemas"))]
impl<T: DeserializeOwned> ListingValue for T {}

/// Kinds of line: their names and descriptions.
pub(crate) type LineKinds = &'static [(&'static str, &'static str)];

/// A function that reads a fact of an entry.
pub trait GetFact<E>: for<'e> Fn(&'e E) -> Option<Fact<'e>> {}
impl<E, F: for<'e> Fn(&'e E) -> Option<Fact<'e>>> GetFact<E> for F {}

/// A function that sets a part of an entry, or says why it cannot.
pub trait SetField<E, T>: Fn(&mut E, T) -> Result<(), String> {}
impl<E, T, F: Fn(&mut E, T) -> Result<(), String>> SetField<E, T> for F {}

fn set_slot<T>(slot: &mut T, value: T) -> Result<(), String> {
    *slot = value;
    Ok(())
}

/// A walk over the rows of an entry. It uses of each row what it needs; the entry that it reads (`get`) or changes
/// (`set`) is its own.
pub trait FactWalk<E>: Sized {
    /// A fact without a key, under its facet.
    #[inline]
    fn unkeyed_fact(&mut self, _facet: Facet, _get: impl GetFact<E>) {}

    /// References, under a facet that concerns them: their nulls, their targets, or their order.
    #[inline]
    fn references(&mut self, _facet: Facet, _get: impl for<'e> Fn(&'e E) -> Option<EntryReferences<'e>>) {}

    /// An identity hash, under the facet of its width.
    #[inline]
    fn hash(&mut self, get: impl Fn(&E) -> Option<IdentityHash>) {
        self.unkeyed_fact(Facet::Hash16, |entry| hash_facts(get(entry))[0]);
        self.unkeyed_fact(Facet::Hash32, |entry| hash_facts(get(entry))[1]);
    }

    /// A key of a listing.
    #[inline]
    fn key<T: ListingValue>(&mut self, _key: ListingKey, _get: impl GetFact<E>, _set: impl SetField<E, T>) {}

    /// The keys for the place of an entry in its file.
    #[inline]
    fn place(&mut self) {}

    /// A fact that is a field of the entry, with its key.
    #[inline]
    fn fact<T: FactValue>(
        &mut self,
        facet: Facet,
        key: ListingKey,
        get: impl Fn(&E) -> &Option<T>,
        slot: impl Fn(&mut E) -> &mut Option<T>,
    ) {
        self.unkeyed_fact(facet, |entry| get(entry).as_ref().map(T::fact));
        self.field(key, get, slot);
    }

    /// A key for a field of the entry.
    #[inline]
    fn field<T: FactValue>(
        &mut self,
        key: ListingKey,
        get: impl Fn(&E) -> &Option<T>,
        slot: impl Fn(&mut E) -> &mut Option<T>,
    ) {
        self.key(
            key,
            |entry| get(entry).as_ref().map(T::fact),
            |entry, text| set_slot(slot(entry), Some(T::read(text)?)),
        );
    }

    /// A key for a name: empty where the dump gives it none, and then the key may be absent.
    #[inline]
    fn name(&mut self, key: ListingKey, get: impl Fn(&E) -> &Name, slot: impl Fn(&mut E) -> &mut Name) {
        self.key(key, |entry| Some(Fact::Name(get(entry))), |entry, text: Text| set_slot(slot(entry), text.into()));
    }

    /// A key for a name that is unknown where it is empty.
    #[inline]
    fn known_name(
        &mut self,
        key: ListingKey,
        get: impl Fn(&E) -> &Option<Name>,
        slot: impl Fn(&mut E) -> &mut Option<Name>,
    ) {
        let read = |text: Text| Some(Name::from(text)).filter(|name| !name.as_bytes().is_empty());
        self.key(
            key,
            |entry| Some(Fact::Name(get(entry).as_ref().unwrap_or(&NO_NAME))),
            |entry, text: Text| set_slot(slot(entry), read(text)),
        );
    }

    /// A key of every line, for a field that is always known.
    #[inline]
    fn always<T: FactValue>(&mut self, key: ListingKey, get: impl Fn(&E) -> &T, slot: impl Fn(&mut E) -> &mut T) {
        self.key(key.always(), |entry| Some(get(entry).fact()), |entry, text| set_slot(slot(entry), T::read(text)?));
    }

    /// The keys of a value: its type, and the value itself, which only its type says how to read.
    #[inline]
    fn typed_value(
        &mut self,
        kind: ListingKey,
        value: ListingKey,
        get: impl Fn(&E) -> &Value,
        slot: impl Fn(&mut E) -> &mut Value,
    ) {
        self.always(kind, |entry| &get(entry).kind, |entry| &mut slot(entry).kind);
        self.key(
            value.always(),
            |entry| Some(Fact::Bits(get(entry).bits)),
            |entry, text: SpelledValue| {
                let kind = slot(entry).kind;
                set_slot(slot(entry), text.with_type(kind)?)
            },
        );
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
            |entry| hash_facts(get(entry))[0],
            |entry, text: ListedNumber| set(entry, IdentityHash::Bits16(text.narrow("a hash")?)),
        );
        self.key(
            key("hash32", "32-bit identity hash."),
            |entry| hash_facts(get(entry))[1],
            |entry, text: ListedNumber| set(entry, IdentityHash::Bits32(text.narrow("a hash")?)),
        );
    }
}

/// A key of a listing.
#[derive(Clone, Copy, Debug)]
pub struct ListingKey {
    /// The key's name.
    pub name: &'static str,
    /// A description of its value.
    pub about: &'static str,
    /// The kinds of line that have the key, a bit for each.
    pub lines: u8,
    /// The rule for its presence.
    pub presence: KeyPresence,
}

/// The rule for the presence of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyPresence {
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
pub(super) const fn key(name: &'static str, about: &'static str) -> ListingKey {
    ListingKey { name, about, lines: u8::MAX, presence: KeyPresence::Known }
}

impl ListingKey {
    /// This key, required in every line of its kinds.
    pub const fn always(self) -> ListingKey {
        ListingKey { presence: KeyPresence::Always, ..self }
    }

    /// This key, written in every line of its kinds.
    pub const fn written(self) -> ListingKey {
        ListingKey { presence: KeyPresence::Written, ..self }
    }

    /// This key, in lines of these kinds only.
    pub const fn for_lines(self, lines: u8) -> ListingKey {
        ListingKey { lines, ..self }
    }
}

/// The references of an entry, in the order of its fields or elements, or of the record.
#[derive(Clone, Copy, Debug)]
pub enum EntryReferences<'e> {
    /// References as a record lists them, nulls included.
    Listed(ContentItems<'e, Address>),
    /// Elements by position, nulls included.
    Elements(ContentItems<'e, Address>),
    /// The references among field values.
    Fields(&'e [Value]),
}

impl<'e> EntryReferences<'e> {
    /// The references that are held in memory; null ones only where a record lists them.
    #[inline]
    pub fn iter(self) -> impl Iterator<Item = Address> + 'e {
        let (listed, values, nulls): (&[Address], &[Value], bool) = match self {
            EntryReferences::Listed(ContentItems::Held(listed)) => (listed, &[], true),
            EntryReferences::Elements(ContentItems::Held(elements)) => (elements, &[], false),
            EntryReferences::Fields(values) => (&[], values, false),
            EntryReferences::Listed(ContentItems::Long(_)) | EntryReferences::Elements(ContentItems::Long(_)) => {
                (&[], &[], false)
            }
        };
        let values = values.iter().filter_map(|value| value.as_reference());
        listed.iter().copied().chain(values).filter(move |reference| nulls || !reference.is_null())
    }

    /// The references in pieces, if they are too long to be held; null ones only where a record lists them.
    ///
    /// # Errors
    /// If reading them fails.
    #[inline]
    pub fn long_pieces(self) -> Result<Option<Pieces<Address>>, Error> {
        match self {
            EntryReferences::Listed(ContentItems::Long(listed)) => Ok(Some(listed.clone())),
            EntryReferences::Elements(ContentItems::Long(elements)) => elements.without_nulls().map(Some),
            EntryReferences::Listed(ContentItems::Held(_))
            | EntryReferences::Elements(ContentItems::Held(_))
            | EntryReferences::Fields(_) => Ok(None),
        }
    }

    /// The number of null references that a record lists.
    ///
    /// # Errors
    /// If reading them fails.
    #[inline]
    pub fn count_nulls(self) -> Result<u64, Error> {
        match self {
            EntryReferences::Listed(listed) => listed.count_nulls(),
            EntryReferences::Elements(_) | EntryReferences::Fields(_) => Ok(0),
        }
    }
}

/// A hash as a fact of each width: 16 bits, 32 bits.
#[inline]
fn hash_facts<'e>(hash: Option<IdentityHash>) -> [Option<Fact<'e>>; 2] {
    match hash {
        None => [None, None],
        Some(IdentityHash::Bits16(bits)) => [Some(Fact::Hash16(bits)), None],
        Some(IdentityHash::Bits32(bits)) => [None, Some(Fact::Hash32(bits))],
    }
}
