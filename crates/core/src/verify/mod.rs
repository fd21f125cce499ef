//! Whether a dump is a certain generated heap: read once, in memory that does not grow with it.
//!
//! The heap can compute each of its objects ([`ProceduralHeap`]), so every object of the dump is looked up by its address and
//! compared with what it has to be. That each occurs once takes no set of those that were seen: where the objects do not come
//! in their order, a keyed hash of 128 bits of each object's number is added up, and that of the number that was due is taken
//! away. What is left in the end is 0 if, but for a chance of 1 in 2^128, every object came exactly once.
//!
//! Where a writer spells blocks of objects without regard to what stands before them, objects that come in their order are
//! compared as bytes, and only what differs is decoded.

mod block_matcher;
mod expected;

use std::collections::BTreeSet;

use serde::Serialize;

use crate::compare::{Facet, compare};
use crate::error::Error;
use crate::family::{Family, Lowering, Opening, ReadOptions, SinglePassVisitor, SkippedRecords};
use crate::format::{DumpFile, family_of};
use crate::generate::ProceduralHeap;
use crate::input::{Input, InputStream};
use crate::model::{Address, Class, Contents, Dump, DumpSource, Heap, Object, Surroundings};
use crate::setters::setters;

use block_matcher::{BlockMatcher, BlockPosition};
use expected::{ExpectedHeap, ObjectPosition};

/// The options of a verification.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct VerifyOptions {
    /// Whether objects may stand in any order.
    pub any_order: bool,
    /// The sampling of blocks of objects: one in this many is compared, and the objects of the others are only counted.
    pub sample: u64,
    /// The most differences that are listed; all are counted.
    pub most: usize,
}

setters! {
    impl VerifyOptions {
        set any_order: bool;
        set sample: u64;
        set most: usize;
    }
}

impl Default for VerifyOptions {
    fn default() -> VerifyOptions {
        VerifyOptions { any_order: false, sample: 1, most: 10 }
    }
}

/// What was found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct Verified {
    /// Whether the dump is that heap.
    pub same: bool,
    /// Objects of the dump.
    pub objects: u64,
    /// How many of them were compared.
    pub compared: u64,
    /// How many differences there are.
    pub count: u64,
    /// The first ones.
    pub differences: Vec<VerifyDifference>,
}

/// Something that is not as it has to be.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schemas", schemars(rename = "Difference"))]
pub struct VerifyDifference {
    /// What it is.
    pub what: String,
    /// The address of the object or class, if it is about one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// What has to be.
    pub expected: String,
    /// What is there.
    pub found: String,
}

/// Compares a dump with a heap, as the writer of `lowering` dumps it. A dump of a format that has to be read twice is copied to a
/// temporary file where it comes from a pipe.
///
/// # Errors
/// If the dump cannot be read because of the machine, or the heap cannot be written so. What is wrong in the dump is a difference.
pub fn verify(
    stream: InputStream,
    heap: &ProceduralHeap,
    lowering: &Lowering,
    options: VerifyOptions,
) -> Result<Verified, Error> {
    let expected = ExpectedHeap::new(heap, lowering)?;
    let drawn = heap.drawn();
    let mut ahead = Vec::new();
    for blocks in heap.all_blocks() {
        let spelled = lowering.spelled(&drawn.facts, &drawn.classes, blocks)?;
        ahead.push(spelled.map(|spelled| BlockMatcher::new(spelled, blocks.shapes().len())));
    }
    let mut verifier = Verifier {
        ascends: !options.any_order && expected.ascends(),
        expected,
        ahead,
        options,
        first: Vec::new(),
        place: 0,
        due: 0,
        right: 0,
        balance: 0,
        previous: Address::NULL,
        out_of_order: None,
        verified: Verified::default(),
    };
    let family = lowering.format().family();
    let read = read(stream, family, &verifier.expected.head.classes.clone(), &mut verifier);
    match read {
        Ok(dump) => verifier.compare_rest(dump)?,
        Err(Error::Decode(error)) => {
            verifier.report_difference("reading", None, "a dump that can be read to its end", &error)
        }
        Err(error) => return Err(error),
    }
    let mut verified = verifier.verified;
    verified.same = verified.count == 0;
    Ok(verified)
}

