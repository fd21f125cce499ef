//! The sound parts of a damaged dump: what is wrong with it, and a valid dump of all that can be read for certain.
//!
//! Each format has a salvager of its own, since each frames its records in another way ([`DumpFamily::salvage`]). What they
//! have in common is here: the report, and bytes that can be looked at in any order.
//!
//! [`DumpFamily::salvage`]: crate::family::DumpFamily::salvage

pub(crate) mod bytes;
mod input;
mod report;

use std::io::Read;

use crate::error::Error;
use crate::family::Family;
use crate::hprof;
use crate::input::Input;
use crate::setters::setters;

pub use input::{SalvageInput, open_damaged};
pub use report::{Fault, FaultKind, FoundDump, SalvageCounts, SalvageReport};

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

/// Bytes that tell the family of a dump.
const START: u64 = 4096;

/// The family of a damaged dump, by its first bytes; where they tell nothing, HPROF, whose records can be found without a header.
///
/// # Errors
/// If the input cannot be read.
pub fn damaged_family(input: &Input) -> Result<Family, Error> {
    let mut start = Vec::new();
    let read = input.stream()?.take(START).read_to_end(&mut start);
    read.map_err(|e| Error::io(format!("reading {}", input.name()), e))?;
    let is_start = |family: &Family| family.is_start(&start);
    let resembles = |family: &Family| family.resembles(&start);
    let all = || Family::ALL.into_iter();
    Ok(all().find(is_start).or_else(|| all().find(resembles)).unwrap_or(hprof::family::FAMILY))
}
