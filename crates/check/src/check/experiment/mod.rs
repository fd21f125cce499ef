//! Causes by experiment: dumps are made and asked about until two are found with one difference, of which one is read rightly and
//! one is not.
//!
//! ```text
//! failures ─▶ the smallest ─▶ reduced ─▶ variants ─▶ features of all that fail and of none that pass
//!    ▲                                                       │
//!    └────────── those left ◀── explained: has the feature ◀─┘
//! ```

mod features;
mod learn;
mod oracle;
mod pool;
mod probed_dump;
mod sound;
mod variations;

use std::collections::{BTreeMap, BTreeSet};

use sha2::{Digest, Sha256};

use crate::check::causes::of_acceptance;
use crate::check::declarations::ambiguities;
use crate::check::report::symptom::READING;
use crate::check::report::{CaseResult, Cause, CausePair, Outcome, PairedDump, ReducedDump, Symptom};
use crate::check::sources::case_from_bytes;
use crate::check::task::first_heap;
use crate::corpus::Case;
use crate::fields::ProbedFieldKey;
use crate::reduce::{ReduceOptions, reduce};
use features::{Feature, FeatureTable};
use heapsmith_core::bytes::hexadecimal;
use heapsmith_core::error::Error;
use heapsmith_core::family::case::REFUSALS;
use heapsmith_core::format::rule;
use learn::{Learned, LearningContext, PassingVariant, changed_bytes, learn};
use pool::{FailureGroup, Pool, PooledAnswer};
pub(super) use probed_dump::LARGEST;
use probed_dump::ProbedDump;
use sound::SoundVariants;
use variations::{Variant, Variation, variants};

pub(super) use oracle::{ExperimentBudget, Observation, ProbeOracle};
use oracle::{KnownAnswers, Questions, ordered_symptoms};

/// The most questions for the reduction of one dump.
const REDUCTION: u64 = 250;

/// How many failures that look alike are tried, if no condition is found for any of them.
const TRIED: usize = 4;

/// The most bytes of a failing dump whose variants are made although it could be reduced.
const LARGEST_PROBED: usize = 4 << 10;

/// How often a dump is asked about again before its failure is looked into, and where others with the same symptom were not
/// seen again.
const AGAIN: usize = 1;
const AGAIN_KNOWN: usize = 4;

/// The part of a dump before its records.
const HEADER: &str = "header";

/// The bytes that are shown of a difference.
const SHOWN: usize = 16;

/// The most failures in which a pair's difference is made, and the most bytes of each.
const CURED: usize = 40;
const CURED_SIZE: usize = 4096;

/// A dump, and the result of asking about it.
pub(super) struct AskedCase<'r> {
    pub(super) result: &'r CaseResult,
    pub(super) case: Case,
}

/// A cause, and its pair of dumps.
pub(super) struct ExplainedCause {
    /// The cause; its pair is not in it yet, since its dumps have no files.
    pub(super) cause: Cause,
    pub(super) pair: Option<MadePair>,
    /// The reduced dump; a pair fails with that.
    pub(super) reduced: Vec<u8>,
    /// The condition in words, to know the cause again.
    pub(super) condition: Option<String>,
    /// Whether the failure is seen each time.
    pub(super) is_steady: bool,
    /// The number of dumps that were asked about until then.
    pub(super) asked: u64,
}

impl ExplainedCause {
    /// The report's entry of the reduced dump.
    pub(super) fn reduced_dump(&self, file: String) -> ReducedDump {
        let heap = case_from_bytes("dump", self.reduced.clone()).ok();
        ReducedDump {
            shows: self.cause.symptoms.iter().map(|symptom| symptom.what.clone()).collect(),
            rule: self.cause.rule.clone(),
            file,
            bytes: self.reduced.len() as u64,
            objects: heap.as_ref().and_then(first_heap).map(|heap| heap.objects.len() as u64),
            sha256: hexadecimal(&Sha256::digest(&self.reduced)),
            trials: self.asked,
            of: self.cause.example.clone(),
        }
    }
}

/// A pair with the bytes of its dumps.
pub(super) struct MadePair {
    pub(super) pair: CausePair,
    pub(super) fails: Vec<u8>,
    pub(super) passes: Vec<u8>,
}

/// A line of the report in the making.
#[derive(Debug)]
struct Line {
    learned: Learned,
    failing: ProbedDump,
    group: FailureGroup,
    /// Failures, by their places in the pool.
    members: BTreeSet<usize>,
    /// Whether the same dump is read rightly at another time.
    is_unsteady: bool,
}

