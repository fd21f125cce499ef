use std::io::Write;

use crate::compare::{Comparison, listing};
use crate::error::Error;
use crate::salvage::SalvageReport;
use crate::validate::ValidationReport;
use clap::{Args, ValueEnum};
use schemars::{Schema, schema_for};

#[cfg(feature = "check")]
use crate::command::adapter;
#[cfg(feature = "corpus")]
use crate::command::corpus;
use crate::command::field::FieldLine;
use crate::command::help::HelpEnding;
use crate::command::tolerate::ToleratedReport;
use crate::command::{
    CommandOutcome, answers, build, check_conversion, corrupt, demo, digest, encode, explain, facets, spec, terminal,
    verify,
};

/// Prints the JSON schema of a report or format, which stands alone; in specs/schemas/ they share one list of facets.
#[derive(Args)]
#[command(after_long_help = HELP_ENDING)]
pub(crate) struct SchemaOpts {
    /// The report or format.
    #[arg(value_enum)]
    name: SchemaName,
}

const HELP_ENDING: HelpEnding = HelpEnding {
    examples: &[
        ("Print the schema of validate --json", "heapsmith schema validate"),
        ("Write that of a listing's lines", "heapsmith schema listing-line > listing-line.schema.json"),
    ],
    exit_codes: &[],
};

#[derive(Clone, Copy, ValueEnum)]
enum SchemaName {
    /// First line of a listing.
    ListingHead,
    /// Every other line of a listing.
    ListingLine,
    /// `validate --json`
    Validate,
    /// `salvage --json`
    Salvage,
    /// `explain --json`
    Explain,
    /// `spec list --json`, `spec search --json`
    SpecRule,
    /// `spec coverage --json`
    #[cfg(feature = "corpus")]
    SpecCoverage,
    /// `spec coverage --grid --json`
    #[cfg(feature = "corpus")]
    SpecGrid,
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
    /// `build --json`
    Build,
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

impl SchemaOpts {
    pub(crate) fn run(self) -> Result<CommandOutcome, Error> {
        let schema: Schema = match self.name {
            SchemaName::ListingHead => schema_for!(listing::Keyed<'_, listing::ListingHead>),
            SchemaName::ListingLine => schema_for!(listing::ListingLine<'_>),
            SchemaName::Validate => schema_for!(ValidationReport),
            SchemaName::Salvage => schema_for!(SalvageReport),
            SchemaName::SpecRule => schema_for!(spec::RuleLine),
            #[cfg(feature = "corpus")]
            SchemaName::SpecCoverage => schema_for!(crate::corpus::Coverage),
            #[cfg(feature = "corpus")]
            SchemaName::SpecGrid => schema_for!(crate::corpus::Grid),
            SchemaName::Explain => schema_for!(explain::Explanation),
            SchemaName::Compare => schema_for!(ToleratedReport<Comparison>),
            SchemaName::Answers => schema_for!(ToleratedReport<answers::AnswersReport>),
            SchemaName::AnswersEntry => schema_for!(crate::answers::EntryFacts),
            SchemaName::GenerateAnswers => schema_for!(answers::GeneratedAnswers),
            SchemaName::Digest => schema_for!(ToleratedReport<digest::DigestReport>),
            SchemaName::Renaming => schema_for!(ToleratedReport<crate::compare::renaming::Renaming>),
            SchemaName::Convert => schema_for!(ToleratedReport<crate::convert::Conversion>),
            SchemaName::Encode => schema_for!(encode::Report),
            SchemaName::Build => schema_for!(build::BuildReport),
            SchemaName::CheckConversion => schema_for!(ToleratedReport<crate::convert::ConversionVerdict>),
            SchemaName::ConversionPair => schema_for!(check_conversion::JudgedPair),
            SchemaName::Corrupt => schema_for!(corrupt::CorruptReport),
            SchemaName::Demo => schema_for!(demo::DemoReport),
            SchemaName::Verify => schema_for!(verify::VerifyReport),
            SchemaName::Facets => schema_for!(facets::FacetsReport),
            SchemaName::GenerateOptions => {
                Schema::try_from(crate::generate::schema()).map_err(|e| Error::Usage(e.to_string()))?
            }
            SchemaName::InspectRecord => schema_for!(crate::format::RecordLine),
            SchemaName::InspectField => schema_for!(FieldLine),
            #[cfg(feature = "check")]
            SchemaName::Check => schema_for!(crate::check::CheckReport),
            #[cfg(feature = "check")]
            SchemaName::Scaling => schema_for!(crate::check::Scaling),
            #[cfg(feature = "check")]
            SchemaName::FuzzStatus => schema_for!(crate::check::campaign::CampaignStatus),
            #[cfg(feature = "check")]
            SchemaName::Reduce => schema_for!(crate::command::reduce::ReduceReport),
            #[cfg(feature = "check")]
            SchemaName::ReportDiff => schema_for!(crate::check::report::ReportDiff),
            #[cfg(feature = "check")]
            SchemaName::AdapterTest => schema_for!(crate::check::Examination),
            #[cfg(feature = "check")]
            SchemaName::AdapterRequest => schema_for!(crate::check::protocol::Request),
            #[cfg(feature = "check")]
            SchemaName::AdapterAnswer => schema_for!(crate::check::protocol::AdapterMessage),
            // What was promised stays as it was.
            #[cfg(feature = "check")]
            SchemaName::AdapterAnswer1 => {
                let text = include_str!("../../specs/schemas/adapter-answer-1.schema.json");
                serde_json::from_str(text).map_err(|e| Error::Usage(e.to_string()))?
            }
            #[cfg(feature = "check")]
            SchemaName::AdapterEntry => schema_for!(crate::check::protocol::EntryAnswer),
            #[cfg(feature = "check")]
            SchemaName::AdapterReadings => schema_for!(adapter::AdapterReadings),
            #[cfg(feature = "corpus")]
            SchemaName::CorpusVerify => schema_for!(corpus::CorpusVerifyReport),
            #[cfg(feature = "corpus")]
            SchemaName::Golden => schema_for!(crate::corpus::Export),
            #[cfg(feature = "corpus")]
            SchemaName::Manifest => schema_for!(crate::corpus::Manifest),
        };
        let text = serde_json::to_string_pretty(&schema).map_err(|e| Error::io("writing the schema", e.into()))?;
        writeln!(terminal::data(), "{text}").map_err(|e| Error::io("writing standard output", e))?;
        Ok(CommandOutcome::Yes)
    }
}
