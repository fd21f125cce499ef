//! Text that is none, with the place where it stops to be.

use heapsmith::classic::Decoder;
use pretty_assertions::assert_eq;

use super::heap::{read, records};
use super::slow::{Slow, behind_the_start, merged};

/// The error of a text that begins with a sound object and a version line, 36 bytes in 3 lines.
fn error(text: &str) -> String {
    let text = format!("0x10 [8] OBJ A\n\t0x20 \n// Version: x\n{text}");
    let (heap, ended) = read(text.as_bytes());
    assert_eq!(heap.objects.len(), 1, "what is sound is told: {text:?}");
    ended.expect_err(&text).to_string()
}

#[test]
fn every_error_has_its_line_column_and_offset() {
    for (text, expected) in [
        (
            "0x0000g000 [8] OBJ A\n\t\n",
            "line 4, column 7, offset 42 (0x2a), record 2, address: expected hexadecimal digits and white space, found \
             \"g000 [8] OBJ A\" [classic.number.hexadecimal]",
        ),
        (
            "0x [8] OBJ A\n",
            "line 4, column 3, offset 38 (0x26), record 2, address: expected hexadecimal digits and white space, found \
             \" [8] OBJ A\" [classic.number.hexadecimal]",
        ),
        (
            "0x12345678123456781 [8] OBJ A\n",
            "line 4, column 1, offset 36 (0x24), record 2, address: expected at most 16 hexadecimal digits, found \
             \"0x12345678123456781 [8] OBJ A\" [classic.number.hexadecimal]",
        ),
        (
            "0x30 [-8] OBJ A\n",
            "line 4, column 6, offset 41 (0x29), record 2, size: expected decimal digits below 2^64, and a bracket, \
             found \"[-8] OBJ A\" [classic.number.size]",
        ),
        (
            "0x30 [99999999999999999999] OBJ A\n",
            "line 4, column 6, offset 41 (0x29), record 2, size: expected decimal digits below 2^64, and a bracket, \
             found \"[99999999999999999999] OBJ A\" [classic.number.size]",
        ),
        (
            "0x30 [] OBJ A\n",
            "line 4, column 6, offset 41 (0x29), record 2, size: expected decimal digits below 2^64, and a bracket, \
             found \"[] OBJ A\" [classic.number.size]",
        ),
        (
            "0x30 [8 OBJ A\n",
            "line 4, column 6, offset 41 (0x29), record 2, size: expected decimal digits below 2^64, and a bracket, \
             found \"[8 OBJ A\" [classic.number.size]",
        ),
        (
            "0x30 [8] OBX A\n",
            "line 4, column 10, offset 45 (0x2d), record 2, record type: expected OBJ or CLS, found \"OBX A\" \
             [classic.record.type]",
        ),
        (
            "0x30 [8] obj A\n",
            "line 4, column 10, offset 45 (0x2d), record 2, record type: expected OBJ or CLS, found \"obj A\" \
             [classic.record.type]",
        ),
        (
            "0x30 [8]\nOBJ A\n",
            "line 4, column 9, offset 44 (0x2c), record 2, record type: expected OBJ or CLS, found \"\\n\" \
             [classic.record.type]",
        ),
        (
            "0x30 [8] OBJA\n",
            "line 4, column 13, offset 48 (0x30), record 2, type: expected white space after OBJ or CLS, found \"A\" \
             [classic.record.type]",
        ),
        (
            "// EOF: Total 'Objects',Refs(null) : 1,2\n",
            "line 4, column 1, offset 36 (0x24), record 2, trailer: expected // EOF: Total 'Objects',Refs(null) : \
             N,N(N), found \"EOF: Total \\'Objects\\',Refs(null) \" ... [classic.trailer.syntax]",
        ),
        (
            "// Breakdown - Classes: 1, Objects: 2\n",
            "line 4, column 1, offset 36 (0x24), record 2, trailer: expected // Breakdown - Classes: N, Objects: N, \
             ObjectArrays: N, PrimitiveArrays: N, found \"Breakdown - Classes: 1, Objects:\" ... [classic.trailer.syntax]",
        ),
        (
            "// EOF: Total 'Objects',Refs(null) : 99999999999999999999,0(0)\n",
            "line 4, column 1, offset 36 (0x24), record 2, trailer: expected // EOF: Total 'Objects',Refs(null) : \
             N,N(N), found \"EOF: Total \\'Objects\\',Refs(null) \" ... [classic.trailer.syntax]",
        ),
        (
            "// comment\n0x40\n",
            "line 5, column 5, offset 51 (0x33), record 3, size: expected the size of an object or class in brackets: \
             references stand after a record, found \"\\n\" [classic.reference.without-record]",
        ),
    ] {
        assert_eq!(error(text), expected, "{text:?}");
    }
}

