//! Dumps of the user, in place of cases: heapsmith's own reading of them is right.

use std::collections::BTreeSet;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use crate::check::sources::decoded::{case_from_bytes, decisive_finding, summarise_findings, verdict_from_findings};
use crate::check::sources::random::case_from_recipe;
use crate::corpus::{Case, CaseVerdict};
use heapsmith_core::error::Error;
use heapsmith_core::format::{DumpFile, Format};
use heapsmith_core::hprof::ReadOptions;
use heapsmith_core::input::{self, Input, read_bytes};
use heapsmith_core::model::Heap;
use heapsmith_core::recipe::Recipe;
use heapsmith_core::validate::{ValidateOptions, validate};

/// Dumps up to this number of bytes, decompressed, are held in memory with their heaps; larger ones are read object by object.
pub(in crate::check) const WHOLE: u64 = 4 << 20;

/// A dump of the user.
#[derive(Clone, Debug)]
pub struct UserDump {
    /// The id in reports: the path in letters that mean nothing to a shell.
    pub id: String,
    /// The path of the file, or the recipe.
    pub path: PathBuf,
    /// The length of the file.
    pub size: u64,
    /// Whether it is held in memory while it is judged.
    pub(in crate::check) is_whole: bool,
    /// The format; or why it cannot be told.
    pub(in crate::check) format: Result<Format, String>,
    /// The format that it most resembles.
    guess: Format,
    /// The recipe of a dump that is not a file.
    recipe: Option<Recipe>,
    /// The findings in a large dump, which is asked about several times.
    found: OnceLock<ValidationSummary>,
}

/// The findings of `validate` in a dump, in short.
#[derive(Clone, Debug, PartialEq, Eq)]
struct ValidationSummary {
    verdict: CaseVerdict,
    breaks: Option<(&'static str, u64)>,
    summary: String,
    records_due: u64,
}

impl UserDump {
    /// The dumps at these paths, each with an id of its own.
    ///
    /// # Errors
    /// If a file cannot be read.
    pub fn from_paths(paths: &[PathBuf]) -> Result<Vec<Arc<UserDump>>, Error> {
        let mut ids = BTreeSet::new();
        paths.iter().map(|path| UserDump::new(path, &mut ids).map(Arc::new)).collect()
    }

    fn new(path: &Path, ids: &mut BTreeSet<String>) -> Result<UserDump, Error> {
        let recipe = path.to_str().filter(|text| Recipe::is_recipe(text)).map(Recipe::read).transpose()?;
        let plain = id_from_path(path);
        let numbered = (2..).map(|number| format!("{plain}-{number}"));
        let id = std::iter::once(plain.clone()).chain(numbered).find(|id| ids.insert(id.clone())).unwrap_or(plain);
        if let Some(recipe) = recipe {
            return UserDump::from_recipe(id, path, recipe);
        }
        input::require_file(path)?;
        let input = Input::open(path)?;
        let size = input.length();
        // A compressed dump may be any number of times as long as its file.
        let is_whole = match input.is_compressed() {
            false => size <= WHOLE,
            true => size <= WHOLE && fits_in_memory(&input)?,
        };
        let file = DumpFile::new(input, ReadOptions::default())?;
        let format = file.format().map_err(|e| e.to_string());
        let guess = format.clone().ok().or_else(|| file.family().formats().last()).unwrap_or(Format::HPROF);
        let (path, recipe, found) = (path.to_owned(), None, OnceLock::new());
        Ok(UserDump { id, path, size, is_whole, format, guess, recipe, found })
    }

