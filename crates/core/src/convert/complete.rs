//! Completion of classes and objects with the facts that the target needs.

use std::collections::HashMap;

use crate::compare::Facet;
use crate::error::{Error, LowerError};
use crate::family::{ArrayClass, HeapRequirements};
use crate::format::Lowering;
use crate::model::{
    Address, ByteLen, Class, Contents, Facts, Name, NameForms, Object, ObjectKind, Pieces, PiecewiseContents, Static,
    Value, WordSize,
};

use super::budget::{check_budget, reference_width};
use super::classes::{self, ClassIndex, ObjectClass, component_name, unknown_class_name};
use super::layouts::{SyntheticLayouts, class_place, synthetic_name};
use super::lengths::LengthEstimate;
use super::report::Inventions;
use super::survey::SourceSurvey;

/// The most elements that are held where some of them are synthesised, and the most fields of an object.
const MANY: u64 = 1 << 17;

/// The completion of classes and objects for a target.
#[derive(Debug)]
pub(super) struct Completion {
    pub(super) needs: HeapRequirements,
    classes: ClassIndex,
    layouts: SyntheticLayouts,
    sizes: HashMap<Address, u64>,
    lengths: LengthEstimate,
    /// Bytes that may be synthesised in all.
    budget: u64,
}

impl Completion {
    pub(super) fn new(
        survey: &SourceSurvey,
        needs: HeapRequirements,
        budget: u64,
        inventions: &mut Inventions,
    ) -> Result<Completion, Error> {
        let mut table = ClassIndex::new(&survey.classes.table);
        for &address in &survey.missing {
            table.add_synthesised(address, unknown_class_name(address));
        }
        let mut next = survey.highest;
        for name in &survey.unnamed {
            let full =
                || LowerError::Profile("there is no address left for a class that is to be synthesised".to_owned());
            next = next.checked_add(8).map(|next| next & !7).ok_or_else(full)?;
            table.add_synthesised(Address(next), name.clone());
        }
        (table.recorded, table.class_first) = (survey.classes.recorded, survey.classes.class_first);
        let made_up = (table.table.len() - table.recorded) as u64;
        inventions.add(Facet::Address, "a class that objects are of and that is not in the dump", made_up);
        let mut needed = vec![0; table.table.len()];
        for (own, most) in &survey.most {
            if let Some(class) = class_place(&table, own) {
                needed[class] = needed[class].max(*most);
            }
        }
        let layouts = SyntheticLayouts::new(&table, &needed, reference_width(&needs));
        survey.wanted.check(&table, &layouts, &needs, budget)?;
        Ok(Completion { needs, layouts, sizes: survey.sizes.clone(), classes: table, lengths: survey.lengths, budget })
    }

    /// The completed class table.
    pub(super) fn table(&self, inventions: &mut Inventions) -> Vec<Class> {
        let mut jvm = NameForms::new(jvm_form);
        let complete = |(index, class): (usize, &Class)| {
            let mut class = class.clone();
            let size = self.sizes.get(&class.address).copied();
            let needs = &self.needs;
            if !needs.positions && class.references.is_none() && class.statics.is_some() {
                let how = "static fields, and what else the writer lists: loader, superclasses, constant pool";
                inventions.note(Facet::ClassReferences, how);
            }
            class.name = jvm.convert(&class.name);
            if let Some(unit) = needs.instance_sizes {
                classes::complete_ancestry(&mut class, size, unit, inventions);
            }
            if class.references.is_none() && class.statics.is_none() {
                class.references = Some(Vec::new());
                inventions.note(Facet::ClassReferences, "none");
            }
            if needs.names_and_sizes && class.class_object_size.is_none() {
                class.class_object_size = Some(ByteLen(0));
                inventions.note(Facet::ClassObjectSize, "0");
            }
            if needs.positions {
                self.complete_members(index, &mut class, inventions);
            }
            class
        };
        self.classes.table.iter().enumerate().map(complete).collect()
    }

