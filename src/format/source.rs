//! Reading a dump of any format.

use std::io::Read;
use std::sync::Arc;

use crate::classic::{self, lift::ClassicSource};
use crate::compare::listing::{Place, Places};
use crate::error::{DecodeError, Error, is_damage};
use crate::hprof::lift::HprofDump;
use crate::hprof::{self, Reading};
use crate::input::{Input, Stream};
use crate::model::{Dump, DumpSource, Event, Heap, HeapSource};
use crate::phd;
use crate::phd::lift::PhdSource;

use super::{Family, Format, Lowering};

/// A dump file that can be read from its start any number of times.
#[derive(Clone)]
pub struct DumpFile {
    input: Input,
    family: Family,
    reading: Reading,
    stream: OpenStream,
}

/// How a stream of an input is opened.
type OpenStream = Arc<dyn Fn(&Input) -> Result<Stream, Error> + Send + Sync>;

impl std::fmt::Debug for DumpFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DumpFile").field("input", &self.input).field("family", &self.family).finish_non_exhaustive()
    }
}

impl DumpFile {
    /// A dump, told by its first bytes. What is of no known format is taken for a PHD or an HPROF dump by what it
    /// resembles more, so that decoding it says what is wrong.
    ///
    /// # Errors
    /// If the input cannot be read.
    pub fn new(input: Input, reading: Reading) -> Result<DumpFile, Error> {
        DumpFile::through(input, reading, |input| input.stream())
    }

    /// The same, with streams that are opened in another way (to show progress).
    ///
    /// # Errors
    /// If the input cannot be read.
    pub fn through(
        input: Input,
        reading: Reading,
        stream: impl Fn(&Input) -> Result<Stream, Error> + Send + Sync + 'static,
    ) -> Result<DumpFile, Error> {
        let start = input.stream()?.peek(Family::START);
        let family = match start {
            Ok(start) => Family::of(&start).unwrap_or_else(|| Family::guess(&start)),
            // Compressed data that are damaged from the start: the decoder says so.
            Err(e) if is_damage(&e) => Family::Hprof,
            Err(e) => return Err(Error::io(format!("reading {}", input.name()), e)),
        };
        Ok(DumpFile { input, family, reading, stream: Arc::new(stream) })
    }

    /// The input.
    pub fn input(&self) -> &Input {
        &self.input
    }

    /// The format's family.
    pub fn family(&self) -> Family {
        self.family
    }

    /// A PHD decoder at the start.
    ///
    /// # Errors
    /// If the header is not a PHD's, or cannot be read.
    pub fn phd(&self) -> Result<phd::Decoder<Stream>, Error> {
        let stream = (self.stream)(&self.input)?;
        let length = stream.length();
        Ok(phd::Decoder::with_length(stream, length)?)
    }

    /// An HPROF decoder at the start.
    ///
    /// # Errors
    /// If the header is not an HPROF dump's, or cannot be read.
    pub fn hprof(&self) -> Result<hprof::Decoder<Stream>, Error> {
        Ok(hprof::open((self.stream)(&self.input)?, &self.input, self.reading)?)
    }

    /// A classic decoder at the start.
    ///
    /// # Errors
    /// If it is not a classic heap dump, or cannot be read.
    pub fn classic(&self) -> Result<classic::Decoder<Stream>, Error> {
        let stream = (self.stream)(&self.input)?;
        let length = stream.length();
        Ok(classic::Decoder::with_length(stream, length)?)
    }

    /// The heaps, with their objects left in the file.
    ///
    /// # Errors
    /// What decoding runs into; a missing end tag is tolerated.
    pub fn source(&self) -> Result<Source, Error> {
        match self.family {
            Family::Phd => {
                let file = self.clone();
                let source = PhdSource::new(move || file.phd())?;
                let left_behind = source.left_behind().map(str::to_owned);
                Ok(Source::One { heap: Box::new(source), left_behind })
            }
            Family::Classic => {
                let file = self.clone();
                let source = ClassicSource::new(move || file.classic())?;
                let left_behind = source.left_behind().map(str::to_owned);
                Ok(Source::One { heap: Box::new(source), left_behind })
            }
            Family::Hprof => {
                let file = self.clone();
                Ok(Source::Hprof(Box::new(HprofDump::new(move || file.hprof())?)))
            }
        }
    }

