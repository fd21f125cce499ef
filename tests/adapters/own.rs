//! `check --dumps`: dumps of one's own in place of the corpus.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::process::{Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

use crate::bench::{HEAPSMITH, check, has_python, heapsmith, python, tally};
use crate::schema::Schema;

/// Dumps in a folder: three small ones, one of them cut short and one in a folder of its own, one of 5 MB, and a text.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().expect("there is room for a folder");
    let path = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    fs::create_dir(path("more")).expect("a folder");
    let made = [
        ("small.hprof", "--format hprof --objects 40"),
        ("cut.phd", "--format phd6 --objects 40"),
        ("more/text.txt.gz", "--format classic --objects 40 --gzip"),
        ("large.hprof", "--preset huge --objects 120000 --format hprof"),
    ];
    for (name, options) in made {
        let all = format!("generate {options} --seed 5 -o");
        let output = heapsmith(&all.split(' ').chain([path(name).as_str()]).collect::<Vec<_>>());
        assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
    }
    let whole = fs::read(path("cut.phd")).expect("it is there");
    fs::write(path("cut.phd"), &whole[..75]).expect("there is room");
    fs::write(path("notes.md"), "no dump").expect("there is room");
    assert!(fs::metadata(path("large.hprof")).expect("it is there").len() > 4 << 20);
    folder
}

/// Verdicts by the ends of the ids.
fn verdicts(told: &Value) -> BTreeMap<String, String> {
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    let results = told["implementations"][0]["results"].as_array().expect("results");
    let name = |id: String| id.rsplit('-').next().unwrap_or_default().to_owned();
    results.iter().map(|result| (name(text(&result["id"])), text(&result["outcome"]["verdict"]))).collect()
}

fn of(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    pairs.iter().map(|(name, verdict)| ((*name).to_owned(), (*verdict).to_owned())).collect()
}

#[test]
fn judges_dumps_of_folder_by_reference_reading() {
    let folder = folder();
    let (dumps, own) = (folder.path().to_string_lossy(), format!("{HEAPSMITH} adapter serve"));
    let (told, code) = check(&["--dumps", &dumps, "--adapter", &own]);
    let all = of(&[("small", "pass"), ("cut", "pass"), ("text", "pass"), ("large", "pass")]);
    assert_eq!((verdicts(&told), code), (all, 0), "{told:#}");
    assert_eq!(told["chosen"]["dumps"], 4);
    let path = format!("{}/specs/schemas/check.schema.json", env!("CARGO_MANIFEST_DIR"));
    let schema = fs::read_to_string(path).expect("it is there");
    assert_eq!(Schema::new(serde_json::from_str(&schema).expect("JSON")).error(&told), None);
    // What is wrong with a dump is said of it, as `validate` has it.
    let cut =
        told["cases"].as_array().expect("cases").iter().find(|case| case["format"] == "phd6").expect("it is there");
    assert_eq!(cut["verdict"], "invalid");
    assert!(cut["summary"].as_str().is_some_and(|text| text.contains("validate finds phd.")), "{cut}");
    // Every level, of dumps that are held and of one that is not; two shards are the whole.
    for level in ["verdict", "counts", "digest"] {
        let (told, code) = check(&["--dumps", &dumps, "--adapter", &own, "--level", level]);
        assert_eq!((tally(&told)["pass"], code), (4, 0), "{level}: {told:#}");
    }
    let parts = ["1/2", "2/2"].map(|part| check(&["--dumps", &dumps, "--adapter", &own, "--shard", part]));
    assert_eq!(parts.iter().map(|(told, _)| tally(told)["pass"]).sum::<u64>(), 4);
}

#[test]
fn a_wrong_answer_to_a_large_dump_is_found_by_digest_and_by_counts() {
    if !has_python() {
        return;
    }
    let folder = folder();
    let large = folder.path().join("large.hprof").to_string_lossy().into_owned();
    for (way, level) in [("digest", "digest"), ("counts", "counts")] {
        let adapter = python("tests/adapters/own.py", &format!("{HEAPSMITH} {way}"));
        let (told, code) = check(&["--dumps", &large, "--adapter", &adapter, "--level", level]);
        let result = &told["implementations"][0]["results"][0];
        assert_eq!((&result["outcome"]["verdict"], code), (&Value::from("fail"), 1), "{way}: {result:#}");
        let repeat = result["repeat"].as_str().expect("a command");
        assert!(repeat.contains(&format!("--dumps {large}")) && !repeat.contains("--filter"), "{repeat}");
    }
    // What such a program puts beside the dump is not in the folder.
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 5);
}

