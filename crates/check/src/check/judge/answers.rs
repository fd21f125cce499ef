//! The judgement of an analyser's answer: its statement about each entry, against what follows from the heap.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};

use crate::check::judge::readings::{JudgedScope, ReadingCombination};
use crate::check::judge::{AnswerJudgement, AnsweredTask, Mismatch, WrongFact};
use crate::check::protocol::{AnswerPart, EntryAnswer, RetainedAnswer};
use crate::check::tasks::{NO_ROOTS, SkipReason};
use heapsmith_core::answers::{Analysis, EntryGraph, RootAnalysis, RootDistances};
use heapsmith_core::compare::listing::Hex;
use heapsmith_core::error::Error;
use heapsmith_core::model::{Address, Heap};

/// An answer by address.
type AnswersByAddress = BTreeMap<u64, EntryAnswer>;

/// Judges the lines in the file of the answer.
pub(super) fn judge(asked: &AnsweredTask<'_>) -> Result<AnswerJudgement, Error> {
    let told = match read(BufReader::new(asked.files.answer()?.reader())) {
        Ok(told) => told,
        Err(why) => {
            return Ok(AnswerJudgement::from_mismatch(Mismatch::answer("lines as in specs/adapter.md, Answers", why)));
        }
    };
    let declared: &[AnswerPart] = asked.hello.map(|hello| &**hello.answers).unwrap_or_default();
    let mut has_roots = true;
    let judgement = asked.right_heaps(JudgedScope::Answers).judge(|heap, combination| {
        let Some(against) = AnswerCheck::new(heap, combination, &told)? else {
            has_roots = false;
            return Ok(Ok(()));
        };
        let wrong = AnswerPart::ALL.into_iter().filter(|part| declared.contains(part));
        Ok(Mismatch::from_facts(against.mark_consequences(wrong.filter_map(|part| against.wrong_part(part)).collect()))
            .map_or(Ok(()), Err))
    })?;
    Ok(match has_roots {
        true => judgement,
        false => AnswerJudgement::from_outcome(SkipReason::exempt(NO_ROOTS).outcome()),
    })
}

/// Reads an answer, each entry once.
///
/// # Errors
/// What is wrong with a line.
pub(in crate::check) fn read(mut lines: impl BufRead) -> Result<AnswersByAddress, String> {
    let mut told = AnswersByAddress::new();
    let mut line = Vec::new();
    for number in 1_u64.. {
        line.clear();
        // The file has a bound; so has a line.
        if lines.read_until(b'\n', &mut line).map_err(|e| e.to_string())? == 0 {
            break;
        }
        let entry: EntryAnswer = serde_json::from_slice(&line).map_err(|e| format!("line {number}: {e}"))?;
        let address = entry.address;
        if told.insert(address.0, entry).is_some() {
            return Err(format!("line {number}: another line about {:#x}", address.0));
        }
    }
    Ok(told)
}

/// An answer, with the facts that follow from the heap.
struct AnswerCheck<'t> {
    analysis: Analysis,
    told: &'t AnswersByAddress,
    distances: RootDistances,
    /// Bytes that each entry retains, by the sizes of the answer.
    retained: Vec<u64>,
}

/// A value that is expected of an entry, and the one that was found.
type ExpectedAndFound = (String, String);

