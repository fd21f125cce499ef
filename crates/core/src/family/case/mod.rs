//! Cases of the corpus, and how a format makes them.

mod ambiguity;
mod damaged;
mod duplicates;
mod family_cases;
pub(crate) mod gzip;
mod large;
mod repetition;
mod several_heaps;
mod spelled;
mod tags;
mod world;

use std::sync::Arc;

use crate::error::Error;
use crate::findings::Rule;
use crate::model::Heap;

use super::edit::EditMap;
use super::{Family, Format};

#[doc(hidden)]
pub use ambiguity::EqualChoices;
pub use ambiguity::{Ambiguity, ReadingChoice};
#[doc(hidden)]
pub use ambiguity::{CaseDump, ReadingHeap};
pub(crate) use duplicates::{repeated_classes, repeated_objects};
pub use family_cases::FamilyCases;
pub(crate) use large::large;
pub use large::{LargeCase, ManifestPart, ManifestRecipe};
pub(crate) use several_heaps::SEVERAL_HEAPS;
#[doc(hidden)]
pub use spelled::{CaseFile, read_spelled_cases};
pub use tags::{CaseTag, TAGS};
#[doc(hidden)]
pub use world::{Insertion, JoinedDump, WorldJoin, WorldRecords};

/// A case of the corpus.
#[derive(Clone, Debug)]
pub struct Case {
    /// Stable id.
    pub id: String,
    /// The subject of the case, in a line.
    pub summary: String,
    /// The origin of the case.
    pub kind: CaseOrigin,
    /// Dump format.
    pub format: Format,
    /// The number of the heap that the answers describe, from 0; only where the dump has several.
    pub heap: Option<u64>,
    /// The making of the dump, in words.
    pub recipe: String,
    /// The dump.
    pub bytes: Vec<u8>,
    /// Whether the name of its file hides that it is compressed.
    pub plain_name: bool,
    /// Whether it is about numbers, counts and lengths near the greatest that their fields hold.
    pub is_large: bool,
    /// Whether it has no ordinary world around it: its subject is what an ordinary dump has and it lacks, or a world would hide
    /// its subject. Only spelled cases are.
    pub is_bare: bool,
    /// Whether the dump is valid.
    pub verdict: CaseVerdict,
    /// Rules of the bytes that it keeps.
    pub keeps: Vec<&'static str>,
    /// The rule of the bytes that it breaks, and the offset of the finding.
    pub breaks: Option<(&'static str, u64)>,
    /// The offsets of the other findings of that rule, in a dump that breaks it in several records. Where there are some,
    /// there is no further one.
    pub breaks_also: Vec<u64>,
    /// Rules of writers and readers that it shows.
    pub shows: Vec<&'static str>,
    /// Records before the first fatal finding.
    pub records_due: u64,
    /// Answers that are right; the first is heapsmith's own. Without one, see [`Case::takes_any_answer`].
    pub answers: Vec<RightAnswer>,
}

/// The origin of a case, which is the name of its folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CaseOrigin {
    /// A small heap with everything in it, written as a known writer does.
    Golden,
    /// A golden dump that an edit has damaged.
    Damaged,
    /// Bytes and heap are spelled by hand.
    Spelled,
    /// A random heap.
    Random,
}

/// The answer that a case expects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CaseVerdict {
    /// To be read, with the listing.
    Valid,
    /// To be refused.
    Invalid,
    /// Several answers are right.
    Ambiguous,
}

/// An answer that is right.
#[derive(Clone, Debug)]
pub enum RightAnswer {
    /// A heap, under this reading.
    Reads(&'static str, Arc<Heap>),
    /// A refusal, under this reading.
    Refuses(&'static str),
}

impl CaseOrigin {
    /// The kind's name.
    pub const fn name(self) -> &'static str {
        match self {
            CaseOrigin::Golden => "golden",
            CaseOrigin::Damaged => "damaged",
            CaseOrigin::Spelled => "spelled",
            CaseOrigin::Random => "random",
        }
    }
}

impl CaseVerdict {
    /// The verdict of a case with these right answers.
    #[doc(hidden)]
    pub fn from_answers(answers: &[RightAnswer]) -> CaseVerdict {
        match answers {
            [RightAnswer::Reads(..)] => CaseVerdict::Valid,
            [RightAnswer::Refuses(_)] => CaseVerdict::Invalid,
            _ => CaseVerdict::Ambiguous,
        }
    }

    /// The verdict's name in the manifest.
    pub const fn name(self) -> &'static str {
        match self {
            CaseVerdict::Valid => "valid",
            CaseVerdict::Invalid => "invalid",
            CaseVerdict::Ambiguous => "ambiguous",
        }
    }
}

