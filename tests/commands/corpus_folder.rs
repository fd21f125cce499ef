//! `corpus bless` and `corpus verify` in folders that hold more than the corpus, or something else.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;

/// Where a file that is not ours may stand: beside the corpus, in a shelf, and further down.
const FOREIGN: [&str; 4] = ["notes.txt", "phd/notes.txt", "phd/own/deep/notes.txt", "own/notes.txt"];

#[test]
fn bless_keeps_foreign_files_and_verify_notes_them() {
    let bench = Bench::with_corpus();
    bench.spoil_a_file();
    let is_linked = bench.link_a_file();
    bench.add_foreign_files();
    let verified = bench.run("verify");
    assert_eq!(verified.code, 1, "a file differs: {verified:?}");
    let report: Value = serde_json::from_str(&bench.run("verify --json").stdout).expect("JSON");
    let mut troubles = report["troubles"].as_array().expect("troubles").clone();
    // What the link leads to is right, and is not looked at.
    let linked = troubles.extract_if(.., |trouble| trouble["case"] == ANOTHER_FILE).next();
    let message = linked.map(|linked| linked["message"].as_str().expect("a message").to_owned()).unwrap_or_default();
    let path = bench.corpus().join(ANOTHER_FILE);
    let due = format!("{}: expected a plain file, found a symbolic link; put the file itself there", path.display());
    assert_eq!(message, if is_linked { due } else { String::new() });
    let trouble = serde_json::json!({"case": A_FILE, "message": "differs from its recipe"});
    assert_eq!((&report["holds"], troubles), (&false.into(), vec![trouble]));
    let blessed = bench.run("bless");
    assert_eq!(blessed.code, 0, "{blessed:?}");
    let verified = bench.run("verify");
    assert_eq!(verified.code, 0, "{verified:?}");
    let as_json = bench.run("verify --json");
    let report: Value = serde_json::from_str(&as_json.stdout).expect("JSON");
    assert_eq!((as_json.code, &report["holds"], &report["troubles"]), (0, &true.into(), &Value::Array(Vec::new())));
    let notes: Vec<&str> = report["notes"].as_array().expect("notes").iter().filter_map(Value::as_str).collect();
    assert!(notes.contains(&"phd/notes.txt belongs to no case"), "{notes:?}");
    for note in ["note: phd/notes.txt belongs to no case\n", "note: phd/own belongs to no case\n"] {
        assert!(verified.stdout.contains(note), "{verified:?}");
    }
    assert!(verified.stdout.ends_with("cases: all as expected\n"), "{verified:?}");
    bench.assert_is_the_corpus_and(&FOREIGN);
}

#[cfg(unix)]
#[test]
fn the_folder_itself_may_be_a_link() {
    let bench = Bench::with_corpus();
    bench.spoil_a_file();
    bench.add_foreign_files();
    fs::rename(bench.corpus(), bench.path("elsewhere")).expect("renamed");
    std::os::unix::fs::symlink("elsewhere", bench.corpus()).expect("a link");
    for command in ["bless", "verify"] {
        let ran = bench.run(command);
        assert_eq!(ran.code, 0, "{ran:?}");
    }
    assert!(fs::symlink_metadata(bench.corpus()).expect("there").is_symlink());
    bench.assert_is_the_corpus_and(&FOREIGN);
}

#[cfg(unix)]
#[test]
fn refuses_linked_format_folder_and_leaves_its_target() {
    let bench = Bench::with_corpus();
    bench.spoil_a_file();
    bench.put("corpus/phd/notes.txt", "theirs");
    fs::rename(bench.path("corpus/phd"), bench.path("elsewhere")).expect("renamed");
    std::os::unix::fs::symlink("../elsewhere", bench.path("corpus/phd")).expect("a link");
    bench.assert_refused(&["phd is a symbolic link"]);
}

