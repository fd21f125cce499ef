//! Names as the JVM stores them.

use std::fmt;

use crate::bytes::mutf8;

/// A name (of a class, field, thread, version ...) as raw modified-UTF-8 bytes.
///
/// Names stay bytes because a lone surrogate, which Java allows, cannot pass through `&str`
/// (The Java Virtual Machine Specification, 4.4.7).
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name(Vec<u8>);

impl Name {
    /// A name from the bytes of a dump, valid modified UTF-8 or not.
    pub fn from_bytes(bytes: impl Into<Vec<u8>>) -> Name {
        Name(bytes.into())
    }

    /// A name from text: NUL and supplementary characters take their modified-UTF-8 forms.
    pub fn from_text(text: &str) -> Name {
        Name(mutf8::encode(text))
    }

    /// Adds bytes at the end.
    pub fn append(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }

    /// The bytes as a dump holds them.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The name as text, or `None` if the bytes are not the modified UTF-8 of any text.
    pub fn to_text(&self) -> Option<String> {
        mutf8::decode(&self.0)
    }
}

impl From<&str> for Name {
    fn from(text: &str) -> Name {
        Name::from_text(text)
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.to_text() {
            Some(text) => {
                // Names may hold line breaks and control characters; a terminal gets neither.
                for c in text.chars() {
                    if c.is_control() { write!(f, "{}", c.escape_default())? } else { write!(f, "{c}")? }
                }
                Ok(())
            }
            None => self.0.escape_ascii().fmt(f),
        }
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\"", self.0.escape_ascii())
    }
}
