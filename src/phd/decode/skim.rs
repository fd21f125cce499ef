//! Records whose tag tells where their fields are, read by looking those places up.

use crate::bytes::{Cursor, FieldSpan, top};
use crate::model::PrimitiveType;

use super::super::record::Record;
use super::super::wire::{Layout, Units};
use super::record;

/// What the tags of records tell, in a layout.
///
/// A processor goes ahead by guessing where a branch leads. In a mix of widths it guesses wrong for most records, where a branch leads to
/// each width. Here the places and widths of fields are looked up.
#[derive(Debug)]
pub(in super::super) struct Shapes {
    /// By tag.
    shapes: Box<[Shape; 1 << u8::BITS]>,
}

/// Where the fields of a record are.
#[derive(Clone, Copy, Debug, Default)]
struct Shape {
    /// Its bytes; 0 where its tag leaves that open.
    length: u8,
    gap: Field,
    class: ToldBy,
    class_word: Field,
    hash: Field,
    array: Option<Array>,
    /// How many references it has, the first one, and the bytes of each.
    count: u8,
    reference: Field,
    width: u8,
}

/// What is told of a primitive array.
#[derive(Clone, Copy, Debug)]
struct Array {
    element: PrimitiveType,
    length: Field,
    size_words: Option<Field>,
}

/// Where a field is. It is looked at as part of 8 bytes.
#[derive(Clone, Copy, Debug, Default)]
struct Field {
    at: u8,
    /// Bits of the 8 bytes that come after it.
    shift: u8,
}

/// What tells the class of a record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in super::super) enum ToldBy {
    /// Nothing: it is a primitive array and has neither a class word nor references.
    #[default]
    Nothing,
    /// This slot of the cache.
    Slot(u8),
    /// Its class word, which goes into the cache.
    Word,
}

/// A record whose tag tells where its fields are.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Skimmed<'a> {
    bytes: &'a [u8; AHEAD],
    shape: &'a Shape,
}

/// Where the references of such a record lead.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Targets {
    count: usize,
    /// Mostly without a branch on how many they are, which could not be foretold: there may be more of these.
    few: [u64; FEW],
    more: [u64; MOST - FEW],
}

/// References that are looked at in any case, and the most that a record has whose tag tells how many.
const FEW: usize = 4;
const MOST: usize = 7;

/// Bytes that have to be at hand, so that any 8 of them can be looked at that begin at a place of 8 bits. The longest of these records has a
/// tag, a gap, a class word, a hash and 7 references: 69.
const AHEAD: usize = (1 << u8::BITS) + size_of::<u64>();

impl Shapes {
    /// Of records in this layout.
    pub(in super::super) fn new(layout: Layout) -> Shapes {
        let mut shapes = Box::new([Shape::default(); 1 << u8::BITS]);
        for (tag, shape) in (0..=u8::MAX).zip(shapes.iter_mut()) {
            *shape = Shape::of(tag, layout).unwrap_or_default();
        }
        Shapes { shapes }
    }

    /// The record at the front of these bytes, if its tag tells where its fields are.
    #[inline(always)]
    pub(in super::super) fn skim<'a>(&'a self, bytes: &'a [u8]) -> Option<Skimmed<'a>> {
        let bytes: &[u8; AHEAD] = bytes.first_chunk()?;
        let shape = &self.shapes[usize::from(bytes[0])];
        (shape.length > 0).then_some(Skimmed { bytes, shape })
    }
}

