//! The options to write a classic heap dump among those of every format.

use std::io::Write;

use crate::classic::open::FORMAT;
use crate::classic::wire::{Charset, Encoding, Newline};
use crate::compare::Facet;
use crate::error::Error;
use crate::family::{ArrayClass, Format, HeapRequirements, Lower, Lowering, WriteRequest, only_heap};
use crate::generate::{GenerateOptions, Library};
use crate::lower::Adherence;
use crate::model::{Dump, DumpSource, Facts, WordSize};

use super::profiles::ClassReferences;
use super::{LowerOptions, carry, write};

/// The encoding that is asked for, if there is one.
///
/// # Errors
/// If the characters and the ends of lines do not go together.
pub(in crate::classic) fn encoding(wishes: &WriteRequest) -> Result<Option<Encoding>, Error> {
    if wishes.charset.is_none() && wishes.newline.is_none() {
        return Ok(None);
    }
    let charset = wishes.charset.unwrap_or_default();
    let newline = wishes.newline.unwrap_or(charset.newline());
    if charset == Charset::Utf8 && newline == Newline::Nel {
        return Err(Error::Usage("utf-8 ends lines with lf or crlf; nel is EBCDIC's".to_owned()));
    }
    Ok(Some(Encoding { charset, newline }))
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
        write(only_heap(dump, self.format())?, self, out)
    }

    fn threads(&self, threads: usize) -> Option<Lowering> {
        Some(LowerOptions { threads, ..*self }.into())
    }

    fn carry(&self, dump: &mut dyn DumpSource) -> Result<Dump, Error> {
        let heap = carry(only_heap(dump, self.format())?, self)?;
        Ok(Dump { heaps: vec![heap], tail: Vec::new() })
    }

    fn adhering(&self) -> Lowering {
        LowerOptions { adherence: Adherence::Heap, ..*self }.into()
    }

    fn with_request(&self, wishes: &WriteRequest) -> Result<Lowering, Error> {
        // What is not wished is the dump's own; ends of lines follow the characters where those are wished.
        let charset = Some(wishes.charset.unwrap_or(self.encoding.charset));
        let newline = wishes.newline.or(wishes.charset.is_none().then_some(self.encoding.newline));
        let encoding = encoding(&WriteRequest { charset, newline, ..wishes.clone() })?.unwrap_or(self.encoding);
        Ok(LowerOptions { word: wishes.word, encoding, ..*self }.into())
    }

    fn adapt_options(&self, options: GenerateOptions) -> GenerateOptions {
        let is_latin1 = self.encoding.charset != Charset::Utf8;
        options.word(self.word.unwrap_or(WordSize::Bits64)).latin1_names(is_latin1).library(Library::J9)
    }

    fn requirements(&self, facts: &Facts) -> HeapRequirements {
        HeapRequirements {
            unit: 1,
            largest: HeapRequirements::largest_address(self.word, facts),
            surroundings: false,
            classes: self.profile.class_blocks,
            primitive_array_classes: self.profile.class_blocks,
            array_class: ArrayClass::Own,
            instance_sizes: None,
            positions: false,
            lengths: false,
            names_and_sizes: true,
            array_sizes: None,
            // A space, `0x` and the digits.
            superclass_lists: (self.profile.class_references != ClassReferences::SlotsFirst).then_some(
                if HeapRequirements::largest_address(self.word, facts) > u64::from(u32::MAX) { 19 } else { 11 },
            ),
            word_size: true,
        }
    }

    fn defaults(&self, _facts: &Facts) -> Vec<(Facet, &'static str)> {
        Vec::new()
    }
}
