//! A check of a case by heapsmith's own decoder and validator.

use std::collections::BTreeSet;

use crate::corpus::{Case, CaseVerdict, RightAnswer};
use heapsmith_core::compare::{Comparison, compare};
use heapsmith_core::error::Error;
use heapsmith_core::format::DumpFile;
use heapsmith_core::hprof::ReadOptions;
use heapsmith_core::input::Input;
use heapsmith_core::model::Heap;
use heapsmith_core::model::string_text::with_string_texts;
use heapsmith_core::validate::{Finding, Severity, ValidateOptions, rule, validate};
use heapsmith_core::{classic, phd};

/// The objections of heapsmith's own decoder and validator to the case's expectations.
///
/// # Errors
/// If the dump in memory cannot be read, which is a defect.
pub fn judge_case(case: &Case) -> Result<Vec<String>, Error> {
    let mut messages = Vec::new();
    let input = Input::from_memory(&case.id, case.bytes.clone());
    let report = validate(&input, ValidateOptions::default())?;
    if report.valid != matches!(case.answers.first(), Some(RightAnswer::Reads(..))) {
        messages.push(format!("expected verdict {}, validate says {:?}", case.verdict.name(), report.findings));
    }
    if let Some((rule, offset)) = case.breaks
        && !report.findings.iter().any(|f| f.rule.0 == rule && f.offset == offset)
    {
        messages.push(format!("expected {rule} at {offset:#x}, validate says {:?}", report.findings));
    }
    if let (Some((rule, offset)), false) = (case.breaks, case.breaks_also.is_empty()) {
        let due: BTreeSet<u64> = case.breaks_also.iter().copied().chain([offset]).collect();
        let own = report.findings.iter().filter(|f| f.rule.0 == rule);
        let found: BTreeSet<u64> = own.map(|f| f.offset).collect();
        if due != found {
            messages.push(format!("expected {rule} at {due:x?}, found at {found:x?}"));
        }
    }
    // These notes say which of two readings a dump supports; it cannot break the rule.
    let signs =
        [phd::rules::HASH_16_BIT_VALUE, phd::rules::OBJECT_ARRAY_CLASS_WORD, phd::rules::OBJECT_ARRAY_REFERENCE_ORDER];
    let is_kept = |f: &&Finding| case.keeps.contains(&f.rule.0) && !signs.contains(&f.rule);
    if let Some(broken) = report.findings.iter().find(is_kept) {
        messages.push(format!("to be kept, and broken: {broken:?}"));
    }
    // A warning besides the one that the case is about would blur what it tests. Only references, class words and
    // types may lead nowhere in any case: a small dump need not hold all that it names; and sizes may be at their limits.
    let dangles = [
        phd::rules::ARRAY_LENGTH_AND_SIZE,
        phd::rules::GRAPH_DANGLING_REFERENCE,
        phd::rules::GRAPH_CLASS_WORD,
        classic::rules::GRAPH_DANGLING_REFERENCE,
        classic::rules::GRAPH_TYPE,
    ];
    let other = report.findings.iter().find(|f| {
        let own = case.breaks.is_some_and(|(rule, _)| rule == f.rule.0);
        f.severity > Severity::Note && !own && !dangles.contains(&f.rule)
    });
    if let Some(other) = other.filter(|_| case.verdict == CaseVerdict::Valid) {
        messages.push(format!("unexpected finding {other:?}"));
    }
    if report.findings.iter().any(|f| f.fatal) && report.sound.records != case.records_due {
        messages.push(format!("expected {} sound records, found {}", case.records_due, report.sound.records));
    }
    if let Some(fatal) = report.findings.iter().find(|f| f.fatal && !rule(f.rule.0).is_some_and(|rule| rule.stops)) {
        messages.push(format!("reading stops at a rule that does not say so: {fatal:?}"));
    }
    if let Some(RightAnswer::Reads(reading, expected)) = case.answers.first() {
        let comparison = decode(case, &input).map(|heap| compare_strictly(expected, &heap));
        match comparison {
            Ok(comparison) if comparison.equal && comparison.not_compared.is_empty() => {}
            Ok(comparison) => messages.push(format!("{reading}: {comparison:?}")),
            Err(e) => messages.push(format!("{reading}: {e}")),
        }
    }
    Ok(messages)
}

fn decode(case: &Case, input: &Input) -> Result<Heap, Error> {
    let whole = DumpFile::new(input.clone(), ReadOptions::default())?.read()?;
    match whole.ended {
        Err(e) if !e.is_missing_end() => Err(e.into()),
        _ => {
            let heap = whole.dump.heaps.into_iter().nth(case.heap.unwrap_or_default() as usize);
            heap.ok_or_else(|| Error::Usage(format!("{} has no heap {:?}", case.id, case.heap)))
        }
    }
}

/// Compares with nothing left out; facts that only one side records count as well.
fn compare_strictly(expected: &Heap, found: &Heap) -> Comparison {
    compare(&with_string_texts(expected), &with_string_texts(found), &BTreeSet::new())
}
