//! The templates pass; a template with one mistake gets exactly the verdict that the mistake deserves.
//!
//! What a mistake does to a case is worked out here from the expected listings of the corpus, as they lie in its files.

use std::collections::BTreeMap;
use std::fs;

use serde_json::{Value, json};

use crate::bench::{PATIENT, ask, check, compiled, has_python, heapsmith, java, python, tally};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// A case as the manifest has it.
struct Case {
    id: String,
    verdict: String,
    breaks: String,
    bytes: Vec<u8>,
    /// The lines of the first expected listing.
    lines: Vec<Value>,
}

fn cases(family: &str) -> BTreeMap<String, Case> {
    let read = |file: &str| fs::read(format!("{ROOT}/corpus/{file}")).expect("it is there");
    let manifest: Value = serde_json::from_slice(&read("manifest.json")).expect("JSON");
    let mut cases = BTreeMap::new();
    for case in manifest["cases"].as_array().expect("cases") {
        let text = |key: &str| case[key].as_str().expect("text").to_owned();
        if !text("format").starts_with(family) {
            continue;
        }
        let listings = case["answers"].as_array().expect("answers").iter().filter_map(|a| a["listing"].as_str());
        let lines = listings.take(1).flat_map(|file| {
            let lines: Vec<Value> = String::from_utf8(read(file))
                .expect("UTF-8")
                .lines()
                .map(|line| serde_json::from_str(line).expect("JSON"))
                .collect();
            lines
        });
        let case = Case {
            id: text("id"),
            verdict: text("verdict"),
            breaks: case["rules"]["breaks"][0].as_str().unwrap_or_default().to_owned(),
            bytes: read(&text("file")),
            lines: lines.collect(),
        };
        cases.insert(case.id.clone(), case);
    }
    cases
}

impl Case {
    /// Its classes and objects in the order of the file.
    fn records(&self) -> Vec<&Value> {
        let mut records: Vec<&Value> = self.lines.iter().filter(|line| line["address"].is_string()).collect();
        records.sort_by_key(|line| line["record"].as_u64());
        records
    }

    /// The first record of which this is true.
    fn first(&self, is_it: impl Fn(&Value) -> bool) -> Option<&Value> {
        self.records().into_iter().find(|line| is_it(line))
    }
}

fn elements(line: &Value) -> impl Iterator<Item = &str> {
    line["elements"].as_array().into_iter().flatten().filter_map(Value::as_str)
}

fn references(line: &Value) -> impl Iterator<Item = &str> {
    let values = line["values"].as_array().into_iter().flatten();
    values.filter(|value| value[0] == "object").filter_map(|value| value[1].as_str()).chain(elements(line))
}