impl Line {
    /// Whether this is the same mistake as that of an earlier line.
    fn says_the_same(&self, earlier: &Line, table: &FeatureTable) -> bool {
        let (own, other) = (&self.learned, &earlier.learned);
        if self.is_unsteady || earlier.is_unsteady {
            return self.is_unsteady && earlier.is_unsteady && self.group == earlier.group;
        }
        if own.feature == other.feature && (own.feature.is_some() || self.group == earlier.group) {
            return true;
        }
        let same_symptom = !own.symptoms.is_disjoint(&other.symptoms);
        let are_broken = !self.group.is_valid && !earlier.group.is_valid;
        let same = |of: fn(&Line) -> Option<&'static str>| of(self).is_some() && of(self) == of(earlier);
        if same(Line::broken_rule) || (same_symptom || are_broken) && same(Line::likeliest_rule) {
            return true;
        }
        // What is read otherwise than declared, and a fact that is wrong under the same rule.
        let is_of_reading = |line: &Line| line.group.symptoms.iter().any(|symptom| symptom.starts_with(READING));
        if is_of_reading(self) != is_of_reading(earlier) && own.rules.iter().any(|rule| other.rules.contains(rule)) {
            return true;
        }
        // One that does not look at the header accepts whatever is there.
        let accepted = |line: &Line| line.failing.broken_field().filter(|_| line.group.is_accepted());
        let is_header = |field: ProbedFieldKey| field.part == Some(HEADER);
        if let (Some(own), Some(other)) = (accepted(self), accepted(earlier))
            && (own == other || is_header(own) && is_header(other))
        {
            return true;
        }
        let has = |dump: &ProbedDump, of: &Line| match (&own.feature, &other.feature, &of.learned.feature) {
            (Some(_), Some(_), Some(feature)) => dump.has(feature, table),
            _ => false,
        };
        same_symptom
            && (self.field().is_some() && self.field() == earlier.field()
                || has(&earlier.failing, self)
                || has(&self.failing, earlier))
    }

    /// The name of the field that its condition is about, or that is broken. Tags are of kinds of record that have nothing in common.
    fn field(&self) -> Option<(Option<&'static str>, &'static str)> {
        let of_condition = self.learned.feature.as_ref().and_then(Feature::key);
        let key = of_condition.or(self.failing.broken_field())?;
        Some((key.part.filter(|_| key.name.ends_with("tag")), key.name))
    }

    fn likeliest_rule(&self) -> Option<&'static str> {
        self.learned.rules.first().copied()
    }

    /// The rule that has to be broken.
    fn broken_rule(&self) -> Option<&'static str> {
        self.learned.feature.as_ref().and_then(Feature::broken_rule)
    }
}

/// Works out the causes of failures by asking about dumps that are made for it. Failures for which the budget did not suffice have none.
///
/// # Errors
/// If the program cannot be started, or a dump cannot be written.
pub(super) fn explain_by_experiment(
    asked: Vec<AskedCase<'_>>,
    oracle: &dyn ProbeOracle,
    budget: &mut ExperimentBudget<'_>,
) -> Result<Vec<ExplainedCause>, Error> {
    Ok(Explanations::default().explain(asked, usize::MAX, oracle, budget)?.causes)
}

/// What experiments found so far.
#[derive(Debug, Default)]
pub(super) struct Explanations {
    table: FeatureTable,
    pool: Pool,
    lines: Vec<Line>,
    sound: Option<SoundVariants>,
    answers: KnownAnswers,
}

/// What further failures show.
#[derive(Default)]
pub(super) struct FurtherCauses {
    /// Failures that are explained already, each with the place of the cause.
    pub(super) known: Vec<(usize, String)>,
    /// The causes that are new.
    pub(super) causes: Vec<ExplainedCause>,
}

/// A cause that was found in another run of the program.
pub(super) struct RecordedExplanation<'r> {
    pub(super) fails: Vec<u8>,
    pub(super) passes: Option<Vec<u8>>,
    /// The condition, in the words of the sentence.
    pub(super) condition: Option<&'r str>,
    pub(super) symptoms: BTreeSet<String>,
    pub(super) rules: Vec<&'static str>,
}

impl Explanations {
    /// Explains further failures, by at most this many new causes. Cases that pass are kept for the next time.
    ///
    /// # Errors
    /// If the program cannot be started, or a dump cannot be written.
    pub(super) fn explain(
        &mut self,
        asked: Vec<AskedCase<'_>>,
        most: usize,
        oracle: &dyn ProbeOracle,
        budget: &mut ExperimentBudget<'_>,
    ) -> Result<FurtherCauses, Error> {
        let mut experiment = Experiment::new(std::mem::take(self), asked, oracle, budget)?;
        let found = experiment.run(most).and_then(|()| experiment.further_causes());
        let Experiment { pool, table, questions, lines, sound, .. } = experiment;
        *self = Explanations { table, pool, lines, sound, answers: questions.answers };
        found
    }

