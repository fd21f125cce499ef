//! Rows of the tables: a record or sub-record in the bytes of each identifier size, and what they say.

use heapsmith::hprof::{Header, IdSize, Record, SubRecord, Version, encode};
use pretty_assertions::assert_eq;

use super::dump::{END, FIRST, FIRST_SUB, SIZES, Seen, Spot, VERSIONS, failure, header, read, spelled};

/// A record, spelled and explained.
pub(crate) struct Row<T> {
    /// The documents' name of its tag, and what is special about it.
    pub(crate) name: &'static str,
    /// The widths of its fields, from the page: bytes, `I` for an identifier, `L` for as many items as a field before
    /// has counted, `R` for whatever the record's length leaves.
    pub(crate) fields: &'static str,
    /// The bytes with identifiers of 1, 2, 4 and 8 bytes.
    pub(crate) spelled: [&'static [u8]; 4],
    pub(crate) says: fn(Ids) -> T,
}

/// Identifiers as the rows spell them: of `a1a2a3a4a5a6a7a8` as many bytes as an identifier has.
#[derive(Clone, Copy)]
pub(crate) struct Ids(usize);

impl Ids {
    pub(crate) fn a(self) -> u64 {
        self.first(0xa1a2_a3a4_a5a6_a7a8)
    }

    pub(crate) fn b(self) -> u64 {
        self.first(0xb1b2_b3b4_b5b6_b7b8)
    }

    pub(crate) fn c(self) -> u64 {
        self.first(0xc1c2_c3c4_c5c6_c7c8)
    }

    pub(crate) fn d(self) -> u64 {
        self.first(0xd1d2_d3d4_d5d6_d7d8)
    }

    pub(crate) fn e(self) -> u64 {
        self.first(0xe1e2_e3e4_e5e6_e7e8)
    }

    pub(crate) fn f(self) -> u64 {
        self.first(0xf1f2_f3f4_f5f6_f7f8)
    }

    /// The largest identifier.
    pub(crate) fn ff(self) -> u64 {
        self.first(u64::MAX)
    }

    fn first(self, eight: u64) -> u64 {
        eight >> (64 - 8 * self.0)
    }
}

impl<T> Row<T> {
    /// Where the field begins that holds the byte at this place.
    fn field_at(&self, size: usize, place: usize) -> usize {
        let mut begins = 0;
        for field in self.fields.split(' ') {
            let width = match field {
                "I" => size,
                "L" | "R" => return begins,
                bytes => bytes.parse().expect("a number of bytes"),
            };
            if place < begins + width {
                return begins;
            }
            begins += width;
        }
        panic!("{}: no field at {place}, only {begins} bytes in {}", self.name, self.fields)
    }

    /// Where the part begins that is as long as the record's length says.
    fn rest_at(&self, size: usize) -> Option<usize> {
        self.fields.ends_with('R').then(|| self.field_at(size, usize::MAX))
    }

