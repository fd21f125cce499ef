//! Reading at a position.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::sync::Arc;

use super::chosen::read_at;

/// A reader of an open file with a position of its own, so that several can read it, whatever its name leads to by now;
/// up to a length.
#[derive(Clone, Debug)]
#[doc(hidden)]
pub struct Positioned {
    file: Arc<File>,
    at: u64,
    length: u64,
}

impl Positioned {
    /// Reads the first `length` bytes of a file, from its start.
    pub fn new(file: Arc<File>, length: u64) -> Positioned {
        Positioned { file, at: 0, length }
    }
}

impl Read for Positioned {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = self.length.saturating_sub(self.at);
        let wanted = usize::try_from(left).unwrap_or(usize::MAX).min(buffer.len());
        let read = read_at(&self.file, &mut buffer[..wanted], self.at)?;
        self.at += read as u64;
        Ok(read)
    }
}

impl Seek for Positioned {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let (from, by) = match to {
            SeekFrom::Start(at) => (at, 0),
            SeekFrom::Current(by) => (self.at, by),
            SeekFrom::End(by) => (self.length, by),
        };
        self.at = from.checked_add_signed(by).ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.at)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn readers_of_one_file_do_not_disturb_each_other_and_end_at_the_length() {
        let mut file = tempfile::tempfile().expect("there is room for a file");
        file.write_all(b"0123456789").expect("there is room");
        let mut one = Positioned::new(Arc::new(file), 8);
        let mut two = one.clone();
        let mut text = String::new();
        two.seek(SeekFrom::End(-3)).expect("it lies within");
        one.read_to_string(&mut text).expect("a file");
        assert_eq!(text, "01234567");
        text.clear();
        two.read_to_string(&mut text).expect("a file");
        assert_eq!(text, "567");
        assert!(two.seek(SeekFrom::Current(-9)).is_err());
    }
}
