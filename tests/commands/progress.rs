//! Progress: on standard error, on terminals, once a command has taken a second; never with `-q`.

use std::io::Write;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use assert_cmd::cargo::CommandCargoExt;

use super::bench::Bench;
use super::pty::Terminal;

/// Gives a command a dump on standard input byte by byte, until it shows progress or `most` bytes are given, and then the rest.
/// How many bytes that took, and what the terminal got.
fn given_slowly(bench: &Bench, arguments: &str, dump: &[u8], most: usize) -> (usize, String) {
    let terminal = Terminal::open();
    let mut command = Command::cargo_bin("heapsmith").expect("built");
    command.args(arguments.split(' ')).current_dir(bench.0.path()).env("TERM", "xterm-256color");
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(terminal.side()).spawn().expect("started");
    let mut input = child.stdin.take().expect("a pipe");
    let (mut text, mut given) = (String::new(), 0);
    while given < most && !text.contains("standard input") {
        input.write_all(&dump[given..=given]).expect("it reads");
        given += 1;
        text += &String::from_utf8_lossy(&terminal.until_quiet(Duration::from_millis(20)));
    }
    input.write_all(&dump[given..]).expect("it reads");
    drop(input);
    assert_eq!(child.wait().expect("it ends").code(), Some(0), "{arguments}: {text}");
    text += &String::from_utf8_lossy(&terminal.rest());
    (given, text)
}

#[test]
fn shows_progress_on_terminal_after_one_second() {
    let bench = Bench::new();
    bench.ok("generate --format phd6 --objects 2000 --seed 4 -o a.phd");
    let dump = bench.read("a.phd");
    let recipe = bench.ok("generate --format phd6 --objects 2000 --seed 4 --print-recipe");
    let verify = format!("verify - --recipe {}", recipe.trim());
    let commands = [
        "validate -",
        "decode - -o decoded",
        "digest -",
        "inspect -",
        "compare - a.phd",
        "convert - -o converted --to phd6",
        "describe - -o described",
        "check-conversion - a.phd",
        "rewrite - -o records --through records",
        "rewrite - -o heap --through heap",
        &verify,
    ];
    let (shared, slow) = (&bench, &dump);
    thread::scope(|scope| {
        for command in commands {
            scope.spawn(move || {
                // Each byte takes 20 ms at least: this is minutes.
                let (given, text) = given_slowly(shared, command, slow, slow.len() - 1);
                assert!(text.contains("standard input"), "{command}: nothing in {given} bytes: {text:?}");
            });
        }
    });
    let (given, _) = given_slowly(&bench, "validate -", &dump, dump.len() - 1);
    let (_, quiet) = given_slowly(&bench, "validate - -q", &dump, given * 2);
    assert_eq!(quiet, "");
}
