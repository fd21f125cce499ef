//! The memory that each command's help states, against what it takes.

use std::fs;
use std::path::Path;
use std::process::Command;

use assert_cmd::cargo::CommandCargoExt;

use crate::has_python;

/// Runs a command and prints its peak of resident memory in KiB, and the exit code.
const PEAK: &str = r#"
import resource, subprocess, sys
code = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, code)
"#;

/// Numbers of objects. The difference is large beside what an allocator keeps and small beside 256 MB. The peak of a process
/// counts what python3 had before it became the command, some 14 MB: less than some 30 bytes an object does not show, for
/// which `tests/memory.rs` watches the allocator.
const FEW: u64 = 20_000;
const MANY: u64 = 240_000;
/// What the two may differ by whatever the formula.
const NOISE: u64 = 3 << 20;

/// What a command's help says of its memory, and what that makes for an object, in bytes. `{}` is the number of objects.
/// Those that sort outside of memory hold what 256 MB have room for.
const STATED: &[(&str, &str, u64)] = &[
    ("generate --format hprof --objects {} -o out --force", "Memory does not grow with the number of objects", 0),
    ("build list.kdl --set n={} --format hprof -o out --force", "Memory does not grow with what a long repeat", 0),
    (
        "generate --format hprof --segments 200 --objects {} -o out --force",
        "Memory does not grow with the number of objects",
        0,
    ),
    (
        "build list.kdl --set n={} --segments 200 --format hprof -o out --force",
        "Memory does not grow with what a long repeat",
        0,
    ),
    ("build list.kdl --set n={} --format phd6 -o out --force", "Memory does not grow with what a long repeat", 0),
    ("digest list.kdl", "the class table and the roots", 0),
    ("describe {}.hprof -o out --force", "The dump is held in memory, and the text", 700),
    ("inspect {}.hprof", "Memory does not grow with the dump", 0),
    ("inspect --html {}.hprof -o out --force", "Memory does not grow with the dump", 0),
    ("validate {}.hprof", "mostly 8 bytes or less for each class and object (up to 64 where", 8),
    ("validate {}.phd", "mostly 8 bytes or less for each class and object (up to 64 where", 8),
    ("validate --no-graph {}.hprof", "memory is that of the largest record", 0),
    ("decode {}.hprof -o {}.jsonl --force", "some 256 MB", 600),
    ("encode {}.jsonl --format hprof -o out --force", "some 700 bytes an object", 700),
    ("rewrite {}.hprof -o out --through records --force", "Memory does not grow with the number of objects", 0),
    ("rewrite {}.hprof -o out --through heap --force", "that of the class table and the roots", 0),
    ("convert {}.hprof -o {}.phd --to phd6 --force", "for each class and object while the input is validated", 8),
    ("digest {}.hprof", "for each class and object while the dump is validated", 8),
    ("answers {}.hprof", "for each class and object, some 80 bytes, for each reference 24", 160),
    ("compare {}.hprof {}.hprof", "some 256 MB", 900),
    ("check-conversion {}.hprof {}.phd", "some 256 MB", 900),
    // A listing is held in memory; those that sort outside of memory hold their part besides.
    ("digest {}.jsonl", "A listing is held in memory: some 700 bytes an object", 700),
    ("convert {}.jsonl -o out --to phd6 --force", "A listing is held in memory: some 700 bytes an object", 700),
    ("answers {}.jsonl", "A listing is held in memory, too: some 700 bytes an object", 700 + 160),
    ("compare {}.jsonl {}.hprof", "A listing is held in memory: some 700 bytes an object", 700 + 900),
    ("check-conversion {}.jsonl {}.phd", "A listing is held in memory: some 700 bytes an object", 700 + 900),
    ("corrupt {}.hprof --edit drop-the-end -o out --force", "some 800 bytes an object", 800),
];

