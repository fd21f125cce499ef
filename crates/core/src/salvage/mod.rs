//! The sound parts of a damaged dump: what is wrong with it, and a valid dump of all that can be read for certain.
//!
//! Each format has a salvager of its own, since each frames its records in another way ([`DumpFamily::salvage`]). What they
//! have in common is here: the report, and bytes that can be looked at in any order.
//!
//! [`DumpFamily::salvage`]: crate::family::DumpFamily::salvage

pub(crate) mod bytes;
mod input;
mod report;

use crate::setters::setters;

pub use input::{SalvageInput, open_damaged};
pub use report::{FaultKind, FoundDump, SalvageCounts, SalvageFault, SalvageReport};

/// Options for what is kept of a damaged dump.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct SalvageOptions {
    /// The dump that is kept, of several that stand one after the other in a file.
    pub part: usize,
}

setters! {
    impl SalvageOptions {
        set part: usize;
    }
}
