//! Folders that heapsmith shares with their owner: only listed files are replaced or removed there, one command at a
//! time, and an interruption at any point leaves a folder that is marked as unfinished, with whole files, which the same command
//! finishes.
//!
//! What a folder holds is not trusted: lists of files and the marker may have been changed by anything. So the folder is opened
//! once, as a [`SharedFolder`], and every path below it is looked up from there, name by name, in one function: it is a plain
//! relative path, symbolic links are never followed, and what is read is a plain file of bounded length. The folder itself may be
//! reached through a link.
//!
//! | name in the folder | what | how long |
//! |---|---|---|
//! | `.heapsmith-lock` | an empty file that commands lock | while a command runs |
//! | `.heapsmith-part` | a new file | until it is whole |
//! | `.heapsmith-unfinished` | the new files with their SHA-256 | from before the first change until all is in place |

mod changes;
mod folder;
mod lock;
mod paths;
mod replace;

#[doc(hidden)]
pub use changes::{Changes, Step};
#[doc(hidden)]
pub use folder::{Existing, LONGEST_LIST, ListedFile, SharedFolder};
#[doc(hidden)]
pub use lock::FolderLock;
#[doc(hidden)]
pub use paths::{folders_of, is_own, is_plain_relative};
#[doc(hidden)]
pub use replace::{UnfinishedFiles, is_unfinished, replace};

use crate::error::Error;

/// Removes the files of a list from a folder, and then the folders in which they were, if those are empty now: the
/// deepest first, and never `root`. A file that is not there is passed over; of a symbolic link the link goes.
///
/// # Errors
/// If a path is not plain or leads through a symbolic link: nothing is removed then. If removing fails.
#[doc(hidden)]
pub fn remove_listed(root: &SharedFolder, files: &[String]) -> Result<(), Error> {
    Changes::new(root, &mut |_| {}).remove_listed(files)
}

#[cfg(test)]
mod tests;
