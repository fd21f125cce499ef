//! Records, fields and bytes that are left out of a dump, with the lengths that count them.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::annotation::Annotation;
use crate::error::Error;
use crate::family::StatedLength;
use crate::findings::Severity;
use crate::input::Input;
use crate::validate::{ValidateOptions, validate};

use super::opened;
use super::sets::leave_out;
use super::trials::Trials;

/// Dumps of more bytes are not made smaller byte by byte.
const MOST_BYTES: usize = 4096;

/// Leaves out records, fields and bytes. What is tried breaks no rule that the dump does not break, if that is an error.
pub(super) fn reduce(trials: &mut Trials<'_>) -> Result<(), Error> {
    let allowed = errors(trials.now());
    loop {
        let before = trials.now().len();
        for unit in [Unit::Records, Unit::Fields, Unit::Bytes] {
            let parts = Parts::of(trials.now(), unit);
            leave_out(trials, parts.spans.len(), 1, &|kept| {
                let dump = parts.without(kept);
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

/// What is left out as one.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Unit {
    Records,
    Fields,
    Bytes,
}

/// A dump by its parts.
struct Parts {
    dump: Vec<u8>,
    spans: Vec<Range<usize>>,
    lengths: Vec<StatedLength>,
}

impl Parts {
    fn of(dump: &[u8], unit: Unit) -> Parts {
        let mut spans: Vec<(Option<u64>, Range<usize>)> = Vec::new();
        let file = opened(dump);
        if let Some(file) = &file {
            // A dump that is broken has fields up to there.
            let _ = file.annotate(&mut |Annotation { offset, bytes, record, .. }| {
                let span = offset as usize..(offset as usize).saturating_add(bytes.len()).min(dump.len());
                match spans.last_mut().filter(|(of, last)| {
                    unit == Unit::Records && record.is_some() && *of == record && last.end == span.start
                }) {
                    Some((_, last)) => last.end = span.end,
                    None => spans.push((record, span)),
                }
                Ok(())
            });
        }
        let mut spans: Vec<Range<usize>> = spans.into_iter().map(|(_, span)| span).collect();
        spans.retain(|span| !span.is_empty());
        let known = spans.last().map_or(0, |span| span.end);
        if unit == Unit::Bytes && dump.len() <= MOST_BYTES {
            spans = (0..dump.len()).map(|byte| byte..byte + 1).collect();
        } else if known < dump.len() {
            spans.push(known..dump.len());
        }
        let lengths = file.map_or(Vec::new(), |file| file.family().lengths(dump));
        Parts { dump: dump.to_vec(), spans, lengths }
    }

    /// The dump without some parts. A length counts what is left; one that is left out itself, or of which a part is, counts
    /// as before.
    fn without(&self, kept: &[bool]) -> Vec<u8> {
        let gone: Vec<&Range<usize>> =
            self.spans.iter().zip(kept).filter(|(_, kept)| !**kept).map(|(span, _)| span).collect();
        let mut dump = self.dump.clone();
        for StatedLength { at, of } in &self.lengths {
            let inside = gone.iter().map(|gone| gone.end.min(of.end).saturating_sub(gone.start.max(of.start)));
            let less = inside.sum::<usize>() as u32;
            if let Some(field) = dump.get_mut(*at..at + 4).and_then(|field| <&mut [u8; 4]>::try_from(field).ok()) {
                *field = u32::from_be_bytes(*field).saturating_sub(less).to_be_bytes();
            }
        }
        let mut left = Vec::with_capacity(dump.len());
        let mut from = 0;
        for gone in gone {
            left.extend_from_slice(&dump[from.min(gone.start)..gone.start]);
            from = gone.end;
        }
        left.extend_from_slice(&dump[from..]);
        left
    }
}