/// On the line of its references, what is wrong is the record's; on the next line, it is another's.
#[test]
fn assigns_invalid_reference_to_its_record_or_the_next() {
    for next in ["[8] OBJ B\n", "garbage", "0x3G [8] OBJ B\n", "0x3", "0", "/"] {
        let text = format!("// Version: x\n0x10 [8] OBJ A\n\t0x20 \n{next}");
        let (heap, ended) = read(text.as_bytes());
        assert_eq!(heap.objects.len(), 1, "{next:?}");
        let error = ended.expect_err("damaged");
        assert_eq!(error.record(), Some(2), "{error}");
        assert_eq!(error.position().map(|place| place.line), Some(4), "{error}");
    }
    for (line, column, offset, found) in [
        ("garbage", 1, 29, "garbage"),
        ("\t0x20 0x3G\n", 10, 38, "G"),
        ("\t0x20 20\n", 7, 35, "20"),
        ("\t0x20 0x\n", 9, 37, "\\n"),
        ("\t0x20,0x30\n", 6, 34, ",0x30"),
        ("\t0x20 / 0x30\n", 7, 35, "/ 0x30"),
        ("\t0x20 0x12345678g\n", 17, 45, "g"),
        ("\t0x20 0x123456781234567g\n", 24, 52, "g"),
        ("\t\0\0\u{1}\u{7f}\n", 2, 30, "\\x00\\x00\\x01\\x7f"),
    ] {
        let text = format!("// Version: x\n0x10 [8] OBJ A\n{line}");
        // A line that follows the type at once, and begins like nothing known, would be a part of it.
        let text = if line == "garbage" { text.replace("A\ng", "A\n g") } else { text };
        let (column, offset) = if line == "garbage" { (column + 1, offset + 1) } else { (column, offset) };
        let (heap, ended) = read(text.as_bytes());
        assert_eq!(heap.objects.len(), 0);
        let error = ended.expect_err("damaged").to_string();
        let at = error.split_once(", record 1, ").expect("in the record").0.to_owned();
        assert_eq!(at, format!("line 3, column {column}, offset {offset} ({offset:#x})"), "{error}");
        assert!(error.contains(&format!("found \"{found}\"")), "{error}");
    }
}

#[test]
fn reports_reference_before_first_record() {
    for (text, line, column, offset) in [
        ("\n0x10 0x20\n", 2, 6, 6),
        ("0x10 0x20\n", 1, 6, 5),
        ("// Version: x\n\t0x10 0x20 \n", 2, 7, 20),
        ("0x10\n0x20 [8] OBJ A\n", 1, 5, 4),
    ] {
        let error = read(text.as_bytes()).1.expect_err(text);
        let place = error.position().expect("text");
        assert_eq!((place.line, place.column, error.offset()), (line, column, offset), "{error}");
        assert_eq!(error.rule().to_string(), "classic.reference.without-record", "{error}");
    }
}

