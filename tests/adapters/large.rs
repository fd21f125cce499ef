//! `check --large`: dumps above 2 and 4 GiB in sparse files, which an adapter that passes over contents reads at once.

use std::fs;

use serde_json::Value;

use crate::bench::{check, check_with, has_python, heapsmith, python, tally};
use crate::schema::Schema;

/// Dumps that are lengths and nothing else.
const LENGTHS: [&str; 6] = [
    "hprof-recipe-2-gib",
    "hprof-recipe-long-array",
    "hprof-recipe-object-array",
    "hprof-recipe-longest-record",
    "hprof-recipe-longest-segment",
    "hprof-recipe-after-4-gib",
];

fn run(way: &str, cases: &[&str], more: &[&str]) -> (Value, i32) {
    let adapter = python("tests/adapters/large.py", way);
    let filters = cases.iter().flat_map(|case| ["--filter", case]);
    check(
        &["--large", "--adapter", &adapter].into_iter().chain(filters).chain(more.iter().copied()).collect::<Vec<_>>(),
    )
}

/// The cases that did not pass.
fn wrong(told: &Value) -> Vec<&str> {
    let results = told["implementations"][0]["results"].as_array().expect("results");
    let is_wrong = |result: &&Value| result["outcome"]["verdict"] != "pass";
    results.iter().filter(is_wrong).map(|result| result["id"].as_str().expect("an id")).collect()
}

#[test]
fn passes_right_counter_and_fails_one_that_truncates_lengths_or_offsets() {
    if !has_python() {
        return;
    }
    let (told, code) = run("right", &LENGTHS, &[]);
    assert_eq!((wrong(&told), code), (vec![], 0), "{told:#}");
    assert_eq!(tally(&told)["pass"], 6);
    let path = format!("{}/specs/schemas/check.schema.json", env!("CARGO_MANIFEST_DIR"));
    let schema = fs::read_to_string(path).expect("it is there");
    assert_eq!(Schema::new(serde_json::from_str(&schema).expect("JSON")).error(&told), None);

    let (told, code) = run("signed", &LENGTHS, &[]);
    assert_eq!((wrong(&told).len(), code), (6, 1), "{told:#}");
    let result = &told["implementations"][0]["results"][0];
    assert_eq!(result["outcome"]["verdict"], "wrong-verdict");
    assert!(result["repeat"].as_str().is_some_and(|repeat| repeat.contains(" --large ")), "{result}");
    // An array of 2^32 - 58 bytes is one of -58 then, and has its end in front of it.
    let (told, _) = run("product", &LENGTHS, &[]);
    assert_eq!(wrong(&told).len(), 6, "{told:#}");
    let (told, _) = run("position", &LENGTHS, &[]);
    assert!(wrong(&told).contains(&"hprof-recipe-after-4-gib"), "{told:#}");
    assert!(!wrong(&told).contains(&"hprof-recipe-2-gib"), "{told:#}");
}

#[test]
fn reports_only_large_case_with_wrong_count() {
    if !has_python() {
        return;
    }
    // The threads are roots of a kind that this adapter does not know.
    let (told, _) = run("right", &["hprof-recipe-many-segments", "hprof-recipe-many-threads"], &[]);
    assert_eq!(wrong(&told), ["hprof-recipe-many-threads"], "{told:#}");
    let facts = told["cases"].as_array().expect("cases");
    assert_eq!(facts[0]["size"], 26_000_131);
    assert_eq!(facts[0]["rules"][0], "hprof.segment.layout");
}

/// Sums of lengths that fit: 3221225488 is -1073741808 in 32 bits with a sign, and 4831838240 is 536870944 in 32 bits.
#[test]
fn fails_analysers_whose_sums_have_32_bits() {
    if !has_python() {
        return;
    }
    let outcome = |way: &str| {
        let adapter = python("tests/adapters/large_answers.py", way);
        let (told, code) = check(&["--large", "--adapter", &adapter, "--filter", "hprof-recipe-retained-sums"]);
        assert_eq!(code, i32::from(way != "right"), "{told:#}");
        told["implementations"][0]["results"][0]["outcome"].clone()
    };
    assert_eq!(outcome("right")["verdict"], "pass");
    let unsigned = outcome("unsigned");
    assert_eq!((&unsigned["verdict"], &unsigned["fact"]), (&"fail".into(), &"retained bytes".into()), "{unsigned}");
    assert_eq!((&unsigned["expected"], &unsigned["found"]), (&"4831838240".into(), &"536870944".into()), "{unsigned}");
    assert_eq!((&unsigned["address"], &unsigned["count"]), (&"0x820001050".into(), &1.into()), "{unsigned}");
    let signed = outcome("signed");
    assert!(signed["found"].as_str().is_some_and(|found| found.contains("`-1073741808`")), "{signed}");
}

