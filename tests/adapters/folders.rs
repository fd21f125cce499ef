//! Folders that others wrote. Whatever stands in them, a command that reads one back reads, writes and removes nothing outside of it
//! for that, does not wait, and says what it refuses.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use rustix::fs::{CWD, FileType, Mode, makedev, mknodat};
use serde_json::Value;
use sha2::{Digest, Sha256};
use tempfile::TempDir;

use crate::bench::heapsmith;

/// A text of a user's, which no report may show.
const SECRET: &str = "my own words";

/// Every folder that is read back, beside files of a user's own.
struct Bench(TempDir);

impl Bench {
    /// The same for all tests that run at a time, of which none changes it.
    fn shared() -> Arc<Bench> {
        static SHARED: Mutex<Weak<Bench>> = Mutex::new(Weak::new());
        let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
        shared.upgrade().unwrap_or_else(|| {
            let bench = Arc::new(Bench::new());
            *shared = Arc::downgrade(&bench);
            bench
        })
    }

    fn new() -> Bench {
        let bench = Bench(tempfile::tempdir().expect("there is room for a folder"));
        bench.runs(&STATE, 1);
        bench.runs(&["fuzz", "report", "%campaign", "--report", "%report"], 1);
        bench.runs(&["generate", "--format", "hprof", "--objects", "2", "-o", "%a.hprof"], 0);
        bench.runs(&["generate", "--format", "hprof", "--objects", "2", "--seed", "2", "-o", "%b.hprof"], 0);
        for dump in ["a", "b"] {
            let listing = heapsmith(&["decode", &bench.path(&format!("{dump}.hprof"))]).stdout;
            fs::write(bench.path(&format!("{dump}.jsonl")), listing).expect("there is room");
        }
        bench.runs(&["corpus", "add", "%a.hprof", "--listing", "%a.jsonl", "-o", "%own"], 0);
        fs::create_dir(bench.path("corpus")).expect("there is room");
        let manifest = r#"{"schema":3,"cases":[]}"#;
        fs::write(bench.path("corpus/manifest.json"), manifest).expect("there is room");
        fs::create_dir(bench.path("begun")).expect("there is room");
        fs::write(bench.path("begun/.heapsmith-unfinished"), "").expect("there is room");
        fs::create_dir(bench.path("theirs")).expect("there is room");
        fs::write(bench.path("theirs/secret"), SECRET).expect("there is room");
        fs::write(bench.path("secret"), SECRET).expect("there is room");
        bench
    }

    fn path(&self, path: &str) -> String {
        self.0.path().join(path).to_string_lossy().into_owned()
    }

    /// Runs heapsmith; `%` stands for this folder. What it says, and its exit code.
    fn run(&self, arguments: &[&str]) -> (String, i32) {
        let of_bench = |word: &&str| word.strip_prefix('%').map_or((*word).to_owned(), |path| self.path(path));
        let words: Vec<String> = arguments.iter().map(of_bench).collect();
        let output = heapsmith(&words.iter().map(String::as_str).collect::<Vec<_>>());
        let said = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        (said, output.status.code().unwrap_or(-1))
    }

    #[track_caller]
    fn runs(&self, arguments: &[&str], code: i32) {
        let (said, found) = self.run(arguments);
        assert_eq!(found, code, "{arguments:?}: {said}");
    }

    /// The same folders in another place.
    fn copy(&self) -> Bench {
        let bench = Bench(tempfile::tempdir().expect("there is room for a folder"));
        for (path, entry) in entries(self.0.path()) {
            let copy = bench.0.path().join(&path);
            match entry {
                Entry::Folder => fs::create_dir(copy).expect("there is room"),
                Entry::File(bytes) => fs::write(copy, bytes).expect("there is room"),
                Entry::Other => panic!("{path}: only files and folders"),
            }
        }
        bench
    }

