use std::path::PathBuf;

use clap::Args;
use heapsmith::error::Error;
use heapsmith::format::Format;
use heapsmith::generate::{GenerateOptions, Placement, from_seed};
use heapsmith::model::{HashRegime, WordSize};
use heapsmith::output::Output;
use heapsmith::phd::lower::{self, LowerOptions, Profile};

use crate::Answer;

/// Writes a dump of a random heap. The same options give the same bytes, on every machine.
///
/// Example: heapsmith generate --format phd6 --seed 7 --objects 1000 -o seven.phd
#[derive(Args)]
pub(crate) struct Opts {
    /// Dump format: phd4, phd5 or phd6.
    #[arg(long)]
    format: Format,
    #[command(flatten)]
    spelling: Spelling,
    /// Seed of the heap, and of the spelling in the profile `any`.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Number of objects, classes not counted; at most 20 million, since the heap is made in memory
    /// (about 400 bytes an object).
    #[arg(long, default_value_t = 200, value_parser = clap::value_parser!(u32).range(..=20_000_000))]
    objects: u32,
    /// Identity hashes: 16 bits in every object, or 32 where used. Profiles of one writer have their own.
    #[arg(long, value_parser = ["16", "32"])]
    hashes: Option<String>,
    /// Output; `-` is standard output.
    #[arg(short, long, default_value = "-")]
    output: PathBuf,
    /// Replace an existing output.
    #[arg(long)]
    force: bool,
}

/// How to spell a dump.
#[derive(Args)]
pub(crate) struct Spelling {
    /// Writer to imitate: j9-2.3 or sovereign (phd4), j9-2.4 or j9-2.6 (phd5), openj9, jdmpview or
    /// as-documented (phd6), any. Default: j9-2.3, j9-2.6, openj9.
    #[arg(long)]
    pub(crate) profile: Option<String>,
    /// Word size in bits. Default: the heap's own, 64 for a random one.
    #[arg(long, value_parser = ["32", "64"])]
    pub(crate) word: Option<String>,
}

impl Spelling {
    /// The options of a format.
    pub(crate) fn options(&self, format: Format, seed: u64) -> Result<LowerOptions, Error> {
        let Format::Phd(version) = format;
        let options = match &self.profile {
            Some(name) => LowerOptions::new(version).with_profile(name)?,
            None => LowerOptions::new(version),
        };
        Ok(LowerOptions { word: self.word(), seed, ..options })
    }

    fn word(&self) -> Option<WordSize> {
        self.word.as_deref().map(|bits| if bits == "32" { WordSize::Bits32 } else { WordSize::Bits64 })
    }
}

impl Opts {
    pub(crate) fn run(self) -> Result<Answer, Error> {
        let lowering = self.spelling.options(self.format, self.seed)?;
        let options = GenerateOptions {
            objects: self.objects as usize,
            word: lowering.word.unwrap_or(WordSize::Bits64),
            hashes: self.regime(lowering.profile),
            placement: placement(lowering.profile),
        };
        let mut heap = from_seed(&options, self.seed);
        let mut output = Output::create_binary(&self.output, self.force)?;
        lower::write(&mut heap, &lowering, &mut output)?;
        output.finish()?;
        Ok(Answer::Yes)
    }

    fn regime(&self, profile: &Profile) -> HashRegime {
        match self.hashes.as_deref() {
            Some("16") => HashRegime::Every16,
            Some(_) => HashRegime::WhereUsed32,
            None => profile.hashes.unwrap_or(HashRegime::WhereUsed32),
        }
    }
}

/// Only the profile `any` is asked for heaps that no JVM would write in that order.
pub(crate) fn placement(profile: &Profile) -> Placement {
    if profile.is_seeded() { Placement::Mixed } else { Placement::Ordered }
}
