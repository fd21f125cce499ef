//! Ever smaller dumps of an input.

use std::ops::Range;

use crate::family::mutation::record_places;
use crate::family::remove_ranges;
use crate::format::Family;

use super::changes::family;

/// The most steps that trimming takes.
const MOST_STEPS: usize = 512;

/// Trims an input to what an engine still needs of it: it makes candidates, each with fewer records of the dump, and is told after each
/// whether the candidate does what the input did. Lengths count what is left. Of bytes that are no dump there is no candidate.
///
/// ```
/// use heapsmith::mutator::{Trimmer, generate};
///
/// let dump = generate("preset=tiny,objects=20,format=phd6", 1 << 20)?;
/// let mut trimmer = Trimmer::new(dump.clone());
/// while let Some(candidate) = trimmer.candidate() {
///     let is_kept = candidate.len() > 200; // your engine runs it
///     trimmer.judge(is_kept);
/// }
/// assert!(trimmer.bytes().len() < dump.len());
/// # Ok::<(), heapsmith::Error>(())
/// ```
#[derive(Debug)]
pub struct Trimmer {
    bytes: Vec<u8>,
    family: Option<Family>,
    records: Vec<Range<usize>>,
    /// The number of records that are left out at once.
    stretch: usize,
    /// The record from which on they are left out next.
    next: usize,
    steps: usize,
    candidate: Option<Vec<u8>>,
}

impl Trimmer {
    /// A trimmer of an input.
    pub fn new(bytes: Vec<u8>) -> Trimmer {
        let family = family(&bytes);
        let mut trimmer =
            Trimmer { bytes, family, records: Vec::new(), stretch: 0, next: 0, steps: 0, candidate: None };
        trimmer.find_records();
        trimmer.stretch = trimmer.records.len().div_ceil(2);
        trimmer
    }

    /// The next candidate, which is the same until it is judged; `None` at the end.
    pub fn candidate(&mut self) -> Option<&[u8]> {
        if self.candidate.is_none() {
            self.candidate = self.make_candidate();
        }
        self.candidate.as_deref()
    }

    /// Takes the candidate in place of the input, if it is kept, and goes on to the next one.
    pub fn judge(&mut self, is_kept: bool) {
        let Some(candidate) = self.candidate.take() else { return };
        self.steps += 1;
        if is_kept {
            self.bytes = candidate;
            self.find_records();
        } else {
            self.next += self.stretch;
        }
    }

    /// The smallest input so far.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Candidates that were judged.
    pub fn steps(&self) -> usize {
        self.steps
    }

    /// Candidates that may be judged at most: with those that were.
    pub fn most_steps(&self) -> usize {
        let (mut steps, mut stretch) = (0_usize, self.stretch);
        while stretch > 0 {
            steps += self.records.len().div_ceil(stretch);
            stretch /= 2;
        }
        (self.steps + steps).min(MOST_STEPS)
    }

    fn make_candidate(&mut self) -> Option<Vec<u8>> {
        let family = self.family?;
        while self.stretch > 0 && self.steps < MOST_STEPS {
            while self.next < self.records.len() {
                let gone = &self.records[self.next..self.records.len().min(self.next + self.stretch)];
                let candidate = remove_ranges(&self.bytes, &family.lengths(&self.bytes), gone);
                if candidate.len() < self.bytes.len() {
                    return Some(candidate);
                }
                self.next += self.stretch;
            }
            self.next = 0;
            self.stretch /= 2;
        }
        None
    }

    fn find_records(&mut self) {
        // An error of the machine cannot happen in memory.
        let found = self.family.map(|family| record_places(family, &self.bytes).unwrap_or_default());
        self.records = found.unwrap_or_default();
    }
}
