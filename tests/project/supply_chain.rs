//! What comes from elsewhere is named exactly, and runs with no more rights than it needs.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

fn read(path: impl AsRef<Path>) -> String {
    let path = Path::new(ROOT).join(path);
    fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let paths = entries.map(|entry| entry.expect("an entry").path());
    paths.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

/// Whether an action is one of this repository, or has 40 digits of a commit and its version beside it. In what users copy, ours has
/// placeholders.
fn is_pinned(uses: &str) -> bool {
    let is_ours = uses.starts_with("./") || uses == "OWNER/heapsmith/.github/actions/check@VERSION";
    let Some((action, version)) = uses.split_once(" # v") else { return is_ours };
    let commit = action.split_once('@').map_or("", |(_, commit)| commit);
    let is_commit = commit.len() == 40 && commit.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    is_commit && version.split('.').all(|part| part.parse::<u32>().is_ok())
}

#[test]
fn pins_every_action_to_a_commit() {
    assert!(!is_pinned("actions/checkout@v4") && !is_pinned("actions/checkout@main # v4.2.2"));
    let mut count = 0;
    let folders = [".github", "deploy", "docs", "examples", "packaging"].map(|folder| Path::new(ROOT).join(folder));
    let all = folders.iter().flat_map(|folder| files(folder)).chain([Path::new(ROOT).join("README.md")]);
    for file in all {
        // Some are binary.
        let text = String::from_utf8_lossy(&fs::read(&file).expect("readable")).into_owned();
        let uses = text.lines().filter_map(|line| line.split_once("uses: "));
        // A template has a word before it.
        let is_step = |head: &str| head.trim_start_matches("BUILD").trim().trim_start_matches('-').is_empty();
        for (_, uses) in uses.filter(|(head, _)| is_step(head)) {
            assert!(is_pinned(uses), "{}: {uses}: expected OWNER/NAME@COMMIT # vVERSION", file.display());
            count += 1;
        }
    }
    assert!(count >= 10, "{count} actions");
}

#[test]
fn names_the_artifact_of_this_version() {
    for file in ["bindings/java/pom.xml", "bindings/java/README.md", "examples/engines/jazzer/pom.xml"] {
        let text = read(Path::new(ROOT).join(file));
        let (_, rest) = text.split_once("<artifactId>heapsmith</artifactId>").unwrap_or_else(|| panic!("{file}"));
        let version = format!("<version>{}</version>", env!("CARGO_PKG_VERSION"));
        assert!(rest.trim_start().starts_with(&version), "{file}: {version} is due");
    }
}

#[test]
fn lets_only_the_job_that_publishes_write() {
    for file in files(&Path::new(ROOT).join(".github/workflows")) {
        let text = read(&file);
        let (head, jobs) = text.split_once("\njobs:\n").expect("jobs");
        assert!(head.ends_with("\npermissions:\n  contents: read"), "{}: rights of all jobs", file.display());
        // A job begins with its name, two columns in.
        let jobs = jobs.replace("\n  ", "\n\t").replace("\n\t ", "\n   ");
        for job in jobs.split("\n\t").filter(|job| job.contains("write")) {
            assert!(job.contains("contents: write") && job.contains("gh release create"), "{}: {job}", file.display());
            assert!(!job.contains("checkout") && !job.contains("cargo"), "it runs nothing that is built: {job}");
        }
    }
    let write = |file: &str| read(file).matches("contents: write").count();
    assert_eq!((write(".github/workflows/check.yml"), write(".github/workflows/release.yml")), (0, 1));
}

#[test]
fn runs_the_container_as_another_user_than_root() {
    let text = read("packaging/Containerfile");
    let user = text.lines().find_map(|line| line.strip_prefix("USER ")).expect("a user");
    let is_other = |id: &str| id.parse::<u32>().is_ok_and(|id| id > 0);
    assert!(user.split(':').count() == 2 && user.split(':').all(is_other), "{user}");
}

#[test]
fn downloads_no_release_of_the_placeholder() {
    let folder = tempfile::tempdir().expect("there is room for a folder");
    let ran = Command::new("bash")
        .arg(format!("{ROOT}/.github/actions/check/check.sh"))
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .env("ADAPTER", "true")
        .env("HOME", folder.path())
        .output()
        .expect("bash can be run");
    let message = String::from_utf8_lossy(&ran.stderr).into_owned();
    assert_eq!(ran.status.code(), Some(2), "{message}");
    assert!(message.contains("still a placeholder"), "{message}");
    assert_eq!(fs::read_dir(folder.path()).expect("readable").count(), 0, "nothing was kept");
}

/// The lines of `cargo tree` in a format.
fn tree(edges: &str, format: &str) -> BTreeSet<String> {
    let tree = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args(["tree", "--offline", "--locked", "--all-features", "--no-dedupe", "--prefix", "none"])
        .args(["-e", edges, "--format", format])
        .current_dir(ROOT)
        .output()
        .expect("cargo runs, since it runs this test");
    assert!(tree.status.success(), "{}", String::from_utf8_lossy(&tree.stderr));
    let text = String::from_utf8(tree.stdout).expect("names are text");
    // A blank line stands between the trees of our crates.
    text.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect()
}

/// Whether licences that are allowed meet an expression: one of each alternative.
fn is_allowed(expression: &str, allowed: &[&str]) -> bool {
    let plain = expression.replace(['(', ')'], "").replace('/', " OR ");
    plain.split(" AND ").all(|part| part.split(" OR ").any(|licence| allowed.contains(&licence)))
}

#[test]
fn depends_on_what_the_rules_allow() {
    let rules: toml::Table = read("packaging/deny.toml").parse().expect("it is TOML");
    let allowed = rules["licenses"]["allow"].as_array().expect("a list").iter();
    let allowed: Vec<&str> = allowed.filter_map(toml::Value::as_str).collect();
    assert!(!is_allowed("MIT AND GPL-3.0", &allowed) && is_allowed("GPL-3.0 OR (MIT AND Zlib)", &allowed));
    for line in tree("normal,build,dev", "{p}|{l}") {
        let (crate_, licence) = line.split_once('|').expect("two columns");
        assert!(is_allowed(licence, &allowed), "{crate_}: {licence}");
    }
    let skipped = rules["bans"]["skip"].as_array().expect("a list").iter();
    let skipped: Vec<&str> = skipped.filter_map(|row| row["crate"].as_str()).collect();
    let mut versions: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for line in tree("normal,build", "{p}") {
        let mut words = line.split(' ').map(str::to_owned);
        if let (Some(name), Some(version)) = (words.next(), words.next()) {
            versions.entry(name).or_default().insert(version);
        }
    }
    for row in skipped {
        let (name, version) = row.split_once('@').expect("a crate and its version");
        let known = versions.get_mut(name).is_some_and(|known| known.remove(&format!("v{version}")));
        assert!(known, "{row} is no dependency any more");
    }
    versions.retain(|_, versions| versions.len() > 1);
    assert!(versions.is_empty(), "more than one version of {versions:?}");
    let lock: toml::Table = read("Cargo.lock").parse().expect("it is TOML");
    let packages = lock["package"].as_array().expect("a list");
    let sources: BTreeSet<&str> = packages.iter().filter_map(|package| package.get("source")?.as_str()).collect();
    assert!(sources.len() == 1 && sources.iter().all(|source| source.starts_with("registry+")), "{sources:?}");
}
