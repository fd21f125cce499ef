//! Bytes to records. Mirrors [`super::encode`]: the same names in the same order.

use std::borrow::Cow;
use std::io::Read;
use std::mem::ManuallyDrop;

use crate::bytes::field_error::{FieldError, bad_field, keeping_error, refill, truncated};
use crate::bytes::{Allowance, Cursor, FieldTrace, IncompleteField, NoTrace, Window};
use crate::error::{DecodeError, Problem};
use crate::model::PrimitiveType;
use crate::model::long::{Spool, StoredBytes};

use super::book;
use super::record::{
    ClassRecord, Header, LongObject, LongPrimitiveArray, MediumObject, ObjectArray, PrimitiveArray, Record, RecordGap,
    ReferenceList, ShortObject, StoredHash,
};
use super::wire::{RecordLayout, Units, Width, record_flag, record_tag};

mod header;
mod long;

pub(crate) use header::header;
use header::header_cut_short;

/// Reads a PHD record by record, in memory that is bounded by its largest record.
#[derive(Debug)]
pub struct Decoder<R> {
    window: Window<R>,
    header: Header,
    header_bytes: Vec<u8>,
    layout: RecordLayout,
    declared: Option<u64>,
    records: u64,
    allowance: Allowance,
}

/// A record with its place.
#[derive(Clone, Copy, Debug)]
pub struct LocatedRecord<'a, 'r> {
    /// Index among the body's records, from 0.
    pub index: u64,
    /// Offset of its first byte, from the start of the (decompressed) stream.
    pub offset: u64,
    /// The record's bytes.
    pub bytes: &'a [u8],
    /// The decoded record.
    pub record: &'r Record<'a>,
    /// The references of a record that has too many of them to be held: their bytes. The record itself has none then, and
    /// `bytes` is empty.
    pub long: Option<&'r StoredBytes>,
}

/// The end of a body, with its end tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BodyEnd {
    /// Records in the body.
    pub records: u64,
    /// Offset of the end tag.
    pub end_tag: u64,
}

impl LocatedRecord<'_, '_> {
    /// Calls `visit` with the distance of each of the record's references.
    ///
    /// # Errors
    /// If references that are not held cannot be read.
    #[inline]
    pub fn references(&self, held: &ReferenceList<'_>, mut visit: impl FnMut(Units)) -> Result<(), DecodeError> {
        match self.long {
            None => held.for_each(visit),
            Some(long) => long::visit_distances(long, held.width, self.offset, &mut visit)?,
        }
        Ok(())
    }

    /// The distance of its first reference.
    ///
    /// # Errors
    /// Like [`LocatedRecord::references`].
    #[inline]
    pub fn first(&self, held: &ReferenceList<'_>) -> Result<Option<Units>, DecodeError> {
        if self.long.is_none() {
            return Ok(held.first());
        }
        let mut first = None;
        self.references(held, |units| _ = first.get_or_insert(units))?;
        Ok(first)
    }

    /// The number of references of the record.
    #[inline]
    pub fn count(&self, held: &ReferenceList<'_>) -> u64 {
        self.long.map_or(held.len() as u64, |long| long.length() >> held.width.code())
    }
}

impl<R: Read> Decoder<R> {
    /// Reads the header.
    ///
    /// # Errors
    /// If the stream does not begin with a PHD header, or cannot be read.
    pub fn new(source: R) -> Result<Decoder<R>, DecodeError> {
        Decoder::with_length(source, None)
    }

    /// Reads the header of a file whose length is known: ending before it is then told apart from a
    /// file that was always short.
    ///
    /// # Errors
    /// Like [`Decoder::new`].
    pub fn with_length(source: R, declared: Option<u64>) -> Result<Decoder<R>, DecodeError> {
        let mut window = Window::new(source);
        loop {
            let mut cursor = Cursor::new(window.bytes(), NoTrace);
            match header(&mut cursor) {
                Ok(header) => {
                    let used = cursor.position();
                    let header_bytes = window.bytes()[..used].to_vec();
                    window.consume(used);
                    let layout = RecordLayout::new(header.version, header.flags);
                    let allowance = Allowance::new(u64::MAX, book::FILE_TRUNCATED);
                    return Ok(Decoder { window, header, header_bytes, layout, declared, records: 0, allowance });
                }
                Err(FieldError::Incomplete(short)) => {
                    if !refill(&mut window, book::FILE_TRUNCATED)? {
                        return Err(header_cut_short(&window, short, declared));
                    }
                }
                Err(FieldError::Bad(bad)) => return Err(bad.into_error(window.offset())),
            }
        }
    }

