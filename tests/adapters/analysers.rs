//! The level of answers: an analyser of its own (examples/adapters/full/hprof_answers.py) agrees with ours, each wrong analyser of
//! tests/bank/answers.toml is found by its smallest dump and by a case of the corpus, and conventions are held to.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use tempfile::TempDir;
use toml::Table;

use crate::bench::{ask, check, has_python, heapsmith, interpreter, outcomes, python, tally};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");
const ANALYSER: &str = "hprof_answers.py";

/// The texts of the bank.
pub(crate) fn bugs() -> Vec<Table> {
    let text = fs::read_to_string(Path::new(ROOT).join("tests/bank/answers.toml")).expect("the bank");
    let sheet: Table = text.parse().expect("TOML");
    let bugs = sheet["bug"].as_array().expect("bugs").iter();
    bugs.map(|bug| bug.as_table().expect("a table").clone()).collect()
}

pub(crate) fn text<'t>(bug: &'t Table, key: &str) -> &'t str {
    bug.get(key).and_then(toml::Value::as_str).unwrap_or_else(|| panic!("{key} is a text of {bug}"))
}

/// The command of the analyser with a change, or without, in a folder of its own.
fn changed(change: Option<(&str, &str)>, words: &str) -> (TempDir, String) {
    let folder = tempfile::tempdir().expect("a folder");
    for file in ["protocol.py", "hprof.py", ANALYSER] {
        let path = Path::new(ROOT).join("examples/adapters/full").join(file);
        let mut source = fs::read_to_string(path).expect("an adapter");
        if let Some((old, new)) = change.filter(|_| file == ANALYSER) {
            assert_eq!(source.matches(old).count(), 1, "{old}");
            source = source.replace(old, new);
        }
        fs::write(folder.path().join(file), source).expect("it can be written");
    }
    let command = format!("{} -S -B {} {words}", interpreter(), folder.path().join(ANALYSER).display());
    (folder, command)
}

/// The bytes of a dump that is spelled by hand.
fn bytes(spelled: &str) -> Vec<u8> {
    let digits: String = spelled.split_whitespace().collect();
    let pairs = (0..digits.len()).step_by(2);
    pairs.map(|at| u8::from_str_radix(&digits[at..at + 2], 16).expect("digits")).collect()
}

/// What is said of each entry, by address; a path only where it is wanted, since several may be right.
fn lines(text: &str) -> BTreeMap<String, Value> {
    let told = text.lines().filter(|line| !line.is_empty()).map(|line| {
        let mut line: Value = serde_json::from_str(line).expect("JSON");
        let known = ["address", "reachable", "distance", "dominator", "retained", "bytes", "path"];
        line.as_object_mut().expect("an object").retain(|key, _| known.contains(&key.as_str()));
        line.as_object_mut().expect("an object").entry("reachable").or_insert(json!(true));
        (line["address"].as_str().expect("an address").to_owned(), line)
    });
    told.collect()
}

fn without_paths(mut lines: BTreeMap<String, Value>, kept: &BTreeMap<String, Value>) -> BTreeMap<String, Value> {
    for (address, line) in &mut lines {
        if kept.get(address).is_none_or(|kept| kept.get("path").is_none()) {
            line.as_object_mut().expect("an object").remove("path");
        }
    }
    lines
}

