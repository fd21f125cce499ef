//! What a real VM writes: dumps of a program whose heap is known (`Zoo.java`), made on the spot by two writers, the
//! VM itself and the serviceability agent.
//!
//! They are made by `dump.sh` with the JDK, 17 or later, of `JAVA_HOME` or of the path. Without one this test is
//! skipped, and says so; with `HEAPSMITH_JDK_REQUIRED` set, skipping fails. Where `HEAPSMITH_JVM_DUMPS` names a
//! folder that `dump.sh` filled, its dumps are checked instead, with a row of figures for each.

mod collections;
mod facts;
mod histogram;
#[path = "../shape/mod.rs"]
mod shape;
mod structure;

use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use heapsmith::DumpOptions;
use heapsmith::bytes::SameBytes;
use heapsmith::format::{DumpFile, Format};
use heapsmith::hprof::ReadOptions;
use heapsmith::input::Input;
use heapsmith::model::Dump;
use heapsmith::validate::{Severity, ValidateOptions, validate};
use process_wrap::std::{CommandWrap, ProcessGroup};

/// Which collectors, reference widths and writers; the two rows are made side by side.
const GRID: [&[(&str, &str, &str)]; 2] = [
    &[("Serial", "oops", "all live gz sa"), ("Serial", "nooops", "live gz sa")],
    &[("G1", "oops nooops", "live gz sa")],
];
/// For a script that makes dumps: far more than it takes on a busy machine.
const LIMIT: Duration = Duration::from_secs(3600);

#[test]
fn reads_every_fact_of_known_program_and_rewrites_its_dumps() {
    if let Some(folder) = std::env::var_os("HEAPSMITH_JVM_DUMPS") {
        check_all(Path::new(&folder));
        return;
    }
    let home = match jdk() {
        Ok(home) => home,
        Err(reason) => return skip(&reason),
    };
    let folder = tempfile::tempdir().expect("a folder");
    let told: Vec<String> = std::thread::scope(|scope| {
        let rows = GRID.map(|row| {
            scope.spawn(|| row.iter().map(|cell| make(cell, folder.path(), home.as_deref())).collect::<String>())
        });
        rows.map(|row| row.join().expect("a thread")).into()
    });
    let checked = check_all(folder.path());
    let wanted: usize = GRID
        .iter()
        .flat_map(|row| row.iter())
        .map(|(_, oops, kinds)| oops.split(' ').count() * kinds.split(' ').count())
        .sum();
    // Only the machine may refuse one of its writers: attaching as a debugger is a privilege.
    let skipped: Vec<&str> = told.iter().flat_map(|text| text.lines()).filter(|l| l.starts_with("skip ")).collect();
    for line in &skipped {
        assert!(line.contains("-sa") && line.contains("ptrace"), "{line}");
        note(line);
    }
    assert_eq!(checked + skipped.len(), wanted, "{told:?}");
}

#[test]
fn lays_out_collections_as_vm_does() {
    match jdk() {
        Ok(home) => collections::check(home.as_deref()),
        Err(reason) => skip(&reason),
    }
}

/// The JDK's folder (`None`: its programs are on the path), or why there is none.
fn jdk() -> Result<Option<PathBuf>, String> {
    let home = std::env::var_os("JAVA_HOME").map(PathBuf::from);
    let in_home = home.map(|home| is_jdk(&|name| home.join("bin").join(name)).map(|()| Some(home.clone())));
    match in_home {
        Some(Ok(home)) => Ok(home),
        Some(Err(reason)) => is_jdk(&|name| name.into()).map(|()| None).map_err(|and| format!("{reason}; {and}")),
        None => is_jdk(&|name| name.into()).map(|()| None),
    }
}

fn is_jdk(program: &dyn Fn(&str) -> PathBuf) -> Result<(), String> {
    for (name, argument) in [("java", "-version"), ("javac", "-version"), ("jcmd", "-h"), ("jhsdb", "--help")] {
        let path = program(name);
        let run = Command::new(&path).arg(argument).stdin(Stdio::null()).output();
        let run = run.map_err(|e| format!("no JDK: {}: {e}", path.display()))?;
        if name == "java" {
            let told = String::from_utf8_lossy(&run.stderr).into_owned();
            let major = major_version(&told);
            if major.is_none_or(|major| major < 17) {
                return Err(format!("no JDK 17 or later, but {}", told.lines().next().unwrap_or_default()));
            }
        }
    }
    Ok(())
}

