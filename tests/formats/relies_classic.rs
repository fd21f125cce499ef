//! Which bytes of a classic text rely on which rule: spelled by hand, and over the corpus.

use std::collections::BTreeSet;
use std::io;

use hex_literal::hex;
use pretty_assertions::assert_eq;

use heapsmith::classic::rules;
use heapsmith::compare::Facet;
use heapsmith::corpus::{Case, cases};
use heapsmith::error::RuleId;
use heapsmith::family::{ReadOptions, Reliance};
use heapsmith::format::{DumpFile, Family};
use heapsmith::input::Input;
use heapsmith::validate::rule;

/// A rule, a text in which braces stand around the bytes that rely on it, and the address of which each tells something,
/// or 0. Without braces no byte does.
type Row = (RuleId, &'static str, &'static [u64]);

#[rustfmt::skip]
const FILE: &[Row] = &[
    (rules::FILE_START, "{\n }0x1 [0] OBJ A\n\t\n", &[0]),
    (rules::FILE_START, "0x1 [0] OBJ A\n\t\n", &[]),
    (rules::FILE_BYTE_ORDER_MARK, "{\u{feff}}// Version: a\n", &[0]),
    (rules::FILE_BYTE_ORDER_MARK, "// Version: \u{feff}\n", &[]),
    (rules::FILE_TRUNCATED, "{// EOF: Total 'Objects',Refs(null) : 0,0(0)}", &[0]),
    (rules::FILE_TRUNCATED, "// EOF: Total 'Objects',Refs(null) : 0,0(0)\n", &[]),
    // The line of no references ends alike for any reader that drops white space.
    (rules::FILE_LINE_ENDS, "// Version: a{\r\n}0x1 [0] OBJ A{\r\n}\t\r\n0x2 [0] OBJ A{\r\n}\t0x1{\r\n}", &[0, 1, 2, 2]),
    (rules::FILE_LINE_ENDS, "// Version: a\n0x1 [0] OBJ A\n\t\n0x2 [0] OBJ A\n\t0x1\n", &[]),
    // An object after a class, and the class; an object below the one before.
    (rules::FILE_ORDER, "0x1 [0] OBJ A\n\t\n0x2 [0] {CLS} A\n\t\n0x3 [0] {OBJ} A\n\t\n0x4 [0] CLS B\n\t\n", &[2, 3]),
    (rules::FILE_ORDER, "0x2 [0] OBJ A\n\t\n0x1 [0] {OBJ} A\n\t\n", &[1]),
    (rules::FILE_ORDER, "0x2 [0] OBJ A\n\t\n0x3 [0] OBJ A\n\t\n0x1 [0] CLS A\n\t\n", &[]),
    (rules::HEADER_MISSING, " \n{0x}1 [0] OBJ A\n\t\n", &[0]),
    (rules::HEADER_MISSING, "// Version:\n0x1 [0] OBJ A\n\t\n", &[]),
    (rules::HEADER_LAYOUT, "// a\n{// Version: a b }\n", &[0]),
    (rules::HEADER_COMMENT, "{// Versions: a}\n// Version: b\n0x1 [0] OBJ A\n\t\n{//}\n", &[0, 0]),
];

#[rustfmt::skip]
const NUMBERS: &[Row] = &[
    // In lower case, after 0X, of other than 8 or 16 digits, negative in 32 bits, and wider than these.
    (rules::NUMBER_HEXADECIMAL, "{0x0000a000} [0] OBJ A\n\t{0X0000A000} {0xA000} 0x0000A000 0x0 0x7FFFFFFF {0x80000000} {0x100000000}\n", &[0xa000; 5]),
    (rules::NUMBER_HEXADECIMAL, "0x000000000000A000 [0] OBJ A\n\t0x0000000080000000 {0x0000000100000000}\n", &[0xa000]),
    (rules::NUMBER_WORD, "0x0000A000 [0] OBJ A\n\t0x0000A000 {0x000000000000A000}\n", &[0xa000]),
    (rules::NUMBER_WORD, "0x00000000000A000 [0] OBJ A\n\t0x000000000000A000\n", &[]),
    (rules::NUMBER_WORD_SIZE, "{0x0000A000} [0] OBJ A\n\t\n0x0000B000 [0] OBJ A\n\t\n", &[0]),
    // 9 is 9 in every base, and 010 is 8 in some.
    (rules::NUMBER_SIZE, "0x1 [9] OBJ A\n\t\n0x2 {[10]} OBJ A\n\t\n0x3 {[08]} OBJ A\n\t\n", &[2, 3]),
    (rules::NUMBER_SIZE_RANGE, "0x1 [2147483647] OBJ A\n\t\n0x2 {[2147483648]} OBJ A\n\t\n", &[2]),
    // Padding after an object, and whatever is the size of a class.
    (rules::NUMBER_SIZE_MEANING, "0x1 {[12]} OBJ A\n\t\n0x2 [16] OBJ A\n\t\n0x3 {[16]} CLS A\n\t\n0x4 [0] CLS A\n\t\n", &[1, 3]),
];

