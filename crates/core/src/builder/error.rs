//! Errors of building a heap.

use std::fmt;

use crate::error::{HeapFileError, HeapFileErrors, did_you_mean};

/// The reason why a heap cannot be built as it was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuildError {
    message: String,
    /// Line and column in the heap file, where there is one.
    place: Option<(u32, u32)>,
}

impl BuildError {
    pub(crate) fn new(message: impl Into<String>) -> BuildError {
        BuildError { message: message.into(), place: None }
    }

    /// A name that nothing has.
    pub(crate) fn unknown<'n>(what: &str, wanted: &str, names: impl IntoIterator<Item = &'n str>) -> BuildError {
        BuildError::new(format!("no {what} {wanted:?}{}", did_you_mean(wanted, names)))
    }

    /// The error in a turn of a repeated part, whose node stands at this line and column of a heap file.
    pub(super) fn in_turn(self, turn: u64, place: Option<(u32, u32)>) -> BuildError {
        BuildError { message: format!("in turn {turn}: {}", self.message), place }
    }
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for BuildError {}

impl From<BuildError> for crate::Error {
    fn from(error: BuildError) -> crate::Error {
        let BuildError { message, place } = error;
        match place {
            None => crate::Error::Usage(message),
            Some((line, column)) => HeapFileErrors::from(HeapFileError { line, column, message }).into(),
        }
    }
}
