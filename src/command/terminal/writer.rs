//! The one way to standard output and standard error for what people read.
//!
//! Text from dumps, file names and other programs' messages must not act on a terminal, so every hidden character is
//! spelled out here, wherever it came from. Our own colours come as *marks* within the text: characters of no width
//! around a number that is drawn for each process and never printed. Text from elsewhere cannot have a mark, since it
//! cannot know the number; what looks like one is spelled out as well.

use std::hash::{BuildHasher, RandomState};
use std::io::{self, Write};
use std::sync::LazyLock;

use crate::visible::VisibleWriter;
use anstyle::{AnsiColor, Style};

/// The meaning of a coloured word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WordColour {
    Good,
    Bad,
    Doubtful,
}

impl WordColour {
    fn style(self) -> Style {
        match self {
            WordColour::Good => AnsiColor::Green.on_default(),
            WordColour::Bad => AnsiColor::Red.on_default().bold(),
            WordColour::Doubtful => AnsiColor::Yellow.on_default().bold(),
        }
    }

    /// The word between marks.
    pub(super) fn mark_word(self, word: &str) -> String {
        let [begin, end] = [Some(self), None].map(|meaning| {
            MARKS.iter().find(|mark| mark.meaning == meaning).map(|mark| mark.text.as_str()).unwrap_or_default()
        });
        format!("{begin}{word}{end}")
    }
}

/// Whether marks become colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ColourMarks {
    Shown,
    Left,
}

/// A writer that shows marks as colours and spells hidden characters out.
pub(super) struct TerminalWriter<W: Write> {
    out: VisibleWriter<W>,
    colour: ColourMarks,
    /// The bytes that may be the beginning of a mark.
    cut: Vec<u8>,
    /// The colour that the last mark began.
    painted: Option<WordColour>,
}

impl<W: Write> TerminalWriter<W> {
    pub(super) fn new(out: W, colour: ColourMarks) -> TerminalWriter<W> {
        TerminalWriter { out: VisibleWriter::new(out), colour, cut: Vec::new(), painted: None }
    }

    /// Writes a text that clap made, whose colours are escape sequences. What it quotes has to be visible already;
    /// escape sequences that are no colours are spelled out all the same.
    pub(super) fn write_styled(&mut self, text: &str) -> io::Result<()> {
        let mut rest = text;
        while let Some(at) = rest.find("\u{1b}[") {
            self.write_all(&rest.as_bytes()[..at])?;
            rest = &rest[at..];
            let digits = rest[2..].find(|c: char| !c.is_ascii_digit() && c != ';').unwrap_or(rest.len() - 2);
            let (sequence, after) = match rest[2 + digits..].starts_with('m') {
                true => rest.split_at(2 + digits + 1),
                false => {
                    self.write_all(&rest.as_bytes()[..2])?;
                    rest = &rest[2..];
                    continue;
                }
            };
            if self.colour == ColourMarks::Shown {
                self.out.settled()?.write_all(sequence.as_bytes())?;
            }
            rest = after;
        }
        self.write_all(rest.as_bytes())
    }

    fn paint(&mut self, meaning: Option<WordColour>) -> io::Result<()> {
        let ended = std::mem::replace(&mut self.painted, meaning);
        if self.colour == ColourMarks::Left {
            return Ok(());
        }
        let out = self.out.settled()?;
        match (ended, meaning) {
            (_, Some(paint)) => write!(out, "{}", paint.style().render()),
            (Some(paint), None) => write!(out, "{}", paint.style().render_reset()),
            (None, None) => Ok(()),
        }
    }
}

impl<W: Write> Write for TerminalWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut joined = std::mem::take(&mut self.cut);
        let whole = match joined.is_empty() {
            true => bytes,
            false => {
                joined.extend_from_slice(bytes);
                &joined[..]
            }
        };
        let mut rest = whole;
        while let Some(at) = memchr::memchr(FIRST_BYTE, rest) {
            self.out.write_all(&rest[..at])?;
            rest = &rest[at..];
            if let Some(mark) = MARKS.iter().find(|mark| rest.starts_with(mark.text.as_bytes())) {
                self.paint(mark.meaning)?;
                rest = &rest[mark.text.len()..];
            } else if MARKS.iter().any(|mark| mark.text.as_bytes().starts_with(rest)) {
                self.cut = rest.to_vec();
                return Ok(bytes.len());
            } else {
                self.out.write_all(&rest[..1])?;
                rest = &rest[1..];
            }
        }
        self.out.write_all(rest)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

impl<W: Write> Drop for TerminalWriter<W> {
    fn drop(&mut self) {
        // Nothing is lost here: our own texts are whole, and an error was an error of the write before.
        let _ = self.out.write_all(&std::mem::take(&mut self.cut));
        let _ = self.paint(None);
    }
}

/// A beginning or end of colour, as it stands in a text.
struct ColourMark {
    /// The colour that begins here; `None` ends it.
    meaning: Option<WordColour>,
    text: String,
}

