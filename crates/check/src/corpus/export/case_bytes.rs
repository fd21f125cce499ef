//! The files of a case in memory, whose length is limited.

use std::io::{self, Read, Write};

use heapsmith_core::error::Error;
use heapsmith_core::input::Input;

/// The largest file of a case, which is held as a whole; larger dumps do not suit tests.
const LARGEST: u64 = 256 << 20;

fn too_large(name: &str) -> String {
    let most = LARGEST >> 20;
    format!("{name}: expected at most {most} MiB in a case, found more; choose a smaller dump")
}

/// The bytes of a dump or listing.
///
/// # Errors
/// If it cannot be read, or is too large for a case.
pub(super) fn read_whole(input: &Input) -> Result<Vec<u8>, Error> {
    let name = input.name();
    let mut bytes = Vec::new();
    let read = input.raw()?.take(LARGEST + 1).read_to_end(&mut bytes);
    let length = read.map_err(|e| Error::io(format!("reading {name}"), e))?;
    if length as u64 > LARGEST {
        return Err(Error::Usage(too_large(name)));
    }
    Ok(bytes)
}

/// A file of a case while it is written, which is never longer than it may be.
pub(super) struct CaseBytes<'n> {
    name: &'n str,
    pub(super) bytes: Vec<u8>,
}

impl CaseBytes<'_> {
    pub(super) fn new(name: &str) -> CaseBytes<'_> {
        CaseBytes { name, bytes: Vec::new() }
    }
}

impl Write for CaseBytes<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.bytes.len() as u64 + bytes.len() as u64 > LARGEST {
            return Err(io::Error::other(too_large(self.name)));
        }
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
