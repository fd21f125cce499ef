//! Conversions with the right verdict: pairs of cases, the second of which could be a conversion of the first.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use heapsmith_core::compare::{Facet, MEMORY};
use heapsmith_core::convert::{CandidateWriters, ConversionVerdict, judge};
use heapsmith_core::error::Error;
use heapsmith_core::format::{DumpTarget, OpenedHeap};
use heapsmith_core::hprof::ReadOptions;
use heapsmith_core::input::Input;

use super::Case;

/// `specs/conversions.toml`, which lists them.
const PAIRS: &str = include_str!("../../specs/conversions.toml");

/// A dump, and one that a converter could have made of it. Both are cases.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ConversionPair {
    /// The case that is converted.
    pub input: String,
    /// The case that came out.
    pub output: String,
    /// Whether the output has all that dumps of its kind can carry, unchanged.
    pub faithful: bool,
    /// The facets that the output lacks or has otherwise although dumps of its kind can carry them; none if it is faithful.
    pub differs: BTreeSet<Facet>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ConversionSheet {
    pair: Vec<OutputInputs>,
}

/// An output with the inputs that it is a conversion of.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OutputInputs {
    output: String,
    inputs: Vec<String>,
    #[serde(default)]
    differs: BTreeSet<Facet>,
}

/// Every pair, by input and output.
///
/// # Errors
/// If `specs/conversions.toml` cannot be read, which its tests rule out.
pub fn conversion_pairs() -> Result<Vec<ConversionPair>, Error> {
    let sheet: ConversionSheet =
        toml::from_str(PAIRS).map_err(|e| Error::Usage(format!("specs/conversions.toml: {}", e.message())))?;
    let told = sheet.pair.into_iter().flat_map(|told| {
        let OutputInputs { output, inputs, differs } = told;
        inputs.into_iter().map(move |input| ConversionPair {
            input,
            output: output.clone(),
            faithful: differs.is_empty(),
            differs: differs.clone(),
        })
    });
    let mut pairs: Vec<ConversionPair> = told.collect();
    pairs.sort_by(|a, b| (&a.input, &a.output).cmp(&(&b.input, &b.output)));
    Ok(pairs)
}

impl ConversionPair {
    /// The contradiction of heapsmith's own judge of conversions, if there is one.
    ///
    /// # Errors
    /// If one of the two is no case, or cannot be read; or if temporary files cannot be written.
    pub fn judge(&self, cases: &BTreeMap<&str, &Case>) -> Result<Option<String>, Error> {
        let open = |id: &str| {
            let case = cases.get(id).ok_or_else(|| Error::Usage(format!("specs/conversions.toml: {id} is no case")))?;
            OpenedHeap::open(Input::from_memory(&case.id, case.bytes.clone()), None, ReadOptions::default())
        };
        let (mut input, mut output) = (open(&self.input)?, open(&self.output)?);
        let writers = match &mut output {
            OpenedHeap::Dump { file, source, .. } => CandidateWriters::from_dump(file, source, input.format()?)?,
            _ => return Err(Error::Usage(format!("{}: its bytes are no dump", self.output))),
        };
        let judged = |target: &DumpTarget| judge(input.source(), output.source(), target, MEMORY);
        let (_, verdict) = writers.nearest(judged, ConversionVerdict::differing)?;
        let found: BTreeSet<Facet> = verdict.differing_facets().collect();
        Ok((found != self.differs).then(|| format!("expected that {:?} differ, found {found:?}", self.differs)))
    }
}
