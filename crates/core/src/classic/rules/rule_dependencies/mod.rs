//! The bytes of a text that rely on rules: where a reader that does not follow the rule takes something else from them.
//!
//! A text that a writer spelled relies on few rules in most of its bytes. Reported are only bytes that take knowledge
//! of the rule: digits in lower case, a size above 2^31, a name with a space in it.

mod entry;
mod file;
mod name;
mod references;

use std::collections::HashMap;

use file::TrailerState;
use references::ListingEntry;

use crate::classic::decode::{DecodeStep, RecordSlice};
use crate::classic::lift::DumpIndex;
use crate::classic::open::open;
use crate::classic::record::Record;
use crate::classic::wire::{Charset, Encoding};
use crate::error::{DecodeError, Error, RuleId};
use crate::family::{Opener, Reliance};
use crate::model::{Address, Name};

/// Calls `found` with the places in a text that rely on rules, as far as it can be read.
pub(in crate::classic) fn reliances(opener: &Opener, found: &mut dyn FnMut(Reliance)) -> Result<(), Error> {
    let mut decoder = match open(opener.open()?) {
        Ok(decoder) => decoder,
        Err(error) => return fail_on_machine_error(error),
    };
    let (index, ended) = DumpIndex::read(&mut decoder);
    ended.or_else(fail_on_machine_error)?;
    if opener.input.is_compressed() {
        found(Reliance { offset: 0, length: 2, rule: super::FILE_COMPRESSED, of: None, record: None });
    }
    let mut decoder = open(opener.open()?)?;
    let mut pass = DependencyPass::new(&index, decoder.encoding(), found);
    let ended = decoder.visit::<DecodeError, _>(|step| {
        pass.step(step);
        Ok(())
    });
    ended.map(|_| ()).or_else(fail_on_machine_error)
}

/// Passes on an error of the machine. An error in the text only ends the search: the places found before it are sound.
fn fail_on_machine_error(error: DecodeError) -> Result<(), Error> {
    if error.is_machine_fault() { Err(error.into()) } else { Ok(()) }
}

/// Goes through a text's records, whose classes are known.
struct DependencyPass<'p> {
    index: &'p DumpIndex,
    /// Names of the classes by address.
    classes: HashMap<u64, &'p Name>,
    encoding: Encoding,
    found: DependencySink<'p>,
    /// Whether anything but white space came.
    begun: bool,
    /// Whether something stands in front of the next record on its line.
    same_line: bool,
    /// Classes so far.
    classes_seen: u64,
    /// Whether an object or class came, and a bracket that tells the page.
    entry_seen: bool,
    bracket_seen: bool,
    /// Whether the first address has 8 digits.
    narrow: bool,
    /// The address of the object before.
    object_before: u64,
    trailers: TrailerState,
    listed: ListingEntry,
}

/// The receiver of the places that are found.
struct DependencySink<'p> {
    found: &'p mut dyn FnMut(Reliance),
    /// The record that they stand in.
    record: u64,
    /// The class or object that they describe.
    of: Option<Address>,
}

impl DependencySink<'_> {
    /// Adds bytes that rely on a rule and describe the record's class or object.
    fn add(&mut self, rule: RuleId, offset: u64, bytes: &[u8]) {
        self.add_of(rule, offset, bytes, self.of);
    }

    /// Adds bytes that rely on a rule and describe the whole dump.
    fn add_of_all(&mut self, rule: RuleId, offset: u64, bytes: &[u8]) {
        self.add_of(rule, offset, bytes, None);
    }

    fn add_of(&mut self, rule: RuleId, offset: u64, bytes: &[u8], of: Option<Address>) {
        (self.found)(Reliance { offset, length: bytes.len() as u64, rule, of, record: Some(self.record) });
    }
}

impl<'p> DependencyPass<'p> {
    fn new(index: &'p DumpIndex, encoding: Encoding, found: &'p mut dyn FnMut(Reliance)) -> DependencyPass<'p> {
        DependencyPass {
            index,
            classes: index.classes.iter().map(|class| (class.address.0, &class.name)).collect(),
            encoding,
            found: DependencySink { found, record: 0, of: None },
            begun: false,
            same_line: false,
            classes_seen: 0,
            entry_seen: false,
            bracket_seen: false,
            narrow: false,
            object_before: 0,
            trailers: TrailerState::default(),
            listed: ListingEntry::default(),
        }
    }

    fn step(&mut self, step: DecodeStep<'_>) {
        let at = match step {
            DecodeStep::Record(at, record) => {
                self.found.record = at.index;
                self.found.of = match record {
                    Record::Entry(entry) => Some(Address(entry.address.value)),
                    _ => None,
                };
                self.begin_record(&at, &record);
                match record {
                    Record::Entry(entry) => self.entry(&at, &entry),
                    record => self.line(&at, &record),
                }
                at
            }
            DecodeStep::More(at, references) => {
                self.references(&at, at.offset, &references);
                at
            }
        };
        self.ebcdic_line_end(&at);
        let line = at.bytes.rsplit(|b| self.ends_line(*b)).next().unwrap_or_default();
        let goes_on = line.len() == at.bytes.len() && self.same_line;
        self.same_line = goes_on || !line.trim_ascii().is_empty();
    }

    fn is_ebcdic(&self) -> bool {
        self.encoding.charset != Charset::Utf8
    }

    fn ends_line(&self, byte: u8) -> bool {
        byte == b'\n' || byte == 0x85 && self.is_ebcdic()
    }

    /// White space with every line end as a line feed.
    fn plain_line_ends(&self, white: &[u8]) -> Vec<u8> {
        let feed = |(at, &byte): (usize, &u8)| match byte {
            b'\r' if white.get(at + 1) == Some(&b'\n') => None,
            byte if self.ends_line(byte) => Some(b'\n'),
            byte => Some(byte),
        };
        white.iter().enumerate().filter_map(feed).collect()
    }
}

/// The offset of a byte of a record or piece.
fn offset(at: &RecordSlice<'_>, byte: usize) -> u64 {
    at.offset + byte as u64
}
