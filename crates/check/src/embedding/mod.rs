//! Facts of dumps as texts, for programs in other languages: functions take bytes and give JSON, as the command prints it, or a dump.
//!
//! What is given has a limit in bytes: a text that would be longer is an error, and never more of it is held.

mod built;
mod cases;
mod dump_facts;
mod error_kind;
mod text;

pub use built::build;
pub use cases::{case_answer, case_count, case_description, case_dump};
pub use dump_facts::{answers, compare_with_digest, compare_with_listing, digest, findings, listing};
pub use error_kind::{ErrorKind, error_kind};
