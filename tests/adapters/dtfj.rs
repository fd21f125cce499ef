//! The adapters of OpenJ9's DTFJ and jdmpview (examples/adapters/dtfj/).
//!
//! Neither is there. DTFJ's interfaces are stubs, implemented by a reader of PHD that has the real one's ways:
//! synthesised classes without an address or a name, methods that throw, corrupt parts among the objects, and references
//! and hashes that are not those of the file. In the place of jdmpview is a script. All lie in `tests/adapters/dtfj/`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::bench::{PATIENT, ask, check, check_with, compiled, heapsmith, java, tally};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// What DTFJ gets wrong, by the pieces of cases' ids.
const ITS_OWN: [&str; 20] = [
    // Of two and more references of an array it takes the last of the file for the array's class.
    "phd4-any-??-h16-seed?",
    "phd4-any-??-h32-seed1",
    "phd4-j9-2.3-*",
    // It does not look whether an array has more references than elements.
    "phd-claim-too-many-elements",
    "phd-shorten-an-array",
    "phd5-spelled-fewer-elements",
    "phd5-spelled-length-*",
    "phd5-spelled-array-length-2-63",
    "phd5-spelled-long-array-length-2-63",
    "phd6-spelled-no-elements",
    // An object of the class 0 has no class.
    "phd-name-an-empty-slot",
    "phd5-spelled-empty-slots",
    "phd6-spelled-class-words-of-0",
    // The number 0 stands for no hash.
    "phd-claim-hashes-without-j9",
    "phd5-spelled-stored-zero-hashes",
    "phd6-spelled-fields-array",
    "phd5-j9-2.4-random",
    // Names and texts are decoded as plain UTF-8.
    "phd5-spelled-version-text-in-modified-utf-8",
    "phd5-spelled-names",
    "phd6-openj9-odd-names",
];

/// Whether one of these patterns stands for a case.
fn is_one(patterns: &[&str], case: &str) -> bool {
    patterns.iter().any(|pattern| {
        let (begin, rest) = pattern.split_once('*').map_or((*pattern, false), |(begin, _)| (begin, true));
        let same = |(a, b): (char, char)| a == '?' || a == b;
        (rest && case.len() >= begin.len() || case.len() == begin.len()) && begin.chars().zip(case.chars()).all(same)
    })
}

fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|suffix| suffix == "java") {
            found.push(path);
        }
    }
    found
}

/// The adapters, with the stubs and the stand-in for DTFJ.
fn classes() -> Option<TempDir> {
    let mut all = sources(&Path::new(ROOT).join("examples/adapters/dtfj"));
    all.push(Path::new(ROOT).join("examples/adapters/templates/Adapter.java"));
    all.extend(sources(&Path::new(ROOT).join("tests/adapters/dtfj")));
    compiled(&all)
}

/// Each case with its verdict.
fn verdicts(report: &Value) -> Vec<(&str, &Value)> {
    let results = report["implementations"][0]["results"].as_array().expect("results");
    results.iter().map(|result| (result["id"].as_str().expect("an id"), &result["outcome"])).collect()
}

#[test]
fn dtfj_adapter_follows_protocol() {
    let Some(classes) = classes() else { return };
    let adapter = java(&classes, "DtfjAdapter");
    let told = heapsmith(&[&["adapter", "test", &adapter], PATIENT].concat());
    assert_eq!(told.status.code(), Some(0), "{}", String::from_utf8_lossy(&told.stdout));
}

#[test]
fn dtfj_is_judged_by_the_readings_that_it_declares() {
    let Some(classes) = classes() else { return };
    let (report, _) = check(&["--adapter", &java(&classes, "DtfjAdapter"), "--format", "phd"]);
    let all = verdicts(&report);
    let other = |(case, outcome): &&(&str, &Value)| (outcome["verdict"] == "pass") == is_one(&ITS_OWN, case);
    let others: Vec<_> = all.iter().filter(other).map(|(case, outcome)| format!("{case}: {outcome}")).collect();
    assert_eq!(others, Vec::<String>::new());
    assert!(all.len() > 100, "{}", all.len());
}

