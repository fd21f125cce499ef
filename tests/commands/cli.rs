//! The command line: exit codes, messages, and what happens to files.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use assert_cmd::cargo::CommandCargoExt;
use heapsmith::corpus::cases;
use heapsmith::phd::lower::PROFILES;
use pretty_assertions::assert_eq;
use tempfile::TempDir;

use super::schema::Schema;

/// A folder to work in, with a small dump in it.
struct Bench(TempDir);

impl Bench {
    fn new() -> Bench {
        let bench = Bench(tempfile::tempdir().expect("a temporary folder"));
        bench.run(&["generate", "--format", "phd6", "--seed", "5", "--objects", "60", "-o", "good.phd"]).ok();
        bench
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
    }

    fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        fs::write(self.path(name), bytes).expect("writable");
    }

    fn files(&self) -> Vec<String> {
        let entries = fs::read_dir(self.0.path()).expect("readable").filter_map(Result::ok);
        let mut names: Vec<String> = entries.map(|e| e.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::cargo_bin("heapsmith").expect("built");
        command.args(arguments).current_dir(self.0.path());
        command
    }

    fn run(&self, arguments: &[&str]) -> Ran {
        Ran(self.command(arguments).output().expect("started"), arguments.join(" "))
    }
}

struct Ran(Output, String);

impl Ran {
    fn code(&self) -> i32 {
        self.0.status.code().unwrap_or(-1)
    }

    fn stdout(&self) -> String {
        String::from_utf8_lossy(&self.0.stdout).into_owned()
    }

    fn stderr(&self) -> String {
        String::from_utf8_lossy(&self.0.stderr).into_owned()
    }

    fn ok(self) -> Ran {
        assert_eq!(self.code(), 0, "{}: {}{}", self.1, self.stdout(), self.stderr());
        self
    }

    /// Fails with this code and one message that has all of these parts.
    fn fails(self, code: i32, parts: &[&str]) -> Ran {
        assert_eq!(self.code(), code, "{}: {}{}", self.1, self.stdout(), self.stderr());
        let message = self.stderr();
        for part in parts {
            assert!(message.contains(part), "{}: expected {part:?} in {message:?}", self.1);
        }
        assert_eq!(message.lines().count(), 1, "{}: one message: {message:?}", self.1);
        assert!(!message.contains('\u{1b}'), "no colour where there is no terminal");
        self
    }
}

#[test]
fn the_same_recipe_gives_the_same_bytes_and_another_seed_gives_others() {
    let bench = Bench::new();
    for profile in PROFILES {
        for version in profile.versions {
            let format = format!("phd{}", version.number());
            let make = |seed| {
                let arguments = ["generate", "--format", &format, "--profile", profile.name, "--seed", seed];
                bench.run(&arguments).ok().0.stdout
            };
            assert_eq!(make("1"), make("1"), "{}", profile.name);
            assert_ne!(make("1"), make("2"), "{}", profile.name);
        }
    }
}

#[test]
fn a_dump_decodes_to_a_listing_that_encodes_to_the_same_dump() {
    let bench = Bench::new();
    for (format, profile) in [
        ("phd4", "j9-2.3"),
        ("phd4", "sovereign"),
        ("phd5", "j9-2.4"),
        ("phd5", "j9-2.6"),
        ("phd6", "openj9"),
        ("phd6", "jdmpview"),
    ] {
        for word in ["32", "64"] {
            let stem = format!("{format}-{profile}-{word}");
            let [dump, listing, again] = ["phd", "jsonl", "again"].map(|suffix| format!("{stem}.{suffix}"));
            bench.run(&["generate", "--format", format, "--profile", profile, "--word", word, "-o", &dump]).ok();
            bench.run(&["decode", &dump, "-o", &listing]).ok();
            let head = String::from_utf8(bench.read(&listing)).expect("text");
            assert!(head.lines().next().is_some_and(|l| l.contains(&format!("\"profile\":\"{profile}\""))), "{stem}");
            bench.run(&["encode", &listing, "--format", format, "-o", &again]).ok();
            assert!(bench.read(&dump) == bench.read(&again), "{stem}");
            bench.run(&["compare", &dump, &listing]).ok();
        }
    }
}

#[test]
fn rewriting_through_records_is_the_identity_for_every_readable_case_of_the_corpus() {
    let bench = Bench::new();
    for case in cases().expect("recipes work") {
        let file = case.file();
        bench.write(&file, &case.bytes);
        let ran = bench.run(&["rewrite", &file, "-o", "out", "--through", "records", "--force"]);
        if ran.code() == 0 && !case.bytes.starts_with(&[0x1f, 0x8b]) {
            assert!(bench.read("out") == case.bytes, "{}", case.id);
        }
        let readable =
            case.breaks.is_none_or(|(rule, _)| !heapsmith::validate::rule(rule).is_some_and(|rule| rule.stops));
        assert_eq!(ran.code() == 0, readable, "{}: {}", case.id, ran.stderr());
    }
}

