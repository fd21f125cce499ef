//! Any system, by the standard library alone. What that cannot do is missing here, and each item says so.

mod file;
#[cfg(feature = "files")]
mod folder;
#[cfg(feature = "files")]
mod program;
#[cfg(feature = "files")]
mod signals;

pub use file::{FileStamp, NOWHERE, RECOGNISES_FILES, read_at, stdin_file};
#[cfg(feature = "files")]
pub use file::{free_space, is_pipe, is_shortage, open_at_once, readable_like_any_new_file};
#[cfg(feature = "files")]
pub use folder::{OpenFolder, another_name, remove_all};
#[cfg(feature = "files")]
pub use program::{Program, adopt_orphans, signal_of, supervise, sweep};
#[cfg(feature = "files")]
pub use signals::{Signals, ignore_long_files, name_of};
