//! `rewrite --through heap` of HPROF dumps that no profile gives again.

use std::path::Path;
use std::process::{Command, Output};

use assert_cmd::cargo::CommandCargoExt;

fn run(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::cargo_bin("heapsmith").expect("built");
    command.args(arguments).current_dir(folder).output().expect("started")
}

fn ok(folder: &Path, arguments: &[&str]) -> (String, String) {
    let ran = run(folder, arguments);
    let (out, err) =
        (String::from_utf8_lossy(&ran.stdout).into_owned(), String::from_utf8_lossy(&ran.stderr).into_owned());
    assert!(ran.status.success(), "{arguments:?}: {out}{err}");
    (out, err)
}

/// Roots and their places, parts of the heap, class serial numbers, the log and the header's version are there again: in
/// whatever spelling, the dump differs in nothing that `compare` looks at.
#[test]
fn rewrite_keeps_every_fact_without_recognised_writer() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let mut unknown = 0;
    let mut versions = std::collections::BTreeSet::new();
    for seed in 1..=12 {
        let seed = seed.to_string();
        let generate = ["generate", "--format", "hprof", "--profile", "any", "--objects", "40", "--force"];
        ok(folder, &[&generate[..], &["--seed", &seed, "-o", "any.hprof"]].concat());
        let version = std::fs::read(folder.join("any.hprof")).expect("a dump")[13..18].to_vec();
        versions.insert(String::from_utf8(version).expect("text"));
        let (_, told) = ok(folder, &["rewrite", "any.hprof", "-o", "again.hprof", "--through", "heap", "--force"]);
        if told.is_empty() {
            // Whole and in 1.0.1 a dump may be one that HotSpot 8 could have written.
            let read = |name| std::fs::read(folder.join(name)).expect("a dump");
            assert!(read("any.hprof") == read("again.hprof"), "seed {seed}");
        } else {
            unknown += 1;
            assert!(told.contains("no profile reproduces this dump's bytes"), "seed {seed}: {told}");
            assert!(told.contains("--profile"), "seed {seed}: {told}");
        }
        // Without an option nothing is left out: orders, header and log are compared.
        ok(folder, &["compare", "any.hprof", "again.hprof"]);
        let (found, _) = ok(folder, &["validate", "again.hprof"]);
        assert!(!found.contains("error"), "seed {seed}: {found}");
    }
    assert!(unknown >= 6, "{unknown}");
    assert_eq!(versions.into_iter().collect::<Vec<_>>(), ["1.0.1", "1.0.2", "1.0.3"]);
}

/// With a profile it is that writer's dump, whose rules hold.
#[test]
fn rewrite_imitates_named_profile() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    ok(
        folder,
        &["generate", "--format", "hprof", "--profile", "any", "--seed", "3", "--objects", "40", "-o", "any.hprof"],
    );
    let (_, told) =
        ok(folder, &["rewrite", "any.hprof", "-o", "plain.hprof", "--through", "heap", "--profile", "hotspot-17"]);
    // The heap has the classes of arrays and primitive types among its roots, which HotSpot has not.
    let left_out = "warning: roots that hprof/hotspot-17 leaves out: sticky-class (";
    assert!(told.starts_with(left_out) && told.lines().count() == 1, "{told}");
    let (listed, _) = ok(folder, &["inspect", "plain.hprof"]);
    for kind in ["ROOT UNKNOWN", "ROOT NATIVE STACK", "ROOT THREAD BLOCK", "ROOT MONITOR USED"] {
        assert!(!listed.contains(kind), "{kind}");
    }
    // What that costs is told.
    let (report, _) =
        ok(folder, &["convert", "any.hprof", "-o", "told.hprof", "--to", "hprof", "--profile", "hotspot-17"]);
    assert!(report.contains("by rule: roots"), "{report}");
}
