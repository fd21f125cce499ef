//! The table of declarations, by which adapters describe how they tell facts: answers to `hello` are read by it,
//! listings compared, and the documents written.

mod conventions;
mod declares;
mod fields;
mod names;
mod references;
mod roots;
mod spelling;

use std::borrow::Cow;
use std::collections::HashSet;

use heapsmith_core::compare::Facet;
use heapsmith_core::error::Error;
use heapsmith_core::family::case::{Ambiguity, ReadingChoice};
use heapsmith_core::format::Format;
use heapsmith_core::model::{Address, Heap, HeapSource, Object, Root};

pub(super) use conventions::{CONVENTIONS, counted_edges};
pub use declares::Declares;
pub(super) use roots::root_key;
pub(super) use spelling::{
    BOOLEANS, GENERAL, NAMES, all_names, convert_names_to_text, in_both_forms, lenient_text, normalise_booleans,
};

/// Keys of [`DECLARATIONS`] that decide on more than a comparison.
pub(in crate::check) const IDENTIFIES: &str = "identifies";
pub(in crate::check) const MAKES_UP: &str = "makes_up";
pub(in crate::check) const IDENTIFIER_SIZES: &str = "identifier_sizes";
pub(in crate::check) const ANDROID: &str = "android";
pub(in crate::check) const SKIPS: &str = "skips";
pub(in crate::check) const CLASS_NAMES: &str = "class_names";

/// A key of `hello` by which an implementation declares how it tells facts, or which it does not look at.
#[derive(Debug)]
#[non_exhaustive]
pub struct Declaration {
    /// The key.
    pub key: &'static str,
    /// The subject of the declaration, in a sentence without its full stop.
    pub about: &'static str,
    /// The choices. The first is the default, unless it is a list.
    pub choices: &'static [ReadingChoice],
    /// Whether any number of choices can be declared.
    pub is_list: bool,
    /// Whether a pair of `converts` can have the key: for the dumps that are made.
    pub of_dumps: bool,
    /// The version of the protocol that has it first.
    pub since: u32,
    /// The facets in which listings of two choices differ.
    pub facets: &'static [Facet],
    pub(in crate::check) effect: DeclarationEffect,
}

/// The effect of a declaration.
#[derive(Clone, Copy, Debug)]
pub(in crate::check) enum DeclarationEffect {
    /// A comparison: both sides are reduced to what they have in common, by the declared choices.
    Compared(fn(&mut ComparedSides<'_>, &[usize])),
    /// Right heaps, like a reading of the format. It is inferred where it cannot be declared.
    Reading,
    /// The choice of dumps that are asked about or have to be refused, or the identity of objects.
    Asked,
}

/// The two sides of a comparison: the right heap, and the one that an implementation tells.
pub(in crate::check) struct ComparedSides<'h> {
    pub(in crate::check) right: Cow<'h, Heap>,
    pub(in crate::check) told: Cow<'h, Heap>,
    /// Whether objects have one address on both sides.
    pub(in crate::check) by_address: bool,
}

impl ComparedSides<'_> {
    /// Reduces both sides to what they have in common, by the declarations.
    pub(in crate::check) fn agree<const OF_DUMPS: bool>(&mut self, declares: &Declares<OF_DUMPS>) {
        self.agree_on(declares, |_| true);
    }

    fn agree_on<const OF_DUMPS: bool>(
        &mut self,
        declares: &Declares<OF_DUMPS>,
        is_meant: impl Fn(&Declaration) -> bool,
    ) {
        for declaration in DECLARATIONS.iter().filter(|declaration| is_meant(declaration)) {
            let chosen = declares.chosen(declaration.key);
            if let (DeclarationEffect::Compared(agree), false) = (declaration.effect, chosen.is_empty()) {
                agree(self, chosen);
            }
        }
    }
}

/// A right heap with the roots that an implementation counts: it lists those.
pub(in crate::check) fn with_counted_roots<'h>(heap: &'h Heap, declares: &Declares) -> Cow<'h, Heap> {
    // Without any root that is told, which of several is counted does not matter.
    let mut told = Heap::default();
    told.surroundings.roots = Some(Vec::new());
    let mut sides = ComparedSides { right: Cow::Borrowed(heap), told: Cow::Owned(told), by_address: true };
    sides.agree_on(declares, is_of_roots);
    sides.right
}

/// The roots that an implementation counts of a heap that is read object by object; `None` where it counts all of them.
///
/// # Errors
/// What reading the heap runs into.
pub(in crate::check) fn counted_roots(
    source: &mut dyn HeapSource,
    declares: &Declares,
) -> Result<Option<Vec<Root>>, Error> {
    if !has_own_roots(declares) {
        return Ok(None);
    }
    let (classes, surroundings) = (source.classes().to_vec(), source.surroundings().clone());
    let wanted: HashSet<Address> = surroundings.roots.iter().flatten().map(|root| root.object).collect();
    let mut heap = Heap { classes, surroundings, ..Heap::default() };
    let mut found = HashSet::new();
    source.visit_objects(&mut |object| {
        if wanted.contains(&object.address) && found.insert(object.address) {
            heap.objects.push(Object { address: object.address, ..Object::default() });
        }
        Ok(())
    })?;
    Ok(with_counted_roots(&heap, declares).into_owned().surroundings.roots)
}

