//! The command line: facets, compare, convert and check-conversion.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use assert_cmd::cargo::CommandCargoExt;
use hex_literal::hex;
use pretty_assertions::assert_eq;
use serde_json::Value;
use tempfile::TempDir;

use super::schema::Schema;

struct Bench(TempDir);

impl Bench {
    fn new() -> Bench {
        Bench(tempfile::tempdir().expect("a temporary folder"))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn run(&self, arguments: &str) -> Output {
        let mut command = Command::cargo_bin("heapsmith").expect("built");
        command.args(arguments.split(' ')).current_dir(self.0.path()).stdin(Stdio::null());
        command.output().expect("started")
    }

    /// Runs a command that has to end with this code, and gives what it printed.
    fn expect(&self, code: i32, arguments: &str) -> String {
        let output = self.run(arguments);
        let stderr = String::from_utf8_lossy(&output.stderr);
        let stdout = String::from_utf8_lossy(&output.stdout);
        assert_eq!(output.status.code(), Some(code), "{arguments}: {stderr} {stdout}");
        String::from_utf8(output.stdout).expect("text")
    }

    /// The one message of a command that ends with this code.
    fn message(&self, code: i32, arguments: &str) -> String {
        let output = self.run(arguments);
        assert_eq!(output.status.code(), Some(code), "{arguments}");
        let message = String::from_utf8(output.stderr).expect("text");
        assert_eq!(message.trim_end().lines().count(), 1, "{message}");
        message
    }

    fn json(&self, code: i32, schema: &str, arguments: &str) -> Value {
        let report = serde_json::from_str(&self.expect(code, arguments)).expect("JSON");
        let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("specs/schemas");
        let text = fs::read_to_string(root.join(format!("{schema}.schema.json"))).expect("a schema");
        let schema: Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(Schema::new(schema).error(&report), None);
        report
    }

    /// The lines of a command that has to end with this code, each by a schema.
    fn lines(&self, code: i32, schema: &str, arguments: &str) -> Vec<Value> {
        let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("specs/schemas");
        let text = fs::read_to_string(root.join(format!("{schema}.schema.json"))).expect("a schema");
        let schema = Schema::new(serde_json::from_str(&text).expect("JSON"));
        let told = self.expect(code, arguments);
        let lines = told.lines().map(|line| serde_json::from_str(line).expect("JSON"));
        lines.inspect(|line: &Value| assert_eq!(schema.error(line), None)).collect()
    }

    fn generate(&self, format: &str, name: &str) {
        self.expect(0, &format!("generate --format {format} --seed 7 --objects 60 -o {name}"));
    }
}

fn names(list: &Value) -> Vec<&str> {
    list.as_array().expect("a list").iter().filter_map(|item| item["facet"].as_str()).collect()
}

#[test]
fn convert_reports_lost_changed_and_synthesised_facts() {
    let bench = Bench::new();
    // HotSpot has no threads but instances of java/lang/Thread, which a random heap seldom has.
    bench.expect(0, "generate --format hprof --profile any --seed 7 --objects 60 -o a.hprof");
    let report = bench.json(0, "convert", "convert a.hprof -o a.phd --to phd6 --json");
    let lost = names(&report["lost"]);
    for facet in ["loader", "statics", "fields", "field-values", "elements", "primitive-contents", "roots", "threads"] {
        assert!(lost.contains(&facet), "{facet} is lost");
    }
    assert!(!lost.contains(&"superclass"));
    assert_eq!(report["addresses"], "kept");
    let invented = names(&report["invented"]);
    assert!(invented.contains(&"object-size"), "{invented:?}");
    // The dump is a valid one, and nothing is lost that it could carry.
    bench.expect(0, "validate a.phd");
    let verdict = bench.json(0, "check-conversion", "check-conversion a.hprof a.phd --json");
    assert_eq!(verdict["faithful"], true);
    assert_eq!((&verdict["changed"], &verdict["missing"]), (&Value::Array(vec![]), &Value::Array(vec![])));
    let text = bench.expect(0, "check-conversion a.hprof a.phd --profile openj9");
    assert!(text.starts_with("faithful: "), "{text}");
    // The same bytes in every run, and to standard output.
    let again = bench.run("convert a.hprof -o - --to phd6");
    assert_eq!(again.stdout, fs::read(bench.path("a.phd")).expect("written"));
    assert!(String::from_utf8_lossy(&again.stderr).contains("lost: roots"));
}

#[test]
fn recognises_writer_of_conversion_and_lists_what_another_records() {
    let bench = Bench::new();
    bench.generate("phd6", "a.phd");
    for (to, profile) in
        [("phd4", "j9-2.3"), ("phd5", "j9-2.6"), ("phd6", "openj9"), ("classic", "openj9"), ("hprof", "hotspot-25")]
    {
        let told = bench.expect(0, &format!("convert a.phd -o b --to {to} --force"));
        let text = bench.expect(0, "check-conversion a.phd b");
        assert!(text.contains(&format!("\njudged by {to}/{profile}, whose profile gives exactly")), "{text}");
        let lost = |text: &str| text.lines().filter(|line| line.starts_with("lost: ")).map(str::to_owned).collect();
        let [told, found]: [Vec<String>; 2] = [lost(&told), lost(&text)];
        assert_eq!(told, found);
        let verdict = bench.json(0, "check-conversion", "check-conversion a.phd b --json");
        assert_eq!((&verdict["to"], &verdict["writer"]), (&format!("{to}/{profile}").into(), &"recognised".into()));
    }
    bench.expect(0, "convert a.phd -o b --to phd4 --force");
    let text = bench.expect(0, "check-conversion a.phd b");
    assert!(text.contains("another writer of phd4 could have recorded: array-length ("), "{text}");
    // A profile that draws its spelling is not recognised: the nearest writer, and never one that is not of the format.
    bench.expect(0, "convert a.phd -o b --to phd6 --profile any --seed 3 --force");
    let verdict = bench.json(0, "check-conversion", "check-conversion a.phd b --profile any --json");
    assert_eq!(verdict["writer"], "named");
    bench.expect(0, "convert a.phd -o b --to hprof --profile any --seed 3 --force");
    let verdict = bench.json(0, "check-conversion", "check-conversion a.phd b --json");
    assert_eq!(verdict["writer"], "nearest");
}

#[test]
fn lengths_of_arrays_are_worked_out_from_their_sizes_as_an_option_says() {
    let bench = Bench::new();
    // 8 + 4 * 4 = 24 with compressed references.
    fs::write(bench.path("a.txt"), "// Version: J2RE\n0x0000000000001000 [24] OBJ [I\n\t\n").expect("writable");
    let text = bench.expect(0, "convert a.txt -o b.phd --to phd5 --array-header compressed");
    let last = "array lengths worked out from sizes: 1, of which 1 may be off by padding to 8 bytes; headers of 8 bytes and \
                references of 4, as --array-header says";
    assert_eq!(text.lines().last(), Some(last));
    let report = bench.json(0, "convert", "convert a.txt -o b.phd --to phd5 --array-header full --force --json");
    let expected = serde_json::json!({
        "header": "full", "header_bytes": 16, "reference_bytes": 8, "found": "option", "alignment": 8, "derived": 1, "uncertain": 1
    });
    assert_eq!(report["array_lengths"], expected);
}

#[test]
fn a_converter_that_loses_a_reference_is_caught() {
    let bench = Bench::new();
    bench.generate("phd6", "a.phd");
    bench.expect(0, "convert a.phd -o whole.hprof --to hprof");
    bench.expect(0, "check-conversion a.phd whole.hprof");
    // A careless converter: the listing loses a reference before it is encoded.
    let listing = bench.expect(0, "decode a.phd");
    let mut cut = false;
    let careless: Vec<String> = listing
        .lines()
        .map(|line| {
            let mut entry: Value = serde_json::from_str(line).expect("JSON");
            if let Some(head) = entry.as_object_mut().filter(|head| head.contains_key("listing")) {
                head.remove("references");
            }
            let is_instance = entry["kind"] == "object";
            if let (false, true, Some(refs)) = (cut, is_instance, entry.get_mut("refs").and_then(Value::as_array_mut))
                && !refs.is_empty()
            {
                refs.pop();
                cut = true;
            }
            entry.to_string()
        })
        .collect();
    assert!(cut);
    fs::write(bench.path("careless.jsonl"), careless.join("\n")).expect("writable");
    bench.expect(0, "convert careless.jsonl -o careless.hprof --to hprof");
    let verdict = bench.json(1, "check-conversion", "check-conversion a.phd careless.hprof --json");
    assert_eq!(names(&verdict["changed"]), ["references"]);
    let text = bench.expect(1, "check-conversion a.phd careless.hprof");
    assert!(text.contains("changed: references: 1 differs, first at 0x") && text.contains("not faithful"), "{text}");
}

#[test]
fn renumbers_or_refuses_addresses_that_target_cannot_hold() {
    let bench = Bench::new();
    bench.expect(0, "generate --format hprof --id-size 2 --addresses numbers --seed 3 --objects 40 -o odd.hprof");
    let report = bench.json(0, "convert", "convert odd.hprof -o odd.phd --to phd6 --json");
    let new = &report["addresses"]["renumbered"];
    assert_eq!((&new["first"], &new["step"]), (&Value::from(8), &Value::from(8)));
    bench.expect(0, "validate odd.phd");
    bench.expect(0, "check-conversion odd.hprof odd.phd");
    let message = bench.message(1, "convert odd.hprof -o no.phd --to phd6 --addresses keep");
    let expected = "the heap has an address that phd6 cannot hold (expected a multiple of 4, at most 0x";
    assert!(message.contains(expected) && message.contains("--addresses keep"), "{message}");
    assert!(!bench.path("no.phd").exists());
    // 64-bit addresses into identifiers of 1 byte: too many of them.
    bench.expect(0, "generate --format phd6 --seed 7 --objects 400 -o wide.phd");
    let message = bench.message(1, "convert wide.phd -o no.hprof --to hprof --id-size 1");
    assert!(message.contains("addresses") || message.contains("identifier"), "{message}");
    assert!(!bench.path("no.hprof").exists());
    bench.expect(0, "convert wide.phd -o four.hprof --to hprof --id-size 4");
    bench.expect(0, "check-conversion wide.phd four.hprof");
}

/// A line of a listing with other addresses, which are not in their old order: 8 becomes 1008, 16 becomes 1000 and so on.
fn renamed(line: &str) -> String {
    let mut entry: Value = serde_json::from_str(line).expect("JSON");
    rename(&mut entry);
    entry.to_string()
}

fn rename(value: &mut Value) {
    match value {
        Value::String(text) => {
            let number = text.strip_prefix("0x").and_then(|digits| u64::from_str_radix(digits, 16).ok());
            // Identifiers of texts are small numbers in a row; addresses are multiples of 8.
            if let Some(number) = number.filter(|number| *number > 0 && number % 8 == 0) {
                *text = format!("{:#x}", 0x2000 + (number ^ 8));
            }
        }
        Value::Array(items) => match items.as_mut_slice() {
            // A value with its type; only a reference is an address.
            [Value::String(kind), value] if !kind.starts_with("0x") => {
                if kind == "object" {
                    rename(value);
                }
            }
            items => items.iter_mut().for_each(rename),
        },
        Value::Object(entries) if entries.get("type").is_some_and(|kind| kind != "object") => {}
        Value::Object(entries) => entries
            .iter_mut()
            .filter(|(key, _)| !matches!(key.as_str(), "text" | "id" | "name"))
            .for_each(|(_, value)| rename(value)),
        _ => {}
    }
}

#[test]
fn ignores_unrecorded_facts_up_to_renaming() {
    let bench = Bench::new();
    for seed in 7..12 {
        bench.expect(0, &format!("generate --format phd6 --seed {seed} --objects 60 --force -o a.phd"));
        // HotSpot would make instances of the classes of primitive types, which `compare` without rules tells apart. With
        // this seed, names of classes keep the form of the machine.
        for (file, to) in [("a.txt", "classic"), ("a.hprof", "hprof --profile any --seed 2"), ("a5.phd", "phd5")] {
            bench.expect(0, &format!("convert a.phd -o {file} --to {to} --force"));
            bench.expect(0, &format!("compare a.phd {file} --up-to-renaming"));
        }
    }
    // Another heap stays different.
    bench.expect(0, "generate --format phd6 --seed 12 --objects 60 -o b.phd");
    bench.expect(0, "convert b.phd -o b.txt --to classic");
    bench.expect(1, "compare a.phd b.txt --up-to-renaming");
}

#[test]
fn a_shuffled_copy_is_equal_up_to_renaming_and_the_mapping_is_written() {
    let bench = Bench::new();
    bench.expect(0, "generate --format hprof --id-size 8 --seed 3 --objects 40 -o a.hprof");
    bench.expect(0, "convert a.hprof -o b.hprof --to hprof --id-size 2");
    bench.expect(1, "compare a.hprof b.hprof");
    let text = bench.expect(0, "compare a.hprof b.hprof --up-to-renaming --mapping map.txt");
    assert!(text.starts_with("equal up to renaming"), "{text}");
    let map = fs::read_to_string(bench.path("map.txt")).expect("written");
    assert!(map.lines().count() > 40 && map.lines().all(|line| line.split(' ').count() == 2));
    bench.json(0, "renaming", "compare a.hprof b.hprof --up-to-renaming --json");
    bench.expect(0, "generate --format hprof --seed 4 --objects 40 -o other.hprof");
    let answer = bench.json(1, "renaming", "compare a.hprof other.hprof --up-to-renaming --json");
    assert_eq!(answer["answer"], "different");
    // A converter that gives new addresses in its own order is judged by the graph.
    bench.expect(0, "check-conversion a.hprof b.hprof --up-to-renaming");
    let listing = bench.expect(0, "decode b.hprof");
    let moved: Vec<String> = listing.lines().map(renamed).collect();
    fs::write(bench.path("moved.jsonl"), moved.join("\n")).expect("writable");
    bench.expect(0, "convert moved.jsonl -o moved.hprof --to hprof --id-size 2");
    bench.expect(1, "check-conversion a.hprof moved.hprof");
    bench.expect(0, "check-conversion a.hprof moved.hprof --up-to-renaming");
    let verdict = bench.json(0, "check-conversion", "check-conversion a.hprof moved.hprof --up-to-renaming --json");
    assert!(verdict["addresses"]["renamed"]["count"].as_u64().is_some_and(|count| count > 40), "{verdict}");
    bench.expect(0, "generate --format hprof --id-size 2 --addresses numbers --seed 4 --objects 40 -o third.hprof");
    let verdict = bench.json(1, "check-conversion", "check-conversion a.hprof third.hprof --up-to-renaming --json");
    assert_eq!(verdict["faithful"], false);
    // A ring, in which every object is like every other.
    for (name, start) in [("ring.jsonl", 0x1000), ("turned.jsonl", 0x8000)] {
        let mut lines = vec![r#"{"listing":1}"#.to_owned()];
        lines.push(r#"{"kind":"class","address":"0x8","name":"Node","refs":[]}"#.to_owned());
        for number in 0..50 {
            let [at, next] = [number, (number + 1) % 50].map(|number| start + 8 * number);
            lines.push(format!(r#"{{"kind":"object","address":"{at:#x}","class":"0x8","refs":["{next:#x}"]}}"#));
        }
        fs::write(bench.path(name), lines.join("\n") + "\n").expect("writable");
    }
    bench.expect(0, "compare ring.jsonl turned.jsonl --up-to-renaming");
    let text = bench.expect(3, "compare ring.jsonl turned.jsonl --up-to-renaming --budget 0");
    assert!(text.contains("undecided") && text.contains("50 objects"), "{text}");
}

#[test]
fn compare_locates_differences_and_lists_facts_not_compared() {
    let bench = Bench::new();
    // HotSpot would make instances of the classes of primitive types.
    bench.expect(0, "generate --format hprof --profile any --seed 7 --objects 60 -o a.hprof");
    bench.generate("phd6", "a.phd");
    let text = bench.expect(1, "compare a.hprof a.phd");
    let last = text.lines().last().expect("a line");
    assert!(
        last.starts_with("not compared: ") && last.contains("the left-hand dump does not record it; no hprof dump can"),
        "{last}"
    );
    let report = bench.json(1, "compare", "compare a.hprof a.phd --json");
    for difference in report["differences"].as_array().expect("a list") {
        for (side, file) in [("left_place", "a.hprof"), ("right_place", "a.phd")] {
            if let Some(place) = difference.get(side) {
                let offset = place["offset"].as_u64().expect("a number");
                assert!(offset < fs::metadata(bench.path(file)).expect("written").len());
            }
        }
    }
    bench.expect(0, "compare a.hprof a.hprof --facets references,class");
    let chosen = bench.expect(0, "compare a.hprof a.phd --facets word-size,kind");
    assert!(chosen.contains("what --facets does not name"), "{chosen}");
}

#[test]
fn does_not_compare_facets_omitted_by_listing() {
    let bench = Bench::new();
    for (file, head, size) in
        [("a.jsonl", r#"{"listing":1}"#, 16), ("b.jsonl", r#"{"listing":1,"omits":["object-size"]}"#, 24)]
    {
        let lines = [
            head.to_owned(),
            r#"{"kind":"class","address":"0x8","name":"A"}"#.to_owned(),
            format!(r#"{{"kind":"object","address":"0x20","class":"0x8","size":{size},"refs":[]}}"#),
        ];
        fs::write(bench.path(file), lines.join("\n") + "\n").expect("writable");
    }
    let text = bench.expect(0, "compare a.jsonl b.jsonl");
    assert!(text.contains("not compared: object-size (once; the right-hand listing omits it)"), "{text}");
    let text = bench.expect(0, "compare b.jsonl a.jsonl");
    assert!(text.contains("the left-hand listing omits it"), "{text}");
    let text = bench.expect(0, "compare a.jsonl b.jsonl --leave-out object-size");
    assert!(text.contains("object-size (left out on request)"), "{text}");
    bench.expect(0, "compare a.jsonl b.jsonl --up-to-renaming");
}

#[test]
fn names_of_classes_are_compared_in_the_form_of_java_source_where_that_is_asked_for() {
    let bench = Bench::new();
    for (file, string, array) in [
        ("jvm.jsonl", "java/lang/String", "[Ljava/lang/String;"),
        ("java.jsonl", "java.lang.String", "java.lang.String[]"),
        ("other.jsonl", "java.lang.String", "java.lang.String[][]"),
    ] {
        let lines = [
            r#"{"listing":1}"#.to_owned(),
            format!(r#"{{"kind":"class","address":"0x8","name":"{string}"}}"#),
            format!(r#"{{"kind":"class","address":"0x10","name":"{array}"}}"#),
            format!(r#"{{"kind":"object","address":"0x20","class":"0x8","class_name":"{string}","refs":[]}}"#),
        ];
        fs::write(bench.path(file), lines.join("\n") + "\n").expect("writable");
    }
    let text = bench.expect(1, "compare jvm.jsonl java.jsonl");
    assert!(text.contains("class-name"), "{text}");
    bench.expect(0, "compare jvm.jsonl java.jsonl --class-names java");
    bench.expect(0, "compare jvm.jsonl java.jsonl --class-names java --up-to-renaming");
    bench.expect(1, "compare jvm.jsonl java.jsonl --class-names dump --up-to-renaming");
    bench.expect(1, "compare jvm.jsonl other.jsonl --class-names java");
}

#[test]
fn facets_prints_table_by_format_writer_and_pair() {
    let bench = Bench::new();
    let all = bench.json(0, "facets", "facets --json");
    assert_eq!(all["columns"].as_array().map(Vec::len), Some(5));
    let both = bench.json(0, "facets", "facets hprof phd6/openj9 --json");
    let row = both["facets"].as_array().expect("rows").iter().find(|row| row["facet"] == "hash-16").expect("a row");
    assert_eq!(row["carried"].to_string(), r#"[["none"],["low-15-bits"],["none"]]"#);
    let text = bench.expect(0, "facets phd6");
    assert!(text.lines().next().is_some_and(|head| head.contains("phd6/openj9")), "{text}");
    let wrong = bench.run("facets phd6/agent");
    assert_eq!(wrong.status.code(), Some(2));
    let message = String::from_utf8_lossy(&wrong.stderr);
    assert!(message.contains("phd6 has no profile \"agent\"; choose one of openj9, jdmpview"), "{message}");
}

#[test]
fn reports_bad_arguments_and_broken_dumps_once_and_leaves_no_output() {
    let bench = Bench::new();
    bench.generate("phd6", "a.phd");
    let bytes = fs::read(bench.path("a.phd")).expect("written");
    fs::write(bench.path("cut.phd"), &bytes[..bytes.len() / 2]).expect("writable");
    for (code, arguments, says) in [
        (2, "convert a.phd -o a.phd --to hprof --force", "is the input"),
        (2, "convert a.phd -o b.hprof --to hprof --profile absent", "absent"),
        (2, "convert a.phd -o b.txt --to classic --id-size 4", "use --word instead of --id-size"),
        (2, "convert missing.phd -o b.hprof --to hprof", "missing.phd"),
        (1, "convert cut.phd -o b.hprof --to hprof", "offset"),
        (1, "compare a.phd cut.phd", "offset"),
        (1, "check-conversion cut.phd a.phd", "offset"),
        (2, "check-conversion a.phd missing.hprof", "missing.hprof"),
        (2, "compare a.phd a.phd --leave-out address", "address"),
    ] {
        let message = bench.message(code, arguments);
        assert!(message.contains(says), "{arguments}: {message}");
    }
    fs::write(bench.path("there.hprof"), "mine").expect("writable");
    bench.message(2, "convert a.phd -o there.hprof --to hprof");
    assert_eq!(fs::read(bench.path("there.hprof")).expect("kept"), b"mine");
    assert!(!bench.path("b.hprof").exists());
    assert_eq!(fs::read(bench.path("a.phd")).expect("kept"), bytes);
    let left: Vec<_> = fs::read_dir(bench.0.path()).expect("readable").collect();
    assert_eq!(left.len(), 3, "no temporary file is left");
}

/// A dump of Android with an interned string and an unknown root, and what hprof-conv makes of it: 1.0.2 has no such kind.
#[test]
fn androids_kinds_of_root_are_unknown_in_a_dump_of_1_0_2() {
    let bench = Bench::new();
    let dump = |version: u8, root: u8| {
        let head = hex!("4a4156412050524f46494c45" "20" "312e302e" "33" "00" "00000004" "0000000000000000");
        let body = hex!("1c" "00000000" "0000000a" "89" "00000020" "ff" "00000020" "2c" "00000000" "00000000");
        let mut dump = [&head[..], &body[..]].concat();
        dump[17] = version;
        dump[head.len() + 9] = root;
        dump
    };
    fs::write(bench.path("android.hprof"), dump(b'3', 0x89)).expect("a file");
    fs::write(bench.path("converted.hprof"), dump(b'2', 0xff)).expect("a file");
    bench.expect(0, "check-conversion android.hprof converted.hprof");
    // Another kind is still a mistake.
    fs::write(bench.path("wrong.hprof"), dump(b'2', 0x05)).expect("a file");
    bench.expect(1, "check-conversion android.hprof wrong.hprof");
    // HEAP DUMP INFO (heap 1, named by the string 0x10) cannot be kept, and is not missed.
    let mut with_region = dump(b'3', 0xff);
    with_region.splice(31..31, hex!("01" "00000000" "00000005" "00000010" "41"));
    let heap = 31 + 14;
    with_region[heap + 8] = 0x13;
    with_region.splice(heap + 9..heap + 9, hex!("fe" "00000001" "00000010"));
    let mut without = dump(b'2', 0xff);
    without.splice(31..31, hex!("01" "00000000" "00000005" "00000010" "41"));
    fs::write(bench.path("android.hprof"), with_region).expect("a file");
    fs::write(bench.path("converted.hprof"), without).expect("a file");
    bench.expect(0, "validate android.hprof converted.hprof");
    bench.expect(0, "check-conversion android.hprof converted.hprof");
}

#[test]
fn a_list_of_pairs_is_judged_line_by_line() {
    let bench = Bench::new();
    bench.expect(0, "generate --format hprof,phd6 --seed 7 --objects 60 -o same");
    fs::rename(bench.path("same.hprof"), bench.path("a b.hprof")).expect("a file");
    fs::rename(bench.path("same.phd6"), bench.path("same.phd")).expect("a file");
    bench.expect(0, "generate --format phd6 --seed 8 --objects 60 -o other.phd");
    let write = |text: &str| fs::write(bench.path("list"), text).expect("there is room");
    write("# both\n'a b.hprof' same.phd\n\n");
    assert_eq!(bench.expect(0, "check-conversion --pairs list"), "a b.hprof same.phd: faithful\n");
    write("'a b.hprof' same.phd\n'a b.hprof' other.phd\n");
    let told = bench.expect(1, "check-conversion --pairs list");
    assert!(told.lines().nth(1).is_some_and(|line| line.starts_with("a b.hprof other.phd: not faithful: ")), "{told}");
    let lines = bench.lines(1, "conversion-pair", "check-conversion --pairs list --json");
    assert_eq!(lines.iter().map(|line| &line["verdict"]["faithful"]).collect::<Vec<_>>(), [true, false]);
    // One that cannot be read is said to be so, and does not end the others.
    write("nothing.hprof same.phd\n'a b.hprof' same.phd\n");
    let told = bench.expect(2, "check-conversion --pairs list");
    assert!(told.starts_with("nothing.hprof same.phd: not judged: "), "{told}");
    assert!(told.ends_with("\na b.hprof same.phd: faithful\n"), "{told}");
    write("one\n");
    assert!(bench.message(2, "check-conversion --pairs list").contains("line 1 of the list: expected two paths"));
}
