//! Damaged dumps: named edits, each of which breaks one rule, in any record or in a chosen one; and changes by chance. Each format has
//! its own edits, and there are a few that any format has a place for ([`RecordEdit`]).

mod broken_rules;
mod plan;
mod record_edit;

use std::io::Read;

use crate::error::Error;
use crate::family::ReadOptions;
use crate::format::{DumpFile, Family};

pub use crate::family::edit::{Damage, Edit, EditMap, Edited, Effect, FieldAt, HeapEdit, NamedEdit, RecordTarget};
pub use crate::family::mutation::{REARRANGED, RELATED, THINNED, mutated};
pub use broken_rules::RuleBreach;
pub use plan::{DamagedDump, EditPlan};
pub use record_edit::RecordEdit;

/// Every edit of a format.
pub fn edits(family: Family) -> Vec<NamedEdit> {
    family.edits()
}

/// The bytes of a dump that is to be edited, decompressed. An edit holds them with the places of all fields, so a compressed dump
/// for which that takes more than its file allows ([`ReadOptions::allowed`]) is refused before.
///
/// # Errors
/// If it cannot be read, or takes too much memory.
pub fn read(file: &DumpFile) -> Result<Vec<u8>, Error> {
    let input = file.input();
    let allowed = ReadOptions::default().allowed(Some(input));
    let mut held = 0_u64;
    if input.is_compressed() {
        let counted = file.annotate(&mut |field| {
            held += (field.bytes.len() + size_of::<FieldAt>()) as u64;
            if held <= allowed { Ok(()) } else { Err(Error::Usage(String::new())) }
        });
        if held > allowed {
            return Err(Error::Usage(format!(
                "{}: the dump and the places of its fields take more than {allowed} bytes of memory, which a compressed dump of this \
                 length may take; decompress it into a file first",
                input.name()
            )));
        }
        // What is wrong with the dump, the edit finds out.
        drop(counted);
    }
    let mut dump = Vec::new();
    let read = input.stream()?.take(if input.is_compressed() { allowed } else { u64::MAX }).read_to_end(&mut dump);
    read.map_err(|e| Error::io(format!("reading {}", input.name()), e))?;
    Ok(dump)
}
