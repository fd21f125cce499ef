//! `bless` that dies: the process really ends, at any of its changes.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, abort};

use tempfile::TempDir;

use super::bless::bless_with;
use super::verify::verify_with;
use super::{MANIFEST, cases, made};
use crate::owned::Step;

type Files = Vec<(String, Vec<u8>)>;
type Tree = BTreeMap<String, Vec<u8>>;

/// How many points of its work `bless` is ended at.
const POINTS: usize = 20;

/// Set for the process that dies: the folder of a [`Bench`], and the number of the change that it does not make.
const DIES: &str = "HEAPSMITH_TEST_DIES_IN";

/// What the user has beside the corpus.
const FOREIGN: [&str; 4] = ["notes.txt", "phd/notes.txt", "hprof/own/notes.txt", "own/phd/notes.txt"];

#[test]
fn a_bless_that_dies_at_any_point_leaves_the_old_corpus_or_the_new_one() {
    let bench = Bench::new();
    let steps = bench.steps();
    let commit = steps.iter().position(|step| *step == Step::Commit).expect("a journal");
    assert!(steps.len() > 2 * POINTS, "too few changes to choose from: {steps:?}");
    let mut points = BTreeSet::from([0, 1, commit - 2, commit - 1, commit, commit + 1, steps.len() - 1]);
    let (mut spread, mut parts) = (steps.len(), 1);
    while points.len() < POINTS {
        spread = if spread == 0 { steps.len() } else { spread };
        parts += 1;
        points.insert((steps.len() - 1) * (parts % POINTS) / POINTS);
        spread -= 1;
    }
    let (old, new) = (bench.old(), bench.new_corpus());
    let mut outcomes = BTreeSet::new();
    for (number, point) in points.into_iter().enumerate() {
        let what = format!("ended before change {point} of {}, {:?}", steps.len(), steps[point]);
        let folder = bench.older_corpus();
        bench.dies(&folder, point);
        bench.foreign_files_are_there(&folder, &what);
        if number % 2 == 0 {
            let verified = verify_with(&folder, &bench.files).expect("verified");
            let is_new = tree(&folder) == new;
            assert!(is_new || tree(&folder) == old, "a mixture, {what}");
            // What a command leaves to be told: nothing before its first change and after its last.
            assert_eq!(is_new, point > commit, "{what}");
            assert_eq!(verified.troubles.is_empty(), is_new, "{what}");
            outcomes.insert(is_new);
        }
        bless_with(&folder, || Ok(bench.files.clone()), &mut |_| {}).expect("blessed");
        assert!(tree(&folder) == new, "not the new corpus, {what}");
        let verified = verify_with(&folder, &bench.files).expect("verified");
        assert_eq!(verified.troubles, [], "{what}");
    }
    assert_eq!(outcomes, BTreeSet::from([false, true]));
}
