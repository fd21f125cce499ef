//! Records to the model: addresses from gaps, classes from cache slots.

use std::io::Read;
use std::mem;

use crate::bytes::Allowance;
use crate::error::{DecodeError, Error};
use crate::model::long::{ItemEncoding, Spool};
use crate::model::{
    Address, ByteLen, Class, Contents, Facts, HashRegime, Heap, HeapSource, IdentityHash, Name, NamePool, Object,
    ObjectKind, PiecewiseContents, Surroundings, VisitObjects, WordSize,
};

use super::decode::{BodyEnd, Decoder, LocatedRecord};
use super::record::{ClassRecord, Header, HeaderRecord, Record, ReferenceList, StoredHash};
use super::wire::{RecordLayout, Units, Width};

/// The state that crosses records: the preceding address and the class cache.
///
/// The cache has four slots, all zero at the start. Every medium and long object record writes the
/// next slot in turn, without looking whether the class is there already; no other record touches it
/// (DTFJ reader; S0 only speaks of "the last 4 classes used").
#[derive(Clone, Debug)]
pub struct Resolver {
    layout: RecordLayout,
    previous: Address,
    cache: [u64; 4],
    /// Classes written to the cache so far, at most 4 counted.
    filled: u8,
    next: u8,
}

/// A record's absolute addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resolved {
    /// The record's own address.
    pub address: Address,
    /// Its class word, directly or through the cache; `None` for classes and primitive arrays.
    pub class_word: Option<Address>,
    /// Whether a short object record named a cache slot that nothing was ever written to.
    pub empty_slot: bool,
}

/// One entry of a heap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DumpItem {
    /// A class record.
    Class(Class),
    /// An object: any other record.
    Object(Object),
}

impl Resolver {
    /// The state before the first record.
    pub fn new(layout: RecordLayout) -> Resolver {
        Resolver { layout, previous: Address::NULL, cache: [0; 4], filled: 0, next: 0 }
    }

    /// Resolves the next record.
    #[inline(always)]
    pub fn resolve(&mut self, record: &Record<'_>) -> Resolved {
        let address = self.offset(self.previous, record.gap().units);
        self.previous = address;
        let mut empty_slot = false;
        let class_word = match record {
            Record::Short(r) => {
                empty_slot = r.slot >= self.filled;
                Some(self.cached(r.slot))
            }
            Record::Medium(r) => Some(self.push(r.class_word)),
            Record::Long(r) => Some(self.push(r.class_word)),
            Record::ObjectArray(r) => Some(Address(r.class_word)),
            Record::Class(_) | Record::PrimitiveArray(_) | Record::LongPrimitiveArray(_) => None,
        };
        Resolved { address, class_word, empty_slot }
    }

    /// The address at a distance from another; addresses of 32-bit dumps wrap at 4 GiB.
    #[inline]
    pub fn offset(&self, from: Address, units: Units) -> Address {
        let bytes = (units.0 as u64).wrapping_mul(self.layout.unit);
        Address(self.layout.word.mask(from.0.wrapping_add(bytes)))
    }

    /// The addresses that a record refers to.
    pub fn references(&self, from: Address, references: &ReferenceList<'_>) -> Vec<Address> {
        let mut addresses = Vec::new();
        self.references_in(&mut addresses, from, references);
        addresses
    }

    /// Like [`Resolver::references`], into a vector that is used again.
    fn references_in(&self, room: &mut Vec<Address>, from: Address, references: &ReferenceList<'_>) {
        room.clear();
        room.reserve_exact(references.len());
        references.map_into(room, |units| self.offset(from, units));
    }

    /// The number of null references of a record.
    #[inline]
    pub fn nulls(&self, from: Address, references: &ReferenceList<'_>) -> u64 {
        let RecordLayout { word, unit, .. } = self.layout;
        if references.width.bytes() >= word.bytes() {
            // Several distances lead to null: addresses wrap.
            let mut nulls = 0;
            references.for_each(|units| nulls += u64::from(self.offset(from, units).is_null()));
            return nulls;
        }
        let distance = match word {
            WordSize::Bits32 => i64::from((from.0 as u32).wrapping_neg() as i32),
            WordSize::Bits64 => from.0.wrapping_neg() as i64,
        };
        let is_whole = distance as u64 & (unit - 1) == 0;
        if is_whole { references.count_at(Units(distance >> unit.trailing_zeros())) } else { 0 }
    }

