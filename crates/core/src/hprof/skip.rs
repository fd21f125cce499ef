//! Dumps without the records that a reader passes over by their lengths.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::ops::Range;

use crate::family::case::ReadingChoice;

use super::RecordTag;

/// Kinds of records outside of the heap that a reader can pass over: each by the name that stands in the documents.
#[doc(hidden)]
pub const KINDS: &[ReadingChoice] = &[
    ReadingChoice::new("unload-class", "UNLOAD CLASS"),
    ReadingChoice::new("stack-frame", "STACK FRAME"),
    ReadingChoice::new("stack-trace", "STACK TRACE"),
    ReadingChoice::new("alloc-sites", "ALLOC SITES"),
    ReadingChoice::new("heap-summary", "HEAP SUMMARY"),
    ReadingChoice::new("start-thread", "START THREAD"),
    ReadingChoice::new("end-thread", "END THREAD"),
    ReadingChoice::new("cpu-samples", "CPU SAMPLES"),
    ReadingChoice::new("control-settings", "CONTROL SETTINGS"),
];

/// Bytes of a header after its text: the size of identifiers, and the time.
const AFTER_TEXT: u64 = 12;
/// Bytes of a record before its body.
const HEAD: usize = 9;
/// Bytes that are read at a time.
const CHUNK: usize = 64 << 10;

/// Writes a decompressed dump of `length` bytes without the records of some [`KINDS`], and calls `skipped` with the places of their
/// bodies. Records are told by their lengths: one that goes beyond the end of the dump stays, and so does all that follows it.
///
/// # Errors
/// If the dump cannot be read, or the rest of it written.
#[doc(hidden)]
pub fn write_without_records(
    dump: &mut dyn Read,
    length: u64,
    kinds: &[usize],
    out: &mut dyn Write,
    skipped: &mut dyn FnMut(Range<u64>),
) -> io::Result<()> {
    let named = |tag: RecordTag| tag.form().and_then(|form| KINDS.iter().position(|kind| kind.about == form.name));
    let mut dump = BufReader::with_capacity(CHUNK, dump);
    let mut at = copy_text(&mut dump, out)?;
    at += io::copy(&mut dump.by_ref().take(AFTER_TEXT), out)?;
    loop {
        let mut head = Vec::with_capacity(HEAD);
        dump.by_ref().take(HEAD as u64).read_to_end(&mut head)?;
        let Ok([tag, .., a, b, c, d]) = <[u8; HEAD]>::try_from(&head[..]) else { return out.write_all(&head) };
        let body = at + HEAD as u64;
        let end = body + u64::from(u32::from_be_bytes([a, b, c, d]));
        if end > length {
            out.write_all(&head)?;
            return io::copy(&mut dump, out).map(drop);
        }
        if named(RecordTag(tag)).is_some_and(|kind| kinds.contains(&kind)) {
            io::copy(&mut dump.by_ref().take(end - body), &mut io::sink())?;
            skipped(body..end);
        } else {
            out.write_all(&head)?;
            io::copy(&mut dump.by_ref().take(end - body), out)?;
        }
        at = end;
    }
}

/// Copies the text of a header with the zero byte after it, and returns its length.
fn copy_text(dump: &mut dyn BufRead, out: &mut dyn Write) -> io::Result<u64> {
    let mut copied = 0;
    loop {
        let bytes = dump.fill_buf()?;
        let zero = bytes.iter().position(|byte| *byte == 0);
        let count = zero.map_or(bytes.len(), |zero| zero + 1);
        out.write_all(&bytes[..count])?;
        copied += count as u64;
        dump.consume(count);
        if zero.is_some() || count == 0 {
            return Ok(copied);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_out_whole_records_of_a_kind() {
        let header = b"JAVA PROFILE 1.0.2\0\0\0\0\x04\0\0\0\0\0\0\0\0";
        // END THREAD with 2 of 4 bytes, a string, END THREAD, and one whose length goes beyond the end.
        let short = b"\x0b\0\0\0\0\0\0\0\x02ab";
        let text = b"\x01\0\0\0\0\0\0\0\x05\0\0\0\x01A";
        let whole = b"\x0b\0\0\0\0\0\0\0\x04abcd";
        let cut = b"\x0b\0\0\0\0\0\0\0\x04ab";
        let dump = [&header[..], short, text, whole, cut].concat();
        let end_thread = KINDS.iter().position(|kind| kind.name == "end-thread").expect("a kind");
        let without = |kinds: &[usize]| {
            let (mut left, mut bodies) = (Vec::new(), Vec::new());
            let mut skipped = |body: Range<u64>| bodies.push(dump[body.start as usize..body.end as usize].to_vec());
            let length = dump.len() as u64;
            write_without_records(&mut &dump[..], length, kinds, &mut left, &mut skipped).expect("in memory");
            (left, bodies)
        };
        let (left, bodies) = without(&[end_thread]);
        assert_eq!(left, [&header[..], text, cut].concat());
        assert_eq!(bodies, [&b"ab"[..], b"abcd"]);
        assert_eq!(without(&[]).0, dump);
        assert!(KINDS.iter().all(|kind| RecordTag::FORMS.iter().any(|form| form.name == kind.about)));
    }
}
