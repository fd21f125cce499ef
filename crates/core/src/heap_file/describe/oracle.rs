//! Objects as the builder lays them out, held beside those of a heap.

use foldhash::{HashMap, HashMapExt, HashSet};

use crate::builder::{BuiltContents, BuiltValue, ClassId, HeapBuilder, ObjectId, ReferenceTarget};
use crate::model::{Address, Contents, FieldType, ObjectKind, Value};

use super::names::array_class;
use super::sizes::AutomaticSizes;
use super::table::HeapTable;
use super::uses::ReferenceUses;

/// A builder with the classes of a heap. What it makes of the contents of an object shows whether the heap has just that.
pub(super) struct LayoutOracle<'t, 'h> {
    pub(super) table: &'t HeapTable<'h>,
    pub(super) sizes: &'t AutomaticSizes,
    pub(super) uses: &'t ReferenceUses,
    pub(super) builder: HeapBuilder,
    /// The builder's class of each class of the heap.
    classes: Vec<ClassId>,
    addresses: HashMap<ClassId, Address>,
    /// Objects of the builder that stand for some of the heap.
    pub(super) stand_ins: HashMap<ObjectId, Address>,
}

/// The objects of a heap that are as the builder made them.
#[derive(Clone, Debug, Default)]
pub(super) struct MatchedObject {
    /// Those that the first one consists of: nothing else refers to them.
    pub(super) parts: Vec<usize>,
    /// The places of the first one's values that are others.
    pub(super) given: Vec<usize>,
}

impl<'t, 'h> LayoutOracle<'t, 'h> {
    pub(super) fn new(
        table: &'t HeapTable<'h>,
        sizes: &'t AutomaticSizes,
        uses: &'t ReferenceUses,
    ) -> LayoutOracle<'t, 'h> {
        let mut builder = HeapBuilder::new(sizes.settings);
        let names: HashMap<Address, usize> =
            table.heap.classes.iter().enumerate().map(|(place, class)| (class.address, place)).collect();
        let classes =
            builder.declare_classes_of(&table.heap.classes, |class| table.name(names[&class.address]).clone());
        let addresses = classes.iter().zip(&table.heap.classes).map(|(id, class)| (*id, class.address)).collect();
        LayoutOracle { table, sizes, uses, builder, classes, addresses, stand_ins: HashMap::new() }
    }

    /// The builder's class of a class of the heap.
    pub(super) fn class_id(&self, class: usize) -> ClassId {
        self.classes[class]
    }

    /// An address of the heap for the builder.
    pub(super) fn target(address: Address) -> ReferenceTarget {
        if address.is_null() { ReferenceTarget::Null } else { ReferenceTarget::Address(address) }
    }

    /// The class of an object of the heap, if it is one that lays it out.
    pub(super) fn class_of(&self, place: usize) -> Option<usize> {
        let object = &self.table.heap.objects[place];
        match object.kind {
            ObjectKind::Instance => {
                let class = self.table.class_at(object.class?)?;
                Some(class).filter(|class| self.table.kind(*class) == ObjectKind::Instance)
            }
            _ => array_class(self.table, object),
        }
    }

    /// Compares an object that was made with one of the heap, and the objects that both consist of.
    pub(super) fn compare(&self, made: ObjectId, place: usize) -> Option<MatchedObject> {
        let mut matched = MatchedObject::default();
        let mut partners: HashMap<ObjectId, usize> = HashMap::from_iter([(made, place)]);
        let mut places: HashSet<usize> = HashSet::from_iter([place]);
        let mut counts: HashMap<usize, u32> = HashMap::new();
        let mut queue = vec![(made, place)];
        while let Some((made, at)) = queue.pop() {
            let object = &self.table.heap.objects[at];
            let class = self.class_of(at)?;
            if self.classes[class] != self.builder.class_of(made) {
                return None;
            }
            if at != place {
                self.sizes.is_bare(self.table, object, class).then_some(())?;
                matched.parts.push(at);
            }
            let mut refer = |target: ReferenceTarget, found: Address| -> Option<bool> {
                let ReferenceTarget::Object(part) = target else { return Some(self.address(target)? == found) };
                if let Some(stand_in) = self.stand_ins.get(&part) {
                    return Some(*stand_in == found);
                }
                let Some(of_heap) = self.table.object_at(found) else { return Some(false) };
                match partners.get(&part) {
                    Some(partner) if *partner != of_heap => return None,
                    Some(_) => {}
                    None => {
                        places.insert(of_heap).then_some(())?;
                        partners.insert(part, of_heap);
                        queue.push((part, of_heap));
                    }
                }
                *counts.entry(of_heap).or_default() += 1;
                Some(true)
            };
            match (self.builder.built_contents(made), &object.contents) {
                (BuiltContents::Fields(built), Contents::Fields(values)) if built.len() == values.len() => {
                    for (number, (built, value)) in built.iter().zip(values).enumerate() {
                        let is_equal = match (*built, *value) {
                            (BuiltValue::Reference(target), Value { kind: FieldType::Object, bits }) => {
                                refer(target, Address(bits))?
                            }
                            (BuiltValue::Primitive(kind, bits), value) if value.kind == FieldType::Primitive(kind) => {
                                bits == value.bits
                            }
                            _ => return None,
                        };
                        match is_equal {
                            true => {}
                            false if at == place => matched.given.push(number),
                            false => return None,
                        }
                    }
                }
                (BuiltContents::Elements(built), Contents::Elements(elements))
                    if built.len() == elements.len()
                        && object.length.is_none_or(|length| length == built.len() as u64) =>
                {
                    for (target, found) in built.iter().zip(elements) {
                        refer(*target, *found)?.then_some(())?;
                    }
                }
                (BuiltContents::Primitives(built), Contents::Primitives(bytes)) if built == bytes => {}
                _ => return None,
            }
        }
        let is_alone = |part: &usize| {
            let address = self.table.heap.objects[*part].address;
            Some(&self.uses.count(address)) == counts.get(part) && self.uses.are_values(address)
        };
        matched.parts.iter().all(is_alone).then_some(matched)
    }

    /// Whether an object is one of `java.lang.Thread` or a class that extends it.
    pub(super) fn is_thread(&self, place: usize) -> bool {
        let of_class = self.class_of(place);
        of_class.is_some_and(|class| self.table.extends(class, "java/lang/Thread"))
    }

    fn address(&self, target: ReferenceTarget) -> Option<Address> {
        match target {
            ReferenceTarget::Null => Some(Address::NULL),
            ReferenceTarget::Address(address) => Some(address),
            ReferenceTarget::Class(class) => self.addresses.get(&class).copied(),
            ReferenceTarget::Object(_) | ReferenceTarget::Repeated(..) => None,
        }
    }
}