/// Whether an implementation declares that it does not count every root.
pub(in crate::check) fn has_own_roots(declares: &Declares) -> bool {
    DECLARATIONS.iter().any(|declaration| is_of_roots(declaration) && !declares.chosen(declaration.key).is_empty())
}

fn is_of_roots(declaration: &Declaration) -> bool {
    declaration.facets.contains(&Facet::RootOrder)
}

impl Declares<true> {
    /// Brings a part of a heap, on whichever side of a comparison, to what is declared of dumps: each of these declarations is about
    /// single values and names.
    pub(in crate::check) fn change(&self, part: &mut Heap) {
        let right = Cow::Owned(std::mem::take(part));
        let mut sides = ComparedSides { right, told: Cow::Owned(Heap::default()), by_address: true };
        sides.agree(self);
        *part = sides.right.into_owned();
        self.read(part);
    }
}

impl<const OF_DUMPS: bool> Declares<OF_DUMPS> {
    /// Whether some reading is declared that changes a heap.
    pub(in crate::check) fn has_readings(&self) -> bool {
        !self.declared_readings().is_empty()
    }

    /// Brings a part of a right heap to the readings that are declared.
    pub(in crate::check) fn read(&self, part: &mut Heap) {
        if self.has(BOOLEANS, "0/1") {
            normalise_booleans(part);
        }
        if self.has(NAMES, "text") {
            convert_names_to_text(part);
        }
    }
}

impl Declaration {
    /// The place of a choice among its choices.
    pub fn choice(&self, name: &str) -> Option<usize> {
        self.choices.iter().position(|choice| choice.name == name)
    }

    /// The declaration of a key.
    pub fn find(key: &str) -> Option<&'static Declaration> {
        DECLARATIONS.iter().find(|declaration| declaration.key == key)
    }
}

const REFERENCES: &[Facet] = &[
    Facet::NullReferences,
    Facet::Superclass,
    Facet::Loader,
    Facet::Signers,
    Facet::ProtectionDomain,
    Facet::ClassReferences,
    Facet::Class,
    Facet::Statics,
    Facet::FieldValues,
    Facet::References,
    Facet::Elements,
];

