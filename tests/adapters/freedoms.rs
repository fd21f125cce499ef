//! Right decoders that say things in their own way, and decoders that make things up: each is a full adapter
//! (examples/adapters/full/) with a small change. The right ones pass every case and random dumps.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::bench::{check, has_python, interpreter, tally};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// A change of a full adapter: its format, what it does then, what is replaced, and by what.
type Freedom = (&'static str, &'static str, &'static str, &'static str);

const FREEDOMS: [Freedom; 6] = [
    (
        "phd",
        "says nothing of how hashes are kept, other than with its hashes",
        r#""word_size": dump.word * 8,
            "hashes": "every-16" if dump.hashes_everywhere else "where-used-32"}"#,
        r#""word_size": dump.word * 8}"#,
    ),
    ("phd", "reads however many header records there are", "HEADER_LIMIT = 4096", "HEADER_LIMIT = 1 << 30"),
    (
        "hprof",
        "takes the first serial number of a class that has several",
        r#"self.serials[record["class"]] = record["serial"]"#,
        r#"self.serials.setdefault(record["class"], record["serial"])"#,
    ),
    (
        "hprof",
        "calls no bytes no values, whether their class is known or not",
        r#"                break
            return {"raw": item["bytes"].hex()}"#,
        r#"                break
            return {"raw": item["bytes"].hex()} if item["bytes"] else {"values": []}"#,
    ),
    (
        "hprof",
        "calls no values no bytes",
        r#"    return {"values": listed}"#,
        r#"    return {"values": listed} if listed else {"raw": ""}"#,
    ),
    (
        "classic",
        "refuses a text whose lines end in two ways",
        "WHITE_SPACE = ",
        r#"def one_end(text):
    with_return = text.count("\r\n")
    if 0 < with_return < text.count("\n"):
        raise Refusal("lines end in two ways", 0)
    return text


WHITE_SPACE = "#,
    ),
];

/// The answers of a full adapter after a change, and the exit code.
fn changed(format: &str, what: &str, changes: &[(&str, &str)]) -> (Value, i32) {
    let folder = tempfile::tempdir().expect("a folder");
    for file in ["protocol.py", "hprof.py", "phd.py", "classic.py"] {
        let source = Path::new(ROOT).join("examples/adapters/full").join(file);
        let mut source = fs::read_to_string(source).expect("an adapter");
        for (old, new) in changes.iter().filter(|_| file == format!("{format}.py")) {
            assert_eq!(source.matches(old).count(), 1, "{what}: {old}");
            source = source.replace(old, new);
        }
        fs::write(folder.path().join(file), source).expect("it can be written");
    }
    let adapter = format!("{} -S -B {}", interpreter(), folder.path().join(format!("{format}.py")).display());
    check(&["--adapter", &adapter, "--format", format, "--random", "40", "--seed", "11"])
}

#[test]
fn a_right_decoder_passes_whichever_words_it_chooses() {
    if !has_python() {
        return;
    }
    for (format, what, old, new) in FREEDOMS {
        let used = "self.text, self.is_ebcdic = characters(data)";
        let uses = format!("{used}\n        one_end(self.text)");
        let more = (used, uses.as_str());
        let changes = if format == "classic" { vec![(old, new), more] } else { vec![(old, new)] };
        let (report, code) = changed(format, what, &changes);
        let verdicts: Vec<String> = tally(&report).into_keys().collect();
        assert_eq!((code, verdicts), (0, vec!["pass".to_owned()]), "{format}: {what}: {report:#}");
    }
}

/// What a decoder makes up, and the facet of that.
type Invention = (&'static str, &'static str, &'static str, &'static str);

const INVENTIONS: [Invention; 6] = [
    (
        "phd",
        "version-text",
        r#"    if dump.version_text is not None:
        head["version_text"] = text_of(dump.version_text)"#,
        r#"    head["version_text"] = text_of(dump.version_text or b"")"#,
    ),
    (
        "phd",
        "header-totals",
        r#"    if dump.totals is not None:
        head["totals"] = dict(zip(("objects", "references"), dump.totals))"#,
        r#"    head["totals"] = dict(zip(("objects", "references"), dump.totals or (0, 0)))"#,
    ),
    (
        "phd",
        "hash-randoms",
        r#"    if dump.hash_randoms is not None:
        head["hash_randoms"] = [hex(number) for number in dump.hash_randoms]"#,
        r#"    head["hash_randoms"] = [hex(number) for number in dump.hash_randoms or (0, 0)]"#,
    ),
    (
        "hprof",
        "primitive-contents",
        r#"        if "contents" in item:
            facts["contents"] = item["contents"].hex()"#,
        r#"        zeros = bytes(item["length"] * int(TYPES[item["code"]][1]))
        facts["contents"] = item.get("contents", zeros).hex()"#,
    ),
    ("classic", "class", r#"elif len(classes.get(record["type"], ())) == 1:"#, r#"elif classes.get(record["type"]):"#),
    (
        "classic",
        "word-size",
        r#"    if dump.word_digits in (8, 16):
        head["word_size"] = dump.word_digits * 4"#,
        r#"    head["word_size"] = dump.word_digits * 4 if dump.word_digits in (8, 16) else 32"#,
    ),
];

#[test]
fn what_a_dump_does_not_tell_may_not_be_made_up() {
    if !has_python() {
        return;
    }
    for (format, facet, old, new) in INVENTIONS {
        let (report, code) = changed(format, facet, &[(old, new)]);
        let verdicts = tally(&report);
        assert!(code == 1 && verdicts.contains_key("fail"), "{format}: {facet}: {verdicts:?}");
        let cases = report["cases"].as_array().expect("cases");
        let is_ambiguous = |id: &Value| cases.iter().any(|case| case["id"] == *id && case["verdict"] == "ambiguous");
        let mut found = 0;
        for result in report["implementations"][0]["results"].as_array().expect("results") {
            let outcome = &result["outcome"];
            let is_due = (&outcome["fact"], &outcome["found"]) == (&facet.into(), &"a value".into());
            found += u32::from(is_due);
            // Of several readings, the first is told.
            assert!(is_due || outcome["verdict"] == "pass" || is_ambiguous(&result["id"]), "{facet}: {result:#}");
        }
        assert!(found > 0, "{facet}");
    }
}
