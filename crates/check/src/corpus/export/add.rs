//! Cases of a user's own, in the form of an export.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::corpus::manifest::{ManifestFinding, ManifestRules};
use crate::corpus::on_disk::{self, MANIFEST};
use heapsmith_core::compare::{CompareOptions, compare_sources};
use heapsmith_core::convert::Unwritten;
use heapsmith_core::error::Error;
use heapsmith_core::family::case::CaseVerdict;
use heapsmith_core::format::{DumpFile, OpenedHeap};
use heapsmith_core::hprof::ReadOptions;
use heapsmith_core::input::Input;
use heapsmith_core::owned::{ListedFile, SharedFolder};
use heapsmith_core::validate::{Severity, ValidateOptions, ValidationReport, validate};

use super::case_bytes::read_whole;
use super::heap_source::{BuiltCase, HeapFileSource};
use super::manifest::{Export, ExportAnalysis, ExportAnswer, ExportCase, ExportFile, ExportRule};
use super::stored_files::{ExportFolder, StoredFiles};
use super::{README, SCHEMA, export_rule, listed_files, read_manifest, record_bytes, selection, with_manifest};

/// A dump with the answer that is right.
#[derive(Clone, Debug)]
pub struct Addition {
    /// The dump.
    pub dump: Input,
    /// The case's id, by which its files are named: small letters, digits, hyphens and dots, a letter or digit first; at most 100
    /// characters.
    pub id: String,
    /// A summary in a line.
    pub summary: String,
    /// The heap of the dump that the answer describes, from 0; `None` if the dump has only one.
    pub heap: Option<usize>,
    /// The heap as a listing; `None` if the dump has to be refused.
    pub listing: Option<Input>,
    /// Whether what an analyser should find in the heap is added, too.
    pub has_analysis: bool,
    /// The heap file of which the dump and the listing were built, if they were.
    pub source: Option<HeapFileSource>,
}

impl Addition {
    /// The addition of a dump that is built of a heap file, and the facts of the file that such a dump does not record. The answer
    /// is the heap, or that the dump has to be refused.
    ///
    /// # Errors
    /// Like [`HeapFileSource::build`].
    pub fn from_heap_file(
        source: HeapFileSource,
        id: String,
        summary: String,
        is_refused: bool,
    ) -> Result<(Addition, Unwritten), Error> {
        let BuiltCase { dump, listing, unwritten } = source.build()?;
        let in_memory = |bytes| Input::from_memory(&source.name, bytes);
        let (dump, listing) = (in_memory(dump), (!is_refused).then(|| in_memory(listing)));
        let addition = Addition { dump, id, summary, heap: None, listing, has_analysis: false, source: Some(source) };
        Ok((addition, unwritten))
    }
}

/// The outcome of an addition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AddOutcome {
    /// The case was added; there are this many now.
    Cases(usize),
    /// The answer contradicts the format's rules, for this reason.
    Disagrees(String),
}

/// Adds a case to a folder that is new or empty, or has such cases already. The answer is checked first: a listing
/// against the dump, a refusal against the rules of the format.
///
/// # Errors
/// If the dump or the listing cannot be read; if the folder has a case of the same id, cases of heapsmith's corpus, or something
/// else: nothing is changed then. If another command works in the folder, or writing fails.
pub fn add(folder: &Path, addition: &Addition) -> Result<AddOutcome, Error> {
    check_id(&addition.id)?;
    let checked = match CheckedAddition::new(addition)? {
        Ok(checked) => checked,
        Err(why) => return Ok(AddOutcome::Disagrees(why)),
    };
    let mut count = 0;
    let files = |folder: &SharedFolder| {
        let mut stored = StoredFiles::default();
        let mut export = existing_export(folder, &mut stored)?;
        if export.cases.iter().any(|case| case.id == addition.id) {
            let (id, folder) = (&addition.id, folder.path().display());
            return Err(Error::Usage(format!("{folder} has a case {id} already; name another id with --id")));
        }
        let case = checked.into_case(&mut stored, &mut export.rules)?;
        export.cases.push(case);
        export.cases.sort_by(|a, b| a.id.cmp(&b.id));
        count = export.cases.len();
        with_own_manifest(stored, &export)
    };
    on_disk::replace_with(folder, listed_files, files, &mut |_| {})?;
    Ok(AddOutcome::Cases(count))
}

