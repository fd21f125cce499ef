//! Inputs that never end: what is read of them has a limit, and the error says so.

use std::fs::File;
use std::process::{Command, Stdio};

use assert_cmd::cargo::CommandCargoExt;

use super::bench::Bench;

/// Exit code and standard error of a command that has /dev/zero as its standard input.
fn with_zeros(bench: &Bench, arguments: &str) -> (Option<i32>, String) {
    let mut command = Command::cargo_bin("heapsmith").expect("built");
    let zeros = File::open("/dev/zero").expect("Unix has it");
    let output = command.args(arguments.split(' ')).current_dir(bench.0.path()).stdin(zeros).output().expect("it runs");
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn refuses_device_and_standard_input_beyond_the_limit() {
    let bench = Bench::new();
    bench.ok("generate --format phd6 --objects 20 --seed 4 -o a.phd");
    for command in [
        "validate /dev/zero",
        "inspect /dev/zero",
        "digest -",
        "compare a.phd -",
        "answers -",
        "check-conversion a.phd -",
        "convert - --to hprof -o out",
        "corrupt - --edit cut -o out",
        "describe - -o out",
        "encode - --format phd6 -o out",
        "rewrite /dev/zero --through heap -o out",
        "reduce - --test false{} -o out",
    ] {
        let (code, error) = with_zeros(&bench, &format!("{command} --input-limit 70000"));
        let name = if command.contains("/dev/zero") { "/dev/zero" } else { "standard input" };
        assert_eq!(code, Some(2), "{command}: {error}");
        assert!(error.contains(&format!("{name}: read 70000 bytes without coming to the end")), "{command}: {error}");
        assert!(
            error.contains("store it in a file first") && error.contains("--input-limit BYTES"),
            "{command}: {error}"
        );
        assert!(!bench.path("out").exists(), "{command}");
    }
}

#[test]
fn refuses_text_and_list_without_end() {
    let bench = Bench::new();
    for (command, name) in [
        ("check --decoder false{} --dumps -", "standard input: read 67108864 bytes"),
        ("check --decoder false{} --expected /dev/zero", "/dev/zero: read 67108864 bytes"),
        ("check-conversion --pairs -", "standard input: read 67108864 bytes"),
        ("build - --check", "standard input: read 16777216 bytes"),
        ("generate --format phd6 --options /dev/zero", "/dev/zero: read 67108864 bytes"),
    ] {
        let (code, error) = with_zeros(&bench, command);
        assert_eq!(code, Some(2), "{command}: {error}");
        assert!(error.contains(name) && error.contains("without coming to the end"), "{command}: {error}");
    }
}

#[test]
fn refuses_dump_of_ones_own_that_can_be_read_only_once() {
    let bench = Bench::new();
    for command in ["check --decoder false{} --dumps /dev/zero", "fuzz --decoder false{} --state s --seeds /dev/zero"] {
        let (code, error) = with_zeros(&bench, command);
        assert_eq!(code, Some(2), "{command}: {error}");
        assert!(error.contains("/dev/zero: expected a file") && error.contains("store it in a file first"), "{error}");
    }
}

/// A copy would need the folder of temporary files.
#[test]
fn reads_standard_input_that_is_a_file_without_copy() {
    let bench = Bench::new();
    bench.ok("generate --format phd6 --objects 20 --seed 4 -o a.phd");
    let with = |input: Stdio| {
        let mut command = Command::cargo_bin("heapsmith").expect("built");
        command.args(["validate", "-"]).env("TMPDIR", bench.path("nowhere")).stdin(input);
        let output = command.output().expect("it runs");
        (output.status.code(), String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned())
    };
    let (code, text) = with(File::open(bench.path("a.phd")).expect("made above").into());
    assert!(code == Some(0) && text.starts_with("standard input: valid"), "{text}");
    let (code, text) = with(File::open("/dev/zero").expect("Unix has it").into());
    assert!(code == Some(2) && text.contains("nowhere"), "{text}");
}
