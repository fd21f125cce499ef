//! Features: what can be said of a dump without knowing its format, from its fields and the rules on which its bytes rely.

use std::collections::HashMap;
use std::fmt;

use crate::fields::{FieldListEnd, NumberTest, ProbedFieldKey, TextTest, ValueRelation};
use heapsmith_core::visible::visible;

/// What can be said of a dump.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Feature {
    /// There is such a field.
    Field(ProbedFieldKey),
    Relation(ProbedFieldKey, ValueRelation),
    Number(ProbedFieldKey, NumberTest),
    /// The first or last of these fields in a record is 0.
    ZeroAtEnd(ProbedFieldKey, FieldListEnd),
    Text(ProbedFieldKey, TextTest),
    TextIs(ProbedFieldKey, Vec<u8>),
    /// A record has at least this number of such fields.
    Members(ProbedFieldKey, u64),
    /// At least this number of records of a kind.
    Records(&'static str, u64),
    NoRecord(&'static str),
    Empty,
    /// The first comes directly after the second.
    Follows(&'static str, &'static str),
    First(&'static str),
    Last(&'static str),
    /// Something comes after a record of this kind.
    NotLast(&'static str),
    /// One of the first kind, and one of the second anywhere after it.
    Before(&'static str, &'static str),
    Compressed,
    LongerThan(u32),
    Straddles(u32),
    Rule(&'static str),
    /// A rule is broken.
    Breaks(&'static str),
    /// A rule is broken that readers keep by this test.
    BreaksTest(&'static str),
    /// Two of these at once.
    Both(Box<[Feature; 2]>),
}

impl Feature {
    /// How much a feature says to a person who looks for a mistake: those of values more than those of what is there.
    pub(super) fn weight(&self) -> u32 {
        match self {
            Feature::Field(key) => 94 - u32::from(key.part.is_none()),
            Feature::Number(key, test) => {
                let test = match test {
                    NumberTest::Is(_) | NumberTest::TopBit | NumberTest::AllOnes => 3,
                    NumberTest::HasBit(_) | NumberTest::LacksBit(_) => 0,
                    NumberTest::NotMultipleOf(_) | NumberTest::HighAddress => 2,
                    NumberTest::AtLeast(_) | NumberTest::AtMost(_) => 1,
                };
                90 + test - u32::from(key.part.is_none()) * 5
            }
            Feature::ZeroAtEnd(key, _) => 89 - u32::from(key.part.is_none()),
            Feature::Text(key, TextTest::LongerThan(_)) => 84 - u32::from(key.part.is_none()),
            Feature::Text(key, _) => 88 - u32::from(key.part.is_none()),
            Feature::TextIs(..) | Feature::Compressed => 87,
            Feature::Members(..) => 86,
            Feature::Relation(..) => 80,
            Feature::Records(..) => 70,
            Feature::NotLast(_) => 55,
            Feature::Follows(..) | Feature::Last(_) | Feature::First(_) => 50,
            Feature::Before(..) => 45,
            Feature::NoRecord(_) | Feature::Empty => 40,
            Feature::Straddles(_) | Feature::LongerThan(_) => 30,
            Feature::Rule(_) => 20,
            Feature::Breaks(_) | Feature::BreaksTest(_) => 95,
            Feature::Both(both) => both.iter().map(Feature::weight).min().unwrap_or_default() / 2,
        }
    }

    /// The same of a field of this name in any kind of record, where that can be said.
    pub(super) fn of_any_part(&self) -> Feature {
        let general = |key: &ProbedFieldKey| ProbedFieldKey { part: None, ..*key };
        match self {
            Feature::Number(key, test) => Feature::Number(general(key), *test),
            Feature::ZeroAtEnd(key, end) => Feature::ZeroAtEnd(general(key), *end),
            Feature::Text(key, test) => Feature::Text(general(key), *test),
            Feature::Relation(key, relation) => Feature::Relation(general(key), *relation),
            Feature::Members(key, count) => Feature::Members(general(key), *count),
            other => other.clone(),
        }
    }

    /// The rule that is broken where it holds.
    pub(super) fn broken_rule(&self) -> Option<&'static str> {
        match self {
            Feature::Breaks(rule) => Some(rule),
            Feature::Both(both) => both.iter().find_map(Feature::broken_rule),
            _ => None,
        }
    }

    /// The fields that it is about.
    pub(super) fn keys(&self) -> Vec<ProbedFieldKey> {
        match self {
            Feature::Both(both) => both.iter().flat_map(Feature::keys).collect(),
            one => one.key().into_iter().collect(),
        }
    }

    /// The field that it is about, the first of two.
    pub(super) fn key(&self) -> Option<ProbedFieldKey> {
        match self {
            Feature::Field(key)
            | Feature::Members(key, _)
            | Feature::Relation(key, _)
            | Feature::Number(key, _)
            | Feature::ZeroAtEnd(key, _)
            | Feature::Text(key, _)
            | Feature::TextIs(key, _) => Some(*key),
            Feature::Both(both) => both.iter().find_map(Feature::key),
            _ => None,
        }
    }
}

/// A number: one of several digits is easier to find in a dump in hexadecimal.
fn number_text(number: u64) -> String {
    if number < 10 { number.to_string() } else { format!("{number:#x}") }
}

/// The condition in words, after "where".
impl fmt::Display for Feature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Feature::Field(ProbedFieldKey { part: Some(part), name }) if name.ends_with("tag") => {
                write!(f, "there is a record {part}")
            }
            Feature::Field(ProbedFieldKey { part: Some(part), name }) => write!(f, "{part} has a field {name}"),
            Feature::Field(key) => write!(f, "there is {key}"),
            Feature::Number(key, NumberTest::Is(value)) => write!(f, "{key} is {value}"),
            Feature::Number(key, NumberTest::AtLeast(1)) => write!(f, "{key} is not 0"),
            Feature::Number(key, NumberTest::AtLeast(limit)) => write!(f, "{key} is {} or more", number_text(*limit)),
            Feature::Number(key, NumberTest::AtMost(limit)) => write!(f, "{key} is {} or less", number_text(*limit)),
            Feature::Number(key, NumberTest::TopBit) => write!(f, "{key} has its top bit set"),
            Feature::Number(key, NumberTest::AllOnes) => write!(f, "{key} has all bits set"),
            Feature::Number(key, NumberTest::NotMultipleOf(unit)) => write!(f, "{key} is no multiple of {unit}"),
            Feature::Number(key, NumberTest::HasBit(bit)) => write!(f, "bit {:02x} of {key} is set", 1_u64 << bit),
            Feature::Number(key, NumberTest::LacksBit(bit)) => {
                write!(f, "bit {:02x} of {key} is not set", 1_u64 << bit)
            }
            Feature::Number(key, NumberTest::HighAddress) => write!(f, "{key} is an address with its top bit set"),
            Feature::ZeroAtEnd(key, end) => {
                let end = if *end == FieldListEnd::First { "first" } else { "last" };
                write!(f, "the {end} {} of {} is 0", key.name, key.part.unwrap_or("a record"))
            }
            Feature::Text(key, test) => {
                write!(f, "{key} ")?;
                match test {
                    TextTest::Empty => f.write_str("is empty"),
                    TextTest::OneByte => f.write_str("has one byte"),
                    TextTest::LongerThan(length) => write!(f, "is longer than {length} bytes"),
                    TextTest::NotAscii => f.write_str("has a byte above 7f"),
                    TextTest::NotUtf8 => f.write_str("is no UTF-8"),
                    TextTest::Supplementary => f.write_str("has a character above ffff"),
                    TextTest::Has(byte) => write!(f, "has the byte {byte:02x}"),
                    TextTest::EncodedZero => f.write_str("has a NUL, as c0 80"),
                    TextTest::Surrogate => f.write_str("has a surrogate"),
                    TextTest::BeginsWith(start) => {
                        write!(f, "begins with \"{}\"", visible(&String::from_utf8_lossy(start)))
                    }
                    TextTest::Control => f.write_str("has a control character"),
                    TextTest::LeadingZero => f.write_str("begins with a zero"),
                    TextTest::LowerCase => f.write_str("has letters in lower case"),
                    TextTest::UpperCase => f.write_str("has letters in upper case"),
                }
            }
            Feature::TextIs(key, text) => write!(f, "{key} is \"{}\"", visible(&String::from_utf8_lossy(text))),
            Feature::Members(key, count) => match key.part {
                Some(part) => write!(f, "{part} has {count} or more fields {}", key.name),
                None => write!(f, "a record has {count} or more fields {}", key.name),
            },
            Feature::Relation(key, relation) => match relation {
                ValueRelation::After => write!(f, "{key} names something before it"),
                ValueRelation::Ahead => write!(f, "{key} names something that comes later"),
                ValueRelation::Alone => write!(f, "{key} names nothing else in the dump"),
                ValueRelation::Unseen => write!(f, "{key} names nothing that comes before it"),
                ValueRelation::InOwnRecord => write!(f, "{key} has the value of another field of its record"),
                ValueRelation::Again => write!(f, "{key} has a value that another one has before it"),
                ValueRelation::AsBefore => write!(f, "{key} has the value of the one just before it"),
            },
            Feature::Records(part, 1) => write!(f, "there is a record {part}"),
            Feature::Records(part, count) => write!(f, "there are {count} or more records {part}"),
            Feature::NoRecord(part) => write!(f, "there is no record {part}"),
            Feature::Empty => f.write_str("there is no record"),
            Feature::Follows(part, after) => write!(f, "{part} comes directly after {after}"),
            Feature::First(part) => write!(f, "{part} comes first"),
            Feature::Last(part) => write!(f, "{part} comes last"),
            Feature::NotLast(part) => write!(f, "something comes after {part}"),
            Feature::Before(earlier, later) => write!(f, "{earlier} comes before {later}"),
            Feature::Compressed => f.write_str("the dump is compressed"),
            Feature::LongerThan(bits) => write!(f, "the dump has {} bytes or more", 1_u64 << bits),
            Feature::Straddles(bits) => write!(f, "a field lies across a multiple of {} bytes", 1_u64 << bits),
            Feature::Rule(rule) => write!(f, "bytes rely on {rule}"),
            Feature::Breaks(rule) => write!(f, "{rule} is broken"),
            Feature::BreaksTest(test) => write!(f, "{test} is broken"),
            Feature::Both(both) => write!(f, "{} and {}", both[0], both[1]),
        }
    }
}

/// Features by number.
#[derive(Debug, Default)]
pub(super) struct FeatureTable {
    numbers: HashMap<Feature, u32>,
    features: Vec<Feature>,
}

impl FeatureTable {
    pub(super) fn set_of(&mut self, features: impl IntoIterator<Item = Feature>) -> FeatureSet {
        let mut numbers: Vec<u32> = features.into_iter().map(|feature| self.intern(feature)).collect();
        numbers.sort_unstable();
        numbers.dedup();
        FeatureSet(numbers)
    }

    fn intern(&mut self, feature: Feature) -> u32 {
        if let Some(number) = self.numbers.get(&feature) {
            return *number;
        }
        let number = self.features.len() as u32;
        self.features.push(feature.clone());
        self.numbers.insert(feature, number);
        number
    }

    pub(super) fn feature(&self, number: u32) -> &Feature {
        &self.features[number as usize]
    }
}

/// The features of a dump.
#[derive(Clone, Debug, Default)]
pub(super) struct DumpFeatures {
    pub(super) set: FeatureSet,
    /// The least and the greatest number of each field.
    pub(super) ranges: HashMap<ProbedFieldKey, (u64, u64)>,
}

impl DumpFeatures {
    /// The feature that is called so, of those that hold.
    pub(super) fn named(&self, words: &str, table: &FeatureTable) -> Option<Feature> {
        let mut own = self.set.numbers().map(|number| table.feature(number));
        if let Some(found) = own.find(|feature| feature.to_string() == words) {
            return Some(found.clone());
        }
        let limits = self.ranges.iter().flat_map(|(key, (least, most))| {
            [
                NumberTest::AtLeast(*most),
                NumberTest::AtLeast(*least),
                NumberTest::AtMost(*least),
                NumberTest::AtMost(*most),
            ]
            .map(|test| Feature::Number(*key, test))
        });
        limits.into_iter().find(|feature| feature.to_string() == words).or_else(|| {
            let (one, other) = words.split_once(" and ")?;
            Some(Feature::Both(Box::new([self.named(one, table)?, self.named(other, table)?])))
        })
    }

    /// Whether a feature holds. It need not be one of those that are worked out for every dump.
    pub(super) fn has(&self, feature: &Feature, table: &FeatureTable) -> bool {
        if let Some(number) = table.numbers.get(feature) {
            return self.set.has(*number);
        }
        match feature {
            Feature::Both(both) => both.iter().all(|one| self.has(one, table)),
            Feature::Number(key, NumberTest::AtLeast(limit)) => {
                self.ranges.get(key).is_some_and(|(_, most)| most >= limit)
            }
            Feature::Number(key, NumberTest::AtMost(limit)) => {
                self.ranges.get(key).is_some_and(|(least, _)| least <= limit)
            }
            _ => false,
        }
    }
}

/// A set of features.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct FeatureSet(Vec<u32>);

impl FeatureSet {
    pub(super) fn has(&self, number: u32) -> bool {
        self.0.binary_search(&number).is_ok()
    }

    pub(super) fn numbers(&self) -> impl Iterator<Item = u32> + '_ {
        self.0.iter().copied()
    }
}
