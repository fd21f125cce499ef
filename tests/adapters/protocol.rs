//! The reference decoder through the protocol, and what a run says.

use std::fs;
use std::io::Write;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::bench::{HEAPSMITH, check, has_python, heapsmith, outcomes, python, tally};
use crate::schema::Schema;

const REFERENCE: &str = "heapsmith adapter serve";

#[test]
fn transcript_matches_reference_decoder() {
    is_played("adapter-transcript", "adapter-answer");
}

#[test]
fn version_1_transcript_matches_reference_decoder() {
    is_played("adapter-transcript-1", "adapter-answer-1");
}

/// Plays a transcript line by line: requests go in, answers have to come out.
fn is_played(transcript: &str, answers_of: &str) {
    let root = env!("CARGO_MANIFEST_DIR");
    let text = fs::read_to_string(format!("{root}/specs/{transcript}.txt")).expect("it is there");
    let out = tempfile::tempdir().expect("there is room for a folder");
    let lines: Vec<String> =
        text.lines().map(|line| line.replace("OUT", &out.path().to_string_lossy())).filter(|l| !l.is_empty()).collect();
    let of = |sign: &'static str| lines.iter().filter_map(move |line| line.strip_prefix(sign));
    let mut child = Command::new(HEAPSMITH)
        .args(["adapter", "serve"])
        .current_dir(root)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("heapsmith can be run");
    let mut input = child.stdin.take().expect("a pipe");
    of("> ").for_each(|line| writeln!(input, "{line}").expect("it reads"));
    drop(input);
    let output = child.wait_with_output().expect("it ends");
    let answers: Vec<Value> = output
        .stdout
        .split(|b| *b == b'\n')
        .filter(|l| !l.is_empty())
        .map(|l| serde_json::from_slice(l).expect("JSON"))
        .collect();
    let due: Vec<Value> = of("< ").map(|line| serde_json::from_str(line).expect("JSON")).collect();
    pretty_assertions::assert_eq!(due, answers);
    assert!(due.len() > 6);
    // The files are what the answers say.
    let listing = fs::read_to_string(out.path().join("a.jsonl")).expect("a listing was written");
    assert!(listing.starts_with("{\"listing\":1"), "{listing}");
    // Every line is of the published schemas.
    for (sign, schema) in [("> ", "adapter-request"), ("< ", answers_of)] {
        let schema = fs::read_to_string(format!("{root}/specs/schemas/{schema}.schema.json")).expect("it is there");
        let schema = Schema::new(serde_json::from_str(&schema).expect("JSON"));
        for line in of(sign).filter(|line| !line.contains("no such operation")) {
            let value = serde_json::from_str(line).expect("JSON");
            assert_eq!(schema.error(&value), None, "{line}");
        }
    }
}