    /// Takes a cause from another run. Its condition and its repair are found again by what they are called and what they do.
    ///
    /// # Errors
    /// If the machine cannot read its dumps.
    pub(super) fn restore(&mut self, recorded: RecordedExplanation<'_>) -> Result<(), Error> {
        let RecordedExplanation { fails, passes, condition, symptoms, rules } = recorded;
        let failing = ProbedDump::from_bytes(fails, &mut self.table)?;
        let failing = failing.ok_or_else(|| Error::Usage("expected a dump that was reduced, found none".to_owned()))?;
        let mut learned = Learned::nothing(symptoms.clone(), rules);
        learned.feature = condition.and_then(|words| failing.features.named(words, &self.table));
        let made = passes.and_then(|passes| {
            let mut all = variants(&failing, &self.pool).into_iter();
            all.find(|variant| variant.bytes == passes)
        });
        if let Some(Variant { variation, place, bytes }) = made
            && let Some(specimen) = ProbedDump::from_bytes(bytes, &mut self.table)?
        {
            learned.partner = Some(PassingVariant { variation, place, specimen });
        }
        let group = FailureGroup { symptoms, is_valid: failing.is_valid() };
        self.lines.push(Line { learned, failing, group, members: BTreeSet::new(), is_unsteady: false });
        Ok(())
    }
}

struct Experiment<'e, 'b> {
    pool: Pool,
    table: FeatureTable,
    questions: Questions<'e, 'b>,
    cases: BTreeMap<String, (Case, &'e CaseResult)>,
    lines: Vec<Line>,
    sound: Option<SoundVariants>,
    /// The number of lines from before, which stay what they are.
    known: usize,
}

impl<'e, 'b> Experiment<'e, 'b> {
    fn new(
        Explanations { mut table, mut pool, mut lines, sound, answers }: Explanations,
        asked: Vec<AskedCase<'e>>,
        oracle: &'e dyn ProbeOracle,
        budget: &'e mut ExperimentBudget<'b>,
    ) -> Result<Experiment<'e, 'b>, Error> {
        let mut cases: BTreeMap<String, (Case, &CaseResult)> = BTreeMap::new();
        pool.failed.clear();
        lines.iter_mut().for_each(|line| line.members.clear());
        for AskedCase { result, case } in asked {
            if case.bytes.len() > LARGEST && !result.is_unexpected() {
                continue;
            }
            let Some(specimen) = ProbedDump::from_case(&case, &mut table)? else { continue };
            let symptoms = ordered_symptoms(result);
            if result.outcome().is_pass() && specimen.is_valid() && !is_refused(result) {
                pool.keep_values(&specimen);
            }
            let mut entry = PooledAnswer::new(&result.id, specimen, symptoms);
            // One that may be refused, and was, says nothing of what a reader gets right.
            entry.is_valid &= !is_refused(result);
            if result.is_unexpected() && result.outcome().is_failure() {
                pool.failed.push(entry);
                cases.insert(result.id.clone(), (case, result));
            } else if result.outcome().is_pass() {
                pool.passed.push(entry);
            }
        }
        let (known, questions) = (lines.len(), Questions::new(oracle, budget, answers));
        Ok(Experiment { pool, table, questions, cases, lines, sound, known })
    }
}

impl Experiment<'_, '_> {
    fn run(&mut self, most: usize) -> Result<(), Error> {
        let mut left: BTreeSet<usize> = (0..self.pool.failed.len()).collect();
        self.join_known(&mut left)?;
        if left.is_empty() {
            return Ok(());
        }
        let sound = match self.sound.take() {
            Some(sound) => sound,
            None => SoundVariants::of_pool(&self.pool, &mut self.table, &self.questions)?,
        };
        let found = self.find_lines(left, most, &sound);
        self.sound = Some(sound);
        found?;
        self.merge();
        self.absorb_cured()?;
        self.absorb_unconditional();
        Ok(())
    }

