//! Roots, threads, and what only Android's dumps have.

use crate::model::{EventKind, Frame, FrameId, Region, StackFrame, StackTrace, Thread, Trace};

use super::*;

pub(super) fn cases() -> Vec<Case> {
    vec![every_root(), unknown_thread(), null_thread(), dangling_root(), android(), android_in_1_0_2()]
}

/// Every kind of root, before and behind the classes and objects; one object several times.
fn every_root() -> Case {
    let hex = [
        HEADER,
        TEXT_A,
        LOAD_A,
        "04 00000000 00000018 00000001 00000001 00000001 00000000 00000001 00000007",
        "05 00000000 00000010 00000005 00000001 00000001 00000001",
        "1c 00000000 00000092",
        "ff 00001000",
        DUMP_A,
        OBJECT,
        // A JNI global reference with the number of an object; frames -1 and 0 of thread 1.
        "01 00001000 00002000  02 00002000 00000001 ffffffff  03 00002000 00000001 00000000",
        "04 00002000 00000001  05 00001000  06 00002000 00000001  07 00002000",
        "08 00002000 00000001 00000005  05 00001000",
        END,
    ];
    let (thread, trace) = (Serial(1), Serial(5));
    let frame =
        Frame { id: FrameId(1), method: TextId(1), signature: TextId(1), source: TextId(0), class: thread, line: 7 };
    let told = told_a()
        .event(EventKind::Frame(frame))
        .event(EventKind::Trace(Trace { serial: trace, thread, frames: vec![FrameId(1)] }))
        .root(0x1000, RootKind::Unknown)
        .class(class_a())
        .object(object_of_a())
        .root(0x1000, RootKind::JniGlobal(Address(0x2000)))
        .root(0x2000, RootKind::JniLocal(thread, -1))
        .root(0x2000, RootKind::JavaFrame(thread, 0))
        .root(0x2000, RootKind::NativeStack(thread))
        .root(0x1000, RootKind::StickyClass)
        .root(0x2000, RootKind::ThreadBlock(thread))
        .root(0x2000, RootKind::MonitorUsed)
        .root(0x2000, RootKind::ThreadObject(thread, trace))
        .root(0x1000, RootKind::StickyClass)
        .but(|heap| {
            let (method, signature) = ("A".into(), "A".into());
            let frame = StackFrame { method, signature, source: None, class: Some(Address(0x1000)), line: 7 };
            heap.surroundings.traces = Some(vec![StackTrace { serial: trace, thread, frames: [frame].into() }]);
            heap.surroundings.threads =
                Some(vec![Thread { serial: thread, object: Address(0x2000), name: None, trace: Some(trace) }]);
        });
    Case {
        keeps: vec!["hprof.root.dangling"],
        ..valid("every-root", "roots of every kind, one object several times", &hex, 18, told).showing(&[
            "hprof.root.layout",
            "hprof.root.frame-number",
            "hprof.root.jni-global",
            "hprof.root.repeated",
            "hprof.thread.serials",
            "hprof.sub-record.namespace",
        ])
    }
}

fn with_root(id: &str, summary: &str, length: &str, root: &str, told: Told) -> Case {
    let hex = [HEADER, TEXT_A, LOAD_A, length, DUMP_A, root, END];
    valid(id, summary, &hex, 6, told)
}

fn unknown_thread() -> Case {
    let told = told_a().class(class_a()).root(0x1000, RootKind::NativeStack(Serial(99)));
    let root = "04 00001000 00000063";
    with_root("unknown-thread", "a root of a thread that nothing else names", "1c 00000000 00000034", root, told)
        .noted("hprof.thread.unknown-serial", 0x7a)
}

/// The hprof agent has thread roots of object 0.
fn null_thread() -> Case {
    let told = told_a().class(class_a()).root(0, RootKind::ThreadObject(Serial(1), Serial(0))).but(|heap| {
        let thread = Thread { serial: Serial(1), object: Address(0), name: None, trace: Some(Serial(0)) };
        heap.surroundings.threads = Some(vec![thread]);
    });
    let root = "08 00000000 00000001 00000000";
    with_root("null-thread", "a thread root of object 0", "1c 00000000 00000038", root, told)
        .noted("hprof.root.dangling", 0x7a)
}

fn dangling_root() -> Case {
    let told = told_a().class(class_a()).root(0xdead_0000, RootKind::StickyClass);
    with_root("dangling-root", "a root that is nothing in the dump", "1c 00000000 00000030", "05 dead0000", told)
        .noted("hprof.root.dangling", 0x7a)
}

/// Android's sub-records. The second segment does not say which part of the heap it is of.
fn android() -> Case {
    let hex = [
        HEADER_3,
        TEXT_A,
        "01 00000000 00000007 00000002 617070",
        LOAD_A,
        "1c 00000000 0000008b",
        "fe 00000041 00000002",
        DUMP_A,
        OBJECT,
        "89 00002000  8a 00002000  8b 00002000  8c 00002000  8d 00002000  90 00002000",
        "8e 00002000 00000001 ffffffff  08 00002000 00000001 00000000",
        // char[5] without its characters.
        "c3 00002100 00000000 00000005 05",
        "1c 00000000 00000011",
        "21 00002010 00000000 00001000 00000000",
        END,
    ];
    let unknown = Object { contents: Contents::Unknown, ..array(0x2100, PrimitiveType::Char, 5, "") };
    let told = told()
        .version("1.0.3")
        .text(1, "A")
        .text(2, "app")
        .load(1, 0x1000, 1)
        .class(class_a())
        .object(object_of_a())
        .root(0x2000, RootKind::InternedString)
        .root(0x2000, RootKind::Finalizing)
        .root(0x2000, RootKind::Debugger)
        .root(0x2000, RootKind::ReferenceCleanup)
        .root(0x2000, RootKind::VmInternal)
        .root(0x2000, RootKind::Unreachable)
        .root(0x2000, RootKind::JniMonitor(Serial(1), -1))
        .root(0x2000, RootKind::ThreadObject(Serial(1), Serial(0)))
        .object(unknown)
        .object(instance(0x2010, 0x1000, Vec::new()))
        .but(|heap| {
            let thread = Thread { serial: Serial(1), object: Address(0x2000), name: None, trace: Some(Serial(0)) };
            heap.surroundings.threads = Some(vec![thread]);
            let region = |id, name: &str, after| Region { id, name: name.into(), after };
            heap.surroundings.regions = Some(vec![region(0x41, "app", 0), region(0, "", 3)]);
        });
    valid("android", "every sub-record of Android's", &hex, 19, told).showing(&[
        "hprof.android.version",
        "hprof.android.roots",
        "hprof.android.heap-info",
        "hprof.android.no-data-array",
    ])
}

fn android_in_1_0_2() -> Case {
    let told = told_a().class(class_a()).root(0x1000, RootKind::InternedString);
    let summary = "a sub-record of Android's in a file of 1.0.2";
    with_root("android-in-1-0-2", summary, "1c 00000000 00000030", "89 00001000", told)
        .noted("hprof.extension.tag", 0x7a)
}
