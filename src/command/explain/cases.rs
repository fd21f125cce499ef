//! The cases of the corpus that have to do with a rule, and the bytes of the smallest ones.

use crate::corpus::{self, Case};
use crate::error::Error;
use crate::format::DumpFile;
use crate::hprof::ReadOptions;
use crate::input::Input;
use crate::validate::{Rule, RuleScope};

use super::{CaseExample, ExampleField, RuleCases};
use crate::command::field::FieldLine;

/// The cases of the corpus, the smallest dump first.
pub(super) struct CorpusCases(Vec<Case>);

impl CorpusCases {
    pub(super) fn load() -> Result<CorpusCases, Error> {
        let mut cases = corpus::cases()?;
        cases.sort_by_key(|case| case.bytes.len());
        Ok(CorpusCases(cases))
    }

    /// The cases of a rule, and the bytes of the smallest that breaks it and of the smallest that keeps or shows it.
    pub(super) fn for_rule(&self, rule: &Rule) -> Result<(Option<RuleCases>, Vec<CaseExample>), Error> {
        let breaks = |case: &Case| case.breaks.is_some_and(|(broken, _)| broken == rule.id);
        let keeps = |case: &Case| case.keeps.contains(&rule.id);
        let shows = |case: &Case| case.shows.contains(&rule.id);
        let all = RuleCases { keep: self.ids(keeps), breaks: self.ids(breaks), show: self.ids(shows) };
        let mut examples = Vec::new();
        let mut broken = None;
        for case in self.0.iter().filter(|case| breaks(case)) {
            let fields = fields(case)?;
            let offset = case.breaks.map_or(0, |(_, offset)| offset);
            let Some(at) = fields.iter().rposition(|field| field.offset <= offset) else { continue };
            let known = self.find_places(case, rule, &fields, at)?;
            let is_known = known.is_some();
            // The smallest, unless a larger one says more.
            if is_known || examples.is_empty() {
                let places = known.unwrap_or_else(|| vec![at]);
                broken = Some(FieldKind::from_field(&fields, places[0]));
                examples = vec![example(case, "breaks", &fields, &places)];
            }
            if is_known {
                break;
            }
        }
        for (part, takes) in [("keeps", &keeps as &dyn Fn(&Case) -> bool), ("shows", &shows)] {
            let of_it = self.0.iter().filter(|case| takes(case));
            let mut places = of_it.filter_map(|case| sound_example(case, rule, part, broken.as_ref()).transpose());
            examples.extend(places.next().transpose()?);
        }
        Ok((Some(all), examples))
    }

    /// The fields at which a case breaks a rule, if that is known. Findings about the graph stand at the beginning of a record:
    /// there these are the fields of the record that rely on the rule, or those that differ from the dump which was damaged.
    fn find_places(
        &self,
        case: &Case,
        rule: &Rule,
        fields: &[FieldLine],
        at: usize,
    ) -> Result<Option<Vec<usize>>, Error> {
        if rule.scope != RuleScope::Graph || fields[at].record.is_none() || !fields[at].begins_a_record() {
            return Ok(Some(vec![at]));
        }
        let next =
            (at + 1..fields.len()).find(|&i| fields[i].record != fields[at].record || fields[i].begins_a_record());
        let among = |is_there: &dyn Fn(&FieldLine) -> bool| -> Vec<usize> {
            (at..next.unwrap_or(fields.len())).filter(|&i| is_there(&fields[i])).collect()
        };
        let reliances = dump(case)?.reliances()?;
        let own: Vec<_> = reliances.iter().filter(|reliance| reliance.rule.0 == rule.id).collect();
        let relying = among(&|field| own.iter().any(|reliance| field.overlaps(reliance.offset, reliance.length)));
        if !relying.is_empty() {
            return Ok(Some(relying));
        }
        let edited = self.edited_offsets(case);
        let changed = among(&|field| edited.iter().any(|&offset| field.overlaps(offset, 1)));
        Ok((!changed.is_empty()).then_some(changed))
    }

