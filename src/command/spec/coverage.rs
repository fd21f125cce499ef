//! The coverage of rules, records and statements by the corpus and the rule books.

use std::collections::BTreeMap;
use std::io::Write;

use crate::corpus::{Coverage, FormatCoverage, Grid, GridCell, coverage};
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
    /// The grid instead: each field and kind of record in each dimension along which mistakes lie, such as a number whose
    /// top bit is set, with the smallest case that has it or the reason why none can be. Without it, rules.
    #[arg(long, conflicts_with = "exempt")]
    grid: bool,
    /// With --grid: every cell. Without it, their numbers by dimension and by kind of record, and those that are missing.
    #[arg(long, requires = "grid", conflicts_with = "json")]
    all: bool,
    /// JSON: counts, what is missing and what is exempt; with --grid, every cell. Without it, text.
    #[arg(long)]
    json: bool,
}

impl CoverageOpts {
    pub(crate) fn run(self) -> Result<CommandOutcome, Error> {
        let formats = self.format.map_or_else(|| Family::ALL.to_vec(), |format| vec![format]);
        if self.grid {
            return self.run_grid(&Grid::from_corpus(&formats)?);
        }
        let coverage = coverage(&formats)?;
        if self.json {
            terminal::print_json(&coverage)?;
        } else {
            self.print(&coverage).map_err(failed)?;
        }
        Ok(if coverage.complete { CommandOutcome::Yes } else { CommandOutcome::No })
    }

    fn run_grid(&self, grid: &Grid) -> Result<CommandOutcome, Error> {
        if self.json {
            terminal::print_json(grid)?;
        } else {
            self.print_grid(grid).map_err(failed)?;
        }
        Ok(if grid.complete && grid.faults.is_empty() { CommandOutcome::Yes } else { CommandOutcome::No })
    }

    fn print_grid(&self, grid: &Grid) -> std::io::Result<()> {
        let mut out = terminal::stdout();
        if self.all {
            for dimension in &grid.dimensions {
                writeln!(out, "{}: {}", dimension.name, dimension.sentence)?;
            }
            for cell in &grid.cells {
                let state = match (&cell.case, &cell.why) {
                    (Some(case), _) => case.as_str(),
                    (None, Some(why)) => why.as_str(),
                    (None, None) if cell.open => "open",
                    (None, None) => "missing",
                };
                writeln!(out, "{cell}: {state}")?;
            }
        } else {
            let by_dimension = grid.dimensions.iter().map(|dimension| dimension.name);
            writeln!(out, "{}\n", grid_table("dimension", grid, by_dimension, |cell, name| cell.dimension == name))?;
            let records: BTreeMap<String, ()> = grid.cells.iter().map(|cell| (record_of(cell), ())).collect();
            let by_record = records.keys().map(String::as_str);
            writeln!(out, "{}", grid_table("record", grid, by_record, |cell, name| record_of(cell) == name))?;
        }
        for cell in grid.cells.iter().filter(|cell| cell.is_missing()) {
            writeln!(out, "{}: {cell}; add a case, or a reason to specs/grid.toml", terminal::bad("missing"))?;
        }
        for fault in &grid.faults {
            writeln!(out, "{}: {fault}", terminal::bad("specs/grid.toml"))?;
        }
        Ok(())
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

fn record_of(cell: &GridCell) -> String {
    format!("{}: {}", cell.format, cell.record)
}

/// The numbers of cells by what they have, a line for each name.
fn grid_table<'n>(
    title: &str,
    grid: &Grid,
    names: impl Iterator<Item = &'n str>,
    is_of: impl Fn(&GridCell, &str) -> bool,
) -> String {
    let mut table = terminal::table([title, "cells", "with a case", "with a reason", "open", "missing"]);
    let mut add = |name: &str, cells: &[&GridCell]| {
        let count = |holds: fn(&GridCell) -> bool| cells.iter().filter(|cell| holds(cell)).count();
        let numbers = [
            cells.len(),
            count(|cell| cell.case.is_some()),
            count(|cell| cell.why.is_some()),
            count(|cell| cell.open),
            count(GridCell::is_missing),
        ];
        table.add_row(std::iter::once(name.to_owned()).chain(numbers.map(|number| number.to_string())));
    };
    for name in names {
        let cells: Vec<&GridCell> = grid.cells.iter().filter(|cell| is_of(cell, name)).collect();
        if !cells.is_empty() {
            add(name, &cells);
        }
    }
    add("all", &grid.cells.iter().collect::<Vec<_>>());
    terminal::render(&table)
}
