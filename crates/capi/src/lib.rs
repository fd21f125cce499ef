//! The C library of [heapsmith](https://docs.rs/heapsmith): heap dumps made, changed and judged in the process of a program or of a
//! fuzzing engine.
//!
//! `include/heapsmith.h` declares the functions, and cbindgen makes it of this crate. All work is done by safe functions of
//! `heapsmith-core` ([`mutator`](heapsmith_core::mutator)) and `heapsmith-check` ([`embedding`](heapsmith_check::embedding)); here, pointers
//! become slices, results become buffers, and panics become an error.
//!
//! This is the only crate of heapsmith with `unsafe`. It is used for what C gives (pointers, which are taken to be valid for the length
//! beside them) and for the memory that C gives back.

mod buffer;
#[doc(hidden)]
pub mod engine;
mod judging;
mod making;
mod status;
mod trimming;

pub use buffer::{HeapsmithBuffer, heapsmith_free};
pub use judging::{
    heapsmith_answers, heapsmith_compare_digest, heapsmith_compare_listing, heapsmith_corpus_answer,
    heapsmith_corpus_case, heapsmith_corpus_count, heapsmith_digest, heapsmith_listing, heapsmith_validate,
};
pub use making::{
    heapsmith_build, heapsmith_cross_over, heapsmith_dump_from_bytes, heapsmith_generate, heapsmith_is_dump,
    heapsmith_mutate,
};
pub use status::{HeapsmithStatus, heapsmith_last_error};
pub use trimming::{
    HeapsmithTrimmer, heapsmith_trim_candidate, heapsmith_trim_free, heapsmith_trim_judge, heapsmith_trim_new,
    heapsmith_trim_result,
};

/// Version of the functions and types of this header. It grows with every change that a compiled program would notice.
pub const HEAPSMITH_ABI_VERSION: u32 = 1;

/// The version of the library that is linked, to be compared with `HEAPSMITH_ABI_VERSION` of the header.
#[unsafe(no_mangle)]
pub extern "C" fn heapsmith_abi_version() -> u32 {
    HEAPSMITH_ABI_VERSION
}
