//! One answer for the same damage: what `validate` calls invalid, every command refuses that takes a dump's heap.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

use assert_cmd::cargo::CommandCargoExt;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::Value;

fn run(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::cargo_bin("heapsmith").expect("built");
    command.args(arguments).current_dir(folder).stdin(Stdio::null()).output().expect("started")
}

/// The rule and the offset of the first error that `validate` finds, and whether reading stops there. An error at which it
/// does not stop comes first: it stands before.
fn verdict(folder: &Path, dump: &str) -> Option<(String, u64, bool)> {
    let output = run(folder, &["validate", "--json", dump]);
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let valid = report["valid"].as_bool().expect("a verdict");
    assert_eq!(output.status.code(), Some(i32::from(!valid)), "{dump}");
    let errors = report["findings"].as_array().expect("findings").iter().filter(|f| f["severity"] == "error");
    let errors: Vec<&Value> = errors.collect();
    let first = errors.iter().find(|f| f["fatal"] == false).or(errors.first())?;
    let text = |key: &str| first[key].as_str().expect("text").to_owned();
    Some((text("rule"), first["offset"].as_u64().expect("an offset"), first["fatal"] == true))
}

/// The commands that take a heap, on a dump of this name; the last argument says whether what can be read is tolerated.
fn commands(dump: &str, out: &str, several: bool) -> Vec<Vec<String>> {
    let heap: &[&str] = if several { &["--heap", "0"] } else { &[] };
    let command = |words: &[&str]| [words, heap].concat().into_iter().map(str::to_owned).collect::<Vec<_>>();
    let mut all = vec![
        command(&["decode", dump]),
        command(&["digest", dump]),
        command(&["convert", dump, "-o", out, "--to", "hprof", "--force"]),
        command(&["convert", dump, "-o", out, "--to", "classic", "--force"]),
        command(&["compare", dump, dump]),
        command(&["describe", dump, "-o", out, "--force"]),
    ];
    if !several {
        all.push(command(&["check-conversion", dump, dump]));
    }
    all
}

/// Whether a command says the same as `validate`.
fn agrees(folder: &Path, dump: &str, out: &str) {
    let verdict = verdict(folder, dump);
    let several = {
        let digest = run(folder, &["digest", dump, "--tolerate"]);
        String::from_utf8_lossy(&digest.stderr).contains("--heap 0")
    };
    for arguments in commands(dump, out, several) {
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let output = run(folder, &arguments);
        let (code, stderr) = (output.status.code(), String::from_utf8_lossy(&output.stderr));
        let Some((rule, offset, fatal)) = &verdict else {
            // A conversion may need what the heap does not have; that is no judgement of the dump.
            assert!(code == Some(0) || !stderr.contains(" offset "), "{arguments:?}: {code:?} {stderr}");
            continue;
        };
        let said = stderr.contains(&format!("[{rule}]")) && stderr.contains(&format!("offset {offset} ("));
        assert!(code == Some(1) && said, "{arguments:?}: {code:?} {stderr}, and not {rule} at {offset}");
        if arguments[0].starts_with("c") && arguments[0] != "convert" {
            assert!(stderr.contains(&format!("{dump}: ")), "{arguments:?} names the file: {stderr}");
        }
        if arguments[0] == "decode" {
            continue;
        }
        let output = run(folder, &[&arguments[..], &["--tolerate"]].concat());
        let (code, said) = (output.status.code(), [output.stdout, output.stderr].concat());
        let said = String::from_utf8_lossy(&said);
        if *fatal {
            assert_eq!(code, Some(1), "{arguments:?}: what cannot be read is not tolerated");
        } else if code == Some(0) {
            assert!(said.contains(&format!("[{rule}]")), "{arguments:?} says what it tolerates: {said}");
        }
    }
}

fn side_by_side<T: Sync>(items: &[T], work: impl Fn(usize, &T) + Sync) {
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(2, usize::from) {
            scope.spawn(|| {
                while let number = next.fetch_add(1, Ordering::Relaxed)
                    && let Some(item) = items.get(number)
                {
                    work(number, item);
                }
            });
        }
    });
}

#[test]
#[ignore = "long: tests/long.sh runs it"]
fn every_command_agrees_with_validate_on_every_case_of_the_corpus() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
    let manifest: Value =
        serde_json::from_str(&fs::read_to_string(corpus.join("manifest.json")).expect("readable")).expect("JSON");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let cases = manifest["cases"].as_array().expect("cases");
    let files: Vec<PathBuf> = cases.iter().map(|case| corpus.join(case["file"].as_str().expect("a file"))).collect();
    assert!(files.len() > 400);
    side_by_side(&files, |number, file| {
        agrees(folder.path(), file.to_str().expect("text"), &format!("{number}.out"));
    });
}

