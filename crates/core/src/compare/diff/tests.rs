use std::sync::Arc;

use crate::compare::fixture::heap_with_every_fact;
use crate::model::{
    ByteLen, Contents, Event, EventKind, Facts, Field, FieldType, HeaderTotals, IdentityHash, Object, ObjectKind,
    PrimitiveType, Region, Root, RootKind, Serial, StackFrame, StackTrace, Static, Surroundings, Thread, Value,
    WordSize,
};

use super::*;

fn facets(left: &Heap, right: &Heap) -> Vec<Facet> {
    compare(left, right, &BTreeSet::new()).differences.iter().map(|d| d.facet).collect()
}

#[test]
fn a_heap_equals_itself() {
    assert!(compare(&heap_with_every_fact(), &heap_with_every_fact(), &BTreeSet::new()).equal);
}

#[test]
fn one_changed_fact_is_found_under_its_own_facet() {
    let every_facet: BTreeSet<Facet> = changes().into_iter().map(|(facet, _)| facet).collect();
    // An object that stands elsewhere stands elsewhere in the file, too.
    let rest: Vec<Facet> = Facet::ALL.into_iter().filter(|facet| !every_facet.contains(facet)).collect();
    // Kinds and objects of roots are compared where roots are not.
    assert_eq!(rest, [Facet::Address, Facet::RootObjects]);
    let heap = heap_with_every_fact();
    for (facet, change) in changes() {
        let mut changed = heap_with_every_fact();
        change(&mut changed);
        assert_eq!(facets(&heap, &changed), [facet], "{:?}", compare(&heap, &changed, &BTreeSet::new()));
        let silent = BTreeSet::from([facet]);
        if !matches!(facet, Facet::FieldValues | Facet::Elements | Facet::Kind | Facet::Roots) {
            assert!(compare(&heap, &changed, &silent).equal, "{facet} left out");
        }
    }
    let mut moved = heap_with_every_fact();
    moved.objects[7].address = Address(0x200);
    assert_eq!(facets(&heap, &moved), [Facet::Address, Facet::RecordOrder]);
}

pub(crate) type HeapChange = Box<dyn Fn(&mut Heap)>;

