//! `check` and `adapter test`, with an adapter that says how far it is.

use std::fs;
use std::path::Path;
use std::process::Command;

use rustix::process::Signal;
use serde_json::Value;

use crate::bench::Place;

fn has_python() -> bool {
    let is_there = Command::new("python3").arg("--version").output().is_ok_and(|output| output.status.success());
    assert!(is_there || std::env::var_os("HEAPSMITH_PYTHON_REQUIRED").is_none(), "python3 is required and not there");
    if !is_there {
        println!("skipped: no python3");
    }
    is_there
}

/// An adapter that accepts every dump, writes a line to a file for each, and starts a process that stays; after this many
/// questions it answers no more.
fn adapter(place: &Place, silent_after: usize) -> String {
    let script = format!(
        r#"import json, subprocess, sys, time
subprocess.Popen(["sleep", "1000"], start_new_session=True)
for line in sys.stdin:
    number = json.loads(line)["id"]
    if '"hello"' in line:
        answer = {{"protocol": 1, "name": "slow", "reads": ["phd", "hprof", "classic"]}}
    else:
        with open({0:?}, "a") as log:
            log.write("asked\n")
        # By whichever of its processes.
        if len(open({0:?}).readlines()) > {silent_after}:
            time.sleep(1000)
        answer = {{"status": "accept"}}
    print(json.dumps(answer | {{"id": number}}), flush=True)
"#,
        log(place)
    );
    let path = place.work.with_extension("py");
    fs::write(&path, script).expect("there is room");
    format!("python3 {}", path.display())
}

fn log(place: &Place) -> String {
    place.work.with_extension("log").display().to_string()
}

fn asked(place: &Place) -> usize {
    fs::read_to_string(log(place)).map_or(0, |text| text.lines().count())
}

/// Processes that have this place's folder of temporary files in their environment.
fn processes(place: &Place) -> Vec<String> {
    let variable = format!("TMPDIR={}", place.temporary.display());
    let is_ours = |entry: &fs::DirEntry| {
        let variables = fs::read(entry.path().join("environ")).unwrap_or_default();
        variables.split(|byte| *byte == 0).any(|one| one.starts_with(variable.as_bytes()))
    };
    let all = fs::read_dir("/proc").into_iter().flatten().flatten().filter(is_ours);
    all.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}

#[test]
fn check_reports_judged_cases_and_leaves_no_files_after_signal() {
    if !has_python() {
        return;
    }
    for (point, signal) in [0, 1, 7, 31, 32].into_iter().zip([Signal::INT, Signal::TERM].into_iter().cycle()) {
        let place = Place::new();
        let adapter = adapter(&place, point);
        let mut running =
            place.start(&["check", "--adapter", &adapter, "--jobs", "1", "--time-limit", "200", "--report", "report"]);
        assert!(running.until(|| asked(&place) > point), "it ended before {point} cases");
        running.signal(signal);
        let output = running.end();
        let (out, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert_eq!(output.status.code(), Some(128 + signal.as_raw()), "{out}{errors}");
        let name = if signal == Signal::INT { "SIGINT" } else { "SIGTERM" };
        assert!(out.contains("verdict") && out.contains(&format!("incomplete: ended by {name} after ")), "{out}");
        let report = fs::read(place.work.join("report/report.json")).expect("a report");
        let report: Value = serde_json::from_slice(&report).expect("JSON");
        assert_eq!(report["incomplete"]["signal"], name, "{report}");
        let results = report["implementations"][0]["results"].as_array().expect("results");
        assert_eq!(report["incomplete"]["judged"], results.len());
        // Dumps of several heaps are skipped without a question.
        let answered = results.iter().filter(|result| result["outcome"]["verdict"] != "skip").count();
        assert_eq!(answered, point, "{results:?}");
        assert!(place.files().iter().all(|file| file.contains("/work/report")), "{:?}", place.files());
        assert_eq!(processes(&place), Vec::<String>::new());
    }
}

#[test]
fn second_signal_ends_check_at_once() {
    if !has_python() {
        return;
    }
    let place = Place::new();
    let adapter = adapter(&place, 0);
    let mut running = place.start(&["check", "--adapter", &adapter, "--jobs", "1", "--time-limit", "200"]);
    assert!(running.until(|| asked(&place) > 0), "it ended before the first case");
    running.signal(Signal::INT);
    running.signal(Signal::INT);
    let output = running.end();
    assert_eq!(output.status.code(), Some(130));
    assert_eq!(place.files(), Vec::<String>::new());
    assert_eq!(processes(&place), Vec::<String>::new());
}

#[test]
fn adapter_test_leaves_no_files_after_signal() {
    if !has_python() {
        return;
    }
    for point in 0..5 {
        let place = Place::new();
        let adapter = adapter(&place, point);
        let mut running = place.start(&["adapter", "test", &adapter, "--time-limit", "200"]);
        assert!(running.until(|| asked(&place) > point), "it ended before question {point}");
        running.signal(Signal::TERM);
        let output = running.end();
        assert_eq!(output.status.code(), Some(143), "{}", String::from_utf8_lossy(&output.stderr));
        assert_eq!(place.files(), Vec::<String>::new());
        assert_eq!(processes(&place), Vec::<String>::new());
    }
}

#[test]
fn check_keeps_verdict_when_report_does_not_fit_on_disk() {
    let place = Place::new();
    let check = "ulimit -f 8; exec \"$0\" check --decoder 'false {}' --filter phd6-openj9 --report report";
    let output = Command::new("sh")
        .args(["-c", check, crate::bench::HEAPSMITH])
        .current_dir(&place.work)
        .output()
        .expect("there is a shell");
    let (out, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(out.contains("verdict") && out.contains("wrong-verdict"), "{out}");
    assert_eq!(output.status.code(), Some(2), "{errors}");
    assert!(errors.contains("File too large") && errors.contains("report"), "{errors}");
    let is_there = |file: &str| Path::new(&place.work).join("report").join(file).exists();
    assert!(is_there("report.md") && !is_there("report.html"), "{:?}", place.files());
}