    /// The dump of a recipe, which is made each time it is asked about.
    fn from_recipe(id: String, path: &Path, recipe: Recipe) -> Result<UserDump, Error> {
        let mut dump = recipe.clone().input()?.stream()?;
        let size = dump.peek(WHOLE as usize + 1).map_err(|e| Error::io(format!("making {recipe}"), e))?.len() as u64;
        if size > WHOLE {
            let message =
                format!("{recipe}: expected a dump of at most {WHOLE} bytes; write it to a file, and name that");
            return Err(Error::Usage(message));
        }
        let guess = recipe.settled()?.format;
        Ok(UserDump {
            id,
            path: path.to_owned(),
            size,
            is_whole: true,
            format: Ok(guess),
            guess,
            recipe: Some(recipe),
            found: OnceLock::new(),
        })
    }

    /// The case of the dump; of a large one without its bytes and its heap.
    ///
    /// # Errors
    /// If the file cannot be read any more.
    pub(in crate::check) fn case(&self) -> Result<Case, Error> {
        if let Some(recipe) = &self.recipe {
            return case_from_recipe(&self.id, recipe);
        }
        if self.is_whole && self.format.is_ok() {
            let bytes = read_bytes(&self.path, WHOLE)?;
            let case = case_from_bytes(&self.id, bytes)?;
            return Ok(Case { recipe: self.path.display().to_string(), ..case });
        }
        let format = self.guess;
        let (summary, recipe) = ("a large dump of one's own".to_owned(), self.path.display().to_string());
        let case = Case::valid(self.id.clone(), format, summary, recipe, Vec::new(), Heap::default());
        Ok(Case { records_due: 0, answers: Vec::new(), ..case })
    }

    /// The case with the findings of `validate`, for which a large dump is read once. Of a dump whose format heapsmith
    /// cannot tell there are none, and its bytes where they are held.
    ///
    /// # Errors
    /// If the file cannot be read any more.
    pub(in crate::check) fn validated_case(&self) -> Result<Case, Error> {
        let case = self.case()?;
        if let Err(why) = &self.format {
            let bytes = if self.is_whole { read_bytes(&self.path, WHOLE)? } else { Vec::new() };
            let summary = format!("a dump of one's own, of no format that heapsmith knows: {why}");
            return Ok(Case { bytes, summary, ..case });
        }
        if self.is_whole {
            return Ok(case);
        }
        if self.found.get().is_none() {
            let report = validate(&Input::open(&self.path)?, ValidateOptions::default())?;
            let _ = self.found.set(ValidationSummary {
                verdict: verdict_from_findings(&report.findings),
                breaks: decisive_finding(&report.findings).map(|finding| (finding.rule.0, finding.offset)),
                summary: summarise_findings(&case.summary, &report.findings),
                records_due: report.sound.records,
            });
        }
        Ok(match self.found.get().cloned() {
            Some(ValidationSummary { verdict, breaks, summary, records_due }) => {
                Case { verdict, breaks, summary, records_due, ..case }
            }
            None => case,
        })
    }

    /// The dump's file, for a look at it object by object.
    pub(in crate::check) fn open(&self) -> Result<File, Error> {
        File::open(&self.path).map_err(|e| self.read_error(e))
    }

    fn read_error(&self, error: std::io::Error) -> Error {
        Error::io(format!("reading {}", self.path.display()), error)
    }
}

/// Whether a compressed dump has no more bytes than are held; one that is damaged is as long as it can be read.
fn fits_in_memory(input: &Input) -> Result<bool, Error> {
    let mut stream = input.stream()?;
    Ok(stream.peek(WHOLE as usize + 1).map_or(true, |bytes| bytes.len() as u64 <= WHOLE))
}

/// The id of a path, which has no suffixes.
fn id_from_path(path: &Path) -> String {
    if let Some(text) = path.to_str().filter(|text| Recipe::is_recipe(text)) {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
        return text.replace(|c| !is_plain(c), "-");
    }
    let is_gzip = path.extension().is_some_and(|suffix| suffix == "gz");
    let path = if is_gzip { path.with_extension("") } else { path.to_owned() };
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let text = path.with_extension("").to_string_lossy().replace(|c| !is_plain(c), "-");
    match text.trim_matches('-') {
        "" => "dump".to_owned(),
        text => text.to_owned(),
    }
}