/// A change of each field of the model, with the facet that it belongs to.
pub(crate) fn changes() -> Vec<(Facet, HeapChange)> {
    let mut changes: Vec<(Facet, HeapChange)> = Vec::new();
    let mut add = |facet, change: fn(&mut Heap)| changes.push((facet, Box::new(change)));

    // The regime of hashes is no fact of its own: the hashes show it.
    let Facts {
        word_size: _,
        version_text: _,
        totals: _,
        hash_randoms: _,
        null_references: _,
        hash_regime: _,
        timestamp: _,
        header_version: _,
        identifier_size: _,
    } = heap_with_every_fact().facts;
    add(Facet::WordSize, |h| h.facts.word_size = Some(WordSize::Bits32));
    add(Facet::VersionText, |h| h.facts.version_text = Some("other".into()));
    add(Facet::HeaderTotals, |h| h.facts.totals = Some(HeaderTotals::default()));
    add(Facet::HashRandoms, |h| h.facts.hash_randoms = Some((1, 2)));
    add(Facet::NullReferences, |h| h.facts.null_references = Some(1));
    add(Facet::TimeStamp, |h| h.facts.timestamp = Some(0));
    add(Facet::HeaderVersion, |h| h.facts.header_version = Some("1.0.1".into()));
    add(Facet::IdentifierSize, |h| h.facts.identifier_size = Some(ByteLen(4)));

    // For `address`, see above.
    let Class {
        address: _,
        name: _,
        superclass: _,
        interfaces: _,
        loader: _,
        signers: _,
        protection_domain: _,
        instance_size: _,
        class_object_size: _,
        hash: _,
        references: _,
        statics: _,
        constant_pool: _,
        fields: _,
        serial: _,
        trace: _,
        after_objects: _,
    } = Class::default();
    add(Facet::ClassName, |h| h.classes[3].name = "renamed".into());
    add(Facet::Superclass, |h| h.classes[12].superclass = Some(Address(8)));
    add(Facet::Interfaces, |h| h.classes[2].interfaces = Some(vec![Address(40), Address(32)]));
    add(Facet::Loader, |h| h.classes[2].loader = Some(Address(8)));
    add(Facet::Signers, |h| h.classes[2].signers = Some(Address(8)));
    add(Facet::ProtectionDomain, |h| h.classes[2].protection_domain = Some(Address(8)));
    add(Facet::InstanceSize, |h| h.classes[12].instance_size = Some(ByteLen(1)));
    add(Facet::ClassObjectSize, |h| h.classes[12].class_object_size = Some(ByteLen(1)));
    add(Facet::Hash32, |h| h.classes[12].hash = Some(IdentityHash::Bits32(1)));
    add(Facet::ClassReferences, |h| h.classes[3].references = Some(vec![Address(48)]));
    add(Facet::ReferenceOrder, |h| h.classes[3].references.iter_mut().for_each(|r| r.reverse()));
    add(Facet::Statics, |h| first_static(h).name = "renamed".into());
    add(Facet::Statics, |h| first_static(h).value = Value::primitive(PrimitiveType::Int, 77));
    add(Facet::ConstantPool, |h| h.classes[1].constant_pool.iter_mut().for_each(|pool| pool[0].index = 9));
    add(Facet::ConstantPool, |h| {
        h.classes[1].constant_pool.iter_mut().for_each(|pool| pool[1].value = Value::reference(Address(8)));
    });
    add(Facet::Fields, |h| first_field(h).name = "renamed".into());
    add(Facet::Fields, |h| first_field(h).kind = FieldType::Primitive(PrimitiveType::Char));
    add(Facet::ClassSerial, |h| h.classes[1].serial = Some(Serial(1000)));
    add(Facet::ClassTrace, |h| h.classes[1].trace = Some(Serial(1000)));
    add(Facet::RecordOrder, |h| h.classes[0].after_objects = Some(60));

    let Object {
        address: _,
        kind: _,
        class: _,
        class_word: _, // of an instance: its class
        class_name: _,
        size: _,
        hash: _,
        length: _,
        contents: _,
        trace: _,
        text: _,
    } = object(&mut heap_with_every_fact(), 0x100);
    add(Facet::Kind, |h| object(h, 0x138).kind = ObjectKind::PrimitiveArray(PrimitiveType::Boolean));
    add(Facet::Class, |h| object(h, 0x100).class = Some(Address(8)));
    add(Facet::ClassName, |h| object(h, 0x100).class_name = Some("renamed".into()));
    add(Facet::Class, |h| object(h, 0x130).class = Some(Address(8)));
    add(Facet::Class, |h| object(h, 0x140).class = Some(Address(8)));
    add(Facet::ClassWord, |h| object(h, 0x120).class_word = Some(Address(8)));
    for kind in [ObjectKind::Instance, ObjectKind::ObjectArray, ObjectKind::PrimitiveArray(PrimitiveType::Byte)] {
        let change = move |h: &mut Heap| {
            let found = h.objects.iter_mut().find(|object| object.kind == kind && object.size.is_some());
            found.expect("one").size = Some(ByteLen(99_992));
        };
        changes.push((Facet::ObjectSize, Box::new(change)));
    }
    let mut add = |facet, change: fn(&mut Heap)| changes.push((facet, Box::new(change)));
    add(Facet::Hash32, |h| object(h, 0x100).hash = Some(IdentityHash::Bits32(1)));
    add(Facet::Hash16, |h| object(h, 0x130).hash = Some(IdentityHash::Bits16(1)));
    add(Facet::ArrayLength, |h| object(h, 0x120).length = Some(99_999));
    add(Facet::ArrayLength, |h| object(h, 0x140).length = Some(99_999));
    add(Facet::References, |h| object(h, 0x100).contents = Contents::References(vec![Address(8)]));
    add(Facet::References, |h| object(h, 0x120).contents = Contents::References(vec![Address(8)]));
    add(Facet::ReferenceOrder, |h| object(h, 0x120).contents = Contents::References(vec![Address(56), Address(48)]));
    add(Facet::References, |h| object(h, 0x130).contents = Contents::References(vec![Address(8)]));
    add(Facet::FieldValues, |h| first_reference(h).bits = 0x1238);
    add(Facet::FieldValues, |h| {
        object(h, 0x118).contents = Contents::Fields(vec![Value::primitive(PrimitiveType::Int, 0x7fc0_0001)]);
    });
    add(Facet::FieldValues, |h| object(h, 0x118).contents = Contents::Raw(vec![0x7f, 0xc0, 0, 1]));
    add(Facet::FieldValues, |h| object(h, 0x108).contents = Contents::Raw(vec![1, 2, 3]));
    add(Facet::Elements, |h| object(h, 0x130).contents = Contents::Elements(vec![Address(48), Address(0)]));
    add(Facet::PrimitiveContents, |h| object(h, 0x140).contents = Contents::Primitives(vec![0, 1]));
    add(Facet::ObjectTrace, |h| h.objects[1].trace = Some(Serial(1000)));
    add(Facet::StringText, |h| {
        let stated = h.objects.iter_mut().find_map(|object| object.text.as_mut()).expect("a text");
        *stated = Name::from_units(&[0x41, 0xdc00]);
    });
    add(Facet::RecordOrder, |h| h.objects.swap(0, 1));

    let Surroundings { roots: _, threads: _, traces: _, regions: _, events: _, times: _ } = Surroundings::default();
    add(Facet::DumpTimes, |h| h.surroundings.times = Some((5, 901)));
    let Root { object: _, kind: _, after: _ } = roots(&mut heap_with_every_fact())[0];
    add(Facet::Roots, |h| roots(h)[2].object = Address(8));
    add(Facet::Roots, |h| roots(h)[2].kind = RootKind::JniLocal(Serial(1), 4));
    add(Facet::Roots, |h| roots(h)[2].kind = RootKind::JniLocal(Serial(2), 3));
    add(Facet::Roots, |h| roots(h)[2].kind = RootKind::JavaFrame(Serial(1), 3));
    add(Facet::Roots, |h| roots(h)[1].kind = RootKind::JniGlobal(Address(8)));
    add(Facet::Roots, |h| roots(h)[8].kind = RootKind::ThreadObject(Serial(1), Serial(1)));
    add(Facet::Roots, |h| _ = roots(h).pop());
    add(Facet::RootOrder, |h| roots(h)[2].after = Some(1));
    add(Facet::RootOrder, |h| roots(h).swap(0, 1));
    let Thread { serial: _, object: _, name: _, trace: _ } = &threads(&mut heap_with_every_fact())[0];
    add(Facet::Threads, |h| threads(h)[0].serial = Serial(1000));
    add(Facet::Threads, |h| threads(h)[0].object = Address(8));
    add(Facet::Threads, |h| threads(h)[0].name = None);
    add(Facet::Threads, |h| threads(h)[0].trace = Some(Serial(1000)));
    let StackTrace { serial: _, thread: _, frames: _ } = &traces(&mut heap_with_every_fact())[0];
    let StackFrame { method: _, signature: _, source: _, class: _, line: _ } =
        &traces(&mut heap_with_every_fact())[0].frames[0];
    add(Facet::StackTraces, |h| traces(h)[0].serial = Serial(1000));
    add(Facet::StackTraces, |h| traces(h)[0].thread = Serial(1000));
    add(Facet::StackTraces, |h| frames(h)[1].method = "renamed".into());
    add(Facet::StackTraces, |h| frames(h)[1].signature = "()I".into());
    add(Facet::StackTraces, |h| frames(h)[1].source = Some("B.java".into()));
    add(Facet::StackTraces, |h| frames(h)[0].class = None);
    add(Facet::StackTraces, |h| frames(h)[0].line = 1);
    add(Facet::StackTraces, |h| traces(h)[0].frames = traces(h)[0].frames[..1].into());
    let Region { id: _, name: _, after: _ } = &regions(&mut heap_with_every_fact())[0];
    add(Facet::Regions, |h| regions(h)[1].id = 1);
    add(Facet::Regions, |h| regions(h)[1].name = "renamed".into());
    add(Facet::Regions, |h| regions(h)[1].after = 9);
    let Event { time: _, after: _, kind: _, repeats: _ } = &events(&mut heap_with_every_fact())[0];
    add(Facet::Events, |h| events(h)[3].time = 1000);
    add(Facet::Events, |h| events(h)[3].after = 1000);
    add(crate::compare::recorded::event_facet(&events(&mut heap_with_every_fact())[3]), |h| events(h)[3].repeats = 1);
    add(Facet::Events, |h| events(h).swap(0, 1));
    for event in 0..events(&mut heap_with_every_fact()).len() {
        let facet = match events(&mut heap_with_every_fact())[event].kind {
            EventKind::Text(..) => Facet::Strings,
            EventKind::UnloadClass(_) => Facet::Unloads,
            EventKind::AllocationSites(_) => Facet::AllocationSites,
            EventKind::HeapSummary(_) => Facet::HeapSummaries,
            EventKind::CpuSamples(_) => Facet::CpuSamples,
            EventKind::ControlSettings(_) => Facet::ControlSettings,
            EventKind::Unknown { .. } => Facet::UnknownRecords,
            _ => Facet::Events,
        };
        changes.push((facet, Box::new(move |h| events(h)[event].kind = EventKind::EndThread(Serial(77)))));
    }
    changes
}

