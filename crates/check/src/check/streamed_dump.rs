//! Dumps that are not held in memory while they are judged: those of large cases, and large ones of the user.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::check::process::Budget;
use crate::check::sources::UserDump;
use crate::check::subject::QuestionFiles;
use crate::check::task::CaseSource;
use crate::corpus::{Case, CaseVerdict, LargeCase};
use heapsmith_core::compare::Facet;
use heapsmith_core::error::Error;
use heapsmith_core::input::Input;

/// A dump that is not held, with the facts that it is judged by.
#[derive(Clone, Debug)]
pub(super) struct StreamedDump<'s> {
    /// Whether it is to be read or refused, or either is right.
    pub(super) verdict: CaseVerdict,
    /// The index of the heap that is asked for, from 0; only where there are several.
    pub(super) heap: Option<u64>,
    /// Whether answers are judged by counts alone: a digest would take too long.
    pub(super) is_counted: bool,
    /// Numbers that were worked out by hand; without them heapsmith counts.
    pub(super) counts: Option<BTreeMap<&'s str, u64>>,
    /// Its origin.
    pub(super) from: DumpOrigin<'s>,
    /// The dump that is judged in the place of a damaged one, without the records that an implementation passes over, and the
    /// name of that reading.
    pub(super) shortened: Option<(&'static str, Input)>,
}

/// The origin of a dump that is not held.
#[derive(Clone, Copy, Debug)]
pub(super) enum DumpOrigin<'s> {
    /// A large case, whose dump is made when it is asked about.
    Case(&'s LargeCase),
    /// A file of the user.
    Own(&'s UserDump),
}

/// The most classes, objects and roots that a listing is asked for.
const MOST_LISTED: u64 = 2_000_000;
/// The longest line of one, on average, with what follows from it: a thread, an event.
const LONGEST_ENTRY: u64 = 2048;

impl CaseSource {
    /// The dump, if it is not held; `case` has the known facts.
    pub(super) fn streamed(&self, case: &Case) -> Option<StreamedDump<'_>> {
        match self {
            CaseSource::Large(large) => Some(StreamedDump {
                verdict: large.verdict,
                heap: large.heap(),
                is_counted: large.is_counted,
                counts: Some(large.counts()),
                from: DumpOrigin::Case(large),
                shortened: None,
            }),
            CaseSource::Own(own) if !own.is_whole => Some(StreamedDump {
                verdict: case.verdict,
                heap: case.heap,
                is_counted: false,
                counts: None,
                from: DumpOrigin::Own(own),
                shortened: None,
            }),
            CaseSource::Converted(source, _) => source.streamed(case),
            CaseSource::Own(_) | CaseSource::Corpus(_) | CaseSource::Random(..) | CaseSource::Drawn(_) => None,
        }
    }

    /// Whether the dump is not held.
    pub(super) fn is_streamed(&self) -> bool {
        match self {
            CaseSource::Large(_) => true,
            CaseSource::Own(own) => !own.is_whole,
            CaseSource::Converted(source, _) => source.is_streamed(),
            CaseSource::Corpus(_) | CaseSource::Random(..) | CaseSource::Drawn(_) => false,
        }
    }
}

impl StreamedDump<'_> {
    /// Whether the dump is known to have roots and at most this many classes and objects.
    pub(super) fn has_few_entries(&self, most: usize) -> bool {
        self.verdict == CaseVerdict::Valid
            && self.entries().is_some_and(|entries| entries <= most as u64)
            && self.count("roots").is_some_and(|roots| roots > 0)
    }

    /// The number of classes and objects, where it is known.
    pub(super) fn entries(&self) -> Option<u64> {
        Some(self.count("classes")?.saturating_add(self.count("objects")?))
    }

    fn count(&self, name: &str) -> Option<u64> {
        self.counts.as_ref()?.get(name).copied()
    }

    /// The facets of facts that have no bound in a listing.
    pub(super) fn long_facets(&self) -> &[Facet] {
        match self.from {
            DumpOrigin::Case(large) => &large.long,
            DumpOrigin::Own(_) => &[],
        }
    }

    /// The longest listing without such facts, in bytes; `None` where it has no bound.
    pub(super) fn longest_listing(&self) -> Option<u64> {
        let DumpOrigin::Case(large) = self.from else { return None };
        let entries = self.entries()?.saturating_add(self.count("roots").unwrap_or_default());
        let is_short = !large.is_counted && entries <= MOST_LISTED;
        is_short.then(|| Budget::output_for(0) + entries * LONGEST_ENTRY)
    }

    /// The dump that is judged; `None` if that which was handed over is not what it was.
    ///
    /// # Errors
    /// If it cannot be opened.
    pub(super) fn dump(&self, files: &QuestionFiles) -> Result<Option<Input>, Error> {
        let dump = files.unchanged_dump()?;
        Ok(dump.map(|dump| self.shortened.as_ref().map_or(dump, |(_, shortened)| shortened.clone())))
    }

    /// The limits of an answer. Those of a case grow in proportion to the budget that was asked for.
    pub(super) fn answer_limits(&self, asked: &Budget) -> Budget {
        let DumpOrigin::Case(large) = self.from else { return *asked };
        let usual = Budget::default();
        let times = asked.time.as_secs_f64() / usual.time.as_secs_f64();
        let memory = large.memory as f64 * (asked.memory as f64 / usual.memory as f64);
        let time = Duration::try_from_secs_f64(large.time.as_secs_f64() * times).unwrap_or(Duration::MAX);
        Budget { time, memory: memory as u64, time_per_mib: Duration::ZERO, memory_per_byte: 0 }
    }
}
