//! The rules of PHD in the two passes of a validation.

use crate::error::DecodeError;
use crate::family::{Judge, Opening};
use crate::findings::{Findings, Rulebook, Sound};
use crate::input::Stream;
use crate::model::long::Spool;

use super::super::decode::Decoder;
use super::super::lift::Summary;
use super::{BOOK, GraphIndex, PassRules};
use crate::phd::open::{format, open};

/// The state that the first pass over a PHD leaves for the second one, or for a source of the heap.
pub(in super::super) struct Kept {
    /// The index for the second pass.
    index: GraphIndex,
    /// The summary for a source of the heap: a caller that looks for nothing but errors mostly reads it next. `None`
    /// otherwise, and where the dump cannot be read to its end.
    pub(in super::super) summary: Option<Summary>,
}

/// Both passes over a PHD.
pub(in super::super) struct Judgement;

impl Judge for Judgement {
    type Decoder = (Decoder<Stream>, Spool);
    type Graph = Kept;

    const BOOK: &'static Rulebook = &BOOK;

    fn open(opening: Opening) -> Result<(Decoder<Stream>, Spool), DecodeError> {
        let spool = opening.spool();
        Ok((open(opening)?, spool))
    }

    fn format((decoder, _): &(Decoder<Stream>, Spool)) -> String {
        format(decoder.header().version).to_string()
    }

    fn graph((decoder, _): &(Decoder<Stream>, Spool), errors: bool) -> Kept {
        Kept { index: GraphIndex::new(decoder, errors), summary: errors.then(|| Summary::new(decoder)) }
    }

    fn pass(
        (decoder, spool): &mut (Decoder<Stream>, Spool),
        mut graph: Option<&mut Kept>,
        findings: &mut Findings,
    ) -> (Sound, Result<(), DecodeError>) {
        let header = decoder.header().clone();
        let errors = graph.as_ref().is_some_and(|kept| kept.summary.is_some());
        let mut rules = PassRules::new(&header, decoder.header_bytes().len() as u64, errors, findings);
        let ended = decoder.visit_with::<DecodeError, _>(Some(spool), |located| {
            let resolved = rules.record(located, findings)?;
            let Some(Kept { index, summary }) = graph.as_deref_mut() else { return Ok(()) };
            index.enter(located, &resolved, rules.resolver())?;
            summary.as_mut().map_or(Ok(()), |summary| summary.enter(located, rules.resolver(), resolved.address))
        });
        let sound = Sound {
            records: decoder.records(),
            objects: rules.objects,
            classes: rules.classes,
            references: rules.references,
        };
        let ended = ended.and_then(|ended| {
            let trailing = decoder.visit_trailing::<DecodeError, _>(|_| Ok(()))?;
            rules.end(ended, trailing, findings);
            Ok(trailing)
        });
        if let Some(Kept { summary, .. }) = graph {
            match (&ended, &mut *summary) {
                (Err(error), _) if !error.is_missing_end() => *summary = None,
                (ended, Some(summary)) => summary.end(ended.as_ref().copied()),
                (_, None) => {}
            }
        }
        (sound, ended.map(|_| ()))
    }

    fn seal(Kept { index, .. }: &mut Kept, _whole: bool, findings: &mut Findings) {
        index.seal(findings);
    }

    fn is_open(Kept { index, .. }: &Kept, _errors: bool) -> bool {
        index.is_open()
    }

    fn judge(
        (decoder, spool): &mut (Decoder<Stream>, Spool),
        Kept { index, .. }: &mut Kept,
        findings: &mut Findings,
    ) -> Result<(), DecodeError> {
        index.follow(decoder, spool, findings).map(|_| ())
    }

    fn close(Kept { index, .. }: &Kept, _sound: &mut Sound, findings: &mut Findings) {
        index.signs(findings);
    }
}