    /// Lets the largest record, and what has to be known of the dump as a whole, take this many bytes of memory each.
    #[must_use]
    pub fn allowing(mut self, bytes: u64) -> Decoder<R> {
        self.allowance = Allowance::new(bytes, book::FILE_TRUNCATED);
        self.window.limit(bytes);
        self
    }

    /// The memory allowed for facts of the dump as a whole.
    pub fn allowance(&self) -> Allowance {
        self.allowance
    }

    /// The header.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The bytes of the header, body start tag included.
    pub fn header_bytes(&self) -> &[u8] {
        &self.header_bytes
    }

    /// The layout that the header asks for.
    pub fn layout(&self) -> RecordLayout {
        self.layout
    }

    /// Records delivered so far.
    pub fn records(&self) -> u64 {
        self.records
    }

    /// Calls `visit` with every record in file order, up to the end tag.
    ///
    /// `visit` is called through a pointer, so that there is one copy of the loop for all callers.
    ///
    /// # Errors
    /// An error of `visit`, or a [`DecodeError`] after the last sound record. A body without an end
    /// tag is such an error too ([`DecodeError::is_missing_end`]), since readers differ in whether
    /// they care.
    pub fn visit<E, F>(&mut self, mut visit: F) -> Result<BodyEnd, E>
    where
        E: From<DecodeError>,
        F: FnMut(LocatedRecord<'_, '_>) -> Result<(), E>,
    {
        keeping_error(|keep| self.visit_called(&mut |located| keep(visit(located))))
    }

    fn visit_called(
        &mut self,
        visit: &mut dyn FnMut(LocatedRecord<'_, '_>) -> Result<(), DecodeError>,
    ) -> Result<BodyEnd, DecodeError> {
        self.visit_with(None, visit)
    }

