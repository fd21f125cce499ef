//! The rules of one heap: its classes and the addresses of its objects.

use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};

use crate::error::RuleId;
use crate::findings::{Findings, Severity, classes_on_cycles};
use crate::hprof::lift::InstanceLayouts;
use crate::hprof::sub_record::ClassDump;
use crate::hprof::wire::IdSize;
use crate::model::{Address, AddressSet, FieldType};

use super::{FindingPlace, severity};

/// One heap of a file. A file may have as many as it has dump records, so an empty one takes little.
#[derive(Debug, Default)]
pub(super) struct HeapGraph {
    /// The facts of the heap, if there are any.
    known: Option<Box<HeapFacts>>,
}

#[derive(Debug)]
struct HeapFacts {
    /// Identifiers of the classes and objects.
    addresses: AddressSet,
    /// The classes, until all are laid out.
    classes: Vec<ClassFacts>,
    /// The layouts of instances; in the first pass `None`, or by the classes before the first instance.
    layouts: Option<InstanceLayouts>,
    /// Whether the second pass could find an error in instances or classes.
    doubtful: bool,
    /// Addresses of more than one class or object, and what of them the second pass has met.
    duplicates: HashMap<u64, SeenKinds>,
    on_cycles: HashSet<Address>,
    /// Whether the cycles were reported.
    cycles_told: bool,
    /// About how many bytes the classes take, once they are laid out.
    of_classes: u64,
}

/// The facts of a class that are kept for its heap.
#[derive(Debug)]
struct ClassFacts {
    id: Address,
    superclass: Address,
    own: Box<[FieldType]>,
    instance_size: u32,
}

/// Faults in a class's place in the hierarchy.
struct ClassFaults {
    superclass: bool,
    cycle: bool,
    /// The field bytes of an instance, where they are not those that it says.
    bytes: Option<u64>,
}

/// Memory that a class takes, and an address in a table that grows.
const OF_CLASS: usize = 256;
const IN_TABLE: u64 = 40;

#[derive(Clone, Copy, Debug, Default)]
struct SeenKinds {
    class: bool,
    object: bool,
}

impl HeapFacts {
    fn new() -> Box<HeapFacts> {
        Box::new(HeapFacts {
            addresses: AddressSet::default(),
            classes: Vec::new(),
            layouts: None,
            doubtful: false,
            duplicates: HashMap::new(),
            on_cycles: HashSet::new(),
            cycles_told: false,
            of_classes: 0,
        })
    }

    fn build_layouts(&self, id: IdSize) -> InstanceLayouts {
        InstanceLayouts::new(id, self.classes.iter().map(|class| (class.id, class.superclass, class.own.clone())))
    }

    fn faults(&self, class: Address, superclass: Address, instance_size: u32) -> ClassFaults {
        let bytes = self.layouts.as_ref().and_then(|layouts| layouts.instance_bytes(class));
        ClassFaults {
            superclass: !superclass.is_null()
                && !self.layouts.as_ref().is_some_and(|layouts| layouts.knows(superclass)),
            cycle: self.on_cycles.contains(&class),
            bytes: bytes.filter(|bytes| *bytes != u64::from(instance_size)),
        }
    }
}

impl ClassFaults {
    /// Whether one of them is an error.
    fn has_error(&self) -> bool {
        let rules = [
            (self.superclass, super::CLASS_SUPERCLASS),
            (self.cycle, super::CLASS_SUPERCLASS_CYCLE),
            (self.bytes.is_some(), super::CLASS_INSTANCE_SIZE),
        ];
        rules.into_iter().any(|(is_broken, rule)| is_broken && severity(rule) == Severity::Error)
    }
}

impl HeapGraph {
    /// First pass: takes the address of a class or object in.
    #[inline]
    pub(super) fn insert_address(&mut self, address: Address) {
        let known = self.known.get_or_insert_with(HeapFacts::new);
        if !known.addresses.insert(address.0) {
            known.duplicates.insert(address.0, SeenKinds::default());
        }
    }

    /// First pass: takes a class's superclass and fields in.
    pub(super) fn insert_class(&mut self, class: &ClassDump) {
        let own = class.fields.iter().map(|(_, kind)| *kind).collect();
        let known = self.known.get_or_insert_with(HeapFacts::new);
        let ClassDump { id, superclass, instance_size, .. } = *class;
        known.classes.push(ClassFacts { id, superclass, own, instance_size });
        known.of_classes += (OF_CLASS + 2 * class.fields.len() * size_of::<FieldType>()) as u64;
        // Instances before it were held against the classes before them.
        known.doubtful |= known.layouts.is_some();
    }

