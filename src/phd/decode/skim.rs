//! Records whose tag tells where their fields are, read by looking those places up.

use crate::bytes::{Cursor, FieldSpan, top};

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
    /// How many references it has, the first one, and the bytes of each.
    count: u8,
    reference: Field,
    width: u8,
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
    /// Nothing: it has none.
    #[default]
    Nothing,
    /// This slot of the cache.
    Slot(u8),
    /// Its class word, which goes into the cache.
    Word,
}

/// A record as far as addresses are concerned.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Skimmed<'a> {
    bytes: &'a [u8; AHEAD],
    shape: &'a Shape,
}

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
        let class = match read {
            Record::Short(r) => ToldBy::Slot(r.slot),
            Record::Medium(_) => ToldBy::Word,
            Record::PrimitiveArray(_) => ToldBy::Nothing,
            // How long they are is told by what follows.
            Record::Class(_) | Record::Long(_) | Record::ObjectArray(_) | Record::LongPrimitiveArray(_) => return None,
        };
        let named = |name| fields.iter().filter(move |field| field.name == name);
        let first = |name| named(name).next().map_or(Field::default(), Field::of);
        Some(Shape {
            length,
            gap: first("gap"),
            class,
            class_word: first("class word"),
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

    /// How many references it has.
    #[inline(always)]
    pub(in super::super) fn count(&self) -> usize {
        usize::from(self.shape.count)
    }

    /// The distance of one of its references; some number, of those that it does not have.
    #[inline(always)]
    pub(in super::super) fn reference(&self, number: u8) -> Units {
        let Field { at, shift } = self.shape.reference;
        Units(top_at(self.bytes, at + number * self.shape.width) as i64 >> (shift & 63))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::NoTrace;
    use crate::draw::{Draw, SeedDraw};
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
                let skimmed_references: Vec<Units> =
                    (0..skimmed.count() as u8).map(|at| skimmed.reference(at)).collect();
                assert_eq!(skimmed_references, references, "{tag:#x}");
                match read {
                    Record::Short(r) => assert_eq!(skimmed.class(), ToldBy::Slot(r.slot)),
                    Record::Medium(r) => {
                        assert_eq!((skimmed.class(), skimmed.class_word()), (ToldBy::Word, r.class_word));
                    }
                    Record::PrimitiveArray(_) => assert_eq!(skimmed.class(), ToldBy::Nothing),
                    other => panic!("{tag:#x}: {other:?}"),
                }
                assert!(shapes.skim(&bytes[1..]).is_none(), "too few bytes");
            }
        }
    }
}
