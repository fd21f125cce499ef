//! Cases of heap files: `corpus add` builds them, `corpus verify` finds what was changed, and `corpus bless` builds them again.

use std::collections::BTreeMap;
use std::fs;

use pretty_assertions::assert_eq;
use serde_json::Value;

use super::{Bench, Schema, array, files_of, sha256, text};

/// Two nodes, without a library, so that every fact of the dump is known.
const PAIR: &str = "\
heap world=none word=32
class java.lang.Object
class Node { int id; Node next }
object a Node id=1 next=@b
object b Node id=-2
root jni-global @a reference=0x99
";

fn with_pair() -> Bench {
    let bench = Bench::new();
    fs::write(bench.path("Pair.kdl"), PAIR).expect("writable");
    bench
}

/// Exit code, standard output and standard error of a command whose arguments have no spaces.
fn run(bench: &Bench, command: &str) -> (i32, String, String) {
    bench.command(&command.split(' ').collect::<Vec<_>>())
}

fn read(bench: &Bench, path: &str) -> Vec<u8> {
    fs::read(bench.path(path)).unwrap_or_else(|e| panic!("{path}: {e}"))
}

/// Every file of the folder with its bytes.
fn tree(bench: &Bench) -> BTreeMap<String, Vec<u8>> {
    bench.files().into_iter().map(|path| (path.clone(), read(bench, &format!("golden/{path}")))).collect()
}

fn assert_follows_schema(bench: &Bench) {
    let manifest = bench.manifest();
    let schema = serde_json::from_slice(&read(bench, "golden/schemas/golden.schema.json")).expect("JSON");
    assert_eq!(Schema::new(schema).error(&manifest), None);
    for file in array(&manifest, "cases").iter().flat_map(files_of) {
        let bytes = read(bench, &format!("golden/{}", text(&file["path"])));
        assert_eq!((text(&file["sha256"]), &file["size"]), (&*sha256(&bytes), &Value::from(bytes.len())));
    }
}

