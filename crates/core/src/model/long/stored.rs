//! Lists whose bytes are stored: in the dump itself, or in a temporary file.

use std::fmt::Debug;
use std::io;
use std::panic::RefUnwindSafe;
use std::sync::Arc;

use crate::error::Error;
use crate::model::Address;

use super::{ListEnd, ListItem, PIECE, PieceReader, Pieces, Piecewise};

/// Bytes that can be read at any place, any number of times.
pub trait ReadAt: Debug + Send + Sync + RefUnwindSafe {
    /// Reads some bytes from an offset on; none at the end.
    ///
    /// # Errors
    /// The error of the system.
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize>;
}

/// An encoding of a list's items in bytes.
pub trait ItemEncoding<T>: Debug + Send + Sync + RefUnwindSafe {
    /// Bytes of an item.
    fn width(&self) -> usize;

    /// Appends the items of whole items' bytes.
    fn read(&self, bytes: &[u8], items: &mut Vec<T>);
}

/// Addresses as unsigned big-endian integers of this number of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Identifiers(pub usize);

impl ItemEncoding<Address> for Identifiers {
    fn width(&self) -> usize {
        self.0
    }

    fn read(&self, bytes: &[u8], items: &mut Vec<Address>) {
        match self.0 {
            8 => items.extend(bytes.as_chunks::<8>().0.iter().map(|eight| Address(u64::from_be_bytes(*eight)))),
            4 => items.extend(bytes.as_chunks::<4>().0.iter().map(|four| Address(u32::from_be_bytes(*four).into()))),
            width => items.extend(
                bytes
                    .chunks_exact(width)
                    .map(|chunk| Address(chunk.iter().fold(0, |value, b| value << 8 | u64::from(*b)))),
            ),
        }
    }
}

/// Bytes as they are.
#[derive(Debug)]
struct PlainBytes;

impl ItemEncoding<u8> for PlainBytes {
    fn width(&self) -> usize {
        1
    }

    fn read(&self, bytes: &[u8], items: &mut Vec<u8>) {
        items.extend_from_slice(bytes);
    }
}

/// Consecutive bytes, at a place of something larger.
#[derive(Clone, Debug)]
pub struct StoredBytes {
    bytes: Arc<dyn ReadAt>,
    at: u64,
    length: u64,
}

impl StoredBytes {
    /// `length` bytes from an offset on.
    pub fn new(bytes: Arc<dyn ReadAt>, at: u64, length: u64) -> StoredBytes {
        StoredBytes { bytes, at, length }
    }

    /// Number of bytes.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// The bytes themselves.
    pub fn plain(&self) -> Pieces<u8> {
        self.spelled(PlainBytes)
    }

    /// The list that they spell.
    pub fn spelled<T: ListItem>(&self, spelling: impl ItemEncoding<T> + 'static) -> Pieces<T> {
        Pieces::new(StoredList { stretch: self.clone(), spelling })
    }

    fn fill(&self, buffer: &mut [u8], from: u64) -> Result<(), Error> {
        let mut filled = 0;
        while filled < buffer.len() {
            match self.bytes.read_at(&mut buffer[filled..], self.at + from + filled as u64) {
                Ok(0) => return Err(failed(io::ErrorKind::UnexpectedEof.into())),
                Ok(count) => filled += count,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(failed(e)),
            }
        }
        Ok(())
    }
}

fn failed(error: io::Error) -> Error {
    Error::io("reading the contents of an object again", error)
}

#[derive(Debug)]
struct StoredList<S> {
    stretch: StoredBytes,
    spelling: S,
}

impl<T: ListItem, S: ItemEncoding<T>> Piecewise<T> for StoredList<S> {
    fn count(&self) -> u64 {
        self.stretch.length / self.spelling.width() as u64
    }

    fn open(&self, from: ListEnd) -> Box<dyn PieceReader<T> + '_> {
        let end = self.stretch.length - self.stretch.length % self.spelling.width() as u64;
        Box::new(StoredReader { of: self, from, left: 0..end, buffer: Vec::new() })
    }
}

struct StoredReader<'s, S> {
    of: &'s StoredList<S>,
    from: ListEnd,
    left: std::ops::Range<u64>,
    buffer: Vec<u8>,
}

impl<T: ListItem, S: ItemEncoding<T>> PieceReader<T> for StoredReader<'_, S> {
    fn next(&mut self, piece: &mut Vec<T>) -> Result<bool, Error> {
        piece.clear();
        let most = PIECE - PIECE % self.of.spelling.width();
        let length = (self.left.end - self.left.start).min(most as u64);
        if length == 0 {
            return Ok(false);
        }
        let at = match self.from {
            ListEnd::Front => self.left.start,
            ListEnd::Back => self.left.end - length,
        };
        self.buffer.resize(length as usize, 0);
        self.of.stretch.fill(&mut self.buffer, at)?;
        self.of.spelling.read(&self.buffer, piece);
        match self.from {
            ListEnd::Front => self.left.start += length,
            ListEnd::Back => {
                self.left.end = at;
                piece.reverse();
            }
        }
        Ok(true)
    }
}
