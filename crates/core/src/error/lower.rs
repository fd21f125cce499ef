//! Errors of a heap that the wanted format cannot express.

use thiserror::Error as ThisError;

use crate::units::Address;

/// A fact of a heap that the wanted format, version or profile cannot express.
#[derive(Clone, Debug, PartialEq, Eq, ThisError)]
#[non_exhaustive]
pub enum LowerError {
    /// PHD counts addresses in units of 4 or 8 bytes.
    #[error("address {address} is not a multiple of {unit} bytes, the address unit of this dump")]
    Unaligned {
        /// The address.
        address: Address,
        /// Bytes in an address unit.
        unit: u64,
    },
    /// Version 6 stores the size of an array in 32-bit words.
    #[error("the size of the array at {address} is {size} bytes, which is no multiple of 4")]
    SizeNotInWords {
        /// The array.
        address: Address,
        /// Its size in bytes.
        size: u64,
    },
    /// An object array that is shorter than its list of references.
    #[error("the array at {address} has {length} elements and {references} references")]
    ShortArray {
        /// The array.
        address: Address,
        /// Its length.
        length: u64,
        /// Its non-null references.
        references: u64,
    },
    /// An address or reference beyond the word size.
    #[error("address {0} does not fit the dump's 32-bit words")]
    TooWide(Address),
    /// An address that the target cannot hold, and that is to be kept.
    #[error(
        "the heap has an address that {format} cannot hold (expected {multiple}at most {largest:#x})",
        multiple = if *unit == 1 { String::new() } else { format!("a multiple of {unit}, ") }
    )]
    Address {
        /// The target's format.
        format: String,
        /// Bytes in an address unit.
        unit: u64,
        /// The largest address that it holds.
        largest: u64,
    },
    /// An identifier beyond the size of identifiers.
    #[error("identifier {id} does not fit the dump's identifiers of {bytes} bytes")]
    IdTooWide {
        /// The address or other identifier.
        id: Address,
        /// Bytes of an identifier.
        bytes: u64,
    },
    /// A name that no string of the heap's own log holds.
    #[error("no string of the dump holds the name {0}")]
    NoText(String),
    /// An instance, array or class needs a fact that the heap does not know.
    #[error("{what} of the object at {address} is unknown, and the format needs it")]
    Unknown {
        /// The missing fact.
        what: &'static str,
        /// The object or class.
        address: Address,
    },
    /// A number that is too large for its field.
    #[error("{what} of the object at {address} is {value}, and the field holds at most {limit}")]
    OutOfRange {
        /// The fact.
        what: &'static str,
        /// The object or class.
        address: Address,
        /// Its value.
        value: u64,
        /// The largest value that fits.
        limit: u64,
    },
    /// More than a conversion may synthesise.
    #[error("the conversion would have to synthesise {bytes} bytes, and its budget is {budget} bytes")]
    Budget {
        /// Bytes in all.
        bytes: u64,
        /// The budget.
        budget: u64,
    },
    /// A text or list that is too long for the field that states its length.
    #[error("{what} has {length} {unit}, but its length field holds at most {limit}")]
    TooLong {
        /// The text or list.
        what: &'static str,
        /// Its length.
        length: u64,
        /// The unit of the lengths: `bytes` or `entries`.
        unit: &'static str,
        /// The largest length that fits.
        limit: u64,
    },
    /// A name that the dump's characters cannot spell.
    #[error("the name {name} cannot be written in {charset}{why}")]
    Name {
        /// The name.
        name: String,
        /// The encoding.
        charset: &'static str,
        /// The reason.
        why: &'static str,
    },
    /// A fact that a heap file has no words for.
    #[error("the {fact} at {address}: a heap file has no words for it")]
    HeapFile {
        /// The fact.
        fact: String,
        /// The class or object.
        address: Address,
    },
    /// A profile that does not exist in this version or word size.
    #[error("{0}")]
    Profile(String),
}

impl LowerError {
    /// The length of a text or list in a field of 2 bytes.
    pub(crate) fn length16(what: &'static str, length: usize, unit: &'static str) -> Result<u16, LowerError> {
        let limit = u64::from(u16::MAX);
        u16::try_from(length).map_err(|_| LowerError::TooLong { what, length: length as u64, unit, limit })
    }

    /// The length of a text or list in a field of 4 bytes.
    pub(crate) fn length32(what: &'static str, length: u64, unit: &'static str) -> Result<u32, LowerError> {
        u32::try_from(length).map_err(|_| LowerError::TooLong { what, length, unit, limit: u64::from(u32::MAX) })
    }
}
