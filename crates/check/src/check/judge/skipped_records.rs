//! Damage inside of records that an implementation skips by their lengths.

use std::io::{self, Read, Write};
use std::ops::Range;
use std::sync::Arc;

use crate::check::declarations::SKIPS;
use crate::check::judge::AnsweredTask;
use crate::check::streamed_dump::StreamedDump;
use crate::check::task::TaskOperation;
use crate::corpus::{Case, CaseVerdict, RightAnswer};
use heapsmith_core::error::{Error, is_damage};
use heapsmith_core::format::DumpFile;
use heapsmith_core::hprof::{ReadOptions, skip};
use heapsmith_core::input::Input;
use heapsmith_core::validate::{Severity, ValidateOptions, validate};

/// The longest held dump, decompressed, in which records are looked for.
const LONGEST: u64 = 64 << 20;
/// The reading of such a dump.
const READING: &str = "without the records that it skips";

/// The case of a damaged dump without the records that the implementation skips, if the rest is sound: then the rest
/// may be read, and has to be read rightly.
pub(super) fn without_skipped_records(asked: &AnsweredTask<'_>) -> Option<Case> {
    let (case, kinds) = (asked.case, skipped_kinds(asked, asked.case.verdict)?);
    let input = Input::from_memory(&case.id, case.bytes.clone());
    let length = length(&input, LONGEST).ok()??;
    let input = without_damage(&input, length, kinds, case).ok()??;
    let mut bytes = Vec::new();
    io::copy(&mut input.stream().ok()?, &mut bytes).ok()?;
    let mut heaps = DumpFile::new(input, ReadOptions::default()).ok()?.read().ok()?.dump.heaps;
    let number = case.heap.map_or(0, |heap| heap as usize);
    let heap = (number < heaps.len()).then(|| heaps.swap_remove(number))?;
    Some(Case {
        bytes,
        verdict: CaseVerdict::Ambiguous,
        answers: vec![RightAnswer::Reads(READING, Arc::new(heap))],
        ..case.clone()
    })
}

/// The rest of a dump that is not held, which is read several times for that, as [`shortened`] gives it.
///
/// # Errors
/// If it cannot be read because of the machine.
pub(super) fn shortened_large<'s>(
    asked: &AnsweredTask<'_>,
    large: &StreamedDump<'s>,
) -> Result<Option<StreamedDump<'s>>, Error> {
    let Some(kinds) = skipped_kinds(asked, large.verdict) else { return Ok(None) };
    let Some(dump) = asked.files.unchanged_dump()? else { return Ok(None) };
    let Some(length) = length(&dump, u64::MAX)? else { return Ok(None) };
    let shortened = without_damage(&dump, length, kinds, asked.case)?;
    let judged = |input| StreamedDump {
        verdict: CaseVerdict::Ambiguous,
        counts: None,
        shortened: Some((READING, input)),
        ..large.clone()
    };
    Ok(shortened.map(judged))
}

/// The kinds of records that the implementation passes over, if that matters for a dump.
fn skipped_kinds<'a>(asked: &AnsweredTask<'a>, verdict: CaseVerdict) -> Option<&'a [usize]> {
    let kinds = asked.declares().chosen(SKIPS);
    let is_meant = verdict == CaseVerdict::Invalid && asked.task.operation == TaskOperation::Parse && !kinds.is_empty();
    (is_meant && asked.case.format.family().name() == "hprof").then_some(kinds)
}

/// The length of a dump, decompressed; `None` where it is longer than `longest`, or compressed data are damaged.
fn length(input: &Input, longest: u64) -> Result<Option<u64>, Error> {
    match io::copy(&mut input.stream()?.take(longest.saturating_add(1)), &mut io::sink()) {
        Ok(length) => Ok((length <= longest).then_some(length)),
        Err(e) if is_damage(&e) => Ok(None),
        Err(e) => Err(Error::io(format!("reading {}", input.name()), e)),
    }
}

/// A dump without the records of some kinds, if all damage that is known of it stands inside of these, and the rest is sound.
fn without_damage(dump: &Input, length: u64, kinds: &[usize], case: &Case) -> Result<Option<Input>, Error> {
    let known = case.breaks.iter().map(|(_, offset)| offset).chain(&case.breaks_also);
    let mut damage: Vec<u64> = known.copied().collect();
    let mut count = 0_u64;
    write_shortened(dump, length, kinds, &mut io::sink(), &mut |body| {
        count += 1;
        damage.retain(|offset| !body.contains(offset) && body.end != *offset);
    })?;
    if count == 0 || !damage.is_empty() {
        return Ok(None);
    }
    let (whole, kinds) = (dump.clone(), kinds.to_vec());
    let write = move |out: &mut dyn Write| write_shortened(&whole, length, &kinds, out, &mut |_| {});
    let shortened = Input::from_generator(dump.name(), write);
    let report = validate(&shortened, ValidateOptions::default())?;
    let is_sound = report.findings.iter().all(|finding| finding.severity != Severity::Error);
    Ok(is_sound.then_some(shortened))
}

fn write_shortened(
    dump: &Input,
    length: u64,
    kinds: &[usize],
    out: &mut dyn Write,
    skipped: &mut dyn FnMut(Range<u64>),
) -> Result<(), Error> {
    let written = skip::write_without_records(&mut dump.stream()?, length, kinds, out, skipped);
    written.map_err(|e| Error::io(format!("reading {}", dump.name()), e))
}
