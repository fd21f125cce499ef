//! Properties that always hold of a format, as functions of a fuzzer's bytes, and the parts of a format that they need.
//!
//! Each property is stated by its name and panics when it is violated.

use std::collections::BTreeSet;
use std::fmt::Debug;
use std::io::{self, Read};

use arbitrary::Unstructured;

use crate::compare::compare;
use crate::draw::{BytesDraw, Draw};
use crate::error::{Error, LowerError};
use crate::findings::{Finding, FindingCounts, Findings, Severity};
use crate::model::{Dump, Event};

use super::edit::EditMap;
use super::{Family, GraphRules, Lower, Opener};

/// A property of a fuzzer's bytes.
pub type Property = fn(&[u8]);

/// The properties of one format, or of what all formats share.
#[derive(Clone, Copy, Debug)]
pub struct FormatProperties {
    /// The format's name, which stands before those of the properties.
    pub of: &'static str,
    /// Properties that take the bytes for a dump.
    pub of_bytes: &'static [(&'static str, Property)],
    /// Properties that draw a heap, and a way to write it, from the bytes.
    pub of_heaps: &'static [(&'static str, Property)],
}

impl FormatProperties {
    /// Every property, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, Property)> {
        self.of_bytes.iter().chain(self.of_heaps).copied()
    }
}

/// A format whose properties are asked.
pub trait PropertySubject: Sized {
    /// The map of fields that its edits are made with.
    type FieldMap: EditMap;
    /// The options that its dumps are written with.
    type WriterOptions: Lower + Copy + 'static;
    /// An assumption about bytes that leave something open.
    type Assumption: Copy + Debug + 'static;
    /// Every assumption.
    const READINGS: &'static [Self::Assumption];

    /// Decoding, lifting, annotating and validating anything ends with an answer, and an error has its place.
    fn decode_never_panics(bytes: &[u8]);

    /// The bytes that decoding and encoding again give, checked record by record, and whether the end was reached;
    /// `None` without a header.
    fn decode_and_encode(bytes: &[u8], reading: Self::Assumption) -> Option<(Vec<u8>, bool)>;

    /// Calls for the fields of a dump, each with its name, offset and bytes, in each way to annotate it, and says whether
    /// that came to the end.
    fn fields(bytes: &[u8]) -> Vec<(Vec<FieldBytes>, bool)>;

    /// The records of a source, and the length of the dump or the error.
    fn steps(source: impl Read, reading: Self::Assumption) -> (Vec<ReadRecord>, Result<u64, String>);

    /// Dumps that are as good as this one to try reads of other sizes.
    fn in_reach(bytes: &[u8]) -> Vec<Vec<u8>> {
        vec![bytes.to_vec()]
    }

    /// The ways to write a dump that was read.
    fn rewritings() -> Vec<Self::WriterOptions>;

    /// Heaps and a way to write them.
    fn drawn(draw: &mut dyn Draw) -> (Dump, Self::WriterOptions);

    /// Whether the profile `any` writes what looks odd.
    const SCATTERS: bool = false;

    /// Events that may stand after the last heap of a dump, and change nothing of it.
    fn tail(_dump: &Dump) -> Vec<Event> {
        Vec::new()
    }

    /// A heap written twice: itself, and as it comes back from its dump by `any`. `None` where nothing is to be compared.
    fn through_any(dump: Dump, options: &Self::WriterOptions) -> Option<Result<DumpPair, Error>>;
}

/// Two dumps of one heap.
pub type DumpPair = (Vec<u8>, Vec<u8>);

