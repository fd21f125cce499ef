//! The end of every command's help: examples, and what its exit code says.

use std::fmt::Write;

use clap::builder::{StyledStr, Styles};

/// Examples of a command, and what its exit code says.
#[derive(Clone, Copy)]
pub(crate) struct HelpEnding {
    /// Purposes and command lines.
    pub(crate) examples: &'static [(&'static str, &'static str)],
    /// Meanings of exit codes, where they say more of this command than of any ([`EXIT_CODES`]), or are not among those that every
    /// command can have.
    pub(crate) exit_codes: &'static [(u8, &'static str)],
}

/// What exit codes mean in general. docs/limits.md has the same list with examples.
pub(crate) const EXIT_CODES: &[(u8, &str)] = &[
    (0, "fine"),
    (1, "the answer is no: a finding, a difference, an input that is not a valid dump"),
    (2, "usage or I/O error: the command could not run"),
    (3, "not decided within the budget"),
];

/// Exit codes that every command can have.
const ANYWHERE: [u8; 2] = [0, 2];

/// The line of the exit codes after a signal, which every command can have.
const SIGNALS: &str = "130, 143, 129  ended by SIGINT (Ctrl-C), SIGTERM or SIGHUP; no half-written output is left";

/// An input that is not a valid dump: exit code 1 of commands that need one.
pub(crate) const NOT_VALID: (u8, &str) = (1, "the input is not a valid dump");

impl HelpEnding {
    /// The exit codes of the command with their meanings.
    fn exit_codes(&self) -> impl Iterator<Item = (u8, &'static str)> {
        EXIT_CODES.iter().filter_map(|(code, anywhere)| {
            let own = self.exit_codes.iter().find(|(own, _)| own == code).map(|(_, meaning)| *meaning);
            own.or(ANYWHERE.contains(code).then_some(anywhere)).map(|meaning| (*code, meaning))
        })
    }
}

impl From<HelpEnding> for StyledStr {
    fn from(ending: HelpEnding) -> StyledStr {
        let heading = Styles::styled().get_header().to_owned();
        let mut text = StyledStr::new();
        let mut push = |line: std::fmt::Arguments<'_>| text.write_fmt(line).unwrap_or(());
        push(format_args!("{heading}Examples:{heading:#}"));
        for (purpose, command) in ending.examples {
            push(format_args!("\n  # {purpose}\n  $ {command}"));
        }
        push(format_args!("\n\n{heading}Exit status:{heading:#}"));
        for (code, meaning) in ending.exit_codes() {
            push(format_args!("\n  {code}  {meaning}"));
        }
        push(format_args!("\n  {SIGNALS}"));
        text
    }
}
