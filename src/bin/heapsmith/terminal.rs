//! What people see: colour and progress on terminals only, tables everywhere, and no text from elsewhere that acts on
//! the terminal.

mod gate;

use std::io::{self, IsTerminal, Read, Write};
use std::time::{Duration, Instant};

use anstream::stream::{AsLockedWrite, RawStream};
use anstream::{AutoStream, ColorChoice};
use comfy_table::{Table, presets};
use heapsmith::visible::visible;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use gate::{Colour, Gate, Paint};

/// Prints an error on standard error.
pub(crate) fn error(message: &str) {
    // Where standard error takes nothing, the exit code still says it.
    let _ = writeln!(stderr(), "{} {message}", bad("error:"));
}

/// Prints a warning on standard error.
pub(crate) fn warning(message: &str) {
    let _ = writeln!(stderr(), "{} {message}", doubtful("warning:"));
}

/// Prints what clap says instead of a command: help, the version, or what is wrong with the arguments.
///
/// What clap quotes has to be visible already ([`visible`]): colours and quotations are one text there.
pub(crate) fn usage(message: &clap::Error) {
    let text = message.render().ansi().to_string();
    let _ = match message.use_stderr() {
        true => gate(io::stderr()).write_styled(&text),
        false => gate(io::stdout()).write_styled(&text),
    };
}

/// A word for good, coloured on terminals.
pub(crate) fn good(word: &str) -> String {
    Paint::Good.word(word)
}

/// A word for bad, coloured on terminals.
pub(crate) fn bad(word: &str) -> String {
    Paint::Bad.word(word)
}

/// A word for doubtful, coloured on terminals.
pub(crate) fn doubtful(word: &str) -> String {
    Paint::Doubtful.word(word)
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
pub(crate) fn line(text: &str) -> String {
    visible(text).replace('\n', "\\u000a").replace('\t', "\\u0009")
}

/// A progress bar on standard error, hidden unless that is a terminal and the work is long.
pub(crate) fn progress(length: u64, what: &str) -> ProgressBar {
    const LONG: u64 = 16 << 20;
    let shown = length >= LONG && io::stderr().is_terminal();
    let target = if shown { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
    let bar = ProgressBar::with_draw_target(Some(length), target);
    let style = ProgressStyle::with_template("{msg} [{bar:30}] {bytes}/{total_bytes} {eta}");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar.set_message(line(what));
    bar
}

/// A progress bar that counts steps.
#[cfg(feature = "check")]
pub(crate) fn steps(length: u64, what: &str) -> ProgressBar {
    let shown = io::stderr().is_terminal();
    let target = if shown { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
    let bar = ProgressBar::with_draw_target(Some(length), target);
    let style = ProgressStyle::with_template("{msg} [{bar:30}] {pos}/{len} {eta}");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar.set_message(line(what));
    bar
}

/// Bytes so far and their rate, on standard error if that is a terminal, once the work has taken a second.
pub(crate) struct Flow {
    bar: ProgressBar,
    hidden_until: Option<Instant>,
}

impl Flow {
    pub(crate) fn new(what: &str) -> Flow {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        let style = ProgressStyle::with_template("{msg} {spinner} {bytes} {bytes_per_sec} {elapsed}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
        bar.set_message(line(what));
        let soon = Instant::now() + Duration::from_secs(1);
        Flow { bar, hidden_until: io::stderr().is_terminal().then_some(soon) }
    }

    pub(crate) fn add(&mut self, bytes: usize) {
        self.bar.inc(bytes as u64);
        if self.hidden_until.is_some_and(|until| until <= Instant::now()) {
            self.hidden_until = None;
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
    }
}

impl Drop for Flow {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// A reader that moves a bar.
pub(crate) fn watched(bar: ProgressBar, source: Box<dyn Read>) -> Box<dyn Read> {
    Box::new(bar.wrap_read(source))
}

/// Standard output for people: with colour where it is a terminal, and every hidden character spelled out.
pub(crate) fn stdout() -> impl Write {
    gate(io::stdout())
}

/// Standard error for people, likewise.
pub(crate) fn stderr() -> impl Write {
    gate(io::stderr())
}

/// Standard output for programs: exactly what is written, unless it is a terminal.
pub(crate) fn data() -> Box<dyn Write> {
    if io::stdout().is_terminal() { Box::new(stdout()) } else { Box::new(io::stdout()) }
}

/// Standard error for programs, likewise.
pub(crate) fn data_on_stderr() -> Box<dyn Write> {
    if io::stderr().is_terminal() { Box::new(stderr()) } else { Box::new(io::stderr()) }
}

fn gate<S: RawStream + AsLockedWrite>(stream: S) -> Gate<AutoStream<S>> {
    match AutoStream::choice(&stream) {
        // The gate writes no colours then, and none has to be taken out again.
        ColorChoice::Never => Gate::new(AutoStream::always_ansi(stream), Colour::Left),
        choice => Gate::new(AutoStream::new(stream, choice), Colour::Shown),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_take_no_room_in_a_table() {
        let laid_out = |word: &dyn Fn(&str) -> String| {
            let mut table = table(["verdict", "case", "bytes"]);
            table.add_row([word("fine"), "a".to_owned(), "1".to_owned()]);
            table.add_row(["much longer".to_owned(), word("漢字"), "2".to_owned()]);
            let mut out = Vec::new();
            write!(Gate::new(&mut out, Colour::Left), "{}", render(&table)).expect("a vector takes all");
            String::from_utf8(out).expect("text")
        };
        let plain = laid_out(&str::to_owned);
        assert_eq!(plain.lines().count(), 3);
        for paint in [good, bad, doubtful] {
            assert_eq!(laid_out(&|word| paint(word)), plain);
        }
    }

    #[test]
    fn a_cell_is_as_wide_as_what_is_shown() {
        let mut table = table(["implementation", "cases"]);
        table.add_row([line("a\u{1b}[2J\u{202e}\nb"), "1".to_owned()]);
        let text = render(&table);
        assert_eq!(visible(&text), text);
        assert_eq!(text, "implementation           cases\na\\u001b[2J\\u202e\\u000ab  1");
    }
}
