//! Reduction of a dump that shows a failure (a crash, a refusal, a wrong answer) to the smallest one that still does.
//!
//! ```text
//! large dump ─▶ samples and parts of its objects ─┐
//!                                                 ▼
//! dump ─▶ heap, rewritten ─▶ graph ─▶ values, names ─▶ writers ─▶ records, fields ─▶ smallest dump
//!   │                                                                   ▲
//!   └── what no rewritten dump shows ───────────────────────────────────┘
//! ```
//!
//! Every dump that is tried is as well-formed as the original: heaps stay consistent, since they come from the crate's
//! own shrinking, and a dump without some records and fields is tried only if [`mod@heapsmith_core::validate`] finds no error in
//! it that the original does not have. A dump that is itself broken is reduced by its records, fields and bytes.
//!
//! Sets are reduced by delta debugging (Zeller and Hildebrandt, Simplifying and Isolating Failure-Inducing Input,
//! 2002): without all items, without halves, and so on down to single items.

mod bytes;
mod graph;
mod journal;
mod layouts;
mod names;
mod parts;
mod sample;
mod sets;
mod trials;

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use heapsmith_core::error::Error;
use heapsmith_core::format::DumpFile;
use heapsmith_core::hprof::ReadOptions;
use heapsmith_core::input::Input;
use heapsmith_core::interrupt::Stop;
use heapsmith_core::setters::setters;

use graph::WrittenHeap;
use trials::Trials;

pub use trials::{EndReason, ReduceProgress};

/// A test that returns whether a dump still shows the failure. It is called from several threads.
pub type FailureTest<'s> = dyn Fn(&[u8]) -> Result<bool, Error> + Sync + 's;

/// Options of a reduction.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ReduceOptions {
    /// The most dumps that are tried.
    pub trials: u64,
    /// The time after which no more dumps are tried.
    pub time: Option<Duration>,
    /// The number of dumps that are tried at a time; it does not change the result, unless the trials or the time run
    /// out.
    pub jobs: NonZeroUsize,
    /// Whether names of classes, fields and threads, texts and values are replaced even where that makes nothing
    /// smaller.
    pub anonymise: bool,
    /// A file that keeps the answers about dumps that were tried, so that a run continues where another was killed. It
    /// is created if it does not exist; a file that is not a journal, or one of another question, is refused.
    pub journal: Option<PathBuf>,
    /// The question that the test answers, in any words, with which the journal begins. A journal with other words is
    /// refused, since its answers are to another question.
    pub question: String,
    /// A signal that ends the run early: the best dump so far is the result.
    pub stop: Option<Stop>,
}

impl Default for ReduceOptions {
    fn default() -> ReduceOptions {
        let jobs = NonZeroUsize::MIN;
        ReduceOptions {
            trials: 10_000,
            time: None,
            jobs,
            anonymise: false,
            journal: None,
            question: String::new(),
            stop: None,
        }
    }
}

setters! {
    impl ReduceOptions {
        set trials: u64;
        option time: Duration;
        set jobs: NonZeroUsize;
        set anonymise: bool;
        option journal: PathBuf;
        set question: String;
        option stop: Stop;
    }
}

/// The result of a reduction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reduced {
    /// The smallest dump that shows the failure; it is no longer than the original.
    pub bytes: Vec<u8>,
    /// The number of dumps that were tried.
    pub trials: u64,
    /// The number of dumps that showed the failure once and not again.
    pub flaky: u64,
    /// The reason why trials ended; `None` if there was nothing more to try.
    pub ended: Option<EndReason>,
}

