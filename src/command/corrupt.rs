use std::io::Write;
use std::path::{Path, PathBuf};

use crate::corrupt::{self, DamagedDump, EditPlan, NamedEdit, RecordEdit, RuleBreach};
use crate::error::Error;
use crate::format::{Family, RecordSelector, selector_number};
use crate::model::Address;
use crate::output::Output;
use crate::validate::{Severity, rule};
use clap::Args;
use serde::Serialize;

use crate::command::help::{HelpEnding, NOT_VALID};
use crate::command::{CommandOutcome, family, open, outputs, terminal};

/// Damages a valid dump by a named edit, which breaks one rule at a known place.
///
/// An edit changes the structure of the format (a field, a record, the end of the file) or the whole file as a faulty
/// transfer does, never a random byte. --list shows all edits. An edit that acts on a record chooses the first one (or the last) that
/// has a place for it, unless --record, --at or --object chooses it; cut-after-a-record, set-a-root-kind, set-a-field and set-a-length
/// need such a choice, and what they break depends on it. The report says which rules are broken, and how many records a tolerant
/// reader still delivers.
///
/// A compressed dump is decompressed first. Memory is the dump, and of HPROF and classic text some 800 bytes an object (with a chosen
/// record, three times the dump besides); a compressed dump may take 64 MiB and 64 bytes for each byte of its file.
#[derive(Args)]
#[command(after_long_help = HELP_ENDING)]
pub(crate) struct CorruptOpts {
    /// Valid dump; `-` is standard input. Required unless --list is given.
    #[arg(required_unless_present = "list")]
    input: Option<PathBuf>,
    /// The edit, as --list names it. Required unless --list is given.
    #[arg(long, required_unless_present = "list")]
    edit: Option<String>,
    /// Choose the record with this number, from 0, as `inspect` shows it. Without it, --at or --object, the edit chooses one.
    #[arg(long, value_name = "N", conflicts_with_all = ["at", "object"])]
    record: Option<u64>,
    /// Choose the record, and for set-a-field the field, that has the byte at OFFSET (decimal, or hexadecimal after 0x), instead of
    /// naming it by --record.
    #[arg(long, value_name = "OFFSET", value_parser = selector_number, conflicts_with = "object")]
    at: Option<u64>,
    /// Choose the record of the class or object at ADDRESS (decimal, or hexadecimal after 0x), instead of naming it by --record.
    #[arg(long, value_name = "ADDRESS", value_parser = selector_number)]
    object: Option<u64>,
    /// For set-a-field and set-a-length: the field, as `inspect --bytes` names it; of several with one name, their number from 0
    /// in brackets: `reference[2]`. Without it, the field that --at points at; for set-a-length, the first length.
    #[arg(long)]
    field: Option<String>,
    /// For set-a-field and set-a-length: the value, decimal or hexadecimal after 0x; of a field that is no number, text or bytes in
    /// hexadecimal after 0x. For set-a-root-kind: a kind, as listings name it. Without it, set-a-length adds one, and
    /// set-a-root-kind makes a local of an unknown thread.
    #[arg(long, allow_hyphen_values = true)]
    value: Option<String>,
    /// File to write; `-` is standard output, also without this option.
    #[arg(short, long, value_name = "FILE", default_value = "-", hide_default_value = true)]
    output: PathBuf,
    /// Replace an existing output. Without it, that is an error.
    #[arg(long)]
    force: bool,
    /// List the edits with the rules that they break, instead of damaging a dump.
    #[arg(long, conflicts_with_all = ["input", "edit", "record", "at", "object", "field", "value", "output", "force"])]
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
        ("Damage one of its records", "heapsmith corrupt heapdump.hprof --edit set-a-length --record 40 -o bad.hprof"),
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
    /// In a list: the edits that the dumps of any format have a place for, which need a chosen record.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    record_edits: Vec<RecordEditLine>,
}

#[derive(Serialize, schemars::JsonSchema)]
#[schemars(rename = "Line")]
struct EditLine {
    /// `phd`, `hprof` or `classic`.
    format: &'static str,
    /// The edit's name.
    name: String,
    /// The rule that it breaks.
    rule: &'static str,
    /// How much breaking the rule matters.
    severity: Option<Severity>,
    /// What the edit does, or what it did to a chosen record.
    summary: String,
    /// Whether it acts on a record, which can be chosen.
    takes_record: bool,
    /// What it did; absent in a list.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    damage: Option<DamageLine>,
}

/// What an edit did to a dump.
#[derive(Serialize, schemars::JsonSchema)]
#[schemars(rename = "Damage")]
struct DamageLine {
    /// Where the rule is broken now, in bytes from the start.
    offset: u64,
    /// The number of the chosen record, from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    record: Option<u64>,
    /// Whether reading stops at the damage.
    stops: bool,
    /// The records that a tolerant reader still delivers: those before the damage, or all, where reading does not stop there.
    records_due: u64,
    /// Rules that are broken besides and were not before, if a record was chosen.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    also_breaks: Vec<BrokenLine>,
}

#[derive(Serialize, schemars::JsonSchema)]
#[schemars(rename = "Broken")]
struct BrokenLine {
    /// The rule.
    rule: &'static str,
    /// How much breaking the rule matters.
    severity: Severity,
    /// The first place at which it is broken, in bytes from the start.
    offset: u64,
}

