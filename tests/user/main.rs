//! Users' crates: built from the path, with nothing but what they ask for.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Runs cargo in one of the crates. Versions are those of our own lock file, so nothing is fetched, and what is built is
/// shared by the crates and kept.
fn cargo(name: &str, arguments: &[&str]) -> Output {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let crate_root = root.join("tests/user").join(name);
    fs::copy(root.join("Cargo.lock"), crate_root.join("Cargo.lock")).expect("a writable clone");
    let (command, after) = arguments.split_first().expect("a command");
    let output = Command::new(env!("CARGO"))
        .args([command, "--offline", "--quiet", "--manifest-path"])
        .arg(crate_root.join("Cargo.toml"))
        .arg("--target-dir")
        .arg(target())
        .args(after)
        .current_dir(root)
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output
}

/// Beside what cargo builds for these tests.
fn target() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("user")
}

#[test]
#[ignore = "long: tests/long.sh runs it"]
fn a_dump_is_read_in_ten_lines() {
    let output = cargo("decoder", &["run", "--", "corpus/hprof/golden/hprof-hotspot-25-8.hprof"]);
    let text = String::from_utf8(output.stdout).expect("names are text");
    assert!(text.lines().any(|line| line.ends_with(" java/lang/String")), "{text}");
    let source = fs::read_to_string("tests/user/decoder/src/main.rs").expect("the crate's source");
    let body = source.lines().skip_while(|line| !line.starts_with("fn main")).skip(1);
    assert!(body.take_while(|line| *line != "}").count() <= 10, "{source}");
}

#[test]
#[ignore = "long: tests/long.sh runs it"]
fn a_toy_parser_is_checked_in_its_own_tests() {
    cargo("toy-parser", &["test"]);
}