    /// Like [`Decoder::visit`], compiled into its caller; references of a record that are too many to be held go into a spool, if
    /// there is one.
    ///
    /// # Errors
    /// Like [`Decoder::visit`].
    pub fn visit_with<E, F>(&mut self, mut spool: Option<&mut Spool>, mut visit: F) -> Result<BodyEnd, E>
    where
        E: From<DecodeError>,
        F: FnMut(LocatedRecord<'_, '_>) -> Result<(), E>,
    {
        let layout = self.layout;
        // A record that was read already, without its references, which are too many to be held.
        let mut long: Option<(u64, Record<'static>, StoredBytes)> = None;
        loop {
            let offset = self.window.offset();
            let bytes = self.window.bytes();
            let mut taken = 0;
            // `visit` is called in one place, so that it is compiled into this loop: a call would hand every record on through memory.
            let short = loop {
                let rest = &bytes[taken..];
                let (held, apart);
                // Looked at before it is taken, which would move it for every record.
                let (place, length, record, stretch) = if long.is_some()
                    && let Some(read) = long.take()
                {
                    apart = (read.1, Some(read.2));
                    (read.0, 0, &apart.0, apart.1.as_ref())
                } else {
                    let place = offset + taken as u64;
                    if let [record_tag::END_OF_DUMP, ..] = rest {
                        self.window.consume(taken + 1);
                        return Ok(BodyEnd { records: self.records, end_tag: place });
                    }
                    let mut cursor = Cursor::new(rest, NoTrace);
                    match record(&mut cursor, layout) {
                        // It borrows everything; dropping it would still ask, for every record, whether it does.
                        Ok(record) => held = ManuallyDrop::new(record),
                        Err(FieldError::Incomplete(short)) => break short,
                        Err(FieldError::Bad(bad)) => {
                            self.window.consume(taken);
                            return Err(bad.into_error(place).in_record(self.records).into());
                        }
                    }
                    let length = cursor.position();
                    if let Some(spool) = spool.as_deref_mut()
                        && let Some(references) = held.references()
                        && references.len() > spool.held() / 8
                    {
                        apart = long::detach_references(&held, place, &rest[..length], spool)?;
                        (place, length, &apart.0, apart.1.as_ref())
                    } else {
                        (place, length, &*held, None)
                    }
                };
                visit(LocatedRecord {
                    index: self.records,
                    offset: place,
                    bytes: &rest[..length],
                    record,
                    long: stretch,
                })?;
                self.records += 1;
                taken += length;
            };
            self.window.consume(taken);
            if let Some(spool) = spool.as_deref_mut().filter(|spool| short.needed > spool.held() as u64 / 8) {
                let place = self.window.offset();
                if let Some((record, stretch)) = self.long_record(spool).map_err(|e| e.in_record(self.records))? {
                    long = Some((place, record, stretch));
                    continue;
                }
            }
            if !refill(&mut self.window, book::FILE_TRUNCATED).map_err(|e| e.in_record(self.records))? {
                return Err(self.cut_short(short).into());
            }
        }
    }

    /// Calls `visit` with the bytes after the end tag, piece by piece, and returns their number.
    ///
    /// # Errors
    /// An error of `visit`, or a [`DecodeError`] when reading fails.
    pub fn visit_trailing<E, F>(&mut self, mut visit: F) -> Result<u64, E>
    where
        E: From<DecodeError>,
        F: FnMut(&[u8]) -> Result<(), E>,
    {
        let mut total = 0;
        loop {
            let length = self.window.bytes().len();
            if length > 0 {
                visit(self.window.bytes())?;
                self.window.consume(length);
                total += length as u64;
            }
            if !refill(&mut self.window, book::FILE_TRUNCATED)? {
                return Ok(total);
            }
        }
    }

    /// The stream, as far as it was read.
    pub fn source(&self) -> &R {
        self.window.source()
    }

    /// After an error: the offset of the record that could not be read, and its bytes as far as they are at hand.
    pub(super) fn at_hand(&self) -> (u64, &[u8]) {
        (self.window.offset(), self.window.bytes())
    }

    fn cut_short(&self, short: IncompleteField) -> DecodeError {
        let length = self.window.offset() + self.window.bytes().len() as u64;
        if let Some(opened) = self.declared.filter(|&opened| length < opened) {
            return DecodeError::new(book::FILE_TRUNCATED, length, short.field, Problem::Shrunk { opened })
                .in_record(self.records);
        }
        if self.window.bytes().is_empty() {
            return DecodeError::new(book::BODY_END_TAG, length, "tag", Problem::MissingEnd).in_record(self.records);
        }
        truncated(book::FILE_TRUNCATED, self.window.offset(), self.window.bytes().len(), short).in_record(self.records)
    }
}

/// One record of the body; the end tag is not a record.
///
/// This and the kinds below are inlined by force: as calls, they hand every record on through memory, which
/// costs `validate` an eighth of its time.
#[inline(always)]
pub(crate) fn record<'a, T: FieldTrace>(c: &mut Cursor<'a, T>, layout: RecordLayout) -> Result<Record<'a>, FieldError> {
    let at = c.position();
    let tag = c.u8("tag")?;
    if tag & record_tag::SHORT_OBJECT != 0 {
        return Ok(Record::Short(short_object(c, layout, tag)?));
    }
    if tag & record_tag::MEDIUM_OBJECT != 0 {
        return Ok(Record::Medium(medium_object(c, layout, tag)?));
    }
    if tag & record_tag::PRIMITIVE_ARRAY != 0 {
        return Ok(Record::PrimitiveArray(primitive_array(c, layout, tag)?));
    }
    match tag {
        record_tag::LONG_OBJECT => Ok(Record::Long(long_object(c, layout)?)),
        record_tag::OBJECT_ARRAY | record_tag::NEW_OBJECT_ARRAY => {
            Ok(Record::ObjectArray(object_array(c, layout, tag)?))
        }
        record_tag::CLASS => Ok(Record::Class(class(c, layout)?)),
        record_tag::LONG_PRIMITIVE_ARRAY => Ok(Record::LongPrimitiveArray(long_primitive_array(c, layout)?)),
        _ => {
            let expected = "a record tag: 0x20 to 0xff, 4, 5, 6, 7 or 8, or 3 for the end";
            Err(bad_field(book::RECORD_TAG, "tag", at, expected, format!("the reserved tag {tag:#04x}")))
        }
    }
}

