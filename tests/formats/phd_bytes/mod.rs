//! The PHD codec against bytes that are spelled by hand.
//!
//! Decoder and encoder mirror each other, so a layout that both misread still makes a round trip.
//! Here every byte is a literal, put together from the documents' field tables (and from what
//! writers and readers do where those are silent), and so is every address that it leads to.
//! Nothing of the codec's own (tags, width codes, layouts) helps to form what is expected.
//!
//! One module per record kind: a table of rows, each read and written in every version and with
//! every file flag that its bytes are right for, then what only that kind has. `header`,
//! `distances`, `cache` and `flags` hold what crosses kinds.

mod cache;
mod class;
mod distances;
mod dump;
mod flags;
mod header;
mod long;
mod long_primitive_array;
mod medium;
mod object_array;
mod primitive_array;
mod rows;
mod short;
mod too_long;

/// A hash regime as a row shows it.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Regime {
    None,
    Bits16,
    Bits32,
}

#[test]
fn every_record_kind_has_a_row_for_every_version_word_size_and_hash_regime() {
    use Regime::{Bits16, Bits32, None};
    let tables = [
        // The first three have no room for a 32-bit hash.
        ("short", short::rows(), &[None, Bits16][..]),
        ("medium", medium::rows(), &[None, Bits16]),
        ("primitive array", primitive_array::rows(), &[None, Bits16]),
        ("long", long::rows(), &[None, Bits16, Bits32]),
        ("object array, tag 5", object_array::rows_with_tag_5(), &[None, Bits16, Bits32]),
        ("object array, tag 8", object_array::rows_with_tag_8(), &[None, Bits16, Bits32]),
        ("class", class::rows(), &[None, Bits16, Bits32]),
        ("long primitive array", long_primitive_array::rows(), &[None, Bits16, Bits32]),
    ];
    for (kind, rows, regimes) in tables {
        for &regime in regimes {
            // Flag 4 (J9) alone or with 2 (hashed), and with 1 (64-bit words) or without.
            let flags = if regime == Bits16 { [6, 7] } else { [4, 5] };
            for (version, flags) in [4, 5, 6].into_iter().flat_map(|v| flags.map(|f| (v, f))) {
                let covered = rows.iter().any(|row| row.regime() == regime && row.is_for(version, flags));
                assert!(covered, "{kind}, version {version}, flags {flags}, hash {regime:?}");
            }
        }
    }
}
