//! `corpus export`: files for tests that run without heapsmith, and the examples of such tests.

mod examples;
mod heap_files;
mod own;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::Command;

use assert_cmd::cargo::CommandCargoExt;
use serde_json::Value;
use sha2::{Digest, Sha256};
use tempfile::TempDir;

use super::schema::Schema;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");
/// Every version of the corpus with the cases that it brought or changed; it only grows.
const VERSIONS: &str = "corpus/versions.txt";

/// A folder in which there may be an export.
struct Bench(TempDir);

impl Bench {
    fn new() -> Bench {
        Bench(tempfile::tempdir().expect("a temporary folder"))
    }

    fn path(&self, path: &str) -> std::path::PathBuf {
        self.0.path().join(path)
    }

    /// Exit code, standard output and standard error of `corpus export -o golden` with these arguments.
    fn export(&self, arguments: &[&str]) -> (i32, String, String) {
        self.command(&[&["corpus", "export", "-o", "golden"], arguments].concat())
    }

    /// The same of any command.
    fn command(&self, arguments: &[&str]) -> (i32, String, String) {
        let mut command = Command::cargo_bin("heapsmith").expect("built");
        command.current_dir(self.0.path()).args(arguments);
        let output = command.output().expect("it runs");
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
        (output.status.code().expect("a code"), text(output.stdout), text(output.stderr))
    }

    fn manifest(&self) -> Value {
        serde_json::from_str(&fs::read_to_string(self.path("golden/manifest.json")).expect("a manifest")).expect("JSON")
    }

    /// The paths of all files of the export.
    fn files(&self) -> BTreeSet<String> {
        let mut files = BTreeSet::new();
        let mut folders = vec![self.path("golden")];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).expect("a folder") {
                let path = entry.expect("an entry").path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    let path = path.strip_prefix(self.path("golden")).expect("it is beneath").to_owned();
                    files.insert(path.to_string_lossy().into_owned());
                }
            }
        }
        files
    }
}

fn array<'v>(value: &'v Value, key: &str) -> &'v Vec<Value> {
    value[key].as_array().unwrap_or_else(|| panic!("{key}: an array in {value}"))
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("a text: {value}"))
}

/// The files of a case.
fn files_of(case: &Value) -> Vec<&Value> {
    let answers = array(case, "answers").iter();
    let of_answers =
        answers.flat_map(|answer| [&answer["listing"], &answer["analysis"]["heap"], &answer["analysis"]["entries"]]);
    of_answers.chain([&case["dump"], &case["source"]["heap_file"]]).filter(|file| !file.is_null()).collect()
}

fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn every_file_has_the_name_of_its_case_and_the_manifest_follows_its_schema() {
    let bench = Bench::new();
    assert_eq!(bench.export(&[]).0, 0);
    let manifest = bench.manifest();
    let schema = fs::read_to_string(bench.path("golden/schemas/golden.schema.json")).expect("a schema");
    assert_eq!(Schema::new(serde_json::from_str(&schema).expect("JSON")).error(&manifest), None);
    let fixed = ["README.md", "manifest.json"].map(str::to_owned);
    let schemas = ["golden", "listing-head", "listing-line", "answers", "answers-entry"];
    let schemas = schemas.map(|name| format!("schemas/{name}.schema.json"));
    let mut named: BTreeSet<String> = fixed.into_iter().chain(schemas).collect();
    for case in array(&manifest, "cases") {
        let id = text(&case["id"]);
        let path = text(&case["dump"]["path"]);
        let suffix = path.strip_prefix(&format!("dumps/{id}.")).unwrap_or_else(|| panic!("{path} is of {id}"));
        assert!(["phd", "hprof", "txt"].contains(&suffix.trim_end_matches(".gz")), "{path}");
        for (answer, number) in array(case, "answers").iter().zip(1..) {
            assert_eq!(answer.get("analysis"), None, "it was not asked for");
            if let Some(path) = answer["listing"]["path"].as_str() {
                let number = if number == 1 { String::new() } else { format!(".{number}") };
                assert_eq!(path, format!("listings/{id}{number}.jsonl"));
            }
        }
        for file in files_of(case) {
            let path = text(&file["path"]);
            let bytes = fs::read(bench.path("golden").join(path)).expect("a file");
            assert_eq!(text(&file["sha256"]), sha256(&bytes), "{path}");
            assert_eq!(file["size"], bytes.len());
            assert!(named.insert(path.to_owned()), "{path} is of one case");
        }
        for rule in case["relies"].as_object().expect("rules").keys() {
            assert!(manifest["rules"][rule]["statement"].is_string(), "{rule}");
        }
    }
    assert_eq!(bench.files(), named);
    // They are the cases of the corpus, with the same answers.
    let corpus = fs::read_to_string(Path::new(ROOT).join("corpus/manifest.json")).expect("it is in the repository");
    let corpus: Value = serde_json::from_str(&corpus).expect("JSON");
    assert_eq!(array(&manifest, "cases").len(), array(&corpus, "cases").len());
    for (case, of_corpus) in array(&manifest, "cases").iter().zip(array(&corpus, "cases")) {
        assert_eq!((&case["id"], &case["dump"]["sha256"]), (&of_corpus["id"], &of_corpus["sha256"]));
        for (answer, stored) in array(case, "answers").iter().zip(array(of_corpus, "answers")) {
            let stored = stored["listing"].as_str().map(|path| fs::read(Path::new(ROOT).join("corpus").join(path)));
            let stored = stored.map(|bytes| sha256(&bytes.expect("a listing")));
            assert_eq!(answer["listing"]["sha256"].as_str(), stored.as_deref(), "{}", case["id"]);
        }
    }
}

