//! `adapter new`: what it writes works as it stands.

use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;

use crate::bench::{HEAPSMITH, check, has_python, tally};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// Standard output of `adapter new` in a folder, and its exit code.
pub(crate) fn new(folder: &TempDir, arguments: &[&str]) -> (String, Option<i32>) {
    let mut command = Command::new(HEAPSMITH);
    let output = command.args(["adapter", "new"]).args(arguments).current_dir(folder.path()).output().expect("it runs");
    (String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned(), output.status.code())
}

/// Writes an adapter, and runs it over HPROF's golden dumps: its name in the report, and the verdicts.
fn judged(language: &str, command: impl Fn(&Path) -> String) -> (String, Value) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (printed, code) = new(&folder, &[language, "mine-2"]);
    assert_eq!(code, Some(0), "{printed}");
    let root = folder.path().join("mine-2");
    let readme = fs::read_to_string(root.join("README.md")).expect("a README");
    let workflow = fs::read_to_string(root.join(".github/workflows/heapsmith.yml")).expect("a workflow");
    for text in [&readme, &workflow] {
        for word in ["NAME", "COMMAND", "BUILD", "FILE", "PLACE", "PROJECT", "FACETS"] {
            assert!(!text.contains(word), "{word} is left: {text}");
        }
        assert!(text.contains("mine-2"), "{text}");
    }
    // The README and the last line of the output name the same command.
    let (_, tested) = printed.split_once("heapsmith adapter test ").expect("what to do next");
    assert!(readme.contains(&format!("heapsmith adapter test {tested}")), "{readme}{printed}");
    let command = command(&root);
    let (report, code) = check(&["--adapter", &command, "--filter", "hprof-hotspot*", "--filter", "hprof-cut*"]);
    assert_eq!(code, 0, "{report}");
    assert!(tally(&report).keys().all(|verdict| verdict == "pass" || verdict == "skip"), "{:?}", tally(&report));
    let name = report["implementations"][0]["declared"]["name"].as_str().expect("a name").to_owned();
    (name, report)
}

pub(crate) fn quoted(path: &Path) -> String {
    shell_words::quote(&path.to_string_lossy()).into_owned()
}

#[test]
fn new_python_adapter_works_unchanged() {
    if has_python() {
        let (name, _) = judged("python", |root| format!("python3 -B {}", quoted(&root.join("adapter.py"))));
        assert_eq!(name, "mine-2");
    }
}

/// The folder that `adapter new` writes for an engine, in which no placeholder is left.
fn harness(engine: &str) -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (printed, code) = new(&folder, &[engine, "mine-3"]);
    assert_eq!(code, Some(0), "{printed}");
    for name in [
        "README.md",
        "Makefile",
        "harness.c",
        "parser.h",
        "fuzz/Cargo.toml",
        "fuzz/fuzz_targets/parse.rs",
        "fuzz.py",
        ".clusterfuzzlite/Dockerfile",
        "pom.xml",
        "src/test/java/ParserFuzzTest.java",
        "src/test/java/Parser.java",
    ] {
        let text = fs::read_to_string(folder.path().join("mine-3").join(name)).unwrap_or_default();
        assert!(!text.contains("NAME"), "{name}: {text}");
    }
    folder
}

#[test]
fn new_harnesses_of_c_work_unchanged() {
    let cc = |folder: &TempDir, arguments: &[&str]| {
        let root = folder.path().join("mine-3");
        let built = Command::new("cc")
            .args(["-Wall", "-Wextra", "-Werror", "harness.c"])
            .args(arguments)
            .current_dir(root)
            .output();
        let Ok(built) = built else {
            assert!(env::var_os("HEAPSMITH_CC_REQUIRED").is_none(), "cc is required and not there");
            println!("skipped: no cc");
            return false;
        };
        assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
        true
    };
    cc(&harness("libfuzzer"), &["-c"]);
    let afl = harness("afl");
    if cc(&afl, &["-o", "fuzz"]) {
        let dump = afl.path().join("dump");
        let run = || {
            let dump = fs::File::open(&dump).expect("a file");
            Command::new(afl.path().join("mine-3/fuzz")).stdin(dump).status().expect("it runs").code()
        };
        // A STRING "A", by hand, and one that is cut.
        let whole = b"JAVA PROFILE 1.0.2\0\0\0\0\x04\0\0\0\0\0\0\0\0\x01\0\0\0\0\0\0\0\x05\0\0\0\x01A";
        for (bytes, code) in [(&whole[..], 0), (&whole[..whole.len() - 1], 1), (b"", 1)] {
            fs::write(&dump, bytes).expect("it is written");
            assert_eq!(run(), Some(code));
        }
    }
}

