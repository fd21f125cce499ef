//! Heap files: `build`, and the commands that take one in place of a dump.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

use assert_cmd::cargo::CommandCargoExt;
use pretty_assertions::assert_eq;
use serde_json::Value;

use super::bench::Bench;
use super::schema::Schema;

/// A heap of two nodes, without a library, so that every fact of its dump is known.
const PAIR: &str = "\
heap world=none word=32
class java.lang.Object
class Node { int id; Node next; double weight }
object a Node id=1 next=@b weight=0.5
object b Node id=-2
root jni-global @a reference=0x99
";

fn with_pair() -> Bench {
    let bench = Bench::new();
    bench.write("pair.kdl", PAIR.as_bytes());
    bench
}

/// The lines of a listing.
fn lines(listing: &str) -> Vec<Value> {
    listing.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

/// The lines of a listing that have this value of a key.
fn lines_with<'l>(lines: &'l [Value], key: &str, value: &str) -> Vec<&'l Value> {
    lines.iter().filter(|line| line[key] == value).collect()
}

/// The address of a line, as a number.
fn address(line: &Value) -> u32 {
    let digits = line["address"].as_str().and_then(|text| text.strip_prefix("0x")).expect("an address");
    u32::from_str_radix(digits, 16).expect("of 32 bits")
}

/// The place of bytes in others.
fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes.windows(wanted.len()).position(|window| window == wanted)
}

#[test]
fn writes_bytes_of_objects_and_roots_as_spelled() {
    let bench = with_pair();
    bench.ok("build pair.kdl --format hprof --profile any -o any.hprof");
    bench.ok("build pair.kdl --format hprof -o pair.hprof");
    let listing = lines(&bench.ok("decode pair.kdl"));
    let class = lines_with(&listing, "name", "Node");
    let objects = lines_with(&listing, "kind", "object");
    let [class, a, b] = [class[0], objects[0], objects[1]].map(|line| address(line).to_be_bytes());
    assert_eq!(objects.len(), 2);
    // INSTANCE DUMP: tag, object, serial number of a stack trace, class, length, then id, next and weight.
    let values =
        |id: [u8; 4], next: [u8; 4], weight: [u8; 8]| [&class[..], &[0, 0, 0, 16], &id, &next, &weight].concat();
    let dump = bench.read("pair.hprof");
    for (object, id, next, weight) in
        [(a, [0, 0, 0, 1], b, [0x3f, 0xe0, 0, 0, 0, 0, 0, 0]), (b, [0xff, 0xff, 0xff, 0xfe], [0; 4], [0; 8])]
    {
        let after = find(&dump, &values(id, next, weight)).expect("the object's class and values");
        assert_eq!((dump[after - 9], &dump[after - 8..after - 4]), (0x21, &object[..]));
    }
    // ROOT JNI GLOBAL: tag, object, the JNI reference.
    assert!(find(&dump, &[&[0x01], &a[..], &[0, 0, 0, 0x99]].concat()).is_some());
}

#[test]
fn lists_heap_file_as_its_dump() {
    let bench = with_pair();
    let listing = lines(&bench.ok("decode pair.kdl"));
    let objects = lines_with(&listing, "kind", "object");
    let node = lines_with(&listing, "name", "Node")[0]["address"].clone();
    let b = objects[1]["address"].clone();
    assert_eq!(objects[0]["class"], node);
    let values = |line: &Value| line["values"].clone();
    assert_eq!(
        values(objects[0]),
        serde_json::json!([["int", "0x1"], ["object", b], ["double", "0x3fe0000000000000"]])
    );
    assert_eq!(values(objects[1]), serde_json::json!([["int", "0xfffffffe"], ["object", "0x0"], ["double", "0x0"]]));
    // Another dump of it has the same lines, but for what the format does not record and places in the file.
    bench.ok("build pair.kdl --format hprof -o pair.hprof");
    let of_dump = lines(&bench.ok("decode pair.hprof"));
    let of_dump = lines_with(&of_dump, "kind", "object").into_iter().map(values).collect::<Vec<_>>();
    assert_eq!(of_dump, objects.into_iter().map(values).collect::<Vec<_>>());
}

