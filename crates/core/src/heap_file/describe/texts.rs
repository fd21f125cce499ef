//! Strings whose layout is the library's own, which a heap file gives by their texts.

use foldhash::{HashMap, HashMapExt};

use crate::builder::{decode_text, encode_text};
use crate::generate::Library;
use crate::model::{Address, Contents, FieldType, Object, ObjectKind, PrimitiveType, Value};

use super::names::{HeapNames, array_class};
use super::notation::spell_units;
use super::sizes::AutomaticSizes;
use super::table::{FieldKey, FieldSlot, HeapTable};

/// The layout of the heap's Strings, as the builder lays them out for a library.
#[derive(Clone, Debug)]
struct StringLayout {
    /// The class `java.lang.String`.
    class: usize,
    /// The class of the arrays.
    array: usize,
    library: Library,
    slots: Vec<FieldSlot>,
    value: usize,
    coder: Option<usize>,
    count: Option<usize>,
    hash: Option<usize>,
}

/// The way in which a String is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TextForm {
    /// In the place of its only reference.
    InPlace,
    /// As a node of its own, with its hash where it has one.
    Node { hash: u32 },
    /// As a part of its String.
    Array,
}

/// The Strings of a heap that are written by their texts, and their arrays.
#[derive(Debug, Default)]
pub(super) struct RecognisedTexts {
    layout: Option<StringLayout>,
    /// By the places of the objects.
    forms: HashMap<usize, TextForm>,
}

impl RecognisedTexts {
    pub(super) fn new(table: &HeapTable<'_>, names: &HeapNames, sizes: &AutomaticSizes) -> RecognisedTexts {
        let Some(layout) = StringLayout::of_heap(table) else { return RecognisedTexts::default() };
        let uses = ReferenceUses::new(table);
        let mut forms = HashMap::new();
        for (place, object) in table.heap.objects.iter().enumerate() {
            let Some((array, hash)) = layout.recognise(table, sizes, object) else { continue };
            let array = &table.heap.objects[array];
            if names.class(layout.class).text != "java.lang.String" || uses.count(array.address) != 1 {
                continue;
            }
            let is_single = uses.is_single_value(object.address) && hash == 0;
            forms.insert(place, if is_single { TextForm::InPlace } else { TextForm::Node { hash } });
            forms.extend(table.object_at(array.address).map(|array| (array, TextForm::Array)));
        }
        let layout = Some(layout).filter(|_| !forms.is_empty());
        RecognisedTexts { layout, forms }
    }

    /// The library that lays Strings out as the heap does: any, if the heap has no String.
    pub(super) fn library(&self) -> Library {
        self.layout.as_ref().map(|layout| layout.library).unwrap_or_default()
    }

    /// The way in which an object is written, if it is part of a String that is given by its text.
    pub(super) fn form(&self, object: usize) -> Option<TextForm> {
        self.forms.get(&object).copied()
    }

    /// The text in the place of a reference.
    pub(super) fn spell_in_place(&self, table: &HeapTable<'_>, to: Address) -> Option<String> {
        let string = table.object_at(to).filter(|object| self.form(*object) == Some(TextForm::InPlace))?;
        self.spell(table, string)
    }

    /// The text of a String that is given by it.
    pub(super) fn spell(&self, table: &HeapTable<'_>, string: usize) -> Option<String> {
        let (units, _) = self.layout.as_ref()?.units(table, &table.heap.objects[string])?;
        Some(spell_units(&units))
    }
}

/// The number of references to each address, and whether they are values of fields and elements alone.
#[derive(Debug, Default)]
struct ReferenceUses(HashMap<Address, (u32, bool)>);

impl ReferenceUses {
    fn new(table: &HeapTable<'_>) -> ReferenceUses {
        let mut uses = ReferenceUses::default();
        for object in &table.heap.objects {
            let is_value = !matches!(object.contents, Contents::References(_));
            object.references().for_each(|to| uses.add(to, is_value));
            object.class.iter().chain(&object.class_word).for_each(|to| uses.add(*to, false));
        }
        for class in &table.heap.classes {
            let mut class = class.clone();
            crate::model::visit::class(&mut class, &mut |to| uses.add(*to, false));
        }
        let mut around = table.heap.surroundings.clone();
        crate::model::visit::surroundings(&mut around, &mut |to| uses.add(*to, false));
        uses
    }

