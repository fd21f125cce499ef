//! Right decoders that tell facts in their own ways, and declare it: none is blamed, one that does not declare it is, and a wrong
//! fact is found under each declaration. They are the full adapters with the freedoms of tests/adapters/free.py. There are few
//! random dumps; HEAPSMITH_DECLARED_RANDOM=300 asks for more.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::bench::{check, has_python, heapsmith, interpreter, python};

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

/// The same of other formats, whose dumps have no values, roots or records of another kind: by format.
const DECLARED_OF_OTHERS: [(&str, &str, &str); 10] = [
    ("phd", "placeholders", "class-name"),
    ("phd", "dangling", "class"),
    ("phd", "null-object", "address"),
    ("phd", "classes", "address"),
    ("phd", "java-names", "class-name"),
    ("classic", "placeholders", "class-name"),
    ("classic", "dangling", "references"),
    ("classic", "null-object", "address"),
    ("classic", "classes", "address"),
    ("classic", "java-names", "class-name"),
];

/// Cases of which each shows some of these.
const SHOWING_OTHERS: [(&str, &[&str]); 2] = [
    (
        "phd",
        &[
            "--filter",
            "phd5-spelled-names",
            "--filter",
            "phd-name-an-empty-slot",
            "--filter",
            "phd-let-a-reference-dangle",
            "--filter",
            "phd-break-a-class-word",
        ],
    ),
    (
        "classic",
        &[
            "--filter",
            "classic-empty-a-name",
            "--filter",
            "classic-spelled-no-name",
            "--filter",
            "classic-let-a-reference-dangle",
            "--filter",
            "classic-name-an-unknown-type",
        ],
    ),
];

/// The report of a decoder for each of these lists of words.
fn free(words: &[String], arguments: &[&str]) -> (Value, i32) {
    free_of("hprof", words, arguments)
}

fn free_of(format: &str, words: &[String], arguments: &[&str]) -> (Value, i32) {
    let of_format = if format == "hprof" { "" } else { format };
    let adapter = |words: &String| python("tests/adapters/free.py", &format!("{of_format} {words}"));
    let adapters: Vec<String> = words.iter().map(adapter).collect();
    let adapters = adapters.iter().flat_map(|adapter| ["--adapter", adapter]);
    let arguments: Vec<&str> =
        adapters.chain(["--format", format, "--seed", "11"]).chain(arguments.iter().copied()).collect();
    check(&arguments)
}

/// The number of random dumps: few, unless more are asked for.
fn random(few: u32) -> String {
    std::env::var("HEAPSMITH_DECLARED_RANDOM").unwrap_or_else(|_| few.to_string())
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
    let (report, code) = free(&words[..1], &["--random", &random(20), "--allow-skips"]);
    assert_eq!((wrong(&report), code), (vec![BTreeSet::new()], 0), "{report:#}");
    let (report, code) = free(&words[1..], &[&SHOWING[..], &["--random", &random(8), "--filter", "random-*"]].concat());
    assert_eq!((wrong(&report), code), (vec![BTreeSet::new(); 3], 0), "{report:#}");
}

#[test]
fn passes_declared_freedoms_of_phd_and_classic() {
    if !has_python() {
        return;
    }
    // What is declared of values, roots and records of HPROF changes nothing.
    let all = ["placeholders dangling null-object java-names text-names of-hprof"].map(str::to_owned);
    let others = ["classes opaque", "classes of-hprof", "opaque null-object java-names"].map(str::to_owned);
    for (format, showing) in SHOWING_OTHERS {
        let (report, code) = free_of(format, &all, &["--random", &random(12)]);
        assert_eq!((wrong(&report), code), (vec![BTreeSet::new()], 0), "{format}: {report:#}");
        let few = random(12);
        let arguments = [showing, &["--random", &few, "--filter", "random-*"]].concat();
        let (report, code) = free_of(format, &others, &arguments);
        assert_eq!((wrong(&report), code), (vec![BTreeSet::new(); 3], 0), "{format}: {report:#}");
    }
}

#[test]
fn blames_freedoms_of_phd_and_classic_that_are_not_declared() {
    if !has_python() {
        return;
    }
    for (format, showing) in SHOWING_OTHERS {
        let of_format = || DECLARED_OF_OTHERS.into_iter().filter(|(of, ..)| *of == format);
        let undeclared = of_format().map(|(_, freedom, _)| format!("{freedom} undeclared"));
        // A wrong fact is found whatever is declared.
        let mistakes = of_format().map(|(_, freedom, _)| format!("{freedom} wrong=other_reference"));
        let words: Vec<String> = undeclared.chain(mistakes).collect();
        let (report, _) = free_of(format, &words, showing);
        let found = wrong(&report);
        let (undeclared, mistakes) = found.split_at(found.len() / 2);
        for (((_, freedom, fact), wrong), mistaken) in of_format().zip(undeclared).zip(mistakes) {
            assert!(wrong.contains(fact), "{format}, {freedom}: {wrong:?}");
            let is_about_references = |fact: &String| fact.ends_with("references") || fact.starts_with("reference");
            assert!(
                !mistaken.is_empty() && mistaken.iter().all(is_about_references),
                "{format}, {freedom}: {mistaken:?}"
            );
        }
    }
}

/// A program that prints listings has no answer to hello: the command says what one would.
#[test]
fn passes_decoders_by_what_their_command_declares() {
    if !has_python() {
        return;
    }
    let script = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/adapters/free.py");
    let decoder = format!("{} -S {} unordered-statics null-roots print={{}}", interpreter(), script.display());
    let declares = |declared: &[&str]| {
        let declared = declared.iter().flat_map(|declared| ["--declare", declared]);
        let shown = ["--filter", "hprof-hotspot-25-1-random", "--filter", "hprof-spelled-null-thread"];
        let arguments: Vec<&str> = ["--decoder", &decoder].into_iter().chain(declared).chain(shown).collect();
        wrong(&check(&arguments).0).remove(0)
    };
    let facts = |facts: &[&str]| facts.iter().copied().map(str::to_owned).collect::<BTreeSet<_>>();
    assert_eq!(declares(&["statics=any-order", "leaves_out=dangling-roots,null-roots"]), facts(&[]));
    assert_eq!(declares(&["statics=any-order"]), facts(&["roots"]));
    assert_eq!(declares(&["leaves_out=null-roots"]), facts(&["statics"]));
    for (declared, expected) in [
        ("statics=upside-down", "expected one of listed, any-order, by-name; found upside-down"),
        ("leaves_out=null-roots,all", "expected a list of names among null-roots, dangling-roots; found all"),
        ("order=any", "expected one of identifies, class_names,"),
    ] {
        let output = heapsmith(&["check", "--decoder", &decoder, "--declare", declared]);
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{told}");
        assert!(told.contains(&format!("--declare {declared}: ")) && told.contains(expected), "{told}");
    }
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