#[test]
fn rewriting_through_the_heap_recognises_the_writer() {
    let bench = Bench::new();
    bench.run(&["rewrite", "good.phd", "-o", "again.phd", "--through", "heap"]).ok();
    assert!(bench.read("good.phd") == bench.read("again.phd"));
    bench.run(&["generate", "--format", "phd6", "--profile", "any", "--seed", "9", "-o", "any.phd"]).ok();
    let warned = bench.run(&["rewrite", "any.phd", "-o", "plain.phd", "--through", "heap"]).ok();
    assert!(warned.stderr().contains("no profile reproduces this dump's bytes; it is written as openj9"));
    bench.run(&["compare", "any.phd", "plain.phd", "--leave-out", "record-order,hash-randoms,header-totals"]).ok();
}

#[test]
fn bad_input_gives_one_clear_message_and_exit_code_1() {
    let bench = Bench::new();
    let good = bench.read("good.phd");
    let edited = |at: usize, byte: u8| {
        let mut bytes = good.clone();
        bytes[at] = byte;
        bytes
    };
    let mangled: Vec<u8> = good.iter().copied().filter(|&b| b != 0).collect();
    let inputs: [(&str, Vec<u8>, &[&str]); 8] = [
        ("empty", Vec::new(), &["offset 0 (0x0)", "expected a PHD (", "an HPROF dump (", "found an empty file"]),
        ("text", b"hello, world".to_vec(), &["offset 0", "expected a PHD", "hello, world"]),
        ("hprof", b"JAVA PROFILE 1.0.2\0\0\0\0\x08".to_vec(), &["time stamp, high word", "hprof.file.truncated"]),
        ("version", edited(23, 7), &["offset 20 (0x14)", "version 4, 5 or 6", "found 7"]),
        ("mangled", mangled, &["text-mode transfer", "binary mode"]),
        ("tag", edited(58, 9), &["offset 58 (0x3a)", "record 0", "the reserved tag 0x09"]),
        ("cut", good[..good.len() - 9].to_vec(), &["then the end of the data", "record "]),
        ("gz", [b"\x1f\x8b\x08\0\0\0\0\0\0\x03".as_slice(), &good[..50]].concat(), &["file.truncated"]),
    ];
    assert_eq!(good[58] & 0xc0, 0x00, "the first record begins at 58: a long one");
    for (name, bytes, parts) in inputs {
        bench.write(name, &bytes);
        bench.run(&["decode", name]).fails(1, parts);
        bench.run(&["inspect", name]).fails(1, parts);
        bench.run(&["rewrite", name, "-o", "out", "--through", "records"]).fails(1, parts);
        bench.run(&["rewrite", name, "-o", "out", "--through", "heap"]).fails(1, parts);
        let validated = bench.run(&["validate", name]);
        assert_eq!((validated.code(), validated.stderr()), (1, String::new()), "{name}");
        assert!(validated.stdout().contains("not valid"), "{name}: {}", validated.stdout());
        // The input is untouched, and there is no output, whole or half.
        assert!(bench.read(name) == bytes);
    }
    assert!(!bench.files().iter().any(|f| f == "out" || f.starts_with(".heapsmith")), "{:?}", bench.files());
}

#[test]
fn exits_with_2_for_usage_and_io_errors() {
    let bench = Bench::new();
    fs::create_dir(bench.path("folder")).expect("creatable");
    for command in ["decode", "inspect", "validate"] {
        // What `validate` does with a folder: manners.rs.
        let said = if command == "validate" { "no file in this folder begins like a dump" } else { "directory" };
        bench.run(&[command, "folder"]).fails(2, &["folder", said]);
        bench.run(&[command, "absent"]).fails(2, &["reading absent", "No such file"]);
    }
    bench.run(&["generate", "--format", "phd6", "-o", "good.phd"]).fails(2, &["good.phd", "exists", "--force"]);
    bench.run(&["generate", "--format", "phd6", "-o", "folder"]).fails(2, &["folder", "directory"]);
    bench.run(&["generate", "--format", "phd6", "-o", "absent/x.phd"]).fails(2, &["absent/x.phd"]);
    bench
        .run(&["generate", "--format", "phd6", "--profile", "j9-2.3", "-o", "x"])
        .fails(2, &["j9-2.3 is a profile of phd4"]);
    bench
        .run(&["generate", "--format", "phd6", "--profile", "hotspot", "-o", "x"])
        .fails(2, &["choose one of openj9, jdmpview"]);
    bench
        .run(&["rewrite", "good.phd", "-o", "good.phd", "--through", "records", "--force"])
        .fails(2, &["is the input"]);
    bench.run(&["check", "--decoder", "parser"]).fails(2, &["{}"]);
    bench.run(&["check", "--decoder", "absent-parser {}"]).fails(2, &["running absent-parser"]);
    assert_eq!(bench.run(&["generate", "--format", "phd7"]).code(), 2);
    assert_eq!(bench.run(&["frobnicate"]).code(), 2);
    let before = bench.read("good.phd");
    bench.run(&["generate", "--format", "phd6", "--force", "-o", "good.phd"]).ok();
    assert!(bench.read("good.phd") != before, "--force replaces");
    assert_eq!(bench.files(), ["folder", "good.phd"]);
}

#[test]
fn several_files_are_validated_even_if_one_cannot_be_read() {
    let bench = Bench::new();
    bench.write("bad.phd", b"bad");
    let ran = bench.run(&["validate", "absent", "good.phd", "bad.phd"]);
    assert_eq!(ran.code(), 2);
    assert!(
        ran.stdout().contains("good.phd: valid") && ran.stdout().contains("bad.phd: not valid"),
        "{}",
        ran.stdout()
    );
}

