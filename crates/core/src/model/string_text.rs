//! The texts of strings: no dump records them, they follow from the fields of each `java.lang.String` and from the array with its
//! characters.
//!
//! | writer | array | fields besides |
//! |---|---|---|
//! | JDK 9 and later, native images | `byte[]` | `coder`: 0 for ISO 8859-1, 1 for UTF-16 in the byte order of the machine |
//! | JDK 7 and 8 | `char[]` | |
//! | up to JDK 6, Android up to 5 | `char[]` | `offset`, `count`: the part of the array |
//! | Android 6 and later | `char[]`, or `byte[]` where all characters are ASCII | `count`, which dumps have as the number of characters, and ART itself twice, plus 1 where the array is of `char` |

use std::borrow::Cow;
use std::ops::Range;

use foldhash::{HashMap, HashMapExt, HashSet};

use crate::error::Error;

use super::{
    Address, Class, Contents, Facts, FieldType, Heap, HeapSource, Name, Object, ObjectKind, PiecewiseContents,
    PrimitiveType, Surroundings, VisitObjects,
};

/// The byte order of UTF-16 in an array of bytes: that of the machine on which the JVM ran.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Utf16Order {
    /// The low byte first: x86, AArch64.
    #[default]
    LittleEndian,
    /// The high byte first: s390x, PowerPC.
    BigEndian,
}

impl Utf16Order {
    /// The order that a heap tells: `java.lang.StringUTF16` has the shifts of the first and of the second byte in static fields. Both
    /// are 0 where the class is not initialised.
    pub fn told_by(classes: &[Class]) -> Option<Utf16Order> {
        let wanted = Name::from_text("java/lang/StringUTF16");
        let shift = |class: &Class, name: &str| {
            let name = Name::from_text(name);
            let int = FieldType::Primitive(PrimitiveType::Int);
            let found = class.statics.iter().flatten().find(|field| field.name == name && field.value.kind == int);
            found.map(|field| field.value.bits)
        };
        let of_class = |class: &Class| match (shift(class, "HI_BYTE_SHIFT")?, shift(class, "LO_BYTE_SHIFT")?) {
            (8, 0) => Some(Utf16Order::BigEndian),
            (0, 8) => Some(Utf16Order::LittleEndian),
            _ => None,
        };
        let mut told = classes.iter().filter(|class| class.name.to_jvm_form() == wanted).filter_map(of_class);
        let first = told.next()?;
        told.all(|other| other == first).then_some(first)
    }

    fn units(self, bytes: &[u8]) -> Vec<u16> {
        let unit = match self {
            Utf16Order::LittleEndian => u16::from_le_bytes,
            Utf16Order::BigEndian => u16::from_be_bytes,
        };
        bytes.as_chunks::<2>().0.iter().map(|pair| unit(*pair)).collect()
    }
}

/// The places of the fields of strings among the values of an instance. A reference has no place for a number, and the other way
/// round.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct StringFields {
    /// The array.
    value: Option<usize>,
    /// The fields of a [`StringPart`].
    part: [Option<usize>; 3],
}

/// The fields of a string that say which part of its array it is, and its encoding, as far as its class has them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct StringPart {
    coder: Option<u64>,
    count: Option<u64>,
    offset: Option<u64>,
}

impl StringFields {
    /// The places in a class; `None` if it is not `java.lang.String`.
    pub(crate) fn of_class(class: &Class) -> Option<StringFields> {
        if class.name.to_jvm_form() != Name::from_text("java/lang/String") {
            return None;
        }
        let place = |name: &str, is_reference: bool| {
            let name = Name::from_text(name);
            let is_meant = |kind: FieldType| (kind == FieldType::Object) == is_reference;
            class.fields.iter().flatten().position(|field| is_meant(field.kind) && field.name == name)
        };
        let part = ["coder", "count", "offset"].map(|name| place(name, false));
        Some(StringFields { value: place("value", true), part })
    }

    /// The part of the array that a string is.
    pub(crate) fn part(&self, string: &Object) -> StringPart {
        let values = if let Contents::Fields(values) = &string.contents { &values[..] } else { &[] };
        let [coder, count, offset] = self.part.map(|place| values.get(place?).map(|value| value.bits));
        StringPart { coder, count, offset }
    }

    /// The array of a string; null where it has none.
    fn array(&self, string: &Object) -> Option<Address> {
        let Contents::Fields(values) = &string.contents else { return None };
        values.get(self.value?)?.as_reference()
    }
}