    fn find_lines(&mut self, mut left: BTreeSet<usize>, most: usize, sound: &SoundVariants) -> Result<(), Error> {
        while let Some(seed) = self.next_seed(&left) {
            // The rest is listed by what is seen of it.
            if self.questions.is_over() || self.lines.len() - self.known >= most {
                break;
            }
            (0..self.pool.failed.len()).for_each(|place| self.pool.failed[place].is_explained = !left.contains(&place));
            let entry = &self.pool.failed[seed];
            let first: BTreeSet<String> = entry.symptoms.first().cloned().into_iter().collect();
            let group = FailureGroup { symptoms: first, is_valid: entry.is_valid };
            if let Some(line) = self.line_of(&self.pool.failed[seed]) {
                left.remove(&seed);
                self.lines[line].members.insert(seed);
                continue;
            }
            if let Some(line) = self.healed_reading(seed)? {
                left.remove(&seed);
                self.lines[line].members.insert(seed);
                continue;
            }
            if let Some(line) = self.unsteady_line(seed, &group)? {
                left.remove(&seed);
                match self.lines.iter_mut().find(|known| known.is_unsteady && known.group == line.group) {
                    Some(known) => known.members.extend(line.members),
                    None => self.lines.push(line),
                }
                continue;
            }
            if let Some(line) = self.reading_line(seed, &group, &left)? {
                left.retain(|failure| !line.members.contains(failure));
                self.lines.push(line);
                continue;
            }
            let Some(failing) = self.reduced(seed, &group)? else {
                left.remove(&seed);
                continue;
            };
            if let Some(line) = self.healing_line(&failing, 0..self.lines.len())? {
                let members = self.explained(&left, &self.lines[line].learned, &group);
                self.lines[line].members.extend(members.iter().copied().chain([seed]));
                self.lines[line].learned.symptoms.extend(group.symptoms.iter().cloned());
                left.remove(&seed);
                left.retain(|failure| !members.contains(failure));
                continue;
            }
            let conditions: Vec<(usize, Feature)> = self
                .lines
                .iter()
                .enumerate()
                .filter_map(|(number, line)| Some((number, line.learned.feature.clone()?)))
                .collect();
            let known: Vec<Feature> = conditions.iter().map(|(_, feature)| feature.clone()).collect();
            let mut failing = failing;
            let mut learned = self.learned(&failing, &group, sound, &known)?;
            if learned.partner.is_none() && failing.is_valid() {
                for fuller in self.fuller(&failing, seed)? {
                    if !self.questions.ask(&fuller.bytes)?.shows(&group.symptoms) {
                        continue;
                    }
                    let again = self.learned(&fuller, &group, sound, &known)?;
                    if again.partner.is_some() {
                        (failing, learned) = (fuller, again);
                        break;
                    }
                }
            }
            if group.is_accepted() {
                // Which rule the dump breaks is known, and readers that do not keep it accept whatever else is there.
                learned.feature = None;
                let (_, result) = &self.cases[&self.pool.failed[seed].id];
                let of_case = result.suspects.first().and_then(|suspect| rule(&suspect.rule)).map(|rule| rule.id);
                learned.rules = failing.breaks.map(|(rule, _)| rule).or(of_case).into_iter().collect();
            } else if let Some(known) = learned.known.map(|known| conditions[known].0) {
                let members = self.explained(&left, &self.lines[known].learned, &group);
                self.lines[known].members.extend(members.iter().copied().chain([seed]));
                self.lines[known].learned.symptoms.extend(learned.symptoms);
                left.remove(&seed);
                left.retain(|failure| !members.contains(failure));
                continue;
            }
            let mut members = match learned.feature.is_some() || group.is_accepted() || self.is_given_up(&group) {
                true => self.explained(&left, &learned, &group),
                // Others that look like it may have a condition that can be found.
                false => BTreeSet::new(),
            };
            members.insert(seed);
            left.retain(|failure| !members.contains(failure));
            self.lines.push(Line { learned, failing, group, members, is_unsteady: false });
            let cured = self.cured(&left, self.lines.len() - 1)?;
            left.retain(|failure| !cured.contains(failure));
            self.lines.last_mut().into_iter().for_each(|line| line.members.extend(&cured));
        }
        Ok(())
    }

    /// Gives failures to the lines from before that explain them, or whose repair lets them pass.
    fn join_known(&mut self, left: &mut BTreeSet<usize>) -> Result<(), Error> {
        for number in 0..self.known {
            let line = &self.lines[number];
            let mut members = self.explained(left, &line.learned, &line.group);
            left.retain(|failure| !members.contains(failure));
            members.extend(self.cured(left, number)?);
            left.retain(|failure| !members.contains(failure));
            self.lines[number].members = members;
        }
        Ok(())
    }

    /// The line of a failure that is not seen again, or not each time: its dump says nothing of what is wrong.
    fn unsteady_line(&mut self, seed: usize, group: &FailureGroup) -> Result<Option<Line>, Error> {
        let entry = &self.pool.failed[seed];
        let (case, result) = &self.cases[&entry.id];
        let is_alone = matches!(result.outcome(), Outcome::PassAlone { .. });
        // A reading is wrong because of other cases.
        if !is_alone && is_reading(entry) {
            return Ok(None);
        }
        let known = self.lines.iter().any(|line| line.is_unsteady && line.group.symptoms == group.symptoms);
        let times = if known { AGAIN_KNOWN } else { AGAIN };
        let mut is_unsteady = is_alone;
        for _ in 0..times {
            is_unsteady = is_unsteady || self.questions.ask_anew(case)? == Observation::Right;
            if is_unsteady {
                break;
            }
        }
        if !is_unsteady {
            return Ok(None);
        }
        self.questions.ask_alone();
        let Some(failing) = ProbedDump::from_case(case, &mut self.table)? else { return Ok(None) };
        let learned = Learned::nothing(group.symptoms.clone(), Vec::new());
        Ok(Some(Line { learned, failing, group: group.clone(), members: [seed].into(), is_unsteady: true }))
    }

    /// Whether no condition was found for several failures that look like these.
    fn is_given_up(&self, group: &FailureGroup) -> bool {
        let alike = self
            .lines
            .iter()
            .filter(|line| line.learned.feature.is_none() && !line.is_unsteady && line.group == *group);
        alike.count() + 1 >= TRIED
    }

