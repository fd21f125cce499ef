//! The answers against the bare definitions: the entries that are unreachable once something is removed.

use std::collections::{BTreeMap, BTreeSet};

use super::output::{EntryReachability, Retained};
use super::{Analysis, EdgeOptions, EntryGraph, answers};
use crate::compare::listing::{Hex, Text};
use crate::draw::{Draw, DrawStream, SeedDraw};
use crate::generate::{GenerateOptions, from_seed};
use crate::model::{
    Address, ByteLen, Class, Contents, Facts, Field, FieldType, Heap, Name, Object, ObjectKind, PrimitiveType, Root,
    RootKind, Static, Surroundings, Value,
};

/// A heap as lists of neighbours, with no code in common with the code under test.
struct NeighbourLists {
    addresses: Vec<u64>,
    to: Vec<Vec<usize>>,
    roots: Vec<(RootKind, usize)>,
    names: Vec<Option<Name>>,
    sizes: Vec<u64>,
    dangling: u64,
}

impl NeighbourLists {
    fn from_heap(heap: &Heap) -> NeighbourLists {
        let classes = heap.classes.iter().map(|class| class.address.0);
        let addresses: Vec<u64> = classes.chain(heap.objects.iter().map(|object| object.address.0)).collect();
        let mut number: BTreeMap<u64, usize> = BTreeMap::new();
        for (at, address) in addresses.iter().enumerate() {
            assert!(number.insert(*address, at).is_none(), "an address for each");
        }
        let mut to: Vec<Vec<usize>> = Vec::new();
        let mut names = Vec::new();
        let mut sizes = Vec::new();
        let mut dangling = 0;
        let mut follow = |addresses: &mut dyn Iterator<Item = Address>| -> Vec<usize> {
            let found = addresses.filter(|address| !address.is_null()).map(|address| number.get(&address.0).copied());
            let found: Vec<Option<usize>> = found.collect();
            dangling += found.iter().filter(|entry| entry.is_none()).count() as u64;
            found.into_iter().flatten().collect()
        };
        for class in &heap.classes {
            let mut named = vec![class.superclass, class.loader, class.signers, class.protection_domain];
            named.extend(class.statics.iter().flatten().map(|field| field.value.as_reference()));
            named.extend(class.constant_pool.iter().flatten().map(|entry| entry.value.as_reference()));
            named.extend(class.references.iter().flatten().copied().map(Some));
            named.extend(class.interfaces.iter().flatten().copied().map(Some));
            to.push(follow(&mut named.into_iter().flatten()));
            names.push(None);
            sizes.push(class.class_object_size.map_or(0, |size| size.0));
        }
        for object in &heap.objects {
            to.push(follow(&mut object.references().chain(object.class)));
            let class = heap.classes.iter().find(|class| Some(class.address) == object.class);
            names.push(match object.kind {
                ObjectKind::PrimitiveArray(kind) => Some(Name::from_text(&format!("{}[]", kind.keyword()))),
                _ => class.map(|class| class.name.to_java_form()),
            });
            let of_class =
                || class.and_then(|class| class.instance_size).filter(|_| object.kind == ObjectKind::Instance);
            sizes.push(object.size.or_else(of_class).map_or(0, |size| size.0));
        }
        let roots = heap.surroundings.roots.iter().flatten();
        let roots = roots.filter_map(|root| Some((root.kind, *number.get(&root.object.0)?))).collect();
        NeighbourLists { addresses, to, roots, names, sizes, dangling }
    }

    /// The entries that can be reached from some without passing those that are left out.
    fn reach(&self, from: impl Iterator<Item = usize>, left_out: &dyn Fn(usize) -> bool) -> Vec<bool> {
        let mut reached = vec![false; self.to.len()];
        let mut open: Vec<usize> = from.collect();
        while let Some(entry) = open.pop() {
            if !left_out(entry) && !std::mem::replace(&mut reached[entry], true) {
                open.extend(&self.to[entry]);
            }
        }
        reached
    }

