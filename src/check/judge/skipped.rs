//! Damage inside of records that an implementation skips by their lengths.

use std::io::Read;
use std::sync::Arc;

use crate::check::declarations::SKIPS;
use crate::check::judge::Asked;
use crate::check::task::Operation;
use crate::corpus::{Answer, Case, Verdict};
use crate::format::DumpFile;
use crate::hprof::{Reading, skip};
use crate::input::Input;
use crate::validate::{Severity, ValidateOptions, validate};

/// The longest dump, decompressed, in which records are looked for.
const LONGEST: u64 = 64 << 20;

/// The case of a damaged dump without the records that the implementation skips, if the rest is sound: then the rest
/// may be read, and has to be read rightly.
pub(super) fn shortened(asked: &Asked<'_>) -> Option<Case> {
    let (case, kinds) = (asked.case, asked.declares().chosen(SKIPS));
    let is_meant = case.verdict == Verdict::Invalid && asked.task.operation == Operation::Parse && !kinds.is_empty();
    if !is_meant || case.format.family().name() != "hprof" {
        return None;
    }
    let mut dump = Vec::new();
    let stream = Input::memory(&case.id, case.bytes.clone()).stream().ok()?;
    stream.take(LONGEST).read_to_end(&mut dump).ok()?;
    let shortened = skip::without_records(&dump, kinds);
    let damage = case.breaks.iter().map(|(_, offset)| offset).chain(&case.breaks_also);
    let is_inside = |offset: &u64| shortened.skipped.iter().any(|body| body.contains(offset) || body.end == *offset);
    if shortened.skipped.is_empty() || !damage.into_iter().all(is_inside) {
        return None;
    }
    let input = Input::memory(&case.id, shortened.bytes.clone());
    let report = validate(&input, ValidateOptions::default()).ok()?;
    if report.findings.iter().any(|finding| finding.severity == Severity::Error) {
        return None;
    }
    let mut heaps = DumpFile::new(input, Reading::default()).ok()?.read().ok()?.dump.heaps;
    let number = case.heap.map_or(0, |heap| heap as usize);
    let heap = (number < heaps.len()).then(|| heaps.swap_remove(number))?;
    let answers = vec![Answer::Reads("without the records that it skips", Arc::new(heap))];
    Some(Case { bytes: shortened.bytes, verdict: Verdict::Ambiguous, answers, ..case.clone() })
}
