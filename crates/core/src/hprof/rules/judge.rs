//! The rules of HPROF in the two passes of a validation.

use crate::error::DecodeError;
use crate::family::{Judge, Opening};
use crate::findings::{Findings, Rulebook, SoundCounts};
use crate::hprof::decode::DecodeStep;
use crate::hprof::lift::{DumpIndex, HeapCounter, IndexBuilder, ItemDetail, Walker};
use crate::hprof::open::FAMILY;
use crate::hprof::wire::Header;
use crate::hprof::{Decoder, open};
use crate::input::InputStream;

use super::{BOOK, GraphIndex, PassRules};

/// The state that the first pass over an HPROF dump leaves for the second one, or for a source of the heaps.
pub(in crate::hprof) struct FirstPassState {
    /// The index for the second pass.
    rules: GraphIndex,
    /// The index for a source of the heaps: a caller that looks for nothing but errors mostly reads them next. `None`
    /// otherwise.
    gathering: Option<(Walker, IndexBuilder)>,
    /// The index that was gathered, where the dump can be read to its end.
    pub(in crate::hprof) index: Option<(Header, DumpIndex)>,
}

impl FirstPassState {
    #[inline]
    fn index_step(&mut self, step: DecodeStep<'_, '_>, findings: &mut Findings) -> Result<(), DecodeError> {
        self.rules.index_step(step, findings)?;
        let Some((walker, gathering)) = &mut self.gathering else { return Ok(()) };
        walker.step(step, None, &mut |place, item| gathering.add_item(place, item))
    }

    /// The dump ends.
    fn finish(&mut self, decoder: &Decoder<InputStream>) -> Result<(), DecodeError> {
        let Some((walker, mut gathering)) = self.gathering.take() else { return Ok(()) };
        walker.finish(decoder.index(), &mut |place, item| gathering.add_item(place, item))?;
        self.index = Some((*decoder.header(), gathering.finish(decoder)));
        Ok(())
    }
}

/// Both passes over an HPROF dump.
pub(in crate::hprof) struct DumpJudge;

impl Judge for DumpJudge {
    type DumpDecoder = Decoder<InputStream>;
    type JudgedGraph = FirstPassState;

    const BOOK: &'static Rulebook = &BOOK;

    fn open(opening: Opening) -> Result<Decoder<InputStream>, DecodeError> {
        open(opening)
    }

    fn format(decoder: &Decoder<InputStream>) -> String {
        format!("{FAMILY}-{}", decoder.header().version)
    }

    fn graph(decoder: &Decoder<InputStream>, errors: bool) -> FirstPassState {
        let gathering =
            || (Walker::new(decoder, HeapCounter::default(), ItemDetail::Heads), IndexBuilder::new(decoder));
        FirstPassState {
            rules: GraphIndex::new(decoder.header().id_size, errors, decoder.allowance()),
            gathering: errors.then(gathering),
            index: None,
        }
    }

    fn first_pass(
        decoder: &mut Decoder<InputStream>,
        mut graph: Option<&mut FirstPassState>,
        findings: &mut Findings,
    ) -> (SoundCounts, Result<(), DecodeError>) {
        let mut rules = PassRules::new(decoder.header());
        let ended = decoder.visit_with::<DecodeError, _>(None, |step| {
            rules.step(step, findings);
            graph.as_deref_mut().map_or(Ok(()), |graph| graph.index_step(step, findings))
        });
        let ended = ended.and_then(|length| graph.map_or(Ok(length), |graph| graph.finish(decoder).map(|()| length)));
        let sound = SoundCounts {
            records: decoder.index(),
            objects: rules.objects,
            classes: rules.classes,
            references: rules.references,
        };
        (sound, ended.map(|length| rules.finish(length, findings)))
    }

    fn seal(graph: &mut FirstPassState, _whole: bool, _findings: &mut Findings) {
        graph.rules.seal();
    }

    fn needs_second_pass(graph: &FirstPassState, errors: bool) -> bool {
        !errors || graph.rules.may_err()
    }

    fn judge(
        decoder: &mut Decoder<InputStream>,
        graph: &mut FirstPassState,
        findings: &mut Findings,
    ) -> Result<(), DecodeError> {
        let judged = decoder.visit_with::<DecodeError, _>(None, |step| {
            graph.rules.judge(step, findings);
            Ok(())
        });
        graph.rules.finish(findings);
        judged.map(|_| ())
    }

    fn close(graph: &FirstPassState, sound: &mut SoundCounts, _findings: &mut Findings) {
        sound.references += graph.rules.references;
    }
}
