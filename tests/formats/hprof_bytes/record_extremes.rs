//! Records with values at the ends of their ranges, empty lists, and bytes after their fields.

use heapsmith::hprof::Record;
use heapsmith::hprof::record::RecordBody;
use heapsmith::model::{
    Address, AllocationSites, ControlSettings, CpuSamples, Frame, FrameId, HeapSummary, LoadClass, Serial, StartThread,
    TextId, Trace,
};
use hex_literal::hex;

use super::dump::{failure, file};
use super::records::record;
use super::rows::{Ids, Row, check_records};

#[test]
fn identifiers_serials_and_times_are_unsigned_and_lines_are_signed() {
    check_records(&extremes());
}

#[test]
fn lists_and_strings_may_be_empty_and_strings_invalid() {
    check_records(&empty());
}

#[test]
fn keeps_trailing_bytes_of_record() {
    check_records(&with_rest());
}

#[test]
fn reports_count_beyond_record_at_its_items() {
    let short = |offset, field| ("hprof.record.length", offset, Some(0), field);
    // A stack trace of 0x40000001 frames: their bytes modulo 2^32 would be 4, which are there.
    let trace = hex!("05 00000000 00000010 00000001 00000002 40000001 00000009");
    assert_eq!(failure(&file(4, &[&trace])), short(31 + 21, "stack frame ids"));
    // And one of 2^32 - 1 with as many bytes as one has.
    let trace = hex!("05 00000000 00000014 00000001 00000002 ffffffff 0000000000000009");
    assert_eq!(failure(&file(8, &[&trace])), short(31 + 21, "stack frame ids"));
    // Sites of 25 bytes: 0x33333334 of them have 0x500000014 bytes, modulo 2^32 20.
    let sites = hex!(
        "06 00000000 00000036 0000 00000000 00000000 00000000 0000000000000000 0000000000000000 33333334"
        "0000000000000000000000000000000000000000"
    );
    assert_eq!(failure(&file(4, &[&sites])), short(31 + 9 + 34, "sites"));
    // Samples of 8 bytes: 0x20000000 of them have none modulo 2^32.
    let samples = hex!("0d 00000000 00000008 00000000 20000000");
    assert_eq!(failure(&file(4, &[&samples])), short(31 + 17, "traces"));
}

#[test]
fn the_error_names_the_record_and_field_that_does_not_fit() {
    // A string, then a LOAD CLASS of 15 bytes, whose name has one byte less than an identifier.
    let string = hex!("01 00000000 00000005 00000001 41");
    let load = hex!("02 00000000 0000000f 00000001 00000002 00000003 000000");
    let expected = ("hprof.record.length", 31 + 14 + 21, Some(1), "class name string id");
    assert_eq!(failure(&file(4, &[&string, &load])), expected);
    // A record whose time is cut, and one whose tag alone is there.
    assert_eq!(failure(&file(4, &[&string, &load[..4]])), ("hprof.file.truncated", 31 + 15, Some(1), "time"));
    assert_eq!(failure(&file(4, &[&string, &load[..1]])), ("hprof.file.truncated", 31 + 15, Some(1), "time"));
    assert_eq!(failure(&file(4, &[&string, &load[..5]])), ("hprof.file.truncated", 31 + 19, Some(1), "length"));
}

pub(crate) fn rows() -> Vec<Row<Record<'static>>> {
    [extremes(), empty(), with_rest()].into_iter().flatten().collect()
}

fn frame(i: Ids, line: i32) -> Record<'static> {
    record(RecordBody::Frame(Frame {
        id: FrameId(i.a()),
        method: TextId(0),
        signature: TextId(i.ff()),
        source: TextId(0),
        class: Serial(0xffff_ffff),
        line,
    }))
}

