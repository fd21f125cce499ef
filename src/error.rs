//! Errors, told apart by whose fault they are.
//!
//! | fault | variant | exit code |
//! |---|---|---|
//! | the dump's | [`Error::Decode`] | 1 |
//! | the heap cannot be said in the wanted format | [`Error::Lower`] | 1 |
//! | a listing's | [`Error::Listing`] | 1 |
//! | the caller's | [`Error::Usage`], [`Error::Refused`] | 2 |
//! | the machine's | [`Error::Io`] | 2 |

use std::fmt;
use std::io;

use thiserror::Error as ThisError;

use crate::units::Address;

/// The stable name of a rule in `specs/`, such as `phd.header.magic`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RuleId(pub &'static str);

impl fmt::Display for RuleId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

/// Anything that can go wrong in the library.
#[derive(Debug, ThisError)]
#[non_exhaustive]
pub enum Error {
    /// The input is not a valid dump.
    #[error(transparent)]
    Decode(#[from] DecodeError),
    /// The heap holds something that the wanted format or profile cannot express.
    #[error(transparent)]
    Lower(#[from] LowerError),
    /// A listing that does not follow specs/listing.md.
    #[error("listing, line {line}: {message}")]
    Listing {
        /// Line number, from 1.
        line: u64,
        /// What was expected and what was found.
        message: String,
    },
    /// The question makes no sense: options that exclude each other, a name that does not exist.
    #[error("{0}")]
    Usage(String),
    /// A request that is refused; the remedy says what to change so that it succeeds.
    #[error("{message}")]
    Refused {
        /// What is refused, and why.
        message: String,
        /// What the caller can do.
        remedy: Remedy,
    },
    /// Reading or writing failed.
    #[error("{action}: {source}")]
    Io {
        /// What was being done, to which file.
        action: String,
        /// What the system said.
        source: io::Error,
    },
}

impl Error {
    /// An I/O error with what was being done.
    pub fn io(action: impl Into<String>, source: io::Error) -> Error {
        Error::Io { action: action.into(), source }
    }

    /// A refusal, and what the caller can do.
    pub fn refused(message: impl Into<String>, remedy: Remedy) -> Error {
        Error::Refused { message: message.into(), remedy }
    }

    /// What the caller can do about it, where that is known.
    pub fn remedy(&self) -> Option<Remedy> {
        match self {
            Error::Refused { remedy, .. } => Some(*remedy),
            Error::Lower(LowerError::Address { .. }) => Some(Remedy::Renumber),
            _ => None,
        }
    }

    /// Whether a dump, heap or listing is at fault, and not the caller or the machine.
    pub fn is_the_inputs(&self) -> bool {
        match self {
            Error::Decode(e) => !e.is_the_machines(),
            Error::Lower(_) | Error::Listing { .. } => true,
            Error::Usage(_) | Error::Refused { .. } | Error::Io { .. } => false,
        }
    }

    /// Whether the reader of our output went away, which ends a program without a message.
    pub fn is_broken_pipe(&self) -> bool {
        matches!(self, Error::Io { source, .. } if source.kind() == io::ErrorKind::BrokenPipe)
    }
}

/// What to change so that a refused request succeeds. The command names the option for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Remedy {
    /// What is there already may be replaced on request.
    Replace,
    /// One of several heaps has to be chosen, by its number from 0.
    ChooseHeap {
        /// How many there are.
        heaps: usize,
    },
    /// Only text has a character encoding and ends of lines.
    Text,
    /// PHD and classic text have a word size.
    WordSize,
    /// HPROF has a size of identifiers.
    IdSize,
    /// Addresses may be renumbered.
    Renumber,
}

/// Whether an I/O error tells of damaged compressed data, not of the machine.
pub(crate) fn is_damage(error: &io::Error) -> bool {
    use io::ErrorKind::{InvalidData, InvalidInput, UnexpectedEof};
    matches!(error.kind(), InvalidData | InvalidInput | UnexpectedEof)
}

/// Why decoding stopped: the offset, the record, the field and the rule that the bytes break.
#[derive(Debug)]
pub struct DecodeError(Box<Inner>);

#[derive(Debug)]
struct Inner {
    rule: RuleId,
    offset: u64,
    record: Option<u64>,
    position: Option<TextPosition>,
    field: &'static str,
    problem: Problem,
}

/// A place in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TextPosition {
    /// Line, from 1.
    pub line: u64,
    /// Column, from 1, in bytes.
    pub column: u64,
}

impl fmt::Display for TextPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}", self.line, self.column)
    }
}

