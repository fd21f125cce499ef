//! The numbers of the format: versions, flags, tags and widths, in the documents' spelling.

use std::fmt;

use crate::model::WordSize;

/// The text at the start of every PHD, after its two-byte length.
pub const MAGIC: &[u8; 18] = b"portable heap dump";

/// PHD version. Version 5 is the one that S1 names; S0 describes the layout of version 6 without
/// naming it. [`Version::form`] says how they differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Version {
    /// J9 2.3 (Java 5 before SR9) and the Sovereign VMs.
    V4,
    /// J9 2.4 to 2.6 (Java 5 SR9 to Java 7).
    V5,
    /// Later IBM Java 7 and 8, every OpenJ9: arrays carry their instance size.
    V6,
}

/// The facts of a version, in one place: no other code asks which version it is.
#[derive(Clone, Copy, Debug)]
pub struct VersionForm {
    /// The number in the header.
    pub number: u32,
    /// Whether array records carry their instance size.
    pub array_sizes: bool,
    /// Bytes in an address unit where the J9 flag is not set.
    pub unit_without_j9: u64,
    /// Whether readers agree on that unit. Version 6 without the J9 flag is a contradiction that no writer makes: S0 says
    /// 4, the DTFJ reader says 8. This decoder follows the reader; `validate` says so.
    pub goes_without_j9: bool,
}

/// The versions' facts, in the order of [`Version::ALL`].
const VERSIONS: [VersionForm; Version::ALL.len()] = [
    VersionForm { number: 4, array_sizes: false, unit_without_j9: 8, goes_without_j9: true },
    VersionForm { number: 5, array_sizes: false, unit_without_j9: 4, goes_without_j9: true },
    VersionForm { number: 6, array_sizes: true, unit_without_j9: 8, goes_without_j9: false },
];

impl Version {
    /// All versions that readers accept, in the order of declaration.
    pub const ALL: [Version; 3] = [Version::V4, Version::V5, Version::V6];

    /// The facts of the version.
    pub const fn form(self) -> &'static VersionForm {
        &VERSIONS[self as usize]
    }

    /// The number in the header.
    pub const fn number(self) -> u32 {
        self.form().number
    }

    /// The version of a number in the header.
    pub fn from_number(number: u32) -> Option<Version> {
        Self::ALL.into_iter().find(|v| v.number() == number)
    }

    /// The numbers of all, for messages.
    pub(super) fn numbers() -> String {
        let [others @ .., last] = Self::ALL.map(|version| version.number().to_string());
        format!("{} or {last}", others.join(", "))
    }
}

/// The flags of the header. Bits without a meaning are kept and ignored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct FileFlags(pub u32);

impl FileFlags {
    /// Words are 64 bits wide (S0, General structure, flag 1).
    pub const WORD_64: u32 = 1;
    /// Every object is hashed (S0, General structure, flag 2); a 16-bit hash stands in each record
    /// only together with [`FileFlags::J9`] (DTFJ reader).
    pub const ALL_HASHED: u32 = 2;
    /// The dump is from a J9 VM (S0, General structure, flag 4).
    pub const J9: u32 = 4;
    /// The bits that have a meaning.
    pub const KNOWN: u32 = Self::WORD_64 | Self::ALL_HASHED | Self::J9;

    /// Whether all of these bits are set.
    pub const fn has(self, bits: u32) -> bool {
        self.0 & bits == bits
    }
}

/// Tags of the file's structure and of its header records: a namespace apart from record tags.
pub mod header_tag {
    /// Starts the header.
    pub const START_OF_HEADER: u8 = 1;
    /// Header record: total objects and references, two u32.
    pub const TOTALS: u8 = 1;
    /// Ends the header.
    pub const END_OF_HEADER: u8 = 2;
    /// Header record: two random numbers for hash codes, two u32.
    pub const HASHCODE_RANDOMS: u8 = 3;
    /// Header record: the JVM's version, text with a two-byte length.
    pub const FULL_VERSION: u8 = 4;
    /// Starts the body.
    pub const START_OF_DUMP: u8 = 2;
}

