//! Which writer made this dump? The one whose profile gives the same bytes again.

use std::io::Read;

use crate::bytes::SameBytes;
use crate::error::Error;
use crate::lower::Adherence;
use crate::model::HeapSource;

use super::super::wire::Version;
use super::profiles::{PROFILES, Profile};
use super::{LowerOptions, write};

/// The options, with the first profile, that turn the heap of a dump back into exactly its bytes: in the
/// writer's own order and with its own hashes, else in the dump's.
///
/// `reopen` gives the dump's bytes from the start. Profiles that draw their spelling are not tried.
/// A profile is dropped at its first different byte, so this costs about one encoding.
///
/// # Errors
/// If the dump cannot be read.
pub fn recognise(
    source: &mut dyn HeapSource,
    version: Version,
    mut reopen: impl FnMut() -> Result<Box<dyn Read>, Error>,
) -> Result<Option<LowerOptions>, Error> {
    let default = Profile::default_of(version);
    let others = PROFILES.iter().filter(|p| p.name != default.name && p.versions.contains(&version));
    let profiles: Vec<_> = [default].into_iter().chain(others).filter(|p| !p.is_seeded()).collect();
    for adherence in [Adherence::Writer, Adherence::Heap] {
        for profile in &profiles {
            let options = LowerOptions { profile, adherence, ..LowerOptions::new(version) };
            let mut same = SameBytes::new(reopen()?);
            match write(source, &options, &mut same) {
                Ok(()) if same.is_whole()? => return Ok(Some(options)),
                Ok(()) | Err(Error::Lower(_)) => {}
                Err(_) if same.differs() => {}
                Err(e) => return Err(e),
            }
        }
    }
    Ok(None)
}
