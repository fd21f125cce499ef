//! Sound texts, spelled by hand, and for each rule what breaks it. An `@` marks where the finding is expected; it does
//! not belong to the text.

use std::collections::BTreeSet;

use pretty_assertions::assert_eq;

use heapsmith::bytes::ebcdic::{CodePage, EbcdicLineEnd};
use heapsmith::classic::LowerOptions;
use heapsmith::classic::lower::{self, PROFILES};
use heapsmith::classic::rules;
use heapsmith::classic::wire::{Charset, Encoding, Newline};
use heapsmith::error::RuleId;
use heapsmith::generate::{GenerateOptions, Placement, from_seed};
use heapsmith::input::Input;
use heapsmith::model::WordSize;
use heapsmith::validate::{Severity, ValidateOptions, ValidationReport, validate};

/// As OpenJ9 writes.
pub(super) const NATIVE: &str = "\
// Version: test
0x00001000 [16] OBJ A
\t0x00001010 
0x00001010 [16] OBJ [I
\t
0x00002000 [64] CLS A
\t
0x00002040 [64] CLS [I
\t
// Breakdown - Classes: 2, Objects: 1, ObjectArrays: 0, PrimitiveArrays: 1
// EOF:  Total 'Objects',Refs(null) : 4,3(2)
";

/// As jdmpview does.
const JDMPVIEW: &str = "\
// Version: test
0x0000000000001000 [16] OBJ A
\t0x0000000000001010 0x0 
0x0000000000001010 [24] OBJ [[I
\t
0x0000000000002000 [64] CLS A
\t0x0 
0x0000000000002040 [64] CLS [[I
\t
// Breakdown - Classes:2, Objects:1, ObjectArrays:1, PrimitiveArrays:0
// EOF: Total 'Objects',Refs(null) :4,3(2)
";

/// As IBM's page shows, with class blocks first.
const IBM: &str = "\
// Version: test
0x00436E90 [28] OBJ java/lang/String
0x415319D8 0x00436EB0
0x00436EB0 [44] OBJ [C
0x41530F20
0x415319D8 [32] CLS java/lang/String
0x41530F20 0x00000000 0x00436E90
0x41530F20 [32] CLS [C
0x00000000
// Breakdown - Classes: 2, Objects: 1, ObjectArrays: 0, PrimitiveArrays: 1
// EOF: Total 'Objects',Refs(null) : 4,7(2)
";

/// A rule, changes of a sound text that break it, and the record of the finding.
type Broken<'t> = (RuleId, &'t [(&'t str, &'t str)], Option<u64>);

const EOF: &str = "// EOF:  Total 'Objects',Refs(null) : 4,3(2)\n";
const BREAKDOWN: &str = "// Breakdown - Classes: 2, Objects: 1, ObjectArrays: 0, PrimitiveArrays: 1\n";

/// Rules of one pass.
const PASS: &[Broken<'_>] = &[
    (rules::FILE_START, &[("// V", "@V")], None),
    // What is cut is not told, so the error stands in it.
    (rules::FILE_TRUNCATED, &[("(2)\n", "(2)@"), ("EOF", "eof")], Some(6)),
    (rules::FILE_BYTE_ORDER_MARK, &[("// V", "@\u{feff}// V")], Some(0)),
    (rules::FILE_LINE_ENDS, &[("OBJ A\n", "OBJ A@\r\n")], Some(1)),
    (rules::FILE_LINE_ENDS, &[("00001010 \n", "00001010 @\r\n")], Some(1)),
    (rules::HEADER_MISSING, &[("// Version: test\n", "\n@")], Some(1)),
    (rules::HEADER_SINGLE, &[("test\n", "test\n@// Version: test\n")], Some(1)),
    (rules::HEADER_SINGLE, &[("// Version: test\n", ""), ("OBJ [I\n\t\n", "OBJ [I\n\t\n@// Version: t\n")], Some(2)),
    (rules::RECORD_START, &[("0x00001010 [16]", "@?00001010 [16]")], Some(2)),
    (rules::RECORD_TYPE, &[("[16] OBJ [I", "[16] @ARR [I")], Some(2)),
    (rules::RECORD_NULL_ADDRESS, &[("0x00001000", "@0x00000000")], Some(1)),
    (rules::NUMBER_HEXADECIMAL, &[("\t0x00001010", "\t0x0000101@G")], Some(1)),
    (rules::NUMBER_HEXADECIMAL, &[("\t0x00001010", "\t@0x11112222333344445")], Some(1)),
    (rules::NUMBER_SIZE, &[("[16] OBJ A", "@[-16] OBJ A")], Some(1)),
    (rules::NUMBER_SIZE, &[("[16] OBJ A", "@[18446744073709551616] OBJ A")], Some(1)),
    (rules::NUMBER_SIZE_RANGE, &[("[16] OBJ A", "@[4294967296] OBJ A")], Some(1)),
    (rules::NUMBER_SIZE_RANGE, &[("0x00001000 [16]", "0x000001000 @[9223372036854775808]")], Some(1)),
    (rules::NUMBER_WORD, &[("0x00001010 \n", "@0x0000000100001010 \n")], Some(1)),
    (rules::NUMBER_WORD, &[("0x00001010 [", "@0x100001010 [")], Some(2)),
    (rules::NAME_EMPTY, &[("OBJ A", "OBJ @")], Some(1)),
    (rules::NAME_LINE_BREAK, &[("OBJ A", "OBJ A@\nB")], Some(1)),
    (rules::NAME_SIGNATURE, &[("CLS [I", "CLS @[L;")], Some(4)),
    (rules::NAME_SIGNATURE, &[("CLS [I", "CLS @[V")], Some(4)),
    (rules::REFERENCE_WITHOUT_RECORD, &[("test\n", "test\n\t0x00001010 @\n")], Some(1)),
    (
        rules::REFERENCE_PRIMITIVE_ARRAY,
        &[("0x00001010 [16] OBJ [I\n\t", "@0x00001010 [16] OBJ [I\n\t0x00001000 0x00001000 "), ("3(2)", "5(2)")],
        Some(2),
    ),
    (
        rules::REFERENCE_PRIMITIVE_ARRAY,
        &[("\t0x00001010 ", "\t"), ("0x00001010 [16] OBJ [I\n\t", "@0x00001010 [16] OBJ [I\n\t0x00001000 ")],
        Some(2),
    ),
    (rules::TRAILER_SYNTAX, &[(BREAKDOWN, "@// Breakdown - Classes: two\n")], Some(5)),
    (rules::TRAILER_SYNTAX, &[(EOF, "@// EOF:  Total 'Objects',Refs(null) : 4,3(2\n")], Some(6)),
    (rules::TRAILER_MISSING, &[(EOF, "@")], Some(6)),
    (rules::TRAILER_BREAKDOWN_MISSING, &[(BREAKDOWN, "@")], Some(5)),
    (rules::TRAILER_REPEATED, &[("(2)\n", "(2)\n@// EOF:  Total 'Objects',Refs(null) : 4,3(2)\n")], Some(7)),
    (
        rules::TRAILER_REPEATED,
        &[("\n// EOF", "\n@// Breakdown - Classes: 1, Objects: 1, ObjectArrays: 1, PrimitiveArrays: 1\n// EOF")],
        Some(6),
    ),
    (
        rules::TRAILER_ORDER,
        &[
            (BREAKDOWN, ""),
            ("(2)\n", "(2)\n@// Breakdown - Classes: 2, Objects: 1, ObjectArrays: 0, PrimitiveArrays: 1\n"),
        ],
        Some(6),
    ),
    (
        rules::TRAILER_RECORD_BETWEEN,
        &[("\n// EOF", "\n@0x00003000 [64] CLS B\n\t\n// EOF"), ("Classes: 2", "Classes: 3"), (": 4,", ": 5,")],
        Some(6),
    ),
    (rules::TRAILER_RECORD_AFTER, &[("(2)\n", "(2)\n@0x00003000 [64] CLS B\n\t\n")], Some(7)),
    (rules::TRAILER_COMMENT_AFTER, &[("(2)\n", "(2)\n@// bye\n")], Some(7)),
    (rules::TRAILER_COUNTS, &[("// Breakdown - Classes: 2", "@// Breakdown - Classes: 3")], Some(5)),
    (rules::TRAILER_TOTAL, &[(EOF, "@// EOF:  Total 'Objects',Refs(null) : 5,3(2)\n")], Some(6)),
    (rules::TRAILER_REFERENCES, &[(EOF, "@// EOF:  Total 'Objects',Refs(null) : 4,3(3)\n")], Some(6)),
    (rules::TRAILER_REFERENCES, &[(EOF, "@// EOF:  Total 'Objects',Refs(null) : 4,1(2)\n")], Some(6)),
];

/// Rules of the whole graph.
const GRAPH: &[Broken<'_>] = &[
    (rules::GRAPH_DUPLICATE_ADDRESS, &[("0x00002040", "@0x00002000")], Some(4)),
    (rules::GRAPH_DANGLING_REFERENCE, &[("0x00001000", "@0x00001000"), ("\t0x00001010", "\t0x00001018")], Some(1)),
    (rules::GRAPH_TYPE, &[("0x00001000 [16] OBJ A", "@0x00001000 [16] OBJ B")], Some(1)),
    (
        rules::GRAPH_SAME_NAME,
        &[("// Breakdown - Classes: 2", "@0x00003000 [64] CLS A\n\t\n// Breakdown - Classes: 3"), (": 4,", ": 5,")],
        Some(5),
    ),
];

#[derive(Debug, PartialEq)]
struct Found {
    rule: &'static str,
    offset: u64,
    record: Option<u64>,
    line: Option<u64>,
    column: Option<u64>,
}

fn report(bytes: &[u8], graph: bool) -> ValidationReport {
    let options = ValidateOptions::default().graph(graph);
    validate(&Input::from_memory("dump", bytes.to_vec()), options).expect("readable")
}

fn findings(bytes: &[u8], graph: bool) -> Vec<Found> {
    let findings = report(bytes, graph).findings;
    let found = findings.iter().map(|f| Found {
        rule: f.rule.0,
        offset: f.offset,
        record: f.record,
        line: f.line,
        column: f.column,
    });
    found.collect()
}

fn changed(sound: &str, changes: &[(&str, &str)]) -> String {
    changes.iter().fold(sound.to_owned(), |text, (from, to)| {
        assert_eq!(text.matches(from).count(), 1, "{from:?}");
        text.replace(from, to)
    })
}

/// A text without its mark, and what is to be found there.
fn marked(text: &str, rule: RuleId, record: Option<u64>) -> (String, Found) {
    let (before, after) = text.split_once('@').expect("a mark");
    let column = before.len() - before.rfind('\n').map_or(0, |at| at + 1) + 1;
    let line = before.matches('\n').count() + 1;
    let found = Found {
        rule: rule.0,
        offset: before.len() as u64,
        record,
        line: Some(line as u64),
        column: Some(column as u64),
    };
    (format!("{before}{after}"), found)
}

fn to_page(text: &str, page: CodePage, end: EbcdicLineEnd) -> Vec<u8> {
    let table = page.from_latin1(end);
    text.bytes().map(|byte| table[usize::from(byte)]).collect()
}

#[test]
fn sound_texts_have_no_findings_and_everything_is_counted() {
    for (text, references) in [(NATIVE, 1), (JDMPVIEW, 1), (IBM, 5)] {
        assert_eq!(findings(text.as_bytes(), true), []);
        let crlf = text.replace('\n', "\r\n");
        assert_eq!(findings(crlf.as_bytes(), true), []);
        let sound = report(text.as_bytes(), true).sound;
        assert_eq!((sound.records, sound.classes, sound.objects, sound.references), (7, 2, 2, references));
    }
}

#[test]
fn white_space_that_no_writer_makes_is_sound() {
    let text =
        changed(NATIVE, &[("0x00001000 [16] OBJ A\n\t", "\n 0x00001000\t[16]  OBJ\tA  \n\n"), ("EOF:  T", "EOF :T")]);
    assert_eq!(findings(text.as_bytes(), true), []);
}

#[test]
fn finds_only_broken_rule_at_its_place() {
    for (cases, graph) in [(PASS, false), (GRAPH, true)] {
        for (rule, changes, record) in cases {
            let (text, found) = marked(&changed(NATIVE, changes), *rule, *record);
            // No dump, and so no text either, unless it begins like one.
            let expected = if *rule == rules::FILE_START { Found { line: None, column: None, ..found } } else { found };
            assert_eq!(findings(text.as_bytes(), graph), [expected], "{text}");
        }
    }
}

#[test]
fn finds_broken_rules_in_ebcdic() {
    for (page, end) in [(CodePage::Ibm1047, EbcdicLineEnd::NewLine), (CodePage::Ibm037, EbcdicLineEnd::LineFeed)] {
        for text in [NATIVE, JDMPVIEW, IBM] {
            assert_eq!(findings(&to_page(text, page, end), true), []);
        }
        for (cases, graph) in [(PASS, false), (GRAPH, true)] {
            for (rule, changes, record) in cases {
                let (text, found) = marked(&changed(NATIVE, changes), *rule, *record);
                if text.is_ascii() && *rule != rules::FILE_START {
                    assert_eq!(findings(&to_page(&text, page, end), graph), [found], "{text}");
                }
            }
        }
    }
    // The byte of 0x15 and 0x25 that ends no other line.
    let mut bytes = to_page(NATIVE, CodePage::Ibm1047, EbcdicLineEnd::NewLine);
    bytes[38] = 0x25;
    let found = Found { rule: rules::FILE_LINE_ENDS.0, offset: 38, record: Some(1), line: Some(2), column: Some(22) };
    assert_eq!(findings(&bytes, true), [found]);
}

#[test]
fn every_rule_is_broken_by_some_case() {
    let apart = [rules::NAME_ENCODING, rules::RECORD_LONG];
    let broken: BTreeSet<RuleId> = PASS.iter().chain(GRAPH).map(|(rule, ..)| *rule).chain(apart).collect();
    assert_eq!(broken, rules::ALL.iter().copied().collect());
}

#[test]
fn names_are_utf_8_in_its_standard_or_its_modified_form() {
    // U+1F600, and half of its surrogates.
    let [standard, modified, half]: [&[u8]; 3] = [b"\xf0\x9f\x98\x80", b"\xed\xa0\xbd\xed\xb8\x80", b"\xed\xa0\xbd"];
    let dump = |name: &[u8]| {
        let (before, after) = NATIVE.split_once("CLS A").expect("a class");
        [before.as_bytes(), b"CLS A", name, after.as_bytes()].concat()
    };
    assert_eq!(findings(&dump(standard), false), []);
    assert_eq!(findings(&dump(modified), false), []);
    for name in [half, b"\xff", b"\x80A"] {
        let offset = NATIVE.find("CLS A").expect("a class") as u64 + 5;
        let found = Found { rule: rules::NAME_ENCODING.0, offset, record: Some(3), line: Some(6), column: Some(22) };
        assert_eq!(findings(&dump(name), false), [found]);
    }
}

#[test]
fn a_name_of_megabytes_is_refused_and_what_is_before_it_is_sound() {
    let text = NATIVE.replace("CLS A", &format!("CLS {}", "A".repeat(2 << 20)));
    let told = report(text.as_bytes(), false);
    assert_eq!(told.findings.iter().map(|f| f.rule).collect::<Vec<_>>(), [rules::RECORD_LONG]);
    assert_eq!((told.findings[0].line, told.sound.objects), (Some(6), 2));
}

#[test]
fn judges_trailers_by_rules_of_their_dialect() {
    // Arrays of arrays of a primitive type (C13).
    let by_leaf = ("ObjectArrays:1, PrimitiveArrays:0", "ObjectArrays:0, PrimitiveArrays:1");
    let spaced = |text: String| text.replace("s:", "s: ").replace(" :4,3(2)", " : 4,3(2)");
    let native = |text: String| {
        let text = spaced(text).replace("EOF: ", "EOF:  ").replace("0x0 ", "");
        assert!(text.contains("EOF:  Total 'Objects',Refs(null) : 4,3(2)"));
        text
    };
    let rules = |text: String| -> Vec<&str> { findings(text.as_bytes(), true).iter().map(|f| f.rule).collect() };
    assert_eq!(rules(changed(JDMPVIEW, &[by_leaf])), ["classic.trailer.counts"]);
    assert_eq!(rules(native(changed(JDMPVIEW, &[by_leaf]))), Vec::<&str>::new());
    assert_eq!(rules(native(JDMPVIEW.to_owned())), ["classic.trailer.counts"]);
    assert_eq!(rules(spaced(JDMPVIEW.to_owned())), Vec::<&str>::new());
    assert_eq!(rules(spaced(changed(JDMPVIEW, &[by_leaf]))), Vec::<&str>::new());
    // Nulls (C4, C15).
    assert_eq!(rules(changed(JDMPVIEW, &[("1010 0x0 ", "1010 ")])), ["classic.trailer.references"]);
    assert_eq!(rules(changed(NATIVE, &[("3(2)", "1(0)")])), Vec::<&str>::new());
    // Class blocks that are not counted.
    assert_eq!(rules(changed(IBM, &[("7(2)", "5(2)")])), Vec::<&str>::new());
    assert_eq!(rules(changed(IBM, &[("7(2)", "6(2)")])), ["classic.trailer.references"]);
}

#[test]
fn reports_stated_and_counted_total() {
    let text = changed(NATIVE, &[("Objects: 1", "Objects: 8"), ("4,3(2)", "9,7(5)")]);
    let found = report(text.as_bytes(), true).findings;
    let told: Vec<(&str, &str)> = found.iter().map(|f| (f.expected.as_str(), f.found.as_str())).collect();
    assert_eq!(
        told,
        [
            (
                "2 classes, 1 objects, 0 object arrays, 1 primitive arrays, as counted",
                "2 classes, 8 objects, 0 object arrays, 1 primitive arrays stated"
            ),
            ("1 references more than null ones, as listed", "7 references, 5 of them null, stated"),
            ("4 objects and classes, as counted", "9 stated"),
        ]
    );
}

#[test]
fn trailers_are_judged_when_something_unreadable_stands_after_them() {
    let text = changed(NATIVE, &[("4,3(2)\n", "5,3(2)\n\u{1}\u{2}")]);
    let rules: Vec<RuleId> = report(text.as_bytes(), true).findings.iter().map(|f| f.rule).collect();
    assert_eq!(rules, [rules::TRAILER_TOTAL, rules::RECORD_START]);
}

#[test]
fn reports_each_truncation_as_its_kind() {
    for text in [NATIVE, JDMPVIEW, IBM] {
        for length in 0..text.len() - 1 {
            let told = report(&text.as_bytes()[..length], false);
            let missing = told.findings.iter().any(|f| f.rule == rules::TRAILER_MISSING);
            assert_ne!(told.valid, !missing, "{length}: {:?}", told.findings);
        }
        assert_eq!(findings(&text.as_bytes()[..text.len() - 1], true), [], "but for the last line end");
    }
}

#[test]
fn writers_dumps_have_no_errors_or_warnings() {
    let ebcdic = Encoding { charset: Charset::Ebcdic(CodePage::Ibm037), newline: Newline::Nel };
    for profile in PROFILES {
        for placement in [Placement::Ordered, Placement::Mixed] {
            for seed in 0..if profile.is_seeded() { 40 } else { 4 } {
                let word = if seed % 2 == 0 { WordSize::Bits32 } else { WordSize::Bits64 };
                let wanted = GenerateOptions::default().placement(placement).word(word).objects(150);
                let heap = from_seed(&wanted, seed);
                for encoding in [Encoding::default(), ebcdic] {
                    let options = LowerOptions::default().profile(profile).seed(seed).encoding(encoding);
                    // A page of EBCDIC has no characters beyond ISO 8859-1.
                    let Ok(bytes) = lower::to_bytes(&heap, &options) else { continue };
                    let told = report(&bytes, true);
                    let bad: Vec<_> = told.findings.iter().filter(|f| f.severity > Severity::Note).collect();
                    assert!(bad.is_empty(), "{} {placement:?} {seed}: {bad:#?}", profile.name);
                }
            }
        }
    }
}
