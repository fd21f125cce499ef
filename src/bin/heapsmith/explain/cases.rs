//! The cases of the corpus that have to do with a rule, and the bytes of the smallest ones.

use heapsmith::corpus::{self, Case};
use heapsmith::error::Error;
use heapsmith::format::DumpFile;
use heapsmith::hprof::Reading;
use heapsmith::input::Input;
use heapsmith::validate::{Rule, Scope};

use super::{CasesOf, Example, ExampleField};
use crate::field::FieldLine;

/// The cases of the corpus, the smallest dump first.
pub(super) struct Cases(Vec<Case>);

impl Cases {
    pub(super) fn all() -> Result<Cases, Error> {
        let mut cases = corpus::cases()?;
        cases.sort_by_key(|case| case.bytes.len());
        Ok(Cases(cases))
    }

    /// The cases of a rule, and the bytes of the smallest that breaks it and of the smallest that keeps or shows it.
    pub(super) fn of(&self, rule: &Rule) -> Result<(Option<CasesOf>, Vec<Example>), Error> {
        let breaks = |case: &Case| case.breaks.is_some_and(|(broken, _)| broken == rule.id);
        let keeps = |case: &Case| case.keeps.contains(&rule.id);
        let shows = |case: &Case| case.shows.contains(&rule.id);
        let all = CasesOf { keep: self.ids(keeps), breaks: self.ids(breaks), show: self.ids(shows) };
        let mut examples = Vec::new();
        let mut broken = None;
        if let Some(case) = self.0.iter().find(|case| breaks(case)) {
            let fields = fields(case)?;
            let offset = case.breaks.map_or(0, |(_, offset)| offset);
            if let Some(at) = fields.iter().rposition(|field| field.offset <= offset) {
                let places = self.places(case, rule, &fields, at)?;
                broken = Some(Kind::of(&fields, places[0]));
                examples.push(example(case, "breaks", &fields, &places));
            }
        }
        for (part, takes) in [("keeps", &keeps as &dyn Fn(&Case) -> bool), ("shows", &shows)] {
            let of_it = self.0.iter().filter(|case| takes(case));
            let mut places = of_it.filter_map(|case| sound(case, rule, part, broken.as_ref()).transpose());
            examples.extend(places.next().transpose()?);
        }
        Ok((Some(all), examples))
    }

    /// The fields at which a case breaks a rule. Findings about the graph stand at the beginning of a record: there these are
    /// the fields of the record that rely on the rule, or those that differ from the dump which the case damages.
    fn places(&self, case: &Case, rule: &Rule, fields: &[FieldLine], at: usize) -> Result<Vec<usize>, Error> {
        if rule.scope != Scope::Graph || fields[at].record.is_none() || !fields[at].begins_a_record() {
            return Ok(vec![at]);
        }
        let of_record: Vec<usize> = (at..fields.len()).take_while(|&i| fields[i].record == fields[at].record).collect();
        let reliances = dump(case)?.reliances()?;
        let own: Vec<_> = reliances.iter().filter(|reliance| reliance.rule.0 == rule.id).collect();
        let relies = |i: &usize| own.iter().any(|reliance| fields[*i].meets(reliance.offset, reliance.length));
        let relying: Vec<usize> = of_record.iter().copied().filter(relies).collect();
        if !relying.is_empty() {
            return Ok(relying);
        }
        let edited = self.edited(case);
        let is_edited = |i: &usize| edited.iter().any(|&offset| fields[*i].meets(offset, 1));
        let changed: Vec<usize> = of_record.iter().copied().filter(is_edited).collect();
        Ok(if changed.is_empty() { vec![at] } else { changed })
    }

    /// The offsets of the bytes in which a case differs from the dump that it damages, if it has its length.
    fn edited(&self, case: &Case) -> Vec<u64> {
        let differing = |other: &Case| -> Vec<u64> {
            let pairs = case.bytes.iter().zip(&other.bytes).enumerate();
            pairs.filter(|(_, (one, other))| one != other).map(|(at, _)| at as u64).collect()
        };
        let alike = self.0.iter().filter(|other| other.bytes.len() == case.bytes.len() && other.breaks.is_none());
        let nearest = alike.map(differing).min_by_key(Vec::len);
        nearest.filter(|differing| differing.len() <= MOST_EDITED).unwrap_or_default()
    }

    fn ids(&self, takes: impl Fn(&Case) -> bool) -> Vec<String> {
        self.0.iter().filter(|case| takes(case)).map(|case| case.id.clone()).collect()
    }
}

/// Where a rule matters in a dump that keeps or shows it: where bytes rely on it, or else at the field at which another dump
/// breaks it.
fn sound(case: &Case, rule: &Rule, part: &'static str, broken: Option<&Kind>) -> Result<Option<Example>, Error> {
    let relying = dump(case)?.reliances()?.into_iter().find(|reliance| reliance.rule.0 == rule.id);
    if relying.is_none() && broken.is_none() {
        return Ok(None);
    }
    let fields = fields(case)?;
    let mut all = 0..fields.len();
    let places: Vec<usize> = match (relying, broken) {
        (Some(at), _) => all.filter(|&index| fields[index].meets(at.offset, at.length)).collect(),
        (None, Some(kind)) => all.find(|&index| kind.is_that_of(&fields, index)).into_iter().collect(),
        (None, None) => Vec::new(),
    };
    Ok((!places.is_empty()).then(|| example(case, part, &fields, &places)))
}

/// What a field is: its name, and the meaning of the field that begins its record.
struct Kind {
    name: String,
    /// `None` where it is of no record, or of one whose first field cannot be read.
    record: Option<String>,
}

impl Kind {
    fn of(fields: &[FieldLine], at: usize) -> Kind {
        let record = fields[..=at].iter().rev().find(|field| field.begins_a_record());
        let record = record.filter(|first| first.record == fields[at].record && !first.is_broken());
        Kind { name: fields[at].field.clone(), record: record.map(FieldLine::form) }
    }

    fn is_that_of(&self, fields: &[FieldLine], at: usize) -> bool {
        let other = Kind::of(fields, at);
        self.name == other.name && (self.record.is_none() || self.record == other.record)
    }
}

/// The fields around some places.
fn example(case: &Case, part: &'static str, fields: &[FieldLine], places: &[usize]) -> Example {
    let (first, last) = (places.first().copied().unwrap_or_default(), places.last().copied().unwrap_or_default());
    let last = last.min(first + AROUND);
    let shown = first.saturating_sub(AROUND)..fields.len().min(last + AROUND);
    let fields = shown.map(|index| ExampleField { place: places.contains(&index), field: fields[index].clone() });
    Example { case: case.id.clone(), summary: case.summary.clone(), part, fields: fields.collect() }
}

fn dump(case: &Case) -> Result<DumpFile, Error> {
    DumpFile::new(Input::memory(&case.id, case.bytes.clone()), Reading::default())
}

/// The byte map of a case, as far as it can be read.
fn fields(case: &Case) -> Result<Vec<FieldLine>, Error> {
    let mut fields = Vec::new();
    match dump(case)?.annotate(&mut |field| {
        fields.push(FieldLine::of(&field));
        Ok(())
    }) {
        Ok(()) | Err(Error::Decode(_)) => Ok(fields),
        Err(error) => Err(error),
    }
}

/// Bytes that an edit of a dump changes, at most.
const MOST_EDITED: usize = 32;

/// Fields that are shown before and after a place.
const AROUND: usize = 4;
