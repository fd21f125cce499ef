//! The console blocks of the documents, run as they stand.
//!
//! Each document is copied to a temporary folder, and trycmd runs its commands one after the other in a
//! sandbox there. The sandbox holds the corpus and what the document's own `hex NAME`, `jsonl NAME`, `kdl NAME`, `sh NAME`
//! and `toml NAME` blocks spell; nothing is left. To write outputs anew after a change that was meant:
//!
//! ```sh
//! TRYCMD=overwrite cargo test --test commands readme::
//! ```
//!
//! Some of the decoders are shell scripts.
#![cfg(unix)]

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use crate::has_python;

/// The README's first command as people type it, and as it is run here, where the binary is built already.
const FIRST: (&str, &str) = ("$ cargo run --release -- demo\n", "$ heapsmith demo\n");

/// Programs that are asked in the documents have more time here: a busy machine changes no output.
const PATIENCE: &str = "--time-limit 120 ";

/// A test for each document, and all of them.
macro_rules! documents {
    ($($name:ident: $path:literal),* $(,)?) => {
        $(
            #[test]
            fn $name() {
                run($path);
            }
        )*
        const DOCUMENTS: &[&str] = &[$($path),*];
    };
}

documents! {
    readme: "README.md",
    analyser: "docs/analyser.md",
    broken_dump: "docs/broken-dump.md",
    ci: "docs/ci.md",
    converter: "docs/converter.md",
    formats: "docs/formats.md",
    fuzzing: "docs/fuzzing.md",
    generating: "docs/generating.md",
    heap_file: "docs/heap-file.md",
    parser: "docs/parser.md",
    tests: "docs/tests.md",
    two_dumps: "docs/two-dumps.md",
    listing: "specs/listing.md",
}

/// The folders whose documents are run.
const PLACES: [&str; 3] = ["", "docs", "specs"];

#[test]
fn every_console_block_is_run() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for place in PLACES {
        for entry in fs::read_dir(root.join(place)).expect("a folder") {
            let path = Path::new(place).join(entry.expect("an entry").file_name()).to_string_lossy().into_owned();
            let has_console = || fs::read_to_string(root.join(&path)).is_ok_and(|text| text.contains("\n```console\n"));
            if path.ends_with(".md") && has_console() {
                assert!(DOCUMENTS.contains(&path.as_str()), "{path} has console blocks that are not run");
            }
        }
    }
}

/// The README has no more lines, so that it is read.
#[test]
fn the_readme_is_short() {
    let readme = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md")).expect("the README");
    assert!(readme.lines().count() <= 150, "{} lines, not 150 or less", readme.lines().count());
}

/// The five lines of docs/tests.md are those of the crate's documentation, which is run as a test.
#[test]
fn readme_example_equals_crate_documentation() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = fs::read_to_string(root.join("docs/tests.md")).expect("the page");
    let library = fs::read_to_string(root.join("src/lib.rs")).expect("the library");
    let (_, example) = page.split_once("```rust\n").expect("a block of Rust");
    let (example, _) = example.split_once("```").expect("its end");
    let documented: Vec<&str> = library.lines().filter_map(|line| line.strip_prefix("//!")).map(str::trim).collect();
    for line in example.lines().map(|line| line.split(" //").next().unwrap_or_default().trim()) {
        assert!(documented.contains(&line), "src/lib.rs has no line {line:?}");
    }
}

fn run(document: &str) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(root.join(document)).expect("the document");
    if text.contains("'python3 ") && !has_python(&format!("an adapter of {document} needs it")) {
        return;
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let copy = folder.path().join("document.md");
    fs::write(&copy, patient(&text.replace(FIRST.0, FIRST.1))).expect("writable");

    // trycmd's convention: `.in` is what the sandbox begins with, and that there is an `.out` asks for one.
    let sandbox = copy.with_extension("in");
    fs::create_dir_all(&sandbox).expect("creatable");
    fs::create_dir(copy.with_extension("out")).expect("creatable");
    let mut folders = vec![PathBuf::from("corpus")];
    while let Some(folder) = folders.pop() {
        fs::create_dir_all(sandbox.join(&folder)).expect("creatable");
        for entry in fs::read_dir(root.join(&folder)).expect("the corpus") {
            let entry = entry.expect("an entry");
            let path = folder.join(entry.file_name());
            if entry.path().is_dir() {
                folders.push(path);
            } else {
                fs::copy(entry.path(), sandbox.join(path)).expect("copied");
            }
        }
    }
    for (name, bytes) in spelled(&text) {
        fs::write(sandbox.join(name), bytes).expect("writable");
    }

    let heapsmith = Path::new(env!("CARGO_BIN_EXE_heapsmith"));
    trycmd::TestCases::new()
        .register_bin("heapsmith", heapsmith)
        .env("PATH", path_with(heapsmith).to_str().expect("Unicode"))
        .case(&copy)
        .run();

    if env::var_os("TRYCMD").is_some_and(|mode| mode == "overwrite") {
        let written = fs::read_to_string(&copy).expect("the copy").replace(FIRST.1, FIRST.0).replace(PATIENCE, "");
        fs::write(root.join(document), written).expect("writable");
    }
}

/// The text, with that limit in its commands, and in those that outputs repeat.
fn patient(text: &str) -> String {
    let line = |line: &str| {
        let asks =
            ["$ heapsmith check ", "$ heapsmith adapter test "].into_iter().find(|begin| line.starts_with(begin));
        match asks {
            Some(begin) => line.replacen(begin, &format!("{begin}{PATIENCE}"), 1),
            None if line.starts_with("  repeat: ") => line.replacen("--filter ", &format!("{PATIENCE}--filter "), 1),
            None => line.to_owned(),
        }
    };
    text.split_inclusive('\n').map(line).collect()
}

/// The files that blocks with a language and a name spell: digits of bytes, or text.
fn spelled(text: &str) -> Vec<(&str, Vec<u8>)> {
    let bytes = |digits: &str| {
        let digits: Vec<u8> = digits.chars().filter_map(|c| c.to_digit(16)).map(|d| d as u8).collect();
        digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect()
    };
    let hex = blocks(text, "```hex ").into_iter().map(|(name, block)| (name, bytes(block)));
    let texts = ["```jsonl ", "```kdl ", "```sh ", "```toml "].into_iter().flat_map(|begin| blocks(text, begin));
    hex.chain(texts.map(|(name, block)| (name, block.as_bytes().to_vec()))).collect()
}

/// The blocks that begin so, with their names.
fn blocks<'t>(text: &'t str, begin: &str) -> Vec<(&'t str, &'t str)> {
    let mut blocks = Vec::new();
    let mut rest = text;
    while let Some((_, block)) = rest.split_once(begin) {
        let (name, block) = block.split_once('\n').expect("a name");
        let (block, after) = block.split_once("```").expect("an end");
        blocks.push((name, block));
        rest = after;
    }
    blocks
}

/// The path on which `check` finds heapsmith as a decoder.
fn path_with(heapsmith: &Path) -> PathBuf {
    let own = heapsmith.parent().expect("a folder").to_owned();
    let others = env::var_os("PATH").unwrap_or_default();
    env::join_paths([own].into_iter().chain(env::split_paths(&others))).expect("a path").into()
}
