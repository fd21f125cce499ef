//! The rules of PHD in the two passes of a validation.

use crate::error::DecodeError;
use crate::family::{Judge, Opening};
use crate::findings::{Findings, Rulebook, Sound};
use crate::input::Stream;
use crate::model::long::Spool;

use super::super::Decoder;
use super::super::family::{format, open};
use super::super::wire::{FileFlags, Layout};
use super::{BOOK, GraphIndex, PassRules};

/// Both passes over a PHD.
pub(in super::super) struct Judgement;

impl Judge for Judgement {
    type Decoder = (Decoder<Stream>, Spool);
    type Graph = (GraphIndex, Layout);

    const BOOK: &'static Rulebook = &BOOK;

    fn open(opening: Opening) -> Result<(Decoder<Stream>, Spool), DecodeError> {
        let spool = opening.spool();
        Ok((open(opening)?, spool))
    }

    fn format((decoder, _): &(Decoder<Stream>, Spool)) -> String {
        format(decoder.header().version).to_string()
    }

    fn graph((decoder, _): &(Decoder<Stream>, Spool), _errors: bool) -> (GraphIndex, Layout) {
        let layout = decoder.layout();
        (GraphIndex::new(layout, decoder.header().flags.has(FileFlags::J9), decoder.allowance()), layout)
    }

    fn pass(
        (decoder, spool): &mut (Decoder<Stream>, Spool),
        mut graph: Option<&mut (GraphIndex, Layout)>,
        findings: &mut Findings,
    ) -> (Sound, Result<(), DecodeError>) {
        let header = decoder.header().clone();
        let mut rules = PassRules::new(&header, decoder.header_bytes().len() as u64, findings);
        let ended = decoder.visit_with::<DecodeError, _>(Some(spool), |located| {
            let resolved = rules.record(located, findings)?;
            if let Some((index, _)) = &mut graph {
                index.enter(located, resolved.address)?;
            }
            Ok(())
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
            Ok(())
        });
        (sound, ended)
    }

    fn seal((index, _): &mut (GraphIndex, Layout), _whole: bool, findings: &mut Findings) {
        index.seal(findings);
    }

    fn may_err((index, _): &(GraphIndex, Layout)) -> bool {
        index.has_duplicates()
    }

    fn judge(
        (decoder, spool): &mut (Decoder<Stream>, Spool),
        (index, _): &mut (GraphIndex, Layout),
        findings: &mut Findings,
    ) -> Result<(), DecodeError> {
        let judged = decoder.visit_with(Some(spool), |located| index.judge(located, findings));
        judged.map(|_| ())
    }

    fn close((index, _): &(GraphIndex, Layout), _sound: &mut Sound, findings: &mut Findings) {
        index.signs(findings);
    }
}
