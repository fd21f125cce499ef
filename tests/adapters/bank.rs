//! The bank of bugs (tests/bank/): each one, put into a full adapter (examples/adapters/full/), is found by its smallest
//! dump, and by the case of the corpus that is recorded for it.
//!
//! What an adapter answers is judged here as `check` does, by the comparison of its listing with the right ones.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::thread;

use heapsmith::compare::{Facet, NotComparedReason, compare, listing};
use heapsmith::corpus::{Case, RightAnswer, cases, cases_from_text};
use heapsmith::format::{Family, rulebook};
use serde_json::{Value, json};
use tempfile::TempDir;
use toml::Table;

use crate::bench::{check, has_python, heapsmith, python, tally};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// The files of the full adapters.
const FILES: [&str; 4] = ["protocol.py", "hprof.py", "phd.py", "classic.py"];

/// A bug: a text of an adapter that is put in another's place, and the smallest dump that shows it.
pub(crate) struct Bug {
    pub(crate) id: String,
    /// The rule that it breaks.
    pub(crate) rule: String,
    file: String,
    old: String,
    new: String,
    /// What is wrong of the answer: a facet, or one of [`OTHERS`].
    wrong: String,
    /// Whether it says why no case of the corpus finds it.
    pub(crate) survives: bool,
    case: Case,
}

/// What is wrong of an answer, where it is no facet.
const OTHERS: [&str; 4] = ["refuses", "accepts", "crashes", "no listing"];

fn family(name: &str) -> Family {
    Family::from_name(name).expect("a format")
}

fn text<'t>(table: &'t Table, key: &str) -> &'t str {
    table.get(key).and_then(toml::Value::as_str).unwrap_or_else(|| panic!("{key} is a text of {table}"))
}

fn read(path: &str) -> String {
    fs::read_to_string(Path::new(ROOT).join(path)).unwrap_or_else(|e| panic!("{path}: {e}"))
}

/// The bugs of a format. What a bug says of its dump is written as in `specs/cases/`.
pub(crate) fn bugs(name: &str) -> Vec<Bug> {
    let path = format!("tests/bank/{name}.toml");
    let mut sheet: Table = read(&path).parse().unwrap_or_else(|e| panic!("{path}: {e}"));
    let Some(toml::Value::Array(bugs)) = sheet.remove("bug") else { panic!("{path} has bugs") };
    let mut found = Vec::new();
    let mut of_cases = Vec::new();
    for bug in bugs {
        let toml::Value::Table(mut bug) = bug else { panic!("a bug is a table") };
        let mut case = Table::from_iter([
            ("id".to_owned(), bug["id"].clone()),
            ("summary".to_owned(), bug["summary"].clone()),
            ("records".to_owned(), toml::Value::Integer(0)),
        ]);
        for key in ["format", "heap", "bytes", "text", "answer"] {
            case.extend(bug.remove(key).map(|value| (key.to_owned(), value)));
        }
        of_cases.push(toml::Value::Table(case));
        found.push(bug);
    }
    sheet.insert("case".to_owned(), toml::Value::Array(of_cases));
    let shared = format!("{name}/pieces.toml");
    let files = [(shared.clone(), read(&format!("specs/cases/{shared}"))), (path.clone(), spelled_again(&sheet))];
    let files = files.map(|(name, text)| (&*name.leak(), &*text.leak()));
    let cases = cases_from_text(family(name), &files).unwrap_or_else(|e| panic!("{e}"));
    let known = ["id", "summary", "rule", "wrong", "tools", "file", "old", "new", "survives"];
    let bug = |(table, case): (Table, Case)| {
        let unknown: Vec<&String> = table.keys().filter(|key| !known.contains(&key.as_str())).collect();
        assert!(unknown.is_empty(), "{path}, {}: unknown keys: {unknown:?}", case.id);
        let rule = text(&table, "rule");
        assert!(rulebook(family(name)).rule(rule).is_some(), "{}: there is no rule {rule}", case.id);
        assert!(table["tools"].as_array().is_some_and(|tools| !tools.is_empty()), "{}: has no tools", case.id);
        let wrong = text(&table, "wrong").to_owned();
        let is_facet = Facet::ALL.iter().any(|facet| facet.to_string() == wrong);
        assert!(is_facet || OTHERS.contains(&wrong.as_str()), "{}: there is no {wrong}", case.id);
        let file = table.get("file").map_or(format!("{name}.py"), |_| text(&table, "file").to_owned());
        let [old, new] = ["old", "new"].map(|key| text(&table, key).to_owned());
        let survives = table.get("survives").is_some_and(|why| why.as_str().is_some_and(|why| !why.is_empty()));
        Bug { id: case.id.clone(), rule: rule.to_owned(), file, old, new, wrong, survives, case }
    };
    found.into_iter().zip(cases).map(bug).collect()
}