impl Shape {
    /// As the decoder reads a record with this tag.
    fn of(tag: u8, layout: Layout) -> Option<Shape> {
        let mut bytes = [0; AHEAD];
        bytes[0] = tag;
        let mut fields = Vec::new();
        let mut cursor = Cursor::new(&bytes, &mut fields);
        let read = record(&mut cursor, layout).ok()?;
        let length = cursor.position() as u8;
        let (class, element) = match read {
            Record::Short(r) => (ToldBy::Slot(r.slot), None),
            Record::Medium(_) => (ToldBy::Word, None),
            Record::PrimitiveArray(r) => (ToldBy::Nothing, Some(r.element)),
            // How long they are is told by what follows.
            Record::Class(_) | Record::Long(_) | Record::ObjectArray(_) | Record::LongPrimitiveArray(_) => return None,
        };
        let named = |name| fields.iter().filter(move |field| field.name == name);
        let there = |name| named(name).next().map(Field::of);
        let first = |name| there(name).unwrap_or_default();
        let (elements, size_words) = (first("length"), there("instance size / 4"));
        let array = element.map(|element| Array { element, length: elements, size_words });
        Some(Shape {
            length,
            gap: first("gap"),
            class,
            class_word: first("class word"),
            hash: first("hash"),
            array,
            count: named("reference").count() as u8,
            reference: first("reference"),
            width: named("reference").next().map_or(0, |field| field.at.len() as u8),
        })
    }
}

impl Field {
    fn of(span: &FieldSpan) -> Field {
        Field { at: span.at.start as u8, shift: (u64::BITS as usize - 8 * span.at.len()) as u8 }
    }

    /// Its value; any, if it is not there.
    #[inline(always)]
    fn unsigned(self, bytes: &[u8; AHEAD]) -> u64 {
        top_at(bytes, self.at) >> (self.shift & 63)
    }

    #[inline(always)]
    fn signed(self, bytes: &[u8; AHEAD]) -> i64 {
        top_at(bytes, self.at) as i64 >> (self.shift & 63)
    }
}

#[inline(always)]
fn top_at(bytes: &[u8; AHEAD], at: u8) -> u64 {
    top(&bytes[usize::from(at)..])
}

impl Skimmed<'_> {
    /// Its bytes.
    #[inline(always)]
    pub(in super::super) fn length(&self) -> usize {
        usize::from(self.shape.length)
    }

    /// How far it is from the record before.
    #[inline(always)]
    pub(in super::super) fn gap(&self) -> Units {
        Units(self.shape.gap.signed(self.bytes))
    }

    /// What tells its class.
    #[inline(always)]
    pub(in super::super) fn class(&self) -> ToldBy {
        self.shape.class
    }

    /// Its class word; any, if it has none.
    #[inline(always)]
    pub(in super::super) fn class_word(&self) -> u64 {
        self.shape.class_word.unsigned(self.bytes)
    }

    /// Its hash of 16 bits; any, if it has none.
    #[inline(always)]
    pub(in super::super) fn hash16(&self) -> u16 {
        self.shape.hash.unsigned(self.bytes) as u16
    }

    /// Of a primitive array, the type of its elements, how many it has, and its size in words, if that is told.
    #[inline(always)]
    pub(in super::super) fn array(&self) -> Option<(PrimitiveType, u64, Option<u32>)> {
        let Array { element, length, size_words } = self.shape.array?;
        Some((element, length.unsigned(self.bytes), size_words.map(|field| field.unsigned(self.bytes) as u32)))
    }

    /// How many references it has.
    #[inline(always)]
    pub(in super::super) fn count(&self) -> usize {
        usize::from(self.shape.count)
    }

    /// The distance of one of its references; some number, of those that it does not have.
    #[inline(always)]
    fn reference(&self, number: u8) -> Units {
        let Field { at, shift } = self.shape.reference;
        Units(top_at(self.bytes, at + number * self.shape.width) as i64 >> (shift & 63))
    }

    /// Where its references lead; `target` tells where a distance does.
    #[inline(always)]
    pub(in super::super) fn targets(&self, target: impl Fn(Units) -> u64) -> Targets {
        let target = |number: usize| target(self.reference(number as u8));
        let (count, mut more) = (self.count(), [u64::MAX; MOST - FEW]);
        if count > FEW {
            more = std::array::from_fn(|at| target(FEW + at));
        }
        Targets { count, few: std::array::from_fn(target), more }
    }
}

