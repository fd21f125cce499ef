//! Errors of a heap file.

use std::fmt;

/// An error of a heap file at its place.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct HeapFileError {
    /// The line, from 1.
    pub line: u32,
    /// The column in characters, from 1.
    pub column: u32,
    /// The mistake: what was found and expected.
    pub message: String,
}

impl fmt::Display for HeapFileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message)
    }
}

/// The errors of a heap file, in the order of their places.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeapFileErrors {
    /// The name of the file; empty where it has none.
    pub file: String,
    /// At least one.
    pub errors: Vec<HeapFileError>,
    /// The number of those beyond the first hundred, which are not kept.
    pub more: u64,
}

impl HeapFileErrors {
    /// The error of bytes that are no text.
    pub fn of_bytes(bytes: &[u8]) -> Option<HeapFileErrors> {
        let sound = std::str::from_utf8(bytes).err()?.valid_up_to();
        let before = String::from_utf8_lossy(&bytes[..sound]);
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().map_or(0, |last| last.chars().count()) + 1;
        let found = bytes.get(sound).copied().unwrap_or_default();
        let message = format!("expected UTF-8, found the byte 0x{found:02x}");
        let error = HeapFileError { line: line as u32, column: column as u32, message };
        Some(error.into())
    }

    /// The errors with the name of their file.
    #[must_use]
    pub fn in_file(self, name: &str) -> HeapFileErrors {
        HeapFileErrors { file: name.to_owned(), ..self }
    }
}

impl From<HeapFileError> for HeapFileErrors {
    fn from(error: HeapFileError) -> HeapFileErrors {
        HeapFileErrors { file: String::new(), errors: vec![error], more: 0 }
    }
}

/// Each error in a line of its own, as `orders.kdl:7:31: no field "nxet"`.
impl fmt::Display for HeapFileErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, error) in self.errors.iter().enumerate() {
            let end_of_line = if number == 0 { "" } else { "\n" };
            let colon = if self.file.is_empty() { "" } else { ":" };
            write!(f, "{end_of_line}{}{colon}{error}", self.file)?;
        }
        match self.more {
            0 => Ok(()),
            more => write!(f, "\nand {more} more"),
        }
    }
}

impl std::error::Error for HeapFileErrors {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_place_of_first_byte_that_is_no_text() {
        let place = |bytes: &[u8]| HeapFileErrors::of_bytes(bytes).map(|errors| errors.in_file("a.kdl").to_string());
        assert_eq!(place("heap // Größe\n".as_bytes()), None);
        assert_eq!(place(b"\xff").as_deref(), Some("a.kdl:1:1: expected UTF-8, found the byte 0xff"));
        assert_eq!(place(b"heap\n// \xc3\xb6\xc3").as_deref(), Some("a.kdl:2:5: expected UTF-8, found the byte 0xc3"));
    }
}
