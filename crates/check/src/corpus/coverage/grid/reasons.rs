//! The list of the cells that no case has: why none can be, or that one is still to be written.

use serde::Deserialize;

use heapsmith_core::error::Error;

use super::GridCell;

const LIST: &str = include_str!("../../../../specs/grid.toml");

/// The list, in the order of its file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct GridReasons {
    #[serde(default)]
    reason: Vec<CellPattern>,
    #[serde(default)]
    open: Vec<CellPattern>,
}

/// Some cells: all that are of one of the dimensions, records and fields.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CellPattern {
    /// `*` stands for all, here and below.
    dimensions: Vec<String>,
    format: String,
    records: Vec<String>,
    /// Without it, cells of the records themselves.
    #[serde(default)]
    fields: Vec<String>,
    /// Why no case can be; not of open cells.
    #[serde(default)]
    why: Option<String>,
}

impl GridReasons {
    /// # Errors
    /// If the list cannot be read, which its test rules out.
    pub(super) fn read() -> Result<GridReasons, Error> {
        let wrong = |message: String| Error::Usage(format!("specs/grid.toml: {message}"));
        let list: GridReasons = toml::from_str(LIST).map_err(|e| wrong(e.to_string()))?;
        if let Some(silent) = list.reason.iter().find(|pattern| pattern.why.as_ref().is_none_or(String::is_empty)) {
            return Err(wrong(format!("a reason without a why: {silent}")));
        }
        match list.open.iter().find(|pattern| pattern.why.is_some()) {
            Some(said) => Err(wrong(format!("an open cell with a reason: {said}"))),
            None => Ok(list),
        }
    }

    /// The reason of a cell, where the list has one.
    pub(super) fn why(&self, cell: &GridCell) -> Option<&str> {
        self.reason.iter().find(|pattern| pattern.has(cell)).and_then(|pattern| pattern.why.as_deref())
    }

    /// Whether a case of a cell is still to be written.
    pub(super) fn is_open(&self, cell: &GridCell) -> bool {
        self.open.iter().any(|pattern| pattern.has(cell))
    }

    /// What the list says and is not so: entries that name a cell which a case has, or none that lacks one.
    pub(super) fn faults(&self, cells: &[GridCell]) -> Vec<String> {
        let mut faults = Vec::new();
        for pattern in self.reason.iter().chain(&self.open) {
            let mut own = cells.iter().filter(|cell| pattern.has(cell)).peekable();
            if own.peek().is_none() {
                faults.push(format!("no cell is {pattern}"));
            }
            let filled = own.filter_map(|cell| Some(format!("{pattern}: {} has {cell}", cell.case.as_ref()?)));
            faults.extend(filled.take(3));
        }
        let twice = cells.iter().filter(|cell| self.why(cell).is_some() && self.is_open(cell));
        faults.extend(twice.take(3).map(|cell| format!("{cell} has a reason and is open")));
        faults
    }
}

impl CellPattern {
    fn has(&self, cell: &GridCell) -> bool {
        let is_among = |names: &[String], name: &str| names.iter().any(|known| known == "*" || known == name);
        let of_field = match cell.field {
            Some(field) => is_among(&self.fields, field),
            None => self.fields.is_empty(),
        };
        of_field
            && self.format == cell.format
            && is_among(&self.records, cell.record)
            && is_among(&self.dimensions, cell.dimension)
    }
}

impl std::fmt::Display for CellPattern {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [dimensions, records, fields] =
            [&self.dimensions, &self.records, &self.fields].map(|names| names.join(" or "));
        let of = if fields.is_empty() { "" } else { " of " };
        write!(f, "{dimensions}: {fields}{of}{records} ({})", self.format)
    }
}
