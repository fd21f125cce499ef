//! Inputs, dumps and heaps that the command line names.

use std::io::BufReader;
use std::path::Path;

use crate::compare::listing::{self, Listing};
use crate::error::{DecodeError, Error};
use crate::format::{self, DumpFile, OpenedHeap, Records, choose_heap};
use crate::heap_file::{self, HeapFile, HeapFileOptions};
use crate::hprof::ReadOptions;
use crate::hprof::decode::{WrappedLength, ZeroLength};
use crate::input::{self, Input, InputStream, read_bytes};
use crate::model::DumpSource;
use crate::recipe::Recipe;
use crate::validate::{Tolerated, validate_source};
use clap::{Args, ValueEnum};

use crate::command::terminal;
use crate::command::tolerate::TolerateOpt;

/// The limit of inputs that may have no end.
#[derive(Args)]
pub(crate) struct LimitOpt {
    /// Most bytes to copy of standard input, a pipe or a device, which are stored in a temporary file (TMPDIR) before they are read,
    /// unless once is enough. A file has no such limit.
    #[arg(long, global = true, value_name = "BYTES", default_value_t = input::LIMIT, help_heading = "General options")]
    input_limit: u64,
}

impl LimitOpt {
    /// Sets the limit for the rest of the run.
    pub(crate) fn apply(&self) {
        input::set_limit(self.input_limit);
    }
}

/// The options that choose a reading where bytes alone do not decide.
#[derive(Args, Clone, Copy)]
pub(crate) struct ReadingOpts {
    /// HPROF: whether a dump record of length 0 is an empty segment or has a length that its writer never filled in.
    #[arg(long, value_enum, default_value_t = ZeroLengthOpt::ByChain)]
    zero_length: ZeroLengthOpt,
    /// HPROF: what to do with the length of a HEAP DUMP of 4 GiB or more, which may have wrapped at 2^32.
    #[arg(long, value_enum, default_value_t = WrappedOpt::Repair)]
    wrapped_length: WrappedOpt,
}

#[derive(Clone, Copy, ValueEnum)]
enum ZeroLengthOpt {
    /// Empty if the records after it chain to the end of the file; else unpatched.
    ByChain,
    /// Always an empty segment.
    Empty,
    /// Always a length that was never filled in: sub-records follow.
    Unpatched,
}

#[derive(Clone, Copy, ValueEnum)]
enum WrappedOpt {
    /// Repair it when the rest of the file agrees with it modulo 2^32.
    Repair,
    /// Use it unchanged.
    Trust,
}

impl ReadingOpts {
    pub(crate) fn reading(self) -> ReadOptions {
        let zero_length = match self.zero_length {
            ZeroLengthOpt::ByChain => ZeroLength::ByChain,
            ZeroLengthOpt::Empty => ZeroLength::Empty,
            ZeroLengthOpt::Unpatched => ZeroLength::Unpatched,
        };
        let wrapped = match self.wrapped_length {
            WrappedOpt::Repair => WrappedLength::Repair,
            WrappedOpt::Trust => WrappedLength::Trust,
        };
        ReadOptions::default().zero_length(zero_length).wrapped(wrapped)
    }
}

/// The option that chooses a heap of a dump with several.
#[derive(Args, Clone, Copy)]
pub(crate) struct HeapOpt {
    /// HPROF: the number of the heap, from 0. Without it, the only one; a dump with several is an error.
    #[arg(long, value_name = "N")]
    pub(crate) heap: Option<usize>,
}

impl HeapOpt {
    /// The number of the chosen heap in a dump with `heaps` heaps.
    pub(crate) fn number(self, heaps: usize) -> Result<usize, Error> {
        choose_heap(self.heap, heaps)
    }
}

/// The options of commands that read a heap of a dump, a listing or a heap file.
#[derive(Args, Clone, Copy)]
pub(crate) struct HeapInputOpts {
    #[command(flatten)]
    heap: HeapOpt,
    #[command(flatten)]
    reading: ReadingOpts,
    #[command(flatten)]
    tolerate: TolerateOpt,
}

impl HeapInputOpts {
    /// Opens a heap of a dump, a listing or a heap file, and says what was tolerated in it. A dump that is not valid is refused
    /// otherwise.
    pub(crate) fn open(self, path: &Path) -> Result<(OpenedHeap, Option<Vec<Tolerated>>), Error> {
        if is_heap_file(path) {
            let heap = OpenedHeap::from_heap_file(heap_file(path)?, self.heap.heap)?;
            return Ok((heap, self.tolerate.none_tolerated()));
        }
        let (input, reading) = (input(path)?, self.reading.reading());
        if OpenedHeap::is_listing(&input)? {
            return Ok((OpenedHeap::open(input, self.heap.heap, reading)?, self.tolerate.none_tolerated()));
        }
        let file = DumpFile::new(input, reading)?;
        let (report, source) = validate_source(&file)?;
        let tolerated = self.tolerate.judge(&report)?;
        let source = source.map_or_else(|| file.source(), Ok)?;
        let heap = OpenedHeap::from_dump(file, source, self.heap.heap)?;
        if let (OpenedHeap::Dump { file, .. }, Some(left_behind)) = (&heap, heap.unrecorded_end()) {
            terminal::warning(&format!("{}: {left_behind}", file.input().name()));
        }
        Ok((heap, tolerated))
    }

