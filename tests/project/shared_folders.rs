//! What reads or changes a folder that others may have written goes through `SharedFolder`, so that a new reader cannot forget to.

use crate::portable::{code, sources};

/// Where such folders are read and written.
const ROOMS: &[&str] = &[
    "crates/check/src/check/campaign/",
    "crates/check/src/check/kept_answers/",
    "crates/check/src/check/report/",
    "crates/check/src/check/sources/",
    "crates/check/src/corpus/",
    "crates/core/src/owned/",
];

/// Files that have to do with other paths as well, and which.
const OTHERS: &[(&str, &str)] = &[
    ("crates/check/src/check/campaign/mod.rs", "a dump that the command line names"),
    ("crates/check/src/check/sources/plan.rs", "dumps that the command line names"),
    ("crates/check/src/check/sources/user_dump.rs", "a dump that the command line names"),
    ("crates/check/src/check/campaign/state.rs", "a folder of temporary files, which says whose it is"),
    ("crates/core/src/owned/folder.rs", "the folder itself, which is made by its path"),
];

/// What goes by a path.
const BY_PATH: &[&str] = &[
    "fs::",
    "File::open",
    "File::create",
    "OpenOptions",
    "Output::create",
    "NamedTempFile",
    "tempfile_in",
    ".exists()",
    ".is_file()",
    ".read_dir()",
    ".read_link()",
    ".symlink_metadata()",
];

/// Whether a line has a call, and not one of which its name is a part.
fn has_call(line: &str, call: &str) -> bool {
    line.match_indices(call).any(|(at, _)| !line[..at].ends_with(char::is_alphanumeric) || call.starts_with('.'))
}

#[test]
fn reads_and_writes_shared_folders_by_their_descriptor_alone() {
    let mut wrong = Vec::new();
    for (name, text) in sources() {
        let is_tests = name.ends_with("/tests.rs");
        if is_tests || !ROOMS.iter().any(|room| name.starts_with(room)) {
            continue;
        }
        let lines = text.lines().map(code).take_while(|line| *line != "#[cfg(test)]").enumerate();
        let by_path: Vec<String> = lines
            .filter(|(_, line)| !line.starts_with("use ") && BY_PATH.iter().any(|call| has_call(line, call)))
            .map(|(number, line)| format!("{name}:{}: {line}", number + 1))
            .collect();
        match OTHERS.iter().find(|(other, _)| *other == name) {
            Some((_, why)) => assert!(!by_path.is_empty(), "{name} needs no exception: {why}"),
            None => wrong.extend(by_path),
        }
    }
    assert!(wrong.is_empty(), "these go by a path, and not through SharedFolder:\n{}", wrong.join("\n"));
}