#[test]
fn every_command_agrees_on_damaged_gzip() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut names = Vec::new();
    for format in ["phd6", "hprof", "classic"] {
        let name = format!("good.{format}");
        let made = run(folder.path(), &["generate", "--format", format, "--seed", "3", "--objects", "20", "-o", &name]);
        assert!(made.status.success());
        let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
        gzip.write_all(&fs::read(folder.path().join(&name)).expect("made")).expect("memory");
        let whole = gzip.finish().expect("memory");
        // Before the first byte comes out, before the format can be told, and at the end.
        for cut in (2..16).chain([20, 30, 40, 60, 100, whole.len() / 2, whole.len() - 9, whole.len() - 1]) {
            names.push(format!("cut-{cut}.{format}"));
            fs::write(folder.path().join(&names[names.len() - 1]), &whole[..cut.min(whole.len())]).expect("written");
        }
        names.push(format!("garbage.{format}"));
        let garbage = [&whole[..10], &[0xff; 30]].concat();
        fs::write(folder.path().join(&names[names.len() - 1]), garbage).expect("written");
    }
    side_by_side(&names, |number, name| {
        assert!(verdict(folder.path(), name).is_some(), "{name}");
        agrees(folder.path(), name, &format!("{number}.out"));
    });
    // As it comes, from a pipe.
    let mut command = Command::cargo_bin("heapsmith").expect("built");
    let input = fs::File::open(folder.path().join("garbage.phd6")).expect("written");
    let output = command.args(["inspect", "-"]).stdin(input).output().expect("started");
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("offset 0 (0x0)"));
}

#[test]
fn reports_list_tolerated_rules_or_none() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus/phd");
    fs::copy(corpus.join("damaged/phd-shorten-an-array.phd"), folder.path().join("bad.phd")).expect("a case");
    fs::copy(corpus.join("golden/phd6-openj9-64.phd"), folder.path().join("good.phd")).expect("a case");
    let refused = run(folder.path(), &["digest", "bad.phd"]);
    let message = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(message.ends_with("[phd.object-array.length]; --tolerate accepts the dump as it is\n"), "{message}");
    for (dump, count) in [("bad.phd", 1), ("good.phd", 0)] {
        for (command, inputs, schema) in [
            (&["digest", dump][..], 1, 4),
            (&["compare", dump, dump], 2, 6),
            (&["compare", dump, dump, "--up-to-renaming"], 2, 0),
            (&["check-conversion", dump, dump], 2, 7),
            (&["convert", dump, "-o", "out.hprof", "--to", "hprof", "--force"], 1, 8),
        ] {
            let output = run(folder.path(), &[command, &["--tolerate", "--json"]].concat());
            let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
            assert_eq!(report["tolerated"].as_array().map(Vec::len), Some(count * inputs), "{command:?}: {report}");
            if count > 0 {
                assert_eq!(report["tolerated"][0]["rule"], "phd.object-array.length");
                assert_eq!(report["tolerated"][0]["input"], dump);
            }
            assert_eq!(report["schema"].as_u64().unwrap_or_default(), schema, "{command:?}");
            let text = run(folder.path(), &[command, &["--tolerate"]].concat());
            let text = String::from_utf8_lossy(&text.stdout).into_owned();
            let said = if count > 0 { "tolerated: bad.phd [phd.object-array.length]" } else { "tolerated: nothing" };
            assert!(text.contains(said), "{command:?}: {text}");
        }
    }
    let json = run(folder.path(), &["digest", "good.phd", "--json"]);
    assert!(!String::from_utf8_lossy(&json.stdout).contains("tolerated"), "only where it was asked for");
}

#[test]
fn exits_with_2_for_conversion_that_cannot_be_judged() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let listing = |lines: &[&str]| lines.join("\n") + "\n";
    // More classes than identifiers of one byte can number.
    let head = r#"{"listing":1,"classes":300,"objects":0,"references":0}"#;
    let class = |n: u64| format!(r#"{{"kind":"class","address":"{:#x}","record":{n},"name":"C{n}"}}"#, 8 * (n + 1));
    let classes: Vec<String> = (0..300).map(class).collect();
    let lines: Vec<&str> = [head].into_iter().chain(classes.iter().map(String::as_str)).collect();
    fs::write(folder.path().join("many.jsonl"), listing(&lines)).expect("written");
    let small = "generate --format hprof --id-size 1 --addresses numbers --seed 1 --objects 9 -o small.hprof";
    let small: Vec<&str> = small.split(' ').collect();
    assert!(run(folder.path(), &small).status.success());
    let output = run(folder.path(), &["check-conversion", "many.jsonl", "small.hprof"]);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    assert!(stderr.contains("the conversion cannot be judged"), "{stderr}");
}
