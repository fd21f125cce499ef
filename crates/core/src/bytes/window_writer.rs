//! A writer that passes on one range of offsets.

use std::io::{self, Write};
use std::ops::Range;

/// Passes on the bytes of a window of offsets, and counts all that is written.
#[derive(Debug)]
pub struct WindowWriter<W> {
    out: W,
    window: Range<u64>,
    offset: u64,
}

impl<W: Write> WindowWriter<W> {
    /// A writer of which the bytes of these offsets go to `out`.
    pub fn new(out: W, window: Range<u64>) -> WindowWriter<W> {
        WindowWriter { out, window, offset: 0 }
    }

    /// Bytes so far.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// The number of pieces before the window, and the number after it, of the next `count` pieces of one size.
    pub fn beyond(&self, count: u64, size: u64) -> (u64, u64) {
        let size = size.max(1);
        let before = (self.window.start.saturating_sub(self.offset) / size).min(count);
        let up_to_end = self.window.end.saturating_sub(self.offset).div_ceil(size);
        (before, (count - before).min(count.saturating_sub(up_to_end)))
    }

    /// Counts bytes that are not in the window as written.
    pub fn skip(&mut self, bytes: u64) {
        self.offset += bytes;
    }
}

impl<W: Write> Write for WindowWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let length = bytes.len() as u64;
        let place = |offset: u64| offset.saturating_sub(self.offset).min(length) as usize;
        let (start, end) = (place(self.window.start), place(self.window.end));
        if start < end {
            self.out.write_all(&bytes[start..end])?;
        }
        self.offset += length;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
