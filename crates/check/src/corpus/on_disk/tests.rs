//! Tests of a `bless` that is killed: the process really ends, before any of its changes.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, abort};

use tempfile::TempDir;

use super::MANIFEST;
use super::bless::{bless_with, listed_files};
use super::verify::verify_with;
use crate::corpus::{Manifest, ManifestAnswer};
use heapsmith_core::owned::{SharedFolder, Step};

/// The number of points at which `bless` is killed.
const POINTS: usize = 20;

/// The change before which the process is killed, set for that process. It works in its current folder.
const POINT: &str = "HEAPSMITH_TEST_KILLED_BEFORE";

/// Files of the folder's owner, beside the corpus and in it.
const FOREIGN: [&str; 4] = ["notes.txt", "phd/notes.txt", "hprof/own/notes.txt", "own/phd/notes.txt"];

#[test]
fn names_unfinished_folder_and_finishes_it_when_killed_at_any_point() {
    let bench = KilledBless::new();
    let steps = bench.steps();
    assert_eq!((steps[0], steps[steps.len() - 1]), (Step::Begin, Step::Finish), "{steps:?}");
    let last = steps.len() - 1;
    let first_of = |kind| steps.iter().position(|step| *step == kind).expect("such a change");
    let kinds = [Step::Put, Step::RemoveFile, Step::RemoveFolder].map(first_of);
    let mut points = BTreeSet::from([0, 1, 2, last - 2, last - 1, last]);
    points.extend(kinds);
    let others: Vec<usize> = (0..last).filter(|point| !points.contains(point)).collect();
    let missing = POINTS.saturating_sub(points.len());
    points.extend((0..missing).map(|part| others[part * others.len() / missing]));
    for (number, point) in points.into_iter().enumerate() {
        let what = format!("killed before change {point} of {}, {:?}", steps.len(), steps[point]);
        bench.fill();
        assert!(bench.is_killed(point), "{what}");
        if number % 2 == 0 {
            // In the middle of a file.
            fs::write(bench.work().join(".heapsmith-part"), "half").expect("written");
        }
        bench.assert_whole_files(&what);
        let named = bench.troubles();
        if point == 0 {
            assert!(tree(&bench.work()).keys().all(|name| !name.contains("unfinished")), "{what}");
            assert!(named.len() > 1, "the old corpus: {named:?}");
        } else {
            assert!(
                named.len() == 1 && named[0].contains("unfinished") && named[0].contains("corpus bless"),
                "{named:?}"
            );
        }
        bench.bless();
        assert!(tree(&bench.work()) == bench.new_tree(), "{what}");
        assert_eq!(bench.troubles(), [""; 0], "{what}");
    }
}

#[test]
fn finishes_folder_when_recovery_is_killed() {
    let bench = KilledBless::new();
    let count = bench.steps().len();
    for first in [1, count / 2, count - 2] {
        for second in [1, 4] {
            let what = format!("killed before change {first} of {count}, and then before {second}");
            bench.fill();
            assert!(bench.is_killed(first), "{what}");
            // The second one may have nothing left to do.
            bench.is_killed(second);
            bench.assert_whole_files(&what);
            bench.bless();
            assert!(tree(&bench.work()) == bench.new_tree(), "{what}");
        }
    }
}

/// A corpus that is made anew after an interruption may be another one: what the first command wrote is ours all the same.
#[test]
fn finishes_folder_with_another_corpus() {
    let bench = KilledBless::new();
    let last_put = bench.steps().iter().rposition(|step| *step == Step::Put).expect("a file");
    bench.fill();
    assert!(bench.is_killed(last_put), "before the manifest");
    bless_with(&bench.work(), || Ok(bench.old.clone()), &mut |_| {}).expect("blessed");
    assert!(tree(&bench.work()) == bench.old_tree());
}

