//! The records of a PHD, exactly as spelled: widths, flag bits and all.

use std::borrow::Cow;
use std::convert::Infallible;

use crate::model::{HeaderTotals, PrimitiveType};

use super::wire::{FileFlags, Units, Version, Width, record_flag, record_tag};

/// Everything before the first record of the body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// PHD version.
    pub version: Version,
    /// Flags, unknown bits included.
    pub flags: FileFlags,
    /// Header records in file order. Repeats are allowed and the last wins.
    pub records: Vec<HeaderRecord>,
}

/// A header record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HeaderRecord {
    /// Tag 1: u32 total objects, u32 total references. (S0 and S1: "not used", without a layout;
    /// DTFJ reader and `HeapdumpWriter`: this.)
    Totals(HeaderTotals),
    /// Tag 3: two u32 random numbers. (S0 and S1: "not used"; DTFJ reader: this.)
    HashcodeRandoms(u32, u32),
    /// Tag 4: u16 length and text, the JVM's version.
    FullVersion(Vec<u8>),
}

/// A signed distance in address units, with the width that it is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordGap {
    /// Bytes that it takes.
    pub width: Width,
    /// The distance from the preceding record's address, of whatever kind that record is.
    pub units: Units,
}

impl RecordGap {
    /// A distance in this width.
    #[inline]
    pub const fn new(width: Width, units: Units) -> RecordGap {
        RecordGap { width, units }
    }
}

/// References: signed distances in address units from the record's own address, all of one width,
/// as the file's own big-endian bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReferenceList<'a> {
    /// Width of each; kept even where there are none.
    pub width: Width,
    /// The bytes, `width` for each reference.
    pub bytes: Cow<'a, [u8]>,
}

/// The hash field of a record that may carry one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoredHash {
    /// No hash field.
    Absent,
    /// Two bytes, when the file's flags say that every record has one.
    Bits16(u16),
    /// Four bytes, when the record's flags say so.
    Bits32(u32),
}

/// A record of the body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Record<'a> {
    /// Tag bit 0x80.
    Short(ShortObject<'a>),
    /// Tag bit 0x40.
    Medium(MediumObject<'a>),
    /// Tag bit 0x20.
    PrimitiveArray(PrimitiveArray),
    /// Tag 4.
    Long(LongObject<'a>),
    /// Tags 5 and 8.
    ObjectArray(ObjectArray<'a>),
    /// Tag 6.
    Class(ClassRecord<'a>),
    /// Tag 7.
    LongPrimitiveArray(LongPrimitiveArray),
}

/// Short object record (S0, Object records, 1): class in the cache, at most 3 references.
///
/// | bytes | field |
/// |---|---|
/// | 1 | tag `1 cc nn g rr`: cache slot, number of references, gap width, reference width |
/// | 1 or 2 | gap |
/// | 2 | 16-bit hash, in files where every record has one |
/// | n × width | references |
///
/// The native writer picks it when the gap fits 2 bytes, there are at most 3 references, the class
/// is cached and no 32-bit hash is due.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShortObject<'a> {
    /// Class cache slot, 0 to 3.
    pub slot: u8,
    /// Distance from the preceding record; 1 or 2 bytes.
    pub gap: RecordGap,
    /// 16-bit hash.
    pub hash: Option<u16>,
    /// 0 to 3 references.
    pub references: ReferenceList<'a>,
}

/// Medium object record (S0, Object records, 2): class word, at most 7 references; enters the class
/// cache.
///
/// | bytes | field |
/// |---|---|
/// | 1 | tag `01 nnn g rr`: number of references, gap width, reference width |
/// | 1 or 2 | gap |
/// | word | class address |
/// | 2 | 16-bit hash, in files where every record has one |
/// | n × width | references |
///
/// S0 gives it for 4 to 7 references; the native writer uses it for 0 to 7 when the class is not
/// cached, the jdmpview writer for cached classes with 4 to 7.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MediumObject<'a> {
    /// Distance from the preceding record; 1 or 2 bytes.
    pub gap: RecordGap,
    /// Class word: an absolute address in bytes.
    pub class_word: u64,
    /// 16-bit hash.
    pub hash: Option<u16>,
    /// 0 to 7 references.
    pub references: ReferenceList<'a>,
}

/// Primitive array record (S0, Array records, 1).
///
/// | bytes | field |
/// |---|---|
/// | 1 | tag `001 ttt ss`: element type, width of gap and length |
/// | 1, 2, 4 or 8 | gap |
/// | same | length; unsigned (S0 does not say; DTFJ reader) |
/// | 2 | 16-bit hash, in files where every record has one |
/// | 4 | version 6: instance size / 4 |
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PrimitiveArray {
    /// Element type.
    pub element: PrimitiveType,
    /// Distance from the preceding record.
    pub gap: RecordGap,
    /// Number of elements, in the gap's width.
    pub length: u64,
    /// 16-bit hash.
    pub hash: Option<u16>,
    /// Footprint in 32-bit words.
    pub size_words: Option<u32>,
}

/// Long object record (S0, Object records, 3); enters the class cache.
///
/// | bytes | field |
/// |---|---|
/// | 1 | tag 4 |
/// | 1 | flags `gg rr .. m x`: gap width, reference width, a 32-bit hash follows, "hashed" |
/// | 1, 2, 4 or 8 | gap |
/// | word | class address |
/// | 2, else 4 or none | 16-bit hash in files where every record has one, else 32-bit if `m` |
/// | 4 | number of references |
/// | n × width | references |
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LongObject<'a> {
    /// The low four bits of the flags byte.
    pub flags: u8,
    /// Distance from the preceding record.
    pub gap: RecordGap,
    /// Class word: an absolute address in bytes.
    pub class_word: u64,
    /// Identity hash.
    pub hash: StoredHash,
    /// References.
    pub references: ReferenceList<'a>,
}

/// Object array record, tags 5 and 8 (S0, Array records, 3; S1 for tag 5). Does not touch the class
/// cache.
///
/// | bytes | field |
/// |---|---|
/// | 1 | tag 5 or 8 |
/// | 1 | flags, as in the long object record |
/// | 1, 2, 4 or 8 | gap |
/// | word | class word: component class, base class or array class, by writer |
/// | 2, else 4 or none | hash, as in the long object record |
/// | 4 | number of references (null elements are left out) |
/// | n × width | references |
/// | 4 | tag 8: true length |
/// | 4 | version 6: instance size / 4 (S0 puts it before the true length; writers and readers do not) |
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectArray<'a> {
    /// The low four bits of the flags byte.
    pub flags: u8,
    /// Distance from the preceding record.
    pub gap: RecordGap,
    /// Class word: an absolute address in bytes.
    pub class_word: u64,
    /// Identity hash.
    pub hash: StoredHash,
    /// References.
    pub references: ReferenceList<'a>,
    /// True length: `Some` is tag 8, `None` tag 5.
    pub length: Option<u32>,
    /// Footprint in 32-bit words.
    pub size_words: Option<u32>,
}

