//! Ambiguities: bytes that have several right readings, with the names of the readings and the heap that each gives.

use std::borrow::Cow;
use std::io::Read;

use crate::compare::Facet;
use crate::error::Error;
use crate::family::{Format, Opener, ReadOptions};
use crate::input::Input;
use crate::model::Heap;

use super::several_heaps::HeapChoice;
use super::{Case, RightAnswer};

/// An ambiguity of a format: bytes that can be read in several ways, each of which is right if a decoder keeps to it.
#[derive(Debug)]
pub struct Ambiguity {
    /// Its name: that of the format, and what is left open (`phd.element-order`).
    pub name: &'static str,
    /// The thing that is left open, in a sentence without its full stop.
    pub about: &'static str,
    /// The rule that says so.
    pub rule: &'static str,
    /// The readings; the first one is the default.
    pub choices: &'static [ReadingChoice],
    /// The facets in which the heaps of two readings differ.
    pub facets: &'static [Facet],
    #[doc(hidden)]
    pub means: ReadingHeap,
}

/// A reading of an ambiguity.
#[derive(Debug)]
#[non_exhaustive]
pub struct ReadingChoice {
    /// Its name.
    pub name: &'static str,
    /// The way in which the bytes are read, in a sentence without its full stop.
    pub about: &'static str,
}

/// The source of the heap of another reading than the first.
#[derive(Debug)]
#[doc(hidden)]
pub enum ReadingHeap {
    /// The case itself, which spells the answers of the readings.
    Spelled,
    /// The heap of the first reading: whether two choices give the same heap, and how one of them changes it.
    Heap { same: fn(&CaseDump<'_>, &Heap, usize, usize) -> bool, apply: fn(&CaseDump<'_>, &mut Heap, usize) },
    /// The dump, which is read once more: whether a heap like this can differ at all, and how to read it then.
    Again { occurs: fn(&Heap) -> bool, reading: fn(ReadOptions) -> ReadOptions },
    /// None: the heap is the same, and only the judging of an answer about it differs.
    Judge,
}

/// The dump that a heap was read from.
#[doc(hidden)]
pub struct CaseDump<'c> {
    pub(crate) format: Format,
    bytes: Cow<'c, [u8]>,
    /// The number of the heap in the dump; `usize::MAX` for the last one.
    heap: usize,
}

/// Choices that give the same heap: the ambiguities for which they are wanted, by their places, and the function that
/// is called with them.
#[doc(hidden)]
pub struct EqualChoices<'s> {
    #[doc(hidden)]
    pub wants: &'s dyn Fn(usize) -> bool,
    #[doc(hidden)]
    pub found: &'s mut dyn FnMut(usize, Vec<usize>),
}

impl ReadingChoice {
    #[doc(hidden)]
    pub const fn new(name: &'static str, about: &'static str) -> ReadingChoice {
        ReadingChoice { name, about }
    }
}

impl Ambiguity {
    /// The place of a choice among its choices.
    pub fn choice(&self, name: &str) -> Option<usize> {
        self.choices.iter().position(|choice| choice.name == name)
    }

    /// Whether the heap of any choice can be worked out where that of the first is known.
    #[doc(hidden)]
    pub fn is_worked_out(&self) -> bool {
        !matches!(self.means, ReadingHeap::Spelled)
    }

    /// Whether its readings differ in the heap, and not only in what follows from it.
    #[doc(hidden)]
    pub fn changes_heaps(&self) -> bool {
        !matches!(self.means, ReadingHeap::Judge)
    }
}

impl<'c> CaseDump<'c> {
    #[doc(hidden)]
    pub fn new(case: &'c Case) -> CaseDump<'c> {
        let bytes = Cow::Borrowed(&case.bytes[..]);
        CaseDump { format: case.format, bytes, heap: case.heap.unwrap_or_default() as usize }
    }

    /// The dump of an answer that is right under this reading.
    #[doc(hidden)]
    pub fn under_reading(case: &'c Case, reading: &str) -> CaseDump<'c> {
        let dump = CaseDump::new(case);
        match HeapChoice::from_reading(reading) {
            None | Some(HeapChoice::First) => dump,
            Some(HeapChoice::Last) => CaseDump { heap: usize::MAX, ..dump },
            Some(HeapChoice::Joined) => {
                let joined = case.format.family().framing().map(|framing| framing.join_heaps(&case.bytes));
                CaseDump { bytes: joined.map_or(dump.bytes, Cow::Owned), ..dump }
            }
        }
    }

    /// An opener of the dump.
    pub(crate) fn opener(&self) -> Opener {
        Opener::from_memory("a case", &self.bytes)
    }

    /// The four bytes at a place of the header, as a number; 0 if there are none.
    pub(crate) fn word(&self, offset: usize) -> u32 {
        let mut start = vec![0; offset + 4];
        // Compressed or not, the header is in there.
        let first = self.bytes[..self.bytes.len().min(4096)].to_vec();
        let read = Input::from_memory("a case", first).stream().map(|mut stream| stream.read_exact(&mut start));
        match (read, start.last_chunk()) {
            (Ok(Ok(())), Some(word)) => u32::from_be_bytes(*word),
            _ => 0,
        }
    }

    /// The heap of some choices, one for each ambiguity, where `first` is that of the first choice of each. `same` gets,
    /// for each ambiguity that it wants and that can be worked out, the choices that give the same heap as the one chosen.
    ///
    /// # Errors
    /// If the dump cannot be read in the way that is chosen.
    #[doc(hidden)]
    pub fn heap<'h>(
        &self,
        first: &'h Heap,
        ambiguities: &[&Ambiguity],
        choices: &[usize],
        mut same: Option<EqualChoices<'_>>,
    ) -> Result<Cow<'h, Heap>, Error> {
        // Without what a reading is about the dump is not read again: the first heap may be one that no reading of it gives.
        let occurring = ambiguities.iter().zip(choices).map(|(ambiguity, choice)| match ambiguity.means {
            ReadingHeap::Again { occurs, .. } if !self.occurs(occurs, first) => 0,
            _ => *choice,
        });
        let mut heap = match reading_for(ambiguities, &occurring.collect::<Vec<usize>>()) {
            Some(reading) => Cow::Owned(self.read(reading)?),
            None => Cow::Borrowed(first),
        };
        for (place, (ambiguity, &chosen)) in ambiguities.iter().zip(choices).enumerate() {
            if let Some(wanting) = same.as_mut().filter(|same| ambiguity.is_worked_out() && (same.wants)(place)) {
                let all = 0..ambiguity.choices.len();
                let heaps = [first, &*heap];
                let same = all.filter(|&other| self.is_same(heaps, ambiguities, choices, (place, other)));
                (wanting.found)(place, same.collect());
            }
            if let (ReadingHeap::Heap { apply, .. }, 1..) = (&ambiguity.means, chosen) {
                apply(self, heap.to_mut(), chosen);
            }
        }
        Ok(heap)
    }