#[inline(always)]
fn short_object<'a, T: FieldTrace>(
    c: &mut Cursor<'a, T>,
    layout: RecordLayout,
    tag: u8,
) -> Result<ShortObject<'a>, FieldError> {
    let gap = gap(c, Width::from_code(tag >> 2 & 1))?;
    let hash = hash16(c, layout)?;
    let references = references(c, u32::from(tag >> 3 & 3), Width::from_code(tag))?;
    Ok(ShortObject { slot: tag >> 5 & 3, gap, hash, references })
}

#[inline(always)]
fn medium_object<'a, T: FieldTrace>(
    c: &mut Cursor<'a, T>,
    layout: RecordLayout,
    tag: u8,
) -> Result<MediumObject<'a>, FieldError> {
    let gap = gap(c, Width::from_code(tag >> 2 & 1))?;
    let class_word = word(c, layout, "class word")?;
    let hash = hash16(c, layout)?;
    let references = references(c, u32::from(tag >> 3 & 7), Width::from_code(tag))?;
    Ok(MediumObject { gap, class_word, hash, references })
}

#[inline(always)]
fn primitive_array<T: FieldTrace>(
    c: &mut Cursor<'_, T>,
    layout: RecordLayout,
    tag: u8,
) -> Result<PrimitiveArray, FieldError> {
    let width = Width::from_code(tag);
    let gap = gap(c, width)?;
    let length = unsigned(c, "length", width)?;
    let hash = hash16(c, layout)?;
    let size_words = array_size(c, layout)?;
    Ok(PrimitiveArray { element: element(tag >> 2), gap, length, hash, size_words })
}

#[inline(always)]
fn long_object<'a, T: FieldTrace>(c: &mut Cursor<'a, T>, layout: RecordLayout) -> Result<LongObject<'a>, FieldError> {
    let (mut record, count) = long_object_head(c, layout)?;
    record.references = references(c, count, record.references.width)?;
    Ok(record)
}

#[inline(always)]
fn long_object_head<'a, T: FieldTrace>(
    c: &mut Cursor<'_, T>,
    layout: RecordLayout,
) -> Result<(LongObject<'a>, u32), FieldError> {
    let flags = c.u8("flags")?;
    let gap = gap(c, Width::from_code(flags >> 6))?;
    let class_word = word(c, layout, "class word")?;
    let hash = hash(c, layout, flags & record_flag::HASH_FOLLOWS)?;
    let count = reference_count(c)?;
    let references = ReferenceList::none(Width::from_code(flags >> 4));
    Ok((LongObject { flags: flags & 0x0f, gap, class_word, hash, references }, count))
}

#[inline(always)]
fn object_array<'a, T: FieldTrace>(
    c: &mut Cursor<'a, T>,
    layout: RecordLayout,
    tag: u8,
) -> Result<ObjectArray<'a>, FieldError> {
    let (mut record, count) = object_array_head(c, layout)?;
    record.references = references(c, count, record.references.width)?;
    (record.length, record.size_words) = object_array_tail(c, layout, tag)?;
    Ok(record)
}

#[inline(always)]
fn object_array_head<'a, T: FieldTrace>(
    c: &mut Cursor<'_, T>,
    layout: RecordLayout,
) -> Result<(ObjectArray<'a>, u32), FieldError> {
    let flags = c.u8("flags")?;
    let gap = gap(c, Width::from_code(flags >> 6))?;
    let class_word = word(c, layout, "class word")?;
    let hash = hash(c, layout, flags & record_flag::HASH_FOLLOWS)?;
    let count = reference_count(c)?;
    let references = ReferenceList::none(Width::from_code(flags >> 4));
    let flags = flags & 0x0f;
    Ok((ObjectArray { flags, gap, class_word, hash, references, length: None, size_words: None }, count))
}

/// The true length and the footprint, which come after the references.
#[inline(always)]
fn object_array_tail<T: FieldTrace>(
    c: &mut Cursor<'_, T>,
    layout: RecordLayout,
    tag: u8,
) -> Result<(Option<u32>, Option<u32>), IncompleteField> {
    let length = match tag {
        record_tag::NEW_OBJECT_ARRAY => Some(c.u32("true length")?),
        _ => None,
    };
    Ok((length, array_size(c, layout)?))
}