/// Class record (S0, Class records). Does not touch the class cache.
///
/// | bytes | field |
/// |---|---|
/// | 1 | tag 6 |
/// | 1 | flags `gg rr h...`: gap width, reference width, a 32-bit hash follows |
/// | 1, 2, 4 or 8 | gap |
/// | 4 | instance size in bytes |
/// | 2, else 4 or none | 16-bit hash in files where every record has one, else 32-bit if `h` |
/// | word | superclass address |
/// | 2 + n | length and name |
/// | 4 | number of references |
/// | n × width | references |
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClassRecord<'a> {
    /// The low four bits of the flags byte.
    pub flags: u8,
    /// Distance from the preceding record.
    pub gap: RecordGap,
    /// Size of an instance in bytes.
    pub instance_size: u32,
    /// Identity hash.
    pub hash: StoredHash,
    /// Superclass: an absolute address in bytes.
    pub superclass: u64,
    /// Class name, at most 65535 bytes.
    pub name: Cow<'a, [u8]>,
    /// References.
    pub references: ReferenceList<'a>,
}

/// Long primitive array record (S0, Array records, 2).
///
/// | bytes | field |
/// |---|---|
/// | 1 | tag 7 |
/// | 1 | flags `ttt w .. m x`: element type, gap and length are words, a 32-bit hash follows |
/// | 1 or word | gap |
/// | 1 or word | length; unsigned |
/// | 2, else 4 or none | hash, as in the long object record |
/// | 4 | version 6: instance size / 4 |
///
/// The native writer uses it only for arrays with a 32-bit hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LongPrimitiveArray {
    /// Element type.
    pub element: PrimitiveType,
    /// The low four bits of the flags byte.
    pub flags: u8,
    /// Distance from the preceding record; 1 byte or a word.
    pub gap: RecordGap,
    /// Number of elements, in the gap's width.
    pub length: u64,
    /// Identity hash.
    pub hash: StoredHash,
    /// Footprint in 32-bit words.
    pub size_words: Option<u32>,
}

