//! Failing heaps and dumps that quickcheck makes small.

use std::cell::RefCell;

use heapsmith::format::Format;
use heapsmith::model::{Heap, Object, ObjectKind};
use heapsmith::random::{AnyDump, ClassicDump, HprofDump, PhdDump};
use heapsmith::{read, validate};
use quickcheck::{Arbitrary, Gen, QuickCheck};

thread_local! {
    /// The last heap for which a property failed: when quickcheck is done, the smallest.
    static FAILED: RefCell<Option<Heap>> = const { RefCell::new(None) };
}

/// The heap that quickcheck ends with for a property that must not hold, from heaps of 200 objects.
fn smallest(fails: fn(&Heap) -> bool, property: fn(Large) -> bool) -> Heap {
    let outcome = QuickCheck::new().rng(Gen::from_size_and_seed(200, 1)).tests(20).quicktest(property);
    assert!(outcome.is_err(), "a heap of 200 objects has such an object");
    let heap = FAILED.take().expect("it failed");
    assert!(fails(&heap));
    heap
}

fn holds(heap: Heap, fails: fn(&Heap) -> bool) -> bool {
    let failed = fails(&heap);
    if failed {
        FAILED.set(Some(heap));
    }
    !failed
}

/// A heap that begins with 200 objects.
#[derive(Clone, Debug)]
struct Large(Heap);

impl Arbitrary for Large {
    fn arbitrary(g: &mut Gen) -> Large {
        Large(Heap::random(u64::arbitrary(g)))
    }

    fn shrink(&self) -> Box<dyn Iterator<Item = Large>> {
        Box::new(self.0.shrink().map(Large))
    }
}

fn has_an_array_in_itself(heap: &Heap) -> bool {
    let in_itself = |object: &Object| object.references().any(|to| to == object.address);
    heap.objects.iter().any(|object| object.kind == ObjectKind::ObjectArray && in_itself(object))
}

fn no_array_is_in_itself(Large(heap): Large) -> bool {
    holds(heap, has_an_array_in_itself)
}

#[test]
fn an_array_that_contains_itself_shrinks_to_one_object() {
    let heap = smallest(has_an_array_in_itself, no_array_is_in_itself);
    assert_eq!(heap.objects.len(), 1, "{heap:#?}");
    assert_eq!(heap.objects[0].length, Some(1), "one element is enough");
    // Its class, the classes that have its component's name, and their superclasses.
    assert!(heap.classes.len() < 8, "{:#?}", heap.classes);
    assert_eq!(heap.surroundings.roots, Some(Vec::new()));
}

/// Two objects that refer to each other, and a third of the same class as the first.
fn has_a_cycle_and_a_third(heap: &Heap) -> bool {
    heap.objects.iter().any(|a| {
        heap.objects.iter().any(|b| {
            a.address < b.address
                && a.references().any(|to| to == b.address)
                && b.references().any(|to| to == a.address)
                && heap.objects.iter().any(|c| c.class == a.class && c.address != a.address && c.address != b.address)
        })
    })
}

fn no_cycle_has_a_third(Large(heap): Large) -> bool {
    holds(heap, has_a_cycle_and_a_third)
}

#[test]
fn shrinks_failure_of_three_objects_to_three() {
    assert_eq!(smallest(has_a_cycle_and_a_third, no_cycle_has_a_third).objects.len(), 3);
}

#[test]
fn random_dumps_are_valid_and_hold_their_heap() {
    fn holds<D: AsRef<[u8]>>(dump: &D, heap: &Heap) -> bool {
        let sound = read(dump.as_ref()).is_ok_and(|parsed| heapsmith::compare(heap, &parsed).equal);
        sound && validate(dump.as_ref()).valid
    }
    let check = |seed| QuickCheck::new().rng(Gen::from_size_and_seed(30, seed)).tests(8);
    check(1).quickcheck((|dump: PhdDump| holds(&dump, dump.heap())) as fn(PhdDump) -> bool);
    check(2).quickcheck((|dump: HprofDump| holds(&dump, dump.heap())) as fn(HprofDump) -> bool);
    check(3).quickcheck((|dump: ClassicDump| holds(&dump, dump.heap())) as fn(ClassicDump) -> bool);
    check(4).quickcheck((|dump: AnyDump| holds(&dump, dump.heap())) as fn(AnyDump) -> bool);
}

/// A heap of any format is written in every format, and what each carries comes back.
#[test]
fn random_heaps_can_be_written_in_every_format() {
    use arbitrary::Unstructured;
    let mut g = Gen::from_size_and_seed(30, 6);
    let bytes: Vec<u8> = (0..4000_u32).map(|n| (n * n / 8) as u8).collect();
    let fuzzed = bytes.chunks(500).map(|bytes| Unstructured::new(bytes).arbitrary::<Heap>().expect("any bytes"));
    let heaps: Vec<Heap> = (0..8).map(|_| Heap::arbitrary(&mut g)).chain(fuzzed).collect();
    assert!(heaps.iter().filter(|heap| heap.objects.len() > 5).count() > 8, "heaps of some objects");
    for heap in heaps {
        for format in Format::all() {
            let bytes = heap.write(format).unwrap_or_else(|e| panic!("{format}: {e}"));
            assert!(validate(&bytes).valid, "{format}");
            let back = read(&bytes).expect("it was written here");
            heapsmith::assert_same_heap!(heap.carried_by(format).expect("as written"), back);
        }
    }
}

#[test]
fn dumps_shrink_in_their_own_format_and_spelling() {
    let mut g = Gen::from_size_and_seed(30, 5);
    for _ in 0..4 {
        let dump = AnyDump::arbitrary(&mut g);
        assert_eq!(dump.shrink().next().map(|smaller| smaller.original().objects.len()), Some(0));
        for smaller in dump.shrink().take(6) {
            assert_eq!((smaller.format(), smaller.profile()), (dump.format(), dump.profile()));
            assert!(smaller.original().objects.len() <= dump.original().objects.len());
            assert!(validate(smaller.bytes()).valid);
        }
    }
}

#[test]
fn arbitrary_bytes_give_heaps_that_grow_with_input() {
    use arbitrary::Unstructured;
    let bytes: Vec<u8> = (0..2000_u32).map(|n| (n * n / 8) as u8).collect();
    let heap = |bytes: &[u8]| Unstructured::new(bytes).arbitrary::<Heap>().expect("any bytes give a heap");
    assert_eq!((heap(&[]).objects.len(), heap(&bytes[..80]).objects.len()), (0, 10));
    assert_eq!(heap(&bytes), heap(&bytes));
    for length in [0, 1, 50, 400, 2000] {
        let dump: AnyDump = Unstructured::new(&bytes[..length]).arbitrary().expect("any bytes give a dump");
        assert!(validate(dump.bytes()).valid, "{length} bytes: {}", dump.format());
    }
}