#[inline(always)]
fn class<'a, T: FieldTrace>(c: &mut Cursor<'a, T>, layout: RecordLayout) -> Result<ClassRecord<'a>, FieldError> {
    let flags = c.u8("flags")?;
    let gap = gap(c, Width::from_code(flags >> 6))?;
    let instance_size = c.u32("instance size")?;
    let hash = hash(c, layout, flags & record_flag::CLASS_HASH_FOLLOWS)?;
    let superclass = word(c, layout, "superclass word")?;
    let name_length = usize::from(c.u16("name length")?);
    let name = c.bytes("name", name_length)?;
    let count = reference_count(c)?;
    let references = references(c, count, Width::from_code(flags >> 4))?;
    Ok(ClassRecord { flags: flags & 0x0f, gap, instance_size, hash, superclass, name: Cow::Borrowed(name), references })
}

#[inline(always)]
fn long_primitive_array<T: FieldTrace>(
    c: &mut Cursor<'_, T>,
    layout: RecordLayout,
) -> Result<LongPrimitiveArray, FieldError> {
    let flags = c.u8("flags")?;
    let width = if flags & 0x10 == 0 { Width::One } else { Width::of_word(layout.word) };
    let gap = gap(c, width)?;
    let length = unsigned(c, "length", width)?;
    let hash = hash(c, layout, flags & record_flag::HASH_FOLLOWS)?;
    let size_words = array_size(c, layout)?;
    Ok(LongPrimitiveArray { element: element(flags >> 5), flags: flags & 0x0f, gap, length, hash, size_words })
}

#[inline]
fn gap<T: FieldTrace>(c: &mut Cursor<'_, T>, width: Width) -> Result<RecordGap, IncompleteField> {
    Ok(RecordGap::new(width, Units(c.signed("gap", width.bytes())?)))
}

#[inline]
fn unsigned<T: FieldTrace>(c: &mut Cursor<'_, T>, name: &'static str, width: Width) -> Result<u64, IncompleteField> {
    c.unsigned(name, width.bytes())
}

#[inline]
fn word<T: FieldTrace>(
    c: &mut Cursor<'_, T>,
    layout: RecordLayout,
    name: &'static str,
) -> Result<u64, IncompleteField> {
    unsigned(c, name, Width::of_word(layout.word))
}

#[inline]
fn hash16<T: FieldTrace>(c: &mut Cursor<'_, T>, layout: RecordLayout) -> Result<Option<u16>, IncompleteField> {
    if layout.hash16 { c.u16("hash").map(Some) } else { Ok(None) }
}

#[inline(always)]
fn hash<T: FieldTrace>(
    c: &mut Cursor<'_, T>,
    layout: RecordLayout,
    follows: u8,
) -> Result<StoredHash, IncompleteField> {
    if layout.hash16 {
        c.u16("hash").map(StoredHash::Bits16)
    } else if follows != 0 {
        c.u32("hash").map(StoredHash::Bits32)
    } else {
        Ok(StoredHash::Absent)
    }
}

#[inline(always)]
fn reference_count<T: FieldTrace>(c: &mut Cursor<'_, T>) -> Result<u32, FieldError> {
    let at = c.position();
    let count = c.u32("number of references")?;
    if count > MAX_COUNT {
        let expected = "at most 2147483647 references";
        return Err(bad_field(book::REFERENCES_COUNT, "number of references", at, expected, count.to_string()));
    }
    Ok(count)
}

#[inline(always)]
fn references<'a, T: FieldTrace>(
    c: &mut Cursor<'a, T>,
    count: u32,
    width: Width,
) -> Result<ReferenceList<'a>, IncompleteField> {
    let bytes = c.integers("reference", count, width.bytes())?;
    Ok(ReferenceList { width, bytes: Cow::Borrowed(bytes) })
}

#[inline]
fn array_size<T: FieldTrace>(c: &mut Cursor<'_, T>, layout: RecordLayout) -> Result<Option<u32>, IncompleteField> {
    if layout.array_sizes { c.u32("instance size / 4").map(Some) } else { Ok(None) }
}

#[inline]
fn element(code: u8) -> PrimitiveType {
    PrimitiveType::ALL[usize::from(code & 7)]
}

/// Java counts array elements and references in 31 bits.
const MAX_COUNT: u32 = i32::MAX as u32;
