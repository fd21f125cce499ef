//! Removal of records, fields and bytes from a dump, with the lengths that count them.

use std::collections::BTreeSet;

use heapsmith_core::error::Error;
use heapsmith_core::findings::Severity;
use heapsmith_core::format::Family;
use heapsmith_core::input::Input;
use heapsmith_core::validate::{ValidateOptions, validate};

use super::parts::{DumpParts, MOST_BYTES, PartUnit, header_fields, texts, unreadable_places};
use super::sets::leave_out;
use super::trials::Trials;

/// The most fields of a header that are removed together: a tag, a length and a text.
const TOGETHER: usize = 3;

/// Removes records, fields and bytes. A dump that breaks a rule as an error is not tried, unless the original breaks
/// that rule.
pub(super) fn reduce(trials: &mut Trials<'_>) -> Result<(), Error> {
    let allowed = broken_rules(trials.current());
    let family = Family::guess(trials.current());
    for dump in family.facts().shortest.iter().filter(|dump| broken_rules(dump).is_subset(&allowed)) {
        if trials.try_dump(Some(dump.to_vec()))? {
            return Ok(());
        }
    }
    loop {
        let before = trials.current().len();
        for unit in [PartUnit::Records, PartUnit::Fields, PartUnit::Bytes] {
            let dump = trials.current();
            let parts = DumpParts::new(dump, unit, &unreadable_places(dump));
            leave_out(trials, parts.count(), 1, &|kept| {
                let dump = parts.keep(kept);
                broken_rules(&dump).is_subset(&allowed).then_some(dump)
            })?;
        }
        // Each of these looks through the whole dump.
        if trials.current().len() <= MOST_BYTES {
            try_at_each_place(trials, &allowed, without_fields)?;
            try_at_each_place(trials, &allowed, with_less_text)?;
        }
        if trials.current().len() == before || trials.is_over() {
            return Ok(());
        }
    }
}

/// The dump without consecutive fields of its header, from the field at this place on: without a single one, the header
/// could not be read. `None` if there is no such field.
fn without_fields(dump: &[u8], first: usize) -> Option<Vec<Vec<u8>>> {
    let fields = header_fields(dump);
    let start = fields.get(first)?.start;
    let ends = fields.iter().skip(first + 1).take(TOGETHER - 1).rev().map(|last| last.end);
    Some(ends.map(|end| [&dump[..start], &dump[end..]].concat()).collect())
}

/// The dump without the text at this place, and with half of it, with matching lengths. `None` if there is no such
/// text.
fn with_less_text(dump: &[u8], at: usize) -> Option<Vec<Vec<u8>>> {
    let texts = texts(dump);
    let text = texts.get(at)?;
    Some([0, text.text.len() / 2].map(|left| text.truncated(dump, left)).into())
}

/// Smaller dumps, changed at one place of a dump; `None` if there is no such place.
type SmallerDumps = fn(&[u8], usize) -> Option<Vec<Vec<u8>>>;

/// Tries smaller dumps at each place, as long as one of them shows the failure.
fn try_at_each_place(
    trials: &mut Trials<'_>,
    allowed: &BTreeSet<Option<&'static str>>,
    smaller: SmallerDumps,
) -> Result<(), Error> {
    let mut at = 0;
    while !trials.is_over()
        && let Some(all) = smaller(trials.current(), at)
    {
        let mut is_smaller = false;
        for dump in all {
            is_smaller = is_smaller || broken_rules(&dump).is_subset(allowed) && trials.try_dump(Some(dump))?;
        }
        at += usize::from(!is_smaller);
    }
    Ok(())
}

/// The rules that a dump breaks as errors; `None` stands for an unknown format.
fn broken_rules(dump: &[u8]) -> BTreeSet<Option<&'static str>> {
    let input = Input::from_memory("dump", dump.to_vec());
    let Ok(report) = validate(&input, ValidateOptions::default()) else { return BTreeSet::from([None]) };
    let errors = report.findings.iter().filter(|finding| finding.severity == Severity::Error);
    errors.map(|finding| Some(finding.rule.0)).collect()
}
