//! What the causes of a report say, of reports made by hand.

use heapsmith::check::report::{
    CaseFacts, CaseResult, CheckReport, OtherFact, Outcome, SCHEMA, Suspect, TestedImplementation, junit,
};

use crate::sample::explained;

const BASE: &str = "phd.references.base";
const SIZE: &str = "phd.class.instance-size";
const POSITION: &str = "phd.class.position";

/// The facts of a case that are wrong, by name, each first-hand.
fn wrong(id: &str, facts: &[&str], rules: &[&str]) -> CaseResult {
    let (first, others) = facts.split_first().expect("a fact");
    let outcome = Outcome::Fail {
        fact: (*first).to_owned(),
        address: None,
        expected: "1".to_owned(),
        found: "2".to_owned(),
        count: 1,
    };
    let other = |fact: &&str| OtherFact {
        fact: (*fact).to_owned(),
        expected: "1".to_owned(),
        found: "2".to_owned(),
        count: 1,
        ..OtherFact::default()
    };
    let suspects = rules.iter().map(|rule| Suspect { rule: (*rule).to_owned(), ..Suspect::default() }).collect();
    CaseResult::new(id, outcome).others(others.iter().map(other).collect()).suspects(suspects)
}

/// A report of one implementation over cases of these sizes.
fn report(results: Vec<(CaseResult, u64)>) -> CheckReport {
    let facts = |(result, size): &(CaseResult, u64)| CaseFacts {
        id: result.id.clone(),
        format: "phd6".to_owned(),
        verdict: "valid".to_owned(),
        size: *size,
        relies: result.suspects.iter().map(|suspect| suspect.rule.clone()).collect(),
        ..CaseFacts::default()
    };
    let cases = results.iter().map(facts).collect();
    let results = results.into_iter().map(|(result, _)| result).collect();
    let mut tested = TestedImplementation { label: "a".to_owned(), results, ..TestedImplementation::default() };
    tested.count();
    explained(CheckReport { schema: SCHEMA, cases, implementations: vec![tested], ..CheckReport::default() })
}

/// What no experiment explains is listed by what is seen first, without a rule, the commonest first.
#[test]
fn failures_are_listed_by_what_is_seen_first() {
    let report = report(vec![
        (wrong("1", &["class", "references"], &[BASE]), 10),
        (wrong("2", &["references", "class"], &[BASE]), 30),
        (wrong("3", &["references"], &[BASE]), 20),
    ]);
    let causes = &report.implementations[0].causes;
    let told: Vec<_> = causes.iter().map(|cause| (&*cause.id, &*cause.sentence, &*cause.example)).collect();
    let due = [
        ("references: wrong", "Gets references, class wrong.", "3"),
        ("class: wrong", "Gets class, references wrong.", "1"),
    ];
    assert_eq!(told, due);
    assert!(causes.iter().all(|cause| cause.rule.is_none()));
    assert_eq!(report.overall().unexpected, 3);
    let mut out = Vec::new();
    junit::write(&report, &mut out).expect("memory");
    let out = String::from_utf8(out).expect("text");
    assert_eq!(out.matches("; cause references: wrong: ").count(), 2, "{out}");
}

/// Failures that are expected are no cause's, and follow by their reasons.
#[test]
fn expected_failures_stand_beside_by_their_reasons() {
    let expected = |result: CaseResult, reason: &str| {
        let reason = heapsmith::check::report::Expectation { reason: reason.to_owned(), link: None };
        (result.expected(reason), 20)
    };
    let report = report(vec![
        expected(wrong("0", &["instance-size"], &[SIZE]), "known"),
        expected(wrong("1", &["record-order"], &[POSITION]), "known"),
        expected(wrong("2", &["record-order"], &[POSITION]), "known, too"),
        (wrong("3", &["record-order"], &[POSITION]), 20),
    ]);
    let tested = &report.implementations[0];
    let told: Vec<_> =
        tested.causes.iter().map(|cause| (&*cause.sentence, cause.cases.len(), cause.unexpected)).collect();
    let due = [
        ("Gets record-order wrong.", 1, 1),
        ("Fails as expected: known", 2, 0),
        ("Fails as expected: known, too", 1, 0),
    ];
    assert_eq!(told, due);
    assert_eq!(tested.known_counts(), (2, 3));
}
