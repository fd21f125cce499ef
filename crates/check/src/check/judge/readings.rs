//! Readings of ambiguous bytes: those that an answer follows, and whether it is right under them.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use crate::check::declarations::{CONVENTIONS, NAMES, convert_names_to_text, counted_edges, format_ambiguities};
use crate::check::judge::{AnswerJudgement, Mismatch, not_refused, passed};
use crate::check::report::PassingReadings;
use crate::corpus::{Case, CaseVerdict, RightAnswer};
use heapsmith_core::answers::EdgeOptions;
use heapsmith_core::compare::Facet;
use heapsmith_core::digest::FacetSelection;
use heapsmith_core::error::Error;
use heapsmith_core::family::case::{Ambiguity, CaseDump, EqualChoices};
use heapsmith_core::model::Heap;
use heapsmith_core::model::string_text::with_string_texts;

/// The most combinations of readings that are tried for an answer, beginning with those in which most readings are the
/// default.
const TRIED: usize = 512;
/// The bytes of an answer that are read for all combinations together.
const READ: u64 = 8 << 20;

/// Null references that a record lists.
const NULL_REFERENCES: &str = "phd.null-references";

/// The part of an answer that is judged.
pub(super) enum JudgedScope {
    /// These facets, of each class and object by its address. Two readings that agree in all of them are the same.
    Facets(BTreeSet<Facet>),
    /// Another part, such as counts. Two readings are the same if the judgement by both is.
    Other,
    /// The facts that follow from the references of the heap: like `Other`, with the conventions of analysers.
    Answers,
    /// Acceptance alone, which no reading changes.
    Nothing,
}

/// The right heaps of a case, one for each combination of readings.
pub(super) struct RightHeaps<'c> {
    case: &'c Case,
    ambiguities: Vec<&'static Ambiguity>,
    /// The declared choice of each ambiguity; `None` where it is inferred.
    declared: Vec<Option<usize>>,
    scope: JudgedScope,
    /// The most other combinations that are tried.
    tried: usize,
}

/// A combination of readings: one choice for each ambiguity.
pub(super) struct ReadingCombination<'r> {
    ambiguities: &'r [&'static Ambiguity],
    choices: Vec<usize>,
}

impl ReadingCombination<'_> {
    /// Whether names are compared as text.
    pub(super) fn has_text(&self) -> bool {
        self.choice(NAMES) == 1
    }

    /// Whether null references that records list are left out.
    pub(super) fn leaves_out_nulls(&self) -> bool {
        self.choice(NULL_REFERENCES) == 1
    }

    /// The references that count.
    pub(super) fn counted_edges(&self) -> EdgeOptions {
        counted_edges(|name| self.choice(name))
    }

    fn choice(&self, name: &str) -> usize {
        let mut all = self.ambiguities.iter().zip(&self.choices);
        all.find(|(ambiguity, _)| ambiguity.name == name).map_or(0, |(_, choice)| *choice)
    }
}

/// A right answer that is a heap: its reading, the heap, and the readings that it is spelled for.
struct SpelledHeap<'c> {
    reading: &'static str,
    heap: Cow<'c, Heap>,
    /// The dump as it is read for this answer.
    dump: CaseDump<'c>,
    fixed: Vec<Option<usize>>,
}

impl<'c> RightHeaps<'c> {
    /// The right heaps of a case, for an implementation that declares some readings by name.
    pub(super) fn new(case: &'c Case, declared: &BTreeMap<String, String>, scope: JudgedScope) -> RightHeaps<'c> {
        let ambiguities = match scope {
            JudgedScope::Nothing => Vec::new(),
            // These first, since they are what differs most.
            JudgedScope::Answers => CONVENTIONS.iter().chain(format_ambiguities(case.format)).collect(),
            JudgedScope::Facets(_) | JudgedScope::Other => format_ambiguities(case.format),
        };
        let declared = ambiguities
            .iter()
            .map(|ambiguity| declared.get(ambiguity.name).and_then(|choice| ambiguity.choice(choice)))
            .collect();
        let tried = if matches!(scope, JudgedScope::Facets(_)) { TRIED } else { TRIED / 8 };
        RightHeaps { case, ambiguities, declared, scope, tried }
    }

    /// Limits the combinations for an answer of this length, which is read once for each.
    pub(super) fn limited_by_length(self, length: u64) -> RightHeaps<'c> {
        let tried = (READ / length.max(1)).clamp(2, self.tried as u64) as usize;
        RightHeaps { tried, ..self }
    }