impl Case {
    /// Whether an implementation may say of the dump what it likes: it breaks a rule and can be read all the same, and what it means
    /// is not stated. To crash, to hang or to run out of memory is still wrong.
    pub fn takes_any_answer(&self) -> bool {
        self.verdict == CaseVerdict::Ambiguous && self.answers.is_empty()
    }

    /// A valid case with one heap.
    #[doc(hidden)]
    pub fn valid(id: String, format: Format, summary: String, recipe: String, bytes: Vec<u8>, heap: Heap) -> Case {
        Case {
            id,
            summary,
            kind: CaseOrigin::Golden,
            format,
            heap: None,
            recipe,
            bytes,
            plain_name: false,
            is_large: false,
            is_bare: false,
            verdict: CaseVerdict::Valid,
            keeps: Vec::new(),
            breaks: None,
            breaks_also: Vec::new(),
            shows: Vec::new(),
            records_due: (heap.classes.len() + heap.objects.len()) as u64,
            answers: vec![RightAnswer::Reads("as written", Arc::new(heap))],
        }
    }

    /// The name of the dump's file: its suffix is that of the format's writers.
    pub fn file(&self) -> String {
        let is_named = self.bytes.starts_with(&[0x1f, 0x8b]) && !self.plain_name;
        let compressed = if is_named { ".gz" } else { "" };
        format!("{}.{}{compressed}", self.id, self.format.family().suffix())
    }

    /// The folder of the case's files in the corpus: its format's family, and how it came to be.
    pub fn folder(&self) -> String {
        format!("{}/{}", self.format.family().name(), self.kind.name())
    }

    /// The name of the file with an answer's listing.
    pub fn listing_file(&self, answer: usize) -> String {
        if answer == 0 { format!("{}.jsonl", self.id) } else { format!("{}.{}.jsonl", self.id, answer + 1) }
    }
}

/// The reason why a refusal of a dump is right: it breaks the rule of its case...
const REFUSED: &str = "the rule is broken";
/// ...or some rule, where no case says which...
#[doc(hidden)]
pub const BROKEN: &str = "a rule is broken";
/// ...or known readers read it, and need not.
const STRICT: &str = "refused by a reader that is stricter than the known ones";
/// All reasons for a refusal.
#[doc(hidden)]
pub const REFUSALS: [&str; 3] = [REFUSED, BROKEN, STRICT];

/// A refusal of a dump that breaks a rule of ours alone is as right as the dump's heap.
fn or_refused(rule: Option<&Rule>, answers: &mut Vec<RightAnswer>) {
    let is_refused = answers.iter().any(|answer| matches!(answer, RightAnswer::Refuses(_)));
    if rule.is_some_and(Rule::is_project_choice) && !is_refused {
        answers.push(RightAnswer::Refuses(STRICT));
    }
}

/// Cases that are spelled by hand; or what is wrong with them.
pub(crate) type SpelledCases = Result<Vec<Case>, String>;

/// The cases that a format gives to the corpus. A constant of its folder: a static would be compiled wherever the crate
/// is, its unit tests included, with every decoder and writer that the recipes use.
pub(crate) struct CaseFamily {
    pub(crate) golden: fn() -> Result<Vec<Case>, Error>,
    /// The golden case that edits are made in, unless they want another.
    pub(crate) base: &'static str,
    /// The readings that lead to the heap after an edit that breaks a rule which is an error, a warning or a note.
    pub(crate) unchecked: &'static str,
    pub(crate) tolerated: &'static str,
    pub(crate) noted: &'static str,
    /// The cases that are spelled by hand.
    pub(crate) spelled: fn() -> &'static SpelledCases,
}

impl CaseFamily {
    /// Every case of the format.
    pub(crate) fn all_cases<M: EditMap>(&self) -> Result<Vec<Case>, Error> {
        let golden = (self.golden)()?;
        let mut cases = damaged::cases::<M>(self, &golden)?;
        cases.extend(golden);
        cases.extend((self.spelled)().clone().map_err(Error::Usage)?);
        Ok(cases)
    }

    /// The case that a named edit makes of a valid one; `None` if there is no place for it.
    pub(crate) fn damaged<M: EditMap>(&self, edit: &str, base: &Case) -> Result<Option<Case>, Error> {
        let edit = M::EDITS.iter().find(|known| known.name == edit);
        edit.map_or(Ok(None), |edit| damaged::damage_case(self, edit, base))
    }
}

/// Files of `specs/cases/`, by their paths below that folder. The first one has what they share.
macro_rules! sources {
    ($($path:literal),* $(,)?) => {
        &[$($crate::family::case::source!($path)),*]
    };
}
pub(crate) use sources;

/// A file of `specs/cases/`.
macro_rules! source {
    ($path:literal) => {
        $crate::family::case::CaseFile {
            path: $path,
            text: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/specs/cases/", $path)),
        }
    };
}
pub(crate) use source;
