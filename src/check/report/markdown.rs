//! The report as Markdown, for the summary of a CI job.

use std::io;

use crate::check::evidence::Evidence;
use crate::error::Error;
use crate::visible::visible;

use super::group::{self, Cases, Group};
use super::{CaseResult, Incomplete, Outcome, Report, Tested};

/// Length of the summary; GitHub takes no more than 1 MiB, and shows less of a page that long.
const MOST_BYTES: usize = 512 * 1024;

/// Results that are told of each group.
const MOST_OF_GROUP: usize = 10;

/// Results that are told of all implementations together.
const MOST_RESULTS: usize = 400;

/// Characters of a text, and of a command.
const MOST_CHARACTERS: usize = 300;
const MOST_OF_COMMAND: usize = 2000;

/// Writes the report as Markdown.
///
/// # Errors
/// If `out` takes no more.
pub fn write(report: &Report, out: &mut dyn io::Write) -> Result<(), Error> {
    out.write_all(text(report).as_bytes()).map_err(|e| Error::io("writing the Markdown report", e))
}

fn text(report: &Report) -> String {
    let mut summary = Summary { text: String::new(), left_out: 0 };
    head(report, &mut summary.text);
    let cases = group::cases(report);
    for tested in &report.implementations {
        let groups = group::groups(tested, &cases);
        if groups.is_empty() {
            continue;
        }
        summary.push(format!("\n### {}\n", escaped(&tested.label)), 0);
        let sizes: Vec<usize> = groups.iter().map(|group| group.results.len()).collect();
        let shares = group::share(&sizes, MOST_OF_GROUP, MOST_RESULTS / report.implementations.len().max(1));
        for (group, share) in groups.iter().zip(shares) {
            told(group, share, &cases, &mut summary);
        }
    }
    let Summary { mut text, left_out } = summary;
    if left_out > 0 {
        text += &format!(
            "\n{left_out} more cases are left out of this summary; the other forms of the report have them.\n"
        );
    }
    text
}

/// A text that keeps its length.
struct Summary {
    text: String,
    left_out: usize,
}

impl Summary {
    /// Adds a part that tells of so many results, if there is room.
    fn push(&mut self, part: String, results: usize) {
        if self.text.len() + part.len() > MOST_BYTES {
            self.left_out += results;
        } else {
            self.text += &part;
        }
    }
}

fn head(report: &Report, text: &mut String) {
    let unexpected = |tested: &Tested| tested.results.iter().filter(|result| result.is_unexpected()).count();
    let total: usize = report.implementations.iter().map(unexpected).sum();
    *text += &match total {
        0 => "## heapsmith check: nothing unexpected\n\n".to_owned(),
        1 => "## heapsmith check: 1 unexpected result\n\n".to_owned(),
        n => format!("## heapsmith check: {n} unexpected results\n\n"),
    };
    *text += &format!("heapsmith {}, {} cases", escaped(&report.heapsmith), report.cases.len());
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
        let Incomplete { signal, judged, planned } = incomplete;
        *text += &format!("\n\n**Incomplete:** ended by {} after {judged} of {planned} cases.", escaped(signal));
    }
    *text += "\n\n| implementation |";
    for name in Outcome::NAMES {
        *text += &format!(" {name} |");
    }
    *text += " expected failures | unexpected passes |\n|---|";
    *text += &"--:|".repeat(Outcome::NAMES.len() + 2);
    *text += "\n";
    for tested in &report.implementations {
        *text += &format!("| {} |", escaped(&tested.label));
        for name in Outcome::NAMES {
            *text += &format!(" {} |", tested.tally.get(name).copied().unwrap_or_default());
        }
        *text += &format!(" {} | {} |\n", tested.expectations.failed, tested.expectations.passed);
    }
    report.implementations.iter().for_each(|tested| *text += &cost(report, tested));
}

/// The cases that took most time and most memory.
fn cost(report: &Report, tested: &Tested) -> String {
    let Some(run) = &report.run else { return String::new() };
    let slowest = run.slowest(&tested.label).map(|(id, time)| format!("slowest: {} ({time:.0} ms)", code(id)));
    let hungriest = run.hungriest(&tested.label);
    let hungriest = hungriest.map(|(id, bytes)| format!("most memory: {} ({} MiB)", code(id), bytes.div_ceil(1 << 20)));
    let told: Vec<String> = slowest.into_iter().chain(hungriest).collect();
    if told.is_empty() { String::new() } else { format!("\n{}: {}\n", escaped(&tested.label), told.join("; ")) }
}

fn told(group: &Group<'_>, share: usize, cases: &Cases<'_>, summary: &mut Summary) {
    let rule = group.rule.map(|rule| format!(", {}", code(rule))).unwrap_or_default();
    let count = group.results.len();
    summary.push(format!("\n#### {}{rule} ({count})\n\n", code(group.fact)), 0);
    for result in group.results.iter().take(share) {
        summary.push(entry(result, cases), 1);
    }
    if count > share {
        let more = format!("- and {} more\n", count - share);
        // What the line itself says needs not be said again at the end.
        summary.push(more, count - share);
    }
}

fn entry(result: &CaseResult, cases: &Cases<'_>) -> String {
    let mut text = format!("- {}: {}", code(&result.id), outcome(&result.outcome));
    if let Some(expectation) = &result.expected {
        let what = if result.outcome.is_pass() { "passed, but is expected to fail" } else { "expected" };
        text += &format!("; {what}: {}", linked(&expectation.reason, expectation.link.as_deref()));
    }
    if let Some(first) = &result.first {
        text += &format!("; first, behind other cases: {}", outcome(first));
    }
    if let Some(evidence) = &result.evidence {
        text += &format!("<br>{}", place(evidence));
    }
    if let Some(case) = cases.get(result.id.as_str()) {
        text += &format!("<br>{}", escaped(&case.summary));
    }
    text += "\n";
    if let Some(repeat) = &result.repeat {
        text += &format!("\n  <pre>{}</pre>\n\n", escaped_all(repeat, MOST_OF_COMMAND, "&#10;"));
    }
    text
}

fn outcome(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Pass { .. } => "pass".to_owned(),
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
fn place(evidence: &Evidence) -> String {
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

fn linked(text: &str, link: Option<&str>) -> String {
    match link {
        // No link of Markdown's own: what a browser gets is decided here.
        Some(link) => match group::followed(link) {
            Some(href) => format!("<a href=\"{}\">{}</a>", escaped_all(href, MOST_CHARACTERS, ""), escaped(text)),
            None => format!("{} ({})", escaped(text), code(link)),
        },
        None => escaped(text),
    }
}

fn code(text: &str) -> String {
    format!("<code>{}</code>", escaped(text))
}

fn escaped(text: &str) -> String {
    escaped_all(text, MOST_CHARACTERS, "↵")
}

/// A text that is one line and neither Markdown nor HTML: what could mean anything there is a character reference,
/// which never counts as structure. So it can stand in a table and in `code` alike.
fn escaped_all(text: &str, most: usize, line_end: &str) -> String {
    let (shown, left_out) = group::cut(text, most);
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
