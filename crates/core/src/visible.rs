//! Text from elsewhere made visible: names, messages and paths that would act on a terminal, or hide, are spelled out.
//!
//! Control characters move the cursor, clear the screen and set the window's title; bidirectional controls make text
//! look like another; invisible ones make two names look the same. Each is written as JSON would escape it, so that
//! JSON stays JSON with the same meaning.
//!
//! What goes to a log of continuous integration ([`VisibleWriter`]) must not act on that either, which takes some lines for
//! commands: `::error::text` where a line begins, and `##[error]text` anywhere. A character of each is spelled out as well.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{self, Write};

/// Whether a character acts on a terminal or is not seen there, and so has to be spelled out. Line feeds and tabs
/// do not count.
///
/// ```
/// use heapsmith::visible::is_hidden;
///
/// assert!(is_hidden('\u{1b}') && is_hidden('\u{9b}') && is_hidden('\u{202e}'));
/// assert!(!is_hidden('\n') && !is_hidden('ü') && !is_hidden('\u{5e9}') && !is_hidden('😀'));
/// ```
pub fn is_hidden(c: char) -> bool {
    match c {
        '\n' | '\t' | ' '..='~' => false,
        // Arabic letter mark; zero width space, joiners and marks; separators and embeddings; isolates.
        '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' => true,
        // Byte order mark; annotations; tags and variation selectors, which spell whole texts without being seen.
        '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}' => true,
        // Noncharacters: no text has them, and XML has no place for some.
        '\u{fdd0}'..='\u{fdef}' => true,
        c if u32::from(c) & 0xfffe == 0xfffe => true,
        c => c.is_control(),
    }
}

/// The text with every hidden character spelled out: `\u001b`, and `\udb40\udc01` beyond U+FFFF.
///
/// ```
/// use heapsmith::visible::visible;
///
/// assert_eq!(visible("title \u{1b}]0;x\u{7}"), r"title \u001b]0;x\u0007");
/// ```
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.contains(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut spelled = String::with_capacity(text.len() + 16);
    push_visible(&mut spelled, text);
    Cow::Owned(spelled)
}

/// Bytes that are text for the most part, with every hidden character spelled out. A byte that belongs to no character
/// is spelled `\u00ff`: alone, some terminals take 0x80 to 0x9f for control characters.
pub fn visible_bytes(bytes: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return visible(text);
    }
    let mut spelled = String::with_capacity(bytes.len() + 16);
    let cut = push_visible_bytes(&mut spelled, bytes);
    push_lone_bytes(&mut spelled, cut);
    Cow::Owned(spelled)
}

/// A text from elsewhere as a part of a line: its line breaks and tabs are spelled out as well, so that it begins no line.
///
/// ```
/// use heapsmith::visible::visible_line;
///
/// assert_eq!(visible_line("java/lang/Object\n::error::x"), r"java/lang/Object\u000a::error::x");
/// ```
pub fn visible_line(text: &str) -> String {
    visible(text).replace('\n', "\\u000a").replace('\t', "\\u0009")
}

/// A writer that spells out hidden characters, and one character of each command to a log of continuous integration, and passes
/// everything else on.
///
/// A character may be cut between two writes. What is still not a character at the end is written when the writer is
/// dropped.
#[derive(Debug)]
pub struct VisibleWriter<W: Write> {
    out: W,
    /// The beginning of a character.
    cut: Vec<u8>,
    /// The beginning of a command at the end of what was written.
    begun: CommandPrefix,
}

/// The prefix of a command to a log that a line has so far. GitHub's runner trims lines and takes `::name::` for a
/// command; it takes `##[name]` for one wherever it stands, Azure's takes `##vso[name]`, and TeamCity
/// `##teamcity[name]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CommandPrefix {
    /// Nothing but white space.
    Line,
    /// White space and a colon.
    Colon,
    /// A number sign.
    NumberSign,
    /// Two, and perhaps letters.
    NumberSigns,
    /// No command.
    Nothing,
}

impl CommandPrefix {
    /// The prefix after one more character; and whether that completes the command.
    fn advance(self, next: char) -> (CommandPrefix, bool) {
        match (self, next) {
            (_, '\n') => (CommandPrefix::Line, false),
            (CommandPrefix::Line, c) if c.is_whitespace() => (CommandPrefix::Line, false),
            (CommandPrefix::Line, ':') => (CommandPrefix::Colon, false),
            (CommandPrefix::Colon, ':') | (CommandPrefix::NumberSigns, '[') => (CommandPrefix::Nothing, true),
            (CommandPrefix::NumberSign | CommandPrefix::NumberSigns, '#') => (CommandPrefix::NumberSigns, false),
            (_, '#') => (CommandPrefix::NumberSign, false),
            (CommandPrefix::NumberSigns, c) if c.is_ascii_alphabetic() => (CommandPrefix::NumberSigns, false),
            _ => (CommandPrefix::Nothing, false),
        }
    }

