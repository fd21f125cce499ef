//! Which writer made this dump? The one whose profile gives the same bytes again.

use std::io::{self, Read, Write};

use crate::error::Error;
use crate::model::HeapSource;

use super::super::wire::Version;
use super::profiles::{PROFILES, Profile};
use super::{LowerOptions, write};

/// The first profile that turns the heap of a dump back into exactly its bytes.
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
) -> Result<Option<&'static Profile>, Error> {
    let default = Profile::default_of(version);
    let others = PROFILES.iter().filter(|p| p.name != default.name && p.versions.contains(&version));
    for profile in [default].into_iter().chain(others).filter(|p| !p.is_seeded()) {
        let options = LowerOptions { profile, ..LowerOptions::new(version) };
        let mut same = SameBytes { original: reopen()?, different: false, piece: Vec::new() };
        match write(source, &options, &mut same) {
            Ok(()) if !same.different && same.original_is_done()? => return Ok(Some(profile)),
            Ok(()) => {}
            Err(Error::Decode(e)) => return Err(e.into()),
            Err(_) if same.different => {}
            Err(Error::Lower(_) | Error::Usage(_)) => {}
            Err(e) => return Err(e),
        }
    }
    Ok(None)
}

/// A writer that fails at the first byte that differs from the original.
struct SameBytes {
    original: Box<dyn Read>,
    different: bool,
    piece: Vec<u8>,
}

impl SameBytes {
    fn original_is_done(&mut self) -> Result<bool, Error> {
        let mut one = [0];
        let read = self.original.read(&mut one).map_err(|e| Error::io("reading the dump again", e))?;
        Ok(read == 0)
    }
}

impl Write for SameBytes {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.piece.resize(bytes.len(), 0);
        let same = match self.original.read_exact(&mut self.piece) {
            Ok(()) => self.piece == bytes,
            Err(e) if e.kind() == io::ErrorKind::UnexpectedEof => false,
            Err(e) => return Err(e),
        };
        if same {
            return Ok(bytes.len());
        }
        self.different = true;
        Err(io::Error::other("the dump differs"))
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