    /// Completes the members that an HPROF class needs.
    fn complete_members(&self, index: usize, class: &mut Class, inventions: &mut Inventions) {
        if class.loader.is_none() {
            class.loader = Some(Address::NULL);
            inventions.note(Facet::Loader, "the boot loader");
        }
        if class.statics.is_none() {
            let references = class.references.iter().flatten();
            let field =
                |(number, &to): (usize, &Address)| Static { name: synthetic_name(number), value: Value::reference(to) };
            class.statics = Some(references.enumerate().map(field).collect());
            inventions.note(Facet::Statics, "one for each reference of the class, named reference0 and so on");
        }
        if class.fields.is_none() {
            class.fields = Some(self.layouts.fields(index));
            let how =
                "as many as an object of the class has references beyond inherited fields, named reference0 and so on";
            inventions.note(Facet::Fields, how);
        }
    }

    /// Calls `see` with every address of the completed object: what is synthesised has none but null.
    pub(super) fn visit_addresses(&self, object: &Object, see: &mut dyn FnMut(Address)) -> Result<(), Error> {
        let (own, first_is_class) = self.classes.object_class(object)?;
        let (at, name) = self.locate_class(&own);
        let (kind, class, class_word) = (object.kind, object.class, object.class_word);
        let mut head = Object { class, class_word, ..Object::new(object.address, kind) };
        self.set_class(&mut head, at, name.as_ref(), &mut Inventions::default());
        [Some(head.address), head.class, head.class_word].into_iter().flatten().for_each(&mut *see);
        let pieces = match &object.contents {
            Contents::References(listed) => {
                listed.iter().skip(usize::from(first_is_class)).for_each(|to| see(*to));
                return Ok(());
            }
            Contents::Elements(elements) => {
                elements.iter().for_each(|to| see(*to));
                return Ok(());
            }
            Contents::Fields(values) => {
                values.iter().filter_map(|value| value.as_reference()).for_each(see);
                return Ok(());
            }
            Contents::Long(PiecewiseContents::References(listed)) => listed.without_first(u64::from(first_is_class)),
            Contents::Long(PiecewiseContents::Elements(elements)) => elements.clone(),
            Contents::Primitives(_)
            | Contents::Raw(_)
            | Contents::Long(PiecewiseContents::Primitives(_) | PiecewiseContents::Raw(_))
            | Contents::Unknown => return Ok(()),
        };
        pieces.visit(|piece| {
            piece.iter().for_each(|to| see(*to));
            Ok(())
        })
    }

    /// The address and the name of an object's own class.
    fn locate_class(&self, own: &ObjectClass) -> (Option<Address>, Option<Name>) {
        match own {
            ObjectClass::At(address) => (Some(*address), self.classes.find(*address).map(|class| class.name.clone())),
            ObjectClass::Named(name) => {
                (self.classes.find_by_name(name).map(|class| class.address), Some(name.clone()))
            }
        }
    }

    /// The completed object.
    pub(super) fn complete_object(&self, object: &Object, inventions: &mut Inventions) -> Result<Object, Error> {
        let (own, first_is_class) = self.classes.object_class(object)?;
        let mut made = object.clone();
        match &mut made.contents {
            Contents::References(listed) if first_is_class => _ = listed.remove(0),
            Contents::Long(PiecewiseContents::References(listed)) if first_is_class => {
                *listed = listed.without_first(1)
            }
            _ => {}
        }
        let (at, name) = self.locate_class(&own);
        self.set_class(&mut made, at, name.as_ref(), inventions);
        if !self.needs.positions
            && made.contents == Contents::Unknown
            && !matches!(made.kind, ObjectKind::PrimitiveArray(_))
        {
            made.contents = Contents::References(Vec::new());
            inventions.note(Facet::References, "none");
        }
        if self.needs.lengths {
            self.complete_length(&mut made, inventions);
        }
        if self.needs.positions {
            self.complete_contents(&mut made, inventions)?;
        }
        self.complete_size(&mut made, at, inventions)?;
        Ok(made)
    }

