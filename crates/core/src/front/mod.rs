//! The front door: what the crate's root offers for the common cases, each in a line.
//!
//! Nothing is decided here. What a heap, a dump, a finding or a difference is belongs to the modules underneath, and a
//! caller who needs more than these functions take goes to them.

mod assertion;
mod dump_options;
mod read;
mod write;

pub use assertion::{Uncompared, assert_same};
pub use dump_options::DumpOptions;
pub use read::{compare, read, read_dump, validate};
pub use write::WrittenDump;
