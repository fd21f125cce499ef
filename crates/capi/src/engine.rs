//! Parts that the libraries of the engines have in common.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::slice;

use crate::buffer;

/// Runs a call of an engine, which knows no errors; `otherwise` is the result of one that panics.
pub fn call<T>(otherwise: T, work: impl FnOnce() -> T) -> T {
    // What a panic may leave half-made is the mutator's own output, which is made anew by the next call.
    catch_unwind(AssertUnwindSafe(work)).unwrap_or(otherwise)
}

/// The bytes that an engine lends; none where the pointer is null.
///
/// # Safety
/// The pointer is null, or valid for that many bytes, which do not change while they are used.
pub unsafe fn lent<'l>(data: *const u8, length: usize) -> &'l [u8] {
    // SAFETY: the caller says the same.
    unsafe { buffer::lent(data, length, "the input") }.unwrap_or_default()
}

/// The room that an engine lends to be written; none where the pointer is null. Bytes after the input may have any value, and are not
/// read.
///
/// # Safety
/// The pointer is null, or valid for that many bytes, which nothing else uses meanwhile.
pub unsafe fn lent_to_write<'l>(data: *mut u8, length: usize) -> &'l mut [u8] {
    if data.is_null() || length > isize::MAX as usize {
        return &mut [];
    }
    // SAFETY: the pointer is not null, the length fits, and the caller says that the bytes are there.
    unsafe { slice::from_raw_parts_mut(data, length) }
}