#[cfg(unix)]
#[test]
fn replaces_linked_file_and_leaves_its_target() {
    let bench = Bench::with_corpus();
    bench.put("outside", "theirs");
    let file = bench.corpus().join(A_FILE);
    fs::remove_file(&file).expect("removed");
    std::os::unix::fs::symlink("../../../outside", &file).expect("a link");
    let blessed = bench.run("bless");
    assert_eq!(blessed.code, 0, "{blessed:?}");
    assert_eq!(bench.text("outside"), "theirs");
    bench.assert_is_the_corpus_and(&[]);
}

#[test]
fn paths_of_the_manifest_that_lead_out_of_the_folder_are_refused() {
    let bench = Bench::with_corpus();
    bench.put("outside", "theirs");
    let absolute = bench.path("outside").to_string_lossy().into_owned();
    for hostile in ["../outside", "phd/../../outside", &absolute, ".heapsmith-lock"] {
        bench.list_a_stale_case(hostile, "phd/stale.jsonl");
        bench.assert_refused(&[hostile]);
    }
    #[cfg(unix)]
    {
        bench.put("elsewhere/x", "theirs");
        std::os::unix::fs::symlink("../elsewhere", bench.path("corpus/link")).expect("a link");
        bench.list_a_stale_case("phd/stale.phd", "link/x");
        bench.assert_refused(&["link is a symbolic link"]);
    }
}

#[test]
fn a_folder_of_something_else_is_refused() {
    let bench = Bench::new();
    bench.put("corpus/phd/notes.txt", "theirs");
    bench.assert_refused(&["is not empty", "manifest.json", "name a corpus folder, or an empty or new one"]);
    for other in ["", "{}", r#"{"name":"an app","icons":[]}"#, r#"{"schema":99,"cases":[]}"#] {
        bench.put("corpus/manifest.json", other);
        bench.assert_refused(&["is not empty", "manifest.json"]);
    }
}

#[test]
fn a_file_that_is_not_listed_is_not_replaced() {
    let bench = Bench::with_corpus();
    bench.spoil_a_file();
    bench.edit_manifest(|cases| cases.retain(|case| case["file"] != A_FILE));
    bench.assert_refused(&[A_FILE, "move it away"]);
    fs::rename(bench.corpus().join(A_FILE), bench.path("away")).expect("renamed");
    let blessed = bench.run("bless");
    assert_eq!(blessed.code, 0, "{blessed:?}");
    bench.assert_is_the_corpus_and(&[]);
}

#[test]
fn bless_removes_files_of_removed_cases() {
    let bench = Bench::with_corpus();
    bench.put("corpus/retired/deep/stale.phd", "ours");
    bench.put("corpus/phd/stale.jsonl", "ours");
    bench.put("corpus/retired/notes.txt", "theirs");
    fs::create_dir(bench.path("corpus/empty")).expect("a folder");
    bench.list_a_stale_case("retired/deep/stale.phd", "phd/stale.jsonl");
    let blessed = bench.run("bless");
    assert_eq!(blessed.code, 0, "{blessed:?}");
    assert_eq!(bench.text("corpus/retired/notes.txt"), "theirs");
    assert!(!bench.path("corpus/retired/deep").exists(), "it is empty now");
    assert!(bench.path("corpus/empty").exists(), "it was not ours");
    fs::remove_file(bench.path("corpus/retired/notes.txt")).expect("removed");
    bench.assert_is_the_corpus_and(&[]);
}

