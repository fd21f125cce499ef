//! The rooms of each folder: modules side by side do not import each other in a circle.

use std::collections::{BTreeMap, BTreeSet};

use crate::layers::{File, files};

#[test]
fn modules_of_folder_have_no_import_cycle() {
    let imports = Imports::new(files());
    let mut circles = Vec::new();
    for (folder, edges) in imports.by_folder() {
        for (room, other) in circular(&edges) {
            circles.push(format!("{folder}: {room} imports {other}, which leads back to it"));
        }
    }
    assert!(circles.is_empty(), "circles:\n{}", circles.join("\n"));
}

#[test]
fn resolves_imports_to_defining_module() {
    let file = |module: &[&str], text: &str| File {
        path: format!("src/{}.rs", module.join("/")),
        module: module.iter().map(|name| (*name).to_owned()).collect(),
        text: text.to_owned(),
    };
    let imports = Imports::new(vec![
        file(&["a"], "pub use low::{Low, Lower as Lowest};\n"),
        file(&["a", "low"], "pub struct Low;\n"),
        file(&["a", "high"], "use super::{Low, other::{self, f}};\nuse crate::a::Lowest;\nuse std::fmt;\n"),
        file(&["a", "other"], "// use super::high::X;\nuse super::high::{\n    X,\n};\n"),
    ]);
    let edges = imports.by_folder().remove("a").expect("a folder");
    let found: Vec<(&str, &str)> = edges.iter().map(|(from, to)| (from.as_str(), to.as_str())).collect();
    assert_eq!(found, [("high", "low"), ("high", "other"), ("other", "high")]);
    let circles: Vec<(&str, &str)> =
        circular(&edges).into_iter().map(|(from, to)| (from.as_str(), to.as_str())).collect();
    assert_eq!(circles, [("high", "other"), ("other", "high")]);
}

/// Pairs of rooms of a folder: the first imports from the second.
type Edges = BTreeSet<(String, String)>;

/// The edges that lie on a circle.
fn circular(edges: &Edges) -> Vec<(&String, &String)> {
    let leads_to = |from: &String, to: &String| {
        let (mut seen, mut ahead) = (BTreeSet::from([from]), vec![from]);
        while let Some(room) = ahead.pop() {
            let next = edges.iter().filter(|(from, _)| from == room).map(|(_, to)| to);
            ahead.extend(next.filter(|next| seen.insert(next)));
        }
        seen.contains(to)
    };
    edges.iter().filter(|(from, to)| leads_to(to, from)).map(|(from, to)| (from, to)).collect()
}

/// A path, segment by segment.
type ModulePath = Vec<String>;

/// The imports of the library.
struct Imports {
    modules: BTreeSet<ModulePath>,
    /// Imported paths by the importing module, with `crate`, `self` and `super` resolved.
    paths: Vec<(ModulePath, ModulePath)>,
    /// Re-exports of each module: the path that a name stands for.
    exports: BTreeMap<ModulePath, BTreeMap<String, ModulePath>>,
}

impl Imports {
    fn new(files: Vec<File>) -> Imports {
        let modules: BTreeSet<ModulePath> = files.iter().map(|file| file.module.clone()).collect();
        let mut imports = Imports { modules, paths: Vec::new(), exports: BTreeMap::new() };
        for file in files {
            let has_children = imports.modules.iter().any(|module| is_below(module, &file.module));
            for import in uses(&file.text) {
                let Some(path) = imports.resolve(&file.module, &import.path) else { continue };
                if import.is_public {
                    imports.exports.entry(file.module.clone()).or_default().insert(import.name, path.clone());
                }
                // What a folder's own module offers of its rooms is no import.
                if !(import.is_public && has_children) {
                    imports.paths.push((file.module.clone(), path));
                }
            }
        }
        imports
    }

