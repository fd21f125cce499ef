//! Cases from bytes: the heap that heapsmith reads of a dump is right.

use std::sync::Arc;

use crate::corpus::{Case, CaseOrigin, CaseVerdict, RightAnswer};
use heapsmith_core::error::Error;
use heapsmith_core::family::case::BROKEN;
use heapsmith_core::findings::Severity;
use heapsmith_core::format::{DumpFile, Family, Format};
use heapsmith_core::hprof::ReadOptions;
use heapsmith_core::input::Input;
use heapsmith_core::model::{DumpSource, Heap};
use heapsmith_core::validate::{Finding, ValidateOptions, validate};

/// A case of a dump outside of the corpus: heapsmith's reading of it, the first heap of several, is right. A dump that
/// breaks a rule and can be read may be refused as well; one that cannot be read has to be.
///
/// # Errors
/// If it is of no known format.
pub(in crate::check) fn case_from_bytes(id: &str, bytes: Vec<u8>) -> Result<Case, Error> {
    let input = Input::from_memory(id, bytes.clone());
    let report = validate(&input, ValidateOptions::default())?;
    let broken = decisive_finding(&report.findings);
    let file = DumpFile::new(input, ReadOptions::default())?;
    let family: Family = file.family();
    let format = file.format().ok().or_else(|| family.formats().last()).unwrap_or(Format::HPROF);
    let mut heaps = 0;
    let read = file.source().and_then(|mut source| {
        heaps = source.heaps();
        if heaps == 0 { Ok(Heap::default()) } else { Heap::collect(source.heap(0)) }
    });
    let answers = match (read, broken) {
        (Ok(heap), None) => vec![RightAnswer::Reads("as written", Arc::new(heap))],
        (Ok(heap), Some(_)) => {
            vec![RightAnswer::Reads("read all the same", Arc::new(heap)), RightAnswer::Refuses(BROKEN)]
        }
        (Err(_), _) => vec![RightAnswer::Refuses(BROKEN)],
    };
    Ok(Case {
        id: id.to_owned(),
        summary: summarise_findings("a dump of one's own", &report.findings),
        kind: CaseOrigin::Spelled,
        verdict: CaseVerdict::from_answers(&answers),
        heap: (heaps > 1).then_some(0),
        breaks: broken.map(|finding| (finding.rule.0, finding.offset)),
        records_due: report.sound.records,
        answers,
        ..Case::valid(String::new(), format, String::new(), String::new(), bytes, Heap::default())
    })
}

/// The finding that makes a dump wrong: the fatal one, else the first error.
pub(super) fn decisive_finding(findings: &[Finding]) -> Option<&Finding> {
    let fatal = findings.iter().find(|finding| finding.fatal);
    fatal.or_else(|| findings.iter().find(|finding| finding.severity == Severity::Error))
}

/// The verdict by findings: refusing is right for a dump that cannot be read; reading and refusing for one that breaks
/// a rule and can be read.
pub(super) fn verdict_from_findings(findings: &[Finding]) -> CaseVerdict {
    match decisive_finding(findings) {
        None => CaseVerdict::Valid,
        Some(_) if findings.iter().any(|finding| finding.fatal) => CaseVerdict::Invalid,
        Some(_) => CaseVerdict::Ambiguous,
    }
}

/// The summary of a dump, with the first finding of `validate`.
pub(super) fn summarise_findings(summary: &str, findings: &[Finding]) -> String {
    match findings {
        [] => summary.to_owned(),
        [first, rest @ ..] => {
            let more = if rest.is_empty() { String::new() } else { format!(", and {} more", rest.len()) };
            format!("{summary}; validate finds {} at offset {:#x}{more}", first.rule, first.offset)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use heapsmith_core::corrupt::edits;

    /// An object that comes twice breaks a rule, and the dump can be read all the same. Why it cannot be read is that it is cut: by
    /// a byte, which is one of HEAP DUMP END's length.
    #[test]
    fn assigns_unreadable_dump_the_rule_of_its_read_error() {
        let dump = Heap::random(3).write(Format::HPROF).expect("it can be written").into_bytes();
        let twice =
            edits(Family::HPROF).into_iter().find(|edit| edit.name == "repeat-an-object").map(|edit| edit.apply(dump));
        let twice = twice.expect("an edit").expect("in memory").expect("it can be made").bytes;
        let rule = |bytes: &[u8]| {
            case_from_bytes("dump", bytes.to_vec()).expect("it is of HPROF").breaks.map(|(rule, _)| rule)
        };
        assert_eq!(rule(&twice), Some("hprof.object.duplicate"));
        assert_eq!(rule(&twice[..twice.len() - 1]), Some("hprof.file.truncated"));
    }
}
