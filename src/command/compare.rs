use std::collections::BTreeSet;
use std::io::Write;
use std::path::PathBuf;

use crate::compare::renaming::{BUDGET, BY_FILE, Renaming, up_to_renaming};
use crate::compare::{
    CompareOptions, Comparison, Facet, JavaNames, MEMORY, NotComparedReason, RecordSpan, compare_sources,
};
use crate::error::Error;
use crate::format::{DumpTarget, OpenedHeap, locate};
use crate::model::string_text::{StringTexts, TextSource, Utf16Order};
use crate::model::{Heap, HeapSource};
use crate::output::Output;
use crate::validate::Tolerated;
use clap::{Args, ValueEnum};

use crate::command::help::HelpEnding;
use crate::command::tolerate::{self, ToleratedReport};
use crate::command::{CommandOutcome, open, terminal};

/// Compares two dumps, listings or heap files: every fact that both of them record.
///
/// The last line says what was not compared, and why; `heapsmith facets` has the whole table. Many objects are sorted in
/// temporary files: memory is the class tables, the roots and some 256 MB.
#[derive(Args)]
#[command(after_long_help = HELP_ENDING)]
pub(crate) struct CompareOpts {
    /// Dump, listing or heap file (its name ends in .kdl); `-` is standard input. A listing is held in memory: some 700 bytes an
    /// object, and the contents of arrays.
    left: PathBuf,
    /// Dump, listing or heap file; a listing is held in memory like the first one.
    right: PathBuf,
    #[command(flatten)]
    facets: FacetFilterOpts,
    #[command(flatten)]
    reading: open::HeapInputOpts,
    /// Accept other addresses (another JVM's, or a converter's new ones) if the graph is the same. Both heaps are held in memory.
    /// Without it, objects are compared by address.
    #[arg(long)]
    up_to_renaming: bool,
    /// With --up-to-renaming: give up after this number of millions of edges.
    #[arg(long, default_value_t = BUDGET / 1_000_000, requires = "up_to_renaming")]
    budget: u64,
    /// With --up-to-renaming: write the mapping that was found to this file, a line for each address; `-` is
    /// standard output, and then the report goes to standard error. Without it, none is written.
    #[arg(long, requires = "up_to_renaming")]
    mapping: Option<PathBuf>,
    /// The form in which names of classes are compared: as each dump has them, or that of Java source
    /// (java.lang.String, int[]) for both.
    #[arg(long, value_enum, default_value_t = ClassNamesOpt::Dump)]
    class_names: ClassNamesOpt,
    /// Print a JSON report instead of text.
    #[arg(long)]
    json: bool,
}

const HELP_ENDING: HelpEnding = HelpEnding {
    examples: &[
        ("Compare all but an order", "heapsmith compare heapdump.phd converted.phd --leave-out record-order"),
        (
            "Compare dumps of two processes, whose addresses differ",
            "heapsmith compare heapdump.hprof other.hprof --up-to-renaming",
        ),
    ],
    exit_codes: &[
        (0, "no compared fact differs"),
        (1, "a fact differs, or one of the two is not a valid dump"),
        (3, "not decided within the budget of --up-to-renaming"),
    ],
};

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ClassNamesOpt {
    /// As each dump has them.
    Dump,
    /// That of Java source.
    Java,
}

/// The options that choose facets to compare.
#[derive(Args)]
pub(crate) struct FacetFilterOpts {
    /// Compare only these facets (comma-separated; `heapsmith facets` lists them) and which addresses exist. Without it, all facets.
    #[arg(long, value_delimiter = ',', conflicts_with = "leave_out")]
    facets: Vec<Facet>,
    /// Do not compare these facets (comma-separated). Without it, all are compared.
    #[arg(long, value_delimiter = ',')]
    leave_out: Vec<Facet>,
}

impl FacetFilterOpts {
    /// The facets that are left out.
    pub(crate) fn left_out(&self) -> Result<BTreeSet<Facet>, Error> {
        if let Some(needed) = self.leave_out.iter().find(|facet| !facet.is_omittable()) {
            return Err(Error::Usage(format!(
                "--leave-out {needed}: every other comparison needs this facet; leave out others"
            )));
        }
        if self.facets.is_empty() {
            return Ok(self.leave_out.iter().flat_map(|facet| facet.with_part()).collect());
        }
        let others = Facet::ALL.into_iter().filter(|facet| facet.is_omittable() && !self.facets.contains(facet));
        Ok(others.collect())
    }
}