    /// The prefix after a text; `None` if a command is in it.
    fn advance_over(self, text: &str) -> Option<CommandPrefix> {
        let mut begun = self;
        let mut rest = text.as_bytes();
        // Lines begin and number signs stand at few places.
        while let Some(at) = if begun == CommandPrefix::Nothing { memchr::memchr2(b'\n', b'#', rest) } else { Some(0) }
        {
            let Some(next) = text[text.len() - rest.len() + at..].chars().next() else { break };
            let is_command;
            (begun, is_command) = begun.advance(next);
            if is_command {
                return None;
            }
            rest = &rest[at + next.len_utf8()..];
        }
        Some(begun)
    }

    /// Pushes a text without hidden characters, with one character of each command spelled out.
    fn push(&mut self, spelled: &mut String, text: &str) {
        if let Some(begun) = self.advance_over(text) {
            *self = begun;
            spelled.push_str(text);
            return;
        }
        for c in text.chars() {
            let is_command;
            (*self, is_command) = self.advance(c);
            if is_command { push_escape(spelled, c) } else { spelled.push(c) }
        }
    }
}

impl<W: Write> VisibleWriter<W> {
    /// Writes into `out`.
    pub fn new(out: W) -> VisibleWriter<W> {
        VisibleWriter { out, cut: Vec::new(), begun: CommandPrefix::Line }
    }

    /// Writes the beginning of a character, if there is one, as the bytes that it is.
    ///
    /// # Errors
    /// If that cannot be written.
    pub fn settle(&mut self) -> io::Result<()> {
        if self.cut.is_empty() {
            return Ok(());
        }
        let mut spelled = String::new();
        push_lone_bytes(&mut spelled, &std::mem::take(&mut self.cut));
        self.begun = CommandPrefix::Nothing;
        self.out.write_all(spelled.as_bytes())
    }

    /// The inner writer, for what is passed on as it is.
    ///
    /// # Errors
    /// If what came before cannot be written.
    pub fn settled(&mut self) -> io::Result<&mut W> {
        self.settle()?;
        Ok(&mut self.out)
    }
}

impl<W: Write> Write for VisibleWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.cut.is_empty()
            && let Ok(text) = std::str::from_utf8(bytes)
            && !text.contains(is_hidden)
            && let Some(begun) = self.begun.advance_over(text)
        {
            self.begun = begun;
            self.out.write_all(bytes)?;
            return Ok(bytes.len());
        }
        let mut whole = std::mem::take(&mut self.cut);
        whole.extend_from_slice(bytes);
        let mut visible = String::with_capacity(whole.len() + 16);
        let cut = push_visible_bytes(&mut visible, &whole);
        self.cut = cut.to_vec();
        let mut spelled = String::with_capacity(visible.len() + 16);
        self.begun.push(&mut spelled, &visible);
        self.out.write_all(spelled.as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

impl<W: Write> Drop for VisibleWriter<W> {
    fn drop(&mut self) {
        // A caller that has to know whether this was written calls settle.
        let _ = self.settle();
    }
}

fn push_visible(spelled: &mut String, text: &str) {
    let mut rest = text;
    while let Some((before, hidden, after)) = split_at_hidden(rest) {
        spelled.push_str(before);
        push_escape(spelled, hidden);
        rest = after;
    }
    spelled.push_str(rest);
}

/// The text before the first hidden character, that character, and the text after it.
fn split_at_hidden(text: &str) -> Option<(&str, char, &str)> {
    let (at, hidden) = text.char_indices().find(|(_, c)| is_hidden(*c))?;
    Some((&text[..at], hidden, &text[at + hidden.len_utf8()..]))
}

/// Returns the beginning of a character at the end of the bytes, which is not pushed.
fn push_visible_bytes<'b>(spelled: &mut String, bytes: &'b [u8]) -> &'b [u8] {
    let mut chunks = bytes.utf8_chunks().peekable();
    while let Some(chunk) = chunks.next() {
        push_visible(spelled, chunk.valid());
        let invalid = chunk.invalid();
        let is_cut = chunks.peek().is_none() && std::str::from_utf8(invalid).is_err_and(|e| e.error_len().is_none());
        if is_cut {
            return invalid;
        }
        push_lone_bytes(spelled, invalid);
    }
    &[]
}

fn push_lone_bytes(spelled: &mut String, bytes: &[u8]) {
    bytes.iter().for_each(|byte| push_escape(spelled, char::from(*byte)));
}

