//! From a program's answer to a verdict.

use std::collections::BTreeSet;
use std::fs;
use std::io::BufReader;
use std::path::Path;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;

use crate::compare::listing::{self, Listing};
use crate::compare::{Facet, Side, compare};
use crate::corpus::{Answer, Case, Verdict};
use crate::error::Error;
use crate::format::{Family, Format, Lowering, Wishes};
use crate::generate::{Draw, SeedDraw, Stream, from_seed};
use crate::hprof::{self, IdSize};
use crate::model::{HashRegime, Heap, HeapSource, WordSize};
use crate::phd::lower::FieldSwap;
use crate::{classic, phd};

use super::subject::{self, Ran};

/// A program under test.
#[derive(Clone, Debug)]
pub struct Subject {
    /// Program and arguments; `{}` in an argument stands for the dump's path, `{heap}` for the index of the heap
    /// that is asked for, 0 where the dump has only one.
    pub command: Vec<String>,
    /// Time limit for a case.
    pub limit: Duration,
}

/// The outcome of a run over many cases.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Report {
    /// Version of this report's schema.
    pub schema: u32,
    /// The program under test.
    pub command: Vec<String>,
    /// Every case, by id.
    pub cases: Vec<CaseResult>,
}

/// The outcome of one case.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CaseResult {
    /// Case id.
    pub id: String,
    /// Verdict.
    pub outcome: Outcome,
    /// Facets that the program said it does not report.
    pub omitted: Vec<Facet>,
}

/// Verdicts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "verdict", rename_all = "kebab-case")]
pub enum Outcome {
    /// The answer is right.
    Pass {
        /// Which reading it follows, where several are right.
        reading: Option<String>,
    },
    /// The dump was read wrongly.
    Fail {
        /// The first wrong fact.
        facet: Option<Facet>,
        /// Where, if it is a fact of a class or object.
        address: Option<String>,
        /// What is right.
        expected: String,
        /// What the program says.
        found: String,
    },
    /// A valid dump was refused, or an invalid one accepted.
    WrongVerdict {
        /// What is right: `accept` or `refuse`.
        expected: String,
        /// What the program did, with its message.
        found: String,
    },
    /// Ended by a signal, or with an exit code other than 0 and 1.
    Crash {
        /// How.
        how: String,
    },
    /// Not ended within the time limit, or writing without end.
    Hang {
        /// Which.
        how: String,
    },
}

impl Outcome {
    /// Whether the case is passed.
    pub fn is_pass(&self) -> bool {
        matches!(self, Outcome::Pass { .. })
    }

    /// The verdict's name, as in the JSON report.
    pub fn name(&self) -> &'static str {
        match self {
            Outcome::Pass { .. } => "pass",
            Outcome::Fail { .. } => "fail",
            Outcome::WrongVerdict { .. } => "wrong-verdict",
            Outcome::Crash { .. } => "crash",
            Outcome::Hang { .. } => "hang",
        }
    }
}

/// Runs a program over cases, one after the other; `done` hears of each.
///
/// # Errors
/// If the program cannot be started or a case cannot be written to the temporary folder.
pub fn check(subject: &Subject, cases: &[Case], mut done: impl FnMut(&CaseResult)) -> Result<Report, Error> {
    let folder = tempfile::tempdir().map_err(|e| Error::io("creating a temporary folder", e))?;
    let mut report = Report { schema: 1, command: subject.command.clone(), cases: Vec::new() };
    for case in cases {
        let result = check_case(subject, case, folder.path())?;
        done(&result);
        report.cases.push(result);
    }
    report.cases.sort_by(|a, b| a.id.cmp(&b.id));
    Ok(report)
}

