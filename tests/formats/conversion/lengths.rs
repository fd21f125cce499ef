//! Lengths of arrays that are worked out from their sizes in classic text.

use std::fmt::Write;

use heapsmith::convert::{ArrayHeader, ArrayLengths, Conversion, ConvertOptions, HeaderFound, convert};
use heapsmith::read;

use super::sample::lowering;

/// An array: its size, class, and how many references it lists.
type Array = (u64, &'static str, usize);

fn text(digits: usize, arrays: &[Array]) -> String {
    let mut text = "// Version: J2RE\n".to_owned();
    for (number, (size, class, listed)) in (1..).zip(arrays) {
        let listed = format!("0x{:0digits$X} ", 0x10000).repeat(*listed);
        writeln!(text, "0x{:0digits$X} [{size}] OBJ {class}\n\t{listed}", 0x10000 * number).expect("memory");
    }
    text
}

/// The lengths in the PHD that is made of a text, in its order.
fn lengths(text: &str, header: Option<ArrayHeader>) -> (Vec<u64>, Conversion) {
    let to = lowering(&"phd5/j9-2.6".parse().expect("a target"), 0);
    let mut heap = read(text.as_bytes()).expect("a text");
    let mut bytes = Vec::new();
    let report = convert(&mut heap, &ConvertOptions::new(&to).array_header(header), &mut bytes).expect("written");
    let heap = read(bytes).expect("valid");
    (heap.objects.iter().map(|object| object.length.expect("a length")).collect(), report)
}

fn told(report: &Conversion) -> ArrayLengths {
    report.array_lengths.expect("lengths that were worked out")
}

const OBJECTS: &str = "[Ljava/lang/Object;";

/// Sizes as OpenJ9 with compressed references has them: 8 bytes and the elements, rounded up to 8, and 16 where empty.
#[test]
fn a_filled_array_shows_compressed_references() {
    // 8 + 10 * 4 = 48; 8 + 3 * 8 = 32; 8 + 5 * 4 = 28, rounded up to 32; 8 + 1 * 2 = 10, up to 16.
    let text = text(16, &[(48, OBJECTS, 10), (32, "[J", 0), (32, "[I", 0), (16, "[C", 0)]);
    let (found, report) = lengths(&text, None);
    // 5 or 6 int, and 0 to 4 char: the middle, rounded down.
    assert_eq!(found, [10, 3, 5, 2]);
    let lengths = told(&report);
    assert_eq!((lengths.header, lengths.found), (ArrayHeader::Compressed, HeaderFound::Arrays));
    assert_eq!((lengths.header_bytes, lengths.reference_bytes, lengths.alignment), (8, 4, 8));
    assert_eq!((lengths.derived, lengths.uncertain), (4, 2));
}

/// 64-bit VMs without compressed references: 16 bytes of header.
#[test]
fn a_filled_array_shows_references_of_8_bytes() {
    // 16 + 10 * 8 = 96; 16 + 3 * 8 = 40; 16 + 5 * 4 = 36, rounded up to 40; empty.
    let text = text(16, &[(96, OBJECTS, 10), (40, "[J", 0), (40, "[I", 0), (16, "[C", 0)]);
    let (found, report) = lengths(&text, None);
    assert_eq!(found, [10, 3, 5, 0]);
    assert_eq!((told(&report).header, told(&report).found), (ArrayHeader::Full, HeaderFound::Arrays));
    assert_eq!((told(&report).derived, told(&report).uncertain), (4, 1));
}

/// J9 2.4 on 32 bits: 16 bytes of header, references of 4.
#[test]
fn a_32_bit_text_has_references_of_4_bytes() {
    // 16 + 10 * 4 = 56; 16 + 5 * 2 = 26, rounded up to 32.
    let wide = text(8, &[(56, OBJECTS, 10), (32, "[C", 0)]);
    let (found, report) = lengths(&wide, None);
    assert_eq!(found, [10, 6]);
    assert_eq!(told(&report).header, ArrayHeader::CompressedDataAddress);
    // 8 + 10 * 4 = 48; and 8 + 5 * 2 = 18, rounded up to 20: a size that is a multiple of 4 only.
    let (found, report) = lengths(&text(8, &[(48, OBJECTS, 10), (20, "[C", 0)]), None);
    assert_eq!(found, [10, 5]);
    assert_eq!((told(&report).header, told(&report).alignment), (ArrayHeader::Compressed, 4));
}

/// Nulls that are not listed are elements too, and what is listed is there.
#[test]
fn derives_array_length_from_size_and_references() {
    // Filled: 8 + 4 * 4 = 24. 48: 9 or 10 elements, of which 10 are listed, 3, or none.
    let arrays = [(24, OBJECTS, 4), (48, OBJECTS, 10), (48, OBJECTS, 3), (48, OBJECTS, 0)];
    let (found, report) = lengths(&text(16, &arrays), None);
    assert_eq!(found, [4, 10, 9, 9]);
    assert_eq!((told(&report).derived, told(&report).uncertain), (4, 2));
}

#[test]
fn an_option_says_which_header_arrays_have() {
    let text = text(16, &[(96, OBJECTS, 10), (40, "[J", 0)]);
    for (header, expected) in [
        // (40 - 8) / 8; (96 - 8) / 4 = 22 or one less.
        (ArrayHeader::Compressed, [21, 4]),
        (ArrayHeader::Full, [10, 3]),
        (ArrayHeader::CompressedDataAddress, [19, 3]),
        // (96 - 24) / 8 = 9, but 10 are listed.
        (ArrayHeader::FullDataAddress, [10, 2]),
    ] {
        let (found, report) = lengths(&text, Some(header));
        assert_eq!(found, expected, "{header:?}");
        assert_eq!((told(&report).header, told(&report).found), (header, HeaderFound::Option));
    }
}

#[test]
fn without_arrays_of_references_the_usual_header_is_taken_unless_addresses_are_too_high_for_it() {
    let (found, report) = lengths(&text(16, &[(40, "[J", 0)]), None);
    assert_eq!((found, told(&report).found), (vec![4], HeaderFound::Default));
    // 64 GiB.
    let high = "0x0000001000000000 [40] OBJ [J\n\t\n";
    let (found, report) = lengths(high, None);
    assert_eq!((found, told(&report).header), (vec![3], ArrayHeader::Full));
    assert_eq!(told(&report).found, HeaderFound::Addresses);
}

/// No array of Java is that long: only what is listed is believed.
#[test]
fn a_size_that_no_array_has_gives_no_nulls() {
    let (found, report) = lengths(&text(16, &[(1 << 40, OBJECTS, 2)]), None);
    assert_eq!(found, [2]);
    assert_eq!(report.array_lengths, None);
}

#[test]
fn keeps_recorded_array_lengths() {
    let phd = lowering(&"phd5/j9-2.6".parse().expect("a target"), 0);
    let classic = lowering(&"classic/openj9".parse().expect("a target"), 0);
    let mut heap = read(text(16, &[(48, OBJECTS, 10)]).into_bytes()).expect("a text");
    let mut bytes = Vec::new();
    convert(&mut heap, &ConvertOptions::new(&phd), &mut bytes).expect("written");
    let mut heap = read(bytes).expect("valid");
    let report = convert(&mut heap, &ConvertOptions::new(&phd), &mut Vec::new()).expect("written");
    assert_eq!(report.array_lengths, None);
    // Sizes that are not recorded follow from lengths by the same header: 8 + 10 * 4, or 16 + 10 * 8.
    for (header, expected) in [(Some(ArrayHeader::Compressed), "[48] OBJ"), (None, "[96] OBJ")] {
        let mut bytes = Vec::new();
        convert(&mut heap, &ConvertOptions::new(&classic).array_header(header), &mut bytes).expect("written");
        let text = String::from_utf8(bytes).expect("text");
        assert!(text.contains(expected), "{text}");
    }
}
