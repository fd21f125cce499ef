//! The command `digest`: what it prints, exit codes, and two parties that compare theirs.

use std::fs;
use std::io::Write;
use std::process::{Command, Stdio};

use assert_cmd::cargo::CommandCargoExt;
use pretty_assertions::assert_eq;
use serde_json::Value as Json;
use tempfile::TempDir;

use super::schema::Schema;

struct Bench(TempDir);

struct Ran {
    code: i32,
    stdout: String,
    stderr: String,
}

impl Bench {
    /// A PHD, the same heap in another order, and the listings of both.
    fn new() -> Bench {
        let bench = Bench(tempfile::tempdir().expect("a temporary folder"));
        bench.ok(&["generate", "--format", "phd6", "--seed", "5", "--objects", "300", "-o", "good.phd"]);
        bench.ok(&["decode", "good.phd", "-o", "good.jsonl"]);
        bench
    }

    fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.0.path().join(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
    }

    fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        fs::write(self.0.path().join(name), bytes).expect("writable");
    }

    fn run_with(&self, arguments: &[&str], input: &[u8]) -> Ran {
        let mut command = Command::cargo_bin("heapsmith").expect("built");
        command.args(arguments).current_dir(self.0.path());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut running = command.spawn().expect("started");
        // A program that does not read its input may be gone already.
        let _ = running.stdin.take().expect("piped").write_all(input);
        let ended = running.wait_with_output().expect("ended");
        let text = |bytes| String::from_utf8(bytes).expect("text");
        Ran { code: ended.status.code().unwrap_or(-1), stdout: text(ended.stdout), stderr: text(ended.stderr) }
    }

    fn run(&self, arguments: &[&str]) -> Ran {
        self.run_with(arguments, b"")
    }

    fn ok(&self, arguments: &[&str]) -> String {
        let ran = self.run(arguments);
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{arguments:?}");
        ran.stdout
    }

    fn json(&self, arguments: &[&str]) -> Json {
        serde_json::from_str(&self.ok(arguments)).expect("JSON")
    }

    /// The heap with one line of its listing changed.
    fn write_changed(&self, from: &str, to: &str) {
        let listing = String::from_utf8(self.read("good.jsonl")).expect("text");
        assert_eq!(listing.matches(from).count(), 1, "{from}");
        self.write("changed.jsonl", listing.replace(from, to));
    }
}

#[test]
fn a_dump_its_listing_and_standard_input_have_one_digest() {
    let bench = Bench::new();
    let expected = bench.ok(&["digest", "good.phd", "--by-facet", "--buckets"]);
    assert_eq!(expected.lines().filter(|line| line.starts_with("bucket ")).count(), 256);
    assert_eq!(bench.ok(&["digest", "good.jsonl", "--by-facet", "--buckets"]), expected);
    for name in ["good.phd", "good.jsonl"] {
        let piped = bench.run_with(&["digest", "-", "--by-facet", "--buckets"], &bench.read(name));
        assert_eq!((piped.code, piped.stdout), (0, expected.clone()), "{name}");
    }
}

#[test]
fn two_formats_have_same_digest_over_common_facets() {
    let bench = Bench::new();
    bench.ok(&["generate", "--format", "hprof", "--seed", "5", "--objects", "40", "-o", "all.hprof"]);
    bench.ok(&["decode", "all.hprof", "-o", "all.jsonl"]);
    let written = bench.run(&["encode", "all.jsonl", "--format", "phd6", "-o", "all.phd"]);
    let warns = written.stderr.starts_with("warning: not written, since phd6/openj9 does not record it: ");
    assert!(written.code == 0 && warns, "{}", written.stderr);
    let facets = ["--facets", "address,kind,superclass,references,array-length"];
    let digest = |name: &str| bench.ok(&[&["digest", name][..], &facets].concat());
    let (hprof, phd) = (digest("all.hprof"), digest("all.phd"));
    assert_eq!(hprof.lines().next(), phd.lines().next());
    let of = |name: &str| bench.json(&["digest", "--json", name])["digest"].clone();
    assert_ne!(of("all.hprof"), of("all.phd"));
}

