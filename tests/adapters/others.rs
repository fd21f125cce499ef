//! Third-party implementations with their adapters: what they get wrong is known, and nothing else is wrong. Those
//! that need more than cargo and a JDK are run by docs/results.sh.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::bench::{check, has_python, python, tally};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// The known failures of the programs of a folder.
fn expected(folder: &str) -> String {
    format!("{ROOT}/examples/adapters/{folder}/expected.toml")
}

/// The adapters in Rust, built by cargo from the registry's crates.
fn built() -> Option<PathBuf> {
    let target = Path::new(ROOT).join("target/adapters");
    let status = Command::new(env!("CARGO"))
        .args(["build", "--quiet", "--release", "--locked", "--manifest-path"])
        .arg(format!("{ROOT}/examples/adapters/rust/Cargo.toml"))
        .arg("--target-dir")
        .arg(&target)
        .status();
    if status.is_ok_and(|status| status.success()) {
        return Some(target.join("release"));
    }
    assert!(
        env::var_os("HEAPSMITH_PEERS_REQUIRED").is_none(),
        "the adapters in Rust are required, and cannot be built"
    );
    println!("skipped: the adapters in Rust cannot be built here");
    None
}

#[test]
#[ignore = "long: tests/long.sh runs it"]
fn rust_readers_fail_only_where_expected() {
    let Some(folder) = built() else { return };
    for (name, known) in [("jvm-hprof-adapter", "jvm-hprof"), ("scrump-adapter", "scrump-format-hprof")] {
        let adapter = folder.join(name).to_string_lossy().into_owned();
        let question = ["--format", "hprof", "--random", "60", "--seed", "1", "--expected", &expected(known)];
        let (report, code) = check(&[&["--adapter", &adapter], &question[..]].concat());
        let results = report["implementations"][0]["results"].as_array().expect("results");
        let is_unexpected = |result: &&serde_json::Value| {
            let verdict = &result["outcome"]["verdict"];
            result["expected"].is_null() != (verdict == "pass" || verdict == "skip")
        };
        let unexpected: Vec<_> = results.iter().filter(is_unexpected).collect();
        assert_eq!(code, 0, "{name}: {unexpected:#?}");
        let verdicts = tally(&report);
        assert!(verdicts["pass"] > 100 && verdicts["wrong-verdict"] > 2, "{name}: {verdicts:?}");
    }
}

/// HotSpot writes heaps of the corpus that its own Java code has made.
#[test]
#[ignore = "long: tests/long.sh runs it"]
fn hotspot_writes_requested_heaps() {
    if !has_python() {
        return;
    }
    let has = |tool: &str| {
        let at_home = env::var("JAVA_HOME").is_ok_and(|home| Path::new(&home).join("bin").join(tool).exists());
        at_home || Command::new(tool).arg("--help").output().is_ok()
    };
    if !["java", "javac", "jcmd", "jhsdb"].into_iter().all(has) {
        assert!(env::var_os("HEAPSMITH_JDK_REQUIRED").is_none(), "a JDK is required and not there");
        println!("skipped: no JDK");
        return;
    }
    let classes = tempfile::tempdir().expect("there is room for a folder");
    let source = format!("{ROOT}/examples/adapters/programs/writers/HeapWriter.java");
    let built = Command::new("javac").arg("-d").arg(classes.path()).arg(source).status();
    assert!(built.is_ok_and(|status| status.success()), "HeapWriter.java cannot be built");
    // The objects of the last stand in another order in the dump than in its listing.
    for (writer, cases, passes) in [
        ("jcmd", "hprof-spelled-sta", 2),
        ("jhsdb", "hprof-spelled-sta", 2),
        ("jcmd", "hprof-spelled-late-tables-of-a", 1),
    ] {
        let arguments = format!("{writer} {}", classes.path().display());
        let adapter = python("examples/adapters/programs/writers/writer.py", &arguments);
        let question = ["--operation", "encode", "--filter", cases, "--allow-skips"];
        let (report, code) = check(&[&["--adapter", &adapter, "--expected", &expected("jdk")], &question[..]].concat());
        let verdicts = tally(&report);
        assert_eq!(code, 0, "{writer}: {report:#}");
        assert!(verdicts["pass"] >= passes, "{writer}: {verdicts:?}");
    }
    // Random heaps without objects of the library can be built by any program.
    let adapter = python("examples/adapters/programs/writers/writer.py", &format!("jcmd {}", classes.path().display()));
    let random =
        ["--random", "250", "--seed", "1", "--format", "hprof", "--filter", "random-odd-no-library", "--allow-skips"];
    let (report, code) = check(&[&["--adapter", &adapter, "--operation", "encode"], &random[..]].concat());
    assert_eq!((code, tally(&report)["pass"]), (0, 6), "{report:#}");
}

/// The folder with other people's programs: that which `HEAPSMITH_PEERS` names, and one with VisualVM's library, a package of Debian,
/// where it can be fetched.
fn analysers() -> Vec<(&'static str, PathBuf)> {
    let mut found = Vec::new();
    let named = env::var_os("HEAPSMITH_PEERS").map(PathBuf::from);
    for program in ["heaptrail", "hprof-analyzer"] {
        let path = named.as_ref().map(|folder| folder.join("bin").join(program)).filter(|path| path.exists());
        match path {
            Some(path) => found.push((program, path)),
            None => println!("skipped: {program}, which takes minutes to build: examples/adapters/answers.sh runs it"),
        }
    }
    let folder = Path::new(ROOT).join("target/analysers");
    let script = format!("{ROOT}/examples/adapters/visualvm/install.sh");
    let installed = Command::new("bash").arg(script).arg(&folder).output();
    match installed.is_ok_and(|output| output.status.success()) {
        true => found.push(("visualvm", folder)),
        false => println!("skipped: VisualVM's library, which needs apt-get, dpkg and a JDK from 17 on"),
    }
    found
}

#[test]
#[ignore = "long: tests/long.sh runs it"]
fn analysers_fail_only_where_expected() {
    let required = env::var_os("HEAPSMITH_PEERS_REQUIRED").is_some();
    let found = if has_python() { analysers() } else { Vec::new() };
    assert!(!required || !found.is_empty(), "an analyser is required and not there");
    for (name, path) in found {
        let place = path.display();
        let adapter = match name {
            "heaptrail" => python("examples/adapters/programs/heaptrail.py", &format!("{place} --answers")),
            "hprof-analyzer" => python("examples/adapters/programs/hprof_analyzer.py", &format!("{place} --answers")),
            _ => format!("java -cp {place}/visualvm.jar:{place}/visualvm-classes VisualVmAdapter --with-classes"),
        };
        let expected = format!("{ROOT}/examples/adapters/expected-answers.toml");
        let question = ["--format", "hprof", "--level", "answers", "--expected", &expected];
        let cases =
            ["--filter", "hprof-hotspot-17", "--filter", "hprof-spelled-java-names", "--filter", "hprof-any-*-seed1"];
        let (report, code) = check(&[&["--adapter", &*adapter], &question[..], &cases[..]].concat());
        let verdicts = tally(&report);
        assert_eq!(code, 0, "{name}: {report:#}");
        assert!(
            verdicts["pass"] >= 1 && verdicts.len() > 1,
            "{name} is right in some, and wrong in others: {verdicts:?}"
        );
    }
}
