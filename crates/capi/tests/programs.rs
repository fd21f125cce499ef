//! Programs in C, compiled by `cc`, that call each function of the library; plainly, under AddressSanitizer, and under valgrind.

use std::path::Path;
use std::process::{Command, Output};

mod common;

use common::{libraries, succeed};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// The variable that makes the absence of a compiler or of valgrind a failure.
const REQUIRED: &str = "HEAPSMITH_CC_REQUIRED";

/// What a program with the library in it links, beside the C library.
const SYSTEM: [&str; 4] = ["-lpthread", "-ldl", "-lm", "-lgcc_s"];

#[test]
fn calls_every_function() {
    run("functions", "heapsmith", &[]);
}

#[test]
fn refuses_hostile_arguments() {
    run("hostile", "heapsmith", &[]);
}

#[test]
fn keeps_errors_of_threads_apart() {
    run("threads", "heapsmith", &[]);
}

#[test]
fn changes_inputs_of_libfuzzer() {
    run("libfuzzer", "heapsmith_libfuzzer", &[]);
}

#[test]
fn changes_and_trims_inputs_of_afl() {
    let library = libraries().join("libheapsmith_afl.so");
    run("afl", "", &[&library.display().to_string()]);
}

#[test]
fn exports_no_symbol_of_engine_from_plain_library() {
    let Some(nm) = common::found("nm", "--version", REQUIRED) else { return };
    let symbols = |library: &str, dynamic: &str| {
        let path = libraries().join(library);
        let listed = Command::new(&nm).args([dynamic, "--defined-only"]).arg(&path).output().expect("nm starts");
        assert!(listed.status.success(), "{}: {}", path.display(), String::from_utf8_lossy(&listed.stderr));
        String::from_utf8_lossy(&listed.stdout).into_owned()
    };
    let plain = [symbols("libheapsmith.a", "-g"), symbols("libheapsmith.so", "-D")];
    for symbols in plain {
        assert!(symbols.contains(" heapsmith_mutate\n"));
        assert!(!symbols.contains(" LLVMFuzzerCustomMutator") && !symbols.contains(" afl_custom_"));
    }
    assert!(symbols("libheapsmith_libfuzzer.a", "-g").contains(" LLVMFuzzerCustomCrossOver\n"));
    let afl = symbols("libheapsmith_afl.so", "-D");
    assert!(afl.contains(" afl_custom_post_trim\n") && !afl.contains(" LLVMFuzzer"));
}

/// Compiles and runs a program with a library: plainly, under AddressSanitizer, and under valgrind where it is installed.
fn run(name: &str, library: &str, arguments: &[&str]) {
    let Some(cc) = common::found("cc", "--version", REQUIRED) else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let compile = |options: &[&str]| {
        let program = folder.path().join(format!("{name}-{}", options.len()));
        let mut command = Command::new(&cc);
        command.args(["-std=c11", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror", "-g"]).args(options);
        command.arg(Path::new(ROOT).join(format!("tests/c/{name}.c"))).arg("-o").arg(&program);
        if !library.is_empty() {
            command.arg(libraries().join(format!("lib{library}.a")));
        }
        succeed(command.args(SYSTEM));
        program
    };
    let plain = compile(&[]);
    let done = |output: &Output| assert_eq!(String::from_utf8_lossy(&output.stdout), "done\n", "{name}");
    done(&succeed(Command::new(&plain).args(arguments)));
    // A leak of memory is a failure.
    let checked = compile(&["-fsanitize=address", "-fno-omit-frame-pointer"]);
    done(&succeed(Command::new(&checked).args(arguments)));
    if let Some(valgrind) = common::found("valgrind", "--version", REQUIRED) {
        // Optimised code of Rust may compute with the value of an absent `Option`, and drop the result: no use of such values is looked at.
        let options = ["--quiet", "--error-exitcode=9", "--undef-value-errors=no"];
        let leaks = ["--leak-check=full", "--show-leak-kinds=definite", "--errors-for-leak-kinds=definite"];
        done(&succeed(
            Command::new(valgrind).env("HEAPSMITH_QUICK", "1").args(options).args(leaks).arg(&plain).args(arguments),
        ));
    }
}
