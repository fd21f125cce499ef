//! Merging of reports.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::check::causes::list_causes;
use crate::check::declarations::ambiguities;
use crate::check::evidence::point_at_causes;
use crate::check::report::{CaseResult, CheckReport, InterruptedRun, PassingReadings, SCHEMA, TestedImplementation};
use crate::check::sources::{parse_random_id, random_case};
use crate::check::verdict::{DecidedVerdicts, decide_verdicts};
use crate::corpus::{Case, cases};
use heapsmith_core::error::Error;
use heapsmith_core::format::Family;

/// Merges reports of the same question: shards of a run, or runs of other implementations over the same cases.
///
/// # Errors
/// If the reports are of other questions, or a case was run twice.
pub fn merge(reports: Vec<CheckReport>) -> Result<CheckReport, Error> {
    let usage = |message: String| Err(Error::Usage(message));
    let is_several = reports.len() > 1;
    let mut reports = reports.into_iter();
    let Some(mut merged) = reports.next() else {
        return usage("there are no reports to merge".to_owned());
    };
    if merged.schema != SCHEMA {
        return usage(format!("a report of schema {}, not {SCHEMA}", merged.schema));
    }
    check_readings(&merged)?;
    let mut shards = Shards::default();
    shards.record_report(&mut merged);
    for mut other in reports {
        check_readings(&other)?;
        if (other.schema, &other.heapsmith) != (merged.schema, &merged.heapsmith) {
            return usage(format!(
                "reports of heapsmith {} and {}, of schemas {} and {}, cannot be merged",
                merged.heapsmith, other.heapsmith, merged.schema, other.schema
            ));
        }
        shards.record_report(&mut other);
        if other.chosen != merged.chosen {
            return usage("these are reports of other choices of cases (random, seed, format, filter)".to_owned());
        }
        merged.cases.append(&mut other.cases);
        for tested in other.implementations {
            match merged.implementations.iter_mut().find(|known| known.label == tested.label) {
                Some(known) if known.command == tested.command && known.declared == tested.declared => {
                    known.results.extend(tested.results);
                    for cause in tested.causes.into_iter().filter(|cause| cause.explained) {
                        match known.causes.iter_mut().find(|same| same.is_of_the_same_mistake(&cause)) {
                            Some(same) => same.add(cause),
                            None => known.causes.push(cause),
                        }
                    }
                    for (known, more) in known.compared.iter_mut().zip(tested.compared) {
                        more.said.into_iter().for_each(|(kind, count)| *known.said.entry(kind).or_default() += count);
                    }
                    known.omitted.extend(tested.omitted);
                }
                Some(known) => {
                    return usage(format!("{:?} stands for two commands or implementations", known.label));
                }
                None => merged.implementations.push(tested),
            }
        }
        merged.incomplete = match (merged.incomplete.take(), other.incomplete) {
            (Some(one), Some(two)) => {
                Some(InterruptedRun { judged: one.judged + two.judged, planned: one.planned + two.planned, ..one })
            }
            (one, two) => one.or(two),
        };
        merged.run = match (merged.run.take(), other.run) {
            (Some(one), Some(two)) => Some(one.merged_with(two)),
            (one, two) => one.or(two),
        };
    }
    merged.cases.sort_by(|a, b| a.id.cmp(&b.id));
    merged.cases.dedup();
    if let Some(pair) = merged.cases.windows(2).find(|pair| pair[0].id == pair[1].id) {
        return usage(format!("the case {} is another in two of the reports", pair[0].id));
    }
    for tested in &mut merged.implementations {
        tested.results.sort_by(|a, b| a.id.cmp(&b.id));
        if let Some(pair) = tested.results.windows(2).find(|pair| pair[0].id == pair[1].id) {
            return usage(format!("{} was run over {} twice", tested.label, pair[0].id));
        }
        decide_again(tested);
        tested.omitted.sort_unstable();
        tested.omitted.dedup();
        tested.count();
    }
    merged.chosen.shard = shards.common_shards();
    list_causes(&mut merged);
    for cause in merged.implementations.iter_mut().flat_map(|tested| &mut tested.causes) {
        // Its dumps stay where the report was that was read.
        cause.reduced = None;
        if let Some(pair) = &mut cause.pair {
            pair.fails.file.clear();
            pair.passes.file.clear();
        }
    }
    if is_several {
        point_at_bytes(&mut merged)?;
    }
    Ok(merged)
}

