//! The options to write a PHD among those of every format.

use std::io::Write;

use crate::compare::Facet;
use crate::error::Error;
use crate::family::{ArrayClass, Format, HeapRequirements, Lower, Lowering, WriteRequest, only_heap};
use crate::generate::{GenerateOptions, Library};
use crate::lower::Adherence;
use crate::model::{Dump, DumpSource, Facts, HashRegime, WordSize};
use crate::phd::open;

use super::profiles::{ArrayWord, FieldSwap, HeaderPolicy};
use super::{LowerOptions, carry, write};

impl Lower for LowerOptions {
    fn format(&self) -> Format {
        open::format(self.version)
    }

    fn profile(&self) -> &'static str {
        self.profile.name
    }

    fn is_seeded(&self) -> bool {
        self.profile.is_seeded()
    }

    fn is_trap(&self) -> bool {
        self.profile.array_fields != FieldSwap::LengthFirst
    }

    fn write(&self, dump: &mut dyn DumpSource, out: &mut dyn Write) -> Result<(), Error> {
        write(only_heap(dump, self.format())?, self, out)
    }

    fn carry(&self, dump: &mut dyn DumpSource) -> Result<Dump, Error> {
        let heap = carry(only_heap(dump, self.format())?, self)?;
        Ok(Dump { heaps: vec![heap], tail: Vec::new() })
    }

    fn adhering(&self) -> Lowering {
        LowerOptions { adherence: Adherence::Heap, ..*self }.into()
    }

    fn with_request(&self, wishes: &WriteRequest) -> Result<Lowering, Error> {
        Ok(LowerOptions { word: wishes.word, ..*self }.into())
    }

    fn adapt_options(&self, options: GenerateOptions) -> GenerateOptions {
        options.word(self.word.unwrap_or(WordSize::Bits64)).library(Library::J9)
    }

    fn hashes(&self) -> Option<HashRegime> {
        self.profile.hashes
    }

    fn requirements(&self, facts: &Facts) -> HeapRequirements {
        let has_array_sizes = self.version.form().array_sizes;
        HeapRequirements {
            unit: if self.profile.j9 == Some(false) { self.version.form().unit_without_j9 } else { 4 },
            largest: HeapRequirements::largest_address(self.word, facts),
            surroundings: false,
            classes: true,
            primitive_array_classes: false,
            array_class: match self.profile.array_word {
                ArrayWord::Component => ArrayClass::Component,
                ArrayWord::BaseThenArray => ArrayClass::OwnAndInnermost,
            },
            instance_sizes: Some(4),
            positions: false,
            lengths: true,
            names_and_sizes: false,
            array_sizes: has_array_sizes.then_some(4),
            superclass_lists: Some(if HeapRequirements::largest_address(self.word, facts) > u64::from(u32::MAX) {
                8
            } else {
                4
            }),
            word_size: true,
        }
    }

    fn defaults(&self, facts: &Facts) -> Vec<(Facet, &'static str)> {
        let is_empty = facts.version_text.is_none() && self.profile.header == HeaderPolicy::VersionAlways;
        is_empty.then_some((Facet::VersionText, "empty")).into_iter().collect()
    }
}
