//! A report as text: how each implementation did, and why.

use crate::check::report::{CheckReport, InterruptedRun, TestedImplementation};
use crate::compare::Facet;

use super::causes;
use crate::command::terminal;

/// The report; with all causes and their cases, or as much of them as is read at once.
pub(super) fn text(report: &CheckReport, all: bool) -> String {
    let is_matrix = report.implementations.len() > 1;
    let mut text = String::new();
    for tested in &report.implementations {
        text += &if is_matrix { line(tested) } else { table(tested) };
        text += &notes(tested);
        text += &if all { causes::full(report, tested) } else { causes::brief(report, tested) };
    }
    if is_matrix || report.overall().among {
        text += &format!("{}\n", report.overall());
    }
    if let Some(InterruptedRun { signal, judged, planned }) = &report.incomplete {
        text += &format!("{}: ended by {signal} after {judged} of {planned} cases\n", terminal::bad("incomplete"));
    }
    text
}

fn number(tested: &TestedImplementation, name: &str) -> u64 {
    tested.tally.get(name).copied().unwrap_or_default()
}

/// The number of cases by verdict, as a table.
fn table(tested: &TestedImplementation) -> String {
    let mut table = terminal::table(["verdict", "cases"]);
    for name in tested.verdicts() {
        table.add_row([(*name).to_owned(), number(tested, name).to_string()]);
    }
    format!("{}\n", terminal::render(&table))
}

/// The number of cases by verdict in a line, where there are several implementations.
fn line(tested: &TestedImplementation) -> String {
    let counts = tested.verdicts().iter().map(|name| (name, number(tested, name))).filter(|(_, count)| *count > 0);
    let counts: Vec<String> = counts.map(|(name, count)| format!("{name} {count}")).collect();
    format!("{}: {}\n", terminal::single_line(&tested.label), counts.join(", "))
}

/// Notes on an implementation: agreement with others, its readings, and facts that were not judged.
fn notes(tested: &TestedImplementation) -> String {
    let mut text = String::new();
    for compared in &tested.compared {
        text += &format!("{}: {}\n", terminal::single_line(&compared.label), compared.words());
    }
    if let Some(reason) = tested.stop_reason() {
        text += &format!("{}\n", terminal::bad(&terminal::single_line(reason)));
    }
    let readings = tested.other_readings();
    if !readings.is_empty() {
        text += &format!("readings other than the default: {}\n", readings.join(", "));
    }
    if let Some(declared) = tested.declared.as_ref().filter(|declared| !declared.ignored.is_empty()) {
        let unknown = declared.ignored.join(", ");
        text += &format!(
            "ignored, since this version of heapsmith does not know it: {}\n",
            terminal::single_line(&unknown)
        );
    }
    if !tested.omitted.is_empty() {
        let names: Vec<String> = tested.omitted.iter().map(ToString::to_string).collect();
        let what = match names.len() {
            ..=8 => names.join(", "),
            count => format!("{count} of {} facets (the other forms of the report list them)", Facet::ALL.len()),
        };
        text += &match tested.compared.is_empty() {
            true => format!("not judged, since it does not report it: {what}\n"),
            false => format!("not compared, since no two report it: {what}\n"),
        };
    }
    if tested.unexplored > 0 {
        text += &format!(
            "listed by what is seen alone, since dumps or time for experiments ran out: {} failures (--explain, --explain-time)\n",
            tested.unexplored
        );
    }
    if let Some(declared) =
        tested.declared.as_ref().filter(|declared| !matches!(declared.level.as_str(), "listing" | "dump"))
    {
        let what = match declared.reports.is_empty() {
            true => String::new(),
            false => format!(" ({})", declared.reports.join(", ")),
        };
        text += &format!("judged by {}s alone{what}\n", declared.level.trim_end_matches('s'));
    }
    text
}
