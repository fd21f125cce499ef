//! The commit that is built, for `heapsmith --version`.

use std::process::Command;
use std::{env, fs};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    // While heapsmith is worked on, each commit would have everything compiled anew.
    if env::var("PROFILE").as_deref() == Ok("release")
        && let Some(commit) = commit()
    {
        println!("cargo::rustc-env=HEAPSMITH_COMMIT={commit}");
    }
}

/// The commit that is built: of a package, the one that it was made from.
fn commit() -> Option<String> {
    if let Ok(info) = fs::read_to_string(".cargo_vcs_info.json") {
        let (_, rest) = info.split_once("\"sha1\"")?;
        return rest.split('"').nth(1).map(|commit| commit.chars().take(12).collect());
    }
    let git = |arguments: &[&str]| {
        let output = Command::new("git").args(arguments).output().ok()?;
        let text = output.status.success().then(|| String::from_utf8(output.stdout).ok())??;
        Some(text.trim().to_owned())
    };
    println!("cargo::rerun-if-changed={}", git(&["rev-parse", "--git-path", "logs/HEAD"])?);
    git(&["rev-parse", "--short=12", "HEAD"])
}
