//! The table of facets of `specs/facets.toml`, compiled in: which facts a dump carries.

mod rules;

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;
use std::sync::LazyLock;

use serde::Deserialize;

use crate::error::Error;
use crate::format::Format;
use crate::model::Facts;

use super::Facet;

pub use rules::Rule;
pub(crate) use rules::{ClassFirst, array_name};

/// How a dump carries a fact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Carriage {
    /// As it is.
    Exact,
    /// Changed by a known rule.
    Changed(Rule),
    /// Not at all.
    None,
}

impl fmt::Display for Carriage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Carriage::Exact => f.write_str("exact"),
            Carriage::Changed(rule) => write!(f, "{rule}"),
            Carriage::None => f.write_str("none"),
        }
    }
}

/// A format and, perhaps, the writer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// The format and its version.
    pub format: Format,
    /// The writer's profile; `None` for whatever a dump of the format can hold.
    pub profile: Option<String>,
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.profile {
            Some(profile) => write!(f, "{}/{profile}", self.format),
            None => write!(f, "{}", self.format),
        }
    }
}

impl FromStr for Target {
    type Err = Error;

    fn from_str(text: &str) -> Result<Target, Error> {
        let (format, profile) = match text.split_once('/') {
            Some((format, profile)) => (format.parse()?, Some(profile)),
            None => (text.parse()?, None),
        };
        let target = Target { format, profile: profile.map(str::to_owned) };
        match profile.is_none_or(|profile| profiles(format).contains(&profile)) {
            true => Ok(target),
            false => {
                let names = profiles(format).join(", ");
                Err(Error::Usage(format!(
                    "{format} has no profile {:?}; there are {names}",
                    profile.unwrap_or_default()
                )))
            }
        }
    }
}

impl Target {
    /// Every format and version alone, then with each of its profiles.
    pub fn all() -> Vec<Target> {
        let alone = Format::ALL.map(|format| Target { format, profile: None });
        let written = Format::ALL.into_iter().flat_map(|format| {
            profiles(format).into_iter().map(move |name| Target { format, profile: Some(name.to_owned()) })
        });
        alone.into_iter().chain(written).collect()
    }

    /// What dumps of this kind carry.
    pub fn column(&self) -> Column {
        let carriage = |facet: &Facet| {
            let row = TABLE.facets.get(&facet.to_string());
            let value = row.and_then(|row| self.keys().iter().find_map(|key| row.get(key)));
            value.copied().unwrap_or(Carriage::None)
        };
        Column { carriages: Facet::ALL.iter().map(carriage).collect(), beside: Vec::new() }
    }

    /// The keys of the table that hold for this, the nearest first.
    fn keys(&self) -> Vec<String> {
        let (format, family) = (self.format.to_string(), self.format.family().name());
        let mut keys = Vec::new();
        if let Some(profile) = &self.profile {
            keys.extend([format!("{format}/{profile}"), format!("{family}/{profile}")]);
            keys.extend([format!("{format}/*"), format!("{family}/*")]);
        }
        keys.extend([format, family.to_owned()]);
        keys
    }
}

/// The names of a format's profiles.
pub(crate) fn profiles(format: Format) -> Vec<&'static str> {
    match format {
        Format::Phd(version) => {
            let writes = |profile: &&crate::phd::lower::Profile| profile.versions.contains(&version);
            crate::phd::lower::PROFILES.iter().filter(writes).map(|profile| profile.name).collect()
        }
        Format::Hprof => crate::hprof::lower::PROFILES.iter().map(|profile| profile.name).collect(),
        Format::Classic => crate::classic::lower::PROFILES.iter().map(|profile| profile.name).collect(),
    }
}

/// What one kind of dump carries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// By facet, in their order.
    carriages: Vec<Carriage>,
    /// Rules that apply beside those of the facets.
    beside: Vec<Rule>,
}

impl Column {
    /// How a facet is carried.
    pub fn carriage(&self, facet: Facet) -> Carriage {
        self.carriages.get(facet as usize).copied().unwrap_or(Carriage::None)
    }

    /// The meet of two: what a dump of the one kind has left after it was one of the other kind. Rules of both apply
    /// then, so there may be two.
    pub fn meet(&self, other: &Column, facet: Facet) -> Vec<Carriage> {
        match (self.carriage(facet), other.carriage(facet)) {
            (Carriage::None, _) | (_, Carriage::None) => vec![Carriage::None],
            (Carriage::Exact, other) => vec![other],
            (one, Carriage::Exact) => vec![one],
            (one, other) if one == other => vec![one],
            (one, other) => vec![one, other],
        }
    }

    pub(super) fn has(&self, rule: Rule) -> bool {
        self.carriages.contains(&Carriage::Changed(rule)) || self.beside.contains(&rule)
    }