    /// Sets the class of an object in the form that the target uses.
    fn set_class(&self, made: &mut Object, own: Option<Address>, name: Option<&Name>, inventions: &mut Inventions) {
        if self.needs.names_and_sizes {
            made.class_name = Some(name.map_or_else(
                || {
                    inventions.note(Facet::ClassName, "after the class's address");
                    unknown_class_name(own.unwrap_or_default())
                },
                jvm_form,
            ));
            (made.class, made.class_word) = (own, None);
            return;
        }
        made.class_name = None;
        match (made.kind, self.needs.array_class) {
            (ObjectKind::Instance, _) if self.needs.positions => made.class = own,
            (ObjectKind::Instance, _) => (made.class, made.class_word) = (own, None),
            (ObjectKind::ObjectArray, ArrayClass::Own) => made.class = own,
            (ObjectKind::ObjectArray, ArrayClass::OwnAndInnermost) => (made.class, made.class_word) = (own, None),
            (ObjectKind::ObjectArray, ArrayClass::Component) => {
                let component = name.and_then(|name| component_name(name, false));
                let component = component.and_then(|name| self.classes.find_by_name(&name)).map(|class| class.address);
                (made.class, made.class_word) = (None, component.or(made.class_word));
            }
            (ObjectKind::PrimitiveArray(_), _) if self.needs.positions => made.class = None,
            (ObjectKind::PrimitiveArray(_), _) => {}
        }
    }

    /// Completes field values, elements or primitive contents.
    fn complete_contents(&self, made: &mut Object, inventions: &mut Inventions) -> Result<(), Error> {
        let length = made.length.unwrap_or_default();
        match (made.kind, &mut made.contents) {
            (
                ObjectKind::Instance,
                Contents::Fields(_) | Contents::Raw(_) | Contents::Long(PiecewiseContents::Raw(_)),
            ) => {}
            (ObjectKind::Instance, Contents::Long(PiecewiseContents::References(listed))) if listed.count() > MANY => {
                let (what, value) = ("the number of references, each of which needs a field,", listed.count());
                return Err(LowerError::OutOfRange { what, address: made.address, value, limit: MANY }.into());
            }
            (ObjectKind::Instance, contents) => {
                let listed = match contents {
                    Contents::References(listed) => std::mem::take(listed),
                    Contents::Long(PiecewiseContents::References(listed)) => listed.collect()?,
                    _ => Vec::new(),
                };
                made.contents = Contents::Fields(self.layouts.values(&self.classes, made, &listed)?);
                inventions.note(Facet::FieldValues, "references in their order, each in the next field; the rest null");
            }
            (ObjectKind::ObjectArray, Contents::Elements(elements)) if elements.len() as u64 == length => {}
            (ObjectKind::ObjectArray, Contents::Long(PiecewiseContents::Elements(elements)))
                if elements.count() == length => {}
            (ObjectKind::ObjectArray, contents) => {
                let (count, elements) = self.complete_elements(contents, length)?;
                (made.length, made.contents) = (Some(count), elements);
                inventions.note(Facet::Elements, "references in their order from index 0; the rest null");
            }
            (
                ObjectKind::PrimitiveArray(_),
                Contents::Primitives(_) | Contents::Long(PiecewiseContents::Primitives(_)),
            ) => {}
            (ObjectKind::PrimitiveArray(element), _) => {
                let bytes = length.saturating_mul(element.size());
                self.check_bound(bytes)?;
                made.contents = match bytes {
                    0..=MANY => Contents::Primitives(vec![0; bytes as usize]),
                    _ => Contents::Long(PiecewiseContents::Primitives(Pieces::repeated(0, bytes))),
                };
                inventions.note(Facet::PrimitiveContents, "zeros");
            }
        }
        Ok(())
    }

    /// Refuses an array that the survey did not see: the source may have changed in between.
    fn check_bound(&self, bytes: u64) -> Result<(), LowerError> {
        check_budget(bytes, self.budget)
    }

