//! Replacing files so that an interruption leaves the old ones or the new ones.
//!
//! The new files are written to a folder of their own. When all are on the disk, the journal appears: it names the
//! place of each, and the files that go. Without a journal the new files are removed; with one, each is renamed to its
//! place, whichever had been. Each of these changes can be repeated, so that the next command can take up the work
//! wherever it ended.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::interrupt;
use crate::system::EntryKind;

use super::changes::{Changes, Step};
use super::folder::SharedFolder;
use super::paths::folders_of;

const JOURNAL: &str = ".heapsmith-journal";
const STAGING: &str = ".heapsmith-new";
/// The journal before it is whole.
const UNFINISHED: &str = ".heapsmith-new/journal";
const SCHEMA: u32 = 1;

/// What became of an interrupted command's work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[doc(hidden)]
pub enum Settled {
    /// There was none.
    Nothing,
    /// It was undone: nothing had been replaced.
    Undone,
    /// It was completed: everything that it wrote is in place.
    Completed,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Journal {
    schema: u32,
    /// The new files, by the number that is their name until they are in place. The last one comes into place after
    /// everything else is done.
    place: Vec<String>,
    /// Files that go.
    remove: Vec<String>,
}

/// Whether a command was interrupted in this folder.
#[doc(hidden)]
pub fn is_pending(root: &SharedFolder) -> Result<bool, Error> {
    Ok(root.kind(JOURNAL)?.is_some() || root.kind(STAGING)?.is_some())
}

/// Completes or undoes what an interrupted command left. Whatever the journal says, only `old` files are replaced or
/// removed: those that the folder's own list names now.
///
/// # Errors
/// If what is there cannot be the work of a command, or another file is in the place of a new one: nothing is changed
/// then. If the system fails.
#[doc(hidden)]
pub fn settle(old: &BTreeSet<String>, changes: &mut Changes<'_>) -> Result<Settled, Error> {
    let root = changes.root();
    match (root.kind(JOURNAL)?, root.kind(STAGING)?) {
        (None, None) => Ok(Settled::Nothing),
        (None, Some(_)) => {
            remove_staging(changes)?;
            Ok(Settled::Undone)
        }
        // The journal goes first: without the new files it is not one of ours.
        (Some(_), None) => Err(not_ours(root, JOURNAL)),
        (Some(_), Some(_)) => {
            complete(&read(root)?, old, changes)?;
            Ok(Settled::Completed)
        }
    }
}

/// Writes the files that are not there as they should be, and removes the `old` ones that are not among them. Files
/// that are neither new nor old are left alone. The last file comes into place when all else is done: if the folder has
/// a list of its files, it is this one, so that until then the list names the old files.
///
/// # Errors
/// If a new file is to stand where there is a file that is not an old one, or a path is not plain or leads through a
/// link: nothing is changed then. If writing fails.
#[doc(hidden)]
pub fn replace(new: &[(String, Vec<u8>)], old: &BTreeSet<String>, changes: &mut Changes<'_>) -> Result<(), Error> {
    let root = changes.root();
    let (mut wanted, mut contents, mut foreign) = (Vec::new(), Vec::new(), Vec::new());
    for (path, bytes) in new {
        root.check(path)?;
        let found = root.kind(path)?;
        if found == Some(EntryKind::File) && root.has_content(path, bytes) {
            continue;
        }
        let is_ours = old.contains(path) && found != Some(EntryKind::Folder);
        if found.is_some() && !is_ours {
            foreign.push(root.name_of(path));
            continue;
        }
        wanted.push(path.clone());
        contents.push(bytes);
    }
    let new: BTreeSet<&str> = new.iter().map(|(path, _)| path.as_str()).collect();
    let mut remove = Vec::new();
    for path in old.iter().filter(|path| !new.contains(path.as_str())) {
        root.check(path)?;
        if root.kind(path)?.is_some_and(|found| found != EntryKind::Folder) {
            remove.push(path.clone());
        }
    }
    if !foreign.is_empty() {
        return Err(Error::Usage(format!(
            "not written by heapsmith, and in the place of a new file; move it away, then run this command again: {}",
            foreign.join(", ")
        )));
    }
    if wanted.is_empty() && remove.is_empty() {
        return Ok(());
    }
    let journal = Journal { schema: SCHEMA, place: wanted, remove };
    let folder = root.clone();
    let is_undone = Arc::new(Mutex::new(false));
    let undone = Arc::clone(&is_undone);
    let _listed = interrupt::register_cleanup(move || {
        *undone.lock().unwrap_or_else(PoisonError::into_inner) = true;
        undo(&folder);
    });
    if let Err(error) = stage(&journal, &contents, &is_undone, changes) {
        // A full disk, perhaps. If this fails as well, the next command does it. After a signal its cleanup alone removes them.
        if !*is_undone.lock().unwrap_or_else(PoisonError::into_inner) {
            let _ = settle(old, changes);
        }
        return Err(error);
    }
    // A signal comes before this or after it. If it does not wait so long, the next command does the rest.
    interrupt::without_interruption(|| {
        commit(changes)?;
        complete(&journal, old, changes)
    })
}

/// Removes the new files at the end of a program; the next command does it where this fails.
fn undo(root: &SharedFolder) {
    if matches!((root.kind(JOURNAL), root.kind(STAGING)), (Ok(None), Ok(Some(_)))) {
        let _ = remove_staging(&mut Changes::new(root, &mut |_| {}));
    }
}

/// Writes the new files, and the journal where it is none yet; none of them once a signal has undone the work, since what
/// comes after the removal would stay.
fn stage(
    journal: &Journal,
    contents: &[&Vec<u8>],
    is_undone: &Mutex<bool>,
    changes: &mut Changes<'_>,
) -> Result<(), Error> {
    changes.make_folder(STAGING)?;
    let mut make = |name: &str, bytes: &[u8]| match *is_undone.lock().unwrap_or_else(PoisonError::into_inner) {
        true => Err(Error::stopped()),
        false => changes.make_file(name, bytes),
    };
    for (number, bytes) in contents.iter().enumerate() {
        make(&staged(number), bytes)?;
    }
    let text = serde_json::to_vec(journal).map_err(|e| Error::io("writing the journal", e.into()))?;
    make(UNFINISHED, &text)?;
    changes.sync(STAGING)
}

/// Makes the journal one: from here on the new files win.
fn commit(changes: &mut Changes<'_>) -> Result<(), Error> {
    changes.rename(UNFINISHED, JOURNAL, Step::Commit)?;
    changes.sync("")
}

/// Does what a journal says, or the rest of it.
fn complete(journal: &Journal, old: &BTreeSet<String>, changes: &mut Changes<'_>) -> Result<(), Error> {
    let moves = still_to_move(journal, old, changes.root())?;
    // What has the name of a removed file when the list is new is another file.
    let remove: Vec<String> = journal.remove.iter().filter(|file| old.contains(*file)).cloned().collect();
    for file in &journal.remove {
        changes.root().check(file)?;
    }
    let last = journal.place.len().saturating_sub(1);
    for (number, path) in moves.range(..last) {
        put(*number, path, changes)?;
    }
    changes.remove_listed(&remove)?;
    let touched = journal.place.iter().chain(&remove);
    // When the last file is in place, everything else has to be on the disk.
    let folders: BTreeSet<&str> = touched.flat_map(|path| folders_of(path)).chain([""]).collect();
    for folder in &folders {
        changes.sync(folder)?;
    }
    for (number, path) in moves.range(last..) {
        put(*number, path, changes)?;
        changes.sync(folders_of(path).next_back().unwrap_or_default())?;
    }
    changes.remove_file(JOURNAL)?;
    changes.sync("")?;
    remove_staging(changes)
}

/// The new files that are not in place yet, by their number.
fn still_to_move<'j>(
    journal: &'j Journal,
    old: &BTreeSet<String>,
    root: &SharedFolder,
) -> Result<BTreeMap<usize, &'j str>, Error> {
    check_staging(root)?;
    let mut moves = BTreeMap::new();
    for (number, path) in journal.place.iter().enumerate() {
        root.check(path)?;
        if root.kind(&staged(number))?.is_none() {
            continue;
        }
        if let Some(found) = root.kind(path)?
            && (found == EntryKind::Folder || !old.contains(path))
        {
            return Err(Error::Usage(format!(
                "{} appeared while a command was interrupted, and is in the place of a new file; move it away, then \
                 run this command again",
                root.name_of(path)
            )));
        }
        moves.insert(number, path.as_str());
    }
    Ok(moves)
}