    /// Puts something in the place of a file or folder.
    fn replace(&self, path: &str, hostile: Hostile) -> bool {
        let place = self.0.path().join(path);
        match place.is_dir() {
            true => fs::remove_dir_all(&place).expect("removed"),
            false => fs::remove_file(&place).expect("removed"),
        }
        let mode = Mode::from_raw_mode(0o666);
        match hostile {
            Hostile::Link => symlink(self.path("secret"), place).is_ok(),
            Hostile::LinkToFolder => symlink(self.path("theirs"), place).is_ok(),
            Hostile::Zeros => symlink("/dev/zero", place).is_ok(),
            Hostile::Pipe => mknodat(CWD, place, FileType::Fifo, mode, 0).is_ok(),
            // Not every user may, nor does every machine have devices.
            Hostile::Device => {
                let is_made = mknodat(CWD, &place, FileType::CharacterDevice, mode, makedev(1, 5)).is_ok();
                is_made && fs::File::open(place).is_ok()
            }
            Hostile::Folder => fs::create_dir(place).is_ok(),
            Hostile::Long => fs::File::create(place).and_then(|file| file.set_len(1 << 40)).is_ok(),
        }
    }

    /// Changes the entries of the campaign's state, whose sums are right then.
    fn edit_state(&self, edit: impl Fn(&mut Value)) -> usize {
        let path = self.path("campaign/state.jsonl");
        let text = fs::read_to_string(&path).expect("lines");
        let mut changed = 0;
        let mut line_of = 0;
        let lines = text.lines().enumerate().map(|(number, line)| {
            let mut line: Value = serde_json::from_str(line).expect("JSON");
            if line["entry"]["line"] == "cause" {
                edit(&mut line["entry"]);
                changed += 1;
                line_of = number + 1;
            }
            let entry = line["entry"].to_string();
            let sum = Sha256::digest(entry.as_bytes());
            let sum: String = sum[..8].iter().map(|byte| format!("{byte:02x}")).collect();
            format!("{{\"sum\":\"{sum}\",\"entry\":{entry}}}\n")
        });
        let text: String = lines.collect();
        fs::write(path, text).expect("there is room");
        assert_eq!(changed, 1, "one cause was written down");
        line_of
    }

    fn edit_json(&self, path: &str, edit: impl Fn(&mut Value)) {
        let path = self.path(path);
        let mut value = serde_json::from_slice(&fs::read(&path).expect("a file")).expect("JSON");
        edit(&mut value);
        fs::write(path, value.to_string()).expect("there is room");
    }

    /// Runs a command that has to refuse, and to leave everything as it is but what it has made new in these folders.
    #[track_caller]
    fn refuses(&self, arguments: &[&str], parts: &[&str], new: &[&str], what: &str) {
        let before = entries(self.0.path());
        let (said, code) = self.run(arguments);
        assert_eq!(code, 2, "{what}: {said}");
        for part in parts {
            assert!(said.contains(part), "{what}: expected {part:?} in {said}");
        }
        assert!(!said.contains(SECRET) && !said.contains("--help"), "{what}: {said}");
        let is_new = |path: &String| new.iter().any(|folder| path.split('/').next() == Some(folder));
        let after = entries(self.0.path());
        let differing: Vec<&String> = before
            .keys()
            .chain(after.keys())
            .filter(|path| before.get(*path) != after.get(*path) && !is_new(path))
            .collect();
        assert_eq!(differing, Vec::<&String>::new(), "{what}: {said}");
        for (path, entry) in after.iter().filter(|(path, _)| is_new(path)) {
            let shows = matches!(entry, Entry::File(bytes) if String::from_utf8_lossy(bytes).contains(SECRET));
            assert!(!shows, "{what}: {path}");
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Entry {
    Folder,
    File(Vec<u8>),
    /// A link, a pipe, a device, or a file that is too long to be read.
    Other,
}

/// Everything below a folder.
fn entries(folder: &Path) -> BTreeMap<String, Entry> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(&next).expect("a folder") {
            let path = entry.expect("an entry").path();
            let kind = fs::symlink_metadata(&path).expect("it is there");
            let name = path.strip_prefix(folder).expect("below").to_string_lossy().into_owned();
            let entry = match (kind.is_dir(), kind.is_file() && kind.len() < 1 << 30) {
                (true, _) => Entry::Folder,
                (_, true) => Entry::File(fs::read(&path).expect("readable")),
                _ => Entry::Other,
            };
            if entry == Entry::Folder {
                folders.push(path);
            }
            found.insert(name, entry);
        }
    }
    found
}

/// What stands in the place of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Hostile {
    Link,
    LinkToFolder,
    Zeros,
    Pipe,
    Device,
    Folder,
    Long,
}

