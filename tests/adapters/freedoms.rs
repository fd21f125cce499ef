//! Right decoders that say things in their own way, and decoders that make things up: each is a full adapter
//! (examples/adapters/full/) with a small change. The right ones pass every case and random dumps.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use heapsmith::check::DECLARATIONS;
use heapsmith::corpus::{Case, RightAnswer};
use serde::Deserialize;
use serde_json::Value;

use crate::bench::{check, has_python, interpreter, python, tally};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// What is replaced in a full adapter, and by what.
type Changes = &'static [(&'static str, &'static str)];

/// A change of a full adapter: its format, what it does then, and what is changed.
type Freedom = (&'static str, &'static str, Changes);

const FREEDOMS: [Freedom; 12] = [
    (
        "phd",
        "says nothing of how hashes are kept, other than with its hashes",
        &[(
            r#""word_size": dump.word * 8,
            "hashes": "every-16" if dump.hashes_everywhere else "where-used-32"}"#,
            r#""word_size": dump.word * 8}"#,
        )],
    ),
    ("phd", "reads however many header records there are", &[("HEADER_LIMIT = 4096", "HEADER_LIMIT = 1 << 30")]),
    (
        "phd",
        "reads the size of an object array in front of its length, as the page has them",
        &[
            (r#""phd.length-and-size": "length-first""#, r#""phd.length-and-size": "size-first""#),
            (r#""size-first": True"#, r#""size-first": False"#),
            (
                r#"            record["length"] = self.fields.unsigned(4)
            if record"#,
                r#"            first = second = self.fields.unsigned(4)
            if self.version >= 6:
                second = self.fields.unsigned(4)
                if second < len(record["references"]):
                    first, second = second, first
                record["instance_size"] = first
            record["length"] = second
            if record"#,
            ),
            (
                r#"more references than elements", record["offset"])
        self.size(record)"#,
                r#"more references than elements", record["offset"])
        else:
            self.size(record)"#,
            ),
        ],
    ),
    (
        "hprof",
        "takes the first serial number of a class that has several",
        &[(
            r#"self.serials[record["class"]] = record["serial"]"#,
            r#"self.serials.setdefault(record["class"], record["serial"])"#,
        )],
    ),
    (
        "hprof",
        "calls no bytes no values, whether their class is known or not",
        &[(
            r#"                break
            return {"raw": item["bytes"].hex()}"#,
            r#"                break
            return {"raw": item["bytes"].hex()} if item["bytes"] else {"values": []}"#,
        )],
    ),
    (
        "hprof",
        "calls no values no bytes, and gives no key to a name that no text gives",
        &[
            (r#"    return {"values": listed}"#, r#"    return {"values": listed} if listed else {"raw": ""}"#),
            (
                r#"return text_of(dump.texts.get(identifier, b""))"#,
                r#"return text_of(dump.texts.get(identifier, b"")) or None"#,
            ),
            (
                r#"== "none":
        return """#,
                r#"== "none":
        return None"#,
            ),
            (r#""name": "" if name is None"#, r#""name": None if name is None"#),
            (r#"last = [], (0, "")"#, r#"last = [], (0, None)"#),
        ],
    ),
    (
        "hprof",
        "looks up names with the identifier 0 like others, and gives the declared fields of longer instances",
        &[
            (r#""hprof.string-0": "none""#, r#""hprof.string-0": "string""#),
            (r#""hprof.surplus-bytes": "raw""#, r#""hprof.surplus-bytes": "declared-fields""#),
        ],
    ),
    (
        "hprof",
        "passes over the records of which it reports nothing",
        &[
            (
                r#""object-trace", "roots", "threads", "stack-traces", "regions", "reference-order", "record-order", "root-order",
        "strings", "unloads", "allocation-sites", "heap-summaries", "cpu-samples", "control-settings",
        "unknown-records", "events", "string-text"]}"#,
                r#""object-trace", "roots", "regions", "reference-order", "record-order", "root-order"]}"#,
            ),
            (
                r#"        if tag == TEXT:
            record ="#,
                r#"        if tag not in (TEXT, LOAD_CLASS):
            return {"event": "passed over"}
        if tag == TEXT:
            record ="#,
            ),
            ("events = [event_line(after, record) for after, record in heap.log]", "events = []"),
        ],
    ),
    (
        "classic",
        "refuses a text whose lines end in two ways",
        &[
            (
                "WHITE_SPACE = ",
                r#"def one_end(text):
    with_return = text.count("\r\n")
    if 0 < with_return < text.count("\n"):
        raise Refusal("lines end in two ways", 0)
    return text


WHITE_SPACE = "#,
            ),
            (
                "self.text, self.is_ebcdic = characters(data)",
                "self.text, self.is_ebcdic = characters(data)\n        one_end(self.text)",
            ),
        ],
    ),
    (
        "classic",
        "takes a carriage return alone for the end of a line",
        &[(r#""classic.carriage-return": "white-space""#, r#""classic.carriage-return": "line-end""#)],
    ),
    (
        "classic",
        "turns elements round where the trailers are those of a writer that lists them backwards",
        &[(r#""classic.element-order": "file""#, r#""classic.element-order": "index-by-dialect""#)],
    ),
    (
        "classic",
        "turns all elements round",
        &[(r#""classic.element-order": "file""#, r#""classic.element-order": "index""#)],
    ),
];

/// Writes the full adapters to a folder, with changes of one and of what all share.
fn write_changed(folder: &Path, format: &str, what: &str, changes: &[(&str, &str)], shared: &[(&str, &str)]) {
    for file in ["protocol.py", "hprof.py", "phd.py", "classic.py"] {
        let source = Path::new(ROOT).join("examples/adapters/full").join(file);
        let mut source = fs::read_to_string(source).expect("an adapter");
        let own = if file == format!("{format}.py") { changes } else { &[] };
        for (old, new) in own.iter().chain(if file == "protocol.py" { shared } else { &[] }) {
            assert_eq!(source.matches(old).count(), 1, "{what}: {old}");
            source = source.replace(old, new);
        }
        fs::write(folder.join(file), source).expect("it can be written");
    }
}

/// The answers of a full adapter after a change, with words on its command line, and the exit code.
fn changed(format: &str, what: &str, changes: &[(&str, &str)], words: &str, arguments: &[&str]) -> (Value, i32) {
    let folder = tempfile::tempdir().expect("a folder");
    write_changed(folder.path(), format, what, changes, &[]);
    let adapter = format!("{} -S -B {} {words}", interpreter(), folder.path().join(format!("{format}.py")).display());
    check(&[&["--adapter", &adapter, "--format", format], arguments].concat())
}

/// The corpus and some random dumps.
const ALL: &[&str] = &["--random", "24", "--seed", "11"];

#[test]
#[ignore = "long: tests/long.sh runs it"]
fn passes_right_decoder_with_any_allowed_spelling() {
    if !has_python() {
        return;
    }
    for (number, (format, what, changes)) in FREEDOMS.into_iter().enumerate() {
        // By turns declared and found out.
        let words = if number % 2 == 0 { "" } else { "undeclared" };
        let (report, code) = changed(format, what, changes, words, ALL);
        let verdicts: Vec<String> = tally(&report).into_keys().collect();
        assert_eq!((code, verdicts), (0, vec!["pass".to_owned()]), "{format}: {what}: {report:#}");
        // A reading is named where it makes a difference: before version 6, no array has a size beside its length.
        for result in report["implementations"][0]["results"].as_array().expect("results") {
            let id = result["id"].as_str().expect("text");
            let is_named = result["outcome"]["reading"].as_str().is_some_and(|name| name.contains("length-and-size"));
            assert!(!is_named || !id.starts_with("phd4") && !id.starts_with("phd5"), "{result:#}");
        }
    }
}

/// A freedom of a reader, and a wrong use of it: a row of tests/bank/freedoms.toml.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FreedomRow {
    /// The rule whose dumps may be refused as well as read.
    rule: Option<String>,
    /// The kind of record that may be passed over.
    skip: Option<String>,
    /// Whether it is that of a dump which is read with a warning.
    #[serde(default)]
    warns: bool,
    /// What the reader does wrong.
    wrong: String,
    /// The case of the corpus that finds it.
    case: String,
    changes: Vec<(String, String)>,
}

#[derive(Deserialize)]
struct FreedomRows {
    freedom: Vec<FreedomRow>,
}

impl FreedomRow {
    fn all() -> Vec<FreedomRow> {
        let path = Path::new(ROOT).join("tests/bank/freedoms.toml");
        let rows: FreedomRows = toml::from_str(&fs::read_to_string(path).expect("the file")).expect("rows");
        rows.freedom
    }

    fn name(&self) -> String {
        let names = [self.rule.clone(), self.skip.as_ref().map(|kind| format!("skips {kind}"))];
        names.into_iter().flatten().chain(self.warns.then(|| "warnings".to_owned())).collect::<Vec<_>>().join(", ")
    }
}

/// The rule of what is broken inside of a record whose own length is right: who reports nothing of the record may pass it over.
const BROKEN_INSIDE: &str = "hprof.record.length";

/// A rule gives a freedom where a dump that breaks it may be read and may be refused.
#[test]
fn every_freedom_names_a_case_that_finds_its_wrong_use() {
    let rows = FreedomRow::all();
    let cases = heapsmith::corpus::cases().expect("there are cases");
    let is_free = |case: &&Case| {
        let refusals = case.answers.iter().filter(|answer| matches!(answer, RightAnswer::Refuses(_))).count();
        (1..case.answers.len()).contains(&refusals)
    };
    let of_rules = cases.iter().filter(is_free).filter_map(|case| case.breaks).map(|(rule, _)| rule.to_owned());
    let skips = DECLARATIONS.iter().filter(|declaration| declaration.key == "skips");
    let skipped = skips.flat_map(|skips| skips.choices).map(|kind| format!("skips {}", kind.name));
    let others = [BROKEN_INSIDE.to_owned(), "warnings".to_owned()];
    let due: BTreeSet<String> = of_rules.chain(skipped).chain(others).collect();
    let named: BTreeSet<String> = rows.iter().map(FreedomRow::name).collect();
    assert_eq!(due.difference(&named).collect::<Vec<_>>(), Vec::<&String>::new(), "freedoms without a case");
    assert_eq!(named.difference(&due).collect::<Vec<_>>(), Vec::<&String>::new(), "no freedoms");
    for row in &rows {
        let case = cases.iter().find(|case| case.id == row.case).unwrap_or_else(|| panic!("no case {}", row.case));
        let broken = case.breaks.iter().map(|(rule, _)| *rule);
        let mut rules = broken.chain(case.keeps.iter().copied()).chain(case.shows.iter().copied());
        let is_of_rule = row.rule.as_deref().is_none_or(|name| rules.any(|rule| rule == name));
        assert!(is_of_rule, "{} is not about {}", row.case, row.name());
    }
}

/// All wrong uses in a format are asked in one run, each about its case and those of the others, beside the adapter that is right.
#[test]
fn finds_wrong_use_of_every_freedom() {
    if !has_python() {
        return;
    }
    let rows = FreedomRow::all();
    for format in ["phd", "hprof", "classic"] {
        let rows: Vec<&FreedomRow> = rows.iter().filter(|row| row.case.starts_with(format)).collect();
        let folder = tempfile::tempdir().expect("a folder");
        let mut words = vec!["--no-explain".to_owned(), "--format".to_owned(), format.to_owned()];
        let right = python(&format!("examples/adapters/full/{format}.py"), "");
        words.extend(["--adapter".to_owned(), right]);
        for (number, row) in rows.iter().enumerate() {
            let place = folder.path().join(number.to_string());
            fs::create_dir(&place).expect("a folder");
            let mut changes: Vec<(&str, &str)> = row.changes.iter().map(|(old, new)| (&**old, &**new)).collect();
            let mut shared: Vec<(&str, &str)> = Vec::new();
            let label = format!("adapter {number} for");
            changes.push(("full adapter for", &label));
            if row.warns {
                shared.push((r#"return {"status": "accept"}"#, r#"return {"status": "accept", "warnings": ["odd"]}"#));
            }
            write_changed(&place, format, &row.wrong, &changes, &shared);
            let adapter =
                format!("{} -S -B {} undeclared", interpreter(), place.join(format!("{format}.py")).display());
            words.extend(["--adapter".to_owned(), adapter]);
        }
        for case in rows.iter().map(|row| &row.case).collect::<BTreeSet<_>>() {
            words.extend(["--filter".to_owned(), case.clone()]);
        }
        let (report, code) = check(&words.iter().map(String::as_str).collect::<Vec<_>>());
        assert_eq!(code, 1);
        let mut tested = report["implementations"].as_array().expect("implementations").iter();
        let right = &tested.next().expect("the adapter that is right")["tally"];
        let failed: u64 = ["fail", "wrong-verdict", "crash", "adapter-error", "skip"]
            .iter()
            .map(|name| right[name].as_u64().expect("a count"))
            .sum();
        assert_eq!(failed, 0, "{format}: {right}");
        for (row, tested) in rows.iter().zip(tested) {
            let results = tested["results"].as_array().expect("results");
            let result = results.iter().find(|result| result["id"] == *row.case).expect("the case was asked");
            let outcome = &result["outcome"];
            let is_accepted = outcome["verdict"] == "wrong-verdict" && outcome["expected"] != "accept";
            assert!(outcome["verdict"] == "fail" || is_accepted, "{}: {}: {outcome}", row.name(), row.wrong);
        }
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
        r#"        zeros = bytes(min(item["length"], 99) * int(TYPES[item["code"]][1]))
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
fn fails_decoder_that_invents_unrecorded_facts() {
    if !has_python() {
        return;
    }
    for (format, facet, old, new) in INVENTIONS {
        let (report, code) = changed(format, facet, &[(old, new)], "", ALL);
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
