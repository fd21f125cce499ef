//! Roots, and what Android puts between objects.

use heapsmith::hprof::SubRecord;
use heapsmith::hprof::sub_record::RootRecord;
use heapsmith::model::{Address, RootKind, Serial, TextId};
use hex_literal::hex;

use super::rows::{Ids, Row, check_sub_records};

#[test]
fn every_root_is_read_and_written_as_the_page_has_it() {
    check_sub_records(&rows());
}

#[test]
fn frame_numbers_are_signed_and_serial_numbers_are_not() {
    check_sub_records(&extremes());
}

fn root(object: u64, kind: RootKind) -> SubRecord<'static> {
    SubRecord::Root(RootRecord { object: Address(object), kind })
}

/// A root that has nothing but its object, under its tag.
macro_rules! object_alone {
    ($name:literal, $kind:expr, $one:literal, $two:literal, $four:literal, $eight:literal) => {
        Row {
            name: $name,
            fields: "1 I",
            spelled: [&hex!($one), &hex!($two), &hex!($four), &hex!($eight)],
            says: |i: Ids| root(i.a(), $kind),
        }
    };
}

pub(crate) fn rows() -> Vec<Row<SubRecord<'static>>> {
    use RootKind::{
        Debugger, Finalizing, InternedString, JavaFrame, JniGlobal, JniLocal, JniMonitor, MonitorUsed, NativeStack,
        ReferenceCleanup, StickyClass, ThreadBlock, ThreadObject, Unknown, Unreachable, VmInternal,
    };
    vec![
        object_alone!("ROOT UNKNOWN", Unknown, "ff a1", "ff a1a2", "ff a1a2a3a4", "ff a1a2a3a4a5a6a7a8"),
        Row {
            name: "ROOT JNI GLOBAL",
            fields: "1 I I",
            spelled: [
                // Object, then the reference's own id.
                &hex!("01 a1 b1"),
                &hex!("01 a1a2 b1b2"),
                &hex!("01 a1a2a3a4 b1b2b3b4"),
                &hex!("01 a1a2a3a4a5a6a7a8 b1b2b3b4b5b6b7b8"),
            ],
            says: |i| root(i.a(), JniGlobal(Address(i.b()))),
        },
        Row {
            name: "ROOT JNI LOCAL",
            fields: "1 I 4 4",
            spelled: [
                // Object, thread serial number, frame number.
                &hex!("02 a1 81020304 05060708"),
                &hex!("02 a1a2 81020304 05060708"),
                &hex!("02 a1a2a3a4 81020304 05060708"),
                &hex!("02 a1a2a3a4a5a6a7a8 81020304 05060708"),
            ],
            says: |i| root(i.a(), JniLocal(Serial(0x8102_0304), 0x0506_0708)),
        },
        Row {
            name: "ROOT JAVA FRAME",
            fields: "1 I 4 4",
            spelled: [
                &hex!("03 a1 81020304 05060708"),
                &hex!("03 a1a2 81020304 05060708"),
                &hex!("03 a1a2a3a4 81020304 05060708"),
                &hex!("03 a1a2a3a4a5a6a7a8 81020304 05060708"),
            ],
            says: |i| root(i.a(), JavaFrame(Serial(0x8102_0304), 0x0506_0708)),
        },
        Row {
            name: "ROOT NATIVE STACK",
            fields: "1 I 4",
            spelled: [
                &hex!("04 a1 81020304"),
                &hex!("04 a1a2 81020304"),
                &hex!("04 a1a2a3a4 81020304"),
                &hex!("04 a1a2a3a4a5a6a7a8 81020304"),
            ],
            says: |i| root(i.a(), NativeStack(Serial(0x8102_0304))),
        },
        object_alone!("ROOT STICKY CLASS", StickyClass, "05 a1", "05 a1a2", "05 a1a2a3a4", "05 a1a2a3a4a5a6a7a8"),
        Row {
            name: "ROOT THREAD BLOCK",
            fields: "1 I 4",
            spelled: [
                &hex!("06 a1 81020304"),
                &hex!("06 a1a2 81020304"),
                &hex!("06 a1a2a3a4 81020304"),
                &hex!("06 a1a2a3a4a5a6a7a8 81020304"),
            ],
            says: |i| root(i.a(), ThreadBlock(Serial(0x8102_0304))),
        },
        object_alone!("ROOT MONITOR USED", MonitorUsed, "07 a1", "07 a1a2", "07 a1a2a3a4", "07 a1a2a3a4a5a6a7a8"),
        Row {
            name: "ROOT THREAD OBJECT",
            fields: "1 I 4 4",
            spelled: [
                // Thread object, thread serial number, stack trace serial number.
                &hex!("08 a1 81020304 85060708"),
                &hex!("08 a1a2 81020304 85060708"),
                &hex!("08 a1a2a3a4 81020304 85060708"),
                &hex!("08 a1a2a3a4a5a6a7a8 81020304 85060708"),
            ],
            says: |i| root(i.a(), ThreadObject(Serial(0x8102_0304), Serial(0x8506_0708))),
        },
        // Android's.
        object_alone!("ROOT INTERNED STRING", InternedString, "89 a1", "89 a1a2", "89 a1a2a3a4", "89 a1a2a3a4a5a6a7a8"),
        object_alone!("ROOT FINALIZING", Finalizing, "8a a1", "8a a1a2", "8a a1a2a3a4", "8a a1a2a3a4a5a6a7a8"),
        object_alone!("ROOT DEBUGGER", Debugger, "8b a1", "8b a1a2", "8b a1a2a3a4", "8b a1a2a3a4a5a6a7a8"),
        object_alone!(
            "ROOT REFERENCE CLEANUP",
            ReferenceCleanup,
            "8c a1",
            "8c a1a2",
            "8c a1a2a3a4",
            "8c a1a2a3a4a5a6a7a8"
        ),
        object_alone!("ROOT VM INTERNAL", VmInternal, "8d a1", "8d a1a2", "8d a1a2a3a4", "8d a1a2a3a4a5a6a7a8"),
        Row {
            name: "ROOT JNI MONITOR",
            fields: "1 I 4 4",
            spelled: [
                &hex!("8e a1 81020304 05060708"),
                &hex!("8e a1a2 81020304 05060708"),
                &hex!("8e a1a2a3a4 81020304 05060708"),
                &hex!("8e a1a2a3a4a5a6a7a8 81020304 05060708"),
            ],
            says: |i| root(i.a(), JniMonitor(Serial(0x8102_0304), 0x0506_0708)),
        },
        object_alone!("ROOT UNREACHABLE", Unreachable, "90 a1", "90 a1a2", "90 a1a2a3a4", "90 a1a2a3a4a5a6a7a8"),
        Row {
            name: "HEAP DUMP INFO",
            fields: "1 4 I",
            spelled: [
                // Heap id, then the string id of its name.
                &hex!("fe 81020304 a1"),
                &hex!("fe 81020304 a1a2"),
                &hex!("fe 81020304 a1a2a3a4"),
                &hex!("fe 81020304 a1a2a3a4a5a6a7a8"),
            ],
            says: |i| SubRecord::HeapInfo(0x8102_0304, TextId(i.a())),
        },
    ]
}

