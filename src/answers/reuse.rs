//! Reuse of memory. The system clears new memory page by page: for arrays that are traversed a few times, that is a
//! good part of the time.

/// An empty vector in the memory of another one whose items are no longer needed, if their alignment is equal and their
/// size at least as large; otherwise without memory.
pub(super) fn emptied<T, U>(mut of: Vec<T>) -> Vec<U> {
    of.clear();
    // The standard library collects such items where they are.
    of.into_iter().filter_map(|_| None).collect()
}

/// A vector of zeros, written at once. A page that is read before it is written would be provided twice by the system.
pub(super) fn written<T: Clone + Default>(count: usize) -> Vec<T> {
    let mut values = Vec::with_capacity(count);
    values.resize(count, T::default());
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_stays() {
        let of = vec![[1_u32; 4]; 10];
        let place = of.as_ptr().addr();
        let mut pairs: Vec<[u32; 2]> = emptied(of);
        assert!(pairs.is_empty() && pairs.capacity() == 20);
        pairs.push([1; 2]);
        assert_eq!(pairs.as_ptr().addr(), place);
        // Of other alignment.
        assert!(emptied::<u32, u64>(vec![1; 10]).is_empty());
    }
}
