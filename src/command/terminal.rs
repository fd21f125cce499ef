//! Output for people: colour and progress on terminals only, tables everywhere, and no text from elsewhere that acts on
//! the terminal.

mod progress;
mod writer;

use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::error::Error;
use crate::visible::visible_line;
use anstream::stream::{AsLockedWrite, RawStream};
use anstream::{AutoStream, ColorChoice};
use clap::{Args, ValueEnum};
use comfy_table::{Table, presets};
use serde::Serialize;

pub(crate) use progress::{TerminalProgress, command_start, watch};
use writer::{ColourMarks, TerminalWriter, WordColour};

/// The options of colours, warnings and progress.
#[derive(Args)]
pub(crate) struct TerminalOpts {
    /// When to print colours: on terminals unless NO_COLOR is set (auto), always, or never.
    #[arg(long, global = true, value_enum, value_name = "WHEN", default_value_t = ColoursOpt::Auto, help_heading = "General options")]
    color: ColoursOpt,
    /// Print no warnings and no progress: only the answer, and errors. Without it, both go to standard error.
    #[arg(short, long, global = true, help_heading = "General options")]
    quiet: bool,
    /// Print on standard error which heapsmith it was and how long it took. Without it, neither is printed.
    #[arg(short, long, global = true, conflicts_with = "quiet", help_heading = "General options")]
    verbose: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum ColoursOpt {
    Auto,
    Always,
    Never,
}

/// Whether warnings and progress are left out, and whether more is said than usual.
static QUIET: AtomicBool = AtomicBool::new(false);
static VERBOSE: AtomicBool = AtomicBool::new(false);

impl TerminalOpts {
    /// Applies the options to the rest of the run.
    pub(crate) fn apply(&self) {
        match self.color {
            ColoursOpt::Auto => ColorChoice::Auto,
            ColoursOpt::Always => ColorChoice::Always,
            ColoursOpt::Never => ColorChoice::Never,
        }
        .write_global();
        QUIET.store(self.quiet, Ordering::Relaxed);
        VERBOSE.store(self.verbose, Ordering::Relaxed);
    }
}

/// Whether standard error shows progress.
fn shows_progress() -> bool {
    io::stderr().is_terminal() && !QUIET.load(Ordering::Relaxed)
}

/// Prints a message on standard error with `--verbose` only.
pub(crate) fn print_if_verbose(message: &str) {
    if VERBOSE.load(Ordering::Relaxed) {
        let _ = writeln!(stderr(), "{message}");
    }
}

/// Prints an error on standard error.
pub(crate) fn error(message: &str) {
    // Where standard error takes nothing, the exit code still says it.
    let _ = writeln!(stderr(), "{} {}", bad("error:"), indent_continuation(message));
}

/// Prints a warning on standard error.
pub(crate) fn warning(message: &str) {
    if QUIET.load(Ordering::Relaxed) {
        return;
    }
    let _ = writeln!(stderr(), "{} {}", doubtful("warning:"), indent_continuation(message));
}

/// A message whose further lines, which may be from elsewhere, do not begin as one of ours does.
fn indent_continuation(message: &str) -> String {
    message.replace('\n', "\n    ")
}

/// Prints what clap says instead of a command: help, the version, or what is wrong with the arguments.
///
/// What clap quotes has to be visible already ([`visible`]): colours and quotations are one text there.
pub(crate) fn usage(message: &clap::Error) {
    let text = message.render().ansi().to_string();
    let _ = match message.use_stderr() {
        true => terminal_writer(io::stderr()).write_styled(&text),
        false => terminal_writer(io::stdout()).write_styled(&text),
    };
}

/// A word for good, coloured on terminals.
pub(crate) fn good(word: &str) -> String {
    WordColour::Good.mark_word(word)
}

/// A word for bad, coloured on terminals.
pub(crate) fn bad(word: &str) -> String {
    WordColour::Bad.mark_word(word)
}

/// A word for doubtful, coloured on terminals.
pub(crate) fn doubtful(word: &str) -> String {
    WordColour::Doubtful.mark_word(word)
}

/// A table with these column heads.
pub(crate) fn table<const N: usize>(head: [&str; N]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_header(head);
    for column in table.column_iter_mut() {
        column.set_padding((0, 2));
    }
    table
}

/// A table as text, without the blanks at the ends of its lines.
pub(crate) fn render(table: &Table) -> String {
    let lines: Vec<String> = table.lines().map(|line| line.trim_end().to_owned()).collect();
    lines.join("\n")
}

/// A text from elsewhere in a single line, for a cell of a table and a progress bar, which measure what they are given.
pub(crate) fn single_line(text: &str) -> String {
    visible_line(text)
}

/// Standard output for people: with colour where it is a terminal, and every hidden character spelled out.
pub(crate) fn stdout() -> impl Write {
    terminal_writer(io::stdout())
}

/// Standard error for people, likewise.
pub(crate) fn stderr() -> impl Write {
    terminal_writer(io::stderr())
}

/// Text for a file that people read: without colours, and with hidden characters spelled out.
pub(crate) fn plain(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut gate = TerminalWriter::new(&mut bytes, ColourMarks::Left);
    // A vector takes all, and the writer's end writes what it held back.
    let _in_memory = gate.write_all(text.as_bytes());
    drop(gate);
    bytes
}

/// Standard output for programs: exactly what is written, unless it is a terminal.
pub(crate) fn data() -> Box<dyn Write> {
    if io::stdout().is_terminal() { Box::new(stdout()) } else { Box::new(io::stdout()) }
}

/// The output of a report for people: standard error if this other output is standard output, which holds nothing else then.
pub(crate) fn text_beside(other: Option<&Path>) -> Box<dyn Write> {
    if is_stdout(other) { Box::new(stderr()) } else { Box::new(stdout()) }
}

/// The output of a report for programs, likewise.
fn data_beside(other: Option<&Path>) -> Box<dyn Write> {
    match is_stdout(other) {
        true if io::stderr().is_terminal() => Box::new(stderr()),
        true => Box::new(io::stderr()),
        false => data(),
    }
}

/// Writes a value as a line of JSON.
pub(crate) fn write_json(mut out: impl Write, value: &impl Serialize) -> io::Result<()> {
    let text = serde_json::to_string(value)?;
    writeln!(out, "{text}")
}

/// Prints a value as a line of JSON on standard output.
pub(crate) fn print_json(value: &impl Serialize) -> Result<(), Error> {
    write_json(data(), value).map_err(|e| Error::io("writing standard output", e))
}

/// Prints a report as a line of JSON, on standard error if this other output is standard output.
pub(crate) fn print_json_beside(other: Option<&Path>, report: &impl Serialize) -> Result<(), Error> {
    write_json(data_beside(other), report).map_err(|e| Error::io("writing the report", e))
}

fn is_stdout(output: Option<&Path>) -> bool {
    output == Some(Path::new("-"))
}

fn terminal_writer<S: RawStream + AsLockedWrite>(stream: S) -> TerminalWriter<AutoStream<S>> {
    match AutoStream::choice(&stream) {
        // The writer adds no colours then, and none has to be taken out again.
        ColorChoice::Never => TerminalWriter::new(AutoStream::always_ansi(stream), ColourMarks::Left),
        choice => TerminalWriter::new(AutoStream::new(stream, choice), ColourMarks::Shown),
    }
}

#[cfg(test)]
mod tests {
    use crate::visible::visible;

    use super::*;

    #[test]
    fn colours_take_no_room_in_a_table() {
        let laid_out = |word: &dyn Fn(&str) -> String| {
            let mut table = table(["verdict", "case", "bytes"]);
            table.add_row([word("fine"), "a".to_owned(), "1".to_owned()]);
            table.add_row(["much longer".to_owned(), word("漢字"), "2".to_owned()]);
            let mut out = Vec::new();
            write!(TerminalWriter::new(&mut out, ColourMarks::Left), "{}", render(&table)).expect("a vector takes all");
            String::from_utf8(out).expect("text")
        };
        let plain = laid_out(&str::to_owned);
        assert_eq!(plain.lines().count(), 3);
        for paint in [good, bad, doubtful] {
            assert_eq!(laid_out(&|word| paint(word)), plain);
        }
    }

    #[test]
    fn measures_cells_by_visible_text() {
        let mut table = table(["implementation", "cases"]);
        table.add_row([single_line("a\u{1b}[2J\u{202e}\nb"), "1".to_owned()]);
        let text = render(&table);
        assert_eq!(visible(&text), text);
        assert_eq!(text, "implementation           cases\na\\u001b[2J\\u202e\\u000ab  1");
    }
}