    /// What is carried through both kinds of dump, one after the other.
    #[must_use]
    pub fn and(&self, other: &Column) -> Column {
        let meets = Facet::ALL.map(|facet| self.meet(other, facet));
        let drops = |carriages: &Vec<Carriage>| {
            carriages.iter().copied().find(|carriage| matches!(carriage, Carriage::Changed(rule) if rule.drops()))
        };
        // Bytes of fields are worked out anew by a dump that has others.
        let one_has_bytes = |meet: &Vec<Carriage>| {
            let bytes = Carriage::Changed(Rule::FieldBytes);
            (meet.len() > 1 && meet.contains(&bytes)).then_some(Carriage::Changed(Rule::Derived))
        };
        Column {
            carriages: meets.iter().map(|m| drops(m).or_else(|| one_has_bytes(m)).unwrap_or(m[0])).collect(),
            beside: meets
                .iter()
                .flatten()
                .filter_map(|carriage| match carriage {
                    Carriage::Changed(rule) => Some(*rule),
                    Carriage::Exact | Carriage::None => None,
                })
                .collect(),
        }
    }

    /// The same for dumps with these headers: sizes in identifiers are comparable where those have one size.
    #[must_use]
    pub(super) fn between(&self, left: &Facts, right: &Facts) -> Column {
        let mut column = self.clone();
        let same = left.identifier_size.is_some() && left.identifier_size == right.identifier_size;
        for carriage in &mut column.carriages {
            if *carriage == Carriage::Changed(Rule::FieldBytes) && !same {
                *carriage = Carriage::Changed(Rule::Derived);
            }
        }
        column
    }

    /// Whether a facet is carried in a way that can be compared.
    pub fn is_comparable(&self, facet: Facet) -> bool {
        match self.carriage(facet) {
            Carriage::Exact => true,
            Carriage::Changed(rule) => !rule.drops(),
            Carriage::None => false,
        }
    }
}

#[derive(Deserialize)]
struct Table {
    rules: BTreeMap<String, RuleText>,
    facets: BTreeMap<String, BTreeMap<String, Carriage>>,
}

#[derive(Deserialize)]
struct RuleText {
    text: String,
}

impl<'de> Deserialize<'de> for Carriage {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Carriage, D::Error> {
        let word = String::deserialize(deserializer)?;
        match word.as_str() {
            "exact" => Ok(Carriage::Exact),
            "none" => Ok(Carriage::None),
            name => Rule::deserialize(serde::de::value::StrDeserializer::new(name)).map(Carriage::Changed),
        }
    }
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let table = toml::from_str(include_str!("../../../specs/facets.toml"));
    // A unit test reads it, so a build in which it cannot be read never passes the tests.
    table.unwrap_or_else(|_| Table { rules: BTreeMap::new(), facets: BTreeMap::new() })
});

/// What a rule does, in a sentence or two.
pub fn text(rule: Rule) -> &'static str {
    TABLE.rules.get(&rule.to_string()).map_or("", |rule| rule.text.as_str())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn the_table_has_every_facet_every_format_and_no_rule_that_is_not_used() {
        let table: Table =
            toml::from_str(include_str!("../../../specs/facets.toml")).expect("the table is well-formed");
        let facets: BTreeSet<String> = Facet::ALL.iter().map(Facet::to_string).collect();
        assert_eq!(table.facets.keys().cloned().collect::<BTreeSet<_>>(), facets);
        let known: BTreeSet<String> = Target::all().iter().flat_map(Target::keys).collect();
        let mut used = BTreeSet::new();
        for (facet, row) in &table.facets {
            for format in Format::ALL {
                let target = Target { format, profile: None };
                assert!(target.keys().iter().any(|key| row.contains_key(key)), "{facet} says nothing of {format}");
            }
            for (key, carriage) in row {
                assert!(known.contains(key), "{facet} has a line for {key}, which is nothing");
                used.extend(match carriage {
                    Carriage::Changed(rule) => Some(rule.to_string()),
                    Carriage::Exact | Carriage::None => None,
                });
            }
        }
        assert_eq!(table.rules.keys().cloned().collect::<BTreeSet<_>>(), used);
        assert!(table.rules.values().all(|rule| rule.text.ends_with('.')));
    }

    #[test]
    fn the_nearest_line_counts() {
        let carriage = |target: &str, facet| target.parse::<Target>().expect("a target").column().carriage(facet);
        assert_eq!(carriage("phd6/openj9", Facet::Hash16), Carriage::Changed(Rule::Low15Bits));
        assert_eq!(carriage("phd6/jdmpview", Facet::Hash32), Carriage::Changed(Rule::ZeroIsNone));
        assert_eq!(carriage("phd6/any", Facet::Hash32), Carriage::Exact);
        assert_eq!(carriage("phd4", Facet::ObjectSize), Carriage::None);
        assert_eq!(carriage("hprof/sa", Facet::Signers), Carriage::None);
        assert_eq!(carriage("hprof/art", Facet::Signers), Carriage::Exact);
        assert!("phd6/agent".parse::<Target>().is_err());
    }
}
