//! Encodings and line ends. EBCDIC is spelled in hexadecimal, from the code pages' tables.

use super::super::bytes;
use super::*;

pub(super) fn cases() -> Vec<Case> {
    let mut cases = vec![byte_order_mark(), crlf(), mixed_ends(), mixed_ebcdic(), ebcdic_without_bracket()];
    cases.extend(ebcdic());
    cases
}

fn byte_order_mark() -> Case {
    let text = ["\u{feff}", HEAD, OBJECT, CLASS_A, END];
    valid("byte-order-mark", "a byte order mark in front", &text, 6, told_one())
        .tolerated("classic.file.byte-order-mark", 0)
        .showing(&["classic.file.encoding"])
}

fn crlf() -> Case {
    let text = [HEAD, OBJECT, CLASS_A, END].concat().replace('\n', "\r\n");
    valid("crlf", "lines that end in CR LF", &[&text], 5, told_one()).showing(&["classic.record.white-space"])
}

fn mixed_ends() -> Case {
    let end = END.replace('\n', "\r\n");
    let text = [HEAD, OBJECT, CLASS_A, &end];
    valid("mixed-line-ends", "lines that end in LF, but for the trailers'", &text, 5, told_one())
        .noted("classic.file.line-ends", behind(&text[..3]) + 74)
}

/// `// Version: test`, without its line end, in either page.
const VERSION: &str = "6161 40 e58599a28996957a 40 a385a2a3";
/// `0x00001000 ` and `0x00002000 `.
const AT_1000: &str = "f0a7f0f0f0f0f1f0f0f0 40";
const AT_2000: &str = "f0a7f0f0f0f0f2f0f0f0 40";
/// `16` and `64`; ` OBJ ` and ` CLS `.
const SIZES: [&str; 2] = ["f1f6", "f6f4"];
const KINDS: [&str; 2] = ["40 d6c2d1 40", "40 c3d3e2 40"];
/// Trailer 1 of [`END`].
const BREAKDOWN: &str = "6161 40 c2998581928496a695 40 60 40 c39381a2a285a27a 40 f16b 40 d6829185 83a3a27a 40 f16b 40 \
                         d68291858 3a3c1999981a8a27a 40 f06b 40 d799899489a389a585c1999981a8a27a 40 f0";
/// Trailer 2.
const EOF: &str =
    "6161 40 c5d6c67a 4040 e396a38193 40 7dd68291 8583a3a27d6b d98586a24d95a493935d 40 7a 40 f26bf04df05d";

/// The text of [`HEAD`], [`OBJECT`], [`CLASS_A`] and [`END`], with these brackets and line ends. The class's name is
/// that of the page: `A`, a bracket, a caret.
fn page(open: &str, close: &str, end: &str) -> Vec<u8> {
    let name = format!("c1 {open} 5f");
    let entry =
        |address: &str, n: usize| format!("{address} {open} {} {close} {} {name} {end} 05 {end}", SIZES[n], KINDS[n]);
    let text = [VERSION, end, &entry(AT_1000, 0), &entry(AT_2000, 1), BREAKDOWN, end, EOF, end];
    bytes(&text)
}

/// The same bytes are brackets in one page and letters in the other: ad and bd are brackets in IBM-1047, ba and bb in
/// IBM-037; 5f is a caret in IBM-1047 and a not sign in IBM-037.
fn ebcdic() -> [Case; 3] {
    let told = |name: &str| told().instance(0x1000, name, Some(0x2000), 16, &[]).class(0x2000, name, 64, &[]);
    let make = |id, summary, bytes, name| {
        of_bytes(id, summary, bytes, 5, told(name)).showing(&[
            "classic.file.encoding",
            "classic.file.ebcdic-page",
            "classic.file.ebcdic-line-end",
            "classic.name.characters",
        ])
    };
    [
        make("ibm-1047", "IBM-1047 with the line end 15", page("ad", "bd", "15"), "A[^"),
        make("ibm-1047-25", "IBM-1047 with the line end 25", page("ad", "bd", "25"), "A[^"),
        make("ibm-037", "IBM-037 with the line end 15", page("ba", "bb", "15"), "A[\u{ac}"),
    ]
}

/// The first line end tells the line feed; the other byte ends a line as well.
fn mixed_ebcdic() -> Case {
    let entry = |address: &str, n: usize| format!("{address} ad {} bd {} c1 25 05 25", SIZES[n], KINDS[n]);
    let head = bytes(&[VERSION, "15"]).len() as u64;
    let text = bytes(&[VERSION, "15", &entry(AT_1000, 0), &entry(AT_2000, 1), BREAKDOWN, "15", EOF, "15"]);
    of_bytes("mixed-ebcdic", "EBCDIC with lines that end in 15 and in 25", text, 5, told_one())
        .noted("classic.file.line-ends", head + 21)
        .showing(&["classic.file.ebcdic-line-end"])
}

/// Without a record nothing tells the page.
fn ebcdic_without_bracket() -> Case {
    let none = BREAKDOWN.replace("f16b", "f06b");
    let text = bytes(&[VERSION, "15", &none, "15", &EOF.replace("f26b", "f06b"), "15"]);
    let told = told().but(|facts| facts.word_size = None);
    of_bytes("ebcdic-without-objects", "EBCDIC without a record, and so without a bracket", text, 3, told)
        .showing(&["classic.file.ebcdic-page"])
}
