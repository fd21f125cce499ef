//! The writers that are imitated, as data.

use crate::hprof::wire::{IdSize, RecordTag, Version};
use crate::lower::ClassPlacement;
use crate::model::{Address, PrimitiveType, Root, RootKind, RootWriter, Serial};

/// The order in which a writer goes through the classes of a process. A table shows by itself which end is the newer
/// one: no class is loaded before its superclass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClassOrder {
    /// As the table has them.
    AsTable,
    /// The class that was loaded last comes first, and those of primitive arrays, which are made before any class is
    /// loaded, last (HotSpot and the serviceability agent; in no dump of 8, 11, 17, 21 and 25 does a superclass stand
    /// before a class).
    NewestFirst,
    /// A class follows its superclasses (the hprof agent: `dump_class_and_supers`).
    SupersFirst,
}

/// A writer of HPROF dumps.
#[derive(Debug)]
pub struct Profile {
    /// The writer's name.
    pub name: &'static str,
    /// The framings of a heap that it can write; the first is its usual one.
    pub framings: &'static [Framing],
    /// Size of its identifiers, if it is always the same.
    pub id_size: Option<IdSize>,
    /// The spelling of class names.
    pub names: NameForm,
    /// The style of the log: the records outside of the heap.
    pub log: LogStyle,
    /// The place of CLASS DUMPs among the objects.
    pub classes: ClassPlacement,
    /// The order in which it goes through the classes.
    pub class_order: ClassOrder,
    /// Whether the class objects of primitive types have no CLASS DUMP and are plain instances of `java/lang/Class`, if the
    /// heap has that class (dumps of HotSpot 5 to 25, SA 17 and agent 6).
    pub primitive_mirrors: bool,
    /// The place of the roots.
    pub roots: RootOrder,
    /// The writer whose kinds of root it has; `None`: the heap's own, and without Android's sub-records its kinds are
    /// unknown ones.
    pub root_writer: Option<RootWriter>,
    /// Whether a class has its signers and protection domain, or none.
    pub owners: bool,
    /// The instance size in the CLASS DUMP of an array.
    pub arrays: InstanceSizes,
    /// Whether constant pools are written.
    pub constant_pool: bool,
    /// Whether Android's sub-records are.
    pub android: bool,
    /// Stack trace serial of every class and object; `None`: their own.
    pub trace: Option<u32>,
}

/// The framing of a heap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Framing {
    /// Header version.
    pub version: Version,
    /// HEAP DUMP or HEAP DUMP SEGMENT.
    pub tag: RecordTag,
    /// The ends of segments.
    pub cut: SegmentCut,
    /// Whether HEAP DUMP END follows.
    pub end: bool,
    /// Whether blocks of objects have segments of their own, each with as many of them as have all shapes: so it is known where
    /// each begins.
    pub groups: bool,
}

/// The ends of segments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SegmentCut {
    /// One HEAP DUMP for the whole heap.
    Whole,
    /// One segment for the whole heap.
    Giant,
    /// Where a buffer of 1 MiB is full, which the tables before the heap go through as well (HotSpot 12 to 21).
    SharedBuffer,
    /// Where a buffer of its own with this number of bytes is full (1 MiB in HotSpot 22 and later, 8 MiB in 11).
    OwnBuffer(u64),
    /// After each array, and where 1 MiB is exceeded (the serviceability agent of JDK 17, compressing).
    Arrays,
    /// After each sub-record (that of JDK 25, compressing).
    Each,
    /// After 128 objects and roots or 4096 bytes (ART).
    Android,
    /// Anywhere, empty segments included, as a seed says.
    Drawn,
    /// In this number of segments for each heap, over which its sub-records are shared out evenly by number (no writer's habit).
    Count(u64),
}

impl SegmentCut {
    /// Whether the heap has to be gone through once in advance.
    pub(super) fn is_measured(self) -> bool {
        !self.is_bounded() || matches!(self, SegmentCut::Count(_))
    }

    /// Whether a segment that is written may be held until it ends, in memory or a temporary file.
    pub fn is_bounded(self) -> bool {
        !matches!(self, SegmentCut::Whole | SegmentCut::Giant)
    }
}

/// The spelling of class names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameForm {
    /// `java/lang/String`, `[I`, `[Ljava/lang/String;`.
    Jvm,
    /// `java.lang.String`, `int[]`, `java.lang.String[]` (S3, Handling of Arrays).
    Java,
}

