//! The readings that an HPROF dump leaves open.

use std::collections::HashMap;

use crate::compare::Facet;
use crate::family::case::{
    Ambiguity, CaseDump, ReadingChoice, ReadingHeap, SEVERAL_HEAPS, repeated_classes, repeated_objects,
};
use crate::family::{ReadOptions, RegionStarts, RepeatedTexts};
use crate::model::string_text::{HELD_TEXTS, StringTexts, Utf16Order};
use crate::model::{Address, Class, Contents, EventKind, FieldType, Heap, Name, ObjectKind, Value};

/// The ambiguities of a dump, in the order in which readings are applied.
pub(in crate::hprof) const AMBIGUITIES: &[Ambiguity] = &[
    Ambiguity {
        name: SEVERAL_HEAPS,
        about: "Several heaps in one file, in an adapter that cannot be asked for one of them",
        rule: "hprof.heap.several",
        choices: &[
            ReadingChoice::new("first", "the first heap"),
            ReadingChoice::new("last", "the last heap"),
            ReadingChoice::new("refused", "none: the dump is refused"),
            ReadingChoice::new("joined", "all of them as one heap"),
        ],
        facets: &[],
        means: ReadingHeap::Spelled,
    },
    Ambiguity {
        name: "hprof.unpatched-length",
        about: "A dump record of length 0 with sub-records after it",
        rule: "hprof.segment.unpatched-length",
        choices: &[
            ReadingChoice::new("empty", "the record is empty, so that the dump is damaged"),
            ReadingChoice::new("patched", "its length was not patched, and the sub-records are its own"),
        ],
        facets: &[],
        means: ReadingHeap::Spelled,
    },
    Ambiguity {
        name: "hprof.repeated-string",
        about: "Several strings of one identifier",
        rule: "hprof.text.duplicate-id",
        choices: &[ReadingChoice::new("last", "the last counts"), ReadingChoice::new("first", "the first counts")],
        facets: &[Facet::ClassName, Facet::Fields, Facet::Statics, Facet::Threads, Facet::StackTraces, Facet::Regions],
        means: ReadingHeap::Again {
            occurs: has_repeated_texts,
            reading: |reading| ReadOptions { texts: RepeatedTexts::First, ..reading },
        },
    },
    Ambiguity {
        name: "hprof.string-0",
        about: "A string with the identifier 0, in names that have it",
        rule: "hprof.id.none",
        choices: &[
            ReadingChoice::new("none", "the identifier names nothing"),
            ReadingChoice::new("string", "it names the string"),
        ],
        facets: &[],
        means: ReadingHeap::Spelled,
    },
    Ambiguity {
        name: "hprof.regions",
        about: "HEAP DUMP INFO records of Android that give the same part of the heap as before",
        rule: "hprof.android.heap-info",
        choices: &[
            ReadingChoice::new("merged", "a region goes on until another begins"),
            ReadingChoice::new("as-stated", "each record begins a region, and no other record does"),
        ],
        facets: &[Facet::Regions],
        means: ReadingHeap::Again {
            occurs: |heap| {
                let has_regions = heap.surroundings.regions.as_ref().is_some_and(|regions| !regions.is_empty());
                // Records that all give the part without a number are none of its regions.
                has_regions || heap.facts.header_version == Some("1.0.3".into())
            },
            reading: |reading| ReadOptions { regions: RegionStarts::AsStated, ..reading },
        },
    },
    Ambiguity {
        name: "hprof.undeclared-bytes",
        about: "An instance whose class the dump has without one of its superclasses",
        rule: "hprof.class.superclass",
        choices: &[
            ReadingChoice::new("raw", "its bytes, since nothing says how all of them are laid out"),
            ReadingChoice::new("declared-fields", "the values of the fields that are declared, and no more"),
        ],
        facets: &[Facet::FieldValues],
        means: ReadingHeap::Heap {
            same: |_, heap, _, _| declared_values(heap, SuperclassChain::Cut).is_empty(),
            apply: |_, heap, _| use_declared_values(heap, SuperclassChain::Cut),
        },
    },
    Ambiguity {
        name: "hprof.surplus-bytes",
        about: "An instance with more bytes than its class and all superclasses have fields for, in a reader that does not refuse it",
        rule: "hprof.instance.length",
        choices: &[
            ReadingChoice::new("raw", "its bytes, since the fields do not account for them"),
            ReadingChoice::new("declared-fields", "the values of the fields, and no more"),
        ],
        facets: &[Facet::FieldValues],
        means: ReadingHeap::Heap {
            same: |_, heap, _, _| declared_values(heap, SuperclassChain::Whole).is_empty(),
            apply: |_, heap, _| use_declared_values(heap, SuperclassChain::Whole),
        },
    },
    Ambiguity {
        name: "hprof.array-class",
        about: "The class of an object array that has the name of no array",
        rule: "hprof.array.class",
        choices: &[
            ReadingChoice::new("array", "the array's own class, whatever its name"),
            ReadingChoice::new("elements", "the class of the elements"),
        ],
        facets: &[Facet::Class, Facet::ClassName],
        means: ReadingHeap::Heap { same: |_, heap, _, _| array_names(heap).is_empty(), apply: use_element_classes },
    },
    repeated_classes("hprof.repeated-class", "hprof.object.duplicate"),
    repeated_objects("hprof.repeated-object", "hprof.object.duplicate"),
    Ambiguity {
        name: "hprof.string-byte-order",
        about: "The text of a string with the coder 1, in a dump that does not record the byte order of the machine",
        rule: "hprof.string.byte-order",
        choices: &[
            ReadingChoice::new("little-endian", "UTF-16 with the low byte first"),
            ReadingChoice::new("big-endian", "UTF-16 with the high byte first"),
        ],
        facets: &[Facet::StringText],
        means: ReadingHeap::Heap {
            same: |_, heap, _, _| !string_texts(heap, Utf16Order::LittleEndian).depends_on_order(),
            apply: |_, heap, _| string_texts(heap, Utf16Order::BigEndian).apply(heap),
        },
    },
];

