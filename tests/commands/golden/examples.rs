//! The examples of `examples/golden/`: a toy parser with one bug, tested by golden dumps.

use std::env;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use super::{Bench, ROOT};

/// What a failure says of one of the dumps that show the bug. The bytes are spelled by hand in
/// `specs/cases/hprof/`: the identifier of the class object in its CLASS DUMP.
const MESSAGE: &str = "\
hprof-spelled-high-ids: identifiers of 4 bytes from 80000000 on
  facet:    address at 0x80001000
  expected: class
  found:    nothing
  rule:     hprof.id.unsigned: Identifiers are unsigned: one of 4 bytes from 80000000 on is not extended by its sign.
  bytes:    472 to 476: 80 00 10 00
";
/// The other dumps: each has an identifier of 4 bytes from 80000000 on.
const OTHERS: [&str; 8] = [
    "hprof-hotspot-8-4-high-addresses",
    "hprof-spelled-all-bits-set",
    "hprof-spelled-array-at-the-end",
    "hprof-spelled-distances-unaligned",
    "hprof-spelled-greatest-id-instance",
    "hprof-spelled-greatest-id-no-data-array",
    "hprof-spelled-greatest-id-object-array",
    "hprof-spelled-greatest-id-primitive-array",
];

/// Copies the files of an example, after a change.
fn copied(example: &str, bench: &Bench, change: impl Fn(&str) -> String) {
    for entry in fs::read_dir(Path::new(ROOT).join("examples/golden").join(example)).expect("an example") {
        let path = entry.expect("an entry").path();
        let text = fs::read_to_string(&path).expect("a source");
        fs::write(bench.path(path.file_name().expect("a name").to_str().expect("text")), change(&text))
            .expect("writable");
    }
}

/// Whether something of the machine is there; if not, that is printed, and an error where it is required.
fn is_there(what: &str, required: &str, there: bool) -> bool {
    assert!(there || env::var_os(required).is_none(), "{what} is required and not there");
    if !there {
        println!("skipped: no {what}");
    }
    there
}

fn printed(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).replace('\r', "")
}

/// The Python that has pytest, if there is one.
fn python() -> Option<&'static str> {
    let has = |python: &&str| {
        let output = Command::new(python).args(["-m", "pytest", "--version"]).output();
        output.is_ok_and(|output| output.status.success())
    };
    // Debian's package belongs to Debian's Python, which may not be the first one.
    let python = ["python3", "/usr/bin/python3"].into_iter().find(has);
    is_there("pytest", "HEAPSMITH_PYTEST_REQUIRED", python.is_some());
    python
}

/// What the toy parser's tests print over the folder `golden`.
fn tested(python: &str, bench: &Bench, change: &dyn Fn(&str) -> String) -> String {
    copied("pytest", bench, change);
    let mut command = Command::new(python);
    command.args(["-B", "-m", "pytest", "-q", "-p", "no:cacheprovider", "--color=no", "test_golden_dumps.py"]);
    printed(&command.current_dir(bench.path("")).env_remove("GOLDEN").output().expect("it runs"))
}

/// A user's own cases are run by the same test, which finds the same bug.
#[test]
fn pytest_runs_users_own_cases() {
    let Some(python) = python() else { return };
    let bench = Bench::new();
    for (id, answer) in
        [("high", &["--listing", "high.jsonl"][..]), ("low", &["--listing", "low.jsonl"]), ("cut", &["--refused"])]
    {
        let (dump, name) = match id {
            "high" => (fs::read(high_ids("hprof")).expect("a case"), "high.hprof"),
            _ => (super::own::low(&bench, id == "cut"), "low.hprof"),
        };
        fs::write(bench.path(name), dump).expect("writable");
        fs::copy(high_ids("jsonl"), bench.path("high.jsonl")).expect("a listing");
        let added = bench.command(&[&["corpus", "add", name, "-o", "golden", "--id", id], answer].concat());
        assert_eq!(added.0, 0, "{id}: {}", added.2);
    }
    let failing = tested(python, &bench, &str::to_owned);
    assert!(failing.contains("high: high.hprof\n  facet:    address at 0x80001000\n  expected: class\n"), "{failing}");
    assert!(failing.lines().last().is_some_and(|last| last.starts_with("1 failed, 2 passed")), "{failing}");
}

