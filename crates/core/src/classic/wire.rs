//! The elements of the text: encodings, kinds of records, numbers.

use crate::bytes::ebcdic::{CodePage, EbcdicLineEnd, TranslationTable};

pub use crate::bytes::charset::{Charset, Newline};

/// The encoding of a dump's text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Encoding {
    /// The characters.
    pub charset: Charset,
    /// The end of a line.
    pub newline: Newline,
}

/// Bytes that are enough to tell the encoding of a dump, unless its version line is longer.
pub const START: usize = 64 * 1024;

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

impl Encoding {
    /// The encoding of a dump that begins like this; `None` if it begins like none.
    ///
    /// A dump begins with `//` or, without a version text, with white space and `0x` (`classic.md`, EBCDIC). The two
    /// pages are told apart by the first `[`; without one, IBM-1047 it is.
    pub fn detect(start: &[u8]) -> Option<Encoding> {
        let utf8 = start.strip_prefix(BYTE_ORDER_MARK).unwrap_or(start);
        let ascii = utf8.trim_ascii_start();
        if ascii.starts_with(b"//") || ascii.starts_with(b"0x") || ascii.starts_with(b"0X") {
            let newline = match ascii.iter().position(|&b| b == b'\n') {
                Some(at) if at > 0 && ascii[at - 1] == b'\r' => Newline::CrLf,
                _ => Newline::Lf,
            };
            return Some(Encoding { charset: Charset::Utf8, newline });
        }
        let white = start.iter().take_while(|b| matches!(b, 0x40 | 0x05 | 0x0d | 0x15 | 0x25)).count();
        let text = &start[white..];
        match text {
            [0xf0, 0xa7 | 0xe7, ..] => {}
            // In ASCII these are two letters a: white space, a letter or a digit of EBCDIC has to follow.
            [0x61, 0x61, 0x40 | 0x05 | 0x0d | 0x15 | 0x25 | 0x80.., ..] => {}
            _ => return None,
        }
        let newline = match start.iter().position(|b| matches!(b, 0x15 | 0x25)) {
            Some(at) if start[at] == 0x25 && at > 0 && start[at - 1] == 0x0d => Newline::CrLf,
            Some(at) if start[at] == 0x25 => Newline::Lf,
            _ => Newline::Nel,
        };
        let page = page(|at| start.get(at).copied());
        Some(Encoding { charset: Charset::Ebcdic(page), newline })
    }

    /// The table between the dump's bytes and text in ISO 8859-1; none for UTF-8.
    pub fn table(self) -> Option<TranslationTable> {
        self.page().map(|(page, end)| page.to_latin1(end))
    }

    /// The table from text in ISO 8859-1 to the dump's bytes; none for UTF-8.
    pub fn inverse(self) -> Option<TranslationTable> {
        self.page().map(|(page, end)| page.from_latin1(end))
    }

    fn page(self) -> Option<(CodePage, EbcdicLineEnd)> {
        match self.charset {
            Charset::Utf8 => None,
            Charset::Ebcdic(page) => {
                let nel = self.newline == Newline::Nel;
                Some((page, if nel { EbcdicLineEnd::NewLine } else { EbcdicLineEnd::LineFeed }))
            }
        }
    }
}

/// `0x`, digits, white space, a bracket, a decimal digit: the first record tells the page. `byte` gives those of the
/// start, and may be asked a few times for each.
fn page(byte: impl Fn(usize) -> Option<u8>) -> CodePage {
    let is_bracket = |at: usize| {
        // The rarest first: a start may be all white space.
        if !matches!(byte(at), Some(0xad | 0xba)) || !matches!(byte(at + 1), Some(0xf0..=0xf9)) {
            return false;
        }
        let is_white = |b: &u8| matches!(b, 0x40 | 0x05);
        let mut before = (0..at).rev().map_while(&byte);
        before.next().is_some_and(|b| is_white(&b)) && before.find(|b| !is_white(b)).is_some_and(is_ebcdic_digit)
    };
    match (1..).take_while(|at| byte(*at).is_some()).find(|at| is_bracket(*at)).and_then(byte) {
        Some(0xba) => CodePage::Ibm037,
        _ => CodePage::Ibm1047,
    }
}

fn is_ebcdic_digit(byte: u8) -> bool {
    matches!(byte, 0xf0..=0xf9 | 0xc1..=0xc6 | 0x81..=0x86)
}

/// The two kinds of entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EntryRecordKind {
    /// `OBJ`: an object.
    Object,
    /// `CLS`: a class.
    Class,
}

impl EntryRecordKind {
    /// The word in the record.
    pub const fn word(self) -> &'static [u8; 3] {
        match self {
            EntryRecordKind::Object => b"OBJ",
            EntryRecordKind::Class => b"CLS",
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[test]
    fn an_encoding_is_told_by_the_first_bytes() {
        let utf8 = |newline| Some(Encoding { charset: Charset::Utf8, newline });
        let ebcdic = |page, newline| Some(Encoding { charset: Charset::Ebcdic(page), newline });
        for (start, encoding) in [
            (b"// Version: x\n".as_slice(), utf8(Newline::Lf)),
            (b"// Version: x\r\n", utf8(Newline::CrLf)),
            (b"\n0x00", utf8(Newline::Lf)),
            (b"\xef\xbb\xbf// V", utf8(Newline::Lf)),
            // "//" NEL, and "//" LF "0x1 [8"
            (b"\x61\x61\x15", ebcdic(CodePage::Ibm1047, Newline::Nel)),
            (b"\x61\x61\x25\xf0\xa7\xf1\x40\xad\xf8", ebcdic(CodePage::Ibm1047, Newline::Lf)),
            (b"\x61\x61\x15\xf0\xa7\xf1\x40\xba\xf8", ebcdic(CodePage::Ibm037, Newline::Nel)),
            (b"\x25\xf0\xa7\xc1\x40\xba\xf8", ebcdic(CodePage::Ibm037, Newline::Lf)),
            (b"", None),
            (b"ab", None),
            (b"JAVA PROFILE 1.0.2\0", None),
            (b"\0\x12portable heap dump", None),
        ] {
            assert_eq!(Encoding::detect(start), encoding, "{}", start.escape_ascii());
        }
    }

    #[test]
    fn the_page_is_told_in_a_few_looks_at_each_byte() {
        // White space alone; white space between what may be a bracket, and between digits and what is none.
        let pieces: [&[u8]; 4] = [b"\x40", b"\x40\x05\xad\xf8", b"\xf1\x40\xad", b"\xad\xf8"];
        let mut starts: Vec<Vec<u8>> = pieces.iter().map(|piece| piece.repeat(START / piece.len())).collect();
        starts.push([&[0x40].repeat(START - 2)[..], b"\xba\xf8"].concat());
        for start in starts {
            let looks = Cell::new(0);
            let told = page(|at| {
                looks.set(looks.get() + 1);
                start.get(at).copied()
            });
            assert_eq!(told, CodePage::Ibm1047);
            assert!(looks.get() < 6 * START, "{} looks", looks.get());
        }
    }
}