/// The number of a JDK, from what `java -version` says.
fn major_version(told: &str) -> Option<u32> {
    let (_, version) = told.split_once("version \"")?;
    version.split(['.', '"', '-']).next()?.parse().ok()
}

/// Runs `dump.sh` for a cell of the grid, and gives what it said. Nothing that it started outlives it.
fn make((collector, oops, kinds): &(&str, &str, &str), folder: &Path, home: Option<&Path>) -> String {
    let mut said = tempfile::tempfile().expect("a file");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/jvm/dump.sh");
    let mut command = Command::new("sh");
    command
        .arg(script)
        .arg(folder)
        .args(home)
        .env_remove("JAVA_HOME")
        .env("GCS", collector)
        .env("OOPS", oops)
        .env("KINDS", kinds);
    command.stdin(Stdio::null()).stdout(said.try_clone().expect("a file")).stderr(said.try_clone().expect("a file"));
    let mut child = CommandWrap::from(command).wrap(ProcessGroup::leader()).spawn().expect("sh");
    let started = Instant::now();
    let ended = loop {
        match child.inner_mut().try_wait().expect("a child") {
            None if started.elapsed() < LIMIT => std::thread::sleep(Duration::from_millis(50)),
            ended => break ended,
        }
    };
    let _ = child.start_kill();
    let _ = child.wait();
    let mut text = String::new();
    std::io::Seek::rewind(&mut said).expect("a file");
    said.read_to_string(&mut text).expect("text");
    let Some(status) = ended else { panic!("dump.sh has not ended within {} s:\n{text}", LIMIT.as_secs()) };
    assert!(status.success(), "dump.sh ended with {status}:\n{text}");
    text
}

/// A dump of `dump.sh`, told by its name.
pub(crate) struct Made {
    path: PathBuf,
    stem: String,
    major: u32,
    pub(crate) collector: String,
    pub(crate) kind: String,
}

impl Made {
    fn of(path: PathBuf) -> Option<Made> {
        let name = path.file_name()?.to_str()?;
        let stem = name.strip_suffix(".gz").unwrap_or(name).strip_suffix(".hprof")?.to_owned();
        let [major, collector, _, kind] = stem.split('-').collect::<Vec<_>>()[..] else { return None };
        let (major, collector, kind) = (major.parse().ok()?, collector.to_owned(), kind.to_owned());
        Some(Made { stem, major, collector, kind, path })
    }

    /// Whether the serviceability agent made it.
    pub(crate) fn by_agent(&self) -> bool {
        self.kind.starts_with("sa")
    }

    /// The writer in the lists of differences: `sa`, `sagz` or the JDK's version.
    fn writer(&self) -> String {
        if self.by_agent() { self.kind.clone() } else { self.major.to_string() }
    }

    fn profile(&self) -> &'static str {
        match self.major {
            _ if self.by_agent() => "sa",
            22.. => "hotspot-25",
            18.. => "hotspot-21",
            12.. => "hotspot-17",
            _ => "hotspot-11",
        }
    }
}

/// Checks every dump of a folder, two at a time, and gives their number.
fn check_all(folder: &Path) -> usize {
    let entries = fs::read_dir(folder).expect("a folder of dumps");
    let mut dumps: Vec<Made> = entries.filter_map(|entry| Made::of(entry.ok()?.path())).collect();
    dumps.sort_by(|one, other| one.stem.cmp(&other.stem));
    assert!(!dumps.is_empty(), "{} holds no dump", folder.display());
    let (first, second) = dumps.split_at(dumps.len() / 2);
    let checked = std::thread::scope(|scope| {
        let halves = [first, second].map(|half| scope.spawn(|| half.iter().map(check).collect::<Vec<_>>()));
        halves.map(|half| half.join().expect("every dump of this half is as it has to be")).concat()
    });
    checked.iter().for_each(|row| println!("{row}"));
    checked.len()
}

