//! Outputs: written beside, then renamed, so that none exists half-made under its final name.

use std::fmt;
use std::fs::{self, File};
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};

use flate2::{Compression, GzBuilder};
use tempfile::NamedTempFile;

use crate::error::{Error, Remedy};
use crate::interrupt::{self, CleanupGuard};
use crate::system;
use crate::visible::VisibleWriter;

/// An output that appears under its name only when [`Output::finish`] is called.
#[derive(Debug)]
pub struct Output {
    target: OutputDestination,
    force: bool,
}

#[derive(Debug)]
enum OutputDestination {
    /// Standard output, a device or a pipe: nothing to rename over.
    Stream(BufWriter<OutputStream>),
    File {
        path: PathBuf,
        beside: BufWriter<NamedTempFile>,
        listed: CleanupGuard,
    },
}

enum OutputStream {
    Stdout(io::Stdout),
    Special(File),
    /// Either of the two where it is a terminal.
    Terminal(VisibleWriter<Box<dyn Write + Send>>),
}

impl Output {
    /// An output at `path`, or standard output for `-`. An existing file is refused unless `force`. A
    /// link is followed; a device or pipe is written into. What goes to a terminal goes there with hidden characters
    /// spelled out ([`visible`](crate::visible)).
    ///
    /// # Errors
    /// If the file exists, or nothing can be written beside it.
    pub fn create(path: &Path, force: bool) -> Result<Output, Error> {
        if path == Path::new("-") {
            let stdout = io::stdout();
            let is_terminal = stdout.is_terminal();
            let stream = if is_terminal { OutputStream::for_terminal(stdout) } else { OutputStream::Stdout(stdout) };
            return Ok(Output { target: OutputDestination::Stream(BufWriter::new(stream)), force });
        }
        let failed = |e| Error::io(format!("writing {}", path.display()), e);
        let there = fs::metadata(path).ok();
        if there.as_ref().is_some_and(fs::Metadata::is_dir) {
            return Err(failed(io::Error::new(io::ErrorKind::IsADirectory, "it is a directory; name a file")));
        }
        if there.as_ref().is_some_and(|there| !there.is_file()) {
            let special = File::options().write(true).open(path).map_err(failed)?;
            let is_terminal = special.is_terminal();
            let stream = if is_terminal { OutputStream::for_terminal(special) } else { OutputStream::Special(special) };
            return Ok(Output { target: OutputDestination::Stream(BufWriter::new(stream)), force });
        }
        if !force && path.symlink_metadata().is_ok() {
            return Err(already_exists(path));
        }
        let path = match (&there, path.read_link()) {
            (Some(_), _) => path.canonicalize().map_err(failed)?,
            (None, Err(_)) => path.to_owned(),
            (None, Ok(target)) => {
                let message = format!("it is a link to {}, which does not exist", target.display());
                return Err(failed(io::Error::new(io::ErrorKind::NotFound, message)));
            }
        };
        let folder = match path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        if !folder.is_dir() {
            let message = format!("there is no folder {}", folder.display());
            return Err(failed(io::Error::new(io::ErrorKind::NotFound, message)));
        }
        let mut builder = tempfile::Builder::new();
        builder.prefix(".heapsmith-");
        system::readable_like_any_new_file(&mut builder);
        let create = || builder.tempfile_in(folder);
        let (beside, listed) = interrupt::create_temporary(create, NamedTempFile::path).map_err(failed)?;
        if let Some(replaced) = &there {
            beside.as_file().set_permissions(replaced.permissions()).map_err(failed)?;
        }
        Ok(Output { target: OutputDestination::File { path, beside: BufWriter::new(beside), listed }, force })
    }

    /// An output for a dump, made as [`Output::create`] does, but never to a terminal.
    ///
    /// # Errors
    /// Like [`Output::create`]; and if standard output is a terminal.
    pub fn create_binary(path: &Path, force: bool) -> Result<Output, Error> {
        let output = Output::create(path, force)?;
        if output.is_terminal() {
            let what = if path == Path::new("-") { "standard output".to_owned() } else { path.display().to_string() };
            return Err(Error::Usage(format!("a dump is binary and {what} is a terminal; name a file")));
        }
        Ok(output)
    }

    fn is_terminal(&self) -> bool {
        matches!(&self.target, OutputDestination::Stream(out) if matches!(out.get_ref(), OutputStream::Terminal(_)))
    }