    fn reached(&self, left_out: &dyn Fn(usize) -> bool) -> Vec<bool> {
        let holds = |(kind, _): &&(RootKind, usize)| *kind != RootKind::Unreachable;
        self.reach(self.roots.iter().filter(holds).map(|(_, entry)| *entry), left_out)
    }

    /// The entries and bytes that were reached before and not after.
    fn lost(&self, before: &[bool], after: &[bool]) -> Retained {
        let lost = (0..before.len()).filter(|entry| before[*entry] && !after[*entry]);
        lost.fold(Retained::default(), |sum, entry| Retained {
            entries: sum.entries + 1,
            bytes: sum.bytes + self.sizes[entry],
        })
    }

    /// The answers about each entry by the definitions.
    fn expected(&self) -> Vec<EntryReachability> {
        let all = self.reached(&|_| false);
        let without: Vec<Vec<bool>> = (0..all.len())
            .map(|entry| if all[entry] { self.reached(&|other| other == entry) } else { all.clone() })
            .collect();
        let retained: Vec<Retained> = without.iter().map(|after| self.lost(&all, after)).collect();
        let distances = self.distances();
        (0..all.len())
            .map(|entry| {
                // Of those without which it is not reachable, that which retains least is the nearest.
                let above = (0..all.len()).filter(|above| *above != entry && all[entry] && !without[*above][entry]);
                let dominator = above.min_by_key(|above| retained[*above].entries);
                EntryReachability {
                    reachable: all[entry],
                    distance: distances[entry],
                    dominator: dominator.map(|above| Hex(self.addresses[above])),
                    retained: all[entry].then_some(retained[entry]),
                }
            })
            .collect()
    }

    fn distances(&self) -> Vec<Option<u32>> {
        let mut distances = vec![None; self.to.len()];
        let holds = |(kind, _): &&(RootKind, usize)| *kind != RootKind::Unreachable;
        let mut ring: BTreeSet<usize> = self.roots.iter().filter(holds).map(|(_, entry)| *entry).collect();
        for distance in 0.. {
            ring.iter().for_each(|entry| distances[*entry] = Some(distance));
            let next = ring.iter().flat_map(|entry| &self.to[*entry]).copied();
            ring = next.filter(|entry| distances[*entry].is_none()).collect();
            if ring.is_empty() {
                break;
            }
        }
        distances
    }
}

