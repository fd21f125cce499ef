//! Writing a dump in any format.

use std::io::Write;

use crate::classic::{self, Charset, Encoding, Newline};
use crate::error::{Error, Remedy};
use crate::generate::{AddressSpace, GenerateOptions, Placement};
use crate::hprof::{self, IdSize};
use crate::lower::Adherence;
use crate::model::{Dump, DumpSource, HashRegime, WordSize};
use crate::phd;

use super::Format;

/// Which dump to make, in any format.
#[derive(Clone, Copy, Debug)]
pub enum Lowering {
    /// A PHD.
    Phd(phd::LowerOptions),
    /// An HPROF dump.
    Hprof(hprof::LowerOptions),
    /// A classic heap dump.
    Classic(classic::LowerOptions),
}

/// What every format may be asked for; what a format does not have is refused.
#[derive(Clone, Debug, Default)]
pub(crate) struct Wishes {
    /// The writer to imitate.
    pub(crate) profile: Option<String>,
    /// Word size (PHD, classic).
    pub(crate) word: Option<WordSize>,
    /// Size of identifiers (HPROF).
    pub(crate) id_size: Option<IdSize>,
    /// Characters (classic).
    pub(crate) charset: Option<Charset>,
    /// Ends of lines (classic).
    pub(crate) newline: Option<Newline>,
    /// Seed of the choices of the profile `any`.
    pub(crate) seed: u64,
}

impl Lowering {
    /// The options of a format.
    ///
    /// # Errors
    /// If there is no such profile, or the format does not have what is wished.
    pub(crate) fn new(format: Format, wishes: &Wishes) -> Result<Lowering, Error> {
        let Wishes { profile, word, id_size, charset, newline, seed } = wishes.clone();
        if format != Format::Classic && (charset.is_some() || newline.is_some()) {
            return Err(Error::refused(
                format!("{format} is a binary format: its character encoding and line ends cannot be set"),
                Remedy::ClassicText,
            ));
        }
        if format != Format::Hprof && id_size.is_some() {
            return Err(Error::refused(
                format!("{format} has no identifier size to set; it has a word size"),
                Remedy::WordSize,
            ));
        }
        Ok(match format {
            Format::Phd(version) => {
                let options = phd::LowerOptions::new(version);
                let options = profile.map_or(Ok(options), |name| options.with_profile(&name))?;
                Lowering::Phd(phd::LowerOptions { word, seed, ..options })
            }
            Format::Hprof => {
                if word.is_some() {
                    return Err(Error::refused(
                        format!("{format} has no word size to set; it has an identifier size"),
                        Remedy::IdSize,
                    ));
                }
                let options = hprof::LowerOptions::default();
                let options = profile.map_or(Ok(options), |name| options.with_profile(&name))?;
                Lowering::Hprof(hprof::LowerOptions { id_size, seed, ..options })
            }
            Format::Classic => {
                let options = classic::LowerOptions::default();
                let profile = profile.map_or(Ok(options.profile), |name| classic::Profile::named(&name))?;
                let charset = charset.unwrap_or_default();
                let encoding = Encoding { charset, newline: newline.unwrap_or(charset.newline()) };
                if charset == Charset::Utf8 && encoding.newline == Newline::Nel {
                    return Err(Error::Usage("utf-8 ends lines with lf or crlf; nel is EBCDIC's".to_owned()));
                }
                Lowering::Classic(classic::LowerOptions { profile, word, encoding, seed, ..options })
            }
        })
    }

    /// Writes heaps.
    ///
    /// # Errors
    /// If a heap holds what the dump cannot say, its source fails, or writing does.
    pub fn write(&self, dump: &mut dyn DumpSource, out: &mut dyn Write) -> Result<(), Error> {
        match self {
            Lowering::Phd(options) => phd::lower::write(only_heap(dump)?, options, out),
            Lowering::Hprof(options) => hprof::lower::write_dump(dump, options, out),
            Lowering::Classic(options) => classic::lower::write(only_heap(dump)?, options, out),
        }
    }

