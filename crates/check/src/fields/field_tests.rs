//! Tests of a field's value, and of its place among others.

/// A test of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NumberTest {
    Is(u64),
    AtLeast(u64),
    AtMost(u64),
    TopBit,
    AllOnes,
    NotMultipleOf(u64),
    HighAddress,
    /// A bit of a byte or of flags is set, or is not.
    HasBit(u8),
    LacksBit(u8),
}

impl NumberTest {
    /// The limits that are tried for every field. Those between them are found by bisection.
    pub const LIMITS: [u64; 18] = [
        1,
        2,
        3,
        4,
        8,
        16,
        32,
        64,
        0x7f,
        0x80,
        0x100,
        0x7fff,
        0x8000,
        0x1_0000,
        0x7fff_ffff,
        0x8000_0000,
        0x1_0000_0000,
        0x8000_0000_0000_0000,
    ];

    /// Whether it holds of a number that is spelled in this number of binary digits, or in none.
    pub fn holds(self, number: u64, bits: Option<u32>) -> bool {
        match self {
            NumberTest::Is(value) => number == value,
            NumberTest::AtLeast(limit) => number >= limit,
            NumberTest::AtMost(limit) => number <= limit,
            NumberTest::TopBit => bits.is_some_and(|bits| number >> (bits - 1) == 1),
            NumberTest::AllOnes => bits.is_some_and(|bits| bits > 8 && number == u64::MAX >> (64 - bits)),
            NumberTest::NotMultipleOf(unit) => !number.is_multiple_of(unit),
            NumberTest::HighAddress => number >> 31 & 1 == 1 || number >> 63 == 1,
            NumberTest::HasBit(bit) => number >> bit & 1 == 1,
            NumberTest::LacksBit(bit) => number >> bit & 1 == 0,
        }
    }
}

/// A test of a text, or of bytes that are no number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TextTest {
    Empty,
    OneByte,
    LongerThan(usize),
    NotAscii,
    NotUtf8,
    Supplementary,
    Has(u8),
    EncodedZero,
    Surrogate,
    BeginsWith(&'static [u8]),
    Control,
    /// Of the digits of a number.
    LeadingZero,
    LowerCase,
    UpperCase,
}

impl TextTest {
    pub const ALL: [TextTest; 29] = [
        TextTest::Empty,
        TextTest::OneByte,
        TextTest::LongerThan(15),
        TextTest::LongerThan(127),
        TextTest::LongerThan(255),
        TextTest::LongerThan(65_535),
        TextTest::NotAscii,
        TextTest::NotUtf8,
        TextTest::Supplementary,
        TextTest::Has(0),
        TextTest::Has(b' '),
        TextTest::Has(b'\t'),
        TextTest::Has(b'\r'),
        TextTest::Has(b'\n'),
        TextTest::Has(b'.'),
        TextTest::Has(b'/'),
        TextTest::Has(b';'),
        TextTest::Has(b'$'),
        TextTest::Has(b'['),
        TextTest::Has(b']'),
        TextTest::Has(b'('),
        TextTest::Has(b'"'),
        TextTest::Has(b'X'),
        TextTest::EncodedZero,
        TextTest::Surrogate,
        TextTest::BeginsWith(b"["),
        TextTest::BeginsWith(b"[["),
        TextTest::BeginsWith(b"[L"),
        TextTest::Control,
    ];

    /// The tests of the digits of a number.
    pub const DIGITS: [TextTest; 5] = [
        TextTest::LeadingZero,
        TextTest::LowerCase,
        TextTest::UpperCase,
        TextTest::Has(b'X'),
        TextTest::LongerThan(15),
    ];

    pub fn holds(self, text: &[u8]) -> bool {
        let digits = |of: fn(&u8) -> bool| {
            let start = text.iter().position(|byte| matches!(byte, b'x' | b'X')).map_or(0, |at| at + 1);
            text[start..].iter().any(of)
        };
        match self {
            TextTest::Empty => text.is_empty(),
            TextTest::OneByte => text.len() == 1,
            TextTest::LongerThan(length) => text.len() > length,
            TextTest::NotAscii => !text.is_ascii(),
            TextTest::NotUtf8 => std::str::from_utf8(text).is_err(),
            TextTest::Supplementary => text.iter().any(|byte| (0xf0..0xf8).contains(byte)),
            TextTest::Has(byte) => text.contains(&byte),
            TextTest::EncodedZero => text.windows(2).any(|two| two == [0xc0, 0x80]),
            TextTest::Surrogate => text.windows(2).any(|two| two[0] == 0xed && two[1] >= 0xa0),
            TextTest::BeginsWith(start) => text.starts_with(start),
            TextTest::Control => text.iter().any(|byte| *byte < b' ' || *byte == 0x7f),
            TextTest::LowerCase => digits(u8::is_ascii_lowercase),
            TextTest::UpperCase => digits(u8::is_ascii_uppercase),
            TextTest::LeadingZero => {
                let mut bytes = text.iter().skip_while(|byte| !byte.is_ascii_digit()).copied().peekable();
                let zero = bytes.next() == Some(b'0');
                let prefix = bytes.next_if(|byte| matches!(byte, b'x' | b'X')).is_some();
                if prefix {
                    bytes.next() == Some(b'0') && bytes.next().is_some_and(|byte| byte.is_ascii_hexdigit())
                } else {
                    zero && bytes.next().is_some_and(|byte| byte.is_ascii_digit())
                }
            }
        }
    }
}

/// An end of a list of fields of one name in a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FieldListEnd {
    First,
    Last,
}

/// Where a value stands besides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ValueRelation {
    /// In another field before it.
    After,
    /// In another field only after it.
    Ahead,
    /// In no other field.
    Alone,
    /// In no other field before it.
    Unseen,
    /// In another field of the same record.
    InOwnRecord,
    /// In the same field of a record before.
    Again,
    /// In the same field of the record of this kind just before.
    AsBefore,
}
