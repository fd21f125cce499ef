//! The command line with classic text.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use assert_cmd::cargo::CommandCargoExt;
use pretty_assertions::assert_eq;
use tempfile::TempDir;

struct Bench(TempDir);

struct Ran {
    code: i32,
    stdout: Vec<u8>,
    stderr: String,
}

impl Bench {
    fn new() -> Bench {
        Bench(tempfile::tempdir().expect("a temporary folder"))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
    }

    fn run(&self, arguments: &[&str]) -> Ran {
        self.run_with(arguments, b"")
    }

    fn run_with(&self, arguments: &[&str], input: &[u8]) -> Ran {
        let mut command = Command::cargo_bin("heapsmith").expect("built");
        command.args(arguments).current_dir(self.0.path());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("started");
        let mut stdin = child.stdin.take().expect("piped");
        let bytes = input.to_vec();
        // It may end before it has read all.
        let writer = std::thread::spawn(move || drop(stdin.write_all(&bytes)));
        let output = child.wait_with_output().expect("it ends");
        writer.join().expect("written");
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        Ran { code: output.status.code().unwrap_or(-1), stdout: output.stdout, stderr }
    }

    fn ok(&self, arguments: &[&str]) -> Vec<u8> {
        let ran = self.run(arguments);
        assert_eq!(ran.code, 0, "{arguments:?}: {}", ran.stderr);
        ran.stdout
    }

    fn generate(&self, profile: &str, word: &str, (encoding, newline): (&str, &str), name: &str) {
        self.ok(&[
            "generate",
            "--format",
            "classic",
            "--profile",
            profile,
            "--word",
            word,
            "--encoding",
            encoding,
            "--newline",
            newline,
            "--seed",
            "5",
            "--objects",
            "60",
            "-o",
            name,
        ]);
    }
}

const WRITERS: [&str; 3] = ["openj9", "ibm-j9", "jdmpview"];

const ENCODINGS: [(&str, &str); 8] = [
    ("utf-8", "lf"),
    ("utf-8", "crlf"),
    ("ibm-1047", "nel"),
    ("ibm-1047", "lf"),
    ("ibm-1047", "crlf"),
    ("ibm-037", "nel"),
    ("ibm-037", "lf"),
    ("ibm-037", "crlf"),
];

#[test]
fn a_dump_decodes_to_a_listing_that_encodes_to_the_same_dump() {
    let bench = Bench::new();
    for profile in WRITERS {
        for (encoding, newline) in [ENCODINGS[0], ENCODINGS[1], ENCODINGS[2], ENCODINGS[7]] {
            for word in ["32", "64"] {
                let stem = format!("{profile}-{encoding}-{newline}-{word}");
                let [dump, listing, again] = ["txt", "jsonl", "again"].map(|suffix| format!("{stem}.{suffix}"));
                bench.generate(profile, word, (encoding, newline), &dump);
                bench.ok(&["decode", &dump, "-o", &listing]);
                let head = String::from_utf8(bench.read(&listing)).expect("text");
                let head = head.lines().next().unwrap_or_default();
                assert!(head.contains("\"format\":\"classic\""), "{stem}: {head}");
                assert!(head.contains(&format!("\"profile\":\"{profile}\"")), "{stem}: {head}");
                // A listing has no encoding: it is the dump's spelling.
                let how = ["--encoding", encoding, "--newline", newline];
                bench.ok(&[&["encode", &listing, "--format", "classic", "-o", &again], how.as_slice()].concat());
                assert!(bench.read(&dump) == bench.read(&again), "{stem}");
                bench.ok(&["compare", &dump, &listing]);
                bench.ok(&["validate", &dump]);
            }
        }
    }
}

#[test]
fn rewriting_gives_the_same_bytes_through_records_and_through_the_heap() {
    let bench = Bench::new();
    for profile in ["openj9", "ibm-j9", "jdmpview", "any"] {
        for encoding in ENCODINGS {
            bench.generate(profile, "64", encoding, "dump.txt");
            bench.ok(&["rewrite", "dump.txt", "-o", "again.txt", "--through", "records", "--force"]);
            assert!(bench.read("dump.txt") == bench.read("again.txt"), "{profile} {encoding:?}");
            if profile != "any" {
                bench.ok(&["rewrite", "dump.txt", "-o", "again.txt", "--through", "heap", "--force"]);
                assert!(bench.read("dump.txt") == bench.read("again.txt"), "{profile} {encoding:?}");
            }
            fs::remove_file(bench.path("dump.txt")).expect("there");
        }
    }
}