/// The examples, with the formats and options that their first lines name.
fn examples() -> BTreeMap<PathBuf, Vec<&'static str>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/heaps");
    let files = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let targets = |path: PathBuf| {
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        let hprof = if name.starts_with("10-") { "hprof --profile art" } else { "hprof" };
        let classic = if name.starts_with("12-") { "classic --encoding ibm-1047" } else { "classic" };
        (path, vec![hprof, "phd6", classic])
    };
    files.map(targets).collect()
}

#[test]
fn builds_valid_dumps_of_twelve_examples_in_every_family() {
    let examples = examples();
    assert_eq!(examples.len(), 12);
    let bench = Bench::new();
    for (path, targets) in examples {
        for target in targets {
            let path = path.display();
            let (code, out, said) = bench.run(&format!("build {path} --format {target} -o out --force"));
            assert_eq!((code, out.as_str()), (0, ""), "{path} {target}: {said}");
            assert!(said.lines().all(|line| line.starts_with("warning: ")), "{path} {target}: {said}");
            // One of them refers to an address where nothing lies, which PHD has a warning for.
            let strict = if path.to_string().contains("11-") { "" } else { " --strict" };
            let (code, verdict, _) = bench.run(&format!("validate out{strict}"));
            assert_eq!(code, 0, "{path} {target}: {verdict}");
            let verdict = match target.contains("art") {
                // Its dumps have the heap's order of records, which the file does not give.
                true => bench.ok(&format!("compare {path} out --class-names java")),
                false => bench.ok(&format!("check-conversion {path} out")),
            };
            assert!(verdict.starts_with("equal: ") || verdict.starts_with("faithful: "), "{path} {target}: {verdict}");
        }
    }
}

#[test]
fn examples_are_linked_and_at_most_twelve_lines_long() {
    let page = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/heap-file.md")).expect("the page");
    for path in examples().into_keys() {
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        assert!(page.contains(&format!("[{name}](../examples/heaps/{name})")), "{name}");
        let text = fs::read_to_string(&path).expect("text");
        assert!(text.lines().count() <= 12 && text.starts_with("// "), "{name}");
    }
}

