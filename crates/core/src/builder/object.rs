//! Objects of a heap under construction: instances, arrays and strings.

use crate::generate::Library;
use crate::model::{FieldType, Name, ObjectKind, PrimitiveType};

use super::class::BuiltField;
use super::error::BuildError;
use super::facts::GivenObjectFacts;
use super::input::{BuiltValue, FieldInput, ReferenceTarget};
use super::{ClassId, HeapBuilder, ObjectId};

/// The inside of an object under construction.
#[derive(Clone, Debug)]
pub(crate) enum BuiltContents {
    /// Values in the order of the layout: the class's own fields first.
    Fields(Vec<BuiltValue>),
    Elements(Vec<ReferenceTarget>),
    /// Elements of a primitive array, big-endian.
    Primitives(Vec<u8>),
}

/// An object under construction.
#[derive(Clone, Debug)]
pub(super) struct BuiltObject {
    pub(super) class: ClassId,
    pub(super) contents: BuiltContents,
    pub(super) facts: GivenObjectFacts,
}

impl BuiltObject {
    /// The number of elements of an array.
    pub(super) fn length(&self, kind: ObjectKind) -> Option<u64> {
        match (&self.contents, kind) {
            _ if self.facts.length.is_some() || self.facts.references.is_some() => self.facts.length,
            (BuiltContents::Elements(elements), _) => Some(elements.len() as u64),
            (BuiltContents::Primitives(bytes), ObjectKind::PrimitiveArray(element)) => {
                Some(bytes.len() as u64 / element.size())
            }
            _ => None,
        }
    }
}

/// The array of a text in a library's String: its element type, its bytes and the coder.
pub(crate) fn encode_text(library: Library, units: &[u16]) -> (PrimitiveType, Vec<u8>, u64) {
    let element = library.text_element();
    let is_latin1 = units.iter().all(|unit| *unit < 0x100);
    match element {
        PrimitiveType::Byte if is_latin1 => (element, units.iter().map(|unit| *unit as u8).collect(), 0),
        // In the byte order of the machine: that of x86 and AArch64.
        PrimitiveType::Byte => (element, units.iter().flat_map(|unit| unit.to_le_bytes()).collect(), 1),
        _ => (element, units.iter().flat_map(|unit| unit.to_be_bytes()).collect(), 0),
    }
}

/// The UTF-16 code units in the array of a library's String with this coder.
pub(crate) fn decode_text(library: Library, bytes: &[u8], coder: Option<u64>) -> Vec<u16> {
    match (library.text_element(), coder) {
        (PrimitiveType::Byte, Some(1)) => {
            bytes.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect()
        }
        (PrimitiveType::Byte, _) => bytes.iter().map(|byte| (*byte).into()).collect(),
        _ => bytes.chunks_exact(2).map(|pair| u16::from_be_bytes([pair[0], pair[1]])).collect(),
    }
}

/// `ThreadLocal.HASH_INCREMENT`: successive hashes are spread over a table of any power of two.
pub(crate) const HASH_INCREMENT: u32 = 0x61c8_8647;

/// The most bytes of an array that is given by its length alone.
const LONGEST: u64 = 1 << 30;

