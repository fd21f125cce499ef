//! Delta debugging: removal of as many items of a list as possible.

use heapsmith_core::error::Error;

use super::trials::Trials;

/// Removes as many items as possible: all of a list, its halves, their halves, down to parts of `least` items. `make`
/// returns the dump with the items that are kept, or `None` if there is none. Returns the kept items.
pub(super) fn leave_out(
    trials: &mut Trials<'_>,
    count: usize,
    least: usize,
    make: &(dyn Fn(&[bool]) -> Option<Vec<u8>> + Sync),
) -> Result<Vec<bool>, Error> {
    let mut kept = vec![true; count];
    let mut size = count;
    while size > 0 {
        let mut from = 0;
        loop {
            let left: Vec<usize> = (0..count).filter(|&item| kept[item]).collect();
            if from >= left.len() {
                break;
            }
            let mut parts = (from..left.len()).step_by(size).map(|start| {
                let mut without = kept.clone();
                left[start..(start + size).min(left.len())].iter().for_each(|&item| without[item] = false);
                (start, without)
            });
            let found = trials.first_shown(&mut || {
                let (start, without) = parts.next()?;
                let dump = make(&without);
                Some(((start, without), dump))
            })?;
            match found {
                // What came before this part could not go; what comes after it stands in its place now.
                Some((start, without)) => (from, kept) = (start, without),
                None => break,
            }
        }
        let left = kept.iter().filter(|kept| **kept).count();
        size = if size <= least { 0 } else { size.div_ceil(2).max(least).min(left) };
    }
    Ok(kept)
}
