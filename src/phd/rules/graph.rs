//! The rules that need the whole graph.
//!
//! Memory: the set of the addresses, mostly 2 bytes or less for each, and the classes.

use std::mem;

use foldhash::{HashMap, HashMapExt};

use crate::bytes::Allowance;
use crate::error::{DecodeError, RuleId};
use crate::findings::{Findings, on_cycles};
use crate::model::{Address, AddressSet};

use super::super::decode::Located;
use super::super::lift::{Resolved, Resolver};
use super::super::record::Record;
use super::super::wire::Layout;
use super::class_words::ClassWords;
use super::severity;

/// An index of a dump's addresses. The first pass fills it, and mostly tells that all references and class words lead
/// somewhere; the second one finds those that do not.
#[derive(Debug)]
pub struct GraphIndex {
    resolver: Resolver,
    addresses: AddressSet,
    /// What references lead to, until there are enough of them to be looked up in one go.
    targets: Vec<u64>,
    classes: HashMap<Address, ClassEntry>,
    words: ClassWords,
    /// Addresses with more than one record, and whether the first was seen in the second pass.
    duplicates: HashMap<u64, bool>,
    arrays: Arrays,
    j9: bool,
    /// Whether only rules that are errors are judged: references and class words are not looked at.
    errors: bool,
    /// Whether a reference or a class word may lead nowhere.
    leads_nowhere: bool,
    allowance: Allowance,
}

#[derive(Debug)]
struct ClassEntry {
    superclass: Address,
    is_array: bool,
    offset: u64,
    index: u64,
}

/// Object arrays, and what is their reference 0.
#[derive(Debug, Default)]
struct Arrays {
    first_at: Option<(u64, u64)>,
    /// Arrays whose reference 0 was looked at.
    looked_at: u64,
    /// How many of these have which reference 0.
    firsts: HashMap<Address, u64>,
}

/// What a class or an address takes in a table that grows.
const IN_TABLE: usize = 2 * (size_of::<Address>() + size_of::<ClassEntry>());
/// References that are looked up in one go.
const AT_ONCE: usize = 1 << 10;
/// Of as many arrays, reference 0 is looked at: what speaks for a writer is the same in all of them.
const LOOKED_AT: u64 = 1 << 16;

impl GraphIndex {
    /// An empty index, which may take that much memory. `j9` is the file's J9 flag; `errors` says whether only rules that
    /// are errors are judged.
    pub fn new(layout: Layout, j9: bool, errors: bool, allowance: Allowance) -> GraphIndex {
        GraphIndex {
            resolver: Resolver::new(layout),
            addresses: if errors { AddressSet::default() } else { AddressSet::following() },
            targets: Vec::with_capacity(AT_ONCE),
            classes: HashMap::new(),
            words: ClassWords::default(),
            duplicates: HashMap::new(),
            arrays: Arrays::default(),
            j9,
            errors,
            leads_nowhere: false,
            allowance,
        }
    }

    /// First pass: takes in what a reference leads to.
    #[inline]
    pub fn refer(&mut self, target: Address) {
        if target.is_null() {
            return;
        }
        self.targets.push(target.0);
        if self.targets.len() == AT_ONCE {
            self.addresses.refer(&self.targets);
            self.targets.clear();
        }
    }

    /// First pass: takes a record in. `first` is what its reference 0 leads to.
    ///
    /// # Errors
    /// If the index would take more memory than is allowed.
    #[inline]
    pub fn enter(
        &mut self,
        located: Located<'_, '_>,
        resolved: Resolved,
        first: Option<Address>,
    ) -> Result<(), DecodeError> {
        let address = resolved.address;
        if !self.addresses.insert(address.0) {
            self.duplicates.insert(address.0, false);
        }
        if let Record::Class(r) = located.record {
            let entry = ClassEntry {
                superclass: Address(r.superclass),
                is_array: r.name.starts_with(b"["),
                offset: located.offset,
                index: located.index,
            };
            self.classes.entry(address).or_insert(entry);
        }
        if let Some(word) = resolved.class_word.filter(|_| !self.errors) {
            let arrays = u64::from(matches!(located.record, Record::ObjectArray(_)));
            self.words.add(word, arrays);
            if arrays > 0 {
                self.array((located.offset, located.index), first);
            }
        }
        let tables = (self.classes.len() + self.duplicates.len()) * IN_TABLE + self.words.held();
        self.allowance.covers(self.addresses.held() + tables as u64, located.offset, located.index)
    }

    fn array(&mut self, place: (u64, u64), first: Option<Address>) {
        self.arrays.first_at.get_or_insert(place);
        if self.arrays.looked_at < LOOKED_AT {
            self.arrays.looked_at += 1;
            if let Some(first) = first {
                *self.arrays.firsts.entry(first).or_default() += 1;
            }
        }
    }

