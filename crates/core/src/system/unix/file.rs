//! Files.

use std::fs::File;
use std::io::{self, Seek};
use std::os::fd::AsFd;
use std::os::unix::fs::{FileExt, MetadataExt};
#[cfg(feature = "files")]
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
#[cfg(feature = "files")]
use std::path::Path;

#[cfg(feature = "files")]
use rustix::fs::{CWD, Mode, OFlags, fcntl_getfl, fcntl_setfl, openat};
#[cfg(feature = "files")]
use rustix::io::Errno;

#[cfg(feature = "files")]
use crate::system::program::is_scarce;

/// A file that is empty, and takes whatever is written.
#[doc(hidden)]
pub const NOWHERE: &str = "/dev/null";

/// Whether an open file is known by another name, and can be removed.
#[doc(hidden)]
pub const RECOGNISES_FILES: bool = true;

/// Temporary files are private by default; an output has the permissions that any new file gets here.
#[cfg(feature = "files")]
pub fn readable_like_any_new_file(builder: &mut tempfile::Builder<'_, '_>) {
    builder.permissions(std::fs::Permissions::from_mode(0o666));
}

/// Signs of a change of a file: its length, and the time of its last change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[doc(hidden)]
pub struct FileStamp {
    pub length: u64,
    /// Seconds and nanoseconds of the last change of its contents, and of what is known of it.
    times: [i64; 4],
}

impl FileStamp {
    pub fn from_file(file: &File) -> io::Result<FileStamp> {
        let found = file.metadata()?;
        let times = [found.mtime(), found.mtime_nsec(), found.ctime(), found.ctime_nsec()];
        Ok(FileStamp { length: found.len(), times })
    }
}

/// Reads at an offset. Others may read the same open file meanwhile.
#[doc(hidden)]
pub fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    file.read_at(buffer, offset)
}

/// The bytes that are free in the file system of a path, for anyone but its administrator.
#[cfg(feature = "files")]
pub fn free_space(path: &Path) -> Option<u64> {
    let found = rustix::fs::statvfs(path).ok()?;
    found.f_bavail.checked_mul(found.f_frsize)
}

/// Standard input, and its length, where that is a plain file at its start: it need not be copied to be read several times.
#[doc(hidden)]
pub fn stdin_file() -> Option<(File, u64)> {
    let mut file = File::from(io::stdin().as_fd().try_clone_to_owned().ok()?);
    let found = file.metadata().ok()?;
    if found.is_file() && file.stream_position().ok()? == 0 { Some((file, found.len())) } else { None }
}

/// Whether an open file is a pipe.
#[cfg(feature = "files")]
pub fn is_pipe(file: &File) -> bool {
    file.metadata().is_ok_and(|found| found.file_type().is_fifo())
}

/// Opens a file for reading without waiting: a pipe that nothing writes to is at its end.
#[cfg(feature = "files")]
pub fn open_at_once(path: &Path) -> io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = File::from(openat(CWD, path, flags, Mode::empty())?);
    // What is written to a pipe is waited for.
    fcntl_setfl(&file, fcntl_getfl(&file)? - OFlags::NONBLOCK)?;
    Ok(file)
}

/// Whether the machine has too little of something: threads, processes, memory, open files, room on a disk.
#[cfg(feature = "files")]
pub fn is_shortage(error: &io::Error) -> bool {
    is_scarce(error.kind()) || is_out_of_files(error)
}

/// Whether this process, or the system, has too many open files: that has no [`io::ErrorKind`] of its own.
#[cfg(feature = "files")]
pub(super) fn is_out_of_files(error: &io::Error) -> bool {
    matches!(Errno::from_io_error(error), Some(Errno::MFILE | Errno::NFILE))
}
