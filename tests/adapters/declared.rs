//! Right decoders that tell facts in their own ways, and declare it: none is blamed, one that does not declare it is, and a wrong
//! fact is found under each declaration. They are the full adapter for HPROF with the freedoms of tests/adapters/free.py.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::bench::{check, has_python, python};

/// Freedoms that are declared (tests/adapters/free.py), and what is wrong of a decoder that does not declare them.
const DECLARED: [(&str, &str); 16] = [
    ("unordered-statics", "statics"),
    ("named-statics", "statics"),
    ("unordered-fields", "fields"),
    ("placeholders", "threads"),
    ("quiet-nans", "field-values"),
    ("any-nans", "field-values"),
    ("roots-once", "roots"),
    ("root-of-a-kind", "roots"),
    ("root-of-an-object", "roots"),
    ("null-roots", "roots"),
    ("dangling-roots", "roots"),
    ("dangling", "class"),
    ("boot-loader", "address"),
    ("no-android", "accept"),
    ("no-small-identifiers", "accept"),
    ("skips verdict", "refuse"),
];

/// Cases of which each shows some of them.
const SHOWING: [&str; 20] = [
    "--filter",
    "hprof-name-an-unknown-thread",
    "--filter",
    "hprof-spelled-fields-instance-dump",
    "--filter",
    "hprof-spelled-null-thread",
    "--filter",
    "hprof-name-an-unknown-class",
    "--filter",
    "hprof-spelled-android",
    "--filter",
    "hprof-hotspot-25-1-random",
    "--filter",
    "hprof-spelled-short-end-thread",
    "--filter",
    "hprof-spelled-dangling-root",
    "--filter",
    "hprof-dump-a-class-without-load",
    "--filter",
    "hprof-spelled-every-root",
];

/// The report of a decoder for each of these lists of words.
fn free(words: &[String], arguments: &[&str]) -> (Value, i32) {
    let adapters: Vec<String> = words.iter().map(|words| python("tests/adapters/free.py", words)).collect();
    let adapters = adapters.iter().flat_map(|adapter| ["--adapter", adapter]);
    let arguments: Vec<&str> =
        adapters.chain(["--format", "hprof", "--seed", "11"]).chain(arguments.iter().copied()).collect();
    check(&arguments)
}

/// What is wrong of each implementation of a report, over its cases: a fact, or the verdict that was expected.
fn wrong(report: &Value) -> Vec<BTreeSet<String>> {
    let of_case = |result: &Value| {
        let outcome = &result["outcome"];
        let is_failure = !["pass", "skip"].contains(&outcome["verdict"].as_str().expect("text"));
        let others = result["others"].as_array().into_iter().flatten().map(|other| &other["fact"]);
        let first = outcome.get("fact").or(outcome.get("expected"));
        let all: Vec<String> =
            first.into_iter().chain(others).map(|fact| fact.as_str().expect("text").to_owned()).collect();
        if is_failure { all } else { Vec::new() }
    };
    let of_implementation =
        |tested: &Value| tested["results"].as_array().expect("results").iter().flat_map(of_case).collect();
    report["implementations"].as_array().expect("implementations").iter().map(of_implementation).collect()
}

#[test]
fn passes_declared_freedoms() {
    if !has_python() {
        return;
    }
    // Those that change the same facts in two ways are free one after the other.
    let all = "named-statics unordered-fields placeholders any-nans root-of-an-object dangling no-android no-small-identifiers skips";
    let others = [
        "unordered-statics quiet-nans root-of-a-kind null-roots",
        "roots-once dangling-roots boot-loader",
        "root-objects",
    ];
    let words: Vec<String> = std::iter::once(all).chain(others).map(str::to_owned).collect();
    let (report, code) = free(&words[..1], &["--random", "20", "--allow-skips"]);
    assert_eq!((wrong(&report), code), (vec![BTreeSet::new()], 0), "{report:#}");
    let (report, code) = free(&words[1..], &[&SHOWING[..], &["--random", "8", "--filter", "random-*"]].concat());
    assert_eq!((wrong(&report), code), (vec![BTreeSet::new(); 3], 0), "{report:#}");
}

#[test]
fn blames_freedoms_that_are_not_declared() {
    if !has_python() {
        return;
    }
    let words: Vec<String> = DECLARED.iter().map(|(freedom, _)| format!("{freedom} undeclared")).collect();
    let (report, _) = free(&words, &SHOWING);
    for ((freedom, fact), wrong) in DECLARED.into_iter().zip(wrong(&report)) {
        assert!(wrong.contains(fact), "{freedom}: {wrong:?}");
    }
}

#[test]
fn finds_wrong_facts_under_declarations() {
    if !has_python() {
        return;
    }
    let mistakes = [
        ("unordered-statics", "wrong_static", "statics"),
        ("named-statics", "wrong_static", "statics"),
        ("unordered-fields", "wrong_value", "field-values"),
        ("placeholders", "unnamed_class", "class-name"),
        ("placeholders", "stale_names", "class-name"),
        ("quiet-nans", "signless_nans", "field-values"),
        ("any-nans", "zero_nans", "field-values"),
        ("roots-once", "lost_object_of_roots", "roots"),
        ("root-of-a-kind", "lost_object_of_roots", "roots"),
        ("root-of-an-object", "other_kind_of_root", "roots"),
        ("null-roots", "lost_object_of_roots", "roots"),
        ("dangling-roots", "lost_object_of_roots", "roots"),
        ("dangling", "classless", "class"),
        ("boot-loader", "one_root_more", "roots"),
        ("root-objects", "other_kind_of_root", "root-objects"),
        ("root-objects", "lost_object_of_roots", "root-objects"),
        ("no-android", "wrong_value", "field-values"),
    ];
    let words: Vec<String> =
        mistakes.iter().map(|(freedom, mistake, _)| format!("{freedom} wrong={mistake}")).collect();
    let (report, _) = free(&words, &SHOWING);
    for ((freedom, mistake, fact), wrong) in mistakes.into_iter().zip(wrong(&report)) {
        assert!(wrong.contains(fact) && wrong.len() <= 3, "{freedom}, {mistake}: {wrong:?}");
    }
    // What follows damage inside of a skipped record is judged.
    let (report, _) =
        free(&["skips wrong=lost_object".to_owned()], &["--filter", "hprof-spelled-broken-trace-and-a-heap"]);
    assert_eq!(wrong(&report), [BTreeSet::from(["address".to_owned()])], "{report:#}");
}