    /// First pass, where only errors are looked for: holds an instance against the classes so far. Mostly all classes come
    /// first, and where everything agrees, the second pass has nothing to find.
    #[inline]
    pub(super) fn check_instance(&mut self, class: Address, length: u32, id: IdSize) {
        let known = self.known.get_or_insert_with(HeapFacts::new);
        if known.doubtful {
            return;
        }
        if known.layouts.is_none() {
            known.layouts = Some(known.build_layouts(id));
        }
        let bytes = known.layouts.as_ref().and_then(|layouts| layouts.instance_bytes(class));
        known.doubtful = bytes.is_some_and(|bytes| bytes != u64::from(length));
    }

    /// About how many bytes it takes.
    #[inline]
    pub(super) fn held(&self) -> u64 {
        let known = self.known.as_ref().map_or(0, |known| {
            let duplicates = known.duplicates.len() as u64 * IN_TABLE;
            size_of::<HeapFacts>() as u64 + known.addresses.held() + known.of_classes + duplicates
        });
        size_of::<HeapGraph>() as u64 + known
    }

    /// Between the passes: lays the classes out.
    pub(super) fn seal(&mut self, id: IdSize) {
        let Some(known) = &mut self.known else { return };
        let supers: HashMap<Address, Address> =
            known.classes.iter().map(|class| (class.id, class.superclass)).collect();
        let above = |class| supers.get(&class).copied().filter(|superclass| !superclass.is_null());
        known.on_cycles = classes_on_cycles(supers.keys().copied(), above);
        if known.doubtful || known.layouts.is_none() {
            known.layouts = Some(known.build_layouts(id));
        }
        let classes = std::mem::take(&mut known.classes);
        known.doubtful |=
            classes.iter().any(|class| known.faults(class.id, class.superclass, class.instance_size).has_error());
    }

    /// Whether the second pass could find an error, where the first one had all instances.
    pub(super) fn may_err(&self) -> bool {
        self.known.as_ref().is_some_and(|known| known.doubtful || !known.duplicates.is_empty())
    }

    /// Second pass: the addresses of the heap, if it has any.
    #[inline]
    pub(super) fn addresses(&self) -> Option<&AddressSet> {
        self.known.as_deref().map(|known| &known.addresses)
    }

    /// Second pass: how instances are laid out, if the heap has classes.
    #[inline]
    pub(super) fn layouts(&self) -> Option<&InstanceLayouts> {
        self.known.as_deref()?.layouts.as_ref()
    }

    /// Second pass: judges the address of a class or object.
    #[inline]
    pub(super) fn judge_address(
        &mut self,
        place: FindingPlace,
        address: Address,
        is_class: bool,
        findings: &mut Findings,
    ) {
        let Some(known) = self.known.as_mut().filter(|known| !known.duplicates.is_empty()) else { return };
        let Some(seen) = known.duplicates.get_mut(&address.0) else { return };
        let rule: Option<RuleId> = match (is_class, *seen) {
            (_, SeenKinds { class: false, object: false }) => None,
            (true, SeenKinds { class: true, .. }) => Some(super::CLASS_DUPLICATE),
            _ => Some(super::OBJECT_DUPLICATE),
        };
        *if is_class { &mut seen.class } else { &mut seen.object } = true;
        if let Some(rule) = rule {
            place.report(findings, rule, || {
                ("an identifier that nothing else in its heap has".to_owned(), format!("{address} again"))
            });
        }
    }

    /// Second pass: judges a class's place in the hierarchy.
    pub(super) fn judge_class(&mut self, place: FindingPlace, class: &ClassDump, findings: &mut Findings) {
        let Some(known) = &mut self.known else { return };
        let faults = known.faults(class.id, class.superclass, class.instance_size);
        if faults.superclass {
            place.report(findings, super::CLASS_SUPERCLASS, || {
                let expected = "a superclass of 0 or one with a CLASS DUMP in the heap";
                (expected.to_owned(), class.superclass.to_string())
            });
        }
        if faults.cycle && !std::mem::replace(&mut known.cycles_told, true) {
            let classes = known.on_cycles.len();
            place.report(findings, super::CLASS_SUPERCLASS_CYCLE, || {
                let found = match classes {
                    1 => "a class that is its own superclass".to_owned(),
                    _ => format!("cycles of superclasses, with {classes} classes on them"),
                };
                ("a superclass chain that ends".to_owned(), found)
            });
        }
        if let Some(bytes) = faults.bytes {
            place.report(findings, super::CLASS_INSTANCE_SIZE, || {
                let expected = format!("{bytes}, the field bytes of the class and its superclasses");
                (expected, class.instance_size.to_string())
            });
        }
    }
}
