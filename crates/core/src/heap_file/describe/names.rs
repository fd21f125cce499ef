//! Names of classes and objects in a heap file.

use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};

use crate::builder::CLASS_BYTES;
use crate::bytes::hexadecimal;
use crate::heap_file::notation::spell_text;
use crate::model::{Address, Class, Name, Object, ObjectKind, PrimitiveType};

use super::sizes::AutomaticSizes;
use super::table::{EntryPlace, HeapTable};

/// The declaration of a class.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum ClassDeclaration {
    /// An array class that its arrays bring along.
    Implied,
    /// By its name as in Java.
    #[default]
    Named,
    /// By the type of its elements, whose class stands before it unless they are primitive.
    Array(Option<usize>),
    /// By a name that others have as well, and an `id`.
    Shared(String),
    /// By the bytes of its name, and an `id`.
    Raw(String),
}

/// A class as types name it.
#[derive(Clone, Debug, Default)]
pub(super) struct ClassText {
    /// Its text as a type.
    pub(super) text: String,
    pub(super) declaration: ClassDeclaration,
}

/// The names of a heap's classes and objects.
#[derive(Debug)]
pub(super) struct HeapNames {
    classes: Vec<ClassText>,
    objects: Vec<String>,
}

impl HeapNames {
    /// Chooses the names. In a file that keeps the order of classes each has a declaration.
    ///
    /// Classes of the library that its heaps have by themselves need none.
    pub(super) fn new(
        table: &HeapTable<'_>,
        sizes: &AutomaticSizes,
        library: &HashSet<usize>,
        ordered: bool,
    ) -> HeapNames {
        let mut used = HashSet::new();
        let classes = class_texts(table, sizes, library, ordered, &mut used);
        let objects = object_names(table, &used);
        HeapNames { classes, objects }
    }

    /// Gives objects names in place of their own, as far as nothing else has them.
    pub(super) fn rename_objects(&mut self, names: impl IntoIterator<Item = (usize, String)>) {
        let mut taken: HashSet<String> = self.objects.iter().cloned().collect();
        taken.extend(self.classes.iter().map(|class| class.text.clone()));
        for (object, name) in names {
            if taken.insert(name.clone()) {
                self.objects[object] = name;
            }
        }
    }

    /// A class as a type.
    pub(super) fn class(&self, class: usize) -> &ClassText {
        &self.classes[class]
    }

    /// Whether a class has a node of its own.
    pub(super) fn is_declared(&self, class: usize) -> bool {
        self.classes[class].declaration != ClassDeclaration::Implied
    }

    /// An object's name.
    pub(super) fn object(&self, object: usize) -> &str {
        &self.objects[object]
    }

    /// A reference as a value.
    pub(super) fn spell_reference(&self, table: &HeapTable<'_>, to: Address) -> String {
        match table.place(to) {
            _ if to.is_null() => "#null".to_owned(),
            Some(EntryPlace::Object(object)) => format!("@{}", self.objects[object]),
            Some(EntryPlace::Class(class)) => spell_text(&format!("@class:{}", self.classes[class].text)),
            None => format!("@{to}"),
        }
    }

    /// A class by its address, as a type, or the reference that stands there where it is no class of the heap.
    pub(super) fn spell_type(&self, table: &HeapTable<'_>, class: Address) -> String {
        match table.class_at(class) {
            Some(class) => spell_text(&self.classes[class].text),
            None => self.spell_reference(table, class),
        }
    }
}

/// The array class of an object array: its own; or the one that its class word leads to, which is the array class itself or that
/// of its elements.
pub(super) fn array_class(table: &HeapTable<'_>, array: &Object) -> Option<usize> {
    let is_array = |class: &usize| table.kind(*class) == array.kind;
    match (array.class, array.kind) {
        (Some(class), _) => table.class_at(class).filter(is_array),
        (None, ObjectKind::PrimitiveArray(element)) => {
            table.class_named(&Name::from_text(&format!("[{}", element.signature())))
        }
        (None, _) => {
            let word = table.class_at(array.class_word?)?;
            let of_elements = || table.class_named(&array_name(table.name(word)));
            Some(word).filter(is_array).or_else(of_elements)
        }
    }
}

