//! The decisions that hold for a whole file.

use crate::draw::{Draw, DrawStream, SeedDraw};
use crate::error::{Error, LowerError};
use crate::hprof::wire::{IdSize, RecordTag};
use crate::lower::Adherence;
use crate::model::{Address, ByteLen, DumpSource, Facts, Name, NameForms, WordSize};

use super::LowerOptions;
use super::profiles::{Framing, NameForm, Profile, SegmentCut};

/// The settings that options mean for a dump with these facts.
#[derive(Clone, Copy, Debug)]
pub(super) struct LowerPlan {
    pub(super) profile: &'static Profile,
    pub(super) adherence: Adherence,
    pub(super) id: IdSize,
    pub(super) framing: Framing,
    pub(super) names: NameForm,
    pub(super) seed: u64,
    pub(super) threads: usize,
}

impl LowerPlan {
    /// The plan of a dump. What its first heap says of the file holds for all of it.
    pub(super) fn from_dump(dump: &mut dyn DumpSource, options: &LowerOptions) -> Result<LowerPlan, Error> {
        let heap = dump.heap(0);
        let segments = options.segments.or(heap.segments());
        LowerPlan::new(heap.facts(), &LowerOptions { segments, ..*options })
    }

    pub(super) fn new(facts: &Facts, options: &LowerOptions) -> Result<LowerPlan, Error> {
        let profile = options.profile;
        let own = facts.identifier_size.and_then(|size| IdSize::from_bytes(size.0));
        let of_word = match facts.word_size {
            Some(WordSize::Bits32) => IdSize::Four,
            Some(WordSize::Bits64) | None => IdSize::Eight,
        };
        let id = match options.adherence {
            Adherence::Heap => options.id_size.or(own).or(profile.id_size),
            Adherence::Writer => options.id_size.or(profile.id_size).or(own),
        };
        let framing = LowerPlan::framing(options, facts.header_version.as_ref()).ok_or_else(|| {
            let name = profile.name;
            match options.segments {
                Some(segments) => Error::Usage(format!(
                    "segments={segments}: the profile {name} writes this heap as one HEAP DUMP record, which has none; choose a \
                     profile that writes them, such as {}",
                    Profile::default_profile().name
                )),
                None => {
                    let version = facts.header_version.clone().unwrap_or_default();
                    LowerError::Profile(format!("{name} does not write header version {version}")).into()
                }
            }
        })?;
        if options.segments == Some(0) {
            return Err(Error::Usage("segments=0: each heap has at least 1".to_owned()));
        }
        let mut draw = SeedDraw::new(options.seed, DrawStream::Cuts);
        draw.below(profile.framings.len() as u64);
        let draw: &mut dyn Draw = &mut draw;
        let names = if profile.is_seeded() { *draw.pick(&[NameForm::Jvm, NameForm::Java]) } else { profile.names };
        Ok(LowerPlan {
            profile,
            adherence: options.adherence,
            id: id.unwrap_or(of_word),
            framing,
            names,
            seed: options.seed,
            threads: options.threads,
        })
    }

    /// The framing of a heap whose dump had this header version, if it had one; `None` where a dump in its own framing
    /// would need a version that the profile does not write, or segments.
    pub(super) fn framing(options: &LowerOptions, version: Option<&Name>) -> Option<Framing> {
        let profile = options.profile;
        let is_possible = |f: &&Framing| options.segments.is_none() || f.tag == RecordTag::HEAP_DUMP_SEGMENT;
        let framings: Vec<&Framing> = profile.framings.iter().filter(is_possible).collect();
        let drawn = SeedDraw::new(options.seed, DrawStream::Cuts).below(framings.len() as u64) as usize;
        let wanted = |f: &&Framing| version.is_some_and(|version| f.version.text().as_bytes() == version.as_bytes());
        let framing = *match (options.framing, version) {
            (Some(framing), _) => Some(framing).filter(is_possible),
            (None, Some(_)) if options.adherence == Adherence::Heap => framings.into_iter().find(wanted),
            _ if profile.is_seeded() => framings.get(drawn).copied(),
            _ => framings.first().copied(),
        }?;
        Some(match options.segments {
            Some(segments) => Framing { cut: SegmentCut::Count(segments), groups: false, ..framing },
            None => framing,
        })
    }

    /// The facts of the header.
    pub(super) fn facts(&self, facts: &Facts) -> Facts {
        Facts {
            timestamp: Some(facts.timestamp.unwrap_or(0)),
            header_version: Some(Name::from_text(self.framing.version.text())),
            identifier_size: Some(ByteLen(self.id.bytes() as u64)),
            ..Facts::default()
        }
    }

    /// Whether the heap's own way counts.
    pub(super) fn follows_heap(&self) -> bool {
        self.adherence == Adherence::Heap
    }

    /// Whether Android's sub-records can be written.
    pub(super) fn writes_android(&self) -> bool {
        self.profile.android && (self.framing.version.is_android() || self.follows_heap())
    }

    /// Whether an array can be without its elements. ART's writer of today calls that sub-record obsolete.
    pub(super) fn writes_bare_arrays(&self) -> bool {
        self.writes_android() && (self.follows_heap() || self.profile.root_writer.is_none())
    }

    /// Whether records can stand between the sub-records of a heap.
    pub(super) fn interrupts(&self) -> bool {
        // One would end a segment that is not full yet.
        !matches!(self.framing.cut, SegmentCut::Whole | SegmentCut::Count(_))
    }

    /// Refuses an identifier that is too large.
    pub(super) fn check_id(&self, id: u64) -> Result<(), LowerError> {
        if id > self.id.max() {
            return Err(LowerError::IdTooWide { id: Address(id), bytes: self.id.bytes() as u64 });
        }
        Ok(())
    }

    /// Names of classes, as this dump spells them.
    pub(super) fn name_forms(&self) -> NameForms {
        NameForms::new(match self.names {
            _ if self.follows_heap() => Name::clone,
            NameForm::Jvm => Name::to_jvm_form,
            NameForm::Java => Name::to_java_form,
        })
    }
}
