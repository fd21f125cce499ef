//! Folders that `export` or `add` wrote: dumps of heap files are built again, or compared with what would be built.

use std::path::Path;

use crate::corpus::on_disk::{self, CorpusReport, Trouble};
use heapsmith_core::error::Error;
use heapsmith_core::heap_file;
use heapsmith_core::owned::{FolderLock, SharedFolder};

use super::add::{Addition, CheckedAddition, OWN, keep_files, read_file, with_own_manifest};
use super::heap_source::HeapFileSource;
use super::manifest::{Export, ExportCase, ExportSource};
use super::stored_files::StoredFiles;
use super::{SCHEMA, listed_files, read_manifest};

/// Builds the dumps of all cases that have a heap file once more, with their answers. All other cases stay.
///
/// # Errors
/// If the folder has no cases of [`super::add()`]; if a heap file has errors, or its dump another verdict than before; if a file of
/// another case has been changed: nothing is changed then. If another command works in the folder, or writing fails.
pub fn rebuild(folder: &Path) -> Result<usize, Error> {
    let mut count = 0;
    let files = |folder: &SharedFolder| {
        let export = read_manifest(folder)?.filter(|export| export.corpus == OWN).ok_or_else(|| {
            let name = folder.path().display();
            Error::Usage(format!("{name} holds cases of `corpus export`; run that again to write them anew"))
        })?;
        let mut stored = StoredFiles::default();
        let (mut cases, mut rules) = (Vec::new(), export.rules);
        for case in export.cases {
            cases.push(match &case.source {
                Some(source) => {
                    let addition = rebuilt_addition(folder, &case, source)?;
                    CheckedAddition::new(&addition)?.map_err(Error::Usage)?.into_case(&mut stored, &mut rules)?
                }
                None => {
                    keep_files(folder, &case, &mut stored)?;
                    case
                }
            });
        }
        rules.retain(|id, _| cases.iter().any(|case| case.names_rule(id)));
        count = cases.len();
        let (corpus, chosen, conversions) = (export.corpus, export.chosen, export.conversions);
        with_own_manifest(stored, &Export { schema: SCHEMA, corpus, chosen, cases, conversions, rules })
    };
    on_disk::replace_with(folder, listed_files, files, &mut |_| {})?;
    Ok(count)
}

/// The addition that makes a case of its heap file as it is now.
fn rebuilt_addition(folder: &SharedFolder, case: &ExportCase, source: &ExportSource) -> Result<Addition, Error> {
    let source = stored_source(folder, source)?;
    let is_refused = case.answers.iter().all(|answer| answer.listing.is_none());
    let (mut addition, _) = Addition::from_heap_file(source, case.id.clone(), case.summary.clone(), is_refused)?;
    addition.has_analysis = case.answers.iter().any(|answer| answer.analysis.is_some());
    Ok(addition)
}

/// A heap file of the folder as it is now, with the options of its build.
fn stored_source(folder: &SharedFolder, source: &ExportSource) -> Result<HeapFileSource, Error> {
    let (path, build) = (&source.heap_file.path, source.build.clone());
    let name = folder.name_of(path);
    match folder.read_within(path, heap_file::LONGEST)? {
        Some(text) => Ok(HeapFileSource { name, text, build }),
        None => Err(Error::Usage(format!("{name}: expected the heap file of a case, found nothing; restore the file"))),
    }
}

/// Checks a folder that [`super::export()`] or [`super::add()`] wrote: its files against the manifest, and what was built of heap files
/// against what they build now. Calls `watch` before each case with the number of judged cases and of all.
///
/// # Errors
/// If the folder has no such manifest or cannot be read, or another command writes to it.
pub fn verify_export(folder: &Path, watch: &mut dyn FnMut(usize, usize)) -> Result<CorpusReport, Error> {
    let folder = &SharedFolder::open(folder)?;
    let _lock = FolderLock::shared(folder)?;
    let mut verified = CorpusReport::default();
    if let Some(trouble) = on_disk::unfinished(folder)? {
        verified.troubles.push(trouble);
        return Ok(verified);
    }
    let (Some(export), Some(known)) = (read_manifest(folder)?, listed_files(folder)?) else {
        let name = folder.path().display();
        return Err(Error::Usage(format!("{name} has no manifest.json of `corpus export` or `corpus add`")));
    };
    verified.cases = export.cases.len();
    verified.notes = on_disk::foreign_files(folder, &known);
    for (done, case) in export.cases.iter().enumerate() {
        watch(done, export.cases.len());
        verified.troubles.extend(case_troubles(folder, case));
    }
    Ok(verified)
}

fn case_troubles(folder: &SharedFolder, case: &ExportCase) -> Vec<Trouble> {
    let heap_file = case.source.as_ref().map(|source| &source.heap_file);
    let trouble = |file: &str, message: String| Trouble { case: file.to_owned(), message };
    let mut troubles = Vec::new();
    // A heap file may have been changed, which is said in another way.
    for file in case.files().filter(|file| Some(*file) != heap_file) {
        troubles.extend(read_file(folder, case, file).err().map(|e| trouble(&file.path, e.to_string())));
    }
    if let Some(source) = &case.source {
        let message = built_otherwise(folder, case, source).unwrap_or_else(|e| Some(e.to_string()));
        troubles.extend(message.map(|message| trouble(&source.heap_file.path, message)));
    }
    troubles
}

/// The reason why the dump of a case is not the one that its heap file builds, if it is not.
fn built_otherwise(folder: &SharedFolder, case: &ExportCase, source: &ExportSource) -> Result<Option<String>, Error> {
    let stored = stored_source(folder, source)?;
    let bless = format!("`heapsmith corpus bless {}` builds it again", folder.path().display());
    if !source.heap_file.has_bytes(&stored.text) {
        return Ok(Some(format!("changed since the dump was built of it; {bless}")));
    }
    let built = stored.build()?;
    let mut listings = case.answers.iter().filter_map(|answer| answer.listing.as_ref());
    let is_same = case.dump.has_bytes(&built.dump) && listings.all(|listing| listing.has_bytes(&built.listing));
    Ok((!is_same)
        .then(|| format!("expected the dump and the listing of the case, found that it builds others; {bless}")))
}
