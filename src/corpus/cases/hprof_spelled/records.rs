//! The records outside of heaps: their layouts, order and times.

use crate::model::{
    Address, AllocationSite, AllocationSites, ControlSettings, CpuSamples, EventKind, Frame, FrameId, HeapSummary,
    Serial, StackFrame, StackTrace, StartThread, TextId, Thread, Trace,
};

use super::*;

pub(super) fn cases() -> Vec<Case> {
    vec![
        valid("empty", "a header without a record", &[HEADER], 0, told()).showing(&["hprof.header.layout"]),
        late_strings(),
        late_load_class(),
        tables_last(),
        unknown_record(),
        rest(),
        times(),
        stacks(),
        late_frames(),
        statistics(),
        unloaded(),
        loaded_twice(),
        not_dumped(),
        large_serial(),
        repeated_string_id(),
    ]
}

/// A string between two segments, behind the records that name it.
fn late_strings() -> Case {
    let hex = [HEADER, LOAD_A, "1c 00000000 0000002b", DUMP_A, TEXT_A, "1c 00000000 00000011", OBJECT, END];
    let told = told().load(1, 0x1000, 1).class(class_a()).text(1, "A").object(object_of_a());
    valid("late-strings", "a string between two segments, behind all that name it", &hex, 7, told)
        .showing(&["hprof.record.order", "hprof.text.layout"])
}

fn late_load_class() -> Case {
    let hex = [HEADER, TEXT_A, "1c 00000000 0000002b", DUMP_A, LOAD_A, END];
    let told = told().text(1, "A").class(class_a()).load(1, 0x1000, 1);
    valid("late-load-class", "LOAD CLASS behind the CLASS DUMP", &hex, 5, told).showing(&["hprof.record.order"])
}

/// Strings and loaded classes behind the END. They name what is in the heap, and belong to no heap's log.
fn tables_last() -> Case {
    let hex = [HEADER, "1c 00000000 0000003c", DUMP_A, OBJECT, END, LOAD_A, TEXT_A];
    let told = told().class(class_a()).object(object_of_a());
    valid("tables-last", "the heap before every string and LOAD CLASS", &hex, 6, told)
        .showing(&["hprof.record.order", "hprof.tables.kept"])
}

/// Tag 10 is one of lock statistics that old agents wrote.
fn unknown_record() -> Case {
    let hex = [HEADER, TEXT_A, LOAD_A, "10 00000000 00000003 0c1c2c", "1c 00000000 0000002b", DUMP_A, END];
    let told = told_a().event(EventKind::Unknown { tag: 0x10, body: vec![0x0c, 0x1c, 0x2c] }).class(class_a());
    valid("unknown-record", "a record with an unknown tag, to be skipped by its length", &hex, 6, told)
        .noted("hprof.record.unknown-tag", 0x46)
        .showing(&["hprof.record.skip"])
}

/// Three bytes behind the fields of LOAD CLASS.
fn rest() -> Case {
    let long = "02 00000000 00000013 00000001 00001000 00000000 00000001 0c1c2c";
    let hex = [HEADER, TEXT_A, long, "1c 00000000 0000002b", DUMP_A, END];
    let told = told_a().class(class_a());
    valid("record-with-rest", "a LOAD CLASS that is three bytes longer than its fields", &hex, 5, told)
        .tolerated("hprof.record.rest", 0x2d)
        .showing(&["hprof.record.layout"])
}

/// Times wrap: the second record is later than the first.
fn times() -> Case {
    let hex = [
        "4a4156412050524f46494c4520 312e302e32 00 00000004 0000018f f0000001",
        "01 fffffffe 00000005 00000001 41",
        "02 00000005 00000010 00000001 00001000 00000000 00000001",
        "1c 00000007 0000002b",
        DUMP_A,
        "2c 00000009 00000000",
    ];
    let told = told()
        .event_at(0xffff_fffe, EventKind::Text(TextId(1), "A".into()))
        .event_at(5, EventKind::LoadClass(load(1, 0x1000, 1)))
        .class(class_a())
        .but(|heap| {
            heap.facts.timestamp = Some(0x018f_f000_0001);
            heap.surroundings.times = Some((7, 9));
        });
    valid("times", "a time stamp above 2^32 and times that wrap", &hex, 5, told).showing(&[
        "hprof.record.time",
        "hprof.header.layout",
        "hprof.integer.byte-order",
    ])
}

