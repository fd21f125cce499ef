//! Records, fields and bytes that are left out of a dump, with the lengths that count them.

use std::collections::BTreeSet;

use crate::error::Error;
use crate::findings::Severity;
use crate::input::Input;
use crate::validate::{ValidateOptions, validate};

use super::parts::{Parts, Unit, broken, header, texts};
use super::sets::leave_out;
use super::trials::Trials;

/// The most fields of a header that are left out as one: a tag, a length and a text.
const TOGETHER: usize = 3;

/// Leaves out records, fields and bytes. What is tried breaks no rule that the dump does not break, if that is an error.
pub(super) fn reduce(trials: &mut Trials<'_>) -> Result<(), Error> {
    let allowed = errors(trials.now());
    loop {
        let before = trials.now().len();
        of_header(trials, &allowed)?;
        of_texts(trials, &allowed)?;
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

/// Leaves out fields of the header that follow each other: each alone would leave a header that cannot be read.
fn of_header(trials: &mut Trials<'_>, allowed: &BTreeSet<Option<&'static str>>) -> Result<(), Error> {
    let mut first = 0;
    loop {
        let dump = trials.now().to_vec();
        let fields = header(&dump);
        let Some(start) = fields.get(first).map(|field| field.start) else { return Ok(()) };
        let mut is_shorter = false;
        for last in fields.iter().skip(first + 1).take(TOGETHER - 1).rev() {
            let shorter = [&dump[..start], &dump[last.end..]].concat();
            let shorter = errors(&shorter).is_subset(allowed).then_some(shorter);
            if shorter.is_some() && trials.one(shorter)? {
                is_shorter = true;
                break;
            }
        }
        first += usize::from(!is_shorter);
    }
}

/// Leaves out what texts have, or half of it as often as that can be done, with what counts them.
fn of_texts(trials: &mut Trials<'_>, allowed: &BTreeSet<Option<&'static str>>) -> Result<(), Error> {
    let mut at = 0;
    loop {
        let dump = trials.now().to_vec();
        let texts = texts(&dump);
        let Some(text) = texts.get(at) else { return Ok(()) };
        let mut is_shorter = false;
        for left in [0, text.text.len() / 2] {
            let shorter = text.cut(&dump, left);
            let shorter = errors(&shorter).is_subset(allowed).then_some(shorter);
            if shorter.is_some() && trials.one(shorter)? {
                is_shorter = true;
                break;
            }
        }
        at += usize::from(!is_shorter);
    }
}

/// The rules that a dump breaks, as far as they are errors; `None` is one of no known format.
fn errors(dump: &[u8]) -> BTreeSet<Option<&'static str>> {
    let input = Input::memory("dump", dump.to_vec());
    let Ok(report) = validate(&input, ValidateOptions::default()) else { return BTreeSet::from([None]) };
    let errors = report.findings.iter().filter(|finding| finding.severity == Severity::Error);
    errors.map(|finding| Some(finding.rule.0)).collect()
}
