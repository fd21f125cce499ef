//! The script of the GitHub action: the report that it keeps, and the program that it takes.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use sha2::{Digest, Sha256};
use tempfile::TempDir;

use crate::bench::{HEAPSMITH, PATIENT};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

#[test]
fn the_script_of_the_action_writes_every_form_of_the_report() {
    let folder = tempfile::tempdir().expect("there is room for a folder");
    let (report, summary) = (folder.path().join("report"), folder.path().join("summary.md"));
    let heapsmith = Path::new(HEAPSMITH).parent().expect("it lies in a folder");
    let path = format!("{}:{}", heapsmith.display(), std::env::var("PATH").unwrap_or_default());
    let ran = Command::new(format!("{ROOT}/.github/actions/check/check.sh"))
        .env("PATH", path)
        .env("ADAPTER", "heapsmith adapter serve")
        .env("FORMAT", "classic")
        .env("RANDOM_DUMPS", "3")
        .env("TIME_LIMIT", PATIENT[1])
        .env("REPORT", &report)
        .env("GITHUB_STEP_SUMMARY", &summary)
        .output()
        .expect("bash can be run");
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    for file in ["report.html", "report.json", "report.md", "junit.xml"] {
        let text = fs::read_to_string(report.join(file)).expect("it was written");
        assert!(text.contains("heapsmith 0.1.0"), "{file}");
    }
    assert_eq!(fs::read(summary).expect("written"), fs::read(report.join("report.md")).expect("written"));
}

/// Releases in a folder, and a machine that has neither heapsmith nor cargo on its path.
struct Bench(TempDir);

impl Bench {
    /// A release whose program is the one under test.
    fn new() -> Option<Bench> {
        let is_there = Command::new("curl").arg("--version").output().is_ok_and(|output| output.status.success());
        if !is_there || !cfg!(target_os = "linux") {
            println!("skipped: no curl; the download of a release was not tried");
            return None;
        }
        let bench = Bench(tempfile::tempdir().expect("there is room for a folder"));
        let (name, release) = (bench.name(), bench.path("releases/v0.1.0"));
        let program = bench.path(&format!("{name}/heapsmith"));
        fs::create_dir_all(bench.path(&name)).expect("writable");
        fs::create_dir_all(&release).expect("writable");
        // A copy would be large: what is started is the same.
        fs::write(&program, format!("#!/bin/sh\nexec '{HEAPSMITH}' \"$@\"\n")).expect("writable");
        let archive = Path::new(&release).join(format!("{name}.tar.gz"));
        let packed = Command::new("sh")
            .args(["-c", "chmod +x \"$1/heapsmith\" && tar czf \"$2\" \"$1\"", "sh", &name])
            .arg(&archive)
            .current_dir(bench.0.path())
            .status();
        assert!(packed.is_ok_and(|status| status.success()), "tar is there");
        let digest = Sha256::digest(fs::read(&archive).expect("written"));
        let digest: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        fs::write(Path::new(&release).join("SHA256SUMS"), format!("{digest}  {name}.tar.gz\n")).expect("writable");
        Some(bench)
    }

    fn name(&self) -> String {
        format!("heapsmith-0.1.0-{}-linux", std::env::consts::ARCH)
    }

    fn path(&self, name: &str) -> String {
        self.0.path().join(name).display().to_string()
    }

    fn run(&self) -> Output {
        Command::new(format!("{ROOT}/.github/actions/check/check.sh"))
            .env("PATH", "/usr/bin:/bin")
            .env("RELEASES", format!("file://{}", self.path("releases")))
            .env("CACHE", self.path("cache"))
            .env("ADAPTER", "heapsmith adapter serve")
            .env("FORMAT", "classic")
            .env("RANDOM_DUMPS", "0")
            .env("TIME_LIMIT", PATIENT[1])
            .env("REPORT", self.path("report"))
            .output()
            .expect("bash can be run")
    }

    /// What the folder for released programs holds.
    fn kept(&self) -> Vec<String> {
        let entries = fs::read_dir(self.path("cache")).expect("a folder").filter_map(Result::ok);
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
    }
}

#[test]
fn downloads_release_once_and_caches_it() {
    let Some(bench) = Bench::new() else { return };
    for round in ["downloaded", "kept"] {
        let ran = bench.run();
        assert!(ran.status.success(), "{round}: {}", String::from_utf8_lossy(&ran.stderr));
        assert!(Path::new(&bench.path("report/report.json")).exists());
        assert_eq!(bench.kept(), [bench.name()], "{round}");
        // The second time there is nothing to download.
        let _ = fs::remove_dir_all(bench.path("releases"));
    }
}

#[test]
fn refuses_program_with_wrong_checksum() {
    let Some(bench) = Bench::new() else { return };
    let archive = Path::new(&bench.path("releases/v0.1.0")).join(format!("{}.tar.gz", bench.name()));
    let mut bytes = fs::read(&archive).expect("written");
    // The time in the header of gzip: all else is as it was.
    bytes[4] ^= 1;
    fs::write(&archive, bytes).expect("writable");
    let ran = bench.run();
    let told = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.code() == Some(2) && told.contains("its checksum is not that of the release"), "{told}");
    assert!(bench.kept().is_empty(), "{:?}", bench.kept());
}