/// All marks of this process.
static MARKS: LazyLock<[ColourMark; 4]> = LazyLock::new(|| {
    let secret = [0, 1].map(|half: u8| format!("{:016x}", RandomState::new().hash_one(half))).concat();
    [(Some(WordColour::Good), 'g'), (Some(WordColour::Bad), 'b'), (Some(WordColour::Doubtful), 'd'), (None, 'e')].map(
        |(meaning, letter)| ColourMark {
            meaning,
            text: std::iter::once(TAGS).chain(secret.chars().chain([letter]).filter_map(tag_character)).collect(),
        },
    )
});

/// Begins a mark: the first of the tag characters, which have no width, so that tables are laid out as if there were
/// no marks.
const TAGS: char = '\u{e0001}';

/// The first byte of every tag character.
const FIRST_BYTE: u8 = 0xf3;

/// The tag character of an ASCII character.
fn tag_character(c: char) -> Option<char> {
    char::from_u32(0xe_0000 + u32::from(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written_through<'b>(pieces: impl IntoIterator<Item = &'b [u8]>, colour: ColourMarks) -> String {
        let mut out = Vec::new();
        let mut gate = TerminalWriter::new(&mut out, colour);
        pieces.into_iter().for_each(|piece| gate.write_all(piece).expect("a vector takes all"));
        drop(gate);
        String::from_utf8(out).expect("text")
    }

    #[test]
    fn renders_marks_as_colours_only_on_terminal() {
        let text = format!("{} ü {}\n", WordColour::Good.mark_word("fine"), WordColour::Bad.mark_word("not \u{1b}[2J"));
        let shown = "\u{1b}[32mfine\u{1b}[0m ü \u{1b}[1m\u{1b}[31mnot \\u001b[2J\u{1b}[0m\n";
        assert_eq!(written_through([text.as_bytes()], ColourMarks::Shown), shown);
        assert_eq!(written_through([text.as_bytes()], ColourMarks::Left), "fine ü not \\u001b[2J\n");
    }

    #[test]
    fn accepts_writes_split_anywhere() {
        let text = format!("漢\u{202e}{}\u{9b}😀\u{e0001}", WordColour::Doubtful.mark_word("perhaps"));
        let bytes = text.as_bytes();
        for colour in [ColourMarks::Shown, ColourMarks::Left] {
            let whole = written_through([bytes], colour);
            for at in 0..=bytes.len() {
                assert_eq!(written_through([&bytes[..at], &bytes[at..]], colour), whole, "cut at {at}");
            }
            assert_eq!(written_through(bytes.chunks(1), colour), whole);
        }
    }

    #[test]
    fn escapes_marks_of_another_process() {
        let own = &MARKS[0].text;
        let last = own.chars().next_back().expect("not empty");
        let other = if last == '\u{e0067}' { '\u{e0068}' } else { '\u{e0067}' };
        let unknown = format!("{}{other}", own.strip_suffix(last).expect("it ends so"));
        let guessed: String =
            std::iter::once(TAGS).chain(format!("{:032x}g", 0).chars().filter_map(tag_character)).collect();
        for forged in [unknown, guessed, own.chars().skip(1).collect(), own.chars().take(20).collect()] {
            let shown = written_through([forged.as_bytes(), b"word"], ColourMarks::Shown);
            assert!(shown.is_ascii() && !shown.contains('\u{1b}') && shown.ends_with("word"), "{shown:?}");
        }
    }

    #[test]
    fn a_colour_ends_with_the_text() {
        let begun = &MARKS[1].text;
        assert_eq!(
            written_through([begun.as_bytes(), b"word"], ColourMarks::Shown),
            "\u{1b}[1m\u{1b}[31mword\u{1b}[0m"
        );
        assert_eq!(written_through([MARKS[3].text.as_bytes()], ColourMarks::Shown), "");
    }

    #[test]
    fn json_stays_json_with_the_same_meaning() {
        let texts = ["\u{1b}]0;x\u{7}\u{8}\u{9b}\u{202e}\u{7f}\\\u{85}", "\u{e0001}\u{fdd0}\u{ffff}", "ü\n\t\"😀"];
        let json = serde_json::to_string(&texts).expect("text");
        let shown = written_through(json.as_bytes().chunks(1), ColourMarks::Shown);
        assert!(!shown.contains(crate::visible::is_hidden));
        assert_eq!(serde_json::from_str::<Vec<String>>(&shown).expect("JSON still"), texts);
    }

    #[test]
    fn passes_only_colours_of_clap_text() {
        let styled = "\u{1b}[1m\u{1b}[31merror:\u{1b}[0m a\u{1b}[2Jb\u{1b}]0;x\u{7}\u{1b}[";
        let write = |colour| {
            let mut out = Vec::new();
            TerminalWriter::new(&mut out, colour).write_styled(styled).expect("a vector takes all");
            String::from_utf8(out).expect("text")
        };
        let rest = "a\\u001b[2Jb\\u001b]0;x\\u0007\\u001b[";
        assert_eq!(write(ColourMarks::Shown), format!("\u{1b}[1m\u{1b}[31merror:\u{1b}[0m {rest}"));
        assert_eq!(write(ColourMarks::Left), format!("error: {rest}"));
    }
}
