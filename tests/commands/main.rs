//! The command line, and what the documents say of it.
//!
//! One program for all of these, as in `tests/formats`. Each module is named as its tests begin:
//! `cargo test --test commands readme::`.
use std::env;
use std::process::Command;

mod agreement;
mod bench;
mod book;
mod build;
mod cli;
mod cli_answers;
mod cli_classic;
mod cli_conversion;
mod cli_corrupt;
mod cli_describe;
mod cli_digest;
mod corpus_folder;
#[cfg(unix)]
mod endless;
mod golden;
mod help;
mod inspect_page;
mod manners;
mod memory;
mod not_done;
#[cfg(unix)]
mod outputs;
#[cfg(unix)]
mod progress;
#[cfg(unix)]
mod pty;
mod readme;
mod recipes;
mod reduce;
mod rewriting;
#[path = "../schema/mod.rs"]
mod schema;
mod stability;
mod terminal;
mod wording;

/// Whether there is python3; if not, what is skipped for which reason is told.
fn has_python(why: &str) -> bool {
    let is_there = Command::new("python3").arg("--version").output().is_ok_and(|output| output.status.success());
    if !is_there {
        assert!(env::var_os("HEAPSMITH_PYTHON_REQUIRED").is_none(), "python3 is required and not there");
        println!("skipped: no python3; {why}");
    }
    is_there
}
