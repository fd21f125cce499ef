//! The rules that need the whole graph.
//!
//! Memory: the set of the addresses, mostly 2 bytes or less for each, and the classes.

use std::io::Read;

use foldhash::{HashMap, HashMapExt};

use crate::bytes::Allowance;
use crate::error::DecodeError;
use crate::findings::{DanglingRule, Findings, Followed, on_cycles};
use crate::model::long::Spool;
use crate::model::{Address, AddressSet, Entered, Lately};

use super::super::decode::{Decoder, Ended, Located, Shapes, Skimmed, Targets, Visitor};
use super::super::lift::{Resolved, Resolver};
use super::super::record::{ClassRecord, Record};
use super::super::wire::FileFlags;
use super::noted::{LATELY, Noted};
use super::{BOOK, severity};

/// An index of a dump's addresses, filled by a first pass and asked by a second one, if there is anything to be asked.
#[derive(Debug)]
pub struct GraphIndex {
    /// Whether nothing but errors is looked for.
    errors: bool,
    /// Until the first pass ends, or there is no room for it.
    noted: Option<Noted>,
    /// Whether the first pass knows of every reference that leads nowhere, and every class word names a class. `false` until that is known.
    is_told: bool,
    resolver: Resolver,
    addresses: AddressSet,
    classes: HashMap<Address, ClassEntry>,
    /// Whether addresses are those of classes.
    lately: Lately<bool, LATELY>,
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

/// The class words of object arrays: of some arrays, the class word and the first reference.
#[derive(Debug, Default)]
struct Arrays {
    first_at: Option<(u64, u64)>,
    total: u64,
    asked: Vec<(Address, Option<Address>)>,
}

impl Arrays {
    /// A writer has the same convention for all of them.
    const ASKED: usize = 1 << 12;

    fn enter(&mut self, located: Located<'_, '_>, resolved: &Resolved, resolver: &Resolver) -> Result<(), DecodeError> {
        let (Record::ObjectArray(array), Some(class_word)) = (located.record, resolved.class_word) else {
            return Ok(());
        };
        self.first_at.get_or_insert((located.offset, located.index));
        self.total += 1;
        if self.asked.len() < Arrays::ASKED {
            let first = located.first(&array.references)?;
            self.asked.push((class_word, first.map(|units| resolver.offset(resolved.address, units))));
        }
        Ok(())
    }
}

/// The part of the memory for an index that may be taken besides for what the first pass notes.
const NOTED: u64 = 8;

/// The allowance is looked at for one of this many objects.
const NEXT: u64 = 64;

/// Memory that a class or an address takes in a table that grows.
const IN_TABLE: usize = 2 * (size_of::<Address>() + size_of::<ClassEntry>());

impl GraphIndex {
    /// An empty index of the dump that is read. `errors` says whether nothing but errors is looked for.
    pub fn new<R: Read>(decoder: &Decoder<R>, errors: bool) -> GraphIndex {
        let allowance = decoder.allowance();
        GraphIndex {
            errors,
            noted: (!errors).then(|| Noted::new(decoder.declared(), allowance.allowed() / NOTED)),
            is_told: false,
            resolver: Resolver::new(decoder.layout()),
            addresses: AddressSet::default(),
            classes: HashMap::new(),
            lately: Lately::new(),
            duplicates: HashMap::new(),
            arrays: Arrays::default(),
            followed: Followed::new(DanglingRule::new(
                super::GRAPH_DANGLING_REFERENCE,
                &BOOK,
                "references to records of this dump",
            )),
            j9: decoder.header().flags.has(FileFlags::J9),
            allowance,
        }
    }

    /// First pass: takes a record in.
    ///
    /// # Errors
    /// If the index would take more memory than is allowed, or references that are not held cannot be read.
    #[inline]
    pub fn enter(
        &mut self,
        located: Located<'_, '_>,
        resolved: &Resolved,
        resolver: &Resolver,
    ) -> Result<(), DecodeError> {
        let address = resolved.address;
        if !self.errors && matches!(located.record, Record::ObjectArray(_)) {
            self.arrays.enter(located, resolved, resolver)?;
        }
        let entered = match &mut self.noted {
            None => Entered::NoRoom,
            Some(noted) => noted.enter(located, resolved, resolver)?,
        };
        let class = if let Record::Class(class) = located.record { Some(class) } else { None };
        self.take(entered, address, (located.offset, located.index), class)
    }

    /// The same for a record whose tag tells where its fields are, and none of whose references is null: with its offset and its index, its
    /// address, and where its references lead.
    ///
    /// # Errors
    /// If the index would take more memory than is allowed.
    #[inline(always)]
    pub(in super::super) fn skim(
        &mut self,
        record: &Skimmed<'_>,
        place: (u64, u64),
        address: Address,
        targets: &Targets,
    ) -> Result<(), DecodeError> {
        let noted = self.noted.as_mut();
        let entered = noted.map_or(Entered::NoRoom, |noted| noted.skim(record, place, address, targets));
        self.take(entered, address, place, None)
    }

    /// The same for a record that leads nowhere.
    ///
    /// # Errors
    /// If the index would take more memory than is allowed.
    #[inline(always)]
    pub(in super::super) fn enter_leaf(&mut self, place: (u64, u64), address: Address) -> Result<(), DecodeError> {
        let noted = self.noted.as_mut();
        let entered = noted.map_or(Entered::NoRoom, |noted| noted.enter_leaf(address));
        self.take(entered, address, place, None)
    }