/// Runs a program over one case, with the dump in `folder`.
///
/// # Errors
/// If the program cannot be started or the dump cannot be written.
pub fn check_case(subject: &Subject, case: &Case, folder: &Path) -> Result<CaseResult, Error> {
    let path = folder.join(case.file());
    let failed = |e| Error::io(format!("writing {}", path.display()), e);
    fs::write(&path, &case.bytes).map_err(failed)?;
    let text = path.to_str().ok_or_else(|| Error::Usage(format!("{} is not Unicode", path.display())))?;
    let command: Vec<String> = subject
        .command
        .iter()
        .map(|part| part.replace("{}", text).replace("{heap}", &case.heap.unwrap_or_default().to_string()))
        .collect();
    let ran = subject::run(&command, subject.limit);
    fs::remove_file(&path).map_err(failed)?;
    let mut ran = ran?;
    if let Ran::Exited { stderr, .. } = &mut ran {
        // Messages name the dump, and the temporary folder has another name in every run.
        *stderr = stderr.replace(text, &case.file());
    }
    Ok(judge(case, ran, subject.limit))
}

fn judge(case: &Case, ran: Ran, limit: Duration) -> CaseResult {
    let result = |outcome, omitted| CaseResult { id: case.id.clone(), outcome, omitted };
    let (code, how, stdout, stderr) = match ran {
        Ran::TimedOut => {
            let how = format!("still running after {} s", limit.as_secs_f32());
            return result(Outcome::Hang { how }, Vec::new());
        }
        Ran::TooMuchOutput => {
            let how = "wrote more than 1 GiB".to_owned();
            return result(Outcome::Hang { how }, Vec::new());
        }
        Ran::Exited { code, how, stdout, stderr } => (code, how, stdout, stderr),
    };
    match code {
        Some(0) => match listing::read(BufReader::new(stdout)) {
            Ok(listing) => {
                let omitted = listing.head.omits.clone();
                result(accepted(case, &listing), omitted)
            }
            Err(e) => {
                let (expected, found) = ("a listing as in specs/listing.md".to_owned(), e.to_string());
                result(Outcome::Fail { facet: None, address: None, expected, found }, Vec::new())
            }
        },
        Some(1) => result(refused(case, &stderr), Vec::new()),
        _ => {
            let how = if stderr.is_empty() { how } else { format!("{how}: {stderr}") };
            result(Outcome::Crash { how }, Vec::new())
        }
    }
}

/// The program read the dump: one of the right answers has to be its listing.
fn accepted(case: &Case, listing: &Listing) -> Outcome {
    let mut first = None;
    for answer in &case.answers {
        if let Answer::Reads(reading, expected) = answer {
            match difference(expected, listing) {
                None => return Outcome::Pass { reading: reading_of(case, reading) },
                Some(outcome) => first = first.or(Some(outcome)),
            }
        }
    }
    first.unwrap_or_else(|| Outcome::WrongVerdict {
        expected: "refuse".to_owned(),
        found: format!("accepted, with {} objects", listing.heap.objects.len()),
    })
}

fn refused(case: &Case, stderr: &str) -> Outcome {
    for answer in &case.answers {
        if let Answer::Refuses(reading) = answer {
            return Outcome::Pass { reading: reading_of(case, reading) };
        }
    }
    let found = if stderr.is_empty() { "refused".to_owned() } else { format!("refused: {stderr}") };
    Outcome::WrongVerdict { expected: "accept".to_owned(), found }
}

fn reading_of(case: &Case, reading: &str) -> Option<String> {
    (case.verdict == Verdict::Ambiguous).then(|| reading.to_owned())
}

/// The first fact in which a listing differs from what is expected, or that it keeps silent about.
fn difference(expected: &Heap, listing: &Listing) -> Option<Outcome> {
    if let Some(owed) = listing.head.omits.iter().find(|facet| !facet.may_be_omitted()) {
        return Some(Outcome::Fail {
            facet: Some(*owed),
            address: None,
            expected: "a facet that every decoder reports".to_owned(),
            found: "declared as omitted".to_owned(),
        });
    }
    let left_out: BTreeSet<Facet> = listing.head.omits.iter().copied().collect();
    let comparison = compare(expected, &listing.heap, &left_out);
    if let Some(wrong) = comparison.differences.into_iter().next() {
        return Some(Outcome::Fail {
            facet: Some(wrong.facet),
            address: wrong.address,
            expected: wrong.left,
            found: wrong.right,
        });
    }
    let silent = comparison.not_compared.into_iter().find(|n| n.why == Side::UnknownRight)?;
    Some(Outcome::Fail {
        facet: Some(silent.facet),
        address: None,
        expected: format!("{}, or \"{}\" among the head's omits", silent.facet, silent.facet),
        found: format!("nothing, {} times", silent.count),
    })
}

