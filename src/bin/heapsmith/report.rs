//! The written forms of a report.

use std::io::{self, IsTerminal, Write};
use std::path::Path;

use heapsmith::check::report::{Incomplete, Tested};
use heapsmith::check::{CaseResult, Kept, Outcome, Report, ReportFolder};
use heapsmith::compare::Facet;
use heapsmith::error::Error;
use heapsmith::output::Output;

use crate::{Answer, terminal};

/// Writes a file whole.
pub(crate) fn put(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let mut output = Output::create(path, true)?;
    output.write_all(bytes).map_err(|e| Error::io(format!("writing {}", path.display()), e))?;
    output.finish()
}

/// Prints a report on standard output, and then writes it to the folder of reports.
pub(crate) fn tell(
    report: &Report,
    folder: Option<&ReportFolder>,
    kept: Option<&Kept>,
    as_json: bool,
) -> Result<Answer, Error> {
    let failed = |e| Error::io("writing standard output", e);
    let printed = if as_json {
        writeln!(terminal::data(), "{}", json(report)?)
    } else {
        write!(terminal::stdout(), "{}{}", text(report), costs(report))
    };
    if let Some(folder) = folder {
        if report.incomplete.is_some() && folder.holds_an_earlier_report() {
            terminal::warning("the earlier report stays: nothing was judged");
        } else {
            folder.write(report, kept)?;
            if !as_json && printed.is_ok() {
                writeln!(terminal::stdout(), "written: {}", folder.page().display()).map_err(failed)?;
            }
        }
    }
    match printed {
        // Whoever read it has seen enough; the exit code is the same.
        Err(e) if e.kind() == io::ErrorKind::BrokenPipe => {}
        printed => printed.map_err(failed)?,
    }
    Ok(if report.is_clean() { Answer::Yes } else { Answer::No })
}

fn json(report: &Report) -> Result<String, Error> {
    serde_json::to_string(report).map_err(|e| Error::io("writing the report", e.into()))
}

fn text(report: &Report) -> String {
    let mut text = String::new();
    let is_matrix = report.implementations.len() > 1;
    for tested in &report.implementations {
        let of = if is_matrix { format!(" [{}]", terminal::line(&tested.label)) } else { String::new() };
        let unexpected: Vec<&CaseResult> = tested.results.iter().filter(|result| result.is_unexpected()).collect();
        // An adapter that does not start says the same of every case.
        if let [first, rest @ ..] = &unexpected[..]
            && rest.len() > 1
            && matches!(first.outcome, Outcome::AdapterError { .. })
            && rest.iter().all(|result| result.outcome == first.outcome)
        {
            text += &failure(first, &of);
            text += &format!("and the same in {} other cases; heapsmith adapter test finds out more\n", rest.len());
            continue;
        }
        unexpected.iter().for_each(|result| text += &failure(result, &of));
    }
    let mut table = terminal::table([]);
    let heads = report
        .implementations
        .iter()
        .map(|tested| if is_matrix { terminal::line(&tested.label) } else { "cases".to_owned() });
    table.set_header(std::iter::once("verdict".to_owned()).chain(heads));
    for column in table.column_iter_mut() {
        column.set_padding((0, 2));
    }
    for name in Outcome::NAMES {
        let numbers = report.implementations.iter().map(|tested| tested.tally[name].to_string());
        table.add_row(std::iter::once(name.to_owned()).chain(numbers));
    }
    text += &terminal::render(&table);
    text += "\n";
    for tested in &report.implementations {
        text += &notes(tested, is_matrix);
    }
    if let Some(Incomplete { signal, judged, planned }) = &report.incomplete {
        text += &format!("{}: ended by {signal} after {judged} of {planned} cases\n", terminal::bad("incomplete"));
    }
    text
}