#[rustfmt::skip]
const RECORDS: &[Row] = &[
    (rules::RECORD_LAYOUT, "{0x1 [0] OBJ A}\n\t0x1\n{0x2  [0] CLS B C} \n\t\n// a\n", &[1, 2]),
    (rules::RECORD_TYPE, "0x1 [0] OBJ A\n\t\n0x2 [0] {CLS} A\n\t\n0x3 [0] {OBJ}\n\t\n", &[2, 3]),
    (rules::RECORD_START, "0x1 [0] OBJ A\n\t0x1 {//} a\n", &[0]),
    (rules::RECORD_START, "0x1 [0] OBJ A\n\t0x1 \n // a\n", &[]),
    (rules::RECORD_GLUED, "0x1 [0] OBJ A\n\t0x1 {0x2} [0] CLS A\n\t\n", &[2]),
    (rules::RECORD_GLUED, "0x1 [0] OBJ A\n\t0x1\n 0x2 [0] CLS A\n\t\n", &[]),
    (rules::RECORD_WHITE_SPACE, "0x1{\t}[0]{O}BJ{  }A{ \n\t}0x1{\n}0x1 0x1 \n0x2 [0] OBJ A{\n}0x3 [0] OBJ A\n\t0x1{ \n\n}", &[1, 1, 1, 1, 1, 2, 3]),
    (rules::RECORD_WHITE_SPACE, "// a{\n \n}0x1 [0] OBJ A\n\t\n", &[0]),
    // As writers have it: a lone tab, a space after each reference, or none after the last.
    (rules::RECORD_WHITE_SPACE, "// a\r\n0x1 [0] OBJ A\n\t\n0x2 [0] OBJ A\r\n\t0x1 0x2 \r\n0x3 [0] OBJ A\n\t0x1 0x2\n", &[]),
];

#[rustfmt::skip]
const NAMES: &[Row] = &[
    (rules::NAME_EMPTY, "0x1 [0] OBJ{\n}\t\n0x2 [0] CLS A\n\t\n", &[1]),
    (rules::NAME_LINE_BREAK, "0x1 [0] OBJ A{\nB}\n\t\n0x2 [0] OBJ A\n\tB\n", &[1]),
    // Arrays, slashes and dots, and what looks like the signature of something else.
    (rules::NAME_TYPES, "0x1 [0] OBJ {[[I}\n\t\n0x2 [0] OBJ A\n\t\n0x3 [0] CLS {p/A}\n\t\n0x4 [0] CLS {LA;}\n\t\n0x5 [0] CLS {I}\n\t\n", &[1, 3, 4, 5]),
    (rules::NAME_CHARACTERS, "0x1 [0] OBJ {A B}\n\t\n0x2 [0] OBJ [LA;\n\t\n0x3 [0] CLS {é}\n\t\n0x4 [0] CLS {a[b]}\n\t\n0x5 [0] CLS {A//B}\n\t\n", &[1, 3, 4, 5]),
    (rules::NAME_CHARACTERS, "0x1 [0] OBJ p/A$B/0x7\n\t\n0x2 [0] OBJ A\nB\n\t\n", &[]),
];