/// Random cases: dumps of random heaps in random formats of these families, versions, profiles and widths.
///
/// # Errors
/// If a heap cannot be written, which would be a defect.
pub fn random_cases(count: u64, seed: u64, families: &[Family]) -> Result<Vec<Case>, Error> {
    let mut draw = SeedDraw::new(seed, Stream::Corruption);
    let draw: &mut dyn Draw = &mut draw;
    let formats: Vec<Format> = Format::ALL.into_iter().filter(|f| families.contains(&f.family())).collect();
    let mut cases = Vec::new();
    for index in 0..if formats.is_empty() { 0 } else { count } {
        let format = *draw.pick(&formats);
        let objects = draw.between(1, 120) as usize;
        let drawn = *draw.pick(&[HashRegime::WhereUsed32, HashRegime::Every16]);
        let heap_seed = draw.u64();
        let (lowering, widths) = random_lowering(format, heap_seed, draw)?;
        let (objects, hashes) = match &lowering {
            // One byte numbers 255 things, names and frames among them.
            Lowering::Hprof(options) if options.id_size == Some(IdSize::One) => (objects.min(20), drawn),
            Lowering::Phd(options) => (objects, options.profile.hashes.unwrap_or(drawn)),
            Lowering::Hprof(_) | Lowering::Classic(_) => (objects, drawn),
        };
        let mut heap = from_seed(&lowering.generate_options(objects, Some(hashes)), heap_seed);
        let mut source: &mut dyn HeapSource = &mut heap;
        let expected = lowering.carry(&mut source)?.heaps.remove(0);
        let mut bytes = Vec::new();
        lowering.write(&mut source, &mut bytes)?;
        cases.push(Case {
            id: format!("random-{seed}-{index:06}"),
            summary: format!("{objects} random objects"),
            format,
            heap: None,
            recipe: format!("{objects} objects from seed {heap_seed}, {format}, {}, {widths}", lowering.profile()),
            bytes,
            verdict: Verdict::Valid,
            keeps: Vec::new(),
            breaks: None,
            shows: Vec::new(),
            records_due: (expected.classes.len() + expected.objects.len()) as u64,
            answers: vec![Answer::Reads("as written", Box::new(expected))],
        });
    }
    Ok(cases)
}

/// A random writer of a format, and its widths in words.
fn random_lowering(format: Format, seed: u64, draw: &mut dyn Draw) -> Result<(Lowering, String), Error> {
    let word = *draw.pick(&[WordSize::Bits32, WordSize::Bits64]);
    let id_size = *draw.pick(&IdSize::ALL);
    let profiles: Vec<&'static str> = match format {
        Format::Phd(version) => {
            // What readers expect: the trap is no part of it.
            let written = phd::lower::PROFILES.iter().filter(|p| p.versions.contains(&version));
            written.filter(|p| p.array_fields == FieldSwap::LengthFirst).map(|p| p.name).collect()
        }
        Format::Hprof => hprof::PROFILES.iter().map(|p| p.name).collect(),
        Format::Classic => classic::PROFILES.iter().map(|p| p.name).collect(),
    };
    let profile = *draw.pick(&profiles);
    let wishes = Wishes { profile: Some(profile.to_owned()), seed, ..Wishes::default() };
    Ok(match format {
        Format::Phd(_) | Format::Classic => {
            let lowering = Lowering::new(format, &Wishes { word: Some(word), ..wishes })?;
            (lowering, format!("{} bits", word.bits()))
        }
        Format::Hprof => {
            // Real writers have identifiers of 4 or 8 bytes, some of one size alone.
            let profile = hprof::PROFILES.iter().find(|p| p.name == profile);
            let id_size = match profile {
                Some(profile) if profile.id_size.is_some() => None,
                Some(profile) if !profile.is_seeded() && id_size < IdSize::Four => Some(IdSize::Four),
                _ => Some(id_size),
            };
            let widths = id_size.map_or("identifiers of its own size".to_owned(), |size| {
                format!("identifiers of {} bytes", size.bytes())
            });
            (Lowering::new(format, &Wishes { id_size, ..wishes })?, widths)
        }
    })
}
