//! Commands that read, or wait for someone, before they have anything to say.

use std::fs::{self, File};
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;
use std::process::Command;

use rustix::process::Signal;
use serde_json::Value;

use crate::bench::Place;

/// Ends a command by a signal once something is there; gives what it said on standard error.
#[track_caller]
fn ended(place: &Place, arguments: &[&str], is_there: impl FnMut() -> bool) -> String {
    let mut running = place.start(arguments);
    assert!(running.until(is_there), "{arguments:?} ended by itself");
    running.signal(Signal::INT);
    let output = running.end();
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(130), "{arguments:?}: {error}");
    error
}

#[test]
fn check_stops_waiting_for_list_or_pipe_after_signal() {
    let place = Place::new();
    let made = Command::new("mkfifo").arg(place.work.join("pipe")).status().expect("Unix has it");
    assert!(made.success(), "{made}");
    // A pipe that is open to write is waited for.
    let _writer = File::options().read(true).write(true).open(place.work.join("pipe")).expect("a pipe");
    for arguments in [
        &["check", "--decoder", "false {}", "--dumps", "-"][..],
        &["check", "--decoder", "false {}", "--expected", "pipe"],
        &["fuzz", "--decoder", "false {}", "--state", "state", "--seeds", "-"],
        &["reduce", "pipe", "--decoder", "false {}", "-o", "out"],
    ] {
        assert_eq!(ended(&place, arguments, || true), "", "{arguments:?}");
        assert_eq!(place.files(), [place.work.join("pipe").display().to_string()], "{arguments:?}");
    }
}

/// An HPROF of a terabyte, which takes no room: arrays of two gibibytes each.
fn terabyte(path: &Path) {
    const LENGTH: u64 = 1 << 31;
    let mut file = File::create(path).expect("a file");
    file.write_all(b"JAVA PROFILE 1.0.2\0\0\0\0\x08\0\0\0\0\0\0\0\0").expect("there is room");
    let mut at = 31;
    for number in 1..=512_u64 {
        // HEAP DUMP SEGMENT with one PRIMITIVE ARRAY DUMP: tag, id, stack trace, length, type byte.
        let mut head = vec![0x1c, 0, 0, 0, 0];
        head.extend((LENGTH as u32 + 18).to_be_bytes());
        head.push(0x23);
        head.extend((number << 32).to_be_bytes());
        head.extend([0; 4]);
        head.extend((LENGTH as u32).to_be_bytes());
        head.push(8);
        file.seek(SeekFrom::Start(at)).and_then(|_| file.write_all(&head)).expect("there is room");
        at += head.len() as u64 + LENGTH;
    }
    file.set_len(at).expect("files may be so long");
}

#[test]
fn check_reports_judged_cases_when_signalled_while_reading() {
    if cfg!(not(target_os = "linux")) {
        return;
    }
    let place = Place::new();
    terabyte(&place.work.join("long.hprof"));
    let arguments =
        ["check", "--converter", "cp {in} {out}", "--to", "hprof", "--dumps", "long.hprof", "--report", "report"];
    let mut running = place.start(&arguments);
    let counted = running.counted_file();
    let read = || {
        let text = fs::read_to_string(&counted).unwrap_or_default();
        let count = text.lines().find_map(|line| line.strip_prefix("rchar: ")?.parse().ok());
        count.unwrap_or(0_u64)
    };
    assert!(running.until(|| read() > 64 << 20), "it ended before it had read much");
    running.signal(Signal::TERM);
    let output = running.end();
    let (out, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(143), "{out}{errors}");
    assert!(out.contains("incomplete: ended by SIGTERM after 0 of 1 cases") && errors.is_empty(), "{out}{errors}");
    let report = fs::read(place.work.join("report/report.json")).expect("a report");
    let report: Value = serde_json::from_slice(&report).expect("JSON");
    assert_eq!(report["incomplete"]["signal"], "SIGTERM");
    let is_known = |file: &String| file.contains("/work/report") || file.ends_with("/work/long.hprof");
    assert!(place.files().iter().all(is_known), "{:?}", place.files());
}

/// A program that says that it was asked, by a file, and then nothing.
fn silent(place: &Place) -> String {
    format!("sh -c 'echo >{}; exec sleep 1000' {{}}", place.work.with_extension("asked").display())
}

#[test]
fn reduce_and_fuzz_blame_no_dump_when_signalled_before_answer() {
    let place = Place::new();
    let silent = silent(&place);
    let asked = place.work.with_extension("asked");
    let mut made = place.start(&["generate", "--format", "phd6", "--objects", "20", "-o", "a.phd"]);
    made.close_input();
    made.end();
    fs::write(place.work.join("out"), "before").expect("there is room");
    for arguments in [
        &["reduce", "a.phd", "--adapter", &silent, "-o", "out", "--force"][..],
        &["reduce", "a.phd", "--decoder", &silent, "-o", "out", "--force"],
        &["reduce", "a.phd", "--test", &silent, "-o", "out", "--force", "--journal", "journal"],
        &["fuzz", "--adapter", &silent, "--state", "state"],
        &["adapter", "test", &silent],
    ] {
        let _ = fs::remove_file(&asked);
        assert_eq!(ended(&place, arguments, || asked.exists()), "", "{arguments:?}");
        assert_eq!(fs::read(place.work.join("out")).expect("it is there"), b"before", "{arguments:?}");
        assert!(place.files().iter().all(|file| !file.contains("/temporary/")), "{:?}", place.files());
    }
    // What was asked, and no answer.
    let journal = fs::read_to_string(place.work.join("journal")).expect("it was made");
    assert_eq!(journal.lines().count(), 1, "{journal}");
}
