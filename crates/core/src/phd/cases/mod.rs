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
    base: "phd6-openj9-64",
    unchecked: "read by a decoder that does not check the whole graph",
    tolerated: "tolerated, as the DTFJ reader does",
    noted: "as the DTFJ reader lays out the bytes",
    spelled: spelled_cases,
};

/// The format's cases that are too large to be stored.
pub(super) const LARGE: CaseFile = source!("phd/large.toml");

fn spelled_cases() -> &'static SpelledCases {
    static SPELLED: OnceLock<SpelledCases> = OnceLock::new();
    SPELLED.get_or_init(|| {
        read_spelled_cases(
            FAMILY,
            sources![
                "phd/pieces.toml",
                "phd/world.toml",
                "phd/records.toml",
                "phd/fields.toml",
                "phd/refused.toml",
                "phd/values.toml",
                "phd/kinds.toml",
                "phd/identity.toml",
                "phd/conversions.toml",
            ],
        )
    })
}