fn object(heap: &mut Heap, address: u64) -> &mut Object {
    heap.objects.iter_mut().find(|object| object.address.0 == address).expect("an object")
}

fn first_static(heap: &mut Heap) -> &mut Static {
    heap.classes.iter_mut().flat_map(|class| class.statics.iter_mut().flatten()).next().expect("a static field")
}

fn first_field(heap: &mut Heap) -> &mut Field {
    heap.classes.iter_mut().flat_map(|class| class.fields.iter_mut().flatten()).next().expect("a field")
}

fn first_reference(heap: &mut Heap) -> &mut Value {
    let values = heap.objects.iter_mut().flat_map(|object| match &mut object.contents {
        Contents::Fields(values) => values.as_mut_slice(),
        _ => &mut [],
    });
    values.into_iter().find(|value| value.kind == FieldType::Object).expect("a reference")
}

fn roots(heap: &mut Heap) -> &mut Vec<Root> {
    heap.surroundings.roots.as_mut().expect("roots")
}

fn threads(heap: &mut Heap) -> &mut Vec<Thread> {
    heap.surroundings.threads.as_mut().expect("threads")
}

fn traces(heap: &mut Heap) -> &mut Vec<StackTrace> {
    heap.surroundings.traces.as_mut().expect("traces")
}