impl<'t> AnswerCheck<'t> {
    /// `None` where the heap records no roots.
    fn new(
        heap: &Heap,
        combination: &ReadingCombination<'_>,
        told: &'t AnswersByAddress,
    ) -> Result<Option<AnswerCheck<'t>>, Error> {
        let mut source = heap;
        let analysis = Analysis::new(EntryGraph::from_source(&mut source, combination.counted_edges())?);
        let Some(distances) = analysis.distances() else { return Ok(None) };
        let graph = analysis.graph();
        let has_sizes = told.values().any(|line| line.bytes.is_some());
        let own = |entry| told.get(&graph.address(entry).0).and_then(|line| line.bytes);
        let size = |entry| if has_sizes { own(entry) } else { graph.size(entry) }.unwrap_or(0);
        let retained = analysis.reached().map(|reached| reached.retained_sizes(size)).unwrap_or_default();
        Ok(Some(AnswerCheck { analysis, told, distances, retained }))
    }

    /// A part that is wrong: the first entry in the order of the dump, and the number of others.
    fn wrong_part(&self, part: AnswerPart) -> Option<WrongFact> {
        let graph = self.analysis.graph();
        // Of several entries with one address, references lead to one.
        let entries = (0..graph.len() as u32).filter(|entry| graph.find(graph.address(*entry)) == Some(*entry));
        let known = entries.map(|entry| (graph.address(entry), self.difference(part, entry)));
        let unknown =
            self.told.keys().map(|address| Address(*address)).filter(|address| graph.find(*address).is_none());
        let unknown = unknown.filter(|_| part == AnswerPart::Reachability).map(|address| {
            let expected = "no line: the dump has no class and no object there".to_owned();
            (address, Some((expected, "a line".to_owned())))
        });
        let mut wrong = known.chain(unknown).filter_map(|(address, difference)| Some((address, difference?)));
        let (first, (expected, found)) = wrong.next()?;
        let mut at = vec![first];
        at.extend(wrong.map(|(address, _)| address));
        Some(WrongFact {
            fact: part.fact().to_owned(),
            facet: None,
            address: Some(format!("{:#x}", first.0)),
            expected,
            found,
            count: at.len() as u64,
            at,
            follows: None,
            is_settled: false,
        })
    }

    fn difference(&self, part: AnswerPart, entry: u32) -> Option<ExpectedAndFound> {
        let (graph, reached) = (self.analysis.graph(), self.analysis.reached()?);
        let told = self.told.get(&graph.address(entry).0);
        if part == AnswerPart::Reachability {
            let found = told.is_some_and(|line| line.reachable);
            let word = |reachable| if reachable { "reachable" } else { "not reachable" };
            let due = reached.is_reachable(entry);
            let found = if told.is_none() { "no line".to_owned() } else { word(found).to_owned() };
            return (told.is_some_and(|line| line.reachable) != due).then(|| (word(due).to_owned(), found));
        }
        let Some(distance) = self.distances.distance(entry) else {
            // What an implementation says of the others is not judged.
            return None;
        };
        let retained = reached.retained(entry)?;
        let own = told.cloned().unwrap_or_default();
        let of_retained = own.retained.unwrap_or_default();
        match part {
            AnswerPart::Reachability => None,
            AnswerPart::Distances => number_difference(Some(distance.into()), own.distance),
            AnswerPart::Dominators => self.dominator_difference(reached, entry, told),
            AnswerPart::RetainedEntries => number_difference(Some(retained.entries), of_retained.entries),
            AnswerPart::Retained => self.retained_difference(entry, of_retained),
            AnswerPart::Sizes => number_difference(graph.size(entry), own.bytes),
            AnswerPart::Paths => self.path_difference(entry, &own, Some(distance)),
            AnswerPart::AnyPaths => self.path_difference(entry, &own, None),
        }
    }

    fn dominator_difference(
        &self,
        reached: &RootAnalysis,
        entry: u32,
        told: Option<&EntryAnswer>,
    ) -> Option<ExpectedAndFound> {
        let due = reached.dominator(entry).map(|dominator| Hex(self.analysis.graph().address(dominator).0));
        let word =
            |dominator: Option<Hex>| dominator.map_or("none".to_owned(), |Hex(dominator)| format!("{dominator:#x}"));
        match told {
            None => Some((word(due), "no line".to_owned())),
            Some(line) => (line.dominator != due).then(|| (word(due), word(line.dominator))),
        }
    }

    fn retained_difference(&self, entry: u32, told: RetainedAnswer) -> Option<ExpectedAndFound> {
        number_difference(Some(self.retained[entry as usize]), told.bytes)
    }

    /// The mistake in a path. With a distance, the path needs as many references as the shortest one.
    fn path_difference(&self, entry: u32, told: &EntryAnswer, distance: Option<u32>) -> Option<ExpectedAndFound> {
        let graph = self.analysis.graph();
        let expected = match distance {
            Some(1) => "a path of 1 reference".to_owned(),
            Some(distance) => format!("a path of {distance} references"),
            None => "a path".to_owned(),
        };
        let wrong = |found: String| Some((expected.clone(), found));
        let Some(path) = &told.path else { return wrong("nothing, although it is declared".to_owned()) };
        let mut entries = Vec::with_capacity(path.len());
        for address in path {
            match graph.find(Address(address.0)) {
                Some(entry) => entries.push(entry),
                None => return wrong(format!("{:#x}, where the dump has no class and no object", address.0)),
            }
        }
        let (Some(first), Some(last)) = (entries.first(), entries.last()) else {
            return wrong("a path without entries".to_owned());
        };
        let is_kept = graph.roots().into_iter().flatten().any(|root| root.keeps() && root.entry == Some(*first));
        if !is_kept {
            return wrong(format!("a path from {:#x}, which no root keeps", path[0].0));
        }
        if *last != entry {
            return wrong(format!("a path to {:#x}", path[path.len() - 1].0));
        }
        for (pair, addresses) in entries.windows(2).zip(path.windows(2)) {
            if !graph.references(pair[0]).any(|to| to == pair[1]) {
                return wrong(format!("no reference leads from {:#x} to {:#x}", addresses[0].0, addresses[1].0));
            }
        }
        let steps = entries.len() - 1;
        match distance {
            Some(distance) if steps as u64 != u64::from(distance) => wrong(format!("one of {steps}")),
            _ => None,
        }
    }

    /// The wrong facts, each with the part that it follows from: reachability decides on all others, dominators on what
    /// is retained.
    fn mark_consequences(&self, mut wrong: Vec<WrongFact>) -> Vec<WrongFact> {
        let facts: Vec<String> = wrong.iter().map(|differing| differing.fact.clone()).collect();
        for (place, differing) in wrong.iter_mut().enumerate() {
            let is_size = differing.fact == AnswerPart::Sizes.fact();
            let causes = [AnswerPart::Reachability, AnswerPart::Dominators].map(AnswerPart::fact);
            let earlier = facts[..place].iter().find(|fact| causes.contains(&fact.as_str()));
            differing.follows = earlier.filter(|_| !is_size).cloned();
        }
        wrong
    }
}

/// The difference of two numbers; `None` where the dump does not determine the number.
fn number_difference(due: Option<u64>, found: Option<u64>) -> Option<ExpectedAndFound> {
    let due = due.filter(|due| found != Some(*due))?;
    let found = found.map_or("nothing, although it is declared".to_owned(), |found| found.to_string());
    Some((due.to_string(), found))
}