impl HeapBuilder {
    /// An instance of a class, whose fields are zero or null.
    ///
    /// # Errors
    /// If it is an array class.
    pub fn object(&mut self, class: ClassId) -> Result<ObjectBuilder<'_>, BuildError> {
        let object = self.new_instance(class)?;
        Ok(ObjectBuilder { heap: self, object })
    }

    /// An instance of a class by its name.
    ///
    /// # Errors
    /// If there is no such class, or it is an array class.
    pub fn instance(&mut self, class: &str) -> Result<ObjectBuilder<'_>, BuildError> {
        let class = self.class_named(class)?;
        self.object(class)
    }

    /// An array of zeros or nulls.
    ///
    /// # Errors
    /// If the class is none of arrays, or there are more than a gibibyte of elements.
    pub fn array(&mut self, class: ClassId, length: u64) -> Result<ObjectBuilder<'_>, BuildError> {
        let contents = match self.kind(class) {
            ObjectKind::Instance => {
                return Err(BuildError::new(format!("{} is no class of arrays", self.class_name(class))));
            }
            kind => {
                let width = if let ObjectKind::PrimitiveArray(element) = kind { element.size() } else { 8 };
                if length.saturating_mul(width) > LONGEST {
                    return Err(BuildError::new(format!(
                        "{length} elements of {width} bytes are more than a gibibyte: `generate --shape array:N` has longer arrays"
                    )));
                }
                match kind {
                    ObjectKind::PrimitiveArray(_) => BuiltContents::Primitives(vec![0; (length * width) as usize]),
                    _ => BuiltContents::Elements(vec![ReferenceTarget::Null; length as usize]),
                }
            }
        };
        let object = self.add_object(class, contents);
        Ok(ObjectBuilder { heap: self, object })
    }

    /// Continues an object.
    pub fn edit(&mut self, object: ObjectId) -> ObjectBuilder<'_> {
        ObjectBuilder { heap: self, object }
    }

    /// A `java.lang.String` with an array of its own.
    ///
    /// # Errors
    /// If the heap has no such class.
    pub fn string(&mut self, text: &str) -> Result<ObjectId, BuildError> {
        let units: Vec<u16> = text.encode_utf16().collect();
        self.string_of_units(&units)
    }

    /// A `java.lang.String` of UTF-16 code units, with an array of its own.
    ///
    /// # Errors
    /// If the heap has no such class.
    pub fn string_of_units(&mut self, units: &[u16]) -> Result<ObjectId, BuildError> {
        let class = self.class_named("java.lang.String")?;
        let string = self.new_instance(class)?;
        self.set_text(string, units)?;
        Ok(string)
    }

    /// Gives a `java.lang.String` its text, with an array of its own.
    pub(crate) fn set_text(&mut self, string: ObjectId, units: &[u16]) -> Result<(), BuildError> {
        let (element, bytes, coder) = self.text_contents(units);
        let class = self.class_named(&format!("{}[]", element.keyword()))?;
        let array = self.add_object(class, BuiltContents::Primitives(bytes));
        self.set_text_array(string, array, units.len(), coder)
    }

    /// The array of a text: its element type, its bytes and the coder.
    pub(super) fn text_contents(&self, units: &[u16]) -> (PrimitiveType, Vec<u8>, u64) {
        encode_text(self.settings.library, units)
    }

    /// Gives a `java.lang.String` an array that is there already, such as another string's.
    ///
    /// # Errors
    /// If the object is no String, or the other one neither a String nor an array of its characters.
    pub fn share_text(&mut self, string: ObjectId, other: ObjectId) -> Result<(), BuildError> {
        let array = match self.text_array(other) {
            Some(array) => array,
            None => other,
        };
        let BuiltContents::Primitives(_) = self.objects[array.0].contents else {
            return Err(BuildError::new("array= takes a string, or an array of characters"));
        };
        let units = self.units_of_array(array, self.coder_of(other));
        let coder = self.coder_of(other).unwrap_or(0);
        self.set_text_array(string, array, units.len(), coder)
    }

    fn set_text_array(
        &mut self,
        string: ObjectId,
        array: ObjectId,
        length: usize,
        coder: u64,
    ) -> Result<(), BuildError> {
        self.set_value(string, "value", BuiltValue::Reference(array.into()))?;
        for (field, value) in [("coder", coder), ("count", length as u64)] {
            let class = self.objects[string.0].class;
            if let Ok((_, own)) = self.field_place(class, field)
                && let FieldType::Primitive(kind) = own.field.kind
            {
                self.set_value(string, field, BuiltValue::Primitive(kind, value))?;
            }
        }
        Ok(())
    }

    /// The array of a String.
    fn text_array(&self, string: ObjectId) -> Option<ObjectId> {
        match self.value_of(string, "value")? {
            BuiltValue::Reference(ReferenceTarget::Object(array)) if self.is_string(string) => Some(array),
            _ => None,
        }
    }

    fn coder_of(&self, string: ObjectId) -> Option<u64> {
        match self.value_of(string, "coder") {
            Some(BuiltValue::Primitive(_, coder)) => Some(coder),
            _ => None,
        }
    }

    fn units_of_array(&self, array: ObjectId, coder: Option<u64>) -> Vec<u16> {
        let BuiltContents::Primitives(bytes) = &self.objects[array.0].contents else { return Vec::new() };
        decode_text(self.settings.library, bytes, coder)
    }

    /// The UTF-16 code units of a String.
    pub(super) fn text_of(&self, string: ObjectId) -> Option<Vec<u16>> {
        let array = self.text_array(string)?;
        Some(self.units_of_array(array, self.coder_of(string)))
    }

    fn is_string(&self, object: ObjectId) -> bool {
        self.classes[self.objects[object.0].class.0].name == "java/lang/String".into()
    }

    /// Notes the hash in a String that was asked for it.
    pub(super) fn remember_hash(&mut self, string: ObjectId, hash: i32) -> Result<(), BuildError> {
        let class = self.objects[string.0].class;
        // A hash that is 0 is told apart from one that is not known, where the library has a field for it.
        if hash == 0 && self.field_place(class, "hashIsZero").is_ok() {
            return self.set_value(string, "hashIsZero", BuiltValue::Primitive(PrimitiveType::Boolean, 1));
        }
        self.set_value(string, "hash", BuiltValue::Primitive(PrimitiveType::Int, u64::from(hash as u32)))
    }

    /// The kind of the objects of a class.
    pub(super) fn kind(&self, class: ClassId) -> ObjectKind {
        ObjectKind::from_class_name(self.classes[class.0].name.to_jvm_form().as_bytes())
    }

    /// The kind of the objects of a class.
    pub(crate) fn object_kind(&self, class: ClassId) -> ObjectKind {
        self.kind(class)
    }

    /// The type of the elements of a class of arrays.
    pub(crate) fn element_type(&self, class: ClassId) -> FieldType {
        match self.kind(class) {
            ObjectKind::PrimitiveArray(element) => FieldType::Primitive(element),
            ObjectKind::ObjectArray | ObjectKind::Instance => FieldType::Object,
        }
    }

    /// Bytes of an element of a primitive array; 1 of any other class.
    pub(crate) fn element_bytes(&self, class: ClassId) -> u64 {
        match self.kind(class) {
            ObjectKind::PrimitiveArray(element) => element.size(),
            ObjectKind::ObjectArray | ObjectKind::Instance => 1,
        }
    }

    /// Whether each object of a class has a state that depends on those before it: collections and ThreadLocals.
    pub(crate) fn has_state_of_its_own(&self, class: ClassId) -> bool {
        self.layout_of_class(class).is_some() || self.is_thread_local(class)
    }

    fn is_thread_local(&self, class: ClassId) -> bool {
        self.settings.world
            && self.ancestry(class).any(|class| self.classes[class.0].name == "java/lang/ThreadLocal".into())
    }

    /// The values of a new object: zero or null, but for what the virtual machine sets.
    pub(super) fn blank_values(&self, class: ClassId) -> Vec<BuiltValue> {
        let mut values: Vec<BuiltValue> = self.layout(class).into_iter().map(BuiltValue::zero).collect();
        if self.settings.library == Library::Android
            && let Ok((place, _)) = self.field_place(class, "shadow$_klass_")
        {
            values[place] = BuiltValue::Reference(class.into());
        }
        values
    }

    pub(super) fn new_instance(&mut self, class: ClassId) -> Result<ObjectId, BuildError> {
        if self.kind(class) != ObjectKind::Instance {
            return Err(BuildError::new(format!("{} is a class of arrays", self.class_name(class))));
        }
        let values = self.blank_values(class);
        let object = self.add_object(class, BuiltContents::Fields(values));
        if self.is_thread_local(class) {
            let hash = self.thread_locals.wrapping_mul(HASH_INCREMENT);
            self.thread_locals += 1;
            self.set_value(object, "threadLocalHashCode", BuiltValue::Primitive(PrimitiveType::Int, hash.into()))?;
        }
        Ok(object)
    }

    pub(super) fn add_object(&mut self, class: ClassId, contents: BuiltContents) -> ObjectId {
        self.seal(class);
        let object = ObjectId(self.objects.len());
        self.objects.push(BuiltObject { class, contents, facts: GivenObjectFacts::default() });
        object
    }

    /// Sets a field whose value is of its type.
    pub(super) fn set_value(&mut self, object: ObjectId, field: &str, value: BuiltValue) -> Result<(), BuildError> {
        let (place, _) = self.field_place(self.objects[object.0].class, field)?;
        if let BuiltContents::Fields(values) = &mut self.objects[object.0].contents {
            values[place] = value;
        }
        Ok(())
    }

    /// The value of a field, if the object has one of that name.
    pub(super) fn value_of(&self, object: ObjectId, field: &str) -> Option<BuiltValue> {
        let built = &self.objects[object.0];
        let (place, _) = self.field_place(built.class, field).ok()?;
        match &built.contents {
            BuiltContents::Fields(values) => values.get(place).copied(),
            _ => None,
        }
    }

    /// The class of an object.
    pub fn class_of(&self, object: ObjectId) -> ClassId {
        self.objects[object.0].class
    }

    /// The facts of an object that are automatic unless they are given.
    pub fn object_facts(&mut self, object: ObjectId) -> &mut GivenObjectFacts {
        &mut self.objects[object.0].facts
    }

    /// Refuses the identifiers of another builder.
    pub(super) fn check_target(&self, target: ReferenceTarget) -> Result<(), BuildError> {
        let is_known = match target {
            ReferenceTarget::Object(object) => object.0 < self.objects.len(),
            ReferenceTarget::Class(class) => class.0 < self.classes.len(),
            ReferenceTarget::Null | ReferenceTarget::Address(_) | ReferenceTarget::Repeated(..) => true,
        };
        if is_known { Ok(()) } else { Err(BuildError::new("the object or class is one of another heap")) }
    }
}

