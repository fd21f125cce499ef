//! A temporary folder to run the command in.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use assert_cmd::cargo::CommandCargoExt;
use pretty_assertions::assert_eq;
use tempfile::TempDir;

pub(crate) struct Bench(pub(crate) TempDir);

impl Bench {
    pub(crate) fn new() -> Bench {
        Bench(tempfile::tempdir().expect("a temporary folder"))
    }

    /// Exit code, standard output and standard error.
    pub(crate) fn run(&self, arguments: &str) -> (i32, String, String) {
        let mut command = Command::cargo_bin("heapsmith").expect("built");
        let output = command.args(arguments.split(' ')).current_dir(self.0.path()).output().expect("it runs");
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        (output.status.code().unwrap_or(-1), text(output.stdout), text(output.stderr))
    }

    /// Standard output of a command that has nothing to complain about.
    pub(crate) fn ok(&self, arguments: &str) -> String {
        let (code, out, error) = self.run(arguments);
        assert_eq!((code, error.as_str()), (0, ""), "{arguments}");
        out
    }

    /// Standard error of a command that could not run.
    pub(crate) fn refused(&self, arguments: &str) -> String {
        let (code, _, error) = self.run(arguments);
        assert_eq!(code, 2, "{arguments}: {error}");
        error
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
    }

    pub(crate) fn write(&self, name: &str, bytes: &[u8]) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("writable");
        fs::write(path, bytes).expect("writable");
    }
}
