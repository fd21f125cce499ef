//! The rule book: rule ids and their statements, made from `specs/phd.toml` by `build.rs`.

include!(concat!(env!("OUT_DIR"), "/phd_book.rs"));
