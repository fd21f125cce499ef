//! Dumps without the records that a reader passes over by their lengths.

use std::ops::Range;

use crate::family::case::Choice;

use super::Tag;

/// Kinds of records outside of the heap that a reader can pass over: each by the name that stands in the documents.
pub(crate) const KINDS: &[Choice] = &[
    Choice::new("unload-class", "UNLOAD CLASS"),
    Choice::new("stack-frame", "STACK FRAME"),
    Choice::new("stack-trace", "STACK TRACE"),
    Choice::new("alloc-sites", "ALLOC SITES"),
    Choice::new("heap-summary", "HEAP SUMMARY"),
    Choice::new("start-thread", "START THREAD"),
    Choice::new("end-thread", "END THREAD"),
    Choice::new("cpu-samples", "CPU SAMPLES"),
    Choice::new("control-settings", "CONTROL SETTINGS"),
];

/// Bytes of a record before its body.
const HEAD: usize = 9;

/// A dump from which records were taken out.
#[derive(Debug)]
pub(crate) struct ShortenedDump {
    /// The bytes that are left.
    pub(crate) bytes: Vec<u8>,
    /// The places of the bodies of the others.
    pub(crate) skipped: Vec<Range<u64>>,
}

/// Takes the records of some [`KINDS`] out of a decompressed dump, as far as records can be told by their lengths: one that goes
/// beyond the end of the file stays.
pub(crate) fn without_records(dump: &[u8], kinds: &[usize]) -> ShortenedDump {
    let named = |tag: Tag| tag.form().and_then(|form| KINDS.iter().position(|kind| kind.about == form.name));
    let mut left = ShortenedDump { bytes: Vec::with_capacity(dump.len()), skipped: Vec::new() };
    let header = dump.iter().position(|byte| *byte == 0).map_or(dump.len(), |end| (end + 13).min(dump.len()));
    left.bytes.extend_from_slice(&dump[..header]);
    let mut at = header;
    while let Some(head) = dump[at..].first_chunk::<HEAD>() {
        let [tag, .., a, b, c, d] = *head;
        let body = at + HEAD;
        let end = body.saturating_add(u32::from_be_bytes([a, b, c, d]) as usize);
        if end > dump.len() {
            break;
        }
        if named(Tag(tag)).is_some_and(|kind| kinds.contains(&kind)) {
            left.skipped.push(body as u64..end as u64);
        } else {
            left.bytes.extend_from_slice(&dump[at..end]);
        }
        at = end;
    }
    left.bytes.extend_from_slice(&dump[at..]);
    left
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
        let left = without_records(&dump, &[end_thread]);
        assert_eq!(left.bytes, [&header[..], text, cut].concat());
        let bodies: Vec<&[u8]> =
            left.skipped.iter().map(|span| &dump[span.start as usize..span.end as usize]).collect();
        assert_eq!(bodies, [&b"ab"[..], b"abcd"]);
        assert_eq!(without_records(&dump, &[]).bytes, dump);
        assert!(KINDS.iter().all(|kind| Tag::FORMS.iter().any(|form| form.name == kind.about)));
    }
}
