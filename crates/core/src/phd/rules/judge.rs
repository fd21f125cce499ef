//! The rules of PHD in the two passes of a validation.

use crate::error::DecodeError;
use crate::family::{Judge, Opening};
use crate::findings::{Findings, Rulebook, SoundCounts};
use crate::input::InputStream;
use crate::model::long::Spool;
use crate::phd::decode::Decoder;
use crate::phd::lift::PhdSummary;
use crate::phd::open::{format, open};

use super::{BOOK, GraphIndex, PassRules};

/// The state that the first pass over a PHD leaves for the second one, or for a source of the heap.
pub(in crate::phd) struct FirstPassState {
    /// The index for the second pass.
    index: GraphIndex,
    /// The summary for a source of the heap: a caller that looks for nothing but errors mostly reads it next. `None`
    /// otherwise, and where the dump cannot be read to its end.
    pub(in crate::phd) summary: Option<PhdSummary>,
}

/// Both passes over a PHD.
pub(in crate::phd) struct DumpJudge;

impl Judge for DumpJudge {
    type DumpDecoder = (Decoder<InputStream>, Spool);
    type JudgedGraph = FirstPassState;

    const BOOK: &'static Rulebook = &BOOK;

    fn open(opening: Opening) -> Result<(Decoder<InputStream>, Spool), DecodeError> {
        let spool = opening.spool();
        Ok((open(opening)?, spool))
    }

    fn format((decoder, _): &(Decoder<InputStream>, Spool)) -> String {
        format(decoder.header().version).to_string()
    }

    fn graph((decoder, _): &(Decoder<InputStream>, Spool), errors: bool) -> FirstPassState {
        FirstPassState { index: GraphIndex::new(decoder, errors), summary: errors.then(|| PhdSummary::new(decoder)) }
    }

    fn first_pass(
        (decoder, spool): &mut (Decoder<InputStream>, Spool),
        mut graph: Option<&mut FirstPassState>,
        findings: &mut Findings,
    ) -> (SoundCounts, Result<(), DecodeError>) {
        let header = decoder.header().clone();
        let errors = graph.as_ref().is_some_and(|kept| kept.summary.is_some());
        let mut rules = PassRules::new(&header, decoder.header_bytes().len() as u64, errors, findings);
        let ended = decoder.visit_with::<DecodeError, _>(Some(spool), |located| {
            let resolved = rules.record(located, findings)?;
            let Some(FirstPassState { index, summary }) = graph.as_deref_mut() else { return Ok(()) };
            index.index_record(located, &resolved, rules.resolver())?;
            summary.as_mut().map_or(Ok(()), |summary| summary.add_record(located, rules.resolver(), resolved.address))
        });
        let sound = SoundCounts {
            records: decoder.records(),
            objects: rules.objects,
            classes: rules.classes,
            references: rules.references,
        };
        let ended = ended.and_then(|ended| {
            let trailing = decoder.visit_trailing::<DecodeError, _>(|_| Ok(()))?;
            rules.finish(ended, trailing, findings);
            Ok(trailing)
        });
        if let Some(FirstPassState { summary, .. }) = graph {
            match (&ended, &mut *summary) {
                (Err(error), _) if !error.is_missing_end() => *summary = None,
                (ended, Some(summary)) => summary.finish(ended.as_ref().copied()),
                (_, None) => {}
            }
        }
        (sound, ended.map(|_| ()))
    }

    fn seal(FirstPassState { index, .. }: &mut FirstPassState, _whole: bool, findings: &mut Findings) {
        index.seal(findings);
    }

    fn needs_second_pass(FirstPassState { index, .. }: &FirstPassState, _errors: bool) -> bool {
        index.is_open()
    }

    fn judge(
        (decoder, spool): &mut (Decoder<InputStream>, Spool),
        FirstPassState { index, .. }: &mut FirstPassState,
        findings: &mut Findings,
    ) -> Result<(), DecodeError> {
        index.follow(decoder, spool, findings).map(|_| ())
    }

    fn close(FirstPassState { index, .. }: &FirstPassState, _sound: &mut SoundCounts, findings: &mut Findings) {
        index.report_class_word_convention(findings);
    }
}
