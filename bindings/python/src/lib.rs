//! The extension module of heapsmith for Python, `heapsmith._native`: bytes, texts and JSON. The package in `python/heapsmith` makes
//! Python objects of them.
//!
//! All work is done by functions of `heapsmith-core` ([`mutator`](heapsmith_core::mutator)) and `heapsmith-check`
//! ([`embedding`](heapsmith_check::embedding)), without the interpreter's lock.

mod checking;
mod dumps;
mod failure;
mod heap_views;
mod lent_bytes;

use pyo3::prelude::*;

/// The functions of heapsmith, as the package `heapsmith` calls them.
#[pymodule]
mod _native {
    #[pymodule_export]
    use crate::checking::{case_ids, check};
    #[pymodule_export]
    use crate::dumps::{
        answers, build, case_answer, case_count, case_description, case_dump, compare_digest, compare_listing,
        cross_over, digest, dump_from_bytes, generate, is_dump, listing, mutate, validate,
    };
    #[pymodule_export]
    use crate::failure::{ArgumentError, DefectError, HeapsmithError, InvalidError, LimitError};
    #[pymodule_export]
    use crate::heap_views::{HeapClass, HeapObject, HeapRoot, HeapView};
}