#[test]
fn a_difference_is_narrowed_down_to_an_address() {
    let bench = Bench::new();
    let listing = String::from_utf8(bench.read("good.jsonl")).expect("text");
    let line = listing.lines().find(|line| line.contains(r#""kind":"primitive-array""#)).expect("an array");
    let line: Json = serde_json::from_str(line).expect("JSON");
    let address = line["address"].as_str().expect("an address");
    let told = format!(r#""address":"{address}","record":{}"#, line["record"]);
    let length = format!(r#""length":{}"#, line["length"]);
    let whole = listing.lines().find(|line| line.contains(&told)).expect("the line");
    bench.write_changed(whole, &whole.replace(&length, r#""length":12345"#));

    bench.write("theirs.json", bench.ok(&["digest", "good.phd", "--json", "--buckets", "--by-facet"]));
    let same = bench.run(&["digest", "good.jsonl", "--against", "theirs.json"]);
    assert_eq!((same.code, same.stdout.lines().last()), (0, Some("equal")));
    let other = bench.run(&["digest", "changed.jsonl", "--against", "theirs.json", "--json"]);
    assert_eq!(other.code, 1);
    let report: Json = serde_json::from_str(&other.stdout).expect("JSON");
    let buckets = report["against"]["buckets"].as_array().expect("buckets");
    assert_eq!(buckets.len(), 1, "{buckets:?}");
    assert_eq!(report["against"]["by_facet"], serde_json::json!(["array-length"]));

    let bucket = buckets[0].to_string();
    bench.write("theirs.json", bench.ok(&["digest", "good.phd", "--json", "--bucket", &bucket]));
    let other = bench.run(&["digest", "changed.jsonl", "--against", "theirs.json"]);
    assert_eq!((other.code, other.stderr.as_str()), (1, ""));
    assert!(other.stdout.ends_with(&format!("different\n  addresses: {address}\n")), "{}", other.stdout);
    let listed = bench.ok(&["digest", "good.phd", "--bucket", &bucket]);
    assert!(listed.contains(&format!("\n0x{:0>16}  entry  ", &address[2..])), "{listed}");
}

#[test]
fn reports_follow_the_published_schema() {
    let bench = Bench::new();
    let schema = Schema::new(bench.json(&["schema", "digest"]));
    bench.write("theirs.json", bench.ok(&["digest", "good.phd", "--json", "--bucket", "3"]));
    let all = ["--json", "--buckets", "--by-facet", "--against", "theirs.json"];
    for report in
        [bench.json(&[&["digest", "good.phd"][..], &all].concat()), bench.json(&["digest", "good.phd", "--json"])]
    {
        assert_eq!(schema.error(&report), None, "{report}");
    }
}

#[test]
fn refuses_impossible_digest_options_with_reason() {
    let bench = Bench::new();
    bench.write("cut.phd", &bench.read("good.phd")[..2000]);
    bench.write("no.json", "{}");
    let of_order = r#"{"schema":1,"facets":["record-order"],"classes":0,"objects":0,"digest":"D","surroundings":"D"}"#;
    bench.write("order.json", of_order.replace('D', &"0".repeat(64)));
    bench.write("newer.json", of_order.replace('D', &"0".repeat(64)).replace(":1,", ":5,"));
    for (arguments, code, part) in [
        (&["digest", "good.phd", "--facets", "record-order"][..], 2, "does not depend on"),
        (&["digest", "good.phd", "--facets", "no-such"], 2, "unknown facet"),
        (&["digest", "good.phd", "--bucket", "256"], 2, "256"),
        (&["digest", "good.phd", "--heap", "1"], 2, "there is no heap 1"),
        (&["digest", "none.phd"], 2, "none.phd"),
        (&["digest", "cut.phd"], 1, "offset"),
        (&["digest", "good.phd", "--against", "none.json"], 2, "none.json"),
        (&["digest", "good.phd", "--against", "no.json"], 2, "expected a digest"),
        (&["digest", "good.phd", "--against", "order.json"], 2, "does not depend on"),
        (&["digest", "good.phd", "--against", "newer.json"], 2, "its schema is 5"),
    ] {
        let ran = bench.run(arguments);
        assert_eq!((ran.code, ran.stdout.as_str()), (code, ""), "{arguments:?}: {}", ran.stderr);
        assert!(ran.stderr.contains(part), "{arguments:?}: {}", ran.stderr);
    }
    let silent = bench.ok(&["digest", "good.phd", "--facets", "roots,kind"]);
    assert!(silent.contains("\nfacets        kind\nnot recorded  roots\n"), "{silent}");
}
