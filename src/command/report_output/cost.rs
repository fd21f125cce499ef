//! The cost of cases.

use std::io::{self, IsTerminal};

use crate::check::CheckReport;
use crate::check::report::TestedImplementation;

use crate::command::terminal;

/// The cases that took most time and most memory. On terminals alone: it is another text in every run.
pub(super) fn costs(report: &CheckReport) -> String {
    let Some(run) = report.run.as_ref().filter(|_| io::stdout().is_terminal()) else { return String::new() };
    let of = |tested: &TestedImplementation| {
        let slowest = run.slowest(&tested.label).map(|(id, time)| format!("slowest: {id}, {time:.0} ms\n"));
        let hungriest = run.most_memory(&tested.label);
        let hungriest = hungriest.map(|(id, bytes)| format!("most memory: {id}, {} MiB\n", bytes.div_ceil(1 << 20)));
        let is_matrix = report.implementations.len() > 1;
        let of = if is_matrix { format!("{}: ", terminal::single_line(&tested.label)) } else { String::new() };
        slowest.into_iter().chain(hungriest).map(|line| of.clone() + &line).collect::<String>()
    };
    report.implementations.iter().map(of).collect()
}
