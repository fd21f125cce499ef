//! What was asked for and not done, or not shown, is said with its count.

use serde_json::{Value, json};

use super::bench::Bench;

/// An HPROF header with identifiers of 4 bytes, and records of these tags and bodies.
fn hprof(records: &[(u8, &[u8])]) -> Vec<u8> {
    let mut dump = b"JAVA PROFILE 1.0.2\0\0\0\0\x04\0\0\0\0\0\0\0\0".to_vec();
    for (tag, body) in records {
        dump.extend([*tag, 0, 0, 0, 0]);
        dump.extend((body.len() as u32).to_be_bytes());
        dump.extend(*body);
    }
    dump
}

#[test]
fn validate_counts_notes_that_it_does_not_show() {
    let bench = Bench::new();
    // A tag that no writer has, 25 times; of each rule the first 20 findings are kept.
    bench.write("unknown.hprof", &hprof(&[(0x99, &[][..]); 25]));
    let brief = bench.ok("validate unknown.hprof");
    assert!(brief.contains("; 25 notes (--notes shows them)") && !brief.contains("more of these"), "{brief}");
    let whole = bench.ok("validate --notes unknown.hprof");
    assert!(whole.contains("hprof.record.unknown-tag: 5 more of these\n"), "{whole}");
    assert!(whole.ends_with("; 20 of 25 notes are shown\n"), "{whole}");
}

#[test]
fn validate_begins_with_the_fatal_finding() {
    let bench = Bench::new();
    // Two texts with one identifier, which is a warning; and a record that is cut in its header.
    let mut dump = hprof(&[(0x01, &b"\0\0\0\x05a"[..]), (0x01, &b"\0\0\0\x05b"[..])]);
    dump.extend([0x01, 0, 0]);
    bench.write("cut.hprof", &dump);
    let (_, told, _) = bench.run("validate cut.hprof");
    let findings: Vec<&str> = told.lines().filter(|line| !line.starts_with(' ')).collect();
    assert!(findings[0].starts_with("error[") && findings[0].contains("the rest of the file cannot be read"), "{told}");
    assert!(findings[1].starts_with("warning[hprof.text.duplicate-id]"), "{told}");
}

#[test]
fn inspect_says_what_it_skips_before_the_byte_map() {
    let bench = Bench::new();
    // Two texts, at 31 and 45, of 14 bytes each.
    let dump = hprof(&[(0x01, &b"\0\0\0\x05a"[..]), (0x01, &b"\0\0\0\x06b"[..])]);
    bench.write("texts.hprof", &dump);
    let whole = bench.ok("inspect --bytes texts.hprof");
    let (_, second) = whole.split_at(whole.find("0000002d  01 ").expect("the second text"));
    let skipped = "skipped: 45 bytes (0x2d) before record 1 (STRING IN UTF8, offset 0x2d)\n";
    for place in ["record:1", "45", "0x3a"] {
        assert_eq!(
            bench.ok(&format!("inspect --bytes --from {place} texts.hprof")),
            format!("{skipped}\n{second}"),
            "{place}"
        );
    }
    for place in ["0", "30"] {
        assert_eq!(bench.ok(&format!("inspect --bytes --from {place} texts.hprof")), whole, "the header is at {place}");
    }
    let (code, lines, error) = bench.run("inspect --bytes --json --from record:1 texts.hprof");
    assert_eq!((code, error.as_str()), (0, skipped), "beside JSON");
    let lines: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert!(lines.iter().all(|field| field["record"] == 1) && lines.len() == 5, "{lines:?}");
    for (place, part) in [
        ("59", "no record has the byte at offset 0x3b, which is after the end of the dump, which has 59 (0x3b) bytes"),
        ("record:2", "there is no record 2: the dump has records 0 to 1; the nearest is record 1"),
        ("object:0x5", "no class or object has the address 0x5"),
        ("line:5", "expected OFFSET, record:N or object:ADDRESS"),
    ] {
        let message = bench.refused(&format!("inspect --bytes --from {place} texts.hprof"));
        assert!(message.contains(part), "{message}");
    }
    // A dump that is cut is shown from there to where reading stops.
    bench.write("cut.hprof", &dump[..dump.len() - 1]);
    let (code, shown, error) = bench.run("inspect --bytes --from 31 cut.hprof");
    assert!(code == 1 && error.contains("hprof.file.truncated"), "{error}");
    assert!(shown.starts_with("skipped: 31 bytes") && shown.contains("error[hprof.file.truncated]"), "{shown}");
}