/// A table as TOML; JSON's texts are TOML's.
fn spelled_again(sheet: &Table) -> String {
    sheet.iter().map(|(key, value)| format!("{key} = {}\n", inline(value))).collect()
}

fn inline(value: &toml::Value) -> String {
    match value {
        toml::Value::Array(values) => format!("[{}]", values.iter().map(inline).collect::<Vec<_>>().join(",")),
        toml::Value::Table(table) => {
            let pairs = table.iter().map(|(key, value)| format!("{}={}", json!(key), inline(value)));
            format!("{{{}}}", pairs.collect::<Vec<_>>().join(","))
        }
        toml::Value::String(text) => json!(text).to_string(),
        other => other.to_string(),
    }
}

/// The folder of an adapter, with some bugs or without. A text that is put in another's place stands there exactly once.
pub(crate) fn adapters<'b>(bugs: impl IntoIterator<Item = &'b Bug> + Clone) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for file in FILES {
        let mut source = read(&format!("examples/adapters/full/{file}"));
        for bug in bugs.clone().into_iter().filter(|bug| bug.file == file) {
            let count = source.matches(&bug.old).count();
            assert_eq!(count, 1, "{}: in {file}, its old text stands {count} times and not once", bug.id);
            assert_ne!(bug.old, bug.new, "{}: it changes nothing", bug.id);
            source = source.replace(&bug.old, &bug.new);
        }
        fs::write(folder.path().join(file), source).expect("it can be written");
    }
    folder
}

/// An adapter that is running, started anew when it has ended.
struct Running {
    script: PathBuf,
    folder: TempDir,
    process: Option<(Child, ChildStdin, BufReader<ChildStdout>)>,
    facets: BTreeSet<Facet>,
}

impl Running {
    fn new(family: &str, bug: Option<&Bug>) -> Running {
        let folder = adapters(bug);
        let script = folder.path().join(format!("{family}.py"));
        let mut running = Running { script, folder, process: None, facets: BTreeSet::new() };
        let hello = running.ask(&json!({"id":1,"op":"hello","protocols":[1,2],"runner":"the bank"}));
        let hello = hello.unwrap_or_else(|| panic!("{}: no hello", bug.map_or(family, |bug| &bug.id)));
        let declared = hello["facets"].as_array().expect("facets");
        let facets = Facet::ALL.into_iter().filter(|facet| declared.contains(&json!(facet.to_string())));
        running.facets = facets.collect();
        running
    }

    /// The answer to a request; `None` where the process ends instead.
    fn ask(&mut self, request: &Value) -> Option<Value> {
        let script = &self.script;
        let (_, input, output) = self.process.get_or_insert_with(|| {
            let mut command = Command::new("python3");
            command.arg("-B").arg(script).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
            let mut child = command.spawn().expect("python3 starts");
            let input = child.stdin.take().expect("it is piped");
            let output = BufReader::new(child.stdout.take().expect("it is piped"));
            (child, input, output)
        });
        let mut line = String::new();
        let has_answered = writeln!(input, "{request}").is_ok() && output.read_line(&mut line).is_ok_and(|n| n > 0);
        if !has_answered {
            self.end();
            return None;
        }
        let answer: Value = serde_json::from_str(&line).expect("an answer");
        assert_eq!(answer["id"], request["id"]);
        Some(answer)
    }

