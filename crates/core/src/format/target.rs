//! Kinds of dump, and which facts each of them carries.

mod rules {
    //! Made from `specs/facets.toml` by `build.rs`.
    include!(concat!(env!("OUT_DIR"), "/facet_rules.rs"));
}

use std::fmt;
use std::str::FromStr;

use crate::compare::Facet;
use crate::compare::carriage::{Carriage, CarriageColumn, ChangeRule};
use crate::error::Error;

use super::{Family, Format};

/// A format and, perhaps, the writer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DumpTarget {
    /// The format and its version.
    pub format: Format,
    /// The writer's profile; `None` for whatever a dump of the format can hold.
    pub profile: Option<String>,
}

impl fmt::Display for DumpTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.profile {
            Some(profile) => write!(f, "{}/{profile}", self.format),
            None => write!(f, "{}", self.format),
        }
    }
}

impl FromStr for DumpTarget {
    type Err = Error;

    fn from_str(text: &str) -> Result<DumpTarget, Error> {
        let (format, profile) = match text.split_once('/') {
            Some((format, profile)) => (format.parse()?, Some(profile)),
            None => (text.parse()?, None),
        };
        let target = DumpTarget { format, profile: profile.map(str::to_owned) };
        match profile.filter(|profile| !profiles(format).contains(profile)) {
            None => Ok(target),
            Some(unknown) => Err(format.unknown_profile(unknown)),
        }
    }
}

impl DumpTarget {
    /// Every format and version alone, then with each of its profiles.
    pub fn all() -> Vec<DumpTarget> {
        let alone = Format::all().map(|format| DumpTarget { format, profile: None });
        let written = Format::all().flat_map(|format| {
            profiles(format).into_iter().map(move |name| DumpTarget { format, profile: Some(name.to_owned()) })
        });
        alone.chain(written).collect()
    }

    /// A format and a writer, as a text names examples.
    pub fn examples() -> String {
        let all = DumpTarget::all();
        let written = all.iter().find(|target| target.profile.is_some());
        written.map_or(String::new(), |target| format!("{} or {target}", target.format))
    }

    /// The carriage of each facet in dumps of this kind.
    pub fn column(&self) -> CarriageColumn {
        let keys = self.keys();
        let carriage = |facet: &Facet| {
            let row = row(self.format.family(), *facet);
            let mut keys = keys.iter();
            keys.find_map(|key| Some(row.iter().find(|(of, _)| of == key)?.1)).unwrap_or(Carriage::None)
        };
        CarriageColumn::new(Facet::ALL.iter().map(carriage).collect())
    }

    /// The keys of the table that hold for this, the nearest first.
    #[doc(hidden)]
    pub fn keys(&self) -> Vec<String> {
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
pub fn profiles(format: Format) -> Vec<&'static str> {
    format.family().profiles(format.version())
}

/// The carriage of a fact, by kind of dump of a family.
fn row(family: Family, facet: Facet) -> &'static [(&'static str, Carriage)] {
    family.carries().iter().find(|(of, _)| *of == facet).map_or(&[], |(_, row)| row)
}

/// Every rule of the tables, and what it does.
#[doc(hidden)]
pub const TEXTS: &[(ChangeRule, &str)] = rules::RULES;

/// The effect of a rule, in a sentence or two.
pub fn text(rule: ChangeRule) -> &'static str {
    rules::RULES.iter().find(|(of, _)| *of == rule).map_or("", |(_, text)| text)
}
