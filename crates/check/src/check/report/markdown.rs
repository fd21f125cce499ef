//! The report as Markdown, for the summary of a CI job.

use std::io;

use crate::check::report::evidence::Evidence;
use crate::check::report::group::CasesById;
use crate::check::report::{
    CaseResult, Cause, CheckReport, Expectation, InterruptedRun, Outcome, TestedImplementation, group,
};
use heapsmith_core::error::Error;
use heapsmith_core::visible::visible;

/// Length of the summary; GitHub takes no more than 1 MiB, and shows less of a page that long.
const MOST_BYTES: usize = 512 * 1024;

/// Causes of all implementations together; the others are counted.
const MOST_CAUSES: usize = 400;

/// Other cases of a cause by id.
const MOST_CASES: usize = 20;

/// Reasons for which cases of a cause are expected to fail.
const MOST_REASONS: usize = 10;

/// Characters of a text, and of a command.
const MOST_CHARACTERS: usize = 300;
const MOST_OF_COMMAND: usize = 2000;

/// Writes the report as Markdown.
///
/// # Errors
/// If `out` takes no more.
pub fn write(report: &CheckReport, out: &mut dyn io::Write) -> Result<(), Error> {
    out.write_all(render(report).as_bytes()).map_err(|e| Error::io("writing the Markdown report", e))
}

fn render(report: &CheckReport) -> String {
    let mut summary = BoundedText { text: String::new(), left_out: 0 };
    render_head(report, &mut summary.text);
    let cases = group::cases_by_id(report);
    let sizes: Vec<usize> = report.implementations.iter().map(|tested| tested.causes.len()).collect();
    let shares = group::share_budget(&sizes, MOST_CAUSES, MOST_CAUSES);
    for (tested, share) in report.implementations.iter().zip(shares).filter(|(_, share)| *share > 0) {
        summary.push(format!("\n### {}\n", escaped(&tested.label)), 0);
        let (shown, left_out) = tested.causes.split_at(share);
        shown.iter().for_each(|cause| summary.push(render_cause(tested, cause, &cases), 1));
        summary.left_out += left_out.len();
    }
    let BoundedText { mut text, left_out } = summary;
    if left_out > 0 {
        text += &format!(
            "\n{left_out} more causes are left out of this summary; the other forms of the report have them.\n"
        );
    }
    text
}

/// A text of limited length.
struct BoundedText {
    text: String,
    left_out: usize,
}

impl BoundedText {
    /// Adds a part with this number of causes, if there is room.
    fn push(&mut self, part: String, causes: usize) {
        if self.text.len() + part.len() > MOST_BYTES {
            self.left_out += causes;
        } else {
            self.text += &part;
        }
    }
}

fn render_head(report: &CheckReport, text: &mut String) {
    *text += &format!("## heapsmith check: {}\n\n", report.overall());
    *text += &format!("heapsmith {}, {}", escaped(&report.heapsmith), report.size());
    let chosen = &report.chosen;
    if chosen.random > 0 {
        *text += &format!(", {} of them random (seed {})", chosen.random, chosen.seed);
    }
    let filters = chosen.filters.iter().map(|filter| ("filter", filter));
    let left_out: Vec<String> = chosen.left_out.iter().map(ToString::to_string).collect();
    let told = chosen.format.iter().map(|format| ("format", format)).chain(filters);
    let told = told.chain(chosen.shard.iter().map(|shard| ("shard", shard)));
    for (what, value) in told.chain(left_out.iter().map(|facet| ("without", facet))) {
        *text += &format!(", {what} {}", code(value));
    }
    if let Some(incomplete) = &report.incomplete {
        let InterruptedRun { signal, judged, planned } = incomplete;
        *text += &format!("\n\n**Incomplete:** ended by {} after {judged} of {planned} cases.", escaped(signal));
    }
    *text += "\n\n| implementation |";
    let verdicts = report.implementations.first().map_or(&Outcome::NAMES[..], |tested| tested.verdicts());
    for name in verdicts {
        *text += &format!(" {name} |");
    }
    *text += " expected failures | unexpected passes | unexpected causes | known causes |\n|---|";
    *text += &"--:|".repeat(verdicts.len() + 4);
    *text += "\n";
    for tested in &report.implementations {
        *text += &format!("| {} |", escaped(&tested.label));
        for name in verdicts {
            *text += &format!(" {} |", tested.tally.get(*name).copied().unwrap_or_default());
        }
        let ((known, _), expectations) = (tested.known_counts(), tested.expectations);
        let causes = tested.causes.len() - known;
        *text += &format!(" {} | {} | {causes} | {known} |\n", expectations.failed, expectations.passed);
    }
    for (tested, reason) in report.implementations.iter().filter_map(|tested| Some((tested, tested.stop_reason()?))) {
        *text += &format!("\n**{}:** {}\n", escaped(&tested.label), escaped(reason));
    }
    for compared in report.implementations.iter().flat_map(|tested| &tested.compared) {
        *text += &format!("\n{}: {}\n", escaped(&compared.label), escaped(&compared.words()));
    }
    report.implementations.iter().for_each(|tested| *text += &render_cost(report, tested));
}