/// Once each format had one folder for all of its cases.
#[test]
fn bless_moves_flat_corpus_into_folders() {
    let bench = Bench::with_corpus();
    let flat = |path: &str| {
        let parts: Vec<&str> = path.split('/').collect();
        format!("{}/{}", parts[0], parts[2])
    };
    bench.edit_manifest(|cases| {
        for case in cases {
            let listings =
                case["answers"].as_array().expect("answers").iter().filter_map(|answer| answer["listing"].as_str());
            for path in listings.chain(case["file"].as_str()) {
                fs::rename(bench.corpus().join(path), bench.corpus().join(flat(path))).expect("renamed");
            }
            case["file"] = flat(case["file"].as_str().expect("a path")).into();
            for answer in case["answers"].as_array_mut().expect("answers") {
                if let Some(listing) = answer["listing"].as_str().map(flat) {
                    answer["listing"] = listing.into();
                }
            }
        }
    });
    for family in ["phd", "hprof", "classic"] {
        for kind in ["golden", "damaged", "spelled", "random"] {
            fs::remove_dir(bench.corpus().join(family).join(kind)).expect("it is empty");
        }
    }
    bench.add_foreign_files();
    for command in ["bless", "verify"] {
        let ran = bench.run(command);
        assert_eq!(ran.code, 0, "{ran:?}");
    }
    bench.assert_is_the_corpus_and(&FOREIGN);
}

#[test]
fn verify_reports_missing_file() {
    let bench = Bench::with_corpus();
    fs::remove_file(bench.corpus().join(A_FILE)).expect("removed");
    fs::remove_dir_all(bench.path("corpus/classic")).expect("removed");
    let verified = bench.run("verify");
    assert_eq!(verified.code, 1, "{verified:?}");
    assert!(verified.stdout.contains(A_FILE) && verified.stdout.contains("classic/"), "{verified:?}");
}

#[test]
fn locks_corpus_for_one_writer_or_many_readers() {
    let bench = Bench::with_corpus();
    let lock = File::create(bench.path("corpus/.heapsmith-lock")).expect("a file");
    lock.lock().expect("locked");
    for command in ["bless", "verify"] {
        let ran = bench.run(command);
        assert_eq!(ran.code, 2, "{ran:?}");
        let folder = bench.corpus().display().to_string();
        for part in [&folder, "in use by another heapsmith command", "wait"] {
            assert!(ran.stderr.contains(part), "{ran:?}");
        }
    }
    lock.lock_shared().expect("locked");
    let blessed = bench.run("bless");
    assert_eq!(blessed.code, 2, "{blessed:?}");
    let verified = bench.run("verify");
    assert_eq!(verified.code, 0, "{verified:?}");
    drop(lock);
    let both = [(); 2].map(|()| bench.command("verify").stdout(Stdio::null()).spawn().expect("started"));
    for mut verify in both {
        assert!(verify.wait().expect("ended").success());
    }
    bench.assert_is_the_corpus_and(&[]);
}

#[cfg(unix)]
#[test]
fn a_read_only_folder_is_verified_without_a_lock() {
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::process::CommandExt;
    let bench = Bench::with_corpus();
    let mode = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("permitted");
    mode(bench.0.path(), 0o755);
    mode(&bench.corpus(), 0o555);
    let program = bench.path("heapsmith");
    // By another process: a file that this one has open for writing is busy for as long as a process that another thread
    // starts meanwhile has it too.
    let copied = Command::new("cp").arg(env!("CARGO_BIN_EXE_heapsmith")).arg(&program).status();
    assert!(copied.expect("cp runs").success());
    let mut verify = Command::new(&program);
    verify.args(["corpus", "verify"]).arg(bench.corpus());
    let probe = bench.path("corpus/probe");
    if fs::write(&probe, "").is_ok() {
        // The superuser may write anywhere; another user may not.
        fs::remove_file(&probe).expect("removed");
        const UNPRIVILEGED: u32 = 65534;
        verify.uid(UNPRIVILEGED).gid(UNPRIVILEGED);
    }
    let verified = Ran::of(verify.output().expect("started"));
    mode(&bench.corpus(), 0o755);
    assert_eq!(verified.code, 0, "{verified:?}");
    bench.assert_is_the_corpus_and(&[]);
}