fn read(mut stream: InputStream, family: Family, known: &[Class], verifier: &mut Verifier<'_>) -> Result<Dump, Error> {
    let found = family_of(&mut stream)?;
    if found != family {
        verifier.report_difference("format", None, family.title(), &found.title());
        return Ok(Dump::default());
    }
    if let Some(read) = family.single_pass_reader() {
        let opening = Opening { stream, input: None, reading: ReadOptions::default() };
        return read(opening, known, verifier);
    }
    let copy = match stream.length() {
        Some(_) => Input::spool("the dump", &mut stream),
        None => Input::spool_within_limit("the dump", stream),
    };
    let file = DumpFile::new(copy?, ReadOptions::default())?;
    let mut source = file.source()?;
    let mut dump = Dump { heaps: Vec::new(), tail: source.tail().to_vec() };
    for number in 0..source.heaps() {
        let heap = source.heap(number);
        let (facts, classes) = (heap.facts().clone(), heap.classes().to_vec());
        dump.heaps.push(Heap { facts, classes, objects: Vec::new(), surroundings: heap.surroundings().clone() });
        heap.visit_objects(&mut |object| verifier.object(object))?;
    }
    Ok(dump)
}

struct Verifier<'h> {
    expected: ExpectedHeap<'h>,
    /// A matcher for each part of the heap that is in blocks.
    ahead: Vec<Option<BlockMatcher<'h>>>,
    options: VerifyOptions,
    ascends: bool,
    /// Objects that are in no block.
    first: Vec<Object>,
    /// The number of objects of blocks that came, and the number of the next one where they come in their order.
    place: u64,
    due: u64,
    /// The number of objects in turn that were decoded and right, from the first one of a block on.
    right: usize,
    /// The hashes of those that came, less the hashes of those that were due.
    balance: u128,
    previous: Address,
    out_of_order: Option<(Address, Address)>,
    verified: Verified,
}

impl SinglePassVisitor for Verifier<'_> {
    fn object(&mut self, object: &Object) -> Result<(), Error> {
        self.verified.objects += 1;
        self.note_address(object.address);
        self.previous = object.address;
        let number = match self.expected.is_at(self.due, object.address) {
            true => Some(self.due),
            false => self.expected.number_of(object.address),
        };
        let Some(number) = number else { return self.compare_single(object) };
        self.count(number);
        if !self.is_compared(number) {
            return Ok(());
        }
        self.verified.compared += 1;
        let expected = self.expected.object(number);
        if object == expected {
            self.mark_right(number);
            return Ok(());
        }
        let held = match &object.contents {
            Contents::Long(_) => Object { contents: object.contents.hold()?, ..object.clone() },
            _ => object.clone(),
        };
        let expected = expected.clone();
        self.compare_objects(vec![expected], vec![held]);
        Ok(())
    }

    fn skip_known(&mut self, bytes: &[u8]) -> SkippedRecords {
        let in_full = self.is_compared(self.due);
        let Some(spot) = self.expected.place(self.due) else { return SkippedRecords::default() };
        let Some(ahead) = &mut self.ahead[spot.part] else { return SkippedRecords::default() };
        let ObjectPosition { block, shape, object, .. } = spot;
        let passed = ahead.skip_matching(BlockPosition { block, shape, object, in_full }, bytes);
        if passed.records > 0 {
            self.note_address(self.expected.address(spot));
            self.previous =
                self.expected.address(ObjectPosition { object: object + passed.records as usize - 1, ..spot });
            (self.due..self.due + passed.records).for_each(|number| self.count(number));
            self.verified.objects += passed.records;
            self.verified.compared += if in_full { passed.records } else { 0 };
        }
        passed
    }
}

