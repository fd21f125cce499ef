//! The rows of a listing's first line: facts of the whole heap, and how many lines there are.

use crate::compare::facet::Facet;
use crate::compare::spelling::ListedNumber;
use crate::model::{Facts, HeaderTotals, Surroundings};

use super::{Described, Fact, FactWalk, KeyPresence, LineKinds, ListingKey, key, set_slot};

/// The first line of a listing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListingHead {
    /// Version of the listing format: 1.
    pub listing: u32,
    /// Dump format (`phd4`, `phd5`, `phd6`, `hprof`, `classic`).
    pub format: Option<String>,
    /// The writer profile that gives the dump's bytes again, where one does.
    pub profile: Option<String>,
    /// Index of the heap in its dump, from 0, where the dump has several.
    pub heap: Option<u64>,
    /// Facts of the dump's header.
    pub facts: Facts,
    /// When the heap was dumped, and when that ended.
    pub times: Option<(u32, u32)>,
    /// The numbers of classes, objects, references, roots, threads, stack traces, regions and events.
    pub counts: [Option<u64>; COUNTS.len()],
    /// Facets that this decoder does not report.
    pub omits: Vec<Facet>,
}

/// The keys of the counts in a listing's first line, with their descriptions.
const COUNTS: [(&str, &str); 8] = [
    ("classes", "Number of classes in the listing."),
    ("objects", "Number of objects in the listing, classes not counted."),
    ("references", "Number of references of classes and objects together."),
    ("roots", "Number of roots in the listing."),
    ("threads", "Number of threads in the listing."),
    ("traces", "Number of stack traces in the listing."),
    ("regions", "Number of regions in the listing."),
    ("events", "Number of events in the listing."),
];

impl ListingHead {
    /// A first line with the facts of a heap and no counts.
    pub fn from_facts(facts: &Facts, around: &Surroundings) -> ListingHead {
        ListingHead { listing: 1, facts: facts.clone(), times: around.times, ..ListingHead::default() }
    }

    /// The counts with their keys.
    #[doc(hidden)]
    pub fn keyed_counts(&self) -> impl Iterator<Item = (&'static str, Option<u64>)> {
        COUNTS.map(|(name, _)| name).into_iter().zip(self.counts)
    }
}

impl Described for ListingHead {
    const LINES: LineKinds = &[("Head", "The first line of a listing.")];

    fn walk(walk: &mut impl FactWalk<ListingHead>) {
        let w = walk;
        always!(w, listing, key("listing", "Version of the listing format: 1."));
        field!(w, format, key("format", "Dump format (`phd4`, `phd5`, `phd6`, `hprof`, `classic`)."));
        field!(w, profile, key("profile", "The writer profile that gives the dump's bytes again, where one does."));
        field!(w, heap, key("heap", "Index of the heap in its dump, from 0, where the dump has several."));
        walk_facts(w);
        for (place, (name, about)) in COUNTS.into_iter().enumerate() {
            w.field(key(name, about), |h| &h.counts[place], |h| &mut h.counts[place]);
        }
        w.key(
            ListingKey { presence: KeyPresence::Listed, ..key("omits", "Facets that this decoder does not report.") },
            |h| Some(h.omits.as_slice()).filter(|omits| !omits.is_empty()).map(Fact::Facets),
            |h, omits: Vec<Facet>| set_slot(&mut h.omits, omits),
        );
    }
}

fn walk_facts(w: &mut impl FactWalk<ListingHead>) {
    fact!(w, Facet::WordSize, facts.word_size, key("word_size", "Word size in bits: 32 or 64."));
    fact!(w, Facet::IdentifierSize, facts.identifier_size, key("identifier_size", "Size of an identifier in bytes."));
    fact!(w, Facet::VersionText, facts.version_text, key("version_text", "JVM version text."));
    let about = "Version in the header's text, such as `1.0.2`.";
    fact!(w, Facet::HeaderVersion, facts.header_version, key("header_version", about));
    let time = key("time_stamp", "The header's time: milliseconds since 1970-01-01T00:00Z.");
    w.unkeyed_fact(Facet::TimeStamp, |h| h.facts.timestamp.map(Fact::Time));
    field!(w, facts.timestamp, time);
    let about = "When the heap was dumped, and when that ended: microseconds since the time stamp, modulo 2^32.";
    fact!(w, Facet::DumpTimes, times, key("dump_times", about));
    // No fact of its own: the hashes show it.
    field!(w, facts.hash_regime, key("hashes", "Whether every object has a 16-bit hash, or some a 32-bit one."));
    fact!(w, Facet::HeaderTotals, facts.totals, key("totals", "Counts that the header states."));
    let about = "How many references are null, where the dump states that without listing them.";
    fact!(w, Facet::NullReferences, facts.null_references, key("null_references", about));
    fn randoms(h: &ListingHead) -> Option<Fact<'_>> {
        h.facts.hash_randoms.map(|(one, other)| Fact::Randoms(one, other))
    }
    w.unkeyed_fact(Facet::HashRandoms, randoms);
    w.key(
        key("hash_randoms", "The two random numbers of the header."),
        randoms,
        |h, [one, other]: [ListedNumber; 2]| {
            set_slot(
                &mut h.facts.hash_randoms,
                Some((one.narrow("a random number")?, other.narrow("a random number")?)),
            )
        },
    );
}

impl Described for HeaderTotals {
    const LINES: LineKinds = &[("HeaderTotals", "Counts of PHD header record 1.")];

    fn walk(walk: &mut impl FactWalk<HeaderTotals>) {
        always!(walk, objects, key("objects", "Objects and classes."));
        always!(walk, references, key("references", "References."));
    }
}
