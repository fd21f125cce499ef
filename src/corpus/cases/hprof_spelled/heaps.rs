//! Several heaps in one file.

use super::*;

pub(super) fn cases() -> Vec<Case> {
    [two_heaps(), two_series(), vec![concatenated()]].concat()
}

/// A case for each heap of a dump.
fn each(name: &str, summary: &str, hex: &[&str], records: u64, heaps: [Told; 2]) -> Vec<Case> {
    let shows: &[&'static str] = &["hprof.heap.several", "hprof.heap.extent", "hprof.tables.kept"];
    let case = |(number, told): (u64, Told)| Case {
        heap: Some(number),
        ..valid(&format!("{name}-{}-of-2", number + 1), summary, hex, records, told).showing(shows)
    };
    (0..).zip(heaps).map(case).collect()
}

/// What the second heap has: A again, with the string and the LOAD CLASS of the first; B, which is new; the
/// identifier 2000 for an object of another class.
fn second() -> Told {
    told().text(2, "B").load(2, 0x1100, 2).class(class_a()).class(class(2, 0x1100, "B")).object(instance(
        0x2000,
        0x1100,
        Vec::new(),
    ))
}

const LOAD_B: &str = "02 00000000 00000010 00000002 00001100 00000000 00000002";
const DUMP_B: &str =
    "20 00001100 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000 0000 0000 0000";
const OBJECT_OF_B: &str = "21 00002000 00000000 00001100 00000000";

/// Two HEAP DUMPs, as the hprof agent writes them.
fn two_heaps() -> Vec<Case> {
    let hex = [
        HEADER_1,
        TEXT_A,
        LOAD_A,
        "0c 00000003 0000003c",
        DUMP_A,
        OBJECT,
        "01 00000000 00000005 00000002 42",
        LOAD_B,
        "0c 00000008 00000067",
        DUMP_A,
        DUMP_B,
        OBJECT_OF_B,
    ];
    let times = |told: Told, time| told.version("1.0.1").but(|heap| heap.surroundings.times = Some((time, time)));
    let first = times(told_a().class(class_a()).object(object_of_a()), 3);
    each("two-heap-dumps", "two HEAP DUMPs, the second with what is new alone", &hex, 11, [first, times(second(), 8)])
}

/// Two series of segments, each with its END.
fn two_series() -> Vec<Case> {
    let hex = [
        HEADER,
        TEXT_A,
        LOAD_A,
        "1c 00000000 0000002b",
        DUMP_A,
        "1c 00000000 00000011",
        OBJECT,
        END,
        "01 00000000 00000005 00000002 42",
        LOAD_B,
        "1c 00000000 00000056",
        DUMP_A,
        DUMP_B,
        "1c 00000000 00000011",
        OBJECT_OF_B,
        END,
    ];
    let first = told_a().class(class_a()).object(object_of_a());
    each("two-series", "two series of segments, each with its END", &hex, 15, [first, second()])
}

/// Two files, one behind the other: the second header is no record.
fn concatenated() -> Case {
    let hex = [HEADER_1, TEXT_A, LOAD_A, "0c 00000000 0000002b", DUMP_A, HEADER_1, TEXT_A];
    // "J" is an unknown tag, "AVA " a time and "PROF" a length, which the rest of the file does not have.
    refused("concatenated", "a file behind another: its header is no record", &hex, 4, "hprof.file.truncated", 0x83)
        .showing(&["hprof.file.kept-prefix"])
}
