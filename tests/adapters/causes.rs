//! What `check` says is the cause of failures, where that is known: of the bugs of the bank (tests/bank/), one by one and
//! two in one decoder.

use std::collections::BTreeSet;

use serde_json::Value;
use tempfile::TempDir;

use crate::bank::{Bug, adapters, bugs};
use crate::bench::{check, has_python};

const FORMATS: [&str; 3] = ["hprof", "phd", "classic"];

/// The causes that are told of decoders with these bugs, one run for all of a format.
fn causes(format: &str, decoders: &[Vec<&Bug>]) -> Vec<Vec<Value>> {
    let folders: Vec<TempDir> = decoders.iter().map(|bugs| adapters(bugs.iter().copied())).collect();
    let command = |folder: &TempDir| {
        let script = folder.path().join(format!("{format}.py"));
        format!("python3 -B {}", shell_words::quote(&script.to_string_lossy()))
    };
    let mut arguments = vec!["--format".to_owned(), format.to_owned(), "--jobs".to_owned(), "2".to_owned()];
    for folder in &folders {
        arguments.extend(["--adapter".to_owned(), command(folder)]);
    }
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let (report, _) = check(&arguments);
    let told = report["implementations"].as_array().expect("implementations");
    assert_eq!(told.len(), decoders.len());
    told.iter().map(|tested| tested["causes"].as_array().cloned().unwrap_or_default()).collect()
}

fn rule(cause: &Value) -> &str {
    cause["rule"].as_str().unwrap_or("no rule")
}

/// A bug that the corpus finds has one cause, and the rule is the one that is broken.
#[test]
fn a_bug_has_one_cause_and_its_rule() {
    if !has_python() {
        return;
    }
    let (mut found, mut single, mut exact) = (0, 0, 0);
    let mut others = Vec::new();
    for format in FORMATS {
        let bugs: Vec<Bug> = bugs(format).into_iter().filter(|bug| !bug.survives).collect();
        let decoders: Vec<Vec<&Bug>> = bugs.iter().map(|bug| vec![bug]).collect();
        for (bug, causes) in bugs.iter().zip(causes(format, &decoders)) {
            found += 1;
            single += usize::from(causes.len() == 1);
            // What fails most is named first.
            let is_exact = causes.first().is_some_and(|cause| rule(cause) == bug.rule);
            exact += usize::from(is_exact);
            if causes.len() != 1 || !is_exact {
                others.push(format!("{} ({}): {:?}", bug.id, bug.rule, causes.iter().map(rule).collect::<Vec<_>>()));
            }
        }
    }
    let others = others.join("\n");
    assert!(single * 100 >= 90 * found, "{single} of {found} bugs have one cause:\n{others}");
    assert!(exact * 100 >= 80 * found, "the rule of {exact} of {found} bugs is named:\n{others}");
}

/// Two bugs in one decoder are two causes, in most of 30 pairs: of a pair one bug may hide the other.
#[test]
fn two_bugs_have_two_causes() {
    if !has_python() {
        return;
    }
    let mut told = Vec::new();
    for format in FORMATS {
        let bugs: Vec<Bug> = bugs(format).into_iter().filter(|bug| !bug.survives).collect();
        let pairs = drawn(&bugs, 10);
        for (pair, causes) in pairs.iter().zip(causes(format, &pairs)) {
            let rules: BTreeSet<&str> = causes.iter().map(rule).collect();
            told.push((causes.len() == 2, format!("{} and {}: {rules:?}", pair[0].id, pair[1].id)));
        }
    }
    let right = told.iter().filter(|(is_right, _)| *is_right).count();
    let others: Vec<&str> = told.iter().filter(|(is_right, _)| !is_right).map(|(_, text)| text.as_str()).collect();
    assert!(right >= 24, "{right} of {} pairs have two causes:\n{}", told.len(), others.join("\n"));
}

/// Pairs of bugs that do not change the same text.
fn drawn(bugs: &[Bug], count: usize) -> Vec<Vec<&Bug>> {
    let mut pairs = Vec::new();
    // Steps that have no divisor in common with the number of bugs meet every bug.
    for step in 1.. {
        let (one, other) = (step * 7 % bugs.len(), (step * 7 + step * 5 + 11) % bugs.len());
        if one != other && bugs[one].can_stand_beside(&bugs[other]) {
            pairs.push(vec![&bugs[one], &bugs[other]]);
        }
        if pairs.len() == count {
            break;
        }
    }
    pairs
}