fn frames(heap: &mut Heap) -> &mut [StackFrame] {
    Arc::make_mut(&mut traces(heap)[0].frames)
}

fn regions(heap: &mut Heap) -> &mut Vec<Region> {
    heap.surroundings.regions.as_mut().expect("regions")
}

fn events(heap: &mut Heap) -> &mut Vec<Event> {
    heap.surroundings.events.as_mut().expect("events")
}

#[test]
fn a_missing_object_and_an_extra_one_are_both_found() {
    let mut fewer = heap_with_every_fact();
    fewer.objects.remove(10);
    assert!(facets(&heap_with_every_fact(), &fewer).contains(&Facet::Address));
    assert!(facets(&fewer, &heap_with_every_fact()).contains(&Facet::Address));
}

#[test]
fn swapped_references_differ_in_order_only() {
    let listed = |refs: [u64; 2]| {
        let mut heap = Heap::default();
        let contents = Contents::References(refs.map(Address).to_vec());
        heap.objects.push(Object { contents, ..Object::new(Address(8), ObjectKind::Instance) });
        heap
    };
    assert_eq!(facets(&listed([16, 24]), &listed([24, 16])), [Facet::ReferenceOrder]);
    assert_eq!(facets(&listed([16, 16]), &listed([16, 24])), [Facet::References]);
}

#[test]
fn lists_unrecorded_facts_as_not_compared() {
    let mut silent = heap_with_every_fact();
    silent.classes[5].superclass = None;
    let comparison = compare(&heap_with_every_fact(), &silent, &BTreeSet::new());
    assert!(comparison.equal);
    let expected = NotCompared { facet: Facet::Superclass, count: 1, why: NotComparedReason::UnknownRight };
    assert_eq!(comparison.not_compared, [expected]);
}

