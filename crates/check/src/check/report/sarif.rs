//! The report as SARIF 2.1.0, which code scanning reads: a run for each implementation, a result for each cause.

use std::collections::BTreeSet;
use std::io;

use serde_json::{Value, json};

use crate::check::report::{CaseResult, Cause, CheckReport, TestedImplementation};
use heapsmith_core::error::Error;
use heapsmith_core::format;

/// Writes the report in the Static Analysis Results Interchange Format (OASIS, SARIF 2.1.0).
///
/// Rules of results are those of `specs/`; where no rule explains failures, the id of the cause. A result stands at the
/// bytes of the smallest dump that shows it; what is expected is suppressed.
///
/// # Errors
/// If `out` takes no more.
pub fn write(report: &CheckReport, out: &mut dyn io::Write) -> Result<(), Error> {
    let runs: Vec<Value> = report.implementations.iter().map(|tested| run_json(report, tested)).collect();
    let log = json!({
        "$schema": "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
        "version": "2.1.0",
        "runs": runs,
    });
    let text = serde_json::to_string_pretty(&log).map_err(|e| Error::io("writing the SARIF report", e.into()))?;
    writeln!(out, "{text}").map_err(|e| Error::io("writing the SARIF report", e))
}

fn run_json(report: &CheckReport, tested: &TestedImplementation) -> Value {
    let ids: BTreeSet<&str> = tested.causes.iter().map(|cause| &*cause.id).collect();
    let rules: Vec<Value> = ids.iter().map(|id| rule_json(id)).collect();
    let place = |cause: &Cause| ids.iter().position(|id| **id == *cause.id);
    let results: Vec<Value> = tested.causes.iter().map(|cause| result_json(tested, cause, place(cause))).collect();
    json!({
        "tool": { "driver": { "name": "heapsmith", "version": report.heapsmith, "rules": rules } },
        "automationDetails": { "id": format!("heapsmith/{}", tested.label) },
        "columnKind": "unicodeCodePoints",
        "results": results,
        "properties": { "implementation": tested.label, "tally": tested.tally },
    })
}

fn rule_json(id: &str) -> Value {
    match format::rule(id) {
        Some(rule) => json!({ "id": id, "fullDescription": { "text": rule.statement } }),
        None => json!({ "id": id }),
    }
}

fn result_json(tested: &TestedImplementation, cause: &Cause, rule: Option<usize>) -> Value {
    let example = tested.results.iter().find(|result| result.id == cause.example);
    let is_expected = cause.unexpected == 0;
    let mut result = json!({
        "ruleId": cause.id,
        "level": if is_expected { "note" } else { "error" },
        "message": { "text": format!("{} {} cases.", cause.sentence, cause.all_failures()) },
        "locations": [location_json(&cause.example, example)],
        "occurrenceCount": cause.all_failures(),
        "partialFingerprints": { "cause/v1": fingerprint(tested, cause) },
        "properties": { "cases": cause.cases, "repeat": cause.repeat, "symptoms": cause.symptoms },
    });
    if let Some(pair) = &cause.pair {
        result["properties"]["pair"] = json!(pair);
    }
    if let Some(rule) = rule {
        result["ruleIndex"] = json!(rule);
    }
    if is_expected {
        let reason = example.and_then(|result| result.expected.as_ref()).map(|expected| &expected.reason);
        result["suppressions"] = json!([{ "kind": "external", "justification": reason }]);
    }
    result
}

/// The fingerprint of a cause, which is the same in the next run: its name, and its first symptom where another cause
/// has this name.
fn fingerprint(tested: &TestedImplementation, cause: &Cause) -> String {
    let is_named_twice = tested.causes.iter().filter(|other| other.id == cause.id).count() > 1;
    let seen = cause.symptoms.first().filter(|_| is_named_twice).map(|symptom| format!("/{}", symptom.what));
    format!("{}/{}{}", tested.label, cause.id, seen.unwrap_or_default())
}

/// The dump, and the bytes in it where they are known.
fn location_json(case: &str, result: Option<&CaseResult>) -> Value {
    let uri = format!("heapsmith:{}", case.replace(|c: char| !c.is_ascii_alphanumeric() && !"-._:".contains(c), "_"));
    let mut place = json!({ "artifactLocation": { "uri": uri } });
    if let Some(evidence) = result.and_then(|result| result.evidence.as_ref()) {
        place["region"] = json!({ "byteOffset": evidence.offset, "byteLength": evidence.length });
    }
    json!({ "physicalLocation": place })
}
