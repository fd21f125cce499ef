//! Memory that is used again. What the system gives anew it clears first, page by page: for arrays that are gone through a few times,
//! that takes a good part of the time.

/// An empty vector in the memory of another one whose items are no longer needed, if those are aligned alike and at least as large;
/// otherwise, in none.
pub(super) fn emptied<T, U>(mut of: Vec<T>) -> Vec<U> {
    of.clear();
    // The standard library collects such items where they are.
    of.into_iter().filter_map(|_| None).collect()
}

/// A number of values 0. Memory that the system has cleared is given when it is first read, and again when it is first written:
/// where both come, it is written at once.
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
