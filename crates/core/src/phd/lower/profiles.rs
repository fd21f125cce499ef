//! The writers: data, and one function each. In code, adding a profile touches this file alone.
//!
//! Sources of the choices: *native* is OpenJ9 `runtime/rasdump/heapdump.cpp`, confirmed by
//! re-encoding real dumps of J9 2.4 and 2.6; *jdmpview* is OpenJ9
//! `com.ibm.jvm.dtfjview.heapdump.portable`; *DTFJ writer* is OpenJ9
//! `com.ibm.dtfj.phd.parser.HeapdumpWriter`. What has no source is named as ours in
//! `specs/phd.toml`.

use crate::draw::Draw;
use crate::error::Error;
use crate::lower::{Adherence, ClassPlacement};
use crate::model::blocks::ObjectBlocks;
use crate::model::{
    Contents, Facts, HashRegime, HeaderTotals, HeapPart, HeapSource, Object, PiecewiseContents, WordSize,
};
use crate::phd::record::StoredHash;
use crate::phd::wire::{Version, Width, record_flag};

use super::LowerOptions;
use super::choice::{Arithmetic, PendingKind, PendingRecord, RecordForm, RecordSpelling};

/// A writer of PHDs: the facts that its dumps record, and their spelling.
#[derive(Clone, Copy, Debug)]
pub struct Profile {
    /// Its name on the command line.
    pub name: &'static str,
    /// A description of the writer, in a line.
    pub summary: &'static str,
    /// Versions that it writes; the first is its default.
    pub versions: &'static [Version],
    /// Versions whose default it is.
    pub default_of: &'static [Version],
    /// Whether the J9 flag is set. `None`: drawn, as far as the version and the addresses allow.
    pub j9: Option<bool>,
    /// Hash regime; the heap's own, else 32-bit, if `None`.
    pub hashes: Option<HashRegime>,
    /// Whether a 32-bit hash of 0 is stored. Writers that test for zero cannot.
    pub writes_zero_hash: bool,
    /// The place of the classes.
    pub order: ClassPlacement,
    /// Order of the objects.
    pub objects: ObjectOrder,
    /// Header records.
    pub header: HeaderPolicy,
    /// The arithmetic in which addresses are subtracted.
    pub arithmetic: Arithmetic,
    /// The class that an object array's class word names.
    pub array_word: ArrayWord,
    /// Order of an object array's references.
    pub elements: ElementOrder,
    /// Whether object arrays carry their true length (tag 8) or not (tag 5).
    pub true_length: bool,
    /// The order of an object array's two last fields.
    pub array_fields: FieldSwap,
    /// The spelling of each record.
    pub choose: fn(&PendingRecord, &mut dyn Draw) -> RecordSpelling,
}

/// The header records that a profile writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeaderPolicy {
    /// The version text alone, always; empty when unknown (native writer).
    VersionAlways,
    /// Totals, then the random numbers if known (DTFJ writer; the second is ours).
    TotalsAndRandoms,
    /// The version text if known (S0: header records are optional).
    VersionIfKnown,
    /// Whatever is known, in any order, with repeats.
    Any,
}

/// The class that an object array's class word names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArrayWord {
    /// The component class.
    Component,
    /// The innermost component's class, and the array class as reference 0 (J9 in version 4).
    BaseThenArray,
}

/// Order of the objects of a dump.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObjectOrder {
    /// By address, as a VM walks its heap.
    Ascending,
    /// As the heap has them.
    AsHeap,
}

/// Order of the references of an object array whose positions are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ElementOrder {
    /// By index.
    Forward,
    /// From the last index to the first.
    Reverse,
}

/// Order of an object array's last two fields in version 6.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldSwap {
    /// True length, then instance size: every known writer and reader.
    LengthFirst,
    /// Instance size, then true length: S0's text.
    SizeFirst,
}

use Version::{V4, V5, V6};

