//! Recognition of a dump's writer: the one whose options give the same bytes again.

use std::io::Read;

use crate::bytes::SameBytes;
use crate::error::Error;
use crate::model::DumpSource;

use super::Lower;

/// The first of these options that turn the heaps of a dump back into exactly its bytes.
///
/// `reopen` gives the dump's bytes from the start. Options are dropped at their first different byte, so this costs about
/// one encoding.
///
/// # Errors
/// If the dump cannot be read.
pub fn recognise<L: Lower>(
    candidates: impl IntoIterator<Item = L>,
    dump: &mut dyn DumpSource,
    mut reopen: impl FnMut() -> Result<Box<dyn Read>, Error>,
) -> Result<Option<L>, Error> {
    for options in candidates {
        if reproduces(&options, dump, reopen()?)? {
            return Ok(Some(options));
        }
    }
    Ok(None)
}

/// Whether these options turn the heaps of a dump into exactly these bytes.
///
/// # Errors
/// If the dump cannot be read.
pub fn reproduces(options: &dyn Lower, dump: &mut dyn DumpSource, bytes: Box<dyn Read>) -> Result<bool, Error> {
    let mut same = SameBytes::new(bytes);
    match options.write(dump, &mut same) {
        Ok(()) => same.is_whole(),
        Err(Error::Lower(_)) => Ok(false),
        Err(_) if same.differs() => Ok(false),
        Err(e) => Err(e),
    }
}
