//! Running every rule over a dump.

use serde::Serialize;

use crate::classic;
use crate::error::{DecodeError, Error, Problem};
use crate::findings::{Finding, FindingCounts, Findings, Severity, Sound};
use crate::format::Family;
use crate::hprof::{self, Reading};
use crate::input::{Input, Stream};
use crate::phd::{self, FileFlags};
use crate::setters::setters;

use super::severity;

/// What to validate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ValidateOptions {
    /// Whether to check the rules that need an index of the whole graph.
    pub graph: bool,
    /// How to read what the bytes of an HPROF dump do not decide.
    pub reading: Reading,
}

setters! {
    impl ValidateOptions {
        set graph: bool;
        set reading: Reading;
    }
}

impl Default for ValidateOptions {
    fn default() -> ValidateOptions {
        ValidateOptions { graph: true, reading: Reading::default() }
    }
}

/// What validation found.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct Report {
    /// Version of this report's schema.
    pub schema: u32,
    /// The input's name.
    pub input: String,
    /// Dump format, where it was recognised (`phd4`, `phd5`, `phd6`, `hprof-1.0.1`, `hprof-1.0.2`, `hprof-1.0.3`,
    /// `classic`).
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

/// Validates a dump, as far as it can be read. Its format is told by its first bytes.
///
/// Without the graph rules memory is that of the largest record; with them 8 bytes for each class and object, plus
/// the classes (and of HPROF the tables of names, frames and threads). The graph rules read the input twice.
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
    // What keeps the first bytes from being read keeps a decoder from it too, which then says where and why.
    let start = input.stream()?.peek(Family::START).unwrap_or_default();
    match Family::of(&start) {
        Some(Family::Phd) => match open_phd(input)? {
            Ok(decoder) => run_phd(input, options, decoder, report, findings),
            Err(error) => stop(error, findings),
        },
        Some(Family::Hprof) => match open_hprof(input, options)? {
            Ok(decoder) => run_hprof(input, options, decoder, report, findings),
            Err(error) => stop(error, findings),
        },
        Some(Family::Classic) => match open_classic(input)? {
            Ok(decoder) => run_classic(input, options, decoder, report, findings),
            Err(error) => stop(error, findings),
        },
        None => stop(neither(input, &start, options)?, findings),
    }
}

/// Why an input that begins like no dump is none: what the decoder of the format says that it resembles, if any.
fn neither(input: &Input, start: &[u8], options: ValidateOptions) -> Result<DecodeError, Error> {
    let Err(phd) = open_phd(input)? else { return Err(changed(input)) };
    if phd.rule() != phd::rules::HEADER_MAGIC {
        return Ok(phd);
    }
    let Err(hprof) = open_hprof(input, options)? else { return Err(changed(input)) };
    if hprof.rule() != hprof::rules::HEADER_MAGIC {
        return Ok(hprof);
    }
    let Err(classic) = open_classic(input)? else { return Err(changed(input)) };
    let expected = "a PHD (00 12 and \"portable heap dump\"), an HPROF dump (\"JAVA PROFILE \" and a version) or a \
                    classic heap dump (// or 0x, in ASCII or EBCDIC)";
    let problem = Problem::Unexpected { expected: expected.to_owned(), found: phd.found() };
    let resembled = match Family::guess(start) {
        Family::Phd => phd,
        Family::Hprof => hprof,
        Family::Classic => classic,
    };
    Ok(DecodeError::new(resembled.rule(), resembled.offset(), resembled.field(), problem))
}

fn changed(input: &Input) -> Error {
    let reason = std::io::Error::other("its first bytes changed while it was read");
    Error::io(format!("reading {}", input.name()), reason)
}

fn run_phd(
    input: &Input,
    options: ValidateOptions,
    mut decoder: phd::Decoder<Stream>,
    report: &mut Report,
    findings: &mut Findings,
) -> Result<(), Error> {
    let header = decoder.header().clone();
    report.format = Some(format!("phd{}", header.version.number()));
    let layout = decoder.layout();
    let mut rules = phd::rules::PassRules::new(&header, decoder.header_bytes().len() as u64, findings);
    let mut index = options.graph.then(|| phd::rules::GraphIndex::new(layout, header.flags.has(FileFlags::J9)));
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
        if let Ok(mut decoder) = open_phd(input)? {
            stopped_before(decoder.visit(|located| {
                index.judge(located, findings);
                Ok(())
            }))?;
        }
        index.signs(findings);
        report.graph_checked = true;
    }
    Ok(())
}