/// Every profile.
pub const PROFILES: &[Profile] = &[
    Profile {
        name: "j9-2.3",
        summary: "J9 2.3 (Java 5 before SR9): a 16-bit hash in every record, tag 5",
        versions: &[V4],
        default_of: &[V4],
        hashes: Some(HashRegime::Every16),
        order: ClassPlacement::ClassesFirst,
        array_word: ArrayWord::BaseThenArray,
        true_length: false,
        ..NATIVE
    },
    Profile {
        name: "sovereign",
        summary: "the Sovereign VMs, as far as DTFJ's writer shows: flags 0, units of 8 bytes, totals, tag 5",
        versions: &[V4],
        j9: Some(false),
        order: ClassPlacement::AsHeap,
        objects: ObjectOrder::AsHeap,
        header: HeaderPolicy::TotalsAndRandoms,
        elements: ElementOrder::Forward,
        true_length: false,
        choose: sovereign,
        ..NATIVE
    },
    Profile {
        name: "j9-2.4",
        summary: "J9 2.4 (Java 6): a 16-bit hash in every record, classes first",
        versions: &[V5],
        hashes: Some(HashRegime::Every16),
        order: ClassPlacement::ClassesFirst,
        ..NATIVE
    },
    Profile {
        name: "j9-2.6",
        summary: "J9 2.6 (Java 6 and 7): 32-bit hashes where used, classes last",
        versions: &[V5],
        default_of: &[V5],
        ..NATIVE
    },
    Profile {
        name: "openj9",
        summary: "OpenJ9's native writer: 32-bit hashes where used, classes last",
        versions: &[V6],
        default_of: &[V6],
        ..NATIVE
    },
    Profile {
        name: "jdmpview",
        summary: "jdmpview's heapdump command: long records for uncached classes, absolute reference widths",
        versions: &[V6],
        hashes: None,
        arithmetic: Arithmetic::Wide,
        choose: jdmpview,
        ..NATIVE
    },
    Profile {
        name: "as-documented",
        summary: "S0 to the letter; a trap: an array's size stands before its length, which no reader expects",
        versions: &[V6],
        hashes: None,
        order: ClassPlacement::AsHeap,
        objects: ObjectOrder::AsHeap,
        header: HeaderPolicy::VersionIfKnown,
        elements: ElementOrder::Forward,
        array_fields: FieldSwap::SizeFirst,
        choose: as_documented,
        ..NATIVE
    },
    Profile {
        name: "any",
        summary: "a seeded choice among all legal spellings",
        versions: &[V6, V5, V4],
        j9: None,
        hashes: None,
        writes_zero_hash: true,
        order: ClassPlacement::AsHeap,
        objects: ObjectOrder::AsHeap,
        header: HeaderPolicy::Any,
        choose: any,
        ..NATIVE
    },
];

/// OpenJ9's native writer; the J9 profiles differ from it in a line or two.
const NATIVE: Profile = Profile {
    name: "",
    summary: "",
    versions: &[],
    default_of: &[],
    j9: Some(true),
    hashes: Some(HashRegime::WhereUsed32),
    writes_zero_hash: false,
    order: ClassPlacement::ClassesLast,
    objects: ObjectOrder::Ascending,
    header: HeaderPolicy::VersionAlways,
    arithmetic: Arithmetic::Word,
    array_word: ArrayWord::Component,
    elements: ElementOrder::Reverse,
    true_length: true,
    array_fields: FieldSwap::LengthFirst,
    choose: native,
};

/// The native writer: the shortest record that fits; widths as signed integers, except that the
/// farthest reference counts by magnitude; flag 0x01 always set.
fn native(case: &PendingRecord, _: &mut dyn Draw) -> RecordSpelling {
    let flags = match case.kind {
        PendingKind::Instance | PendingKind::ObjectArray => record_flag::HASHED | hash_flag(case),
        PendingKind::PrimitiveArray | PendingKind::Class => hash_flag(case),
    };
    shortest(case, case.gap_signed(), flags)
}

/// The DTFJ writer: widths by magnitude everywhere (-128 takes two bytes), flags 0. Hashes are ours:
/// it writes none.
fn sovereign(case: &PendingRecord, _: &mut dyn Draw) -> RecordSpelling {
    shortest(case, case.gap_symmetric(), hash_flag(case))
}

