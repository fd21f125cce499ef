//! A dump on its way out.

use std::io::{self, Write};
use std::path::Path;

use crate::error::Error;
use crate::input::Input;
use crate::output::Output;
use sha2::{Digest, Sha256};

use crate::command::terminal::{self, TerminalProgress};

/// An output that says how far it is, and hashes what goes through it if that is wished.
pub(super) struct DumpOutput {
    output: Output,
    progress: TerminalProgress,
    hash: Option<Sha256>,
}

impl DumpOutput {
    pub(super) fn create(path: &Path, force: bool, hashes: bool) -> Result<DumpOutput, Error> {
        let output = Output::create_binary(path, force)?;
        let progress = TerminalProgress::bytes(&Input::name_of(path), None);
        Ok(DumpOutput { output, progress, hash: hashes.then(Sha256::new) })
    }

    /// Gives the output its name, and prints the hash.
    pub(super) fn finish(self, path: &Path) -> Result<(), Error> {
        let DumpOutput { output, progress, hash } = self;
        drop(progress);
        output.finish()?;
        let Some(hash) = hash else { return Ok(()) };
        let hash: String = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        // As sha256sum prints it, beside the dump where that is on standard output.
        let said = if path == Path::new("-") {
            writeln!(terminal::stderr(), "{hash}  -")
        } else {
            writeln!(terminal::stdout(), "{hash}  {}", path.display())
        };
        said.map_err(|e| Error::io("printing the hash", e))
    }
}

impl Write for DumpOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.output.write(bytes)?;
        if let Some(hash) = &mut self.hash {
            hash.update(&bytes[..written]);
        }
        self.progress.add_done(written as u64);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.output.flush()
    }
}