/// A string, a frame and an object with the same identifier; lines of every kind; a trace of four frames.
fn stacks() -> Case {
    let hex = [
        HEADER,
        TEXT_A,
        // 2: "m", 3: "()V", 1000: "A.java".
        "01 00000000 00000005 00000002 6d  01 00000000 00000007 00000003 282956",
        "01 00000000 0000000a 00001000 412e6a617661",
        LOAD_A,
        // Frames 1, 2, 3 and 1000: lines 7, -1, -2 and -3; the last three have no source file.
        "04 00000000 00000018 00000001 00000002 00000003 00001000 00000001 00000007",
        "04 00000000 00000018 00000002 00000002 00000003 00000000 00000001 ffffffff",
        "04 00000000 00000018 00000003 00000002 00000003 00000000 00000001 fffffffe",
        "04 00000000 00000018 00001000 00000002 00000003 00000000 00000001 fffffffd",
        // Trace 5 of thread 9; thread 9 is the object 2000 with the name "m" in the group "A", which has no parent.
        "05 00000000 0000001c 00000005 00000009 00000004 00001000 00000003 00000002 00000001",
        "0a 00000000 00000018 00000009 00002000 00000005 00000002 00000001 00000000",
        "0b 00000000 00000004 00000009",
        // Trace 6 of no thread and without frames.
        "05 00000000 0000000c 00000006 00000000 00000000",
        "1c 00000000 0000003c",
        DUMP_A,
        OBJECT,
        END,
    ];
    let frame = |id, source, line| Frame {
        id: FrameId(id),
        method: TextId(2),
        signature: TextId(3),
        source: TextId(source),
        class: Serial(1),
        line,
    };
    let ids = [0x1000, 3, 2, 1].map(FrameId);
    let started = StartThread {
        serial: Serial(9),
        object: Address(0x2000),
        trace: Serial(5),
        name: TextId(2),
        group: TextId(1),
        parent_group: TextId(0),
    };
    let told = told()
        .text(1, "A")
        .text(2, "m")
        .text(3, "()V")
        .text(0x1000, "A.java")
        .load(1, 0x1000, 1)
        .event(EventKind::Frame(frame(1, 0x1000, 7)))
        .event(EventKind::Frame(frame(2, 0, -1)))
        .event(EventKind::Frame(frame(3, 0, -2)))
        .event(EventKind::Frame(frame(0x1000, 0, -3)))
        .event(EventKind::Trace(Trace { serial: Serial(5), thread: Serial(9), frames: ids.to_vec() }))
        .event(EventKind::StartThread(started))
        .event(EventKind::EndThread(Serial(9)))
        .event(EventKind::Trace(Trace { serial: Serial(6), thread: Serial(0), frames: Vec::new() }))
        .class(class_a())
        .object(object_of_a())
        .but(|heap| {
            let native = resolved(None, -3);
            let frames = [native, resolved(None, -2), resolved(None, -1), resolved(Some("A.java"), 7)].into();
            heap.surroundings.traces = Some(vec![
                StackTrace { serial: Serial(5), thread: Serial(9), frames },
                StackTrace { serial: Serial(6), thread: Serial(0), frames: [].into() },
            ]);
            heap.surroundings.threads = Some(vec![Thread {
                serial: Serial(9),
                object: Address(0x2000),
                name: Some("m".into()),
                trace: Some(Serial(5)),
            }]);
        });
    valid("stacks", "a thread with a trace of four frames; identifiers of three spaces", &hex, 17, told).showing(&[
        "hprof.frame.layout",
        "hprof.frame.line-signed",
        "hprof.trace.layout",
        "hprof.trace.order",
        "hprof.start-thread.layout",
        "hprof.end-thread.layout",
        "hprof.thread.serials",
        "hprof.id.namespaces",
    ])
}

