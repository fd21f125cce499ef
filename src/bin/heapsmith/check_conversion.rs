use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use heapsmith::compare::MEMORY;
use heapsmith::compare::renaming::BUDGET;
use heapsmith::convert::{Counted, Judged, Verdict, Writer, Writers, besides, judge, judge_up_to_renaming};
use heapsmith::error::Error;
use heapsmith::format::{HeapFile, Target, text};

use crate::tolerate::{self, Reported, TolerateOpt};
use crate::{Answer, compare, convert, open, terminal};

/// Judges a conversion by any converter: was anything lost or changed that dumps like the output carry?
///
/// Exit code 0: nothing was; 1: something was, or one of the two is not a valid dump; 2: it cannot be judged. The output is
/// judged by what its writer's dumps carry (`heapsmith facets`): the writer whose profile gives exactly the output's bytes; if
/// none does, the one from whose dumps it differs in the fewest facets, or all that the format can carry where the input has
/// the same format. What such dumps do not carry, what another writer of the format could have carried besides, and what is
/// present only in the output is listed apart. Addresses have to be
/// the same, or renumbered in ascending order as `heapsmith convert` does where the format cannot hold them. Many objects are
/// sorted in temporary files: memory is the class tables, the roots and some 256 MB.
///
/// Example: heapsmith check-conversion heap.hprof converted.phd
#[derive(Args)]
pub(crate) struct Opts {
    /// The dump that was converted; `-` is standard input.
    input: PathBuf,
    /// The dump that the converter wrote.
    output: PathBuf,
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
    heap: open::HeapOpt,
    #[command(flatten)]
    reading: open::ReadingOpts,
    #[command(flatten)]
    tolerate: TolerateOpt,
    /// Print a JSON report instead of text.
    #[arg(long)]
    json: bool,
}

impl Opts {
    pub(crate) fn run(self) -> Result<Answer, Error> {
        if self.input.as_os_str() == "-" && self.output.as_os_str() == "-" {
            return Err(Error::Usage("standard input can be only one of the two sides".to_owned()));
        }
        let reading = self.reading.reading();
        let (mut input, of_input) = open::one_heap(&self.input, self.heap, reading, self.tolerate)?;
        let only = open::HeapOpt { heap: None };
        let (mut output, of_output) = open::one_heap(&self.output, only, reading, self.tolerate)?;
        let tolerated = tolerate::both(of_input, of_output);
        let Some(format) = output.format()? else {
            return Err(Error::Usage(
                "the output is a listing, not a dump; heapsmith compare compares listings".to_owned(),
            ));
        };
        let writers = match (&self.profile, &mut output) {
            (None, HeapFile::Dump { file, source, .. }) => Writers::of(file, source, input.format()?)?,
            (None, HeapFile::Listing(_)) => Writers::named(format.to_string().parse()?),
            (Some(profile), _) => Writers::named(format!("{format}/{profile}").parse()?),
        };
        let Some(verdict) = self.judge(&mut input, &mut output, &writers)? else { return Ok(Answer::Undecided) };
        let faithful = verdict.faithful;
        let failed = |e| Error::io("writing standard output", e);
        if self.json {
            let text = serde_json::to_string(&Reported { report: verdict, tolerated }).map_err(|e| failed(e.into()))?;
            writeln!(terminal::data(), "{text}").map_err(failed)?;
        } else {
            let mut lines = describe(&verdict);
            lines.extend(tolerate::describe(tolerated.as_deref()));
            writeln!(terminal::stdout(), "{}", lines.join("\n")).map_err(failed)?;
        }
        Ok(if faithful { Answer::Yes } else { Answer::No })
    }

    /// The verdict by the nearest of these writers; `None` if it is undecided, which is said then.
    fn judge(&self, input: &mut HeapFile, output: &mut HeapFile, writers: &Writers) -> Result<Option<Verdict>, Error> {
        if !self.up_to_renaming {
            let judge = |target: &Target| {
                let verdict = judge(input.source(), output.source(), target, MEMORY)?;
                Ok((target.clone(), verdict))
            };
            let (writer, (target, verdict)) = writers.nearest(judge, |(_, verdict)| verdict.differing())?;
            let besides = besides(input.source(), output.source(), &target, &verdict, MEMORY)?;
            return Ok(Some(Verdict { writer, besides: Some(besides), ..verdict }));
        }
        let budget = self.budget.saturating_mul(1_000_000);
        let judge = |target: &Target| judge_up_to_renaming(input.source(), output.source(), target, budget);
        let differing = |judged: &Judged| match judged {
            Judged::Decided(verdict) => verdict.differing(),
            Judged::Undecided(..) => 0,
        };
        let (writer, judged) = writers.nearest(judge, differing)?;
        Ok(match judged {
            Judged::Decided(verdict) => Some(Verdict { writer, ..*verdict }),
            Judged::Undecided(steps, ambiguous) => {
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

fn describe(verdict: &Verdict) -> Vec<String> {
    let mut lines = Vec::new();
    for d in &verdict.changed {
        let at = d.address.as_deref().map(|a| format!(", first at {a}")).unwrap_or_default();
        lines.push(format!("changed: {}: {}{at}", d.facet, compare::differ(d.count)));
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
        convert::addresses(verdict.addresses)
    ));
    lines.push(format!("judged by {}", judged_by(verdict)));
    lines.extend(convert::lost(&verdict.lost));
    for changed in verdict.by_rule.iter().filter(|changed| changed.rule.drops()) {
        lines.push(format!(
            "writer-specific, not compared: {} ({})",
            changed.facet,
            text(changed.rule).trim_end_matches('.')
        ));
    }
    if let Some(besides) = verdict.besides.as_ref().filter(|besides| !besides.is_empty()) {
        let format = verdict.to.split('/').next().unwrap_or_default();
        lines.push(format!("another writer of {format} could have recorded: {}", counts(besides)));
    }
    let invented = if verdict.invented.is_empty() { "nothing".to_owned() } else { counts(&verdict.invented) };
    lines.push(format!("present only in the output: {invented}"));
    lines
}

fn judged_by(verdict: &Verdict) -> String {
    let to = &verdict.to;
    match verdict.writer {
        Writer::Named => to.clone(),
        Writer::Recognised => format!("{to}, whose profile gives exactly the output's bytes"),
        Writer::Nearest => format!("{to}, from whose dumps the output differs least; no profile gives its bytes"),
        Writer::Any => format!("all that {to} can carry"),
    }
}

fn counts(all: &[Counted]) -> String {
    let each = all.iter().map(|Counted { facet, count }| format!("{facet} ({count})"));
    each.collect::<Vec<_>>().join(", ")
}
