//! Recognition of a dump's writer: the one whose profile gives the same bytes again.

use std::io::Read;

use crate::error::Error;
use crate::family;
use crate::lower::Adherence;
use crate::model::DumpSource;
use crate::phd::wire::Version;

use super::LowerOptions;
use super::profiles::{PROFILES, Profile};

/// The options, with the first profile, that turn the heap of a dump back into exactly its bytes: in the
/// writer's own order and with its own hashes, else in the dump's.
///
/// `reopen` gives the dump's bytes from the start. Profiles that draw their spelling are not tried.
///
/// # Errors
/// If the dump cannot be read.
pub fn recognise(
    dump: &mut dyn DumpSource,
    version: Version,
    reopen: impl FnMut() -> Result<Box<dyn Read>, Error>,
) -> Result<Option<LowerOptions>, Error> {
    let default = Profile::default_of(version);
    let others = PROFILES.iter().filter(|p| p.name != default.name && p.versions.contains(&version));
    let profiles: Vec<_> = [default].into_iter().chain(others).filter(|p| !p.is_seeded()).collect();
    let with = |adherence| {
        let options = move |profile| LowerOptions { profile, adherence, ..LowerOptions::new(version) };
        profiles.iter().copied().map(options)
    };
    family::recognise(with(Adherence::Writer).chain(with(Adherence::Heap)), dump, reopen)
}
