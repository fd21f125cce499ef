//! The corpus for tests that run without heapsmith: files that are named by their digests, and a manifest with
//! everything else.

mod add;
mod manifest;
mod selection;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use schemars::{Schema, schema_for};
use sha2::{Digest, Sha256};

use heapsmith_core::bytes::hexadecimal;
use heapsmith_core::compare::listing;
use heapsmith_core::error::Error;
use heapsmith_core::format::{DumpFile, Family, ListedPart};
use heapsmith_core::hprof::ReadOptions;
use heapsmith_core::input::Input;
use heapsmith_core::owned::SharedFolder;
use heapsmith_core::validate::rulebook;

use super::on_disk::{self, MANIFEST};
use super::{Case, ManifestCase, RightAnswer, cases, conversion_pairs};

pub use add::{AddOutcome, Addition, add};
pub use manifest::{Export, ExportAnswer, ExportBytes, ExportCase, ExportFile, ExportRule};
pub use selection::ExportSelection;

/// Version of the manifest's schema.
const SCHEMA: u32 = 4;
const README: &str = include_str!("readme.md");
/// Every version of the corpus, each with the cases that it added or changed; the last one is that of this program.
const VERSIONS: &str = include_str!("versions.txt");
/// The paths of the schemas in an export.
const SCHEMA_PATHS: [&str; 3] =
    ["schemas/golden.schema.json", "schemas/listing-head.schema.json", "schemas/listing-line.schema.json"];

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
        entries.push(export_case(case, &mut stored, &mut rules)?);
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

/// Dumps and listings, by their paths.
#[derive(Default)]
struct StoredFiles(BTreeMap<String, Vec<u8>>);

impl StoredFiles {
    /// Adds a file under the name of its digest.
    fn insert(&mut self, folder: &str, suffix: &str, bytes: Vec<u8>) -> ExportFile {
        let sha256 = sha256(&bytes);
        let file = ExportFile { path: format!("{folder}/{sha256}.{suffix}"), size: bytes.len() as u64, sha256 };
        self.0.insert(file.path.clone(), bytes);
        file
    }
}

fn sha256(bytes: &[u8]) -> String {
    hexadecimal(&Sha256::digest(bytes))
}

/// Adds the schemas, the README and the manifest to these files; the manifest is the last.
fn with_manifest(stored: StoredFiles, export: &Export, readme: String) -> Result<Vec<(String, Vec<u8>)>, Error> {
    let text = serde_json::to_string(export).map_err(|e| Error::io("writing the manifest", e.into()))?;
    let fixed = SCHEMA_PATHS.map(str::to_owned).into_iter().zip(schema_texts()?);
    let made = stored.0.into_iter().chain(fixed).chain([("README.md".to_owned(), readme.into_bytes())]);
    Ok(made.chain([(MANIFEST.to_owned(), (text + "\n").into_bytes())]).collect())
}

/// The schemas that an export has, as `heapsmith schema` prints them: each stands alone.
fn schema_texts() -> Result<[Vec<u8>; 3], Error> {
    let text = |schema: Schema| -> Result<Vec<u8>, Error> {
        let text = serde_json::to_string_pretty(&schema).map_err(|e| Error::io("writing a schema", e.into()))?;
        Ok((text + "\n").into_bytes())
    };
    let head = schema_for!(listing::Keyed<'_, listing::ListingHead>);
    Ok([text(schema_for!(Export))?, text(head)?, text(schema_for!(listing::ListingLine<'_>))?])
}

/// The entry of a case; its files and the rules that it names are added to the others.
fn export_case(case: &Case, stored: &mut StoredFiles, rules: &mut BTreeSet<&'static str>) -> Result<ExportCase, Error> {
    let of_corpus = ManifestCase::from_case(case);
    let mut made = on_disk::case_files(case)?.into_iter();
    let suffix = case.file().split_once('.').map(|(_, suffix)| suffix.to_owned()).unwrap_or_default();
    let dump = stored.insert("dumps", &suffix, made.next().map(|(_, bytes)| bytes).unwrap_or_default());
    let mut answers = Vec::new();
    for answer in &case.answers {
        let (reading, listing) = match answer {
            RightAnswer::Refuses(reading) => (*reading, None),
            RightAnswer::Reads(reading, _) => {
                (*reading, made.next().map(|(_, text)| stored.insert("listings", "jsonl", text)))
            }
        };
        answers.push(ExportAnswer { reading: reading.to_owned(), listing });
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
    let files = export.cases.into_iter().flat_map(|case| {
        let listings = case.answers.into_iter().filter_map(|answer| answer.listing);
        listings.chain([case.dump]).map(|file| file.path)
    });
    Ok(Some(files.chain(SCHEMA_PATHS.map(str::to_owned)).chain(["README.md", MANIFEST].map(str::to_owned)).collect()))
}

/// The manifest of an export in a folder; `None` if there is none.
fn read_manifest(folder: &SharedFolder) -> Result<Option<Export>, Error> {
    let text = folder.read(MANIFEST)?;
    let export = text.and_then(|text| serde_json::from_slice::<Export>(&text).ok());
    Ok(export.filter(|export| (1..=SCHEMA).contains(&export.schema)))
}
