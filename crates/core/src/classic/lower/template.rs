//! The text of objects that stand in blocks: made once for each shape, and for each block only its addresses.

use crate::classic::encode;
use crate::classic::wire::EntryRecordKind;
use crate::error::{Error, LowerError};
use crate::model::Address;
use crate::model::blocks::{BlockFilling, CarriedObject};

use super::carry::{CarriedEntry, CarriedReferences};
use super::spell::Speller;

/// The entries of one shape, and where in them addresses stand that differ from block to block.
pub(super) struct ShapeTemplate {
    text: Vec<u8>,
    /// The places of the digits of objects' own addresses, each with its distance from the block's address.
    own: Vec<(usize, u64)>,
    /// The places of the digits of references, each with its place in a filling.
    references: Vec<(usize, usize)>,
}

impl ShapeTemplate {
    /// # Errors
    /// If an object holds what the dump cannot say.
    pub(super) fn new(
        speller: &mut Speller,
        objects: Vec<CarriedObject<CarriedEntry>>,
    ) -> Result<ShapeTemplate, Error> {
        let mut stamp = ShapeTemplate { text: Vec::new(), own: Vec::new(), references: Vec::new() };
        for mut object in objects {
            object.told.address = STANDS_FOR;
            if let CarriedReferences::Held(listed) = &mut object.told.references {
                object.references.iter().for_each(|&(at, _)| listed[at] = STANDS_FOR);
            }
            stamp.own.push((stamp.text.len() + PREFIX, object.offset));
            encode::record(&mut stamp.text, &speller.entry(EntryRecordKind::Object, &object.told)?);
            // The references come last in an entry.
            let listed = object.told.references.held();
            let mut lengths = vec![speller.before_references().len()];
            for &reference in listed {
                let mut text = Vec::new();
                speller.reference(&mut text, false, reference)?;
                lengths.push(lengths[lengths.len() - 1] + text.len());
            }
            let mut after = Vec::new();
            speller.after_references(&mut after);
            let start = stamp.text.len() - after.len() - lengths[lengths.len() - 1];
            let places = object.references.iter().map(|&(at, lane)| (start + lengths[at] + PREFIX, lane));
            stamp.references.extend(places);
        }
        Ok(stamp)
    }

    /// Appends the entries of a block.
    pub(super) fn append_block(
        &self,
        speller: &Speller,
        filling: &BlockFilling,
        out: &mut Vec<u8>,
    ) -> Result<(), LowerError> {
        let last = self.own.last().map_or(0, |(_, offset)| *offset);
        speller.check_address(Address(filling.address + last))?;
        let start = out.len();
        out.extend_from_slice(&self.text);
        let (text, digits) = (&mut out[start..], speller.digits());
        let own = self.own.iter().map(|&(at, offset)| (at, filling.address + offset));
        let references = self.references.iter().map(|&(at, lane)| (at, filling.references[lane]));
        match digits {
            16 => own
                .chain(references)
                .for_each(|(at, address)| text[at..at + 16].copy_from_slice(&hexadecimal_digits(address))),
            _ => own.chain(references).for_each(|(at, address)| {
                text[at..at + digits].copy_from_slice(&hexadecimal_digits(address)[16 - digits..]);
            }),
        }
        Ok(())
    }
}

/// An address while a shape is spelled: it has as many digits as any.
const STANDS_FOR: Address = Address(8);
/// The `0x` in front of digits.
const PREFIX: usize = 2;

/// The digits of a number.
fn hexadecimal_digits(number: u64) -> [u8; 16] {
    let mut digits = [0; 16];
    for (pair, byte) in digits.chunks_exact_mut(2).zip(number.to_be_bytes()) {
        pair.copy_from_slice(&PAIRS[usize::from(byte)]);
    }
    digits
}

/// The digits of each byte.
const PAIRS: [[u8; 2]; 256] = {
    let digits = b"0123456789ABCDEF";
    let mut pairs = [[0; 2]; 256];
    let mut byte = 0;
    while byte < 256 {
        pairs[byte] = [digits[byte >> 4], digits[byte & 15]];
        byte += 1;
    }
    pairs
};
