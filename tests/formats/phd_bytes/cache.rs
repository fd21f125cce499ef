//! The class cache: four slots that medium and long object records fill in turn.

use hex_literal::hex;
use pretty_assertions::assert_eq;

use super::dump::{class_word, read_body};

/// The class words of a body in version 5 with 32-bit words, without hashes.
fn class_words(body: &[u8]) -> Vec<Option<u64>> {
    read_body(5, 4, body).items.iter().map(class_word).collect()
}

/// Short object records for slots 0 to 3, each 4 bytes after the other: 1 cc 00 0 00.
const SLOTS: [u8; 8] = hex!("80 01  a0 01  c0 01  e0 01");

#[test]
fn medium_and_long_records_fill_four_slots_in_turn() {
    let four = hex!(
        "40 01 00000a00"             // medium: slot 0
        "04 01 01 00000b00 00000000" // long: slot 1
        "40 01 00000c00"             // slot 2
        "04 01 01 00000d00 00000000" // slot 3
    );
    let [a, b, c, d] = [Some(0xa00), Some(0xb00), Some(0xc00), Some(0xd00)];
    assert_eq!(class_words(&[&four[..], &SLOTS].concat()), [a, b, c, d, a, b, c, d]);

    let fifth = hex!(
        "04 01 01 00000e00 00000000" // slot 0 again
    );
    let e = Some(0xe00);
    assert_eq!(class_words(&[&four[..], &fifth, &SLOTS].concat()), [a, b, c, d, e, e, b, c, d]);

    let nine = [&four[..], &four, &fifth, &SLOTS].concat();
    assert_eq!(class_words(&nine), [a, b, c, d, a, b, c, d, e, e, b, c, d]);
}

#[test]
fn a_class_that_is_in_the_cache_already_takes_another_slot() {
    let body = hex!(
        "40 01 00000a00"             // slot 0
        "40 01 00000a00"             // slot 1, the same
        "04 01 01 00000a00 00000000" // slot 2, the same
        "40 01 00000b00"             // slot 3
        "40 01 00000b00"             // slot 0, the same
    );
    let (a, b) = (Some(0xa00), Some(0xb00));
    assert_eq!(class_words(&[&body[..], &SLOTS].concat()), [a, a, a, b, b, b, a, a, b]);
}

#[test]
fn overwrites_last_used_slot() {
    let body = hex!(
        "40 01 00000a00" // slot 0
        "40 01 00000b00" // slot 1
        "40 01 00000c00" // slot 2
        "40 01 00000d00" // slot 3
        "80 01"          // a short object uses slot 0,
        "40 01 00000e00" // which is overwritten next all the same
        "80 01"          // slot 0
    );
    let [a, b, c, d, e] = [Some(0xa00), Some(0xb00), Some(0xc00), Some(0xd00), Some(0xe00)];
    assert_eq!(class_words(&body), [a, b, c, d, a, e, e]);
}

#[test]
fn short_class_and_array_records_leave_the_cache_alone() {
    let body = hex!(
        "40 01 00000a00"                              // medium: slot 0
        "80 01"                                       // short
        "06 00 01 00000008 00000f00 0001 41 00000000" // class, with a superclass
        "05 01 01 00000f00 00000000"                  // object array, tag 5, with a class word
        "08 01 01 00000f00 00000000 00000000"         // object array, tag 8, with a class word
        "30 01 00"                                    // primitive array
        "07 82 01 00 00000001"                        // long primitive array
        "04 01 01 00000b00 00000000"                  // long: slot 1
    );
    let (a, b, array) = (Some(0xa00), Some(0xb00), Some(0xf00));
    assert_eq!(
        class_words(&[&body[..], &SLOTS].concat()),
        [a, a, None, array, array, None, None, b, a, b, Some(0), Some(0)]
    );
}

#[test]
fn a_slot_that_was_never_written_holds_class_0() {
    assert_eq!(class_words(&SLOTS), [Some(0); 4]);
}

#[test]
fn class_0_takes_a_slot_like_any_other() {
    let body = hex!(
        "40 01 00000000" // slot 0
        "40 01 00000a00" // slot 1
    );
    let (none, a) = (Some(0), Some(0xa00));
    assert_eq!(class_words(&[&body[..], &SLOTS].concat()), [none, a, none, a, none, none]);
}

#[test]
fn the_cache_keeps_class_words_of_64_bits() {
    let body = hex!(
        "40 01 fedcba9876543210" // slot 0
        "80 01"
    );
    let words: Vec<_> = read_body(6, 5, &body).items.iter().map(class_word).collect();
    assert_eq!(words, [Some(0xfedc_ba98_7654_3210); 2]);
}
