//! Mistakes of a heap file, as they are found.

use crate::error::{HeapFileError, HeapFileErrors};

/// The most mistakes that are kept.
const MOST: usize = 100;

/// Mistakes as they are found, by their byte offsets.
#[derive(Debug, Default)]
pub(super) struct ProblemList {
    found: Vec<(usize, String)>,
    more: u64,
}

impl ProblemList {
    /// Notes a mistake at an offset. Turns of a repeat have one mistake in common.
    pub(super) fn add(&mut self, offset: usize, message: impl Into<String>) {
        let message = message.into();
        if self.found.iter().any(|(at, known)| *at == offset && is_alike(known, &message)) {
            return;
        }
        match self.found.len() < MOST {
            true => self.found.push((offset, message)),
            false => self.more += 1,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// The mistakes with their lines and columns in the text.
    pub(super) fn into_errors(mut self, text: &str) -> HeapFileErrors {
        self.found.sort();
        let lines = LineStarts::new(text);
        let place = |(offset, message): (usize, String)| {
            let (line, column) = lines.place(offset);
            HeapFileError { line, column, message }
        };
        HeapFileErrors { file: String::new(), errors: self.found.into_iter().map(place).collect(), more: self.more }
    }
}

/// The lines of a text.
#[derive(Debug)]
pub(super) struct LineStarts<'t> {
    text: &'t str,
    /// The offset of each.
    starts: Vec<usize>,
}

impl LineStarts<'_> {
    pub(super) fn new(text: &str) -> LineStarts<'_> {
        LineStarts { text, starts: std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect() }
    }

    /// The line and column of an offset, from 1; the column is counted in characters.
    pub(super) fn place(&self, offset: usize) -> (u32, u32) {
        let mut offset = offset.min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        let line = self.starts.partition_point(|start| *start <= offset);
        let column = self.text[self.starts[line - 1]..offset].chars().count() + 1;
        (line as u32, column as u32)
    }
}

/// Whether two messages differ in numbers alone.
fn is_alike(one: &str, other: &str) -> bool {
    let letters = |text: &str| text.chars().filter(|letter| !letter.is_ascii_digit()).collect::<String>();
    letters(one) == letters(other)
}
