//! Two digests of the same facets, side by side.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::compare::Facet;
use crate::compare::listing::Hex;

use super::{Bucket, BucketRecord, Digest};

/// Where two digests differ.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schemas", schemars(rename = "Difference"))]
pub struct DigestDifference {
    /// Whether the two are equal in what both have.
    pub equal: bool,
    /// Facets that only the one or the other has: such digests are not comparable.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub facets: Vec<Facet>,
    /// Whether the records without an address differ.
    pub surroundings: bool,
    /// The facets whose own digests differ, where both have them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by_facet: Option<Vec<Facet>>,
    /// The numbers of the buckets that differ, where both have them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub buckets: Option<Vec<u8>>,
    /// The addresses whose records differ, where both list the same bucket.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub addresses: Option<Vec<Hex>>,
}

/// Sets two digests side by side.
pub fn compare_digests(left: &Digest, right: &Digest) -> DigestDifference {
    let facets = without_partner(&left.facets, &right.facets);
    let surroundings = left.surroundings != right.surroundings;
    let buckets = left.buckets.as_ref().zip(right.buckets.as_ref()).map(|(left, right)| {
        let numbers = (0..=u8::MAX).zip(left.iter().zip(right));
        numbers.filter(|(_, (l, r))| l != r).map(|(number, _)| number).collect()
    });
    let by_facet = left.by_facet.as_ref().zip(right.by_facet.as_ref()).map(|(left, right)| {
        let pairs = left.iter().filter_map(|l| Some((l, right.iter().find(|r| r.facet == l.facet)?)));
        pairs.filter(|(l, r)| l.digest != r.digest).map(|(l, _)| l.facet).collect()
    });
    let same_bucket = left.bucket.as_ref().zip(right.bucket.as_ref()).filter(|(l, r)| l.number == r.number);
    let addresses = same_bucket.map(|(left, right)| addresses(left, right));
    let equal = facets.is_empty() && left.digest == right.digest;
    DigestDifference { equal, facets, surroundings, by_facet, buckets, addresses }
}

/// The addresses at which two buckets have other records.
fn addresses(left: &Bucket, right: &Bucket) -> Vec<Hex> {
    let mut balance: BTreeMap<&BucketRecord, i64> = BTreeMap::new();
    left.records.iter().for_each(|record| *balance.entry(record).or_default() += 1);
    right.records.iter().for_each(|record| *balance.entry(record).or_default() -= 1);
    let alone = balance.into_iter().filter(|(_, balance)| *balance != 0);
    let mut addresses: Vec<Hex> = alone.map(|(record, _)| record.address).collect();
    addresses.dedup();
    addresses
}

/// The facets that only one of two lists has.
fn without_partner(left: &[Facet], right: &[Facet]) -> Vec<Facet> {
    Facet::ALL.into_iter().filter(|facet| left.contains(facet) != right.contains(facet)).collect()
}
