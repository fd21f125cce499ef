//! Canonical bytes: fields, numbers, lists. Defined in specs/digest.md.

use crate::compare::facts::{
    ContentItems, Described, Fact, FactWalk, GetFact, KeyPresence, ListingKey, ListingValue, SetField,
};
use crate::compare::{DigestRole, Facet};
use crate::error::Error;
use crate::model::long::Pieces;
use crate::model::{Address, FieldType, Name, Value};

use super::selection::FacetSelection;

/// The destination of canonical bytes.
pub(super) trait ByteSink {
    fn push_bytes(&mut self, bytes: &[u8]);

    /// Adds a few bytes and a number, which most records consist of.
    #[inline]
    fn push_with_number(&mut self, bytes: &[u8], number: u64) {
        self.push_bytes(bytes);
        self.push_bytes(&number.to_be_bytes());
    }

    /// Adds numbers one after the other.
    fn push_addresses(&mut self, addresses: &[Address]) {
        addresses.iter().for_each(|address| self.push_bytes(&address.0.to_be_bytes()));
    }
}

impl ByteSink for Vec<u8> {
    fn push_bytes(&mut self, bytes: &[u8]) {
        self.extend_from_slice(bytes);
    }
}

/// Counts the bytes, for the length that stands before them.
#[derive(Default)]
pub(super) struct LengthCounter(u64);

impl ByteSink for LengthCounter {
    fn push_bytes(&mut self, bytes: &[u8]) {
        self.0 += bytes.len() as u64;
    }
}

/// The first byte of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CanonicalTag {
    /// A class or an object.
    Entry = 1,
    /// A root, at the object that it keeps.
    Root = 2,
    /// Anything without an address.
    Other = 3,
}

/// A record whose fields are being written, in the ascending order of their numbers.
pub(super) struct CanonicalRecord<'s, S> {
    sink: &'s mut S,
    wanted: FacetSelection,
    told: FacetSelection,
    last: u8,
    /// Whether contents that are not held could be read.
    read: Result<(), Error>,
}

