//! Variants of dumps that are read rightly: they have a condition in other surroundings than those of the failing dump.

use std::collections::BTreeSet;

use super::features::{DumpFeatures, Feature, FeatureTable};
use super::oracle::Questions;
use super::pool::{Pool, PooledAnswer};
use super::probed_dump::ProbedDump;
use super::variations::{Variation, variants};
use heapsmith_core::error::Error;

/// The most dumps whose variants are made.
const DUMPS: usize = 24;

/// The most variants of one dump, and of their bytes.
const VARIANTS: usize = 300;
const VOLUME: usize = 256 << 10;

/// A variant of a dump that is read rightly.
#[derive(Debug)]
pub(super) struct SoundVariant {
    pub(super) bytes: Vec<u8>,
    pub(super) features: DumpFeatures,
    /// The dump that it is a variant of.
    original: usize,
    rank: u32,
}

/// All such variants.
#[derive(Debug, Default)]
pub(super) struct SoundVariants {
    originals: Vec<ProbedDump>,
    pub(super) variants: Vec<SoundVariant>,
}

impl SoundVariants {
    /// The variants of small dumps that pass, each of which has fields that those before it have not.
    ///
    /// # Errors
    /// If the machine cannot read a dump.
    pub(super) fn of_pool(
        pool: &Pool,
        table: &mut FeatureTable,
        questions: &Questions<'_, '_>,
    ) -> Result<SoundVariants, Error> {
        let mut entries: Vec<&PooledAnswer> =
            pool.passed.iter().filter(|entry| entry.is_valid && entry.bytes.is_some()).collect();
        entries.sort_by_key(|entry| (entry.size, &entry.id));
        let (mut sound, mut seen) = (SoundVariants::default(), BTreeSet::new());
        for entry in entries {
            if sound.originals.len() == DUMPS || questions.is_over() {
                break;
            }
            let fields = |number: &u32| matches!(table.feature(*number), Feature::Field(_));
            let own: Vec<u32> = entry.features.set.numbers().filter(fields).collect();
            if own.iter().all(|number| seen.contains(number)) {
                continue;
            }
            seen.extend(own);
            let Some(bytes) = entry.bytes.clone() else { continue };
            let Some(original) = ProbedDump::from_bytes(bytes, table)? else { continue };
            let number = sound.originals.len();
            let made = variants(&original, pool);
            // An even choice of those that there are.
            let most = VARIANTS.min(VOLUME / original.bytes.len().max(1)).max(1);
            let step = made.len().div_ceil(most).max(1);
            for variant in made.into_iter().step_by(step) {
                let rank = variant.variation.rank();
                let Some(dump) = ProbedDump::from_bytes(variant.bytes, table)? else { continue };
                if dump.is_valid() && dump.oddities.is_subset(&original.oddities) {
                    let (bytes, features) = (dump.bytes, dump.features);
                    sound.variants.push(SoundVariant { bytes, features, original: number, rank });
                }
            }
            sound.originals.push(original);
        }
        Ok(sound)
    }

    /// The variant that tells most of these features apart, of those not asked about yet.
    pub(super) fn most_telling(&self, features: &BTreeSet<u32>, asked: &BTreeSet<usize>) -> Option<usize> {
        let telling = |place: usize| {
            let variant = &self.variants[place];
            let kept = features.iter().filter(|feature| variant.features.set.has(**feature)).count();
            let value = kept.min(features.len() - kept);
            (value > 0).then_some((value, std::cmp::Reverse((variant.rank, place))))
        };
        let unasked = (0..self.variants.len()).filter(|place| !asked.contains(place));
        unasked.filter_map(|place| Some((telling(place)?, place))).max().map(|(_, place)| place)
    }

    /// Dumps that have a feature, made of those that have it not: a variant of each, or else the dump with a value that the failing one has
    /// in the feature's fields.
    ///
    /// # Errors
    /// If the machine cannot read a dump.
    pub(super) fn with(
        &self,
        feature: &Feature,
        failing: &ProbedDump,
        table: &mut FeatureTable,
        most: usize,
    ) -> Result<Vec<ConditionedDump>, Error> {
        let mut made = Vec::new();

        for (number, original) in self.originals.iter().enumerate() {
            if made.len() == most {
                break;
            }
            if original.has(feature, table) {
                continue;
            }
            let of = self.variants.iter().filter(|variant| variant.original == number);
            let ready = of.filter(|variant| variant.features.has(feature, table)).min_by_key(|variant| variant.rank);
            if let Some(SoundVariant { bytes, features, .. }) = ready {
                made.push(ConditionedDump { bytes: bytes.clone(), features: features.clone() });
                continue;
            }
            let valued = failing.values_of(feature).filter_map(|(name, value)| {
                let place = original.fields.iter().position(|field| field.name == name)?;
                Some((Variation::Bytes(original.fields[place].key(), value.to_vec()), place))
            });
            let last = original.records().last().map(|record| record.start);
            let with_records = failing
                .records_of(feature)
                .filter_map(|record| Some((Variation::RecordIn(original.fields[last?].part, record.to_vec()), last?)));
            for (variation, place) in valued.chain(with_records) {
                let Some(bytes) = variation.apply(original, place) else { continue };
                let Some(dump) = ProbedDump::from_bytes(bytes, table)? else { continue };
                if dump.is_valid() && dump.has(feature, table) {
                    made.push(ConditionedDump { bytes: dump.bytes, features: dump.features });
                    break;
                }
            }
        }
        Ok(made)
    }
}

/// A dump that was made to have a feature.
pub(super) struct ConditionedDump {
    pub(super) bytes: Vec<u8>,
    pub(super) features: DumpFeatures,
}
