//! The grid of the corpus: each field and each kind of record of each format, in each dimension along which mistakes lie that no
//! case had found. A cell has the smallest case, or the reason why there can be none.

mod cells;
mod reasons;
mod rows;

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;

use heapsmith_core::error::Error;
use heapsmith_core::format::Family;

use crate::corpus::{Case, LargeCase, cases, large_cases};
use cells::FormatCells;
use reasons::GridReasons;
use rows::ROWS;

/// The grid.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Grid {
    /// Version of this report's schema: 1.
    pub schema: u32,
    /// Whether each cell has a case, a reason, or an entry as one that is open.
    pub complete: bool,
    /// The dimensions.
    pub dimensions: Vec<GridDimension>,
    /// The cells, by format, record, field and dimension.
    pub cells: Vec<GridCell>,
    /// What the list of reasons says and is not so.
    pub faults: Vec<String>,
}

/// A dimension.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct GridDimension {
    /// Its name.
    pub name: &'static str,
    /// What is so of a dump that has it.
    pub sentence: &'static str,
}

/// A cell of the grid.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct GridCell {
    /// The dimension.
    pub dimension: &'static str,
    /// The format.
    pub format: &'static str,
    /// The kind of record, or part of the header or the end.
    pub record: &'static str,
    /// The field; absent of cells of the record itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub field: Option<&'static str>,
    /// The smallest case that has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub case: Option<String>,
    /// Why no case can be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// Whether a case is still to be written.
    pub open: bool,
}

impl Grid {
    /// The grid of some formats.
    ///
    /// # Errors
    /// If a case cannot be made or read, or the list of reasons cannot, which the tests rule out.
    pub fn from_corpus(formats: &[Family]) -> Result<Grid, Error> {
        Grid::from_cases(formats, &cases()?, &large_cases()?)
    }

    /// The grid of some formats by these cases.
    ///
    /// # Errors
    /// Like [`Grid::from_corpus`].
    #[doc(hidden)]
    pub fn from_cases(formats: &[Family], cases: &[Case], large: &[LargeCase]) -> Result<Grid, Error> {
        let reasons = GridReasons::read()?;
        let mut cells = Vec::new();
        for &format in formats {
            Error::check_stop()?;
            cells.extend(FormatCells::from_cases(format, cases, large)?.into_cells());
        }
        let faults = reasons.faults(&cells);
        let faults = faults.into_iter().filter(|fault| formats.len() > 1 || !fault.starts_with("no cell is")).collect();
        for cell in cells.iter_mut().filter(|cell| cell.case.is_none()) {
            cell.why = reasons.why(cell).map(str::to_owned);
            cell.open = reasons.is_open(cell);
        }
        let complete = cells.iter().all(|cell| !cell.is_missing());
        let dimensions = ROWS.iter().map(|row| GridDimension { name: row.name, sentence: row.sentence }).collect();
        Ok(Grid { schema: 1, complete, dimensions, cells, faults })
    }
}

impl GridCell {
    /// Whether it has neither a case nor a reason, and is not open either.
    pub fn is_missing(&self) -> bool {
        self.case.is_none() && self.why.is_none() && !self.open
    }
}

/// A cell in words: `top-bit of the field gap of a short object`.
impl fmt::Display for GridCell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} [{}] {}", self.dimension, self.format, self.record)?;
        self.field.map_or(Ok(()), |field| write!(f, ": {field}"))
    }
}