    fn end(&mut self) {
        if let Some((mut child, input, _)) = self.process.take() {
            drop(input);
            child.wait().expect("it ends");
        }
    }

    /// What is wrong of the answer to a case: nothing, a facet, or one of [`OTHERS`].
    fn wrong(&mut self, case: &Case) -> Option<String> {
        let [dump, out] = [case.file(), "answer.jsonl".to_owned()].map(|name| self.folder.path().join(name));
        fs::write(&dump, &case.bytes).expect("it can be written");
        let _ = fs::remove_file(&out);
        let mut request =
            json!({"id":2,"op":"parse","path":dump,"format":case.format.to_string(),"level":"listing","out":out});
        if let Some(heap) = case.heap {
            request["heap"] = json!(heap);
        }
        let Some(answer) = self.ask(&request) else { return Some("crashes".to_owned()) };
        // The full adapters declare the default of every reading.
        let answers: Vec<&RightAnswer> = case.answers.iter().filter(is_default).collect();
        let right: Vec<_> = answers.iter().filter_map(|answer| heap_of(answer)).collect();
        match answer["status"].as_str() {
            Some("reject") => (right.len() == answers.len()).then(|| "refuses".to_owned()),
            Some("accept") if right.is_empty() => Some("accepts".to_owned()),
            Some("accept") => {
                let told = fs::File::open(&out).expect("an answer");
                let Ok(told) = listing::read(BufReader::new(told)) else { return Some("no listing".to_owned()) };
                let left_out = Facet::ALL.into_iter().filter(|facet| !self.facets.contains(facet)).collect();
                let found: Vec<_> = right.iter().map(|heap| differs(&compare(heap, &told.heap, &left_out))).collect();
                if found.contains(&None) { None } else { found.into_iter().next().flatten() }
            }
            _ => panic!("{}: {answer}", case.id),
        }
    }
}

/// What is wrong of heapsmith's own reading of a case, by the answer that was worked out by hand.
fn own_reading(case: &Case) -> Option<String> {
    let right: Vec<_> = case.answers.iter().filter_map(heap_of).collect();
    match heapsmith::read(case.bytes.clone()) {
        Err(_) => (right.len() == case.answers.len()).then(|| "refuses".to_owned()),
        Ok(_) if right.is_empty() => Some("accepts".to_owned()),
        Ok(told) => {
            let mut found = right.iter().map(|heap| differs(&compare(heap, &told, &BTreeSet::new())));
            found.all(|found| found.is_some()).then(|| "another heap".to_owned())
        }
    }
}

/// Whether an answer is right under the default of what is left open.
fn is_default(answer: &&RightAnswer) -> bool {
    let Some((name, choice)) = answer.choice() else { return true };
    let all = heapsmith::check::ambiguities();
    let ambiguity = all.iter().find(|ambiguity| ambiguity.name == name);
    ambiguity.is_some_and(|ambiguity| ambiguity.choices[0].name == choice)
}

fn heap_of(answer: &RightAnswer) -> Option<&heapsmith::Heap> {
    match answer {
        RightAnswer::Reads(_, heap) => Some(heap),
        RightAnswer::Refuses(_) => None,
    }
}

/// The facet that differs first, or about which the answer is silent.
fn differs(comparison: &heapsmith::compare::Comparison) -> Option<String> {
    let silent = comparison.not_compared.iter().find(|n| n.why == NotComparedReason::UnknownRight).map(|n| n.facet);
    comparison.differences.first().map(|d| d.facet).or(silent).map(|facet| facet.to_string())
}

impl Drop for Running {
    fn drop(&mut self) {
        self.end();
    }
}

