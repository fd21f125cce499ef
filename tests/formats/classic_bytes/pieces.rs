//! Windows that end anywhere, and records that are longer than a window.

use heapsmith::classic::{DecodeStep, Decoder};
use heapsmith::error::DecodeError;
use pretty_assertions::assert_eq;

use super::heap::{records, whole};
use super::slow::{Slow, behind_the_start, merged};

const ODD: &str = "\
// Version: x
0x00436E90 [28] OBJ java/lang/String
0x415319D8 0x00436EB0
0x00436EB0 [44] OBJ [C
0x41530F20 0x0 0x0000000000000001 0x00438130 [24] OBJ java/util/Hashtable$Entry
\t0x4158CB88\t0x004219B8  0x004341F0

 0x00000000 // no comment
// a comment
0x41532E68 [32] CLS line
break
/not yet
0 nor here\r
\t\r
// Breakdown - Classes: 1, Objects: 3, ObjectArrays: 0, PrimitiveArrays: 1

// EOF: Total 'Objects',Refs(null) : 6,2(3)
// after";

/// Readers that give 1, 2, 3 and 7 bytes at a time end a window at every byte.
#[test]
fn the_size_of_reads_does_not_matter() {
    let text = behind_the_start(ODD);
    let expected = merged(text.as_slice());
    assert_eq!(expected.2, format!("{} bytes", text.len()));
    assert!(expected.1 == text);
    assert_eq!(expected.0.len(), 66 + 10);
    for size in [1, 2, 3, 7, 1000] {
        assert!(merged(Slow(&text, size)) == expected, "{size} bytes at a time");
    }
}

#[test]
fn the_size_of_reads_does_not_matter_where_the_text_ends_early() {
    for length in 0..ODD.len() {
        let text = behind_the_start(&ODD[..length]);
        let expected = merged(text.as_slice());
        for size in [1, 7] {
            assert!(merged(Slow(&text, size)) == expected, "cut at {length}, {size} bytes at a time");
        }
    }
}

#[test]
fn the_size_of_reads_does_not_matter_where_the_text_is_damaged() {
    for at in 0..ODD.len() {
        for byte in *b"x[\n 0" {
            let mut damaged = ODD.as_bytes().to_vec();
            damaged[at] = byte;
            let text = behind_the_start(std::str::from_utf8(&damaged).expect("ASCII"));
            assert!(merged(Slow(&text, 1)) == merged(text.as_slice()), "{} at {at}", byte.escape_ascii());
        }
    }
}

/// Some 1.1 MB of references, in one line or in many.
fn long(in_a_line: usize) -> String {
    let mut text = "0x00001000 [8] OBJ [LA;\n".to_owned();
    for number in 0..100_000 {
        text += if number % in_a_line == 0 && number > 0 { "\n" } else { " " };
        text += &format!("0x{number:08X}");
    }
    // The last one of the line is the next record's address.
    text + " 0x00002000 [8] OBJ B\n\t0x00001000 \n// EOF: Total 'Objects',Refs(null) : 2,100001(1)\n"
}

#[test]
fn references_beyond_256_kib_come_in_pieces_that_are_all_of_them() {
    for in_a_line in [1, 7, 100_001] {
        let text = long(in_a_line);
        let mut pieces = 0;
        let mut decoder = Decoder::new(text.as_bytes()).expect("a classic heap dump");
        let ended = decoder.visit::<DecodeError, _>(|step| {
            let (at, references) = match step {
                DecodeStep::Record(at, heapsmith::classic::Record::Entry(entry)) => (at, entry.references),
                DecodeStep::More(at, references) => (at, references),
                DecodeStep::Record(..) => return Ok(()),
            };
            pieces += usize::from(at.open);
            assert!(references.text.len() < 1 << 19, "{} bytes at once", references.text.len());
            Ok(())
        });
        ended.expect("whole");
        assert!(pieces > 1, "{pieces}");
        let heap = whole(text.as_bytes());
        let found: Vec<u64> = heap.objects[0].references().map(|reference| reference.0).collect();
        assert!(found.into_iter().eq(0..100_000), "{in_a_line} in a line");
        assert_eq!(heap.objects[1].class_name.as_ref(), Some(&"B".into()));
        assert_eq!(heap.objects[1].references().count(), 1);
        let (found, _) = records(&mut Decoder::new(text.as_bytes()).expect("a dump"));
        let (line, column) = ((99_999 / in_a_line) + 2, (99_999 % in_a_line + 1) * 11 + 1);
        // The first line of references begins with a space, the others with none.
        let column = if in_a_line > 100_000 { column + 1 } else { column };
        assert!(found[1].starts_with(&format!("line {line}, column {column}: 2000 8 OBJ B")), "{}", found[1]);
        for size in [4096, 70_001] {
            assert!(merged(Slow(text.as_bytes(), size)) == merged(text.as_bytes()), "{size}");
        }
    }
}

#[test]
fn a_class_with_references_in_pieces_has_them_all() {
    let text = long(50).replacen("OBJ [LA;", "CLS A", 1);
    let heap = whole(text.as_bytes());
    assert_eq!(heap.classes[0].references.as_ref().map(Vec::len), Some(100_000));
    assert_eq!(heap.objects.len(), 1);
}