#[test]
fn refuses_request_whose_line_is_too_long() {
    let serve = |requests: &[&[u8]]| {
        let mut child = Command::new(HEAPSMITH)
            .args(["adapter", "serve"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("heapsmith can be run");
        let mut input = child.stdin.take().expect("a pipe");
        // It may have ended before it has read everything.
        requests.iter().for_each(|request| _ = input.write_all(request));
        drop(input);
        let output = child.wait_with_output().expect("it ends");
        let answers = String::from_utf8_lossy(&output.stdout).lines().count();
        (output.status.code(), answers, String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let hello = br#"{"id":1,"op":"hello","protocols":[2],"heapsmith":"0"}"#;
    // 16 MiB, and a line after it.
    let longest = [&hello[..], &vec![b' '; (16 << 20) - hello.len()], b"\n"].concat();
    assert_eq!(serve(&[&longest, hello]), (Some(0), 2, String::new()));
    let (code, answers, message) = serve(&[hello, b"\n ", &longest, hello]);
    assert_eq!((code, answers), (Some(2), 1), "{message}");
    assert!(message.contains("reading requests: expected a line of at most 16 MiB, found more"), "{message}");
}

/// Without the name of a writer, a dump is judged by what any writer of its format carries.
#[test]
#[ignore = "long: tests/long.sh runs it"]
fn the_reference_converts_between_all_formats_over_the_whole_corpus() {
    for (from, to) in [
        ("phd", "hprof"),
        ("phd", "classic"),
        ("hprof", "phd4"),
        ("hprof", "phd5"),
        ("hprof", "phd6"),
        ("hprof", "classic"),
        ("classic", "phd4"),
        ("classic", "phd5"),
        ("classic", "phd6"),
        ("classic", "hprof"),
    ] {
        let converter = format!("heapsmith convert {{in}} -o {{out}} --to {to}");
        let (report, code) = check(&["--converter", &converter, "--to", to, "--format", from]);
        let verdicts = tally(&report);
        assert_eq!(verdicts.keys().collect::<Vec<_>>(), ["pass", "skip"], "{from} to {to}: {verdicts:?}");
        assert_eq!(code, 0);
        assert!(verdicts["pass"] > 80, "{from} to {to}: {verdicts:?}");
    }
}

/// A dump that is to be refused breaks a rule that is known, whatever was to be made of it.
#[test]
fn a_damaged_dump_that_a_converter_accepts_names_its_rule() {
    let damaged = "hprof-shorten-a-dump-record";
    let (report, _) = check(&["--converter", "cp {in} {out}", "--to", "hprof", "--filter", damaged]);
    let told = &report["implementations"][0];
    assert_eq!(outcomes(&report)[0]["verdict"], "wrong-verdict", "{report}");
    assert_eq!(told["results"][0]["suspects"][0]["rule"], "hprof.sub-record.overrun");
    assert_eq!(told["causes"][0]["rule"], "hprof.sub-record.overrun");
}

#[test]
fn the_reference_decoder_passes_every_case_at_every_level() {
    for level in ["verdict", "counts", "digest", "listing"] {
        let (report, code) = check(&["--adapter", REFERENCE, "--level", level, "--random", "40", "--seed", "3"]);
        let wrong: Vec<&Value> = outcomes(&report).into_iter().filter(|o| o["verdict"] != "pass").collect();
        assert_eq!((wrong, code), (Vec::new(), 0), "{level}");
        assert!(tally(&report)["pass"] > 450, "{level}");
    }
}

#[test]
fn reference_converts_and_writes_every_declared_pair() {
    for (operation, filter) in
        [("convert", "phd6-openj9"), ("convert", "hprof-hotspot"), ("encode", "hotspot"), ("encode", "openj9")]
    {
        let (report, code) = check(&["--adapter", REFERENCE, "--operation", operation, "--filter", filter]);
        let wrong: Vec<&Value> =
            outcomes(&report).into_iter().filter(|o| o["verdict"] != "pass" && o["verdict"] != "skip").collect();
        assert_eq!((wrong, code), (Vec::new(), 0), "{operation} {filter}");
        assert!(tally(&report)["pass"] >= 8, "{operation} {filter}: {:?}", tally(&report));
    }
}

/// Without what two runs need not have in common.
fn lasting(mut report: Value) -> String {
    report.as_object_mut().expect("an object").remove("run");
    serde_json::to_string_pretty(&report).expect("JSON")
}

#[test]
fn merged_shards_equal_whole_run_with_any_number_of_jobs() {
    let folder = tempfile::tempdir().expect("there is room for a folder");
    let path = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    // A decoder that is wrong about much, so that there is something to tell.
    let broken = format!("sh -c '{HEAPSMITH} decode \"$0\" | sed s/0x10/0x11/' {{}}");
    let question = ["--decoder", &broken, "--format", "phd", "--random", "20", "--seed", "9"];
    let run = |more: &[&str]| check(&[&question, more].concat());
    let (whole, code) = run(&["--jobs", "1"]);
    assert_eq!(code, 1);
    assert!(tally(&whole)["fail"] > 50);
    let (again, _) = run(&["--jobs", "4"]);
    assert_eq!(lasting(whole.clone()), lasting(again));
    let mut shards = Vec::new();
    for shard in ["1/3", "3/3", "2/3"] {
        let (report, _) = run(&["--shard", shard]);
        let file = path(&format!("{}.json", shard.replace('/', "-")));
        fs::write(&file, report.to_string()).expect("writable");
        shards.push(file);
    }
    let arguments: Vec<&str> = ["merge", "--json"].into_iter().chain(shards.iter().map(String::as_str)).collect();
    let merged = heapsmith(&arguments);
    assert_eq!(merged.status.code(), Some(1));
    let merged = serde_json::from_slice(&merged.stdout).expect("a report");
    assert_eq!(lasting(whole), lasting(merged));
    // A part alone says that it is one; the same part twice is an error.
    let two = heapsmith(&["merge", "--json", &shards[0], &shards[1]]);
    let two: Value = serde_json::from_slice(&two.stdout).expect("a report");
    assert_eq!(two["chosen"]["shard"], "1/3 3/3");
    let twice = heapsmith(&["merge", &shards[0], &shards[0]]);
    assert_eq!(twice.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&twice.stderr).contains("twice"));
}

#[test]
fn a_failure_names_the_fact_the_bytes_and_the_rule() {
    let broken = format!("sh -c '{HEAPSMITH} decode \"$0\" | sed s/0xf0000000/0xfffffffff0000000/' {{}}");
    let (report, _) = check(&["--decoder", &broken, "--filter", "phd5-spelled-wrap", "--explain", "2000"]);
    let result = &report["implementations"][0]["results"][0];
    assert_eq!(result["outcome"]["fact"], "address");
    assert_eq!(result["outcome"]["address"], "0xf0000000");
    let evidence = &result["evidence"];
    assert_eq!(evidence["rule"], "phd.words.modulo-2-32");
    let wrong: Vec<&Value> =
        evidence["fields"].as_array().expect("fields").iter().filter(|field| field["wrong"] == true).collect();
    assert_eq!(wrong.len(), 1, "{wrong:?}");
    assert_eq!((&wrong[0]["name"], &wrong[0]["offset"]), (&Value::from("gap"), &evidence["offset"]));
    assert!(wrong[0]["meaning"].as_str().is_some_and(|text| text.contains("0xf0000000")), "{wrong:?}");
    // The bytes stand there in the dump.
    let dump = fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/corpus/phd/spelled/phd5-spelled-wrap.phd"))
        .expect("it is there");
    let offset = evidence["offset"].as_u64().expect("an offset") as usize;
    let bytes: String = dump[offset..].iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    assert!(bytes.starts_with(wrong[0]["bytes"].as_str().expect("bytes")), "{bytes} {wrong:?}");
    assert!(evidence["neighbourhood"]["nodes"].as_array().is_some_and(|nodes| !nodes.is_empty()));
    // An invalid dump that is read: the bytes that break the rule.
    let all = "sh -c 'echo \"{\\\"listing\\\":1}\"' {}";
    let (report, _) = check(&["--decoder", all, "--filter", "phd-cut-in-a-record"]);
    let result = &report["implementations"][0]["results"][0];
    assert_eq!(result["outcome"]["verdict"], "wrong-verdict");
    assert_eq!(
        (&result["evidence"]["rule"], &result["evidence"]["offset"]),
        (&"phd.file.truncated".into(), &0x38e.into())
    );
}

#[test]
fn accepts_expected_failures_and_fails_unexpected_pass() {
    let folder = tempfile::tempdir().expect("there is room for a folder");
    let file = folder.path().join("expected.toml").to_string_lossy().into_owned();
    let question = ["--decoder", "sh -c 'exit 1' {}", "--format", "phd", "--expected", &file];
    let run = |more: &[&str]| check(&[&question, more].concat());
    // At first there is no file.
    let (report, code) = run(&["--update-expected"]);
    assert_eq!(code, 0, "what was written is expected now");
    let wrong = tally(&report)["wrong-verdict"];
    assert!(wrong > 50);
    let (report, code) = run(&[]);
    assert_eq!((code, &report["implementations"][0]["expectations"]["failed"]), (0, &Value::from(wrong)));
    // Another program passes what is listed.
    let other = format!("{HEAPSMITH} decode {{}}");
    let text = fs::read_to_string(&file).expect("it was written");
    let text: String =
        text.lines().filter(|line| !line.starts_with("implementation")).map(|l| format!("{l}\n")).collect();
    fs::write(&file, text).expect("writable");
    // An update leaves it there, and names the line of its entry.
    let before = fs::read_to_string(&file).expect("readable");
    let output = heapsmith(&[
        "check",
        "--json",
        "--decoder",
        &other,
        "--format",
        "phd",
        "--expected",
        &file,
        "--update-expected",
    ]);
    let report: Value = serde_json::from_slice(&output.stdout).expect("a report");
    let passed = &report["implementations"][0]["expectations"]["passed"];
    assert_eq!((output.status.code(), passed), (Some(1), &Value::from(wrong)));
    let warnings = String::from_utf8_lossy(&output.stderr).into_owned();
    let line = 1 + before.lines().position(|line| line == "[[expect]]").expect("an entry");
    let outdated =
        format!("{file}:{line}: no case of the entry \"not looked into yet\" fails as it says; delete the entry");
    assert!(warnings.contains(&outdated), "{warnings}");
    assert_eq!(fs::read_to_string(&file).expect("readable"), before);
    let bad = folder.path().join("bad.toml").to_string_lossy().into_owned();
    fs::write(&bad, "[[expect]]\nreason = \"why\"\n").expect("writable");
    let output = heapsmith(&["check", "--decoder", &other, "--expected", &bad]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("neither cases nor rules"));
}

#[test]
fn merges_empty_shard_and_detects_missing_shard() {
    let folder = tempfile::tempdir().expect("there is room for a folder");
    let write = |name: &str, report: &Value| {
        let file = folder.path().join(name).to_string_lossy().into_owned();
        fs::write(&file, report.to_string()).expect("writable");
        file
    };
    let decoder = format!("{HEAPSMITH} decode {{}}");
    let part =
        |kind: &str, command: &str, shard: &str| check(&[kind, command, "--filter", "phd6-openj9", "--shard", shard]);
    let (first, code) = part("--decoder", &decoder, "1/2");
    assert_eq!(code, 0);
    let (second, code) = part("--decoder", &decoder, "2/2");
    assert_eq!((code, outcomes(&second).len()), (0, 0), "nothing is left for the second part, and that is fine");
    let (other, _) = part("--adapter", REFERENCE, "1/2");
    let (first, second, other) = (write("1", &first), write("2", &second), write("3", &other));
    let merged = |files: &[&str]| -> Value {
        let told = heapsmith(&[&["merge", "--json"], files].concat());
        serde_json::from_slice(&told.stdout).expect("a report")
    };
    assert_eq!(merged(&[&first, &second])["chosen"]["shard"], Value::Null);
    assert_eq!(merged(&[&first, &second, &other])["chosen"]["shard"], "1/2");
    // Merged reports can be merged.
    let (third, _) = check(&["--adapter", REFERENCE, "--filter", "phd6-openj9", "--shard", "2/2"]);
    let (half, third) = (write("4", &merged(&[&first, &other])), write("5", &third));
    assert_eq!(merged(&[&half, &second, &third])["chosen"]["shard"], Value::Null);
}

#[test]
fn fails_run_without_judged_cases() {
    let told = heapsmith(&["check", "--decoder", "true {}", "--filter", "there is no such case"]);
    assert_eq!(told.status.code(), Some(2));
    let told = heapsmith(&["check", "--encoder", "true {in} {out}", "--to", "phd6", "--filter", "phd-cut-in-a-record"]);
    assert_eq!(told.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&told.stderr).contains("every case was skipped"));
}

#[test]
fn keeps_failed_cases_per_implementation_and_removes_older_ones() {
    let folder = tempfile::tempdir().expect("there is room for a folder");
    let report = folder.path().join("report").to_string_lossy().into_owned();
    let wrong = "sh -c 'exit 1' {}";
    let run = |filter: &str| {
        check(&["--decoder", wrong, "--decoder", wrong, "--filter", filter, "--report", &report, "--force"]);
        let cases = fs::read_dir(format!("{report}/cases")).expect("it was made").flatten();
        let mut kept: Vec<(String, usize)> = cases
            .map(|entry| {
                let count = fs::read_dir(entry.path()).expect("a folder").count();
                (entry.file_name().to_string_lossy().into_owned(), count)
            })
            .collect();
        kept.sort();
        kept
    };
    let two = run("phd6-openj9-heap-");
    assert_eq!(two.iter().map(|(_, count)| *count).collect::<Vec<_>>(), [2, 2], "{two:?}");
    let one = run("phd6-openj9-64");
    assert_eq!(one.iter().map(|(_, count)| *count).collect::<Vec<_>>(), [1, 1], "{one:?}");
}

/// A folder, what a refusal says, and the files that are there afterwards all the same.
#[test]
fn keeps_foreign_files_in_report_folder() {
    let folder = tempfile::tempdir().expect("there is room for a folder");
    let path = |name: &str| folder.path().join(name);
    let report = |name: &str, more: &[&str], decoder: &str| {
        let report = path(name).to_string_lossy().into_owned();
        let question = ["check", "--decoder", decoder, "--filter", "phd6-openj9-64", "--report", &report];
        let told = heapsmith(&[&question[..], more].concat());
        (told.status.code().unwrap_or(-1), String::from_utf8_lossy(&told.stderr).into_owned())
    };
    let wrong = "sh -c 'exit 1' {}";
    let mine = |name: &str| {
        let file = path(name);
        fs::create_dir_all(file.parent().expect("it has a folder")).expect("there is room for a folder");
        fs::write(file, "dear to me").expect("there is room");
    };
    let is_there = |name: &str| fs::read_to_string(path(name)).is_ok_and(|text| text == "dear to me");

    // One that was not made for a report, with a folder of that name, with a file of that name, or reached by a link.
    for name in ["theirs/cases/mine", "others/report.html", "notes/.heapsmith-report"] {
        mine(name);
        let folder = name.split('/').next().expect("a folder");
        std::os::unix::fs::symlink(path(folder), path(&format!("{folder}-link"))).expect("a link");
        for folder in [folder.to_owned(), format!("{folder}-link")] {
            let (code, message) = report(&folder, &["--force"], wrong);
            assert!(code == 2 && message.contains("is not a report of heapsmith"), "{folder}: {code} {message}");
            assert!(is_there(name), "{name}");
        }
    }

    // A report: it is replaced when that is asked for, and what was put beside it stays.
    assert_eq!(report("report", &[], wrong).0, 1);
    mine("report/notes.txt");
    mine("report/cases/mine");
    let (code, message) = report("report", &[], wrong);
    assert!(code == 2 && message.contains("--force"), "{message}");
    // Nothing is removed before the program has answered.
    let (code, message) = report("report", &["--force"], "/there/is/no/such/program {}");
    assert!(code == 2 && path("report/report.json").exists(), "{message}");
    assert_eq!(report("report", &["--force"], "true {}").0, 1);
    assert!(is_there("report/notes.txt") && is_there("report/cases/mine"));

    // A link in the place of a folder of ours leads to what is not.
    mine("elsewhere/phd6-openj9-64/expected.jsonl");
    let label = fs::read_dir(path("report/cases")).expect("it was made").flatten();
    let label = label.map(|entry| entry.path()).find(|path| path.is_dir()).expect("a folder of the implementation");
    fs::remove_dir_all(&label).expect("it was made");
    std::os::unix::fs::symlink(path("elsewhere"), &label).expect("a link");
    let (code, message) = report("report", &["--force"], "true {}");
    assert!(code == 2 && message.contains("symbolic link"), "{message}");
    assert!(is_there("elsewhere/phd6-openj9-64/expected.jsonl"));
}

/// What a crash says has temporary folders in it, and numbers of processes.
#[test]
fn reports_same_crash_text_in_every_run() {
    let crash = "sh -c 'echo \"$TMPDIR/x $0\" >&2; kill -11 $$' {}";
    let run = |jobs| check(&["--decoder", crash, "--filter", "phd6-openj9", "--jobs", jobs]).0;
    let (one, four) = (run("1"), run("4"));
    assert_eq!(outcomes(&one)[0]["verdict"], "crash");
    assert_eq!(lasting(one), lasting(four));
}

#[test]
fn stops_at_max_failures_and_ignores_left_out_facets() {
    let wrong = format!("sh -c '{HEAPSMITH} decode {{}} | sed s/\\\"size\\\":[0-9]*/\\\"size\\\":7/'");
    let ask = |more: &[&str]| check(&[&["--decoder", &wrong, "--filter", "phd6-openj9-*"], more].concat());
    let (report, code) = ask(&["--jobs", "1"]);
    let all = tally(&report);
    assert!(code == 1 && all["fail"] > 3, "{all:?}");
    let (report, code) = ask(&["--max-failures", "2"]);
    let verdicts = tally(&report);
    assert_eq!((code, verdicts["fail"]), (1, 2), "{verdicts:?}");
    let (other, _) = ask(&["--max-failures", "2", "--jobs", "1"]);
    assert_eq!(outcomes(&report), outcomes(&other), "which cases are asked does not depend on --jobs");
    let (report, code) = ask(&["--leave-out", "object-size,instance-size"]);
    assert_eq!((code, tally(&report).into_keys().collect::<Vec<_>>()), (0, vec!["pass".to_owned()]), "{report:#}");
    assert_eq!(report["chosen"]["left_out"], serde_json::json!(["instance-size", "object-size"]));
    let output = heapsmith(&["check", "--decoder", &wrong, "--leave-out", "address"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("address is always judged"));
}

/// Of a family that an adapter does not read no case counts: neither as asked, nor as skipped.
#[test]
fn counts_skips_of_declared_formats_alone() {
    if !has_python() {
        return;
    }
    let adapter = python("examples/adapters/full/classic.py", "");
    // A dump that it reads, and several that it does not.
    let filters = ["classic-openj9-64", "phd6-openj9-*"].into_iter().flat_map(|filter| ["--filter", filter]);
    let question: Vec<&str> = ["--adapter", &*adapter].into_iter().chain(filters).collect();
    let (report, code) = check(&question);
    let verdicts = tally(&report);
    assert!(verdicts["skip"] > verdicts["pass"], "{verdicts:?}");
    assert_eq!(code, 0);
    let results = report["implementations"][0]["results"].as_array().expect("results");
    let skips = results.iter().filter(|result| result["outcome"]["verdict"] == "skip");
    assert!(skips.clone().all(|skip| skip["outcome"]["exempt"] == true), "{report:#}");
}

#[test]
fn fails_run_that_skips_more_than_half() {
    // It cannot be asked for one heap of several: of three cases, it reads one.
    let decoder = format!("{HEAPSMITH} decode {{}}");
    let question = ["--decoder", &decoder, "--filter", "hprof-agent-4", "--filter", "hprof-agent-4-heap-*"];
    let (report, code) = check(&question);
    let verdicts = tally(&report);
    assert!(verdicts["skip"] > verdicts["pass"], "{verdicts:?}");
    assert_eq!(code, 1);
    let output = heapsmith(&[&["check"], &question[..]].concat());
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(told.contains("more than half") && told.contains("--allow-skips"), "{told}");
    let (_, code) = check(&[&question[..], &["--allow-skips"]].concat());
    assert_eq!(code, 0);
}
