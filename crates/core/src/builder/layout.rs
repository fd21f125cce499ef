//! From a heap under construction to a heap: addresses, sizes, and the facts that follow from them.

use std::sync::Arc;

use crate::compare::Facet;
use crate::error::Error;
use crate::model::{
    Address, ByteLen, Class, Contents, Facts, Field, FieldType, Heap, HeapSource, IdentityHash, Name, Object,
    ObjectKind, PoolEntry, PrimitiveType, Root, RootKind, Serial, StackFrame, StackTrace, Static, Surroundings, Thread,
    Value, VisitObjects, array_size, instance_size,
};

use super::class::BuiltClass;
use super::error::BuildError;
use super::facts::HashFact;
use super::input::{BuiltValue, FieldInput, ReferenceTarget};
use super::object::{BuiltContents, BuiltObject};
use super::repeat::{BuiltRepeat, MemberContents, UnitMember};
use super::{ClassId, HeapBuilder, HeapSettings, InstanceSizeRule, VERSION_TEXT};

/// The first address of a class object, and of an object: within what 32 bits can say, and readable.
const FIRST_CLASS: u64 = 0x1000_0000;
const FIRST_OBJECT: u64 = 0x2000_0000;
/// Bytes from one class object to the next, which is its size unless another is given.
pub(crate) const CLASS_BYTES: u64 = 0x80;

/// The place of a repeated part: its first address, the bytes of a turn, and the places of its members in a turn.
#[derive(Clone, Debug, Default)]
struct RepeatPlace {
    base: u64,
    turn: u64,
    members: Vec<u64>,
}

/// Addresses of all classes and objects.
#[derive(Clone, Debug, Default)]
pub(super) struct AddressTable {
    classes: Vec<u64>,
    objects: Vec<u64>,
    repeats: Vec<RepeatPlace>,
}

impl AddressTable {
    /// The address of a target.
    pub(super) fn address(&self, target: ReferenceTarget) -> Address {
        Address(match target {
            ReferenceTarget::Null => 0,
            ReferenceTarget::Object(object) => self.objects[object.0],
            ReferenceTarget::Class(class) => self.classes[class.0],
            ReferenceTarget::Address(address) => address.0,
            ReferenceTarget::Repeated(repeat, member, turn) => {
                let place = &self.repeats[repeat.0];
                place.base + place.turn * turn + place.members[member as usize]
            }
        })
    }

    fn value(&self, value: BuiltValue) -> Value {
        match value {
            BuiltValue::Reference(target) => Value::reference(self.address(target)),
            BuiltValue::Primitive(kind, bits) => Value::primitive(kind, bits),
        }
    }
}

impl HeapSettings {
    /// Bytes of an instance whose fields take this many.
    pub(crate) fn instance_bytes(self, fields: u64) -> u64 {
        instance_size(fields, self.word.bytes() as u64, self.reference_bytes())
    }

    /// Bytes of an array.
    pub(crate) fn array_bytes(self, kind: ObjectKind, length: u64) -> u64 {
        let width = match kind {
            ObjectKind::PrimitiveArray(element) => element.size(),
            ObjectKind::ObjectArray | ObjectKind::Instance => self.reference_bytes(),
        };
        array_size(length.saturating_mul(width), self.word.bytes() as u64)
    }
}

/// Hands out addresses, past those that were given.
#[derive(Debug)]
struct AddressAllocator {
    next: u64,
    /// Places that are taken, ascending: the first address and the first one after it.
    taken: Vec<(u64, u64)>,
    last: u64,
}

impl AddressAllocator {
    fn allocate(&mut self, bytes: u64) -> Result<u64, BuildError> {
        let bytes = bytes.max(8);
        let mut at = self.next;
        loop {
            let end = at.checked_add(bytes).filter(|end| *end <= self.last);
            let end = end.ok_or_else(|| BuildError::new("the objects do not fit into the addresses of the process"))?;
            let clash = self.taken[self.taken.partition_point(|(_, end)| *end <= at)..].first();
            match clash {
                Some((from, until)) if *from < end => at = until.next_multiple_of(8),
                _ => {
                    self.next = end.next_multiple_of(8);
                    return Ok(at);
                }
            }
        }
    }
}

