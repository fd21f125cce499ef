//! A store for contents that are too long to be held and do not stand in a plain file.

#[cfg(any(feature = "files", feature = "sorting"))]
use std::fs::File;
use std::io;
use std::sync::Arc;
#[cfg(not(any(feature = "files", feature = "sorting")))]
use std::sync::{PoisonError, RwLock};

use super::{ReadAt, StoredBytes};
#[cfg(any(feature = "files", feature = "sorting"))]
use crate::error::in_temporary_folder;

/// Contents of one object are held in memory up to this number of bytes.
pub const HELD: usize = 1 << 20;

/// Bytes of contents that temporary files may hold for one reader of a dump.
pub const SPOOLED: u64 = 64 << 30;

/// A store for contents that are too long to be held. It is not used if the dump is a plain file, in which they are
/// read again; else it is a temporary file without a name, which is gone with the process. Its room is used again once
/// an object's contents are forgotten.
#[derive(Debug)]
pub struct Spool {
    held: usize,
    limit: u64,
    original: Option<Arc<dyn ReadAt>>,
    file: Option<Arc<SpoolFile>>,
    used: u64,
}

/// Contents on their way into a spool.
#[derive(Debug)]
pub struct SpoolEntry {
    file: Arc<SpoolFile>,
    at: u64,
    length: u64,
}

impl Default for Spool {
    fn default() -> Spool {
        Spool::new(HELD, SPOOLED)
    }
}

impl Spool {
    /// A spool for contents of more than `held` bytes, which takes `limit` bytes at once.
    pub fn new(held: usize, limit: u64) -> Spool {
        Spool { held, limit, original: None, file: None, used: 0 }
    }

    /// The spool for a dump whose bytes can be read at any place.
    #[must_use]
    pub fn with_original(self, original: Option<Arc<dyn ReadAt>>) -> Spool {
        Spool { original, ..self }
    }

    /// A new spool with the same limits.
    pub(crate) fn with_same_limits(&self) -> Spool {
        Spool::new(self.held, self.limit).with_original(self.original.clone())
    }

    /// Contents of more bytes than this are not held.
    pub fn held(&self) -> usize {
        self.held
    }

    /// Contents that stand in the dump at this offset, if they can be read there again.
    pub fn in_place(&self, offset: u64, length: u64) -> Option<StoredBytes> {
        self.original.as_ref().map(|original| StoredBytes::new(Arc::clone(original), offset, length))
    }

    /// Makes room for contents.
    ///
    /// # Errors
    /// If there can be no temporary file.
    pub fn begin(&mut self) -> io::Result<SpoolEntry> {
        let file = match &self.file {
            Some(file) => Arc::clone(file),
            None => Arc::clone(self.file.insert(Arc::new(SpoolFile::new()?))),
        };
        // One is the spool's own, and one is this.
        if Arc::strong_count(&file) <= 2 {
            self.used = 0;
        }
        Ok(SpoolEntry { file, at: self.used, length: 0 })
    }

    /// Appends to contents.
    ///
    /// # Errors
    /// If the limit is reached, or writing fails.
    pub fn append(&self, filling: &mut SpoolEntry, bytes: &[u8]) -> io::Result<()> {
        let at = filling.at + filling.length;
        filling.length += bytes.len() as u64;
        let needed = filling.at + filling.length;
        if needed > self.limit {
            let message = format!(
                "contents of objects need {needed} bytes or more of temporary files, of which {} are allowed; decompress \
                 the dump into a file first, since those of a plain file are read where they are",
                self.limit
            );
            return Err(io::Error::new(io::ErrorKind::StorageFull, message));
        }
        filling.file.write_at(bytes, at)
    }

    /// The contents, whole.
    pub fn finish(&mut self, filling: SpoolEntry) -> StoredBytes {
        let SpoolEntry { file, at, length } = filling;
        self.used = at + length;
        StoredBytes::new(file, at, length)
    }
}

#[cfg(any(feature = "files", feature = "sorting"))]
#[derive(Debug)]
struct SpoolFile(File);

#[cfg(any(feature = "files", feature = "sorting"))]
impl SpoolFile {
    fn new() -> io::Result<SpoolFile> {
        tempfile::tempfile().map(SpoolFile).map_err(in_temporary_folder)
    }

    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        use std::io::{Seek, SeekFrom, Write};
        let mut file = &self.0;
        let written = file.seek(SeekFrom::Start(offset)).and_then(|_| file.write_all(bytes));
        written.map_err(in_temporary_folder)
    }
}

#[cfg(any(feature = "files", feature = "sorting"))]
impl ReadAt for SpoolFile {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        crate::system::read_at(&self.0, buffer, offset)
    }
}

/// A spool in memory, where there are no temporary files.
#[cfg(not(any(feature = "files", feature = "sorting")))]
#[derive(Debug, Default)]
struct SpoolFile(RwLock<Vec<u8>>);

#[cfg(not(any(feature = "files", feature = "sorting")))]
impl SpoolFile {
    fn new() -> io::Result<SpoolFile> {
        Ok(SpoolFile::default())
    }

    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        let mut held = self.0.write().unwrap_or_else(PoisonError::into_inner);
        held.truncate(usize::try_from(offset).unwrap_or(usize::MAX));
        held.extend_from_slice(bytes);
        Ok(())
    }
}

#[cfg(not(any(feature = "files", feature = "sorting")))]
impl ReadAt for SpoolFile {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let held = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let rest = usize::try_from(offset).ok().and_then(|offset| held.get(offset..)).unwrap_or_default();
        let count = rest.len().min(buffer.len());
        buffer[..count].copy_from_slice(&rest[..count]);
        Ok(count)
    }
}
