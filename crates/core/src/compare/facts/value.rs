//! Facts as values, and their conversion from a listing's text.

use std::cell::Cell;
use std::fmt;
use std::sync::Arc;

use serde::ser::{Error as _, SerializeSeq};
use serde::{Serialize, Serializer};

use crate::bytes::hexadecimal;
use crate::compare::facet::Facet;
use crate::compare::spelled_value::TypedValue;
use crate::compare::spelling::{Bytes, ElementName, Hashes, Hex, ListedNumber, Text, TypeName, addresses};
use crate::error::Error;
use crate::model::long::Pieces;
use crate::model::{
    Address, AllocationSite, ByteLen, Field, FieldType, FrameId, HashRegime, HeaderTotals, HeapSummary, Name,
    PoolEntry, PrimitiveType, Serial, StackFrame, Static, TextId, Value, WordSize,
};

use super::keyed::{Keyed, into_entries};
use super::{ContentItems, ListingValue};

/// A fact of an entry, borrowed from it.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs, reason = "each is told by its type")]
pub enum Fact<'e> {
    Number(u64),
    Signed(i32),
    Size(ByteLen),
    Bits(u64),
    Address(Address),
    Hash16(u16),
    Hash32(u32),
    /// A letter: a class, an instance, an object array, or the elements of a primitive array.
    Kind(u8),
    Keyword(PrimitiveType),
    Type(FieldType),
    Name(&'e Name),
    Text(&'e str),
    Word(WordSize),
    /// Milliseconds.
    Time(u64),
    /// Microseconds.
    Times(u32, u32),
    Regime(HashRegime),
    Totals(&'e HeaderTotals),
    Randoms(u32, u32),
    Addresses(ContentItems<'e, Address>),
    Fields(&'e [Field]),
    Statics(&'e [Static]),
    Pool(&'e [PoolEntry]),
    Values(&'e [Value]),
    /// Bytes of fields whose layout is unknown.
    Raw(ContentItems<'e, u8>),
    Primitives(ContentItems<'e, u8>, PrimitiveType),
    Frames(&'e [StackFrame]),
    Ids(&'e [FrameId]),
    Summary(&'e HeapSummary),
    Sites(&'e [AllocationSite]),
    Samples(&'e [(u32, Serial)]),
    Facets(&'e [Facet]),
}

impl Fact<'_> {
    /// The number, if the fact is one.
    #[inline]
    pub fn number(self) -> Option<u64> {
        match self {
            Fact::Number(number) | Fact::Bits(number) | Fact::Time(number) => Some(number),
            Fact::Signed(number) => Some(i64::from(number) as u64),
            Fact::Size(ByteLen(number)) | Fact::Address(Address(number)) => Some(number),
            Fact::Hash16(bits) => Some(bits.into()),
            Fact::Hash32(bits) => Some(bits.into()),
            Fact::Kind(letter) => Some(letter.into()),
            Fact::Word(size) => Some(size.bits().into()),
            _ => None,
        }
    }

    /// Whether two facts are equal.
    ///
    /// # Errors
    /// If reading lists in pieces fails.
    #[inline]
    pub fn equals(self, other: Fact<'_>) -> Result<bool, Error> {
        match (self, other) {
            (Fact::Addresses(ContentItems::Long(_)), Fact::Addresses(_))
            | (Fact::Addresses(_), Fact::Addresses(ContentItems::Long(_)))
            | (Fact::Primitives(ContentItems::Long(_), _), Fact::Primitives(..))
            | (Fact::Primitives(..), Fact::Primitives(ContentItems::Long(_), _))
            | (Fact::Raw(ContentItems::Long(_)), Fact::Raw(_))
            | (Fact::Raw(_), Fact::Raw(ContentItems::Long(_))) => self.equals_in_pieces(other),
            (one, other) => Ok(one == other),
        }
    }

    #[cold]
    fn equals_in_pieces(self, other: Fact<'_>) -> Result<bool, Error> {
        let difference = match (self, other) {
            (Fact::Addresses(l), Fact::Addresses(r)) => l.first_difference(r)?,
            (Fact::Primitives(l, one), Fact::Primitives(r, other)) if one == other => l.first_difference(r)?,
            (Fact::Raw(l), Fact::Raw(r)) => l.first_difference(r)?,
            _ => return Ok(false),
        };
        Ok(difference.is_none())
    }

    /// Calls `see` with each address in the fact that is held in memory, and its index.
    pub fn visit_addresses(self, see: &mut dyn FnMut(u64, Address)) {
        let mut values = |values: &mut dyn Iterator<Item = &Value>| {
            (0..).zip(values).filter_map(|(place, v)| Some((place, v.as_reference()?))).for_each(|(p, to)| see(p, to));
        };
        match self {
            Fact::Address(address) => see(0, address),
            Fact::Addresses(ContentItems::Held(listed)) => (0..).zip(listed).for_each(|(place, to)| see(place, *to)),
            Fact::Values(all) => values(&mut all.iter()),
            Fact::Statics(all) => values(&mut all.iter().map(|field| &field.value)),
            Fact::Pool(all) => values(&mut all.iter().map(|entry| &entry.value)),
            _ => {}
        }
    }
}

/// A fact in the spelling of listings.
impl Serialize for Fact<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match *self {
            Fact::Number(number) | Fact::Time(number) => serializer.serialize_u64(number),
            Fact::Signed(number) => serializer.serialize_i32(number),
            Fact::Size(size) => serializer.serialize_u64(size.0),
            Fact::Bits(bits) | Fact::Address(Address(bits)) => Hex(bits).serialize(serializer),
            Fact::Hash16(bits) => Hex(bits.into()).serialize(serializer),
            Fact::Hash32(bits) => Hex(bits.into()).serialize(serializer),
            Fact::Kind(letter) => serializer.serialize_char(letter.into()),
            Fact::Keyword(element) => ElementName(element).serialize(serializer),
            Fact::Type(kind) => TypeName(kind).serialize(serializer),
            Fact::Name(name) => Text::from(name).serialize(serializer),
            Fact::Text(text) => serializer.serialize_str(text),
            Fact::Word(size) => serializer.serialize_u32(size.bits()),
            Fact::Times(begin, end) => [begin, end].serialize(serializer),
            Fact::Regime(HashRegime::Every16) => Hashes::Every16.serialize(serializer),
            Fact::Regime(HashRegime::WhereUsed32) => Hashes::WhereUsed32.serialize(serializer),
            Fact::Totals(totals) => Keyed::without_place(totals).serialize(serializer),
            Fact::Randoms(one, other) => [Hex(one.into()), Hex(other.into())].serialize(serializer),
            Fact::Addresses(ContentItems::Held(listed)) => {
                serializer.collect_seq(listed.iter().map(|&address| Hex::from(address)))
            }
            Fact::Addresses(ContentItems::Long(listed)) => {
                let mut sequence = serializer.serialize_seq(None)?;
                let mut put =
                    |address: &Address| sequence.serialize_element(&Hex::from(*address)).map_err(SpellError::Put);
                listed.visit(|piece| piece.iter().try_for_each(&mut put)).map_err(SpellError::error)?;
                sequence.end()
            }
            Fact::Fields(fields) => serializer.collect_seq(fields.iter().map(Keyed::without_place)),
            Fact::Statics(statics) => serializer.collect_seq(statics.iter().map(Keyed::without_place)),
            Fact::Pool(pool) => serializer.collect_seq(pool.iter().map(Keyed::without_place)),
            Fact::Values(values) => serializer.collect_seq(values.iter().copied().map(TypedValue)),
            Fact::Raw(ContentItems::Held(bytes)) | Fact::Primitives(ContentItems::Held(bytes), _) => {
                Bytes(bytes.to_vec()).serialize(serializer)
            }
            Fact::Raw(ContentItems::Long(bytes)) | Fact::Primitives(ContentItems::Long(bytes), _) => {
                let digits = HexDigits { bytes, failed: Cell::default() };
                let spelled = serializer.collect_str(&digits);
                digits.failed.take().map_or(spelled, |error| Err(S::Error::custom(error)))
            }
            Fact::Frames(frames) => serializer.collect_seq(frames.iter().map(Keyed::without_place)),
            Fact::Ids(ids) => serializer.collect_seq(ids.iter().map(|id| Hex(id.0))),
            Fact::Summary(summary) => Keyed::without_place(summary).serialize(serializer),
            Fact::Sites(sites) => serializer.collect_seq(sites.iter().map(Keyed::without_place)),
            Fact::Samples(samples) => serializer.collect_seq(samples.iter().map(Keyed::without_place)),
            Fact::Facets(facets) => facets.serialize(serializer),
        }
    }
}

/// The reason why serialising a list stopped: the list could not be read, or the text not be written.
enum SpellError<E> {
    Read(Error),
    Put(E),
}

impl<E> From<Error> for SpellError<E> {
    fn from(error: Error) -> SpellError<E> {
        SpellError::Read(error)
    }
}

impl<E: serde::ser::Error> SpellError<E> {
    fn error(self) -> E {
        match self {
            SpellError::Read(error) => E::custom(error),
            SpellError::Put(error) => error,
        }
    }
}

/// Bytes as two hexadecimal digits each, read piece by piece.
struct HexDigits<'d> {
    bytes: &'d Pieces<u8>,
    /// The error of reading them.
    failed: Cell<Option<Error>>,
}

impl fmt::Display for HexDigits<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let put = |piece: &[u8]| f.write_str(&hexadecimal(piece)).map_err(SpellError::Put);
        self.bytes.visit(put).map_err(|stopped| {
            if let SpellError::Read(error) = stopped {
                self.failed.set(Some(error));
            }
            fmt::Error
        })
    }
}

/// A type whose values are facts.
pub trait FactValue: Sized + 'static {
    /// The type that a listing's text is parsed as.
    type ReadAs: ListingValue;

    /// The fact.
    fn fact(&self) -> Fact<'_>;

    /// Converts a listing's text.
    ///
    /// # Errors
    /// If the text is not such a fact, with the reason.
    fn read(text: Self::ReadAs) -> Result<Self, String>;
}

/// Implementations for types: each with the type of its text, its fact, and the conversion of a text.
macro_rules! told {
    ($($held:ty: $text:ty, $fact:expr, $read:expr;)*) => {$(
        impl FactValue for $held {
            type ReadAs = $text;
            #[inline]
            fn fact(&self) -> Fact<'_> {
                let fact: fn(&$held) -> Fact<'_> = $fact;
                fact(self)
            }
            fn read(text: $text) -> Result<$held, String> {
                let read: fn($text) -> Result<$held, String> = $read;
                read(text)
            }
        }
    )*};
}

told! {
    u8: u8, |number| Fact::Number((*number).into()), Ok;
    u16: u16, |number| Fact::Number((*number).into()), Ok;
    u32: u32, |number| Fact::Number((*number).into()), Ok;
    u64: u64, |number| Fact::Number(*number), Ok;
    i32: i32, |number| Fact::Signed(*number), Ok;
    (u32, u32): [u32; 2], |(begin, end)| Fact::Times(*begin, *end), |[begin, end]| Ok((begin, end));
    String: String, |text| Fact::Text(text), Ok;
    Serial: u32, |serial| Fact::Number(serial.0.into()), |number| Ok(Serial(number));
    ByteLen: u64, |size| Fact::Size(*size), |size| Ok(ByteLen(size));
    Address: ListedNumber, |address| Fact::Address(*address), |text| Ok(text.address());
    Name: Text, |name| Fact::Name(name), |text| Ok(text.into());
    FieldType: TypeName, |kind| Fact::Type(*kind), |text| Ok(text.0);
    HashRegime: Hashes, |regime| Fact::Regime(*regime), |text| Ok(match text {
        Hashes::Every16 => HashRegime::Every16,
        Hashes::WhereUsed32 => HashRegime::WhereUsed32,
    });
    WordSize: u32, |size| Fact::Word(*size), word_size;
    HeaderTotals: Keyed<'static, HeaderTotals>, |totals| Fact::Totals(totals), |totals| Ok(totals.into_entry());
    Vec<Address>: Vec<ListedNumber>, |listed| Fact::Addresses(ContentItems::Held(listed)), |text| Ok(addresses(text));
    Vec<Field>: Vec<Keyed<'static, Field>>, |fields| Fact::Fields(fields), |text| Ok(into_entries(text));
    Vec<Static>: Vec<Keyed<'static, Static>>, |statics| Fact::Statics(statics), |text| Ok(into_entries(text));
    Vec<PoolEntry>: Vec<Keyed<'static, PoolEntry>>, |pool| Fact::Pool(pool), |text| Ok(into_entries(text));
    TextId: ListedNumber, |id| Fact::Bits(id.0), |text| Ok(TextId(text.number()));
    FrameId: ListedNumber, |id| Fact::Bits(id.0), |text| Ok(FrameId(text.number()));
    Vec<FrameId>: Vec<ListedNumber>, |ids| Fact::Ids(ids), |text| Ok(text.into_iter().map(|id| FrameId(id.number())).collect());
    Vec<u8>: Bytes, |bytes| Fact::Raw(ContentItems::Held(bytes)), |text| Ok(text.0);
    HeapSummary: Keyed<'static, HeapSummary>, |summary| Fact::Summary(summary), |summary| Ok(summary.into_entry());
    Vec<AllocationSite>: Vec<Keyed<'static, AllocationSite>>, |sites| Fact::Sites(sites), |text| Ok(into_entries(text));
    Vec<(u32, Serial)>: Vec<Keyed<'static, (u32, Serial)>>, |samples| Fact::Samples(samples), |text| Ok(into_entries(text));
    Arc<[StackFrame]>: Vec<Keyed<'static, StackFrame>>, |frames| Fact::Frames(frames), |text| Ok(into_entries(text).into());
}

fn word_size(bits: u32) -> Result<WordSize, String> {
    match bits {
        32 => Ok(WordSize::Bits32),
        64 => Ok(WordSize::Bits64),
        other => Err(format!("expected a word size of 32 or 64, found {other}")),
    }
}