/// Checks all answers about one heap.
fn check(heap: &Heap, what: &str) {
    let plain = NeighbourLists::from_heap(heap);
    let analysis = Analysis::new(EntryGraph::from_source(&mut &*heap, EdgeOptions::default()).expect("a graph"));
    let summary = answers(&mut &*heap, &analysis).expect("answers");
    let references = plain.to.iter().map(Vec::len).sum::<usize>() as u64;
    assert_eq!((summary.references.references, summary.references.dangling), (references, plain.dangling), "{what}");

    let right = plain.expected();
    let mut told = Vec::new();
    let mut components = BTreeMap::new();
    analysis
        .visit_entries(|entry| {
            assert_eq!(entry.address.0, plain.addresses[told.len()], "{what}");
            assert_eq!(entry.bytes.unwrap_or(0), plain.sizes[told.len()], "{what}: {:#x}", entry.address.0);
            components.insert(told.len(), entry.component.map_or(entry.address.0, |address| address.0));
            told.push(entry.reached.expect("roots are recorded"));
            Ok::<(), ()>(())
        })
        .expect("no error");
    for (entry, (told, right)) in told.iter().zip(&right).enumerate() {
        assert_eq!(told, right, "{what}: {:#x}", plain.addresses[entry]);
    }

    // Two entries are in one component if each reaches the other.
    let leads: Vec<Vec<bool>> = (0..plain.to.len()).map(|entry| plain.reach([entry].into_iter(), &|_| false)).collect();
    for (entry, leads_to) in leads.iter().enumerate() {
        let together = (0..leads.len()).filter(|other| leads_to[*other] && leads[*other][entry]);
        let lowest = together.map(|other| plain.addresses[other]).min();
        assert_eq!(Some(components[&entry]), lowest, "{what}: {:#x}", plain.addresses[entry]);
    }
    let distinct: BTreeSet<u64> = components.values().copied().collect();
    assert_eq!(summary.components.components, distinct.len() as u64, "{what}");

    // From each kind of root.
    for row in summary.roots.as_ref().expect("roots are recorded") {
        let of_kind = plain.roots.iter().filter(|(kind, _)| kind.form().name == row.kind);
        let kept: BTreeSet<usize> = of_kind.clone().map(|(_, entry)| *entry).collect();
        assert_eq!(row.entries, kept.len() as u64, "{what}: {}", row.kind);
        let held = of_kind.filter(|(kind, _)| *kind != RootKind::Unreachable).map(|(_, entry)| *entry);
        let reached = plain.reach(held, &|_| false);
        let reached: Vec<usize> = (0..reached.len()).filter(|entry| reached[*entry]).collect();
        let counted = row.reachable.classes + row.reachable.objects;
        assert_eq!(counted, reached.len() as u64, "{what}: {}", row.kind);
        assert_eq!(row.reachable.bytes, reached.iter().map(|entry| plain.sizes[*entry]).sum::<u64>(), "{what}");
    }

    // By class: what is lost without one or another of the objects of the name.
    let all = plain.reached(&|_| false);
    let mut objects: BTreeMap<&Name, (u64, u64)> = BTreeMap::new();
    for (name, size) in plain.names.iter().zip(&plain.sizes) {
        if let Some(name) = name.as_ref().filter(|name| !name.as_bytes().is_empty()) {
            let row = objects.entry(name).or_default();
            *row = (row.0 + 1, row.1 + size);
        }
    }
    assert_eq!(summary.histogram.len(), objects.len(), "{what}");
    for (row, (name, (count, bytes))) in summary.histogram.iter().zip(objects) {
        assert_eq!(row.class, Text::from(name), "{what}");
        assert_eq!((row.objects, row.bytes), (count, bytes), "{what}: {name}");
        let mut kept = all.clone();
        for one in (0..all.len()).filter(|entry| plain.names[*entry].as_ref() == Some(name)) {
            let without = plain.reached(&|entry| entry == one);
            kept.iter_mut().zip(without).for_each(|(kept, without)| *kept &= without);
        }
        let lost = plain.lost(&all, &kept);
        assert_eq!(row.retained.unwrap_or_default(), lost, "{what}: {name}");
    }

    // Reachable and not.
    let (reachable, unreachable) = (summary.reachable.expect("roots"), summary.unreachable.expect("roots"));
    let count = all.iter().filter(|reached| **reached).count() as u64;
    assert_eq!(reachable.classes + reachable.objects, count, "{what}");
    assert_eq!(unreachable.classes + unreachable.objects, all.len() as u64 - count, "{what}");

    // A shortest path from a root, along references, for each reachable entry.
    let distances = analysis.distances().expect("roots are recorded");
    for entry in 0..plain.to.len() {
        let path = distances.path(entry as u32);
        assert_eq!(path.is_some(), all[entry], "{what}");
        let Some(path) = path else { continue };
        assert_eq!(Some(path.len() as u32 - 1), right[entry].distance, "{what}");
        assert!(plain.roots.iter().any(|(_, root)| *root == path[0] as usize), "{what}");
        assert!(path.windows(2).all(|step| plain.to[step[0] as usize].contains(&(step[1] as usize))), "{what}");
        assert_eq!(path.last(), Some(&(entry as u32)), "{what}");
    }
}