#[rustfmt::skip]
const REFERENCES: &[Row] = &[
    (rules::REFERENCE_NULL, "0x1 [0] OBJ A\n\t{0x0} 0x1 {0x00000000}\n0x2 [0] CLS A\n\t{0x0}\n", &[1, 1, 2]),
    // Every object begins with its class; and one alone does, which is no class block.
    (rules::REFERENCE_CLASS_BLOCK, "0x1 [0] OBJ A\n\t{0x3} 0x3\n0x2 [0] OBJ [I\n\t{0x4}\n0x3 [0] CLS A\n\t0x3\n0x4 [0] CLS [I\n\t\n", &[1, 2]),
    (rules::REFERENCE_CLASS_BLOCK, "0x1 [0] OBJ A\n\t{0x3}\n0x2 [0] OBJ A\n\t\n0x3 [0] CLS A\n\t\n", &[1]),
    (rules::REFERENCE_CLASS_BLOCK, "0x1 [0] OBJ A\n\t0x4\n0x2 [0] OBJ A\n\t0x1 0x3\n0x3 [0] CLS A\n\t\n0x4 [0] CLS B\n\t\n", &[]),
    (rules::REFERENCE_PRIMITIVE_ARRAY, "0x1 [0] OBJ A\n\t0x3\n0x2 [0] OBJ [I\n\t{0x4}\n0x3 [0] CLS A\n\t\n0x4 [0] CLS [I\n\t\n", &[2]),
    (rules::REFERENCE_PRIMITIVE_ARRAY, "0x1 [0] OBJ A\n\t\n0x2 [0] OBJ [I\n\t0x4\n0x3 [0] CLS A\n\t\n0x4 [0] CLS [I\n\t\n", &[]),
    // A class block among the references of an object; a class that refers to an object.
    (rules::REFERENCE_OUTSIDE, "0x1 [0] OBJ A\n\t0x3 {0x4} 0x1\n0x3 [0] CLS A\n\t0x4 {0x1} 0x0\n0x4 [0] CLS B\n\t\n", &[1, 3]),
    (rules::REFERENCE_CLASS_MEANING, "0x1 [0] OBJ A\n\t0x1 0x1\n0x3 [0] CLS A\n\t{0x3 0x1} \n0x4 [0] CLS B\n\t\n", &[3]),
    (rules::REFERENCE_CLASS_BY_NAME, "0x1 [0] OBJ {A}\n\t\n0x2 [0] OBJ B\n\t\n0x3 [0] CLS A\n\t\n", &[1]),
    (rules::REFERENCE_CLASS_BY_NAME, "0x1 [0] OBJ A\n\t0x3\n0x3 [0] CLS A\n\t\n", &[]),
    // In either order alike, and not; after a class block.
    (rules::REFERENCE_ARRAY_ORDER, "0x1 [0] OBJ [LA;\n\t0x1 0x2 0x1\n0x2 [0] OBJ [LA;\n\t{0x1 0x2}\n", &[2]),
    (rules::REFERENCE_ARRAY_ORDER, "0x1 [0] OBJ A\n\t0x3 0x1 0x1\n0x2 [0] OBJ A\n\t0x3 {0x1 0x2} \n0x3 [0] CLS A\n\t\n", &[2]),
];

#[rustfmt::skip]
const TRAILERS: &[Row] = &[
    // As the pages have them, and in other white space.
    (rules::TRAILER_SYNTAX, "// Breakdown - Classes: 0, Objects: 0, ObjectArrays: 0, PrimitiveArrays: 0\n// EOF:  Total 'Objects',Refs(null) : 0,0(0)\n", &[]),
    (rules::TRAILER_SYNTAX, "{// Breakdown - Classes:0, Objects:0, ObjectArrays:0, PrimitiveArrays:0}\n{// EOF: Total 'Objects',Refs(null) :0,0(0)}\n", &[0, 0]),
    (rules::TRAILER_LAYOUT, "0x1 [0] OBJ A\n\t\n{// EOF:  Total 'Objects',Refs(null) : 1,1(1)}\n", &[0]),
    (rules::TRAILER_LAYOUT, "0x1 [0] OBJ A\n\t0x0\n// EOF:  Total 'Objects',Refs(null) : 1,1(1)\n", &[]),
    (rules::TRAILER_UNLISTED_NULLS, "0x1 [0] OBJ A\n\t0x0\n{// EOF:  Total 'Objects',Refs(null) : 1,1(1)}\n", &[0]),
    (rules::TRAILER_UNLISTED_NULLS, "0x1 [0] OBJ A\n\t0x1\n// EOF:  Total 'Objects',Refs(null) : 1,1(0)\n", &[]),
    (rules::TRAILER_REPEATED, "// EOF: Total 'Objects',Refs(null) : 0,0(0)\n// EOF: Total 'Objects',Refs(null) : 1,1(0)\n{// EOF: Total 'Objects',Refs(null) : 0,1(1)}\n", &[0]),
    (rules::TRAILER_RECORD_BETWEEN, "0x1 [0] OBJ A\n\t\n// Breakdown - Classes: 0, Objects: 2, ObjectArrays: 0, PrimitiveArrays: 0\n{0x2 [0] OBJ A}\n\t\n", &[2]),
];