#[test]
fn compares_references_without_positions() {
    let heap = heap_with_every_fact();
    let mut listed = heap_with_every_fact();
    for object in &mut listed.objects {
        if let Contents::Fields(_) | Contents::Elements(_) = object.contents {
            object.contents = Contents::References(object.references().collect());
        }
    }
    let comparison = compare(&heap, &listed, &BTreeSet::new());
    assert!(comparison.equal);
    let silent: Vec<(Facet, NotComparedReason)> = comparison.not_compared.iter().map(|n| (n.facet, n.why)).collect();
    assert_eq!(
        silent,
        [(Facet::FieldValues, NotComparedReason::UnknownRight), (Facet::Elements, NotComparedReason::UnknownRight)]
    );

    // And where they are left out.
    let mut other = heap_with_every_fact();
    first_reference(&mut other).bits = 0x1238;
    let comparison = compare(&heap, &other, &BTreeSet::from([Facet::FieldValues]));
    assert_eq!(comparison.differences.iter().map(|d| d.facet).collect::<Vec<_>>(), [Facet::References]);
}

#[test]
fn names_objects_of_differing_roots() {
    let mut fewer = heap_with_every_fact();
    roots(&mut fewer).retain(|root| root.kind != RootKind::StickyClass && root.kind != RootKind::MonitorUsed);
    let comparison = compare(&heap_with_every_fact(), &fewer, &BTreeSet::new());
    let expected = FacetDifference {
        facet: Facet::Roots,
        count: 2,
        address: Some("0x100".to_owned()),
        left: r#"{"root":"sticky-class","object":"0x100"}"#.to_owned(),
        right: "nothing".to_owned(),
        addresses: vec![Address(0x100), Address(0x102)],
        ..FacetDifference::default()
    };
    let found = comparison.differences.into_iter().map(|d| FacetDifference { classes: Vec::new(), ..d });
    assert_eq!(found.collect::<Vec<_>>(), [expected]);
}

#[test]
fn compares_kinds_and_objects_of_roots_where_roots_are_left_out() {
    let left_out = BTreeSet::from([Facet::Roots]);
    let differing = |other: &Heap| {
        let found = compare(&heap_with_every_fact(), other, &left_out);
        found.differences.into_iter().map(|found| (found.facet, found.count)).collect::<Vec<_>>()
    };
    let mut other = heap_with_every_fact();
    roots(&mut other)[2].kind = RootKind::JniLocal(Serial(77), 5);
    assert_eq!(differing(&other), []);
    roots(&mut other)[2].kind = RootKind::JavaFrame(Serial(77), 5);
    assert_eq!(differing(&other), [(Facet::RootObjects, 1)]);
    let mut fewer = heap_with_every_fact();
    roots(&mut fewer).pop();
    assert_eq!(differing(&fewer), [(Facet::RootObjects, 1)]);
    // A root that stands twice is lost if it is there once.
    let mut more = heap_with_every_fact();
    let first = roots(&mut more)[0];
    roots(&mut more).push(first);
    assert_eq!(differing(&more), [(Facet::RootObjects, 1)]);
    let whole = compare(&heap_with_every_fact(), &other, &left_out.into_iter().flat_map(Facet::with_part).collect());
    assert!(whole.differences.is_empty());
}

/// A repeated address, and another that is missing: only the latter is reported as missing.
#[test]
fn separates_repeated_addresses_from_missing_ones() {
    let mut twice = heap_with_every_fact();
    let [.., before, last] = &mut twice.objects[..] else { panic!("objects") };
    let missing = std::mem::replace(&mut last.address, before.address);
    let comparison = compare(&heap_with_every_fact(), &twice, &BTreeSet::new());
    let of_addresses = comparison.differences.iter().find(|difference| difference.facet == Facet::Address);
    let FacetDifference { count, addresses, repeated, .. } = of_addresses.expect("addresses differ");
    let again = twice.objects[twice.objects.len() - 1].address;
    assert_eq!((*count, repeated), (2, &vec![again]));
    assert_eq!(BTreeSet::from_iter(addresses), BTreeSet::from([&again, &missing]));
}