/// The style of a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogStyle {
    /// The strings that there are, and their place.
    pub strings: LogStrings,
    /// Whether START THREAD and the records about samples and sites are written.
    pub non_heap: bool,
    /// Whether TIME is recorded, or 0.
    pub times: bool,
    /// The first class serial number.
    pub first_class: u32,
    /// A trace without frames that comes first: its serial number.
    pub dummy_trace: Option<u32>,
    /// Whether it stands in front of the strings as well.
    pub dummy_in_front: bool,
    /// Whether the classes of arrays follow that of their element: LOAD CLASS of them comes there, and again in
    /// their own place. Those of primitive types come once more in the end, in this order of types.
    pub arrays_after: Option<[PrimitiveType; 8]>,
    /// The first frame's identifier.
    pub first_frame: u64,
}

/// The strings that a log has, and their place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogStrings {
    /// All before the first LOAD CLASS, with some that nothing names.
    First,
    /// Strings of classes before the first LOAD CLASS, those of a frame before it, and no others (the serviceability
    /// agent).
    Needed,
    /// Each where it is first used.
    AtUse,
}

/// The place of the roots in a heap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RootOrder {
    /// Before the first class and object.
    First,
    /// After the classes that come first, before the objects.
    BehindClasses,
    /// After the last object.
    Last,
    /// Anywhere.
    Drawn,
}

/// The instance size in a CLASS DUMP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InstanceSizes {
    /// The field bytes of the class and its superclasses.
    Fields,
    /// The field bytes of the class and its superclasses, but 0 for arrays (every known writer: dumps of HotSpot, SA
    /// and agent; hprof.cc of ART).
    ZeroForArrays,
}

impl Profile {
    /// Another name of a profile: `hotspot` is the newest HotSpot.
    pub fn alias(name: &str) -> Option<&'static str> {
        (name == NEWEST).then_some(HOTSPOT_ALIAS)
    }

    /// The profile of a name, or of another name that it has.
    pub fn named(name: &str) -> Option<&'static Profile> {
        let name = if name == HOTSPOT_ALIAS { NEWEST } else { name };
        PROFILES.iter().chain([&EVEN]).find(|profile| profile.name == name)
    }

    /// The profile that is taken where none is named.
    pub fn default_profile() -> &'static Profile {
        PROFILES.iter().find(|profile| profile.name == NEWEST).unwrap_or(&PROFILES[0])
    }

    /// Whether the spelling is drawn from a seed.
    pub fn is_seeded(&self) -> bool {
        self.name == "any"
    }
}

/// The root that the hprof agent begins with: a thread without an object, for locals whose thread it cannot tell (dump of
/// agent 6; `site_heapdump` in hprof_site.c).
pub(super) const AGENT_UNKNOWN: Root =
    Root { object: Address(0), kind: RootKind::ThreadObject(Serial(200_000), Serial(300_000)), after: None };

const NEWEST: &str = "hotspot-25";
const HOTSPOT_ALIAS: &str = "hotspot";

const HOTSPOT_LOG: LogStyle = LogStyle {
    strings: LogStrings::First,
    non_heap: false,
    times: false,
    first_class: 1,
    dummy_trace: Some(1),
    dummy_in_front: false,
    arrays_after: None,
    first_frame: 2,
};

/// HotSpot 17. Its order of primitive types is that of their codes.
const LOG_OF_17: LogStyle = LogStyle { arrays_after: Some(PrimitiveType::ALL), first_frame: 1, ..HOTSPOT_LOG };

/// HotSpot 8 and 11.
const OLD_LOG: LogStyle = LogStyle {
    arrays_after: Some([
        PrimitiveType::Boolean,
        PrimitiveType::Byte,
        PrimitiveType::Char,
        PrimitiveType::Int,
        PrimitiveType::Short,
        PrimitiveType::Long,
        PrimitiveType::Float,
        PrimitiveType::Double,
    ]),
    ..LOG_OF_17
};

const fn segments(version: Version, cut: SegmentCut) -> Framing {
    Framing { version, tag: RecordTag::HEAP_DUMP_SEGMENT, cut, end: true, groups: false }
}

const fn whole(version: Version) -> Framing {
    Framing { version, tag: RecordTag::HEAP_DUMP, cut: SegmentCut::Whole, end: false, groups: false }
}

/// The framings of heaps that are written as they were, by header version.
pub(super) const KEEPING: &[Framing] = &[
    whole(Version::V1_0_1),
    segments(Version::V1_0_2, SegmentCut::OwnBuffer(1 << 20)),
    segments(Version::V1_0_3, SegmentCut::Android),
];

const HOTSPOT: Profile = Profile {
    name: NEWEST,
    framings: &[segments(Version::V1_0_2, SegmentCut::OwnBuffer(1 << 20))],
    id_size: None,
    names: NameForm::Jvm,
    log: HOTSPOT_LOG,
    classes: ClassPlacement::ClassesFirst,
    class_order: ClassOrder::NewestFirst,
    primitive_mirrors: true,
    roots: RootOrder::BehindClasses,
    root_writer: Some(RootWriter::HotSpot),
    owners: true,
    arrays: InstanceSizes::ZeroForArrays,
    constant_pool: false,
    android: false,
    trace: Some(1),
};

