//! Which writer made this dump? The one whose profile gives the same bytes again.

use std::io::{self, Read, Write};

use crate::error::Error;
use crate::model::{Adherence, HeapSource};

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
            let mut same = SameBytes { original: reopen()?, different: false, piece: Vec::new() };
            match write(source, &options, &mut same) {
                Ok(()) if !same.different && same.original_is_done()? => return Ok(Some(options)),
                Ok(()) | Err(Error::Lower(_)) => {}
                Err(_) if same.different => {}
                Err(e) => return Err(e),
            }
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
