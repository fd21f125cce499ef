//! The files of an export, by their paths.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use heapsmith_core::bytes::hexadecimal;
use heapsmith_core::error::Error;
use sha2::{Digest, Sha256};

use super::manifest::ExportFile;

/// Dumps, listings, answers and heap files, by their paths.
#[derive(Default)]
pub(super) struct StoredFiles(BTreeMap<String, Vec<u8>>);

/// A folder of an export.
#[derive(Clone, Copy, Debug)]
pub(super) enum ExportFolder {
    Dumps,
    Listings,
    Answers,
    Heaps,
}

impl ExportFolder {
    fn name(self) -> &'static str {
        match self {
            ExportFolder::Dumps => "dumps",
            ExportFolder::Listings => "listings",
            ExportFolder::Answers => "answers",
            ExportFolder::Heaps => "heaps",
        }
    }
}

impl StoredFiles {
    /// Adds a file under a name. Files of equal bytes have a name each, so that the listing of a case is found by the
    /// case's id.
    ///
    /// # Errors
    /// If another file has this name.
    pub(super) fn insert(&mut self, folder: ExportFolder, name: &str, bytes: Vec<u8>) -> Result<ExportFile, Error> {
        let path = format!("{}/{name}", folder.name());
        let file = ExportFile { path, size: bytes.len() as u64, sha256: sha256(&bytes) };
        match self.0.entry(file.path.clone()) {
            Entry::Vacant(vacant) => vacant.insert(bytes),
            Entry::Occupied(_) => {
                let path = &file.path;
                return Err(Error::Usage(format!("{path} is a file of another case; choose another id")));
            }
        };
        Ok(file)
    }

    /// Adds a file that the folder has already.
    pub(super) fn keep(&mut self, path: &str, bytes: Vec<u8>) {
        self.0.insert(path.to_owned(), bytes);
    }

    /// The files with their bytes, by path.
    pub(super) fn into_files(self) -> impl Iterator<Item = (String, Vec<u8>)> {
        self.0.into_iter()
    }
}

impl ExportFile {
    /// Whether the file has these bytes.
    pub(super) fn has_bytes(&self, bytes: &[u8]) -> bool {
        self.size == bytes.len() as u64 && self.sha256 == sha256(bytes)
    }
}

fn sha256(bytes: &[u8]) -> String {
    hexadecimal(&Sha256::digest(bytes))
}