/// Adds the schemas, the README of such a folder and the manifest to these files.
pub(super) fn with_own_manifest(stored: StoredFiles, export: &Export) -> Result<Vec<(String, Vec<u8>)>, Error> {
    let text = README.split_once("\n## Versions").map_or(README, |(text, _)| text);
    let text = text.split_once("\n| file | what |").map_or(text, |(_, rest)| rest);
    with_manifest(stored, export, format!("{HEAD}\n| file | what |{text}\n"))
}

/// The beginning of the README of such a folder.
const HEAD: &str = "# Heap dumps of our own\n\nJVM heap dumps, each with the answer that is right, for tests of parsers in any \
                    language. `heapsmith corpus add`\nadds one; no program of heapsmith is needed to use them.\n";
/// The value of `corpus` in such a manifest.
pub(super) const OWN: &str = "own";
/// The longest id. File systems take names of 255 bytes, and each file's ending is part of its name.
const LONGEST_ID: usize = 100;

/// Refuses an id that not every system takes for a file's name.
fn check_id(id: &str) -> Result<(), Error> {
    let is_taken = |b: u8| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.');
    let starts_well = id.bytes().next().is_some_and(|first| first.is_ascii_alphanumeric());
    if starts_well && id.bytes().all(is_taken) && id.len() <= LONGEST_ID {
        return Ok(());
    }
    Err(Error::Usage(format!(
        "the id {id:?}: expected small letters, digits, hyphens and dots, a letter or digit first, and at most {LONGEST_ID} of \
         them; name another with --id"
    )))
}

/// The reason why a listing is not the heap of a dump, if it is not.
fn listing_mismatch(
    dump: &Input,
    heap: Option<usize>,
    listing: &Input,
    report: &ValidationReport,
) -> Result<Option<String>, Error> {
    if let Some(finding) = report.findings.iter().find(|finding| finding.severity == Severity::Error) {
        let (name, at) = (dump.name(), finding.offset);
        return Ok(Some(format!(
            "{name}: offset {at:#x}: expected {}, found {} [{}]; a dump that breaks a rule is added with --refused",
            finding.expected, finding.found, finding.rule
        )));
    }
    let mut left = OpenedHeap::open(listing.clone(), None, ReadOptions::default())?;
    if !matches!(left, OpenedHeap::Listing(_)) {
        let name = listing.name();
        return Err(Error::Usage(format!(
            "{name} is a dump, where a listing is expected; `heapsmith decode` prints one"
        )));
    }
    let mut right = OpenedHeap::open(dump.clone(), heap, ReadOptions::default())?;
    let omits = left.omits().iter().copied().filter(|facet| facet.is_omittable()).collect();
    let options = CompareOptions::default().left_out(omits);
    let comparison = compare_sources(left.source(), right.source(), &options)?;
    Ok(comparison.differences.first().map(|first| {
        let at = first.address.as_deref().map(|at| format!(" at {at}")).unwrap_or_default();
        let (listing, dump) = (listing.name(), dump.name());
        format!(
            "{listing} is not the heap of {dump}: {}{at}: the listing has {}, the dump {}; `heapsmith compare` shows all \
             differences",
            first.facet, first.left, first.right
        )
    }))
}

/// The cases that the folder has, with their files.
fn existing_export(folder: &SharedFolder, stored: &mut StoredFiles) -> Result<Export, Error> {
    let empty = Export {
        schema: SCHEMA,
        corpus: OWN.to_owned(),
        chosen: Vec::new(),
        cases: Vec::new(),
        conversions: Vec::new(),
        rules: BTreeMap::new(),
    };
    let Some(export) = read_manifest(folder)? else { return Ok(empty) };
    if export.corpus != OWN {
        return Err(Error::Usage(format!(
            "{} holds cases of `corpus export`, which replaces all of them; name another folder",
            folder.path().display()
        )));
    }
    for case in &export.cases {
        keep_files(folder, case, stored)?;
    }
    Ok(Export { schema: SCHEMA, ..export })
}

/// Keeps the files of a case; those of an older version have the names that they had.
pub(super) fn keep_files(folder: &SharedFolder, case: &ExportCase, stored: &mut StoredFiles) -> Result<(), Error> {
    for file in case.files() {
        stored.keep(&file.path, read_file(folder, case, file)?);
    }
    Ok(())
}

/// The bytes of a file of a case, if they are those of the manifest.
pub(super) fn read_file(folder: &SharedFolder, case: &ExportCase, file: &ExportFile) -> Result<Vec<u8>, Error> {
    let listed_in = format!("{}, case {:?}", folder.name_of(MANIFEST), case.id);
    folder.read_listed(&ListedFile { path: &file.path, length: file.size, sha256: &file.sha256, listed_in: &listed_in })
}

