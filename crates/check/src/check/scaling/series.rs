//! A series of dumps of one kind, each with twice as much as the one before.

use crate::check::scaling::ask::{Asker, ReadOutcome};
use crate::check::scaling::growth::{Growth, GrowthThreshold};
use crate::check::scaling::report::{DumpCost, GrowthSeries, ReadFailure};
use crate::check::scaling::shapes::ScalingShape;
use crate::check::subject::SubjectKind;
use heapsmith_core::error::Error;
use heapsmith_core::format::Format;

/// Times below this many milliseconds are noise, and so are times below this part of the time of an empty dump: most of
/// that is the start of the program, where it is started for each.
const LEAST_TIME: f64 = 4.0;
const LEAST_PART: f64 = 0.5;
const TIME: f64 = 1.6;
/// Memory comes in larger steps: what a runtime reserves beforehand, and what is seen of programs that an adapter starts.
const LEAST_MEMORY: f64 = 8.0 * 1024.0 * 1024.0;
const MEMORY: f64 = 2.5;

/// Asks about one kind of dump. What grows is measured once more in a new process before it is said.
pub(super) fn measure_series(
    asker: &Asker<'_>,
    format: Format,
    shape: &ScalingShape,
) -> Result<Option<GrowthSeries>, Error> {
    let mut series = GrowthSeries {
        format: format.to_string(),
        shape: shape.name.to_owned(),
        unit: shape.unit.to_owned(),
        ..GrowthSeries::default()
    };
    let counts = std::iter::successors(Some(shape.first), |count| count.checked_mul(2));
    if !measure(asker, format, shape, counts, &mut series)? {
        return Ok(None);
    }
    judge(asker, &mut series);
    if series.time.is_above() || series.memory.is_above() {
        let last = series.sizes.len().saturating_sub(3);
        let counts: Vec<u64> = series.sizes[last..].iter().map(|size| size.count).collect();
        let mut again = GrowthSeries::default();
        if !measure(asker, format, shape, counts.into_iter(), &mut again)? {
            return Ok(None);
        }
        judge(asker, &mut again);
        confirm(asker, &mut series, &again);
    }
    Ok(Some(series))
}

/// Keeps the growth that both measurements show, and the least costs of both.
fn confirm(asker: &Asker<'_>, series: &mut GrowthSeries, again: &GrowthSeries) {
    let (time, memory) = (series.time, series.memory);
    for size in series.empty.iter_mut().chain(&mut series.sizes) {
        let other = again.empty.iter().chain(&again.sizes).find(|other| other.count == size.count);
        *size = other.map_or(*size, |other| size.least(other));
    }
    judge(asker, series);
    series.time = confirmed_growth([time, again.time, series.time]);
    series.memory = confirmed_growth([memory, again.memory, series.memory]);
}

/// The last of three growths, limited to n log n unless all exceed it.
fn confirmed_growth([first, again, last]: [Growth; 3]) -> Growth {
    match last {
        Growth::AboveNLogN { exponent } if !(first.is_above() && again.is_above()) => Growth::NLogNOrLess { exponent },
        last => last,
    }
}

/// Asks about the dump that has none and those with these numbers, as far as they are read and not too large. Whether the run
/// is not to stop.
fn measure(
    asker: &Asker<'_>,
    format: Format,
    shape: &ScalingShape,
    counts: impl Iterator<Item = u64>,
    series: &mut GrowthSeries,
) -> Result<bool, Error> {
    let mut session = asker.open_session();
    for count in std::iter::once(0).chain(counts) {
        match asker.read(session.as_mut(), format, shape, count)? {
            ReadOutcome::Rightly(size) if count == 0 => series.empty = Some(size),
            ReadOutcome::Rightly(size) => series.sizes.push(size),
            ReadOutcome::Failed(bytes, outcome) => {
                series.failure = Some(ReadFailure { count, bytes, outcome });
                break;
            }
            ReadOutcome::Skipped(reason) => {
                series.skipped = Some(reason);
                break;
            }
            ReadOutcome::Stopped => return Ok(false),
        }
        if is_enough(asker, series) {
            break;
        }
    }
    session.finish();
    Ok(true)
}

/// Whether the last answer took long enough, or the next dump would be too large: growing as it did last.
fn is_enough(asker: &Asker<'_>, series: &GrowthSeries) -> bool {
    let (Some(empty), Some(last)) = (series.empty, series.sizes.last()) else { return false };
    let before = series.sizes.iter().rev().nth(1).map_or(last.bytes / 2, |before| before.bytes);
    let next = last.bytes as f64 * (last.bytes as f64 / before.max(1) as f64);
    last.milliseconds - empty.milliseconds >= asker.enough_milliseconds() || next > asker.options.largest_dump as f64
}

/// Judges how the costs grow beyond those of the dump that has none. What is n is the dump's length: where a writer repeats
/// things, it grows faster than their number.
fn judge(asker: &Asker<'_>, series: &mut GrowthSeries) {
    let Some(empty) = series.empty else { return };
    let time = |size: &DumpCost| (size.bytes, size.milliseconds - empty.milliseconds);
    let times: Vec<(u64, f64)> = series.sizes.iter().map(time).collect();
    let least = LEAST_TIME.max(empty.milliseconds * LEAST_PART);
    series.time = GrowthThreshold { least, factor: TIME }.judge(&times);
    if asker.subject.kind == SubjectKind::Adapter {
        let memory = |size: &DumpCost| Some((size.bytes, size.peak_memory? as f64 - empty.peak_memory? as f64));
        let peaks: Vec<(u64, f64)> = series.sizes.iter().filter_map(memory).collect();
        series.memory = GrowthThreshold { least: LEAST_MEMORY, factor: MEMORY }.judge(&peaks);
    }
}
