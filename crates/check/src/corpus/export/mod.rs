//! The corpus for tests that run without heapsmith: files that are named by their cases, and a manifest with their digests and
//! everything else.

mod add;
mod analysis;
mod case_bytes;
mod heap_source;
mod manifest;
mod rebuild;
mod selection;
mod stored_files;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use schemars::{Schema, schema_for};

use heapsmith_core::answers::{Answers, EntryFacts};
use heapsmith_core::compare::listing;
use heapsmith_core::error::Error;
use heapsmith_core::format::{DumpFile, Family, ListedPart};
use heapsmith_core::hprof::ReadOptions;
use heapsmith_core::input::Input;
use heapsmith_core::owned::SharedFolder;
use heapsmith_core::validate::rulebook;

use super::on_disk::{self, MANIFEST};
use super::{Case, ManifestCase, RightAnswer, cases, conversion_pairs};

use stored_files::{ExportFolder, StoredFiles};

pub use add::{AddOutcome, Addition, add};
pub use heap_source::{BuiltCase, HeapFileSource};
pub use manifest::{
    Export, ExportAnalysis, ExportAnswer, ExportBytes, ExportCase, ExportFile, ExportRule, ExportSource, HeapFileBuild,
};
pub use rebuild::{rebuild, verify_export};
pub use selection::ExportSelection;

/// Version of the manifest's schema.
const SCHEMA: u32 = 7;
const README: &str = include_str!("readme.md");
/// Every version of the corpus, each with the cases that it added or changed; the last one is that of this program.
const VERSIONS: &str = include_str!("versions.txt");
/// The paths of the schemas in an export; before version 5 of the manifest's schema there were only the first three.
const SCHEMA_PATHS: [&str; 5] = [
    "schemas/golden.schema.json",
    "schemas/listing-head.schema.json",
    "schemas/listing-line.schema.json",
    "schemas/answers.schema.json",
    "schemas/answers-entry.schema.json",
];

/// The version of the corpus: major, minor and patch.
pub fn version() -> &'static str {
    VERSIONS.lines().rfind(|line| !line.contains(' ')).unwrap_or_default()
}

/// Writes the chosen cases into a folder that is new or empty, or has an export already, which is replaced.
///
/// # Errors
/// If there is no such format, tag or rule, or no case has all that is chosen; if the folder holds something else, or a file in
/// the place of a new one, or cases of [`add()`]: nothing is changed then. If another command works in the folder, or writing fails.
pub fn export(folder: &Path, selection: &ExportSelection) -> Result<usize, Error> {
    selection.check()?;
    let mut chosen = cases()?;
    chosen.retain(|case| selection.matches(case));
    if chosen.is_empty() {
        let text = selection.to_options().join(" ");
        return Err(Error::Usage(format!("no case has all that is chosen ({text}); leave an option out")));
    }
    let made = |folder: &SharedFolder| {
        add::refuse_own(folder)?;
        export_files(&chosen, selection)
    };
    on_disk::replace_with(folder, listed_files, made, &mut |_| {})?;
    Ok(chosen.len())
}

/// Every file of the export; the manifest is the last.
fn export_files(cases: &[Case], selection: &ExportSelection) -> Result<Vec<(String, Vec<u8>)>, Error> {
    let mut stored = StoredFiles::default();
    let mut rules = BTreeSet::new();
    let mut entries = Vec::new();
    for case in cases {
        entries.push(export_case(case, selection.has_analysis, &mut stored, &mut rules)?);
    }
    let chosen: BTreeSet<&str> = cases.iter().map(|case| case.id.as_str()).collect();
    let mut conversions = conversion_pairs()?;
    conversions.retain(|pair| [&pair.input, &pair.output].iter().all(|id| chosen.contains(id.as_str())));
    let export = Export {
        schema: SCHEMA,
        corpus: version().to_owned(),
        chosen: selection.to_options(),
        cases: entries,
        conversions,
        rules: rules.into_iter().filter_map(|id| Some((id.to_owned(), export_rule(id)?))).collect(),
    };
    with_manifest(stored, &export, README.replace("VERSION", version()))
}

/// Adds the schemas, the README and the manifest to these files; the manifest is the last.
fn with_manifest(stored: StoredFiles, export: &Export, readme: String) -> Result<Vec<(String, Vec<u8>)>, Error> {
    let text = serde_json::to_string(export).map_err(|e| Error::io("writing the manifest", e.into()))?;
    let fixed = SCHEMA_PATHS.map(str::to_owned).into_iter().zip(schema_texts()?);
    let made = stored.into_files().chain(fixed).chain([("README.md".to_owned(), readme.into_bytes())]);
    Ok(made.chain([(MANIFEST.to_owned(), (text + "\n").into_bytes())]).collect())
}

