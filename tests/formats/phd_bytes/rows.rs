//! Rows of the tables: a record's bytes, and what they say in every file that they are right for.

use heapsmith::model::{Address, ByteLen, Contents, IdentityHash};
use heapsmith::phd::lift::DumpItem;
use heapsmith::phd::{Decoder, Record, encode};
use hex_literal::hex;
use pretty_assertions::assert_eq;

use super::Regime;
use super::dump::{Dump, file, hash, read, spelled};

/// A record, spelled and explained.
pub(crate) struct Row {
    pub(crate) name: &'static str,
    pub(crate) setting: Setting,
    pub(crate) bytes: Vec<u8>,
    pub(crate) record: Record<'static>,
    /// What arrays have in version 6 alone, after `bytes`.
    pub(crate) size: Option<Size>,
    /// The meaning of the record where gaps and references count 4 bytes.
    pub(crate) item: DumpItem,
    /// Its address and references where they count 8 bytes; `None` where no such file exists.
    pub(crate) in_8_byte_units: Option<(u64, &'static [u64])>,
}

/// The last field of an array in version 6: its footprint in 4-byte words.
#[derive(Clone, Copy)]
pub(crate) struct Size {
    pub(crate) bytes: [u8; 4],
    pub(crate) words: u32,
    pub(crate) in_bytes: u64,
}

/// The files that a row is right for, and the records before its own.
#[derive(Clone, Copy)]
pub(crate) struct Setting {
    /// Version, flags and the bytes that gaps and references count.
    files: &'static [(u32, u32, Unit)],
    /// Four medium object records. They leave four classes in the cache, and 0x1018 as the preceding
    /// address, or 0x2030 with 8-byte units.
    before: &'static [u8],
}

#[derive(Clone, Copy)]
enum Unit {
    Four,
    Eight,
    /// Version 6 without flag 4: 4 by S0, 8 by the DTFJ reader. No writer makes it; both are allowed.
    FourOrEight,
}

/// 32-bit words, no 16-bit hashes. File flag 2 (hashed) means nothing without 4 (J9).
pub(crate) const WORDS_32: Setting = Setting {
    files: &[
        (4, 4, Unit::Four),
        (5, 4, Unit::Four),
        (6, 4, Unit::Four),
        (5, 0, Unit::Four),
        (5, 2, Unit::Four),
        (4, 0, Unit::Eight),
        (4, 2, Unit::Eight),
        (6, 0, Unit::FourOrEight),
        (6, 2, Unit::FourOrEight),
    ],
    before: &hex!(
        "44 0400 00002000" // 01 000 1 00, 2-byte gap: 0x400 units are 0x1000 bytes, or 0x2000; class for slot 0
        "40   02 00002100" // 01 000 0 00, 1-byte gap: 0x1008, or 0x2010; slot 1
        "40   02 00002200" // 0x1010, or 0x2020; slot 2
        "40   02 00002300" // 0x1018, or 0x2030; slot 3
    ),
};

/// 32-bit words, a 16-bit hash in every record: file flags 2 and 4.
pub(crate) const WORDS_32_HASHED: Setting = Setting {
    files: &[(4, 6, Unit::Four), (5, 6, Unit::Four), (6, 6, Unit::Four)],
    before: &hex!(
        "44 0400 00002000 a000" // as above, with a hash after the class word
        "40   02 00002100 a001"
        "40   02 00002200 a002"
        "40   02 00002300 a003"
    ),
};

/// 64-bit words (file flag 1), no 16-bit hashes.
pub(crate) const WORDS_64: Setting = Setting {
    files: &[
        (4, 5, Unit::Four),
        (5, 5, Unit::Four),
        (6, 5, Unit::Four),
        (5, 1, Unit::Four),
        (5, 3, Unit::Four),
        (4, 1, Unit::Eight),
        (4, 3, Unit::Eight),
        (6, 1, Unit::FourOrEight),
        (6, 3, Unit::FourOrEight),
    ],
    before: &hex!(
        "44 0400 0000000700002000" // as above, with class words beyond 4 GiB
        "40   02 0000000700002100"
        "40   02 0000000700002200"
        "40   02 0000000700002300"
    ),
};

/// 64-bit words, a 16-bit hash in every record: file flags 1, 2 and 4.
pub(crate) const WORDS_64_HASHED: Setting = Setting {
    files: &[(4, 7, Unit::Four), (5, 7, Unit::Four), (6, 7, Unit::Four)],
    before: &hex!(
        "44 0400 0000000700002000 a000"
        "40   02 0000000700002100 a001"
        "40   02 0000000700002200 a002"
        "40   02 0000000700002300 a003"
    ),
};

impl Row {
    pub(crate) fn regime(&self) -> Regime {
        match hash(&self.item) {
            None => Regime::None,
            Some(IdentityHash::Bits16(_)) => Regime::Bits16,
            Some(IdentityHash::Bits32(_)) => Regime::Bits32,
        }
    }