    /// The heaps that the case spells out, and does not derive from another.
    fn spelled_heaps(&self) -> Vec<SpelledHeap<'c>> {
        let mut all = Vec::new();
        for answer in &self.case.answers {
            let RightAnswer::Reads(reading, heap) = answer else { continue };
            if let Some(fixed) = self.fixed_choices(answer) {
                let dump = CaseDump::under_reading(self.case, reading);
                all.push(SpelledHeap { reading, heap: self.with_texts(Cow::Borrowed(heap)), dump, fixed });
            }
        }
        all
    }

    /// A heap with the texts of its strings where these are judged, and without them where they are not: else readings would differ
    /// in what is not looked at.
    fn with_texts<'h>(&self, heap: Cow<'h, Heap>) -> Cow<'h, Heap> {
        let is_judged = match &self.scope {
            JudgedScope::Facets(judged) => judged.contains(&Facet::StringText),
            JudgedScope::Other => true,
            JudgedScope::Answers | JudgedScope::Nothing => false,
        };
        match heap {
            mut heap if !is_judged => {
                if heap.objects.iter().any(|object| object.text.is_some()) {
                    heap.to_mut().objects.iter_mut().for_each(|object| object.text = None);
                }
                heap
            }
            Cow::Borrowed(heap) => with_string_texts(heap),
            Cow::Owned(heap) => Cow::Owned(match with_string_texts(&heap) {
                Cow::Owned(completed) => completed,
                Cow::Borrowed(_) => heap,
            }),
        }
    }

    /// The heap of some choices, which may be one of a dump that is read again, with the texts of its strings.
    fn completed<'h>(&self, heap: Cow<'h, Heap>, combination: &ReadingCombination<'_>) -> Cow<'h, Heap> {
        let had_texts = heap.objects.iter().any(|object| object.text.is_some());
        let mut heap = self.with_texts(heap);
        if !had_texts && combination.has_text() {
            convert_names_to_text(heap.to_mut());
        }
        heap
    }

    /// The choices that an answer is spelled for; `None` if it is derived from another answer.
    fn fixed_choices(&self, answer: &RightAnswer) -> Option<Vec<Option<usize>>> {
        let mut fixed = vec![None; self.ambiguities.len()];
        if let Some((name, choice)) = answer.choice()
            && let Some(place) = self.ambiguities.iter().position(|ambiguity| ambiguity.name == name)
        {
            let choice = self.ambiguities[place].choice(choice);
            match self.case.spells(self.ambiguities[place]) {
                true => fixed[place] = choice,
                false if choice != Some(0) => return None,
                false => {}
            }
        }
        Some(fixed)
    }

    /// Judges a refusal that a case allows: under which readings.
    pub(super) fn refusal(&self) -> Option<(&'static str, Vec<PassingReadings>)> {
        let mut follows: Option<(&'static str, Vec<PassingReadings>)> = None;
        for answer in &self.case.answers {
            let (RightAnswer::Refuses(reading), Some(fixed)) = (answer, self.fixed_choices(answer)) else { continue };
            let is_declared_otherwise = |(fixed, declared): (&Option<usize>, &Option<usize>)| {
                fixed.is_some() && declared.is_some() && fixed != declared
            };
            if fixed.iter().zip(&self.declared).any(is_declared_otherwise) {
                continue;
            }
            // What is declared need not be found out.
            let is_open = |place: &usize| self.declared[*place].is_none();
            let named = fixed.iter().enumerate().filter_map(|(place, choice)| Some((place, vec![(*choice)?])));
            let named = named.filter(|(place, _)| is_open(place));
            let named: PassingReadings = self.name_choices(named);
            match &mut follows {
                // One that depends on nothing leaves nothing to find out.
                _ if named.0.is_empty() => return Some((reading, Vec::new())),
                Some((_, all)) => all.push(named),
                None => follows = Some((reading, vec![named])),
            }
        }
        follows
    }

    fn name_choices(&self, choices: impl Iterator<Item = (usize, Vec<usize>)>) -> PassingReadings {
        let name = |(place, choices): (usize, Vec<usize>)| {
            let ambiguity = self.ambiguities[place];
            let names = choices.into_iter().map(|choice| ambiguity.choices[choice].name.to_owned());
            (ambiguity.name.to_owned(), names.collect())
        };
        PassingReadings(choices.map(name).collect())
    }

    /// The judgement of an answer by `differ`, which compares it with a heap: right under the first combination of readings
    /// that agrees; and else wrong, against the one that comes nearest.
    pub(super) fn judge(
        &self,
        mut differ: impl FnMut(&Heap, &ReadingCombination<'_>) -> Result<Result<(), Mismatch>, Error>,
    ) -> Result<AnswerJudgement, Error> {
        let mut nearest: Option<Mismatch> = None;
        // Stands only where no heap is spelled for the declared reading.
        let mut conflicting: Option<Mismatch> = None;
        let mut passed: Option<AnswerJudgement> = None;
        for spelled in self.spelled_heaps() {
            let conflict = |place: &usize| match (spelled.fixed[*place], self.declared[*place]) {
                (Some(fixed), Some(declared)) => fixed != declared,
                _ => false,
            };
            if let Some(place) = (0..self.ambiguities.len()).find(conflict) {
                if !self.is_refused_first() {
                    conflicting.get_or_insert_with(|| self.reading_mismatch(place, "another reading"));
                }
                continue;
            }
            let both = spelled.fixed.iter().zip(&self.declared);
            // A heap that is spelled for a reading is already as that reading has it.
            let start: Vec<usize> =
                both.map(|(fixed, declared)| if fixed.is_some() { 0 } else { declared.unwrap_or(0) }).collect();
            let is_open = |place: usize| self.declared[place].is_none() && spelled.fixed[place].is_none();
            let mut right = Vec::new();
            let mut wrong = None;
            match self.judge_combination(&spelled, &start, &mut differ)? {
                Some(Ok(())) => right.push(start.clone()),
                Some(Err(mismatch)) if mismatch.is_undecided() && passed.is_none() => {
                    return Ok(AnswerJudgement::from_mismatch(mismatch));
                }
                Some(Err(mismatch)) => {
                    let mut near = mismatch.clone();
                    for choices in self.other_combinations(&start, &mismatch, is_open) {
                        match self.judge_combination(&spelled, &choices, &mut differ)? {
                            Some(Ok(())) => right.push(choices),
                            Some(Err(other)) if other.differing.count() < near.differing.count() => near = other,
                            _ => {}
                        }
                    }
                    wrong = Some((mismatch, near));
                }
                None => {}
            }
            if !right.is_empty() {
                // An answer may be right under several of the readings that the case spells, and then shows none of them.
                let right = self.right_judgement(&spelled, &right, &mut differ)?;
                let right = match passed.take() {
                    Some(before) => before.merge_readings(&right),
                    None => right,
                };
                if right.follows.is_empty() || spelled.fixed.iter().all(Option::is_none) {
                    return Ok(right);
                }
                passed = Some(right);
                continue;
            }
            let Some((wrong, near)) = wrong.filter(|_| passed.is_none()) else { continue };
            // Of several heaps, the one that is meant is the one that comes nearest.
            let is_nearer =
                |found: &Mismatch| self.case.is_about_all_heaps() && near.differing.count() < found.differing.count();
            if nearest.as_ref().is_none_or(is_nearer) && !self.is_refused_first() {
                let declared = self.undeclared_mismatch(&spelled, &start, &wrong, &mut differ)?;
                nearest = Some(declared.unwrap_or(near));
            }
        }
        Ok(match (passed, nearest.or(conflicting)) {
            (Some(passed), _) => passed,
            (None, Some(nearest)) => AnswerJudgement::from_mismatch(nearest),
            (None, None) if self.is_refused_first() => not_refused(),
            (None, None) => AnswerJudgement::from_mismatch(Mismatch::answer("a heap", "nothing".to_owned())),
        })
    }

    /// Whether the first answer is a refusal by the first reading of something whose other readings could be worked out of a heap:
    /// an answer that is no other reading's heap is one of a reader that misses the damage.
    fn is_refused_first(&self) -> bool {
        let Some(RightAnswer::Refuses(_)) = self.case.answers.first() else { return false };
        let choice = self.case.answers[0].choice();
        let is_named = |ambiguity: &&&Ambiguity| choice == Some((ambiguity.name, ambiguity.choices[0].name));
        self.ambiguities.iter().find(is_named).is_some_and(|ambiguity| ambiguity.is_worked_out())
    }

    /// The judgement under some readings; `None` if they give the heap of fewer readings, or no heap.
    fn judge_combination(
        &self,
        spelled: &SpelledHeap<'_>,
        choices: &[usize],
        differ: &mut impl FnMut(&Heap, &ReadingCombination<'_>) -> Result<Result<(), Mismatch>, Error>,
    ) -> Result<Option<Result<(), Mismatch>>, Error> {
        let mut is_repeated = false;
        let open = |place: usize| spelled.fixed[place].is_none() && self.declared[place].is_none();
        let mut each = |place: usize, same: Vec<usize>| {
            is_repeated |= same.first().is_some_and(|first| *first < choices[place]);
        };
        // The first of choices that are one has been tried.
        let wants = |place: usize| open(place) && choices[place] > 0;
        let same = EqualChoices { wants: &wants, found: &mut each };
        // A dump that cannot be read so has no heap under this reading.
        let Ok(heap) = spelled.dump.heap(&spelled.heap, &self.ambiguities, choices, Some(same)) else {
            return Ok(None);
        };
        if is_repeated {
            return Ok(None);
        }
        let combination = ReadingCombination { ambiguities: &self.ambiguities, choices: choices.to_vec() };
        differ(&self.completed(heap, &combination), &combination).map(Some)
    }

    /// Other combinations that may agree with the answer: they differ in open readings that affect the wrong facets.
    fn other_combinations(
        &self,
        start: &[usize],
        wrong: &Mismatch,
        is_open: impl Fn(usize) -> bool,
    ) -> Vec<Vec<usize>> {
        // An order is not looked at where the references are others.
        let hidden = wrong.differing.contains(Facet::References).then_some(Facet::ReferenceOrder);
        let differing: FacetSelection = wrong.differing.facets().chain(hidden).collect();
        let concerns = |ambiguity: &Ambiguity| {
            differing.is_empty() || ambiguity.facets.iter().any(|facet| differing.contains(*facet))
        };
        let mut all = vec![start.to_vec()];
        for (place, ambiguity) in self.ambiguities.iter().enumerate() {
            if !is_open(place) || !ambiguity.is_worked_out() || !concerns(ambiguity) {
                continue;
            }
            for choices in all.clone() {
                let others = (0..ambiguity.choices.len()).filter(|choice| *choice != choices[place]);
                all.extend(others.map(|choice| {
                    let mut choices = choices.clone();
                    choices[place] = choice;
                    choices
                }));
            }
        }
        let others = |choices: &Vec<usize>| choices.iter().zip(start).filter(|(one, other)| one != other).count();
        all.sort_by_key(others);
        all.into_iter().skip(1).take(self.tried).collect()
    }

    /// The mismatch of an answer that would be right under another reading than the declared one.
    fn undeclared_mismatch(
        &self,
        spelled: &SpelledHeap<'_>,
        start: &[usize],
        wrong: &Mismatch,
        differ: &mut impl FnMut(&Heap, &ReadingCombination<'_>) -> Result<Result<(), Mismatch>, Error>,
    ) -> Result<Option<Mismatch>, Error> {
        let is_declared = |place: &usize| self.declared[*place].is_some() && spelled.fixed[*place].is_none();
        for place in (0..self.ambiguities.len()).filter(is_declared) {
            for choices in self.other_combinations(start, wrong, |other| other == place) {
                if let Some(Ok(())) = self.judge_combination(spelled, &choices, differ)? {
                    let found = self.ambiguities[place].choices[choices[place]].name;
                    let not_declared = self.reading_mismatch(place, found);
                    return Ok(Some(wrong.facts.iter().cloned().fold(not_declared, Mismatch::with_fact)));
                }
            }
        }
        Ok(None)
    }

    fn reading_mismatch(&self, place: usize, found: &str) -> Mismatch {
        let ambiguity = self.ambiguities[place];
        let declared = ambiguity.choices[self.declared[place].unwrap_or_default()].name;
        Mismatch::number(
            format!("reading {}", ambiguity.name),
            format!("{declared}, as it is declared"),
            found.to_owned(),
        )
    }

    /// The judgement of an answer that is right under some combinations, all of them for one spelled answer.
    fn right_judgement(
        &self,
        spelled: &SpelledHeap<'_>,
        right: &[Vec<usize>],
        differ: &mut impl FnMut(&Heap, &ReadingCombination<'_>) -> Result<Result<(), Mismatch>, Error>,
    ) -> Result<AnswerJudgement, Error> {
        let mut follows: Vec<PassingReadings> = Vec::new();
        for choices in right {
            let found = self.shown_readings(spelled, choices, differ)?;
            if found.0.is_empty() {
                // Right whatever is read otherwise.
                follows.clear();
                break;
            }
            follows.push(found);
        }
        let reading = right.first().map_or(Ok(None), |choices| self.describe_reading(spelled, choices))?;
        Ok(AnswerJudgement { follows, ..passed(reading) })
    }

    /// The readings that a passing answer shows: the choices under which it would pass as well, unless that is all of
    /// them.
    fn shown_readings(
        &self,
        spelled: &SpelledHeap<'_>,
        choices: &[usize],
        differ: &mut impl FnMut(&Heap, &ReadingCombination<'_>) -> Result<Result<(), Mismatch>, Error>,
    ) -> Result<PassingReadings, Error> {
        let mut all: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        let mut each = |place, same| {
            all.insert(place, same);
        };
        let wants = |place: usize| self.declared[place].is_none() && self.is_judged(place);
        let same = EqualChoices { wants: &wants, found: &mut each };
        let heap = spelled.dump.heap(&spelled.heap, &self.ambiguities, choices, Some(same))?;
        if choices.iter().any(|choice| *choice > 0) {
            // What one reading makes different, another that is applied later may take away again.
            for (place, same) in all.iter_mut().filter(|(place, _)| self.ambiguities[**place].changes_heaps()) {
                for other in 0..self.ambiguities[*place].choices.len() {
                    let mut others = choices.to_vec();
                    others[*place] = other;
                    if !same.contains(&other)
                        && let Ok(changed) = spelled.dump.heap(&spelled.heap, &self.ambiguities, &others, None)
                        && changed == heap
                    {
                        same.push(other);
                    }
                }
            }
        }
        for (place, fixed) in spelled.fixed.iter().enumerate() {
            if let Some(fixed) = fixed {
                all.insert(place, vec![*fixed]);
            }
        }
        all.retain(|place, same| {
            let is_open = self.declared[*place].is_none() && self.is_judged(*place);
            is_open && same.len() < self.ambiguities[*place].choices.len()
        });
        if matches!(self.scope, JudgedScope::Other | JudgedScope::Answers) {
            for (place, same) in &mut all {
                let ambiguity = self.ambiguities[*place];
                for other in 0..ambiguity.choices.len() {
                    let mut choices = choices.to_vec();
                    choices[*place] = other;
                    if !same.contains(&other)
                        && ambiguity.is_worked_out()
                        && spelled.fixed[*place].is_none()
                        && let Ok(heap) = spelled.dump.heap(&spelled.heap, &self.ambiguities, &choices, None)
                    {
                        let combination = ReadingCombination { ambiguities: &self.ambiguities, choices };
                        if differ(&self.completed(heap, &combination), &combination)?.is_ok() {
                            same.push(other);
                        }
                    }
                }
            }
            all.retain(|place, same| same.len() < self.ambiguities[*place].choices.len());
        }
        Ok(self.name_choices(all.into_iter()))
    }

    /// Whether two readings of an ambiguity may differ in what is looked at.
    fn is_judged(&self, place: usize) -> bool {
        let ambiguity = self.ambiguities[place];
        match &self.scope {
            JudgedScope::Facets(judged) => {
                self.case.spells(ambiguity) || ambiguity.facets.iter().any(|facet| judged.contains(facet))
            }
            JudgedScope::Other | JudgedScope::Answers | JudgedScope::Nothing => true,
        }
    }

    /// The readings by which an answer passes, in words, where several heaps are right. A reading that makes no
    /// difference to this dump is left out.
    fn describe_reading(&self, spelled: &SpelledHeap<'_>, choices: &[usize]) -> Result<Option<String>, Error> {
        let mut idle: BTreeSet<usize> = BTreeSet::new();
        if choices.iter().any(|choice| *choice > 0) {
            let wants = |place: usize| choices[place] > 0;
            let mut each = |place: usize, same: Vec<usize>| {
                if same.contains(&0) {
                    idle.insert(place);
                }
            };
            let same = EqualChoices { wants: &wants, found: &mut each };
            spelled.dump.heap(&spelled.heap, &self.ambiguities, choices, Some(same))?;
        }
        let chosen = spelled.fixed.iter().zip(choices).map(|(fixed, choice)| fixed.unwrap_or(*choice)).enumerate();
        let chosen = chosen.filter(|(place, choice)| *choice > 0 && !idle.contains(place));
        let mut words: Vec<String> = chosen
            .map(|(place, choice)| {
                let ambiguity = self.ambiguities[place];
                format!("{}={}", ambiguity.name, ambiguity.choices[choice].name)
            })
            .collect();
        let is_named = spelled.reading.contains('=');
        if self.case.verdict == CaseVerdict::Ambiguous
            && (words.is_empty() || !is_named && spelled.reading != "as written")
        {
            words.insert(0, spelled.reading.to_owned());
        }
        Ok((!words.is_empty()).then(|| words.join(", ")))
    }
}