fn peak(folder: &Path, line: &str, objects: u64) -> u64 {
    let program = Command::cargo_bin("heapsmith").expect("built").get_program().to_owned();
    let mut command = Command::new("python3");
    command.args(["-c", PEAK]).arg(program).current_dir(folder);
    let output = command.args(line.replace("{}", &objects.to_string()).split(' ')).output().expect("python3 runs");
    let said = String::from_utf8(output.stdout).expect("text");
    let (kibibytes, code) = said.trim().split_once(' ').unwrap_or_else(|| panic!("{line}: {said}"));
    assert_eq!(code, "0", "{line}");
    kibibytes.parse::<u64>().expect("a number") << 10
}

fn help(command: &str) -> String {
    let output = Command::cargo_bin("heapsmith").expect("built").args([command, "--help"]).output().expect("it runs");
    // Lines are broken anywhere.
    String::from_utf8(output.stdout).expect("text").split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
#[ignore = "long: tests/long.sh runs it"]
fn every_command_takes_the_memory_that_its_help_states() {
    if !has_python("it measures the memory") {
        return;
    }
    let folder = tempfile::tempdir().expect("there is room for a folder");
    let list = "let n=1000000\nclass Node { int id; Node next }\nroot jni-global @n0\n\
                repeat \"{n}\" { object \"n{i}\" Node id=\"{i}\" next=\"@n{i+1}?\" }\n";
    fs::write(folder.path().join("list.kdl"), list).expect("there is room for a file");
    for objects in [FEW, MANY] {
        let make = "generate --format hprof --profile hotspot-17 --seed 3 --objects {} -o {}.hprof";
        peak(folder.path(), make, objects);
        peak(folder.path(), "convert {}.hprof -o {}.phd --to phd6", objects);
    }
    for &(line, stated, each) in STATED {
        let name = line.split(' ').next().unwrap_or_default();
        assert!(help(name).contains(stated), "the help of {name} does not say `{stated}`");
        let [few, many] = [FEW, MANY].map(|objects| peak(folder.path(), line, objects));
        let grown = many.saturating_sub(few);
        println!("{line}: {few} and {many} bytes, {} an object", grown / (MANY - FEW));
        assert!(grown <= each * (MANY - FEW) + NOISE, "{line}: {few} and {many} bytes, stated: {stated}");
    }
}

/// A dump of few bytes that stand for many is refused, and what was held of it until then is not held once more.
#[test]
fn decode_bounds_memory_when_it_refuses_decompression_bomb() {
    if !has_python("it measures the memory") {
        return;
    }
    let folder = tempfile::tempdir().expect("there is room for a folder");
    // A class of 24 million references: 64 MiB and some are allowed for its 170 kB of gzip.
    let make = "import gzip; out = gzip.open('many.gz', 'wb', 6); out.write(b'// Version: a\\n0x10 [8] CLS A\\n\\t'); \
                [out.write(b'0x10 ' * 1000000) for _ in range(24)]; out.close()";
    let made = Command::new("python3").args(["-c", make]).current_dir(folder.path()).status().expect("python3 runs");
    assert!(made.success());
    let [digest, decode] = ["digest", "decode"].map(|command| refused(folder.path(), command));
    println!("digest {digest} bytes, decode {decode}");
    assert!(decode < digest * 5 / 2, "decode takes {decode} bytes, and digest {digest}");
}

/// The peak of a command that refuses the dump.
fn refused(folder: &Path, command: &str) -> u64 {
    let program = Command::cargo_bin("heapsmith").expect("built").get_program().to_owned();
    let mut python = Command::new("python3");
    python.args(["-c", PEAK]).arg(program).args([command, "many.gz"]).current_dir(folder);
    let said = String::from_utf8(python.output().expect("python3 runs").stdout).expect("text");
    let (kibibytes, code) = said.trim().split_once(' ').unwrap_or_else(|| panic!("{command}: {said}"));
    assert_eq!(code, "2", "{command}");
    kibibytes.parse::<u64>().expect("a number") << 10
}
