//! A tree of folders that another process may change meanwhile, gone through by descriptors.
//!
//! One folder is open at a time. The way down is by a name in it, and never through a link or into another file system; the way
//! up is by `..`, and leads to the folder above or is an error. So neither the depth of the tree nor the length of its paths
//! matters: neither the stack nor the number of open files grows with them.

use std::ffi::{CStr, CString, OsStr};
use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, Dir, DirEntry, Mode, OFlags, Stat, fstat, openat};

/// Device and inode of a file.
pub(super) type FileId = (u64, u64);

pub(super) fn id_of(stat: &Stat) -> FileId {
    #[allow(clippy::unnecessary_cast, reason = "the types differ from system to system")]
    (stat.st_dev as u64, stat.st_ino as u64)
}

/// The folder where a walk is, with what the walk notes about it and about each folder above.
#[derive(Debug)]
pub(super) struct Descent<N> {
    folder: Dir,
    id: FileId,
    /// The walk's notes about this folder.
    pub(super) notes: N,
    above: Vec<FolderAbove<N>>,
}

#[derive(Debug)]
struct FolderAbove<N> {
    id: FileId,
    notes: N,
    /// The name by which the walk left it downwards.
    name: CString,
}

impl<N: Default> Descent<N> {
    /// Begins at the folder of a path, which is not a link.
    pub(super) fn open(path: &Path) -> io::Result<Descent<N>> {
        let (folder, id) = folder_in(CWD, path)?;
        Ok(Descent { folder, id, notes: N::default(), above: Vec::new() })
    }

    /// Goes into a folder that has this name here.
    ///
    /// # Errors
    /// If there is none, or it belongs to another file system.
    pub(super) fn descend(&mut self, name: CString) -> io::Result<()> {
        let (folder, id) = folder_in(self.folder.fd()?, &*name)?;
        if id.0 != self.id.0 {
            return Err(io::Error::new(io::ErrorKind::CrossesDevices, "another file system is mounted there"));
        }
        let (_, above) = (std::mem::replace(&mut self.folder, folder), std::mem::replace(&mut self.id, id));
        let notes = std::mem::take(&mut self.notes);
        self.above.push(FolderAbove { id: above, notes, name });
        Ok(())
    }

    /// Goes back to the folder above, and gives the name of the one that is left; at the top there is none.
    ///
    /// # Errors
    /// If the folder was moved meanwhile.
    pub(super) fn ascend(&mut self) -> io::Result<Option<CString>> {
        let Some(above) = self.above.last() else { return Ok(None) };
        let (folder, id) = folder_in(self.folder.fd()?, c"..")?;
        if id != above.id {
            return Err(io::Error::other("it was moved meanwhile"));
        }
        let Some(FolderAbove { notes, name, .. }) = self.above.pop() else { return Ok(None) };
        (self.folder, self.id, self.notes) = (folder, id, notes);
        Ok(Some(name))
    }

    /// The folder, open.
    pub(super) fn folder(&self) -> io::Result<BorrowedFd<'_>> {
        Ok(self.folder.fd()?)
    }

    /// Begins to read the folder's entries once more.
    pub(super) fn rewind(&mut self) {
        self.folder.rewind();
    }

    /// The next entry of the folder.
    pub(super) fn next_entry(&mut self) -> Option<io::Result<DirEntry>> {
        let is_itself = |name: &CStr| name == c"." || name == c"..";
        loop {
            match self.folder.read()? {
                Ok(entry) if is_itself(entry.file_name()) => {}
                entry => return Some(entry.map_err(Into::into)),
            }
        }
    }

    /// The path below the top of what has this name here.
    pub(super) fn path_of(&self, name: &CStr) -> PathBuf {
        let names = self.above.iter().map(|above| &*above.name).chain([name]);
        names.map(|name| OsStr::from_bytes(name.to_bytes())).collect()
    }
}

fn folder_in<P: rustix::path::Arg>(parent: BorrowedFd<'_>, name: P) -> io::Result<(Dir, FileId)> {
    let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::RDONLY | OFlags::CLOEXEC;
    let opened: OwnedFd = openat(parent, name, flags, Mode::empty())?;
    let id = id_of(&fstat(&opened)?);
    Ok((Dir::new(opened)?, id))
}