impl Hostile {
    const ALL: [Hostile; 7] = [
        Hostile::Link,
        Hostile::LinkToFolder,
        Hostile::Zeros,
        Hostile::Pipe,
        Hostile::Device,
        Hostile::Folder,
        Hostile::Long,
    ];
    /// A file that the command line names may be a link or a device of the user's.
    const NAMED: [Hostile; 2] = [Hostile::Pipe, Hostile::Folder];
}

const DUMP: &str = "campaign/dumps/001-crash-exit-code.hprof";
const STATE: [&str; 11] = [
    "fuzz",
    "--decoder",
    "sh -c 'exit 3' {}",
    "--cases",
    "64",
    "--trials",
    "60",
    "--format",
    "hprof",
    "--state",
    "%campaign",
];
const TO_REPORT: [&str; 5] = ["fuzz", "report", "%campaign", "--report", "%new"];
const ADD: [&str; 7] = ["corpus", "add", "%b.hprof", "--listing", "%b.jsonl", "-o", "%own"];
const MERGE: [&str; 5] = ["merge", "%report/report.json", "--report", "%report", "--force"];

const MERGE_FOLDER: [&str; 4] = ["merge", "%report", "--report", "%new"];

const VERIFY: [&str; 3] = ["corpus", "verify", "%corpus"];
const EXPECTED: [&str; 7] = ["check", "--decoder", "true {}", "--expected", "%a.jsonl", "--report", "%new"];

/// A command, and a file that it reads back.
struct Row {
    command: &'static [&'static str],
    file: &'static str,
    hostile: &'static [Hostile],
}

const fn row(command: &'static [&'static str], file: &'static str) -> Row {
    Row { command, file, hostile: &Hostile::ALL }
}

const fn named(command: &'static [&'static str], file: &'static str) -> Row {
    Row { command, file, hostile: &Hostile::NAMED }
}

/// Each command that reads a folder back, with each file that it reads there.
const READERS: &[Row] = &[
    row(&["fuzz", "status", "%campaign"], "campaign/.heapsmith-campaign"),
    row(&["fuzz", "status", "%campaign"], "campaign/state.jsonl"),
    row(&TO_REPORT, "campaign/.heapsmith-campaign"),
    row(&TO_REPORT, "campaign/state.jsonl"),
    row(&TO_REPORT, DUMP),
    row(&STATE, "campaign/.heapsmith-campaign"),
    row(&STATE, "campaign/state.jsonl"),
    row(&MERGE, "report/.heapsmith-report"),
    named(&MERGE, "report/report.json"),
    named(&["report", "diff", "%report/report.json", "%report/report.json"], "report/report.json"),
    // It makes all cases first, which takes long; `bless` goes by the same lists.
    Row { command: &VERIFY, file: "corpus/manifest.json", hostile: &[Hostile::Pipe] },
    row(&["corpus", "bless", "%corpus"], "corpus/manifest.json"),
    row(&["corpus", "bless", "%begun"], "begun/.heapsmith-unfinished"),
    row(&["corpus", "export", "-o", "%own"], "own/manifest.json"),
    row(&ADD, "own/manifest.json"),
    Row {
        command: &MERGE_FOLDER,
        file: "report/report.json",
        hostile: &[Hostile::Pipe, Hostile::Device, Hostile::Long],
    },
    named(&EXPECTED, "a.jsonl"),
    Row { command: &EXPECTED, file: "a.jsonl", hostile: &[Hostile::Zeros] },
    named(&["generate", "--options", "%a.jsonl", "-o", "%new"], "a.jsonl"),
    named(&["digest", "%b.hprof", "--against", "%a.jsonl"], "a.jsonl"),
    named(&["check-conversion", "--pairs", "%a.jsonl"], "a.jsonl"),
];