fn put(number: usize, path: &str, changes: &mut Changes<'_>) -> Result<(), Error> {
    for folder in folders_of(path) {
        if changes.root().kind(folder)?.is_none() {
            changes.make_folder(folder)?;
        }
    }
    changes.rename(&staged(number), path, Step::Place)
}

fn remove_staging(changes: &mut Changes<'_>) -> Result<(), Error> {
    for name in check_staging(changes.root())? {
        changes.remove_file(&format!("{STAGING}/{name}"))?;
    }
    changes.remove_empty(STAGING)
}

/// The names in the folder of new files, if all are such as a command makes.
fn check_staging(root: &SharedFolder) -> Result<BTreeSet<String>, Error> {
    if root.kind(STAGING)? != Some(EntryKind::Folder) {
        return Err(not_ours(root, STAGING));
    }
    let names = root.entries_of(STAGING)?;
    for name in &names {
        let is_ours = name == "journal" || name.bytes().all(|byte| byte.is_ascii_digit());
        let path = format!("{STAGING}/{name}");
        if !is_ours || root.kind(&path)? != Some(EntryKind::File) {
            return Err(not_ours(root, &path));
        }
    }
    Ok(names)
}

/// Reads the journal.
fn read(root: &SharedFolder) -> Result<Journal, Error> {
    if root.kind(JOURNAL)? != Some(EntryKind::File) {
        return Err(not_ours(root, JOURNAL));
    }
    let text = root.read(JOURNAL)?.unwrap_or_default();
    match serde_json::from_slice::<Journal>(&text) {
        Ok(journal) if journal.schema == SCHEMA => Ok(journal),
        _ => Err(not_ours(root, JOURNAL)),
    }
}

fn staged(number: usize) -> String {
    format!("{STAGING}/{number}")
}

fn not_ours(root: &SharedFolder, path: &str) -> Error {
    Error::Usage(format!(
        "{} is not what an interrupted heapsmith command leaves; move it away, then run this command again",
        root.name_of(path)
    ))
}
