//! What HPROF tells beyond PHD. Drawn last, so that earlier draws keep their meaning and a seed its PHD.

use crate::model::{
    Address, Contents, FieldType, Heap, Name, Object, ObjectKind, PoolEntry, PrimitiveType, Region, Root, RootKind,
    Serial, Value,
};

use super::options::GenerateOptions;
use crate::draw::Draw;

pub(super) fn add(options: &GenerateOptions, heap: &mut Heap, draw: &mut dyn Draw) {
    if heap.objects.is_empty() {
        return;
    }
    let addresses: Vec<Address> = heap.objects.iter().map(|object| object.address).collect();
    let string = heap.classes.iter().find(|class| class.name == Name::from_text("java/lang/String"));
    let string = string.map(|class| class.address);
    for class in &mut heap.classes {
        if draw.one_in(4) {
            class.protection_domain = Some(*draw.pick(&addresses));
        }
        if draw.one_in(8) {
            class.signers = Some(*draw.pick(&addresses));
        }
        class.constant_pool = Some((0..draw.below(4)).map(|_| entry(options, &addresses, draw)).collect());
    }
    traces(heap, draw);
    roots(heap, &addresses, string, draw);
    regions(heap, draw);
    if options.texts {
        texts(&mut heap.objects, string, draw);
    }
    if options.bare_arrays {
        for object in heap.objects.iter_mut().filter(|object| matches!(object.kind, ObjectKind::PrimitiveArray(_))) {
            if draw.one_in(4) {
                object.contents = Contents::Unknown;
            }
        }
    }
}

/// Where PHD would tell references of the pool among its class's, there are none.
fn entry(options: &GenerateOptions, addresses: &[Address], draw: &mut dyn Draw) -> PoolEntry {
    let index = draw.below(1 << 16) as u16;
    let value = match draw.below(3) {
        0 if options.texts => Value::reference(*draw.pick(addresses)),
        _ => Value::primitive(*draw.pick(&PrimitiveType::ALL), draw.u64()),
    };
    PoolEntry { index, value }
}

/// Where objects were allocated, and classes loaded.
fn traces(heap: &mut Heap, draw: &mut dyn Draw) {
    let serials: Vec<Serial> = heap.surroundings.traces.iter().flatten().map(|trace| trace.serial).collect();
    if serials.is_empty() {
        return;
    }
    for class in &mut heap.classes {
        class.trace = draw.one_in(3).then(|| *draw.pick(&serials));
    }
    for object in &mut heap.objects {
        object.trace = draw.one_in(3).then(|| *draw.pick(&serials));
    }
}

/// Android's kinds. Strings are interned, where there are any.
fn roots(heap: &mut Heap, addresses: &[Address], string: Option<Address>, draw: &mut dyn Draw) {
    let strings: Vec<Address> =
        heap.objects.iter().filter(|object| object.class == string).map(|object| object.address).collect();
    let threads: Vec<Serial> = heap.surroundings.threads.iter().flatten().map(|thread| thread.serial).collect();
    let roots = heap.surroundings.roots.get_or_insert_default();
    for _ in 0..draw.below(10) {
        let kind = match draw.below(8) {
            0 | 1 => RootKind::InternedString,
            2 => RootKind::Finalizing,
            3 => RootKind::Debugger,
            4 => RootKind::ReferenceCleanup,
            5 => RootKind::VmInternal,
            6 if !threads.is_empty() => RootKind::JniMonitor(*draw.pick(&threads), *draw.pick(&[-1, 0, 2])),
            _ => RootKind::Unreachable,
        };
        let among = if kind == RootKind::InternedString && !strings.is_empty() { &strings } else { addresses };
        roots.push(Root { object: *draw.pick(among), kind, after: None });
    }
}

/// Android's parts of the heap, each from some entry on.
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

/// The first field of some strings refers to an array of characters, or of bytes as from JDK 9 on.
fn texts(objects: &mut [Object], string: Option<Address>, draw: &mut dyn Draw) {
    let is_text =
        |object: &&Object| matches!(object.kind, ObjectKind::PrimitiveArray(PrimitiveType::Char | PrimitiveType::Byte));
    let arrays: Vec<Address> = objects.iter().filter(is_text).map(|object| object.address).collect();
    if arrays.is_empty() {
        return;
    }
    for object in objects.iter_mut().filter(|object| object.class == string) {
        if let Contents::Fields(values) = &mut object.contents
            && let Some(value) = values.iter_mut().find(|value| value.kind == FieldType::Object)
            && draw.one_in(2)
        {
            *value = Value::reference(*draw.pick(&arrays));
        }
    }
}
