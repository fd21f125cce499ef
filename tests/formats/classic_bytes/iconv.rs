//! Both pages against `iconv`, where it is installed.

use std::io::Write;
use std::process::{Command, Stdio};

use heapsmith::bytes::ebcdic::{CodePage, EbcdicLineEnd};
use heapsmith::classic::{Charset, Encoding, Newline};
use heapsmith::model::WordSize;

use super::heap::{options, small, written};

/// Bytes converted, or none and a reason on standard output.
fn iconv(from: &str, to: &str, bytes: &[u8]) -> Option<Vec<u8>> {
    let mut command = Command::new("iconv");
    command.args(["-f", from, "-t", to]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(e) => {
            println!("skipped: iconv cannot be started: {e}");
            return None;
        }
    };
    // Smaller than a pipe holds.
    child.stdin.take().expect("piped").write_all(bytes).expect("iconv reads");
    let output = child.wait_with_output().expect("iconv ends");
    if !output.status.success() {
        println!("skipped: this iconv does not convert {from} to {to}");
        return None;
    }
    Some(output.stdout)
}

const PAGES: [(CodePage, &str); 2] = [(CodePage::Ibm1047, "IBM1047"), (CodePage::Ibm037, "IBM037")];

#[test]
fn all_256_bytes_of_both_pages_are_what_iconv_makes_of_them() {
    let all: Vec<u8> = (0..=255).collect();
    for (page, name) in PAGES {
        let Some(expected) = iconv(name, "ISO-8859-1", &all) else { return };
        assert_eq!(page.to_latin1(EbcdicLineEnd::LineFeed).as_slice(), expected, "{name}");
        let Some(expected) = iconv("ISO-8859-1", name, &all) else { return };
        assert_eq!(page.from_latin1(EbcdicLineEnd::LineFeed).as_slice(), expected, "{name}");
    }
}

#[test]
fn a_dump_in_either_page_is_the_dump_in_utf_8_through_iconv() {
    let mut heap = small(WordSize::Bits64);
    heap.classes[2].name = "pkg/\u{c4}\u{d6}^~[]{}$#@!|\\".into();
    for profile in ["openj9", "jdmpview"] {
        let text = written(&heap, &options(profile, Encoding::default())).expect("writable");
        for (page, name) in PAGES {
            let encoding = Encoding { charset: Charset::Ebcdic(page), newline: Newline::Lf };
            let found = written(&heap, &options(profile, encoding)).expect("writable");
            let Some(expected) = iconv("UTF-8", name, &text) else { return };
            assert!(found == expected, "{profile} in {name}");
        }
    }
}