#[test]
fn compares_root_order_where_both_sides_record_it() {
    let mut unplaced = heap_with_every_fact();
    roots(&mut unplaced).iter_mut().for_each(|root| root.after = None);
    let comparison = compare(&heap_with_every_fact(), &unplaced, &BTreeSet::new());
    assert!(comparison.equal);
    let expected = NotCompared { facet: Facet::RootOrder, count: 1, why: NotComparedReason::UnknownRight };
    assert_eq!(comparison.not_compared, [expected]);
    let mut turned = unplaced.clone();
    roots(&mut turned).swap(0, 1);
    assert_eq!(facets(&unplaced, &turned), [Facet::RootOrder]);
}

#[test]
fn names_first_differing_item_of_list() {
    let mut changed = heap_with_every_fact();
    events(&mut changed).push(Event::new(3, 0, EventKind::EndThread(Serial(9))));
    let comparison = compare(&heap_with_every_fact(), &changed, &BTreeSet::new());
    let [difference] = comparison.differences.as_slice() else { panic!("one difference") };
    assert_eq!(difference.left, "no event 13, only 13");
    assert_eq!(difference.right, r#"event 13 of 14: {"after":0,"time":3,"event":"end-thread","serial":9}"#);

    let mut changed = heap_with_every_fact();
    object(&mut changed, 0x118).contents = Contents::Fields(vec![Value::primitive(PrimitiveType::Float, 1)]);
    let comparison = compare(&heap_with_every_fact(), &changed, &BTreeSet::new());
    assert_eq!(comparison.differences[0].left, r#"value 0 of 1: ["float","0x7fc00001"]"#);
}

#[test]
fn groups_differences_by_class() {
    let mut changed = heap_with_every_fact();
    let mut addresses = Vec::new();
    for object in changed.objects.iter_mut().filter(|object| object.trace.is_some()).take(9) {
        object.trace = Some(Serial(4242));
        addresses.push(object.address);
    }
    let comparison = compare(&heap_with_every_fact(), &changed, &BTreeSet::new());
    let [difference] = comparison.differences.as_slice() else { panic!("one facet differs") };
    assert_eq!((difference.facet, difference.count), (Facet::ObjectTrace, 9));
    assert_eq!(difference.classes.iter().map(|class| class.count).sum::<u64>(), 9);
    assert!(difference.classes.len() > 1 && difference.classes.is_sorted_by(|a, b| a.count >= b.count));
    let lowest = addresses.iter().min().map(Address::to_string);
    assert_eq!(difference.address, lowest);
    let found = difference.classes.iter().find(|class| Some(&class.address) == lowest.as_ref()).expect("its class");
    assert_eq!((&found.left, &found.right), (&difference.left, &difference.right));
}

/// Compares sources whose second one ascends, so that it is compared as it is read, and others.
#[test]
fn compares_sources_like_heaps_in_memory() {
    let ascending = |heap: &Heap| heap.objects.is_sorted_by_key(|object| object.address);
    let descend = |heap: &mut Heap| heap.objects.sort_by_key(|object| std::cmp::Reverse(object.address));
    for (_, change) in changes() {
        for order in [|_: &mut Heap| {}, |heap: &mut Heap| heap.objects.sort_by_key(|object| object.address), descend] {
            let (mut left, mut right) = (heap_with_every_fact(), heap_with_every_fact());
            change(&mut right);
            order(&mut right);
            let expected = compare(&left, &right, &BTreeSet::new());
            let options = CompareOptions { memory: 1 << 10, ..CompareOptions::default() };
            let found = compare_sources(&mut left, &mut right, &options).expect("temporary files");
            assert_eq!(serde_json::to_string(&found).ok(), serde_json::to_string(&expected).ok());
            let habits = HeapConventions::from_ascending(&mut right).expect("in memory");
            assert_eq!(habits.is_some(), ascending(&right));
            assert!(habits.is_none_or(|habits| habits == SortedSide::from_heap(&right).habits));
        }
    }
}