#[test]
fn a_missing_end_is_a_warning_everywhere() {
    let bench = Bench::new();
    let good = bench.read("good.phd");
    bench.write("endless.phd", &good[..good.len() - 1]);
    let decoded = bench.run(&["decode", "endless.phd"]).ok();
    assert!(decoded.stderr().starts_with("warning: endless.phd: offset "), "{}", decoded.stderr());
    assert_eq!(
        decoded.stdout().lines().skip(1).collect::<Vec<_>>(),
        bench.run(&["decode", "good.phd"]).ok().stdout().lines().skip(1).collect::<Vec<_>>()
    );
    bench.run(&["rewrite", "endless.phd", "-o", "again.phd", "--through", "records"]).ok();
    assert!(bench.read("again.phd") == bench.read("endless.phd"));
    bench.run(&["validate", "endless.phd"]).ok();
    assert_eq!(bench.run(&["validate", "--strict", "endless.phd"]).code(), 1);
}

#[test]
fn sound_prefix_lists_damaged_dump_and_exits_with_1() {
    let bench = Bench::new();
    let good = bench.read("good.phd");
    bench.write("cut.phd", &good[..good.len() / 2]);
    let ran = bench.run(&["decode", "--sound-prefix", "cut.phd"]).fails(1, &["then the end of the data"]);
    let whole = bench.run(&["decode", "good.phd"]).ok().stdout();
    let listed: Vec<String> = ran.stdout().lines().skip(1).map(str::to_owned).collect();
    assert!(listed.len() > 10 && listed.len() < whole.lines().count());
    assert!(listed.iter().all(|line| whole.contains(line.as_str())));
}

#[test]
fn compressed_dumps_and_standard_input_are_read_like_any_other() {
    let bench = Bench::new();
    let gz = cases().expect("recipes work").into_iter().find(|c| c.id == "phd6-compressed").expect("the case");
    // Told by its first bytes, whatever its name.
    bench.write("dump.phd", &gz.bytes);
    bench.run(&["validate", "dump.phd"]).ok();
    bench.run(&["rewrite", "dump.phd", "-o", "plain.phd", "--through", "records"]).ok();
    bench.run(&["compare", "dump.phd", "plain.phd"]).ok();
    for name in ["dump.phd", "plain.phd"] {
        for arguments in [
            &["inspect", "-"][..],
            &["inspect", "--bytes", "-"],
            &["decode", "-"],
            &["validate", "-"],
            &["rewrite", "-", "-o", "-", "--through", "records"],
            &["rewrite", "-", "-o", "-", "--through", "heap"],
        ] {
            let input = fs::File::open(bench.path(name)).expect("readable");
            let output = bench.command(arguments).stdin(input).output().expect("started");
            assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
            assert!(!output.stdout.is_empty());
        }
    }
}

#[test]
#[cfg(target_os = "linux")]
fn reports_full_disk_and_leaves_no_partial_file() {
    let bench = Bench::new();
    let binary = Command::cargo_bin("heapsmith").expect("built").get_program().to_owned();
    let shell = |script: &str| {
        let output =
            Command::new("bash").args(["-c", script, "bash"]).arg(&binary).current_dir(bench.0.path()).output();
        let output = output.expect("bash");
        Ran(output, script.to_owned())
    };
    // A limit of 16 KiB to a file, with its signal ignored, fails like a disk that is full.
    for what in [
        "generate --format phd6 --objects 5000 -o big.phd",
        "rewrite large.phd -o big.phd --through heap",
        "rewrite large.phd -o big.phd --through records",
        "decode large.phd -o big.phd",
    ] {
        bench.run(&["generate", "--format", "phd6", "--objects", "3000", "-o", "large.phd", "--force"]).ok();
        shell(&format!("trap '' XFSZ; ulimit -f 16; exec \"$1\" {what}")).fails(2, &["File too large"]);
        assert_eq!(bench.files(), ["good.phd", "large.phd"], "{what}");
    }
    shell("exec \"$1\" decode good.phd > /dev/full").fails(2, &["No space left on device"]);
    shell("exec \"$1\" inspect good.phd > /dev/full").fails(2, &["No space left on device"]);
    shell("exec \"$1\" validate good.phd > /dev/full").fails(2, &["No space left on device"]);
}

#[test]
#[cfg(target_os = "linux")]
fn exits_quietly_when_reader_closes_pipe() {
    let bench = Bench::new();
    let binary = Command::cargo_bin("heapsmith").expect("built").get_program().to_owned();
    let script = "\"$1\" inspect --bytes big.phd | head -1 >/dev/null; echo ${PIPESTATUS[0]}";
    bench.run(&["generate", "--format", "phd6", "--objects", "5000", "-o", "big.phd"]).ok();
    let output = Command::new("bash").args(["-c", script, "bash"]).arg(&binary).current_dir(bench.0.path()).output();
    let output = output.expect("bash");
    assert_eq!(
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr)),
        ("0\n".into(), "".into())
    );
}