#[test]
fn refuses_irregular_file_in_each_folder_that_is_read_back() {
    let bench = Bench::shared();
    for Row { command, file, hostile } in READERS {
        for hostile in *hostile {
            let what = format!("{hostile:?} in the place of {file}, {command:?}");
            let copy = bench.copy();
            if !copy.replace(file, *hostile) {
                println!("skipped: {what} cannot be made here");
                continue;
            }
            let folder = file.split('/').next().unwrap_or_default();
            copy.refuses(command, &[folder], &["new"], &what);
        }
    }
    // A link as a folder on the way.
    for (command, folder) in [(&TO_REPORT[..], "campaign/dumps"), (&ADD, "own/dumps"), (&MERGE, "report/dumps")] {
        let copy = bench.copy();
        fs::rename(copy.path(folder), copy.path("moved")).expect("renamed");
        symlink(copy.path("moved"), copy.path(folder)).expect("a link");
        copy.refuses(command, &[folder, "is a symbolic link"], &["new"], folder);
    }
}

/// What the link leads to is a report, so that following it would do no more than read another file than the folder's.
#[test]
fn refuses_link_in_place_of_report_in_folder() {
    let copy = Bench::shared().copy();
    fs::rename(copy.path("report/report.json"), copy.path("theirs/report.json")).expect("renamed");
    symlink(copy.path("theirs/report.json"), copy.path("report/report.json")).expect("a link");
    for command in [&["merge", "%report", "--report", "%new"][..], &["report", "diff", "%report", "%report"]] {
        let due = "report/report.json: expected a plain file, found a symbolic link";
        copy.refuses(command, &[due], &["new"], "a link to a report");
    }
    // A path of the user's own may lead through links, to a folder too.
    symlink(copy.path("theirs"), copy.path("own-link")).expect("a link");
    copy.runs(&["report", "diff", "%report/report.json", "%own-link"], 0);
}

#[test]
fn refuses_path_of_list_that_is_not_one_of_file_in_its_folder() {
    let bench = Bench::shared();
    let long = ["dumps/", &"a/".repeat(600), "x"].concat();
    for path in ["../autostart/evil.sh", "dumps/../../evil.sh", "/tmp/evil.sh", "dumps/.heapsmith-lock", &long, ""] {
        // The state has it with a line, and its sum is right.
        let copy = bench.copy();
        let line = copy.edit_state(|entry| entry["cause"]["reduced"]["file"] = path.into());
        let place = format!("state.jsonl, line {line}: ");
        for command in [&TO_REPORT[..], &["fuzz", "status", "%campaign"]] {
            copy.refuses(command, &[&place], &["new"], path);
        }
        copy.refuses(&STATE, &[&place], &[], path);
        // A report that is merged, and the list of the files of one that is replaced.
        let copy = bench.copy();
        copy.edit_json("report/report.json", |report| {
            report["implementations"][0]["causes"][0]["reduced"]["file"] = path.into();
        });
        for command in [&["merge", "%report/report.json", "--report", "%new"][..], READERS[9].command] {
            copy.refuses(command, &["report.json", "reduced dump"], &["new"], path);
        }
        let copy = bench.copy();
        copy.edit_json("report/.heapsmith-report", |marker| marker["files"] = vec![path].into());
        copy.refuses(&MERGE, &["listed as a file"], &[], path);
        // The manifest of cases.
        for pointer in ["/cases/0/dump/path", "/cases/0/answers/0/listing/path"] {
            let copy = bench.copy();
            copy.edit_json("own/manifest.json", |manifest| {
                *manifest.pointer_mut(pointer).expect("a path") = path.into();
            });
            copy.refuses(&ADD, &["own/manifest.json, case \"a\": "], &[], path);
        }
    }
}