/// A report of an implementation, with the verdicts of its cases, which are valid dumps but for those whose ids begin with `bad`.
fn report(label: &str, results: &[(&str, Value)], failed: &[&str]) -> Value {
    let verdict = |id: &str| if id.starts_with("bad") { "invalid" } else { "valid" };
    let case = |id: &str| {
        json!({
            "id": id, "summary": "", "format": "phd6", "verdict": verdict(id), "recipe": "", "size": 1, "rules": [],
        })
    };
    let cause =
        json!({ "id": "rule", "sentence": "S", "symptoms": [], "example": "a", "unexpected": 1, "cases": failed });
    json!({
        "schema": 16, "heapsmith": "0", "chosen": { "random": 0, "seed": 0 },
        "cases": results.iter().map(|(id, _)| case(id)).collect::<Vec<_>>(),
        "implementations": [{
            "label": label, "kind": "adapter", "command": label, "omitted": [], "tally": {},
            "expectations": { "failed": 0, "passed": 0 },
            "causes": if failed.is_empty() { vec![] } else { vec![cause] },
            "results": results.iter().map(|(id, outcome)| json!({ "id": id, "outcome": outcome })).collect::<Vec<_>>(),
        }],
    })
}

#[test]
fn report_diff_compares_single_implementations_and_folders() {
    let bench = Bench::new();
    let pass = || json!({ "verdict": "pass" });
    let fail = json!({ "verdict": "crash", "how": "signal 11" });
    for (folder, report) in [
        ("old", report("python3 a.py", &[("a", pass()), ("b", pass())], &[])),
        ("new", report("python3 b.py", &[("a", fail), ("b", pass())], &["a"])),
        ("less", report("python3 b.py", &[("a", pass())], &[])),
    ] {
        bench.write(&format!("{folder}/report.json"), report.to_string().as_bytes());
    }
    let (code, told, _) = bench.run("report diff old new");
    assert_eq!(code, 1);
    assert!(told.starts_with("causes: 1 new, 0 gone, 0 changed\n"), "{told}");
    let (code, told, _) = bench.run("report diff old less/report.json --json");
    assert_eq!(code, 1);
    let told: Value = serde_json::from_str(&told).expect("JSON");
    assert_eq!(told["implementations"][0]["unjudged"], 1);
}

/// Half of the cases are refusals, which are right; of the dumps that can be read, none was judged.
#[test]
fn refuses_runs_that_skip_every_readable_dump() {
    let bench = Bench::new();
    let skip = || json!({ "verdict": "skip", "reason": "not today" });
    let pass = || json!({ "verdict": "pass" });
    let cases = [("a", skip()), ("b", skip()), ("bad-1", pass()), ("bad-2", pass())];
    bench.write("skips.json", report("lazy", &cases, &[]).to_string().as_bytes());
    let (code, told, message) = bench.run("merge skips.json");
    assert_eq!(code, 1, "{told}");
    assert!(
        message.contains("lazy: 2 of 2 cases that a listing answers were skipped, which is more than half"),
        "{message}"
    );
    bench.ok("merge skips.json --allow-skips");
}

#[test]
fn generate_takes_the_word_of_a_writer() {
    let bench = Bench::new();
    for profile in ["art", "agent"] {
        let recipe = bench.ok(&format!("generate --profile {profile} --objects 20 --print-recipe"));
        assert_eq!(recipe, format!("heapsmith-2:preset=plain,objects=20,word=32,seed=0,profile={profile}\n"));
        bench.ok(&format!("generate --profile {profile} --objects 20 -o {profile}.hprof"));
        bench.ok(&format!("validate {profile}.hprof"));
        let refused = bench.refused(&format!("generate --profile {profile} --word 64"));
        assert!(refused.contains("choose word=32"), "{refused}");
    }
}