    /// Opens a heap of one of two inputs: an error names the input.
    pub(crate) fn open_with_named_errors(self, path: &Path) -> Result<(OpenedHeap, Option<Vec<Tolerated>>), Error> {
        self.open(path).map_err(|error| error.in_input(&Input::name_of(path)))
    }

    /// The same options for an input that has only one heap.
    pub(crate) fn without_heap_number(self) -> HeapInputOpts {
        HeapInputOpts { heap: HeapOpt { heap: None }, ..self }
    }
}

/// The input that an argument names: a file, standard input for `-`, or the dump of a recipe, generated while it is read. Progress is
/// shown where reading takes long.
pub(crate) fn input(path: &Path) -> Result<Input, Error> {
    refuse_heap_file(path)?;
    match path.to_str().filter(|text| Recipe::is_recipe(text)) {
        Some(recipe) => Ok(Recipe::read(recipe)?.input()?.watched(&terminal::watch())),
        None => Input::open_watched(path, &terminal::watch()),
    }
}

/// Whether an argument names a heap file: by the end of its name, whatever the file holds.
pub(crate) fn is_heap_file(path: &Path) -> bool {
    let name = path.as_os_str().as_encoded_bytes();
    name.ends_with(heap_file::SUFFIX.as_bytes()) && !path.to_str().is_some_and(Recipe::is_recipe)
}

/// Refuses a heap file where a command needs something else, such as the bytes of a dump.
pub(crate) fn refuse_heap_file(path: &Path) -> Result<(), Error> {
    if !is_heap_file(path) {
        return Ok(());
    }
    let name = path.display();
    Err(Error::Usage(format!(
        "{name} is a heap file, which this command does not read; make a dump of it first: heapsmith build {name} --format \
         FORMAT -o DUMP"
    )))
}

/// The heaps of a heap file. All objects are computed once: one of a repeat may have a value that its field cannot have.
pub(crate) fn heap_file(path: &Path) -> Result<HeapFile, Error> {
    let mut file = heap_file_with(path, &HeapFileOptions::default())?;
    for number in 0..file.heaps() {
        let visited = file.heap(number).visit_objects(&mut |_| Ok(()));
        visited.map_err(|error| error.in_heap_file(&Input::name_of(path)))?;
    }
    Ok(file)
}

/// The heaps of a heap file that is read with these options.
pub(crate) fn heap_file_with(path: &Path, options: &HeapFileOptions) -> Result<HeapFile, Error> {
    let bytes = read_bytes(path, heap_file::LONGEST)?;
    HeapFile::parse_bytes(&bytes, options).map_err(|errors| errors.in_file(&Input::name_of(path)).into())
}

/// A dump, whose format is recognised by its first bytes.
pub(crate) fn dump(path: &Path, reading: ReadOptions) -> Result<DumpFile, Error> {
    dump_from_input(input(path)?, reading)
}

/// A dump from an input that is open.
pub(crate) fn dump_from_input(input: Input, reading: ReadOptions) -> Result<DumpFile, Error> {
    DumpFile::new(input, reading)
}

/// A dump that is read once: standard input as it comes.
pub(crate) fn records(path: &Path, reading: ReadOptions) -> Result<Box<dyn Records>, Error> {
    if path == Path::new("-") {
        return format::records(InputStream::stdin_watched(&terminal::watch())?, reading);
    }
    dump(path, reading)?.records()
}

/// Says on standard error that the end tag is missing, or gives the error back.
pub(crate) fn tolerate_missing_end(name: &str, ended: Result<(), Error>) -> Result<(), Error> {
    match ended {
        Err(Error::Decode(e)) if e.is_missing_end() => {
            warn_of_missing_end(name, &e);
            Ok(())
        }
        other => other,
    }
}

/// Says on standard error that the end is missing.
pub(crate) fn warn_of_missing_end(name: &str, error: &DecodeError) {
    terminal::warning(&format!("{name}: {error}"));
}

/// A listing.
pub(crate) fn listing(input: &Input) -> Result<Listing, Error> {
    listing::read_within(BufReader::new(input.stream()?), ReadOptions::default().allowed(Some(input)))
}
