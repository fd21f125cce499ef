//! Replacing the listed files of a folder. Each file is whole under its name, and the list comes last.
//!
//! From before the first change until all is in place, a marker names the new files with their SHA-256. The folder is unfinished
//! as long as the marker is there: the command that is run again takes for its own what the marker describes, and finishes.

use std::collections::BTreeSet;

use sha2::{Digest, Sha256};

use crate::bytes::hexadecimal;
use crate::error::Error;
use crate::interrupt;
use crate::system::EntryKind;

use super::changes::{Changes, Step};
use super::folder::{Existing, SharedFolder};
use super::paths::folders_of;

/// The marker of an unfinished folder: lines as sha256sum prints them.
const MARKER: &str = ".heapsmith-unfinished";

/// Whether a command that replaces the files of this folder has begun, and has not finished.
#[doc(hidden)]
pub fn is_unfinished(root: &SharedFolder) -> Result<bool, Error> {
    Ok(root.kind(MARKER)?.is_some())
}

/// The files that an interrupted command was to write.
#[derive(Debug, Default)]
#[doc(hidden)]
pub struct UnfinishedFiles(BTreeSet<MarkedFile>);

/// A new file, as the marker has it.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct MarkedFile {
    path: String,
    sha256: String,
}

impl UnfinishedFiles {
    /// The files that the marker in a folder names; `None` if no command was interrupted there.
    ///
    /// # Errors
    /// If the marker is not one that a command leaves.
    #[doc(hidden)]
    pub fn read(root: &SharedFolder) -> Result<Option<UnfinishedFiles>, Error> {
        let Some(text) = root.read(MARKER)? else { return Ok(None) };
        let file = |line: &str| {
            let (sha256, path) = line.split_once("  ")?;
            let is_sum = sha256.len() == 64 && sha256.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
            is_sum.then(|| MarkedFile { path: path.to_owned(), sha256: sha256.to_owned() })
        };
        let files: Option<BTreeSet<MarkedFile>> =
            std::str::from_utf8(&text).ok().and_then(|text| text.lines().map(file).collect());
        let files = files.ok_or_else(|| {
            Error::Usage(format!(
                "{} is not what an interrupted heapsmith command leaves; move it away, then run this command again",
                root.name_of(MARKER)
            ))
        })?;
        files.iter().try_for_each(|file| root.check(&file.path))?;
        Ok(Some(UnfinishedFiles(files)))
    }

    /// Adds new files.
    fn extend(&mut self, new: &[(String, Vec<u8>)]) {
        self.0.extend(new.iter().map(|(path, bytes)| MarkedFile { path: path.clone(), sha256: sha256(bytes) }));
    }

    /// The marker's text.
    fn to_text(&self) -> String {
        self.0.iter().map(|MarkedFile { path, sha256 }| format!("{sha256}  {path}\n")).collect()
    }
}

/// Writes the files that are not there as they should be, and removes the `old` ones that are not among them. Files
/// that are neither new nor old are left alone. The last file comes into place when all else is done: if the folder has
/// a list of its files, it is this one, so that until then the list names the old files. What an interrupted command wrote, as
/// far as it is unchanged, counts as old.
///
/// # Errors
/// If a new file is to stand where there is a file that is not an old one, or a path is not plain or leads through a
/// link: nothing is changed then. If writing fails or a signal ends it: the folder is unfinished then.
#[doc(hidden)]
pub fn replace(
    new: &[(String, Vec<u8>)],
    old: &BTreeSet<String>,
    interrupted: Option<UnfinishedFiles>,
    changes: &mut Changes<'_>,
) -> Result<(), Error> {
    let root = changes.root();
    let was_finished = interrupted.is_none();
    let mut unfinished = interrupted.unwrap_or_default();
    let plan = Plan::of_changes(new, old, &unfinished, root)?;
    if plan.put.is_empty() && plan.remove.is_empty() && was_finished {
        return Ok(());
    }
    unfinished.extend(new);
    // A signal is heard between two files.
    interrupt::stop_on_signal();
    let marking = changes.put_file(MARKER, unfinished.to_text().as_bytes(), Existing::Replaced, Step::Begin);
    marking.and_then(|()| plan.carry_out(changes)).map_err(|error| match is_unfinished(root) {
        Ok(true) => unfinished_error(root, error),
        _ => error,
    })
}

