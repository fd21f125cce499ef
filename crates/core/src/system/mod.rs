//! Calls of the system for which the standard library has no portable one.
//!
//! Two implementations have the same items: `unix`, and `portable` for every other system, which has the standard library
//! alone and says at each item what it lacks. With `--cfg heapsmith_portable` the second one takes the place of the first
//! on Unix as well, so that it is compiled and can be tried there. This is the only choice between them.

#[cfg(feature = "files")]
mod entry;
mod file;
#[cfg(not(all(unix, not(heapsmith_portable))))]
mod portable;
#[cfg(feature = "files")]
mod program;
#[cfg(feature = "files")]
mod remnant;
#[cfg(all(unix, not(heapsmith_portable)))]
mod unix;

#[cfg(not(all(unix, not(heapsmith_portable))))]
use portable as chosen;
#[cfg(all(unix, not(heapsmith_portable)))]
use unix as chosen;

#[doc(hidden)]
pub use chosen::{FileStamp, NOWHERE, RECOGNISES_FILES, read_at, stdin_file};
#[cfg(feature = "files")]
pub use chosen::{OpenFolder, Program, Signals, adopt_orphans, is_pipe, open_at_once, signal_of, supervise, sweep};
#[cfg(feature = "files")]
pub use chosen::{
    another_name, free_space, ignore_long_files, is_shortage, name_of, readable_like_any_new_file, remove_all,
};
#[cfg(feature = "files")]
#[doc(hidden)]
pub use entry::{Access, EntryKind};
#[doc(hidden)]
pub use file::Positioned;
#[cfg(feature = "files")]
#[doc(hidden)]
pub use program::{ProgramEnd, ProgramState};
#[cfg(feature = "files")]
pub use remnant::Remnant;

/// For tests: what follows links, and what does not.
#[cfg(all(test, unix))]
pub use std::os::unix::fs::symlink;