#[test]
fn refuses_file_of_other_length_or_sum_than_its_list_has() {
    let bench = Bench::shared();
    let dump = fs::read(bench.path(DUMP)).expect("a dump");
    let mut other = dump.clone();
    *other.last_mut().expect("a byte") ^= 1;
    for bytes in [&dump[1..], &[&dump[..], b"x"].concat(), &other, b""] {
        let copy = bench.copy();
        fs::write(copy.path(DUMP), bytes).expect("there is room");
        copy.refuses(&TO_REPORT, &["state.jsonl, line ", "001-crash-exit-code.hprof"], &["new"], "a reduced dump");
    }
    // One that is stated to be endless is as long as it is.
    let copy = bench.copy();
    copy.edit_state(|entry| entry["cause"]["reduced"]["bytes"] = u64::MAX.into());
    copy.refuses(&TO_REPORT, &["state.jsonl, line ", "expected 18446744073709551615 bytes"], &["new"], "a length");
    let folder = fs::read_dir(bench.path("own/dumps")).expect("a folder").next().expect("a dump").expect("a dump");
    let file = format!("own/dumps/{}", folder.file_name().to_string_lossy());
    let copy = bench.copy();
    fs::write(copy.path(&file), "other").expect("there is room");
    copy.refuses(&ADD, &["own/manifest.json, case \"a\": "], &[], "a dump of a case");
}

#[test]
fn writes_reduced_dump_and_state_into_folder_of_campaign_alone() {
    let bench = Bench::shared();
    // A campaign that goes on has no cause yet: its dump replaces a link of that name, and does not go through it.
    let forget = |copy: &Bench| {
        let text = fs::read_to_string(copy.path("campaign/state.jsonl")).expect("lines");
        let lines = text.lines().filter(|line| !line.contains("\"line\":\"cause\""));
        let text: String = lines.map(|line| format!("{line}\n")).collect();
        fs::write(copy.path("campaign/state.jsonl"), text).expect("there is room");
    };
    let copy = bench.copy();
    forget(&copy);
    fs::remove_file(copy.path(DUMP)).expect("removed");
    for link in [DUMP, "campaign/.heapsmith-part"] {
        symlink(copy.path("secret"), copy.path(link)).expect("a link");
    }
    copy.runs(&STATE, 1);
    assert_eq!(fs::read_to_string(copy.path("secret")).expect("a file"), SECRET);
    assert!(fs::symlink_metadata(copy.path(DUMP)).expect("a dump").is_file());
    assert!(fs::symlink_metadata(copy.path("campaign/.heapsmith-part")).is_err(), "nothing is left over");
    // Not through a link in the place of the folder, either.
    let copy = bench.copy();
    forget(&copy);
    fs::remove_dir_all(copy.path("campaign/dumps")).expect("removed");
    symlink(copy.path("theirs"), copy.path("campaign/dumps")).expect("a link");
    copy.refuses(&STATE, &["campaign/dumps is a symbolic link"], &["campaign"], "dumps");
}

/// A program that is checked moves the folder of the report away, and puts a link to another report in its place.
#[test]
fn leaves_replacement_of_report_folder_alone() {
    let bench = Bench::shared().copy();
    fs::create_dir(bench.path("foreign")).expect("there is room");
    fs::write(bench.path("foreign/mine"), SECRET).expect("there is room");
    fs::write(bench.path("foreign/.heapsmith-report"), r#"{"schema":1,"files":["mine"]}"#).expect("there is room");
    let script = bench.path("swap.sh");
    let swap = "cd \"$1\" && [ -d report.moved ] || { mv report report.moved; ln -s foreign report; }\nexit 3\n";
    fs::write(&script, swap).expect("there is room");
    let decoder = format!("sh {} {} {{}}", shell_words::quote(&script), shell_words::quote(&bench.path("")));
    let before: BTreeMap<String, Entry> = entries(Path::new(&bench.path("foreign")));
    let case = ["--filter", "phd6-openj9-64", "--no-explain"];
    let check = ["check", "--decoder", &decoder, case[0], case[1], case[2], "--report", "%report", "--force"];
    let (said, code) = bench.run(&check);
    assert_eq!(entries(Path::new(&bench.path("foreign"))), before, "{said}");
    assert_eq!(code, 2, "{said}");
    assert!(said.contains("report was moved or replaced while the command ran"), "{said}");
    // Nothing is lost: the report stands in the folder that was taken, and the earlier one is gone.
    let moved: BTreeSet<String> = entries(Path::new(&bench.path("report.moved"))).into_keys().collect();
    for file in ["report.json", "report.html", "junit.xml", ".heapsmith-report"] {
        assert!(moved.contains(file), "{file}: {moved:?}");
    }
    assert!(!moved.iter().any(|path| path.starts_with("dumps") || path == ".heapsmith-lock"), "{moved:?}");
}