    /// The cache slots as they are now.
    pub fn cache(&self) -> [Address; 4] {
        self.cache.map(Address)
    }

    /// The address of the record resolved last.
    pub fn previous(&self) -> Address {
        self.previous
    }

    /// Bytes in an address unit.
    pub fn unit(&self) -> u64 {
        self.layout.unit
    }

    #[inline]
    fn cached(&self, slot: u8) -> Address {
        Address(self.cache[usize::from(slot & 3)])
    }

    #[inline]
    fn push(&mut self, class: u64) -> Address {
        self.cache[usize::from(self.next & 3)] = class;
        self.next = (self.next + 1) & 3;
        self.filled = (self.filled + 1).min(4);
        Address(class)
    }
}

/// The facts of a header. Of repeated header records the last counts (DTFJ reader).
pub fn facts(header: &Header) -> Facts {
    let layout = RecordLayout::new(header.version, header.flags);
    let regime = if layout.hash16 { HashRegime::Every16 } else { HashRegime::WhereUsed32 };
    let mut facts = Facts { word_size: Some(layout.word), hash_regime: Some(regime), ..Facts::default() };
    for record in &header.records {
        match record {
            HeaderRecord::Totals(totals) => facts.totals = Some(*totals),
            HeaderRecord::HashcodeRandoms(first, second) => facts.hash_randoms = Some((*first, *second)),
            HeaderRecord::FullVersion(text) => facts.version_text = Some(Name::from_bytes(text.as_slice())),
        }
    }
    facts
}

/// The class or object of a record.
pub fn item(resolver: &mut Resolver, record: &Record<'_>) -> DumpItem {
    let mut object = Object::default();
    match fill_object(&mut object, &mut Vec::new(), resolver, record) {
        Some(class) => DumpItem::Class(class),
        None => DumpItem::Object(object),
    }
}

/// Makes `object` that of a record, or gives the record's class. Every object of a dump is read into the same one; the room of
/// references is in `room` while an object has none.
fn fill_object(
    object: &mut Object,
    room: &mut Vec<Address>,
    resolver: &mut Resolver,
    record: &Record<'_>,
) -> Option<Class> {
    let Resolved { address, class_word, .. } = resolver.resolve(record);
    let hash = hash(record);
    let (kind, class, length, size) = match record {
        Record::Class(r) => return Some(self::class(resolver, address, hash, r)),
        Record::PrimitiveArray(r) => (ObjectKind::PrimitiveArray(r.element), None, Some(r.length), r.size_words),
        Record::LongPrimitiveArray(r) => (ObjectKind::PrimitiveArray(r.element), None, Some(r.length), r.size_words),
        Record::ObjectArray(r) => (ObjectKind::ObjectArray, None, r.length.map(u64::from), r.size_words),
        Record::Short(_) | Record::Medium(_) | Record::Long(_) => (ObjectKind::Instance, class_word, None, None),
    };
    object.address = address;
    object.kind = kind;
    object.class = class;
    object.class_word = class_word;
    object.hash = hash;
    object.length = length;
    object.size = size.map(|words| ByteLen(u64::from(words) * 4));
    if let Contents::References(references) = mem::take(&mut object.contents) {
        *room = references;
    }
    if let Some(references) = record.references() {
        resolver.references_in(room, address, references);
        object.contents = Contents::References(mem::take(room));
    }
    None
}

fn hash(record: &Record<'_>) -> Option<IdentityHash> {
    match record.hash() {
        StoredHash::Absent => None,
        StoredHash::Bits16(hash) => Some(IdentityHash::Bits16(hash)),
        StoredHash::Bits32(hash) => Some(IdentityHash::Bits32(hash)),
    }
}

fn class(resolver: &Resolver, address: Address, hash: Option<IdentityHash>, r: &ClassRecord<'_>) -> Class {
    Class {
        address,
        name: Name::from_bytes(r.name.as_ref()),
        superclass: Some(Address(r.superclass)),
        instance_size: Some(ByteLen(u64::from(r.instance_size))),
        hash,
        references: Some(resolver.references(address, &r.references)),
        ..Class::default()
    }
}