#[test]
fn demo_repeats_and_never_replaces_dumps_of_other_heap() {
    let bench = Bench::new();
    let first = bench.run(&["demo", "--objects", "50"]).ok().stdout();
    assert_eq!(first, bench.run(&["demo", "--objects", "50"]).ok().stdout());
    assert_eq!(first.matches("same heap").count(), 22);
    assert_eq!(first.matches("trap as intended").count(), 1);
    bench.run(&["demo", "--objects", "51"]).fails(2, &["exists", "--force"]);
    bench.run(&["demo", "--objects", "51", "--force"]).ok();
}

#[test]
fn json_reports_follow_their_published_schemas() {
    let bench = Bench::new();
    bench.write("bad.phd", &bench.read("good.phd")[..100]);
    fs::create_dir(bench.path("no-corpus")).expect("a folder");
    bench.write("no-corpus/manifest.json", b"{}");
    bench.run(&["generate", "--format", "phd6", "--seed", "6", "--objects", "60", "-o", "other.phd"]).ok();
    let known = ["generate", "--seed", "6", "--shape", "tree:2,3", "-o", "tree.hprof", "--answers", "known.json"];
    bench.run(&known).ok();
    bench.run(&["answers", "tree.hprof", "--entries", "entries.jsonl"]).ok();
    let text = |name: &str| String::from_utf8(bench.read(name)).expect("text");
    let reports = [
        ("answers", bench.run(&["answers", "--json", "tree.hprof"]).ok().stdout()),
        ("answers-entry", text("entries.jsonl")),
        ("generate-answers", text("known.json")),
        ("validate", bench.run(&["validate", "--json", "good.phd", "bad.phd"]).stdout()),
        ("compare", bench.run(&["compare", "--json", "good.phd", "other.phd"]).stdout()),
        ("digest", bench.run(&["digest", "--json", "good.phd", "--buckets", "--by-facet"]).ok().stdout()),
        ("inspect-record", bench.run(&["inspect", "--json", "good.phd"]).stdout()),
        ("inspect-field", bench.run(&["inspect", "--bytes", "--json", "good.phd"]).stdout()),
        ("inspect-field", bench.run(&["inspect", "--bytes", "--json", "bad.phd"]).stdout()),
        ("explain", bench.run(&["explain", "--json", "phd.header"]).ok().stdout()),
        ("verify", bench.run(&["verify", "--json", "good.phd", "--recipe", "heapsmith-2:preset=tiny"]).stdout()),
        ("spec-rule", bench.run(&["spec", "list", "--json", "--format", "phd"]).ok().stdout()),
        ("spec-coverage", bench.run(&["spec", "coverage", "--json"]).ok().stdout()),
        ("check", bench.run(&["check", "--json", "--decoder", "true {}", "--filter", "spelled"]).stdout()),
        ("adapter-test", bench.run(&["adapter", "test", "--json", "true"]).stdout()),
        ("corpus-verify", bench.run(&["corpus", "verify", "--json", "no-corpus"]).stdout()),
    ];
    let listing = bench.run(&["decode", "good.phd"]).stdout();
    let (head, lines) = listing.split_once('\n').expect("a head and lines");
    let listings = [("listing-head", head.to_owned()), ("listing-line", lines.to_owned())];
    let manifest = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus/manifest.json"));
    let manifest: serde_json::Value = serde_json::from_str(&manifest.expect("readable")).expect("JSON");
    let rest = [("manifest", manifest.to_string())];
    for (name, text) in reports.into_iter().chain(listings).chain(rest) {
        let schema = bench.run(&["schema", name]).ok().stdout();
        let schema = Schema::new(serde_json::from_str(&schema).expect("JSON"));
        assert!(!text.is_empty(), "{name}");
        for line in text.lines() {
            let value = serde_json::from_str(line).expect("JSON");
            assert_eq!(schema.error(&value), None, "{name}: {line}");
        }
    }
}

#[test]
fn a_failed_case_can_be_repeated_and_its_dump_kept() {
    let bench = Bench::new();
    let which = ["--random", "2", "--seed", "3", "--format", "phd", "--filter", "random", "--report", "kept"];
    let ran = bench.run(&[["check", "--decoder", "false {}", "--time-limit", "120"].as_slice(), &which].concat());
    assert_eq!(ran.code(), 1);
    let repeat = "repeat:   heapsmith check --decoder 'false {}' --random 2 --seed 3 --format phd --time-limit 120 --filter \
                  random-plain-3-000000";
    assert!(ran.stdout().contains(repeat), "{}", ran.stdout());
    let kept = |id: &str, file: &str| format!("kept/cases/false___/{id}/{file}");
    for id in ["random-plain-3-000000", "random-plain-3-000001"] {
        bench.run(&["validate", &kept(id, &format!("{id}.phd"))]).ok();
        bench.run(&["compare", &kept(id, &format!("{id}.phd")), &kept(id, "expected.jsonl")]).ok();
    }
}

#[test]
fn an_any_dump_rewritten_as_openj9_is_the_dump_that_openj9_writes_of_the_same_seed() {
    let bench = Bench::new();
    for (format, profile) in [("phd6", "openj9"), ("phd6", "jdmpview"), ("phd5", "j9-2.6")] {
        for seed in ["1", "2", "3"] {
            bench
                .run(&["generate", "--format", format, "--profile", "any", "--seed", seed, "-o", "any", "--force"])
                .ok();
            bench
                .run(&["generate", "--format", format, "--profile", profile, "--seed", seed, "-o", "own", "--force"])
                .ok();
            bench.run(&["rewrite", "any", "-o", "again", "--through", "heap", "--profile", profile, "--force"]).ok();
            assert!(bench.read("own") == bench.read("again"), "{profile}, seed {seed}");
        }
    }
}

