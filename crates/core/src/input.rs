//! Inputs: files and standard input, compressed or not, never written to; and bytes that are generated while they are read.

mod foreign;
mod generated;
mod limit;
mod members;
#[cfg(feature = "files")]
mod text;
mod watch;

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::error::Error;
#[cfg(any(feature = "files", feature = "sorting"))]
use crate::error::in_temporary_folder;
use crate::model::long::ReadAt;
use crate::stop::{self, StoppingStream};
use crate::system::{self, Positioned, read_at};

pub(crate) use foreign::name_foreign;
use generated::{Generated, MakeBytes};
use limit::Limit;
pub use limit::{LIMIT, set_limit};
use members::Members;
#[cfg(feature = "files")]
#[doc(hidden)]
pub use text::require_file;
#[cfg(feature = "files")]
pub use text::{LONGEST_REPORT, LONGEST_TEXT, read_bytes, read_text};
pub use watch::Watch;

/// An input that can be read from the start, any number of times. Copies read the same bytes.
#[derive(Clone, Debug)]
pub struct Input {
    name: String,
    place: Arc<InputOrigin>,
    compressed: bool,
    length: u64,
    watch: Option<Watch>,
}

enum InputOrigin {
    Path(PathBuf),
    /// A file that is open: its name may be gone, or lead elsewhere.
    Open(Arc<File>),
    Memory(Arc<[u8]>),
    /// Bytes that are made each time they are read.
    Generated(MakeBytes),
}

impl std::fmt::Debug for InputOrigin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            InputOrigin::Path(path) => f.debug_tuple("Path").field(path).finish(),
            InputOrigin::Open(file) => f.debug_tuple("Open").field(file).finish(),
            InputOrigin::Memory(bytes) => f.debug_tuple("Memory").field(&bytes.len()).finish(),
            InputOrigin::Generated(_) => f.write_str("Generated"),
        }
    }
}

/// A stream of an input's bytes, decompressed.
pub struct InputStream {
    source: Box<dyn Read>,
    /// Length in bytes, where it is known beforehand (not of compressed inputs).
    length: Option<u64>,
}

impl std::fmt::Debug for InputStream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("InputStream").field("length", &self.length).finish_non_exhaustive()
    }
}

/// The first two bytes of gzip (RFC 1952, 2.3.1). Files are recognised by these, never by their names.
const GZIP: [u8; 2] = [0x1f, 0x8b];

impl Input {
    /// A file, or standard input for `-`, which like any pipe or device is copied first: to a temporary file, or
    /// into memory without the features `files` and `sorting`; up to [`LIMIT`] bytes.
    ///
    /// # Errors
    /// If it cannot be opened or is a directory; if it is to be copied and has more bytes.
    pub fn open(path: &Path) -> Result<Input, Error> {
        Input::open_with(path, None)
    }

    /// Opens a file or standard input as [`Input::open`] does; all that is read passes through `watch`, also while it
    /// is copied.
    ///
    /// # Errors
    /// Like [`Input::open`].
    pub fn open_watched(path: &Path, watch: &Watch) -> Result<Input, Error> {
        Ok(Input::open_with(path, Some(watch))?.watched(watch))
    }

    fn open_with(path: &Path, watch: Option<&Watch>) -> Result<Input, Error> {
        let name = Input::name_of(path);
        let spool = |source: Box<dyn Read>| match watch {
            None => Input::spool_within_limit(&name, source),
            Some(watch) => Input::spool_within_limit(&name, watch.wrap(&name, None, source)),
        };
        let failed = |e| Error::io(format!("reading {name}"), e);
        if path == Path::new("-") {
            return match system::stdin_file() {
                Some((file, length)) => Input::from_file(&name, file, length),
                None => spool(Box::new(io::stdin())),
            };
        }
        let mut file = File::open(path).map_err(failed)?;
        let metadata = file.metadata().map_err(failed)?;
        if metadata.is_dir() {
            return Err(failed(io::Error::new(io::ErrorKind::IsADirectory, "it is a directory; name a dump file")));
        }
        if !metadata.is_file() {
            return spool(Box::new(file));
        }
        let compressed = is_gzip(&mut file).map_err(failed)?;
        Ok(Input {
            name,
            place: Arc::new(InputOrigin::Path(path.to_owned())),
            compressed,
            length: metadata.len(),
            watch: None,
        })
    }

