//! `check --among`: implementations against each other, where none counts as right.

use std::collections::BTreeMap;
use std::fs;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::bench::{HEAPSMITH, check, has_python, heapsmith, outcomes, python, tally};
use crate::schema::Schema;

/// A dump of a class and an object, spelled by hand: 83 bytes, of which the version is at offset 20.
const DUMP: &str = "0012706f727461626c6520686561702064756d7000000006000000040102020640040000000008000000000010\
                    6a6176612f6c616e672f4f626a656374000000000501020000100000000002 00fe 00000006 03";

/// A folder with that dump, the same cut short, and the same with a version that there is none of.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().expect("there is room for a folder");
    let digits: Vec<u8> = DUMP.bytes().filter(u8::is_ascii_hexdigit).collect();
    let value = |digit: u8| char::from(digit).to_digit(16).expect("a digit") as u8;
    let dump: Vec<u8> = digits.chunks(2).map(|pair| value(pair[0]) << 4 | value(pair[1])).collect();
    assert_eq!(dump.len(), 83);
    let put = |name: &str, bytes: &[u8]| fs::write(folder.path().join(name), bytes).expect("there is room");
    put("whole.phd", &dump);
    put("cut.phd", &dump[..70]);
    let unknown = [&dump[..23], &[9], &dump[24..]].concat();
    put("unknown.phd", &unknown);
    folder
}

/// The options for implementations that answer in these ways.
fn parties(all: &[(&str, &str)]) -> Vec<String> {
    let one = |(name, way): &(&str, &str)| {
        let command = match *way {
            "own" => format!("{HEAPSMITH} adapter serve"),
            way => python("tests/adapters/among.py", &format!("{HEAPSMITH} {name} {way}")),
        };
        ["--adapter".to_owned(), command]
    };
    all.iter().flat_map(one).chain(["--among".to_owned()]).collect()
}

/// What `check --among` says of a dump of the folder, and its exit code.
fn among(folder: &TempDir, dump: &str, all: &[(&str, &str)], more: &[&str]) -> (Value, i32) {
    let path = folder.path().join(dump).to_string_lossy().into_owned();
    let parties = parties(all);
    let arguments: Vec<&str> =
        parties.iter().map(String::as_str).chain(["--dumps", &path]).chain(more.iter().copied()).collect();
    check(&arguments)
}

/// The sides of a disagreement: what is said, by whom.
fn sides(about: &Value) -> Vec<(String, Vec<String>)> {
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    let by = |side: &Value| side["by"].as_array().expect("labels").iter().map(text).collect();
    about["sides"].as_array().expect("sides").iter().map(|side| (text(&side["says"]), by(side))).collect()
}

fn side(says: &str, by: &[&str]) -> (String, Vec<String>) {
    (says.to_owned(), by.iter().map(|label| (*label).to_owned()).collect())
}

#[test]
fn lists_agreeing_implementations_without_judging() {
    if !has_python() {
        return;
    }
    let folder = folder();
    let all = [("A", "plain"), ("B", "plain"), ("C", "other-name")];
    let report = folder.path().join("report").to_string_lossy().into_owned();
    let (told, code) = among(&folder, "whole.phd", &all, &["--report", &report]);
    let about = outcomes(&told)[0];
    assert_eq!((&about["verdict"], code), (&json!("disagree"), 1), "{told:#}");
    assert_eq!(
        (&about["fact"], &about["address"], &about["count"]),
        (&json!("class-name"), &json!("0x1000"), &json!(1))
    );
    let expected = [side("java/lang/Object", &["A 1", "B 1"]), side("java/lang/Objekt", &["C 1"])];
    assert_eq!(sides(about), expected);
    let tested = &told["implementations"][0];
    let cause = &tested["causes"][0];
    assert_eq!(cause["sentence"], "Disagree on class-name: A 1 and B 1 against C 1.");
    assert_eq!(cause["id"], "class-name: A 1, B 1 | C 1");
    assert_eq!(tested["label"], "A 1, B 1 and C 1");
    assert_eq!(tested["compared"][2]["said"]["accepted"], 1);
    // The bytes of the name are shown, from its length on; and what `validate` finds.
    assert_eq!(tested["results"][0]["evidence"]["offset"], 0x2b, "{tested:#}");
    assert_eq!(told["cases"][0]["verdict"], "valid");
    let path = format!("{}/specs/schemas/check.schema.json", env!("CARGO_MANIFEST_DIR"));
    let schema = fs::read_to_string(path).expect("it is there");
    assert_eq!(Schema::new(serde_json::from_str(&schema).expect("JSON")).error(&told), None);
    // Every form names the sides.
    let entries = fs::read_dir(&report).expect("a report").map(|entry| entry.expect("an entry"));
    let files = entries.filter(|entry| entry.path().is_file());
    let names = files.map(|file| file.file_name().to_string_lossy().into_owned());
    let forms: Vec<String> = names.filter(|name| !name.starts_with('.')).collect();
    assert!(forms.len() > 4, "{forms:?}");
    for form in forms {
        let text = fs::read_to_string(format!("{report}/{form}")).expect("a form of the report");
        assert!(text.contains("Objekt") || form == "report.sarif", "{form}");
        assert!(text.contains("against C 1"), "{form}");
    }
    // The command that repeats it asks all of them.
    let repeat = shell_words::split(cause["repeat"].as_str().expect("a command")).expect("words");
    assert_eq!(repeat.iter().filter(|word| *word == "--adapter").count(), 3);
    let again: Vec<&str> = repeat[2..].iter().map(String::as_str).chain(["--json"]).collect();
    let output = heapsmith(&[&["check"], &again[..]].concat());
    let again: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(outcomes(&again), outcomes(&told));
}

