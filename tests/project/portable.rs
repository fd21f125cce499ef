//! Calls that only Unix has stand in crates/core/src/system/unix/ alone, and what is compiled instead of them is chosen in one place.

use std::fs;
use std::path::{Path, PathBuf};

use crate::layers::CRATES;

/// What is not portable, and what asks for the system.
const NOT_PORTABLE: &[&str] = &[
    "std::os::",
    "rustix",
    "signal_hook",
    "signal-hook",
    "libc::",
    "heapsmith_portable",
    "target_os",
    "target_family",
    "cfg!(unix",
];

/// Where it may stand: the Unix implementation, and the choice between that and its portable twin.
const PLACES: &[&str] = &["crates/core/src/system/unix/", "crates/core/src/system/mod.rs"];

pub(crate) fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|suffix| suffix == "rs") {
            found.push(path);
        }
    }
}

/// Files of the crates by their paths, with `/` on any system.
pub(crate) fn sources() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    CRATES.iter().for_each(|sources| files(&root.join(sources), &mut found));
    found.sort();
    let source = |path: PathBuf| {
        let name = path.strip_prefix(root).expect("below").to_string_lossy().replace('\\', "/");
        (name, fs::read_to_string(path).expect("text in UTF-8"))
    };
    found.into_iter().map(source).collect()
}

/// A line without its comment.
pub(crate) fn code(line: &str) -> &str {
    line.split_once("//").map_or(line, |(code, _)| code).trim()
}

#[test]
fn keeps_unix_calls_in_system_module() {
    let (mut wrong, mut there) = (Vec::new(), 0);
    for (name, text) in sources() {
        let is_place = PLACES.iter().any(|place| name.starts_with(place));
        for (number, line) in text.lines().enumerate() {
            if NOT_PORTABLE.iter().any(|word| code(line).contains(word)) {
                match is_place {
                    true => there += 1,
                    false => wrong.push(format!("{name}:{}: {}", number + 1, line.trim())),
                }
            }
        }
    }
    assert!(wrong.is_empty(), "these belong into crates/core/src/system/unix/:\n{}", wrong.join("\n"));
    assert!(there > 20, "the words are found where they are: {there}");
}

fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(|c: char| !c.is_alphanumeric() && c != '_')
}

/// A test of what only Unix has, such as symbolic links, may be left out elsewhere. Nothing else may.
#[test]
fn excludes_only_tests_on_other_systems() {
    let chooses = ["crates/core/src/system/mod.rs", "crates/core/src/system/portable/file.rs"];
    for (name, text) in sources().iter().filter(|(name, _)| !chooses.contains(&name.as_str())) {
        let lines: Vec<&str> = text.lines().map(code).collect();
        for (number, line) in lines.iter().enumerate() {
            let is_asked = line.contains("cfg") && words(line).any(|word| word == "unix" || word == "windows");
            let is_test = *line == "#[cfg(unix)]" && lines.get(number + 1) == Some(&"#[test]");
            assert!(!is_asked || is_test, "{name}:{}: {line}", number + 1);
        }
    }
}

#[test]
fn declares_unix_crates_for_unix_only() {
    let mut found = 0;
    for sources in CRATES {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(sources).with_file_name("Cargo.toml");
        let text = fs::read_to_string(path).expect("the manifest");
        let mut section = "";
        for line in text.lines() {
            if line.starts_with('[') {
                section = line;
            }
            let name = line.split('=').next().unwrap_or_default().trim();
            // The workspace gives a version, and asks for nothing.
            if ["rustix", "signal-hook"].contains(&name) && section != "[workspace.dependencies]" {
                assert!(section.contains("cfg(unix)"), "{line} is in {section}");
                found += 1;
            }
        }
    }
    assert!(found >= 2, "both are there");
}