/// An object that is being filled.
#[derive(Debug)]
pub struct ObjectBuilder<'h> {
    pub(super) heap: &'h mut HeapBuilder,
    pub(super) object: ObjectId,
}

impl ObjectBuilder<'_> {
    /// The object, to be named in later calls.
    pub fn id(self) -> ObjectId {
        self.object
    }

    /// Sets a field by its name, by the names of its class and its own (`shop.Base.id`), or as `name#2`, the second of that
    /// name in its class.
    ///
    /// # Errors
    /// If the class has no such field, or the value is not of its type.
    pub fn set(self, field: &str, value: impl Into<FieldInput>) -> Result<Self, BuildError> {
        let (place, own) = self.heap.field_place(self.heap.class_of(self.object), field)?;
        let value = self
            .heap
            .value(value.into(), own.field.kind, Some(&own.declared))
            .map_err(|error| BuildError::new(format!("{field}: {error}")))?;
        if let BuiltContents::Fields(values) = &mut self.heap.objects[self.object.0].contents {
            values[place] = value;
        }
        Ok(self)
    }

    /// Sets the first field of a name, by the bytes that it has in a dump.
    ///
    /// # Errors
    /// Like [`ObjectBuilder::set`].
    pub fn set_named(self, field: &Name, value: impl Into<FieldInput>) -> Result<Self, BuildError> {
        let (place, own) = self.heap.named_field(self.heap.class_of(self.object), field)?;
        let value = self.heap.value(value.into(), own.field.kind, Some(&own.declared))?;
        if let BuiltContents::Fields(values) = &mut self.heap.objects[self.object.0].contents {
            values[place] = value;
        }
        Ok(self)
    }

    /// Sets a field by its place among all values of the object, those of its own class first.
    ///
    /// # Errors
    /// If there are fewer, or the value is not of the field's type.
    pub fn set_place(self, place: usize, value: impl Into<FieldInput>) -> Result<Self, BuildError> {
        let class = self.heap.class_of(self.object);
        let fields: Vec<&BuiltField> =
            self.heap.ancestry(class).flat_map(|class| self.heap.classes[class.0].fields.iter()).collect();
        let Some(own) = fields.get(place).copied().cloned() else {
            let (name, count) = (self.heap.class_name(class), fields.len());
            return Err(BuildError::new(format!("no field {place} in {name}; there are {count}, numbered from 0")));
        };
        let value = self.heap.value(value.into(), own.field.kind, Some(&own.declared))?;
        if let BuiltContents::Fields(values) = &mut self.heap.objects[self.object.0].contents {
            values[place] = value;
        }
        Ok(self)
    }

    /// Sets an element of an array.
    ///
    /// # Errors
    /// If there is no such element, or the value is not of the array's type.
    pub fn set_element(self, place: u64, value: impl Into<FieldInput>) -> Result<Self, BuildError> {
        let value = value.into();
        let (class, index) = (self.heap.class_of(self.object), place as usize);
        let declared = self.heap.class_name(class);
        let declared = declared.strip_suffix("[]").unwrap_or(&declared).to_owned();
        let out_of_range = |length: usize| BuildError::new(format!("no element {place} in an array of {length}"));
        match self.heap.kind(class) {
            ObjectKind::PrimitiveArray(element) => {
                let bits = value.primitive_bits(element)?;
                let size = element.size() as usize;
                let BuiltContents::Primitives(bytes) = &mut self.heap.objects[self.object.0].contents else {
                    return Err(out_of_range(0));
                };
                let length = bytes.len() / size;
                let room = bytes.get_mut(index.saturating_mul(size)..).and_then(|rest| rest.get_mut(..size));
                let room = room.ok_or_else(|| out_of_range(length))?;
                room.copy_from_slice(&bits.to_be_bytes()[8 - size..]);
            }
            ObjectKind::ObjectArray => {
                let target = self.heap.target(value, Some(&declared))?;
                let BuiltContents::Elements(elements) = &mut self.heap.objects[self.object.0].contents else {
                    return Err(out_of_range(0));
                };
                let length = elements.len();
                *elements.get_mut(index).ok_or_else(|| out_of_range(length))? = target;
            }
            ObjectKind::Instance => {
                return Err(BuildError::new(format!("{} has no elements", self.heap.class_name(class))));
            }
        }
        Ok(self)
    }

    /// Sets the elements of a primitive array to bytes, each element big-endian.
    ///
    /// # Errors
    /// If it is no primitive array, or the bytes are no whole number of elements.
    pub fn set_bytes(self, bytes: Vec<u8>) -> Result<Self, BuildError> {
        let class = self.heap.class_of(self.object);
        let ObjectKind::PrimitiveArray(element) = self.heap.kind(class) else {
            return Err(BuildError::new(format!("{} is no array of primitives", self.heap.class_name(class))));
        };
        if !(bytes.len() as u64).is_multiple_of(element.size()) {
            return Err(BuildError::new(format!(
                "{} bytes are no whole number of elements of {} bytes",
                bytes.len(),
                element.size()
            )));
        }
        self.heap.objects[self.object.0].contents = BuiltContents::Primitives(bytes);
        Ok(self)
    }

    /// The facts that are automatic unless they are given.
    pub fn facts(&mut self) -> &mut GivenObjectFacts {
        self.heap.object_facts(self.object)
    }
}