#[test]
fn bless_finishes_new_folder_when_it_was_killed() {
    let bench = Bench::new();
    // When it has begun, and when some files are in place.
    for sign in [".heapsmith-unfinished", A_FILE] {
        let mut bless = bench.command("bless").spawn().expect("started");
        let sign = bench.corpus().join(sign);
        // On a very slow machine it may have ended before the sign is seen.
        while !sign.exists() && bless.try_wait().expect("known").is_none() {
            thread::sleep(Duration::from_micros(200));
        }
        bless.kill().expect("killed");
        bless.wait().expect("ended");
    }
    bench.put("corpus/notes.txt", "theirs");
    bench.put("corpus/.heapsmith-part", "half");
    let verified = bench.run("verify");
    assert_eq!(verified.code, 1, "{verified:?}");
    let todo = format!("`heapsmith corpus bless {}`", bench.corpus().display());
    assert!(verified.stdout.contains("is unfinished") && verified.stdout.contains(&todo), "{verified:?}");
    for command in ["bless", "verify"] {
        let ran = bench.run(command);
        assert_eq!(ran.code, 0, "{command}: {ran:?}");
    }
    assert_eq!(bench.text("corpus/notes.txt"), "theirs");
    fs::remove_file(bench.path("corpus/notes.txt")).expect("removed");
    bench.assert_is_the_corpus_and(&[]);
}

/// A file of the corpus.
const A_FILE: &str = "phd/golden/phd6-openj9-64.phd";
/// Another one.
const ANOTHER_FILE: &str = "phd/damaged/phd-append-bytes.jsonl";

/// A folder with a folder `corpus` in it.
struct Bench(TempDir);

#[derive(Debug)]
struct Ran {
    code: i32,
    stdout: String,
    stderr: String,
}

impl Ran {
    fn of(output: Output) -> Ran {
        let text = |bytes| String::from_utf8(bytes).expect("text");
        Ran { code: output.status.code().unwrap_or(-1), stdout: text(output.stdout), stderr: text(output.stderr) }
    }
}

impl Bench {
    fn new() -> Bench {
        Bench(tempfile::tempdir().expect("a temporary folder"))
    }

    /// With a copy of the repository's corpus.
    fn with_corpus() -> Bench {
        let bench = Bench::new();
        for (path, bytes) in repository() {
            let path = bench.corpus().join(path);
            fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
            fs::write(path, bytes).expect("written");
        }
        bench
    }

    fn path(&self, path: &str) -> PathBuf {
        self.0.path().join(path)
    }

    fn corpus(&self) -> PathBuf {
        self.path("corpus")
    }

    fn put(&self, path: &str, text: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        fs::write(path, text).expect("written");
    }

    fn text(&self, path: &str) -> String {
        fs::read_to_string(self.path(path)).expect("readable")
    }

    fn spoil_a_file(&self) {
        fs::write(self.corpus().join(A_FILE), "spoiled").expect("written");
    }

    /// Moves a file of the corpus out of it, and puts a link to it in its place; whether that can be done here.
    fn link_a_file(&self) -> bool {
        let file = self.corpus().join(ANOTHER_FILE);
        #[cfg(unix)]
        {
            fs::rename(&file, self.path("moved")).expect("renamed");
            std::os::unix::fs::symlink(self.path("moved"), &file).expect("a link");
        }
        file.is_symlink()
    }

    fn add_foreign_files(&self) {
        for path in FOREIGN {
            self.put(&format!("corpus/{path}"), path);
        }
    }

    fn edit_manifest(&self, edit: impl FnOnce(&mut Vec<Value>)) {
        let mut manifest: Value = serde_json::from_str(&self.text("corpus/manifest.json")).expect("JSON");
        edit(manifest["cases"].as_array_mut().expect("cases"));
        self.put("corpus/manifest.json", &manifest.to_string());
    }

    /// Makes the manifest list a case that no recipe makes, as its last.
    fn list_a_stale_case(&self, file: &str, listing: &str) {
        self.edit_manifest(|cases| {
            cases.retain(|case| case["id"] != "stale");
            let mut stale = cases[0].clone();
            stale["id"] = "stale".into();
            stale["file"] = file.into();
            stale["answers"] = serde_json::json!([{ "reading": "as written", "listing": listing }]);
            cases.push(stale);
        });
    }

