//! Running every rule over a dump.

use schemars::JsonSchema;
use serde::Serialize;

use crate::error::{DecodeError, Error};
use crate::input::Input;
use crate::phd::rules::{GraphIndex, PassRules};
use crate::phd::{Decoder, FileFlags};

use super::finding::{Finding, FindingCounts, Findings, Severity};
use super::rulebook::severity;

/// What to validate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ValidateOptions {
    /// Whether to check the rules that need an index of the whole graph.
    pub graph: bool,
}

/// What validation found.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Report {
    /// Version of this report's schema.
    pub schema: u32,
    /// The input's name.
    pub input: String,
    /// Dump format, where it was recognised (`phd4`, `phd5`, `phd6`).
    pub format: Option<String>,
    /// Whether the dump is valid: no finding is an error.
    pub valid: bool,
    /// Whether the rules of the whole graph were checked.
    pub graph_checked: bool,
    /// What is sound: everything before the first fatal finding.
    pub sound: Sound,
    /// Findings by place; of each rule the first 20.
    pub findings: Vec<Finding>,
    /// Number of findings by rule, those beyond the kept ones included.
    pub counts: Vec<FindingCounts>,
}

/// How much of a dump is sound.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Sound {
    /// Records.
    pub records: u64,
    /// Objects.
    pub objects: u64,
    /// Classes.
    pub classes: u64,
    /// References.
    pub references: u64,
}

/// Validates a dump, as far as it can be read.
///
/// Without the graph rules memory is that of the largest record; with them 8 bytes for each, plus the
/// classes. The graph rules read the input twice.
///
/// # Errors
/// If the input cannot be read, or shrinks while it is. What is wrong with the dump is in the report.
pub fn validate(input: &Input, options: ValidateOptions) -> Result<Report, Error> {
    let mut findings = Findings::default();
    let mut report = Report {
        schema: 1,
        input: input.name().to_owned(),
        format: None,
        valid: false,
        graph_checked: false,
        sound: Sound::default(),
        findings: Vec::new(),
        counts: Vec::new(),
    };
    run(input, options, &mut report, &mut findings)?;
    (report.findings, report.counts) = findings.finish();
    report.valid = report.counts.iter().all(|c| severity(c.rule) != Severity::Error);
    Ok(report)
}

fn run(input: &Input, options: ValidateOptions, report: &mut Report, findings: &mut Findings) -> Result<(), Error> {
    let mut decoder = match open(input)? {
        Ok(decoder) => decoder,
        Err(error) => return stop(error, findings),
    };
    let header = decoder.header().clone();
    report.format = Some(format!("phd{}", header.version.number()));
    let layout = decoder.layout();
    let mut rules = PassRules::new(&header, decoder.header_bytes().len() as u64, findings);
    let mut index = options.graph.then(|| GraphIndex::new(layout, header.flags.has(FileFlags::J9)));
    let ended = decoder.visit::<DecodeError, _>(|located| {
        rules.record(located, findings);
        if let Some(index) = &mut index {
            index.enter(located);
        }
        Ok(())
    });
    report.sound = Sound {
        records: decoder.records(),
        objects: rules.objects,
        classes: rules.classes,
        references: rules.references,
    };
    match ended {
        Ok(ended) => match decoder.visit_trailing::<DecodeError, _>(|_| Ok(())) {
            Ok(trailing) => rules.end(ended, trailing, findings),
            Err(error) => stop(error, findings)?,
        },
        Err(error) => stop(error, findings)?,
    }
    if let Some(mut index) = index {
        index.seal(layout, findings);
        if let Ok(mut decoder) = open(input)? {
            let judged = decoder.visit::<DecodeError, _>(|located| {
                index.judge(located, findings);
                Ok(())
            });
            // What stopped the first pass stops the second, and is known already.
            if let Err(error) = judged
                && error.is_the_machines()
            {
                return Err(error.into());
            }
        }
        index.signs(findings);
        report.graph_checked = true;
    }
    Ok(())
}

/// A dump that cannot be read any further: a finding, unless the machine is at fault.
fn stop(error: DecodeError, findings: &mut Findings) -> Result<(), Error> {
    if error.is_the_machines() {
        return Err(error.into());
    }
    findings.add_fatal(&error, severity(error.rule()));
    Ok(())
}

fn open(input: &Input) -> Result<Result<Decoder<crate::input::Stream>, DecodeError>, Error> {
    let stream = input.stream()?;
    let length = stream.length();
    Ok(Decoder::with_length(stream, length))
}