/// The cases that took most time and most memory.
fn render_cost(report: &CheckReport, tested: &TestedImplementation) -> String {
    let Some(run) = &report.run else { return String::new() };
    let slowest = run.slowest(&tested.label).map(|(id, time)| format!("slowest: {} ({time:.0} ms)", code(id)));
    let hungriest = run.most_memory(&tested.label);
    let hungriest = hungriest.map(|(id, bytes)| format!("most memory: {} ({} MiB)", code(id), bytes.div_ceil(1 << 20)));
    let told: Vec<String> = slowest.into_iter().chain(hungriest).collect();
    if told.is_empty() { String::new() } else { format!("\nCost of {}: {}\n", escaped(&tested.label), told.join("; ")) }
}

/// A cause: its sentence, its example to unfold, and the other cases.
fn render_cause(tested: &TestedImplementation, cause: &Cause, cases: &CasesById<'_>) -> String {
    let known = if cause.unexpected == 0 { ", expected" } else { "" };
    let mut text = format!("\n#### {}{known}: {}\n\n", cause.count(), escaped(&cause.sentence));
    let size = cases.get(cause.example.as_str()).map(|case| format!(" ({} bytes)", case.size)).unwrap_or_default();
    text += &format!("Smallest dump: {}{size}\n", code(&cause.example));
    if let Some(pair) = &cause.pair {
        text += &format!("\nPair: {}\n", escaped(&pair.line()));
        text += &format!("\nThe one that fails: {}\n", escaped(&pair.wrong));
        text += &pair.files().map(|files| format!("\nDumps of the pair: {}\n", code(&files))).unwrap_or_default();
    }
    if let Some(dump) = &cause.reduced {
        text += &format!("\nReduced: {} ({})\n", code(&dump.file), dump.size());
    }
    if let Some(repeat) = &cause.repeat {
        text += &format!("\n<pre>{}</pre>\n", escaped_all(repeat, MOST_OF_COMMAND, "&#10;"));
    }
    for (Expectation { reason, link }, count) in tested.reasons(cause).into_iter().take(MOST_REASONS) {
        let cases = group::pluralize(count as u64, "case");
        text += &format!("\nExpected to fail, {cases}: {}\n", render_link(reason, link.as_deref()));
    }
    if let Some(example) = tested.example(cause) {
        let lines = details(example, cause, cases).join("<br>");
        text += &format!("\n<details><summary>What it shows</summary>{lines}</details>\n");
    }
    let others: Vec<&str> = cause.other_cases().collect();
    if !others.is_empty() {
        let shown: Vec<String> = others.iter().take(MOST_CASES).map(|id| code(id)).collect();
        let more = others.len() - shown.len();
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        text += &format!("\nOther cases: {}{more}\n", shown.join(", "));
    }
    text
}

