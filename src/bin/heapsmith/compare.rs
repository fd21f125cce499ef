use std::collections::BTreeSet;
use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use heapsmith::compare::table::Target;
use heapsmith::compare::{Comparison, Facet, Options, Side, Span, compare_sources};
use heapsmith::error::Error;
use heapsmith::model::Address;

use crate::{Answer, open, terminal};

/// Compares two dumps or listings, fact by fact, on what both of them tell.
///
/// Exit code 0: no compared fact differs; 1: one does. The last line says what was not compared, and why;
/// `heapsmith facets` has the whole table. Objects are sorted outside of memory where there are many: it takes
/// the class table, the roots and some 256 MB, whatever the size of the dumps.
///
/// Example: heapsmith compare golden.phd converted.phd --leave-out record-order
#[derive(Args)]
pub(crate) struct Opts {
    /// Dump or listing; `-` is standard input.
    left: PathBuf,
    /// Dump or listing.
    right: PathBuf,
    #[command(flatten)]
    facets: FacetOpts,
    #[command(flatten)]
    heap: open::HeapOpt,
    #[command(flatten)]
    reading: open::ReadingOpts,
    /// A JSON report.
    #[arg(long)]
    json: bool,
}

/// Which facets to compare.
#[derive(Args)]
pub(crate) struct FacetOpts {
    /// Compare these facets alone (comma-separated), and which addresses there are; `heapsmith facets` lists
    /// them.
    #[arg(long, value_delimiter = ',', conflicts_with = "leave_out")]
    facets: Vec<Facet>,
    /// Facets that are not to be compared (comma-separated).
    #[arg(long, value_delimiter = ',')]
    leave_out: Vec<Facet>,
}

impl FacetOpts {
    /// Those that are left out.
    pub(crate) fn left_out(&self) -> Result<BTreeSet<Facet>, Error> {
        if let Some(needed) = self.leave_out.iter().find(|facet| !facet.may_be_omitted()) {
            return Err(Error::Usage(format!("{needed} cannot be left out: every other comparison rests on it")));
        }
        if self.facets.is_empty() {
            return Ok(self.leave_out.iter().copied().collect());
        }
        let others = Facet::ALL.into_iter().filter(|facet| facet.may_be_omitted() && !self.facets.contains(facet));
        Ok(others.collect())
    }
}

impl Opts {
    pub(crate) fn run(self) -> Result<Answer, Error> {
        let left_out = self.facets.left_out()?;
        if self.left.as_os_str() == "-" && self.right.as_os_str() == "-" {
            return Err(Error::Usage("standard input can be only one of the two sides".to_owned()));
        }
        let reading = self.reading.reading();
        let mut left = open::Side::open(&self.left, self.heap, reading)?;
        let mut right = open::Side::open(&self.right, self.heap, reading)?;
        let options = Options { left_out, ..Options::default() };
        let mut comparison = compare_sources(left.source(), right.source(), &options)?;
        locate(&mut comparison, &left, &right)?;
        let failed = |e| Error::io("writing standard output", e);
        let mut out = terminal::stdout();
        if self.json {
            let text = serde_json::to_string(&comparison).map_err(|e| failed(e.into()))?;
            writeln!(out, "{text}").map_err(failed)?;
        } else {
            write!(out, "{}", describe(&comparison)).map_err(failed)?;
            let reasons = Reasons { targets: [&left, &right].map(target), asked: !self.facets.facets.is_empty() };
            writeln!(out, "{}", reasons.describe(&comparison)).map_err(failed)?;
        }
        Ok(if comparison.equal { Answer::Yes } else { Answer::No })
    }
}

/// Finds where each side has the first record that differs in each facet.
pub(crate) fn locate(comparison: &mut Comparison, left: &open::Side, right: &open::Side) -> Result<(), Error> {
    let address = |text: &Option<String>| {
        let digits = text.as_ref()?.strip_prefix("0x")?;
        u64::from_str_radix(digits, 16).ok().map(Address)
    };
    let wanted: BTreeSet<Address> = comparison.differences.iter().filter_map(|d| address(&d.address)).collect();
    if wanted.is_empty() {
        return Ok(());
    }
    let places = (left.places(&wanted)?, right.places(&wanted)?);
    for difference in &mut comparison.differences {
        if let Some(address) = address(&difference.address) {
            difference.left_place = places.0.get(&address).copied();
            difference.right_place = places.1.get(&address).copied();
        }
    }
    Ok(())
}

/// So many classes are shown for each facet.
const CLASSES: usize = 5;

pub(crate) fn describe(comparison: &Comparison) -> String {
    let mut text = String::new();
    let place = |place: Option<Span>| {
        place.map(|Span { record, offset }| format!(" (record {record} at byte {offset})")).unwrap_or_default()
    };
    for d in &comparison.differences {
        let at = d.address.as_deref().map(|a| format!(", first at {a}")).unwrap_or_default();
        text += &format!("{}: {} differ{at}\n", d.facet, d.count);
        text += &format!("  left:  {}{}\n", d.left, place(d.left_place));
        text += &format!("  right: {}{}\n", d.right, place(d.right_place));
        for class in d.classes.iter().take(CLASSES).filter(|_| d.classes.len() > 1) {
            let name = if class.class.is_empty() { "(no class is told)" } else { &class.class };
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
fn target(side: &open::Side) -> Option<Target> {
    Some(Target { format: side.format().ok()??, profile: None })
}

/// Why facets were not compared.
struct Reasons {
    targets: [Option<Target>; 2],
    /// Whether facets were chosen by name.
    asked: bool,
}

impl Reasons {
    /// The closing line.
    fn describe(&self, comparison: &Comparison) -> String {
        let mut reasons: Vec<String> = Vec::new();
        let mut left_out = Vec::new();
        for n in &comparison.not_compared {
            match self.why(n.facet, n.why) {
                Some(why) => reasons.push(format!("{} ({} times; {why})", n.facet, n.count)),
                None => left_out.push(n.facet.to_string()),
            }
        }
        match left_out.as_slice() {
            [] => {}
            _ if self.asked => reasons.push("what --facets does not name".to_owned()),
            names => reasons.push(format!("{} (left out on request)", names.join(", "))),
        }
        let rest = if reasons.is_empty() { "nothing that either tells".to_owned() } else { reasons.join(", ") };
        format!("not compared: {rest}")
    }

    fn why(&self, facet: Facet, why: Side) -> Option<String> {
        let (side, target) = match why {
            Side::UnknownLeft => ("the left", &self.targets[0]),
            Side::UnknownRight => ("the right", &self.targets[1]),
            Side::LeftOut => return None,
            Side::NotCarried => return Some("the right's format does not carry it".to_owned()),
        };
        Some(match target {
            Some(target) if !target.column().is_comparable(facet) => {
                format!("{side} does not tell, as no {target} does")
            }
            _ => format!("{side} does not tell"),
        })
    }
}