fn high_ids(suffix: &str) -> std::path::PathBuf {
    Path::new(ROOT).join("corpus/hprof/spelled").join(format!("hprof-spelled-high-ids.{suffix}"))
}

#[test]
fn pytest_finds_the_bug_and_nothing_else() {
    let Some(python) = python() else { return };
    let run = |change: &dyn Fn(&str) -> String| {
        let bench = Bench::new();
        assert_eq!(bench.export(&["--format", "hprof"]).0, 0);
        tested(python, &bench, change)
    };
    let failing = run(&str::to_owned);
    assert!(failing.contains(MESSAGE) && OTHERS.iter().all(|other| failing.contains(other)), "{failing}");
    assert!(
        failing.lines().last().is_some_and(|last| last.starts_with(&format!("{} failed, ", OTHERS.len() + 1))),
        "{failing}"
    );
    let mended = run(&|source| source.replace("signed=self.id_size == 4", "signed=False"));
    assert!(
        mended.lines().last().is_some_and(|last| last.contains(" passed, ") && !last.contains("failed")),
        "{mended}"
    );
}

#[test]
fn junit_finds_the_bug_and_nothing_else() {
    // Debian's junit5 and what it needs.
    let jars = "junit-jupiter-api junit-jupiter-engine junit-platform-commons junit-platform-engine junit-platform-launcher \
                junit-platform-console junit-platform-reporting opentest4j opentest4j-reporting-events apiguardian-api picocli \
                univocity-parsers";
    let jars: Vec<String> = jars.split_whitespace().map(|name| format!("/usr/share/java/{name}.jar")).collect();
    let has_junit = jars.iter().all(|jar| Path::new(jar).is_file());
    let home = env::var("JAVA_HOME").map(|home| format!("{home}/bin/"));
    let tool = |name: &str| home.as_ref().map_or(name.to_owned(), |folder| format!("{folder}{name}"));
    let has_jdk = Command::new(tool("javac")).arg("-version").output().is_ok_and(|output| output.status.success());
    if !is_there("JDK", "HEAPSMITH_JDK_REQUIRED", has_jdk)
        || !is_there("JUnit 5", "HEAPSMITH_JUNIT_REQUIRED", has_junit)
    {
        return;
    }
    let path = jars.join(":") + ":.";
    let run = |change: &dyn Fn(&str) -> String| {
        let bench = Bench::new();
        assert_eq!(bench.export(&["--format", "hprof"]).0, 0);
        copied("junit", &bench, change);
        let mut compile = Command::new(tool("javac"));
        compile.current_dir(bench.path("")).args([
            "--release",
            "11",
            "-cp",
            &path,
            "GoldenDumpsTest.java",
            "ToyParser.java",
        ]);
        let built = compile.output().expect("it runs");
        assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
        let mut command = Command::new(tool("java"));
        command.args(["-cp", &path, "org.junit.platform.console.ConsoleLauncher", "--select-class", "GoldenDumpsTest"]);
        command.args(["--disable-banner", "--disable-ansi-colors", "--details=summary"]);
        printed(&command.current_dir(bench.path("")).output().expect("it runs"))
    };
    let failing = run(&str::to_owned);
    assert!(failing.contains(MESSAGE) && OTHERS.iter().all(|other| failing.contains(other)), "{failing}");
    assert!(failing.contains(&format!(" {} tests failed ", OTHERS.len() + 1)), "{failing}");
    let mended = run(&|source| {
        source.replace(
            "(field == 'I' && idSize == 4 ? new BigInteger(bytes) : new BigInteger(1, bytes))",
            "new BigInteger(1, bytes)",
        )
    });
    assert!(mended.contains(" 0 tests failed ") && !mended.contains(" 0 tests successful "), "{mended}");
}
