//! Reads a classic heap dump and adds up every address, size and reference: the decoding that
//! `benches/classic.sh` measures.
//!
//! ```text
//! cargo run --release --example visit_classic -- heapdump.txt
//! ```

use std::error::Error;
use std::fs::File;

use heapsmith::classic::{DecodeStep, Decoder, Record};
use heapsmith::error::DecodeError;

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("usage: visit_classic DUMP")?;
    let mut decoder = Decoder::new(File::open(&path)?)?;
    let (mut entries, mut references, mut sum) = (0_u64, 0_u64, 0_u64);
    decoder.visit::<DecodeError, _>(|step| {
        let values = match step {
            DecodeStep::Record(_, Record::Entry(entry)) => {
                entries += 1;
                sum = sum.wrapping_add(entry.address.value).wrapping_add(entry.size.value);
                entry.references.values
            }
            DecodeStep::More(_, more) => more.values,
            DecodeStep::Record(..) => &[],
        };
        references += values.len() as u64;
        sum = values.iter().fold(sum, |sum, value| sum.wrapping_add(*value));
        Ok(())
    })?;
    println!("{entries} classes and objects, {references} references; sum {sum:#x}");
    Ok(())
}
