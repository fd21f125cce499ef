//! Contents that are too long to be held: read in pieces, as often as wanted, from either end.
//!
//! The pieces come from the dump itself where that is a plain file, else from a [`Spool`]. What a writer does to a list
//! (turning it round, leaving nulls out, mapping addresses) is done to each piece as it is read.

mod sorting;
mod spool;
mod stored;
#[cfg(test)]
mod tests;
mod views;

use std::fmt::Debug;
use std::panic::RefUnwindSafe;
use std::sync::Arc;

use super::Address;
use crate::error::Error;

pub use spool::{HELD, SPOOLED, Spool, SpoolEntry};
pub use stored::{Identifiers, ItemEncoding, ReadAt, StoredBytes};

use views::{ChainedLists, ComputedList, HeldList, ListTail, MappedList, RepeatedItem, ReversedList, WithoutNulls};

/// The inside of an object where it is too long to be held. Each variant means what the one of the same name of
/// [`Contents`](super::Contents) does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PiecewiseContents {
    /// References without fields or positions.
    References(Pieces<Address>),
    /// Elements of an object array.
    Elements(Pieces<Address>),
    /// Bytes that no class lays out.
    Raw(Pieces<u8>),
    /// Elements of a primitive array.
    Primitives(Pieces<u8>),
}

/// A list that is read in pieces. Copies are the same list.
#[derive(Clone, Debug)]
pub struct Pieces<T>(Arc<dyn Piecewise<T>>);

/// The end of a list at which reading begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListEnd {
    /// At the first item.
    Front,
    /// At the last item, so that items come in the opposite order.
    Back,
}

/// A list that can be read in pieces.
pub trait Piecewise<T>: Debug + Send + Sync + RefUnwindSafe {
    /// Number of items.
    fn count(&self) -> u64;

    /// A reader at one of the ends.
    fn open(&self, from: ListEnd) -> Box<dyn PieceReader<T> + '_>;
}

/// Reads a list piece by piece.
pub trait PieceReader<T> {
    /// Puts the next items in the place of those in `piece`; `false` if there are no more.
    ///
    /// # Errors
    /// An error of reading them.
    fn next(&mut self, piece: &mut Vec<T>) -> Result<bool, Error>;
}

/// A map from the addresses of a heap to others.
pub type Renumbering = dyn Fn(Address) -> Address + Send + Sync + RefUnwindSafe;

/// An item of a list.
pub trait ListItem: Copy + Debug + PartialEq + Send + Sync + RefUnwindSafe + 'static {}
impl<T: Copy + Debug + PartialEq + Send + Sync + RefUnwindSafe + 'static> ListItem for T {}

/// Bytes of a piece, about: large enough that system calls do not matter.
const PIECE: usize = 128 << 10;

impl PiecewiseContents {
    /// The addresses of references or elements.
    pub fn addresses(&self) -> Option<&Pieces<Address>> {
        match self {
            PiecewiseContents::References(listed) | PiecewiseContents::Elements(listed) => Some(listed),
            PiecewiseContents::Raw(_) | PiecewiseContents::Primitives(_) => None,
        }
    }

    /// The contents with other addresses, which are worked out as they are read.
    #[must_use]
    pub fn mapped(
        &self,
        map: impl Fn(Address) -> Address + Send + Sync + RefUnwindSafe + 'static,
    ) -> PiecewiseContents {
        match self {
            PiecewiseContents::References(listed) => PiecewiseContents::References(listed.mapped(map)),
            PiecewiseContents::Elements(elements) => PiecewiseContents::Elements(elements.mapped(map)),
            PiecewiseContents::Raw(_) | PiecewiseContents::Primitives(_) => self.clone(),
        }
    }
}

impl<T: ListItem> Pieces<T> {
    /// A list in this form.
    pub fn new(list: impl Piecewise<T> + 'static) -> Pieces<T> {
        Pieces(Arc::new(list))
    }

    /// A list of one item, `count` times.
    pub fn repeated(item: T, count: u64) -> Pieces<T> {
        Pieces::new(RepeatedItem { item, count })
    }

    /// A list of `count` items, each of which follows from its place.
    pub fn computed(count: u64, item: impl Fn(u64) -> T + Send + Sync + RefUnwindSafe + 'static) -> Pieces<T> {
        Pieces::new(ComputedList { count, item: Box::new(item) })
    }

    /// Number of items.
    pub fn count(&self) -> u64 {
        self.0.count()
    }

