//! Writing the corpus.

use std::collections::BTreeSet;
use std::path::Path;

use crate::corpus::manifest::Manifest;
use crate::corpus::{Case, cases};
use heapsmith_core::error::Error;
use heapsmith_core::owned::{self, Changes, FolderLock, SharedFolder, Step, UnfinishedFiles};

use super::judge_case;
use super::recipe_files::all_files;
use super::{MANIFEST, SCHEMA};

/// Writes every file of the corpus and the manifest, and removes those files of the old manifest that belong to no
/// case any more. Other files are left alone. The folder may be missing or empty.
///
/// An interruption at any point leaves a folder that [`super::verify()`] names as unfinished, and that the next `bless` finishes.
///
/// # Errors
/// If a case is not judged as it expects; if the folder holds something else than a corpus, or a file or link in the
/// place of one of the corpus: nothing is changed then. If another command works in the folder. If writing fails, or a signal
/// ends it: the folder is unfinished then.
pub fn bless(folder: &Path) -> Result<usize, Error> {
    let mut count = 0;
    let judged = || {
        let cases = cases()?;
        check_cases(&cases)?;
        count = cases.len();
        all_files(&cases)
    };
    bless_with(folder, judged, &mut |_| {})?;
    Ok(count)
}

fn check_cases(cases: &[Case]) -> Result<(), Error> {
    let mut wrong = Vec::new();
    for case in cases {
        wrong.extend(judge_case(case)?.into_iter().map(|message| format!("{}: {message}", case.id)));
    }
    if wrong.is_empty() {
        return Ok(());
    }
    wrong.push("a corpus is blessed only when every case holds".to_owned());
    Err(Error::Usage(wrong.join("\n")))
}

/// Writes these files, of which the manifest is the last; `step` is called before each change. They are asked for
/// when the folder is known to be fit for them.
pub(super) fn bless_with(
    folder: &Path,
    files: impl FnOnce() -> Result<Vec<(String, Vec<u8>)>, Error>,
    step: &mut dyn FnMut(Step),
) -> Result<(), Error> {
    replace_with(folder, listed_files, |_| files(), step)
}

/// Writes these files into a folder, of which the last is the manifest from which `listed` reads what was there before.
pub(in crate::corpus) fn replace_with(
    folder: &Path,
    listed: fn(&SharedFolder) -> Result<Option<BTreeSet<String>>, Error>,
    files: impl FnOnce(&SharedFolder) -> Result<Vec<(String, Vec<u8>)>, Error>,
    step: &mut dyn FnMut(Step),
) -> Result<(), Error> {
    let folder = &SharedFolder::create(folder)?;
    let mut changes = Changes::new(folder, step);
    let _lock = FolderLock::exclusive(folder)?;
    let interrupted = UnfinishedFiles::read(folder)?;
    let old = match listed(folder)? {
        Some(old) => old,
        None if interrupted.is_some() || folder.entries()?.iter().all(|name| owned::is_own(name)) => BTreeSet::new(),
        None => {
            return Err(Error::Usage(format!(
                "{} is not empty and has no {MANIFEST} of heapsmith, so that its files may not be replaced; name a \
                 corpus folder, or an empty or new one",
                folder.path().display()
            )));
        }
    };
    owned::replace(&files(folder)?, &old, interrupted, &mut changes)
}

/// The files in a folder that are ours: those that its manifest lists, and the manifest; `None` if it has none of
/// heapsmith's.
pub(super) fn listed_files(folder: &SharedFolder) -> Result<Option<BTreeSet<String>>, Error> {
    // A link would lead to the manifest of another corpus, whose files are not here.
    let Some(text) = folder.read(MANIFEST)? else { return Ok(None) };
    let Ok(manifest) = serde_json::from_slice::<Manifest>(&text) else { return Ok(None) };
    // What an older version listed is ours as well.
    if !(1..=SCHEMA).contains(&manifest.schema) {
        return Ok(None);
    }
    let files = manifest.cases.into_iter().flat_map(|case| {
        let listings = case.answers.into_iter().filter_map(|answer| answer.listing);
        listings.chain([case.file])
    });
    Ok(Some(files.chain([MANIFEST.to_owned()]).collect()))
}
