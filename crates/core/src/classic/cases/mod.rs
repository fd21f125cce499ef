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
    base: "classic-openj9-32",
    unchecked: "read by a decoder that does not check this",
    tolerated: "tolerated, as known readers do",
    noted: "as written",
    spelled: spelled_cases,
};

/// The format's cases that are too large to be stored.
pub(super) const LARGE: CaseFile = source!("classic/large.toml");

fn spelled_cases() -> &'static SpelledCases {
    static SPELLED: OnceLock<SpelledCases> = OnceLock::new();
    SPELLED.get_or_init(|| {
        read_spelled_cases(
            FAMILY,
            sources![
                "classic/pieces.toml",
                "classic/world.toml",
                "classic/magnitudes.toml",
                "classic/kinds.toml",
                "classic/conversions.toml",
                "classic/records.toml",
                "classic/numbers.toml",
                "classic/names.toml",
                "classic/references.toml",
                "classic/identity.toml",
                "classic/trailers.toml",
                "classic/counts.toml",
                "classic/encodings.toml",
                "classic/broken.toml",
            ],
        )
    })
}
