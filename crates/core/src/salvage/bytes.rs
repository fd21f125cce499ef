//! A damaged dump's bytes at any place, a window of them in memory at a time.

use std::sync::Arc;

use crate::error::Error;
use crate::input::Input;
use crate::model::long::ReadAt;

/// Bytes that are read at a time.
const CHUNK: usize = 256 << 10;

/// The bytes of a dump, decompressed as far as they can be.
#[derive(Clone, Debug)]
pub(crate) struct DumpBytes {
    name: String,
    source: Arc<dyn ReadAt>,
    length: u64,
    buffer: Vec<u8>,
    /// The offset of the buffer's first byte.
    start: u64,
}

impl DumpBytes {
    /// The bytes of an input that is no compressed one.
    ///
    /// # Errors
    /// If it cannot be opened.
    pub(crate) fn new(input: &Input) -> Result<DumpBytes, Error> {
        let source =
            input.original().ok_or_else(|| Error::Usage(format!("{} cannot be read at any place", input.name())))?;
        Ok(DumpBytes { name: input.name().to_owned(), source, length: input.length(), buffer: Vec::new(), start: 0 })
    }

    /// The number of all bytes.
    pub(crate) fn length(&self) -> u64 {
        self.length
    }

    /// The bytes from an offset on: as many as are wanted, or fewer at the end of the dump.
    ///
    /// # Errors
    /// If the dump cannot be read.
    pub(crate) fn at(&mut self, offset: u64, wanted: usize) -> Result<&[u8], Error> {
        let wanted = wanted.min(usize::try_from(self.length.saturating_sub(offset)).unwrap_or(usize::MAX));
        let end = self.start + self.buffer.len() as u64;
        if offset < self.start || offset + wanted as u64 > end {
            self.fill(offset, wanted)?;
        }
        let first = (offset - self.start) as usize;
        Ok(&self.buffer[first..self.buffer.len().min(first + wanted)])
    }

    fn fill(&mut self, offset: u64, wanted: usize) -> Result<(), Error> {
        // Who goes backwards goes on.
        let begin = if offset < self.start { offset.saturating_sub((CHUNK / 2) as u64) } else { offset };
        let wanted = wanted + (offset - begin) as usize;
        let size = wanted.max(CHUNK).min(usize::try_from(self.length.saturating_sub(begin)).unwrap_or(usize::MAX));
        self.buffer.resize(size, 0);
        self.start = begin;
        let mut filled = 0;
        while filled < size {
            let read = self.source.read_at(&mut self.buffer[filled..], begin + filled as u64);
            match read {
                Ok(0) => break,
                Ok(count) => filled += count,
                Err(e) if e.kind() == std::io::ErrorKind::Interrupted => {}
                Err(e) => return Err(Error::io(format!("reading {}", self.name), e)),
            }
        }
        self.buffer.truncate(filled);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gives_bytes_at_any_place_and_fewer_at_the_end() {
        let all: Vec<u8> = (0..=255).cycle().take(3 * CHUNK).collect();
        let mut bytes = DumpBytes::new(&Input::from_memory("memory", all.clone())).expect("it is in memory");
        for offset in [0, CHUNK - 3, 5, 2 * CHUNK, 2 * CHUNK - 7, 3 * CHUNK - 4, 3 * CHUNK] {
            let there = &all[offset..(offset + 9).min(all.len())];
            assert_eq!(bytes.at(offset as u64, 9).expect("it can be read"), there);
        }
    }
}