/// The name of the arrays whose elements are of a class, both in JVM form.
fn array_name(element: &Name) -> Name {
    let mut name = vec![b'['];
    match element.as_bytes() {
        array @ [b'[', ..] => name.extend(array),
        plain => {
            name.push(b'L');
            name.extend(plain);
            name.push(b';');
        }
    }
    Name::from_bytes(name)
}

/// Whether a text may be the name of an object.
pub(super) fn is_object_name(text: &str) -> bool {
    text != "_"
        && !text.starts_with("0x")
        && !text.starts_with("class:")
        && !text.starts_with('@')
        && !text.ends_with('?')
}

/// Whether a text means a class wherever a type stands.
fn is_type_text(text: &str) -> bool {
    let is_keyword = matches!(text, "void" | "_" | "unknown") || PrimitiveType::from_keyword(text).is_some();
    !is_keyword && !text.starts_with(['@', '[']) && !text.ends_with('?')
}

/// Whether a name is one that the builder has from its text as in Java.
fn is_plain(name: &Name, java: &str) -> bool {
    let is_name = !java.is_empty() && !java.ends_with("[]") && !java.contains('/') && is_type_text(java);
    is_name && Name::from_text(java).to_jvm_form() == *name
}

fn class_texts(
    table: &HeapTable<'_>,
    sizes: &AutomaticSizes,
    library: &HashSet<usize>,
    ordered: bool,
    used: &mut HashSet<String>,
) -> Vec<ClassText> {
    let classes = &table.heap.classes;
    let java: Vec<Option<String>> =
        (0..classes.len()).map(|place| table.name(place).to_java_form().to_text()).collect();
    let is_usual = |place: usize, java: &str| is_plain(table.name(place), java) && table.has_usual_form(place);
    let plain = |place: usize| java[place].as_ref().filter(|java| is_usual(place, java));
    let is_only = |place: usize| table.class_named(table.name(place)).is_some();
    let mut texts: Vec<Option<ClassText>> = vec![None; classes.len()];
    for (place, text) in texts.iter_mut().enumerate() {
        if let Some(java) = plain(place).filter(|_| is_only(place)) {
            used.insert(java.clone());
            let is_implied = library.contains(&place);
            let declaration = if is_implied { ClassDeclaration::Implied } else { ClassDeclaration::Named };
            *text = Some(ClassText { text: java.clone(), declaration });
        }
    }
    for (place, text) in texts.iter_mut().enumerate() {
        if plain(place).is_some() && !is_only(place) {
            let id = choose_id(java[place].as_deref(), false, true, used);
            *text = Some(ClassText { text: id.clone(), declaration: ClassDeclaration::Shared(id) });
        }
    }
    let implied = if ordered { HashSet::new() } else { implied_arrays(table, sizes, library) };
    // Arrays of more dimensions follow from those of fewer.
    let mut order: Vec<usize> = (0..classes.len()).filter(|place| texts[*place].is_none()).collect();
    order.sort_by_key(|place| (table.dimensions(*place), *place));
    for place in order {
        let of_element = |element: ArrayElementClass| match element {
            ArrayElementClass::Primitive(kind) => Some((kind.keyword().to_owned(), None)),
            // The order of the classes is that of the dump.
            ArrayElementClass::Class(element) if ordered && element > place => None,
            ArrayElementClass::Class(element) => Some((texts[element].as_ref()?.text.clone(), Some(element))),
        };
        let array = array_element(table, place).filter(|_| is_only(place) && table.has_usual_form(place));
        let array = array.and_then(of_element);
        texts[place] = Some(match array {
            Some((element, class)) => {
                let is_implied = implied.contains(&place);
                let declaration = if is_implied { ClassDeclaration::Implied } else { ClassDeclaration::Array(class) };
                used.insert(format!("{element}[]"));
                ClassText { text: format!("{element}[]"), declaration }
            }
            None => {
                let is_array = table.kind(place) != ObjectKind::Instance;
                let id = choose_id(java[place].as_deref(), is_array, !is_only(place), used);
                ClassText { text: id.clone(), declaration: ClassDeclaration::Raw(id) }
            }
        });
    }
    texts.into_iter().map(Option::unwrap_or_default).collect()
}

