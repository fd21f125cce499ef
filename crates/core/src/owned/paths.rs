//! Paths below a folder, as data has them.

use std::path::{Component, Path};

/// The beginning of our own files' names in a folder.
pub(super) const OWN: &str = ".heapsmith-";

/// The longest path of ours, and the longest name that systems allow.
const LONGEST_PATH: usize = 1024;
const LONGEST_NAME: usize = 255;

/// Whether a path names something below the folder that it is relative to, in one spelling: names separated by `/`,
/// none of them `.`, `..` or empty, and no root. One that is too long to be a file's does not.
#[doc(hidden)]
pub fn is_plain_relative(path: &str) -> bool {
    let names = || Path::new(path).components();
    // The components of `a//b` and `a/.` are plain, too: joined again they show another spelling.
    let spelled: Vec<&str> = names().filter_map(|name| name.as_os_str().to_str()).collect();
    !path.is_empty()
        && path.len() <= LONGEST_PATH
        && !path.contains('\0')
        && names().all(|name| matches!(name, Component::Normal(_)))
        && spelled.iter().all(|name| name.len() <= LONGEST_NAME)
        && spelled.join("/") == path
}

/// Whether an entry of a folder has a name of our own, as the lock and the marker have.
#[doc(hidden)]
pub fn is_own(name: &str) -> bool {
    // Some file systems take capitals for small letters.
    name.get(..OWN.len()).is_some_and(|start| start.eq_ignore_ascii_case(OWN))
}

/// The folders on the way to a plain path, the outermost first.
#[doc(hidden)]
pub fn folders_of(path: &str) -> impl DoubleEndedIterator<Item = &str> {
    path.match_indices('/').map(|(end, _)| &path[..end])
}
