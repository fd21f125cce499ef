//! What an implementation costs: the memory of each case, and `check --scaling`. No verdict here depends on a time.

use std::fs;

use heapsmith::Format;
use heapsmith::check::{ScalingDump, scaling_dumps};
use heapsmith::input::Input;
use heapsmith::model::ObjectKind;
use heapsmith::validate::{Severity, ValidateOptions, validate};
use serde_json::Value;

use crate::bench::{check, has_python, python, tally};
use crate::schema::Schema;

const REFERENCE: &str = "heapsmith adapter serve";
const SHAPES: [&str; 10] = [
    "many-threads",
    "deep-superclasses",
    "many-classes",
    "many-segments",
    "large-primitive-array",
    "large-object-array",
    "many-names",
    "linked-list",
    "one-target",
    "small-objects",
];

fn series(told: &Value) -> &[Value] {
    told["implementations"][0]["series"].as_array().expect("series")
}

#[track_caller]
fn is_as_published(told: &Value) {
    let path = format!("{}/specs/schemas/scaling.schema.json", env!("CARGO_MANIFEST_DIR"));
    let schema = fs::read_to_string(path).expect("it is there");
    let schema = Schema::new(serde_json::from_str(&schema).expect("JSON"));
    assert_eq!(schema.error(told), None);
    assert_eq!(told["schema"], 3);
}

#[test]
fn every_scaling_dump_is_valid_and_matches_its_counts() {
    for format in [Format::HPROF, Format::PHD4, Format::PHD5, Format::PHD6, Format::CLASSIC] {
        for count in [0, 1, 300] {
            for ScalingDump { name, bytes, counts } in scaling_dumps(format, count).expect("a dump") {
                let input = Input::from_memory(name, bytes.clone());
                let report = validate(&input, ValidateOptions::default()).expect("it is in memory");
                let errors = report.findings.iter().filter(|finding| finding.severity == Severity::Error);
                assert_eq!(errors.count(), 0, "{format} {name} {count}: {:?}", report.findings);
                let heap = heapsmith::read(bytes).expect("it is valid");
                let of = |is: fn(ObjectKind) -> bool| heap.objects.iter().filter(|o| is(o.kind)).count() as u64;
                assert_eq!(counts.classes, Some(heap.classes.len() as u64), "{format} {name} {count}");
                assert_eq!(counts.instances, Some(of(|kind| kind == ObjectKind::Instance)), "{format} {name}");
                assert_eq!(counts.object_arrays, Some(of(|kind| kind == ObjectKind::ObjectArray)), "{format} {name}");
                let primitive = of(|kind| matches!(kind, ObjectKind::PrimitiveArray(_)));
                assert_eq!(counts.primitive_arrays, Some(primitive), "{format} {name}");
            }
        }
    }
}

#[test]
fn scaling_dumps_grow_by_requested_count() {
    let of = |count| scaling_dumps(Format::HPROF, count).expect("dumps");
    for (few, many) in of(1_000).into_iter().zip(of(3_000)) {
        let name = few.name;
        let (few, many) = (heapsmith::read(few.bytes).expect("a dump"), heapsmith::read(many.bytes).expect("a dump"));
        let grown = |of: fn(&heapsmith::Heap) -> usize| of(&many) - of(&few);
        let classes = grown(|heap| heap.classes.len());
        let statics = grown(|heap| heap.classes.iter().flat_map(|class| &class.statics).flatten().count());
        let objects = grown(|heap| heap.objects.len());
        let elements = grown(|heap| heap.objects.iter().filter_map(|object| object.length).sum::<u64>() as usize);
        let threads = grown(|heap| heap.surroundings.threads.as_ref().map_or(0, Vec::len));
        let traces = grown(|heap| heap.surroundings.traces.as_ref().map_or(0, Vec::len));
        let roots = grown(|heap| heap.surroundings.roots.as_ref().map_or(0, Vec::len));
        let found = [classes, statics, objects, elements, threads, traces, roots];
        let due = match name {
            "many-threads" => [0, 0, 2000, 0, 2000, 2000, 4000],
            "deep-superclasses" => [2000, 0, 0, 0, 0, 0, 0],
            "many-classes" => [2000, 0, 2000, 0, 0, 0, 0],
            "large-primitive-array" | "large-object-array" => [0, 0, 0, 2000, 0, 0, 0],
            // 256 of a class: 12 classes, after 4.
            "many-names" => [8, 2000, 0, 0, 0, 0, 0],
            _ => [0, 0, 2000, 0, 0, 0, 0],
        };
        assert_eq!(found, due, "{name}");
    }
}

#[test]
fn many_segments_dump_has_one_object_per_segment() {
    let of = |count| {
        let dumps = scaling_dumps(Format::HPROF, count).expect("dumps");
        let bytes = dumps.into_iter().find(|dump| dump.name == "many-segments").expect("a kind").bytes;
        // Records after the header of 31 bytes: a tag, 4 bytes of time, 4 of length.
        let (mut at, mut segments) = (31, 0);
        while at < bytes.len() {
            segments += usize::from(bytes[at] == 0x1c);
            let length = u32::from_be_bytes(bytes[at + 5..at + 9].try_into().expect("4 bytes"));
            at += 9 + length as usize;
        }
        segments
    };
    assert_eq!(of(1_500) - of(500), 1_000);
}