impl StringPart {
    /// The elements that are the text, of an array of this many; `None` if they are not all there.
    fn range(&self, length: u64) -> Option<Range<u64>> {
        let (offset, whole) = (self.offset.unwrap_or(0), 0..length);
        let Some(count) = self.count else { return (offset <= length).then_some(offset..length) };
        match offset.checked_add(count) {
            Some(end) if end <= length => Some(offset..end),
            // As ART keeps it.
            _ if offset == 0 && count >> 1 == length => Some(whole),
            _ => None,
        }
    }

    /// The bytes that are the text, of an array with this many; `None` if it cannot be told.
    pub(crate) fn byte_range(&self, element: PrimitiveType, bytes: u64) -> Option<Range<u64>> {
        let size = element.size();
        let Range { start, end } = self.range(bytes / size)?;
        let is_known = match (element, self.coder) {
            (PrimitiveType::Char | PrimitiveType::Byte, None) => true,
            // No writer counts characters beside a coder, and what it would count is not known.
            (PrimitiveType::Byte, Some(0)) => (start, end) == (0, bytes),
            (PrimitiveType::Byte, Some(1)) => (start, end) == (0, bytes) && bytes.is_multiple_of(2),
            _ => false,
        };
        is_known.then_some(start * size..end * size)
    }

    /// The UTF-16 code units of the bytes of a text, or of a part of them; `None` if it cannot be told.
    pub(crate) fn decode(&self, element: PrimitiveType, bytes: &[u8], order: Utf16Order) -> Option<Vec<u16>> {
        let narrow = || bytes.iter().map(|byte| u16::from(*byte)).collect();
        match (element, self.coder) {
            (PrimitiveType::Char, _) => Some(Utf16Order::BigEndian.units(bytes)),
            (_, Some(1)) => Some(order.units(bytes)),
            (_, Some(_)) => Some(narrow()),
            // Of bytes without a coder only ASCII is known to be written.
            (_, None) => bytes.is_ascii().then(narrow),
        }
    }

    /// The UTF-16 code units of the text in an array; `None` if it cannot be told.
    fn units(&self, element: PrimitiveType, bytes: &[u8], order: Utf16Order) -> Option<Vec<u16>> {
        let Range { start, end } = self.byte_range(element, bytes.len() as u64)?;
        self.decode(element, bytes.get(start as usize..end as usize)?, order)
    }

    /// Whether the text of an array of bytes depends on their order.
    fn depends_on_order(&self, element: PrimitiveType, bytes: &[u8]) -> bool {
        let is_wide = (element, self.coder) == (PrimitiveType::Byte, Some(1));
        is_wide
            && self.units(element, bytes, Utf16Order::LittleEndian) != self.units(element, bytes, Utf16Order::BigEndian)
    }
}

/// The texts of a heap's strings.
#[derive(Clone, Debug, Default)]
pub struct StringTexts {
    /// By the addresses of the strings, ascending.
    texts: Vec<(Address, Name)>,
    /// Whether one of them is another one in the other byte order.
    depends_on_order: bool,
}

