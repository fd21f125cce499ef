//! The facts of a heap's classes, objects and roots that a profile's dump records.

use foldhash::HashMap;

use crate::draw::{Draw, SeedDraw};
use crate::error::{Error, LowerError};
use crate::hprof::wire::IdSize;
use crate::lower::ClassPlacement;
use crate::model::{
    Address, ByteLen, Class, Contents, Hierarchy, Name, Object, ObjectKind, PiecewiseContents, Region, Root, RootKind,
    RootObjects, Serial, Static, Surroundings,
};

use super::arrays::ArrayClasses;
use super::plan::LowerPlan;
use super::profiles::{InstanceSizes, RootOrder};
use super::roots::order_roots;

/// Carries one heap's classes and objects.
pub(super) struct Carrier<'c> {
    plan: &'c LowerPlan,
    classes: &'c [Class],
    /// By class, the field bytes of it and its superclasses, with identifiers as wide as in this dump.
    field_bytes: Vec<u64>,
    order: ClassPlacement,
}

impl<'c> Carrier<'c> {
    pub(super) fn new(plan: &'c LowerPlan, classes: &'c [Class]) -> Carrier<'c> {
        Carrier {
            plan,
            classes,
            field_bytes: field_bytes(classes, plan.id),
            order: if plan.follows_heap() { ClassPlacement::AsHeap } else { plan.profile.classes },
        }
    }

    /// The classes by their place in the dump; those of one place keep the table's order, or have their arrays
    /// after them.
    pub(super) fn class_order(&self) -> Vec<usize> {
        let mut order: Vec<usize> = match self.plan.profile.log.arrays_after {
            Some(primitives) if self.order != ClassPlacement::AsHeap => {
                ArrayClasses::new(self.classes).order_once(&primitives)
            }
            _ => (0..self.classes.len()).collect(),
        };
        order.sort_by_key(|&index| self.stands_after(&self.classes[index]));
        order
    }

    /// The number of objects before a class.
    pub(super) fn stands_after(&self, class: &Class) -> u64 {
        match class.after_objects {
            // ART's classes are objects among objects; those without a place come first.
            None if self.plan.profile.android && self.order == ClassPlacement::AsHeap => 0,
            after => self.order.place(after),
        }
    }

    /// The class in the sub-record of the class at this place.
    pub(super) fn class(&self, index: usize, name: Name, serial: Option<Serial>) -> Result<Class, LowerError> {
        let class = &self.classes[index];
        let at = class.address;
        self.plan.check_id(at.0)?;
        let statics = known(class.statics.as_ref(), "the static fields", at)?;
        let fields = known(class.fields.as_ref(), "the instance fields", at)?;
        let reference = |to: Option<Address>| {
            let to = to.unwrap_or_default();
            self.plan.check_id(to.0).map(|()| Some(to))
        };
        let has_owners = self.plan.profile.owners || self.plan.follows_heap();
        let owner = |to: Option<Address>| reference(to.filter(|_| has_owners));
        for value in statics.iter().map(|s| s.value).chain(class.constant_pool.iter().flatten().map(|p| p.value)) {
            value.as_reference().map_or(Ok(()), |to| self.plan.check_id(to.0))?;
        }
        let pool = class.constant_pool.as_deref().unwrap_or_default();
        let keeps_pool = self.plan.profile.constant_pool || self.plan.follows_heap();
        let short = |what, count: usize| match u16::try_from(count) {
            Ok(_) => Ok(()),
            Err(_) => Err(LowerError::OutOfRange { what, address: at, value: count as u64, limit: 0xffff }),
        };
        short("the number of static fields", statics.len())?;
        short("the number of instance fields", fields.len())?;
        short("the size of the constant pool", pool.len())?;
        Ok(Class {
            address: at,
            name,
            superclass: reference(Some(known(class.superclass, "the superclass", at)?))?,
            loader: reference(class.loader)?,
            signers: owner(class.signers)?,
            protection_domain: owner(class.protection_domain)?,
            instance_size: Some(self.instance_size(index)?),
            statics: Some(statics.iter().map(|s| Static { name: s.name.clone(), value: s.value }).collect()),
            constant_pool: Some(if keeps_pool { pool.to_vec() } else { Vec::new() }),
            fields: Some(fields.clone()),
            serial,
            trace: Some(self.carried_trace(class.trace)),
            ..Class::default()
        })
    }

    pub(super) fn object(&self, object: &Object) -> Result<Object, Error> {
        let at = object.address;
        self.plan.check_id(at.0)?;
        let mut carried = Object { trace: Some(self.carried_trace(object.trace)), ..Object::new(at, object.kind) };
        if object.kind != ObjectKind::Instance {
            let length = known(object.length, "the array length", at)?;
            if length > u64::from(u32::MAX) {
                let (what, limit) = ("the array length", u64::from(u32::MAX));
                return Err(LowerError::OutOfRange { what, address: at, value: length, limit }.into());
            }
            carried.length = Some(length);
        }
        if matches!(object.kind, ObjectKind::Instance | ObjectKind::ObjectArray) {
            let class = known(object.class, "the class", at)?;
            self.plan.check_id(class.0)?;
            carried.class = Some(class);
        }
        let length = carried.length.unwrap_or_default();
        carried.contents = match (object.kind, &object.contents) {
            (ObjectKind::Instance, Contents::Fields(values)) => {
                for to in values.iter().filter_map(|value| value.as_reference()) {
                    self.plan.check_id(to.0)?;
                }
                object.contents.clone()
            }
            (ObjectKind::Instance, Contents::Raw(_) | Contents::Long(PiecewiseContents::Raw(_))) => {
                object.contents.clone()
            }
            (ObjectKind::Instance, _) => {
                return Err(LowerError::Unknown { what: "the field values", address: at }.into());
            }
            (ObjectKind::ObjectArray, Contents::Elements(elements)) if elements.len() as u64 == length => {
                elements.iter().try_for_each(|to| self.plan.check_id(to.0))?;
                object.contents.clone()
            }
            (ObjectKind::ObjectArray, Contents::Long(PiecewiseContents::Elements(elements)))
                if elements.count() == length =>
            {
                elements
                    .visit(|piece| piece.iter().try_for_each(|to| self.plan.check_id(to.0)).map_err(Error::from))?;
                object.contents.clone()
            }
            (ObjectKind::ObjectArray, _) => {
                return Err(LowerError::Unknown { what: "which reference stands where", address: at }.into());
            }
            (ObjectKind::PrimitiveArray(element), Contents::Primitives(bytes))
                if bytes.len() as u64 == length * element.size() =>
            {
                object.contents.clone()
            }
            (ObjectKind::PrimitiveArray(element), Contents::Long(PiecewiseContents::Primitives(bytes)))
                if bytes.count() == length * element.size() =>
            {
                object.contents.clone()
            }
            (ObjectKind::PrimitiveArray(_), Contents::Unknown) if self.plan.writes_bare_arrays() => Contents::Unknown,
            (ObjectKind::PrimitiveArray(_), _) => {
                return Err(LowerError::Unknown { what: "the contents", address: at }.into());
            }
        };
        Ok(carried)
    }

    /// The roots, each with its place; `u64::MAX` is after everything.
    pub(super) fn roots(
        &self,
        surroundings: &Surroundings,
        objects: &RootObjects,
        draw: &mut SeedDraw,
    ) -> Result<Vec<Root>, LowerError> {
        let mut roots = Vec::new();
        let classes = self.classes.len() as u64;
        for mut root in self.carried_roots(surroundings.roots.as_deref().unwrap_or_default(), objects) {
            self.plan.check_id(root.object.0)?;
            root.kind.reference().map_or(Ok(()), |id| self.plan.check_id(id.0))?;
            let last = u64::MAX;
            let after = match self.plan.profile.roots {
                _ if self.plan.follows_heap() => root.after.unwrap_or(last),
                RootOrder::First => 0,
                RootOrder::BehindClasses => classes,
                RootOrder::Last => last,
                RootOrder::Drawn => draw.below(classes * 3 + 1),
            };
            roots.push(Root { after: Some(after), ..root });
        }
        roots.sort_by_key(|root| root.after);
        Ok(roots)
    }

    /// The parts of the heap, where the dump can record them.
    pub(super) fn regions(&self, surroundings: &Surroundings) -> Vec<Region> {
        let regions = surroundings.regions.iter().flatten().cloned();
        let mut told: Vec<Region> = Vec::new();
        for region in regions.filter(|_| self.plan.writes_android()) {
            let same = told.last().is_some_and(|last| (last.id, &last.name) == (region.id, &region.name));
            let none = told.is_empty() && region.id == 0 && region.name.as_bytes().is_empty();
            if !same && !none {
                told.push(region);
            }
        }
        told
    }

    /// The roots that are recorded, in their order. Without Android's sub-records, roots of its kinds become unknown
    /// ones.
    fn carried_roots(&self, roots: &[Root], objects: &RootObjects) -> Vec<Root> {
        let told = |kind: RootKind| !kind.is_android() || self.plan.writes_android();
        match self.plan.profile.root_writer {
            _ if self.plan.follows_heap() => roots.to_vec(),
            Some(writer) => order_roots(writer, roots, objects, self.classes),
            None => {
                let kind = |kind| if told(kind) { kind } else { RootKind::Unknown };
                roots.iter().map(|root| Root { kind: kind(root.kind), ..*root }).collect()
            }
        }
    }

    pub(super) fn carried_trace(&self, own: Option<Serial>) -> Serial {
        match self.plan.profile.trace {
            Some(fixed) if !self.plan.follows_heap() => Serial(fixed),
            fixed => own.unwrap_or(Serial(fixed.unwrap_or(1))),
        }
    }

    fn instance_size(&self, index: usize) -> Result<ByteLen, LowerError> {
        let class = &self.classes[index];
        let own = class.instance_size.filter(|_| self.plan.follows_heap());
        let size = match own {
            Some(size) => size.0,
            None if class.is_array() && self.plan.profile.arrays == InstanceSizes::ZeroForArrays => 0,
            None => self.field_bytes[index],
        };
        if size > u64::from(u32::MAX) {
            let (what, limit) = ("the instance size", u64::from(u32::MAX));
            return Err(LowerError::OutOfRange { what, address: class.address, value: size, limit });
        }
        Ok(ByteLen(size))
    }
}

fn field_bytes(classes: &[Class], id: IdSize) -> Vec<u64> {
    let by_address: HashMap<_, _> = classes.iter().enumerate().map(|(index, class)| (class.address, index)).collect();
    let hierarchy = Hierarchy::new(classes, |class| by_address.get(&class).copied());
    // A class without known fields cannot be written.
    hierarchy.field_bytes(classes, id.bytes() as u64).into_iter().map(Option::unwrap_or_default).collect()
}

fn known<T>(fact: Option<T>, what: &'static str, address: Address) -> Result<T, LowerError> {
    fact.ok_or(LowerError::Unknown { what, address })
}
