//! Digests: a heap as a few numbers, whatever the order of its records.
//!
//! Two parties who cannot send each other their dumps can exchange these. Every class, object, root and other fact is
//! a canonical record, and a digest is the sum of the records' SHA-256 modulo 2^256; specs/digest.md defines them.
//! Records with an address are summed by bucket, so that a difference can be narrowed down: first to a bucket, then
//! to the addresses in it.
//!
//! Memory holds the source's class table and surroundings, the names of the classes by address where names are
//! wanted, 256 sums, 16 KiB of a record, the references of a record up to a mebibyte (more of them are sorted in a temporary
//! file), the records of a bucket that is listed ([`BucketRecord`], 48 bytes each), and the texts of strings, where these are
//! asked for. Nothing else grows with the heap.
//!
//! ```
//! use heapsmith::digest::{DigestOptions, digest};
//! use heapsmith::generate::{GenerateOptions, from_seed};
//!
//! let mut heap = from_seed(&GenerateOptions::default(), 7);
//! let before = digest(&mut heap, &DigestOptions::default())?;
//! heap.objects.reverse();
//! assert_eq!(digest(&mut heap, &DigestOptions::default())?, before);
//! # Ok::<(), heapsmith::error::Error>(())
//! ```

mod canonical;
mod difference;
mod fields;
mod hashing;
mod selection;
mod sum;
mod surroundings;
#[cfg(test)]
mod tests;
mod walk;

use serde::{Deserialize, Serialize};

use crate::compare::listing::Hex;
use crate::compare::{Facet, MEMORY};
use crate::error::Error;
use crate::model::HeapSource;
use crate::model::string_text::{StringTexts, TextSource, Utf16Order};
use crate::setters::setters;

pub use difference::{DigestDifference, compare_digests};
pub use selection::FacetSelection;
pub use sum::{BUCKETS, Sum, bucket_of};
pub use walk::DigestPlace;

use hashing::RecordHasher;
use walk::HeapCounts;

/// The options of a digest.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct DigestOptions {
    /// The facets whose facts go into the records.
    pub facets: FacetSelection,
    /// Whether each of them gets a digest of its own, too: a SHA-256 for each fact.
    pub by_facet: bool,
    /// A bucket whose records are to be listed.
    pub bucket: Option<u8>,
}

setters! {
    impl DigestOptions {
        set facets: FacetSelection;
        set by_facet: bool;
        option bucket: u8;
    }
}

impl Default for DigestOptions {
    /// The digest of all facets that do not depend on any order.
    fn default() -> DigestOptions {
        DigestOptions { facets: FacetSelection::unordered(), by_facet: false, bucket: None }
    }
}

/// The digests of a heap.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct Digest {
    /// Version of this report's schema, and of the canonical records: 1.
    pub schema: u32,
    /// The facets that went in: those that were wanted and that the heap tells. Digests of different facets are not
    /// comparable.
    pub facets: Vec<Facet>,
    /// Number of classes.
    pub classes: u64,
    /// Number of objects, classes not counted.
    pub objects: u64,
    /// Number of roots, where the heap tells them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub roots: Option<u64>,
    /// The sum of all buckets and the surroundings.
    pub digest: Sum,
    /// The sum of the records without an address: facts of the header, threads, stack traces and the like.
    pub surroundings: Sum,
    /// The digest over each of the facets alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by_facet: Option<Vec<FacetDigest>>,
    /// The 256 sums of the records with an address, by bucket.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub buckets: Option<Vec<Sum>>,
    /// One of the buckets, record by record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bucket: Option<Bucket>,
}

/// The digest over one facet alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct FacetDigest {
    /// The facet.
    pub facet: Facet,
    /// The sum of all its records.
    pub digest: Sum,
}

/// The records of a bucket.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct Bucket {
    /// The bucket's number.
    pub number: u8,
    /// Its records, by address; those of one address by what they are and by digest.
    pub records: Vec<BucketRecord>,
}

