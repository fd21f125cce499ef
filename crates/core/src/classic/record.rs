//! Records: lines that begin with `//`, and entries of objects and classes with their references.
//!
//! A record is a view of the text, exactly as it is spelled, down to the white space. The text is the dump's bytes, or
//! ISO 8859-1 if those are EBCDIC ([`super::wire::Encoding`]).

use super::wire::EntryRecordKind;

/// A record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Record<'a> {
    /// White space in front of the first record (the native writer's line break where it knows no version text), or a
    /// byte order mark.
    Space(&'a [u8]),
    /// `// Version: ...`
    Version(SlashLine<'a>),
    /// An object or a class. Its references may be the first ones of more that follow.
    Entry(EntryRecord<'a>),
    /// `// Breakdown - Classes: ...`, trailer record 1.
    Breakdown(SlashLine<'a>, BreakdownCounts),
    /// `// EOF: Total 'Objects',Refs(null) : ...`, trailer record 2.
    Eof(SlashLine<'a>, EofTotals),
    /// Any other line that begins with `//`.
    Comment(SlashLine<'a>),
}

/// A line that begins with `//`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlashLine<'a> {
    /// The line without its end.
    pub text: &'a [u8],
    /// Its end, and white space up to the next record.
    pub after: &'a [u8],
}

/// A number and how it is spelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpelledNumber<'a> {
    /// The text: `0x00436E90`, `[28]`.
    pub text: &'a [u8],
    /// The value.
    pub value: u64,
}

/// An object or class record (S0 and S2, Object records and Class records).
///
/// ```text
/// 0x00436E90 [28] OBJ java/lang/String
/// <TAB>0x00436EB0
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EntryRecord<'a> {
    /// The address, with `0x`.
    pub address: SpelledNumber<'a>,
    /// White space.
    pub before_size: &'a [u8],
    /// The size in bytes, with its brackets.
    pub size: SpelledNumber<'a>,
    /// White space.
    pub before_kind: &'a [u8],
    /// `OBJ` or `CLS`.
    pub kind: EntryRecordKind,
    /// White space.
    pub before_name: &'a [u8],
    /// The type, without white space at its ends.
    pub name: &'a [u8],
    /// White space and references up to the next record.
    pub references: ReferenceList<'a>,
}

/// References, and the white space around them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReferenceList<'a> {
    /// All of the text.
    pub text: &'a [u8],
    /// The values.
    pub values: &'a [u64],
}

impl<'a> ReferenceList<'a> {
    /// The text in its parts: where each begins, its characters, and of a reference its value. The others are white space.
    pub fn parts(&self) -> impl Iterator<Item = (usize, &'a [u8], Option<u64>)> + use<'a> {
        let (mut at, mut values) = (0, self.values.iter().copied());
        self.text.chunk_by(|a, b| is_white(*a) == is_white(*b)).map(move |part| {
            let begin = at;
            at += part.len();
            (begin, part, if is_white(part[0]) { None } else { values.next() })
        })
    }
}

/// White space, U+0085 among it, which no reference holds.
pub(super) fn is_white(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | 0x85)
}

/// The numbers of trailer record 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BreakdownCounts {
    /// Class records.
    pub classes: u64,
    /// Object records of plain instances.
    pub objects: u64,
    /// Object records of arrays of objects.
    pub object_arrays: u64,
    /// Object records of primitive arrays.
    pub primitive_arrays: u64,
}

impl BreakdownCounts {
    /// All together.
    pub const fn total(&self) -> u64 {
        let arrays = self.object_arrays.saturating_add(self.primitive_arrays);
        self.classes.saturating_add(self.objects).saturating_add(arrays)
    }
}

/// The numbers of trailer record 2.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EofTotals {
    /// Records of objects and classes.
    pub objects: u64,
    /// References, those that are null included.
    pub references: u64,
    /// References that are null.
    pub nulls: u64,
}

