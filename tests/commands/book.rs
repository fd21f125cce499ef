//! The pages of docs/, of which `docs/book.sh` makes a book: links, the table of contents, and a page for each rule.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::process::Command;

use assert_cmd::cargo::CommandCargoExt;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");
const CONTENTS: &str = "docs/SUMMARY.md";
/// Files that become a part of others.
const PARTS: [&str; 2] = [CONTENTS, "docs/results.head.md"];

fn read(path: &str) -> String {
    fs::read_to_string(Path::new(ROOT).join(path)).unwrap_or_else(|e| panic!("{path}: {e}"))
}

/// Every page in Markdown, but those of other people's packages and of templates for other folders. The crates have links to
/// specs/ and no page of their own.
fn pages() -> Vec<String> {
    let mut pages = Vec::new();
    let mut folders = vec![String::new()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(Path::new(ROOT).join(&folder)).expect("a folder") {
            let name = entry.expect("an entry").file_name().to_string_lossy().into_owned();
            let path = if folder.is_empty() { name.clone() } else { format!("{folder}/{name}") };
            let is_folder = Path::new(ROOT).join(&path).is_dir();
            if is_folder
                && !name.starts_with('.')
                && !["crates", "node_modules", "src", "target"].contains(&name.as_str())
            {
                folders.push(path);
            } else if name.ends_with(".md") && !is_folder {
                pages.push(path);
            }
        }
    }
    pages.sort();
    pages
}

/// The text without blocks and pieces of code.
fn prose(text: &str) -> String {
    let mut is_code = false;
    let mut prose = String::new();
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            is_code = !is_code;
        } else if !is_code {
            prose.extend(line.split('`').step_by(2).chain(["\n"]));
        }
    }
    prose
}

/// The targets of links that lead to files and headings.
fn links(text: &str) -> Vec<String> {
    let prose = prose(text);
    let targets =
        prose.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(target, _)| target.to_owned());
    targets.filter(|target| !target.contains("://")).collect()
}

/// What a heading is called in links, as GitHub and mdbook have it.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut is_code = false;
    let mut anchors = BTreeSet::new();
    for line in text.lines() {
        is_code ^= line.starts_with("```");
        if let Some(heading) = line.strip_prefix('#').filter(|_| !is_code) {
            let heading = heading.trim_start_matches('#').trim().to_lowercase();
            let kept = heading.chars().filter(|c| c.is_alphanumeric() || [' ', '-', '_'].contains(c));
            anchors.insert(kept.map(|c| if c == ' ' { '-' } else { c }).collect());
        }
    }
    anchors
}

/// A path beside a page, without `..`.
fn beside(page: &str, target: &str) -> String {
    let mut path = PathBuf::from(page).parent().expect("a folder").to_owned();
    for part in Path::new(target).components() {
        match part {
            Component::ParentDir => assert!(path.pop(), "{page}: {target} leads out of the repository"),
            Component::Normal(name) => path.push(name),
            _ => {}
        }
    }
    path.to_string_lossy().into_owned()
}

/// The pages of the book: what the table of contents names.
fn contents() -> BTreeSet<String> {
    links(&read(CONTENTS)).iter().map(|target| beside(CONTENTS, target)).collect()
}

