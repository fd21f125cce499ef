//! Judging a dump in two passes, whatever its format.

use crate::error::{DecodeError, Error};
use crate::findings::{Findings, Rulebook, SoundCounts};

use super::{Opener, Opening};

/// The rules of the whole graph that a validation judges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GraphRules {
    /// No rules.
    None,
    /// Rules that are errors.
    Errors,
    /// All rules.
    All,
}

/// The rules of a format, as the two passes of a validation need them.
pub trait Judge {
    /// A dump at its start.
    type DumpDecoder;
    /// The index that the rules of the whole graph build in the first pass for the second.
    type JudgedGraph;

    /// The rule book.
    const BOOK: &'static Rulebook;

    /// Opens a dump.
    ///
    /// # Errors
    /// If the header cannot be read.
    fn open(opening: Opening) -> Result<Self::DumpDecoder, DecodeError>;

    /// The format's name with its version.
    fn format(decoder: &Self::DumpDecoder) -> String;

    /// An empty index of the graph; `errors` says whether only rules that are errors are judged by it.
    fn graph(decoder: &Self::DumpDecoder, errors: bool) -> Self::JudgedGraph;

    /// The first pass: the rules that need no more than a record and its predecessors. What is sound, and the error at
    /// which reading stopped.
    fn first_pass(
        decoder: &mut Self::DumpDecoder,
        graph: Option<&mut Self::JudgedGraph>,
        findings: &mut Findings,
    ) -> (SoundCounts, Result<(), DecodeError>);

    /// Ends the first pass. `whole` says whether it read the dump to its end.
    fn seal(graph: &mut Self::JudgedGraph, whole: bool, findings: &mut Findings);

    /// Whether the second pass could find what is looked for: nothing but errors, or all.
    fn needs_second_pass(_graph: &Self::JudgedGraph, _errors: bool) -> bool {
        true
    }

    /// The second pass, from the start again.
    ///
    /// # Errors
    /// The error that stopped the first pass stops this one as well.
    fn judge(
        decoder: &mut Self::DumpDecoder,
        graph: &mut Self::JudgedGraph,
        findings: &mut Findings,
    ) -> Result<(), DecodeError>;

    /// Adds findings after both passes.
    fn close(_graph: &Self::JudgedGraph, _sound: &mut SoundCounts, _findings: &mut Findings) {}
}

/// The result of a validation besides its findings.
#[derive(Clone, Debug, Default)]
pub struct JudgedDump {
    /// The format with its version, if the header could be read.
    pub format: Option<String>,
    /// The sound part of the dump.
    pub sound: SoundCounts,
    /// Whether all rules of the whole graph were judged.
    pub graph_checked: bool,
}

/// Runs both passes, the second one only for the rules of the whole graph; and gives what these rules kept.
///
/// # Errors
/// If the dump cannot be read because of the machine.
pub fn judge_dump<J: Judge>(
    opener: &Opener,
    graph: GraphRules,
    findings: &mut Findings,
) -> Result<(JudgedDump, Option<J::JudgedGraph>), Error> {
    let mut decoder = match J::open(opener.open()?) {
        Ok(decoder) => decoder,
        Err(error) => return report_stop(J::BOOK, error, findings).map(|()| (JudgedDump::default(), None)),
    };
    let format = Some(J::format(&decoder));
    let errors = graph == GraphRules::Errors;
    let mut index = (graph != GraphRules::None).then(|| J::graph(&decoder, errors));
    let (mut sound, ended) = J::first_pass(&mut decoder, index.as_mut(), findings);
    let whole = ended.as_ref().err().is_none_or(DecodeError::is_missing_end);
    if let Err(error) = ended {
        report_stop(J::BOOK, error, findings)?;
    }
    if let Some(index) = &mut index {
        J::seal(index, whole, findings);
        if J::needs_second_pass(index, errors)
            && let Ok(mut decoder) = J::open(opener.open()?)
        {
            match J::judge(&mut decoder, index, findings) {
                Err(error) if error.is_machine_fault() => return Err(error.into()),
                // What stopped the first pass stops this one too, and is known already.
                _ => {}
            }
        }
        J::close(index, &mut sound, findings);
    }
    Ok((JudgedDump { format, sound, graph_checked: graph == GraphRules::All }, index))
}

/// A dump that cannot be read any further: a finding, unless the machine is at fault.
fn report_stop(book: &Rulebook, error: DecodeError, findings: &mut Findings) -> Result<(), Error> {
    if error.is_machine_fault() {
        return Err(error.into());
    }
    findings.add_fatal(&error, book.severity(error.rule()));
    Ok(())
}
