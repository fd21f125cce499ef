//! Dumps that are made, changed and judged, and the cases of the corpus.

use heapsmith_check::embedding;
use heapsmith_core::error::Error;
use heapsmith_core::mutator;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::failure::detached;
use crate::lent_bytes::LentBytes;

type Made<'py> = PyResult<Bound<'py, PyBytes>>;

fn made<'py>(py: Python<'py>, work: impl FnOnce() -> Result<Vec<u8>, Error> + Send) -> Made<'py> {
    Ok(PyBytes::new(py, &detached(py, work)?))
}

/// The dump of a recipe.
#[pyfunction]
pub(crate) fn generate<'py>(py: Python<'py>, recipe: &str, max_size: usize) -> Made<'py> {
    made(py, || mutator::generate(recipe, max_size))
}

/// The dump of a heap file's text.
#[pyfunction]
pub(crate) fn build<'py>(py: Python<'py>, text: LentBytes, format: &str, max_size: usize) -> Made<'py> {
    made(py, || embedding::build(&text, format, max_size))
}

/// An input that is changed by a seed.
#[pyfunction]
pub(crate) fn mutate<'py>(py: Python<'py>, data: LentBytes, seed: u64, max_size: usize) -> Made<'py> {
    made(py, || Ok(mutator::mutate(&data, seed, max_size)))
}

/// Two inputs that are crossed over.
#[pyfunction]
pub(crate) fn cross_over<'py>(
    py: Python<'py>,
    one: LentBytes,
    other: LentBytes,
    seed: u64,
    max_size: usize,
) -> Made<'py> {
    made(py, || Ok(mutator::cross_over(&one, &other, seed, max_size)))
}

/// The dump of a fuzzer's bytes.
#[pyfunction]
pub(crate) fn dump_from_bytes<'py>(py: Python<'py>, options: &str, data: LentBytes, max_size: usize) -> Made<'py> {
    made(py, || mutator::dump_from_bytes(options, &data, max_size))
}

/// Whether bytes begin like a dump.
#[pyfunction]
pub(crate) fn is_dump(data: LentBytes) -> bool {
    mutator::is_dump(&data)
}

/// The findings of a dump, as JSON.
#[pyfunction]
pub(crate) fn validate<'py>(py: Python<'py>, data: LentBytes, max_size: usize) -> Made<'py> {
    made(py, || embedding::findings(&data, max_size))
}

/// The listing of a heap, in UTF-8.
#[pyfunction]
pub(crate) fn listing<'py>(py: Python<'py>, data: LentBytes, heap: usize, max_size: usize) -> Made<'py> {
    made(py, || embedding::listing(&data, heap, max_size))
}

/// What an analyser should find in a heap, as JSON.
#[pyfunction]
pub(crate) fn answers<'py>(py: Python<'py>, data: LentBytes, heap: usize, max_size: usize) -> Made<'py> {
    made(py, || embedding::answers(&data, heap, max_size))
}

/// The digest of a heap, as JSON.
#[pyfunction]
pub(crate) fn digest<'py>(py: Python<'py>, data: LentBytes, heap: usize, max_size: usize) -> Made<'py> {
    made(py, || embedding::digest(&data, heap, max_size))
}

/// The difference of a heap and a listing, as JSON.
#[pyfunction]
pub(crate) fn compare_listing<'py>(
    py: Python<'py>,
    data: LentBytes,
    heap: usize,
    listing: LentBytes,
    max_size: usize,
) -> Made<'py> {
    made(py, || Ok(embedding::compare_with_listing(&data, heap, &listing, max_size)?.1))
}

/// The difference of a heap and a digest, as JSON.
#[pyfunction]
pub(crate) fn compare_digest<'py>(
    py: Python<'py>,
    data: LentBytes,
    heap: usize,
    digest: LentBytes,
    max_size: usize,
) -> Made<'py> {
    made(py, || Ok(embedding::compare_with_digest(&data, heap, &digest, max_size)?.1))
}

/// The number of cases of the corpus.
#[pyfunction]
pub(crate) fn case_count(py: Python<'_>) -> PyResult<usize> {
    detached(py, embedding::case_count)
}

/// The dump of a case.
#[pyfunction]
pub(crate) fn case_dump(py: Python<'_>, number: usize) -> Made<'_> {
    made(py, || embedding::case_dump(number, usize::MAX))
}

/// A case as the manifest of the corpus describes it, as JSON.
#[pyfunction]
pub(crate) fn case_description(py: Python<'_>, number: usize) -> Made<'_> {
    made(py, || embedding::case_description(number, usize::MAX))
}

/// A right answer about a case: a listing, or `None` for a refusal.
#[pyfunction]
pub(crate) fn case_answer(py: Python<'_>, number: usize, answer: usize) -> PyResult<Option<Bound<'_, PyBytes>>> {
    let listing = detached(py, || embedding::case_answer(number, answer, usize::MAX))?;
    Ok(listing.map(|listing| PyBytes::new(py, &listing)))
}
