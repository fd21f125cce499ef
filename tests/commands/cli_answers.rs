//! The command `answers`, over a heap whose answers were worked out by hand.

use pretty_assertions::assert_eq;
use serde_json::{Value as Json, json};

use super::bench::Bench;
use super::schema::Schema;

/// `a` leads to `b` and `c`, both of these to `d`, and `d` to an array `e` of five ints; `f` and `g` lead to each other. A JNI
/// global reference keeps `a`, and another one nothing that is there.
const HEAP: &str = r#"{"listing":1,"format":"hprof","identifier_size":8}
{"kind":"class","address":"0x10","name":"Node","super":"0x0","loader":"0x0","signers":"0x0","protection_domain":"0x0","instance_size":16,"statics":[],"constant_pool":[],"fields":[{"name":"left","type":"object"},{"name":"right","type":"object"}],"serial":1}
{"kind":"object","address":"0x100","class":"0x10","values":[["object","0x120"],["object","0x140"]]}
{"kind":"object","address":"0x120","class":"0x10","values":[["object","0x160"],["object","0x0"]]}
{"kind":"object","address":"0x140","class":"0x10","values":[["object","0x160"],["object","0x160"]]}
{"kind":"object","address":"0x160","class":"0x10","values":[["object","0x180"],["object","0xdead0"]]}
{"kind":"primitive-array","address":"0x180","element":"int","length":5,"contents":"0000000100000002000000030000000400000005"}
{"kind":"object","address":"0x1a0","class":"0x10","values":[["object","0x1c0"],["object","0x0"]]}
{"kind":"object","address":"0x1c0","class":"0x10","values":[["object","0x1a0"],["object","0x0"]]}
{"kind":"root","root":"jni-global","object":"0x100","reference":"0x900"}
{"kind":"root","root":"jni-global","object":"0xbeef0","reference":"0x908"}
"#;

fn bench() -> Bench {
    let bench = Bench::new();
    bench.write("heap.jsonl", HEAP.as_bytes());
    bench.ok("encode heap.jsonl --format hprof --profile any -o heap.hprof");
    bench
}

fn json(text: &str) -> Json {
    serde_json::from_str(text).unwrap_or_else(|e| panic!("{e}: {text}"))
}

#[test]
fn the_answers_are_those_worked_out_by_hand() {
    let bench = bench();
    for dump in ["heap.hprof", "heap.jsonl"] {
        let answers = json(&bench.ok(&format!("answers {dump} --json --path 0x180")));
        assert_eq!(Schema::new(json(&bench.ok("schema answers"))).error(&answers), None);
        let expected = json!({
            "schema": 5,
            "referents": false,
            "classes_of_objects": true,
            "locals_of_threads": false,
            "entries": {"classes": 1, "instances": 6, "object_arrays": 0, "primitive_arrays": 1},
            // Eight among objects (0x140 leads to 0x160 twice), and six to the class; the class object of int[] is not there.
            "references": {
                "references": 14,
                "dangling": 1,
                "from": {"most": 3, "address": "0x100", "distribution": [2, 0, 6]},
                "to": {"most": 6, "address": "0x10", "distribution": [1, 5, 1, 1]}
            },
            "histogram": [
                {"class": "Node", "objects": 6, "bytes": 96, "retained": {"entries": 6, "bytes": 84}},
                {"class": "int[]", "objects": 1, "bytes": 20, "retained": {"entries": 1, "bytes": 20}}
            ],
            "roots": [{
                "kind": "jni-global", "roots": 2, "entries": 1, "dangling": 1,
                "reachable": {"classes": 1, "objects": 5, "bytes": 84}
            }],
            "reachable": {"classes": 1, "objects": 5, "bytes": 84},
            "unreachable": {"classes": 0, "objects": 2, "bytes": 32},
            "components": {"components": 7, "cycles": 1, "in_cycles": 2, "largest": 2, "address": "0x1a0"},
            "holders": [{
                "address": "0x100", "class": "Node", "retained": {"entries": 6, "bytes": 84}, "through": []
            }],
            "paths": [{
                "to": "0x180", "exists": true,
                "path": [
                    {"address": "0x100", "class": "Node"}, {"address": "0x120", "class": "Node"},
                    {"address": "0x160", "class": "Node"}, {"address": "0x180", "class": "int[]"}
                ]
            }]
        });
        let mut expected = expected;
        // An empty list is left out.
        expected["holders"][0].as_object_mut().expect("an object").remove("through");
        assert_eq!(answers, expected, "{dump}");
    }
}