/// The process of [`KilledBless::is_killed`], not a test by itself.
#[test]
fn killed() {
    let Some(point) = env::var_os(POINT) else { return };
    let point: usize = point.to_str().and_then(|point| point.parse().ok()).expect("a number");
    let folder = env::current_dir().expect("a folder");
    let mut done = 0;
    let mut step = |_| {
        if done == point {
            abort();
        }
        done += 1;
    };
    bless_with(&folder.join(WORK), || Ok(files(&folder.join(NEW))), &mut step).expect("blessed");
}

/// A folder with the new corpus and one to work in.
struct KilledBless {
    folder: TempDir,
    new: Vec<(String, Vec<u8>)>,
    old: Vec<(String, Vec<u8>)>,
}

const NEW: &str = "new";
const WORK: &str = "work";

impl KilledBless {
    fn new() -> KilledBless {
        let folder = tempfile::tempdir().expect("a temporary folder");
        // As it is stored, which `tests/corpus.rs` verifies: to make it would take every format.
        let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
        for path in
            listed_files(&SharedFolder::open(&corpus).expect("a folder")).expect("readable").expect("a manifest")
        {
            write_file(
                &folder.path().join(NEW).join(&path),
                &fs::read(corpus.join(&path)).expect("a file of the corpus"),
            );
        }
        let new = files(&folder.path().join(NEW));
        let old = older(&new);
        KilledBless { folder, new, old }
    }

    fn work(&self) -> PathBuf {
        self.folder.path().join(WORK)
    }

    /// Puts the older corpus, and the owner's files, into the folder to work in.
    fn fill(&self) {
        let work = self.work();
        if work.exists() {
            fs::remove_dir_all(&work).expect("removed");
        }
        let new: BTreeMap<&str, &[u8]> = self.new.iter().map(|(path, bytes)| (path.as_str(), &bytes[..])).collect();
        for (path, bytes) in &self.old {
            if new.get(path.as_str()) == Some(&&bytes[..]) {
                // Not only quick: a write into a file that stays would change the new corpus as well.
                fs::create_dir_all(work.join(path).parent().expect("a parent")).expect("a folder");
                fs::hard_link(self.folder.path().join(NEW).join(path), work.join(path)).expect("linked");
            } else {
                write_file(&work.join(path), bytes);
            }
        }
        for path in FOREIGN {
            write_file(&work.join(path), path.as_bytes());
        }
    }

    fn bless(&self) {
        bless_with(&self.work(), || Ok(self.new.clone()), &mut |_| {}).expect("blessed");
    }

    /// The steps from the older corpus to the new one.
    fn steps(&self) -> Vec<Step> {
        self.fill();
        let mut steps = Vec::new();
        bless_with(&self.work(), || Ok(self.new.clone()), &mut |step| steps.push(step)).expect("blessed");
        assert!(tree(&self.work()) == self.new_tree());
        steps
    }

    /// Runs `bless` in a process of its own, which is killed before this change, and returns whether it got there.
    fn is_killed(&self, point: usize) -> bool {
        let mut test = Command::new(env::current_exe().expect("a test knows its own path"));
        let name = concat!(module_path!(), "::killed").split_once("::").expect("a path").1;
        test.args([name, "--exact"]).env(POINT, point.to_string()).current_dir(self.folder.path());
        let ran = test.output().expect("started");
        let said = String::from_utf8_lossy(&ran.stdout);
        assert!(said.contains("running 1 test"), "{said}");
        assert!(!said.contains("FAILED"), "{said}");
        !ran.status.success()
    }

    /// The foreign files are as they were, and every other one is whole: as in the old corpus or as in the new one.
    fn assert_whole_files(&self, what: &str) {
        for path in FOREIGN {
            assert_eq!(fs::read(self.work().join(path)).expect(what), path.as_bytes(), "{what}");
        }
        let (old, new) = (self.old_tree(), self.new_tree());
        for (path, bytes) in tree(&self.work()).into_iter().filter(|(path, _)| !path.starts_with(".heapsmith-")) {
            assert!([&old, &new].iter().any(|tree| tree.get(&path) == Some(&bytes)), "{what}: {path}");
        }
    }

