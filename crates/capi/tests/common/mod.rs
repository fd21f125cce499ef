//! Programs that the tests start, and the libraries that they link.

use std::path::PathBuf;
use std::process::{Command, Output};

/// The folder of the libraries, which `cargo test` makes as examples.
pub(crate) fn libraries() -> PathBuf {
    let program = std::env::current_exe().expect("this program has a path");
    let folder = program.ancestors().nth(2).expect("it is two folders below").join("examples");
    assert!(
        folder.join("libheapsmith.a").is_file(),
        "{} has no libraries: run `cargo build -p heapsmith-capi --examples` first",
        folder.display()
    );
    folder
}

/// A program, if it is there. The variable `required`, set to 1, makes its absence a failure.
pub(crate) fn found(program: &str, option: &str, required: &str) -> Option<PathBuf> {
    // What it answers is its own affair.
    if Command::new(program).arg(option).output().is_ok() {
        return Some(PathBuf::from(program));
    }
    assert!(std::env::var_os(required).is_none_or(|value| value != "1"), "{program} is required, and does not start");
    println!("skipped: {program} does not start");
    None
}

/// Runs a command that has to succeed.
pub(crate) fn succeed(command: &mut Command) -> Output {
    let output = command.output().expect("it starts");
    let error = String::from_utf8_lossy(&output.stderr);
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{command:?}: {}\n{said}\n{error}", output.status);
    output
}
