//! Errors: a status for each call, and a text for each thread.

use std::cell::RefCell;
use std::ffi::{CString, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;

use heapsmith_check::embedding::{ErrorKind, error_kind};
use heapsmith_core::error::Error;

/// The outcome of a call.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeapsmithStatus {
    /// It was done; of a comparison, everything compared is the same.
    Ok = 0,
    /// There is nothing to give: no further candidate, no listing because a refusal is right; of a comparison, something differs.
    No = 1,
    /// An argument is wrong: a null pointer, a text that is not UTF-8, a recipe or a number that there is not.
    Argument = 2,
    /// The dump or listing breaks a rule of its format.
    Invalid = 3,
    /// A limit in bytes would be exceeded, or the machine failed.
    Limit = 4,
    /// A defect of heapsmith.
    Defect = 5,
}

/// A call that failed.
#[derive(Debug)]
pub(crate) struct Failure {
    status: HeapsmithStatus,
    message: String,
}

impl Failure {
    pub(crate) fn argument(message: String) -> Failure {
        Failure { status: HeapsmithStatus::Argument, message }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        let status = match error_kind(&error) {
            ErrorKind::Argument => HeapsmithStatus::Argument,
            ErrorKind::Invalid => HeapsmithStatus::Invalid,
            ErrorKind::Limit => HeapsmithStatus::Limit,
        };
        Failure { status, message: error.to_string() }
    }
}

thread_local! {
    static LAST: RefCell<Option<CString>> = const { RefCell::new(None) };
}

/// The reason why the last call of this thread failed, as UTF-8 with a zero byte at its end; null if it did not. The text stays
/// until the thread calls another function of the library.
#[unsafe(no_mangle)]
pub extern "C" fn heapsmith_last_error() -> *const c_char {
    LAST.with_borrow(|last| last.as_ref().map_or(ptr::null(), |text| text.as_ptr()))
}

/// Runs a call: no panic leaves it, and its error is kept for the thread.
pub(crate) fn call(work: impl FnOnce() -> Result<HeapsmithStatus, Failure>) -> HeapsmithStatus {
    // What a panic may leave half-made is dropped: buffers of the caller are written after all work, and nothing else is shared.
    let ended = catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("unknown");
        Err(Failure { status: HeapsmithStatus::Defect, message: format!("a defect of heapsmith: {text}") })
    });
    let (status, message) = match ended {
        Ok(status) => (status, None),
        Err(failure) => (failure.status, Some(failure.message)),
    };
    // A text of C ends at the first zero byte.
    let text = message.map(|message| CString::new(message.replace('\0', "\\0")).unwrap_or_default());
    LAST.with_borrow_mut(|last| *last = text);
    status
}
