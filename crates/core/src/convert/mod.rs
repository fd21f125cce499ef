//! A heap of one format as a dump of another.
//!
//! The target's `lower` defines its needs. Between it and the source stands [`ConvertedHeap`], a heap that meets them:
//! facts that the source does not record are synthesised, always in the same way, and counted. Facts that the target
//! does not carry are lost by its table of facets. Addresses that it cannot hold are renumbered in their order.
//!
//! Objects are read from the source each time: once to survey them, once more where addresses are renumbered, and as
//! often as the target's writer needs. Memory holds the class table, the surroundings, and 8 bytes an address where
//! addresses are renumbered.

mod budget;
mod classes;
mod complete;
mod judge;
mod layouts;
mod lengths;
mod renumber;
mod report;
mod survey;
mod unwritten;
mod writers;

use std::io::Write;
use std::sync::Arc;

use crate::compare::Facet;
use crate::compare::carriage::Carriage;
use crate::error::Error;
use crate::family::HeapRequirements;
use crate::format::DumpTarget;
use crate::format::Lowering;
use crate::model::{Address, Class, Facts, HeapSource, Surroundings, VisitObjects, visit};
use crate::setters::setters;

pub use budget::{BUDGET, check_superclass_lists};
#[doc(hidden)]
pub use judge::judge_losing;
pub use judge::{ConversionVerdict, FacetCount, RenamingVerdict, judge, judge_up_to_renaming, omitted_by_writer};
pub use lengths::{ArrayHeader, ArrayLengths, HeaderFound};
pub use renumber::Numbering;
pub use report::{Addresses, ChangedFacet, Conversion, Invented, LostFacet, OmittedRoots};
pub use unwritten::{RetypedValues, Unwritten, profile_with_all_roots};
pub use writers::{CandidateWriters, WriterFound, nearest, writers};

use complete::Completion;
use renumber::AddressCollector;
use report::Inventions;
use survey::SourceSurvey;

/// Options of a conversion.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct ConvertOptions<'o> {
    /// The dump to write.
    pub lowering: &'o Lowering,
    /// Whether addresses that the target cannot hold are refused rather than renumbered.
    pub keep_addresses: bool,
    /// Bytes that may be synthesised in all: values of synthesised fields, elements and contents of arrays, lists of
    /// superclasses. More is refused before any is synthesised.
    pub budget: u64,
    /// The header of the source's arrays, from which their lengths are worked out where the source has only their
    /// sizes, and sizes where it has only their lengths. `None`: lengths by the evidence of the source's arrays, sizes
    /// as in a VM without compressed references.
    pub array_header: Option<ArrayHeader>,
}

impl<'o> ConvertOptions<'o> {
    /// Options to write this dump; addresses that it cannot hold are renumbered.
    pub fn new(lowering: &'o Lowering) -> ConvertOptions<'o> {
        ConvertOptions { lowering, keep_addresses: false, budget: BUDGET, array_header: None }
    }
}

setters! {
    impl<'o> ConvertOptions<'o> {
        set keep_addresses: bool;
        set budget: u64;
        option array_header: ArrayHeader;
    }
}

/// Writes a heap as a dump of another kind, and reports losses, changes and synthesised facts.
///
/// # Errors
/// If reading or writing fails; if the target cannot hold something that is not synthesised (a name with characters
/// that it does not have, an address where addresses are to be kept), or more would have to be synthesised than the
/// options allow.
pub fn convert(
    source: &mut dyn HeapSource,
    options: &ConvertOptions<'_>,
    out: &mut dyn Write,
) -> Result<Conversion, Error> {
    let mut converted = ConvertedHeap::new(source, options)?;
    let omitted_roots = unwritten::omitted_roots(&mut converted, options.lowering)?;
    options.lowering.write(&mut (&mut converted as &mut dyn HeapSource), out)?;
    Ok(converted.report(options.lowering, omitted_roots))
}

/// A heap that a target can hold.
pub struct ConvertedHeap<'s> {
    source: &'s mut dyn HeapSource,
    facts: Facts,
    surroundings: Surroundings,
    survey: SourceSurvey,
    completion: Completion,
    numbering: Option<Arc<Numbering>>,
    /// The completed class table.
    classes: Vec<Class>,
    /// The facts synthesised outside of the objects, and in them in the last pass.
    inventions: [Inventions; 2],
}

impl std::fmt::Debug for ConvertedHeap<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ConvertedHeap").field("facts", &self.facts).finish_non_exhaustive()
    }
}

