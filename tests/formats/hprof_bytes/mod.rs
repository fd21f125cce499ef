//! The HPROF codec against bytes that are spelled by hand.
//!
//! Decoder and encoder mirror each other, so a layout that both misread still makes a round trip.
//! Here every byte is a literal, put together from the field tables of the documents (and from what writers do
//! where those are silent). Nothing of the codec's own (tags, widths, type codes) helps to form what is expected.
//!
//! `records`, `roots`, `classes` and `objects` have a row for each tag with identifiers of 1, 2, 4 and 8 bytes, which
//! is read and written in every version and cut at every byte.

mod agent_art;
mod classes;
mod cuts;
mod damage;
mod dump;
mod header;
mod heaps;
mod hotspot;
mod layouts;
mod lengths;
mod objects;
mod pieces;
mod record_extremes;
mod records;
mod roots;
mod rows;
mod surroundings;
mod tables;
mod too_long;
mod values;
mod writers;

use std::collections::BTreeSet;

/// The tags of sub-records.
pub(crate) const SUB_TAGS: [u8; 22] = [
    0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x20, 0x21, 0x22, 0x23, 0x89, 0x8a, 0x8b, 0x8c, 0x8d, 0x8e, 0x90,
    0xc3, 0xfe, 0xff,
];

#[test]
fn every_tag_of_a_record_has_a_row() {
    let tags: BTreeSet<u8> = records::rows().iter().map(|row| row.spelled[0][0]).collect();
    for tag in [0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x0a, 0x0b, 0x0d, 0x0e, 0x2c, 0x10, 0x11] {
        assert!(tags.contains(&tag), "{tag:#04x}");
    }
}

#[test]
fn every_tag_of_a_sub_record_has_a_row_in_each_identifier_size() {
    let tables = [roots::rows(), classes::rows(), objects::rows()];
    for size in 0..4 {
        let tags: BTreeSet<u8> = tables.iter().flatten().map(|row| row.spelled[size][0]).collect();
        assert_eq!(tags, BTreeSet::from(SUB_TAGS));
    }
}
