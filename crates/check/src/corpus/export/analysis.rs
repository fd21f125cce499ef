//! The answers of an analyser about the heap of a case.

use heapsmith_core::answers::{Analysis, EdgeOptions, EntryGraph, answers};
use heapsmith_core::error::Error;
use heapsmith_core::model::HeapSource;
use serde::Serialize;

use super::manifest::ExportAnalysis;
use super::stored_files::{ExportFolder, StoredFiles};

impl ExportAnalysis {
    /// Works out the answers about a heap, and adds their files; `listing` is the name of that with the heap as a listing.
    ///
    /// # Errors
    /// If reading the heap fails, or a file of another case has such a name.
    pub(super) fn from_heap(
        source: &mut dyn HeapSource,
        listing: &str,
        stored: &mut StoredFiles,
    ) -> Result<ExportAnalysis, Error> {
        let stem = listing.strip_suffix(".jsonl").unwrap_or(listing);
        let analysis = Analysis::new(EntryGraph::from_source(source, EdgeOptions::default())?);
        let mut heap = Vec::new();
        write_line(&mut heap, &answers(source, &analysis)?)?;
        let mut entries = Vec::new();
        analysis.visit_entries(|entry| write_line(&mut entries, &entry))?;
        Ok(ExportAnalysis {
            heap: stored.insert(ExportFolder::Answers, &format!("{stem}.json"), heap)?,
            entries: stored.insert(ExportFolder::Answers, &format!("{stem}.jsonl"), entries)?,
        })
    }
}

fn write_line(out: &mut Vec<u8>, value: &impl Serialize) -> Result<(), Error> {
    serde_json::to_writer(&mut *out, value).map_err(|e| Error::io("writing answers", e.into()))?;
    out.push(b'\n');
    Ok(())
}
