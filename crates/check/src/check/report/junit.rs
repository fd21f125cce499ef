//! The report as JUnit's XML, which CI systems read: a suite for each implementation with its causes as properties, a
//! test for each case with its cause in the message.

use std::collections::BTreeMap;
use std::io;
use std::time::Duration;

use quick_junit::{NonSuccessKind, Report as Suites, TestCase, TestCaseStatus, TestSuite};

use crate::check::report::group::CasesById;
use crate::check::report::{CaseResult, Cause, CheckReport, InterruptedRun, Outcome, TestedImplementation, group};
use heapsmith_core::error::Error;
use heapsmith_core::visible::visible;

/// Writes the report as JUnit's XML.
///
/// Expected failures are skipped tests, unexpected passes are failed ones. There are times only where the report has
/// any.
///
/// # Errors
/// If `out` takes no more.
pub fn write(report: &CheckReport, out: &mut dyn io::Write) -> Result<(), Error> {
    let failed = |e| Error::io("writing the JUnit report", e);
    let cases = group::cases_by_id(report);
    let mut suites = Suites::new("heapsmith check");
    for tested in &report.implementations {
        suites.add_test_suite(test_suite(report, tested, &cases));
    }
    if let Some(run) = &report.run {
        suites.time = seconds(run.seconds);
    }
    let text = suites.to_string().map_err(|e| failed(io::Error::other(e)))?;
    out.write_all(text.as_bytes()).map_err(failed)
}

fn test_suite(report: &CheckReport, tested: &TestedImplementation, cases: &CasesById<'_>) -> TestSuite {
    let mut suite = TestSuite::new(in_xml(&tested.label));
    let mut property = |name: &str, value: &str| _ = suite.add_property((name, in_xml(value).as_str()));
    property("heapsmith", &report.heapsmith);
    if let Some(incomplete) = &report.incomplete {
        let InterruptedRun { signal, judged, planned } = incomplete;
        property("incomplete", &format!("ended by {signal} after {judged} of {planned} cases"));
    }
    property("kind", &tested.kind);
    property("command", &tested.command);
    if let Some(declared) = &tested.declared {
        property("name", &declared.name);
        property("version", &declared.version);
        property("language", &declared.language);
        property("level", &declared.level);
    }
    for (number, compared) in tested.compared.iter().enumerate() {
        property(&format!("compared {}", number + 1), &format!("{}: {}", compared.label, compared.words()));
    }
    for (number, cause) in tested.causes.iter().enumerate() {
        let Cause { id, sentence, example, .. } = cause;
        let pair = cause.pair.as_ref().map(|pair| format!(" {}", pair.line())).unwrap_or_default();
        property(&format!("cause {}", number + 1), &format!("{id} ({}; {example}): {sentence}{pair}", cause.count()));
    }
    // Of two causes of a case the first counts.
    let causes = tested.causes.iter().rev();
    let cause_of: BTreeMap<&str, &Cause> =
        causes.flat_map(|cause| cause.cases.iter().map(move |id| (id.as_str(), cause))).collect();
    let times = report.run.as_ref().and_then(|run| run.milliseconds.get(&tested.label));
    for result in &tested.results {
        let mut test =
            TestCase::new(in_xml(&result.id), test_status(result, cause_of.get(result.id.as_str()).copied()));
        if let Some(case) = cases.get(result.id.as_str()) {
            test.set_classname(in_xml(&case.format));
        }
        test.time = times.and_then(|times| times.get(&result.id)).and_then(|ms| seconds(ms / 1000.0));
        suite.add_test_case(test);
    }
    suite.time = times.and_then(total);
    suite
}

fn test_status(result: &CaseResult, cause: Option<&Cause>) -> TestCaseStatus {
    let because = cause.map(|cause| format!("; cause {}: {}", cause.id, cause.sentence)).unwrap_or_default();
    match (result.outcome(), &result.expected) {
        (outcome, None) if outcome.is_pass() => TestCaseStatus::success(),
        (outcome, Some(expectation)) if outcome.is_pass() => {
            failure(group::UNEXPECTED_PASS, &format!("passed, but is expected to fail: {}", expectation.reason))
        }
        (Outcome::Skip { reason, link, .. }, _) => skipped(&linked(reason, link.as_deref())),
        (_, Some(expectation)) => {
            let reason = linked(&expectation.reason, expectation.link.as_deref());
            let mut status = skipped(&format!("expected failure: {reason}{because}"));
            status.set_description(in_xml(&description(result)));
            status
        }
        (outcome, None) => {
            let mut status = failure(outcome.name(), &format!("{}{because}", outcome.detail()));
            status.set_description(in_xml(&description(result)));
            status
        }
    }
}

/// A failed test. Line ends become `; `, since readers take those in an attribute for blanks.
fn failure(verdict: &str, message: &str) -> TestCaseStatus {
    let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
    let lines: Vec<&str> = message.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    status.set_type(verdict).set_message(in_xml(&lines.join("; ")));
    status
}

fn skipped(message: &str) -> TestCaseStatus {
    let mut status = TestCaseStatus::skipped();
    status.set_message(in_xml(message));
    status
}

fn linked(reason: &str, link: Option<&str>) -> String {
    link.map_or_else(|| reason.to_owned(), |link| format!("{reason} ({link})"))
}

fn description(result: &CaseResult) -> String {
    let mut text = result.outcome().detail();
    if let Some(first) = &result.first {
        text += &format!("\nfirst, after other cases: {}: {}", first.name(), first.detail());
    }
    for line in result.other_fact_lines() {
        text += &format!("\n{line}");
    }
    if let Some(evidence) = &result.evidence {
        text += &format!("\nat offset {} (0x{:x}), {} bytes", evidence.offset, evidence.offset, evidence.length);
        if let Some(rule) = &evidence.rule {
            text += &format!(", rule {rule}");
        }
        for field in evidence.fields.iter().filter(|field| field.wrong) {
            text += &format!("\n  0x{:x}  {}  {}: {}", field.offset, field.bytes, field.name, field.meaning);
        }
    }
    if let Some(repeat) = &result.repeat {
        text += &format!("\nrepeat: {repeat}");
    }
    text
}

/// A text that XML can hold: most control characters may not be there, not even as references. quick-junit takes them
/// for colours and drops the text around them, and tabs alone, which are blanks here.
fn in_xml(text: &str) -> String {
    visible(text).replace('\t', " ")
}

/// Seconds as a duration; `None` for nonsense in a report from a file.
fn seconds(seconds: f64) -> Option<Duration> {
    Duration::try_from_secs_f64(seconds).ok()
}

fn total(times: &BTreeMap<String, f64>) -> Option<Duration> {
    seconds(times.values().sum::<f64>() / 1000.0)
}
