//! The help of every command: defaults of options, examples, exit codes.

use std::fs;
use std::path::Path;
use std::process::Command as Process;

use assert_cmd::cargo::CommandCargoExt;
use clap::{Arg, ArgAction, Command};
use heapsmith::command::definition;
use pretty_assertions::assert_eq;

use super::bench::Bench;

/// Every command that help shows, with its name.
fn commands() -> Vec<(String, Command)> {
    fn push(name: String, command: &Command, found: &mut Vec<(String, Command)>) {
        found.push((name.clone(), command.clone()));
        for below in command.get_subcommands().filter(|below| !below.is_hide_set()) {
            push(format!("{name} {}", below.get_name()), below, found);
        }
    }
    let mut found = Vec::new();
    push("heapsmith".to_owned(), &definition(), &mut found);
    assert!(found.len() > 35, "{}", found.len());
    found
}

/// Whether an option's help says what happens without it: by its default, or in words.
fn states_default(arg: &Arg) -> bool {
    let help = [arg.get_help(), arg.get_long_help()].into_iter().flatten().map(ToString::to_string);
    let help = help.collect::<Vec<_>>().join("\n");
    let says = [
        "Without it",
        "without it",
        "without this option",
        "Without this option",
        "Default: ",
        "nstead of ",
        "Required unless ",
    ];
    let has_default = !arg.get_default_values().is_empty() && !arg.is_hide_default_value_set();
    let is_flag = matches!(arg.get_action(), ArgAction::SetTrue);
    arg.is_required_set() || (has_default && !is_flag) || says.iter().any(|words| help.contains(words))
}

#[test]
fn states_default_of_every_option() {
    let mut without = Vec::new();
    for (name, command) in commands() {
        // A hidden option is there to be refused with advice, and no help shows it.
        let own = command.get_arguments().filter(|arg| !arg.is_hide_set());
        let own = own.filter(|arg| !["help", "version"].contains(&arg.get_id().as_str()));
        without.extend(own.filter(|arg| !states_default(arg)).map(|arg| format!("{name}: {arg}")));
    }
    assert!(without.is_empty(), "{}", without.join("\n"));
}

/// The examples and the exit codes with which the help of a command ends.
struct Ending {
    examples: Vec<String>,
    exit_codes: Vec<i32>,
}

impl Ending {
    fn read(name: &str, command: &Command) -> Ending {
        let text = command.get_after_long_help().unwrap_or_else(|| panic!("{name}: no examples")).to_string();
        let (examples, exit_codes) = text.split_once("\n\nExit status:\n").unwrap_or_else(|| panic!("{name}: {text}"));
        let examples = examples.strip_prefix("Examples:\n").unwrap_or_else(|| panic!("{name}: {text}"));
        let examples: Vec<&str> = examples.lines().collect();
        for pair in examples.chunks(2) {
            assert!(pair[0].starts_with("  # ") && pair[1].starts_with("  $ "), "{name}: {pair:?}");
        }
        let examples = examples.iter().filter_map(|line| line.strip_prefix("  $ ")).map(str::to_owned).collect();
        let codes = exit_codes.lines().filter_map(|line| line.trim_start().split_once("  "));
        let codes = codes.flat_map(|(codes, _)| codes.split(", ").map(str::parse)).collect::<Result<_, _>>();
        let exit_codes = codes.unwrap_or_else(|_| panic!("{name}: {text}"));
        // A longer line would be broken where help is not shown on a wide terminal.
        assert!(text.lines().all(|line| line.chars().count() <= 100), "{name}: {text}");
        Ending { examples, exit_codes }
    }
}

#[test]
fn shows_examples_and_exit_status_of_every_command() {
    for (name, command) in commands() {
        let Ending { examples, exit_codes } = Ending::read(&name, &command);
        assert!((2..=3).contains(&examples.len()), "{name}: {examples:?}");
        assert!(examples.iter().any(|example| example.contains(&name)), "{name}: {examples:?}");
        assert!(exit_codes.starts_with(&[0]) && exit_codes.contains(&2), "{name}: {exit_codes:?}");
        assert!(exit_codes.ends_with(&[130, 143, 129]), "{name}: {exit_codes:?}");
    }
}

#[test]
fn lists_exit_codes_of_limits_page() {
    let page = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/limits.md")).expect("it is there");
    let (_, table) = page.split_once("\n## Exit codes\n").expect("a section of exit codes");
    let rows = table.lines().skip_while(|line| !line.starts_with("|---")).skip(1).take_while(|line| !line.is_empty());
    let codes = rows.filter_map(|row| row.split('|').nth(1)).flat_map(|cell| cell.split(','));
    let codes: Vec<i32> = codes.map(|code| code.trim().parse().expect("a number")).collect();
    assert_eq!(Ending::read("heapsmith", &definition()).exit_codes, codes);
}