/// The run of the adapter that lists: the verdict on each case, and the exit code.
fn listed(way: &str, declared: &str, cases: &[&str]) -> (Vec<(String, String)>, i32, Value) {
    let adapter = python("tests/adapters/large_listing.py", &format!("{way} {declared}"));
    let filters = cases.iter().flat_map(|case| ["--filter", case]);
    let (told, code) = check(&["--large", "--adapter", &adapter].into_iter().chain(filters).collect::<Vec<_>>());
    let results = told["implementations"][0]["results"].as_array().expect("results");
    let text = |value: &Value| value.as_str().expect("text").to_owned();
    (results.iter().map(|result| (text(&result["id"]), text(&result["outcome"]["verdict"]))).collect(), code, told)
}

#[test]
fn asks_for_listings_without_what_has_no_bound() {
    if !has_python() {
        return;
    }
    let cases = ["hprof-recipe-2-gib", "hprof-recipe-after-4-gib", "hprof-recipe-many-heaps"];
    let (verdicts, code, told) = listed("right", "", &cases);
    // It declares no `heaps`, so that it is not asked for the last of 4,000.
    let due = ["pass", "pass", "skip"];
    assert_eq!(verdicts.iter().map(|(_, verdict)| &**verdict).collect::<Vec<_>>(), due, "{told:#}");
    assert_eq!(code, 0);
    // The length is one of 0 bytes then, and nothing else of the array is judged.
    let (verdicts, code, told) = listed("lengths", "", &cases[..1]);
    assert_eq!((&*verdicts[0].1, code), ("fail", 1), "{told:#}");
    let outcome = &told["implementations"][0]["results"][0]["outcome"];
    assert_eq!((&outcome["fact"], &outcome["expected"]), (&"array-length".into(), &"2147483648".into()), "{outcome}");
    let (verdicts, ..) = listed("after", "", &cases[1..2]);
    assert_eq!(verdicts[0].1, "fail");
}

#[test]
fn does_not_ask_for_listing_that_has_no_bound() {
    if !has_python() {
        return;
    }
    let adapters =
        [python("examples/adapters/full/hprof.py", ""), python("tests/adapters/large_listing.py", "right {}")];
    for adapter in adapters {
        let output = heapsmith(&["check", "--large", "--adapter", &adapter, "--filter", "hprof-recipe-2-gib"]);
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{told}");
        assert!(told.contains("it does not declare that it `omits` primitive-contents"), "{told}");
    }
}

/// A million objects, each in a segment of its own: their listing has a bound.
#[test]
#[ignore = "long: tests/long.sh runs it"]
fn asks_for_listings_of_many_objects() {
    if !has_python() {
        return;
    }
    let (verdicts, code, told) = listed("right", "", &["hprof-recipe-many-segments"]);
    assert_eq!((&*verdicts[0].1, code), ("pass", 0), "{told:#}");
}

#[test]
fn reference_decoder_reads_small_versions() {
    let cases = ["phd-recipe-long-name", "classic-recipe-long-name", "hprof-recipe-many-heaps"];
    let filters = cases.iter().flat_map(|case| ["--filter", *case]);
    let arguments: Vec<&str> = ["--large", "--adapter", "heapsmith adapter serve"].into_iter().chain(filters).collect();
    let (told, code) = check_with(&arguments, &[]);
    assert_eq!((wrong(&told), code), (vec![], 0), "{told:#}");
}

#[test]
fn a_program_that_prints_listings_is_refused() {
    let output = heapsmith(&["check", "--large", "--decoder", "cat {}"]);
    assert_eq!(output.status.code(), Some(2));
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(told.contains("--large") && told.contains("--decoder"), "{told}");
}
