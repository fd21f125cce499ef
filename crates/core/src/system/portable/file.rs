//! Files.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

#[cfg(feature = "files")]
use crate::system::program::is_scarce;

/// A file that is empty, and takes whatever is written.
#[doc(hidden)]
pub const NOWHERE: &str = if cfg!(windows) { "NUL" } else { "/dev/null" };

/// Whether an open file is known by another name, and can be removed. Neither holds everywhere.
#[doc(hidden)]
pub const RECOGNISES_FILES: bool = false;

/// An output keeps the permissions of temporary files.
#[cfg(feature = "files")]
pub fn readable_like_any_new_file(_: &mut tempfile::Builder<'_, '_>) {}

/// Signs of a change of a file: its length, and the time of its last change, as exactly as the system notes that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[doc(hidden)]
pub struct FileStamp {
    pub length: u64,
    modified: Option<SystemTime>,
}

impl FileStamp {
    pub fn from_file(file: &File) -> io::Result<FileStamp> {
        let found = file.metadata()?;
        Ok(FileStamp { length: found.len(), modified: found.modified().ok() })
    }
}

/// Reads at an offset. Others may read the same open file meanwhile: since all of them share one position, each has to wait
/// for the other.
#[doc(hidden)]
pub fn read_at(mut file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    file.seek(SeekFrom::Start(offset))?;
    file.read(buffer)
}

/// Whether an open file is a pipe: not known to the standard library.
#[cfg(feature = "files")]
pub fn is_pipe(_: &File) -> bool {
    false
}

/// Opens a file for reading. The other end of a pipe is waited for.
#[cfg(feature = "files")]
pub fn open_at_once(path: &Path) -> io::Result<File> {
    File::open(path)
}

/// Standard input as a plain file: never, since the standard library has no portable call for that.
#[doc(hidden)]
pub fn stdin_file() -> Option<(File, u64)> {
    None
}

/// The bytes that are free in the file system of a path: not known to the standard library.
#[cfg(feature = "files")]
pub fn free_space(_: &Path) -> Option<u64> {
    None
}

/// Whether the machine has too little of something: threads, processes, memory, room on a disk. Systems do not share a code
/// for too many open files.
#[cfg(feature = "files")]
pub fn is_shortage(error: &io::Error) -> bool {
    is_scarce(error.kind())
}