impl<'s> ConvertedHeap<'s> {
    /// Surveys a source.
    ///
    /// # Errors
    /// If reading fails, or an address does not fit that is to be kept.
    pub fn new(source: &'s mut dyn HeapSource, options: &ConvertOptions<'_>) -> Result<ConvertedHeap<'s>, Error> {
        let needs = options.lowering.requirements(source.facts());
        let survey = SourceSurvey::from_source(source, needs, options.array_header)?;
        let mut outside = Inventions::default();
        let completion = Completion::new(&survey, needs, options.budget, &mut outside)?;
        let mut facts = source.facts().clone();
        complete::complete_facts(&mut facts, options.lowering, &needs, &mut outside);
        let mut converted = ConvertedHeap {
            classes: completion.table(&mut outside),
            surroundings: source.surroundings().clone(),
            source,
            facts,
            survey,
            completion,
            numbering: None,
            inventions: [outside, Inventions::default()],
        };
        if converted.has_misfit(&needs)? {
            if options.keep_addresses {
                let (unit, largest) = (needs.unit, needs.largest);
                let format = options.lowering.format().to_string();
                return Err(crate::error::LowerError::Address { format, unit, largest }.into());
            }
            converted.renumber(&needs)?;
        }
        Ok(converted)
    }

    /// Whether some address does not fit into the target.
    fn has_misfit(&mut self, needs: &HeapRequirements) -> Result<bool, Error> {
        let mut misfit = false;
        self.visit_addresses(&mut |address| misfit |= !needs.holds(address.0))?;
        Ok(misfit)
    }

    /// Calls `see` with every address that the completed heap mentions and the target carries.
    fn visit_addresses(&mut self, see: &mut dyn FnMut(Address)) -> Result<(), Error> {
        self.classes.iter().cloned().for_each(|mut class| visit::class(&mut class, &mut |address| see(*address)));
        if self.completion.needs.surroundings {
            visit::surroundings(&mut self.surroundings.clone(), &mut |address| see(*address));
        }
        let completion = &self.completion;
        self.source.visit_objects(&mut |object| completion.visit_addresses(object, see))
    }

    fn renumber(&mut self, needs: &HeapRequirements) -> Result<(), Error> {
        let mut collector = AddressCollector::default();
        self.visit_addresses(&mut |address| collector.add(address))?;
        let numbering = collector.into_numbering(needs)?;
        let mut map = |address: &mut Address| *address = numbering.new_address(*address);
        self.classes.iter_mut().for_each(|class| visit::class(class, &mut map));
        visit::surroundings(&mut self.surroundings, &mut map);
        self.numbering = Some(Arc::new(numbering));
        Ok(())
    }

    /// The new addresses, if addresses are renumbered.
    pub fn numbering(&self) -> Option<&Numbering> {
        self.numbering.as_deref()
    }

    /// The report, once the objects were visited; `omitted_roots` are those that the writer leaves out.
    pub fn report(&self, lowering: &Lowering, omitted_roots: Vec<OmittedRoots>) -> Conversion {
        let to = DumpTarget { format: lowering.format(), profile: Some(lowering.profile().to_owned()) };
        let (lost, changed) = report::losses(&self.survey.recorded, &to.column());
        let addresses = self.numbering.as_ref().map_or(Addresses::Kept, |numbering| Addresses::Renumbered {
            count: numbering.count(),
            first: numbering.first,
            step: numbering.step,
        });
        let invented = self.inventions[0].list(&self.inventions[1]);
        let array_lengths = self.survey.lengths.report(self.inventions[1].lengths);
        let omitted: u64 = omitted_roots.iter().map(|roots| roots.count).sum();
        let of_source = self.surroundings.roots.as_ref().map_or(0, Vec::len) as u64;
        let has_roots = to.column().carriage(Facet::Roots) != Carriage::None;
        Conversion {
            schema: 8,
            to: to.to_string(),
            lost,
            changed,
            roots: has_roots.then(|| of_source - omitted),
            omitted_roots,
            invented,
            array_lengths,
            addresses,
        }
    }
}

impl HeapSource for ConvertedHeap<'_> {
    fn facts(&self) -> &Facts {
        &self.facts
    }

    fn classes(&self) -> &[Class] {
        &self.classes
    }

    fn surroundings(&self) -> &Surroundings {
        &self.surroundings
    }

    fn visit_objects(&mut self, see: &mut VisitObjects<'_>) -> Result<(), Error> {
        let (completion, map) = (&self.completion, self.numbering.as_ref().map(Numbering::to_renumbering));
        let mut inventions = Inventions::default();
        self.source.visit_objects(&mut |object| {
            let mut object = completion.complete_object(object, &mut inventions)?;
            if let Some(map) = &map {
                visit::renumber(&mut object, map);
            }
            see(&object)
        })?;
        self.inventions[1] = inventions;
        Ok(())
    }

    fn segments(&self) -> Option<u64> {
        self.source.segments()
    }
}
