//! Dumps that are made or changed.

use heapsmith_check::embedding;
use heapsmith_core::mutator;

use crate::buffer::{HeapsmithBuffer, call_with_output, lent, lent_text};
use crate::status::{HeapsmithStatus, call};

/// Makes the dump of a recipe, such as `preset=tiny,objects=20,seed=7,format=hprof`, or of a whole line that `heapsmith generate --recipe`
/// takes. A dump of more than `max_size` bytes is an error.
///
/// # Safety
/// `recipe` is valid for `recipe_length` bytes, `out` for a buffer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn heapsmith_generate(
    recipe: *const u8,
    recipe_length: usize,
    max_size: usize,
    out: *mut HeapsmithBuffer,
) -> HeapsmithStatus {
    // SAFETY: the caller says so of both pointers.
    unsafe {
        call_with_output(out, || {
            let recipe = lent_text(recipe, recipe_length, "the recipe")?;
            Ok((HeapsmithStatus::Ok, mutator::generate(recipe, max_size)?))
        })
    }
}

/// Makes the dump of a heap file's text, in a format such as `hprof` or `phd6/openj9`, as `heapsmith build` writes it. What the format
/// does not record is left out. A dump of more than `max_size` bytes is an error.
///
/// # Safety
/// `text` and `format` are valid for their lengths, `out` for a buffer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn heapsmith_build(
    text: *const u8,
    text_length: usize,
    format: *const u8,
    format_length: usize,
    max_size: usize,
    out: *mut HeapsmithBuffer,
) -> HeapsmithStatus {
    // SAFETY: the caller says so of all pointers.
    unsafe {
        call_with_output(out, || {
            let text = lent(text, text_length, "the text")?;
            let format = lent_text(format, format_length, "the format")?;
            Ok((HeapsmithStatus::Ok, embedding::build(text, format, max_size)?))
        })
    }
}

/// Makes a dump of a fuzzer's bytes. The options are those of a recipe; no bytes give the recipe's own dump. The first two bytes are
/// added to the seed, and each eight of the following ones decide one change, so that bytes that differ little give dumps that do.
///
/// # Safety
/// `options` and `bytes` are valid for their lengths, `out` for a buffer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn heapsmith_dump_from_bytes(
    options: *const u8,
    options_length: usize,
    bytes: *const u8,
    length: usize,
    max_size: usize,
    out: *mut HeapsmithBuffer,
) -> HeapsmithStatus {
    // SAFETY: the caller says so of all pointers.
    unsafe {
        call_with_output(out, || {
            let options = lent_text(options, options_length, "the text of the options")?;
            let bytes = lent(bytes, length, "the input")?;
            Ok((HeapsmithStatus::Ok, mutator::dump_from_bytes(options, bytes, max_size)?))
        })
    }
}

/// Whether bytes begin like a dump of any format. Null and no bytes do not.
///
/// # Safety
/// `bytes` is null or valid for `length` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn heapsmith_is_dump(bytes: *const u8, length: usize) -> bool {
    // SAFETY: the caller says so.
    let bytes = unsafe { lent(bytes, length, "the input") };
    call(|| Ok(if mutator::is_dump(bytes?) { HeapsmithStatus::Ok } else { HeapsmithStatus::No })) == HeapsmithStatus::Ok
}

/// Changes an input by a seed; the same input and seed give the same bytes, at most `max_size` of them. A dump mostly stays readable
/// to its end. No bytes become a small dump, and bytes that are no dump are changed without regard to a format.
///
/// # Safety
/// `bytes` is valid for `length` bytes, `out` for a buffer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn heapsmith_mutate(
    bytes: *const u8,
    length: usize,
    seed: u64,
    max_size: usize,
    out: *mut HeapsmithBuffer,
) -> HeapsmithStatus {
    // SAFETY: the caller says so of both pointers.
    unsafe {
        call_with_output(out, || {
            let bytes = lent(bytes, length, "the input")?;
            Ok((HeapsmithStatus::Ok, mutator::mutate(bytes, seed, max_size)))
        })
    }
}

/// Crosses two inputs over: the first one with some records of the other, at most `max_size` bytes. Where these do not fit, the first
/// one is changed as by `heapsmith_mutate`.
///
/// # Safety
/// `one` and `other` are valid for their lengths, `out` for a buffer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn heapsmith_cross_over(
    one: *const u8,
    one_length: usize,
    other: *const u8,
    other_length: usize,
    seed: u64,
    max_size: usize,
    out: *mut HeapsmithBuffer,
) -> HeapsmithStatus {
    // SAFETY: the caller says so of all pointers.
    unsafe {
        call_with_output(out, || {
            let one = lent(one, one_length, "the first input")?;
            let other = lent(other, other_length, "the second input")?;
            Ok((HeapsmithStatus::Ok, mutator::cross_over(one, other, seed, max_size)))
        })
    }
}
