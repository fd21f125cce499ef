//! The rows of a listing's first line: facts of the whole heap, and how many lines there are.

use crate::model::{Facts, Surroundings, Totals};

use super::super::facet::Facet;
use super::super::listing::Hex;
use super::{Described, Fact, Key, Presence, Walk, key};

/// The first line of a listing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Head {
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
    /// How many lines of each kind there are, and references.
    pub counts: Counts,
    /// Facets that this decoder does not report.
    pub omits: Vec<Facet>,
}

/// What the first line of a listing counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs, reason = "the rows say what each counts")]
pub struct Counts {
    pub classes: Option<u64>,
    pub objects: Option<u64>,
    pub references: Option<u64>,
    pub roots: Option<u64>,
    pub threads: Option<u64>,
    pub traces: Option<u64>,
    pub regions: Option<u64>,
    pub events: Option<u64>,
}

impl Head {
    /// The facts of a heap, and no counts.
    pub fn of(facts: &Facts, around: &Surroundings) -> Head {
        Head { listing: 1, facts: facts.clone(), times: around.times, ..Head::default() }
    }
}

impl Described for Head {
    const LINES: &'static [(&'static str, &'static str)] = &[("Head", "The first line of a listing.")];

    fn blank(_: u8) -> Head {
        Head::default()
    }

    fn walk(walk: &mut impl Walk<Head>) {
        let w = walk;
        w.always(key("listing", "Version of the listing format: 1."), |h| &h.listing, |h| &mut h.listing);
        let format = key("format", "Dump format (`phd4`, `phd5`, `phd6`, `hprof`, `classic`).");
        w.field(format, |h| &h.format, |h| &mut h.format);
        let profile = key("profile", "The writer profile that gives the dump's bytes again, where one does.");
        w.field(profile, |h| &h.profile, |h| &mut h.profile);
        let heap = key("heap", "Index of the heap in its dump, from 0, where the dump has several.");
        w.field(heap, |h| &h.heap, |h| &mut h.heap);
        facts(w);
        let mut count = |name, about, get: fn(&Counts) -> &Option<u64>, slot: fn(&mut Counts) -> &mut Option<u64>| {
            w.field(key(name, about), |h| get(&h.counts), |h| slot(&mut h.counts));
        };
        count("classes", "Number of classes in the listing.", |c| &c.classes, |c| &mut c.classes);
        let about = "Number of objects in the listing, classes not counted.";
        count("objects", about, |c| &c.objects, |c| &mut c.objects);
        let about = "Number of references of classes and objects together.";
        count("references", about, |c| &c.references, |c| &mut c.references);
        count("roots", "Number of roots in the listing.", |c| &c.roots, |c| &mut c.roots);
        count("threads", "Number of threads in the listing.", |c| &c.threads, |c| &mut c.threads);
        count("traces", "Number of stack traces in the listing.", |c| &c.traces, |c| &mut c.traces);
        count("regions", "Number of regions in the listing.", |c| &c.regions, |c| &mut c.regions);
        count("events", "Number of events in the listing.", |c| &c.events, |c| &mut c.events);
        w.key(
            Key { presence: Presence::Listed, ..key("omits", "Facets that this decoder does not report.") },
            |h| Some(h.omits.as_slice()).filter(|omits| !omits.is_empty()).map(Fact::Facets),
            |h, omits: Vec<Facet>| {
                h.omits = omits;
                Ok(())
            },
        );
    }
}

fn facts(w: &mut impl Walk<Head>) {
    let size = key("word_size", "Word size in bits: 32 or 64.");
    w.fact(Facet::WordSize, size, |h| &h.facts.word_size, |h| &mut h.facts.word_size);
    let size = key("identifier_size", "Size of an identifier in bytes.");
    w.fact(Facet::IdentifierSize, size, |h| &h.facts.identifier_size, |h| &mut h.facts.identifier_size);
    let text = key("version_text", "JVM version text.");
    w.fact(Facet::VersionText, text, |h| &h.facts.version_text, |h| &mut h.facts.version_text);
    let version = key("header_version", "Version in the header's text, such as `1.0.2`.");
    w.fact(Facet::HeaderVersion, version, |h| &h.facts.header_version, |h| &mut h.facts.header_version);
    let time = key("time_stamp", "The header's time: milliseconds since 1970-01-01T00:00Z.");
    w.told(Facet::TimeStamp, |h| h.facts.timestamp.map(Fact::Time));
    w.field(time, |h| &h.facts.timestamp, |h| &mut h.facts.timestamp);
    let about = "When the heap was dumped, and when that ended: microseconds since the time stamp, modulo 2^32.";
    w.fact(Facet::DumpTimes, key("dump_times", about), |h| &h.times, |h| &mut h.times);
    // No fact of its own: the hashes show it.
    let regime = key("hashes", "Whether every object has a 16-bit hash, or some a 32-bit one.");
    w.field(regime, |h| &h.facts.hash_regime, |h| &mut h.facts.hash_regime);
    let totals = key("totals", "Counts that the header states.");
    w.fact(Facet::HeaderTotals, totals, |h| &h.facts.totals, |h| &mut h.facts.totals);
    let nulls =
        key("null_references", "How many references are null, where the dump states that without listing them.");
    w.fact(Facet::NullReferences, nulls, |h| &h.facts.null_references, |h| &mut h.facts.null_references);
    fn randoms(h: &Head) -> Option<Fact<'_>> {
        h.facts.hash_randoms.map(|(one, other)| Fact::Randoms(one, other))
    }
    w.told(Facet::HashRandoms, randoms);
    w.key(key("hash_randoms", "The two random numbers of the header."), randoms, |h, [one, other]: [Hex; 2]| {
        h.facts.hash_randoms = Some((one.narrow("a random number")?, other.narrow("a random number")?));
        Ok(())
    });
}

impl Described for Totals {
    const LINES: &'static [(&'static str, &'static str)] = &[("HeaderTotals", "Counts of PHD header record 1.")];

    fn blank(_: u8) -> Totals {
        Totals::default()
    }

    fn walk(walk: &mut impl Walk<Totals>) {
        walk.always(key("objects", "Objects and classes."), |t| &t.objects, |t| &mut t.objects);
        walk.always(key("references", "References."), |t| &t.references, |t| &mut t.references);
    }
}
