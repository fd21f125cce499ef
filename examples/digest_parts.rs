//! The two parts of a digest, each alone: what `benches/digest.sh` sets the whole against.
//!
//! ```text
//! digest_parts decode DUMP     reads every class and object
//! digest_parts lengths DUMP    prints how many canonical records there are of each length
//! digest_parts hash LENGTHS    makes a SHA-256 of as many records of these lengths
//! ```

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::hint::black_box;
use std::path::Path;

use heapsmith::digest::{FacetSelection, visit_records};
use heapsmith::format::{DumpFile, FileSource};
use heapsmith::hprof::ReadOptions;
use heapsmith::input::Input;
use heapsmith::model::DumpSource;
use sha2::{Digest, Sha256};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["decode", dump] => {
            let mut objects = 0_u64;
            open(dump)?.heap(0).visit_objects(&mut |object| {
                black_box(object);
                objects += 1;
                Ok(())
            })?;
            println!("{objects} objects");
        }
        ["lengths", dump] => {
            let mut lengths: BTreeMap<usize, u64> = BTreeMap::new();
            visit_records(open(dump)?.heap(0), FacetSelection::unordered(), &mut |_, record| {
                *lengths.entry(record.len()).or_default() += 1;
                Ok(())
            })?;
            lengths.iter().for_each(|(length, count)| println!("{length} {count}"));
        }
        ["hash", lengths] => {
            let mut record = Vec::new();
            let mut last = Sha256::digest(&record);
            for line in fs::read_to_string(lengths)?.lines() {
                let (length, count) = line.split_once(' ').ok_or("a length and a count")?;
                record.resize(length.parse()?, 0x5a);
                for _ in 0..count.parse::<u64>()? {
                    // Each begins with the one before, so that none can be left out.
                    let start = record.len().min(last.len());
                    record[..start].copy_from_slice(&last[..start]);
                    last = Sha256::digest(&record);
                }
            }
            println!("{last:x?}");
        }
        _ => return Err("decode DUMP, lengths DUMP or hash LENGTHS".into()),
    }
    Ok(())
}

fn open(dump: &str) -> Result<FileSource, Box<dyn Error>> {
    Ok(DumpFile::new(Input::open(Path::new(dump))?, ReadOptions::default())?.source()?)
}