impl HeapBuilder {
    /// The heap, in memory.
    ///
    /// # Errors
    /// If its objects do not fit into the addresses of the process, or two are given one address.
    pub fn build(self) -> Result<Heap, Error> {
        let mut source = self.build_source()?;
        Heap::collect(&mut source)
    }

    /// The heap, whose repeated parts are computed each time that they are visited.
    ///
    /// # Errors
    /// Like [`HeapBuilder::build`].
    pub fn build_source(mut self) -> Result<BuiltHeap, BuildError> {
        self.finish_threads()?;
        let addresses = Arc::new(self.assign_addresses()?);
        let surroundings = self.surroundings(&addresses);
        let empty_trace = self.has_automatic_traces().then(|| self.empty_trace());
        let classes = (0..self.classes.len()).filter(|class| !self.classes[*class].is_absent);
        let classes = classes.map(|class| self.finished_class(ClassId(class), &addresses)).collect();
        Ok(BuiltHeap {
            ascends: self.objects.iter().all(|object| object.facts.address.is_none()),
            facts: self.facts.clone(),
            classes,
            surroundings,
            addresses,
            empty_trace,
            segments: None,
            heap: self,
        })
    }

    /// Whether objects and classes name the trace without frames: not where traces are given one by one.
    fn has_automatic_traces(&self) -> bool {
        self.settings.world && self.traces.is_empty()
    }

    /// Bytes of a class's instances.
    pub(super) fn instance_bytes(&self, class: ClassId) -> u64 {
        self.settings
            .instance_bytes(self.layout(class).into_iter().map(|kind| kind.size(self.settings.reference_bytes())).sum())
    }

    fn object_bytes(&self, object: &BuiltObject) -> u64 {
        if let Some(size) = object.facts.size {
            return size.0;
        }
        match self.kind(object.class) {
            ObjectKind::Instance => match &object.facts.raw {
                Some(raw) => self.settings.instance_bytes(raw.len() as u64),
                None => self.instance_bytes(object.class),
            },
            kind => self.settings.array_bytes(kind, object.length(kind).unwrap_or_default()),
        }
    }

    /// Bytes of all objects so far.
    pub(super) fn total_bytes(&self) -> u64 {
        let of_repeat = |repeat: &BuiltRepeat| {
            let members: u64 = repeat.unit.members.iter().map(|member| self.member_bytes(*member)).sum();
            repeat.unit.count.saturating_mul(members)
        };
        let objects: u64 = self.objects.iter().map(|object| self.object_bytes(object)).sum();
        objects + self.repeats.iter().map(of_repeat).sum::<u64>()
    }