/// A field's name, offset and bytes.
pub type FieldBytes = (&'static str, u64, Vec<u8>);

/// A record with the pieces after it put together: what it is, its index or line, its offset and its bytes.
#[derive(Debug, PartialEq, Eq)]
pub struct ReadRecord {
    /// The kind of record.
    pub what: &'static str,
    /// Its index, or its line and column.
    pub place: String,
    /// Its offset.
    pub offset: u64,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// Every property of a format, by name.
pub(crate) fn properties<S: PropertySubject>() -> FormatProperties {
    FormatProperties {
        of: S::FieldMap::FAMILY.name(),
        of_bytes: &[
            ("decode_never_panics", S::decode_never_panics),
            ("decoding_and_encoding_again_is_the_identity", decoding_and_encoding_again_is_the_identity::<S>),
            ("every_byte_belongs_to_one_field", every_byte_belongs_to_one_field::<S>),
            ("every_byte_up_to_an_error_belongs_to_one_field", every_byte_up_to_an_error_belongs_to_one_field::<S>),
            ("the_size_of_reads_does_not_matter", the_size_of_reads_does_not_matter::<S>),
            ("what_a_rewritten_dump_carries_comes_back", what_a_rewritten_dump_carries_comes_back::<S>),
        ],
        of_heaps: &[
            ("a_heap_comes_back_from_its_dump", a_heap_comes_back_from_its_dump::<S>),
            ("generated_dumps_validate_clean", generated_dumps_validate_clean::<S>),
            ("named_corruptions_are_found", named_corruptions_are_found::<S>),
            ("nothing_of_a_spelling_stays", nothing_of_a_spelling_stays::<S>),
        ],
    }
}

/// Records keep everything: whatever decodes is spelled the same way again, up to the byte that does not.
pub fn decoding_and_encoding_again_is_the_identity<S: PropertySubject>(bytes: &[u8]) {
    for &reading in S::READINGS {
        let Some((again, whole)) = S::decode_and_encode(bytes, reading) else { return };
        let spelled = if whole { bytes } else { &bytes[..again.len()] };
        assert_eq!(again, spelled);
    }
}

/// The fields of a dump tile it: no byte is left out, none is claimed twice.
pub fn every_byte_belongs_to_one_field<S: PropertySubject>(bytes: &[u8]) {
    for (fields, whole) in S::fields(bytes) {
        let mut next = 0;
        for (name, offset, own) in fields {
            assert_eq!(offset, next as u64, "{name} begins where the field before it ends");
            assert!(!own.is_empty(), "{name} has bytes");
            assert_eq!(own, &bytes[next..next + own.len()]);
            next += own.len();
        }
        assert!(!whole || next == bytes.len(), "{next:#x}");
    }
}

/// The byte map of a dump that cannot be read to its end has every byte up to the error, that of a header included. Its last
/// field is where reading stops; nothing else is marked.
pub fn every_byte_up_to_an_error_belongs_to_one_field<S: PropertySubject>(bytes: &[u8]) {
    let (mut next, mut marked) = (0, None);
    let mapped = S::FieldMap::FAMILY.annotate(&Opener::from_memory("fuzz", bytes), &mut |field| {
        assert!(marked.is_none(), "{} follows the field at which reading stops", field.name);
        assert_eq!(field.offset, next, "{} begins where the field before it ends", field.name);
        assert!(!field.bytes.is_empty() || field.breaks.is_some(), "{} has bytes", field.name);
        next += field.bytes.len() as u64;
        marked = field.breaks;
        Ok(())
    });
    // Compressed bytes are shorter than the dump.
    let is_plain = !bytes.starts_with(&[0x1f, 0x8b]);
    match mapped {
        Ok(()) => assert!(marked.is_none() && (!is_plain || next == bytes.len() as u64), "{next:#x}"),
        Err(Error::Decode(error)) => {
            assert_eq!(marked, Some(error.rule()), "{error}");
            assert!(error.offset() <= next, "{error}: mapped up to {next:#x}");
        }
        Err(error) => panic!("memory can be read: {error}"),
    }
}

/// A stream that gives its bytes one or seven at a time has the same records in it, and ends with the same error.
pub fn the_size_of_reads_does_not_matter<S: PropertySubject>(bytes: &[u8]) {
    for bytes in S::in_reach(bytes) {
        for &reading in S::READINGS {
            let whole = S::steps(bytes.as_slice(), reading);
            for size in [1, 7] {
                assert_eq!(S::steps(ShortReads { bytes: &bytes, size }, reading), whole, "{size} at a time");
            }
        }
    }
}

/// Whatever can be read and written again, in the dump's own order or the writer's, comes back as it was carried.
pub fn what_a_rewritten_dump_carries_comes_back<S: PropertySubject>(bytes: &[u8]) {
    if !S::FieldMap::FAMILY.is_start(&bytes[..bytes.len().min(Family::START)]) {
        return;
    }
    // Of a damaged dump, what stands before the damage.
    let Ok(whole) = S::FieldMap::FAMILY.read(&Opener::from_memory("fuzz", bytes)) else { return };
    let mut dump = whole.dump;
    for lowering in S::rewritings() {
        let adhering = lowering.adhering();
        for lowering in [&lowering as &dyn Lower, &*adhering] {
            match (lowering.carry(&mut dump), written(&mut dump, lowering)) {
                (Ok(carried), Ok(written)) => assert_same_dump(&carried, &lifted::<S>(&written), lowering),
                (Err(Error::Lower(carried)), Err(Error::Lower(written))) => {
                    assert_eq!(carried.to_string(), written.to_string());
                }
                (carried, written) => panic!("{lowering:?}: {:?}, {:?}", carried.err(), written.err()),
            }
        }
    }
}

/// The heaps that a profile's dump records are those that decoding and lifting give back, and lowering these again, in
/// their own order, gives the same bytes.
pub fn a_heap_comes_back_from_its_dump<S: PropertySubject>(bytes: &[u8]) {
    let Some((mut dump, lowering)) = drawn::<S>(bytes) else { return };
    let Ok(bytes) = written(&mut dump, &lowering) else { panic!("it was written before") };
    let Ok(carries) = lowering.carry(&mut dump) else { panic!("what is written is carried: {lowering:?}") };
    let mut back = lifted::<S>(&bytes);
    assert_same_dump(&carries, &back, &lowering);
    let as_read = lowering.adhering();
    // A profile that draws cuts and spells anew, and one that swaps fields swaps them back.
    let is_repeated = !lowering.is_seeded() && !lowering.is_trap();
    for tail in [Vec::new(), S::tail(&back)] {
        let is_longer = !tail.is_empty();
        back.tail.extend(tail);
        match (as_read.carry(&mut back), written(&mut back, &*as_read)) {
            (Ok(carries), Ok(again)) => {
                assert!(is_longer || !is_repeated || again == bytes, "{lowering:?}");
                assert_same_dump(&carries, &lifted::<S>(&again), &*as_read);
            }
            (carried, written) => panic!("{lowering:?}: {:?}, {:?}", carried.err(), written.err()),
        }
    }
}

/// A dump of a generated heap has neither errors nor warnings.
pub fn generated_dumps_validate_clean<S: PropertySubject>(bytes: &[u8]) {
    let Some((mut dump, lowering)) = drawn::<S>(bytes) else { return };
    // What a trap or `any` scatters is meant to look odd.
    if lowering.is_trap() || S::SCATTERS && lowering.is_seeded() {
        return;
    }
    let (found, _) =
        judged(S::FieldMap::FAMILY, &Opener::from_memory("generated", &bytes_of(&mut dump, &lowering)), true);
    assert!(found.iter().all(|f| f.severity == Severity::Note), "{lowering:?}: {found:?}");
}

/// Every named edit that a generated dump has a place for is found, at its place.
pub fn named_corruptions_are_found<S: PropertySubject>(bytes: &[u8]) {
    let Some((mut dump, lowering)) = drawn::<S>(bytes) else { return };
    let Ok(map) = S::FieldMap::from_bytes(bytes_of(&mut dump, &lowering)) else {
        panic!("a generated dump is valid: {lowering:?}")
    };
    for edit in S::FieldMap::EDITS {
        let Some(edited) = edit.apply(&map) else { continue };
        let mut findings = Findings::default();
        let judged =
            S::FieldMap::FAMILY.judge(&Opener::from_memory(edit.name, &edited.bytes), GraphRules::All, &mut findings);
        assert!(judged.is_ok(), "memory can be read");
        let (name, offset) = (edit.name, edited.offset);
        assert!(findings.has(edit.rule, offset), "{name} at {offset:#x} in {lowering:?}: {findings:?}");
    }
}

/// A dump of the profile `any`, rewritten by another one, is what that one makes of the heap itself.
pub fn nothing_of_a_spelling_stays<S: PropertySubject>(bytes: &[u8]) {
    let Some((dump, lowering)) = drawn::<S>(bytes) else { return };
    match S::through_any(dump, &lowering) {
        Some(Ok((direct, through))) => assert_eq!(direct, through, "{lowering:?}"),
        None | Some(Err(Error::Lower(LowerError::IdTooWide { bytes: 1, .. }))) => {}
        Some(Err(e)) => panic!("a generated heap can be written by every profile: {lowering:?}: {e}"),
    }
}

/// Heaps and a way to write them, from a fuzzer's bytes; `None` where identifiers of one byte are too few.
fn drawn<S: PropertySubject>(bytes: &[u8]) -> Option<(Dump, S::WriterOptions)> {
    let mut bytes = Unstructured::new(bytes);
    let (mut dump, lowering) = S::drawn(&mut BytesDraw(&mut bytes));
    match written(&mut dump, &lowering) {
        Ok(_) => Some((dump, lowering)),
        Err(Error::Lower(LowerError::IdTooWide { bytes: 1, .. })) => None,
        Err(e) => panic!("a generated heap can be written by every profile: {lowering:?}: {e}"),
    }
}

fn bytes_of(dump: &mut Dump, lowering: &dyn Lower) -> Vec<u8> {
    written(dump, lowering).unwrap_or_else(|e| panic!("{lowering:?}: {e}"))
}

fn written(dump: &mut Dump, lowering: &dyn Lower) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    lowering.write(dump, &mut bytes)?;
    Ok(bytes)
}

/// The heaps of a dump that can be read to its end.
fn read<S: PropertySubject>(bytes: &[u8]) -> Result<Dump, Error> {
    let whole = S::FieldMap::FAMILY.read(&Opener::from_memory("dump", bytes))?;
    whole.ended?;
    Ok(whole.dump)
}

/// The heaps of a dump that was written.
pub(crate) fn lifted<S: PropertySubject>(bytes: &[u8]) -> Dump {
    read::<S>(bytes).unwrap_or_else(|e| panic!("a written dump can be read: {e}"))
}

/// The findings of every rule of a format in a dump. Errors are the same where nothing else is looked for.
pub(crate) fn judged(family: Family, opener: &Opener, graph: bool) -> (Vec<Finding>, Vec<FindingCounts>) {
    let find = |rules| {
        let mut findings = Findings::default();
        assert!(family.judge(opener, rules, &mut findings).is_ok(), "memory can be read");
        findings.finish()
    };
    let all = find(if graph { GraphRules::All } else { GraphRules::None });
    if graph {
        let errors = |found: &[Finding]| -> Vec<Finding> {
            found.iter().filter(|finding| finding.severity == Severity::Error).cloned().collect()
        };
        assert!(errors(&all.0) == errors(&find(GraphRules::Errors).0), "errors alone are others: {:?}", all.0);
    }
    all
}

fn assert_same_dump(carried: &Dump, lifted: &Dump, lowering: &dyn Lower) {
    assert_eq!(carried.heaps.len(), lifted.heaps.len(), "{lowering:?}");
    for (carried, lifted) in carried.heaps.iter().zip(&lifted.heaps) {
        if carried != lifted {
            // Shorter to read, and the listing tells the same.
            let comparison = compare(carried, lifted, &BTreeSet::new());
            assert!(comparison.equal, "{lowering:?}: {comparison:?}");
            assert_eq!(carried.surroundings, lifted.surroundings, "{lowering:?}");
        }
        assert_eq!(carried, lifted, "{lowering:?}");
    }
    assert_eq!(carried.tail, lifted.tail, "{lowering:?}");
}

/// Gives a few bytes at a time.
struct ShortReads<'b> {
    bytes: &'b [u8],
    size: usize,
}

impl Read for ShortReads<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.size.min(buffer.len());
        self.bytes.read(&mut buffer[..count])
    }
}
