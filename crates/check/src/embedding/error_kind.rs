//! Kinds of errors, as programs in other languages tell them apart.

use heapsmith_core::error::Error;

/// The kind of an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// An argument is wrong: a recipe, format, heap file or number that does not exist.
    Argument,
    /// The dump or listing breaks a rule of its format.
    Invalid,
    /// A limit in bytes would be exceeded, or the machine failed.
    Limit,
}

/// The kind of an error.
pub fn error_kind(error: &Error) -> ErrorKind {
    match error {
        Error::Decode(error) if error.is_machine_fault() => ErrorKind::Limit,
        Error::Decode(_) | Error::Invalid(_) | Error::Listing(_) => ErrorKind::Invalid,
        Error::Io { .. } => ErrorKind::Limit,
        Error::Input { source, .. } => error_kind(source),
        _ => ErrorKind::Argument,
    }
}
