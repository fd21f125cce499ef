//! Readings: a decoder that follows one throughout is right, and one that does not is wrong where it does not. And what else
//! version 2 of the protocol lets an adapter declare. The decoders are the full adapters (examples/adapters/full/).

use std::fs;
use std::path::Path;
use std::process::Command;

use heapsmith::check::{DECLARATIONS, ambiguities};
use serde_json::Value;

use crate::bench::{HEAPSMITH, check, has_python, interpreter, tally};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// All pairs of readings of each format, by turns declared and found out. tests/readings/all.py without `--once` and with
/// more random dumps takes a quarter of an hour; tests/readings/README.md has what came of it.
#[test]
#[ignore = "long: tests/long.sh runs it"]
fn passes_decoder_with_any_consistent_readings() {
    if !has_python() {
        return;
    }
    let script = Path::new(ROOT).join("tests/readings/all.py");
    let mut command = Command::new("python3");
    command.arg(script).args(["--heapsmith", HEAPSMITH, "--random", "30", "--drawn", "4", "--once"]);
    let output = command.output().expect("it can be run");
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{told}{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(told.lines().count(), 3, "{told}");
}

/// A change of a full adapter: its file, what is replaced, and by what.
type Change<'c> = (&'c str, &'c str, &'c str);

/// The answers of a full adapter after changes, with words on its command line, and the exit code.
fn changed(format: &str, changes: &[Change<'_>], words: &str, arguments: &[&str]) -> (Value, i32) {
    let folder = tempfile::tempdir().expect("a folder");
    for file in ["protocol.py", "hprof.py", "phd.py", "classic.py"] {
        let source = Path::new(ROOT).join("examples/adapters/full").join(file);
        let mut source = fs::read_to_string(source).expect("an adapter");
        for (_, old, new) in changes.iter().filter(|(of, ..)| *of == file) {
            assert_eq!(source.matches(old).count(), 1, "{file}: {old}");
            source = source.replace(old, new);
        }
        fs::write(folder.path().join(file), source).expect("it can be written");
    }
    let adapter = format!("{} -S -B {} {words}", interpreter(), folder.path().join(format!("{format}.py")).display());
    check(&[&["--adapter", &adapter, "--format", format], arguments].concat())
}

/// The failures of a report: the id of the case and what is wrong.
fn failures(report: &Value) -> Vec<(String, String)> {
    let results = report["implementations"][0]["results"].as_array().expect("results");
    let failed = results
        .iter()
        .filter(|result| !["pass", "skip"].contains(&result["outcome"]["verdict"].as_str().expect("text")));
    let told = |result: &Value| {
        let outcome = &result["outcome"];
        let what = outcome["fact"].as_str().or(outcome["expected"].as_str()).unwrap_or_default();
        (result["id"].as_str().expect("text").to_owned(), what.to_owned())
    };
    failed.map(told).collect()
}

/// In the dump of one case alone, the decoder falls back to the default.
#[test]
fn fails_case_where_decoder_leaves_its_reading() {
    if !has_python() {
        return;
    }
    for (format, reading, case, old, new) in [
        (
            "phd",
            "phd.element-order=index",
            "phd6-openj9-64",
            r#"if readings["phd.element-order"] == "index" and"#,
            r#"if readings["phd.element-order"] == "index" and len(dump.fields.data) != SIZE and"#,
        ),
        (
            "hprof",
            "hprof.regions=as-stated",
            "hprof-spelled-same-region",
            "        self.data, self.readings = data, readings",
            r#"        self.data, self.readings = data, dict(readings)
        if len(data) == SIZE:
            self.readings["hprof.regions"] = "merged""#,
        ),
        (
            "classic",
            "classic.element-order=index",
            "classic-openj9-64",
            r#"= order == "index" or"#,
            r#"= order == "index" and len(dump.text) != SIZE or"#,
        ),
    ] {
        let cases = heapsmith::corpus::cases().expect("there are cases");
        let size = cases.iter().find(|known| known.id == case).expect("the case is there").bytes.len();
        let file = format!("{format}.py");
        let change = [(&*file, old, &*new.replace("SIZE", &size.to_string()))];
        let (name, _) = reading.split_once('=').expect("a choice");
        for words in [reading.to_owned(), format!("{reading} undeclared")] {
            let (report, code) = changed(format, &change, &words, &["--random", "40", "--seed", "2"]);
            let failed = failures(&report);
            // Other dumps may have the same length; they fall back, too.
            assert!(failed.iter().any(|(id, _)| id == case), "{words}: {failed:?}");
            assert!(failed.iter().all(|(_, what)| *what == format!("reading {name}")), "{words}: {failed:?}");
            assert_eq!(code, 1);
        }
    }
}

/// Files with several heaps, of which an adapter cannot be asked for one.
const SEVERAL: &[&str] = &["--filter", "hprof-*-of-2*", "--filter", "hprof-*-of-3", "--no-explain"];

#[test]
fn asks_adapter_that_cannot_choose_a_heap_about_all_of_them() {
    if !has_python() {
        return;
    }
    for choice in ["first", "last", "joined", "refused"] {
        for more in ["", " undeclared"] {
            let words = format!("whole hprof.several-heaps={choice}{more}");
            let (report, code) = changed("hprof", &[], &words, SEVERAL);
            assert_eq!((code, failures(&report)), (0, vec![]), "{words}");
            assert_eq!(tally(&report).into_keys().collect::<Vec<_>>(), ["pass"], "{words}");
            let readings = report["implementations"][0]["readings"].as_array().expect("readings");
            let held = readings.iter().filter(|held| held["reading"] == "hprof.several-heaps").collect::<Vec<_>>();
            assert!(held.len() == 1 && held[0]["choice"] == choice, "{words}: {held:?}");
        }
    }
}

/// Another heap in one file than in the others, names of the heap before, and a heap of which a class is missing.
#[test]
fn fails_adapter_that_mixes_heaps_of_a_file() {
    if !has_python() {
        return;
    }
    let choose = r#"index = len(dump.heaps) - 1 if choice == "last" else 0"#;
    for (old, new, reading, facet) in [
        (
            choose,
            r#"index = len(dump.heaps) - 1 if len(dump.heaps[0].items) > 20 else 0"#,
            "first",
            "reading hprof.several-heaps",
        ),
        (choose, "index = 0\n        dump.heaps[0].items += dump.heaps[-1].items[-1:]", "first", "address"),
        (
            "dump = Dump(dump.data, dump.readings, is_one_heap=True)",
            "dump = Dump(dump.data, dump.readings, is_one_heap=True)\n            del dump.heaps[0].items[-1]",
            "joined",
            "address",
        ),
    ] {
        let words = format!("whole hprof.several-heaps={reading} undeclared");
        let (report, code) = changed("hprof", &[("hprof.py", old, new)], &words, SEVERAL);
        let failed = failures(&report);
        assert!(code == 1 && failed.iter().any(|(_, what)| what == facet), "{new}: {failed:?}");
    }
}

#[test]
fn the_page_of_the_protocol_has_every_reading() {
    let page = fs::read_to_string(Path::new(ROOT).join("specs/adapter.md")).expect("the page");
    let rows: Vec<&str> = page
        .lines()
        .filter(|line| {
            line.starts_with("| `phd.")
                || line.starts_with("| `hprof.")
                || line.starts_with("| `classic.")
                || line.starts_with("| `answers.")
        })
        .collect();
    let of_formats = ambiguities().into_iter().filter(|ambiguity| ambiguity.name.contains('.'));
    let due: Vec<String> = of_formats
        .map(|ambiguity| {
            let choices: Vec<String> =
                ambiguity.choices.iter().map(|choice| format!("`{}`: {}", choice.name, choice.about)).collect();
            format!("| `{}` | {} ({}) | {} |", ambiguity.name, ambiguity.about, ambiguity.rule, choices.join("; "))
        })
        .collect();
    pretty_assertions::assert_eq!(rows, due);
}

#[test]
fn lists_every_declaration_on_the_page_of_the_protocol() {
    let page = fs::read_to_string(Path::new(ROOT).join("specs/adapter.md")).expect("the page");
    let section =
        page.split("## Declarations").nth(1).and_then(|rest| rest.split("\n## ").next()).expect("the section");
    let rows: Vec<&str> = section.lines().filter(|line| line.starts_with("| `")).collect();
    let due: Vec<String> = DECLARATIONS
        .iter()
        .map(|declaration| {
            let choice = |name: &str, about: &str| match name == about {
                true => format!("`{name}`"),
                false => format!("`{name}`: {about}"),
            };
            let choices: Vec<String> =
                declaration.choices.iter().map(|known| choice(known.name, known.about)).collect();
            let list = if declaration.is_list { " (a list)" } else { "" };
            format!("| `{}` | {}{list} | {} |", declaration.key, declaration.about, choices.join("; "))
        })
        .collect();
    pretty_assertions::assert_eq!(rows, due);
    let of_pairs = DECLARATIONS.iter().filter(|declaration| declaration.of_dumps).map(|declaration| declaration.key);
    assert_eq!(of_pairs.collect::<Vec<_>>(), ["booleans", "names", "nans"], "as the section says");
}

/// Replaces bytes that are not valid text, as a decoder of names does.
const TEXT: Change<'_> = (
    "protocol.py",
    r#"    except ValueError:
        return {"bytes": data.hex()}"#,
    r#"    except ValueError:
        return data.decode("utf-8", "replace")"#,
);
const BOOLEANS: Change<'_> = (
    "hprof.py",
    r#"        return name, self.field(width)"#,
    r#"        value = self.field(width)
        return name, min(value, 1) if name == "boolean" else value"#,
);
const BOOLEAN_ARRAYS: Change<'_> = (
    "hprof.py",
    r#"            facts["contents"] = item["contents"].hex()"#,
    r#"            zero_or_one = bytes(map(bool, item["contents"]))
            facts["contents"] = (zero_or_one if item["code"] == 4 else item["contents"]).hex()"#,
);
/// A class that no record of the dump is about.
const MADE_UP: Change<'_> = (
    "hprof.py",
    "    return [head, *lines,",
    r#"    lines.append({"kind": "class", "address": "0xfffffffffffffffb", "record": 1 << 40, "name": "[I"})
    return [head, *lines,"#,
);
const VERSION_1: Change<'_> =
    ("protocol.py", r#"return {"protocol": 2, **hello}"#, r#"return {"protocol": 1, **hello}"#);

#[test]
fn passes_declared_conventions_and_fails_undeclared_ones() {
    if !has_python() {
        return;
    }
    for (what, changes, declares, wrong) in [
        ("booleans", &[BOOLEANS, BOOLEAN_ARRAYS][..], r#""booleans": "0/1", "#, "field-values"),
        ("names", &[TEXT], r#""names": "text", "#, "class-name"),
        ("makes_up", &[MADE_UP], r#""makes_up": ["classes"], "#, "address"),
    ] {
        let declared = r#""heaps": True,"#;
        let declaring = ("hprof.py", declared, &*format!("{declares}{declared}"));
        let odd = ["hprof-spelled*", "hprof-set-a-boolean*", "hprof-add-a-string*", "random-*"];
        let filters = odd.iter().flat_map(|filter| ["--filter", filter]);
        let arguments: Vec<&str> = ["--random", "20", "--seed", "5"].into_iter().chain(filters).collect();
        let (report, code) = changed("hprof", &[changes, &[declaring]].concat(), "", &arguments);
        assert_eq!((failures(&report), code), (vec![], 0), "{what}, declared");
        // In version 1 it cannot be declared, and is found out. The texts of strings are not reported there.
        let without_texts = [
            ("hprof.py", r#""events", "string-text"]}"#, r#""events"]}"#),
            ("hprof.py", "    add_texts(dump, heap, classes, lines)\n", ""),
        ];
        let version_1 = [changes, &[VERSION_1], &without_texts].concat();
        let (report, code) = changed("hprof", &version_1, "", &arguments);
        assert_eq!((failures(&report), code), (vec![], 0), "{what}, version 1");
        let (report, code) = changed("hprof", changes, "", &arguments);
        let failed = failures(&report);
        let about = |what: &str| what == wrong || what.starts_with("reading ") || what == "primitive-contents";
        assert!(!failed.is_empty() && failed.iter().all(|(_, what)| about(what)), "{what}: {failed:?}");
        assert_eq!(code, 1);
    }
}

/// Accepts what it should refuse, with a listing of nothing.
const WARNS: Change<'_> = (
    "protocol.py",
    r#"        where = {} if refusal.offset is None else {"offset": refusal.offset}
        return {"status": "reject", "message": str(refusal), **where}"#,
    r#"        pathlib.Path(request["out"]).write_text('{"listing":1}\n')
        return {"status": "accept", "warnings": [str(refusal)]}"#,
);
const ALWAYS_WARNS: Change<'_> = (
    "protocol.py",
    r#"    return {"status": "accept"}"#,
    r#"    return {"status": "accept", "warnings": ["it is a dump"]}"#,
);

#[test]
fn allows_warnings_for_damaged_dumps_only() {
    if !has_python() {
        return;
    }
    let (report, _) = changed("phd", &[WARNS], "", &["--random", "20", "--seed", "5"]);
    // How many header records are too many is a rule of this project: that dump may be read, and then it is judged.
    assert_eq!(failures(&report), [("phd-flood-the-header".to_owned(), "word-size".to_owned())]);
    let (report, _) = changed("phd", &[ALWAYS_WARNS], "", &["--random", "20", "--seed", "5"]);
    let failed = failures(&report);
    assert!(failed.iter().all(|(_, what)| what == "accept without warnings"), "{failed:?}");
    let has = |id: &str| failed.iter().any(|(failed, _)| failed == id);
    assert!(has("phd6-openj9-64") && has("phd5-spelled-empty") && !has("phd-append-bytes"), "{failed:?}");
    // What may be read has to be read rightly, with a warning or without.
    let cut = ("protocol.py", "        lines = parse(data,", "        lines = [{\"listing\": 1}] + 0 * parse(data,");
    let (report, _) = changed("phd", &[ALWAYS_WARNS, cut], "", &["--filter", "phd-refer-to-null"]);
    assert_eq!(tally(&report)["fail"], 1);
    // Without the warning nothing excuses it.
    let silent = (WARNS.0, WARNS.1, &*WARNS.2.replace(r#", "warnings": [str(refusal)]"#, ""));
    let (report, _) = changed("phd", &[silent], "", &["--filter", "phd-cut-in-a-record"]);
    assert_eq!(tally(&report)["wrong-verdict"], 1);
    // In version 1 there are no warnings.
    let (report, _) = changed("phd", &[WARNS, VERSION_1], "", &["--filter", "phd-cut-in-a-record"]);
    assert_eq!(tally(&report)["wrong-verdict"], 1);
}

#[test]
fn ignores_and_reports_unknown_names() {
    if !has_python() {
        return;
    }
    let colour = ("phd.py", r#""facets": ["#, r#""makes_up": ["objects"], "facets": ["colour","#);
    let reading =
        ("phd.py", r#""phd.element-order": "file","#, r#""phd.element-order": "backwards", "phd.taste": "sweet","#);
    let (report, code) = changed("phd", &[colour, reading], "", &["--filter", "phd6-*"]);
    assert_eq!((failures(&report), code), (vec![], 0));
    let ignored = &report["implementations"][0]["declared"]["ignored"];
    let due = [
        r#""colour" in `facets`"#,
        r#""objects" in `makes_up`"#,
        r#""phd.element-order": "backwards" in `readings`"#,
        r#""phd.taste": "sweet" in `readings`"#,
    ];
    assert_eq!(*ignored, Value::from(due.to_vec()));
}

/// A case that may be refused or read, whose dump this project's own decoder does not read to its end.
#[test]
fn judges_dump_unreadable_by_reference_without_evidence() {
    if !has_python() {
        return;
    }
    let limit = ("phd.py", "HEADER_LIMIT = 4096", "HEADER_LIMIT = 1 << 30");
    let order = ("phd.py", r#"told["length"] = record["length"]"#, r#"told["length"] = record["length"] + 1"#);
    let (report, code) = changed("phd", &[limit, order], "", &["--filter", "phd-flood-the-header"]);
    assert_eq!((failures(&report).len(), code), (1, 1), "{report}");
}

/// A writer that knows no hashes.
const WITHOUT_HASHES: &str = r#"
import json, os, subprocess, sys, tempfile
HELLO = {"protocol": 2, "name": "a writer without hashes", "writes": [WRITES]}
for line in sys.stdin:
    request = json.loads(line)
    told = HELLO
    if request["op"] == "encode":
        with open(request["path"]) as listing, tempfile.NamedTemporaryFile("w", suffix=".jsonl") as copy:
            for text in listing:
                line = json.loads(text)
                if "hash32" in line:
                    HASH
                copy.write(json.dumps(line) + "\n")
            copy.flush()
            command = ["heapsmith", "encode", copy.name, "--format", "phd6", "--profile", "openj9"]
            done = subprocess.run([*command, "-o", request["out"]], stderr=subprocess.PIPE, text=True)
        told = {"status": "accept"} if done.returncode == 0 else {"status": "reject", "message": done.stderr}
    print(json.dumps({"id": request["id"], **told}), flush=True)
"#;

#[test]
fn allows_declared_losses_of_writer() {
    if !has_python() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let script = folder.path().join("writer.py");
    let tallied = |writes: &str, hash: &str| {
        let source = WITHOUT_HASHES.replace("WRITES", writes).replace("HASH", hash);
        fs::write(&script, source).expect("it can be written");
        let adapter = format!("{} -S -B {}", interpreter(), script.display());
        let (report, _) = check(&["--adapter", &adapter, "--filter", "phd6-openj9-*", "--filter", "phd6-spelled*"]);
        tally(&report)
    };
    const LOSES: &str = r#"{"to": "phd6/openj9", "loses": ["hash-32"]}"#;
    const DROPPED: &str = r#"del line["hash32"]"#;
    let declared = tallied(LOSES, DROPPED);
    assert!(declared["pass"] >= 4 && !declared.contains_key("fail"), "{declared:?}");
    let silent = tallied(r#""phd6/openj9""#, DROPPED);
    assert!(silent["fail"] >= 2, "{silent:?}");
    // Another hash is wrong.
    let changed = tallied(LOSES, r#"line["hash32"] = hex(int(line["hash32"], 16) ^ 0x15)"#);
    assert_eq!(changed["fail"], silent["fail"], "{changed:?}");
}

/// A converter from HPROF to itself that shrinks: contents of arrays are zeros, and roots of one kind are gone.
const SHRINKER: &str = r#"
import json, subprocess, sys, tempfile
HELLO = DECLARED
for line in sys.stdin:
    request = json.loads(line)
    told = HELLO
    if request["op"] == "convert":
        decoded = subprocess.run(["heapsmith", "decode", request["path"]], stdout=subprocess.PIPE, text=True)
        lines = [json.loads(text) for text in decoded.stdout.splitlines()]
        for line in lines:
            if "contents" in line:
                line["contents"] = CONTENTS
            for value in line.get("values", []):
                if value[0] == "boolean":
                    value[1] = hex(int(int(value[1], 16) > 0))
            for field in line.get("statics", []):
                if field["type"] == "boolean":
                    field["value"] = hex(int(int(field["value"], 16) > 0))
        lines = [line for line in lines if line.get("root") != "jni-global"]
        lines[0]["roots"] = sum(line.get("kind") == "root" for line in lines)
        with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as copy:
            copy.writelines(json.dumps(line) + "\n" for line in lines)
            copy.flush()
            command = ["heapsmith", "encode", copy.name, "--format", "hprof", "--profile", "hotspot-25", "-o", request["out"]]
            done = subprocess.run(command, stderr=subprocess.PIPE, text=True)
        told = {"status": "accept"} if done.returncode == 0 else {"status": "error", "message": done.stderr}
    print(json.dumps({"id": request["id"], **told}), flush=True)
"#;

#[test]
fn judges_a_converter_by_what_its_own_pair_declares() {
    if !has_python() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let adapter = |name: &str, pair: &str, contents: &str, more: &str| {
        let script = folder.path().join(name);
        let hello = format!(r#"{{"protocol": 2, "name": "a shrinker", {more}"converts": [{{{pair}}}]}}"#);
        let source = SHRINKER.replace("DECLARED", &hello).replace("CONTENTS", contents);
        fs::write(&script, source).expect("it can be written");
        format!("{} -S -B {}", interpreter(), script.display())
    };
    let zeros = r#""00" * (len(line["contents"]) // 2)"#;
    let pair = r#""from": "hprof", "to": "hprof/hotspot-25", "loses": ["primitive-contents", "roots"]"#;
    let whole = format!(r#"{pair}, "booleans": "0/1""#);
    let adapters = [
        adapter("declared.py", &whole, zeros, ""),
        adapter("silent.py", r#""from": "hprof", "to": "hprof/hotspot-25", "booleans": "0/1""#, zeros, ""),
        // What its parser does is not borrowed.
        adapter("borrowed.py", pair, zeros, r#""booleans": "0/1", "#),
        adapter("wrong.py", &whole, r#""01" * (len(line["contents"]) // 2)"#, ""),
    ];
    let cases = ["hprof-spelled-odd-boolean-fields", "hprof-hotspot-25-8-odd-values"];
    let filters = cases.iter().map(|case| format!("{case}:*")).collect::<Vec<_>>();
    let arguments = adapters.iter().flat_map(|adapter| ["--adapter", adapter]);
    let arguments: Vec<&str> = arguments.chain(filters.iter().flat_map(|filter| ["--filter", filter])).collect();
    let (report, _) = check(&arguments);
    let facts: Vec<Vec<&str>> = report["implementations"]
        .as_array()
        .expect("implementations")
        .iter()
        .map(|tested| {
            let results = tested["results"].as_array().expect("results").iter();
            results
                .filter_map(|result| result["outcome"].get("fact"))
                .map(|fact| fact.as_str().expect("text"))
                .collect()
        })
        .collect();
    assert!(facts[0].is_empty(), "{report:#}");
    assert!(facts[1].contains(&"primitive-contents"), "{facts:?}");
    assert!(facts[2].iter().any(|fact| *fact == "field-values" || fact.starts_with("reading booleans")), "{facts:?}");
    assert!(facts[3].contains(&"primitive-contents"), "{facts:?}");
}
