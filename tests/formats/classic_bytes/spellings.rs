//! Text that no writer makes and a tolerant reader takes.

use heapsmith::bytes::ebcdic::MappedStream;
use heapsmith::classic::{DecodeStep, Decoder, Encoding, encode};
use heapsmith::error::DecodeError;
use heapsmith::model::{Contents, WordSize};
use pretty_assertions::assert_eq;

use super::heap::{read, records, whole};

const END: &str = "// EOF: Total 'Objects',Refs(null) : 1,2(0)\n";

/// The records of a text, without their places.
fn told(text: &[u8]) -> Vec<String> {
    let (found, ended) = records(&mut Decoder::new(text).expect("a classic heap dump"));
    assert_eq!(ended.expect("whole"), text.len() as u64, "{}", text.escape_ascii());
    found.into_iter().map(|line| line.split_once(": ").expect("a place").1.to_owned()).collect()
}

/// Bytes through records.
fn again(text: &[u8]) -> Vec<u8> {
    let mut decoder = Decoder::new(text).expect("a classic heap dump");
    let mut out = Vec::new();
    let ended = decoder.visit::<DecodeError, _>(|step| {
        let start = out.len();
        let at = match step {
            DecodeStep::Record(at, record) => {
                encode::record(&mut out, &record);
                at
            }
            DecodeStep::More(at, references) => {
                encode::references(&mut out, &references);
                at
            }
        };
        assert_eq!((at.offset as usize, at.bytes), (start, &out[start..]));
        Ok(())
    });
    ended.expect("whole");
    let mut bytes = Vec::new();
    let mut mapped = MappedStream::new(&mut bytes, decoder.encoding().inverse());
    std::io::Write::write_all(&mut mapped, &out).expect("memory");
    bytes
}

#[test]
fn ignores_white_space_and_case_of_digits() {
    for record in [
        "0x10aF [24] OBJ A\n\t0x10 0x20 \n",
        "0x10AF [24] OBJ A\n0x10\n0x20\n",
        "0x10af\t[24]\tOBJ\tA\n\t\t0x10\t0x20\t\n",
        "0x10aF   [24]  \t OBJ    A   \n   0x10    0x20\n\n\n",
        "0x000010AF [0024] OBJ A\n0x00000010 0x00000020\n",
        "0x00000000000010AF [24] OBJ A\n0x0000000000000010 0x0000000000000020\n",
        "0x000000000000000000000010AF [24] OBJ A\n0x00000000000000000000000000010 0x20\n",
        "0X10AF [24] OBJ A\n0X10 0X20\n",
        "0x10AF [24] OBJ A\r\n\t0x10 0x20 \r\n",
        "0x10AF[24]OBJ A\n0x10 0x20\n",
        "0x10aF [24] OBJ A\n\n\n0x10\n\n\n0x20\n",
        "0x10AF [24] OBJ A \t \n0x10 0x20\n",
        "0x10AF [24] OBJ \rA\n0x10 0x20\n",
        "0x10AF [24] OBJ\r \r\tA \r\n0x10 0x20\r\n",
    ] {
        let text = format!("{record}{END}");
        assert_eq!(told(text.as_bytes()), ["10af 24 OBJ A 10 20", "totals 1 2 0"], "{text:?}");
        assert!(again(text.as_bytes()) == text.as_bytes());
    }
}

#[test]
fn nulls_have_any_number_of_digits() {
    let text = format!("0x10 [8] CLS A\n\t0x0 0x00000000 0x0000000000000000 0x00 0x000000000000000000000\n{END}");
    assert_eq!(told(text.as_bytes())[0], "10 8 CLS A 0 0 0 0 0");
    let text = format!("0x10 [8] CLS A\n\t0xFFFFFFFF 0xffffffffffffffff 0x123456789aBcDeF0\n{END}");
    assert_eq!(told(text.as_bytes())[0], "10 8 CLS A ffffffff ffffffffffffffff 123456789abcdef0");
}

#[test]
fn comments_stand_anywhere_between_records() {
    let text = format!("//\n// Hello\n0x10 [8] OBJ A\n\t0x10 \n//x\n//  y  \n0x20 [8] OBJ B\n//z\n{END}// ending\n//");
    assert_eq!(
        told(text.as_bytes()),
        [
            "comment ",
            "comment Hello",
            "10 8 OBJ A 10",
            "comment x",
            "comment y  ",
            "20 8 OBJ B",
            "comment z",
            "totals 1 2 0",
            "comment ending",
            "comment "
        ]
    );
    assert!(again(text.as_bytes()) == text.as_bytes());
}

