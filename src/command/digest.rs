use std::io::Write;
use std::path::{Path, PathBuf};

use crate::compare::Facet;
use crate::digest::{
    BUCKETS, Digest, DigestDifference, DigestOptions, FacetSelection, RecordKind, compare_digests, digest,
};
use crate::error::Error;
use crate::input::{LONGEST_REPORT, read_text};
use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;

use crate::command::help::HelpEnding;
use crate::command::tolerate::{self, ToleratedReport};
use crate::command::{CommandOutcome, open, terminal};

/// Prints the digest of a heap: a SHA-256 of every record, summed, which does not depend on the order of
/// records.
///
/// Two parties who cannot send each other a dump exchange digests: the whole, then those of the 256
/// buckets of addresses, then the records of a bucket that differs. specs/digest.md defines them.
///
/// Memory is the class table and the roots, and mostly 8 bytes or less for each class and object while the dump is validated.
#[derive(Args)]
#[command(after_long_help = HELP_ENDING)]
pub(crate) struct DigestOpts {
    /// Dump, listing or heap file (its name ends in .kdl); `-` is standard input. A listing is held in memory: some 700 bytes an
    /// object, and the contents of arrays.
    file: PathBuf,
    /// Digest only these facets (comma-separated; `heapsmith facets` lists them). Without it, all that the dump records, except
    /// those about an order. Digests of different facets cannot be compared.
    #[arg(long, value_delimiter = ',')]
    facets: Vec<Facet>,
    /// Print the digest of each facet alone, too: slower, a SHA-256 for each fact. Without it, only the whole.
    #[arg(long)]
    by_facet: bool,
    /// Print the digests of all 256 buckets of addresses, too. Without it, only the whole.
    #[arg(long, conflicts_with = "bucket")]
    buckets: bool,
    /// Print the records of one bucket, by address, each with its digest: 48 bytes of memory each. Without it, none.
    #[arg(long, value_name = "N")]
    bucket: Option<u8>,
    /// Compare with the other party's digest, as --json printed it, over the same facets, and say where the two differ. Without it,
    /// nothing is compared.
    #[arg(long, value_name = "JSON", conflicts_with = "facets")]
    against: Option<PathBuf>,
    #[command(flatten)]
    reading: open::HeapInputOpts,
    /// Print a JSON report instead of text.
    #[arg(long)]
    json: bool,
}

const HELP_ENDING: HelpEnding = HelpEnding {
    examples: &[
        ("Make the digest that another party needs", "heapsmith digest heapdump.phd --buckets --json > ours.json"),
        ("Compare with the digest that the other party made", "heapsmith digest heapdump.phd --against theirs.json"),
    ],
    exit_codes: &[
        (0, "fine; with --against, the digests are equal"),
        (1, "the digests differ, or the dump is not valid"),
    ],
};

/// Version of what is printed as JSON; the digest itself is as it was in the first one.
const SCHEMA: u32 = 4;

/// What is printed as JSON.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Report")]
pub(crate) struct DigestReport {
    #[serde(flatten)]
    digest: Digest,
    /// Where it differs from the other party's.
    #[serde(skip_serializing_if = "Option::is_none")]
    against: Option<DigestDifference>,
}

impl DigestOpts {
    pub(crate) fn run(self) -> Result<CommandOutcome, Error> {
        let theirs = self.against.as_deref().map(read_digest).transpose()?;
        let facets = match &theirs {
            Some(theirs) => FacetSelection::from_facets(&theirs.facets)?,
            None if self.facets.is_empty() => FacetSelection::unordered(),
            None => FacetSelection::from_facets(&self.facets)?,
        };
        let by_facet = self.by_facet || theirs.as_ref().is_some_and(|theirs| theirs.by_facet.is_some());
        let bucket = self.bucket.or(theirs.as_ref().and_then(|theirs| Some(theirs.bucket.as_ref()?.number)));
        let options = DigestOptions::default().facets(facets).by_facet(by_facet).bucket(bucket);
        let (mut heap, tolerated) = self.reading.open(&self.file)?;
        let mut digest = digest(heap.source(), &options)?;
        let difference = theirs.as_ref().map(|theirs| compare_digests(theirs, &digest));
        if !self.buckets {
            digest.buckets = None;
        }
        let equal = difference.as_ref().is_none_or(|difference| difference.equal);
        let failed = |e| Error::io("writing standard output", e);
        if self.json {
            digest.schema = SCHEMA;
            let report = DigestReport { digest, against: difference };
            terminal::print_json(&ToleratedReport { report, tolerated })?;
        } else {
            let mut out = terminal::stdout();
            // What the other party lists is listed here only on request.
            digest.bucket = digest.bucket.filter(|_| self.bucket.is_some());
            digest.by_facet = digest.by_facet.filter(|_| self.by_facet);
            self.describe(&digest, &mut out).map_err(failed)?;
            for line in tolerate::describe(tolerated.as_deref()) {
                writeln!(out, "{line}").map_err(failed)?;
            }
            if let Some(difference) = difference {
                write!(out, "{}", describe(&difference)).map_err(failed)?;
            }
        }
        Ok(if equal { CommandOutcome::Yes } else { CommandOutcome::No })
    }

