//! The library for libFuzzer: a custom mutator and a custom crossover, and the functions of `heapsmith.h` for the harness.

pub use heapsmith_capi::*;

use heapsmith_capi::engine::{call, lent, lent_to_write};
use heapsmith_core::mutator::{cross_over_into, mutate_in_place};

unsafe extern "C" {
    /// libFuzzer's own mutator.
    fn LLVMFuzzerMutate(data: *mut u8, size: usize, max_size: usize) -> usize;
}

/// Changes an input in its place, which has room for `max_size` bytes, and returns its new size. Bytes that are no dump are left to
/// libFuzzer; no bytes become a small dump.
///
/// # Safety
/// As libFuzzer calls it: `data` is valid for `max_size` bytes, of which `size` are the input.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn LLVMFuzzerCustomMutator(data: *mut u8, size: usize, max_size: usize, seed: u32) -> usize {
    let changed = call(None, || {
        // SAFETY: libFuzzer gives room for that many bytes, and uses none of them meanwhile.
        mutate_in_place(unsafe { lent_to_write(data, max_size) }, size, seed)
    });
    // SAFETY: libFuzzer takes back what it gave.
    changed.unwrap_or_else(|| unsafe { LLVMFuzzerMutate(data, size, max_size) })
}

/// Crosses two inputs over into `out`, which has room for `max_out_size` bytes, and returns the size. Of inputs that are no dumps, the
/// first one is changed by libFuzzer.
///
/// # Safety
/// As libFuzzer calls it: the inputs are valid for their sizes, `out` is valid for `max_out_size` bytes and apart from them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn LLVMFuzzerCustomCrossOver(
    one: *const u8,
    one_size: usize,
    other: *const u8,
    other_size: usize,
    out: *mut u8,
    max_out_size: usize,
    seed: u32,
) -> usize {
    // SAFETY: libFuzzer gives inputs of these sizes and room for that many bytes, and uses none of them meanwhile.
    let (one, other, room) =
        unsafe { (lent(one, one_size), lent(other, other_size), lent_to_write(out, max_out_size)) };
    let crossed = call(None, || cross_over_into(one, other, room, seed));
    crossed.unwrap_or_else(|| {
        let size = one.len().min(room.len());
        room[..size].copy_from_slice(&one[..size]);
        // SAFETY: libFuzzer takes back what it gave.
        unsafe { LLVMFuzzerMutate(out, size, max_out_size) }
    })
}
