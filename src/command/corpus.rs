mod add;

use std::io::Write;
use std::path::PathBuf;

use crate::corpus::{
    CorpusReport, ExportSelection, ManifestCase, Trouble, bless, cases, dictionary, export, is_export, rebuild,
    verify_export, verify_watched, version,
};
use crate::error::Error;
use crate::format::Family;
use clap::{Args, Subcommand};
use serde::Serialize;

use crate::command::help::HelpEnding;
use crate::command::terminal::TerminalProgress;
use crate::command::{CommandOutcome, family, terminal};

use add::AddOpts;

/// Lists, verifies, exports or writes the corpus of golden dumps, and adds cases of your own to a folder.
#[derive(Args)]
#[command(after_long_help = HELP_ENDING)]
pub(crate) struct CorpusOpts {
    #[command(subcommand)]
    command: CorpusCommand,
}

const HELP_ENDING: HelpEnding = HelpEnding {
    examples: &[
        ("List the cases", "heapsmith corpus list"),
        ("Check the folder corpus", "heapsmith corpus verify"),
        ("Write the HPROF cases for tests of yours", "heapsmith corpus export -o golden --format hprof"),
    ],
    exit_codes: &[(1, "something is not as expected, or an answer is not right")],
};

#[derive(Subcommand)]
enum CorpusCommand {
    /// List the cases with their verdicts; with --json, their rules and answers too.
    #[command(after_long_help = LIST_ENDING)]
    List {
        /// Print the manifest's entries as JSON, one a line, instead of a table.
        #[arg(long)]
        json: bool,
    },
    /// Check a corpus folder: its bytes against the recipes, its expectations against heapsmith's decoder and validator.
    ///
    /// A folder of `corpus export` or `corpus add` is checked against its manifest.json, which has the SHA-256 of each file, and dumps
    /// that were built of heap files against what these build.
    ///
    /// Files that belong to no case are notes, which leave the exit code at 0. A folder in which a `corpus bless` was
    /// interrupted is named as unfinished, with exit code 1, until the command is run again.
    #[command(after_long_help = VERIFY_ENDING)]
    Verify {
        /// The folder with manifest.json.
        #[arg(default_value = "corpus")]
        folder: PathBuf,
        /// Print a JSON report instead of text.
        #[arg(long)]
        json: bool,
    },
    /// Write cases for tests that run without heapsmith: dumps, answers and a manifest, in any language.
    ///
    /// Files are named by the ids of their cases. The folder has a README.md, JSON schemas, and a version that rises with every case
    /// that is new or has other answers. Values of one option add up; a case has to match each option that is given.
    #[command(after_long_help = EXPORT_ENDING)]
    Export {
        /// Folder to write: a new or empty one, or one with an earlier export, which is replaced. Other files in it stay.
        #[arg(short, long, value_name = "DIR")]
        output: PathBuf,
        /// Only cases of this format: phd, hprof or classic; or one version of it, such as phd6. Without it, all formats.
        #[arg(long, value_name = "FORMAT")]
        format: Vec<String>,
        /// Only cases with this tag: golden, damaged, spelled or random; valid, invalid or ambiguous; gzip; several-heaps.
        /// Without it, all.
        #[arg(long, value_name = "TAG")]
        tag: Vec<String>,
        /// Only cases that keep, break or show this rule, or one whose id begins with these parts. Without it, all.
        #[arg(long, value_name = "RULE")]
        rule: Vec<String>,
        /// Write what an analyser should find in each heap, too, as `heapsmith answers` does: about the heap, and about each class and
        /// object. Without it, dumps and listings alone.
        #[arg(long)]
        answers: bool,
    },
    /// Print a dictionary for a coverage-guided engine: values that fields of the cases' dumps have.
    ///
    /// libFuzzer takes it with -dict, AFL++ with -x.
    #[command(after_long_help = DICTIONARY_ENDING)]
    Dictionary {
        #[arg(long, value_parser = family, help = format!("The format of the dumps: {}", Family::names()))]
        format: Family,
    },
    Add(AddOpts),
    /// Write the corpus anew from its recipes, if every case holds; or the dumps of a folder of `corpus add` from their heap files.
    ///
    /// In a folder of `corpus add`, a heap file in `heaps` may have been changed: its dump, its listing and their SHA-256 are made
    /// again. The verdict has to stay. Cases without a heap file stay as they are.
    ///
    /// Of the files in the folder, only those that its manifest.json lists are replaced or removed; all others stay. A
    /// file that is not listed and stands in the place of a new one is an error, and so is a folder that is not empty
    /// and has no manifest.json of heapsmith, or a symbolic link in the place of a folder: nothing is changed then. After an
    /// interruption every file is whole, and the folder is unfinished: `corpus verify` says so, and running `corpus bless` again
    /// finishes it.
    #[command(after_long_help = BLESS_ENDING)]
    Bless {
        /// The folder with manifest.json, or an empty or new one.
        #[arg(default_value = "corpus")]
        folder: PathBuf,
    },
}

