//! Byte maps of dumps that cannot be read to their end: every byte up to the error, and the field at which reading stops.

use heapsmith::annotation::Annotation;
use heapsmith::corpus::cases;
use heapsmith::error::Error;
use heapsmith::format::DumpFile;
use heapsmith::hprof::ReadOptions;
use heapsmith::input::Input;
use hex_literal::hex;
use pretty_assertions::assert_eq;

/// A field: its offset, its name, how many bytes it has, and the rule at which reading stops.
type Field = (u64, &'static str, usize, Option<&'static str>);

fn map(bytes: &[u8]) -> (Vec<Field>, Result<(), Error>) {
    let mut fields = Vec::new();
    let dump =
        DumpFile::new(Input::from_memory("dump", bytes.to_vec()), ReadOptions::default()).expect("memory can be read");
    let ended = dump.annotate(&mut |field: Annotation<'_>| {
        fields.push((field.offset, field.name, field.bytes.len(), field.breaks.map(|rule| rule.0)));
        Ok(())
    });
    (fields, ended)
}

/// The fields, from the one with this number on.
fn from(number: usize, bytes: &[u8]) -> Vec<Field> {
    map(bytes).0.split_off(number)
}

#[test]
fn maps_every_byte_before_error_in_every_corpus_case() {
    let mut broken = 0;
    for case in cases().expect("recipes") {
        let (fields, ended) = map(&case.bytes);
        let mut next = 0;
        for (offset, name, length, _) in &fields {
            assert_eq!(*offset, next, "{}: {name}", case.id);
            next += *length as u64;
        }
        let marked: Vec<&str> = fields.iter().filter_map(|field| field.3).collect();
        match ended {
            Ok(()) => assert!(marked.is_empty(), "{}: {marked:?}", case.id),
            Err(Error::Decode(error)) => {
                assert_eq!(marked, [error.rule().0], "{}", case.id);
                assert_eq!(fields.last().and_then(|field| field.3), Some(error.rule().0), "{}", case.id);
                assert!(error.offset() <= next, "{}: {error}", case.id);
                broken += 1;
            }
            Err(error) => panic!("{}: {error}", case.id),
        }
    }
    assert!(broken > 50, "{broken}");
}

const PHD: &[u8] = &hex!("0012 706f727461626c652068656170206475 6d70 00000006 00000004 01 02 02");

#[test]
fn a_phd_is_mapped_up_to_the_field_at_which_reading_stops() {
    let records = |bytes: &[u8]| from(7, &[PHD, bytes].concat());
    // A medium object without references, then a tag that is reserved.
    assert_eq!(
        records(&hex!("40 04 00000001 09 ffff")),
        [
            (31, "tag", 1, None),
            (32, "gap", 1, None),
            (33, "class word", 4, None),
            (37, "tag", 1, Some("phd.record.tag")),
        ]
    );
    // The data end inside the class word.
    assert_eq!(
        records(&hex!("40 04 0000")),
        [(31, "tag", 1, None), (32, "gap", 1, None), (33, "class word", 2, Some("phd.file.truncated"))]
    );
    // The end tag is missing.
    assert_eq!(records(&[]), [(31, "tag", 0, Some("phd.body.end-tag"))]);
}

#[test]
fn a_header_that_cannot_be_read_is_mapped_too() {
    let mut version = PHD.to_vec();
    version[0x17] = 7;
    let magic = [(0, "magic length", 2, None), (2, "magic", 18, None)];
    assert_eq!(from(0, &version), [magic[0], magic[1], (20, "version", 4, Some("phd.header.version"))]);
    assert_eq!(from(0, &PHD[..22]), [magic[0], magic[1], (20, "version", 2, Some("phd.file.truncated"))]);
    // What is no dump at all.
    assert_eq!(from(0, b"hello, world"), [(0, "magic", 12, Some("phd.header.magic"))]);
    assert_eq!(
        from(0, b"JAVA PROFILE 1.0.2\0\0\0\0\x03"),
        [
            (0, "magic", 13, None),
            (13, "version", 5, None),
            (18, "end of text", 1, None),
            (19, "size of identifiers", 4, Some("hprof.header.id-size")),
        ]
    );
}

#[test]
fn an_hprof_dump_is_mapped_up_to_the_field_at_which_reading_stops() {
    let records =
        |bytes: &[u8]| from(6, &[&b"JAVA PROFILE 1.0.2\0"[..], &hex!("00000004 00000000 00000000"), bytes].concat());
    // A STRING record that states one byte more than there is.
    assert_eq!(
        records(&hex!("01 00000000 00000006 00000001 41")),
        [
            (31, "tag", 1, None),
            (32, "time", 4, None),
            (36, "length", 4, None),
            (40, "string id", 4, None),
            (44, "string", 1, None),
            (45, "body", 0, Some("hprof.file.truncated")),
        ]
    );
    let segment = [(31, "tag", 1, None), (32, "time", 4, None), (36, "length", 4, None)];
    // An array of a type that there is not.
    assert_eq!(
        records(&hex!("1c 00000000 0000000e 23 00000001 00000000 00000000 03")),
        [
            &segment[..],
            &[
                (40, "sub-record tag", 1, None),
                (41, "array object id", 4, None),
                (45, "stack trace serial number", 4, None),
                (49, "number of elements", 4, None),
                (53, "element type", 1, Some("hprof.type.code")),
            ]
        ]
        .concat()
    );
    // A root that goes on where its segment has ended; what follows is another record's.
    assert_eq!(
        records(&hex!("1c 00000000 00000003 05 0000 2c 00000000 00000000")),
        [&segment[..], &[(40, "sub-record tag", 1, None), (41, "object id", 2, Some("hprof.sub-record.overrun"))]]
            .concat()
    );
}

#[test]
fn classic_text_is_mapped_up_to_the_part_at_which_reading_stops() {
    let start = [(0, "version", 13, None), (13, "line end", 1, None)];
    let entry =
        |rest: &[Field]| [&start[..], &[(14, "address", 10, None), (24, "white space", 1, None)], rest].concat();
    assert_eq!(
        map(b"// Version: x\n0x00001000 [16] OBX A\n\t\n").0,
        entry(&[
            (25, "size", 4, None),
            (29, "white space", 1, None),
            (30, "record type", 3, Some("classic.record.type")),
        ])
    );
    assert_eq!(
        map(b"// Version: x\n0x00001000 [16] OBJ A\n\t0x00001000 what\n").0,
        entry(&[
            (25, "size", 4, None),
            (29, "white space", 1, None),
            (30, "record type", 3, None),
            (33, "white space", 1, None),
            (34, "type", 1, None),
            (35, "white space", 2, None),
            (37, "reference", 10, None),
            (47, "white space", 1, None),
            (48, "reference", 4, Some("classic.record.start")),
        ])
    );
    assert_eq!(from(0, b"what is this"), [(0, "magic", 12, Some("phd.header.magic"))]);
}