/// What is wrong with the bank for a format; the bugs are tried on two threads.
fn trouble(name: &str) -> Vec<String> {
    let bugs = bugs(name);
    assert!(bugs.len() >= 25, "{name} has {} bugs", bugs.len());
    let corpus: BTreeMap<String, Case> = cases()
        .expect("the corpus")
        .into_iter()
        .filter(|case| case.format.family() == family(name))
        .map(|case| (case.id.clone(), case))
        .collect();
    let figures: Table = read("tests/bank/figures.toml").parse().expect("TOML");
    let recorded = |bug: &Bug| Some(figures.get(&bug.id)?.get("corpus")?.as_str()?.to_owned());
    let mut right = Running::new(name, None);
    let mut trouble: Vec<String> = bugs
        .iter()
        .filter_map(|bug| Some(format!("{}: the full adapter is wrong: {}", bug.id, right.wrong(&bug.case)?)))
        .collect();
    // A dump with several heaps is not read without saying which.
    let of_heapsmith = bugs.iter().filter(|bug| bug.case.heap.is_none());
    trouble.extend(of_heapsmith.filter_map(|bug| Some(format!("{}: heapsmith: {}", bug.id, own_reading(&bug.case)?))));
    let try_all = |bugs: Vec<&Bug>| {
        let mut trouble = Vec::new();
        for bug in bugs {
            let mut running = Running::new(name, Some(bug));
            let found = running.wrong(&bug.case);
            if found.as_ref() != Some(&bug.wrong) {
                trouble.push(format!("{}: {found:?} is wrong, and not {}", bug.id, bug.wrong));
            }
            let recorded = recorded(bug);
            if recorded.is_none() != bug.survives {
                trouble.push(format!("{}: `survives` has the reason of a survivor, and of no other bug", bug.id));
            }
            match recorded {
                Some(id) => {
                    let is_found = corpus.get(&id).is_some_and(|case| running.wrong(case).is_some());
                    trouble.extend((!is_found).then(|| format!("{}: the corpus's {id} does not find it", bug.id)));
                }
                None => {
                    let found = corpus.values().find(|case| running.wrong(case).is_some());
                    trouble
                        .extend(found.map(|case| format!("{}: recorded as a survivor, {} finds it", bug.id, case.id)));
                }
            }
        }
        trouble
    };
    let (one, other) = bugs.split_at(bugs.len() / 2);
    thread::scope(|scope| {
        let one = scope.spawn(|| try_all(one.iter().collect()));
        trouble.extend(try_all(other.iter().collect()));
        trouble.extend(one.join().expect("it does not panic"));
    });
    trouble
}

#[track_caller]
fn assert_found(name: &str) {
    if has_python() {
        let trouble = trouble(name);
        assert!(trouble.is_empty(), "{}", trouble.join("\n"));
    }
}

/// Each mistake of tests/mutants/fresh/ can still be made in its adapter; tests/mutants/fresh.py puts the corpus to them.
#[test]
fn every_mistake_of_strangers_can_be_made() {
    let mut ids = BTreeSet::new();
    for format in ["hprof", "phd", "classic"] {
        let path = format!("tests/mutants/fresh/{format}.toml");
        let sheet: Table = read(&path).parse().unwrap_or_else(|e| panic!("{path}: {e}"));
        for bug in sheet["bug"].as_array().expect("bugs").iter().filter_map(toml::Value::as_table) {
            let file = bug.get("file").and_then(toml::Value::as_str).map_or(format!("{format}.py"), str::to_owned);
            let adapter = read(&format!("examples/adapters/full/{file}"));
            let (id, old) = (text(bug, "id"), text(bug, "old"));
            assert_eq!(adapter.matches(old).count(), 1, "{id}: its old text stands once in {file}");
            assert_ne!(old, text(bug, "new"), "{id}");
            assert!(ids.insert(id.to_owned()), "{id} stands twice");
        }
    }
    assert_eq!(ids.len(), 300);
}