    /// A reader at one of the ends.
    pub fn open(&self, from: ListEnd) -> Box<dyn PieceReader<T> + '_> {
        self.0.open(from)
    }

    /// Calls `each` with one piece after the other.
    ///
    /// # Errors
    /// An error of `each`, or of reading.
    pub fn visit<E: From<Error>>(&self, mut each: impl FnMut(&[T]) -> Result<(), E>) -> Result<(), E> {
        let (mut reader, mut piece) = (self.open(ListEnd::Front), Vec::new());
        while reader.next(&mut piece)? {
            each(&piece)?;
        }
        Ok(())
    }

    /// All items in memory.
    ///
    /// # Errors
    /// An error of reading.
    pub fn collect(&self) -> Result<Vec<T>, Error> {
        let mut all = Vec::new();
        self.visit(|piece| {
            all.extend_from_slice(piece);
            Ok::<(), Error>(())
        })?;
        Ok(all)
    }

    /// The first items, as many as there are up to `count`.
    ///
    /// # Errors
    /// An error of reading.
    pub fn first(&self, count: usize) -> Result<Vec<T>, Error> {
        let (mut reader, mut piece, mut first) = (self.open(ListEnd::Front), Vec::new(), Vec::new());
        while first.len() < count && reader.next(&mut piece)? {
            first.extend(piece.iter().take(count - first.len()));
        }
        Ok(first)
    }

    /// The index of the first item in which two lists differ, by which one of them may have ended.
    ///
    /// # Errors
    /// An error of reading.
    pub fn first_difference(&self, other: &Pieces<T>) -> Result<Option<u64>, Error> {
        let (mut left, mut right) = (RemainingItems::new(self), RemainingItems::new(other));
        let mut place = 0;
        loop {
            let (l, r) = (left.fill()?, right.fill()?);
            let both = l.len().min(r.len());
            if both == 0 {
                return Ok((l.len() != r.len()).then_some(place));
            }
            if l[..both] != r[..both] {
                let same = l.iter().zip(r).take_while(|(l, r)| l == r).count();
                return Ok(Some(place + same as u64));
            }
            place += both as u64;
            left.consume(both);
            right.consume(both);
        }
    }

    /// The items in the opposite order.
    #[must_use]
    pub fn reversed(&self) -> Pieces<T> {
        Pieces::new(ReversedList(self.clone()))
    }

    /// The list with each item replaced, as it is read.
    #[must_use]
    pub fn mapped(&self, map: impl Fn(T) -> T + Send + Sync + RefUnwindSafe + 'static) -> Pieces<T> {
        Pieces::new(MappedList { of: self.clone(), map: Box::new(map) })
    }

    /// The list without its first items.
    #[must_use]
    pub fn without_first(&self, skip: u64) -> Pieces<T> {
        Pieces::new(ListTail { of: self.clone(), skip: skip.min(self.count()) })
    }

    /// The list with another one after it.
    #[must_use]
    pub fn followed_by(&self, last: Pieces<T>) -> Pieces<T> {
        Pieces::new(ChainedLists([self.clone(), last]))
    }
}

impl Pieces<Address> {
    /// The number of null items.
    ///
    /// # Errors
    /// An error of reading.
    pub fn nulls(&self) -> Result<u64, Error> {
        let mut nulls = 0;
        self.visit(|piece| {
            nulls += piece.iter().filter(|address| address.is_null()).count() as u64;
            Ok::<(), Error>(())
        })?;
        Ok(nulls)
    }

    /// The list without null, which it is read once for.
    ///
    /// # Errors
    /// An error of reading.
    pub fn without_nulls(&self) -> Result<Pieces<Address>, Error> {
        match self.nulls()? {
            0 => Ok(self.clone()),
            nulls => Ok(Pieces::new(WithoutNulls { of: self.clone(), count: self.count() - nulls })),
        }
    }

    /// The items in ascending order: sorted in a temporary file.
    ///
    /// # Errors
    /// An error of reading, or of the temporary file.
    pub fn sorted(&self) -> Result<Pieces<Address>, Error> {
        sorting::sorted(self)
    }
}

impl<T: ListItem> From<Vec<T>> for Pieces<T> {
    fn from(items: Vec<T>) -> Pieces<T> {
        Pieces::new(HeldList(items))
    }
}

/// Lists are equal where their items are; what cannot be read is equal to nothing.
impl<T: ListItem> PartialEq for Pieces<T> {
    fn eq(&self, other: &Pieces<T>) -> bool {
        self.count() == other.count() && matches!(self.first_difference(other), Ok(None))
    }
}

impl<T: ListItem> Eq for Pieces<T> {}

/// The items left of a list that is read side by side with another.
struct RemainingItems<'p, T> {
    reader: Box<dyn PieceReader<T> + 'p>,
    piece: Vec<T>,
    taken: usize,
}

impl<'p, T: ListItem> RemainingItems<'p, T> {
    fn new(pieces: &'p Pieces<T>) -> RemainingItems<'p, T> {
        RemainingItems { reader: pieces.open(ListEnd::Front), piece: Vec::new(), taken: 0 }
    }

    fn fill(&mut self) -> Result<&[T], Error> {
        while self.taken == self.piece.len() {
            self.taken = 0;
            if !self.reader.next(&mut self.piece)? {
                self.piece.clear();
                break;
            }
        }
        Ok(&self.piece[self.taken..])
    }

    fn consume(&mut self, count: usize) {
        self.taken += count;
    }
}
