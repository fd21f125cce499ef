//! The dimensions of the grid. A row knows no format: it has a test of what a byte map shows, and the kind of field to which the
//! test applies.

use crate::fields::{FieldListEnd, NumberTest, TextTest, ValueRelation};

/// A dimension.
#[derive(Clone, Copy, Debug)]
pub(super) struct GridRow {
    /// Its name, in lower case with hyphens.
    pub(super) name: &'static str,
    /// What is so of the field or the record, after "a dump where".
    pub(super) sentence: &'static str,
    pub(super) applies: AppliesTo,
    pub(super) test: RowTest,
}

/// The fields, or the records, to which a row applies. Which these are is seen over the whole corpus. Tags are none: which kind of
/// record it is, is what the rows of records are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AppliesTo {
    /// Every field, also one that is always the same.
    EveryField,
    /// Numbers of a fixed width.
    Binary,
    /// Numbers of two bytes and more.
    WideBinary,
    /// Numbers that are spelled in digits.
    Digits,
    /// Numbers that are spelled in hexadecimal digits.
    HexDigits,
    /// Numbers of whose meaning an address is: addresses, identifiers, distances between them.
    Address,
    /// Those that have eight bytes somewhere.
    WideAddress,
    Text,
    /// Fields that a record can have several of.
    List,
    /// Numbers of which some are a float or a double.
    Float,
    /// Numbers whose bits are told apart.
    Flags,
    Record,
}

/// What is tested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RowTest {
    /// It has another value in another place.
    Varies,
    Number(NumberTest),
    Text(TextTest),
    Relation(ValueRelation),
    Float(FloatTest),
    /// The first or the last byte of a text is none that most names have there.
    OddEnd(FieldListEnd),
    /// The value is 2^31 or more away from the one before of the same field.
    Far,
    /// Another value in the dump has the same low half, and another high one.
    EqualLowHalf,
    /// A record before has the same text.
    TextAgain,
    ZeroAtEnd(FieldListEnd),
    /// A record has one of these fields alone.
    OneMember,
    Members(u64),
    Straddles(u32),
    FirstRecord,
    LastRecord,
    /// There is one record of the kind.
    OnlyRecord,
    NoRecord,
    InARow,
    Records(u64),
    SeveralHeaps,
}

/// A test of a float or double of this number of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FloatTest {
    NegativeZero(usize),
    /// A NaN whose first bit of the fraction is not set: arithmetic, or a conversion to another width, sets it.
    SignallingNan(usize),
}

impl FloatTest {
    pub(super) fn holds(self, bits: u64, bytes: usize) -> bool {
        let infinity = |bytes: usize| if bytes == 4 { 0x7f80_0000 } else { 0x7ff0_0000_0000_0000 };
        let quiet = |bytes: usize| if bytes == 4 { 1 << 22 } else { 1 << 51 };
        match self {
            FloatTest::NegativeZero(width) => width == bytes && bits == 1 << (8 * width - 1),
            FloatTest::SignallingNan(width) => {
                let without_sign = bits & !(1 << (8 * width - 1));
                width == bytes && without_sign > infinity(width) && without_sign < infinity(width) + quiet(width)
            }
        }
    }
}

const fn row(name: &'static str, applies: AppliesTo, test: RowTest, sentence: &'static str) -> GridRow {
    GridRow { name, sentence, applies, test }
}

use AppliesTo::{
    Address, Binary, Digits, EveryField, Flags, Float, HexDigits, List, Record, Text, WideAddress, WideBinary,
};