#[test]
fn rewrite_through_heap_changes_encoding() {
    let bench = Bench::new();
    for profile in WRITERS {
        // The names of a dump in EBCDIC, which UTF-8 has as well.
        for (number, encoding) in ENCODINGS.into_iter().enumerate() {
            bench.generate(profile, "32", ENCODINGS[2], &format!("{profile}.txt"));
            let (from, to) = (format!("{profile}.txt"), format!("{profile}-{number}.txt"));
            let how = ["--encoding", encoding.0, "--newline", encoding.1];
            bench.ok(&[&["rewrite", &from, "-o", &to, "--through", "heap"], how.as_slice()].concat());
            bench.ok(&["rewrite", &to, "-o", "back", "--through", "heap", "--encoding", "ibm-1047", "--force"]);
            assert!(bench.read("back") == bench.read(&from), "{profile} {encoding:?}");
            bench.ok(&["compare", &from, &to]);
            fs::remove_file(bench.path(&from)).expect("there");
        }
    }
    // Ends of lines alone leave the characters as they are, and characters alone choose the ends of their lines.
    bench.generate("openj9", "32", ENCODINGS[2], "ebcdic.txt");
    bench.ok(&["rewrite", "ebcdic.txt", "-o", "lf.txt", "--through", "heap", "--newline", "lf"]);
    let (ebcdic, lf) = (bench.read("ebcdic.txt"), bench.read("lf.txt"));
    let with_lf: Vec<u8> = ebcdic.iter().map(|&byte| if byte == 0x15 { 0x25 } else { byte }).collect();
    assert!(ebcdic.starts_with(b"\x61\x61\x40") && ebcdic.contains(&0x15) && lf == with_lf);
    bench.ok(&["rewrite", "lf.txt", "-o", "nel.txt", "--through", "heap", "--newline", "nel"]);
    assert!(bench.read("nel.txt") == ebcdic);
    let ran = bench.run(&["rewrite", "openj9-0.txt", "-o", "x", "--through", "records", "--encoding", "ibm-037"]);
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    let ran = bench.run(&["generate", "--format", "classic", "--newline", "nel"]);
    assert_eq!((ran.code, ran.stdout.len()), (2, 0), "{}", ran.stderr);
    assert!(ran.stderr.contains("utf-8 ends lines with lf or crlf"), "{}", ran.stderr);
    let ran = bench.run(&["generate", "--format", "phd6", "--encoding", "ibm-037"]);
    assert_eq!(ran.code, 2, "{}", ran.stderr);
}

const SMALL: &str = "\
// Version: x
0x00001000 [16] OBJ [LA;
\t0x00001000\x20
0x00002000 [64] CLS [LA;
\t
// Breakdown - Classes: 1, Objects: 0, ObjectArrays: 1, PrimitiveArrays: 0
// EOF:  Total 'Objects',Refs(null) : 2,2(1)
";

#[test]
fn inspect_shows_every_record_and_every_byte() {
    let bench = Bench::new();
    fs::write(bench.path("small.txt"), SMALL).expect("writable");
    let records = String::from_utf8(bench.ok(&["inspect", "small.txt"])).expect("text");
    let expected = [
        (0, 14, "version", "version = \"x\""),
        (14, 38, "object", "type = \"[LA;\", size = 16, references = 1"),
        (52, 27, "class", "type = \"[LA;\", size = 64, references = 0"),
        (79, 75, "breakdown", "text = \"Breakdown - Classes: 1, Objects: 0, ObjectArrays: 1, PrimitiveArrays: 0\""),
        (154, 45, "totals", "text = \"EOF:  Total 'Objects',Refs(null) : 2,2(1)\""),
    ];
    assert_eq!(records.lines().count(), expected.len(), "{records}");
    for (line, (offset, length, kind, detail)) in records.lines().zip(expected) {
        let words: Vec<&str> = line.split_whitespace().collect();
        assert_eq!(words[1..4], [&format!("{offset:08x}"), &length.to_string(), kind], "{line}");
        assert!(line.ends_with(detail), "{line}");
    }
    let bytes = String::from_utf8(bench.ok(&["inspect", "--bytes", "--json", "small.txt"])).expect("text");
    let hex: String = bytes
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).expect("JSON"))
        .map(|field| field["bytes"].as_str().expect("a text").to_owned())
        .collect();
    assert_eq!(hex, SMALL.bytes().map(|byte| format!("{byte:02x}")).collect::<String>());
}

#[test]
fn a_listing_names_the_classes_of_objects_and_the_number_of_nulls() {
    let bench = Bench::new();
    fs::write(bench.path("small.txt"), SMALL).expect("writable");
    let listing = String::from_utf8(bench.ok(&["decode", "small.txt"])).expect("text");
    let lines: Vec<serde_json::Value> = listing.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(lines[0]["null_references"], 1, "{listing}");
    assert_eq!(lines[1]["class_name"], "[LA;", "{listing}");
    assert_eq!(lines[1]["array_class"], "0x2000", "{listing}");
    assert_eq!(lines[2]["class_size"], 64, "{listing}");
}

#[test]
fn reads_standard_input_like_file() {
    let bench = Bench::new();
    for arguments in [["inspect", "-"].as_slice(), &["inspect", "--bytes", "-"], &["decode", "-"], &["validate", "-"]] {
        let ran = bench.run_with(arguments, SMALL.as_bytes());
        assert_eq!(ran.code, 0, "{arguments:?}: {}", ran.stderr);
        assert!(!ran.stdout.is_empty(), "{arguments:?}");
    }
    for through in ["records", "heap"] {
        let ran = bench.run_with(&["rewrite", "-", "-o", "-", "--through", through], SMALL.as_bytes());
        assert_eq!((ran.code, String::from_utf8_lossy(&ran.stdout).as_ref()), (0, SMALL), "{}", ran.stderr);
    }
}

#[test]
fn reports_damage_with_line_and_column() {
    let bench = Bench::new();
    fs::write(bench.path("bad.txt"), SMALL.replace("CLS", "CLZ")).expect("writable");
    let ran = bench.run(&["decode", "bad.txt"]);
    assert_eq!((ran.code, ran.stdout.len()), (1, 0));
    assert!(ran.stderr.contains("line 4, column 17, offset 68"), "{}", ran.stderr);
    let ran = bench.run(&["decode", "--sound-prefix", "bad.txt"]);
    assert_eq!((ran.code, String::from_utf8_lossy(&ran.stdout).lines().count()), (1, 2), "{}", ran.stderr);
    fs::write(bench.path("short.txt"), SMALL.split_once("// B").expect("trailers").0).expect("writable");
    let ran = bench.run(&["decode", "short.txt"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stderr.contains("classic.trailer.missing"), "{}", ran.stderr);
}
