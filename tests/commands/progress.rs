//! Progress: on standard error, on terminals, once a command has taken a second; never with `-q`.

use std::fs::File;
use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use assert_cmd::cargo::CommandCargoExt;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

use super::bench::Bench;

/// What a command says on a terminal, as it comes.
fn terminal() -> (File, Receiver<Vec<u8>>) {
    use std::os::unix::ffi::OsStrExt;
    let terminal = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a pseudo-terminal");
    grantpt(&terminal).and_then(|()| unlockpt(&terminal)).expect("a pseudo-terminal");
    let name = ptsname(&terminal, Vec::new()).expect("it has a name");
    let name = std::ffi::OsStr::from_bytes(name.as_bytes());
    let side = File::options().read(true).write(true).open(name).expect("it opens");
    let (sender, receiver) = channel();
    let mut terminal = File::from(terminal);
    thread::spawn(move || {
        let mut buffer = [0; 4096];
        // It ends with an error, once the other side is closed.
        while let Ok(read) = terminal.read(&mut buffer) {
            if read == 0 || sender.send(buffer[..read].to_vec()).is_err() {
                break;
            }
        }
    });
    (side, receiver)
}

/// Gives a command a dump on standard input byte by byte, until it shows progress or `most` bytes are given, and then the rest.
/// How many bytes that took, and what the terminal got.
fn given_slowly(bench: &Bench, arguments: &str, dump: &[u8], most: usize) -> (usize, String) {
    let (side, said) = terminal();
    let mut command = Command::cargo_bin("heapsmith").expect("built");
    command.args(arguments.split(' ')).current_dir(bench.0.path()).env("TERM", "xterm-256color");
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(side).spawn().expect("started");
    drop(command);
    let mut input = child.stdin.take().expect("a pipe");
    let (mut text, mut given) = (String::new(), 0);
    while given < most && !text.contains("standard input") {
        input.write_all(&dump[given..=given]).expect("it reads");
        given += 1;
        while let Ok(more) = said.recv_timeout(Duration::from_millis(20)) {
            text += &String::from_utf8_lossy(&more);
        }
    }
    input.write_all(&dump[given..]).expect("it reads");
    drop(input);
    assert_eq!(child.wait().expect("it ends").code(), Some(0), "{arguments}: {text}");
    text.extend(said.iter().map(|more| String::from_utf8_lossy(&more).into_owned()));
    (given, text)
}

#[test]
fn a_command_that_reads_for_long_shows_how_far_it_is() {
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
