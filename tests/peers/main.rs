//! Other people's HPROF readers against our writer: each is asked what it counts in dumps of known heaps.
//!
//! The readers are run through adapters by `run.sh`, from the folder that `HEAPSMITH_PEERS` names (see README.md).
//! Without it jvm-hprof alone takes part, which cargo builds into its target folder; where that fails, these tests
//! are skipped, and say so. With `HEAPSMITH_PEERS_REQUIRED` set, skipping fails.

mod census;
mod defects;
mod plain;

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use heapsmith::DumpOptions;
use heapsmith::format::{DumpFile, Format};
use heapsmith::generate::from_seed;
use heapsmith::hprof::{IdSize, PROFILES, ReadOptions};
use heapsmith::input::Input;
use heapsmith::model::Dump;
use serde_json::Value as Json;

use census::{Feature, census, differences, features, without_odd_names};
use defects::DEFECTS;

const PEERS: [&str; 4] = ["jvm-hprof", "hprof-slurp", "hprof-analyzer", "visualvm"];

/// What a peer made of a dump.
enum Answer {
    Told(Json),
    Failed(String),
    Skipped,
}

#[test]
#[ignore = "long: tests/long.sh runs it"]
fn peers_count_the_objects_written() {
    let Some(peers) = peers() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let mut made = Vec::new();
    let seeds = std::env::var("HEAPSMITH_PEERS_SEEDS").map_or(3, |seeds| seeds.parse().expect("a number of seeds"));
    for profile in PROFILES {
        let sizes = match profile.id_size {
            Some(size) => vec![size],
            None if profile.is_seeded() => vec![IdSize::One, IdSize::Two, IdSize::Four, IdSize::Eight],
            None => vec![IdSize::Four, IdSize::Eight],
        };
        for id_size in sizes {
            for objects in [20, 400] {
                for seed in 0..seeds {
                    // One byte numbers 255 things.
                    let objects = if id_size == IdSize::One { 20 } else { objects };
                    let profile = profile.name;
                    let name = format!("{profile}-{}-{objects}-{seed}", id_size.bytes());
                    let options = DumpOptions::new(Format::HPROF).profile(profile).id_size(id_size).seed(seed);
                    let lowering = options.lowering().expect("a profile");
                    let heap = from_seed(&lowering.generate_options(objects, None), seed);
                    let mut dump = Dump { heaps: vec![heap], tail: Vec::new() };
                    let path = folder.path().join(format!("{name}.hprof"));
                    let mut bytes = Vec::new();
                    lowering.write(&mut dump, &mut bytes).expect("writable");
                    fs::write(&path, &bytes).expect("a file");
                    // From the heap, so that our decoder has no part in it.
                    let carried = lowering.carry(&mut dump).expect("writable");
                    made.push((profile, name, path, census(&carried), features(&bytes, &carried)));
                }
            }
        }
    }
    let paths: Vec<PathBuf> = made.iter().map(|(_, _, path, ..)| path.clone()).collect();
    let mut verdicts: BTreeMap<(&str, &str), (u32, u32)> = BTreeMap::new();
    let mut wrong = Vec::new();
    for ((profile, name, _, wanted, features), answers) in made.into_iter().zip(ask(&peers, &paths)) {
        let wanted = without_odd_names(wanted);
        for (peer, answer) in PEERS.into_iter().zip(answers) {
            let says = match answer {
                Answer::Skipped if peer == PEERS[0] => panic!("{} has no {peer}", peers.display()),
                Answer::Skipped => continue,
                Answer::Told(told) => differences(&wanted, &without_odd_names(told)).join("; "),
                Answer::Failed(message) => message,
            };
            // Names that are no UTF-8 are put aside.
            let is_known = |feature: &Feature| {
                let named = |d: &&defects::Defect| d.feature == *feature && d.peers.contains(&peer);
                *feature != Feature::ModifiedName && DEFECTS.iter().any(|d| named(&d))
            };
            let reasons: Vec<&Feature> = features.iter().filter(|feature| is_known(feature)).collect();
            let (right, known) = verdicts.entry((peer, profile)).or_default();
            // Whether it notices that it has lost references after a HEAP DUMP INFO (hprof-analyzer-3 in docs/results/)
            // depends on the references.
            if peer == "hprof-analyzer" && profile == "art" && says.contains("Lengauer-Tarjan invariant") {
                *known += 1;
                continue;
            }
            match (says.is_empty(), reasons.is_empty()) {
                (true, true) => *right += 1,
                (false, false) => *known += 1,
                (false, true) => wrong.push(format!("{name}, {peer}: {says}")),
                (true, false) => wrong.push(format!("{name}, {peer}: right, in spite of {reasons:?}")),
            }
        }
    }
    for ((peer, profile), (right, known)) in &verdicts {
        println!("| {peer} | {profile} | {right} | {known} |");
    }
    assert!(wrong.is_empty(), "{} answers are not what they have to be:\n{}", wrong.len(), wrong.join("\n"));
    // What HotSpot and its agent write has nothing that a peer gets wrong; constant pools (`agent`) and Android's
    // sub-records (`art`) have.
    let is_common = |profile: &str| profile.starts_with("hotspot") || profile == "sa";
    assert!(verdicts.iter().all(|((_, profile), (_, known))| *known == 0 || !is_common(profile)));
    assert!(!verdicts.is_empty());
}

