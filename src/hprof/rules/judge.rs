//! The rules of HPROF in the two passes of a validation.

use crate::error::DecodeError;
use crate::family::{Judge, Opening};
use crate::findings::{Findings, Rulebook, Sound};
use crate::input::Stream;

use super::super::family::FAMILY;
use super::super::{Decoder, open};
use super::{BOOK, GraphIndex, PassRules};

/// Both passes over an HPROF dump.
pub(in super::super) struct Judgement;

impl Judge for Judgement {
    type Decoder = Decoder<Stream>;
    type Graph = GraphIndex;

    const BOOK: &'static Rulebook = &BOOK;

    fn open(opening: Opening) -> Result<Decoder<Stream>, DecodeError> {
        open(opening)
    }

    fn format(decoder: &Decoder<Stream>) -> String {
        format!("{FAMILY}-{}", decoder.header().version)
    }

    fn graph(decoder: &Decoder<Stream>, errors: bool) -> GraphIndex {
        GraphIndex::new(decoder.header().id_size, errors, decoder.allowance())
    }

    fn pass(
        decoder: &mut Decoder<Stream>,
        mut graph: Option<&mut GraphIndex>,
        findings: &mut Findings,
    ) -> (Sound, Result<(), DecodeError>) {
        let mut rules = PassRules::new(decoder.header());
        let ended = decoder.visit::<DecodeError, _>(|step| {
            rules.step(step, findings);
            if let Some(index) = &mut graph {
                index.enter(step, findings)?;
            }
            Ok(())
        });
        let sound = Sound {
            records: decoder.index(),
            objects: rules.objects,
            classes: rules.classes,
            references: rules.references,
        };
        (sound, ended.map(|length| rules.end(length, findings)))
    }

    fn seal(graph: &mut GraphIndex, _whole: bool, _findings: &mut Findings) {
        graph.seal();
    }

    fn judge(
        decoder: &mut Decoder<Stream>,
        graph: &mut GraphIndex,
        findings: &mut Findings,
    ) -> Result<(), DecodeError> {
        let judged = decoder.visit(|step| {
            graph.judge(step, findings);
            Ok(())
        });
        judged.map(|_| ())
    }

    fn close(graph: &GraphIndex, sound: &mut Sound, _findings: &mut Findings) {
        sound.references += graph.references;
    }
}
