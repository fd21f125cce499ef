//! Options that choose the dump to write.

use crate::bytes::charset::{Charset, Newline};
use crate::error::Error;
use crate::family::WriteRequest;
use crate::format::{Format, Lowering};
use crate::model::WordSize;
use crate::units::IdSize;

/// The format of a dump to write, and the writer whose dumps it should look like.
///
/// A [`Format`] alone stands for the format's usual writer, so both can be given to [`Heap::write`](crate::Heap::write).
///
/// # Example
///
/// ```
/// use heapsmith::hprof::IdSize;
/// use heapsmith::{DumpOptions, Format, Heap};
///
/// let heap = Heap::random(7);
/// let agent = heap.write(DumpOptions::new(Format::HPROF).profile("agent").id_size(IdSize::Eight))?;
/// assert_ne!(agent, heap.write(Format::HPROF)?);
/// # Ok::<(), heapsmith::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct DumpOptions {
    format: Format,
    wishes: WriteRequest,
}

impl DumpOptions {
    /// A dump as the format's usual current writer makes it.
    pub fn new(format: Format) -> DumpOptions {
        DumpOptions { format, wishes: WriteRequest::default() }
    }

    /// The profile: the writer to imitate, such as `openj9` or `hotspot-17`, or `any` for a random valid encoding.
    /// [`profiles`](crate::format::profiles) lists the names for a format.
    #[must_use]
    pub fn profile<'n>(mut self, name: impl Into<Option<&'n str>>) -> DumpOptions {
        self.wishes.profile = name.into().map(str::to_owned);
        self
    }

    /// The word size (PHD and classic text); the heap's own by default.
    #[must_use]
    pub fn word(mut self, word: impl Into<Option<WordSize>>) -> DumpOptions {
        self.wishes.word = word.into();
        self
    }

    /// The size of identifiers (HPROF); the writer's own or the heap's if it is not given.
    #[must_use]
    pub fn id_size(mut self, size: impl Into<Option<IdSize>>) -> DumpOptions {
        self.wishes.id_size = size.into();
        self
    }

    /// The number of segments of each heap, over which its sub-records are shared out evenly by number (HPROF); the heap file's if
    /// it is not given, else as many as the writer makes.
    #[must_use]
    pub fn segments(mut self, segments: impl Into<Option<u64>>) -> DumpOptions {
        self.wishes.segments = segments.into();
        self
    }

    /// The character encoding (classic text).
    #[must_use]
    pub fn charset(mut self, charset: impl Into<Option<Charset>>) -> DumpOptions {
        self.wishes.charset = charset.into();
        self
    }

    /// The ends of lines (classic text).
    #[must_use]
    pub fn newline(mut self, newline: impl Into<Option<Newline>>) -> DumpOptions {
        self.wishes.newline = newline.into();
        self
    }

    /// The seed of the profile `any`: each seed gives another valid encoding.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> DumpOptions {
        self.wishes.seed = seed;
        self
    }

    /// The format.
    pub fn format(&self) -> Format {
        self.format
    }

    /// The [`Lowering`] with these options, which writes to any stream and from any source.
    ///
    /// # Errors
    /// If there is no such profile, or the format does not have what is asked for.
    pub fn lowering(&self) -> Result<Lowering, Error> {
        Lowering::new(self.format, &self.wishes)
    }
}

impl From<Format> for DumpOptions {
    fn from(format: Format) -> DumpOptions {
        DumpOptions::new(format)
    }
}

impl From<&DumpOptions> for DumpOptions {
    fn from(options: &DumpOptions) -> DumpOptions {
        options.clone()
    }
}