#[test]
fn new_harness_of_rust_names_its_package() {
    let folder = harness("cargo-fuzz");
    let manifest = fs::read_to_string(folder.path().join("mine-3/fuzz/Cargo.toml")).expect("a manifest");
    assert!(manifest.contains("name = \"mine-3-fuzz\"\n"), "{manifest}");
}

#[test]
fn new_harness_of_python_is_a_program() {
    let folder = harness("atheris");
    let compiled = Command::new("python3")
        .args(["-m", "py_compile", "fuzz.py"])
        .current_dir(folder.path().join("mine-3"))
        .output();
    let Ok(compiled) = compiled else {
        assert!(env::var_os("HEAPSMITH_PYTHON_REQUIRED").is_none(), "python3 is required and not there");
        println!("skipped: no python3");
        return;
    };
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
}

#[test]
fn new_harness_of_java_names_its_project() {
    let folder = harness("jazzer");
    let project = fs::read_to_string(folder.path().join("mine-3/pom.xml")).expect("a project");
    assert!(project.contains("<artifactId>mine-3</artifactId>"), "{project}");
    assert!(folder.path().join("mine-3/src/test/java/ParserFuzzTest.java").is_file());
}

#[test]
fn new_java_adapter_works_unchanged() {
    java_works("java", "Adapter");
    java_works("java-analyser", "Analyser");
}

fn java_works(language: &str, class: &str) {
    let tool = |name: &str| env::var("JAVA_HOME").map_or(name.to_owned(), |home| format!("{home}/bin/{name}"));
    if !Command::new(tool("javac")).arg("-version").output().is_ok_and(|output| output.status.success()) {
        assert!(env::var_os("HEAPSMITH_JDK_REQUIRED").is_none(), "a JDK is required and not there");
        println!("skipped: no javac");
        return;
    }
    let (name, _) = judged(language, |root| {
        let files = fs::read_dir(root).expect("a folder").map(|entry| entry.expect("a file").path());
        let sources = files.filter(|path| path.extension().is_some_and(|suffix| suffix == "java"));
        let built = Command::new(tool("javac")).args(["-d", "build"]).args(sources).current_dir(root).output();
        assert!(built.expect("it runs").status.success());
        format!("{} -cp {} {class}", tool("java"), quoted(&root.join("build")))
    });
    assert_eq!(name, "mine-2");
}

