//! Recognition of a dump's writer: the one whose profile gives the same bytes again.

use std::io::Read;

use crate::classic::wire::Encoding;
use crate::error::Error;
use crate::family;
use crate::lower::Adherence;
use crate::model::DumpSource;

use super::LowerOptions;
use super::profiles::PROFILES;

/// The options, with the first profile, that turn the heap of a dump back into exactly its bytes: in the writer's own
/// order, else in the dump's.
///
/// `reopen` gives the dump's bytes from the start. Profiles that draw their spelling are not tried.
///
/// # Errors
/// If the dump cannot be read.
pub fn recognise(
    dump: &mut dyn DumpSource,
    encoding: Encoding,
    reopen: impl FnMut() -> Result<Box<dyn Read>, Error>,
) -> Result<Option<LowerOptions>, Error> {
    let with = |adherence| {
        let options = move |profile| LowerOptions { profile, adherence, encoding, ..LowerOptions::default() };
        PROFILES.iter().filter(|profile| !profile.is_seeded()).map(options)
    };
    family::recognise(with(Adherence::Writer).chain(with(Adherence::Heap)), dump, reopen)
}
