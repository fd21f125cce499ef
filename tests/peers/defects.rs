//! What peers get wrong, each with the least dump that shows it.
//!
//! heapsmith's reading of every one of these dumps is right by the documents: they are valid, and say one thing.

use hex_literal::hex;

use super::census::Feature;

/// A valid dump that some peers do not read.
pub(crate) struct Defect {
    /// A name for reports.
    pub(crate) id: &'static str,
    /// What the dump has.
    pub(crate) what: &'static str,
    /// Who gets it wrong: refuses it, or counts something else.
    pub(crate) peers: &'static [&'static str],
    /// What to look for in other dumps.
    pub(crate) feature: Feature,
    /// The dump.
    pub(crate) dump: &'static [u8],
}

pub(crate) const DEFECTS: &[Defect] = &[
    Defect {
        id: "constant-pool",
        what: "a class with a constant pool of one boolean",
        peers: &["jvm-hprof"],
        feature: Feature::ConstantPool,
        dump: &hex!(
            "4a4156412050524f46494c4520312e302e32000000000400000000000000000100000000000000050000000141020000"
            "000000000010000000010000001000000000000000011c000000000000002f2000000010000000000000000000000000"
            "0000000000000000000000000000000000000000000100010401000000002c0000000000000000"
        ),
    },
    Defect {
        id: "top-10-then-dump",
        what: "an unknown top-level tag, 0x10",
        peers: &["jvm-hprof", "hprof-slurp"],
        feature: Feature::UnknownTag,
        dump: &hex!(
            "4a4156412050524f46494c4520312e302e3200000000040000000000000000100000000000000001001c000000000000"
            "0005ff000000202c0000000000000000"
        ),
    },
    Defect {
        id: "top-80-then-dump",
        what: "an unknown top-level tag above 0x7f",
        peers: &["jvm-hprof", "hprof-slurp", "visualvm"],
        feature: Feature::HighTag,
        dump: &hex!(
            "4a4156412050524f46494c4520312e302e3200000000040000000000000000800000000000000001001c000000000000"
            "0005ff000000202c0000000000000000"
        ),
    },
    Defect {
        id: "empty-segment-then-root",
        what: "an empty segment",
        peers: &["visualvm"],
        feature: Feature::EmptyRecord,
        dump: &hex!(
            "4a4156412050524f46494c4520312e302e32000000000400000000000000001c00000000000000001c00000000000000"
            "05ff000000202c0000000000000000"
        ),
    },
    Defect {
        id: "no-end",
        what: "segments without HEAP DUMP END",
        peers: &["visualvm"],
        feature: Feature::NoEnd,
        dump: &hex!("4a4156412050524f46494c4520312e302e32000000000400000000000000001c0000000000000005ff00000020"),
    },
    Defect {
        id: "unload-between",
        what: "UNLOAD CLASS between segments",
        peers: &["visualvm"],
        feature: Feature::Between,
        dump: &hex!(
            "4a4156412050524f46494c4520312e302e32000000000400000000000000001c0000000000000005ff00000020030000"
            "000000000004000000011c0000000000000005ff000000202c0000000000000000"
        ),
    },
    Defect {
        id: "0c-then-1c",
        what: "a HEAP DUMP, then a HEAP DUMP SEGMENT",
        peers: &["visualvm"],
        feature: Feature::BothKinds,
        dump: &hex!(
            "4a4156412050524f46494c4520312e302e32000000000400000000000000000c0000000000000005ff000000201c0000"
            "000000000005ff000000202c0000000000000000"
        ),
    },
    Defect {
        id: "two-dumps",
        what: "two dumps",
        peers: &["hprof-analyzer"],
        feature: Feature::TwoDumps,
        dump: &hex!(
            "4a4156412050524f46494c4520312e302e32000000000400000000000000001c0000000000000005ff000000202c0000"
            "0000000000001c0000000000000005ff000000202c0000000000000000"
        ),
    },
    Defect {
        id: "class-in-first-dump-only",
        what: "two dumps, the class in the first alone",
        peers: &["hprof-analyzer", "visualvm"],
        feature: Feature::OldClass,
        dump: &hex!(
            "4a4156412050524f46494c4520312e302e32000000000400000000000000000100000000000000050000000141020000"
            "000000000010000000010000001000000000000000011c000000000000003c2000000010000000000000000000000000"
            "000000000000000000000000000000000000000000000000000021000000200000000000000010000000002c00000000"
            "000000001c000000000000001121000000210000000000000010000000002c0000000000000000"
        ),
    },
    Defect {
        id: "name-after-end",
        what: "the name of a class after HEAP DUMP END",
        peers: &["hprof-analyzer"],
        feature: Feature::LateName,
        dump: &hex!(
            "4a4156412050524f46494c4520312e302e32000000000400000000000000000200000000000000100000000100000010"
            "00000000000000011c000000000000003c20000000100000000000000000000000000000000000000000000000000000"
            "00000000000000000000000021000000200000000000000010000000002c000000000000000001000000000000000500"
            "00000141"
        ),
    },
    Defect {
        id: "android-89",
        what: "an Android root",
        peers: &["jvm-hprof"],
        feature: Feature::Android,
        dump: &hex!(
            "4a4156412050524f46494c4520312e302e33000000000400000000000000001c000000000000000a8900000020ff0000"
            "00202c0000000000000000"
        ),
    },
    Defect {
        id: "android-8a",
        what: "ROOT FINALIZING",
        peers: &["jvm-hprof", "hprof-analyzer"],
        feature: Feature::Finalizing,
        dump: &hex!(
            "4a4156412050524f46494c4520312e302e33000000000400000000000000001c000000000000000a8a00000020ff0000"
            "00202c0000000000000000"
        ),
    },
    Defect {
        id: "android-90",
        what: "ROOT UNREACHABLE",
        peers: &["jvm-hprof", "hprof-slurp", "hprof-analyzer", "visualvm"],
        feature: Feature::Unreachable,
        dump: &hex!(
            "4a4156412050524f46494c4520312e302e33000000000400000000000000001c000000000000000a9000000020ff0000"
            "00202c0000000000000000"
        ),
    },
    Defect {
        id: "android-8e",
        what: "ROOT JNI MONITOR",
        peers: &["jvm-hprof", "visualvm"],
        feature: Feature::JniMonitor,
        dump: &hex!(
            "4a4156412050524f46494c4520312e302e33000000000400000000000000001c00000000000000128e00000020000000"
            "0100000000ff000000202c0000000000000000"
        ),
    },
    Defect {
        id: "android-fe",
        what: "HEAP DUMP INFO",
        peers: &["jvm-hprof"],
        feature: Feature::Android,
        dump: &hex!(
            "4a4156412050524f46494c4520312e302e33000000000400000000000000001c000000000000000efe00000041000000"
            "01ff000000202c0000000000000000"
        ),
    },
    Defect {
        id: "android-c3",
        what: "an array without its elements",
        peers: &["jvm-hprof", "hprof-analyzer", "visualvm"],
        feature: Feature::NoData,
        dump: &hex!(
            "4a4156412050524f46494c4520312e302e33000000000400000000000000001c0000000000000013c300000030000000"
            "00000000020aff000000202c0000000000000000"
        ),
    },
    Defect {
        id: "int-array-without-class",
        what: "int[1], and no class of int[]",
        peers: &["visualvm"],
        feature: Feature::ArrayWithoutClass,
        dump: &hex!(
            "4a4156412050524f46494c4520312e302e32000000000400000000000000000100000000000000050000000141020000"
            "000000000010000000010000001000000000000000011c000000000000003d2000000010000000000000000000000000"
            "0000000000000000000000000000000000000000000000000000230000003000000000000000010a000000052c000000"
            "0000000000"
        ),
    },
    Defect {
        id: "id-2-instances",
        what: "identifiers of 2 bytes",
        peers: &["jvm-hprof", "hprof-slurp", "hprof-analyzer", "visualvm"],
        feature: Feature::NarrowIds,
        dump: &hex!(
            "4a4156412050524f46494c4520312e302e32000000000200000000000000000100000000000000030001410200000000"
            "0000000c0000000100100000000000011c00000000000000442000100000000000000000000000000000000000000000"
            "0000000000002100200000000000100000000021002100000000001000000000210022000000000010000000002c0000"
            "000000000000"
        ),
    },
    Defect {
        id: "boolean-2",
        what: "a boolean that is 2",
        peers: &["jvm-hprof", "visualvm"],
        feature: Feature::OddBoolean,
        dump: &hex!(
            "4a4156412050524f46494c4520312e302e32000000000400000000000000000100000000000000050000000141020000"
            "000000000010000000010000001000000000000000011c00000000000000422000000010000000000000000000000000"
            "000000000000000000000000000000000000000100000000000100000001042100000020000000000000001000000001"
            "022c0000000000000000"
        ),
    },
    Defect {
        id: "name-c080",
        what: "a NUL in a class name",
        peers: &["jvm-hprof", "hprof-slurp", "hprof-analyzer", "visualvm"],
        feature: Feature::ModifiedName,
        dump: &hex!(
            "4a4156412050524f46494c4520312e302e32000000000400000000000000000100000000000000070000000141c08002"
            "0000000000000010000000010000001000000000000000011c000000000000003c200000001000000000000000000000"
            "0000000000000000000000000000000000000000000000000000000021000000200000000000000010000000002c0000"
            "000000000000"
        ),
    },
    Defect {
        id: "gzip",
        what: "gzip",
        peers: &["jvm-hprof", "hprof-slurp", "visualvm"],
        feature: Feature::Gzip,
        dump: &hex!(
            "1f8b0800000000000203f3720c73540808f277f3f4715530d433d033640002160628e081d2acff81840200b640f5142d"
            "000000"
        ),
    },
];
