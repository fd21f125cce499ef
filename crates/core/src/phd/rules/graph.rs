//! The rules that need the whole graph.
//!
//! Memory: the set of the addresses, mostly 8 bytes or less for each, and the classes.

use std::io::Read;

use foldhash::{HashMap, HashMapExt};

use crate::bytes::Allowance;
use crate::error::DecodeError;
use crate::findings::{Findings, FollowedReferences, classes_on_cycles};
use crate::model::long::Spool;
use crate::model::{Address, AddressSet};
use crate::phd::decode::{BodyEnd, Decoder, LocatedRecord};
use crate::phd::lift::{Resolved, Resolver};
use crate::phd::record::Record;
use crate::phd::wire::FileFlags;

use super::severity;

/// An index of a dump's addresses, filled by a first pass and asked by a second one.
#[derive(Debug)]
pub struct GraphIndex {
    /// Whether nothing but errors is looked for.
    errors: bool,
    /// Of the second pass.
    resolver: Resolver,
    addresses: AddressSet,
    classes: HashMap<Address, ClassEntry>,
    /// Addresses with more than one record, and whether the first was seen in the second pass.
    duplicates: HashMap<u64, bool>,
    arrays: ArrayClassWords,
    j9: bool,
    allowance: Allowance,
}

#[derive(Debug)]
struct ClassEntry {
    superclass: Address,
    is_array: bool,
    offset: u64,
    index: u64,
}

/// The class words of object arrays: of some arrays, the class word and the first reference.
#[derive(Debug, Default)]
struct ArrayClassWords {
    first_at: Option<(u64, u64)>,
    total: u64,
    asked: Vec<(Address, Option<Address>)>,
}

impl ArrayClassWords {
    /// A writer has the same convention for all of them.
    const ASKED: usize = 1 << 12;

    fn sample(
        &mut self,
        located: LocatedRecord<'_, '_>,
        resolved: &Resolved,
        resolver: &Resolver,
    ) -> Result<(), DecodeError> {
        let (Record::ObjectArray(array), Some(class_word)) = (located.record, resolved.class_word) else {
            return Ok(());
        };
        self.first_at.get_or_insert((located.offset, located.index));
        self.total += 1;
        if self.asked.len() < ArrayClassWords::ASKED {
            let first = located.first(&array.references)?;
            self.asked.push((class_word, first.map(|units| resolver.offset(resolved.address, units))));
        }
        Ok(())
    }
}

/// Memory that a class or an address takes in a table that grows.
const IN_TABLE: usize = 2 * (size_of::<Address>() + size_of::<ClassEntry>());

impl GraphIndex {
    /// An empty index of the dump that is read. `errors` says whether nothing but errors is looked for.
    pub fn new<R: Read>(decoder: &Decoder<R>, errors: bool) -> GraphIndex {
        GraphIndex {
            errors,
            resolver: Resolver::new(decoder.layout()),
            addresses: AddressSet::default(),
            classes: HashMap::new(),
            duplicates: HashMap::new(),
            arrays: ArrayClassWords::default(),
            j9: decoder.header().flags.has(FileFlags::J9),
            allowance: decoder.allowance(),
        }
    }

    /// First pass: takes a record in.
    ///
    /// # Errors
    /// If the index would take more memory than is allowed, or references that are not held cannot be read.
    #[inline]
    pub fn index_record(
        &mut self,
        located: LocatedRecord<'_, '_>,
        resolved: &Resolved,
        resolver: &Resolver,
    ) -> Result<(), DecodeError> {
        let address = resolved.address;
        if !self.errors && matches!(located.record, Record::ObjectArray(_)) {
            self.arrays.sample(located, resolved, resolver)?;
        }
        if !self.addresses.insert(address.0) {
            self.duplicates.insert(address.0, false);
        }
        if let Record::Class(r) = located.record {
            let (superclass, is_array) = (Address(r.superclass), r.name.starts_with(b"["));
            let entry = ClassEntry { superclass, is_array, offset: located.offset, index: located.index };
            self.classes.entry(address).or_insert(entry);
        }
        let tables = (self.classes.len() + self.duplicates.len()) * IN_TABLE;
        self.allowance.check(self.addresses.held() + tables as u64, located.offset, located.index)
    }

