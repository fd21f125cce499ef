//! The rule book: rule ids and their statements, made from `specs/hprof.toml` by `build.rs`.

include!(concat!(env!("OUT_DIR"), "/hprof_book.rs"));