#[test]
fn lists_reliances_on_each_rule() {
    let tables = [FILE, NUMBERS, RECORDS, NAMES, REFERENCES, TRAILERS];
    for (rule, text, of) in tables.into_iter().flatten() {
        let (plain, places) = unmarked(text);
        let expected: Vec<_> = places.into_iter().zip(of.iter().copied()).collect();
        assert_eq!(of_rule(plain.as_bytes(), *rule), expected, "{} in {text:?}", rule.0);
    }
    let elsewhere =
        [rules::FILE_COMPRESSED, rules::FILE_ENCODING, rules::FILE_EBCDIC_PAGE, rules::FILE_EBCDIC_LINE_END];
    let spelled = tables.into_iter().flatten().map(|(rule, ..)| *rule).chain(elsewhere);
    assert_eq!(spelled.map(|rule| rule.0).collect::<BTreeSet<_>>(), with_facets());
}

/// The rules on which bytes rely, by the rule book.
fn with_facets() -> BTreeSet<&'static str> {
    let rules = Family::CLASSIC.book().rule.iter();
    rules.filter(|rule| !rule.facets.is_empty()).map(|rule| rule.id).collect()
}

/// Offset and length of what stands in braces, and the text without them.
fn unmarked(text: &str) -> (String, Vec<(u64, u64)>) {
    let (mut plain, mut places, mut begin) = (String::new(), Vec::new(), 0);
    for character in text.chars() {
        match character {
            '{' => begin = plain.len(),
            '}' => places.push((begin as u64, (plain.len() - begin) as u64)),
            character => plain.push(character),
        }
    }
    (plain, places)
}

/// Where a dump relies on a rule, in the order of the file: offset and length, and the address that it tells of, or 0.
fn of_rule(bytes: &[u8], rule: RuleId) -> Vec<((u64, u64), u64)> {
    let of_rule = reliances(bytes).into_iter().filter(|reliance| reliance.rule == rule);
    of_rule.map(|reliance| ((reliance.offset, reliance.length), reliance.of.map_or(0, |of| of.0))).collect()
}

fn reliances(bytes: &[u8]) -> Vec<Reliance> {
    let dump = DumpFile::new(Input::from_memory("dump", bytes.to_vec()), ReadOptions::default());
    dump.and_then(|dump| dump.reliances()).expect("memory can be read")
}

#[test]
fn ebcdic_text_relies_on_encoding_code_page_and_unusual_line_ends() {
    // "0x00001000 [16] OBJ A", a tab on a line of its own, and a comment, each line ended by 15; the same with a line
    // ended by 25; and a comment alone.
    let usual = hex!("15 f0a7f0f0f0f0f1f0f0f0 40 adf1f6bd 40 d6c2d1 40 c1 15 05 15 6161 15");
    let mixed = hex!("15 f0a7f0f0f0f0f1f0f0f0 40 adf1f6bd 40 d6c2d1 40 c1 25 05 15 6161 25");
    let comment = hex!("6161 40 81 15");
    assert_eq!(of_rule(&usual, rules::FILE_ENCODING), [((1, 2), 0)]);
    assert_eq!(of_rule(&comment, rules::FILE_ENCODING), [((0, 2), 0)]);
    assert_eq!(of_rule(b"// a\n", rules::FILE_ENCODING), []);
    assert_eq!(of_rule(&usual, rules::FILE_EBCDIC_PAGE), [((12, 1), 0)]);
    assert_eq!(of_rule(&comment, rules::FILE_EBCDIC_PAGE), []);
    assert_eq!(of_rule(&usual, rules::FILE_EBCDIC_LINE_END), []);
    assert_eq!(of_rule(&mixed, rules::FILE_EBCDIC_LINE_END), [((22, 1), 0x1000), ((27, 1), 0)]);
    // The first line end tells the line feed, and then 15 is the other one.
    let line_feeds = hex!("6161 25 6161 15");
    assert_eq!(of_rule(&line_feeds, rules::FILE_EBCDIC_LINE_END), [((2, 1), 0), ((5, 1), 0)]);
}

