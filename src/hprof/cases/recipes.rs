//! Dumps that are too large to be stored: sizes and counts beyond 31 and 32 bits.

use crate::family::case::ManifestRecipe;

use super::super::family::FAMILY;

/// The 70 bytes before the heap: a header of 1.0.1 with identifiers of 4 bytes, the string 1 "A", the class 1000.
const START: &str = "4a4156412050524f46494c4520312e302e310000000004000000000000000001000000000000000500000001410200000000\
                     0000001000000001000010000000000000000001";
/// The CLASS DUMP of the class 1000: 43 bytes.
const CLASS: &str = "20000010000000000000000000000000000000000000000000000000000000000000000000000000000000";

pub(in super::super) fn recipes() -> Vec<ManifestRecipe> {
    let sparse = |head: &str, array: &str, zeros: &str| {
        format!("the bytes {START} {head} {CLASS} {array}, and then {zeros} zero bytes; a sparse file will do")
    };
    let one_array = "the class A, and one array of the length that the recipe says, all zeros";
    vec![
        // 43 + 14 + 2^31 bytes.
        ManifestRecipe::new(
            FAMILY,
            "hprof-recipe-2-gib",
            "a HEAP DUMP whose length is negative in 31 bits",
            sparse("0c0000000080000039", "2300002000000000008000000008", "2147483648"),
            Some(70 + 9 + 43 + 14 + (1 << 31)),
            &["hprof.record.length-unsigned"],
            one_array,
        ),
        // 2^28 + 1 longs are 2^31 + 8 bytes.
        ManifestRecipe::new(
            FAMILY,
            "hprof-recipe-long-array",
            "a long[] of more than 2^31 bytes",
            sparse("0c0000000080000041", "230000200000000000100000010b", "2147483656"),
            Some(70 + 9 + 43 + 14 + (1 << 31) + 8),
            &["hprof.record.length-unsigned"],
            one_array,
        ),
        // 43 + 14 + 2^32 - 1 bytes wrap to 56.
        ManifestRecipe::new(
            FAMILY,
            "hprof-recipe-4-gib",
            "a HEAP DUMP of more than 4 GiB, whose length has wrapped",
            sparse("0c0000000000000038", "230000200000000000ffffffff08ffffffffffffffff", "4294967287"),
            Some(70 + 9 + 43 + 14 + (1 << 32) - 1),
            &["hprof.segment.wrapped", "hprof.segment.wrapped-length"],
            "the class A, and one array of 2^32 - 1 bytes, the first eight ff; or a refusal",
        ),
        ManifestRecipe::new(
            FAMILY,
            "hprof-recipe-many-objects",
            "more objects of one kind than an index of 31 bits has bytes for",
            "heapsmith generate --format hprof --profile hotspot-25 --objects 100000000".to_owned(),
            None,
            &["hprof.record.length-unsigned"],
            "100000000 objects",
        ),
        ManifestRecipe::new(
            FAMILY,
            "hprof-recipe-many-threads",
            "400000 threads, each with its root: what takes quadratic time is seen",
            format!(
                "as hprof-recipe-2-gib up to the CLASS DUMP, then for each n from 1 to 400000 a ROOT THREAD OBJECT of the \
                 class's identifier, the thread n and the trace 0 (08 00001000 n 00000000, n in 4 bytes); the length \
                 of the HEAP DUMP is 43 + 13 * 400000 = {}",
                43 + 13 * 400_000
            ),
            Some(70 + 9 + 43 + 13 * 400_000),
            &["hprof.root.repeated"],
            "400000 roots and threads",
        ),
        ManifestRecipe::new(
            FAMILY,
            "hprof-recipe-deep-chain",
            "a list of 1000000 elements: what recurses runs out of stack",
            format!(
                "as hprof-recipe-2-gib, with the class 1000 having one field of the name 1 and the type 2 and the \
                 instance size 4, so that its CLASS DUMP has 48 bytes; then for each n from 0 to 999999 an instance of \
                 it with the identifier 10000 + 8 n (hexadecimal 10000) whose field is the next one's, the last one's \
                 0; the length of the HEAP DUMP is 48 + 21 * 1000000 = {}",
                48 + 21 * 1_000_000
            ),
            Some(70 + 9 + 48 + 21 * 1_000_000),
            &["hprof.instance.layout"],
            "1000000 objects, each referring to the next",
        ),
    ]
}
