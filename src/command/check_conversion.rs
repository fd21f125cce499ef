use std::io::Write;
use std::path::{Path, PathBuf};

use crate::compare::MEMORY;
use crate::compare::renaming::BUDGET;
use crate::convert::{
    CandidateWriters, ConversionVerdict, FacetCount, RenamingVerdict, WriterFound, judge, judge_up_to_renaming,
    omitted_by_writer,
};
use crate::error::Error;
use crate::format::{DumpTarget, OpenedHeap, text};
use crate::input::{LONGEST_TEXT, read_text};
use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;

use crate::command::help::HelpEnding;
use crate::command::tolerate::{self, ToleratedReport};
use crate::command::{CommandOutcome, compare, convert, open, terminal};

/// Judges a conversion by any converter: was anything lost or changed that dumps like the output carry?
///
/// The output is judged by what its writer's dumps carry (`heapsmith facets`): the writer whose profile gives exactly the
/// output's bytes; if none does, the one from whose dumps it differs in the fewest facets, or all that the format can carry
/// where the input has the same format. What such dumps do not carry, facts that another writer of this format could have kept,
/// and what is present only in the output is listed apart. Addresses have to be the same, or renumbered in ascending order as
/// `heapsmith convert` does where the format cannot hold them. Many objects are sorted in temporary files: memory is the class
/// tables, the roots and some 256 MB.
#[derive(Args)]
#[command(after_long_help = HELP_ENDING)]
pub(crate) struct CheckConversionOpts {
    /// Dump, listing or heap file (its name ends in .kdl) that was converted; `-` is standard input. A listing is held in memory:
    /// some 700 bytes an object, and the contents of arrays. Without it, --pairs.
    #[arg(required_unless_present = "pairs")]
    input: Option<PathBuf>,
    /// Dump or listing that the converter wrote; a listing is held in memory like the first one. Without it, --pairs.
    #[arg(required_unless_present = "pairs")]
    output: Option<PathBuf>,
    /// Judge many conversions: a file with a line for each, the paths of the two dumps, quoted as for a shell (`#` begins a remark); `-` is standard
    /// input. A line is printed for each. Exit code 0 if all are faithful; else 2 if one could not be judged, 1 if one is not
    /// faithful or one of the two is not a valid dump, or 3. Without it, the two dumps that are named.
    #[arg(long, value_name = "LIST", conflicts_with_all = ["input", "output"])]
    pairs: Option<PathBuf>,
    /// Judge by what this writer's dumps carry. Without it, the writer is recognised from the output.
    #[arg(long)]
    profile: Option<String>,
    /// Accept other addresses, where a converter gives objects its own, if the graph is the same. Without it, addresses have to be
    /// the same, or renumbered in ascending order. Both heaps are held in memory; classes that a converter synthesises have no counterpart. Exit
    /// code 3: not decided within the budget.
    #[arg(long)]
    up_to_renaming: bool,
    /// With --up-to-renaming: give up after this number of millions of edges.
    #[arg(long, default_value_t = BUDGET / 1_000_000, requires = "up_to_renaming")]
    budget: u64,
    #[command(flatten)]
    reading: open::HeapInputOpts,
    /// Print a JSON report instead of text.
    #[arg(long)]
    json: bool,
}

const HELP_ENDING: HelpEnding = HelpEnding {
    examples: &[
        ("Judge a conversion", "heapsmith check-conversion heapdump.hprof converted.phd"),
        ("Judge many, a line for each", "heapsmith check-conversion --pairs pairs.txt"),
    ],
    exit_codes: &[
        (0, "nothing was lost or changed"),
        (1, "something was lost or changed, or one of the two is not a valid dump"),
        (2, "usage or I/O error, or the conversion cannot be judged"),
        (3, "not decided within the budget of --up-to-renaming"),
    ],
};

impl CheckConversionOpts {
    pub(crate) fn run(self) -> Result<CommandOutcome, Error> {
        if let Some(list) = &self.pairs {
            return self.judge_pairs(list);
        }
        let (Some(input), Some(output)) = (&self.input, &self.output) else {
            return Err(Error::Usage("expected two dumps, or --pairs".to_owned()));
        };
        if input.as_os_str() == "-" && output.as_os_str() == "-" {
            return Err(Error::Usage("standard input can be only one of the two sides".to_owned()));
        }
        let Some(told) = self.judge_files(input, output)? else { return Ok(CommandOutcome::Undecided) };
        let faithful = told.report.faithful;
        let failed = |e| Error::io("writing standard output", e);
        if self.json {
            terminal::print_json(&told)?;
        } else {
            let mut lines = describe(&told.report);
            lines.extend(tolerate::describe(told.tolerated.as_deref()));
            writeln!(terminal::stdout(), "{}", lines.join("\n")).map_err(failed)?;
        }
        Ok(if faithful { CommandOutcome::Yes } else { CommandOutcome::No })
    }