fn extremes() -> Vec<Row<SubRecord<'static>>> {
    vec![
        Row {
            name: "ROOT JNI LOCAL, frame number -1",
            fields: "1 I 4 4",
            spelled: [
                &hex!("02 00 ffffffff ffffffff"),
                &hex!("02 0000 ffffffff ffffffff"),
                &hex!("02 00000000 ffffffff ffffffff"),
                &hex!("02 0000000000000000 ffffffff ffffffff"),
            ],
            says: |_| root(0, RootKind::JniLocal(Serial(u32::MAX), -1)),
        },
        Row {
            name: "ROOT JAVA FRAME, frame number -1, -2, the smallest and the largest",
            fields: "1 I 4 4",
            spelled: [
                &hex!("03 ff 00000000 ffffffff"),
                &hex!("03 ffff 00000000 fffffffe"),
                &hex!("03 ffffffff 00000000 80000000"),
                &hex!("03 ffffffffffffffff 00000000 7fffffff"),
            ],
            says: |i| {
                let number = match i.ff() {
                    0xff => -1,
                    0xffff => -2,
                    0xffff_ffff => -0x8000_0000,
                    _ => 0x7fff_ffff,
                };
                root(i.ff(), RootKind::JavaFrame(Serial(0), number))
            },
        },
        Row {
            name: "ROOT JNI MONITOR, frame number -1",
            fields: "1 I 4 4",
            spelled: [
                &hex!("8e ff ffffffff ffffffff"),
                &hex!("8e ffff ffffffff ffffffff"),
                &hex!("8e ffffffff ffffffff ffffffff"),
                &hex!("8e ffffffffffffffff ffffffff ffffffff"),
            ],
            says: |i| root(i.ff(), RootKind::JniMonitor(Serial(u32::MAX), -1)),
        },
        Row {
            name: "ROOT THREAD OBJECT without an object",
            fields: "1 I 4 4",
            spelled: [
                &hex!("08 00 ffffffff ffffffff"),
                &hex!("08 0000 ffffffff ffffffff"),
                &hex!("08 00000000 ffffffff ffffffff"),
                &hex!("08 0000000000000000 ffffffff ffffffff"),
            ],
            says: |_| root(0, RootKind::ThreadObject(Serial(u32::MAX), Serial(u32::MAX))),
        },
    ]
}
