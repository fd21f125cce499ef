//! The corpus on disk: written by `bless`, checked by `verify`.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::Path;

use sha2::{Digest, Sha256};

use crate::classic;
use crate::compare::listing::{self, Places};
use crate::compare::{Comparison, compare};
use crate::error::Error;
use crate::format::{DumpFile, Family};
use crate::hprof::Reading;
use crate::input::Input;
use crate::model::Heap;
use crate::output::Output;
use crate::phd;
use crate::validate::{Finding, Severity, ValidateOptions, severity, validate};

use super::cases::{Answer, Case, Verdict, cases};
use super::manifest::{Manifest, ManifestAnswer, ManifestCase, ManifestFinding, ManifestRules};
use super::recipes::recipes;

/// Something about a case that is not as it should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trouble {
    /// The case, or the manifest.
    pub case: String,
    /// What is wrong.
    pub message: String,
}

/// Checks the corpus in a folder: files against recipes, expectations against heapsmith's own decoder
/// and validator. Returns the number of cases and what is wrong.
///
/// # Errors
/// If the folder cannot be read.
pub fn verify(folder: &Path) -> Result<(usize, Vec<Trouble>), Error> {
    let cases = cases()?;
    let mut troubles = Vec::new();
    let mut trouble = |case: &str, message: String| troubles.push(Trouble { case: case.to_owned(), message });
    let path = folder.join("manifest.json");
    let text = fs::read_to_string(&path).map_err(|e| Error::io(format!("reading {}", path.display()), e))?;
    if text != manifest_text(&cases)? {
        trouble("manifest.json", "differs from the recipes".to_owned());
    }
    let mut known = BTreeSet::new();
    for case in &cases {
        for (file, expected) in files(case)? {
            match fs::read(folder.join(&file)) {
                Ok(found) if found == expected => {}
                Ok(_) => trouble(&case.id, format!("{file} differs from its recipe")),
                Err(e) => trouble(&case.id, format!("{file}: {e}")),
            }
            known.insert(folder.join(&file));
        }
        for message in case.judge()? {
            trouble(&case.id, message);
        }
    }
    for shelf in Family::ALL.map(|family| folder.join(family.name())) {
        let entries = fs::read_dir(&shelf).map_err(|e| Error::io(format!("reading {}", shelf.display()), e))?;
        for entry in entries {
            let path = entry.map_err(|e| Error::io(format!("reading {}", shelf.display()), e))?.path();
            if !known.contains(&path) {
                trouble("corpus", format!("{} belongs to no case", path.display()));
            }
        }
    }
    Ok((cases.len(), troubles))
}

/// Writes every file of the corpus and the manifest, and removes files that belong to no case.
///
/// # Errors
/// If a case is not judged as it expects, or writing fails.
pub fn bless(folder: &Path) -> Result<usize, Error> {
    let cases = cases()?;
    let mut wrong = Vec::new();
    for case in &cases {
        wrong.extend(case.judge()?.into_iter().map(|message| format!("{}: {message}", case.id)));
    }
    if !wrong.is_empty() {
        wrong.push("a corpus is blessed only when every case holds".to_owned());
        return Err(Error::Usage(wrong.join("\n")));
    }
    for shelf in Family::ALL.map(|family| folder.join(family.name())) {
        let failed = |e| Error::io(format!("writing {}", shelf.display()), e);
        if shelf.exists() {
            fs::remove_dir_all(&shelf).map_err(failed)?;
        }
        fs::create_dir_all(&shelf).map_err(failed)?;
    }
    let put = |name: &str, bytes: &[u8]| {
        let path = folder.join(name);
        let mut output = Output::create(&path, true)?;
        output.write_all(bytes).map_err(|e| Error::io(format!("writing {}", path.display()), e))?;
        output.finish()
    };
    for case in &cases {
        for (file, bytes) in files(case)? {
            put(&file, &bytes)?;
        }
    }
    put("manifest.json", manifest_text(&cases)?.as_bytes())?;
    Ok(cases.len())
}

