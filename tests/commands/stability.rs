//! What leaves the program has a version, and a change of it has another.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use assert_cmd::cargo::CommandCargoExt;
use serde_json::Value;
use sha2::{Digest, Sha256};

fn read(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// Every version of every schema, in the order of the file: name, version, SHA-256.
fn history() -> Vec<(String, u32, String)> {
    let line = |line: &str| {
        let words: Vec<&str> = line.split(' ').collect();
        let [name, version, sha256] = words[..] else { panic!("three words: {line}") };
        (name.to_owned(), version.parse().expect("a version"), sha256.to_owned())
    };
    read("specs/schemas/versions.txt").lines().map(line).collect()
}

/// The last version of each schema.
fn latest() -> BTreeMap<String, (u32, String)> {
    history().into_iter().map(|(name, version, sha256)| (name, (version, sha256))).collect()
}

/// The schema that the command prints, which stands alone.
fn printed_schema(name: &str) -> String {
    let output = Command::cargo_bin("heapsmith").expect("built").args(["schema", name]).output().expect("it runs");
    assert!(output.status.success(), "there is no schema {name}");
    String::from_utf8(output.stdout).expect("text")
}

#[test]
fn a_schema_that_changes_gets_another_version() {
    for (name, (_, known)) in latest() {
        let sha256: String = Sha256::digest(printed_schema(&name)).iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(
            known, sha256,
            "the schema {name} has changed: raise its version where it is written and in docs/stability.md, and add a line \
             with the new version and this SHA-256 to specs/schemas/versions.txt"
        );
    }
}

/// The schema whose list of facets the others refer to.
const FACETS: &str = "facets";

/// A printed schema as it stands in specs/schemas/: with a reference in place of the list of facets.
fn without_facets(name: &str, printed: &str) -> String {
    // What was promised stays as it was.
    if name == FACETS || name == "adapter-answer-1" || !printed.contains("\"#/$defs/Facet\"") {
        return printed.to_owned();
    }
    let reference = format!("\"{FACETS}.schema.json#/$defs/Facet\"");
    let text = printed.replace("\"#/$defs/Facet\"", &reference);
    let mut schema: schemars::Schema = serde_json::from_str(&text).expect("a schema");
    let keys = schema.as_object_mut().expect("keys");
    let definitions = keys["$defs"].as_object_mut().expect("definitions");
    definitions.remove("Facet").expect("the list of facets");
    if definitions.is_empty() {
        keys.remove("$defs");
    }
    serde_json::to_string_pretty(&schema).expect("JSON") + "\n"
}

#[test]
fn published_schemas_are_those_that_are_printed_and_share_one_list_of_facets() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("specs/schemas");
    let names = latest().into_keys();
    let mut due: BTreeMap<String, String> =
        names.map(|name| (format!("{name}.schema.json"), without_facets(&name, &printed_schema(&name)))).collect();
    if std::env::var_os("HEAPSMITH_BLESS").is_some() {
        for (file, text) in &due {
            fs::write(folder.join(file), text).expect("writable");
        }
    }
    let files = fs::read_dir(&folder).expect("the folder of schemas");
    let files = files.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned());
    for file in files.filter(|file| file.ends_with(".schema.json")) {
        let text = due.remove(&file).unwrap_or_else(|| panic!("no line of versions.txt is about {file}"));
        assert!(
            read(&format!("specs/schemas/{file}")) == text,
            "{file} is not as it is printed: HEAPSMITH_BLESS=1 cargo test --test commands stability:: writes it"
        );
    }
    assert_eq!(due.into_keys().collect::<Vec<_>>(), [""; 0], "each line is about a schema that is there");
}

#[test]
fn schema_versions_only_increase() {
    let mut known: BTreeMap<String, u32> = BTreeMap::new();
    for (name, version, _) in history() {
        let before = known.insert(name.clone(), version).unwrap_or(0);
        assert!(version > before, "{name}: version {version} after {before}");
    }
}