/// Every dimension, by the eleven kinds of mistakes that slipped through a list of cases.
pub(super) const ROWS: [GridRow; 79] = [
    row("varies", EveryField, RowTest::Varies, "the field has another value than elsewhere"),
    // Sign and top bit.
    row("top-bit", Binary, RowTest::Number(NumberTest::TopBit), "the number has its top bit set"),
    row(
        "top-bit-of-last-byte",
        WideBinary,
        RowTest::Number(NumberTest::HasBit(7)),
        "its last byte has its top bit set",
    ),
    row("all-ones", WideBinary, RowTest::Number(NumberTest::AllOnes), "the number has all bits set"),
    row("zero", Binary, RowTest::Number(NumberTest::Is(0)), "the number is 0"),
    // Distance.
    row("earlier", Address, RowTest::Relation(ValueRelation::After), "it names something before it"),
    row("later", Address, RowTest::Relation(ValueRelation::Ahead), "it names something that comes later"),
    row("nothing", Address, RowTest::Relation(ValueRelation::Alone), "it names nothing else in the dump"),
    row("far", Address, RowTest::Far, "it is 2^31 or more away from the one before"),
    row("top-bit-of-address", Address, RowTest::Number(NumberTest::HighAddress), "the address has a top bit set"),
    // Identity.
    row("again", Address, RowTest::Relation(ValueRelation::Again), "it has a value that another one has before it"),
    row("as-before", Address, RowTest::Relation(ValueRelation::AsBefore), "it has the value of the one just before it"),
    row(
        "own-record",
        Address,
        RowTest::Relation(ValueRelation::InOwnRecord),
        "it has the value of another field of its record",
    ),
    row("equal-low-half", WideAddress, RowTest::EqualLowHalf, "another address has the same low half"),
    row("text-again", Text, RowTest::TextAgain, "a record before has the same text"),
    // State that should be gone.
    row("several-heaps", Record, RowTest::SeveralHeaps, "it stands in a dump of several heaps"),
    // First, last, alone.
    row("first", Record, RowTest::FirstRecord, "it is the first record"),
    row("last", Record, RowTest::LastRecord, "it is the last record"),
    row("only", Record, RowTest::OnlyRecord, "it is the only record of its kind"),
    row("in-a-row", Record, RowTest::InARow, "it follows one of its kind"),
    row("one-of-a-list", List, RowTest::OneMember, "the record has one of these fields"),
    row("first-is-zero", List, RowTest::ZeroAtEnd(FieldListEnd::First), "the first of several is 0"),
    row("last-is-zero", List, RowTest::ZeroAtEnd(FieldListEnd::Last), "the last of several is 0"),
    // Buffers.
    row("across-4096", Record, RowTest::Straddles(12), "a field of it lies across a multiple of 4,096 bytes"),
    row("across-8192", Record, RowTest::Straddles(13), "a field of it lies across a multiple of 8,192 bytes"),
    row("across-65536", Record, RowTest::Straddles(16), "a field of it lies across a multiple of 65,536 bytes"),
    row("across-1048576", Record, RowTest::Straddles(20), "a field of it lies across a multiple of 1 MiB"),
    // How many.
    row("records-256", Record, RowTest::Records(256), "there are 256 of its kind or more"),
    row("records-65536", Record, RowTest::Records(65_536), "there are 65,536 of its kind or more"),
    row("list-256", List, RowTest::Members(256), "the record has 256 of these fields or more"),
    row("list-65536", List, RowTest::Members(65_536), "the record has 65,536 of these fields or more"),
    // Numbers as text.
    row("leading-zero", Digits, RowTest::Text(TextTest::LeadingZero), "its digits begin with a zero"),
    row("sixteen-digits", Digits, RowTest::Text(TextTest::LongerThan(15)), "it is longer than 15 characters"),
    row("from-2-31", Digits, RowTest::Number(NumberTest::AtLeast(1 << 31)), "the number is 2^31 or more"),
    row("from-2-32", Digits, RowTest::Number(NumberTest::AtLeast(1 << 32)), "the number is 2^32 or more"),
    row("from-2-63", Digits, RowTest::Number(NumberTest::AtLeast(1 << 63)), "the number is 2^63 or more"),
    row("zero-in-digits", Digits, RowTest::Number(NumberTest::Is(0)), "the number is 0"),
    row("lower-case-digits", HexDigits, RowTest::Text(TextTest::LowerCase), "it has digits in lower case"),
    row("upper-case-digits", HexDigits, RowTest::Text(TextTest::UpperCase), "it has digits in upper case"),
    // Characters.
    row("one-byte", Text, RowTest::Text(TextTest::OneByte), "the text has one byte"),
    row("above-255", Text, RowTest::Text(TextTest::LongerThan(255)), "the text is longer than 255 bytes"),
    row("above-65535", Text, RowTest::Text(TextTest::LongerThan(65_535)), "the text is longer than 65,535 bytes"),
    row("not-ascii", Text, RowTest::Text(TextTest::NotAscii), "the text has a byte above 7f"),
    row("not-utf-8", Text, RowTest::Text(TextTest::NotUtf8), "the text is no UTF-8"),
    row("supplementary", Text, RowTest::Text(TextTest::Supplementary), "the text has a character of four bytes"),
    row("surrogate", Text, RowTest::Text(TextTest::Surrogate), "the text has a surrogate"),
    row("nul", Text, RowTest::Text(TextTest::Has(0)), "the text has a zero byte"),
    row("encoded-nul", Text, RowTest::Text(TextTest::EncodedZero), "the text has a NUL, as c0 80"),
    row("control", Text, RowTest::Text(TextTest::Control), "the text has a control character"),
    row("tab", Text, RowTest::Text(TextTest::Has(b'\t')), "the text has a tab"),
    row("carriage-return", Text, RowTest::Text(TextTest::Has(b'\r')), "the text has a carriage return"),
    row("line-feed", Text, RowTest::Text(TextTest::Has(b'\n')), "the text has a line feed"),
    row("blank", Text, RowTest::Text(TextTest::Has(b' ')), "the text has a blank"),
    row("quote", Text, RowTest::Text(TextTest::Has(b'"')), "the text has a quotation mark"),
    row("bracket", Text, RowTest::Text(TextTest::Has(b'[')), "the text has a bracket"),
    row("slash", Text, RowTest::Text(TextTest::Has(b'/')), "the text has a slash"),
    row(
        "odd-first",
        Text,
        RowTest::OddEnd(FieldListEnd::First),
        "the text begins with a character that few names begin with",
    ),
    row(
        "odd-last",
        Text,
        RowTest::OddEnd(FieldListEnd::Last),
        "the text ends with a character that few names end with",
    ),
    // Values.
    row("negative-zero-of-float", Float, RowTest::Float(FloatTest::NegativeZero(4)), "a float is -0.0"),
    row("negative-zero-of-double", Float, RowTest::Float(FloatTest::NegativeZero(8)), "a double is -0.0"),
    row("signalling-nan-of-float", Float, RowTest::Float(FloatTest::SignallingNan(4)), "a float is a NaN that signals"),
    row(
        "signalling-nan-of-double",
        Float,
        RowTest::Float(FloatTest::SignallingNan(8)),
        "a double is a NaN that signals",
    ),
    // Flags.
    row("bit-0", Flags, RowTest::Number(NumberTest::HasBit(0)), "the bit 01 is set"),
    row("bit-1", Flags, RowTest::Number(NumberTest::HasBit(1)), "the bit 02 is set"),
    row("bit-2", Flags, RowTest::Number(NumberTest::HasBit(2)), "the bit 04 is set"),
    row("bit-3", Flags, RowTest::Number(NumberTest::HasBit(3)), "the bit 08 is set"),
    row("bit-4", Flags, RowTest::Number(NumberTest::HasBit(4)), "the bit 10 is set"),
    row("bit-5", Flags, RowTest::Number(NumberTest::HasBit(5)), "the bit 20 is set"),
    row("bit-6", Flags, RowTest::Number(NumberTest::HasBit(6)), "the bit 40 is set"),
    row("bit-7", Flags, RowTest::Number(NumberTest::HasBit(7)), "the bit 80 is set"),
    row("no-bit-0", Flags, RowTest::Number(NumberTest::LacksBit(0)), "the bit 01 is not set"),
    row("no-bit-1", Flags, RowTest::Number(NumberTest::LacksBit(1)), "the bit 02 is not set"),
    row("no-bit-2", Flags, RowTest::Number(NumberTest::LacksBit(2)), "the bit 04 is not set"),
    row("no-bit-3", Flags, RowTest::Number(NumberTest::LacksBit(3)), "the bit 08 is not set"),
    row("no-bit-4", Flags, RowTest::Number(NumberTest::LacksBit(4)), "the bit 10 is not set"),
    row("no-bit-5", Flags, RowTest::Number(NumberTest::LacksBit(5)), "the bit 20 is not set"),
    row("no-bit-6", Flags, RowTest::Number(NumberTest::LacksBit(6)), "the bit 40 is not set"),
    row("no-bit-7", Flags, RowTest::Number(NumberTest::LacksBit(7)), "the bit 80 is not set"),
    // The world around.
    row("none", Record, RowTest::NoRecord, "there is none of its kind"),
];
