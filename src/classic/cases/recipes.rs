//! Dumps that are too large to be stored: sizes and counts beyond 31 and 32 bits.

use crate::family::case::ManifestRecipe;

use super::super::family::FAMILY;

/// Texts with `\n` for a line feed and `\t` for a tab.
pub(in super::super) fn recipes() -> Vec<ManifestRecipe> {
    let class = r"0x00002000 [64] CLS A\n\t\n";
    let trailers = |objects: u64, references: u64| {
        format!(
            r"// Breakdown - Classes: 1, Objects: {objects}, ObjectArrays: 0, PrimitiveArrays: 0\n// EOF:  Total 'Objects',Refs(null) : {},{references}(0)\n",
            objects + 1
        )
    };
    vec![
        ManifestRecipe::new(
            FAMILY,
            "classic-recipe-long-name",
            "a class name of 2 MiB, which no class file can have",
            format!(r"// Version: test\n{class}0x00003000 [64] CLS and 2097152 times the letter A, and then \n\t\n"),
            Some(17 + 24 + 20 + 2_097_152 + 3),
            &["classic.record.long"],
            "a finding at offset 41 or later, record 2; the class A before it is sound; or the name",
        ),
        ManifestRecipe::new(
            FAMILY,
            "classic-recipe-long-line",
            "a line of 110 MB: 10000000 references of one object",
            format!(
                r"// Version: test\n0x00001000 [16] OBJ A\n\t, then 10000000 times 0x00001000 and a space, then \n{class}{}",
                trailers(1, 10_000_000)
            ),
            Some(17 + 23 + 110_000_000 + 1 + 24 + 75 + 52),
            &["classic.record.layout"],
            "an object with 10000000 references to itself; memory that grows with it, or not",
        ),
        ManifestRecipe::new(
            FAMILY,
            "classic-recipe-deep-chain",
            "a list of 1000000 elements: what recurses runs out of stack",
            format!(
                r"// Version: test\n, then for each n from 0 to 999999 the object at 10000000 + 10 n (hexadecimal), 0x and 8 digits,  [16] OBJ A\n\t, the next one's address and a space (nothing for the last), and \n; then {class}{}",
                trailers(1_000_000, 999_999)
            ),
            None,
            &["classic.record.layout"],
            "1000000 objects, each referring to the next",
        ),
        ManifestRecipe::new(
            FAMILY,
            "classic-recipe-many-objects",
            "more than 4 GiB of text, and more objects than an index of 31 bits has bytes for",
            "heapsmith generate --format classic --profile openj9 --objects 100000000".to_owned(),
            None,
            &["classic.record.layout"],
            "100000000 objects",
        ),
    ]
}
