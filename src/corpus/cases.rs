//! The cases, as recipes.

mod classic_golden;
mod damaged;
mod golden;
mod hprof_golden;
mod spelled;

use std::sync::LazyLock;

use crate::corrupt;
use crate::error::Error;
use crate::format::Format;
use crate::model::Heap;

use spelled::Source;

/// A case of the corpus.
#[derive(Clone, Debug)]
pub struct Case {
    /// Stable id.
    pub id: String,
    /// What it is about, in a line.
    pub summary: String,
    /// How it came to be.
    pub kind: Kind,
    /// Dump format.
    pub format: Format,
    /// Which heap of the dump the answers describe, from 0; only where there are several.
    pub heap: Option<u64>,
    /// How the dump is made.
    pub recipe: String,
    /// The dump.
    pub bytes: Vec<u8>,
    /// Whether the dump is valid.
    pub verdict: Verdict,
    /// Rules of the bytes that it keeps.
    pub keeps: Vec<&'static str>,
    /// The rule of the bytes that it breaks, and the offset of the finding.
    pub breaks: Option<(&'static str, u64)>,
    /// Rules of writers and readers that it shows.
    pub shows: Vec<&'static str>,
    /// Records before the first fatal finding.
    pub records_due: u64,
    /// Answers that are right; the first is heapsmith's own.
    pub answers: Vec<Answer>,
}

/// How a case came to be, which is the name of its folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A small heap with everything in it, written as a known writer does.
    Golden,
    /// A golden dump that an edit has damaged.
    Damaged,
    /// Bytes and heap are spelled by hand.
    Spelled,
    /// A random heap.
    Random,
}

/// What a case expects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// To be read, with the listing.
    Valid,
    /// To be refused.
    Invalid,
    /// Several answers are right.
    Ambiguous,
}

/// An answer that is right.
#[derive(Clone, Debug)]
pub enum Answer {
    /// This heap, under this reading.
    Reads(&'static str, Box<Heap>),
    /// A refusal, under this reading.
    Refuses(&'static str),
}

impl Kind {
    /// The kind's name.
    pub const fn name(self) -> &'static str {
        match self {
            Kind::Golden => "golden",
            Kind::Damaged => "damaged",
            Kind::Spelled => "spelled",
            Kind::Random => "random",
        }
    }
}

impl Verdict {
    /// The verdict of a case with these right answers.
    fn of(answers: &[Answer]) -> Verdict {
        match answers {
            [Answer::Reads(..)] => Verdict::Valid,
            [Answer::Refuses(_)] => Verdict::Invalid,
            _ => Verdict::Ambiguous,
        }
    }

    /// The verdict's name in the manifest.
    pub const fn name(self) -> &'static str {
        match self {
            Verdict::Valid => "valid",
            Verdict::Invalid => "invalid",
            Verdict::Ambiguous => "ambiguous",
        }
    }
}

impl Case {
    /// A valid case with one heap.
    fn valid(id: String, format: Format, summary: String, recipe: String, bytes: Vec<u8>, heap: Heap) -> Case {
        Case {
            id,
            summary,
            kind: Kind::Golden,
            format,
            heap: None,
            recipe,
            bytes,
            verdict: Verdict::Valid,
            keeps: Vec::new(),
            breaks: None,
            shows: Vec::new(),
            records_due: (heap.classes.len() + heap.objects.len()) as u64,
            answers: vec![Answer::Reads("as written", Box::new(heap))],
        }
    }

    /// The name of the dump's file: its suffix is that of the format's writers.
    pub fn file(&self) -> String {
        let compressed = if self.bytes.starts_with(&[0x1f, 0x8b]) { ".gz" } else { "" };
        format!("{}.{}{compressed}", self.id, self.format.family().suffix())
    }

    /// The folder of the case's files in the corpus: its format's family, and how it came to be.
    pub fn shelf(&self) -> String {
        format!("{}/{}", self.format.family().name(), self.kind.name())
    }

    /// The name of the file with an answer's listing.
    pub fn listing_file(&self, answer: usize) -> String {
        if answer == 0 { format!("{}.jsonl", self.id) } else { format!("{}.{}.jsonl", self.id, answer + 1) }
    }
}

const REFUSED: &str = "the rule is broken";
const STRICT: &str = "refused by a reader that is stricter than the known ones";

/// What a family of formats gives to the corpus.
struct CaseFamily {
    golden: fn() -> Result<Vec<Case>, Error>,
    /// The golden case that edits are made in, unless they want another.
    base: &'static str,
    damaged: fn(&CaseFamily, &[Case]) -> Result<Vec<Case>, Error>,
    /// The readings that lead to the heap after an edit that breaks a rule which is an error, a warning or a note.
    unchecked: &'static str,
    tolerated: &'static str,
    noted: &'static str,
    /// What is spelled by hand; or what is wrong with it.
    spelled: LazyLock<Result<Vec<Case>, String>>,
}

/// A file of `specs/cases/`.
macro_rules! source {
    ($path:literal) => {
        Source { path: $path, text: include_str!(concat!("../../specs/cases/", $path)) }
    };
}

static FAMILIES: [CaseFamily; 3] = [
    CaseFamily {
        golden: golden::cases,
        base: "phd6-openj9-64",
        damaged: damaged::cases::<corrupt::phd::Map>,
        unchecked: "read by a decoder that does not check the whole graph",
        tolerated: "tolerated, as the DTFJ reader does",
        noted: "as the DTFJ reader lays out the bytes",
        spelled: LazyLock::new(|| spelled::cases(&[source!("phd/pieces.toml"), source!("phd/records.toml")])),
    },
    CaseFamily {
        golden: hprof_golden::cases,
        base: "hprof-hotspot-25-8",
        damaged: damaged::cases::<corrupt::hprof::Map>,
        unchecked: "read by a decoder that does not check this",
        tolerated: "tolerated, as known readers do",
        noted: "as written",
        spelled: LazyLock::new(|| {
            spelled::cases(&[
                source!("hprof/pieces.toml"),
                source!("hprof/records.toml"),
                source!("hprof/names.toml"),
                source!("hprof/segments.toml"),
                source!("hprof/heaps.toml"),
                source!("hprof/objects.toml"),
                source!("hprof/identifiers.toml"),
                source!("hprof/contents.toml"),
                source!("hprof/roots.toml"),
                source!("hprof/broken.toml"),
            ])
        }),
    },
    CaseFamily {
        golden: classic_golden::cases,
        base: "classic-openj9-32",
        damaged: damaged::cases::<corrupt::classic::Map>,
        unchecked: "read by a decoder that does not check this",
        tolerated: "tolerated, as known readers do",
        noted: "as written",
        spelled: LazyLock::new(|| {
            spelled::cases(&[
                source!("classic/pieces.toml"),
                source!("classic/records.toml"),
                source!("classic/numbers.toml"),
                source!("classic/names.toml"),
                source!("classic/references.toml"),
                source!("classic/trailers.toml"),
                source!("classic/counts.toml"),
                source!("classic/encodings.toml"),
                source!("classic/broken.toml"),
            ])
        }),
    },
];

/// Every case, by id.
///
/// # Errors
/// If a recipe fails, which the tests rule out.
pub fn cases() -> Result<Vec<Case>, Error> {
    let mut cases = Vec::new();
    for family in &FAMILIES {
        let golden = (family.golden)()?;
        cases.extend((family.damaged)(family, &golden)?);
        cases.extend(golden);
        cases.extend(family.spelled.clone().map_err(Error::Usage)?);
    }
    cases.sort_by(|a, b| a.id.cmp(&b.id));
    Ok(cases)
}
