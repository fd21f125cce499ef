//! `corpus add`: cases of a user's own, in the form of an export.

use std::fs;

use serde_json::Value;

use super::{Bench, Schema, array, sha256, text};

/// A dump with its listing `low.jsonl`; or the first part of the dump.
pub(super) fn low(bench: &Bench, is_cut: bool) -> Vec<u8> {
    let generate = "generate --format hprof --seed 3 --objects 30 -o low --force";
    for command in [generate, "decode low -o low.jsonl --force"] {
        let (code, _, error) = bench.command(&command.split(' ').collect::<Vec<_>>());
        assert_eq!(code, 0, "{error}");
    }
    let dump = fs::read(bench.path("low")).expect("a dump");
    if is_cut { dump[..500].to_vec() } else { dump }
}

fn with_dumps() -> Bench {
    let bench = Bench::new();
    let (dump, cut) = (low(&bench, false), low(&bench, true));
    fs::write(bench.path("Odd One.hprof"), dump).expect("writable");
    fs::write(bench.path("cut.hprof"), cut).expect("writable");
    bench
}

#[test]
fn a_case_is_checked_named_and_added_in_the_form_of_an_export() {
    let bench = with_dumps();
    let odd =
        ["corpus", "add", "Odd One.hprof", "--listing", "low.jsonl", "--answers", "-o", "golden", "--id", "odd-one"];
    let (code, said, error) = bench.command(&odd);
    assert_eq!((code, said.as_str()), (0, "added odd-one to golden, as its first case\n"), "{error}");
    let about = ["--summary", "the transfer was cut"];
    let (code, said, _) =
        bench.command(&[&["corpus", "add", "cut.hprof", "--refused", "-o", "golden"][..], &about].concat());
    assert_eq!((code, said.as_str()), (0, "added cut to golden, which has 2 cases now\n"));
    let manifest = bench.manifest();
    let schema = fs::read_to_string(bench.path("golden/schemas/golden.schema.json")).expect("a schema");
    assert_eq!(Schema::new(serde_json::from_str(&schema).expect("JSON")).error(&manifest), None);
    assert_eq!(manifest["corpus"], "own");
    let [cut, odd] = array(&manifest, "cases").as_slice() else { panic!("two cases: {manifest}") };
    assert_eq!((text(&cut["id"]), text(&cut["verdict"]), text(&cut["summary"])), ("cut", "invalid", about[1]));
    assert_eq!((text(&odd["id"]), text(&odd["verdict"]), text(&odd["format"])), ("odd-one", "valid", "hprof"));
    assert_eq!((text(&cut["finding"]["rule"]), &cut["finding"]["offset"]), ("hprof.file.truncated", &500.into()));
    assert_eq!(cut["answers"][0]["listing"], Value::Null);
    let (code, said, _) = bench.command(&["answers", "Odd One.hprof", "--json", "--entries", "entries.jsonl"]);
    assert_eq!(code, 0);
    fs::write(bench.path("answers.json"), said).expect("writable");
    let answer = &odd["answers"][0];
    for (file, source, path) in [
        (&cut["dump"], "cut.hprof", "dumps/cut.hprof"),
        (&odd["dump"], "Odd One.hprof", "dumps/odd-one.hprof"),
        (&answer["listing"], "low.jsonl", "listings/odd-one.jsonl"),
        (&answer["analysis"]["heap"], "answers.json", "answers/odd-one.json"),
        (&answer["analysis"]["entries"], "entries.jsonl", "answers/odd-one.jsonl"),
    ] {
        assert_eq!(text(&file["path"]), path);
        let bytes = fs::read(bench.path("golden").join(path)).expect("a file");
        assert!(bytes == fs::read(bench.path(source)).expect("a file"), "{source}");
        assert_eq!(text(&file["sha256"]), sha256(&bytes));
    }
    assert!(!odd["records"].as_array().expect("a list").is_empty());
    assert!(manifest["rules"]["hprof.file.truncated"]["statement"].is_string());
    let readme = fs::read_to_string(bench.path("golden/README.md")).expect("a page");
    assert!(readme.contains("heapsmith corpus add") && !readme.contains("VERSION"), "{readme}");
}

/// As version 4 of the manifest named files: by their digests, so that two cases shared one.
#[test]
fn a_folder_of_an_older_version_keeps_the_names_of_its_files() {
    let bench = with_dumps();
    let add = |id| bench.command(&["corpus", "add", "cut.hprof", "--refused", "-o", "golden", "--id", id]);
    assert_eq!((add("a").0, add("b").0), (0, 0));
    let old = format!("dumps/{}.hprof", sha256(&fs::read(bench.path("cut.hprof")).expect("a dump")));
    fs::rename(bench.path("golden/dumps/a.hprof"), bench.path("golden").join(&old)).expect("renamed");
    fs::remove_file(bench.path("golden/dumps/b.hprof")).expect("removed");
    for schema in ["answers", "answers-entry"] {
        fs::remove_file(bench.path(&format!("golden/schemas/{schema}.schema.json"))).expect("removed");
    }
    let manifest = fs::read_to_string(bench.path("golden/manifest.json")).expect("a manifest");
    let manifest = manifest.replace("dumps/a.hprof", &old).replace("dumps/b.hprof", &old);
    fs::write(bench.path("golden/manifest.json"), manifest.replace("{\"schema\":7,", "{\"schema\":4,"))
        .expect("writable");
    assert_eq!(add("c").0, 0);
    let manifest = bench.manifest();
    let paths: Vec<&str> = array(&manifest, "cases").iter().map(|case| text(&case["dump"]["path"])).collect();
    assert_eq!((&manifest["schema"], paths), (&7.into(), vec![&*old, &*old, "dumps/c.hprof"]));
    assert!(bench.files().is_superset(&[old, "dumps/c.hprof".to_owned()].into()));
}

