//! Dumps that cannot be read to their end: lengths and counts that lie, and cuts.

use super::*;

pub(super) fn cases() -> Vec<Case> {
    let mut cases = counts();
    cases.extend(lengths());
    cases.extend(cuts());
    cases.extend(codes());
    cases
}

const TRUNCATED: &str = "hprof.file.truncated";
const OVERRUN: &str = "hprof.sub-record.overrun";
const LENGTH: &str = "hprof.record.length";

/// Counts that multiply beyond 32 bits, or ask for far more than there is.
fn counts() -> Vec<Case> {
    let in_segment = |id, summary, length, sub_record: &str, offset| {
        let hex = [HEADER, TEXT_A, LOAD_A, length, DUMP_A, sub_record, END];
        refused(id, summary, &hex, 4, OVERRUN, offset).showing(&["hprof.record.length-unsigned"])
    };
    vec![
        // 20000001 longs are 1 0000 0008 bytes, of which 32 bits hold the 8.
        in_segment(
            "overflowing-long-array",
            "long[20000001]: its bytes are 8 modulo 2^32, and 8 are there",
            "1c 00000000 00000041",
            "23 00002000 00000000 20000001 0b 0000000000000007",
            0x88,
        ),
        // 40000001 references of 4 bytes are 1 0000 0004 bytes.
        in_segment(
            "overflowing-object-array",
            "Object[40000001]: its bytes are 4 modulo 2^32, and 4 are there",
            "1c 00000000 00000040",
            "22 00002000 00000000 40000001 00001000 00002000",
            0x8b,
        ),
        in_segment(
            "huge-object-array",
            "an array of 2^32 - 1 references in a segment of 60 bytes",
            "1c 00000000 0000003c",
            "22 00002000 00000000 ffffffff 00001000",
            0x8b,
        ),
        in_segment(
            "huge-byte-array",
            "byte[2^32 - 1] with one byte",
            "1c 00000000 0000003a",
            "23 00002000 00000000 ffffffff 08 07",
            0x88,
        ),
        in_segment(
            "huge-instance",
            "an instance of 2^32 - 16 bytes without any",
            "1c 00000000 0000003c",
            "21 00002000 00000000 00001000 fffffff0",
            0x8b,
        ),
        in_segment(
            "huge-constant-pool",
            "a class with 65535 constant pool entries, of which none is there",
            "1c 00000000 00000052",
            "20 00001100 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000 ffff",
            0xa1,
        ),
        refused(
            "huge-trace",
            "a trace of 2^32 - 1 frames in a record of 12 bytes",
            &[HEADER, TEXT_A, "05 00000000 0000000c 00000001 00000000 ffffffff", END],
            1,
            LENGTH,
            0x42,
        )
        .showing(&["hprof.record.length-unsigned"]),
        refused(
            "overflowing-trace",
            "a trace of 40000001 frames: 4 bytes modulo 2^32, and 4 are there",
            &[HEADER, TEXT_A, "05 00000000 00000010 00000001 00000000 40000001 00000001", END],
            1,
            LENGTH,
            0x42,
        )
        .showing(&["hprof.record.length-unsigned"]),
    ]
}

/// Records that are shorter than their fields, or longer than the file.
fn lengths() -> Vec<Case> {
    vec![
        refused(
            "short-load-class",
            "a LOAD CLASS of 15 bytes, which needs 16",
            &[HEADER, TEXT_A, "02 00000000 0000000f 00000001 00001000 00000000 000000", END],
            1,
            LENGTH,
            0x42,
        )
        .showing(&["hprof.file.kept-prefix"]),
        refused(
            "record-beyond-end",
            "a string that is one byte longer than what is left",
            &[HEADER, TEXT_A, "01 00000000 00000006 00000002 42"],
            1,
            TRUNCATED,
            0x36,
        ),
        refused(
            "huge-string",
            "a string of 2^32 - 1 bytes in a file of 61",
            &[HEADER, TEXT_A, "01 00000000 ffffffff 00000002 424242"],
            1,
            TRUNCATED,
            0x36,
        )
        .showing(&["hprof.record.length-unsigned"]),
        refused(
            "segment-beyond-end",
            "a segment that is one byte longer than what is left",
            &[HEADER, TEXT_A, LOAD_A, "1c 00000000 0000002c", DUMP_A],
            4,
            TRUNCATED,
            0x7a,
        ),
        refused(
            "segment-too-short",
            "a segment that is one byte shorter than its sub-records",
            &[HEADER, TEXT_A, LOAD_A, "1c 00000000 0000003b", DUMP_A, OBJECT, END],
            4,
            OVERRUN,
            0x87,
        ),
    ]
}

