use super::*;
use crate::generate::{AddressSpace, GenerateOptions, Placement, from_seed};
use crate::model::{Class, Contents, HashRegime, Object, ObjectKind, PrimitiveType, WordSize, visit};

/// A class, and instances that refer to each other by index, in order.
fn graph(edges: &[&[u64]]) -> Heap {
    let at = |index: u64| Address(0x1000 + 8 * index);
    let mut heap = Heap::default();
    heap.classes.push(Class {
        address: Address(8),
        name: "Node".into(),
        references: Some(Vec::new()),
        ..Class::default()
    });
    for (index, targets) in (0..).zip(edges) {
        let contents = Contents::References(targets.iter().map(|target| at(*target)).collect());
        let object = Object::new(at(index), ObjectKind::Instance);
        heap.objects.push(Object { class: Some(Address(8)), contents, ..object });
    }
    heap
}

/// A copy of a heap with other addresses, in another order.
fn shuffled(heap: &Heap, factor: u64) -> Heap {
    let mut other = heap.clone();
    let mut rename = |address: &mut Address| {
        if !address.is_null() {
            address.0 = address.0.wrapping_mul(factor) ^ 0x5555_5550;
        }
    };
    other.classes.iter_mut().for_each(|class| visit::class(class, &mut rename));
    other.objects.iter_mut().for_each(|object| visit::object(object, &mut rename));
    visit::surroundings(&mut other.surroundings, &mut rename);
    other.objects.reverse();
    other
}

const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

fn renaming_of(left: &Heap, right: &Heap) -> Renaming {
    up_to_renaming(left, right, &BTreeSet::new(), 20_000_000)
}

fn assert_equal(left: &Heap, right: &Heap, entries: usize) {
    match renaming_of(left, right) {
        Renaming::Equal { mapping, comparison } => assert!(comparison.equal && mapping.len() >= entries),
        other => panic!("{other:?}"),
    }
}

fn ring(length: u64, start: u64) -> Vec<Vec<u64>> {
    (0..length).map(|index| vec![start + (index + 1) % length, start + (index + length - 1) % length]).collect()
}

fn heap_of(edges: &[Vec<u64>]) -> Heap {
    graph(&edges.iter().map(Vec::as_slice).collect::<Vec<_>>())
}

/// Options of every shape that the generator has.
fn shapes() -> Vec<GenerateOptions> {
    let default = GenerateOptions { objects: 200, ..GenerateOptions::default() };
    vec![
        GenerateOptions { objects: 0, ..default.clone() },
        GenerateOptions { hashes: HashRegime::Every16, word: WordSize::Bits32, ..default.clone() },
        GenerateOptions { placement: Placement::Mixed, ..default.clone() },
        GenerateOptions { addresses: AddressSpace::Numbers, ..default.clone() },
        GenerateOptions { bare_arrays: true, latin1_names: true, ..default.clone() },
        default,
    ]
}

#[test]
fn a_random_heap_of_every_shape_equals_itself_under_other_addresses() {
    for (seed, options) in (0..).zip(shapes().into_iter().cycle().take(18)) {
        let heap = from_seed(&options, seed);
        assert_equal(&heap, &shuffled(&heap, FACTOR), heap.objects.len());
    }
}

/// Two arrays that differ in their contents alone, beside one whose contents are unknown.
#[test]
fn pairs_nodes_by_facts_that_only_some_record() {
    let array = |address, contents| Object {
        length: Some(1),
        contents,
        ..Object::new(Address(address), ObjectKind::PrimitiveArray(PrimitiveType::Byte))
    };
    let told = |byte| Contents::Primitives(vec![byte]);
    let heap = |contents: [Contents; 3]| Heap {
        objects: (1..).zip(contents).map(|(n, contents)| array(8 * n, contents)).collect(),
        ..Heap::default()
    };
    let one = heap([told(1), told(2), Contents::Unknown]);
    assert_equal(&one, &heap([Contents::Unknown, told(2), told(1)]), 3);
    assert!(!matches!(renaming_of(&one, &heap([told(1), told(3), Contents::Unknown])), Renaming::Equal { .. }));
}

#[test]
fn one_edge_moved_is_found_in_random_heaps() {
    let mut found = 0;
    for seed in 0..12 {
        let heap = from_seed(&GenerateOptions { objects: 300, ..GenerateOptions::default() }, seed);
        let mut other = shuffled(&heap, FACTOR);
        let target = other.objects[7].address;
        let moved = other.objects.iter_mut().find_map(|object| match &mut object.contents {
            Contents::Elements(elements) => elements.iter_mut().find(|to| !to.is_null() && **to != target),
            _ => None,
        });
        if let Some(moved) = moved {
            *moved = target;
            found += 1;
            assert!(matches!(renaming_of(&heap, &other), Renaming::Different { .. }), "seed {seed}");
        }
    }
    assert!(found > 6);
}

#[test]
fn search_distinguishes_regular_graphs() {
    // A ring of six, and two of three: each node has two neighbours.
    let six = heap_of(&ring(6, 0));
    let threes = heap_of(&[ring(3, 0), ring(3, 3)].concat());
    assert!(matches!(renaming_of(&six, &threes), Renaming::Different { .. }));
    assert_equal(&six, &shuffled(&six, FACTOR), 7);
    assert_equal(&threes, &shuffled(&threes, 7), 7);
    // Petersen's graph, and the prism over a ring of five: three neighbours each.
    let petersen: Vec<Vec<u64>> = (0..5)
        .map(|i| vec![(i + 1) % 5, (i + 4) % 5, i + 5])
        .chain((0..5).map(|i| vec![i, 5 + (i + 2) % 5, 5 + (i + 3) % 5]))
        .collect();
    let prism: Vec<Vec<u64>> = (0..5)
        .map(|i| vec![(i + 1) % 5, (i + 4) % 5, i + 5])
        .chain((0..5).map(|i| vec![i, 5 + (i + 1) % 5, 5 + (i + 4) % 5]))
        .collect();
    assert!(matches!(renaming_of(&heap_of(&petersen), &heap_of(&prism)), Renaming::Different { .. }));
    assert_equal(&heap_of(&petersen), &shuffled(&heap_of(&petersen), FACTOR), 11);
}

#[test]
fn a_hundred_thousand_identical_leaves_are_paired_within_the_budget() {
    let leaves = 100_000;
    let mut edges = vec![(1..=leaves).collect::<Vec<u64>>()];
    edges.extend((0..leaves).map(|_| Vec::new()));
    let heap = heap_of(&edges);
    assert_equal(&heap, &shuffled(&heap, FACTOR), edges.len());
    edges[5].push(0);
    assert!(matches!(renaming_of(&heap, &heap_of(&edges)), Renaming::Different { .. }));
}

#[test]
fn reports_undecided_when_budget_is_too_small() {
    let heap = heap_of(&ring(200, 0));
    let answer = up_to_renaming(&heap, &shuffled(&heap, FACTOR), &BTreeSet::new(), 300);
    assert!(matches!(answer, Renaming::Undecided { ambiguous: 200, .. }), "{answer:?}");
}

#[test]
fn names_side_with_more_nodes() {
    let (left, right) = (graph(&[&[1], &[]]), graph(&[&[1], &[], &[]]));
    let Renaming::Different { invariant, left, right } = renaming_of(&left, &right) else { panic!("different") };
    assert!(invariant.starts_with("nodes like object of Node, at 0x10"), "{invariant}");
    assert!(left < right);
}