impl<'s, S: ByteSink> CanonicalRecord<'s, S> {
    #[inline]
    pub(super) fn begin(
        sink: &'s mut S,
        wanted: FacetSelection,
        tag: CanonicalTag,
        address: Option<Address>,
    ) -> CanonicalRecord<'s, S> {
        match address {
            None => sink.push_bytes(&[tag as u8]),
            Some(address) => sink.push_with_number(&[tag as u8], address.0),
        }
        let mut told = FacetSelection::default();
        if tag == CanonicalTag::Entry && wanted.contains(Facet::Address) {
            told.insert(Facet::Address);
        }
        CanonicalRecord { sink, wanted, told, last: 0, read: Ok(()) }
    }

    /// The facets that went in; of an entry `address` is one, if it is wanted.
    pub(super) fn facets(self) -> FacetSelection {
        self.told
    }

    /// The facets that went in, of an entry whose contents may have been read in pieces.
    ///
    /// # Errors
    /// An error of reading them.
    #[inline]
    pub(super) fn finish(self) -> Result<FacetSelection, Error> {
        self.read.map(|()| self.told)
    }

    #[inline]
    pub(super) fn wants(&self, facet: Facet) -> bool {
        self.wanted.contains(facet)
    }

    /// The number of a field that is wanted.
    #[inline(always)]
    fn open(&mut self, facet: Facet) -> Option<u8> {
        let DigestRole::Field(number) = facet.role() else { return None };
        if !self.wants(facet) {
            return None;
        }
        debug_assert!(self.last < number, "fields ascend");
        self.last = number;
        self.told.insert(facet);
        Some(number)
    }

    /// A field of a known length, whose value `put` writes.
    #[inline(always)]
    pub(super) fn field(&mut self, facet: Facet, length: u64, put: impl FnOnce(&mut S)) {
        let Some(number) = self.open(facet) else { return };
        match u8::try_from(length) {
            Ok(short @ 0..=0xfe) => self.sink.push_bytes(&[number, short]),
            _ => {
                self.sink.push_bytes(&[number]);
                self.sink.length(length);
            }
        }
        put(self.sink);
    }

    /// A field whose value is written twice: once to know its length.
    pub(super) fn measured(&mut self, facet: Facet, put: impl Fn(&mut dyn ByteSink)) {
        if self.wants(facet) {
            let mut length = LengthCounter::default();
            put(&mut length);
            self.field(facet, length.0, |sink| put(sink));
        }
    }

    /// A fact as a field. The facts that most records consist of are inlined, the others are not.
    #[inline(always)]
    pub(super) fn fact(&mut self, facet: Facet, fact: Fact<'_>) {
        match fact {
            Fact::Kind(letter) => self.byte(facet, letter),
            other => match other.number() {
                Some(number) => self.number(facet, Some(number)),
                None => self.long_fact(facet, other),
            },
        }
    }

    /// A fact that is no number.
    #[inline(never)]
    fn long_fact(&mut self, facet: Facet, fact: Fact<'_>) {
        match fact {
            Fact::Name(name) => self.bytes(facet, name.as_bytes()),
            Fact::Addresses(ContentItems::Held(addresses)) => self.addresses(facet, addresses),
            Fact::Primitives(ContentItems::Held(bytes), _) => self.bytes(facet, bytes),
            Fact::Addresses(ContentItems::Long(addresses)) => self.long_addresses(facet, addresses),
            Fact::Primitives(ContentItems::Long(bytes), _) => self.long_bytes(facet, b"", bytes),
            Fact::Raw(ContentItems::Long(bytes)) => self.long_bytes(facet, b"r", bytes),
            Fact::Values(values) => {
                let length = 1 + values.iter().map(value_length).sum::<u64>();
                self.field(facet, length, |sink| {
                    sink.push_bytes(b"v");
                    values.iter().for_each(|value| sink.value(value));
                });
            }
            Fact::Raw(ContentItems::Held(bytes)) => self.field(facet, 1 + bytes.len() as u64, |sink| {
                sink.push_bytes(b"r");
                sink.push_bytes(bytes);
            }),
            other => self.measured(facet, |sink| push_fact(other, sink)),
        }
    }

    /// Keeps an error for the end of the record.
    pub(super) fn keep(&mut self, read: Result<(), Error>) {
        if read.is_err() {
            self.read = read;
        }
    }

    /// Bytes in pieces, after those that say what they are.
    #[cold]
    fn long_bytes(&mut self, facet: Facet, what: &[u8], bytes: &Pieces<u8>) {
        let mut read = Ok(());
        self.field(facet, what.len() as u64 + bytes.count(), |sink| {
            sink.push_bytes(what);
            read = bytes.visit(|piece| {
                sink.push_bytes(piece);
                Ok(())
            });
        });
        self.keep(read);
    }

    /// Addresses in pieces.
    #[cold]
    pub(super) fn long_addresses(&mut self, facet: Facet, addresses: &Pieces<Address>) {
        let mut read = Ok(());
        self.field(facet, 8 * addresses.count(), |sink| {
            read = addresses.visit(|piece| {
                sink.push_addresses(piece);
                Ok(())
            });
        });
        self.keep(read);
    }

    #[inline(always)]
    fn byte(&mut self, facet: Facet, byte: u8) {
        if let Some(number) = self.open(facet) {
            self.sink.push_bytes(&[number, 1, byte]);
        }
    }

    #[inline]
    fn bytes(&mut self, facet: Facet, bytes: &[u8]) {
        self.field(facet, bytes.len() as u64, |sink| sink.push_bytes(bytes));
    }

    #[inline(always)]
    pub(super) fn number(&mut self, facet: Facet, number: Option<u64>) {
        if let Some(value) = number
            && let Some(number) = self.open(facet)
        {
            self.sink.push_with_number(&[number, 8], value);
        }
    }

    #[inline(always)]
    pub(super) fn addresses(&mut self, facet: Facet, addresses: &[Address]) {
        self.field(facet, 8 * addresses.len() as u64, |sink| sink.push_addresses(addresses));
    }
}

/// The parts that values are made of.
pub(super) trait ValueParts: ByteSink {
    /// A length: one byte below 255, or 255 and eight bytes.
    #[inline]
    fn length(&mut self, length: u64) {
        match u8::try_from(length) {
            Ok(short @ 0..=0xfe) => self.push_bytes(&[short]),
            _ => {
                self.push_bytes(&[0xff]);
                self.push_bytes(&length.to_be_bytes());
            }
        }
    }

    /// A number, in eight bytes.
    #[inline]
    fn number(&mut self, number: u64) {
        self.push_bytes(&number.to_be_bytes());
    }