fn push_escape(spelled: &mut String, c: char) {
    for unit in c.encode_utf16(&mut [0; 2]) {
        let _ = write!(spelled, "\\u{unit:04x}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every character that a terminal must not get, from the documents and not from the code.
    fn dangerous() -> Vec<char> {
        let c0 = (0..0x20).filter(|c| !matches!(c, 0x09 | 0x0a));
        let listed = [0x61c, 0x200b, 0x200e, 0x200f, 0x2028, 0x2029, 0xfeff, 0xfffe, 0xffff, 0x1_fffe, 0x10_ffff];
        let rest = (0x7f..0xa0).chain(0x202a..=0x202e).chain(0x2066..=0x2069).chain(0xfdd0..=0xfdef);
        c0.chain(rest).chain(listed).chain(0xe_0000..=0xe_007f).filter_map(char::from_u32).collect()
    }

    #[test]
    fn what_acts_on_a_terminal_is_spelled_out() {
        for c in dangerous() {
            let spelled = visible(&format!("a{c}b")).into_owned();
            assert!(spelled.starts_with("a\\u") && spelled.ends_with('b') && spelled.is_ascii(), "{spelled:?}");
        }
        assert_eq!(visible("\u{1b}[2J\u{8}\r\n\u{9b}x"), "\\u001b[2J\\u0008\\u000d\n\\u009bx");
        assert_eq!(visible("\u{e0041}"), "\\udb40\\udc41");
    }

    #[test]
    fn what_is_seen_stays() {
        for text in ["", "java/lang/Object", "a\tb\nc", "ü ß 漢字 𝄞 😀 ❤\u{fe0f}", "שלום", "a\u{301}", "\u{fffd}"]
        {
            assert_eq!(visible(text), text);
            assert_eq!(visible_bytes(text.as_bytes()), text);
        }
    }

    fn written(pieces: &[&str]) -> String {
        let mut out = Vec::new();
        let mut writer = VisibleWriter::new(&mut out);
        pieces.iter().for_each(|piece| writer.write_all(piece.as_bytes()).expect("a vector takes all"));
        drop(writer);
        String::from_utf8(out).expect("text")
    }

    /// By what the runners of GitHub, Azure and TeamCity take for commands.
    #[test]
    fn spells_commands_to_logs_out() {
        for (text, shown) in [
            ("::error::x", ":\\u003aerror::x"),
            (
                "a\n::error::x\n \t\u{a0}\u{3000}::add-mask::x",
                "a\n:\\u003aerror::x\n \t\u{a0}\u{3000}:\\u003aadd-mask::x",
            ),
            ("##[error]x", "##\\u005berror]x"),
            ("a ##[a] ###[b]##vso[c]##teamcity[d]", "a ##\\u005ba] ###\\u005bb]##vso\\u005bc]##teamcity\\u005bd]"),
            (":::", ":\\u003a:"),
        ] {
            assert_eq!(written(&[text]), shown);
            for at in (0..=text.len()).filter(|at| text.is_char_boundary(*at)) {
                assert_eq!(written(&[&text[..at], &text[at..]]), shown, "cut at {at}");
            }
        }
    }

    #[test]
    fn keeps_what_is_no_command_to_a_log() {
        for text in ["a::b", "std::io::Error: \n:x", "## Title [a]", "#[test]", "##1[a]", "a: ::b", "int[]#[\n:\n"] {
            assert_eq!(written(&[text]), text);
        }
    }

    #[test]
    fn bytes_that_are_no_character_are_spelled_out() {
        assert_eq!(visible_bytes(b"a\x9b2Jb\xffc\xe2\x80"), r"a\u009b2Jb\u00ffc\u00e2\u0080");
        assert_eq!(visible_bytes(b"\xed\xa0\x80\xc0\x9b"), r"\u00ed\u00a0\u0080\u00c0\u009b");
    }

    #[test]
    fn a_character_may_be_cut_between_two_writes() {
        let text = "a\u{1b}ü\u{202e}漢\u{9b}😀\u{e0041}\n";
        let bytes = text.as_bytes();
        for first in 0..=bytes.len() {
            for second in first..=bytes.len() {
                let mut out = Vec::new();
                let mut writer = VisibleWriter::new(&mut out);
                for piece in [&bytes[..first], &bytes[first..second], &bytes[second..]] {
                    writer.write_all(piece).expect("a vector takes all");
                }
                drop(writer);
                assert_eq!(String::from_utf8(out).expect("text"), visible(text));
            }
        }
    }

    #[test]
    fn a_character_that_never_ends_is_written_at_the_end() {
        let mut out = Vec::new();
        let mut writer = VisibleWriter::new(&mut out);
        writer.write_all(b"a\xe2\x80").expect("a vector takes all");
        writer.write_all(b"").expect("a vector takes all");
        writer.settled().expect("a vector takes all").push(b'|');
        writer.write_all(b"\xe2").expect("a vector takes all");
        drop(writer);
        assert_eq!(out, br"a\u00e2\u0080|\u00e2");
    }

    #[test]
    fn json_keeps_its_meaning() {
        let mut text: String = dangerous().into_iter().collect();
        text += "\\\u{202e}\\\\\u{9b}\"\u{7f}\n\t";
        let json = serde_json::to_string(&[&text]).expect("text");
        let spelled = visible(&json);
        assert!(!spelled.contains(is_hidden));
        assert_eq!(serde_json::from_str::<[String; 1]>(&spelled).expect("JSON still"), [text]);
    }
}
