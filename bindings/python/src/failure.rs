//! Errors, as Python raises them.

use std::panic::{AssertUnwindSafe, catch_unwind};

use heapsmith_check::embedding::{ErrorKind, error_kind};
use heapsmith_core::error::Error;
use pyo3::create_exception;
use pyo3::exceptions::PyException;
use pyo3::prelude::*;

create_exception!(heapsmith, HeapsmithError, PyException, "An error of heapsmith.");
create_exception!(
    heapsmith,
    ArgumentError,
    HeapsmithError,
    "An argument is wrong: a recipe, format, heap file or number that does not exist."
);
create_exception!(heapsmith, InvalidError, HeapsmithError, "The dump or listing breaks a rule of its format.");
create_exception!(heapsmith, LimitError, HeapsmithError, "A limit in bytes would be exceeded, or the machine failed.");
create_exception!(heapsmith, DefectError, HeapsmithError, "A defect of heapsmith.");

/// An error as Python's exception.
pub(crate) fn raised(error: &Error) -> PyErr {
    let message = error.to_string();
    match error_kind(error) {
        ErrorKind::Argument => ArgumentError::new_err(message),
        ErrorKind::Invalid => InvalidError::new_err(message),
        ErrorKind::Limit => LimitError::new_err(message),
    }
}

/// Does work without the interpreter's lock. A panic is a defect, and raised as one.
pub(crate) fn detached<T: Send>(py: Python<'_>, work: impl FnOnce() -> Result<T, Error> + Send) -> PyResult<T> {
    // What a panic may leave half-made is dropped: what Python holds is only read.
    let done = py.detach(|| catch_unwind(AssertUnwindSafe(work)));
    done.map_err(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("unknown");
        DefectError::new_err(format!("a defect of heapsmith: {text}"))
    })?
    .map_err(|error| raised(&error))
}
