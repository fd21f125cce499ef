//! The pool: all answers that are there, with the features of their dumps.

use std::collections::{BTreeSet, HashMap};

use super::features::{Feature, FeatureSet, FeatureTable, ProbedFieldKey};
use super::probed_dump::ProbedDump;
use crate::check::report::symptom::ACCEPTED;

/// The most bytes of a dump in which a condition is made.
const SMALL: usize = 2048;

/// A dump that was asked about.
#[derive(Clone, Debug)]
pub(super) struct PooledAnswer {
    pub(super) id: String,
    pub(super) features: FeatureSet,
    pub(super) ranges: HashMap<ProbedFieldKey, (u64, u64)>,
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
            ranges: specimen.ranges,
            symptoms,
        }
    }

    pub(super) fn has(&self, feature: &Feature, table: &FeatureTable) -> bool {
        table.holds(feature, &self.features, &self.ranges)
    }

    pub(super) fn shows(&self, group: &FailureGroup) -> bool {
        self.is_valid == group.is_valid && self.symptoms.iter().any(|one| group.symptoms.contains(one))
    }
}

/// Failures that look alike.
#[derive(Clone, Debug)]
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
}

/// The values that are kept of a field, and the most bytes of each.
const VALUES: usize = 6;
const VALUE: usize = 32;

impl Pool {
    /// Keeps values of the fields of a dump that is read rightly.
    pub(super) fn keep_values(&mut self, specimen: &ProbedDump) {
        for field in specimen.fields.iter().filter(|field| field.at.len() <= VALUE) {
            let values = self.values.entry(field.key()).or_default();
            if values.len() < VALUES {
                values.insert(specimen.plain[field.at.clone()].to_vec());
            }
        }
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
            with += usize::from(entry.features.has(feature));
        }
        2 * with > all
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