    /// Between the passes: judges the class hierarchy.
    pub fn seal(&mut self, findings: &mut Findings) {
        let above = |class| self.classes.get(&class).map(|entry| entry.superclass);
        let on_cycles = classes_on_cycles(self.classes.keys().copied(), above);
        let mut cyclic = Vec::new();
        let mut by_index: Vec<(&Address, &ClassEntry)> = self.classes.iter().collect();
        by_index.sort_unstable_by_key(|(_, entry)| entry.index);
        for (address, entry) in by_index {
            let superclass = entry.superclass;
            if !superclass.is_null() && !self.classes.contains_key(&superclass) {
                let rule = super::GRAPH_SUPERCLASS;
                findings.add(rule, severity, entry.offset, Some(entry.index), || {
                    ("a superclass word of 0 or the address of a class record".to_owned(), superclass.to_string())
                });
            }
            if on_cycles.contains(address) {
                cyclic.push(entry);
            }
        }
        if let Some(&first) = cyclic.first() {
            let first: &ClassEntry = first;
            let rule = super::GRAPH_SUPERCLASS_CYCLE;
            findings.add(rule, severity, first.offset, Some(first.index), || {
                let found = match cyclic.len() {
                    1 => "a class that is its own superclass".to_owned(),
                    classes => format!("cycles of superclasses, with {classes} classes on them"),
                };
                ("a superclass chain that ends".to_owned(), found)
            });
        }
    }

    /// Whether the second pass could find anything that is looked for. Of that, nothing is an error but an address that has more than
    /// one record.
    pub(super) fn is_open(&self) -> bool {
        !self.errors || !self.duplicates.is_empty()
    }

    /// Second pass: judges all records.
    ///
    /// # Errors
    /// If the dump cannot be read any further.
    pub fn follow(
        &mut self,
        decoder: &mut Decoder<impl Read>,
        spool: &mut Spool,
        findings: &mut Findings,
    ) -> Result<BodyEnd, DecodeError> {
        decoder.visit_with(Some(spool), |located| self.judge(located, findings))
    }

    /// Second pass: judges the address, the class word and the references of a record.
    #[inline(always)]
    fn judge(&mut self, located: LocatedRecord<'_, '_>, findings: &mut Findings) -> Result<(), DecodeError> {
        let LocatedRecord { offset, index, record, .. } = located;
        let Resolved { address, class_word, .. } = self.resolver.resolve(record);
        if !self.duplicates.is_empty()
            && let Some(seen) = self.duplicates.get_mut(&address.0)
            && std::mem::replace(seen, true)
        {
            findings.add(super::GRAPH_DUPLICATE_ADDRESS, severity, offset, Some(index), || {
                ("an address that no other record has".to_owned(), format!("{address} again"))
            });
        }
        if let Some(class_word) = class_word
            && !self.classes.contains_key(&class_word)
        {
            findings.add(super::GRAPH_CLASS_WORD, severity, offset, Some(index), || {
                ("a class word that names a class record".to_owned(), class_word.to_string())
            });
        }
        let Some(references) = record.references() else { return Ok(()) };
        let mut followed = FollowedReferences::default();
        located.references(references, |units| {
            followed.follow(self.resolver.offset(address, units), &self.addresses);
        })?;
        if followed.is_broken() {
            findings.add(super::GRAPH_DANGLING_REFERENCE, severity, offset, Some(index), || {
                ("references to records of this dump".to_owned(), followed.found())
            });
        }
        Ok(())
    }

    /// Reports the signs for each convention of class words, after all records.
    pub fn report_class_word_convention(&self, findings: &mut Findings) {
        let ArrayClassWords { first_at: Some((offset, index)), total, asked } = &self.arrays else { return };
        let rule = super::OBJECT_ARRAY_CLASS_WORD;
        findings.add(rule, severity, *offset, Some(*index), || {
            let is_array_class = |class: &Address| self.classes.get(class).is_some_and(|class| class.is_array);
            let array = asked.iter().filter(|(class_word, _)| is_array_class(class_word)).count();
            let first = asked.iter().filter(|(_, first)| first.as_ref().is_some_and(is_array_class)).count();
            let sign = if first * 2 > asked.len() && self.j9 {
                "which speaks for the base class with the array class as reference 0"
            } else if array == asked.len() {
                "which speaks for the array class itself"
            } else {
                "which speaks for the component class"
            };
            let (those, plain) = (asked.len() as u64, asked.len() - array);
            let arrays = if those == *total { format!("{total} arrays") } else { format!("the first {those} of {total} arrays") };
            let found = format!(
                "{arrays}: {plain} class words name plain classes, {array} array classes, and {first} arrays have an array class \
                 as reference 0, {sign}"
            );
            ("a convention of class words that the bytes do not tell".to_owned(), found)
        });
    }
}
