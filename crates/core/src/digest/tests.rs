use std::collections::BTreeSet;

use sha2::{Digest as _, Sha256};

use super::*;
use crate::compare::DigestRole;
use crate::compare::fixture::heap_with_every_fact;
use crate::compare::{NotComparedReason, changes, compare, listing};
use crate::draw::{Draw, DrawStream, SeedDraw};
use crate::generate::{GenerateOptions, from_seed};
use crate::model::{Address, Class, Contents, Heap, Object, ObjectKind, PrimitiveType};

fn over(heap: &Heap, facets: &[Facet]) -> Digest {
    let options =
        DigestOptions { facets: FacetSelection::from_facets(facets).expect("selectable"), ..DigestOptions::default() };
    digest(&mut heap.clone(), &options).expect("a heap in memory")
}

fn selectable() -> Vec<Facet> {
    Facet::ALL.into_iter().filter(|&facet| facet.role() != DigestRole::Order).collect()
}

/// The heap of the fixture, and heaps of the generator.
fn heaps() -> Vec<Heap> {
    let generated = |seed| from_seed(&GenerateOptions { objects: 80, ..GenerateOptions::default() }, seed);
    std::iter::once(heap_with_every_fact()).chain((0..20).map(generated)).collect()
}

fn shuffle<T>(items: &mut [T], draw: &mut dyn Draw) {
    for last in (1..items.len()).rev() {
        items.swap(last, draw.below(last as u64 + 1) as usize);
    }
}

#[test]
fn a_changed_fact_changes_the_digests_over_the_facets_in_which_compare_finds_it() {
    let heap = heap_with_every_fact();
    let facets = selectable();
    let before: Vec<Sum> = facets.iter().map(|&facet| over(&heap, &[facet]).digest).collect();
    for (change_of, change) in changes() {
        let mut changed = heap_with_every_fact();
        change(&mut changed);
        let plain = compare(&heap, &changed, &BTreeSet::new());
        let without_values = compare(&heap, &changed, &BTreeSet::from([Facet::FieldValues, Facet::Elements]));
        let without_roots = compare(&heap, &changed, &BTreeSet::from([Facet::Roots]));
        for (&facet, before) in facets.iter().zip(&before) {
            // References count over a set without field values and elements.
            let of_references = matches!(facet, Facet::References | Facet::ReferenceOrder);
            let comparison = match facet {
                // So do kinds and objects of roots over a set without roots.
                Facet::RootObjects => &without_roots,
                _ if of_references => &without_values,
                _ => &plain,
            };
            let differs = |facet| comparison.differences.iter().any(|d| d.facet == facet);
            let silent =
                |facet| comparison.not_compared.iter().any(|n| n.facet == facet && n.why != NotComparedReason::LeftOut);
            // The order of other references is not compared.
            let of_others = [Facet::References, Facet::ClassReferences].into_iter().any(|f| differs(f) || silent(f));
            // A text follows from the values of the string and its array.
            let follows = facet == Facet::StringText && change_of != Facet::StringText;
            if silent(facet) || follows || facet == Facet::ReferenceOrder && of_others {
                continue;
            }
            let changes = over(&changed, &[facet]).digest != *before;
            assert_eq!(changes, differs(facet), "{facet} after a change of {change_of}");
        }
        let whole = digest(&mut changed, &DigestOptions::default()).expect("in memory").digest;
        // A text that is stated is in no digest: it is worked out anew.
        let outside =
            change_of.role() == DigestRole::Order || matches!(change_of, Facet::ReferenceOrder | Facet::StringText);
        assert_eq!(
            whole == over(&heap, &FacetSelection::unordered().facets().collect::<Vec<_>>()).digest,
            outside,
            "{change_of}"
        );
    }
    let mut moved = heap_with_every_fact();
    moved.objects[7].address = Address(0x200);
    assert_ne!(over(&moved, &[Facet::Address]).digest, over(&heap, &[Facet::Address]).digest);
}

#[test]
fn the_order_of_classes_objects_roots_threads_and_traces_does_not_matter() {
    let options = DigestOptions {
        facets: FacetSelection::from_facets(&selectable()).expect("selectable"),
        by_facet: true,
        bucket: Some(3),
    };
    let draw: &mut dyn Draw = &mut SeedDraw::new(1, DrawStream::Heap);
    for mut heap in heaps() {
        let before = digest(&mut heap, &options).expect("in memory");
        let around = &mut heap.surroundings;
        shuffle(&mut heap.classes, draw);
        shuffle(&mut heap.objects, draw);
        around.roots.iter_mut().for_each(|roots| shuffle(roots, draw));
        around.threads.iter_mut().for_each(|threads| shuffle(threads, draw));
        around.traces.iter_mut().for_each(|traces| shuffle(traces, draw));
        assert_eq!(digest(&mut heap, &options).expect("in memory"), before);
    }
}

#[test]
fn the_whole_is_the_sum_of_the_buckets_and_the_surroundings() {
    for mut heap in heaps() {
        let whole = digest(&mut heap, &DigestOptions::default()).expect("in memory");
        let buckets = whole.buckets.expect("buckets");
        assert_eq!(buckets.iter().copied().chain([whole.surroundings]).sum::<Sum>(), whole.digest);
        for number in [0, 77, 255] {
            let options = DigestOptions { bucket: Some(number), ..DigestOptions::default() };
            let bucket = digest(&mut heap, &options).expect("in memory").bucket.expect("a bucket");
            assert_eq!(bucket.records.iter().map(|r| r.digest).sum::<Sum>(), buckets[usize::from(number)]);
            assert!(bucket.records.is_sorted());
        }
    }
}