    /// The next failure that is looked into: a valid dump before others, one right answer before several, and the smallest.
    fn next_seed(&self, left: &BTreeSet<usize>) -> Option<usize> {
        left.iter().copied().min_by_key(|place| {
            let entry = &self.pool.failed[*place];
            (!entry.is_valid, is_reading(entry), entry.size, *place)
        })
    }

    /// The line whose repair, made in a case of several readings, lets it pass.
    fn healed_reading(&mut self, seed: usize) -> Result<Option<usize>, Error> {
        let entry = &self.pool.failed[seed];
        if !is_reading(entry) {
            return Ok(None);
        }
        match ProbedDump::from_case(&self.cases[&entry.id].0, &mut self.table)? {
            Some(failing) => self.healing_line(&failing, 0..self.lines.len()),
            None => Ok(None),
        }
    }

    /// The line that explains a failure by what is seen of it: its dump has the condition, and the symptom was seen with that.
    fn line_of(&self, entry: &PooledAnswer) -> Option<usize> {
        self.lines.iter().position(|Line { learned, group, is_unsteady, .. }| {
            let sees = entry.symptoms.first().is_some_and(|first| learned.symptoms.contains(first));
            // Where no dump near a sound one passes, a broken one fails for the same reason.
            let is_anything = learned.partner.is_none() && group.is_valid && !entry.is_valid && !is_unsteady;
            let has = learned.feature.as_ref().map_or(is_anything, |feature| entry.has(feature, &self.table));
            sees && has && (group.is_valid || !entry.is_valid)
        })
    }

    /// The line of a case that is read another way than declared: which rule leaves that open is known, and a dump that is made has one
    /// right answer alone.
    fn reading_line(
        &mut self,
        seed: usize,
        group: &FailureGroup,
        left: &BTreeSet<usize>,
    ) -> Result<Option<Line>, Error> {
        let entry = &self.pool.failed[seed];
        let (case, _) = &self.cases[&entry.id];
        let first = entry.symptoms.first().map(String::as_str).unwrap_or_default();
        let name = first.strip_prefix(READING).and_then(|rest| rest.split_once(':')).map(|(name, _)| name);
        let open = name.and_then(|name| ambiguities().into_iter().find(|open| open.name == name));
        let Some(open) = open else { return Ok(None) };
        let rule = case.format.family().book().rule(open.rule).map(|rule| rule.id);
        let Some(failing) = ProbedDump::from_case(case, &mut self.table)? else { return Ok(None) };
        let symptoms = group.symptoms.clone();
        let learned = Learned::nothing(symptoms, rule.into_iter().collect());
        let members = self.explained(left, &learned, group);
        Ok(Some(Line { learned, failing, group: group.clone(), members, is_unsteady: false }))
    }

    /// The reduced dump of a failure; the dump itself where it cannot be reduced.
    fn reduced(&mut self, seed: usize, group: &FailureGroup) -> Result<Option<ProbedDump>, Error> {
        let (case, _) = &self.cases[&self.pool.failed[seed].id];
        let Some(own) = ProbedDump::from_case(case, &mut self.table)? else { return Ok(None) };
        let (bytes, is_valid) = (case.bytes.clone(), own.is_valid());
        let oddities = own.oddities.clone();
        let symptoms = group.symptoms.clone();
        let state = std::sync::Mutex::new((&mut self.questions, &mut self.table));
        let shows = |dump: &[u8]| {
            let mut state = state.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            let (questions, table) = &mut *state;
            let Some(smaller) = ProbedDump::from_bytes(dump.to_vec(), table)? else { return Ok(false) };
            if smaller.is_valid() != is_valid || !smaller.oddities.is_subset(&oddities) {
                return Ok(false);
            }
            Ok(questions.ask(dump)?.shows(&symptoms))
        };
        let options = ReduceOptions::default().trials(REDUCTION);
        let reduced = match reduce(bytes, &shows, &options, &|_| {}) {
            Ok(reduced) => Some(reduced.bytes),
            Err(Error::Usage(_) | Error::Decode(_)) => None,
            Err(error) => return Err(error),
        };
        match reduced {
            Some(bytes) => ProbedDump::from_bytes(bytes, &mut self.table),
            None => Ok(Some(own)),
        }
    }

    fn learned(
        &mut self,
        failing: &ProbedDump,
        group: &FailureGroup,
        sound: &SoundVariants,
        known: &[Feature],
    ) -> Result<Learned, Error> {
        let context = LearningContext { pool: &self.pool, sound, known };
        learn(failing, group, context, &mut self.table, &mut self.questions)
    }

