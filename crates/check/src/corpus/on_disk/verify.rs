//! Comparing the corpus with its recipes.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::ErrorKind;
use std::path::Path;

use serde::Serialize;

use crate::corpus::cases;
use heapsmith_core::bytes::SameBytes;
use heapsmith_core::error::Error;
use heapsmith_core::owned::{self, FolderLock, SharedFolder};
use heapsmith_core::system::Access;

use super::MANIFEST;
use super::judge_case;
use super::recipe_files::{RecipeFile, recipe_files};

/// Something about a case that is not as expected.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Trouble {
    /// The case, or the file.
    pub case: String,
    /// What is wrong.
    pub message: String,
}

/// The result of [`verify`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CorpusReport {
    /// The number of cases.
    pub cases: usize,
    /// Violated expectations.
    pub troubles: Vec<Trouble>,
    /// Notes that are no violations: files that belong to no case.
    pub notes: Vec<String>,
}

/// Checks the corpus in a folder: files against recipes, expectations against heapsmith's own decoder
/// and validator. A folder that an interrupted [`super::bless()`] left is one violation, that it is unfinished.
///
/// # Errors
/// If the folder has no manifest or cannot be read, or `bless` works in it.
pub fn verify(folder: &Path) -> Result<CorpusReport, Error> {
    verify_watched(folder, &mut |_, _| {})
}

/// Checks the corpus in a folder like [`verify`], and calls `watch` after each case with the number of judged cases and
/// of all.
///
/// # Errors
/// Like [`verify`].
pub fn verify_watched(folder: &Path, watch: &mut dyn FnMut(usize, usize)) -> Result<CorpusReport, Error> {
    let cases = cases()?;
    let mut verified = verify_with(folder, recipe_files(&cases))?;
    verified.cases = cases.len();
    for (done, case) in cases.iter().enumerate() {
        watch(done, cases.len());
        let messages = judge_case(case)?.into_iter();
        verified.troubles.extend(messages.map(|message| Trouble { case: case.id.clone(), message }));
    }
    Ok(verified)
}

/// Compares the files in a folder with these, the last of which is the manifest. They are generated one by one, and
/// none is held.
pub(super) fn verify_with<'f>(
    folder: &Path,
    files: impl Iterator<Item = Result<RecipeFile<'f>, Error>>,
) -> Result<CorpusReport, Error> {
    let mut verified = CorpusReport::default();
    let folder = &SharedFolder::open(folder)?;
    let _lock = FolderLock::shared(folder)?;
    if let Some(trouble) = unfinished(folder)? {
        verified.troubles.push(trouble);
        return Ok(verified);
    }
    open_file(folder, MANIFEST)?;
    let mut known = BTreeSet::new();
    for made in files {
        let made = made?;
        let message = match is_stored(folder, &made) {
            Ok(true) => None,
            Ok(false) => Some("differs from its recipe".to_owned()),
            Err(e) => Some(e.to_string()),
        };
        let file = made.path;
        verified.troubles.extend(message.map(|message| Trouble { case: file.clone(), message }));
        known.insert(file);
    }
    verified.notes = foreign_files(folder, &known);
    Ok(verified)
}

/// The trouble of a folder in which a command was interrupted; `None` if it is whole.
///
/// # Errors
/// If the folder cannot be read.
pub(in crate::corpus) fn unfinished(folder: &SharedFolder) -> Result<Option<Trouble>, Error> {
    if !owned::is_unfinished(folder)? {
        return Ok(None);
    }
    let path = folder.path().display();
    let message = format!(
        "the folder is unfinished, since the command that wrote it was interrupted; run that again: for the corpus, \
         `heapsmith corpus bless {path}`"
    );
    Ok(Some(Trouble { case: path.to_string(), message }))
}

/// Notes about the files that are not known, in the folders of those that are.
pub(in crate::corpus) fn foreign_files(folder: &SharedFolder, known: &BTreeSet<String>) -> Vec<String> {
    let shelves: BTreeSet<&str> = known.iter().flat_map(|file| owned::folders_of(file)).collect();
    let mut notes = Vec::new();
    for shelf in &shelves {
        // Without the shelf all its files are missing, and a link is not followed, which has been said.
        let names = folder.entries_of(shelf).unwrap_or_default();
        let foreign = names.into_iter().map(|name| format!("{shelf}/{name}"));
        let foreign = foreign.filter(|name| !known.contains(name) && !shelves.contains(name.as_str()));
        notes.extend(foreign.map(|file| format!("{file} belongs to no case")));
    }
    notes
}

/// Whether a file holds what its recipe makes: both are read in pieces, up to the first difference.
fn is_stored(folder: &SharedFolder, made: &RecipeFile<'_>) -> Result<bool, Error> {
    let stored = open_file(folder, &made.path)?;
    let mut same = SameBytes::new(Box::new(stored));
    match made.write(&mut same) {
        Ok(()) => same.is_whole(),
        Err(_) if same.differs() => Ok(false),
        Err(e) => Err(e),
    }
}

fn open_file(folder: &SharedFolder, path: &str) -> Result<File, Error> {
    let missing = || Error::io(format!("reading {}", folder.name_of(path)), ErrorKind::NotFound.into());
    folder.open_file(path, Access::Read)?.ok_or_else(missing)
}
