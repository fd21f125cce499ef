//! The rules of the classic format in the two passes of a validation.

use crate::classic::open::{FORMAT, open};
use crate::error::DecodeError;
use crate::family::{Judge, Opening};
use crate::findings::{Findings, Rulebook, Sound};
use crate::input::Stream;

use super::super::Decoder;
use super::{BOOK, GraphIndex, PassRules};

/// Both passes over a classic heap dump.
pub(in super::super) struct Judgement;

impl Judge for Judgement {
    type Decoder = Decoder<Stream>;
    type Graph = GraphIndex;

    const BOOK: &'static Rulebook = &BOOK;

    fn open(opening: Opening) -> Result<Decoder<Stream>, DecodeError> {
        open(opening)
    }

    fn format(_decoder: &Decoder<Stream>) -> String {
        FORMAT.to_string()
    }

    fn graph(decoder: &Decoder<Stream>, _errors: bool) -> GraphIndex {
        GraphIndex::new(decoder.allowance())
    }

    fn pass(
        decoder: &mut Decoder<Stream>,
        mut graph: Option<&mut GraphIndex>,
        findings: &mut Findings,
    ) -> (Sound, Result<(), DecodeError>) {
        let mut rules = PassRules::new(decoder.encoding());
        let ended = decoder.visit::<DecodeError, _>(|step| {
            rules.step(step, findings);
            if let Some(index) = &mut graph {
                index.enter(step)?;
            }
            Ok(())
        });
        let sound = rules.sound(decoder.index());
        // What the trailers state can be judged whatever follows them.
        rules.end(findings);
        (sound, ended.map(|_| ()))
    }

    fn seal(graph: &mut GraphIndex, whole: bool, findings: &mut Findings) {
        graph.seal(whole, findings);
    }

    fn is_open(graph: &GraphIndex, errors: bool) -> bool {
        !errors || graph.has_duplicates()
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
}
