//! Numbers: digits, words, sizes.

use super::*;

pub(super) fn cases() -> Vec<Case> {
    vec![lower_case(), odd_digits(), many_zeros(), upper_half(), upper_half_wide(), huge_sizes(), sizes_of_4_gib()]
}

fn lower_case() -> Case {
    let text = [
        HEAD,
        "0x0000abcd [16] OBJ A\n\t0X0000ABCD 0x0000aBcD \n",
        "0X0000FeDc [64] CLS A\n\t\n",
        "// Breakdown - Classes: 1, Objects: 1, ObjectArrays: 0, PrimitiveArrays: 0\n",
        "// EOF:  Total 'Objects',Refs(null) : 2,2(0)\n",
    ];
    let told = told().instance(0xabcd, "A", Some(0xfedc), 16, &[0xabcd, 0xabcd]).class(0xfedc, "A", 64, &[]);
    valid("lower-case", "digits and prefixes in either case", &text, 5, told).showing(&["classic.number.word-size"])
}

/// Neither 8 nor 16 digits: the word size is open.
fn odd_digits() -> Case {
    let text = [
        HEAD,
        "0x1000 [16] OBJ A\n\t0x01000 0x0000000000001000 \n",
        "0x000002000 [64] CLS A\n\t\n",
        "// Breakdown - Classes: 1, Objects: 1, ObjectArrays: 0, PrimitiveArrays: 0\n",
        "// EOF:  Total 'Objects',Refs(null) : 2,2(0)\n",
    ];
    let told = told()
        .but(|facts| facts.word_size = None)
        .instance(0x1000, "A", Some(0x2000), 16, &[0x1000, 0x1000])
        .class(0x2000, "A", 64, &[]);
    valid("odd-digits", "addresses of 4, 5, 9 and 16 digits", &text, 5, told).showing(&["classic.number.word-size"])
}

fn many_zeros() -> Case {
    let text = [
        HEAD,
        "0x0000000000001000 [0000000000000000000000016] OBJ A\n\t0x00000000000000000000001000 \n",
        "0x0000000000002000 [64] CLS A\n\t\n",
        "// Breakdown - Classes: 01, Objects: 1, ObjectArrays: 00, PrimitiveArrays: 0\n",
        "// EOF:  Total 'Objects',Refs(null) : 2,1(0)\n",
    ];
    let told = told().wide().instance(0x1000, "A", Some(0x2000), 16, &[0x1000]).class(0x2000, "A", 64, &[]);
    valid("many-zeros", "a reference of 26 digits and a size of 25, all but a few zero", &text, 5, told)
}

/// Addresses that are negative in 32 bits.
fn upper_half() -> Case {
    let text = [
        HEAD,
        "0x80000000 [16] OBJ A\n\t0xFFFFFFF8 \n",
        "0xFFFFFFF8 [2147483648] OBJ A\n\t0x80000000 \n",
        "0xF0000000 [64] CLS A\n\t0x80000000 \n",
        "// Breakdown - Classes: 1, Objects: 2, ObjectArrays: 0, PrimitiveArrays: 0\n",
        "// EOF:  Total 'Objects',Refs(null) : 3,3(0)\n",
    ];
    let told = told()
        .instance(0x8000_0000, "A", Some(0xf000_0000), 16, &[0xffff_fff8])
        .instance(0xffff_fff8, "A", Some(0xf000_0000), 1 << 31, &[0x8000_0000])
        .class(0xf000_0000, "A", 64, &[0x8000_0000]);
    valid("upper-half-32", "addresses and a size above 2^31", &text, 6, told).showing(&["classic.number.word-size"])
}

/// Addresses that are negative in 64 bits.
fn upper_half_wide() -> Case {
    let text = [
        HEAD,
        "0xFFFFFFFFFFFFFFF8 [16] OBJ A\n\t0xFFFFFFFFFFFFFFF8 0x8000000000000000 \n",
        "0x8000000000000000 [64] CLS A\n\t\n",
        "// Breakdown - Classes: 1, Objects: 1, ObjectArrays: 0, PrimitiveArrays: 0\n",
        "// EOF:  Total 'Objects',Refs(null) : 2,2(0)\n",
    ];
    let told = told()
        .wide()
        .instance(0xffff_ffff_ffff_fff8, "A", Some(1 << 63), 16, &[0xffff_ffff_ffff_fff8, 1 << 63])
        .class(1 << 63, "A", 64, &[]);
    valid("upper-half-64", "addresses above 2^63", &text, 5, told).showing(&["classic.number.word-size"])
}

/// What allocates as much as a size says, or keeps it in 32 bits, is seen here.
fn huge_sizes() -> Case {
    let text = [
        HEAD,
        "0x0000000000001000 [4294967312] OBJ [I\n\t\n",
        "0x0000000200000000 [9223372036854775807] OBJ [I\n\t\n",
        "0x0000000000002000 [0] CLS [I\n\t\n",
        "// Breakdown - Classes: 1, Objects: 0, ObjectArrays: 0, PrimitiveArrays: 2\n",
        "// EOF:  Total 'Objects',Refs(null) : 3,0(0)\n",
    ];
    let told = told()
        .wide()
        .ints(0x1000, Some(0x2000), (1 << 32) + 16)
        .ints(0x2_0000_0000, Some(0x2000), (1 << 63) - 1)
        .class(0x2000, "[I", 0, &[]);
    valid("huge-sizes", "arrays of 2^32 + 16 and of 2^63 - 1 bytes, and a class of none", &text, 6, told)
        .showing(&["classic.number.size-meaning"])
}

/// In a word of 32 bits nothing has so many bytes.
fn sizes_of_4_gib() -> Case {
    let text = [HEAD, "0x00001000 [4294967296] OBJ A\n\t\n", CLASS_A, END];
    let told = told().instance(0x1000, "A", Some(0x2000), 1 << 32, &[]).class(0x2000, "A", 64, &[]);
    valid("size-of-4-gib-32", "an object of 2^32 bytes in an address space of as many", &text, 5, told)
        .overlooked("classic.number.size-range", behind(&text[..1]) + 11)
}