/// The schemas that an export has, as `heapsmith schema` prints them: each stands alone.
fn schema_texts() -> Result<[Vec<u8>; 5], Error> {
    let text = |schema: Schema| -> Result<Vec<u8>, Error> {
        let text = serde_json::to_string_pretty(&schema).map_err(|e| Error::io("writing a schema", e.into()))?;
        Ok((text + "\n").into_bytes())
    };
    let head = schema_for!(listing::Keyed<'_, listing::ListingHead>);
    let line = schema_for!(listing::ListingLine<'_>);
    let (whole, entry) = (schema_for!(Answers), schema_for!(EntryFacts));
    Ok([text(schema_for!(Export))?, text(head)?, text(line)?, text(whole)?, text(entry)?])
}

/// The entry of a case; its files and the rules that it names are added to the others.
fn export_case(
    case: &Case,
    has_analysis: bool,
    stored: &mut StoredFiles,
    rules: &mut BTreeSet<&'static str>,
) -> Result<ExportCase, Error> {
    let of_corpus = ManifestCase::from_case(case);
    let mut made = on_disk::case_files(case)?.into_iter();
    let bytes = made.next().map(|(_, bytes)| bytes).unwrap_or_default();
    let dump = stored.insert(ExportFolder::Dumps, &case.file(), bytes)?;
    let mut answers = Vec::new();
    for (index, answer) in case.answers.iter().enumerate() {
        let (RightAnswer::Reads(reading, _) | RightAnswer::Refuses(reading)) = answer;
        let mut exported = ExportAnswer { reading: (*reading).to_owned(), listing: None, analysis: None };
        if let RightAnswer::Reads(_, heap) = answer {
            let (name, text) = (case.listing_file(index), made.next().map(|(_, text)| text).unwrap_or_default());
            exported.listing = Some(stored.insert(ExportFolder::Listings, &name, text)?);
            if has_analysis {
                exported.analysis = Some(ExportAnalysis::from_heap(&mut &**heap, &name, stored)?);
            }
        }
        answers.push(exported);
    }
    let (records, relies) = record_bytes(&case.id, &case.bytes, rules)?;
    rules.extend(case.keeps.iter().chain(&case.shows).copied().chain(case.breaks.map(|(rule, _)| rule)));
    Ok(ExportCase {
        id: case.id.clone(),
        summary: case.summary.clone(),
        format: of_corpus.format,
        tags: case.tags().map(str::to_owned).collect(),
        heap: case.heap,
        dump,
        source: None,
        verdict: of_corpus.verdict,
        answers,
        about: of_corpus.rules,
        finding: of_corpus.finding,
        records_due: case.records_due,
        records,
        relies,
    })
}

type RelianceBytes = BTreeMap<String, Vec<ExportBytes>>;

/// The bytes of classes and objects, and the bytes that rely on each rule: as far as the dump can be read.
fn record_bytes(
    name: &str,
    dump: &[u8],
    rules: &mut BTreeSet<&'static str>,
) -> Result<(Vec<ExportBytes>, RelianceBytes), Error> {
    let (mut records, mut relies) = (Vec::new(), RelianceBytes::new());
    // A dump that is damaged at its start has nothing to show.
    let Ok(file) = DumpFile::new(Input::from_memory(name, dump.to_vec()), ReadOptions::default()) else {
        return Ok((records, relies));
    };
    let _as_far_as_readable = file.records().and_then(|all| {
        all.list(&mut |listed| {
            if let ListedPart::Record(line) = listed {
                records.extend(line.address.map(|of| ExportBytes(Some(of), line.offset, line.length)));
            }
            Ok(())
        })
    });
    for reliance in file.reliances()? {
        rules.insert(reliance.rule.0);
        let of = reliance.of.map(|address| format!("{:#x}", address.0));
        let bytes = ExportBytes(of, reliance.offset, reliance.length);
        relies.entry(reliance.rule.0.to_owned()).or_default().push(bytes);
    }
    Ok((records, relies))
}

fn export_rule(id: &str) -> Option<ExportRule> {
    let (book, rule) = Family::ALL.into_iter().map(rulebook).find_map(|book| Some((book, book.rule(id)?)))?;
    Some(ExportRule {
        statement: rule.statement.to_owned(),
        facets: rule.facets.iter().map(|facet| (*facet).to_owned()).collect(),
        sources: book.citations(rule).iter().map(ToString::to_string).collect(),
    })
}

/// Whether a folder holds cases of `corpus export` or `corpus add`.
pub fn is_export(folder: &Path) -> bool {
    SharedFolder::open(folder).and_then(|folder| read_manifest(&folder)).is_ok_and(|found| found.is_some())
}

/// The files of an export in a folder: those that its manifest lists, and the fixed ones; `None` if there is no export.
fn listed_files(folder: &SharedFolder) -> Result<Option<BTreeSet<String>>, Error> {
    let Some(export) = read_manifest(folder)? else { return Ok(None) };
    let schemas = &SCHEMA_PATHS[..if export.schema < 5 { 3 } else { SCHEMA_PATHS.len() }];
    let files = export.cases.iter().flat_map(ExportCase::files).map(|file| file.path.as_str());
    Ok(Some(files.chain(schemas.iter().copied()).chain(["README.md", MANIFEST]).map(str::to_owned).collect()))
}

/// The manifest of an export in a folder; `None` if there is none.
fn read_manifest(folder: &SharedFolder) -> Result<Option<Export>, Error> {
    let text = folder.read(MANIFEST)?;
    let export = text.and_then(|text| serde_json::from_slice::<Export>(&text).ok());
    Ok(export.filter(|export| (1..=SCHEMA).contains(&export.schema)))
}