/// HotSpot but for where the segments of large generated heaps end, which no JVM does: any stretch of a dump of any size can be
/// written without what stands before it.
const EVEN: Profile = Profile {
    name: "even",
    framings: &[Framing { groups: true, ..segments(Version::V1_0_2, SegmentCut::OwnBuffer(1 << 20)) }],
    ..HOTSPOT
};

/// Every profile that a dump can be recognised as. Recognition tries them in this order.
pub const PROFILES: &[Profile] = &[
    HOTSPOT,
    Profile {
        name: "hotspot-21",
        framings: &[segments(Version::V1_0_2, SegmentCut::SharedBuffer)],
        log: LogStyle { first_frame: 1, ..HOTSPOT_LOG },
        ..HOTSPOT
    },
    Profile {
        name: "hotspot-17",
        framings: &[segments(Version::V1_0_2, SegmentCut::SharedBuffer)],
        log: LOG_OF_17,
        roots: RootOrder::Last,
        ..HOTSPOT
    },
    Profile {
        name: "hotspot-11",
        framings: &[
            segments(Version::V1_0_2, SegmentCut::OwnBuffer(8 << 20)),
            segments(Version::V1_0_2, SegmentCut::Giant),
        ],
        log: OLD_LOG,
        roots: RootOrder::Last,
        ..HOTSPOT
    },
    Profile {
        name: "hotspot-8",
        framings: &[whole(Version::V1_0_1)],
        log: OLD_LOG,
        roots: RootOrder::Last,
        root_writer: Some(RootWriter::HotSpot8),
        ..HOTSPOT
    },
    Profile {
        name: "sa",
        framings: &[
            whole(Version::V1_0_2),
            segments(Version::V1_0_2, SegmentCut::Arrays),
            segments(Version::V1_0_2, SegmentCut::Each),
        ],
        log: LogStyle { strings: LogStrings::Needed, dummy_in_front: true, first_frame: 1, ..HOTSPOT_LOG },
        roots: RootOrder::Last,
        root_writer: Some(RootWriter::Sa),
        owners: false,
        ..HOTSPOT
    },
    Profile {
        name: "agent",
        framings: &[segments(Version::V1_0_2, SegmentCut::Giant), whole(Version::V1_0_1)],
        id_size: Some(IdSize::Four),
        names: NameForm::Java,
        log: LogStyle {
            strings: LogStrings::AtUse,
            non_heap: true,
            times: true,
            first_class: 100_000,
            dummy_trace: Some(300_000),
            dummy_in_front: false,
            arrays_after: None,
            first_frame: 1,
        },
        classes: ClassPlacement::ClassesLast,
        class_order: ClassOrder::SupersFirst,
        primitive_mirrors: true,
        roots: RootOrder::First,
        root_writer: Some(RootWriter::Agent),
        owners: true,
        arrays: InstanceSizes::ZeroForArrays,
        constant_pool: true,
        android: false,
        trace: Some(300_000),
    },
    Profile {
        name: "art",
        framings: &[segments(Version::V1_0_3, SegmentCut::Android)],
        id_size: Some(IdSize::Four),
        names: NameForm::Java,
        log: LogStyle {
            strings: LogStrings::First,
            non_heap: false,
            times: false,
            first_class: 1,
            dummy_trace: Some(0),
            dummy_in_front: false,
            arrays_after: None,
            first_frame: 1,
        },
        classes: ClassPlacement::AsHeap,
        class_order: ClassOrder::AsTable,
        primitive_mirrors: false,
        roots: RootOrder::First,
        root_writer: Some(RootWriter::Art),
        owners: false,
        arrays: InstanceSizes::ZeroForArrays,
        constant_pool: false,
        android: true,
        trace: Some(0),
    },
    Profile {
        name: "any",
        framings: &[
            segments(Version::V1_0_2, SegmentCut::Drawn),
            segments(Version::V1_0_3, SegmentCut::Drawn),
            whole(Version::V1_0_1),
            whole(Version::V1_0_2),
        ],
        id_size: None,
        names: NameForm::Jvm,
        log: LogStyle {
            strings: LogStrings::AtUse,
            non_heap: true,
            times: true,
            first_class: 0x7fff_fff0,
            dummy_trace: None,
            dummy_in_front: false,
            arrays_after: Some(PrimitiveType::ALL),
            first_frame: 1,
        },
        classes: ClassPlacement::AsHeap,
        class_order: ClassOrder::AsTable,
        primitive_mirrors: false,
        roots: RootOrder::Drawn,
        root_writer: None,
        owners: true,
        arrays: InstanceSizes::ZeroForArrays,
        constant_pool: true,
        android: true,
        trace: None,
    },
];