/// What is wrong with the bytes.
#[derive(Debug)]
#[non_exhaustive]
pub enum Problem {
    /// The data end inside a field.
    Truncated {
        /// Bytes that the field needs.
        needed: u64,
        /// Bytes that are left for it.
        available: u64,
    },
    /// The body has no end tag or trailer: the data end between two records.
    MissingEnd,
    /// The field's value is not one that the format allows.
    Unexpected {
        /// What the format allows.
        expected: String,
        /// What the bytes say.
        found: String,
    },
    /// The file became shorter while it was read.
    Shrunk {
        /// Its length in bytes when it was opened.
        opened: u64,
    },
    /// The system, or a compressed stream, failed.
    Io(io::Error),
}

impl DecodeError {
    /// An error at `offset` (bytes from the start of the decompressed stream) in `field`.
    pub fn new(rule: RuleId, offset: u64, field: &'static str, problem: Problem) -> DecodeError {
        DecodeError(Box::new(Inner { rule, offset, record: None, position: None, field, problem }))
    }

    /// The same error, inside the record with this index.
    #[must_use]
    pub fn in_record(mut self, index: u64) -> DecodeError {
        self.0.record = Some(index);
        self
    }

    /// The same error, in a dump that is text.
    #[must_use]
    pub fn at_position(mut self, position: TextPosition) -> DecodeError {
        self.0.position = Some(position);
        self
    }

    /// The rule that the bytes break.
    pub fn rule(&self) -> RuleId {
        self.0.rule
    }

    /// Where the offending field begins, in bytes from the start of the decompressed stream.
    pub fn offset(&self) -> u64 {
        self.0.offset
    }

    /// Line and column, if the dump is text.
    pub fn position(&self) -> Option<TextPosition> {
        self.0.position
    }

    /// The index of the record, from 0, if the error is inside one.
    pub fn record(&self) -> Option<u64> {
        self.0.record
    }

    /// The field that was being read.
    pub fn field(&self) -> &'static str {
        self.0.field
    }

    /// What is wrong.
    pub fn problem(&self) -> &Problem {
        &self.0.problem
    }

    /// Whether every record was sound and only the end tag is missing, which readers tolerate.
    pub fn is_missing_end(&self) -> bool {
        matches!(self.0.problem, Problem::MissingEnd)
    }

    /// Whether the machine is at fault, not the dump: reading failed, or the file shrank. Damaged
    /// compressed data are the dump's fault, though they too come as an I/O error.
    pub fn is_the_machines(&self) -> bool {
        match &self.0.problem {
            Problem::Shrunk { .. } => true,
            Problem::Io(e) => !is_damage(e),
            Problem::Truncated { .. } | Problem::MissingEnd | Problem::Unexpected { .. } => false,
        }
    }

    /// What the format wanted to see there.
    pub fn expected(&self) -> String {
        match &self.0.problem {
            Problem::Truncated { needed: 1, .. } => format!("1 byte of {}", self.0.field),
            Problem::Truncated { needed, .. } => format!("{needed} bytes of {}", self.0.field),
            Problem::MissingEnd if self.0.position.is_some() => {
                "another record or the last trailer, `// EOF:`".to_owned()
            }
            Problem::MissingEnd => "another record or the end tag".to_owned(),
            Problem::Unexpected { expected, .. } => expected.clone(),
            Problem::Shrunk { opened } => format!("a file of {opened} bytes, as when it was opened"),
            Problem::Io(_) if !self.is_the_machines() => "whole gzip data".to_owned(),
            Problem::Io(_) => "readable data".to_owned(),
        }
    }

    /// What stands there instead.
    pub fn found(&self) -> String {
        match &self.0.problem {
            Problem::Truncated { available: 1, .. } => "1 byte, then the end of the data".to_owned(),
            Problem::Truncated { available, .. } => format!("{available} bytes, then the end of the data"),
            Problem::MissingEnd => "the end of the data".to_owned(),
            Problem::Unexpected { found, .. } => found.clone(),
            Problem::Shrunk { .. } => "the file became shorter while it was read".to_owned(),
            Problem::Io(e) if !self.is_the_machines() => {
                format!("data that are damaged, cut short or followed by something else ({e})")
            }
            Problem::Io(e) => e.to_string(),
        }
    }
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(position) = self.0.position {
            write!(f, "{position}, ")?;
        }
        write!(f, "offset {0} ({0:#x})", self.0.offset)?;
        if let Some(record) = self.0.record {
            write!(f, ", record {record}")?;
        }
        write!(f, ", {}: expected {}, found {} [{}]", self.0.field, self.expected(), self.found(), self.0.rule)
    }
}

impl std::error::Error for DecodeError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.0.problem {
            Problem::Io(e) => Some(e),
            _ => None,
        }
    }
}

/// What a heap holds that the wanted format, version or profile cannot express.
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
    /// A text or list that is too long for the field that states its length.
    #[error("{what} has {length} {unit}, but its length field holds at most {limit}")]
    TooLong {
        /// The text or list.
        what: &'static str,
        /// Its length.
        length: u64,
        /// What that is a number of: `bytes` or `entries`.
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
        /// What is in the way.
        why: &'static str,
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