/// Short, then medium, then long, whichever the object fits first.
#[inline]
fn shortest(case: &PendingRecord, gap: Width, flags: u8) -> RecordSpelling {
    let references = case.references_symmetric();
    let base = RecordSpelling { form: RecordForm::Long, gap, references, flags, true_length: true };
    match case.kind {
        PendingKind::Instance if gap > Width::Two || case.has_hash32() => base,
        PendingKind::Instance => match (case.slot(), case.references.count) {
            (Some(slot), 0..=3) => RecordSpelling { form: RecordForm::Short(slot), ..base },
            (_, 0..=7) => RecordSpelling { form: RecordForm::Medium, ..base },
            _ => base,
        },
        PendingKind::PrimitiveArray => primitive_array(case, gap, base),
        PendingKind::ObjectArray | PendingKind::Class => base,
    }
}

/// One width for gap and length; the long record only for a 32-bit hash.
#[inline]
fn primitive_array(case: &PendingRecord, gap: Width, base: RecordSpelling) -> RecordSpelling {
    let needed = gap.max(case.length_signed());
    if case.has_hash32() {
        RecordSpelling { gap: case.byte_or_word(needed), ..base }
    } else {
        RecordSpelling { form: RecordForm::Plain, gap: needed, ..base }
    }
}

/// jdmpview's writer: a long record for an uncached class or after address 0, medium only for cached
/// classes with 4 to 7 references; the reference width comes from the absolute addresses.
///
/// Two defects of the writer are not imitated, because its dumps would be wrong rather than different:
/// it stores a primitive array's width code in place of its length, and drops an array's 32-bit hash
/// after choosing the long record for it. A reference width too small for the distance is widened.
fn jdmpview(case: &PendingRecord, _: &mut dyn Draw) -> RecordSpelling {
    let absolute = case.references_absolute();
    let flags = match (case.kind, case.hash) {
        (PendingKind::Class | PendingKind::PrimitiveArray, _) => hash_flag(case),
        (_, StoredHash::Bits32(_)) => record_flag::HASHED | record_flag::HASH_FOLLOWS,
        (_, StoredHash::Bits16(_)) => record_flag::HASHED,
        (_, StoredHash::Absent) => 0,
    };
    let gap = case.gap_signed();
    let references = absolute.max(case.references_signed());
    let base = RecordSpelling { form: RecordForm::Long, gap, references, flags, true_length: true };
    match case.kind {
        PendingKind::Instance => {
            let near = case.gap.0 > i64::from(i16::MIN) && case.gap.0 < i64::from(i16::MAX);
            match (case.slot(), case.references.count) {
                _ if case.after_null || case.has_hash32() || !near => base,
                (Some(slot), 0..=3) => RecordSpelling { form: RecordForm::Short(slot), ..base },
                (Some(_), 4..=7) => RecordSpelling { form: RecordForm::Medium, ..base },
                _ => base,
            }
        }
        PendingKind::PrimitiveArray => primitive_array(case, gap, base),
        PendingKind::ObjectArray | PendingKind::Class => base,
    }
}

/// S0 to the letter: medium for 4 to 7 references or an uncached class, "hashed" and "hashed and
/// moved" bits as the tables have them. For classes S0 defines only the hashed bit and yet asks for
/// the other; setting both is ours.
fn as_documented(case: &PendingRecord, _: &mut dyn Draw) -> RecordSpelling {
    let flags = match (case.kind, case.hash) {
        (_, StoredHash::Absent) => 0,
        (PendingKind::Class, StoredHash::Bits16(_)) => record_flag::CLASS_HASH_FOLLOWS,
        (PendingKind::Class, StoredHash::Bits32(_)) => record_flag::CLASS_HASH_FOLLOWS | record_flag::HASH_FOLLOWS,
        (_, StoredHash::Bits16(_)) => record_flag::HASHED,
        (_, StoredHash::Bits32(_)) => record_flag::HASHED | record_flag::HASH_FOLLOWS,
    };
    let choice = shortest(case, case.gap_signed(), flags);
    RecordSpelling { references: case.references_signed(), ..choice }
}