impl<'a> ReferenceList<'a> {
    /// No references, of the given width.
    pub fn none(width: Width) -> ReferenceList<'a> {
        ReferenceList { width, bytes: Cow::Borrowed(&[]) }
    }

    /// References of a width that each of them fits.
    pub fn from_units(width: Width, units: impl IntoIterator<Item = Units>) -> ReferenceList<'static> {
        let mut bytes = Vec::new();
        for Units(value) in units {
            bytes.extend_from_slice(&value.to_be_bytes()[8 - width.bytes()..]);
        }
        ReferenceList { width, bytes: Cow::Owned(bytes) }
    }

    /// Number of references.
    #[inline]
    pub fn len(&self) -> usize {
        self.bytes.len() >> self.width.code()
    }

    /// Whether there are none.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Calls `visit` with each distance, in file order. (Faster than [`ReferenceList::iter`]: one loop
    /// per width.)
    #[inline]
    pub fn for_each(&self, mut visit: impl FnMut(Units)) {
        match self.width {
            Width::One => self.bytes.iter().for_each(|b| visit(Units(i64::from(*b as i8)))),
            Width::Two => self.arrays().iter().for_each(|b| visit(Units(i64::from(i16::from_be_bytes(*b))))),
            Width::Four => self.arrays().iter().for_each(|b| visit(Units(i64::from(i32::from_be_bytes(*b))))),
            Width::Eight => self.arrays().iter().for_each(|b| visit(Units(i64::from_be_bytes(*b)))),
        }
    }

    /// Appends to `all` what each distance maps to, in file order.
    #[inline]
    pub fn map_into<T>(&self, all: &mut Vec<T>, map: impl Fn(Units) -> T) {
        match self.width {
            Width::One => all.extend(self.bytes.iter().map(|b| map(Units(i64::from(*b as i8))))),
            Width::Two => all.extend(self.arrays().iter().map(|b| map(Units(i64::from(i16::from_be_bytes(*b)))))),
            Width::Four => all.extend(self.arrays().iter().map(|b| map(Units(i64::from(i32::from_be_bytes(*b)))))),
            Width::Eight => all.extend(self.arrays().iter().map(|b| map(Units(i64::from_be_bytes(*b))))),
        }
    }

    /// The first distance.
    #[inline]
    pub fn first(&self) -> Option<Units> {
        let units = match self.width {
            Width::One => i64::from(*self.bytes.first()? as i8),
            Width::Two => i64::from(i16::from_be_bytes(*self.arrays().first()?)),
            Width::Four => i64::from(i32::from_be_bytes(*self.arrays().first()?)),
            Width::Eight => i64::from_be_bytes(*self.arrays().first()?),
        };
        Some(Units(units))
    }

    /// The number of references at this distance.
    #[inline]
    pub fn count_at(&self, Units(units): Units) -> u64 {
        fn count<T: PartialEq, E>(all: &[T], one: Result<T, E>) -> u64 {
            one.map_or(0, |one| all.iter().map(|other| u64::from(*other == one)).sum())
        }
        match self.width {
            Width::One => count(&self.bytes, i8::try_from(units).map(|units| units as u8)),
            Width::Two => count(self.arrays(), i16::try_from(units).map(i16::to_be_bytes)),
            Width::Four => count(self.arrays(), i32::try_from(units).map(i32::to_be_bytes)),
            Width::Eight => count(self.arrays(), Ok::<_, Infallible>(units.to_be_bytes())),
        }
    }

    /// The distances, in file order.
    pub fn iter(&self) -> impl Iterator<Item = Units> + '_ {
        self.bytes.chunks_exact(self.width.bytes()).map(|chunk| {
            let top = i64::from(chunk[0] as i8);
            Units(chunk[1..].iter().fold(top, |value, b| value << 8 | i64::from(*b)))
        })
    }

    #[inline]
    fn arrays<const N: usize>(&self) -> &[[u8; N]] {
        self.bytes.as_chunks().0
    }

    fn into_owned(self) -> ReferenceList<'static> {
        ReferenceList { width: self.width, bytes: Cow::Owned(self.bytes.into_owned()) }
    }
}

/// The kind of the records that begin with a tag, in the documents' words.
pub(super) fn kind_of(tag: u8) -> &'static str {
    match tag {
        record_tag::SHORT_OBJECT.. => "short object",
        record_tag::MEDIUM_OBJECT.. => "medium object",
        record_tag::PRIMITIVE_ARRAY.. => "primitive array",
        record_tag::LONG_OBJECT => "long object",
        record_tag::OBJECT_ARRAY => "object array (tag 5)",
        record_tag::NEW_OBJECT_ARRAY => "object array (tag 8)",
        record_tag::CLASS => "class",
        record_tag::LONG_PRIMITIVE_ARRAY => "long primitive array",
        _ => "a reserved tag",
    }
}

