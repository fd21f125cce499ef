//! The status of a campaign as text.

use std::collections::BTreeMap;

use crate::check::campaign::CampaignStatus;

use crate::command::terminal;

/// The progress of a campaign, its causes, and what its dumps reached.
pub(super) fn status(told: &CampaignStatus, all: bool) -> String {
    let mut text = format!("{}\n", terminal::single_line(&told.label));
    let rate = if told.seconds > 0.0 { told.cases as f64 / told.seconds } else { 0.0 };
    text += &format!(
        "{} cases in {:.0} s ({rate:.0} a second); seed {}, batches {}\n",
        told.cases,
        told.seconds,
        told.seed,
        if told.batches.is_empty() { "none" } else { &told.batches }
    );
    let counts =
        told.tally.iter().filter(|(_, count)| **count > 0).map(|(verdict, count)| format!("{count} {verdict}"));
    text += &format!("{}\n", counts.collect::<Vec<_>>().join(", "));
    if told.damaged > 0 {
        text += &format!("{} lines of the state are damaged; what they said is found out again\n", told.damaged);
    }
    if !told.causes.is_empty() {
        let mut table = terminal::table(["cases", "cause", "smallest dump"]);
        for cause in &told.causes {
            let dump = match &cause.reduced {
                Some(dump) => format!("{} ({} bytes)", dump.file, dump.bytes),
                None => cause.recipe.clone(),
            };
            table.add_row([
                cause.cases.to_string(),
                terminal::single_line(&cause.sentence),
                terminal::single_line(&dump),
            ]);
        }
        text += &(terminal::render(&table) + "\n");
    }
    let reached = &told.reached;
    for (what, of) in [
        ("rules on which dumps rely", &reached.rules),
        ("rules that dumps break", &reached.broken),
        ("kinds of record", &reached.records),
        ("formats and widths", &reached.widths),
        ("facets", &reached.facets),
    ] {
        text += &line(what, of, all);
    }
    text
}

/// The number of things of one kind that were reached; or a table of them, each with the number of its dumps.
fn line(what: &str, of: &BTreeMap<String, u64>, all: bool) -> String {
    if !all {
        return format!("reached: {} {what}\n", of.len());
    }
    let mut table = terminal::table([what, "dumps"]);
    of.iter().for_each(|(key, count)| _ = table.add_row([key.clone(), count.to_string()]));
    terminal::render(&table) + "\n"
}
