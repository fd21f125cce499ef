//! Bytes that C gets and gives back, and bytes that C lends.

use std::ptr::{self, NonNull};
use std::slice;

use crate::status::{Failure, HeapsmithStatus, call};

/// Bytes that the library made. A buffer without bytes has a null pointer.
#[repr(C)]
#[derive(Debug)]
pub struct HeapsmithBuffer {
    /// The bytes.
    pub data: *mut u8,
    /// The number of bytes.
    pub length: usize,
}

impl HeapsmithBuffer {
    /// A buffer without bytes.
    /// cbindgen:ignore
    pub const EMPTY: HeapsmithBuffer = HeapsmithBuffer { data: ptr::null_mut(), length: 0 };

    /// The bytes, until they are released.
    pub fn from_bytes(bytes: Vec<u8>) -> HeapsmithBuffer {
        if bytes.is_empty() {
            return HeapsmithBuffer::EMPTY;
        }
        // Length and capacity are the same from here on.
        let bytes = Box::leak(bytes.into_boxed_slice());
        HeapsmithBuffer { data: bytes.as_mut_ptr(), length: bytes.len() }
    }
}

/// Releases the bytes of a buffer, and makes it empty. A null pointer and an empty buffer are allowed.
///
/// # Safety
/// The buffer is one that a function of this library filled, and was not copied and released before.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn heapsmith_free(buffer: *mut HeapsmithBuffer) {
    // SAFETY: the caller gives null or a buffer.
    let Some(buffer) = (unsafe { buffer.as_mut() }) else { return };
    let HeapsmithBuffer { data, length } = std::mem::replace(buffer, HeapsmithBuffer::EMPTY);
    if !data.is_null() {
        // SAFETY: `from_bytes` leaked a boxed slice of this place and length, and the caller releases it once.
        drop(unsafe { Box::from_raw(ptr::slice_from_raw_parts_mut(data, length)) });
    }
}

/// The bytes that a caller lends. No bytes may have any pointer.
///
/// # Safety
/// The pointer is null, or valid for that many bytes, which do not change while they are used.
pub(crate) unsafe fn lent<'l>(data: *const u8, length: usize, name: &str) -> Result<&'l [u8], Failure> {
    if length == 0 {
        return Ok(&[]);
    }
    // A longer slice cannot exist.
    if length > isize::MAX as usize {
        return Err(Failure::argument(format!("{name}: {length} bytes are more than memory has")));
    }
    let data = NonNull::new(data.cast_mut()).ok_or_else(|| Failure::argument(format!("{name} is null")))?;
    // SAFETY: the pointer is not null, the length fits, and the caller says that the bytes are there.
    Ok(unsafe { slice::from_raw_parts(data.as_ptr(), length) })
}

/// The text that a caller lends.
///
/// # Safety
/// Like [`lent`].
pub(crate) unsafe fn lent_text<'l>(data: *const u8, length: usize, name: &str) -> Result<&'l str, Failure> {
    // SAFETY: the caller says the same.
    let bytes = unsafe { lent(data, length, name)? };
    let at = |e: std::str::Utf8Error| format!("{name} is not UTF-8: byte {} is wrong", e.valid_up_to());
    std::str::from_utf8(bytes).map_err(|e| Failure::argument(at(e)))
}

/// Runs a call that gives bytes; the buffer is empty where it gives none.
///
/// # Safety
/// `out` is null, or valid for a buffer.
pub(crate) unsafe fn call_with_output(
    out: *mut HeapsmithBuffer,
    work: impl FnOnce() -> Result<(HeapsmithStatus, Vec<u8>), Failure>,
) -> HeapsmithStatus {
    let mut made = HeapsmithBuffer::EMPTY;
    let status = call(|| {
        if out.is_null() {
            return Err(Failure::argument("the pointer to the buffer is null".to_owned()));
        }
        let (status, bytes) = work()?;
        made = HeapsmithBuffer::from_bytes(bytes);
        Ok(status)
    });
    if !out.is_null() {
        // SAFETY: it is not null, and the caller says that a buffer can be written there; what stood there is not read.
        unsafe { out.write(made) };
    }
    status
}
