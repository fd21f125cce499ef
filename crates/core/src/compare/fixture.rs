//! A heap with every fact, for tests.

use crate::generate::{GenerateOptions, Placement, from_seed};
use crate::model::{
    Address, AllocationSite, AllocationSites, ByteLen, Contents, ControlSettings, CpuSamples, Event, EventKind, Frame,
    FrameId, HeaderTotals, Heap, HeapSummary, IdentityHash, LoadClass, Name, Object, ObjectKind, PoolEntry,
    PrimitiveType, Region, Root, RootKind, RootNumber, Serial, StackFrame, StackTrace, StartThread, TextId, Thread,
    Trace, Value,
};

/// A heap in which every fact of the model is known somewhere.
pub(crate) fn heap_with_every_fact() -> Heap {
    let options = GenerateOptions { objects: 60, placement: Placement::Mixed, ..GenerateOptions::default() };
    let mut heap = from_seed(&options, 11);
    heap.facts.totals = Some(HeaderTotals { objects: 1, references: 2 });
    heap.facts.null_references = Some(7);
    heap.facts.timestamp = Some(1_700_000_000_123);
    heap.facts.header_version = Some("1.0.2".into());
    heap.facts.identifier_size = Some(ByteLen(8));
    for (number, class) in (1..).zip(&mut heap.classes) {
        class.serial = Some(Serial(number));
        class.trace = Some(Serial(1));
        class.signers = Some(Address(16));
        class.protection_domain = Some(Address(24));
        class.constant_pool = Some(vec![
            PoolEntry { index: 7, value: Value::primitive(PrimitiveType::Byte, 0xff) },
            PoolEntry { index: 8, value: Value::reference(Address(0x1000)) },
        ]);
        class.interfaces = Some(vec![Address(32), Address(40)]);
    }
    heap.classes[3].references = Some(vec![Address(48), Address(56)]);
    heap.classes[4].name = Name::from_bytes([0xed, 0xa0, 0x80]);
    for object in &mut heap.objects {
        object.trace = Some(Serial(1));
    }
    let refs = || Contents::References(vec![Address(48), Address(56)]);
    let (instance, array) = (ObjectKind::Instance, ObjectKind::ObjectArray);
    let bytes = ObjectKind::PrimitiveArray(PrimitiveType::Byte);
    let known = |address, kind, contents| Object {
        class: Some(Address(48)),
        length: (kind != instance).then_some(2),
        contents,
        ..Object::new(Address(address), kind)
    };
    heap.objects.extend([
        Object { class_name: Some("named/InTheRecord".into()), ..known(0x100, instance, refs()) },
        known(0x108, instance, Contents::Raw(vec![1, 2, 0xff])),
        known(0x110, instance, Contents::Unknown),
        Object {
            text: Some(Name::from_units(&[0x41, 0xd800])),
            ..known(0x118, instance, Contents::Fields(vec![Value::primitive(PrimitiveType::Float, 0x7fc0_0001)]))
        },
        Object { class_word: Some(Address(56)), ..known(0x120, array, refs()) },
        known(0x128, array, Contents::Unknown),
        Object {
            hash: Some(IdentityHash::Bits16(0x7ffe)),
            ..known(0x130, array, Contents::Elements(vec![Address(0), Address(48)]))
        },
        known(0x138, bytes, Contents::Unknown),
        known(0x140, bytes, Contents::Primitives(vec![0, 0xff])),
    ]);
    heap.surroundings.roots = Some(roots());
    heap.surroundings.threads = Some(vec![
        Thread { serial: Serial(1), object: Address(48), name: Some("main".into()), trace: Some(Serial(2)) },
        Thread { serial: Serial(2), object: Address(0), name: None, trace: None },
    ]);
    heap.surroundings.traces = Some(vec![
        StackTrace {
            serial: Serial(2),
            thread: Serial(1),
            frames: [
                StackFrame {
                    method: "run".into(),
                    signature: "()V".into(),
                    source: Some("A.java".into()),
                    class: Some(Address(48)),
                    line: -3,
                },
                StackFrame { method: "main".into(), signature: "()V".into(), source: None, class: None, line: 12 },
            ]
            .into(),
        },
        StackTrace { serial: Serial(1), thread: Serial(0), frames: [].into() },
    ]);
    heap.surroundings.regions =
        Some(vec![Region { id: 65, name: "app".into(), after: 1 }, Region { id: 90, name: "zygote".into(), after: 7 }]);
    heap.surroundings.events =
        Some((0..).zip(events()).map(|(time, kind)| Event::new(time, u64::from(time / 4), kind)).collect());
    heap.surroundings.times = Some((5, 900));
    heap
}

/// A root of every kind.
fn roots() -> Vec<Root> {
    let kinds = RootKind::FORMS.map(|form| {
        let mut kind = form.kind;
        let local = kind.is_a(RootKind::JniLocal(Serial(0), 0));
        kind.numbers().for_each(|number| match number {
            RootNumber::Reference(id) => *id = Address(0x7f00),
            RootNumber::Thread(serial) => *serial = Serial(1),
            RootNumber::Frame(number) => *number = if local { 3 } else { -1 },
            RootNumber::Trace(serial) => *serial = Serial(2),
        });
        kind
    });
    (0..).zip(kinds).map(|(n, kind)| Root { object: Address(0x100 + n % 5), kind, after: Some(n / 3) }).collect()
}

/// An event of every kind.
fn events() -> Vec<EventKind> {
    let totals =
        HeapSummary { live_bytes: 1, live_instances: 2, allocated_bytes: 1 << 40, allocated_instances: u64::MAX };
    let site = AllocationSite {
        array: 8,
        class: Serial(1),
        trace: Serial(2),
        live_bytes: 3,
        live_instances: 4,
        allocated_bytes: 5,
        allocated_instances: 6,
    };
    let name = TextId(0x7f01);
    vec![
        EventKind::Text(name, "java/lang/Object".into()),
        EventKind::Text(TextId(2), Name::from_bytes([0xff])),
        EventKind::LoadClass(LoadClass { serial: Serial(1), class: Address(48), trace: Serial(1), name }),
        EventKind::UnloadClass(Serial(9)),
        EventKind::Frame(Frame {
            id: FrameId(3),
            method: name,
            signature: name,
            source: TextId(0),
            class: Serial(1),
            line: -2,
        }),
        EventKind::Trace(Trace { serial: Serial(2), thread: Serial(1), frames: vec![FrameId(3)] }),
        EventKind::AllocationSites(AllocationSites { flags: 3, cutoff: 0x3f80_0000, totals, sites: vec![site] }),
        EventKind::HeapSummary(totals),
        EventKind::StartThread(StartThread {
            serial: Serial(1),
            object: Address(48),
            trace: Serial(2),
            name,
            group: TextId(4),
            parent_group: TextId(5),
        }),
        EventKind::EndThread(Serial(1)),
        EventKind::CpuSamples(CpuSamples { total: 10, traces: vec![(7, Serial(2)), (3, Serial(1))] }),
        EventKind::ControlSettings(ControlSettings { flags: 3, depth: 16 }),
        EventKind::Unknown { tag: 0x42, body: vec![0, 0xff] },
    ]
}
