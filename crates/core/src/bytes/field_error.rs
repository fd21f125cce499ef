//! Errors of a field in a slice: the data end inside it, or its value is not allowed; and the errors of a dump that
//! they become.

use std::io::Read;

use crate::error::{DecodeError, Problem, RuleId};

use super::{IncompleteField, Window};

/// The reason why a field could not be read from a slice.
#[derive(Debug)]
pub(crate) enum FieldError {
    /// The slice ended: more bytes are wanted, or the data are cut short.
    Incomplete(IncompleteField),
    /// A field has a value that the format does not allow.
    Bad(Box<BadField>),
}

/// A field with a value that the format does not allow.
#[derive(Debug)]
pub(crate) struct BadField {
    rule: RuleId,
    field: &'static str,
    at: usize,
    expected: String,
    found: String,
}

impl From<IncompleteField> for FieldError {
    fn from(short: IncompleteField) -> FieldError {
        FieldError::Incomplete(short)
    }
}

impl BadField {
    /// The offset of the field in the slice.
    pub(crate) fn place(&self) -> usize {
        self.at
    }

    /// The error, of a slice that begins at this offset.
    pub(crate) fn into_error(self, base: u64) -> DecodeError {
        let problem = Problem::Unexpected { expected: self.expected, found: self.found };
        DecodeError::new(self.rule, base + self.at as u64, self.field, problem)
    }
}

/// Stops at a field.
pub(crate) fn bad_field(
    rule: RuleId,
    field: &'static str,
    at: usize,
    expected: impl Into<String>,
    found: impl Into<String>,
) -> FieldError {
    FieldError::Bad(Box::new(BadField { rule, field, at, expected: expected.into(), found: found.into() }))
}

/// Fills the window; `false` at the end of the stream.
pub(crate) fn refill<R: Read>(window: &mut Window<R>, rule: RuleId) -> Result<bool, DecodeError> {
    let at = window.offset() + window.bytes().len() as u64;
    if let Some((held, allowed)) = window.beyond_limit() {
        return Err(DecodeError::new(rule, window.offset(), "memory", Problem::Memory { held, allowed }));
    }
    window.fill().map_err(|e| DecodeError::new(rule, at, "data", Problem::Io(e)))
}

/// The error of data that end inside a field, in a slice that begins at `base`.
pub(crate) fn truncated(rule: RuleId, base: u64, available: usize, short: IncompleteField) -> DecodeError {
    let left = (available - short.at.min(available)) as u64;
    let problem = Problem::Truncated { needed: short.needed, available: left };
    DecodeError::new(rule, base + short.at as u64, short.field, problem)
}

/// Runs a visit that fails with a [`DecodeError`] alone, for a visitor that fails in another way: so the visit is one for
/// every kind of error. `run` gets what has to be done to each result of the visitor.
pub(crate) fn keeping_error<E: From<DecodeError>, T>(
    run: impl FnOnce(&mut dyn FnMut(Result<(), E>) -> Result<(), DecodeError>) -> Result<T, DecodeError>,
) -> Result<T, E> {
    let mut kept = None;
    let ended = run(&mut |visited| {
        visited.map_err(|error| {
            kept = Some(error);
            // It only ends the visit.
            DecodeError::new(VISITORS, 0, "none", Problem::MissingEnd)
        })
    });
    match kept {
        Some(error) => Err(error),
        None => Ok(ended?),
    }
}

/// Whether a visitor ended the visit, and not what is being read.
pub(crate) fn is_visitor_error(error: &DecodeError) -> bool {
    error.rule() == VISITORS
}

/// Stands for the error of a visitor, which [`keeping_error`] keeps.
const VISITORS: RuleId = RuleId("none");
