//! The rules of the classic format in the two passes of a validation.

use crate::classic::Decoder;
use crate::classic::open::{FORMAT, open};
use crate::error::DecodeError;
use crate::family::{Judge, Opening};
use crate::findings::{Findings, Rulebook, SoundCounts};
use crate::input::InputStream;

use super::{BOOK, GraphIndex, PassRules};

/// Both passes over a classic heap dump.
pub(in crate::classic) struct DumpJudge;

impl Judge for DumpJudge {
    type DumpDecoder = Decoder<InputStream>;
    type JudgedGraph = GraphIndex;

    const BOOK: &'static Rulebook = &BOOK;

    fn open(opening: Opening) -> Result<Decoder<InputStream>, DecodeError> {
        open(opening)
    }

    fn format(_decoder: &Decoder<InputStream>) -> String {
        FORMAT.to_string()
    }

    fn graph(decoder: &Decoder<InputStream>, _errors: bool) -> GraphIndex {
        GraphIndex::new(decoder.allowance())
    }

    fn first_pass(
        decoder: &mut Decoder<InputStream>,
        mut graph: Option<&mut GraphIndex>,
        findings: &mut Findings,
    ) -> (SoundCounts, Result<(), DecodeError>) {
        let mut rules = PassRules::new(decoder.encoding());
        let ended = decoder.visit::<DecodeError, _>(|step| {
            rules.step(step, findings);
            if let Some(index) = &mut graph {
                index.index_step(step)?;
            }
            Ok(())
        });
        let sound = rules.sound(decoder.index());
        // What the trailers state can be judged whatever follows them.
        rules.finish(findings);
        (sound, ended.map(|_| ()))
    }

    fn seal(graph: &mut GraphIndex, whole: bool, findings: &mut Findings) {
        graph.seal(whole, findings);
    }

    fn needs_second_pass(graph: &GraphIndex, errors: bool) -> bool {
        !errors || graph.has_duplicates()
    }

    fn judge(
        decoder: &mut Decoder<InputStream>,
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
