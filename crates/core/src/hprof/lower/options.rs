//! The options to write an HPROF dump among those of every format.

use std::collections::BTreeMap;
use std::io::Write;
use std::ops::Range;

use crate::compare::Facet;
use crate::error::Error;
use crate::family::{ArrayClass, Format, HeapRequirements, Lower, Lowering, SpelledBlocks, WriteRequest};
use crate::generate::{AddressSpace, GenerateOptions, Library};
use crate::hprof::open::FORMAT;
use crate::hprof::wire::IdSize;
use crate::lower::Adherence;
use crate::model::blocks::ObjectBlocks;
use crate::model::{Class, Dump, DumpSource, Facts, HeapSource, RootForm, WordSize};

use super::items::omitted_roots;
use super::plan::LowerPlan;
use super::{LowerOptions, carry_dump, spell_blocks, write_dump, write_window};

/// The library of the programs whose dumps a writer makes.
pub(in crate::hprof) fn library(profile: &str) -> Library {
    match profile {
        "hotspot-8" => Library::Jdk8,
        "hotspot-11" => Library::Jdk11,
        "hotspot-21" => Library::Jdk21,
        "hotspot-25" => Library::Jdk25,
        "sa" => Library::Jdk17Declared,
        "agent" => Library::Jdk6,
        "art" => Library::Android,
        _ => Library::Jdk17,
    }
}

impl Lower for LowerOptions {
    fn format(&self) -> Format {
        FORMAT
    }

    fn profile(&self) -> &'static str {
        self.profile.name
    }

    fn is_seeded(&self) -> bool {
        self.profile.is_seeded()
    }

    fn write(&self, dump: &mut dyn DumpSource, out: &mut dyn Write) -> Result<(), Error> {
        write_dump(dump, self, out)
    }

    fn write_window(&self, dump: &mut dyn DumpSource, window: Range<u64>, out: &mut dyn Write) -> Result<u64, Error> {
        write_window(dump, self, window, out)
    }

    fn threads(&self, threads: usize) -> Option<Lowering> {
        Some(LowerOptions { threads, ..*self }.into())
    }

    fn carry(&self, dump: &mut dyn DumpSource) -> Result<Dump, Error> {
        carry_dump(dump, self)
    }

    fn spelled<'b>(
        &self,
        facts: &Facts,
        classes: &[Class],
        blocks: &'b dyn ObjectBlocks,
    ) -> Result<Option<Box<dyn SpelledBlocks + 'b>>, Error> {
        spell_blocks(facts, classes, blocks, self).map(Some)
    }

    fn adhering(&self) -> Lowering {
        LowerOptions { adherence: Adherence::Heap, ..*self }.into()
    }

    fn with_request(&self, wishes: &WriteRequest) -> Result<Lowering, Error> {
        Ok(LowerOptions { id_size: wishes.id_size, segments: wishes.segments, ..*self }.into())
    }

    fn adapt_options(&self, options: GenerateOptions) -> GenerateOptions {
        let id = self.id_size.or(self.profile.id_size).unwrap_or(IdSize::Eight);
        let addresses = if id < IdSize::Four { AddressSpace::Numbers } else { AddressSpace::Memory };
        let word = if id == IdSize::Eight { WordSize::Bits64 } else { WordSize::Bits32 };
        let framing = LowerPlan::framing(self, None);
        let bare_arrays = self.profile.root_writer.is_none() && framing.is_some_and(|f| f.version.is_android());
        let options = options.word(word).addresses(addresses).bare_arrays(bare_arrays);
        options.library(library(self.profile.name))
    }

    fn most_objects(&self) -> usize {
        // One byte numbers 255 things, names and frames among them.
        if self.id_size == Some(IdSize::One) { 20 } else { usize::MAX }
    }

    fn omits_root(&self, root: &RootForm) -> bool {
        let writer = self.profile.root_writer.filter(|_| self.adherence != Adherence::Heap);
        writer.is_some_and(|writer| !root.writers.contains(&writer))
    }

    fn omitted_roots(&self, heap: &mut dyn HeapSource) -> Result<BTreeMap<&'static str, u64>, Error> {
        omitted_roots(heap, self)
    }

    fn requirements(&self, facts: &Facts) -> HeapRequirements {
        let own = facts.identifier_size.and_then(|size| IdSize::from_bytes(size.0));
        let is_small = own.is_none() && facts.word_size == Some(WordSize::Bits32);
        let of_word = if is_small { IdSize::Four } else { IdSize::Eight };
        HeapRequirements {
            unit: 1,
            largest: self.id_size.or(self.profile.id_size).or(own).unwrap_or(of_word).max(),
            surroundings: true,
            classes: true,
            primitive_array_classes: false,
            array_class: ArrayClass::Own,
            instance_sizes: Some(1),
            positions: true,
            lengths: true,
            names_and_sizes: false,
            array_sizes: None,
            superclass_lists: None,
            word_size: false,
        }
    }

    fn defaults(&self, facts: &Facts) -> Vec<(Facet, &'static str)> {
        let mut all = Vec::new();
        if self.profile.log.non_heap {
            let log = [Facet::ControlSettings, Facet::AllocationSites, Facet::HeapSummaries, Facet::CpuSamples];
            all.extend(log.map(|facet| (facet, "one record, as such dumps have it")));
        }
        all.extend(facts.timestamp.is_none().then_some((Facet::TimeStamp, "0")));
        all
    }
}
