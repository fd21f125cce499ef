//! Strings whose layout is the library's own, which a heap file gives by their texts.

use foldhash::{HashMap, HashMapExt};

use crate::builder::{decode_text, encode_text, text_hash};
use crate::generate::Library;
use crate::heap_file::notation::spell_units;
use crate::model::{Address, Contents, FieldType, Object, ObjectKind, PrimitiveType, Value};

use super::names::{HeapNames, array_class};
use super::sizes::AutomaticSizes;
use super::table::{FieldKey, FieldSlot, HeapTable};
use super::uses::ReferenceUses;

/// The layout of the heap's Strings, as the builder lays them out for a library.
#[derive(Clone, Debug)]
pub(super) struct StringLayout {
    /// The class `java.lang.String`.
    pub(super) class: usize,
    /// The class of the arrays.
    array: usize,
    library: Library,
    slots: Vec<FieldSlot>,
    value: usize,
    coder: Option<usize>,
    count: Option<usize>,
    hash: Option<usize>,
    /// Whether the hash is known to be 0.
    hash_is_zero: Option<usize>,
}

/// The hash that a String has in its fields, once it was asked for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct KeptHash {
    pub(super) bits: u32,
    pub(super) is_zero: bool,
}

/// The way in which a String is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TextForm {
    /// In the place of its only reference.
    InPlace,
    /// As a node of its own, with its hash where it has one. Of several that have one array the first is named.
    Node { hash: KeptHash, array_of: Option<usize> },
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
    pub(super) fn new(
        table: &HeapTable<'_>,
        names: &HeapNames,
        sizes: &AutomaticSizes,
        uses: &ReferenceUses,
    ) -> RecognisedTexts {
        let layout = StringLayout::of_heap(table);
        let Some(layout) = layout.filter(|layout| names.class(layout.class).text == "java.lang.String") else {
            return RecognisedTexts::default();
        };
        // Strings by their arrays, in the order of their addresses.
        let mut of_array: HashMap<usize, Vec<(usize, KeptHash)>> = HashMap::new();
        for (place, object) in table.heap.objects.iter().enumerate() {
            if let Some((array, hash)) = layout.recognise(table, sizes, object) {
                of_array.entry(array).or_default().push((place, hash));
            }
        }
        let address = |place: usize| table.heap.objects[place].address;
        let mut forms = HashMap::new();
        for (array, mut strings) in of_array {
            if uses.count(address(array)) as usize != strings.len() {
                continue;
            }
            strings.sort_by_key(|(place, _)| address(*place));
            // The same bytes are another text with another coder.
            let units = |place: usize| layout.units(table, &table.heap.objects[place]).map(|(units, _)| units);
            if strings.len() > 1 && strings.iter().any(|(place, _)| units(*place) != units(strings[0].0)) {
                continue;
            }
            for (place, hash) in &strings {
                let is_single = uses.is_single_value(address(*place)) && *hash == KeptHash::default();
                let array_of = (strings.len() > 1).then_some(strings[0].0);
                let form = match is_single && array_of.is_none() {
                    true => TextForm::InPlace,
                    false => TextForm::Node { hash: *hash, array_of },
                };
                forms.insert(*place, form);
            }
            forms.insert(array, TextForm::Array);
        }
        RecognisedTexts { layout: Some(layout), forms }
    }

    /// The layout of the heap's Strings, if it is that of a library.
    pub(super) fn layout(&self) -> Option<&StringLayout> {
        self.layout.as_ref()
    }

    /// The library that lays Strings out as the heap does: any, if the heap has no String.
    pub(super) fn library(&self) -> Library {
        self.layout.as_ref().map(|layout| layout.library).unwrap_or_default()
    }

    /// Writes a String in the place of its only reference, as the key of a map that asks it for the hash that it has.
    pub(super) fn put_in_place(&mut self, string: usize) {
        if let Some(form @ TextForm::Node { array_of: None, .. }) = self.forms.get_mut(&string) {
            *form = TextForm::InPlace;
        }
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
        let hash_is_zero = place("hashIsZero");
        is_boot.then_some(StringLayout { class, array, library, slots, value, coder, count, hash, hash_is_zero })
    }

    /// The hash that a String keeps in its fields.
    fn kept_hash(&self, values: &[Value]) -> KeptHash {
        let bits = |place: Option<usize>| place.and_then(|place| values.get(place)).map_or(0, |value| value.bits);
        KeptHash { bits: bits(self.hash) as u32, is_zero: bits(self.hash_is_zero) == 1 }
    }

    /// The hash of a String's text, if the String keeps it as one does that was asked for it.
    pub(super) fn asked_hash(&self, table: &HeapTable<'_>, string: &Object, units: &[u16]) -> Option<i32> {
        let Contents::Fields(values) = &string.contents else { return None };
        let hash = text_hash(units);
        let asked = KeptHash { bits: hash as u32, is_zero: hash == 0 && self.hash_is_zero.is_some() };
        (self.is_string(table, string) && self.kept_hash(values) == asked).then_some(hash)
    }

    fn is_string(&self, table: &HeapTable<'_>, string: &Object) -> bool {
        string.kind == ObjectKind::Instance && string.class == Some(table.heap.classes[self.class].address)
    }

    /// The array and the hash of a String that the builder would make just so from its text.
    fn recognise(&self, table: &HeapTable<'_>, sizes: &AutomaticSizes, string: &Object) -> Option<(usize, KeptHash)> {
        let heap = table.heap;
        let is_string = self.is_string(table, string);
        let Contents::Fields(values) = &string.contents else { return None };
        if !is_string || values.len() != self.slots.len() {
            return None;
        }
        let (units, array_place) = self.units(table, string)?;
        let array = &heap.objects[array_place];
        let (_, bytes, coder) = encode_text(self.library, &units);
        let hash = self.kept_hash(values);
        let is_expected = |place: usize, value: &Value| {
            let slot = &self.slots[place];
            let is_primitive = slot.kind != FieldType::Object;
            let bits = match place {
                _ if place == self.value => array.address.0,
                _ if Some(place) == self.coder && is_primitive => coder,
                _ if Some(place) == self.count && is_primitive => units.len() as u64,
                _ if Some(place) == self.hash && is_primitive => hash.bits.into(),
                _ if Some(place) == self.hash_is_zero && is_primitive => hash.is_zero.into(),
                _ if slot.is_class => heap.classes[self.class].address.0,
                _ => 0,
            };
            value.kind == slot.kind && value.bits == bits
        };
        let is_own = array.contents == Contents::Primitives(bytes)
            && array_class(table, array) == Some(self.array)
            && values.iter().enumerate().all(|(place, value)| is_expected(place, value))
            && sizes.is_bare(table, string, self.class)
            && sizes.is_bare(table, array, self.array);
        is_own.then_some((array_place, hash))
    }

    /// The UTF-16 code units of a String, and the place of its array.
    pub(super) fn units(&self, table: &HeapTable<'_>, string: &Object) -> Option<(Vec<u16>, usize)> {
        let Contents::Fields(values) = &string.contents else { return None };
        let array = table.object_at(values.get(self.value)?.as_reference()?)?;
        let Contents::Primitives(bytes) = &table.heap.objects[array].contents else { return None };
        let coder = self.coder.and_then(|coder| Some(values.get(coder)?.bits));
        let units = decode_text(self.library, bytes, coder);
        Some((units, array))
    }
}