impl<'a> Record<'a> {
    /// The record's text in its parts, each with the name of the field; together they are all of it.
    pub fn parts(&self) -> Vec<(&'static str, &'a [u8])> {
        match *self {
            Record::Space(text) => vec![("white space", text)],
            Record::Version(line) => vec![("version", line.text), ("line end", line.after)],
            Record::Breakdown(line, _) => vec![("breakdown", line.text), ("line end", line.after)],
            Record::Eof(line, _) => vec![("totals", line.text), ("line end", line.after)],
            Record::Comment(line) => vec![("comment", line.text), ("line end", line.after)],
            Record::Entry(entry) => vec![
                ("address", entry.address.text),
                ("white space", entry.before_size),
                ("size", entry.size.text),
                ("white space", entry.before_kind),
                ("record type", entry.kind.word()),
                ("white space", entry.before_name),
                ("type", entry.name),
                ("references", entry.references.text),
            ],
        }
    }
}

impl<'a> SlashLine<'a> {
    /// The text after the two slashes and white space.
    pub fn content(&self) -> &'a [u8] {
        self.text.get(2..).unwrap_or_default().trim_ascii_start()
    }

    /// The version text of a header record: all of the line, spaces at its end included, since a writer may have them.
    pub fn version(&self) -> &'a [u8] {
        self.content().strip_prefix(VERSION).unwrap_or_default().trim_ascii_start()
    }
}

/// The start of a header record's content.
pub(super) const VERSION: &[u8] = b"Version:";
/// The start of the content of trailer record 1.
pub(super) const BREAKDOWN: &[u8] = b"Breakdown";
/// The start of the content of trailer record 2.
pub(super) const EOF: &[u8] = b"EOF";

impl BreakdownCounts {
    /// The numbers of a line's content; `None` if it is not a trailer record 1. White space is free.
    pub(super) fn parse(content: &[u8]) -> Option<BreakdownCounts> {
        let mut words = TrailerText(content);
        words.word(BREAKDOWN)?.word(b"-")?.word(b"Classes")?.word(b":")?;
        let classes = words.number()?;
        words.word(b",")?.word(b"Objects")?.word(b":")?;
        let objects = words.number()?;
        words.word(b",")?.word(b"ObjectArrays")?.word(b":")?;
        let object_arrays = words.number()?;
        words.word(b",")?.word(b"PrimitiveArrays")?.word(b":")?;
        let primitive_arrays = words.number()?;
        words.expect_end()?;
        Some(BreakdownCounts { classes, objects, object_arrays, primitive_arrays })
    }
}

impl EofTotals {
    /// The numbers of a line's content; `None` if it is not a trailer record 2. White space is free.
    pub(super) fn parse(content: &[u8]) -> Option<EofTotals> {
        let mut words = TrailerText(content);
        words.word(EOF)?.word(b":")?.word(b"Total")?.word(b"'Objects'")?.word(b",")?.word(b"Refs(null)")?.word(b":")?;
        let objects = words.number()?;
        words.word(b",")?;
        let references = words.number()?;
        words.word(b"(")?;
        let nulls = words.number()?;
        words.word(b")")?.expect_end()?;
        Some(EofTotals { objects, references, nulls })
    }
}

/// Text that is taken apart from the front.
struct TrailerText<'a>(&'a [u8]);

impl TrailerText<'_> {
    fn word(&mut self, word: &[u8]) -> Option<&mut Self> {
        self.0 = self.0.trim_ascii_start().strip_prefix(word)?;
        Some(self)
    }

    fn number(&mut self) -> Option<u64> {
        let text = self.0.trim_ascii_start();
        let digits = text.iter().take_while(|b| b.is_ascii_digit()).count();
        self.0 = &text[digits..];
        decimal(&text[..digits])
    }

    fn expect_end(&self) -> Option<()> {
        self.0.trim_ascii_start().is_empty().then_some(())
    }
}

/// The value of decimal digits, of which there is at least one.
#[inline]
pub(super) fn decimal(digits: &[u8]) -> Option<u64> {
    let add = |value: u64, digit: &u8| {
        let digit = digit.is_ascii_digit().then(|| u64::from(digit - b'0'))?;
        value.checked_mul(10)?.checked_add(digit)
    };
    (!digits.is_empty()).then(|| digits.iter().try_fold(0, add))?
}
