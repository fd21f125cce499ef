//! The verdict on a conversion by any converter, by the table of facets.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use serde::Serialize;

use crate::compare::recorded::FacetCounts;
use crate::compare::renaming::{self, Renaming};
use crate::compare::{self, Facet, FacetDifference, LostFacts, NotComparedReason, compare_sources};
use crate::error::Error;
use crate::family::HeapRequirements;
use crate::format::{DumpTarget, Lowering};
use crate::model::long::Renumbering;
use crate::model::{Address, Class, Facts, Heap, HeapSource, Surroundings, VisitObjects, visit};

use super::report::{self, Addresses, ChangedFacet, LostFacet};
use super::writers::{WriterFound, lowerings};
use super::{ConvertOptions, ConvertedHeap, Numbering};

/// The verdict on a conversion.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schemas", schemars(rename = "Verdict"))]
pub struct ConversionVerdict {
    /// Version of this report's schema.
    pub schema: u32,
    /// By what the result was judged: a format, with the profile of the writer where it is known.
    pub to: String,
    /// How the writer is known.
    pub writer: WriterFound,
    /// Whether nothing that the target could carry was lost or changed.
    pub faithful: bool,
    /// Facts compared, over all facets.
    pub compared: u64,
    /// What is different although the target could carry it.
    pub changed: Vec<FacetDifference>,
    /// What the target could carry and the result does not record.
    pub missing: Vec<FacetCount>,
    /// Facets that the source records and the target does not carry: what `convert` lists as lost.
    pub lost: Vec<LostFacet>,
    /// Facets that the source records and the target carries changed.
    pub by_rule: Vec<ChangedFacet>,
    /// What the result does not have, and a dump of its format by another writer could: not lost by the format but by this
    /// writer's choice. Absent where it was not looked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub besides: Option<Vec<FacetCount>>,
    /// What only the result tells.
    pub invented: Vec<FacetCount>,
    /// What became of the addresses.
    pub addresses: Addresses,
}

/// A facet, and how often.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schemas", schemars(rename = "Counted"))]
pub struct FacetCount {
    /// The facet.
    pub facet: Facet,
    /// How many classes, objects or other entries.
    pub count: u64,
}

impl ConversionVerdict {
    /// The number of facets that are lost or changed although the target could carry them.
    pub fn differing(&self) -> usize {
        self.differing_facets().count()
    }

    /// The facets that are lost or changed although the target could carry them.
    pub fn differing_facets(&self) -> impl Iterator<Item = Facet> + '_ {
        self.changed.iter().map(|changed| changed.facet).chain(self.missing.iter().map(|missing| missing.facet))
    }
}

/// Judges `result`, a dump of the target's kind that a converter wrote from `source`.
///
/// # Errors
/// If reading either fails, or a temporary file.
pub fn judge(
    source: &mut dyn HeapSource,
    result: &mut dyn HeapSource,
    target: &DumpTarget,
    memory: usize,
) -> Result<ConversionVerdict, Error> {
    judge_losing(source, result, target, memory, None)
}

/// The verdict on the result of a converter that declares to lose facts of the objects, as [`judge`] gives it.
///
/// # Errors
/// Like [`judge`].
#[doc(hidden)]
pub fn judge_losing(
    source: &mut dyn HeapSource,
    result: &mut dyn HeapSource,
    target: &DumpTarget,
    memory: usize,
    lost: Option<LostFacts<'_>>,
) -> Result<ConversionVerdict, Error> {
    let told = FacetCounts::from_source(source)?;
    let numbering = numbering(source, result, target).map_err(unjudged)?;
    let addresses = numbering.as_ref().map_or(Addresses::Kept, |numbering| Addresses::Renumbered {
        count: numbering.count(),
        first: numbering.first,
        step: numbering.step,
    });
    let options = compare::CompareOptions { memory, lost, ..compare::CompareOptions::default() };
    let mut verdict =
        judge_renumbered(source, numbering, &mut |source| verdict(source, result, target, options.clone(), addresses))?;
    (verdict.lost, verdict.by_rule) = report::losses(&told, &target.column());
    Ok(verdict)
}

