//! Dumps made in pieces: by several threads, and as windows.

use std::sync::atomic::{AtomicU64, Ordering};

use heapsmith::DumpOptions;
use heapsmith::error::Error;
use heapsmith::format::{Format, Lowering, profiles};
use heapsmith::generate::{DRAWN, ProceduralHeap};
use heapsmith::model::blocks::{BlockFilling, BlockShape, ObjectBlocks};
use heapsmith::model::{Address, Class, Facts, Heap, HeapPart, HeapSource, Surroundings, VisitObjects, VisitParts};
use quickcheck::{Arbitrary, Gen, QuickCheck};

fn bytes(lowering: &Lowering, mut heap: &mut dyn HeapSource) -> Vec<u8> {
    let mut bytes = Vec::new();
    lowering.write(&mut heap, &mut bytes).expect("a dump");
    bytes
}

fn window(lowering: &Lowering, mut heap: &mut dyn HeapSource, from: u64, to: u64) -> (Vec<u8>, u64) {
    let mut bytes = Vec::new();
    let length = lowering.write_window(&mut heap, from..to, &mut bytes).expect("a window");
    (bytes, length)
}

fn lowering(format: Format, profile: &str, seed: u64) -> Lowering {
    DumpOptions::new(format).profile(profile).seed(seed).lowering().expect("a profile")
}

fn heap(lowering: &Lowering, objects: usize, seed: u64) -> ProceduralHeap {
    ProceduralHeap::new(&lowering.generate_options(objects, None), seed).expect("a heap")
}

/// A seed, a number of objects in blocks, and a number of threads.
#[derive(Clone, Copy, Debug)]
struct Drawn(u64, usize, usize);

impl Arbitrary for Drawn {
    fn arbitrary(g: &mut Gen) -> Drawn {
        Drawn(u64::arbitrary(g) % 1000, usize::arbitrary(g) % 9_000, 2 + usize::arbitrary(g) % 7)
    }
}

#[test]
fn any_number_of_threads_makes_the_same_bytes() {
    fn holds(Drawn(seed, objects, threads): Drawn) -> bool {
        let writers = [
            (Format::HPROF, "hotspot-25"),
            (Format::HPROF, "hotspot-8"),
            (Format::HPROF, "art"),
            (Format::HPROF, "even"),
            (Format::CLASSIC, profiles(Format::CLASSIC)[0]),
        ];
        writers.iter().all(|&(format, profile)| {
            let one = lowering(format, profile, seed);
            let mut heap = heap(&one, DRAWN + 1 + objects, seed);
            let several = one.threads(threads).expect("a writer that can");
            bytes(&one, &mut heap) == bytes(&several, &mut heap)
        })
    }
    QuickCheck::new().rng(Gen::from_size_and_seed(10_000, 3)).tests(6).quickcheck(holds as fn(Drawn) -> bool);
}

#[test]
fn consecutive_windows_equal_whole_dump() {
    fn holds(Drawn(seed, objects, cuts): Drawn) -> bool {
        let writers = [(Format::HPROF, "even"), (Format::HPROF, "hotspot-17"), (Format::CLASSIC, "")];
        writers.iter().all(|&(format, profile)| {
            let profile = if profile.is_empty() { profiles(format)[0] } else { profile };
            let lowering = lowering(format, profile, seed);
            let mut heap = heap(&lowering, DRAWN + 1 + objects, seed);
            let whole = bytes(&lowering, &mut heap);
            let length = whole.len() as u64;
            // Cuts anywhere, two of them one byte apart, and one at each end.
            let mut places: Vec<u64> =
                (0..cuts as u64).map(|n| (seed + 1 + n).wrapping_mul(0x9e37_79b9_7f4a_7c15) % length).collect();
            places.extend([0, places[0] + 1, length]);
            places.sort_unstable();
            let lowering = lowering.threads(cuts % 3).expect("a writer that can");
            places.windows(2).all(|ends| {
                let (bytes, all) = window(&lowering, &mut heap, ends[0], ends[1]);
                all == length && bytes == whole[ends[0] as usize..ends[1] as usize]
            })
        })
    }
    QuickCheck::new().rng(Gen::from_size_and_seed(10_000, 4)).tests(6).quickcheck(holds as fn(Drawn) -> bool);
}