    /// References as elements from index 0 on, followed by nulls up to the length.
    fn complete_elements(&self, contents: &mut Contents, length: u64) -> Result<(u64, Contents), LowerError> {
        let listed: Result<Vec<Address>, Pieces<Address>> = match contents {
            Contents::References(listed) | Contents::Elements(listed) => Ok(std::mem::take(listed)),
            Contents::Long(long) => long.addresses().map_or(Ok(Vec::new()), |listed| Err(listed.clone())),
            _ => Ok(Vec::new()),
        };
        let known = listed.as_ref().map_or_else(Pieces::count, |listed| listed.len() as u64);
        let missing = length.saturating_sub(known);
        self.check_bound(missing.saturating_mul(reference_width(&self.needs)))?;
        let elements = match listed {
            Ok(mut listed) if known + missing <= MANY => {
                listed.resize(listed.len() + missing as usize, Address::NULL);
                Contents::Elements(listed)
            }
            listed => {
                let listed = listed.map_or_else(|long| long, Pieces::from);
                Contents::Long(PiecewiseContents::Elements(
                    listed.followed_by(Pieces::repeated(Address::NULL, missing)),
                ))
            }
        };
        Ok((known + missing, elements))
    }

    /// Completes the size of an object.
    fn complete_size(&self, made: &mut Object, own: Option<Address>, inventions: &mut Inventions) -> Result<(), Error> {
        const OF_ARRAY: &str = "of an array: its header and its elements, rounded up to 8";
        if let Some(unit) = self.needs.array_sizes
            && made.kind != ObjectKind::Instance
        {
            match made.size {
                Some(size) => made.size = Some(size.rounded_up(unit)),
                None => inventions.note(Facet::ObjectSize, OF_ARRAY),
            }
        }
        if self.needs.names_and_sizes && made.size.is_none() {
            let of_class = own.and_then(|class| self.classes.find(class)?.instance_size);
            let (size, how) = match made.kind {
                ObjectKind::Instance => (of_class.map_or(0, |size| size.0), "of a plain object: its class's size"),
                kind => {
                    let length = match (made.length, &made.contents) {
                        (Some(length), _) => length,
                        (None, Contents::Long(PiecewiseContents::Elements(elements))) => {
                            elements.count() - elements.nulls()?
                        }
                        (None, Contents::Long(PiecewiseContents::References(listed))) => listed.count(),
                        (None, _) => made.references().count() as u64,
                    };
                    (self.lengths.footprint(length, kind), OF_ARRAY)
                }
            };
            made.size = Some(ByteLen(size));
            inventions.note(Facet::ObjectSize, how);
        }
        Ok(())
    }

    /// Completes the number of elements of an array.
    fn complete_length(&self, made: &mut Object, inventions: &mut Inventions) {
        if made.kind == ObjectKind::Instance {
            return;
        }
        let listed = match &made.contents {
            Contents::References(listed) => listed.len() as u64,
            Contents::Long(PiecewiseContents::References(listed)) => listed.count(),
            _ => 0,
        };
        if let Some(length) = made.length {
            made.length = Some(length.max(listed));
            return;
        }
        let fits = self.lengths.array_length(made, listed);
        made.length = Some(fits.map_or(listed, |fits| fits.length));
        match (fits, made.kind) {
            (Some(fits), _) => {
                inventions.lengths.add(fits);
                inventions.note(Facet::ArrayLength, "from the array's size, without its header and the padding");
            }
            (None, ObjectKind::PrimitiveArray(_)) => inventions.note(Facet::ArrayLength, "0"),
            (None, _) => inventions.note(Facet::ArrayLength, "as many elements as references that are listed"),
        }
    }
}

/// A class's name in the form that writers use.
fn jvm_form(name: &Name) -> Name {
    name.to_jvm_form().to_modified_utf8()
}

/// Completes the facts of the header.
pub(super) fn complete_facts(
    facts: &mut Facts,
    lowering: &Lowering,
    needs: &HeapRequirements,
    inventions: &mut Inventions,
) {
    lowering.defaults(facts).into_iter().for_each(|(facet, how)| inventions.note(facet, how));
    if facts.word_size.is_none() {
        let small = facts.identifier_size.is_some_and(|size| size.0 < 8);
        facts.word_size = Some(if small { WordSize::Bits32 } else { WordSize::Bits64 });
        if needs.word_size {
            inventions.note(Facet::WordSize, "of the identifiers, else 64 bits");
        }
    }
}