    fn assign_addresses(&self) -> Result<AddressTable, BuildError> {
        let last = match self.settings.word.bytes() {
            4 => 0xffff_f000,
            _ => 0xffff_ffff_ffff_f000,
        };
        let mut taken: Vec<(u64, u64)> = self
            .objects
            .iter()
            .filter_map(|object| Some((object.facts.address?.0, self.object_bytes(object))))
            .chain(self.classes.iter().filter_map(|class| Some((class.facts.address?.0, 8))))
            .map(|(at, bytes)| (at, at.saturating_add(bytes.max(1))))
            .collect();
        taken.sort_unstable();
        if let Some(pair) = taken.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            return Err(BuildError::new(format!("two objects are given the address {}", Address(pair[0].0))));
        }
        taken.extend(self.named_addresses().map(|at| (at.0, at.0.saturating_add(1))));
        taken.sort_unstable();
        // The farthest end so far, so that the ends ascend as well.
        let mut farthest = 0;
        for place in &mut taken {
            farthest = farthest.max(place.1);
            place.1 = farthest;
        }
        let mut ground = AddressAllocator { next: FIRST_CLASS, taken, last };
        let mut table = AddressTable::default();
        for class in &self.classes {
            table.classes.push(match class.facts.address {
                _ if class.is_absent => 0,
                Some(address) => address.0,
                None => ground.allocate(CLASS_BYTES)?,
            });
        }
        ground.next = ground.next.max(FIRST_OBJECT);
        let mut repeats = self.repeats.iter().peekable();
        for (number, object) in self.objects.iter().enumerate() {
            while let Some(repeat) = repeats.next_if(|repeat| repeat.after <= number) {
                table.repeats.push(self.place_repeat(repeat, &mut ground)?);
            }
            table.objects.push(match object.facts.address {
                Some(address) => address.0,
                // A size that is given may be more than there is.
                None => match ground.allocate(self.object_bytes(object)) {
                    Err(_) if object.facts.size.is_some() => ground.allocate(1)?,
                    allocated => allocated?,
                },
            });
        }
        for repeat in repeats {
            table.repeats.push(self.place_repeat(repeat, &mut ground)?);
        }
        Ok(table)
    }

    /// The addresses that values name: where nothing is given to lie there, nothing does.
    fn named_addresses(&self) -> impl Iterator<Item = Address> {
        let of_value = |value: &BuiltValue| match value {
            BuiltValue::Reference(target) => Some(*target),
            BuiltValue::Primitive(..) => None,
        };
        let objects = self.objects.iter().flat_map(move |object| {
            let (values, elements): (&[BuiltValue], &[ReferenceTarget]) = match &object.contents {
                BuiltContents::Fields(values) => (values, &[]),
                BuiltContents::Elements(elements) => (&[], elements),
                BuiltContents::Primitives(_) => (&[], &[]),
            };
            let facts = &object.facts;
            let listed = facts.references.iter().flatten().chain(&facts.class).chain(&facts.class_word);
            values.iter().filter_map(of_value).chain(elements.iter().chain(listed).copied())
        });
        let classes = self.classes.iter().flat_map(move |class| {
            let values = class.statics.iter().map(|(_, value)| value).chain(class.pool.iter().map(|(_, value)| value));
            let facts = class.facts.signers.iter().chain(&class.facts.domain);
            let facts = facts.chain(class.facts.references.iter().flatten());
            let own = class.superclass.iter().chain(&class.interfaces).chain([&class.loader]);
            values.filter_map(of_value).chain(facts.chain(own).copied())
        });
        let roots = self.roots.iter().map(|root| root.object);
        let threads = self.bare_threads.iter().map(|(_, object)| *object);
        objects.chain(classes).chain(roots).chain(threads).filter_map(|target| match target {
            ReferenceTarget::Address(address) => Some(address),
            _ => None,
        })
    }

    /// Reserves the room of a repeated part.
    fn place_repeat(&self, repeat: &BuiltRepeat, ground: &mut AddressAllocator) -> Result<RepeatPlace, BuildError> {
        let mut place = RepeatPlace::default();
        for member in &repeat.unit.members {
            place.members.push(place.turn);
            place.turn += self.member_bytes(*member);
        }
        for units in &repeat.unit.texts {
            place.turn += self.text_bytes(*units);
        }
        let bytes = place.turn.checked_mul(repeat.unit.count);
        let bytes = bytes.ok_or_else(|| BuildError::new("the repeated objects do not fit into any memory"))?;
        place.base = ground.allocate(bytes)?;
        Ok(place)
    }

    /// Refuses contents of a member that are none of its kind. References are not looked at.
    pub(crate) fn check_contents(&self, member: UnitMember, contents: &MemberContents) -> Result<(), BuildError> {
        let shape = MemberShape::new(member, self);
        let primitives: Vec<(PrimitiveType, &FieldInput)> = match (contents, shape.kind) {
            (MemberContents::Fields(fields), _) => fields
                .iter()
                .filter_map(|(place, input)| match shape.layout[*place] {
                    FieldType::Primitive(kind) => Some((kind, input)),
                    FieldType::Object => None,
                })
                .collect(),
            (MemberContents::Elements(elements), ObjectKind::PrimitiveArray(kind)) => {
                elements.iter().map(|input| (kind, input)).collect()
            }
            _ => Vec::new(),
        };
        primitives.into_iter().try_for_each(|(kind, input)| input.check_primitive(kind))
    }

    fn member_bytes(&self, member: UnitMember) -> u64 {
        match member {
            UnitMember::Instance(class) => self.instance_bytes(class),
            UnitMember::Array(class, length) => self.settings.array_bytes(self.kind(class), length),
        }
    }

    /// The most bytes of a String of this many UTF-16 units, with its array.
    fn text_bytes(&self, units: u64) -> u64 {
        let string = self.by_name.get(&Name::from("java/lang/String")).and_then(|known| known.first());
        let string = string.map_or(0, |class| self.instance_bytes(*class));
        string + self.settings.array_bytes(ObjectKind::PrimitiveArray(PrimitiveType::Char), units)
    }

    fn finished_class(&self, id: ClassId, addresses: &AddressTable) -> Class {
        let class: &BuiltClass = &self.classes[id.0];
        let facts = &class.facts;
        let value = |value: &BuiltValue| addresses.value(*value);
        let size = match self.settings.instance_sizes {
            _ if self.kind(id) != ObjectKind::Instance && self.settings.instance_sizes == InstanceSizeRule::Fields => 0,
            _ if self.kind(id) != ObjectKind::Instance => self.settings.instance_bytes(0),
            InstanceSizeRule::Footprint => self.instance_bytes(id),
            InstanceSizeRule::Fields => {
                let word = self.settings.word.bytes() as u64;
                self.layout(id).iter().map(|kind| kind.size(word)).sum()
            }
        };
        Class {
            address: addresses.address(id.into()),
            name: match self.settings.java_names && !class.has_raw_name {
                true => class.name.to_java_form(),
                false => class.name.clone(),
            },
            superclass: class.superclass.map(|above| addresses.address(above)),
            interfaces: Some(class.interfaces.iter().map(|target| addresses.address(*target)).collect()),
            loader: Some(addresses.address(self.loader_of(id))),
            signers: Some(addresses.address(facts.signers.unwrap_or_default())),
            protection_domain: Some(addresses.address(facts.domain.unwrap_or_default())),
            instance_size: Some(facts.size.unwrap_or(ByteLen(size))),
            class_object_size: Some(facts.class_size.unwrap_or(ByteLen(CLASS_BYTES))),
            hash: known_hash(facts.hash),
            references: facts
                .references
                .as_ref()
                .map(|listed| listed.iter().map(|to| addresses.address(*to)).collect()),
            statics: Some(
                class
                    .statics
                    .iter()
                    .map(|(own, of)| Static { name: own.field.name.clone(), value: value(of) })
                    .collect(),
            ),
            constant_pool: Some(
                class.pool.iter().map(|(index, of)| PoolEntry { index: *index, value: value(of) }).collect(),
            ),
            fields: Some(class.fields.iter().map(|own| own.field.clone()).collect::<Vec<Field>>()),
            serial: facts.serial,
            trace: facts.trace.or_else(|| self.has_automatic_traces().then(|| self.empty_trace())),
            after_objects: facts.after,
        }
    }

    fn surroundings(&self, addresses: &AddressTable) -> Surroundings {
        let (mut threads, mut traces, of_threads) = self.thread_facts(addresses);
        if self.has_automatic_traces() {
            traces.insert(0, StackTrace { serial: self.empty_trace(), thread: Serial(0), frames: [].into() });
        }
        for (trace, classes) in &self.traces {
            let frames = trace.frames.iter().zip(classes).map(|(frame, class)| StackFrame {
                class: class.map(|class| addresses.address(class.into())).or(frame.class),
                ..frame.clone()
            });
            traces.push(StackTrace { frames: frames.collect(), ..trace.clone() });
        }
        for (thread, object) in &self.bare_threads {
            threads.push(Thread { object: addresses.address(*object), ..thread.clone() });
        }
        let root = |kind, object, after| Root { object: addresses.address(object), kind, after };
        let mut roots = Vec::new();
        if self.settings.world {
            // Not of arrays: so does HotSpot (heapDumper.cpp, StickyClassDumper).
            let is_root = |class: &ClassId| {
                self.loader_of(*class) == ReferenceTarget::Null
                    && !self.classes[class.0].is_absent
                    && self.kind(*class) == ObjectKind::Instance
            };
            let boot = (0..self.classes.len()).map(ClassId).filter(is_root);
            roots.extend(boot.map(|class| root(RootKind::StickyClass, class.into(), None)));
        }
        roots.extend(of_threads.into_iter().map(|(kind, object)| root(kind, object, None)));
        roots.extend(self.roots.iter().map(|given| root(given.kind, given.object, given.after)));
        Surroundings {
            roots: Some(roots),
            threads: Some(threads),
            traces: Some(traces),
            regions: Some(self.regions.clone()),
            events: self.events.clone(),
            times: self.times,
        }
    }
}

