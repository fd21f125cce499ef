use std::io::Write;

use crate::compare::Facet;
use crate::compare::carriage::Carriage;
use crate::error::Error;
use crate::format::{DumpTarget, text};
use clap::Args;
use comfy_table::Table;
use comfy_table::presets::NOTHING;
use serde::Serialize;

use crate::command::help::HelpEnding;
use crate::command::{CommandOutcome, terminal};

/// Shows which facts a dump carries, by format, version and writer.
///
/// Without arguments, the whole table by format; with one format, its writers as well; with two, what a
/// heap of the first has left when it was written as the second. A slash separates the writer from the format.
#[derive(Args)]
#[command(after_long_help = HELP_ENDING)]
pub(crate) struct FacetsOpts {
    /// A format, or a format and a profile, such as phd6/openj9. Without it, all formats.
    first: Option<DumpTarget>,
    /// Another format: shows what both have, and what is left of the first in the second. Without it, only the first.
    second: Option<DumpTarget>,
    /// Show only these facets (comma-separated). Without it, all.
    #[arg(long, value_delimiter = ',')]
    facets: Vec<Facet>,
    /// Print columns and rows as JSON instead of text.
    #[arg(long)]
    json: bool,
}

const HELP_ENDING: HelpEnding = HelpEnding {
    examples: &[
        ("Show what dumps of each format carry", "heapsmith facets"),
        ("Show what OpenJ9's PHD leaves of an HPROF dump", "heapsmith facets hprof phd6/openj9"),
    ],
    exit_codes: &[],
};

/// The table, or a part of it.
#[derive(Serialize, schemars::JsonSchema)]
#[schemars(rename = "Report")]
pub(crate) struct FacetsReport {
    /// Version of this report's schema.
    schema: u32,
    /// Formats, with a slash and a profile where one is meant; the last is the meet if `meet` is set.
    columns: Vec<String>,
    /// Whether the last column is the meet of the others.
    meet: bool,
    /// One row a facet.
    facets: Vec<FacetRow>,
    /// The rules that the rows name, and what each does.
    rules: Vec<ChangeRuleText>,
}

#[derive(Serialize, schemars::JsonSchema)]
#[schemars(rename = "Row")]
struct FacetRow {
    /// The facet.
    facet: Facet,
    /// In the order of the columns: `exact`, `none`, or rules.
    carried: Vec<Vec<String>>,
}

#[derive(Serialize, schemars::JsonSchema)]
#[schemars(rename = "RuleText")]
struct ChangeRuleText {
    /// The rule's name.
    rule: String,
    /// What it does.
    text: String,
}

impl FacetsOpts {
    pub(crate) fn run(self) -> Result<CommandOutcome, Error> {
        let report = self.report();
        let failed = |e| Error::io("writing standard output", e);
        if self.json {
            terminal::print_json(&report)?;
            return Ok(CommandOutcome::Yes);
        }
        let mut out = terminal::stdout();
        let mut table = Table::new();
        table.load_style(NOTHING);
        table.set_header(std::iter::once("facet".to_owned()).chain(report.columns.iter().cloned()));
        table.column_iter_mut().for_each(|column| _ = column.set_padding((0, 2)));
        for row in &report.facets {
            let cells = row.carried.iter().map(|carried| carried.join(", "));
            table.add_row(std::iter::once(row.facet.to_string()).chain(cells));
        }
        writeln!(out, "{}", terminal::render(&table)).map_err(failed)?;
        if !report.rules.is_empty() {
            writeln!(out).map_err(failed)?;
        }
        for ChangeRuleText { rule, text } in &report.rules {
            writeln!(out, "{rule}: {text}").map_err(failed)?;
        }
        Ok(CommandOutcome::Yes)
    }

    fn report(&self) -> FacetsReport {
        let targets = match (&self.first, &self.second) {
            (Some(first), Some(second)) => vec![first.clone(), second.clone()],
            (Some(only), None) => {
                let mut own: Vec<DumpTarget> =
                    DumpTarget::all().into_iter().filter(|target| target.format == only.format).collect();
                own.retain(|target| only.profile.is_none() || target == only);
                own
            }
            _ => DumpTarget::all().into_iter().filter(|target| target.profile.is_none()).collect(),
        };
        let meet = self.second.is_some();
        let columns: Vec<_> = targets.iter().map(DumpTarget::column).collect();
        let mut used = std::collections::BTreeSet::new();
        let mut facets = Vec::new();
        for facet in Facet::ALL.into_iter().filter(|f| self.facets.is_empty() || self.facets.contains(f)) {
            let mut cells: Vec<Vec<Carriage>> = columns.iter().map(|column| vec![column.carriage(facet)]).collect();
            if let ([first, second], true) = (columns.as_slice(), meet) {
                cells.push(first.meet(second, facet));
            }
            used.extend(cells.iter().flatten().filter_map(|carriage| match carriage {
                Carriage::Changed(rule) => Some(*rule),
                Carriage::Exact | Carriage::None => None,
            }));
            let words = |carried: Vec<Carriage>| carried.iter().map(Carriage::to_string).collect();
            facets.push(FacetRow { facet, carried: cells.into_iter().map(words).collect() });
        }
        let mut columns: Vec<String> = targets.iter().map(DumpTarget::to_string).collect();
        columns.extend(meet.then(|| "both".to_owned()));
        let rules = used.into_iter().map(|rule| ChangeRuleText { rule: rule.to_string(), text: text(rule).to_owned() });
        FacetsReport { schema: 4, columns, meet, facets, rules: rules.collect() }
    }
}
