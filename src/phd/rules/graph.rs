//! The rules that need the whole graph.
//!
//! Memory: the set of the addresses, mostly 2 bytes or less for each, and the classes.

use foldhash::{HashMap, HashMapExt};

use crate::bytes::Allowance;
use crate::error::{DecodeError, RuleId};
use crate::findings::{Findings, Followed, on_cycles};
use crate::model::{Address, AddressSet};

use super::super::decode::Located;
use super::super::lift::{Resolved, Resolver};
use super::super::record::Record;
use super::super::wire::Layout;
use super::{BOOK, severity};

/// An index of a dump's addresses, filled by a first pass and asked by a second one.
#[derive(Debug)]
pub struct GraphIndex {
    resolver: Resolver,
    addresses: AddressSet,
    classes: HashMap<Address, ClassEntry>,
    lately: Lately,
    /// Addresses with more than one record, and whether the first was seen in the second pass.
    duplicates: HashMap<u64, bool>,
    arrays: Arrays,
    followed: Followed,
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

/// What addresses that were asked for lately are: most objects are of few classes. `None` for what is no class, and whether it is one
/// of arrays.
#[derive(Debug)]
struct Lately([(Address, Option<bool>); Lately::SLOTS]);

impl Lately {
    const SLOTS: usize = 128;

    /// The same, where nothing was asked for yet.
    fn new(null: Option<bool>) -> Lately {
        Lately([(Address::NULL, null); Lately::SLOTS])
    }

    #[inline]
    fn is_array(&mut self, class: Address, classes: &HashMap<Address, ClassEntry>) -> Option<bool> {
        let slot = &mut self.0[(class.0 >> 3 ^ class.0 >> 10) as usize % Lately::SLOTS];
        if slot.0 != class {
            *slot = (class, classes.get(&class).map(|entry| entry.is_array));
        }
        slot.1
    }
}

/// What the class words of object arrays name.
#[derive(Debug, Default)]
struct Arrays {
    plain: u64,
    array: u64,
    /// Arrays whose reference 0 is the class of an array.
    array_class_first: u64,
    first_at: Option<(u64, u64)>,
}

/// What a class or an address takes in a table that grows.
const IN_TABLE: usize = 2 * (size_of::<Address>() + size_of::<ClassEntry>());

impl GraphIndex {
    /// An empty index, which may take that much memory. `j9` is the file's J9 flag.
    pub fn new(layout: Layout, j9: bool, allowance: Allowance) -> GraphIndex {
        GraphIndex {
            resolver: Resolver::new(layout),
            addresses: AddressSet::default(),
            classes: HashMap::new(),
            lately: Lately::new(None),
            duplicates: HashMap::new(),
            arrays: Arrays::default(),
            followed: Followed::new(super::GRAPH_DANGLING_REFERENCE, &BOOK, "references to records of this dump"),
            j9,
            allowance,
        }
    }

    /// First pass: takes a record in.
    ///
    /// # Errors
    /// If the index would take more memory than is allowed.
    #[inline]
    pub fn enter(&mut self, located: Located<'_, '_>, address: Address) -> Result<(), DecodeError> {
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
        let tables = (self.classes.len() + self.duplicates.len()) * IN_TABLE;
        self.allowance.covers(self.addresses.held() + tables as u64, located.offset, located.index)
    }

    /// Between the passes: judges the class hierarchy.
    pub fn seal(&mut self, findings: &mut Findings) {
        self.addresses.seal();
        self.lately = Lately::new(self.classes.get(&Address::NULL).map(|entry| entry.is_array));
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

    /// Whether an address has more than one record. Of what the second pass finds, nothing else is an error.
    pub(super) fn has_duplicates(&self) -> bool {
        !self.duplicates.is_empty()
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
            && std::mem::replace(seen, true)
        {
            add(findings, super::GRAPH_DUPLICATE_ADDRESS, located, || {
                ("an address that no other record has".to_owned(), format!("{address} again"))
            });
        }
        if let Some(class_word) = class_word {
            let is_array = self.lately.is_array(class_word, &self.classes);
            if is_array.is_none() {
                add(findings, super::GRAPH_CLASS_WORD, located, || {
                    ("a class word that names a class record".to_owned(), class_word.to_string())
                });
            }
            if let Record::ObjectArray(_) = record {
                match is_array {
                    Some(true) => self.arrays.array += 1,
                    _ => self.arrays.plain += 1,
                }
                self.arrays.first_at.get_or_insert((located.offset, located.index));
            }
        }
        let Some(references) = record.references() else { return Ok(()) };
        let count = located.count(references);
        if count == 0 {
            return Ok(());
        }
        let GraphIndex { followed, resolver, addresses, .. } = self;
        followed.begin((located.offset, located.index), addresses, findings);
        let mut first = None;
        match located.long.map_or_else(|| followed.room(count, addresses, findings), |_| None) {
            Some(room) => {
                let from = room.len();
                references.map_into(room, |units| resolver.offset(address, units).0);
                first = room.get(from).copied().map(Address);
            }
            None => located.references(references, |units| {
                let target = resolver.offset(address, units);
                first.get_or_insert(target);
                if !target.is_null() {
                    followed.follow(target, addresses, findings);
                }
            })?,
        }
        followed.count(count);
        let is_array_class = |a: Address| self.classes.get(&a).is_some_and(|class| class.is_array);
        if matches!(record, Record::ObjectArray(_)) && first.is_some_and(is_array_class) {
            self.arrays.array_class_first += 1;
        }
        Ok(())
    }

    /// The second pass ends.
    pub fn end(&mut self, findings: &mut Findings) {
        self.followed.end(&self.addresses, findings);
    }

    /// After the second pass: what speaks for which convention of class words.
    pub fn signs(&self, findings: &mut Findings) {
        let Some((offset, index)) = self.arrays.first_at else { return };
        let Arrays { plain, array, array_class_first, .. } = &self.arrays;
        let rule = super::OBJECT_ARRAY_CLASS_WORD;
        findings.add(rule, severity(rule), offset, Some(index), || {
            let total = plain + array;
            let sign = if *array_class_first * 2 > total && self.j9 {
                "which speaks for the base class with the array class as reference 0"
            } else if *plain == 0 {
                "which speaks for the array class itself"
            } else {
                "which speaks for the component class"
            };
            let found = format!(
                "{total} arrays: {plain} class words name plain classes, {array} array classes, and {array_class_first} \
                 arrays have an array class as reference 0, {sign}"
            );
            ("a convention of class words that the bytes do not tell".to_owned(), found)
        });
    }
}

fn add(findings: &mut Findings, rule: RuleId, located: Located<'_, '_>, describe: impl FnOnce() -> (String, String)) {
    findings.add(rule, severity(rule), located.offset, Some(located.index), describe);
}
