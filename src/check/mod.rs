//! Somebody else's parser: run over cases, judged by its listing.

pub mod evidence;
mod judge;
pub mod report;
mod subject;

pub use judge::{CaseResult, Outcome, Report, Subject, check, check_case, random_cases};
pub use subject::{Ran, run};
