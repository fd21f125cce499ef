//! Paths below a folder, without following links.

use std::collections::BTreeSet;
use std::fs::{self, FileType};
use std::io::{self, Read};
use std::path::{Component, Path};

use crate::error::Error;

/// How the names of our own files in a folder begin.
const OWN: &str = ".heapsmith-";

/// Whether a path names something below the folder that it is relative to, in one spelling: names separated by `/`,
/// none of them `.`, `..` or empty, and no root.
pub(crate) fn is_plain_relative(path: &str) -> bool {
    let names = || Path::new(path).components();
    // The components of `a//b` and `a/.` are plain, too: joined again they show another spelling.
    let spelled: Vec<&str> = names().filter_map(|name| name.as_os_str().to_str()).collect();
    !path.is_empty()
        && !path.contains('\0')
        && names().all(|name| matches!(name, Component::Normal(_)))
        && spelled.join("/") == path
}

/// Whether an entry of a folder is the lock, the journal or the folder of new files.
pub(crate) fn is_own(name: &str) -> bool {
    // Some file systems take capitals for small letters.
    name.get(..OWN.len()).is_some_and(|start| start.eq_ignore_ascii_case(OWN))
}

/// What stands at a path, the link itself if it is one; `None` if nothing does.
pub(super) fn kind(path: &Path) -> Result<Option<FileType>, Error> {
    match fs::symlink_metadata(path) {
        Ok(found) => Ok(Some(found.file_type())),
        // Something on the way is a file.
        Err(e) if matches!(e.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => Ok(None),
        Err(e) => Err(Error::io(format!("reading {}", path.display()), e)),
    }
}

/// Refuses a path that is not plain, is one of our own names, or has anything but folders on its way.
pub(super) fn check(root: &Path, path: &str) -> Result<(), Error> {
    if !is_plain_relative(path) {
        let root = root.display();
        return Err(Error::Usage(format!(
            "{path:?}, listed as a file of {root}: expected a relative path without `..`"
        )));
    }
    if path.split('/').any(is_own) {
        return Err(Error::Usage(format!(
            "{path:?} is listed as a file, and names that begin with {OWN} are reserved"
        )));
    }
    for folder in folders_of(path) {
        let folder = root.join(folder);
        match kind(&folder)? {
            Some(found) if found.is_symlink() => {
                return Err(Error::Usage(format!(
                    "{} is a symbolic link, which is not followed; put a folder in its place",
                    folder.display()
                )));
            }
            Some(found) if !found.is_dir() => {
                return Err(Error::Usage(format!(
                    "{} is not a folder, and {path} has to be in it; move it away",
                    folder.display()
                )));
            }
            Some(_) => {}
            None => break,
        }
    }
    Ok(())
}

/// The bytes of a listed file, if it has no more than `most`. A link, a device or a pipe in its place is not read.
///
/// # Errors
/// If the path is not plain or leads through a link; if something else than a file is there, or a longer one; if reading fails.
pub(crate) fn read_listed(root: &Path, path: &str, most: u64) -> Result<Vec<u8>, Error> {
    check(root, path)?;
    let file = root.join(path);
    let name = file.display();
    if kind(&file)?.is_some_and(|found| !found.is_file()) {
        return Err(Error::Usage(format!("{name}: expected a file, found something else; restore the file first")));
    }
    let mut bytes = Vec::new();
    let read = fs::File::open(&file).and_then(|file| file.take(most.saturating_add(1)).read_to_end(&mut bytes));
    if read.map_err(|e| Error::io(format!("reading {name}"), e))? as u64 > most {
        return Err(Error::Usage(format!("{name}: expected at most {most} bytes, found more; restore the file first")));
    }
    Ok(bytes)
}

/// The folders on the way to a plain path, the outermost first.
pub(crate) fn folders_of(path: &str) -> impl DoubleEndedIterator<Item = &str> {
    path.match_indices('/').map(|(end, _)| &path[..end])
}

/// The names in a folder, in order. One that is not valid Unicode is shown with replacement characters.
pub(crate) fn entries(folder: &Path) -> Result<BTreeSet<String>, Error> {
    let failed = |e| Error::io(format!("reading {}", folder.display()), e);
    let mut names = BTreeSet::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        names.insert(entry.map_err(failed)?.file_name().to_string_lossy().into_owned());
    }
    Ok(names)
}
