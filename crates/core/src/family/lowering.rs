//! Writing a dump of any format.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::io::Write;
use std::ops::{Deref, Range};
use std::sync::Arc;

use crate::bytes::WindowWriter;
use crate::compare::Facet;
use crate::error::{Error, Remedy};
use crate::generate::{AddressSpace, GenerateOptions, Oddities, Oddity, Placement, Refusal};
use crate::model::blocks::ObjectBlocks;
use crate::model::{Class, Dump, DumpSource, Facts, HashRegime, HeapSource, RootForm, WordSize};

use super::{Format, HeapRequirements, SpelledBlocks, WriteRequest};

/// Options to write a dump of one format.
pub trait Lower: Debug + Send + Sync {
    /// The format.
    fn format(&self) -> Format;

    /// The profile's name.
    fn profile(&self) -> &'static str;

    /// Whether the spelling is drawn from a seed.
    fn is_seeded(&self) -> bool;

    /// Whether the writer contradicts the format, so that readers take its dumps for something else.
    fn is_trap(&self) -> bool {
        false
    }

    /// Writes heaps.
    ///
    /// # Errors
    /// If a heap holds what the dump cannot say, its source fails, or writing does.
    fn write(&self, dump: &mut dyn DumpSource, out: &mut dyn Write) -> Result<(), Error>;

    /// Writes those bytes of a dump that are in a window, and gives the length of all of it. Takes as long as all of it, but where
    /// a writer knows what stands where.
    ///
    /// # Errors
    /// Like [`Lower::write`].
    fn write_window(&self, dump: &mut dyn DumpSource, window: Range<u64>, out: &mut dyn Write) -> Result<u64, Error> {
        let mut out = WindowWriter::new(out, window);
        self.write(dump, &mut out)?;
        Ok(out.offset())
    }

    /// The writer with that many threads to compute blocks of objects in: the bytes are the same. `None` where the
    /// spelling of an object depends on those before it.
    fn threads(&self, threads: usize) -> Option<Lowering> {
        let _ = threads;
        None
    }

    /// The dump that a reader gets back.
    ///
    /// # Errors
    /// If a heap holds what the dump cannot say, or its source fails.
    fn carry(&self, dump: &mut dyn DumpSource) -> Result<Dump, Error>;

    /// Objects in blocks as the dump of their heap spells them, where that depends on nothing else.
    ///
    /// # Errors
    /// If an object holds what the dump cannot say.
    fn spelled<'b>(
        &self,
        facts: &Facts,
        classes: &[Class],
        blocks: &'b dyn ObjectBlocks,
    ) -> Result<Option<Box<dyn SpelledBlocks + 'b>>, Error> {
        let _ = (facts, classes, blocks);
        Ok(None)
    }

    /// The writer with the heap's own order, identifiers and hashes.
    fn adhering(&self) -> Lowering;

    /// The writer with the requested widths and characters. The profile stays.
    ///
    /// # Errors
    /// If parts of the request contradict each other.
    fn with_request(&self, wishes: &WriteRequest) -> Result<Lowering, Error>;

    /// Options for a random heap that the writer can write; the number of objects stays.
    fn adapt_options(&self, options: GenerateOptions) -> GenerateOptions;

    /// The way in which the writer keeps identity hashes, if it is always the same.
    fn hashes(&self) -> Option<HashRegime> {
        None
    }

    /// The most objects that a random heap may have, if the dump could not number all that comes with them.
    fn most_objects(&self) -> usize {
        usize::MAX
    }

    /// Whether dumps of this format have roots, and the writer none of this kind.
    fn omits_root(&self, root: &RootForm) -> bool {
        let _ = root;
        false
    }

    /// The number of a heap's roots that its dump leaves out, by the name of their kind.
    ///
    /// # Errors
    /// If reading the heap fails.
    fn omitted_roots(&self, heap: &mut dyn HeapSource) -> Result<BTreeMap<&'static str, u64>, Error> {
        let _ = heap;
        Ok(BTreeMap::new())
    }

    /// The facts that a dump of this kind requires of a heap, and how a heap that lacks them has to be completed.
    fn requirements(&self, facts: &Facts) -> HeapRequirements;

    /// The values that the writer states by itself where a heap records nothing.
    fn defaults(&self, facts: &Facts) -> Vec<(Facet, &'static str)>;
}

/// A writer of one format with its options: which dump to make.
#[derive(Clone, Debug)]
pub struct Lowering(Arc<dyn Lower>);

impl Lowering {
    /// The options of a format.
    ///
    /// # Errors
    /// If there is no such profile, or the format lacks a requested setting.
    pub fn new(format: Format, wishes: &WriteRequest) -> Result<Lowering, Error> {
        wishes.check(format)?;
        format.family().lowering(format.version(), wishes)
    }

