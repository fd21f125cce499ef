//! Running heapsmith, and looking at what is left.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

pub(crate) const HEAPSMITH: &str = env!("CARGO_BIN_EXE_heapsmith");

/// Whether Python is there; it must be where `HEAPSMITH_PYTHON_REQUIRED` is set.
pub(crate) fn has_python() -> bool {
    let is_there = Command::new("python3").arg("--version").output().is_ok_and(|output| output.status.success());
    assert!(is_there || std::env::var_os("HEAPSMITH_PYTHON_REQUIRED").is_none(), "python3 is required and not there");
    if !is_there {
        println!("skipped: no python3");
    }
    is_there
}

/// Python itself, as a word of a command: what stands on the path may be a script that looks for it, at each start.
pub(crate) fn interpreter() -> &'static str {
    static INTERPRETER: OnceLock<String> = OnceLock::new();
    INTERPRETER.get_or_init(|| {
        let output = Command::new("python3").args(["-c", "import sys; print(sys.executable)"]).output();
        let path = output.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned()).unwrap_or_default();
        shell_words::quote(if path.is_empty() { "python3" } else { &path }).into_owned()
    })
}

/// The command of a file beside these tests.
pub(crate) fn python(file: &str, arguments: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    format!("{} -S {} {arguments}", interpreter(), shell_words::quote(&path.to_string_lossy()))
}

/// A tool of the JDK that `JAVA_HOME` names, or of the one on the path.
fn jdk(tool: &str) -> String {
    let home = std::env::var("JAVA_HOME").map(|home| format!("{home}/bin/{tool}")).unwrap_or_default();
    if Path::new(&home).exists() { home } else { tool.to_owned() }
}

/// Java's classes in a new folder, compiled for Java 11; none where there is no JDK, which there must be where
/// `HEAPSMITH_JDK_REQUIRED` is set.
pub(crate) fn compiled(sources: &[PathBuf]) -> Option<TempDir> {
    let folder = tempfile::tempdir().expect("there is room for a folder");
    let built = Command::new(jdk("javac")).args(["--release", "11", "-d"]).arg(folder.path()).args(sources).output();
    let Ok(built) = built else {
        assert!(std::env::var_os("HEAPSMITH_JDK_REQUIRED").is_none(), "a JDK is required and not there");
        println!("skipped: no javac");
        return None;
    };
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    Some(folder)
}

/// The command of a class in such a folder.
pub(crate) fn java(classes: &TempDir, class: &str) -> String {
    format!("{} -cp {} {class}", jdk("java"), shell_words::quote(&classes.path().to_string_lossy()))
}

/// What an adapter answers to each of these lines. It is asked as the runner does, and has to end as for the runner.
#[track_caller]
pub(crate) fn ask(adapter: &str, requests: &[String]) -> Vec<String> {
    let words = shell_words::split(adapter).expect("a command");
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut process = command.spawn().expect("it can be started");
    let mut questions = process.stdin.take().expect("standard input");
    let mut lines = BufReader::new(process.stdout.take().expect("standard output")).lines();
    let mut answers = Vec::new();
    for request in requests {
        writeln!(questions, "{request}").expect("it reads");
        answers.push(lines.next().expect("an answer").expect("text"));
    }
    drop(questions);
    assert!(lines.next().is_none(), "it says more than it was asked");
    assert!(process.wait().expect("it ends").success());
    answers
}

/// Runs heapsmith with an argument for each word.
pub(crate) fn heapsmith(arguments: &[&str]) -> Output {
    heapsmith_with(arguments, &[])
}

fn heapsmith_with(arguments: &[&str], variables: &[(&str, &str)]) -> Output {
    let path = format!(
        "{}:{}",
        Path::new(HEAPSMITH).parent().expect("it lies in a folder").display(),
        std::env::var("PATH").unwrap_or_default()
    );
    let mut command = Command::new(HEAPSMITH);
    command.args(arguments).env("PATH", path).envs(variables.iter().copied());
    command.output().expect("heapsmith can be run")
}

/// Time for subjects that answer: on a busy machine, too.
pub(crate) const PATIENT: &[&str] = &["--time-limit", "120"];

/// What `check --json` says, and its exit code. Unless they name another limit, subjects have time.
pub(crate) fn check(arguments: &[&str]) -> (Value, i32) {
    check_with(arguments, &[])
}

/// The same, with more in the environment.
pub(crate) fn check_with(arguments: &[&str], variables: &[(&str, &str)]) -> (Value, i32) {
    let limit = if arguments.contains(&PATIENT[0]) { &[] } else { PATIENT };
    // Most tests are about verdicts.
    let is_explained = arguments.iter().any(|argument| argument.starts_with("--explain"));
    let plain: &[&str] = if is_explained || arguments.contains(&"--no-explain") { &[] } else { &["--no-explain"] };
    let output = heapsmith_with(&[&["check", "--json"], limit, plain, arguments].concat(), variables);
    let errors = String::from_utf8_lossy(&output.stderr);
    let told = serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {errors}"));
    (told, output.status.code().unwrap_or(-1))
}

/// The verdicts of the first implementation that are not 0.
pub(crate) fn tally(report: &Value) -> BTreeMap<String, u64> {
    let tally = report["implementations"][0]["tally"].as_object().expect("a tally");
    let counts = tally.iter().map(|(name, count)| (name.clone(), count.as_u64().expect("a count")));
    counts.filter(|(_, count)| *count > 0).collect()
}

/// What happened in a case of the first implementation.
pub(crate) fn outcomes(report: &Value) -> Vec<&Value> {
    let results = report["implementations"][0]["results"].as_array().expect("results");
    results.iter().map(|result| &result["outcome"]).collect()
}

/// A number of seconds to sleep that no other test has.
pub(crate) fn mark() -> String {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    format!("{}", 700_000_000 + 1000 * (std::process::id() % 100_000) + NEXT.fetch_add(1, Ordering::Relaxed))
}

/// Processes with this word in their command.
pub(crate) fn processes(word: &str) -> Vec<String> {
    let Ok(all) = fs::read_dir("/proc") else { return Vec::new() };
    let command = |entry: fs::DirEntry| fs::read_to_string(entry.path().join("cmdline")).ok();
    let has = |command: &String| command.split('\0').any(|part| part == word);
    all.flatten().filter_map(command).filter(has).collect()
}

#[track_caller]
pub(crate) fn assert_gone(word: &str) {
    wait_until(&format!("no process with {word} in its command is left"), || processes(word).is_empty());
}

/// Waits for what has to happen, however busy the machine is.
#[track_caller]
pub(crate) fn wait_until(what: &str, is_so: impl Fn() -> bool) {
    let asked = Instant::now();
    while !is_so() {
        assert!(asked.elapsed() < Duration::from_secs(300), "not within five minutes: {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}