fn known_hash(fact: Option<HashFact>) -> Option<IdentityHash> {
    match fact {
        Some(HashFact::Known(hash)) => Some(hash),
        Some(HashFact::Absent) | None => None,
    }
}

/// A heap that was built: classes and single objects in memory, and repeated parts that are computed.
#[derive(Debug)]
pub struct BuiltHeap {
    facts: Facts,
    classes: Vec<Class>,
    surroundings: Surroundings,
    addresses: Arc<AddressTable>,
    empty_trace: Option<Serial>,
    ascends: bool,
    segments: Option<u64>,
    heap: HeapBuilder,
}

impl BuiltHeap {
    /// The heap, whose dumps are to have that many segments where their format has any.
    #[must_use]
    pub fn with_segments(self, segments: Option<u64>) -> BuiltHeap {
        BuiltHeap { segments, ..self }
    }

    /// The number of objects.
    pub fn object_count(&self) -> u64 {
        let of_repeat =
            |repeat: &BuiltRepeat| repeat.unit.count * (repeat.unit.members.len() + 2 * repeat.unit.texts.len()) as u64;
        self.heap.objects.len() as u64 + self.heap.repeats.iter().map(of_repeat).sum::<u64>()
    }

    /// Whether nothing was given of a facet: what the heap has of it follows from its settings and from other facts, so that a dump
    /// without it loses nothing.
    pub fn is_automatic(&self, facet: Facet) -> bool {
        let heap = &self.heap;
        let no_class = |gives: fn(&BuiltClass) -> bool| !heap.classes.iter().any(gives);
        let no_object = |gives: fn(&BuiltObject) -> bool| !heap.objects.iter().any(gives);
        let is_said = |target: Option<ReferenceTarget>| target.is_some_and(|target| target != ReferenceTarget::Null);
        match facet {
            Facet::WordSize | Facet::RecordOrder | Facet::RootOrder | Facet::ReferenceOrder | Facet::StringText => true,
            Facet::VersionText => self.facts.version_text == Some(Name::from_text(VERSION_TEXT)),
            Facet::NullReferences => self.facts.null_references.is_none(),
            Facet::Interfaces => no_class(|class| !class.interfaces.is_empty()),
            Facet::Loader => no_class(|class| class.loader != ReferenceTarget::Null),
            Facet::Signers => !heap.classes.iter().any(|class| is_said(class.facts.signers)),
            Facet::ProtectionDomain => !heap.classes.iter().any(|class| is_said(class.facts.domain)),
            Facet::InstanceSize => no_class(|class| class.facts.size.is_some()),
            Facet::ClassObjectSize => no_class(|class| class.facts.class_size.is_some()),
            Facet::ClassSerial => no_class(|class| class.facts.serial.is_some()),
            Facet::ClassTrace => no_class(|class| class.facts.trace.is_some()),
            Facet::ObjectSize => no_object(|object| object.facts.size.is_some()),
            Facet::ObjectTrace => no_object(|object| object.facts.trace.is_some()),
            Facet::StackTraces => heap.threads.is_empty() && heap.traces.is_empty(),
            Facet::Roots | Facet::RootObjects => heap.threads.is_empty() && heap.roots.is_empty(),
            _ => false,
        }
    }

