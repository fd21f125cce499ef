//! Facts that HPROF records beyond PHD. They are drawn last, so that earlier draws keep their meaning and a seed its
//! PHD.

use crate::model::{
    Address, Contents, Event, EventKind, Heap, Name, ObjectKind, PoolEntry, PrimitiveType, Region, Root, RootKind,
    Serial, TextId, Value,
};

use super::library::Library;
use super::oddity::Oddity;
use super::options::GenerateOptions;
use super::program;
use super::values::random_value;
use crate::draw::Draw;

pub(super) fn add(options: &GenerateOptions, heap: &mut Heap, draw: &mut dyn Draw) {
    if heap.objects.is_empty() {
        return;
    }
    let addresses: Vec<Address> = heap.objects.iter().map(|object| object.address).collect();
    let string = heap.classes.iter().find(|class| class.name == Name::from_text("java/lang/String"));
    let string = string.map(|class| class.address);
    let constants: Vec<Address> = heap
        .classes
        .iter()
        .map(|class| class.address)
        .chain(heap.objects.iter().filter(|object| object.class == string).map(|object| object.address))
        .collect();
    for class in &mut heap.classes {
        // What the boot loader defined has no protection domain.
        if class.loader.is_some_and(|loader| !loader.is_null()) && draw.one_in(2) {
            class.protection_domain = Some(*draw.pick(&addresses));
        }
        if options.oddities.has(Oddity::Signers) && draw.one_in(4) {
            class.signers = Some(*draw.pick(&addresses));
        }
        class.constant_pool = Some(pool(options, &constants, draw));
    }
    traces(options, heap, draw);
    if options.oddities.has(Oddity::EveryRoot) || options.library == Library::Android {
        roots(options, heap, &addresses, string, draw);
    }
    regions(heap, draw);
    // A heap that is written in its own order has its own log as well, and that would have to be a whole one.
    if options.unused_texts > 0 && options.has_writers_order() {
        let texts = (0..options.unused_texts).map(|number| {
            let text = Name::from_text(&program::symbol(number));
            Event::new(0, 0, EventKind::Text(TextId(UNUSED + 0x40 * u64::from(number)), text))
        });
        heap.surroundings.events = Some(texts.collect());
    }
    if options.bare_arrays {
        for object in heap.objects.iter_mut().filter(|object| matches!(object.kind, ObjectKind::PrimitiveArray(_))) {
            if draw.one_in(4) {
                object.contents = Contents::Unknown;
            }
        }
    }
}

/// The first identifier of texts that nothing names.
const UNUSED: u64 = 0x10_0000;

/// A constant pool of classes and strings, as the profiling agent writes it; with oddities, of values of every type.
fn pool(options: &GenerateOptions, constants: &[Address], draw: &mut dyn Draw) -> Vec<PoolEntry> {
    let is_odd = options.oddities.has(Oddity::ConstantPools);
    if !is_odd && options.library != Library::Jdk6 {
        return Vec::new();
    }
    let mut entry = || PoolEntry {
        index: draw.below(1 << 16) as u16,
        value: match draw.below(3) {
            0 if is_odd => random_value(*draw.pick(&PrimitiveType::ALL), options.oddities, draw),
            _ => Value::reference(*draw.pick(constants)),
        },
    };
    (0..3).map(|_| entry()).collect()
}

/// Draws allocation and loading traces: most are unknown, which the first trace stands for.
fn traces(options: &GenerateOptions, heap: &mut Heap, draw: &mut dyn Draw) {
    let serials: Vec<Serial> = heap.surroundings.traces.iter().flatten().map(|trace| trace.serial).collect();
    let Some(&first) = serials.first() else { return };
    let elsewhere = (!options.oddities.has(Oddity::AnySpelling)).then_some(first);
    for class in &mut heap.classes {
        class.trace = if draw.one_in(3) { Some(*draw.pick(&serials)) } else { elsewhere };
    }
    for object in &mut heap.objects {
        object.trace = if draw.one_in(3) { Some(*draw.pick(&serials)) } else { elsewhere };
    }
}

/// Draws roots of Android's kinds: the kinds that its runtime writes today, or all. Interned strings need strings in
/// the heap.
fn roots(
    options: &GenerateOptions,
    heap: &mut Heap,
    addresses: &[Address],
    string: Option<Address>,
    draw: &mut dyn Draw,
) {
    let strings: Vec<Address> =
        heap.objects.iter().filter(|object| object.class == string).map(|object| object.address).collect();
    let threads: Vec<Serial> = heap.surroundings.threads.iter().flatten().map(|thread| thread.serial).collect();
    let roots = heap.surroundings.roots.get_or_insert_default();
    let every = options.oddities.has(Oddity::EveryRoot);
    for number in 0..if every { 8 } else { draw.below(10) } {
        let kind = match if every { number } else { draw.below(5) } {
            0 | 1 => RootKind::InternedString,
            2 => RootKind::Debugger,
            3 => RootKind::VmInternal,
            4 if !threads.is_empty() => RootKind::JniMonitor(*draw.pick(&threads), -1),
            5 => RootKind::Finalizing,
            6 => RootKind::ReferenceCleanup,
            7 => RootKind::Unreachable,
            _ => continue,
        };
        let among = if kind == RootKind::InternedString && !strings.is_empty() { &strings } else { addresses };
        roots.push(Root { object: *draw.pick(among), kind, after: None });
    }
}

/// Draws the parts of the heap that Android has, each from some entry on.
fn regions(heap: &mut Heap, draw: &mut dyn Draw) {
    let entries = (heap.classes.len() + heap.objects.len()) as u64;
    let mut places: Vec<u64> = (0..draw.below(4)).map(|_| draw.below(entries + 1)).collect();
    places.sort_unstable();
    let region = |after| {
        let (id, name) = *draw.pick(&[(0, "default"), (0x41, "app"), (0x49, "image"), (0x5a, "zygote")]);
        Region { id, name: Name::from_text(name), after }
    };
    heap.surroundings.regions = Some(places.into_iter().map(region).collect());
}