#[test]
fn a_wrong_digest_is_reported_with_the_address_that_it_comes_from() {
    if !has_python() {
        return;
    }
    let folder = tempfile::tempdir().expect("there is room for a folder");
    let path = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let run = |arguments: &[&str]| {
        let output = heapsmith(arguments);
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("text")
    };
    let [right, changed, wrong] = ["right.phd", "changed.jsonl", "wrong.phd"].map(path);
    run(&["generate", "--format", "phd6", "--objects", "40", "--seed", "5", "-o", &right]);
    let listing = run(&["decode", &right]);
    // Another hash of the last object that has one.
    let is_hashed = |line: &&str| line.starts_with("{\"kind\":\"object\"") && line.contains("\"hash32\"");
    let line = listing.lines().rfind(is_hashed).expect("an object with a hash");
    let mut object: Value = serde_json::from_str(line).expect("JSON");
    object["hash32"] = "0x12345678".into();
    fs::write(&changed, listing.replace(line, &object.to_string())).expect("there is room");
    run(&["encode", &changed, "--format", "phd6", "-o", &wrong]);
    let adapter = python("tests/adapters/own.py", &format!("{HEAPSMITH} of {wrong} '{{}}'"));
    let (told, code) = check(&["--dumps", &right, "--adapter", &adapter, "--level", "digest"]);
    let outcome = &told["implementations"][0]["results"][0]["outcome"];
    assert_eq!((&outcome["verdict"], &outcome["fact"], code), (&"fail".into(), &"hash-32".into(), 1), "{outcome:#}");
    assert_eq!(outcome["address"], object["address"], "{outcome:#}");
}

#[test]
fn judges_conversion_of_large_dump_object_by_object() {
    let folder = folder();
    let path = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let both = [path("small.hprof"), path("large.hprof")];
    let right = format!("{HEAPSMITH} convert {{in}} -o {{out}} --to phd6 --force");
    let (told, code) = check(&["--dumps", &both[0], &both[1], "--converter", &right, "--to", "phd6"]);
    assert_eq!((tally(&told)["pass"], code), (2, 0), "{told:#}");
    // One that puts the same small dump in the place of each.
    let wrong = format!("sh -c '{HEAPSMITH} convert {} -o \"$1\" --to phd6 --force' sh {{out}} {{in}}", both[0]);
    let (told, code) = check(&["--dumps", &both[0], &both[1], "--converter", &wrong, "--to", "phd6"]);
    let all = of(&[("phd6", "fail")]);
    assert_eq!((tally(&told)["pass"], tally(&told)["fail"], code), (1, 1, 1), "{told:#} {all:?}");
}

#[test]
fn accepts_lists_and_patterns_and_skips_other_files() {
    let folder = folder();
    let path = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let decoder = format!("{HEAPSMITH} decode {{}}");
    // A text is asked about if it is named, and cannot be; a decoder prints no listing of a large dump.
    let (told, code) = check(&["--dumps", &path("notes.md"), &path("*.hprof"), "--decoder", &decoder]);
    let skipped = of(&[("notes", "skip"), ("small", "pass"), ("large", "skip")]);
    assert_eq!((verdicts(&told), code), (skipped, 1), "more is skipped than judged: {told:#}");
    let mut command = Command::new(HEAPSMITH);
    command.args(["check", "--json", "--dumps", "-", "--decoder", &decoder]);
    let mut process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it can be started");
    let list = format!("{}\n\n{}\n", path("small.hprof"), path("more"));
    process.stdin.take().expect("standard input").write_all(list.as_bytes()).expect("it reads");
    let output = process.wait_with_output().expect("it ends");
    let told = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(verdicts(&told), of(&[("small", "pass"), ("text", "pass")]));
    let output = heapsmith(&["check", "--dumps", "nowhere.hprof", "--decoder", &decoder]);
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(2) && told.contains("nowhere.hprof"), "{told}");
}
