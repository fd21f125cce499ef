//! What the standard library has no portable call for.

mod file;
mod folder;
mod signals;

pub(crate) use file::{Positioned, Stamp, readable_like_any_new_file};
pub(crate) use folder::{Folder, remove_all};
pub(crate) use signals::{Signals, ignore_long_files, name_of};
