//! A comparison of bytes with an original, while they are written.

use std::fmt;
use std::io::{self, Read, Write};

use crate::error::Error;

/// Bytes of the original that are read at a time.
const PIECE: usize = 1 << 16;

/// A writer that fails at the first byte that differs from an original.
pub struct SameBytes {
    original: Box<dyn Read>,
    different: bool,
    piece: Vec<u8>,
}

impl fmt::Debug for SameBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SameBytes").field("different", &self.different).finish_non_exhaustive()
    }
}

impl SameBytes {
    /// Compares with what a reader gives.
    pub fn new(original: Box<dyn Read>) -> SameBytes {
        SameBytes { original, different: false, piece: Vec::new() }
    }

    /// Whether a byte was different.
    pub fn differs(&self) -> bool {
        self.different
    }

    /// Whether everything was the same, and the original has no more.
    ///
    /// # Errors
    /// If the original cannot be read.
    pub fn is_whole(&mut self) -> Result<bool, Error> {
        let mut one = [0];
        let read = self.original.read(&mut one).map_err(|e| Error::io("reading the dump again", e))?;
        Ok(!self.different && read == 0)
    }
}

impl Write for SameBytes {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let bytes = &bytes[..bytes.len().min(PIECE)];
        self.piece.resize(bytes.len(), 0);
        let same = match self.original.read_exact(&mut self.piece) {
            Ok(()) => self.piece == bytes,
            Err(e) if e.kind() == io::ErrorKind::UnexpectedEof => false,
            Err(e) => return Err(e),
        };
        if same {
            return Ok(bytes.len());
        }
        self.different = true;
        Err(io::Error::other("the dump differs"))
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
