//! A sliding window over a stream: bounded reads, never a memory map.

use std::io::{self, Read};

/// The bytes of a stream that have been read and not yet been consumed.
///
/// Memory is the largest stretch that a caller needs at once, doubled at most: the window grows only
/// when bytes to fill it were really there, never by a length that a file claims.
#[derive(Debug)]
pub struct Window<R> {
    source: R,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    /// Offset of `start` in the stream.
    offset: u64,
    ended: bool,
    /// The most bytes that `buffer` may hold.
    limit: u64,
}

/// Large enough that system calls do not matter (64 to 256 KiB, measured), small enough for a cache.
const INITIAL: usize = 128 * 1024;

impl<R: Read> Window<R> {
    /// A window at the start of a stream.
    pub fn new(source: R) -> Window<R> {
        Window { source, buffer: Vec::new(), start: 0, end: 0, offset: 0, ended: false, limit: u64::MAX }
    }

    /// A window over a stream that begins at this offset.
    pub(crate) fn with_offset(source: R, offset: u64) -> Window<R> {
        Window { offset, ..Window::new(source) }
    }

    /// Lets the window grow to this many bytes and no further.
    pub(crate) fn limit(&mut self, bytes: u64) {
        self.limit = bytes.max(INITIAL as u64);
    }

    /// The bytes that the window needs for one more read and the limit, if it needs more than that.
    pub(crate) fn beyond_limit(&self) -> Option<(u64, u64)> {
        let wanted = self.buffer.len() as u64 * 2;
        let is_full = self.start == 0 && self.end == self.buffer.len();
        (is_full && !self.ended && wanted > self.limit).then_some((wanted, self.limit))
    }

    /// The bytes at hand.
    #[inline]
    pub fn bytes(&self) -> &[u8] {
        &self.buffer[self.start..self.end]
    }

    /// Offset of the first byte at hand.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Drops bytes from the front.
    ///
    /// # Panics
    /// If fewer are at hand: a caller consumes only what it was given.
    pub fn consume(&mut self, count: usize) {
        assert!(count <= self.end - self.start, "consumed more than the window holds");
        self.start += count;
        self.offset += count as u64;
    }

    /// Reads more bytes after those at hand. `false` at the end of the stream.
    ///
    /// # Errors
    /// The error of the stream; an interrupted read is repeated.
    pub fn fill(&mut self) -> io::Result<bool> {
        if self.ended {
            return Ok(false);
        }
        if self.start > 0 {
            self.buffer.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
        }
        if self.end == self.buffer.len() {
            self.buffer.resize((self.buffer.len() * 2).max(INITIAL), 0);
        }
        loop {
            match self.source.read(&mut self.buffer[self.end..]) {
                Ok(0) => {
                    self.ended = true;
                    return Ok(false);
                }
                Ok(count) => {
                    self.end += count;
                    return Ok(true);
                }
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(e),
            }
        }
    }

    /// Whether the stream is known to hold nothing more.
    pub fn has_ended(&self) -> bool {
        self.ended
    }

    /// The stream itself.
    pub fn source(&self) -> &R {
        &self.source
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives one byte at a time, with interruptions.
    struct InterruptedReads(Vec<u8>, bool);

    impl Read for InterruptedReads {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.1 = !self.1;
            if self.1 {
                return Err(io::ErrorKind::Interrupted.into());
            }
            if self.0.is_empty() {
                return Ok(0);
            }
            buffer[0] = self.0.remove(0);
            Ok(1)
        }
    }

    #[test]
    fn a_trickle_with_interruptions_gives_every_byte_once() {
        let mut window = Window::new(InterruptedReads((0..=255).collect(), false));
        let mut seen = Vec::new();
        while window.fill().expect("interruptions are not errors") {
            assert_eq!(window.offset(), seen.len() as u64);
            seen.extend_from_slice(window.bytes());
            window.consume(window.bytes().len());
        }
        assert_eq!(seen, (0..=255).collect::<Vec<u8>>());
        assert!(!window.fill().expect("the end stays the end"));
    }
}
