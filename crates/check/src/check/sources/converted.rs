//! Cases as another format holds them.

use crate::check::sources::case_from_bytes;
use crate::corpus::Case;
use heapsmith_core::convert::{ConvertOptions, convert};
use heapsmith_core::error::Error;
use heapsmith_core::family::WriteRequest;
use heapsmith_core::format::{DumpTarget, Lowering};
use heapsmith_core::model::Heap;

/// A case with the dump that heapsmith writes of a heap; `None` if the target cannot hold it.
///
/// # Errors
/// If the dump cannot be read again, which would be a defect.
pub(in crate::check) fn case_as_target(id: &str, heap: &Heap, to: &DumpTarget) -> Result<Option<Case>, Error> {
    let request = WriteRequest { profile: to.profile.clone(), ..WriteRequest::default() };
    let Ok(lowering) = Lowering::new(to.format, &request) else { return Ok(None) };
    let (mut heap, mut dump) = (heap, Vec::new());
    match convert(&mut heap, &ConvertOptions::new(&lowering), &mut dump) {
        Ok(_) => case_from_bytes(id, dump).map(Some),
        Err(Error::Lower(_)) => Ok(None),
        Err(error) => Err(error),
    }
}