    /// A path from the root of its crate; `None` if it leads into a crate of others.
    fn resolve(&self, module: &[String], path: &[String]) -> Option<ModulePath> {
        let supers = path.iter().take_while(|segment| *segment == "super").count();
        let first = path.first()?;
        let joined = |base: &[String], rest: &[String]| [base, rest].concat();
        match first.as_str() {
            "crate" | "heapsmith_core" | "heapsmith_check" => Some(path[1..].to_vec()),
            "self" => Some(joined(module, &path[1..])),
            "super" => Some(joined(&module[..module.len().checked_sub(supers)?], &path[supers..])),
            child => {
                let is_child = self.modules.contains(&joined(module, &[child.to_owned()]));
                is_child.then(|| joined(module, path))
            }
        }
    }

    /// The module that defines what a path leads to.
    fn home(&self, path: &[String], depth: usize) -> Option<ModulePath> {
        let length = (0..=path.len()).rev().find(|length| self.modules.contains(&path[..*length]))?;
        let (module, rest) = path.split_at(length);
        let export = rest.first().and_then(|name| self.exports.get(module)?.get(name));
        match export {
            Some(target) if depth < 8 && target.as_slice() != path => {
                self.home(&[target.as_slice(), &rest[1..]].concat(), depth + 1)
            }
            _ => Some(module.to_vec()),
        }
    }

    /// The edges among the rooms of each folder.
    fn by_folder(&self) -> BTreeMap<String, Edges> {
        let mut folders: BTreeMap<String, Edges> = BTreeMap::new();
        for (module, path) in &self.paths {
            let Some(home) = self.home(path, 0) else { continue };
            let common = module.iter().zip(&home).take_while(|(one, other)| one == other).count();
            if let (Some(from), Some(to)) = (module.get(common), home.get(common)) {
                let folder = if common == 0 { "src".to_owned() } else { module[..common].join("/") };
                folders.entry(folder).or_default().insert((from.clone(), to.clone()));
            }
        }
        folders
    }
}

fn is_below(module: &[String], folder: &[String]) -> bool {
    module.len() > folder.len() && module.starts_with(folder)
}

/// An imported name.
#[derive(Debug)]
struct Import {
    is_public: bool,
    path: ModulePath,
    /// The name by which it is known here.
    name: String,
}

/// The imports of a text, but those of its test module.
fn uses(text: &str) -> Vec<Import> {
    let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let code: String = text.lines().map(|line| line.split("//").next().unwrap_or_default().to_owned() + "\n").collect();
    let mut found = Vec::new();
    for statement in code.split_inclusive(';').filter_map(|statement| statement.strip_suffix(';')) {
        let Some(at) = statement.rfind("use ").filter(|at| {
            let before = statement[..*at].trim_end_matches(' ');
            before.is_empty() || before.ends_with(['\n', ')', '{', '}']) || before.ends_with("pub")
        }) else {
            continue;
        };
        let line_start = statement[..at].rfind('\n').map_or(0, |end| end + 1);
        let is_public = statement[line_start..at].trim_start().starts_with("pub");
        expand(&[], statement[at + "use ".len()..].trim(), is_public, &mut found);
    }
    found
}

/// Every path of a use tree.
fn expand(before: &[String], tree: &str, is_public: bool, found: &mut Vec<Import>) {
    let tree = tree.trim();
    let (head, group) = match tree.split_once('{') {
        Some((head, group)) => (head, group.trim_end().strip_suffix('}')),
        None => (tree, None),
    };
    let (head, alias) = head.split_once(" as ").map_or((head, None), |(head, alias)| (head, Some(alias.trim())));
    let segments = head.split("::").map(str::trim).filter(|segment| !segment.is_empty()).map(str::to_owned);
    let mut path: ModulePath = before.iter().cloned().chain(segments).collect();
    if let Some(group) = group {
        items(group).iter().for_each(|item| expand(&path, item, is_public, found));
        return;
    }
    path.pop_if(|last| last == "self" && !before.is_empty());
    if let Some(last) = path.last() {
        let name = alias.unwrap_or(last).to_owned();
        found.push(Import { is_public, path, name });
    }
}

/// The items of a group, nested ones whole.
fn items(group: &str) -> Vec<&str> {
    let (mut depth, mut start, mut items) = (0_usize, 0, Vec::new());
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                items.push(&group[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    items.push(&group[start..]);
    items.retain(|item| !item.trim().is_empty());
    items
}
