//! The SHA-256 of one record after another.

use sha2::block_api::compress256;
use sha2::{Digest as _, Sha256};

use crate::model::Address;

use super::fields::ByteSink;
use super::sum::Sum;
use super::walk::Restart;

/// A record on its way into its SHA-256.
///
/// Most records are so short that the general hasher's own bookkeeping would take as long as the hash: a record that
/// fits is padded where it stands.
#[derive(Debug)]
pub(super) struct RecordHasher {
    /// The bytes that are not hashed yet, with room for the padding after them.
    room: Box<[u8; ROOM + SLACK]>,
    used: usize,
    /// The hasher of a record that does not fit.
    begun: Option<Sha256>,
}

/// A record that is longer goes in in pieces.
const ROOM: usize = 1 << 14;

/// Padding is a bit, zeros and the length, up to the end of a block of 64 bytes (FIPS 180-4, 5.1.1).
const SLACK: usize = 128;

/// The initial hash value (FIPS 180-4, 5.3.3).
const INITIAL: [u32; 8] =
    [0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19];

impl RecordHasher {
    pub(super) fn new() -> RecordHasher {
        RecordHasher { room: Box::new([0; ROOM + SLACK]), used: 0, begun: None }
    }

    /// The SHA-256 of the record.
    #[inline]
    pub(super) fn sum(&mut self) -> Sum {
        if self.begun.is_some() {
            return self.sum_of_pieces();
        }
        let end = (self.used + 9).next_multiple_of(64);
        self.room[self.used] = 0x80;
        // Always as many, which is quicker than just as many: the slack is long enough.
        self.room[self.used + 1..][..72].fill(0);
        self.room[end - 8..][..8].copy_from_slice(&(8 * self.used as u64).to_be_bytes());
        let (blocks, _) = self.room[..end].as_chunks::<64>();
        let mut state = INITIAL;
        compress256(&mut state, blocks);
        Sum::from_words(state)
    }

    #[cold]
    fn sum_of_pieces(&mut self) -> Sum {
        let hasher = self.begun.take().unwrap_or_default();
        Sum::from_bytes(hasher.chain_update(&self.room[..self.used]).finalize().into())
    }

    #[cold]
    fn spill(&mut self, bytes: &[u8]) {
        let hasher = self.begun.get_or_insert_default();
        hasher.update(&self.room[..self.used]);
        hasher.update(bytes);
        self.used = 0;
    }
}

impl ByteSink for RecordHasher {
    #[inline]
    fn push_bytes(&mut self, bytes: &[u8]) {
        let end = self.used + bytes.len();
        match self.room[..ROOM].get_mut(self.used..end) {
            Some(room) => {
                room.copy_from_slice(bytes);
                self.used = end;
            }
            None => self.spill(bytes),
        }
    }

    #[inline]
    fn push_with_number(&mut self, bytes: &[u8], number: u64) {
        let end = self.used + bytes.len() + 8;
        match self.room[..ROOM].get_mut(self.used..end) {
            Some(room) => {
                let (start, eight) = room.split_at_mut(bytes.len());
                start.copy_from_slice(bytes);
                eight.copy_from_slice(&number.to_be_bytes());
                self.used = end;
            }
            None => {
                self.spill(bytes);
                self.push_bytes(&number.to_be_bytes());
            }
        }
    }

    #[inline]
    fn push_addresses(&mut self, addresses: &[Address]) {
        for piece in addresses.chunks(ROOM / 8) {
            if 8 * piece.len() > ROOM - self.used {
                self.spill(&[]);
            }
            let (eights, _) = self.room[self.used..].as_chunks_mut::<8>();
            eights.iter_mut().zip(piece).for_each(|(eight, address)| *eight = address.0.to_be_bytes());
            self.used += 8 * piece.len();
        }
    }
}

impl Restart for RecordHasher {
    #[inline]
    fn restart(&mut self) {
        self.used = 0;
        if self.begun.is_some() {
            self.begun = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_of_every_length_have_their_sha_256() {
        let mut hashing = RecordHasher::new();
        let lengths = (0..300).chain(ROOM - 130..ROOM + 130).chain([3 * ROOM]);
        for length in lengths {
            let record: Vec<u8> = (0..length).map(|n| (n * 7) as u8).collect();
            let expected = Sum::from_bytes(Sha256::digest(&record).into());
            hashing.push_bytes(&record);
            assert_eq!(hashing.sum(), expected, "{length} at once");
            hashing.restart();
            record.chunks(11).for_each(|piece| hashing.push_bytes(piece));
            assert_eq!(hashing.sum(), expected, "{length} in pieces");
            hashing.restart();
            let (start, end) = record.split_at(length - length % 11);
            start.chunks(11).for_each(|piece| {
                let (before, number) = piece.split_at(3);
                hashing.push_with_number(before, u64::from_be_bytes(number.try_into().expect("eight")));
            });
            hashing.push_bytes(end);
            assert_eq!(hashing.sum(), expected, "{length} with numbers");
            hashing.restart();
            let (start, end) = record.split_at(length - length % 8);
            let numbers = start.chunks(8).map(|eight| u64::from_be_bytes(eight.try_into().expect("eight")));
            let addresses: Vec<Address> = numbers.map(Address).collect();
            let (before, after) = addresses.split_at(addresses.len() / 3);
            hashing.push_addresses(before);
            hashing.push_addresses(after);
            hashing.push_bytes(end);
            assert_eq!(hashing.sum(), expected, "{length} with addresses");
            hashing.restart();
        }
    }
}
