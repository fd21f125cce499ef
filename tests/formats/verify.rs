//! A dump is the heap that it was generated from, and no other.

use heapsmith::DumpOptions;
use heapsmith::format::{Format, Lowering, profiles};
use heapsmith::generate::{DRAWN, ProceduralHeap};
use heapsmith::input::Input;
use heapsmith::model::{Contents, Heap, HeapSource, Object};
use heapsmith::verify::{Verified, VerifyOptions, verify};

fn bytes(lowering: &Lowering, mut heap: &mut dyn HeapSource) -> Vec<u8> {
    let mut bytes = Vec::new();
    lowering.write(&mut heap, &mut bytes).expect("a dump");
    bytes
}

fn verified(dump: Vec<u8>, heap: &ProceduralHeap, lowering: &Lowering, any_order: bool) -> Verified {
    let stream = Input::from_memory("dump", dump).stream().expect("in memory");
    verify(stream, heap, lowering, VerifyOptions::default().any_order(any_order)).expect("it can be judged")
}

fn heap_of(lowering: &Lowering, objects: usize, seed: u64) -> ProceduralHeap {
    ProceduralHeap::new(&lowering.generate_options(objects, None), seed).expect("a heap")
}

#[test]
fn accepts_dump_of_every_writer_and_rejects_other_seed() {
    let mut seen = 0;
    for format in Format::all() {
        for profile in profiles(format) {
            let lowering = DumpOptions::new(format).profile(profile).seed(5).lowering().expect("a profile");
            // A trap is read otherwise, and what is in no known order has to be asked for.
            if lowering.is_trap() {
                continue;
            }
            for objects in [300, DRAWN + 700] {
                let mut heap = heap_of(&lowering, objects, 5);
                let dump = bytes(&lowering, &mut heap);
                let same = verified(dump.clone(), &heap, &lowering, lowering.is_seeded());
                assert!(same.same, "{format} {profile}, {objects} objects: {:#?}", same.differences);
                assert_eq!(same.compared, same.objects);
                let other = heap_of(&lowering, objects, 6);
                let other = verified(dump.clone(), &other, &lowering, lowering.is_seeded());
                assert!(!other.same, "{format} {profile}, {objects} objects");
                let cut = verified(dump[..dump.len() * 9 / 10].to_vec(), &heap, &lowering, true);
                assert!(!cut.same, "{format} {profile}: without its end");
                seen += 1;
            }
        }
    }
    assert!(seen > 30, "{seen} dumps");
}

/// What is done to a copy, and what says so.
type Change = (&'static str, fn(&mut Heap, usize));

const CHANGES: [Change; 6] = [
    ("a changed byte", |heap, at| {
        let object =
            &mut heap.objects[at..].iter_mut().find(|o| matches!(&o.contents, Contents::Primitives(b) if b.len() > 3));
        let Some(Object { contents: Contents::Primitives(bytes), .. }) = object else { panic!("an array") };
        bytes[3] ^= 1;
    }),
    ("a moved reference", |heap, at| {
        let to = heap.objects[at / 2].address;
        let is_free =
            |object: &&mut Object| matches!(&object.contents, Contents::Elements(all) if all.len() > 2 && all[1] != to);
        let object = heap.objects[at..].iter_mut().find(is_free).expect("an array");
        let Contents::Elements(elements) = &mut object.contents else { panic!("an array") };
        elements[1] = to;
    }),
    ("a swapped pair", |heap, at| heap.objects.swap(at, at + 1)),
    ("a dropped object", |heap, at| {
        heap.objects.remove(at);
    }),
    ("one twice for another of its block", |heap, at| {
        heap.objects[at + 1] = heap.objects[at].clone();
    }),
    ("one twice for another far away", |heap, at| {
        heap.objects[at / 2 + 600] = heap.objects[at].clone();
    }),
];

fn finds_all(lowering: &Lowering, objects: usize, at: usize, any_order: bool) {
    let mut heap = heap_of(lowering, objects, 9);
    let copy = Heap::collect(&mut heap).expect("a copy");
    // As it stands: writers who sort would put a swapped pair right.
    let as_it_stands = lowering.adhering();
    let same = verified(bytes(&as_it_stands, &mut copy.clone()), &heap, &as_it_stands, any_order);
    assert!(same.same, "{:#?}", same.differences);
    for (what, change) in CHANGES {
        let mut changed = copy.clone();
        change(&mut changed, at);
        let found = verified(bytes(&as_it_stands, &mut changed), &heap, &as_it_stands, any_order);
        let is_allowed = any_order && what == "a swapped pair";
        assert_eq!(found.same, is_allowed, "{what}, any order: {any_order}: {:?}", found.differences);
    }
    let mut changed = copy.clone();
    let roots = changed.surroundings.roots.as_mut().expect("roots");
    roots.remove(roots.len() - 3);
    let found = verified(bytes(&as_it_stands, &mut changed), &heap, &as_it_stands, any_order);
    let has_roots = lowering.format() == Format::HPROF;
    assert_eq!(found.same, !has_roots, "a dropped root: {:?}", found.differences);
}

/// In front, in the blocks, and where a block ends.
#[test]
fn one_change_among_many_objects_is_found() {
    let hotspot = DumpOptions::new(Format::HPROF).lowering().expect("a profile");
    finds_all(&hotspot, 100_000, 50_001, false);
    finds_all(&hotspot, 20_000, 512 + 32 * 200 - 1, true);
    finds_all(&hotspot, 6_000, 300, false);
}

#[test]
fn a_sample_is_compared_and_all_are_counted() {
    let lowering = DumpOptions::new(Format::HPROF).lowering().expect("a profile");
    let mut heap = heap_of(&lowering, 60_000, 2);
    let dump = bytes(&lowering, &mut heap);
    let sampled = |dump: Vec<u8>| {
        let stream = Input::from_memory("dump", dump).stream().expect("in memory");
        verify(stream, &heap, &lowering, VerifyOptions::default().sample(10)).expect("it can be judged")
    };
    let all = sampled(dump.clone());
    assert!(all.same && (4_000..9_000).contains(&all.compared), "{all:?}");
    assert!(!sampled(dump[..dump.len() - 2_000].to_vec()).same);
}

#[test]
fn reports_other_format_as_difference() {
    let lowering = DumpOptions::new(Format::HPROF).lowering().expect("a profile");
    let heap = heap_of(&lowering, 100, 2);
    let classic = heap_of(&lowering, 100, 2).drawn().write(Format::CLASSIC).expect("a dump").into_bytes();
    let found = verified(classic, &heap, &lowering, false);
    assert_eq!(found.differences[0].what, "format");
}