#[test]
fn generate_makes_every_thread_or_none() {
    let bench = Bench::new();
    // Of a heap of this size, most objects stand in blocks, which have no threads.
    bench.ok("generate --objects 20000 --java-threads constant:400 -o threads.hprof");
    let listing = bench.ok("decode threads.hprof");
    assert_eq!(listing.lines().filter(|line| line.contains("\"root\":\"thread-object\"")).count(), 400);
    // The class objects of the nine primitive types, too.
    let head = listing.lines().next().unwrap_or_default();
    assert!(head.contains("\"objects\":20009,") && head.contains("\"threads\":400,"), "{head}");
    let refused = bench.refused("generate --objects 20000 --java-threads constant:100000");
    assert!(refused.contains("20000 objects have room for 6666 beside 2 class loaders"), "{refused}");
    // A distribution is refused where what it draws does not fit.
    let refused = bench.refused("generate --objects 10 --java-threads uniform:0..100");
    assert!(refused.contains("of the threads that this seed draws have no room in 10 objects"), "{refused}");
}

#[test]
fn generate_refuses_options_that_others_overrule() {
    let bench = Bench::new();
    for (arguments, why) in [
        ("--oddities every-root --roots uniform:0..20", "roots=uniform:0..20: each thread has 7 roots, since"),
        ("--preset every-record --roots constant:3", "roots=constant:3: each thread has 7 roots, since"),
        ("--oddities no-library-objects --java-threads constant:3", "java-threads=constant:3: the heap has 0 threads,"),
        ("--oddities no-library-objects --loaders 4", "loaders=4: the heap has 0 class loaders, since"),
        ("--oddities no-library-objects --mix 1:1:0:0", "mix=1:1:0:0: the heap has 0 strings, and instances in"),
        ("--order mixed --unused-texts 50", "unused-texts=50: 0 of them are written, since"),
        ("--oddities signers --unused-texts 50", "unused-texts=50: 0 of them are written, since"),
    ] {
        let refused = bench.refused(&format!("generate --objects 20 {arguments} -o refused.hprof"));
        assert!(refused.contains(why) && refused.contains("; leave out one of the two"), "{arguments}: {refused}");
        assert!(!bench.path("refused.hprof").exists(), "{arguments}");
    }
    bench.write("options.toml", b"unused-texts = 50\norder = \"mixed\"\n");
    let refused = bench.refused("generate --options options.toml -o refused.hprof");
    assert!(refused.contains("unused-texts=50: 0 of them"), "{refused}");
    // What a preset has is said.
    let (code, _, message) = bench.run("generate --preset hotspot --objects 200 --order mixed -o mixed.hprof");
    assert_eq!(code, 0, "{message}");
    assert!(message.starts_with("warning: unused-texts=20000: 0 of them are written, since"), "{message}");
    // These are followed.
    for followed in ["roots uniform:8..20", "roots constant:7"] {
        let (code, _, message) =
            bench.run(&format!("generate --objects 20 --oddities every-root --{followed} -o followed.hprof --force"));
        assert_eq!((code, message.as_str()), (0, ""), "{followed}");
    }
}

#[test]
fn convert_suggests_the_option_for_the_format() {
    let refused = Bench::new().refused("convert a.phd --format hprof");
    assert!(refused.contains("'--to'") && !refused.contains("--tolerate"), "{refused}");
}

/// A listing of no writer: that of a dump without the profile and the counts of its head.
fn listing_of_no_writer(bench: &Bench) -> Vec<String> {
    bench.ok("generate --objects 60 --seed 3 -o whole.hprof");
    let listing = bench.ok("decode whole.hprof");
    let mut lines: Vec<String> = listing.lines().map(str::to_owned).collect();
    let mut head: Value = serde_json::from_str(&lines[0]).expect("JSON");
    let keys = head.as_object_mut().expect("keys");
    keys.retain(|key, _| {
        matches!(key.as_str(), "listing" | "format" | "identifier_size" | "header_version" | "time_stamp")
    });
    lines[0] = head.to_string();
    lines
}

