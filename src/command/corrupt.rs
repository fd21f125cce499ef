use std::io::Write;
use std::path::{Path, PathBuf};

use crate::corrupt::{self, NamedEdit};
use crate::error::{Error, did_you_mean};
use crate::format::Family;
use crate::output::Output;
use crate::validate::{Severity, rule};
use clap::Args;
use serde::Serialize;

use crate::command::help::{HelpEnding, NOT_VALID};
use crate::command::{CommandOutcome, family, open, outputs, terminal};

/// Damages a valid dump by a named edit, which breaks one rule at a known place.
///
/// An edit changes the structure of the format (a field, a record, the end of the file) or the whole file as a faulty
/// transfer does, never a random byte. --list shows all edits. A compressed dump is decompressed first. Memory is
/// the dump, and of HPROF and classic text some 800 bytes an object; a compressed dump may take 64 MiB and 64 bytes for each byte
/// of its file.
#[derive(Args)]
#[command(after_long_help = HELP_ENDING)]
pub(crate) struct CorruptOpts {
    /// Valid dump; `-` is standard input. Required unless --list is given.
    #[arg(required_unless_present = "list")]
    input: Option<PathBuf>,
    /// The edit, as --list names it. Required unless --list is given.
    #[arg(long, required_unless_present = "list")]
    edit: Option<String>,
    /// File to write; `-` is standard output, also without this option.
    #[arg(short, long, value_name = "FILE", default_value = "-", hide_default_value = true)]
    output: PathBuf,
    /// Replace an existing output. Without it, that is an error.
    #[arg(long)]
    force: bool,
    /// List the edits with the rules that they break, instead of damaging a dump.
    #[arg(long, conflicts_with_all = ["input", "edit", "output", "force"])]
    list: bool,
    #[arg(long, requires = "list", value_parser = family,
        help = format!("With --list, only edits of this format: {}. Without it, of all", Family::names()))]
    format: Option<Family>,
    /// Print a JSON report instead of text.
    #[arg(long)]
    json: bool,
}

const HELP_ENDING: HelpEnding = HelpEnding {
    examples: &[
        ("Damage a dump", "heapsmith corrupt heapdump.hprof --edit raise-the-version -o bad.hprof"),
        ("List the edits of a format", "heapsmith corrupt --list --format phd"),
    ],
    exit_codes: &[NOT_VALID],
};

/// The edits, or the one that was made.
#[derive(Serialize, schemars::JsonSchema)]
#[schemars(rename = "Report")]
pub(crate) struct CorruptReport {
    /// Version of this report's schema.
    schema: u32,
    /// The edits.
    edits: Vec<EditLine>,
}

#[derive(Serialize, schemars::JsonSchema)]
#[schemars(rename = "Line")]
struct EditLine {
    /// `phd`, `hprof` or `classic`.
    format: &'static str,
    /// The edit's name.
    name: &'static str,
    /// The rule that it breaks.
    rule: &'static str,
    /// How much breaking the rule matters.
    severity: Option<Severity>,
    /// What the edit does.
    summary: &'static str,
    /// Where the rule is broken now, in bytes from the start; absent in a list.
    #[serde(skip_serializing_if = "Option::is_none")]
    offset: Option<u64>,
}

impl EditLine {
    fn from_edit(edit: &NamedEdit, offset: Option<u64>) -> EditLine {
        let severity = rule(edit.rule.0).and_then(|rule| rule.severity);
        EditLine {
            format: edit.family.name(),
            name: edit.name,
            rule: edit.rule.0,
            severity,
            summary: edit.summary,
            offset,
        }
    }
}

impl CorruptOpts {
    pub(crate) fn run(self) -> Result<CommandOutcome, Error> {
        match (&self.input, &self.edit) {
            (Some(input), Some(edit)) => self.damage(input, edit),
            _ => self.list(),
        }
    }

    fn list(&self) -> Result<CommandOutcome, Error> {
        let failed = |e| Error::io("writing standard output", e);
        let wanted = |family: &Family| self.format.is_none_or(|format| format == *family);
        let edits = Family::ALL.into_iter().filter(wanted).flat_map(corrupt::edits);
        let edits: Vec<EditLine> = edits.map(|edit| EditLine::from_edit(&edit, None)).collect();
        if self.json {
            terminal::print_json(&CorruptReport { schema: 1, edits })?;
            return Ok(CommandOutcome::Yes);
        }
        let mut table = terminal::table(["format", "edit", "rule", "what it does"]);
        for EditLine { format, name, rule, summary, .. } in edits {
            table.add_row([format, name, rule, summary]);
        }
        writeln!(terminal::stdout(), "{}", terminal::render(&table)).map_err(failed)?;
        Ok(CommandOutcome::Yes)
    }

    fn damage(&self, input: &Path, name: &str) -> Result<CommandOutcome, Error> {
        let output = &self.output;
        outputs::require_distinct(&[input], &[output])?;
        let file = open::dump(input, Default::default())?;
        let (source, family) = (file.input().name().to_owned(), file.family());
        let edits = corrupt::edits(family);
        let unknown = || {
            let family = family.name();
            let near = did_you_mean(name, edits.iter().map(|edit| edit.name));
            Error::Usage(format!(
                "{source} is a {family} dump, and {family} has no edit {name:?}; --list shows all edits{near}"
            ))
        };
        let edit = edits.iter().find(|edit| edit.name == name).ok_or_else(unknown)?;
        let edited = edit.apply(corrupt::read(&file)?)?;
        let impossible = || {
            Error::Usage(format!(
                "the edit {name} cannot be made in {source}: the dump has no record, field or value of the kind that it \
                 changes; choose another edit (--list shows all)"
            ))
        };
        let edited = edited.ok_or_else(impossible)?;
        if !edit.is_found(&edited)? {
            return Err(Error::Usage(format!(
                "the edit {name} does not break {} in {source}, which is unusual where it changes the dump; choose \
                 another edit (--list shows all) or a plainer dump",
                edit.rule
            )));
        }
        let mut file = Output::create_binary(output, self.force)?;
        file.write_all(&edited.bytes).map_err(|e| Error::io("writing the dump", e))?;
        file.finish()?;

        if self.json {
            let edits = vec![EditLine::from_edit(edit, Some(edited.offset))];
            terminal::print_json_beside(Some(output), &CorruptReport { schema: 1, edits })?;
            return Ok(CommandOutcome::Yes);
        }
        writeln!(
            terminal::text_beside(Some(output)),
            "breaks {} at offset {:#x}: {}",
            edit.rule,
            edited.offset,
            edit.summary
        )
        .map_err(|e| Error::io("writing the report", e))?;
        Ok(CommandOutcome::Yes)
    }
}