impl Case {
    /// What heapsmith's own decoder and validator have against the case's expectations.
    ///
    /// # Errors
    /// If the dump in memory cannot be read, which is a defect.
    pub fn judge(&self) -> Result<Vec<String>, Error> {
        let mut messages = Vec::new();
        let input = Input::memory(&self.id, self.bytes.clone());
        let report = validate(&input, ValidateOptions::default())?;
        if report.valid != matches!(self.answers.first(), Some(Answer::Reads(..))) {
            messages.push(format!("expected verdict {}, validate says {:?}", self.verdict.name(), report.findings));
        }
        if let Some((rule, offset)) = self.breaks
            && !report.findings.iter().any(|f| f.rule.0 == rule && f.offset == offset)
        {
            messages.push(format!("expected {rule} at {offset:#x}, validate says {:?}", report.findings));
        }
        // A PHD "keeps" what a note is about, too: there it has no other side.
        let is_kept = |f: &&Finding| self.format.family() != Family::Phd && self.keeps.contains(&f.rule.0);
        if let Some(broken) = report.findings.iter().find(is_kept) {
            messages.push(format!("to be kept, and broken: {broken:?}"));
        }
        // A warning besides the one that the case is about would blur what it tests. Only references, class words and
        // types may lead nowhere in any case: a small dump need not hold all that it names.
        let dangles = [
            phd::rules::GRAPH_DANGLING_REFERENCE,
            phd::rules::GRAPH_CLASS_WORD,
            classic::rules::GRAPH_DANGLING_REFERENCE,
            classic::rules::GRAPH_TYPE,
        ];
        let other = report.findings.iter().find(|f| {
            let own = self.breaks.is_some_and(|(rule, _)| rule == f.rule.0);
            f.severity > Severity::Note && !own && !dangles.contains(&f.rule)
        });
        if let Some(other) = other.filter(|_| self.verdict == Verdict::Valid) {
            messages.push(format!("unexpected finding {other:?}"));
        }
        if report.findings.iter().any(|f| f.fatal) && report.sound.records != self.records_due {
            messages.push(format!("expected {} sound records, found {}", self.records_due, report.sound.records));
        }
        if let Some(Answer::Reads(reading, expected)) = self.answers.first() {
            let comparison = self.decode(&input).map(|heap| strictly(expected, &heap));
            match comparison {
                Ok(comparison) if comparison.equal && comparison.not_compared.is_empty() => {}
                Ok(comparison) => messages.push(format!("{reading}: {comparison:?}")),
                Err(e) => messages.push(format!("{reading}: {e}")),
            }
        }
        Ok(messages)
    }

    fn decode(&self, input: &Input) -> Result<Heap, Error> {
        let whole = DumpFile::new(input.clone(), Reading::default())?.read()?;
        match whole.ended {
            Err(e) if !e.is_missing_end() => Err(e.into()),
            _ => {
                let heap = whole.dump.heaps.into_iter().nth(self.heap.unwrap_or_default() as usize);
                heap.ok_or_else(|| Error::Usage(format!("{} has no heap {:?}", self.id, self.heap)))
            }
        }
    }

    /// The manifest's entry.
    ///
    /// # Errors
    /// Never in practice: listings in memory can be written.
    pub fn manifest(&self) -> ManifestCase {
        let strings = |ids: &[&str]| ids.iter().map(|id| (*id).to_owned()).collect::<Vec<String>>();
        ManifestCase {
            id: self.id.clone(),
            summary: self.summary.clone(),
            format: self.format.to_string(),
            heap: self.heap,
            file: format!("{}/{}", self.shelf(), self.file()),
            size: self.bytes.len() as u64,
            sha256: Sha256::digest(&self.bytes).iter().map(|b| format!("{b:02x}")).collect(),
            recipe: self.recipe.clone(),
            verdict: self.verdict.name().to_owned(),
            rules: ManifestRules {
                keeps: strings(&self.keeps),
                breaks: self.breaks.iter().map(|(rule, _)| (*rule).to_owned()).collect(),
                shows: strings(&self.shows),
            },
            finding: self.breaks.map(|(rule, offset)| {
                let severity = severity(crate::error::RuleId(rule));
                ManifestFinding { rule: rule.to_owned(), severity, offset }
            }),
            records_due: self.records_due,
            answers: self
                .answers
                .iter()
                .enumerate()
                .map(|(index, answer)| match answer {
                    Answer::Reads(reading, _) => ManifestAnswer {
                        reading: (*reading).to_owned(),
                        listing: Some(format!("{}/{}", self.shelf(), self.listing_file(index))),
                    },
                    Answer::Refuses(reading) => ManifestAnswer { reading: (*reading).to_owned(), listing: None },
                })
                .collect(),
        }
    }
}

/// Compares with nothing left out; what either side does not tell counts too.
fn strictly(expected: &Heap, found: &Heap) -> Comparison {
    compare(expected, found, &BTreeSet::new())
}

/// The files of a case, relative to the corpus: the dump and the expected listings.
fn files(case: &Case) -> Result<Vec<(String, Vec<u8>)>, Error> {
    let mut files = vec![(format!("{}/{}", case.shelf(), case.file()), case.bytes.clone())];
    for (index, answer) in case.answers.iter().enumerate() {
        if let Answer::Reads(_, heap) = answer {
            let mut text = Vec::new();
            let mut head = listing::head(heap);
            head.format = Some(case.format.to_string());
            head.heap = case.heap;
            listing::write(&mut text, &head, heap, &Places::of_order(heap))?;
            files.push((format!("{}/{}", case.shelf(), case.listing_file(index)), text));
        }
    }
    Ok(files)
}

fn manifest_text(cases: &[Case]) -> Result<String, Error> {
    let manifest = Manifest { schema: 1, cases: cases.iter().map(Case::manifest).collect(), recipes: recipes() };
    let text = serde_json::to_string_pretty(&manifest).map_err(|e| Error::io("writing the manifest", e.into()))?;
    Ok(text + "\n")
}