impl StringTexts {
    /// The texts of a heap whose byte order is this one, where it records no other; `None` if they take more than about this
    /// number of bytes of memory. A string without an array has none, nor has one of several at its address, or whose array is one
    /// of several.
    ///
    /// # Errors
    /// An error of reading the objects.
    pub fn from_source(
        source: &mut dyn HeapSource,
        memory: u64,
        order: Utf16Order,
    ) -> Result<Option<StringTexts>, Error> {
        let told = Utf16Order::told_by(source.classes());
        let mut used = TextMemory { left: memory };
        let Some(StringList { strings, parts }) = StringList::from_source(source, &mut used)? else { return Ok(None) };
        let mut found = StringTexts::default();
        if strings.is_empty() {
            return Ok(Some(found));
        }
        // Beside each string its text; and whether an object at its array's address has been seen.
        let mut texts: Vec<(Option<Name>, bool)> = vec![(None, false); strings.len()];
        // The addresses of the strings, and whether an object has been seen at each, and another one.
        let mut own: Vec<(Address, bool, bool)> = strings.iter().map(|string| (string.address, false, false)).collect();
        own.sort_unstable_by_key(|(address, ..)| *address);
        let mut fits = true;
        source.visit_objects(&mut |object| {
            if let Ok(place) = own.binary_search_by_key(&object.address, |(address, ..)| *address) {
                own[place].2 = own[place].1;
                own[place].1 = true;
            }
            let first = strings.partition_point(|string| string.array < object.address);
            let count = strings[first..].iter().take_while(|string| string.array == object.address).count();
            let own = first..first + count;
            if !fits || own.is_empty() {
                return Ok(());
            }
            if texts[first].1 {
                // Of several objects at one address none is the array of the strings.
                texts[own].iter_mut().for_each(|(text, _)| *text = None);
                return Ok(());
            }
            texts[own.clone()].iter_mut().for_each(|(_, seen)| *seen = true);
            let ObjectKind::PrimitiveArray(element @ (PrimitiveType::Char | PrimitiveType::Byte)) = object.kind else {
                return Ok(());
            };
            let bytes = match &object.contents {
                Contents::Primitives(bytes) => Cow::Borrowed(&bytes[..]),
                Contents::Long(PiecewiseContents::Primitives(bytes)) if bytes.count() <= used.left => {
                    Cow::Owned(bytes.collect()?)
                }
                Contents::Long(PiecewiseContents::Primitives(_)) => {
                    fits = false;
                    return Ok(());
                }
                _ => return Ok(()),
            };
            let mut known: Option<(u32, Option<Name>)> = None;
            for place in own {
                let number = strings[place].part;
                let part = &parts[number as usize];
                let text = match known.take().filter(|(known, _)| *known == number) {
                    Some((_, text)) => text,
                    None => {
                        found.depends_on_order |= told.is_none() && part.depends_on_order(element, &bytes);
                        let units = part.units(element, &bytes, told.unwrap_or(order));
                        let text = units.map(|units| Name::from_units(&units));
                        // Parts of one array may be many.
                        fits = used.reserve(text.as_ref().map_or(0, |text| text.as_bytes().len() as u64));
                        text.filter(|_| fits)
                    }
                };
                if !fits {
                    break;
                }
                texts[place].0.clone_from(&text);
                known = Some((number, text));
            }
            Ok(())
        })?;
        if !fits {
            return Ok(None);
        }
        let all = strings.iter().zip(texts).filter_map(|(string, (text, _))| Some((string.address, text?)));
        let is_repeated = |address: &Address| {
            let place = own.binary_search_by_key(address, |(address, ..)| *address);
            place.is_ok_and(|place| own[place].2)
        };
        found.texts = all.filter(|(address, _)| !is_repeated(address)).collect();
        found.texts.sort_unstable_by_key(|(address, _)| *address);
        Ok(Some(found))
    }

    /// The text of a string.
    pub fn text(&self, object: &Object) -> Option<&Name> {
        if object.kind != ObjectKind::Instance {
            return None;
        }
        let place = self.texts.binary_search_by_key(&object.address, |(address, _)| *address).ok()?;
        self.texts.get(place).map(|(_, text)| text)
    }

    /// Whether no string has a text.
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    /// Whether a text is another one in the other byte order, and the heap does not record which it is.
    pub fn depends_on_order(&self) -> bool {
        self.depends_on_order
    }

    /// Gives each string of a heap its text.
    pub fn apply(&self, heap: &mut Heap) {
        for object in &mut heap.objects {
            if let Some(text) = self.text(object) {
                object.text = Some(text.clone());
            }
        }
    }
}

/// Memory that is left.
struct TextMemory {
    left: u64,
}

/// Bytes of memory for what is kept of a string besides the characters of its text.
const KEPT: u64 = 112;

impl TextMemory {
    /// Takes some bytes; `false` if there are fewer.
    fn reserve(&mut self, bytes: u64) -> bool {
        let left = self.left.checked_sub(bytes);
        self.left = left.unwrap_or(0);
        left.is_some()
    }
}

/// The strings of a heap that have an array and are alone at their addresses, by the addresses of their arrays.
struct StringList {
    strings: Vec<StringValue>,
    /// Different parts: mostly one or two.
    parts: Vec<StringPart>,
}

/// A string with its array.
#[derive(Clone, Copy)]
struct StringValue {
    address: Address,
    array: Address,
    /// The place of its part in a list of these.
    part: u32,
}

