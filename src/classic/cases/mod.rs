//! What the format gives to the corpus.

mod golden;
mod readings;
mod recipes;
mod specimen;

use std::sync::LazyLock;

use crate::family::case::{CaseFamily, sources, spelled};

use super::family::FAMILY;

pub(super) use recipes::recipes;

pub(super) use readings::AMBIGUITIES;

/// Its cases.
pub(super) static CASES: CaseFamily = CaseFamily {
    golden: golden::cases,
    base: "classic-openj9-32",
    unchecked: "read by a decoder that does not check this",
    tolerated: "tolerated, as known readers do",
    noted: "as written",
    spelled: LazyLock::new(|| {
        spelled(
            FAMILY,
            sources![
                "classic/pieces.toml",
                "classic/records.toml",
                "classic/numbers.toml",
                "classic/names.toml",
                "classic/references.toml",
                "classic/trailers.toml",
                "classic/counts.toml",
                "classic/encodings.toml",
                "classic/broken.toml",
            ],
        )
    }),
};
