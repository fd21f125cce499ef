//! Lists made of others, piece by piece.

use std::fmt;
use std::panic::RefUnwindSafe;

use crate::error::Error;
use crate::model::Address;

use super::{ListEnd, ListItem, PIECE, PieceReader, Pieces, Piecewise};

impl ListEnd {
    /// The other end.
    pub fn opposite(self) -> ListEnd {
        match self {
            ListEnd::Front => ListEnd::Back,
            ListEnd::Back => ListEnd::Front,
        }
    }
}

/// A list in memory.
#[derive(Debug)]
pub(super) struct HeldList<T>(pub(super) Vec<T>);

impl<T: ListItem> Piecewise<T> for HeldList<T> {
    fn count(&self) -> u64 {
        self.0.len() as u64
    }

    fn open(&self, from: ListEnd) -> Box<dyn PieceReader<T> + '_> {
        Box::new(HeldReader { left: &self.0, from })
    }
}

struct HeldReader<'h, T> {
    left: &'h [T],
    from: ListEnd,
}

impl<T: ListItem> PieceReader<T> for HeldReader<'_, T> {
    fn next(&mut self, piece: &mut Vec<T>) -> Result<bool, Error> {
        let count = self.left.len().min(PIECE / size_of::<T>());
        piece.clear();
        match self.from {
            ListEnd::Front => {
                let (first, rest) = self.left.split_at(count);
                piece.extend_from_slice(first);
                self.left = rest;
            }
            ListEnd::Back => {
                let (rest, last) = self.left.split_at(self.left.len() - count);
                piece.extend(last.iter().rev());
                self.left = rest;
            }
        }
        Ok(count > 0)
    }
}

/// A list of one item, several times.
#[derive(Debug)]
pub(super) struct RepeatedItem<T> {
    pub(super) item: T,
    pub(super) count: u64,
}

impl<T: ListItem> Piecewise<T> for RepeatedItem<T> {
    fn count(&self) -> u64 {
        self.count
    }

    fn open(&self, _: ListEnd) -> Box<dyn PieceReader<T> + '_> {
        Box::new(RepeatedItem { item: self.item, count: self.count })
    }
}

impl<T: ListItem> PieceReader<T> for RepeatedItem<T> {
    fn next(&mut self, piece: &mut Vec<T>) -> Result<bool, Error> {
        let count = self.count.min((PIECE / size_of::<T>()) as u64);
        piece.clear();
        piece.resize(count as usize, self.item);
        self.count -= count;
        Ok(count > 0)
    }
}

/// Items that follow from their places.
pub(super) struct ComputedList<T> {
    pub(super) count: u64,
    pub(super) item: Box<dyn Fn(u64) -> T + Send + Sync + RefUnwindSafe>,
}

impl<T> fmt::Debug for ComputedList<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ComputedList").field("count", &self.count).finish_non_exhaustive()
    }
}

impl<T: ListItem> Piecewise<T> for ComputedList<T> {
    fn count(&self) -> u64 {
        self.count
    }

    fn open(&self, from: ListEnd) -> Box<dyn PieceReader<T> + '_> {
        Box::new(ComputedReader { of: self, from, left: self.count })
    }
}

struct ComputedReader<'c, T> {
    of: &'c ComputedList<T>,
    from: ListEnd,
    left: u64,
}

impl<T: ListItem> PieceReader<T> for ComputedReader<'_, T> {
    fn next(&mut self, piece: &mut Vec<T>) -> Result<bool, Error> {
        let count = self.left.min((PIECE / size_of::<T>()) as u64);
        piece.clear();
        match self.from {
            ListEnd::Front => {
                let first = self.of.count - self.left;
                piece.extend((first..first + count).map(&self.of.item));
            }
            ListEnd::Back => piece.extend((self.left - count..self.left).rev().map(&self.of.item)),
        }
        self.left -= count;
        Ok(count > 0)
    }
}

/// A list in the opposite order.
#[derive(Debug)]
pub(super) struct ReversedList<T>(pub(super) Pieces<T>);

impl<T: ListItem> Piecewise<T> for ReversedList<T> {
    fn count(&self) -> u64 {
        self.0.count()
    }

    fn open(&self, from: ListEnd) -> Box<dyn PieceReader<T> + '_> {
        self.0.open(from.opposite())
    }
}