    /// Gives the output its name.
    ///
    /// # Errors
    /// If writing the rest fails, or a file of that name has appeared meanwhile. Nothing is left
    /// over then.
    pub fn finish(self) -> Result<(), Error> {
        match self.target {
            OutputDestination::Stream(mut out) => out.flush().map_err(|e| Error::io("writing the output", e)),
            OutputDestination::File { path, beside, listed: _listed } => {
                let failed = |e| Error::io(format!("writing {}", path.display()), e);
                let beside = beside
                    .into_inner()
                    .map_err(|e| with_output_name(&path, e.error()))
                    .map_err(|e| Error::io("writing the output", e))?;
                // A full disk may say so only now.
                beside.as_file().sync_all().map_err(failed)?;
                let named = if self.force { beside.persist(&path) } else { beside.persist_noclobber(&path) };
                match named {
                    Ok(_) => Ok(()),
                    Err(e) if e.error.kind() == io::ErrorKind::AlreadyExists => Err(already_exists(&path)),
                    Err(e) => Err(failed(e.error)),
                }
            }
        }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.target {
            OutputDestination::Stream(out) => out.write(bytes),
            OutputDestination::File { path, beside, .. } => beside.write(bytes).map_err(|e| with_output_name(path, &e)),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.target {
            OutputDestination::Stream(out) => out.flush(),
            OutputDestination::File { path, beside, .. } => beside.flush().map_err(|e| with_output_name(path, &e)),
        }
    }
}

/// An error in writing, with the name that the output will have, and not that of the file beside it.
fn with_output_name(path: &Path, error: &io::Error) -> io::Error {
    let cause = error.get_ref().and_then(|wrapped| wrapped.source());
    let cause = cause.map_or_else(|| error.to_string(), ToString::to_string);
    io::Error::new(error.kind(), format!("{}: {cause}", path.display()))
}

fn already_exists(path: &Path) -> Error {
    Error::refused(format!("writing {}: it exists already", path.display()), Remedy::Replace)
}

impl OutputStream {
    fn for_terminal(out: impl Write + Send + 'static) -> OutputStream {
        OutputStream::Terminal(VisibleWriter::new(Box::new(out)))
    }
}

impl fmt::Debug for OutputStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            OutputStream::Stdout(_) => "Stdout",
            OutputStream::Special(_) => "Special",
            OutputStream::Terminal(_) => "Terminal",
        })
    }
}

impl Write for OutputStream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            OutputStream::Stdout(out) => out.write(bytes),
            OutputStream::Terminal(out) => out.write(bytes),
            OutputStream::Special(out) => out.write(bytes).map_err(|e| match e.kind() {
                // Of a named output this is a loss, which of standard output it is not.
                io::ErrorKind::BrokenPipe => io::Error::other("its reader has closed it"),
                _ => e,
            }),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            OutputStream::Stdout(out) => out.flush(),
            OutputStream::Special(out) => out.flush(),
            OutputStream::Terminal(out) => out.flush(),
        }
    }
}

/// Compresses into members of 1 MiB each, the first of which says so, as HotSpot does: readers can then begin at any
/// of them.
pub struct GzipBlocks<'o> {
    out: &'o mut dyn Write,
    block: Vec<u8>,
    first: bool,
}

impl fmt::Debug for GzipBlocks<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GzipBlocks").field("block", &self.block.len()).finish_non_exhaustive()
    }
}

/// Decompressed bytes in a member (dumps of JDK 17 with -gz).
const BLOCK: usize = 1 << 20;

impl<'o> GzipBlocks<'o> {
    /// Compresses into `out`.
    pub fn new(out: &'o mut dyn Write) -> GzipBlocks<'o> {
        GzipBlocks { out, block: Vec::with_capacity(BLOCK), first: true }
    }

    /// Writes the last member.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn finish(mut self) -> io::Result<()> {
        if self.first || !self.block.is_empty() { self.write_member() } else { Ok(()) }
    }

    fn write_member(&mut self) -> io::Result<()> {
        let mut builder = GzBuilder::new();
        if std::mem::take(&mut self.first) {
            builder = builder.comment(format!("HPROF BLOCKSIZE={BLOCK}"));
        }
        let mut encoder = builder.write(&mut *self.out, Compression::fast());
        encoder.write_all(&self.block)?;
        encoder.finish()?;
        self.block.clear();
        Ok(())
    }
}

impl Write for GzipBlocks<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let taken = bytes.len().min(BLOCK - self.block.len());
        self.block.extend_from_slice(&bytes[..taken]);
        if self.block.len() == BLOCK {
            self.write_member()?;
        }
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