#[test]
fn random_heaps_have_the_answers_that_the_definitions_give() {
    for seed in 0..1000 {
        let mut draw = SeedDraw::new(seed, DrawStream::Heap);
        let options = GenerateOptions::draw(&mut draw);
        // Mostly small ones, up to 300.
        let most = [20, 40, 80, 300][seed as usize % 4];
        let options = options.objects(draw.below(most + 1) as usize).roots(crate::generate::Lengths::Uniform(0, 6));
        let heap = from_seed(&options, seed);
        let addresses: BTreeSet<Address> =
            heap.classes.iter().map(|c| c.address).chain(heap.objects.iter().map(|o| o.address)).collect();
        if addresses.len() == heap.classes.len() + heap.objects.len() {
            check(&heap, &format!("seed {seed}"));
        }
    }
}

/// Graphs of a few objects with any references, in which cycles, several paths and nested dominators are common.
#[test]
fn small_dense_graphs_have_the_answers_that_the_definitions_give() {
    for seed in 0..3000 {
        let mut draw = SeedDraw::new(seed, DrawStream::Heap);
        let count = draw.between(1, 14);
        let references = draw.between(0, 2 * count);
        let mut edges = vec![Vec::new(); count as usize];
        for _ in 0..references {
            edges[draw.below(count) as usize].push(draw.below(count));
        }
        let roots: Vec<u64> = (0..draw.below(4)).map(|_| draw.below(count)).collect();
        check(&heap_of(&edges, &roots), &format!("seed {seed}: {edges:?} from {roots:?}"));
    }
}

const NODE: Address = Address(8);

/// Objects at 0x100, 0x110 and so on with these references, and a class that is named and refers to nothing.
fn heap_of(edges: &[Vec<u64>], roots: &[u64]) -> Heap {
    let at = |number: u64| Address(0x100 + 0x10 * number);
    let object = |(number, to): (usize, &Vec<u64>)| Object {
        class: Some(NODE),
        size: Some(ByteLen(10 + number as u64)),
        contents: Contents::References(to.iter().map(|to| at(*to)).collect()),
        ..Object::new(at(number as u64), ObjectKind::Instance)
    };
    Heap {
        classes: vec![Class {
            address: NODE,
            name: "Node".into(),
            superclass: Some(Address::NULL),
            ..Class::default()
        }],
        objects: edges.iter().enumerate().map(object).collect(),
        surroundings: Surroundings {
            roots: Some(
                roots.iter().map(|to| Root { object: at(*to), kind: RootKind::MonitorUsed, after: None }).collect(),
            ),
            ..Surroundings::default()
        },
        ..Heap::default()
    }
}

/// The example of Lengauer and Tarjan's paper: 13 vertices, R to L; the tree of figure 3 of the paper.
#[test]
fn the_example_of_the_paper_has_its_tree() {
    let (r, a, b, c, d, e, f, g, h, i, j, k, l) = (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12);
    let mut edges = vec![Vec::new(); 13];
    for (from, to) in [
        (r, vec![a, b, c]),
        (a, vec![d]),
        (b, vec![a, d, e]),
        (c, vec![f, g]),
        (d, vec![l]),
        (e, vec![h]),
        (f, vec![i]),
        (g, vec![i, j]),
        (h, vec![e, k]),
        (i, vec![k]),
        (j, vec![i]),
        (k, vec![i, r]),
        (l, vec![h]),
    ] {
        edges[from as usize] = to;
    }
    let heap = heap_of(&edges, &[r]);
    let analysis =
        Analysis::new(EntryGraph::from_source(&mut &heap, EdgeOptions::default().classes(false)).expect("a graph"));
    let reached = analysis.reached().expect("roots");
    // The class is entry 0.
    let dominator = |vertex: u64| reached.dominator(vertex as u32 + 1).map(|entry| u64::from(entry) - 1);
    assert_eq!(dominator(r), None);
    let all = [(a, r), (b, r), (c, r), (d, r), (e, r), (f, c), (g, c), (h, r), (i, r), (j, g), (k, r), (l, d)];
    for (vertex, above) in all {
        assert_eq!(dominator(vertex), Some(above), "{vertex}");
    }
}