/// A dump about which they disagree is reduced as long as they do: what is left is a dump in which a class has the name that one of
/// them gets wrong.
#[test]
fn reduces_dump_of_disagreement() {
    if !has_python() {
        return;
    }
    let folder = folder();
    let large = folder.path().join("large.phd").to_string_lossy().into_owned();
    let made = heapsmith(&["generate", "--format", "phd6", "--seed", "3", "--objects", "20", "-o", &large]);
    assert_eq!(made.status.code(), Some(0));
    let report = folder.path().join("report");
    let all = [("A", "plain"), ("B", "other-name")];
    let more = ["--report", &report.to_string_lossy(), "--reduce"];
    let (told, code) = among(&folder, "large.phd", &all, &more);
    let reduced = &told["implementations"][0]["causes"][0]["reduced"];
    assert_eq!((code, &reduced["shows"]), (1, &json!(["class-name: A 1 | B 1"])), "{told:#}");
    let left = fs::read(report.join(reduced["file"].as_str().expect("a file"))).expect("it is there");
    assert!(left.len() < 110 && left.windows(16).any(|name| name == b"java/lang/Object"), "{} bytes", left.len());
    fs::write(folder.path().join("small.phd"), &left).expect("there is room");
    let (again, _) = among(&folder, "small.phd", &all, &[]);
    assert_eq!(again["implementations"][0]["causes"][0]["id"], "class-name: A 1 | B 1");
}

#[test]
fn lists_sides_for_each_place_of_disagreement() {
    if !has_python() {
        return;
    }
    let folder = folder();
    // A dump with both classes whose names are changed.
    let dump = folder.path().join("both.phd").to_string_lossy().into_owned();
    let output = heapsmith(&["generate", "--format", "phd6", "--objects", "4", "--seed", "5", "-o", &dump]);
    assert!(output.status.success());
    let all = [("A", "plain"), ("B", "other-name"), ("C", "two-names")];
    let (told, _) = among(&folder, "both.phd", &all, &[]);
    let result = &told["implementations"][0]["results"][0];
    let (first, second) = (&result["outcome"], &result["disagreements"][0]);
    assert_eq!(sides(first), [side("java/lang/Object", &["A 1"]), side("java/lang/Objekt", &["B 1", "C 1"])]);
    assert_eq!(sides(second), [side("java/lang/Class", &["A 1", "B 1"]), side("java/lang/Klasse", &["C 1"])]);
}

#[test]
fn counts_refusals_and_missing_answers_as_disagreements() {
    if !has_python() {
        return;
    }
    let folder = folder();
    let all = [("A", "plain"), ("B", "refuse"), ("C", "crash"), ("D", "plain")];
    let (told, code) = among(&folder, "whole.phd", &all, &[]);
    let about = outcomes(&told)[0];
    assert_eq!((&about["fact"], code), (&json!("verdict"), 1), "{told:#}");
    let sides = sides(about);
    assert_eq!(sides[0], side("accepted", &["A 1", "D 1"]));
    assert_eq!(sides[1], side("refused: no such record at byte 7", &["B 1"]));
    assert!(sides[2].0.starts_with("crash: ") && sides[2].1 == ["C 1"] && sides.len() == 3, "{sides:?}");
    let sentence = told["implementations"][0]["causes"][0]["sentence"].as_str().expect("a text");
    let begin = "Disagree on whether the dump can be read: accepted by A 1 and D 1; refused (no such record at byte …) by B 1; \
                 crash (";
    assert!(sentence.starts_with(begin), "{sentence}");
    let (told, code) = among(&folder, "whole.phd", &[("A", "plain"), ("B", "hang")], &["--time-limit", "2"]);
    assert!(code == 1 && self::sides(outcomes(&told)[0])[1].0.starts_with("hang"), "{told:#}");
    // Who refuses alike agrees; who crashes alike gives no answer.
    let (told, code) = among(&folder, "whole.phd", &[("A", "refuse"), ("B", "refuse")], &[]);
    assert_eq!((tally(&told), code), (BTreeMap::from([("agree".to_owned(), 1)]), 0));
    let (told, code) = among(&folder, "whole.phd", &[("A", "crash"), ("B", "crash")], &[]);
    assert_eq!((tally(&told), code), (BTreeMap::from([("disagree".to_owned(), 1)]), 1));
}