/// References as signed distances in address units from the record's own address.
#[derive(Debug)]
struct DistanceSpelling {
    width: Width,
    from: Address,
    resolver: Resolver,
}

impl ItemEncoding<Address> for DistanceSpelling {
    fn width(&self) -> usize {
        self.width.bytes()
    }

    fn read(&self, bytes: &[u8], items: &mut Vec<Address>) {
        let references = ReferenceList { width: self.width, bytes: bytes.into() };
        references.for_each(|units| items.push(self.resolver.offset(self.from, units)));
    }
}

/// Calls `visit` with every class and object in file order.
///
/// # Errors
/// An error of `visit`, or one of decoding; the items before it are sound.
pub fn visit<R, E, F>(decoder: &mut Decoder<R>, visit: F) -> Result<BodyEnd, E>
where
    R: Read,
    E: From<DecodeError>,
    F: FnMut(LocatedRecord<'_, '_>, DumpItem) -> Result<(), E>,
{
    visit_with(decoder, None, visit)
}

/// Like [`visit`]; references that are too many to be held go into a spool, if there is one.
///
/// # Errors
/// Like [`visit`].
pub fn visit_with<R, E, F>(decoder: &mut Decoder<R>, spool: Option<&mut Spool>, mut visit: F) -> Result<BodyEnd, E>
where
    R: Read,
    E: From<DecodeError>,
    F: FnMut(LocatedRecord<'_, '_>, DumpItem) -> Result<(), E>,
{
    visit_reusing_object(decoder, spool, |located, object, class| match class {
        Some(class) => visit(located, DumpItem::Class(class)),
        None => visit(located, DumpItem::Object(mem::take(object))),
    })
}

/// Like [`visit_with`]; `visit` gets the object, or the class that a record has instead, and may leave the object, with
/// the capacity of its references, for the next.
fn visit_reusing_object<R, E, F>(
    decoder: &mut Decoder<R>,
    spool: Option<&mut Spool>,
    mut visit: F,
) -> Result<BodyEnd, E>
where
    R: Read,
    E: From<DecodeError>,
    F: FnMut(LocatedRecord<'_, '_>, &mut Object, Option<Class>) -> Result<(), E>,
{
    let mut resolver = Resolver::new(decoder.layout());
    let (mut object, mut room) = (Object::default(), Vec::new());
    let mut objects = 0;
    let ended = decoder.visit_with(spool, |located| {
        let mut class = fill_object(&mut object, &mut room, &mut resolver, located.record);
        match &mut class {
            Some(class) => class.after_objects = Some(objects),
            None => objects += 1,
        }
        if let (Some(stretch), Some(none)) = (located.long, located.record.references())
            && class.is_none()
        {
            // Too many to be held.
            let distances = DistanceSpelling { width: none.width, from: object.address, resolver: resolver.clone() };
            object.contents = Contents::Long(PiecewiseContents::References(stretch.spelled(distances)));
        }
        visit(located, &mut object, class)
    })?;
    // A compressed stream shows only at its very end whether it is whole.
    decoder.visit_trailing::<E, _>(|_| Ok(()))?;
    Ok(ended)
}

/// Takes classes and whole objects in, as far as their memory is allowed: equal names take the room of one.
#[derive(Debug)]
pub(super) struct ClassTable {
    names: NamePool,
    allowance: Allowance,
}

impl ClassTable {
    pub(super) fn new<R: Read>(decoder: &Decoder<R>) -> ClassTable {
        ClassTable { names: NamePool::default(), allowance: decoder.allowance() }
    }

    /// A class with a name that it shares.
    ///
    /// # Errors
    /// If it would take more memory than is allowed.
    pub(super) fn class(&mut self, located: LocatedRecord<'_, '_>, class: Class) -> Result<Class, DecodeError> {
        let (name, bytes) = self.names.share_counted(class.name.clone());
        self.allowance.charge(class.memory_size() + bytes, located.offset, located.index)?;
        Ok(Class { name, ..class })
    }