    fn describe(&self, digest: &Digest, out: &mut dyn Write) -> std::io::Result<()> {
        writeln!(out, "digest        {}", digest.digest)?;
        writeln!(out, "surroundings  {}", digest.surroundings)?;
        let roots = digest.roots.map_or("roots not recorded".to_owned(), |roots| format!("{roots} roots"));
        writeln!(out, "of            {} classes, {} objects, {roots}", digest.classes, digest.objects)?;
        writeln!(out, "facets        {}", names(&digest.facets))?;
        let silent: Vec<Facet> = self.facets.iter().copied().filter(|facet| !digest.facets.contains(facet)).collect();
        if !silent.is_empty() {
            writeln!(out, "not recorded  {}", names(&silent))?;
        }
        for alone in digest.by_facet.iter().flatten() {
            writeln!(out, "{:<20}  {}", alone.facet.to_string(), alone.digest)?;
        }
        for (number, sum) in digest.buckets.iter().flatten().enumerate() {
            writeln!(out, "bucket {number:<5}  {sum}")?;
        }
        if let Some(bucket) = &digest.bucket {
            writeln!(out, "bucket {:<5}  {} records", bucket.number, bucket.records.len())?;
            for record in &bucket.records {
                let kind = match record.record {
                    RecordKind::Entry => "entry",
                    RecordKind::Root => "root ",
                };
                writeln!(out, "{:#018x}  {kind}  {}", record.address.0, record.digest)?;
            }
        }
        Ok(())
    }
}

/// The other party's report.
fn read_digest(path: &Path) -> Result<Digest, Error> {
    let wrong = |found: String| {
        Error::Usage(format!("{}: expected a digest as `digest --json` prints it; {found}", path.display()))
    };
    let text = read_text(path, LONGEST_REPORT)?;
    let digest: Digest = serde_json::from_str(&text).map_err(|e| wrong(e.to_string()))?;
    match &digest.buckets {
        _ if !(1..=SCHEMA).contains(&digest.schema) => {
            Err(wrong(format!("its schema is {}, not 1 to {SCHEMA}", digest.schema)))
        }
        Some(buckets) if buckets.len() != BUCKETS => Err(wrong(format!("it has {} buckets", buckets.len()))),
        _ => Ok(digest),
    }
}

fn names(facets: &[Facet]) -> String {
    let names: Vec<String> = facets.iter().map(Facet::to_string).collect();
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}

fn describe(difference: &DigestDifference) -> String {
    if difference.equal {
        return format!("{}\n", terminal::good("equal"));
    }
    let mut text = format!("{}\n", terminal::bad("different"));
    if !difference.facets.is_empty() {
        text +=
            &format!("  not recorded here, so that the digests cannot be compared: {}\n", names(&difference.facets));
    }
    if difference.surroundings {
        text += "  surroundings: facts without an address\n";
    }
    if let Some(facets) = &difference.by_facet {
        text += &format!("  facets: {}\n", names(facets));
    }
    let joined = |items: Vec<String>| if items.is_empty() { "none".to_owned() } else { items.join(", ") };
    if let Some(buckets) = &difference.buckets {
        text += &format!("  buckets: {}\n", joined(buckets.iter().map(u8::to_string).collect()));
    }
    if let Some(addresses) = &difference.addresses {
        text += &format!("  addresses: {}\n", joined(addresses.iter().map(|a| format!("{:#x}", a.0)).collect()));
    }
    text
}