#[test]
fn a_writer_is_recognised_from_standard_input_as_from_a_file() {
    let bench = Bench::new();
    bench.run(&["generate", "--format", "phd5", "--profile", "j9-2.4", "--seed", "3", "-o", "old.phd"]).ok();
    let fed = |arguments: &[&str]| {
        let input = fs::File::open(bench.path("old.phd")).expect("readable");
        bench.command(arguments).stdin(input).output().expect("started").stdout
    };
    assert!(fed(&["rewrite", "-", "-o", "-", "--through", "heap"]) == bench.read("old.phd"));
    assert!(fed(&["decode", "-"]) == bench.run(&["decode", "old.phd"]).ok().0.stdout);
}

/// A native writer in another order or with other hashes than its profile has is still that writer.
#[test]
fn rewrites_dump_of_unusual_writer_byte_for_byte() {
    let bench = Bench::new();
    // Version 6 with 16-bit hashes, classes last: class A, then nothing but what the native writer writes.
    let body = "40 0400 00001100 1234  06 40 0440 00000008 5678 00000000 0001 41 00000000 03";
    let header = "0012 706f727461626c65 2068656170 2064756d70 00000006 00000006 01 04 0000 02 02";
    let digits: Vec<u8> =
        format!("{header} 44{}", &body[2..]).chars().filter_map(|c| c.to_digit(16)).map(|d| d as u8).collect();
    let dump: Vec<u8> = digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect();
    bench.write("odd.phd", &dump);
    bench.run(&["validate", "odd.phd"]).ok();
    let ran = bench.run(&["rewrite", "odd.phd", "-o", "again.phd", "--through", "heap"]).ok();
    assert_eq!(ran.stderr(), "");
    assert!(bench.read("again.phd") == dump);
    bench.run(&["decode", "odd.phd", "-o", "odd.jsonl"]).ok();
    bench.run(&["encode", "odd.jsonl", "--format", "phd6", "-o", "encoded.phd"]).ok();
    assert!(bench.read("encoded.phd") == dump);
}

#[test]
fn another_word_size_keeps_the_recognised_writer() {
    let bench = Bench::new();
    bench.run(&["generate", "--format", "phd5", "--profile", "j9-2.4", "--word", "32", "-o", "old.phd"]).ok();
    bench.run(&["rewrite", "old.phd", "-o", "wide.phd", "--through", "heap", "--word", "64"]).ok();
    bench.run(&["compare", "old.phd", "wide.phd", "--leave-out", "word-size"]).ok();
    assert!(bench.run(&["decode", "wide.phd"]).ok().stdout().contains("\"profile\":\"j9-2.4\""));
}

#[test]
fn refuses_truncated_and_incomplete_listings() {
    let bench = Bench::new();
    let listing = bench.run(&["decode", "good.phd"]).ok().stdout();
    let lines: Vec<&str> = listing.lines().collect();
    let encode = |lines: &[&str], parts: &[&str]| {
        bench.write("changed.jsonl", lines.join("\n"));
        bench.run(&["encode", "changed.jsonl", "--format", "phd6", "-o", "out.phd"]).fails(1, parts);
    };
    encode(&lines[..lines.len() - 1], &["listing, line 1", "as the first line states"]);
    encode(&[&lines[..2], &lines[1..]].concat(), &["expected each record once"]);
    let without = |key: &str, line: &str| {
        let mut value: serde_json::Value = serde_json::from_str(line).expect("JSON");
        value.as_object_mut().expect("an object").remove(key).expect("the key");
        value.to_string()
    };
    let class = lines.iter().position(|line| line.contains("\"kind\":\"class\"")).expect("a class");
    for (key, parts) in [
        ("name", "expected a class's name"),
        ("record", "in every line or in none"),
        ("super", "the superclass of the object at"),
        ("refs", "what it refers to"),
    ] {
        let changed = without(key, lines[class]);
        let head = without("references", lines[0]);
        let mut all = lines.clone();
        (all[0], all[class]) = (&head, &changed);
        encode(&all, &[parts]);
    }
    bench.write("not.jsonl", b"\x00\x12portable");
    bench.run(&["encode", "good.phd", "--format", "phd6", "-o", "out.phd"]).fails(1, &["expected a listing"]);
    assert!(!bench.files().contains(&"out.phd".to_owned()));
}