    fn add(&mut self, to: Address, is_value: bool) {
        let entry = self.0.entry(to).or_insert((0, true));
        *entry = (entry.0.saturating_add(1), entry.1 && is_value);
    }

    fn count(&self, to: Address) -> u32 {
        self.0.get(&to).map_or(0, |entry| entry.0)
    }

    fn is_single_value(&self, to: Address) -> bool {
        self.0.get(&to) == Some(&(1, true))
    }
}

impl StringLayout {
    /// The layout of the heap's only class `java.lang.String`, if a library has it.
    fn of_heap(table: &HeapTable<'_>) -> Option<StringLayout> {
        let class = table.class_named(&"java/lang/String".into())?;
        let slots = table.slots(class);
        let place =
            |name: &str| slots.iter().position(|slot| matches!(&slot.key, FieldKey::Property(key) if key == name));
        let value = place("value").filter(|value| slots[*value].kind == FieldType::Object)?;
        let is_android = slots.iter().any(|slot| slot.is_class);
        let element = match is_android || place("coder").is_none() {
            true => PrimitiveType::Char,
            false => PrimitiveType::Byte,
        };
        let array = table.class_named(&format!("[{}", element.signature()).as_str().into())?;
        let is_boot = table.heap.classes[array].loader.unwrap_or_default().is_null();
        let library = match () {
            () if is_android => Library::Android,
            () if element == PrimitiveType::Char && place("offset").is_some() => Library::Jdk6,
            () if element == PrimitiveType::Char => Library::Jdk8,
            () => Library::default(),
        };
        let (coder, count, hash) = (place("coder"), place("count"), place("hash"));
        is_boot.then_some(StringLayout { class, array, library, slots, value, coder, count, hash })
    }

    /// The array and the hash of a String that the builder would make just so from its text.
    fn recognise(&self, table: &HeapTable<'_>, sizes: &AutomaticSizes, string: &Object) -> Option<(usize, u32)> {
        let heap = table.heap;
        let is_string = string.kind == ObjectKind::Instance && string.class == Some(heap.classes[self.class].address);
        let Contents::Fields(values) = &string.contents else { return None };
        if !is_string || values.len() != self.slots.len() {
            return None;
        }
        let (units, array_place) = self.units(table, string)?;
        let array = &heap.objects[array_place];
        let (_, bytes, coder) = encode_text(self.library, &units);
        let hash = self.hash.map_or(0, |hash| values[hash].bits);
        let is_expected = |place: usize, value: &Value| {
            let slot = &self.slots[place];
            let is_primitive = slot.kind != FieldType::Object;
            let bits = match place {
                _ if place == self.value => array.address.0,
                _ if Some(place) == self.coder && is_primitive => coder,
                _ if Some(place) == self.count && is_primitive => units.len() as u64,
                _ if Some(place) == self.hash && is_primitive => hash,
                _ if slot.is_class => heap.classes[self.class].address.0,
                _ => 0,
            };
            value.kind == slot.kind && value.bits == bits
        };
        let is_bare = |object: &Object, class: usize| {
            object.hash.is_none()
                && object.class_word.is_none()
                && object.class_name.is_none()
                && object.size.is_none_or(|size| size == sizes.object_size(object, Some(class)))
                && object.trace.is_none_or(|trace| table.is_empty_trace(trace))
        };
        let is_own = array.contents == Contents::Primitives(bytes)
            && array.class.is_some()
            && array_class(table, array) == Some(self.array)
            && values.iter().enumerate().all(|(place, value)| is_expected(place, value))
            && is_bare(string, self.class)
            && is_bare(array, self.array);
        is_own.then_some((array_place, hash as u32))
    }

    /// The UTF-16 code units of a String, and the place of its array.
    fn units(&self, table: &HeapTable<'_>, string: &Object) -> Option<(Vec<u16>, usize)> {
        let Contents::Fields(values) = &string.contents else { return None };
        let array = table.object_at(values.get(self.value)?.as_reference()?)?;
        let Contents::Primitives(bytes) = &table.heap.objects[array].contents else { return None };
        let coder = self.coder.and_then(|coder| Some(values.get(coder)?.bits));
        let units = decode_text(self.library, bytes, coder);
        Some((units, array))
    }
}