    /// Dumps that fail as this one does, with more in them: a reader may be unable to read any dump with as little as is left of it.
    fn fuller(&mut self, failing: &ProbedDump, seed: usize) -> Result<Vec<ProbedDump>, Error> {
        let mut fuller = Vec::new();
        let last = failing.records().last().map_or(0, |record| record.start);
        for body in self.pool.bodies() {
            let part = failing.fields.get(last).map_or("", |field| field.part);
            let Some(bytes) = Variation::RecordIn(part, body.to_vec()).apply(failing, last) else { continue };
            let more = ProbedDump::from_bytes(bytes, &mut self.table)?;
            fuller.extend(more.filter(|more| more.is_valid() && more.oddities.is_subset(&failing.oddities)));
        }
        let own = ProbedDump::from_case(&self.cases[&self.pool.failed[seed].id].0, &mut self.table)?;
        fuller.extend(own.filter(|own| own.bytes.len() <= LARGEST_PROBED && own.bytes.len() > failing.bytes.len()));
        Ok(fuller)
    }

    /// The line of these whose repair, made in a failing dump, lets it pass.
    fn healing_line(
        &mut self,
        failing: &ProbedDump,
        lines: impl IntoIterator<Item = usize>,
    ) -> Result<Option<usize>, Error> {
        for number in lines {
            let Line { learned: Learned { feature: Some(feature), partner: Some(partner), .. }, .. } =
                &self.lines[number]
            else {
                continue;
            };
            if !failing.has(feature, &self.table) {
                continue;
            }
            let variation = partner.variation.clone();
            let feature = feature.clone();
            if let Some(healed) = self.repaired(failing, &variation, &feature)?
                && self.questions.ask(&healed)? == Observation::Right
            {
                return Ok(Some(number));
            }
        }
        Ok(None)
    }

    /// The dump with a line's difference made wherever it can be.
    fn repaired(
        &mut self,
        failing: &ProbedDump,
        variation: &Variation,
        feature: &Feature,
    ) -> Result<Option<Vec<u8>>, Error> {
        let mut now = failing.clone();
        for _ in 0..8 {
            if !now.has(feature, &self.table) {
                break;
            }
            let places = variation.places(&now);
            let mut next = None;
            for place in places {
                let Some(bytes) = variation.apply(&now, place) else { continue };
                let Some(specimen) = ProbedDump::from_bytes(bytes, &mut self.table)? else { continue };
                // What is broken stays so, or it would be read rightly for that alone.
                if specimen.breaks.map(|(rule, _)| rule) == failing.breaks.map(|(rule, _)| rule) {
                    next = Some(specimen);
                    if next.as_ref().is_some_and(|next| !next.has(feature, &self.table)) {
                        break;
                    }
                }
            }
            let Some(next) = next else { break };
            now = next;
        }
        // Bytes that rely on a rule do so whatever their values are.
        let is_made =
            !now.has(feature, &self.table) || matches!(feature, Feature::Rule(_)) && now.bytes != failing.bytes;
        Ok(is_made.then_some(now.bytes))
    }

    /// The failures of another look that pass when the difference of the pair is made in them.
    fn cured(&mut self, left: &BTreeSet<usize>, line: usize) -> Result<BTreeSet<usize>, Error> {
        let mut cured = BTreeSet::new();
        let Learned { feature: Some(feature), partner: Some(partner), .. } = &self.lines[line].learned else {
            return Ok(cured);
        };
        let (feature, variation) = (feature.clone(), partner.variation.clone());
        let with = |place: &usize| {
            let entry = &self.pool.failed[*place];
            entry.size <= CURED_SIZE && entry.has(&feature, &self.table)
        };
        for place in left.iter().copied().filter(with).take(CURED).collect::<Vec<_>>() {
            let (case, _) = &self.cases[&self.pool.failed[place].id];
            let Some(specimen) = ProbedDump::from_case(case, &mut self.table)? else { continue };
            if let Some(healed) = self.repaired(&specimen, &variation, &feature)?
                && self.questions.ask(&healed)? == Observation::Right
            {
                cured.insert(place);
            }
        }
        Ok(cured)
    }

    /// The failures that a condition explains: they have it, and something is seen of them that is seen with it.
    fn explained(&self, left: &BTreeSet<usize>, learned: &Learned, group: &FailureGroup) -> BTreeSet<usize> {
        let is_explained = |place: &usize| {
            let entry = &self.pool.failed[*place];
            let sees = entry
                .symptoms
                .first()
                .is_some_and(|first| learned.symptoms.contains(first) || group.symptoms.contains(first));
            match &learned.feature {
                Some(feature) => sees && entry.has(feature, &self.table),
                None => sees && entry.is_valid == group.is_valid,
            }
        };
        left.iter().copied().filter(is_explained).collect()
    }

    /// Makes one line of those that say the same.
    fn merge(&mut self) {
        let later = self.lines.split_off(self.known);
        for line in later {
            match self.lines.iter_mut().find(|earlier| line.says_the_same(earlier, &self.table)) {
                Some(earlier) => {
                    earlier.members.extend(&line.members);
                    earlier.learned.symptoms.extend(line.learned.symptoms);
                }
                None => self.lines.push(line),
            }
        }
    }

