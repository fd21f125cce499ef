//! Changes of a fuzzer's inputs.

use crate::draw::{Draw, DrawStream, SeedDraw};
use crate::error::Error;
use crate::family::mutation::{crossed_over, mutated_soundly, scrambled, shortened};
use crate::format::Family;
use crate::recipe::Recipe;

use super::bounded::{read_recipe, write_bounded};

/// The most changes that a fuzzer's bytes make.
const MOST_CHANGES: usize = 64;
/// Bytes of a fuzzer's input that decide a change.
const BYTES_OF_CHANGE: usize = 8;
/// Bytes that decide the seed of the heap.
const BYTES_OF_SEED: usize = 2;
/// The most objects of a dump that is made of nothing.
const FIRST_OBJECTS: u64 = 40;

/// Whether bytes begin like a dump of any format. Compressed dumps do not: they are bytes like any others here.
pub fn is_dump(bytes: &[u8]) -> bool {
    family(bytes).is_some()
}

/// Bytes with one change, drawn by a seed, at most `most` of them.
///
/// - A dump gets another value in a field, one record or list element more or less, or the like, and lengths around the change are
///   adjusted. One in some dozens breaks one rule by a [named edit](crate::corrupt), and one in as many may be changed in any way.
/// - No bytes become a small dump of any format, and so does a single one: libFuzzer begins with a line feed where it has no seeds.
/// - Any other bytes are changed without regard to a format.
pub fn mutate(bytes: &[u8], seed: u64, most: usize) -> Vec<u8> {
    mutate_by(bytes, most, &mut SeedDraw::new(seed, DrawStream::Mutation))
}

/// Two inputs crossed over, at most `most` bytes: the first one with some records of the other. Where these do not fit, because the
/// formats or the widths differ or one is no dump, it is the first one with a change as [`mutate`] makes it.
pub fn cross_over(one: &[u8], other: &[u8], seed: u64, most: usize) -> Vec<u8> {
    let mut draw = SeedDraw::new(seed, DrawStream::Mutation);
    let common = family(one).filter(|family| one.len() <= most && self::family(other) == Some(*family));
    // An error of the machine cannot happen in memory.
    let crossed = common.and_then(|family| crossed_over(family, one, other, most, &mut draw).ok()?);
    crossed.unwrap_or_else(|| mutate_by(one, most, &mut draw))
}

/// The dump of a fuzzer's bytes, of at most `most` bytes. `options` are those of a [`Recipe`]: no bytes give its own dump. The first two
/// bytes are added to the seed, and each eight of the following ones decide one change of the dump, so that an engine that changes
/// few bytes changes little of the dump.
///
/// # Errors
/// If the options are none, or their dump has more bytes.
pub fn dump_from_bytes(options: &str, bytes: &[u8], most: usize) -> Result<Vec<u8>, Error> {
    let recipe = read_recipe(options)?;
    let (first, rest) = bytes.split_at(bytes.len().min(BYTES_OF_SEED));
    let added = first.iter().rev().fold(0, |added, byte| added << 8 | u64::from(*byte));
    let mut dump = write_bounded(&recipe.clone().seed(recipe.seed.wrapping_add(added)), most)?;
    for change in rest.chunks(BYTES_OF_CHANGE).take(MOST_CHANGES) {
        let Some(family) = family(&dump) else { break };
        if let Some(changed) = mutated_soundly(family, &dump, most, &mut ChangeDraw::new(change))? {
            dump = changed;
        }
    }
    Ok(dump)
}

/// Whether an input is what an engine without seeds begins with.
pub(super) fn is_nothing(bytes: &[u8]) -> bool {
    bytes.len() <= 1
}

/// The family of bytes that are a dump; none of compressed ones.
pub(super) fn family(bytes: &[u8]) -> Option<Family> {
    Family::from_start(&bytes[..bytes.len().min(Family::START)])
}

fn mutate_by(bytes: &[u8], most: usize, draw: &mut dyn Draw) -> Vec<u8> {
    if is_nothing(bytes)
        && let Some(dump) = first_dump(most, draw)
    {
        return dump;
    }
    let Some(family) = family(bytes) else { return scrambled(bytes, most, draw) };
    // An error of the machine cannot happen in memory.
    if bytes.len() > most {
        return shortened(family, bytes, most).unwrap_or_default();
    }
    let changed = mutated_soundly(family, bytes, most, draw).ok().flatten();
    changed.unwrap_or_else(|| scrambled(bytes, most, draw))
}

/// A small dump of any format; `None` where none is as small as that.
fn first_dump(most: usize, draw: &mut dyn Draw) -> Option<Vec<u8>> {
    let mut objects = FIRST_OBJECTS;
    while objects > 0 {
        let recipe = Recipe::draw(&Family::ALL, objects, draw).ok()?;
        if let Ok(dump) = write_bounded(&recipe, most) {
            return Some(dump);
        }
        objects /= 2;
    }
    None
}

/// Decisions from the few bytes that decide one change: two bytes each while there are some, so that bytes that differ late decide
/// the same first; then those of a seed.
struct ChangeDraw<'c> {
    left: &'c [u8],
    rest: SeedDraw,
}

impl ChangeDraw<'_> {
    fn new(change: &[u8]) -> ChangeDraw<'_> {
        let seed = change.iter().fold(0, |seed, byte| seed << 8 | u64::from(*byte));
        ChangeDraw { left: change, rest: SeedDraw::new(seed, DrawStream::Mutation) }
    }
}

impl Draw for ChangeDraw<'_> {
    fn u32(&mut self) -> u32 {
        match self.left {
            [high, low, left @ ..] => {
                self.left = left;
                u32::from_be_bytes([*high, *low, 0, 0])
            }
            _ => self.rest.u32(),
        }
    }
}
