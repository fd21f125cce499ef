//! Dumps that are asked about: dumps with their fields, and with what can be said of them.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;

use super::features::{DumpFeatures, Feature, FeatureTable};
use crate::check::sources::case_from_bytes;
use crate::corpus::{Case, CaseVerdict};
use crate::fields::{
    FieldListEnd, NumberTest, ProbedField, ProbedFieldKey, TextTest, ValueRelation, binary_number, decompressed,
    fields, list_ends, records, unless_damaged, visit_relations,
};
use heapsmith_core::error::Error;
use heapsmith_core::family::ReadOptions;
use heapsmith_core::findings::Severity;
use heapsmith_core::format::{DumpFile, Family, rule};
use heapsmith_core::input::Input;
use heapsmith_core::validate::{ValidateOptions, validate};

/// The most bytes of a dump whose features are worked out: those of a longer one would take more time than they are worth.
pub(in crate::check) const LARGEST: usize = 64 << 10;

/// The most bytes of a text that is a feature as it is, and the most such texts of a dump.
const SHORT: usize = 24;
const TEXTS: usize = 64;

/// The numbers of fields of one name in a record that are told apart.
const MEMBERS: [u64; 9] = [2, 3, 4, 5, 6, 7, 8, 16, 256];

/// Bytes that rely on a rule.
#[derive(Clone, Copy, Debug)]
pub(super) struct RuleSpan {
    pub(super) rule: &'static str,
    pub(super) offset: u64,
    pub(super) length: u64,
}