/// The facts that the result, judged by the dumps of one writer, lacks and a dump of its format by another writer could
/// have.
///
/// # Errors
/// If reading either fails, or a temporary file.
pub fn omitted_by_writer(
    source: &mut dyn HeapSource,
    result: &mut dyn HeapSource,
    target: &DumpTarget,
    judged: &ConversionVerdict,
    memory: usize,
) -> Result<Vec<FacetCount>, Error> {
    let format = DumpTarget { profile: None, ..target.clone() };
    if format.column() == target.column() {
        return Ok(Vec::new());
    }
    let numbering = numbering(source, result, target).map_err(unjudged)?;
    let options = compare::CompareOptions { memory, ..compare::CompareOptions::default() };
    let all = judge_renumbered(source, numbering, &mut |source| {
        verdict(source, result, &format, options.clone(), judged.addresses)
    })?;
    let mut counts = BTreeMap::<Facet, u64>::new();
    let changed = all.changed.iter().map(|changed| (changed.facet, changed.count));
    for (facet, count) in changed.chain(all.missing.iter().map(|missing| (missing.facet, missing.count))) {
        *counts.entry(facet).or_default() += count;
    }
    judged.changed.iter().for_each(|changed| _ = counts.remove(&changed.facet));
    judged.missing.iter().for_each(|missing| _ = counts.remove(&missing.facet));
    Ok(counts.into_iter().map(|(facet, count)| FacetCount { facet, count }).collect())
}

/// Judges a source under its new addresses, if it gets new ones.
fn judge_renumbered(
    source: &mut dyn HeapSource,
    numbering: Option<Numbering>,
    judge: &mut dyn FnMut(&mut dyn HeapSource) -> Result<ConversionVerdict, Error>,
) -> Result<ConversionVerdict, Error> {
    match numbering {
        Some(numbering) => judge(&mut RenumberedHeap::new(source, numbering)),
        None => judge(source),
    }
}

/// The answer of [`judge_up_to_renaming`].
#[derive(Clone, Debug)]
pub enum RenamingVerdict {
    /// A verdict.
    Decided(Box<ConversionVerdict>),
    /// Undecided within the budget, with the steps taken and the number of objects that have more than one possible
    /// counterpart.
    Undecided(u64, u64),
}

/// Judges a converter that gives objects addresses of its own. Both heaps are held in memory. Objects and classes that
/// the converter synthesised are not allowed for: each needs a counterpart.
///
/// # Errors
/// If reading either fails.
pub fn judge_up_to_renaming(
    source: &mut dyn HeapSource,
    result: &mut dyn HeapSource,
    target: &DumpTarget,
    budget: u64,
) -> Result<RenamingVerdict, Error> {
    let (mut left, mut right) = (Heap::collect(source)?, Heap::collect(result)?);
    let (lost, by_rule) = report::losses(&FacetCounts::from_source(&mut left)?, &target.column());
    let with_losses = |verdict| RenamingVerdict::Decided(Box::new(ConversionVerdict { lost, by_rule, ..verdict }));
    let address = |text: &str| text.strip_prefix("0x").and_then(|digits| u64::from_str_radix(digits, 16).ok());
    match renaming::after_conversion(&left, &right, &target.column(), budget)? {
        Renaming::Equal { mapping, .. } => {
            let pair = |(old, new): (&String, &String)| Some((Address(address(old)?), Address(address(new)?)));
            let map: HashMap<Address, Address> = mapping.iter().filter_map(pair).collect();
            // What neither side's graph was compared by stands at addresses that were not renamed.
            [&mut left, &mut right]
                .into_iter()
                .for_each(|heap| renaming::remove_primitive_class_objects(heap, &target.column()));
            let mut left = renaming::renamed(&left, |address| map.get(&address).copied().unwrap_or(address));
            let addresses = Addresses::Renamed { count: map.len() as u64 };
            Ok(with_losses(verdict(&mut left, &mut right, target, compare::CompareOptions::default(), addresses)?))
        }
        Renaming::Different { invariant, left: l, right: r } => {
            let addresses = Addresses::Renamed { count: 0 };
            let (mut left, mut right) = (Heap::default(), Heap::default());
            let mut verdict = verdict(&mut left, &mut right, target, compare::CompareOptions::default(), addresses)?;
            verdict.faithful = false;
            let (left, right) = (format!("{l} times {invariant}"), format!("{r} times"));
            let facet = Facet::Address;
            verdict.changed =
                vec![FacetDifference { facet, count: l.abs_diff(r).max(1), left, right, ..FacetDifference::default() }];
            Ok(with_losses(verdict))
        }
        Renaming::Undecided { steps, ambiguous } => Ok(RenamingVerdict::Undecided(steps, ambiguous)),
    }
}

/// The error for a heap that the target cannot hold: no verdict on the converter.
fn unjudged(error: Error) -> Error {
    match error {
        Error::Lower(_) => Error::NotJudged { what: "the conversion", source: Box::new(error) },
        other => other,
    }
}