/// Spelled by hand in `specs/cases/hprof/`: a class dump at 79, whose class object has an address of 4 bytes at 80; 392
/// bytes of the world around it stand in front of that.
#[test]
fn manifest_lists_relied_on_bytes_by_rule_and_address() {
    let bench = Bench::new();
    assert_eq!(bench.export(&["--rule", "hprof.id.unsigned", "--tag", "spelled"]).0, 0);
    let manifest = bench.manifest();
    let case = array(&manifest, "cases").iter().find(|case| case["id"] == "hprof-spelled-high-ids").expect("a case");
    assert!(array(case, "records").contains(&serde_json::json!(["0x80001000", 471, 48])), "{}", case["records"]);
    let relies = array(&case["relies"], "hprof.id.unsigned");
    assert!(relies.contains(&serde_json::json!(["0x80001000", 472, 4])), "{relies:?}");
}

#[test]
fn export_options_of_one_kind_add_up_and_kinds_intersect() {
    let bench = Bench::new();
    let ids = |arguments: &[&str]| -> BTreeSet<String> {
        let (code, _, error) = bench.export(arguments);
        assert_eq!(code, 0, "{error}");
        array(&bench.manifest(), "cases").iter().map(|case| text(&case["id"]).to_owned()).collect()
    };
    let (phd5, phd6) = (ids(&["--format", "phd5"]), ids(&["--format", "phd6"]));
    assert_eq!(ids(&["--format", "phd5", "--format", "phd6"]), &phd5 | &phd6);
    assert!(phd6.is_subset(&ids(&["--format", "phd"])));
    let golden = ids(&["--tag", "golden"]);
    assert_eq!(ids(&["--format", "phd6", "--tag", "golden"]), &phd6 & &golden);
    assert!(ids(&["--rule", "phd.record"]).is_superset(&ids(&["--rule", "phd.record.tag"])));
    assert_eq!(bench.manifest()["chosen"], serde_json::json!(["--rule phd.record.tag"]));
}