impl Verifier<'_> {
    /// Notes an address, which has to be above the one before.
    fn note_address(&mut self, address: Address) {
        if self.ascends && address < self.previous && self.out_of_order.is_none() {
            self.out_of_order = Some((self.previous, address));
        }
    }

    /// Counts the object of this number, of those in blocks; the next one is due.
    #[inline]
    fn count(&mut self, number: u64) {
        if number != self.place {
            self.balance = self.balance.wrapping_add(hash(number)).wrapping_sub(hash(self.place));
        }
        self.place += 1;
        self.due = number + 1;
    }

    /// Whether an object is compared, and not only counted.
    fn is_compared(&self, number: u64) -> bool {
        let block = || self.expected.place(number).map_or(0, |spot| spot.block);
        self.options.sample <= 1 || (hash(block()) as u64).is_multiple_of(self.options.sample)
    }

    /// Notes that the object of this number was decoded, and is right; of a block, all of them.
    fn mark_right(&mut self, number: u64) {
        let Some(spot) = self.expected.place(number) else { return };
        let ObjectPosition { shape, object, .. } = spot;
        self.right = if self.right == object || object == 0 { object + 1 } else { 0 };
        let is_whole = self.right as u64 == self.expected.size(spot);
        if let Some(ahead) = self.ahead[spot.part].as_mut().filter(|_| is_whole) {
            ahead.mark_decoded(shape);
        }
    }

    /// Compares an object that is in no block. There are as many of them as are expected, or one more.
    fn compare_single(&mut self, object: &Object) -> Result<(), Error> {
        if self.first.len() <= self.expected.head.objects.len() {
            self.first.push(Object { contents: object.contents.hold()?, ..object.clone() });
            self.verified.compared += 1;
            return Ok(());
        }
        self.report_difference("object", Some(object.address), "no object at this address", &"one");
        Ok(())
    }

    /// Compares what comes after the last object.
    fn compare_rest(&mut self, dump: Dump) -> Result<(), Error> {
        if let [_, _, ..] = dump.heaps.as_slice() {
            self.report_difference("heaps", None, "1", &dump.heaps.len());
        }
        let total = self.expected.in_blocks();
        if self.place != total {
            let in_dump = self.verified.objects;
            self.report_difference("number of objects", None, &(in_dump - self.place + total).to_string(), &in_dump);
        } else if self.balance != 0 {
            self.report_difference("objects", None, "each of them once", &"one is missing, and another is there twice");
        }
        if let Some((previous, next)) = self.out_of_order {
            self.report_difference(
                "order of objects",
                Some(next),
                "ascending addresses",
                &format_args!("{next} after {previous}"),
            );
        }
        let found = dump.heaps.into_iter().next().unwrap_or_default();
        let objects = std::mem::take(&mut self.first);
        let found = Heap { objects, ..found };
        let head = std::mem::take(&mut self.expected.head);
        self.compare_heaps(&without_places(head), &without_places(found));
        Ok(())
    }

    fn compare_objects(&mut self, expected: Vec<Object>, found: Vec<Object>) {
        let classes = &self.expected.head.classes;
        let heap = |objects| Heap { classes: classes.clone(), objects, ..Heap::default() };
        let (expected, found) = (heap(expected), heap(found));
        self.compare_heaps(&expected, &found);
    }

    fn compare_heaps(&mut self, expected: &Heap, found: &Heap) {
        // What a dump counts is counted here; the places of what stands among objects depend on the blocks.
        let left_out = BTreeSet::from([Facet::HeaderTotals, Facet::NullReferences, Facet::RecordOrder]);
        for facet in compare(expected, found, &left_out).differences {
            self.verified.count += facet.count.max(1) - 1;
            self.push_difference(VerifyDifference {
                what: facet.facet.to_string(),
                address: facet.address,
                expected: facet.left,
                found: facet.right,
            });
        }
    }

    fn report_difference(&mut self, what: &str, at: Option<Address>, expected: &str, found: &dyn std::fmt::Display) {
        self.push_difference(VerifyDifference {
            what: what.to_owned(),
            address: at.map(|at| at.to_string()),
            expected: expected.to_owned(),
            found: found.to_string(),
        });
    }

    fn push_difference(&mut self, difference: VerifyDifference) {
        self.verified.count += 1;
        if self.verified.differences.len() < self.options.most {
            self.verified.differences.push(difference);
        }
    }
}

/// A heap whose classes and surroundings do not say among which objects they stand.
fn without_places(heap: Heap) -> Heap {
    let Heap { facts, mut classes, objects, surroundings } = heap;
    classes.iter_mut().for_each(|class| class.after_objects = None);
    let Surroundings { mut roots, threads, traces, mut regions, mut events, times } = surroundings;
    roots.iter_mut().flatten().for_each(|root| root.after = None);
    regions.iter_mut().flatten().for_each(|region| region.after = 0);
    events.iter_mut().flatten().for_each(|event| event.after = 0);
    Heap { facts, classes, objects, surroundings: Surroundings { roots, threads, traces, regions, events, times } }
}

/// The hash of a number: two words of a multiplication each, folded.
fn hash(number: u64) -> u128 {
    let word = |key: u64| {
        let input = number.wrapping_add(key).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let product = u128::from(input) * u128::from(input ^ 0xd6e8_feb8_6659_fd93);
        product as u64 ^ (product >> 64) as u64
    };
    u128::from(word(0x1234_5678_9abc_def1)) << 64 | u128::from(word(0x0fed_cba9_8765_4321))
}
