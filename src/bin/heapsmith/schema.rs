use std::io::Write;

use clap::{Args, ValueEnum};
use heapsmith::compare::{Comparison, listing};
use heapsmith::error::Error;
use heapsmith::validate::Report;
use schemars::{Schema, schema_for};

#[cfg(feature = "check")]
use crate::adapter;
#[cfg(feature = "corpus")]
use crate::corpus;
use crate::field::FieldLine;
use crate::tolerate::Reported;
use crate::{
    Answer, answers, check_conversion, corrupt, demo, digest, encode, explain, facets, spec, terminal, verify,
};

/// Prints the JSON schema of a report or format; the same schemas stand in specs/schemas/.
///
/// Example: heapsmith schema validate
#[derive(Args)]
pub(crate) struct Opts {
    /// The report or format.
    #[arg(value_enum)]
    name: Which,
}

#[derive(Clone, Copy, ValueEnum)]
enum Which {
    /// First line of a listing.
    ListingHead,
    /// Every other line of a listing.
    ListingLine,
    /// `validate --json`
    Validate,
    /// `explain --json`
    Explain,
    /// `spec list --json`, `spec search --json`
    SpecRule,
    /// `spec coverage --json`
    #[cfg(feature = "corpus")]
    SpecCoverage,
    /// `compare --json`
    Compare,
    /// `digest --json`
    Digest,
    /// `answers --json`
    Answers,
    /// A line of `answers --entries`
    AnswersEntry,
    /// `generate --answers`
    GenerateAnswers,
    /// `compare --up-to-renaming --json`
    Renaming,
    /// `convert --json`
    Convert,
    /// `encode --json`
    Encode,
    /// `check-conversion --json`
    CheckConversion,
    /// A line of `check-conversion --pairs --json`
    ConversionPair,
    /// `corrupt --json`
    Corrupt,
    /// `demo --json`
    Demo,
    /// `verify --json`
    Verify,
    /// `facets --json`
    Facets,
    /// `generate --options`
    GenerateOptions,
    /// `inspect --json`
    InspectRecord,
    /// `inspect --bytes --json`
    InspectField,
    /// `check --json`
    #[cfg(feature = "check")]
    Check,
    /// `check --scaling --json`
    #[cfg(feature = "check")]
    Scaling,
    /// `fuzz status --json`
    #[cfg(feature = "check")]
    FuzzStatus,
    /// `reduce --json`
    #[cfg(feature = "check")]
    Reduce,
    /// `report diff --json`
    #[cfg(feature = "check")]
    ReportDiff,
    /// `adapter test --json`
    #[cfg(feature = "check")]
    AdapterTest,
    /// Requests to an adapter.
    #[cfg(feature = "check")]
    AdapterRequest,
    /// Answers of an adapter.
    #[cfg(feature = "check")]
    AdapterAnswer,
    /// Answers of an adapter in version 1 of the protocol.
    #[cfg(feature = "check")]
    #[value(name = "adapter-answer-1")]
    AdapterAnswer1,
    /// A line of an answer at the level `answers`.
    #[cfg(feature = "check")]
    AdapterEntry,
    /// `adapter readings --json`
    #[cfg(feature = "check")]
    AdapterReadings,
    /// `corpus verify --json`
    #[cfg(feature = "corpus")]
    CorpusVerify,
    /// manifest.json of `corpus export`
    #[cfg(feature = "corpus")]
    Golden,
    /// corpus/manifest.json
    #[cfg(feature = "corpus")]
    Manifest,
}

impl Opts {
    pub(crate) fn run(self) -> Result<Answer, Error> {
        let schema: Schema = match self.name {
            Which::ListingHead => schema_for!(listing::Keyed<'_, listing::Head>),
            Which::ListingLine => schema_for!(listing::Line<'_>),
            Which::Validate => schema_for!(Report),
            Which::SpecRule => schema_for!(spec::Line),
            #[cfg(feature = "corpus")]
            Which::SpecCoverage => schema_for!(heapsmith::corpus::Coverage),
            Which::Explain => schema_for!(explain::Explanation),
            Which::Compare => schema_for!(Reported<Comparison>),
            Which::Answers => schema_for!(Reported<answers::Report>),
            Which::AnswersEntry => schema_for!(heapsmith::answers::Entry),
            Which::GenerateAnswers => schema_for!(answers::Known),
            Which::Digest => schema_for!(Reported<digest::Report>),
            Which::Renaming => schema_for!(Reported<heapsmith::compare::renaming::Renaming>),
            Which::Convert => schema_for!(Reported<heapsmith::convert::Conversion>),
            Which::Encode => schema_for!(encode::Report),
            Which::CheckConversion => schema_for!(Reported<heapsmith::convert::Verdict>),
            Which::ConversionPair => schema_for!(check_conversion::Pair),
            Which::Corrupt => schema_for!(corrupt::Report),
            Which::Demo => schema_for!(demo::Report),
            Which::Verify => schema_for!(verify::Report),
            Which::Facets => schema_for!(facets::Report),
            Which::GenerateOptions => {
                Schema::try_from(heapsmith::generate::schema()).map_err(|e| Error::Usage(e.to_string()))?
            }
            Which::InspectRecord => schema_for!(heapsmith::format::RecordLine),
            Which::InspectField => schema_for!(FieldLine),
            #[cfg(feature = "check")]
            Which::Check => schema_for!(heapsmith::check::Report),
            #[cfg(feature = "check")]
            Which::Scaling => schema_for!(heapsmith::check::Scaling),
            #[cfg(feature = "check")]
            Which::FuzzStatus => schema_for!(heapsmith::check::campaign::Status),
            #[cfg(feature = "check")]
            Which::Reduce => schema_for!(crate::reduce::Report),
            #[cfg(feature = "check")]
            Which::ReportDiff => schema_for!(heapsmith::check::report::ReportDiff),
            #[cfg(feature = "check")]
            Which::AdapterTest => schema_for!(heapsmith::check::Examination),
            #[cfg(feature = "check")]
            Which::AdapterRequest => schema_for!(heapsmith::check::protocol::Request),
            #[cfg(feature = "check")]
            Which::AdapterAnswer => schema_for!(heapsmith::check::protocol::Said),
            // What was promised stays as it was.
            #[cfg(feature = "check")]
            Which::AdapterAnswer1 => {
                let text = include_str!("../../../specs/schemas/adapter-answer-1.schema.json");
                serde_json::from_str(text).map_err(|e| Error::Usage(e.to_string()))?
            }
            #[cfg(feature = "check")]
            Which::AdapterEntry => schema_for!(heapsmith::check::protocol::EntryAnswer),
            #[cfg(feature = "check")]
            Which::AdapterReadings => schema_for!(adapter::Readings),
            #[cfg(feature = "corpus")]
            Which::CorpusVerify => schema_for!(corpus::Report),
            #[cfg(feature = "corpus")]
            Which::Golden => schema_for!(heapsmith::corpus::Export),
            #[cfg(feature = "corpus")]
            Which::Manifest => schema_for!(heapsmith::corpus::Manifest),
        };
        let text = serde_json::to_string_pretty(&schema).map_err(|e| Error::io("writing the schema", e.into()))?;
        writeln!(terminal::data(), "{text}").map_err(|e| Error::io("writing standard output", e))?;
        Ok(Answer::Yes)
    }
}
