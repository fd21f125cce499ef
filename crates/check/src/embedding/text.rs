//! Texts of a limited length.

use std::io::{self, Write};

use serde::Serialize;

use heapsmith_core::error::Error;

/// A text that is being written, of at most a number of bytes.
pub(super) struct BoundedText {
    bytes: Vec<u8>,
    most: usize,
}

impl BoundedText {
    pub(super) fn new(most: usize) -> BoundedText {
        BoundedText { bytes: Vec::new(), most }
    }

    /// A value as JSON, without an end of line.
    ///
    /// # Errors
    /// If it is longer than that.
    pub(super) fn json(value: &impl Serialize, most: usize) -> Result<Vec<u8>, Error> {
        let mut text = BoundedText::new(most);
        serde_json::to_writer(&mut text, value).map_err(|e| Error::io("writing JSON", e.into()))?;
        Ok(text.bytes)
    }

    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }
}

impl Write for BoundedText {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if bytes.len() > self.most - self.bytes.len() {
            let message = format!("the text has more than {} bytes; allow more", self.most);
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, message));
        }
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Bytes, if they are not more than `most`.
///
/// # Errors
/// If they are.
pub(super) fn within(bytes: &[u8], most: usize) -> Result<Vec<u8>, Error> {
    match bytes.len() <= most {
        true => Ok(bytes.to_vec()),
        false => Err(Error::Usage(format!("the dump has {} bytes, and {most} are allowed", bytes.len()))),
    }
}
