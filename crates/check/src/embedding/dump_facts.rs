//! Facts of a dump in memory.

use serde::Serialize;

use heapsmith_core::answers::{Analysis, EdgeOptions, EntryGraph};
use heapsmith_core::compare::compare;
use heapsmith_core::compare::listing::{self, Listing};
use heapsmith_core::digest::{self, Digest, DigestDifference, DigestOptions, FacetSelection, compare_digests};
use heapsmith_core::error::Error;
use heapsmith_core::family::{FileSource, ReadOptions};
use heapsmith_core::format::DumpFile;
use heapsmith_core::input::Input;
use heapsmith_core::model::DumpSource;
use heapsmith_core::validate::{ValidateOptions, unsound, validate};

use super::text::BoundedText;

/// The name of a dump in memory, in messages.
const NAME: &str = "the dump";

/// What is wrong with a dump, as `validate --json` prints it.
///
/// # Errors
/// If the text has more than `most` bytes.
pub fn findings(dump: &[u8], most: usize) -> Result<Vec<u8>, Error> {
    let input = Input::from_memory(NAME, dump);
    BoundedText::json(&validate(&input, ValidateOptions::default())?, most)
}

/// The listing of a heap of a dump, as `decode` prints it.
///
/// # Errors
/// If the dump is not valid or has no such heap, or the text has more than `most` bytes.
pub fn listing(dump: &[u8], heap: usize, most: usize) -> Result<Vec<u8>, Error> {
    let file = valid(dump)?;
    let whole = file.read()?;
    if let Some(error) = whole.ended.err().filter(|error| !error.is_missing_end()) {
        return Err(error.into());
    }
    let heaps = whole.dump.heaps.len();
    let number = require_heap(heap, heaps)?;
    let heap = &whole.dump.heaps[number];
    let mut head = listing::head(heap);
    head.format = Some(file.format()?.to_string());
    head.heap = (heaps > 1).then_some(number as u64);
    let mut text = BoundedText::new(most);
    listing::write(&mut text, &head, heap, &whole.places[number])?;
    Ok(text.into_bytes())
}

/// What an analyser should find in a heap of a dump, as `answers --json` prints it.
///
/// # Errors
/// If the dump is not valid or has no such heap, or the text has more than `most` bytes.
pub fn answers(dump: &[u8], heap: usize, most: usize) -> Result<Vec<u8>, Error> {
    let (mut source, number) = source(dump, heap)?;
    let heap = source.heap(number);
    let analysis = Analysis::new(EntryGraph::from_source(heap, EdgeOptions::default())?);
    BoundedText::json(&heapsmith_core::answers::answers(heap, &analysis)?, most)
}

/// The digest of a heap of a dump, with its buckets, as `digest --buckets --json` prints it.
///
/// # Errors
/// If the dump is not valid or has no such heap, or the text has more than `most` bytes.
pub fn digest(dump: &[u8], heap: usize, most: usize) -> Result<Vec<u8>, Error> {
    let (mut source, number) = source(dump, heap)?;
    BoundedText::json(&digest::digest(source.heap(number), &DigestOptions::default())?, most)
}

/// The difference of a heap of a dump and a listing that a program made of it, as `compare --json` prints it; and whether every fact
/// that both record is the same.
///
/// # Errors
/// If the dump is not valid or has no such heap, the listing is none or takes more than `most` bytes, or the text does.
pub fn compare_with_listing(dump: &[u8], heap: usize, theirs: &[u8], most: usize) -> Result<(bool, Vec<u8>), Error> {
    let mut whole = heapsmith_core::read_dump(dump)?;
    let number = require_heap(heap, whole.heaps.len())?;
    let Listing { head, heap: theirs, .. } = listing::read_within(theirs, most as u64)?;
    let left_out = head.omits.into_iter().filter(|facet| facet.is_omittable()).collect();
    let comparison = compare(&whole.heaps.swap_remove(number), &theirs, &left_out);
    Ok((comparison.equal, BoundedText::json(&comparison, most)?))
}

/// The difference of a heap of a dump and a digest that a program made of it.
#[derive(Serialize)]
struct DigestComparison {
    digest: Digest,
    against: DigestDifference,
}

/// The difference of a heap of a dump and a digest that a program made of it, as `digest --against --json` prints it; and whether the
/// digests over the same facets are equal.
///
/// # Errors
/// If the dump is not valid or has no such heap, the digest is none, or the text has more than `most` bytes.
pub fn compare_with_digest(dump: &[u8], heap: usize, theirs: &[u8], most: usize) -> Result<(bool, Vec<u8>), Error> {
    if theirs.len() > most {
        return Err(Error::Usage(format!("the digest has {} bytes, and {most} are allowed", theirs.len())));
    }
    let theirs: Digest = serde_json::from_slice(theirs)
        .map_err(|e| Error::Usage(format!("expected a digest as `heapsmith digest --json` prints it: {e}")))?;
    let options = DigestOptions::default()
        .facets(FacetSelection::from_facets(&theirs.facets)?)
        .by_facet(theirs.by_facet.is_some())
        .bucket(theirs.bucket.as_ref().map(|bucket| bucket.number));
    let (mut source, number) = source(dump, heap)?;
    let mut ours = digest::digest(source.heap(number), &options)?;
    let against = compare_digests(&theirs, &ours);
    ours.buckets = None;
    let equal = against.equal;
    Ok((equal, BoundedText::json(&DigestComparison { digest: ours, against }, most)?))
}

/// A dump that is valid, or has only flaws that every known reader tolerates.
fn valid(dump: &[u8]) -> Result<DumpFile, Error> {
    let input = Input::from_memory(NAME, dump);
    match unsound(&input, ReadOptions::default())? {
        Some(error) => Err(error.into()),
        None => DumpFile::new(input, ReadOptions::default()),
    }
}

fn source(dump: &[u8], heap: usize) -> Result<(FileSource, usize), Error> {
    let source = valid(dump)?.source()?;
    let number = require_heap(heap, source.heaps())?;
    Ok((source, number))
}

fn require_heap(heap: usize, heaps: usize) -> Result<usize, Error> {
    match heap < heaps {
        true => Ok(heap),
        false => Err(Error::Usage(format!("the dump has {heaps} heaps, and no heap {heap}; heaps count from 0"))),
    }
}