#[test]
fn stability_page_and_program_state_schema_versions() {
    let page = read("docs/stability.md");
    let latest = latest();
    let mut rows = BTreeMap::new();
    for line in page.lines() {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        if let ["", _, name, version, ""] = cells[..]
            && let (Some(name), Ok(version)) = (name.strip_prefix('`'), version.parse::<u32>())
        {
            rows.insert(name.trim_end_matches('`').to_owned(), version);
        }
    }
    assert_eq!(rows, latest.iter().map(|(name, (version, _))| (name.clone(), *version)).collect());
    let [requests, answers, entries] = heapsmith::check::protocol::SCHEMAS;
    let own = [("adapter-request", requests), ("adapter-answer", answers), ("adapter-entry", entries)];
    // Requests are the same in both versions of the protocol.
    let [old, _] = heapsmith::check::protocol::VERSIONS;
    for (name, version) in own.into_iter().chain([("adapter-answer-1", old)]) {
        assert_eq!(rows.remove(name), Some(version));
    }
    assert_eq!(rows.remove("check"), Some(heapsmith::check::report::SCHEMA));
    assert_eq!(rows.remove("fuzz-status"), Some(heapsmith::check::campaign::STATUS_SCHEMA));
    assert_eq!(rows.remove("scaling"), Some(heapsmith::check::SCALING_SCHEMA));
    let manifest: Value = serde_json::from_str(&read("corpus/manifest.json")).expect("JSON");
    assert_eq!(manifest["schema"], rows.remove("manifest").expect("a row"));
    let folder = tempfile::tempdir().expect("a temporary folder");
    let run = |arguments: &str| {
        let mut command = Command::cargo_bin("heapsmith").expect("built");
        let output = command
            .args(arguments.split(' ').map(|word| word.replace('@', " ")))
            .current_dir(folder.path())
            .output()
            .expect("it runs");
        String::from_utf8(output.stdout).expect("text")
    };
    run("generate --format phd6 --seed 1 --objects 20 -o a.phd");
    run("decode a.phd -o a.jsonl");
    fs::write(folder.path().join("a.kdl"), "class A\nobject a A\n").expect("a heap file");
    run("corpus export -o golden --format phd6 --tag gzip --tag random --tag golden");
    fs::create_dir(folder.path().join("bench")).expect("a folder");
    fs::write(folder.path().join("bench/manifest.json"), "{}").expect("a manifest without cases");
    let golden = fs::read_to_string(folder.path().join("golden/manifest.json")).expect("it is written");
    let golden: Value = serde_json::from_str(&golden).expect("JSON");
    assert_eq!(golden["schema"], rows.remove("golden").expect("a row"));
    for (name, key, arguments) in [
        ("answers", "schema", "answers a.phd --json"),
        ("generate-answers", "schema", "generate --preset tiny -o tiny.hprof --answers -"),
        ("check-conversion", "schema", "check-conversion a.phd a.phd --json"),
        ("compare", "schema", "compare a.phd a.phd --json"),
        ("convert", "schema", "convert a.phd -o b.hprof --to hprof --json"),
        ("corpus-verify", "schema", "corpus verify bench --json"),
        ("corrupt", "schema", "corrupt --list --json"),
        ("demo", "schema", "demo --objects 20 --json"),
        ("digest", "schema", "digest a.phd --json"),
        ("build", "schema", "build a.kdl --format phd6 -o c.phd --json"),
        ("encode", "schema", "encode a.jsonl --format phd6 -o b.phd --json"),
        ("explain", "schema", "explain phd.record.tag --json"),
        ("facets", "schema", "facets --json"),
        ("spec-coverage", "schema", "spec coverage --json --format classic"),
        ("spec-grid", "schema", "spec coverage --grid --json --format classic"),
        ("spec-rule", "schema", "spec list --json --format classic"),
        ("adapter-readings", "schema", "adapter readings --json"),
        ("reduce", "schema", "reduce a.phd --test true@{} -o small.phd --json"),
        ("salvage", "schema", "salvage a.phd --json"),
        ("validate", "schema", "validate a.phd --json"),
        ("verify", "schema", "verify tiny.hprof --recipe heapsmith-2:preset=tiny --json"),
    ] {
        let printed = run(arguments);
        let first = serde_json::Deserializer::from_str(&printed).into_iter::<Value>().next();
        let first = first.unwrap_or_else(|| panic!("{arguments}: nothing is printed")).expect("JSON");
        assert_eq!(first[key], rows.remove(name).expect("a row"), "{arguments}");
    }
    // `adapter-test` follows `check`, a listing states the version of its format, and `report-diff` needs two reports
    // (report_html); the others state no version.
    let others: Vec<&str> = rows.keys().map(String::as_str).collect();
    assert_eq!(
        others,
        [
            "adapter-test",
            "answers-entry",
            "conversion-pair",
            "generate-options",
            "inspect-field",
            "inspect-record",
            "listing-head",
            "listing-line",
            "renaming",
            "report-diff"
        ]
    );
}
