//! Dump records: whole heaps, segments, their ends and their lengths.

use super::*;

pub(super) fn cases() -> Vec<Case> {
    vec![
        heap_dump(),
        heap_dump_in_1_0_2(),
        many_segments(),
        old_segments(),
        no_end(),
        end_alone(),
        end_with_body(),
        empty_segment(),
        empty_segment_before_a_string(),
        empty_segment_at_the_end(),
        unpatched_heap_dump(),
        unpatched_segment(),
        unpatched_before_strings(),
        cut_by_segment(),
    ]
}

fn heap_dump() -> Case {
    let hex = [HEADER_1, TEXT_A, LOAD_A, "0c 00000000 0000003c", DUMP_A, OBJECT];
    let told = told_a().version("1.0.1").class(class_a()).object(object_of_a());
    valid("heap-dump", "one HEAP DUMP in a file of 1.0.1", &hex, 5, told)
        .showing(&["hprof.segment.layout", "hprof.sub-record.namespace"])
}

fn heap_dump_in_1_0_2() -> Case {
    let hex = [HEADER, TEXT_A, LOAD_A, "0c 00000000 0000003c", DUMP_A, OBJECT];
    let told = told_a().class(class_a()).object(object_of_a());
    valid("heap-dump-in-1-0-2", "one HEAP DUMP in a file of 1.0.2, as SA writes it", &hex, 5, told)
        .showing(&["hprof.header.segments-optional"])
}

/// Four segments with a sub-record each, and records between them.
fn many_segments() -> Case {
    let hex = [
        HEADER,
        TEXT_A,
        LOAD_A,
        "1c 00000000 0000002b",
        DUMP_A,
        "1c 00000000 00000011",
        OBJECT,
        "01 00000000 00000005 00000002 42",
        "1c 00000000 00000011",
        "21 00002010 00000000 00001000 00000000",
        // A root: a sticky class.
        "1c 00000000 00000005",
        "05 00001000",
        END,
    ];
    let told = told_a()
        .class(class_a())
        .object(object_of_a())
        .text(2, "B")
        .object(instance(0x2010, 0x1000, Vec::new()))
        .root(0x1000, RootKind::StickyClass);
    valid("many-segments", "four segments of one heap, and a string between them", &hex, 12, told).showing(&[
        "hprof.segment.series",
        "hprof.heap.extent",
        "hprof.segment.layout",
    ])
}

fn old_segments() -> Case {
    let hex = [HEADER_1, TEXT_A, LOAD_A, "1c 00000000 0000002b", DUMP_A, END];
    let told = told_a().version("1.0.1").class(class_a());
    valid("segment-in-1-0-1", "a segment in a file of 1.0.1", &hex, 5, told).tolerated("hprof.segment.version", 0x46)
}

/// Cut between two records: only the END is missing.
fn no_end() -> Case {
    let hex = [HEADER, TEXT_A, LOAD_A, "1c 00000000 0000002b", DUMP_A, "1c 00000000 00000011", OBJECT];
    let told = told_a().class(class_a()).object(object_of_a());
    valid("no-end", "the file ends between two records, before the END", &hex, 6, told)
        .tolerated("hprof.segment.end-missing", 0x94)
        .showing(&["hprof.file.kept-prefix", "hprof.heap.extent"])
}

fn end_alone() -> Case {
    let hex = [HEADER_1, TEXT_A, LOAD_A, "0c 00000000 0000002b", DUMP_A, END];
    let told = told_a().version("1.0.1").class(class_a());
    valid("end-alone", "an END behind a HEAP DUMP, which has none", &hex, 5, told)
        .tolerated("hprof.segment.end-alone", 0x7a)
        .showing(&["hprof.segment.series"])
}

fn end_with_body() -> Case {
    let hex = [HEADER, TEXT_A, LOAD_A, "1c 00000000 0000002b", DUMP_A, "2c 00000000 00000002 0c1c"];
    let told = told_a().class(class_a());
    valid("end-with-body", "an END with a body of two bytes", &hex, 5, told).tolerated("hprof.segment.end-body", 0x7a)
}

/// Readers that never take a length of 0 for what it says find the next tag at once.
fn empty_segment() -> Case {
    let hex = [HEADER, TEXT_A, LOAD_A, "1c 00000000 00000000", "1c 00000000 0000002b", DUMP_A, END];
    let told = told_a().class(class_a());
    valid("empty-segment", "a segment without a sub-record before another", &hex, 6, told)
        .noted("hprof.segment.empty", 0x46)
        .showing(&["hprof.segment.zero-length"])
}

