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
    let report = "breaks hprof.header.version at offset 0xd: sets version 1.0.4\n\
                  reading stops; a tolerant reader still delivers the 0 records before the damage\n";
    let (stdout, _) = bench.expect(0, "corrupt good --edit raise-the-version -o bad");
    assert_eq!(String::from_utf8_lossy(&stdout), report);
    let (dump, stderr) = bench.expect(0, "corrupt good --edit raise-the-version -o -");
    assert_eq!(stderr, report);
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

/// Two strings of HPROF, the second of 3 bytes, and no heap.
const STRINGS: &[u8] = b"JAVA PROFILE 1.0.2\0\0\0\0\x04\0\0\0\0\0\0\0\0\
    \x01\0\0\0\0\0\0\0\x05\0\0\0\x01a\
    \x01\0\0\0\0\0\0\0\x07\0\0\0\x02abc";

#[test]
fn edits_chosen_record_and_says_what_is_broken() {
    let bench = Bench::with("phd6");
    fs::write(bench.path("strings"), STRINGS).expect("writable");
    for (choice, done) in [("--record 1", 45), ("--at 0x30", 45), ("--record 0", 31)] {
        let (text, _) =
            bench.expect(0, &format!("corrupt strings {choice} --edit add-an-unknown-record --force -o bad"));
        let record = u64::from(done == 45);
        let expected = format!(
            "breaks hprof.record.unknown-tag at offset {done:#x}: add-an-unknown-record in record {record} (STRING IN UTF8, offset \
             {done:#x})\nreading does not stop; a tolerant reader still delivers all 3 records\n"
        );
        assert_eq!(String::from_utf8_lossy(&text), expected);
        assert_eq!(fs::read(bench.path("bad")).expect("written")[done], 0x2a);
    }
    // The file ends inside of what follows the length then, which is read in one go.
    let told = report(&bench.expect(0, "corrupt strings --record 1 --edit set-a-length --json --force -o bad").0);
    let (offset, summary) = (45 + 9, told["edits"][0]["summary"].as_str().expect("text"));
    assert_eq!(summary, "sets length at offset 0x32 to 8, which was 7, in record 1 (STRING IN UTF8, offset 0x2d)");
    let expected = serde_json::json!({ "schema": 2, "edits": [{
        "format": "hprof", "name": "set-a-length", "rule": "hprof.file.truncated", "severity": "error",
        "summary": summary, "takes_record": true, "offset": offset, "record": 1, "stops": true, "records_due": 1,
    }]});
    assert_eq!(told, expected);
    let listed = report(&bench.expect(0, "corrupt --list --json --format phd").0);
    assert_eq!(listed["record_edits"].as_array().map(Vec::len), Some(4), "{listed}");
}

#[test]
fn refuses_place_that_breaks_nothing_or_is_not_there() {
    let bench = Bench::with("phd6");
    fs::write(bench.path("strings"), STRINGS).expect("writable");
    for (arguments, part) in [
        (
            "--edit cut-after-a-record --record 0",
            "the edit cut-after-a-record breaks no rule in strings: it ends the file after record 0 (STRING IN UTF8, offset 0x1f), \
             and the dump stays valid; choose another value or record",
        ),
        (
            "--edit cut-after-a-record --record 2",
            "strings: there is no record 2: the dump has records 0 to 1; the nearest is",
        ),
        (
            "--edit cut-after-a-record --at 61",
            "after the end of the dump, which has 61 (0x3d) bytes; the nearest is record 1",
        ),
        ("--edit cut-after-a-record --at x", "hexadecimal after 0x"),
        ("--edit cut-after-a-record --at 1 --record 1", "cannot be used with"),
        ("--edit raise-the-version --at 40", "acts on the header or on the whole file"),
        (
            "--edit lengthen-a-record --at 40",
            "record 0 (STRING IN UTF8, offset 0x1f) has no record, field or value of the kind",
        ),
    ] {
        let (_, message) = bench.expect(2, &format!("corrupt strings {arguments} -o new"));
        assert!(message.contains(part), "{arguments}: {message}");
    }
    assert!(!bench.path("new").exists());
}