/// Counts the blocks that are computed.
struct Counting<'h> {
    heap: &'h ProceduralHeap,
    filled: AtomicU64,
}

impl HeapSource for &Counting<'_> {
    fn facts(&self) -> &Facts {
        &self.heap.drawn().facts
    }

    fn classes(&self) -> &[Class] {
        &self.heap.drawn().classes
    }

    fn surroundings(&self) -> &Surroundings {
        &self.heap.drawn().surroundings
    }

    fn visit_objects(&mut self, _: &mut VisitObjects<'_>) -> Result<(), Error> {
        panic!("objects one by one");
    }

    fn visit_parts(&mut self, visit: &mut VisitParts<'_>) -> Result<(), Error> {
        self.heap.drawn().objects.iter().try_for_each(|object| visit(HeapPart::Object(object)))?;
        visit(HeapPart::Blocks(*self))
    }

    fn ascends(&self) -> bool {
        self.heap.ascends()
    }
}

impl Counting<'_> {
    fn blocks(&self) -> &dyn ObjectBlocks {
        self.heap.blocks().expect("many objects")
    }
}

impl ObjectBlocks for Counting<'_> {
    fn count(&self) -> u64 {
        self.blocks().count()
    }

    fn shapes(&self) -> &[BlockShape] {
        self.blocks().shapes()
    }

    fn shape_of(&self, block: u64) -> usize {
        self.blocks().shape_of(block)
    }

    fn blocks_of(&self, shape: usize) -> u64 {
        self.blocks().blocks_of(shape)
    }

    fn unit(&self) -> u64 {
        self.blocks().unit()
    }

    fn address(&self, block: u64) -> Address {
        self.blocks().address(block)
    }

    fn fill(&self, block: u64, filling: &mut BlockFilling) {
        self.filled.fetch_add(1, Ordering::Relaxed);
        self.blocks().fill(block, filling);
    }

    fn find(&self, address: Address) -> Option<(u64, usize)> {
        self.blocks().find(address)
    }
}

#[test]
fn window_of_terabyte_dump_takes_constant_work() {
    let lowering = lowering(Format::HPROF, "even", 0);
    let mut filled = Vec::new();
    for objects in [100_000, 20_000_000_000] {
        let heap = heap(&lowering, objects, 1);
        let counting = Counting { heap: &heap, filled: AtomicU64::new(0) };
        let (none, length) = window(&lowering, &mut &counting, 0, 0);
        assert!(none.is_empty() && length > 50 * objects as u64);
        // 10,000 bytes, wherever they are: two groups of 64 blocks, and up to 64 each at the start and at the end.
        for place in 0..8 {
            counting.filled.store(0, Ordering::Relaxed);
            let from = length / 8 * place + 17;
            let (bytes, _) = window(&lowering, &mut &counting, from, from + 10_000);
            assert_eq!(bytes.len(), 10_000);
            filled.push(counting.filled.load(Ordering::Relaxed));
        }
    }
    assert!(filled.iter().all(|blocks| *blocks <= 4 * 64), "{filled:?}");
}

/// But for its segments it is a dump of HotSpot.
#[test]
fn even_profile_writes_same_heap_as_hotspot_25() {
    let (even, hotspot) = (lowering(Format::HPROF, "even", 0), lowering(Format::HPROF, "hotspot-25", 0));
    let mut heap = heap(&even, 40_000, 5);
    let (one, other) = (bytes(&even, &mut heap), bytes(&hotspot, &mut heap));
    let read = |bytes: &[u8]| -> Heap { heapsmith::read(bytes).expect("a dump") };
    assert!(one != other && read(&one) == read(&other));
    assert!(heapsmith::validate(&one).valid);
    // 40,000 objects are some 19 groups.
    let segments = |bytes: &[u8]| {
        let mut segments = 0;
        let mut decoder = heapsmith::hprof::Decoder::new(bytes).expect("a header");
        let visited = decoder.visit(|step| {
            segments += u64::from(matches!(step, heapsmith::hprof::DecodeStep::Segment(..)));
            Ok::<(), Error>(())
        });
        visited.map(|_| segments).expect("a dump")
    };
    assert!((19..25).contains(&segments(&one)), "{} and {} segments", segments(&one), segments(&other));
}
