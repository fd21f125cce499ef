//! The examples of the pages, as they stand there.

use heapsmith::classic::Decoder;
use pretty_assertions::assert_eq;

use super::heap::records;

/// S2: one record is glued to the reference line before it, and a class record has lost its own line, so that two lines
/// of references stand after one type.
const S2: &str = "\
// Version: J2RE 6.0 IBM J9 2.5 Linux x86-32 build 20081016_024574_lHdRSr
0x00436E90 [28] OBJ java/lang/String
0x415319D8 0x00436EB0
0x00436EB0 [44] OBJ [C
0x41530F20
0x004380C0 [108] OBJ [Ljava/util/Hashtable$Entry;
0x4158CD80 0x00000000 0x00000000 0x00000000 0x00000000 0x00421660 0x004381C0 0x00438130 0x00438160 0x00421618 \
0x00421690 0x00000000 0x00000000 0x00000000 0x00438178 0x004381A8 0x004381F0 0x00000000 0x004381D8 0x00000000 \
0x00438190 0x00000000 0x004216A8 0x00000000 0x00438130 [24] OBJ java/util/Hashtable$Entry
0x4158CB88 0x004219B8 0x004341F0 0x00000000
0x41532E68 [32] CLS java/lang/Runnable
0x4152F018 0x41532E68 0x00000000 0x00000000 0x00499790
0x00000000 0x004206A8 0x00420720
// Breakdown - Classes: 321, Objects: 3718, ObjectArrays: 169, PrimitiveArrays: 2141
// EOF: Total 'Objects',Refs(null) : 6349,23240(7282)
";

#[test]
fn the_examples_of_s2_are_read_with_the_glued_record() {
    let (found, ended) = records(&mut Decoder::new(S2.as_bytes()).expect("a classic heap dump"));
    assert_eq!(ended.expect("whole"), S2.len() as u64);
    assert_eq!(
        found,
        [
            "line 1, column 1: version J2RE 6.0 IBM J9 2.5 Linux x86-32 build 20081016_024574_lHdRSr",
            "line 2, column 1: 436e90 28 OBJ java/lang/String 415319d8 436eb0",
            "line 4, column 1: 436eb0 44 OBJ [C 41530f20",
            "line 6, column 1: 4380c0 108 OBJ [Ljava/util/Hashtable$Entry; 4158cd80 0 0 0 0 421660 4381c0 438130 \
             438160 421618 421690 0 0 0 438178 4381a8 4381f0 0 4381d8 0 438190 0 4216a8 0",
            "line 7, column 265: 438130 24 OBJ java/util/Hashtable$Entry 4158cb88 4219b8 4341f0 0",
            "line 9, column 1: 41532e68 32 CLS java/lang/Runnable 4152f018 41532e68 0 0 499790 0 4206a8 420720",
            "line 12, column 1: breakdown 321 3718 169 2141",
            "line 13, column 1: totals 6349 23240 7282",
        ]
    );
}

/// S0: references are indented by spaces, and an object without references has no line of them.
const S0: &str = "\
// Version: JRE 1.8.0 Linux amd64-64 (build 1.8.0_232-b09)
0x00000000E0000AF0 [16] OBJ java/lang/String
    0x00000000E0000B00
0x00000000E0000B00 [32] OBJ [C
0x00000000FFF07498 [24] OBJ [Ljava/lang/String;
    0x00000000E0005D78 0x00000000E0005D50 0x00000000E0005D28 0x00000000E0005D00
0x00000000E00174F0 [80] CLS java/util/Date
    0x00000000FFF1BB60 0x00000000FFF29630
// Breakdown - Classes: 630, Objects: 3692, ObjectArrays: 576, PrimitiveArrays: 2249
// EOF:  Total 'Objects',Refs(null) : 7147,22040(12379)
";

#[test]
fn the_examples_of_s0_are_read() {
    let (found, ended) = records(&mut Decoder::new(S0.as_bytes()).expect("a classic heap dump"));
    assert_eq!(ended.expect("whole"), S0.len() as u64);
    assert_eq!(
        found,
        [
            "line 1, column 1: version JRE 1.8.0 Linux amd64-64 (build 1.8.0_232-b09)",
            "line 2, column 1: e0000af0 16 OBJ java/lang/String e0000b00",
            "line 4, column 1: e0000b00 32 OBJ [C",
            "line 5, column 1: fff07498 24 OBJ [Ljava/lang/String; e0005d78 e0005d50 e0005d28 e0005d00",
            "line 7, column 1: e00174f0 80 CLS java/util/Date fff1bb60 fff29630",
            "line 9, column 1: breakdown 630 3692 576 2249",
            "line 10, column 1: totals 7147 22040 12379",
        ]
    );
}