/// Reduces a dump.
///
/// # Errors
/// If the dump does not show the failure, or only sometimes; and if `shows` or the journal fails.
pub fn reduce(
    dump: Vec<u8>,
    shows: &FailureTest<'_>,
    options: &ReduceOptions,
    progress: &(dyn Fn(ReduceProgress<'_>) + Sync),
) -> Result<Reduced, Error> {
    let plain = decompressed(&dump);
    let mut trials = Trials::new(dump, shows, options, progress)?;
    if let Some(plain) = plain {
        // What is compressed says nothing of its records. The plain dump may be longer, and is only the beginning then.
        for members in 0..=MEMBERS {
            if trials.begin_compressed(plain.clone(), members)? {
                break;
            }
        }
    }
    let graph = WrittenHeap::from_trials(&mut trials)?;
    reduce_heap_then_dump(graph, trials, options)
}

/// Reduces a dump that is too large to be held with its heap: by samples of its objects first, and then by all objects
/// in parts, each of which is held by itself. Only if none of these shows the failure is the whole dump held, if it has
/// no more bytes than [`LARGEST`]. `whole` returns whether the dump itself shows the failure.
///
/// Memory holds the class table and the surroundings, the addresses of the objects, and a part with its dump.
///
/// # Errors
/// Like [`reduce`]; and if reading the dump fails on this machine, or the dump has to be held and is too long.
pub fn reduce_large(
    input: &Input,
    whole: &dyn Fn() -> Result<bool, Error>,
    shows: &FailureTest<'_>,
    options: &ReduceOptions,
    progress: &(dyn Fn(ReduceProgress<'_>) + Sync),
) -> Result<Reduced, Error> {
    let mut trials = Trials::for_large(whole, shows, options, progress)?;
    let file = DumpFile::new(input.clone(), ReadOptions::default())?;
    let graph = match Error::unless_stopped(sample::reduce_to_sample(&file, &mut trials))?.flatten() {
        Some(graph) => Some(graph),
        None if trials.is_stopped() => return trials.into_stopped(),
        None => {
            trials.continue_with_whole(read_decompressed(input)?);
            if trials.is_over() { None } else { WrittenHeap::from_trials(&mut trials)? }
        }
    };
    reduce_heap_then_dump(graph, trials, options)
}

/// Reduces a heap and then its dump, as far as possible.
fn reduce_heap_then_dump(
    graph: Option<WrittenHeap>,
    mut trials: Trials<'_>,
    options: &ReduceOptions,
) -> Result<Reduced, Error> {
    if let Some(mut graph) = graph {
        while graph.shrink(&mut trials, options.anonymise)? {}
    }
    bytes::reduce(&mut trials)?;
    Ok(trials.finish())
}

/// The bytes of a dump, decompressed.
fn read_decompressed(input: &Input) -> Result<Vec<u8>, Error> {
    use std::io::Read;

    let mut bytes = Vec::new();
    let read = input.stream()?.take(LARGEST + 1).read_to_end(&mut bytes);
    let name = input.name();
    if read.map_err(|e| Error::io(format!("reading {name}"), e))? as u64 > LARGEST {
        return Err(Error::Usage(format!(
            "{name}: no sample or part of the dump shows the failure, and the whole dump has more than the {LARGEST} \
             bytes that can be held"
        )));
    }
    Ok(bytes)
}

/// The bytes of a compressed dump, if they are no more than a reader of this crate would hold.
fn decompressed(dump: &[u8]) -> Option<Vec<u8>> {
    use std::io::Read;

    let input = Input::from_memory("dump", dump.to_vec());
    let mut plain = Vec::new();
    let stream = input.is_compressed().then(|| input.stream().ok()).flatten()?;
    let read = stream.take(LARGEST + 1).read_to_end(&mut plain);
    (read.is_ok() && plain.len() as u64 <= LARGEST).then_some(plain)
}

/// The most gzip members into which a dump is put that shows the failure only while it is compressed.
const MEMBERS: usize = 2;

/// The size above which samples and parts are tried first.
pub const SAMPLED: u64 = 32 << 20;
/// The largest dump that is held.
pub const LARGEST: u64 = 1 << 30;

/// A reader of the records of a dump in memory.
fn open_dump(dump: &[u8]) -> Option<DumpFile> {
    DumpFile::new(Input::from_memory("dump", dump.to_vec()), ReadOptions::default()).ok()
}

#[cfg(test)]
mod tests;