/// No reference is needed.
#[test]
fn dumps_that_heapsmith_cannot_read_are_compared() {
    if !has_python() {
        return;
    }
    let folder = folder();
    let all = [("A", "anything"), ("B", "anything"), ("C", "refuse")];
    for (dump, verdict) in [("unknown.phd", "unknown"), ("cut.phd", "invalid")] {
        let (told, code) = among(&folder, dump, &all, &[]);
        let result = &told["implementations"][0]["results"][0];
        assert_eq!((&result["outcome"]["fact"], code), (&json!("verdict"), 1), "{told:#}");
        assert_eq!(sides(&result["disagreements"][0]), [side("A", &["A 1"]), side("B", &["B 1"])], "{told:#}");
        assert_eq!(told["cases"][0]["verdict"], verdict);
    }
    let (told, _) = among(&folder, "unknown.phd", &all, &[]);
    assert!(
        told["cases"][0]["summary"].as_str().is_some_and(|text| text.contains("of no format that heapsmith knows"))
    );
}

#[test]
fn ignores_undeclared_facts_and_declared_spellings() {
    if !has_python() {
        return;
    }
    let folder = folder();
    let agree = BTreeMap::from([("agree".to_owned(), 1)]);
    // One that does not report names, and one that has them as Java does.
    let (told, code) = among(&folder, "whole.phd", &[("A", "plain"), ("B", "silent")], &[]);
    assert_eq!((tally(&told), code), (agree.clone(), 0), "{told:#}");
    let omitted = told["implementations"][0]["omitted"].as_array().expect("facets").clone();
    assert!(omitted.contains(&json!("class-name")), "{omitted:?}");
    let (told, code) = among(&folder, "whole.phd", &[("A", "plain"), ("B", "java")], &[]);
    assert_eq!((tally(&told), code), (agree.clone(), 0), "{told:#}");
    // One that is to report superclasses and does not.
    let (told, code) = among(&folder, "whole.phd", &[("A", "plain"), ("B", "no-super")], &[]);
    assert_eq!((sides(outcomes(&told)[0]), code), (vec![side("a value", &["A 1"]), side("nothing", &["B 1"])], 1));
    let leave_out = ["--leave-out", "superclass"];
    let (told, code) = among(&folder, "whole.phd", &[("A", "plain"), ("B", "no-super")], &leave_out);
    assert_eq!((tally(&told), code), (agree, 0), "{told:#}");
}

/// The array of the dump is its only object.
#[test]
fn compares_answers_of_different_levels_by_common_facts() {
    if !has_python() {
        return;
    }
    let folder = folder();
    let (told, code) = among(&folder, "whole.phd", &[("A", "plain"), ("B", "counts")], &[]);
    let about = outcomes(&told)[0];
    assert_eq!((&about["fact"], code), (&json!("instances"), 1), "{told:#}");
    assert_eq!(sides(about), [side("0", &["A 1"]), side("1", &["B 1"])]);
    let (told, code) = among(&folder, "whole.phd", &[("A", "plain"), ("B", "digest")], &["--level", "digest"]);
    assert_eq!((&outcomes(&told)[0]["fact"], code), (&json!("word-size"), 1), "{told:#}");
    // A dump that is not held is asked about by digests.
    let large = folder.path().join("large.hprof").to_string_lossy().into_owned();
    let made =
        ["generate", "--preset", "huge", "--objects", "120000", "--format", "hprof", "--seed", "5", "-o", &large];
    assert!(heapsmith(&made).status.success());
    let (told, code) = among(&folder, "large.hprof", &[("A", "own"), ("B", "digest"), ("C", "plain")], &[]);
    let sides = sides(outcomes(&told)[0]);
    assert_eq!((sides.len(), &*sides[0].1, code), (2, &["heapsmith 0.1.0".to_owned(), "C 1".to_owned()][..], 1));
}

#[test]
fn compares_over_corpus_and_requires_two_implementations() {
    let own = format!("{HEAPSMITH} adapter serve");
    let (told, code) =
        check(&["--adapter", &own, "--adapter", &own, "--among", "--format", "classic", "--random", "8"]);
    let counted = tally(&told);
    assert!(counted["agree"] > 100 && counted.len() == 1 && code == 0, "{counted:?}");
    assert_eq!(told["implementations"][0]["label"], "heapsmith 0.1.0 and heapsmith 0.1.0 (2)");
    for (more, part) in [(&[][..], "two or more"), (&["--converter", "cp {in} {out}", "--to", "phd6"], "--converter")] {
        let output = heapsmith(&[&["check", "--adapter", &own, "--among"], more].concat());
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(2) && error.contains(part), "{error}");
    }
}