/// What the adapter answers to a dump of the corpus in version 2, and the lines of its listing.
fn parsed(adapter: &str, dump: &str) -> (Value, Vec<Value>) {
    let folder = tempfile::tempdir().expect("there is room for a folder");
    let out = folder.path().join("answer.jsonl");
    let requests = [
        json!({"id": 1, "op": "hello", "protocols": [1, 2], "runner": "a test"}),
        json!({"id": 2, "op": "parse", "path": format!("{ROOT}/corpus/phd/{dump}.phd"), "format": "phd", "level": "listing",
            "out": out}),
    ];
    let answers = ask(adapter, &requests.map(|request| request.to_string()));
    // A dump that is refused has none.
    let listing = fs::read_to_string(&out).unwrap_or_default();
    let lines = listing.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    (serde_json::from_str(&answers[1]).expect("JSON"), lines)
}

/// Each reading that the adapter declares is that of the listing which it gives.
#[test]
fn dtfj_adapter_declares_readings_of_its_listing() {
    let Some(classes) = classes() else { return };
    let adapter = java(&classes, "DtfjAdapter");
    let hello = json!({"id": 1, "op": "hello", "protocols": [1, 2], "runner": "a test"});
    let hello: Value = serde_json::from_str(&ask(&adapter, &[hello.to_string()])[0]).expect("JSON");
    assert_eq!(
        (&hello["protocol"], &hello["makes_up"], &hello["names"]),
        (&json!(2), &json!(["classes"]), &json!("text"))
    );
    for (reading, dump, address, key, value) in [
        ("phd.element-order", "spelled/phd5-spelled-reference-order", "0x1010", "refs", json!(["0x1000", "0x1008"])),
        ("phd.first-reference", "damaged/phd-refer-to-the-class-first", "0x1010a0", "refs", json!([])),
        ("phd.hash-16", "spelled/phd5-spelled-hash-value", "0x1008", "hash32", json!("0x7abc7abc")),
        ("phd.missing-hash", "spelled/phd4-spelled-computed-hash", "0x1000", "hash32", json!("0x804001")),
        ("phd.array-class", "spelled/phd4-spelled-class-word", "0x1088", "array_class", json!("0x1040")),
        ("phd.array-class", "spelled/phd4-spelled-class-word", "0x1088", "refs", json!([])),
        ("names", "spelled/phd5-spelled-names", "0x1040", "name", json!("a\u{FFFD}\u{FFFD}b")),
        // A class that an object names, and that the dump has no record of.
        ("makes_up", "damaged/phd-break-a-class-word", "0x100084", "name", Value::Null),
        // A superclass without a record: its address is in the exception.
        ("names", "damaged/phd-break-a-superclass-word", "0x100040", "super", json!("0x100004")),
    ] {
        assert!(!(hello["readings"][reading].is_null() && hello[reading].is_null()), "{reading}: {hello}");
        let (answer, lines) = parsed(&adapter, dump);
        assert_eq!(answer["status"], "accept", "{dump}: {answer}");
        let line = lines.iter().find(|line| line["address"] == address).unwrap_or_else(|| panic!("{dump}: {lines:#?}"));
        assert_eq!(line[key], value, "{dump}: {line}");
    }
}

#[test]
fn dtfj_adapter_warns_and_refuses() {
    let Some(classes) = classes() else { return };
    let adapter = java(&classes, "DtfjAdapter");
    let (answer, _) = parsed(&adapter, "damaged/phd-break-a-superclass-word");
    assert_eq!(answer["warnings"], json!(["Superclass not found"]), "{answer}");
    let (answer, _) = parsed(&adapter, "golden/phd6-openj9-64");
    assert_eq!(answer, json!({"id": 2, "status": "accept"}));
    // An exception of the factory, and a corrupt part among the objects.
    for dump in ["damaged/phd-misspell-the-magic", "damaged/phd-cut-in-a-record"] {
        let (answer, _) = parsed(&adapter, dump);
        assert_eq!(answer["status"], "reject", "{dump}: {answer}");
    }
}