    /// Judges each pair of a list; one that cannot be judged is said to be so, and the others are judged all the same.
    fn judge_pairs(&self, list: &Path) -> Result<CommandOutcome, Error> {
        let text = read_text(list, LONGEST_TEXT)?;
        let failed = |e| Error::io("writing standard output", e);
        let (mut differ, mut undecided, mut failures) = (0, 0, 0);
        for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| !is_comment(line)) {
            let words =
                shell_words::split(line).map_err(|e| Error::Usage(format!("line {number} of the list: {e}")))?;
            let [input, output] = &words[..] else {
                let message = format!("line {number} of the list: expected two paths, found {} words", words.len());
                return Err(Error::Usage(message));
            };
            let (verdict, error) = match self.judge_files(Path::new(input), Path::new(output)) {
                Ok(Some(told)) => {
                    differ += u64::from(!told.report.faithful);
                    (Some(told), None)
                }
                Ok(None) => {
                    undecided += 1;
                    (None, Some("not decided within the budget".to_owned()))
                }
                Err(error) => {
                    let is_of_dump = crate::command::exit_code(&error) == 1;
                    *(if is_of_dump { &mut differ } else { &mut failures }) += 1;
                    (None, Some(error.to_string()))
                }
            };
            let pair = JudgedPair { input: input.clone(), output: output.clone(), verdict, error };
            let written = match self.json {
                true => terminal::print_json(&pair),
                false => writeln!(terminal::stdout(), "{}", pair.line()).map_err(failed),
            };
            written?;
        }
        match (failures, undecided, differ) {
            (1.., ..) => Err(Error::Usage(format!("{failures} of the pairs could not be judged; their lines say why"))),
            (_, _, 1..) => Ok(CommandOutcome::No),
            (_, 1.., _) => Ok(CommandOutcome::Undecided),
            _ => Ok(CommandOutcome::Yes),
        }
    }

    /// The verdict on a conversion; `None` if it is undecided, which is said then.
    fn judge_files(&self, input: &Path, output: &Path) -> Result<Option<ToleratedReport<ConversionVerdict>>, Error> {
        let (mut input, of_input) = self.reading.open_with_named_errors(input)?;
        let (mut output, of_output) = self.reading.without_heap_number().open_with_named_errors(output)?;
        let tolerated = tolerate::join(of_input, of_output);
        let Some(format) = output.format()? else {
            return Err(Error::Usage(
                "the output is a listing or a heap file, not a dump; heapsmith compare compares those".to_owned(),
            ));
        };
        let writers = match (&self.profile, &mut output) {
            (None, OpenedHeap::Dump { file, source, .. }) => {
                CandidateWriters::from_dump(file, source, input.format()?)?
            }
            (None, _) => CandidateWriters::named(format.to_string().parse()?),
            (Some(profile), _) => CandidateWriters::named(format!("{format}/{profile}").parse()?),
        };
        let verdict = self.judge(&mut input, &mut output, &writers)?;
        Ok(verdict.map(|report| ToleratedReport { report, tolerated }))
    }

    /// The verdict by the nearest of these writers; `None` if it is undecided, which is said then.
    fn judge(
        &self,
        input: &mut OpenedHeap,
        output: &mut OpenedHeap,
        writers: &CandidateWriters,
    ) -> Result<Option<ConversionVerdict>, Error> {
        if !self.up_to_renaming {
            let judge = |target: &DumpTarget| {
                let verdict = judge(input.source(), output.source(), target, MEMORY)?;
                Ok((target.clone(), verdict))
            };
            let (writer, (target, verdict)) = writers.nearest(judge, |(_, verdict)| verdict.differing())?;
            let besides = omitted_by_writer(input.source(), output.source(), &target, &verdict, MEMORY)?;
            return Ok(Some(ConversionVerdict { writer, besides: Some(besides), ..verdict }));
        }
        let budget = self.budget.saturating_mul(1_000_000);
        let judge = |target: &DumpTarget| judge_up_to_renaming(input.source(), output.source(), target, budget);
        let differing = |judged: &RenamingVerdict| match judged {
            RenamingVerdict::Decided(verdict) => verdict.differing(),
            RenamingVerdict::Undecided(..) => 0,
        };
        let (writer, judged) = writers.nearest(judge, differing)?;
        Ok(match judged {
            RenamingVerdict::Decided(verdict) => Some(ConversionVerdict { writer, ..*verdict }),
            RenamingVerdict::Undecided(steps, ambiguous) => {
                let message = format!(
                    "undecided: after {steps} steps {ambiguous} objects have more than one possible counterpart; --budget \
                     allows more"
                );
                terminal::warning(&message);
                None
            }
        })
    }
}