fn verdict(
    source: &mut dyn HeapSource,
    result: &mut dyn HeapSource,
    target: &DumpTarget,
    options: compare::CompareOptions<'_>,
    addresses: Addresses,
) -> Result<ConversionVerdict, Error> {
    let column = target.column();
    let mut is_empty = result.classes().is_empty();
    if is_empty {
        result.visit_objects(&mut |_| {
            is_empty = false;
            Ok(())
        })?;
    }
    let compared = compare_sources(source, result, &compare::CompareOptions { carried: Some(&column), ..options })?;
    let counted = |why| {
        let of_side = compared.not_compared.iter().filter(move |n| n.why == why);
        of_side.map(|n| FacetCount { facet: n.facet, count: n.count }).collect::<Vec<_>>()
    };
    let mut missing = counted(NotComparedReason::UnknownRight);
    if is_empty {
        // Where the size of a word follows from addresses, a dump without any does not record it.
        missing.retain(|missing| missing.facet != Facet::WordSize);
    }
    Ok(ConversionVerdict {
        schema: 7,
        to: target.to_string(),
        writer: if target.profile.is_some() { WriterFound::Named } else { WriterFound::Any },
        faithful: compared.differences.is_empty() && missing.is_empty(),
        compared: compared.compared,
        missing,
        lost: Vec::new(),
        by_rule: Vec::new(),
        besides: None,
        invented: counted(NotComparedReason::UnknownLeft),
        changed: compared.differences,
        addresses,
    })
}

/// The new addresses, if the writers of such dumps cannot hold the source's. Writers of one format may differ in the
/// addresses that they hold (in version 4 of PHD multiples of 4 or of 8); the addresses of classes then tell which
/// writer it was.
fn numbering(
    source: &mut dyn HeapSource,
    result: &dyn HeapSource,
    target: &DumpTarget,
) -> Result<Option<Numbering>, Error> {
    let there: HashSet<Address> = result.classes().iter().map(|class| class.address).collect();
    let (mut seen, mut best) = (Vec::new(), None);
    for lowering in lowerings(target, result.facts())? {
        let needs = lowering.requirements(source.facts());
        if seen.contains(&(needs.unit, needs.largest)) {
            continue;
        }
        seen.push((needs.unit, needs.largest));
        let numbering = numbering_for(source, &lowering, needs)?;
        let new = |address| numbering.as_ref().map_or(address, |numbering| numbering.new_address(address));
        let found = source.classes().iter().filter(|class| there.contains(&new(class.address))).count();
        if best.as_ref().is_none_or(|(most, _)| found > *most) {
            best = Some((found, numbering));
        }
    }
    Ok(best.and_then(|(_, numbering)| numbering))
}

/// The new addresses that this writer would give.
fn numbering_for(
    source: &mut dyn HeapSource,
    lowering: &Lowering,
    needs: HeapRequirements,
) -> Result<Option<Numbering>, Error> {
    let mut fits = true;
    let mut see = |address: Address| fits &= needs.holds(address.0);
    source.classes().iter().cloned().for_each(|mut class| visit::class(&mut class, &mut |address| see(*address)));
    if needs.surroundings {
        visit::surroundings(&mut source.surroundings().clone(), &mut |address| see(*address));
    }
    source.visit_objects(&mut |object| visit::addresses(object, &mut see))?;
    if fits {
        return Ok(None);
    }
    let converted = ConvertedHeap::new(source, &ConvertOptions::new(lowering).budget(u64::MAX))?;
    Ok(converted.numbering().cloned())
}

/// A heap with new addresses.
struct RenumberedHeap<'s> {
    source: &'s mut dyn HeapSource,
    map: Arc<Renumbering>,
    head: Heap,
}

impl<'s> RenumberedHeap<'s> {
    fn new(source: &'s mut dyn HeapSource, numbering: Numbering) -> RenumberedHeap<'s> {
        let mut head = Heap {
            facts: source.facts().clone(),
            classes: source.classes().to_vec(),
            surroundings: source.surroundings().clone(),
            ..Heap::default()
        };
        let map = Arc::new(numbering).to_renumbering();
        let mut change = |address: &mut Address| *address = map(*address);
        head.classes.iter_mut().for_each(|class| visit::class(class, &mut change));
        visit::surroundings(&mut head.surroundings, &mut change);
        RenumberedHeap { source, map, head }
    }
}

impl HeapSource for RenumberedHeap<'_> {
    fn facts(&self) -> &Facts {
        &self.head.facts
    }

    fn classes(&self) -> &[Class] {
        &self.head.classes
    }

    fn surroundings(&self) -> &Surroundings {
        &self.head.surroundings
    }

    fn visit_objects(&mut self, see: &mut VisitObjects<'_>) -> Result<(), Error> {
        let map = &self.map;
        self.source.visit_objects(&mut |object| {
            let mut object = object.clone();
            visit::renumber(&mut object, map);
            see(&object)
        })
    }
}
