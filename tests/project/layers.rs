//! The layers of the library: a module imports only from those below it. Their order is in ARCHITECTURE.md.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// The sources of the crates, from the lowest one.
pub(crate) const CRATES: [&str; 5] =
    ["crates/core/src", "crates/check/src", "crates/capi/src", "bindings/python/src", "src"];

#[test]
fn every_module_imports_only_from_layers_below_it() {
    let layers = layers();
    let mut upwards = Vec::new();
    for file in files() {
        let module = &file.module[0];
        let own = layers.get(module).unwrap_or_else(|| panic!("ARCHITECTURE.md has no layer for `{module}`"));
        for (line, imported) in imports(&file.text, &file.module) {
            let Some(layer) = layers.get(&imported) else { continue };
            if layer <= own && imported != *module {
                upwards.push(format!("{}:{line}: {module} imports {imported}", file.path));
            }
        }
    }
    assert!(upwards.is_empty(), "imports that do not lead downwards:\n{}", upwards.join("\n"));
}

#[test]
fn every_layer_is_a_module_and_every_module_has_one_layer() {
    let modules: BTreeSet<String> = files().into_iter().map(|file| file.module[0].clone()).collect();
    assert_eq!(layers().into_keys().collect::<BTreeSet<_>>(), modules);
}

#[test]
fn imports_are_found_however_they_are_spelled() {
    let text = "\
use crate::model::Heap;\n\
use crate::{error::Error, hprof::{self, decode::At}, phd};\n\
// use crate::check;\n\
fn f() { crate::compare::g(super::super::output::new()) }\n\
use super::record;\n\
#[cfg(test)]\n\
mod tests {\n    use crate::generate;\n}\n";
    let found = imports(text, &["classic".to_owned(), "lift".to_owned()]);
    let names: Vec<(usize, &str)> = found.iter().map(|(line, name)| (*line, name.as_str())).collect();
    assert_eq!(names, [(1, "model"), (2, "error"), (2, "hprof"), (2, "phd"), (4, "compare"), (4, "output")]);
    // In a top-level module `super` is the root.
    assert_eq!(imports("use super::model::Heap;", &["error".to_owned()]), [(1, "model".to_owned())]);
}

/// The layer of each module: 0 is the uppermost.
fn layers() -> BTreeMap<String, usize> {
    let text = fs::read_to_string(Path::new(ROOT).join("ARCHITECTURE.md")).expect("it is in the repository");
    let (_, section) = text.split_once("\n## The layers\n").expect("a section `The layers`");
    let block = section.split("```").nth(1).expect("a block of text").trim_start_matches("text");
    let mut layers = BTreeMap::new();
    for (layer, line) in block.lines().filter(|line| !line.trim().is_empty()).enumerate() {
        let (modules, _) = line.split_once("  ").expect("modules, two spaces, what they are");
        let modules: Vec<String> = match modules {
            "(formats)" => formats(),
            _ => modules.split(", ").map(str::to_owned).collect(),
        };
        for module in modules {
            assert_eq!(layers.insert(module.clone(), layer), None, "{module} stands there twice");
        }
    }
    layers
}

/// The modules that implement a format.
fn formats() -> Vec<String> {
    let folders =
        fs::read_dir(Path::new(ROOT).join(CRATES[0])).expect("a folder").map(|entry| entry.expect("an entry"));
    let formats = folders.filter(|folder| folder.path().join("family.rs").is_file());
    let names: Vec<String> = formats.map(|folder| folder.file_name().to_string_lossy().into_owned()).collect();
    assert!(names.len() >= 3, "{names:?}");
    names
}

pub(crate) struct File {
    pub(crate) path: String,
    /// Its module's path below the root.
    pub(crate) module: Vec<String>,
    pub(crate) text: String,
}

/// The files of the crates, but their roots and those of tests.
pub(crate) fn files() -> Vec<File> {
    CRATES.into_iter().flat_map(crate_files).collect()
}

fn crate_files(source: &str) -> Vec<File> {
    let source = Path::new(ROOT).join(source);
    let (mut folders, mut paths, mut of_tests) = (vec![source.clone()], Vec::new(), BTreeSet::<PathBuf>::new());
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() && path != source.join("bin") {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") && path != source.join("lib.rs") {
                paths.push(path);
            }
        }
    }
    paths.sort();
    let texts: Vec<String> = paths.iter().map(|path| fs::read_to_string(path).expect("a text")).collect();
    for (path, text) in paths.iter().zip(&texts) {
        let folder = match path.file_name().is_some_and(|name| name == "mod.rs") {
            true => path.with_file_name(""),
            false => path.with_extension(""),
        };
        for (_, rest) in text.match_indices("#[cfg(test)]\n").map(|(at, mark)| text.split_at(at + mark.len())) {
            let declared = rest.lines().next().unwrap_or_default().trim_end_matches(';');
            if let Some((_, name)) = declared.split_once("mod ").filter(|(_, name)| !name.ends_with('{')) {
                of_tests.extend([folder.join(format!("{name}.rs")), folder.join(name)]);
            }
        }
    }
    let files = paths.iter().zip(texts).filter(|(path, _)| !of_tests.iter().any(|test| path.starts_with(test)));
    let files = files.map(|(path, text)| {
        let below = path.strip_prefix(&source).expect("it is in src").with_extension("");
        let mut module: Vec<String> = below.iter().map(|part| part.to_string_lossy().into_owned()).collect();
        module.pop_if(|last| last == "mod");
        File { path: path.strip_prefix(ROOT).expect("it is here").display().to_string(), module, text }
    });
    files.collect()
}

/// The top-level modules that a text of this module names, each with its line.
fn imports(text: &str, module: &[String]) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    // A test module ends a file.
    let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let from_root = "super::".repeat(module.len());
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with("//")) {
        for root in ["crate::", "heapsmith_core::", "heapsmith_check::", from_root.as_str()] {
            for (at, _) in line.match_indices(root) {
                let before = line[..at].chars().next_back();
                if before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == ':') {
                    continue;
                }
                // What a group spans in further lines belongs to it.
                let start = text.lines().take(number).map(|line| line.len() + 1).sum::<usize>() + at + root.len();
                found.extend(first_names(&text[start..]).into_iter().map(|name| (number + 1, name)));
            }
        }
    }
    found
}

/// `a` of `a::b`, `a` and `c` of `{a::b, c}`.
fn first_names(path: &str) -> Vec<String> {
    let name =
        |text: &str| -> String { text.trim_start().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect() };
    let Some(group) = path.strip_prefix('{') else { return vec![name(path)] };
    let (mut depth, mut names, mut start) = (0usize, Vec::new(), 0);
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth > 0 => depth -= 1,
            '}' | ',' if depth == 0 => {
                names.push(name(&group[start..at]));
                start = at + 1;
                if c == '}' {
                    break;
                }
            }
            _ => {}
        }
    }
    names.retain(|name| !name.is_empty());
    names
}
