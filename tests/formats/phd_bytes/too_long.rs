//! Texts that are longer than the two bytes in front of them can say.

use std::borrow::Cow;

use heapsmith::error::{Error, LowerError};
use heapsmith::model::{Heap, Name};
use heapsmith::phd::record::{ClassRecord, Header, HeaderRecord, Record, StoredHash};
use heapsmith::phd::wire::Width;
use heapsmith::phd::{FileFlags, RecordLayout, Version, encode};
use heapsmith::{Format, read};
use pretty_assertions::assert_eq;

use super::dump::{gap, no_refs};

const LIMIT: usize = 65_535;

fn too_long(what: &'static str) -> LowerError {
    LowerError::TooLong { what, length: 65_536, unit: "bytes", limit: 65_535 }
}

fn class_named(name: &[u8]) -> Record<'_> {
    Record::Class(ClassRecord {
        flags: 0,
        gap: gap(Width::One, 2),
        instance_size: 8,
        hash: StoredHash::Absent,
        superclass: 0,
        name: Cow::Borrowed(name),
        references: no_refs(),
    })
}

#[test]
fn the_longest_class_name_is_written_and_a_longer_one_is_an_error_that_appends_nothing() {
    let layout = RecordLayout::new(Version::V6, FileFlags(4));
    let mut out = b"before".to_vec();
    encode::record(&mut out, layout, &class_named(&vec![b'A'; LIMIT])).expect("the longest name");
    let length = out.len();
    let error = encode::record(&mut out, layout, &class_named(&vec![b'A'; LIMIT + 1]));
    assert_eq!((error, out.len()), (Err(too_long("the class name")), length));
}

#[test]
fn a_version_text_that_is_too_long_is_an_error_that_appends_nothing() {
    let header = |length| Header {
        version: Version::V6,
        flags: FileFlags(4),
        records: vec![HeaderRecord::FullVersion(vec![b'1'; length])],
    };
    let mut out = b"before".to_vec();
    assert_eq!(encode::header(&mut out, &header(LIMIT + 1)), Err(too_long("the version text")));
    assert_eq!(out, b"before");
    encode::header(&mut out, &header(LIMIT)).expect("the longest text");
}

#[test]
fn a_heap_with_a_text_that_is_too_long_cannot_be_written() {
    let long = |length| Name::from_bytes(vec![b'A'; length]);
    let mut heap = Heap::random(7);
    // A class of which there are no arrays, which would need its name.
    let index = heap.classes.iter().position(|class| class.name == Name::from_text("pkg/EveryType")).expect("a class");
    heap.classes[index].name = long(LIMIT);
    let again = read(heap.write(Format::PHD6).expect("the longest name")).expect("a dump");
    assert!(again.classes.iter().any(|class| class.name == heap.classes[index].name));

    heap.classes[index].name = long(LIMIT + 1);
    let error = heap.write(Format::PHD6).expect_err("a longer name");
    let Error::Lower(LowerError::OutOfRange { what, value: 65_536, .. }) = error else { panic!("{error}") };
    assert_eq!(what, "the length of the class name");

    let mut heap = Heap::random(7);
    heap.facts.version_text = Some(long(LIMIT + 1));
    let error = heap.write(Format::PHD6).expect_err("a longer text");
    assert!(matches!(&error, Error::Lower(e) if *e == too_long("the version text")), "{error}");
}