#[test]
fn encode_works_out_sizes_that_a_listing_does_not_state() {
    let bench = Bench::new();
    let body = r#"
{"kind":"class","address":4096,"name":"java/lang/Object","super":0,"fields":[],"statics":[],"class_size":64}
{"kind":"class","address":4160,"name":"A","super":4096,"fields":[{"name":"n","type":"int"},{"name":"next","type":"object"},{"name":"b","type":"byte"}],"statics":[],"class_size":64}
{"kind":"class","address":4224,"name":"B","super":4160,"fields":[{"name":"d","type":"double"}],"statics":[{"name":"s","type":"char","value":"s"}],"class_size":64}
{"kind":"class","address":4288,"name":"[I","super":4096,"fields":[],"statics":[],"class_size":64}
{"kind":"object","address":8192,"class":4160,"values":[["int",-1],["object",8216],["byte",-1]]}
{"kind":"object","address":8216,"class":4224,"values":[["double",1.5],["int",7],["object",0],["byte",0]]}
{"kind":"primitive-array","address":8248,"element":"int","length":3,"contents":"000000010000000200000003"}
"#;
    // Per word size and format: the instance sizes of the three classes, and the sizes of the three objects.
    for (word, format, classes, objects) in [
        (64, "phd6", Some([8, 24, 32]), [None, None, Some(32)]),
        (64, "phd5", Some([8, 24, 32]), [None; 3]),
        (64, "hprof", Some([0, 13, 21]), [None; 3]),
        (64, "classic", None, [Some(24), Some(32), Some(32)]),
        (32, "phd6", Some([8, 16, 24]), [None, None, Some(24)]),
        (32, "hprof", Some([0, 9, 17]), [None; 3]),
        (32, "classic", None, [Some(16), Some(24), Some(24)]),
    ] {
        bench.write("sizes.jsonl", format!("{{\"listing\":1,\"word_size\":{word}}}{body}"));
        bench.run(&["encode", "sizes.jsonl", "--format", format, "-o", "sizes.dump", "--force"]).ok();
        let listing = bench.run(&["decode", "sizes.dump"]).ok().stdout();
        let lines: Vec<serde_json::Value> =
            listing.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        let number = |key: &str, of: &dyn Fn(&serde_json::Value) -> bool| {
            lines.iter().find(|line| of(line)).and_then(|line| line[key].as_u64())
        };
        let of_class = |name: &str| number("instance_size", &|line| line["name"] == name);
        let of_object = |address: &str| number("size", &|line| line["address"] == address);
        let found = ["java/lang/Object", "A", "B"].map(of_class);
        assert_eq!(found, classes.map_or([None; 3], |sizes| sizes.map(Some)), "{word} {format}: {listing}");
        assert_eq!(["0x2000", "0x2018", "0x2038"].map(of_object), objects, "{word} {format}: {listing}");
    }
    // Without the fields of a superclass nothing is known of it.
    let unknown = body.replace(
        r#""fields":[{"name":"n","type":"int"},{"name":"next","type":"object"},{"name":"b","type":"byte"}],"#,
        "",
    );
    bench.write("unknown.jsonl", format!("{{\"listing\":1}}{unknown}"));
    let ran = bench.run(&["encode", "unknown.jsonl", "--format", "phd6", "-o", "unknown.phd"]);
    ran.fails(1, &["the instance size of the object at 0x1040 is unknown"]);
}

#[test]
fn encode_reports_every_error_of_a_listing() {
    let bench = Bench::new();
    bench.write(
        "broken.jsonl",
        concat!(
            r#"{"listing":1,"word_size":64}"#,
            "\n",
            r#"{"kind":"class","address":4096,"name":"A","fields":[{"name":"n","type":"itn"}]}"#,
            "\n",
            r#"{"kind":"object","address":"0x1g","class":4096,"values":[["byte",300]]}"#,
            "\n",
        ),
    );
    let ran = bench.run(&["encode", "broken.jsonl", "--format", "hprof", "-o", "broken.hprof"]);
    assert_eq!(ran.code(), 1);
    let told = ran.stderr();
    let lines: Vec<&str> = told.lines().collect();
    let parts = [
        ["error: ", "line 2, key fields[0].type: ", "found \"itn\"; did you mean int"],
        ["    ", "line 3, key address: ", "found \"0x1g\""],
        ["    ", "line 3, key values[0]: ", "(-128 to 127; or its 8 bits like \"0x1f\"), found 300"],
    ];
    assert_eq!(lines.len(), parts.len(), "{told}");
    for (line, [start, place, message]) in lines.iter().zip(parts) {
        assert!(line.starts_with(start) && line.contains(place) && line.contains(message), "{line}");
    }
    assert!(!bench.files().contains(&"broken.hprof".to_owned()));
}

#[test]
fn a_compressed_dump_that_is_cut_short_is_refused_by_every_command() {
    let bench = Bench::new();
    let gz = cases().expect("recipes work").into_iter().find(|c| c.id == "phd6-compressed").expect("the case").bytes;
    for cut in [5, 12, gz.len() / 2] {
        bench.write("cut.gz", &gz[..gz.len() - cut]);
        for command in [
            &["decode", "cut.gz"][..],
            &["inspect", "cut.gz"],
            &["inspect", "--bytes", "cut.gz"],
            &["compare", "cut.gz", "good.phd"],
            &["rewrite", "cut.gz", "-o", "out", "--through", "heap"],
            &["rewrite", "cut.gz", "-o", "out", "--through", "records"],
        ] {
            bench.run(command).fails(1, &["gzip data"]);
        }
        assert_eq!(bench.run(&["validate", "cut.gz"]).code(), 1);
    }
}

