//! Which writer made this dump? The one whose profile gives the same bytes again.

use std::io::Read;

use crate::bytes::SameBytes;
use crate::error::Error;
use crate::lower::Adherence;
use crate::model::HeapSource;

use super::super::wire::Encoding;
use super::profiles::PROFILES;
use super::{LowerOptions, write};

/// The options, with the first profile, that turn the heap of a dump back into exactly its bytes: in the writer's own
/// order, else in the dump's.
///
/// `reopen` gives the dump's bytes from the start. Profiles that draw their spelling are not tried. A profile is dropped
/// at its first different byte, so this costs about one encoding.
///
/// # Errors
/// If the dump cannot be read.
pub fn recognise(
    source: &mut dyn HeapSource,
    encoding: Encoding,
    mut reopen: impl FnMut() -> Result<Box<dyn Read>, Error>,
) -> Result<Option<LowerOptions>, Error> {
    for adherence in [Adherence::Writer, Adherence::Heap] {
        for profile in PROFILES.iter().filter(|profile| !profile.is_seeded()) {
            let options = LowerOptions { profile, adherence, encoding, ..LowerOptions::default() };
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