#[test]
fn a_facet_by_the_way_has_the_digest_that_it_has_alone() {
    let facets = FacetSelection::from_facets(&selectable()).expect("selectable");
    for mut heap in heaps() {
        let options = DigestOptions { facets, by_facet: true, bucket: None };
        let by_facet = digest(&mut heap, &options).expect("in memory").by_facet.expect("asked for");
        for facet in selectable() {
            let alone = over(&heap, &[facet]);
            let found = by_facet.iter().find(|found| found.facet == facet);
            assert_eq!(
                found.map(|found| found.digest),
                alone.facets.contains(&facet).then_some(alone.digest),
                "{facet}"
            );
        }
    }
}

#[test]
fn a_record_of_any_length_has_the_sha_256_of_its_bytes() {
    for length in [0, 253, 254, 255, 256, 16_300, 16_365, 16_384, 16_400, 40_000, 100_000] {
        let kind = ObjectKind::PrimitiveArray(PrimitiveType::Byte);
        let bytes = Contents::Primitives((0..length).map(|n| n as u8).collect());
        let elements = Contents::Elements((0..length / 8).map(Address).collect());
        let objects = vec![
            Object { contents: bytes, length: Some(length), ..Object::new(Address(8), kind) },
            Object { contents: elements, ..Object::new(Address(16), ObjectKind::ObjectArray) },
        ];
        let mut heap = Heap { objects, ..Heap::default() };
        let mut sum = Sum::default();
        let add = &mut |_, record: &[u8]| {
            sum += Sum::from_bytes(Sha256::digest(record).into());
            Ok(())
        };
        visit_records(&mut heap, FacetSelection::unordered(), add).expect("in memory");
        assert_eq!(digest(&mut heap, &DigestOptions::default()).expect("in memory").digest, sum, "{length}");
    }
}

#[test]
fn a_listing_has_the_digest_of_its_heap() {
    let options = DigestOptions {
        facets: FacetSelection::from_facets(&selectable()).expect("selectable"),
        by_facet: true,
        bucket: None,
    };
    for mut heap in heaps() {
        let mut text = Vec::new();
        listing::write(&mut text, &listing::head(&heap), &heap, &listing::HeapPlaces::from_order(&heap))
            .expect("written");
        let mut read = listing::read(text.as_slice()).expect("a listing").heap;
        assert_eq!(digest(&mut read, &options).expect("in memory"), digest(&mut heap, &options).expect("in memory"));
    }
}

#[test]
fn a_renamed_class_changes_its_own_record_and_over_names_alone_those_of_its_objects() {
    let heap = |name: &str| {
        let class = Class { address: Address(0x10), name: name.into(), ..Class::default() };
        let object = |address, named: Option<&str>| Object {
            class: Some(Address(0x10)),
            class_name: named.map(Into::into),
            ..Object::new(Address(address), ObjectKind::Instance)
        };
        Heap { classes: vec![class], objects: vec![object(0x20, None), object(0x30, Some(name))], ..Heap::default() }
    };
    let records = |mut heap: Heap, facets: FacetSelection| {
        let mut records = BTreeSet::new();
        let collect = &mut |_, record: &[u8]| {
            records.insert(record.to_vec());
            Ok(())
        };
        visit_records(&mut heap, facets, collect).expect("in memory");
        records
    };
    let changed = |facets| records(heap("A"), facets).difference(&records(heap("B"), facets)).count();
    assert_eq!(changed(FacetSelection::unordered()), 1);
    assert_eq!(changed(FacetSelection::from_iter([Facet::ClassName])), 3);
    let mut other = heap("A");
    other.objects[1].class_name = Some("other".into());
    assert_eq!(
        records(other, FacetSelection::unordered())
            .difference(&records(heap("A"), FacetSelection::unordered()))
            .count(),
        1
    );
}

#[test]
fn of_several_classes_at_one_address_the_lowest_name_counts() {
    let class = |name: &str| Class { address: Address(0x10), name: name.into(), ..Class::default() };
    let object = Object { class: Some(Address(0x10)), ..Object::new(Address(0x20), ObjectKind::Instance) };
    let heap = |names: [&str; 2]| Heap {
        classes: names.map(class).to_vec(),
        objects: vec![object.clone()],
        ..Heap::default()
    };
    let digest = |names| over(&heap(names), &[Facet::ClassName]).digest;
    assert_eq!(digest(["A", "B"]), digest(["B", "A"]));
}

#[test]
fn what_is_known_to_be_empty_is_told_and_adds_nothing() {
    let mut heap = Heap::default();
    heap.surroundings.roots = Some(Vec::new());
    let empty = digest(&mut heap, &DigestOptions::default()).expect("in memory");
    assert_eq!((empty.facets.as_slice(), empty.roots, empty.digest), (&[Facet::Roots][..], Some(0), Sum::default()));
    let unknown = digest(&mut Heap::default(), &DigestOptions::default()).expect("in memory");
    assert_eq!((unknown.facets.len(), unknown.roots, unknown.digest), (0, None, Sum::default()));
    assert_eq!(compare_digests(&empty, &unknown).facets, [Facet::Roots]);
    assert!(!compare_digests(&empty, &unknown).equal);
}
