//! Unix. What only Linux has, such as `/proc`, is left out elsewhere; the item says so.

#[cfg(feature = "files")]
mod descent;
mod file;
#[cfg(feature = "files")]
mod folder;
#[cfg(feature = "files")]
mod process;
#[cfg(feature = "files")]
mod removal;
#[cfg(feature = "files")]
mod signals;

pub use file::{FileStamp, NOWHERE, RECOGNISES_FILES, read_at, stdin_file};
#[cfg(feature = "files")]
pub use file::{free_space, is_pipe, is_shortage, open_at_once, readable_like_any_new_file};
#[cfg(feature = "files")]
pub use folder::{OpenFolder, another_name};
#[cfg(feature = "files")]
pub use process::{Program, adopt_orphans, signal_of, supervise, sweep};
#[cfg(feature = "files")]
pub use removal::remove_all;
#[cfg(feature = "files")]
pub use signals::{Signals, ignore_long_files, name_of};
