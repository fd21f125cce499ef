//! What has changed between two reports, and the report as SARIF.

use heapsmith::check::report::{
    CaseFacts, CaseResult, CheckReport, Outcome, SCHEMA, TestedImplementation, diff, sarif,
};
use serde_json::Value;

use crate::sample::{self, explained};

/// A report of one implementation: cases with what is seen, or nothing where they pass.
fn report(label: &str, cases: &[(&str, Option<&str>)]) -> CheckReport {
    let facts = |(id, _): &(&str, Option<&str>)| CaseFacts { id: (*id).to_owned(), ..CaseFacts::default() };
    let result = |(id, seen): &(&str, Option<&str>)| match seen.and_then(|seen| seen.split_once(": ")) {
        None => CaseResult::new(*id, Outcome::Pass { reading: None }),
        Some((fact, _)) => {
            let [fact, expected, found] = [fact, "1", "2"].map(str::to_owned);
            CaseResult::new(*id, Outcome::Fail { fact, address: None, expected, found, count: 1 })
        }
    };
    let results = cases.iter().map(result).collect();
    let mut tested = TestedImplementation { label: label.to_owned(), results, ..TestedImplementation::default() };
    tested.count();
    let cases = cases.iter().map(facts).collect();
    explained(CheckReport { schema: SCHEMA, cases, implementations: vec![tested], ..CheckReport::default() })
}

const BASE: &str = "references: wrong";
const UNIT: &str = "address: wrong";

#[test]
fn a_report_does_not_differ_from_itself() {
    let report = sample::report();
    let told = diff(&report, &report).expect("reports of this version");
    assert!(told.fine);
    assert_eq!(told.schema, 6, "the version of docs/stability.md");
    assert!(told.implementations.iter().all(|tested| tested.is_fine() && tested.changed.is_empty()));
    assert_eq!(told.headline(), "nothing has changed");
}

#[test]
fn lists_new_gone_and_changed_causes() {
    let old = report("a", &[("1", Some(BASE)), ("2", Some(BASE)), ("3", None), ("4", None)]);
    let gone = diff(&old, &report("a", &[("1", None), ("2", None), ("3", None), ("4", None)])).expect("reports");
    assert_eq!((gone.fine, gone.implementations[0].gone.len()), (true, 1));
    let fewer = diff(&old, &report("a", &[("1", Some(BASE)), ("2", None), ("3", None), ("4", None)])).expect("reports");
    let changed = &fewer.implementations[0].changed[0];
    assert_eq!((fewer.fine, &changed.fewer[..], &changed.more[..]), (true, &["2".to_owned()][..], &[][..]));
    let more = report("a", &[("1", Some(BASE)), ("2", Some(BASE)), ("3", Some(BASE)), ("4", None)]);
    let more = diff(&old, &more).expect("reports");
    assert_eq!((more.fine, &more.implementations[0].changed[0].more[..]), (false, &["3".to_owned()][..]));
    let new = report("a", &[("1", None), ("2", None), ("3", Some(UNIT)), ("4", Some(UNIT))]);
    let new = diff(&old, &new).expect("reports");
    let told = &new.implementations[0];
    assert_eq!((new.fine, told.new[0].id.as_str(), told.gone[0].id.as_str()), (false, UNIT, BASE));
    let mut markdown = Vec::new();
    new.write_markdown(&mut markdown).expect("memory");
    let markdown = String::from_utf8(markdown).expect("text");
    assert!(markdown.starts_with("## heapsmith: causes: 1 new, 1 gone, 0 changed\n"), "{markdown}");
}

/// The same cases under another name are the same cause; a case that the old report has not is no news.
#[test]
fn matches_renamed_cause_by_its_cases() {
    let old = report("a", &[("1", Some(BASE)), ("2", Some(BASE))]);
    let told = diff(&old, &report("a", &[("1", Some(UNIT)), ("2", Some(UNIT))])).expect("reports");
    assert!(told.fine);
    assert_eq!(told.implementations[0].changed[0].before.as_deref(), Some(BASE));
    let told = diff(&old, &report("a", &[("1", Some(BASE)), ("2", Some(BASE)), ("9", Some(BASE))])).expect("reports");
    assert_eq!((told.fine, told.implementations[0].changed[0].other_cases), (true, 1));
    // Implementations with the same label are compared; of those that are left, single ones whatever their labels.
    let with = |labels: &[&str]| {
        let mut all = report("a", &[("1", Some(BASE))]);
        labels.iter().for_each(|label| {
            all.implementations.extend(report(label, &[("1", Some(BASE))]).implementations);
        });
        all
    };
    let told = diff(&with(&["b"]), &with(&["c"])).expect("reports");
    let pairs: Vec<(&str, &str)> = told.implementations.iter().map(|pair| (&*pair.before, &*pair.label)).collect();
    assert_eq!(pairs, [("a", "a"), ("b", "c")]);
    assert!(told.added.is_empty() && told.removed.is_empty());
    let told = diff(&with(&["b", "x"]), &with(&["c", "d"])).expect("reports");
    assert_eq!(
        (told.added, told.removed),
        (vec!["c".to_owned(), "d".to_owned()], vec!["b".to_owned(), "x".to_owned()])
    );
    let told = diff(&old, &report("b", &[("1", Some(BASE))])).expect("reports");
    assert_eq!((told.implementations[0].unjudged, told.added.len(), told.removed.len()), (1, 0, 0));
    let other = CheckReport { schema: SCHEMA - 1, ..old.clone() };
    assert!(diff(&other, &old).is_err());
}

/// What the standard asks of a log, a run and a result (SARIF 2.1.0, 3.13, 3.14, 3.27), and a result for each cause.
#[test]
fn sarif_has_a_result_for_each_cause() {
    let report = sample::report();
    let mut out = Vec::new();
    sarif::write(&report, &mut out).expect("memory");
    let log: Value = serde_json::from_slice(&out).expect("JSON");
    assert_eq!(log["version"], "2.1.0");
    let runs = log["runs"].as_array().expect("runs");
    assert_eq!(runs.len(), report.implementations.len());
    for (run, tested) in runs.iter().zip(&report.implementations) {
        let rules = run["tool"]["driver"]["rules"].as_array().expect("rules");
        assert_eq!(run["tool"]["driver"]["name"], "heapsmith");
        let results = run["results"].as_array().expect("results");
        assert_eq!(results.len(), tested.causes.len());
        for (result, cause) in results.iter().zip(&tested.causes) {
            assert!(result["message"]["text"].as_str().is_some_and(|text| text.starts_with(&cause.sentence)));
            let rule = &rules[result["ruleIndex"].as_u64().expect("a number") as usize];
            assert_eq!((&rule["id"], &result["ruleId"]), (&Value::from(cause.id.as_str()), &rule["id"]));
            assert_eq!(result["level"], if cause.unexpected > 0 { "error" } else { "note" });
            assert_eq!(result["suppressions"].is_array(), cause.unexpected == 0);
            let place = &result["locations"][0]["physicalLocation"];
            let uri = place["artifactLocation"]["uri"].as_str().expect("an address");
            assert!(uri.bytes().all(|b| b.is_ascii_graphic() && !br#""<>\^`{|}"#.contains(&b)), "{uri}");
            let example = tested.results.iter().find(|result| result.id == cause.example).expect("a case");
            assert_eq!(place["region"].is_object(), example.evidence.is_some());
        }
    }
}