/// Every legal spelling: any form that the object fits, any width that is wide enough, any cache slot
/// that holds the class, the meaningless bit 0x01, tag 5 where the length is the number of
/// references, and lengths as unsigned integers.
fn any(case: &PendingRecord, draw: &mut dyn Draw) -> RecordSpelling {
    let mut wider = |least: Width, most: Width| {
        let span = u64::from(most.code().saturating_sub(least.code()));
        // Mostly the least, so that widths differ between neighbours.
        if draw.one_in(2) { Width::from_code(least.code() + draw.below(span + 1) as u8) } else { least }
    };
    let references = wider(case.references_signed(), Width::Eight);
    let gap = wider(case.gap_signed(), Width::Eight);
    let near = wider(case.gap_signed().min(Width::Two), Width::Two);
    let length = Width::of_unsigned(case.length.unwrap_or(0));
    let plain = wider(case.gap_signed().max(length), Width::Eight);
    let word = wider(Width::One, Width::Two) == Width::Two;
    let meaningless = if case.kind != PendingKind::Class && draw.one_in(2) { record_flag::HASHED } else { 0 };
    let base = RecordSpelling {
        form: RecordForm::Long,
        gap,
        references,
        flags: meaningless | hash_flag(case),
        true_length: case.length != Some(case.references.count) || draw.one_in(2),
    };
    match case.kind {
        PendingKind::Instance if case.has_hash32() || case.gap_signed() > Width::Two || draw.one_in(4) => base,
        PendingKind::Instance => {
            let held: Vec<u8> = (0..4).filter(|&slot| case.slots[usize::from(slot)]).collect();
            match case.references.count {
                0..=3 if !held.is_empty() && !draw.one_in(3) => {
                    let slot = held[draw.below(held.len() as u64) as usize];
                    RecordSpelling { form: RecordForm::Short(slot), gap: near, ..base }
                }
                0..=7 => RecordSpelling { form: RecordForm::Medium, gap: near, ..base },
                _ => base,
            }
        }
        PendingKind::PrimitiveArray if case.has_hash32() || draw.one_in(3) => {
            let needed = case.gap_signed().max(length);
            let gap = if needed == Width::One && !word { Width::One } else { Width::of_word(case.layout.word) };
            if gap < needed {
                // A gap beyond the word: only the plain record has wide enough fields.
                return RecordSpelling { form: RecordForm::Plain, gap: plain, ..base };
            }
            RecordSpelling { gap, ..base }
        }
        PendingKind::PrimitiveArray => RecordSpelling { form: RecordForm::Plain, gap: plain, ..base },
        PendingKind::ObjectArray | PendingKind::Class => base,
    }
}

/// The flag that says that a 32-bit hash follows.
#[inline]
fn hash_flag(case: &PendingRecord) -> u8 {
    match (case.hash, case.kind) {
        (StoredHash::Bits32(_), PendingKind::Class) => record_flag::CLASS_HASH_FOLLOWS,
        (StoredHash::Bits32(_), _) => record_flag::HASH_FOLLOWS,
        _ => 0,
    }
}

