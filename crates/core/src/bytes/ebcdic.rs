//! EBCDIC code pages, byte for byte.

use std::io::{self, Read, Write};

/// An EBCDIC code page whose 256 characters are those of ISO 8859-1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CodePage {
    /// IBM-1047, Latin 1 for open systems: what z/OS UNIX and its JVMs use.
    Ibm1047,
    /// IBM-037, the older page of the United States and others.
    Ibm037,
}

/// The byte that ends a line in an EBCDIC text. In ISO 8859-1 the other one is a control character, U+0085.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EbcdicLineEnd {
    /// 0x15, new line: what a JVM on z/OS writes.
    NewLine,
    /// 0x25, line feed: what some converters write.
    LineFeed,
}

/// A table of 256 bytes.
pub type TranslationTable = [u8; 256];

impl CodePage {
    /// The table from the page's bytes to ISO 8859-1, where the byte that ends a line becomes a line feed.
    pub fn to_latin1(self, end: EbcdicLineEnd) -> TranslationTable {
        let mut table = IBM_1047;
        if self == CodePage::Ibm037 {
            for (at, character) in IBM_037_DIFFERS {
                table[at] = character;
            }
        }
        if end == EbcdicLineEnd::NewLine {
            table.swap(0x15, 0x25);
        }
        table
    }

    /// The table from ISO 8859-1 to the page's bytes: the inverse.
    pub fn from_latin1(self, end: EbcdicLineEnd) -> TranslationTable {
        let mut inverse = [0; 256];
        for (byte, &character) in self.to_latin1(end).iter().enumerate() {
            inverse[usize::from(character)] = byte as u8;
        }
        inverse
    }
}

/// A stream whose bytes pass through a table, if there is one.
#[derive(Debug)]
pub struct MappedStream<S> {
    stream: S,
    table: Option<Box<TranslationTable>>,
    written: Vec<u8>,
}

impl<S> MappedStream<S> {
    /// The stream, through the table.
    pub fn new(stream: S, table: Option<TranslationTable>) -> MappedStream<S> {
        MappedStream { stream, table: table.map(Box::new), written: Vec::new() }
    }

    /// The stream itself.
    pub fn get_ref(&self) -> &S {
        &self.stream
    }
}

impl<R: Read> Read for MappedStream<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.stream.read(buffer)?;
        if let Some(table) = &self.table {
            buffer[..count].iter_mut().for_each(|byte| *byte = table[usize::from(*byte)]);
        }
        Ok(count)
    }
}

impl<W: Write> Write for MappedStream<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let Some(table) = &self.table else { return self.stream.write(bytes) };
        self.written.clear();
        self.written.extend(bytes.iter().map(|byte| table[usize::from(*byte)]));
        self.stream.write(&self.written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}

