//! Changes as libFuzzer asks for them: in the place of the input, and only of what its own mutator does not do better.

use super::changes::{cross_over, is_dump, is_nothing, mutate};

/// One of this many changes of a dump is libFuzzer's own, which knows dictionaries and what the program compares with.
const ENGINES_OWN: u32 = 16;

/// Changes an input in its place: the first `size` bytes of `data`, all of which may be used. The result is the new size; `None` where
/// the engine is to change the input itself: because it is no dump, and sometimes where it is. No bytes, and a single
/// one, become a small dump.
///
/// ```
/// use heapsmith::mutator::{generate, mutate_in_place};
///
/// let dump = generate("preset=tiny,objects=5,format=classic", 4096)?;
/// let mut data = vec![0; 8192];
/// data[..dump.len()].copy_from_slice(&dump);
/// // In cargo-fuzz's `fuzz_mutator!`: .unwrap_or_else(|| fuzzer_mutate(data, size, max_size))
/// let size = mutate_in_place(&mut data, dump.len(), 7).expect("it is a dump");
/// assert_ne!(data[..size], dump);
/// # Ok::<(), heapsmith::Error>(())
/// ```
pub fn mutate_in_place(data: &mut [u8], size: usize, seed: u32) -> Option<usize> {
    let input = data.get(..size)?;
    let is_ours = is_nothing(input) || is_dump(input) && !seed.is_multiple_of(ENGINES_OWN);
    let changed = is_ours.then(|| mutate(input, seed.into(), data.len()))?;
    put(&changed, data)
}

/// Crosses two inputs over into `out`. The result is the size; `None` where the first one is no dump.
pub fn cross_over_into(one: &[u8], other: &[u8], out: &mut [u8], seed: u32) -> Option<usize> {
    let crossed = is_dump(one).then(|| cross_over(one, other, seed.into(), out.len()))?;
    put(&crossed, out)
}

/// `None` for no bytes, which engines take for a failure.
fn put(bytes: &[u8], to: &mut [u8]) -> Option<usize> {
    to.get_mut(..bytes.len()).filter(|room| !room.is_empty())?.copy_from_slice(bytes);
    Some(bytes.len())
}