impl<'a> Record<'a> {
    /// The record kind in the documents' words.
    pub fn kind(&self) -> &'static str {
        kind_of(self.tag())
    }

    /// The tag byte of a record of kinds 4 to 8, or the highest tag bit of the others.
    pub fn tag(&self) -> u8 {
        match self {
            Record::Short(_) => record_tag::SHORT_OBJECT,
            Record::Medium(_) => record_tag::MEDIUM_OBJECT,
            Record::PrimitiveArray(_) => record_tag::PRIMITIVE_ARRAY,
            Record::Long(_) => record_tag::LONG_OBJECT,
            Record::ObjectArray(r) if r.length.is_none() => record_tag::OBJECT_ARRAY,
            Record::ObjectArray(_) => record_tag::NEW_OBJECT_ARRAY,
            Record::Class(_) => record_tag::CLASS,
            Record::LongPrimitiveArray(_) => record_tag::LONG_PRIMITIVE_ARRAY,
        }
    }

    /// The record's gap.
    #[inline]
    pub fn gap(&self) -> RecordGap {
        match self {
            Record::Short(r) => r.gap,
            Record::Medium(r) => r.gap,
            Record::PrimitiveArray(r) => r.gap,
            Record::Long(r) => r.gap,
            Record::ObjectArray(r) => r.gap,
            Record::Class(r) => r.gap,
            Record::LongPrimitiveArray(r) => r.gap,
        }
    }

    /// The record's references, if its kind has any.
    #[inline]
    pub fn references(&self) -> Option<&ReferenceList<'a>> {
        match self {
            Record::Short(r) => Some(&r.references),
            Record::Medium(r) => Some(&r.references),
            Record::Long(r) => Some(&r.references),
            Record::ObjectArray(r) => Some(&r.references),
            Record::Class(r) => Some(&r.references),
            Record::PrimitiveArray(_) | Record::LongPrimitiveArray(_) => None,
        }
    }

    /// The record's hash.
    #[inline]
    pub fn hash(&self) -> StoredHash {
        let short = |hash: Option<u16>| hash.map_or(StoredHash::Absent, StoredHash::Bits16);
        match self {
            Record::Short(r) => short(r.hash),
            Record::Medium(r) => short(r.hash),
            Record::PrimitiveArray(r) => short(r.hash),
            Record::Long(r) => r.hash,
            Record::ObjectArray(r) => r.hash,
            Record::Class(r) => r.hash,
            Record::LongPrimitiveArray(r) => r.hash,
        }
    }

    /// The low four bits of the record's flags byte and those of them that have a meaning, if it has such a byte.
    #[inline]
    pub fn flags(&self) -> Option<(u8, u8)> {
        let known = record_flag::HASHED | record_flag::HASH_FOLLOWS;
        match self {
            Record::Long(r) => Some((r.flags, known)),
            Record::ObjectArray(r) => Some((r.flags, known)),
            Record::LongPrimitiveArray(r) => Some((r.flags, known)),
            Record::Class(r) => Some((r.flags, record_flag::CLASS_HASH_FOLLOWS)),
            Record::Short(_) | Record::Medium(_) | Record::PrimitiveArray(_) => None,
        }
    }

    /// The bits of the flags byte that have no meaning and are set, 0 where there is no such byte.
    #[inline]
    pub fn reserved_flags(&self) -> u8 {
        self.flags().map_or(0, |(flags, known)| flags & !known)
    }

    /// The record with bytes of its own.
    pub fn into_owned(self) -> Record<'static> {
        match self {
            Record::Short(ShortObject { slot, gap, hash, references }) => {
                Record::Short(ShortObject { slot, gap, hash, references: references.into_owned() })
            }
            Record::Medium(MediumObject { gap, class_word, hash, references }) => {
                Record::Medium(MediumObject { gap, class_word, hash, references: references.into_owned() })
            }
            Record::PrimitiveArray(r) => Record::PrimitiveArray(r),
            Record::Long(LongObject { flags, gap, class_word, hash, references }) => {
                Record::Long(LongObject { flags, gap, class_word, hash, references: references.into_owned() })
            }
            Record::ObjectArray(ObjectArray { flags, gap, class_word, hash, references, length, size_words }) => {
                let references = references.into_owned();
                Record::ObjectArray(ObjectArray { flags, gap, class_word, hash, references, length, size_words })
            }
            Record::Class(ClassRecord { flags, gap, instance_size, hash, superclass, name, references }) => {
                let (name, references) = (Cow::Owned(name.into_owned()), references.into_owned());
                Record::Class(ClassRecord { flags, gap, instance_size, hash, superclass, name, references })
            }
            Record::LongPrimitiveArray(r) => Record::LongPrimitiveArray(r),
        }
    }
}
