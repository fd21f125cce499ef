//! What `check` says is the cause of failures, where that is known: of bugs of the bank (tests/bank/). docs/causes.md has the figures.

use serde_json::Value;
use tempfile::TempDir;

use crate::bank::{adapters, bugs};
use crate::bench::{check, has_python, interpreter};

/// Of the bugs of a format, every such one is explained here; tests/bank/explain.py explains all.
const EVERY: usize = 12;

/// The command of the full adapter for a format in a folder. It needs nothing that is installed besides Python.
fn command(folder: &TempDir, format: &str) -> String {
    let script = folder.path().join(format!("{format}.py"));
    format!("{} -S {}", interpreter(), shell_words::quote(&script.to_string_lossy()))
}

/// The causes that `check` finds by experiment.
fn explained(arguments: &[&str]) -> Vec<Value> {
    let (report, code) = check(&[arguments, &["--explain", "8000", "--explain-time", "3600"]].concat());
    assert_eq!(code, 1, "{arguments:?}");
    report["implementations"][0]["causes"].as_array().cloned().unwrap_or_default()
}

fn sentence(cause: &Value) -> &str {
    cause["sentence"].as_str().unwrap_or_default()
}

fn rule(cause: &Value) -> &str {
    cause["rule"].as_str().unwrap_or("no rule")
}

/// Most bugs that the corpus finds have one cause (docs/causes.md has the figures).
#[test]
#[ignore = "long: tests/long.sh runs it"]
fn reports_one_cause_for_most_bugs() {
    if !has_python() {
        return;
    }
    let (mut all, mut single, mut others) = (0, 0, Vec::new());
    for format in ["hprof", "phd", "classic"] {
        let bugs = bugs(format);
        for bug in bugs.iter().filter(|bug| !bug.survives).step_by(EVERY) {
            let folder = adapters([bug]);
            let causes = explained(&["--format", format, "--adapter", &command(&folder, format)]);
            let sentences = causes.iter().map(sentence).collect::<Vec<_>>();
            all += 1;
            single += usize::from(causes.len() == 1);
            if causes.len() != 1 {
                others.push(format!("{} ({}): {sentences:?}", bug.id, bug.rule));
            }
        }
    }
    println!("of {all} bugs {single} have one cause");
    assert!(single * 100 >= 60 * all, "{single} of {all} bugs have one cause:\n{}", others.join("\n"));
}

/// Of a converter, the dump that is converted is varied.
#[test]
fn explains_what_a_converter_gets_wrong() {
    let script = "set -o pipefail; heapsmith convert \"$1\" --to classic -o - | sed 's:OBJ java/lang/Object$:OBJ java/lang/Objekt:' > \"$2\"";
    let converter = format!("bash -c {} _ {{in}} {{out}}", shell_words::quote(script));
    let causes = explained(&["--converter", &converter, "--to", "classic", "--from", "phd", "--filter", "phd5-*"]);
    let [first, ..] = &causes[..] else { panic!("it is wrong") };
    let wrong = first["pair"]["wrong"].as_str().unwrap_or_default();
    assert!(first["explained"] == true && wrong.contains("java.lang.Objekt"), "{first:#}");
}

/// A pair of a disagreement is a dump about which the implementations agree, and one about which they do not.
#[test]
fn explains_what_implementations_disagree_about() {
    let other = "bash -c 'set -o pipefail; heapsmith decode \"$1\" | sed s:lang/Object:lang/Objekt:' _ {}";
    let causes = explained(&[
        "--among",
        "--format",
        "phd",
        "--decoder",
        "heapsmith decode {}",
        "--decoder",
        other,
        "--filter",
        "phd5-*",
    ]);
    assert!(!causes.is_empty() && causes.iter().any(|cause| cause["pair"].is_object()), "{causes:#?}");
    let pair = causes.iter().find_map(|cause| cause["pair"]["wrong"].as_str()).unwrap_or_default();
    assert!(pair.contains("java/lang/Objekt"), "{pair}");
}

/// What fails by chance has no condition.
#[test]
fn a_program_that_answers_by_chance_has_no_condition() {
    if !has_python() {
        return;
    }
    let folder = adapters([]);
    let script = folder.path().join("phd.py");
    let source = std::fs::read_to_string(&script).expect("it is there");
    // One answer in two processes that read this kind of record.
    let old = "fields.take(len(MAGIC)) != MAGIC:";
    assert_eq!(source.matches(old).count(), 1);
    let new =
        format!("{old}\n            raise Refusal(\"no PHD\")\n        if __import__(\"random\").random() < 0.2:");
    std::fs::write(&script, source.replace(old, &new)).expect("writable");
    let causes = explained(&["--format", "phd", "--adapter", &command(&folder, "phd")]);
    let again = "Answers rightly when it is asked about the same dump again";
    let by_chance: Vec<&Value> = causes.iter().filter(|cause| sentence(cause).starts_with(again)).collect();
    let cases = |of: &[&Value]| of.iter().map(|cause| cause["cases"].as_array().map_or(0, Vec::len)).sum::<usize>();
    let all: Vec<&Value> = causes.iter().collect();
    assert!(2 * cases(&by_chance) >= cases(&all), "{:?}", causes.iter().map(sentence).collect::<Vec<_>>());
}

