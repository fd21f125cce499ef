//! A parser in this interpreter, run over cases.

use std::path::PathBuf;
use std::time::Duration;

use heapsmith_check::check::{CaseChoice, CaseSource, CheckOptions, ExpectedFailures, Filter, check_closure};
use heapsmith_core::error::Error;
use heapsmith_core::format::Family;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::failure::detached;

/// The ids of chosen cases.
#[pyfunction]
pub(crate) fn case_ids(
    py: Python<'_>,
    format: Option<&str>,
    filters: Vec<String>,
    random: u64,
    seed: u64,
) -> PyResult<Vec<String>> {
    detached(py, || {
        let sources = CaseSource::from_choice(&choice(format, &filters, random, seed)?)?;
        Ok(sources.iter().map(CaseSource::id).collect())
    })
}

/// Runs an adapter over cases: `answer` has each request as a JSON text and gives the answer as another. The report, as JSON.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "Python names them")]
pub(crate) fn check<'py>(
    py: Python<'py>,
    name: &str,
    answer: Py<PyAny>,
    format: Option<&str>,
    filters: Vec<String>,
    random: u64,
    seed: u64,
    expected_file: Option<PathBuf>,
    expected: &str,
    explain: u64,
    explain_seconds: u64,
    max_equal_ends: usize,
) -> PyResult<Bound<'py, PyBytes>> {
    let mut raised: Option<PyErr> = None;
    let report = detached(py, || {
        let mut failures: ExpectedFailures =
            expected_file.map_or(Ok(ExpectedFailures::default()), |path| ExpectedFailures::read(&path))?;
        failures.expect.extend(ExpectedFailures::from_json(expected)?.expect);
        let options = CheckOptions::default()
            .choice(choice(format, &filters, random, seed)?)
            .expected(failures)
            .explain((explain > 0).then_some(explain))
            .explain_time(Duration::from_secs(explain_seconds))
            .max_equal_ends(max_equal_ends);
        let result = check_closure(name, &options, &mut |request| {
            let told = Python::attach(|py| answer.call1(py, (request,))?.extract::<String>(py));
            told.map_err(|error| raised = Some(error)).ok()
        })?;
        serde_json::to_vec(&result.report).map_err(|e| Error::io("writing the report", e.into()))
    });
    match raised {
        Some(error) => Err(error),
        None => Ok(PyBytes::new(py, &report?)),
    }
}

fn choice(format: Option<&str>, filters: &[String], random: u64, seed: u64) -> Result<CaseChoice, Error> {
    let family = format.map(|name| {
        let names = Family::names();
        Family::from_name(name)
            .ok_or_else(|| Error::Usage(format!("the format {name:?} does not exist; expected {names}")))
    });
    let filters = filters.iter().map(|filter| filter.parse()).collect::<Result<Vec<Filter>, Error>>()?;
    Ok(CaseChoice::default().format(family.transpose()?).filters(filters).random(random).seed(seed))
}