#[test]
fn independent_analyser_agrees_with_reference() {
    if !has_python() {
        return;
    }
    let adapter = python("examples/adapters/full/hprof_answers.py", "");
    let output = heapsmith(&["adapter", "test", &adapter]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    for level in ["answers", "counts"] {
        let arguments =
            ["--adapter", &adapter, "--format", "hprof", "--level", level, "--random", "100", "--seed", "7"];
        let (report, code) = check(&arguments);
        assert_eq!(code, 0, "{level}: {report}");
        assert_eq!(tally(&report).into_keys().collect::<Vec<_>>(), ["pass"], "{level}: no case is skipped");
    }
}

#[test]
fn asks_reference_only_about_dumps_with_roots() {
    let adapter = format!("{} adapter serve", crate::bench::HEAPSMITH);
    let filters = ["--filter", "*-golden*", "--filter", "*spelled-weak*", "--filter", "phd6-openj9-64"];
    let (report, code) =
        check(&[&["--adapter", &*adapter, "--level", "answers", "--random", "20"], &filters[..]].concat());
    assert_eq!(code, 0, "{report}");
    let skipped = outcomes(&report).into_iter().filter(|outcome| outcome["verdict"] == "skip");
    let reasons: Vec<&str> = skipped.map(|outcome| outcome["reason"].as_str().expect("a reason")).collect();
    let due = "the dump records no roots, from which answers follow";
    assert!(!reasons.is_empty() && reasons.iter().all(|reason| *reason == due), "{reasons:?}");
}

#[test]
fn names_single_wrong_fact() {
    if !has_python() {
        return;
    }
    let case = "hprof-spelled-weak-reference";
    for (change, level, fact, address, expected, found) in [
        (
            (
                r#"line["dominator"] = hex(dominators[address])"#,
                r#"line["dominator"] = hex({0x11000: 0x12000}.get(address, dominators[address]))"#,
            ),
            "answers",
            "dominator",
            json!("0x11000"),
            "0x11100",
            "0x12000",
        ),
        (
            (r#""bytes": retained[address]}"#, r#""bytes": retained[address] + (address == 0x12000)}"#),
            "answers",
            "retained bytes",
            json!("0x12000"),
            "9",
            "10",
        ),
        (
            ("        if not name:", r#"        if not name or name == b"java/lang/ref/WeakReference":"#),
            "counts",
            "objects of java.lang.ref.WeakReference",
            Value::Null,
            "1",
            "0",
        ),
    ] {
        let (_folder, adapter) = changed(Some(change), "");
        let (report, code) = check(&["--adapter", &adapter, "--level", level, "--filter", case]);
        assert_eq!(code, 1, "{report:#}");
        let outcome = outcomes(&report)[0];
        let told = [&outcome["fact"], &outcome["address"], &outcome["expected"], &outcome["found"]];
        assert_eq!(told, [&json!(fact), &address, &json!(expected), &json!(found)], "{outcome}");
        assert_eq!(outcome["count"], json!(1));
        let causes = report["implementations"][0]["causes"].as_array().expect("causes");
        assert_eq!(causes.len(), 1, "{fact}");
        // The bytes of an entry say nothing of what follows from the graph.
        assert!(level == "counts" || fact == "size" || causes[0].get("rule").is_none_or(Value::is_null), "{fact}");
    }
}

/// Retained bytes are those of the analyser's own sizes; that the sizes are the dump's is judged only where that is declared.
#[test]
fn accepts_own_sizes_unless_declared_as_those_of_dump() {
    if !has_python() {
        return;
    }
    let sizes = "        return item[\"length\"] * self.dump.id_size";
    let (folder, adapter) = changed(Some((sizes, "        return 16 + item[\"length\"] * self.dump.id_size")), "");
    let run = || check(&["--adapter", &adapter, "--format", "hprof", "--filter", "*-random"]);
    let (report, _) = run();
    let facts: Vec<&Value> = outcomes(&report).into_iter().map(|outcome| &outcome["fact"]).collect();
    assert!(
        facts.iter().all(|fact| fact.is_null() || **fact == "size") && facts.contains(&&json!("size")),
        "{facts:?}"
    );
    let path = folder.path().join(ANALYSER);
    let source = fs::read_to_string(&path).expect("it is there").replace(r#""sizes", "#, "");
    fs::write(path, source).expect("it can be written");
    let (report, code) = run();
    assert_eq!((tally(&report).into_keys().collect::<Vec<_>>(), code), (vec!["pass".to_owned()], 0));
}

/// Where no line has a size, what is retained is that of the dump.
#[test]
fn judges_answer_without_sizes_by_dump_sizes() {
    if !has_python() {
        return;
    }
    let sizes = "            line[\"bytes\"] = sizes[address]";
    let (folder, adapter) = changed(Some((sizes, "            pass")), "");
    let path = folder.path().join(ANALYSER);
    let source = fs::read_to_string(&path).expect("it is there").replace(r#""sizes", "#, "");
    fs::write(&path, &source).expect("it can be written");
    let run = || check(&["--adapter", &adapter, "--format", "hprof", "--level", "answers", "--filter", "*-random"]);
    let (report, code) = run();
    assert_eq!((tally(&report).into_keys().collect::<Vec<_>>(), code), (vec!["pass".to_owned()], 0));
    let (old, new) = ("\"bytes\": retained[address]}", "\"bytes\": retained[address] + 1}");
    assert_eq!(source.matches(old).count(), 1);
    fs::write(path, source.replace(old, new)).expect("it can be written");
    let (report, _) = run();
    assert_eq!(tally(&report).into_keys().collect::<Vec<_>>(), ["fail"]);
    assert!(outcomes(&report).iter().all(|outcome| outcome["fact"] == "retained bytes"), "{report}");
}

#[test]
fn applies_declared_or_inferred_conventions_to_whole_run() {
    if !has_python() {
        return;
    }
    for convention in [
        "answers.referents=counted",
        "answers.class-of-object=left-out",
        "answers.class-of-object=of-instances",
        "answers.thread-locals=of-thread",
        "answers.references-of-class=superclass-loader-statics",
        "answers.references-of-class=loader-statics",
        "answers.class-of-class=counted",
        "answers.class-roots=boot-loader",
        "answers.class-objects=none",
    ] {
        let (name, choice) = convention.split_once('=').expect("a choice");
        for (words, declared) in [(convention.to_owned(), true), (format!("{convention} undeclared"), false)] {
            let (_folder, adapter) = changed(None, &words);
            // The last has the class java.lang.Class.
            let filters = ["--filter", "*-random", "--filter", "*weak*", "--filter", "hprof-hotspot-17-4"];
            let (report, code) = check(&[&["--adapter", &*adapter, "--format", "hprof"], &filters[..]].concat());
            assert_eq!((tally(&report).into_keys().collect::<Vec<_>>(), code), (vec!["pass".to_owned()], 0), "{words}");
            let held = report["implementations"][0]["readings"].as_array().expect("readings");
            let held = held.iter().find(|held| held["reading"] == name).expect("it is seen");
            assert_eq!((&held["choice"], &held["declared"]), (&json!(choice), &json!(declared)), "{words}");
        }
    }
    // One that follows the references of one kind in one dump alone.
    let old = r#"if of_object == "counted" or"#;
    let new = r#"if len(self.dump.data) % 2 or of_object == "counted" or"#;
    let (_folder, adapter) = changed(Some((old, new)), "answers.class-of-object=left-out");
    let (report, code) = check(&["--adapter", &adapter, "--format", "hprof", "--filter", "*-random"]);
    assert_eq!(code, 1);
    let facts = outcomes(&report).into_iter().filter_map(|outcome| outcome["fact"].as_str());
    assert!(facts.clone().count() > 0 && facts.clone().all(|fact| fact == "reading answers.class-of-object"));
}

#[test]
fn every_wrong_analyser_is_found_by_its_smallest_dump_and_by_the_corpus() {
    if !has_python() {
        return;
    }
    let bugs = bugs();
    assert!(bugs.len() >= 20, "{} bugs", bugs.len());
    let figures = fs::read_to_string(Path::new(ROOT).join("tests/bank/figures.toml")).expect("the figures");
    let figures: Table = figures.parse().expect("TOML");
    let cases = heapsmith::corpus::cases().expect("the corpus");
    let page = fs::read_to_string(Path::new(ROOT).join("specs/answers.md")).expect("the page");
    for bug in &bugs {
        let id = text(bug, "id");
        let about = text(bug, "about");
        assert!(page.contains(&format!("## {about}\n")) || page.contains(&format!("**{about}.**")), "{id}: {about}");
        let folder = tempfile::tempdir().expect("a folder");
        let [smallest, out] = ["smallest.hprof", "out.jsonl"].map(|name| folder.path().join(name));
        fs::write(&smallest, bytes(text(bug, "bytes"))).expect("it can be written");
        let level = if bug.contains_key("entries") { "answers" } else { "counts" };
        is_right(id, bug, level, &smallest, &out);
        // The case of the corpus that is recorded is asked about beside it.
        let recorded = figures.get(id).and_then(|of| of.get("corpus")).and_then(toml::Value::as_str);
        let recorded = recorded.unwrap_or_else(|| panic!("{id}: no case of the corpus is recorded"));
        let case =
            cases.iter().find(|case| case.id == recorded).unwrap_or_else(|| panic!("{id}: there is no {recorded}"));
        let (_folder, adapter) = changed(Some((text(bug, "old"), text(bug, "new"))), "");
        let (report, _) = check(&["--adapter", &adapter, "--level", level, "--dumps", &smallest.to_string_lossy()]);
        let outcome = outcomes(&report)[0];
        assert_eq!(outcome["fact"], json!(text(bug, "wrong")), "{id}: {outcome}");
        let (report, _) = check(&["--adapter", &adapter, "--level", level, "--filter", &case.id]);
        let is_found = outcomes(&report).iter().any(|outcome| outcome["verdict"] != "pass");
        assert!(is_found, "{id}: {recorded} does not find it");
    }
}

/// What is spelled by hand is what both the analyser without a bug and ours say.
fn is_right(id: &str, bug: &Table, level: &str, dump: &Path, out: &Path) {
    let adapter = python("examples/adapters/full/hprof_answers.py", "");
    let hello = json!({"id":1,"op":"hello","protocols":[1,2],"runner":"the bank"}).to_string();
    let parse = json!({"id":2,"op":"parse","path":dump,"format":"hprof","level":level,"out":out}).to_string();
    let answers = ask(&adapter, &[hello, parse]);
    let answer: Value = serde_json::from_str(&answers[1]).expect("JSON");
    assert_eq!(answer["status"], "accept", "{id}: {answer}");
    let own = heapsmith(&[
        "answers",
        &dump.to_string_lossy(),
        "--json",
        "--entries",
        &out.with_extension("own").to_string_lossy(),
    ]);
    assert!(own.status.success(), "{id}: {}", String::from_utf8_lossy(&own.stderr));
    if level == "counts" {
        let due: Value = serde_json::from_str(text(bug, "histogram")).expect("JSON");
        let own: Value = serde_json::from_slice(&own.stdout).expect("JSON");
        let mut rows = own["histogram"].clone();
        rows.as_array_mut()
            .expect("rows")
            .iter_mut()
            .for_each(|row| _ = row.as_object_mut().expect("a row").remove("retained"));
        assert_eq!((&answer["histogram"], &rows), (&due, &due), "{id}");
        return;
    }
    let due = lines(text(bug, "entries"));
    let told = without_paths(lines(&fs::read_to_string(out).expect("an answer")), &due);
    pretty_assertions::assert_eq!(told, due, "{id}");
    let own = lines(&fs::read_to_string(out.with_extension("own")).expect("entries"));
    let without = |lines: &BTreeMap<String, Value>| without_paths(lines.clone(), &BTreeMap::new());
    pretty_assertions::assert_eq!(without(&own), without(&due), "{id}: heapsmith answers");
}