    /// Between the passes: judges the class hierarchy.
    pub fn seal(&mut self, findings: &mut Findings) {
        self.addresses.refer(&mem::take(&mut self.targets));
        let leads_somewhere = self.addresses.settle();
        self.leads_nowhere = !leads_somewhere || !self.words.are_all(|word| self.classes.contains_key(&word));
        let above = |class| self.classes.get(&class).map(|entry| entry.superclass);
        let on_cycles = on_cycles(self.classes.keys().copied(), above);
        let mut cyclic = Vec::new();
        let mut by_index: Vec<(&Address, &ClassEntry)> = self.classes.iter().collect();
        by_index.sort_unstable_by_key(|(_, entry)| entry.index);
        for (address, entry) in by_index {
            let superclass = entry.superclass;
            if !superclass.is_null() && !self.classes.contains_key(&superclass) {
                let rule = super::GRAPH_SUPERCLASS;
                findings.add(rule, severity(rule), entry.offset, Some(entry.index), || {
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
            findings.add(rule, severity(rule), first.offset, Some(first.index), || {
                let found = match cyclic.len() {
                    1 => "a class that is its own superclass".to_owned(),
                    classes => format!("cycles of superclasses, with {classes} classes on them"),
                };
                ("a superclass chain that ends".to_owned(), found)
            });
        }
    }

    /// Whether only rules that are errors are judged.
    pub(super) fn judges_errors(&self) -> bool {
        self.errors
    }

    /// Whether an address has more than one record. Of what the second pass finds, nothing else is an error.
    pub(super) fn has_duplicates(&self) -> bool {
        !self.duplicates.is_empty()
    }

    /// Whether a reference or a class word may lead nowhere, since not all of them are known to lead somewhere.
    pub(super) fn leads_nowhere(&self) -> bool {
        self.leads_nowhere
    }

    /// Second pass: judges a record.
    ///
    /// # Errors
    /// If references that are not held cannot be read.
    #[inline]
    pub fn judge(&mut self, located: Located<'_, '_>, findings: &mut Findings) -> Result<(), DecodeError> {
        let record = located.record;
        let Resolved { address, class_word, .. } = self.resolver.resolve(record);
        if !self.duplicates.is_empty()
            && let Some(seen) = self.duplicates.get_mut(&address.0)
            && mem::replace(seen, true)
        {
            add(findings, super::GRAPH_DUPLICATE_ADDRESS, located, || {
                ("an address that no other record has".to_owned(), format!("{address} again"))
            });
        }
        if !self.leads_nowhere {
            return Ok(());
        }
        if let Some(class_word) = class_word.filter(|word| !self.classes.contains_key(word)) {
            add(findings, super::GRAPH_CLASS_WORD, located, || {
                ("a class word that names a class record".to_owned(), class_word.to_string())
            });
        }
        let Some(references) = record.references() else { return Ok(()) };
        let mut dangling = (0_u64, None);
        located.references(references, |units| {
            let target = self.resolver.offset(address, units);
            if !target.is_null() && !self.addresses.has(target.0) {
                dangling.0 += 1;
                dangling.1.get_or_insert(target);
            }
        })?;
        if let (count, Some(target)) = dangling {
            add(findings, super::GRAPH_DANGLING_REFERENCE, located, || {
                let all = located.count(references);
                let found = format!("{count} of {all} dangle, the first to {target}");
                ("references to records of this dump".to_owned(), found)
            });
        }
        Ok(())
    }

    /// At the end: what speaks for which convention of class words.
    pub fn signs(&self, findings: &mut Findings) {
        let Arrays { first_at: Some((offset, index)), looked_at, firsts } = &self.arrays else { return };
        let is_array_class = |class: Address| self.classes.get(&class).is_some_and(|class| class.is_array);
        let array_class_first: u64 =
            firsts.iter().filter(|(first, _)| is_array_class(**first)).map(|(_, count)| count).sum();
        let (total, array) = self.words.arrays(is_array_class);
        let plain = total - array;
        let rule = super::OBJECT_ARRAY_CLASS_WORD;
        findings.add(rule, severity(rule), *offset, Some(*index), || {
            let sign = if array_class_first * 2 > *looked_at && self.j9 {
                "which speaks for the base class with the array class as reference 0"
            } else if plain == 0 {
                "which speaks for the array class itself"
            } else {
                "which speaks for the component class"
            };
            let of_these = if *looked_at < total { format!("of the first {looked_at} ") } else { String::new() };
            let found = format!(
                "{total} arrays: {plain} class words name plain classes, {array} array classes, and {array_class_first} \
                 {of_these}arrays have an array class as reference 0, {sign}"
            );
            ("a convention of class words that the bytes do not tell".to_owned(), found)
        });
    }
}

fn add(findings: &mut Findings, rule: RuleId, located: Located<'_, '_>, describe: impl FnOnce() -> (String, String)) {
    findings.add(rule, severity(rule), located.offset, Some(located.index), describe);
}