    /// The name by which messages call the input of this path.
    pub fn name_of(path: &Path) -> String {
        if path == Path::new("-") { "standard input".to_owned() } else { path.display().to_string() }
    }

    /// The input with its streams passing through `watch`.
    #[must_use]
    pub fn watched(self, watch: &Watch) -> Input {
        Input { watch: Some(watch.clone()), ..self }
    }

    /// Bytes in memory, under a name for messages.
    pub fn from_memory(name: &str, bytes: impl Into<Arc<[u8]>>) -> Input {
        let bytes = bytes.into();
        let (compressed, length) = (bytes.starts_with(&GZIP), bytes.len() as u64);
        Input { name: name.to_owned(), place: Arc::new(InputOrigin::Memory(bytes)), compressed, length, watch: None }
    }

    /// Bytes that are made while they are read, in a thread that is a few chunks ahead of the reader, under a name for
    /// messages. `make` writes all of them, the same every time.
    pub fn from_generator(
        name: &str,
        make: impl Fn(&mut dyn Write) -> Result<(), Error> + Send + Sync + 'static,
    ) -> Input {
        let place = Arc::new(InputOrigin::Generated(Arc::new(make)));
        Input { name: name.to_owned(), place, compressed: false, length: u64::MAX, watch: None }
    }