/// A record of a bucket.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct BucketRecord {
    /// Address of the class or object, or of the object that the root keeps.
    pub address: Hex,
    /// What it is.
    pub record: RecordKind,
    /// Its SHA-256.
    pub digest: Sum,
}

/// What a record with an address is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum RecordKind {
    /// A class or an object.
    Entry,
    /// A root.
    Root,
}

/// Makes the digests of a heap, whose objects are visited once, and three times where the texts of strings are asked for. These are
/// left out where they take too much memory. All 256 buckets are there.
///
/// # Errors
/// An error of reading the objects.
pub fn digest(source: &mut dyn HeapSource, options: &DigestOptions) -> Result<Digest, Error> {
    if !options.facets.contains(Facet::StringText) {
        return digest_recorded(source, options);
    }
    match StringTexts::from_source(source, MEMORY as u64, Utf16Order::default())? {
        Some(texts) => digest_recorded(&mut TextSource::new(source, texts), options),
        None => digest_recorded(source, &options.facets(options.facets.without(Facet::StringText))),
    }
}

/// Makes the digests of what a heap states.
fn digest_recorded(source: &mut dyn HeapSource, options: &DigestOptions) -> Result<Digest, Error> {
    let mut selections = vec![options.facets];
    let alone: Vec<Facet> = if options.by_facet { options.facets.facets().collect() } else { Vec::new() };
    selections.extend(alone.iter().map(|&facet| FacetSelection::from_iter([facet])));
    let mut sums = vec![Sum::default(); alone.len()];
    let mut buckets = vec![Sum::default(); BUCKETS];
    let mut surroundings = Sum::default();
    let mut listed = options.bucket.map(|number| Bucket { number, records: Vec::new() });
    let known = surroundings::always_recorded(source.facts(), source.surroundings()).and(options.facets);
    let (mut told, mut told_alone) = (known.without_repeated(), known);
    let mut hashing = RecordHasher::new();
    let counts = walk::walk(source, &selections, &mut hashing, |which, place, facets, hashing| {
        let sum = hashing.sum();
        if which > 0 {
            sums[which - 1] += sum;
            told_alone.insert_all(facets);
            return Ok(());
        }
        told.insert_all(facets);
        let (record, address) = match place {
            DigestPlace::Entry(address) => (RecordKind::Entry, address),
            DigestPlace::Root(address) => (RecordKind::Root, address),
            DigestPlace::Other => {
                surroundings += sum;
                return Ok(());
            }
        };
        let number = bucket_of(address);
        buckets[usize::from(number)] += sum;
        if let Some(bucket) = listed.as_mut().filter(|bucket| bucket.number == number) {
            bucket.records.push(BucketRecord { address: address.into(), record, digest: sum });
        }
        Ok(())
    })?;
    if let Some(bucket) = &mut listed {
        bucket.records.sort_unstable();
    }
    let HeapCounts { classes, objects, roots } = counts;
    let by_facet = alone.iter().zip(sums).filter(|(facet, _)| told_alone.contains(**facet));
    let by_facet = by_facet.map(|(&facet, digest)| FacetDigest { facet, digest });
    Ok(Digest {
        schema: 1,
        facets: told.facets().collect(),
        classes,
        objects,
        roots,
        digest: buckets.iter().copied().chain([surroundings]).sum(),
        surroundings,
        by_facet: options.by_facet.then(|| by_facet.collect()),
        buckets: Some(buckets),
        bucket: listed,
    })
}

/// The function that [`visit_records`] calls with each record: where it belongs, and its bytes.
pub type VisitRecords<'v> = dyn FnMut(DigestPlace, &[u8]) -> Result<(), Error> + 'v;

/// Calls `visit` with every canonical record over a selection of facets.
///
/// # Errors
/// An error of `visit`, or of reading the objects.
pub fn visit_records(
    source: &mut dyn HeapSource,
    facets: FacetSelection,
    visit: &mut VisitRecords<'_>,
) -> Result<(), Error> {
    let visit = |_, place, _, bytes: &mut Vec<u8>| visit(place, bytes);
    walk::walk(source, &[facets], &mut Vec::new(), visit).map(|_| ())
}