/// Points at the bytes of all causes. The cases are made again.
fn point_at_bytes(merged: &mut CheckReport) -> Result<(), Error> {
    let corpus: HashMap<String, Case> = cases()?.into_iter().map(|case| (case.id.clone(), case)).collect();
    let families: Vec<Family> = match merged.chosen.format.as_deref() {
        Some(name) => Family::from_name(name).into_iter().collect(),
        None => Family::ALL.to_vec(),
    };
    let made = |id: &str| {
        let known = corpus.get(id).cloned();
        let random = || parse_random_id(id).and_then(|(seed, number)| random_case(seed, number, &families).ok());
        Ok(known.or_else(random).filter(|case| case.id == id))
    };
    merged.implementations.iter_mut().try_for_each(|tested| point_at_causes(tested, &made))
}

/// Checks that all readings of a report exist.
fn check_readings(report: &CheckReport) -> Result<(), Error> {
    let all = ambiguities();
    let is_known =
        |name: &str, choice: &str| all.iter().any(|known| known.name == name && known.choice(choice).is_some());
    for tested in &report.implementations {
        let held = tested.readings.iter().all(|held| is_known(&held.reading, &held.choice));
        let mut follows = tested.results.iter().flat_map(CaseResult::readings).flat_map(|PassingReadings(all)| all);
        if !held
            || !follows
                .all(|(name, choices)| !choices.is_empty() && choices.iter().all(|choice| is_known(name, choice)))
        {
            return Err(Error::Usage(format!(
                "the report of {:?} names readings that this version does not know; run `heapsmith check` again",
                tested.label
            )));
        }
    }
    Ok(())
}

/// Decides the verdicts of an implementation again, from the judgements that all reports recorded.
fn decide_again(tested: &mut TestedImplementation) {
    let declared = tested.readings.iter().filter(|held| held.declared);
    let declared = declared.map(|held| (held.reading.clone(), held.choice.clone())).collect();
    let recorded = std::mem::take(&mut tested.results);
    let DecidedVerdicts { verdicts, readings } =
        decide_verdicts(&declared, recorded.iter().map(CaseResult::judgement).collect());
    let results = recorded.into_iter().zip(verdicts);
    tested.results = results.map(|(result, verdict)| result.among_more_cases(verdict)).collect();
    tested.readings = readings;
}

/// The shards that were merged of each implementation.
#[derive(Default)]
struct Shards {
    of: BTreeMap<String, BTreeSet<String>>,
}

impl Shards {
    /// Takes note of a report's shards; one that was merged has several.
    fn record_report(&mut self, report: &mut CheckReport) {
        let Some(shards) = report.chosen.shard.take() else { return };
        for tested in &report.implementations {
            self.of.entry(tested.label.clone()).or_default().extend(shards.split(' ').map(str::to_owned));
        }
    }

    /// The shards that all implementations have, unless they are complete.
    fn common_shards(&self) -> Option<String> {
        let mut lists = self.of.values();
        let common = lists.next()?.clone();
        let common = lists.fold(common, |common, list| common.intersection(list).cloned().collect());
        let of = common.first().and_then(|shard| shard.split_once('/')).map_or("", |(_, of)| of);
        let is_whole = of.parse() == Ok(common.len()) && common.iter().all(|shard| shard.ends_with(&format!("/{of}")));
        let list: Vec<&str> = common.iter().map(String::as_str).collect();
        (!is_whole).then(|| if list.is_empty() { "none of all".to_owned() } else { list.join(" ") })
    }
}
