//! The coverage of rules, records and statements by the corpus and the rule books.

use std::io::Write;

use crate::corpus::{Coverage, FormatCoverage, coverage};
use crate::error::Error;
use crate::format::Family;
use clap::Args;

use super::failed;
use crate::command::{CommandOutcome, family, terminal};

#[derive(Args)]
pub(crate) struct CoverageOpts {
    /// This format alone: phd, hprof or classic. Without it, all.
    #[arg(long, value_name = "FORMAT", value_parser = family)]
    format: Option<Family>,
    /// List what the rule books exempt, with the reasons. Without it, they are counted.
    #[arg(long, conflicts_with = "json")]
    exempt: bool,
    /// JSON: counts, what is missing and what is exempt. Without it, text.
    #[arg(long)]
    json: bool,
}

impl CoverageOpts {
    pub(crate) fn run(self) -> Result<CommandOutcome, Error> {
        let formats = self.format.map_or_else(|| Family::ALL.to_vec(), |format| vec![format]);
        let coverage = coverage(&formats)?;
        if self.json {
            terminal::print_json(&coverage)?;
        } else {
            self.print(&coverage).map_err(failed)?;
        }
        Ok(if coverage.complete { CommandOutcome::Yes } else { CommandOutcome::No })
    }

    fn print(&self, coverage: &Coverage) -> std::io::Result<()> {
        let mut out = terminal::stdout();
        for (index, format) in coverage.formats.iter().enumerate() {
            if index > 0 {
                writeln!(out)?;
            }
            writeln!(out, "{}", table(format))?;
            for gap in &format.missing {
                let record = gap.record.map_or_else(String::new, |record| format!(" [{record}]"));
                let missing = terminal::bad("missing");
                writeln!(out, "{missing}: {}: {}{record}; add {}", gap.measure.title(), gap.of, gap.add)?;
            }
            for exempt in format.exempt.iter().filter(|_| self.exempt) {
                let record = exempt.record.map_or_else(String::new, |record| format!(" [{record}]"));
                writeln!(out, "exempt: {}: {}{record}: {}", exempt.measure.title(), exempt.of, exempt.reason)?;
            }
        }
        Ok(())
    }
}

fn table(format: &FormatCoverage) -> String {
    let mut table = terminal::table([format.format, "covered", "of", "exempt", "%"]);
    for count in &format.counts {
        let numbers = [count.covered, count.all, count.exempt].map(|number| number.to_string());
        let share = (count.covered * 100).checked_div(count.all).unwrap_or(100).to_string();
        table.add_row([count.measure.title().to_owned()].into_iter().chain(numbers).chain([share]));
    }
    terminal::render(&table)
}
