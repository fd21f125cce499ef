//! The pool: all answers that are there, with the features of their dumps.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::features::{DumpFeatures, Feature, FeatureTable};
use super::probed_dump::ProbedDump;
use crate::check::report::symptom::ACCEPTED;
use crate::fields::ProbedFieldKey;

/// The most bytes of a dump in which a condition is made.
const SMALL: usize = 4 << 10;

/// A dump that was asked about.
#[derive(Clone, Debug)]
pub(super) struct PooledAnswer {
    pub(super) id: String,
    pub(super) features: DumpFeatures,
    pub(super) size: usize,
    pub(super) is_valid: bool,
    /// The dump, where it was read rightly and is small.
    pub(super) bytes: Option<Vec<u8>>,
    /// Whether a line explains it.
    pub(super) is_explained: bool,
    /// What is wrong of the answer, the first in front; nothing where it is right.
    pub(super) symptoms: Vec<String>,
}

impl PooledAnswer {
    pub(super) fn new(id: &str, specimen: ProbedDump, symptoms: Vec<String>) -> PooledAnswer {
        PooledAnswer {
            id: id.to_owned(),
            is_valid: specimen.is_valid(),
            is_explained: false,
            size: specimen.bytes.len(),
            bytes: (symptoms.is_empty() && specimen.bytes.len() <= SMALL).then(|| specimen.bytes.clone()),
            features: specimen.features,
            symptoms,
        }
    }

    pub(super) fn has(&self, feature: &Feature, table: &FeatureTable) -> bool {
        self.features.has(feature, table)
    }

    pub(super) fn shows(&self, group: &FailureGroup) -> bool {
        self.is_valid == group.is_valid && self.symptoms.iter().any(|one| group.symptoms.contains(one))
    }
}

/// Failures that look alike.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FailureGroup {
    pub(super) symptoms: BTreeSet<String>,
    pub(super) is_valid: bool,
}

impl FailureGroup {
    /// Whether these are dumps that were accepted although they are to be refused.
    pub(super) fn is_accepted(&self) -> bool {
        self.symptoms.iter().all(|symptom| symptom.starts_with(ACCEPTED))
    }
}

/// All dumps that were asked about.
#[derive(Debug, Default)]
pub(super) struct Pool {
    pub(super) failed: Vec<PooledAnswer>,
    pub(super) passed: Vec<PooledAnswer>,
    /// Values of fields in dumps that are read rightly.
    values: HashMap<ProbedFieldKey, BTreeSet<Vec<u8>>>,
    /// A small record of each kind in such dumps.
    records: BTreeMap<&'static str, Vec<u8>>,
    /// All records of a few such dumps, which have the most kinds of records for their size.
    bodies: Vec<(usize, Vec<u8>)>,
}

/// The values that are kept of a field, and the most bytes of each.
const VALUES: usize = 6;
const VALUE: usize = 32;

/// The dumps of which all records are kept, and the most bytes of these.
const BODIES: usize = 6;
const BODY: usize = 2048;

impl Pool {
    /// Keeps values of the fields of a dump that is read rightly, and records.
    pub(super) fn keep_values(&mut self, specimen: &ProbedDump) {
        for field in specimen.fields.iter().filter(|field| field.at.len() <= VALUE) {
            let values = self.values.entry(field.key()).or_default();
            if values.len() < VALUES {
                values.insert(specimen.plain[field.at.clone()].to_vec());
            }
        }
        let records = specimen.records();
        if let (Some(first), Some(last)) = (records.first(), records.last()) {
            let body = specimen.record_bytes(first).start..specimen.record_bytes(last).end;
            let kinds: BTreeSet<&str> = records.iter().map(|record| specimen.fields[record.start].part).collect();
            if body.len() <= BODY {
                self.bodies.push((kinds.len(), specimen.plain[body].to_vec()));
                self.bodies.sort_by_key(|(kinds, body)| (std::cmp::Reverse(*kinds), body.len()));
                self.bodies.truncate(BODIES);
            }
        }
        for record in records {
            let bytes = &specimen.plain[specimen.record_bytes(&record)];
            let kept = self.records.entry(specimen.fields[record.start].part).or_insert_with(|| bytes.to_vec());
            if bytes.len() < kept.len() {
                *kept = bytes.to_vec();
            }
        }
    }

    /// Records of dumps that are read rightly: one of each kind, and all of a dump.
    pub(super) fn records(&self) -> impl Iterator<Item = &[u8]> {
        self.records.values().map(Vec::as_slice).chain(self.bodies())
    }

    /// All records of dumps that are read rightly.
    pub(super) fn bodies(&self) -> impl Iterator<Item = &[u8]> {
        self.bodies.iter().map(|(_, body)| &body[..])
    }

    /// Values of a field in dumps that are read rightly.
    pub(super) fn values(&self, key: ProbedFieldKey) -> impl Iterator<Item = &[u8]> {
        self.values.get(&key).into_iter().flatten().map(Vec::as_slice)
    }

    /// Whether most dumps that pass have a feature.
    pub(super) fn is_common(&self, feature: u32, is_valid: bool) -> bool {
        let passed = self.passed.iter().filter(|entry| entry.is_valid || !is_valid);
        let (mut with, mut all) = (0, 0);
        for entry in passed {
            all += 1;
            with += usize::from(entry.features.set.has(feature));
        }
        2 * with > all
    }

    /// Whether no more dumps with a feature pass than fail.
    pub(super) fn is_telling(&self, feature: &Feature, group: &FailureGroup, table: &FeatureTable) -> bool {
        let has = |entry: &&PooledAnswer| (entry.is_valid || !group.is_valid) && entry.has(feature, table);
        self.passed.iter().filter(has).count() <= self.failed.iter().filter(has).count()
    }

    /// How well a feature fits what is not explained yet: thousandths of the harmonic mean of how many failures that have it are among all dumps with it, and
    /// how many of these failures have it.
    pub(super) fn fit(&self, feature: &Feature, group: &FailureGroup, table: &FeatureTable) -> u32 {
        let counts = |entry: &&PooledAnswer| (entry.is_valid || !group.is_valid) && entry.has(feature, table);
        let passed = self.passed.iter().filter(counts).count();
        let unexplained = || self.failed.iter().filter(|entry| !entry.is_explained);
        let failed = unexplained().filter(counts).count();
        let (mut of_group, mut all) = (0, 0);
        for entry in unexplained().filter(|entry| entry.shows(group)) {
            all += 1;
            of_group += usize::from(entry.has(feature, table));
        }
        if of_group == 0 {
            return 0;
        }
        let precision = failed as f64 / (failed + passed) as f64;
        let recall = of_group as f64 / all as f64;
        (1000.0 * 2.0 * precision * recall / (precision + recall)) as u32
    }
}