    /// Whether the fields account for all bytes.
    fn check_fields(&self) {
        for (size, bytes) in SIZES.into_iter().zip(self.spelled) {
            let fields = self.fields.split(' ');
            let known: usize = fields.map(|f| if f == "I" { size } else { f.parse().unwrap_or(0) }).sum();
            let list = self.fields.ends_with(['L', 'R']);
            assert!(known == bytes.len() || list && known <= bytes.len(), "{}, I = {size}: {known}", self.name);
        }
    }
}

/// Reads and writes each row with each identifier size in each version, and cuts it short.
pub(crate) fn check_records(rows: &[Row<Record<'static>>]) {
    for row in rows {
        row.check_fields();
        for (size, bytes) in SIZES.into_iter().zip(row.spelled) {
            let record = (row.says)(Ids(size));
            let place = format!("{}, I = {size}", row.name);
            let said = record.tag().to_string();
            assert!(row.name.starts_with(&said), "{place}: {said}");
            for version in VERSIONS {
                let file = [&header(version, size)[..], bytes, bytes].concat();
                let once = |index: u64| {
                    let offset = FIRST + index * bytes.len() as u64;
                    Seen::Record(Spot { index, offset, bytes: bytes.to_vec(), rest: 0 }, record.clone())
                };
                assert_eq!(read(&file), [once(0), once(1)], "{place}");
            }
            let mut out = Vec::new();
            encode::record(&mut out, id_size(size), &record, 0).expect("no list is long");
            assert_eq!(spelled(&out), spelled(bytes), "{place}: written");
            check_cuts_of_records(row, size, bytes, &place);
        }
    }
}

/// A record that is shorter than its fields, and a file that ends in it.
fn check_cuts_of_records(row: &Row<Record<'static>>, size: usize, bytes: &[u8], place: &str) {
    for kept in 1..bytes.len() {
        let field = row.field_at(size, kept);
        let is_rest = row.rest_at(size).is_some_and(|rest| kept >= rest);
        // What has to be there is there: nothing but the body is too short.
        let expected = FIRST + if is_rest { 9 } else { field as u64 };
        let cut = [&header(b'2', size)[..], &bytes[..kept]].concat();
        let (rule, offset, index, _) = failure(&cut);
        assert_eq!((rule, offset, index), ("hprof.file.truncated", expected, Some(0)), "{place}: {kept} bytes");

        if kept < 9 || is_rest {
            continue;
        }
        let mut short = bytes[..kept].to_vec();
        short[5..9].copy_from_slice(&(kept as u32 - 9).to_be_bytes());
        let file = [&header(b'2', size)[..], &short, &END].concat();
        let (rule, offset, index, _) = failure(&file);
        assert_eq!((rule, offset, index), ("hprof.record.length", expected, Some(0)), "{place}: length {}", kept - 9);
    }
}

/// Reads and writes each row with each identifier size in each version, and cuts it short.
pub(crate) fn check_sub_records(rows: &[Row<SubRecord<'static>>]) {
    for row in rows {
        row.check_fields();
        for (size, bytes) in SIZES.into_iter().zip(row.spelled) {
            let sub_record = (row.says)(Ids(size));
            let place = format!("{}, I = {size}", row.name);
            let said = sub_record.tag().to_string();
            assert!(row.name.starts_with(&said), "{place}: {said}");
            for version in VERSIONS {
                let file = [&header(version, size)[..], &segment_of(2 * bytes.len()), bytes, bytes].concat();
                let seen = read(&file);
                let once = |index: u64| {
                    let offset = FIRST_SUB + (index - 1) * bytes.len() as u64;
                    Seen::Sub(Spot { index, offset, bytes: bytes.to_vec(), rest: 0 }, sub_record.clone())
                };
                assert_eq!(seen[1..], [once(1), once(2), Seen::SegmentEnd(file.len() as u64)], "{place}");
            }
            let mut out = Vec::new();
            encode::sub_record(&mut out, id_size(size), &sub_record).expect("no list is long");
            assert_eq!(spelled(&out), spelled(bytes), "{place}: written");
            assert_eq!(encode::length_of(id_size(size), &sub_record), bytes.len() as u64, "{place}: length");
            for kept in 1..bytes.len() {
                let field = FIRST_SUB + row.field_at(size, kept) as u64;
                let whole = segment_of(bytes.len());
                let cut = [&header(b'2', size)[..], &whole, &bytes[..kept]].concat();
                let (rule, offset, index, _) = failure(&cut);
                assert_eq!((rule, offset, index), ("hprof.file.truncated", field, Some(1)), "{place}: {kept} bytes");

                let file = [&header(b'2', size)[..], &segment_of(kept), &bytes[..kept], &END].concat();
                let (rule, offset, index, _) = failure(&file);
                let expected = ("hprof.sub-record.overrun", field, Some(1));
                assert_eq!((rule, offset, index), expected, "{place}: {kept} bytes to the segment's end");
            }
        }
    }
}

fn segment_of(length: usize) -> Vec<u8> {
    let mut head = vec![0x1c, 0, 0, 0, 0];
    head.extend((length as u32).to_be_bytes());
    head
}

pub(crate) fn id_size(size: usize) -> IdSize {
    [IdSize::One, IdSize::Two, IdSize::Four, IdSize::Eight][size.ilog2() as usize]
}

#[test]
fn a_header_is_written_as_the_rows_have_it() {
    for (character, version) in VERSIONS.into_iter().zip([Version::V1_0_1, Version::V1_0_2, Version::V1_0_3]) {
        for size in SIZES {
            let mut out = Vec::new();
            let said = Header { version, id_size: id_size(size), timestamp: 1_700_000_000_000 };
            encode::header(&mut out, &said);
            assert_eq!(spelled(&out), spelled(&header(character, size)));
        }
    }
}