    /// Options for a random heap that this writer can write.
    pub fn generate_options(&self, objects: usize, hashes: Option<HashRegime>) -> GenerateOptions {
        let placement = if self.is_seeded() { Placement::Mixed } else { Placement::Ordered };
        let hashes = hashes.or(self.hashes()).unwrap_or(HashRegime::WhereUsed32);
        // What no known writer writes is in dumps of any spelling.
        let family = self.format().family().name();
        let odd = [Oddity::EveryRoot, Oddity::ConstantPools, Oddity::Signers];
        let odd = odd.into_iter().filter(|oddity| oddity.form().formats.contains(&family));
        let oddities = if self.is_seeded() { odd.collect() } else { Oddities::NONE };
        self.adapt_options(GenerateOptions { objects, placement, hashes, oddities, ..GenerateOptions::default() })
    }
}

impl Lowering {
    /// Refuses a random heap whose addresses, number of objects or names the dump cannot express.
    ///
    /// # Errors
    /// If the dump cannot express them; the error names the option, and a value that it can.
    pub fn check_options(&self, options: &GenerateOptions) -> Result<(), Error> {
        self.refusal(options).map_or(Ok(()), |refusal| Err(refusal.into()))
    }

    /// The reason why a random heap cannot be written by this writer, if there is one.
    pub(crate) fn refusal(&self, options: &GenerateOptions) -> Option<Refusal> {
        if let Some(refusal) = options.refusal() {
            return Some(refusal);
        }
        let needs = self.requirements(&Facts { word_size: Some(options.word), ..Facts::default() });
        let refused = |key: &str, what: String, (choice, value): (&'static str, &str)| {
            let asked = options.get(key).unwrap_or_default();
            let writer = format!("{} of the profile {}", self.format(), self.profile());
            Some(Refusal::new(format!("{key}={asked}: {writer} {what}"), choice, value))
        };
        let (unit, largest) = (needs.unit, needs.largest);
        let is_number = options.addresses == AddressSpace::Numbers;
        if !options.addresses.unit().is_multiple_of(unit) {
            let what = format!("has addresses that are multiples of {unit}");
            return refused("addresses", what, ("addresses", "ordinary"));
        }
        if !is_number && largest < u64::from(u32::MAX) {
            return refused("addresses", format!("has identifiers up to {largest:#x} here"), ("addresses", "numbers"));
        }
        if !is_number && largest < options.word.mask(u64::MAX) {
            return refused("word", format!("has addresses up to {largest:#x} here"), ("word", "32"));
        }
        let most = self.most_objects();
        if options.objects > most {
            let what = format!("numbers at most {most} objects here");
            return refused("objects", what, ("objects", &most.to_string()));
        }
        if !options.shapes.is_empty() && most < usize::MAX {
            return refused("shape", format!("numbers at most {most} objects here"), ("shape", "none"));
        }
        let suited = self.adapt_options(options.clone());
        if suited.latin1_names && !options.is_latin1() {
            let what = "has only characters of ISO 8859-1 here".to_owned();
            return refused("latin1-names", what, ("latin1-names", "yes"));
        }
        // Where contents of arrays are recorded at all, as roots and threads are.
        if options.bare_arrays && needs.surroundings && !suited.bare_arrays {
            return refused("bare-arrays", "has the elements of every array".to_owned(), ("bare-arrays", "no"));
        }
        None
    }
}

impl<L: Lower + 'static> From<L> for Lowering {
    fn from(options: L) -> Lowering {
        Lowering(Arc::new(options))
    }
}

impl Deref for Lowering {
    type Target = dyn Lower;

    fn deref(&self) -> &Self::Target {
        self.0.as_ref()
    }
}

/// The word size of a new heap that these write: 32 bits if dumps of one of them have no other.
pub fn word_of_new_heap(lowerings: &[Lowering]) -> WordSize {
    let of_64_bits = Facts { word_size: Some(WordSize::Bits64), ..Facts::default() };
    let is_narrow = |lowering: &Lowering| lowering.requirements(&of_64_bits).largest <= u64::from(u32::MAX);
    if lowerings.iter().any(is_narrow) { WordSize::Bits32 } else { WordSize::Bits64 }
}

/// The heap of a dump that is to be written in a format whose dumps hold one.
///
/// # Errors
/// If there are several, or none.
pub fn only_heap(dump: &mut dyn DumpSource, format: Format) -> Result<&mut dyn HeapSource, Error> {
    match dump.heaps() {
        1 => Ok(dump.heap(0)),
        heaps => {
            let message = format!("{format} dumps hold one heap, but the source has {heaps}");
            Err(Error::refused(message, Remedy::ChooseHeap { heaps }))
        }
    }
}