    /// An object that is held.
    ///
    /// # Errors
    /// Like [`ClassTable::class`].
    pub(super) fn object(&mut self, located: LocatedRecord<'_, '_>, object: Object) -> Result<Object, DecodeError> {
        self.allowance.charge(object.memory_size(), located.offset, located.index)?;
        Ok(object)
    }
}

/// Reads a whole heap into memory, and says how the body ended. After an error the heap holds
/// everything before it.
pub fn heap<R: Read>(decoder: &mut Decoder<R>) -> (Heap, Result<BodyEnd, DecodeError>) {
    let mut heap = Heap { facts: facts(decoder.header()), ..Heap::default() };
    let mut table = ClassTable::new(decoder);
    let ended = visit(decoder, |located, item| {
        match item {
            DumpItem::Class(class) => heap.classes.push(table.class(located, class)?),
            DumpItem::Object(object) => heap.objects.push(table.object(located, object)?),
        }
        Ok(())
    });
    (heap, ended)
}

/// A PHD as a [`HeapSource`]: the class table in memory, the objects read from the dump each time.
#[derive(Debug)]
pub struct PhdSource<O> {
    open: O,
    summary: PhdSummary,
    surroundings: Surroundings,
    spool: Spool,
}

/// The parts of a dump that a [`PhdSource`] holds.
#[derive(Debug)]
pub(super) struct PhdSummary {
    facts: Facts,
    classes: Vec<Class>,
    table: ClassTable,
    objects: u64,
    left_behind: Option<String>,
}

impl PhdSummary {
    /// An empty summary of a dump of which the header was read.
    pub(super) fn new<R: Read>(decoder: &Decoder<R>) -> PhdSummary {
        let table = ClassTable::new(decoder);
        PhdSummary { facts: facts(decoder.header()), classes: Vec::new(), table, objects: 0, left_behind: None }
    }

    /// Takes the next record in, which was resolved by this resolver.
    ///
    /// # Errors
    /// If the classes would take more memory than is allowed.
    #[inline]
    pub(super) fn add_record(
        &mut self,
        located: LocatedRecord<'_, '_>,
        resolver: &Resolver,
        address: Address,
    ) -> Result<(), DecodeError> {
        let Record::Class(r) = located.record else {
            self.objects += 1;
            return Ok(());
        };
        let class = Class { after_objects: Some(self.objects), ..class(resolver, address, hash(located.record), r) };
        self.classes.push(self.table.class(located, class)?);
        Ok(())
    }

    /// Takes in how the dump ended: how many bytes there are after the end tag, or that this is missing.
    pub(super) fn finish(&mut self, trailing: Result<u64, &DecodeError>) {
        self.left_behind = match trailing {
            Ok(0) => None,
            Ok(bytes) => Some(format!("{bytes} trailing bytes after the end tag are not part of the heap")),
            Err(missing) => Some(missing.to_string()),
        };
    }
}

impl<R: Read, O: FnMut() -> Result<Decoder<R>, Error>> PhdSource<O> {
    /// Reads the class table. `open` gives a decoder at the start of the same dump every time.
    ///
    /// # Errors
    /// An error of opening or decoding; a missing end tag is tolerated.
    pub fn new(open: O) -> Result<PhdSource<O>, Error> {
        PhdSource::with_spool(open, Spool::default())
    }

    /// Like [`PhdSource::new`]; references that are too many to be held go into this spool.
    ///
    /// # Errors
    /// Like [`PhdSource::new`].
    pub fn with_spool(mut open: O, mut spool: Spool) -> Result<PhdSource<O>, Error> {
        let mut decoder = open()?;
        let mut summary = PhdSummary::new(&decoder);
        let mut resolver = Resolver::new(decoder.layout());
        let ended = decoder.visit_with::<Error, _>(Some(&mut spool), |located| {
            let address = resolver.resolve(located.record).address;
            Ok(summary.add_record(located, &resolver, address)?)
        });
        let trailing = match ended {
            Ok(_) => Ok(decoder.visit_trailing::<Error, _>(|_| Ok(()))?),
            Err(Error::Decode(e)) if e.is_missing_end() => Err(e),
            Err(e) => return Err(e),
        };
        summary.finish(trailing.as_ref().copied());
        Ok(PhdSource::from_summary(open, spool, summary))
    }
}

