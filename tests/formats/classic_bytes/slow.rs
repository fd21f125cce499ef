//! Streams that give a few bytes at a time.

use std::io::Read;

use heapsmith::classic::{DecodeStep, Decoder, encode};
use heapsmith::error::DecodeError;

/// Gives at most this many bytes at once.
pub(crate) struct Slow<'a>(pub(crate) &'a [u8], pub(crate) usize);

impl Read for Slow<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = self.0.len().min(self.1).min(buffer.len());
        buffer[..count].copy_from_slice(&self.0[..count]);
        self.0 = &self.0[count..];
        Ok(count)
    }
}

/// The start is read at once, to tell the encoding: so much of a comment puts all else after it.
pub(crate) fn behind_the_start(text: &str) -> Vec<u8> {
    let comments = format!("//{}\n", "x".repeat(997)).repeat(66);
    [comments.as_bytes(), text.as_bytes()].concat()
}

/// Every record with its place, and with all its references; the text that the pieces make; how it ended.
pub(crate) fn merged(source: impl Read) -> (Vec<String>, Vec<u8>, String) {
    let mut decoder = Decoder::new(source).expect("a classic heap dump");
    let (mut records, mut text) = (Vec::<(String, Vec<u64>)>::new(), Vec::new());
    let ended = decoder.visit::<DecodeError, _>(|step| {
        assert_eq!(
            text.len() as u64,
            match step {
                DecodeStep::Record(at, _) | DecodeStep::More(at, _) => at.offset,
            }
        );
        match step {
            DecodeStep::Record(at, record) => {
                encode::record(&mut text, &record);
                let (head, references) = match record {
                    heapsmith::classic::Record::Entry(entry) => {
                        let head = (entry.address, entry.size, entry.kind, entry.name.escape_ascii().to_string());
                        (format!("{head:?}"), entry.references.values.to_vec())
                    }
                    other => {
                        let parts: Vec<_> =
                            other.parts().into_iter().map(|(name, bytes)| (name, bytes.len())).collect();
                        (format!("{parts:?}"), Vec::new())
                    }
                };
                records.push((format!("{} {} {} {head}", at.index, at.offset, at.position), references));
            }
            DecodeStep::More(_, references) => {
                encode::references(&mut text, &references);
                records.last_mut().expect("a record").1.extend(references.values);
            }
        }
        Ok(())
    });
    let ended = match ended {
        Ok(length) => format!("{length} bytes"),
        Err(e) => e.to_string(),
    };
    (records.into_iter().map(|(head, references)| format!("{head} {references:?}")).collect(), text, ended)
}
