//! Cases whose dumps are too large to be stored: they are generated on demand.

use heapsmith_core::error::Error;
use heapsmith_core::family::case::LargeCase;
use heapsmith_core::format::Family;

/// Every case whose dump is too large to be stored, by id.
///
/// # Errors
/// If a file of `specs/cases/` cannot be read, which its tests rule out.
pub fn large_cases() -> Result<Vec<LargeCase>, Error> {
    let mut cases = Vec::new();
    for family in Family::ALL {
        cases.extend(family.large().map_err(Error::Usage)?);
    }
    cases.sort_by(|a, b| a.id.cmp(&b.id));
    Ok(cases)
}