#[test]
fn a_heap_file_is_added_as_the_dump_that_build_writes() {
    let bench = with_pair();
    let (code, said, error) = run(&bench, "corpus add Pair.kdl --format hprof/hotspot-17 --answers -o golden");
    assert_eq!((code, said.as_str(), error.as_str()), (0, "added pair to golden, as its first case\n", ""));
    for (id, format, options) in [
        ("gzip", "hprof", "--profile agent --id-size 4 --segments 3 --gzip"),
        ("phd", "phd6", "--word 32"),
        ("ebcdic", "classic", "--encoding ibm-1047 --newline crlf"),
    ] {
        let (code, _, error) =
            run(&bench, &format!("corpus add Pair.kdl --format {format} {options} -o golden --id {id}"));
        assert_eq!(code, 0, "{id}: {error}");
        assert_eq!(run(&bench, &format!("build Pair.kdl --format {format} {options} -o {id}")).0, 0, "{id}");
    }
    assert_eq!(run(&bench, "build Pair.kdl --format hprof/hotspot-17 -o pair").0, 0);
    assert_follows_schema(&bench);
    let manifest = bench.manifest();
    let cases = array(&manifest, "cases");
    for (case, (id, suffix, verdict)) in cases.iter().zip([
        ("ebcdic", "txt", "valid"),
        ("gzip", "hprof.gz", "valid"),
        ("pair", "hprof", "valid"),
        ("phd", "phd6", "valid"),
    ]) {
        assert_eq!((text(&case["id"]), text(&case["verdict"]), text(&case["summary"])), (id, verdict, "Pair.kdl"));
        assert_eq!(text(&case["dump"]["path"]), format!("dumps/{id}.{suffix}"));
        assert!(read(&bench, &format!("golden/dumps/{id}.{suffix}")) == read(&bench, id), "{id}");
        assert_eq!(text(&case["source"]["heap_file"]["path"]), format!("heaps/{id}.kdl"));
        assert_eq!(read(&bench, &format!("golden/heaps/{id}.kdl")), PAIR.as_bytes());
    }
    assert_eq!(cases[2]["source"]["build"], serde_json::json!({"format": "hprof/hotspot-17"}));
    assert_eq!(
        cases[1]["source"]["build"],
        serde_json::json!({"format": "hprof/agent", "id_size": 4, "segments": 3, "gzip": true})
    );
    assert_eq!(
        (&cases[0]["source"]["build"]["encoding"], &cases[0]["source"]["build"]["newline"]),
        (&Value::from("ibm-1047"), &Value::from("crlf"))
    );
    // The listing is the heap file's heap: the values, and who refers to whom.
    let listing = String::from_utf8(read(&bench, "golden/listings/pair.jsonl")).expect("text");
    let lines: Vec<Value> = listing.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let objects: Vec<&Value> = lines.iter().filter(|line| line["kind"] == "object").collect();
    let [a, b] = objects[..] else { panic!("two objects: {listing}") };
    assert_eq!(a["values"], serde_json::json!([["int", "0x1"], ["object", b["address"]]]));
    assert_eq!(b["values"], serde_json::json!([["int", "0xfffffffe"], ["object", "0x0"]]));
    let answers = String::from_utf8(read(&bench, "golden/answers/pair.json")).expect("text");
    assert!(answers.contains(r#"{"class":"Node","objects":2,"bytes":16"#), "{answers}");
    assert_eq!(run(&bench, "corpus verify golden"), (0, "4 cases: all as expected\n".to_owned(), String::new()));
}

#[test]
fn a_changed_heap_file_is_named_and_built_again() {
    let bench = with_pair();
    assert_eq!(run(&bench, "corpus add Pair.kdl --format hprof --answers -o golden").0, 0);
    assert_eq!(run(&bench, "corpus add Pair.kdl --format phd6 -o golden --id other").0, 0);
    assert_eq!(run(&bench, "build Pair.kdl --format hprof --gzip -o cut.gz").0, 0);
    fs::write(bench.path("cut.gz"), &read(&bench, "cut.gz")[..40]).expect("writable");
    assert_eq!(run(&bench, "corpus add cut.gz --refused -o golden").0, 0);
    let before = tree(&bench);
    assert_eq!(run(&bench, "corpus bless golden").0, 0);
    assert!(tree(&bench) == before, "nothing was changed");
    let changed = PAIR.replace("id=1", "id=7").replace("next=@b", "next=@b\nobject c Node next=@a");
    for path in ["golden/heaps/pair.kdl", "changed.kdl"] {
        fs::write(bench.path(path), &changed).expect("writable");
    }
    let (code, said, _) = run(&bench, "corpus verify golden");
    assert_eq!(code, 1);
    assert_eq!(
        said,
        "heaps/pair.kdl: changed since the dump was built of it; `heapsmith corpus bless golden` builds it again\n\
         3 cases: 1 problem\n"
    );
    let (code, said, error) = run(&bench, "corpus bless golden");
    assert_eq!((code, said.as_str()), (0, "3 cases written to golden\n"), "{error}");
    assert_eq!(run(&bench, "corpus verify golden").0, 0);
    assert_eq!(run(&bench, "build changed.kdl --format hprof -o changed").0, 0);
    let after = tree(&bench);
    assert!(after["dumps/pair.hprof"] == read(&bench, "changed"));
    let differ: Vec<&str> =
        before.iter().filter(|(path, bytes)| after[*path] != **bytes).map(|(path, _)| &**path).collect();
    let expected = [
        "answers/pair.json",
        "answers/pair.jsonl",
        "dumps/pair.hprof",
        "heaps/pair.kdl",
        "listings/pair.jsonl",
        "manifest.json",
    ];
    assert_eq!(differ, expected);
    assert_follows_schema(&bench);
    // A dump that is not the one of the heap file, though the manifest has its digest.
    let manifest = String::from_utf8(read(&bench, "golden/manifest.json")).expect("text");
    let dumps = ["dumps/pair.hprof", "dumps/other.phd6"].map(|path| read(&bench, &format!("golden/{path}")));
    fs::write(bench.path("golden/dumps/pair.hprof"), &dumps[1]).expect("writable");
    let forged = manifest.replace(&sha256(&dumps[0]), &sha256(&dumps[1]));
    let forged = forged.replace(&format!("\"size\":{},", dumps[0].len()), &format!("\"size\":{},", dumps[1].len()));
    fs::write(bench.path("golden/manifest.json"), forged).expect("writable");
    let (code, said, _) = run(&bench, "corpus verify golden");
    assert!(code == 1 && said.starts_with("heaps/pair.kdl: expected the dump and the listing of the case"), "{said}");
}

#[test]
fn a_wrong_heap_file_is_refused_and_the_folder_stays() {
    let bench = with_pair();
    fs::write(bench.path("wrong.kdl"), PAIR.replace("next=@b", "next=@c")).expect("writable");
    fs::write(bench.path("two.kdl"), format!("{PAIR}{}", PAIR.replace(" a ", " c ").replace("@a", "@c")))
        .expect("writable");
    fs::write(bench.path("many.kdl"), "class Node\nrepeat 1000001 { object _ Node }\n").expect("writable");
    assert_eq!(run(&bench, "corpus add Pair.kdl --format hprof -o golden").0, 0);
    assert_eq!(run(&bench, "build Pair.kdl --format hprof -o dump").0, 0);
    let before = tree(&bench);
    for (code, arguments, expected) in [
        (2, "Pair.kdl --format hprof", "golden has a case pair already"),
        (2, "Pair.kdl --refused", "is a heap file, of which the dump and its listing are built"),
        (2, "Pair.kdl --listing dump --id b", "say the dump's format with --format, and leave --listing out"),
        (2, "Pair.kdl --format hprof --listing dump --id b", "cannot be used with"),
        (2, "Pair.kdl --format phd6 --encoding utf-8 --id b", "phd6 is a binary format"),
        (1, "Pair.kdl --format hprof --refused --id b", "Pair.kdl keeps all rules of its format"),
        (1, "wrong.kdl --format hprof", "wrong.kdl:4:20: @c is no object"),
        (2, "two.kdl --format hprof", "choose one with --heap 0 to 1"),
        (2, "many.kdl --format hprof", "many.kdl: expected at most 1000000 objects in a case, found 1000001"),
        (2, "dump --refused --format hprof", "dump is a dump, and --format and the options of its writer"),
        (2, "dump --refused --gzip", "are for heap files, whose names end in .kdl; leave them out"),
        (2, "dump", "--listing <LISTING>"),
    ] {
        let (found, _, error) = run(&bench, &format!("corpus add {arguments} -o golden"));
        assert!(found == code && error.contains(expected), "{arguments}: {found}: {error}");
        assert!(tree(&bench) == before, "{arguments}");
    }
    assert_eq!(run(&bench, "corpus add two.kdl --format phd6 --heap 1 -o golden").0, 0);
    let manifest = bench.manifest();
    assert_eq!(array(&manifest, "cases")[1]["source"]["build"]["heap"], 1);
    // Nor does `bless` change anything.
    let before = tree(&bench);
    fs::copy(bench.path("wrong.kdl"), bench.path("golden/heaps/pair.kdl")).expect("copied");
    let (code, _, error) = run(&bench, "corpus bless golden");
    assert!(code == 1 && error.contains("golden/heaps/pair.kdl:4:20: @c is no object"), "{code}: {error}");
    fs::remove_file(bench.path("golden/heaps/pair.kdl")).expect("removed");
    let (code, _, error) = run(&bench, "corpus bless golden");
    assert!(
        code == 2 && error.contains("golden/heaps/pair.kdl: expected the heap file of a case, found nothing"),
        "{error}"
    );
    fs::write(bench.path("golden/heaps/pair.kdl"), PAIR).expect("writable");
    assert!(tree(&bench) == before);
    for (sound, hostile, expected) in [
        ("heaps/pair.kdl", "../Pair.kdl", "expected a relative path without `..`"),
        ("hprof/hotspot", "hprof/unheard-of", "unheard-of"),
        ("\"format\":\"hprof/", "\"id_size\":3,\"format\":\"hprof/", "id_size: expected a value of that option"),
    ] {
        let forged = String::from_utf8(before["manifest.json"].clone()).expect("text").replace(sound, hostile);
        fs::write(bench.path("golden/manifest.json"), forged).expect("writable");
        let (code, _, error) = run(&bench, "corpus bless golden");
        assert!(code == 2 && error.contains(expected), "{hostile}: {error}");
        let (code, said, _) = run(&bench, "corpus verify golden");
        assert!(code == 1 && said.contains(expected), "{hostile}: {said}");
    }
    assert_eq!(bench.export(&[]).0, 2);
    assert_eq!(run(&bench, "corpus export -o exported --format phd4 --tag golden").0, 0);
    let (code, _, error) = run(&bench, "corpus bless exported");
    assert!(code == 2 && error.contains("exported holds cases of `corpus export`; run that again"), "{error}");
}