#[test]
fn assigns_reliances_to_records() {
    let (text, _) = unmarked("\n// Version: a\n0x0000a000 [0] OBJ A\n\t0x0000a000\n");
    let found = reliances(text.as_bytes());
    let records = |rule| found.iter().filter(move |found| found.rule == rule).map(|found| found.record);
    assert_eq!(records(rules::FILE_START).collect::<Vec<_>>(), [Some(0)]);
    assert_eq!(records(rules::HEADER_LAYOUT).collect::<Vec<_>>(), [Some(1)]);
    assert_eq!(records(rules::NUMBER_HEXADECIMAL).collect::<Vec<_>>(), [Some(2), Some(2)]);
}

#[test]
fn lists_reliances_of_references_read_in_pieces() {
    // More references than are delivered at once, a null among the last.
    let many = "0x00000001 ".repeat(50_000);
    let text = format!("0x00000001 [0] OBJ A\n\t{many}0x00000000 0x0000000a\n0x00000002 [0] OBJ A\n\t\n");
    let null = "0x00000001 [0] OBJ A\n\t".len() as u64 + many.len() as u64;
    assert_eq!(of_rule(text.as_bytes(), rules::REFERENCE_NULL), [((null, 10), 1)]);
    assert_eq!(of_rule(text.as_bytes(), rules::NUMBER_HEXADECIMAL), [((null + 11, 10), 1)]);
    assert_eq!(of_rule(text.as_bytes(), rules::RECORD_WHITE_SPACE), []);
    assert_eq!(of_rule(text.as_bytes(), rules::RECORD_GLUED), []);
}

#[test]
fn lists_reliances_before_error() {
    let text = "// Version: a\n0x0000a000 [0] OBJ A\n\t\n0x0000B000 [0] OBJ A\n\t\n0x0000c000 [12";
    assert_eq!(of_rule(text.as_bytes(), rules::NUMBER_HEXADECIMAL), [((14, 10), 0xa000)]);
    assert_eq!(of_rule(text.as_bytes(), rules::RECORD_LAYOUT), [((14, 20), 0xa000), ((37, 20), 0xb000)]);
    for end in 0..text.len() {
        let found = reliances(&text.as_bytes()[..end]);
        assert!(found.iter().all(|found| found.offset + found.length <= end as u64), "{end}: {found:?}");
    }
    assert_eq!(reliances(b"/"), []);
}

#[test]
fn compressed_text_relies_on_compression_rule() {
    let is_compressed = |case: &Case| case.id == "classic-compressed";
    let compressed = cases().expect("recipes work").into_iter().find(is_compressed).expect("it is in the corpus");
    assert_eq!(of_rule(&compressed.bytes, rules::FILE_COMPRESSED), [((0, 2), 0)]);
    assert_eq!(of_rule(b"// a\n", rules::FILE_COMPRESSED), []);
}

#[test]
fn corpus_relies_on_exactly_the_rules_with_facets() {
    let mut relied = BTreeSet::new();
    for case in cases().expect("recipes work").into_iter().filter(|case| case.format.family() == Family::CLASSIC) {
        let mut decompressed = Input::from_memory("dump", case.bytes.clone()).stream().expect("memory can be read");
        let length = io::copy(&mut decompressed, &mut io::sink()).expect("no case is cut inside of gzip");
        for found in reliances(&case.bytes) {
            assert!(found.length > 0 && found.offset + found.length <= length, "{}: {found:?}", case.id);
            relied.insert(found.rule.0);
        }
    }
    assert_eq!(relied, with_facets());
    let facets = relied.iter().filter_map(|id| rule(id)).flat_map(|rule| rule.facets);
    for facet in facets.filter(|facet| **facet != "all") {
        assert!(facet.parse::<Facet>().is_ok(), "{facet}");
    }
}
