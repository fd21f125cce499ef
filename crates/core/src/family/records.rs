//! The records of a dump that is read once, from its start to its end.

use std::fmt::{self, Display};
use std::io::Write;

use serde::Serialize;

use crate::error::{DecodeError, Error};

/// A dump at its start. Standard input is read as it comes.
pub trait Records {
    /// Writes every record as it is spelled: the same bytes. Gives back the error of a missing end, which readers
    /// tolerate: what was there is written then.
    ///
    /// # Errors
    /// If the dump cannot be read, or writing fails.
    fn copy(self: Box<Self>, out: &mut dyn Write) -> Result<Option<DecodeError>, Error>;

    /// Calls `each` with a line for each record.
    ///
    /// # Errors
    /// If the dump cannot be read, and what `each` returns.
    fn list(self: Box<Self>, each: &mut dyn FnMut(ListedPart) -> Result<(), Error>) -> Result<(), Error>;
}

/// A part of a dump, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ListedPart {
    /// A record.
    Record(RecordLine),
    /// A part that is no record, such as the header.
    Other {
        /// Offset in the decompressed dump.
        offset: u64,
        /// Length in bytes.
        length: u64,
        /// The part in words.
        what: &'static str,
    },
}

/// A record, as `inspect --json` prints it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct RecordLine {
    /// Index in the body, from 0.
    pub record: u64,
    /// Offset in the decompressed dump.
    pub offset: u64,
    /// Length in bytes.
    pub length: u64,
    /// Record kind.
    pub kind: String,
    /// Address of the object or class, if the record is one's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// What the record says, in its order: fields of the byte map, and how many there are of those that are repeated.
    pub fields: Vec<RecordField>,
}

/// A field of a record, in words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct RecordField {
    /// Its name.
    pub name: &'static str,
    /// Its value: identifiers, addresses and hashes in hexadecimal, text in quotation marks.
    pub value: String,
}

impl RecordField {
    /// A field and its value.
    pub fn new(name: &'static str, value: impl Display) -> RecordField {
        RecordField { name, value: value.to_string() }
    }
}

impl Display for RecordField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} = {}", self.name, self.value)
    }
}

/// Takes the error of a missing end out of a result, since readers tolerate that.
///
/// # Errors
/// Any other error.
pub fn missing_end(ended: Result<(), Error>) -> Result<Option<DecodeError>, Error> {
    match ended {
        Ok(()) => Ok(None),
        Err(Error::Decode(error)) if error.is_missing_end() => Ok(Some(error)),
        Err(error) => Err(error),
    }
}

/// Writes what has been encoded so far, once there is enough of it.
///
/// # Errors
/// If writing fails.
pub fn flush_if_full(buffer: &mut Vec<u8>, out: &mut dyn Write) -> Result<(), Error> {
    if buffer.len() >= 1 << 16 {
        out.write_all(buffer).map_err(write_failed)?;
        buffer.clear();
    }
    Ok(())
}

/// The error of a dump that could not be written.
pub fn write_failed(error: std::io::Error) -> Error {
    Error::io("writing the dump", error)
}
