//! Files.

use std::fs::{self, File};
use std::io::{self, Seek};
use std::os::fd::AsFd;
use std::os::unix::fs::{FileExt, MetadataExt, PermissionsExt};
use std::path::Path;

#[cfg(feature = "files")]
use rustix::io::Errno;

/// A file that is empty, and takes whatever is written.
pub(crate) const NOWHERE: &str = "/dev/null";

/// Whether [`is_at`] knows, and a file that is open can be removed.
pub(crate) const RECOGNISES_FILES: bool = true;

/// Temporary files are private by default; an output has the permissions that any new file gets here.
#[cfg(feature = "files")]
pub(crate) fn readable_like_any_new_file(builder: &mut tempfile::Builder<'_, '_>) {
    builder.permissions(fs::Permissions::from_mode(0o666));
}

/// What tells that a file has been changed: its length, and when it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stamp {
    pub(crate) length: u64,
    /// Seconds and nanoseconds of the last change of its contents, and of what is known of it.
    times: [i64; 4],
}

impl Stamp {
    pub(crate) fn of(file: &File) -> io::Result<Stamp> {
        let found = file.metadata()?;
        let times = [found.mtime(), found.mtime_nsec(), found.ctime(), found.ctime_nsec()];
        Ok(Stamp { length: found.len(), times })
    }
}

/// Reads at an offset. Others may read the same open file meanwhile.
pub(crate) fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    file.read_at(buffer, offset)
}

/// The bytes that are free in the file system of a path, for anyone but its administrator.
#[cfg(feature = "files")]
pub(crate) fn free_space(path: &Path) -> Option<u64> {
    let found = rustix::fs::statvfs(path).ok()?;
    found.f_bavail.checked_mul(found.f_frsize)
}

/// Standard input, and its length, where that is a plain file at its start: it need not be copied to be read several times.
pub(crate) fn stdin_file() -> Option<(File, u64)> {
    let mut file = File::from(io::stdin().as_fd().try_clone_to_owned().ok()?);
    let found = file.metadata().ok()?;
    (found.is_file() && file.stream_position().ok()? == 0).then(|| (file, found.len()))
}

/// Whether an open file is the one at this path.
pub(crate) fn is_at(file: &File, path: &Path) -> bool {
    match (file.metadata(), fs::symlink_metadata(path)) {
        (Ok(open), Ok(there)) => (open.dev(), open.ino()) == (there.dev(), there.ino()),
        _ => false,
    }
}

/// Whether this process, or the system, has too many open files: that has no [`io::ErrorKind`] of its own.
#[cfg(feature = "files")]
pub(crate) fn is_out_of_files(error: &io::Error) -> bool {
    matches!(Errno::from_io_error(error), Some(Errno::MFILE | Errno::NFILE))
}
