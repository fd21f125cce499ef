//! Heaps whose objects are computed, against their own copies in memory.

use std::collections::HashMap;

use heapsmith::format::{Family, Format, Lowering, profiles};
use heapsmith::generate::{DRAWN, GenerateOption, GenerateOptions, Oddities, Oddity, ProceduralHeap};
use heapsmith::model::{Address, Contents, Heap, HeapSource, WordSize};
use heapsmith::recipe::Recipe;
use heapsmith::{DumpOptions, validate};

fn bytes(lowering: &Lowering, mut heap: &mut dyn HeapSource) -> Vec<u8> {
    let mut bytes = Vec::new();
    lowering.write(&mut heap, &mut bytes).expect("a dump");
    bytes
}

/// Every writer, with and without oddities: objects in blocks are written together, and those of a copy one by one.
#[test]
fn dump_of_blocks_equals_dump_of_copy_in_memory() {
    let odd = [Oddity::ExtremeValues, Oddity::HighAddresses, Oddity::ZeroSizes, Oddity::NullHash];
    let mut written = 0;
    for format in Format::all() {
        for (number, profile) in profiles(format).into_iter().enumerate() {
            let lowering = DumpOptions::new(format).profile(profile).seed(3).lowering().expect("a profile");
            let oddities: Oddities = if number % 2 == 0 { Oddities::NONE } else { odd.into_iter().collect() };
            let options = lowering.generate_options(DRAWN + 1 + 300 * number, None).oddities(oddities);
            let mut heap = ProceduralHeap::new(&options, number as u64).expect("a heap");
            let mut copy = Heap::collect(&mut heap).expect("a copy");
            assert_eq!(copy.objects.len(), options.objects);
            let dump = bytes(&lowering, &mut heap);
            assert!(dump == bytes(&lowering, &mut copy), "{format} {profile}");
            assert!(validate(&dump).valid, "{format} {profile}");
            written += 1;
        }
    }
    assert!(written > 15, "{written} writers");
}

/// What a format cannot spell is refused with the option's name.
#[test]
fn objects_in_blocks_have_every_layout_of_addresses() {
    let mut written = 0;
    for layout in GenerateOption::named("addresses").and_then(GenerateOption::names).expect("the layouts") {
        for (word, format) in ["64", "32"].into_iter().flat_map(|word| Format::all().map(move |format| (word, format)))
        {
            let pairs = format!("objects=5000,addresses={layout},word={word},format={format},seed=4");
            let recipe = Recipe::read(&format!("heapsmith-2:{pairs}")).expect("a recipe");
            let (lowering, mut heap) = match recipe.lowering_and_heap() {
                Ok(dumped) => dumped,
                Err(error) => {
                    assert!(error.to_string().contains("addresses="), "{pairs}: {error}");
                    let is_known = ["unaligned", "numbers"].contains(&layout) && format.family() == Family::PHD;
                    assert!(is_known || (layout, word) == ("above-4g", "32"), "{pairs}: {error}");
                    continue;
                }
            };
            assert_eq!(heap.blocks().is_some(), layout != "numbers");
            let mut copy = Heap::collect(&mut heap).expect("a copy");
            let dump = bytes(&lowering, &mut heap);
            assert!(dump == bytes(&lowering, &mut copy), "{pairs}");
            let report = validate(&dump);
            assert!(report.valid, "{pairs}: {:?}", report.findings.first());
            written += 1;
        }
    }
    assert!(written > 60, "{written} dumps");
}

#[test]
fn finds_object_by_address() {
    for seed in 0..12 {
        let word = if seed % 2 == 0 { WordSize::Bits32 } else { WordSize::Bits64 };
        let objects = DRAWN + 1 + 3_333 * seed as usize;
        let options = GenerateOptions::default().word(word).objects(objects);
        let heap = ProceduralHeap::new(&options, seed).expect("a heap");
        let blocks = heap.blocks().expect("more than are drawn");
        let copy = Heap::collect(&mut heap.clone()).expect("a copy");
        let (first, rest) = copy.objects.split_at(heap.drawn().objects.len());
        assert!(first.iter().chain(rest).is_sorted_by(|one, next| one.address < next.address), "seed {seed}");
        let mut of_shape = vec![0; blocks.shapes().len()];
        for (number, object) in rest.iter().enumerate() {
            let (block, place) = (number as u64 / 32, number % 32);
            assert_eq!(blocks.find(object.address), Some((block, place)), "seed {seed}, object {number}");
            assert_eq!(blocks.find(Address(object.address.0 + 4)), None);
            of_shape[blocks.shape_of(block)] += u64::from(place == 0);
        }
        assert!(first.iter().all(|object| blocks.find(object.address).is_none()));
        let all: Vec<u64> = (0..of_shape.len()).map(|shape| blocks.blocks_of(shape)).collect();
        assert_eq!(all, of_shape, "seed {seed}");
        // Every reference is to an object or a class, unless it is null.
        let known = copy.objects.iter().map(|o| o.address).chain(copy.classes.iter().map(|c| c.address));
        let known: std::collections::HashSet<Address> = known.chain([Address::NULL]).collect();
        assert!(rest.iter().flat_map(|object| object.references()).all(|to| known.contains(&to)), "seed {seed}");
    }
}