    /// What a verification of the folder finds.
    fn troubles(&self) -> Vec<String> {
        let files = self.new.iter().cloned().map(|file| Ok(file.into()));
        let verified = verify_with(&self.work(), files).expect("verified");
        verified.troubles.into_iter().map(|trouble| trouble.message).collect()
    }

    fn new_tree(&self) -> BTreeMap<String, Vec<u8>> {
        with_foreign_files(&self.new)
    }

    fn old_tree(&self) -> BTreeMap<String, Vec<u8>> {
        with_foreign_files(&self.old)
    }
}

/// A corpus without some cases, with one that is there no longer, and with some files of other contents.
fn older(new: &[(String, Vec<u8>)]) -> Vec<(String, Vec<u8>)> {
    let mut old: BTreeMap<String, Vec<u8>> = new.iter().cloned().collect();
    let text = old.remove(MANIFEST).expect("a manifest");
    let mut manifest: Manifest = serde_json::from_slice(&text).expect("a manifest");
    for number in [0, 50, 100, 150, 200, 250] {
        let case = manifest.cases.remove(number);
        for path in case.answers.iter().filter_map(|answer| answer.listing.as_ref()).chain([&case.file]) {
            old.remove(path).expect("a file of the case");
        }
    }
    let mut stale = manifest.cases[0].clone();
    stale.id = "stale".to_owned();
    stale.file = "retired/phd/stale.phd".to_owned();
    stale.answers = vec![ManifestAnswer { reading: String::new(), listing: Some("phd/stale.jsonl".to_owned()) }];
    for path in [&stale.file, "phd/stale.jsonl"] {
        old.insert(path.to_owned(), b"stale".to_vec());
    }
    manifest.cases.push(stale);
    for number in [1, 40, 80, 120, 160, 200] {
        old.insert(manifest.cases[number].file.clone(), b"changed".to_vec());
    }
    let mut old: Vec<_> = old.into_iter().collect();
    old.push((MANIFEST.to_owned(), serde_json::to_vec(&manifest).expect("written")));
    old
}

fn with_foreign_files(files: &[(String, Vec<u8>)]) -> BTreeMap<String, Vec<u8>> {
    let foreign = FOREIGN.map(|path| (path.to_owned(), path.as_bytes().to_vec()));
    let mut tree = BTreeMap::new();
    for (path, bytes) in files.iter().cloned().chain(foreign) {
        for (end, _) in path.match_indices('/') {
            tree.insert(path[..=end].to_owned(), Vec::new());
        }
        tree.insert(path, bytes);
    }
    tree
}

/// Every file below a folder with its contents, and every folder, whose name ends in `/`.
fn tree(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut tree = BTreeMap::new();
    let mut folders = vec![String::new()];
    while let Some(above) = folders.pop() {
        for entry in fs::read_dir(folder.join(&above)).expect("a folder") {
            let entry = entry.expect("an entry");
            let name = format!("{above}{}", entry.file_name().to_string_lossy());
            if entry.file_type().expect("known").is_dir() {
                tree.insert(format!("{name}/"), Vec::new());
                folders.push(format!("{name}/"));
            } else {
                tree.insert(name, fs::read(entry.path()).expect("readable"));
            }
        }
    }
    tree
}

/// The files of a folder, the manifest last.
fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut tree = tree(folder);
    let manifest = tree.remove(MANIFEST).expect("a manifest");
    let mut files: Vec<_> = tree.into_iter().filter(|(path, _)| !path.ends_with('/')).collect();
    files.push((MANIFEST.to_owned(), manifest));
    files
}

fn write_file(path: &Path, bytes: &[u8]) {
    fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
    fs::write(path, bytes).expect("written");
}
