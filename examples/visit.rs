//! Reads a PHD and adds up every field of every record, references included.
//!
//! This is the library's smallest use, and the decoding that `benches/yardstick.sh` measures:
//!
//! ```text
//! cargo run --release --example visit -- heapdump.phd
//! ```

use std::error::Error;
use std::fs::File;

use heapsmith::error::DecodeError;
use heapsmith::phd::record::{ReferenceList, StoredHash};
use heapsmith::phd::{Decoder, Record};

#[derive(Default)]
struct Sums {
    records: u64,
    references: u64,
    /// Wraps; depends on every field, so that none can be skipped.
    checksum: u64,
}

impl Sums {
    fn record(&mut self, record: &Record<'_>) {
        self.records += 1;
        self.field(record.gap().units.0 as u64);
        match record {
            Record::Short(r) => self.field(u64::from(r.slot)),
            Record::Medium(r) => self.field(r.class_word),
            Record::Long(r) => {
                self.field(u64::from(r.flags));
                self.field(r.class_word);
            }
            Record::ObjectArray(r) => {
                self.field(u64::from(r.flags));
                self.field(r.class_word);
                self.field(r.length.map_or(0, u64::from));
                self.field(r.size_words.map_or(0, u64::from));
            }
            Record::PrimitiveArray(r) => {
                self.field(r.element as u64);
                self.field(r.length);
                self.field(r.size_words.map_or(0, u64::from));
            }
            Record::LongPrimitiveArray(r) => {
                self.field(u64::from(r.flags));
                self.field(r.element as u64);
                self.field(r.length);
                self.field(r.size_words.map_or(0, u64::from));
            }
            Record::Class(r) => {
                self.field(u64::from(r.flags));
                self.field(u64::from(r.instance_size));
                self.field(r.superclass);
                r.name.iter().for_each(|&byte| self.field(u64::from(byte)));
            }
        }
        match record.hash() {
            StoredHash::Absent => {}
            StoredHash::Bits16(hash) => self.field(u64::from(hash)),
            StoredHash::Bits32(hash) => self.field(u64::from(hash)),
        }
        if let Some(references) = record.references() {
            self.references(references);
        }
    }

    fn references(&mut self, references: &ReferenceList<'_>) {
        self.references += references.len() as u64;
        references.for_each(|units| self.field(units.0 as u64));
    }

    fn field(&mut self, value: u64) {
        self.checksum = self.checksum.wrapping_add(value);
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args_os().nth(1).ok_or("which dump?")?;
    let mut decoder = Decoder::new(File::open(path)?)?;
    let mut sums = Sums::default();
    decoder.visit::<DecodeError, _>(|located| {
        sums.record(located.record);
        Ok(())
    })?;
    println!("{} records, {} references, checksum {:016x}", sums.records, sums.references, sums.checksum);
    Ok(())
}
