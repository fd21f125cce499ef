//! Made from `specs/facets.toml`: `HEAPSMITH_BLESS=1 cargo test --test project` writes it anew.

use crate::compare::carriage::Rule;

/// What each rule does.
pub(super) const RULES: &[(Rule, &str)] = &[
    (Rule::Android, "Where the dump has Android's sub-records; not compared."),
    (Rule::ArrayClass, "The class of an array is told by its own class, by its component's or by its name; compared by name."),
    (Rule::ArrayClassFirst, "The first reference of an array of references is its own class."),
    (Rule::AsReferences, "Elements are listed in the writer's order, nulls included, but nothing says that they are all; compared as references."),
    (Rule::AsSpelled, "Told where all numbers have 8 or 16 digits, which the writer need not spell; not compared."),
    (Rule::BareThreads, "Threads are known from roots: those of roots alone, without names and with one stack trace for all."),
    (Rule::ClassByName, "The class is named; its address is known where one class alone has the name. Compared by name."),
    (Rule::Counted, "Null references are listed or only counted, as the writer has it; where both dumps list them they are compared with the references."),
    (Rule::Derived, "Worked out anew from what else the dump holds; not compared."),
    (Rule::FieldBytes, "The bytes of an object's fields, and PHD's has the header as well; compared between HPROF dumps whose identifiers have one size."),
    (Rule::Low15Bits, "The low 15 bits of a hash; a 32-bit hash made of them has them twice; an object without a hash has 0."),
    (Rule::NameForm, "Names of classes are in the writer's form: java/lang/String and [I, or java.lang.String and int[]."),
    (Rule::Nameless, "Threads are known from roots: those of roots alone, and without names."),
    (Rule::OwnLog, "The writer's log is its own; not compared."),
    (Rule::PlainRoots, "Android's kinds of root are of an unknown kind."),
    (Rule::PrimitiveArrays, "For primitive arrays alone: an array of references has as many elements as it lists."),
    (Rule::Renumbered, "An address that the dump cannot hold (not a multiple of 4 in PHD, wider than the word or the identifier) makes all addresses be numbered anew, in order."),
    (Rule::Reordered, "In the writer's own order; not compared."),
    (Rule::Rounded, "Rounded up to a multiple of 4."),
    (Rule::SizesInWords, "Sizes of arrays are rounded up to a multiple of 4; a plain object has its class's size."),
    (Rule::Swapped, "Size and length of an array stand in each other's place for every reader; not compared."),
    (Rule::ThreadRoots, "Roots are thread objects and JNI locals alone."),
    (Rule::ZeroIsNone, "A hash of 0 is written as no hash."),
];
