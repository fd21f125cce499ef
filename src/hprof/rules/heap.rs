//! What holds for one heap: its classes and the addresses of what it has.

use std::collections::{HashMap, HashSet};

use crate::error::RuleId;
use crate::model::{Address, FieldType};
use crate::validate::{Findings, on_cycles};

use super::super::lift::Layouts;
use super::super::sub_record::ClassDump;
use super::super::wire::IdSize;
use super::Place;

/// The classes and addresses of a heap.
#[derive(Debug)]
pub(super) struct HeapGraph {
    /// Addresses of classes and objects; sorted, each once, after [`HeapGraph::seal`].
    addresses: Vec<u64>,
    /// The classes with their superclasses and own fields, until they are laid out.
    classes: Vec<(Address, Address, Box<[FieldType]>)>,
    pub(super) layouts: Layouts,
    /// Addresses of more than one class or object, and what of them the second pass has met.
    duplicates: HashMap<u64, Seen>,
    on_cycles: HashSet<Address>,
    /// Whether the cycles were reported.
    cycles_told: bool,
}

#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    class: bool,
    object: bool,
}

impl HeapGraph {
    pub(super) fn new(id: IdSize) -> HeapGraph {
        HeapGraph {
            addresses: Vec::new(),
            classes: Vec::new(),
            layouts: Layouts::new(id, std::iter::empty()),
            duplicates: HashMap::new(),
            on_cycles: HashSet::new(),
            cycles_told: false,
        }
    }

    /// First pass: takes a class or object in.
    #[inline]
    pub(super) fn enter(&mut self, address: Address) {
        self.addresses.push(address.0);
    }

    /// First pass: takes a class's superclass and fields in.
    pub(super) fn enter_class(&mut self, class: &ClassDump) {
        let own = class.fields.iter().map(|(_, kind)| *kind).collect();
        self.classes.push((class.id, class.superclass, own));
    }

    /// Between the passes: sorts the addresses and lays the classes out.
    pub(super) fn seal(&mut self, id: IdSize) {
        self.addresses.sort_unstable();
        for pair in self.addresses.windows(2) {
            if pair[0] == pair[1] {
                self.duplicates.insert(pair[0], Seen::default());
            }
        }
        self.addresses.dedup();
        let classes = std::mem::take(&mut self.classes);
        let supers: HashMap<Address, Address> = classes.iter().map(|(class, of, _)| (*class, *of)).collect();
        let above = |class| supers.get(&class).copied().filter(|superclass| !superclass.is_null());
        self.on_cycles = on_cycles(supers.keys().copied(), above);
        self.layouts = Layouts::new(id, classes.into_iter());
    }

    /// Second pass: whether something of the heap is at this address.
    #[inline]
    pub(super) fn has(&self, address: u64) -> bool {
        self.addresses.binary_search(&address).is_ok()
    }

    /// Second pass: judges the address of a class or object.
    #[inline]
    pub(super) fn address(&mut self, place: Place, address: Address, is_class: bool, findings: &mut Findings) {
        if self.duplicates.is_empty() {
            return;
        }
        let Some(seen) = self.duplicates.get_mut(&address.0) else { return };
        let rule: Option<RuleId> = match (is_class, *seen) {
            (_, Seen { class: false, object: false }) => None,
            (true, Seen { class: true, .. }) => Some(super::CLASS_DUPLICATE),
            _ => Some(super::OBJECT_DUPLICATE),
        };
        *if is_class { &mut seen.class } else { &mut seen.object } = true;
        if let Some(rule) = rule {
            place.finding(findings, rule, || {
                ("an identifier that nothing else in its heap has".to_owned(), format!("{address} again"))
            });
        }
    }

    /// Second pass: judges a class's place in the hierarchy.
    pub(super) fn class(&mut self, place: Place, class: &ClassDump, findings: &mut Findings) {
        if !class.superclass.is_null() && !self.layouts.knows(class.superclass) {
            place.finding(findings, super::CLASS_SUPERCLASS, || {
                let expected = "a superclass of 0 or one with a CLASS DUMP in the heap";
                (expected.to_owned(), class.superclass.to_string())
            });
        }
        if self.on_cycles.contains(&class.id) && !std::mem::replace(&mut self.cycles_told, true) {
            let classes = self.on_cycles.len();
            place.finding(findings, super::CLASS_SUPERCLASS_CYCLE, || {
                let found = match classes {
                    1 => "a class that is its own superclass".to_owned(),
                    _ => format!("cycles of superclasses, with {classes} classes on them"),
                };
                ("a superclass chain that ends".to_owned(), found)
            });
        }
        match self.layouts.bytes_of(class.id) {
            Some(bytes) if bytes != u64::from(class.instance_size) => {
                place.finding(findings, super::CLASS_INSTANCE_SIZE, || {
                    let expected = format!("{bytes}, the field bytes of the class and its superclasses");
                    (expected, class.instance_size.to_string())
                });
            }
            _ => {}
        }
    }
}