    /// The dump that a reader gets back.
    ///
    /// # Errors
    /// If a heap holds what the dump cannot say, or its source fails.
    pub fn carry(&self, dump: &mut dyn DumpSource) -> Result<Dump, Error> {
        match self {
            Lowering::Phd(options) => {
                let heap = phd::lower::carry(only_heap(dump)?, options)?;
                Ok(Dump { heaps: vec![heap], tail: Vec::new() })
            }
            Lowering::Hprof(options) => hprof::lower::carry_dump(dump, options),
            Lowering::Classic(options) => {
                let heap = classic::lower::carry(only_heap(dump)?, options)?;
                Ok(Dump { heaps: vec![heap], tail: Vec::new() })
            }
        }
    }

    /// The format.
    pub fn format(&self) -> Format {
        match self {
            Lowering::Phd(options) => Format::Phd(options.version),
            Lowering::Hprof(_) => Format::Hprof,
            Lowering::Classic(_) => Format::Classic,
        }
    }

    /// The profile's name.
    pub fn profile(&self) -> &'static str {
        match self {
            Lowering::Phd(options) => options.profile.name,
            Lowering::Hprof(options) => options.profile.name,
            Lowering::Classic(options) => options.profile.name,
        }
    }

    /// Whether the spelling is drawn from a seed.
    pub fn is_seeded(&self) -> bool {
        match self {
            Lowering::Phd(options) => options.profile.is_seeded(),
            Lowering::Hprof(options) => options.profile.is_seeded(),
            Lowering::Classic(options) => options.profile.is_seeded(),
        }
    }

    /// The same with the heap's own order, identifiers and hashes.
    #[must_use]
    pub fn adhering(self) -> Lowering {
        let adherence = Adherence::Heap;
        match self {
            Lowering::Phd(options) => Lowering::Phd(phd::LowerOptions { adherence, ..options }),
            Lowering::Hprof(options) => Lowering::Hprof(hprof::LowerOptions { adherence, ..options }),
            Lowering::Classic(options) => Lowering::Classic(classic::LowerOptions { adherence, ..options }),
        }
    }

    /// What a random heap has to be like to be written so.
    pub fn generate_options(&self, objects: usize, hashes: Option<HashRegime>) -> GenerateOptions {
        let placement = if self.is_seeded() { Placement::Mixed } else { Placement::Ordered };
        let options = GenerateOptions { objects, placement, ..GenerateOptions::default() };
        match self {
            Lowering::Phd(lowering) => GenerateOptions {
                word: lowering.word.unwrap_or(WordSize::Bits64),
                hashes: hashes.or(lowering.profile.hashes).unwrap_or(HashRegime::WhereUsed32),
                ..options
            },
            Lowering::Hprof(lowering) => {
                let id = lowering.id_size.or(lowering.profile.id_size).unwrap_or(IdSize::Eight);
                GenerateOptions {
                    word: if id == IdSize::Eight { WordSize::Bits64 } else { WordSize::Bits32 },
                    hashes: hashes.unwrap_or(HashRegime::WhereUsed32),
                    addresses: match id {
                        IdSize::One | IdSize::Two => AddressSpace::Numbers,
                        IdSize::Four | IdSize::Eight => AddressSpace::Memory,
                    },
                    texts: true,
                    bare_arrays: lowering.profile.name == "art",
                    ..options
                }
            }
            Lowering::Classic(lowering) => GenerateOptions {
                word: lowering.word.unwrap_or(WordSize::Bits64),
                hashes: hashes.unwrap_or(HashRegime::WhereUsed32),
                latin1_names: lowering.encoding.charset != Charset::Utf8,
                ..options
            },
        }
    }
}

fn only_heap(dump: &mut dyn DumpSource) -> Result<&mut dyn crate::model::HeapSource, Error> {
    match dump.heaps() {
        1 => Ok(dump.heap(0)),
        heaps => {
            let message = format!("the format holds one heap, and there are {heaps}");
            Err(Error::refused(message, Remedy::ChooseHeap { heaps }))
        }
    }
}
