//! Cases whose dumps are too large to be stored: parts that make them, and numbers that were worked out by hand. They stand
//! in `specs/cases/FORMAT/large.toml`, whose README says how the files are read.

mod number;
mod part;

use std::collections::BTreeMap;
use std::io::{Seek, Write};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::compare::Facet;
use crate::error::Error;
use crate::family::{Family, Format};

use super::spelled::rule_id;
use super::{CaseFile, CaseVerdict};
use number::NumberFormula;
pub use part::ManifestPart;
use part::{LargePart, LargePartEntry};

/// A case whose dump is too large to be stored.
#[derive(Clone, Debug)]
pub struct LargeCase {
    /// Stable id.
    pub id: String,
    /// The subject of the case, in a line.
    pub summary: String,
    /// Dump format.
    pub format: Format,
    /// Whether the dump is to be read or refused, or either is right.
    pub verdict: CaseVerdict,
    /// Rules that it breaks or shows.
    pub rules: Vec<&'static str>,
    /// The finding of a right reader, in words.
    pub expected: String,
    /// The size of the case: the number that stands for `n` in its parts.
    pub n: u64,
    /// The size of a small dump of the same make, for tests.
    pub small: u64,
    /// Whether answers are judged by counts alone: a digest of so much would take too long.
    pub is_counted: bool,
    /// The facets of facts that have no bound in a listing.
    pub long: Vec<Facet>,
    /// The time for its answer, in a machine that reads the corpus within its limits.
    pub time: Duration,
    /// The memory for its answer, in bytes.
    pub memory: u64,
    heap: Option<NumberFormula>,
    counts: BTreeMap<String, NumberFormula>,
    parts: Vec<LargePart>,
    /// The length of a dump with a part whose length is known only once it is made.
    generated: Option<u64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LargeCaseSheet {
    #[serde(default)]
    pieces: BTreeMap<String, String>,
    case: Vec<LargeCaseEntry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LargeCaseEntry {
    id: String,
    summary: String,
    format: String,
    verdict: String,
    rules: Vec<String>,
    expected: String,
    n: u64,
    small: u64,
    heap: Option<String>,
    #[serde(default)]
    counted: bool,
    #[serde(default)]
    long: Vec<Facet>,
    /// Seconds.
    time: u64,
    /// MiB.
    memory: u64,
    /// The dump's length, where a recipe of the generator is among the parts.
    size: Option<u64>,
    #[serde(default)]
    counts: BTreeMap<String, String>,
    part: Vec<LargePartEntry>,
}

/// Facts of a heap that can be counted.
pub(crate) const COUNTS: [&str; 8] =
    ["classes", "objects", "instances", "object-arrays", "primitive-arrays", "references", "roots", "strings"];

/// The cases of a file. An error names the file and the case.
pub(crate) fn large(family: Family, source: &CaseFile) -> Result<Vec<LargeCase>, String> {
    let wrong = |message: String| format!("specs/cases/{}: {message}", source.path);
    let LargeCaseSheet { pieces, case } = toml::from_str(source.text).map_err(|e| wrong(e.to_string()))?;
    let read = |spelled: LargeCaseEntry| {
        let id = spelled.id.clone();
        spelled.case(family, &pieces).map_err(|message| wrong(format!("{id}: {message}")))
    };
    case.into_iter().map(read).collect()
}

impl LargeCaseEntry {
    fn case(self, family: Family, pieces: &BTreeMap<String, String>) -> Result<LargeCase, String> {
        let format = family.formats().find(|known| known.to_string() == self.format);
        let format = format.ok_or_else(|| format!("{} is not a format of {family}", self.format))?;
        let verdicts = [CaseVerdict::Valid, CaseVerdict::Invalid, CaseVerdict::Ambiguous];
        let verdict = verdicts.into_iter().find(|verdict| verdict.name() == self.verdict);
        if let Some(unknown) = self.counts.keys().find(|name| !COUNTS.contains(&name.as_str())) {
            return Err(format!("there is no count {unknown:?}, but {}", COUNTS.join(", ")));
        }
        let fixed = |(name, text): (String, String)| match NumberFormula::read(&text)? {
            number if number.has_i() => Err(format!("{name}: {number} has an i, and is not repeated")),
            number => Ok((name, number)),
        };
        Ok(LargeCase {
            id: self.id,
            summary: self.summary,
            format,
            verdict: verdict.ok_or_else(|| format!("{} is no verdict", self.verdict))?,
            rules: self.rules.iter().map(|rule| rule_id(family, rule)).collect::<Result<_, _>>()?,
            expected: self.expected,
            n: self.n,
            small: self.small,
            is_counted: self.counted,
            long: self.long,
            time: Duration::from_secs(self.time),
            memory: self.memory << 20,
            heap: self.heap.map(|heap| NumberFormula::read(&heap)).transpose()?,
            counts: self.counts.into_iter().map(fixed).collect::<Result<_, _>>()?,
            parts: self.part.into_iter().map(|part| part.part(pieces)).collect::<Result<_, _>>()?,
            generated: self.size,
        })
    }
}

impl LargeCase {
    /// The case in another size: `n` of the things that make it large.
    #[must_use]
    pub fn with_size(&self, n: u64) -> LargeCase {
        LargeCase { n, generated: None, ..self.clone() }
    }

    /// The number of the heap that is asked for, from 0; only where the dump has several.
    pub fn heap(&self) -> Option<u64> {
        self.heap.as_ref().map(|heap| heap.value(self.n, 0))
    }

    /// The counts of a right reader, by the names of `specs/adapter.md`; and `objects`, which are instances and arrays.
    pub fn counts(&self) -> BTreeMap<&str, u64> {
        self.counts.iter().map(|(name, number)| (name.as_str(), number.value(self.n, 0))).collect()
    }

    /// The dump's length in bytes; `None` where it is known only once it is made.
    pub fn size(&self) -> Option<u64> {
        let sum = || self.parts.iter().try_fold(0_u64, |sum, part| sum.checked_add(part.length(self.n)?));
        self.generated.or_else(sum)
    }

    /// The bytes that it takes on a disk whose files may have holes.
    pub fn stored(&self) -> u64 {
        let sum = || self.parts.iter().fold(0, |sum: u64, part| sum.saturating_add(part.stored(self.n)));
        self.generated.unwrap_or_else(sum)
    }

    /// Writes the dump, in which holes are left out: the length that the output is to have is returned, and what was not
    /// written is zeros. `generate` writes the dump of a recipe.
    #[doc(hidden)]
    pub fn write<W: Write + Seek>(
        &self,
        out: &mut W,
        generate: &mut dyn FnMut(&str, &mut dyn Write) -> Result<(), Error>,
    ) -> Result<u64, Error> {
        self.parts.iter().try_for_each(|part| part.write(self.n, out, generate))?;
        out.stream_position().map_err(|e| Error::io("writing a large dump", e))
    }

    /// The making of the dump, in words.
    pub fn recipe(&self) -> String {
        let parts: Vec<ManifestPart> = self.parts.iter().map(|part| part.manifest(self.n)).collect();
        let words: Vec<String> = parts.iter().map(ManifestPart::words).collect();
        let legend = if parts.iter().any(ManifestPart::counts) {
            "; {NUMBER:WIDTH} is a number in that many bytes, or in that many hexadecimal digits of a text, and i counts \
             the repetitions from 0"
        } else {
            ""
        };
        format!("{}{legend}", words.join(", then "))
    }

    /// The manifest's entry.
    pub fn manifest(&self) -> ManifestRecipe {
        ManifestRecipe {
            id: self.id.clone(),
            summary: self.summary.clone(),
            format: self.format.to_string(),
            heap: self.heap(),
            recipe: self.recipe(),
            parts: self.parts.iter().map(|part| part.manifest(self.n)).collect(),
            size: self.size(),
            rules: self.rules.iter().map(|rule| (*rule).to_owned()).collect(),
            verdict: self.verdict.name().to_owned(),
            counts: self.counts().into_iter().map(|(name, count)| (name.to_owned(), count)).collect(),
            expected: self.expected.clone(),
        }
    }
}

/// A dump that is too large to be stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct ManifestRecipe {
    /// Stable id.
    pub id: String,
    /// What it is about, in a line.
    pub summary: String,
    /// Dump format.
    pub format: String,
    /// Which heap of the dump is counted, from 0; absent if the dump has only one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub heap: Option<u64>,
    /// How the dump is made, in words.
    pub recipe: String,
    /// The same for programs: what stands in the dump, one after the other.
    #[serde(default)]
    pub parts: Vec<ManifestPart>,
    /// Its length in bytes, where that is fixed.
    pub size: Option<u64>,
    /// Rules that it breaks or shows.
    pub rules: Vec<String>,
    /// `valid`, `invalid`, or `ambiguous` where reading and refusing are both right.
    #[serde(default)]
    pub verdict: String,
    /// What a right reader counts, where it reads the dump: the names are those of the level `counts` of adapters, and
    /// `objects`, which are instances and arrays.
    #[serde(default)]
    pub counts: BTreeMap<String, u64>,
    /// What a right reader finds, in words.
    pub expected: String,
}