/// Behind the empty segment stands a string, whose tag is that of a root inside a segment.
fn empty_segment_before_a_string() -> Case {
    let hex = [HEADER, LOAD_A, "1c 00000000 00000000", TEXT_A, "1c 00000000 0000002b", DUMP_A, END];
    let told = told().load(1, 0x1000, 1).text(1, "A").class(class_a());
    valid("empty-segment-before-string", "a segment without a sub-record before a string", &hex, 6, told)
        .noted("hprof.segment.empty", 0x38)
        .showing(&["hprof.segment.zero-length", "hprof.sub-record.namespace"])
}

/// Nothing follows: an empty heap, or one whose writer died at once.
fn empty_segment_at_the_end() -> Case {
    let hex = [HEADER_1, TEXT_A, "0c 00000000 00000000"];
    let told = told().version("1.0.1").text(1, "A");
    valid("empty-heap-dump", "a HEAP DUMP of length 0 at the end of the file", &hex, 2, told)
        .noted("hprof.segment.empty", 0x2d)
        .showing(&["hprof.segment.zero-length"])
}

/// A dump record whose length its writer did not live to patch. Read as records, its sub-records lead nowhere.
fn unpatched(case: Case, offset: u64) -> Case {
    let Case { answers, .. } = case.clone();
    let read = answers.into_iter().filter_map(|answer| match answer {
        Answer::Reads(_, heap) => Some(Answer::Reads("sub-records follow a length that was not patched", heap)),
        Answer::Refuses(_) => None,
    });
    let refused = Answer::Refuses("a dump record of length 0 is empty, and no records follow it");
    Case {
        verdict: Verdict::Ambiguous,
        answers: std::iter::once(refused).chain(read).collect(),
        ..case.noted("hprof.segment.unpatched-length", offset)
    }
}

fn unpatched_heap_dump() -> Case {
    let hex = [HEADER_1, TEXT_A, LOAD_A, "0c 00000000 00000000", DUMP_A, OBJECT];
    let told = told_a().version("1.0.1").class(class_a()).object(object_of_a());
    let case = valid("unpatched-heap-dump", "a HEAP DUMP of length 0 with sub-records behind it", &hex, 5, told);
    unpatched(case, 0x46).showing(&["hprof.segment.zero-length"])
}

fn unpatched_segment() -> Case {
    let hex = [HEADER, TEXT_A, LOAD_A, "1c 00000000 00000000", DUMP_A, "1c 00000000 00000011", OBJECT, END];
    let told = told_a().class(class_a()).object(object_of_a());
    let case =
        valid("unpatched-segment", "a segment of length 0 with sub-records behind it, and another", &hex, 7, told);
    unpatched(case, 0x46).showing(&["hprof.segment.zero-length"])
}

/// What was not patched ends where a dump record begins; a string does not end it.
fn unpatched_before_strings() -> Case {
    let hex = [HEADER, TEXT_A, LOAD_A, "1c 00000000 00000000", DUMP_A, "01 00001000 0000feed", END];
    let told = told_a().class(class_a()).root(0x1000, RootKind::JniGlobal(Address(0xfeed)));
    let case = valid("unpatched-with-root", "a segment of length 0; a root with the tag of a string", &hex, 6, told);
    unpatched(case, 0x46).showing(&["hprof.segment.zero-length", "hprof.root.jni-global"])
}

/// A CLASS DUMP that begins in one segment and goes on in the next.
fn cut_by_segment() -> Case {
    let hex = [
        HEADER,
        TEXT_A,
        LOAD_A,
        // 28 bytes of the CLASS DUMP, up to its protection domain; 15 more in the next segment.
        "1c 00000000 0000001c",
        "20 00001000 00000000 00000000 00000000 00000000 00000000 000000",
        "1c 00000000 0000000f",
        "00 00000000 00000000 0000 0000 0000",
        END,
    ];
    let read = told_a().class(class_a());
    let case = refused("cut-by-segment", "a CLASS DUMP across the end of its segment", &hex, 3, OVERRUN, 0x68);
    Case {
        verdict: Verdict::Ambiguous,
        answers: vec![
            Answer::Refuses("the rule is broken"),
            Answer::Reads("S3: segments are taken together before sub-records are read", Box::new(read.0)),
        ],
        ..case
    }
    .showing(&["hprof.segment.series"])
}

const OVERRUN: &str = "hprof.sub-record.overrun";