impl Targets {
    /// The most that there are.
    pub(in super::super) const MOST: usize = MOST;

    /// Where the first one leads; anywhere, if there is none.
    #[inline(always)]
    pub(in super::super) fn first(&self) -> u64 {
        self.few[0]
    }

    /// Whether one may be null. One that is not there may seem to be.
    #[inline(always)]
    pub(in super::super) fn may_be_null(&self) -> bool {
        self.few.iter().chain(&self.more).fold(false, |any, target| any | (*target == 0))
    }

    /// Puts them after others.
    #[inline(always)]
    pub(in super::super) fn put(&self, targets: &mut Vec<u64>) {
        let from = targets.len();
        targets.extend_from_slice(&self.few);
        if self.count > FEW {
            targets.extend_from_slice(&self.more);
        }
        targets.truncate(from + self.count);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::NoTrace;
    use crate::draw::{Draw, SeedDraw};
    use crate::phd::record::StoredHash;
    use crate::phd::wire::{FileFlags, Version};

    /// Every tag in every layout, followed by any bytes.
    #[test]
    fn a_record_that_is_skimmed_says_what_it_says_when_it_is_read() {
        let mut draw = SeedDraw::numbered(1, 5);
        let layouts = Version::ALL.into_iter().flat_map(|version| (0..8).map(move |flags| (version, FileFlags(flags))));
        for (version, flags) in layouts {
            let layout = Layout::new(version, flags);
            let shapes = Shapes::new(layout);
            for tag in (0..=u8::MAX).chain(0..=u8::MAX) {
                let mut bytes: Vec<u8> = (0..AHEAD).map(|_| draw.below(256) as u8).collect();
                bytes[0] = tag;
                let Some(skimmed) = shapes.skim(&bytes) else {
                    assert!(tag < 0x20, "{tag:#x}");
                    continue;
                };
                let mut cursor = Cursor::new(&bytes, NoTrace);
                let read = record(&mut cursor, layout).expect("as long as it can be");
                assert_eq!((skimmed.length(), skimmed.gap()), (cursor.position(), read.gap().units), "{tag:#x}");
                let mut references = Vec::new();
                if let Some(all) = read.references() {
                    all.for_each(|units| references.push(units));
                }
                let targets = skimmed.targets(|units| units.0 as u64);
                let mut put = vec![1, 2];
                targets.put(&mut put);
                let units: Vec<Units> = put[2..].iter().map(|units| Units(*units as i64)).collect();
                assert_eq!((&put[..2], units), (&[1, 2][..], references), "{tag:#x}");
                assert!(put.len() <= 2 + Targets::MOST && put.get(2).is_none_or(|first| *first == targets.first()));
                assert!(targets.may_be_null() || !put.contains(&0), "{tag:#x}");
                if let StoredHash::Bits16(hash) = read.hash() {
                    assert_eq!(skimmed.hash16(), hash, "{tag:#x}");
                }
                assert_eq!(read.reserved_flags(), 0, "{tag:#x}");
                let array = match read {
                    Record::Short(r) => {
                        assert_eq!(skimmed.class(), ToldBy::Slot(r.slot));
                        None
                    }
                    Record::Medium(r) => {
                        assert_eq!((skimmed.class(), skimmed.class_word()), (ToldBy::Word, r.class_word));
                        None
                    }
                    Record::PrimitiveArray(r) => {
                        assert_eq!((skimmed.class(), skimmed.count()), (ToldBy::Nothing, 0));
                        Some((r.element, r.length, r.size_words))
                    }
                    other => panic!("{tag:#x}: {other:?}"),
                };
                assert_eq!(skimmed.array(), array, "{tag:#x}");
                assert!(shapes.skim(&bytes[1..]).is_none(), "too few bytes");
            }
        }
    }
}
