//! The format's part of the corpus.

mod golden;
mod readings;
mod specimen;
mod world;

use std::sync::OnceLock;

use crate::family::case::{CaseFamily, CaseFile, SpelledCases, read_spelled_cases, source, sources};

use super::open::FAMILY;

pub(super) use readings::AMBIGUITIES;
pub(super) use world::WORLD;

/// The format's cases.
pub(super) const CASES: CaseFamily = CaseFamily {
    golden: golden::cases,
    base: "hprof-hotspot-25-8",
    unchecked: "read by a decoder that does not check this",
    tolerated: "tolerated, as known readers do",
    noted: "as written",
    spelled: spelled_cases,
};

/// The format's cases that are too large to be stored.
pub(super) const LARGE: CaseFile = source!("hprof/large.toml");

fn spelled_cases() -> &'static SpelledCases {
    static SPELLED: OnceLock<SpelledCases> = OnceLock::new();
    SPELLED.get_or_init(|| {
        read_spelled_cases(
            FAMILY,
            sources![
                "hprof/pieces.toml",
                "hprof/world.toml",
                "hprof/fields.toml",
                "hprof/kinds.toml",
                "hprof/conversions.toml",
                "hprof/magnitudes.toml",
                "hprof/records.toml",
                "hprof/names.toml",
                "hprof/segments.toml",
                "hprof/strings.toml",
                "hprof/threads.toml",
                "hprof/heaps.toml",
                "hprof/references.toml",
                "hprof/repeats.toml",
                "hprof/identity.toml",
                "hprof/grid.toml",
                "hprof/objects.toml",
                "hprof/identifiers.toml",
                "hprof/contents.toml",
                "hprof/values.toml",
                "hprof/roots.toml",
                "hprof/broken.toml",
                "hprof/refused.toml",
            ],
        )
    })
}
