//! One wrong fact in a heap of a million objects is found, and named.

use std::collections::BTreeSet;

use heapsmith::compare::{ClassDifference, CompareOptions, Facet, NotComparedReason, compare_sources};
use heapsmith::convert::judge;
use heapsmith::error::Error;
use heapsmith::format::DumpTarget;
use heapsmith::model::{
    Address, ByteLen, Class, Contents, Facts, Field, FieldType, HashRegime, Heap, HeapSource, IdentityHash, Object,
    ObjectKind, PrimitiveType, Root, RootKind, Surroundings, Value, VisitObjects,
};

const OBJECTS: u64 = 1_000_000;

/// What is wrong, and with which object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    None,
    Reference,
    Null,
    Byte,
    HashBit,
    Root,
    Swapped,
    Renamed,
}

/// Objects that follow from their number: instances, arrays of references and of bytes in turn.
struct Computed {
    head: Heap,
    fault: Fault,
}

const NODE: Address = Address(0x10);
const ARRAY: Address = Address(0x20);
/// An instance, an array of references and an array of bytes in the middle.
const AT: u64 = 600_000;

fn address(number: u64) -> Address {
    Address(0x1000 + 16 * number)
}

/// A number that looks drawn: of the same number always the same.
fn scattered(number: u64) -> u64 {
    number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20
}

impl Computed {
    fn new(fault: Fault) -> Computed {
        let class = |address, name: &str, fields: Vec<Field>| Class {
            address,
            name: name.into(),
            superclass: Some(Address::NULL),
            loader: Some(Address::NULL),
            signers: Some(Address::NULL),
            protection_domain: Some(Address::NULL),
            instance_size: Some(ByteLen(16)),
            statics: Some(Vec::new()),
            constant_pool: Some(Vec::new()),
            fields: Some(fields),
            ..Class::default()
        };
        let field = |name: &str| Field { name: name.into(), kind: FieldType::Object };
        let node = if fault == Fault::Renamed { "pkg/Knot" } else { "pkg/Node" };
        let root = Root { object: address(AT), kind: RootKind::StickyClass, after: None };
        let roots = (0..1000).map(|number| Root { object: address(number * 7), ..root });
        let roots = roots.chain((fault != Fault::Root).then_some(root)).collect();
        let head = Heap {
            facts: Facts { hash_regime: Some(HashRegime::WhereUsed32), ..Facts::default() },
            classes: vec![
                class(NODE, node, vec![field("left"), field("right")]),
                class(ARRAY, "[Ljava/lang/Object;", Vec::new()),
            ],
            surroundings: Surroundings { roots: Some(roots), ..Surroundings::default() },
            ..Heap::default()
        };
        Computed { head, fault }
    }

    fn object(&self, number: u64) -> Object {
        let is = |fault, at| self.fault == fault && number == at;
        let target = |salt: u64| address(scattered(number + salt) % OBJECTS);
        let mut object = match number % 3 {
            0 => {
                let left = if is(Fault::Reference, AT) { address(3) } else { target(1) };
                let right = if is(Fault::Null, AT) { Address::NULL } else { target(2) };
                let contents = Contents::Fields([left, right].map(Value::reference).to_vec());
                Object { class: Some(NODE), contents, ..Object::new(address(number), ObjectKind::Instance) }
            }
            1 => {
                let mut elements: Vec<Address> = (0..4).map(target).collect();
                if is(Fault::Swapped, AT + 1) {
                    elements.swap(1, 2);
                }
                let contents = Contents::Elements(elements);
                let array = Object::new(address(number), ObjectKind::ObjectArray);
                Object { class: Some(ARRAY), length: Some(4), contents, ..array }
            }
            _ => {
                let mut bytes = number.to_be_bytes().to_vec();
                bytes[5] ^= u8::from(is(Fault::Byte, AT + 2));
                let array = Object::new(address(number), ObjectKind::PrimitiveArray(PrimitiveType::Byte));
                Object { length: Some(8), contents: Contents::Primitives(bytes), ..array }
            }
        };
        let hash = scattered(number) as u32 ^ u32::from(is(Fault::HashBit, AT)) << 9;
        object.hash = Some(IdentityHash::Bits32(hash));
        object
    }
}

