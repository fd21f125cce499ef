//! Tags of cases: their origin, their subject, the abilities that a parser needs for them, and how much it matters to
//! be right.

use crate::findings::Severity;

use super::{Case, CaseOrigin, CaseVerdict, Family, RightAnswer};

/// A tag, and what it says of a case.
#[derive(Clone, Copy, Debug)]
pub struct CaseTag {
    /// Its name.
    pub name: &'static str,
    /// The tag's statement about a case.
    pub says: &'static str,
    has: fn(&Case) -> bool,
}

macro_rules! tags {
    ($($name:expr, $says:literal, $has:expr;)+) => {
        &[$(CaseTag { name: $name, says: $says, has: $has }),+]
    };
}

/// Every tag.
pub const TAGS: &[CaseTag] = tags! {
    CaseOrigin::Golden.name(), "a small heap with everything in it, as a known writer writes it", |case| case.kind == CaseOrigin::Golden;
    CaseOrigin::Damaged.name(), "a golden dump after an edit", |case| case.kind == CaseOrigin::Damaged;
    CaseOrigin::Spelled.name(), "spelled by hand", |case| case.kind == CaseOrigin::Spelled;
    CaseOrigin::Random.name(), "a random heap", |case| case.kind == CaseOrigin::Random;
    CaseVerdict::Valid.name(), "to be read, with one answer", |case| case.verdict == CaseVerdict::Valid;
    CaseVerdict::Invalid.name(), "to be refused", |case| case.verdict == CaseVerdict::Invalid;
    CaseVerdict::Ambiguous.name(), "several answers are right", |case| case.verdict == CaseVerdict::Ambiguous;
    "gzip", "the parser decompresses, or something does it first", |case| case.bytes.starts_with(&[0x1f, 0x8b]);
    "several-heaps", "the parser tells the heaps of a file apart", |case| case.heap.is_some();
    "ebcdic", "the parser knows code pages 1047 and 037", |case| is_ebcdic(&case.bytes) && case.format.family() == Family::CLASSIC;
    "android", "the parser knows version 1.0.3 and Android's sub-records", |case| case.bytes.starts_with(b"JAVA PROFILE 1.0.3");
    "cut", "the file ends inside a field", |case| case.breaks.is_some_and(|(rule, _)| rule.ends_with(".file.truncated"));
    "large-values", "a number, count or length is near the greatest that its field holds", |case| case.is_large;
    "bare", "no ordinary world is around it: traces, classes or roots that real dumps have are missing", |case| case.is_bare;
    "may-crash", "a parser that is wrong here can crash, or take all memory", |case| importance(case) == Importance::Crash;
    "loses-data", "a parser that is wrong here loses records, or takes everything that follows for something else",
        |case| importance(case) == Importance::LostData;
    "wrong-data", "a parser that is wrong here reports wrong facts", |case| importance(case) == Importance::WrongData;
    "cosmetic", "a parser that is wrong here misses a fact that no analysis of a heap needs",
        |case| importance(case) == Importance::Cosmetic;
};

/// The harm to a parser's users where it is wrong about a case: exactly one of these holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Importance {
    Crash,
    LostData,
    WrongData,
    Cosmetic,
}

/// Facets that no analysis of a heap needs.
const COSMETIC: [&str; 9] = [
    "version-text",
    "header-version",
    "time-stamp",
    "dump-times",
    "header-totals",
    "hash-randoms",
    "record-order",
    "root-order",
    "unknown-records",
];

fn importance(case: &Case) -> Importance {
    let book = case.format.family().book();
    let about = || case.breaks.map(|(rule, _)| rule).into_iter().chain(case.keeps.iter().chain(&case.shows).copied());
    let facets = || about().filter_map(|id| book.rule(id)).flat_map(|rule| rule.facets.iter().copied());
    if case.verdict == CaseVerdict::Invalid {
        // A reader that goes on after what stops it takes lengths and tags from the wrong places.
        let stops = case.breaks.and_then(|(id, _)| book.rule(id)).is_some_and(|rule| rule.stops);
        return if stops { Importance::Crash } else { Importance::WrongData };
    }
    let is_refused = case.answers.iter().any(|answer| matches!(answer, RightAnswer::Refuses(_)));
    let is_note =
        case.breaks.and_then(|(id, _)| book.rule(id)).is_some_and(|rule| rule.severity == Some(Severity::Note));
    if facets().any(|facet| facet == "all") || is_refused && !is_note {
        Importance::LostData
    } else if facets().next().is_some() && facets().all(|facet| COSMETIC.contains(&facet)) {
        Importance::Cosmetic
    } else {
        Importance::WrongData
    }
}

/// Whether a classic text begins as one does in EBCDIC: `//` or `0x`.
fn is_ebcdic(bytes: &[u8]) -> bool {
    bytes.starts_with(&[0x61, 0x61]) || bytes.starts_with(&[0xf0, 0xa7])
}

impl Case {
    /// The names of its tags, in the order of [`TAGS`].
    pub fn tags(&self) -> impl Iterator<Item = &'static str> {
        TAGS.iter().filter(|tag| (tag.has)(self)).map(|tag| tag.name)
    }
}