#[test]
#[cfg(target_os = "linux")]
fn keeps_devices_pipes_and_links() {
    let bench = Bench::new();
    let shell = |script: &str| {
        let binary = Command::cargo_bin("heapsmith").expect("built").get_program().to_owned();
        let output =
            Command::new("bash").args(["-c", script, "bash"]).arg(&binary).current_dir(bench.0.path()).output();
        Ran(output.expect("bash"), script.to_owned())
    };
    shell("\"$1\" rewrite good.phd -o /dev/null --through records --force && test -c /dev/null").ok();
    shell(
        "mkfifo pipe && (cat pipe > read.phd & \"$1\" rewrite good.phd -o pipe --through records; wait) && test -p pipe",
    )
    .ok();
    assert!(bench.read("read.phd") == bench.read("good.phd"));
    shell("\"$1\" validate <(cat good.phd)").ok();
    bench.write("target.phd", b"old");
    shell("chmod 600 target.phd && ln -s target.phd link.phd").ok();
    bench.run(&["rewrite", "good.phd", "-o", "link.phd", "--through", "records"]).fails(2, &["exists"]);
    bench.run(&["rewrite", "good.phd", "-o", "link.phd", "--through", "records", "--force"]).ok();
    assert!(bench.path("link.phd").is_symlink() && bench.read("target.phd") == bench.read("good.phd"));
    shell("test $(stat -c %a target.phd) = 600").ok();
    shell("chmod 664 target.phd; umask 077; \"$1\" rewrite good.phd -o target.phd --through records --force").ok();
    shell("test $(stat -c %a target.phd) = 664").ok();
    shell("ln -s nowhere dangling.phd").ok();
    bench.run(&["rewrite", "good.phd", "-o", "dangling.phd", "--through", "records", "--force"]).fails(2, &["nowhere"]);
    shell("(head -c 10 <pipe >/dev/null &) ; \"$1\" generate --format phd6 --objects 50000 -o pipe")
        .fails(2, &["its reader has closed it"]);
    shell(
        "umask 077; \"$1\" rewrite good.phd -o private.phd --through records && test $(stat -c %a private.phd) = 600",
    )
    .ok();
}

#[test]
fn rewrite_warns_of_missing_end_tag_and_trailing_bytes() {
    let bench = Bench::new();
    let good = bench.read("good.phd");
    bench.write("endless.phd", &good[..good.len() - 1]);
    bench.write("longer.phd", [&good[..], b"tail"].concat());
    let warned = bench.run(&["rewrite", "endless.phd", "-o", "1.phd", "--through", "heap"]).ok().stderr();
    assert!(warned.contains("the end tag"), "{warned}");
    let warned = bench.run(&["rewrite", "longer.phd", "-o", "2.phd", "--through", "heap"]).ok().stderr();
    assert!(warned.contains("4 trailing bytes after the end tag"), "{warned}");
    assert!(bench.read("1.phd") == good && bench.read("2.phd") == good);
}

/// A chain of superclasses as long as the dump, and a cycle at its end: judged in a moment, not in
/// minutes.
#[test]
fn long_superclass_chains_are_judged_in_linear_time() {
    let bench = Bench::new();
    let classes = 60_000_u64;
    let lines = (0..classes).map(|n| {
        let (address, above) = (0x1000 + 8 * n, if n == 0 { 0 } else { 0x1000 + 8 * (n - 1) });
        format!("{{\"kind\":\"class\",\"address\":\"{address:#x}\",\"name\":\"A\",\"super\":\"{above:#x}\",\"instance_size\":8,\"refs\":[]}}\n")
    });
    bench.write("chain.jsonl", format!("{{\"listing\":1,\"word_size\":32}}\n{}", lines.collect::<String>()));
    bench.run(&["encode", "chain.jsonl", "--format", "phd5", "-o", "chain.phd"]).ok();
    bench.run(&["validate", "chain.phd"]).ok();
}