fn cuts() -> Vec<Case> {
    vec![
        refused("cut-in-header", "cut inside the time stamp", &[&HEADER[..52]], 0, TRUNCATED, 0x17),
        refused(
            "cut-in-head",
            "cut inside a record's length",
            &[HEADER, TEXT_A, "02 00000000 0000"],
            1,
            TRUNCATED,
            0x32,
        ),
        refused(
            "cut-in-record",
            "cut inside a LOAD CLASS",
            &[HEADER, TEXT_A, "02 00000000 00000010 00000001 00001000 00"],
            1,
            TRUNCATED,
            0x3e,
        ),
        refused(
            "cut-in-class-dump",
            "cut inside the last field of a CLASS DUMP",
            &[HEADER, TEXT_A, LOAD_A, "1c 00000000 0000002b", &DUMP_A[..DUMP_A.len() - 2]],
            3,
            TRUNCATED,
            0x78,
        ),
        refused(
            "cut-in-array",
            "cut inside the elements of an array",
            &[HEADER, TEXT_A, LOAD_A, "1c 00000000 0000003d", DUMP_A, "23 00002000 00000000 00000004 08 010203"],
            4,
            TRUNCATED,
            0x88,
        ),
        refused(
            "cut-behind-sub-record",
            "cut between two sub-records",
            &[HEADER, TEXT_A, LOAD_A, "1c 00000000 0000003c", DUMP_A],
            4,
            TRUNCATED,
            0x7a,
        ),
    ]
    .into_iter()
    .map(|case| case.showing(&["hprof.file.kept-prefix"]))
    .collect()
}

/// Numbers that mean nothing.
fn codes() -> Vec<Case> {
    let in_segment = |id, summary, length, sub_record: &str, rule, offset| {
        refused(id, summary, &[HEADER, TEXT_A, LOAD_A, length, DUMP_A, sub_record, END], 4, rule, offset)
    };
    vec![
        refused(
            "version-1-0",
            "plain 1.0, which has another layout of classes",
            &["4a4156412050524f46494c4520 312e30 00 00000004 0000000000000000", TEXT_A, LOAD_A],
            0,
            "hprof.header.version",
            0x0d,
        ),
        refused(
            "id-size-3",
            "identifiers of 3 bytes",
            &["4a4156412050524f46494c4520 312e302e32 00 00000003 0000000000000000"],
            0,
            "hprof.header.id-size",
            0x13,
        ),
        in_segment(
            "type-1",
            "a field of the type 1, which no writer writes",
            "1c 00000000 0000005b",
            "20 00001100 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000 0000 0000 0001 \
             00000001 01",
            "hprof.type.code",
            0xa9,
        )
        .showing(&["hprof.type.codes"]),
        in_segment(
            "type-2-in-primitive-array",
            "a primitive array of references",
            "1c 00000000 00000039",
            "23 00002000 00000000 00000000 02",
            "hprof.type.code",
            0x87,
        ),
        in_segment(
            "unknown-sub-record",
            "a sub-record of an unknown tag, which has no length to skip it by",
            "1c 00000000 00000040",
            "24 00002000 00000000 00001000 00000000 00000000",
            "hprof.sub-record.tag",
            0x7a,
        )
        .showing(&["hprof.file.kept-prefix"]),
    ]
}
