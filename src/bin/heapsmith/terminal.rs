//! What people see: colour and progress on terminals only, tables everywhere.

use std::io::{IsTerminal, Read, Write};

use anstyle::{AnsiColor, Style};
use comfy_table::{Table, presets};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

const RED: Style = AnsiColor::Red.on_default().bold();
const YELLOW: Style = AnsiColor::Yellow.on_default().bold();
const GREEN: Style = AnsiColor::Green.on_default();

/// Prints an error on standard error.
pub(crate) fn error(message: &str) {
    let _ = writeln!(anstream::stderr(), "{RED}error:{RED:#} {message}");
}

/// Prints a warning on standard error.
pub(crate) fn warning(message: &str) {
    let _ = writeln!(anstream::stderr(), "{YELLOW}warning:{YELLOW:#} {message}");
}

/// A word for good, coloured on terminals.
pub(crate) fn good(word: &str) -> String {
    format!("{GREEN}{word}{GREEN:#}")
}

/// A word for bad, coloured on terminals.
pub(crate) fn bad(word: &str) -> String {
    format!("{RED}{word}{RED:#}")
}

/// A word for doubtful, coloured on terminals.
pub(crate) fn doubtful(word: &str) -> String {
    format!("{YELLOW}{word}{YELLOW:#}")
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

/// A progress bar on standard error, hidden unless that is a terminal and the work is long.
pub(crate) fn progress(length: u64, what: &str) -> ProgressBar {
    const LONG: u64 = 16 << 20;
    let shown = length >= LONG && std::io::stderr().is_terminal();
    let target = if shown { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
    let bar = ProgressBar::with_draw_target(Some(length), target);
    let style = ProgressStyle::with_template("{msg} [{bar:30}] {bytes}/{total_bytes} {eta}");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar.set_message(what.to_owned());
    bar
}

/// A progress bar that counts steps.
pub(crate) fn steps(length: u64, what: &str) -> ProgressBar {
    let shown = std::io::stderr().is_terminal();
    let target = if shown { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
    let bar = ProgressBar::with_draw_target(Some(length), target);
    let style = ProgressStyle::with_template("{msg} [{bar:30}] {pos}/{len} {eta}");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar.set_message(what.to_owned());
    bar
}

/// A reader that moves a bar.
pub(crate) fn watched(bar: ProgressBar, source: Box<dyn Read>) -> Box<dyn Read> {
    Box::new(bar.wrap_read(source))
}

/// Standard output with colour where it is a terminal.
pub(crate) fn stdout() -> impl Write {
    anstream::stdout()
}
