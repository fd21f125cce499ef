//! Running every rule over a dump.

use serde::Serialize;

use crate::error::{DecodeError, Error, Problem, TextPosition};
use crate::family::{FileSource, GraphRules, JudgedDump, ReadOptions};
use crate::findings::{Finding, FindingCounts, Findings, Severity, SoundCounts};
use crate::format::{DumpFile, severity};
use crate::input::Input;
use crate::setters::setters;

/// The options of a validation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ValidateOptions {
    /// Whether to check the rules that need an index of the whole graph.
    pub graph: bool,
    /// Whether to check of these rules only those that are errors, which is quicker: references are not followed. The
    /// report has fewer warnings and notes then.
    pub errors: bool,
    /// The reading of what the bytes of a dump do not decide.
    pub reading: ReadOptions,
}

setters! {
    impl ValidateOptions {
        set graph: bool;
        set errors: bool;
        set reading: ReadOptions;
    }
}

impl Default for ValidateOptions {
    fn default() -> ValidateOptions {
        ValidateOptions { graph: true, errors: false, reading: ReadOptions::default() }
    }
}

/// What validation found.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schemas", schemars(rename = "Report"))]
pub struct ValidationReport {
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
    pub sound: SoundCounts,
    /// Findings by place; of each rule the first 20.
    pub findings: Vec<Finding>,
    /// Number of findings by rule, those beyond the kept ones included.
    pub counts: Vec<FindingCounts>,
}

/// Validates a dump, as far as it can be read. Its format is recognised by its first bytes.
///
/// Without the graph rules memory is that of the largest record; with them mostly 8 bytes or less for each class and object
/// (up to 64 where addresses are far apart), plus the classes (and of HPROF the tables of names, frames and threads). The graph rules
/// read the input twice.
///
/// # Errors
/// If the input cannot be read, or shrinks while it is. What is wrong with the dump is in the report.
pub fn validate(input: &Input, options: ValidateOptions) -> Result<ValidationReport, Error> {
    let mut findings = Findings::default();
    let graph = match options {
        ValidateOptions { graph: false, .. } => GraphRules::None,
        ValidateOptions { errors: true, .. } => GraphRules::Errors,
        ValidateOptions { .. } => GraphRules::All,
    };
    let judged = DumpFile::new(input.clone(), options.reading)?.judge(graph, &mut findings)?;
    Ok(report(input, judged, findings))
}

/// Validates a dump by the rules that are errors; and gives its heaps, with their objects left in the file, where that takes no
/// further pass over it. Elsewhere, [`DumpFile::source`] gives them.
///
/// # Errors
/// If the input cannot be read, or shrinks while it is.
pub fn validate_source(file: &DumpFile) -> Result<(ValidationReport, Option<FileSource>), Error> {
    let mut findings = Findings::default();
    let (judged, source) = file.judged_source(&mut findings)?;
    Ok((report(file.input(), judged, findings), source))
}

fn report(input: &Input, judged: JudgedDump, findings: Findings) -> ValidationReport {
    let (findings, counts) = findings.finish();
    ValidationReport {
        schema: 1,
        input: input.name().to_owned(),
        format: judged.format,
        valid: counts.iter().all(|c| severity(c.rule) != Severity::Error),
        graph_checked: judged.graph_checked,
        sound: judged.sound,
        findings,
        counts,
    }
}

/// The first error of a dump at which reading does not stop: who takes the dump's heap would not notice it.
///
/// # Errors
/// If the input cannot be read.
pub fn unsound(input: &Input, reading: ReadOptions) -> Result<Option<DecodeError>, Error> {
    Ok(validate(input, ValidateOptions { graph: true, errors: true, reading })?.unsound())
}

/// A rule that a dump breaks, and that was tolerated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct Tolerated {
    /// The input's name.
    pub input: String,
    /// Id of the rule.
    pub rule: String,
    /// How often the dump breaks it.
    pub count: u64,
    /// Offset of the first place, in the (decompressed) dump, in bytes.
    pub offset: u64,
}

impl ValidationReport {
    /// The errors at which reading does not stop.
    fn tolerable(&self) -> impl Iterator<Item = &Finding> {
        self.findings.iter().filter(|finding| finding.severity == Severity::Error && !finding.fatal)
    }

    /// The first error at which reading does not stop.
    pub fn unsound(&self) -> Option<DecodeError> {
        let finding = self.tolerable().next()?;
        let problem = Problem::Unexpected { expected: finding.expected.clone(), found: finding.found.clone() };
        let mut error = DecodeError::new(finding.rule, finding.offset, "record", problem);
        if let Some(record) = finding.record {
            error = error.in_record(record);
        }
        if let (Some(line), Some(column)) = (finding.line, finding.column) {
            error = error.at_position(TextPosition { line, column });
        }
        Some(error)
    }

    /// The errors that are tolerated where the heap of the dump is taken all the same, by rule in the order of the
    /// first places.
    pub fn tolerated(&self) -> Vec<Tolerated> {
        let mut tolerated: Vec<Tolerated> = Vec::new();
        for finding in self.tolerable() {
            if tolerated.iter().all(|known| known.rule != finding.rule.0) {
                let count = self.counts.iter().find(|count| count.rule == finding.rule).map_or(1, |count| count.count);
                let (input, rule) = (self.input.clone(), finding.rule.to_string());
                tolerated.push(Tolerated { input, rule, count, offset: finding.offset });
            }
        }
        tolerated
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::Format;
    use crate::model::{DumpSource, Heap, HeapSource, Object};

    fn objects(heap: &mut dyn HeapSource) -> Vec<Object> {
        let mut objects = Vec::new();
        let visited = heap.visit_objects(&mut |object| {
            objects.push(object.clone());
            Ok(())
        });
        visited.expect("memory can be read");
        objects
    }

    /// Whole, with bytes after the end tag, and without the end tag.
    #[test]
    fn heaps_that_come_with_a_validation_are_those_of_the_dump() {
        for format in [Format::PHD4, Format::PHD5, Format::PHD6] {
            for seed in 0..10 {
                let whole = Heap::random(seed).write(format).expect("it can be written");
                let longer = [&whole[..], b"more"].concat();
                for bytes in [&whole[..], &longer, &whole[..whole.len() - 1]] {
                    let input = Input::from_memory("dump", bytes.to_vec());
                    let file = DumpFile::new(input.clone(), ReadOptions::default()).expect("a dump");
                    let (report, source) = validate_source(&file).expect("memory can be read");
                    assert_eq!(report.valid, validate(&input, ValidateOptions::default()).expect("read").valid);
                    let (mut source, mut due) = (source.expect("no further pass"), file.source().expect("a heap"));
                    assert_eq!(source.unrecorded_end(), due.unrecorded_end());
                    assert_eq!(source.unrecorded_end().is_some(), bytes.len() != whole.len());
                    let (source, due) = (source.heap(0), due.heap(0));
                    assert_eq!((source.facts(), source.classes()), (due.facts(), due.classes()));
                    assert_eq!(objects(source), objects(due));
                }
                // Inside of a record.
                let input = Input::from_memory("dump", whole[..whole.len() - 2].to_vec());
                let file = DumpFile::new(input, ReadOptions::default()).expect("a dump");
                let (report, source) = validate_source(&file).expect("memory can be read");
                assert!(!report.valid && source.is_none(), "seed {seed}: {report:?}");
            }
        }
    }
}