/// An `id` for a class: its name as in Java where nothing else has that, else with a number. Those of arrays end with `[]`.
fn choose_id(java: Option<&str>, is_array: bool, is_shared: bool, used: &mut HashSet<String>) -> String {
    let java = java.unwrap_or_default();
    let element = java.trim_end_matches("[]");
    let brackets = match &java[element.len()..] {
        "" if is_array => "[]",
        brackets => brackets,
    };
    let is_primitive = !brackets.is_empty() && PrimitiveType::from_keyword(element).is_some();
    let is_word = !element.is_empty() && (is_primitive || is_type_text(element));
    let base = if is_word { element } else { "class" };
    let whole = (is_word && !is_shared).then(|| java.to_owned());
    let numbered = (1_u64..).map(|number| format!("{base}-{number}{brackets}"));
    let id = whole.into_iter().chain(numbered).find(|id| !used.contains(id)).unwrap_or_default();
    used.insert(id.clone());
    id
}

/// The elements of an array class.
#[derive(Clone, Copy, Debug)]
pub(super) enum ArrayElementClass {
    Primitive(PrimitiveType),
    Class(usize),
}

/// The elements of an array class, where the heap has their class and no other of its name.
pub(super) fn array_element(table: &HeapTable<'_>, class: usize) -> Option<ArrayElementClass> {
    let (b'[', rest) = table.name(class).as_bytes().split_first()? else { return None };
    let named = |name: &[u8]| table.class_named(&Name::from_bytes(name)).map(ArrayElementClass::Class);
    match rest {
        [letter] => {
            let kind = PrimitiveType::ALL.into_iter().find(|kind| kind.signature() as u8 == *letter)?;
            Some(ArrayElementClass::Primitive(kind))
        }
        [b'[', ..] => named(rest),
        [b'L', name @ .., b';'] => named(name),
        _ => None,
    }
}

/// The array classes that need no declaration, since the builder has them as they are once an array of them is made.
fn implied_arrays(table: &HeapTable<'_>, sizes: &AutomaticSizes, library: &HashSet<usize>) -> HashSet<usize> {
    let classes = &table.heap.classes;
    let object = table.class_named(&"java/lang/Object".into()).map(|class| classes[class].address);
    let arrays = table.heap.objects.iter().filter(|object| object.kind != ObjectKind::Instance);
    let mut needed: HashSet<usize> = arrays.filter_map(|array| array_class(table, array)).collect();
    let is_null = |address: Option<Address>| address.unwrap_or_default().is_null();
    let is_automatic = |place: usize, element: ArrayElementClass| {
        let class: &Class = &classes[place];
        let loader = match element {
            ArrayElementClass::Primitive(_) => Address::NULL,
            ArrayElementClass::Class(element) => classes[element].loader.unwrap_or_default(),
        };
        let size = sizes.instance_size(table.kind(place), place);
        table.class_named(table.name(place)).is_some()
            && table.has_usual_form(place)
            && class.superclass.is_some_and(|above| above == object.unwrap_or_default())
            && class.interfaces.as_ref().is_none_or(Vec::is_empty)
            && class.loader.unwrap_or_default() == loader
            && is_null(class.signers)
            && is_null(class.protection_domain)
            && class.instance_size.is_none_or(|stated| stated == size)
            && class.class_object_size.is_none_or(|stated| stated.0 == CLASS_BYTES)
            && class.hash.is_none()
            && class.references.as_ref().is_none_or(Vec::is_empty)
            && class.statics.as_ref().is_none_or(Vec::is_empty)
            && class.constant_pool.as_ref().is_none_or(Vec::is_empty)
            && class.fields.as_ref().is_none_or(Vec::is_empty)
            && class.trace.is_none_or(|trace| table.is_empty_trace(trace))
    };
    let mut places: Vec<usize> = (0..classes.len()).filter(|place| table.dimensions(*place) > 0).collect();
    // An array class of more dimensions brings those of fewer along.
    places.sort_by_key(|place| std::cmp::Reverse(table.dimensions(*place)));
    let mut implied: HashSet<usize> = places.iter().copied().filter(|place| library.contains(place)).collect();
    for place in places {
        let element = array_element(table, place).filter(|element| is_automatic(place, *element));
        if let Some(element) = element.filter(|_| needed.contains(&place)) {
            if let ArrayElementClass::Class(element) = element {
                needed.insert(element);
            }
            implied.insert(place);
        }
    }
    implied
}