/// Every declaration. Where several change a comparison, they do so in this order: order and repetition come last.
pub static DECLARATIONS: &[Declaration] = &[
    Declaration {
        since: 1,
        ..scalar(
            IDENTIFIES,
            "The identifiers of objects in listings",
            &[
                ReadingChoice::new("address", "the addresses of the dump"),
                ReadingChoice::new("opaque", "others: addresses are compared up to renaming"),
            ],
            &[],
            DeclarationEffect::Asked,
        )
    },
    Declaration {
        since: 1,
        ..scalar(
            CLASS_NAMES,
            "The form of the names of classes in listings",
            &[
                ReadingChoice::new("dump", "as the dump's records have them"),
                ReadingChoice::new("java", "that of Java source, whatever the dump has: `java.lang.String`, `int[]`"),
            ],
            &[Facet::ClassName],
            DeclarationEffect::Compared(|sides, _| names::use_java_names(sides)),
        )
    },
    Declaration {
        since: 1,
        ..scalar(
            "dangling",
            "References to what is not in the dump",
            &[
                ReadingChoice::new("told", "their addresses"),
                ReadingChoice::new("null", "null; so may the class of an object be, or not be told"),
            ],
            REFERENCES,
            DeclarationEffect::Compared(|sides, _| references::without_dangling(sides)),
        )
    },
    Declaration { of_dumps: true, ..reading(0) },
    Declaration { of_dumps: true, ..reading(1) },
    scalar(
        "unnamed",
        "A name that the dump does not have: of a class, field, method, signature, source file, thread or region",
        &[
            ReadingChoice::new("absent", "absent or empty"),
            ReadingChoice::new("placeholder", "any text that stands nowhere in the dump, such as `<unknown>`"),
        ],
        &[Facet::ClassName, Facet::Fields, Facet::Statics, Facet::Threads, Facet::StackTraces, Facet::Regions],
        DeclarationEffect::Compared(|sides, _| names::without_placeholders(sides)),
    ),
    Declaration {
        of_dumps: true,
        ..scalar(
            "nans",
            "Values of float and double that are no number",
            &[
                ReadingChoice::new("bits", "their bits"),
                ReadingChoice::new("quiet", "their bits, and the quiet bit may be set"),
                ReadingChoice::new("any", "some NaN: neither sign nor payload is told"),
            ],
            &[
                Facet::FieldValues,
                Facet::Statics,
                Facet::ConstantPool,
                Facet::PrimitiveContents,
                Facet::AllocationSites,
                Facet::Events,
            ],
            DeclarationEffect::Compared(|sides, chosen| fields::align_nans(sides, chosen == [2])),
        )
    },
    list(
        MAKES_UP,
        "What listings have although the dump has no record of it",
        &[
            ReadingChoice::new("classes", "classes"),
            ReadingChoice::new("null-objects", "a class or an object at the address 0, such as a boot loader"),
            ReadingChoice::new("null-roots", "roots of the address 0"),
        ],
        // A class more is a record more in each of these.
        &[Facet::Address, Facet::Kind, Facet::ClassName, Facet::Superclass, Facet::Roots, Facet::RootObjects],
        DeclarationEffect::Compared(references::without_synthesised),
    ),
    list(
        "leaves_out",
        "What listings lack although the dump has it",
        &[
            ReadingChoice::new("null-roots", "roots of the address 0"),
            ReadingChoice::new("dangling-roots", "roots of what is not in the dump, the address 0 among them"),
        ],
        &[Facet::Roots, Facet::RootObjects, Facet::RootOrder],
        DeclarationEffect::Compared(roots::without_left_out),
    ),
    scalar(
        "roots",
        "Several roots of one object",
        &[
            ReadingChoice::new("records", "each record is listed"),
            ReadingChoice::new(
                "once",
                "of roots that are equal in everything one is listed, and their order is not judged",
            ),
            ReadingChoice::new("one-per-kind", "of those of one kind one is listed, whichever, in any order"),
            ReadingChoice::new("one-per-object", "one is listed, whichever, in any order"),
        ],
        &[Facet::Roots, Facet::RootObjects, Facet::RootOrder],
        DeclarationEffect::Compared(roots::merge_roots),
    ),
    scalar(
        "statics",
        "The static fields of a class",
        &[
            ReadingChoice::new("listed", "as the dump lists them"),
            ReadingChoice::new("any-order", "in any order"),
            ReadingChoice::new("by-name", "in any order, and of several with one name one is listed, whichever"),
        ],
        &[Facet::Statics],
        DeclarationEffect::Compared(|sides, chosen| fields::align_statics(sides, chosen == [2])),
    ),
    scalar(
        "fields",
        "The instance fields that a class itself declares, where listings have these, superclasses and values",
        &[
            ReadingChoice::new("listed", "as the dump lists them"),
            ReadingChoice::new("any-order", "in any order, in which the values of an object stand as well"),
        ],
        &[Facet::Fields, Facet::FieldValues],
        DeclarationEffect::Compared(|sides, _| fields::align_fields(sides)),
    ),
    list(
        IDENTIFIER_SIZES,
        "Sizes of identifiers in bytes that are read; without it, all. Sound dumps with others are skipped",
        &[
            ReadingChoice::new("1", "1"),
            ReadingChoice::new("2", "2"),
            ReadingChoice::new("4", "4"),
            ReadingChoice::new("8", "8"),
        ],
        &[],
        DeclarationEffect::Asked,
    ),
    scalar(
        ANDROID,
        "Dumps with Android's sub-records",
        &[ReadingChoice::new("read", "are read"), ReadingChoice::new("skipped", "are skipped, where they are sound")],
        &[],
        DeclarationEffect::Asked,
    ),
    list(
        SKIPS,
        "Records outside of the heap that are passed over by their lengths: damage inside of one need not be refused, where its \
         own length is right, and the rest of the dump is judged then",
        heapsmith_core::hprof::skip::KINDS,
        &[],
        DeclarationEffect::Asked,
    ),
];

const fn scalar(
    key: &'static str,
    about: &'static str,
    choices: &'static [ReadingChoice],
    facets: &'static [Facet],
    effect: DeclarationEffect,
) -> Declaration {
    Declaration { key, about, choices, is_list: false, of_dumps: false, since: 2, facets, effect }
}

const fn list(
    key: &'static str,
    about: &'static str,
    choices: &'static [ReadingChoice],
    facets: &'static [Facet],
    effect: DeclarationEffect,
) -> Declaration {
    Declaration { is_list: true, ..scalar(key, about, choices, facets, effect) }
}

const fn reading(place: usize) -> Declaration {
    let of = &GENERAL[place];
    scalar(of.name, of.about, of.choices, of.facets, DeclarationEffect::Reading)
}

/// The keys that are readings where they cannot be declared.
pub(in crate::check) const READINGS: [&str; 2] = [BOOLEANS, NAMES];

/// The ambiguities of a format's dumps, and those of names and booleans in any format.
pub(in crate::check) fn format_ambiguities(format: Format) -> Vec<&'static Ambiguity> {
    format.family().ambiguities().iter().chain(GENERAL).collect()
}

/// The ambiguities of all formats, those of any adapter's answers (`booleans` and `names`), and the conventions of
/// analysers.
pub fn ambiguities() -> Vec<&'static Ambiguity> {
    let mut all: Vec<&Ambiguity> = Vec::new();
    for ambiguity in Format::all().flat_map(format_ambiguities).chain(CONVENTIONS) {
        if !all.iter().any(|known| known.name == ambiguity.name) {
            all.push(ambiguity);
        }
    }
    all
}