    /// Whether another choice for one of the ambiguities gives the same heap. The heaps are that of the first choices, and
    /// what became of it by the choices for the ambiguities before.
    fn is_same(
        &self,
        [first, heap]: [&Heap; 2],
        ambiguities: &[&Ambiguity],
        choices: &[usize],
        (place, other): (usize, usize),
    ) -> bool {
        let chosen = choices[place];
        chosen == other
            || match ambiguities[place].means {
                ReadingHeap::Spelled | ReadingHeap::Judge => false,
                ReadingHeap::Heap { same, .. } => same(self, heap, chosen.min(other), chosen.max(other)),
                // What may occur is looked for: two readings of a dump without it are one.
                ReadingHeap::Again { occurs, .. } => {
                    let mut others = choices.to_vec();
                    others[place] = other;
                    let read = |choices| self.read(reading_for(ambiguities, choices).unwrap_or_default());
                    !self.occurs(occurs, first)
                        || matches!((read(choices), read(&others)), (Ok(one), Ok(other)) if one == other)
                }
            }
    }

    /// Whether what a reading is about may occur. A later heap of a file can have it in the log of an earlier one.
    fn occurs(&self, occurs: fn(&Heap) -> bool, heap: &Heap) -> bool {
        self.heap > 0 || occurs(heap)
    }

    fn read(&self, reading: ReadOptions) -> Result<Heap, Error> {
        let mut opener = self.opener();
        opener.reading = reading;
        let mut heaps = self.format.family().read(&opener)?.dump.heaps;
        let number = if self.heap == usize::MAX { heaps.len().saturating_sub(1) } else { self.heap };
        match number < heaps.len() {
            true => Ok(heaps.swap_remove(number)),
            false => Err(Error::Usage(format!("the dump has {} heaps", heaps.len()))),
        }
    }
}

/// The reading of the dump for some choices, where it is not the usual one.
fn reading_for(ambiguities: &[&Ambiguity], choices: &[usize]) -> Option<ReadOptions> {
    let chosen = ambiguities.iter().zip(choices).filter(|(_, choice)| **choice > 0);
    chosen.fold(None, |reading, (ambiguity, _)| match ambiguity.means {
        ReadingHeap::Again { reading: other, .. } => Some(other(reading.unwrap_or_default())),
        _ => reading,
    })
}

impl Case {
    /// Whether the case spells the heaps of an ambiguity's readings, so that none is worked out of another: there is no other
    /// way, or the first reading leads to a refusal.
    #[doc(hidden)]
    pub fn spells(&self, ambiguity: &Ambiguity) -> bool {
        let is_refused = |answer: &RightAnswer| {
            let choice = Some((ambiguity.name, ambiguity.choices[0].name));
            matches!(answer, RightAnswer::Refuses(_)) && answer.choice() == choice
        };
        !ambiguity.is_worked_out() || self.answers.iter().any(is_refused)
    }

    /// The heap of the dump under another reading of what its format leaves open; `None` where it can only be spelled, or where
    /// no heap is right.
    ///
    /// # Errors
    /// If there is no such reading, or the dump cannot be read so.
    pub fn heap_under(&self, name: &str, choice: &str) -> Result<Option<Heap>, Error> {
        let all: Vec<&Ambiguity> = self.format.family().ambiguities().iter().collect();
        let place = all.iter().position(|ambiguity| ambiguity.name == name);
        let chosen = place.and_then(|place| Some((place, all[place].choice(choice)?)));
        let (place, chosen) = chosen.ok_or_else(|| Error::Usage(format!("{name}={choice} is no reading")))?;
        let first = self.answers.iter().find_map(|answer| match answer {
            RightAnswer::Reads(_, heap) => Some(heap),
            RightAnswer::Refuses(_) => None,
        });
        let Some(first) = first.filter(|_| !self.spells(all[place])) else { return Ok(None) };
        let mut choices = vec![0; all.len()];
        choices[place] = chosen;
        CaseDump::new(self).heap(first, &all, &choices, None).map(|heap| Some(heap.into_owned()))
    }
}

impl RightAnswer {
    /// The ambiguity and the choice that lead to this answer, where its reading names them (`phd.element-order=index`).
    pub fn choice(&self) -> Option<(&'static str, &'static str)> {
        let (RightAnswer::Reads(reading, _) | RightAnswer::Refuses(reading)) = self;
        reading.split_once('=')
    }
}
