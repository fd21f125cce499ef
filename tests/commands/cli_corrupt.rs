//! The command line: corrupt.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use assert_cmd::cargo::CommandCargoExt;
use pretty_assertions::assert_eq;
use serde_json::Value;
use tempfile::TempDir;

use super::schema::Schema;

struct Bench(TempDir);

impl Bench {
    /// With `good`, a dump of this format.
    fn with(format: &str) -> Bench {
        let bench = Bench(tempfile::tempdir().expect("a temporary folder"));
        bench.expect(0, &format!("generate --format {format} --seed 7 --objects 60 -o good"));
        bench
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn run(&self, arguments: &str) -> Output {
        let mut command = Command::cargo_bin("heapsmith").expect("built");
        command.args(arguments.split(' ')).current_dir(self.0.path()).stdin(Stdio::null());
        command.output().expect("started")
    }

    /// Runs a command that has to end with this code, and gives what it printed, there and on standard error.
    fn expect(&self, code: i32, arguments: &str) -> (Vec<u8>, String) {
        let output = self.run(arguments);
        let stderr = String::from_utf8(output.stderr).expect("text");
        assert_eq!(output.status.code(), Some(code), "{arguments}: {stderr}");
        (output.stdout, stderr)
    }
}

/// The report, which follows its schema.
fn report(text: &[u8]) -> Value {
    let report = serde_json::from_slice(text).expect("JSON");
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("specs/schemas/corrupt.schema.json");
    let schema = serde_json::from_str(&fs::read_to_string(path).expect("a schema")).expect("JSON");
    assert_eq!(Schema::new(schema).error(&report), None);
    report
}

#[test]
fn every_edit_that_is_listed_breaks_its_rule_where_the_report_says() {
    for (format, family) in [("phd6", "phd"), ("hprof", "hprof"), ("classic", "classic")] {
        let bench = Bench::with(format);
        let listed = report(&bench.expect(0, &format!("corrupt --list --json --format {family}")).0);
        let mut made = 0;
        for edit in listed["edits"].as_array().expect("edits") {
            let name = edit["name"].as_str().expect("a name");
            let output = bench.run(&format!("corrupt good --edit {name} --json --force -o bad"));
            if output.status.code() == Some(2) {
                let message = String::from_utf8_lossy(&output.stderr).into_owned();
                assert!(
                    message.contains(&format!("the edit {name} cannot be made in good: the dump has no")),
                    "{message}"
                );
                continue;
            }
            let told = report(&output.stdout);
            let (told, rule) = (&told["edits"][0], &edit["rule"]);
            assert_eq!((&told["name"], &told["rule"]), (&edit["name"], rule));
            let validated = bench.run("validate --json bad").stdout;
            let validated: Value = serde_json::from_slice(&validated).expect("JSON");
            let found = validated["findings"].as_array().expect("findings");
            let is_it = |finding: &Value| finding["rule"] == *rule && finding["offset"] == told["offset"];
            let has_more = |count: &Value| count["rule"] == *rule && count["count"].as_u64() > Some(20);
            let counts = validated["counts"].as_array().expect("counts");
            assert!(found.iter().any(is_it) || counts.iter().any(has_more), "{format} {name}: {validated}");
            made += 1;
        }
        assert!(made > 20, "{format}: {made}");
    }
}

#[test]
fn prints_report_on_the_stream_without_the_dump() {
    let bench = Bench::with("hprof");
    let (stdout, _) = bench.expect(0, "corrupt good --edit raise-the-version -o bad");
    assert_eq!(String::from_utf8_lossy(&stdout), "breaks hprof.header.version at offset 0xd: sets version 1.0.4\n");
    let (dump, stderr) = bench.expect(0, "corrupt good --edit raise-the-version -o -");
    assert_eq!(stderr, "breaks hprof.header.version at offset 0xd: sets version 1.0.4\n");
    assert!(dump == fs::read(bench.path("bad")).expect("written"));
    bench.expect(0, "generate --format hprof --seed 7 --objects 60 --gzip -o good.gz");
    let (decompressed, _) = bench.expect(0, "corrupt good.gz --edit raise-the-version -o -");
    assert!(decompressed == dump, "a compressed dump is decompressed");
    let (listed, _) = bench.expect(0, "corrupt --list");
    assert!(String::from_utf8(listed).expect("text").contains("raise-the-version"));
}

#[test]
fn refuses_impossible_edit_and_writes_nothing() {
    let bench = Bench::with("phd6");
    bench.expect(0, "corrupt good --edit raise-the-version -o bad");
    for (code, arguments, part) in [
        (
            2,
            "corrupt good --edit raise-the-roof -o new",
            "has no edit \"raise-the-roof\"; --list shows all edits; did you mean",
        ),
        (2, "corrupt good --edit lengthen-a-record -o new", "good is a phd dump, and phd has no edit"),
        (2, "corrupt good --edit raise-the-version -o bad", "bad: it exists already; --force replaces it"),
        (2, "corrupt good --edit raise-the-version -o good", "good"),
        (2, "corrupt missing --edit raise-the-version -o new", "missing"),
        (1, "corrupt bad --edit raise-the-version -o new", "expected version 4, 5 or 6"),
        (2, "corrupt good --edit raise-the-version new", "unexpected argument 'new'"),
        (2, "corrupt --list --format other", "'other' for '--format <FORMAT>': expected phd, hprof or classic"),
        (2, "corrupt --list --format phd6", "'phd6' for '--format <FORMAT>': expected phd, hprof or classic"),
    ] {
        let (_, message) = bench.expect(code, arguments);
        assert!(message.contains(part), "{arguments}: {message}");
    }
    assert!(!bench.path("new").exists());
}

/// These dumps are valid and unusual: where the plain ones break a rule, they keep it.
#[test]
fn refuses_edit_that_breaks_no_rule() {
    let bench = Bench::with("phd6");
    let corpus = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("corpus");
    for (dump, edit, rule) in [
        ("classic/spelled/classic-spelled-total-without-classes.txt", "misstate-the-total", "classic.trailer.total"),
        ("hprof/spelled/hprof-spelled-no-end.hprof", "add-an-end", "hprof.segment.end-alone"),
    ] {
        fs::copy(corpus.join(dump), bench.path("dump")).unwrap_or_else(|e| panic!("{dump}: {e}"));
        let (_, message) = bench.expect(2, &format!("corrupt dump --edit {edit} -o new"));
        assert!(message.contains(&format!("the edit {edit} does not break {rule}")), "{message}");
    }
    assert!(!bench.path("new").exists());
}