impl<O> PhdSource<O> {
    /// The source of a dump that was read to its end already.
    pub(super) fn from_summary(open: O, spool: Spool, summary: PhdSummary) -> PhdSource<O> {
        PhdSource { open, summary, surroundings: Surroundings::default(), spool }
    }
}

impl<O> PhdSource<O> {
    /// The part of the dump's end that the heap does not record: bytes after the end tag, or that this is missing.
    pub fn left_behind(&self) -> Option<&str> {
        self.summary.left_behind.as_deref()
    }
}

impl<R: Read, O: FnMut() -> Result<Decoder<R>, Error>> HeapSource for PhdSource<O> {
    fn facts(&self) -> &Facts {
        &self.summary.facts
    }

    fn classes(&self) -> &[Class] {
        &self.summary.classes
    }

    fn surroundings(&self) -> &Surroundings {
        &self.surroundings
    }

    fn visit_objects(&mut self, visit_object: &mut VisitObjects<'_>) -> Result<(), Error> {
        let mut decoder = (self.open)()?;
        let ended = visit_reusing_object(&mut decoder, Some(&mut self.spool), |_, object, class| match class {
            Some(_) => Ok(()),
            None => visit_object(object),
        });
        tolerate_missing_end(ended)
    }
}

fn tolerate_missing_end(ended: Result<BodyEnd, Error>) -> Result<(), Error> {
    match ended {
        Ok(_) => Ok(()),
        Err(Error::Decode(e)) if e.is_missing_end() => Ok(()),
        Err(e) => Err(e),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// References of a width at these distances, as they stand in a record.
    fn at(width: Width, distances: &[i64]) -> ReferenceList<'static> {
        let bytes = distances.iter().flat_map(|distance| distance.to_be_bytes()[8 - width.bytes()..].to_vec());
        ReferenceList { width, bytes: bytes.collect::<Vec<u8>>().into() }
    }

    /// The nulls are worked out by hand: 0 is at the distance -0x10 from 0x40 in units of 4 bytes, and in 32 bits also at those that lead
    /// across 4 GiB.
    #[test]
    fn null_references_are_counted_without_their_addresses() {
        let of = |word, unit, from, references: &ReferenceList<'_>| {
            let layout = RecordLayout { word, hash16: false, array_sizes: false, unit };
            Resolver::new(layout).nulls(Address(from), references)
        };
        let (narrow, wide) = (WordSize::Bits32, WordSize::Bits64);
        for (word, unit, from, width, distances, nulls) in [
            (wide, 4, 0x40, Width::One, &[-0x10, 0x10, -0x11, -0x10][..], 2),
            (wide, 8, 0x40, Width::One, &[-8, -0x10, 0, 8], 1),
            // Not a whole number of units away.
            (wide, 4, 0x42, Width::Two, &[-0x10, -0x11], 0),
            // Too far for the width.
            (wide, 4, 0x1000, Width::One, &[-0x80, 0x7f, 0], 0),
            (wide, 4, 0x1000, Width::Two, &[-0x400, 0x400, -0x3ff], 1),
            (wide, 4, 0x2_0000_0000, Width::Four, &[-0x8000_0000, 0x7fff_ffff, 0], 1),
            (wide, 4, 0x1000, Width::Eight, &[-0x400, 0x3fff_ffff_ffff_fc00, 1], 2),
            (wide, 4, 0xffff_ffff_ffff_fffc, Width::One, &[1, -1], 1),
            (narrow, 4, 0xffff_fffc, Width::One, &[1, -1], 1),
            (narrow, 4, 0x40, Width::Two, &[-0x10, 0x10], 1),
            (narrow, 4, 0x1000, Width::Four, &[-0x400, 0x3fff_fc00, 0x400], 2),
            (wide, 4, 0, Width::One, &[0, 0, 1], 2),
        ] {
            let references = at(width, distances);
            assert_eq!(of(word, unit, from, &references), nulls, "{word:?} {unit} {from:#x} {width:?} {distances:?}");
            let first = references.first().map(|units| units.0);
            assert_eq!(first, distances.first().copied());
            let mut all = Vec::new();
            references.map_into(&mut all, |units| units.0);
            assert_eq!(all, distances);
        }
        assert_eq!(ReferenceList::none(Width::Four).first(), None);
    }
}