/// Refuses a folder with such cases, where an export would replace them.
pub(super) fn refuse_own(folder: &SharedFolder) -> Result<(), Error> {
    if read_manifest(folder)?.is_none_or(|export| export.corpus != OWN) {
        return Ok(());
    }
    Err(Error::Usage(format!(
        "{} holds cases of `corpus add`, which an export does not replace; name another folder",
        folder.path().display()
    )))
}

/// An addition whose answer is right.
pub(super) struct CheckedAddition<'a> {
    addition: &'a Addition,
    dump: Vec<u8>,
    /// The dump again.
    input: Input,
    report: ValidationReport,
}

impl<'a> CheckedAddition<'a> {
    /// Checks the answer: a listing against the dump, a refusal against the rules of the format. If it is not right, the reason.
    ///
    /// # Errors
    /// If the dump or the listing cannot be read.
    pub(super) fn new(addition: &'a Addition) -> Result<Result<CheckedAddition<'a>, String>, Error> {
        let (dump, name) = (read_whole(&addition.dump)?, addition.dump.name());
        let input = Input::from_memory(name, dump.clone());
        let report = validate(&input, ValidateOptions::default())?;
        let why = match &addition.listing {
            Some(listing) => listing_mismatch(&input, addition.heap, listing, &report)?,
            None => {
                report.valid.then(|| format!("{name} keeps all rules of its format, so that it need not be refused"))
            }
        };
        Ok(why.map_or(Ok(CheckedAddition { addition, dump, input, report }), Err))
    }

    /// The case; its files and the rules that it names are added to the others.
    ///
    /// # Errors
    /// If the dump or the listing cannot be read, or a file of another case has the name of one of these.
    pub(super) fn into_case(
        self,
        stored: &mut StoredFiles,
        rules: &mut BTreeMap<String, ExportRule>,
    ) -> Result<ExportCase, Error> {
        let CheckedAddition { addition, dump, input, report } = self;
        let file = DumpFile::new(input.clone(), ReadOptions::default())?;
        // What has no readable header is of some version: the newest.
        let newest = || file.family().formats().last();
        let format = file.format().ok().or_else(newest).map(|format| (format.to_string(), format.suffix()));
        let (format, suffix) = format.unwrap_or_default();
        let is_compressed = input.is_compressed();
        let suffix = if is_compressed { format!("{suffix}.gz") } else { suffix };
        let finding = report.findings.iter().find(|finding| finding.severity == Severity::Error);
        let verdict = if addition.listing.is_some() { CaseVerdict::Valid } else { CaseVerdict::Invalid };
        let mut named: BTreeSet<&'static str> = finding.map(|finding| finding.rule.0).into_iter().collect();
        let (records, relies) = record_bytes(input.name(), &dump, &mut named)?;
        rules.extend(named.into_iter().filter_map(|id| Some((id.to_owned(), export_rule(id)?))));
        let name = format!("{}.jsonl", addition.id);
        let mut answer = ExportAnswer { reading: "as given".to_owned(), listing: None, analysis: None };
        if let Some(listing) = &addition.listing {
            answer.listing = Some(stored.insert(ExportFolder::Listings, &name, read_whole(listing)?)?);
            if addition.has_analysis {
                let mut heap = OpenedHeap::open(input.clone(), addition.heap, ReadOptions::default())?;
                answer.analysis = Some(ExportAnalysis::from_heap(heap.source(), &name, stored)?);
            }
        }
        Ok(ExportCase {
            id: addition.id.clone(),
            summary: addition.summary.clone(),
            format,
            tags: selection::tags_of(selection::OWN, verdict, is_compressed, addition.heap.is_some()),
            heap: addition.heap.map(|heap| heap as u64),
            dump: stored.insert(ExportFolder::Dumps, &format!("{}.{suffix}", addition.id), dump)?,
            source: addition.source.as_ref().map(|source| source.store(&addition.id, stored)).transpose()?,
            verdict: verdict.name().to_owned(),
            answers: vec![answer],
            about: ManifestRules {
                keeps: Vec::new(),
                breaks: finding.map(|finding| finding.rule.0.to_owned()).into_iter().collect(),
                shows: Vec::new(),
            },
            finding: finding.map(|finding| ManifestFinding {
                rule: finding.rule.0.to_owned(),
                severity: finding.severity,
                offset: finding.offset,
            }),
            records_due: report.sound.records,
            records,
            relies,
        })
    }
}
