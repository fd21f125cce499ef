//! Made from `specs/facets.toml`: `HEAPSMITH_BLESS=1 cargo test --test project` writes it anew.

use crate::compare::Facet;
use crate::compare::carriage::{Carriage, Rule};

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

/// For each facet: how it is carried, by kind of dump.
pub(super) const FACETS: &[(Facet, &[(&str, Carriage)])] = &[
    (
        Facet::Address,
        &[
            ("classic", Carriage::Changed(Rule::Renumbered)),
            ("hprof", Carriage::Changed(Rule::Renumbered)),
            ("phd", Carriage::Changed(Rule::Renumbered)),
        ],
    ),
    (
        Facet::AllocationSites,
        &[
            ("classic", Carriage::None),
            ("hprof", Carriage::Exact),
            ("hprof/*", Carriage::Changed(Rule::OwnLog)),
            ("phd", Carriage::None),
        ],
    ),
    (
        Facet::ArrayLength,
        &[
            ("classic", Carriage::None),
            ("hprof", Carriage::Exact),
            ("phd", Carriage::Exact),
            ("phd/any", Carriage::Changed(Rule::PrimitiveArrays)),
            ("phd4/j9-2.3", Carriage::Changed(Rule::PrimitiveArrays)),
            ("phd4/sovereign", Carriage::Changed(Rule::PrimitiveArrays)),
            ("phd6/as-documented", Carriage::Changed(Rule::Swapped)),
        ],
    ),
    (
        Facet::Class,
        &[
            ("classic", Carriage::Changed(Rule::ClassByName)),
            ("classic/ibm-j9", Carriage::Exact),
            ("hprof", Carriage::Changed(Rule::ArrayClass)),
            ("phd", Carriage::Changed(Rule::ArrayClass)),
        ],
    ),
    (
        Facet::ClassName,
        &[
            ("classic", Carriage::Changed(Rule::NameForm)),
            ("hprof", Carriage::Changed(Rule::NameForm)),
            ("phd", Carriage::Changed(Rule::NameForm)),
        ],
    ),
    (
        Facet::ClassObjectSize,
        &[
            ("classic", Carriage::Exact),
            ("hprof", Carriage::None),
            ("phd", Carriage::None),
        ],
    ),
    (
        Facet::ClassReferences,
        &[
            ("classic", Carriage::Exact),
            ("hprof", Carriage::None),
            ("phd", Carriage::Exact),
        ],
    ),
    (
        Facet::ClassSerial,
        &[
            ("classic", Carriage::None),
            ("hprof", Carriage::Exact),
            ("hprof/*", Carriage::Changed(Rule::OwnLog)),
            ("phd", Carriage::None),
        ],
    ),
    (
        Facet::ClassTrace,
        &[
            ("classic", Carriage::None),
            ("hprof", Carriage::Exact),
            ("hprof/*", Carriage::Changed(Rule::OwnLog)),
            ("hprof/any", Carriage::Exact),
            ("phd", Carriage::None),
        ],
    ),
    (
        Facet::ClassWord,
        &[
            ("classic", Carriage::Changed(Rule::ArrayClass)),
            ("hprof", Carriage::Changed(Rule::ArrayClass)),
            ("phd", Carriage::Changed(Rule::ArrayClass)),
        ],
    ),
    (
        Facet::ConstantPool,
        &[
            ("classic", Carriage::None),
            ("hprof", Carriage::Exact),
            ("hprof/*", Carriage::None),
            ("hprof/agent", Carriage::Exact),
            ("hprof/any", Carriage::Exact),
            ("phd", Carriage::None),
        ],
    ),
    (
        Facet::ControlSettings,
        &[
            ("classic", Carriage::None),
            ("hprof", Carriage::Exact),
            ("hprof/*", Carriage::Changed(Rule::OwnLog)),
            ("phd", Carriage::None),
        ],
    ),
    (
        Facet::CpuSamples,
        &[
            ("classic", Carriage::None),
            ("hprof", Carriage::Exact),
            ("hprof/*", Carriage::Changed(Rule::OwnLog)),
            ("phd", Carriage::None),
        ],
    ),
    (
        Facet::DumpTimes,
        &[
            ("classic", Carriage::None),
            ("hprof", Carriage::Exact),
            ("hprof/*", Carriage::Changed(Rule::OwnLog)),
            ("hprof/agent", Carriage::Exact),
            ("hprof/any", Carriage::Exact),
            ("phd", Carriage::None),
        ],
    ),
    (
        Facet::Elements,
        &[
            ("classic", Carriage::Changed(Rule::AsReferences)),
            ("classic/openj9", Carriage::None),
            ("hprof", Carriage::Exact),
            ("phd", Carriage::None),
        ],
    ),
    (
        Facet::Events,
        &[
            ("classic", Carriage::None),
            ("hprof", Carriage::Changed(Rule::OwnLog)),
            ("phd", Carriage::None),
        ],
    ),
    (
        Facet::FieldValues,
        &[
            ("classic", Carriage::None),
            ("hprof", Carriage::Exact),
            ("phd", Carriage::None),
        ],
    ),
    (
        Facet::Fields,
        &[
            ("classic", Carriage::None),
            ("hprof", Carriage::Exact),
            ("phd", Carriage::None),
        ],
    ),
    (
        Facet::Hash16,
        &[
            ("classic", Carriage::None),
            ("hprof", Carriage::None),
            ("phd", Carriage::Exact),
            ("phd4/sovereign", Carriage::Changed(Rule::Low15Bits)),
            ("phd5/j9-2.6", Carriage::Changed(Rule::Low15Bits)),
            ("phd6/openj9", Carriage::Changed(Rule::Low15Bits)),
        ],
    ),
    (
        Facet::Hash32,
        &[
            ("classic", Carriage::None),
            ("hprof", Carriage::None),
            ("phd", Carriage::Exact),
            ("phd/*", Carriage::Changed(Rule::ZeroIsNone)),
            ("phd/any", Carriage::Exact),
            ("phd4/j9-2.3", Carriage::Changed(Rule::Low15Bits)),
            ("phd5/j9-2.4", Carriage::Changed(Rule::Low15Bits)),
        ],
    ),
    (
        Facet::HashRandoms,
        &[
            ("classic", Carriage::None),
            ("hprof", Carriage::None),
            ("phd", Carriage::Exact),
            ("phd/*", Carriage::None),
            ("phd/any", Carriage::Exact),
            ("phd4/sovereign", Carriage::Exact),
        ],
    ),
    (
        Facet::HeaderTotals,
        &[
            ("classic", Carriage::None),
            ("hprof", Carriage::None),
            ("phd", Carriage::Exact),
            ("phd/*", Carriage::None),
            ("phd/any", Carriage::Exact),
            ("phd4/sovereign", Carriage::Exact),
        ],
    ),
    (
        Facet::HeaderVersion,
        &[
            ("classic", Carriage::None),
            ("hprof", Carriage::Changed(Rule::OwnLog)),
            ("phd", Carriage::None),
        ],
    ),
    (
        Facet::HeapSummaries,
        &[
            ("classic", Carriage::None),
            ("hprof", Carriage::Exact),
            ("hprof/*", Carriage::Changed(Rule::OwnLog)),
            ("phd", Carriage::None),
        ],
    ),
    (
        Facet::IdentifierSize,
        &[
            ("classic", Carriage::None),
            ("hprof", Carriage::Changed(Rule::Derived)),
            ("hprof/*", Carriage::Exact),
            ("hprof/agent", Carriage::None),
            ("hprof/art", Carriage::None),
            ("phd", Carriage::None),
        ],
    ),
    (
        Facet::InstanceSize,
        &[
            ("classic", Carriage::None),
            ("hprof", Carriage::Changed(Rule::FieldBytes)),
            ("phd", Carriage::Changed(Rule::Rounded)),
        ],
    ),
    (
        Facet::Interfaces,
        &[
            ("classic", Carriage::None),
            ("hprof", Carriage::None),
            ("phd", Carriage::None),
        ],
    ),
    (
        Facet::Kind,
        &[
            ("classic", Carriage::Exact),
            ("hprof", Carriage::Exact),
            ("phd", Carriage::Exact),
        ],
    ),
    (
        Facet::Loader,
        &[
            ("classic", Carriage::None),
            ("hprof", Carriage::Exact),
            ("phd", Carriage::None),
        ],
    ),
    (
        Facet::NullReferences,
        &[
            ("classic", Carriage::Exact),
            ("classic/*", Carriage::Changed(Rule::Counted)),
            ("classic/any", Carriage::Exact),
            ("hprof", Carriage::None),
            ("phd", Carriage::None),
        ],
    ),
    (
        Facet::ObjectSize,
        &[
            ("classic", Carriage::Exact),
            ("hprof", Carriage::None),
            ("phd", Carriage::Changed(Rule::SizesInWords)),
            ("phd4", Carriage::None),
            ("phd5", Carriage::None),
            ("phd6/as-documented", Carriage::Changed(Rule::Swapped)),
        ],
    ),
    (
        Facet::ObjectTrace,
        &[
            ("classic", Carriage::None),
            ("hprof", Carriage::Exact),
            ("hprof/*", Carriage::Changed(Rule::OwnLog)),
            ("hprof/any", Carriage::Exact),
            ("phd", Carriage::None),
        ],
    ),
    (
        Facet::PrimitiveContents,
        &[
            ("classic", Carriage::None),
            ("hprof", Carriage::Exact),
            ("phd", Carriage::None),
        ],
    ),
    (
        Facet::ProtectionDomain,
        &[
            ("classic", Carriage::None),
            ("hprof", Carriage::Exact),
            ("hprof/sa", Carriage::None),
            ("phd", Carriage::None),
        ],
    ),
    (
        Facet::RecordOrder,
        &[
            ("classic", Carriage::Changed(Rule::Reordered)),
            ("classic/any", Carriage::Exact),
            ("hprof", Carriage::Changed(Rule::Reordered)),
            ("hprof/any", Carriage::Exact),
            ("hprof/art", Carriage::Exact),
            ("phd", Carriage::Changed(Rule::Reordered)),
            ("phd/any", Carriage::Exact),
            ("phd4/sovereign", Carriage::Exact),
            ("phd6/as-documented", Carriage::Exact),
        ],
    ),
    (
        Facet::ReferenceOrder,
        &[
            ("classic", Carriage::Changed(Rule::Reordered)),
            ("hprof", Carriage::Changed(Rule::Reordered)),
            ("phd", Carriage::Changed(Rule::Reordered)),
        ],
    ),
    (
        Facet::References,
        &[
            ("classic", Carriage::Exact),
            ("hprof", Carriage::Exact),
            ("phd", Carriage::Exact),
            ("phd4/j9-2.3", Carriage::Changed(Rule::ArrayClassFirst)),
        ],
    ),
    (
        Facet::Regions,
        &[
            ("classic", Carriage::None),
            ("hprof", Carriage::Exact),
            ("hprof/*", Carriage::None),
            ("hprof/any", Carriage::Changed(Rule::Android)),
            ("hprof/art", Carriage::Exact),
            ("phd", Carriage::None),
        ],
    ),
    (
        Facet::RootOrder,
        &[
            ("classic", Carriage::None),
            ("hprof", Carriage::Changed(Rule::Reordered)),
            ("phd", Carriage::None),
        ],
    ),
    (
        Facet::Roots,
        &[
            ("classic", Carriage::None),
            ("hprof", Carriage::Exact),
            ("hprof/*", Carriage::Changed(Rule::PlainRoots)),
            ("hprof/art", Carriage::Exact),
            ("hprof/sa", Carriage::Changed(Rule::ThreadRoots)),
            ("phd", Carriage::None),
        ],
    ),
    (
        Facet::Signers,
        &[
            ("classic", Carriage::None),
            ("hprof", Carriage::Exact),
            ("hprof/sa", Carriage::None),
            ("phd", Carriage::None),
        ],
    ),
    (
        Facet::StackTraces,
        &[
            ("classic", Carriage::None),
            ("hprof", Carriage::Exact),
            ("phd", Carriage::None),
        ],
    ),
    (
        Facet::Statics,
        &[
            ("classic", Carriage::None),
            ("hprof", Carriage::Exact),
            ("phd", Carriage::None),
        ],
    ),
    (
        Facet::Strings,
        &[
            ("classic", Carriage::None),
            ("hprof", Carriage::Exact),
            ("hprof/sa", Carriage::Changed(Rule::OwnLog)),
            ("phd", Carriage::None),
        ],
    ),
    (
        Facet::Superclass,
        &[
            ("classic", Carriage::None),
            ("hprof", Carriage::Exact),
            ("phd", Carriage::Exact),
        ],
    ),
    (
        Facet::Threads,
        &[
            ("classic", Carriage::None),
            ("hprof", Carriage::Exact),
            ("hprof/*", Carriage::Changed(Rule::Nameless)),
            ("hprof/agent", Carriage::Exact),
            ("hprof/any", Carriage::Exact),
            ("hprof/sa", Carriage::Changed(Rule::BareThreads)),
            ("phd", Carriage::None),
        ],
    ),
    (
        Facet::TimeStamp,
        &[
            ("classic", Carriage::None),
            ("hprof", Carriage::Exact),
            ("phd", Carriage::None),
        ],
    ),
    (
        Facet::UnknownRecords,
        &[
            ("classic", Carriage::None),
            ("hprof", Carriage::Exact),
            ("hprof/*", Carriage::Changed(Rule::OwnLog)),
            ("phd", Carriage::None),
        ],
    ),
    (
        Facet::Unloads,
        &[
            ("classic", Carriage::None),
            ("hprof", Carriage::Exact),
            ("hprof/*", Carriage::Changed(Rule::OwnLog)),
            ("phd", Carriage::None),
        ],
    ),
    (
        Facet::VersionText,
        &[
            ("classic", Carriage::Exact),
            ("hprof", Carriage::None),
            ("phd", Carriage::Exact),
            ("phd4/sovereign", Carriage::None),
        ],
    ),
    (
        Facet::WordSize,
        &[
            ("classic", Carriage::Exact),
            ("classic/any", Carriage::Changed(Rule::AsSpelled)),
            ("hprof", Carriage::None),
            ("phd", Carriage::Exact),
        ],
    ),
];