/// The arguments of heapsmith in an example.
fn arguments(example: &str) -> Vec<String> {
    let words = shell_words::split(example).unwrap_or_else(|e| panic!("{example}: {e}"));
    let commands: Vec<&[String]> = words.split(|word| word == "|").collect();
    let own = commands.iter().find(|command| command.first().is_some_and(|program| program == "heapsmith"));
    let own = own.unwrap_or_else(|| panic!("{example}: no heapsmith"));
    own.iter().take_while(|word| !word.starts_with('>')).cloned().collect()
}

#[test]
fn examples_have_options_that_exist() {
    for (name, command) in commands() {
        for example in Ending::read(&name, &command).examples {
            if let Err(error) = definition().try_get_matches_from(arguments(&example)) {
                panic!("{name}: {example}: {error}");
            }
        }
    }
}

/// Examples that are not run, by how they begin, and why.
const NOT_RUN: &[(&str, &str)] = &[
    ("heapsmith check ", "it needs a program under test"),
    ("heapsmith fuzz ", "it needs a program under test"),
    ("heapsmith reduce ", "it needs a program under test"),
    ("heapsmith adapter test", "it needs a program under test"),
    ("heapsmith merge", "it needs reports"),
    ("heapsmith report", "it needs reports"),
    ("heapsmith describe heapdump.hprof --from", "the address is one of your dump"),
    ("heapsmith corpus verify", "it makes all cases"),
    ("heapsmith corpus bless", "it makes all cases"),
    ("heapsmith corpus list", "it makes all cases"),
    ("heapsmith corpus export", "it makes all cases"),
    ("heapsmith spec coverage", "it makes all cases"),
    ("heapsmith explain", "it makes all cases"),
    ("heapsmith completions", "it writes to the home folder"),
];

/// The files that examples read.
fn inputs() -> Bench {
    let bench = Bench::new();
    bench.ok("generate --format hprof --seed 7 --objects 1000 -o seven.hprof");
    for name in ["heapdump.hprof", "other.hprof", "odd.hprof", "dumps/a.hprof"] {
        bench.write(name, &bench.read("seven.hprof"));
    }
    bench.write("orders.kdl", b"class Order { int id }\nobject first Order id=1\nroot jni-global @first\n");
    let dump = bench.read("seven.hprof");
    bench.write("damaged.hprof", &dump[..dump.len() - 100]);
    bench.ok("decode seven.hprof -o heapdump.jsonl");
    bench.write("odd.jsonl", &bench.read("heapdump.jsonl"));
    bench.run("convert seven.hprof -o heapdump.phd --to phd6");
    bench.write("converted.phd", &bench.read("heapdump.phd"));
    bench.write("theirs.json", bench.ok("digest heapdump.phd --buckets --json").as_bytes());
    let (heapdump, converted) = (bench.path("heapdump.hprof"), bench.path("converted.phd"));
    bench.write("pairs.txt", format!("{} {}\n", heapdump.display(), converted.display()).as_bytes());
    bench
}

/// Copies the inputs that an example names, but those that it writes.
fn copy_inputs(inputs: &Path, example: &str, folder: &Path) {
    let words: Vec<&str> = example.split(' ').collect();
    for (place, name) in words.iter().enumerate() {
        let is_output = place > 0 && ["-o", ">"].contains(&words[place - 1]);
        let input = inputs.join(name);
        if is_output || name.contains('/') {
            continue;
        }
        if input.is_dir() {
            fs::create_dir(folder.join(name)).expect("a new folder");
            for entry in fs::read_dir(&input).expect("a folder").map(|entry| entry.expect("an entry").file_name()) {
                fs::copy(input.join(&entry), folder.join(name).join(&entry)).expect("it can be copied");
            }
        } else if input.is_file() {
            fs::copy(&input, folder.join(name)).expect("it can be copied");
        }
    }
}

#[test]
fn examples_end_with_a_stated_exit_code() {
    let inputs = inputs();
    let program = Process::cargo_bin("heapsmith").expect("built").get_program().to_owned();
    let others = std::env::var_os("PATH").unwrap_or_default();
    let folders = Path::new(&program).parent().map(Path::to_owned).into_iter().chain(std::env::split_paths(&others));
    let path = std::env::join_paths(folders).expect("folders of programs");
    let mut run = 0;
    for (name, command) in commands() {
        let Ending { examples, exit_codes } = Ending::read(&name, &command);
        for example in examples.iter().filter(|example| !NOT_RUN.iter().any(|(begin, _)| example.starts_with(begin))) {
            let bench = Bench::new();
            copy_inputs(inputs.0.path(), example, bench.0.path());
            let output =
                Process::new("sh").args(["-c", example]).current_dir(bench.0.path()).env("PATH", &path).output();
            let output = output.expect("there is a shell");
            let code = output.status.code().unwrap_or(-1);
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(code != 2 && exit_codes.contains(&code), "{name}: {example}: {code}: {said}");
            run += 1;
        }
    }
    assert!(run > 40, "{run}");
}