fn run_hprof(
    input: &Input,
    options: ValidateOptions,
    mut decoder: hprof::Decoder<Stream>,
    report: &mut Report,
    findings: &mut Findings,
) -> Result<(), Error> {
    let header = *decoder.header();
    report.format = Some(format!("hprof-{}", header.version));
    let mut rules = hprof::rules::PassRules::new(&header);
    let mut index = options.graph.then(|| hprof::rules::GraphIndex::new(header.id_size));
    let ended = decoder.visit::<DecodeError, _>(|step| {
        rules.step(step, findings);
        if let Some(index) = &mut index {
            index.enter(step, findings);
        }
        Ok(())
    });
    report.sound = Sound {
        records: decoder.index(),
        objects: rules.objects,
        classes: rules.classes,
        references: rules.references,
    };
    match ended {
        Ok(length) => rules.end(length, findings),
        Err(error) => stop(error, findings)?,
    }
    if let Some(mut index) = index {
        index.seal();
        if let Ok(mut decoder) = open_hprof(input, options)? {
            stopped_before(decoder.visit(|step| {
                index.judge(step, findings);
                Ok(())
            }))?;
        }
        report.sound.references += index.references;
        report.graph_checked = true;
    }
    Ok(())
}

fn run_classic(
    input: &Input,
    options: ValidateOptions,
    mut decoder: classic::Decoder<Stream>,
    report: &mut Report,
    findings: &mut Findings,
) -> Result<(), Error> {
    report.format = Some("classic".to_owned());
    let mut rules = classic::rules::PassRules::new(decoder.encoding());
    let mut index = options.graph.then(classic::rules::GraphIndex::default);
    let ended = decoder.visit::<DecodeError, _>(|step| {
        rules.step(step, findings);
        if let Some(index) = &mut index {
            index.enter(step);
        }
        Ok(())
    });
    report.sound = rules.sound(decoder.index());
    // What the trailers state can be judged whatever stands behind them.
    rules.end(findings);
    let whole = ended.as_ref().err().is_none_or(DecodeError::is_missing_end);
    if let Err(error) = ended {
        stop(error, findings)?;
    }
    if let Some(mut index) = index {
        index.seal(whole, findings);
        if let Ok(mut decoder) = open_classic(input)? {
            stopped_before(decoder.visit(|step| {
                index.judge(step, findings);
                Ok(())
            }))?;
        }
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

/// The end of a second pass. What stopped the first one stops it too, and is known already.
fn stopped_before<T>(judged: Result<T, DecodeError>) -> Result<(), Error> {
    match judged {
        Err(error) if error.is_the_machines() => Err(error.into()),
        _ => Ok(()),
    }
}

fn open_phd(input: &Input) -> Result<Result<phd::Decoder<Stream>, DecodeError>, Error> {
    let stream = input.stream()?;
    let length = stream.length();
    Ok(phd::Decoder::with_length(stream, length))
}

fn open_classic(input: &Input) -> Result<Result<classic::Decoder<Stream>, DecodeError>, Error> {
    let stream = input.stream()?;
    let length = stream.length();
    Ok(classic::Decoder::with_length(stream, length))
}

fn open_hprof(input: &Input, options: ValidateOptions) -> Result<Result<hprof::Decoder<Stream>, DecodeError>, Error> {
    Ok(hprof::open(input.stream()?, input, options.reading))
}

/// The first error of a dump that can be read to its end and is not valid all the same.
///
/// # Errors
/// If the input cannot be read.
pub fn unsound(input: &Input, reading: Reading) -> Result<Option<DecodeError>, Error> {
    let report = validate(input, ValidateOptions { graph: true, reading })?;
    let wrong = report.findings.into_iter().find(|f| f.severity == Severity::Error && !f.fatal);
    Ok(wrong.map(|finding| {
        let problem = Problem::Unexpected { expected: finding.expected, found: finding.found };
        let error = DecodeError::new(finding.rule, finding.offset, "record", problem);
        match finding.record {
            Some(record) => error.in_record(record),
            None => error,
        }
    }))
}