/// A dump that can be asked about.
#[derive(Clone, Debug)]
pub(super) struct ProbedDump {
    pub(super) bytes: Vec<u8>,
    /// The bytes that its fields are places in.
    pub(super) plain: Vec<u8>,
    pub(super) is_compressed: bool,
    pub(super) family: Family,
    pub(super) fields: Vec<ProbedField>,
    pub(super) features: DumpFeatures,
    pub(super) rules: Vec<RuleSpan>,
    /// The rules of findings that are no errors.
    pub(super) oddities: BTreeSet<&'static str>,
    pub(super) verdict: CaseVerdict,
    /// The rule that it breaks, if it is not valid.
    pub(super) breaks: Option<(&'static str, u64)>,
}

impl ProbedDump {
    /// The specimen of a dump whose right answer is heapsmith's own; `None` if it is of no known format.
    ///
    /// # Errors
    /// If the machine cannot read it.
    pub(super) fn from_bytes(bytes: Vec<u8>, table: &mut FeatureTable) -> Result<Option<ProbedDump>, Error> {
        match case_from_bytes("dump", bytes) {
            Ok(case) => ProbedDump::from_case(&case, table),
            Err(Error::Decode(error)) if !error.is_machine_fault() => Ok(None),
            Err(Error::Usage(_)) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The specimen of a case, whose right answer is known; `None` if it is of no known format.
    ///
    /// # Errors
    /// If the machine cannot read it.
    pub(super) fn from_case(case: &Case, table: &mut FeatureTable) -> Result<Option<ProbedDump>, Error> {
        let input = Input::from_memory("dump", case.bytes.clone());
        let Ok(file) = DumpFile::new(input.clone(), ReadOptions::default()) else { return Ok(None) };
        let plain = match input.is_compressed() {
            true => decompressed(&input, 8 * LARGEST as u64)?,
            false => case.bytes.clone(),
        };
        let mut specimen = ProbedDump {
            family: file.family(),
            fields: fields(&file, &plain)?,
            features: DumpFeatures::default(),
            rules: Vec::new(),
            oddities: BTreeSet::new(),
            verdict: case.verdict,
            breaks: case.breaks.filter(|_| case.verdict == CaseVerdict::Invalid),
            bytes: case.bytes.clone(),
            is_compressed: input.is_compressed(),
            plain,
        };
        let found = file.visit_reliances(&mut |reliance| {
            specimen.rules.push(RuleSpan { rule: reliance.rule.0, offset: reliance.offset, length: reliance.length });
        });
        unless_damaged(found)?;
        let report = validate(&input, ValidateOptions::default())?;
        let odd = report.findings.iter().filter(|finding| finding.severity != Severity::Error);
        for finding in odd {
            specimen.oddities.insert(finding.rule.0);
            specimen.rules.push(RuleSpan { rule: finding.rule.0, offset: finding.offset, length: 1 });
        }
        // What may be refused can be read as well, and with another value it need not be odd.
        if let Some((rule, offset)) = case.breaks.filter(|_| case.verdict == CaseVerdict::Ambiguous) {
            specimen.oddities.insert(rule);
            specimen.rules.push(RuleSpan { rule, offset, length: 1 });
        }
        specimen.work_out_features(table);
        Ok(Some(specimen))
    }

    /// The field whose value breaks a rule.
    pub(super) fn broken_field(&self) -> Option<ProbedFieldKey> {
        let (_, offset) = self.breaks?;
        let mut fields = self.fields.iter();
        let at = fields.find(|field| (field.at.start as u64..field.at.end as u64).contains(&offset));
        // What is broken by what is missing is broken at the end.
        Some(at.or(self.fields.last())?.key())
    }

    pub(super) fn is_valid(&self) -> bool {
        self.verdict != CaseVerdict::Invalid
    }

    /// The records, each with the places of its fields.
    pub(super) fn records(&self) -> Vec<Range<usize>> {
        records(&self.fields)
    }

    /// The place of the bytes of a record.
    pub(super) fn record_bytes(&self, record: &Range<usize>) -> Range<usize> {
        self.fields[record.start].at.start..self.fields[record.end - 1].at.end
    }

    pub(super) fn has(&self, feature: &Feature, table: &FeatureTable) -> bool {
        self.features.has(feature, table)
    }

    /// The values of the fields that a feature is about, with their names.
    pub(super) fn values_of(&self, feature: &Feature) -> impl Iterator<Item = (&'static str, &[u8])> {
        let keys = feature.keys();
        let is_of = move |field: &&ProbedField| {
            keys.iter().any(|key| field.name == key.name && key.part.is_none_or(|part| field.part == part))
        };
        // Which kind of record it is cannot be told by another value alone.
        let valued = self.fields.iter().filter(is_of).filter(|field| !field.name.ends_with("tag"));
        valued.map(|field| (field.name, &self.plain[field.at.clone()]))
    }

    /// The records that a feature is about.
    pub(super) fn records_of(&self, feature: &Feature) -> impl Iterator<Item = &[u8]> {
        let parts: Vec<&'static str> = feature.keys().into_iter().filter_map(|key| key.part).collect();
        let records = self.records().into_iter().filter(move |record| parts.contains(&self.fields[record.start].part));
        records.map(|record| &self.plain[self.record_bytes(&record)])
    }

    fn work_out_features(&mut self, table: &mut FeatureTable) {
        let plain = std::mem::take(&mut self.plain);
        let mut found: BTreeSet<Feature> = BTreeSet::new();
        found.extend(self.rules.iter().map(|span| Feature::Rule(span.rule)));
        if self.is_compressed {
            found.insert(Feature::Compressed);
        }
        if let Some((broken, _)) = self.breaks {
            found.insert(Feature::Breaks(broken));
            found.extend(rule(broken).and_then(|rule| rule.same_test).map(Feature::BreaksTest));
        }
        found.extend(self.oddities.iter().map(|rule| Feature::Breaks(rule)));
        for field in &self.fields {
            found.extend(field.key().general().map(Feature::Field));
        }
        self.add_records(&mut found);
        self.add_numbers(&plain, &mut found);
        self.add_texts(&plain, &mut found);
        self.add_relations(&plain, &mut found);
        for bits in 9..=16_u32 {
            let limit = 1_usize << bits;
            if plain.len() >= limit {
                found.insert(Feature::LongerThan(bits));
                let straddles =
                    self.fields.iter().any(|field| field.at.start / limit < field.at.end.saturating_sub(1) / limit);
                found.extend(straddles.then_some(Feature::Straddles(bits)));
            }
        }
        self.features.set = table.set_of(found);
        self.plain = plain;
    }

    fn add_records(&self, found: &mut BTreeSet<Feature>) {
        let records = self.records();
        let parts: Vec<&'static str> = records.iter().map(|record| self.fields[record.start].part).collect();
        let header = self.fields.iter().filter(|field| field.record.is_none()).map(|field| field.part);
        let mut counts: BTreeMap<&'static str, u64> = BTreeMap::new();
        for part in &parts {
            *counts.entry(part).or_default() += 1;
        }
        for part in header {
            counts.entry(part).or_insert(1);
        }
        for (&part, &count) in &counts {
            found.extend(
                [1, 2, 3, 256, 65_536]
                    .into_iter()
                    .filter(|least| count >= *least)
                    .map(|least| Feature::Records(part, least)),
            );
        }
        let all = self.family.parts();
        found.extend(all.into_iter().filter(|part| !counts.contains_key(part)).map(Feature::NoRecord));
        for pair in parts.windows(2) {
            found.extend([Feature::Follows(pair[1], pair[0]), Feature::NotLast(pair[0])]);
        }
        if let (Some(first), Some(last)) = (parts.first(), parts.last()) {
            found.extend([Feature::First(first), Feature::Last(last)]);
        }
        if parts.is_empty() {
            found.insert(Feature::Empty);
        }
        for record in &records {
            let mut members: HashMap<ProbedFieldKey, u64> = HashMap::new();
            for field in &self.fields[record.clone()] {
                *members.entry(field.key()).or_default() += 1;
            }
            for (key, [first, last]) in list_ends(&self.fields[record.clone()]) {
                for (end, number) in [(FieldListEnd::First, first), (FieldListEnd::Last, last)] {
                    found.extend(
                        key.general().map(|key| Feature::ZeroAtEnd(key, end)).into_iter().filter(|_| number == 0),
                    );
                }
            }
            for (key, count) in members {
                let reached = MEMBERS.into_iter().filter(|least| count >= *least);
                found.extend(reached.flat_map(|least| key.general().map(|key| Feature::Members(key, least))));
            }
        }
        let mut seen: BTreeSet<&'static str> = BTreeSet::new();
        let mut before: BTreeSet<(&'static str, &'static str)> = BTreeSet::new();
        for part in &parts {
            before.extend(seen.iter().map(|earlier| (*earlier, *part)));
            seen.insert(part);
        }
        found.extend(before.into_iter().map(|(earlier, later)| Feature::Before(earlier, later)));
    }

    fn add_numbers(&mut self, plain: &[u8], found: &mut BTreeSet<Feature>) {
        for field in &self.fields {
            let Some(number) = field.number else { continue };
            // What kind of record it is, is no number that is more or less than another.
            for key in field.key().general().into_iter().filter(|_| !field.name.ends_with("tag")) {
                let range = self.features.ranges.entry(key).or_insert((number, number));
                *range = (range.0.min(number), range.1.max(number));
            }
            let bits = 8 * field.at.len().min(8) as u32;
            let is_binary = binary_number(&plain[field.at.clone()]) == Some(number);
            for key in field.key().general() {
                if number < 16 {
                    found.insert(Feature::Number(key, NumberTest::Is(number)));
                }
                let width = is_binary.then_some(bits);
                if NumberTest::TopBit.holds(number, width) {
                    found.insert(Feature::Number(key, NumberTest::TopBit));
                }
                if is_binary && (bits == 8 || field.name.contains("flags")) {
                    found.extend((0..bits as u8).map(|bit| {
                        let is_set = number >> bit & 1 == 1;
                        Feature::Number(key, if is_set { NumberTest::HasBit(bit) } else { NumberTest::LacksBit(bit) })
                    }));
                }
                if NumberTest::AllOnes.holds(number, width) {
                    found.insert(Feature::Number(key, NumberTest::AllOnes));
                }
            }
            if let Some(address) = field.address.filter(|address| *address > 0) {
                for unit in [4, 8] {
                    if address % unit != 0 {
                        found.insert(Feature::Number(field.key(), NumberTest::NotMultipleOf(unit)));
                    }
                }
                if address >> 31 & 1 == 1 || address >> 63 == 1 {
                    found.insert(Feature::Number(field.key(), NumberTest::HighAddress));
                }
            }
        }
        for (key, (least, most)) in &self.features.ranges {
            for limit in NumberTest::LIMITS {
                found.extend((*most >= limit).then_some(Feature::Number(*key, NumberTest::AtLeast(limit))));
                found.extend((*least <= limit).then_some(Feature::Number(*key, NumberTest::AtMost(limit))));
            }
        }
    }

    fn add_texts(&self, plain: &[u8], found: &mut BTreeSet<Feature>) {
        let mut texts = 0;
        for field in &self.fields {
            let text = &plain[field.at.clone()];
            let tests: &[TextTest] = match field.number {
                None => &TextTest::ALL,
                Some(number) if binary_number(text) != Some(number) => &TextTest::DIGITS,
                Some(_) => continue,
            };
            for key in field.key().general() {
                found.extend(tests.iter().filter(|test| test.holds(text)).map(|test| Feature::Text(key, *test)));
            }
            if field.number.is_none() && (1..=SHORT).contains(&text.len()) && texts < TEXTS {
                texts += 1;
                found.insert(Feature::TextIs(field.key(), text.to_vec()));
            }
        }
    }

    fn add_relations(&self, plain: &[u8], found: &mut BTreeSet<Feature>) {
        visit_relations(&self.fields, plain, &mut |_, key, relation| match relation {
            ValueRelation::Again | ValueRelation::AsBefore => _ = found.insert(Feature::Relation(key, relation)),
            _ => found.extend(key.general().map(|key| Feature::Relation(key, relation))),
        });
    }
}
