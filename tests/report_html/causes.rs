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

/// The smallest dump of all shows something else first.
#[test]
fn example_of_cause_shows_symptom_of_its_sentence_first() {
    let report = report(vec![
        (wrong("1", &["class", "references"], &[BASE]), 10),
        (wrong("2", &["references"], &[BASE]), 30),
        (wrong("3", &["references"], &[BASE]), 20),
    ]);
    let [cause] = &report.implementations[0].causes[..] else { panic!("one cause") };
    assert!(cause.sentence.starts_with("Gets references, class wrong"), "{}", cause.sentence);
    assert_eq!(cause.example, "3");
}

/// A case that has two causes counts once where cases are counted, and is told by the first of them.
#[test]
fn reports_second_cause_for_symptom_of_another_rule() {
    let both = |id: &str| (wrong(id, &["instance-size", "record-order"], &[SIZE, POSITION]), 20);
    let report = report(vec![(wrong("0", &["instance-size"], &[SIZE]), 10), both("1"), both("2"), both("3")]);
    let tested = &report.implementations[0];
    let told: Vec<_> = tested.causes.iter().map(|cause| (cause.id.as_str(), cause.cases.len())).collect();
    assert_eq!(told, [(SIZE, 4), (POSITION, 3)]);
    let said: Vec<&str> = tested.causes.iter().flat_map(|cause| cause.sentence.split(" where ").next()).collect();
    assert_eq!(said, ["Gets instance-size wrong", "Gets record-order wrong"]);
    assert_eq!(report.overall().unexpected, 4);
    let mut out = Vec::new();
    junit::write(&report, &mut out).expect("memory");
    let out = String::from_utf8(out).expect("text");
    let by = |rule: &str| out.matches(&format!("; cause {rule}: ")).count();
    assert_eq!((by(SIZE), by(POSITION)), (4, 0), "{out}");
}

#[test]
fn known_cases_of_two_causes_are_counted_once() {
    let both = |id: &str| wrong(id, &["instance-size", "record-order"], &[SIZE, POSITION]);
    let expected = |result: CaseResult| {
        let reason = heapsmith::check::report::Expectation { reason: "known".to_owned(), link: None };
        (result.expected(reason), 20)
    };
    let results = vec![wrong("0", &["instance-size"], &[SIZE]), both("1"), both("2"), both("3")];
    let report = report(results.into_iter().map(expected).collect());
    assert_eq!(report.implementations[0].known_counts(), (2, 4));
}
