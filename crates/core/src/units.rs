//! Units and namespaces as types: most heap-dump bugs are a unit or a sign.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The address of an object or class, in bytes. In HPROF this is the object's identifier.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Address(pub u64);

impl Address {
    /// The null reference.
    pub const NULL: Address = Address(0);

    /// Whether this is the null reference.
    pub const fn is_null(self) -> bool {
        self.0 == 0
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#x}", self.0)
    }
}

/// A length or size in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ByteLen(pub u64);

impl ByteLen {
    /// The next multiple of a unit, or the largest one that there is.
    pub(crate) const fn rounded_up(self, unit: u64) -> ByteLen {
        match self.0.checked_next_multiple_of(unit) {
            Some(multiple) => ByteLen(multiple),
            None => ByteLen(u64::MAX - u64::MAX % unit),
        }
    }
}

impl fmt::Display for ByteLen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes", self.0)
    }
}

/// A serial number of a class, thread or stack trace (HPROF), a namespace apart from addresses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Serial(pub u32);

/// The identifier of a string in HPROF's string table, a namespace apart from object identifiers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TextId(pub u64);

impl fmt::Display for TextId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#x}", self.0)
    }
}

/// The identifier of a stack frame in HPROF, a namespace of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FrameId(pub u64);

impl fmt::Display for FrameId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#x}", self.0)
    }
}

/// The size of a machine word in the dumped process, which is the size of a pointer in its dump.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WordSize {
    /// 4 bytes.
    Bits32,
    /// 8 bytes.
    Bits64,
}

impl WordSize {
    /// The word's size in bits, 32 or 64.
    pub const fn bits(self) -> u32 {
        match self {
            WordSize::Bits32 => 32,
            WordSize::Bits64 => 64,
        }
    }

    /// The word's size in bytes, 4 or 8.
    pub const fn bytes(self) -> usize {
        self.bits() as usize / 8
    }

    /// The value modulo the word: addresses of 32-bit processes wrap at 4 GiB.
    pub const fn mask(self, value: u64) -> u64 {
        match self {
            WordSize::Bits32 => value & 0xffff_ffff,
            WordSize::Bits64 => value,
        }
    }
}

/// The eight primitive types of the Java virtual machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum PrimitiveType {
    /// `boolean`, 1 byte, signature `Z`.
    Boolean,
    /// `char`, 2 bytes, signature `C`.
    Char,
    /// `float`, 4 bytes, signature `F`.
    Float,
    /// `double`, 8 bytes, signature `D`.
    Double,
    /// `byte`, 1 byte, signature `B`.
    Byte,
    /// `short`, 2 bytes, signature `S`.
    Short,
    /// `int`, 4 bytes, signature `I`.
    Int,
    /// `long`, 8 bytes, signature `J`.
    Long,
}

/// Size, Java keyword and letter of the JVM signature, in the order of declaration: that of the codes.
const PRIMITIVES: [(u64, &str, char); PrimitiveType::ALL.len()] = [
    (1, "boolean", 'Z'),
    (2, "char", 'C'),
    (4, "float", 'F'),
    (8, "double", 'D'),
    (1, "byte", 'B'),
    (2, "short", 'S'),
    (4, "int", 'I'),
    (8, "long", 'J'),
];

impl PrimitiveType {
    /// All eight, in the order of their codes.
    pub const ALL: [PrimitiveType; 8] = [
        PrimitiveType::Boolean,
        PrimitiveType::Char,
        PrimitiveType::Float,
        PrimitiveType::Double,
        PrimitiveType::Byte,
        PrimitiveType::Short,
        PrimitiveType::Int,
        PrimitiveType::Long,
    ];

    /// The type's code in the JVM's instruction `newarray`, 4 to 11. HPROF has the same, PHD counts from 0.
    #[inline]
    pub const fn code(self) -> u8 {
        4 + self as u8
    }

    /// The type of a code of `newarray`.
    #[inline]
    pub fn from_code(code: u8) -> Option<PrimitiveType> {
        Self::ALL.get(usize::from(code.checked_sub(4)?)).copied()
    }

    /// Bytes of one element.
    #[inline]
    pub const fn size(self) -> u64 {
        PRIMITIVES[self as usize].0
    }

    /// The Java keyword.
    pub const fn keyword(self) -> &'static str {
        PRIMITIVES[self as usize].1
    }

    /// The type of a Java keyword.
    pub fn from_keyword(keyword: &str) -> Option<PrimitiveType> {
        Self::ALL.into_iter().find(|t| t.keyword() == keyword)
    }

    /// The letter of the type's JVM signature; the class of its arrays is `[` and this letter.
    pub const fn signature(self) -> char {
        PRIMITIVES[self as usize].2
    }
}

impl fmt::Display for PrimitiveType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.keyword())
    }
}

/// The size of an identifier (S3, header). Real writers use 4 and 8; the header's field allows any, and
/// 1 and 2 can be written as well.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum IdSize {
    /// 1 byte.
    One,
    /// 2 bytes.
    Two,
    /// 4 bytes.
    Four,
    /// 8 bytes.
    Eight,
}

impl IdSize {
    /// All sizes.
    pub const ALL: [IdSize; 4] = [IdSize::One, IdSize::Two, IdSize::Four, IdSize::Eight];

    /// Bytes.
    #[inline]
    pub const fn bytes(self) -> usize {
        1 << self as usize
    }

    /// The size of a number of bytes.
    pub fn from_bytes(bytes: u64) -> Option<IdSize> {
        Self::ALL.into_iter().find(|size| size.bytes() as u64 == bytes)
    }

    /// The largest identifier.
    pub const fn max(self) -> u64 {
        u64::MAX >> (64 - 8 * self.bytes())
    }
}