impl HeapSource for Computed {
    fn facts(&self) -> &Facts {
        &self.head.facts
    }

    fn classes(&self) -> &[Class] {
        &self.head.classes
    }

    fn surroundings(&self) -> &Surroundings {
        &self.head.surroundings
    }

    fn visit_objects(&mut self, visit: &mut VisitObjects<'_>) -> Result<(), Error> {
        (0..OBJECTS).try_for_each(|number| visit(&self.object(number)))
    }
}

/// Each fault, the facet it belongs to, the address where it is, and the class it is filed under.
const FAULTS: [(Fault, Facet, Option<u64>, &str); 7] = [
    (Fault::Reference, Facet::FieldValues, Some(AT), "pkg/Node"),
    (Fault::Null, Facet::FieldValues, Some(AT), "pkg/Node"),
    (Fault::Byte, Facet::PrimitiveContents, Some(AT + 2), "[B"),
    (Fault::HashBit, Facet::Hash32, Some(AT), "pkg/Node"),
    (Fault::Root, Facet::Roots, Some(AT), ""),
    (Fault::Swapped, Facet::Elements, Some(AT + 1), "[Ljava/lang/Object;"),
    (Fault::Renamed, Facet::ClassName, None, "pkg/Node"),
];

/// Little memory, so that objects go through temporary files.
fn options() -> CompareOptions<'static> {
    CompareOptions::default().memory(16 << 20)
}

#[test]
fn compare_names_facet_class_and_address_of_one_fault_in_a_million() {
    let same = compare_sources(&mut Computed::new(Fault::None), &mut Computed::new(Fault::None), &options());
    assert!(same.expect("temporary files").equal);
    for (fault, facet, number, class) in FAULTS {
        let (mut right, mut wrong) = (Computed::new(Fault::None), Computed::new(fault));
        let found = compare_sources(&mut right, &mut wrong, &options()).expect("temporary files");
        let [difference] = found.differences.as_slice() else { panic!("{fault:?}: {:?}", found.differences) };
        let at = number.map_or(NODE, address).to_string();
        assert_eq!((difference.facet, difference.count), (facet, 1), "{fault:?}");
        assert_eq!(difference.address.as_ref(), Some(&at), "{fault:?}");
        let [ClassDifference { class: named, .. }] = difference.classes.as_slice() else { panic!("one class") };
        assert_eq!(named, class, "{fault:?}");
    }
}

#[test]
fn check_conversion_names_one_fault_in_a_million() {
    for (fault, facet, number, _) in FAULTS {
        // Only a PHD has hashes, and only HPROF has the rest.
        let target: DumpTarget = if fault == Fault::HashBit { "phd6" } else { "hprof" }.parse().expect("a target");
        let (mut source, mut result) = (Computed::new(Fault::None), Computed::new(fault));
        let verdict = judge(&mut source, &mut result, &target, 16 << 20).expect("temporary files");
        assert!(!verdict.faithful && verdict.missing.is_empty(), "{fault:?}");
        let facets: BTreeSet<Facet> = verdict.changed.iter().map(|d| d.facet).collect();
        assert_eq!(facets, BTreeSet::from([facet]), "{fault:?}");
        let at = number.map_or(NODE, address).to_string();
        assert_eq!(verdict.changed[0].address.as_ref(), Some(&at), "{fault:?}");
        assert!(verdict.lost.iter().all(|lost| lost.facet != facet));
        assert!(verdict.by_rule.iter().all(|changed| changed.facet != facet || !changed.rule.drops_fact()));
    }
}

#[test]
fn distinguishes_unrecorded_facts_from_differences() {
    let (mut told, mut silent) = (Computed::new(Fault::None), Computed::new(Fault::None));
    silent.head.classes[0].superclass = None;
    let found = compare_sources(&mut told, &mut silent, &options()).expect("temporary files");
    assert!(found.equal);
    let unknown: Vec<_> = found.not_compared.iter().map(|n| (n.facet, n.count, n.why)).collect();
    assert!(unknown.contains(&(Facet::Superclass, 1, NotComparedReason::UnknownRight)), "{unknown:?}");
}