#[test]
fn new_rust_adapter_works_unchanged() {
    // Versions are those of our own lock file, so that nothing is fetched; what is built is kept.
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("new");
    let (name, _) = judged("rust", |root| {
        fs::copy(Path::new(ROOT).join("Cargo.lock"), root.join("Cargo.lock")).expect("copied");
        let mut build = Command::new(env!("CARGO"));
        build.args(["build", "--offline", "--quiet", "--target-dir"]).arg(&target).current_dir(root);
        let output = build.output().expect("cargo runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        quoted(&target.join("debug/mine-2"))
    });
    assert_eq!(name, "mine-2");
}

#[cfg(unix)]
#[test]
fn new_shell_adapter_works_unchanged() {
    let (name, report) = judged("shell", |root| format!("sh {}", quoted(&root.join("adapter.sh"))));
    assert_eq!(name, "mine-2");
    assert_eq!(report["implementations"][0]["declared"]["level"], "verdict");
}

/// The keys of the lines that a listing's schema has, of the head as well; but for events, whose keys the schema has by kind.
fn keys_of_schemas() -> BTreeSet<(String, String)> {
    let schema = |name: &str| -> Value {
        let text = fs::read(format!("{ROOT}/specs/schemas/{name}.schema.json")).expect("a schema");
        serde_json::from_slice(&text).expect("JSON")
    };
    let (head, lines) = (schema("listing-head"), schema("listing-line"));
    let keys =
        |object: &Value| object["properties"].as_object().expect("properties").keys().cloned().collect::<Vec<_>>();
    let mut found: BTreeSet<(String, String)> = keys(&head).into_iter().map(|key| ("head".to_owned(), key)).collect();
    for line in lines["oneOf"].as_array().expect("kinds of lines") {
        let kind = line["properties"]["kind"]["const"].as_str().expect("a kind");
        let (_, definition) = line["$ref"].as_str().and_then(|path| path.rsplit_once('/')).expect("a definition");
        let own = keys(&lines["$defs"][definition]);
        found.extend(own.into_iter().filter(|_| kind != "event").map(|key| (kind.to_owned(), key)));
    }
    found
}

#[test]
fn page_of_facets_has_every_facet_and_every_key_of_the_schemas() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    assert_eq!(new(&folder, &["python", "mine"]).1, Some(0));
    let page = fs::read_to_string(folder.path().join("mine/facets.md")).expect("a page");
    let rows: Vec<Vec<&str>> = page
        .lines()
        .filter(|line| line.starts_with("| `"))
        .map(|line| line.split('|').map(|cell| cell.trim().trim_matches('`')).collect())
        .filter(|cells: &Vec<&str>| cells.len() == 8)
        .collect();
    let named: BTreeSet<&str> = rows.iter().map(|row| row[1]).collect();
    let all = Command::new(HEAPSMITH).args(["facets", "--json"]).output().expect("it runs").stdout;
    let all: Value = serde_json::from_slice(&all).expect("JSON");
    let all: BTreeSet<&str> =
        all["facets"].as_array().expect("facets").iter().map(|row| row["facet"].as_str().expect("a name")).collect();
    assert_eq!(named, all);
    // Kinds of lines that a cell of the page stands for.
    let objects = ["object", "object-array", "primitive-array"];
    let lines = |cell: &str| -> Vec<&str> {
        match cell {
            "all" => [&["class"], &objects[..]].concat(),
            "objects of every kind" => objects.to_vec(),
            "arrays" => objects[1..].to_vec(),
            "all but primitive-array" => vec!["class", "object", "object-array"],
            "head" => vec!["head"],
            one => vec![
                ["class", "object", "object-array", "primitive-array", "root", "thread", "trace", "region"]
                    .into_iter()
                    .find(|kind| *kind == one)
                    .unwrap_or_else(|| panic!("{one}")),
            ],
        }
    };
    let mut keys = BTreeSet::new();
    for row in rows.iter().filter(|row| !row[2].starts_with("event")) {
        keys.extend(lines(row[2]).into_iter().map(|line| (line.to_owned(), row[3].to_owned())));
    }
    // What no facet is about, and the first keys of all lines, which the schema has elsewhere.
    let mut expected = keys_of_schemas();
    for key in ["listing", "format", "profile", "heap", "hashes", "classes", "objects", "references", "omits"] {
        assert!(expected.remove(&("head".to_owned(), key.to_owned())), "{key}");
    }
    for key in ["roots", "threads", "traces", "regions", "events"] {
        assert!(expected.remove(&("head".to_owned(), key.to_owned())), "{key}");
    }
    for line in ["class", "object", "object-array", "primitive-array"] {
        assert!(expected.remove(&(line.to_owned(), "offset".to_owned())), "{line}");
        assert!(keys.remove(&(line.to_owned(), "kind".to_owned())), "{line}");
    }
    assert_eq!(keys, expected);
    // Rows by hand: one of the head, one of two facets, one of an event, and a type and a kind of root.
    for row in [
        "| `word-size` | head | `word_size` | integer | 32 or 64, in bits | phd4, phd5, phd6, classic |",
        "| `root-objects` | `root` | `object` | address | the object or class that is kept alive; required | hprof |",
        "| `unloads` | `event`: `unload-class` | `serial` |  |  | hprof |",
        "| bytes | a string of two hexadecimal digits each | `\"00ff\"`, `\"\"` |",
        "| `native-stack`, `thread-block` | `thread` |",
    ] {
        assert!(page.lines().any(|line| line == row), "{row}: {page}");
    }
    assert!(!page.contains("]("), "{page}");
}

#[test]
fn new_refuses_existing_folder_and_odd_name() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::create_dir(folder.path().join("mine")).expect("creatable");
    for (name, expected) in
        [("mine", "mine"), ("../mine", "expected a letter"), ("2", "expected a letter"), ("a b", "expected")]
    {
        let (printed, code) = new(&folder, &["python", name]);
        assert!(code == Some(2) && printed.contains(expected), "{printed}");
    }
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1);
}