#[test]
#[ignore = "long: tests/long.sh runs it"]
fn each_known_defect_affects_only_its_peer() {
    let Some(peers) = peers() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let mut paths = Vec::new();
    let mut wanted = Vec::new();
    for defect in DEFECTS {
        // hprof-analyzer takes what is compressed for a report of its own, unless the name says otherwise.
        let suffix = if defect.feature == Feature::Gzip { "hprof.gz" } else { "hprof" };
        let path = folder.path().join(format!("{}.{suffix}", defect.id));
        fs::write(&path, defect.dump).expect("a file");
        paths.push(path);
        let input = Input::from_memory(defect.id, defect.dump.to_vec());
        let file = DumpFile::new(input, ReadOptions::default()).expect("a dump").read().expect("a dump");
        file.ended.expect("a valid dump");
        let found = features(defect.dump, &file.dump);
        assert!(found.contains(&defect.feature), "{}: {found:?}", defect.id);
        wanted.push(census(&file.dump));
    }
    let mut wrong = Vec::new();
    for ((defect, wanted), answers) in DEFECTS.iter().zip(wanted).zip(ask(&peers, &paths)) {
        for (peer, answer) in PEERS.into_iter().zip(answers) {
            let says = match answer {
                Answer::Skipped if peer == PEERS[0] => panic!("{} has no {peer}", peers.display()),
                Answer::Skipped => continue,
                Answer::Told(told) => differences(&wanted, &told).join("; "),
                Answer::Failed(message) => message,
            };
            match (defect.peers.contains(&peer), says.is_empty()) {
                (true, true) => wrong.push(format!("{}, {peer}: no defect any more", defect.id)),
                (false, false) => wrong.push(format!("{}, {peer}: {says}", defect.id)),
                (true, false) => println!("| {} | {} | {peer} | {says} |", defect.id, defect.what),
                (false, true) => {}
            }
        }
    }
    assert!(wrong.is_empty(), "{} answers are not what they have to be:\n{}", wrong.len(), wrong.join("\n"));
}

/// What every peer makes of every dump.
fn ask(peers: &Path, dumps: &[PathBuf]) -> Vec<Vec<Answer>> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/peers/run.sh");
    let run = Command::new("bash").arg(script).arg(peers).args(dumps).stdin(Stdio::null()).output().expect("bash");
    assert!(run.status.success(), "run.sh: {}", String::from_utf8_lossy(&run.stderr));
    let said = String::from_utf8(run.stdout).expect("text");
    let answers: Vec<Answer> = said.lines().map(answer).collect();
    assert_eq!(answers.len(), dumps.len() * PEERS.len(), "{said}");
    let mut answers = answers.into_iter();
    dumps.iter().map(|_| answers.by_ref().take(PEERS.len()).collect()).collect()
}

fn answer(line: &str) -> Answer {
    if line.starts_with("skipped: ") {
        Answer::Skipped
    } else if let Some(message) = line.strip_prefix("failed: ") {
        // A slow machine is no defect; of the dumps here none keeps a reader for ever.
        assert!(!message.contains(": no answer in "), "{message}: PEER_TIMEOUT is too short");
        Answer::Failed(message.to_owned())
    } else {
        Answer::Told(serde_json::from_str(line).expect("an answer in JSON"))
    }
}

/// The folder with the peers.
fn peers() -> Option<PathBuf> {
    static PEERS: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    let installed = || match std::env::var_os("HEAPSMITH_PEERS") {
        Some(folder) => Ok(PathBuf::from(folder)),
        None => adapter(),
    };
    match PEERS.get_or_init(installed) {
        Ok(folder) => Some(folder.clone()),
        Err(reason) => {
            assert!(std::env::var_os("HEAPSMITH_PEERS_REQUIRED").is_none(), "a peer is required here: {reason}");
            // Not eprintln!, which the test runner keeps to itself when a test passes.
            let _ = writeln!(std::io::stderr(), "skipped: {reason}");
            None
        }
    }
}

/// Builds the adapter of jvm-hprof, and gives a folder in which it is the only peer.
fn adapter() -> Result<PathBuf, String> {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/peers/jvm-hprof/Cargo.toml");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("peers");
    let build = Command::new(env!("CARGO"))
        .args(["build", "--release", "--locked", "--quiet", "--manifest-path"])
        .arg(manifest)
        .arg("--target-dir")
        .arg(&folder)
        .output()
        .map_err(|e| format!("no cargo: {e}"))?;
    if !build.status.success() {
        let said = String::from_utf8_lossy(&build.stderr).into_owned();
        return Err(format!("the adapter of jvm-hprof cannot be built: {}", said.trim()));
    }
    let name = format!("peer-jvm-hprof{}", std::env::consts::EXE_SUFFIX);
    fs::create_dir_all(folder.join("bin"))
        .and_then(|()| fs::copy(folder.join("release").join(&name), folder.join("bin").join(&name)))
        .map_err(|e| format!("the adapter of jvm-hprof was not built: {e}"))?;
    Ok(folder)
}