#[derive(Serialize, schemars::JsonSchema)]
#[schemars(rename = "RecordEdit")]
struct RecordEditLine {
    /// The edit's name.
    name: &'static str,
    /// What the edit does.
    summary: &'static str,
}

impl EditLine {
    fn from_edit(edit: &NamedEdit) -> EditLine {
        let &NamedEdit { family, name, rule: broken, summary, takes_record, .. } = edit;
        EditLine {
            format: family.name(),
            name: name.to_owned(),
            rule: broken.0,
            severity: rule(broken.0).and_then(|rule| rule.severity),
            summary: summary.to_owned(),
            takes_record,
            damage: None,
        }
    }

    fn from_damage(family: Family, name: &str, takes_record: bool, own: RuleBreach, dump: &DamagedDump) -> EditLine {
        let line = |broken: &RuleBreach| {
            let &RuleBreach { rule, severity, offset, .. } = broken;
            BrokenLine { rule: rule.0, severity, offset }
        };
        let damage = DamageLine {
            offset: own.offset,
            record: dump.part.as_ref().and_then(|part| part.record),
            stops: dump.stops,
            records_due: dump.records_due,
            also_breaks: dump.broken.iter().skip(1).map(line).collect(),
        };
        EditLine {
            format: family.name(),
            name: name.to_owned(),
            rule: own.rule.0,
            severity: Some(own.severity),
            summary: dump.summary.clone(),
            takes_record,
            damage: Some(damage),
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
        let edits: Vec<EditLine> = edits.map(|edit| EditLine::from_edit(&edit)).collect();
        if self.json {
            let line = |edit: &RecordEdit| RecordEditLine { name: edit.name, summary: edit.summary };
            let record_edits = RecordEdit::ALL.iter().map(line).collect();
            terminal::print_json(&CorruptReport { schema: 2, edits, record_edits })?;
            return Ok(CommandOutcome::Yes);
        }
        let mut table = terminal::table(["format", "edit", "rule", "acts on", "what it does"]);
        for EditLine { format, name, rule, takes_record, summary, .. } in &edits {
            let acts_on = if *takes_record { "a record" } else { "the file" };
            table.add_row([format, name.as_str(), rule, acts_on, summary]);
        }
        for RecordEdit { name, summary, .. } in RecordEdit::ALL {
            table.add_row(["any", name, "depends on the record", "a chosen record", summary]);
        }
        writeln!(terminal::stdout(), "{}", terminal::render(&table)).map_err(failed)?;
        Ok(CommandOutcome::Yes)
    }

    fn place(&self) -> Option<RecordSelector> {
        let record = self.record.map(RecordSelector::Index);
        let byte = || self.at.map(RecordSelector::Offset);
        record.or_else(byte).or_else(|| self.object.map(|address| RecordSelector::Object(Address(address))))
    }

    fn damage(&self, input: &Path, name: &str) -> Result<CommandOutcome, Error> {
        let output = &self.output;
        outputs::require_distinct(&[input], &[output])?;
        let file = open::dump(input, Default::default())?;
        let plan = EditPlan::new(name).place(self.place()).field(self.field.clone()).value(self.value.clone());
        let damaged = plan.apply(&file)?;
        let Some(own) = damaged.broken.first().copied() else {
            return Err(Error::Usage(format!(
                "the edit {name} breaks no rule in {}: it {}, and the dump stays valid; choose another value or record",
                file.input().name(),
                damaged.summary
            )));
        };
        let mut written = Output::create_binary(output, self.force)?;
        written.write_all(&damaged.bytes).map_err(|e| Error::io("writing the dump", e))?;
        written.finish()?;

        if self.json {
            let family = file.family();
            let edit = corrupt::edits(family).into_iter().find(|edit| edit.name == name);
            let takes_record = edit.is_none_or(|edit| edit.takes_record);
            let edits = vec![EditLine::from_damage(family, name, takes_record, own, &damaged)];
            terminal::print_json_beside(Some(output), &CorruptReport { schema: 2, edits, record_edits: Vec::new() })?;
            return Ok(CommandOutcome::Yes);
        }
        let mut out = terminal::text_beside(Some(output));
        describe(&damaged, own, &mut out).map_err(|e| Error::io("writing the report", e))?;
        Ok(CommandOutcome::Yes)
    }
}

fn describe(damaged: &DamagedDump, own: RuleBreach, out: &mut dyn Write) -> std::io::Result<()> {
    writeln!(out, "breaks {} at offset {:#x}: {}", own.rule, own.offset, damaged.summary)?;
    for RuleBreach { rule, offset, .. } in damaged.broken.iter().skip(1) {
        writeln!(out, "also breaks {rule} at offset {offset:#x}")?;
    }
    let due = match damaged.records_due {
        1 => "1 record".to_owned(),
        due => format!("{due} records"),
    };
    match (damaged.stops, damaged.is_all_due) {
        (true, _) => writeln!(out, "reading stops; a tolerant reader still delivers the {due} before the damage"),
        (false, true) => writeln!(out, "reading does not stop; a tolerant reader still delivers all {due}"),
        (false, false) => writeln!(
            out,
            "reading does not stop, but what follows is not what it was; a tolerant reader still delivers the {due} before the damage"
        ),
    }
}