    /// Bytes after their length.
    #[inline]
    fn text(&mut self, bytes: &[u8]) {
        self.length(bytes.len() as u64);
        self.push_bytes(bytes);
    }

    fn name(&mut self, name: &Name) {
        self.text(name.as_bytes());
    }

    /// A byte that says whether there is a value, and the value.
    fn option<T>(&mut self, value: Option<T>, put: impl FnOnce(&mut Self, T)) {
        self.push_bytes(&[u8::from(value.is_some())]);
        if let Some(value) = value {
            put(self, value);
        }
    }

    /// A type by its letter in JVM signatures.
    #[inline]
    fn kind(&mut self, kind: FieldType) {
        self.push_bytes(&[letter(kind)]);
    }

    /// A value: its type, and its bits in the type's width.
    #[inline]
    fn value(&mut self, value: &Value) {
        let bits = value.bits.to_be_bytes();
        self.kind(value.kind);
        self.push_bytes(&bits[8 - width(value.kind)..]);
    }
}

impl<S: ByteSink + ?Sized> ValueParts for S {}

/// Writes a fact as a part of a value.
pub(super) fn push_fact(fact: Fact<'_>, sink: &mut dyn ByteSink) {
    match fact {
        Fact::Times(one, other) | Fact::Randoms(one, other) => {
            [one, other].into_iter().for_each(|number| sink.number(number.into()));
        }
        Fact::Totals(totals) => push_entry(totals, sink),
        Fact::Name(name) => sink.name(name),
        Fact::Fields(fields) => fields.iter().for_each(|field| {
            sink.name(&field.name);
            sink.kind(field.kind);
        }),
        Fact::Statics(statics) => statics.iter().for_each(|entry| {
            sink.name(&entry.name);
            sink.value(&entry.value);
        }),
        Fact::Pool(pool) => pool.iter().for_each(|entry| {
            sink.number(entry.index.into());
            sink.value(&entry.value);
        }),
        Fact::Ids(ids) => ids.iter().for_each(|id| sink.number(id.0)),
        Fact::Summary(summary) => push_entry(summary, sink),
        Fact::Sites(sites) => sites.iter().for_each(|site| push_entry(site, sink)),
        Fact::Samples(samples) => samples.iter().for_each(|samples| push_entry(samples, sink)),
        Fact::Frames(frames) => frames.iter().for_each(|frame| push_entry(frame, sink)),
        Fact::Raw(ContentItems::Held(bytes)) => sink.push_bytes(bytes),
        // A number, or a key of listings that is no fact by itself.
        other => other.number().into_iter().for_each(|number| sink.number(number)),
    }
}

/// Writes an entry by its keys in a listing, in their order; a fact that need not be known is an option.
pub(super) fn push_entry<E: Described>(entry: &E, sink: &mut dyn ByteSink) {
    struct KeyParts<'k, E> {
        entry: &'k E,
        sink: &'k mut dyn ByteSink,
    }

    impl<E> FactWalk<E> for KeyParts<'_, E> {
        fn key<T: ListingValue>(&mut self, key: ListingKey, get: impl GetFact<E>, _: impl SetField<E, T>) {
            match (get(self.entry), key.presence) {
                (Some(fact), KeyPresence::Always | KeyPresence::Written) => push_fact(fact, self.sink),
                (fact, _) => self.sink.option(fact, |sink, fact| push_fact(fact, sink)),
            }
        }

        fn known_name(
            &mut self,
            _: ListingKey,
            get: impl Fn(&E) -> &Option<Name>,
            _: impl Fn(&mut E) -> &mut Option<Name>,
        ) {
            let known = get(self.entry).as_ref().filter(|name| !name.as_bytes().is_empty());
            self.sink.option(known.map(Fact::Name), |sink, fact| push_fact(fact, sink));
        }
    }

    E::walk(&mut KeyParts { entry, sink });
}

/// Bytes of a value with its type.
pub(super) const fn value_length(value: &Value) -> u64 {
    1 + width(value.kind) as u64
}

const fn width(kind: FieldType) -> usize {
    match kind {
        FieldType::Object => 8,
        FieldType::Primitive(primitive) => primitive.size() as usize,
    }
}

const fn letter(kind: FieldType) -> u8 {
    match kind {
        FieldType::Object => b'L',
        FieldType::Primitive(primitive) => primitive.signature() as u8,
    }
}
