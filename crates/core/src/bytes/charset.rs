//! Character encodings and line ends of dumps that are text.

use super::ebcdic::CodePage;

/// The character encoding of a dump.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Charset {
    /// ASCII with names in UTF-8: every platform but z/OS.
    #[default]
    Utf8,
    /// An EBCDIC page (z/OS).
    Ebcdic(CodePage),
}

/// The end of a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Newline {
    /// Line feed: 0x0a, in EBCDIC 0x25.
    #[default]
    Lf,
    /// Carriage return and line feed.
    CrLf,
    /// New line: in EBCDIC 0x15.
    Nel,
}

impl Charset {
    /// Every encoding.
    pub const ALL: [Charset; 3] =
        [Charset::Utf8, Charset::Ebcdic(CodePage::Ibm1047), Charset::Ebcdic(CodePage::Ibm037)];

    /// The encoding of a name.
    pub fn from_name(name: &str) -> Option<Charset> {
        Charset::ALL.into_iter().find(|charset| charset.name() == name)
    }

    /// The encoding's name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Charset::Utf8 => "utf-8",
            Charset::Ebcdic(CodePage::Ibm1047) => "ibm-1047",
            Charset::Ebcdic(CodePage::Ibm037) => "ibm-037",
        }
    }

    /// The line end that a JVM writes in this encoding.
    pub const fn newline(self) -> Newline {
        match self {
            Charset::Utf8 => Newline::Lf,
            Charset::Ebcdic(_) => Newline::Nel,
        }
    }
}

impl Newline {
    /// Every line end.
    pub const ALL: [Newline; 3] = [Newline::Lf, Newline::CrLf, Newline::Nel];

    /// The line end of a name.
    pub fn from_name(name: &str) -> Option<Newline> {
        Newline::ALL.into_iter().find(|newline| newline.name() == name)
    }

    /// The line end's name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Newline::Lf => "lf",
            Newline::CrLf => "crlf",
            Newline::Nel => "nel",
        }
    }

    /// The characters, once the encoding is out of the way: a dump's table makes a line feed of whatever byte
    /// ends a line.
    pub const fn text(self) -> &'static [u8] {
        match self {
            Newline::CrLf => b"\r\n",
            Newline::Lf | Newline::Nel => b"\n",
        }
    }
}