#[test]
fn writes_one_line_per_entry() {
    let bench = bench();
    bench.ok("answers heap.hprof --entries lines");
    let text = String::from_utf8(bench.read("lines")).expect("text");
    let lines: Vec<Json> = text.lines().map(json).collect();
    let schema = Schema::new(json(&bench.ok("schema answers-entry")));
    lines.iter().for_each(|line| assert_eq!(schema.error(line), None));
    let node = |address: &str, distance: u32, dominator: Option<&str>, retained: (u64, u64)| {
        let (entries, bytes) = retained;
        let mut line = json!({
            "address": address, "class": "Node", "bytes": 16, "reachable": true, "distance": distance,
            "retained": {"entries": entries, "bytes": bytes}
        });
        if let Some(dominator) = dominator {
            line["dominator"] = dominator.into();
        }
        line
    };
    let expected = [
        json!({
            "address": "0x10", "class": "Node", "is_class": true, "reachable": true, "distance": 1, "dominator": "0x100",
            "retained": {"entries": 1, "bytes": 0}
        }),
        node("0x100", 0, None, (6, 84)),
        node("0x120", 1, Some("0x100"), (1, 16)),
        node("0x140", 1, Some("0x100"), (1, 16)),
        node("0x160", 2, Some("0x100"), (2, 36)),
        json!({
            "address": "0x180", "class": "int[]", "bytes": 20, "reachable": true, "distance": 3, "dominator": "0x160",
            "retained": {"entries": 1, "bytes": 20}
        }),
        json!({"address": "0x1a0", "class": "Node", "bytes": 16, "reachable": false, "component": "0x1a0"}),
        json!({"address": "0x1c0", "class": "Node", "bytes": 16, "reachable": false, "component": "0x1a0"}),
    ];
    assert_eq!(lines, expected);
    assert!(bench.refused("answers heap.hprof --entries lines").contains("lines"));
}

#[test]
fn exits_with_1_when_no_path_exists() {
    let bench = bench();
    let (code, out, _) = bench.run("answers heap.hprof --path 0x1a0 --path 0x100");
    assert_eq!(code, 1);
    assert!(out.contains("path to 0x1a0: no root leads there"), "{out}");
    assert!(out.contains("path to 0x100: 0 references from a root"), "{out}");
    let (code, out, _) = bench.run("answers heap.hprof --path 0x33");
    assert_eq!(code, 1);
    assert!(out.contains("path to 0x33: the dump has no class or object there"), "{out}");
    assert!(bench.refused("answers heap.hprof --path here").contains("expected an address such as 0x7f001200"));
}

#[test]
fn omits_answers_that_depend_on_missing_roots() {
    let bench = bench();
    bench.ok("convert heap.hprof --to phd6 -o heap.phd");
    let answers = json(&bench.ok("answers heap.phd --json"));
    for key in ["roots", "reachable", "unreachable", "holders"] {
        assert_eq!(answers.get(key), None, "{key}");
    }
    assert_eq!(answers["components"]["cycles"], 1);
    assert!(bench.ok("answers heap.phd").contains("reachable     unknown: the dump records no roots"));
}

/// An object whose class the dump does not have refers to it all the same.
#[test]
fn a_class_that_the_dump_does_not_have_is_a_dangling_reference() {
    let bench = Bench::new();
    let array =
        r#"{"kind":"object-array","address":"0x1e0","array_class":"0xdead8","length":2,"elements":["0x100","0x0"]}"#;
    let heap = HEAP.replacen(r#"{"kind":"root""#, &format!("{array}\n{{\"kind\":\"root\""), 1);
    bench.write("heap.jsonl", heap.as_bytes());
    bench.ok("encode heap.jsonl --format hprof --profile any -o heap.hprof");
    for dump in ["heap.jsonl", "heap.hprof"] {
        // The array's element is one more than there were.
        let references = &json(&bench.ok(&format!("answers {dump} --json")))["references"];
        assert_eq!((&references["references"], &references["dangling"]), (&json!(15), &json!(2)), "{dump}");
        let references = &json(&bench.ok(&format!("answers {dump} --json --no-class-references")))["references"];
        assert_eq!((&references["references"], &references["dangling"]), (&json!(9), &json!(1)), "{dump}");
    }
}

/// A format that names no fields cannot leave the referents out.
#[test]
fn reports_facts_that_format_does_not_record() {
    let bench = bench();
    bench.ok("convert heap.hprof --to phd4 -o heap.phd");
    assert_eq!(json(&bench.ok("answers heap.phd --json"))["referents"], true);
    let text = bench.ok("answers heap.phd");
    assert!(
        text.lines().any(|line| line.split_whitespace().collect::<Vec<_>>() == ["int[]", "1", "not", "recorded"]),
        "{text}"
    );
    let (code, out, _) = bench.run("answers heap.phd --path 0x180");
    assert_eq!(code, 1);
    assert!(out.contains(": unknown: the dump records no roots"), "{out}");
}

#[test]
fn a_dump_that_is_not_valid_is_refused_or_tolerated() {
    let bench = bench();
    bench.ok("corrupt heap.hprof --edit repeat-an-object -o twice.hprof");
    let (code, _, error) = bench.run("answers twice.hprof");
    assert_eq!(code, 1, "{error}");
    assert!(bench.ok("answers twice.hprof --tolerate").contains("tolerated: "));
}

/// An empty file is no damaged dump of any format.
#[test]
fn reports_empty_file_as_empty() {
    let bench = Bench::new();
    bench.write("empty", b"");
    for command in ["answers empty", "validate empty", "inspect empty", "decode empty"] {
        let (code, out, error) = bench.run(command);
        assert_eq!(code, 1, "{command}: {error}");
        assert!(format!("{out}{error}").contains("an empty file"), "{command}: {out}{error}");
    }
}

#[test]
fn warns_of_shape_without_root() {
    let bench = Bench::new();
    let (code, _, error) = bench.run("generate --objects 20 --shape list:3@monitor-used -o warned.hprof");
    assert_eq!(code, 0, "{error}");
    assert!(error.contains("the profile hotspot-25 records no roots of the kind monitor-used"), "{error}");
    bench.ok("generate --objects 20 --shape list:3@monitor-used --profile any -o any.hprof");
    bench.ok("generate --objects 20 --shape list:3@jni-local -o known.hprof");
}