/// What is due: the fact and the address, or nothing.
type Due = Option<(&'static str, String)>;

/// Runs the template with a mistake, and holds every case that is not ambiguous against what is due.
fn mistaken(mistake: &str, family: &str, due: impl Fn(&Case) -> Due) {
    if !has_python() {
        return;
    }
    let adapter = python("examples/adapters/templates/mistaken.py", mistake);
    let (report, _) = check(&["--adapter", &adapter, "--format", family]);
    let cases = cases(family);
    let mut noticed = 0;
    for result in report["implementations"][0]["results"].as_array().expect("results") {
        let case = &cases[result["id"].as_str().expect("an id")];
        let outcome = &result["outcome"];
        // The template reads all heaps of a file as one, and these listings are of one heap.
        let is_one_of_several = ["-1-of-", "-2-of-", "-3-of-"].iter().any(|part| case.id.contains(part));
        if case.verdict == "ambiguous" || outcome["verdict"] == "skip" || is_one_of_several {
            continue;
        }
        match due(case).filter(|_| case.verdict == "valid") {
            None => assert_eq!(outcome["verdict"], "pass", "{mistake}, {}: {outcome}", case.id),
            Some((fact, address)) => {
                assert_eq!(
                    (&outcome["verdict"], &outcome["fact"]),
                    (&"fail".into(), &fact.into()),
                    "{}: {outcome}",
                    case.id
                );
                if !address.is_empty() {
                    assert_eq!(
                        (&outcome["address"], &outcome["count"]),
                        (&address.into(), &1.into()),
                        "{}: {outcome}",
                        case.id
                    );
                }
                noticed += 1;
            }
        }
    }
    assert!(noticed > 10, "{mistake}: {noticed}");
}

fn at(line: &Value) -> String {
    line["address"].as_str().expect("an address").to_owned()
}

#[test]
fn a_shifted_reference_is_found_where_it_is() {
    mistaken("shift-a-reference", "hprof", |case| {
        let line = case.first(|line| references(line).any(|to| to != "0x0"))?;
        let fact = if line["kind"] == "object" { "field-values" } else { "elements" };
        Some((fact, at(line)))
    });
}

#[test]
fn a_dropped_null_is_found_where_it_was() {
    mistaken("drop-a-null", "hprof", |case| {
        Some(("elements", at(case.first(|line| elements(line).any(|to| to == "0x0"))?)))
    });
}

#[test]
fn reports_missing_hash() {
    mistaken("ignore-a-hash", "phd", |case| {
        // The listing has its lines by address, as `decode` prints them.
        let mut lines = case.lines.iter();
        let line = lines.find(|line| line["hash16"].is_string() || line["hash32"].is_string())?;
        // Where each record has a hash, one without is silent about it, and silence has no address.
        Some(if line["hash16"].is_string() { ("hash-16", String::new()) } else { ("hash-32", at(line)) })
    });
}

#[test]
fn reports_swapped_records_as_record_order() {
    mistaken("swap-two-records", "hprof", |case| (case.records().len() > 1).then(|| ("record-order", String::new())));
}

#[test]
fn a_truncated_file_that_is_accepted_is_a_wrong_verdict() {
    if !has_python() {
        return;
    }
    let adapter = python("examples/adapters/templates/mistaken.py", "accept-a-truncated-file");
    let (report, _) = check(&["--adapter", &adapter, "--format", "hprof"]);
    let cases = cases("hprof");
    let mut noticed = 0;
    for result in report["implementations"][0]["results"].as_array().expect("results") {
        let case = &cases[result["id"].as_str().expect("an id")];
        let outcome = &result["outcome"];
        // The template reads all heaps of a file as one, and these listings are of one heap.
        let is_one_of_several = ["-1-of-", "-2-of-", "-3-of-"].iter().any(|part| case.id.contains(part));
        if case.verdict == "ambiguous" || outcome["verdict"] == "skip" || is_one_of_several {
            continue;
        }
        // Whether the file ends inside a record, by the lengths that the records state.
        let mut end = 31;
        while end < case.bytes.len() {
            let length = case
                .bytes
                .get(end + 5..end + 9)
                .map_or(u64::MAX >> 1, |bytes| bytes.iter().fold(0, |length, byte| length << 8 | u64::from(*byte)));
            end += 9 + length as usize;
        }
        let is_cut = end > case.bytes.len() && case.bytes.len() > 31;
        if outcome["verdict"] == "pass" {
            let is_due = case.breaks == "hprof.file.truncated" && is_cut;
            assert!(!is_due, "{}: {outcome}", case.id);
        } else {
            assert_eq!(
                (&outcome["verdict"], &outcome["expected"]),
                (&"wrong-verdict".into(), &"refuse".into()),
                "{outcome}"
            );
            assert!(is_cut && case.verdict == "invalid", "{}: {outcome}", case.id);
            noticed += 1;
        }
    }
    assert!(noticed >= 5, "{noticed}");
}

#[test]
fn reports_wrong_answer_id_as_adapter_error() {
    if !has_python() {
        return;
    }
    let adapter = python("examples/adapters/templates/mistaken.py", "answer-another-cases-id");
    let (report, code) = check(&["--adapter", &adapter, "--filter", "hprof-hotspot"]);
    let verdicts = tally(&report);
    assert_eq!(
        (verdicts.keys().map(String::as_str).collect::<Vec<_>>(), code),
        (vec!["adapter-error"], 1),
        "{verdicts:?}"
    );
}

/// What the protocol wants is there, and every answer is right.
#[track_caller]
fn passes(adapter: &str) {
    let told = heapsmith(&[&["adapter", "test", adapter], PATIENT].concat());
    assert_eq!(told.status.code(), Some(0), "{}", String::from_utf8_lossy(&told.stdout));
    let (report, code) = check(&["--adapter", adapter, "--format", "hprof", "--random", "40", "--seed", "5"]);
    let verdicts = tally(&report);
    assert_eq!(
        (verdicts.keys().map(String::as_str).collect::<Vec<_>>(), code),
        (vec!["pass", "skip"], 0),
        "{verdicts:?}"
    );
    assert!(verdicts["pass"] > 500 && verdicts["skip"] * 20 < verdicts["pass"], "{verdicts:?}");
}

/// It takes the higher version of those that the runner speaks.
#[track_caller]
pub(crate) fn speaks_both_versions(adapter: &str) {
    let hello = |protocols: &str| format!(r#"{{"id":7,"op":"hello","protocols":{protocols},"runner":"a test"}}"#);
    let requests = ["[1]", "[1,2]", "[2,1,9]", "[9]"].map(hello);
    let answers: Vec<Value> =
        ask(adapter, &requests).iter().map(|answer| serde_json::from_str(answer).expect("JSON")).collect();
    for (answer, protocol) in answers.iter().zip([1, 2, 2]) {
        assert_eq!((&answer["id"], &answer["protocol"]), (&7.into(), &protocol.into()), "{answer}");
        assert_eq!(answer["readings"]["hprof.array-class"], "array", "{answer}");
    }
    assert_eq!(answers[3]["status"], "error", "{}", answers[3]);
}

#[test]
fn python_template_passes_in_both_protocol_versions() {
    if has_python() {
        let adapter = python("examples/adapters/templates/adapter.py", "");
        passes(&adapter);
        speaks_both_versions(&adapter);
    }
    let text = fs::read_to_string(format!("{ROOT}/examples/adapters/templates/adapter.py")).expect("it is there");
    assert!(text.lines().count() <= 155);
}

/// The folder of the Java template's classes, if there is a JDK.
fn java_template() -> Option<tempfile::TempDir> {
    compiled(&[format!("{ROOT}/examples/adapters/templates/Adapter.java").into()])
}

#[test]
fn java_template_passes_in_both_protocol_versions() {
    let text = fs::read_to_string(format!("{ROOT}/examples/adapters/templates/Adapter.java")).expect("it is there");
    assert!(text.lines().count() <= 455);
    let Some(classes) = java_template() else { return };
    let adapter = java(&classes, "Adapter");
    passes(&adapter);
    speaks_both_versions(&adapter);
}

/// In every case of the level, and its histograms are.
#[test]
fn java_analyser_answers_correctly() {
    let files = ["Adapter.java", "analyser/Analyser.java", "analyser/Dominators.java", "analyser/HprofHeap.java"];
    let sources = files.map(|file| format!("{ROOT}/examples/adapters/templates/{file}").into());
    let Some(classes) = compiled(&sources) else { return };
    let adapter = java(&classes, "Analyser");
    let told = heapsmith(&[&["adapter", "test", &adapter], PATIENT].concat());
    assert_eq!(told.status.code(), Some(0), "{}", String::from_utf8_lossy(&told.stdout));
    for level in ["answers", "counts"] {
        let random = ["--format", "hprof", "--random", "40", "--seed", "5"];
        let (report, code) = check(&[&["--adapter", &*adapter, "--level", level], &random[..]].concat());
        let verdicts = tally(&report);
        assert_eq!(
            (verdicts.keys().map(String::as_str).collect::<Vec<_>>(), code),
            (vec!["pass"], 0),
            "{level}: {verdicts:?}"
        );
        assert!(verdicts["pass"] > 500, "{level}: {verdicts:?}");
    }
}

#[test]
fn the_java_template_converts_and_writes() {
    let Some(classes) = java_template() else { return };
    let adapter = java(&classes, "Adapter");
    for (operation, format, least) in [("convert", "hprof", 140), ("encode", "phd", 30)] {
        let random = ["--random", "20", "--seed", "5", "--allow-skips"];
        let question = ["--adapter", &adapter, "--operation", operation, "--format", format];
        let (report, code) = check(&[&question[..], &random].concat());
        let verdicts = tally(&report);
        let others = verdicts.keys().filter(|verdict| !["pass", "skip"].contains(&verdict.as_str())).count();
        assert_eq!((others, code), (0, 0), "{operation}: {verdicts:?}");
        assert!(verdicts["pass"] >= least, "{operation}: {verdicts:?}");
    }
}

#[test]
fn the_java_template_keeps_numbers_exact() {
    let Some(classes) = java_template() else { return };
    // More than a `long` holds, and more than a `double`: each comes back digit by digit.
    let numbers =
        ["18446744073709551615", "9007199254740993", "-9223372036854775809", "0.1000000000000000055511151231"];
    let requests = numbers.map(|number| format!(r#"{{"op":"none","id":{number}}}"#));
    for (answer, number) in ask(&java(&classes, "Adapter"), &requests).iter().zip(numbers) {
        assert!(answer.starts_with(&format!(r#"{{"id":{number},"#)), "{number}: {answer}");
    }
    // Addresses and hashes of all their bits, in a text that it reads and a dump that it writes.
    let folder = tempfile::tempdir().expect("there is room for a folder");
    let (listing, dump) = (folder.path().join("a listing.jsonl"), folder.path().join("written.phd"));
    let lines = [
        json!({"listing": 1, "format": "phd6", "word_size": 64, "hashes": "where-used-32", "version_text": "\u{1F600}\0"}),
        json!({"kind": "class", "address": "0xfffffffffffffff8", "record": 0, "name": {"bytes": "eda080"}, "super": "0x0",
            "instance_size": 4294967292_u32, "hash32": "0xfffffffe", "refs": ["0x8", "0x0"]}),
    ];
    fs::write(&listing, lines.map(|line| format!("{line}\n")).concat()).expect("written");
    let request = json!({"id": 1, "op": "encode", "path": listing, "format": "phd6", "out": dump});
    let answers = ask(&java(&classes, "Adapter"), &[request.to_string()]);
    assert_eq!(answers, [r#"{"id":1,"status":"accept"}"#]);
    let (listing, dump) = (listing.to_string_lossy(), dump.to_string_lossy());
    let told = heapsmith(&["compare", &listing, &dump]);
    assert_eq!(told.status.code(), Some(0), "{}", String::from_utf8_lossy(&told.stdout));
}

#[test]
fn adapter_test_says_what_to_fix() {
    let told = heapsmith(&[&["adapter", "test", "heapsmith adapter serve"], PATIENT].concat());
    assert_eq!(told.status.code(), Some(0), "{}", String::from_utf8_lossy(&told.stdout));
    if !has_python() {
        return;
    }
    let fix = |way: &str, what: &str| {
        let adapter = python("tests/adapters/hostile.py", way);
        // Only one that says nothing at all may be given up soon.
        let limit = if way == "never-says-hello" { &["--time-limit", "2"] } else { PATIENT };
        let told = heapsmith(&[&["adapter", "test", &adapter], limit].concat());
        let text = String::from_utf8_lossy(&told.stdout).into_owned();
        assert_eq!(told.status.code(), Some(1), "{way}: {text}");
        assert!(text.contains(what), "{way}: {text}");
    };
    fix("garbage", "not an answer");
    fix("behaves", "its status is not `error`");
    fix("dies-at-start", "I have had enough");
    fix("never-says-hello", "no answer after 2.0 s");
    fix("stays", "and was killed");
    fix("answers-twice", "the answer to request");
    fix("list-nothing", "the file is not a listing: listing, line 1: expected a listing");
    fix("list-null", "key fields[0].type: invalid type: null, expected the type of a field");
    fix("list-other-type", "key name: invalid type: integer `7`, expected a string");
    fix(
        "list-surrogate",
        "key name: expected text, or {\"bytes\":...} for what is not valid text, found a lone surrogate",
    );
    fix("list-without-counts", "expected the key roots with the number of such lines");
    // The parser's, though it is no listing either.
    fix("list-negative", "your parser failed on hprof-");
}

/// A full adapter that writes ordinary dumps down rightly.
#[test]
fn adapter_test_finds_what_an_adapter_does_wrong_in_odd_dumps_alone() {
    if !has_python() {
        return;
    }
    let problems = |mistake: &str| -> Vec<(String, String)> {
        let adapter = python("tests/adapters/free.py", mistake);
        let told = heapsmith(&[&["adapter", "test", &*adapter, "--json"], PATIENT].concat());
        let report: Value = serde_json::from_slice(&told.stdout).expect("JSON");
        let wrong = report["steps"].as_array().expect("steps").iter().filter(|step| step["problem"].is_string());
        let text = |step: &Value, key: &str| step[key].as_str().unwrap_or_default().to_owned();
        let wrong: Vec<(String, String)> = wrong
            .map(|step| {
                assert_eq!(step["fault"], "adapter", "{step}");
                (text(step, "what"), text(step, "problem"))
            })
            .collect();
        assert_eq!(told.status.code(), Some(i32::from(!wrong.is_empty())));
        wrong
    };
    assert_eq!(problems("undeclared"), []);
    for (mistake, odd, problem) in [
        ("wrong=surrogates", "which has a name that is not valid text, is one", "found a lone surrogate"),
        (
            "wrong=null_types",
            "which has a field without a name, is one",
            "].type: invalid type: null, expected the type of a field",
        ),
    ] {
        let found = problems(mistake);
        // The dump with an odd name may have a field without one, too.
        assert!(found.iter().any(|(what, how)| what.contains(odd) && how.contains(problem)), "{mistake}: {found:?}");
        assert!(found.iter().all(|(what, _)| what.starts_with("its listing of ")), "{mistake}: {found:?}");
    }
    let found = problems("wrong=uncounted");
    assert!(
        found.iter().any(|(what, how)| what.contains("no object") && how.contains("expected the key roots")),
        "{found:?}"
    );
}

/// Ways of a parser to refuse a dump, in the place of the example.
#[test]
fn templates_take_exceptions_by_class_as_refusals_with_the_offset_in_their_messages() {
    if !has_python() {
        return;
    }
    let folder = tempfile::tempdir().expect("there is room for a folder");
    let root = format!("{ROOT}/examples/adapters/templates");
    let script = folder.path().join("mine.py");
    let text = "import sys\nsys.dont_write_bytecode = True\nsys.path.insert(0, sys.argv[1])\nimport adapter\n\
                def parse(path, heap, omits):\n    if path == \"f\": return [{\"listing\": 1}, {\"kind\": \"root\", \"without\": omits}]\n    raise {\"a\": EOFError(\"no tag at 0x1f\"), \"b\": KeyError(\"offset\"), \"c\": \
                adapter.Refusal(\"bad at 9\", 7), \"d\": adapter.Refusal(\"bad tag, offset=12.\"), \"e\": EOFError(\"what 3\")}[path]\n\
                adapter.parse, adapter.REFUSALS = parse, (EOFError,)\nadapter.main()\n";
    fs::write(&script, text).expect("written");
    let out = folder.path().join("out.jsonl");
    let requests = ["a", "b", "c", "d", "e", "f"].map(|path| {
        json!({"id": 1, "op": "parse", "path": path, "format": "hprof", "level": "listing", "out": out, "omits": ["strings"]})
            .to_string()
    });
    let command = format!("{} {} {}", crate::bench::interpreter(), script.display(), shell_words::quote(&root));
    let answers: Vec<Value> =
        ask(&command, &requests).iter().map(|answer| serde_json::from_str(answer).expect("JSON")).collect();
    assert_eq!(answers[0], json!({"id": 1, "status": "reject", "message": "no tag at 0x1f", "offset": 31}));
    assert_eq!(answers[1]["status"], "crash");
    assert_eq!(answers[2], json!({"id": 1, "status": "reject", "message": "bad at 9", "offset": 7}));
    assert_eq!(answers[3], json!({"id": 1, "status": "reject", "message": "bad tag, offset=12.", "offset": 12}));
    assert_eq!(answers[4], json!({"id": 1, "status": "reject", "message": "what 3"}));
    assert_eq!(answers[5], json!({"id": 1, "status": "accept"}));
    let written = fs::read_to_string(&out).expect("it is there");
    let lines: Vec<Value> = written.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(lines, [json!({"listing": 1, "omits": ["strings"]}), json!({"kind": "root", "without": ["strings"]})]);
}

#[test]
fn the_java_template_takes_exceptions_by_class_as_refusals() {
    let folder = tempfile::tempdir().expect("there is room for a folder");
    let mine = folder.path().join("Mine.java");
    let text = r#"
        import java.io.*; import java.nio.file.Path; import java.util.*;
        class Mine implements Adapter.Parser {
            public static void main(String[] arguments) throws IOException {
                Adapter.refuse(EOFException.class, NoSuchElementException.class);
                Adapter.serve(new Mine());
            }
            public Map<String, Object> hello(int protocol) { return Adapter.object("name", "m", "facets", List.of("roots", "kind")); }
            // As in Kotlin, where no exception is declared.
            @SuppressWarnings("unchecked") static <T extends Throwable> void fail(Throwable failure) throws T { throw (T) failure; }
            public void parse(Path dump, int heap, Adapter.Listing listing) throws Adapter.Refusal, IOException {
                switch (dump.toString()) {
                    case "a": Mine.<RuntimeException>fail(new EOFException("no tag at 0x1f"));
                    case "b": throw new NoSuchElementException("record, offset 12, is cut");
                    case "c": throw new Adapter.Refusal("bad at 9", 7L);
                    case "d": throw new IllegalStateException("no", new RuntimeException("because"));
                    case "e": throw new FileNotFoundException("x");
                    default: listing.line(Map.of("listing", 1));
                        listing.line(Map.of("kind", Adapter.omits("strings") ? "trace" : "class"));
                }
            }
        }"#;
    fs::write(&mine, text).expect("written");
    let Some(classes) = compiled(&[format!("{ROOT}/examples/adapters/templates/Adapter.java").into(), mine]) else {
        return;
    };
    let out = folder.path().join("out.jsonl");
    let requests = ["a", "b", "c", "d", "e", "f"].map(|path| {
        json!({"id": 1, "op": "parse", "path": path, "format": "hprof", "level": "listing", "out": out}).to_string()
    });
    let answers: Vec<Value> = ask(&java(&classes, "Mine"), &requests)
        .iter()
        .map(|answer| serde_json::from_str(answer).expect("JSON"))
        .collect();
    let reject =
        |message: &str, offset: u64| json!({"id": 1, "status": "reject", "message": message, "offset": offset});
    assert_eq!(answers[0], reject("java.io.EOFException: no tag at 0x1f", 31));
    assert_eq!(answers[1], reject("java.util.NoSuchElementException: record, offset 12, is cut", 12));
    assert_eq!(answers[2], reject("bad at 9", 7));
    let message = answers[3]["message"].as_str().unwrap_or_default();
    assert!(
        answers[3]["status"] == "crash" && message.contains("Caused by: java.lang.RuntimeException: because"),
        "{message}"
    );
    assert_eq!(answers[4], json!({"id": 1, "status": "error", "message": "java.io.FileNotFoundException: x"}));
    assert_eq!(answers[5], json!({"id": 1, "status": "accept"}));
    let written = fs::read_to_string(&out).expect("it is there");
    let lines: Vec<Value> = written.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(lines, [json!({"listing": 1, "roots": 0}), json!({"kind": "class"})]);
    // What the last request omits is given again by the next one, which does not.
    let mut omitting: Value = serde_json::from_str(&requests[5]).expect("JSON");
    omitting["omits"] = json!(["strings", "roots"]);
    let omitting = omitting.to_string();
    for (requests, expected) in [
        (
            vec![omitting.clone()],
            [json!({"listing": 1, "roots": 0, "omits": ["strings", "roots"]}), json!({"kind": "trace"})],
        ),
        (vec![omitting, requests[5].clone()], [json!({"listing": 1, "roots": 0}), json!({"kind": "class"})]),
    ] {
        ask(&java(&classes, "Mine"), &requests);
        let written = fs::read_to_string(&out).expect("it is there");
        let lines: Vec<Value> = written.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        assert_eq!(lines, expected);
    }
}

#[cfg(unix)]
#[test]
fn the_shell_template_takes_the_message_of_a_refusal_and_its_offset() {
    let folder = tempfile::tempdir().expect("there is room for a folder");
    let script = folder.path().join("adapter.sh");
    let template =
        fs::read_to_string(format!("{ROOT}/examples/adapters/templates/shell/adapter.sh")).expect("it is there");
    let mine = "echo 'what 3'; echo \"$PARSER_SAYS\"; return 1";
    fs::write(&script, template.replace("heapsmith validate \"$1\"", mine)).expect("written");
    let dump = folder.path().join("dump");
    fs::write(&dump, "").expect("written");
    let request = [json!({"id":1,"op":"parse","path":dump,"format":"hprof","level":"verdict"}).to_string()];
    for (says, offset) in
        [("no tag at 0x1f.", json!(31)), ("\"bad\" \\ tag, offset=12", json!(12)), ("what 7", Value::Null)]
    {
        let command = format!("env PARSER_SAYS={} sh {}", shell_words::quote(says), script.display());
        let answer: Value = serde_json::from_str(&ask(&command, &request)[0]).expect("JSON");
        assert_eq!((&answer["status"], &answer["offset"]), (&"reject".into(), &offset), "{answer}");
        assert!(answer["message"].as_str().is_some_and(|message| !message.contains('"')), "{answer}");
    }
}

/// The adapters of hostile.py accept every dump, so that the parser fails on each damaged one; and they accept what is unknown
/// and what does not exist, which has to be fixed in the adapter.
#[test]
fn adapter_test_separates_parser_failures_from_adapter_faults() {
    if !has_python() {
        return;
    }
    let steps = |way: &str, limit: &[&str]| -> Vec<Value> {
        let adapter = python("tests/adapters/hostile.py", way);
        let told = heapsmith(&[&["adapter", "test", &adapter, "--json"], limit].concat());
        assert_eq!(told.status.code(), Some(1), "{way}");
        let report: Value = serde_json::from_slice(&told.stdout).expect("JSON");
        assert_eq!(report["schema"], 3);
        report["steps"].as_array().expect("steps").clone()
    };
    let with = |steps: &[Value], text: &str| -> usize {
        steps.iter().filter(|step| step["problem"].as_str().is_some_and(|problem| problem.contains(text))).count()
    };
    let of = |steps: &[Value], fault: &str| steps.iter().filter(|step| step["fault"] == fault).count();
    // Two steps for each of phd4, phd5, phd6 and hprof, and three damaged dumps; before them three, after them three.
    let all = steps("behaves", PATIENT);
    assert_eq!((all.len(), of(&all, "parser"), of(&all, "adapter")), (17, 3, 2), "{all:#?}");
    assert_eq!(with(&all, "it accepts a dump that is damaged"), 3);
    // One crash costs one step, at a dump that it would have accepted rightly: another process answers the others.
    let crashed = steps("dies-at-seventh", PATIENT);
    assert_eq!((crashed.len(), of(&crashed, "parser"), with(&crashed, "not tested")), (17, 4, 0), "{crashed:#?}");
    let at_seventh = "your parser failed on phd6-openj9-64: the process ended";
    assert_eq!(with(&crashed, at_seventh), 1, "{crashed:#?}");
    // It ends at every request, after a hello that can be judged.
    let dead = steps("dies-always", PATIENT);
    assert_eq!(
        (of(&dead, "parser"), with(&dead, "panicked at src/parser.rs:7"), with(&dead, "not tested")),
        (11, 13, 0)
    );
    // What takes as long as it may is not waited for more than three times.
    let hung = steps("hangs", &["--time-limit", "8"]);
    assert_eq!(with(&hung, "no answer after 8."), 3, "{hung:#?}");
    assert_eq!(with(&hung, "not tested: 3 answers did not come in time"), 10, "{hung:#?}");
}
