//! Programs in C, compiled by `cc`, that call each function of the library; plainly, under AddressSanitizer, and under valgrind.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

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
    let Some(nm) = found("nm", "--version") else { return };
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
    let Some(cc) = found("cc", "--version") else { return };
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
    if let Some(valgrind) = found("valgrind", "--version") {
        // Optimised code of Rust may compute with the value of an absent `Option`, and drop the result: no use of such values is looked at.
        let options = ["--quiet", "--error-exitcode=9", "--undef-value-errors=no"];
        let leaks = ["--leak-check=full", "--show-leak-kinds=definite", "--errors-for-leak-kinds=definite"];
        done(&succeed(
            Command::new(valgrind).env("HEAPSMITH_QUICK", "1").args(options).args(leaks).arg(&plain).args(arguments),
        ));
    }
}

/// The folder of the libraries, which `cargo test` makes as examples.
fn libraries() -> PathBuf {
    let program = std::env::current_exe().expect("this program has a path");
    let folder = program.ancestors().nth(2).expect("it is two folders below").join("examples");
    assert!(
        folder.join("libheapsmith.a").is_file(),
        "{} has no libraries: run `cargo build -p heapsmith-capi --examples` first",
        folder.display()
    );
    folder
}

/// A program, if it is there. `HEAPSMITH_CC_REQUIRED=1` makes its absence a failure.
fn found(program: &str, option: &str) -> Option<PathBuf> {
    let starts = Command::new(program).arg(option).output().is_ok_and(|output| output.status.success());
    if starts {
        return Some(PathBuf::from(program));
    }
    let is_required = std::env::var_os("HEAPSMITH_CC_REQUIRED").is_some_and(|value| value == "1");
    assert!(!is_required, "{program} is required, and does not start");
    println!("skipped: {program} does not start");
    None
}

fn succeed(command: &mut Command) -> Output {
    let output = command.output().expect("it starts");
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {}\n{error}", output.status);
    output
}