/// `Cell`, a soft reference with a field of its own, to `Kept`; a static field and an ordinary field lead on.
#[test]
fn counts_referents_on_request() {
    let class = |address: u64, name: &str, superclass: u64, fields: &[&str]| Class {
        address: Address(address),
        name: name.into(),
        superclass: Some(Address(superclass)),
        fields: Some(fields.iter().map(|field| Field { name: (*field).into(), kind: FieldType::Object }).collect()),
        instance_size: Some(ByteLen(8 * fields.len() as u64)),
        ..Class::default()
    };
    let mut holder = class(0x20, "Holder", 0, &[]);
    holder.statics = Some(vec![Static { name: "cell".into(), value: Value::reference(Address(0x100)) }]);
    let classes = vec![
        class(0x10, "java/lang/ref/Reference", 0, &["queue", "referent"]),
        class(0x18, "Cell", 0x10, &["own", "referent"]),
        holder,
        class(0x28, "Kept", 0, &[]),
    ];
    let instance = |address: u64, class: u64, fields: &[u64]| Object {
        class: Some(Address(class)),
        contents: Contents::Fields(fields.iter().map(|to| Value::reference(Address(*to))).collect()),
        ..Object::new(Address(address), ObjectKind::Instance)
    };
    let heap = Heap {
        classes,
        objects: vec![
            // The fields of Cell, of which one has the name by chance, and then those of Reference.
            instance(0x100, 0x18, &[0x110, 0x120, 0x130, 0x140]),
            instance(0x110, 0x28, &[]),
            instance(0x120, 0x28, &[]),
            instance(0x130, 0x28, &[]),
            instance(0x140, 0x28, &[]),
        ],
        surroundings: Surroundings {
            roots: Some(vec![Root { object: Address(0x20), kind: RootKind::StickyClass, after: None }]),
            ..Surroundings::default()
        },
        ..Heap::default()
    };
    let reachable = |edges: EdgeOptions| {
        let analysis = Analysis::new(EntryGraph::from_source(&mut &heap, edges).expect("a graph"));
        let reached = analysis.reached().expect("roots").clone();
        let all = (0..analysis.graph().len() as u32).filter(|entry| reached.is_reachable(*entry));
        all.map(|entry| analysis.graph().address(entry).0).collect::<Vec<_>>()
    };
    let strong = [0x10, 0x18, 0x20, 0x28, 0x100, 0x110, 0x120, 0x130];
    assert_eq!(reachable(EdgeOptions::default()), strong);
    assert_eq!(reachable(EdgeOptions::default().referents(true)), [&strong[..], &[0x140]].concat());
    assert_eq!(reachable(EdgeOptions::default().classes(false)), [0x20, 0x100, 0x110, 0x120, 0x130]);
    // Without class objects, the root that names one keeps nothing, and the static field does.
    assert_eq!(reachable(EdgeOptions::default().class_objects(false)), [0x100, 0x110, 0x120, 0x130]);
}

