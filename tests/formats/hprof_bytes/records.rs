//! Top-level records, a row of bytes for each tag of the page and each identifier size.

use heapsmith::hprof::record::RecordBody;
use heapsmith::hprof::{Record, RecordTag};
use heapsmith::model::{
    Address, AllocationSite, AllocationSites, ControlSettings, CpuSamples, Frame, FrameId, HeapSummary, LoadClass,
    Serial, StartThread, TextId, Trace,
};
use hex_literal::hex;

use super::rows::{Row, check_records};

/// A record at TIME 0, without bytes after its fields.
pub(crate) fn record(body: RecordBody<'static>) -> Record<'static> {
    Record { time: 0, body, rest: (&[]).into() }
}

#[test]
fn every_record_is_read_and_written_as_the_page_has_it() {
    check_records(&rows());
}

pub(crate) fn rows() -> Vec<Row<Record<'static>>> {
    vec![
        Row {
            name: "STRING IN UTF8",
            fields: "1 4 4 I R",
            spelled: [
                &hex!("01 00000000 00000005 a1 4a617661"), // "Java"
                &hex!("01 00000000 00000006 a1a2 4a617661"),
                &hex!("01 00000000 00000008 a1a2a3a4 4a617661"),
                &hex!("01 00000000 0000000c a1a2a3a4a5a6a7a8 4a617661"),
            ],
            says: |i| record(RecordBody::Text(TextId(i.a()), b"Java".into())),
        },
        Row {
            name: "LOAD CLASS",
            fields: "1 4 4 4 I 4 I",
            spelled: [
                // Class serial number, class object id, stack trace serial number, name.
                &hex!("02 00000000 0000000a 01020304 a1 05060708 b1"),
                &hex!("02 00000000 0000000c 01020304 a1a2 05060708 b1b2"),
                &hex!("02 00000000 00000010 01020304 a1a2a3a4 05060708 b1b2b3b4"),
                &hex!("02 00000000 00000018 01020304 a1a2a3a4a5a6a7a8 05060708 b1b2b3b4b5b6b7b8"),
            ],
            says: |i| {
                record(RecordBody::LoadClass(LoadClass {
                    serial: Serial(0x0102_0304),
                    class: Address(i.a()),
                    trace: Serial(0x0506_0708),
                    name: TextId(i.b()),
                }))
            },
        },
        Row {
            name: "UNLOAD CLASS",
            fields: "1 4 4 4",
            spelled: [&hex!("03 00000000 00000004 89abcdef"); 4],
            says: |_| record(RecordBody::UnloadClass(Serial(0x89ab_cdef))),
        },
        Row {
            name: "STACK FRAME",
            fields: "1 4 4 I I I I 4 4",
            spelled: [
                // Frame, method, signature, source file; class serial number, line 258.
                &hex!("04 00000000 0000000c a1 b1 c1 d1 01020304 00000102"),
                &hex!("04 00000000 00000010 a1a2 b1b2 c1c2 d1d2 01020304 00000102"),
                &hex!("04 00000000 00000018 a1a2a3a4 b1b2b3b4 c1c2c3c4 d1d2d3d4 01020304 00000102"),
                &hex!(
                    "04 00000000 00000028 a1a2a3a4a5a6a7a8 b1b2b3b4b5b6b7b8 c1c2c3c4c5c6c7c8 d1d2d3d4d5d6d7d8"
                    "01020304 00000102"
                ),
            ],
            says: |i| {
                record(RecordBody::Frame(Frame {
                    id: FrameId(i.a()),
                    method: TextId(i.b()),
                    signature: TextId(i.c()),
                    source: TextId(i.d()),
                    class: Serial(0x0102_0304),
                    line: 258,
                }))
            },
        },
        Row {
            name: "STACK TRACE",
            fields: "1 4 4 4 4 4 L",
            spelled: [
                // Trace and thread serial number; three frames.
                &hex!("05 00000000 0000000f 01020304 05060708 00000003 a1 b1 a1"),
                &hex!("05 00000000 00000012 01020304 05060708 00000003 a1a2 b1b2 a1a2"),
                &hex!("05 00000000 00000018 01020304 05060708 00000003 a1a2a3a4 b1b2b3b4 a1a2a3a4"),
                &hex!(
                    "05 00000000 00000024 01020304 05060708 00000003"
                    "a1a2a3a4a5a6a7a8 b1b2b3b4b5b6b7b8 a1a2a3a4a5a6a7a8"
                ),
            ],
            says: |i| {
                record(RecordBody::Trace(Trace {
                    serial: Serial(0x0102_0304),
                    thread: Serial(0x0506_0708),
                    frames: vec![FrameId(i.a()), FrameId(i.b()), FrameId(i.a())],
                }))
            },
        },
        Row {
            name: "ALLOC SITES",
            fields: "1 4 4 2 4 4 4 8 8 4 L",
            spelled: [&hex!(
                "06 00000000 00000054"
                "0007"              // incremental, sorted by allocation, collect
                "3ba3d70a"          // 0.005 as a float
                "01020304 05060708" // live bytes and instances
                "1112131415161718 2122232425262728" // allocated
                "00000002"          // two sites
                "00 31323334 41424344 51525354 61626364 71727374 81828384" // no array
                "0a 00000000 00000001 00000002 00000003 00000004 00000005" // int[]
            ); 4],
            says: |_| {
                record(RecordBody::AllocSites(AllocationSites {
                    flags: 7,
                    cutoff: 0x3ba3_d70a,
                    totals: HeapSummary {
                        live_bytes: 0x0102_0304,
                        live_instances: 0x0506_0708,
                        allocated_bytes: 0x1112_1314_1516_1718,
                        allocated_instances: 0x2122_2324_2526_2728,
                    },
                    sites: vec![
                        AllocationSite {
                            array: 0,
                            class: Serial(0x3132_3334),
                            trace: Serial(0x4142_4344),
                            live_bytes: 0x5152_5354,
                            live_instances: 0x6162_6364,
                            allocated_bytes: 0x7172_7374,
                            allocated_instances: 0x8182_8384,
                        },
                        AllocationSite {
                            array: 10,
                            class: Serial(0),
                            trace: Serial(1),
                            live_bytes: 2,
                            live_instances: 3,
                            allocated_bytes: 4,
                            allocated_instances: 5,
                        },
                    ],
                }))
            },
        },
        Row {
            name: "HEAP SUMMARY",
            fields: "1 4 4 4 4 8 8",
            spelled: [&hex!("07 00000000 00000018 81020304 85060708 9112131415161718 a122232425262728"); 4],
            says: |_| {
                record(RecordBody::HeapSummary(HeapSummary {
                    live_bytes: 0x8102_0304,
                    live_instances: 0x8506_0708,
                    allocated_bytes: 0x9112_1314_1516_1718,
                    allocated_instances: 0xa122_2324_2526_2728,
                }))
            },
        },
        Row {
            name: "START THREAD",
            fields: "1 4 4 4 I 4 I I I",
            spelled: [
                // Thread serial number, object, stack trace; name, group, parent group.
                &hex!("0a 00000000 0000000c 01020304 a1 05060708 b1 c1 d1"),
                &hex!("0a 00000000 00000010 01020304 a1a2 05060708 b1b2 c1c2 d1d2"),
                &hex!("0a 00000000 00000018 01020304 a1a2a3a4 05060708 b1b2b3b4 c1c2c3c4 d1d2d3d4"),
                &hex!(
                    "0a 00000000 00000028 01020304 a1a2a3a4a5a6a7a8 05060708"
                    "b1b2b3b4b5b6b7b8 c1c2c3c4c5c6c7c8 d1d2d3d4d5d6d7d8"
                ),
            ],
            says: |i| {
                record(RecordBody::StartThread(StartThread {
                    serial: Serial(0x0102_0304),
                    object: Address(i.a()),
                    trace: Serial(0x0506_0708),
                    name: TextId(i.b()),
                    group: TextId(i.c()),
                    parent_group: TextId(i.d()),
                }))
            },
        },
        Row {
            name: "END THREAD",
            fields: "1 4 4 4",
            spelled: [&hex!("0b 00000000 00000004 89abcdef"); 4],
            says: |_| record(RecordBody::EndThread(Serial(0x89ab_cdef))),
        },
        Row {
            name: "CPU SAMPLES",
            fields: "1 4 4 4 4 L",
            spelled: [&hex!("0d 00000000 00000018 81020304 00000002 91020304 a5060708 00000001 00000002"); 4],
            says: |_| {
                record(RecordBody::CpuSamples(CpuSamples {
                    total: 0x8102_0304,
                    traces: vec![(0x9102_0304, Serial(0xa506_0708)), (1, Serial(2))],
                }))
            },
        },
        Row {
            name: "CONTROL SETTINGS",
            fields: "1 4 4 4 2",
            spelled: [&hex!("0e 00000000 00000006 80000003 fffe"); 4],
            says: |_| record(RecordBody::ControlSettings(ControlSettings { flags: 0x8000_0003, depth: 0xfffe })),
        },
        Row {
            name: "HEAP DUMP END",
            fields: "1 4 4",
            spelled: [&hex!("2c 00000000 00000000"); 4],
            says: |_| record(RecordBody::End),
        },
        Row {
            name: "unknown tag 0x10",
            fields: "1 4 4 R",
            spelled: [&hex!("10 00000000 00000003 010203"); 4],
            says: |_| record(RecordBody::Unknown(RecordTag(0x10), b"\x01\x02\x03".into())),
        },
        Row {
            name: "unknown tag 0x11",
            fields: "1 4 4",
            spelled: [&hex!("11 00000000 00000000"); 4],
            says: |_| record(RecordBody::Unknown(RecordTag(0x11), b"".into())),
        },
        // Tags of sub-records are none of records.
        Row {
            name: "unknown tag 0x20",
            fields: "1 4 4 R",
            spelled: [&hex!("20 00000000 00000009 2c 00000000 00000000"); 4],
            says: |_| record(RecordBody::Unknown(RecordTag(0x20), b"\x2c\0\0\0\0\0\0\0\0".into())),
        },
        Row {
            name: "unknown tag 0x00",
            fields: "1 4 4 R",
            spelled: [&hex!("00 00000000 00000001 ff"); 4],
            says: |_| record(RecordBody::Unknown(RecordTag(0), b"\xff".into())),
        },
        Row {
            name: "unknown tag 0xff",
            fields: "1 4 4 R",
            spelled: [&hex!("ff 00000000 00000001 ff"); 4],
            says: |_| record(RecordBody::Unknown(RecordTag(0xff), b"\xff".into())),
        },
    ]
}