fn extremes() -> Vec<Row<Record<'static>>> {
    vec![
        Row {
            name: "LOAD CLASS of the largest numbers, at the largest time",
            fields: "1 4 4 4 I 4 I",
            spelled: [
                &hex!("02 ffffffff 0000000a ffffffff ff 80000000 ff"),
                &hex!("02 ffffffff 0000000c ffffffff ffff 80000000 ffff"),
                &hex!("02 ffffffff 00000010 ffffffff ffffffff 80000000 ffffffff"),
                &hex!("02 ffffffff 00000018 ffffffff ffffffffffffffff 80000000 ffffffffffffffff"),
            ],
            says: |i| Record {
                time: u32::MAX,
                ..record(RecordBody::LoadClass(LoadClass {
                    serial: Serial(u32::MAX),
                    class: Address(i.ff()),
                    trace: Serial(0x8000_0000),
                    name: TextId(i.ff()),
                }))
            },
        },
        Row {
            name: "STACK FRAME, line -1",
            fields: "1 4 4 I I I I 4 4",
            spelled: [
                &hex!("04 00000000 0000000c a1 00 ff 00 ffffffff ffffffff"),
                &hex!("04 00000000 00000010 a1a2 0000 ffff 0000 ffffffff ffffffff"),
                &hex!("04 00000000 00000018 a1a2a3a4 00000000 ffffffff 00000000 ffffffff ffffffff"),
                &hex!(
                    "04 00000000 00000028 a1a2a3a4a5a6a7a8 0000000000000000 ffffffffffffffff 0000000000000000"
                    "ffffffff ffffffff"
                ),
            ],
            says: |i| frame(i, -1),
        },
        Row {
            name: "STACK FRAME, line -2, -3, the largest and the smallest",
            fields: "1 4 4 I I I I 4 4",
            spelled: [
                &hex!("04 00000000 0000000c a1 00 ff 00 ffffffff fffffffe"),
                &hex!("04 00000000 00000010 a1a2 0000 ffff 0000 ffffffff fffffffd"),
                &hex!("04 00000000 00000018 a1a2a3a4 00000000 ffffffff 00000000 ffffffff 7fffffff"),
                &hex!(
                    "04 00000000 00000028 a1a2a3a4a5a6a7a8 0000000000000000 ffffffffffffffff 0000000000000000"
                    "ffffffff 80000000"
                ),
            ],
            says: |i| match i.ff() {
                0xff => frame(i, -2),
                0xffff => frame(i, -3),
                0xffff_ffff => frame(i, 0x7fff_ffff),
                _ => frame(i, -0x8000_0000),
            },
        },
        Row {
            name: "START THREAD of the largest numbers",
            fields: "1 4 4 4 I 4 I I I",
            spelled: [
                &hex!("0a 80000000 0000000c ffffffff ff ffffffff 00 ff 00"),
                &hex!("0a 80000000 00000010 ffffffff ffff ffffffff 0000 ffff 0000"),
                &hex!("0a 80000000 00000018 ffffffff ffffffff ffffffff 00000000 ffffffff 00000000"),
                &hex!(
                    "0a 80000000 00000028 ffffffff ffffffffffffffff ffffffff"
                    "0000000000000000 ffffffffffffffff 0000000000000000"
                ),
            ],
            says: |i| Record {
                time: 0x8000_0000,
                ..record(RecordBody::StartThread(StartThread {
                    serial: Serial(u32::MAX),
                    object: Address(i.ff()),
                    trace: Serial(u32::MAX),
                    name: TextId(0),
                    group: TextId(i.ff()),
                    parent_group: TextId(0),
                }))
            },
        },
    ]
}