    /// Makes one line of two, where the difference of the pair of one, made in the failing dump of the other, lets that pass.
    fn absorb_cured(&mut self) -> Result<(), Error> {
        for number in (self.known..self.lines.len()).rev() {
            let failing = self.lines[number].failing.clone();
            let cures = |line: &Line| {
                // Without a record, nothing of it can be read wrongly.
                let is_plain = |partner: &PassingVariant| partner.variation.is_of_a_value();
                failing.is_valid() && line.group.is_valid && line.learned.partner.as_ref().is_some_and(is_plain)
            };
            let others: Vec<usize> =
                (0..self.lines.len()).filter(|other| *other != number && cures(&self.lines[*other])).collect();
            if let Some(other) = self.healing_line(&failing, others)? {
                let line = self.lines.remove(number);
                let other = &mut self.lines[other - usize::from(other > number)];
                other.members.extend(line.members);
                other.learned.symptoms.extend(line.learned.symptoms);
            }
        }
        Ok(())
    }

    /// Takes failures for what another line explains, of which no condition is known: all of them have its condition. Of dumps that are
    /// accepted although they are broken, the condition is about the field or the part that is broken.
    fn absorb_unconditional(&mut self) {
        for number in (self.known..self.lines.len()).rev() {
            let line = &self.lines[number];
            if line.learned.feature.is_some() || line.is_unsteady {
                continue;
            }
            let broken = line.failing.broken_field().filter(|_| line.group.is_accepted());
            let explains = |other: &Line| {
                let Some(feature) = &other.learned.feature else { return false };
                let is_there = match (broken, feature.key()) {
                    (Some(broken), Some(key)) => broken.name == key.name || broken.part == key.part,
                    _ => !line.group.is_accepted(),
                };
                let feature = feature.of_any_part();
                is_there && line.members.iter().all(|place| self.pool.failed[*place].has(&feature, &self.table))
            };
            if let Some(other) = self.lines.iter().position(explains) {
                let line = self.lines.remove(number);
                self.lines[other - usize::from(other > number)].members.extend(line.members);
            }
        }
    }

    /// The causes of the lines that are new, and the failures of the others.
    fn further_causes(&mut self) -> Result<FurtherCauses, Error> {
        let lines = std::mem::take(&mut self.lines);
        let id = |place: &usize| self.pool.failed[*place].id.clone();
        let known = lines.iter().take(self.known).enumerate();
        let known =
            known.flat_map(|(number, line)| line.members.iter().map(move |place| (number, id(place)))).collect();
        let causes = lines[self.known..].iter().map(|line| self.cause(line)).collect::<Result<_, Error>>();
        self.lines = lines;
        Ok(FurtherCauses { known, causes: causes? })
    }

    fn cause(&mut self, line: &Line) -> Result<ExplainedCause, Error> {
        let made = line.learned.made;
        let pair = match &line.learned.partner {
            Some(partner) => self.pair(line, partner)?,
            None => None,
        };
        let members: Vec<&PooledAnswer> = line.members.iter().map(|place| &self.pool.failed[*place]).collect();
        let mut counted: BTreeMap<&String, u64> = BTreeMap::new();
        let seen = members.iter().filter_map(|entry| entry.symptoms.first());
        seen.for_each(|first| *counted.entry(first).or_default() += 1);
        let mut symptoms: Vec<Symptom> =
            counted.into_iter().map(|(what, cases)| Symptom { what: what.clone(), cases }).collect();
        symptoms.sort_by(|a, b| b.cases.cmp(&a.cases).then_with(|| a.what.cmp(&b.what)));
        let smallest = members.iter().min_by_key(|entry| (!entry.is_valid, entry.size, &entry.id));
        let example = smallest.map(|entry| entry.id.clone()).unwrap_or_default();
        let mut rules = line.learned.rules.iter().map(|rule| (*rule).to_owned());
        let rule = rules.next();
        let first = symptoms.first().map(|first| first.what.clone()).unwrap_or_default();
        let passing = line.learned.feature.as_ref().map(|feature| {
            self.pool.passed.iter().filter(|entry| entry.is_valid && entry.has(feature, &self.table)).count() as u64
        });
        let words = if self.questions.is_of_agreement() { &AGREE } else { &READS_RIGHTLY };
        let cause = Cause {
            id: rule.clone().unwrap_or_else(|| first.clone()),
            sentence: sentence(line, &first, passing, made, words),
            rule,
            other_rules: rules.collect(),
            repeat: self.cases.get(&example).and_then(|(_, result)| result.repeat.clone()),
            explained: true,
            unexpected: members.len() as u64,
            cases: members.iter().map(|entry| entry.id.clone()).collect(),
            pair: None,
            reduced: None,
            failures: None,
            symptoms,
            example,
        };
        Ok(ExplainedCause {
            cause,
            reduced: pair.as_ref().map_or(&line.failing.bytes, |made| &made.fails).clone(),
            condition: line.learned.feature.as_ref().map(Feature::to_string),
            is_steady: !line.is_unsteady,
            asked: self.questions.asked(),
            pair,
        })
    }

