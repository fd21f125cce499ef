//! Lists of contents as facts: held in memory, or read in pieces.

use crate::error::Error;
use crate::model::Address;
use crate::model::long::{ListItem, Pieces};

/// A list of contents.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ContentItems<'e, T: ListItem> {
    /// Held in memory.
    Held(&'e [T]),
    /// Read in pieces.
    Long(&'e Pieces<T>),
}

impl<'e, T: ListItem> ContentItems<'e, T> {
    /// Number of items.
    #[inline]
    pub fn count(self) -> u64 {
        match self {
            ContentItems::Held(items) => items.len() as u64,
            ContentItems::Long(pieces) => pieces.count(),
        }
    }

    /// Calls `each` with one piece after the other; only one piece is held.
    ///
    /// # Errors
    /// If `each` fails, or reading a piece.
    #[inline]
    pub fn visit<E: From<Error>>(self, mut each: impl FnMut(&[T]) -> Result<(), E>) -> Result<(), E> {
        match self {
            ContentItems::Held(items) => each(items),
            ContentItems::Long(pieces) => pieces.visit(each),
        }
    }

    /// The index of the first item in which two lists differ; where one is a prefix of the other, the shorter one's
    /// length.
    ///
    /// # Errors
    /// If reading pieces fails.
    #[inline]
    pub fn first_difference(self, other: ContentItems<'_, T>) -> Result<Option<u64>, Error> {
        match (self, other) {
            (ContentItems::Held(left), ContentItems::Held(right)) => Ok((left != right).then(|| {
                let same = left.iter().zip(right).take_while(|(l, r)| l == r).count();
                same as u64
            })),
            (left, right) => left.into_pieces().first_difference(&right.into_pieces()),
        }
    }

    /// The items from an index on, at most this number of them.
    ///
    /// # Errors
    /// If reading pieces fails.
    pub fn read_range(self, from: u64, count: usize) -> Result<Vec<T>, Error> {
        match self {
            ContentItems::Held(items) => Ok(items.iter().skip(from as usize).take(count).copied().collect()),
            ContentItems::Long(pieces) => pieces.without_first(from).first(count),
        }
    }

    /// The list in pieces, copied if it is held.
    pub fn into_pieces(self) -> Pieces<T> {
        match self {
            ContentItems::Held(items) => items.to_vec().into(),
            ContentItems::Long(pieces) => pieces.clone(),
        }
    }
}

impl ContentItems<'_, Address> {
    /// The number of null addresses.
    ///
    /// # Errors
    /// If reading pieces fails.
    #[inline]
    pub fn count_nulls(self) -> Result<u64, Error> {
        match self {
            ContentItems::Held(items) => Ok(items.iter().filter(|item| item.is_null()).count() as u64),
            ContentItems::Long(pieces) => pieces.nulls(),
        }
    }
}
