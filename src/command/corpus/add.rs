use std::io::Write;
use std::path::PathBuf;

use crate::corpus::{AddOutcome, Addition, HeapFileBuild, HeapFileSource, add};
use crate::error::Error;
use crate::family::WriteRequest;
use crate::format::DumpTarget;
use crate::heap_file;
use crate::input::{Input, read_bytes};
use clap::Args;

use crate::command::help::HelpEnding;
use crate::command::spelling::SpellingOpts;
use crate::command::{CommandOutcome, open, terminal};

/// Add a case of your own to a folder: a dump and the answer that is right, in the form of `corpus export`.
///
/// The answer is checked first: a listing has to be the heap of the dump, and a dump that is to be refused has to break a rule
/// of its format. The folder has the manifest, the README.md and the schemas of `corpus export`, so that the same tests run its
/// cases. The case is added whole or not at all, and nothing that the folder has is overwritten. Memory is the dump.
///
/// Of a heap file, the dump and the listing are built, and the heap file is kept beside them, so that `corpus bless` builds both
/// again when it was changed. It takes some 700 bytes an object, of which there may be a million.
#[derive(Args)]
#[command(after_long_help = HELP_ENDING)]
pub(super) struct AddOpts {
    /// The dump, or a heap file (its name ends in .kdl); `-` is standard input, for a dump.
    dump: PathBuf,
    /// The heap of the dump as a listing, as `heapsmith decode` prints one; it may have fewer facts. Required unless --refused is
    /// given, or the dump is built of a heap file.
    #[arg(long, value_name = "LISTING", required_unless_present_any = ["refused", "format"])]
    listing: Option<PathBuf>,
    /// The dump has to be refused. Without it, the listing or the heap file is the right answer.
    #[arg(long, conflicts_with_all = ["listing", "heap"])]
    refused: bool,
    /// Folder to add the case to: a new or empty one, or one with earlier cases of `corpus add`.
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
    /// Id of the case, by which its files are named: small letters, digits, hyphens and dots. Without it, the file name of the dump
    /// or heap file up to the first dot.
    #[arg(long)]
    id: Option<String>,
    /// What the case is about, in a line. Without it, the name of the dump or heap file.
    #[arg(long, value_name = "TEXT")]
    summary: Option<String>,
    /// Add what an analyser should find in the heap, too, as `corpus export --answers` writes it; it takes the memory of
    /// `heapsmith answers`. Without it, the dump and the listing alone.
    #[arg(long, conflicts_with = "refused")]
    answers: bool,
    #[command(flatten)]
    heap: open::HeapOpt,
    /// Format of the dump, perhaps with the profile, as in hprof/hotspot-17. Required unless the input is a dump.
    #[arg(long, value_name = "FORMAT", conflicts_with = "listing", help_heading = HEAP_FILE_OPTIONS)]
    format: Option<DumpTarget>,
    #[command(flatten, next_help_heading = HEAP_FILE_OPTIONS)]
    spelling: SpellingOpts,
}

/// The heading of the options that are for heap files alone.
const HEAP_FILE_OPTIONS: &str = "Options of the dump that is built of a heap file";

const HELP_ENDING: HelpEnding = HelpEnding {
    examples: &[
        ("Add a dump with its right answer", "heapsmith corpus add odd.hprof --listing odd.jsonl -o own-cases"),
        ("Add a dump that has to be refused", "heapsmith corpus add damaged.hprof --refused -o own-cases"),
        ("Add the dump of a heap file", "heapsmith corpus add orders.kdl --format hprof -o own-cases"),
    ],
    exit_codes: &[
        (0, "the case was added"),
        (1, "the answer is not right, or the heap file has errors"),
        (2, "the case could not be added"),
    ],
};

impl AddOpts {
    /// Checks the case and adds it.
    pub(super) fn run(self) -> Result<CommandOutcome, Error> {
        let addition = self.addition()?;
        let (id, folder) = (&addition.id, self.output.display());
        let added = match add(&self.output, &addition)? {
            AddOutcome::Cases(1) => format!("added {id} to {folder}, as its first case"),
            AddOutcome::Cases(count) => format!("added {id} to {folder}, which has {count} cases now"),
            AddOutcome::Disagrees(why) => {
                terminal::error(&why);
                return Ok(CommandOutcome::No);
            }
        };
        writeln!(terminal::stdout(), "{added}").map_err(|e| Error::io("writing standard output", e))?;
        Ok(CommandOutcome::Yes)
    }

    fn addition(&self) -> Result<Addition, Error> {
        let name = self.dump.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let stem = name.split('.').next().unwrap_or_default().to_lowercase();
        let (id, summary) = (self.id.clone().unwrap_or(stem), self.summary.clone().unwrap_or(name));
        if open::is_heap_file(&self.dump) {
            let (addition, unwritten) = Addition::from_heap_file(self.heap_file()?, id, summary, self.refused)?;
            unwritten.to_string().lines().for_each(terminal::warning);
            return Ok(Addition { has_analysis: self.answers, ..addition });
        }
        if self.format.is_some() || self.spelling.is_chosen() || self.spelling.writing.gzip {
            return Err(Error::Usage(format!(
                "{} is a dump, and --format and the options of its writer are for heap files, whose names end in {}; leave them \
                 out",
                self.dump.display(),
                heap_file::SUFFIX
            )));
        }
        let listing = self.listing.as_deref().map(open::input).transpose()?;
        let (dump, heap) = (open::input(&self.dump)?, self.heap.heap);
        Ok(Addition { dump, id, summary, heap, listing, has_analysis: self.answers, source: None })
    }

    fn heap_file(&self) -> Result<HeapFileSource, Error> {
        let name = Input::name_of(&self.dump);
        let Some(DumpTarget { format, profile }) = self.format.clone() else {
            return Err(Error::Usage(format!(
                "{name} is a heap file, of which the dump and its listing are built; say the dump's format with --format, and \
                 leave --listing out"
            )));
        };
        let profile = profile.or_else(|| self.spelling.writing.profile.clone());
        let request = WriteRequest { profile, ..self.spelling.write_request() };
        let (heap, gzip) = (self.heap.heap, self.spelling.writing.gzip);
        let build = HeapFileBuild { heap, gzip, ..HeapFileBuild::new(format, &request)? };
        let text = read_bytes(&self.dump, heap_file::LONGEST)?;
        Ok(HeapFileSource { name, text, build })
    }
}