    /// The offsets of the bytes in which a case differs from the dump that it damages, if it has its length.
    fn edited_offsets(&self, case: &Case) -> Vec<u64> {
        let base = case.recipe.rsplit_once(" in ").map(|(_, id)| id);
        let base = self.0.iter().find(|other| Some(&*other.id) == base && other.bytes.len() == case.bytes.len());
        let pairs = base.into_iter().flat_map(|base| case.bytes.iter().zip(&base.bytes)).enumerate();
        pairs.filter(|(_, (one, other))| one != other).map(|(at, _)| at as u64).collect()
    }

    fn ids(&self, takes: impl Fn(&Case) -> bool) -> Vec<String> {
        self.0.iter().filter(|case| takes(case)).map(|case| case.id.clone()).collect()
    }
}

/// The example of a dump that keeps or shows a rule: the places whose bytes rely on it, or else the field at which another dump
/// breaks it.
fn sound_example(
    case: &Case,
    rule: &Rule,
    part: &'static str,
    broken: Option<&FieldKind>,
) -> Result<Option<CaseExample>, Error> {
    let relying = dump(case)?.reliances()?.into_iter().find(|reliance| reliance.rule.0 == rule.id);
    if relying.is_none() && broken.is_none() {
        return Ok(None);
    }
    let fields = fields(case)?;
    let mut all = 0..fields.len();
    let places: Vec<usize> = match (relying, broken) {
        (Some(at), _) => all.filter(|&index| fields[index].overlaps(at.offset, at.length)).collect(),
        (None, Some(kind)) => all.find(|&index| kind.matches_field(&fields, index)).into_iter().collect(),
        (None, None) => Vec::new(),
    };
    Ok((!places.is_empty()).then(|| example(case, part, &fields, &places)))
}

/// A kind of field: its name, and the meaning of the field that begins its record.
struct FieldKind {
    name: String,
    /// `None` where it is of no record, or of one whose first field cannot be read.
    record: Option<String>,
}

impl FieldKind {
    fn from_field(fields: &[FieldLine], at: usize) -> FieldKind {
        let record = fields[..=at].iter().rev().find(|field| field.begins_a_record());
        let record = record.filter(|first| first.record == fields[at].record && !first.is_broken());
        FieldKind { name: fields[at].field.clone(), record: record.map(FieldLine::record_kind) }
    }

    fn matches_field(&self, fields: &[FieldLine], at: usize) -> bool {
        let other = FieldKind::from_field(fields, at);
        self.name == other.name && (self.record.is_none() || self.record == other.record)
    }
}

/// The fields around some places.
fn example(case: &Case, part: &'static str, fields: &[FieldLine], places: &[usize]) -> CaseExample {
    let (first, last) = (places.first().copied().unwrap_or_default(), places.last().copied().unwrap_or_default());
    let last = last.min(first + AROUND);
    let shown = first.saturating_sub(AROUND)..fields.len().min(last + AROUND);
    let fields = shown.map(|index| ExampleField { place: places.contains(&index), field: fields[index].clone() });
    CaseExample { case: case.id.clone(), summary: case.summary.clone(), part, fields: fields.collect() }
}

fn dump(case: &Case) -> Result<DumpFile, Error> {
    DumpFile::new(Input::from_memory(&case.id, case.bytes.clone()), ReadOptions::default())
}

/// The byte map of a case, as far as it can be read.
fn fields(case: &Case) -> Result<Vec<FieldLine>, Error> {
    let mut fields = Vec::new();
    match dump(case)?.annotate(&mut |field| {
        fields.push(FieldLine::from_annotation(&field));
        Ok(())
    }) {
        Ok(()) | Err(Error::Decode(_)) => Ok(fields),
        Err(error) => Err(error),
    }
}

/// Fields that are shown before and after a place.
const AROUND: usize = 4;