#[test]
fn a_rule_is_explained_with_the_titles_of_its_sources_and_the_bytes_of_cases() {
    let bench = Bench::new();
    let text = bench.run(&["explain", "phd.record.tag"]).ok().stdout();
    for part in [
        "phd.record.tag: a rule of the bytes (pass), breaking it is an error, nothing after it can be read then",
        "A record begins with a tag byte of 0x20 to 0xff",
        "source:      OpenJ9 documentation, \"Heap dump\": General structure, body, record tags",
        "versions:    4, 5, 6",
        "erratum:     E14: S0 leaves out tag 5",
        "broken by:   phd5-spelled-record-tag-00",
        "phd5-spelled-record-tag-00 breaks: a record with the tag 00",
        "> 00000025  00 ",
        "phd6-openj9-64 keeps: ",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let one: serde_json::Value =
        serde_json::from_str(&bench.run(&["explain", "--json", "phd.record.tag"]).ok().stdout()).expect("JSON");
    assert_eq!((&one["schema"], &one["severity"], &one["stops"]), (&1.into(), &"error".into(), &true.into()));
    assert_eq!(one["sources"][0]["title"], "OpenJ9 documentation, \"Heap dump\"");
    assert_eq!(one["cases"]["breaks"][0], "phd5-spelled-record-tag-00");
    let place: Vec<&serde_json::Value> = one["examples"][0]["fields"]
        .as_array()
        .expect("fields")
        .iter()
        .filter(|field| field["place"] == true)
        .collect();
    assert_eq!((place.len(), &place[0]["offset"], &place[0]["bytes"]), (1, &0x25.into(), &"00".into()));
}

/// Findings of these rules stand at the first byte of a record.
#[test]
fn a_rule_of_the_graph_is_explained_at_the_field_that_breaks_it() {
    let bench = Bench::new();
    for (rule, broken, kept) in [
        (
            "phd.graph.class-word",
            "> 000000d0  0000000000100084                  class word ",
            "> 00000077  00001000                          class word ",
        ),
        ("phd.graph.superclass-cycle", "                superclass word ", "                superclass word "),
    ] {
        let text = bench.run(&["explain", rule]).ok().stdout();
        let (of_broken, of_kept) = text.split_once(" keeps: ").expect("both");
        for (part, place) in [(of_broken, broken), (of_kept, kept)] {
            let marked: Vec<&str> = part.lines().filter(|line| line.starts_with("> ")).collect();
            assert!(matches!(marked[..], [line] if line.contains(place)), "{rule}: {marked:?}");
        }
    }
}

#[test]
fn lists_rules_by_id_prefix_and_suggests_nearest_id() {
    let bench = Bench::new();
    let listed = bench.run(&["explain", "phd.header"]).ok().stdout();
    assert!(listed.lines().skip(1).all(|line| line.starts_with("phd.header.")), "{listed}");
    assert!(listed.contains("phd.header.magic"), "{listed}");
    let all = bench.run(&["explain", "--list"]).ok().stdout();
    let hprof = bench.run(&["explain", "--list", "hprof"]).ok().stdout();
    assert!(all.contains("classic.file.encoding") && all.contains("hprof.header.magic"), "{all}");
    assert!(hprof.lines().skip(1).all(|line| line.starts_with("hprof.")), "{hprof}");
    bench.run(&["explain", "phd.recrd.tag"]).fails(2, &["unknown rule \"phd.recrd.tag\"", "phd.record.tag", "--list"]);
    assert_eq!(bench.run(&["explain"]).code(), 2);
    assert_eq!(bench.run(&["explain", "--list", "elf"]).code(), 2);
}

#[test]
fn lists_rules_by_format_and_kind_and_searches_words() {
    let bench = Bench::new();
    let ids = |arguments: &[&str]| -> Vec<String> {
        let text = bench.run(&[&["spec"], arguments].concat()).ok().stdout();
        text.lines().skip(1).filter_map(|line| line.split_whitespace().next()).map(str::to_owned).collect()
    };
    let all = ids(&["list"]);
    let of_kinds = ["bytes", "reader", "writer"].map(|kind| ids(&["list", "--kind", kind]));
    assert_eq!(all.len(), of_kinds.iter().map(Vec::len).sum::<usize>());
    let hprof = ids(&["list", "--format", "hprof", "--kind", "bytes"]);
    assert!(hprof.iter().all(|id| id.starts_with("hprof.")) && hprof.contains(&"hprof.root.dangling".to_owned()));
    assert!(!hprof.contains(&"hprof.root.layout".to_owned()), "it is a reader's");
    // In the id, the statement, what documents say, and the source, in upper or lower case.
    assert_eq!(ids(&["search", "ROUND-robin"]), ["phd.class-cache.round-robin"]);
    assert_eq!(ids(&["search", "four slots", "cache"]), ["phd.class-cache.round-robin"]);
    assert!(ids(&["search", "0917"]).contains(&"phd.primitive-array.reader-0917".to_owned()));
    assert_eq!(ids(&["search", "apar", "missing"]), ["classic.class.missing-statics"]);
    let json = bench.run(&["spec", "search", "--json", "round-robin"]).ok().stdout();
    let rule: serde_json::Value = serde_json::from_str(&json).expect("one line");
    let statements: Vec<&str> =
        rule["statements"].as_array().expect("a list").iter().filter_map(|s| s.as_str()).collect();
    assert!(statements.contains(&"S0, Object records, 1 Short object record, 4"), "{statements:?}");
    let none = bench.run(&["spec", "search", "round-robin", "trailer"]);
    assert_eq!((none.code(), none.stdout().as_str()), (1, "no rule has all of these words: round-robin trailer\n"));
    for (option, value, parts) in
        [("--format", "elf", ["phd", "hprof", "classic"]), ("--kind", "byte", ["bytes", "reader", "writer"])]
    {
        let refused = bench.run(&["spec", "list", option, value]);
        let message = refused.stderr();
        assert!(refused.code() == 2 && parts.iter().all(|part| message.contains(part)), "{message}");
    }
}

#[test]
fn coverage_is_measured_for_each_format_and_what_is_exempt_has_a_reason() {
    let bench = Bench::new();
    let text = bench.run(&["spec", "coverage", "--format", "phd", "--exempt"]).ok().stdout();
    assert!(text.starts_with("phd ") && !text.contains("missing"), "{text}");
    assert!(text.contains("kinds of record in which a case breaks a rule"), "{text}");
    assert!(text.contains("S1, general structure, 7, 11: they are lost"), "{text}");
    let json = bench.run(&["spec", "coverage", "--format", "classic", "--json"]).ok().stdout();
    let coverage: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!((&coverage["complete"], coverage["formats"].as_array().map(Vec::len)), (&true.into(), Some(1)));
}