#[test]
fn encode_counts_what_the_dump_does_not_record() {
    let bench = Bench::new();
    let mut lines = listing_of_no_writer(&bench);
    bench.write("plain.jsonl", lines.join("\n").as_bytes());
    bench.ok("encode plain.jsonl --format hprof -o plain.hprof");
    for kind in ["monitor-used", "monitor-used", "unknown"] {
        lines.push(json!({ "kind": "root", "root": kind, "object": "0x100000" }).to_string());
    }
    bench.write("more.jsonl", lines.join("\n").as_bytes());
    let (code, _, message) = bench.run("encode more.jsonl --format hprof -o more.hprof");
    let expected =
        "warning: roots that hprof/hotspot-25 leaves out: monitor-used (2), unknown (1); --profile any writes them\n";
    assert_eq!((code, message.as_str()), (0, expected));
    let (_, report, message) = bench.run("encode more.jsonl --format hprof -o json.hprof --json");
    assert_eq!(message, expected);
    let kinds = json!([{ "kind": "monitor-used", "count": 2 }, { "kind": "unknown", "count": 1 }]);
    let due = json!({
        "schema": 3, "to": "hprof/hotspot-25", "written": true, "broken": [], "lost": [], "omitted_roots": kinds,
        "retyped_objects": 0,
    });
    assert_eq!(serde_json::from_str::<Value>(&report).expect("JSON"), due);
    bench.ok("encode more.jsonl --format hprof --profile any -o any.hprof");
    let roots = |dump: &str| bench.ok(&format!("decode {dump}")).matches("\"kind\":\"root\"").count();
    assert_eq!(roots("any.hprof"), roots("more.hprof") + 3);
    let (code, _, message) = bench.run("encode more.jsonl --format phd6 -o more.phd");
    assert_eq!(code, 0);
    assert!(message.starts_with("warning: not written, since phd6/openj9 does not record it: "), "{message}");
    assert!(message.contains(&format!(" roots ({})", roots("any.hprof"))), "{message}");
}

#[test]
fn encode_refuses_heaps_whose_dumps_are_not_valid() {
    let bench = Bench::new();
    let lines = listing_of_no_writer(&bench);
    let arrays: Vec<usize> =
        (0..lines.len()).filter(|at| lines[*at].contains("\"kind\":\"primitive-array\"")).take(2).collect();
    let mut twice = lines.clone();
    let [mut first, second]: [Value; 2] =
        [arrays[0], arrays[1]].map(|at| serde_json::from_str(&lines[at]).expect("JSON"));
    first["address"] = second["address"].clone();
    twice[arrays[0]] = first.to_string();
    let instance = lines.iter().position(|line| line.contains("\"values\":[[")).expect("an instance with fields");
    let mut fewer = lines.clone();
    let mut value: Value = serde_json::from_str(&lines[instance]).expect("JSON");
    value["values"].as_array_mut().expect("a list").pop();
    fewer[instance] = value.to_string();
    for (name, lines) in [("twice", twice), ("fewer", fewer)] {
        bench.write(&format!("{name}.jsonl"), lines.join("\n").as_bytes());
        let (code, out, message) = bench.run(&format!("encode {name}.jsonl --format hprof -o {name}.hprof"));
        assert_eq!((code, out.as_str()), (1, ""), "{message}");
        assert!(
            message.contains("the dump of this heap breaks hprof.") && message.contains("--allow-invalid"),
            "{message}"
        );
        assert!(!bench.path(&format!("{name}.hprof")).exists(), "{name}");
        let (code, report, _) = bench.run(&format!("encode {name}.jsonl --format hprof -o {name}.hprof --json"));
        let report: Value = serde_json::from_str(&report).expect("JSON");
        assert_eq!((code, &report["written"]), (1, &false.into()), "{report}");
        let broken = &report["broken"][0];
        assert!(broken["count"] == 1 && message.contains(broken["rule"].as_str().expect("a rule")), "{report}");
        assert!(!bench.path(&format!("{name}.hprof")).exists(), "{name}");
        let (code, _, message) =
            bench.run(&format!("encode {name}.jsonl --format hprof -o {name}.hprof --allow-invalid"));
        assert_eq!(code, 0, "{message}");
        assert!(message.starts_with("warning: the dump of this heap breaks hprof."), "{message}");
        assert_eq!(bench.run(&format!("validate {name}.hprof")).0, 1, "{name}");
    }
}