/// The texts of a heap's strings; none where there are too many.
fn string_texts(heap: &Heap, order: Utf16Order) -> StringTexts {
    // Objects in memory can be visited without an error.
    StringTexts::from_source(&mut &*heap, HELD_TEXTS, order).ok().flatten().unwrap_or_default()
}

fn has_repeated_texts(heap: &Heap) -> bool {
    let mut known: HashMap<_, &Name> = HashMap::new();
    let events = heap.surroundings.events.iter().flatten();
    let mut texts = events.filter_map(|event| match &event.kind {
        EventKind::Text(id, text) => Some((*id, text)),
        _ => None,
    });
    texts.any(|(id, text)| known.insert(id, text).is_some_and(|before| before != text))
}

/// The superclasses of an instance's class, as far as the dump has them.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SuperclassChain {
    /// A chain up to the class without a superclass.
    Whole,
    /// A chain up to a superclass that the dump lacks.
    Cut,
}

/// Gives instances whose classes are a chain of this kind the values of the declared fields in place of their bytes.
fn use_declared_values(heap: &mut Heap, wanted: SuperclassChain) {
    let mut values = declared_values(heap, wanted);
    for (place, object) in heap.objects.iter_mut().enumerate() {
        if let Some(values) = values.remove(&place) {
            object.contents = Contents::Fields(values);
        }
    }
}

/// The values of the declared fields of such instances, where the heap has them as bytes, by the instance's place.
fn declared_values(heap: &Heap, wanted: SuperclassChain) -> HashMap<usize, Vec<Value>> {
    let classes: HashMap<Address, &Class> = heap.classes.iter().map(|class| (class.address, class)).collect();
    let size = heap.facts.identifier_size.map_or(8, |size| size.0 as usize);
    let values = |class: Address, bytes: &[u8]| {
        let (mut next, mut rest, mut values, mut chain) =
            (classes.get(&class), bytes, Vec::new(), SuperclassChain::Cut);
        next?;
        // A chain that comes back to itself ends with the bytes.
        for _ in 0..=classes.len() {
            let Some(class) = next else { break };
            for field in class.fields.iter().flatten() {
                let length = match field.kind {
                    FieldType::Object => size,
                    FieldType::Primitive(kind) => kind.size() as usize,
                };
                let (own, following) = rest.split_at_checked(length)?;
                let bits = own.iter().fold(0, |bits, byte| bits << 8 | u64::from(*byte));
                values.push(Value { kind: field.kind, bits });
                rest = following;
            }
            let superclass = class.superclass.filter(|superclass| !superclass.is_null());
            chain = if superclass.is_some() { SuperclassChain::Cut } else { SuperclassChain::Whole };
            next = superclass.and_then(|superclass| classes.get(&superclass));
        }
        (chain == wanted).then_some(values)
    };
    let raw = heap.objects.iter().enumerate().filter_map(|(place, object)| match (&object.contents, object.class) {
        (Contents::Raw(bytes), Some(class)) => Some((place, values(class, bytes)?)),
        _ => None,
    });
    raw.collect()
}

/// The names of the array classes over classes that have the name of no array and are the class of an object array.
fn array_names(heap: &Heap) -> HashMap<Address, Name> {
    let names: HashMap<Address, &Name> = heap.classes.iter().map(|class| (class.address, &class.name)).collect();
    let of_arrays = heap.objects.iter().filter(|object| object.kind == ObjectKind::ObjectArray);
    let named = of_arrays.filter_map(|object| {
        let class = object.class?;
        let name = names.get(&class)?.to_jvm_form();
        let element = name.as_bytes();
        let is_plain = !element.is_empty() && !element.starts_with(b"[");
        is_plain.then(|| (class, Name::from_bytes([b"[L", element, b";"].concat())))
    });
    named.collect()
}

fn use_element_classes(_: &CaseDump<'_>, heap: &mut Heap, _: usize) {
    let names = array_names(heap);
    for object in heap.objects.iter_mut().filter(|object| object.kind == ObjectKind::ObjectArray) {
        if let Some(name) = object.class.and_then(|class| names.get(&class)) {
            (object.class, object.class_name) = (None, Some(name.clone()));
        }
    }
}
