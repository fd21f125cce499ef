//! Was a dump converted rightly? Judged by the table of facets, whoever the converter was.

use schemars::JsonSchema;
use serde::Serialize;

use crate::compare::table::{Carriage, Rule, Target};
use crate::compare::{self, Facet, FacetDifference, Side, compare_sources};
use crate::error::Error;
use crate::format::{Lowering, Wishes};
use crate::hprof::IdSize;
use crate::model::{Address, Class, Facts, Heap, HeapSource, Surroundings, VisitObjects, visit};

use super::needs::Needs;
use super::report::Addresses;
use super::{Converted, Numbering, Options};

/// The verdict on a conversion.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Verdict {
    /// Version of this report's schema.
    pub schema: u32,
    /// What the heap was converted to: a format, with the writer's profile where one was named.
    pub to: String,
    /// Whether nothing that the target could carry was lost or changed.
    pub faithful: bool,
    /// Facts compared, over all facets.
    pub compared: u64,
    /// What is different although the target could carry it.
    pub changed: Vec<FacetDifference>,
    /// What the target could carry and the result does not tell.
    pub missing: Vec<Counted>,
    /// What the target does not carry, or only in its own way.
    pub beyond: Vec<Beyond>,
    /// What only the result tells.
    pub invented: Vec<Counted>,
    /// What became of the addresses.
    pub addresses: Addresses,
}

/// A facet, and how often.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Counted {
    /// The facet.
    pub facet: Facet,
    /// How many classes, objects or other entries.
    pub count: u64,
}

/// A facet that the target does not carry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Beyond {
    /// The facet.
    pub facet: Facet,
    /// How many classes, objects or other entries tell it on either side.
    pub count: u64,
    /// The rule by which it is changed; absent if it is not carried at all.
    pub rule: Option<Rule>,
}

/// Judges `result`, a dump of the target's kind, that a converter made of `source`.
///
/// # Errors
/// What reading the two runs into, or temporary files.
pub fn judge(
    source: &mut dyn HeapSource,
    result: &mut dyn HeapSource,
    target: &Target,
    memory: usize,
) -> Result<Verdict, Error> {
    let lowering = lowering(target, result.facts())?;
    let numbering = numbering(source, &lowering)?;
    let addresses = numbering.as_ref().map_or(Addresses::Kept, |numbering| Addresses::Renumbered {
        count: numbering.count(),
        first: numbering.first,
        step: numbering.step,
    });
    let column = target.column();
    let options = compare::Options { carried: Some(&column), memory, ..compare::Options::default() };
    let compared = match numbering {
        Some(numbering) => compare_sources(&mut Renumbered::new(source, numbering), result, &options)?,
        None => compare_sources(source, result, &options)?,
    };
    let counted = |why| {
        let of_side = compared.not_compared.iter().filter(move |n| n.why == why);
        of_side.map(|n| Counted { facet: n.facet, count: n.count }).collect::<Vec<_>>()
    };
    let rule = |facet| match column.carriage(facet) {
        Carriage::Changed(rule) => Some(rule),
        Carriage::Exact | Carriage::None => None,
    };
    let beyond = counted(Side::NotCarried).into_iter();
    let missing = counted(Side::UnknownRight);
    Ok(Verdict {
        schema: 1,
        to: target.to_string(),
        faithful: compared.differences.is_empty() && missing.is_empty(),
        compared: compared.compared,
        missing,
        beyond: beyond.map(|Counted { facet, count }| Beyond { facet, count, rule: rule(facet) }).collect(),
        invented: counted(Side::UnknownLeft),
        changed: compared.differences,
        addresses,
    })
}

/// What would have written the result.
fn lowering(target: &Target, facts: &Facts) -> Result<Lowering, Error> {
    let id_size = facts.identifier_size.and_then(|size| IdSize::from_bytes(size.0));
    let is_hprof = target.format == crate::format::Format::Hprof;
    let wishes = Wishes {
        profile: target.profile.clone(),
        word: facts.word_size.filter(|_| !is_hprof),
        id_size: id_size.filter(|_| is_hprof),
        ..Wishes::default()
    };
    Lowering::new(target.format, &wishes)
}

/// The new addresses, if the target cannot hold the source's.
fn numbering(source: &mut dyn HeapSource, lowering: &Lowering) -> Result<Option<Numbering>, Error> {
    let needs = Needs::of(lowering, source.facts());
    let mut fits = true;
    let mut see = |address: &mut Address| fits &= needs.holds(address.0);
    source.classes().iter().cloned().for_each(|mut class| visit::class(&mut class, &mut see));
    visit::surroundings(&mut source.surroundings().clone(), &mut see);
    source.visit_objects(&mut |object| {
        visit::object(&mut object.clone(), &mut see);
        Ok(())
    })?;
    if fits {
        return Ok(None);
    }
    let converted = Converted::new(source, &Options { lowering, keep_addresses: false })?;
    Ok(converted.numbering().cloned())
}

/// A heap with other addresses.
struct Renumbered<'s> {
    source: &'s mut dyn HeapSource,
    numbering: Numbering,
    head: Heap,
}

impl<'s> Renumbered<'s> {
    fn new(source: &'s mut dyn HeapSource, numbering: Numbering) -> Renumbered<'s> {
        let mut head = Heap {
            facts: source.facts().clone(),
            classes: source.classes().to_vec(),
            surroundings: source.surroundings().clone(),
            ..Heap::default()
        };
        let mut map = |address: &mut Address| *address = numbering.of(*address);
        head.classes.iter_mut().for_each(|class| visit::class(class, &mut map));
        visit::surroundings(&mut head.surroundings, &mut map);
        Renumbered { source, numbering, head }
    }
}

impl HeapSource for Renumbered<'_> {
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
        let numbering = &self.numbering;
        self.source.visit_objects(&mut |object| {
            let mut object = object.clone();
            visit::object(&mut object, &mut |address| *address = numbering.of(*address));
            see(&object)
        })
    }
}
