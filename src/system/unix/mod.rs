//! Unix. What only Linux has, such as `/proc`, is left out elsewhere; the item says so.

mod file;
mod folder;
mod process;
mod signals;

pub(crate) use file::{NOWHERE, RECOGNISES_FILES, Stamp, is_at, is_out_of_files, read_at, readable_like_any_new_file};
pub(crate) use folder::{OpenFolder, remove_all, sync_folder};
pub(crate) use process::{Program, adopt_orphans, signal_of, supervise, sweep};
pub(crate) use signals::{Signals, ignore_long_files, name_of};
