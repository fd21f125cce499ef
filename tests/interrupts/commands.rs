//! Every command but `check`, at five points: while it reads, and while it writes.

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;

use rustix::process::Signal;

use crate::bench::{HEAPSMITH, Place};

/// A dump that is longer than a pipe holds several times, and its listing.
fn samples() -> &'static [PathBuf; 2] {
    static MADE: OnceLock<[PathBuf; 2]> = OnceLock::new();
    MADE.get_or_init(|| {
        // Beside what cargo builds: it stays, and is written anew by the next run.
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("interrupts");
        fs::create_dir_all(&folder).expect("there is room for a folder");
        let [dump, listing] = ["sample.phd", "sample.jsonl"].map(|name| folder.join(name));
        let run = |arguments: &[&str]| {
            let output = Command::new(HEAPSMITH).args(arguments).output().expect("heapsmith can be run");
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        };
        let [dump_name, listing_name] = [&dump, &listing].map(|path| path.to_str().expect("a plain path"));
        run(&["generate", "--format", "phd6", "--objects", "60000", "--seed", "3", "-o", dump_name, "--force"]);
        run(&["decode", dump_name, "-o", listing_name, "--force"]);
        [dump, listing]
    })
}

#[track_caller]
fn nothing_stays(place: &Place, what: &str) {
    assert_eq!(place.files(), Vec::<String>::new(), "{what}");
}

/// Whether this process, and so what it starts, ignores a signal.
fn is_ignored(signal: Signal) -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| u64::from_str_radix(line.strip_prefix("SigIgn:")?.trim(), 16).ok());
    mask.is_some_and(|mask| mask >> (signal.as_raw() - 1) & 1 == 1)
}

/// Interrupts a command while it reads standard input, of which it has got a part.
fn while_it_reads(arguments: &[&str], bytes: &[u8]) {
    // One that is ignored, by `nohup`, is ignored by the command as well.
    let third = if is_ignored(Signal::HUP) { Signal::INT } else { Signal::HUP };
    for (point, signal) in [Signal::INT, Signal::TERM, third, Signal::INT, Signal::TERM].into_iter().enumerate() {
        let place = Place::new();
        let mut running = place.start(arguments);
        running.feed(&bytes[..bytes.len() * point / 5]);
        running.signal(signal);
        let output = running.end();
        let what = format!("{arguments:?} at {point}/5: {}", String::from_utf8_lossy(&output.stderr));
        assert_eq!(output.status.code(), Some(128 + signal.as_raw()), "{what}");
        nothing_stays(&place, &what);
    }
}

#[test]
fn reading_commands_leave_no_files_after_signal() {
    let [dump, listing] = samples();
    let name = dump.to_str().expect("a plain path");
    let bytes = fs::read(dump).expect("it was made");
    assert!(bytes.len() > 5 << 17, "{} bytes fit a pipe", bytes.len());
    for arguments in [
        &["inspect", "-"][..],
        &["validate", "-"],
        &["decode", "-", "-o", "out.jsonl"],
        &["rewrite", "-", "-o", "out.phd", "--through", "records"],
        &["rewrite", "-", "-o", "out.phd", "--through", "heap"],
        &["convert", "-", "-o", "out.hprof", "--to", "hprof"],
        &["digest", "-"],
        &["compare", "-", name],
        &["compare", name, "-"],
        &["check-conversion", "-", name],
    ] {
        while_it_reads(arguments, &bytes);
    }
    let bytes = fs::read(listing).expect("it was made");
    while_it_reads(&["encode", "-", "--format", "phd6", "-o", "out.phd"], &bytes);
}

/// Interrupts a command while it writes: when there are this many bytes in its folders.
fn while_it_writes(arguments: &[&str], sizes: [u64; 5]) {
    for size in sizes {
        let place = Place::new();
        let mut running = place.start(arguments);
        running.close_input();
        let length = || {
            let length =
                |path: &String| fs::metadata(path).map_or(0, |file| if file.is_file() { file.len() } else { 0 });
            place.files().iter().map(length).sum::<u64>()
        };
        let runs = running.until(|| !place.files().is_empty() && length() >= size);
        assert!(runs, "{arguments:?} ended before it had written {size} bytes");
        running.signal(Signal::INT);
        let output = running.end();
        let what = format!("{arguments:?} at {size} bytes: {}", String::from_utf8_lossy(&output.stderr));
        assert_eq!(output.status.code(), Some(130), "{what}");
        nothing_stays(&place, &what);
    }
}

#[test]
fn writing_commands_leave_no_partial_files_after_signal() {
    let generate = ["generate", "--format", "hprof", "--objects", "200000", "--seed", "1", "-o", "out.hprof"];
    while_it_writes(&generate, [0, 1, 1 << 16, 1 << 20, 4 << 20]);
}

#[test]
fn bless_leaves_unfinished_corpus_after_signal_and_finishes_it() {
    let place = Place::new();
    let corpus = place.work.join("corpus");
    // Each one goes on where the one before was interrupted.
    for (files, signal, code) in [(1, Signal::TERM, 143), (500, Signal::INT, 130)] {
        let mut running = place.start(&["corpus", "bless", "corpus"]);
        running.close_input();
        let runs = running.until(|| place.files().len() > files && corpus.join(".heapsmith-unfinished").exists());
        assert!(runs, "it ended before it had written {files} files");
        running.signal(signal);
        let output = running.end();
        let message = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{message}");
        assert!(message.contains("corpus is unfinished") && message.contains("run this command again"), "{message}");
        let own: Vec<String> = place.files().into_iter().filter(|file| file.contains(".heapsmith-")).collect();
        assert_eq!(own, [corpus.join(".heapsmith-unfinished").display().to_string()]);
        assert!(!corpus.join("manifest.json").exists(), "it is the last file");
    }
    let output = place.start(&["corpus", "bless", "corpus"]).end();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(corpus.join("manifest.json").exists() && !corpus.join(".heapsmith-unfinished").exists());
}

#[test]
fn reports_file_size_limit_as_failed_write() {
    let place = Place::new();
    let generate = format!("ulimit -f 16; exec {HEAPSMITH} generate --format phd6 --objects 20000 --seed 1 -o out.phd");
    let output =
        Command::new("sh").args(["-c", &generate]).current_dir(&place.work).output().expect("there is a shell");
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{message}");
    assert!(message.contains("out.phd") && message.contains("File too large"), "{message}");
    nothing_stays(&place, &message);
}
