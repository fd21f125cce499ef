//! Entries of folders.

use std::fs::FileType;

/// The kind of an entry: of a link, that it is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[doc(hidden)]
pub enum EntryKind {
    /// A plain file.
    File,
    /// A folder.
    Folder,
    /// A symbolic link.
    Link,
    /// A pipe, a device or a socket.
    Special,
}

impl EntryKind {
    /// The kind in words, with its article.
    pub fn name(self) -> &'static str {
        match self {
            EntryKind::File => "a plain file",
            EntryKind::Folder => "a folder",
            EntryKind::Link => "a symbolic link",
            EntryKind::Special => "a pipe or a device",
        }
    }
}

impl From<FileType> for EntryKind {
    fn from(found: FileType) -> EntryKind {
        match (found.is_symlink(), found.is_dir(), found.is_file()) {
            (true, ..) => EntryKind::Link,
            (_, true, _) => EntryKind::Folder,
            (.., true) => EntryKind::File,
            _ => EntryKind::Special,
        }
    }
}

/// The purpose for which a file that is there is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[doc(hidden)]
pub enum Access {
    /// Reading from the start.
    Read,
    /// Reading and writing from the start.
    Write,
    /// Writing after what is there.
    Append,
}