#[test]
fn asks_every_scaling_dump_in_every_format_and_follows_schema() {
    // No dump may be larger than nothing, so that the first size of each is the last.
    let (told, _) = check(&["--scaling", "--scaling-size", "0", "--adapter", REFERENCE]);
    is_as_published(&told);
    let asked = |wanted: &str| {
        let of = series(&told).iter().filter(|series| series["format"] == wanted);
        of.map(|series| series["shape"].as_str().expect("a name")).collect::<Vec<_>>()
    };
    let all_but = |left_out: &[&str]| SHAPES.into_iter().filter(|name| !left_out.contains(name)).collect::<Vec<_>>();
    let of_hprof = ["many-threads", "many-segments", "large-primitive-array", "many-names"];
    assert_eq!(asked("hprof"), all_but(&[]));
    assert_eq!(asked("phd6"), all_but(&of_hprof));
    assert_eq!(asked("classic"), all_but(&[&of_hprof[..], &["deep-superclasses"]].concat()));
    assert_eq!(told["implementations"][0]["level"], "counts");
    for series in series(&told) {
        assert_eq!(series["failure"], Value::Null, "{series}");
        assert_eq!(series["empty"]["count"], 0, "{series}");
        assert_eq!(series["sizes"].as_array().map(Vec::len), Some(1), "{series}");
        assert_eq!(series["time"]["growth"], "not-measured", "{series}");
    }
}

#[test]
fn sizes_are_doubled_up_to_the_largest_dump() {
    let arguments = ["--scaling", "--scaling-size", "1", "--scaling-time", "1000", "--format", "phd"];
    let (told, _) = check(&[&arguments[..], &["--adapter", REFERENCE]].concat());
    is_as_published(&told);
    for series in series(&told) {
        assert_eq!(series["failure"], Value::Null, "{series}");
        let sizes = series["sizes"].as_array().expect("sizes");
        let of = |key: &str| sizes.iter().map(|size| size[key].as_u64().expect("a number")).collect::<Vec<_>>();
        assert!(of("count").windows(2).all(|pair| pair[1] == 2 * pair[0]), "{series}");
        let bytes = of("bytes");
        assert!(bytes.last().is_some_and(|last| (200_000..1_100_000).contains(last)), "{series}");
    }
}

#[test]
fn reports_size_at_which_recursion_fails() {
    if !has_python() {
        return;
    }
    let adapter = python("tests/adapters/costly.py", "recurses");
    let (told, code) = check(&["--scaling", "--scaling-size", "1", "--adapter", &adapter]);
    is_as_published(&told);
    assert_eq!(code, 1);
    for series in series(&told) {
        if series["shape"] != "deep-superclasses" {
            assert_eq!(series["failure"], Value::Null, "{series}");
            continue;
        }
        // Python goes 1000 calls deep; 256 and 512 are read.
        assert_eq!(series["sizes"].as_array().map(Vec::len), Some(2), "{series}");
        assert_eq!(series["failure"]["count"], 1024, "{series}");
        assert_eq!(series["failure"]["outcome"]["verdict"], "crash", "{series}");
        let how = series["failure"]["outcome"]["how"].as_str().expect("a text");
        assert!(how.contains("RecursionError"), "{how}");
    }
}

#[test]
fn fails_program_that_reads_no_dump() {
    let output = crate::bench::heapsmith(&["check", "--scaling", "--scaling-size", "0", "--decoder", "false {}"]);
    assert_eq!(output.status.code(), Some(2));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(errors.contains("no dump was read, the first of them because: refused"), "{errors}");
}

#[cfg(target_os = "linux")]
#[test]
fn measures_memory_per_case() {
    if !has_python() {
        return;
    }
    const MIB: u64 = 1 << 20;
    let adapter = python("tests/adapters/costly.py", "hoards");
    let ids = ["hprof-hotspot-11-4", "hprof-hotspot-17-4", "hprof-hotspot-21-4"];
    let filters: Vec<&str> = ids.iter().flat_map(|id| ["--filter", id]).collect();
    let (report, _) = check(&[&["--adapter", &adapter], &filters[..]].concat());
    let peaks = report["run"]["peak_memory"]["costly 1"].as_object().expect("peaks");
    let peaks: Vec<u64> = peaks.values().map(|peak| peak.as_u64().expect("bytes")).collect();
    let [first, second, third] = peaks[..] else { panic!("{peaks:?} of {:?}", tally(&report)) };
    assert!(first > MIB && third > MIB, "{peaks:?}");
    assert!(second > 96 * MIB, "{peaks:?}");
    assert!(first.max(third) + 48 * MIB < second, "{peaks:?}");
}
