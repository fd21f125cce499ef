//! The library for AFL++: a custom mutator, which `AFL_CUSTOM_MUTATOR_LIBRARY` names.

use std::ffi::{CString, c_char, c_void};
use std::ptr;

use heapsmith_capi::engine::{call, lent};
use heapsmith_core::mutator::{Trimmer, cross_over, is_dump, mutate};

/// One of this many changes takes records over from another input of the queue.
const CROSSED: u64 = 4;

/// The state of a mutator.
struct AflMutator {
    /// The seed of the next change.
    seed: u64,
    /// The last dump, which AFL++ reads until the next call.
    out: Vec<u8>,
    trimmer: Option<Trimmer>,
    /// The steps that AFL++ was told of.
    steps: i32,
    /// The last change, for the statistics.
    last: &'static str,
    /// Text that AFL++ reads until the next call.
    text: CString,
}

/// Makes the mutator. The seed is that of AFL++.
#[unsafe(no_mangle)]
pub extern "C" fn afl_custom_init(_afl: *mut c_void, seed: u32) -> *mut c_void {
    let (out, text) = (Vec::new(), CString::default());
    let mutator = AflMutator { seed: u64::from(seed) << 32, out, trimmer: None, steps: 0, last: "none", text };
    Box::into_raw(Box::new(mutator)).cast()
}

/// Releases the mutator.
///
/// # Safety
/// `data` is what [`afl_custom_init`] gave, and is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn afl_custom_deinit(data: *mut c_void) {
    if !data.is_null() {
        // SAFETY: `afl_custom_init` boxed it, and AFL++ releases it once.
        drop(unsafe { Box::from_raw(data.cast::<AflMutator>()) });
    }
}

/// Changes an input; `add_buf`, if it is there, is another one of the queue. Of bytes that are no dump nothing is made: AFL++ changes
/// these itself.
///
/// # Safety
/// As AFL++ calls it: `data` is the mutator, the inputs are valid for their sizes, `out_buf` for a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn afl_custom_fuzz(
    data: *mut c_void,
    buf: *mut u8,
    buf_size: usize,
    out_buf: *mut *const u8,
    add_buf: *mut u8,
    add_buf_size: usize,
    max_size: usize,
) -> usize {
    // SAFETY: AFL++ gives the mutator and inputs of these sizes, and changes nothing meanwhile.
    let (mutator, input, other) = unsafe { (state(data), lent(buf, buf_size), lent(add_buf, add_buf_size)) };
    let made = call(None, || {
        let seed = mutator.next_seed();
        let is_crossed = seed.is_multiple_of(CROSSED) && is_dump(other);
        mutator.last = if is_crossed { "crossover" } else { "mutation" };
        let change =
            || if is_crossed { cross_over(input, other, seed, max_size) } else { mutate(input, seed, max_size) };
        is_dump(input).then(change)
    });
    mutator.out = made.unwrap_or_default();
    // A null pointer would end AFL++, also where there are no bytes.
    let bytes = if mutator.out.is_empty() { buf.cast_const() } else { mutator.out.as_ptr() };
    // SAFETY: AFL++ gives a place for the pointer.
    unsafe { out_buf.write(bytes) };
    mutator.out.len()
}

/// Begins to trim an input, and returns the number of steps; 0 where it is no dump.
///
/// # Safety
/// As AFL++ calls it: `data` is the mutator, `buf` is valid for `buf_size` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn afl_custom_init_trim(data: *mut c_void, buf: *mut u8, buf_size: usize) -> i32 {
    // SAFETY: AFL++ gives the mutator and an input of this size.
    let (mutator, input) = unsafe { (state(data), lent(buf, buf_size)) };
    mutator.trimmer = call(None, || {
        let mut trimmer = Trimmer::new(input.to_vec());
        trimmer.candidate().is_some().then_some(trimmer)
    });
    mutator.steps = mutator.trimmer.as_ref().map_or(0, |trimmer| trimmer.most_steps().max(1) as i32);
    mutator.steps
}

/// Gives the next candidate.
///
/// # Safety
/// As AFL++ calls it: `data` is the mutator, `out_buf` is valid for a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn afl_custom_trim(data: *mut c_void, out_buf: *mut *const u8) -> usize {
    // SAFETY: AFL++ gives the mutator.
    let mutator = unsafe { state(data) };
    let trimmer = mutator.trimmer.as_mut();
    mutator.out =
        call(Vec::new(), || trimmer.and_then(|trimmer| trimmer.candidate().map(<[u8]>::to_vec)).unwrap_or_default());
    // SAFETY: AFL++ gives a place for the pointer, which is never null.
    unsafe { out_buf.write(mutator.out.as_ptr()) };
    mutator.out.len()
}

/// Takes the judgement of the candidate, and returns the next step; the number of steps at the end.
///
/// # Safety
/// As AFL++ calls it: `data` is the mutator.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn afl_custom_post_trim(data: *mut c_void, success: u8) -> i32 {
    // SAFETY: AFL++ gives the mutator.
    let mutator = unsafe { state(data) };
    let (trimmer, steps) = (mutator.trimmer.as_mut(), mutator.steps);
    call(steps, || {
        let Some(trimmer) = trimmer else { return steps };
        trimmer.judge(success != 0);
        match trimmer.candidate() {
            Some(_) => (trimmer.steps() as i32).min(steps - 1),
            None => steps,
        }
    })
}

/// The name of the last change, for the names of files in the queue.
///
/// # Safety
/// As AFL++ calls it: `data` is the mutator.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn afl_custom_describe(data: *mut c_void, max_description_len: usize) -> *const c_char {
    // SAFETY: AFL++ gives the mutator.
    let mutator = unsafe { state(data) };
    let name = format!("heapsmith-{}", mutator.last);
    mutator.show(&name[..name.len().min(max_description_len)])
}

/// The last change, for the statistics.
///
/// # Safety
/// As AFL++ calls it: `data` is the mutator.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn afl_custom_introspection(data: *mut c_void) -> *const c_char {
    // SAFETY: AFL++ gives the mutator.
    let mutator = unsafe { state(data) };
    mutator.show(mutator.last)
}

/// # Safety
/// `data` is what [`afl_custom_init`] gave, and nothing else uses it now.
unsafe fn state<'s>(data: *mut c_void) -> &'s mut AflMutator {
    // SAFETY: the caller says so.
    unsafe { &mut *data.cast::<AflMutator>() }
}

impl AflMutator {
    fn next_seed(&mut self) -> u64 {
        self.seed = self.seed.wrapping_add(1);
        self.seed
    }

    fn show(&mut self, text: &str) -> *const c_char {
        self.text = CString::new(text).unwrap_or_default();
        if self.text.is_empty() { ptr::null() } else { self.text.as_ptr() }
    }
}