/// Whether a line of a list has no pair: it is empty, or begins with `#`.
fn is_comment(line: &str) -> bool {
    let line = line.trim_start();
    line.is_empty() || line.starts_with('#')
}

/// A pair of a list, and what is said of it.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Pair")]
pub(crate) struct JudgedPair {
    /// The dump that was converted.
    input: String,
    /// The dump that the converter wrote.
    output: String,
    /// The verdict; absent if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    verdict: Option<ToleratedReport<ConversionVerdict>>,
    /// Why there is none: what is wrong with one of the two dumps, or that the budget ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

impl JudgedPair {
    fn line(&self) -> String {
        let (input, output) = (&self.input, &self.output);
        let said = match (&self.verdict, &self.error) {
            (Some(told), _) if told.report.faithful => terminal::good("faithful").to_string(),
            (Some(told), _) => {
                let facets: Vec<String> = told.report.differing_facets().map(|facet| facet.to_string()).collect();
                format!("{}: {}", terminal::bad("not faithful"), facets.join(", "))
            }
            (None, error) => format!("{}: {}", terminal::bad("not judged"), error.as_deref().unwrap_or_default()),
        };
        format!("{input} {output}: {said}")
    }
}

fn describe(verdict: &ConversionVerdict) -> Vec<String> {
    let mut lines = Vec::new();
    for d in &verdict.changed {
        let at = d.address.as_deref().map(|a| format!(", first at {a}")).unwrap_or_default();
        lines.push(format!("changed: {}: {}{at}", d.facet, compare::count_differing(d.count)));
        lines.push(format!("  input:  {}", d.left));
        lines.push(format!("  output: {}", d.right));
        for class in d.classes.iter().take(5).filter(|_| d.classes.len() > 1) {
            lines.push(format!("  {} of {}, first at {}", class.count, class.class, class.address));
        }
    }
    for missing in &verdict.missing {
        lines.push(format!("missing: {} ({}), which {} can carry", missing.facet, missing.count, verdict.to));
    }
    let word = if verdict.faithful { terminal::good("faithful") } else { terminal::bad("not faithful") };
    lines.push(format!(
        "{word}: {} facts compared; addresses: {}",
        verdict.compared,
        convert::describe_addresses(verdict.addresses)
    ));
    lines.push(format!("judged by {}", judged_by(verdict)));
    lines.extend(convert::lost_lines(&verdict.lost));
    for changed in verdict.by_rule.iter().filter(|changed| changed.rule.drops_fact()) {
        lines.push(format!(
            "writer-specific, not compared: {} ({})",
            changed.facet,
            text(changed.rule).trim_end_matches('.')
        ));
    }
    if let Some(besides) = verdict.besides.as_ref().filter(|besides| !besides.is_empty()) {
        let format = verdict.to.split('/').next().unwrap_or_default();
        lines.push(format!("another writer of {format} could have recorded: {}", describe_counts(besides)));
    }
    let invented = if verdict.invented.is_empty() { "nothing".to_owned() } else { describe_counts(&verdict.invented) };
    lines.push(format!("present only in the output: {invented}"));
    lines
}

fn judged_by(verdict: &ConversionVerdict) -> String {
    let to = &verdict.to;
    match verdict.writer {
        WriterFound::Named => to.clone(),
        WriterFound::Recognised => format!("{to}, whose profile gives exactly the output's bytes"),
        WriterFound::Nearest => format!("{to}, from whose dumps the output differs least; no profile gives its bytes"),
        WriterFound::Any => format!("all that {to} can carry"),
    }
}

fn describe_counts(all: &[FacetCount]) -> String {
    let each = all.iter().map(|FacetCount { facet, count }| format!("{facet} ({count})"));
    each.collect::<Vec<_>>().join(", ")
}