#[test]
fn full_adapters_pass_every_case() {
    if !has_python() {
        return;
    }
    for format in ["hprof", "phd", "classic"] {
        let adapter = python(&format!("examples/adapters/full/{format}.py"), "");
        let output = heapsmith(&["adapter", "test", &adapter]);
        assert!(output.status.success(), "{format}: {}", String::from_utf8_lossy(&output.stdout));
        let (report, code) = check(&["--adapter", &adapter, "--format", format, "--random", "20", "--seed", "5"]);
        assert_eq!(code, 0, "{format}: {report}");
        let verdicts: Vec<String> = tally(&report).into_keys().collect();
        assert_eq!(verdicts, ["pass"], "{format}: no case is skipped");
    }
}

#[test]
#[ignore = "long: tests/long.sh runs it"]
fn every_bug_of_hprof_is_found_by_its_smallest_dump() {
    assert_found("hprof");
}

#[test]
#[ignore = "long: tests/long.sh runs it"]
fn every_bug_of_phd_is_found_by_its_smallest_dump() {
    assert_found("phd");
}

#[test]
#[ignore = "long: tests/long.sh runs it"]
fn every_bug_of_classic_text_is_found_by_its_smallest_dump() {
    assert_found("classic");
}

#[test]
fn every_bug_has_an_id_and_figures_of_its_own() {
    let mut ids: Vec<String> = ["hprof", "phd", "classic"].into_iter().flat_map(bugs).map(|bug| bug.id).collect();
    let of_analysers = crate::analysers::bugs();
    ids.extend(of_analysers.iter().map(|bug| crate::analysers::text(bug, "id").to_owned()));
    let figures: Table = read("tests/bank/figures.toml").parse().expect("TOML");
    let of_figures: Vec<&String> = figures.keys().collect();
    ids.sort();
    let all = ids.len();
    ids.dedup();
    assert_eq!(ids.len(), all, "an id stands twice");
    let ids: Vec<&String> = ids.iter().collect();
    pretty_assertions::assert_eq!(of_figures, ids, "tests/bank/all.py makes the figures anew");
}

/// What campaigns.py recorded: how many bugs a campaign finds, and how small their dumps become beside those that are spelled by hand.
/// Nine of ten have at most one and a half times as many bytes.
#[test]
#[ignore = "long: tests/long.sh runs it"]
fn recorded_campaigns_find_bugs_and_reduce_dumps_nearly_as_far_as_by_hand() {
    let figures: Table = read("tests/bank/campaigns.toml").parse().expect("TOML");
    let (mut all, mut found, mut reduced, mut small, mut quick) = (0, 0, 0, 0, 0);
    let mut larger = Vec::new();
    for (format, most) in [("phd", 160), ("hprof", 600), ("classic", 400)] {
        let (mut lengths, mut objects) = (Vec::new(), Vec::new());
        for bug in bugs(format) {
            let figures =
                figures.get(&bug.id).unwrap_or_else(|| panic!("{}: tests/bank/campaigns.py makes its figures", bug.id));
            let number = |key: &str| figures.get(key).and_then(toml::Value::as_integer).map(|number| number as usize);
            all += 1;
            found += usize::from(number("until").is_some_and(|until| until <= 10_000));
            let (Some(length), Some(trials)) = (number("bytes"), number("trials")) else { continue };
            reduced += 1;
            let by_hand = bug.case.bytes.len();
            match 2 * length <= 3 * by_hand {
                true => small += 1,
                false => larger.push(format!("{} ({length} bytes, {by_hand} by hand)", bug.id)),
            }
            quick += usize::from(trials <= 400);
            lengths.push(length);
            objects.extend(number("objects"));
        }
        lengths.sort_unstable();
        objects.sort_unstable();
        let (length, objects) = (lengths[lengths.len() / 2], objects[objects.len() / 2]);
        assert!(length < most && objects <= 4, "{format}: half of them have {length} bytes and {objects} objects");
    }
    let told =
        format!("of {all} bugs {found} found, {reduced} reduced, {small} of them as small, {quick} in 400 trials");
    println!("{told}; larger: {}", larger.join(", "));
    assert!(100 * found >= 95 * all && 10 * small >= 9 * reduced && 10 * quick >= 9 * reduced, "{told}");
}
