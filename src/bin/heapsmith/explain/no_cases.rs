//! In a program without the corpus, no rule has a case.

use heapsmith::error::Error;
use heapsmith::validate::Rule;

use super::{CasesOf, Example};

/// No cases.
pub(super) struct Cases;

impl Cases {
    pub(super) fn all() -> Result<Cases, Error> {
        Ok(Cases)
    }

    pub(super) fn of(&self, _: &Rule) -> Result<(Option<CasesOf>, Vec<Example>), Error> {
        Ok((None, Vec::new()))
    }
}