impl CompareOpts {
    pub(crate) fn run(self) -> Result<CommandOutcome, Error> {
        let left_out = self.facets.left_out()?;
        if self.left.as_os_str() == "-" && self.right.as_os_str() == "-" {
            return Err(Error::Usage("standard input can be only one of the two sides".to_owned()));
        }
        let (mut left, of_left) = self.reading.open_with_named_errors(&self.left)?;
        let (mut right, of_right) = self.reading.open_with_named_errors(&self.right)?;
        let tolerated = tolerate::join(of_left, of_right);
        let asked = left_out.clone();
        let mut left_out = left_out;
        // What a listing says it omits it may not have worked out, and what a heap file does not give it leaves open.
        let omits =
            [&left, &right].map(|side| side.omits().iter().copied().filter(|facet| facet.is_omittable()).collect());
        omits.iter().for_each(|omits: &Vec<Facet>| left_out.extend(omits));
        let options = CompareOptions::default().left_out(left_out.clone());
        let compared = |left: &mut dyn HeapSource, right: &mut dyn HeapSource| match self.up_to_renaming {
            true => self.compare_up_to_renaming(&left_out, left, right, tolerated.clone()).map(Err),
            false => compare_sources(left, right, &options).map(Ok),
        };
        // Where a listing states the texts of strings, those of the other side are worked out.
        let has_texts = [&left, &right].into_iter().any(lists_texts) && !left_out.contains(&Facet::StringText);
        let texts = |side: &mut OpenedHeap| match has_texts {
            true => StringTexts::from_source(side.source(), MEMORY as u64, Utf16Order::default()),
            false => Ok(None),
        };
        let [of_left, of_right] = [texts(&mut left)?.unwrap_or_default(), texts(&mut right)?.unwrap_or_default()];
        let mut sides = [TextSource::new(left.source(), of_left), TextSource::new(right.source(), of_right)];
        let [one, other] = &mut sides;
        let compared = match self.class_names {
            ClassNamesOpt::Dump => compared(one, other)?,
            ClassNamesOpt::Java => compared(&mut JavaNames::new(one), &mut JavaNames::new(other))?,
        };
        let mut comparison = match compared {
            Ok(comparison) => comparison,
            Err(answer) => return Ok(answer),
        };
        locate(&mut comparison, &left, &right)?;
        let equal = comparison.equal;
        let failed = |e| Error::io("writing standard output", e);
        if self.json {
            terminal::print_json(&ToleratedReport { report: comparison, tolerated })?;
        } else {
            let mut out = terminal::stdout();
            write!(out, "{}", describe(&comparison)).map_err(failed)?;
            let chosen = !self.facets.facets.is_empty();
            let (targets, nouns) = ([&left, &right].map(target), [&left, &right].map(noun));
            let reasons = NotComparedReasons { targets, nouns, omits, left_out: asked, chosen };
            writeln!(out, "{}", reasons.describe(&comparison)).map_err(failed)?;
            print_tolerated(&mut out, tolerated.as_deref())?;
        }
        Ok(if equal { CommandOutcome::Yes } else { CommandOutcome::No })
    }
}

impl CompareOpts {
    fn compare_up_to_renaming(
        &self,
        left_out: &BTreeSet<Facet>,
        left: &mut dyn HeapSource,
        right: &mut dyn HeapSource,
        tolerated: Option<Vec<Tolerated>>,
    ) -> Result<CommandOutcome, Error> {
        // Before the work, so that it is not in vain.
        let output = self.mapping.as_deref().map(|path| Output::create(path, false)).transpose()?;
        let (left, right) = (Heap::collect(left)?, Heap::collect(right)?);
        let renaming = up_to_renaming(&left, &right, left_out, self.budget.saturating_mul(1_000_000));
        let answer = match renaming {
            Renaming::Equal { .. } => CommandOutcome::Yes,
            Renaming::Different { .. } => CommandOutcome::No,
            Renaming::Undecided { .. } => CommandOutcome::Undecided,
        };
        if let (Renaming::Equal { mapping, .. }, Some(mut output)) = (&renaming, output) {
            for (left, right) in mapping {
                writeln!(output, "{left} {right}").map_err(|e| Error::io("writing the mapping", e))?;
            }
            output.finish()?;
        }
        let failed = |e| Error::io("writing standard output", e);
        if self.json {
            let report = ToleratedReport { report: renaming, tolerated };
            terminal::print_json_beside(self.mapping.as_deref(), &report)?;
        } else {
            let mut out = terminal::text_beside(self.mapping.as_deref());
            writeln!(out, "{}", describe_renaming(&renaming)).map_err(failed)?;
            print_tolerated(&mut out, tolerated.as_deref())?;
        }
        Ok(answer)
    }
}

/// Whether a side is a listing that states the text of a string.
fn lists_texts(side: &OpenedHeap) -> bool {
    matches!(side, OpenedHeap::Listing(listing) if listing.heap.objects.iter().any(|object| object.text.is_some()))
}

/// Prints the rules that were tolerated.
fn print_tolerated(out: &mut dyn Write, tolerated: Option<&[Tolerated]>) -> Result<(), Error> {
    let mut lines = tolerate::describe(tolerated).into_iter();
    lines.try_for_each(|line| writeln!(out, "{line}")).map_err(|e| Error::io("writing standard output", e))
}

