//! A report of the size that a run over all adapters has.

use std::collections::BTreeSet;

use heapsmith::check::report::{CaseFacts, CaseResult, CheckReport, Outcome, SCHEMA, TestedImplementation};
use heapsmith::corpus;

use crate::sample::{explained, facts, known, object_array_evidence, pass, random, repeat, result, suspect, wrong};

/// Thirteen implementations over 700 cases. Each breaks some rules, and is known for most of that.
pub(crate) fn thirteen() -> CheckReport {
    let mut cases: Vec<CaseFacts> = corpus::cases().expect("the corpus").iter().map(facts).collect();
    let corpus = cases.len();
    cases.extend((corpus as u64..700).map(random));
    cases.truncate(700);
    let rules: BTreeSet<String> = cases.iter().flat_map(|case| case.rules.clone()).collect();
    let rules: Vec<String> = rules.into_iter().collect();
    let implementation = |number: usize| {
        // A dozen of the rules, others for each implementation.
        let broken: Vec<&String> = rules.iter().skip(number).step_by(rules.len() / 12).collect();
        // Random dumps have many rules, and some show one of them.
        let is_random = |n: usize, case: &CaseFacts| case.rules.is_empty() && n % 4 == number % 4;
        let judged =
            cases.iter().enumerate().map(|(n, case)| match broken.iter().position(|rule| case.rules.contains(rule)) {
                Some(at) => broken_rule(case, broken[at], at),
                None if is_random(n, case) => broken_rule(case, broken[n % broken.len()], n % broken.len()),
                None => pass(&case.id),
            });
        let label = format!("parser-{number} 1.{number}");
        let mut tested = TestedImplementation {
            label,
            kind: "adapter".to_owned(),
            results: judged.collect(),
            ..TestedImplementation::default()
        };
        tested.count();
        tested
    };
    let implementations = (0..13).map(implementation).collect();
    explained(CheckReport {
        schema: SCHEMA,
        heapsmith: "0.1.0".to_owned(),
        cases,
        implementations,
        ..CheckReport::default()
    })
}

/// A failure because of a rule.
fn broken_rule(case: &CaseFacts, rule: &str, at: usize) -> CaseResult {
    let outcome = match at % 3 {
        0 => Outcome::Crash {
            how: format!(
                "exit code 101: thread 'main' panicked at src/parser.rs:{at}:41:\nno such tag\nnote: run with \
                 `RUST_BACKTRACE=1` environment variable to display a backtrace"
            ),
        },
        _ => wrong("array-length", "array of 5, 40 bytes", "array of 37, 40 bytes"),
    };
    let expected = if at == 0 { None } else { known(&format!("parser-{at}: known"), Some("specs/findings.md")) };
    result(&case.id, outcome)
        .suspects(suspect(rule))
        .evidence((!at.is_multiple_of(3)).then(object_array_evidence))
        .expected(expected)
        .repeat(repeat("adapter", &case.id))
}