#[test]
fn text_that_ends_inside_a_record_is_cut_short() {
    let whole = "// Version: x\n0x10 [8] OBJ A\n\t0x20 0x30 \n";
    for length in 2..whole.len() {
        let (records, ended) = records(&mut Decoder::new(&whole.as_bytes()[..length]).expect("a dump"));
        let error = ended.expect_err("cut").to_string();
        let (due, missing_end) = match length {
            ..14 => (0, false),
            14 => (1, true),
            _ => (1, false),
        };
        assert_eq!(records.len(), due, "cut at {length}: {error}");
        let rule = if missing_end { "[classic.trailer.missing]" } else { "[classic.file.truncated]" };
        assert!(error.ends_with(rule), "cut at {length}: {error}");
    }
    let error = read(&whole.as_bytes()[..35]).1.expect_err("cut").to_string();
    assert_eq!(
        error,
        "line 3, column 7, offset 35 (0x23), record 1, line: expected 1 byte of line, found 0 bytes, then the end of the \
         data [classic.file.truncated]"
    );
}

#[test]
fn refuses_other_formats_at_start() {
    for (bytes, found) in [
        (b"".as_slice(), "found nothing"),
        (b"\x7fELF\x02\x01\x01", "found 7f 45 4c 46 02 01 01"),
        (b"/ Version: x", "found \"/ Version: x\""),
        (b"{\"kind\":1}", "found \"{\\\"kind\\\":1}\""),
        (b"   \n", "found \"   \\n\""),
    ] {
        let error = Decoder::new(bytes).expect_err("no dump").to_string();
        assert!(error.starts_with("line 1, column 1, offset 0 (0x0), start: expected a classic heap dump"), "{error}");
        assert!(error.contains(found), "{error}");
    }
}

/// No field has more than a mebibyte, whatever the size of reads.
#[test]
fn fields_of_more_than_a_mebibyte_are_refused_at_their_start() {
    const MUCH: usize = 1 << 20;
    let end = "// EOF: Total 'Objects',Refs(null) : 0,0(0)\n";
    let cases = |much: usize| {
        [
            // The two slashes, and the type's letter, count.
            ("line", 0, format!("//{}\n{end}", "c".repeat(much - 2))),
            ("type", 13, format!("0x10 [8] OBJ {}\n\t\n{end}", "N".repeat(much))),
            ("white space", 4, format!("0x10{}[8] OBJ A\n\t\n{end}", " ".repeat(much))),
            ("white space", 8, format!("0x10 [8]{}OBJ A\n\t\n{end}", "\t".repeat(much))),
            ("white space", 12, format!("0x10 [8] OBJ{}A\n\t\n{end}", " ".repeat(much))),
            ("white space", 14, format!("0x10 [8] OBJ A{}{end}", "\n".repeat(much))),
            ("white space", 21, format!("0x10 [8] OBJ A\n\t0x200{}{end}", "\n".repeat(much))),
            ("address", 0, format!("0x{} [8] OBJ A\n\t\n{end}", "0".repeat(much - 2))),
            ("reference", 16, format!("0x10 [8] OBJ A\n\t0x{} \n{end}", "0".repeat(much - 2))),
            ("size", 5, format!("0x10 [{}] OBJ A\n\t\n{end}", "0".repeat(much - 1))),
        ]
    };
    for (field, _, text) in cases(MUCH) {
        let text = behind_the_start(&text);
        let (_, again, ended) = merged(text.as_slice());
        assert_eq!(ended, format!("{} bytes", text.len()), "{field}");
        assert!(again == text);
    }
    for (field, at, text) in cases(MUCH + 1) {
        let (lines, column) = text[..at].bytes().fold((67, 1), |(line, column), byte| match byte {
            b'\n' => (line + 1, 1),
            _ => (line, column + 1),
        });
        let text = behind_the_start(&text);
        for size in [text.len(), 50_000] {
            let (_, _, ended) = merged(Slow(&text, size));
            let place = format!("line {lines}, column {column}, offset {} (", 66_000 + at);
            let expected = format!("{field}: expected at most 1048576 bytes, found more [classic.record.long]");
            assert!(ended.starts_with(&place) && ended.ends_with(&expected), "{field}: {ended}");
        }
    }
}