/// Random references are spread as chance spreads them, and nearly everything is reached.
#[test]
fn references_are_spread_evenly_over_all_objects() {
    let options = GenerateOptions::default().objects(200_000);
    let mut heap = ProceduralHeap::new(&options, 11).expect("a heap");
    let copy = Heap::collect(&mut heap).expect("a copy");
    let first = heap.drawn().objects.len();
    let places: HashMap<Address, usize> = copy.objects.iter().zip(0..).map(|(o, at)| (o.address, at)).collect();
    let block_of = |place: usize| (place - first) / 32;
    let mut into_block = vec![0_u32; (copy.objects.len() - first) / 32];
    let mut into_slot = [0_u32; 32];
    let (mut far, mut near, mut own, mut themselves, mut pairs) = (0_u32, 0_u32, 0_u32, 0_u32, 0_u32);
    let mut edges = std::collections::HashSet::new();
    for (from, object) in copy.objects.iter().enumerate().skip(first) {
        for to in object.references().filter_map(|to| places.get(&to).copied()) {
            let distance = block_of(to).abs_diff(block_of(from));
            // The array that holds a block refers to blocks by their numbers.
            let is_holder = (from - first).is_multiple_of(32);
            if is_holder {
                continue;
            }
            themselves += u32::from(from == to);
            match distance {
                0 => own += 1,
                1..=128 => near += 1,
                _ => far += 1,
            }
            if distance > 0 {
                into_block[block_of(to)] += 1;
                into_slot[(to - first) % 32] += 1;
                edges.insert((from, to));
                pairs += u32::from(edges.contains(&(to, from)));
            }
        }
    }
    assert!(far > 20_000 && near > 20_000 && own > 20_000, "{far} far, {near} near, {own} in the block itself");
    // In-degrees of blocks: the variance of a Poisson distribution is its mean. A tenth is more than ten standard deviations
    // of chance for the sum over some 6,000 blocks.
    let blocks = into_block.len() as f64;
    let mean = into_block.iter().map(|n| f64::from(*n)).sum::<f64>() / blocks;
    let variance = into_block.iter().map(|n| (f64::from(*n) - mean).powi(2)).sum::<f64>() / blocks;
    assert!((0.8..1.2).contains(&(variance / mean)), "mean {mean}, variance {variance}");
    // Chi-squared with 31 degrees of freedom: above 80 once in 300,000 times.
    let mean = f64::from(into_slot.iter().sum::<u32>()) / 32.0;
    let spread = into_slot.iter().map(|n| (f64::from(*n) - mean).powi(2) / mean).sum::<f64>();
    assert!(spread < 80.0, "{spread}: places of objects in blocks: {into_slot:?}");
    assert!(pairs < 60, "{pairs} pairs of objects of several blocks refer to each other");
    assert!(themselves < own / 4, "{themselves} of {own} references in a block are to the object itself");
    // From the roots.
    let mut seen = vec![false; copy.objects.len()];
    let roots = copy.surroundings.roots.iter().flatten().filter_map(|root| places.get(&root.object).copied());
    let mut open: Vec<usize> = roots.collect();
    while let Some(place) = open.pop() {
        if !std::mem::replace(&mut seen[place], true) {
            open.extend(copy.objects[place].references().filter_map(|to| places.get(&to).copied()));
        }
    }
    assert!(seen[first..].iter().all(|seen| *seen), "every object of a block is reached");
    let values = copy.objects.iter().skip(first).filter_map(|object| match &object.contents {
        Contents::Primitives(bytes) if bytes.len() >= 8 => Some(bytes[..8].to_vec()),
        _ => None,
    });
    let all: Vec<Vec<u8>> = values.collect();
    let different: std::collections::HashSet<&Vec<u8>> = all.iter().collect();
    assert!(different.len() * 4 > all.len() * 3, "{} of {} arrays begin otherwise", different.len(), all.len());
}

#[test]
fn more_objects_than_addresses_are_refused() {
    let options = GenerateOptions::default().word(WordSize::Bits32).objects(1 << 30);
    let refused = ProceduralHeap::new(&options, 1).expect_err("32 bits");
    assert!(refused.to_string().contains("1073741824 objects do not fit into addresses of 32 bits"), "{refused}");
    // 10^9 objects take as much memory as a few thousand.
    let options = GenerateOptions::default().objects(1_000_000_000);
    let heap = ProceduralHeap::new(&options, 1).expect("64 bits");
    assert_eq!(heap.objects(), 1_000_000_000);
    let blocks = heap.blocks().expect("many");
    let mut filling = Default::default();
    for block in [0, 1, blocks.count() / 2, blocks.count() - 1] {
        blocks.fill(block, &mut filling);
        let first = &blocks.shapes()[blocks.shape_of(block)].objects[0];
        assert_eq!(blocks.find(Address(filling.address + first.address.0)), Some((block, 0)));
        for &to in &filling.references {
            assert!(blocks.find(Address(to)).is_some(), "block {block} refers to {to:#x}");
        }
    }
}