    pub(crate) fn is_for(&self, version: u32, flags: u32) -> bool {
        self.setting.files.iter().any(|&(v, f, _)| (v, f) == (version, flags))
    }
}

/// Reads and writes each row in each of its files.
pub(crate) fn check(rows: &[Row]) {
    for row in rows {
        for &(version, flags, unit) in row.setting.files {
            let place = format!("{}, version {version}, flags {flags}", row.name);
            let (mut bytes, mut record, mut item) = (row.bytes.clone(), row.record.clone(), row.item.clone());
            if let Some(size) = row.size.filter(|_| version == 6) {
                bytes.extend(size.bytes);
                set_size(&mut record, &mut item, size);
            }
            let file = file(version, flags, &[row.setting.before, &bytes].concat());

            let dump = read(&file);
            let Dump { bytes: read_bytes, records, items, .. } = &dump;
            assert_eq!(records.len(), 5, "{place}: four records before, and this one");
            assert_eq!(spelled(&read_bytes[4]), spelled(&bytes), "{place}: bytes taken");
            assert_eq!(records[4], record, "{place}: record");

            let layout = Decoder::new(&file[..]).expect("read before").layout();
            let mut written = Vec::new();
            encode::record(&mut written, layout, &record).expect("no text is long");
            assert_eq!(spelled(&written), spelled(&bytes), "{place}: bytes written");

            let in_8_byte_units = row.in_8_byte_units.map(|(address, references)| moved(&item, address, references));
            match unit {
                Unit::Four => assert_eq!(items[4], item, "{place}: meaning"),
                Unit::Eight => assert_eq!(Some(&items[4]), in_8_byte_units.as_ref(), "{place}: meaning"),
                Unit::FourOrEight => assert!(
                    items[4] == item || Some(&items[4]) == in_8_byte_units.as_ref(),
                    "{place}: {:?} with neither 4-byte nor 8-byte units",
                    items[4]
                ),
            }
        }
    }
}

fn set_size(record: &mut Record<'static>, item: &mut DumpItem, size: Size) {
    match record {
        Record::PrimitiveArray(r) => r.size_words = Some(size.words),
        Record::LongPrimitiveArray(r) => r.size_words = Some(size.words),
        Record::ObjectArray(r) => r.size_words = Some(size.words),
        _ => panic!("only arrays have a size"),
    }
    match item {
        DumpItem::Object(object) => object.size = Some(ByteLen(size.in_bytes)),
        DumpItem::Class(_) => panic!("only arrays have a size"),
    }
}

fn moved(item: &DumpItem, address: u64, references: &[u64]) -> DumpItem {
    let addresses: Vec<_> = references.iter().copied().map(Address).collect();
    let mut item = item.clone();
    match &mut item {
        DumpItem::Class(class) => {
            class.address = Address(address);
            class.references = Some(addresses);
        }
        DumpItem::Object(object) => {
            object.address = Address(address);
            if let Contents::References(listed) = &mut object.contents {
                *listed = addresses;
            }
        }
    }
    item
}