#[test]
fn every_link_leads_to_a_file_and_a_heading() {
    let mut broken = Vec::new();
    for page in pages() {
        let text = read(&page);
        for link in links(&text) {
            let (target, anchor) = link.split_once('#').map_or((link.as_str(), None), |(t, a)| (t, Some(a)));
            let path = if target.is_empty() { page.clone() } else { beside(&page, target) };
            if !Path::new(ROOT).join(&path).exists() {
                broken.push(format!("{page}: there is no {path}"));
            } else if let Some(anchor) = anchor.filter(|anchor| !anchors(&read(&path)).contains(*anchor)) {
                broken.push(format!("{page}: {path} has no heading #{anchor}"));
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn summary_lists_every_page_of_docs_and_every_linked_page() {
    let contents = contents();
    let is_page = |path: &String| path.starts_with("docs/") && !PARTS.contains(&path.as_str());
    let mut missing: BTreeSet<String> = pages().into_iter().filter(is_page).filter(|p| !contents.contains(p)).collect();
    for page in &contents {
        for link in links(&read(page)) {
            let path = beside(page, link.split('#').next().unwrap_or_default());
            if path.ends_with(".md") && !contents.contains(&path) && path != CONTENTS {
                missing.insert(format!("{path}, to which {page} leads"));
            }
        }
    }
    assert!(missing.is_empty(), "{CONTENTS} lacks:\n{}", Vec::from_iter(missing).join("\n"));
}

/// A page of the book cannot lead to a folder: there is no page for it.
/// Whether a word of `docs/book.sh` stands for a file: a folder, or a path in which `*` stands for part of a name.
fn stands_for(word: &str, path: &str) -> bool {
    let matches = |(pattern, name): (&str, &str)| {
        let (start, rest) = pattern.split_once('*').unwrap_or((pattern, ""));
        let parts: Vec<&str> = rest.split('*').collect();
        let found = parts.iter().try_fold(name.strip_prefix(start), |left, part| {
            left.map(|left| left.split_once(part).map(|(_, left)| left))
        });
        if pattern.contains('*') {
            found.flatten().is_some() && name.ends_with(parts[parts.len() - 1])
        } else {
            pattern == name
        }
    };
    let is_beneath = path.strip_prefix(word).is_some_and(|rest| rest.starts_with('/'));
    is_beneath
        || word.split('/').count() == path.split('/').count() && word.split('/').zip(path.split('/')).all(matches)
}

#[test]
fn book_copies_every_linked_file() {
    let script = read("docs/book.sh").replace("\\\n", " ");
    let (_, copied) = script.split_once("files=$(find ").expect("a list of files");
    let (copied, _) = copied.split_once("-type f").expect("its end");
    let words: Vec<&str> = copied.split_whitespace().collect();
    let is_copied = |path: &str| words.iter().any(|word| stands_for(word, path));
    let mut missing = BTreeSet::new();
    for page in pages().into_iter().filter(|page| is_copied(page)) {
        let targets = links(&read(&page)).into_iter().filter_map(|target| {
            let target = target.split('#').next().unwrap_or_default().to_owned();
            (!target.is_empty()).then(|| beside(&page, &target))
        });
        missing.extend(targets.filter(|target| !is_copied(target)).map(|target| format!("{page}: {target}")));
    }
    assert_eq!(missing, BTreeSet::new(), "docs/book.sh copies these as well");
    assert!(stands_for("tests/*/*.md", "tests/bank/README.md") && !stands_for("tests/*/*.md", "tests/bank/phd.toml"));
    assert!(stands_for("docs", "docs/a/b.md") && !stands_for("docs", "docs2/b.md"));
}

#[test]
fn pages_link_to_no_folder() {
    let mut folders = Vec::new();
    for page in contents() {
        for link in links(&read(&page)).into_iter().filter(|link| !link.starts_with('#')) {
            let path = beside(&page, link.split('#').next().unwrap_or_default());
            if Path::new(ROOT).join(&path).is_dir() {
                folders.push(format!("{page}: {link}"));
            }
        }
    }
    assert!(folders.is_empty(), "{}", folders.join("\n"));
}

#[test]
fn every_rule_has_a_page_with_statement_sources_cases_and_bytes() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let run = |arguments: &[&str]| {
        let mut command = Command::cargo_bin("heapsmith").expect("built");
        let output = command.args(arguments).current_dir(folder.path()).output().expect("it runs");
        (output.status.code(), String::from_utf8(output.stdout).expect("text"))
    };
    assert_eq!(run(&["explain", "--book", "rules"]).0, Some(0));
    let contents = fs::read_to_string(folder.path().join("rules/SUMMARY.md")).expect("a table of contents");
    let listed: BTreeMap<String, String> = links(&contents).into_iter().map(|link| (link.clone(), link)).collect();
    let mut count = 0;
    for spec in ["phd", "hprof", "classic"] {
        let book: toml::Table = read(&format!("specs/{spec}.toml")).parse().expect("TOML");
        for rule in book["rule"].as_array().expect("rules") {
            let id = rule["id"].as_str().expect("an id");
            let path = format!("{spec}/{id}.md");
            assert!(listed.contains_key(&path), "{path} is not in the contents");
            let page = fs::read_to_string(folder.path().join("rules").join(&path)).expect("a page");
            let plain = page.replace('\\', "");
            assert!(
                plain.starts_with(&format!("# {id}\n\n{}\n", rule["statement"].as_str().expect("a statement"))),
                "{page}"
            );
            assert!(page.contains("\n## Sources\n"), "{page}");
            assert!(!page.contains(heapsmith::visible::is_hidden), "{page:?}");
            assert!(rule["kind"].as_str() != Some("bytes") || page.contains("\n## Bytes\n") || is_huge(id), "{page}");
            count += 1;
        }
    }
    // A page for each rule, and one for each format.
    assert_eq!(listed.len(), count + 3);
    let (code, _) = run(&["explain", "--book", "rules"]);
    assert_eq!(code, Some(2), "a folder with something in it is refused");
}

/// Whether only dumps of gigabytes break a rule, so that there is no case.
fn is_huge(id: &str) -> bool {
    let manifest: serde_json::Value = serde_json::from_str(&read("corpus/manifest.json")).expect("JSON");
    manifest["recipes"].as_array().expect("recipes").iter().any(|recipe| recipe.to_string().contains(id))
}

#[test]
fn links_and_headings_are_found() {
    let text =
        "# A page, of `code`\n[a](b.md#c) `[d](e)` [f](https://g)\n```text\n[h](i)\n# no heading\n```\n[j](#k)\n";
    assert_eq!(links(text), ["b.md#c", "#k"]);
    assert_eq!(anchors(text), BTreeSet::from(["a-page-of-code".to_owned()]));
    assert_eq!(beside("docs/a.md", "../specs/b.md"), "specs/b.md");
}