/// Tags of the body's records.
pub mod record_tag {
    /// Short object record, when this bit is set.
    pub const SHORT_OBJECT: u8 = 0x80;
    /// Medium object record, when this is the highest bit set.
    pub const MEDIUM_OBJECT: u8 = 0x40;
    /// Primitive array record, when this is the highest bit set.
    pub const PRIMITIVE_ARRAY: u8 = 0x20;
    /// Ends the body.
    pub const END_OF_DUMP: u8 = 3;
    /// Long object record.
    pub const LONG_OBJECT: u8 = 4;
    /// Object array record without a true length.
    pub const OBJECT_ARRAY: u8 = 5;
    /// Class record.
    pub const CLASS: u8 = 6;
    /// Long primitive array record.
    pub const LONG_PRIMITIVE_ARRAY: u8 = 7;
    /// Object array record with a true length ("revised" in S1).
    pub const NEW_OBJECT_ARRAY: u8 = 8;
}

/// Bits in the flags byte of records 4, 5, 6, 7 and 8, below the width codes.
pub mod record_flag {
    /// S0: "hashed". The native writer sets it in every long object and object array record.
    pub const HASHED: u8 = 0x01;
    /// S0: "hashed and moved". In fact: a 32-bit hash follows (records 4, 5, 7, 8).
    pub const HASH_FOLLOWS: u8 = 0x02;
    /// Class records: a 32-bit hash follows.
    pub const CLASS_HASH_FOLLOWS: u8 = 0x08;
}

/// The width of a gap, length or reference, as the two-bit code that records hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Width {
    /// 1 byte, code 0.
    One,
    /// 2 bytes, code 1.
    Two,
    /// 4 bytes, code 2.
    Four,
    /// 8 bytes, code 3.
    Eight,
}

impl Width {
    /// All widths, by code.
    pub const ALL: [Width; 4] = [Width::One, Width::Two, Width::Four, Width::Eight];

    /// The code in the record.
    pub const fn code(self) -> u8 {
        self as u8
    }

    /// The width of a two-bit code; higher bits are ignored.
    #[inline]
    pub const fn from_code(code: u8) -> Width {
        Self::ALL[(code & 3) as usize]
    }

    /// Bytes.
    #[inline]
    pub const fn bytes(self) -> usize {
        1 << self as usize
    }

    /// The smallest width that holds the value as a signed integer.
    pub const fn of_signed(value: i64) -> Width {
        if value as i8 as i64 == value {
            Width::One
        } else if value as i16 as i64 == value {
            Width::Two
        } else if value as i32 as i64 == value {
            Width::Four
        } else {
            Width::Eight
        }
    }

    /// The smallest width that holds the value as an unsigned integer.
    pub const fn of_unsigned(value: u64) -> Width {
        match value {
            0..=0xff => Width::One,
            0x100..=0xffff => Width::Two,
            0x1_0000..=0xffff_ffff => Width::Four,
            _ => Width::Eight,
        }
    }

    /// The width of a word.
    pub const fn of_word(word: WordSize) -> Width {
        match word {
            WordSize::Bits32 => Width::Four,
            WordSize::Bits64 => Width::Eight,
        }
    }
}

/// A signed count of address units: gaps and references are stored as such.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Units(pub i64);

impl fmt::Display for Units {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The layout of records that version and flags mean: how each of them is spelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordLayout {
    /// Size of class words, superclass words and the wide fields of long primitive arrays.
    pub word: WordSize,
    /// Whether every record carries a 16-bit hash: flags 2 and 4 together (DTFJ reader).
    pub hash16: bool,
    /// Whether array records carry their instance size.
    pub array_sizes: bool,
    /// Bytes in an address unit.
    pub unit: u64,
}

impl RecordLayout {
    /// The layout of a version and its flags.
    pub const fn new(version: Version, flags: FileFlags) -> RecordLayout {
        let form = version.form();
        RecordLayout {
            word: if flags.has(FileFlags::WORD_64) { WordSize::Bits64 } else { WordSize::Bits32 },
            hash16: flags.has(FileFlags::ALL_HASHED | FileFlags::J9),
            array_sizes: form.array_sizes,
            unit: if flags.has(FileFlags::J9) { 4 } else { form.unit_without_j9 },
        }
    }
}
