//! Records, fields and bytes that are left out of a dump, with the lengths that count them.

use std::collections::BTreeSet;

use crate::error::Error;
use crate::findings::Severity;
use crate::input::Input;
use crate::validate::{ValidateOptions, validate};

use super::parts::{Parts, Unit, broken};
use super::sets::leave_out;
use super::trials::Trials;

/// Leaves out records, fields and bytes. What is tried breaks no rule that the dump does not break, if that is an error.
pub(super) fn reduce(trials: &mut Trials<'_>) -> Result<(), Error> {
    let allowed = errors(trials.now());
    loop {
        let before = trials.now().len();
        for unit in [Unit::Records, Unit::Fields, Unit::Bytes] {
            let dump = trials.now();
            let parts = Parts::of(dump, unit, &broken(dump));
            leave_out(trials, parts.count(), 1, &|kept| {
                let dump = parts.kept(kept);
                errors(&dump).is_subset(&allowed).then_some(dump)
            })?;
        }
        if trials.now().len() == before || trials.is_over() {
            return Ok(());
        }
    }
}

/// The rules that a dump breaks, as far as they are errors; `None` is one of no known format.
fn errors(dump: &[u8]) -> BTreeSet<Option<&'static str>> {
    let input = Input::memory("dump", dump.to_vec());
    let Ok(report) = validate(&input, ValidateOptions::default()) else { return BTreeSet::from([None]) };
    let errors = report.findings.iter().filter(|finding| finding.severity == Severity::Error);
    errors.map(|finding| Some(finding.rule.0)).collect()
}