/// A trace before its frame, and the frame before its class and its strings.
fn late_frames() -> Case {
    let hex = [
        HEADER,
        "05 00000000 00000010 00000005 00000000 00000001 00000007",
        "04 00000000 00000018 00000007 00000002 00000003 00000000 00000001 00000001",
        LOAD_A,
        TEXT_A,
        "01 00000000 00000005 00000002 6d",
        "1c 00000000 0000002b",
        DUMP_A,
        "01 00000000 00000007 00000003 282956",
        END,
    ];
    let frame =
        Frame { id: FrameId(7), method: TextId(2), signature: TextId(3), source: TextId(0), class: Serial(1), line: 1 };
    let told = told()
        .event(EventKind::Trace(Trace { serial: Serial(5), thread: Serial(0), frames: vec![FrameId(7)] }))
        .event(EventKind::Frame(frame))
        .load(1, 0x1000, 1)
        .text(1, "A")
        .text(2, "m")
        .class(class_a())
        .text(3, "()V")
        .but(|heap| {
            let frames = [resolved(None, 1)].into();
            heap.surroundings.traces = Some(vec![StackTrace { serial: Serial(5), thread: Serial(0), frames }]);
        });
    valid("late-frames", "a trace before its frame, the frame before its class and strings", &hex, 9, told)
        .showing(&["hprof.record.order"])
}

fn resolved(source: Option<&str>, line: i32) -> StackFrame {
    StackFrame {
        method: "m".into(),
        signature: "()V".into(),
        source: source.map(Name::from),
        class: Some(Address(0x1000)),
        line,
    }
}

/// What the hprof agent tells besides the heap.
fn statistics() -> Case {
    let hex = [
        HEADER_1,
        "0e 00000000 00000006 00000003 0004",
        TEXT_A,
        LOAD_A,
        "05 00000000 0000000c 00000001 00000000 00000000",
        // Flags 2, a cutoff of 0.5, totals, and two sites: of class 1, and of int[] (code 10).
        "06 00000000 00000054 0002 3f000000 80000000 00000002 0000000100000000 0000000200000000 00000002",
        "00 00000001 00000001 00000010 00000001 00000020 00000002",
        "0a 00000000 00000001 7ffffff0 00000001 fffffff0 00000003",
        "07 00000000 00000018 00000010 00000001 0000000000000020 0000000000000002",
        "0d 00000000 00000010 00000007 00000001 00000007 00000001",
        "03 00000000 00000004 00000001",
        "0c 00000000 0000002b",
        DUMP_A,
    ];
    let totals = HeapSummary {
        live_bytes: 0x8000_0000,
        live_instances: 2,
        allocated_bytes: 1 << 32,
        allocated_instances: 2 << 32,
    };
    let plain = AllocationSite {
        array: 0,
        class: Serial(1),
        trace: Serial(1),
        live_bytes: 16,
        live_instances: 1,
        allocated_bytes: 32,
        allocated_instances: 2,
    };
    let ints = AllocationSite {
        array: 10,
        class: Serial(0),
        live_bytes: 0x7fff_fff0,
        allocated_bytes: 0xffff_fff0,
        allocated_instances: 3,
        ..plain
    };
    let told = told()
        .version("1.0.1")
        .event(EventKind::ControlSettings(ControlSettings { flags: 3, depth: 4 }))
        .text(1, "A")
        .load(1, 0x1000, 1)
        .event(EventKind::Trace(Trace { serial: Serial(1), thread: Serial(0), frames: Vec::new() }))
        .event(EventKind::AllocationSites(AllocationSites {
            flags: 2,
            cutoff: 0x3f00_0000,
            totals,
            sites: vec![plain, ints],
        }))
        .event(EventKind::HeapSummary(HeapSummary {
            live_bytes: 16,
            live_instances: 1,
            allocated_bytes: 32,
            allocated_instances: 2,
        }))
        .event(EventKind::CpuSamples(CpuSamples { total: 7, traces: vec![(7, Serial(1))] }))
        .event(EventKind::UnloadClass(Serial(1)))
        .class(class_a())
        .but(|heap| {
            let trace = StackTrace { serial: Serial(1), thread: Serial(0), frames: [].into() };
            heap.surroundings.traces = Some(vec![trace]);
        });
    valid("statistics", "settings, sites, totals, samples, and a class that is unloaded", &hex, 10, told).showing(&[
        "hprof.sites.layout",
        "hprof.sites.meaning",
        "hprof.summary.layout",
        "hprof.samples.layout",
        "hprof.control.layout",
        "hprof.unload-class.layout",
    ])
}