impl StringList {
    /// The strings of a heap; `None` where there is too little memory.
    ///
    /// # Errors
    /// An error of reading the objects.
    fn from_source(source: &mut dyn HeapSource, used: &mut TextMemory) -> Result<Option<StringList>, Error> {
        let mut classes: HashMap<Address, StringFields> = HashMap::new();
        for class in source.classes() {
            if let Some(fields) = StringFields::of_class(class).filter(|fields| fields.value.is_some()) {
                // Of several classes at one address none says how its instances are laid out.
                let known = classes.entry(class.address).or_insert(fields);
                if *known != fields {
                    *known = StringFields::default();
                }
            }
        }
        let mut found = StringList { strings: Vec::new(), parts: Vec::new() };
        if classes.is_empty() {
            return Ok(Some(found));
        }
        let (mut known, mut fits): (HashMap<StringPart, u32>, bool) = (HashMap::new(), true);
        source.visit_objects(&mut |object| {
            let is_instance = object.kind == ObjectKind::Instance && fits;
            let fields = object.class.filter(|_| is_instance).and_then(|class| classes.get(&class));
            if let Some((fields, array)) = fields.and_then(|fields| Some((fields, fields.array(object)?))) {
                let part = fields.part(object);
                let number = *known.entry(part).or_insert_with(|| {
                    found.parts.push(part);
                    found.parts.len() as u32 - 1
                });
                found.strings.push(StringValue { address: object.address, array, part: number });
                fits = used.reserve(KEPT);
            }
            Ok(())
        })?;
        if !fits {
            return Ok(None);
        }
        found.strings.sort_unstable_by_key(|string| string.address);
        let repeated: HashSet<Address> =
            found.strings.windows(2).filter(|two| two[0].address == two[1].address).map(|two| two[0].address).collect();
        found.strings.retain(|string| !string.array.is_null() && !repeated.contains(&string.address));
        found.strings.sort_unstable_by_key(|string| (string.array, string.part));
        Ok(Some(found))
    }
}

/// The addresses of the strings of a heap that have null in the place of their array.
pub fn strings_without_array(heap: &Heap) -> impl Iterator<Item = Address> {
    let of_class = |class: &Class| Some((class.address, StringFields::of_class(class)?));
    let classes: HashMap<Address, StringFields> = heap.classes.iter().filter_map(of_class).collect();
    let strings = heap.objects.iter().filter(move |object| {
        let fields = object.class.and_then(|class| classes.get(&class));
        fields.and_then(|fields| fields.array(object)) == Some(Address::NULL)
    });
    strings.map(|object| object.address)
}

/// The bytes of memory for the texts of a heap in memory: parts of one array may take more than the heap.
pub const HELD_TEXTS: u64 = 1 << 30;

/// A heap in memory with the texts of its strings. Of a heap that has some already, no more is worked out.
pub fn with_string_texts(heap: &Heap) -> Cow<'_, Heap> {
    if heap.objects.iter().any(|object| object.text.is_some()) {
        return Cow::Borrowed(heap);
    }
    // Objects in memory can be visited without an error.
    let texts = StringTexts::from_source(&mut &*heap, HELD_TEXTS, Utf16Order::default());
    match texts {
        Ok(Some(texts)) if !texts.is_empty() => {
            let mut heap = heap.clone();
            texts.apply(&mut heap);
            Cow::Owned(heap)
        }
        _ => Cow::Borrowed(heap),
    }
}

/// A heap whose strings have their texts, for those that have none of their own.
pub struct TextSource<'s> {
    source: &'s mut dyn HeapSource,
    texts: StringTexts,
}

impl<'s> TextSource<'s> {
    /// Wraps a heap.
    pub fn new(source: &'s mut dyn HeapSource, texts: StringTexts) -> TextSource<'s> {
        TextSource { source, texts }
    }
}

impl HeapSource for TextSource<'_> {
    fn facts(&self) -> &Facts {
        self.source.facts()
    }

    fn classes(&self) -> &[Class] {
        self.source.classes()
    }

    fn surroundings(&self) -> &Surroundings {
        self.source.surroundings()
    }

    fn visit_objects(&mut self, visit: &mut VisitObjects<'_>) -> Result<(), Error> {
        let texts = &self.texts;
        self.source.visit_objects(&mut |object| match texts.text(object) {
            Some(text) if object.text.is_none() => visit(&Object { text: Some(text.clone()), ..object.clone() }),
            _ => visit(object),
        })
    }

    fn ascends(&self) -> bool {
        self.source.ascends()
    }

    fn segments(&self) -> Option<u64> {
        self.source.segments()
    }
}

#[cfg(test)]
mod tests {
    use crate::model::{Field, Static, Value};

    use super::*;

    fn class(address: u64, name: &str, fields: &[(&str, FieldType)]) -> Class {
        let field = |(name, kind): &(&str, FieldType)| Field { name: (*name).into(), kind: *kind };
        let fields = fields.iter().map(field).collect();
        Class { address: Address(address), name: name.into(), fields: Some(fields), ..Class::default() }
    }

