//! Dumps with several heaps, as implementations take them that cannot be asked for one.

use std::collections::HashSet;
use std::sync::Arc;

use crate::error::Error;
use crate::family::Opener;
use crate::model::Heap;

use super::{Case, CaseVerdict, RightAnswer};

/// The ambiguity of such dumps.
pub(crate) const SEVERAL_HEAPS: &str = "hprof.several-heaps";

/// Its readings, as answers name them.
const FIRST: &str = "hprof.several-heaps=first";
const LAST: &str = "hprof.several-heaps=last";
const JOINED: &str = "hprof.several-heaps=joined";
const REFUSED: &str = "hprof.several-heaps=refused";

/// A reading of a dump with several heaps that leads to a heap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HeapChoice {
    First,
    Last,
    Joined,
}

impl HeapChoice {
    /// The choice that leads to an answer with this reading, if its reading is about heaps.
    pub(super) fn from_reading(reading: &str) -> Option<HeapChoice> {
        match reading {
            FIRST => Some(HeapChoice::First),
            LAST => Some(HeapChoice::Last),
            JOINED => Some(HeapChoice::Joined),
            _ => None,
        }
    }
}

fn has_repeated_address(heap: &Heap) -> bool {
    let addresses =
        heap.classes.iter().map(|class| class.address).chain(heap.objects.iter().map(|object| object.address));
    let mut known = HashSet::new();
    !addresses.into_iter().all(|address| known.insert(address))
}

impl Case {
    /// The case of one heap of several, put to an implementation that cannot be asked for it: the first heap, the last, all of them
    /// as one, and a refusal are right, each by a reading that holds for the whole run. A dump that is broken after its first heap
    /// may be read by one that reads no further. Any other case stays as it is.
    ///
    /// # Errors
    /// If the dump is of no known format.
    #[doc(hidden)]
    pub fn without_heap_choice(self) -> Result<Case, Error> {
        let Some(number) = self.heap else { return Ok(self) };
        let family = self.format.family();
        let whole = family.read(&Opener::from_memory("a case", &self.bytes))?;
        let mut heaps: Vec<Arc<Heap>> = whole.dump.heaps.into_iter().map(Arc::new).collect();
        let own = self.answers.iter().find_map(|answer| match answer {
            RightAnswer::Reads(_, heap) => Some(heap.clone()),
            RightAnswer::Refuses(_) => None,
        });
        if let (Some(own), Some(heap)) = (own, heaps.get_mut(number as usize)) {
            *heap = own;
        }
        let (Some(first), Some(last)) = (heaps.first(), heaps.last()) else { return Ok(Case { heap: None, ..self }) };
        let mut answers = Vec::new();
        if whole.ended.is_ok() {
            answers.extend([RightAnswer::Reads(FIRST, first.clone()), RightAnswer::Reads(LAST, last.clone())]);
            let joined = family.framing().map(|framing| framing.join_heaps(&self.bytes)).unwrap_or_default();
            let joined = family.read(&Opener::from_memory("a case", &joined)).ok();
            let joined = joined.and_then(|joined| joined.dump.heaps.into_iter().next());
            // What is in two of the heaps is there twice, which a reader need not take.
            let is_repeated = joined.as_ref().is_some_and(has_repeated_address);
            answers.extend(joined.map(|heap| RightAnswer::Reads(JOINED, Arc::new(heap))));
            answers.extend(is_repeated.then_some(RightAnswer::Refuses(JOINED)));
            answers.push(RightAnswer::Refuses(REFUSED));
        } else if heaps.len() > 1 {
            answers.push(RightAnswer::Reads(FIRST, first.clone()));
        }
        let refusals = self.answers.iter().filter(|answer| matches!(answer, RightAnswer::Refuses(_))).cloned();
        let answers: Vec<RightAnswer> = refusals.chain(answers).collect();
        Ok(Case { heap: None, verdict: CaseVerdict::from_answers(&answers), answers, ..self })
    }

    /// Whether the case is one that [`Case::without_heap_choice`] has made of another.
    #[doc(hidden)]
    pub fn is_about_all_heaps(&self) -> bool {
        let is_about_heaps = |answer: &RightAnswer| answer.choice().is_some_and(|(name, _)| name == SEVERAL_HEAPS);
        self.answers.iter().any(is_about_heaps)
    }
}