    /// Whether all roots of a kind, by its name, are there without having been given.
    pub fn has_only_automatic_roots(&self, kind: &str) -> bool {
        kind == RootKind::StickyClass.form().name && !self.heap.roots.iter().any(|root| root.kind.form().name == kind)
    }

    fn finished_object(&self, number: usize) -> Object {
        let built = &self.heap.objects[number];
        let (facts, kind) = (&built.facts, self.heap.kind(built.class));
        let is_absent = self.heap.classes[built.class.0].is_absent;
        let class = facts.class.or_else(|| (!is_absent).then_some(built.class.into()));
        let contents = match (&facts.references, &facts.raw, &built.contents) {
            (Some(listed), _, _) => Contents::References(listed.iter().map(|to| self.addresses.address(*to)).collect()),
            (_, Some(raw), _) => Contents::Raw(raw.clone()),
            _ if facts.length.is_some() => Contents::Unknown,
            (_, _, BuiltContents::Fields(values)) => {
                Contents::Fields(values.iter().map(|value| self.addresses.value(*value)).collect())
            }
            (_, _, BuiltContents::Elements(elements)) => {
                Contents::Elements(elements.iter().map(|to| self.addresses.address(*to)).collect())
            }
            (_, _, BuiltContents::Primitives(bytes)) => Contents::Primitives(bytes.clone()),
        };
        Object {
            class: class.map(|class| self.addresses.address(class)),
            class_name: facts.class_name.clone(),
            class_word: facts.class_word.map(|word| self.addresses.address(word)),
            size: Some(ByteLen(self.heap.object_bytes(built))),
            hash: known_hash(facts.hash),
            length: built.length(kind),
            contents,
            trace: facts.trace.or(self.empty_trace),
            ..Object::new(Address(self.addresses.objects[number]), kind)
        }
    }

