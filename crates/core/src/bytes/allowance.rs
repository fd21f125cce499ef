//! The memory that a dump may take, and the part of it that is used.

use crate::error::{DecodeError, Problem, RuleId};

/// Memory for the tables of a dump: names, classes, roots, heaps, a log, addresses; in bytes.
///
/// A plain dump bounds that by its own length. A compressed one does not: a megabyte of gzip can stand for a hundred million
/// records. So what is held is counted, by estimates that are near to what it takes, and reading stops where it is more than
/// is allowed.
#[derive(Clone, Copy, Debug)]
pub struct Allowance {
    allowed: u64,
    taken: u64,
    rule: RuleId,
}

impl Allowance {
    /// An allowance of this many bytes. `rule` is the rule that errors of reading have.
    pub(crate) fn new(allowed: u64, rule: RuleId) -> Allowance {
        Allowance { allowed, taken: 0, rule }
    }

    /// The bytes that are allowed.
    pub fn allowed(&self) -> u64 {
        self.allowed
    }

    /// Charges the allowance for a record at this offset.
    ///
    /// # Errors
    /// If they are more than what is left.
    #[inline]
    pub(crate) fn charge(&mut self, bytes: u64, offset: u64, record: u64) -> Result<(), DecodeError> {
        self.taken = self.taken.saturating_add(bytes);
        self.check(self.taken, offset, record)
    }

    /// Checks that as many bytes as are held when a record at this offset was read are allowed.
    ///
    /// # Errors
    /// If they are not.
    #[inline]
    pub(crate) fn check(&self, held: u64, offset: u64, record: u64) -> Result<(), DecodeError> {
        if held <= self.allowed { Ok(()) } else { Err(self.exceeded(held, offset).in_record(record)) }
    }

    #[cold]
    fn exceeded(&self, held: u64, offset: u64) -> DecodeError {
        DecodeError::new(self.rule, offset, "memory", Problem::Memory { held, allowed: self.allowed })
    }
}
