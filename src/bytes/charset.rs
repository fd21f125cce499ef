//! How text is stored: the characters, and what ends a line.

use super::ebcdic::Page;

/// How the characters of a dump are stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Charset {
    /// ASCII with names in UTF-8: every platform but z/OS.
    #[default]
    Utf8,
    /// An EBCDIC page (z/OS).
    Ebcdic(Page),
}

/// What ends a line.
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
    /// Every one.
    pub const ALL: [Charset; 3] = [Charset::Utf8, Charset::Ebcdic(Page::Ibm1047), Charset::Ebcdic(Page::Ibm037)];

    /// The encoding of a name.
    pub fn named(name: &str) -> Option<Charset> {
        Charset::ALL.into_iter().find(|charset| charset.name() == name)
    }

    /// Its name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Charset::Utf8 => "utf-8",
            Charset::Ebcdic(Page::Ibm1047) => "ibm-1047",
            Charset::Ebcdic(Page::Ibm037) => "ibm-037",
        }
    }

    /// What a JVM ends its lines with there.
    pub const fn newline(self) -> Newline {
        match self {
            Charset::Utf8 => Newline::Lf,
            Charset::Ebcdic(_) => Newline::Nel,
        }
    }
}

impl Newline {
    /// Every one.
    pub const ALL: [Newline; 3] = [Newline::Lf, Newline::CrLf, Newline::Nel];

    /// The ends of lines of a name.
    pub fn named(name: &str) -> Option<Newline> {
        Newline::ALL.into_iter().find(|newline| newline.name() == name)
    }

    /// Its name on the command line.
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
