//! Errors of a listing.

use std::fmt;

/// The errors of a listing, in the order of its lines: at least one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListingError {
    first: ListingFault,
    others: Vec<ListingFault>,
    more: u64,
}

/// An error of a listing at its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListingFault {
    /// Line number, from 1.
    pub line: u64,
    /// The key whose value is at fault, such as `values[2]`; empty for the line as a whole.
    pub key: String,
    /// The expected and the found text.
    pub message: String,
}

impl ListingError {
    /// The error of a line as a whole.
    pub fn of_line(line: u64, message: impl Into<String>) -> ListingError {
        ListingFault { line, key: String::new(), message: message.into() }.into()
    }

    /// The errors; `None` without any. Those of `more` lines are not among them.
    pub(crate) fn from_faults(faults: Vec<ListingFault>, more: u64) -> Option<ListingError> {
        let mut faults = faults.into_iter();
        Some(ListingError { first: faults.next()?, others: faults.collect(), more })
    }

    /// The first error.
    pub fn first(&self) -> &ListingFault {
        &self.first
    }

    /// The errors that are known one by one.
    pub fn faults(&self) -> impl Iterator<Item = &ListingFault> {
        std::iter::once(&self.first).chain(&self.others)
    }

    /// The number of lines with errors that are not known one by one.
    pub fn more_lines(&self) -> u64 {
        self.more
    }
}

impl From<ListingFault> for ListingError {
    fn from(first: ListingFault) -> ListingError {
        ListingError { first, others: Vec::new(), more: 0 }
    }
}

impl fmt::Display for ListingFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ListingFault { line, key, message } = self;
        match &**key {
            "" => write!(f, "listing, line {line}: {message}"),
            key => write!(f, "listing, line {line}, key {key}: {message}"),
        }
    }
}

/// Each error in a line of its own.
impl fmt::Display for ListingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.first.fmt(f)?;
        self.others.iter().try_for_each(|fault| write!(f, "\n{fault}"))?;
        match self.more {
            0 => Ok(()),
            1 => f.write_str("\nlisting: more errors in 1 other line"),
            more => write!(f, "\nlisting: more errors in {more} other lines"),
        }
    }
}

impl std::error::Error for ListingError {}