/// The types of values stand in their classes: an int where a class has a long would be read as a part of one. Whether the dump is
/// valid is a matter of its length alone.
#[test]
fn encode_refuses_values_of_another_type_than_their_field() {
    let bench = Bench::new();
    let fields = r#"[{"name":"count","type":"long"},{"name":"last","type":"int"}]"#;
    let listing = |values: &str| {
        let class = format!(
            r#"{{"kind":"class","address":"0x1000","name":"A","super":"0x0","loader":"0x0","signers":"0x0","protection_domain":"0x0","instance_size":12,"fields":{fields},"statics":[],"constant_pool":[],"serial":1,"trace":0}}"#
        );
        let object = format!(r#"{{"kind":"object","address":"0x2000","class":"0x1000","trace":0,"values":{values}}}"#);
        let head = r#"{"listing":1,"format":"hprof","identifier_size":4,"header_version":"1.0.2","time_stamp":0}"#;
        [head, &class, &object].join("\n")
    };
    let encode = |name: &str, values: &str, more: &str| {
        bench.write(&format!("{name}.jsonl"), listing(values).as_bytes());
        bench.run(&format!("encode {name}.jsonl --format hprof -o {name}.hprof{more}"))
    };
    let (code, _, message) = encode("right", r#"[["long","0x5"],["int","0x7"]]"#, "");
    assert_eq!((code, message.as_str()), (0, ""));
    // As long as a long and an int, but the other way round; and as long as an int.
    for (name, values, said) in [
        ("swapped", r#"[["int","0x5"],["long","0x7"]]"#, "expected long in count, found int"),
        ("float", r#"[["long","0x5"],["float","0x7"]]"#, "expected int in last, found float"),
    ] {
        let (code, out, message) = encode(name, values, "");
        assert_eq!((code, out.as_str()), (1, ""), "{message}");
        let all = "objects with values of another type than their class declares (1); the first is 0x2000: ";
        assert!(message.contains(&format!("{all}{said}; ")) && message.contains("--allow-invalid"), "{message}");
        assert!(!bench.path(&format!("{name}.hprof")).exists(), "{name}");
        let (code, report, message) = encode(name, values, " --allow-invalid --json");
        assert_eq!((code, message), (0, format!("warning: {all}{said}\n")));
        assert_eq!(serde_json::from_str::<Value>(&report).expect("JSON")["retyped_objects"], 1);
        assert!(bench.path(&format!("{name}.hprof")).exists(), "{name}");
    }
    // What is shorter as well breaks a rule.
    let (code, _, message) = encode("short", r#"[["int","0x5"],["int","0x7"]]"#, "");
    assert!(code == 1 && message.contains("breaks hprof.instance.length (1)"), "{message}");
}

#[test]
fn convert_says_that_a_dump_has_no_roots() {
    let bench = Bench::new();
    bench.ok("generate --format phd6 --objects 20 -o rootless.phd");
    let (code, report, message) = bench.run("convert rootless.phd --to hprof -o rootless.hprof --json");
    assert_eq!(code, 0, "{message}");
    assert!(message.starts_with("warning: no roots are written"), "{message}");
    assert_eq!(serde_json::from_str::<Value>(&report).expect("JSON")["roots"], 0);
    // PHD has no place for roots, and none are missed.
    bench.ok("convert rootless.phd --to phd5 -o other.phd");
}