/// IBM-1047 to ISO 8859-1 (IBM, Character Data Representation Architecture, code page 1047; the table of `iconv`).
#[rustfmt::skip]
const IBM_1047: TranslationTable = [
    0x00, 0x01, 0x02, 0x03, 0x9c, 0x09, 0x86, 0x7f, 0x97, 0x8d, 0x8e, 0x0b, 0x0c, 0x0d, 0x0e, 0x0f,
    0x10, 0x11, 0x12, 0x13, 0x9d, 0x85, 0x08, 0x87, 0x18, 0x19, 0x92, 0x8f, 0x1c, 0x1d, 0x1e, 0x1f,
    0x80, 0x81, 0x82, 0x83, 0x84, 0x0a, 0x17, 0x1b, 0x88, 0x89, 0x8a, 0x8b, 0x8c, 0x05, 0x06, 0x07,
    0x90, 0x91, 0x16, 0x93, 0x94, 0x95, 0x96, 0x04, 0x98, 0x99, 0x9a, 0x9b, 0x14, 0x15, 0x9e, 0x1a,
    0x20, 0xa0, 0xe2, 0xe4, 0xe0, 0xe1, 0xe3, 0xe5, 0xe7, 0xf1, 0xa2, 0x2e, 0x3c, 0x28, 0x2b, 0x7c,
    0x26, 0xe9, 0xea, 0xeb, 0xe8, 0xed, 0xee, 0xef, 0xec, 0xdf, 0x21, 0x24, 0x2a, 0x29, 0x3b, 0x5e,
    0x2d, 0x2f, 0xc2, 0xc4, 0xc0, 0xc1, 0xc3, 0xc5, 0xc7, 0xd1, 0xa6, 0x2c, 0x25, 0x5f, 0x3e, 0x3f,
    0xf8, 0xc9, 0xca, 0xcb, 0xc8, 0xcd, 0xce, 0xcf, 0xcc, 0x60, 0x3a, 0x23, 0x40, 0x27, 0x3d, 0x22,
    0xd8, 0x61, 0x62, 0x63, 0x64, 0x65, 0x66, 0x67, 0x68, 0x69, 0xab, 0xbb, 0xf0, 0xfd, 0xfe, 0xb1,
    0xb0, 0x6a, 0x6b, 0x6c, 0x6d, 0x6e, 0x6f, 0x70, 0x71, 0x72, 0xaa, 0xba, 0xe6, 0xb8, 0xc6, 0xa4,
    0xb5, 0x7e, 0x73, 0x74, 0x75, 0x76, 0x77, 0x78, 0x79, 0x7a, 0xa1, 0xbf, 0xd0, 0x5b, 0xde, 0xae,
    0xac, 0xa3, 0xa5, 0xb7, 0xa9, 0xa7, 0xb6, 0xbc, 0xbd, 0xbe, 0xdd, 0xa8, 0xaf, 0x5d, 0xb4, 0xd7,
    0x7b, 0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48, 0x49, 0xad, 0xf4, 0xf6, 0xf2, 0xf3, 0xf5,
    0x7d, 0x4a, 0x4b, 0x4c, 0x4d, 0x4e, 0x4f, 0x50, 0x51, 0x52, 0xb9, 0xfb, 0xfc, 0xf9, 0xfa, 0xff,
    0x5c, 0xf7, 0x53, 0x54, 0x55, 0x56, 0x57, 0x58, 0x59, 0x5a, 0xb2, 0xd4, 0xd6, 0xd2, 0xd3, 0xd5,
    0x30, 0x31, 0x32, 0x33, 0x34, 0x35, 0x36, 0x37, 0x38, 0x39, 0xb3, 0xdb, 0xdc, 0xd9, 0xda, 0x9f,
];

/// Characters of IBM-037 that differ from IBM-1047: circumflex and not sign, the brackets, Y acute and diaeresis.
const IBM_037_DIFFERS: [(usize, u8); 6] =
    [(0x5f, 0xac), (0xad, 0xdd), (0xb0, 0x5e), (0xba, 0x5b), (0xbb, 0x5d), (0xbd, 0xa8)];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_comes_back_and_the_bytes_that_matter_are_where_they_have_to_be() {
        for page in [CodePage::Ibm1047, CodePage::Ibm037] {
            for end in [EbcdicLineEnd::NewLine, EbcdicLineEnd::LineFeed] {
                let (to, from) = (page.to_latin1(end), page.from_latin1(end));
                assert!((0..=255_u8).all(|byte| from[usize::from(to[usize::from(byte)])] == byte));
                assert_eq!(from[usize::from(b'\n')], if end == EbcdicLineEnd::NewLine { 0x15 } else { 0x25 });
                // The IBM pages agree on what hexadecimal text is made of.
                let text: Vec<u8> = b"\t //0x9AF".iter().map(|b| from[usize::from(*b)]).collect();
                assert_eq!(text, [0x05, 0x40, 0x61, 0x61, 0xf0, 0xa7, 0xf9, 0xc1, 0xc6]);
            }
        }
        let bracket = |page: CodePage| page.from_latin1(EbcdicLineEnd::NewLine)[usize::from(b'[')];
        assert_eq!((bracket(CodePage::Ibm1047), bracket(CodePage::Ibm037)), (0xad, 0xba));
    }
}