fn describe_renaming(renaming: &Renaming) -> String {
    match renaming {
        Renaming::Equal { mapping, comparison } => {
            let moved = mapping.iter().filter(|(left, right)| left != right).count();
            let verdict = terminal::good("equal");
            let facts = format!(
                "{verdict} up to renaming: {} facts compared, {moved} of {} addresses differ",
                comparison.compared,
                mapping.len()
            );
            let names: Vec<String> = BY_FILE.iter().map(Facet::to_string).collect();
            format!("{facts}\nnot compared: {}, which describe the file and not the graph", names.join(", "))
        }
        Renaming::Different { invariant, left, right } => {
            format!("{}: {invariant}: {left} on the left, {right} on the right", terminal::bad("different"))
        }
        Renaming::Undecided { steps, ambiguous } => format!(
            "{}: after {steps} steps {ambiguous} objects have more than one possible counterpart; --budget allows more",
            terminal::doubtful("undecided")
        ),
    }
}

/// The number of times that a facet was not compared, in words.
fn count_times(count: u64) -> String {
    if count == 1 { "once".to_owned() } else { format!("{count} times") }
}

/// The number of times that a facet differs, in words.
pub(crate) fn count_differing(count: u64) -> String {
    if count == 1 { "1 differs".to_owned() } else { format!("{count} differ") }
}

/// The number of classes that are shown for each facet.
const CLASSES: usize = 5;

pub(crate) fn describe(comparison: &Comparison) -> String {
    let mut text = String::new();
    let place = |place: Option<RecordSpan>| {
        place.map(|RecordSpan { record, offset }| format!(" (record {record} at byte {offset})")).unwrap_or_default()
    };
    for d in &comparison.differences {
        let at = d.address.as_deref().map(|a| format!(", first at {a}")).unwrap_or_default();
        text += &format!("{}: {}{at}\n", d.facet, count_differing(d.count));
        text += &format!("  left:  {}{}\n", d.left, place(d.left_place));
        text += &format!("  right: {}{}\n", d.right, place(d.right_place));
        for class in d.classes.iter().take(CLASSES).filter(|_| d.classes.len() > 1) {
            let name = if class.class.is_empty() {
                "(class not recorded)".to_owned()
            } else {
                terminal::single_line(&class.class)
            };
            text += &format!("  {} of {name}, first at {}\n", class.count, class.address);
        }
        if d.classes.len() > CLASSES {
            text += &format!("  and of {} more classes; --json has them all\n", d.classes.len() - CLASSES);
        }
    }
    let verdict = if comparison.equal { terminal::good("equal") } else { terminal::bad("different") };
    text + &format!("{verdict}: {} facts compared\n", comparison.compared)
}

/// The format of a side, where it is known.
fn target(side: &OpenedHeap) -> Option<DumpTarget> {
    Some(DumpTarget { format: side.format().ok()??, profile: None })
}

/// The word for a side.
fn noun(side: &OpenedHeap) -> &'static str {
    match side {
        OpenedHeap::Listing(_) => "listing",
        OpenedHeap::Dump { .. } => "dump",
        OpenedHeap::HeapFile { .. } => "heap file",
    }
}

/// The reasons why facets were not compared.
struct NotComparedReasons {
    targets: [Option<DumpTarget>; 2],
    nouns: [&'static str; 2],
    /// The facets that each side says it omits.
    omits: [Vec<Facet>; 2],
    /// The facets that were to be left out.
    left_out: BTreeSet<Facet>,
    /// Whether facets were chosen by name.
    chosen: bool,
}

impl NotComparedReasons {
    /// The closing line.
    fn describe(&self, comparison: &Comparison) -> String {
        let mut reasons: Vec<String> = Vec::new();
        let mut left_out = Vec::new();
        for n in &comparison.not_compared {
            match self.reason(n.facet, n.why) {
                Some(why) => reasons.push(format!("{} ({}; {why})", n.facet, count_times(n.count))),
                None => left_out.push(n.facet.to_string()),
            }
        }
        match left_out.as_slice() {
            [] => {}
            _ if self.chosen => reasons.push("what --facets does not name".to_owned()),
            names => reasons.push(format!("{} (left out on request)", names.join(", "))),
        }
        let rest = if reasons.is_empty() {
            "nothing; every recorded fact was compared".to_owned()
        } else {
            reasons.join(", ")
        };
        format!("not compared: {rest}")
    }

    fn reason(&self, facet: Facet, why: NotComparedReason) -> Option<String> {
        let (side, target) = match why {
            NotComparedReason::UnknownLeft => ("the left-hand", &self.targets[0]),
            NotComparedReason::UnknownRight => ("the right-hand", &self.targets[1]),
            NotComparedReason::LeftOut if self.left_out.contains(&facet) => return None,
            NotComparedReason::LeftOut => {
                let (side, noun) = match self.omits[0].contains(&facet) {
                    true => ("the left-hand", self.nouns[0]),
                    false => ("the right-hand", self.nouns[1]),
                };
                return Some(format!("{side} {noun} omits it"));
            }
            NotComparedReason::NotCarried => return Some("the right-hand dump's format cannot record it".to_owned()),
        };
        Some(match target {
            Some(target) if !target.column().is_comparable(facet) => {
                format!("{side} dump does not record it; no {target} dump can")
            }
            _ => format!("{side} dump does not record it"),
        })
    }
}
