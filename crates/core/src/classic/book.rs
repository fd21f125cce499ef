//! The rule book: rule ids and their statements, made from `specs/classic.toml` by `build.rs`.

include!(concat!(env!("OUT_DIR"), "/classic_book.rs"));