    /// The heaps in memory. After an error they hold everything before it.
    ///
    /// # Errors
    /// If the header cannot be read.
    pub fn read(&self) -> Result<WholeFile, Error> {
        match self.family {
            Family::Phd => {
                let mut decoder = self.phd()?;
                let mut heap = Heap { facts: phd::lift::facts(decoder.header()), ..Heap::default() };
                let mut places = Places::default();
                let ended = phd::lift::visit(&mut decoder, |located, item| {
                    let place = Place { record: located.index, offset: Some(located.offset) };
                    match item {
                        phd::lift::Item::Class(class) => {
                            heap.classes.push(class);
                            places.classes.push(place);
                        }
                        phd::lift::Item::Object(object) => {
                            heap.objects.push(object);
                            places.objects.push(place);
                        }
                    }
                    Ok(())
                });
                let dump = Dump { heaps: vec![heap], tail: Vec::new() };
                Ok(WholeFile { dump, places: vec![places], ended: ended.map(|_| ()) })
            }
            Family::Hprof => {
                let (whole, ended) = hprof::lift::dump(|| self.hprof())?;
                let place = |place: hprof::lift::Place| Place { record: place.index, offset: Some(place.offset) };
                let all = |places: Vec<hprof::lift::Place>| places.into_iter().map(place).collect();
                let places = whole.places.into_iter();
                let places = places.map(|(classes, objects)| Places { classes: all(classes), objects: all(objects) });
                Ok(WholeFile { dump: whole.dump, places: places.collect(), ended })
            }
            Family::Classic => {
                let (heap, places, ended) = classic::lift::heap(|| self.classic())?;
                let place = |(record, offset)| Place { record, offset: Some(offset) };
                let all = |places: Vec<(u64, u64)>| places.into_iter().map(place).collect();
                let places = Places { classes: all(places.classes), objects: all(places.objects) };
                Ok(WholeFile { dump: Dump { heaps: vec![heap], tail: Vec::new() }, places: vec![places], ended })
            }
        }
    }

    /// The options, with the first profile, that turn the heaps back into exactly the dump's bytes.
    ///
    /// # Errors
    /// If the dump cannot be read.
    pub fn recognise(&self, source: &mut Source) -> Result<Option<Lowering>, Error> {
        let reopen = || Ok(Box::new(self.input.stream()?) as Box<dyn Read>);
        match source {
            Source::One { heap, .. } if self.family == Family::Classic => {
                let encoding = self.classic()?.encoding();
                Ok(classic::lower::recognise(heap.as_mut(), encoding, reopen)?.map(Lowering::Classic))
            }
            Source::One { heap, .. } => {
                let version = self.phd()?.header().version;
                Ok(phd::lower::recognise(heap.as_mut(), version, reopen)?.map(Lowering::Phd))
            }
            Source::Hprof(dump) => Ok(hprof::lower::recognise(dump.as_mut(), reopen)?.map(Lowering::Hprof)),
        }
    }

    /// The format, with its version where the family has several.
    ///
    /// # Errors
    /// If the header cannot be read.
    pub fn format(&self) -> Result<Format, Error> {
        match self.family {
            Family::Phd => Ok(Format::Phd(self.phd()?.header().version)),
            Family::Hprof => Ok(Format::Hprof),
            Family::Classic => Ok(Format::Classic),
        }
    }
}

/// A file's heaps in memory.
#[derive(Debug)]
pub struct WholeFile {
    /// The heaps.
    pub dump: Dump,
    /// The places of each heap's classes and objects.
    pub places: Vec<Places>,
    /// How the file ended.
    pub ended: Result<(), DecodeError>,
}

/// The heaps of a file, whose objects stay there.
pub enum Source {
    /// A format that has one heap.
    One {
        /// Its heap.
        heap: Box<dyn HeapSource + Send>,
        /// What the dump has or lacks at its end that the heap does not tell.
        left_behind: Option<String>,
    },
    /// An HPROF dump.
    Hprof(Box<dyn DumpSource + Send>),
}

impl std::fmt::Debug for Source {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Source").field("heaps", &self.heaps()).finish_non_exhaustive()
    }
}

impl Source {
    /// What the dump has or lacks that its heaps do not tell.
    pub fn left_behind(&self) -> Option<&str> {
        match self {
            Source::One { left_behind, .. } => left_behind.as_deref(),
            Source::Hprof(_) => None,
        }
    }
}

impl DumpSource for Source {
    fn heaps(&self) -> usize {
        match self {
            Source::One { .. } => 1,
            Source::Hprof(dump) => dump.heaps(),
        }
    }

    fn heap(&mut self, number: usize) -> &mut dyn HeapSource {
        match self {
            Source::One { heap, .. } => heap.as_mut(),
            Source::Hprof(dump) => dump.heap(number),
        }
    }

    fn tail(&self) -> &[Event] {
        match self {
            Source::One { .. } => &[],
            Source::Hprof(dump) => dump.tail(),
        }
    }
}