#[test]
fn add_refuses_wrong_answer_and_leaves_folder_unchanged() {
    let bench = with_dumps();
    let listing = fs::read_to_string(bench.path("low.jsonl")).expect("a listing");
    fs::write(bench.path("wrong.jsonl"), listing.replace("\"length\":8,", "\"length\":98,")).expect("writable");
    fs::write(bench.path("empty.jsonl"), "{\"listing\":1}\n").expect("writable");
    assert!(
        bench.command(&["corpus", "add", "Odd One.hprof", "--listing", "low.jsonl", "-o", "golden", "--id", "a"]).0
            == 0
    );
    assert_eq!(bench.command(&["corpus", "export", "-o", "exported", "--tag", "golden", "--format", "phd4"]).0, 0);
    let before = (bench.files(), bench.manifest());
    let dump = "Odd One.hprof";
    for (code, arguments, expected) in [
        (
            2,
            &[dump, "--listing", "low.jsonl", "--id", "a"][..],
            "golden has a case a already; name another id with --id",
        ),
        (2, &[dump, "--listing", "low.jsonl"], "the id \"odd one\": expected small letters"),
        (2, &[dump, "--listing", "low.jsonl", "--id", ".hidden"], "a letter or digit first"),
        (2, &[dump, "--listing", "low.jsonl", "--id", &"a".repeat(101)], "and at most 100 of them"),
        (2, &[dump, "--id", "b"], "--listing"),
        (2, &[dump, "--listing", dump, "--id", "b"], "is a dump, where a listing is expected"),
        (1, &[dump, "--refused", "--id", "b"], "keeps all rules of its format"),
        (
            1,
            &[dump, "--listing", "wrong.jsonl", "--id", "b"],
            "wrong.jsonl is not the heap of Odd One.hprof: array-length at 0x",
        ),
        (
            1,
            &[dump, "--listing", "empty.jsonl", "--id", "b"],
            "empty.jsonl is not the heap of Odd One.hprof: address at 0x",
        ),
        (
            1,
            &["cut.hprof", "--listing", "low.jsonl"],
            "[hprof.file.truncated]; a dump that breaks a rule is added with --refused",
        ),
        (2, &["missing.hprof", "--refused"], "missing.hprof"),
    ] {
        let (found, _, error) = bench.command(&[&["corpus", "add", "-o", "golden"], arguments].concat());
        assert!(found == code && error.contains(expected), "{arguments:?}: {found}: {error}");
        assert_eq!((bench.files(), bench.manifest()), before, "{arguments:?}");
    }
    // Neither takes the other's folder, whose cases would be lost.
    let (code, _, error) = bench.export(&[]);
    assert!(code == 2 && error.contains("holds cases of `corpus add`"), "{error}");
    let (code, _, error) = bench.command(&["corpus", "add", "cut.hprof", "--refused", "-o", "exported"]);
    assert!(code == 2 && error.contains("holds cases of `corpus export`"), "{error}");
    assert_eq!((bench.files(), bench.manifest()), before);
    // What the manifest lists is read where it is a file of the folder: no device, and nothing outside.
    let manifest = bench.path("golden/manifest.json");
    let sound = fs::read_to_string(&manifest).expect("the manifest");
    let path = text(&before.1["cases"][0]["dump"]["path"]).to_owned();
    for hostile in ["/dev/zero", "../low.jsonl", "dumps/../../low.jsonl"] {
        fs::write(&manifest, sound.replace(&path, hostile)).expect("writable");
        let (code, _, error) = bench.command(&["corpus", "add", "cut.hprof", "--refused", "-o", "golden"]);
        assert!(code == 2 && error.contains("expected a relative path without `..`"), "{hostile}: {error}");
    }
    fs::write(&manifest, sound).expect("writable");
    #[cfg(unix)]
    {
        let dump = bench.path("golden").join(&path);
        let bytes = fs::read(&dump).expect("the dump");
        fs::remove_file(&dump).expect("removed");
        std::os::unix::fs::symlink("/dev/zero", &dump).expect("a link");
        let (code, _, error) = bench.command(&["corpus", "add", "cut.hprof", "--refused", "-o", "golden"]);
        assert!(code == 2 && error.contains("expected a plain file, found a symbolic link"), "{error}");
        fs::remove_file(&dump).expect("removed");
        fs::write(&dump, bytes).expect("writable");
    }
    // A file that was changed is not carried on under its old digest.
    let path = text(&before.1["cases"][0]["answers"][0]["listing"]["path"]).to_owned();
    fs::write(bench.path("golden").join(&path), "{}").expect("writable");
    let (code, _, error) = bench.command(&["corpus", "add", "cut.hprof", "--refused", "-o", "golden"]);
    assert!(code == 2 && error.contains(&path) && error.contains("with the SHA-256"), "{error}");
}
