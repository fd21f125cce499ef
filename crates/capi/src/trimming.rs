//! Ever smaller dumps of an input.

use heapsmith_core::mutator::Trimmer;

use crate::buffer::{HeapsmithBuffer, call_with_output, lent};
use crate::status::{Failure, HeapsmithStatus, call};

/// A trimmer of an input. It makes candidates, each a dump with fewer records, and is told after each whether it is kept.
#[derive(Debug)]
pub struct HeapsmithTrimmer(Trimmer);

/// Makes a trimmer of an input, for `heapsmith_trim_free` to release. It has no candidate where the input is no dump.
///
/// # Safety
/// `bytes` is valid for `length` bytes, `out` for a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn heapsmith_trim_new(
    bytes: *const u8,
    length: usize,
    out: *mut *mut HeapsmithTrimmer,
) -> HeapsmithStatus {
    let mut made = std::ptr::null_mut();
    let status = call(|| {
        if out.is_null() {
            return Err(Failure::argument("the pointer to the trimmer is null".to_owned()));
        }
        // SAFETY: the caller says so.
        let bytes = unsafe { lent(bytes, length, "the input")? };
        made = Box::into_raw(Box::new(HeapsmithTrimmer(Trimmer::new(bytes.to_vec()))));
        Ok(HeapsmithStatus::Ok)
    });
    if !out.is_null() {
        // SAFETY: it is not null, and the caller says that a pointer can be written there.
        unsafe { out.write(made) };
    }
    status
}

/// The next candidate, the same until it is judged; `HEAPSMITH_STATUS_NO` at the end.
///
/// # Safety
/// `trimmer` is one that was made and not released, used by no other thread now; `out` is valid for a buffer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn heapsmith_trim_candidate(
    trimmer: *mut HeapsmithTrimmer,
    out: *mut HeapsmithBuffer,
) -> HeapsmithStatus {
    // SAFETY: the caller says so of both pointers.
    unsafe {
        call_with_output(out, || {
            let candidate = known(trimmer)?.0.candidate().map(<[u8]>::to_vec);
            Ok(candidate.map_or((HeapsmithStatus::No, Vec::new()), |candidate| (HeapsmithStatus::Ok, candidate)))
        })
    }
}

/// Says whether the candidate does what the input did. Without a candidate, nothing is done.
///
/// # Safety
/// `trimmer` is one that was made and not released, used by no other thread now.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn heapsmith_trim_judge(trimmer: *mut HeapsmithTrimmer, is_kept: bool) -> HeapsmithStatus {
    call(|| {
        // SAFETY: the caller says so.
        unsafe { known(trimmer)? }.0.judge(is_kept);
        Ok(HeapsmithStatus::Ok)
    })
}

/// The smallest input so far.
///
/// # Safety
/// `trimmer` is one that was made and not released, used by no other thread now; `out` is valid for a buffer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn heapsmith_trim_result(
    trimmer: *mut HeapsmithTrimmer,
    out: *mut HeapsmithBuffer,
) -> HeapsmithStatus {
    // SAFETY: the caller says so of both pointers.
    unsafe { call_with_output(out, || Ok((HeapsmithStatus::Ok, known(trimmer)?.0.bytes().to_vec()))) }
}

/// Releases a trimmer. A null pointer is allowed.
///
/// # Safety
/// `trimmer` is null, or one that was made and not released.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn heapsmith_trim_free(trimmer: *mut HeapsmithTrimmer) {
    if !trimmer.is_null() {
        // SAFETY: `heapsmith_trim_new` boxed it, and the caller releases it once.
        drop(unsafe { Box::from_raw(trimmer) });
    }
}

/// # Safety
/// The pointer is null, or leads to a trimmer that nothing else uses now.
unsafe fn known<'t>(trimmer: *mut HeapsmithTrimmer) -> Result<&'t mut HeapsmithTrimmer, Failure> {
    // SAFETY: the caller says so.
    unsafe { trimmer.as_mut() }.ok_or_else(|| Failure::argument("the trimmer is null".to_owned()))
}