const BLESS_ENDING: HelpEnding = HelpEnding {
    examples: &[
        ("Write the folder corpus", "heapsmith corpus bless"),
        ("Write another folder", "heapsmith corpus bless my-corpus"),
        ("Build the dumps of changed heap files again", "heapsmith corpus bless own-cases"),
    ],
    exit_codes: &[
        (1, "a heap file has errors"),
        (2, "usage or I/O error, a case does not hold, or another command works in the folder"),
    ],
};

const EXPORT_ENDING: HelpEnding = HelpEnding {
    examples: &[
        ("Write the golden HPROF dumps", "heapsmith corpus export -o golden --format hprof --tag golden"),
        ("Write the cases that keep or break some rules", "heapsmith corpus export -o strings --rule hprof.utf8"),
        (
            "Write cases for tests of an analyser",
            "heapsmith corpus export -o golden --format hprof --tag valid --answers",
        ),
    ],
    exit_codes: &[],
};

const DICTIONARY_ENDING: HelpEnding = HelpEnding {
    examples: &[
        ("Print a dictionary of HPROF", "heapsmith corpus dictionary --format hprof"),
        ("Print one of portable heap dumps", "heapsmith corpus dictionary --format phd"),
    ],
    exit_codes: &[],
};

const VERIFY_ENDING: HelpEnding = HelpEnding {
    examples: &[
        ("Check the folder corpus", "heapsmith corpus verify"),
        ("Check another folder, and print JSON", "heapsmith corpus verify my-corpus --json"),
    ],
    exit_codes: &[
        (1, "something is not as expected"),
        (2, "usage or I/O error, or another command writes to the folder"),
    ],
};

const LIST_ENDING: HelpEnding = HelpEnding {
    examples: &[
        ("List the cases of the corpus", "heapsmith corpus list"),
        ("Print them with rules and answers", "heapsmith corpus list --json"),
    ],
    exit_codes: &[],
};

/// Whether a corpus is as expected.
#[derive(Serialize, schemars::JsonSchema)]
#[schemars(rename = "Report")]
pub(crate) struct CorpusVerifyReport {
    /// Version of this report's schema.
    schema: u32,
    /// The number of cases.
    cases: usize,
    /// Whether every file and every case is as expected.
    holds: bool,
    /// What is not as expected.
    troubles: Vec<Trouble>,
    /// What leaves the exit code at 0: files that belong to no case.
    notes: Vec<String>,
}

impl CorpusOpts {
    pub(crate) fn run(self) -> Result<CommandOutcome, Error> {
        let failed = |e| Error::io("writing standard output", e);
        let mut out = terminal::stdout();
        match self.command {
            CorpusCommand::List { json: true } => {
                for case in cases()? {
                    terminal::print_json(&ManifestCase::from_case(&case))?;
                }
            }
            CorpusCommand::List { json: false } => {
                let mut table = terminal::table(["case", "verdict", "bytes", "summary"]);
                for case in cases()? {
                    let verdict = case.verdict.name().to_owned();
                    table.add_row([case.id, verdict, case.bytes.len().to_string(), case.summary]);
                }
                writeln!(out, "{}", terminal::render(&table)).map_err(failed)?;
            }
            CorpusCommand::Verify { folder, json } => {
                let mut progress = TerminalProgress::steps("verifying cases");
                let watch = &mut |done, of| progress.set_done(done, of);
                let verified =
                    if is_export(&folder) { verify_export(&folder, watch)? } else { verify_watched(&folder, watch)? };
                drop(progress);
                let answer = if verified.troubles.is_empty() { CommandOutcome::Yes } else { CommandOutcome::No };
                if json {
                    let CorpusReport { cases, troubles, notes, .. } = verified;
                    let report = CorpusVerifyReport { schema: 2, cases, holds: troubles.is_empty(), troubles, notes };
                    terminal::print_json(&report)?;
                    return Ok(answer);
                }
                for note in &verified.notes {
                    writeln!(out, "{}: {note}", terminal::doubtful("note")).map_err(failed)?;
                }
                for trouble in &verified.troubles {
                    writeln!(out, "{}: {}", terminal::bad(&trouble.case), trouble.message).map_err(failed)?;
                }
                let verdict = match verified.troubles.len() {
                    0 => "all as expected".to_owned(),
                    1 => "1 problem".to_owned(),
                    many => format!("{many} problems"),
                };
                writeln!(out, "{} cases: {verdict}", verified.cases).map_err(failed)?;
                return Ok(answer);
            }
            CorpusCommand::Export { output, format, tag, rule, answers } => {
                let mut selection = ExportSelection::default();
                (selection.formats, selection.tags, selection.rules) = (format, tag, rule);
                selection.has_analysis = answers;
                let count = export(&output, &selection)?;
                let (version, folder) = (version(), output.display());
                writeln!(out, "{count} cases of version {version} written to {folder}").map_err(failed)?;
            }
            CorpusCommand::Dictionary { format } => {
                write!(out, "{}", dictionary(format)?).map_err(failed)?;
            }
            CorpusCommand::Add(add) => return add.run(),
            CorpusCommand::Bless { folder } => {
                let count = if is_export(&folder) { rebuild(&folder)? } else { bless(&folder)? };
                writeln!(out, "{count} cases written to {}", folder.display()).map_err(failed)?;
            }
        }
        Ok(CommandOutcome::Yes)
    }
}