    /// `java.lang.String` of JDK 9.
    fn string_class() -> Class {
        let byte = FieldType::Primitive(PrimitiveType::Byte);
        class(0x10, "java/lang/String", &[("value", FieldType::Object), ("coder", byte)])
    }

    fn string(address: u64, array: u64, coder: u64) -> Object {
        Object {
            class: Some(Address(0x10)),
            contents: Contents::Fields(vec![
                Value::reference(Address(array)),
                Value::primitive(PrimitiveType::Byte, coder),
            ]),
            ..Object::new(Address(address), ObjectKind::Instance)
        }
    }

    fn array(address: u64, element: PrimitiveType, bytes: &[u8]) -> Object {
        let contents = Contents::Primitives(bytes.to_vec());
        Object { contents, ..Object::new(Address(address), ObjectKind::PrimitiveArray(element)) }
    }

    fn heap(classes: Vec<Class>, objects: Vec<Object>) -> Heap {
        Heap { classes, objects, ..Heap::default() }
    }

    fn texts(heap: &Heap) -> Vec<Option<String>> {
        let heap = with_string_texts(heap);
        heap.objects.iter().map(|object| object.text.as_ref().map(Name::to_string)).collect()
    }

    #[test]
    fn a_coder_says_how_bytes_are_encoded() {
        let bytes = array(0x200, PrimitiveType::Byte, b"\xe9\x20");
        let objects = vec![string(0x100, 0x200, 0), string(0x108, 0x200, 1), string(0x110, 0x200, 2), bytes];
        let expected = [Some("\u{e9} ".to_owned()), Some("\u{20e9}".to_owned()), None, None];
        assert_eq!(texts(&heap(vec![string_class()], objects)), expected);
    }

    #[test]
    fn one_of_several_objects_at_an_address_has_no_text() {
        let twice = |address| array(address, PrimitiveType::Byte, b"A");
        let objects = vec![string(0x100, 0x200, 0), twice(0x200), twice(0x200)];
        assert_eq!(texts(&heap(vec![string_class()], objects)), [None, None, None]);
        let objects = vec![string(0x100, 0x200, 0), string(0x100, 0x200, 0), twice(0x200)];
        assert_eq!(texts(&heap(vec![string_class()], objects)), [None, None, None]);
    }

    #[test]
    fn the_class_library_tells_the_byte_order_once_it_is_initialised() {
        let order = |shifts: [u64; 2]| {
            let shift = |(name, bits): (&str, u64)| Static {
                name: name.into(),
                value: Value::primitive(PrimitiveType::Int, bits),
            };
            let statics = ["HI_BYTE_SHIFT", "LO_BYTE_SHIFT"].into_iter().zip(shifts).map(shift).collect();
            Utf16Order::told_by(&[Class { statics: Some(statics), ..class(0x20, "java.lang.StringUTF16", &[]) }])
        };
        assert_eq!(order([8, 0]), Some(Utf16Order::BigEndian));
        assert_eq!(order([0, 8]), Some(Utf16Order::LittleEndian));
        assert_eq!(order([0, 0]), None);
        assert_eq!(Utf16Order::told_by(&[string_class()]), None);
    }

    #[test]
    fn texts_of_parts_of_one_array_take_no_more_memory_than_is_allowed() {
        let int = FieldType::Primitive(PrimitiveType::Int);
        let fields = [("value", FieldType::Object), ("offset", int), ("count", int)];
        let part = |number: u64| Object {
            class: Some(Address(0x10)),
            contents: Contents::Fields(vec![
                Value::reference(Address(8)),
                Value::primitive(PrimitiveType::Int, number),
                Value::primitive(PrimitiveType::Int, 1000 - number),
            ]),
            ..Object::new(Address(0x1000 + 8 * number), ObjectKind::Instance)
        };
        let mut objects: Vec<Object> = (0..1000).map(part).collect();
        objects.push(array(8, PrimitiveType::Char, &[0; 2000]));
        let heap = heap(vec![class(0x10, "java/lang/String", &fields)], objects);
        let within = |memory| StringTexts::from_source(&mut &heap, memory, Utf16Order::default()).expect("in memory");
        // Half a million characters, each of which takes two bytes.
        assert!(within(500_000).is_none());
        assert!(within(2_000_000).is_some_and(|texts| !texts.is_empty()));
    }
}