    /// The pair of a line, and the bytes of its two dumps.
    fn pair(&mut self, line: &Line, partner: &PassingVariant) -> Result<Option<MadePair>, Error> {
        let failing = line.learned.nearer.as_ref().unwrap_or(&line.failing);
        let Observation::Wrong { detail, .. } = self.questions.ask(&failing.bytes)? else { return Ok(None) };
        let changed = changed_bytes(failing, &partner.specimen).unwrap_or_default();
        let end = (partner.specimen.plain.len() as u64 + changed.end).saturating_sub(failing.plain.len() as u64);
        let dump = |specimen: &ProbedDump, end: u64| PairedDump {
            file: String::new(),
            bytes: specimen.bytes.len() as u64,
            sha256: hexadecimal(&Sha256::digest(&specimen.bytes)),
            differing: shown(
                specimen
                    .plain
                    .get(changed.start as usize..(end as usize).max(changed.start as usize))
                    .unwrap_or_default(),
            ),
        };
        let pair = CausePair {
            place: partner.variation.words(),
            offset: changed.start,
            fails: dump(failing, changed.end),
            passes: dump(&partner.specimen, end),
            wrong: detail,
            repeat: None,
        };
        let (fails, passes) = (failing.bytes.clone(), partner.specimen.bytes.clone());
        Ok(Some(MadePair { pair, fails, passes }))
    }
}

/// The words for what is seen of dumps: whether a program reads them rightly, or whether several agree about them.
struct SentenceWords {
    fails: &'static str,
    right: &'static str,
    one_is_wrong: &'static str,
    all_are_wrong: &'static str,
}

const READS_RIGHTLY: SentenceWords = SentenceWords {
    fails: "Fails",
    right: "read rightly",
    one_is_wrong: "is not read rightly",
    all_are_wrong: "none is read rightly",
};

const AGREE: SentenceWords = SentenceWords {
    fails: "Disagree",
    right: "agreed about",
    one_is_wrong: "is disagreed about",
    all_are_wrong: "all are disagreed about",
};

/// The condition in a sentence, and how it was tried.
fn sentence(
    line: &Line,
    first: &str,
    passing: Option<u64>,
    (made, failed): (u64, u64),
    words: &SentenceWords,
) -> String {
    let rule = line.learned.rules.first().and_then(|id| rule(id));
    let SentenceWords { fails, right, one_is_wrong, all_are_wrong } = words;
    if line.is_unsteady {
        return format!("Answers rightly when it is asked about the same dump again: {first}.");
    }
    let is_or_are = |count: u64| if count == 1 { "is" } else { "are" };
    let mut sentence = match &line.learned.feature {
        Some(Feature::Rule(id)) => match heapsmith_core::format::rule(id) {
            Some(rule) => format!("{fails} where {id} counts: {}", first_sentence(rule.statement)),
            None => format!("{fails} where bytes rely on {id}."),
        },
        Some(feature) => format!("{fails} where {feature}."),
        None if line.group.is_accepted() => match rule {
            Some(rule) => of_acceptance(rule),
            None => "Accepts dumps that are broken.".to_owned(),
        },
        None => match &line.learned.partner {
            Some(partner) => {
                format!(
                    "Takes the difference of the pair ({}), and more that was not found: {first}.",
                    partner.variation.words()
                )
            }
            None => format!("No dump near the reduced one is {right}: {first}."),
        },
    };
    if made > 0 && failed == made {
        sentence += &match made {
            1 => format!(" 1 dump was made to have it, and {one_is_wrong}."),
            made => format!(" {made} dumps were made to have it: {all_are_wrong}."),
        };
        if let Some(passing) = passing.filter(|passing| *passing > 0) {
            sentence += &format!(" {} it and {} {right}.", of_dumps(passing, "has", "have"), is_or_are(passing));
        }
    } else if made > failed {
        sentence += &format!(
            " {} made to have it: {} of them {} {right}, so that it takes more.",
            of_dumps(made, "was", "were"),
            made - failed,
            is_or_are(made - failed)
        );
    }
    sentence
}

fn first_sentence(text: &str) -> String {
    let end = text.find(". ").map_or(text.len(), |end| end + 1);
    text[..end].to_owned()
}

fn of_dumps(count: u64, one: &str, many: &str) -> String {
    if count == 1 { format!("1 dump {one}") } else { format!("{count} dumps {many}") }
}

/// Bytes in hexadecimal, the first of many.
fn shown(bytes: &[u8]) -> String {
    let shown = hexadecimal(&bytes[..bytes.len().min(SHOWN)]);
    if bytes.len() > SHOWN { format!("{shown}…") } else { shown }
}

/// Whether the right answer was to refuse.
fn is_refused(result: &CaseResult) -> bool {
    matches!(result.outcome(), Outcome::Pass { reading: Some(reading) } if REFUSALS.contains(&reading.as_str()))
}

/// Whether a dump is read another way than declared.
fn is_reading(entry: &PooledAnswer) -> bool {
    entry.symptoms.first().is_some_and(|first| first.starts_with(READING))
}

#[cfg(test)]
mod tests;
