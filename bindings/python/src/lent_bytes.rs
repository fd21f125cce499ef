//! Bytes that Python lends.

use std::ops::Deref;

use pyo3::exceptions::PyTypeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyMemoryView, PySlice};

/// The bytes of an argument: `bytes` are lent, and what may change meanwhile is copied once.
#[derive(Debug)]
pub(crate) enum LentBytes {
    /// Those of a `bytes` object, or the copy of a `bytearray`.
    Held(PyBackedBytes),
    /// The copy of another buffer.
    Copied(Vec<u8>),
}

/// The bytes of a buffer that are copied at a time: Python makes an object of each part.
const PART: usize = 1 << 20;

impl LentBytes {
    fn from_buffer(buffer: &Bound<'_, PyAny>) -> PyResult<LentBytes> {
        let py = buffer.py();
        let found = buffer.get_type().name()?;
        let view = PyMemoryView::from(buffer)
            .map_err(|_| PyTypeError::new_err(format!("expected bytes, bytearray or another buffer, found {found}")))?;
        let view = view.call_method1(intern!(py, "cast"), ("B",))?;
        let length: usize = view.getattr(intern!(py, "nbytes"))?.extract()?;
        let mut copied = Vec::with_capacity(length);
        for start in (0..length).step_by(PART) {
            let end = length.min(start + PART);
            let part = view.get_item(PySlice::new(py, start as isize, end as isize, 1))?;
            copied.extend_from_slice(part.call_method0(intern!(py, "tobytes"))?.cast::<PyBytes>()?.as_bytes());
        }
        Ok(LentBytes::Copied(copied))
    }
}

impl<'py> FromPyObject<'_, 'py> for LentBytes {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<LentBytes> {
        match object.extract::<PyBackedBytes>() {
            Ok(bytes) => Ok(LentBytes::Held(bytes)),
            Err(_) => LentBytes::from_buffer(&object),
        }
    }
}

impl Deref for LentBytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            LentBytes::Held(bytes) => bytes,
            LentBytes::Copied(bytes) => bytes,
        }
    }
}
