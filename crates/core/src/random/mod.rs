//! Random heaps and dumps for property tests: `arbitrary` for fuzzers, `quickcheck` with shrinking.
//!
//! A heap is [`Heap`] itself. A dump is one of the types here: its bytes, the heap that it records, and how it
//! was written.

#![cfg_attr(
    not(all(feature = "arbitrary", feature = "quickcheck")),
    allow(dead_code, reason = "some of it is for one of the two crates alone")
)]

#[cfg(feature = "arbitrary")]
mod fuzzed;
#[cfg(feature = "quickcheck")]
mod quick;

use std::fmt;

use crate::draw::Draw;
use crate::error::Error;
use crate::format::{Family, Format};
use crate::generate::{GenerateOptions, Oddities, Oddity, Placement, from_seed, generate};
use crate::model::{HashRegime, Heap, HeapSource, WordSize};
use crate::recipe::Recipe;

/// A dump, and what it was made of.
#[derive(Clone)]
struct RandomDump {
    original: Heap,
    carried: Heap,
    recipe: Recipe,
    profile: &'static str,
    bytes: Vec<u8>,
}

impl RandomDump {
    fn new(original: Heap, recipe: Recipe) -> Result<RandomDump, Error> {
        let lowering = recipe.lowering()?;
        let mut shown = recipe.with_shown_oddities(original.clone(), &lowering)?;
        let mut source = &mut shown as &mut dyn HeapSource;
        let carried = lowering.carry(&mut source)?.into_only_heap()?;
        let mut bytes = Vec::new();
        lowering.write(&mut source, &mut bytes)?;
        Ok(RandomDump { original, carried, profile: lowering.profile(), recipe, bytes })
    }

    /// A dump whose heap comes from the same draws.
    fn drawn(families: &[Family], most: u64, draw: &mut dyn Draw) -> Result<RandomDump, Error> {
        let recipe = Recipe::draw(families, most, draw)?;
        RandomDump::new(generate(&recipe.options, draw), recipe)
    }

    /// A dump whose heap comes from a seed.
    fn seeded(families: &[Family], most: u64, draw: &mut dyn Draw) -> Result<RandomDump, Error> {
        let recipe = Recipe::draw(families, most, draw)?;
        RandomDump::new(from_seed(&recipe.options, recipe.seed), recipe)
    }

    /// Smaller heaps, written in the same way.
    fn smaller(self) -> impl Iterator<Item = RandomDump> {
        let recipe = self.recipe;
        self.original.smaller().filter_map(move |heap| RandomDump::new(heap, recipe.clone()).ok())
    }
}

/// Oddities for a random heap: none in half of the heaps, else some of those that every format can hold.
fn oddities(draw: &mut dyn Draw) -> Oddities {
    if draw.one_in(2) {
        return Oddities::NONE;
    }
    // Hashes of 0 and 16 bits are no fact of every format.
    let all = Oddity::FORMS.iter().map(|form| form.oddity).filter(|oddity| *oddity != Oddity::ZeroSizes);
    all.filter(|_| draw.one_in(4)).collect()
}

/// A heap that every format can hold.
fn heap(objects: usize, draw: &mut dyn Draw) -> Heap {
    let options = GenerateOptions {
        objects,
        word: *draw.pick(&[WordSize::Bits64, WordSize::Bits32]),
        hashes: *draw.pick(&[HashRegime::WhereUsed32, HashRegime::Every16]),
        placement: *draw.pick(&[Placement::Ordered, Placement::Mixed]),
        oddities: oddities(draw),
        ..GenerateOptions::default()
    };
    generate(&options, draw)
}

macro_rules! dumps {
    ($($(#[$doc:meta])* $name:ident = $families:expr;)*) => {$(
        $(#[$doc])*
        #[derive(Clone)]
        pub struct $name(RandomDump);

        impl $name {
            const FAMILIES: &[Family] = &$families;

            /// The dump.
            pub fn bytes(&self) -> &[u8] {
                &self.0.bytes
            }

            /// The heap that a correct reader gets from the dump.
            pub fn heap(&self) -> &Heap {
                &self.0.carried
            }

            /// The heap that the dump was written from, which may hold more than the format can express.
            pub fn original(&self) -> &Heap {
                &self.0.original
            }

            /// The format.
            pub fn format(&self) -> Format {
                self.0.recipe.format
            }

            /// The writer that was imitated.
            pub fn profile(&self) -> &'static str {
                self.0.profile
            }
        }

        impl AsRef<[u8]> for $name {
            fn as_ref(&self) -> &[u8] {
                self.bytes()
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($name))
                    .field("format", &self.format().to_string())
                    .field("profile", &self.profile())
                    .field("bytes", &self.bytes().escape_ascii().to_string())
                    .field("heap", self.heap())
                    .finish()
            }
        }
    )*};
}

dumps! {
    /// A random PHD of any version, as any known writer or in any legal spelling.
    ///
    /// ```
    /// use heapsmith::random::PhdDump;
    /// use heapsmith::{assert_same_heap, read};
    ///
    /// fn my_parser_reads_every_phd(dump: PhdDump) -> bool {
    ///     let parsed = read(&dump).expect("it is valid"); // your parser
    ///     assert_same_heap!(dump.heap(), parsed);
    ///     true
    /// }
    /// quickcheck::QuickCheck::new().tests(5).quickcheck(my_parser_reads_every_phd as fn(PhdDump) -> bool);
    /// ```
    PhdDump = [crate::phd::family::FAMILY];
    /// A random HPROF dump, as any known writer or in any legal spelling, with identifiers of 1, 2, 4 or 8 bytes.
    HprofDump = [crate::hprof::family::FAMILY];
    /// A random classic text heap dump in any dialect.
    ClassicDump = [crate::classic::family::FAMILY];
    /// A random dump of any format.
    AnyDump = Family::ALL;
}