    /// The first `length` bytes of an open file, under a name for messages.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn from_file(name: &str, file: File, length: u64) -> Result<Input, Error> {
        let place = Arc::new(file);
        let compressed = is_gzip(&mut Positioned::new(Arc::clone(&place), length))
            .map_err(|e| Error::io(format!("reading {name}"), e))?;
        Ok(Input { name: name.to_owned(), place: Arc::new(InputOrigin::Open(place)), compressed, length, watch: None })
    }

    /// Copies what can be read only once and may have no end.
    ///
    /// # Errors
    /// If it has more bytes than are copied, or cannot be read or copied.
    pub(crate) fn spool_within_limit(name: &str, source: impl Read) -> Result<Input, Error> {
        Input::spool_within(name, source, Limit::for_spool())
    }

    fn spool_within(name: &str, source: impl Read, limit: Limit) -> Result<Input, Error> {
        // One more byte tells what ends there from what goes on.
        let input = Input::spool(name, &mut source.take(limit.bytes.saturating_add(1)))?;
        if input.length > limit.bytes { Err(limit.refusal(name)) } else { Ok(input) }
    }

    /// Copies what can be read only once, to a file without a name: it is gone with the process, however that ends.
    #[cfg(any(feature = "files", feature = "sorting"))]
    pub(crate) fn spool(name: &str, source: &mut dyn Read) -> Result<Input, Error> {
        let failed = |e| Error::io(format!("copying {name}"), e);
        let mut file = tempfile::tempfile().map_err(in_temporary_folder).map_err(failed)?;
        let length = copy(source, &mut file).map_err(failed)?;
        Input::from_file(name, file, length)
    }

    /// Copies what can be read only once, into memory.
    #[cfg(not(any(feature = "files", feature = "sorting")))]
    pub(crate) fn spool(name: &str, source: &mut dyn Read) -> Result<Input, Error> {
        let mut bytes = Vec::new();
        source.read_to_end(&mut bytes).map_err(|e| Error::io(format!("reading {name}"), e))?;
        Ok(Input::from_memory(name, bytes))
    }

    /// The name for messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether the input's bytes are generated while they are read.
    pub fn is_generated(&self) -> bool {
        matches!(*self.place, InputOrigin::Generated(_))
    }

    /// Whether the input is compressed with gzip.
    pub fn is_compressed(&self) -> bool {
        self.compressed
    }

    /// Bytes of the input as it is, compressed or not; `u64::MAX` where they are generated, which may give any number.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// The bytes of the first member of a compressed input, and of all its members; `None` if it has only one.
    ///
    /// # Errors
    /// If it cannot be opened again.
    pub fn members(&self) -> Result<Option<(u64, u64)>, Error> {
        if !self.compressed {
            return Ok(None);
        }
        let count = |stream: &mut dyn Read| io::copy(stream, &mut io::sink()).ok();
        let first = count(&mut Members::first_only(BufReader::new(self.raw()?)));
        let all = count(&mut self.stream()?);
        Ok(first.zip(all).filter(|(first, all)| first < all))
    }

    /// The bytes from an offset on, decompressed: by seeking where that is possible.
    ///
    /// # Errors
    /// If the input cannot be opened again or read up to there.
    pub fn stream_from(&self, offset: u64) -> io::Result<Box<dyn Skip>> {
        let at = SeekFrom::Start(offset);
        let unseekable = || -> io::Result<Box<dyn Skip>> {
            let mut stream = Unseekable(BufReader::new(self.stream().map_err(io::Error::other)?));
            stream.skip(offset)?;
            Ok(Box::new(stream))
        };
        let seekable: Box<dyn Skip> = match &*self.place {
            _ if self.compressed => return unseekable(),
            InputOrigin::Generated(_) => return unseekable(),
            InputOrigin::Path(path) => Box::new(seek_stream(BufReader::new(StoppingStream(File::open(path)?)), at)?),
            InputOrigin::Open(file) => {
                let positioned = StoppingStream(Positioned::new(file.clone(), self.length));
                Box::new(seek_stream(BufReader::new(positioned), at)?)
            }
            InputOrigin::Memory(bytes) => Box::new(seek_stream(BufReader::new(io::Cursor::new(bytes.clone())), at)?),
        };
        Ok(seekable)
    }

    /// The bytes from an offset on as an [`InputStream`].
    ///
    /// # Errors
    /// Like [`Input::stream_from`].
    pub(crate) fn stream_at(&self, offset: u64) -> Result<InputStream, Error> {
        let from = self.stream_from(offset).map_err(|e| Error::io(format!("reading {}", self.name), e))?;
        Ok(InputStream { source: from, length: None })
    }

    /// The bytes at any place, unless they are compressed or cannot be opened again.
    pub fn original(&self) -> Option<Arc<dyn ReadAt>> {
        let file = match &*self.place {
            _ if self.compressed => return None,
            InputOrigin::Generated(_) => return None,
            InputOrigin::Memory(bytes) => return Some(Arc::new(InMemory(bytes.clone()))),
            InputOrigin::Path(path) => Arc::new(File::open(path).ok()?),
            InputOrigin::Open(file) => Arc::clone(file),
        };
        Some(Arc::new(Original { file, length: self.length }))
    }

    /// The bytes from the start, decompressed.
    ///
    /// # Errors
    /// If the input cannot be opened again.
    pub fn stream(&self) -> Result<InputStream, Error> {
        let length = (!self.is_generated()).then_some(self.length);
        let raw = match &self.watch {
            None => self.raw()?,
            Some(watch) => watch.wrap(&self.name, length, self.raw()?),
        };
        if !self.compressed {
            return Ok(InputStream { source: raw, length });
        }
        let members = Members::new(BufReader::with_capacity(64 * 1024, raw));
        // Few bytes may be very many once they are decompressed. What is in memory is not read for long.
        let source: Box<dyn Read> = match &*self.place {
            InputOrigin::Memory(_) => Box::new(members),
            _ => Box::new(StoppingStream(members)),
        };
        Ok(InputStream { source, length: None })
    }

    /// The bytes from the start, as they are.
    #[doc(hidden)]
    pub fn raw(&self) -> Result<Box<dyn Read>, Error> {
        Ok(match &*self.place {
            InputOrigin::Path(path) => {
                let file = File::open(path).map_err(|e| Error::io(format!("reading {}", self.name), e))?;
                Box::new(StoppingStream(file))
            }
            InputOrigin::Open(file) => Box::new(StoppingStream(Positioned::new(file.clone(), self.length))),
            InputOrigin::Memory(bytes) => Box::new(io::Cursor::new(bytes.clone())),
            InputOrigin::Generated(make) => {
                let stream = Generated::start(Arc::clone(make));
                let stream = stream.map_err(|e| Error::io(format!("generating {}", self.name), e))?;
                Box::new(StoppingStream(stream))
            }
        })
    }
}

/// Copies a stream to a temporary file, and says which of the two fails.
#[cfg(any(feature = "files", feature = "sorting"))]
fn copy(source: &mut dyn Read, file: &mut File) -> io::Result<u64> {
    let (mut buffer, mut length) = (vec![0; 64 * 1024], 0);
    loop {
        match source.read(&mut buffer) {
            Ok(0) => return Ok(length),
            Ok(count) => {
                file.write_all(&buffer[..count]).map_err(in_temporary_folder)?;
                length += count as u64;
            }
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
}

/// A file up to the length that it had.
#[derive(Debug)]
struct Original {
    file: Arc<File>,
    length: u64,
}

impl ReadAt for Original {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        stop::check()?;
        let left = usize::try_from(self.length.saturating_sub(offset)).unwrap_or(usize::MAX);
        let wanted = buffer.len().min(left);
        read_at(&self.file, &mut buffer[..wanted], offset)
    }
}

#[derive(Debug)]
struct InMemory(Arc<[u8]>);

impl ReadAt for InMemory {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let rest = usize::try_from(offset).ok().and_then(|offset| self.0.get(offset..)).unwrap_or_default();
        let count = rest.len().min(buffer.len());
        buffer[..count].copy_from_slice(&rest[..count]);
        Ok(count)
    }
}

