use std::collections::BTreeSet;
use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use heapsmith::compare::{Comparison, Facet, Side, compare};
use heapsmith::error::Error;

use crate::{Answer, open, terminal};

/// Compares two dumps or listings, fact by fact, on what both of them tell.
///
/// Exit code 0: no compared fact differs; 1: one does. The last line says what was not compared.
///
/// Example: heapsmith compare golden.phd converted.phd --leave-out record-order
#[derive(Args)]
pub(crate) struct Opts {
    /// Dump or listing; `-` is standard input.
    left: PathBuf,
    /// Dump or listing.
    right: PathBuf,
    /// Facets that are not to be compared (comma-separated): word-size, identifier-size, version-text,
    /// header-version, time-stamp, dump-times, header-totals, hash-randoms, class-name, superclass,
    /// interfaces, loader, signers, protection-domain, instance-size, class-object-size, fields, statics,
    /// constant-pool, class-references, class-serial, class-trace, class, class-word, object-size,
    /// array-length, hash, field-values, elements, primitive-contents, references, object-trace, roots,
    /// threads, stack-traces, regions, reference-order, record-order, root-order, events.
    #[arg(long, value_delimiter = ',')]
    leave_out: Vec<Facet>,
    #[command(flatten)]
    heap: open::HeapOpt,
    #[command(flatten)]
    reading: open::ReadingOpts,
    /// A JSON report.
    #[arg(long)]
    json: bool,
}

impl Opts {
    pub(crate) fn run(self) -> Result<Answer, Error> {
        let left_out: BTreeSet<Facet> = self.leave_out.iter().copied().collect();
        if let Some(needed) = left_out.iter().find(|facet| !facet.may_be_omitted()) {
            return Err(Error::Usage(format!("{needed} cannot be left out: every other comparison rests on it")));
        }
        if self.left.as_os_str() == "-" && self.right.as_os_str() == "-" {
            return Err(Error::Usage("standard input can be only one of the two sides".to_owned()));
        }
        let reading = self.reading.reading();
        let (left, right) = (open::heap(&self.left, self.heap, reading)?, open::heap(&self.right, self.heap, reading)?);
        let comparison = compare(&left, &right, &left_out);
        let failed = |e| Error::io("writing standard output", e);
        let mut out = terminal::stdout();
        if self.json {
            let text = serde_json::to_string(&comparison).map_err(|e| failed(e.into()))?;
            writeln!(out, "{text}").map_err(failed)?;
        } else {
            write!(out, "{}", describe(&comparison)).map_err(failed)?;
        }
        Ok(if comparison.equal { Answer::Yes } else { Answer::No })
    }
}

fn describe(comparison: &Comparison) -> String {
    let mut text = String::new();
    for d in &comparison.differences {
        let at = d.address.as_deref().map(|a| format!(", first at {a}")).unwrap_or_default();
        text += &format!("{}: {} differ{at}\n  left:  {}\n  right: {}\n", d.facet, d.count, d.left, d.right);
    }
    let verdict = if comparison.equal { terminal::good("equal") } else { terminal::bad("different") };
    text += &format!("{verdict}: {} facts compared\n", comparison.compared);
    let reasons: Vec<String> = comparison
        .not_compared
        .iter()
        .map(|n| {
            let why = match n.why {
                Side::UnknownLeft => "the left does not tell",
                Side::UnknownRight => "the right does not tell",
                Side::LeftOut => "left out on request",
            };
            format!("{} ({} times; {why})", n.facet, n.count)
        })
        .collect();
    let rest = if reasons.is_empty() { "nothing that either tells".to_owned() } else { reasons.join(", ") };
    text + &format!("not compared: {rest}\n")
}