    fn command(&self, command: &str) -> Command {
        let mut heapsmith = Command::new(env!("CARGO_BIN_EXE_heapsmith"));
        heapsmith.arg("corpus").args(command.split(' ')).arg(self.corpus());
        heapsmith
    }

    fn run(&self, command: &str) -> Ran {
        Ran::of(self.command(command).output().expect("started"))
    }

    /// `bless` says what stands against it, and changes nothing.
    fn assert_refused(&self, parts: &[&str]) {
        let before = files(self.0.path());
        let blessed = self.run("bless");
        assert_eq!(blessed.code, 2, "{blessed:?}");
        for part in parts {
            assert!(blessed.stderr.contains(part), "{part}: {blessed:?}");
        }
        assert!(files(self.0.path()) == before, "something was changed: {blessed:?}");
    }

    /// The folder holds the repository's corpus, these files with their paths for contents, and nothing else.
    fn assert_is_the_corpus_and(&self, foreign: &[&str]) {
        let mut expected = repository();
        expected.extend(foreign.iter().map(|path| ((*path).to_owned(), path.as_bytes().to_vec())));
        let found = files(&self.corpus());
        let names = |files: &BTreeMap<String, Vec<u8>>| files.keys().cloned().collect::<Vec<String>>();
        assert_eq!(names(&found), names(&expected));
        assert!(found == expected, "a file has other contents");
    }
}

fn repository() -> BTreeMap<String, Vec<u8>> {
    let mut files = files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus"));
    // Another test may be verifying it; the others are the repository's own.
    for beside in [".heapsmith-lock", "README.md", "ids.txt", "renamed.txt", "versions.txt"] {
        files.remove(beside);
    }
    files
}

/// Every file below a folder with its contents, and every link with its target.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(&next).expect("a folder") {
            let path = entry.expect("an entry").path();
            let kind = fs::symlink_metadata(&path).map(|found| found.file_type());
            let Ok(kind) = kind else { continue };
            let name = path.strip_prefix(folder).expect("below").to_string_lossy().replace('\\', "/");
            if kind.is_symlink() {
                let target = fs::read_link(&path).expect("a link").to_string_lossy().into_owned();
                files.insert(name, target.into_bytes());
            } else if kind.is_dir() {
                folders.push(path);
            } else if let Ok(bytes) = fs::read(&path) {
                files.insert(name, bytes);
            }
        }
    }
    files
}

/// Entries as libFuzzer and AFL++ read them: quoted, printable, without repetition, and not too many for AFL++.
#[test]
fn dictionary_has_values_of_fields() {
    for (format, due) in [
        ("hprof", ["\"JAVA PROFILE \"", "\"java/lang/Object\""]),
        ("phd", ["\"portable heap dump\"", "\"java/lang/Object\""]),
        ("classic", ["\"OBJ\"", "\"\\x0d\\x0a\""]),
    ] {
        let output =
            Command::new(env!("CARGO_BIN_EXE_heapsmith")).args(["corpus", "dictionary", "--format", format]).output();
        let output = output.expect("it starts");
        assert!(output.status.success());
        let text = String::from_utf8(output.stdout).expect("a text");
        let entries: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
        assert!((20..=200).contains(&entries.len()), "{format}: {text}");
        assert!(due.iter().all(|entry| entries.contains(entry)), "{format}: {text}");
        for entry in &entries {
            let inner =
                entry.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or_else(|| panic!("{entry}"));
            assert!(!inner.is_empty() && inner.bytes().all(|byte| (b' '..=b'~').contains(&byte)), "{entry}");
        }
        let distinct: std::collections::BTreeSet<_> = entries.iter().collect();
        assert_eq!(distinct.len(), entries.len(), "{format}");
    }
}