fn unloaded() -> Case {
    let hex = [HEADER, TEXT_A, LOAD_A, "03 00000000 00000004 0000004d", "1c 00000000 0000002b", DUMP_A, END];
    let told = told_a().event(EventKind::UnloadClass(Serial(77))).class(class_a());
    valid("unload-unknown", "a class is unloaded that was never loaded", &hex, 6, told)
        .noted("hprof.class.unknown-serial", 0x46)
}

/// The class 1000 is first loaded as B, then as A. A frame names the first serial number.
fn loaded_twice() -> Case {
    let hex = [
        HEADER,
        TEXT_A,
        "01 00000000 00000005 00000002 42",
        "02 00000000 00000010 00000001 00001000 00000000 00000002",
        "02 00000000 00000010 00000002 00001000 00000000 00000001",
        "04 00000000 00000018 00000001 00000001 00000001 00000000 00000001 ffffffff",
        "05 00000000 00000010 00000001 00000000 00000001 00000001",
        "1c 00000000 0000002b",
        DUMP_A,
        END,
    ];
    let frame = Frame {
        id: FrameId(1),
        method: TextId(1),
        signature: TextId(1),
        source: TextId(0),
        class: Serial(1),
        line: -1,
    };
    let told = told()
        .text(1, "A")
        .text(2, "B")
        .load(1, 0x1000, 2)
        .load(2, 0x1000, 1)
        .event(EventKind::Frame(frame))
        .event(EventKind::Trace(Trace { serial: Serial(1), thread: Serial(0), frames: vec![FrameId(1)] }))
        .class(class(2, 0x1000, "A"))
        .but(|heap| {
            let frame = StackFrame { method: "A".into(), signature: "A".into(), ..resolved(None, -1) };
            let trace = StackTrace { serial: Serial(1), thread: Serial(0), frames: [frame].into() };
            heap.surroundings.traces = Some(vec![trace]);
        });
    valid("loaded-twice", "one class loaded twice, under two names: the last counts", &hex, 9, told)
        .showing(&["hprof.load-class.last-wins"])
}

fn not_dumped() -> Case {
    let hex = [
        HEADER,
        TEXT_A,
        LOAD_A,
        "02 00000000 00000010 00000002 00001100 00000000 00000001",
        "1c 00000000 0000002b",
        DUMP_A,
        END,
    ];
    let told = told_a().load(2, 0x1100, 1).class(class_a());
    valid("load-without-dump", "a LOAD CLASS whose class has no CLASS DUMP", &hex, 6, told)
        .noted("hprof.load-class.no-dump", 0x46)
        .showing(&["hprof.load-class.layout"])
}

fn large_serial() -> Case {
    let hex = [
        HEADER,
        TEXT_A,
        "02 00000000 00000010 ffffffff 00001000 00000000 00000001",
        "1c 00000000 0000002b",
        DUMP_A,
        END,
    ];
    let told = told().text(1, "A").load(u32::MAX, 0x1000, 1).class(class(u32::MAX, 0x1000, "A"));
    valid("large-serial", "a class serial number of 2^32 - 1", &hex, 5, told).showing(&["hprof.integer.byte-order"])
}

fn repeated_string_id() -> Case {
    let hex = [HEADER, "01 00000000 00000005 00000001 42", TEXT_A, LOAD_A, "1c 00000000 0000002b", DUMP_A, END];
    let told = told().text(1, "B").text(1, "A").load(1, 0x1000, 1).class(class_a());
    let mut case =
        valid("repeated-string-id", "two strings with one identifier: the last counts", &hex, 6, told.clone())
            .tolerated("hprof.text.duplicate-id", 0x2d);
    let first = told.but(|heap| heap.classes[0].name = "B".into());
    case.answers.push(Answer::Reads("the first string of an identifier counts", Box::new(first.0)));
    case
}
