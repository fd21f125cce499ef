//! Outputs: written beside, then renamed, so that none exists half-made under its final name.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::error::Error;

/// An output that appears under its name only when [`Output::finish`] is called.
#[derive(Debug)]
pub struct Output {
    target: Target,
    force: bool,
}

#[derive(Debug)]
enum Target {
    Stdout(BufWriter<io::Stdout>),
    File { path: PathBuf, beside: BufWriter<NamedTempFile> },
}

impl Output {
    /// An output at `path`, or standard output for `-`. An existing file is refused unless `force`.
    ///
    /// # Errors
    /// If the file exists, or nothing can be written beside it.
    pub fn create(path: &Path, force: bool) -> Result<Output, Error> {
        if path == Path::new("-") {
            return Ok(Output { target: Target::Stdout(BufWriter::new(io::stdout())), force });
        }
        let failed = |e| Error::io(format!("writing {}", path.display()), e);
        if path.is_dir() {
            return Err(failed(io::Error::new(io::ErrorKind::IsADirectory, "it is a directory; name a file")));
        }
        if !force && path.exists() {
            return Err(exists(path));
        }
        let folder = match path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        let beside = NamedTempFile::with_prefix_in(".heapsmith-", folder).map_err(failed)?;
        Ok(Output { target: Target::File { path: path.to_owned(), beside: BufWriter::new(beside) }, force })
    }

    /// Gives the output its name.
    ///
    /// # Errors
    /// If writing the rest fails, or a file of that name has appeared meanwhile. Nothing is left
    /// behind then.
    pub fn finish(self) -> Result<(), Error> {
        match self.target {
            Target::Stdout(mut out) => out.flush().map_err(|e| Error::io("writing standard output", e)),
            Target::File { path, beside } => {
                let failed = |e| Error::io(format!("writing {}", path.display()), e);
                let beside = beside.into_inner().map_err(|e| failed(e.into_error()))?;
                // A full disk may say so only now.
                beside.as_file().sync_all().map_err(failed)?;
                permissions(beside.as_file()).map_err(failed)?;
                let named = if self.force { beside.persist(&path) } else { beside.persist_noclobber(&path) };
                match named {
                    Ok(_) => Ok(()),
                    Err(e) if e.error.kind() == io::ErrorKind::AlreadyExists => Err(exists(&path)),
                    Err(e) => Err(failed(e.error)),
                }
            }
        }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.target {
            Target::Stdout(out) => out.write(bytes),
            Target::File { beside, .. } => beside.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.target {
            Target::Stdout(out) => out.flush(),
            Target::File { beside, .. } => beside.flush(),
        }
    }
}

fn exists(path: &Path) -> Error {
    let message = "it exists already; --force replaces it";
    Error::io(format!("writing {}", path.display()), io::Error::new(io::ErrorKind::AlreadyExists, message))
}

/// Temporary files are private; an output is as readable as other files.
#[cfg(unix)]
fn permissions(file: &std::fs::File) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    file.set_permissions(std::fs::Permissions::from_mode(0o644))
}

#[cfg(not(unix))]
fn permissions(_: &std::fs::File) -> io::Result<()> {
    Ok(())
}