/// What `heapsmith answers` says of each listing; of one heap it is worked out by hand.
#[test]
fn export_has_answers_of_analysers_beside_listings_if_asked() {
    let bench = Bench::new();
    assert_eq!(bench.export(&["--format", "hprof", "--format", "phd6", "--tag", "spelled", "--answers"]).0, 0);
    let manifest = bench.manifest();
    let schema = |name: &str| {
        let text = fs::read_to_string(bench.path(&format!("golden/schemas/{name}.schema.json"))).expect("a schema");
        Schema::new(serde_json::from_str(&text).expect("JSON"))
    };
    assert_eq!(schema("golden").error(&manifest), None);
    let files: BTreeSet<String> =
        array(&manifest, "cases").iter().flat_map(files_of).map(|file| text(&file["path"]).to_owned()).collect();
    assert!(bench.files().is_superset(&files));
    let mut compared = 0;
    for answer in array(&manifest, "cases").iter().flat_map(|case| array(case, "answers")) {
        let Some(listing) = answer["listing"]["path"].as_str() else {
            assert_eq!(answer.get("analysis"), None, "a refusal has no heap");
            continue;
        };
        let read = |file: &Value| {
            let path = text(&file["path"]);
            assert_eq!(
                path.rsplit_once('.').map(|(stem, _)| stem),
                listing
                    .rsplit_once('.')
                    .map(|(stem, _)| stem)
                    .map(|stem| stem.replace("listings", "answers"))
                    .as_deref()
            );
            fs::read_to_string(bench.path("golden").join(path)).expect("a file")
        };
        let (heap, entries) = (read(&answer["analysis"]["heap"]), read(&answer["analysis"]["entries"]));
        let json = |line: &str| -> Value { serde_json::from_str(line).expect("JSON") };
        assert_eq!(schema("answers").error(&json(&heap)), None);
        entries.lines().for_each(|line| assert_eq!(schema("answers-entry").error(&json(line)), None));
        // A process for each would take long.
        if compared < 8 {
            let listing = format!("golden/{listing}");
            let (code, said, error) =
                bench.command(&["answers", &listing, "--json", "--entries", "entries", "--force"]);
            assert_eq!(code, 0, "{error}");
            assert_eq!(heap, said, "{listing}");
            assert_eq!(entries, fs::read_to_string(bench.path("entries")).expect("lines"), "{listing}");
            compared += 1;
        }
    }
    assert_eq!(compared, 8);
    // `hprof-spelled-pair`: 12000 leads to 12010 and 12020, and both of these back; 12040 and 12060 hang on nothing.
    // The class of objects is a root of its own.
    let read = |path: &str| fs::read_to_string(bench.path(path)).expect("a file");
    let heap: Value = serde_json::from_str(&read("golden/answers/hprof-spelled-pair.json")).expect("JSON");
    assert_eq!(
        heap["histogram"],
        serde_json::json!([
            {"class": "int[]", "objects": 1, "bytes": 16},
            {"class": "p.B", "objects": 2, "bytes": 32, "retained": {"entries": 5, "bytes": 40}},
            {"class": "p.B[]", "objects": 1, "bytes": 8, "retained": {"entries": 2, "bytes": 8}},
            {"class": "p.C", "objects": 1, "bytes": 16}
        ])
    );
    let lines = read("golden/answers/hprof-spelled-pair.jsonl");
    let line = lines.lines().find(|line| line.starts_with(r#"{"address":"0x12000""#)).expect("a line");
    assert_eq!(
        line,
        r#"{"address":"0x12000","class":"p.B","bytes":16,"reachable":true,"distance":0,"retained":{"entries":5,"bytes":40},"component":"0x12000"}"#
    );
    assert_eq!(lines.lines().count(), 12);
    assert_eq!(bench.export(&["--format", "phd4"]).0, 0);
    assert!(
        bench.files().iter().all(|path| !path.starts_with("answers/")),
        "an export without them replaces one with them"
    );
}

#[test]
fn verify_names_each_changed_file_of_an_export() {
    let bench = Bench::new();
    assert_eq!(bench.export(&["--format", "phd6", "--tag", "golden"]).0, 0);
    let count = array(&bench.manifest(), "cases").len();
    let verify = || bench.command(&["corpus", "verify", "golden"]);
    assert_eq!(verify(), (0, format!("{count} cases: all as expected\n"), String::new()));
    let path = |name: &str| bench.path(&format!("golden/{name}"));
    let (dump, listing) = ("dumps/phd6-openj9-64.phd", "listings/phd6-openj9-64.jsonl");
    let bytes = fs::read(path(dump)).expect("a dump");
    fs::write(path(dump), &bytes[1..]).expect("writable");
    fs::remove_file(path(listing)).expect("removed");
    fs::write(path("dumps/notes.txt"), "theirs").expect("writable");
    let (code, said, _) = verify();
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(code, 1, "{said}");
    let length = bytes.len();
    assert_eq!(lines[0], "note: dumps/notes.txt belongs to no case");
    assert!(
        lines[1].starts_with(&format!("{dump}: ")) && lines[1].contains(&format!("expected {length} bytes")),
        "{said}"
    );
    assert!(lines[2].starts_with(&format!("{listing}: ")) && lines[2].contains("entity not found"), "{said}");
    assert_eq!(lines[3..], [format!("{count} cases: 2 problems")]);
}

#[test]
fn export_refuses_unknown_names_with_suggestions() {
    for (arguments, expected) in [
        (&["--format", "hprf"][..], "unknown format \"hprf\"; choose one of phd, hprof, classic; did you mean hprof"),
        (&["--tag", "golde"], "unknown tag \"golde\"; "),
        (
            &["--rule", "phd.record.tags"],
            "unknown rule \"phd.record.tags\"; `heapsmith explain --list` shows all; did you mean phd.record.tag",
        ),
        (&["--format", "hprof", "--rule", "phd.record"], "no case has all that is chosen"),
    ] {
        let bench = Bench::new();
        let (code, _, error) = bench.export(arguments);
        assert_eq!(code, 2);
        assert!(error.contains(expected), "{error}");
        assert!(!bench.path("golden").exists(), "nothing is written");
    }
}

#[test]
fn an_earlier_export_is_replaced_and_other_files_stay() {
    let bench = Bench::new();
    assert_eq!(bench.export(&["--format", "phd"]).0, 0);
    let before = bench.files();
    fs::write(bench.path("golden/notes.txt"), "mine").expect("writable");
    let (code, printed, _) = bench.export(&["--format", "phd6", "--tag", "golden"]);
    assert_eq!(code, 0);
    assert!(
        printed.ends_with(&format!("of version {} written to golden\n", heapsmith::corpus::version())),
        "{printed}"
    );
    let after = bench.files();
    assert!(after.len() < before.len() && after.contains("notes.txt"), "{after:?}");
    let foreign = Bench::new();
    fs::create_dir(foreign.path("golden")).expect("creatable");
    fs::write(foreign.path("golden/notes.txt"), "mine").expect("writable");
    let (code, _, error) = foreign.export(&[]);
    assert_eq!((code, foreign.files().len()), (2, 1), "{error}");
}

/// A version of the corpus: its numbers, and for each case that it brought or changed a digest of its bytes and answers; `gone`
/// for one that it left out.
type Version = ([u64; 3], BTreeMap<String, String>);

fn history(text: &str) -> Vec<Version> {
    let mut versions: Vec<Version> = Vec::new();
    for line in text.lines() {
        match line.split_once(' ') {
            Some((id, digest)) => {
                let (_, cases) = versions.last_mut().expect("a version comes first");
                assert_eq!(cases.insert(id.to_owned(), digest.to_owned()), None, "{id} stands there twice");
            }
            None => {
                let numbers: Vec<u64> = line.split('.').map(|number| number.parse().expect("a number")).collect();
                versions.push((numbers.try_into().expect("three numbers"), BTreeMap::new()));
            }
        }
    }
    versions
}

/// The least version after one in which these cases change.
fn next([major, minor, _]: [u64; 3], known: &BTreeMap<String, String>, changed: &BTreeMap<String, String>) -> [u64; 3] {
    if changed.keys().any(|id| known.contains_key(id)) { [major + 1, 0, 0] } else { [major, minor + 1, 0] }
}

fn digest(case: &Value) -> String {
    let answers = array(case, "answers").iter().map(|answer| answer["listing"]["sha256"].as_str().unwrap_or("refused"));
    let all: Vec<&str> = [text(&case["dump"]["sha256"])].into_iter().chain(answers).collect();
    sha256(all.join("\n").as_bytes())[..16].to_owned()
}

#[test]
fn changed_answer_raises_major_version_and_new_case_minor() {
    let bench = Bench::new();
    assert_eq!(bench.export(&[]).0, 0);
    let path = Path::new(ROOT).join(VERSIONS);
    let written = fs::read_to_string(&path).expect("it is in the repository");
    let (mut known, mut last) = (BTreeMap::new(), None);
    for (version, cases) in history(&written) {
        if let Some(last) = last {
            assert!(version >= next(last, &known, &cases), "{version:?} after {last:?} changes more than it says");
        }
        last = Some(version);
        known.extend(cases);
        known.retain(|_, digest| digest != "gone");
    }
    let now: BTreeMap<String, String> =
        array(&bench.manifest(), "cases").iter().map(|case| (text(&case["id"]).to_owned(), digest(case))).collect();
    let gone = known.keys().filter(|id| !now.contains_key(*id)).map(|id| (id.clone(), "gone".to_owned()));
    let new = now.iter().filter(|(id, digest)| known.get(*id) != Some(digest));
    let changed: BTreeMap<String, String> = new.map(|(id, digest)| (id.clone(), digest.clone())).chain(gone).collect();
    if std::env::var_os("HEAPSMITH_BLESS").is_some() && !changed.is_empty() {
        let mut text = written;
        if let Some(last) = last.filter(|_| !known.is_empty()) {
            let [major, minor, patch] = next(last, &known, &changed);
            writeln!(text, "{major}.{minor}.{patch}").expect("memory");
        }
        changed.iter().for_each(|(id, digest)| writeln!(text, "{id} {digest}").expect("memory"));
        fs::write(&path, text).expect("writable");
        return;
    }
    assert!(
        changed.is_empty(),
        "cases are new or have other answers; HEAPSMITH_BLESS=1 cargo test --test commands golden:: adds a version to \
         {VERSIONS}: {changed:?}"
    );
    let version = last.map(|[major, minor, patch]| format!("{major}.{minor}.{patch}"));
    assert_eq!(version.as_deref(), Some(heapsmith::corpus::version()));
    assert_eq!(bench.manifest()["corpus"], heapsmith::corpus::version());
}

#[test]
fn versions_follow_from_what_changes() {
    let cases = |text: &str| history(text).remove(0).1;
    let known = cases("1.0.0\na 1\nb 2");
    assert_eq!(next([1, 4, 0], &known, &cases("0.0.0\nc 3")), [1, 5, 0]);
    assert_eq!(next([1, 4, 0], &known, &cases("0.0.0\nc 3\na 2")), [2, 0, 0]);
    assert_eq!(next([1, 4, 0], &known, &cases("0.0.0\na gone")), [2, 0, 0]);
}