fn empty() -> Vec<Row<Record<'static>>> {
    const NOTHING: HeapSummary =
        HeapSummary { live_bytes: 0, live_instances: 0, allocated_bytes: 0, allocated_instances: 0 };
    vec![
        Row {
            name: "STRING IN UTF8, an empty one",
            fields: "1 4 4 I",
            spelled: [
                &hex!("01 00000000 00000001 a1"),
                &hex!("01 00000000 00000002 a1a2"),
                &hex!("01 00000000 00000004 a1a2a3a4"),
                &hex!("01 00000000 00000008 a1a2a3a4a5a6a7a8"),
            ],
            says: |i| record(RecordBody::Text(TextId(i.a()), b"".into())),
        },
        Row {
            name: "STRING IN UTF8 with U+0000, a surrogate pair, a lone surrogate, and no UTF-8 at all",
            fields: "1 4 4 I R",
            spelled: [
                &hex!("01 00000000 0000000f 00 c080 eda080edb080 eda080 ff 00 80"),
                &hex!("01 00000000 00000010 0000 c080 eda080edb080 eda080 ff 00 80"),
                &hex!("01 00000000 00000012 00000000 c080 eda080edb080 eda080 ff 00 80"),
                &hex!("01 00000000 00000016 0000000000000000 c080 eda080edb080 eda080 ff 00 80"),
            ],
            says: |_| {
                let text = b"\xc0\x80\xed\xa0\x80\xed\xb0\x80\xed\xa0\x80\xff\0\x80";
                record(RecordBody::Text(TextId(0), text.into()))
            },
        },
        Row {
            name: "STACK TRACE without frames",
            fields: "1 4 4 4 4 4",
            spelled: [&hex!("05 00000000 0000000c 00000001 00000000 00000000"); 4],
            says: |_| record(RecordBody::Trace(Trace { serial: Serial(1), thread: Serial(0), frames: Vec::new() })),
        },
        Row {
            name: "ALLOC SITES without sites",
            fields: "1 4 4 2 4 4 4 8 8 4",
            spelled: [&hex!(
                "06 00000000 00000022 8000 ffffffff 00000000 00000000 0000000000000000 0000000000000000 00000000"
            ); 4],
            says: |_| {
                let sites = AllocationSites { flags: 0x8000, cutoff: u32::MAX, totals: NOTHING, sites: Vec::new() };
                record(RecordBody::AllocSites(sites))
            },
        },
        Row {
            name: "CPU SAMPLES without samples",
            fields: "1 4 4 4 4",
            spelled: [&hex!("0d 00000000 00000008 ffffffff 00000000"); 4],
            says: |_| record(RecordBody::CpuSamples(CpuSamples { total: u32::MAX, traces: Vec::new() })),
        },
    ]
}

fn with_rest() -> Vec<Row<Record<'static>>> {
    vec![
        Row {
            name: "LOAD CLASS with three bytes more",
            fields: "1 4 4 4 I 4 I R",
            spelled: [
                &hex!("02 00000000 0000000d 00000001 a1 00000002 b1 2c0000"),
                &hex!("02 00000000 0000000f 00000001 a1a2 00000002 b1b2 2c0000"),
                &hex!("02 00000000 00000013 00000001 a1a2a3a4 00000002 b1b2b3b4 2c0000"),
                &hex!("02 00000000 0000001b 00000001 a1a2a3a4a5a6a7a8 00000002 b1b2b3b4b5b6b7b8 2c0000"),
            ],
            says: |i| {
                let load =
                    LoadClass { serial: Serial(1), class: Address(i.a()), trace: Serial(2), name: TextId(i.b()) };
                Record { rest: b"\x2c\0\0".into(), ..record(RecordBody::LoadClass(load)) }
            },
        },
        Row {
            name: "UNLOAD CLASS with a byte more",
            fields: "1 4 4 4 R",
            spelled: [&hex!("03 00000000 00000005 00000001 ff"); 4],
            says: |_| Record { rest: b"\xff".into(), ..record(RecordBody::UnloadClass(Serial(1))) },
        },
        Row {
            name: "STACK TRACE with the bytes of another frame",
            fields: "1 4 4 4 4 4 R",
            spelled: [&hex!("05 00000000 00000014 00000001 00000002 00000000 a1a2a3a4a5a6a7a8"); 4],
            says: |_| Record {
                rest: b"\xa1\xa2\xa3\xa4\xa5\xa6\xa7\xa8".into(),
                ..record(RecordBody::Trace(Trace { serial: Serial(1), thread: Serial(2), frames: Vec::new() }))
            },
        },
        Row {
            name: "CONTROL SETTINGS with two bytes more",
            fields: "1 4 4 4 2 R",
            spelled: [&hex!("0e 00000000 00000008 00000001 0004 0005"); 4],
            says: |_| Record {
                rest: b"\0\x05".into(),
                ..record(RecordBody::ControlSettings(ControlSettings { flags: 1, depth: 4 }))
            },
        },
        Row {
            name: "HEAP DUMP END with a body",
            fields: "1 4 4 R",
            spelled: [&hex!("2c 00000007 00000002 2c2c"); 4],
            says: |_| Record { time: 7, rest: b"\x2c\x2c".into(), ..record(RecordBody::End) },
        },
    ]
}