/// The example of a cause, by lines.
fn details(result: &CaseResult, cause: &Cause, cases: &CasesById<'_>) -> Vec<String> {
    let shown = result.shown_for_cause(cause);
    let mut lines = vec![render_outcome(&shown.outcome)];
    lines.extend(result.first.iter().map(|first| format!("first, after other cases: {}", render_outcome(first))));
    lines.extend(shown.other_fact_lines().iter().map(|line| escaped(line)));
    lines.extend(result.evidence.iter().map(render_place));
    lines.extend(cause.rule.iter().map(|rule| format!("rule {}", code(rule))));
    lines.extend(cases.get(result.id.as_str()).map(|case| escaped(&case.summary)));
    lines
}

fn render_outcome(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Pass { .. } => "pass".to_owned(),
        Outcome::Disagree(about) => {
            let sides =
                about.sides.iter().map(|side| format!("{}: {}", escaped(&side.by.join(", ")), code(&side.says)));
            format!("{}<br>{}", escaped(&about.place()), sides.collect::<Vec<_>>().join("<br>"))
        }
        Outcome::Fail { fact, address, expected, found, count } => {
            let at = address.as_deref().map(|address| format!(" at {}", code(address))).unwrap_or_default();
            let more = if *count > 1 { format!(" ({count} times)") } else { String::new() };
            format!("{}{at}{more}: expected {}, found {}", code(fact), code(expected), code(found))
        }
        Outcome::WrongVerdict { expected, found } => format!("expected to {}; {}", escaped(expected), code(found)),
        other => format!("{} {}", other.name(), code(&other.detail())),
    }
}

/// Offset and bytes.
fn render_place(evidence: &Evidence) -> String {
    let (offset, length) = (evidence.offset, evidence.length);
    let mut text = format!("offset {offset} ({offset:#x}), {length} bytes");
    let wrong: Vec<_> = evidence.fields.iter().filter(|field| field.wrong).collect();
    for field in wrong.iter().take(3) {
        text += &format!("; {} {} ({})", escaped(&field.name), code(&field.bytes), escaped(&field.meaning));
    }
    if wrong.len() > 3 {
        text += &format!("; and {} more fields", wrong.len() - 3);
    }
    text
}

fn render_link(text: &str, link: Option<&str>) -> String {
    match link {
        // No link of Markdown's own: what a browser gets is decided here.
        Some(link) => match group::safe_link(link) {
            Some(href) => format!("<a href=\"{}\">{}</a>", escaped_all(href, MOST_CHARACTERS, ""), escaped(text)),
            None => format!("{} ({})", escaped(text), code(link)),
        },
        None => escaped(text),
    }
}

pub(super) fn code(text: &str) -> String {
    format!("<code>{}</code>", escaped(text))
}

pub(super) fn escaped(text: &str) -> String {
    escaped_all(text, MOST_CHARACTERS, "↵")
}

/// A text of one line, neither Markdown nor HTML: special characters are character references, which never count as
/// structure, in a table and in `code` alike.
fn escaped_all(text: &str, most: usize, line_end: &str) -> String {
    let (shown, left_out) = group::truncate(text, most);
    let mut escaped = String::with_capacity(shown.len());
    let mut before = ' ';
    for c in visible(shown).chars() {
        match c {
            '\n' => escaped += line_end,
            // A bare address of the web would be a link.
            '.' if matches!(before, 'w' | 'W') => escaped += "&#46;",
            ' ' | '/' | ',' | '-' | '.' | ';' | '=' | '+' | '(' | ')' | '{' | '}' | '%' | '?' | '\'' => escaped.push(c),
            c if c.is_alphanumeric() || !c.is_ascii() => escaped.push(c),
            c => escaped += &format!("&#{};", u32::from(c)),
        }
        before = c;
    }
    if left_out > 0 {
        escaped += &format!("… ({left_out} characters more)");
    }
    escaped
}
