//! What the library brings along without its default features.

use std::collections::BTreeSet;
use std::process::Command;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// The most crates, heapsmith itself and what only compiles included.
const MOST: usize = 30;

#[test]
fn library_alone_depends_only_on_justified_crates() {
    let tree = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args([
            "tree",
            "-p",
            "heapsmith",
            "--offline",
            "--locked",
            "-e",
            "normal",
            "--no-default-features",
            "--no-dedupe",
        ])
        .args(["--prefix", "none", "--format", "{p}"])
        .current_dir(ROOT)
        .output()
        .expect("cargo runs, since it runs this test");
    assert!(tree.status.success(), "{}", String::from_utf8_lossy(&tree.stderr));
    let text = String::from_utf8(tree.stdout).expect("names are text");
    let names: BTreeSet<&str> = text.lines().filter_map(|line| line.split(' ').next()).collect();
    assert!(names.len() <= MOST, "{} crates: {names:?}", names.len());

    let page = std::fs::read_to_string(format!("{ROOT}/docs/features.md")).expect("it is in the repository");
    let (_, remaining) = page.split_once("## What remains").expect("the section of what remains");
    let (_, remaining) = remaining.split_once("|---|").expect("the table of crates");
    // The second column says why, and may speak of anything.
    let told = remaining.lines().flat_map(|line| match line.split('|').collect::<Vec<_>>()[..] {
        [_, name, _why, brings, _] => [name, brings],
        _ => [line, ""],
    });
    let told: BTreeSet<&str> = told.flat_map(|cell| cell.split('`').skip(1).step_by(2)).collect();
    let other: BTreeSet<&str> = names.iter().copied().filter(|name| !name.starts_with("heapsmith")).collect();
    assert_eq!(told, other, "docs/features.md names other crates than cargo does");
}

#[test]
fn documents_every_feature() {
    let manifest: toml::Table =
        std::fs::read_to_string(format!("{ROOT}/Cargo.toml")).expect("it is there").parse().expect("it is TOML");
    let declared = manifest["features"].as_table().expect("a table").keys().map(String::as_str);
    let declared: BTreeSet<&str> = declared.filter(|name| *name != "default").collect();
    let page = std::fs::read_to_string(format!("{ROOT}/docs/features.md")).expect("it is in the repository");
    let rows = page.lines().skip_while(|line| !line.starts_with("| feature")).skip(2);
    let rows = rows.take_while(|line| line.starts_with('|')).filter_map(|line| line.split('`').nth(1));
    assert_eq!(rows.collect::<BTreeSet<_>>(), declared);
}