/// A list with each item replaced.
pub(super) struct MappedList<T> {
    pub(super) of: Pieces<T>,
    pub(super) map: Box<dyn Fn(T) -> T + Send + Sync + RefUnwindSafe>,
}

impl<T: ListItem> fmt::Debug for MappedList<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MappedList").field("of", &self.of).finish_non_exhaustive()
    }
}

impl<T: ListItem> Piecewise<T> for MappedList<T> {
    fn count(&self) -> u64 {
        self.of.count()
    }

    fn open(&self, from: ListEnd) -> Box<dyn PieceReader<T> + '_> {
        Box::new(MappedReader { of: self.of.open(from), map: &*self.map })
    }
}

struct MappedReader<'m, T> {
    of: Box<dyn PieceReader<T> + 'm>,
    map: &'m (dyn Fn(T) -> T + Send + Sync),
}

impl<T: ListItem> PieceReader<T> for MappedReader<'_, T> {
    fn next(&mut self, piece: &mut Vec<T>) -> Result<bool, Error> {
        let more = self.of.next(piece)?;
        piece.iter_mut().for_each(|item| *item = (self.map)(*item));
        Ok(more)
    }
}

/// The items that are not null.
#[derive(Debug)]
pub(super) struct WithoutNulls {
    pub(super) of: Pieces<Address>,
    pub(super) count: u64,
}

impl Piecewise<Address> for WithoutNulls {
    fn count(&self) -> u64 {
        self.count
    }

    fn open(&self, from: ListEnd) -> Box<dyn PieceReader<Address> + '_> {
        Box::new(WithoutNullsReader(self.of.open(from)))
    }
}

struct WithoutNullsReader<'w>(Box<dyn PieceReader<Address> + 'w>);

impl PieceReader<Address> for WithoutNullsReader<'_> {
    fn next(&mut self, piece: &mut Vec<Address>) -> Result<bool, Error> {
        while self.0.next(piece)? {
            piece.retain(|address| !address.is_null());
            if !piece.is_empty() {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// A list without its first items.
#[derive(Debug)]
pub(super) struct ListTail<T> {
    pub(super) of: Pieces<T>,
    pub(super) skip: u64,
}

impl<T: ListItem> Piecewise<T> for ListTail<T> {
    fn count(&self) -> u64 {
        self.of.count() - self.skip
    }

    fn open(&self, from: ListEnd) -> Box<dyn PieceReader<T> + '_> {
        let skip = if from == ListEnd::Front { self.skip } else { 0 };
        Box::new(ListTailReader { of: self.of.open(from), skip, left: self.count() })
    }
}

struct ListTailReader<'c, T> {
    of: Box<dyn PieceReader<T> + 'c>,
    skip: u64,
    left: u64,
}

impl<T: ListItem> PieceReader<T> for ListTailReader<'_, T> {
    fn next(&mut self, piece: &mut Vec<T>) -> Result<bool, Error> {
        while self.left > 0 && self.of.next(piece)? {
            let skipped = self.skip.min(piece.len() as u64);
            self.skip -= skipped;
            piece.drain(..skipped as usize);
            piece.truncate(usize::try_from(self.left).unwrap_or(usize::MAX));
            self.left -= piece.len() as u64;
            if !piece.is_empty() {
                return Ok(true);
            }
        }
        piece.clear();
        Ok(false)
    }
}

/// A list and another after it.
#[derive(Debug)]
pub(super) struct ChainedLists<T>(pub(super) [Pieces<T>; 2]);

impl<T: ListItem> Piecewise<T> for ChainedLists<T> {
    fn count(&self) -> u64 {
        self.0.iter().map(Pieces::count).sum()
    }

    fn open(&self, from: ListEnd) -> Box<dyn PieceReader<T> + '_> {
        let [first, last] = &self.0;
        let order = if from == ListEnd::Front { [first, last] } else { [last, first] };
        Box::new(ChainedReaders(order.map(|list| list.open(from)).into_iter().collect()))
    }
}

/// Readers one after the other.
pub(super) struct ChainedReaders<'i, T>(pub(super) std::collections::VecDeque<Box<dyn PieceReader<T> + 'i>>);

impl<T: ListItem> PieceReader<T> for ChainedReaders<'_, T> {
    fn next(&mut self, piece: &mut Vec<T>) -> Result<bool, Error> {
        while let Some(reader) = self.0.front_mut() {
            if reader.next(piece)? {
                return Ok(true);
            }
            self.0.pop_front();
        }
        Ok(false)
    }
}
