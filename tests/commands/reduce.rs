//! `heapsmith reduce`: by a command, by a program that answers wrongly, and what is refused.
#![cfg(unix)]

use std::fs;
use std::process::Command;

use assert_cmd::cargo::CommandCargoExt;

use super::bench::Bench;

/// Exit code, standard output and standard error of `reduce`.
fn reduce(bench: &Bench, arguments: &[&str]) -> (i32, String, String) {
    let mut command = Command::cargo_bin("heapsmith").expect("built");
    let output = command.arg("reduce").args(arguments).current_dir(bench.0.path()).output().expect("it runs");
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    (output.status.code().unwrap_or(-1), text(output.stdout), text(output.stderr))
}

fn bench() -> Bench {
    let bench = Bench::new();
    bench.ok("generate --format classic --seed 4 --objects 60 -o all.txt");
    bench
}

/// "0x00000008 [0] OBJ [I" and the ends of two lines have 24 bytes.
#[test]
fn reduces_while_test_command_succeeds() {
    let bench = bench();
    let test = ["all.txt", "--jobs", "1", "--test", "grep -q 'OBJ \\[I' {}"];
    let (code, told, error) = reduce(&bench, &[&test[..], &["-o", "small.txt", "--journal", "tried"]].concat());
    assert_eq!((code, error.as_str()), (0, ""));
    assert!(told.contains("nothing more can be left out"), "{told}");
    let left = String::from_utf8(bench.read("small.txt")).expect("text");
    assert!(left.contains("OBJ [I") && left.len() <= 24, "{left:?}");
    // From the journal, nothing is tried again; to standard output, the dump stands alone there.
    let (code, dump, told) = reduce(&bench, &[&test[..], &["--journal", "tried"]].concat());
    assert_eq!((code, dump.as_str()), (0, left.as_str()));
    assert!(told.contains("after 0 trials"), "{told}");
    // A run that is ended early has a dump that shows it, too.
    let (code, told, _) = reduce(&bench, &[&test[..], &["-o", "early.txt", "--trials", "5"]].concat());
    assert!(code == 0 && told.contains("after 5 trials: no more trials were left"), "{told}");
    let early = String::from_utf8(bench.read("early.txt")).expect("text");
    assert!(early.contains("OBJ [I") && early.len() > left.len());
}

/// The text has the dump as digits, from which anybody gets its bytes.
#[test]
fn issue_text_has_dump_listing_and_fields() {
    let bench = bench();
    let (code, _, error) =
        reduce(&bench, &["all.txt", "--decoder", "cat {}", "-o", "small.txt", "--issue", "issue.md"]);
    assert_eq!((code, error.as_str()), (0, ""));
    let issue = String::from_utf8(bench.read("issue.md")).expect("text");
    assert!(issue.starts_with("# answer: ") && issue.contains("`cat {}` was asked about the dump below."), "{issue}");
    assert!(issue.contains("- expected: ") && issue.contains("- found:    "), "{issue}");
    let (_, digits) = issue.split_once("<<'END'\n").expect("the dump");
    let digits: Vec<u8> = digits.split_once("END").expect("its end").0.bytes().filter(u8::is_ascii_hexdigit).collect();
    let value = |digit: &u8| char::from(*digit).to_digit(16).expect("a digit") as u8;
    let dump: Vec<u8> = digits.chunks(2).map(|pair| value(&pair[0]) << 4 | value(&pair[1])).collect();
    assert_eq!(dump, bench.read("small.txt"));
    assert!(issue.contains("| offset | bytes | field | meaning |"), "{issue}");
    assert!(issue.contains("## Its heap, as a listing\n\n```json\n{\"listing\":1"), "a listing has a head: {issue}");
    // Of a command no more is known than that it shows it.
    let test = ["all.txt", "--test", "grep -q 'OBJ \\[I' {}", "-o", "other.txt", "--issue", "issue.md"];
    let (code, _, error) = reduce(&bench, &test);
    assert!(code == 2 && error.contains("issue.md"), "it is there: {error}");
    let (code, _, error) = reduce(&bench, &[&test[..], &["--force"]].concat());
    assert_eq!((code, error.as_str()), (0, ""));
    let issue = String::from_utf8(bench.read("issue.md")).expect("text");
    assert!(issue.contains("This command ends with exit code 0") && issue.contains("grep -q"), "{issue}");
    // What is left is an array of ints, in the form of specs/listing.md.
    let (_, listing) = issue.split_once("```json\n").expect("a listing");
    assert!(listing.contains("\n{\"kind\":\"primitive-array\",\"address\":\"0x8\","), "{issue}");
}

/// A program that prints no listing at all is wrong of every dump that is to be read.
#[test]
fn reduces_dump_while_answer_stays_wrong() {
    let bench = bench();
    let (code, told, error) = reduce(&bench, &["all.txt", "--decoder", "cat {}", "-o", "small.txt"]);
    assert_eq!((code, error.as_str()), (0, ""));
    assert!(told.contains("; it shows: answer: "), "{told}");
    assert!(bench.read("small.txt").len() < bench.read("all.txt").len());
    let (code, _, error) = reduce(&bench, &["all.txt", "--adapter", "heapsmith-is-not-here", "-o", "x"]);
    assert!(code == 2 && error.contains("heapsmith-is-not-here"), "{error}");
    let own = fs::canonicalize(env!("CARGO_BIN_EXE_heapsmith")).expect("built");
    let right = format!("{} adapter serve", own.display());
    let (code, _, error) = reduce(&bench, &["all.txt", "--adapter", &right, "-o", "x"]);
    assert!(code == 2 && error.contains("nothing is wrong of its answer"), "{error}");
    assert!(!bench.0.path().join("x").exists());
}

#[test]
fn refuses_irreducible_input_and_writes_nothing() {
    let bench = bench();
    for (arguments, part) in [
        (&["all.txt"][..], "--test"),
        (&["all.txt", "--test", "false {}"], "the dump does not show it"),
        (&["all.txt", "--test", "false"], "--test must contain {}"),
        (&["all.txt", "--test", "'"], "a command quoted as for a shell"),
        (&["all.txt", "--test", "no-such-program {}"], "no-such-program"),
        (&["missing.txt", "--test", "true {}"], "missing.txt"),
    ] {
        let (code, _, error) = reduce(&bench, &[arguments, &["-o", "out"]].concat());
        assert!(code == 2 && error.contains(part), "{arguments:?}: {error}");
        assert!(!bench.0.path().join("out").exists(), "{arguments:?}");
    }
    bench.write("out", b"theirs");
    let (code, _, error) = reduce(&bench, &["all.txt", "--test", "true {}", "-o", "out"]);
    assert!(code == 2 && error.contains("--force"), "{error}");
    assert_eq!(bench.read("out"), b"theirs");
}
