//! Heaps to convert, and dumps in memory.

use heapsmith::DumpOptions;
use heapsmith::convert::{Conversion, ConvertOptions, ConvertedHeap};
use heapsmith::format::{DumpFile, DumpTarget, Format, Lowering};
use heapsmith::generate::{AddressSpace, Oddities, Oddity, from_seed};
use heapsmith::hprof::ReadOptions;
use heapsmith::input::Input;
use heapsmith::model::{
    Address, Class, Event, EventKind, HashRegime, HeaderTotals, Heap, HeapSource, IdentityHash, Root, RootKind, Serial,
    WordSize,
};

/// Heaps of every kind that the target's generator is meant for, with what a generator seldom draws.
pub(crate) fn heaps(lowering: &Lowering) -> Vec<Heap> {
    let kinds = [
        (1, Some(HashRegime::WhereUsed32), None, WordSize::Bits64),
        (2, Some(HashRegime::Every16), None, WordSize::Bits64),
        (3, None, Some(AddressSpace::Numbers), WordSize::Bits64),
        (4, Some(HashRegime::WhereUsed32), None, WordSize::Bits32),
        (5, Some(HashRegime::Every16), None, WordSize::Bits32),
    ];
    let heap = |(seed, hashes, addresses, word): (u64, Option<HashRegime>, Option<AddressSpace>, WordSize)| {
        let options = lowering.generate_options(40, hashes);
        // Only a format of identifiers has objects at odd addresses.
        let addresses = addresses.filter(|_| lowering.format() == Format::HPROF).unwrap_or(options.addresses);
        let mut heap = from_seed(&options.addresses(addresses).word(word).oddities(oddities()), seed);
        spice(&mut heap);
        heap
    };
    // More rounds than those of every run draw more heaps: HEAPSMITH_CONVERSION_ROUNDS=20.
    let rounds = std::env::var("HEAPSMITH_CONVERSION_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(2);
    let round = |round: u64| kinds.map(|(seed, hashes, addresses, word)| (seed + 10 * round, hashes, addresses, word));
    (0..rounds).flat_map(round).map(heap).collect()
}

/// What every format can hold.
fn oddities() -> Oddities {
    let all = [
        Oddity::NonAsciiNames,
        Oddity::SupplementaryNames,
        Oddity::NulNames,
        Oddity::TwinClasses,
        Oddity::ShadowedFields,
        Oddity::ExtremeValues,
        Oddity::ConstantPools,
        Oddity::Signers,
        Oddity::EveryRoot,
    ];
    all.into_iter().collect()
}

fn spice(heap: &mut Heap) {
    // The classes of primitive types become instances of this one.
    if !heap.classes.iter().any(|class| class.name == "java/lang/Class".into()) {
        let used = heap.classes.iter().map(|class| class.address).chain(heap.objects.iter().map(|o| o.address));
        let address = Address(used.map(|address| address.0).max().unwrap_or_default() + 8);
        let object = heap.classes[0].clone();
        let superclass = Some(object.address);
        heap.classes.push(Class { address, superclass, name: "java/lang/Class".into(), ..object });
    }
    let mut hashed = heap.objects.iter_mut().filter(|object| matches!(object.hash, Some(IdentityHash::Bits32(_))));
    if let Some(object) = hashed.next() {
        object.hash = Some(IdentityHash::Bits32(0));
    }
    heap.facts.totals = Some(HeaderTotals { objects: 7, references: 9 });
    let objects: Vec<Address> = heap.objects.iter().map(|object| object.address).collect();
    if let (Some(roots), Some(&object)) = (&mut heap.surroundings.roots, objects.first()) {
        roots.push(Root { object, kind: RootKind::InternedString, after: None });
        roots.push(Root { object, kind: RootKind::JniMonitor(Serial(1), 2), after: None });
    }
    let text = Event::new(0, 0, EventKind::Text(heapsmith::model::TextId(9), "nothing/uses/this".into()));
    heap.surroundings.events.get_or_insert_default().push(text);
}

/// The writer of a kind of dump.
pub(crate) fn lowering(target: &DumpTarget, seed: u64) -> Lowering {
    let options = DumpOptions::new(target.format).profile(target.profile.as_deref()).seed(seed);
    options.lowering().expect("a target of the table")
}

/// The heap that is read from the dump that is written of another.
pub(crate) fn written(heap: &mut dyn HeapSource, lowering: &Lowering) -> Heap {
    let mut bytes = Vec::new();
    let mut heap = heap;
    lowering.write(&mut heap, &mut bytes).unwrap_or_else(|e| panic!("{}: {e}", lowering.profile()));
    read(bytes)
}

pub(crate) fn read(bytes: Vec<u8>) -> Heap {
    let file = DumpFile::new(Input::from_memory("dump", bytes), ReadOptions::default()).expect("memory");
    let whole = file.read().expect("a header");
    whole.ended.expect("a whole dump");
    whole.dump.heaps.into_iter().next().expect("a heap")
}

/// The heap that is read from the dump that a heap is converted to.
pub(crate) fn converted(heap: &mut Heap, lowering: &Lowering) -> Heap {
    converted_and_told(heap, lowering).0
}

/// The same, and what the conversion says that it cost.
pub(crate) fn converted_and_told(heap: &mut Heap, lowering: &Lowering) -> (Heap, Conversion) {
    let options = ConvertOptions::new(lowering);
    let mut converted = ConvertedHeap::new(heap, &options).expect("convertible");
    let there = written(&mut converted, lowering);
    (there, converted.report(lowering, Vec::new()))
}
