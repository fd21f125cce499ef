use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use heapsmith::compare::MEMORY;
use heapsmith::compare::renaming::BUDGET;
use heapsmith::convert::{Judged, Verdict, judge, judge_up_to_renaming};
use heapsmith::error::Error;
use heapsmith::format::{Target, text};

use crate::tolerate::{self, Reported, TolerateOpt};
use crate::{Answer, convert, open, terminal};

/// Judges a conversion, whoever made it: was anything lost or changed that the output's format could carry?
///
/// Exit code 0: nothing was; 1: something was, or one of the two is not a valid dump; 2: it cannot be judged. What the
/// format does not carry (`heapsmith facets`) and what is present only in the output is listed apart. Addresses have to be
/// the same, or renumbered in ascending order as `heapsmith convert` does where the format cannot hold them. Many objects are
/// sorted in temporary files: memory is the class tables, the roots and some 256 MB.
///
/// Example: heapsmith check-conversion heap.hprof converted.phd
#[derive(Args)]
pub(crate) struct Opts {
    /// The dump that was converted; `-` is standard input.
    input: PathBuf,
    /// What was made of it.
    output: PathBuf,
    /// Judge by what this writer's dumps carry; default: by what the format can carry.
    #[arg(long)]
    profile: Option<String>,
    /// The converter gives objects addresses of its own: find out whether the graph is the same under other
    /// addresses. Both heaps are held in memory; classes that a converter makes up have no counterpart. Exit
    /// code 3: not decided within the budget.
    #[arg(long)]
    up_to_renaming: bool,
    /// With --up-to-renaming: give up after so many millions of edges.
    #[arg(long, default_value_t = BUDGET / 1_000_000, requires = "up_to_renaming")]
    budget: u64,
    #[command(flatten)]
    heap: open::HeapOpt,
    #[command(flatten)]
    reading: open::ReadingOpts,
    #[command(flatten)]
    tolerate: TolerateOpt,
    /// A JSON report.
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
        let name = self.profile.map_or_else(|| format.to_string(), |profile| format!("{format}/{profile}"));
        let target: Target = name.parse()?;
        let verdict = if self.up_to_renaming {
            let budget = self.budget.saturating_mul(1_000_000);
            match judge_up_to_renaming(input.source(), output.source(), &target, budget)? {
                Judged::Decided(verdict) => *verdict,
                Judged::Undecided(steps, ambiguous) => {
                    let message = format!(
                        "undecided: after {steps} steps {ambiguous} objects have more than one possible counterpart; --budget \
                         allows more"
                    );
                    terminal::warning(&message);
                    return Ok(Answer::Undecided);
                }
            }
        } else {
            judge(input.source(), output.source(), &target, MEMORY)?
        };
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
}

fn describe(verdict: &Verdict) -> Vec<String> {
    let mut lines = Vec::new();
    for d in &verdict.changed {
        let at = d.address.as_deref().map(|a| format!(", first at {a}")).unwrap_or_default();
        lines.push(format!("changed: {}: {} differ{at}", d.facet, d.count));
        lines.push(format!("  input:  {}", d.left));
        lines.push(format!("  output: {}", d.right));
        for class in d.classes.iter().take(5).filter(|_| d.classes.len() > 1) {
            lines.push(format!("  {} of {}, first at {}", class.count, class.class, class.address));
        }
    }
    for missing in &verdict.missing {
        lines.push(format!("lost: {} ({}), which {} can carry", missing.facet, missing.count, verdict.to));
    }
    let word = if verdict.faithful { terminal::good("faithful") } else { terminal::bad("not faithful") };
    lines.push(format!(
        "{word}: {} facts compared; addresses: {}",
        verdict.compared,
        convert::addresses(verdict.addresses)
    ));
    let names = |names: Vec<String>| if names.is_empty() { "nothing".to_owned() } else { names.join(", ") };
    let beyond = verdict.beyond.iter().filter(|beyond| beyond.rule.is_none()).map(|beyond| beyond.facet.to_string());
    lines.push(format!("not carried by {}: {}", verdict.to, names(beyond.collect())));
    for beyond in &verdict.beyond {
        if let Some(rule) = beyond.rule {
            lines.push(format!("in the writer's own way: {} ({})", beyond.facet, text(rule).trim_end_matches('.')));
        }
    }
    let invented = verdict.invented.iter().map(|invented| format!("{} ({})", invented.facet, invented.count));
    lines.push(format!("told by the output alone: {}", names(invented.collect())));
    lines
}