    /// Calls `visit` with the objects of a repeated part.
    fn visit_repeat(&self, number: usize, visit: &mut VisitObjects<'_>) -> Result<(), Error> {
        let (repeat, place) = (&self.heap.repeats[number], &self.addresses.repeats[number]);
        let shapes: Vec<MemberShape> =
            repeat.unit.members.iter().map(|member| MemberShape::new(*member, &self.heap)).collect();
        for turn in 0..repeat.unit.count {
            let base = place.base + place.turn * turn;
            let mut texts = TurnTexts {
                heap: self,
                next: base + shapes.iter().map(|shape| shape.bytes).sum::<u64>(),
                objects: Vec::new(),
            };
            for (member, shape) in shapes.iter().enumerate() {
                let unit = &repeat.unit;
                let contents = (unit.fill)(member, turn).and_then(|given| shape.contents(given, &mut texts));
                let contents = contents.map_err(|error| error.in_turn(turn, unit.places.get(member).copied()))?;
                let object = Object {
                    class: Some(self.addresses.address(shape.class.into())),
                    size: Some(ByteLen(shape.bytes)),
                    length: shape.length,
                    contents,
                    trace: self.empty_trace,
                    ..Object::new(Address(base + place.members[member]), shape.kind)
                };
                visit(&object)?;
            }
            texts.objects.iter().try_for_each(&mut *visit)?;
        }
        Ok(())
    }
}

/// A member of a repeated part, with all that its turns have in common.
#[derive(Debug)]
struct MemberShape {
    class: ClassId,
    kind: ObjectKind,
    bytes: u64,
    length: Option<u64>,
    layout: Vec<FieldType>,
    blank: Vec<BuiltValue>,
}

impl MemberShape {
    fn new(member: UnitMember, heap: &HeapBuilder) -> MemberShape {
        let (class, length) = match member {
            UnitMember::Instance(class) => (class, None),
            UnitMember::Array(class, length) => (class, Some(length)),
        };
        MemberShape {
            class,
            kind: heap.kind(class),
            bytes: heap.member_bytes(member),
            length,
            layout: heap.layout(class),
            blank: heap.blank_values(class),
        }
    }

    /// The contents in one turn.
    fn contents(&self, contents: MemberContents, texts: &mut TurnTexts<'_>) -> Result<Contents, BuildError> {
        let length = self.length.unwrap_or_default() as usize;
        let has_room = |given: usize| match given <= length {
            true => Ok(()),
            false => Err(BuildError::new(format!("{given} elements in an array of {length}"))),
        };
        match (contents, self.kind) {
            (MemberContents::Fields(given), ObjectKind::Instance) => {
                let mut values: Vec<Value> =
                    self.blank.iter().map(|value| texts.heap.addresses.value(*value)).collect();
                for (place, input) in given {
                    values[place] = match self.layout[place] {
                        FieldType::Primitive(kind) => Value::primitive(kind, input.primitive_bits(kind)?),
                        FieldType::Object => Value::reference(texts.target(input)?),
                    };
                }
                Ok(Contents::Fields(values))
            }
            (MemberContents::Elements(given), ObjectKind::ObjectArray) => {
                has_room(given.len())?;
                let mut elements = vec![Address::NULL; length];
                for (element, input) in elements.iter_mut().zip(given) {
                    *element = texts.target(input)?;
                }
                Ok(Contents::Elements(elements))
            }
            (MemberContents::Elements(given), ObjectKind::PrimitiveArray(kind)) => {
                has_room(given.len())?;
                let size = kind.size() as usize;
                let mut bytes = Vec::with_capacity(length * size);
                for input in given {
                    bytes.extend(&input.primitive_bits(kind)?.to_be_bytes()[8 - size..]);
                }
                bytes.resize(length * size, 0);
                Ok(Contents::Primitives(bytes))
            }
            (MemberContents::Bytes(bytes), ObjectKind::PrimitiveArray(kind)) => {
                has_room(bytes.len() / kind.size() as usize)?;
                let mut bytes = bytes;
                bytes.resize(length * kind.size() as usize, 0);
                Ok(Contents::Primitives(bytes))
            }
            _ => Err(BuildError::new("the contents are none of the object's kind")),
        }
    }
}