/// A stream in which bytes can be passed over.
pub trait Skip: Read {
    /// Passes over `count` bytes, or to the end if there are fewer (seeking may go beyond it).
    ///
    /// # Errors
    /// The error of the stream.
    fn skip(&mut self, count: u64) -> io::Result<()>;
}

impl<R: Read + Seek> Skip for BufReader<R> {
    fn skip(&mut self, count: u64) -> io::Result<()> {
        match i64::try_from(count) {
            Ok(count) => self.seek_relative(count),
            Err(_) => Err(io::ErrorKind::InvalidInput.into()),
        }
    }
}

/// A stream that has to be read to pass over its bytes.
struct Unseekable<R>(R);

impl<R: Read> Read for Unseekable<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer)
    }
}

impl<R: Read> Skip for Unseekable<R> {
    fn skip(&mut self, count: u64) -> io::Result<()> {
        io::copy(&mut self.0.by_ref().take(count), &mut io::sink()).map(|_| ())
    }
}

fn seek_stream<R: Seek>(mut stream: R, at: SeekFrom) -> io::Result<R> {
    stream.seek(at)?;
    Ok(stream)
}

impl InputStream {
    /// Standard input, read once, as it comes.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn stdin() -> Result<InputStream, Error> {
        InputStream::from_stdin(Box::new(io::stdin()))
    }

    /// Standard input, passing through `watch`.
    ///
    /// # Errors
    /// Like [`InputStream::stdin`].
    pub fn stdin_watched(watch: &Watch) -> Result<InputStream, Error> {
        InputStream::from_stdin(watch.wrap("standard input", None, Box::new(io::stdin())))
    }

    fn from_stdin(mut stdin: Box<dyn Read>) -> Result<InputStream, Error> {
        let mut start = Vec::new();
        let failed = |e| Error::io("reading standard input", e);
        stdin.by_ref().take(2).read_to_end(&mut start).map_err(failed)?;
        let compressed = start == GZIP;
        let raw = io::Cursor::new(start).chain(stdin);
        let source: Box<dyn Read> =
            if compressed { Box::new(Members::new(BufReader::new(raw))) } else { Box::new(raw) };
        Ok(InputStream { source, length: None })
    }

    /// Length in bytes, where it is known beforehand.
    pub fn length(&self) -> Option<u64> {
        self.length
    }

    /// The first bytes, as many as there are up to `count`, or up to where the stream cannot be read; the stream gives
    /// them again, and fails again where it did.
    ///
    /// # Errors
    /// If nothing of the stream can be read.
    pub fn peek(&mut self, count: usize) -> io::Result<Vec<u8>> {
        let mut start = Vec::new();
        let read = self.source.by_ref().take(count as u64).read_to_end(&mut start);
        let rest: Box<dyn Read> = match read {
            Ok(_) => std::mem::replace(&mut self.source, Box::new(io::empty())),
            Err(error) if start.is_empty() => {
                self.source = Box::new(FailedStream(Some(clone_error(&error))));
                return Err(error);
            }
            Err(error) => Box::new(FailedStream(Some(error))),
        };
        self.source = Box::new(io::Cursor::new(start.clone()).chain(rest));
        Ok(start)
    }
}

impl Read for InputStream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.source.read(buffer)
    }
}

/// A copy of an error: `io::Error` has no `Clone`.
fn clone_error(error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), error.to_string())
}

/// The rest of a stream that could not be read: a decompressor that failed may call the next attempt the end.
struct FailedStream(Option<io::Error>);

impl Read for FailedStream {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        Err(self.0.take().unwrap_or_else(|| io::ErrorKind::UnexpectedEof.into()))
    }
}

fn is_gzip(file: &mut (impl Read + Seek)) -> io::Result<bool> {
    let mut start = Vec::new();
    file.by_ref().take(2).read_to_end(&mut start)?;
    file.seek(SeekFrom::Start(0))?;
    Ok(start == GZIP)
}