/// A name for each object: its class and a number, in the order of addresses.
fn object_names(table: &HeapTable<'_>, used: &HashSet<String>) -> Vec<String> {
    let objects = &table.heap.objects;
    let mut order: Vec<usize> = (0..objects.len()).collect();
    order.sort_by_key(|place| objects[*place].address);
    let mut bases: HashMap<usize, String> = HashMap::new();
    let mut numbers: HashMap<String, u64> = HashMap::new();
    let mut names = vec![String::new(); objects.len()];
    for place in order {
        let object = &objects[place];
        let class = match object.kind {
            ObjectKind::Instance => object.class.and_then(|class| table.class_at(class)),
            _ => array_class(table, object),
        };
        let base = match (class, object.kind) {
            (Some(class), _) => bases.entry(class).or_insert_with(|| base(table.name(class))).clone(),
            (None, ObjectKind::Instance) => "object".to_owned(),
            (None, ObjectKind::ObjectArray) => "objects".to_owned(),
            (None, ObjectKind::PrimitiveArray(kind)) => format!("{}s", kind.keyword()),
        };
        let number = numbers.entry(base.clone()).or_default();
        names[place] = loop {
            *number += 1;
            let joint = if base.ends_with(|last: char| last.is_ascii_digit()) { "_" } else { "" };
            let name = format!("{base}{joint}{number}");
            if !used.contains(&name) {
                break name;
            }
        };
    }
    names
}

/// The part of an object's name that its class gives: `order` of `shop/Order`, `bytes` of `[B`, `intArrays` of `[[I`.
fn base(class: &Name) -> String {
    let java = class.to_java_form();
    let dimensions = java.as_bytes().len() - java.as_bytes().len().min(trimmed(java.as_bytes()).len());
    let text = Name::from_bytes(trimmed(java.as_bytes())).to_text().unwrap_or_else(|| hexadecimal(class.as_bytes()));
    let simple = text.rsplit(['.', '/']).next().unwrap_or_default();
    // The innermost class that has a name.
    let named = |part: &&str| part.starts_with(|first: char| first.is_alphabetic());
    let simple = simple.rsplit('$').find(named).unwrap_or(simple);
    let mut base: String = simple.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '_').take(40).collect();
    base = base.trim_matches('_').trim_start_matches(|first: char| first.is_ascii_digit()).trim_matches('_').to_owned();
    if base.is_empty() {
        "object".clone_into(&mut base);
    }
    base[..1].make_ascii_lowercase();
    match dimensions / 2 {
        0 => base,
        1 => base + "s",
        _ => base + "Arrays",
    }
}

/// The name of the innermost elements of an array class, in Java form.
fn trimmed(java: &[u8]) -> &[u8] {
    let mut element = java;
    while let Some(shorter) = element.strip_suffix(b"[]") {
        element = shorter;
    }
    element
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_objects_by_their_class() {
        for (class, expected) in [
            ("shop/Order", "order"),
            ("shop.Order", "order"),
            ("[B", "bytes"),
            ("[[I", "intArrays"),
            ("[Ljava/lang/String;", "strings"),
            ("java/util/HashMap$Node", "node"),
            ("shop/Main$1", "main"),
            ("pkg/A$$Lambda$14+0x00007f6d9c007228", "lambda"),
            ("Top2", "top2"),
            ("_", "object"),
            ("", "object"),
            ("Größe", "gre"),
        ] {
            assert_eq!(base(&class.into()), expected, "{class}");
        }
    }
}
