//! The command line, and what the documents say of it.
//!
//! One program for all of these, as in `tests/formats`. Each module is named as its tests begin:
//! `cargo test --test commands readme::`.
mod agreement;
mod cli;
mod cli_classic;
mod cli_conversion;
mod cli_corrupt;
mod cli_digest;
mod corpus_folder;
mod memory;
mod readme;
mod rewriting;
#[path = "../schema/mod.rs"]
mod schema;
mod stability;
mod terminal;
mod wording;
