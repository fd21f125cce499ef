//! The rules that need the whole graph.
//!
//! Memory: the set of the addresses, mostly 8 bytes or less for each, and the names of the classes.

use foldhash::{HashMap, HashSet};

use crate::bytes::{Allowance, quoted};
use crate::classic::decode::{DecodeStep, RecordSlice};
use crate::classic::record::{EntryRecord, Record, ReferenceList};
use crate::classic::wire::EntryRecordKind;
use crate::error::DecodeError;
use crate::findings::{DumpPosition, Findings, FollowedReferences};
use crate::model::{Address, AddressSet};

use super::{add, record_place};

/// An index of a dump's addresses, filled by a first pass and asked by a second one.
#[derive(Debug)]
pub struct GraphIndex {
    addresses: AddressSet,
    classes: HashSet<Box<[u8]>>,
    /// Class records with a name that one before has, and the first of them.
    same_name: u64,
    first_same_name: Option<DumpPosition>,
    /// Addresses with more than one record, and whether the first was seen in the second pass.
    duplicates: HashMap<u64, bool>,
    /// Whether the dump could be read to its end, where the classes stand.
    whole: bool,
    /// The entry that the second pass is at.
    entry: Option<(DumpPosition, FollowedReferences)>,
    allowance: Allowance,
    /// Bytes that the names of the classes take.
    names: u64,
}

/// Memory that a name or an address takes in a table that grows, without the name's bytes.
const IN_TABLE: u64 = 48;

impl GraphIndex {
    /// An empty index, which may take that much memory.
    pub fn new(allowance: Allowance) -> GraphIndex {
        GraphIndex {
            addresses: AddressSet::default(),
            classes: HashSet::default(),
            same_name: 0,
            first_same_name: None,
            duplicates: HashMap::default(),
            whole: false,
            entry: None,
            allowance,
            names: 0,
        }
    }

    /// First pass: takes a record in.
    ///
    /// # Errors
    /// If the index would take more memory than is allowed.
    pub fn index_step(&mut self, step: DecodeStep<'_>) -> Result<(), DecodeError> {
        let DecodeStep::Record(at, Record::Entry(entry)) = step else { return Ok(()) };
        if !self.addresses.insert(entry.address.value) {
            self.duplicates.insert(entry.address.value, false);
        }
        if entry.kind == EntryRecordKind::Class {
            if self.classes.contains(entry.name) {
                self.same_name += 1;
                self.first_same_name.get_or_insert(record_place(&at));
            } else {
                self.classes.insert(entry.name.into());
                self.names += entry.name.len() as u64 + IN_TABLE;
            }
        }
        let held = self.addresses.held() + self.names + self.duplicates.len() as u64 * IN_TABLE;
        self.allowance.check(held, at.offset, at.index)
    }

    /// Between the passes: judges the names of classes. `whole` is whether the first came to the end.
    pub fn seal(&mut self, whole: bool, findings: &mut Findings) {
        self.whole = whole;
        if let Some(first) = self.first_same_name {
            add(findings, super::GRAPH_SAME_NAME, first, || {
                let found =
                    format!("{} with the name of one before: which class their objects have is open", self.same_name);
                ("classes with a name of their own".to_owned(), found)
            });
        }
    }

    /// Whether an address has more than one record. Of what the second pass finds, nothing else is an error.
    pub(super) fn has_duplicates(&self) -> bool {
        !self.duplicates.is_empty()
    }

    /// Second pass: judges a record.
    pub fn judge(&mut self, step: DecodeStep<'_>, findings: &mut Findings) {
        match step {
            DecodeStep::Record(at, Record::Entry(entry)) => {
                self.entry(&at, &entry, findings);
                self.references(&at, &entry.references, findings);
            }
            DecodeStep::More(at, references) => self.references(&at, &references, findings),
            DecodeStep::Record(..) => {}
        }
    }

    fn entry(&mut self, at: &RecordSlice<'_>, entry: &EntryRecord<'_>, findings: &mut Findings) {
        if !self.duplicates.is_empty()
            && let Some(seen) = self.duplicates.get_mut(&entry.address.value)
            && std::mem::replace(seen, true)
        {
            add(findings, super::GRAPH_DUPLICATE_ADDRESS, record_place(at), || {
                let found = format!("{} again", quoted(entry.address.text));
                ("an address that no other record has".to_owned(), found)
            });
        }
        if self.whole && entry.kind == EntryRecordKind::Object && !self.classes.contains(entry.name) {
            add(findings, super::GRAPH_TYPE, record_place(at), || {
                ("a type that is the name of a class record".to_owned(), quoted(entry.name))
            });
        }
        self.entry = Some((record_place(at), FollowedReferences::default()));
    }

    fn references(&mut self, at: &RecordSlice<'_>, references: &ReferenceList<'_>, findings: &mut Findings) {
        let Some((place, followed)) = &mut self.entry else { return };
        references.values.iter().for_each(|target| followed.follow(Address(*target), &self.addresses));
        if !at.open && followed.is_broken() {
            add(findings, super::GRAPH_DANGLING_REFERENCE, *place, || {
                ("references to records of this dump".to_owned(), followed.found())
            });
        }
    }
}