/// Checks a dump, and gives its row of figures.
fn check(made: &Made) -> String {
    let name = &made.stem;
    let input = Input::open(&made.path).expect("a dump");
    let mut bytes = Vec::new();
    input.stream().expect("a dump").read_to_end(&mut bytes).expect("a dump");

    let report = validate(&input, ValidateOptions::default()).expect("a report");
    let errors: Vec<_> = report.findings.iter().filter(|finding| finding.severity == Severity::Error).collect();
    assert!(report.valid && errors.is_empty(), "{name}: {errors:#?}");
    let found: Vec<String> =
        report.counts.iter().map(|counts| format!("{} of {}", counts.count, counts.rule)).collect();

    let again = made.path.with_extension("again");
    let rewrite = Command::new(env!("CARGO_BIN_EXE_heapsmith"))
        .args(["rewrite", "--through", "records"])
        .arg(&made.path)
        .arg("-o")
        .arg(&again)
        .output()
        .expect("heapsmith");
    assert!(rewrite.status.success(), "{name}: {}", String::from_utf8_lossy(&rewrite.stderr));
    let same = fs::read(&again).expect("an output") == bytes;
    fs::remove_file(&again).expect("an output");
    assert!(same, "{name}: its records do not give its bytes");

    let file = DumpFile::new(input, ReadOptions::default()).expect("a dump");
    let whole = file.read().expect("a dump");
    whole.ended.expect("a whole dump");
    let [heap] = &whole.dump.heaps[..] else { panic!("{name}: {} heaps", whole.dump.heaps.len()) };
    let recognised = recognised(made, &file, &bytes, &whole.dump);

    let (wrong, otherwise) = structure::compare(made, &file, &bytes);
    assert!(
        wrong.is_empty(),
        "{name}: its structure is not that of what {} writes:\n{}",
        made.profile(),
        wrong.join("\n")
    );

    let (rows, wrong) = facts::check(heap, made.major, made.by_agent());
    assert!(rows > 150 && wrong.is_empty(), "{name}: of {rows} rows these do not hold:\n{}", wrong.join("\n"));

    let told = fs::read_to_string(made.path.with_file_name(format!("{name}.histogram.txt"))).expect("a histogram");
    let told = histogram::parse(&told, made.major);
    assert!(told.len() > 300, "{name}: a histogram of {} classes", told.len());
    let wrong = histogram::compare(&told, heap, made);
    assert!(wrong.is_empty(), "{name}: the histogram tells\n{}", wrong.join("\n"));

    format!(
        "| {name} | {} | {} | {} | {recognised} | {rows} | {} | {} | {otherwise} |",
        bytes.len(),
        heap.classes.len(),
        heap.objects.len(),
        told.len(),
        found.join(", "),
    )
}

/// The dump's bytes come back through its heap, by the writer that made it; gives that writer's name.
///
/// From Java 22 on a VM with more than one dump thread (six CPUs or more) cuts where each thread began, too, and no
/// profile does. Then at least the heap comes back.
fn recognised(made: &Made, file: &DumpFile, bytes: &[u8], dump: &Dump) -> &'static str {
    let name = &made.stem;
    let mut source = file.source().expect("a dump");
    if let Some(lowering) = file.recognise(&mut source).expect("a dump") {
        assert_eq!(lowering.profile(), made.profile(), "{name}");
        // The bytes themselves, not only the recogniser's word.
        let mut same = SameBytes::new(Box::new(std::io::Cursor::new(bytes.to_vec())));
        lowering.write(&mut source, &mut same).expect("the same bytes");
        assert!(same.is_whole().expect("memory"), "{name}");
        return lowering.profile();
    }
    assert!(made.major >= 22 && !made.by_agent(), "{name}: no profile gives its bytes");
    let mut again = Vec::new();
    let lowering = DumpOptions::new(Format::HPROF).profile(made.profile()).lowering().expect("a profile").adhering();
    lowering.write(&mut source, &mut again).expect("memory");
    let again = DumpFile::new(Input::from_memory(name, again), ReadOptions::default()).expect("a dump");
    assert!(again.read().expect("a dump").dump == *dump, "{name}: another heap comes back");
    "none; same heap"
}

fn skip(reason: &str) {
    assert!(std::env::var_os("HEAPSMITH_JDK_REQUIRED").is_none(), "a JDK is required here: {reason}");
    note(&format!("skipped: {reason}"));
}

/// Not eprintln!, which the test runner keeps to itself when a test passes.
fn note(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}
