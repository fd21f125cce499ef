//! Words that are not used any more, since readers stumble over them. Old text has some left: how many, by file and phrase,
//! stands in `left.txt`, and none may be added.
//!
//! After rewording, `HEAPSMITH_BLESS=1 cargo test --test commands wording::` writes the numbers that are left; it refuses
//! a larger one.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

/// What is not used, and what takes its place.
const RETIRED: &[(&str, &str)] = &[
    ("behind", "after, following"),
    ("the question could not be put", "usage or I/O error: the command could not run"),
    ("somebody", "your, third-party, any"),
    ("whoever", "any"),
    ("nobody", "no one, or the subject itself"),
    ("roots told", "roots recorded"),
    ("does not tell", "does not record"),
    ("that either tells", "every recorded fact was compared"),
    ("told by the output alone", "present only in the output"),
    ("made up", "synthesised"),
    ("numbered anew", "renumbered"),
    ("in the writer's own way", "writer-specific, not compared"),
    ("is no text", "is not valid text; is a binary format"),
    ("is no format", "is not a format"),
    ("what to mend", "what to fix"),
    ("what is owed", "required"),
    ("lives on", "keeps running"),
    ("so many", "that many, or the number"),
];

/// Where the text of the project is.
const PLACES: &[&str] = &[
    "README.md",
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "benches",
    "bindings/java/README.md",
    "bindings/java/src",
    "bindings/python",
    "docs",
    "examples",
    "fuzz",
    "packaging",
    "specs",
    "build.rs",
    "crates/capi",
    "crates/check/src",
    "crates/core/src",
    "src",
    "tests",
];
/// Files of text.
const SUFFIXES: &[&str] = &["md", "rs", "toml", "html", "py", "sh", "java", "yml", "txt"];
/// What is written by the program, is this test's own, or lists ids that there were.
const LEFT_OUT: &[&str] =
    &["specs/rules.txt", "docs/results.md", "tests/commands/wording", "tests/report_html/node_modules", "fuzz/corpus"];

const LEFT: &str = "tests/commands/wording/left.txt";

fn files(root: &Path, place: &str, found: &mut Vec<PathBuf>) {
    let path = root.join(place);
    // What is built holds generated text, made from `specs/`, whose words are counted.
    if LEFT_OUT.contains(&place) || place.ends_with("/target") {
        return;
    }
    if path.is_dir() {
        let mut names: Vec<String> = fs::read_dir(&path)
            .expect("a folder")
            .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names.iter().for_each(|name| files(root, &format!("{place}/{name}"), found));
    } else if path.extension().is_some_and(|suffix| SUFFIXES.iter().any(|known| suffix == *known)) {
        found.push(PathBuf::from(place));
    }
}

/// How often a phrase stands in a text, as words of their own.
fn count(text: &str, phrase: &str) -> usize {
    let is_letter = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    let is_alone =
        |at: usize| !is_letter(text[..at].chars().next_back()) && !is_letter(text[at + phrase.len()..].chars().next());
    text.match_indices(phrase).filter(|(at, _)| is_alone(*at)).count()
}

fn counted() -> BTreeMap<(String, &'static str), usize> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut all = Vec::new();
    PLACES.iter().for_each(|place| files(root, place, &mut all));
    let mut counts = BTreeMap::new();
    for file in all {
        let text = fs::read_to_string(root.join(&file)).expect("text in UTF-8").to_lowercase();
        for (phrase, _) in RETIRED {
            let found = count(&text, phrase);
            if found > 0 {
                counts.insert((file.display().to_string(), *phrase), found);
            }
        }
    }
    counts
}

#[test]
fn retired_phrases_are_not_used_in_new_text() {
    let counts = counted();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(LEFT);
    let left = fs::read_to_string(&path).expect("the list of what is left");
    let known: BTreeMap<&str, usize> = left
        .lines()
        .map(|line| {
            let (count, place) = line.split_once(' ').expect("a number and a place");
            (place, count.parse().expect("a number"))
        })
        .collect();
    let mut wrong = String::new();
    let mut now = String::new();
    for ((file, phrase), count) in &counts {
        writeln!(now, "{count} {file}: {phrase}").expect("memory");
        let known = known.get(format!("{file}: {phrase}").as_str()).copied().unwrap_or(0);
        if *count > known {
            let instead = RETIRED.iter().find(|(retired, _)| retired == phrase).map_or("", |(_, instead)| instead);
            writeln!(wrong, "{file}: {phrase:?} {count} times, not {known}; write: {instead}").expect("memory");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    if std::env::var_os("HEAPSMITH_BLESS").is_some() {
        fs::write(&path, now).expect("it can be written");
    } else {
        assert!(now == left, "fewer are left: HEAPSMITH_BLESS=1 cargo test --test commands wording:: lowers {LEFT}");
    }
}

#[test]
fn phrases_are_words() {
    assert_eq!(count("behind, behindhand and is behind", "behind"), 2);
    assert_eq!(count("so many; somany so manyfold", "so many"), 1);
}