impl Profile {
    /// The profile of this name.
    pub fn named(name: &str) -> Option<&'static Profile> {
        PROFILES.iter().find(|p| p.name == name)
    }

    /// The profile that a version gets when none is named.
    ///
    /// # Panics
    /// Never: every version is some profile's default, which a test checks.
    pub fn default_of(version: Version) -> &'static Profile {
        PROFILES.iter().find(|p| p.default_of.contains(&version)).expect("every version has a default profile")
    }

    /// Whether the profile's choices are drawn from a seed.
    pub fn is_seeded(&self) -> bool {
        self.header == HeaderPolicy::Any
    }

    pub(super) fn word(&self, facts: &Facts, options: &LowerOptions) -> WordSize {
        options.word.or(facts.word_size).unwrap_or(WordSize::Bits64)
    }

    pub(super) fn regime(&self, facts: &Facts, options: &LowerOptions) -> HashRegime {
        let regime = match options.adherence {
            Adherence::Writer => self.hashes.or(facts.hash_regime),
            Adherence::Heap => facts.hash_regime.or(self.hashes),
        };
        regime.unwrap_or(HashRegime::WhereUsed32)
    }

    pub(super) fn objects(&self, options: &LowerOptions) -> ObjectOrder {
        match options.adherence {
            Adherence::Writer => self.objects,
            Adherence::Heap => ObjectOrder::AsHeap,
        }
    }

    pub(super) fn order(&self, options: &LowerOptions) -> ClassPlacement {
        match options.adherence {
            Adherence::Writer => self.order,
            Adherence::Heap => ClassPlacement::AsHeap,
        }
    }
}

/// A survey of the objects, for headers that depend on them.
#[derive(Clone, Copy, Debug, Default)]
pub struct ObjectSurvey {
    /// Counts of objects (classes included) and references, as the dump will have them.
    pub totals: HeaderTotals,
    /// Whether an address or reference is no multiple of 8.
    pub unaligned8: bool,
}

impl ObjectSurvey {
    /// Visits the objects once, if the profile's header depends on them.
    pub(super) fn collect(source: &mut dyn HeapSource, options: &LowerOptions) -> Result<ObjectSurvey, Error> {
        if !matches!(options.profile.header, HeaderPolicy::TotalsAndRandoms | HeaderPolicy::Any) {
            return Ok(ObjectSurvey::default());
        }
        let classes = source.classes().to_vec();
        let carrier = super::Carrier::new(&classes, source.facts(), options);
        let mut survey = ObjectSurvey::default();
        for index in 0..classes.len() {
            let class = carrier.class(index)?;
            survey.count(class.address.0, class.references.iter().flatten().map(|a| a.0));
        }
        source.visit_parts(&mut |part| match part {
            HeapPart::Object(object) => survey.add_object(&carrier.object(object)?),
            HeapPart::Blocks(blocks) => survey.add_blocks(blocks, |object| carrier.object(object)),
        })?;
        Ok(survey)
    }

    fn add_object(&mut self, object: &Object) -> Result<(), Error> {
        self.count(object.address.0, object.references().map(|a| a.0));
        if let Contents::Long(PiecewiseContents::References(listed)) = &object.contents {
            listed.visit(|piece| {
                self.count_references(piece.iter().map(|a| a.0));
                Ok::<(), Error>(())
            })?;
        }
        Ok(())
    }

    /// All blocks of a shape have as many references, and all their addresses are multiples of the same.
    fn add_blocks(
        &mut self,
        blocks: &dyn ObjectBlocks,
        carry: impl Fn(&Object) -> Result<Object, Error>,
    ) -> Result<(), Error> {
        self.unaligned8 |= !blocks.unit().is_multiple_of(8);
        for (number, shape) in blocks.shapes().iter().enumerate() {
            let mut one = ObjectSurvey::default();
            shape.carried(&carry, super::listed)?.iter().try_for_each(|object| one.add_object(&object.told))?;
            let HeaderTotals { objects, references } = one.totals;
            let times = blocks.blocks_of(number) as u32;
            self.totals.objects = self.totals.objects.wrapping_add(objects.wrapping_mul(times));
            self.totals.references = self.totals.references.wrapping_add(references.wrapping_mul(times));
        }
        Ok(())
    }

    fn count(&mut self, address: u64, references: impl Iterator<Item = u64>) {
        self.totals.objects = self.totals.objects.wrapping_add(1);
        self.unaligned8 |= !address.is_multiple_of(8);
        self.count_references(references);
    }

    fn count_references(&mut self, references: impl Iterator<Item = u64>) {
        for reference in references {
            self.totals.references = self.totals.references.wrapping_add(1);
            self.unaligned8 |= reference % 8 != 0;
        }
    }
}
