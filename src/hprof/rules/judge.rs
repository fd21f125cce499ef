//! The rules of HPROF in the two passes of a validation.

use crate::error::DecodeError;
use crate::family::{Judge, Opening};
use crate::findings::{Findings, Rulebook, Sound};
use crate::hprof::open::FAMILY;
use crate::input::Stream;

use super::super::decode::Step;
use super::super::lift::{Gathering, HeapCounter, Index, Keep, Walker};
use super::super::wire::Header;
use super::super::{Decoder, open};
use super::{BOOK, GraphIndex, PassRules};

/// The state that the first pass over an HPROF dump leaves for the second one, or for a source of the heaps.
pub(in super::super) struct Kept {
    /// The index for the second pass.
    rules: GraphIndex,
    /// The index for a source of the heaps: a caller that looks for nothing but errors mostly reads them next. `None`
    /// otherwise.
    gathering: Option<(Walker, Gathering)>,
    /// The index that was gathered, where the dump can be read to its end.
    pub(in super::super) index: Option<(Header, Index)>,
}

impl Kept {
    #[inline]
    fn enter(&mut self, step: Step<'_, '_>, findings: &mut Findings) -> Result<(), DecodeError> {
        self.rules.enter(step, findings)?;
        let Some((walker, gathering)) = &mut self.gathering else { return Ok(()) };
        walker.step(step, None, &mut |place, item| gathering.take(place, item))
    }

    /// The dump ends.
    fn end(&mut self, decoder: &Decoder<Stream>) -> Result<(), DecodeError> {
        let Some((walker, mut gathering)) = self.gathering.take() else { return Ok(()) };
        walker.end(decoder.index(), &mut |place, item| gathering.take(place, item))?;
        self.index = Some((*decoder.header(), gathering.finish(decoder)));
        Ok(())
    }
}

/// Both passes over an HPROF dump.
pub(in super::super) struct Judgement;

impl Judge for Judgement {
    type Decoder = Decoder<Stream>;
    type Graph = Kept;

    const BOOK: &'static Rulebook = &BOOK;

    fn open(opening: Opening) -> Result<Decoder<Stream>, DecodeError> {
        open(opening)
    }

    fn format(decoder: &Decoder<Stream>) -> String {
        format!("{FAMILY}-{}", decoder.header().version)
    }

    fn graph(decoder: &Decoder<Stream>, errors: bool) -> Kept {
        let gathering = || (Walker::new(decoder, HeapCounter::default(), Keep::Heads), Gathering::new(decoder));
        Kept {
            rules: GraphIndex::new(decoder.header().id_size, errors, decoder.allowance()),
            gathering: errors.then(gathering),
            index: None,
        }
    }

    fn pass(
        decoder: &mut Decoder<Stream>,
        mut graph: Option<&mut Kept>,
        findings: &mut Findings,
    ) -> (Sound, Result<(), DecodeError>) {
        let mut rules = PassRules::new(decoder.header());
        let ended = decoder.visit_with::<DecodeError, _>(None, |step| {
            rules.step(step, findings);
            graph.as_deref_mut().map_or(Ok(()), |graph| graph.enter(step, findings))
        });
        let ended = ended.and_then(|length| graph.map_or(Ok(length), |graph| graph.end(decoder).map(|()| length)));
        let sound = Sound {
            records: decoder.index(),
            objects: rules.objects,
            classes: rules.classes,
            references: rules.references,
        };
        (sound, ended.map(|length| rules.end(length, findings)))
    }

    fn seal(graph: &mut Kept, _whole: bool, _findings: &mut Findings) {
        graph.rules.seal();
    }

    fn is_open(graph: &Kept, errors: bool) -> bool {
        !errors || graph.rules.may_err()
    }

    fn judge(decoder: &mut Decoder<Stream>, graph: &mut Kept, findings: &mut Findings) -> Result<(), DecodeError> {
        let judged = decoder.visit_with::<DecodeError, _>(None, |step| {
            graph.rules.judge(step, findings);
            Ok(())
        });
        graph.rules.end(findings);
        judged.map(|_| ())
    }

    fn close(graph: &Kept, sound: &mut Sound, _findings: &mut Findings) {
        sound.references += graph.rules.references;
    }
}