#[test]
fn the_last_line_need_not_end() {
    let text = format!("0x10 [8] OBJ A\n\t0x10 \n{}", END.trim_end());
    assert_eq!(told(text.as_bytes()), ["10 8 OBJ A 10", "totals 1 2 0"]);
    for after in [" ", "\t \n\n ", "\r\n\r\n"] {
        let text = format!("{text}{after}");
        assert_eq!(told(text.as_bytes()).len(), 2);
    }
}

#[test]
fn trailers_are_known_by_their_words_not_their_spaces() {
    for (line, expected) in [
        ("// Breakdown - Classes: 1, Objects: 2, ObjectArrays: 3, PrimitiveArrays: 4", "breakdown 1 2 3 4"),
        ("//Breakdown-Classes:1,Objects:2,ObjectArrays:3,PrimitiveArrays:4", "breakdown 1 2 3 4"),
        ("//  Breakdown  -\tClasses : 1 , Objects : 2 , ObjectArrays : 3 , PrimitiveArrays : 4  ", "breakdown 1 2 3 4"),
        ("// EOF:  Total 'Objects',Refs(null) : 1,2(3)", "totals 1 2 3"),
        ("// EOF: Total 'Objects',Refs(null) :1,2(3)", "totals 1 2 3"),
        ("//EOF : Total 'Objects' , Refs(null) : 1 , 2 ( 3 ) ", "totals 1 2 3"),
        ("// EOF: Total 'Objects',Refs(null) : 18446744073709551615,2(3)", "totals 18446744073709551615 2 3"),
    ] {
        let text = format!("{line}\n{END}");
        assert_eq!(told(text.as_bytes())[0], expected, "{line}");
        assert!(again(text.as_bytes()) == text.as_bytes());
    }
}

#[test]
fn a_byte_order_mark_is_white_space() {
    let text = format!("\u{feff}// Version: x\n0x10 [8] OBJ A\n\t\n{END}");
    assert_eq!(told(text.as_bytes()), ["space", "version x", "10 8 OBJ A", "totals 1 2 0"]);
    assert!(again(text.as_bytes()) == text.as_bytes());
    let text = format!("\u{feff}\r\n 0x10 [8] OBJ A\r\n\t\r\n{END}");
    let (found, ended) = records(&mut Decoder::new(text.as_bytes()).expect("a dump"));
    assert!(ended.is_ok());
    // Columns count bytes: the record is the second of its line.
    assert_eq!(found[1], "line 2, column 2: 10 8 OBJ A");
}

/// A line break inside a type is part of it, where the next line begins like nothing that is known.
#[test]
fn counts_line_breaks_inside_type() {
    let text = format!("0x10 [8] OBJ A\nB\nC\n\t0x10 \n0x20 [8] OBJ D\n\t\n{END}");
    let (found, ended) = records(&mut Decoder::new(text.as_bytes()).expect("a dump"));
    assert!(ended.is_ok());
    assert_eq!(found[0], "line 1, column 1: 10 8 OBJ A\\nB\\nC 10");
    assert_eq!(found[1], "line 5, column 1: 20 8 OBJ D");
}

#[test]
fn infers_word_size_from_first_record() {
    for (digits, expected) in
        [("0x00001000", Some(WordSize::Bits32)), ("0x0000000000001000", Some(WordSize::Bits64)), ("0x1000", None)]
    {
        let text = format!("{digits} [8] OBJ A\n\t\n0x0000000000002000 [8] OBJ A\n\t\n{END}");
        assert_eq!(whole(text.as_bytes()).facts.word_size, expected);
    }
}

#[test]
fn references_of_a_primitive_array_are_kept() {
    let text = format!("0x10 [8] OBJ [I\n\t0x20 \n0x20 [8] OBJ [I\n\t\n{END}");
    let heap = whole(text.as_bytes());
    assert_eq!(heap.objects[0].references().count(), 1);
    assert_eq!(heap.objects[1].contents, Contents::Unknown);
}

#[test]
fn a_dump_without_trailers_is_read_to_its_end() {
    let (heap, ended) = read(b"// Version: x\n0x10 [8] OBJ A\n\t0x10 \n");
    assert_eq!(heap.objects.len(), 1);
    let error = ended.expect_err("no trailers");
    assert!(error.is_missing_end(), "{error}");
    assert_eq!(error.offset(), 36);
    assert_eq!(Encoding::default(), Decoder::new(b"// x".as_slice()).expect("a dump").encoding());
}
