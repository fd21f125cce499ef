//! Reads a classic heap dump and adds up every address, size and reference: the decoding that
//! `benches/classic.sh` measures.
//!
//! ```text
//! cargo run --release --example visit_classic -- heapdump.txt
//! ```

use std::error::Error;
use std::fs::File;

use heapsmith::classic::{Decoder, Record, Step};
use heapsmith::error::DecodeError;

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("usage: visit_classic DUMP")?;
    let mut decoder = Decoder::new(File::open(&path)?)?;
    let (mut entries, mut references, mut sum) = (0_u64, 0_u64, 0_u64);
    let mut add = |values: &[u64]| {
        references += values.len() as u64;
        sum = values.iter().fold(sum, |sum, value| sum.wrapping_add(*value));
    };
    decoder.visit::<DecodeError, _>(|step| {
        match step {
            Step::Record(_, Record::Entry(entry)) => {
                entries += 1;
                add(entry.references.values);
                sizes(&mut add, &[entry.address.value, entry.size.value]);
            }
            Step::More(_, more) => add(more.values),
            Step::Record(..) => {}
        }
        Ok(())
    })?;
    println!("{entries} classes and objects, {} references; sum {sum:#x}", references - 2 * entries);
    Ok(())
}

/// Addresses and sizes go into the sum as well.
fn sizes(add: &mut impl FnMut(&[u64]), numbers: &[u64; 2]) {
    add(numbers);
}
