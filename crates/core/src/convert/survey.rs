//! A first pass over a source: the facts that it records, and those that have to be synthesised.

use std::collections::{BTreeSet, HashMap};

use crate::compare::carriage::ClassFirst;
use crate::compare::recorded::FacetCounts;
use crate::error::Error;
use crate::family::{ArrayClass, HeapRequirements};
use crate::model::{Address, Contents, HeapSource, Name, ObjectKind, PiecewiseContents, visit};

use super::budget::SynthesisNeeds;
use super::classes::{ClassIndex, ObjectClass, component_name};
use super::lengths::{ArrayHeader, LengthEstimate};

/// The results of the pass.
#[derive(Debug)]
pub(super) struct SourceSurvey {
    /// The source's classes.
    pub(super) classes: ClassIndex,
    /// The number of times that each facet is recorded.
    pub(super) recorded: FacetCounts,
    /// The size of the first instance of each class, in bytes.
    pub(super) sizes: HashMap<Address, u64>,
    /// The most references that an instance of each class lists.
    pub(super) most: HashMap<ObjectClass, usize>,
    /// The addresses of objects' classes that are not in the table.
    pub(super) missing: BTreeSet<Address>,
    /// The names of objects' classes that are not in the table.
    pub(super) unnamed: BTreeSet<Name>,
    /// The bytes to be synthesised for its objects.
    pub(super) wanted: SynthesisNeeds,
    /// The highest address that is mentioned.
    pub(super) highest: u64,
    /// The relation between lengths and sizes of arrays.
    pub(super) lengths: LengthEstimate,
}

impl SourceSurvey {
    pub(super) fn from_source(
        source: &mut dyn HeapSource,
        needs: HeapRequirements,
        header: Option<ArrayHeader>,
    ) -> Result<SourceSurvey, Error> {
        let mut survey = SourceSurvey {
            classes: ClassIndex::new(source.classes()),
            recorded: FacetCounts::without_objects(source),
            sizes: HashMap::new(),
            most: HashMap::new(),
            missing: BTreeSet::new(),
            unnamed: BTreeSet::new(),
            wanted: SynthesisNeeds::default(),
            highest: 0,
            lengths: LengthEstimate::from_source(source, &needs, header)?,
        };
        let facts = source.facts().clone();
        let mut highest = 0;
        let mut see = |address: Address| highest = highest.max(address.0);
        for class in source.classes() {
            visit::class(&mut class.clone(), &mut |address| see(*address));
        }
        visit::surroundings(&mut source.surroundings().clone(), &mut |address| see(*address));
        // Only a PHD has hashes and class words.
        if facts.hash_regime.is_some() {
            let names = source.classes().iter().map(|class| (class.address, class.name.clone())).collect();
            let mut class_first = ClassFirst::default();
            source.visit_objects(&mut |object| class_first.observe(object, &names))?;
            survey.classes.class_first = class_first.holds();
        }
        source.visit_objects(&mut |object| {
            survey.recorded.add_object(object)?;
            visit::addresses(object, &mut see)?;
            let (own, first_is_class) = survey.classes.object_class(object)?;
            survey.note_class(&own, object.kind, needs);
            let listed = match &object.contents {
                Contents::References(listed) => (listed.len() as u64).saturating_sub(u64::from(first_is_class)),
                Contents::Long(PiecewiseContents::References(listed)) => listed.count() - u64::from(first_is_class),
                Contents::Elements(elements) => elements.len() as u64,
                Contents::Long(PiecewiseContents::Elements(elements)) => elements.count(),
                _ => 0,
            };
            survey.wanted.add_object(object, &own, listed, &needs, &survey.lengths);
            if object.kind == ObjectKind::Instance {
                if let (ObjectClass::At(class), Some(size)) = (&own, object.size) {
                    survey.sizes.entry(*class).or_insert(size.0);
                }
                if matches!(
                    &object.contents,
                    Contents::References(_) | Contents::Long(PiecewiseContents::References(_))
                ) {
                    let most = survey.most.entry(own).or_default();
                    *most = usize::try_from(listed).unwrap_or(usize::MAX).max(*most);
                }
            }
            Ok(())
        })?;
        survey.highest = highest;
        Ok(survey)
    }

    /// Notes the classes that the target needs for an object.
    fn note_class(&mut self, own: &ObjectClass, kind: ObjectKind, needs: HeapRequirements) {
        let is_primitive = matches!(kind, ObjectKind::PrimitiveArray(_));
        let needed = if is_primitive { needs.primitive_array_classes } else { needs.classes };
        if !needed {
            return;
        }
        let name = match own {
            ObjectClass::At(address) => match self.classes.find(*address) {
                Some(class) => class.name.clone(),
                None => {
                    self.missing.insert(*address);
                    return;
                }
            },
            ObjectClass::Named(name) => {
                if kind == ObjectKind::Instance || needs.array_class != ArrayClass::Component {
                    self.unnamed.insert(name.clone());
                }
                name.clone()
            }
        };
        let innermost = needs.array_class == ArrayClass::OwnAndInnermost;
        if kind == ObjectKind::ObjectArray
            && needs.array_class != ArrayClass::Own
            && let Some(component) = component_name(&name, innermost)
            && self.classes.find_by_name(&component).is_none()
        {
            self.unnamed.insert(component);
        }
    }
}