/// Worked out by hand: eleven strings of six texts, three of which are parts of their arrays.
#[test]
fn strings_with_the_same_characters_are_counted() {
    let kinds = [FieldType::Object, FieldType::Primitive(PrimitiveType::Int), FieldType::Primitive(PrimitiveType::Int)];
    let fields = ["value", "offset", "count"].into_iter().zip(kinds);
    let string = Class {
        address: Address(8),
        name: "java/lang/String".into(),
        fields: Some(fields.map(|(name, kind)| Field { name: name.into(), kind }).collect()),
        ..Class::default()
    };
    // Another one of the name, with its fields in another order.
    let mut other = Class { address: Address(4), ..string.clone() };
    other.fields.iter_mut().for_each(|fields| fields.swap(1, 2));
    let array = |address: u64, text: &str| Object {
        length: Some(text.len() as u64),
        contents: Contents::Primitives(text.encode_utf16().flat_map(u16::to_be_bytes).collect()),
        ..Object::new(Address(address), ObjectKind::PrimitiveArray(PrimitiveType::Char))
    };
    let string_at = |address: u64, array: u64, count: u64| Object {
        class: Some(Address(8)),
        contents: Contents::Fields(vec![
            Value::reference(Address(array)),
            Value::primitive(PrimitiveType::Int, 0),
            Value::primitive(PrimitiveType::Int, count),
        ]),
        ..Object::new(Address(address), ObjectKind::Instance)
    };
    let other_at = |address: u64, count: u64, offset: u64| Object {
        class: Some(Address(4)),
        contents: Contents::Fields(vec![
            Value::reference(Address(0x60)),
            Value::primitive(PrimitiveType::Int, count),
            Value::primitive(PrimitiveType::Int, offset),
        ]),
        ..Object::new(Address(address), ObjectKind::Instance)
    };
    let heap = Heap {
        facts: Facts { identifier_size: Some(ByteLen(8)), ..Facts::default() },
        classes: vec![string, other],
        objects: vec![
            string_at(0x10, 0x40, 5),
            string_at(0x20, 0x60, 5),
            string_at(0x30, 0x40, 4),
            array(0x40, "hello"),
            array(0x60, "hello"),
            array(0x80, "other"),
            // Another one of the first four characters; and two of none.
            string_at(0x90, 0x40, 4),
            string_at(0xa0, 0x40, 0),
            string_at(0xb0, 0x60, 0),
            // As ART keeps the count.
            string_at(0xc0, 0x60, 11),
            string_at(0xd0, 0x80, 11),
            string_at(0xe0, 0x80, 11),
            // The same as the first one; and none of the characters, after all of them.
            other_at(0xf0, 5, 0),
            other_at(0x100, 0, 5),
        ],
        ..Heap::default()
    };
    let analysis = Analysis::new(EntryGraph::from_source(&mut &heap, EdgeOptions::default()).expect("a graph"));
    let summary = answers(&mut &heap, &analysis).expect("answers");
    let strings = summary.strings.expect("strings");
    assert_eq!((strings.strings, strings.texts, strings.duplicate_bytes), (11, 6, 50));
    let most: Vec<_> = strings.most.iter().map(|of| (of.strings, of.address.0, of.text.as_deref())).collect();
    let right = [(3, 0x10, Some("hello")), (2, 0x30, Some("hell")), (2, 0xa0, Some("")), (2, 0xd0, Some("other"))];
    assert_eq!(most, right);
    // Without roots, nothing is said of what they reach.
    assert_eq!((summary.roots, summary.reachable, summary.holders), (None, None, None));
    // Characters of two bytes each.
    assert_eq!(summary.histogram.iter().map(|row| row.bytes).collect::<Vec<_>>(), [30, 0]);
}

/// A chain as long as this would need as many frames of a stack, if anything were done by recursion.
#[test]
fn handles_long_chain_without_recursion() {
    let count = 300_000;
    let edges: Vec<Vec<u64>> = (0..count).map(|n| if n + 1 < count { vec![n + 1] } else { Vec::new() }).collect();
    let heap = heap_of(&edges, &[0]);
    let analysis =
        Analysis::new(EntryGraph::from_source(&mut &heap, EdgeOptions::default().classes(false)).expect("a graph"));
    let reached = analysis.reached().expect("roots");
    // The class object is not reached.
    for number in [0, 1, 2, 150_000, count - 1] {
        let entry = number as u32 + 1;
        let bytes = (number..count).map(|n| 10 + n).sum();
        assert_eq!(reached.retained(entry), Some(Retained { entries: count - number, bytes }), "{number}");
        assert_eq!(reached.dominator(entry), number.checked_sub(1).map(|above| above as u32 + 1));
    }
    let summary = answers(&mut &heap, &analysis).expect("answers");
    let holder = &summary.holders.expect("roots")[0];
    // Each link holds more than half of what the one before it holds, until its own size is that.
    assert!(holder.steps > 200_000, "{}", holder.steps);
    // The second link and those after it.
    let first: Vec<Hex> = (2..102).map(|entry| Hex(analysis.graph().address(entry).0)).collect();
    assert_eq!(holder.through, first);
    assert_eq!(holder.to, Some(Hex(analysis.graph().address(holder.steps as u32 + 1).0)));
}