#[test]
fn set_option_changes_variables() {
    let bench = Bench::new();
    bench.write("list.kdl", b"let n=3\nclass Node { int id }\nrepeat \"{n}\" { object \"n{i}\" Node id=\"{i}\" }\n");
    let ids = |options: &str| {
        bench.ok(&format!("build list.kdl --format hprof -o list.hprof --force{options}"));
        let listing = lines(&bench.ok("decode list.hprof"));
        let node = lines_with(&listing, "name", "Node")[0]["address"].as_str().expect("an address").to_owned();
        let objects = lines_with(&listing, "kind", "object").into_iter().filter(|line| line["class"] == node);
        objects.map(|line| line["values"][0][1].as_str().expect("a value").to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(ids(""), ["0x0", "0x1", "0x2"]);
    assert_eq!(ids(" --set n=5"), ["0x0", "0x1", "0x2", "0x3", "0x4"]);
    assert_eq!(ids(" --set n=0"), [""; 0]);
    for (option, code, message) in [
        ("m=5", 1, "no variable \"m\""),
        ("n", 2, "expected a name and a whole number, as in n=1000"),
        ("n=x", 2, "expected a name and a whole number"),
        ("=5", 2, "expected a name and a whole number"),
    ] {
        let (found, _, error) = bench.run(&format!("build list.kdl --format hprof -o other.hprof --set {option}"));
        assert!(found == code && error.contains(message), "{option}: {found} {error}");
        assert!(!bench.path("other.hprof").exists());
    }
}

#[test]
fn writes_several_formats_of_one_heap_or_none() {
    let bench = with_pair();
    let (code, _, said) = bench.run("build pair.kdl --format hprof/hotspot-17,phd6 --format classic -o pair");
    assert_eq!(code, 0, "{said}");
    for (file, format) in [("pair.hprof", "hprof-1.0.2"), ("pair.phd6", "phd6"), ("pair.txt", "classic")] {
        let verdict = bench.ok(&format!("validate {file}"));
        assert!(verdict.contains(&format!("valid ({format})")), "{verdict}");
        let verdict = bench.ok(&format!("check-conversion pair.kdl {file}"));
        assert!(verdict.starts_with("faithful"), "{file}: {verdict}");
    }
    let (code, _, said) = bench.run("build pair.kdl --format hprof,phd6 --gzip -o small");
    assert!(code == 0 && bench.read("small.hprof.gz").starts_with(&[0x1f, 0x8b]), "{said}");
    // One that is there already keeps all from being written.
    bench.write("kept.phd6", b"old");
    let (code, _, error) = bench.run("build pair.kdl --format hprof,phd6 -o kept");
    assert!(code == 2 && error.contains("kept.phd6") && error.contains("--force"), "{error}");
    assert!(!bench.path("kept.hprof").exists() && bench.read("kept.phd6") == b"old");
    for (arguments, message) in [
        ("--format hprof,phd6", "each of several formats needs a file"),
        ("--format hprof/hotspot-17,hprof/art -o twice", "cannot take two outputs"),
        ("--format hprof/openj9 -o none", "openj9"),
        ("--format phd6,classic --id-size 4 -o none", "has no identifier size"),
        ("-o none", "--format"),
        ("--check --format hprof -o none", "cannot be used with"),
    ] {
        let error = bench.refused(&format!("build pair.kdl {arguments}"));
        assert!(error.contains(message), "{arguments}: {error}");
    }
    assert!(!bench.path("twice.hprof").exists());
}

#[test]
fn says_what_dump_does_not_record_and_strict_writes_nothing() {
    let bench = with_pair();
    // What follows from the rest, such as sizes, is not lost.
    bench.ok("build pair.kdl --format hprof --strict -o strict.hprof");
    let (code, _, said) = bench.run("build pair.kdl --format phd6 -o pair.phd");
    assert_eq!(code, 0);
    assert!(said.starts_with("warning: not written, since phd6/openj9 does not record it: "), "{said}");
    for facet in ["fields (", "field-values (2)", "roots (1)"] {
        assert!(said.contains(facet), "{facet}: {said}");
    }
    assert!(!said.contains("object-size") && !said.contains("record-order"), "{said}");
    let (code, _, error) = bench.run("build pair.kdl --format hprof,phd6 --strict -o none");
    assert_eq!(code, 1);
    assert!(error.starts_with("error: pair.kdl: not written, since phd6/openj9 does not record it: "), "{error}");
    assert!(error.contains("field-values (2)") && error.contains("nothing is written"), "{error}");
    assert!(!bench.path("none.hprof").exists() && !bench.path("none.phd6").exists());

    bench.write("roots.kdl", format!("{PAIR}root interned-string @b\nroot vm-internal @b\n").as_bytes());
    let (code, _, said) = bench.run("build roots.kdl --format hprof --profile hotspot-25 -o roots.hprof");
    assert_eq!(code, 0);
    assert!(said.contains("roots that hprof/hotspot-25 leaves out: "), "{said}");
    assert!(said.contains("interned-string (1)") && said.contains("--profile "), "{said}");
    let (code, out, error) = bench.run("build roots.kdl --format hprof/hotspot-25 --strict --check");
    assert!(code == 1 && error.contains("interned-string (1)"), "{out}{error}");
}

const WRONG: &str = "\
class Node { int id; Node next; byte small }
object a Node id=1.5 next=@b
object a Node
object c Node ic=300
object d Node small=300
root jni-globl @a
";

/// The places of the errors in it.
const MISTAKES: [(&str, &str); 6] =
    [("2:15", "1.5"), ("2:22", "@b"), ("3:8", "a"), ("4:15", "ic"), ("5:15", "300"), ("6:6", "jni-global")];

#[test]
fn reports_all_errors_of_heap_file_with_line_and_column() {
    let bench = Bench::new();
    bench.write("wrong.kdl", WRONG.as_bytes());
    for command in [
        "build wrong.kdl --check",
        "build wrong.kdl --format hprof -o none",
        "decode wrong.kdl",
        "digest wrong.kdl",
        "answers wrong.kdl",
        "compare wrong.kdl wrong.kdl",
        "convert wrong.kdl --to hprof -o none",
    ] {
        let (code, out, error) = bench.run(command);
        assert_eq!((code, out.as_str()), (1, ""), "{command}: {error}");
        let found: Vec<&str> = error.lines().map(|line| line.trim_start_matches("error: ").trim_start()).collect();
        for (place, about) in MISTAKES {
            let line = found.iter().find(|line| line.starts_with(&format!("wrong.kdl:{place}: ")));
            assert!(line.is_some_and(|line| line.contains(about)), "{command}: {place}: {error}");
        }
    }
    assert!(!bench.path("none").exists());
    let (code, out, _) = bench.run("build wrong.kdl --check --json");
    let report: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!(code, 1);
    let places: Vec<String> = report["errors"]
        .as_array()
        .expect("errors")
        .iter()
        .map(|error| format!("{}:{}", error["line"], error["column"]))
        .collect();
    for (place, _) in MISTAKES {
        assert!(places.iter().any(|found| found == place), "{place}: {places:?}");
    }
}

#[test]
fn check_option_writes_nothing_and_counts() {
    let bench = with_pair();
    assert_eq!(bench.ok("build pair.kdl --check"), "pair.kdl: fine; 1 heap, 2 classes, 2 objects\n");
    bench.write("two.kdl", format!("{PAIR}heap world=none\nclass java.lang.Object\n").as_bytes());
    assert_eq!(bench.ok("build two.kdl --check"), "two.kdl: fine; 2 heaps, 3 classes, 2 objects\n");
    // A value of a late turn is an error before anything is written.
    bench.write("late.kdl", b"class Small { byte b }\nrepeat 20401 { object _ Small b=\"{i%300}\" }\n");
    for command in [
        "build late.kdl --check",
        "build late.kdl --format hprof -o none",
        "build late.kdl --format hprof",
        "digest late.kdl",
        "decode late.kdl",
        "convert late.kdl --to phd6 -o none",
    ] {
        let (code, out, error) = bench.run(command);
        let expected = "error: late.kdl:2:16: in turn 128: \"128\" is no byte (-128 to 127)\n";
        assert_eq!((code, out.as_str(), error.as_str()), (1, "", expected), "{command}");
    }
    assert!(!bench.path("none").exists());
}

#[test]
fn reports_as_json_follow_the_schema() {
    let bench = with_pair();
    bench.write("wrong.kdl", WRONG.as_bytes());
    let schema = Schema::new(serde_json::from_str(&bench.ok("schema build")).expect("JSON"));
    let report = |arguments: &str| {
        let (_, out, error) = bench.run(&format!("build {arguments} --json"));
        let text = out.lines().chain(error.lines()).find(|line| line.starts_with('{')).expect(arguments).to_owned();
        let report: Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(schema.error(&report), None, "{arguments}: {text}");
        report
    };
    let built = report("pair.kdl --format hprof,phd6 -o pair");
    assert_eq!((&built["written"], &built["objects"]), (&Value::Bool(true), &Value::from(2)));
    let dumps = built["dumps"].as_array().expect("dumps");
    assert_eq!((&dumps[0]["file"], &dumps[0]["lost"]), (&"pair.hprof".into(), &serde_json::json!([])));
    assert_eq!((&dumps[1]["file"], &dumps[1]["to"]), (&"pair.phd6".into(), &"phd6/openj9".into()));
    assert_eq!(report("pair.kdl --format phd6 --strict -o none")["written"], false);
    assert_eq!(report("wrong.kdl --check")["written"], false);
    // Beside a dump on standard output.
    let (_, dump, error) = bench.run("build pair.kdl --format classic --json");
    assert!(dump.starts_with("//") && error.lines().any(|line| line.starts_with("{\"schema\":2")), "{error}");
}

#[test]
fn refuses_heap_file_of_more_than_16_mebibytes() {
    let bench = Bench::new();
    let mut text = String::from("// ");
    text.extend(std::iter::repeat_n('x', 17 << 20));
    bench.write("large.kdl", text.as_bytes());
    for command in ["build large.kdl --format hprof -o none", "digest large.kdl", "build large.kdl --check"] {
        let error = bench.refused(command);
        assert!(error.contains("large.kdl: read 16777216 bytes without coming to the end"), "{command}: {error}");
    }
    bench.write("bytes.kdl", b"class A\n// \xff\n");
    let (code, _, error) = bench.run("build bytes.kdl --check");
    assert_eq!((code, error.as_str()), (1, "error: bytes.kdl:2:4: expected UTF-8, found the byte 0xff\n"));
}

#[test]
fn heap_file_stands_for_its_heap() {
    let bench = with_pair();
    bench.ok("build pair.kdl --format hprof -o pair.hprof");
    let equal = bench.ok("compare pair.kdl pair.hprof");
    assert!(equal.starts_with("equal: "), "{equal}");
    assert!(bench.ok("compare pair.hprof pair.kdl --up-to-renaming").starts_with("equal up to renaming"));
    bench.write("other.kdl", PAIR.replace("id=-2", "id=-3").as_bytes());
    let (code, different, _) = bench.run("compare pair.kdl other.kdl");
    assert!(code == 1 && different.starts_with("field-values: 1 differs"), "{different}");
    let digest = |file: &str| bench.ok(&format!("digest {file} --facets class-name,field-values,roots"));
    assert_eq!(digest("pair.kdl"), digest("pair.hprof"));
    assert_ne!(digest("pair.kdl"), digest("other.kdl"));
    // Without a library no class is a root: Node is, by its objects.
    let reachable = |file: &str| {
        let answers: Value = serde_json::from_str(&bench.ok(&format!("answers {file} --json"))).expect("JSON");
        let count = |key: &str| answers["reachable"][key].as_u64().expect("a number");
        (count("classes"), count("objects"))
    };
    assert_eq!((reachable("pair.kdl"), reachable("pair.hprof")), ((1, 2), (1, 2)));
    bench.ok("convert pair.kdl --to hprof -o converted.hprof");
    assert!(bench.ok("compare converted.hprof pair.hprof --leave-out record-order").starts_with("equal: "));
    assert!(bench.ok("check-conversion pair.kdl converted.hprof").starts_with("faithful"));
}

#[test]
fn file_of_several_heaps_is_built_as_hprof_or_heap_by_heap() {
    let bench = Bench::new();
    bench.write("two.kdl", format!("{PAIR}{}", PAIR.replace("object b Node id=-2", "object b Node id=7")).as_bytes());
    bench.ok("build two.kdl --format hprof -o two.hprof");
    for number in 0..2 {
        let equal = bench.ok(&format!("compare two.kdl two.hprof --heap {number}"));
        assert!(equal.starts_with("equal: "), "{equal}");
        let (code, _, said) = bench.run(&format!("build two.kdl --format phd6 --heap {number} -o {number}.phd"));
        assert_eq!(code, 0, "{said}");
    }
    for command in ["build two.kdl --format phd6 -o none", "decode two.kdl", "digest two.kdl"] {
        let error = bench.refused(command);
        assert!(error.contains("choose one with --heap 0 to 1"), "{command}: {error}");
    }
    assert!(bench.ok("decode two.kdl --heap 1").lines().next().is_some_and(|head| head.contains("\"heap\":1")));
}

#[test]
fn commands_that_need_bytes_say_how_to_build_a_dump() {
    let bench = with_pair();
    bench.write("list", b"pair.kdl\n");
    for command in [
        "validate pair.kdl",
        "inspect pair.kdl",
        "inspect --bytes pair.kdl",
        "inspect --html pair.kdl -o out",
        "rewrite pair.kdl --through records -o out",
        "rewrite pair.kdl --through heap -o out",
        "corrupt pair.kdl --edit drop-the-end -o out",
        "reduce pair.kdl --test false{} -o out",
        "verify pair.kdl --recipe heapsmith-2:seed=1",
        "check --decoder false{} --dumps pair.kdl",
        "check --decoder false{} --dumps *.kdl",
        "fuzz --decoder false{} --state out --seeds pair.kdl",
        "encode pair.kdl --format hprof -o out",
    ] {
        let error = bench.refused(command);
        assert!(error.contains("heapsmith build pair.kdl --format FORMAT -o DUMP"), "{command}: {error}");
        assert!(!bench.path("out").exists(), "{command}");
    }
}

#[test]
fn name_tells_heap_file_and_content_does_not() {
    let bench = with_pair();
    bench.ok("build pair.kdl --format hprof -o pair.hprof");
    bench.write("pair.txt", PAIR.as_bytes());
    let (code, _, error) = bench.run("digest pair.txt");
    assert!(code == 1 && error.contains("[phd."), "{error}");
    bench.write("dump.kdl", &bench.read("pair.hprof"));
    let (code, _, error) = bench.run("digest dump.kdl");
    assert!(code == 1 && error.starts_with("error: dump.kdl:"), "{error}");
    // What `build` is given is a heap file whatever it is named, standard input too.
    bench.ok("build pair.txt --format hprof -o named.hprof");
    let mut command = Command::cargo_bin("heapsmith").expect("built");
    let input = File::open(bench.path("pair.txt")).expect("it is there");
    command.args(["build", "-", "--format", "hprof", "-o", "piped.hprof"]).current_dir(bench.0.path()).stdin(input);
    assert!(command.status().expect("it runs").success());
    for dump in ["named.hprof", "piped.hprof"] {
        assert!(bench.read(dump) == bench.read("pair.hprof"), "{dump}");
    }
}

#[test]
fn writer_decides_word_size_that_file_leaves_open() {
    let bench = Bench::new();
    bench.write("any.kdl", b"class Node { Node next }\nobject a Node\nroot jni-global @a\n");
    let head = |arguments: &str| {
        bench.run(&format!("build any.kdl {arguments} --force"));
        lines(&bench.ok("decode out"))[0].clone()
    };
    assert_eq!(head("--format hprof -o out")["identifier_size"], 8);
    assert_eq!(head("--format hprof --profile art -o out")["identifier_size"], 4);
    assert_eq!(head("--format phd6 -o out")["word_size"], 64);
    assert_eq!(head("--format phd6 --word 32 -o out")["word_size"], 32);
}

/// Runs a command whose arguments may have spaces.
fn run_words(bench: &Bench, words: &[&str]) -> (i32, String) {
    let mut command = Command::cargo_bin("heapsmith").expect("built");
    let output = command.args(words).current_dir(bench.0.path()).output().expect("it runs");
    (output.status.code().unwrap_or(-1), String::from_utf8_lossy(&output.stderr).into_owned())
}

/// The lengths of the records HEAP DUMP SEGMENT in a dump of HPROF.
fn segment_lengths(dump: &[u8]) -> Vec<u32> {
    // The version as a text that ends with a zero, the size of identifiers, the time stamp.
    let header = dump.iter().position(|byte| *byte == 0).expect("the end of the version") + 1 + 4 + 8;
    let (mut rest, mut found) = (&dump[header..], Vec::new());
    while let [tag, _, _, _, _, a, b, c, d, after @ ..] = rest {
        let length = u32::from_be_bytes([*a, *b, *c, *d]);
        found.extend((*tag == 0x1c).then_some(length));
        rest = &after[length as usize..];
    }
    found
}

/// The bytes of the sub-records of the pair: CLASS DUMP of Object, and of Node with three fields of 5 bytes; ROOT JNI GLOBAL; two
/// INSTANCE DUMPs with 16 bytes of values.
const SUB_RECORDS: [u32; 5] = [43, 43 + 3 * 5, 9, 17 + 16, 17 + 16];

#[test]
fn dump_has_as_many_segments_as_are_asked_for() {
    let bench = with_pair();
    for (segments, ends) in [(1, &[5][..]), (2, &[2, 5]), (3, &[1, 3, 5]), (4, &[1, 2, 3, 5]), (5, &[1, 2, 3, 4, 5])] {
        let mut start = 0;
        let mut due = Vec::new();
        for end in ends {
            due.push(SUB_RECORDS[start..*end].iter().sum::<u32>());
            start = *end;
        }
        bench.ok(&format!("build pair.kdl --format hprof --segments {segments} -o pair.hprof --force"));
        assert_eq!(segment_lengths(&bench.read("pair.hprof")), due, "{segments}");
        // The heap file says it, too, and the option counts more.
        bench.write("own.kdl", PAIR.replace("word=32", &format!("word=32 segments={segments}")).as_bytes());
        bench.ok("build own.kdl --format hprof -o own.hprof --force");
        assert!(bench.read("own.hprof") == bench.read("pair.hprof"), "{segments}");
        bench.ok("build own.kdl --format hprof --segments 1 -o one.hprof --force");
        assert_eq!(segment_lengths(&bench.read("one.hprof")), [SUB_RECORDS.iter().sum::<u32>()]);
        // Its heap is the same.
        bench.ok("describe pair.hprof -o again.kdl --force");
        bench.ok("build again.kdl --format hprof -o again.hprof --force");
        let verdict = bench.ok("compare --up-to-renaming pair.hprof again.hprof");
        assert!(verdict.starts_with("equal"), "{verdict}");
        bench.ok("convert own.kdl --to hprof -o converted.hprof --force");
        assert_eq!(segment_lengths(&bench.read("converted.hprof")), due, "{segments}");
        bench.ok(&format!("rewrite one.hprof --through heap --segments {segments} -o rewritten.hprof --force"));
        assert_eq!(segment_lengths(&bench.read("rewritten.hprof")), due, "{segments}");
    }
    let error = bench.refused("build pair.kdl --format hprof --segments 6 -o six.hprof");
    let expected =
        "segments=6: the heap has 5 sub-records here, and each segment takes at least one; ask for at most 5";
    assert!(error.contains(expected), "{error}");
    for (arguments, expected) in [
        ("pair.kdl --format hprof --segments 0 -o six.hprof", "invalid value '0'"),
        ("pair.kdl --format phd6 --segments 2 -o six.hprof", "phd6 has no segments: their number cannot be set"),
        ("pair.kdl --format hprof/hotspot-8 --segments 2 -o six.hprof", "as one HEAP DUMP record, which has none"),
    ] {
        let error = bench.refused(&format!("build {arguments}"));
        assert!(error.contains(expected), "{arguments}: {error}");
    }
    assert!(!bench.path("six.hprof").exists());
    // Of several formats, those with segments have that many.
    bench.run("build pair.kdl --format hprof,phd6 --segments 3 -o both");
    assert_eq!(segment_lengths(&bench.read("both.hprof")).len(), 3);
}

#[test]
fn number_of_segments_stands_at_first_heap_and_is_said_where_there_are_none() {
    let bench = Bench::new();
    for (text, place, message) in [
        ("heap segments=0", "1:6", "a heap has at least 1 segment"),
        ("heap segments=many", "1:6", "no number of segments"),
        ("heap segment=3", "1:6", "did you mean segments?"),
        ("heap\nheap segments=2", "2:1", "segments= stands at the first heap, and holds for each"),
    ] {
        bench.write("wrong.kdl", text.as_bytes());
        let (code, _, error) = bench.run("build wrong.kdl --check");
        assert!(
            code == 1 && error.contains(&format!("wrong.kdl:{place}: ")) && error.contains(message),
            "{text}: {error}"
        );
    }
    bench.write("own.kdl", PAIR.replace("word=32", "word=32 segments=2").as_bytes());
    let (code, _, said) = bench.run("build own.kdl --format phd6 -o own.phd");
    assert!(code == 0 && said.contains("not written, since phd6/openj9 has no segments: segments=2"), "{said}");
    let (code, _, said) = bench.run("build own.kdl --format phd6 -o strict.phd --strict");
    assert!(code == 1 && said.contains("segments=2") && !bench.path("strict.phd").exists(), "{said}");
}

#[test]
fn generate_writes_parts_as_heap_file_says_them() {
    let bench = Bench::new();
    let cases: [(&[&str], &str, &str); 5] = [
        (
            &["--objects", "100", "--seed", "7", "--leak", "share=0.5", "--texts", "3 hello", "--segments", "4"],
            "heap segments=4\nrandom objects=100 seed=7\ntexts 3 hello\nleak share=0.5\n",
            "hprof",
        ),
        (
            &["--preset", "tiny", "--leak", "share=0.9 holder=static size=64", "--leak", "share=0.1 of=Text"],
            "random preset=tiny seed=0\nleak share=0.9 holder=static size=64\nleak share=0.1 of=Text\n",
            "hprof",
        ),
        (
            &["--library", "jdk-8", "--java-threads", "constant:3", "--names", "java", "--texts", r#"2 "to be; {i}""#],
            "heap library=jdk-8\nrandom seed=0 java-threads=constant:3 names=java\ntexts 2 \"to be; {i}\"\n",
            "phd6",
        ),
        (
            &["--preset", "android", "--objects", "300", "--profile", "art", "--leak", "share=0.3"],
            "heap library=android word=32\nrandom preset=android objects=300 seed=0\nleak share=0.3\n",
            "hprof/art",
        ),
        (
            &["--shape", "tree:2,5", "--objects", "0", "--texts", "1 a", "--texts", "2 b"],
            "random seed=0 shape=\"tree:2,5\" objects=0\ntexts 1 a\ntexts 2 b\n",
            "classic",
        ),
    ];
    for (options, text, target) in cases {
        // A class of the leak has to be there: the file of the second case declares none.
        let is_refused = text.contains("of=Text");
        bench.write("said.kdl", text.as_bytes());
        let (code, _, error) = bench.run(&format!("build said.kdl --format {target} -o said --force"));
        assert_eq!(code, i32::from(is_refused), "{text}: {error}");
        let format = target.split('/').next().unwrap_or_default();
        let mut words = vec!["generate", "--format", format, "-o", "made", "--force"];
        words.extend(options);
        let (code, error) = run_words(&bench, &words);
        if is_refused {
            assert_eq!(code, 2, "{error}");
            assert!(error.contains("leak share=0.1 of=Text: ") && error.contains("Text"), "{error}");
            continue;
        }
        assert_eq!((code, error.as_str()), (0, ""), "{words:?}");
        assert!(bench.read("made") == bench.read("said"), "{words:?}");
        bench.ok("validate made");
    }
}

#[test]
fn generate_refuses_what_goes_with_no_parts() {
    let bench = Bench::new();
    for (words, message) in [
        (&["--leak", "share=2"][..], "leak share=2: 2 is no share: one is above 0 and below 1"),
        (&["--leak", "shere=0.5"], "leak shere=0.5: leak has no property \"shere\""),
        (&["--texts", "hello 3"], "texts hello 3: "),
        (&["--texts", "3 hello there"], "texts 3 hello there: texts has 2 arguments, and this is one more"),
        (&["--texts", "3 hello; string s x"], "expected the words of one node"),
        (&["--texts", "3 \\", "--leak", "share=0.5"], ""),
        (&["--texts", "3 a\nstring s x"], "expected one line"),
        (&["--leak", "share=0.5", "--time-stamp", "5"], "time-stamp: a heap with --leak or --texts is laid out"),
        (&["--leak", "share=0.5", "--oddities", "nul-names"], "oddities: a heap with"),
        (&["--leak", "share=0.5", "--swarm"], "cannot be used with"),
        (&["--leak", "share=0.5", "--print-recipe"], "cannot be used with"),
        (&["--leak", "share=0.5", "--threads", "2"], "cannot be used with"),
        (
            &["--leak", "share=0.5", "heapsmith-2:swarm=yes,seed=3"],
            "leave swarm, hit, break, edit, mutation and gzip out",
        ),
        (
            &["--leak", "share=0.5", "heapsmith-2:gzip=yes,seed=3"],
            "leave swarm, hit, break, edit, mutation and gzip out",
        ),
        (&["--format", "phd6", "--segments", "2"], "phd6 has no segments"),
    ] {
        let words: Vec<&str> = ["generate", "-o", "none"].into_iter().chain(words.iter().copied()).collect();
        let (code, error) = run_words(&bench, &words);
        assert!(code == 2 && error.contains(message), "{words:?}: {code} {error}");
        assert!(!bench.path("none").exists(), "{words:?}");
    }
}

#[test]
fn recipe_has_number_of_segments() {
    let bench = Bench::new();
    let recipe = bench.ok("generate --preset tiny --seed 7 --segments 5 --print-recipe");
    assert_eq!(recipe, "heapsmith-2:preset=tiny,seed=7,segments=5\n");
    bench.ok(&format!("generate {} -o five.hprof", recipe.trim()));
    bench.ok("generate --preset tiny --seed 7 --segments 5 -o flags.hprof");
    assert_eq!(segment_lengths(&bench.read("five.hprof")).len(), 5);
    assert!(bench.read("five.hprof") == bench.read("flags.hprof"));
    let error = bench.refused("generate heapsmith-2:segments=0,seed=7 -o none");
    assert!(error.contains("segments: expected a number from 1 on, found \"0\""), "{error}");
    let (code, _, error) = bench.run("validate heapsmith-2:preset=tiny,seed=7,segments=100000");
    assert!(code != 0 && error.contains("ask for at most "), "{error}");
}
