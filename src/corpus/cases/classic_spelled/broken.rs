//! Texts that cannot be read to their end: cuts, and records that are none.

use super::*;

pub(super) fn cases() -> Vec<Case> {
    let mut cases = starts();
    cases.extend(cuts());
    cases.extend(records());
    cases
}

const START: &str = "classic.record.start";
const HEXADECIMAL: &str = "classic.number.hexadecimal";
const SIZE: &str = "classic.number.size";
const TYPE: &str = "classic.record.type";
const SYNTAX: &str = "classic.trailer.syntax";

fn starts() -> Vec<Case> {
    let start = "classic.file.start";
    vec![
        refused("slash", "a lone slash in front", &["/ Version: test\n", OBJECT, CLASS_A, END], 0, start, 0),
        refused("decimal-start", "an address without 0x in front", &["00001000 [16] OBJ A\n\t\n"], 0, start, 0),
    ]
}

/// Cut texts: what stands before the cut is sound.
fn cuts() -> Vec<Case> {
    let truncated = "classic.file.truncated";
    let make = |id, summary, cut: &str, rule, at: u64, records| {
        let text = [HEAD, OBJECT, cut];
        refused(id, summary, &text, records, rule, behind(&text[..2]) + at).showing(&["classic.file.kept-prefix"])
    };
    vec![
        make("cut-in-a-size", "cut inside a size", "0x00002000 [6", truncated, 11, 2),
        make("cut-in-a-kind", "cut inside CLS", "0x00002000 [64] CL", truncated, 16, 2),
        make(
            "cut-behind-a-line",
            "cut in front of the line of references",
            "0x00002000 [64] CLS A\n",
            truncated,
            22,
            2,
        ),
    ]
}

fn records() -> Vec<Case> {
    let make = |id, summary, record: &str, rule, at: u64| {
        let text = [HEAD, OBJECT, record, CLASS_A, END];
        refused(id, summary, &text, 2, rule, behind(&text[..2]) + at)
    };
    let in_trailer = |id, summary, trailer: &str| {
        let text = [HEAD, OBJECT, CLASS_A, trailer];
        refused(id, summary, &text, 3, SYNTAX, behind(&text[..3]))
    };
    vec![
        make("no-digits", "0x without a digit", "0x [16] OBJ A\n\t\n", HEXADECIMAL, 2),
        make("wide-address", "an address of 17 digits", "0x10000000000000000 [16] OBJ A\n\t\n", HEXADECIMAL, 0),
        make(
            "half-a-reference",
            "a comma behind a reference",
            "0x00003000 [16] OBJ A\n\t0x1000,0x1000\n",
            HEXADECIMAL,
            29,
        ),
        make("signed-size", "a size with a sign", "0x00003000 [+16] OBJ A\n\t\n", SIZE, 11),
        make("hexadecimal-size", "a hexadecimal size", "0x00003000 [0x10] OBJ A\n\t\n", SIZE, 11),
        make("empty-size", "brackets without a size", "0x00003000 [] OBJ A\n\t\n", SIZE, 11),
        make("size-above-64-bits", "a size of 2^64", "0x00003000 [18446744073709551616] OBJ A\n\t\n", SIZE, 11),
        make("lower-case-kind", "obj in the place of OBJ", "0x00003000 [16] obj A\n\t\n", TYPE, 16),
        make("kind-without-space", "no space behind OBJ", "0x00003000 [16] OBJA\n\t\n", TYPE, 19),
        // What is on a line of its own is the next record's, so the object before is whole.
        refused(
            "size-on-the-next-line",
            "the size of an address on the next line",
            &[HEAD, OBJECT, "0x00003000 [16] OBJ A\n\t0x00001000\n[16] OBJ A\n\t\n", CLASS_A, END],
            3,
            START,
            behind(&[HEAD, OBJECT]) + 34,
        ),
        make("stray-word", "a word among references", "0x00003000 [16] OBJ A\n\t0x00001000 null\n", START, 34),
        refused(
            "references-without-record",
            "references behind the version line",
            &[HEAD, "\t0x00001000 0x00002000\n", OBJECT, CLASS_A, END],
            1,
            "classic.reference.without-record",
            17 + 12,
        ),
        in_trailer(
            "trailer-without-number",
            "trailer 1 without its last number",
            "// Breakdown - Classes: 1, Objects: 1, ObjectArrays: 0, PrimitiveArrays:\n",
        ),
        in_trailer(
            "trailer-without-parenthesis",
            "trailer 2 without a parenthesis",
            "// EOF:  Total 'Objects',Refs(null) : 2,0(0\n",
        ),
        in_trailer(
            "trailer-above-64-bits",
            "a total of 2^64",
            "// EOF:  Total 'Objects',Refs(null) : 18446744073709551616,0(0)\n",
        ),
        in_trailer("negative-total", "a total below 0", "// EOF:  Total 'Objects',Refs(null) : -2,0(0)\n"),
    ]
}