/// The changes from the files that are there to the new ones.
#[derive(Default)]
struct Plan<'n> {
    put: Vec<(&'n str, &'n [u8], Existing)>,
    remove: Vec<String>,
}

impl<'n> Plan<'n> {
    fn of_changes(
        new: &'n [(String, Vec<u8>)],
        old: &BTreeSet<String>,
        unfinished: &UnfinishedFiles,
        root: &SharedFolder,
    ) -> Result<Plan<'n>, Error> {
        let (mut plan, mut foreign) = (Plan::default(), Vec::new());
        let mut ours: BTreeSet<&str> = old.iter().map(String::as_str).collect();
        for MarkedFile { path, sha256 } in &unfinished.0 {
            if root.has_sha256(path, sha256) {
                ours.insert(path);
            }
        }
        for (path, bytes) in new {
            root.check(path)?;
            match root.kind(path)? {
                None => plan.put.push((path, bytes, Existing::Kept)),
                Some(EntryKind::File) if root.has_content(path, bytes) => {}
                Some(found) if found != EntryKind::Folder && ours.contains(path.as_str()) => {
                    plan.put.push((path, bytes, Existing::Replaced));
                }
                Some(_) => foreign.push(root.name_of(path)),
            }
        }
        let new: BTreeSet<&str> = new.iter().map(|(path, _)| path.as_str()).collect();
        for path in ours.difference(&new) {
            root.check(path)?;
            // One that an interrupted command has removed may have left its folder.
            if root.kind(path)? != Some(EntryKind::Folder) {
                plan.remove.push((*path).to_owned());
            }
        }
        if foreign.is_empty() {
            return Ok(plan);
        }
        Err(Error::Usage(format!(
            "not written by heapsmith, and in the place of a new file; move it away, then run this command again: {}",
            foreign.join(", ")
        )))
    }

    fn carry_out(&self, changes: &mut Changes<'_>) -> Result<(), Error> {
        let last = self.put.len().saturating_sub(1);
        let put = |files: &[(&str, &[u8], Existing)], changes: &mut Changes<'_>| {
            for (path, bytes, existing) in files {
                if interrupt::signal().is_some() {
                    return Err(Error::stopped());
                }
                changes.make_folders_of(path)?;
                changes.put_file(path, bytes, *existing, Step::Put)?;
            }
            Ok(())
        };
        put(&self.put[..last], changes)?;
        changes.remove_listed(&self.remove)?;
        // When the last file is in place, everything else has to be on the disk.
        let touched = self.put.iter().map(|(path, ..)| *path).chain(self.remove.iter().map(String::as_str));
        let folders: BTreeSet<&str> = touched.flat_map(folders_of).chain([""]).collect();
        for folder in &folders {
            changes.sync(folder)?;
        }
        put(&self.put[last..], changes)?;
        for folder in self.put[last..].iter().flat_map(|(path, ..)| folders_of(path)).chain([""]) {
            changes.sync(folder)?;
        }
        changes.remove_file(MARKER, Step::Finish)
    }
}

fn sha256(bytes: &[u8]) -> String {
    hexadecimal(&Sha256::digest(bytes))
}

/// The error of a command that leaves the folder unfinished.
fn unfinished_error(root: &SharedFolder, error: Error) -> Error {
    let (folder, todo) = (root.path().display(), "run this command again to finish it");
    match error {
        error if error.is_stop() => {
            Error::Usage(format!("{folder} is unfinished, since a signal ended this command; {todo}"))
        }
        Error::Io { action, source } => Error::io(format!("{folder} is unfinished; {todo}: {action}"), source),
        error => Error::Usage(format!("{folder} is unfinished; {todo}: {error}")),
    }
}