/// The cases that took most time and most memory. On terminals alone: it is another text in every run.
fn costs(report: &Report) -> String {
    let Some(run) = report.run.as_ref().filter(|_| io::stdout().is_terminal()) else { return String::new() };
    let of = |tested: &Tested| {
        let slowest = run.slowest(&tested.label).map(|(id, time)| format!("slowest: {id}, {time:.0} ms\n"));
        let hungriest = run.hungriest(&tested.label);
        let hungriest = hungriest.map(|(id, bytes)| format!("most memory: {id}, {} MiB\n", bytes.div_ceil(1 << 20)));
        let is_matrix = report.implementations.len() > 1;
        let of = if is_matrix { format!("{}: ", terminal::line(&tested.label)) } else { String::new() };
        slowest.into_iter().chain(hungriest).map(|line| of.clone() + &line).collect::<String>()
    };
    report.implementations.iter().map(of).collect()
}

/// One failure, or a pass that nobody expects.
fn failure(result: &CaseResult, of: &str) -> String {
    let CaseResult { id, outcome, first, expected, evidence, repeat, .. } = result;
    let mut text = match expected {
        Some(expectation) => {
            format!(
                "{} {id}{of}: it passes, and was expected to fail: {}\n",
                terminal::bad("unexpected pass"),
                expectation.reason
            )
        }
        None => format!("{} {id}{of}: {}\n", terminal::bad(outcome.name()), detail(outcome)),
    };
    if let Some(first) = first {
        let detail = first.detail().replace('\n', " ");
        let colon = if detail.is_empty() { "" } else { ": " };
        text += &format!("  at first: {}{colon}{detail}\n", first.name());
    }
    if let Some(evidence) = evidence.as_ref().filter(|evidence| !evidence.fields.is_empty()) {
        let record = evidence.record.map(|record| format!(", record {record}")).unwrap_or_default();
        let wrong: Vec<String> =
            evidence.fields.iter().filter(|field| field.wrong).take(4).map(|field| field.bytes.clone()).collect();
        let bytes = if wrong.is_empty() { String::new() } else { format!(": {}", wrong.join(" ")) };
        text += &format!("  bytes:    offset {:#x}{record}{bytes}\n", evidence.offset);
    }
    if let Some(rule) = evidence.as_ref().and_then(|evidence| evidence.rule.as_ref()) {
        text += &format!("  rule:     {rule}\n");
    }
    if let Some(repeat) = repeat {
        text += &format!("  repeat:   {repeat}\n");
    }
    text
}

/// What happened. A line of a message from elsewhere does not begin like one of ours.
fn detail(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Fail { .. } => outcome.detail(),
        other => other.detail().replace('\n', "\n    "),
    }
}

fn notes(tested: &Tested, is_matrix: bool) -> String {
    let of = if is_matrix { format!("{}: ", terminal::line(&tested.label)) } else { String::new() };
    let mut text = String::new();
    let expected = tested.expectations;
    if expected.failed > 0 {
        text += &format!("{of}{} of the failures are expected\n", expected.failed);
    }
    let readings = tested.other_readings();
    if !readings.is_empty() {
        text += &format!("{of}readings other than the default: {}\n", readings.join(", "));
    }
    if let Some(declared) = tested.declared.as_ref().filter(|declared| !declared.ignored.is_empty()) {
        let unknown = declared.ignored.join(", ");
        text +=
            &format!("{of}ignored, since this version of heapsmith does not know it: {}\n", terminal::line(&unknown));
    }
    if !tested.omitted.is_empty() {
        let names: Vec<String> = tested.omitted.iter().map(ToString::to_string).collect();
        let what = match names.len() {
            ..=8 => names.join(", "),
            count => format!("{count} of {} facets (the other forms of the report list them)", Facet::ALL.len()),
        };
        text += &format!("{of}not judged, since it does not report it: {what}\n");
    }
    if let Some(declared) =
        tested.declared.as_ref().filter(|declared| !matches!(declared.level.as_str(), "listing" | "dump"))
    {
        let what = match declared.reports.is_empty() {
            true => String::new(),
            false => format!(" ({})", declared.reports.join(", ")),
        };
        text += &format!("{of}judged by {}s alone{what}\n", declared.level.trim_end_matches('s'));
    }
    text
}