    /// Takes in the address of a record, if there was no room to note it, and what else is kept of it.
    #[inline(always)]
    fn take(
        &mut self,
        entered: Entered,
        address: Address,
        place: (u64, u64),
        class: Option<&ClassRecord<'_>>,
    ) -> Result<(), DecodeError> {
        let is_new = match entered {
            Entered::New => true,
            Entered::Again => false,
            Entered::NoRoom => {
                self.hand_over();
                self.addresses.insert(address.0)
            }
        };
        // What a few objects take in the set is little.
        let is_little = entered == Entered::New || !place.1.is_multiple_of(NEXT);
        if is_new && is_little && class.is_none() { Ok(()) } else { self.keep(is_new, address, place, class) }
    }

    /// Keeps what there is to keep of few records.
    fn keep(
        &mut self,
        is_new: bool,
        address: Address,
        (offset, index): (u64, u64),
        class: Option<&ClassRecord<'_>>,
    ) -> Result<(), DecodeError> {
        if !is_new {
            self.duplicates.insert(address.0, false);
        }
        if let Some(r) = class {
            let (superclass, is_array) = (Address(r.superclass), r.name.starts_with(b"["));
            let entry = ClassEntry { superclass, is_array, offset, index };
            self.classes.entry(address).or_insert(entry);
        }
        let tables = (self.classes.len() + self.duplicates.len()) * IN_TABLE;
        self.allowance.covers(self.addresses.held() + tables as u64, offset, index)
    }

    /// Puts the addresses so far, of which no more is noted, into the set.
    #[inline]
    fn hand_over(&mut self) {
        if let Some(noted) = self.noted.take() {
            self.addresses = noted.into_addresses();
        }
    }

    /// Between the passes: judges the class hierarchy.
    pub fn seal(&mut self, findings: &mut Findings) {
        if let Some(noted) = &mut self.noted {
            noted.end();
            let is_told = noted.is_told(|word| self.classes.contains_key(word));
            // The second pass tells of an address with more than one record, and then of what dangles as well.
            if is_told && self.duplicates.is_empty() {
                noted.dangling(|record| self.followed.rule().report(record, findings));
            }
            self.is_told = is_told;
        }
        if self.is_open() {
            self.hand_over();
            self.addresses.seal();
        }
        let above = |class| self.classes.get(&class).map(|entry| entry.superclass);
        let on_cycles = on_cycles(self.classes.keys().copied(), above);
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
        !(self.errors || self.is_told) || !self.duplicates.is_empty()
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
    ) -> Result<Ended, DecodeError> {
        let shapes = Shapes::new(decoder.layout());
        decoder.visit_by(Some(spool), &mut Second { index: self, shapes, findings })
    }

    /// Second pass: judges the address and the class word of a record at this offset, with this index.
    #[inline(always)]
    fn judge(
        &mut self,
        (offset, index): (u64, u64),
        address: Address,
        class_word: Option<Address>,
        findings: &mut Findings,
    ) {
        if !self.duplicates.is_empty()
            && let Some(seen) = self.duplicates.get_mut(&address.0)
            && std::mem::replace(seen, true)
        {
            findings.add(super::GRAPH_DUPLICATE_ADDRESS, severity, offset, Some(index), || {
                ("an address that no other record has".to_owned(), format!("{address} again"))
            });
        }
        if let Some(class_word) = class_word
            && !self.lately.of(class_word, || self.classes.contains_key(&class_word))
        {
            findings.add(super::GRAPH_CLASS_WORD, severity, offset, Some(index), || {
                ("a class word that names a class record".to_owned(), class_word.to_string())
            });
        }
        self.followed.pass(address, &self.addresses);
    }

    /// The second pass ends.
    pub fn end(&mut self, findings: &mut Findings) {
        self.followed.end(&self.addresses, findings);
    }

    /// Reports the signs for each convention of class words, after all records.
    pub fn signs(&self, findings: &mut Findings) {
        let Arrays { first_at: Some((offset, index)), total, asked } = &self.arrays else { return };
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

/// The second pass over the records of a dump.
struct Second<'a> {
    index: &'a mut GraphIndex,
    shapes: Shapes,
    findings: &'a mut Findings,
}

impl Visitor<DecodeError> for Second<'_> {
    #[inline]
    fn visit(&mut self, located: Located<'_, '_>) -> Result<(), DecodeError> {
        let Second { index, findings, .. } = self;
        let record = located.record;
        let Resolved { address, class_word, .. } = index.resolver.resolve(record);
        let place = (located.offset, located.index);
        index.judge(place, address, class_word, findings);
        let Some(references) = record.references() else { return Ok(()) };
        let count = located.count(references);
        if count == 0 {
            return Ok(());
        }
        let GraphIndex { followed, resolver, addresses, .. } = index;
        followed.begin(place, addresses, findings);
        match located.long.map_or_else(|| followed.room(count, addresses, findings), |_| None) {
            Some(room) => references.map_into(room, |units| resolver.offset(address, units).0),
            None => located.references(references, |units| {
                followed.follow(resolver.offset(address, units), addresses, findings)
            })?,
        }
        Ok(())
    }

    #[inline(always)]
    fn skim(&mut self, index: u64, offset: u64, rest: &[u8]) -> Result<Option<usize>, DecodeError> {
        let Some(record) = self.shapes.skim(rest) else { return Ok(None) };
        let Second { index: graph, findings, .. } = self;
        let Resolved { address, class_word, .. } = graph.resolver.skim(&record);
        graph.judge((offset, index), address, class_word, findings);
        let GraphIndex { followed, resolver, addresses, .. } = graph;
        if record.count() > 0 {
            followed.begin((offset, index), addresses, findings);
            if let Some(room) = followed.room(Targets::MOST as u64, addresses, findings) {
                resolver.targets(&record, address).put(room);
            }
        }
        Ok(Some(record.length()))
    }
}