/// The Strings of one turn, with their arrays, after the turn's members.
struct TurnTexts<'h> {
    heap: &'h BuiltHeap,
    next: u64,
    objects: Vec<Object>,
}

impl TurnTexts<'_> {
    fn target(&mut self, input: FieldInput) -> Result<Address, BuildError> {
        match input {
            FieldInput::Reference(target) => Ok(self.heap.addresses.address(target)),
            FieldInput::Text(text) | FieldInput::Computed(text) => {
                self.string(&text.encode_utf16().collect::<Vec<u16>>())
            }
            FieldInput::Units(units) => self.string(&units),
            other => Err(BuildError::new(format!("{} is not boxed in a repeated part", other.shown()))),
        }
    }

    fn string(&mut self, units: &[u16]) -> Result<Address, BuildError> {
        let builder = &self.heap.heap;
        let class = |name: &str| builder.by_name.get(&Name::from(name)).and_then(|known| known.first()).copied();
        let (element, bytes, coder) = builder.text_contents(units);
        let array_class = class(&format!("[{}", element.signature()));
        let (Some(string_class), Some(array_class)) = (class("java/lang/String"), array_class) else {
            return Err(BuildError::new("the heap has no java.lang.String"));
        };
        let length = bytes.len() as u64 / element.size();
        let kind = ObjectKind::PrimitiveArray(element);
        let string_bytes = builder.instance_bytes(string_class);
        let array_bytes = builder.settings.array_bytes(kind, length);
        let (string, array) = (self.next, self.next + string_bytes);
        self.next = array + array_bytes;
        let mut values = builder.blank_values(string_class);
        let fields = [
            ("value", BuiltValue::Reference(ReferenceTarget::Address(Address(array)))),
            ("coder", BuiltValue::Primitive(PrimitiveType::Byte, coder)),
            ("count", BuiltValue::Primitive(PrimitiveType::Int, units.len() as u64)),
        ];
        for (field, value) in fields {
            if let Ok((place, _)) = builder.field_place(string_class, field) {
                values[place] = value;
            }
        }
        let addresses = &self.heap.addresses;
        let values = values.into_iter().map(|value| addresses.value(value)).collect();
        let object = |address, class: ClassId, bytes, kind, length, contents| Object {
            class: Some(addresses.address(class.into())),
            size: Some(ByteLen(bytes)),
            length,
            contents,
            trace: self.heap.empty_trace,
            ..Object::new(Address(address), kind)
        };
        self.objects.push(object(
            string,
            string_class,
            string_bytes,
            ObjectKind::Instance,
            None,
            Contents::Fields(values),
        ));
        self.objects.push(object(array, array_class, array_bytes, kind, Some(length), Contents::Primitives(bytes)));
        Ok(Address(string))
    }
}

impl HeapSource for BuiltHeap {
    fn facts(&self) -> &Facts {
        &self.facts
    }

    fn classes(&self) -> &[Class] {
        &self.classes
    }

    fn surroundings(&self) -> &Surroundings {
        &self.surroundings
    }

    fn visit_objects(&mut self, visit: &mut VisitObjects<'_>) -> Result<(), Error> {
        let mut repeats = 0;
        for number in 0..=self.heap.objects.len() {
            while self.heap.repeats.get(repeats).is_some_and(|repeat| repeat.after <= number) {
                self.visit_repeat(repeats, visit)?;
                repeats += 1;
            }
            if number < self.heap.objects.len() {
                visit(&self.finished_object(number))?;
            }
        }
        Ok(())
    }

    fn ascends(&self) -> bool {
        self.ascends
    }

    fn segments(&self) -> Option<u64> {
        self.segments
    }
}
