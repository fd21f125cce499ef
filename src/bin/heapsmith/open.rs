//! Opening what the command line names.

use std::collections::{BTreeMap, BTreeSet};
use std::io::BufReader;
use std::path::Path;

use clap::{Args, ValueEnum};
use heapsmith::compare::Span;
use heapsmith::compare::listing::{self, Listing};
use heapsmith::error::Error;
use heapsmith::format::{DumpFile, Family, Format, Source};
use heapsmith::hprof::Reading;
use heapsmith::hprof::decode::{Wrapped, ZeroLength};
use heapsmith::input::{Input, Stream};
use heapsmith::model::{Address, DumpSource, Heap, HeapSource};

use crate::terminal;

/// How to read what bytes alone do not decide.
#[derive(Args, Clone, Copy)]
pub(crate) struct ReadingOpts {
    /// HPROF: a dump record of length 0 is an empty segment, or a length that was never patched.
    #[arg(long, value_enum, default_value_t = ZeroLengthOpt::ByChain)]
    zero_length: ZeroLengthOpt,
    /// HPROF: the length of a HEAP DUMP that may have wrapped at 2^32.
    #[arg(long, value_enum, default_value_t = WrappedOpt::Repair)]
    wrapped_length: WrappedOpt,
}

#[derive(Clone, Copy, ValueEnum)]
enum ZeroLengthOpt {
    /// Empty, if the records behind it chain to the end of the file; unpatched otherwise.
    ByChain,
    /// Always an empty segment.
    Empty,
    /// Never patched: sub-records follow.
    Unpatched,
}

#[derive(Clone, Copy, ValueEnum)]
enum WrappedOpt {
    /// Repair it when the rest of the file agrees with it modulo 2^32.
    Repair,
    /// Take it as it is.
    Trust,
}

impl ReadingOpts {
    pub(crate) fn reading(self) -> Reading {
        let zero_length = match self.zero_length {
            ZeroLengthOpt::ByChain => ZeroLength::ByChain,
            ZeroLengthOpt::Empty => ZeroLength::Empty,
            ZeroLengthOpt::Unpatched => ZeroLength::Unpatched,
        };
        let wrapped = match self.wrapped_length {
            WrappedOpt::Repair => Wrapped::Repair,
            WrappedOpt::Trust => Wrapped::Trust,
        };
        Reading::default().zero_length(zero_length).wrapped(wrapped)
    }
}

/// Which heap of a dump with several.
#[derive(Args, Clone, Copy)]
pub(crate) struct HeapOpt {
    /// HPROF: which heap of the file, from 0; needed only where there are several.
    #[arg(long, value_name = "N")]
    pub(crate) heap: Option<usize>,
}

impl HeapOpt {
    /// The number of the heap that is meant, of so many.
    pub(crate) fn of(self, heaps: usize) -> Result<usize, Error> {
        match self.heap {
            Some(number) if number < heaps => Ok(number),
            Some(number) => Err(Error::Usage(format!("there is no heap {number}; the dump has {}", plural(heaps)))),
            None if heaps == 1 => Ok(0),
            None => {
                Err(Error::Usage(format!("the dump has {}; choose one with --heap 0 to {}", plural(heaps), heaps - 1)))
            }
        }
    }
}

fn plural(heaps: usize) -> String {
    if heaps == 1 { "1 heap".to_owned() } else { format!("{heaps} heaps") }
}

/// A dump, told by its content, with a progress bar where it is long.
pub(crate) fn dump(path: &Path, reading: Reading) -> Result<DumpFile, Error> {
    dump_of(Input::open(path)?, reading)
}

/// The same, of an input that is open.
pub(crate) fn dump_of(input: Input, reading: Reading) -> Result<DumpFile, Error> {
    DumpFile::through(input, reading, stream)
}

/// A stream that is read once (standard input as it comes) and its format.
pub(crate) enum Once {
    Phd(heapsmith::phd::Decoder<Stream>),
    Hprof(heapsmith::hprof::Decoder<Stream>),
    Classic(heapsmith::classic::Decoder<Stream>),
}

pub(crate) fn once(path: &Path, reading: Reading) -> Result<Once, Error> {
    if path != Path::new("-") {
        let file = dump(path, reading)?;
        return Ok(match file.family() {
            Family::Phd => Once::Phd(file.phd()?),
            Family::Hprof => Once::Hprof(file.hprof()?),
            Family::Classic => Once::Classic(file.classic()?),
        });
    }
    let mut stream = Stream::stdin()?;
    let start = stream.peek(Family::START).map_err(|e| Error::io("reading standard input", e))?;
    Ok(match Family::of(&start).unwrap_or_else(|| Family::guess(&start)) {
        Family::Phd => Once::Phd(heapsmith::phd::Decoder::new(stream)?),
        Family::Hprof => Once::Hprof(heapsmith::hprof::Decoder::new(stream)?.with_reading(reading, None)),
        Family::Classic => Once::Classic(heapsmith::classic::Decoder::new(stream)?),
    })
}

fn stream(input: &Input) -> Result<Stream, Error> {
    let bar = terminal::progress(input.length(), input.name());
    input.stream_through(|raw| terminal::watched(bar, raw))
}

/// Says on standard error that the end tag is missing, or gives the error back.
pub(crate) fn tolerate_missing_end(name: &str, ended: Result<(), Error>) -> Result<(), Error> {
    match ended {
        Err(Error::Decode(e)) if e.is_missing_end() => {
            terminal::warning(&format!("{name}: {e}"));
            Ok(())
        }
        other => other,
    }
}

/// A heap of a dump, whose objects stay there, or of a listing.
pub(crate) enum Side {
    Listing(Box<Heap>),
    Dump { file: DumpFile, source: Source, number: usize },
}

impl Side {
    /// Opens a dump or a listing.
    pub(crate) fn open(path: &Path, which: HeapOpt, reading: Reading) -> Result<Side, Error> {
        let input = Input::open(path)?;
        let start = stream(&input)?.peek(1).map_err(|e| Error::io(format!("reading {}", input.name()), e))?;
        if start == *b"{" {
            return Ok(Side::Listing(Box::new(listing(&input)?.heap)));
        }
        let file = dump_of(input, reading)?;
        let source = file.source()?;
        if let Some(left_behind) = source.left_behind() {
            terminal::warning(&format!("{}: {left_behind}", file.input().name()));
        }
        let number = which.of(source.heaps())?;
        Ok(Side::Dump { file, source, number })
    }

    /// The heap.
    pub(crate) fn source(&mut self) -> &mut dyn HeapSource {
        match self {
            Side::Listing(heap) => heap.as_mut(),
            Side::Dump { source, number, .. } => source.heap(*number),
        }
    }

    /// The format; `None` for a listing.
    pub(crate) fn format(&self) -> Result<Option<Format>, Error> {
        match self {
            Side::Listing(_) => Ok(None),
            Side::Dump { file, .. } => file.format().map(Some),
        }
    }

    /// Where the records of these addresses are; nowhere, of a listing.
    pub(crate) fn places(&self, wanted: &BTreeSet<Address>) -> Result<BTreeMap<Address, Span>, Error> {
        match self {
            Side::Listing(_) => Ok(BTreeMap::new()),
            Side::Dump { file, number, .. } => file.places(*number, wanted),
        }
    }
}

/// A listing.
pub(crate) fn listing(input: &Input) -> Result<Listing, Error> {
    listing::read(BufReader::new(stream(input)?))
}