/// What fails because of an earlier dump of the process has that dump's name, and its command asks about both.
#[test]
fn names_the_case_after_which_another_one_fails() {
    if !has_python() {
        return;
    }
    let folder = adapters([]);
    let script = folder.path().join("hprof.py");
    let source = std::fs::read_to_string(&script).expect("it is there");
    // The texts of one dump are those of the next one, too, and the first one with an identifier counts.
    let edits = [
        ("self.texts = Given()  # by identifier", "self.texts = TEXTS"),
        (" or self.readings[\"hprof.repeated-string\"] == \"last\":", ":"),
        ("\nclass Dump:", "\nTEXTS = Given()\n\n\nclass Dump:"),
    ];
    let source = edits.into_iter().fold(source, |source, (old, new)| {
        assert_eq!(source.matches(old).count(), 1, "{old}");
        source.replace(old, new)
    });
    std::fs::write(&script, source).expect("writable");
    let command = command(&folder, "hprof");
    let causes = explained(&["--adapter", &command, "--filter", "hprof-spelled-*"]);
    let after: Vec<&Value> = causes.iter().filter(|cause| sentence(cause).starts_with("Fails after ")).collect();
    let [first, ..] = &after[..] else {
        panic!("{:?}", causes.iter().map(sentence).collect::<Vec<_>>());
    };
    let other = sentence(first).split(' ').nth(2).unwrap_or_default().to_owned();
    let example = first["example"].as_str().unwrap_or_default();
    let repeat = first["repeat"].as_str().unwrap_or_default();
    let filters = format!(" --filter {other} --filter {example} --no-explain");
    assert!(repeat.ends_with(&filters), "{repeat}");
    let run = |ids: &[&str]| {
        let filters = ids.iter().flat_map(|id| ["--filter", id]);
        check(&["--adapter", &command].into_iter().chain(filters).chain(["--no-explain"]).collect::<Vec<_>>()).1
    };
    assert_eq!((run(&[&other]), run(&[example]), run(&[&other, example])), (0, 0, 1));
}

/// The bytes that are shown of the example of a cause rely on its rule.
#[test]
fn shows_bytes_of_the_cause_of_example() {
    if !has_python() {
        return;
    }
    let bugs = bugs("phd");
    let of = |id: &str| bugs.iter().find(|bug| bug.id == id).unwrap_or_else(|| panic!("no bug {id}"));
    let folder = adapters(["phd-bug-gap-unsigned", "phd-bug-gap-from-objects-alone"].map(of));
    let (report, _) = check(&["--format", "phd", "--adapter", &command(&folder, "phd"), "--explain", "8000"]);
    let tested = &report["implementations"][0];
    let causes = tested["causes"].as_array().expect("causes");
    let results = tested["results"].as_array().expect("results");
    assert!(!causes.is_empty() && causes.iter().any(|cause| cause["rule"].is_string()), "{causes:#?}");
    for cause in causes.iter().filter(|cause| cause["rule"].is_string()) {
        let example = results.iter().find(|result| result["id"] == cause["example"]).expect("an example");
        let fields = example["evidence"]["fields"].as_array().expect("fields");
        assert!(fields.iter().any(|field| field["wrong"] == true), "{}", cause["example"]);
    }
}

/// A bug that shows in one case of the corpus has a pair of dumps beside the report, of which one is read rightly and one is not.
#[test]
fn experiments_write_a_pair_of_dumps() {
    if !has_python() {
        return;
    }
    let bugs = bugs("phd");
    let folder = adapters(bugs.iter().filter(|bug| bug.id == "phd-bug-hash-0"));
    let script = folder.path().join("phd.py");
    let command = format!("{} -S {}", interpreter(), shell_words::quote(&script.to_string_lossy()));
    let reports = tempfile::tempdir().expect("a folder");
    let path = reports.path().join("report");
    let path = path.to_str().expect("UTF-8");
    let (report, code) = check(&["--format", "phd", "--adapter", &command, "--explain", "400", "--report", path]);
    let causes = report["implementations"][0]["causes"].as_array().expect("causes");
    assert_eq!((code, causes.len()), (1, 1), "{causes:?}");
    let pair = &causes[0]["pair"];
    // The bug: `hash or None`.
    assert_eq!((rule(&causes[0]), pair["fails"]["differing"].as_str()), ("phd.hash.where-used", Some("00")), "{pair}");
    assert!(causes[0]["sentence"].as_str().is_some_and(|sentence| sentence.contains("hash of class is 0")));
    let judged = |side: &str| {
        let file = format!("{path}/{}", pair[side]["file"].as_str().expect("a file"));
        let (report, code) = check(&["--adapter", &command, "--dumps", &file]);
        (code, report["implementations"][0]["results"][0]["outcome"]["verdict"].as_str().map(str::to_owned))
    };
    assert_eq!(judged("passes"), (0, Some("pass".to_owned())));
    assert_eq!(judged("fails"), (1, Some("fail".to_owned())));
    let page = std::fs::read_to_string(format!("{path}/report.html")).expect("a page");
    assert!(page.contains("Two dumps with one difference"));
}