/// The adapter of jdmpview, with the script in its place.
fn jdmpview(classes: &TempDir) -> String {
    format!(
        "{} {}",
        java(classes, "JdmpviewAdapter"),
        shell_words::quote(&format!("{ROOT}/tests/adapters/dtfj/jdmpview"))
    )
}

#[test]
fn jdmpview_adapter_converts_phd() {
    let Some(classes) = classes() else { return };
    let adapter = jdmpview(&classes);
    let question =
        ["--adapter", &adapter, "--operation", "convert", "--filter", "phd[56]-*64*", "--filter", "phd6-compressed"];
    let (report, code) = check(&[&question[..], &["--filter", "phd-cut-in-a-record"]].concat());
    let verdicts = tally(&report);
    assert_eq!(code, 0, "{report:#}");
    assert!(verdicts["pass"] > 25 && verdicts["skip"] < 10, "{verdicts:?}");
    // An exception that it prints is no refusal.
    let question = ["--adapter", &adapter, "--operation", "convert", "--filter", "phd6-openj9-64"];
    let (report, _) = check_with(&question, &[("JDMPVIEW_FAILS", "1")]);
    assert_eq!(tally(&report).keys().collect::<Vec<_>>(), ["crash"], "{report:#}");
}

#[test]
fn jdmpview_adapter_declares_losses_and_reports_warnings() {
    let Some(classes) = classes() else { return };
    let folder = tempfile::tempdir().expect("there is room for a folder");
    let out = folder.path().join("written.phd");
    let dump = format!("{ROOT}/corpus/phd/golden/phd6-openj9-64.phd");
    let requests = [
        json!({"id": 1, "op": "hello", "protocols": [1], "runner": "a test"}),
        json!({"id": 2, "op": "hello", "protocols": [1, 2], "runner": "a test"}),
        json!({"id": 3, "op": "convert", "path": dump, "from": "phd6", "to": "phd6/jdmpview", "out": out}),
        json!({"id": 4, "op": "parse", "path": dump, "format": "phd6", "level": "listing",
            "out": folder.path().join("answer.jsonl")}),
    ];
    // The script finds heapsmith on its path.
    let path = Path::new(crate::bench::HEAPSMITH).parent().expect("a folder").display().to_string();
    let adapter = format!("env PATH={path}:{} {}", std::env::var("PATH").unwrap_or_default(), jdmpview(&classes));
    let answers: Vec<Value> = ask(&adapter, &requests.map(|request| request.to_string()))
        .iter()
        .map(|answer| serde_json::from_str(answer).expect("JSON"))
        .collect();
    assert_eq!(answers[0]["converts"][1], json!({"from": "phd", "to": "classic/jdmpview"}));
    assert_eq!(answers[1]["converts"][1]["loses"], json!(["class-references"]));
    let warnings = json!(["Wrote 3 objects and 2 classes and encountered 2 errors."]);
    assert_eq!((&answers[2]["status"], &answers[2]["warnings"]), (&"accept".into(), &warnings));
    assert_eq!(fs::read(&out).map(|bytes| bytes.len() > 100).ok(), Some(true));
    assert_eq!(answers[3]["status"], "skip", "{}", answers[3]);
    // By hand: what the name of the output says is written.
    let text = folder.path().join("a text.txt");
    let words = shell_words::split(&adapter).expect("a command");
    let mut command = Command::new(&words[0]);
    let told = command.args(&words[1..]).arg("--write").arg(&dump).arg(&text).output().expect("it can be run");
    assert!(told.status.success(), "{}", String::from_utf8_lossy(&told.stderr));
    assert!(fs::read(&text).is_ok_and(|bytes| bytes.starts_with(b"// Version: heapsmith specimen")));
}
